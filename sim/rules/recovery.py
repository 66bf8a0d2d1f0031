"""Recovery of who is far from every enemy (rule 30; C7; docs/battle.md R3).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.integer]
Mask = NDArray[np.bool_]

_NOWHERE = 32_000


def is_safe(hexes: Numbers, safe: int) -> Mask:
    """Whether an enemy so many hexes away is far enough (`retreat.safe`), any shape.

    >>> is_safe(np.array([14, 15]), 15)
    array([False,  True])
    """
    return np.asarray(hexes) >= safe


def nearest(hexes: Numbers, open_: Mask) -> NDArray[np.intp]:
    """The nearest shelter that is open, the first of equally near ones; -1 where there is none.

    Parameters
    ----------
    hexes, open_
        How far each shelter is, and whether a unit may go there, shape (shelters, k).
    """
    if not len(hexes):
        return np.full(hexes.shape[1], -1)
    far = np.where(open_, hexes, _NOWHERE)
    first = far.argmin(axis=0)
    return np.where(far[first, np.arange(far.shape[1])] < _NOWHERE, first, -1)
