"""`carre compare`: what a change does, with the same dice."""

from __future__ import annotations

import argparse
from pathlib import Path

from sim.cli.arguments import RUNS
from sim.cli.options import charge_of, document_of, event_of, hint, spare
from sim.cli.output import is_table, page, progress, show, write_csv, write_ends
from sim.errors import InputError, printable
from sim.inputs import documents
from sim.inputs.documents import Document
from sim.report import tables
from sim.rulesets import chain, kinds, shipped
from sim.studies.compare import compare
from sim.units import scenarios


def run(options: argparse.Namespace) -> None:
    """`carre compare`."""
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
    hint(options, found.method == "exact")
    labels = (printable(options.file or "the default charge"), printable(" ".join(options.variants)))
    answer = tables.compare_json(found)
    if options.out and is_table(options):
        write_csv(found.to_frame(), options.out)
    elif options.out:
        write_ends(options, [found.ends()] if found.method == "exact" else found.each_run(), answer)
    show(options, tables.compare_lines(found, labels, event, page(options)), answer)


def _other(document: Document, variants: list[str]) -> Document:
    """What a charge is compared with: another charge file if one is named, otherwise the same; then every
    change."""
    read = {}
    for variant in variants:
        if not _is_change(variant) and variant not in shipped.names() and documents.exists(Path(variant)):
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
            chain.locate(variant)
            other = scenarios.change(other, ("ruleset",), variant, f"--with {variant}", over=earlier)
    return other


def _is_change(variant: str) -> bool:
    name, equals, _ = variant.partition("=")
    return bool(equals) and "/" not in name
