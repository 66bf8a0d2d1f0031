"""docs/maps.md: its example is a map in order, its tables name every line, and its Python runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.board import mapfile, maps
from sim.board.hexmap import COMPASS

PAGE = (Path(__file__).parents[2] / "docs/maps.md").read_text(encoding="utf-8")


def column(before: str) -> list[str]:
    """The first column of the first table behind a line."""
    text = PAGE[PAGE.index(before) :]
    lines = text[text.index("\n|") + 1 :].split("\n\n")[0].splitlines()[2:]
    return [re.findall("`([^`]+)`", line)[0] for line in lines]


def test_the_example_is_a_map_in_order() -> None:
    (text,) = re.findall(r"```map\n(.*?)```", PAGE, re.DOTALL)
    sheet = mapfile.parse(text, "farm.map")
    assert maps.check(sheet) == ([], [])
    assert mapfile.parse(mapfile.written(sheet), "again.map") == sheet


def test_tables_name_everything() -> None:
    assert column("## The header") == list(mapfile.HEADER)
    assert column("`hexes` is one of") == list(mapfile.LAYOUTS)
    assert column("## Lists") == list(mapfile.LISTS)
    for names in COMPASS.values():
        assert f"| {' '.join(names)} |" in PAGE


def test_the_maps_that_come_with_carre_are_named() -> None:
    assert re.findall("`([a-z-]+)`", PAGE[PAGE.index("These maps") : PAGE.index("They are our own")]) == list(
        maps.names()
    )


def test_its_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out == "48 2212 461\n"
