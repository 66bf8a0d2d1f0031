"""The charge: turns, the straight run, trampling, no contact (rules 37, 38; docs/charge.md 3, 4, 6).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.integer]
Mask = NDArray[np.bool_]

ANY_TURN, LIGHT_TURN, HEAVY_TURN = 3, 2, 1
"""Most hexsides that a charge turns before a step."""


def turn_cap(light: Mask, capped: bool) -> Numbers:
    """Hexsides that cavalry may turn before a step (docs/charge.md 3.4).

    Parameters
    ----------
    light
        Whether it is light cavalry.
    capped
        Switch `facing_cap`.
    """
    return np.where(light, LIGHT_TURN, HEAVY_TURN) if capped else np.full(len(light), ANY_TURN)


def straight_run(straight: Numbers, turned: Numbers) -> Numbers:
    """Hexes entered in one direction after one more step, with a turn of so many hexsides before it.

    Seed 000; D4.8.
    """
    return np.where(turned == 0, straight + 1, 1)


def has_bonus(target: Mask, straight: Numbers, needed: int, ahead: Mask) -> Mask:
    """Whether a charge counts as one: declared, the last `needed` hexes straight, and straight at the target.

    Seed 000.
    """
    return target & (straight >= needed) & ahead


def trampled(left: Numbers, increments: Numbers, points: int) -> Numbers:
    """Increments ridden down: one for each full `points` movement points left, at most all (D N15.1).

    Parameters
    ----------
    left
        Movement points left, the extra ones of a charge included.
    increments
        Increments of the victims.

    Examples
    --------
    >>> trampled(np.array([11, 3]), np.array([7, 7]), 2)
    array([5, 1])
    """
    return np.minimum(np.maximum(left, 0) // points, increments)


def trampled_at_half_points(left: Numbers, increments: Numbers) -> tuple[Numbers, Numbers]:
    """Increments ridden down at two a point, at most all, and what that costs (`skirmish_trample: points`).

    Examples
    --------
    >>> trampled_at_half_points(np.array([3, 1]), np.array([5, 7]))
    (array([5, 2]), array([3, 1]))
    """
    loss = np.minimum(np.maximum(left, 0) * 2, increments)
    return loss, (loss + 1) // 2


def routs_without_contact(spent: Numbers, printed: Numbers | int, contact: Mask) -> Mask:
    """Whether a charge that touched nobody routs where it stands: it spent its printed allowance or more.

    F14 fb124; D4.3.
    """
    return ~contact & (spent >= printed)
