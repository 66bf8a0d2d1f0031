"""A charge as a file and as one half of a scenario, whose player charges what it can: the same exact odds
(docs/battle.md K)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.battle.filed import FromFile
from sim.battle.players import Player
from sim.battle.setup import muster, play
from sim.board.hexmap import Hex, Rectangle, along
from sim.board.mapfile import parse
from sim.charge.charge import Charge
from sim.charge.declaration import Numbers
from sim.charge.waves import charges_of, possible_charges
from sim.combat.play import Play
from sim.ensemble.dice import ExhaustiveDice
from sim.ensemble.lanes import Ids
from sim.inputs.documents import Document
from sim.units import battlefiles, charges, scenarios
from sim.units.battles import Scenario
from sim.units.forces import Forces
from sim.units.orders import RESPONSE_CODES, Orders, Variant
from sim.vocabulary import CAVALRY, INFANTRY

WIDE, HIGH = 70, 60
HORSE: dict[str, Any] = {"nation": "French", "type": "Hussar", "movement": 14, "increments": 8}
HORSE |= {"melee": 28, "morale": 22}
FOOT: dict[str, Any] = {"nation": "Prussian", "type": "Musketeer", "increments": 7, "fire": 5}
FOOT |= {"melee": 16, "morale": 31}
GUNS: dict[str, Any] = {"increments": 3, "fire": 18}
MAP = (
    f"""title: open ground
ruleset: halle-1806
size: {WIDE} x {HIGH}
hexes: flat, second column low
numbers: 0101
synthetic: invented

legend:
  . clear

grid:
"""
    + ("  " + ".   " * (WIDE // 2) + "\n    " + ".   " * (WIDE // 2) + "\n") * HIGH
)
_SHEET = parse(MAP, "open.map")
assert isinstance(_SHEET.map.grid, Rectangle)
GRID = _SHEET.map.grid
TARGET: Hex = GRID.hex_of("3530")


class Idle(FromFile):
    """Does nothing, but answers charges in one way."""

    def __init__(self, play: Play, side: int, response: str = "stand") -> None:
        super().__init__(play, side, Orders(()))
        self.response = response

    def responses(self, units: Ids, lanes: Ids) -> Numbers:
        arm, carre = self.play.forces.arm[units], self.response.startswith("carre")
        able = arm == (INFANTRY if carre else CAVALRY)
        codes = np.where(able, RESPONSE_CODES[self.response], RESPONSE_CODES["stand"])
        return np.repeat(codes[:, None], len(lanes), axis=1)


class Charger(Idle):
    """Charges all that it can, in the order of its units, by one plan."""

    def __init__(self, play: Play, side: int, enemy: Idle, plan: Variant) -> None:
        super().__init__(play, side)
        self.enemy, self.plan = enemy, plan

    def charges(self) -> Sequence[Charge]:
        possible = possible_charges(self.play, self.side)
        return charges_of(self.play, self.side, possible, self.enemy, (self.plan,))


ROSTER = "side,organisation,unit,arm,nation,type,inc,fire,melee,morale,mp,rank,morale_bonus,cavalry_bonus"


def scenario(folder: Path, distance: int, guns: bool, second: int | None, leader: bool) -> Scenario:
    """Hussars so many hexes north-west of musketeers, both facing each other."""
    (folder / "open.map").write_text(MAP)
    rows = ["French,Horse,Hussars,cav,French,Hussar,8,,28,22,14,,,"]
    rows += ["French,Reserve,Hussars 2,cav,French,Hussar,8,,28,22,14,,,"] * (second is not None)
    rows += ["French,Horse,Lasalle,leader,,,,,,,,cavalry,3,1"] * leader
    rows += ["Prussian,Foot,Musketeers,inf,Prussian,Musketeer,7,5,16,31,8,,,"]
    rows += ["Prussian,Foot,Battery,art,Prussian,,3,18,,,,,,"] * guns
    (folder / "small.csv").write_text("\n".join(["# ruleset: halle-1806", ROSTER, *rows]) + "\n")
    label = GRID.label
    start = [{"who": "Horse", "at": label(along(TARGET, 3, distance)), "facing": "SE"}]
    if second is not None:
        start += [{"who": "Reserve", "at": label(along(TARGET, 2, second)), "facing": "NE"}]
    start += [{"who": "Foot", "at": label(TARGET), "facing": "NW"}]
    data = {
        **{"title": "a charge", "synthetic": True, "ruleset": "halle-1806", "map": "open.map"},
        **{"rosters": "small.csv", "turns": {"from": "9:00", "to": "9:00"}, "placement": start},
        "sides": [{"name": "French", "home": "NW"}, {"name": "Prussian", "home": "SE"}],
        "victory": [{"result": "draw"}],
    }
    found, problems = battlefiles.check(Document("a charge", data, path=folder / "charge.yaml"))
    assert found is not None, problems.errors
    return found


def file(distance: int, guns: bool, second: int | None, leader: bool) -> charges.Charge:
    """The same as a charge file."""
    plan = {"no_target": "ride on"}
    with_leader = {"leader": {"morale": 3, "cavalry": 1}} if leader else {}
    target = FOOT | {"formation": "column"} | ({"battery": GUNS} if guns else {})
    first = {"charger": HORSE | with_leader, "target": target, "distance": distance, "plan": plan}
    data: dict[str, Any] = {"ruleset": "halle-1806"} | first
    if second is not None:
        again = {"charger": HORSE, "target": 1, "distance": second, "from": "front-left", "plan": plan}
        data = {"ruleset": "halle-1806", "charges": [first, again]}
    found, problems = scenarios.check(Document("a charge", data))
    assert found is not None, problems.errors
    return found


def odds(forces: Forces, dice: ExhaustiveDice) -> Counter[tuple[tuple[int, ...], ...]]:
    """How probable each end is: state, increments, formation, readiness and losses of every unit."""
    found: Counter[tuple[tuple[int, ...], ...]] = Counter()
    rows = (forces.state, forces.increments, forces.formation, forces.readiness)
    for lane, weight in enumerate(dice.fractions()):
        found[tuple(tuple(row[:, lane].tolist()) for row in rows)] += weight  # type: ignore[assignment]
    return found


def as_file(told: charges.Charge, response: str) -> Counter[tuple[tuple[int, ...], ...]]:
    dice = ExhaustiveDice()
    variant = tuple(Variant.of(attack, response) for attack in told.attacks)
    return odds(play(told, dice, [variant]).forces, dice)


def as_half(told: Scenario, response: str) -> Counter[tuple[tuple[int, ...], ...]]:
    dice = ExhaustiveDice()

    def players(_: Scenario, play: Play) -> tuple[Player, Player]:
        enemy = Idle(play, 1, response)
        return Charger(play, 0, enemy, Variant("stand", no_target="ride on")), enemy

    battle = muster(told, dice, players)
    battle.halves = 1
    battle.run()
    return odds(battle.forces, dice)


@pytest.mark.parametrize(
    ("distance", "response", "guns", "second", "leader"),
    [
        (6, "stand", False, None, False),
        (6, "carre@2", False, None, False),
        (8, "carre@4", False, None, False),
        (6, "stand", True, None, False),
        (6, "carre@3", True, None, True),
        (7, "stand", False, 6, False),
    ],
)
def test_the_same_odds(
    tmp_path: Path, distance: int, response: str, guns: bool, second: int | None, leader: bool
) -> None:
    told = file(distance, guns, second, leader)
    found = as_half(scenario(tmp_path, distance, guns, second, leader), response)
    assert found == as_file(told, response)
    assert sum(found.values()) == Fraction(1)
    assert len(found) > 10
