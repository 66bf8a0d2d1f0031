"""`carre sweep`: the odds while one or two fields vary."""

from __future__ import annotations

import argparse
from dataclasses import replace

from sim.cli.arguments import RUNS
from sim.cli.options import document_of, event_of, hint, spare
from sim.cli.output import is_table, page, progress, show, write_csv, write_ends, wrote
from sim.errors import InputError
from sim.report import plots, tables
from sim.studies.measures import SUCCEEDS
from sim.studies.sweep import parse_axis, sweep


def run(options: argparse.Namespace) -> None:
    """`carre sweep`."""
    event = event_of(options) or SUCCEEDS
    axes = [parse_axis(text) for text in options.vary]
    if options.plot and len(axes) > 2:
        raise InputError(f"--plot draws one or two --vary fields, got {len(axes)}; write more with --out")
    if options.plot:
        plots.prepare(options.plot)
        scale = plots.parse_scale(options.scale)
    document = document_of(options)
    for name in (value for axis in axes if axis.field == "ruleset" for value in axis.values):
        spare(
            options,
            replace(
                document,
                data=document.data | {"ruleset": name},
                origins=document.origins | {("ruleset",): "--vary"},
            ),
        )
    found = sweep(
        document,
        axes,
        options.response,
        options.method,
        options.runs or RUNS,
        options.seed,
        progress("cells", whole=True),
        options.aim,
    )
    hint(options, all(cell.method == "exact" for _, cell in found.cells))
    if options.plot:
        for one, path in zip(found.charges, plots.paths(options.plot, len(found.charges)), strict=True):
            wrote(plots.save(plots.sweep_figure(one, event, scale), path))
    answer = tables.sweep_json(found, event)
    if options.out and is_table(options):
        write_csv(found.to_frame(), options.out)
    elif options.out:
        write_ends(options, [found.ends()], answer)
    show(options, tables.sweep_lines(found, event, page(options)), answer)
