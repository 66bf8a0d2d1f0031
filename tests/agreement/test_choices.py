"""What the charger chooses on its way, each value worked out from the rules first (seed 002; D N7, N21, N22;
0-decisions 3, 5.3, 5.35).

Carré, standing and morale are made certain by rule sets and rolls, so that what is left can be counted by
hand. Of 36 rolls, fire at 1:1 hits with 11; a check of morale 22 passes with 28.
"""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest
import yaml

import sim
from sim.cli import main
from sim.ensemble.dice import ExhaustiveDice
from sim.errors import InputError, ScriptError
from sim.inputs.documents import Document
from sim.report import narration
from sim.studies.batches import exact_tallies
from sim.studies.odds import odds, variants_of
from sim.studies.tally import Tally
from sim.units import scenarios
from tests.watched import watched

CHARGER = {"nation": "French", "type": "Dragoon", "movement": 12, "increments": 8, "melee": 30, "morale": 22}
TARGET = {
    "nation": "Prussian",
    "type": "Musketeer",
    "formation": "column",
    "increments": 8,
    "fire": 6,
    "melee": 16,
    "morale": 31,
}
SHAKEN = TARGET | {"state": "disordered", "fire": 0}


def rules(
    folder: Path, carre: str, stands: bool = True, parent: str = "prusse-1806", nation: str = "Prussian"
) -> str:
    """A rule set in which every carré attempt of a nation gives one result, and every stand check another."""
    source = "[HOUSE] made certain for a test"
    cells = {n: {carre: "11-66"} for n in (1, 2, 3, 4)}
    row = {"name": "All", "nations": [nation], "unit": "hexes", "cells": cells, "source": source}
    data = {
        "ruleset": "certain",
        "extends": parent,
        "version": 1,
        "carre": {
            "rows": [row | {"formation": formation} for formation in ("column", "line")],
            "modifiers": [],
        },
        "stand": {
            "modifiers": [
                {
                    "key": "certain",
                    "label": "certain",
                    "value": 35 if stands else -35,
                    "when": {},
                    "source": source,
                }
            ]
        },
    }
    path = folder / "certain.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return str(path)


def tally(data: dict[str, Any], response: str) -> Tally:
    charge, problems = scenarios.check(Document("a charge", data))
    problems.raise_first()
    assert charge is not None
    return exact_tallies(charge, variants_of(charge.attacks[0], [response]), ExhaustiveDice())[0][0]


def data(
    ruleset: str, plan: dict[str, Any], neighbours: list[dict[str, Any]] | None = None, **other: Any
) -> dict[str, Any]:
    way = {} if "path" in other else {"distance": 5}
    return (
        {
            "ruleset": ruleset,
            "charger": CHARGER,
            "target": TARGET,
            "neighbours": neighbours or [],
            "plan": plan,
        }
        | way
        | other
    )


# -- no target ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("no_target", "routed"), [("reach", 0), ("stop", 0), ("ride on", 1)])
def test_a_charge_whose_goal_is_out_of_reach_halts_in_order_unless_it_means_to_ride_on(
    no_target: str, routed: int
) -> None:
    """Twelve points lead to woods that it may not enter, and it has touched nobody: D4.3."""
    file = data(
        "prusse-1806", {"no_target": no_target}, distance=16, ground=[{"step": 13, "terrain": "woods"}]
    )
    assert tally(file, "stand").p("charger routed") == routed


@pytest.mark.parametrize(("no_target", "routed"), [("reach", F(1, 6)), ("stop", F(1, 6)), ("ride on", F(1))])
def test_in_2014_only_a_recalled_charger_halts(no_target: str, routed: F, tmp_path: Path) -> None:
    """Routed at three hexes, before it was the target, the goal runs ten hexes.

    Prussian heavy cavalry is recalled with 2 to 6.
    """
    ruleset = rules(tmp_path, "routed", parent="leipzig-1813", nation="French")
    charger = CHARGER | {"nation": "Prussian"}
    target = TARGET | {"nation": "French", "type": "Ligne"}
    file = data(ruleset, {"no_target": no_target}, charger=charger, target=target, distance=9)
    assert tally(file, "carre@3").p("charger routed") == routed


def test_a_square_that_the_plan_presses_is_ridden_at_whatever_is_done_without_a_target(
    tmp_path: Path,
) -> None:
    ruleset = rules(tmp_path, "formed")
    pressed, stopped = (
        tally(data(ruleset, {"no_target": choice}), "carre@4") for choice in ("reach", "stop")
    )
    assert pressed.events == stopped.events
    assert pressed.p("exhausted") > 0


