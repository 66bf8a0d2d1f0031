"""The march of a unit on small drawn maps: each expected end, number of half points and reason worked out by
hand from docs/battle.md; both modes of the kernel give it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from sim.board.advance import Orders, Why, advance, new_advance
from sim.board.fields import FAR
from sim.board.going import going_of, way_to
from sim.board.hexmap import Hex, HexMap, Hexside, Rhombus
from sim.board.kernel import Mode
from sim.board.tables import Position, board_of
from sim.rulesets.compiled import BATTALION, REGIMENT
from sim.rulesets.rulebook import Rulebook
from sim.vocabulary import (
    ARTILLERY,
    CAVALRY,
    COLUMN,
    GENERAL_ORDER,
    GOOD,
    INFANTRY,
    LIMBERED,
    LINE,
    MASSE,
    ROAD_MARCH,
    ROUTED,
    SKIRMISH,
    SQUARE,
    UNLIMBERED,
    Kind,
)
from tests.agreement.positions import PAD, book_of

HOMES = (3, 0)
PRUSSE = book_of("prusse-1806")
FOOT, LIGHT, GUNS = (
    (INFANTRY, Kind.INFANTRY),
    (CAVALRY, Kind.LIGHT_CAVALRY),
    (ARTILLERY, Kind.ARTILLERY),
)


@dataclass(frozen=True)
class Man:
    """A unit on the map; side 0 goes home in direction 3, side 1 in direction 0."""

    at: Hex
    side: int = 0
    kind: tuple[int, int] = FOOT
    formation: int = COLUMN
    facing: int = 0
    increments: int = 6
    size: int = BATTALION
    state: int = GOOD
    horse: bool = False


def march(
    units: Sequence[Man],
    goal: Hex,
    halves: int,
    terrain: Mapping[Hex, str] | None = None,
    hexsides: Mapping[Hexside, str] | None = None,
    roads: Iterable[Hexside] = (),
    bridges: Iterable[Hexside] = (),
    book: Rulebook = PRUSSE,
    spent: bool = False,
    fired: bool = False,
    forced: bool = False,
    most: int = 99,
) -> tuple[Hex | None, int, int, int, int, Why]:
    """Where the first unit ends, its facing, formation, half points left, steps, and why it stops."""
    map_ = HexMap(Rhombus(7), terrain or {}, hexsides or {}, frozenset(roads), frozenset(bridges))
    arms, kinds = tuple(one.kind[0] for one in units), tuple(int(one.kind[1]) for one in units)
    sides = tuple(one.side for one in units)
    board = board_of(map_, book, sides, arms, kinds, tuple(HOMES[side] for side in sides))
    going = going_of(map_, board, book, [one.size for one in units], [one.horse for one in units])
    rows = Position(*(np.zeros((len(units), 1 + PAD), np.int16)[:, :1] for _ in Position._fields))
    increments = np.zeros((len(units), 1 + PAD), np.int16)[:, :1]
    rows.second[:] = map_.off
    for u, one in enumerate(units):
        rows.hex[u], rows.facing[u], rows.formation[u] = map_.number(one.at), one.facing, one.formation
        rows.state[u], increments[u] = one.state, one.increments
    way = way_to(board, going, arms[0], units[0].formation, [map_.number(goal)])
    first, flag = np.zeros(1, np.int16), np.zeros(1, np.bool_)
    told = Orders(
        first + np.int16(halves),
        flag | spent,
        flag | fired,
        flag | forced,
        first + np.int16(most),
        first,
        way[None],
        True,
    )
    results = []
    for mode in Mode:
        found = new_advance(1)
        advance(mode, board, going, rows, increments, first, np.zeros(1, np.int64), told, found)
        results.append([int(row[0]) for row in found])
        assert not board.marks.any()
    assert results[0] == results[1]
    end, _, facing, formation, left, steps, why, _ = results[0]
    return map_.hex(end), facing, formation, left, steps, Why(why)


def ends(found: tuple[Hex | None, int, int, int, int, Why]) -> tuple[Hex | None, int, int, Why]:
    """Hex, half points left, steps, reason."""
    return found[0], found[3], found[4], found[5]


def test_a_column_marches_a_point_a_hex_of_clear_ground() -> None:
    """M10."""
    assert march([Man((0, 0))], (4, 0), 16) == ((4, 0), 0, COLUMN, 8, 4, Why.ARRIVED)
    assert ends(march([Man((0, 0))], (4, 0), 6)) == ((3, 0), 0, 3, Why.SPENT)
    assert ends(march([Man((0, 0))], (4, 0), 16, most=1)) == ((1, 0), 14, 1, Why.PAUSED)


def test_a_unit_turns_until_its_way_lies_in_front() -> None:
    """M20, M21: facing away, a column has its way in front after two hexsides, 2 points, to the right."""
    assert march([Man((0, 0), facing=6)], (2, 0), 16) == ((2, 0), 10, COLUMN, 8, 2, Why.ARRIVED)
    skirmish = march([Man((0, 0), formation=SKIRMISH, facing=1)], (0, -2), 16)
    assert skirmish == ((0, -2), 11, SKIRMISH, 10, 2, Why.ARRIVED)  # front: 4 of 6, one turn to the left


def test_a_way_leads_round_woods_where_that_is_cheaper() -> None:
    """Through the wood 3 + 1 points, round it 3 hexes: to the right of straight ahead."""
    assert ends(march([Man((0, 0))], (2, 0), 16, {(1, 0): "woods"})) == ((2, 0), 10, 3, Why.ARRIVED)


def test_formations_change_with_the_ground() -> None:
    """M16, M17: woods cost infantry 3 points of Prusse."""
    woods = {(1, 0): "woods"}
    column = march([Man((0, 0))], (1, 0), 16, woods)
    assert column == ((1, 0), 0, GENERAL_ORDER, 10, 1, Why.ARRIVED)
    line = march([Man((0, 0), formation=LINE, facing=1)], (1, 0), 16, woods)
    assert line == ((1, 0), 0, GENERAL_ORDER, 10, 1, Why.ARRIVED)
    out = march([Man((1, 0), formation=GENERAL_ORDER)], (3, 0), 16, woods)
    assert out == ((3, 0), 0, COLUMN, 12, 2, Why.ARRIVED)
    square = march([Man((0, 0), formation=SQUARE)], (1, 0), 2, woods)
    assert square == ((0, 0), 0, SQUARE, 2, 0, Why.BLOCKED)
    assert ends(march([Man((0, 0), formation=SQUARE)], (1, 0), 2)) == ((1, 0), 0, 1, Why.ARRIVED)  # M6


def test_the_hex_that_is_left_may_ask_for_more_points() -> None:
    """M11: out of a village of 3 points with 1 point left."""
    village, unit = {(0, 0): "village"}, [Man((0, 0), formation=GENERAL_ORDER)]
    assert ends(march(unit, (1, 0), 2, village)) == ((0, 0), 2, 0, Why.SPENT)
    free = book_of("prusse-1806", entry_points="entered")
    assert ends(march(unit, (1, 0), 2, village, book=free)) == ((1, 0), 0, 1, Why.ARRIVED)


def test_hexsides_are_added_and_a_river_bars() -> None:
    """A9.1: a stream costs infantry 1 point more; nobody crosses a river but by a bridge."""
    stream = {((0, 0), d): "stream" for d in range(6)}
    assert ends(march([Man((0, 0))], (1, 0), 16, hexsides=stream)) == ((1, 0), 12, 1, Why.ARRIVED)
    river = {((0, 0), d): "river" for d in range(6)}
    assert ends(march([Man((0, 0))], (1, 0), 16, hexsides=river)) == ((0, 0), 16, 0, Why.BLOCKED)
    bridge = [((0, 0), 0)]
    found = march([Man((0, 0))], (1, 0), 16, hexsides=river, bridges=bridge)
    assert ends(found) == ((1, 0), 14, 1, Why.ARRIVED)


ROAD = [((q, 0), 0) for q in range(5)]


def test_road_march_costs_half_a_point_and_keeps_to_the_road() -> None:
    """M12, M13; a village of Prusse costs 3 points by road too, one of Bautzen 2."""
    head = Man((0, 0), formation=ROAD_MARCH, increments=3)
    assert ends(march([head], (3, 0), 4, roads=ROAD)) == ((3, 0), 1, 3, Why.ARRIVED)
    village = {(2, 0): "village"}
    assert ends(march([head], (3, 0), 16, village, roads=ROAD)) == ((3, 0), 8, 3, Why.ARRIVED)
    other = march([head], (3, 0), 16, village, roads=ROAD, book=book_of("bautzen-1813"))
    assert ends(other) == ((3, 0), 10, 3, Why.ARRIVED)
    assert ends(march([head], (0, 2), 16, roads=ROAD)) == ((0, 0), 16, 0, Why.BLOCKED)
    column = Man((0, 0), increments=3)
    assert ends(march([column], (3, 0), 16, roads=ROAD)) == ((3, 0), 10, 3, Why.ARRIVED)


def test_limbered_guns_take_the_road_as_they_are() -> None:
    """M14: a wood that guns may not enter but by road."""
    guns, woods = Man((0, 0), kind=GUNS, formation=LIMBERED, increments=3), {(1, 0): "woods"}
    assert ends(march([guns], (2, 0), 16, woods, roads=ROAD)) == ((2, 0), 14, 2, Why.ARRIVED)
    assert ends(march([guns], (2, 0), 16, woods)) == ((2, 0), 10, 3, Why.ARRIVED)


def test_unlimbered_guns_are_prolonged_by_one_hex_through_their_front() -> None:
    """M22: with the switch across slopes too, 1 + 4 points; never over a stream, into a village, sideways."""
    ready = Man((0, 0), kind=GUNS, formation=UNLIMBERED, increments=3)
    assert march([ready], (3, 0), 16) == ((1, 0), 0, UNLIMBERED, 14, 1, Why.PAUSED)
    slope = {((0, 0), d): "slope" for d in range(6)}
    assert ends(march([ready], (3, 0), 16, hexsides=slope)) == ((1, 0), 6, 1, Why.PAUSED)
    level = book_of("prusse-1806", prolong="clear")
    assert ends(march([ready], (3, 0), 16, hexsides=slope, book=level)) == ((0, 0), 16, 0, Why.BLOCKED)
    stream = {((0, 0), d): "stream" for d in range(6)}
    assert ends(march([ready], (3, 0), 16, hexsides=stream)) == ((0, 0), 16, 0, Why.BLOCKED)
    village = {(1, 0): "village", (1, -1): "village", (0, 1): "village"}
    assert ends(march([ready], (3, 0), 16, village)) == ((0, 0), 16, 0, Why.BLOCKED)
    back = Man((0, 0), kind=GUNS, formation=UNLIMBERED, increments=3, facing=6)
    assert ends(march([back], (3, 0), 16)) == ((0, 0), 16, 0, Why.BLOCKED)


def test_a_square_always_moves_one_hex() -> None:
    """M6: up a slope too, 1 + 2 points of which it has 1, but then no further."""
    slope = {((0, 0), d): "slope" for d in range(6)}
    square = Man((0, 0), formation=SQUARE)
    assert ends(march([square], (3, 0), 2, hexsides=slope)) == ((1, 0), 0, 1, Why.SPENT)
    assert ends(march([square], (3, 0), 2, hexsides=slope, spent=True)) == ((0, 0), 2, 0, Why.SPENT)


def test_a_force_march_keeps_away_from_enemies() -> None:
    """M28: an enemy's back has no zone; two hexes from him it stops."""
    foe = Man((3, 0), side=1, facing=0)
    assert ends(march([Man((0, 0)), foe], (2, 0), 32)) == ((2, 0), 28, 2, Why.ARRIVED)
    assert ends(march([Man((0, 0)), foe], (2, 0), 32, forced=True)) == ((1, 0), 30, 1, Why.BLOCKED)


