"""What a modifier may ask for and do: printed morale, terrain, losses by fire; taking others back, sparing a
check."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.cli import main
from sim.report.narration import explain
from sim.rulesets import catalogue, chain, consistency
from sim.rulesets.conditions import Condition
from sim.rulesets.modifiers import Modifier, ModifierTable, facts
from sim.rulesets.rulebook import Rulebook
from tests.watched import charge_of, watched

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A rule set over prusse-1806 (its own text begins on line 2)."""

    def make(text: str) -> Path:
        path = tmp_path / "mine.yaml"
        path.write_text("extends: prusse-1806\n" + text, encoding="utf-8")
        return path

    return make


def book(path: Path) -> Rulebook:
    rules = catalogue.load(str(path))
    return Rulebook(rules, rules.switches())


def data(path: Path | str, **target: Any) -> dict[str, Any]:
    """Dragoons who never fail a check but on 11 charge musketeers in column from five hexes."""
    return {
        "ruleset": str(path),
        "charger": {
            "nation": "French",
            "type": "Dragoon",
            "increments": 8,
            "morale": 11,
            "melee": 30,
            "movement": 12,
        },
        "target": {
            "nation": "Prussian",
            "type": "Musketeer",
            "increments": 6,
            "morale": 16,
            "fire": 24,
            "melee": 16,
        }
        | target,
        "distance": 5,
    }


def stands(path: Path | str, **target: Any) -> Fraction:
    """Chance that the target passes its check to stand."""
    return (
        watched(data(path, **target))[0].chances["1.1.charge/stand/charger>target"].get("pass", Fraction(0))
    )


def told(path: Path | str, **target: Any) -> list[dict[str, Any]]:
    """The steps of a run."""
    steps: list[dict[str, Any]] = explain(charge_of(data(path, **target)), "stand")["steps"]
    return steps


# -- printed morale -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("morale", "shift"), [(11, 5), (16, 5), (21, 0), (22, 0), (66, 5), (65, 0)])
def test_a_condition_on_morale_is_a_range_of_rolls(write: Write, morale: int, shift: int) -> None:
    text = (
        "stand: {modifiers: [{key: e, label: elite, value: 5, when: {unit.morale: [11-16, 66]}, "
        "source: '[HOUSE] c'}]}\nmorale: {modifiers: []}"
    )
    assert book(write(text)).stand_modifiers.apply(facts({"unit.morale": morale}), 1).total[0] == shift


def test_a_range_excluded_holds_for_all_others(write: Write) -> None:
    text = (
        "stand: {modifiers: [{key: e, label: e, value: 5, when: {unit.morale not: 11-16}, source: "
        "'[HOUSE] c'}]}\nmorale: {modifiers: []}"
    )
    table = book(write(text)).stand_modifiers
    assert [int(table.apply(facts({"unit.morale": face}), 1).total[0]) for face in (11, 16, 21, 66)] == [
        0,
        0,
        5,
        5,
    ]


def test_printed_morale_counts_in_a_charge(write: Write) -> None:
    path = write(
        "stand: {modifiers: {elite: {label: elite, value: -12, when: {target.morale: 11-16}, "
        "source: '[HOUSE] c'}}}"
    )
    assert stands(path, morale=16) == stands("prusse-1806", morale=16) - Fraction(12, 36)
    assert stands(path, morale=21) == stands("prusse-1806", morale=21)


# -- terrain --------------------------------------------------------------------------------------------


def test_the_terrain_a_unit_stands_in_counts_in_a_charge(write: Write) -> None:
    path = write(
        "terrain: {heath: {infantry: 1, cavalry: 1, artillery: 1, charge: true, blocks: false, "
        "source: '[HOUSE] c'}}\n"
        "stand: {modifiers: {heath: {label: behind the heath, value: -6, when: {unit.terrain: "
        "heath}, source: '[HOUSE] c'}}}"
    )
    assert stands(path, terrain="heath") == stands(path) - Fraction(6, 36)


# -- cancelling -----------------------------------------------------------------------------------------


def line(key: str, value: int, **more: Any) -> Modifier:
    return Modifier(key, key, ((0, value),), None, (), "[HOUSE] c", **more)


def amounts(*lines: Modifier) -> list[int]:
    applied = ModifierTable(lines).apply({}, 1)
    assert int(applied.total[0]) == sum(int(one[0]) for _, one in applied.items)
    return [int(one[0]) for _, one in applied.items]


def test_a_line_takes_back_all_below_0_or_all_above_or_some_by_their_keys() -> None:
    table = (line("a", -3), line("b", -6), line("c", 4))
    assert amounts(*table, line("elite", 0, cancels="minus")) == [-3, -6, 4, 9]
    assert amounts(*table, line("elite", 0, cancels="plus")) == [-3, -6, 4, -4]
    assert amounts(*table, line("elite", 0, cancels=("b", "c"))) == [-3, -6, 4, 2]
    assert amounts(*table, line("elite", 1, cancels=("b",))) == [-3, -6, 4, 7]


