"""`carre map`: a map, told or drawn."""

from __future__ import annotations

import argparse
from contextlib import suppress

from sim.board import maps
from sim.cli.output import note, show
from sim.errors import InputError
from sim.report import mapplot, maptables, plots


def run(options: argparse.Namespace) -> None:
    """`carre map`."""
    path = maps.locate(options.map)
    if options.plot:
        with suppress(OSError):
            if path.samefile(options.plot):
                raise InputError(f"--plot must be another file than the map, got '{options.plot}'")
        plots.prepare(options.plot)
    sheet = maps.read(path)
    errors, _ = maps.check(sheet, path.parent)
    if errors:
        raise InputError(*errors)
    if options.plot:
        note(f"wrote {plots.save(mapplot.draw(sheet), options.plot)}")
    show(options, maptables.lines(sheet), maptables.answer(sheet))
