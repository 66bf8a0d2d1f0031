"""Assault à melee (rules 32 to 34): values, odds, column.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sim.ensemble.ratios import Ratio, column_down
from sim.rules.strengths import Strength
from sim.rulesets.modifiers import Facts, Multiplier, holds
from sim.rulesets.rulebook import ratio_of

Cases = NDArray[np.integer]


def melee_value(
    printed: Ratio,
    increments: Cases,
    strength: Cases | int,
    side: str,
    known: Facts,
    multipliers: Sequence[Multiplier],
) -> Strength:
    """A unit's melee value: printed value in proportion to its increments, times every factor that applies;
    fractions are kept.

    Parameters
    ----------
    printed
        Printed melee value.
    increments, strength
        Increments now and printed, shape (k,) or a number.
    side
        `attack` or `defence`.
    known
        Attributes `unit.*`, `enemy.*` and of the situation.

    References
    ----------
    AE15 p11; C10: all factors are multiplied.
    """
    n = len(increments)
    value = Strength.zero(n).plus("printed melee", printed)
    value = value.times(
        "share", Ratio.made(increments, strength), "[PRINT] AE15 p11", None, (increments, strength)
    )
    for factor in multipliers:
        if factor.side not in (side, "both"):
            continue
        where = holds(factor.when, known, n)
        if where.any():
            value = value.times(factor.label, Ratio.of(factor.value), factor.source, where)
    return value


def lance(printed: Ratio, factor: Cases, increments: Cases, strength: Cases | int) -> Ratio:
    """The lance bonus, added to the melee value: printed, by the factor of the formation, in proportion to
    the increments (rule 35; D2.6)."""
    return printed * Ratio.made(increments * factor, strength)


def melee_column(
    attack: Ratio, defence: Ratio, columns: Sequence[str], below: Mapping[str, int]
) -> tuple[Cases, Cases]:
    """Column of the melee table, and what odds below the table add to the dice.

    The last column not above the odds; below the first column, the first, with the dice penalties of the
    chart's note. No defence at all: the last column; no attack at all: the first with the heaviest penalty.

    References
    ----------
    C11; 0-decisions 5; notes of the melee chart.
    """
    ratios = [ratio_of(name) for name in columns]
    found = np.maximum(column_down(attack, defence, ratios), 0)
    shift = np.zeros(len(found), np.int64)
    for name in sorted(below, key=lambda one: -ratio_of(one)[0] / ratio_of(one)[1]):
        a, d = ratio_of(name)
        shift[attack.num * defence.den * d < a * attack.den * defence.num] = below[name]
    empty = defence.num == 0
    found[empty & (attack.num > 0)] = len(columns) - 1
    nothing = attack.num == 0
    found[nothing] = 0
    shift[nothing] = min(below.values(), default=0)
    return found, shift


def premelee_column(attackers: Ratio, defenders: Ratio, columns: Sequence[str]) -> Cases:
    """Column of the pre-melee odds: increments against increments, down to the next column, not below the
    first (C9)."""
    ratios = [ratio_of(name) for name in columns]
    return np.maximum(column_down(attackers, defenders, ratios), 0)
