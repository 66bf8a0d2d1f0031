"""`carre explain`: one run told step by step."""

from __future__ import annotations

import argparse

from sim.cli.options import charge_of, document_of
from sim.cli.output import page, show, show_lines
from sim.errors import ScriptError
from sim.report import narration


def run(options: argparse.Namespace) -> None:
    """`carre explain`."""
    rolls = None if options.rolls is None else narration.parse_rolls(options.rolls)
    try:
        told = narration.explain(
            charge_of(document_of(options)),
            options.response,
            options.run_number,
            options.seed,
            rolls,
            options.aim,
            options.number,
        )
    except ScriptError as error:
        if not options.json:
            show_lines(page(options).wrap(narration.story(error.steps)))
        raise
    show(options, page(options).wrap(told.lines()), told)
