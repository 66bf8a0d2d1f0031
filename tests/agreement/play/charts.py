"""A rule set's charts by ladder index (§5, §9, §10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from sim.ensemble import ladder
from sim.rulesets.catalogue import RuleSet


def ratio(text: str) -> Fraction:
    """`"1:2.5"` as a fraction (§9.6, §10.8)."""
    high, low = text.split(":")
    return Fraction(high) / Fraction(low)


def spread(ranges: dict[Any, Any]) -> list[Any]:
    """Outcome by ladder index from outcome: range (§5.2, §9.6)."""
    faces: list[Any] = [None] * ladder.STEPS
    for outcome, text in ranges.items():
        for index in ladder.parse_range(text):
            faces[index] = outcome
    return faces


@dataclass(frozen=True)
class Charts:
    """A rule set's tables, read once."""

    fire: list[tuple[Fraction, list[int]]]
    melee: list[tuple[Fraction, list[str]]]
    premelee: list[tuple[Fraction, dict[str, int]]]
    carre: list[tuple[dict[str, Any], dict[int, list[str]]]]


@cache
def charts(rules: RuleSet) -> Charts:
    """The tables of a rule set, columns from worst to best odds (§5.2, §9.6, §10.3, §10.8)."""
    data = rules.merged
    fire = sorted((ratio(name), spread(row)) for name, row in data["fire"]["table"].items())
    melee = data["melee"]
    columns: dict[str, list[str]] = {name: [] for name in melee["columns"]}
    for face in sorted(melee["table"], key=ladder.index_of):
        for name, cell in zip(melee["columns"], melee["table"][face], strict=True):
            columns[name].append(str(cell))
    for cell in melee["cells"]:
        for index in ladder.parse_range(cell["roll"]):
            columns[cell["column"]][index] = str(cell["result"])
    premelee = sorted(
        ((ratio(name), row) for name, row in data["premelee"]["columns"].items()), key=lambda one: one[0]
    )
    carre = [(row, {d: spread(cell) for d, cell in row["cells"].items()}) for row in data["carre"]["rows"]]
    return Charts(fire, sorted((ratio(name), cells) for name, cells in columns.items()), premelee, carre)


def column_at(columns: Sequence[tuple[Fraction, Any]], odds: Fraction) -> int:
    """The largest column not above the odds; -1 below the lowest (§9.6, §10.8)."""
    return max((i for i, (value, _) in enumerate(columns) if value <= odds), default=-1)


def clamped(index: int) -> int:
    """A ladder index kept within 11..66 (§8.1)."""
    return min(max(index, 0), ladder.STEPS - 1)
