"""Columns of the table of odds: which there are, and which are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.errors import UnknownNameError, did_you_mean
from sim.studies.measures import EVENTS, SUCCEEDS

if TYPE_CHECKING:
    pass

PIPS = "pips"

BLOCKS = {
    "charge": ("the charge", {SUCCEEDS: "succeeds", "clean success": "clean"}),
    "target": (
        "target at the end",
        {
            "target in order": "order",
            "target in square": "square",
            "target disordered": "disord.",
            "target routed": "routed",
            "target eliminated": "elim.",
            "target surrendered": "surr.",
        },
    ),
    "charger": (
        "charger: worst state, readiness at the end",
        {
            "bounced": "bounced",
            "charger in order": "order",
            "charger routed": "routed",
            "charger recovered": "recov.",
            "charger lost": "lost",
            "exhausted": "exhausted",
            "tired": "tired",
            "untouched": "untouched",
        },
    ),
    "losses": ("increments lost", {"target loses": "target", "charger loses": "charger"}),
}
"""By the name of a block: its title, and its columns with their headings."""

NAMES = (*BLOCKS, PIPS, *(name for _, columns in BLOCKS.values() for name in columns))
"""What may be named: blocks, and columns."""


def parse(text: str) -> tuple[str, ...]:
    """Names of columns or blocks, with commas between them; words may be joined by hyphens.

    Raises
    ------
    UnknownNameError
        If one is not known.

    Examples
    --------
    >>> parse("clean-success, losses")
    ('clean success', 'losses')
    """
    found = tuple(" ".join(part.replace("-", " ").split()) for part in text.split(","))
    for name in found:
        if name not in NAMES:
            raise UnknownNameError(
                f"--columns must be of {', '.join(NAMES)}, got {name!r}.{did_you_mean(name, NAMES)}"
            )
    return found


def watched(wanted: Sequence[str] | None, event: str | None) -> tuple[str, ...]:
    """The events that a table shows: one asked for, those of the columns asked for, or all."""
    if event is not None:
        return (event,)
    if wanted is None:
        return EVENTS
    shown = [
        column
        for name, (_, headings) in BLOCKS.items()
        for column in headings
        if column in wanted or name in wanted
    ]
    return tuple(column for column in shown if column in EVENTS) or EVENTS
