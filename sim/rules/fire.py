"""Fire (rules 21 to 28): strength, fire defence, column, and how losses fall.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sim.board import pairs
from sim.ensemble.ratios import Ratio, column_down
from sim.rules.strengths import Source, Strength
from sim.rulesets.rulebook import ratio_of

Cases = NDArray[np.integer]
Mask = NDArray[np.bool_]


def printed_fire(
    fire: Ratio, increments: Cases, printed: Cases | int, disordered: Mask, told: bool = True
) -> Strength:
    """Fire of a column or general order: the top unit's printed value, halved at its last increment, halved
    in disorder.

    Parameters
    ----------
    told
        Whether steps are kept; here as below.

    References
    ----------
    AE15 p11; AU16 p24; seed 004.
    """
    half = Ratio.of(Fraction(1, 2))
    value = Strength.zero(len(increments), told).plus("printed fire", fire)
    value = value.times("last increment", half, "[PRINT] AU16 p24", (increments == 1) & (printed > 1))
    return value.times("disordered", half, "[PRINT] seed 004", disordered)


def counted_fire(
    increments: Cases,
    most: Cases | int,
    multiple: Ratio,
    formation: Source = "",
    sources: tuple[Source, Source] = ("", ""),
    told: bool = True,
) -> Strength:
    """Fire of a line, square or skirmish hex: increments, up to the most that fire, times the troop's
    multiple (seed 003).

    Parameters
    ----------
    formation, sources
        What the steps say: for which formation, and where the most and the multiple stand.
    """
    counted = np.minimum(increments, most)
    value = Strength.zero(len(increments), told).plus(
        "increments", Ratio.made(counted, 1), sources[0], None, (increments, most, formation)
    )
    return value.times("multiple", multiple, sources[1], None, (formation,))


def gun_fire(
    fire: Ratio, increments: Cases, printed: Cases | int, disordered: Mask, told: bool = True
) -> Strength:
    """Fire of a battery: in proportion to its increments; halved in disorder, but not below 1 (AE15 p11;
    seed 004)."""
    value = Strength.zero(len(increments), told).plus("printed fire", fire)
    value = value.times(
        "share", Ratio.made(increments, printed), "[PRINT] AE15 p11", None, (increments, printed)
    )
    shaken = disordered & (value.value.num > 0)
    value = value.times("disordered", Ratio.of(Fraction(1, 2)), "[PRINT] seed 004", shaken)
    return value.at_least("guns", 1, "[PRINT] seed 004", shaken)


def at_range(shares: Ratio, hexes: Cases) -> Ratio:
    """The share of their fire that firers have at so many hexes, 0 out of range.

    Parameters
    ----------
    shares
        By range, the last beyond the longest (`Rulebook.gun_shares`, `skirmish_shares`).

    References
    ----------
    B4.4, B5.4; 0-decisions 6.

    Examples
    --------
    >>> shares = Ratio.made([0, 1, 1, 0], [1, 1, 2, 1])
    >>> at_range(shares, np.array([1, 2, 3, 40])).fractions()
    [Fraction(1, 1), Fraction(1, 2), Fraction(0, 1), Fraction(0, 1)]
    """
    return shares.take(np.clip(hexes, 0, len(shares.num) - 1))


def may_combine(
    hexes: Cases, adjacent: Mask, within: Cases, beside: Cases, barred: Mask, two: int, three: int
) -> Mask:
    """Where the guns of several hexes may fire together at a target (rule 25, AU16 p24).

    Parameters
    ----------
    hexes
        From how many hexes guns would fire.
    adjacent
        Where these are adjacent to one another.
    within, beside
        The greatest artillery bonus of a leader in one of them, and of one in or next to every one of them; 0
        where there is none.
    barred
        Where guns of one of the nations never combine.
    two, three
        The bonus that two and three hexes need.

    Examples
    --------
    >>> one = np.ones(4, bool)
    >>> may_combine(np.array([1, 2, 2, 3]), one, np.array([0, 0, 1, 1]), np.zeros(4, int), ~one, 1, 3)
    array([ True, False,  True, False])
    """
    return pairs.may_combine(hexes, adjacent, within, beside, barred, two, three)


def fire_column(
    attack: Ratio, defence: Cases, columns: tuple[str, ...], canister: Mask, shift: int, lowest: bool = True
) -> Cases:
    """Column of the fire table: odds in the firer's disfavour, then canister some columns to the right.

    The last column not above the odds (1:1.6 is 1:2); above the last column, the last. Below the lowest
    column the lowest counts, or, with `lowest` false, -1: no fire.

    References
    ----------
    B2.4, B2.5.

    Examples
    --------
    >>> names = ("1:3", "1:2", "1:1", "2:1")
    >>> attack, defence = Ratio.made([17, 6, 1], [1, 1, 1]), np.array([9, 9, 9])
    >>> fire_column(attack, defence, names, np.array([True, False, False]), 1)
    array([3, 1, 0])
    """
    found = column_down(attack, Ratio.made(defence, 1), [ratio_of(name) for name in columns])
    if lowest:
        found = np.maximum(found, 0)
    moved = np.where(canister & (found >= 0), found + shift, found)
    return np.minimum(moved, len(columns) - 1)


def massed(increments: Cases, above: int, each: int) -> Cases:
    """What a crowded target adds to the fire dice (rule 22)."""
    return np.maximum(increments - above, 0) * each


def split_losses(result: Cases, infantry: Mask, guns: Mask) -> tuple[Cases, Cases]:
    """Increments lost by the formed troops and by the unlimbered guns of a target hex.

    Guns alone lose half, rounded down; with infantry the first, third, ... loss falls on the infantry.

    References
    ----------
    AE15 p11, p18; B2.9.

    Examples
    --------
    >>> split_losses(np.array([3, 3, 3]), np.array([True, True, False]), np.array([False, True, True]))
    (array([3, 2, 0]), array([0, 1, 1]))
    """
    half = result // 2
    return np.where(infantry, np.where(guns, result - half, result), 0), np.where(guns, half, 0)
