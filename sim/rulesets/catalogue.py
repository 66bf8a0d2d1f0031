"""Rule sets: versioned YAML files, one per battle, merged over the shared base and checked when loaded."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from sim.errors import InputError, UnknownNameError, did_you_mean
from sim.inputs.fields import Problems
from sim.rulesets import chain, consistency, kinds, shipped
from sim.rulesets.blocks import Blocks, Foot, Horse
from sim.rulesets.conditions import Setting

BASE_EDITION = 2017
"""Edition of the shared base's charts when none is asked for."""


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
    merged
        The merged mapping, as in the files: to compare rule sets, and for who reads them otherwise than we
        do.
    """

    name: str
    title: str
    year: int
    version: int
    edition: int
    digest: str
    blocks: Blocks
    merged: dict[str, Any]

    def __repr__(self) -> str:
        return f"<RuleSet: {self.name} v{self.version} ({self.digest}), edition {self.edition}>"

    def switches(
        self, edition: int | None = None, changes: Mapping[str, Setting] | None = None
    ) -> dict[str, Setting]:
        """Every switch with its value: the defaults, then the edition's bundle, then single changes.

        Raises
        ------
        UnknownNameError
            If the edition or a switch does not exist, or a value is not one the switch may take.
        """
        known, editions = self.blocks.switches, self.blocks.editions
        chosen = self.edition if edition is None else edition
        if chosen not in editions:
            raise UnknownNameError(f"edition must be one of {', '.join(map(str, editions))}, got {chosen!r}")
        values = {name: switch.default for name, switch in known.items()}
        for name, value in {**editions[chosen], **(self.blocks.set_ or {}), **(changes or {})}.items():
            if name not in known:
                raise UnknownNameError(f"there is no switch {name!r}.{did_you_mean(name, known)}")
            allowed = known[name].values
            if not any(type(value) is type(one) and value == one for one in allowed):
                shown = ", ".join(str(one).lower() if isinstance(one, bool) else str(one) for one in allowed)
                got = str(value).lower() if isinstance(value, bool) else repr(value)
                raise UnknownNameError(f"switch {name!r} must be one of {shown}, got {got}")
            values[name] = value
        return values

    def allowed(self) -> dict[str, tuple[Setting, ...]]:
        """The values that each switch may take."""
        return {name: switch.values for name, switch in self.blocks.switches.items()}

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

    def identity(self) -> dict[str, str | int]:
        """Name, edition, version and digest, as every result carries them."""
        return {"ruleset": self.name, "edition": self.edition, "version": self.version, "digest": self.digest}


def load(name: str, partial: bool = False, folder: Path | None = None) -> RuleSet:
    """A rule set by name or path, merged over what it extends, and checked.

    A file that has changed is read again.

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
    return _load(tuple(chain.contents(chain.locate(name, folder))), partial)


@lru_cache(maxsize=64)
def _load(files: tuple[tuple[Path, bytes], ...], partial: bool) -> RuleSet:
    """A rule set from the contents of its files, so that a file that changes is read again."""
    document, merged = chain.merge_contents(files)
    if (kind := kinds.kind_of(merged)) != kinds.RULE_SET:
        raise InputError(f"{document.name}: must be a rule set, but looks like a {kind} file")
    if merged.get("partial") and not partial:
        raise InputError(
            f"{document.where(('partial',))}: {files[0][0].stem} is a base for battles and no "
            f"battle itself; name a battle: {', '.join(shipped.names())}"
        )
    blocks = consistency.read(document, merged)
    text = json.dumps(merged, sort_keys=True, ensure_ascii=False)
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    edition = BASE_EDITION if blocks.edition is None else blocks.edition
    return RuleSet(
        blocks.ruleset, blocks.title, blocks.year or 0, blocks.version, edition, digest, blocks, merged
    )


def check(path: Path) -> Problems:
    """Everything that is wrong with a rule-set file, merged over what it extends."""
    return consistency.check(*chain.merge(path))
