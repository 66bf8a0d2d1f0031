"""Morale levels of organisations (rule 43; C 16, 0-decisions 5.15): battalions routed or eliminated, counted
on the hour; cavalry and guns neither count nor suffer.

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sim.rulesets.modifiers import Applied
from sim.units.battles import Organisation

SHARES = (20, 40, 60)
"""Per cent of its battalions at which an organisation without thresholds of its own reaches levels 1, 2 and 3
(C16)."""

Numbers = NDArray[np.integer]


def thresholds(battalions: int) -> tuple[int, int, int]:
    """The whole numbers nearest to 20, 40 and 60 % of so many battalions, at least 1.

    >>> thresholds(20), thresholds(18)
    ((4, 8, 12), (4, 7, 11))
    """
    one, two, three = (max(1, (2 * share * battalions + 100) // 200) for share in SHARES)
    return one, two, three


def reached_at(organisation: Organisation) -> tuple[int, int, int]:
    """The thresholds of an organisation: as listed, else worked out from its battalions."""
    return organisation.thresholds or thresholds(organisation.battalions)


def level(lost: Numbers, numbers: Sequence[int]) -> Numbers:
    """Levels 0 to 3 of an organisation with so many battalions routed or eliminated: a level is reached at
    its number or more, and lost again when battalions rally.

    >>> level(np.array([3, 4, 8, 20]), (4, 8, 12))
    array([0, 1, 2, 3], dtype=int16)
    """
    return np.searchsorted(np.asarray(numbers), lost, side="right").astype(np.int16)


def penalty(levels: Numbers, penalties: Sequence[int]) -> Numbers:
    """Steps that levels add to the dice, of what levels 1, 2 and 3 add.

    >>> penalty(np.array([0, 1, 3]), (-3, -6, -12))
    array([  0,  -3, -12], dtype=int16)
    """
    return np.array([0, *penalties], np.int16)[levels]


def with_own_penalties(applied: Applied, levels: Numbers, own: Numbers, of_the_book: int) -> Applied:
    """The modifiers of a check; in place of the lines that go by the level, what the unit's organisation has
    of its own.

    Parameters
    ----------
    levels
        Of each unit that checks.
    own
        What levels 0 to 3 add, shape (k, 4); `of_the_book` where the lines of the rule set stay.
    """
    mine = own[np.arange(len(own)), levels]
    apart = mine != of_the_book
    if not apart.any():
        return applied
    items, total = [], applied.total.copy()
    for modifier, amounts in applied.items:
        by_level = modifier.of is not None and modifier.of.endswith(".level")
        kept = np.where(apart, 0, amounts) if by_level else amounts
        items.append((modifier, kept))
        total += kept - amounts
    found = replace(applied, items=tuple(items), total=total)
    return found.and_also("morale level", np.where(apart, mine, 0), "scenario")


def tested(minutes: int) -> bool:
    """Whether levels are tested at a time of the day, in minutes: on the hour.

    >>> tested(9 * 60), tested(9 * 60 + 20)
    (True, False)
    """
    return minutes % 60 == 0
