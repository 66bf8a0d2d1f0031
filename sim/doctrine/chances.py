"""Who fires, assaults, charges and gives way: decisions about pairs of a unit and its target.

Arrays have shape (k,), one element a pair or case, unless a docstring says otherwise.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sim.ensemble.cases import Mask
from sim.ensemble.lanes import Ids
from sim.units.styles import Assault, Charge, Fire
from sim.vocabulary import (
    ARTILLERY,
    CAVALRY,
    DISORDERED,
    GENERAL_ORDER,
    GOOD,
    INFANTRY,
    LINE,
    ROUTED,
    SKIRMISH,
    SQUARE,
    UNLIMBERED,
)

Numbers = NDArray[np.integer]
Floats = NDArray[np.float64]


def best_of(group: NDArray[np.int64], worth: Numbers | Floats, allowed: Mask | None = None) -> Mask:
    """One element of each group: the one that is worth most, of those as good the first.

    Parameters
    ----------
    group
        Number of the group of each element.
    allowed
        Which may be chosen; all by default.

    Examples
    --------
    >>> best_of(np.array([7, 7, 9]), np.array([1, 2, 0]))
    array([False,  True,  True])
    """
    index = np.arange(len(group)) if allowed is None else np.flatnonzero(allowed)
    found = np.zeros(len(group), np.bool_)
    if not len(index):
        return found
    own = group[index]
    if (own[1:] < own[:-1]).any():
        order = own.argsort(kind="stable")
        index, own = index[order], own[order]
    starts = np.r_[True, own[1:] != own[:-1]]
    (first,) = starts.nonzero()
    number = starts.cumsum() - 1
    value = worth[index]
    (tops,) = (value == np.maximum.reduceat(value, first)[number]).nonzero()
    once = np.r_[True, number[tops[1:]] != number[tops[:-1]]]
    found[index[tops[once]]] = True
    return found


def worth_of_fire(
    fire: Fire,
    hexes: Numbers,
    guns: Mask,
    increments: Numbers,
    formation: Numbers,
    state: Numbers,
    prey: Mask,
) -> NDArray[np.int64]:
    """What a target is worth to a shooter; to guns always more the closer it is (F13).

    Parameters
    ----------
    hexes
        How far it is.
    guns
        Where guns fire.
    increments, formation, state
        Of the target.
    prey
        Where the shooter means to attack its hex.
    """
    worth = increments.astype(np.int64) + fire.prey * prey + fire.disordered * (state >= DISORDERED)
    worth = worth + fire.general_order * (formation == GENERAL_ORDER) + fire.guns * (formation == UNLIMBERED)
    return np.where(guns, worth - 1000 * hexes, worth)


def asked_odds(assault: Assault, arm: Numbers, formation: Numbers, state: Numbers) -> Floats:
    """The odds at which the style assaults a hex, by its top unit."""
    odds = np.full(len(arm), float(assault.ratio))
    odds[formation == GENERAL_ORDER] = float(assault.general_order)
    odds[state >= DISORDERED] = float(assault.disordered)
    odds[arm == ARTILLERY] = float(assault.guns)
    return odds


def storms(
    unit: NDArray[np.int64], target: NDArray[np.int64], attack: Numbers, defence: Numbers, odds: Floats
) -> tuple[Mask, Floats]:
    """Who assaults what: every attacker goes where the odds are best, if they are good enough by all who
    could come; then again by those who do. Returned with the odds of all who could come, to one.

    Parameters
    ----------
    unit, target
        Number of the attacker (its lane with it), and of the hex, of each pair.
    attack
        What the attacker counts in the odds.
    defence, odds
        Increments of the hex, and the odds that are asked for.
    """
    _, number = np.unique(target, return_inverse=True)
    held = np.maximum(defence, 1)
    asked, all_of_them = odds * held, np.bincount(number, attack)[number]
    good = all_of_them / np.maximum(asked, 0.25)
    chosen = best_of(unit, good, good >= 1)
    sent = np.bincount(number, attack * chosen)[number]
    return chosen & (sent >= asked), all_of_them / held


def prospects(
    charge: Charge,
    riders: Numbers | Floats,
    increments: Numbers,
    arm: Numbers,
    formation: Numbers,
    state: Numbers,
    flank: Mask,
) -> Floats:
    """How good a charge looks: 1 or more where the style would make it.

    Parameters
    ----------
    riders
        Their increments, or what they count with others who charge the same hex.
    increments
        Of all units in the target's hex.
    arm, formation, state
        Of its top unit.
    flank
        Where it comes from its flank or rear.
    """
    asked = np.full(formation.shape, float(charge.infantry))
    asked[formation == LINE] = float(charge.line)
    asked[(state >= DISORDERED) | (formation == SKIRMISH)] = float(charge.disordered)
    asked[arm == ARTILLERY] = float(charge.guns)
    asked[(arm == CAVALRY) & (state == GOOD)] = float(charge.cavalry)
    asked = np.where(flank, asked * float(charge.flank), asked)
    closed = (state < ROUTED) & ((formation == SQUARE) | (formation == GENERAL_ORDER))
    never = (riders < charge.least) | closed
    return np.where(never, 0.0, riders / np.maximum(asked * np.maximum(increments, 1), 0.01))


def outnumbered(own: Numbers, enemies: Numbers, odds: Fraction) -> Mask:
    """Where enemies next to a unit are so many times its increments."""
    return np.asarray(enemies * odds.denominator >= own * odds.numerator)


def squares(arm: Numbers, formation: Numbers, state: Numbers, increments: Numbers, least: int) -> Mask:
    """Which units try to form square when cavalry comes: infantry in good order, in close order, that is not
    too small; the rules say whether it can."""
    able = (arm == INFANTRY) & (state == GOOD) & (increments >= least)
    return able & (formation != SQUARE) & (formation != GENERAL_ORDER) & (formation != SKIRMISH)


def keys(lane: Ids, unit: Numbers, units: int) -> NDArray[np.int64]:
    """A number for each unit in a lane."""
    return lane.astype(np.int64) * units + unit