def test_a_masse_enters_no_zone() -> None:
    """M30."""
    masse = Man((0, 0), formation=MASSE)
    assert ends(march([masse, FOE], (2, 0), 18)) == ((1, 0), 16, 1, Why.BLOCKED)


def test_the_bridges_of_bautzen_are_for_road_march() -> None:
    """A9.5: 2 points over a bridge and half a point of road."""
    ground = {"hexsides": {((0, 0), d): "stream" for d in range(6)}, "bridges": [((0, 0), 0)], "roads": ROAD}
    book, head = book_of("bautzen-1813"), Man((0, 0), formation=ROAD_MARCH, increments=3)
    assert ends(march([head], (1, 0), 16, book=book, **ground)) == ((1, 0), 11, 1, Why.ARRIVED)  # type: ignore[arg-type]
    # a column wades beside it, 3 + 1 points, and walks one hex
    found = march([Man((0, 0))], (1, 0), 16, book=book, **ground)  # type: ignore[arg-type]
    assert ends(found)[1:] == (6, 2, Why.ARRIVED)


FOE = Man((3, 0), side=1, facing=6)
"""Its zone: (2, 0), (2, 1), (3, -1)."""


def test_infantry_stops_in_a_zone_and_leaves_it_only_at_the_start() -> None:
    """Z3, Z4, Z6."""
    assert ends(march([Man((0, 0)), FOE], (3, -1), 16)) == ((2, 0), 12, 2, Why.ZONE)
    there = [Man((2, 0)), FOE]
    assert ends(march(there, (3, -1), 12, spent=True)) == ((2, 0), 12, 0, Why.ZONE)
    assert ends(march(there, (3, -1), 16)) == ((2, 0), 16, 0, Why.LEAVES)
    assert ends(march(there, (3, -1), 16, fired=True)) == ((3, -1), 14, 1, Why.ARRIVED)


