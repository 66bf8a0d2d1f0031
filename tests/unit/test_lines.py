"""Lines in a charge file: clear ground, and as many increments as a hex holds (seed 003)."""

from __future__ import annotations

from typing import Any

import pytest

from sim.inputs.documents import Document
from sim.units import scenarios

DRAGOONS = {"nation": "French", "type": "Dragoon", "movement": 12, "increments": 8, "melee": 30, "morale": 22}
LINE = {
    "nation": "Prussian",
    "type": "Musketeer",
    "formation": "line",
    "increments": 7,
    "fire": 5,
    "melee": 16,
    "morale": 31,
}
WOODS = [{"step": 2, "terrain": "woods"}]


def errors(**fields: Any) -> list[str]:
    """What is wrong with a charge of prusse-1806 from six hexes."""
    data = {"ruleset": "prusse-1806", "charger": DRAGOONS, "target": LINE, "distance": 6, **fields}
    return scenarios.check(Document("a charge", data))[1].errors


@pytest.mark.parametrize(
    ("fields", "place", "found"),
    [
        ({"target": LINE | {"increments": 36}}, "target.increments", 36),
        ({"target": LINE | {"increments": 9, "stack": [LINE | {"increments": 10}]}}, "target.increments", 19),
        ({"neighbours": [LINE | {"increments": 19, "at": "rear"}]}, "neighbours[0].increments", 19),
        ({"charger": DRAGOONS | {"increments": 19, "formation": "line"}}, "charger.increments", 19),
        (
            {
                "reactor": DRAGOONS
                | {"nation": "Prussian", "increments": 20, "formation": "line", "at": "rear"}
            },
            "reactor.increments",
            20,
        ),
    ],
)
def test_a_hex_holds_eighteen_increments_in_line(fields: dict[str, Any], place: str, found: int) -> None:
    (error,) = errors(**fields)
    assert f"'{place}' must be at most 18 in line in one hex (rule 16), got {found}" in error


def test_eighteen_in_line_or_more_in_column_are_nothing_wrong() -> None:
    assert not errors(target=LINE | {"increments": 18, "battery": {"increments": 3}})
    assert not errors(target=LINE | {"increments": 36, "formation": "column"})


def test_a_line_does_not_stand_in_woods_nor_a_neighbours_line() -> None:
    (error,) = errors(neighbours=[LINE | {"at": "front", "hexes": 4}], ground=WOODS)
    assert "'neighbours[0].formation' must not be line in woods" in error
    assert not errors(
        neighbours=[LINE | {"at": "front", "hexes": 4, "formation": "general order"}], ground=WOODS
    )
    assert not errors(neighbours=[LINE | {"at": "front", "hexes": 3}], ground=WOODS)
