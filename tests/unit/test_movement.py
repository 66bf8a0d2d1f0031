"""The movement segment on drawn maps: who moves, changes of formation and facing, limbering, zones, force
marches, exits, stacks. Each expected place, number of half points and probability is worked out by hand from
docs/battle.md. Side 0 goes home in direction 3, side 1 in direction 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest

from sim.battle.marching import Terms
from sim.battle.movement import Movement
from sim.battle.players import KEEP, TWO, Intent, Numbers, Player
from sim.board.going import going_of, way_to
from sim.board.hexmap import Hex
from sim.board.tables import Ints
from sim.combat.fire import attack
from sim.combat.play import Play
from sim.ensemble.cases import Cases
from sim.ensemble.dice import ExhaustiveDice
from sim.rulesets.compiled import BATTALION
from sim.vocabulary import (
    COLUMN,
    FORMATIONS,
    LIMBERED,
    UNLIMBERED,
)
from tests.field import Placed, battle, unit

STAYS: Hex = (-99, 0)


@dataclass
class Will:
    """What a unit means to do: a goal, a formation before it goes; formation and facing where it stops."""

    to: Hex = STAYS
    first: int = KEEP
    then: int = KEEP
    facing: int = KEEP
    most: int = 99
    force: bool = False
    leaves: bool = False


@dataclass
class Mind:
    """A player who wants the same in every lane."""

    play: Play
    terms: Terms
    wills: Mapping[int, Will]
    side: int = 0
    asked: list[int] = field(default_factory=list)

    @property
    def ways(self) -> Ints:
        """A way for each unit."""
        forces, board = self.play.forces, self.play.survey.board
        found = []
        for u in range(len(forces.units)):
            will = self.wills.get(u, Will())
            formation = int(forces.formation[u, 0]) if will.first == KEEP else will.first % TWO
            goals = [] if will.to == STAYS else [forces.map.number(will.to)]
            formation = LIMBERED if formation == UNLIMBERED else formation
            found.append(way_to(board, self.terms.going, int(forces.arm[u]), formation, goals))
        return np.stack(found)

    def march(self, cases: Cases) -> Intent:
        u, k = int(cases.unit[0]), len(cases)
        self.asked.append(u)
        will = self.wills.get(u, Will())
        way, flags = KEEP if will.to == STAYS else u, np.zeros(k, bool)
        told = np.full(k, way), np.full(k, will.first), np.full(k, will.most)
        return Intent(*told, flags | will.force, flags | will.leaves)

    def halts(self, cases: Cases) -> tuple[Numbers, Numbers]:
        will = self.wills.get(int(cases.unit[0]), Will())
        return np.full(len(cases), will.then), np.full(len(cases), will.facing)


@dataclass
class Moved:
    """A movement segment that was played."""

    play: Play
    fired: list[int]
    charged: list[int]
    asked: list[int]

    def at(self, u: int = 0, lane: int = 0) -> tuple[Hex | None, int, str]:
        """Where a unit is, its facing and formation."""
        forces = self.play.forces
        place = forces.map.hex(int(forces.hex[u, lane]))
        return place, int(forces.facing[u, lane]), FORMATIONS[forces.formation[u, lane]]

    def chances(self, u: int = 0) -> dict[tuple[Hex | None, str, int], Fraction]:
        """How often a unit ends where, in which formation and state."""
        found: dict[tuple[Hex | None, str, int], Fraction] = {}
        dice = cast(ExhaustiveDice, self.play.dice)
        for lane, weight in enumerate(dice.fractions()):
            place, _, formation = self.at(u, lane)
            key = place, formation, int(self.play.forces.state[u, lane])
            found[key] = found.get(key, Fraction(0)) + weight
        return found


def segment(
    units: Sequence[Placed],
    wills: Mapping[int, Will],
    side: int = 0,
    fire: bool = False,
    stopped: bool = False,
    limbers: Mapping[int, int] | None = None,
    helps: Sequence[int] = (),
    exits: Iterable[Hex] = (),
    sizes: Mapping[int, int] | None = None,
    before: Any = None,
    **place: Any,
) -> Moved:
    """A movement segment of a side, its units called in unit order.

    Parameters
    ----------
    fire
        Whether enemies really fire at who acts in their zones.
    stopped
        Whether cavalry stops everybody who moves in its zone.
    before
        Called with the play before the segment begins.
    """
    play = battle(units, ExhaustiveDice(), **place)
    play.moment = "1.1.movement"
    forces = play.forces
    size = [(sizes or {}).get(u, BATTALION) for u in range(len(units))]
    going = going_of(forces.map, play.survey.board, play.book, size, [False] * len(units))
    needs = np.array([(limbers or {}).get(u, 1) for u in range(len(units))])
    leave = np.zeros((2, forces.map.off + 1), bool)
    leave[:, [forces.map.number(at) for at in exits]] = True
    terms = Terms(going, needs, np.array([*helps, 0]), leave)
    if before is not None:
        before(play)
    fired: list[int] = []
    charged: list[int] = []

    def fire_at(cases: Cases) -> None:
        fired.append(int(cases.unit[0]))
        if fire:
            attack(play, cases, "28", repeatable=True)

    def charge_at(cases: Cases) -> Cases:
        charged.append(int(cases.unit[0]))
        return cases.where(np.full(len(cases), stopped))

    mind = Mind(play, terms, wills, side)
    players = cast(tuple[Player, Player], (mind, mind))
    movement = Movement(play, terms, players, side, fire_at, charge_at)
    for u in np.flatnonzero(forces.side == side).tolist():
        movement.move(u)
    movement.close()
    return Moved(play, fired, charged, mind.asked)


def foot(at: Hex, facing: int = 0, side: int = 0, **facts: Any) -> Placed:
    """Infantry of 8 increments and 8 points."""
    return unit(f"foot-{side}-{at}", side, at, facing, **facts)


def guns(at: Hex, facing: int = 0, side: int = 0, **facts: Any) -> Placed:
    """A limbered battery of 3 increments and 8 points."""
    told = {"arm": "artillery", "formation": "limbered", "increments": 3, "printed": 3, "fire": Fraction(18)}
    return unit(f"guns-{side}-{at}", side, at, facing, **told | facts)


def horse(at: Hex, facing: int = 0, side: int = 0, **facts: Any) -> Placed:
    """Light cavalry of 14 points."""
    return unit(f"horse-{side}-{at}", side, at, facing, **{"arm": "cavalry", "movement": 14} | facts)


# ---- who moves, and how far


def test_a_column_marches_its_printed_points() -> None:
    """M1: 8 hexes of 10."""
    assert segment([foot((0, 0))], {0: Will((10, 0))}).at() == ((8, 0), 0, "column")


@pytest.mark.parametrize(("facts", "hexes"), [
    ({"formation": "line"}, 6),  # M2
    ({"state": "disordered"}, 4),  # M3
    ({"state": "disordered", "movement": 7}, 3),  # M3: 3 1/2
    ({"state": "routed"}, 0),  # M4
    ({"formation": "square"}, 1),  # M5
])  # fmt: skip
def test_formation_and_state_take_points(facts: dict[str, Any], hexes: int) -> None:
    moved = segment([foot((0, 0), **facts)], {0: Will((10, 0))})
    assert moved.at()[0] == (hexes, 0)


def test_a_line_has_two_points_less_whatever_it_becomes() -> None:
    """M2, M15: 8 - 2 - 1 for the column."""
    moved = segment([foot((0, 0), formation="line")], {0: Will((10, 0), first=COLUMN)})
    assert moved.at() == ((5, 0), 0, "column")


def test_a_square_that_begins_with_a_change_has_the_rest_of_its_points() -> None:
    """M5: 8 - 1."""
    moved = segment([foot((0, 0), formation="square")], {0: Will((10, 0), first=COLUMN)})
    assert moved.at() == ((7, 0), 0, "column")
    assert moved.play.forces.half.moved[0, 0] == 2


def test_who_is_held_back_or_has_charged_is_not_asked() -> None:
    """M8, M9; both may move again next time."""

    def before(play: Play) -> None:
        play.forces.held[0] = 1
        play.forces.half.charged[1] = True

    moved = segment(
        [horse((0, 0)), horse((0, 3)), horse((0, 5))], {u: Will((9, 0)) for u in range(3)}, before=before
    )
    assert moved.asked == [2]
    assert moved.play.forces.held[0, 0] == 0
