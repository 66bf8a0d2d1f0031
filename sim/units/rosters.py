"""Rosters: CSV files with a line a unit, the values as printed on the counters.

What is wrong is noted with its line, and something harmless stands in for it, so that a roster is checked in
one go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from sim.errors import InputError, did_you_mean, one_of
from sim.inputs import tables
from sim.inputs.documents import Key
from sim.inputs.fields import Choice, Field, Integer, Number, Problems, Record, Roll, Text
from sim.inputs.tables import Cells, Table
from sim.rulesets import catalogue
from sim.rulesets.blocks import Foot
from sim.rulesets.catalogue import RuleSet
from sim.vocabulary import ARMS

LEADER = "leader"
RANKS = ("division", "corps", "army", "cavalry", "artillery")
"""What a leader leads."""
LIMBERS = ("foot", "horse", "light", "heavy", "guard", "guard horse", "cossack")
"""Classes of guns whose limber numbers differ (B 5.2)."""
SIZES = ("battalion", "regiment")
"""What a counter of infantry or cavalry is, for stacking; a company counts as a battalion."""


class Word(Choice):
    """One of some words, which may be written short."""

    short: Mapping[str, str]

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        return super().check(self.short.get(str(value).lower(), value), key, problems)


_BONUS = Integer(low=-12, high=12, default=None, unit="steps of the ladder")
_ANY: dict[str, Field] = {
    "side": Text(longest=40, doc="the side that it fights for, as the scenario calls it"),
    "organisation": Text(longest=60, doc="division, brigade or corps: what thresholds and orders name"),
    "unit": Text(longest=60, doc="its name; where `count` is above 1, # stands for the number: #/9e Légère"),
    "arm": Word(
        values=(*ARMS, LEADER),
        short={"inf": "infantry", "cav": "cavalry", "art": "artillery", "guns": "artillery"},
        doc="infantry, cavalry, artillery (or inf, cav, art), or leader",
    ),
    "nation": Text(default=None, doc="a nation of the rule set"),
    "type": Text(
        default=None,
        doc="troop type; infantry: one of the rule set's troops, cavalry: as in its recall chart",
    ),
    "class": Choice(
        values=("light", "heavy"), default=None, doc="of cavalry; must fit `mp`, 13 or more is light"
    ),
    "count": Integer(low=1, high=40, default=1, doc="how many units of this kind"),
    "inc": Integer(low=1, high=36, default=None, doc="increments as printed"),
    "present": Integer(low=1, high=36, default=None, doc="increments at the start, if fewer"),
    "fire": Number(high=100, default=None, doc="printed fire value, of infantry in column"),
    "melee": Number(high=200, default=None, doc="printed melee value of the whole unit"),
    "morale": Roll(default=None, doc="printed morale, a roll of the ladder; low is good"),
    "mp": Integer(low=1, high=30, default=None, doc="printed movement"),
    "lance": Number(high=50, default=None, doc="lance bonus beside the melee value; above 0 makes lancers"),
    "size": Choice(
        values=SIZES, default=None, doc="for stacking: infantry is a battalion, cavalry a regiment, if empty"
    ),
    "limber": Choice(values=LIMBERS, default=None, doc="class of the guns, for the limber number"),
    "rank": Choice(values=RANKS, default=None, doc="what a leader leads"),
    "morale_bonus": _BONUS.changed(doc="of a leader: added to morale checks of his hex"),
    "artillery_bonus": _BONUS.changed(doc="of a leader: added to the fire dice of guns with him"),
    "melee_bonus": _BONUS.changed(doc="of a leader: added to the melee dice of an attack he leads"),
    "cavalry_bonus": _BONUS.changed(doc="of a leader: added to the melee dice of a cavalry attack"),
}
ROSTER = Record(fields=_ANY, doc="A roster for Carré: a line a unit.")
"""The columns of a roster."""

_ALL = ("side", "organisation", "unit", "arm", "count")
_FIGHTS = (*_ALL, "nation", "type", "inc", "present", "fire", "melee", "morale", "mp")
COLUMNS: dict[str, tuple[str, ...]] = {
    "infantry": (*_FIGHTS, "size"),
    "cavalry": (*_FIGHTS, "size", "class", "lance"),
    "artillery": (*_FIGHTS, "limber"),
    LEADER: (*_ALL, "rank", "mp", "nation", *(name for name in _ANY if name.endswith("_bonus"))),
}
"""The columns that mean something for an arm."""
NEEDED: dict[str, tuple[str, ...]] = {
    "infantry": ("nation", "type", "inc", "fire", "melee", "morale"),
    "cavalry": ("nation", "inc", "melee", "morale", "mp"),
    "artillery": ("nation", "inc", "fire"),
    LEADER: (),
}
"""Those that an arm needs besides side, organisation, unit and arm."""
DEFAULTS: dict[str, dict[str, Any]] = {
    "infantry": {"mp": 8, "lance": Fraction(0), "size": "battalion"},
    "cavalry": {"fire": Fraction(0), "lance": Fraction(0), "size": "regiment"},
    "artillery": {"melee": Fraction(3), "morale": 26, "mp": 8, "lance": Fraction(0), "limber": "foot"},
    LEADER: {"rank": "division", "mp": 12}
    | dict.fromkeys((name for name in _ANY if name.endswith("_bonus")), 0),
}
_STAND_INS: dict[str, Any] = {
    "nation": "",
    "inc": 1,
    "fire": Fraction(1),
    "melee": Fraction(1),
    "morale": 33,
    "mp": 12,
}


@dataclass(frozen=True)
class Entry:
    """A unit or a leader of a roster.

    Attributes
    ----------
    id
        Its name as names are compared: unique within the rosters of a scenario.
    organisation
        What it belongs to: division, brigade or corps.
    place
        `file:line`.
    """

    id: str
    name: str
    side: str
    organisation: str
    place: str = field(default="", compare=False, kw_only=True)


@dataclass(frozen=True)
class RosterUnit(Entry):
    """A unit of a roster.

    Attributes
    ----------
    increments, printed
        At the start, and at full strength, for which its values are printed.
    size
        One of `SIZES`; None of guns.
    limber
        Class of guns, one of `LIMBERS`; None of other arms.
    multiples, losses
        Fire multiples by formation, and (first, step) of the trigger of loss checks, of the rule set.
    """

    arm: str
    nation: str
    type: str | None
    increments: int
    printed: int
    fire: Fraction
    melee: Fraction
    morale: int
    movement: int
    lance: Fraction = Fraction(0)
    size: str | None = None
    limber: str | None = None
    multiples: dict[str, Fraction | None] = field(default_factory=dict)
    losses: tuple[int, int] = (1, 1)


@dataclass(frozen=True)
class RosterLeader(Entry):
    """A leader of a roster; bonuses in steps of the ladder."""

    rank: str
    morale: int
    artillery: int
    melee: int
    cavalry: int
    movement: int


@dataclass(frozen=True)
class Roster:
    """The units and leaders of a file, in its order."""

    name: str
    units: tuple[RosterUnit, ...]
    leaders: tuple[RosterLeader, ...]


def read(path: Path | str, rules: RuleSet | None = None) -> Roster:
    """The roster of a file.

    Raises
    ------
    InputError
        If the file is not valid; the first fault is told with its line.
    """
    roster, problems = check(tables.read(path), rules)
    problems.raise_first()
    return roster


def check(table: Table, rules: RuleSet | None = None) -> tuple[Roster, Problems]:
    """The roster of a table and everything that is wrong with it.

    Parameters
    ----------
    rules
        What nations and types are looked up in; None for the rule set that a comment line of the file names
        (`# ruleset: halle-1806`), and for none if there is no such line.
    """
    problems = Cells(table, "unit")
    if rules is None:
        rules = _said(table, problems)
    if table.columns and not set(table.columns) & set(ROSTER.fields):
        found = next(iter(table.columns))
        told = f"must begin with a row of column names (side, organisation, unit, arm, …), found {found!r}"
        problems.errors.clear()
        problems.error(("columns", "side"), told, named=False)
        return Roster(table.name, (), ()), problems
    rows = tables.check(table, ROSTER, problems)
    units: list[RosterUnit] = []
    leaders: list[RosterLeader] = []
    named: dict[str, int] = {}
    for i, row in enumerate(rows):
        if row["arm"] not in COLUMNS:
            continue
        _fitting(row, i, table, problems)
        for name in _names(row, i, problems):
            identifier = _identifier(name)
            if identifier in named:
                told = (
                    f"must be another name than in line {table.places[named[identifier],][0]}, got {name!r}"
                )
                problems.error((i, "unit"), told)
                break
            named[identifier] = i
            if row["arm"] == LEADER:
                leaders.append(_leader(name, identifier, row, table.where((i,))))
            else:
                units.append(_unit(name, identifier, row, i, table, rules, problems))
        if rules is not None:
            _known(row, i, rules, problems)
    problems.errors.sort(key=_line_of)
    if not rows and not problems.errors:
        problems.error(("rows",), "must have a row for each unit, but there is none", named=False)
    return Roster(table.name, tuple(units), tuple(leaders)), problems


def _line_of(told: str) -> int:
    """The line of a message, which begins with `file:line: `."""
    found = re.match(r".*?:(\d+): ", told)
    return int(found[1]) if found else 0


def _said(table: Table, problems: Problems) -> RuleSet | None:
    name = table.said.get("ruleset")
    if name is None:
        problems.warn(
            (),
            "nations and types are not checked: no comment line says by which rule set (# ruleset: NAME)",
        )
        return None
    try:
        return catalogue.load(name, folder=None if table.path is None else table.path.parent)
    except InputError as error:
        problems.error(("ruleset",), f"'# ruleset' {error}", named=False)
        return None


def _fitting(row: dict[str, Any], number: int, table: Table, problems: Problems) -> None:
    """Columns that the row's arm needs, and those that it does not have."""
    arm = row["arm"]
    for name in table.data[number]:
        if (
            name in ROSTER.fields
            and name not in COLUMNS[arm]
            and row[name]
            and problems.sound((number, name))
        ):
            hint = " (its bonus is 'morale_bonus')" if (arm, name) == (LEADER, "morale") else ""
            problems.error((number, name), f"must be empty for {arm}{hint}, got {table.data[number][name]!r}")
    for name in NEEDED[arm]:
        if name not in table.columns:
            if problems.sound(("columns", name)):
                told = f"must have the column '{name}', which {arm} needs, but it is missing"
                problems.error(("columns", name), told, named=False)
        elif row[name] is None and problems.sound((number, name)):
            problems.error(
                (number, name), f"must be {ROSTER.fields[name].expected()} for {arm}, but the cell is empty"
            )
    for name, value in DEFAULTS[arm].items():
        if row[name] is None:
            row[name] = value
    for name, value in _STAND_INS.items():
        if row[name] is None:
            row[name] = value
    if row["present"] is not None and row["present"] > row["inc"] and problems.sound((number, "inc")):
        told = f"must be at most the increments printed ({row['inc']}), got {row['present']}"
        problems.error((number, "present"), told)
    if arm == "artillery" and row["inc"] > 12 and problems.sound((number, "inc")):
        problems.error((number, "inc"), f"must be at most 12 for artillery, 4 guns each, got {row['inc']}")
    if arm == "infantry" and not row["fire"] and problems.sound((number, "fire")):
        problems.error((number, "fire"), "must be above 0 for infantry, got 0")


