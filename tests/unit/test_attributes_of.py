"""Attributes of units are found when they are asked for, once, and joined like mappings."""

from __future__ import annotations

import numpy as np
import pytest

from sim.rulesets.conditions import code
from sim.units.attributes import Attributes


def attributes(prefix: str, asked: list[str], worth: int = 1) -> Attributes:
    def find(name: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        asked.append(f"{prefix}.{name}")
        return np.array([worth])

    return Attributes(prefix, ("state", "arm"), find)


def test_an_attribute_is_found_when_it_is_asked_for_and_only_once() -> None:
    asked: list[str] = []
    known = attributes("unit", asked)
    assert list(known) == ["unit.state", "unit.arm"]
    assert len(known) == 2
    assert asked == []
    assert known["unit.arm"] is known["unit.arm"]
    assert asked == ["unit.arm"]
    for name in ("unit.colour", "target.arm", "hexside"):
        with pytest.raises(KeyError):
            known[name]


def test_joined_attributes_know_both_and_the_right_side_goes_first() -> None:
    asked: list[str] = []
    front = {"hexside": np.array([code("front")]), "unit.arm": np.array([7])}
    both = attributes("unit", asked) | attributes("target", asked, 2)
    assert (both["unit.arm"][0], both["target.arm"][0]) == (1, 2)
    assert (attributes("unit", asked) | front)["unit.arm"][0] == 7
    right = front | attributes("unit", asked)
    assert (right["unit.arm"][0], right["hexside"][0]) == (1, code("front"))
    found = attributes("unit", asked)
    assert found["unit.arm"][0] == 1
    assert (found | attributes("unit", asked, 3))["unit.arm"][0] == 3
