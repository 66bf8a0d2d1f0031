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


def create(kind: str, name: str) -> Path:
    """Write a new rule set, charge file or map beside the user, never over an existing one.

    Parameters
    ----------
    kind
        `ruleset`, `charge` or `map`.
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
    text = (DIRECTORY / f"{kind}{suffixes[0]}").read_text(encoding="utf-8")
    text = re.sub(r"^(title|ruleset): NAME", rf"\1: {title}", text, flags=re.MULTILINE).replace("NAME", stem)
    try:
        return writing.write(path, text.encode(), new=True)
    except FileExistsError:
        raise InputError(
            f"{path}: the file is already there and is left as it is; choose another name"
        ) from None


def _is_text(name: str) -> bool:
    try:
        return bool(documents.parse_scalar(name) == name)
    except InputError:
        return False
