"""How many runs a wanted precision needs: planned before the first of them, so that their intervals cover as
if nobody had chosen.

A simulation that stops when its own interval is narrow enough stops too early rather than too late where
chance is on its side. Here a pilot, of runs that are never counted, says how many are needed; the number is
fixed when they begin (docs/decisions/0008).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import sqrt
from statistics import NormalDist

from sim.studies.asked import number
from sim.studies.intervals import wilson
from sim.studies.tally import Tally

PILOT = 10_000
"""Runs of the pilot."""

PILOT_FIRST = 10**12
"""Its first run: beyond all that are ever counted."""

SURE = 0.999
"""Confidence with which the pilot says how often an event happens at most, or at least."""

FINEST, COARSEST = 0.004, 25.0
"""Half-widths that may be asked for, in points; the finest needs 600,000,000 runs at most."""

Play = Callable[[int, int], list[Tally]]
"""Plays so many runs from a first one on; a tally a variant."""


def half_width(spread: float, runs: int) -> float:
    """Half of Wilson's 95 % interval at p (1 - p) = `spread`, where it is not cut off at 0 or 1.

    >>> round(half_width(0.25, 10_000), 4)
    0.0098
    """
    z = NormalDist().inv_cdf(0.975)
    return z * sqrt(spread / runs + z * z / (4 * runs * runs)) / (1 + z * z / runs)


def runs_for(spread: float, half: float) -> int:
    """The least number of runs whose half-width is at most `half` at p (1 - p) = `spread`, or less of it.

    >>> runs_for(0.25, 0.005)
    38411
    """
    low, high = 0, 1
    while half_width(spread, high) > half:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if half_width(spread, middle) > half else (low, middle)
    return high


def planned(tallies: Iterable[Tally], events: Iterable[str], half: float) -> int:
    """The runs that a half-width needs, by what a pilot saw of events: for the least favourable p that the
    pilot allows."""
    most = 0.0
    names = tuple(events)
    for tally in tallies:
        for event in names:
            low, high = wilson(tally.events[event], tally.whole, SURE)
            nearest = min(max(low, 0.5), high)
            most = max(most, nearest * (1 - nearest))
    return runs_for(most, half)


def checked(points: float) -> float:
    """A precision in points as a half-width, 0..1.

    Raises
    ------
    InputError
        If it is too fine or too coarse.
    """
    return number("--precision", points, FINEST, COARSEST, "points") / 100


def to_precision(play: Play, events: Iterable[str], half: float) -> tuple[list[Tally], int]:
    """Tallies in which every half-width of some events is at most `half`, and the number of runs.

    Should the pilot have misled, as it does once in a thousand times or less, as many runs follow as any
    event may need.
    """
    names = tuple(events)
    runs = planned(play(PILOT_FIRST, PILOT), names, half)
    tallies = play(0, runs)
    if any(_half(tally, event) > half + 1e-12 for tally in tallies for event in names):
        runs = runs_for(0.25, half)
        tallies = play(0, runs)
    return tallies, runs


def _half(tally: Tally, event: str) -> float:
    low, high = wilson(tally.events[event], tally.whole)
    return (high - low) / 2
