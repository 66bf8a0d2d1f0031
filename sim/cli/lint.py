"""`carre lint`: rule sets, charge files, scenarios, rosters, maps and styles checked before they are used."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.battle.refusals import refusals
from sim.board import maps
from sim.cli.output import show
from sim.errors import CarreError, printable
from sim.inputs import documents, tables
from sim.rulesets import catalogue, chain, shipped
from sim.rulesets.kinds import RULE_SET, SCENARIO, STYLE, kind_of
from sim.units import battlefiles, rosters, scenarios, styles

_MOST = 200
"""Lines of each sort that are told; their number is told in any case."""


@dataclass(frozen=True)
class Report:
    """What is wrong with one file.

    Attributes
    ----------
    kind
        `rule set`, `charge`, `scenario`, `roster`, `map`, `style` or `unknown`.
    errors, warnings
        One line each, with place, field, expected and found.
    """

    path: str
    kind: str
    errors: tuple[str, ...]
    warnings: tuple[str, ...]

    def lines(self) -> list[str]:
        """Errors, warnings, and a closing line."""
        told = [f"error: {line}" for line in self.errors[:_MOST]] + [
            f"warning: {line}" for line in self.warnings[:_MOST]
        ]
        return [
            *told,
            f"{printable(self.path)}: {self.kind}, {_counted(len(self.errors), 'error')}, "
            f"{_counted(len(self.warnings), 'warning')}",
        ]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "file": self.path,
            "kind": self.kind,
            "errors": list(self.errors),
            "warnings": list(self.warnings),
        }


def reports_on(path: str) -> list[Report]:
    """Everything that is wrong with a rule set, a charge file, a scenario (with its rosters and map), a
    roster, a map or a style; of what comes with Carré the name is enough, and stands for all that is called
    so."""
    checks = {
        "scenario": battlefiles.names(),
        "map": maps.names(),
        "style": styles.shipped(),
        "rule set": shipped.names(),
    }
    kinds = [kind for kind, names in checks.items() if path in names] or [_kind(path)]
    return [_report(path, kind) for kind in kinds]


def _kind(path: str) -> str:
    """What a file is by its name alone, or that its text has to say it."""
    if maps.is_map(Path(path)):
        return "map"
    return "roster" if Path(path).suffix.lower() == ".csv" else "unknown"


def _report(path: str, kind: str) -> Report:
    try:
        if kind == "map":
            sheet = maps.read(path)
            errors, warnings = maps.check(sheet, maps.locate(path).parent)
            return Report(path, kind, tuple(errors), tuple(warnings))
        if kind == "roster":
            _, problems = rosters.check(tables.read(path))
            return Report(path, kind, tuple(problems.errors), tuple(problems.warnings))
        place = _PLACES.get(kind, _located)(path)
        document = documents.read(place)
        kind = kind_of(document.data)
        if kind == RULE_SET:
            problems = catalogue.check(place)
            return Report(path, kind, tuple(problems.errors), tuple(problems.warnings))
        if kind == SCENARIO:
            _, problems = battlefiles.check(document)
            return Report(path, kind, tuple(problems.errors), tuple(problems.warnings))
        if kind == STYLE:
            _, problems = styles.check(document)
            return Report(path, kind, tuple(problems.errors), tuple(problems.warnings))
        charge, problems = scenarios.check(document)
        refused = () if charge is None else refusals(charge, document)
        return Report(path, kind, (*problems.errors, *refused), tuple(problems.warnings))
    except CarreError as error:
        return Report(path, kind, tuple(str(error).split("\n")), ())


def _located(path: str) -> Path:
    """The file that a path, or the name of a rule set, stands for."""
    if path not in shipped.names() and documents.exists(Path(path)):
        return Path(path)
    return chain.locate(path)


_PLACES: dict[str, Callable[[str], Path]] = {SCENARIO: battlefiles.locate, STYLE: styles.locate}
"""Where files are that a name stands for, by their kind."""


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" + "s" * (number != 1)


def run(options: argparse.Namespace) -> int:
    """`carre lint`; the exit code is 2 if a file has errors."""
    reports = [report for path in options.files for report in reports_on(path)]
    lines = [text for report in reports for text in report.lines()]
    answer: dict[str, Any] = {"files": [report.as_dict() for report in reports], "outcomes": []}
    show(options, lines, answer)
    return 2 if any(report.errors for report in reports) else 0
