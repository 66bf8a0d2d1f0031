"""The ground as integer tables, built once for a map, a rulebook and a roster, and the rows that say where
every unit is.

A hex is its number on the map; `off` is the extra hex of units that are gone, next to itself only and far
from everything. Shapes: (hexes,) counts `off` too; (units,) is the roster; (k,) is one element a case;
(units, lanes) are rows of a state, padded so that they are never full.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.board.hexmap import HexMap
from sim.board.lines import line_table
from sim.rulesets.rulebook import PROHIBITED, Rulebook

Ints = NDArray[np.int16]
Longs = NDArray[np.int64]
Bools = NDArray[np.bool_]

NOWHERE = 10_000
"""Either coordinate of `off`."""

MOST_POINTS = 62
"""Points that a retreat may have: what is known of a hex is kept as one bit for each number of points
left."""

FRIENDS, MANNED, FOES, HORSE_ZONES, SHARED, BLOCKED, ZONES = (1 << k for k in range(7))
"""Marks of a hex on `Board.marks`, a bit each; divided by `ZONES` a mark counts the enemy zones."""


class Board(NamedTuple):
    """What does not change in a battle, shape in brackets; then scratch maps, which every case leaves clean
    or stamps as its own.

    Made by `board_of` alone. One board serves one thread.
    """

    off: int
    low_q: int  # the least coordinates
    low_r: int
    place: Ints  # [q, r, from the least]: the number of the hex there, `off` for none
    dearest: int  # no step on this map costs more, unless it is prohibited
    q: Ints  # [hexes]
    r: Ints
    neighbour: Ints  # [hexes, 6]
    entry: Ints  # [arm, hexes, 6]: points for the step in a direction, hexside included, or PROHIBITED
    # [hexes, 6]: the hex in a direction, or the hexside before it, is closed to charges, or off the map
    closed: Bools
    opaque: Bools  # [hexes]: terrain that blocks sight
    slope: Bools  # [hexes, 6]: hexsides that block sight
    level: Ints  # [hexes]: elevation, 0 where it does not matter
    road: Bools  # [hexes, 6]: hexsides that a road crosses
    bridge: Bools  # [hexes, 6]: hexsides with a bridge
    zone: NDArray[np.int8]  # [kind, formation, facing, side]: FRONT, FLANK, REAR
    side: Ints  # [units]
    arm: Ints
    kind: Ints
    home: Ints  # direction in which a unit goes home
    lines: Ints  # steps of the lines between hexes: `lines.line_table`
    marks: NDArray[np.int32]  # [hexes]: who is where, clean between cases
    seen: Longs  # [hexes]: stamp of the search that has listed the steps from a hex
    judged: Longs  # [hexes]: stamp of the search that has measured a hex
    merit: NDArray[
        np.int32
    ]  # [hexes, 2]: distance to the nearest enemy, and the sum of those to the enemies who were near
    options: Longs  # [hexes, 7]: steps in order of preference, and how many
    # [hexes, 2 (MOST_POINTS + 1)]: stamp of the search; points left, a bit each, with which it found nothing
    dead: Longs
    # [4, 2 units]: each hex of each enemy; -1 for the first of one who was near the start, else 0; twice how
    # near it was, else -1
    foes: Longs
    path: Ints  # [MOST_POINTS + 3, 3]: hex, points left, next option
    clock: Longs  # [1]: the latest stamp


class Position(NamedTuple):
    """What the map shows: rows of the state by unit and lane, shape (units, lanes), int16."""

    hex: Ints
    facing: Ints
    formation: Ints
    state: Ints
    sheltered: Ints  # lies at the bottom of its hex
    unmanned: Ints  # guns that were abandoned
    second: Ints  # the other hex of a unit in two hexes, else `off`


class Flight(NamedTuple):
    """How retreats and routs end, shape (k,); `passed`: (units, k)."""

    end: Ints
    direction: Ints  # of the last step, -1 if it did not move
    surrendered: Bools  # a rout that could not be completed
    zone_hexes: (
        Ints  # hexes left that lie in an enemy zone: the first one, and further ones that hold no friend
    )
    cavalry_zone: Bools  # it entered a hex in an enemy cavalry zone
    passed: Bools  # friends whose hexes it passed through


class March(NamedTuple):
    """Charges as they stand and how they mean to go on, shape (k,); `turns`: (steps, k)."""

    goal: Ints  # the unit it makes for
    direction: Ints  # 0..5
    left: Ints  # movement points left
    steps: Ints  # made so far
    formation: Ints
    change_to: Ints  # formation taken in the second hex, -1 for none
    rides: Bools  # it rides over squares in the way
    over_goal: Bools  # the goal's own square too
    cap: Ints  # hexsides it may turn before a step
    turns: Ints  # planned turns before each step
    made: Ints  # the planned turn that comes next
    planned: Ints  # how many there are; after them it seeks its goal
    facing_cost: int  # points a hexside
    formation_cost: int


def new_flight(units: int, cases: int) -> Flight:
    """Room for the results of so many cases."""
    ints, bools = np.zeros((3, cases), np.int16), np.zeros((2, cases), np.bool_)
    return Flight(ints[0], ints[1], bools[0], ints[2], bools[1], np.zeros((units, cases), np.bool_))


@lru_cache(maxsize=16)
def board_of(
    map_: HexMap,
    book: Rulebook,
    sides: tuple[int, ...],
    arms: tuple[int, ...],
    kinds: tuple[int, ...],
    homes: tuple[int, ...],
) -> Board:
    """The board of a map under a rulebook for a roster; the same one for the same.

    Parameters
    ----------
    sides, arms, kinds, homes
        By unit: side; index in `ARMS`; index in `rulebook.KINDS`; home direction 0..5.

    Raises
    ------
    ValueError
        If a step costs more than `MOST_POINTS`, or nothing.
    """
    off = map_.off
    hexes = off + 1
    (low_q, low_r), place = map_.by_place
    place = np.where(place < 0, off, place).astype(np.int16)
    q, r = (np.append(axis, NOWHERE).astype(np.int16) for axis in map_.axes)
    neighbour = map_.neighbours
    names = ["clear", *sorted(set(map_.terrain.values()) - {"clear"})]
    terrain = np.zeros(hexes, np.int16)
    for at, name in map_.terrain.items():
        if map_.holds(at):
            terrain[map_.number(at)] = names.index(name)
    costs = np.array([book.terrain_costs[name] for name in names])
    rows = [book.blocks.terrain.rows[name] for name in names]
    closed = np.array([not row.charge for row in rows])[terrain][neighbour]
    entry = costs.T[:, terrain][:, neighbour]
    slope, road, bridge = np.zeros((3, hexes, 6), np.bool_)
    level = np.zeros(hexes, np.int16)
    blocks = book.blocks.sight.slopes_block
    if blocks:
        for at, height in map_.elevation.items():
            level[map_.number(at)] = height
    for table, crossed in ((road, map_.roads), (bridge, map_.bridges)):
        for at, d in crossed:
            if map_.holds(at):
                table[map_.number(at), d] = True
    dearest, dearest_side = _dearest(costs), 0
    for (at, d), name in map_.hexsides.items():
        if map_.holds(at):
            h, (points, charge) = map_.number(at), _crossing(book, name, (at, d) in map_.bridges)
            entry[:, h, d] += points
            closed[h, d] |= not charge
            slope[h, d] = blocks and name == "slope" and not map_.elevation
            dearest_side = max(dearest_side, _dearest(np.array(points)))
    dearest += dearest_side
    if costs.min() < 1 or dearest > MOST_POINTS:
        raise ValueError(f"a step costs from 1 to {MOST_POINTS} points, found {costs.min()} and {dearest}")
    outside = neighbour == off
    closed[outside] = True
    entry[:, outside] = PROHIBITED
    tables = (q, r, neighbour, np.minimum(entry, PROHIBITED).astype(np.int16))
    opaque = np.array([row.blocks for row in rows])[terrain]
    zones, roster = book.zones.copy(), [np.array(one, np.int16) for one in (sides, arms, kinds, homes)]
    for one in (place, *tables, closed, opaque, slope, level, road, bridge, zones, *roster):
        one.flags.writeable = False
    marks, merit = np.zeros(hexes, np.int32), np.zeros((hexes, 3), np.int32)
    seen, judged, options = (
        np.zeros(hexes, np.int64),
        np.zeros(hexes, np.int64),
        np.zeros((hexes, 7), np.int64),
    )
    dead, path = np.zeros((hexes, 2 * (MOST_POINTS + 1)), np.int64), np.zeros((MOST_POINTS + 3, 3), np.int16)
    foes, clock = (
        np.zeros((4, 2 * len(sides)), np.int64),
        np.zeros(1, np.int64),
    )
    # fmt: off
    return Board(
        off, low_q, low_r, place, dearest, *tables, closed, opaque, slope, level, road, bridge, zones,
        roster[0], roster[1], roster[2], roster[3], line_table(), marks, seen, judged, merit,
        options, dead, foes, path, clock,
    )
    # fmt: on


def _crossing(book: Rulebook, name: str, bridged: bool) -> tuple[tuple[int, int, int], bool]:
    """Points that a hexside adds for each arm, and whether a charge may cross it.

    A bridge costs what the rule set says of it (`stream bridge`), else nothing, and no charge crosses it.
    """
    crossed = crossed_as(book, name, bridged)
    if crossed is None:
        return (0, 0, 0), False
    return book.hexside_costs[crossed], book.blocks.hexsides.rows[crossed].charge


def crossed_as(book: Rulebook, name: str, bridged: bool) -> str | None:
    """The row of the rule set that says what a hexside costs; None for a bridge that has none."""
    over = f"{name} bridge"
    return (over if over in book.blocks.hexsides.rows else None) if bridged else name


def _dearest(costs: NDArray[np.int64]) -> int:
    return int(costs[costs < PROHIBITED].max(initial=0))
