"""The march of a unit in the movement segment (rules 14, 15, 18; docs/battle.md M, S, Z).

A unit marches along a field that says how far it is to its objective, until something concerns the rules;
then it says where it stopped and why, and is called again. Points are counted in halves. Cases have shape
(k,), rows of the position (units, lanes).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from sim.board.fields import BARRED
from sim.board.flight import turn_rank
from sim.board.going import Going
from sim.board.kernel import helper, kernel
from sim.board.limits import deployed, must_stop
from sim.board.marks import SQUARES, mark_near, mark_zones, wipe_near
from sim.board.room import NONE, STAY, holds, room_for
from sim.board.sight import distance, gap
from sim.board.tables import FOES, HORSE_ZONES, ZONES, Board, Bools, Ints, Longs, Position
from sim.vocabulary import (
    CAVALRY,
    FRONT,
    GOOD,
    INFANTRY,
    LIMBERED,
    MASSE,
    ROAD_MARCH,
    SKIRMISH,
    SQUARE,
    UNLIMBERED,
    Kind,
)

IN_ZONE, IN_HORSE_ZONE, BESIDE_SQUARE = 1, 2, 4
"""What a hex is to a unit that acts in it, a bit each: enemies fire at it in any."""
LIGHT = int(Kind.LIGHT_CAVALRY)


class Why(IntEnum):
    """Why a unit stopped.

    ARRIVED: it is at its objective. SPENT: it has too few points for any step that brings it nearer. ZONE: it
    must stop in an enemy zone, or may no longer leave one. LEAVES: its next step leaves an enemy zone, which
    draws fire first. STACK: there is no room for it where it would go. BLOCKED: by enemies or ground. PAUSED:
    it made as many steps as it was told, or guns were prolonged.
    """

    ARRIVED, SPENT, ZONE, LEAVES, STACK, BLOCKED, PAUSED = range(7)


ARRIVED, SPENT, ZONE, LEAVES, STACK, BLOCKED, PAUSED = map(int, Why)


class Orders(NamedTuple):
    """Units that march, shape (k,), and the ways to their objectives."""

    left: Ints  # half points
    spent: Bools  # it has spent a point in this segment
    fired: Bools  # the fire at its leaving this hex is over
    forced: Bools  # a force march, which keeps away from enemies
    most: Ints  # steps
    way: Ints  # row of `ways`
    ways: Ints  # [ways, hexes]: half points to an objective, FAR where there is no way
    scouts: bool  # whether any enemy cavalry is in skirmish order, in any lane


class Advance(NamedTuple):
    """How marches end, shape (k,)."""

    end: Ints
    second: Ints  # the other hex of a unit in two hexes, else `off`
    facing: Ints
    formation: Ints
    left: Ints  # half points
    steps: Ints
    why: Ints  # as `Why`
    zone: Ints  # where it stopped, as `zone_at`


def new_advance(cases: int) -> Advance:
    """Room for the results of so many cases."""
    return Advance(*np.zeros((len(Advance._fields), cases), np.int16))


# ---- helpers


@helper
def follows(formation: int) -> bool:
    """Whether a formation goes along roads as road march does: limbered guns do (M14)."""
    return formation in (ROAD_MARCH, LIMBERED)


@helper
def turn_for(board: Board, kind: int, formation: int, facing: int, direction: int) -> int:
    """The least turn in hexsides, right before left, after which a direction lies in front."""
    for i in range(6):
        turn = (i + 1) // 2 if i % 2 == 1 else -(i // 2)
        if board.zone[kind, formation, (facing + 2 * turn) % 12, direction] == FRONT:
            return turn
    return 0


@helper
def is_screened(board: Board, position: Position, lane: int, horse: int) -> bool:
    """Whether light cavalry of the other side is next to mounted skirmishers (M25)."""
    for v in range(len(board.side)):
        if (
            board.side[v] != board.side[horse]
            and board.kind[v] == LIGHT
            and position.state[v, lane] == GOOD
            and gap(board, position, lane, v, position.hex[horse, lane]) <= 1
        ):
            return True
    return False


@helper
def paid_to_horse(
    board: Board, going: Going, position: Position, lane: int, unit: int, a: int, b: int
) -> int:
    """What a step of infantry between two hexes costs more near enemy cavalry in skirmish order (M24)."""
    more = 0
    if board.arm[unit] != INFANTRY:
        return more
    for v in range(len(board.side)):
        if (
            board.side[v] != board.side[unit]
            and board.arm[v] == CAVALRY
            and position.formation[v, lane] == SKIRMISH
            and position.state[v, lane] == GOOD
        ):
            at = position.hex[v, lane]
            off = min(distance(board, a, at), distance(board, b, at))
            if off <= 2 and not is_screened(board, position, lane, v):
                more = max(more, going.beside if off <= 1 else going.near)
    return more


@helper
def step_price(board: Board, going: Going, arm: int, here: int, direction: int, formation: int) -> int:
    """Half points of a step without turns, BARRED or more where it may not be made for its ground or an enemy
    (M10 to M19, M22, M29, M30)."""
    to = board.neighbour[here, direction]
    if to == board.off or board.marks[to] & FOES:
        return BARRED
    if formation == UNLIMBERED and not going.prolong[here, direction]:
        return BARRED
    if formation == MASSE and board.marks[to] >= ZONES:
        return BARRED
    along = follows(formation) and going.road[arm, here, direction] < BARRED
    if formation == ROAD_MARCH and not along:
        return BARRED
    crosses = (going.crossing[arm, here, direction] >> formation) & 1
    if crosses == 0 or going.after[arm, formation, going.terrain[to]] < 0:
        return BARRED
    if along:
        return int(going.road[arm, here, direction])
    return int(going.step[arm, here, direction])


@helper
def needs(going: Going, arm: int, here: int, direction: int, formation: int, price: int) -> int:
    """Half points that must be left for a step of that price (M11)."""
    along = follows(formation) and going.road[arm, here, direction] < BARRED
    if going.higher and not along and going.enter[arm, here] < BARRED:
        return max(price, int(going.enter[arm, here]))
    return price


@helper
def touches(board: Board, at: int) -> bool:
    """Whether an enemy is next to a hex."""
    for d in range(6):
        if board.marks[board.neighbour[at, d]] & FOES and board.neighbour[at, d] != board.off:
            return True
    return False


@helper
def reach_of(formation: int, left: int, most: int) -> int:
    """Hexes that a unit may go at most: one for a point, two on a road; a square always one (M6)."""
    return min(most, max(1, left if follows(formation) else left // 2))


@helper
def zone_at(board: Board, at: int) -> int:
    """Whether a hex is in an enemy zone (`IN_ZONE`), in one of cavalry (`IN_HORSE_ZONE` too), next to a
    square (`BESIDE_SQUARE`): the sum."""
    found = 0
    if board.marks[at] >= ZONES:
        found += IN_ZONE
    if board.marks[at] & HORSE_ZONES:
        found += IN_HORSE_ZONE
    if board.marks[at] & SQUARES:
        found += BESIDE_SQUARE
    return found


@helper
def march_on(
    board: Board,
    going: Going,
    position: Position,
    increments: Ints,
    orders: Orders,
    k: int,
    lane: int,
    unit: int,
    near: int,
    enemies: int,
    to_foes: int,
    found: Advance,
) -> bool:
    """One case of `advance`, on a scratch map without zones. Returns whether it has them now: when an enemy
    may be two hexes off."""
    way, arm, kind, off = orders.way[k], board.arm[unit], board.kind[unit], board.off
    ahead = (board.home[unit] + 3) % 6
    here, other = int(position.hex[unit, lane]), int(position.second[unit, lane])
    facing, formation = int(position.facing[unit, lane]), int(position.formation[unit, lane])
    left, steps, why = int(orders.left[k]), 0, PAUSED
    wide = other != off
    whole = int(increments[unit, lane])
    part, rest = (deployed(whole, 0), deployed(whole, 1)) if wide else (whole, 0)
    stays, end, last_other, last_facing, last_formation, last_left, last_steps = (
        True, here, other, facing, formation, left, 0,
    )  # fmt: skip
    zones = False
    while True:
        if not zones and steps + 2 >= to_foes:
            mark_zones(board, position, lane, enemies)
            zones = True
        togo = int(orders.ways[way, here])
        if togo == 0:
            why = ARRIVED
            break
        if steps >= orders.most[k] or (formation == UNLIMBERED and (steps > 0 or orders.spent[k])):
            why = PAUSED
            break
        held = zone_at(board, here)
        if wide:
            held |= zone_at(board, other)
        stops = must_stop(going.rides[unit], held & IN_ZONE != 0, held & IN_HORSE_ZONE != 0, going.free)
        if stops and (steps > 0 or orders.spent[k]):
            why = ZONE
            break
        choice, price, full, dear, tried = -1, 0, False, False, -1
        for d in range(6):
            board.options[here, d] = -1
            to = int(board.neighbour[here, d])
            if orders.ways[way, to] >= togo:
                continue
            cost = step_price(board, going, arm, here, d, formation)
            if cost >= BARRED or (orders.forced[k] and touches(board, to)):
                continue
            along = follows(formation) and going.road[arm, here, d] < BARRED
            turn = 0 if along else turn_for(board, kind, formation, facing, d)
            if turn != 0 and (wide or formation == UNLIMBERED):
                continue
            if wide:
                beyond = int(board.neighbour[other, d])
                cost = max(cost, step_price(board, going, arm, other, d, formation))
                if cost >= BARRED or (orders.forced[k] and touches(board, beyond)):
                    continue
                if (
                    going.after[arm, formation, going.terrain[to]] != formation
                    or going.after[arm, formation, going.terrain[beyond]] != formation
                ):
                    continue
            if not along:
                cost += going.facing * abs(turn)
                if orders.scouts:
                    cost += paid_to_horse(board, going, position, lane, unit, here, to)
            asked = needs(going, arm, here, d, formation, cost)
            if wide:
                asked = max(asked, needs(going, arm, other, d, formation, cost))
            if formation == SQUARE and steps == 0 and not orders.spent[k]:
                cost = min(cost, left)
            elif asked > left:
                dear = True
                continue
            rank = 8 * (cost + int(orders.ways[way, to])) + turn_rank(ahead, d)
            board.options[here, d] = 8 * (256 * rank + cost) + d
        while choice < 0:
            best = -1
            for d in range(6):
                option = board.options[here, d]
                if option > tried and (best < 0 or option < best):
                    best = option
            if best < 0:
                break
            tried = best
            d, cost = int(best & 7), int(best // 8 % 256)
            to = int(board.neighbour[here, d])
            after = int(going.after[arm, formation, going.terrain[to]])
            room = room_for(board, going, position, increments, lane, unit, to, after, part, near)
            if wide and room != NONE:
                beyond = int(board.neighbour[other, d])
                room = min(
                    room, room_for(board, going, position, increments, lane, unit, beyond, after, rest, near)
                )
            if room == NONE:
                full = True
            else:
                choice, price = d, cost
        if choice < 0:
            why = SPENT if dear else STACK if full else BLOCKED
            break
        if held and not (steps == 0 and orders.fired[k]):
            why = LEAVES
            break
        if follows(formation) and going.road[arm, here, choice] < BARRED:
            facing = 2 * choice
        else:
            facing = (facing + 2 * turn_for(board, kind, formation, facing, choice)) % 12
        if wide:
            other = int(board.neighbour[other, choice])
        here = int(board.neighbour[here, choice])
        formation = int(going.after[arm, formation, going.terrain[here]])
        facing = facing // 2 * 2 + (1 if going.corner[kind, formation] else 0)
        left -= price
        steps += 1
        stays = holds(board, going, position, increments, lane, unit, here, formation, part, STAY, near)
        if wide:
            stays = stays and holds(
                board, going, position, increments, lane, unit, other, formation, rest, STAY, near
            )
        if stays:
            end, last_other, last_facing, last_formation, last_left, last_steps = (
                here, other, facing, formation, left, steps,
            )  # fmt: skip
    if not stays and why != LEAVES:
        here, other, facing, formation, left, steps, why = (
            end, last_other, last_facing, last_formation, last_left, last_steps, STACK,
        )  # fmt: skip
    found.end[k], found.second[k], found.facing[k], found.formation[k] = here, other, facing, formation
    found.left[k], found.steps[k], found.why[k] = left, steps, why
    found.zone[k] = zone_at(board, here)
    if wide:
        found.zone[k] |= zone_at(board, other)
    return zones


# ---- kernels


@kernel
def advance(
    board: Board,
    going: Going,
    position: Position,
    increments: Ints,
    unit: Ints,
    lane: Longs,
    orders: Orders,
    found: Advance,
) -> None:
    """March each unit on toward its objective until something concerns the rules.

    Each step brings it nearer by its way; of several the one with the least points in all, then the one most
    straight ahead from home. It marches through its front, turning first; enters no hex with an enemy; passes
    friends only to a hex in which it may stay; stops in zones by its arm. A unit in two hexes goes straight
    ahead, both hexes at once, and pays for the dearer of its two steps.

    Parameters
    ----------
    increments
        Left, shape (units, lanes).
    """
    for k in range(len(lane)):
        j, u = lane[k], unit[k]
        togo = int(orders.ways[orders.way[k], position.hex[u, j]])
        reach = min(togo, reach_of(position.formation[u, j], orders.left[k], orders.most[k]))
        near, enemies, far = mark_near(board, position, j, u, reach)
        zones = march_on(board, going, position, increments, orders, k, j, u, near, enemies, far, found)
        wipe_near(board, position, j, near, enemies, zones)


@kernel
def beset(board: Board, position: Position, unit: Ints, lane: Longs, zone: Ints) -> None:
    """What the hexes of units are to them, as `zone_at`."""
    for k in range(len(lane)):
        j, u = lane[k], unit[k]
        near, enemies, _ = mark_near(board, position, j, u, 0)
        mark_zones(board, position, j, enemies)
        zone[k] = zone_at(board, position.hex[u, j])
        if position.second[u, j] != board.off:
            zone[k] |= zone_at(board, position.second[u, j])
        wipe_near(board, position, j, near, enemies, True)
