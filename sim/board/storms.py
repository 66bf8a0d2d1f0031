"""Who may assault whom, and who can get away before it (rules 29, 32; docs/battle.md A1 to A5).

Arrays of shape (units, lanes) are rows of a state, of shape (k,) one element a case, or a lane that is asked
about.
"""

from __future__ import annotations

from sim.board.flight import FAR, preference, turn_rank
from sim.board.kernel import helper, kernel
from sim.board.sight import direction_to, gap, has_zone, zone_beside, zone_from
from sim.board.tables import BLOCKED, Board, Bools, Ints, Longs, Position
from sim.rulesets.rulebook import PROHIBITED
from sim.vocabulary import CAVALRY, FRONT, GONE, SQUARE


@helper
def top_in(board: Board, position: Position, lane: int, side: int, at: int) -> int:
    """The top unit of a side in a hex, -1 where nobody but the sheltered is in it."""
    for u in range(len(board.side)):
        there = position.hex[u, lane] == at or position.second[u, lane] == at
        formed = position.unmanned[u, lane] == 0 and position.sheltered[u, lane] == 0
        if there and formed and board.side[u] == side:
            return u
    return -1


@helper
def stormed_from(board: Board, position: Position, crossing: Ints, lane: int, unit: int, at: int) -> bool:
    """Whether a hex is across a front side of one of a unit's hexes, over a hexside and onto ground that are
    open to it."""
    arm, formation = board.arm[unit], position.formation[unit, lane]
    for part in range(2):
        here = position.second[unit, lane] if part else position.hex[unit, lane]
        d = direction_to(board, here, at)
        open_to_it = d >= 0 and board.entry[arm, here, d] < PROHIBITED
        open_to_it = open_to_it and (crossing[arm, here, d] >> formation) & 1 != 0
        if open_to_it and zone_from(board, position, lane, unit, here, d) == FRONT:
            return True
    return False


@helper
def mark_beside(board: Board, position: Position, lane: int, side: int, mark: int) -> None:
    """Mark the hexes next to those of a side."""
    for u in range(len(board.side)):
        if board.side[u] == side:
            for part in range(2):
                at = position.second[u, lane] if part else position.hex[u, lane]
                if at != board.off:
                    for d in range(6):
                        board.marks[board.neighbour[at, d]] = mark


@kernel
def storm_pairs(
    board: Board,
    position: Position,
    side: int,
    may: Bools,
    bound: Ints,
    crossing: Ints,
    lanes: Longs,
    pairs: Longs,
    found: Longs,
) -> None:
    """The units of a side that may assault, each with the top unit of every enemy hex that it may.

    Parameters
    ----------
    may, bound
        Who may assault at all; the hex that a unit is bound to, -1 for none; shape (units, lanes).
    crossing
        Formations that may cross a hexside, a bit each, shape (arms, hexes, 6).
    lanes
        Those asked about, shape (k,).
    pairs
        Lane, unit, target and its hex, shape (4, room); as many as there is room for, by lane, then unit,
        then target, of a unit in two hexes its own `hex` first.
    found
        How many pairs there are, shape (1,).
    """
    units, number = len(board.side), 0
    for k in range(len(lanes)):
        j = lanes[k]
        mark_beside(board, position, j, 1 - side, BLOCKED)
        for u in range(units):
            if board.side[u] != side or not may[u, j] or position.hex[u, j] == board.off:
                continue
            other = position.second[u, j]
            if board.marks[position.hex[u, j]] == 0 and (other == board.off or board.marks[other] == 0):
                continue
            for t in range(units):
                if board.side[t] == side or position.hex[t, j] == board.off:
                    continue
                if gap(board, position, j, u, position.hex[t, j]) > 2:
                    continue
                for part in range(2):
                    at = position.second[t, j] if part else position.hex[t, j]
                    if at == board.off or (bound[u, j] >= 0 and bound[u, j] != at):
                        continue
                    if gap(board, position, j, u, at) != 1 or not stormed_from(
                        board, position, crossing, j, u, at
                    ):
                        continue
                    if top_in(board, position, j, 1 - side, at) != t:
                        continue
                    if board.arm[u] == CAVALRY and position.formation[t, j] == SQUARE:
                        continue
                    if number < pairs.shape[1]:
                        pairs[0, number], pairs[1, number] = j, u
                        pairs[2, number], pairs[3, number] = t, at
                    number += 1
        mark_beside(board, position, j, 1 - side, 0)
    found[0] = number


@kernel
def step_away(
    board: Board, position: Position, unit: Ints, lane: Longs, points: Ints, end: Ints, cost: Ints
) -> None:
    """The hex next to a unit to which it can retreat before a melee: free, in no enemy zone, not nearer to
    the nearest enemy, within its points; of several the one that the retreat preference likes best. `off` if
    there is none.

    Parameters
    ----------
    points
        Movement points left.
    end, cost
        The hex, and the points that it costs.
    """
    units = len(board.side)
    for k in range(len(lane)):
        j, own, best, here = lane[k], unit[k], -1, FAR
        start = position.hex[own, j]
        end[k], cost[k] = board.off, 0
        if start == board.off:
            continue
        for u in range(units):
            if board.side[u] != board.side[own] and position.state[u, j] != GONE:
                here = min(here, gap(board, position, j, u, start))
        for d in range(6):
            to, price = board.neighbour[start, d], int(board.entry[board.arm[own], start, d])
            if price >= PROHIBITED or price > points[k]:
                continue
            free, near, away, zones = True, FAR, 0, 0
            for u in range(units):
                if u == own or position.state[u, j] == GONE:
                    continue
                free = free and position.hex[u, j] != to and position.second[u, j] != to
                if board.side[u] == board.side[own]:
                    continue
                far = gap(board, position, j, u, to)
                near, away = min(near, far), away + far
                if far == 1 and has_zone(board, position, j, u):
                    zones += zone_beside(board, position, j, u, to) == FRONT
            key = preference(price, 0, near, away, zones, turn_rank(board.home[own], d), d)
            if free and zones == 0 and near >= here and (best < 0 or key < best):
                best, end[k], cost[k] = key, to, price
