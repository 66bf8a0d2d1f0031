"""Small positions made by hand: units on a map, and a battle about them with any dice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sim.battle.movement import Movement
from sim.board.hexmap import Hex, HexMap, Hexside, Rhombus
from sim.combat.play import Play
from sim.ensemble.cases import Cases
from sim.ensemble.dice import Dice
from sim.ensemble.frames import Flags
from sim.ensemble.lanes import Ensemble
from sim.rulesets.rulebook import Rulebook
from sim.units.charges import Leader, Unit
from sim.units.forces import Forces
from sim.units.record import Recorder
from tests.agreement.positions import book_of

RADIUS = 12
HOMES = (3, 0)
"""Home directions of side 0 and side 1."""


@dataclass(frozen=True)
class Placed:
    """A unit, its side, and where it stands: a hex and a facing 0..11."""

    unit: Unit
    side: int
    at: Hex
    facing: int = 0


def unit(name: str, side: int, at: Hex, facing: int = 0, **facts: Any) -> Placed:
    """A unit of eight increments in good order that checks at 33; `facts` as for `Unit`."""
    given = {
        "arm": "infantry",
        "nation": ("French", "Prussian")[side],
        "type": None,
        "formation": "column",
        "state": "good",
        "increments": 8,
        "printed": 8,
        "morale": 33,
        "melee": Fraction(8),
        "movement": 8,
    } | facts
    return Placed(Unit(id=name, name=name, side=("charger", "target")[side], **given), side, at, facing)


def battle(
    units: Sequence[Placed],
    dice: Dice,
    told: bool = False,
    terrain: Mapping[Hex, str] | None = None,
    hexsides: Mapping[Hexside, str] | None = None,
    roads: Iterable[Hexside] = (),
    leaders: Sequence[tuple[Leader | None, tuple[int, ...]]] = (),
    book: Rulebook | None = None,
    radius: int = RADIUS,
    lanes: int = 1,
) -> Play:
    """A battle in which they stand like that in every lane; the first is unit 0."""
    ensemble = Ensemble(len(units), len(leaders), dice.lanes(lanes))
    sides, map_ = (
        [one.side for one in units],
        HexMap(Rhombus(radius), terrain or {}, hexsides or {}, frozenset(roads)),
    )
    forces = Forces(
        ensemble,
        [one.unit for one in units],
        leaders,
        sides,
        [HOMES[side] for side in sides],
        map_,
        book or book_of("prusse-1806"),
        Recorder() if told else None,
    )
    for number, one in enumerate(units):
        forces.place(cases(forces, number), map_.number(one.at), one.facing)
    play = Play(forces, dice)
    play.moment = "1.1.charge"
    return play


def cases(forces: Forces, number: int) -> Cases:
    """A unit in every lane."""
    return forces.cases(np.ones(forces.ensemble.n, bool), number)


def play_out(movement: Movement) -> None:
    """A whole movement segment: everybody who is called answers."""
    while not movement.over:
        for number in movement.call():
            movement.answer(number)
        movement.wave()
    movement.close()


def flags(play: Play, *numbers: int) -> Flags:
    """Units by number in every lane."""
    found = np.zeros((play.ensemble.units, play.ensemble.n), bool)
    found[list(numbers)] = True
    return found


def hexes(play: Play, lane: int = 0) -> list[Hex | None]:
    """Where every unit is in a lane, None if it is gone."""
    return [play.forces.map.hex(int(at)) for at in play.forces.hex[:, lane]]


def told(play: Play) -> list[tuple[str, int]]:
    """What was told of the run: the kind of event, and the unit."""
    assert play.recorder is not None
    return [(type(entry.event).__name__, entry.event.unit) for entry in play.recorder.entries]
