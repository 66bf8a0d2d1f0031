"""What happened in one run, noted as it happens, for explained runs."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Entry:
    """One step of a run.

    Attributes
    ----------
    segment, rule, who
        Where in the half, the rule's number, who decides or acts.
    text
        What happens.
    decision, roll, faces
        The decision's name and the roll as an index, where there was one.
    modifiers
        Label, amount, source of each that applied.
    chart, needed, result
        Chart and column, what the row asks, and what came of it.
    """

    segment: str
    rule: str
    who: str
    text: str
    decision: str = ""
    roll: int | None = None
    faces: int = 36
    modifiers: tuple[tuple[str, int, str], ...] = ()
    chart: str = ""
    result: str = ""


@dataclass
class Journal:
    """Entries of one run, in order."""

    entries: list[Entry] = field(default_factory=list)
