"""`carre scenarios`: the scenarios that come with Carré."""

from __future__ import annotations

import argparse
from typing import Any

from sim.cli.output import show
from sim.report.layout import grid
from sim.units import battlefiles
from sim.units.battles import Scenario, clock


def run(options: argparse.Namespace) -> None:
    """`carre scenarios`."""
    known = [battlefiles.load(name) for name in battlefiles.names()]
    cells = [["name", "turns", "clock", "sides", "units", "rule set", ""]]
    lines = [*grid(cells + [_cells(one) for one in known], left=7), ""]
    lines += [f"{one.name}: {one.title}" for one in known]
    show(options, lines, {"scenarios": [_told(one) for one in known], "outcomes": []})


def _cells(scenario: Scenario) -> list[str]:
    calendar = scenario.calendar
    return [
        scenario.name,
        str(calendar.turns),
        f"{clock(calendar.start)}–{clock(calendar.end)}",
        " – ".join(side.name for side in scenario.sides),
        " – ".join(str(one) for one in _units(scenario)),
        f"{scenario.ruleset.name}, {scenario.edition}",
        "synthetic" if scenario.synthetic else "",
    ]


def _units(scenario: Scenario) -> list[int]:
    """Units of either side."""
    return [scenario.side_of.count(side) for side in (0, 1)]


def _told(scenario: Scenario) -> dict[str, Any]:
    calendar = scenario.calendar
    return scenario.identity() | {
        "title": scenario.title,
        "turns": calendar.turns,
        "from": clock(calendar.start),
        "to": clock(calendar.end),
        "sides": [side.name for side in scenario.sides],
        "first": scenario.sides[scenario.first].name,
        "units": _units(scenario),
        "map": scenario.sheet.title,
        "synthetic": scenario.synthetic,
        "sources": list(scenario.sources),
        "results": [rung.result for rung in scenario.ladder],
    }
