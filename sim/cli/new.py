"""`carre new`: a commented file to start from."""

from __future__ import annotations

import argparse

from sim.cli import templates
from sim.cli.output import show


def run(options: argparse.Namespace) -> None:
    """`carre new`."""
    path = templates.create(options.kind, options.name)
    show(options, [f"wrote {path}; check it with: carre lint {path}"], {"file": str(path), "outcomes": []})