@pytest.mark.parametrize("foe", [
    Man((3, 0), side=1, facing=6, state=ROUTED),
    Man((3, 0), side=1, facing=0),  # its rear
])  # fmt: skip
def test_who_has_no_zone_stops_nobody(foe: Man) -> None:
    """Z1, Z2."""
    assert ends(march([Man((0, 0)), foe], (3, -1), 16)) == ((3, -1), 10, 3, Why.ARRIVED)


def test_a_square_stops_nobody_but_fires_at_who_acts_beside_it() -> None:
    """Z2, Z9: (3, -1) is next to it too."""
    units = [Man((0, 0)), Man((3, 0), side=1, formation=SQUARE)]
    assert ends(march(units, (4, -1), 16)) == ((2, 0), 12, 2, Why.LEAVES)
    units[0] = Man((2, 0))
    assert ends(march(units, (4, -1), 12, spent=True, fired=True)) == ((3, -1), 10, 1, Why.LEAVES)


def test_cavalry_rides_on_through_zones_but_those_of_cavalry() -> None:
    """Z5, Z6: it draws fire where it leaves a zone."""
    rider = Man((0, 0), kind=LIGHT)
    assert ends(march([rider, FOE], (3, -1), 28)) == ((2, 0), 24, 2, Why.LEAVES)
    on = [Man((2, 0), kind=LIGHT), FOE]
    assert ends(march(on, (3, -1), 24, spent=True, fired=True)) == ((3, -1), 22, 1, Why.ARRIVED)
    horse = Man((3, 0), side=1, kind=LIGHT, facing=6)  # its zone has (3, 1), (4, -1) too
    assert ends(march([rider, horse], (3, -1), 28)) == ((2, 0), 24, 2, Why.ZONE)
    free = book_of("prusse-1806", cavalry_zone="free")
    assert ends(march([rider, horse], (3, -1), 28, book=free)) == ((2, 0), 24, 2, Why.LEAVES)
    guns = Man((0, 0), kind=GUNS, formation=LIMBERED, increments=3, horse=True)
    assert ends(march([guns, FOE], (3, -1), 24)) == ((2, 0), 20, 2, Why.LEAVES)
    foot_guns = Man((0, 0), kind=GUNS, formation=LIMBERED, increments=3)
    assert ends(march([foot_guns, FOE], (3, -1), 24)) == ((2, 0), 20, 2, Why.ZONE)


