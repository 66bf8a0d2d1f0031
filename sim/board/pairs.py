"""Who may fire at whom: the pairs of a firing hex and an enemy hex of every lane (rules 21, 24 to 28;
docs/battle.md F2 to F7, F11).

Shapes: (units,) is the roster, (units, lanes) are rows of a state, (k,) is one element a lane that is asked
about, (room,) one element a pair.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sim.board.kernel import helper, kernel
from sim.board.sight import clear_line, direction_to, distance, line_hex
from sim.board.tables import BLOCKED, Board, Bools, Ints, Longs, Position
from sim.vocabulary import CAVALRY, FRONT, INFANTRY, LINE, ROUTED, SKIRMISH, SQUARE, UNLIMBERED

GUNS = 64
"""Mark of a hex: a battery there is ready to fire."""

Some = TypeVar("Some", int, NDArray[np.integer])
Where = TypeVar("Where", bool, NDArray[np.bool_])

MOST = 2048
"""Units are fewer than that."""

FIRER, AIM = 128, 128 * MOST
"""A hex's mark divided by one of these, modulo `MOST`, is the top unit of either side, plus one."""


class Gunnery(NamedTuple):
    """What the roster can fire with."""

    armed: Bools  # [units, formations]: its infantry has fire in this formation
    guns: Bools  # [units]: a battery with fire
    gun_reach: int  # hexes at which guns have any fire
    loose_reach: Ints  # [units]: hexes at which its skirmishers have any


@helper
def looks_along(
    board: Board, position: Position, lane: int, top: int, here: int, other: int, there: int
) -> bool:
    """Whether the line to a hex leaves a hex of a top unit through a front side; on a corner either side will
    do, through its other hex none."""
    kind, formation, facing = board.kind[top], position.formation[top, lane], position.facing[top, lane]
    for nudge in (1, -1):
        step = line_hex(board, here, there, 1, nudge)
        d = direction_to(board, here, step)
        if d >= 0 and step != other and board.zone[kind, formation, facing, d] == FRONT:
            return True
    return False


@helper
def mark_hex(
    board: Board, position: Position, gunnery: Gunnery, silent: Bools, side: int, lane: int, u: int, at: int
) -> None:
    """Mark a hex of a unit: who is on top of it, guns that are ready, and what hides others."""
    mark = board.marks[at]
    if position.formation[u, lane] != SKIRMISH:
        mark |= BLOCKED
    if position.unmanned[u, lane] == 0:
        field = FIRER if board.side[u] == side else AIM
        top = mark // field % MOST - 1
        if top < 0 or position.sheltered[u, lane] < position.sheltered[top, lane]:
            mark += (u - top) * field
        ready = position.formation[u, lane] == UNLIMBERED and gunnery.guns[u]
        ready = ready and board.side[u] == side and position.state[u, lane] < ROUTED
        if ready and position.sheltered[u, lane] == 0 and not silent[u, lane]:
            mark |= GUNS
    board.marks[at] = mark


@helper
def range_of(
    board: Board, position: Position, gunnery: Gunnery, lane: int, u: int, here: int, far: bool
) -> int:
    """Hexes at which the hex of a top unit fires, 0 if it does not fire at all."""
    if board.arm[u] == CAVALRY or position.state[u, lane] >= ROUTED or position.sheltered[u, lane] != 0:
        return 0
    guns, formation, foot = (
        board.marks[here] & GUNS != 0,
        position.formation[u, lane],
        board.arm[u] == INFANTRY,
    )
    if not (gunnery.armed[u, formation] if foot else guns):
        return 0
    if far and guns and (not foot or formation in (LINE, SQUARE)):
        return gunnery.gun_reach
    if far and foot and formation == SKIRMISH:
        return gunnery.loose_reach[u]
    return 1


