"""Readiness of cavalry after a charge and its melee (rule 36; D3.3, D3.4; docs/charge.md 10.15, 10.16).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.vocabulary import EXHAUSTED, FRESH, TIRED

Numbers = NDArray[np.integer]
Mask = NDArray[np.bool_]


def after_charge(readiness: Numbers, charged: Mask, meleed: Mask, preserves: Mask) -> Numbers:
    """A charger's readiness: a charge tires, with a melee it exhausts, unless that was fought at a third.

    Examples
    --------
    >>> yes, no = np.array([True]), np.array([False])
    >>> after_charge(np.array([FRESH]), yes, no, no), after_charge(np.array([TIRED]), yes, yes, yes)
    (array([1]), array([1]))
    """
    spent = np.where(meleed, np.where(preserves, FRESH, EXHAUSTED), TIRED)
    return np.where(charged, np.maximum(readiness, spent), readiness)


def after_defence(readiness: Numbers, meleed: Mask, met: Mask, met_exhausts: bool) -> Numbers:
    """Readiness of the other side's cavalry: a melee costs a step, one by reaction perhaps all.

    Parameters
    ----------
    met
        Whether it met a charge by a reaction.
    met_exhausts
        Switch `react_melee_exhausts`.
    """
    after = np.minimum(np.asarray(readiness) + 1, EXHAUSTED)
    after = np.where(met & met_exhausts, EXHAUSTED, after)
    return np.where(meleed, after, readiness)


def recovered(moved: Numbers, upset: Mask) -> Numbers:
    """Levels that cavalry has back after a whole turn since it lost readiness (D3.5).

    Parameters
    ----------
    moved
        The most that it moved in a movement segment: 0 not at all, 1 at most half its allowance, 2 more.
    upset
        Whether it has fought, retreated, lost increments by fire, or is not in good order.

    Examples
    --------
    >>> recovered(np.array([0, 1, 2, 0]), np.array([False, False, False, True]))
    array([2, 1, 0, 0])
    """
    return np.where(upset, 0, 2 - np.asarray(moved))
