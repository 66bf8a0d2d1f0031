"""Numbers with the decimals that their intervals carry."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from math import ceil, floor, log10
from typing import Any

from sim.studies.intervals import wilson


def signed(points: float, error: float = 0.0) -> str:
    """A difference with its sign, 0 only if it is none; simulated with the decimals of half its 95 %
    interval.

    >>> signed(-1.5), signed(0.0004), signed(0), signed(-1.5, 0.04)
    ('-1.50', '+0.0004', '0', '-1.50')
    """
    if error:
        return f"{points:+.{decimals_of(error)}f}"
    return f"{points:+.2f}" if abs(points) >= 0.005 else f"{points:+.1g}" if points else "0"


def half(points: float, runs: int, error: float) -> str:
    """Half an interval of a difference of so many points, rounded outward, never 0: where all runs agree,
    what so many may have missed."""
    if not error:
        return f"<{_outward(100 * wilson(0, runs)[1])}"
    return with_half(points, points - error, points + error)[1][1:]


def with_half(value: float, low: float, high: float) -> tuple[str, str]:
    """A simulated number and half its 95 % interval, with the same decimals; the half is rounded outward.

    What is printed, from value less half to value and half, holds the whole of the interval, which may be
    wider on one side.

    Examples
    --------
    >>> with_half(4.5, 3.7, 5.5), with_half(76.5, 75.95, 77.13)
    (('4.5', '±1.0'), ('76.5', '±0.7'))
    """
    decimals = decimals_of((high - low) / 2)
    text = f"{value:.{decimals}f}"
    shown, least = Decimal(text), Decimal(1).scaleb(-decimals)
    widest = max(Decimal(high) - shown, shown - Decimal(low))
    return text, f"±{widest.quantize(least, ROUND_CEILING):f}"


def chance(p: Any, runs: int) -> str:
    """A probability as text.

    Exact (no runs): one decimal; `0` and `100 %` only when it is certain, `<0.1` or `>99.9` near them.
    Simulated: decimals by the number of runs, and never a bare 0 or 100 but the end of the 95 % interval.

    >>> from fractions import Fraction
    >>> chance(Fraction(13, 36), 0), chance(Fraction(1, 10000), 0), chance(0.0, 300)
    ('36.1 %', '<0.1 %', '<1.3 %')
    """
    return bare(p, runs, 100) + " %"


def bare(p: Any, runs: int, scale: int) -> str:
    """A part of so many, as `chance` tells it, without the unit."""
    if runs and p in (0, 1):
        few = _outward(scale * wilson(0, runs)[1])
        return f"<{few}" if p == 0 else f">{scale - Decimal(few)}"
    if p in (0, 1):
        return str(scale * int(p))
    if not runs:
        value = scale * float(p)
        return "<0.1" if value < 0.05 else f">{scale - 0.1:.1f}" if value > scale - 0.05 else f"{value:.1f}"
    low, high = wilson(round(p * runs), runs)
    return f"{scale * p:.{decimals_of(scale * (high - low) / 2)}f}"


def decimals_of(half: float) -> int:
    """Decimals of a number whose 95 % interval is so wide to either side: one in the last place is a quarter
    of that at most, one decimal the least.

    >>> [decimals_of(half) for half in (40, 0.7, 0.3, 0.03, 0.004)]
    [1, 1, 2, 3, 3]
    """
    return max(1, ceil(-log10(half / 4)))


def _outward(value: float) -> str:
    """A bound with two digits, rounded up.

    >>> _outward(0.1917), _outward(79.3), _outward(3.0)
    ('0.20', '80', '3.0')
    """
    place = 1 - floor(log10(value))
    return f"{Decimal(value).quantize(Decimal(1).scaleb(-max(place, 0)), ROUND_CEILING):f}"
