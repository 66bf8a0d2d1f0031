"""What happened in one run, noted as it happens, for explained runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from sim.rules.strengths import Strengths
from sim.rulesets.blocks import Part


@dataclass(frozen=True)
class Moved:
    """A retreat or rout.

    Attributes
    ----------
    rout
        Whether it routs; else it falls back.
    hexes
        How far from where it stood it ends.
    bearing
        In which direction from where it stood, in degrees to the right of where it faced: -180 to 180.
    """

    rout: bool
    hexes: int
    bearing: int


@dataclass(frozen=True)
class Effect:
    """What a melee result does to both sides, each as the rule set says it."""

    attacker: Part | None
    defender: Part | None


Fact = Moved | Effect
"""What happened, for whoever words it."""


@dataclass(frozen=True)
class Entry:
    """One step of a run.

    Attributes
    ----------
    segment, rule, who
        Where in the half, the rule's number, who decides or acts.
    text, fact
        What happens, in words or as a fact that is still to be worded.
    decision, roll, faces
        The decision's name and the roll as an index, where there was one.
    modifiers
        Label, amount, source of each that applied.
    chart, needed, result
        Chart and column, what the row asks, and what came of it.
    strengths
        What the chart's column was found from, where it compares strengths.
    """

    segment: str
    rule: str
    who: str
    text: str = ""
    fact: Fact | None = None
    decision: str = ""
    roll: int | None = None
    faces: int = 36
    modifiers: tuple[tuple[str, int, str], ...] = ()
    chart: str = ""
    result: str = ""
    strengths: Strengths | None = None


@dataclass
class Journal:
    """Entries of one run, in order."""

    entries: list[Entry] = field(default_factory=list)
