"""`carre map`: a map, told or drawn; of a scenario with its units."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from sim.board import maps
from sim.cli.explain import is_scenario
from sim.cli.options import scenario_of
from sim.cli.output import note, show
from sim.errors import InputError
from sim.report import mapplot, maptables, plots
from sim.report.battlemap import draw, standing, standing_json, standing_lines
from sim.units import battlefiles


def run(options: argparse.Namespace) -> None:
    """`carre map`."""
    asked = options.run_number is not None or options.turn is not None or bool(options.changes)
    if (asked or options.map not in maps.names()) and is_scenario(options.map):
        _scenario(options)
        return
    if asked:
        raise InputError(f"--run, --turn and --set are for a scenario, and '{options.map}' is none")
    path = maps.locate(options.map)
    _prepare(options, [path], "the map")
    sheet = maps.read(path)
    errors, _ = maps.check(sheet, path.parent)
    if errors:
        raise InputError(*errors)
    if options.plot:
        note(f"wrote {plots.save(mapplot.draw(sheet), options.plot)}")
    show(options, maptables.lines(sheet), maptables.answer(sheet))


def _scenario(options: argparse.Namespace) -> None:
    """The units of a scenario as they stand in a run, or at its start."""
    scenario = scenario_of(options.map, options.changes)
    _prepare(options, battlefiles.files(scenario.document), "the files that are read")
    turn = 0 if options.run_number is None and options.turn is None else options.turn
    found = standing(scenario, options.run_number or 0, options.seed, turn)
    if options.plot:
        note(f"wrote {plots.save(draw(found), options.plot)}")
    show(options, standing_lines(found), standing_json(found))


def _prepare(options: argparse.Namespace, paths: Iterable[Path], what: str) -> None:
    """Refuse a picture that cannot be drawn, or would replace what it shows."""
    if not options.plot:
        return
    for path in paths:
        with suppress(OSError):
            if path.samefile(options.plot):
                raise InputError(f"--plot must be another file than {what}, got '{options.plot}'")
    plots.prepare(options.plot)
