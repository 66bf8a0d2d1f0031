"""What holds only on average.

Seeds are fixed; each test says how often it would fail by chance at another seed.
"""

from __future__ import annotations

from math import sqrt
from random import Random

import numpy as np
import pytest

from sim.ensemble.dice import Decision, stream
from sim.studies.compare import compare
from sim.studies.intervals import wilson
from sim.studies.measures import EVENTS
from sim.studies.odds import odds
from sim.units import scenarios


@pytest.mark.parametrize(
    "changes", [["target.morale=32"], ["charger.melee=24"], ["target.level=1"], ["charger.morale=21"]]
)
def test_paired_dice_measure_a_small_change_with_less_error_than_independent_runs(changes: list[str]) -> None:
    """Certain unless both charges shared no roll; the ratio of errors is a property of the charges, not of
    chance."""
    first, second = scenarios.load(scenarios.DEFAULT), scenarios.load(scenarios.DEFAULT, changes)
    found = compare(first, second, "stand", "mc", 20_000, 3)
    row = next(row for row in found.rows["stand"] if row.event == "charge succeeds")
    assert 0 < row.error < 0.75 * row.independent


def test_paired_differences_agree_with_the_exact_ones() -> None:
    """15 events within 4.5 standard errors of the exact difference: about 1 failure in 10,000 seeds."""
    first, second = scenarios.load(scenarios.DEFAULT), scenarios.load(scenarios.DEFAULT, ["target.morale=36"])
    precise = compare(first, second, "stand", "exact")
    counted = compare(first, second, "stand", "mc", 40_000, 5)
    for exact, simulated in zip(precise.rows["stand"], counted.rows["stand"], strict=True):
        assert abs(float(exact.difference) - simulated.difference) <= 4.5 * simulated.error + 1e-12


def test_a_comparison_with_itself_differs_in_no_run() -> None:
    charge = scenarios.load(scenarios.DEFAULT)
    found = compare(charge, charge, None, "mc", 5_000, 1)
    assert all(row.changed == 0 and row.error == 0 for rows in found.rows.values() for row in rows)


@pytest.mark.parametrize(("p", "n"), [(0.5, 50), (0.1, 200), (0.02, 400), (0.9, 100)])
def test_wilson_intervals_cover_about_as_often_as_they_say(p: float, n: int) -> None:
    """4,000 samples: coverage of a 95 % interval between 92.5 and 98 %; the discreteness of counts allows no
    more."""
    rng = Random(1)
    covered = 0
    for _ in range(4000):
        hits = sum(rng.random() < p for _ in range(n))
        low, high = wilson(hits, n)
        covered += low <= p <= high
    assert 0.925 <= covered / 4000 <= 0.98


def test_intervals_of_simulated_odds_cover_the_exact_odds() -> None:
    """30 seeds, one event: with 95 % intervals, 24 or more cover but in 1 of 2,000 experiments."""
    charge = scenarios.load(scenarios.DEFAULT)
    exact = float(odds(charge, "stand", "exact").rows[0].tally.p("charge succeeds"))
    covered = 0
    for seed in range(30):
        low, high = odds(charge, "stand", "mc", 500, seed=seed).rows[0].tally.interval("charge succeeds") or (
            0,
            0,
        )
        covered += low <= exact <= high
    assert covered >= 24


def test_streams_of_different_decisions_are_uniform_and_uncorrelated() -> None:
    """Chi-square of 36 faces below its 1 - 1e-5 quantile (87), correlations below 5 standard errors."""
    n = 36_000
    draws = [stream(7, Decision(f"1.1.charge/kind-{k}", 0, 1), 0, n) for k in range(8)]
    for draw in draws:
        counts = np.bincount((draw * 36).astype(int), minlength=36)
        assert ((counts - n / 36) ** 2 / (n / 36)).sum() < 87
    for a in range(8):
        for b in range(a):
            assert abs(np.corrcoef(draws[a], draws[b])[0, 1]) < 5 / sqrt(n)


def test_every_event_has_a_name_told_once() -> None:
    assert len(set(EVENTS)) == len(EVENTS)
