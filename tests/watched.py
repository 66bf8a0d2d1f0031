"""Exact dice that remember what was asked: the chances of one decision of a charge, on the table, against a
value worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.battle.setup import Played, play
from sim.ensemble.dice import ROLL, Chart, Decision, ExhaustiveDice, Split
from sim.ensemble.lanes import Ids
from sim.inputs.documents import Document
from sim.units import scenarios
from sim.units.charges import Charge
from sim.units.forces import Forces
from sim.units.orders import Variant


class WatchedDice(ExhaustiveDice):
    """Exhaustive dice with, for each decision, how often it is asked and the chances of what comes of it.

    Attributes
    ----------
    asked
        Decision to the probability that it is asked at all, in the order of asking.
    chances
        Decision to outcome to probability, given that it is asked.
    """

    def __init__(self) -> None:
        super().__init__()
        self.asked: dict[str, Fraction] = {}
        self._ways: dict[str, dict[Any, Fraction]] = {}

    @property
    def chances(self) -> dict[str, dict[Any, Fraction]]:
        """See the class."""
        return {
            name: {outcome: p / self.asked[name] for outcome, p in ways.items() if p}
            for name, ways in self._ways.items()
        }

    def _split(
        self, decision: Decision, lanes: Ids, chart: Chart, column: NDArray[Any], shift: NDArray[Any]
    ) -> Split:
        rows, name = chart.rows(column, shift) % len(chart.outcomes), self.shown(decision)
        for lane, row in zip(lanes.tolist(), rows, strict=True):
            weight = self.weight(lane)
            self.asked[name] = self.asked.get(name, Fraction(0)) + weight
            ways = self._ways.setdefault(name, {})
            for value, count in zip(*np.unique(row, return_counts=True), strict=True):
                outcome = chart.outcomes[int(value)]
                ways[outcome] = ways.get(outcome, Fraction(0)) + weight * Fraction(int(count), chart.faces)
        return super()._split(decision, lanes, chart, column, shift)

    def weight(self, lane: int) -> Fraction:
        """The probability of a lane so far."""
        return Fraction(self._weights[lane], ROLL ** self._depths[lane])


def charge_of(data: dict[str, Any]) -> Charge:
    """A charge of a file's content."""
    charge, problems = scenarios.check(Document("a charge", data))
    problems.raise_first()
    assert charge is not None
    return charge


def watched(data: dict[str, Any], response: str = "stand", **plan: Any) -> tuple[WatchedDice, Forces]:
    """A charge played exactly against one response: the dice, and the forces at the end."""
    dice, half = watched_half(data, response, **plan)
    return dice, half.forces


def watched_half(data: dict[str, Any], response: str = "stand", **plan: Any) -> tuple[WatchedDice, Played]:
    """A charge played exactly against one response."""
    charge, dice = charge_of(data), WatchedDice()
    return dice, play(charge, dice, [(Variant.of(charge.attacks[0], response, **plan),)])