def _names(row: dict[str, Any], number: int, problems: Problems) -> list[str]:
    """The names of a row's units: the number in place of #, or behind the name."""
    name, count = row["unit"], row["count"] or 1
    if not isinstance(name, str):
        return []
    if count == 1:
        if "#" in name:
            problems.error((number, "unit"), f"must have # only where 'count' is above 1, got {name!r}")
        return [name]
    pattern = name if "#" in name else f"{name} #"
    return [pattern.replace("#", str(one + 1)) for one in range(count)]


def _identifier(name: str) -> str:
    """A name as names are compared: whatever its capitals and spaces."""
    return " ".join(name.casefold().split())


def _entry(name: str, identifier: str, row: dict[str, Any], place: str) -> dict[str, str]:
    """The fields of any `Entry`."""
    side, organisation = str(row["side"]), str(row["organisation"])
    return {"id": identifier, "name": name, "side": side, "organisation": organisation, "place": place}


def _leader(name: str, identifier: str, row: dict[str, Any], place: str) -> RosterLeader:
    return RosterLeader(
        **_entry(name, identifier, row, place),
        rank=row["rank"],
        morale=row["morale_bonus"],
        artillery=row["artillery_bonus"],
        melee=row["melee_bonus"],
        cavalry=row["cavalry_bonus"],
        movement=row["mp"],
    )


