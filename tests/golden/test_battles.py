"""Explained battles as a reader sees them: a turn of one run, or what one unit lived through.

A change that alters a text changes what players are told, or how battles go; look at the difference, and say
it in CHANGELOG.md. To write the texts anew: python3 -m tests tests/golden --regenerate-golden
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.report.battlestory import explain_battle
from sim.report.layout import Page
from sim.units import battlefiles

TEXTS = Path(__file__).parent / "battles"
CASES = [
    ("raszyn-pontoon-1809", 3, 1, 4, None),
    ("mirror", 2, 5, 2, None),
    ("mirror", 7, 1, None, "West hussars 1"),
    ("halle-1806", 0, 1, None, "General Dupont"),
]
"""Scenario, run, seed, and the turn and the unit that are told alone."""


def name_of(scenario: str, run: int, seed: int, turn: int | None, unit: str | None) -> str:
    return "-".join(str(one).replace(" ", "-") for one in (scenario, run, seed, turn or unit))


@pytest.mark.parametrize(
    ("scenario", "run", "seed", "turn", "unit"), CASES, ids=[name_of(*one) for one in CASES]
)
def test_an_explained_battle_reads_as_it_did(
    scenario: str, run: int, seed: int, turn: int | None, unit: str | None, request: pytest.FixtureRequest
) -> None:
    told = explain_battle(battlefiles.load(scenario), run, seed, turn, unit)
    text = "\n".join(Page(100).wrap(told.lines())) + "\n"
    expected = TEXTS / f"{name_of(scenario, run, seed, turn, unit)}.txt"
    if request.config.getoption("--regenerate-golden"):
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")


def test_every_text_has_its_battle() -> None:
    assert {path.stem for path in TEXTS.glob("*.txt")} == {name_of(*one) for one in CASES}
