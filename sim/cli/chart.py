"""`carre chart`: one roll, exactly."""

from __future__ import annotations

import argparse

from sim.cli.output import show
from sim.report import answers
from sim.studies import lookups


def run(options: argparse.Namespace) -> None:
    """`carre chart`, whichever."""
    given = {
        name: value
        for name, value in vars(options).items()
        if name not in ("command", "chart", "json", "line")
    }
    answer = lookups.chart(options.chart, **given)
    show(options, answers.answer_lines(answer), answers.answer_json(answer))
