"""Scenario files: read whole with rosters and map, every fault told with its place; those that ship."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from sim.errors import InputError
from sim.inputs import documents
from sim.inputs.documents import Key
from sim.units import battlefiles, scenarios
from sim.units.battles import AGAIN, DelayRoll, Scenario
from sim.units.victory import AllOf, AnyOf, Least, Measure, Not
from tests.unit.conftest import Result

ROSTER = """\
# ruleset: halle-1806
side,organisation,unit,arm,nation,type,count,inc,fire,melee,morale,mp
French,Corps,Marshal,leader,,,,,,,,
French,Left,L#,inf,French,Ligne,2,9,6,22,25,8
French,Left,Guns,art,French,,,3,18,,,
French,Right,R,inf,French,Légère,,9,8,22,24,8
French,Right,Horse,cav,French,,,9,,32,22,14
Prussian,Brigade,P#,inf,Prussian,Musketeer,2,8,5,18,31,7
"""
MAP = """\
title: small
ruleset: halle-1806
size: 6 x 4
hexes: flat, second column low
numbers: 0101
synthetic: ours

legend:
  . clear
  V village
  w woods

grid:
  . V .
   . . .
  . . .
   . w .
  . . .
   . . .
  . . .
   . . .

places:
  Village: 0301
  Field: 0302 0303

edges:
  west: 0101-0104
  east: 0601-0604
"""
FILE = """\
title: small
ruleset: halle-1806
map: small.map
rosters: small.csv
turns: {from: 9:00, to: 10:40}
sides:
  - {name: French, home: NW, exits: east}
  - {name: Prussian, home: SE}
held: {Village: Prussian}
organisations:
  Corps: {of: [Left, Right], thresholds: [1, 2, 3]}
  Brigade: {penalties: [-2, -4, -8]}
placement:
  - {who: [Marshal, Left], at: ["0102", "0103"]}
  - {who: R, at: "0203+0204", formation: line, facing: [N, E]}
  - {who: Brigade, at: ["0501", "0602"], facing: NW}
reinforcements:
  - {who: Horse, at: west, turn: 9:40, delay: {1-4: 0, 5: 1, 6: again}}
orders:
  - {who: Corps, order: take, goal: Village, until: 9:40}
  - {who: Corps, order: exit, from: 10:00}
  - {who: Brigade, order: hold, goal: ["0301", "0302"]}
victory:
  - result: decisive
    winner: French
    when: {all: [{held: [Village, Field], by: French, at_least: 2}, {not: {lost: [Left, R], at_least: 9}}]}
  - result: marginal
    winner: French
    when: {any: [{exited: French, through: east, at_least: 9, before: 10:20}, {level: Brigade, at_least: 2}]}
  - {result: defence, winner: Prussian, when: {balance: Prussian, at_least: 3}}
  - {result: draw}
