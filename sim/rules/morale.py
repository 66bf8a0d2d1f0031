"""Morale (rules 30, 31): what calls for a check and what failing it does.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.rulesets.modifiers import Applied
from sim.vocabulary import ARTILLERY, CAVALRY, DISORDERED, GOOD, ROUTED, UNLIMBERED

Cases = NDArray[np.integer]
Mask = NDArray[np.bool_]

STAYS = -1
"""A failure without effect (unlimbered guns already disordered)."""


def with_leader(applied: Applied, bonus: Cases) -> Applied:
    """The modifiers of a check, and the bonus of a leader in the hex (C3): whichever chart it is made by."""
    return applied.and_also("leader", bonus, "[DIGEST] C3")


def loss_calls_for_check(before: Cases, after: Cases, first: Cases | int, step: Cases | int) -> Mask:
    """Whether cumulative losses passed a number that calls for a check: first, first + step, ...

    Parameters
    ----------
    before, after
        Cumulative increments lost before and after the attack, shape (k,).
    first, step
        The troop's trigger: even losses are (2, 2), every third (3, 3), every loss from the second (2, 1).

    References
    ----------
    Rule 31, list item 9; B8, C2.

    Examples
    --------
    >>> loss_calls_for_check(np.array([0, 1, 1]), np.array([1, 2, 4]), 2, 2)
    array([False,  True,  True])
    """
    return np.maximum(after - first, -step) // step > np.maximum(before - first, -step) // step


def failure(arm: Cases | int, state: Cases, formation: Cases) -> Cases:
    """The state a failed check leads to, or `STAYS`.

    Infantry and limbered guns: good to disordered, else routed. Cavalry: routed. Unlimbered guns: disordered
    in place, and no further.

    Parameters
    ----------
    arm
        `vocabulary.Arm`, of each case or of all.
    state, formation
        Before the check.

    References
    ----------
    Rule 30; C4; E2.
    """
    result = np.where(state == GOOD, DISORDERED, ROUTED)
    guns = (arm == ARTILLERY) & (formation == UNLIMBERED)
    result = np.where(guns, np.where(state == GOOD, DISORDERED, STAYS), result)
    return np.where(arm == CAVALRY, ROUTED, result)
