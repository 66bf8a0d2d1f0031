"""Leaders: how far they go, how long they are away, what becomes of one whose unit is gone (rule 7; A 2;
docs/battle.md L).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.integer]
Mask = NDArray[np.bool_]

TURNS_AN_HOUR = 3


def within_reach(hexes: Numbers, movement: int) -> Mask:
    """Whether a leader may go so many hexes in a movement segment: each costs a point (A 2.1)."""
    return hexes <= movement


def back_in(turn: int, hours: Numbers) -> Numbers:
    """The turn in whose command step a leader is back who was wounded in a turn and is out for some hours.

    >>> back_in(4, np.array([2, 7]))
    array([10, 25])
    """
    return turn + TURNS_AN_HOUR * np.asarray(hours, np.int64)


def refuge(hexes: Numbers, safe: Mask, movement: int) -> NDArray[np.intp]:
    """The unit that a leader joins whose own is gone: the nearest within his movement that no enemy is next
    to, of equally near ones the first; -1 where there is none, and he is captured (A 2.4).

    Parameters
    ----------
    hexes
        From where he was to each unit of his side, shape (units, k).
    safe
        Whether a unit may take him up, shape (units, k).

    Examples
    --------
    >>> refuge(np.array([[3], [2], [2]]), np.array([[True], [False], [True]]), 12)
    array([2])
    """
    far = np.where(safe & within_reach(hexes, movement), hexes, np.iinfo(np.int16).max)
    nearest = far.argmin(axis=0)
    found = far[nearest, np.arange(far.shape[1])] < np.iinfo(np.int16).max
    return np.where(found, nearest, -1)
