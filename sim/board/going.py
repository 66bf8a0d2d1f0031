"""What marching costs on a map, for a roster, under a rulebook (rules 15, 16, 18; docs/battle.md M, S).

Built once a battle. Points are counted in halves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from sim.board.fields import BARRED, cost_to_go
from sim.board.hexmap import HexMap
from sim.board.tables import Board, Bools, Ints, crossed_as
from sim.rulesets.rulebook import PROHIBITED, Rulebook
from sim.vocabulary import ARMS, ARTILLERY, CAVALRY, FORMATIONS, LIMBERED, ROAD_MARCH

EVERY = (1 << len(FORMATIONS)) - 1
"""All formations, a bit each."""


class Going(NamedTuple):
    """What marching costs on a map, for a roster, under a rulebook; shapes in brackets, points in halves."""

    terrain: Ints  # [hexes]: its number in the rulebook
    step: Ints  # [arm, hexes, 6]: the step in a direction, hexside included, or BARRED or more
    road: Ints  # [arm, hexes, 6]: the same along a road in road march
    enter: Ints  # [arm, hexes]: the hex alone
    crossing: Ints  # [arm, hexes, 6]: formations that may cross a hexside, a bit each
    prolong: Bools  # [hexes, 6]: unlimbered guns may be prolonged to the next hex
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
    clear = terrain == book.terrains.index("clear")
    prolong = clear[:, None] & clear[board.neighbour] & (board.neighbour != board.off)
    for (at, d), name in map_.hexsides.items():
        if map_.holds(at) and not (name == "slope" and book.switches["prolong"] == "slopes"):
            prolong[map_.number(at), d] = False
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
    for array in (terrain, steps, roads, enter, crossing, prolong, after, corner, limits, size, rides):
        array.flags.writeable = False
    return Going(
        terrain,
        steps,
        roads,
        enter,
        crossing,
        prolong,
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
    return cost_to_go(board, steps_of(board, going, arm, formation), np.array(sorted(goals), np.int64))


def steps_of(board: Board, going: Going, arm: int, formation: int) -> Ints:
    """Half points of a step in each direction by ground alone, for an arm that sets out in a formation, shape
    (hexes, 6); BARRED or more where it may not be made."""
    table = going.road[arm] if formation == ROAD_MARCH else going.step[arm]
    if formation == LIMBERED:
        table = np.minimum(table, going.road[arm])
    shut = (going.after[arm, formation][going.terrain] < 0)[board.neighbour]
    shut = shut | (going.crossing[arm] >> formation & 1 == 0)
    return np.where(shut, BARRED, table).astype(np.int16)