"""


@pytest.fixture
def small(tmp_path: Path) -> Callable[[str], tuple[Scenario | None, list[str]]]:
    """Checks the text of a scenario beside the small roster and map."""
    (tmp_path / "small.csv").write_text(ROSTER, encoding="utf-8")
    (tmp_path / "small.map").write_text(MAP, encoding="utf-8")

    def check(text: str) -> tuple[Scenario | None, list[str]]:
        document = documents.parse(text, "s.yaml")
        document.path = tmp_path / "s.yaml"
        scenario, problems = battlefiles.check(document)
        assert not problems.warnings or problems.errors
        return scenario, problems.errors

    return check


Check = Callable[[str], tuple[Scenario | None, list[str]]]


def whole(small: Check, text: str = FILE) -> Scenario:
    scenario, errors = small(text)
    assert scenario is not None, errors
    return scenario


def test_everything_is_found(small: Check) -> None:
    scenario = whole(small)
    hex_of = scenario.sheet.grid.hex_of
    assert [unit.name for unit in scenario.units] == ["L1", "L2", "Guns", "R", "Horse", "P1", "P2"]
    assert scenario.side_of == (0, 0, 0, 0, 0, 1, 1)
    assert scenario.calendar.turns == 6
    assert [(side.name, side.home) for side in scenario.sides] == [("French", 3), ("Prussian", 0)]
    assert scenario.sides[0].exits == tuple(map(hex_of, ("0601", "0602", "0603", "0604")))
    assert scenario.holders == {hex_of("0301"): 1}
    assert scenario.first == 0
    told = [
        (one.name, one.side, one.units, one.battalions, one.thresholds, one.penalties)
        for one in scenario.organisations
    ]
    assert told == [
        ("Corps", 0, (0, 1, 2, 3, 4), 3, (1, 2, 3), None),
        ("Brigade", 1, (5, 6), 2, None, (-2, -4, -8)),
    ]


def test_who_is_absent_takes_no_part(small: Check) -> None:
    """Of the right wing the battery stays at home with its horse; unit numbers close up."""
    change = FILE.replace("turns:", "absent: [Guns, Horse]\nturns:").replace(
        "  - {who: Horse, at: west, turn: 9:40, delay: {1-4: 0, 5: 1, 6: again}}\n", ""
    )
    scenario = whole(small, change.replace("reinforcements:\n", ""))
    assert [unit.name for unit in scenario.units] == ["L1", "L2", "R", "P1", "P2"]
    assert scenario.side_of == (0, 0, 0, 1, 1)
    _, errors = small(FILE.replace("turns:", "absent: Gun\nturns:"))
    assert errors == ["s.yaml:5:9: 'absent' must be of the rosters, got 'Gun'. Did you mean 'Guns'?"]


def test_units_are_dealt_to_hexes_in_order_and_face_away_from_home(small: Check) -> None:
    """Three units on two hexes: the first two on the first. Home is NW (3), so they look SE: side 0. A line faces
    a corner: E is the eleventh twelfth behind SE. 0203 and 0204 lie next to each other."""
    scenario = whole(small)
    label = scenario.sheet.grid.label
    placed = [
        (
            "Marshal" if one.leader else scenario.units[one.number].name,
            label(one.hex),
            one.second and label(one.second),
            one.facing,
            one.formation,
        )
        for one in scenario.placements
    ]
    assert placed == [
        ("L1", "0102", None, 0, "column"),
        ("L2", "0102", None, 0, "column"),
        ("Guns", "0103", None, 0, "unlimbered"),
        ("Marshal", "0102", None, 0, "column"),
        ("R", "0203", "0204", 11, "line"),
        ("P1", "0501", None, 6, "column"),
        ("P2", "0602", None, 6, "column"),
    ]


def test_who_comes_later_and_what_is_to_be_done(small: Check) -> None:
    scenario = whole(small)
    hex_of = scenario.sheet.grid.hex_of
    (arrival,) = scenario.arrivals
    assert (arrival.units, arrival.leaders, arrival.turn, arrival.formations) == (
        (4,),
        (),
        3,
        ("road march",),
    )
    assert arrival.hexes == tuple(map(hex_of, ("0101", "0102", "0103", "0104")))
    assert arrival.delay == DelayRoll((0, 0, 0, 0, 1, AGAIN))
    assert [(one.kind, one.units, one.begins, one.ends) for one in scenario.orders] == [
        ("take", (0, 1, 2, 3, 4), 1, 3),
        ("exit", (0, 1, 2, 3, 4), 4, None),
        ("hold", (5, 6), 1, None),
    ]
    assert scenario.orders[1].hexes == scenario.sides[0].exits
    assert scenario.orders[2].hexes == (hex_of("0301"), hex_of("0302"))


def test_the_ladder_is_the_one_of_the_file(small: Check) -> None:
    """Before 10:20 is at the end of the turn of 10:00, the fourth."""
    scenario = whole(small)
    hex_of = scenario.sheet.grid.hex_of
    decisive, marginal, defence, draw = scenario.ladder
    field = tuple(map(hex_of, ("0301", "0302", "0303")))
    assert decisive.condition == AllOf(
        (Least(Measure("held", 0, hexes=field), 2), Not(Least(Measure("lost", 0, units=(0, 1, 2, 3)), 9)))
    )
    east = scenario.sides[0].exits
    assert marginal.condition == AnyOf(
        (
            Least(Measure("exited", 0, units=(0, 1, 2, 3, 4), hexes=east, turn=4), 9),
            Least(Measure("level", 1, organisation=1), 2),
        )
    )
    assert defence.condition == Least(Measure("balance", 1), 3)
    assert (draw.condition, draw.side, defence.side, decisive.side) == (None, None, 1, 0)


@pytest.mark.parametrize(("old", "new", "told"), [
    ("9:40, delay", "9:50, delay", "s.yaml:18:34: 'reinforcements[0].turn' must be a turn from 9:00 to 10:40 (1 to 6), got 9:50"),
    ("9:40, delay", "8:40, delay", "must be a turn from 9:00 to 10:40 (1 to 6), got 8:40"),
    ("to: 10:40", "to: 10:50", "s.yaml:5:25: 'turns.to' must be whole turns of 20 minutes after 9:00, got 10:50: write 10:40 or 11:00"),
    ("to: 10:40", "to: 8:00", "'turns.to' must not be before the first turn, 9:00, got 8:00"),
    ("to: 10:40", "to: 25:40", "'turns.to' must be a time such as 9:40, got 25:40"),
    ("5: 1,", "4-5: 1,", "'reinforcements[0].delay.4-5' must not name faces that are named already"),
    ("5: 1,", "", "'reinforcements[0].delay' must give every face once; missing 5"),
    ("{1-4: 0, 5: 1, 6: again}", "{1-6: again}", "must have a face that is not rolled again"),
    ("{1-4: 0, 5: 1, 6: again}", "late", "'reinforcements[0].delay' must be one of 'delays', got 'late'. Known: none"),
    ("who: R,", "who: Rr,", "s.yaml:15:11: 'placement[1].who' must be a unit, a leader or an organisation, got 'Rr'"),
    ("who: Horse", "who: R", "'reinforcements[0].who' must not have R a second time: it is placed, or a reinforcement, already"),
    ("[Marshal, Left]", "[Marshal, Guns, L1]", "'placement' must have everybody who is no reinforcement; missing L2"),
    ('"0501", "0602"', '"0501", "0102"', "'placement' must not have both sides in one hex, but 0102 has"),
    ('"0501", "0602"', '"0501", "0707"', "'placement[2].at[1]' must be the number of a hex, column and row, from 0101 to 0604, got '0707'"),
    ('"0102", "0103"', '"0102", "0402"', "'placement[0].at' must be ground where artillery in unlimbered may be, but hex 0402 is woods (Guns)"),
    ('"0501", "0602"', '"0501", "0602", "0603"', "'placement[2].at' must be at most as many hexes as units, 2, got 3"),
    ("0203+0204", "0203+0604", "'placement[1].at' must be one hex or two next to each other, got '0203+0604'"),
    ("formation: line", "formation: column", "'placement[1].at' must be one hex for R: only infantry in line or skirmish order has two"),
    ("formation: line", "formation: limbered", "'placement[1].formation' must be column, line, square"),
    ("[N, E]", "[N, S]", "'placement[1].facing' must be a corner of its hex, SSE, SSW, W, NNW, NNE or E, for R in line, got N or S"),
    ("exits: east", "exits: eastt", "'sides[0].exits' must be an edge of the map, got 'eastt'. Did you mean 'east'?"),
    ("home: NW", "home: W", "'sides[0].home' must be one of the map's directions, SE, S, SW, NW, N or NE, got 'W'"),
    ("name: Prussian", "name: Prusian", "'sides[1].name' must be a side of the rosters, got 'Prusian'. Did you mean 'Prussian'?"),
    ("Village: Prussian", "Vilage: Prussian", "'held.Vilage' must be a place of the map, got 'Vilage'. Did you mean 'Village'?"),
    ("of: [Left, Right]", "of: [Left, Wright]", "'organisations.Corps.of[1]' must be an organisation of the rosters, got 'Wright'. Did you mean 'Right'?"),
    ("of: [Left, Right]", "of: [Left, Brigade]", "'organisations.Corps' must be of one side, got units of French and Prussian"),
    ("[1, 2, 3]", "[4, 5, 6]", "'organisations.Corps.thresholds' must have thresholds that its 3 battalions can reach, got [4, 5, 6]"),
    ("order: exit", "order: leave", "'orders[1].order' must be take, hold, exit, reserve or screen, got 'leave'"),
    (", goal: Village", "", "'orders[0]' must have the field 'goal' (what to take), but it is missing"),
    ("{result: draw}", "{result: draw, when: {level: Corps, at_least: 1}}", "'victory[3].when' must not be given for the last result, which is that of all other ends"),
    (", when: {balance: Prussian, at_least: 3}", "", "'victory[2]' must have the field 'when': only the last result has no condition"),
    ("result: draw", "result: defence", "'victory[3].result' must be another name than before, got 'defence'"),
    ("{balance: Prussian, at_least: 3}", "{level: Brigade, at_least: 3}", "'victory[2].when' can never count: whenever it holds, 'marginal' holds already"),
    ("{balance: Prussian, at_least: 3}", "{all: [{level: Corps, at_least: 2}, {level: Corps, at_most: 1}]}", "'victory[2].when' can never hold: its parts contradict each other"),
    ("{balance: Prussian, at_least: 3}", "{balance: Prussian}", "'victory[2].when' must have either 'at_least' or 'at_most'"),
    ("{balance: Prussian, at_least: 3}", "{balanc: Prussian, at_least: 3}", "'victory[2].when' must be a condition: a mapping with held, exited, lost, balance, broken, level, all, any or not, got a mapping. Did you mean 'balance'?"),
    ("level: Brigade, at_least: 2", "level: Brigade, at_least: 4", "'victory[1].when.any[1].at_least' must be from 0 to 3, which is all there is, got 4"),
    ("by: French, at_least: 2", "by: French, at_least: 4", "must be from 0 to 3, which is all there is, got 4"),
    ("lost: [Left, R], at_least: 9", "lost: [Left, R], at_least: 31", "must be from 0 to 30, which is all there is, got 31"),
    ("level: Brigade", "level: Left", "'victory[1].when.any[1].level' must be an organisation that reaches levels, got 'Left'"),
    ("lost: [Left, R]", "lost: [Left, P1]", "'victory[0].when.all[1].not.lost' must be units of one side"),
    ("map: small.map", "map: smal.map", "smal.map: there is no such file"),
    ("rosters: small.csv", "rosters: smal.csv", "smal.csv: there is no such file"),
    ("ruleset: halle-1806", "ruleset: hale-1806", "there is no rule set 'hale-1806'. Did you mean 'halle-1806'?"),
    ("placement:", "placment:", "'placment' is not a known field. Did you mean 'placement'?"),
    ("title: small\n", "title: small\nfirst: Frensh\n", "'first' must be French or Prussian, got 'Frensh'. Did you mean 'French'?"),
])  # fmt: skip
def test_a_fault_is_told_with_place_field_expected_and_found(
    small: Check, old: str, new: str, told: str
) -> None:
    assert FILE.count(old) == 1
    scenario, errors = small(FILE.replace(old, new))
    assert scenario is None
    assert told in errors[0], errors


def test_faults_of_all_files_are_told_at_once(small: Check, tmp_path: Path) -> None:
    (tmp_path / "small.csv").write_text(ROSTER.replace(",25,8", ",27,8"), encoding="utf-8")
    _, errors = small(FILE.replace("who: R,", "who: Rr,").replace("at_least: 3", "at_least: 999"))
    assert [one.rpartition("/")[2].split(" must")[0] for one in errors] == [
        "small.csv:4: 'morale' of L#",
        "s.yaml:15:11: 'placement[1].who'",
        "s.yaml:30:77: 'victory[2].when.at_least'",
    ]


@pytest.mark.parametrize(("old", "new", "told"), [
    # two battalions of 9 and a battery: more than 12 beside guns; of 8 and 8 in a village: no battalion but one
    ('["0102", "0103"]', '"0102"', "hex 0102 (clear) has L1, L2, Guns"),
    ('["0501", "0602"], facing: NW', '"0301"', None),
    ('["0501", "0602"], facing: NW', '["0301"]', None),
    ('["0501", "0602"]', '["0501", "0501"]', ""),  # 16 in clear terrain
])  # fmt: skip
def test_no_hex_holds_more_than_its_limit(small: Check, old: str, new: str, told: str | None) -> None:
    """halle-1806 by the charts of 2017: 18 increments in clear terrain, 12 with a battery, one battalion in a
    village."""
    assert FILE.count(old) == 1
    _, errors = small(FILE.replace(old, new))
    told = "hex 0301 (village) has P1, P2" if told is None else told
    assert [one.partition("limits: ")[2] for one in errors] == [told] * bool(told)


@pytest.mark.parametrize(("inc", "place", "told"), [
    (9, 'at: "0203+0204", formation: skirmish, facing: E', ""),
    (4, 'at: "0203+0204", formation: skirmish, facing: E', ""),
    (3, 'at: "0203", formation: skirmish, facing: E', ""),
    (5, 'at: "0203+0202", formation: line, facing: E', ""),  # north of it, to the left
    (4, 'at: "0203+0204", formation: line, facing: E', "one hex for fewer than 5 increments in line: R has 4"),
    (3, 'at: "0203+0204", formation: skirmish, facing: E', "one hex for fewer than 4 increments in skirmish: R has 3"),
    (4, 'at: "0203", formation: skirmish, facing: E', "two hexes ('0102+0103') for 4 increments in skirmish order or more: R has 4"),
    (9, 'at: "0203+0204", formation: line, facing: SSE', "its second hex right or left of R as it faces, got 0204 beside 0203"),
])  # fmt: skip
def test_a_unit_in_two_hexes_lies_across_its_front(
    small: Check, tmp_path: Path, inc: int, place: str, told: str
) -> None:
    """Columns of flat hexes: 0204 lies S of 0203, right of who faces E and before who faces SSE."""
    small(FILE)
    (tmp_path / "small.csv").write_text(ROSTER.replace("gère,,9", f"gère,,{inc}"), encoding="utf-8")
    _, errors = small(FILE.replace('at: "0203+0204", formation: line, facing: [N, E]', place))
    assert [one.partition("must be ")[2] or one.partition("must have ")[2] for one in errors] == [
        told
    ] * bool(told)


@pytest.mark.parametrize(("hex_", "told"), [("0204", []), ("0203", ["hex 0203 (clear) has L1, L2, R"])])
def test_half_a_unit_counts_in_each_of_its_hexes(
    small: Check, tmp_path: Path, hex_: str, told: list[str]
) -> None:
    """L1 and L2 have 7 each; of R's 9 increments 5 are in 0203 and 4 in 0204, where 18 are just enough."""
    small(FILE)
    (tmp_path / "small.csv").write_text(ROSTER.replace("Ligne,2,9", "Ligne,2,7"), encoding="utf-8")
    _, errors = small(FILE.replace('["0102", "0103"]', f'["{hex_}", "0103"]'))
    assert [one.partition("limits: ")[2] for one in errors] == told


