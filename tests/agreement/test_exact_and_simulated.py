"""Exact odds against simulated ones (invariant 2): one implementation of the rules, two kinds of dice."""

from __future__ import annotations

from fractions import Fraction
from math import comb, sqrt

import pytest

from sim.ensemble.dice import ExhaustiveDice
from sim.errors import LaneLimitError
from sim.studies.batches import exact_tallies, simulated_tallies
from sim.studies.measures import EVENTS, SIDES
from sim.studies.odds import responses_of, variants_of
from sim.studies.tally import Tally
from sim.units.charges import Charge
from tests.agreement.charges import random_charge

CHARGES = 240
CHUNKS = 12
RUNS = 4000
LANES = 20_000
SIGMAS = 4.0
FALSE_ALARM = 1e-5
"""Bound for events with fewer than 30 expected hits; 4 standard errors are about 6e-5. The seeds are fixed,
so the test is never flaky."""


def within(hits: int, runs: int, p: Fraction) -> bool:
    """Whether a count is compatible with an exact probability: 4 standard errors, or an exact binomial bound
    for rare events."""
    expected = float(runs * p)
    if p in (0, 1):
        return hits == runs * p
    if min(expected, runs - expected) >= 30:
        return abs(hits - expected) <= SIGMAS * sqrt(runs * float(p) * (1 - float(p)))
    if expected > runs / 2:
        hits, p = runs - hits, 1 - p
    q = float(p)
    tail = sum(comb(runs, k) * q**k * (1 - q) ** (runs - k) for k in range(min(hits, 200)))
    return 1 - tail > FALSE_ALARM


def exact(charge: Charge) -> list[Tally] | None:
    try:
        return exact_tallies(
            charge, variants_of(charge.attacks[0], responses_of(charge.attacks[0])), ExhaustiveDice(LANES)
        )[0]
    except LaneLimitError:
        return None


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_exact_and_simulated_odds_agree_on_random_charges(chunk: int) -> None:
    compared = 0
    for index in range(chunk, CHARGES, CHUNKS):
        charge = random_charge(index)
        tallies = exact(charge)
        if tallies is None:
            continue
        compared += 1
        simulated, _ = simulated_tallies(
            charge, variants_of(charge.attacks[0], responses_of(charge.attacks[0])), RUNS, 1 + index
        )
        for precise, counted in zip(tallies, simulated, strict=True):
            assert precise.total == 1
            for event in EVENTS:
                assert within(counted.events[event], RUNS, precise.p(event)), (
                    charge.title,
                    event,
                    precise.p(event),
                    counted.events[event],
                )
            for side in SIDES:
                assert sum(precise.losses[side].values()) == 1
                spread = float(
                    sum(n * n * w for n, w in precise.losses[side].items()) - precise.mean_loss(side) ** 2
                )
                error = sqrt(spread / RUNS) if spread > 0 else 0.0
                assert abs(counted.mean_loss(side) - float(precise.mean_loss(side))) <= 5 * error + 1e-12
    assert compared >= CHARGES / CHUNKS * 0.84, (
        "at least 200 of the 240 charges must be small enough to enumerate"
    )


def test_events_exhaust_the_cases_exactly() -> None:
    checked = 0
    for index in range(40):
        charge = random_charge(index)
        tallies = exact(charge)
        checked += tallies is not None
        for tally in tallies or []:
            target = [event for event in EVENTS if event.startswith("target ")]
            assert sum(tally.p(event) for event in target) == 1
            assert (
                sum(tally.p(event) for event in ("charger in order", "charger routed", "charger lost")) == 1
            )
            left = sum(
                tally.p(event) for event in ("exhausted", "tired", "untouched")
            )  # of a regiment that is left
            assert (
                left + tally.p("charger lost") == 1
                if len(charge.charger) == 1
                else 1 - tally.p("charger lost") <= left <= 1
            )
    assert checked >= 33, "at least five in six of the charges must be small enough to enumerate"


@pytest.mark.parametrize(("hits", "expected"), [(1000, True), (1300, False), (0, False)])
def test_the_bound_itself_can_fail(hits: int, expected: bool) -> None:
    assert within(hits, 4000, Fraction(1, 4)) is expected
