"""A scenario, complete: who fights where under which rules, from when to when, and for what."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, fields, is_dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from sim.board.hexmap import Hex
from sim.board.mapfile import Sheet
from sim.inputs.documents import Document
from sim.rulesets.catalogue import RuleSet
from sim.units.rosters import RosterLeader, RosterUnit
from sim.units.styles import Doctrine
from sim.units.victory import Rung

MINUTES = 20
"""Length of a turn (scale of the game)."""
AGAIN = -1
"""Outcome of a delay roll: rolled again next turn."""


def clock(minutes: int) -> str:
    """A time of the day.

    >>> clock(580)
    '9:40'
    """
    return f"{minutes // 60}:{minutes % 60:02}"


def canonical(value: object) -> str:
    """A value as text that is the same in every process: fields and names in order, sets sorted.

    >>> canonical({"b": {2, 1}, "a": Fraction(1, 2)})
    "{'a':1/2,'b':{1,2}}"
    """
    if is_dataclass(value) and not isinstance(value, type):
        parts = (getattr(value, one.name) for one in fields(value) if one.compare)
        return f"{type(value).__name__}({','.join(map(canonical, parts))})"
    if isinstance(value, Mapping):
        pairs = sorted(f"{canonical(name)}:{canonical(one)}" for name, one in value.items())
        return f"{{{','.join(pairs)}}}"
    if isinstance(value, Set):
        return f"{{{','.join(sorted(map(canonical, value)))}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(canonical, value))}]"
    return str(value) if isinstance(value, Fraction) else repr(value)


@dataclass(frozen=True)
class Calendar:
    """The turns of a battle; times in minutes of the day, of the first turn and of the last one played."""

    start: int
    end: int

    @property
    def turns(self) -> int:
        """How many there are: the end names the last one played.

        >>> Calendar(9 * 60, 16 * 60).turns
        22
        """
        return (self.end - self.start) // MINUTES + 1

    def minutes(self, turn: int) -> int:
        """The time of a turn, counted from 1."""
        return self.start + (turn - 1) * MINUTES

    def clock(self, turn: int) -> str:
        """The time of a turn in words."""
        return clock(self.minutes(turn))

    def turn_at(self, minutes: int) -> int:
        """The turn that begins at a time or is going on then.

        >>> Calendar(9 * 60, 16 * 60).turn_at(9 * 60 + 40)
        3
        """
        return (minutes - self.start) // MINUTES + 1

    def hourly(self, turn: int) -> bool:
        """Whether a turn begins on the hour."""
        return self.minutes(turn) % 60 == 0


@dataclass(frozen=True)
class Side:
    """A side: its name, the direction 0..5 in which its units go home, the hexes by which they may leave the
    map, and how it is played."""

    name: str
    home: int
    exits: tuple[Hex, ...]
    doctrine: Doctrine


@dataclass(frozen=True)
class Organisation:
    """What reaches morale levels together.

    Attributes
    ----------
    units
        Numbers of its units; of these its infantry counts.
    thresholds
        Battalions routed or eliminated at which it reaches level 1, 2, 3; None where only their number is
        known (see `sim.rules.levels.thresholds`).
    penalties
        Steps on morale checks of its infantry at level 1, 2, 3; None for those of the rule set.
    """

    name: str
    side: int
    units: tuple[int, ...]
    battalions: int
    thresholds: tuple[int, int, int] | None
    penalties: tuple[int, int, int] | None


@dataclass(frozen=True)
class Placement:
    """Where a unit (or a leader) stands at the start.

    Attributes
    ----------
    number
        Of the unit, or of the leader.
    leader
        Which of the two.
    second
        The second hex of a unit in two hexes.
    facing
        Twelfths of a turn clockwise: even numbers look across a hexside, odd ones at a corner.
    """

    number: int
    leader: bool
    hex: Hex
    second: Hex | None
    facing: int
    formation: str
    state: str
    readiness: str


@dataclass(frozen=True)
class DelayRoll:
    """A roll for reinforcements.

    Attributes
    ----------
    late
        Turns late by the face rolled, one die or the ladder of 36; `AGAIN` for another roll next turn.
    """

    late: tuple[int, ...]

    def chance(self, turns: int) -> Fraction:
        """Chance to come so many turns late.

        >>> DelayRoll((0, 0, 0, 0, 1, AGAIN)).chance(1)
        Fraction(5, 18)
        """
        again = Fraction(self.late.count(AGAIN), len(self.late))
        return sum(
            (
                again**rolls * Fraction(self.late.count(turns - rolls), len(self.late))
                for rolls in range(turns + 1)
            ),
            Fraction(0),
        )


@dataclass(frozen=True)
class Arrival:
    """Units, each in its formation, and leaders that come in a turn, by any of some hexes."""

    units: tuple[int, ...]
    leaders: tuple[int, ...]
    turn: int
    hexes: tuple[Hex, ...]
    formations: tuple[str, ...]
    delay: DelayRoll | None


@dataclass(frozen=True)
class Order:
    """What some units are to do from a turn on, to one (None: to the end)."""

    who: str
    units: tuple[int, ...]
    kind: str
    hexes: tuple[Hex, ...]
    begins: int
    ends: int | None


@dataclass(frozen=True, repr=False)
class Scenario:
    """A scenario, complete: names resolved, hexes found, defaults filled in.

    Attributes
    ----------
    name
        Of the file, without its ending.
    synthetic
        Whether its values are of our own making.
    units, leaders
        In the order of the rosters: unit order.
    first
        Number of the side that moves first.
    holders
        The side that holds a hex of a named place at the start.
    """

    name: str
    title: str
    synthetic: bool
    sources: tuple[str, ...]
    ruleset: RuleSet
    edition: int
    switches: dict[str, Any]
    sheet: Sheet
    calendar: Calendar
    units: tuple[RosterUnit, ...]
    leaders: tuple[RosterLeader, ...]
    sides: tuple[Side, Side]
    first: int
    organisations: tuple[Organisation, ...]
    placements: tuple[Placement, ...]
    arrivals: tuple[Arrival, ...]
    orders: tuple[Order, ...]
    holders: dict[Hex, int]
    ladder: tuple[Rung, ...]
    document: Document = field(compare=False)

    def __repr__(self) -> str:
        return f"<Scenario: {self.title}; {self.played_by}>"

    @property
    def played_by(self) -> str:
        """The rule set and edition it is played by, in words."""
        rules = self.ruleset
        return f"rule set {rules.name} v{rules.version} ({rules.digest}), edition {self.edition}"

    def identity(self) -> dict[str, Any]:
        """The scenario, and the rule set and edition it is played by."""
        own = {"scenario": self.name, "scenario_digest": self.digest}
        return own | self.ruleset.identity() | {"edition": self.edition}

    @cached_property
    def digest(self) -> str:
        """First 12 hex digits of the SHA-256 of all that is played: two scenarios with one digest play the
        same."""
        parts = [getattr(self, one.name) for one in fields(self) if one.name not in ("document", "ruleset")]
        text = canonical([self.ruleset.digest, *parts])
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @cached_property
    def side_of(self) -> tuple[int, ...]:
        """Number of the side of each unit."""
        names = [side.name for side in self.sides]
        return tuple(names.index(unit.side) for unit in self.units)
