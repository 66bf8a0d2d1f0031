"""What compiled kernels are worth to a large exact charge: ratios in one run.

Run: python3 -m tests -m bench -s
"""

from __future__ import annotations

import time
from unittest.mock import patch

import pytest

from sim.board import survey
from sim.ensemble.dice import ExhaustiveDice
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
