"""A style of play, as data: distances in hexes, points, and ratios of increments (docs/doctrine.md)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path

from sim.errors import UnknownNameError, did_you_mean
from sim.inputs import documents
from sim.inputs.documents import Document
from sim.inputs.fields import Built, Field, Flag, Integer, Number, Problems, Record, Text

DIRECTORY = Path(__file__).parents[1] / "data" / "doctrines"
FAR_OFF = 99


class March(Built):
    """When infantry takes road march."""

    road: int
    gain: int
    guard: int


class Halt(Built):
    """How far from the nearest enemy units stop that do not mean to attack."""

    infantry: int
    cavalry: int
    guns: int


class Deploy(Built):
    """When units form and face."""

    line: int
    two: int
    horse: int
    face: int


class Attack(Built):
    """When infantry gathers against a hex."""

    ratio: Fraction
    points: int
    holders: int
    least: int
    enough: Fraction
    beside: Fraction
    disordered: Fraction
    guns: Fraction
    cover: Fraction


class Fire(Built):
    """What a target is worth beyond its increments."""

    prey: int
    disordered: int
    general_order: int
    guns: int


class Assault(Built):
    """At which odds infantry assaults."""

    ratio: Fraction
    disordered: Fraction
    guns: Fraction
    general_order: Fraction
    least: int


class Take(Built):
    """How near a place units are that divide its hexes among them."""

    near: int


class Hold(Built):
    """How near a place units are that hold it."""

    within: int


class Guns(Built):
    """When batteries unlimber, and when they follow."""

    unlimber: int
    follow: int


class Reserve(Built):
    """When reserves go up."""

    near: int
    horse: int
    room: int
    rest: int
    patience: int


class Charge(Built):
    """Which charges have good prospects, in increments of the riders to those of the target."""

    infantry: Fraction
    line: Fraction
    disordered: Fraction
    guns: Fraction
    cavalry: Fraction
    together: Fraction
    flank: Fraction
    least: int
    tired: bool


class Leaders(Built):
    """Where leaders are needed, in hexes that they would go for it."""

    routed: int
    disordered: int
    attack: int
    front: int


class Square(Built):
    """When infantry tries to form square."""

    at: int
    least: int


class Style(Built):
    """A style of play."""

    title: str
    march: March
    halt: Halt
    deploy: Deploy
    attack: Attack
    fire: Fire
    assault: Assault
    evade: Fraction
    take: Take
    hold: Hold
    guns: Guns
    reserve: Reserve
    charge: Charge
    square: Square
    leaders: Leaders


def _hexes(doc: str) -> Field:
    return Integer(low=0, high=FAR_OFF, unit="hexes", doc=doc)


def _points(doc: str) -> Field:
    return Integer(low=0, high=FAR_OFF, unit="points", doc=doc)


def _ratio(doc: str) -> Field:
    return Number(low=0, high=FAR_OFF, doc=doc)


def _worth(doc: str) -> Field:
    return Integer(low=-FAR_OFF, high=FAR_OFF, unit="increments", doc=doc)


def _increments(doc: str) -> Field:
    return Integer(low=0, high=FAR_OFF, unit="increments", doc=doc)


STYLE = Record(
    builds=Style,
    fields={
        "title": Text(),
        "march": Record(
            builds=March,
            fields={
                "road": _hexes("nearest enemy at which infantry takes road march"),
                "gain": _points("what road march must save"),
                "guard": _hexes("enemies to a defile that they guard"),
            },
        ),
        "halt": Record(
            builds=Halt,
            fields={
                "infantry": _hexes("from the nearest enemy"),
                "cavalry": _hexes("from the nearest enemy"),
                "guns": _hexes("from the nearest enemy"),
            },
        ),
        "deploy": Record(
            builds=Deploy,
            fields={
                "line": _hexes("nearest enemy at which infantry that stands takes line"),
                "two": _increments("from which a line stands in two hexes"),
                "horse": _hexes("nearest enemy cavalry at which it does not"),
                "face": _hexes("nearest enemy to whom units turn"),
            },
        ),
        "attack": Record(
            builds=Attack,
            fields={
                "ratio": _ratio("attackers to what defends a hex"),
                "points": _points("from how far they come"),
                "holders": _points("from how far those come who hold, or leave the map"),
                "least": _increments("of an attacker"),
                "enough": _ratio("attackers that are sent at most, to what defends a hex"),
                "beside": _ratio("what an increment next to the hex counts"),
                "disordered": _ratio("what an increment in disorder counts"),
                "guns": _ratio("what an increment of unlimbered guns counts"),
                "cover": _ratio("what an increment in general order counts"),
            },
        ),
        "fire": Record(
            builds=Fire,
            fields={
                "prey": _worth("of the hex that the unit means to attack"),
                "disordered": _worth("of troops in disorder"),
                "general_order": _worth("of infantry in general order"),
                "guns": _worth("of unlimbered guns"),
            },
        ),
        "assault": Record(
            builds=Assault,
            fields={
                "ratio": _ratio("odds against troops in good order"),
                "disordered": _ratio("odds against troops in disorder"),
                "guns": _ratio("odds against guns alone"),
                "general_order": _ratio("odds against troops in general order"),
                "least": _increments("of an attacker"),
            },
        ),
        "evade": _ratio("odds at which units retreat before melee"),
        "take": Record(builds=Take, fields={"near": _points("from the place")}),
        "hold": Record(builds=Hold, fields={"within": _points("from the place")}),
        "guns": Record(
            builds=Guns,
            fields={
                "unlimber": _hexes("nearest enemy at which they unlimber"),
                "follow": _hexes("nearest enemy beyond which they limber again"),
            },
        ),
        "reserve": Record(
            builds=Reserve,
            fields={
                "near": _hexes("nearest enemy at which infantry and guns go up"),
                "horse": _hexes("nearest enemy that cavalry follows"),
                "room": _hexes("nearest enemy from whom fresh cavalry goes back"),
                "rest": _hexes("from the nearest enemy, for cavalry that is not fresh"),
                "patience": Integer(low=0, high=FAR_OFF, unit="turns", doc="in reserve at most"),
            },
        ),
        "charge": Record(
            builds=Charge,
            fields={
                "infantry": _ratio("riders to infantry in good order"),
                "line": _ratio("riders to infantry in line"),
                "disordered": _ratio("riders to infantry in disorder"),
                "guns": _ratio("riders to guns alone"),
                "cavalry": _ratio("riders to cavalry"),
                "together": _ratio("what the riders count of all who could charge the hex"),
                "flank": _ratio("factor for flank and rear"),
                "least": _increments("of the riders"),
                "tired": Flag(doc="whether tired cavalry charges"),
            },
        ),
        "square": Record(
            builds=Square,
            fields={
                "at": Integer(low=1, high=4, unit="hexes", doc="distance of the charge"),
                "least": _increments("of the infantry"),
            },
        ),
        "leaders": Record(
            builds=Leaders,
            fields={
                "routed": _hexes("to a routed unit"),
                "disordered": _hexes("to a disordered unit"),
                "attack": _hexes("to one that attacks"),
                "front": _hexes("to one next to an enemy"),
            },
        ),
    },
)


def names() -> list[str]:
    """The styles that come with Carré."""
    return sorted(path.stem for path in DIRECTORY.glob("*.yaml"))


@cache
def load(name: str) -> Style:
    """A style that comes with Carré.

    Raises
    ------
    UnknownNameError
        If there is none of that name.
    InputError
        If its file is not valid.
    """
    if name not in names():
        hint = did_you_mean(name, names()) or f" Known: {', '.join(names())}."
        raise UnknownNameError(f"there is no style '{name}'.{hint}".removesuffix("."))
    return check(documents.read(DIRECTORY / f"{name}.yaml"))


def check(document: Document) -> Style:
    """The style of a document.

    Raises
    ------
    InputError
        If it is not valid.
    """
    problems = Problems(document)
    style: Style = STYLE.check(document.data, (), problems)
    problems.raise_first()
    return style
