"""Movement: allowance, steps, changes of formation and facing, limbering, force marches (rules 15, 18, 44;
docs/battle.md M).

Points are counted in halves, since a road costs half a point. Arrays have shape (k,), one element a case.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.board import limits
from sim.rulesets.blocks import Allowance, Changes, ForceMarch, SkirmishHorse
from sim.vocabulary import (
    ARTILLERY,
    COLUMN,
    DISORDERED,
    GENERAL_ORDER,
    GOOD,
    INFANTRY,
    LIMBERED,
    LINE,
    MASSE,
    ROAD_MARCH,
    ROUTED,
    SQUARE,
    UNLIMBERED,
)

Numbers = NDArray[np.integer]
Mask = NDArray[np.bool_]


def allowance(printed: Numbers, formation: Numbers, state: Numbers, held: Mask, rules: Allowance) -> Numbers:
    """Half points of a unit for its movement segment, by its formation and state when that begins (M1 to M5,
    M7, M8; seeds 003, 004; A7.1).

    Parameters
    ----------
    printed
        Printed movement, in points.
    held
        Whether it may not move: it charged in this half, or retreated before melee by more than one hex.

    Examples
    --------
    >>> from fractions import Fraction
    >>> rules = Allowance(line=2, square=1, masse=1, disordered=Fraction(1, 2), source=None)
    >>> good, free = np.array([GOOD] * 3), np.array([False] * 3)
    >>> allowance(np.array([8, 8, 8]), np.array([COLUMN, LINE, SQUARE]), good, free, rules)
    array([16, 12,  2])
    """
    halves = 2 * np.asarray(printed, np.int64)
    halves = np.where(formation == LINE, halves - 2 * rules.line, halves)
    halves = np.where(formation == MASSE, halves + 2 * rules.masse, halves)
    halves = np.where(formation == SQUARE, 2 * rules.square, halves)
    shaken = halves * rules.disordered.numerator // rules.disordered.denominator
    halves = np.where(state == DISORDERED, shaken, halves)
    return np.where((state >= ROUTED) | held, 0, np.maximum(halves, 0))


def allowance_out_of_square(printed: Numbers, changes: Changes) -> Numbers:
    """Half points that a square has left after changing its formation first of all (M5; PR17 p17)."""
    return np.maximum(2 * np.asarray(printed, np.int64) - 2 * changes.infantry, 0)


def may_step(left: Numbers, cost: Numbers, cost_of_hex_left: Numbers, higher: bool) -> Mask:
    """Whether half points suffice for a step: they are as many as it costs, and, with the switch
    `entry_points: higher`, as the hex that is left costs to enter (M11; A7.1).

    Examples
    --------
    >>> may_step(np.array([2, 2, 6]), np.array([2, 4, 2]), np.array([6, 2, 6]), True)
    array([False, False,  True])
    """
    needed = np.maximum(cost, cost_of_hex_left) if higher else cost
    return left >= needed


def change_cost(arm: Numbers, before: Numbers, after: Numbers, two_hexes: Mask, changes: Changes) -> Numbers:
    """Half points of a change of formation (M14 to M16; PR17 p15, seed 003).

    Parameters
    ----------
    two_hexes
        Whether it ends in a line of two hexes and was not in one; who was in a line of one hex pays the
        further point alone.
    """
    by_arm = np.array([changes.infantry, changes.cavalry, changes.artillery])
    points = np.where(before == after, 0, by_arm[arm])
    into_two = np.where(before == LINE, changes.two_hexes - changes.infantry, changes.two_hexes)
    points = np.where((arm == INFANTRY) & (after == LINE) & two_hexes, into_two, points)
    loose = (after == GENERAL_ORDER) | ((before == GENERAL_ORDER) & (after == COLUMN))
    points = np.where(loose & (before != after), changes.general_order, points)
    on_road = (before == LIMBERED) | (before == ROAD_MARCH)
    on_road &= (after == LIMBERED) | (after == ROAD_MARCH)
    return 2 * np.where((arm == ARTILLERY) & on_road, 0, points)


def facing_cost(hexsides: Numbers, changes: Changes) -> Numbers:
    """Half points of a turn by so many hexsides, either way (M20; A3.5)."""
    return 2 * changes.facing * np.abs(hexsides)


def surcharge(distance: Numbers, rules: SkirmishHorse) -> Numbers:
    """Half points more for infantry that enters or leaves a hex so far from enemy cavalry in skirmish order
    (M24; AU16 p21).

    Examples
    --------
    >>> surcharge(np.array([1, 2, 3]), SkirmishHorse(beside=3, near=2, source=None))
    array([6, 4, 0])
    """
    return 2 * np.where(distance <= 1, rules.beside, np.where(distance == 2, rules.near, 0))


def may_prolong(formation: Numbers, before: Mask, clear: Mask, slope: Mask, slopes: bool) -> Mask:
    """Whether guns may be prolonged by a hex: unlimbered, once a segment and instead of a turn, into clear
    ground and across nothing, or, with the switch `prolong: slopes`, across a slope (M22; B21 p19, AE15 p18).

    Parameters
    ----------
    before
        Whether they were prolonged or turned before in this segment.
    clear
        Whether the hex is clear, and nothing but perhaps a slope lies before it.
    slope
        Whether a slope does.
    """
    return (formation == UNLIMBERED) & ~before & clear & (slopes | ~slope)


def limbers(die: Numbers, bonus: Numbers, needs: Numbers) -> Mask:
    """Whether a battery limbers: one die with its leader's bonus, at least what its row needs (M23; B21
    p19)."""
    return die + bonus >= needs


def may_force_march(
    arm: Numbers, formation: Numbers, state: Numbers, level: Numbers, with_infantry: Mask
) -> Mask:
    """Whether a unit may try a force march: infantry in order, in column or road march, whose organisation is
    at level 0, or guns with it (M26; BA19 p46)."""
    ordered = (state == GOOD) & (level == 0)
    foot = (arm == INFANTRY) & np.isin(formation, (COLUMN, ROAD_MARCH))
    return ordered & (foot | ((arm == ARTILLERY) & (formation == LIMBERED) & with_infantry))


def force_march_check(turns_before: Numbers, rules: ForceMarch) -> Numbers:
    """What the check of a force march adds to the dice, after so many turns of it in a row (M27; BA19 p46).

    Examples
    --------
    >>> rules = ForceMarch(factor=2, check=-6, further=-6, other_checks=-12, source=None)
    >>> force_march_check(np.array([0, 1, 2]), rules)
    array([ -6, -12, -18])
    """
    return rules.check + rules.further * np.asarray(turns_before)


def force_marched(printed: Numbers, passed: Mask, rules: ForceMarch) -> Numbers:
    """Half points of a force march: a multiple of the printed ones, none where the check failed (M27; BA19
    p46)."""
    return np.where(passed, 2 * rules.factor * np.asarray(printed, np.int64), 0)


def may_pass(
    arm: Numbers,
    skirmishes: Mask,
    friend_arm: Numbers,
    friend_formation: Numbers,
    friend_skirmishes: Mask,
    closed: bool,
) -> Mask:
    """Whether a unit may pass through a friend's hex, as far as their arms and formations go (S10, S11; B21
    p21, AU16 p21).

    Parameters
    ----------
    closed
        Whether cavalry does not pass cavalry (`passing: closed`).
    """
    passes = limits.may_pass(arm, friend_arm, friend_formation, closed)
    return passes.astype(bool) | skirmishes | friend_skirmishes
