"""The interval of a simulated proportion."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist


def wilson(hits: float, runs: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a proportion; halves of hits count too.

    >>> low, high = wilson(50, 100)
    >>> round(low, 3), round(high, 3)
    (0.404, 0.596)
    """
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    p = hits / runs
    centre = p + z * z / (2 * runs)
    spread = z * sqrt(p * (1 - p) / runs + z * z / (4 * runs * runs))
    scale = 1 + z * z / runs
    low = 0.0 if hits == 0 else max(0.0, (centre - spread) / scale)
    return low, 1.0 if hits == runs else min(1.0, (centre + spread) / scale)