@pytest.mark.parametrize(("no_target", "left_alone"), [("stop", 1), ("reach", 0)])
def test_a_goal_that_broke_within_reach_is_left_alone_only_by_a_charger_that_stops(
    no_target: str, left_alone: int, tmp_path: Path
) -> None:
    """Disordered at four hexes it goes three hexes back, seven off and within the sixteen points that are
    left: else it is contacted and meleed."""
    found = tally(data(rules(tmp_path, "disordered"), {"no_target": no_target}), "carre@4")
    assert (found.p("tired"), found.p("charge succeeds")) == (left_alone, 1)


# -- after a square that was not the target -----------------------------------------------------------


def test_a_charger_that_breaks_off_before_a_square_loses_nothing(tmp_path: Path) -> None:
    found = tally(data(rules(tmp_path, "formed"), {"square": "break off"}), "carre@4")
    assert (found.p("charger in order"), found.p("tired"), found.mean_loss("charger")) == (1, 1, 0)


def test_in_2014_a_charger_that_is_not_recalled_presses_the_square_it_would_leave(tmp_path: Path) -> None:
    """One roll in six: then the square, four hexes off when it formed and declared at two, is ridden onto."""
    ruleset = rules(tmp_path, "formed", parent="leipzig-1813", nation="French")
    charger, target = CHARGER | {"nation": "Prussian"}, TARGET | {"nation": "French", "type": "Ligne"}
    dice, _ = watched(data(ruleset, {"square": "break off"}, charger=charger, target=target), "carre@4")
    assert dice.chances["1.1.charge/halt/charger"] == {"recalled": F(5, 6), "not recalled": F(1, 6)}
    assert dice.asked["1.1.defensive-fire/fire/charger"] == F(1, 6)


TO_THE_RIGHT = {"square": "second", "second": 1, "second_path": [1, 0, 0]}
"""From four hexes before the target's hex one hexside to the right, and three hexes straight on: next to (-4,
4)."""


def second_unit(at: str, hexes: int, **other: Any) -> dict[str, Any]:
    return SHAKEN | {"at": at, "hexes": hexes, "name": "Second"} | other


def test_the_charger_turns_to_the_second_unit_and_charges_it_like_any_goal(tmp_path: Path) -> None:
    """The square forms at (-4, 0); the second unit stands at (-4, 4), four hexes to the right, and cannot
    stand: declared at two hexes, it routs."""
    ruleset = rules(tmp_path, "formed", stands=False)
    file = data(ruleset, TO_THE_RIGHT, [second_unit("front-left", 4)])
    dice, _ = watched(file, "carre@4", square="second")
    assert dice.asked["1.1.charge/stand/charger>neighbour-1"] == 1
    assert "1.1.charge/stand/charger>target" not in dice.asked
    found = tally(file, "carre@4")
    assert (found.p("charge succeeds"), found.p("target in square")) == (1, 1)


def test_a_second_unit_that_was_passed_at_two_hexes_is_not_attacked(tmp_path: Path) -> None:
    """It stands two hexes beside (-4, 0), where the square forms, and was not declared there: seed 000."""
    ruleset = rules(tmp_path, "formed", stands=False)
    file = data(ruleset, {"square": "second", "second": "Second"}, [second_unit("front-left", 2)])
    assert tally(file | {"distance": 4}, "carre@3").p("charge succeeds") == 0


def test_a_charger_that_turns_away_is_shot_at_where_it_leaves_a_hex_next_to_the_square_and_melees_nobody(
    tmp_path: Path,
) -> None:
    """To (-1, 0), next to the square, and off to (-2, 1): one shot of 8 x 3 / 3 at 6, 11 of 36, then a check
    that 8 of 36 fail.

    Routed, it waits for its rout move next to the square, which shoots again: 8 at 14 is 1:2, 5 of 36.
    """
    found = tally(data(rules(tmp_path, "formed"), {"square": "turn away", "away": [0, 0, 0, 2]}), "carre@4")
    routed = F(11, 36) * F(8, 36)
    assert found.p("charger routed") == routed
    assert found.mean_loss("charger") == F(11, 36) + routed * F(5, 36)
    assert (found.p("exhausted"), found.p("target in square")) == (0, 1)


def test_a_charger_that_turns_away_may_not_ride_into_another_unit(tmp_path: Path) -> None:
    """The second step is barred: it stays at the first hex, three hexes from the square, and nobody
    shoots."""
    column = TARGET | {"at": "front", "hexes": 2}
    file = data(
        rules(tmp_path, "formed"),
        {"square": "turn away", "away": [0, 0, 0]},
        [column | {"fire": 0}],
        path=[0, 0, 0, 0, 1, -1, 0],
        through="front",
    )
    assert tally(file, "carre@4").p("charge succeeds") == 0