def test_rosters_of_leaders_only_are_no_battle(small: Check, tmp_path: Path) -> None:
    small(FILE)
    (tmp_path / "none.csv").write_text("\n".join(ROSTER.splitlines()[:3]), encoding="utf-8")
    _, errors = small(FILE.replace("small.csv", "none.csv"))
    assert errors == ["s.yaml:4:10: 'rosters' must have units, but they have none"]


def test_hexes_may_be_written_without_quotes(small: Check) -> None:
    """YAML reads 0102 as 66."""
    scenario, errors = small(FILE.replace('["0102", "0103"]', "[0102, 0103]"))
    assert scenario is not None, errors
    assert scenario == whole(small)


def test_without_organisations_each_of_the_rosters_reaches_levels_by_itself(small: Check) -> None:
    text = FILE.replace(FILE[FILE.index("organisations:") : FILE.index("placement:")], "")
    scenario, errors = small(text.replace("who: Corps", "who: [Left, Right]"))
    assert scenario is not None, errors
    assert [(one.name, one.battalions) for one in scenario.organisations] == [
        ("Left", 2),
        ("Right", 1),
        ("Brigade", 2),
    ]


def test_thresholds_of_the_rule_set_count_for_the_organisations_it_names(small: Check) -> None:
    text = FILE.replace(
        "Corps: {of: [Left, Right], thresholds: [1, 2, 3]}", "French I Corps: {of: [Left, Right]}"
    )
    _, errors = small(text.replace("who: Corps", "who: French I Corps"))
    assert (
        "'organisations.French I Corps' must have thresholds that its 3 battalions can reach, got [4, 8, 12]"
        in errors[0]
    )


