"""What counts of battles say: who wins how often, and which units it goes with."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from sim.studies.counts import Counts
from sim.studies.intervals import wilson
from sim.studies.record import winners_of
from sim.units.battles import Scenario


@dataclass(frozen=True)
class Matter:
    """A unit whose breaking goes with its side's defeat.

    Attributes
    ----------
    unit
        Its number.
    broken
        Share of the runs in which it routed at any time, or was lost.
    if_broken, if_not
        How often its side won of these runs, and of the others.
    half
        Half the 95 % interval of the difference.
    """

    unit: int
    broken: float
    if_broken: float
    if_not: float
    half: float

    @property
    def difference(self) -> float:
        """How much less often its side wins where it is broken."""
        return self.if_not - self.if_broken


def wins(found: Counts, scenario: Scenario) -> tuple[int, int, int]:
    """Runs that either side wins, and those that neither does."""
    winners = winners_of(scenario)
    first, second, neither = (int(found.results[winners == side].sum()) for side in (0, 1, -1))
    return first, second, neither


def lead(found: Counts, scenario: Scenario) -> tuple[float, float, float]:
    """By how much the first side wins more often than the second, and the 95 % interval of that.

    The interval is made of Wilson's of both shares, which are of the same runs: what one side wins the other
    does not (MOVER; Zou and Donner, Statistics in Medicine 27, 2008).
    """
    n = found.n
    first, second, _ = wins(found, scenario)
    p, q = first / n, second / n
    (p_low, p_high), (q_low, q_high) = wilson(first, n), wilson(second, n)
    together = -sqrt(p * q / ((1 - p) * (1 - q))) if first and second else 0.0

    def half(one: float, other: float) -> float:
        return sqrt(one * one + other * other - 2 * together * one * other)

    return p - q, p - q - half(p - p_low, q_high - q), p - q + half(p_high - p, q - q_low)


def matters(found: Counts, most: int) -> list[Matter]:
    """The units whose breaking goes with defeat the most, by the nearer end of the interval of the
    difference, the surest first; none whose interval reaches 0."""
    told = []
    for unit, table in enumerate(found.won):
        (unbroken_lost, unbroken_won), (broken_lost, broken_won) = table.tolist()
        well, ill = unbroken_lost + unbroken_won, broken_lost + broken_won
        if not well or not ill:
            continue
        p, q = unbroken_won / well, broken_won / ill
        (p_low, p_high), (q_low, q_high) = wilson(unbroken_won, well), wilson(broken_won, ill)
        down, up = sqrt((p - p_low) ** 2 + (q_high - q) ** 2), sqrt((p_high - p) ** 2 + (q - q_low) ** 2)
        nearer = p - q - down
        if nearer > 0:
            told.append((nearer, Matter(unit, ill / found.n, q, p, max(down, up))))
    told.sort(key=lambda one: -one[0])
    return [one for _, one in told[:most]]


def level_shares(found: Counts) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Share of the runs in which an organisation is at a level or a worse one, shape (turns, organisations,
    3): levels 1 to 3."""
    at_least = found.levels[..., ::-1].cumsum(axis=-1)[..., ::-1]
    return np.asarray(at_least[..., 1:] / found.n)
