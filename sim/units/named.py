"""What the names in a scenario file stand for: sides, units, organisations, places, hexes and turns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sim.board.hexmap import Hex, distance
from sim.board.mapfile import Sheet
from sim.errors import InputError, did_you_mean, one_of
from sim.inputs.documents import Document, Key
from sim.inputs.fields import Problems
from sim.rulesets.catalogue import RuleSet
from sim.rulesets.rulebook import Rulebook
from sim.units.battles import MINUTES, Calendar, Organisation, clock
from sim.units.rosters import Entry, RosterLeader, RosterUnit


@dataclass(frozen=True)
class Group:
    """Units and leaders, by number."""

    units: tuple[int, ...] = ()
    leaders: tuple[int, ...] = ()

    def __add__(self, other: Group) -> Group:
        return Group(
            tuple(dict.fromkeys((*self.units, *other.units))),
            tuple(dict.fromkeys((*self.leaders, *other.leaders))),
        )


class Named:
    """Looks names up; one that stands for nothing is noted, with the nearest that does.

    Attributes
    ----------
    document, problems
        The file, and what is wrong with it.
    rules, book
        The rule set, and it under the scenario's switches.
    units, leaders
        Of all rosters, in their order.
    sides, homes
        Names of both sides, and the directions in which they go home.
    groups
        What names stand for.
    """

    rules: RuleSet
    book: Rulebook
    calendar: Calendar
    organisations: tuple[Organisation, ...]
    groups: dict[str, Group]
    homes: list[int]

    def __init__(self, document: Document, problems: Problems) -> None:
        self.document, self.problems = document, problems
        self.units: tuple[RosterUnit, ...] = ()
        self.leaders: tuple[RosterLeader, ...] = ()
        self.sides: list[str] = []
        self.sheet: Sheet | None = None

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Units and leaders."""
        return (*self.units, *self.leaders)

    @property
    def map_sheet(self) -> Sheet:
        """The map, where there is one: without it no name is looked up."""
        assert self.sheet is not None
        return self.sheet

    def element(self, key: Key, i: int) -> Key:
        """The place of an element of a field that may hold one value instead of a list."""
        return (*key, i) if isinstance(self.document.at(key), list) else key

    def side(self, name: str | None, key: Key) -> int:
        """Number of a side."""
        if name in self.sides:
            return self.sides.index(str(name))
        if self.problems.sound(key):
            self.problems.error(
                key,
                f"must be {one_of(self.sides)}, got {name!r}.{did_you_mean(name, self.sides)}".removesuffix(
                    "."
                ),
            )
        return 0

    def who(self, told: Iterable[str | None], key: Key) -> Group:
        """The units and leaders of some names."""
        found = Group()
        for i, name in enumerate(told):
            if name is None:
                continue
            if name in self.groups:
                found += self.groups[name]
                continue
            near = did_you_mean(name, self.groups)
            hint = (
                near or f" Organisations: {', '.join(dict.fromkeys(one.organisation for one in self.units))}."
            )
            told_ = f"must be a unit, a leader or an organisation, got {name!r}.{hint}"
            self.problems.error(self.element(key, i), told_.removesuffix("."))
        return found

    def edge(self, name: str | None, key: Key) -> tuple[Hex, ...]:
        """The hexes of an edge of the map."""
        edges = self.map_sheet.map.edges
        if name in edges:
            return edges[str(name)]
        if name is not None and self.problems.sound(key):
            hint = did_you_mean(name, edges) or f" Known: {', '.join(edges) or 'none'}."
            self.problems.error(key, f"must be an edge of the map, got {name!r}.{hint}".removesuffix("."))
        return ()

    def place(self, name: str | None, key: Key) -> tuple[Hex, ...]:
        """The hexes of a place of the map."""
        places = self.map_sheet.map.places
        if name in places:
            return places[str(name)]
        if name is not None and self.problems.sound(key):
            hint = did_you_mean(name, places) or f" Known: {', '.join(places) or 'none'}."
            self.problems.error(key, f"must be a place of the map, got {name!r}.{hint}".removesuffix("."))
        return ()

    def spot(self, text: str | None, key: Key, edges: bool = False) -> list[tuple[Hex, Hex | None]]:
        """The hexes of a number, of two that are joined, of a place, or of an edge."""
        sheet, problems = self.map_sheet, self.problems
        if text is None:
            return []
        named = sheet.map.edges if edges else sheet.map.places
        if text in named:
            return [(hex_, None) for hex_ in named[text]]
        if not text[0].isdigit():
            what = "an edge" if edges else "a place"
            hint = did_you_mean(text, named) or f" Known: {', '.join(named) or 'none'}."
            problems.error(
                key,
                f"must be the number of a hex or {what} of the map, got {text!r}.{hint}".removesuffix("."),
            )
            return []
        hexes: list[Hex] = []
        for part in text.split("+"):
            try:
                hexes.append(sheet.grid.hex_of(part.strip()))
            except InputError as error:
                problems.error(key, str(error))
                return []
        if len(hexes) > 2 or (len(hexes) == 2 and distance(*hexes) != 1):
            problems.error(key, f"must be one hex or two next to each other, got {text!r}")
            return []
        return [(hexes[0], hexes[1] if len(hexes) == 2 else None)]

    def spots(
        self, told: Iterable[str | None], key: Key, edges: bool = False
    ) -> list[tuple[Hex, Hex | None]]:
        """The hexes of several."""
        return [one for i, text in enumerate(told) for one in self.spot(text, self.element(key, i), edges)]

    def turn(self, raw: int | None, key: Key, default: int) -> int:
        """The turn of a time or a number, both from the file; one beyond the last turn never comes."""
        if raw is None:
            return default
        problems, calendar, written = self.problems, self.calendar, self.document.at(key)
        counted = isinstance(written, int) and not isinstance(written, bool)
        turn = raw if counted else calendar.turn_at(raw)
        got = str(raw) if counted else clock(raw)
        last = f"from {clock(calendar.start)} to {clock(calendar.end)} (1 to {calendar.turns})"
        if turn < 1 or not (counted or (raw - calendar.start) % MINUTES == 0):
            if problems.sound(key) and problems.sound(("turns",)):
                problems.error(key, f"must be a turn {last}, got {got}")
            return default
        if turn > calendar.turns + 1:
            problems.warn(key, f"never comes: turns go {last}, got {got}")
        return turn
