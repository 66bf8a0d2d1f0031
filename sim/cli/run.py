"""`carre run`: thousands of battles of a scenario."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path

from sim import __version__
from sim.cli.options import scenario_of
from sim.cli.output import page, progress, say, show, wrote
from sim.errors import ImpossibleStateError, InputError
from sim.report import battleplots, plots, writing
from sim.report.archive import Archive
from sim.report.battletables import battle_json, battle_lines, rate_line
from sim.report.tournament import tournament_json, tournament_lines
from sim.studies.run import Battles
from sim.studies.run import run as play
from sim.studies.tournament import tournament
from sim.units import battlefiles, styles
from sim.units.battles import Scenario

PICTURES = (".png", ".svg", ".pdf")


def run(options: argparse.Namespace) -> None:
    """`carre run`."""
    scenario = scenario_of(options.scenario, options.changes)
    if options.styles:
        _styles(options, scenario)
        return
    if options.plot:
        _prepare(options.plot, scenario)
    try:
        found = _played(options, scenario)
    except ImpossibleStateError as error:
        if error.finished is not None:
            _show(options, error.finished)
        raise
    _show(options, found)


def _styles(options: argparse.Namespace, scenario: Scenario) -> None:
    """The battles dealt to all pairs of the styles."""
    for option in ("out", "plot"):
        if getattr(options, option):
            raise InputError(f"--{option} tells of one pair of styles; leave it or --styles out")
    names = styles.shipped()
    if options.runs < len(names) ** 2:
        raise InputError(f"--runs must be {len(names) ** 2} or more with --styles, got {options.runs}")
    each = options.runs // len(names) ** 2
    found = tournament(scenario, names, each, options.seed, options.workers, progress("battles", whole=True))
    show(options, tournament_lines(found, page(options)), tournament_json(found))


def _played(options: argparse.Namespace, scenario: Scenario) -> Battles:
    """The battles, every run written where that is asked for."""
    bar = progress("battles", whole=True)
    if not options.out:
        return play(scenario, options.runs, options.seed, options.workers, bar, each=lambda _: None)
    with Archive(options.out, scenario, options.seed, options.line, __version__) as archive:
        try:
            found = play(scenario, options.runs, options.seed, options.workers, bar, each=archive.add)
        except ImpossibleStateError as error:
            wrote(archive.close(str(error)))
            raise
        wrote(archive.close())
    return found


def _show(options: argparse.Namespace, found: Battles) -> None:
    if options.plot:
        _draw(found, Path(options.plot))
    show(options, battle_lines(found, page(options)), battle_json(found))
    if not options.json:
        say(rate_line(found))


def _prepare(path: str, scenario: Scenario) -> None:
    """Refuse a picture that cannot be drawn, before the battles are played."""
    target = Path(path)
    if not _is_file(target):
        if target.exists() and not target.is_dir():
            raise InputError(
                f"--plot must name a file ending in {', '.join(PICTURES)}, or a folder, got '{path}'"
            )
    else:
        for one in battlefiles.files(scenario.document):
            with suppress(OSError):
                if target.samefile(one):
                    raise InputError(f"--plot must be another file than those that are read, got '{path}'")
    plots.prepare(path)


def _draw(found: Battles, target: Path) -> None:
    if _is_file(target):
        wrote(plots.save(battleplots.overview(found), str(target)))
        return
    writing.folder(target)
    for name, figure in battleplots.figures(found):
        wrote(plots.save(figure, str(target / f"{name}.png")))


def _is_file(target: Path) -> bool:
    return target.suffix.lower() in PICTURES
