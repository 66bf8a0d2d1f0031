"""What combat tells of a run: decisions as they were taken, and what came of them."""

from __future__ import annotations

from sim.ensemble.dice import Decision
from sim.rules.strengths import Strengths
from sim.units.record import Event


class Rolled(Event):
    """A decision was taken; `unit` is whom it is about (of a leader's fate: his number).

    Attributes
    ----------
    decision
        What the roll is known by.
    faces, roll
        Equally likely rolls, and the roll, 0..faces-1.
    modifiers
        Label, amount, source of each that applied.
    chart, outcome
        The chart's name, and the outcome it gave, in its words.
    strengths
        What the chart's column was found from, where it compares strengths.
    """

    decision: Decision
    faces: int
    roll: int
    modifiers: tuple[tuple[str, int, str], ...]
    chart: str
    outcome: str
    strengths: Strengths | None


class Checked(Rolled):
    """A morale check; `morale` is the index 0..35 that the modified roll must beat."""

    morale: int


class Fired(Rolled):
    """An attack by fire; `target` is the top unit of the hex."""

    target: int


class Spared(Event):
    """A unit makes no check, by a modifier."""

    label: str
    source: str


class Broke(Event):
    """A unit that failed has a new state, as a `vocabulary.State`."""

    state: int


class Moved(Event):
    """Units of one hex ran, or fell back; `unit` is the first of them.

    Attributes
    ----------
    group
        All of them.
    rout
        Whether they rout; else they fall back.
    hexes
        How far from where they stood they end.
    bearing
        In which direction from there, in degrees to the right of where the first faced: -180 to 180.
    """

    group: tuple[int, ...]
    rout: bool
    hexes: int
    bearing: int


class Stuck(Event):
    """Units of one hex have nowhere to go: routers who cannot complete their move surrender, others stay."""

    group: tuple[int, ...]
    surrenders: bool


class Caught(Event):
    """A disordered unit that fell back enters a zone of cavalry and routs."""