def _unit(
    name: str,
    identifier: str,
    row: dict[str, Any],
    number: int,
    table: Table,
    rules: RuleSet | None,
    problems: Problems,
) -> RosterUnit:
    multiples, losses = _troop(row, rules)
    return RosterUnit(
        **_entry(name, identifier, row, table.where((number,))),
        arm=row["arm"],
        nation=row["nation"],
        type=row["type"],
        increments=min(row["present"] or row["inc"], row["inc"]),
        printed=row["inc"],
        fire=row["fire"],
        melee=row["melee"],
        morale=row["morale"],
        movement=row["mp"],
        lance=row["lance"],
        size=row["size"],
        limber=row["limber"],
        multiples=multiples,
        losses=losses,
    )


def _troop(row: dict[str, Any], rules: RuleSet | None) -> tuple[dict[str, Fraction | None], tuple[int, int]]:
    """Fire multiples and the trigger of loss checks of a row's troops; none where the rule set has none."""
    if rules is None:
        return {}, (1, 1)
    if row["arm"] != "infantry":
        checks = rules.blocks.morale.loss_checks
        trigger = checks.cavalry if row["arm"] == "cavalry" else checks.artillery
        return {}, (trigger.first, trigger.step)
    entry = rules.troop(row["nation"], row["type"])
    if not isinstance(entry, Foot):
        return {}, (1, 1)
    multiples = {"line": entry.line, "square": entry.square, "skirmish": entry.skirmish}
    return multiples, (entry.losses.first, entry.losses.step)


