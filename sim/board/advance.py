"""The march of a unit in the movement segment (rules 14, 15, 18; docs/battle.md M, S, Z).

A unit marches along a field that says how far it is to its objective, until something concerns the
rules; then it says where it stopped and why, and is called again. Points are counted in halves. A unit in
two hexes goes straight ahead, both hexes at once, or not at all. Cases have shape (k,), rows of the position
(units, lanes).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from sim.board.fields import BARRED, cost_to_go
from sim.board.flight import mark_all, turn_rank, wipe_all
from sim.board.hexmap import HexMap
from sim.board.kernel import helper, kernel
from sim.board.limits import may_pass, must_stop, stack_fits
from sim.board.sight import distance, gap
from sim.board.tables import (
    FOES,
    FRIENDS,
    HORSE_ZONES,
    ZONES,
    Board,
    Bools,
    Ints,
    Longs,
    Position,
    crossed_as,
)
from sim.rulesets.compiled import BATTALION
from sim.rulesets.rulebook import PROHIBITED, Rulebook
from sim.vocabulary import (
    ARMS,
    ARTILLERY,
    CAVALRY,
    FORMATIONS,
    FRONT,
    GONE,
    GOOD,
    INFANTRY,
    LIMBERED,
    ROAD_MARCH,
    SKIRMISH,
    UNLIMBERED,
    Kind,
)

EVERY = (1 << len(FORMATIONS)) - 1
"""All formations, a bit each."""
LIGHT = int(Kind.LIGHT_CAVALRY)


class Why(IntEnum):
    """Why a unit stopped.

    ARRIVED: it is at its objective. SPENT: it has too few points for any step that brings it nearer. ZONE: it
    must stop in an enemy zone, or may no longer leave one. LEAVES: its next step leaves an enemy zone, which
    draws fire first. STACK: there is no room for it where it would go. BLOCKED: by enemies or ground. PAUSED:
    it made as many steps as it was told.
    """

    ARRIVED, SPENT, ZONE, LEAVES, STACK, BLOCKED, PAUSED = range(7)


ARRIVED, SPENT, ZONE, LEAVES, STACK, BLOCKED, PAUSED = map(int, Why)


class Going(NamedTuple):
    """What marching costs on a map, for a roster, under a rulebook; shapes in brackets, points in halves."""

    terrain: Ints  # [hexes]: its number in the rulebook
    step: Ints  # [arm, hexes, 6]: the step in a direction, hexside included, or BARRED or more
    road: Ints  # [arm, hexes, 6]: the same along a road in road march
    enter: Ints  # [arm, hexes]: the hex alone
    crossing: Ints  # [arm, hexes, 6]: formations that may cross a hexside, a bit each
    after: Ints  # [arm, formation, terrain]: formation in which it stands there, -1 where it may not
    corner: Bools  # [kind, formation]: whether it faces a corner
    limits: Ints  # [terrain, 4, 4]: `Rulebook.stack_limits`
    size: Ints  # [units]: BATTALION or REGIMENT
    rides: Bools  # [units]: goes through zones as cavalry does
    facing: int  # a turn by one hexside
    beside: int  # more for infantry beside enemy cavalry in skirmish order
    near: int  # two hexes from it
    column: int  # increments of a hex in road march
    higher: bool  # the hex left may ask for more points
    free: bool  # cavalry stops in no zone
    closed: bool  # cavalry does not pass cavalry


class Orders(NamedTuple):
    """Units that march, shape (k,), and the ways to their objectives."""

    left: Ints  # half points
    spent: Bools  # it has spent a point in this segment
    fired: Bools  # the fire at its leaving this hex is over
    way: Ints  # row of `ways`
    ways: Ints  # [ways, hexes]: half points to an objective, FAR where there is no way
    most: int  # steps


class Advance(NamedTuple):
    """How marches end, shape (k,)."""

    end: Ints
    second: Ints  # the other hex of a unit in two, else `off`
    facing: Ints
    formation: Ints
    left: Ints  # half points
    steps: Ints
    why: Ints  # as `Why`


def new_advance(cases: int) -> Advance:
    """Room for the results of so many cases."""
    return Advance(*np.zeros((len(Advance._fields), cases), np.int16))


def going_of(
    map_: HexMap, board: Board, book: Rulebook, sizes: Sequence[int], horse_guns: Sequence[bool]
) -> Going:
    """What marching costs on a map.

    Parameters
    ----------
    board
        That of the map under the rulebook.
    sizes, horse_guns
        By unit: `BATTALION` or `REGIMENT`; whether it is horse artillery.
    """
    hexes, rules = board.off + 1, book.blocks.movement
    terrain = np.full(hexes, book.terrains.index("clear"), np.int16)
    for at, name in map_.terrain.items():
        terrain[map_.number(at)] = book.terrains.index(name)
    added, bridges = np.zeros((len(ARMS), hexes, 6), np.int64), map_.bridges
    crossing = np.full((len(ARMS), hexes, 6), EVERY, np.int16)
    for (at, d), name in map_.hexsides.items():
        row = crossed_as(book, name, (at, d) in bridges)
        if map_.holds(at) and row is not None:
            h = map_.number(at)
            added[:, h, d] = book.hexside_costs[row]
            for arm, only in book.blocks.hexsides.rows[row].formations.items():
                crossing[ARMS.index(arm), h, d] = sum(1 << FORMATIONS.index(one) for one in only)
    costs = np.array([book.terrain_costs[name] for name in book.terrains]).T
    outside = board.neighbour == board.off
    to = terrain[board.neighbour]
    step = 2 * (costs[:, to] + added)
    along = book.road_halves[to] + np.where(rules.road.hexsides | (added >= PROHIBITED), 2 * added, 0)
    step[:, outside] = BARRED
    along[:, outside | ~board.road] = BARRED
    steps, roads, enter = (
        np.minimum(one, BARRED).astype(np.int16) for one in (step, along, 2 * costs[:, terrain])
    )
    size, guns = np.array(sizes, np.int16), np.array(horse_guns, np.bool_)
    after = book.formation_after.astype(np.int16)
    corner, limits = book.corner_facing.copy(), book.stack_limits.copy()
    rides = (board.arm == CAVALRY) | (guns & (board.arm == ARTILLERY))
    switches, horse = book.switches, rules.skirmish_horse
    for array in (terrain, steps, roads, enter, crossing, after, corner, limits, size, rides):
        array.flags.writeable = False
    return Going(
        terrain,
        steps,
        roads,
        enter,
        crossing,
        after,
        corner,
        limits,
        size,
        rides,
        2 * rules.change.facing,
        2 * horse.beside,
        2 * horse.near,
        rules.road.increments,
        switches["entry_points"] == "higher",
        switches["cavalry_zone"] == "free",
        switches["passing"] == "closed",
    )


def way_to(board: Board, going: Going, arm: int, formation: int, goals: Iterable[int]) -> Ints:
    """Half points from every hex to the nearest of some, by ground alone, shape (hexes,); FAR where there is
    no way.

    Parameters
    ----------
    formation
        In which it sets out: road march keeps to roads, limbered guns may take them.
    goals
        Numbers of hexes.
    """
    table = going.road[arm] if formation == ROAD_MARCH else going.step[arm]
    if formation == LIMBERED:
        table = np.minimum(table, going.road[arm])
    shut = (going.after[arm, formation][going.terrain] < 0)[board.neighbour]
    shut = shut | (going.crossing[arm] >> formation & 1 == 0)
    return cost_to_go(board, np.where(shut, BARRED, table), np.array(sorted(goals), np.int64))


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
def holds(
    board: Board,
    going: Going,
    position: Position,
    increments: Ints,
    lane: int,
    unit: int,
    at: int,
    formation: int,
    passing: bool,
    share: int,
) -> bool:
    """Whether a hex has room for a unit, or so many of its increments, beside the friends there: to stay, or
    only to pass, when skirmishers do not count, nor, for cavalry, others than cavalry (S2 to S6, S10 to S12,
    O4)."""
    arm = board.arm[unit]
    if passing and formation == SKIRMISH:
        return True
    foot, men, foot_size = 0, 0, BATTALION
    horse, riders, horse_size = 0, 0, BATTALION
    batteries, guns = 0, 0
    heads, marching, units = 0, 0, 0
    for v in range(len(board.side)):
        same, own, second = v == unit, position.hex[v, lane], position.second[v, lane]
        if not same and (
            (own != at and second != at)
            or board.side[v] != board.side[unit]
            or position.state[v, lane] == GONE
        ):
            continue
        its_arm, count, size = board.arm[v], int(increments[v, lane]), int(going.size[v])
        if same:
            count = share
        elif second != board.off:
            count = count // 2 if second == at else count - count // 2
        shape = formation if same else int(position.formation[v, lane])
        if not same:
            if passing:
                if shape == SKIRMISH:
                    continue
                if not may_pass(arm, its_arm, shape, going.closed):
                    return False
                if arm == CAVALRY and its_arm != CAVALRY:
                    continue
            elif its_arm == arm:
                if shape != formation:
                    return False
            elif its_arm == CAVALRY or arm == CAVALRY or shape == SKIRMISH or formation == SKIRMISH:
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
    terrain = int(going.terrain[at])
    return bool(
        stack_fits(going.limits, terrain, foot, men, foot_size, horse, riders, horse_size, batteries, guns)
    )


@helper
def step_price(
    board: Board,
    going: Going,
    position: Position,
    lane: int,
    unit: int,
    here: int,
    direction: int,
    formation: int,
    facing: int,
) -> int:
    """Half points of a step with the turn before it, BARRED or more where it may not be made for its ground
    or an enemy (M10 to M24, M29)."""
    arm, to = board.arm[unit], board.neighbour[here, direction]
    if to == board.off or formation == UNLIMBERED or board.marks[to] & FOES:
        return BARRED
    along = follows(formation) and going.road[arm, here, direction] < BARRED
    if formation == ROAD_MARCH and not along:
        return BARRED
    crosses = (going.crossing[arm, here, direction] >> formation) & 1
    if crosses == 0 or going.after[arm, formation, going.terrain[to]] < 0:
        return BARRED
    if along:
        return int(going.road[arm, here, direction])
    cost = int(going.step[arm, here, direction])
    if cost >= BARRED:
        return BARRED
    turn = turn_for(board, board.kind[unit], formation, facing, direction)
    return cost + going.facing * abs(turn) + paid_to_horse(board, going, position, lane, unit, here, to)


@helper
def needs(going: Going, arm: int, here: int, direction: int, formation: int, price: int) -> int:
    """Half points that must be left for a step of that price (M11)."""
    along = follows(formation) and going.road[arm, here, direction] < BARRED
    if going.higher and not along and going.enter[arm, here] < BARRED:
        return max(price, int(going.enter[arm, here]))
    return price


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
    found: Advance,
) -> None:
    """One case of `advance`, on a scratch map that is marked."""
    way, arm = orders.way[k], board.arm[unit]
    here, facing = int(position.hex[unit, lane]), int(position.facing[unit, lane])
    formation, left, steps, why = int(position.formation[unit, lane]), int(orders.left[k]), 0, PAUSED
    other, rest = int(position.second[unit, lane]), 0
    share, two = int(increments[unit, lane]), other != board.off
    if two:
        rest = share // 2
        share -= rest
    stays, end, last_other, last_facing, last_formation, last_left, last_steps = (
        True, here, other, facing, formation, left, 0,
    )  # fmt: skip
    while True:
        togo = int(orders.ways[way, here])
        if togo == 0:
            why = ARRIVED
            break
        if steps >= orders.most:
            why = PAUSED
            break
        zone, horse_zone = board.marks[here] >= ZONES, board.marks[here] & HORSE_ZONES != 0
        if two:
            zone = zone or board.marks[other] >= ZONES
            horse_zone = horse_zone or board.marks[other] & HORSE_ZONES != 0
        stops = must_stop(going.rides[unit], zone, horse_zone, going.free)
        if stops and (steps > 0 or orders.spent[k]):
            why = ZONE
            break
        best, choice, price, full, dear = -1, -1, 0, False, False
        for d in range(6):
            to = board.neighbour[here, d]
            if orders.ways[way, to] >= togo:
                continue
            if two and (d - facing // 2) % 6 > 1:
                continue
            cost = step_price(board, going, position, lane, unit, here, d, formation, facing)
            if two:
                cost = max(cost, step_price(board, going, position, lane, unit, other, d, formation, facing))
            if cost >= BARRED:
                continue
            asked = needs(going, arm, here, d, formation, cost)
            if two:
                asked = max(asked, needs(going, arm, other, d, formation, cost))
            if asked > left:
                dear = True
                continue
            after = int(going.after[arm, formation, going.terrain[to]])
            alone = holds(board, going, position, increments, lane, unit, to, after, False, share)
            room = board.marks[to] & FRIENDS != 0 and holds(
                board, going, position, increments, lane, unit, to, after, True, share
            )
            held, held_by_horse = board.marks[to] >= ZONES, board.marks[to] & HORSE_ZONES != 0
            if two:
                beside = board.neighbour[other, d]
                if after != formation or going.after[arm, formation, going.terrain[beside]] != formation:
                    continue
                apart = holds(board, going, position, increments, lane, unit, beside, after, False, rest)
                through = board.marks[beside] & FRIENDS != 0 and holds(
                    board, going, position, increments, lane, unit, beside, after, True, rest
                )
                room = (room or alone) and (through or apart)
                alone = alone and apart
                held = held or board.marks[beside] >= ZONES
                held_by_horse = held_by_horse or board.marks[beside] & HORSE_ZONES != 0
            if not room and not alone:
                full = True
                continue
            if not alone and must_stop(going.rides[unit], held, held_by_horse, going.free):
                full = True
                continue
            key = 8 * (cost + int(orders.ways[way, to])) + turn_rank((board.home[unit] + 3) % 6, d)
            if best < 0 or key < best:
                best, choice, price = key, d, cost
        if choice < 0:
            why = SPENT if dear else STACK if full else BLOCKED
            break
        if zone and not (steps == 0 and orders.fired[k]):
            why = LEAVES
            break
        along = follows(formation) and going.road[arm, here, choice] < BARRED
        if along:
            facing = 2 * choice
        else:
            turn = turn_for(board, board.kind[unit], formation, facing, choice)
            facing = (facing + 2 * turn) % 12
        here = int(board.neighbour[here, choice])
        if two:
            other = int(board.neighbour[other, choice])
        formation = int(going.after[arm, formation, going.terrain[here]])
        facing = facing // 2 * 2 + (1 if going.corner[board.kind[unit], formation] else 0)
        left -= price
        steps += 1
        stays = holds(board, going, position, increments, lane, unit, here, formation, False, share)
        if two:
            stays = stays and holds(
                board, going, position, increments, lane, unit, other, formation, False, rest
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


# ---- kernels


@kernel
def advance(
    board: Board,
    going: Going,
    position: Position,
    increments: Ints,
    unit: Ints,
    lane: Longs,
    own: Bools,
    orders: Orders,
    found: Advance,
) -> None:
    """March each unit on toward its objective until something concerns the rules.

    Each step brings it nearer by its way; of several the one with the least points in all, then the one most
    straight ahead from home. It marches through its front, turning first; enters no hex with an enemy; passes
    friends only to a hex in which it may stay; stops in zones by its arm.

    Parameters
    ----------
    increments
        Left, shape (units, lanes).
    own
        The unit itself, shape (units, k).
    """
    for k in range(len(lane)):
        j, u = lane[k], unit[k]
        side = board.side[u]
        mark_all(board, position, j, own, k, side)
        march_on(board, going, position, increments, orders, k, j, u, found)
        wipe_all(board, position, j, side)
