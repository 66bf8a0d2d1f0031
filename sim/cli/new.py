"""`carre new`: a commented file to start from."""

from __future__ import annotations

import argparse

from sim.cli import templates
from sim.cli.output import show


def run(options: argparse.Namespace) -> None:
    """`carre new`."""
    path, *others = templates.create(options.kind, options.name)
    wrote = " and ".join(str(one) for one in (path, *others))
    answer = {"file": str(path), "files": [str(one) for one in (path, *others)], "outcomes": []}
    show(options, [f"wrote {wrote}; check it with: carre lint {path}"], answer)