def test_nobody_enters_a_hex_with_an_enemy() -> None:
    """M29."""
    square = Man((1, 0), side=1, formation=SQUARE)
    assert ends(march([Man((0, 0)), square], (1, 0), 16)) == ((0, 0), 16, 0, Why.BLOCKED)


@pytest.mark.parametrize(("own", "friend", "end"), [
    (6, Man((2, 0), increments=12, size=REGIMENT), ((2, 0), 12, 2, Why.ARRIVED)),  # 18
    (7, Man((2, 0), increments=12, size=REGIMENT), ((1, 0), 14, 1, Why.STACK)),  # 19
    (6, Man((2, 0), increments=6, formation=LINE, facing=1), ((1, 0), 14, 1, Why.STACK)),  # S5
    (12, Man((2, 0), kind=GUNS, formation=UNLIMBERED, increments=3), ((2, 0), 12, 2, Why.ARRIVED)),
    (13, Man((2, 0), kind=GUNS, formation=UNLIMBERED, increments=3), ((1, 0), 14, 1, Why.STACK)),
    (6, Man((2, 0), kind=LIGHT), ((1, 0), 14, 1, Why.STACK)),  # S4
])  # fmt: skip
def test_a_unit_ends_only_where_there_is_room(
    own: int, friend: Man, end: tuple[Hex | None, int, int, Why]
) -> None:
    assert ends(march([Man((0, 0), increments=own), friend], (2, 0), 16)) == end


