"""Explained runs as a reader sees them: one charge file and one expected text each.

A change that alters a text changes what players are told; look at the difference, and say it in CHANGELOG.md.
To write the texts anew: python3 -m tests tests/golden --regenerate-golden
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.report.narration import explain, tell
from sim.units import scenarios
from sim.units.charges import Charge

RUNS = Path(__file__).parent / "runs"
CASES = [
    ("stand", "stand", [26, 3, 44, 35, 61, 24, 33, 52, 16]),
    ("square", "carre@2", [25, 43, 52, 66, 24, 33]),
    ("square-fails", "carre@2", [64, 1, 35, 46, 24, 33, 55]),
    ("guns", "stand", [43, 36, 55, 24, 33, 52]),
    ("skirmishers", "stand", [4, 36, 55, 24, 33, 52]),
    ("reaction", "stand", [55, 36, 55, 24, 33, 52]),
    ("lancers-in-flank", "stand", [34, 2, 55, 24, 33, 52]),
    ("stack-with-leaders", "stand", 11),
]
"""Charge file, response, and rolls to script (as many as the run needs), or the number of a run under
seed 1."""


def told(name: str, response: str, rolls: list[int] | int) -> str:
    """The explained run as text."""
    charge = scenarios.load(RUNS / f"{name}.yaml")
    if isinstance(rolls, int):
        return "\n".join(tell(explain(charge, response, rolls, 1))) + "\n"
    return "\n".join(tell(explain(charge, response, rolls=_needed(charge, response, rolls)))) + "\n"


def _needed(charge: Charge, response: str, rolls: list[int]) -> list[int]:
    from sim.errors import ScriptError

    for count in range(len(rolls) + 1):
        try:
            explain(charge, response, rolls=rolls[:count])
        except ScriptError:
            continue
        return rolls[:count]
    raise AssertionError(f"the rolls {rolls} do not fit the decisions of the run")


@pytest.mark.parametrize(("name", "response", "rolls"), CASES, ids=[name for name, _, _ in CASES])
def test_an_explained_run_reads_as_it_did(
    name: str, response: str, rolls: list[int] | int, request: pytest.FixtureRequest
) -> None:
    text = told(name, response, rolls)
    expected = RUNS / f"{name}.txt"
    if request.config.getoption("--regenerate-golden"):
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")


def test_every_charge_file_has_its_text() -> None:
    assert (
        {path.stem for path in RUNS.glob("*.yaml")}
        == {name for name, _, _ in CASES}
        == {path.stem for path in RUNS.glob("*.txt")}
    )
