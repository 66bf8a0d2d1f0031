"""What differs between two rule sets, row by row."""

from __future__ import annotations

from typing import Any

from sim.inputs.documents import Key, dotted
from sim.rulesets.catalogue import RuleSet
from sim.rulesets.merging import ROWS, row_name

NOTHING = "-"
_LONGEST = 300
"""Characters of an entry that is told as a whole."""


def difference(first: RuleSet, second: RuleSet) -> list[tuple[str, str, str]]:
    """What differs between two rule sets, each merged over what it extends.

    Returns
    -------
    Dotted field, value in the first, value in the second; rows of lists by their names, and what only one of
    them has as a whole, against `-`.
    """
    return _differs(first.merged, second.merged, ())


def _differs(first: object, second: object, key: Key) -> list[tuple[str, str, str]]:
    a, b = _named(first, key), _named(second, key)
    if isinstance(a, dict) and isinstance(b, dict):
        found: list[tuple[str, str, str]] = []
        for name in dict.fromkeys([*a, *b]):
            if name in a and name in b:
                found += _differs(a[name], b[name], (*key, str(name)))
            else:
                found += _only(a, name, key, False) if name in a else _only(b, name, key, True)
        return found
    return [] if first == second else [(dotted(key), shown(first), shown(second))]


def _only(block: dict[Any, Any], name: object, key: Key, added: bool) -> list[tuple[str, str, str]]:
    """An entry that only one of the two has: as a whole if it is short, by its parts otherwise."""
    value, place = _named(block[name], (*key, str(name))), (*key, str(name))
    row = block[name]
    text = shown({field: one for field, one in row.items() if field != ROWS[key]} if key in ROWS else row)
    if isinstance(value, dict) and len(text) > _LONGEST:
        return [line for part in value for line in _only(value, part, place, added)]
    return [(dotted(place), NOTHING, text) if added else (dotted(place), text, NOTHING)]


def _named(value: object, key: Key) -> Any:
    """A list of rows as a mapping by name; of several rows of one name the later ones are numbered."""
    if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
        return value
    found: dict[str, object] = {}
    for i, item in enumerate(value, 1):
        name = row_name(key, item) if key in ROWS else None
        label = name or f"#{i}"
        again = 2
        while label in found:
            label, again = f"{name} ({again})", again + 1
        found[label] = item
    return found


def shown(value: object) -> str:
    """A value as a file says it, on one line."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {shown(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(shown(one) for one in value) + "]"
    return str(value)
