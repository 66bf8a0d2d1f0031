"""`carre tournament`: styles against each other."""

from __future__ import annotations

import argparse

from sim.cli.options import scenario_of
from sim.cli.output import page, progress, show
from sim.report.tournament import tournament_json, tournament_lines
from sim.studies.tournament import tournament


def run(options: argparse.Namespace) -> None:
    """`carre tournament`."""
    scenario = scenario_of(options.scenario, options.changes)
    bar = progress("battles", whole=True)
    found = tournament(scenario, options.doctrines, options.runs, options.seed, options.workers, bar)
    show(options, tournament_lines(found, page(options)), tournament_json(found))
