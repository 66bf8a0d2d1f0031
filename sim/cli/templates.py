"""Commented files to start from."""

from __future__ import annotations

import re
from pathlib import Path

from sim.board import maps
from sim.errors import InputError
from sim.inputs import documents
from sim.report import writing
from sim.rulesets import shipped

DIRECTORY = Path(__file__).parents[1] / "data" / "templates"


def create(kind: str, name: str) -> list[Path]:
    """Write a new rule set, charge file, map, or scenario with its roster beside the user, never over a file
    that is there.

    Parameters
    ----------
    kind
        `ruleset`, `charge`, `scenario` or `map`.
    name
        The file's name, with or without its suffix.

    Raises
    ------
    InputError
        If the name cannot be a file's or is one that comes with Carré, the file exists, or it cannot
        be written.
    """
    suffixes = (maps.SUFFIX,) if kind == "map" else (".yaml", ".yml")
    path = Path(name if name.endswith(suffixes) else f"{name}{suffixes[0]}")
    stem = path.stem
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", stem):
        raise InputError(f"NAME must be letters, digits, hyphens and dots, such as my-{kind}, got '{name}'")
    if kind == "ruleset" and stem in (*shipped.names(), shipped.BASE):
        raise InputError(f"NAME must not be that of a rule set that comes with Carré, got '{stem}'")
    if kind == "map" and stem in maps.names():
        raise InputError(f"NAME must not be that of a map that comes with Carré, got '{stem}'")
    title = stem if kind == "map" or _is_text(stem) else f"'{stem}'"
    paths = [path, path.with_suffix(".csv")] if kind == "scenario" else [path]
    if taken := [one for one in paths if documents.exists(one)]:
        raise _taken(taken[0])
    for one in paths:
        suffix = ".csv" if one.suffix == ".csv" else suffixes[0]
        text = (DIRECTORY / f"{kind}{suffix}").read_text(encoding="utf-8")
        text = re.sub(r"^(title|ruleset): NAME", rf"\1: {title}", text, flags=re.MULTILINE)
        try:
            writing.write(one, text.replace("NAME", stem).encode(), new=True)
        except FileExistsError:
            raise _taken(one) from None
    return paths


def _taken(path: Path) -> InputError:
    return InputError(f"{path}: the file is already there and is left as it is; choose another name")


def _is_text(name: str) -> bool:
    try:
        return bool(documents.parse_scalar(name) == name)
    except InputError:
        return False
