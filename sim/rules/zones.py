"""Zones of influence: who has one, who stops in one, who may leave one, what is shot at (rule 14;
docs/battle.md Z).

Arrays have shape (k,), one element a case. Where a unit's zone lies: `board.sight.zone_across`,
`board.sight.has_zone`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.board import limits
from sim.vocabulary import ARTILLERY, CAVALRY, FRONT, ROUTED, SQUARE

Numbers = NDArray[np.integer]
Mask = NDArray[np.bool_]


def has_zone(formation: Numbers, state: Numbers, unmanned: Mask) -> Mask:
    """Whether a unit has a zone: squares, routed units and unmanned guns have none (Z2; AE15 p13)."""
    return (formation != SQUARE) & (state < ROUTED) & ~unmanned


def in_zone(zone_of_side: Numbers, has: Mask) -> Mask:
    """Whether a hex beside a unit is in its zone: across a front side (Z1; AE15 p13)."""
    return has & (zone_of_side == FRONT)


def rides(arm: Numbers, horse_guns: Mask) -> Mask:
    """Whether a unit goes through zones as cavalry does: cavalry and horse artillery (Z5; AE15 p13)."""
    return (arm == CAVALRY) | ((arm == ARTILLERY) & horse_guns)


def must_stop(rides: Mask, zone: Mask, horse_zone: Mask, free: bool) -> Mask:
    """Whether a unit stops in a hex (Z3, Z5; AE15 p13).

    Parameters
    ----------
    zone, horse_zone
        Whether the hex is in a zone of an enemy, of enemy cavalry.
    free
        Whether cavalry stops in no zone (`cavalry_zone: free`).

    Examples
    --------
    >>> yes, no = np.array([True]), np.array([False])
    >>> must_stop(no, yes, no, False), must_stop(yes, yes, no, False), must_stop(yes, yes, yes, False)
    (array([ True]), array([False]), array([ True]))
    """
    return limits.must_stop(rides, zone, horse_zone, free)


def may_leave(stops: Mask, spent: Mask) -> Mask:
    """Whether a unit may leave a hex: one in which it must stop only before it has spent a point (Z4; AE15
    p13)."""
    return ~stops | ~spent


def draws_fire(zone: Mask, acts: Mask) -> Mask:
    """Whether enemies may fire at a unit for what it does: leaving its hex, changing formation or facing, or
    spending points otherwise, in an enemy zone (Z6; AE15 p13, p25)."""
    return zone & acts


def may_unlimber(stopped_by_cavalry: Mask, left: Numbers, cost: int, allowed: bool) -> Mask:
    """Whether a battery may unlimber where it is: points suffice, and, unless the switch `unlimber_in_zone`
    allows it, no enemy cavalry has a zone there (Z7; AE15 p13, A4)."""
    return (left >= cost) & (allowed | ~stopped_by_cavalry)
