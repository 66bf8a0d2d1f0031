"""Stacking: what a hex holds, and who may share it (rules 15, 16; docs/battle.md S).

Units of a hex are rows, cases columns: shape (units, k); results have shape (k,).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.board.limits import Limits, stack_fits
from sim.rulesets.compiled import BATTALION
from sim.vocabulary import ARTILLERY, CAVALRY, INFANTRY, ROAD_MARCH, SKIRMISH

Numbers = NDArray[np.integer]
Mask = NDArray[np.bool_]


def within(
    limits: Limits, terrain: Numbers, there: Mask, arm: Numbers, increments: Numbers, size: Numbers
) -> Mask:
    """Whether the units of a hex are within its stacking limit (S1, S2, S4; A6, A9).

    Parameters
    ----------
    limits
        As `Rulebook.stack_limits`.
    terrain
        Its number, shape (k,).
    there
        Which units count, shape (units, k).
    arm, size
        By unit, shape (units, 1) or (units, k); a size is `BATTALION` or `REGIMENT`.
    increments
        Those left, shape (units, k).
    """
    counts, sums, sizes = [], [], []
    for one in (INFANTRY, CAVALRY, ARTILLERY):
        some = there & (arm == one)
        counts.append(some.sum(axis=0))
        sums.append(np.where(some, increments, 0).sum(axis=0))
        sizes.append(np.where(some, size, BATTALION).max(axis=0, initial=BATTALION))
    foot, horse, guns = zip(counts, sums, sizes, strict=True)
    return stack_fits(limits, terrain, *foot, *horse, *guns[:2])


def within_road_march(there: Mask, formation: Numbers, increments: Numbers, most: int) -> Mask:
    """Whether the heads of columns in road march share a hex of the road: one alone, whose rest lies behind
    it, or several up to so many increments (S3; PR17 SR p2, A5.11)."""
    marching = there & (formation == ROAD_MARCH)
    return (marching.sum(axis=0) <= 1) | (np.where(marching, increments, 0).sum(axis=0) <= most)


def alike(there: Mask, arm: Numbers, formation: Numbers) -> Mask:
    """Whether the units of a hex are in one formation; guns stand with infantry of any but skirmish order
    (S5; PR17 p15)."""
    foot, guns = there & (arm == INFANTRY), there & (arm == ARTILLERY)
    loose = foot & (formation == SKIRMISH)
    same = np.ones(there.shape[1], bool)
    for some in (there & (arm != ARTILLERY), guns):
        low = np.where(some, formation, 99).min(axis=0, initial=99)
        high = np.where(some, formation, -1).max(axis=0, initial=-1)
        same &= low >= high
    return same & ~(loose.any(axis=0) & guns.any(axis=0))


def scattered(there: Mask, arm: Numbers, formation: Numbers, fits: Mask) -> Mask:
    """Which skirmishers count as disordered in combat: those who end a segment with another formation in
    their hex, or over its limit, shape (units, k) (S7; AU16 p21)."""
    loose = there & (formation == SKIRMISH)
    others = (there & (formation != SKIRMISH)).any(axis=0)
    return loose & (others | ~fits)
