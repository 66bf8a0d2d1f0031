"""Who is near whom: the nearest enemies of units, and who may gather against whom.

Players ask it, for units in many lanes at once; it says where everybody is, not what to do about it. Whoever
is gone, routed, off the map, or guns that nobody mans, is near nobody. Cases have shape (k,), rows of the
position (units, lanes).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim.board.kernel import helper, kernel
from sim.board.sight import gap
from sim.board.tables import Board, Bools, Ints, Longs, Position
from sim.vocabulary import ROUTED

NOBODY = 999
"""Distance to the nearest enemy where there is none."""


class Contacts(NamedTuple):
    """What is around units, shape (m, k): units by lanes."""

    near: Ints  # hexes to the nearest enemy, NOBODY if there is none
    foe: Ints  # its number, the first of several as near; -1
    horse: Ints  # hexes to the nearest enemy who threatens


class Gathering(NamedTuple):
    """Attackers and targets of one side's plan; shapes in brackets. A unit in two hexes counts in its own
    `hex` alone."""

    mine: Longs  # [m]: units of the side
    theirs: Longs  # [t]: units of the other side
    weight: Ints  # [units, lanes]: what an attacker counts, 0 who does not attack
    need: Ints  # [units, lanes]: what a target asks for, 0 where it is none
    reach: Ints  # [units, lanes]: half points that an attacker goes at most to a target's hex
    row: Ints  # [hexes]: row of `ways` that leads to a hex, -1 for none
    ways: Ints  # [ways, hexes]
    beside: int  # sixteenths of its need that an enemy next to a target adds
    enough: int  # sixteenths of the need that are sent at most


def new_contacts(units: int, lanes: int) -> Contacts:
    """Room for the results of so many units in so many lanes."""
    return Contacts(*np.zeros((len(Contacts._fields), units, lanes), np.int16))


@helper
def counts(board: Board, position: Position, lane: int, unit: int) -> bool:
    """Whether a unit is one that others mind."""
    there = position.hex[unit, lane] != board.off and position.state[unit, lane] < ROUTED
    return there and position.unmanned[unit, lane] == 0


@helper
def between(board: Board, position: Position, lane: int, a: int, b: int) -> int:
    """Hexes between two units, each of which may stand in two."""
    found, other = gap(board, position, lane, b, position.hex[a, lane]), position.second[a, lane]
    return found if other == board.off else min(found, gap(board, position, lane, b, other))


@kernel
def contacts(
    board: Board, position: Position, threatens: Bools, unit: Longs, lane: Longs, found: Contacts
) -> None:
    """Who is nearest to some units in each of some lanes.

    Parameters
    ----------
    threatens
        Who is a threat of its own (cavalry that may charge, say), shape (units, lanes).
    unit, lane
        Shape (m,) and (k,); results have shape (m, k).
    """
    units = len(board.side)
    for k in range(len(lane)):
        j = lane[k]
        for v in range(units):
            at = position.hex[v, j]
            board.foes[0, v] = board.q[at] if counts(board, position, j, v) else 4 * NOBODY
            board.foes[1, v] = board.r[at]
            board.foes[2, v] = 1 if position.second[v, j] != board.off else 0
            board.foes[3, v] = 1 if threatens[v, j] else 0
        for m in range(len(unit)):
            u = unit[m]
            here, side = position.hex[u, j], board.side[u]
            q, r = int(board.q[here]), int(board.r[here])
            near, foe, horse = 2 * NOBODY, -1, 2 * NOBODY
            if here != board.off:
                for v in range(units):
                    if board.side[v] == side:
                        continue
                    dq, dr = board.foes[0, v] - q, board.foes[1, v] - r
                    twice = abs(dq) + abs(dr) + abs(dq + dr)
                    if twice < 2 * NOBODY and board.foes[2, u] + board.foes[2, v] != 0:
                        twice = 2 * between(board, position, j, u, v)
                    if twice < near:
                        near, foe = twice, v
                    if twice < horse and board.foes[3, v] != 0:
                        horse = twice
            found.near[m, k], found.foe[m, k], found.horse[m, k] = near // 2, foe, horse // 2


@helper
def asked_for(board: Board, position: Position, plan: Gathering, lane: int, target: int) -> int:
    """What the hex of a target asks for in sixteenths, with the enemies next to it; 0 where it is no target,
    or another unit of the hex, listed before it, stands for it."""
    if plan.need[target, lane] == 0 or not counts(board, position, lane, target):
        return 0
    here, total = position.hex[target, lane], 0
    q, r = int(board.q[here]), int(board.r[here])
    for i in range(len(plan.theirs)):
        v = plan.theirs[i]
        at = position.hex[v, lane]
        dq, dr = board.q[at] - q, board.r[at] - r
        twice = abs(dq) + abs(dr) + abs(dq + dr)
        if twice > 2 or not counts(board, position, lane, v):
            continue
        if twice == 0 and v < target and plan.need[v, lane] > 0:
            return 0
        total += int(plan.need[v, lane]) * (16 if twice == 0 else plan.beside)
    return total


@kernel
def gather(board: Board, position: Position, lane: Longs, plan: Gathering, prey: Ints) -> None:
    """Send attackers against targets, hex by hex: first against the target for which most could come in
    proportion to what it asks for, and of these the nearest until they are enough; then against the next, as
    long as enough can come.

    Of targets that are as good the first listed, of attackers as near the first listed.

    Parameters
    ----------
    lane
        Shape (k,).
    prey
        The target of each unit, -1 for none, shape (units, lanes); given as -1.
    """
    for k in range(len(lane)):
        j = lane[k]
        for i in range(len(plan.theirs)):
            board.foes[0, i] = asked_for(board, position, plan, j, plan.theirs[i])
        while True:
            best, most, want = -1, 0, 1
            for i in range(len(plan.theirs)):
                need = board.foes[0, i]
                if need == 0:
                    continue
                could, way = 0, plan.row[position.hex[plan.theirs[i], j]]
                for m in range(len(plan.mine)):
                    u = plan.mine[m]
                    if plan.weight[u, j] == 0 or prey[u, j] >= 0 or not counts(board, position, j, u):
                        continue
                    if plan.ways[way, position.hex[u, j]] <= plan.reach[u, j]:
                        could += 16 * int(plan.weight[u, j])
                if could < need:
                    board.foes[0, i] = 0
                elif could * want > most * need:
                    best, most, want = i, could, need
            if best < 0:
                break
            target, sent = plan.theirs[best], 0
            way = plan.row[position.hex[target, j]]
            while sent * 16 < want * plan.enough:
                nearest, choice = 32767, -1
                for m in range(len(plan.mine)):
                    u = plan.mine[m]
                    if plan.weight[u, j] == 0 or prey[u, j] >= 0 or not counts(board, position, j, u):
                        continue
                    cost = int(plan.ways[way, position.hex[u, j]])
                    if cost <= plan.reach[u, j] and cost < nearest:
                        nearest, choice = cost, u
                if choice < 0:
                    break
                prey[choice, j] = target
                sent += 16 * int(plan.weight[choice, j])
            board.foes[0, best] = 0
