"""Morale levels from thresholds, and ladders of victory: cases worked out by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from sim.rules import levels, victory
from sim.rules.victory import Ledger
from sim.units.battles import Calendar
from sim.units.victory import (
    AllOf,
    AnyOf,
    Condition,
    Least,
    Measure,
    Not,
    Rung,
    contradicts,
    implies,
    measures,
)


@pytest.mark.parametrize(("battalions", "thresholds"), [
    (20, (4, 8, 12)), (18, (4, 7, 11)),  # Halle: scenarios 4.1
    (24, (5, 10, 14)), (53, (11, 21, 32)), (16, (3, 6, 10)),  # published lists: scenarios 4.1, C16, 4.7
    (1, (1, 1, 1)), (3, (1, 1, 2)),
])  # fmt: skip
def test_shares_of_the_battalions(battalions: int, thresholds: tuple[int, int, int]) -> None:
    assert levels.thresholds(battalions) == thresholds


def test_a_level_is_reached_at_its_number_and_lost_again_below() -> None:
    lost = np.array([0, 3, 4, 6, 7, 10, 11, 18, 5], np.int16)
    assert levels.level(lost, (4, 7, 11)).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 1]


def test_two_levels_at_one_number_are_reached_together() -> None:
    assert levels.level(np.array([0, 1, 2]), (1, 1, 2)).tolist() == [0, 2, 3]


def test_penalties_of_halle_1806() -> None:
    assert levels.penalty(np.array([0, 1, 2, 3]), (-3, -6, -12)).tolist() == [0, -3, -6, -12]


def test_levels_are_tested_on_the_hour() -> None:
    calendar = Calendar(9 * 60, 16 * 60)
    hourly = [turn for turn in range(1, calendar.turns + 1) if levels.tested(calendar.minutes(turn))]
    assert hourly == [1, 4, 7, 10, 13, 16, 19, 22]


@pytest.mark.parametrize(("start", "end", "turns"), [
    ((9, 0), (16, 0), 22), ((6, 0), (11, 0), 16), ((18, 20), (22, 0), 12), ((16, 0), (19, 40), 12),  # scenarios 4.1 to 4.4
    ((14, 0), (21, 40), 24), ((13, 0), (16, 20), 11), ((9, 0), (15, 0), 19), ((6, 0), (15, 0), 28),  # 4.6, 4.7
    ((9, 0), (9, 0), 1),
])  # fmt: skip
def test_turns_by_the_clock(start: tuple[int, int], end: tuple[int, int], turns: int) -> None:
    calendar = Calendar(60 * start[0] + start[1], 60 * end[0] + end[1])
    assert calendar.turns == turns
    assert calendar.clock(turns) == f"{end[0]}:{end[1]:02}"
    assert [calendar.turn_at(calendar.minutes(turn)) for turn in range(1, turns + 1)] == list(
        range(1, turns + 1)
    )


# -- victory -------------------------------------------------------------------------------------------


def ledger() -> Ledger:
    """Three units of side 0 (two battalions and cavalry), two battalions of side 1, in three runs."""
    return Ledger(
        sides=np.array([0, 0, 0, 1, 1], np.int16),
        infantry=np.array([True, True, False, True, True]),
        lost=np.array([[1, 0, 9], [0, 0, 8], [2, 0, 0], [0, 3, 0], [5, 0, 0]], np.int16),
        left=np.array([[8, 0, 0], [0, 4, 0], [6, 6, 6], [0, 0, 0], [0, 0, 0]], np.int16),
        left_by=np.array([[7, 0, 0], [0, 7, 0], [7, 9, 9], [0, 0, 0], [0, 0, 0]], np.int16),
        broken=np.array(
            [[False, True, True], [False, False, True], [True, True, True], [True, True, False], [False] * 3]
        ),
        holders={(0, 0): np.array([0, 1, -1]), (1, 0): np.array([0, 0, 1])},
        levels=np.array([[0, 1, 2], [3, 0, 1]], np.int16),
        hex_numbers={(0, 0): 7, (1, 0): 9},
    )


@pytest.mark.parametrize(("measure", "values"), [
    (Measure("held", 0, hexes=((0, 0), (1, 0))), [2, 1, 0]),
    (Measure("held", 1, hexes=((0, 0), (1, 0))), [0, 1, 1]),
    (Measure("exited", 0, units=(0, 1, 2)), [14, 10, 6]),
    (Measure("exited", 0, units=(0, 1, 2), hexes=((0, 0),)), [14, 4, 0]),
    (Measure("exited", 0, units=(0, 1), hexes=((0, 0), (1, 0))), [8, 4, 0]),
    (Measure("lost", 0, units=(0, 1, 2)), [3, 0, 17]),
    (Measure("lost", 0, units=(0,)), [1, 0, 9]),
    (Measure("balance", 0), [5 - 3, 3 - 0, 0 - 17]),
    (Measure("balance", 1), [3 - 5, 0 - 3, 17 - 0]),
    (Measure("broken", 0, units=(0, 1, 2)), [0, 1, 2]),  # cavalry does not count
    (Measure("level", 1, organisation=1), [3, 0, 1]),
])  # fmt: skip
def test_a_measure_is_counted_as_it_says(measure: Measure, values: list[int]) -> None:
    assert victory.measured(measure, ledger()).tolist() == values


OUT, LEVEL, BALANCE = (
    Measure("exited", 0, (0,), turn=15),
    Measure("level", 1, organisation=0),
    Measure("balance", 1),
)
LADDER = (
    Rung("decisive", 0, AllOf((Least(OUT, 30), Least(LEVEL, 2)))),
    Rung("marginal", 0, AnyOf((Least(OUT, 25), Least(LEVEL, 3)))),
    Rung("defence", 1, AllOf((Least(BALANCE, 12), Not(Least(OUT, 1))))),
    Rung("draw", None, None),
)


def test_the_first_rung_that_holds_is_the_result_and_every_end_has_one() -> None:
    ends: list[tuple[int, int, int, int]] = [
        (30, 2, 0, 0), (45, 3, 0, 0),  # both conditions
        (30, 1, 0, 1), (25, 0, 50, 1), (0, 3, 12, 1),  # either condition, whatever the balance
        (0, 2, 12, 2), (0, 0, 12, 2),
        (1, 0, 12, 3), (0, 2, 11, 3), (24, 2, 99, 3), (0, 0, -5, 3),
    ]  # fmt: skip
    columns = np.array(ends).T
    values: dict[Measure, NDArray[np.integer]] = {OUT: columns[0], LEVEL: columns[1], BALANCE: columns[2]}
    assert measures(LADDER) == (OUT, LEVEL, BALANCE)
    assert victory.results(LADDER, values, len(ends)).tolist() == columns[3].tolist()


def test_implied_conditions_never_fail_where_the_others_hold() -> None:
    """Against all values, of measures that do not fall with time or with more units."""
    early, late = Measure("exited", 0, (0,), turn=3), Measure("exited", 0, (0, 1), turn=5)
    level = Measure("level", 0, organisation=0)
    conditions: list[Condition] = [Least(one, number) for one in (early, late, level) for number in (1, 2)]
    conditions += [Not(one) for one in conditions]
    conditions += [AllOf((a, b)) for a, b in product(conditions[:5], repeat=2)]
    conditions += [AnyOf((a, b)) for a, b in product(conditions[:5], repeat=2)]
    ends = np.array([end for end in product(range(4), repeat=3) if end[1] >= end[0]]).T
    values: dict[Measure, NDArray[np.integer]] = {early: ends[0], late: ends[1], level: ends[2]}
    held = [victory.holds(one, values, ends.shape[1]) for one in conditions]
    seen = 0
    for (one, first), (other, second) in product(zip(conditions, held, strict=True), repeat=2):
        if implies(one, other):
            assert not (first & ~second).any(), (one, other)
            seen += one != other
    assert seen > 100
    for condition, holds in zip(conditions, held, strict=True):
        assert not (contradicts(condition) and holds.any()), condition


@pytest.mark.parametrize(("one", "other", "implied"), [
    (Least(OUT, 30), Least(OUT, 25), True),
    (Least(OUT, 25), Least(OUT, 30), False),
    (Least(OUT, 25), Least(Measure("exited", 0, (0,)), 25), True),  # by then, and so at the end
    (Least(Measure("exited", 0, (0,)), 25), Least(OUT, 25), False),
    (Least(Measure("held", 0, hexes=((0, 0),), turn=3), 1), Least(Measure("held", 0, hexes=((0, 0),)), 1), False),  # may be lost again
    (Least(Measure("level", 1, organisation=0, turn=3), 2), Least(LEVEL, 2), False),  # rallied
    (AllOf((Least(OUT, 30), Least(LEVEL, 2))), Least(LEVEL, 1), True),
    (AnyOf((Least(OUT, 30), Least(LEVEL, 2))), Least(LEVEL, 1), False),
    (Not(Least(OUT, 1)), Not(Least(OUT, 5)), True),
])  # fmt: skip
def test_what_implies_what(one: Condition, other: Condition, implied: bool) -> None:
    assert implies(one, other) is implied


def test_what_contradicts_itself_is_seen() -> None:
    assert contradicts(AllOf((Least(OUT, 30), Not(Least(OUT, 1)))))
    assert not contradicts(AllOf((Least(OUT, 1), Not(Least(OUT, 30)))))
    assert contradicts(AnyOf((AllOf((Least(OUT, 30), Not(Least(OUT, 1)))),)))
