"""Rules of a type of cavalry, as data of the rule set: what Cossacks may not charge, and what fire does to
them (D10.3; 0-decisions 5.28)."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest
import yaml

import sim
from sim.battle.refusals import forbidden
from sim.cli import main
from sim.ensemble.dice import ExhaustiveDice
from sim.errors import InputError
from sim.inputs.documents import Document
from sim.studies.batches import exact_tallies
from sim.studies.odds import variants_of
from sim.units import scenarios
from sim.units.charges import Charge
from tests.watched import watched

COSSACKS = {
    "name": "Cossacks",
    "nation": "Russian",
    "type": "Cossack",
    "movement": 14,
    "increments": 6,
    "melee": 18,
    "morale": 31,
}
LIGNE = {
    "nation": "French",
    "type": "Ligne",
    "formation": "column",
    "increments": 6,
    "fire": 6,
    "melee": 6,
    "morale": 24,
}
BATTERY = {"arm": "artillery", "nation": "French", "increments": 3, "fire": 18, "melee": 3, "morale": 26}
HUSSARS = {"arm": "cavalry", "nation": "French", "movement": 14, "increments": 6, "melee": 18, "morale": 25}


def data(target: dict[str, Any], **other: Any) -> dict[str, Any]:
    return {"ruleset": "hagelberg-1813", "charger": COSSACKS, "target": target, "distance": 6} | other


def charge(file: dict[str, Any]) -> Charge:
    found, problems = scenarios.check(Document("a charge", file))
    problems.raise_first()
    assert found is not None
    return found


@pytest.mark.parametrize("formation", ["column", "line", "square", "general order"])
def test_cossacks_may_not_charge_infantry_in_good_order(formation: str) -> None:
    reason = forbidden(charge(data(LIGNE | {"formation": formation})))
    assert "Cossack may not charge infantry in good order, as target is ([DIGEST] D10.3" in str(reason)


@pytest.mark.parametrize(
    ("target", "other", "may"),
    [
        (LIGNE | {"state": "disordered"}, {}, True),
        (LIGNE | {"state": "routed"}, {}, True),
        (LIGNE | {"state": "disordered", "battery": {}}, {}, False),
        (LIGNE | {"state": "disordered", "battery": {"formation": "limbered"}}, {}, True),
        (BATTERY, {}, False),
        (BATTERY, {"through": "flank"}, True),
        (BATTERY, {"through": "rear"}, True),
        (BATTERY | {"formation": "limbered"}, {}, True),
        (HUSSARS, {}, True),
    ],
)
def test_what_cossacks_may_charge(target: dict[str, Any], other: dict[str, Any], may: bool) -> None:
    assert (forbidden(charge(data(target, **other))) is None) == may


@pytest.mark.parametrize(
    "ruleset", ["friedland-1807", "leipzig-1813", "austerlitz-1805", "bautzen-1813", "hagelberg-1813"]
)
def test_the_rule_sets_with_cossacks_have_their_rules(ruleset: str) -> None:
    assert forbidden(charge(data(LIGNE, ruleset=ruleset)))


def test_other_russian_horse_and_a_type_without_rules_charge_what_they_like() -> None:
    assert (
        forbidden(charge(data(LIGNE, ruleset="friedland-1807", charger=COSSACKS | {"type": "Hussar"})))
        is None
    )


def test_one_cossack_regiment_keeps_the_whole_stack_from_charging() -> None:
    stack = COSSACKS | {"type": "Hussar", "stack": [COSSACKS | {"name": "below"}], "leader": {"cavalry": 1}}
    assert forbidden(charge(data(LIGNE, ruleset="bautzen-1813", charger=stack)))


def test_under_fire_cossacks_rout_with_any_loss_and_check_without() -> None:
    """The disordered column stands with 24 -6, 20 of 36; 6/2 at 6 is 1:2, 5 of 36 hit: rout without a roll.
    Without loss morale 31 passes with 18 of 36 and its level, 23. Where it does not stand, the recall roll
    needs a 5: two in three chase and rout.
    """
    found = charge(data(LIGNE | {"state": "disordered"}))
    tally = exact_tallies(found, variants_of(found.attacks[0], ["stand"]), ExhaustiveDice())[0][0]
    assert tally.p("charger routed") == F(20, 36) * (1 - F(31, 36) * F(23, 36)) + F(16, 36) * F(2, 3)


def test_a_second_unit_that_they_may_not_charge_is_refused_at_once_or_left_at_contact() -> None:
    """Named in the plan it is refused with the charge; a plan that weighs all rides up to it at most, and
    does not attack it."""
    second = LIGNE | {"at": "front-left", "hexes": 4, "name": "Second"}
    file = data(HUSSARS, neighbours=[second], plan={"square": "second", "second": 1})
    assert "as Second is" in str(forbidden(charge(file)))
    assert forbidden(charge(file | {"plan": {"square": "best", "second": 1}})) is None


def test_a_square_that_its_cavalry_may_not_charge_is_not_attacked_when_it_forms_before_it(
    tmp_path: Path,
) -> None:
    """A club's dragoons that charge no squares: allowed against a column, and the charge is over next to the
    square that it forms."""
    source = "[HOUSE] our club"
    dragoons = {
        "arm": "cavalry",
        "charges_not": [{"label": "squares", "when": {"target.formation": "square"}}],
        "source": source,
    }
    path = tmp_path / "club.yaml"
    club = {
        "ruleset": "club",
        "extends": "prusse-1806",
        "version": 1,
        "troops": {"French": {"Dragoon": dragoons}},
    }
    path.write_text(yaml.safe_dump(club), encoding="utf-8")
    horse = {
        "nation": "French",
        "type": "Dragoon",
        "movement": 12,
        "increments": 8,
        "melee": 30,
        "morale": 22,
    }
    foot = LIGNE | {"nation": "Prussian", "type": "Musketeer", "fire": 0}
    file = data(foot, ruleset=str(path), charger=horse)
    dice, _ = watched(file, "carre@4")
    formed = dice.chances["1.1.charge/carre/charger>target"]["formed"]
    assert formed > F(1, 2)
    assert dice.asked["1.1.melee/melee/charger>target"] < 1 - formed
    assert "squares" in str(forbidden(charge(file | {"target": foot | {"formation": "square"}})))


def test_a_refused_charge_is_one_error_with_its_rule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "charge.yaml"
    path.write_text(yaml.safe_dump(data(LIGNE | {"state": "disordered"})), encoding="utf-8")
    for command in ("odds", "explain"):
        assert main([command, str(path), "--set", "target.state=good"]) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert (
            "'charger.type' must be one that may make this charge: Cossack may not charge infantry "
            "in good order" in told.err
        )
    assert main(["sweep", str(path), "--vary", "target.state=good,disordered", "--response", "stand"]) == 0
    assert ["good", "–"] in [line.split() for line in capsys.readouterr().out.splitlines()]
    assert main(["compare", str(path), "--with", "target.state=good", "--response", "stand"]) == 0
    assert "not possible after: Cossack may not charge infantry in good order" in " ".join(
        capsys.readouterr().out.split()
    )
    with pytest.raises(InputError, match="may not charge infantry in good order"):
        sim.odds(data(LIGNE))
