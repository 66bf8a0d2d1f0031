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
from sim.board.march import allows, along
from sim.board.sight import distance
from sim.board.tables import Board, Bools, Ints, Longs, Position
from sim.vocabulary import CAVALRY, GONE, LIMBERED, LINE, SKIRMISH, SQUARE

BARS, HELD = 1, 2
"""Marks of hexes: a charge may not pass; the top unit of the other side is known."""

TURNINGS = (1, -1, 2, -2)
"""Turns on the way, in hexsides, clockwise +: the smallest first, right before left."""

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
    way: NDArray[np.int32]  # see `packed`
    points: Ints
    found: Longs

    def filled(self) -> Ways:
        """Those that were found."""
        n = int(self.found[0])
        return Ways(self.lane[:n], self.unit[:n], self.target[:n], self.way[:n], self.points[:n], self.found)


def room_for(k: int) -> Ways:
    """Room for so many."""
    unit, target, points = np.empty((3, k), np.int16)
    way = np.empty(k, np.int32)
    return Ways(np.empty(k, np.int64), unit, target, way, points, np.zeros(1, np.int64))


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
def leg_price(
    board: Board, here: int, direction: int, hexes: int, goal: int, nearest: int, limit: int
) -> int:
    """Points for a straight leg that stays so far from the goal, more than the limit if it cannot be
    ridden."""
    points = 0
    for _ in range(hexes):
        if board.closed[here, direction]:
            return limit + 1
        points += board.entry[CAVALRY, here, direction]
        here = board.neighbour[here, direction]
        if points > limit or board.marks[here] & BARS or distance(board, here, goal) < nearest:
            return limit + 1
    return points


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
    if points + ahead + between + last > limit:
        return limit + 1
    if ahead > 0 and distance(board, here, goal) < 3:
        return limit + 1
    points += leg_price(board, here, direction, ahead, goal, 3, limit - points)
    if points > limit:
        return limit + 1
    here, direction = along(board, here, direction, ahead), (direction + turn) % 6
    points += leg_price(board, here, direction, between, goal, 3, limit - points)
    if points > limit:
        return limit + 1
    here, direction = along(board, here, direction, between), (direction + last_turn) % 6
    points += leg_price(board, here, direction, last, goal, 1, limit - points)
    at = along(board, here, direction, last)
    if points > limit or board.closed[at, direction]:
        return limit + 1
    return points


@helper
def legs(q: int, r: int, first: int, second: int) -> tuple[int, int]:
    """How many hexes in each of two directions lead as far as (q, r); 0, 0 where none do."""
    a, b, c, d = STEP_Q[first], STEP_R[first], STEP_Q[second], STEP_R[second]
    det = a * d - b * c
    if det == 0:
        return 0, 0
    return (q * d - r * c) * det, (a * r - b * q) * det


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
    run = max(abs(q), abs(r), abs(q + r)) - 1
    if run >= reach.straight and q == (run + 1) * STEP_Q[heading] and r == (run + 1) * STEP_R[heading]:
        points = way_price(board, here, goal, heading, 0, 0, 0, 0, run, reach.facing_cost, limit)
        if points <= limit:
            return packed(first, 0, 0, 0, 0, run), points
    for turn in TURNINGS:
        if not allows(cap, turn):
            continue
        onward = (heading + turn) % 6
        ahead, run = legs(q, r, heading, onward)
        run -= 1
        if ahead > 0 and run >= reach.straight and ahead <= FARTHEST and run <= FARTHEST:
            points = way_price(board, here, goal, heading, ahead, turn, 0, 0, run, reach.facing_cost, limit)
            if points <= limit:
                best, cost, limit = packed(first, ahead, turn, 0, 0, run), points, points - 1
        for last_turn in TURNINGS:
            if not allows(cap, last_turn):
                continue
            between, run = legs(q - STEP_Q[heading], r - STEP_R[heading], onward, (onward + last_turn) % 6)
            run -= 1
            if between > 0 and run >= reach.straight and between <= FARTHEST and run <= FARTHEST:
                points = way_price(
                    board, here, goal, heading, 1, turn, between, last_turn, run, reach.facing_cost, limit
                )
                if points <= limit:
                    best, cost = packed(first, 1, turn, between, last_turn, run), points
                    limit = points - 1
    return best, cost


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
    return True


# ---- kernels


@kernel
def charges(
    board: Board,
    position: Position,
    lane: Longs,
    side: int,
    rides: Bools,
    reach: Reach,
    ways: Ways,
) -> None:
    """All charges that cavalry of a side can make, lane by lane, target by target, rider by rider.

    Parameters
    ----------
    rides
        Who may charge, shape (units, lanes).
    """
    count = 0
    for k in range(len(lane)):
        j = lane[k]
        put_marks(board, position, j, side)
        for v in range(len(board.side)):
            if not is_target(board, position, j, side, v):
                continue
            goal = position.hex[v, j]
            for u in range(len(board.side)):
                if not rides[u, j]:
                    continue
                here, points = position.hex[u, j], int(reach.points[u])
                if distance(board, here, goal) > points + 1:
                    continue
                heading, cap = position.facing[u, j] // 2, int(reach.cap[u])
                way, cost = best_way(board, here, goal, heading, 0, cap, reach, points)
                if position.formation[u, j] == LINE:
                    limit = points if way < 0 else cost - 1
                    other, less = best_way(board, here, goal, (heading + 1) % 6, 1, cap, reach, limit)
                    if other >= 0:
                        way, cost = other, less
                if way >= 0:
                    ways.lane[count], ways.unit[count], ways.target[count] = j, u, v
                    ways.way[count], ways.points[count] = way, cost
                    count += 1
        wipe_marks(board, position, j)
    ways.found[0] = count
