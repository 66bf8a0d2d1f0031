"""The exact odds against icepool, which knows no rule of ours: printed numbers, its dice, our fractions.

The numbers are those of the default charge: a Prussian battalion in line of morale 31, from three hexes 11-56 forms
square, 61-64 is disordered, 65-66 routs (D12); +3 in line and -3 against heavy cavalry when it stands (D11);
a French dragoon is recalled on 3 or more (D13).
"""

from __future__ import annotations

from fractions import Fraction

import icepool
import pytest

from sim.ensemble.dice import ExhaustiveDice
from sim.rulesets import catalogue
from sim.rulesets.rulebook import Rulebook, rulebook
from sim.studies import charts
from sim.studies.batches import exact_tallies
from sim.studies.odds import variants_of
from sim.studies.tally import Tally
from sim.units import scenarios

LADDER = icepool.map(lambda tens, ones: 10 * tens + ones, icepool.d6, icepool.d6)
"""A roll of two dice, 11 to 66."""
FACES = sorted(LADDER.outcomes())
NO_FIRE = ["target.fire=0", "target.square=0", "target.line=0"]
FORMED, DISORDERED, ROUTED = Fraction(30, 36), Fraction(4, 36), Fraction(2, 36)


def moved(roll: int, pips: int) -> int:
    """A roll moved along the ladder, no farther than its ends."""
    return FACES[min(max(FACES.index(roll) + pips, 0), 35)]


def chances(die: icepool.Die) -> dict[str, Fraction]:
    return dict(zip(die.outcomes(), die.probabilities(), strict=True))


def attempt(pips: int = 0) -> icepool.Die:
    """The carré of a Prussian line at three hexes."""

    def result(roll: int) -> str:
        found = moved(roll, pips)
        return "formed" if found <= 56 else "disordered" if found <= 64 else "routed"

    return LADDER.map(result)


def beats(morale: int, pips: int) -> icepool.Die:
    return LADDER.map(lambda roll: "passes" if moved(roll, pips) > morale else "fails")


def recall(needs: int) -> icepool.Die:
    return icepool.d6.map(lambda die: "recalled" if die >= needs else "not recalled")


@pytest.fixture(scope="module")
def prusse() -> Rulebook:
    rules = catalogue.load("prusse-1806")
    return rulebook(rules, rules.switches())


def tally(response: str, *changes: str) -> Tally:
    charge = scenarios.load(scenarios.DEFAULT, [*NO_FIRE, *changes])
    return exact_tallies(charge, variants_of(charge.attacks[0], [response]), ExhaustiveDice())[0][0]


def test_the_ladder_of_icepool_is_ours() -> None:
    assert len(FACES) == 36
    assert chances(attempt()) == {"formed": FORMED, "disordered": DISORDERED, "routed": ROUTED}


# -- one chart ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("pips", range(-12, 13))
def test_carre_alone_with_any_modifier(pips: int, prusse: Rulebook) -> None:
    found = charts.carre(
        prusse, "Prussian", "line", 3, {"target.nation": "Prussian", "charger.class": "heavy"}, pips
    )
    expected = chances(attempt(pips))
    assert {one.name: one.p for one in found.chances if one.p} == expected


@pytest.mark.parametrize("pips", range(-12, 13))
@pytest.mark.parametrize("morale", [11, 16, 31, 34, 66])
def test_stand_alone_with_any_morale_and_modifier(morale: int, pips: int, prusse: Rulebook) -> None:
    """Nobody is below 11, and nobody beats 66."""
    situation = {
        "target.arm": "infantry",
        "target.formation": "column",
        "hexside": "front",
        "charger.class": "light",
    }
    found = {one.name: one.p for one in charts.stand(prusse, morale, situation, mod=pips).chances}
    expected = chances(beats(morale, pips))
    assert found == {"halted": expected.get("passes", 0), "routed": expected.get("fails", 0)}


def test_recall_alone_of_every_row_of_the_chart(prusse: Rulebook) -> None:
    needed = {}
    for name in (row["name"] for row in prusse.ruleset.merged["recall"]["rows"]):
        row = prusse.recall_row("", None, False, name)
        found = {one.name: one.p for one in charts.recall(prusse, row, leader=False).chances}
        needed[name] = row.needs
        assert {outcome: p for outcome, p in found.items() if p} == chances(recall(row.needs))
    assert len(set(needed.values())) > 1


# -- chained in a charge ------------------------------------------------------------------------------


def test_carre_in_a_charge_that_breaks_off() -> None:
    """Who forms is left alone, who does not is left alone too: the attempt is all that happens."""
    found = tally("carre@3", "plan.square=break off", "plan.disordered=break off")
    ends = {"formed": "target in square", "disordered": "target disordered", "routed": "target routed"}
    assert {name: found.p(event) for name, event in ends.items()} == chances(attempt())


def test_stand_recall_and_recovery_chained() -> None:
    """The target fails to stand; the charger, not recalled, chases and routs; a check of morale 22 at -6, routed, may mend it."""

    def after(stood: str) -> icepool.Die | str:
        return (
            stood if stood == "passes" else recall(3).map(lambda word: word if word == "recalled" else mended)
        )

    mended = beats(22, -6).map(lambda word: "recovered" if word == "passes" else "stays routed")
    expected = chances(beats(31, 0).map(after))
    found = tally("stand", "plan.after_halt=decline")
    assert found.p("target in order") == expected["passes"] == Fraction(23, 36)
    assert found.p("clean success") == expected["recalled"] == Fraction(13, 36) * Fraction(4, 6)
    assert found.p("charger recovered") == expected["recovered"]
    assert (
        found.p("charger routed")
        == expected["recovered"] + expected["stays routed"]
        == Fraction(13, 36) * Fraction(2, 6)
    )
