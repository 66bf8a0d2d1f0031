"""Scenario files: found, loaded with their rosters and map, checked; nothing is played here.

What is wrong is noted, and something harmless stands in for it, so that everything else is checked in the
same go.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sim.board import maps
from sim.board.mapfile import Sheet
from sim.errors import InputError, UnknownNameError, did_you_mean, one_line, one_of
from sim.inputs import documents, tables
from sim.inputs.documents import Document, Key
from sim.inputs.fields import Problems
from sim.rulesets import kinds
from sim.rulesets.rulebook import Rulebook, rulebook
from sim.units import rosters, scenarios, styles
from sim.units.battlefields import SCENARIO
from sim.units.battles import (
    MINUTES,
    Calendar,
    Organisation,
    Scenario,
    Side,
    clock,
)
from sim.units.deployment import Deployment
from sim.units.named import Group
from sim.units.rosters import Entry
from sim.units.styles import Doctrine

DIRECTORY = Path(__file__).parents[1] / "data" / "scenarios"


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
    """The files that a scenario is read from: its own, its rosters and its map, its rule set's; as far as
    they can be told."""
    own = [] if document.path is None else [document.path]
    data = document.data if isinstance(document.data, dict) else {}
    rosters = data.get("rosters")
    named = [one for one in (rosters if isinstance(rosters, list) else [rosters]) if isinstance(one, str)]
    try:
        own += [documents.beside(_folder(document), name) for name in named]
        own += [_map_path(data["map"], document)] if isinstance(data.get("map"), str) else []
        sides = [one for one in data.get("sides") or () if isinstance(one, dict)]
        own += [path for one in sides for path in styles.files(one.get("style"), _folder(document))]
    except InputError:
        pass
    return list(dict.fromkeys([*own, *scenarios.files(document)]))


def _folder(document: Document) -> Path | None:
    return None if document.path is None else document.path.parent


def _map_path(name: str, document: Document) -> Path:
    """The file of a map that comes with Carré, or one by its path from the scenario."""
    return maps.locate(name) if name in maps.names() else documents.beside(_folder(document), name)


class _Levy(Deployment):
    """Turns checked fields into a scenario."""

    def scenario(self, raw: dict[str, Any]) -> Scenario | None:
        """The scenario; None where what everything else hangs on cannot be used."""
        problems = self.problems
        self.rules, switches = scenarios.rules_of(raw, problems)
        self.book: Rulebook = rulebook(self.rules, switches)
        self.calendar = self.turns(raw["turns"])
        self.sheet = self.map(raw["map"])
        self.rosters(raw["rosters"] or ())
        self.leave_out(raw["absent"] or ())
        if not self.units and not problems.errors:
            problems.error(("rosters",), "must have units, but they have none")
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
            if entry is not None
            for one in self.placement(entry, ("placement", i), placed)
        ]
        self.enemies_apart(placements)
        self.within_limits(placements)
        arrivals = [
            self.arrival(entry, ("reinforcements", i), raw["delays"], placed)
            for i, entry in enumerate(raw["reinforcements"])
            if entry is not None
        ]
        self.everybody(placed)
        orders = [
            one
            for i, entry in enumerate(raw["orders"])
            if entry is not None
            for one in self.order(entry, ("orders", i), sides)
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

    def leave_out(self, absent: Sequence[str | None]) -> None:
        """Who of the rosters takes no part."""
        known = [name for one in self.entries for name in (one.name, one.organisation)]
        for i, name in enumerate(absent):
            if name is not None and name not in known:
                told = f"must be of the rosters, got {name!r}.{did_you_mean(name, known)}"
                self.problems.error(self.element(("absent",), i), told.removesuffix("."))
        self.units = tuple(one for one in self.units if not {one.name, one.organisation} & {*absent})
        self.leaders = tuple(one for one in self.leaders if not {one.name, one.organisation} & {*absent})

    def both_sides(self, raw: list[dict[str, Any]]) -> tuple[Side, Side]:
        """Both sides, as the rosters have them."""
        problems, grid = self.problems, self.map_sheet.grid
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
                for hex_ in self.edge(name, self.element(("sides", i, "exits"), j))
            ]
            doctrine = self.doctrine(side["style"], ("sides", i, "style"))
            found.append(Side(side["name"], home, tuple(dict.fromkeys(exits)), doctrine))
        self.sides_of_rosters()
        return found[0], found[1]

    def doctrine(self, name: str, key: Key) -> Doctrine:
        """How a side is played."""
        folder = _folder(self.document)
        try:
            return styles.load(name, folder)
        except UnknownNameError as error:
            self.problems.error(key, str(error), named=False)
        except InputError as error:
            self.unread(key, str(error), styles.locate(name, folder))
        return styles.load()

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
                place = self.element((*key, "of"), j) if entry["of"] else key
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
            given = entry["thresholds"] if self.problems.sound(key) else None
            thresholds = given or (tuple(listed.rows[name]) if listed and name in listed.rows else None)
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

    def named(self) -> dict[str, Group]:
        """Everything that a name may stand for; what stands for two things is an error."""
        problems = self.problems
        groups: dict[str, Group] = {}
        for n, unit in enumerate(self.units):
            groups[unit.organisation] = groups.get(unit.organisation, Group()) + Group((n,))
        for n, leader in enumerate(self.leaders):
            groups[leader.organisation] = groups.get(leader.organisation, Group()) + Group((), (n,))
        for i, side in enumerate(self.sides):
            members = Group(
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
            members = Group(one.units, leaders)
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
                groups[entry.name] = Group((n,)) if place < 0 else Group((), (place,))
        return groups
