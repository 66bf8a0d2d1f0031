"""Exact fractions in arrays: a numerator and a denominator for each case, int64, always reduced.

Odds must be exact: 3:1 is 3:1 and not 2.9999. Strengths of this game have small denominators (increments,
halves, thirds, quarters), so int64 is ample once every result is reduced.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.errors import InputError

Ints = NDArray[np.int64]

_LARGEST = 2**58


@dataclass(frozen=True)
class Ratio:
    """Non-negative fractions, one a case.

    >>> (Ratio.of(Fraction(1, 2)) + Ratio.of(Fraction(1, 3))).fractions()
    [Fraction(5, 6)]
    """

    num: Ints
    den: Ints

    @property
    def largest(self) -> tuple[int, int]:
        """The largest numerator and denominator."""
        if not self.num.size:
            return 0, 0
        return int(self.num.max()), int(self.den.max())

    @staticmethod
    @cache
    def of(value: Fraction | int) -> Ratio:
        """A single value, shape (1,), that broadcasts; not to be written into."""
        value = Fraction(value)
        return Ratio(np.array([value.numerator]), np.array([value.denominator]))

    @staticmethod
    def made(num: Any, den: Any) -> Ratio:
        """num / den, reduced."""
        num, den = np.asarray(num, np.int64), np.asarray(den, np.int64)
        common = np.maximum(np.gcd(num, den), 1)
        return Ratio(num // common, den // common)

    @staticmethod
    def zero(n: int) -> Ratio:
        """n zeros."""
        return Ratio(np.zeros(n, np.int64), np.ones(n, np.int64))

    def __add__(self, other: Ratio) -> Ratio:
        mine, others = self.largest, other.largest
        if mine[0] == 0 and len(other.num) >= len(self.num):
            return other
        if others[0] == 0 and len(self.num) >= len(other.num):
            return self
        _check(mine[0] * others[1], mine[1] * others[0], mine[1] * others[1])
        if mine[1] == others[1] == 1:
            num = self.num + other.num
            return Ratio(num, np.ones_like(num))
        den = np.lcm(self.den, other.den)
        return Ratio.made(self.num * (den // self.den) + other.num * (den // other.den), den)

    def __mul__(self, other: Ratio) -> Ratio:
        mine, others = self.largest, other.largest
        _check(mine[0] * others[0], mine[1] * others[1])
        return Ratio.made(self.num * other.num, self.den * other.den)

    def where(self, mask: NDArray[np.bool_], otherwise: Ratio | None = None) -> Ratio:
        """These where the mask holds, others (0) elsewhere."""
        other = otherwise or Ratio.zero(1)
        return Ratio(np.where(mask, self.num, other.num), np.where(mask, self.den, other.den))

    def at_least(self, floor: int) -> Ratio:
        """Not below a whole number."""
        low = self.num < floor * self.den
        return Ratio(np.where(low, floor, self.num), np.where(low, 1, self.den))

    def take(self, cases: Any) -> Ratio:
        """Some of the cases."""
        return Ratio(self.num[cases], self.den[cases])

    def spread(self, n: int) -> Ratio:
        """Broadcast to n cases."""
        return Ratio(np.broadcast_to(self.num, (n,)), np.broadcast_to(self.den, (n,)))

    def summed(self, group: NDArray[np.intp], n: int) -> Ratio:
        """Sums by the number of a group 0..n-1, shape (n,); the groups rise, and several cases are of one.

        >>> Ratio.made([1, 1, 1], [2, 3, 5]).summed(np.array([0, 0, 2]), 3).fractions()
        [Fraction(5, 6), Fraction(0, 1), Fraction(1, 5)]
        """
        total = Ratio.zero(n)
        place = np.arange(len(group)) - group.searchsorted(group)
        first = place == 0
        total.num[group[first]], total.den[group[first]] = self.num[first], self.den[first]
        for nth in range(1, int(place.max(initial=0)) + 1):
            chosen = np.flatnonzero(place == nth)
            into = group[chosen]
            more = total.take(into) + self.take(chosen)
            total.num[into], total.den[into] = more.num, more.den
        return total

    def fractions(self) -> list[Fraction]:
        """As Python fractions."""
        return [Fraction(int(num), int(den)) for num, den in zip(self.num, self.den, strict=True)]


def _check(*products: int) -> None:
    """Refuse products that would not fit: never a wrong number. Values of the game stay far below."""
    if max(products) > _LARGEST:
        raise InputError(
            "the strengths are fractions too fine to be added exactly; use values with smaller denominators"
        )


def column_down(attack: Ratio, defence: Ratio, columns: Sequence[tuple[int, int]]) -> Ints:
    """The last column whose odds are not above attack : defence, shape (k,); -1 below the first.

    Parameters
    ----------
    columns
        Odds (attack, defence) in rising order.
    """
    mine, others = attack.largest, defence.largest
    _check(mine[0] * others[1], mine[1] * others[0])
    left, right = attack.num * defence.den, attack.den * defence.num
    a, d = np.array(columns, np.int64).T
    reached: NDArray[np.bool_] = left[:, None] * d >= right[:, None] * a
    return np.asarray(reached.sum(axis=1)) - 1
