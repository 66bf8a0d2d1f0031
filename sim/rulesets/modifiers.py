"""Lines of modifier tables: their conditions compiled to codes, what they add, and what takes others back or
spares a check.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sim.ensemble import ladder
from sim.rulesets.conditions import When, code

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Fact = NDArray[np.integer | np.bool_]
"""Codes of one attribute, shape (k,)."""
Facts = Mapping[str, Fact]
"""Attribute name to codes: what conditions of modifiers are tested against."""


class _Single(dict[str, Fact]):
    """Facts about a single case, of which not all are told: what is not meets no condition and counts 0."""

    def __missing__(self, name: str) -> Fact:
        return np.array([-1])


def facts(values: Mapping[str, object]) -> dict[str, Fact]:
    """Facts about a single case, from plain values; a printed morale is a roll."""
    return _Single(
        {
            name: np.array([ladder.index_of(int(str(value))) if name.endswith(".morale") else code(value)])
            for name, value in values.items()
        }
    )


@dataclass(frozen=True)
class Modifier:
    """One line of a modifier table.

    Attributes
    ----------
    values
        What is added, by the value of `of` (0 where there is none); without `of`, the single entry 0 ->
        value.
    per
        The number that the value is multiplied by.
    cancels
        Lines of the table that it takes back: `minus`, `plus`, or their keys.
    spares
        Whether who meets the conditions makes no check.
    """

    key: str
    label: str
    values: tuple[tuple[int, int], ...]
    of: str | None
    when: When
    source: str
    per: str | None = None
    cancels: str | tuple[str, ...] = ()
    spares: bool = False

    def applies(self, known: Facts, n: int) -> Mask:
        """Where all its conditions hold, shape (n,)."""
        return holds(self.when, known, n)

    def amounts(self, known: Facts, n: int) -> Ints:
        """What it adds in each case, shape (n,), 0 where it does not apply."""
        applies = self.applies(known, n)
        if self.of is None:
            each = applies * np.int64(self.values[0][1])
            return each if self.per is None else each * np.maximum(known[self.per], 0)
        found = np.zeros(n, np.int64)
        for at, value in self.values:
            found[known[self.of] == at] = value
        return found * applies


def holds(when: When, known: Facts, n: int) -> Mask:
    """Where all conditions hold, shape (n,)."""
    result: Mask | None = None
    for attribute, excluded, codes in when:
        fact = known[attribute]
        met: Mask = fact == codes[0]
        for other in codes[1:]:
            met |= fact == other
        met = ~met if excluded else met
        result = met if result is None else result & met
    if result is None or len(result) != n:  # what is the same for all cases may be told once
        return np.ones(n, bool) if result is None else np.repeat(result, n)
    return result


@dataclass(frozen=True)
class Applied:
    """Modifiers as applied to k cases: each with its amounts, shape (k,), and their sum.

    Attributes
    ----------
    spared
        The lines that spare a case its check, and where they do, shape (k,).
    """

    items: tuple[tuple[Modifier, Ints], ...]
    total: Ints
    spared: tuple[tuple[Modifier, Mask], ...] = ()

    def and_also(self, label: str, amounts: NDArray[np.integer], source: str) -> Applied:
        """With one more modifier that is not a line of a table (a leader's bonus, say)."""
        extra = Modifier(label, label, ((0, 0),), None, (), source)
        return Applied(
            (*self.items, (extra, np.asarray(amounts, np.int64))), self.total + amounts, self.spared
        )

    def where(self, cases: Mask) -> Applied:
        """The same for some of the cases."""
        items = tuple((one, amounts[cases]) for one, amounts in self.items)
        return Applied(items, self.total[cases], tuple((one, mask[cases]) for one, mask in self.spared))


@dataclass(frozen=True)
class ModifierTable:
    """Modifiers of one chart, in the order in which they are told."""

    modifiers: tuple[Modifier, ...]

    def apply(self, known: Facts, n: int) -> Applied:
        """Amounts and sum for n cases.

        A line that takes others back adds their contrary, so that both are seen.
        """
        found = [modifier.amounts(known, n) for modifier in self.modifiers]
        taken: list[Mask] = [np.zeros(n, bool) for _ in found]
        for k, modifier in enumerate(self.modifiers):
            for j in self._cancelled(k) if modifier.cancels else ():
                amounts = found[j]
                signed = {"minus": amounts < 0, "plus": amounts > 0}.get(
                    str(modifier.cancels), np.ones(n, bool)
                )
                back = modifier.applies(known, n) & signed & ~taken[j]
                found[k] = found[k] - amounts * back
                taken[j] |= back
        total = np.zeros(n, np.int64)
        for amounts in found:
            total += amounts
        spared = tuple((one, one.applies(known, n)) for one in self.modifiers if one.spares)
        return Applied(tuple(zip(self.modifiers, found, strict=True)), total, spared)

    def _cancelled(self, k: int) -> list[int]:
        """The lines that line k may take back; never one that takes back others itself."""
        cancels = self.modifiers[k].cancels
        others = [j for j, one in enumerate(self.modifiers) if not one.cancels]
        return others if isinstance(cancels, str) else [j for j in others if self.modifiers[j].key in cancels]


@dataclass(frozen=True)
class Multiplier:
    """A factor of a unit's melee value."""

    key: str
    label: str
    side: str
    value: Fraction
    when: When
    source: str


@dataclass(frozen=True)
class Refusal:
    """What may not be done, and when: a charge that a type of troops does not make, a carré that is
    barred."""

    label: str
    when: When
    source: str


@dataclass(frozen=True)
class RecoveryLoss:
    """Increments that a failed recovery costs, and when."""

    increments: int
    label: str
    when: When
    source: str