def _known(row: dict[str, Any], number: int, rules: RuleSet, problems: Problems) -> None:
    """Nation, type and class must be such as the rule set has."""
    nations, nation, arm = rules.blocks.nations, row["nation"], row["arm"]
    right = nation in nations
    if nation and not right and problems.sound((number, "nation")):
        hint = did_you_mean(nation, nations) or f" Known: {', '.join(nations)}."
        problems.error(
            (number, "nation"), f"must be a nation of {rules.name}, got {nation!r}.{hint.removesuffix('.')}"
        )
    if arm == "infantry" and right and row["type"] is not None:
        types = rules.infantry(nation)
        if row["type"] not in types and problems.sound((number, "type")):
            hint = did_you_mean(row["type"], types) or f" Known: {', '.join(types)}."
            told = f"must be a troop type of {nation} infantry in {rules.name}, got {row['type']!r}.{hint}"
            problems.error((number, "type"), told.removesuffix("."))
    if arm == "artillery" and right and problems.sound((number, "limber")):
        classes = [one.class_ for one in rules.blocks.limber.rows if nation in one.nations]
        if row["limber"] not in classes:
            told = (
                f"must be a class of {nation} guns in {rules.name}, {one_of(classes) if classes else 'none'}"
            )
            problems.error((number, "limber"), f"{told}, got {row['limber']!r}")
    if arm != "cavalry" or not problems.sound((number, "mp")):
        return
    size = "light" if row["mp"] >= rules.blocks.charge.light_from else "heavy"
    if row["class"] not in (None, size) and problems.sound((number, "class")):
        told = f"must be {size} with a movement of {row['mp']}, got {row['class']!r}"
        problems.error((number, "class"), told)
    if not right or not problems.sound((number, "type")):
        return
    rows = [one for one in rules.blocks.recall.rows if nation in one.nations]
    if not any(row["type"] in (one.types or (row["type"],)) and (one.class_ or size) == size for one in rows):
        types_ = [kind for one in rows for kind in one.types or ()]
        known = f"one of {', '.join(types_)}" if types_ else f"cavalry that {nation} has"
        got = "nothing" if row["type"] is None else repr(row["type"])
        hint = did_you_mean(row["type"], types_) if row["type"] else ""
        told = f"must be {known} to find its row in the recall chart of {rules.name}, got {got}.{hint}"
        problems.error((number, "type"), told.removesuffix("."))
