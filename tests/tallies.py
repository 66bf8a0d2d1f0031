"""Tallies made up for tests of what is told of them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from sim.studies.ends import COLUMNS, Codes, pack
from sim.studies.tally import Tally


def codes(n: int, **facts: Any) -> Codes:
    """Ends of which only some facts are not 0, shape (n,)."""
    return pack({name: np.zeros(n, np.int64) for name in COLUMNS} | facts)


def bounced(hits: int, runs: int) -> Tally:
    """So many runs, some of which bounced."""
    return Tally.of_runs(codes(2, bounced=np.array([0, 1])), np.array([runs - hits, hits]))


def lost(weights: Mapping[int, int | Fraction]) -> Tally:
    """Increments lost by the target's side, with runs, or with probabilities."""
    ends = codes(len(weights), target_losses=np.array(list(weights)))
    if all(isinstance(weight, int) for weight in weights.values()):
        return Tally.of_runs(ends, np.array([int(weight) for weight in weights.values()]))
    whole = lcm(*(Fraction(weight).denominator for weight in weights.values()))
    return Tally.of_parts(ends, np.array([int(weight * whole) for weight in weights.values()], object), whole)
