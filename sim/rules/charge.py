"""The charge (rules 37, 38, 42): allowance, the straight run, trampling, the no-contact rule.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Cases = NDArray[Any]
Mask = NDArray[np.bool_]


def straight_run(straight: Cases, turned: Cases) -> Cases:
    """Hexes entered in one direction, after one more step with a turn of so many hexsides (seed 000;
    D4.8)."""
    return np.where(turned == 0, straight + 1, 1)


def has_bonus(target: Mask, straight: Cases, needed: int, ahead: Mask) -> Mask:
    """Whether a charge counts as one: declared, the last `needed` hexes straight, and straight at the target
    (seed 000)."""
    return target & (straight >= needed) & ahead


def trampled(left: Cases, increments: Cases, points: int) -> Cases:
    """Increments ridden down: one for each full `points` movement points left, at most what there is (D
    N15.1).

    Parameters
    ----------
    left
        Movement points left, the extra ones of a charge included, shape (k,).
    increments
        Increments of the victims, shape (k,).

    Examples
    --------
    >>> trampled(np.array([11, 3]), np.array([7, 7]), 2)
    array([5, 1])
    """
    return np.minimum(np.maximum(left, 0) // points, increments)


def routs_without_contact(spent: Cases, printed: int, contact: Mask) -> Mask:
    """Whether a charge that touched nobody routs where it stands: it spent its printed allowance or more (F14
    fb124; D4.3)."""
    return ~contact & (spent >= printed)
