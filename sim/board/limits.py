"""What holds a unit up: stacking limits and zones of influence (rules 14, 16; docs/battle.md S, Z).

Expressions without branches, of numbers in the kernels and of arrays in the rules: each is told once.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sim.board.kernel import helper
from sim.rulesets.compiled import BATTALION, TOGETHER
from sim.vocabulary import ARTILLERY, CAVALRY, FORMATIONS, INFANTRY, LIMBERED, LINE, SKIRMISH, SQUARE

N = TypeVar("N", int, NDArray[np.integer])
"""Numbers: one, or an array, shape (k,); flags, where a function of numbers says yes or no."""
B = TypeVar("B", bool, NDArray[np.bool_])
"""Flags likewise."""
Limits = NDArray[np.int16]
"""`Rulebook.stack_limits`."""

NEVER = 1000
LEAST_IN_TWO = np.full(len(FORMATIONS), NEVER)
"""Increments that a unit in two hexes has at least, by formation: `NEVER` where it stands in one (O3, O6;
seed 003, PR17 p21)."""
LEAST_IN_TWO[LINE], LEAST_IN_TWO[SKIRMISH] = 5, 4
LEAST_IN_TWO.flags.writeable = False


@helper
def deployed(increments: N, other: int) -> N:
    """Increments of a unit in two hexes in its own `hex` (0) or the other (1): half of them, the odd one in
    its own (O4; A5.5).

    Examples
    --------
    >>> deployed(9, 0), deployed(9, 1)
    (5, 4)
    """
    return (increments + 1 - other) // 2


@helper
def arm_fits(limits: Limits, terrain: N, arm: int, units: N, increments: N, size: N) -> N:
    """Whether units of one arm are within the limit of a terrain: one up to a size, or so many increments.

    Parameters
    ----------
    size
        Of the greatest of them: `BATTALION` or `REGIMENT`.
    """
    alone = (units == 1) & (size <= limits[terrain, arm, 0])
    several = (increments <= limits[terrain, arm, 1]) & (units <= limits[terrain, arm, 2])
    return (units == 0) | alone | several


@helper
def together_fits(limits: Limits, terrain: N, foot: N, men: N, size: N, batteries: N, guns: N) -> N:
    """Whether infantry and batteries are within the limit of a terrain; `men` and `guns` are increments."""
    alone = (foot == 1) & (size <= limits[terrain, TOGETHER, 0])
    some = alone | (men <= limits[terrain, TOGETHER, 1])
    return some & (batteries <= limits[terrain, TOGETHER, 2]) & (guns <= limits[terrain, TOGETHER, 3])


@helper
def stack_fits(
    limits: Limits,
    terrain: N,
    foot: N,
    men: N,
    foot_size: N,
    horse: N,
    riders: N,
    horse_size: N,
    batteries: N,
    guns: N,
) -> N:
    """Whether units may share a hex (S1, S2, S4): how many of each arm, their increments, and the size of the
    greatest; a battery is as great as a battalion."""
    apart = (horse == 0) | ((foot == 0) & (batteries == 0))
    on_foot = arm_fits(limits, terrain, INFANTRY, foot, men, foot_size)
    mounted = arm_fits(limits, terrain, CAVALRY, horse, riders, horse_size)
    limbered = arm_fits(limits, terrain, ARTILLERY, batteries, guns, 0 * batteries + BATTALION)
    both = together_fits(limits, terrain, foot, men, foot_size, batteries, guns)
    mixed = (foot > 0) & (batteries > 0)
    return apart & mounted & ((mixed & both) | ((foot == 0) | (batteries == 0)) & on_foot & limbered)


@helper
def may_pass(arm: N, friend_arm: N, friend_formation: N, closed: bool) -> N:
    """Whether a unit in close order may pass through the hex of a friend in close order (S10, S11).

    Parameters
    ----------
    closed
        Whether cavalry does not pass cavalry (`passing: closed`).
    """
    limbered = friend_formation == LIMBERED
    horse = (friend_arm == CAVALRY) & (closed == False)  # noqa: E712
    mounted = (arm == CAVALRY) & (limbered | (friend_formation == SQUARE) | horse)
    return mounted | ((arm != CAVALRY) & (limbered | (friend_arm == INFANTRY)))


@helper
def must_stop(rides: B, zone: B, horse_zone: B, free: bool) -> B:
    """Whether a unit stops in a hex (Z3, Z5).

    Parameters
    ----------
    rides
        Whether it is cavalry or horse artillery.
    zone, horse_zone
        Whether the hex is in a zone of an enemy, of enemy cavalry.
    free
        Whether cavalry stops in no zone (`cavalry_zone: free`).
    """
    return (zone & (rides == False)) | (horse_zone & rides & (free == False))  # noqa: E712
