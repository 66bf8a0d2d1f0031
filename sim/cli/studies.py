"""`carre odds`, `explain`, `compare` and `sweep`."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.arguments import RUNS
from sim.cli.options import charge_of, document_of, event_of, spare
from sim.cli.output import note, page, progress, show, show_lines, write_csv, wrote
from sim.errors import InputError, ScriptError, printable
from sim.studies.measures import SUCCEEDS

if TYPE_CHECKING:
    from sim.inputs.documents import Document


def odds(options: argparse.Namespace) -> None:
    """`carre odds`."""
    from sim.report import tables
    from sim.report.columns import parse, watched
    from sim.studies.odds import odds

    event, columns = event_of(options), None if options.columns is None else parse(options.columns)
    if options.plot:
        from sim.report import plots

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
    _hint(options, found.method == "exact")
    asked = options.response or charge.response
    only = None if asked == "all" else asked
    if options.plot:
        wrote(plots.save(plots.odds_figure(found, event or SUCCEEDS), options.plot))
    if options.out:
        write_csv(found.to_frame(options.losses), options.out)
    lines = tables.odds_lines(found, only, columns, event or SUCCEEDS, options.losses, page(options))
    show(options, lines, tables.odds_json(found, only))


def explain(options: argparse.Namespace) -> None:
    """`carre explain`."""
    from sim.report import narration

    rolls = None if options.rolls is None else narration.parse_rolls(options.rolls)
    try:
        told = narration.explain(
            charge_of(document_of(options)),
            options.response,
            options.run_number,
            options.seed,
            rolls,
            options.aim,
        )
    except ScriptError as error:
        if not options.json:
            show_lines(page(options).wrap(narration.story(error.steps)))
        raise
    show(options, page(options).wrap(told.lines()), told)


def _hint(options: argparse.Namespace, exact: bool) -> None:
    """Say that what was asked of a simulation counts for nothing where the odds are exact."""
    given = [name for name in ("runs", "precision") if getattr(options, name, None) is not None]
    if exact and given:
        note(f"the odds are exact, --{given[0]} does not count; --method mc simulates")


def compare(options: argparse.Namespace) -> None:
    """`carre compare`."""
    from sim.report import tables
    from sim.studies.compare import compare

    event = event_of(options)
    document = document_of(options)
    other = _other(document, options.variants)
    spare(options, other)
    first, second = charge_of(document, refused=True), charge_of(other, refused=True)
    found = compare(
        first,
        second,
        options.response,
        options.method,
        options.runs or RUNS,
        options.seed,
        progress("runs"),
        options.aim,
    )
    _hint(options, found.method == "exact")
    labels = (printable(options.file or "the default charge"), printable(" ".join(options.variants)))
    if options.out:
        write_csv(found.to_frame(), options.out)
    show(options, tables.compare_lines(found, labels, event, page(options)), tables.compare_json(found))


def _other(document: Document, variants: list[str]) -> Document:
    """What a charge is compared with: another charge file if one is named, otherwise the same; then every change."""
    from sim.inputs import documents, kinds
    from sim.rulesets import catalogue
    from sim.units import scenarios

    read = {}
    for variant in variants:
        if not _is_change(variant) and variant not in catalogue.names() and documents.exists(Path(variant)):
            read[variant] = documents.read(variant)
    charges = [variant for variant, one in read.items() if kinds.kind_of(one.data) == kinds.CHARGE]
    if len(charges) > 1:
        raise InputError(f"--with must name one charge file, got {charges[0]} and {charges[1]}")
    other = read[charges[0]] if charges else document
    earlier = frozenset(document.origins)
    for variant in variants:
        if _is_change(variant):
            other = scenarios.changed(other, variant, "--with", earlier)
        elif variant not in charges:
            catalogue.locate(variant)
            other = scenarios.change(other, ("ruleset",), variant, f"--with {variant}", over=earlier)
    return other


def _is_change(variant: str) -> bool:
    name, equals, _ = variant.partition("=")
    return bool(equals) and "/" not in name


def sweep(options: argparse.Namespace) -> None:
    """`carre sweep`."""
    from sim.report import tables
    from sim.studies.sweep import parse_axis, sweep

    event = event_of(options) or SUCCEEDS
    axes = [parse_axis(text) for text in options.vary]
    if options.plot and len(axes) > 2:
        raise InputError(f"--plot draws one or two --vary fields, got {len(axes)}; write more with --out")
    if options.plot:
        from sim.report import plots

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
    _hint(options, all(cell.method == "exact" for _, cell in found.cells))
    if options.plot:
        wrote(plots.save(plots.sweep_figure(found, event, scale), options.plot))
    if options.out:
        write_csv(found.to_frame(), options.out)
    show(options, tables.sweep_lines(found, event, page(options)), tables.sweep_json(found, event))