def test_nothing_is_taken_back_twice() -> None:
    assert amounts(
        line("a", -3), line("b", -6), line("x", 0, cancels="minus"), line("y", 0, cancels=("a",))
    ) == [-3, -6, 9, 0]


def test_a_line_that_takes_back_does_so_only_where_its_own_conditions_hold() -> None:
    table = ModifierTable(
        (
            line("a", -3),
            Modifier(
                "x", "x", ((0, 0),), None, (Condition("unit.leader", False, (1,)),), "", cancels="minus"
            ),
        )
    )
    applied = table.apply({"unit.leader": np.array([1, 0, 1])}, 3)
    assert applied.total.tolist() == [0, -3, 0]


def test_elites_ignore_penalties_in_a_charge(write: Write) -> None:
    """Half lost (-6) and heavy cavalry (-3) are taken back from morale 16, which then has 30 of 36; from
    morale 21 they are not."""
    elite = write(
        "stand: {modifiers: {elite: {label: elites, cancels: minus, when: {target.morale: 11-16}, "
        "source: '[HOUSE] c'}}}"
    )
    assert stands("prusse-1806", morale=16, printed=12) == Fraction(21, 36)
    assert stands(elite, morale=16, printed=12) == Fraction(30, 36)
    assert (
        stands(elite, morale=21, printed=12)
        == stands("prusse-1806", morale=21, printed=12)
        == Fraction(20, 36)
    )
    (step,) = [
        one
        for one in told(elite, morale=16, printed=12)
        if one.get("decision") == "1.1.charge/stand/charger>target"
    ]
    assert [one["value"] for one in step["modifiers"]] == [-3, -6, 9]


# -- losses by fire -------------------------------------------------------------------------------------


def test_a_value_is_counted_per_number() -> None:
    table = ModifierTable((Modifier("f", "f", ((0, -3),), None, (), "", per="unit.fire_losses"),))
    assert table.apply({"unit.fire_losses": np.array([0, 1, 4])}, 3).total.tolist() == [0, -3, -12]


def test_losses_by_fire_are_kept_apart_only_where_a_line_asks_for_them(write: Write) -> None:
    assert not book(chain.locate("prusse-1806")).counts_fire_losses
    assert book(
        write("stand: {modifiers: {f: {label: f, value: -3, per: target.fire_losses, source: '[HOUSE] c'}}}")
    ).counts_fire_losses
    assert book(
        write(
            "stand: {modifiers: {f: {label: f, value: -3, when: {target.fire_losses: [1, 2]}, "
            "source: '[HOUSE] c'}}}"
        )
    ).counts_fire_losses


def test_losses_by_fire_count_in_a_charge(write: Write) -> None:
    """24 against 6 is 4:1: one increment on 25 rolls, two on 9; of morale 11, roll - 6 a loss must be above:
    29 and 23 of 36."""
    path = write(
        "morale: {modifiers: {shot: {label: shot, value: -6, per: unit.fire_losses, source: '[HOUSE] c'}}}"
    )
    found = watched(data(path))[0].chances["1.1.defensive-fire/loss-check/charger"]
    assert found["pass"] == Fraction(25 * 29 + 9 * 23, 36 * 34)


# -- no check -------------------------------------------------------------------------------------------


def test_who_is_spared_the_check_stands_without_a_roll(write: Write) -> None:
    path = write(
        "stand: {modifiers: {order: {label: veterans, no_check: true, when: {target.morale: "
        "11-26}, source: '[HOUSE] club'}}}"
    )
    dice, _ = watched(data(path, morale=26))
    assert "1.1.charge/stand/charger>target" not in dice.asked
    assert dice.asked["1.1.defensive-fire/fire/charger"] == 1
    assert [one["text"] for one in told(path, morale=26) if "no check" in one["text"]] == [
        "makes no check: veterans ([HOUSE] club)"
    ]
    assert "1.1.charge/stand/charger>target" in watched(data(path, morale=31))[0].asked


def test_some_of_a_hex_may_be_spared_while_others_roll(write: Write) -> None:
    """Disordered lanes roll, those in good order do not: the chance of the loss check is that of the
    disordered alone."""
    path = write(
        "morale: {modifiers: {order: {label: steady, no_check: true, when: {unit.fire_losses: 1}, "
        "source: '[HOUSE] club'}}}"
    )
    dice, _ = watched(data(path))
    assert dice.asked["1.1.defensive-fire/loss-check/charger"] / dice.asked[
        "1.1.defensive-fire/fire/charger"
    ] == Fraction(9, 36)


