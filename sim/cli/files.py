"""`carre rulesets`, `lint`, `new`, `diff` and `schema`: what concerns files."""

from __future__ import annotations

import argparse
from typing import Any

from sim.cli.output import page, show, show_json, show_lines


def rulesets(options: argparse.Namespace) -> None:
    """`carre rulesets`."""
    from sim.report.layout import grid
    from sim.rulesets import catalogue

    known = [catalogue.load(name) for name in catalogue.names()]
    cells = [["name", "battle", "edition", "v", "digest"]]
    cells += [
        [one.name, one.title.removesuffix(f" {one.year}"), str(one.edition), str(one.version), one.digest]
        for one in known
    ]
    answer = {
        "rulesets": [one.identity() | {"title": one.title, "year": one.year} for one in known],
        "outcomes": [],
    }
    show(options, grid(cells, left=2), answer)


def lint(options: argparse.Namespace) -> int:
    """`carre lint`; the exit code is 2 if a file has errors."""
    from sim.cli import lint

    reports = [lint.lint(path) for path in options.files]
    lines = [text for report in reports for text in report.lines()]
    answer: dict[str, Any] = {"files": [report.as_dict() for report in reports], "outcomes": []}
    show(options, lines, answer)
    return 2 if any(report.errors for report in reports) else 0


def new(options: argparse.Namespace) -> None:
    """`carre new`."""
    from sim.cli import templates

    path = templates.create(options.kind, options.name)
    show(options, [f"wrote {path}; check it with: carre lint {path}"], {"file": str(path), "outcomes": []})


def diff(options: argparse.Namespace) -> None:
    """`carre diff`."""
    from sim.rulesets import catalogue, differences

    first, second = catalogue.load(options.first, partial=True), catalogue.load(options.second, partial=True)
    changes = differences.difference(first.data, second.data)
    lines = [f"{first.name} ({first.digest}) and {second.name} ({second.digest}): {len(changes)} differences"]
    lines += [f"  {name}: {before} | {after}" for name, before, after in changes]
    answer: dict[str, Any] = {"first": first.identity(), "second": second.identity(), "outcomes": []}
    answer["differences"] = [
        {"field": name, "first": before, "second": after} for name, before, after in changes
    ]
    show(options, page(options).wrap(lines), answer)


def completion(options: argparse.Namespace) -> None:
    """`carre completion`."""
    from sim.cli.completion import shell_code

    show_lines([shell_code(options.shell)])


def schema(options: argparse.Namespace) -> None:
    """`carre schema`."""
    from sim.rulesets import schema as rules
    from sim.units.chargefields import CHARGE

    fields = CHARGE.schema() if options.kind == "charge" else rules.schema()
    title = "Carré charge file" if options.kind == "charge" else "Carré rule set"
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **fields}
    show_json(whole)