def test_over_a_neighbour_s_square_in_the_way_the_charge_comes_to_its_goal_undeclared(tmp_path: Path) -> None:
    """The neighbour's square shoots twice with a third of 8 x 3 at 6, and no more, and hides the target until
    the charger is next to it."""
    square = TARGET | {"formation": "square", "at": "front", "hexes": 2}
    file = data(
        rules(tmp_path, "formed"), {"square": "ride over"}, [square], target=TARGET | {"fire": 0}, distance=6
    )
    dice, _ = watched(file, "stand", square="ride over")
    assert dice.chances["1.1.charge/fire/charger"][0] == F(25, 36)
    assert dice.chances["1.1.charge/fire/charger#2"][0] == F(25, 36)
    assert "1.1.charge/fire/charger#3" not in dice.asked
    assert "1.1.charge/stand/charger>target" not in dice.asked
    assert dice.asked["1.1.melee/pre-melee/charger>target"] > 0
    assert tally(file | {"plan": {}}, "stand").p("charge succeeds") == 0


def test_a_square_that_was_ridden_over_does_not_shoot_when_the_charge_leaves_the_hex_behind_it(
    tmp_path: Path,
) -> None:
    square = TARGET | {"formation": "square", "at": "front", "hexes": 4}
    file = data(
        rules(tmp_path, "formed"), {"square": "ride over"}, [square], target=TARGET | {"fire": 0}, distance=7
    )
    dice, _ = watched(file, "stand")
    assert len([name for name in dice.asked if name.startswith("1.1.charge/fire/charger")]) == 2


@pytest.mark.parametrize(("distance", "rides"), [(8, True), (9, False)])
def test_a_square_is_ridden_over_only_if_the_step_off_it_can_be_paid_too(
    distance: int, rides: bool, tmp_path: Path
) -> None:
    """Seven points, the extra ones included: from eight hexes five lead next to the square, and two over it
    and off."""
    square = TARGET | {"formation": "square", "at": "front", "hexes": 2}
    plan = {"square": "ride over", "no_target": "ride on"}
    file = data(
        rules(tmp_path, "formed"), plan, [square], charger=CHARGER | {"movement": 2}, distance=distance
    )
    dice, _ = watched(file, "stand")
    assert ("1.1.charge/fire/charger" in dice.asked) == rides


def test_a_square_with_somebody_behind_it_is_not_ridden_over(tmp_path: Path) -> None:
    """The target itself stands behind the neighbour's square: the charge ends in front of it."""
    square = TARGET | {"formation": "square", "at": "front"}
    dice, _ = watched(
        data(rules(tmp_path, "formed"), {"square": "ride over", "no_target": "ride on"}, [square]), "stand"
    )
    assert not [name for name in dice.asked if name.startswith("1.1.charge")]


def test_two_squares_in_a_row_shoot_twice_each(tmp_path: Path) -> None:
    """Onto the goal's square, off it and onto the one behind, off that: four shots at most, and the hex
    beyond is free."""
    square = TARGET | {"formation": "square", "at": "rear"}
    dice, _ = watched(
        data(rules(tmp_path, "formed"), {"square": "ride over"}, [square]), "carre@4", square="ride over"
    )
    shots = [name for name in dice.asked if name.startswith("1.1.charge/fire/charger")]
    assert len(shots) == 4


# -- after a unit that broke before it was the target --------------------------------------------------


@pytest.mark.parametrize("result", ["disordered", "routed"])
def test_a_unit_that_broke_before_it_was_the_target_may_be_left_alone(result: str, tmp_path: Path) -> None:
    found = tally(data(rules(tmp_path, result), {"disordered": "break off"}), "carre@4")
    assert (found.p("clean success"), found.p("tired"), found.mean_loss("charger")) == (1, 1, 0)


def test_from_a_unit_that_broke_the_charge_may_turn_to_another(tmp_path: Path) -> None:
    plan = TO_THE_RIGHT | {"square": "press", "disordered": "second"}
    file = data(rules(tmp_path, "disordered", stands=False), plan, [second_unit("front-left", 4)])
    dice, _ = watched(file, "carre@4")
    assert dice.asked["1.1.charge/stand/charger>neighbour-1"] == 1


