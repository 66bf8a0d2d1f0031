"""Maps: numbers, files that say what is wrong and where, what is written is read again; sight over levels."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim.board import mapfile, maps, sight
from sim.board.fields import cost_to_go, distance_to
from sim.board.hexmap import COMPASS, Hex, HexMap, Rectangle, direction_to, distance, neighbour, other_side
from sim.board.kernel import Mode, fast_mode
from sim.board.mapfile import Key, Sheet
from sim.board.tables import Board, Position, board_of
from sim.cli import lint, main, templates
from sim.errors import InputError, UnknownNameError
from sim.report import mapplot
from sim.rulesets.rulebook import PROHIBITED
from sim.vocabulary import ARTILLERY, CAVALRY, GONE, INFANTRY, SKIRMISH
from tests.agreement.positions import book_of

SMALL = """title: The ford
ruleset: halle-1806
size: 4 x 3
hexes: flat, second column low

legend:
  . clear
  + clear 1
  w woods

grid:
# 01  03
#   02  04
  .   .      # 01
    .   .
  .   +      # 02
    w   .
  .   .      # 03
    .   .

hexsides:
  stream 0201 SE

roads:
  0101 0201 0302 0401

bridges:
  0201 SE

places:
  Wood: 0202

edges:
  west: 0101-0103
