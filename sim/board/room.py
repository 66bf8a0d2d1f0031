"""Room in a hex: who may stay there, who may only pass, where there are too many (rules 15, 16; battle.md S).

Cases have shape (k,), rows of the position (units, lanes), results by unit (units, k).
"""

from __future__ import annotations

from sim.board.fields import BARRED
from sim.board.going import Going
from sim.board.kernel import helper, kernel
from sim.board.limits import arm_fits, deployed, may_pass, must_stop, stack_fits
from sim.board.tables import FRIENDS, HORSE_ZONES, ZONES, Board, Bools, Ints, Longs, Position
from sim.rulesets.compiled import BATTALION
from sim.vocabulary import ARTILLERY, CAVALRY, GONE, INFANTRY, LIMBERED, ROAD_MARCH, SKIRMISH

STAY, PASS, FOUND = range(3)
"""What a hex is asked to hold a unit for: to stay, only to pass, or as it is found there."""
NONE, PASSES, STAYS = range(3)
"""What room a hex has for a unit."""


# ---- helpers


@helper
def part_of(position: Position, increments: Ints, lane: int, unit: int, at: int, off: int) -> int:
    """Increments of a unit in a hex of its own: all, or of two hexes its half, the odd one in the first."""
    count = int(increments[unit, lane])
    if position.second[unit, lane] == off:
        return count
    return deployed(count, 0 if position.hex[unit, lane] == at else 1)


@helper
def holds(
    board: Board,
    going: Going,
    position: Position,
    increments: Ints,
    lane: int,
    unit: int,
    at: int,
    formation: int,
    part: int,
    how: int,
    near: int,
) -> bool:
    """Whether a hex has room for so many increments of a unit beside the friends there (S2 to S6, S10, S11).

    Parameters
    ----------
    how
        To STAY; only to PASS, when skirmishers do not count, nor, for cavalry, others than cavalry; as it is
        FOUND there, when skirmishers may be with others (S7).
    near
        How many friends `board.foes` lists, all that may be in the hex.
    """
    arm = board.arm[unit]
    if how == PASS and formation == SKIRMISH:
        return True
    terrain = int(going.terrain[at])
    if board.marks[at] & FRIENDS == 0 and how != FOUND:
        headed = formation == ROAD_MARCH or (formation == LIMBERED and going.enter[ARTILLERY, at] >= BARRED)
        return headed or bool(arm_fits(going.limits, terrain, arm, 1, part, int(going.size[unit])))
    foot, men, foot_size = 0, 0, BATTALION
    horse, riders, horse_size = 0, 0, BATTALION
    batteries, guns = 0, 0
    heads, marching, units = 0, 0, 0
    for i in range(-1, near):
        v = unit if i < 0 else int(board.foes[0, i])
        same = i < 0
        if not same and (v == unit or (position.hex[v, lane] != at and position.second[v, lane] != at)):
            continue
        its_arm, size = board.arm[v], int(going.size[v])
        count = part if same else part_of(position, increments, lane, v, at, board.off)
        shape = formation if same else int(position.formation[v, lane])
        if not same:
            loose = shape == SKIRMISH or formation == SKIRMISH
            if how == PASS:
                if shape == SKIRMISH:
                    continue
                if not may_pass(arm, its_arm, shape, going.closed):
                    return False
                if arm == CAVALRY and its_arm != CAVALRY:
                    continue
            elif its_arm == arm:
                if shape != formation and not (loose and how == FOUND):
                    return False
            elif its_arm == CAVALRY or arm == CAVALRY or (loose and how == STAY):
                return False
        units += 1
        if shape == ROAD_MARCH or (shape == LIMBERED and going.enter[ARTILLERY, at] >= BARRED):
            heads, marching = heads + 1, marching + count
        if its_arm == INFANTRY:
            foot, men, foot_size = foot + 1, men + count, max(foot_size, size)
        elif its_arm == CAVALRY:
            horse, riders, horse_size = horse + 1, riders + count, max(horse_size, size)
        else:
            batteries, guns = batteries + 1, guns + count
    if heads == units:
        return heads == 1 or marching <= going.column
    return bool(
        stack_fits(going.limits, terrain, foot, men, foot_size, horse, riders, horse_size, batteries, guns)
    )


@helper
def room_for(
    board: Board,
    going: Going,
    position: Position,
    increments: Ints,
    lane: int,
    unit: int,
    at: int,
    formation: int,
    part: int,
    near: int,
) -> int:
    """Whether a unit may stay in a hex, only pass it, or neither, on a scratch map that is marked: it passes
    nowhere where it must stop (S12)."""
    if holds(board, going, position, increments, lane, unit, at, formation, part, STAY, near):
        return STAYS
    mark = board.marks[at]
    if mark & FRIENDS == 0 or must_stop(
        going.rides[unit], mark >= ZONES, mark & HORSE_ZONES != 0, going.free
    ):
        return NONE
    passes = holds(board, going, position, increments, lane, unit, at, formation, part, PASS, near)
    return PASSES if passes else NONE


@helper
def shares(board: Board, position: Position, lane: int, unit: int, side: int, at: int) -> bool:
    """Whether a unit of a side has a hex."""
    return bool(
        board.side[unit] == side
        and position.state[unit, lane] != GONE
        and (position.hex[unit, lane] == at or position.second[unit, lane] == at)
    )


@helper
def judge_hex(
    board: Board,
    going: Going,
    position: Position,
    increments: Ints,
    lane: int,
    side: int,
    at: int,
    k: int,
    over: Bools,
    loose: Bools,
) -> None:
    """Who is too many in a hex of several units, as for `crowded`."""
    skirmishers, others, near, fits = 0, 0, 0, True
    for v in range(len(board.side)):
        if shares(board, position, lane, v, side, at):
            board.foes[0, near] = v
            near += 1
            if position.formation[v, lane] == SKIRMISH:
                skirmishers += 1
            else:
                others += 1
    for i in range(near):
        v = board.foes[0, i]
        formation = position.formation[v, lane]
        if formation != SKIRMISH or others == 0:  # each finds those of its arm alike
            part = part_of(position, increments, lane, v, at, board.off)
            fits = fits and holds(
                board, going, position, increments, lane, v, at, formation, part, FOUND, near
            )
    mixed = skirmishers > 0 and others > 0
    for i in range(near):
        v = board.foes[0, i]
        over[v, k] = over[v, k] or not fits
        if position.formation[v, lane] == SKIRMISH and (mixed or not fits):
            loose[v, k] = True


# ---- kernels


@kernel
def crowded(
    board: Board,
    going: Going,
    position: Position,
    increments: Ints,
    side: int,
    lane: Longs,
    over: Bools,
    loose: Bools,
) -> None:
    """The units of a side whose hex is over its limit or holds two formations, and skirmishers who share a
    hex with others, or one that is over its limit (S1 to S8), shape (units, k)."""
    units = len(board.side)
    for k in range(len(lane)):
        j = lane[k]
        for u in range(units):
            over[u, k], loose[u, k] = False, False
            if board.side[u] == side and position.state[u, j] != GONE:
                board.marks[position.hex[u, j]] += 1
                board.marks[position.second[u, j]] += 1
        board.marks[board.off] = 0
        for u in range(units):
            for at in (position.hex[u, j], position.second[u, j]):
                if board.side[u] == side and board.marks[at] > 1:
                    board.marks[at] = 0
                    judge_hex(board, going, position, increments, j, side, at, k, over, loose)
                board.marks[at] = 0
