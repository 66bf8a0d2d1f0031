"""The hex map: neighbours, distances, numbered hexes, hexsides."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.board.hexmap import Hex, HexMap, Rhombus, along, direction_to, distance, neighbour

RADIUS = 12
hexes = st.tuples(st.integers(-RADIUS, RADIUS), st.integers(-RADIUS, RADIUS))
directions = st.integers(0, 5)

# charge.md section 2: directions 0..5 clockwise
NEIGHBOURS = {0: (1, 0), 1: (0, 1), 2: (-1, 1), 3: (-1, 0), 4: (0, -1), 5: (1, -1)}


def walked(start: Hex, radius: int) -> dict[Hex, int]:
    """Distances by walking from hex to hex: the slow obvious way."""
    found, waiting = {start: 0}, deque([start])
    while waiting:
        here = waiting.popleft()
        for dq, dr in NEIGHBOURS.values():
            to = here[0] + dq, here[1] + dr
            if to not in found and max(abs(to[0]), abs(to[1])) <= radius:
                found[to] = found[here] + 1
                waiting.append(to)
    return found


@pytest.mark.parametrize(("direction", "hex_"), list(NEIGHBOURS.items()))
def test_directions_go_clockwise_from_plus_q(direction: int, hex_: Hex) -> None:
    assert neighbour((0, 0), direction) == hex_
    assert neighbour((3, -2), direction) == (3 + hex_[0], -2 + hex_[1])
    assert direction_to((3, -2), (3 + hex_[0], -2 + hex_[1])) == direction


@given(hexes, st.integers(-12, 12))
def test_directions_are_counted_modulo_six(hex_: Hex, direction: int) -> None:
    assert neighbour(hex_, direction) == neighbour(hex_, direction % 6)


@given(hexes, directions)
def test_the_way_back_is_the_opposite_direction(hex_: Hex, direction: int) -> None:
    assert neighbour(neighbour(hex_, direction), direction + 3) == hex_


@given(hexes, directions, st.integers(0, 9))
def test_along_is_so_many_steps_in_one_direction(hex_: Hex, direction: int, steps: int) -> None:
    here = hex_
    for _ in range(steps):
        here = neighbour(here, direction)
    assert along(hex_, direction, steps) == here
    assert distance(hex_, here) == steps


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((0, 0), (0, 0), 0),
        ((0, 0), (2, -1), 2),
        ((0, 0), (1, 1), 2),
        ((0, 0), (-3, 3), 3),
        ((-1, 0), (2, 2), 5),
        ((4, -7), (-1, -2), 5),
        ((0, 0), (3, 4), 7),
    ],
)
def test_known_distances(a: Hex, b: Hex, expected: int) -> None:
    assert distance(a, b) == expected
    assert distance(b, a) == expected


def test_distance_is_the_number_of_steps_of_the_shortest_walk() -> None:
    for to, steps in walked((0, 0), 9).items():
        assert distance((0, 0), to) == steps
        assert distance((5, -8), (5 + to[0], -8 + to[1])) == steps


def test_six_hexes_lie_one_off_and_six_n_lie_n_off() -> None:
    for n in range(1, 6):
        ring = [(q, r) for q in range(-n, n + 1) for r in range(-n, n + 1) if distance((0, 0), (q, r)) == n]
        assert len(ring) == 6 * n


@given(hexes)
def test_a_hex_survives_being_numbered(hex_: Hex) -> None:
    map_ = HexMap(Rhombus(RADIUS))
    assert map_.hex(map_.number(hex_)) == hex_


def test_numbers_run_from_0_to_the_hexes_of_the_map_and_off_comes_after() -> None:
    map_ = HexMap(Rhombus(3))
    numbers = sorted(map_.number((q, r)) for q in range(-3, 4) for r in range(-3, 4))
    assert numbers == list(range(49))
    assert map_.off == 49
    assert map_.number(None) == 49
    assert map_.hex(49) is None


def test_numbers_of_the_greatest_map_fit_16_bits() -> None:
    assert HexMap(Rhombus(88)).off <= np.iinfo(np.int16).max


@pytest.mark.parametrize(
    ("hex_", "held"),
    [((0, 0), True), ((3, 3), True), ((-3, 3), True), ((4, 0), False), ((0, -4), False), ((4, -4), False)],
)
def test_the_map_ends_at_its_radius(hex_: Hex, held: bool) -> None:
    assert HexMap(Rhombus(3)).holds(hex_) is held


@given(st.lists(st.tuples(hexes | st.none(), hexes | st.none()), min_size=1, max_size=20))
def test_distances_of_numbers_are_those_of_the_hexes_and_999_off_the_map(
    pairs: list[tuple[Hex | None, Hex | None]],
) -> None:
    map_ = HexMap(Rhombus(RADIUS))
    a, b = (np.array([map_.number(pair[side]) for pair in pairs], np.int16) for side in (0, 1))
    expected = [999 if one is None or other is None else distance(one, other) for one, other in pairs]
    assert map_.distances(a, b).tolist() == expected


@given(hexes, st.integers(0, 11))
def test_a_hexside_is_the_same_from_both_hexes(hex_: Hex, direction: int) -> None:
    map_ = HexMap(Rhombus(RADIUS), hexsides={(hex_, direction): "stream"})
    other = neighbour(hex_, direction)
    assert map_.hexsides[hex_, direction % 6] == "stream"
    assert map_.hexsides[other, direction_to(other, hex_)] == "stream"
    assert len(map_.hexsides) == 2
