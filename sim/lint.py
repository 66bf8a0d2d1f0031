"""Checking files before they are used: rule sets and charge files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim import documents, rulecheck, rulesets, scenarios
from sim.errors import CarreError


@dataclass(frozen=True)
class Report:
    """What is wrong with one file.

    Attributes
    ----------
    kind
        `rule set`, `charge` or `unknown`.
    errors, warnings
        One line each, with place, field, expected and found.
    """

    path: str
    kind: str
    errors: tuple[str, ...]
    warnings: tuple[str, ...]

    def lines(self) -> list[str]:
        """Errors, warnings, and a closing line."""
        told = [f"error: {line}" for line in self.errors] + [f"warning: {line}" for line in self.warnings]
        return [*told, f"{self.path}: {self.kind}, {len(self.errors)} errors, {len(self.warnings)} warnings"]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"file": self.path, "kind": self.kind, "errors": list(self.errors), "warnings": list(self.warnings)}


def lint(path: str) -> Report:
    """Everything that is wrong with a rule set or a charge file; a rule set may be given by name."""
    try:
        place = rulesets.locate(path) if not Path(path).exists() and not path.endswith((".yaml", ".yml")) else Path(path)
        document = documents.read(place)
        if isinstance(document.data, dict) and "charger" not in document.data and "target" not in document.data:
            written, merged = rulesets.merge(place)
            problems = rulecheck.check(written, merged)
            return Report(str(path), "rule set", tuple(problems.errors), tuple(problems.warnings))
        _, problems = scenarios.check(document)
        return Report(str(path), "charge", tuple(problems.errors), tuple(problems.warnings))
    except CarreError as error:
        return Report(str(path), "unknown", (str(error),), ())
