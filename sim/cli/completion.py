"""`carre completion`, and completion on the tab key: what the shell offers for the word at the cursor."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from typing import Any

import argcomplete
from argcomplete.completers import FilesCompleter
from argcomplete.shell_integration import shellcode

from sim import vocabulary
from sim.board import maps
from sim.cli.output import show_lines
from sim.inputs.fields import Choice, Either, Field, Flag, Record, Roll
from sim.report.columns import NAMES
from sim.rulesets import catalogue, shipped
from sim.rulesets.blocks import Blocks
from sim.studies.measures import AIMS, EVENTS
from sim.units import chargefields

_FACES = [str(face) for face in Roll().schema()["enum"]]


def shell_code(shell: str) -> str:
    """What a shell must read to complete `carre`."""
    return str(shellcode(["carre"], shell=shell))


def complete(parser: argparse.ArgumentParser, **places: Any) -> None:
    """Answer the shell, and end the process. `places` may say otherwise where to, for tests."""
    _teach(parser)
    argcomplete.autocomplete(parser, always_complete_options="long", **places)


def _teach(parser: argparse.ArgumentParser) -> None:
    """Tell each option what it may hold."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                _teach(inner)
        elif action.dest in _COMPLETERS:
            action.completer = _COMPLETERS[action.dest]  # type: ignore[attr-defined]


def _values(kind: Field) -> list[str]:
    if isinstance(kind, Either):
        return [value for one in kind.kinds for value in _values(one)]
    if isinstance(kind, Choice):
        return [str(value).lower() if isinstance(value, bool) else str(value) for value in kind.values]
    return ["true", "false"] if isinstance(kind, Flag) else _FACES if isinstance(kind, Roll) else []


def _fields(record: Record, above: str = "") -> Iterator[tuple[str, Field]]:
    for name, kind in record.fields.items():
        inner = kind.kinds[0] if isinstance(kind, chargefields.MappingOr) else kind
        if isinstance(inner, Record):
            yield from _fields(inner, f"{above}{name}.")
        else:
            yield above + name, kind


def _switches() -> Iterator[tuple[str, list[str]]]:
    for name, values in catalogue.load(shipped.DEFAULT).allowed().items():
        yield (
            f"switches.{name}",
            [str(value).lower() if isinstance(value, bool) else str(value) for value in values],
        )


def _of_charges(prefix: str) -> Iterator[tuple[str, Field]]:
    """The fields of a charge file, those of the charge of a list that the word begins with among them; of the
    first if it names none."""
    yield from ((name, kind) for name, kind in _fields(chargefields.CHARGE) if name != "charges")
    number = re.match(r"charges\.([1-9][0-9]?)\.", prefix)
    yield from _fields(chargefields.ONE_OF_SEVERAL, f"charges.{number[1] if number else 1}.")


def _changes(prefix: str, **_: Any) -> list[str]:
    """`FIELD=`, and behind it the values that the field may hold."""
    name = prefix.partition("=")[0]
    if "=" not in prefix:
        return [f"{field}=" for field, _ in (*_of_charges(prefix), *_switches())]
    known = (
        {field: _values(kind) for field, kind in _of_charges(prefix)}
        | dict(_switches())
        | {"ruleset": shipped.names()}
    )
    return [f"{name}={value}" for value in known.get(name, [])]


def _plan(prefix: str, **_: Any) -> list[str]:
    number = re.match(r"[1-9][0-9]?\.", prefix)
    return [
        f"{number[0] if number else ''}{name.replace('_', '-')}={str(value).lower().replace(' ', '-')}"
        for name, values in chargefields.PLANS.items()
        for value in values
    ]


def _files(prefix: str, **_: Any) -> list[str]:
    return [str(name) for name in FilesCompleter(("yaml", "yml"))(prefix)]


def _rulesets(prefix: str, **_: Any) -> list[str]:
    return [*shipped.names(), *_files(prefix)]


def _others(prefix: str) -> list[str]:
    """Rosters and maps."""
    return [*maps.names(), *map(str, FilesCompleter(("csv", "map", "tmj"))(prefix))]


def _maps(prefix: str, **_: Any) -> list[str]:
    return [*maps.names(), *map(str, FilesCompleter(("map", "tmj"))(prefix))]


def _variants(prefix: str, **_: Any) -> list[str]:
    return [*_rulesets(prefix), *_changes(prefix)]


def _responses(prefix: str, **_: Any) -> tuple[str, ...]:
    return (*chargefields.RESPONSES, "best", "all")


def _events(prefix: str, **_: Any) -> tuple[str, ...]:
    return EVENTS


def _of_the_rules(find: Callable[[Blocks, argparse.Namespace], list[str]]) -> Callable[..., list[str]]:
    """Names that the rule set asked for knows."""

    def names(parsed_args: argparse.Namespace, **_: Any) -> list[str]:
        return find(catalogue.load(parsed_args.ruleset, partial=True).blocks, parsed_args)

    return names


def _nations(blocks: Blocks, options: argparse.Namespace) -> list[str]:
    return list(blocks.nations)


def _types(blocks: Blocks, options: argparse.Namespace) -> list[str]:
    return [
        name
        for nation, types in blocks.troops.rows.items()
        if options.nation in (None, nation)
        for name in types
    ]


def _cavalry(blocks: Blocks, options: argparse.Namespace) -> list[str]:
    return [row.name for row in blocks.recall.rows]


_COMPLETERS: dict[str, Callable[..., Any]] = {
    "aim": lambda **_: tuple(AIMS),
    "cavalry": _of_the_rules(_cavalry),
    "changes": _changes,
    "columns": lambda **_: NAMES,
    "event": _events,
    "file": _files,
    "files": lambda prefix, **_: [*_rulesets(prefix), *_others(prefix)],
    "first": _rulesets,
    "formation": lambda **_: vocabulary.INFANTRY_FORMATIONS,
    "map": _maps,
    "method": lambda **_: ("auto", "exact", "mc"),
    "nation": _of_the_rules(_nations),
    "plan": _plan,
    "response": _responses,
    "ruleset": _rulesets,
    "second": _rulesets,
    "type": _of_the_rules(_types),
    "variants": _variants,
    "vary": _changes,
}
"""By the name under which a command finds an option's value."""


def run(options: argparse.Namespace) -> None:
    """`carre completion`."""
    show_lines([shell_code(options.shell)])
