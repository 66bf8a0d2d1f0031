"""Dead data: each number of a style, moved far, changes what players decide in some battle of a fixed few."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from sim.inputs.fields import Integer, Number, Record
from sim.studies.engine import set_up
from sim.units import battlefiles, styles
from sim.units.styles import Doctrine, Part, Style

Key = tuple[str, ...]
PLAYS: dict[str, tuple[str, list[str], int, int]] = {
    "mirror": ("mirror", [], 20, 10),
    "Halle": ("halle-1806", [], 8, 10),
    "Halle, with a screen": ("halle-1806", ["orders.7.order=screen"], 4, 5),
}
"""Scenario, changes, battles, and turns."""


def numbers(part: type[Part] = Style, above: Key = ()) -> Iterator[tuple[Key, Any]]:
    """Every number of a style: the way to it, and its kind."""
    for name, kind in part.fields.items():
        if isinstance(kind, Record):
            assert kind.builds is not None
            assert issubclass(kind.builds, Part)
            yield from numbers(kind.builds, (*above, name))
        elif name != "title":
            yield (*above, name), kind


KINDS = dict(numbers())


def moved(part: Any, key: Key, value: Fraction | int) -> Any:
    """A style with one number changed."""
    first, *rest = key
    new = moved(getattr(part, first), tuple(rest), value) if rest else value
    return part.changed(**{first: new})


def came_of(style: Style, play: str) -> list[np.ndarray[Any, Any]]:
    """Where everybody stands in the end, and how."""
    name, changes, lanes, turns = PLAYS[play]
    scenario = battlefiles.load(name, changes)
    first, second = (replace(side, doctrine=Doctrine("mine", style)) for side in scenario.sides)
    battle = set_up(replace(scenario, sides=(first, second)), 3, 0, lanes, turns=turns)
    battle.run()
    forces = battle.forces
    found = [forces.hex, forces.facing, forces.formation, forces.state, forces.increments]
    copies = [one.copy() for one in found]
    forces.ensemble.close()
    return copies


@cache
def usual(play: str) -> list[np.ndarray[Any, Any]]:
    return came_of(styles.own(), play)


@pytest.mark.parametrize("key", KINDS, ids=".".join)
def test_a_number_that_is_moved_far_changes_battles(key: Key) -> None:
    kind = KINDS[key]
    assert isinstance(kind, Integer | Number)
    ends = [Fraction(one) if isinstance(kind, Number) else one for one in (kind.low, kind.high)]
    assert any(
        any((one != other).any() for one, other in zip(came, usual(play), strict=True))
        for play in PLAYS
        for came in (came_of(moved(styles.own(), key, value), play) for value in ends)
    )
