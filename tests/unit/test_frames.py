"""Lanes, frames and cases: what forks, merges, is dropped, and what is stale."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.ensemble.cases import Cases, first_of
from sim.ensemble.dice import Chart, ExhaustiveDice
from sim.ensemble.frames import (
    Flag,
    Flags,
    Frame,
    Pending,
    Row,
    Rows,
    flag_per_lane,
    flag_per_unit,
    per_lane,
    per_leader,
    per_place,
    per_unit,
)
from sim.ensemble.lanes import ROOM, Ensemble

UNITS, LEADERS = 3, 2


class Working(Frame):
    """One field of each sort."""

    points: Row = per_lane("points left", 5, high=20)
    state: Rows = per_unit("a state", high=3)
    fate: Rows = per_leader("a fate", 1, high=2)
    places: Rows = per_place("four places", 4, -1)
    over: Flag = flag_per_lane("whether it is over")
    hit: Flags = flag_per_unit("who is hit", True)


def opened(lanes: int = 2) -> tuple[Ensemble, Working]:
    ensemble = Ensemble(UNITS, LEADERS, lanes)
    return ensemble, Working(ensemble)


def test_a_frame_opens_with_initial_values_in_the_shapes_it_declares() -> None:
    _, frame = opened()
    assert frame.points.tolist() == [5, 5]
    assert frame.state.tolist() == [[0, 0]] * UNITS
    assert frame.fate.tolist() == [[1, 1]] * LEADERS
    assert frame.places.tolist() == [[-1, -1]] * 4
    assert frame.over.tolist() == [False, False]
    assert frame.hit.tolist() == [[True, True]] * UNITS
    assert {frame.points.dtype, frame.state.dtype} == {np.dtype(np.int16)}
    assert {frame.over.dtype, frame.hit.dtype} == {np.dtype(np.bool_)}


def test_lanes_that_split_carry_all_open_frames_along() -> None:
    ensemble, frame = opened()
    frame.points[1], frame.state[2, 1], frame.hit[0, 1] = 9, 3, False
    other = Working(ensemble)
    other.over[1] = True
    assert ensemble.fork(np.array([1, 1, 0])).tolist() == [2, 3, 4]
    assert frame.points.tolist() == [5, 9, 9, 9, 5]
    assert frame.state[2].tolist() == [0, 3, 3, 3, 0]
    assert frame.hit[0].tolist() == [True, False, False, False, True]
    assert other.over.tolist() == [False, True, True, True, False]


def test_a_row_grows_and_is_never_full() -> None:
    ensemble, frame = opened(1)
    for lane in range(3 * ROOM):
        frame.points[-1] = lane % 20
        ensemble.fork(np.array([ensemble.n - 1]))
        assert frame.points.base is not None
        assert frame.points.base.shape[1] > ensemble.n
    assert frame.points[:-1].tolist() == [lane % 20 for lane in range(3 * ROOM)]


def test_frames_are_closed_in_any_order_and_then_neither_fork_nor_keep_lanes_apart() -> None:
    ensemble, first = opened()
    second = Working(ensemble)
    first.points[1] = 7
    assert ensemble.merge() is None
    first.close()
    assert ensemble.frames == [second]
    into = ensemble.merge()
    assert into is not None
    assert (into.tolist(), ensemble.n, second.points.tolist()) == ([0, 0], 1, [5])
    with Working(ensemble) as third:
        assert ensemble.frames == [second, third]
    assert ensemble.frames == [second]


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=12))
def test_equal_lanes_merge_and_only_those(columns: list[tuple[int, bool]]) -> None:
    ensemble, frame = opened(len(columns))
    for lane, (points, over) in enumerate(columns):
        frame.points[lane], frame.over[lane] = points, over
    into = ensemble.merge()
    numbers = list(range(len(columns))) if into is None else into.tolist()
    now = list(zip(frame.points.tolist(), frame.over.tolist(), strict=True))
    assert now == list(dict.fromkeys(columns))
    assert [now[number] for number in numbers] == columns


def test_merging_that_does_not_pay_is_tried_ever_more_rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.ensemble.lanes.FEW", 4)
    ensemble, frame = opened(4)
    frame.points[:] = range(4)
    tried = []
    for number in range(16):
        before = ensemble._pause
        ensemble.merge()
        if before <= 1:
            tried.append(number)
    assert tried == [0, 1, 4, 11]
    frame.points[:] = 3
    assert ensemble.merge() is None
    assert ensemble.merge(always=True) is not None
    assert ensemble.n == 1


def test_lanes_that_were_merged_count_the_decisions_of_different_units() -> None:
    """Merging lays the counts out anew; they are still counted where several units ask at once."""
    asked, lanes = Ensemble(UNITS, LEADERS, 3).asked, np.array([0, 1])
    asked.take("1.1.charge/fire", lanes, lanes, lanes)
    asked.clear()
    asked.keep(np.array([2, 0]))
    for times in range(3):
        taken = asked.take("1.1.charge/fire", lanes, lanes, lanes)
        assert taken.tolist() == [times, times]


def test_few_lanes_are_merged_without_waiting() -> None:
    ensemble, frame = opened(4)
    frame.points[:] = range(4)
    for _ in range(5):
        assert ensemble.merge() is None
    ensemble.fork(np.arange(4))
    assert ensemble.merge() is not None
    assert ensemble.n == 4


def test_a_field_out_of_its_range_is_told() -> None:
    _, frame = opened()
    frame.check()
    frame.points[0] = 21
    with pytest.raises(
        ValueError, match=r"Working.points \(points left\) must be from 0 to 20, found 5 to 21"
    ):
        frame.check()


def test_cases_are_narrowed_with_all_their_columns() -> None:
    ensemble, frame = opened(4)
    frame.over[:] = [True, False, True, True]
    cases = frame.cases(frame.over, np.array([0, 1, 2, 1]), 2).at_target(np.array([1, 0, 2]))
    assert (cases.lane.tolist(), cases.unit.tolist(), cases.by.tolist()) == ([0, 2, 3], [0, 2, 1], [2, 2, 2])
    some = cases.where(np.array([False, True, True]))
    assert (some.lane.tolist(), some.unit.tolist(), some.target.tolist()) == ([2, 3], [2, 1], [0, 2])
    assert some.targets().unit.tolist() == [0, 2]
    frame.state[some.at] = 3
    assert frame.state.tolist() == [[0] * 4, [0, 0, 0, 3], [0, 0, 3, 0]]
    assert ensemble.epoch == 0


def test_cases_are_stale_once_lanes_have_split_or_merged_and_narrowing_does_not_freshen_them() -> None:
    ensemble, frame = opened()
    cases = frame.cases(~frame.over, 1)
    ensemble.fork(np.array([0]))
    for stale in (cases, cases.where(np.array([True, False])), cases.of(2), cases.at_target(0)):
        with pytest.raises(LookupError, match="stale cases"):
            frame.state[stale.at]
    again = frame.cases(~frame.over, 1)
    assert again.at[1].tolist() == [0, 1, 2]
    ensemble.merge()
    with pytest.raises(LookupError, match="stale cases"):
        again.fresh()


def test_the_pending_take_their_turns_in_each_lane_in_unit_order_while_lanes_split() -> None:
    """Exact dice split a lane at each turn; whoever failed first makes the third unit pending too."""
    ensemble = Ensemble(UNITS)
    dice = ExhaustiveDice()
    dice.begin(ensemble)
    chart = Chart("coin", np.array([[0] * 18 + [1] * 18], np.int16), (0, 1))
    turns: list[list[int]] = []
    with Pending(ensemble) as pending, Working(ensemble) as failed:
        failed.hit[:] = False
        pending.mark(pending.cases(np.ones(1, bool), 1, 0))
        pending.mark_all(np.array([[True], [False], [False]]), np.array([0]), 0)
        for cases in pending.in_turn():
            turns.append(sorted(cases.unit.tolist()))
            zero = np.zeros(len(cases), int)
            answered, value = dice.ask("1.1.charge/check", cases, chart, zero, zero)
            failed.hit[answered.at] = value == 0
            first = answered.where((value == 0) & (answered.unit == 0))
            pending.mark(first.of(2))
        assert turns == [[0], [1, 1], [2, 2]]
        assert sorted(map(tuple, failed.hit.T.tolist())) == sorted(
            (a, b, c)
            for a in (True, False)
            for b in (True, False)
            for c in ((True, False) if a else (False,))
        )
    assert sorted(map(float, dice.fractions())) == [0.125] * 4 + [0.25] * 2


def test_a_lane_occurs_at_most_once() -> None:
    _, frame = opened(3)
    cases = frame.cases(np.array([True, False, True]), 0)
    assert isinstance(cases, Cases)
    assert len(set(cases.lane.tolist())) == len(cases) == 2


def test_the_first_flag_of_each_column_is_found_in_few_rows_and_in_many() -> None:
    rng = np.random.default_rng(3)
    for rows in (0, 1, 40, 255, 256, 300):
        flags = rng.random((rows, 50)) < 2 / (rows + 1)
        some, first = first_of(flags)
        assert (some == flags.any(axis=0)).all()
        assert first.tolist() == [column.argmax() if column.any() else 0 for column in flags.T]
