"""Numbers are what they look like: `026`, `0x1a`, `1:30`, `3 0` and `1_000` are never read, only answered
with their plain form."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction

LONGEST = 20
"""Characters of the longest number that is read."""

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_NUMBER = re.compile(r"[-+]?(0|[1-9][0-9]*)(\.[0-9]+|/[1-9][0-9]*)?")
_DIGITS = re.compile(r"([-+]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([-+]?[0-9]{1,2}))?")
_BASES = (
    (re.compile(r"0[xX]([0-9a-fA-F]+)"), 16),
    (re.compile(r"0[oO]([0-7]+)"), 8),
    (re.compile(r"0[bB]([01]+)"), 2),
)
_SIXTIES = re.compile(r"[0-9]{1,4}(:[0-5]?[0-9])+")


@dataclass(frozen=True, repr=False)
class Written:
    """A value of a file that would be read as something else than it looks, kept as it is written.

    No field accepts one: YAML reads `026` as 22, `1:30` as 90 and `1806-10-14` as a date.
    """

    text: str

    def __repr__(self) -> str:
        return self.text


def composed(text: str) -> str:
    """A text as Unicode composes it (NFC), so that `é` is one name however an editor has saved it."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def integer(text: str) -> int | None:
    """The integer that a text shows, such as `26`, `-3` or `+3`, or None if it is written in any other way.

    >>> integer("26"), integer("026"), integer("2_6")
    (26, None, None)
    """
    return int(text) if len(text) <= LONGEST and _INTEGER.fullmatch(text) else None


def number(text: str) -> Fraction | None:
    """The number that a text shows, such as `20`, `13.5` or `27/2`, or None if it is written in any other
    way.

    >>> number("13.5"), number("1e2")
    (Fraction(27, 2), None)
    """
    return Fraction(text) if len(text) <= LONGEST and _NUMBER.fullmatch(text) else None


def plain_form(text: str) -> str | None:
    """How to write a number that is written in some other way; None if it looks like no number.

    Of numbers to the base of sixty it is what YAML reads: `1:30` is 90.

    >>> plain_form("026"), plain_form("0x1a"), plain_form("3 0"), plain_form(".5"), plain_form("03 / 2")
    ('26', '26', '30', '0.5', '3/2')
    """
    bare = re.sub(r"[\s_']", "", text)
    if not 0 < len(bare) <= LONGEST:
        return None
    bare = "".join(str(int(one)) if one.isdecimal() else one for one in bare)  # digits of other scripts
    for pattern, base in _BASES:
        if found := pattern.fullmatch(bare):
            return str(int(found[1], base))
    if _SIXTIES.fullmatch(bare):
        total = 0
        for part in bare.split(":"):
            total = 60 * total + int(part)
        return str(total)
    first, slash, second = bare.partition("/")
    if slash:
        above, below = _decimal(first), _decimal(second)
        return f"{above}/{below}" if above and below and "." not in above + below and below != "0" else None
    return _decimal(bare)


def _decimal(text: str) -> str | None:
    found = _DIGITS.fullmatch(text)
    if found is None or not (found[2] or found[3]):
        return None
    whole, part, power = found[2] or "", found[3] or "", int(found[4] or 0)
    digits = whole + part
    point = len(whole) + power
    digits = digits.rjust(len(digits) - min(point, 0), "0").ljust(max(point, 0), "0")
    point = max(point, 0)
    before, after = digits[:point].lstrip("0") or "0", digits[point:].rstrip("0")
    sign = "-" if found[1] == "-" and (before != "0" or after) else ""
    return sign + before + (f".{after}" if after else "")
