"""The ladder of 36 faces: its order, shifts, ranges as text, and what it refuses (rule 9; B1)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.ensemble import ladder
from sim.errors import CarreError, InputError

# fmt: off
FACES = (
    11, 12, 13, 14, 15, 16,
    21, 22, 23, 24, 25, 26,
    31, 32, 33, 34, 35, 36,
    41, 42, 43, 44, 45, 46,
    51, 52, 53, 54, 55, 56,
    61, 62, 63, 64, 65, 66,
)
# fmt: on

faces = st.sampled_from(FACES)
indices = st.integers(0, 35)
ends = st.tuples(indices, indices).map(sorted)


def test_there_are_36_faces_in_order() -> None:
    assert ladder.STEPS == 36
    assert ladder.FACES == FACES


@pytest.mark.parametrize(("index", "face"), list(enumerate(FACES)))
def test_face_and_index_belong_together(index: int, face: int) -> None:
    assert ladder.face_of(index) == face
    assert ladder.index_of(face) == index
    assert ladder.index_of(str(face)) == index


def test_a_numpy_integer_is_a_face_like_any_other() -> None:
    assert ladder.index_of(np.int8(43)) == 20


@pytest.mark.parametrize(
    "face",
    [10, 17, 18, 20, 60, 67, 0, 6, -11, 111, "", "4x", "1 1", 43.0, "43.0", True, None, "eleven", [11]],
)
def test_what_is_not_a_roll_is_refused_with_the_value(face: object) -> None:
    with pytest.raises(
        InputError, match=r"must be one of the 36 rolls 11\.\.16, 21\.\.26, \.\.\., 61\.\.66, got "
    ) as caught:
        ladder.index_of(face)
    assert repr(face) in str(caught.value)
    assert isinstance(caught.value, CarreError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("value", "known"),
    [(11, True), (66, True), (17, False), ("11", False), (True, False), (11.0, False), (None, False)],
)
def test_only_integers_are_faces(value: object, known: bool) -> None:
    assert ladder.is_face(value) is known


@pytest.mark.parametrize(
    ("face", "modifier", "expected"),
    [
        (43, 4, 51),  # BE21 p10, rule 9
        (33, 3, 36),  # BE21 p30
        (33, 6, 43),  # BE21 p30
        (36, -3, 33),  # BE21 p30: a disordered unit of morale 32 needs 36
        (43, -6, 33),  # BE21 p30: a routed one needs 43
        (16, 1, 21),
        (21, -1, 16),
        (25, 0, 25),
    ],
)
def test_a_modifier_counts_steps_of_the_ladder(face: int, modifier: int, expected: int) -> None:
    assert ladder.shifted(face, modifier) == expected


@pytest.mark.parametrize(
    ("face", "modifier", "expected"),
    [(12, -6, 11), (11, -1, 11), (64, 9, 66), (66, 1, 66), (11, 99, 66), (66, -99, 11)],
)
def test_a_shift_ends_at_11_and_at_66(face: int, modifier: int, expected: int) -> None:
    """0-decisions 5.1."""
    assert ladder.shifted(face, modifier) == expected


@given(faces, st.integers(-40, 40))
def test_a_shift_moves_the_place_by_the_modifier_or_to_the_end(face: int, modifier: int) -> None:
    assert FACES.index(ladder.shifted(face, modifier)) == sorted((0, FACES.index(face) + modifier, 35))[1]


@given(faces, st.integers(-40, 40), st.integers(0, 40))
def test_a_greater_modifier_never_gives_a_lower_face(face: int, modifier: int, more: int) -> None:
    assert ladder.shifted(face, modifier + more) >= ladder.shifted(face, modifier)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("11-16", range(0, 6)),
        ("11-66", range(0, 36)),
        ("66", range(35, 36)),
        (66, range(35, 36)),
        ("44-61", range(21, 31)),
        (" 64 - 66 ", range(33, 36)),
    ],
)
def test_ranges_are_read(text: object, expected: range) -> None:
    assert ladder.parse_range(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", "-", "11-", "-66", "11-67", "17-21", "64-65-66", "11..16", "66-11", "65-64", "eleven", None],
    ids=lambda text: repr(text),
)
def test_what_is_not_a_range_is_refused(text: object) -> None:
    """`65-64` is the impossible range of a public chart (D14 row 7)."""
    with pytest.raises(InputError, match="must be"):
        ladder.parse_range(text)


@given(ends)
def test_a_range_survives_being_written_and_read(span: list[int]) -> None:
    whole = range(span[0], span[1] + 1)
    assert ladder.parse_range(ladder.format_range(whole)) == whole


@given(st.sets(indices))
def test_runs_name_exactly_the_given_rolls_and_never_two_neighbouring_runs(chosen: set[int]) -> None:
    text = ladder.runs_of(list(chosen))
    runs = [ladder.parse_range(part) for part in text.split(", ")] if text else []
    assert [index for run in runs for index in run] == sorted(chosen)
    assert all(before[-1] + 1 < after[0] for before, after in itertools.pairwise(runs))