def test_leaving_a_formation_open_takes_the_one_that_the_ground_asks_for(small: Check) -> None:
    scenario, errors = small(
        FILE.replace('who: Brigade, at: ["0501", "0602"]', 'who: Brigade, at: ["0301", "0602"]')
    )
    assert scenario is not None, errors
    assert [one.formation for one in scenario.placements if one.number > 4] == ["general order", "column"]
    _, errors = small(FILE.replace('"0602"], facing: NW', '"0301"], formation: column'))
    assert "must be general order in village (P2 in 0301), got column" in errors[0]


@pytest.mark.parametrize(("late", "chances"), [
    ((0, 0, 0, 0, 1, AGAIN), (".6667", ".2778", ".0463", ".0077")),  # scenarios 5: French at Jena
    ((0, 0, 0, 1, AGAIN, AGAIN), (".5000", ".3333", ".1111", ".0370")),  # Coalition
    ((0, 0, AGAIN, AGAIN, AGAIN, AGAIN), (".3333", ".2222", ".1481", ".0988")),  # pattern 1A
])  # fmt: skip
def test_chances_of_delay_rolls_are_those_of_their_source(
    late: tuple[int, ...], chances: tuple[str, ...]
) -> None:
    roll = DelayRoll(late)
    assert tuple(f"{float(roll.chance(turns)):.4f}"[1:] for turns in range(4)) == chances
    assert sum(float(roll.chance(turns)) for turns in range(60)) == pytest.approx(1, abs=1e-9)


