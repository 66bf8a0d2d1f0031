"""The ways by which charges may be made: who can come at whom in a straight last run (rules 37, 38;
docs/battle.md K).

A way has at most two turns. Straight: the target lies ahead. One turn: ahead, then straight at it. Two turns:
one hex ahead, some in a second direction, then straight at it. Of a pair's ways the one that costs least is
taken; of equal ones the one with fewer turns, then with smaller ones, a right turn before a left one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.board.hexmap import DIRECTIONS
from sim.board.kernel import helper, kernel
from sim.board.march import allows
from sim.board.sight import distance
from sim.board.tables import Board, Bools, Ints, Longs, Position
from sim.vocabulary import CAVALRY, GONE, LIMBERED, LINE, SKIRMISH, SQUARE

BARS, HELD = 1, 2
"""Marks of hexes: a charge may not pass; the top unit of the other side is known."""

_TURNINGS = (1, -1, 2, -2)
TURNS = ((0, 0), *((one, 0) for one in _TURNINGS), *((a, b) for a in _TURNINGS for b in _TURNINGS))
"""Turns of a way, in hexsides, clockwise +: fewer first, then smaller, then right before left."""
FIRST_TURN, LAST_TURN = tuple(one for one, _ in TURNS), tuple(one for _, one in TURNS)

STEP_Q = tuple(dq for dq, _ in DIRECTIONS)
STEP_R = tuple(dr for _, dr in DIRECTIONS)

FARTHEST = 31
"""Hexes in one direction that the code of a way can tell."""


class Reach(NamedTuple):
    """What ways are judged by."""

    points: Ints  # [units]: what a charge has
    cap: Ints  # [units]: hexsides it may turn before a step
    facing_cost: int  # points a hexside
    straight: int  # hexes of the last run


class Ways(NamedTuple):
    """Ways that were found, one a pair, and how many, shape (k,) and (1,); room for all is there."""

    lane: Longs
    unit: Ints
    target: Ints
    place: Ints  # the hex that is charged: of two of the target that which costs less, else the first
    way: NDArray[np.int32]  # see `packed`
    points: Ints
    found: Longs

    def filled(self) -> Ways:
        """Those that were found."""
        n = int(self.found[0])
        told = self.unit[:n], self.target[:n], self.place[:n], self.way[:n], self.points[:n]
        return Ways(self.lane[:n], *told, self.found)


def room_for(k: int) -> Ways:
    """Room for so many."""
    unit, target, place, points = np.empty((4, k), np.int16)
    lane, way = np.empty(k, np.int64), np.empty(k, np.int32)
    return Ways(lane, unit, target, place, way, points, np.zeros(1, np.int64))


@helper
def packed(first: int, ahead: int, turn: int, between: int, last_turn: int, last: int) -> int:
    """A way as a number: hexsides turned before the first step (a line's other front), hexes ahead, the turn
    after them, hexes in that direction, the turn after those, hexes of the last run."""
    more = 5 * (32 * (5 * (32 * ahead + between) + turn + 2) + last) + last_turn + 2
    return 2 * more + first


def turns_of(way: int) -> list[int]:
    """The turns before each step of a way.

    >>> turns_of(packed(0, 2, 1, 0, 0, 3)), turns_of(packed(1, 0, 0, 0, 0, 4))
    ([0, 0, 1, 0, 0], [1, 0, 0, 0])
    """
    more, first = divmod(way, 2)
    more, last_turn = divmod(more, 5)
    more, last = divmod(more, 32)
    more, turn = divmod(more, 5)
    ahead, between = divmod(more, 32)
    turns = [0] * (ahead + between + last)
    turns[ahead + between] += last_turn - 2
    turns[ahead] += turn - 2
    turns[0] += first
    return turns


def turned(way: NDArray[np.integer]) -> NDArray[np.integer]:
    """Hexsides that ways turn in all, clockwise +, shape (k,).

    >>> turned(np.array([packed(1, 2, -1, 3, 2, 4)]))
    array([2])
    """
    more, first = np.divmod(way, 2)
    more, last_turn = np.divmod(more, 5)
    return first + last_turn - 2 + more // 32 % 5 - 2


# ---- helpers


@helper
def put_marks(board: Board, position: Position, lane: int, side: int) -> None:
    """Mark the hexes through which a charge of a side may not ride."""
    for u in range(len(board.side)):
        if position.state[u, lane] == GONE:
            continue
        formation = position.formation[u, lane]
        opens = formation in (SKIRMISH, SQUARE, LIMBERED) or board.arm[u] == CAVALRY
        if board.side[u] != side or not opens:
            board.marks[position.hex[u, lane]] |= BARS
            board.marks[position.second[u, lane]] |= BARS


@helper
def wipe_marks(board: Board, position: Position, lane: int) -> None:
    """Wipe the scratch map clean."""
    for u in range(len(board.side)):
        board.marks[position.hex[u, lane]] = 0
        board.marks[position.second[u, lane]] = 0


@helper
def way_price(
    board: Board,
    here: int,
    goal: int,
    direction: int,
    ahead: int,
    turn: int,
    between: int,
    last_turn: int,
    last: int,
    facing_cost: int,
    limit: int,
) -> int:
    """Points for a whole way, more than the limit if it cannot be ridden: before its last run it stays three
    hexes from the goal, which it would pass otherwise."""
    points = facing_cost * (abs(turn) + abs(last_turn))
    steps = ahead + between + last
    if points + steps > limit or (steps > last and distance(board, here, goal) < 3):
        return limit + 1
    for step in range(steps):
        if step == ahead:
            direction = (direction + turn) % 6
        if step == ahead + between:
            direction = (direction + last_turn) % 6
        if board.closed[here, direction]:
            return limit + 1
        points += board.entry[CAVALRY, here, direction]
        here = board.neighbour[here, direction]
        if points > limit or board.marks[here] & BARS:
            return limit + 1
        if step < ahead + between and distance(board, here, goal) < 3:
            return limit + 1
    return limit + 1 if board.closed[here, direction] else points


@helper
def best_way(
    board: Board, here: int, goal: int, heading: int, first: int, cap: int, reach: Reach, limit: int
) -> tuple[int, int]:
    """The way from a hex in a direction that costs least and at most so many points: its number and its
    points; -1, 0 if there is none.

    `first`: hexsides turned for that direction, free of charge.
    """
    best, cost = -1, 0
    q, r = int(board.q[goal]) - int(board.q[here]), int(board.r[goal]) - int(board.r[here])
    a, b = STEP_Q[heading], STEP_R[heading]
    for number in range(len(FIRST_TURN)):
        turn, last_turn = FIRST_TURN[number], LAST_TURN[number]
        if not (allows(cap, turn) and allows(cap, last_turn)):
            continue
        onward = (heading + turn) % 6
        ahead, between, left_q, left_r = 0, 0, q, r
        if turn == 0:
            run = max(abs(q), abs(r), abs(q + r))
            if q != run * a or r != run * b:
                continue
        elif last_turn == 0:
            c, d = STEP_Q[onward], STEP_R[onward]
            det = a * d - b * c
            ahead, run = (left_q * d - left_r * c) * det, (a * left_r - b * left_q) * det
            if ahead < 1:
                continue
        else:
            ahead, left_q, left_r, last = 1, q - a, r - b, (onward + last_turn) % 6
            e, f, c, d = STEP_Q[onward], STEP_R[onward], STEP_Q[last], STEP_R[last]
            det = e * d - f * c
            between, run = (left_q * d - left_r * c) * det, (e * left_r - f * left_q) * det
            if between < 1:
                continue
        run -= 1
        if run < reach.straight or max(ahead, between, run) > FARTHEST:
            continue
        points = way_price(
            board, here, goal, heading, ahead, turn, between, last_turn, run, reach.facing_cost, limit
        )
        if points <= limit:
            best, cost, limit = packed(first, ahead, turn, between, last_turn, run), points, points - 1
    return best, cost


@helper
def way_of(
    board: Board, position: Position, lane: int, unit: int, goal: int, reach: Reach, limit: int
) -> tuple[int, int]:
    """The way of a unit to a hex that costs least and at most so many points, and its points; a line may set
    out by either of its front hexes."""
    here, way, cost = position.hex[unit, lane], -1, 0
    if goal == board.off or distance(board, here, goal) > limit + 1:
        return way, cost
    heading, cap = position.facing[unit, lane] // 2, int(reach.cap[unit])
    for first in range(2 if position.formation[unit, lane] == LINE else 1):
        found, points = best_way(board, here, goal, (heading + first) % 6, first, cap, reach, limit)
        if found >= 0:
            way, cost, limit = found, points, points - 1
    return way, cost


@helper
def is_target(board: Board, position: Position, lane: int, side: int, unit: int) -> bool:
    """Whether a unit is the top one of an enemy hex; marks the hex."""
    at = position.hex[unit, lane]
    if (
        board.side[unit] == side
        or position.state[unit, lane] == GONE
        or position.unmanned[unit, lane] != 0
        or position.sheltered[unit, lane] != 0
        or board.marks[at] & HELD
    ):
        return False
    board.marks[at] |= HELD
    board.marks[position.second[unit, lane]] |= HELD
    return True


# ---- kernels


@kernel
def charges(
    board: Board,
    position: Position,
    lane: Longs,
    side: int,
    rides: Bools,
    wanted: Bools,
    reach: Reach,
    ways: Ways,
) -> None:
    """All charges that cavalry of a side can make, lane by lane, target by target, rider by rider.

    Parameters
    ----------
    rides, wanted
        Who may charge, and at whom charges are looked for, shape (units, lanes).
    """
    count = 0
    for k in range(len(lane)):
        j = lane[k]
        put_marks(board, position, j, side)
        for v in range(len(board.side)):
            if not wanted[v, j] or not is_target(board, position, j, side, v):
                continue
            for u in range(len(board.side)):
                if not rides[u, j]:
                    continue
                place, limit = -1, int(reach.points[u])
                for part in range(2):
                    goal = position.hex[v, j] if part == 0 else position.second[v, j]
                    way, cost = way_of(board, position, j, u, goal, reach, limit)
                    if way >= 0:
                        place, limit = goal, cost - 1
                        ways.way[count], ways.points[count] = way, cost
                if place >= 0:
                    ways.lane[count], ways.unit[count], ways.target[count] = j, u, v
                    ways.place[count] = place
                    count += 1
        wipe_marks(board, position, j)
    ways.found[0] = count
