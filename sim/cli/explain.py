"""`carre explain`: one run told step by step, of a charge or of a battle."""

from __future__ import annotations

import argparse
from pathlib import Path

from sim.cli.options import charge_of, document_of, scenario_of
from sim.cli.output import page, show, show_lines
from sim.errors import InputError, ScriptError
from sim.inputs import documents
from sim.report import narration
from sim.report.battlestory import StoppedError, explain_battle, story
from sim.rulesets import kinds
from sim.units import battlefiles

_OF_CHARGES = ("response", "plan", "ruleset", "edition", "aim", "number", "rolls")
_OF_BATTLES = ("turn", "unit")
_NAMES = {"number": "charge"}
"""Options that mean something for one of the two only, and what they are called."""


def run(options: argparse.Namespace) -> None:
    """`carre explain`."""
    if options.file is not None and is_scenario(options.file):
        _battle(options)
    else:
        _charge(options)


def is_scenario(name: str) -> bool:
    """Whether a name or a path is that of a scenario."""
    if name in battlefiles.names():
        return True
    return documents.exists(Path(name)) and kinds.kind_of(documents.read(name).data) == kinds.SCENARIO


def _battle(options: argparse.Namespace) -> None:
    _refuse(options, _OF_CHARGES, "a charge", "a battle")
    scenario = scenario_of(options.file, options.changes)
    try:
        told = explain_battle(scenario, options.run_number, options.seed, options.turn, options.unit)
    except StoppedError as error:
        if not options.json:
            show_lines(page(options).wrap(list(story(error.steps))))
        raise
    show(options, page(options).wrap(told.lines()), told)


def _charge(options: argparse.Namespace) -> None:
    _refuse(options, _OF_BATTLES, "a battle", "a charge")
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


def _refuse(options: argparse.Namespace, names: tuple[str, ...], theirs: str, ours: str) -> None:
    """Refuse an option that is for the other kind of file."""
    for name in names:
        if getattr(options, name) not in (None, [], "broken"):
            raise InputError(f"--{_NAMES.get(name, name)} is for the run of {theirs}, and this is {ours}")
