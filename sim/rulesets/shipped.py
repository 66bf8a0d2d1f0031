"""The rule sets that come with Carré: their names, and where they are."""

from __future__ import annotations

from pathlib import Path

DIRECTORY = Path(__file__).parents[1] / "data" / "rulesets"
BASE = "base"
DEFAULT = "prusse-1806"
"""The rule set that charts and the default charge use when none is named."""


def names() -> list[str]:
    """The names of the rule sets that come with Carré, by year."""
    files = [path.stem for path in DIRECTORY.glob("*.yaml") if path.stem != BASE]
    return sorted(files, key=lambda name: (name.rpartition("-")[2], name))