def test_a_delay_may_be_rolled_on_the_ladder(small: Check) -> None:
    scenario, errors = small(FILE.replace("{1-4: 0, 5: 1, 6: again}", "{11-16: 0, 21-66: 3}"))
    assert scenario is not None, errors
    (arrival,) = scenario.arrivals
    assert arrival.delay is not None
    assert arrival.delay.chance(0) == Fraction(6, 36)  # scenarios 4.4: 11-16 no change
    assert arrival.delay.chance(3) == Fraction(30, 36)


def keys_of(data: object, above: Key = ()) -> Iterator[Key]:
    """The way to every value."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for part, value in inner:
        yield (*above, part)
        yield from keys_of(value, (*above, part))


@pytest.mark.parametrize("odd", [None, [], [None], {"a": 1}, -1, "", True])
def test_no_value_of_a_wrong_kind_ends_in_anything_but_faults(
    small: Check, tmp_path: Path, odd: object
) -> None:
    small(FILE)
    (tmp_path / "s.yaml").write_text(FILE, encoding="utf-8")
    document = documents.read(tmp_path / "s.yaml")
    for key in keys_of(document.data):
        if "delay" in key[:-1]:  # names of faces may be integers, which no option can name
            continue
        for changed in (document.changed(key, odd, "--set"), document.without(key)):
            scenario, problems = battlefiles.check(changed)
            assert (scenario is None) == bool(problems.errors)


# -- those that ship ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", battlefiles.names())
def test_a_scenario_that_ships_is_whole_and_says_that_it_is_synthetic(
    name: str, ok: Callable[..., Result]
) -> None:
    scenario = battlefiles.load(name)
    assert scenario.synthetic
    assert scenario.sources
    answer = ok("lint", *map(str, battlefiles.files(scenario.document)[:2]), "--json").json
    assert [(one["errors"], one["warnings"]) for one in answer["files"]] == [([], []), ([], [])]


def test_halle_has_the_facts_of_its_source() -> None:
    """scenarios 4.1: 22 turns from 9:00; Sahuc at 9:40, Tilly at 11:00, Drouet at 12:00; 4/8/12 and 4/7/11."""
    scenario = battlefiles.load("halle-1806")
    assert scenario.calendar.turns == 22
    assert [(scenario.calendar.clock(one.turn), len(one.units)) for one in scenario.arrivals] == [
        ("9:40", 4), ("11:00", 2), ("12:00", 9),
    ]  # fmt: skip
    assert [(one.battalions, one.thresholds) for one in scenario.organisations] == [
        (20, (4, 8, 12)),
        (18, (4, 7, 11)),
    ]
    assert [rung.result for rung in scenario.ladder][:3] == [
        "French decisive",
        "French tactical",
        "French marginal",
    ]


def test_baumersdorf_has_the_facts_of_its_source() -> None:
    """scenarios 4.3: 12 turns from 18:20; thresholds of the whole corps, 10/20/29 and 5/10/15."""
    scenario = battlefiles.load("baumersdorf-1809")
    calendar = scenario.calendar
    assert (calendar.turns, calendar.clock(1), calendar.clock(12)) == (12, "18:20", "22:00")
    assert [one.thresholds for one in scenario.organisations] == [(10, 20, 29), (5, 10, 15)]


def test_saalfeld_has_the_facts_of_its_source() -> None:
    """scenarios 4.5: 10 turns from 10:00, 13 Prussian and Saxon battalions, points of every result."""
    scenario = battlefiles.load("saalfeld-1806")
    calendar = scenario.calendar
    assert (calendar.turns, calendar.clock(1), calendar.clock(10)) == (10, "10:00", "13:00")
    assert scenario.organisations[1].battalions == 13
    rungs = scenario.document.data["victory"]
    assert [one["when"]["at_least"] for one in rungs[:-1]] == [16, 6, -4, -9, -14, -19]


def test_wiederitzsch_has_the_facts_of_its_source() -> None:
    """scenarios 4.4: 12 turns from 16:00; who comes when, from 16:00 to 16:40; 6 of 36 rolls change nothing."""
    scenario = battlefiles.load("wiederitzsch-1813")
    calendar = scenario.calendar
    assert (calendar.turns, calendar.clock(1), calendar.clock(12)) == (12, "16:00", "19:40")
    arrivals = [
        (scenario.units[one.units[0]].organisation, calendar.clock(one.turn)) for one in scenario.arrivals
    ]
    assert arrivals == [
        ("23e Cavalry", "16:00"),
        ("9e Division", "16:20"),
        ("9th Division", "16:00"),
        ("15th Division", "16:20"),
        ("9th Corps", "16:40"),
    ]
    assert [one.delay.late.count(0) for one in scenario.arrivals if one.delay] == [6, 6, 6]


def test_the_mirror_is_the_same_turned_by_half_a_turn() -> None:
    scenario = battlefiles.load("mirror")
    grid = scenario.sheet.grid
    ways = {hex_: grid.column_row(hex_) for hex_ in {one.hex for one in scenario.placements}}

    def seen(side: int) -> list[tuple[object, ...]]:
        turn = side == 1
        found: list[tuple[object, ...]] = []
        for one in scenario.placements:
            entry = scenario.leaders[one.number] if one.leader else scenario.units[one.number]
            if entry.side != scenario.sides[side].name:
                continue
            column, row = ways[one.hex]
            place = (grid.columns - 1 - column, grid.rows - 1 - row) if turn else (column, row)
            facing = (one.facing + 6 * turn) % 12 if not one.leader else 0
            found.append((place, facing, one.formation))
        return found

    assert seen(0) == seen(1)
    assert scenario.sides[1].home == (scenario.sides[0].home + 3) % 6
    own, other = ([rung.condition for rung in scenario.ladder if rung.side == side] for side in (0, 1))
    assert len(own) == len(other) == 2


# -- commands ----------------------------------------------------------------------------------------------


def test_scenarios_are_listed(ok: Callable[..., Result]) -> None:
    lines = ok("scenarios").out.splitlines()
    assert max(map(len, lines)) <= 100
    names = battlefiles.names()
    assert [line.split()[0] for line in lines[1 : len(names) + 1]] == names
    told = ok("scenarios", "--json").json["scenarios"][names.index("halle-1806")]
    assert (told["scenario"], told["turns"], told["from"], told["to"], told["synthetic"]) == (
        "halle-1806",
        22,
        "9:00",
        "16:00",
        True,
    )
    assert told["units"] == [31, 26]


def test_a_new_scenario_passes_lint_with_its_roster(
    ok: Callable[..., Result], carre: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert (
        ok("new", "scenario", "mine").out
        == "wrote mine.yaml and mine.csv; check it with: carre lint mine.yaml\n"
    )
    assert ok("lint", "mine.yaml", "mine.csv").out.splitlines() == [
        "mine.yaml: scenario, 0 errors, 0 warnings",
        "mine.csv: roster, 0 errors, 0 warnings",
    ]
    (tmp_path / "other.csv").write_text("mine", encoding="utf-8")
    result = carre("new", "scenario", "other")
    assert (result.code, (tmp_path / "other.yaml").exists()) == (2, False)


def test_every_optional_line_of_the_new_scenario_is_right(
    ok: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ok("new", "scenario", "mine")
    path = tmp_path / "mine.yaml"
    lines = path.read_text(encoding="utf-8").splitlines()
    for i, line in enumerate(lines):
        bare = line.strip()
        if bare.startswith("#") and not bare.startswith(("# ", "#delay: late")) and bare != "#":
            taken = [*lines[:i], line.replace("#", "", 1), *lines[i + 1 :]]
            if "Corps:" in line:  # instead of the two above it
                taken = [*lines[: i - 2], line.replace("#", "", 1), *lines[i + 1 :]]
                taken = [one for one in taken if "level: Brigade" not in one]
                taken = [one.replace("of: [Division, Brigade]", "of: [Division]") for one in taken]
            path.write_text("\n".join(taken), encoding="utf-8")
            assert "0 errors" in ok("lint", "mine.yaml").out, line


def test_levels_of_a_scenario_are_looked_up(ok: Callable[..., Result], carre: Callable[..., Result]) -> None:
    levels = ok("chart", "level", "--scenario", "halle-1806", "--lost", "7", "--json").json["levels"]
    assert [(one["organisation"], one["level"], one["to_next"]) for one in levels] == [
        ("French I Corps", 1, 1), ("Prussian Reserve Corps", 2, 4),
    ]  # fmt: skip
    assert carre("chart", "level", "--scenario", "nowhere", "--lost", "7").code == 2


def test_the_kinds_of_file_are_told_apart(tmp_path: Path) -> None:
    path = battlefiles.locate("mirror")
    with pytest.raises(InputError, match="must be a charge file, but looks like a scenario"):
        scenarios.load(path)
    with pytest.raises(InputError, match="must be a scenario, but looks like a charge"):
        battlefiles.load(scenarios.DEFAULT)
    with pytest.raises(InputError, match=r"there is no scenario 'mirrow'\. Did you mean 'mirror'\?"):
        battlefiles.load("mirrow")


def test_what_never_comes_is_only_doubtful(tmp_path: Path) -> None:
    """A designer shortens a battle without touching the rest of its file."""
    document = scenarios.changed(documents.read(battlefiles.locate("halle-1806")), "turns.to=11:00")
    scenario, problems = battlefiles.check(document)
    assert scenario is not None
    assert any(
        "'reinforcements[2].turn' never comes: turns go from 9:00 to 11:00 (1 to 7), got 12:00" in one
        for one in problems.warnings
    )


def test_options_change_a_scenario() -> None:
    assert battlefiles.load("mirror", ["turns.to=10:00", "first=East"]).calendar.turns == 4
    assert battlefiles.load("mirror", ["first=East"]).first == 1
