"""The rules of a charge as functions of arrays: carré, contact, recall, standing, readiness, trampling."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.charge.contact import CASES
from sim.rules import carre, charge, readiness, recall, stand
from sim.rules.contact import Meeting
from sim.vocabulary import (
    ARTILLERY,
    CAVALRY,
    COLUMN,
    DISORDERED,
    EXHAUSTED,
    FRESH,
    GENERAL_ORDER,
    GOOD,
    INFANTRY,
    LIMBERED,
    LINE,
    MASSE,
    ROUTED,
    SKIRMISH,
    SQUARE,
    TIRED,
    UNLIMBERED,
)

DOCS = Path(__file__).parents[2] / "docs" / "charge.md"


def one(value: Any) -> np.ndarray:
    return np.array([value])


# -- carré (5.1, 5.2) ---------------------------------------------------------------------------------

MAY = carre.Attempt(
    arm=one(INFANTRY),
    formation=one(COLUMN),
    state=one(GOOD),
    row=one(True),
    barred=one(False),
    carre=one(True),
    increments=one(3),
    least=3,
    hexes=one(4),
    reach=4,
    seen=one(True),
)
"""A unit that may just try."""

AGAINST: list[tuple[int, dict[str, Any]]] = [
    (carre.NOT_INFANTRY, {"arm": one(CAVALRY)}),
    (carre.SKIRMISHING, {"formation": one(SKIRMISH)}),
    (carre.IN_SQUARE, {"formation": one(SQUARE)}),
    (carre.IN_GENERAL_ORDER, {"formation": one(GENERAL_ORDER)}),
    (carre.IN_MASSE, {"formation": one(MASSE)}),
    (carre.NOT_IN_ORDER, {"state": one(DISORDERED)}),
    (carre.NO_ROW, {"row": one(False)}),
    (carre.BARRED, {"barred": one(True)}),
    (carre.NO_CARRE, {"carre": one(False)}),
    (carre.TOO_FEW, {"increments": one(2)}),
    (carre.OUT_OF_RANGE, {"hexes": one(5)}),
    (carre.OUT_OF_SIGHT, {"seen": one(False)}),
]


def test_a_unit_with_nothing_against_it_may_try() -> None:
    assert carre.refusal(MAY).tolist() == [carre.ALLOWED]


@pytest.mark.parametrize(("reason", "change"), AGAINST, ids=[carre.REFUSALS[one] for one, _ in AGAINST])
def test_each_reason_against_an_attempt_stands_alone(reason: int, change: dict[str, Any]) -> None:
    assert carre.refusal(replace(MAY, **change)).tolist() == [reason]


def test_the_first_reason_against_an_attempt_is_told() -> None:
    """Whatever else is against it: each reason comes before all that follow it in docs/charge.md 5.1."""
    changes: dict[str, Any] = {}
    for reason, change in reversed(AGAINST):
        changes |= change
        assert carre.refusal(replace(MAY, **changes)).tolist() == [reason]
    assert [number for number, _ in carre.REASONS] == [reason for reason, _ in AGAINST]


@pytest.mark.parametrize(("row", "distance", "column"), [(0, 1, 0), (0, 4, 3), (2, 1, 8), (1, 9, 7)])
def test_a_carre_row_has_four_columns_and_the_last_is_for_all_that_is_farther(
    row: int, distance: int, column: int
) -> None:
    assert carre.column(one(row), one(distance)).tolist() == [column]


# -- contact (6.0 to 6.10) ----------------------------------------------------------------------------

SWITCHES: dict[str, bool | int | str] = {
    "pgd_target": "flees",
    "lone_limbered": "rout",
    "square_checks": True,
}
MET = Meeting(
    arm=one(INFANTRY),
    formation=one(COLUMN),
    attempt=one(0),
    as_target=one(False),
    barred=one(False),
    target=one(True),
    bonus=one(True),
    switches=SWITCHES,
)
"""A column in good order, charged with the bonus."""


def case_of(meeting: Meeting) -> tuple[str, str]:
    found = next(case for case in CASES if case.when(meeting)[0])
    return found.paragraph, found.name


@pytest.mark.parametrize(
    ("paragraph", "name", "change"),
    [
        ("6.0", "passed, or not to be charged", {"barred": one(True), "attempt": one(carre.FORMED)}),
        ("6.1", "formed in this charge", {"attempt": one(carre.FORMED), "formation": one(SQUARE)}),
        ("6.2", "routed as the target", {"attempt": one(carre.BROKEN), "as_target": one(True)}),
        ("6.3", "disordered as the target", {"attempt": one(carre.SHAKEN), "as_target": one(True)}),
        ("6.4", "routed by its attempt", {"attempt": one(carre.BROKEN)}),
        (
            "6.4",
            "routed by its attempt",
            {
                "attempt": one(carre.BROKEN),
                "as_target": one(True),
                "switches": SWITCHES | {"pgd_target": "stays"},
            },
        ),
        ("6.5", "skirmish order", {"formation": one(SKIRMISH)}),
        ("6.6", "cavalry", {"arm": one(CAVALRY)}),
        ("6.7", "limbered guns alone", {"arm": one(ARTILLERY), "formation": one(LIMBERED)}),
        ("6.7", "unlimbered guns alone", {"arm": one(ARTILLERY), "formation": one(UNLIMBERED)}),
        ("6.8", "square from before the charge, to check", {"formation": one(SQUARE)}),
        ("6.8", "square from before the charge", {"formation": one(SQUARE), "bonus": one(False)}),
        (
            "6.8",
            "square from before the charge",
            {"formation": one(SQUARE), "switches": SWITCHES | {"square_checks": False}},
        ),
        ("6.9", "Masse, to check", {"formation": one(MASSE)}),
        ("6.9", "Masse", {"formation": one(MASSE), "bonus": one(False)}),
        ("6.10", "any other, with the bonus", {}),
        ("6.10", "any other, with the bonus", {"attempt": one(carre.SHAKEN)}),
        (
            "6.10",
            "any other, with the bonus",
            {
                "arm": one(ARTILLERY),
                "formation": one(LIMBERED),
                "switches": SWITCHES | {"lone_limbered": "stand"},
            },
        ),
        ("6.10", "any other", {"bonus": one(False), "formation": one(LINE)}),
    ],
)
def test_a_contact_is_the_first_case_that_fits(paragraph: str, name: str, change: dict[str, Any]) -> None:
    assert case_of(replace(MET, **change)) == (paragraph, name)


def test_the_cases_of_a_contact_stand_in_the_order_of_the_page() -> None:
    page = re.findall(r"^\*\*(6\.\d+)\*\*", DOCS.read_text(), re.M)
    cited = list(dict.fromkeys(case.paragraph for case in CASES))
    assert cited == [one for one in page if one in cited]
    assert cited == [f"6.{k}" for k in range(11)]


# -- recall, stand check, readiness, trampling --------------------------------------------------------


@pytest.mark.parametrize(
    ("recalled", "planned", "near", "must", "follows"),
    [
        (True, True, True, False, True),
        (True, True, False, True, True),
        (True, True, False, False, False),
        (True, False, True, True, False),
        (False, True, True, True, False),
    ],
)
def test_who_is_recalled_follows_by_plan_and_where_he_may_only_to_what_is_near(
    recalled: bool, planned: bool, near: bool, must: bool, follows: bool
) -> None:
    found = recall.follows(one(recalled), one(planned), one(near), one(must))
    assert found.tolist() == [follows]


def test_who_is_not_recalled_chases_where_recall_is_a_must() -> None:
    recalled = np.array([True, False])
    assert recall.chases(recalled, True).tolist() == [False, True]
    assert recall.chases(recalled, False).tolist() == [False, False]


def test_only_a_disordered_unit_routs_in_place_and_where_the_rules_say_so() -> None:
    states = np.array([GOOD, DISORDERED, ROUTED])
    assert stand.stays(states, True).tolist() == [False, True, False]
    assert stand.stays(states, False).tolist() == [False, False, False]


@pytest.mark.parametrize(
    ("before", "meleed", "preserves", "after"),
    [
        (FRESH, False, False, TIRED),
        (FRESH, False, True, TIRED),
        (FRESH, True, False, EXHAUSTED),
        (FRESH, True, True, FRESH),
        (TIRED, True, True, TIRED),
        (EXHAUSTED, False, False, EXHAUSTED),
    ],
)
def test_a_charge_tires_and_a_melee_exhausts_unless_fought_at_a_third(
    before: int, meleed: bool, preserves: bool, after: int
) -> None:
    """Docs/charge.md 10.15, 10.16."""
    assert readiness.after_charge(one(before), one(True), one(meleed), one(preserves)).tolist() == [after]
    assert readiness.after_charge(one(before), one(False), one(meleed), one(preserves)).tolist() == [before]


@pytest.mark.parametrize(
    ("left", "men", "lost", "cost"), [(3, 9, 6, 3), (3, 5, 5, 3), (0, 5, 0, 0), (4, 1, 1, 1)]
)
def test_skirmishers_caught_may_lose_two_increments_a_point(
    left: int, men: int, lost: int, cost: int
) -> None:
    """`skirmish_trample: points`; docs/charge.md 6.5."""
    loss, price = charge.trampled_at_half_points(one(left), one(men))
    assert (loss.tolist(), price.tolist()) == ([lost], [cost])


def test_light_cavalry_turns_two_hexsides_heavy_one_and_all_three_without_a_cap() -> None:
    light = np.array([True, False])
    assert charge.turn_cap(light, True).tolist() == [2, 1]
    assert charge.turn_cap(light, False).tolist() == [3, 3]
