"""The pure functions of the rules, each against the rule's words or a slow, obvious version of them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.ensemble.ratios import Ratio
from sim.inputs import documents
from sim.report.narration import explain
from sim.rules import charge, fire, melee, morale
from sim.rules.carre import ALLOWED, NEVER_AT_DISTANCE, REFUSALS
from sim.rules.strengths import total
from sim.rulesets import catalogue, shipped
from sim.rulesets.modifiers import facts
from sim.rulesets.rulebook import Rulebook, rulebook
from sim.units import scenarios
from sim.vocabulary import (
    ARTILLERY,
    CAVALRY,
    COLUMN,
    DISORDERED,
    GOOD,
    INFANTRY,
    LIMBERED,
    LINE,
    ROUTED,
    UNLIMBERED,
)

few = settings(max_examples=60)


def book_of(name: str) -> Rulebook:
    rules = catalogue.load(name)
    return rulebook(rules, rules.switches())


def one(*values: int) -> np.ndarray[Any, Any]:
    return np.array(values)


def of(value: Fraction | int | str) -> Ratio:
    return Ratio.of(Fraction(value))


# -- morale: losses that call for a check (rule 31; C2) -----------------------------------------------

# how troops are described, first and step of the trigger, and the cumulative losses up to 12 that call for a
# check
TRIGGERS = [
    ("even", 2, 2, [2, 4, 6, 8, 10, 12]),  # French line 1806, Austrian Grenz
    ("odd", 1, 2, [1, 3, 5, 7, 9, 11]),  # Austrian line, Prussian infantry 1806, Saxons
    ("every third", 3, 3, [3, 6, 9, 12]),  # French Guard of Prusse and Austerlitz
    ("every loss from the 2nd on", 2, 1, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),  # Russian musketeers
    ("odd, from the 3rd on", 3, 2, [3, 5, 7, 9, 11]),  # Russian Guard of Austerlitz
    ("every loss", 1, 1, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),  # cavalry, artillery
]


@pytest.mark.parametrize(
    ("words", "first", "step", "numbers"), TRIGGERS, ids=[words for words, *_ in TRIGGERS]
)
def test_cumulative_losses_call_for_a_check_when_they_pass_one_of_the_troops_numbers(
    words: str, first: int, step: int, numbers: list[int]
) -> None:
    """Every pair of losses before and after, up to 12."""
    pairs = [(before, after) for before in range(13) for after in range(before, 13)]
    before, after = np.array(pairs).T
    expected = [any(a < number <= b for number in numbers) for a, b in pairs]
    assert morale.loss_calls_for_check(before, after, first, step).tolist() == expected


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 40), st.integers(0, 12))
def test_any_trigger_is_first_and_every_step_after_it(first: int, step: int, before: int, lost: int) -> None:
    numbers = range(first, 60, step)
    expected = any(before < number <= before + lost for number in numbers)
    assert morale.loss_calls_for_check(one(before), one(before + lost), first, step).tolist() == [expected]


@pytest.mark.parametrize(
    ("name", "nation", "kind", "words"),
    [
        ("prusse-1806", "French", "Ligne", "even"),
        ("prusse-1806", "French", "Légère", "even"),
        ("prusse-1806", "French", "Guard", "every third"),
        ("prusse-1806", "Prussian", "Musketeer", "odd"),
        ("prusse-1806", "Prussian", "Fusilier", "odd"),
        ("prusse-1806", "Prussian", "Grenadier", "even"),
        ("prusse-1806", "Saxon", "Line", "odd"),
        ("austerlitz-1805", "French", "Ligne", "even"),
        ("austerlitz-1805", "French", "Guard", "every third"),
        ("austerlitz-1805", "Russian", "Musketeer", "every loss from the 2nd on"),
        ("austerlitz-1805", "Russian", "Jäger", "even"),
        ("austerlitz-1805", "Russian", "Grenadier", "even"),
        ("austerlitz-1805", "Russian", "Guard", "odd, from the 3rd on"),
        ("austerlitz-1805", "Austrian", "Linie", "odd"),
        ("austerlitz-1805", "Austrian", "Grenz", "even"),
        ("austerlitz-1805", "Austrian", "6th Battalion", "every loss"),
        ("wagram-1809", "French", "4th Battalion", "even"),
        ("wagram-1809", "Austrian", "Linie", "odd"),
        ("wagram-1809", "Austrian", "Grenz", "even"),
        ("bautzen-1813", "French", "Ligne", "even"),
        ("bautzen-1813", "Russian", "Musketeer", "even"),
        ("bautzen-1813", "Prussian", "Linie", "even"),
        ("leipzig-1813", "French", "Ligne", "odd"),
        ("leipzig-1813", "Austrian", "Linie", "odd"),
        ("leipzig-1813", "Russian", "Musketeer", "every loss from the 2nd on"),
        ("leipzig-1813", "Prussian", "Linie", "even"),
        ("friedland-1807", "French", "Ligne", "even"),
        ("friedland-1807", "Russian", "Musketeer", "every loss from the 2nd on"),
        ("friedland-1807", "Russian", "Jäger", "even"),
        ("raszyn-1809", "Polish", "Line", "even"),
        ("raszyn-1809", "Saxon", "Line", "odd"),
        ("raszyn-1809", "Austrian", "Linie", "odd"),
        ("raszyn-1809", "Austrian", "Grenz", "even"),
    ],
)
def test_troops_check_at_the_losses_of_their_battle(name: str, nation: str, kind: str, words: str) -> None:
    """C2 with its comparison of line infantry; 0-decisions 6 for what is lent."""
    losses = book_of(name).ruleset.merged["troops"][nation][kind]["losses"]
    assert (losses["first"], losses["step"]) == next(
        (first, step) for known, first, step, _ in TRIGGERS if known == words
    )


# -- morale: what failure does (rule 30; C4, E2) ------------------------------------------------------


@pytest.mark.parametrize(
    ("arm", "formation", "state", "becomes"),
    [
        (INFANTRY, COLUMN, GOOD, DISORDERED),
        (INFANTRY, LINE, GOOD, DISORDERED),
        (INFANTRY, COLUMN, DISORDERED, ROUTED),
        (INFANTRY, COLUMN, ROUTED, ROUTED),
        (CAVALRY, COLUMN, GOOD, ROUTED),
        (CAVALRY, LINE, GOOD, ROUTED),
        (CAVALRY, COLUMN, ROUTED, ROUTED),
        (ARTILLERY, LIMBERED, GOOD, DISORDERED),
        (ARTILLERY, LIMBERED, DISORDERED, ROUTED),
        (ARTILLERY, LIMBERED, ROUTED, ROUTED),
        (ARTILLERY, UNLIMBERED, GOOD, DISORDERED),
        (ARTILLERY, UNLIMBERED, DISORDERED, morale.STAYS),
    ],
)
def test_a_failed_check(arm: int, formation: int, state: int, becomes: int) -> None:
    """E2: unlimbered guns that are disordered already suffer no further harm; cavalry has no disordered
    state."""
    assert morale.failure(arm, one(state), one(formation)).tolist() == [becomes]


def test_failures_are_told_case_by_case() -> None:
    states, formations = (
        one(GOOD, DISORDERED, GOOD, DISORDERED),
        one(LIMBERED, LIMBERED, UNLIMBERED, UNLIMBERED),
    )
    assert morale.failure(ARTILLERY, states, formations).tolist() == [
        DISORDERED,
        ROUTED,
        DISORDERED,
        morale.STAYS,
    ]


# -- fire: strength (B2.2) ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("increments", "printed", "disordered", "strength"),
    [
        (6, 6, False, "9"),
        (2, 6, False, "9"),  # AE15 p11: full until one increment is left
        (1, 6, False, "9/2"),
        (1, 1, False, "9"),  # it never had more
        (6, 6, True, "9/2"),  # seed 004
        (1, 6, True, "9/4"),
    ],
)
def test_a_column_fires_its_printed_value(
    increments: int, printed: int, disordered: bool, strength: str
) -> None:
    found = fire.printed_fire(of(9), one(increments), printed, np.array([disordered]))
    assert found.fractions() == [Fraction(strength)]


@pytest.mark.parametrize(
    ("increments", "most", "multiple", "strength"),
    [
        (10, 4, 3, 12),  # seed 003: four increments fire from a line hex, whatever stands in it
        (5, 4, 3, 12),
        (4, 4, 3, 12),
        (3, 4, 3, 9),
        (1, 4, 2, 2),
        (5, 3, 4, 12),  # skirmishers: three
        (2, 3, 4, 8),
        (18, 12, 3, 36),  # a square: twelve (AU p24)
        (7, 12, 3, 21),
    ],
)
def test_a_line_square_or_skirmish_hex_fires_its_increments_up_to_the_most(
    increments: int, most: int, multiple: int, strength: int
) -> None:
    assert fire.counted_fire(one(increments), most, of(multiple)).fractions() == [strength]


def test_the_published_check_of_a_line_in_two_hexes() -> None:
    """AU p24: 10 increments in two hexes at ×3 fire 8 × 3 = 24."""
    hexes = fire.counted_fire(one(5, 5), 4, of(3))
    assert sum(hexes.fractions()) == 24


def test_the_caps_and_the_line_that_is_a_columns_target_are_those_of_the_rules() -> None:
    """Seed 003, A5.5, A5.7, A5.9."""
    for name in shipped.names():
        data = book_of(name).ruleset.merged["fire"]
        assert (
            data["caps"]["line"],
            data["caps"]["skirmish"],
            data["caps"]["square"],
            data["line_as_column"],
        ) == (4, 3, 12, 7)


@pytest.mark.parametrize(
    ("fire_value", "increments", "printed", "disordered", "strength"),
    [
        (18, 3, 3, False, "18"),
        (18, 2, 3, False, "12"),  # AE15 p11: in proportion
        (16, 1, 3, False, "16/3"),
        (18, 3, 3, True, "9"),
        (1, 1, 3, True, "1"),  # seed 004: never below one in disorder
        (1, 1, 3, False, "1/3"),
        (0, 3, 3, True, "0"),
    ],
)
def test_a_battery_fires_in_proportion_to_its_increments(
    fire_value: int, increments: int, printed: int, disordered: bool, strength: str
) -> None:
    assert fire.gun_fire(of(fire_value), one(increments), printed, np.array([disordered])).fractions() == [
        Fraction(strength)
    ]


# -- fire: the column (B2.4, B2.5) --------------------------------------------------------------------

COLUMNS = (
    "1:3",
    "1:2.5",
    "1:2",
    "1:1.5",
    "1:1",
    "1.5:1",
    "2:1",
    "2.5:1",
    "3:1",
    "4:1",
    "5:1",
    "6:1",
    "7:1",
    "8:1",
    "9:1",
    "10:1",
)


@pytest.mark.parametrize(
    ("attack", "defence", "column"),
    [
        ("17", 10, "1.5:1"),  # basic_rules_3rd_q1: 1.7 counts as 1.5, 1.3 as 1
        ("13", 10, "1:1"),
        ("39", 10, "3:1"),
        ("10", 12, "1:1.5"),  # 1:1.2, 1:1.6, 1:2.2
        ("10", 16, "1:2"),
        ("10", 22, "1:2.5"),
        ("9", 9, "1:1"),
        ("18", 6, "3:1"),
        ("17.999", 6, "2.5:1"),
        ("3", 9, "1:3"),
        ("2.9", 9, "1:3"),  # 0-decisions 5.17: below 1:3 the lowest column
        ("1", 100, "1:3"),
        ("0", 9, "1:3"),
        ("60", 6, "10:1"),
        ("500", 6, "10:1"),
    ],
)
def test_fire_odds_go_to_the_worse_column_for_the_firer(attack: str, defence: int, column: str) -> None:
    found = fire.fire_column(of(attack), one(defence), COLUMNS, np.array([False]), 1)
    assert [COLUMNS[number] for number in found] == [column]


@pytest.mark.parametrize(
    ("attack", "defence", "lowest", "column"),
    [
        ("2", 14, True, "1:2.5"),  # B2.5: 1:7, so 1:3, so 1:2.5
        ("18", 6, True, "4:1"),
        ("500", 6, True, "10:1"),
        ("2", 14, False, None),  # no fire, and canister does not change that
        ("2", 6, False, "1:2.5"),
    ],
)
def test_canister_moves_the_column_one_to_the_right(
    attack: str, defence: int, lowest: bool, column: str | None
) -> None:
    found = int(fire.fire_column(of(attack), one(defence), COLUMNS, np.array([True]), 1, lowest)[0])
    assert (None if found < 0 else COLUMNS[found]) == column


@few
@given(st.integers(0, 400), st.integers(1, 20), st.integers(1, 4))
def test_the_fire_column_is_the_last_that_the_odds_reach(thirds: int, defence: int, share: int) -> None:
    attack = Fraction(thirds, 3 * share)
    reached = [
        name
        for name in COLUMNS
        if Fraction(name.split(":")[0]) * defence <= attack * Fraction(name.split(":")[1])
    ]
    found = fire.fire_column(of(attack), one(defence), COLUMNS, np.array([False]), 1, lowest=False)
    assert found.tolist() == [len(reached) - 1]


@pytest.mark.parametrize(("increments", "amount"), [(1, 0), (9, 0), (10, 1), (12, 3), (18, 9)])
def test_each_increment_above_nine_adds_one(increments: int, amount: int) -> None:
    """Rule 22; B2.6."""
    assert fire.massed(one(increments), 9, 1).tolist() == [amount]


@pytest.mark.parametrize(
    ("result", "alone", "foot", "guns"),
    [(0, 0, 0, 0), (1, 0, 1, 0), (2, 1, 1, 1), (3, 1, 2, 1), (4, 2, 2, 2), (5, 2, 3, 2)],
)
def test_losses_of_guns_alone_and_of_infantry_with_guns(
    result: int, alone: int, foot: int, guns: int
) -> None:
    """B2.9: guns alone lose half, rounded down; with infantry the odd-numbered losses fall on it, the
    even-numbered on the guns."""
    yes, no = np.array([True]), np.array([False])
    assert [part.tolist() for part in fire.split_losses(one(result), no, yes)] == [[0], [alone]]
    assert [part.tolist() for part in fire.split_losses(one(result), yes, yes)] == [[foot], [guns]]
    assert [part.tolist() for part in fire.split_losses(one(result), yes, no)] == [[result], [0]]


LINE_UNDER_FIRE: dict[str, Any] = {
    "charger": {
        "nation": "French",
        "type": "Dragoon",
        "movement": 12,
        "increments": 8,
        "melee": 30,
        "morale": 11,
    },
    "target": {
        "nation": "Prussian",
        "type": "Musketeer",
        "formation": "line",
        "increments": 10,
        "fire": 5,
        "melee": 16,
        "morale": 11,
    },
    "neighbours": [
        # a friend of the charger beside the target, to shoot at it in the Offensive Fire segment
        {
            "side": "charger",
            "at": "front-right",
            "nation": "French",
            "type": "Ligne",
            "increments": 9,
            "fire": 18,
            "melee": 20,
            "morale": 11,
        },
    ],
    "plan": {"after_halt": "decline"},
}


def told(data: dict[str, Any], rolls: list[int]) -> list[str]:
    """What a scripted run says, line by line."""
    charge_, problems = scenarios.check(documents.Document("line", data))
    assert charge_ is not None, problems.errors
    return [f"{step['segment']}: {step['text']}" for step in explain(charge_, "stand", rolls=rolls)["steps"]]


@pytest.mark.parametrize(("increments", "defence", "column"), [(6, 9, "2:1"), (7, 6, "3:1"), (10, 6, "3:1")])
def test_four_increments_fire_from_a_line_of_ten_and_seven_or_more_have_a_columns_defence(
    increments: int, defence: int, column: str
) -> None:
    """Seed 003 in a battle: the line stands on 66, fires 4 × 3 = 12 at the cavalry's 6 without loss, and a
    column worth 18 fires on it."""
    data = LINE_UNDER_FIRE | {"target": LINE_UNDER_FIRE["target"] | {"increments": increments}}
    steps = told(data, [66, 11, 11])
    assert "defensive-fire: 12 against 6: column 2:1" in steps
    assert f"offensive-fire: 18 against {defence}: column {column}" in steps


# -- the charge (rules 37, 38, 42) --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "straight"),
    [([0, 0, 0], 3), ([1, 0, 0], 3), ([0, 1, 0], 2), ([0, 0, 2], 1), ([0, 0, -3, 0, 0], 3)],
)
def test_the_first_step_after_a_turn_counts_as_the_first_in_its_direction(
    path: list[int], straight: int
) -> None:
    """D4.8."""
    run = one(0)
    for turn in path:
        run = charge.straight_run(run, one(turn))
    assert run.tolist() == [straight]


@pytest.mark.parametrize(
    ("target", "straight", "ahead", "bonus"),
    [
        (True, 3, True, True),
        (True, 5, True, True),
        (True, 2, True, False),
        (True, 3, False, False),
        (False, 3, True, False),
    ],
)
def test_a_charge_counts_when_declared_and_straight_at_the_target_for_three_hexes(
    target: bool, straight: int, ahead: bool, bonus: bool
) -> None:
    """Seed 000."""
    assert charge.has_bonus(np.array([target]), one(straight), 3, np.array([ahead])).tolist() == [bonus]


@pytest.mark.parametrize(
    ("left", "increments", "points", "lost"),
    [(11, 7, 2, 5), (3, 7, 2, 1), (1, 7, 2, 0), (0, 7, 2, 0), (-2, 7, 2, 0), (20, 4, 2, 4), (9, 7, 3, 3)],
)
def test_one_increment_is_ridden_down_for_each_two_points_left(
    left: int, increments: int, points: int, lost: int
) -> None:
    """D N15.1."""
    assert charge.trampled(one(left), one(increments), points).tolist() == [lost]


@pytest.mark.parametrize(
    ("spent", "printed", "contact", "routs"),
    [
        (12, 12, False, True),
        (15, 12, False, True),
        (11, 12, False, False),
        (12, 12, True, False),
        (17, 12, True, False),
        (0, 12, False, False),
    ],
)
def test_a_charge_that_spent_its_printed_allowance_and_touched_nobody_routs(
    spent: int, printed: int, contact: bool, routs: bool
) -> None:
    """F14 fb124; D4.3."""
    assert charge.routs_without_contact(one(spent), printed, np.array([contact])).tolist() == [routs]


# -- carré (rule 38) ----------------------------------------------------------------------------------


def test_every_reason_to_refuse_a_carre_attempt_is_worded_once() -> None:
    assert REFUSALS[ALLOWED] == ""
    assert REFUSALS[NEVER_AT_DISTANCE] == REFUSALS[-1] == "the charger was never at that distance"
    assert len(set(REFUSALS)) == len(REFUSALS)


# -- melee: values (C10) ------------------------------------------------------------------------------

PRUSSE = book_of("prusse-1806")
HEAVY = {
    "unit.arm": "cavalry",
    "unit.class": "heavy",
    "unit.formation": "column",
    "unit.state": "good",
    "unit.readiness": "fresh",
}
LIGHT = HEAVY | {"unit.class": "light"}
FOOT = {
    "unit.arm": "infantry",
    "unit.class": "none",
    "unit.formation": "column",
    "unit.state": "good",
    "unit.readiness": "fresh",
}
ENEMY = {"enemy.arm": "infantry", "enemy.class": "none", "enemy.formation": "column", "enemy.state": "good"}
AROUND = {
    "hexside": "front",
    "facing": "front",
    "crosses": "none",
    "charge": False,
    "chasing": False,
    "preserving": False,
}


def value(
    unit: Mapping[str, object],
    side: str = "attack",
    printed: int = 36,
    increments: int = 6,
    strength: int = 6,
    **about: object,
) -> Fraction:
    """Melee value of one unit; `about` overrides attributes (`_` for `.`)."""
    known = (
        {**unit}
        | ENEMY
        | AROUND
        | {name.replace("_", ".", 1) if "_" in name else name: one_ for name, one_ in about.items()}
    )
    return melee.melee_value(
        of(printed), one(increments), strength, side, facts(known), PRUSSE.multipliers
    ).fractions()[0]


@pytest.mark.parametrize(
    ("unit", "side", "about", "expected"),
    [
        (HEAVY, "attack", {}, 36),
        (HEAVY, "attack", {"charge": True}, 72),
        (HEAVY, "defence", {"charge": True}, 36),
        (HEAVY, "attack", {"hexside": "flank"}, 72),  # LZ p12
        (HEAVY, "attack", {"hexside": "rear"}, 54),  # PR17 p31
        (HEAVY, "defence", {"hexside": "flank"}, 36),
        (HEAVY, "attack", {"enemy_formation": "square"}, 12),  # PR17 p17
        (FOOT, "attack", {"enemy_formation": "square"}, 54),
        (HEAVY, "attack", {"enemy_formation": "masse"}, 27),  # AE15 special p4
        (HEAVY, "attack", {"enemy_formation": "general order"}, 12),
        (HEAVY, "attack", {"enemy_arm": "cavalry", "enemy_class": "light"}, 72),  # PR17 p32
        (HEAVY, "defence", {"enemy_arm": "cavalry", "enemy_class": "light"}, 72),
        (
            HEAVY,
            "attack",
            {"enemy_arm": "cavalry", "enemy_class": "light", "facing": "flank"},
            36,
        ),  # only through the heavy's front
        (LIGHT, "attack", {"enemy_arm": "cavalry", "enemy_class": "heavy"}, 36),
        (HEAVY, "attack", {"unit_formation": "line"}, 18),
        (LIGHT, "attack", {"unit_formation": "line"}, 36),
        (HEAVY, "attack", {"chasing": True}, 18),  # HE21 fb134
        (HEAVY, "attack", {"unit_readiness": "tired"}, 18),  # LZ p32
        (HEAVY, "defence", {"unit_readiness": "exhausted"}, 12),
        (HEAVY, "attack", {"preserving": True}, 12),
        (
            HEAVY,
            "attack",
            {"unit_readiness": "exhausted", "preserving": True},
            4,
        ),  # LZ p32: 18 at exhausted is 2
        (
            HEAVY,
            "attack",
            {"unit_readiness": "tired", "preserving": True},
            6,
        ),  # 0-decisions 2: a third of a half
        (FOOT, "defence", {"unit_state": "disordered"}, 18),
        (FOOT, "defence", {"unit_state": "routed"}, 12),
        (HEAVY, "defence", {"unit_state": "routed"}, 9),
        (FOOT, "defence", {"unit_formation": "skirmish"}, 18),
        (HEAVY, "attack", {"crosses": "stream"}, 24),
        (
            HEAVY,
            "attack",
            {"charge": True, "hexside": "flank", "enemy_arm": "cavalry", "enemy_class": "light"},
            288,
        ),  # all multiplied
    ],
)
def test_melee_value(unit: dict[str, object], side: str, about: dict[str, Any], expected: int) -> None:
    """C10: factors of a unit worth 36."""
    assert value(unit, side, **about) == expected


@pytest.mark.parametrize(
    ("printed", "increments", "strength", "expected"),
    [(15, 4, 5, "12"), (15, 5, 5, "15"), (16, 1, 3, "16/3"), (13, 7, 9, "91/9"), (9, 0, 5, "0")],
)
def test_a_melee_value_shrinks_with_the_increments_and_keeps_fractions(
    printed: int, increments: int, strength: int, expected: str
) -> None:
    """AE15 p11: 5 increments worth 15, one lost, are worth 12."""
    assert value(FOOT, "defence", printed, increments, strength) == Fraction(expected)


def test_the_factors_that_applied_are_told_and_make_the_value() -> None:
    known = facts(HEAVY | ENEMY | AROUND | {"charge": True, "enemy.formation": "general order"})
    found = melee.melee_value(of(36), one(4), 6, "attack", known, PRUSSE.multipliers)
    assert [(factor.what, factor.sign, factor.amount, factor.counts) for factor in found.factors()] == [
        ("printed melee", "+", 36, ()),
        ("share", "×", Fraction(2, 3), (4, 6)),
        ("three straight hexes", "×", 2, ()),
        ("cavalry against general order", "×", Fraction(1, 3), ()),
    ]
    assert total(found.factors()) == found.fractions()[0] == 16


# -- melee: odds (C9, C11) ----------------------------------------------------------------------------

BELOW = {"1:2": -6, "1:3": -12}


@pytest.mark.parametrize(
    ("attack", "defence", "column", "shift"),
    [
        ("5", "1", "5:1", 0),
        ("4.999", "1", "4.5:1", 0),
        ("500", "1", "5:1", 0),
        ("4.5", "1", "4.5:1", 0),
        ("4", "1", "4:1", 0),
        ("3.5", "1", "3.5:1", 0),
        ("3", "1", "3:1", 0),
        ("2.999", "1", "2.5:1", 0),
        ("2.5", "1", "2.5:1", 0),
        ("2", "1", "2:1", 0),
        ("1.5", "1", "1.5:1", 0),
        ("1.499", "1", "1:1", 0),
        ("7/3", "7/3", "1:1", 0),
        ("0.999", "1", "1:2", 0),
        ("8", "16", "1:2", 0),  # exactly 1:2
        ("23/3", "16", "1:2", -6),  # just below
        ("16/3", "16", "1:2", -6),  # exactly 1:3
        ("5", "16", "1:2", -12),
        ("0", "16", "1:2", -12),
        ("1", "0", "5:1", 0),  # no defence at all
        ("0", "0", "1:2", -12),
    ],
)
def test_melee_odds_go_down_to_the_next_column_and_shift_the_dice_below_the_table(
    attack: str, defence: str, column: str, shift: int
) -> None:
    """C11 and the note of the melee chart: below 1:2 the dice lose 6, below 1:3 they lose 12."""
    columns = PRUSSE.melee_columns
    found, amount = melee.melee_column(of(attack), of(defence), columns, BELOW)
    assert ([columns[number] for number in found], amount.tolist()) == ([column], [shift])


def test_melee_odds_are_told_case_by_case() -> None:
    attack, defence = Ratio.made([30, 15, 7, 5], 1), Ratio.made([10, 10, 16, 16], 1)
    found, amount = melee.melee_column(attack, defence, PRUSSE.melee_columns, BELOW)
    assert [PRUSSE.melee_columns[number] for number in found] == ["3:1", "1.5:1", "1:2", "1:2"]
    assert amount.tolist() == [0, 0, -6, -12]


@pytest.mark.parametrize(
    ("attackers", "defenders", "column"),
    [
        (1, 9, "1:2"),
        (3, 6, "1:2"),
        (5, 6, "1:2"),
        (6, 6, "1:1"),
        (11, 6, "1:1"),
        (12, 6, "2:1"),
        (17, 6, "2:1"),
        (18, 6, "3:1"),
        (29, 6, "4:1"),
        (99, 6, "5:1"),
    ],
)
def test_premelee_odds_are_increments_down_to_the_next_column_and_not_below_the_first(
    attackers: int, defenders: int, column: str
) -> None:
    """C9."""
    columns = ("1:2", "1:1", "2:1", "3:1", "4:1", "5:1")
    assert [columns[number] for number in melee.premelee_column(of(attackers), of(defenders), columns)] == [
        column
    ]
