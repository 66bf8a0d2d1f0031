"""`carre diff`: what differs between two rule sets."""

from __future__ import annotations

import argparse
from typing import Any

from sim.cli.output import page, show
from sim.rulesets import catalogue, differences


def run(options: argparse.Namespace) -> None:
    """`carre diff`."""
    first, second = catalogue.load(options.first, partial=True), catalogue.load(options.second, partial=True)
    changes = differences.difference(first, second)
    lines = [f"{first.name} ({first.digest}) and {second.name} ({second.digest}): {len(changes)} differences"]
    lines += [f"  {name}: {before} | {after}" for name, before, after in changes]
    answer: dict[str, Any] = {"first": first.identity(), "second": second.identity(), "outcomes": []}
    answer["differences"] = [
        {"field": name, "first": before, "second": after} for name, before, after in changes
    ]
    show(options, page(options).wrap(lines), answer)
