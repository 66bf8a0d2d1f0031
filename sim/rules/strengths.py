"""Strengths and the steps they are made of, so that what is told of a strength is what was counted.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sim.ensemble.ratios import Ratio

Cases = NDArray[np.integer]
Mask = NDArray[np.bool_]

Source = str | NDArray[np.str_]
"""Where something stands: the same for all cases, or text of shape (k,)."""

Count = int | str | NDArray[np.integer] | NDArray[np.str_]
"""A number or word that a step tells: the same for all cases, or of shape (k,)."""

PLUS, MINUS, TIMES, AT_LEAST, AT_MOST = "+", "-", "×", "at least", "at most"


@dataclass(frozen=True)
class Factor:
    """One step of a strength as one case counted it.

    Attributes
    ----------
    what
        What it is: a word that `narration` knows, or the label of a rule set.
    sign
        What is done with the amount: added, taken off, multiplied by, or kept as the least or the most.
    amount
        By how much.
    counts
        What the amount comes from, where it is itself counted: increments and full strength, say.
    source
        Where that stands.
    """

    what: str
    sign: str
    amount: Fraction
    counts: tuple[int | str, ...] = ()
    source: str = ""


def total(factors: Iterable[Factor]) -> Fraction:
    """What some steps make, in their order.

    >>> printed, doubled = Factor("printed", PLUS, Fraction(18)), Factor("charge", TIMES, Fraction(2))
    >>> total([printed, doubled, Factor("lance", PLUS, Fraction(8))])
    Fraction(44, 1)
    """
    value = Fraction(0)
    for one in factors:
        value = _after(value, one)
    return value


def _after(value: Fraction, one: Factor) -> Fraction:
    if one.sign == PLUS:
        return value + one.amount
    if one.sign == MINUS:
        return max(value - one.amount, Fraction(0))
    if one.sign == TIMES:
        return value * one.amount
    return max(value, one.amount) if one.sign == AT_LEAST else min(value, one.amount)


def telling(factors: Iterable[Factor]) -> list[Factor]:
    """The steps that change something: not a share of 6 of 6, or a floor that is not reached."""
    value, found = Fraction(0), []
    for one in factors:
        after = _after(value, one)
        if after != value:
            found.append(one)
        value = after
    return found


@dataclass(frozen=True)
class Step:
    """One step of a strength in k cases, `where` it was taken; amounts, counts, sources may be single."""

    what: str
    sign: str
    amount: Ratio
    where: Mask
    counts: tuple[Count, ...]
    source: Source

    def factor(self, case: int) -> Factor:
        """The step of a case."""
        return Factor(
            self.what,
            self.sign,
            _of(self.amount, case),
            tuple(_count(one, case) for one in self.counts),
            str(_count(self.source, case)),
        )


def _of(amount: Ratio, case: int) -> Fraction:
    here = min(case, len(amount.num) - 1)
    return Fraction(int(amount.num[here]), int(amount.den[here]))


def _count(count: Count, case: int) -> int | str:
    if isinstance(count, int | str):
        return count
    if count.ndim == 0:
        return count.item()
    return count[min(case, len(count) - 1)].item()


@dataclass(frozen=True)
class Strength:
    """A strength in k cases.

    Attributes
    ----------
    value
        What it is worth.
    steps
        How it is made, in order: `value` is always what they make. None where nobody is told.
    """

    value: Ratio
    steps: tuple[Step, ...] | None = ()

    @staticmethod
    def zero(n: int, told: bool = True) -> Strength:
        """n zeros; steps are kept if they are `told`."""
        return Strength(Ratio.zero(n), () if told else None)

    def _then(
        self,
        what: str,
        sign: str,
        value: Ratio,
        amount: Ratio,
        where: Mask | None,
        counts: tuple[Count, ...],
        source: Source,
    ) -> Strength:
        now = value if where is None else value.where(where, self.value)
        if self.steps is None:
            return Strength(now, None)
        mask = np.ones(len(self.value.num), bool) if where is None else where
        return Strength(now, (*self.steps, Step(what, sign, amount, mask, counts, source)))

    def plus(
        self,
        what: str,
        amount: Ratio,
        source: Source = "",
        where: Mask | None = None,
        counts: tuple[Count, ...] = (),
    ) -> Strength:
        """More by an amount."""
        if _nowhere(where):
            return self
        return self._then(what, PLUS, self.value + amount, amount, where, counts, source)

    def minus(self, what: str, amount: int, source: Source = "", where: Mask | None = None) -> Strength:
        """Less by a whole number, but not below nothing."""
        if _nowhere(where):
            return self
        num = np.maximum(self.value.num - amount * self.value.den, 0)
        return self._then(what, MINUS, Ratio.made(num, self.value.den), Ratio.of(amount), where, (), source)

    def times(
        self,
        what: str,
        amount: Ratio,
        source: Source = "",
        where: Mask | None = None,
        counts: tuple[Count, ...] = (),
    ) -> Strength:
        """Multiplied by an amount."""
        if _nowhere(where):
            return self
        return self._then(what, TIMES, self.value * amount, amount, where, counts, source)

    def at_least(self, what: str, floor: int, source: Source = "", where: Mask | None = None) -> Strength:
        """Not below a whole number."""
        if _nowhere(where):
            return self
        return self._then(what, AT_LEAST, self.value.at_least(floor), Ratio.of(floor), where, (), source)

    def at_most(self, what: str, most: int, source: Source = "", where: Mask | None = None) -> Strength:
        """Not above a whole number."""
        if _nowhere(where):
            return self
        high = self.value.num > most * self.value.den
        value = Ratio(np.where(high, most, self.value.num), np.where(high, 1, self.value.den))
        return self._then(what, AT_MOST, value, Ratio.of(most), where, (), source)

    def where(self, mask: Mask, otherwise: Strength | None = None) -> Strength:
        """This where the mask holds, another (none) elsewhere."""
        if len(mask) == len(self.value.num) and mask.all():
            return self
        other = otherwise or Strength.zero(1, self.steps is not None)
        value = self.value.where(mask, other.value)
        if self.steps is None or other.steps is None:
            return Strength(value, None)
        mine = tuple(replace(step, where=step.where & mask) for step in self.steps)
        theirs = tuple(replace(step, where=step.where & ~mask) for step in other.steps)
        return Strength(value, mine + theirs)

    def factors(self, case: int = 0) -> tuple[Factor, ...]:
        """The steps of a case."""
        steps = self.steps or ()
        return tuple(step.factor(case) for step in steps if step.where[min(case, len(step.where) - 1)])

    def fractions(self) -> list[Fraction]:
        """What it is worth, as Python fractions."""
        return self.value.fractions()


def _nowhere(where: Mask | None) -> bool:
    """Whether a step is taken in none of the cases."""
    return where is not None and not where.any()


@dataclass(frozen=True)
class Share:
    """What a unit, or a hex, gives to a strength."""

    who: str
    factors: tuple[Factor, ...]

    @property
    def value(self) -> Fraction:
        """What it is worth."""
        return total(self.factors)


@dataclass(frozen=True)
class Strengths:
    """Both sides of a roll that compares them.

    Attributes
    ----------
    attack, defence
        The shares of each side: they add up to its strength.
    column
        The column of the chart they give, with the shift.
    shift
        Columns by which it lies to the right of the odds, and why, in a word of `narration`, and its source.
    """

    attack: tuple[Share, ...]
    defence: tuple[Share, ...]
    column: str
    shift: tuple[int, str, str] = (0, "", "")

    def total(self, side: str) -> Fraction:
        """The strength of a side, `attack` or `defence`."""
        shares: tuple[Share, ...] = getattr(self, side)
        return sum((one.value for one in shares), Fraction(0))