"""


def small(*changes: tuple[str, str]) -> Sheet:
    text = SMALL
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return mapfile.parse(text, "small.map")


# -- grids --------------------------------------------------------------------------------------------

GRIDS = [Rectangle(7, 6, *how) for how in product((True, False), (0, 1), ("0101", "1090", "000000"))]


@pytest.mark.parametrize("grid", GRIDS, ids=repr)
def test_numbers_columns_and_hexes_name_each_other(grid: Rectangle) -> None:
    map_ = HexMap(grid)
    for number, (row, column) in enumerate(product(range(6), range(7))):
        hex_ = grid.hex_in(column, row)
        assert map_.number(hex_) == number
        assert map_.hex(number) == hex_
        assert grid.column_row(hex_) == (column, row)
        assert grid.hex_of(grid.label(hex_)) == hex_
        assert map_.label(number) == grid.label(hex_)
    assert map_.off == 42
    assert map_.label(42) == "off the map"


@pytest.mark.parametrize("grid", GRIDS, ids=repr)
def test_sides_lead_where_the_compass_says(grid: Rectangle) -> None:
    """North is up: a step changes the place of the middle of a hex by one, toward its name."""
    for d, name in enumerate(grid.compass):
        x, y = grid.centre(neighbour((0, 0), d))
        assert x * x + y * y == pytest.approx(1)
        assert {"N": -1, "S": 1}.get(name[0], 0) == np.sign(round(y, 6))
        assert {"W": -1, "E": 1}.get(name[-1], 0) == np.sign(round(x, 6))


def test_shifted_columns_lie_lower_and_shifted_rows_to_the_right() -> None:
    for shifted in (0, 1):
        flat, pointed = Rectangle(4, 4, True, shifted), Rectangle(4, 4, False, shifted)
        first, second = (flat.centre(flat.hex_in(column, 0))[1] for column in (0, 1))
        assert (first < second) == (shifted == 1)
        first, second = (pointed.centre(pointed.hex_in(0, row))[0] for row in (0, 1))
        assert (first < second) == (shifted == 1)


@pytest.mark.parametrize("label", ["0001", "0801", "0107", "101", "01 1", "", "0101 ", "٠١٠١"])
def test_a_number_that_no_hex_has_is_refused(label: str) -> None:
    with pytest.raises(InputError, match="from 0101 to 0706"):
        Rectangle(7, 6).hex_of(label)


def test_neighbours_of_a_board_are_those_of_the_hexes() -> None:
    map_ = HexMap(Rectangle(5, 4))
    board = board_of(map_, book_of("halle-1806"), (0,), (0,), (0,), (0,))
    for number in range(map_.off):
        hex_ = map_.hex(number)
        assert hex_ is not None
        for d in range(6):
            to = neighbour(hex_, d)
            assert board.neighbour[number, d] == (map_.number(to) if map_.holds(to) else map_.off)


# -- files --------------------------------------------------------------------------------------------


def test_a_file_is_the_map_that_it_draws() -> None:
    sheet = small()
    at, map_ = sheet.grid.hex_of, sheet.map
    assert map_.terrain == {at("0202"): "woods"}
    assert map_.elevation == {at("0302"): 1}
    assert map_.hexsides == {(at("0201"), 0): "stream", (at("0302"), 3): "stream"}
    assert (at("0101"), direction_to(at("0101"), at("0201"))) in map_.roads
    assert len(map_.roads) == 6
    assert map_.bridges == {(at("0201"), 0), (at("0302"), 3)}
    assert map_.places == {"Wood": (at("0202"),)}
    assert map_.edges == {"west": (at("0101"), at("0102"), at("0103"))}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("size: 4 x 3", "size: 4 by 3", "small.map:3:7: must be columns x rows"),
        ("size: 4 x 3", "size: 1 x 3", "small.map:3:7: must be columns x rows"),
        ("size: 4 x 3\n", "", "small.map: must have the line 'size: ...', but it is missing"),
        ("hexes: flat,", "hexes: round,", "small.map:4:8: must be one of: flat, second column low"),
        ("title:", "titel:", "small.map:1:1: must be title"),
        ("size: 4 x 3", "size: 4 x 3\nsize: 4 x 3", "small.map:4:1: must be given once, got 'size'"),
        ("size: 4 x 3", "size: 4 x 3\nnumbers: 1", "small.map:4:10: must be the number of the top left hex"),
        ("size: 4 x 3", "size: 4 x 3\nnumbers: 9801", "small.map:4:10: must leave room for 4 columns"),
        ("  w woods", "  ww woods", "small.map:9:3: must be one letter or sign for a hex, got 'ww'"),
        ("  w woods", "  w", "small.map:9:3: must have a terrain behind the letter"),
        ("  w woods", "  . woods", "small.map:9:3: must be given once, got '.'"),
        ("  + clear 1", "  + clear 99", "small.map:8:11: must be a level from -20 to 20, got '99'"),
        ("    w   .", "    x   .", "small.map:17:5: must be a letter of the legend (hex 0202), got 'x'"),
        ("    w   .", "    w", "small.map:17: must have 2 letters, for hexes 0202 to 0402, found 1"),
        ("    w   .\n", "", "small.map:18: the grid must have 6 lines for 3 rows, two a row, found 5"),
        ("stream 0201 SE", "stream 0501 SE", "small.map:22:10: must be the number of a hex"),
        (
            "stream 0201 SE",
            "stream 0201 E",
            "small.map:22:15: must be a side of a hex: SE, S, SW, NW, N",
        ),
        ("stream 0201 SE", "stream 0201", "small.map:22:3: must have the number of a hex, then sides of it"),
        ("stream 0201 SE", "0201 SE", "small.map:22:3: must begin with what the hexsides are"),
        (
            "stream 0201 SE",
            "stream 0201 SE\n  slope 0302 NW",
            "small.map:23:9: must be the hex of a hexside",
        ),
        (
            "0101 0201 0302",
            "0101 0302",
            "small.map:25:8: must be the number of a hex next to 0101",
        ),
        ("  0101 0201 0302 0401", "  0101", "small.map:25:3: must be the numbers of at least two hexes"),
        ("Wood: 0202", "Wood 0202", "small.map:31:3: must be a name with a colon"),
        ("Wood: 0202", "Wood:", "small.map:31:3: must have the number of a hex behind it"),
        ("Wood: 0202", "Wood: 0202 0202", "small.map:31:3: must have each hex once (0202)"),
        ("0101-0103", "0103-0101", "small.map:34:9: must be two numbers of a column or row"),
        ("legend:", "\tlegend:", "small.map:6:1: must have blanks, got a tab"),
        ("title: The ford", "title:", "small.map:1:7: 'title' must have a text"),
        ("grid:", "grid: here", "small.map:11:7: must have its lines below it"),
    ],
)
def test_a_fault_is_told_with_its_place(old: str, new: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        small((old, new))
    assert any(line.startswith(told) for line in str(caught.value).split("\n")), str(caught.value)


def test_all_faults_of_the_lists_are_told_at_once() -> None:
    with pytest.raises(InputError) as caught:
        small(("stream 0201 SE", "stream 0501 SE"), ("Wood: 0202", "Wood: 9999"))
    assert len(caught.value.args) == 2


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "  w woods",
            "  w wodos",
            "small.map:9:3: must be a terrain of the rule set 'halle-1806', got 'wodos'.",
        ),
        (
            "stream 0201",
            "brook 0201",
            "small.map:22:3: must be a hexside of the rule set 'halle-1806'",
        ),
        ("halle-1806", "nowhere", "small.map:2:10: there is no rule set 'nowhere'"),
    ],
)
def test_what_the_rule_set_does_not_have_is_an_error(old: str, new: str, told: str) -> None:
    errors, _ = maps.check(small((old, new)))
    assert len(errors) == 1
    assert errors[0].startswith(told)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("  w woods", "  w woods\n  v village", "small.map:10:3: no hex of the map is 'v', village"),
        ("stream 0201 SE", "stream 0201 SE N", "small.map:22:10: the stream 0201 N lies at the map's border"),
        ("0302 0401", "0302", "small.map:25:3: the road ends in hex 0302"),
        ("bridges:\n  0201 SE", "bridges:\n  0201 S", "small.map:28:3: the bridge 0201 S leads over nothing"),
        ("bridges:\n  0201 SE", "bridges:\n  0201 S", "small.map:28:3: the bridge 0201 S lies on no road"),
        ("0101-0103", "0101-0103 0202", "small.map:34:3: hex 0202 of the edge 'west' does not lie at"),
    ],
)
def test_what_looks_like_a_slip_is_a_warning(old: str, new: str, told: str) -> None:
    errors, warnings = maps.check(small((old, new)))
    assert errors == []
    assert any(line.startswith(told) for line in warnings), warnings


def test_a_road_over_a_river_needs_a_bridge() -> None:
    sheet = small(("stream 0201 SE", "river 0201 SE"), ("bridges:\n  0201 SE\n\n", ""))
    assert maps.check(sheet)[1] == ["small.map:22:9: a road crosses the river without a bridge at 0201 SE"]


def test_the_small_map_has_neither() -> None:
    assert maps.check(small()) == ([], [])


# -- what is written is read again --------------------------------------------------------------------


@st.composite
def sheets(draw: st.DrawFn) -> Sheet:
    """Any map that can be written."""
    first = draw(st.sampled_from(["0101", "0000", "3040", "001001"]))
    columns, rows, shifted = draw(st.tuples(st.integers(2, 8), st.integers(2, 7), st.integers(0, 1)))
    grid = Rectangle(columns, rows, draw(st.booleans()), shifted, first)
    hexes = [grid.hex_in(column, row) for row in range(grid.rows) for column in range(grid.columns)]
    kinds = [("clear", 0), ("clear", 1), ("woods", 0), ("raised road", -2)]
    ground = {hex_: draw(st.sampled_from(kinds)) for hex_ in hexes}
    some = st.lists(st.tuples(st.sampled_from(hexes), st.integers(0, 5)), max_size=8)
    map_ = HexMap(grid)
    sides: dict[tuple[Hex, int], str] = {}
    for side in draw(some):
        if other_side(side) not in sides:
            sides[side] = draw(st.sampled_from(["stream", "garden wall"]))
    chains = []
    for hex_, d in draw(some):
        if map_.inside(hex_, d):
            chains.append((hex_, neighbour(hex_, d)))
    name = st.text("abcÄß' 0", min_size=1, max_size=8).map(lambda one: " ".join(one.split())).filter(bool)
    lists = st.lists(st.sampled_from(hexes), min_size=1, unique=True).map(tuple)
    named = st.dictionaries(name, lists, max_size=3)
    return Sheet(
        HexMap(
            grid,
            {hex_: one for hex_, (one, _) in ground.items() if one != "clear"},
            sides,
            frozenset((a, direction_to(a, b)) for a, b in chains),
            frozenset(draw(some)),
            {hex_: level for hex_, (_, level) in ground.items() if level},
            draw(named),
            draw(named),
        ),
        grid,
        draw(name),
        "halle-1806",
        draw(st.sampled_from(["", "our own"])),
        tuple(Key(letter, *kind) for letter, kind in zip(".+wß", kinds, strict=True)),
        tuple(chains),
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sheets())
def test_a_map_that_is_written_is_read_as_it_was_and_written_again_as_it_was(sheet: Sheet) -> None:
    text = mapfile.written(sheet)
    again = mapfile.parse(text, "again.map")
    assert again == sheet
    assert mapfile.written(again) == text


@pytest.mark.parametrize("name", maps.names())
def test_maps_that_come_with_carre_are_in_order(name: str) -> None:
    sheet = maps.read(name)
    assert maps.check(sheet) == ([], [])
    assert sheet.synthetic.startswith("our own map")
    assert mapfile.written(sheet) == maps.locate(name).read_text(encoding="utf-8")
    board_of(sheet.map, book_of(sheet.ruleset), (0,), (0,), (0,), (0,))


def test_the_mirror_is_its_own_image_by_half_a_turn() -> None:
    sheet = maps.read("mirror")
    grid, map_ = sheet.grid, sheet.map

    def turned(hex_: Hex) -> Hex:
        column, row = grid.column_row(hex_)
        return grid.hex_in(grid.columns - 1 - column, grid.rows - 1 - row)

    assert {turned(hex_): one for hex_, one in map_.terrain.items()} == map_.terrain
    assert {turned(hex_): one for hex_, one in map_.elevation.items()} == map_.elevation
    held = {side: one for side, one in map_.hexsides.items() if map_.inside(*side)}
    assert {(turned(hex_), (d + 3) % 6): one for (hex_, d), one in held.items()} == held
    for sides in (map_.roads, map_.bridges):
        assert {(turned(hex_), (d + 3) % 6) for hex_, d in sides} == sides
    for one, other in (("West village", "East village"), ("Centre", "Centre")):
        assert {turned(hex_) for hex_ in map_.places[one]} == set(map_.places[other])
    assert {turned(hex_) for hex_ in map_.edges["west"]} == set(map_.edges["east"])


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_spoilt_file_is_a_map_or_is_told_to_be_none(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(SMALL)))
    gone = data.draw(st.integers(0, 30))
    text = SMALL[:at] + data.draw(st.text(" \n:#.0193-wé²\t", max_size=6)) + SMALL[at + gone :]
    told, sheet = "", None
    try:
        sheet = mapfile.parse(text, "spoilt.map")
    except InputError as error:
        told = str(error)
    assert (sheet is None) == told.startswith("spoilt.map:")
    if sheet is not None:
        maps.check(sheet)
        assert mapfile.parse(mapfile.written(sheet), "again.map").map == sheet.map


# -- what a board makes of it -------------------------------------------------------------------------


def board(sheet: Sheet, units: int = 1) -> Board:
    roster = (0,) * units
    return board_of(sheet.map, book_of(sheet.ruleset), roster, roster, roster, roster)


def test_a_bridge_costs_nothing_and_is_closed_to_charges_and_a_river_is_closed_to_all() -> None:
    sheet = small(("stream 0201 SE", "river 0201 SE S"))
    table, map_ = board(sheet), sheet.map
    here = map_.number(sheet.grid.hex_of("0201"))
    assert table.bridge[here, 0]
    assert table.entry[:, here, 0].tolist() == [1, 1, 1]
    assert table.closed[here, 0]
    assert table.entry[:, here, 1].tolist() == [PROHIBITED] * 3
    assert table.road[here, 0]
    assert not table.road[here, 1]


def test_a_stream_costs_what_the_rule_set_says() -> None:
    table = board(small(("bridges:\n  0201 SE\n\n", "")))
    assert table.entry[:, 1, 0].tolist() == [2, 3, 4]
    assert not table.closed[1, 0]


HILLS = """title: Levels
ruleset: halle-1806
size: {size} x 2
legend:
  . clear
  1 clear 1
  2 clear 2
  w woods
  W woods 1
