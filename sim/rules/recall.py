"""Recall: what its roll lets the charger do (rule 42; docs/charge.md 4.12, 6.16 to 6.19).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.integer]
Mask = NDArray[np.bool_]

UNASKED, RECALLED, AWAY = range(3)
"""What came of the recall roll: none yet, recalled, not recalled."""


def chases(recalled: Mask, must: bool) -> Mask:
    """Whether who was not recalled chases the routers (`recall: must`)."""
    return ~recalled & must


def follows(recalled: Mask, planned: Mask, near: Mask, must: Mask | bool) -> Mask:
    """Whether who was recalled follows the routers.

    Parameters
    ----------
    planned
        Its plan says so.
    near
        It would come up with them.
    must
        `recall: must`: it may follow whether it comes up with them or not.
    """
    return recalled & planned & (near | must)
