"""Infantry assaults (rules 29, 32, 33): who checks before the melee, what fire has done to their dice, who
may retreat before it, and who advances after it.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise. Printed morale is an
index of the ladder.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.rulesets.compiled import BLANK
from sim.vocabulary import (
    ARTILLERY,
    CAVALRY,
    GENERAL_ORDER,
    GOOD,
    INFANTRY,
    LIMBERED,
    LINE,
    ROUTED,
    SKIRMISH,
    SQUARE,
    UNLIMBERED,
)

Cases = NDArray[np.integer]
Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]


def may_assault(arm: Cases, formation: Cases, state: Cases, mounted: bool = False) -> Mask:
    """Who may assault: infantry in order or disordered, not in square (PR17 p17, p29; C5, C8).

    Parameters
    ----------
    mounted
        Whether cavalry in good order may too.
    """
    foot = (arm == INFANTRY) & (formation != SQUARE) & (state < ROUTED)
    return foot | (mounted & (arm == CAVALRY) & (state == GOOD))


def counted_increments(increments: Cases, formation: Cases, most: int) -> Cases:
    """What attackers of one hex count in the pre-melee odds: in line no more than so many of the hex.

    Parameters
    ----------
    increments
        Of each formation of the hex, shape (units, k) or (k,): of shape (units, k) they are added up, the top
        unit's formation being that of the hex.
    formation
        Of the hex.

    References
    ----------
    Seed 003.

    Examples
    --------
    >>> counted_increments(np.array([9, 9]), np.array([0, LINE]), 4)
    array([9, 4])
    """
    whole = increments if increments.ndim == 1 else increments.sum(axis=0)
    return np.where(formation == LINE, np.minimum(whole, most), whole)


def defender_checks(arm: Cases, formation: Cases, state: Cases, cavalry: Mask) -> Mask:
    """Whether a defender makes the pre-melee check: not in general order, unless it is shaken there, no
    unlimbered guns, nobody in a melee with cavalry.

    Parameters
    ----------
    cavalry
        Where cavalry is on either side.

    References
    ----------
    PR17 p17, p30; C5, C8; E3.19 of guns.
    """
    loose = (formation == GENERAL_ORDER) & (state == GOOD)
    return (arm != CAVALRY) & ~loose & (formation != UNLIMBERED) & ~cavalry


def attacker_checks(formation: Cases, cavalry: Mask) -> Mask:
    """Whether the attackers check, once the defenders have held: not against skirmishers, nor in a melee with
    cavalry (PR17 p29; C9).

    Parameters
    ----------
    formation
        Of the top defender.
    cavalry
        As for `defender_checks`.
    """
    return (formation != SKIRMISH) & ~cavalry


def attack_losses(
    lost: Cases, by_defender: Cases, attacker: Cases, defender: Cases, each: int, elite: Numbers
) -> Numbers:
    """What increments lost to defensive fire add to an attacker's dice.

    So much for each that the unit itself has lost; instead, where the defender is elite and the attacker is
    not, more for each that all attackers have lost to the defender's fire.

    Parameters
    ----------
    lost
        By this attacker, to defensive fire.
    by_defender
        By all attackers, to the fire of the hex that is assaulted.
    attacker, defender
        Printed morale, of the defenders the top unit's.
    each
        For each increment.
    elite
        For each increment lost to a unit of a printed morale, shape (36,); 0 where it is no elite.

    References
    ----------
    AU16 SR fb19, FD fb16; C9.

    Examples
    --------
    >>> elite = np.zeros(36, int)
    >>> elite[4:6] = -6
    >>> attack_losses(np.array([1, 1]), np.array([2, 2]), np.array([9, 9]), np.array([9, 5]), -3, elite)
    array([ -3, -12])
    """
    special = (elite[defender] != 0) & (elite[attacker] == 0)
    return np.where(special, elite[defender] * by_defender, each * lost)


def defence_losses(
    by_attackers: Cases, attacker: Cases, defender: Cases, enough: Mask, elite: Numbers
) -> Numbers:
    """What increments lost to the fire of elite attackers add to a defender's dice; nothing if it is elite
    itself.

    Parameters
    ----------
    by_attackers
        By all defenders of the hex, to the attackers' fire.
    attacker, defender
        Printed morale.
    enough
        Where the attackers are as many as the battle asks for.
    elite
        As for `attack_losses`.

    References
    ----------
    AU16 SR fb19, FD fb16, BA19 fb30; C9.
    """
    special = enough & (elite[attacker] != 0) & (elite[defender] == 0)
    return np.where(special, elite[attacker] * by_attackers, 0)


def may_retreat_before(
    arm: Cases,
    formation: Cases,
    state: Cases,
    horse_guns: Mask,
    movement: Cases,
    attackers: Cases,
    cavalry: Mask,
    advantage: int,
    caught: Mask | bool = False,
) -> Mask:
    """Who may retreat before the melee.

    Skirmishers before infantry; cavalry before infantry; cavalry and limbered horse guns that are faster than
    the attackers, but exhausted cavalry not before fresh cavalry.

    Parameters
    ----------
    horse_guns
        Where it is horse artillery.
    movement, attackers
        Printed movement of the unit, and the greatest of the attackers.
    cavalry
        Where cavalry is among the attackers.
    advantage
        Points by which it must be faster.
    caught
        Where it is exhausted, and the attackers' cavalry is fresh.

    References
    ----------
    AE15 p25, FD p26, LZ p32; B6.5.
    """
    faster = movement >= attackers + advantage
    horse = (arm == CAVALRY) & (~cavalry | (faster & ~np.asarray(caught)))
    guns = (arm == ARTILLERY) & horse_guns & (formation == LIMBERED) & faster
    loose = (arm == INFANTRY) & (formation == SKIRMISH) & ~cavalry
    return (horse | guns | loose) & (state < ROUTED)


def must_advance(letter: Cases, left: Mask) -> Mask:
    """Where the attackers must move a unit into the hex: after DD, DR, DS, or when nobody is left of the
    defenders (PR17 p30, BA19 p32).

    Parameters
    ----------
    letter
        Of the melee's result, -1 for one in numbers.
    left
        Where a defender is left of those who fought.
    """
    return (letter > BLANK) | ~left
