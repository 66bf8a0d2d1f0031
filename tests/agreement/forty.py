"""A crowded field: the default charge with thirty-eight further units around it, placed differently in every
run.

A charge file holds eight neighbours on six lines; here they stand anywhere, so that nothing of a run is like
another and every lane asks the board something else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.battle.battle import Battle
from sim.battle.setup import set_up as ready
from sim.ensemble.dice import RandomDice
from sim.inputs import documents
from sim.rulesets.rulebook import Rulebook, rulebook
from sim.units import scenarios
from sim.units.charges import Charge, Unit
from sim.units.forces import kind_of
from sim.units.orders import Variant
from sim.units.placing import map_of
from sim.vocabulary import FORMATIONS
from tests.agreement.play.half import Half
from tests.agreement.play.hexes import Hex, distance
from tests.agreement.play.record import Record, record_of
from tests.agreement.play.run import Roll, Run
from tests.agreement.play.setup import set_up

NEAR, FAR = 3, 12
"""Hexes from the charge's way within which units stand: one in five near, the others far."""

_CHUNK = 8
"""Neighbours that one charge file holds."""

_FOOT: dict[str, Any] = {"nation": "Prussian", "type": "Musketeer", "morale": 31, "melee": 14, "fire": 5}
_LIGNE: dict[str, Any] = _FOOT | {"nation": "French", "type": "Ligne", "morale": 26, "side": "charger"}
_GUNS: dict[str, Any] = {"arm": "artillery", "nation": "Prussian", "fire": 16, "increments": 3}
_HORSE: dict[str, Any] = {
    **{"arm": "cavalry", "nation": "Prussian", "type": "Dragoon", "morale": 25},
    **{"melee": 26, "movement": 12},
}
_DRAGOONS: dict[str, Any] = _HORSE | {"nation": "French", "side": "charger"}
_ROUTED = {"state": "routed", "formation": "column"}
_DISORDERED = {"state": "disordered", "formation": "column"}

_NEIGHBOURS: tuple[dict[str, Any], ...] = (
    *({**_FOOT, "formation": "column", "response": f"carre@{k}"} for k in (1, 2, 3, 4)),
    *({**_FOOT, "formation": "line", "response": f"carre@{k}"} for k in (4, 3)),
    {**_FOOT, "formation": "line"},
    {**_FOOT, "formation": "line", "increments": 1, "printed": 8},
    *({**_FOOT, "formation": "square"} for _ in range(2)),
    {**_FOOT, "type": "Fusilier", "formation": "skirmish"},
    {**_FOOT, "formation": "general order"},
    {**_FOOT, **_DISORDERED},
    {**_FOOT, **_ROUTED},
    *(_GUNS for _ in range(3)),
    {**_GUNS, "formation": "limbered"},
    {**_HORSE, "formation": "line"},
    *({**_LIGNE, "formation": "column"} for _ in range(4)),
    *({**_LIGNE, "formation": "line"} for _ in range(3)),
    {**_LIGNE, "formation": "square"},
    {**_LIGNE, "type": "Légère", "formation": "skirmish"},
    {**_LIGNE, **_DISORDERED},
    *({**_LIGNE, **_ROUTED} for _ in range(2)),
    *({**_GUNS, "nation": "French", "side": "charger"} for _ in range(2)),
    *(_DRAGOONS for _ in range(2)),
    {**_DRAGOONS, **_ROUTED},
    {**_DRAGOONS, "type": "Hussar", "formation": "line"},
)
_CHANGES = {
    "reactor": {
        **{
            "nation": "Prussian",
            "type": "Dragoon",
            "movement": 12,
            "increments": 6,
            "melee": 26,
            "morale": 25,
        },
        **{"at": "rear", "hexes": 3},
    },
    "plan": {"square": "ride over"},
}


@cache
def forty() -> Charge:
    """The charge with all its units; where its neighbours and its reactor stand means nothing."""
    return replace(_charge(()), neighbours=tuple(_mustered()))


def _mustered() -> Iterator[Unit]:
    number = 0
    for first in range(0, len(_NEIGHBOURS), _CHUNK):
        for unit in _charge(_NEIGHBOURS[first : first + _CHUNK]).neighbours:
            number += 1
            yield replace(unit, id=f"neighbour-{number}", name=f"unit {number}")


