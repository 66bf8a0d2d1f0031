"""Brute-force oracles: every combination of rolls of a small chain of charts, counted one by one, against the exact tree."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from sim import scenarios
from sim.dice import ExhaustiveDice
from sim.studies.odds import exact_tallies, variants_of
from tests.agreement.baseline import play


class Enumerate:
    """Plays a scalar charge over every roll it can ask for, by extending the script until nothing new is asked."""

    def __init__(self, charge: scenarios.Charge, response: str) -> None:
        self.charge, self.response = charge, response

    def total(self) -> dict[str, Fraction]:
        found: dict[str, Fraction] = {}
        waiting: list[tuple[int, ...]] = [()]
        while waiting:
            script = waiting.pop()
            faces: list[int] = []

            def roll(decision: str, sides: int, script: tuple[int, ...] = script, faces: list[int] = faces) -> int:
                faces.append(sides)
                return script[len(faces) - 1] if len(faces) <= len(script) else 0

            record = play(self.charge, self.response, roll)
            for at in range(len(script), len(faces)):
                waiting += [script + (0,) * (at - len(script)) + (other,) for other in range(1, faces[at])]
            weight = Fraction(1)
            for sides in faces:
                weight /= sides
            for name in ("success", "clean", "bounced", "recovered"):
                found[name] = found.get(name, Fraction(0)) + weight * getattr(record, name)
            found["total"] = found.get("total", Fraction(0)) + weight
            for side, lost in record.losses.items():
                found[side] = found.get(side, Fraction(0)) + weight * lost
        return found


@pytest.mark.parametrize(
    ("response", "changes"),
    [
        ("stand", ["target.increments=1", "target.fire=0", "target.square=0", "target.line=0", "charger.melee=1"]),
        ("carre@3", ["target.fire=0", "target.square=0", "plan.square=break off", "target.formation=column", "charger.movement=2", "distance=6"]),
        ("carre@4", ["target.fire=0", "target.square=0", "plan.square=ride over", "target.formation=column", "charger.movement=2", "distance=7"]),
    ],
)
def test_exact_odds_equal_the_count_over_every_roll(response: str, changes: list[str]) -> None:
    """No fire and slow horses, so that the trees stay small."""
    charge = scenarios.load(scenarios.DEFAULT, [*changes, "plan.after_halt=decline", "charger.morale=11"])
    tally = exact_tallies(charge, variants_of(charge, [response]), ExhaustiveDice())[0][0]
    counted = Enumerate(charge, response).total()
    assert counted["total"] == 1
    assert tally.p("charge succeeds") == counted["success"]
    assert tally.p("clean success") == counted["clean"]
    assert tally.p("bounced") == counted["bounced"]
    assert tally.p("charger recovered") == counted["recovered"]
    assert tally.mean_loss("charger") == counted["charger"]
    assert tally.mean_loss("target") == counted["target"]


def test_stand_and_recall_are_chained_as_counted_over_all_dice() -> None:
    """Morale 31, line +3, heavy -3; recall on 3 or more: the share of runs that stood, were recalled, or not, from every tens, ones and third die."""
    charge = scenarios.load(scenarios.DEFAULT, ["charger.movement=12"])
    forces_share = exact_tallies(charge, variants_of(charge, ["stand"]), ExhaustiveDice())[0][0]
    counted = {"stood": 0, "not recalled": 0}
    for tens, ones, die in product(range(1, 7), repeat=3):
        stands = 10 * tens + ones > 31  # the modifiers cancel
        counted["stood"] += stands
        counted["not recalled"] += not stands and die < 3
    # a target that fails to stand routs whatever happens later; a charger not recalled routs in place
    assert counted == {"stood": 23 * 6, "not recalled": 13 * 2}
    fails = Fraction(13, 36)
    assert forces_share.p("target routed") >= fails
    assert forces_share.p("charger routed") >= Fraction(counted["not recalled"], 216)
    tally = exact_tallies(charge, variants_of(scenarios.with_plan(charge, after_halt="decline"), ["stand"]), ExhaustiveDice())[0][0]
    assert tally.p("target routed") == fails
