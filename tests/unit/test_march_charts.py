"""`carre chart movement`, `stacking` and `limber`: the numbers of their sources, and their filters."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sim
from sim.rulesets import catalogue, chain, consistency, shipped
from sim.rulesets.rulebook import Rulebook, rulebook
from sim.vocabulary import (
    ARMS,
    ARTILLERY,
    CAVALRY,
    COLUMN,
    GENERAL_ORDER,
    INFANTRY,
    LIMBERED,
    LINE,
    MASSE,
    ROAD_MARCH,
    SKIRMISH,
    SQUARE,
)

NO = None


def book_of(name: str) -> Rulebook:
    rules = catalogue.load(name)
    return rulebook(rules, rules.switches())


@pytest.mark.parametrize(("rules", "terrain", "points", "road"), [  # A9.1, A9.5, A9.6, A9.7
    ("prusse-1806", "village", (3, 3, 3), 3),
    ("halle-1806", "town", (3, 3, 3), 3),
    ("prusse-1806", "woods", (3, 5, NO), 0.5),
    ("prusse-1806", "swamp", (4, NO, NO), 0.5),
    ("prusse-1806", "bridge", (1, 1, 1), 0.5),
    ("bautzen-1813", "town", (3, 3, 3), 2),
    ("bautzen-1813", "garden", (2, 2, 4), 0.5),
    ("hagelberg-1813", "hamlet", (3, 3, 3), 2),
    ("leipzig-1813", "swamp", (4, 5, NO), 0.5),
    ("wagram-1809", "woods", (4, 5, NO), 0.5),
])  # fmt: skip
def test_points_to_enter_are_those_of_the_chart(
    rules: str, terrain: str, points: tuple[int | None, ...], road: float
) -> None:
    (row,) = sim.chart("movement", ruleset=rules, terrain=terrain).numbers["rows"]
    assert tuple(row[arm] for arm in ARMS) == points
    assert row["road"] == road


@pytest.mark.parametrize(("rules", "hexside", "points"), [
    ("prusse-1806", "slope", (2, 3, 4)),
    ("prusse-1806", "stream", (1, 2, 3)),
    ("prusse-1806", "ford", (0, 1, 2)),
    ("halle-1806", "river", (NO, NO, NO)),
    ("bautzen-1813", "stream bridge", (2, 4, 2)),
    ("bautzen-1813", "ford", (4, 9, NO)),
    ("leipzig-1813", "stream", (3, 5, NO)),
    ("hagelberg-1813", "garden wall", (0, NO, NO)),
])  # fmt: skip
def test_points_of_hexsides_are_those_of_the_chart(
    rules: str, hexside: str, points: tuple[int | None, ...]
) -> None:
    (row,) = sim.chart("movement", ruleset=rules, terrain=hexside).numbers["rows"]
    assert (tuple(row[arm] for arm in ARMS), row["hexside"]) == (points, True)


@pytest.mark.parametrize(("rules", "terrain", "held"), [  # A9.2, A9.5, A9.6
    ("prusse-1806", "clear", ("1 regiment or 18", "1 regiment or 18, at most 3", "6", "12 + 1 battery")),
    ("halle-1806", "village", ("1 battalion", "1 regiment", "1 battery", "1 battalion + 1 battery")),
    ("prusse-1806", "garden", ("1 battalion", "1 regiment", "none", "none")),
    ("halle-1806", "raised road", ("4", "4", "4", "none")),
    ("bautzen-1813", "clear", ("1 regiment or 18", "1 regiment or 18", "6", "12 + 1 battery")),
    ("bautzen-1813", "village", ("1 battalion or 6", "1 regiment", "4", "1 battalion + 1 battery")),
    ("bautzen-1813", "earthwork", ("1 battalion", "none", "3", "1 battalion + 1 battery up to 3")),
    ("austerlitz-1805", "woods", ("1 battalion", "1 regiment", "none", "none")),
])  # fmt: skip
def test_a_hex_holds_what_the_chart_says(rules: str, terrain: str, held: tuple[str, ...]) -> None:
    (row,) = sim.chart("stacking", ruleset=rules, terrain=terrain).numbers["rows"]
    assert tuple(row[name] for name in (*ARMS, "together")) == held


@pytest.mark.parametrize(("rules", "nation", "class_", "needs"), [  # B5.2
    ("prusse-1806", "French", "foot", 4),
    ("halle-1806", "Prussian", "heavy", 6),
    ("prusse-1806", "Saxon", "light", 5),
    ("wagram-1809", "Austrian", "foot", 5),
    ("aspern-essling-1809", "Austrian", "foot", 4),
    ("wagram-1809", "Austrian", "heavy", 6),
    ("leipzig-1813", "French", "guard", 2),
    ("leipzig-1813", "Russian", "guard horse", 3),
    ("bautzen-1813", "Russian", "guard", 5),
    ("hagelberg-1813", "Prussian", "horse", 4),
    ("schoengrabern-1805", "Russian", "guard", 3),
    ("raszyn-1809", "Polish", "foot", 5),
])  # fmt: skip
def test_batteries_need_what_the_chart_says_to_limber(
    rules: str, nation: str, class_: str, needs: int
) -> None:
    row = book_of(rules).limber_row(nation, class_)
    assert row is not None
    assert row.needs == needs
    told = sim.chart("limber", ruleset=rules, nation=nation).numbers["rows"]
    assert [one["needs"] for one in told if one["class"] == class_] == [needs]


def test_the_other_numbers_are_those_of_the_rules() -> None:
    """Seed 003, PR17 p15, AE15 p4, AU16 p21, BA19 p46; A3.5, A7.1."""
    rules = book_of("prusse-1806").blocks.movement
    change, less = rules.change, rules.allowance
    assert (change.infantry, change.cavalry, change.artillery) == (1, 3, 2)
    assert (change.two_hexes, change.general_order, change.facing) == (2, 0, 1)
    assert (less.line, less.square, less.masse, less.disordered) == (2, 1, 1, Fraction(1, 2))
    assert (rules.road.points, rules.road.increments) == (Fraction(1, 2), 4)
    assert (rules.skirmish_horse.beside, rules.skirmish_horse.near) == (3, 2)
    march = rules.force_march
    assert (march.factor, march.check, march.further, march.other_checks) == (2, -6, -6, -12)


@pytest.mark.parametrize("rules", shipped.names())
def test_every_terrain_that_is_not_open_has_a_stacking_limit_of_its_own(rules: str) -> None:
    blocks = catalogue.load(rules).blocks
    assert {name for name, row in blocks.terrain.rows.items() if not row.charge} <= set(blocks.stacking.rows)


@pytest.mark.parametrize("rules", shipped.names())
def test_both_sides_have_batteries(rules: str) -> None:
    blocks = catalogue.load(rules).blocks
    nations = {nation for row in blocks.limber.rows for nation in row.nations}
    assert {blocks.nations[nation] for nation in nations} == {"Imperial", "Coalition"}


def test_formations_change_with_the_ground_they_enter() -> None:
    """Line and square in clear terrain alone; general order in woods and houses; skirmishers and guns stay as
    they are; the raised road is for columns, skirmishers and road march (A5.5, A5.9, A5.10, A9.1)."""
    book = book_of("prusse-1806")
    after = {name: book.formation_after[:, :, book.terrains.index(name)] for name in book.terrains}
    assert after["clear"][INFANTRY, LINE] == LINE
    assert after["clear"][INFANTRY, GENERAL_ORDER] == COLUMN
    assert after["woods"][INFANTRY, COLUMN] == GENERAL_ORDER
    assert after["woods"][INFANTRY, LINE] == GENERAL_ORDER
    assert after["woods"][INFANTRY, SKIRMISH] == SKIRMISH
    assert after["village"][CAVALRY, COLUMN] == GENERAL_ORDER
    assert after["village"][ARTILLERY, LIMBERED] == LIMBERED
    assert (after["woods"][INFANTRY, [SQUARE, MASSE]] == -1).all()
    assert after["bridge"][INFANTRY, COLUMN] == COLUMN
    assert after["bridge"][INFANTRY, LINE] == -1
    assert after["raised road"][CAVALRY, COLUMN] == -1
    assert after["raised road"][CAVALRY, ROAD_MARCH] == ROAD_MARCH
    assert after["raised road"][INFANTRY, SKIRMISH] == SKIRMISH


def test_swamps_of_bautzen_are_for_skirmishers() -> None:
    book = book_of("bautzen-1813")
    after = book.formation_after[INFANTRY, :, book.terrains.index("swamp")]
    assert np.flatnonzero(after >= 0).tolist() == [SKIRMISH]


def test_an_arm_and_a_terrain_are_shown_alone(ok: Callable[..., Any]) -> None:
    told = ok("chart", "movement", "--terrain", "village", "--arm", "cavalry").out
    assert "infantry" not in told
    assert "woods" not in told
    assert "village         3           3  [1]" in told
    held = ok("chart", "stacking", "--terrain", "village", "--arm", "infantry", "--json").json
    assert [set(row) for row in held["rows"]] == [{"terrain", "infantry", "together", "source"}]


@pytest.mark.parametrize("chart", ["movement", "stacking", "limber"])
@pytest.mark.parametrize("rules", shipped.names())
def test_tables_fit_a_screen_and_give_a_frame(chart: str, rules: str, ok: Callable[..., Any]) -> None:
    told = ok("chart", chart, "--ruleset", rules).out
    assert max(map(len, told.splitlines())) <= 100
    answer = sim.chart(chart, ruleset=rules)
    assert len(answer.to_frame()) == len(answer.numbers["rows"]) > 0


@pytest.mark.parametrize(("arguments", "says"), [
    (["movement", "--terrain", "vilage"], "--terrain must be one of clear, hamlet"),
    (["stacking", "--terrain", "slope"], "--terrain must be one of clear, hamlet"),
    (["stacking", "--arm", "horse"], "--arm"),
    (["limber", "--nation", "Russian"], "--nation must be one of French, Prussian, Saxon in prusse-1806"),
])  # fmt: skip
def test_what_there_is_not_is_refused(arguments: list[str], says: str, carre: Callable[..., Any]) -> None:
    result = carre("chart", *arguments)
    assert (result.code, result.out) == (2, "")
    assert says in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(("text", "error", "warning"), [
    (
        "limber: {rows: {Mine: {nations: [French], class: foot, needs: 4, source: '[HOUSE] x'}}}",
        "must be the only row of foot batteries of French, but 'limber.rows[0]' is one too",
        None,
    ),
    ("limber: {rows: {French foot: {class: feet}}}", "must be foot, light, horse, heavy, guard", None),
    ("stacking: {clear: {infantry: null}}", None, "since infantry may enter clear"),
    (
        "stacking: {lake: {infantry: null, cavalry: null, artillery: null, together: null}}",
        None,
        "should be a terrain of the rule set",
    ),
    ("terrain: {woods: {formations: {infantry: [gallop]}}}", "must be column, line", None),
    ("terrain: {woods: {road_march: -1}}", "must be a number from 0 to 30", None),
    ("movement: {allowance: {line: lots}}", "must be an integer from 0 to 30", None),
])  # fmt: skip
def test_lint_sees_what_is_wrong(text: str, error: str | None, warning: str | None, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(f"extends: prusse-1806\n{text}\n", encoding="utf-8")
    problems = consistency.check(*chain.merge(path))
    assert [error in line for line in problems.errors if error is not None] == [True] * (error is not None)
    assert (problems.errors == []) is (error is None)
    assert any(warning in line for line in problems.warnings) if warning else not problems.warnings
