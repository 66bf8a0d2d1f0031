"""Cavalry charges who moves before its front (rule 40; docs/battle.md K)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sim.battle.ending import end_of_melees
from sim.battle.melee import fight_out
from sim.charge.declaration import Numbers
from sim.charge.opportunity import Opportunities
from sim.combat.play import Play
from sim.ensemble.cases import Mask, Pairs
from sim.ensemble.dice import ExhaustiveDice
from sim.ensemble.lanes import Ids
from sim.units.orders import RESPONSE_CODES
from sim.vocabulary import EXHAUSTED, FRESH, GONE, GOOD, ROUTED, SQUARE, TIRED
from tests.agreement.positions import book_of
from tests.field import Placed, battle, cases, hexes, unit

HORSE, MOVER = 0, 1
PASS_33 = Fraction(21, 36)
"""Chance to roll more than 33 (D1.2): 34 to 66."""


class Player:
    """Charges whom it can, or nobody; its units answer charges in one way."""

    def __init__(self, willing: bool = True, response: str = "stand") -> None:
        self.willing, self.response = willing, response
        self.asked: list[Pairs] = []

    def opportunity_charges(self, pairs: Pairs) -> Mask:
        self.asked.append(pairs)
        return np.full(len(pairs), self.willing)

    def responses(self, units: Ids, lanes: Ids) -> Numbers:
        return np.full((len(units), len(lanes)), RESPONSE_CODES[self.response])


def hussars(at: tuple[int, int] = (0, 0), **facts: Any) -> Placed:
    """Light cavalry that looks in direction 0: five front hexsides, the rear behind it (D1.5)."""
    given: dict[str, Any] = {"arm": "cavalry", "movement": 14, "melee": Fraction(20)} | facts
    return unit("Hussars", 1, at, **given)


def foot(**facts: Any) -> Placed:
    """A battalion beside them that looks at them and may form square."""
    given: dict[str, Any] = {"multiples": {"square": Fraction(3)}} | facts
    return unit("Foot", 0, given.pop("at", (1, 0)), given.pop("facing", 6), **given)


class Scene:
    """One mover before cavalry, in every outcome of the dice."""

    def __init__(self, *units: Placed, ruleset: str = "prusse-1806", **player: Any) -> None:
        self.dice = ExhaustiveDice()
        self.play: Play = battle(units, self.dice, book=book_of(ruleset))
        self.play.moment = "1.1.movement"
        self.cavalry, self.walker = Player(player.pop("willing", True)), Player(**player)
        self.chances = Opportunities(self.play, (self.walker, self.cavalry), 0)
        self.forces = self.play.forces

    def move(self, mover: int = MOVER) -> Fraction:
        """The mover acts; returns how probable it is that it must stop."""
        stopped = self.chances.charge(cases(self.forces, mover))
        return sum((self.dice.fractions()[lane] for lane in stopped.lane.tolist()), Fraction(0))

    def chance(self, where: Callable[[int], bool]) -> Fraction:
        """The probability of lanes."""
        weights = self.dice.fractions()
        return sum((weights[lane] for lane in range(self.play.ensemble.n) if where(lane)), Fraction(0))


def test_the_mover_stops_where_the_cavalry_passes_its_check() -> None:
    scene = Scene(hussars(), foot())
    assert scene.move() == PASS_33


def test_who_fails_its_check_stands_where_it_is_and_loses_nothing() -> None:
    scene = Scene(hussars(), foot())
    scene.move()
    forces, free = scene.forces, scene.chances.asked.done == 0
    assert scene.chance(lambda lane: bool(free[lane])) == 1 - PASS_33
    assert (forces.state[HORSE, free] == GOOD).all()
    assert (forces.readiness[HORSE, free] == FRESH).all()
    assert (forces.state[MOVER, free] == GOOD).all()


def test_formed_infantry_makes_the_stand_check_and_is_trampled_without_the_five_points() -> None:
    """Trampled first in 2017: 14 printed, 1 for the contact, 13 left: 6 of 8 increments (E3.2)."""
    scene = Scene(hussars(), foot())
    scene.move()
    forces = scene.forces
    assert scene.chance(lambda lane: forces.state[MOVER, lane] == ROUTED) == PASS_33 * (1 - PASS_33)
    routed = forces.state[MOVER] == ROUTED
    assert (forces.increments[MOVER, routed] == 2).all()
    assert (forces.readiness[HORSE, routed] == TIRED).all()
    assert {hexes(scene.play, int(lane))[HORSE] for lane in np.flatnonzero(routed)} == {(0, 0)}


def test_there_is_no_recall_and_no_chase() -> None:
    scene = Scene(hussars(), foot())
    scene.move()
    (charge,) = scene.chances.charges
    assert not charge.state.chasing.any()


def test_who_stands_is_meleed_without_the_bonus_of_a_charge_and_it_costs_a_step() -> None:
    scene = Scene(hussars(), foot())
    scene.move()
    (charge,) = scene.chances.charges
    stood = charge.state.opponent == MOVER
    assert scene.chance(lambda lane: bool(stood[lane])) == PASS_33 * PASS_33
    assert not charge.state.bonus.any()
    assert not charge.state.unchecked[stood].any()
    scene.play.moment = "1.1.melee"
    fight_out(scene.play, charge)
    end_of_melees(scene.play, scene.chances.charges)
    met = scene.forces.half.meleed[HORSE] & (scene.forces.state[HORSE] != GONE)
    assert met.any()
    assert (scene.forces.readiness[HORSE, met] == TIRED).all()


def test_infantry_may_try_carre_beside_the_charger() -> None:
    """Prusse, French column at one hex: forms on 11 to 31, less 3 before light cavalry (D12): 10 of 36."""
    scene = Scene(hussars(), foot(), response="carre@3")
    scene.move()
    formed = scene.forces.formation[MOVER] == SQUARE
    assert scene.chance(lambda lane: bool(formed[lane])) == PASS_33 * Fraction(10, 36)


@pytest.mark.parametrize(
    ("placed", "why"),
    [
        ({"at": (-1, 0)}, "behind it"),
        ({"at": (2, 0)}, "two hexes off"),
    ],
)
def test_only_before_its_front(placed: dict[str, Any], why: str) -> None:
    scene = Scene(hussars(), foot(**placed))
    assert scene.move() == 0, why
    assert not scene.cavalry.asked


@pytest.mark.parametrize(
    "facts", [{"readiness": "exhausted"}, {"state": "routed"}, {"formation": "road march"}]
)
def test_who_may_not_charge(facts: dict[str, Any]) -> None:
    assert Scene(hussars(**facts), foot()).move() == 0


def test_tired_cavalry_may_and_its_melee_exhausts_it() -> None:
    scene = Scene(hussars(readiness="tired"), foot())
    assert scene.move() == PASS_33
    (charge,) = scene.chances.charges
    scene.play.moment = "1.1.melee"
    fight_out(scene.play, charge)
    end_of_melees(scene.play, scene.chances.charges)
    met = scene.forces.half.meleed[HORSE] & (scene.forces.state[HORSE] != GONE)
    assert (scene.forces.readiness[HORSE, met] == EXHAUSTED).all()


def test_a_player_may_decline_and_is_asked_again() -> None:
    scene = Scene(hussars(), foot(), willing=False)
    assert scene.move() == 0
    scene.cavalry.willing = True
    assert scene.move() == PASS_33


def test_a_unit_checks_once_for_a_mover_and_charges_once() -> None:
    scene = Scene(hussars(), foot(), unit("Foot 2", 0, (1, 0), 6))
    assert scene.move() == PASS_33
    assert scene.move() == 0
    assert scene.move(2) == (1 - PASS_33) * PASS_33


def test_several_cavalry_check_in_unit_order_until_one_charges() -> None:
    """The second at the rear-left of the mover: each passes in 21 of 36."""
    units: Sequence[Placed] = (hussars(), foot(), hussars((1, 1), facing=8))
    scene = Scene(*units)
    assert scene.move() == 1 - (1 - PASS_33) ** 2
    first = scene.chances.charges[0].state.by
    assert scene.chance(lambda lane: first[lane] == HORSE) == PASS_33


def test_skirmishers_check_and_rout_if_they_find_no_shelter() -> None:
    """They rout although they pass, and lose (14 - 1) / 2 = 6 of 8; the cavalry takes their hex and is tired
    (E3.1, B21 p44)."""
    scene = Scene(hussars(), foot(formation="skirmish"))
    scene.move()
    forces = scene.forces
    caught = forces.state[MOVER] == ROUTED
    assert scene.chance(lambda lane: bool(caught[lane])) == PASS_33
    assert (forces.increments[MOVER, caught] == 2).all()
    assert (forces.readiness[HORSE, caught] == TIRED).all()
    assert {hexes(scene.play, int(lane))[HORSE] for lane in np.flatnonzero(caught)} == {(1, 0)}


def test_skirmishers_that_pass_go_into_a_formation_beside_them() -> None:
    scene = Scene(hussars(), foot(formation="skirmish"), unit("Friends", 0, (2, 0), 6))
    scene.move()
    forces = scene.forces
    safe = forces.sheltered[MOVER] == 1
    assert scene.chance(lambda lane: bool(safe[lane])) == PASS_33 * PASS_33
    assert (forces.increments[MOVER, safe] == 8).all()


def test_cavalry_is_met_without_a_check() -> None:
    scene = Scene(hussars(), foot(arm="cavalry", movement=12))
    assert scene.move() == PASS_33
    (charge,) = scene.chances.charges
    assert scene.chance(lambda lane: charge.state.opponent[lane] == MOVER) == PASS_33


def test_closed_ground_is_not_charged_into() -> None:
    scene = Scene(hussars(), foot())
    closed = scene.play.survey.board.closed
    at = scene.forces.map.number((0, 0))
    before = closed[at, 0]
    closed.flags.writeable = True
    closed[at, 0] = True
    try:
        assert scene.move() == 0
    finally:
        closed[at, 0] = before
