"""Merging a rule-set file over what it extends: mappings key by key, rows of lists by their names, sources
with their rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sim.errors import did_you_mean
from sim.inputs.documents import Key
from sim.rulesets.sources import SOURCE

CARRE_FORMATIONS = ("column", "line", "road march")
"""Formations from which a carré may be tried."""

ROWS: dict[Key, str] = {
    ("carre", "rows"): "name",
    ("carre", "barred"): "label",
    ("carre", "modifiers"): "key",
    ("stand", "modifiers"): "key",
    ("recall", "rows"): "name",
    ("recall", "modifiers"): "key",
    ("morale", "modifiers"): "key",
    ("morale", "recovery_losses"): "label",
    ("premelee", "modifiers"): "key",
    ("melee", "multipliers"): "key",
    ("limber", "rows"): "name",
}
"""Lists whose rows a file may change one by one, and the field that names a row. Rows of the carré table are
named with their formation."""
REMOVABLE: tuple[Key, ...] = (
    ("nations",),
    ("troops",),
    ("troops", "*"),
    ("terrain",),
    ("hexsides",),
    ("stacking",),
    ("limber", "leaders"),
    ("fire", "table"),
    ("fire", "defence"),
    ("fire", "guns", "bands"),
    ("fire", "skirmish_range", "bands"),
    ("premelee", "columns"),
    ("premelee", "elite"),
    ("levels",),
    ("set",),
)
"""Mappings in which null takes an inherited entry away; `*` is any name. Elsewhere null is a value."""
SOURCED: tuple[Key, ...] = (
    *ROWS,
    ("melee", "cells"),
    ("troops", "*"),
    ("terrain",),
    ("hexsides",),
    ("stacking",),
    ("fire", "defence"),
    ("fire", "defence", "by_nation"),
)
"""Lists and mappings whose entries carry a source; those without one have that of the nearest block."""
AMOUNTS = ("value", "values", "of", "per", "cancels", "no_check")
"""What a modifier does: a change of one of them drops the others."""

MOST_ROWS = 100
"""Rows that a file may change or add in one list: as many as a list may have (`fields.Sequence`)."""

_NEEDED = {"key": "label", "name": "nations", "label": "when"}
"""What a new row must have, by the field that names it."""
_EVIDENCE = ("source", "lender")


class Merger:
    """Merges one file's data over those it extends.

    Attributes
    ----------
    aliases
        Rows told by name: their place in the merged data, and their place as written.
    faults
        What cannot be merged: the place as written, and what is wrong.
    """

    def __init__(self) -> None:
        self.aliases: dict[Key, Key] = {}
        self.faults: list[tuple[Key, str]] = []

    def merged(self, below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
        """The data of a file over those below it; rows carry their sources."""
        return sourced(self._over(below, sourced(above), ()))

    def _over(self, below: dict[Any, Any], above: dict[Any, Any], key: Key) -> dict[Any, Any]:
        """Mappings merge key by key, but a row of the fire table replaces as a whole: merged rows would count
        rolls twice."""
        result = dict(below)
        for name, value in above.items():
            lower, place = result.get(name), (*key, name)
            if place in ROWS and isinstance(value, dict):
                result[name] = self._rows(lower if isinstance(lower, list) else [], value, place)
            elif value is None and matches(key, REMOVABLE):
                if name not in result:
                    self._nothing(place, [str(one) for one in result if one not in _EVIDENCE])
                result.pop(name, None)
            elif isinstance(value, dict) and key != ("fire", "table"):
                result[name] = self._over(lower if isinstance(lower, dict) else {}, value, place)
            else:
                result[name] = value
        if key == ("fire",) and isinstance(
            result.get("sources"), dict
        ):  # of single numbers: another number has its own source or none
            own = above.get("sources") or {}
            result["sources"] = {
                name: source for name, source in result["sources"].items() if name in own or name not in above
            }
        return result

    def _rows(self, below: list[Any], changes: dict[Any, Any], key: Key) -> list[Any]:
        """The rows of a list with some of them changed, added or taken away by name."""
        told = sum(len(change) if isinstance(change, list) else 1 for change in changes.values())
        if told > MOST_ROWS:
            self.faults.append((key, f"must change or add at most {MOST_ROWS} rows, got {told:,}"))
            return below
        if len(below) > MOST_ROWS:
            self.faults.append(
                (key, f"must inherit at most {MOST_ROWS} rows to change them by name, got {len(below):,}")
            )
            return below
        rows: list[tuple[Any, Key | None]] = [(row, None) for row in below]
        for name, change in changes.items():
            place = (*key, name)
            found = [i for i, (row, _) in enumerate(rows) if row_name(key, row) == str(name)]
            given = change if isinstance(change, list) else [change]
            if change is None:
                if not found:
                    self._nothing(place, [str(row_name(key, row)) for row, _ in rows])
                new = []
            elif not all(isinstance(one, dict) for one in given):
                self.faults.append(
                    (place, f"must be a row, a list of rows, or null to take the row away, got {change!r}")
                )
                continue
            elif not found and any(_NEEDED[ROWS[key]] not in one for one in given):
                hint = did_you_mean(name, [str(row_name(key, row)) for row, _ in rows])
                text = (
                    f"must be the name of an inherited row, or a whole row with '{_NEEDED[ROWS[key]]}', "
                    f"which is missing.{hint}"
                )
                self.faults.append((place, text.removesuffix(".")))
                continue
            elif isinstance(change, dict) and len(found) > 1:
                self.faults.append(
                    (
                        place,
                        f"must be a list of the rows that stand for the {len(found)} of this name, "
                        "got one row",
                    )
                )
                continue
            elif isinstance(change, dict):
                old = rows[found[0]][0] if found else _named(key, str(name))
                new = [(_changed(old, change, bool(found)), place)]
            else:
                new = [
                    (_changed(_named(key, str(name)), one, False), (*place, i)) for i, one in enumerate(given)
                ]
            at = found[0] if found else len(rows)
            rows = [row for i, row in enumerate(rows) if i not in found]
            rows[at:at] = new
        self.aliases |= {(*key, i): place for i, (_, place) in enumerate(rows) if place}
        return [row for row, _ in rows]

    def _nothing(self, place: Key, known: list[str]) -> None:
        hint = did_you_mean(place[-1], known)
        self.faults.append(
            (
                place,
                "must be there to be taken away by null, but nothing of this name is "
                f"inherited.{hint}".removesuffix("."),
            )
        )


def row_name(key: Key, row: object) -> str | None:
    """What a row of a list is called; None if it has no name.

    >>> row_name(("carre", "rows"), {"name": "French", "formation": "line"})
    'French line'
    """
    if not isinstance(row, dict) or ROWS[key] not in row:
        return None
    name = str(row[ROWS[key]])
    return f"{name} {row.get('formation')}" if key == ("carre", "rows") else name


def _named(key: Key, name: str) -> dict[str, Any]:
    """A row of which only the name is known."""
    if key == ("carre", "rows"):
        for formation in CARRE_FORMATIONS:
            if name.endswith(f" {formation}"):
                return {"name": name.removesuffix(f" {formation}"), "formation": formation}
    return {ROWS[key]: name}


def _changed(row: dict[str, Any], change: dict[str, Any], inherited: bool) -> dict[str, Any]:
    """A row with some fields changed: null takes one away; another amount drops the old one, and a change
    without a source the old source."""
    dropped = {*_EVIDENCE} if inherited else set()
    if any(name in change for name in AMOUNTS):
        dropped |= {*AMOUNTS}
    result = {name: value for name, value in row.items() if name not in dropped}
    for name, value in change.items():
        if value is None:
            result.pop(name, None)
        elif name == "cells" and isinstance(value, dict) and isinstance(result.get(name), dict):
            result[name] = result[name] | value
        else:
            result[name] = value
    return result


def sourced(data: dict[str, Any]) -> dict[str, Any]:
    """Data whose rows carry a source: their own, or that of the block they stand in, with its lender."""
    found = _sourced(data, (), {})
    return found if isinstance(found, dict) else data


def _sourced(value: object, key: Key, evidence: dict[str, Any]) -> Any:
    if not isinstance(value, dict | list) or len(key) > 4:
        return value
    if isinstance(value, dict) and SOURCE.match(str(value.get("source"))):
        evidence = {name: value[name] for name in _EVIDENCE if name in value}
    carries = matches(key, SOURCED)
    result = {}
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
        below = _sourced(inner, (*key, name), evidence)
        for one in _within(below) if carries else ():
            if "source" not in one and name not in _EVIDENCE:
                one.update({field: evidence[field] for field in evidence if field not in one})
        result[name] = below
    return result if isinstance(value, dict) else list(result.values())


def _within(entry: object) -> Iterator[dict[str, Any]]:
    """The row that an entry is, or the rows of a list told under one name."""
    for one in entry if isinstance(entry, list) else [entry]:
        if isinstance(one, dict):
            yield one


def matches(key: Key, patterns: tuple[Key, ...]) -> bool:
    """Whether a place is one of some places, in which `*` is any name."""
    return any(
        len(key) == len(one) and all(part in ("*", here) for part, here in zip(one, key, strict=True))
        for one in patterns
    )
