"""What several commands read from their options: the charge they are about, and values that must be known."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from sim.battle.refusals import refuse
from sim.cli.output import note, warn
from sim.errors import InputError, did_you_mean
from sim.inputs import documents, plain
from sim.inputs.documents import Document
from sim.rulesets import kinds
from sim.studies.measures import EVENTS
from sim.units import battlefiles, scenarios
from sim.units.battles import Scenario
from sim.units.chargefields import PLANS
from sim.units.charges import Charge


def document_of(options: argparse.Namespace) -> Document:
    """The charge file asked for, with the changes asked for."""
    document = _changed(scenarios.read(options.file), options)
    spare(options, document)
    return document


def scenario_of(name: str, changes: Sequence[str]) -> Scenario:
    """A scenario by name or path, with the changes asked for, its warnings told.

    A charge file is refused with the command that plays it.
    """
    document = documents.read(battlefiles.locate(name))
    kind = kinds.kind_of(document.data)
    if kind != kinds.SCENARIO:
        hint = f" (carre odds {name} plays it)" if kind == kinds.CHARGE else ""
        raise InputError(f"{document.name}: must be a scenario, but looks like a {kind}{hint}")
    faults: list[str] = []
    for change in changes:
        try:
            document = scenarios.changed(document, change)
        except InputError as error:
            faults += map(str, error.args)
    if faults:
        raise InputError(*faults)
    scenario, problems = battlefiles.check(document)
    problems.raise_first()
    for warning in problems.warnings:
        warn(str(warning))
    assert scenario is not None
    return scenario


def spare(options: argparse.Namespace, document: Document) -> None:
    """Refuse to write over a file that the charge is read from, by whatever name."""
    outputs = {
        f"--{name}": Path(value) for name in ("out", "plot") if (value := getattr(options, name, None))
    }
    for option, path in outputs.items():
        for one in scenarios.files(document):
            with suppress(OSError):
                if path.samefile(one):
                    raise InputError(
                        f"{option} must be another file than those that are read, got '{path}', "
                        f"which is {one.name}"
                    )


def event_of(options: argparse.Namespace) -> str | None:
    """The event asked for, whose words may be joined by hyphens; None if none was."""
    if options.event is None:
        return None
    event = options.event.replace("-", " ")
    if event not in EVENTS:
        one_of("--event", options.event, EVENTS)
    return str(event)


def one_of(name: str, value: str, known: Collection[str]) -> None:
    """Refuse a value of an option that is none of the known ones."""
    if value not in known:
        raise InputError(
            f"{name} must be one of {', '.join(known)}, got {value!r}.{did_you_mean(value, known)}"
        )


def _changed(document: Document, options: argparse.Namespace) -> Document:
    """A document with --ruleset, --edition, --set and --plan applied."""
    faults: list[str] = []
    for change in options.changes:
        try:
            document = scenarios.changed(document, change)
        except InputError as error:
            faults += map(str, error.args)
    if faults:
        raise InputError(*faults)
    for change in options.plan:
        name, equals, value = change.partition("=")
        if not equals:
            raise InputError(f"--plan must be CHOICE=VALUE, such as square=break-off, got '{change}'")
        number, choice = _charge_and_choice(name)
        wanted = _wanted(choice, value)
        several = isinstance(document.data, dict) and "charges" in document.data
        if several and number is None:
            raise InputError(f"--plan {change} must say of which charge, such as 1.{name.strip()}")
        base: documents.Key = () if number is None else ("charges", number - 1)
        document = scenarios.change(document, (*base, "plan", choice), wanted, f"--plan {change}")
    if options.ruleset is not None:
        document = scenarios.change(document, ("ruleset",), options.ruleset, "--ruleset")
    if options.edition is not None:
        document = scenarios.change(document, ("edition",), options.edition, "--edition")
    return document


def _charge_and_choice(name: str) -> tuple[int | None, str]:
    """The charge, counted from 1, and the choice of a name such as `2.square`; no charge where none is
    named."""
    number, _, choice = name.strip().rpartition(".")
    charge = plain.integer(number) if number else None
    if number and (charge is None or charge < 1):
        raise InputError(f"--plan {name}: a charge is named by its number, 1 the first, got '{number}'")
    return charge, choice.replace("-", "_")


def _wanted(choice: str, value: str) -> Any:
    """What a choice of the plan is to be; words may be joined by hyphens, and yes or no say true or false."""
    if choice not in PLANS:
        return documents.parse_scalar(value)
    wanted: Any = value.strip().replace("-", " ").replace("_", " ")
    if isinstance(PLANS[choice][0], bool):
        wanted = {"yes": True, "true": True, "no": False, "false": False}.get(wanted, wanted)
    return wanted


def charge_of(document: Document, refused: bool = False) -> Charge:
    """The charge of a document, its warnings told.

    One that its cavalry may not make is refused, unless `refused` are wanted too.
    """
    charge, problems = scenarios.check(document)
    problems.raise_first()
    for warning in problems.warnings:
        warn(str(warning))
    assert charge is not None
    if not refused:
        refuse(charge, document)
    return charge


def hint(options: argparse.Namespace, exact: bool) -> None:
    """Say that what was asked of a simulation counts for nothing where the odds are exact."""
    given = [name for name in ("runs", "precision") if getattr(options, name, None) is not None]
    if exact and given:
        note(f"the odds are exact, --{given[0]} does not count; --method mc simulates")
