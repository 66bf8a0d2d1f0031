"""Ends with their weights: what odds, losses, comparisons and sweeps are reductions of."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.studies import ends
from sim.studies.ends import Codes
from sim.studies.intervals import wilson
from sim.studies.measures import CLEAN, SIDES, SUCCEEDS, worth


@dataclass(frozen=True, eq=False, repr=False)
class Tally:
    """How often each end came of one variant: a row each different end, few whatever the number of runs.

    Attributes
    ----------
    codes
        The ends, each once, ascending, shape (k,).
    weights
        Shape (k,): runs (int64); when exact numerators (Python integers, in an array of objects).
    whole
        What the weights are parts of: the number of runs, or the common denominator.
    exact
        Whether weights are parts of a probability.
    """

    codes: Codes
    weights: NDArray[Any]
    whole: int
    exact: bool

    @staticmethod
    def of_runs(codes: Codes, counts: NDArray[Any]) -> Tally:
        """The tally of lanes with so many runs each, shape (k,); lanes without runs do not count."""
        some = counts > 0
        distinct, which = np.unique(codes[some], return_inverse=True)
        found = np.zeros(len(distinct), np.int64)
        np.add.at(found, which, counts[some])
        return Tally(distinct, found, int(found.sum()), False)

    @staticmethod
    def of_parts(codes: Codes, parts: NDArray[np.object_], whole: int) -> Tally:
        """The exact tally of lanes with their probabilities, numerators (Python integers) over one
        denominator, shape (k,).

        They stay integers: fractions, lane by lane, would cost ten times as much.
        """
        order = np.argsort(codes, kind="stable")
        distinct, firsts = np.unique(codes[order], return_index=True)
        weights = np.add.reduceat(parts[order], firsts)
        common = gcd(whole, *weights)
        return Tally(distinct, weights // common, whole // common, True)

    def __add__(self, other: Tally) -> Tally:
        """Both tallies' runs together."""
        return Tally.of_runs(
            np.concatenate([self.codes, other.codes]), np.concatenate([self.weights, other.weights])
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        mine, theirs = (
            (one.exact, one.whole, one.codes.tolist(), one.weights.tolist()) for one in (self, other)
        )
        return mine == theirs

    def __repr__(self) -> str:
        return f"<Tally: {len(self.codes)} ends{'' if self.exact else f' of {self.whole:,} runs'}>"

    def weight(self, where: NDArray[np.bool_]) -> Any:
        """The weight of some of the ends, given as a mask, shape (k,): a `Fraction` when exact, else a number
        of runs."""
        return self.part(int(self.weights[where].sum()))

    def part(self, weight: int) -> Any:
        """A sum of weights as it is told: a `Fraction` when exact, else a number of runs."""
        return Fraction(weight, self.whole) if self.exact else weight

    @cached_property
    def total(self) -> Any:
        """The weight of all ends: 1, or the number of runs."""
        return self.weight(np.ones(len(self.codes), bool))

    @cached_property
    def events(self) -> dict[str, Any]:
        """The weight of each event."""
        return {event: self.weight(where) for event, where in ends.events(self.codes)}

    @cached_property
    def losses(self) -> dict[str, dict[int, Any]]:
        """By side: the weight of each number of increments lost."""
        found: dict[str, dict[int, Any]] = {}
        for side in SIDES:
            lost = ends.losses(self.codes, side)
            found[side] = {int(value): self.weight(lost == value) for value in np.unique(lost)}
        return found

    def p(self, event: str) -> Any:
        """Probability of an event: a `Fraction` when exact, a float when simulated."""
        return self.events[event] if self.exact else self.events[event] / self.whole

    def interval(self, event: str) -> tuple[float, float] | None:
        """95 % interval of a simulated event, None when exact."""
        return None if self.exact else wilson(self.events[event], self.whole)

    def at_least(self, side: str, increments: int) -> Any:
        """Weight of the ends in which a side loses so many increments or more."""
        return sum(weight for value, weight in self.losses[side].items() if value >= increments)

    def mean_loss(self, side: str) -> Any:
        """Expected increments lost by a side, over all runs: a `Fraction` when exact, else a float."""
        weighed = sum(value * weight for value, weight in self.losses[side].items())
        return Fraction(weighed) if self.exact else weighed / self.whole

    def worth(self, aim: str) -> tuple[Any, ...]:
        """What an aim of the defender makes of this variant, the least being the best: see
        `measures.worth`."""
        return worth(aim, self.p(SUCCEEDS), self.p(CLEAN), {side: self.mean_loss(side) for side in SIDES})

    def loss_error(self, side: str) -> float:
        """Standard error of a simulated mean loss; 0 when exact."""
        if self.exact:
            return 0.0
        mean = self.mean_loss(side)
        variance = (
            sum(weight * (value - mean) ** 2 for value, weight in self.losses[side].items()) / self.whole
        )
        return sqrt(variance / self.whole)
