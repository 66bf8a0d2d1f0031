"""Brute-force oracles: every combination of rolls of a small chain of charts, counted one by one, against the
exact tree."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from sim.ensemble.dice import ExhaustiveDice
from sim.studies.batches import exact_tallies
from sim.studies.measures import SIDES
from sim.studies.odds import responses_of, variants_of
from sim.units import scenarios
from tests.agreement.charges import random_charge
from tests.agreement.counting import count, mean, share, tally
from tests.agreement.play import Record
from tests.agreement.test_cases import CASES, CERTAIN, COUNTED, Case, laboratory

RANDOM_CHARGES = 120
RANDOM_CHUNKS = 10
RANDOM_WAYS = 300
NO_FIRE = ["target.fire=0", "target.square=0", "target.line=0"]
CALM = ["plan.after_halt=decline", "charger.morale=11"]


@pytest.mark.parametrize(
    ("response", "changes"),
    [
        ("stand", []),
        ("carre@1", []),
        ("stand", [*NO_FIRE, *CALM, "target.increments=1", "charger.melee=1"]),
        (
            "carre@3",
            [
                *NO_FIRE,
                *CALM,
                "plan.square=break off",
                "target.formation=column",
                "charger.movement=2",
                "distance=6",
            ],
        ),
        (
            "carre@4",
            [
                *NO_FIRE,
                *CALM,
                "plan.square=ride over",
                "target.formation=column",
                "charger.movement=2",
                "distance=7",
            ],
        ),
    ],
)
def test_exact_odds_equal_the_count_over_every_roll(response: str, changes: list[str]) -> None:
    charge = scenarios.load(scenarios.DEFAULT, changes)
    tally = exact_tallies(charge, variants_of(charge.attacks[0], [response]), ExhaustiveDice())[0][0]
    ways = count(charge, response)
    assert share(ways, lambda record: True) == 1
    events: dict[str, Callable[[Record], bool]] = {
        "charge succeeds": lambda record: record.charges[0].success,
        "clean success": lambda record: record.charges[0].clean,
        "bounced": lambda record: record.charges[0].bounced,
        "charger recovered": lambda record: record.charges[0].recovered,
    }
    for name, event in events.items():
        assert tally.p(name) == share(ways, event)
    assert tally.mean_loss("charger") == mean(ways, lambda record: record.losses["charger"])
    assert tally.mean_loss("target") == mean(ways, lambda record: record.losses["target"])


def test_stand_and_recall_are_chained_as_counted_over_all_dice() -> None:
    """Morale 31, line +3, heavy -3; recall on 3 or more: the share of runs that stood, were recalled, or not,
    from every tens, ones and third die."""
    charge = scenarios.load(scenarios.DEFAULT, [*NO_FIRE, "plan.after_halt=decline", "charger.movement=12"])
    tally = exact_tallies(charge, variants_of(charge.attacks[0], ["stand"]), ExhaustiveDice())[0][0]
    counted = {"stood": 0, "not recalled": 0}
    for tens, ones, die in product(range(1, 7), repeat=3):
        stands = 10 * tens + ones > 31  # the modifiers cancel
        counted["stood"] += stands
        counted["not recalled"] += not stands and die < 3
    assert counted == {"stood": 23 * 6, "not recalled": 13 * 2}
    # nobody shoots and nobody melees a target that stood: it routs if it fails, and a charger that is not
    # recalled routs in place
    assert tally.p("target in order") == Fraction(counted["stood"], 216)
    assert tally.p("target routed") == 1 - Fraction(counted["stood"], 216)
    assert tally.p("charger routed") == Fraction(counted["not recalled"], 216)


def agrees(path: Path, case: Case) -> None:
    charge = scenarios.load(path, list(case.changes))
    found = tally(charge, count(charge, case.response))
    assert {measure: found[measure] for measure in case.expected} == {
        measure: Fraction(value) for measure, value in case.expected.items()
    }


@pytest.mark.parametrize("name", list(COUNTED))
def test_the_scalar_play_counts_the_value_of_the_rules(name: str) -> None:
    agrees(CASES / f"{COUNTED[name].file}.yaml", COUNTED[name])


@pytest.mark.parametrize("name", list(CERTAIN))
def test_the_scalar_play_counts_the_value_where_one_chart_is_certain(name: str, tmp_path: Path) -> None:
    case, made = CERTAIN[name]
    agrees(laboratory(tmp_path, case.file, **made), case)


@pytest.mark.parametrize("chunk", range(RANDOM_CHUNKS))
def test_exact_odds_equal_the_count_on_random_charges(chunk: int) -> None:
    """Every roll of a charge, the rare ones too: all events and mean losses are the same fractions.

    Where too few charges are small enough to count, more are drawn.
    """
    compared, least = 0, RANDOM_CHARGES // RANDOM_CHUNKS // 2
    for index in range(chunk, 3 * RANDOM_CHARGES, RANDOM_CHUNKS):
        if index >= RANDOM_CHARGES and compared >= least:
            break
        charge = random_charge(index)
        response = responses_of(charge.attacks[0])[0]
        try:
            counted = tally(charge, count(charge, response, RANDOM_WAYS))
        except OverflowError:
            continue
        compared += 1
        found = exact_tallies(charge, variants_of(charge.attacks[0], [response]), ExhaustiveDice())[0][0]
        exact = {name: found.mean_loss(name) if name in SIDES else found.p(name) for name in counted}
        assert exact == counted, f"{charge.title}, {response}"
    assert compared >= least
