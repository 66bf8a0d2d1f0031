"""Conditions of the lines of tables, as codes: what an attribute must be, or must not be."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import NamedTuple

Setting = bool | int | str
"""The value of a switch."""

_codes: dict[str, int] = {}


def code(value: object) -> int:
    """The number that stands for an attribute's value: itself for numbers and flags, an interned code for
    text."""
    if isinstance(value, Integral):
        return int(value)
    return _codes.setdefault(str(value), 1000 + len(_codes))


class Condition(NamedTuple):
    """An attribute, whether its codes are those that it must not have, and the codes."""

    attribute: str
    excluded: bool
    codes: tuple[int, ...]


When = tuple[Condition, ...]
"""Conditions that must all hold."""


def decided(when: When, switches: Mapping[str, Setting], check: str) -> When | None:
    """Conditions without those on switches and on the kind of check; None if one of these rules them out for
    good."""
    left = []
    for one in when:
        if one.attribute.startswith("switch."):
            fixed = code(switches[one.attribute.removeprefix("switch.")])
        elif one.attribute == "check":
            fixed = code(check)
        else:
            left.append(one)
            continue
        if (fixed in one.codes) == one.excluded:
            return None
    return tuple(left)
