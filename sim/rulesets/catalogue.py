"""Rule sets: versioned YAML files, one per battle, merged over the shared base and checked when loaded."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from sim.errors import InputError, UnknownNameError, did_you_mean
from sim.inputs import documents
from sim.inputs.documents import Document
from sim.rulesets import merging
from sim.rulesets.blocks import Blocks, Foot, Horse

DIRECTORY = Path(__file__).parents[1] / "data" / "rulesets"
BASE = "base"
BASE_EDITION = 2017
"""Edition of the shared base's charts when none is asked for."""
DEFAULT = "prusse-1806"
"""The rule set that charts and the default charge use when none is named."""


@dataclass(frozen=True, eq=False)
class RuleSet:
    """A battle's rules as data.

    Attributes
    ----------
    name, title, year, version
        What the file calls itself.
    edition
        The edition of the series rules printed in the battle's box.
    digest
        First 12 hex digits of the SHA-256 of the merged data: two rule sets with one digest are the same.
    blocks
        What play and look-ups ask: everything checked and converted.
    data
        The merged mapping, as in the files.
    """

    name: str
    title: str
    year: int
    version: int
    edition: int
    digest: str
    blocks: Blocks
    data: dict[str, Any]

    def __repr__(self) -> str:
        return f"<RuleSet: {self.name} v{self.version} ({self.digest}), edition {self.edition}>"

    def switches(self, edition: int | None = None, changes: dict[str, Any] | None = None) -> dict[str, Any]:
        """Every switch with its value: the defaults, then the edition's bundle, then single changes.

        Raises
        ------
        UnknownNameError
            If the edition or a switch does not exist, or a value is not one the switch may take.
        """
        known = self.data["switches"]
        editions = self.data["editions"]
        chosen = self.edition if edition is None else edition
        if chosen not in editions:
            raise UnknownNameError(f"edition must be one of {', '.join(map(str, editions))}, got {chosen!r}")
        values = {name: switch["default"] for name, switch in known.items()}
        for name, value in (editions[chosen] | self.data.get("set", {}) | (changes or {})).items():
            if name not in known:
                raise UnknownNameError(f"there is no switch {name!r}.{did_you_mean(name, known)}")
            allowed = known[name]["values"]
            if not any(type(value) is type(one) and value == one for one in allowed):
                shown = ", ".join(str(one).lower() if isinstance(one, bool) else str(one) for one in allowed)
                got = str(value).lower() if isinstance(value, bool) else repr(value)
                raise UnknownNameError(f"switch {name!r} must be one of {shown}, got {got}")
            values[name] = value
        return values

    def allowed(self) -> dict[str, list[Any]]:
        """The values that each switch may take."""
        return {name: switch["values"] for name, switch in self.data["switches"].items()}

    def infantry(self, nation: str) -> dict[str, Foot]:
        """The types of a nation's infantry."""
        return {
            name: troop
            for name, troop in self.blocks.troops.rows.get(nation, {}).items()
            if isinstance(troop, Foot)
        }

    def troop(self, nation: str, kind: str | None) -> Foot | Horse | None:
        """A troop type, None where the rule set says nothing of it."""
        return self.blocks.troops.rows.get(nation, {}).get(str(kind))

    def identity(self) -> dict[str, Any]:
        """Name, edition, version and digest, as every result carries them."""
        return {"ruleset": self.name, "edition": self.edition, "version": self.version, "digest": self.digest}


def names() -> list[str]:
    """The names of the rule sets that come with Carré, by year."""
    files = [path.stem for path in DIRECTORY.glob("*.yaml") if path.stem != BASE]
    return sorted(files, key=lambda name: (name.rpartition("-")[2], name))


def locate(name: str, folder: Path | None = None) -> Path:
    """The file of a rule set: one of ours by name, or any file by its path.

    Parameters
    ----------
    folder
        What the path is relative to: the directory of the file in which it is written; None for the working directory.

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


def load(name: str, partial: bool = False, folder: Path | None = None) -> RuleSet:
    """A rule set by name or path, merged over what it extends, and checked. A file that has changed is read again.

    Parameters
    ----------
    partial
        Also accept the shared base, which is no battle but has the charts that all battles share.
    folder
        What a path is relative to, as for `locate`.

    Raises
    ------
    UnknownNameError
        If there is no such rule set.
    InputError
        If the file is not a valid rule set; the first fault is told with file, line and column.
    """
    return _load(tuple(_chain(locate(name, folder))), partial)


@lru_cache(maxsize=64)
def _load(files: tuple[tuple[Path, bytes], ...], partial: bool) -> RuleSet:
    """A rule set from the contents of its files, so that a file that changes is read again."""
    from sim.inputs import kinds
    from sim.rulesets import consistency

    document, merged = _merged(files)
    if kinds.kind_of(merged) == kinds.CHARGE:
        raise InputError(f"{document.name}: must be a rule set, but looks like a charge file")
    if merged.get("partial") and not partial:
        raise InputError(
            f"{document.where(('partial',))}: {files[0][0].stem} is a base for battles and no battle itself; name a battle: {', '.join(names())}"
        )
    blocks = consistency.read(document, merged)
    text = json.dumps(merged, sort_keys=True, ensure_ascii=False)
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    edition = merged.get("edition", BASE_EDITION)
    return RuleSet(
        merged["ruleset"],
        merged["title"],
        merged.get("year", 0),
        merged["version"],
        edition,
        digest,
        blocks,
        merged,
    )


def files(name: str, folder: Path | None = None) -> list[Path]:
    """The files of a rule set: its own, and those that it extends; name and folder as for `locate`."""
    return [path for path, _ in _chain(locate(name, folder))]


def merge(path: Path) -> tuple[Document, dict[str, Any]]:
    """A rule-set file as written, and its data merged over what it extends.

    Mappings merge key by key; of the lists in `merging.ROWS` single rows may be told by name; anything else replaces. The document
    knows where each merged row was written, and what could not be merged.
    """
    return _merged(tuple(_chain(path)))


def read(path: Path) -> Document:
    """A rule-set file as written."""
    return _read(path, documents.content(path))


@lru_cache(maxsize=64)
def _read(path: Path, raw: bytes) -> Document:
    return documents.decode(raw, path)


def _chain(path: Path) -> list[tuple[Path, bytes]]:
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
                f"{document.where(('extends',))}: 'extends' must not lead back to the file itself, got {parent!r}"
            )


def _extended(path: Path, document: Document, parent: Any) -> Path:
    """The file that a rule set extends: one of ours by name, or one by its path from this one."""
    place = document.where(("extends",))
    if not isinstance(parent, str):
        raise InputError(
            f"{place}: 'extends' must be the name or path of a rule set, got {document.written.get(('extends',), repr(parent))}"
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
    """Refuse what cannot be extended, at the place that asks for it. A file with faults of its own tells them itself."""
    from sim.inputs import kinds

    try:
        raw = documents.content(path)
    except InputError as error:
        reason = str(error).removeprefix(f"{path}: ")
        raise InputError(
            f"{place}: 'extends' must be the name or path of a rule set, got {parent!r}: {reason}"
        ) from None
    data = _read(path, raw).data
    if isinstance(data, dict) and kinds.kind_of(data) == kinds.CHARGE:
        raise InputError(
            f"{place}: 'extends' must be the name or path of a rule set, but {parent!r} looks like a charge file"
        )


def _merged(files: Sequence[tuple[Path, bytes]]) -> tuple[Document, dict[str, Any]]:
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