def _charge(neighbours: tuple[dict[str, Any], ...]) -> Charge:
    placed = [
        {"increments": 7} | one | {"at": "front-left", "hexes": k} for k, one in enumerate(neighbours, 2)
    ]
    default = documents.read(scenarios.DEFAULT)
    leader = {"morale": 3, "cavalry": 1}
    stacks = {name: {**default.data[name], "leader": leader} for name in ("charger", "target")}
    document = replace(default, data=default.data | _CHANGES | stacks | {"neighbours": placed}, places={})
    charge, problems = scenarios.check(document)
    problems.raise_first()
    assert charge is not None
    return charge


@cache
def book() -> Rulebook:
    """The rulebook it is played by."""
    return rulebook(forty().ruleset, forty().switches)


@dataclass(frozen=True)
class Placing:
    """Where everybody stands when a run begins.

    Attributes
    ----------
    hexes
        By unit number.
    facings
        In twelfths of a turn, by unit number.
    """

    hexes: tuple[Hex, ...]
    facings: tuple[int, ...]


@cache
def placing(run: int, seed: int = 6) -> Placing:
    """Where everybody stands in a run: charger and target as the charge says, the others anywhere around its
    way, some with a friend of their arm and formation in one hex."""
    charge, rng = forty(), np.random.default_rng([seed, run])
    way = [at for at, _ in charge.attacks[0].trail]
    corner = _corners()
    hexes, facings = [way[0], charge.attacks[0].at], [0, int(6 + corner[1])]
    taken = {*way, *hexes} if rng.random() < 0.8 else set(hexes)
    for number in range(len(hexes), len(charge.units)):
        friends = _alike(number) if rng.random() < 0.15 else []
        shared = [at for at in (hexes[one] for one in friends) if hexes.count(at) < 2]
        at = shared[0] if shared else _anywhere(rng, way, taken)
        hexes.append(at)
        taken.add(at)
        mate = facings[hexes.index(at)] if shared else 2 * int(rng.integers(6)) + int(corner[number])
        facings.append(mate)
    return Placing(tuple(hexes), tuple(facings))


@cache
def _corners() -> NDArray[np.int64]:
    """1 for units that face a corner, 0 for those that face a hexside."""
    rules = book()
    kinds = [kind_of(unit, rules.light_from) for unit in forty().units]
    shapes = [FORMATIONS.index(unit.formation) for unit in forty().units]
    return np.asarray(rules.corner_facing[kinds, shapes], np.int64)


@cache
def _alike(number: int) -> list[int]:
    """Earlier neighbours who may share a unit's hex."""
    units = forty().units
    one = units[number]
    return [k for k in range(2, number) if _kind(units[k]) == _kind(one)]


def _kind(unit: Unit) -> tuple[str, ...]:
    return unit.side, unit.arm, unit.formation, unit.response


def _anywhere(rng: np.random.Generator, way: list[Hex], taken: set[Hex]) -> Hex:
    while True:
        radius = NEAR if rng.random() < 0.2 else FAR
        q, r = rng.integers(-radius, radius + 1, 2).tolist()
        middle = way[int(rng.integers(len(way)))]
        at = middle[0] + q, middle[1] + r
        if distance(at, middle) <= radius and at not in taken:
            return at


def play_placed(placed: Placing, response: str, roll: Roll) -> Record:
    """A run by the scalar play, its units where they are placed."""
    run = Run(forty(), [response], roll, False)
    set_up(run)
    for piece, at, facing in zip(run.pieces, placed.hexes, placed.facings, strict=True):
        piece.at, piece.facing = at, facing
    Half(run).env.run()
    return record_of(run)


def half_of(response: str, seed: int, first: int, runs: int) -> Battle:
    """Runs first..first+runs-1 for the engine, a lane each: all is ready, and nothing is asked yet.

    A half is set up as its file says; units may be moved, in each lane for itself, until it is run.
    """
    charge = forty()
    dice = RandomDice(seed, first, runs, lumped=False)
    half = ready(charge, dice, [(Variant.of(charge.attacks[0], response),)])
    half.forces.hex[:], half.forces.facing[:] = _rows(first, runs)
    return half


@cache
def _rows(first: int, runs: int) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Hexes by number, and facings, in runs from a first one on, shape (units, runs)."""
    map_, placings = map_of(forty()), [placing(run) for run in range(first, first + runs)]
    hexes = [[map_.number(at) for at in one.hexes] for one in placings]
    return np.array(hexes, np.int16).T, np.array([one.facings for one in placings], np.int16).T
