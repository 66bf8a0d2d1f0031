"""Lanes: columns of facts that are copied, merged and grouped, and the decisions each has taken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sim.old.lanes import Lanes

LAYOUT = [("hex", 2), ("state", 1)]
columns = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=12
)


class Facts(Lanes):
    """Lanes with the facts of the layout, by name."""

    hex: NDArray[np.int16]
    state: NDArray[np.int16]


def lanes_of(facts: list[tuple[int, ...]]) -> Facts:
    """Lanes with given columns, built by copying one lane."""
    lanes = Facts(LAYOUT, 1)
    lanes.fork(np.zeros(len(facts) - 1, np.intp))
    for lane, (a, b, c) in enumerate(facts):
        lanes.hex[:, lane] = a, b
        lanes.state[0, lane] = c
    return lanes


def facts_of(lanes: Facts) -> list[tuple[int, ...]]:
    return [(*lanes.hex[:, lane].tolist(), *lanes.state[:, lane].tolist()) for lane in range(lanes.n)]


def test_lanes_begin_all_zero_with_one_attribute_a_fact() -> None:
    lanes = Facts(LAYOUT, 3)
    assert lanes.n == 3
    assert lanes.all().tolist() == [0, 1, 2]
    assert facts_of(lanes) == [(0, 0, 0)] * 3
    assert lanes.hex.dtype == np.int16


def test_a_copy_has_its_parents_facts_and_goes_its_own_way() -> None:
    lanes = lanes_of([(1, 0, 0), (2, 1, 1)])
    assert lanes.fork(np.array([1, 1, 0])).tolist() == [2, 3, 4]
    assert facts_of(lanes) == [(1, 0, 0), (2, 1, 1), (2, 1, 1), (2, 1, 1), (1, 0, 0)]
    lanes.state[0, 2] = 2
    assert facts_of(lanes)[1:4] == [(2, 1, 1), (2, 1, 2), (2, 1, 1)]


def test_copying_no_lane_changes_nothing() -> None:
    lanes = lanes_of([(1, 0, 0)])
    assert lanes.fork(np.zeros(0, np.intp)).tolist() == []
    assert lanes.n == 1


def test_lanes_outgrow_their_matrix_without_losing_facts_or_decisions() -> None:
    lanes = lanes_of([(1, 0, 2)])
    lanes.take("first", np.array([0]))
    for _ in range(9):
        lanes.fork(lanes.all())
    assert lanes.n == 512
    assert set(facts_of(lanes)) == {(1, 0, 2)}
    assert lanes.taken("first", lanes.all()).all()


def test_a_decision_is_remembered_lane_by_lane() -> None:
    lanes = lanes_of([(0, 0, 0)] * 4)
    lanes.take("roll", np.array([1, 3]))
    assert lanes.taken("roll", lanes.all()).tolist() == [False, True, False, True]
    assert not lanes.taken("roll#2", lanes.all()).any()
    lanes.fork(np.array([0, 1]))
    assert lanes.taken("roll", np.array([4, 5])).tolist() == [False, True]


def test_any_number_of_decisions_is_remembered() -> None:
    lanes = lanes_of([(0, 0, 0)] * 2)
    for number in range(100):
        lanes.take(f"roll {number}", np.array([number % 2]))
    for number in range(100):
        assert lanes.taken(f"roll {number}", lanes.all()).tolist() == [number % 2 == 0, number % 2 == 1]


def test_equal_lanes_become_one_in_the_order_of_their_first() -> None:
    lanes = lanes_of([(2, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 1), (1, 0, 0)])
    into = lanes.merge()
    assert into is not None
    assert into.tolist() == [0, 1, 0, 2, 1]
    assert facts_of(lanes) == [(2, 0, 0), (1, 0, 0), (0, 1, 1)]


@pytest.mark.parametrize("facts", [[(1, 0, 0)], [(1, 0, 0), (0, 1, 0)], [(0, 0, 0), (0, 0, 1), (0, 0, 2)]])
def test_lanes_that_all_differ_are_left_alone(facts: list[tuple[int, ...]]) -> None:
    lanes = lanes_of(facts)
    assert lanes.merge() is None
    assert facts_of(lanes) == facts


def test_a_merged_lane_has_taken_what_any_of_its_lanes_had() -> None:
    lanes = lanes_of([(1, 0, 0), (0, 0, 0), (1, 0, 0)])
    lanes.take("one", np.array([2]))
    lanes.take("two", np.array([1]))
    lanes.merge()
    assert lanes.taken("one", lanes.all()).tolist() == [True, False]
    assert lanes.taken("two", lanes.all()).tolist() == [False, True]
    lanes.fork(np.array([1]))
    assert lanes.taken("one", np.array([2])).tolist() == [False]


@given(columns)
def test_merging_keeps_every_distinct_column_once_and_says_where_each_went(
    facts: list[tuple[int, ...]],
) -> None:
    lanes = lanes_of(facts)
    into = lanes.merge()
    after = facts_of(lanes)
    assert after == list(dict.fromkeys(facts))
    assert [after[lane] for lane in (range(len(facts)) if into is None else into)] == facts


@given(columns)
def test_groups_hold_the_lanes_that_agree_in_the_named_facts(facts: list[tuple[int, ...]]) -> None:
    lanes = lanes_of(facts)
    firsts, group = lanes.groups(["hex"], lanes.all())
    assert len(set(group.tolist())) == len(firsts) == len({fact[:2] for fact in facts})
    for lane, number in enumerate(group):
        assert facts[int(firsts[number])][:2] == facts[lane][:2]
