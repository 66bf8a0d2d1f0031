"""docs/charge-files.md: its examples are right, and its tables name every field there is, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.inputs import documents
from sim.units import scenarios
from sim.units.chargefields import (
    BATTERY,
    CHARGE,
    CHARGER,
    INFANTRY_FIELDS,
    LEADER,
    ONE_OF_SEVERAL,
    PLANS,
    SEVERAL,
)

PAGE = (Path(__file__).parents[2] / "docs/charge-files.md").read_text(encoding="utf-8")
EXAMPLES = [text for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if "charger:" in text]


def table(before: str) -> set[str]:
    """The names in the first column of the first table behind a line of the page."""
    text = PAGE[PAGE.index(before) :]
    lines = text[text.index("\n|") + 1 :].split("\n\n")[0].splitlines()[2:]
    return {re.findall("`([a-z_]+)`", line)[0] for line in lines}


@pytest.mark.parametrize("text", EXAMPLES, ids=[f"example {n}" for n in range(1, len(EXAMPLES) + 1)])
def test_an_example_is_a_charge(text: str) -> None:
    charge, problems = scenarios.check(documents.parse(text, "example.yaml"))
    assert charge is not None, problems.errors
    assert not problems.warnings


def test_there_are_examples_of_both_forms() -> None:
    assert len(EXAMPLES) == 3
    assert sum("charges:" in text for text in EXAMPLES) == 1


def test_tables_name_every_field() -> None:
    assert table("## The file") == set(CHARGE.fields)
    own = set(ONE_OF_SEVERAL.fields) - set(CHARGE.fields)
    assert table("Besides, a charge in the list has") == own | {"target"}
    assert table("`plan` is what the charger does") == set(PLANS) | {"second", "second_path", "away"}
    assert table("Leaders (`leader`") == set(LEADER.fields)
    every = table("Every unit:")
    assert every | table("Cavalry (") == set(CHARGER.fields)
    assert every | table("Infantry (") == set(INFANTRY_FIELDS) | {"formation"}
    assert table("Guns (") | {"name", "type", "printed", "level"} == set(BATTERY.fields)


def test_what_several_charges_share_is_said() -> None:
    shared = set(SEVERAL.fields) - {"charges"}
    said = PAGE[PAGE.index("`plan` of its own") : PAGE.index("Besides, a charge in the list has")]
    assert shared == set(re.findall("`([a-z]+)`", said)) - {"plan"}
