"""What the balanced style decides about pairs: each expected choice worked out by hand from its numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sim.board.hexmap import HexMap, Rhombus
from sim.board.tables import board_of
from sim.doctrine import chances
from sim.doctrine.bearings import Bearings
from sim.units import styles
from sim.vocabulary import (
    ARTILLERY,
    CAVALRY,
    COLUMN,
    DISORDERED,
    GENERAL_ORDER,
    GOOD,
    INFANTRY,
    LIMBERED,
    LINE,
    SQUARE,
    UNLIMBERED,
)
from tests.agreement.positions import book_of

NUMBERS = styles.own()


def test_one_of_each_group_is_chosen_and_of_equals_the_first() -> None:
    group = np.array([4, 4, 4, 2, 2, 9])
    worth = np.array([1, 3, 3, 5, 5, -7])
    assert np.flatnonzero(chances.best_of(group, worth)).tolist() == [1, 3, 5]
    allowed = np.array([True, False, False, False, True, False])
    assert np.flatnonzero(chances.best_of(group, worth, allowed)).tolist() == [0, 4]
    assert not chances.best_of(group, worth, np.zeros(6, bool)).any()


def test_the_closest_target_is_worth_most_to_guns_the_shaken_one_to_infantry() -> None:
    increments, formation = np.array([9, 4, 6]), np.array([COLUMN, COLUMN, GENERAL_ORDER])
    state, none = np.array([GOOD, DISORDERED, GOOD]), np.zeros(3, bool)
    foot = chances.worth_of_fire(NUMBERS.fire, np.ones(3, int), none, increments, formation, state, none)
    assert foot.tolist() == [9, 8, 0]
    guns = chances.worth_of_fire(NUMBERS.fire, np.array([3, 2, 4]), ~none, increments, formation, state, none)
    assert guns.argmax() == 1
    prey = np.array([False, False, True])
    assert chances.worth_of_fire(
        NUMBERS.fire, np.ones(3, int), none, increments, formation, state, prey
    ).tolist() == [9, 8, 20]


def test_two_weak_attackers_storm_together_what_neither_would_alone() -> None:
    """8 and 8 against 10: 1.6 to 1, and 1.5 is asked for; one alone has 0.8."""
    odds = np.full(2, 1.5)
    both, has = chances.storms(np.array([0, 1]), np.array([7, 7]), np.array([8, 8]), np.array([10, 10]), odds)
    assert both.tolist() == [True, True]
    assert has.tolist() == [1.6, 1.6]
    alone, _ = chances.storms(np.array([0]), np.array([7]), np.array([8]), np.array([10]), odds[:1])
    assert alone.tolist() == [False]


def test_who_prefers_another_hex_is_missed_where_he_was_counted_on() -> None:
    """Attacker 1 may come to both hexes and prefers the weaker one; against the other one attacker 0 is left
    with 8 against 10, and stays."""
    unit, target = np.array([0, 1, 1]), np.array([7, 7, 8])
    found, _ = chances.storms(unit, target, np.array([8, 8, 8]), np.array([10, 10, 4]), np.full(3, 1.5))
    assert found.tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("arm", "formation", "state", "flank", "asked"),
    [
        (INFANTRY, COLUMN, GOOD, False, 1.25),
        (INFANTRY, LINE, GOOD, False, 0.75),
        (INFANTRY, LINE, GOOD, True, 0.5625),
        (INFANTRY, LINE, DISORDERED, False, 0.5),
        (ARTILLERY, UNLIMBERED, GOOD, False, 0.5),
        (ARTILLERY, LIMBERED, GOOD, False, 0.5),
        (CAVALRY, COLUMN, GOOD, False, 1.25),
    ],
)
def test_prospects_of_a_charge(arm: int, formation: int, state: int, flank: bool, asked: float) -> None:
    """8 riders against 8: one over what is asked for."""
    one, eight = np.ones(1, int), np.full(1, 8)
    told = arm * one, formation * one, state * one, np.array([flank])
    found = chances.prospects(NUMBERS.charge, eight, eight, *told)
    assert found == pytest.approx(1 / asked)


@pytest.mark.parametrize("formation", [SQUARE, GENERAL_ORDER])
def test_no_charge_at_squares_nor_into_cover_nor_by_too_few_riders(formation: int) -> None:
    one, eight, no = np.ones(1, int), np.full(1, 8), np.zeros(1, bool)
    closed = INFANTRY * one, formation * one, GOOD * one, no
    assert chances.prospects(NUMBERS.charge, eight, eight, *closed) == 0
    column = INFANTRY * one, COLUMN * one, GOOD * one, no
    assert chances.prospects(NUMBERS.charge, 2 * one, one, *column) == 0


def test_who_tries_carre_and_who_gives_way() -> None:
    arm = np.array([INFANTRY, INFANTRY, INFANTRY, CAVALRY])
    formation = np.array([COLUMN, SQUARE, GENERAL_ORDER, COLUMN])
    found = chances.squares(arm, formation, np.zeros(4, int), np.full(4, 8), 3)
    assert found.tolist() == [True, False, False, False]
    assert chances.outnumbered(np.array([6, 6]), np.array([8, 9]), Fraction(3, 2)).tolist() == [False, True]


def test_facings_toward_hexes_and_their_ties_are_the_same_from_either_side() -> None:
    """Direction 0 is (+1, 0), clockwise; (+1, +1) lies on the corner between 0 and 1, and goes clockwise."""
    map_ = HexMap(Rhombus(4))
    board = board_of(map_, book_of("prusse-1806"), (0,), (0,), (0,), (3,))
    bearings = Bearings(board)
    here = map_.numbers([(0, 0)] * 6)
    there = [(3, 0), (0, 2), (1, 1), (-1, -1), (2, 1), (-2, -1)]
    sides, corners = (bearings.facing(here, map_.numbers(there), np.full(6, corner)) for corner in (0, 1))
    assert sides.tolist() == [0, 2, 2, 8, 0, 6]
    assert corners.tolist() == [1, 3, 1, 7, 1, 7]