hexes: pointed, second row right
grid:
  {row}
  {clear}
"""


def seen(row: str, units: tuple[int, ...] = (), skirmish: bool = False) -> bool:
    """Whether both ends of a row of hexes see each other, the same from either."""
    text = HILLS.format(size=len(row), row=" ".join(row), clear=" ".join("." * len(row)))
    map_ = mapfile.parse(text, "hills.map").map
    n = max(len(units), 1)
    roster = (0,) * n
    table = board_of(map_, book_of("halle-1806"), roster, roster, roster, roster)
    rows = [np.zeros((n, 2), np.int16) for _ in Position._fields]
    position = Position(*rows)
    position.hex[:] = position.second[:] = map_.off
    position.state[:] = GONE
    for unit, at in enumerate(units):
        position.hex[unit], position.state[unit] = at, 0
        position.formation[unit] = SKIRMISH if skirmish else 0
    there, back = np.zeros(1, np.bool_), np.zeros(1, np.bool_)
    a, b, lane = np.array([0], np.int16), np.array([len(row) - 1], np.int16), np.array([0])
    sight.sees(Mode.INTERPRETED, table, position, lane, a, b, there)
    sight.sees(Mode.INTERPRETED, table, position, lane, b, a, back)
    assert there[0] == back[0]
    return bool(there[0])


@pytest.mark.parametrize(
    ("row", "sees"),
    [
        ("....", True),
        (".w..", False),
        ("..1..", False),  # ground between that is higher than both
        ("11111", True),
        ("1...1", True),
        ("1.w.1", False),  # woods at level 0 reach level 1
        ("2.w.2", True),  # they do not reach level 2
        ("2.W.2", False),
        ("1...", True),
        ("11...", False),  # the brow hides what lies below, and is no lower than the higher end
        ("2w...", True),  # near the higher end, who looks over the top
        ("2...w.", False),  # near the lower end
        ("2.w..", False),  # half way is not nearer
        ("21...", True),
        ("2..1.", False),
    ],
)
def test_sight_over_levels(row: str, sees: bool) -> None:
    """A8, worked out by hand for each row; the ends are its first and last hex."""
    assert seen(row) is sees


@pytest.mark.parametrize(
    ("row", "unit", "sees"),
    [("...", 1, False), ("1.1", 1, True), ("111", 1, False), ("2...", 1, True), ("2...", 2, False)],
)
def test_units_hide_at_their_own_level(row: str, unit: int, sees: bool) -> None:
    assert seen(row, (unit,)) is sees
    assert seen(row, (unit,), skirmish=True)


def test_sight_over_a_whole_map_is_the_same_both_ways_and_in_machine_code() -> None:
    sheet = maps.read("halle")
    table = board(sheet, 3)
    rng = np.random.default_rng(7)
    position = Position(*(np.zeros((3, 6), np.int16)[:, :5] for _ in Position._fields))
    position.second[:] = sheet.map.off
    position.hex[:] = rng.integers(0, sheet.map.off, (3, 5))
    a, b = rng.integers(0, sheet.map.off, (2, 4000)).astype(np.int16)
    lane = rng.integers(0, 5, 4000)
    found = []
    for mode, first, second in ((Mode.INTERPRETED, a, b), (Mode.INTERPRETED, b, a), (fast_mode(), a, b)):
        sees = np.zeros(4000, np.bool_)
        sight.sees(mode, table, position, lane, first, second, sees)
        found.append(sees.tolist())
    assert found[0] == found[1] == found[2]
    assert 100 < sum(found[0]) < 3900


# -- fields -------------------------------------------------------------------------------------------


def slow_costs(table: Board, arm: int, goals: list[int], halves: int | None) -> list[int]:
    """Bellman and Ford: relax every step as often as there are hexes."""
    far = np.iinfo(np.int16).max
    cost = [0 if hex_ in goals else int(far) for hex_ in range(table.off)]
    for _ in range(table.off):
        for here, d in product(range(table.off), range(6)):
            to = int(table.neighbour[here, d])
            points = int(table.entry[arm, here, d])
            step = halves if halves is not None and table.road[here, d] else 2 * points
            usable = to != table.off and (points < PROHIBITED or step == halves)
            if usable and cost[to] + step < cost[here]:
                cost[here] = cost[to] + step
    return cost


@pytest.mark.parametrize("arm", [INFANTRY, CAVALRY, ARTILLERY])
@pytest.mark.parametrize("halves", [None, 1])
def test_costs_to_go_are_those_of_the_cheapest_ways(arm: int, halves: int | None) -> None:
    sheet = small(("stream 0201 SE", "stream 0201 SE\n  river 0302 SE S"))
    table = board(sheet)
    goals = sheet.map.numbers([sheet.grid.hex_of("0403"), sheet.grid.hex_of("0101")])
    steps = 2 * table.entry[arm]
    if halves is not None:
        steps = np.where(table.road, halves, steps)
    found = cost_to_go(table, steps, goals)
    assert found[:-1].tolist() == slow_costs(table, arm, goals.tolist(), halves)
    assert found[-1] == np.iinfo(np.int16).max


def test_distances_to_places_are_the_least_to_any_of_their_hexes() -> None:
    sheet = maps.read("raszyn-pontoon")
    hexes = sheet.map.places["Raszyn"]
    found = distance_to(sheet.map, sheet.map.numbers(hexes))
    for number in range(sheet.map.off):
        here = sheet.map.hex(number)
        assert here is not None
        assert found[number] == min(distance(here, hex_) for hex_ in hexes)
    assert found[sheet.map.off] == 999


# -- Tiled --------------------------------------------------------------------------------------------

TILED: dict[str, Any] = {
    "type": "map",
    "version": "1.10",
    "tiledversion": "1.10.2",
    "orientation": "hexagonal",
    "renderorder": "right-down",
    "staggeraxis": "x",
    "staggerindex": "odd",
    "hexsidelength": 16,
    "width": 4,
    "height": 3,
    "tilewidth": 32,
    "tileheight": 28,
    "infinite": False,
    "nextlayerid": 2,
    "nextobjectid": 1,
    "layers": [
        {
            "type": "tilelayer",
            "id": 1,
            "name": "ground",
            "width": 4,
            "height": 3,
            "x": 0,
            "y": 0,
            "opacity": 1,
            "visible": True,
            "data": [1, 1, 1, 1, 1, 2, 3, 1, 1, 1, 1, 1],
        }
    ],
    "tilesets": [
        {
            "firstgid": 1,
            "name": "ground",
            "tilewidth": 32,
            "tileheight": 28,
            "tilecount": 3,
            "columns": 3,
            "margin": 0,
            "spacing": 0,
            "tiles": [
                {"id": 0, "type": "clear"},
                {"id": 1, "properties": [{"name": "terrain", "type": "string", "value": "woods"}]},
                {"id": 2, "type": "clear", "properties": [{"name": "elevation", "type": "int", "value": 1}]},
            ],
        }
    ],
    "properties": [
        {"name": "title", "type": "string", "value": "The ford"},
        {"name": "ruleset", "type": "string", "value": "halle-1806"},
        {"name": "hexsides", "type": "string", "value": "stream 0201 SE"},
        {"name": "roads", "type": "string", "value": "0101 0201 0302 0401"},
        {"name": "bridges", "type": "string", "value": "0201 SE"},
        {"name": "places", "type": "string", "value": "Wood: 0202"},
        {"name": "edges", "type": "string", "value": "west: 0101-0103"},
    ],
}


def tiled(folder: Path, **changes: object) -> Sheet:
    path = folder / "ford.tmj"
    path.write_text(json.dumps(TILED | changes))
    return maps.read(path)


def test_a_map_of_tiled_is_the_same_as_its_text(tmp_path: Path) -> None:
    sheet = tiled(tmp_path)
    assert sheet.map == small().map
    assert sheet.title == "The ford"
    assert maps.check(sheet) == ([], [])


def test_packed_and_flipped_tiles_are_read(tmp_path: Path) -> None:
    numbers = [1, 1 | 0x80000000, 1, 1, 1, 2 | 0x40000000, 3 | 0x20000000, 1, 1, 1, 1, 1]
    packed = base64.b64encode(zlib.compress(struct.pack("<12I", *numbers))).decode()
    layer = TILED["layers"][0] | {"data": packed, "encoding": "base64", "compression": "zlib"}
    assert tiled(tmp_path, layers=[layer]).map == small().map


def test_layers_in_groups_are_read_and_the_topmost_tile_counts(tmp_path: Path) -> None:
    under = TILED["layers"][0] | {"data": [1] * 12}
    over = TILED["layers"][0] | {"data": [0] * 5 + [2, 3] + [0] * 5}
    group = {"type": "group", "id": 5, "name": "both", "x": 0, "y": 0, "opacity": 1, "visible": True}
    assert tiled(tmp_path, layers=[group | {"layers": [under, over]}]).map == small().map


def test_pointed_maps_of_tiled_are_pointed(tmp_path: Path) -> None:
    sheet = tiled(tmp_path, staggeraxis="y", staggerindex="even", properties=TILED["properties"][:2])
    assert (sheet.grid.flat, sheet.grid.shifted) == (False, 0)
    assert sheet.grid.compass == COMPASS[False]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"orientation": "orthogonal"}, "ford.tmj: must be a hexagonal map, got orientation 'orthogonal'"),
        ({"properties": TILED["properties"][:1]}, "ford.tmj: must have the map property 'ruleset'"),
        ({"layers": []}, "ford.tmj: must have a layer of tiles"),
        ({"layers": 3}, "ford.tmj: must be a map of Tiled in JSON"),
        ({"layers": [TILED["layers"][0] | {"data": [1] * 11 + [9]}]}, "hex 0403 has none"),
        ({"layers": [TILED["layers"][0] | {"data": [1] * 4}]}, "every layer must have the number of a tile"),
        ({"width": 1}, "ford.tmj: must be columns x rows"),
        (
            {
                "properties": [
                    *TILED["properties"][:2],
                    {"name": "roads", "type": "string", "value": "\n0101 0403"},
                ]
            },
            "ford.tmj: property 'roads':2:6: must be the number of a hex next to 0101",
        ),
    ],
)
def test_a_fault_of_a_map_of_tiled_is_told(tmp_path: Path, changes: dict[str, object], told: str) -> None:
    with pytest.raises(InputError) as caught:
        tiled(tmp_path, **changes)
    assert told in str(caught.value)


def test_what_is_no_json_is_told(tmp_path: Path) -> None:
    path = tmp_path / "no.tmj"
    path.write_text("{")
    with pytest.raises(InputError, match=r"no\.tmj: must be a map of Tiled in JSON"):
        maps.read(path)


# -- the command line ---------------------------------------------------------------------------------


def test_lint_knows_a_map_by_its_suffix_its_name_or_its_grid(tmp_path: Path) -> None:
    bare = tmp_path / "ford"
    bare.write_text(SMALL)
    for path in (str(bare), "halle"):
        (report,) = lint.reports_on(path)
        assert (report.kind, report.errors, report.warnings) == ("map", (), ())
    assert [one.kind for one in lint.reports_on(str(tmp_path / "none.map"))] == ["map"]
    assert [one.kind for one in lint.reports_on("base")] == ["rule set"]
    assert [one.kind for one in lint.reports_on("mirror")] == ["scenario", "map"]


def test_lint_tells_each_fault_on_a_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.map"
    path.write_text(SMALL.replace("stream 0201", "stream 0501").replace("Wood: 0202", "Wood: 9999"))
    assert len(lint.reports_on(str(path))[0].errors) == 2
    assert main(["lint", str(path)]) == 2


def test_a_new_map_is_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (path,) = templates.create("map", "mine")
    assert path == Path("mine.map")
    sheet = maps.read(path)
    assert maps.check(sheet) == ([], [])
    assert sheet.title == "mine"
    with pytest.raises(InputError, match="NAME must not be that of a map"):
        templates.create("map", "halle")


def test_map_tells_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "halle.png"
    assert main(["map", "raszyn-pontoon", "--plot", str(path)]) == 0
    assert path.read_bytes()[:4] == b"\x89PNG"
    told = capsys.readouterr().out
    assert "Synthetic: our own map" in told
    assert "Raszyn: 0903 1003 0904 1004" in told
    assert max(map(len, told.splitlines())) <= 100


def test_map_answers_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["map", "raszyn-pontoon", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["places"]["Raszyn"] == ["0903", "1003", "0904", "1004"]
    assert sum(answer["terrain"].values()) == 18 * 14


def test_a_map_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["map", "hale"]) == 2
    assert "Did you mean 'halle'?" in capsys.readouterr().err
    path = tmp_path / "my.map"
    path.write_text(SMALL.replace("w woods", "w wood"))
    assert main(["map", str(path)]) == 2
    with pytest.raises(UnknownNameError):
        maps.read("hale")


# -- pictures -----------------------------------------------------------------------------------------


def texts(figure: Any) -> list[str]:
    return [one.get_text() for axis in figure.axes for one in axis.texts]


def test_a_picture_says_what_is_where() -> None:
    found = texts(mapplot.draw(small()))
    assert {
        "0101",
        "0403",
        "Wood",
        "west",
        "woods",
        "clear, level 1",
        "stream",
        "bridge over a hexside",
    } <= set(found)
    assert "disordered" not in found


def test_counters_say_formation_state_and_losses() -> None:
    sheet = small()
    at = sheet.grid.hex_of
    counters = [
        mapplot.Counter(at("0101"), 0, INFANTRY, 1, 0, 1, 7, 9, "1/32e", at("0102")),
        mapplot.Counter(at("0302"), 1, CAVALRY, 0, 1, 0, 5, 5),
        mapplot.Counter(at("0302"), 1, ARTILLERY, 8, 2, 0, 3, 3),
        mapplot.Counter(at("0303"), 1, INFANTRY, -1, 0),
    ]
    found = texts(mapplot.draw(sheet, counters, ("French", "Prussians")))
    assert {"line", "7 (−2)", "DD", "2×", "1/32e", "French; infantry", "Prussians; infantry"} <= set(found)


def test_large_maps_number_every_fifth_column_and_row() -> None:
    grid = Rectangle(90, 20)
    sheet = Sheet(HexMap(grid), grid, "Large", "halle-1806", "", (Key(".", "clear"),), ())
    figure = mapplot.draw(sheet, heat={(0, 0): 1.0, (1, 0): 0.5}, heat_label="routs")
    found = texts(figure)
    assert "0505" in found
    assert "0506" not in found
    assert figure.get_size_inches()[0] < 35