def test_a_regiment_finds_no_room_in_a_village() -> None:
    """S1: a battalion does."""
    for size, end in ((REGIMENT, ((0, 0), 16, 0, Why.STACK)), (BATTALION, ((1, 0), 10, 1, Why.ARRIVED))):
        assert ends(march([Man((0, 0), size=size)], (1, 0), 16, {(1, 0): "village"})) == end


def test_friends_are_passed_if_there_is_room_beyond() -> None:
    """S10, S12: a line on the way, 12 increments with 6 are within 18, 12 with 7 are not."""
    line = Man((1, 0), formation=LINE, facing=1, increments=12)
    assert ends(march([Man((0, 0)), line], (2, 0), 16)) == ((2, 0), 12, 2, Why.ARRIVED)
    assert ends(march([Man((0, 0)), line], (2, 0), 2)) == ((0, 0), 2, 0, Why.STACK)
    assert ends(march([Man((0, 0), increments=7), line], (2, 0), 16)) == ((0, 0), 16, 0, Why.STACK)
    beyond = Man((2, 0), increments=18)
    assert ends(march([Man((0, 0)), line, beyond], (2, 0), 16)) == ((0, 0), 16, 0, Why.STACK)


def test_whom_cavalry_passes() -> None:
    """S11."""
    rider = Man((0, 0), kind=LIGHT)
    closed = book_of("prusse-1806", passing="closed")
    passed, stopped = ((2, 0), 24, 2, Why.ARRIVED), ((0, 0), 28, 0, Why.STACK)
    for friend, end, end_if_closed in (
        (Man((1, 0)), stopped, stopped),
        (Man((1, 0), formation=SQUARE), passed, passed),
        (Man((1, 0), formation=SKIRMISH, facing=1), passed, passed),
        (Man((1, 0), kind=GUNS, formation=LIMBERED), passed, passed),
        (Man((1, 0), kind=GUNS, formation=UNLIMBERED), stopped, stopped),
        (Man((1, 0), kind=LIGHT, formation=LINE, facing=1), passed, stopped),
    ):
        assert ends(march([rider, friend], (2, 0), 28)) == end
        assert ends(march([rider, friend], (2, 0), 28, book=closed)) == end_if_closed


def test_infantry_pays_for_mounted_skirmishers_near_it() -> None:
    """M24, M25: to a hex two off 2 points more, away from beside them 3."""
    scouts = Man((3, 0), side=1, kind=LIGHT, formation=SKIRMISH, facing=1)  # its back is turned
    assert ends(march([Man((0, 0)), scouts], (1, 0), 16)) == ((1, 0), 10, 1, Why.ARRIVED)
    assert ends(march([Man((2, -1), facing=6), scouts], (1, -1), 16))[1] == 10
    assert ends(march([Man((0, 0)), scouts, Man((4, 0), kind=LIGHT)], (1, 0), 16))[1] == 14
    assert ends(march([Man((0, 0), kind=LIGHT), scouts], (1, 0), 16))[1] == 14


def test_in_road_march_four_increments_share_a_hex() -> None:
    """S3."""
    head, first = Man((0, 0), formation=ROAD_MARCH, increments=2), Man((2, 0), formation=ROAD_MARCH)
    for ahead, end in ((2, ((2, 0), 14, 2, Why.ARRIVED)), (3, ((1, 0), 15, 1, Why.STACK))):
        friend = Man(first.at, formation=ROAD_MARCH, increments=ahead)
        assert ends(march([head, friend], (2, 0), 16, roads=ROAD)) == end


def test_a_way_counts_half_points_and_knows_what_cannot_be_reached() -> None:
    """3 hexes of which one is a village: 1 + 3 + 1 points; guns have no way into a garden of Prusse."""
    map_ = HexMap(Rhombus(4), {(q, r): "village" for q in (1,) for r in range(-4, 5)} | {(3, 0): "garden"})
    board = board_of(map_, PRUSSE, (0,), (INFANTRY,), (0,), (3,))
    going = going_of(map_, board, PRUSSE, [BATTALION], [False])
    way = way_to(board, going, INFANTRY, COLUMN, [map_.number((2, 0))])
    assert way[map_.number((-1, 0))] == 2 * (1 + 3 + 1)
    assert way[map_.number((2, 0))] == 0
    guns = way_to(board, going, ARTILLERY, LIMBERED, [map_.number((3, 0))])
    assert (np.delete(guns, map_.number((3, 0))) == FAR).all()
