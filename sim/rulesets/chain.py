"""A rule-set file with those that it extends: found, read, and merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from sim.errors import InputError, UnknownNameError, did_you_mean
from sim.inputs import documents
from sim.inputs.documents import Document
from sim.rulesets import kinds, merging
from sim.rulesets.shipped import BASE, DIRECTORY, names


def locate(name: str, folder: Path | None = None) -> Path:
    """The file of a rule set: one of ours by name, or any file by its path.

    Parameters
    ----------
    folder
        What the path is relative to: the directory of the file in which it is written; None for the working
        directory.

    Raises
    ------
    UnknownNameError
        If it is neither a name of ours nor a path, which ends in .yaml or has a slash.
    """
    if name in (*names(), BASE):
        return DIRECTORY / f"{name}.yaml"
    if name.endswith((".yaml", ".yml")) or "/" in name or "\\" in name:
        return documents.beside(folder, name)
    near = documents.beside(folder, f"{name}.yaml")
    hint = f" Did you mean '{near.name}'?" if documents.exists(near) else did_you_mean(name, names())
    raise UnknownNameError(
        f"there is no rule set {name!r}.{hint} Known: {', '.join(names())}, or the path of a .yaml file."
    )


def files(name: str, folder: Path | None = None) -> list[Path]:
    """The files of a rule set: its own, and those that it extends; name and folder as for `locate`."""
    return [path for path, _ in contents(locate(name, folder))]


def merge(path: Path) -> tuple[Document, dict[str, Any]]:
    """A rule-set file as written, and its data merged over what it extends.

    Mappings merge key by key; of the lists in `merging.ROWS` single rows may be told by name; anything else
    replaces. The document knows where each merged row was written, and what could not be merged.
    """
    return merge_contents(tuple(contents(path)))


def read(path: Path) -> Document:
    """A rule-set file as written."""
    return _read(path, documents.content(path))


@lru_cache(maxsize=64)
def _read(path: Path, raw: bytes) -> Document:
    return documents.decode(raw, path)


def contents(path: Path) -> list[tuple[Path, bytes]]:
    """A file and those it extends, one after the other, with their contents."""
    found: list[tuple[Path, bytes]] = []
    while True:
        raw = documents.content(path)
        document = _read(path, raw)
        found.append((path, raw))
        if not isinstance(document.data, dict):
            raise InputError(
                f"{document.where(())}: a rule set must be a mapping, got {type(document.data).__name__}"
            )
        parent = document.data.get("extends")
        if parent is None:
            return found
        path = _extended(path, document, parent)
        _check_extended(path, parent, document.where(("extends",)))
        if path.resolve() in (one.resolve() for one, _ in found):
            raise InputError(
                f"{document.where(('extends',))}: 'extends' must not lead back to the file itself, "
                f"got {parent!r}"
            )


def _extended(path: Path, document: Document, parent: object) -> Path:
    """The file that a rule set extends: one of ours by name, or one by its path from this one."""
    place = document.where(("extends",))
    if not isinstance(parent, str):
        raise InputError(
            f"{place}: 'extends' must be the name or path of a rule set, got "
            f"{document.written.get(('extends',), repr(parent))}"
        )
    try:
        origin = locate(parent, path.parent)
    except UnknownNameError as error:
        raise UnknownNameError(f"{place}: {error}") from None
    if not documents.exists(origin) and not origin.is_symlink():
        raise InputError(
            f"{place}: 'extends' must be the name or path of a rule set, but there is no file {parent!r}"
        )
    return origin


def _check_extended(path: Path, parent: str, place: str) -> None:
    """Refuse what cannot be extended, at the place that asks for it.

    A file with faults of its own tells them itself.
    """
    try:
        raw = documents.content(path)
    except InputError as error:
        reason = str(error).removeprefix(f"{path}: ")
        raise InputError(
            f"{place}: 'extends' must be the name or path of a rule set, got {parent!r}: {reason}"
        ) from None
    data = _read(path, raw).data
    if isinstance(data, dict) and (kind := kinds.kind_of(data)) != kinds.RULE_SET:
        raise InputError(
            f"{place}: 'extends' must be the name or path of a rule set, but {parent!r} looks like "
            f"a {kind} file"
        )


def merge_contents(files: Sequence[tuple[Path, bytes]]) -> tuple[Document, dict[str, Any]]:
    """The first file's document, and the data of all merged, the last at the bottom."""
    merged: dict[str, Any] = {}
    problems: list[str] = []
    for path, raw in reversed(files):
        document, merger = _read(path, raw), merging.Merger()
        inherited = {name: value for name, value in merged.items() if name != "partial"}
        merged = merger.merged(
            inherited, {name: value for name, value in document.data.items() if name != "extends"}
        )
        problems += document.problems
        problems += [
            f"{document.where(key)}: '{documents.dotted(key)}' {text}" for key, text in merger.faults
        ]
    return replace(document, problems=problems, aliases=merger.aliases), merged
