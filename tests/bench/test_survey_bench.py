"""What compiled kernels are worth to a large exact charge: ratios in one run.

Run: python3 -m tests -m bench -s
"""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import pytest
from numpy.typing import NDArray

from sim.board import survey
from sim.ensemble.dice import Chart, Decision, ExhaustiveDice, Split
from sim.ensemble.lanes import Ids
from sim.studies.batches import exact_tallies
from sim.studies.odds import responses_of, variants_of
from tests.agreement.charges import random_charge

pytestmark = pytest.mark.bench

LARGE = 126
"""The random charge with 46,000 lanes."""


def seconds(most: int) -> tuple[float, float]:
    """Time of the exact odds of the large charge, and how much of it is spent asking the board; nothing is
    known of it before."""
    charge, asked, spent = random_charge(LARGE), survey.Survey._ask, 0.0

    def timed(*arguments: object, **named: object) -> object:
        nonlocal spent
        start = time.perf_counter()
        found = asked(*arguments, **named)  # type: ignore[arg-type]
        spent += time.perf_counter() - start
        return found

    with patch.object(survey, "MANY", most), patch.object(survey.Survey, "_ask", timed):
        survey.memories.cache_clear()
        start = time.perf_counter()
        exact_tallies(
            charge, variants_of(charge.attacks[0], responses_of(charge.attacks[0])), ExhaustiveDice()
        )
        return time.perf_counter() - start, spent


def test_the_board_of_a_large_exact_charge_answers_at_least_twice_as_fast_compiled() -> None:
    seconds(0)  # compiles, or loads
    whole, compiled = min(seconds(0) for _ in range(2))
    told, interpreted = min(seconds(10**9) for _ in range(2))
    print(
        f"\ncompiled {whole:.2f} s, of which the board {compiled:.2f}; interpreted {told:.2f} s, of "
        f"which the board {interpreted:.2f}"
    )
    assert interpreted / compiled >= 2


class FractionDice(ExhaustiveDice):
    """The same dice, with a Fraction a lane beside the integers."""

    def begin(self, *arguments: Any) -> None:
        super().begin(*arguments)
        self.slow = [Fraction(1)] * self.ensemble.n

    def _split(
        self, decision: Decision, lanes: Ids, chart: Chart, column: NDArray[Any], shift: NDArray[Any]
    ) -> Split:
        result, case, value = super()._split(decision, lanes, chart, column, shift)
        counts = (chart.rows(column, shift)[case] == value[:, None]).sum(axis=1)
        parts = [Fraction(k, chart.faces) for k in range(chart.faces + 1)]
        before = [self.slow[lane] for lane in lanes.tolist()]
        self.slow += [Fraction(0)] * (self.ensemble.n - len(self.slow))
        for lane, of, count in zip(result.tolist(), case.tolist(), counts.tolist(), strict=True):
            self.slow[lane] = before[of] * parts[count]
        return result, case, value

    def _merged(self, into: Ids) -> None:
        super()._merged(into)
        slow = [Fraction(0)] * self.ensemble.n
        for lane, weight in zip(into.tolist(), self.slow, strict=True):
            slow[lane] += weight
        self.slow = slow


def test_a_large_exact_charge_is_faster_than_with_a_fraction_a_lane() -> None:
    """The board is known in both; the fractions are the same. All else that a charge does is in both."""
    charge = random_charge(LARGE)
    variants = variants_of(charge.attacks[0], responses_of(charge.attacks[0]))

    def seconds_with(dice: ExhaustiveDice) -> float:
        start = time.process_time()
        exact_tallies(charge, variants, dice)
        return time.process_time() - start

    fast, slow = ExhaustiveDice(), FractionDice()
    seconds_with(fast)
    taken = min(seconds_with(ExhaustiveDice()) for _ in range(3))
    longer = min(seconds_with(slow) for _ in range(2))
    assert slow.slow == fast.fractions()
    ratio = longer / taken
    print(f"\n{fast.ensemble.n:,} lanes: {taken:.2f} s; with fractions {longer:.2f} s, {ratio:.1f} times")
    assert ratio >= 1.5