# -- the plan itself --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        (
            {"square": "second"},
            "'plan.square' second needs plan.second (the name or the number of a neighbour), but "
            "it is missing",
        ),
        (
            {"disordered": "turn away"},
            "'plan.disordered' turn away needs plan.away (the turns before each step, such as [1, "
            "0, 0]), but it is missing",
        ),
        (
            {"second": 3},
            "'plan.second' must be a neighbour's name or number, got 3. Known: 1 to 2, or Second, Own",
        ),
        (
            {"second": "Secund"},
            "'plan.second' must be a neighbour's name or number, got 'Secund'. Did you mean 'Second'?",
        ),
        (
            {"second": "Own"},
            "'plan.second' must be a neighbour of the target's side, got 'Own' of the charger's",
        ),
        ({"away": [4]}, "'plan.away[0]' must be an integer from -3 to 3, got 4"),
    ],
)
def test_a_plan_that_cannot_be_is_told_with_what_it_needs(plan: dict[str, Any], says: str) -> None:
    own = {
        "nation": "French",
        "type": "Ligne",
        "increments": 6,
        "fire": 6,
        "melee": 12,
        "morale": 31,
        "side": "charger",
        "at": "rear",
        "name": "Own",
    }
    with pytest.raises(InputError) as caught:
        tally(data("prusse-1806", plan, [second_unit("front-left", 4), own]), "stand")
    assert says in str(caught.value)


def test_best_plays_every_answer_to_a_square_that_is_possible(tmp_path: Path) -> None:
    ruleset = rules(tmp_path, "formed", stands=False)
    charge, _ = scenarios.check(
        Document("a charge", data(ruleset, TO_THE_RIGHT | {"square": "best"}, [second_unit("front-left", 4)]))
    )
    assert charge is not None
    assert [variant.square for variant in variants_of(charge.attacks[0], ["carre@4"])] == [
        "press",
        "break off",
        "second",
        "ride over",
    ]
    row = odds(charge, "carre@4").rows[0]
    assert (row.variant.square, row.tally.p("charge succeeds")) == ("second", 1)


# -- sight -------------------------------------------------------------------------------------------------


def test_a_goal_that_must_be_seen_at_the_start_is_not_charged_from_behind_a_wood() -> None:
    file = data(
        "hagelberg-1813", {}, target=TARGET | {"type": "Reserve"}, ground=[{"step": 2, "terrain": "woods"}]
    )
    assert tally(file, "stand").p("tired") == 1
    assert tally(file | {"switches": {"see_at_start": True}}, "stand").p("untouched") == 1
    assert (
        tally(file | {"switches": {"see_at_start": True}, "edition": 2022} | {"ground": []}, "stand").p(
            "untouched"
        )
        == 0
    )


def test_infantry_that_sees_the_charge_only_from_the_next_hex_may_form_square_only_there() -> None:
    file = data(
        "hagelberg-1813", {}, target=TARGET | {"type": "Reserve"}, switches={"carre_sight": "adjacent"}
    )
    assert "1.1.charge/carre/charger>target" not in watched(file, "carre@2")[0].asked
    assert watched(file, "carre@1")[0].asked["1.1.charge/carre/charger>target"] == 1


def test_the_plan_on_the_command_line_names_another_unit_and_another_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "charge.yaml"
    path.write_text(
        yaml.safe_dump(data("prusse-1806", {}, [second_unit("front-left", 4, name="II-Rüchel")])),
        encoding="utf-8",
    )
    ways = [
        "--plan",
        "second=II-Rüchel",
        "--plan",
        "second-path=[1, 0, 0]",
        "--plan",
        "away=[1, 1, 0]",
        "--plan",
        "no-target=ride-on",
    ]
    assert main(["odds", str(path), "--response", "carre@4", "--plan", "square=turn-away", *ways]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "square: turn away" in told
    assert "no target: ride on" in told
    assert "second: II-Rüchel, second path: [1, 0, 0], away: [1, 1, 0]" in told
    assert main(["odds", str(path), "--plan", "square=second"]) == 2
    assert "--plan square=second: 'plan.square' second needs plan.second" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("plan", "rolls", "told"),
    [
        ({"square": "break off"}, [], "[37] charger: breaks off and halts"),
        ({"square": "second"}, [11], "[38] charger: turns to Second"),
        ({"square": "turn away"}, [], "[37] charger: has gone its way and halts"),
        ({"square": "ride over"}, [11, 11], "[38] charger: rides off the square"),
    ],
)
def test_an_explained_run_tells_what_the_charger_chooses(
    plan: dict[str, Any], rolls: list[int], told: str, tmp_path: Path
) -> None:
    ways = {"second": 1, "second_path": [1, 0, 0], "away": [1, 1]}
    file = data(rules(tmp_path, "formed", stands=False), ways | plan, [second_unit("front-left", 4)])
    try:
        story = str(sim.explain(file, "carre@4", rolls=[11, *rolls]))
    except ScriptError as error:  # the choice is told before the rolls are used up
        story = "\n".join(narration.story(error.steps))
    assert told in story
