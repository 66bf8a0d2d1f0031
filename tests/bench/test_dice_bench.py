"""What asking for a decision costs beside its rolls, in one run. Run: python3 -m tests -m bench -s"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from sim.ensemble.cases import Cases
from sim.ensemble.dice import Chart, Decision, RandomDice, stream
from sim.ensemble.lanes import Ensemble

pytestmark = pytest.mark.bench

LANES, UNITS = 4_000, 40


def best_of(count: int, work: Callable[[], object]) -> float:
    def timed() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return min(timed() for _ in range(count))


@pytest.mark.parametrize(
    ("units", "repeatable", "most"), [(1, False, 2), (1, True, 3), (UNITS, False, 3), (UNITS, True, 5)]
)
def test_an_outcome_for_4_000_lanes_costs_at_most_twice_its_stream_and_look_up(
    units: int, repeatable: bool, most: int
) -> None:
    """A little more where a run may take the decision again, so that it is counted, or where units differ
    from lane to lane: the bare stream is still one of NumPy's for all lanes."""
    rng = np.random.default_rng(5)
    chart = Chart("chart", rng.integers(0, 3, (10, 36)).astype(np.int16), ("a", "b", "c"))
    column, shift = rng.integers(0, 10, LANES), rng.integers(-5, 6, LANES)
    about = rng.integers(0, units, LANES)
    number = 0

    def bare() -> None:
        nonlocal number
        number += 1
        roll = (36 * stream(1, Decision(f"bare {number}", 0, 0), 0, LANES)).astype(np.int64)
        chart.values[column, np.clip(roll + shift, 0, 35)]

    ensemble = Ensemble(UNITS, 0, LANES)
    dice = RandomDice(1, 0, LANES, lumped=False)
    dice.begin(ensemble)

    def asked() -> None:
        nonlocal number
        number += 1
        cases = Cases(ensemble, ensemble.all(), about, np.zeros(LANES, int), ensemble.epoch)
        dice.ask(f"asked {number}", cases, chart, column, shift, repeatable)
        ensemble.asked.clear()

    asked()
    ratio = best_of(200, asked) / best_of(200, bare)
    print(
        f"\n{units} units, {'repeatable' if repeatable else 'once a run'}: {ratio:.2f} times stream "
        "and look-up"
    )
    assert ratio <= most
