"""Scenario files: found, loaded with their rosters and map, checked; nothing is played here.

What is wrong is noted, and something harmless stands in for it, so that everything else is checked in the
same go.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sim.board import maps
from sim.board.hexmap import Hex, distance
from sim.board.mapfile import Sheet
from sim.errors import InputError, UnknownNameError, did_you_mean, one_line, one_of
from sim.inputs import documents, tables
from sim.inputs.documents import Document, Key
from sim.inputs.fields import Problems
from sim.rulesets import kinds
from sim.rulesets.rulebook import Rulebook, rulebook
from sim.units import rosters, scenarios, victory
from sim.units.battlefields import JOINED, LEAVES, SCENARIO
from sim.units.battles import (
    MINUTES,
    Arrival,
    Calendar,
    DelayRoll,
    Order,
    Organisation,
    Placement,
    Scenario,
    Side,
    clock,
)
from sim.units.rosters import Entry, RosterLeader, RosterUnit
from sim.units.victory import AllOf, AnyOf, Condition, Least, Measure, Not, Rung
from sim.vocabulary import (
    ARMS,
    ARTILLERY_FORMATIONS,
    CAVALRY_FORMATIONS,
    FORMATIONS,
    INFANTRY_FORMATIONS,
    KINDS,
)

DIRECTORY = Path(__file__).parents[1] / "data" / "scenarios"
_FORMATIONS_OF = {
    "infantry": INFANTRY_FORMATIONS,
    "cavalry": (*CAVALRY_FORMATIONS, "road march"),
    "artillery": ARTILLERY_FORMATIONS,
}
_IN_TWO_HEXES = ("line", "skirmish")
_CORNERS = {
    True: ("SSE", "SSW", "W", "NNW", "NNE", "E"),
    False: ("ESE", "S", "WSW", "WNW", "N", "ENE"),
}
"""Names of the corners behind directions 0 to 5, of hexes that stand on a side, and on a corner."""
_MOST_SIDES = 2


def names() -> list[str]:
    """The scenarios that come with Carré."""
    return sorted(path.stem for path in DIRECTORY.glob("*.yaml"))


def locate(name: Path | str) -> Path:
    """The file of a scenario that comes with Carré, or the path itself.

    Raises
    ------
    UnknownNameError
        If it is neither.
    """
    if str(name) in names():
        return DIRECTORY / f"{name}.yaml"
    path = Path(name)
    if path.suffix or documents.exists(path):
        return path
    hint = did_you_mean(name, names()) or f" Known: {', '.join(names())}, or the path of a .yaml file."
    raise UnknownNameError(f"there is no scenario '{name}'.{hint}".removesuffix("."))


def load(name: Path | str, changes: Iterable[str] = ()) -> Scenario:
    """A scenario by name or path, with `--set` changes such as `turns.to=14:00`.

    Raises
    ------
    InputError
        If a file or a change is not valid; the first fault is told with its place.
    """
    document = documents.read(locate(name))
    for text in changes:
        document = scenarios.changed(document, text)
    scenario, problems = check(document)
    problems.raise_first()
    assert scenario is not None
    return scenario


def check(document: Document) -> tuple[Scenario | None, Problems]:
    """The scenario of a document, with its rosters and its map, and everything that is wrong with them; no
    scenario if something is."""
    problems = Problems(document)
    kind = kinds.kind_of(document.data)
    if kind != kinds.SCENARIO:
        problems.error((), f"must be a scenario, but looks like a {kind}")
        return None, problems
    raw = SCENARIO.check(document.data, (), problems)
    if raw is None:
        return None, problems
    scenario = _Levy(document, problems).scenario(raw)
    return (None if problems.errors else scenario), problems


def files(document: Document) -> list[Path]:
    """The rosters and the map that a scenario is read from, beside its own file and its rule set; as far as
    they are named."""
    data = document.data if isinstance(document.data, dict) else {}
    told = data.get("rosters")
    listed = [one for one in (told if isinstance(told, list) else [told]) if isinstance(one, str)]
    found = [documents.beside(_folder(document), one) for one in listed]
    if isinstance(data.get("map"), str):
        found.append(_map_path(str(data["map"]), document))
    return found


def _folder(document: Document) -> Path | None:
    return None if document.path is None else document.path.parent


def _map_path(name: str, document: Document) -> Path:
    """The file of a map that comes with Carré, or one by its path from the scenario."""
    return maps.locate(name) if name in maps.names() else documents.beside(_folder(document), name)


@dataclass(frozen=True)
class _Group:
    """Units and leaders, by number."""

    units: tuple[int, ...] = ()
    leaders: tuple[int, ...] = ()

    def __add__(self, other: _Group) -> _Group:
        return _Group(
            tuple(dict.fromkeys((*self.units, *other.units))),
            tuple(dict.fromkeys((*self.leaders, *other.leaders))),
        )


class _Levy:
    """Turns checked fields into a scenario."""

    def __init__(self, document: Document, problems: Problems) -> None:
        self.document, self.problems = document, problems
        self.units: tuple[RosterUnit, ...] = ()
        self.leaders: tuple[RosterLeader, ...] = ()
        self.sides: list[str] = []
        self.sheet: Sheet | None = None

    def scenario(self, raw: dict[str, Any]) -> Scenario | None:
        """The scenario; None where what everything else hangs on cannot be used."""
        problems = self.problems
        self.rules, switches = scenarios.rules_of(raw, problems)
        self.book: Rulebook = rulebook(self.rules, switches)
        self.calendar = self.turns(raw["turns"])
        self.sheet = self.map(raw["map"])
        self.rosters(raw["rosters"] or ())
        if not problems.sound(("sides",)) or self.sheet is None or not self.units:
            return None
        self.sides = [side["name"] for side in raw["sides"]]
        sides = self.both_sides(raw["sides"])
        if not problems.sound(("sides",)):
            return None
        first = self.side(raw["first"], ("first",)) if raw["first"] is not None else 0
        self.organisations = self.levelled(raw["organisations"])
        self.groups = self.named()
        self.homes = [side.home for side in sides]
        placed: Counter[tuple[bool, int]] = Counter()
        placements = [
            one
            for i, entry in enumerate(raw["placement"] or ())
            for one in self.placement(entry, ("placement", i), placed)
        ]
        self.enemies_apart(placements)
        arrivals = [
            one
            for i, entry in enumerate(raw["reinforcements"])
            if (one := self.arrival(entry, ("reinforcements", i), raw["delays"], placed)) is not None
        ]
        self.everybody(placed)
        orders = [
            one for i, entry in enumerate(raw["orders"]) for one in self.order(entry, ("orders", i), sides)
        ]
        return Scenario(
            name="scenario" if self.document.path is None else self.document.path.stem,
            title=raw["title"],
            synthetic=raw["synthetic"],
            sources=tuple(raw["sources"]),
            ruleset=self.rules,
            edition=raw["edition"] or self.rules.edition,
            switches=switches,
            sheet=self.sheet,
            calendar=self.calendar,
            units=self.units,
            leaders=self.leaders,
            sides=sides,
            first=first,
            organisations=self.organisations,
            placements=tuple(placements),
            arrivals=tuple(arrivals),
            orders=tuple(orders),
            holders=self.holders(raw["held"]),
            ladder=self.ladder(raw["victory"] or ()),
            document=self.document,
        )

    # -- what the rest hangs on ---------------------------------------------------------------------

    def turns(self, raw: dict[str, Any] | None) -> Calendar:
        """The calendar: whole turns from one time to a later one."""
        problems, key = self.problems, ("turns",)
        if raw is None or not problems.sound(key):
            return Calendar(0, 24 * 60 - MINUTES)
        start, end = raw["from"], raw["to"]
        if end < start:
            problems.error(
                (*key, "to"), f"must not be before the first turn, {clock(start)}, got {clock(end)}"
            )
        elif (end - start) % MINUTES:
            fitting = end - (end - start) % MINUTES
            told = f"must be whole turns of {MINUTES} minutes after {clock(start)}, got {clock(end)}"
            problems.error((*key, "to"), f"{told}: write {clock(fitting)} or {clock(fitting + MINUTES)}")
        return Calendar(start, max(start, end))

    def map(self, name: str | None) -> Sheet | None:
        """The map, under the scenario's rule set."""
        problems = self.problems
        if name is None:
            return None
        path = _map_path(name, self.document)
        try:
            sheet = maps.read(path if documents.exists(path) or path.suffix else name)
        except InputError as error:
            for told in error.args:
                self.unread(("map",), str(told), path)
            return None
        if problems.sound(("ruleset",)):
            errors, warnings = maps.check(replace(sheet, ruleset=self.rules.name), path.parent)
            problems.errors += map(one_line, errors)
            problems.warnings += map(one_line, warnings)
        return sheet

    def unread(self, key: Key, told: str, path: Path) -> None:
        """Note that a file cannot be read, at its own place if it has one, else where it is named."""
        if re.match(rf"{re.escape(str(path))}:[0-9]", told):
            self.problems.error(key, "", named=False)
            self.problems.errors[-1] = one_line(told)
        else:
            self.problems.error(key, told, named=False)

    def rosters(self, paths: Iterable[str]) -> None:
        """Units and leaders of all rosters, a name once."""
        problems, seen = self.problems, dict[str, str]()
        for i, name in enumerate(paths):
            key: Key = ("rosters", i) if isinstance(self.document.at(("rosters",)), list) else ("rosters",)
            if not isinstance(name, str):
                continue
            try:
                table = tables.read(documents.beside(_folder(self.document), name))
            except InputError as error:
                self.unread(key, str(error), documents.beside(_folder(self.document), name))
                continue
            roster, found = rosters.check(table, self.rules if problems.sound(("ruleset",)) else None)
            problems.errors += found.errors
            problems.warnings += found.warnings
            everybody: tuple[Entry, ...] = (*roster.units, *roster.leaders)
            for one in everybody:
                if one.id in seen:
                    told = f"'unit' must be another name than in {seen[one.id]}, got {one.name!r}"
                    problems.errors.append(one_line(f"{one.place}: {told}"))
                seen[one.id] = one.place
            self.units += roster.units
            self.leaders += roster.leaders

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Units and leaders."""
        return (*self.units, *self.leaders)

    def both_sides(self, raw: list[dict[str, Any]]) -> tuple[Side, Side]:
        """Both sides, as the rosters have them."""
        problems, grid = self.problems, self._sheet.grid
        one, other = self.sides
        if one == other:
            problems.error(("sides", 1, "name"), f"must be another name than the first side's, got {other!r}")
        found = []
        for i, side in enumerate(raw):
            home = 0
            if side["home"] in grid.compass:
                home = grid.compass.index(side["home"])
            else:
                told = f"must be one of the map's directions, {one_of(grid.compass)}, got {side['home']!r}"
                problems.error(("sides", i, "home"), told)
            exits = [
                hex_
                for j, name in enumerate(side["exits"])
                for hex_ in self.edge(name, self._place(("sides", i, "exits"), j))
            ]
            found.append(Side(side["name"], home, tuple(dict.fromkeys(exits))))
        self.sides_of_rosters()
        return found[0], found[1]

    def sides_of_rosters(self) -> None:
        """The rosters have both sides and no other."""
        problems, known = self.problems, dict.fromkeys(one.side for one in self.entries)
        for i, name in enumerate(self.sides):
            if name not in known:
                told = f"must be a side of the rosters, got {name!r}.{did_you_mean(name, known)}"
                problems.error(("sides", i, "name"), told.removesuffix("."))
        for name in known if problems.sound(("sides",)) else ():
            first = next(one for one in self.entries if one.side == name)
            if name not in self.sides:
                told = f"'side' must be {one_of(self.sides)} as in {self.document.name}, got {name!r}"
                problems.error(("sides",), f"{first.place}: {told}", named=False)

    # -- names --------------------------------------------------------------------------------------

    @property
    def _sheet(self) -> Sheet:
        assert self.sheet is not None
        return self.sheet

    def _place(self, key: Key, i: int) -> Key:
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

    def levelled(self, raw: Mapping[str, dict[str, Any]]) -> tuple[Organisation, ...]:
        """Organisations that reach levels: those of the file, else those of the rosters with infantry."""
        problems = self.problems
        listed = self.rules.blocks.levels
        known = dict.fromkeys(one.organisation for one in self.entries)
        infantry = {unit.organisation for unit in self.units if unit.arm == "infantry"}
        entries = dict(raw) or {
            name: {"of": None, "thresholds": None, "penalties": None} for name in known if name in infantry
        }
        found, taken = [], dict[int, str]()
        for name, entry in entries.items():
            key: Key = ("organisations", name)
            if entry is None:
                continue
            members: list[int] = []
            for j, part in enumerate(entry["of"] or (name,)):
                place = self._place((*key, "of"), j) if entry["of"] else key
                if part not in known:
                    hint = did_you_mean(part, known) or f" Known: {', '.join(known)}."
                    problems.error(
                        place,
                        f"must be an organisation of the rosters, got {part!r}.{hint}".removesuffix("."),
                    )
                members += [n for n, unit in enumerate(self.units) if unit.organisation == part]
            sides = dict.fromkeys(self.units[n].side for n in members)
            if len(sides) > 1:
                problems.error(key, f"must be of one side, got units of {' and '.join(sides)}")
            for n in members:
                if taken.setdefault(n, name) != name:
                    told = f"must not have {self.units[n].name!r}, which is of {taken[n]!r} already"
                    problems.error(key, told)
                    break
            battalions = sum(self.units[n].arm == "infantry" for n in members)
            thresholds = entry["thresholds"] or (
                tuple(listed.rows[name]) if listed and name in listed.rows else None
            )
            if members and not battalions:
                problems.error(key, "must have infantry: only battalions count for a level")
            elif thresholds and thresholds[0] > battalions and members:
                told = (
                    f"must have thresholds that its {battalions} battalions can reach, got {list(thresholds)}"
                )
                problems.error((*key, "thresholds") if entry["thresholds"] else key, told)
            side = self.sides.index(next(iter(sides))) if sides and next(iter(sides)) in self.sides else 0
            found.append(Organisation(name, side, tuple(members), battalions, thresholds, entry["penalties"]))
        if raw:
            for name in infantry:
                if not any(unit.organisation == name and n in taken for n, unit in enumerate(self.units)):
                    problems.warn(("organisations",), f"leave out {name}, whose infantry then has no level")
        return tuple(found)

    def named(self) -> dict[str, _Group]:
        """Everything that a name may stand for; what stands for two things is an error."""
        problems = self.problems
        groups: dict[str, _Group] = {}
        for n, unit in enumerate(self.units):
            groups[unit.organisation] = groups.get(unit.organisation, _Group()) + _Group((n,))
        for n, leader in enumerate(self.leaders):
            groups[leader.organisation] = groups.get(leader.organisation, _Group()) + _Group((), (n,))
        for i, side in enumerate(self.sides):
            members = _Group(
                tuple(n for n, one in enumerate(self.units) if one.side == side),
                tuple(n for n, one in enumerate(self.leaders) if one.side == side),
            )
            if groups.get(side, members) != members:
                problems.error(("sides", i, "name"), f"must not be that of an organisation, got {side!r}")
            groups[side] = members
        for one in self.organisations:
            leaders = tuple(
                n
                for n, leader in enumerate(self.leaders)
                if leader.organisation in {self.units[u].organisation for u in one.units} | {one.name}
            )
            members = _Group(one.units, leaders)
            if one.name in groups and set(groups[one.name].units) - set(members.units):
                told = "must not be called as a side or an organisation of the rosters that has other units"
                problems.error(("organisations", one.name), told)
            groups[one.name] = members
        for n, entry in enumerate(self.entries):
            if entry.name in groups:
                told = "'unit' must be another name than that of a side or an organisation"
                problems.errors.append(one_line(f"{entry.place}: {told}, got {entry.name!r}"))
            else:
                place = n - len(self.units)
                groups[entry.name] = _Group((n,)) if place < 0 else _Group((), (place,))
        return groups

    def who(self, told: Iterable[str | None], key: Key) -> _Group:
        """The units and leaders of some names."""
        found = _Group()
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
            self.problems.error(self._place(key, i), told_.removesuffix("."))
        return found

    def edge(self, name: str | None, key: Key) -> tuple[Hex, ...]:
        """The hexes of an edge of the map."""
        edges = self._sheet.map.edges
        if name in edges:
            return edges[str(name)]
        if name is not None and self.problems.sound(key):
            hint = did_you_mean(name, edges) or f" Known: {', '.join(edges) or 'none'}."
            self.problems.error(key, f"must be an edge of the map, got {name!r}.{hint}".removesuffix("."))
        return ()

    def spot(self, text: str | None, key: Key, edges: bool = False) -> list[tuple[Hex, Hex | None]]:
        """The hexes of a number, of two that are joined, of a place, or of an edge."""
        sheet, problems = self._sheet, self.problems
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
        return [one for i, text in enumerate(told) for one in self.spot(text, self._place(key, i), edges)]

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

    # -- who stands and comes where -----------------------------------------------------------------

    def formation(self, number: int, told: tuple[str | None, ...] | None, key: Key, usual: str) -> str:
        """The first of some formations that a unit's arm has."""
        unit, problems = self.units[number], self.problems
        own = _FORMATIONS_OF[unit.arm]
        default = (
            "limbered"
            if (unit.arm, usual) == ("artillery", "road march")
            else usual
            if usual in own
            else own[-1]
        )
        fitting = [one for one in told or () if one in own]
        if told and not fitting:
            if None not in told and problems.sound(key):
                problems.error(
                    key, f"must be {one_of(own)} for {unit.name} ({unit.arm}), got {one_of(list(told))}"
                )
            return default
        if not fitting:
            return default
        multiple = unit.multiples.get(str(fitting[0]), True)
        if multiple is None and problems.sound(key):
            lacks = f"it has no {fitting[0]} in {self.rules.name}"
            problems.error(key, f"must be one that {unit.nation} {unit.type} can take; {lacks}")
        return str(fitting[0])

    def facing(self, number: int, formation: str, told: tuple[str | None, ...] | None, key: Key) -> int:
        """Twelfths of a turn: the first of some directions that the unit can face in its formation."""
        unit, grid = self.units[number], self._sheet.grid
        kind = unit.arm
        if kind == "cavalry":
            kind = "light cavalry" if unit.movement >= self.book.light_from else "heavy cavalry"
        corner = int(self.book.corner_facing[KINDS.index(kind), FORMATIONS.index(formation)])
        own = _CORNERS[grid.flat] if corner else grid.compass
        if told is None:
            side = self.sides.index(unit.side) if unit.side in self.sides else 0
            return 2 * ((self.homes[side] + 3) % 6) + corner
        fitting = [one for one in told if one in own]
        if not fitting:
            if None not in told and self.problems.sound(key):
                what = "a corner of its hex" if corner else "a side of its hex"
                told_ = (
                    f"must be {what}, {one_of(own)}, for {unit.name} in {formation}, got {one_of(list(told))}"
                )
                self.problems.error(key, told_)
            return corner
        return 2 * own.index(str(fitting[0])) + corner

    def placement(
        self, raw: dict[str, Any], key: Key, placed: Counter[tuple[bool, int]]
    ) -> Iterator[Placement]:
        """Where units and leaders stand: units dealt to the hexes in order, leaders in the first."""
        problems = self.problems
        group = self.who(raw["who"] or (), (*key, "who"))
        spots = self.spots(raw["at"] or (), (*key, "at"))
        self.once(group, (*key, "who"), placed)
        if not spots:
            return
        many = len(group.units) or 1
        if len(spots) > many and len(raw["at"]) == 1:
            spots = spots[:many]  # a place larger than its garrison
        if len(spots) > many and problems.sound((*key, "at"), (*key, "who")):
            problems.error((*key, "at"), f"must be at most as many hexes as units, {many}, got {len(spots)}")
        for i, number in enumerate(group.units):
            hex_, second = spots[min(i * len(spots) // len(group.units), len(spots) - 1)]
            formation = self.formation(number, raw["formation"], (*key, "formation"), "column")
            if raw["formation"] is None and self.units[number].arm == "artillery":
                formation = "unlimbered"
            formation = self.ground(number, (hex_, second), formation, raw["formation"] is None, key)
            facing = self.facing(number, formation, raw["facing"], (*key, "facing"))
            yield Placement(number, False, hex_, second, facing, formation, raw["state"], raw["readiness"])
        for number in group.leaders:
            yield Placement(number, True, spots[0][0], None, 0, "column", "good", "fresh")

    def ground(self, number: int, hexes: tuple[Hex, Hex | None], formation: str, free: bool, key: Key) -> str:
        """The formation in which a unit stands on its ground, which must be the one told unless it is free;
        two hexes for formations that may have them."""
        unit, sheet, book, problems = self.units[number], self._sheet, self.book, self.problems
        if hexes[1] is not None and (unit.arm != "infantry" or formation not in _IN_TWO_HEXES):
            told = f"must be one hex for {unit.name}: only infantry in line or skirmish order has two"
            problems.error((*key, "at"), told)
        for at in hexes:
            name = "clear" if at is None else sheet.map.terrain.get(at, "clear")
            if at is None or name not in book.terrains:
                continue
            place = ARMS.index(unit.arm), FORMATIONS.index(formation), book.terrains.index(name)
            after = int(book.formation_after[place])
            if after < 0 or getattr(self.rules.blocks.terrain.rows[name], unit.arm) is None:
                told = f"must be ground where {unit.arm} in {formation} may be"
                problems.error(
                    (*key, "at"), f"{told}, but hex {sheet.grid.label(at)} is {name} ({unit.name})"
                )
            elif FORMATIONS[after] != formation and not free and problems.sound((*key, "formation")):
                told = f"must be {FORMATIONS[after]} in {name} ({unit.name} in {sheet.grid.label(at)})"
                problems.error((*key, "formation"), f"{told}, got {formation}")
            elif free:
                formation = FORMATIONS[after]
        return formation

    def once(self, group: _Group, key: Key, placed: Counter[tuple[bool, int]]) -> None:
        """Nobody stands or comes twice."""
        for leader, numbers in ((False, group.units), (True, group.leaders)):
            for number in numbers:
                placed[leader, number] += 1
                if placed[leader, number] == 2:
                    name = self.entries[number + len(self.units) * leader].name
                    told = f"must not have {name} a second time: it is placed, or a reinforcement, already"
                    self.problems.error(key, told)

    def everybody(self, placed: Counter[tuple[bool, int]]) -> None:
        """Everybody stands somewhere or comes."""
        if not self.problems.sound(("placement",), ("reinforcements",)):
            return
        units = [one.name for number, one in enumerate(self.units) if not placed[False, number]]
        leaders = [one.name for number, one in enumerate(self.leaders) if not placed[True, number]]
        missing = [*units, *leaders]
        if missing:
            some = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
            self.problems.error(
                ("placement",), f"must have everybody who is no reinforcement; missing {some}"
            )

    def enemies_apart(self, placements: Iterable[Placement]) -> None:
        """No hex holds units of both sides."""
        there: dict[Hex, int] = {}
        for one in placements:
            if one.leader:
                continue
            side = self.sides.index(self.units[one.number].side)
            for at in (one.hex, one.second):
                if at is not None and there.setdefault(at, side) != side:
                    told = f"must not have both sides in one hex, but {self._sheet.grid.label(at)} has"
                    self.problems.error(("placement",), told)
                    return

    def arrival(
        self, raw: dict[str, Any], key: Key, delays: Mapping[str, Any], placed: Counter[tuple[bool, int]]
    ) -> Arrival | None:
        """Who comes when and where."""
        problems = self.problems
        group = self.who(raw["who"] or (), (*key, "who"))
        self.once(group, (*key, "who"), placed)
        hexes = [hex_ for hex_, _ in self.spots(raw["at"] or (), (*key, "at"), edges=True)]
        turn = self.turn(raw["turn"], (*key, "turn"), 1)
        delay = raw["delay"]
        if isinstance(delay, str):
            if delay not in delays:
                hint = did_you_mean(delay, delays) or f" Known: {', '.join(delays) or 'none'}."
                problems.error(
                    (*key, "delay"), f"must be one of 'delays', got {delay!r}.{hint}".removesuffix(".")
                )
            delay = delays.get(delay)
        formations = tuple(
            self.formation(number, raw["formation"], (*key, "formation"), "road march")
            for number in group.units
        )
        return Arrival(
            group.units, group.leaders, turn, tuple(hexes), formations, DelayRoll(delay) if delay else None
        )

    def order(self, raw: dict[str, Any], key: Key, sides: tuple[Side, Side]) -> Iterator[Order]:
        """What some units are to do."""
        problems, kind = self.problems, raw["order"]
        group = self.who(raw["who"] or (), (*key, "who"))
        begins = self.turn(raw["from"], (*key, "from"), 1)
        ends = None if raw["until"] is None else self.turn(raw["until"], (*key, "until"), begins)
        if ends is not None and ends < begins:
            problems.error((*key, "until"), "must not be before 'from'")
        hexes = [hex_ for hex_, _ in self.spots(raw["goal"], (*key, "goal"), edges=kind == "exit")]
        if kind in ("take", "hold") and not raw["goal"]:
            problems.error(
                key, f"must have the field 'goal' (what to {kind}), but it is missing", (*key, "goal")
            )
        if kind == "reserve" and raw["goal"]:
            problems.error((*key, "goal"), "must not be given for a reserve")
        for side in dict.fromkeys(self.units[number].side for number in group.units):
            own = sides[self.sides.index(side)]
            units = tuple(number for number in group.units if self.units[number].side == side)
            if kind == "exit" and not raw["goal"] and not own.exits:
                problems.error(
                    key, f"must have the field 'goal' (an edge), since {side} has no exits", (*key, "goal")
                )
            goal = tuple(hexes) or (own.exits if kind == "exit" else ())
            yield Order(", ".join(map(str, raw["who"])), units, kind, goal, begins, ends)

    def holders(self, raw: Mapping[str, Any]) -> dict[Hex, int]:
        """Who holds the hexes of places at the start."""
        found: dict[Hex, int] = {}
        for place, name in raw.items():
            side = self.side(name, ("held", place))
            found |= dict.fromkeys(self.place(place, ("held", place)), side)
        return found

    def place(self, name: str | None, key: Key) -> tuple[Hex, ...]:
        """The hexes of a place of the map."""
        places = self._sheet.map.places
        if name in places:
            return places[str(name)]
        if name is not None and self.problems.sound(key):
            hint = did_you_mean(name, places) or f" Known: {', '.join(places) or 'none'}."
            self.problems.error(key, f"must be a place of the map, got {name!r}.{hint}".removesuffix("."))
        return ()

    # -- victory ------------------------------------------------------------------------------------

    def ladder(self, raw: Iterable[dict[str, Any] | None]) -> tuple[Rung, ...]:
        """The results in order, each of which can come about: whatever happens, exactly one is the first."""
        problems, rungs = self.problems, list[Rung]()
        told = list(raw)
        for i, entry in enumerate(told):
            key: Key = ("victory", i)
            if entry is None:
                continue
            winner = None if entry["winner"] is None else self.side(entry["winner"], (*key, "winner"))
            last = i == len(told) - 1
            given = "when" in (self.document.at(key) or {})
            condition = self.condition(entry["when"], (*key, "when")) if given else None
            if last and given:
                problems.error(
                    (*key, "when"), "must not be given for the last result, which is that of all other ends"
                )
            if not last and not given:
                problems.error(
                    key, "must have the field 'when': only the last result has no condition", (*key, "when")
                )
            if any(entry["result"] == rung.result for rung in rungs):
                problems.error((*key, "result"), f"must be another name than before, got {entry['result']!r}")
            if condition is not None and problems.sound((*key, "when")):
                self.comes_about(condition, key, rungs)
            rungs.append(Rung(str(entry["result"]), winner, condition))
        return tuple(rungs)

    def comes_about(self, condition: Condition, key: Key, rungs: list[Rung]) -> None:
        """A condition can hold, and holds somewhere where none before it does."""
        if victory.contradicts(condition):
            self.problems.error((*key, "when"), "can never hold: its parts contradict each other")
            return
        for rung in rungs:
            if rung.condition is not None and victory.implies(condition, rung.condition):
                told = f"can never count: whenever it holds, {rung.result!r} holds already"
                self.problems.error((*key, "when"), told)
                return

    def condition(self, raw: Any, key: Key) -> Condition | None:
        """A condition with its names found; None where it is faulty."""
        if not isinstance(raw, dict) or not self.problems.sound(key):
            return None
        for name in JOINED:
            if name not in raw:
                continue
            if name == "not":
                inner = self.condition(raw[name], (*key, name))
                return None if inner is None else Not(inner)
            parts = [self.condition(one, (*key, name, i)) for i, one in enumerate(raw[name])]
            sound = tuple(one for one in parts if one is not None)
            if len(sound) < len(parts):
                return None
            return AllOf(sound) if name == "all" else AnyOf(sound)
        kind = next(name for name in LEAVES if name in raw)
        return self.compared(kind, raw, key)

    def compared(self, kind: str, raw: dict[str, Any], key: Key) -> Condition | None:
        """A comparison: at least or at most a number, which the measure can reach."""
        problems = self.problems
        measure, most = self.measure(kind, raw, key)
        if measure is None or not problems.sound(key):
            return None
        least, at_most = raw["at_least"], raw["at_most"]
        if least is None and at_most is None and kind == "held":
            least = most
        if (least is None) == (at_most is None):
            problems.error(key, "must have either 'at_least' or 'at_most'")
            return None
        name, number = ("at_least", least) if at_most is None else ("at_most", at_most)
        bottom = -most if kind == "balance" else 0
        if not bottom <= number <= most:
            told = f"must be from {bottom} to {most}, which is all there is, got {number}"
            problems.error((*key, name), told)
            return None
        return Least(measure, number) if at_most is None else Not(Least(measure, number + 1))

    def measure(self, kind: str, raw: dict[str, Any], key: Key) -> tuple[Measure | None, int]:
        """What a condition counts, and the most that this can be."""
        before = raw["before"]
        turn = None if before is None else self.turn(before, (*key, "before"), 2) - 1
        if turn == 0:
            self.problems.error((*key, "before"), "must be after the first turn")
        if kind == "level":
            names_ = [one.name for one in self.organisations]
            if raw[kind] not in names_:
                hint = did_you_mean(raw[kind], names_) or f" Known: {', '.join(names_)}."
                told = f"must be an organisation that reaches levels, got {raw[kind]!r}.{hint}"
                self.problems.error((*key, kind), told.removesuffix("."))
                return None, 0
            number = names_.index(raw[kind])
            return Measure(kind, self.organisations[number].side, organisation=number, turn=turn), 3
        if kind == "balance":
            side = self.side(raw[kind], (*key, kind))
            return Measure(kind, side, turn=turn), sum(unit.increments for unit in self.units)
        if kind == "held":
            hexes = [
                one
                for i, name in enumerate(raw[kind])
                for one in self.place(name, self._place((*key, kind), i))
            ]
            distinct = tuple(dict.fromkeys(hexes))
            return Measure(kind, self.side(raw["by"], (*key, "by")), hexes=distinct, turn=turn), len(distinct)
        group = self.who(raw[kind], (*key, kind))
        sides = dict.fromkeys(self.units[number].side for number in group.units)
        if len(sides) != 1:
            if self.problems.sound((*key, kind)):
                self.problems.error((*key, kind), "must be units of one side")
            return None, 0
        through = tuple(
            dict.fromkeys(
                hex_
                for i, name in enumerate(raw.get("through", ()))
                for hex_ in self.edge(name, self._place((*key, "through"), i))
            )
        )
        own = [self.units[number] for number in group.units]
        most = (
            sum(unit.arm == "infantry" for unit in own)
            if kind == "broken"
            else sum(unit.increments for unit in own)
        )
        side = self.sides.index(next(iter(sides)))
        return Measure(kind, side, units=tuple(sorted(group.units)), hexes=through, turn=turn), most
