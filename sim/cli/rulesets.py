"""`carre rulesets`: the rule sets that come with Carré."""

from __future__ import annotations

import argparse

from sim.cli.output import show
from sim.report.layout import grid
from sim.rulesets import catalogue, shipped


def run(options: argparse.Namespace) -> None:
    """`carre rulesets`."""
    known = [catalogue.load(name) for name in shipped.names()]
    cells = [["name", "battle", "edition", "v", "digest"]]
    cells += [
        [one.name, one.title.removesuffix(f" {one.year}"), str(one.edition), str(one.version), one.digest]
        for one in known
    ]
    answer = {
        "rulesets": [one.identity() | {"title": one.title, "year": one.year} for one in known],
        "outcomes": [],
    }
    show(options, grid(cells, left=2), answer)