@kernel
def fire_pairs(
    board: Board,
    position: Position,
    gunnery: Gunnery,
    side: int,
    far: bool,
    silent: Bools,
    lanes: Longs,
    pairs: Longs,
    found: Longs,
) -> None:
    """The hexes of a side that may fire, by their top units, each with every enemy hex at which it may.

    At a hex next to it or its own, and with `far` at hexes in range that it sees through a front side. Of a
    hex that both sides hold only each other are fired at.

    Parameters
    ----------
    silent
        Batteries that do not fire, shape (units, lanes).
    lanes
        Those asked about, shape (k,).
    pairs
        Lane, top unit and hex of who fires, top unit and hex of the target, and how far it is, 0 in the same
        hex, shape (6, room); as many as there is room for, by lane, then unit, then target, of a unit in two
        hexes its own `hex` first.
    found
        How many pairs there are, shape (1,).
    """
    units, number = len(board.side), 0
    for k in range(len(lanes)):
        j, aims = lanes[k], 0
        for u in range(units):
            if position.hex[u, j] != board.off:
                mark_hex(board, position, gunnery, silent, side, j, u, position.hex[u, j])
            if position.second[u, j] != board.off:
                mark_hex(board, position, gunnery, silent, side, j, u, position.second[u, j])
        for u in range(units):
            if board.side[u] != side:
                for part in range(2):
                    at = position.second[u, j] if part else position.hex[u, j]
                    if at != board.off and board.marks[at] // AIM % MOST - 1 == u:
                        board.foes[0, aims], board.foes[1, aims] = u, at
                        aims += 1
        for u in range(units):
            if board.side[u] != side:
                continue
            for part in range(2):
                here = position.second[u, j] if part else position.hex[u, j]
                if here == board.off or board.marks[here] // FIRER % MOST - 1 != u:
                    continue
                reach = range_of(board, position, gunnery, j, u, here, far)
                if reach == 0:
                    continue
                other = position.hex[u, j] if part else position.second[u, j]
                beset = board.marks[here] // AIM % MOST > 0
                for i in range(aims):
                    there = board.foes[1, i]
                    n = distance(board, here, there)
                    if n > reach or (beset and n > 0):
                        continue
                    if n > 0 and board.marks[there] // FIRER % MOST > 0:
                        continue
                    if n > 0 and not looks_along(board, position, j, u, here, other, there):
                        continue
                    if n > 1 and not clear_line(board, here, there):
                        continue
                    if number < pairs.shape[1]:
                        pairs[0, number], pairs[1, number], pairs[2, number] = j, u, here
                        pairs[3, number], pairs[4, number], pairs[5, number] = board.foes[0, i], there, n
                    number += 1
        for u in range(units):
            board.marks[position.hex[u, j]] = 0
            board.marks[position.second[u, j]] = 0
    found[0] = number


@helper
def on_top(board: Board, position: Position, lane: int, unit: int, at: int) -> bool:
    """Whether a unit is the top one of its side in one of its hexes, and not sheltered."""
    if position.unmanned[unit, lane] != 0 or position.sheltered[unit, lane] != 0:
        return False
    for u in range(unit):
        there = position.hex[u, lane] == at or position.second[u, lane] == at
        formed = position.unmanned[u, lane] == 0 and position.sheltered[u, lane] == 0
        if there and formed and board.side[u] == board.side[unit]:
            return False
    return True


@helper
def ready_guns(board: Board, position: Position, gunnery: Gunnery, lane: int, unit: int, at: int) -> bool:
    """Whether a battery that is ready stands in a hex of a unit, with it or itself."""
    for u in range(len(board.side)):
        ready = (
            gunnery.guns[u] and position.formation[u, lane] == UNLIMBERED and position.state[u, lane] < ROUTED
        )
        ready = ready and position.unmanned[u, lane] == 0 and position.sheltered[u, lane] == 0
        if ready and position.hex[u, lane] == at and board.side[u] == board.side[unit]:
            return True
    return False


@kernel
def facing_pairs(
    board: Board,
    position: Position,
    gunnery: Gunnery,
    side: int,
    lane: Longs,
    at: Longs,
    pairs: Longs,
    found: Longs,
) -> None:
    """The hexes of a side that may fire at hexes next to them through a front side.

    Parameters
    ----------
    lane, at
        The hexes that may be fired at, shape (k,).
    pairs
        Number of the case, top unit and hex of who fires, shape (3, room); as many as there is room for, by
        case, then unit.
    found
        How many pairs there are, shape (1,).
    """
    units, number = len(board.side), 0
    for k in range(len(lane)):
        j, q, r = lane[k], int(board.q[at[k]]), int(board.r[at[k]])
        for u in range(units):
            if board.side[u] != side or board.arm[u] == CAVALRY or position.state[u, j] >= ROUTED:
                continue
            for part in range(2):
                here = position.second[u, j] if part else position.hex[u, j]
                dq, dr = board.q[here] - q, board.r[here] - r
                if here == board.off or abs(dq) + abs(dr) + abs(dq + dr) != 2:
                    continue
                d = direction_to(board, here, at[k])
                formation = position.formation[u, j]
                if board.zone[board.kind[u], formation, position.facing[u, j], d] != FRONT:
                    continue
                if not on_top(board, position, j, u, here):
                    continue
                foot = board.arm[u] == INFANTRY
                if not (
                    gunnery.armed[u, formation] if foot else ready_guns(board, position, gunnery, j, u, here)
                ):
                    continue
                if number < pairs.shape[1]:
                    pairs[0, number], pairs[1, number], pairs[2, number] = k, u, here
                number += 1
    found[0] = number