def test_the_chart_says_that_no_check_is_made(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(
        "stand: {modifiers: {order: {label: veterans, no_check: true, when: {target.formation: "
        "line}, source: '[HOUSE] club'}}}"
    )
    assert (
        main(
            [
                "chart",
                "stand",
                "--morale",
                "66",
                "--formation",
                "line",
                "--charger",
                "heavy",
                "--ruleset",
                str(path),
            ]
        )
        == 0
    )
    told = capsys.readouterr().out
    assert "no check: veterans ([HOUSE] club)" in told
    assert "36/36" in told


# -- mistakes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "stand: {modifiers: {a: {label: a, value: 1, when: {unit.morale: 18}}}}",
            "when.unit.morale' must be a range of rolls from low to high such as",
        ),
        (
            "stand: {modifiers: {a: {label: a, value: 1, when: {unit.terrain: wood}}}}",
            "when.unit.terrain' must be a terrain of the rule set, got 'wood'. Did",
        ),
        (
            "stand: {modifiers: {a: {label: a, value: 1, when: {unit.fire_losses: -1}}}}",
            "fire_losses' must be an integer from 0 to 36 (increments), got",
        ),
        (
            "stand: {modifiers: {a: {label: a, value: 1, per: target.morale}}}",
            "per' must be target.level, target.fire_losses, charger.level",
        ),
        (
            "stand: {modifiers: {a: {label: a, per: target.level}}}",
            "'stand.modifiers.a' must have either 'value', or 'values' and 'of', got neither",
        ),
        (
            "stand: {modifiers: {a: {label: a, cancels: minuss}}}",
            "cancels' must be minus, plus, or a list of keys of modifiers, got 'minuss'. Did you",
        ),
        (
            "stand: {modifiers: {a: {label: a, cancels: []}}}",
            "cancels' must be minus, plus, or a list of keys of modifiers, got a list of 0",
        ),
        ("stand: {modifiers: {a: {label: a, no_check: false}}}", "no_check' must be true, got false"),
        (
            "stand: {modifiers: {a: {label: a, no_check: true, value: 3}}}",
            "no_check' must stand without 'value': who makes no check has no use for it",
        ),
        ("carre: {modifiers: {a: {label: a, no_check: true}}}", "no_check' is not a known field"),
        (
            "premelee: {modifiers: {a: {label: a, defence: 3}}}",
            "'premelee.modifiers.a' must have the field 'attack' (an integer from -35 to 35)",
        ),
    ],
)
def test_a_mistake_in_what_a_modifier_asks_for_is_told(write: Write, text: str, told: str) -> None:
    errors = consistency.check(
        *chain.merge(write(text.replace("{label: a", "{source: '[HOUSE] c', label: a")))
    ).errors
    assert any(told in line for line in errors), errors


def test_keys_that_are_not_there_to_be_taken_back_are_warned_of(write: Write) -> None:
    path = write(
        "stand: {modifiers: {a: {label: a, cancels: [lancer, half lost, level], source: '[HOUSE] c'}}}"
    )
    warnings = consistency.check(*chain.merge(path)).warnings
    assert [text.partition(": ")[2] for text in warnings] == [
        "'stand.modifiers.a.cancels[0]' should be the key of a modifier of this table or of a "
        "morale modifier, got 'lancer'. Did you mean 'lancers'?"
    ]


# -- what a failed recovery costs -----------------------------------------------------------------------


@pytest.mark.parametrize(("nation", "cost"), [("Saxon", 1), ("French", 0)])
def test_a_failed_recovery_costs_saxons_an_increment(nation: str, cost: int) -> None:
    """Disordered friends far from any enemy: morale 31, -3, recover on 20 of 36 (35 and more); nothing else
    can cost them anything."""
    kind = {"Saxon": "Line", "French": "Ligne"}[nation]
    friend = {
        "nation": nation,
        "type": kind,
        "increments": 5,
        "fire": 5,
        "melee": 9,
        "morale": 31,
        "state": "disordered",
        "side": "charger",
    }
    file = {
        "ruleset": "hagelberg-1813",
        "charger": {"nation": "French", "movement": 12, "increments": 8, "melee": 30, "morale": 11},
        "target": {
            "nation": "Prussian",
            "type": "Reserve",
            "increments": 6,
            "fire": 1,
            "melee": 9,
            "morale": 26,
        },
        "neighbours": [friend | {"at": "front-right", "hexes": 12}],
        "distance": 5,
    }
    dice, forces = watched(file)
    unit = [one.id for one in forces.units].index("neighbour-1")
    assert dice.chances["1.1.recovery/recovery/neighbour-1"]["pass"] == Fraction(20, 36)
    left = forces.printed[unit] - forces.increments[unit]
    lost = sum(weight * int(gone) for weight, gone in zip(dice.fractions(), left, strict=True))
    assert lost == cost * Fraction(16, 36)
