"""Fractions in arrays against Python's own: exact, reduced, and 3:1 is exactly 3:1."""

from __future__ import annotations

from fractions import Fraction
from math import gcd

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.ensemble.ratios import Ratio, column_down
from sim.errors import CarreError

FIRE = (
    (1, 3),
    (2, 5),
    (1, 2),
    (2, 3),
    (1, 1),
    (3, 2),
    (2, 1),
    (5, 2),
    (3, 1),
    (4, 1),
    (5, 1),
    (6, 1),
    (7, 1),
    (8, 1),
    (9, 1),
    (10, 1),
)
"""The fire table's odds (B2.4)."""

values = st.builds(Fraction, st.integers(0, 200), st.integers(1, 36))
some = st.lists(values, min_size=1, max_size=4)
few = settings(max_examples=40)


def ratio(numbers: list[Fraction]) -> Ratio:
    return Ratio.made([one.numerator for one in numbers], [one.denominator for one in numbers])


def assert_reduced(found: Ratio) -> None:
    assert all(
        gcd(int(num), int(den)) == 1 and den > 0 for num, den in zip(found.num, found.den, strict=True)
    )


@few
@given(some)
def test_fractions_survive_being_put_into_arrays(numbers: list[Fraction]) -> None:
    assert ratio(numbers).fractions() == numbers
    assert_reduced(ratio(numbers))


@few
@given(st.lists(st.tuples(values, values), min_size=1, max_size=4))
def test_sums_and_products_are_those_of_fractions(pairs: list[tuple[Fraction, Fraction]]) -> None:
    left, right = ratio([a for a, _ in pairs]), ratio([b for _, b in pairs])
    assert (left + right).fractions() == [a + b for a, b in pairs]
    assert (left * right).fractions() == [a * b for a, b in pairs]
    assert_reduced(left + right)
    assert_reduced(left * right)


@few
@given(some, values)
def test_a_single_value_goes_with_every_case(numbers: list[Fraction], one: Fraction) -> None:
    assert (ratio(numbers) * Ratio.of(one)).fractions() == [number * one for number in numbers]
    assert (ratio(numbers) + Ratio.of(one)).fractions() == [number + one for number in numbers]
    assert Ratio.of(one).spread(3).fractions() == [one] * 3


@few
@given(some, st.data())
def test_where_keeps_the_chosen_cases_and_takes_zero_or_another_value_elsewhere(
    numbers: list[Fraction], data: st.DataObject
) -> None:
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(numbers), max_size=len(numbers))))
    assert ratio(numbers).where(mask).fractions() == [
        a if kept else 0 for a, kept in zip(numbers, mask, strict=True)
    ]
    other = Ratio.of(Fraction(7, 3))
    assert ratio(numbers).where(mask, other).fractions() == [
        a if kept else Fraction(7, 3) for a, kept in zip(numbers, mask, strict=True)
    ]


@few
@given(some, st.integers(0, 5))
def test_at_least_raises_what_is_below_the_floor(numbers: list[Fraction], floor: int) -> None:
    assert ratio(numbers).at_least(floor).fractions() == [max(number, Fraction(floor)) for number in numbers]


@few
@given(some)
def test_take_gives_some_of_the_cases_in_order(numbers: list[Fraction]) -> None:
    assert ratio(numbers).take(np.arange(len(numbers))[::-1]).fractions() == numbers[::-1]
    assert Ratio.zero(3).fractions() == [0, 0, 0]


def test_fractions_too_fine_for_64_bits_are_refused_and_not_wrong() -> None:
    """Melee values that files allow: six regiments, each with a fraction of its own and increments lost."""
    parts = [
        Fraction(16001 * left, of * whole)
        for of, whole, left in (
            (953, 31, 30),
            (977, 23, 22),
            (971, 19, 18),
            (967, 17, 16),
            (947, 13, 12),
            (941, 11, 10),
        )
    ]
    found = Ratio.zero(1)
    try:
        for part in parts:
            found = found + Ratio.of(part)
    except (OverflowError, CarreError):
        return
    assert found.fractions() == [sum(parts)]


@pytest.mark.parametrize(
    ("attack", "defence", "column"),
    [
        (Fraction(3), Fraction(1), 8),
        (Fraction(27, 10), Fraction(9, 10), 8),  # 2.7 / 0.9 is 3.0000000000000004 or less in floats
        (Fraction(1, 10) * 3, Fraction(1, 10), 8),
        (Fraction(7, 3), Fraction(7, 9), 8),
        (Fraction(2999, 1000), Fraction(1), 7),
        (Fraction(3001, 1000), Fraction(1), 8),
        (Fraction(1, 3), Fraction(1), 0),
        (Fraction(333, 1000), Fraction(1), -1),
        (Fraction(0), Fraction(5), -1),
        (Fraction(10), Fraction(1), 15),
        (Fraction(999), Fraction(1), 15),
        (Fraction(1), Fraction(1), 4),
        (Fraction(35, 36), Fraction(35, 36), 4),
    ],
)
def test_three_to_one_is_exactly_three_to_one(attack: Fraction, defence: Fraction, column: int) -> None:
    """design.md, "Care is needed here": odds columns in exact arithmetic."""
    assert column_down(Ratio.of(attack), Ratio.of(defence), FIRE).tolist() == [column]


@few
@given(st.lists(st.tuples(values, values.filter(bool)), min_size=1, max_size=4))
def test_the_column_is_the_last_whose_odds_are_not_above_the_strengths(
    pairs: list[tuple[Fraction, Fraction]],
) -> None:
    found = column_down(ratio([a for a, _ in pairs]), ratio([b for _, b in pairs]), FIRE)
    expected = [
        max((number for number, (a, d) in enumerate(FIRE) if Fraction(a, d) <= attack / defence), default=-1)
        for attack, defence in pairs
    ]
    assert found.tolist() == expected


@few
@given(st.integers(1, 36), st.integers(1, 36), st.sampled_from(range(len(FIRE))))
def test_strengths_at_the_very_odds_of_a_column_are_in_it(scale: int, shares: int, column: int) -> None:
    a, d = FIRE[column]
    attack, defence = Fraction(a * scale, shares), Fraction(d * scale, shares)
    assert column_down(Ratio.of(attack), Ratio.of(defence), FIRE).tolist() == [column]
    less = attack - Fraction(1, 1000)
    assert column_down(Ratio.of(less), Ratio.of(defence), FIRE).tolist() == [column - 1]
