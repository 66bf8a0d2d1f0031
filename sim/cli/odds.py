"""`carre odds`: the odds of a charge, by response of the target."""

from __future__ import annotations

import argparse

from sim.cli.arguments import RUNS
from sim.cli.options import charge_of, document_of, event_of, hint
from sim.cli.output import is_table, page, progress, show, write_csv, write_ends, wrote
from sim.errors import InputError
from sim.report import plots, solved, tables
from sim.report.columns import parse, watched
from sim.studies.measures import SUCCEEDS
from sim.studies.odds import odds
from sim.studies.solve import solve

UNUSED = ("response", "runs", "precision", "plot", "out", "losses", "columns", "event")
"""Options that a solved charge has no use for."""


def run(options: argparse.Namespace) -> None:
    """`carre odds`."""
    if options.solve:
        _solve(options)
        return
    event, columns = event_of(options), None if options.columns is None else parse(options.columns)
    if options.plot:
        plots.prepare(options.plot)
    charge = charge_of(document_of(options))
    found = odds(
        charge,
        options.response,
        options.method,
        options.runs or RUNS,
        options.seed,
        progress("runs"),
        options.aim,
        options.precision,
        watched(columns, event),
    )
    hint(options, found.method == "exact")
    only = found.only
    if options.plot:
        for one, path in zip(found.charges, plots.paths(options.plot, len(found.charges)), strict=True):
            wrote(plots.save(plots.odds_figure(one, event or SUCCEEDS), path))
    answer = tables.odds_json(found, only)
    if options.out and is_table(options):
        write_csv(found.to_frame(options.losses), options.out)
    elif options.out:
        write_ends(options, [found.ends()] if found.method == "exact" else found.each_run(), answer)
    lines = tables.odds_lines(found, only, columns, event or SUCCEEDS, options.losses, page(options))
    show(options, lines, answer)


def _solve(options: argparse.Namespace) -> None:
    """`carre odds --solve`."""
    if options.method not in ("auto", "exact"):
        raise InputError(f"--solve is exact, --method {options.method} does not go with it")
    for name in UNUSED:
        if getattr(options, name):
            raise InputError(f"--solve does not go with --{name}")
    found = solve(charge_of(document_of(options)), options.aim)
    show(options, solved.solve_lines(found, page(options)), solved.solve_json(found))
