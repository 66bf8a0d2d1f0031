"""How a side is played, as data: distances in hexes, points, and ratios of increments (docs/doctrine.md).

Every number is declared once: its name, its limits, and what it says.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from sim.errors import UnknownNameError, did_you_mean
from sim.inputs import documents
from sim.inputs.documents import Document
from sim.inputs.fields import Built, Field, Integer, Number, Problems, Record, Text

DIRECTORY = Path(__file__).parents[1] / "data" / "doctrines"
DEFAULT = "balanced"
IDLE, MARCH = BASELINES = ("idle", "march")
"""Players without numbers, to measure others by."""
FAR_OFF = 99


class Part(Built):
    """A part of a style, declared by the kinds of its fields."""

    fields: ClassVar[dict[str, Field]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.fields = {name: one for name, one in vars(cls).items() if isinstance(one, Field)}
        cls.attributes = tuple(cls.fields)


def _hexes(doc: str) -> Any:
    return Integer(low=0, high=FAR_OFF, unit="hexes", doc=doc)


def _points(doc: str) -> Any:
    return Integer(low=0, high=FAR_OFF, unit="points", doc=doc)


def _ratio(doc: str) -> Any:
    return Number(low=0, high=FAR_OFF, doc=doc)


def _asked(doc: str) -> Any:
    """Odds, which others are divided by."""
    return Number(low=Fraction(1, 10), high=20, doc=doc)


def _weight(doc: str) -> Any:
    return Number(low=0, high=10, doc=doc)


def _share(doc: str) -> Any:
    return Number(low=0, high=1, doc=doc)


def _worth(doc: str) -> Any:
    return Integer(low=-FAR_OFF, high=FAR_OFF, unit="increments", doc=doc)


def _increments(doc: str) -> Any:
    return Integer(low=0, high=FAR_OFF, unit="increments", doc=doc)


def _turns(doc: str) -> Any:
    return Integer(low=0, high=FAR_OFF, unit="turns", doc=doc)


def _aim(doc: str) -> Any:
    return Integer(low=1, high=4, unit="hexes", doc=doc)


def _level(doc: str) -> Any:
    return Integer(low=1, high=4, doc=doc)


def _text(doc: str) -> Any:
    return Text(doc=doc)


def _part(part: type[Part]) -> Any:
    return Record(builds=part, fields=part.fields, doc=(part.__doc__ or "").rstrip("."))


class March(Part):
    """When infantry takes road march."""

    road: int = _hexes("nearest enemy at which infantry takes road march")
    gain: int = _points("what road march must save")
    guard: int = _hexes("enemies to a defile that they guard")


class Halt(Part):
    """How far from the nearest enemy units stop that do not mean to attack."""

    infantry: int = _hexes("from the nearest enemy")
    cavalry: int = _hexes("from the nearest enemy")
    guns: int = _hexes("from the nearest enemy")


class Deploy(Part):
    """When units form and face."""

    line: int = _hexes("nearest enemy at which infantry that stands takes line")
    two: int = _increments("from which a line stands in two hexes")
    horse: int = _hexes("nearest enemy cavalry at which it does not")
    face: int = _hexes("nearest enemy to whom units turn")


class Attack(Part):
    """When infantry gathers against a hex."""

    ratio: Fraction = _asked("attackers to what defends a hex")
    points: int = _points("from how far they come")
    holders: int = _points("from how far those come who hold, or leave the map")
    least: int = _increments("of an attacker")
    enough: Fraction = _ratio("attackers that are sent at most, to what defends a hex")
    beside: Fraction = _share("what an increment next to the hex counts")
    disordered: Fraction = _weight("what an increment in disorder counts")
    guns: Fraction = _weight("what an increment of unlimbered guns counts")
    storm: Fraction = _ratio("attackers to what stands in a hex, from which they stay in column to storm it")
    cover: Fraction = _weight("what an increment in general order counts")


class Fire(Part):
    """What a target is worth beyond its increments."""

    prey: int = _worth("of the hex that the unit means to attack")
    disordered: int = _worth("of troops in disorder")
    general_order: int = _worth("of infantry in general order")
    guns: int = _worth("of unlimbered guns")


class Assault(Part):
    """At which odds infantry assaults."""

    ratio: Fraction = _ratio("odds against troops in good order")
    disordered: Fraction = _ratio("odds against troops in disorder")
    guns: Fraction = _ratio("odds against guns alone")
    general_order: Fraction = _ratio("odds against troops in general order")
    chance: Fraction = _share("least chance that the defenders are broken")
    least: int = _increments("of an attacker")


class Take(Part):
    """How near a place units are that divide its hexes among them, and when they go there at any price."""

    near: int = _points("from the place")
    last: int = _turns("last turns of the order, in which no enemy near makes them stop")


class Hold(Part):
    """How near a place units are that hold it."""

    within: int = _points("from the place")


class Screen(Part):
    """How units screen: they stay between the enemy and their side."""

    gap: int = _hexes("from the nearest enemy")
    open: int = _hexes("nearest enemy at which infantry that can takes skirmish order")


class Beaten(Part):
    """Which units are beaten: they attack nobody, and are pulled out."""

    left: Fraction = _share("what a unit has left of its printed increments")
    level: int = _level("morale level of its organisation, 4 for never")
    away: int = _hexes("from the nearest enemy, where they stop")


class Guns(Part):
    """When batteries unlimber, and when they follow."""

    unlimber: int = _hexes("nearest enemy at which they unlimber")
    follow: int = _hexes("nearest enemy beyond which they limber again")


class Reserve(Part):
    """When reserves go up."""

    near: int = _hexes("nearest enemy at which infantry and guns go up")
    horse: int = _hexes("nearest enemy that cavalry follows")
    room: int = _hexes("nearest enemy from whom fresh cavalry goes back")
    rest: int = _hexes("from the nearest enemy, for cavalry that is not fresh")
    patience: int = _turns("in reserve at most")
    feed: Fraction = _share(
        "share of the infantry in front that is shaken, beaten or lost, at which they go up"
    )


class Charge(Part):
    """Which charges have good prospects, in increments of the riders to those of the target."""

    infantry: Fraction = _ratio("riders to infantry in good order")
    line: Fraction = _ratio("riders to infantry in line")
    disordered: Fraction = _ratio("riders to infantry in disorder")
    guns: Fraction = _ratio("riders to guns alone")
    cavalry: Fraction = _ratio("riders to cavalry")
    together: Fraction = _share("what the riders count of all who could charge the hex")
    flank: Fraction = _ratio("factor for flank and rear")
    least: int = _increments("of the riders")


class Square(Part):
    """When infantry tries to form square."""

    at: int = _aim("distance of the charge")
    least: int = _increments("of the infantry")


class Leaders(Part):
    """Where leaders are needed, in hexes that they would go for it."""

    routed: int = _hexes("to a routed unit")
    disordered: int = _hexes("to a disordered unit")
    attack: int = _hexes("to one that attacks")
    front: int = _hexes("to one next to an enemy")


class Style(Part):
    """A style of play."""

    title: str = _text("told above the file")
    march: March = _part(March)
    halt: Halt = _part(Halt)
    deploy: Deploy = _part(Deploy)
    attack: Attack = _part(Attack)
    fire: Fire = _part(Fire)
    assault: Assault = _part(Assault)
    evade: Fraction = _ratio("odds at which units retreat before melee")
    take: Take = _part(Take)
    hold: Hold = _part(Hold)
    screen: Screen = _part(Screen)
    beaten: Beaten = _part(Beaten)
    guns: Guns = _part(Guns)
    reserve: Reserve = _part(Reserve)
    charge: Charge = _part(Charge)
    square: Square = _part(Square)
    leaders: Leaders = _part(Leaders)


LIKE = Text(default="", doc="a style that comes with Carré: what this file leaves out is as there")


def record(base: Style | None = None) -> Record:
    """The fields of a file: all of them are needed, or, of one that is like another, none but the title."""
    return Record(
        builds=Style,
        doc="A style of play for Carré.",
        fields={"like": LIKE} | {name: _like(one, base, name) for name, one in Style.fields.items()},
    )


def _like(field: Field, base: Part | None, name: str) -> Field:
    """A field that is by default what it is in a part of a style."""
    if base is None or name == "title":
        return field
    own = getattr(base, name)
    if isinstance(field, Record):
        inner = {key: _like(one, own, key) for key, one in field.fields.items()}
        return field.changed(default=own, fields=inner)
    return field.changed(default=own)


@dataclass(frozen=True)
class Doctrine:
    """How a side is played: by a style, or (`style` None) as one of the `BASELINES`."""

    name: str
    style: Style | None

    def __str__(self) -> str:
        return self.name


def names() -> list[str]:
    """The styles that come with Carré, and the baselines."""
    return [*shipped(), *BASELINES]


def shipped() -> list[str]:
    """The styles that come with Carré."""
    return sorted(path.stem for path in DIRECTORY.glob("*.yaml"))


def locate(name: str, folder: Path | None = None) -> Path:
    """The file of a style that comes with Carré, or that of a path, from a folder.

    Raises
    ------
    UnknownNameError
        If it is neither.
    """
    if name in shipped():
        return DIRECTORY / f"{name}.yaml"
    path = documents.beside(folder, name)
    if path.suffix or documents.exists(path):
        return path
    hint = did_you_mean(name, names()) or f" Known: {', '.join(names())}, or the path of a .yaml file."
    raise UnknownNameError(f"there is no style '{name}'.{hint}".removesuffix("."))


def load(name: str = DEFAULT, folder: Path | None = None) -> Doctrine:
    """A style that comes with Carré, a baseline, or the style of a file.

    Raises
    ------
    UnknownNameError
        If there is none of that name.
    InputError
        If its file is not valid.
    """
    if name in BASELINES:
        return Doctrine(name, None)
    path = locate(name, folder)
    return Doctrine(path.stem, own(name) if path.parent == DIRECTORY else _style(documents.read(path)))


def files(name: object, folder: Path | None = None) -> list[Path]:
    """The files that the style of a side is read from, as far as they can be told: a scenario may leave it
    out."""
    if name in BASELINES or not isinstance(name, str | None):
        return []
    return list(dict.fromkeys([locate(name or DEFAULT, folder), locate(DEFAULT)]))


@cache
def own(name: str = DEFAULT) -> Style:
    """A style that comes with Carré."""
    return _style(documents.read(DIRECTORY / f"{name}.yaml"))


def _style(document: Document) -> Style:
    style, problems = check(document)
    problems.raise_first()
    assert style is not None
    return style


def check(document: Document) -> tuple[Style | None, Problems]:
    """The style of a document and everything that is wrong with it; no style if something is."""
    problems = Problems(document)
    named = document.data.get("like") if isinstance(document.data, dict) else None
    base = None
    if isinstance(named, str) and named in shipped() and document.path != DIRECTORY / f"{named}.yaml":
        base = own(named)
    elif isinstance(named, str):
        known = [one for one in shipped() if document.path != DIRECTORY / f"{one}.yaml"]
        hint = did_you_mean(named, known) or f" Known: {', '.join(known)}."
        problems.error(("like",), f"must be a style that comes with Carré, got {named!r}.{hint}"[:-1])
        return None, problems
    style = record(base).check(document.data, (), problems)
    return (None if problems.errors else style), problems
