"""Movement, stacking and zones as rules: each expected number worked out by hand from docs/battle.md."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sim.rules import movement, stacking, zones
from sim.rulesets.compiled import BATTALION, REGIMENT
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
    MASSE,
    ROAD_MARCH,
    ROUTED,
    SKIRMISH,
    SQUARE,
    UNLIMBERED,
)
from tests.agreement.positions import book_of

PRUSSE, BAUTZEN = book_of("prusse-1806"), book_of("bautzen-1813")
RULES = PRUSSE.blocks.movement
YES, NO = np.array([True]), np.array([False])


def one(number: int) -> NDArray[np.int64]:
    return np.array([number])


@pytest.mark.parametrize(("printed", "formation", "state", "held", "halves"), [
    (8, COLUMN, GOOD, False, 16),  # M1
    (8, LINE, GOOD, False, 12),  # M2: 6 points
    (14, LINE, GOOD, False, 24),  # cavalry too
    (9, COLUMN, DISORDERED, False, 9),  # M3: 4 1/2 points
    (9, COLUMN, ROUTED, False, 0),  # M4
    (8, SQUARE, GOOD, False, 2),  # M5
    (8, MASSE, GOOD, False, 18),  # M7
    (8, COLUMN, GOOD, True, 0),  # M8, M9
    (1, LINE, GOOD, False, 0),  # never below none
])  # fmt: skip
def test_an_allowance_goes_by_formation_and_state(
    printed: int, formation: int, state: int, held: bool, halves: int
) -> None:
    found = movement.allowance(one(printed), one(formation), one(state), np.array([held]), RULES.allowance)
    assert found.tolist() == [halves]


def test_a_square_that_changes_first_has_the_rest() -> None:
    """M5: 8 points less 1 for the change are 7."""
    assert movement.allowance_out_of_square(one(8), RULES.change).tolist() == [14]


@pytest.mark.parametrize(("left", "cost", "of_hex_left", "may", "may_by_cost"), [
    (6, 6, 2, True, True),
    (5, 6, 2, False, False),
    (2, 2, 6, False, True),  # a point left in a village of 3: the hex left has the higher cost
    (6, 2, 6, True, True),
])  # fmt: skip
def test_points_must_suffice_for_the_dearer_of_the_two_hexes(
    left: int, cost: int, of_hex_left: int, may: bool, may_by_cost: bool
) -> None:
    """M11."""
    for higher, expected in ((True, may), (False, may_by_cost)):
        assert movement.may_step(one(left), one(cost), one(of_hex_left), higher).tolist() == [expected]


@pytest.mark.parametrize(("arm", "before", "after", "two", "points"), [
    (INFANTRY, COLUMN, LINE, False, 1),
    (INFANTRY, COLUMN, LINE, True, 2),
    (INFANTRY, LINE, LINE, False, 0),
    (INFANTRY, LINE, LINE, True, 1),  # from one hex to two: the further point
    (INFANTRY, COLUMN, SQUARE, False, 1),
    (INFANTRY, LINE, COLUMN, False, 1),
    (INFANTRY, COLUMN, GENERAL_ORDER, False, 0),
    (INFANTRY, GENERAL_ORDER, COLUMN, False, 0),
    (INFANTRY, GENERAL_ORDER, SKIRMISH, False, 1),
    (CAVALRY, COLUMN, LINE, False, 3),
    (CAVALRY, COLUMN, ROAD_MARCH, False, 3),
    (ARTILLERY, LIMBERED, UNLIMBERED, False, 2),
    (ARTILLERY, UNLIMBERED, LIMBERED, False, 2),
    (ARTILLERY, LIMBERED, ROAD_MARCH, False, 0),
])  # fmt: skip
def test_changes_of_formation_cost_by_arm(arm: int, before: int, after: int, two: bool, points: int) -> None:
    """M14 to M16."""
    found = movement.change_cost(one(arm), one(before), one(after), np.array([two]), RULES.change)
    assert found.tolist() == [2 * points]


def test_a_turn_costs_a_point_a_hexside() -> None:
    """M20."""
    assert movement.facing_cost(np.array([0, 1, -2, 3]), RULES.change).tolist() == [0, 2, 4, 6]


def test_mounted_skirmishers_make_infantry_pay() -> None:
    """M24: 3 points beside them, 2 two hexes off."""
    assert movement.surcharge(np.array([0, 1, 2, 3]), RULES.skirmish_horse).tolist() == [6, 6, 4, 0]


def test_a_battery_limbers_at_its_number() -> None:
    """M23: Prussian heavy foot needs 6, a leader with an artillery bonus adds 1."""
    row = PRUSSE.limber_row("Prussian", "heavy")
    assert row is not None
    dice = np.arange(1, 7)
    assert movement.limbers(dice, one(0), one(row.needs)).tolist() == [False] * 5 + [True]
    leader = one(PRUSSE.blocks.limber.leader)
    assert movement.limbers(dice, leader, one(row.needs)).tolist() == [False] * 4 + [True] * 2


def test_guns_are_prolonged_once_on_clear_ground_and_since_2017_over_slopes() -> None:
    """M22: the cases are clear, a slope, woods, a second time, limbered guns."""
    formation = np.array([UNLIMBERED] * 4 + [LIMBERED])
    before, clear = np.array([False] * 3 + [True, False]), np.array([True, True, False, True, True])
    slope = np.array([False, True, False, False, False])
    for edition, expected in ((2016, [True] + [False] * 4), (2017, [True] * 2 + [False] * 3)):
        slopes = PRUSSE.ruleset.switches(edition)["prolong"] == "slopes"
        assert movement.may_prolong(formation, before, clear, slope, slopes).tolist() == expected


def test_a_force_march_doubles_the_printed_points_or_stays() -> None:
    """M27."""
    assert movement.force_marched(one(8), YES, RULES.force_march).tolist() == [32]
    assert movement.force_marched(one(8), NO, RULES.force_march).tolist() == [0]
    assert movement.force_march_check(np.array([0, 1, 2]), RULES.force_march).tolist() == [-6, -12, -18]


@pytest.mark.parametrize(("arm", "formation", "state", "level", "with_infantry", "may"), [
    (INFANTRY, COLUMN, GOOD, 0, False, True),
    (INFANTRY, ROAD_MARCH, GOOD, 0, False, True),
    (INFANTRY, LINE, GOOD, 0, False, False),
    (INFANTRY, COLUMN, DISORDERED, 0, False, False),
    (INFANTRY, COLUMN, GOOD, 1, False, False),
    (CAVALRY, COLUMN, GOOD, 0, False, False),
    (ARTILLERY, LIMBERED, GOOD, 0, True, True),
    (ARTILLERY, LIMBERED, GOOD, 0, False, False),
])  # fmt: skip
def test_a_force_march_is_for_infantry_in_order_at_level_0(
    arm: int, formation: int, state: int, level: int, with_infantry: bool, may: bool
) -> None:
    """M26."""
    found = movement.may_force_march(
        one(arm), one(formation), one(state), one(level), np.array([with_infantry])
    )
    assert found.tolist() == [may]


@pytest.mark.parametrize(("arm", "formation", "friend_arm", "friend_formation", "may", "closed"), [
    (INFANTRY, COLUMN, INFANTRY, LINE, True, True),
    (INFANTRY, COLUMN, ARTILLERY, LIMBERED, True, True),
    (INFANTRY, COLUMN, ARTILLERY, UNLIMBERED, False, False),
    (INFANTRY, COLUMN, CAVALRY, COLUMN, False, False),
    (INFANTRY, SKIRMISH, CAVALRY, COLUMN, True, True),
    (INFANTRY, COLUMN, INFANTRY, SKIRMISH, True, True),
    (CAVALRY, COLUMN, INFANTRY, SQUARE, True, True),
    (CAVALRY, COLUMN, INFANTRY, COLUMN, False, False),
    (CAVALRY, COLUMN, CAVALRY, COLUMN, True, False),
    (CAVALRY, COLUMN, INFANTRY, SKIRMISH, True, True),
    (CAVALRY, COLUMN, ARTILLERY, LIMBERED, True, True),
    (CAVALRY, COLUMN, ARTILLERY, UNLIMBERED, False, False),
])  # fmt: skip
def test_who_may_pass_whom(
    arm: int, formation: int, friend_arm: int, friend_formation: int, may: bool, closed: bool
) -> None:
    """S10, S11; the last is what the switch `passing: closed` says."""
    loose, friend_loose = (np.array([shape == SKIRMISH]) for shape in (formation, friend_formation))
    for shut, expected in ((False, may), (True, closed)):
        found = movement.may_pass(one(arm), loose, one(friend_arm), one(friend_formation), friend_loose, shut)
        assert found.tolist() == [expected]


FOOT, HORSE, GUNS = INFANTRY, CAVALRY, ARTILLERY


@pytest.mark.parametrize(("terrain", "stack", "prusse", "bautzen"), [
    ("clear", [(FOOT, 20, REGIMENT)], True, True),  # S2: one regiment of any size
    ("clear", [(FOOT, 9, REGIMENT), (FOOT, 9, BATTALION)], True, True),  # 18
    ("clear", [(FOOT, 10, REGIMENT), (FOOT, 9, BATTALION)], False, False),  # 19
    ("clear", [(HORSE, 6, REGIMENT)] * 3, True, True),  # 18, three regiments
    ("clear", [(HORSE, 4, REGIMENT)] * 4, False, True),  # 16, but four: Prusse allows three
    ("clear", [(GUNS, 3, BATTALION)] * 2, True, True),
    ("clear", [(GUNS, 3, BATTALION)] * 3, False, False),
    ("clear", [(FOOT, 12, REGIMENT), (GUNS, 3, BATTALION)], True, True),
    ("clear", [(FOOT, 13, REGIMENT), (GUNS, 3, BATTALION)], False, False),
    ("clear", [(FOOT, 6, BATTALION), (GUNS, 3, BATTALION), (GUNS, 2, BATTALION)], False, False),
    ("clear", [(FOOT, 6, BATTALION), (HORSE, 3, REGIMENT)], False, False),  # S4
    ("clear", [(HORSE, 6, REGIMENT), (GUNS, 3, BATTALION)], False, False),
    ("village", [(FOOT, 9, BATTALION)], True, True),
    ("village", [(FOOT, 9, REGIMENT)], False, False),
    ("village", [(FOOT, 6, REGIMENT)], False, True),  # Bautzen: a battalion or 6
    ("village", [(FOOT, 3, BATTALION)] * 2, False, True),
    ("village", [(HORSE, 9, REGIMENT)], True, True),
    ("village", [(GUNS, 5, BATTALION)], True, False),  # Prusse a battery, Bautzen 4
    ("village", [(FOOT, 9, BATTALION), (GUNS, 3, BATTALION)], True, True),
    ("woods", [(GUNS, 3, BATTALION)], False, False),
    ("woods", [(FOOT, 6, BATTALION), (GUNS, 3, BATTALION)], False, False),
    ("clear", [], True, True),
])  # fmt: skip
def test_a_hex_holds_what_its_row_says(
    terrain: str, stack: list[tuple[int, int, int]], prusse: bool, bautzen: bool
) -> None:
    """S1, S2, S4; A9.2, A9.5."""
    arms, increments, sizes = (
        np.array([unit[i] for unit in stack], np.int64).reshape(-1, 1) for i in range(3)
    )
    there = np.ones((len(stack), 1), bool)
    for book, expected in ((PRUSSE, prusse), (BAUTZEN, bautzen)):
        number = one(book.terrains.index(terrain))
        found = stacking.within(book.stack_limits, number, there, arms, increments, sizes)
        assert found.tolist() == [expected]


@pytest.mark.parametrize(("units", "same"), [
    ([(FOOT, COLUMN), (FOOT, COLUMN)], True),
    ([(FOOT, COLUMN), (FOOT, LINE)], False),
    ([(FOOT, LINE), (GUNS, UNLIMBERED)], True),
    ([(FOOT, SQUARE), (GUNS, UNLIMBERED)], True),
    ([(FOOT, SKIRMISH), (GUNS, UNLIMBERED)], False),
    ([(GUNS, LIMBERED), (GUNS, UNLIMBERED)], False),
    ([(HORSE, COLUMN), (HORSE, LINE)], False),
    ([], True),
])  # fmt: skip
def test_units_of_a_hex_are_in_one_formation(units: list[tuple[int, int]], same: bool) -> None:
    """S5."""
    arm, formation = (np.array([unit[i] for unit in units], np.int64).reshape(-1, 1) for i in range(2))
    assert stacking.alike(np.ones((len(units), 1), bool), arm, formation).tolist() == [same]


def test_in_road_march_a_hex_holds_four_increments_or_the_head_of_one_column() -> None:
    """S3."""
    formation = np.array([[ROAD_MARCH], [ROAD_MARCH]])
    for increments, alone, both in (((8, 2), True, False), ((2, 2), True, True)):
        rows = np.array(increments).reshape(2, 1)
        head = np.array([[True], [False]])
        assert stacking.within_road_march(head, formation, rows, 4).tolist() == [alone]
        assert stacking.within_road_march(np.ones((2, 1), bool), formation, rows, 4).tolist() == [both]


def test_skirmishers_that_end_among_others_are_as_if_disordered() -> None:
    """S7."""
    there, arm = np.ones((2, 1), bool), np.array([[INFANTRY], [INFANTRY]])
    mixed = np.array([[SKIRMISH], [COLUMN]])
    assert stacking.scattered(there, arm, mixed, YES).tolist() == [[True], [False]]
    alone = np.array([[SKIRMISH], [SKIRMISH]])
    assert stacking.scattered(there, arm, alone, YES).tolist() == [[False], [False]]
    assert stacking.scattered(there, arm, alone, NO).tolist() == [[True], [True]]


@pytest.mark.parametrize(("arm", "horse_guns", "zone", "horse_zone", "stops", "stops_if_free"), [
    (INFANTRY, False, False, False, False, False),
    (INFANTRY, False, True, False, True, True),  # Z3
    (ARTILLERY, False, True, False, True, True),
    (ARTILLERY, True, True, False, False, False),  # Z5
    (ARTILLERY, True, True, True, True, False),
    (CAVALRY, False, True, False, False, False),
    (CAVALRY, False, True, True, True, False),
])  # fmt: skip
def test_who_stops_in_a_zone(
    arm: int, horse_guns: bool, zone: bool, horse_zone: bool, stops: bool, stops_if_free: bool
) -> None:
    riding = zones.rides(one(arm), np.array([horse_guns]))
    for free, expected in ((False, stops), (True, stops_if_free)):
        found = zones.must_stop(riding, np.array([zone]), np.array([horse_zone]), free)
        assert found.tolist() == [expected]
        assert zones.may_leave(found, NO).tolist() == [True]  # Z4: at the start
        assert zones.may_leave(found, YES).tolist() == [not expected]


def test_squares_routed_units_and_unmanned_guns_have_no_zone() -> None:
    """Z1, Z2."""
    formation = np.array([COLUMN, SQUARE, COLUMN, UNLIMBERED, UNLIMBERED, COLUMN])
    state = np.array([GOOD, GOOD, ROUTED, GOOD, GOOD, DISORDERED])
    unmanned = np.array([False, False, False, True, False, False])
    has = zones.has_zone(formation, state, unmanned)
    assert has.tolist() == [True, False, False, False, True, True]
    assert zones.in_zone(np.array([0, 0, 0, 0, 1, 0]), has).tolist() == [True, *[False] * 4, True]


def test_fire_is_drawn_by_what_is_done_in_a_zone() -> None:
    """Z6."""
    assert zones.draws_fire(np.array([True, True, False]), np.array([True, False, True])).tolist() == [
        True,
        False,
        False,
    ]


def test_guns_unlimber_in_a_zone_of_cavalry_until_2019() -> None:
    """Z7: two points are needed, and from Bautzen on no enemy cavalry near."""
    for book, expected in ((PRUSSE, [True, True, False]), (BAUTZEN, [False, True, False])):
        allowed = book.switches["unlimber_in_zone"] is True
        found = zones.may_unlimber(
            np.array([True, False, False]), np.array([4, 4, 3]), 2 * RULES.change.artillery, allowed
        )
        assert found.tolist() == expected
