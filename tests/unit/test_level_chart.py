"""`carre chart level`: morale levels for battalions lost; `carre chart carre` without a charger: the printed
row."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import sim
from sim.rulesets import catalogue, shipped
from sim.rulesets.rulebook import rulebook


@pytest.mark.parametrize(("rules", "organisation", "thresholds"), [
    ("halle-1806", "French I Corps", (4, 8, 12)),  # scenarios 4.1
    ("prusse-1806", "French I Corps", (5, 10, 14)),
    ("wagram-1809", "French III Corps", (11, 21, 32)),  # C16
    ("bautzen-1813", "French IV Corps", (7, 13, 21)),
    ("hagelberg-1813", "Prussian Hirschfeld", (4, 7, 11)),  # scenarios 4.2
])  # fmt: skip
def test_a_level_is_reached_at_the_listed_number_of_battalions_or_more(
    rules: str, organisation: str, thresholds: tuple[int, ...]
) -> None:
    for lost in range(thresholds[-1] + 3):
        (one,) = sim.chart("level", ruleset=rules, lost=lost, organisation=organisation).numbers["levels"]
        level = 0 if lost < thresholds[0] else 1 if lost < thresholds[1] else 2 if lost < thresholds[2] else 3
        assert (one["level"], tuple(one["thresholds"])) == (level, thresholds)
        assert one["to_next"] == (None if level == 3 else thresholds[level] - lost)


@pytest.mark.parametrize(("battalions", "thresholds"), [
    (18, [4, 7, 11]), (20, [4, 8, 12]),  # scenarios 4.1
    # lists of published battles
    (24, [5, 10, 14]), (53, [11, 21, 32]), (49, [10, 20, 29]), (32, [6, 13, 19]), (16, [3, 6, 10]), (37, [7, 15, 22]),
    (1, [1, 1, 1]), (2, [1, 1, 1]), (5, [1, 2, 3]),
])  # fmt: skip
def test_without_a_list_levels_come_at_the_nearest_numbers_to_20_40_and_60_per_cent(
    battalions: int, thresholds: list[int]
) -> None:
    (one,) = sim.chart("level", lost=0, battalions=battalions).numbers["levels"]
    assert (one["thresholds"], one["level"]) == (thresholds, 0)


def test_thresholds_of_ones_own_are_taken(ok: Callable[..., Any]) -> None:
    answer = ok("chart", "level", "--lost", 15, "--thresholds", "7,15,22", "--json").json
    assert [(one["level"], one["to_next"]) for one in answer["levels"]] == [(2, 7)]
    assert answer["outcomes"] == []


@pytest.mark.parametrize(
    "rules", [name for name in shipped.names() if catalogue.load(name).merged.get("levels")]
)
def test_every_organisation_of_a_rule_set_is_told(rules: str, ok: Callable[..., Any]) -> None:
    known = [name for name in catalogue.load(rules).merged["levels"] if name != "source"]
    told = ok("chart", "level", "--lost", 4, "--ruleset", rules).out
    assert [line.split("  ")[0] for line in told.splitlines() if line.startswith(tuple(known))] == known


@pytest.mark.parametrize("rules", shipped.names())
def test_what_a_level_does_is_what_the_rule_set_says(rules: str) -> None:
    loaded = catalogue.load(rules)
    book = rulebook(loaded, loaded.switches())
    effects = sim.chart("level", ruleset=rules, lost=0, battalions=10).numbers["effects"]
    found = [(one["label"], one["values"]) for one in effects if one["chart"] == "carre"]
    rows = [row for row in book.ruleset.merged["carre"]["modifiers"] if row.get("of") == "target.level"]
    assert found == [(row["label"], [row["values"][n] for n in (1, 2, 3)]) for row in rows]
    general = {one["label"]: one["values"] for one in effects if one["chart"] == "morale"}["morale level"]
    assert general == ([-3, -6, -12] if rules == "halle-1806" else [-3, -6, -9])


@pytest.mark.parametrize(("arguments", "says"), [
    (["--lost", "5", "--ruleset", "austerlitz-1805"], "austerlitz-1805 names no organisations: give --battalions or --thresholds"),
    (["--lost", "19", "--battalions", "18"], "--lost must be at most the battalions there are, 18, got 19"),
    (["--lost", "5", "--organisation", "French I Corp"], "--organisation must be one of French I Corps, Halle Reserve in prusse-1806"),
    (["--lost", "5", "--thresholds", "4,8"], "'thresholds' must be a list of 3 values"),
    (["--lost", "5", "--thresholds", "4,4,8"], "'thresholds[1]' must be above 4"),
    (["--lost", "5", "--thresholds", "4,x,8"], "--thresholds: must be an integer from 1 to 999, got 'x'"),
    (["--lost", "5", "--thresholds", "4,5,8", "--battalions", "9"], "--battalions: not allowed with argument --thresholds"),
    (["--battalions", "18"], "the following arguments are required: --lost"),
])  # fmt: skip
def test_what_cannot_be_told_is_refused(arguments: list[str], says: str, carre: Callable[..., Any]) -> None:
    result = carre("chart", "level", *arguments)
    assert (result.code, result.out) == (2, "")
    assert says in result.err
    assert result.err.count("\n") == 1


def test_carre_without_a_charger_is_the_printed_row(ok: Callable[..., Any]) -> None:
    """Prusse, French column at 2 hexes: 11-43, 44-61, 62-66."""
    answer = ok(
        "chart", "carre", "--nation", "French", "--formation", "column", "--distance", 2, "--json"
    ).json
    assert {one["name"]: one["rolls"] for one in answer["outcomes"]} == {
        "formed": "11-43",
        "disordered": "44-61",
        "routed": "62-66",
    }
    assert (answer["modifiers"], answer["shift"]) == ([], 0)


@pytest.mark.parametrize("rules", shipped.names())
def test_no_modifier_of_a_charger_applies_without_one(rules: str) -> None:
    loaded = catalogue.load(rules)
    book = rulebook(loaded, loaded.switches())
    for row, entry in enumerate(book.carre_rows):
        answer = sim.chart(
            "carre", ruleset=rules, nation=entry.nations[0], formation=entry.formation, distance=2
        )
        assert not {label for label, _, _ in answer.modifiers} & {"light cavalry", "lancers", "heavy cavalry"}
        printed = book.carre_chart.values[4 * row + 1]
        assert answer.modifiers or answer["formed"].p == Fraction(
            int((printed == book.carre_chart.outcomes.index("formed")).sum()), 36
        )


def test_lancers_without_a_class_are_refused(carre: Callable[..., Any]) -> None:
    result = carre(
        "chart", "carre", "--nation", "French", "--formation", "column", "--distance", 2, "--lance"
    )
    assert (result.code, result.err) == (2, "carre: --charger must be given with --lance: light or heavy\n")
