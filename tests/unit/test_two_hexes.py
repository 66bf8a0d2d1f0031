"""Units in two hexes in the movement segment: how they get there, where they go, what stops them, each worked
out by hand (docs/battle.md O3 to O9, O15, M15).

Directions 0 to 5 are E, SE, SW, W, NW, NE. Side 0 looks E: in line at the corner between E and SE, its other
hex to the right, SW of its own.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from sim.battle.players import TWO
from sim.board.hexmap import Hex
from sim.combat.play import Play
from sim.vocabulary import COLUMN, GOOD, LINE, SKIRMISH
from tests.field import Placed, cases
from tests.unit.test_movement import Moved, Will, foot, segment

A, B = (0, 0), (-1, 1)
EAST = (10, 0)
RIFLES: dict[str, Any] = {"multiples": {"skirmish": 2, "line": 2}}


def hexes(moved: Moved, lane: int = 0) -> tuple[Hex | None, Hex | None]:
    """Both hexes of the first unit."""
    forces = moved.play.forces
    return forces.map.hex(int(forces.hex[0, lane])), forces.map.hex(int(forces.second[0, lane]))


def in_two(play: Play) -> None:
    """The first unit is in two hexes when the segment begins."""
    play.forces.extend(cases(play.forces, 0), play.forces.map.number(B))


def line(**facts: Any) -> Placed:
    return foot(A, 1, **{"formation": "line"} | facts)


@pytest.mark.parametrize(
    ("formation", "facing", "first", "ends"),
    [
        ("column", 0, LINE + TWO, (6, 0)),  # 8 - 2
        ("line", 1, LINE + TWO, (5, 0)),  # 8 - 2 in line - 1 more for two
        ("column", 0, LINE, (7, 0)),  # 8 - 1, in one
    ],
)
def test_what_a_line_of_two_hexes_costs(formation: str, facing: int, first: int, ends: Hex) -> None:
    """M2, M15; it goes on straight ahead, both hexes at once."""
    moved = segment([foot(A, facing, formation=formation)], {0: Will(EAST, first=first)})
    second = (ends[0] - 1, 1) if first >= TWO else None
    assert hexes(moved) == (ends, second)
    assert moved.at()[1:] == (1, "line")


def test_four_increments_are_too_few() -> None:
    """O3: it is in line in one hex instead, and pays for that: 8 - 1."""
    moved = segment([foot(A, increments=4)], {0: Will(EAST, first=LINE + TWO)})
    assert hexes(moved) == ((7, 0), None)


@pytest.mark.parametrize(
    ("increments", "friends", "ends", "formation"),
    [
        (8, [], ((7, 0), (6, 1)), "skirmish"),
        (4, [(-1, 1)], ((7, 0), (8, -1)), "skirmish"),  # the left, where the right is taken
        (8, [(-1, 1), (1, -1)], ((8, 0), None), "column"),  # no room: it stays in column
        (3, [(-1, 1), (1, -1)], ((7, 0), None), "skirmish"),
    ],
)
def test_skirmishers_of_four_or_more_take_two_hexes(
    increments: int, friends: list[Hex], ends: tuple[Hex, Hex | None], formation: str
) -> None:
    """O6: 8 - 1 points."""
    units = [foot(A, increments=increments, **RIFLES), *(foot(at) for at in friends)]
    moved = segment(units, {0: Will(EAST, first=SKIRMISH)})
    assert hexes(moved) == ends
    assert moved.at()[2] == formation


def test_it_does_not_extend_onto_friends_enemies_woods_or_across_a_river() -> None:
    """O3, M36: to the left, if the right is taken or closed; in line in one hex if neither is open."""
    enemy = foot((1, -1), 6, 1)
    left = segment([foot(A), foot(B)], {0: Will(first=LINE + TWO)})
    assert hexes(left) == (A, (1, -1))
    for place in ({"terrain": {B: "woods"}}, {"hexsides": {(A, 2): "river"}}):
        assert hexes(segment([foot(A)], {0: Will(first=LINE + TWO)}, **place)) == (A, (1, -1))
        none = segment([foot(A), enemy], {0: Will(first=LINE + TWO)}, **place)
        assert (hexes(none), none.at()[2]) == ((A, None), "line")


@pytest.mark.parametrize(
    ("place", "ends"),
    [
        ({}, (6, 0)),  # 8 - 2
        ({"terrain": {(2, 1): "woods"}}, (2, 0)),  # no line in woods: its other hex would be there
        ({"terrain": {(3, 0): "village"}}, (5, 1)),  # round it, by a step SE
        ({"hexsides": {((-1, 1), 0): "stream"}}, (5, 0)),  # its other hex pays a point more
    ],
)
def test_it_marches_straight_ahead_where_both_hexes_can(place: dict[str, Any], ends: Hex) -> None:
    """O15, M17."""
    moved = segment([line()], {0: Will(EAST)}, before=in_two, **place)
    assert hexes(moved) == (ends, (ends[0] - 1, ends[1] + 1))


def test_its_other_front_side_is_ahead_too() -> None:
    """O15: SE, without a turn."""
    assert hexes(segment([line()], {0: Will((0, 10))}, before=in_two)) == ((0, 6), (-1, 7))


def test_it_does_not_turn_and_comes_together_first_to_go_elsewhere() -> None:
    """O15: W is behind it. Together for 1, turned right by two hexsides for 2, it has 8 - 2 - 3 left."""
    assert hexes(segment([line()], {0: Will((-10, 0))}, before=in_two)) == (A, B)
    assert hexes(segment([line()], {0: Will((-10, 0), first=LINE)}, before=in_two)) == ((-3, 0), None)


def test_a_column_out_of_two_hexes_pays_one_change() -> None:
    """M15: 8 - 2 - 1, in its own hex."""
    assert hexes(segment([line()], {0: Will(EAST, first=COLUMN)}, before=in_two)) == ((5, 0), None)


def test_it_stops_as_a_whole_where_either_hex_is_in_a_zone() -> None:
    """O9, Z3: the enemy at (4, 2) looks W, and has (4, 1) before it; (5, 0) is not."""
    moved = segment([line(), foot((4, 2), 6, 1)], {0: Will(EAST)}, before=in_two)
    assert hexes(moved) == ((5, 0), (4, 1))
    lone = segment([line(), foot((4, 2), 6, 1)], {0: Will(EAST)})
    assert hexes(lone) == ((6, 0), None)


def test_it_draws_fire_when_it_leaves_with_either_hex_in_a_zone() -> None:
    """O9, Z6: the enemy at (0, 2) looks NW at its other hex, (-1, 1) lies W of (0, 1), before the enemy."""
    enemy = foot((-1, 2), 8, 1)
    moved = segment([line(), enemy], {0: Will(EAST, most=1)}, before=in_two)
    assert moved.fired == [0]
    assert hexes(moved) == ((1, 0), (0, 1))


@pytest.mark.parametrize(
    ("friend", "most", "ends"),
    [
        ((2, 1), 9, (6, 0)),  # its other half passes: 4 beside 14
        ((2, 1), 3, (3, 0)),  # and may stay
        ((3, 0), 9, (2, 0)),  # its own does not: 5 beside 14
    ],
)
def test_friends_leave_it_the_room_of_a_half(friend: Hex, most: int, ends: Hex) -> None:
    """O4, S1, S6: of 9 increments 5 are in its own hex and 4 in the other; a hex holds 18."""
    other = foot(friend, 1, formation="line", increments=14, printed=14)
    moved = segment([line(increments=9, printed=9), other], {0: Will(EAST, most=most)}, before=in_two)
    assert hexes(moved) == (ends, (ends[0] - 1, 1))


def test_who_loses_while_it_forms_has_one_hex() -> None:
    """O8, Z6: the enemy's 6 against 6 hits five increments that deploy before it, on 52 and more."""
    units = [foot(A, increments=5, morale=11), foot((1, 0), 6, 1, fire=Fraction(6))]
    moved = segment(units, {0: Will(first=LINE + TWO)}, fire=True)
    forces = moved.play.forces
    lined = (forces.formation[0] == LINE) & (forces.state[0] == GOOD)
    fewer = forces.increments[0] < 5
    two = forces.second[0] != forces.map.off
    assert (lined & fewer).any()
    assert (two == (lined & ~fewer)).all()
    assert two.any()
