"""The rules page names every switch with its default, and no file that is not there."""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path

import pytest

from sim.rulesets import catalogue, shipped

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "rules.md"
COLUMNS = ["name", "meaning", "values", "default", "editions that differ", "source"]
FILE = re.compile(r"(?<![\w./-])((?:sim|tests|docs|experiments|notebooks|results)/[\w./-]*[\w/])(?:::(\w+))?")
MODULE = re.compile(r"(?<![\w./-])sim(?:\.[A-Za-z_]\w*)+")


def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def cells(line: str) -> list[str]:
    """The cells of a table's line, without the marks of code; `\\|` is a bar inside a cell."""
    return [
        cell.strip().replace("`", "").replace(r"\|", "|")
        for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]
    ]


def switch_table() -> dict[str, dict[str, str]]:
    """The lines of the switch table by the switch's name."""
    lines = page().splitlines()
    heads = [number for number, line in enumerate(lines) if [cell.lower() for cell in cells(line)] == COLUMNS]
    assert len(heads) == 1, f"docs/rules.md must have one table with the columns {' | '.join(COLUMNS)}"
    found: dict[str, dict[str, str]] = {}
    for line in lines[heads[0] + 2 :]:
        if not line.startswith("|"):
            break
        row = dict(zip(COLUMNS, cells(line), strict=True))
        assert row["name"] not in found, f"switch {row['name']} stands in the table twice"
        found[row["name"]] = row
    return found


def told(value: object) -> str:
    """A value as the rule sets write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_the_table_names_every_switch_and_no_other() -> None:
    switches = catalogue.load(shipped.BASE, partial=True).merged["switches"]
    assert set(switch_table()) == set(switches)


@pytest.mark.parametrize("name", catalogue.load(shipped.BASE, partial=True).merged["switches"])
def test_a_switch_has_its_default_and_every_value(name: str) -> None:
    switch = catalogue.load(shipped.BASE, partial=True).merged["switches"][name]
    row = switch_table()[name]
    assert row["default"] == told(switch["default"])
    missing = [
        told(value)
        for value in switch["values"]
        if not re.search(rf"(?<!\w){re.escape(told(value))}(?!\w)", row["values"])
    ]
    assert not missing, f"the table lacks the values {missing} of {name}"


@pytest.mark.parametrize("edition", catalogue.load(shipped.BASE, partial=True).merged["editions"])
def test_an_edition_that_differs_stands_in_the_line_of_its_switch(edition: int) -> None:
    data, table = catalogue.load(shipped.BASE, partial=True).merged, switch_table()
    different = {
        name
        for name, value in data["editions"][edition].items()
        if value != data["switches"][name]["default"]
    }
    assert {name for name in different if str(edition) not in table[name]["editions that differ"]} == set()


def test_every_file_named_on_the_page_exists() -> None:
    named = FILE.findall(page())
    assert named
    assert [path for path, _ in named if not (ROOT / path).exists()] == []


def test_every_test_named_on_the_page_exists() -> None:
    named = [(path, name) for path, name in FILE.findall(page()) if name]
    assert [
        f"{path}::{name}"
        for path, name in named
        if f"def {name}(" not in (ROOT / path).read_text(encoding="utf-8")
    ] == []


def test_every_module_named_on_the_page_exists() -> None:
    for name in set(MODULE.findall(page())):
        pkgutil.resolve_name(name)