class Massing(NamedTuple):
    """By whom the guns of several hexes fire together: the bonus that two hexes need of a leader in one of
    them, and three of one in or next to each; and the leaders."""

    two: int
    three: int
    bonus: Longs  # [leaders]: for artillery
    side: Longs  # [leaders]
    at: Longs  # [leaders, lanes]: his hex, `off` if he does not count
    never: Bools  # [units]: guns that never fire together with those of other hexes


@helper
def may_combine(
    hexes: Some, adjacent: Where, within: Some, beside: Some, barred: Where, two: int, three: int
) -> Where:
    """Whether the guns of so many hexes fire together: `rules.fire.may_combine`."""
    pair = (hexes == 2) & adjacent & (within >= two)
    trio = (hexes == 3) & (beside >= three)
    return (hexes <= 1) | ((pair | trio) & (barred == 0))


@helper
def bonus_near(board: Board, massing: Massing, lane: int, side: int, a: int, b: int, c: int, n: int) -> int:
    """The greatest artillery bonus of a leader who is within n hexes of each of three hexes."""
    best = 0
    for k in range(len(massing.bonus)):
        at = massing.at[k, lane]
        if at != board.off and massing.side[k] == side and massing.bonus[k] > best:
            near = distance(board, at, a) <= n and distance(board, at, b) <= n
            if near and distance(board, at, c) <= n:
                best = massing.bonus[k]
    return best


@helper
def may_join(
    board: Board, massing: Massing, pairs: Longs, guns: Bools, first: int, last: int, number: int
) -> bool:
    """Whether the guns of a pair may fire at its target beside those of the pairs from `first` to before
    `last` that do."""
    lane, unit, here, there = pairs[0, number], pairs[1, number], pairs[2, number], pairs[4, number]
    a, b, hexes, barred = here, here, 1, massing.never[unit]
    for i in range(first, last):
        if guns[i] and pairs[4, i] == there:
            a, b = pairs[2, i], a
            hexes += 1
            barred = barred or massing.never[pairs[1, i]]
    side = board.side[unit]
    own = bonus_near(board, massing, lane, side, here, here, here, 0)
    within = max(own, bonus_near(board, massing, lane, side, a, a, a, 0))
    beside = bonus_near(board, massing, lane, side, a, b, here, 1)
    adjacent = distance(board, a, here) == 1
    return bool(may_combine(hexes, adjacent, within, beside, barred, massing.two, massing.three))


@kernel
def settle_guns(board: Board, massing: Massing, pairs: Longs, wanted: Bools, guns: Bools) -> None:
    """At what the hexes with guns fire, one after the other in each lane: at a target that is wanted, or else
    at the first, of the closest that they may (F13 to F15).

    Parameters
    ----------
    pairs
        As `fire_pairs` found them.
    wanted
        Those that the player has chosen; of a hex with guns one at most is left.
    guns
        The pairs in which guns fire, but for those that fire with infantry at the next hex, before which no
        other target counts; in the end those that do.
    """
    first, k, n = 0, 0, pairs.shape[1]
    while k < n:
        if pairs[0, k] != pairs[0, first]:
            first = k
        end, asked, close = k, False, False
        while end < n and pairs[0, end] == pairs[0, k] and pairs[2, end] == pairs[2, k]:
            asked = asked or (wanted[end] and guns[end])
            close = close or not guns[end]
            end += 1
        if asked and close:
            for i in range(k, end):
                wanted[i] = wanted[i] and not guns[i]
                guns[i] = asked = False
        best = -1
        for i in range(k, end):
            if guns[i] and asked and may_join(board, massing, pairs, guns, first, k, i):
                nearer = best < 0 or pairs[5, i] < pairs[5, best]
                as_near = best >= 0 and pairs[5, i] == pairs[5, best]
                if nearer or (as_near and wanted[i] and not wanted[best]):
                    best = i
        for i in range(k, end):
            if asked:
                wanted[i] = i == best
            guns[i] = asked and i == best
        k = end
