"""Forming carré against a charge: who may, and in which column he rolls.

Rule 38, option 2; seeds 001 and 002; docs/charge.md 5.1, 5.2.

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.vocabulary import GENERAL_ORDER, GOOD, INFANTRY, MASSE, SKIRMISH, SQUARE

Numbers = NDArray[np.integer]
Mask = NDArray[np.bool_]

REFUSALS = (
    "",
    "only infantry forms square",
    "in skirmish order: its only way out is flight (rule 19)",
    "already in square",
    "in general order",
    "a Masse forms square only in its own movement",
    "not in good order",
    "no carré row for its nation and formation",
    "the rule set bars it from carré",
    "its troop type has no carré",
    "fewer than 3 increments",
    "the charger is beyond the range",
    "the charger is not in sight through a front hexside",
    "the charger was never at that distance",
)
"""Why a carré attempt may not be made, by number; 0 is none."""

(
    ALLOWED,
    NOT_INFANTRY,
    SKIRMISHING,
    IN_SQUARE,
    IN_GENERAL_ORDER,
    IN_MASSE,
    NOT_IN_ORDER,
    NO_ROW,
    BARRED,
    NO_CARRE,
    TOO_FEW,
    OUT_OF_RANGE,
    OUT_OF_SIGHT,
    NEVER_AT_DISTANCE,
) = range(len(REFUSALS))

FORMED, SHAKEN, BROKEN = 1, 2, 3
"""What an attempt gave: a square, disorder, rout; 0 where none was made."""

FARTHEST = 4
"""The last column of the chart."""


@dataclass(frozen=True)
class Attempt:
    """Who would try, and what he sees of the charge.

    Attributes
    ----------
    arm, formation, state
        Of the top unit.
    row, barred, carre
        Whether the chart has a row for it, the rule set bars it, its troop type has a carré.
    increments, least
        Of the infantry in the hex, and how many it takes.
    hexes, reach
        How far off the charger is, and how far it may be.
    seen
        Whether the charger is in sight through a front hexside.
    """

    arm: Numbers
    formation: Numbers
    state: Numbers
    row: Mask
    barred: Mask
    carre: Mask
    increments: Numbers
    least: int
    hexes: Numbers
    reach: int
    seen: Mask


REASONS: tuple[tuple[int, Callable[[Attempt], Mask]], ...] = (
    (NOT_INFANTRY, lambda one: one.arm != INFANTRY),
    (SKIRMISHING, lambda one: one.formation == SKIRMISH),
    (IN_SQUARE, lambda one: one.formation == SQUARE),
    (IN_GENERAL_ORDER, lambda one: one.formation == GENERAL_ORDER),
    (IN_MASSE, lambda one: one.formation == MASSE),
    (NOT_IN_ORDER, lambda one: one.state != GOOD),
    (NO_ROW, lambda one: ~one.row),
    (BARRED, lambda one: one.barred),
    (NO_CARRE, lambda one: ~one.carre),
    (TOO_FEW, lambda one: one.increments < one.least),
    (OUT_OF_RANGE, lambda one: one.hexes > one.reach),
    (OUT_OF_SIGHT, lambda one: ~one.seen),
)
"""The reasons against an attempt, in the order in which they are given."""


def refusal(attempt: Attempt) -> Numbers:
    """Number of the first reason against an attempt, `ALLOWED` if there is none."""
    return np.select([holds(attempt) for _, holds in REASONS], [number for number, _ in REASONS], ALLOWED)


def column(row: Numbers, distance: Numbers) -> Numbers:
    """Column of the carré chart: four a row, the last one for all that is farther.

    Examples
    --------
    >>> column(np.array([0, 2]), np.array([1, 6]))
    array([ 0, 11])
    """
    return FARTHEST * np.asarray(row, np.int64) + np.minimum(distance, FARTHEST) - 1
