"""A half is played by processes: who is called when, how many events that takes, and that it matters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.battle.battle import Battle
from sim.battle.clock import Process, Timeline
from sim.battle.half import PlayerHalf
from sim.battle.setup import play, set_up
from sim.battle.signal import OrderOfPlayError
from sim.charge.charge import Charge as Ride
from sim.ensemble.dice import Dice, ExhaustiveDice, RandomDice
from sim.inputs.documents import Document
from sim.units import scenarios
from sim.units.charges import Charge
from sim.units.orders import Variant

HORSE = {"nation": "French", "type": "Dragoon", "movement": 12, "increments": 8, "melee": 30, "morale": 22}
FOOT = {"nation": "Prussian", "type": "Musketeer", "increments": 7, "fire": 5, "melee": 16, "morale": 31}
CHARGES: dict[str, Any] = {
    "ruleset": "prusse-1806",
    "charges": [
        {"charger": HORSE, "target": FOOT, "distance": 5},
        {"charger": HORSE, "target": 1, "distance": 5, "from": "front-left"},
        {"charger": HORSE, "target": 1, "distance": 5, "from": "front-right"},
    ],
}


def several() -> Charge:
    charge, problems = scenarios.check(Document("three charges", CHARGES))
    assert charge is not None, problems.errors
    return charge


def half(charge: Charge, dice: Dice | None = None) -> Battle:
    variant = tuple(Variant.of(attack, "stand") for attack in charge.attacks)
    return set_up(charge, dice or ExhaustiveDice(), [variant])


def events(charge: Charge, response: str, dice: Dice) -> int:
    return play(charge, dice, [tuple(Variant.of(attack, response) for attack in charge.attacks)]).events


@pytest.mark.parametrize(("response", "count"), [("stand", 22), ("carre@2", 22)])
def test_events_of_the_default_charge(response: str, count: int) -> None:
    """A unit's turn takes two, a charge two and a step one more, a segment one."""
    assert events(scenarios.load(scenarios.DEFAULT), response, ExhaustiveDice()) == count


@pytest.mark.parametrize(("seed", "count"), [(1, 43), (2, 53)])
def test_events_of_three_charges(seed: int, count: int) -> None:
    assert events(several(), "stand", RandomDice(seed, 0, 1)) == count


def test_each_charge_counts_only_its_own_hits() -> None:
    """Where the first charge alone has broken the target, the others have not."""
    played = half(several())
    played.run()
    hits = np.array([charge.state.hit for charge in played.half.charges])
    assert {tuple(lane) for lane in hits.T.tolist()} >= {(True, False, False), (False, True, False)}


def test_a_unit_that_is_killed_is_missed() -> None:
    played = half(several())

    def killer() -> Process:
        yield played.clock.timeout(2.5)
        played.lives[3].interrupt()

    played.clock.process(killer())
    with pytest.raises(OrderOfPlayError, match="the process of unit 3 has ended while the battle goes on"):
        played.run()


def test_charges_called_in_the_wrong_order_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    in_turn = PlayerHalf._in_turn
    monkeypatch.setattr(PlayerHalf, "_in_turn", lambda half: reversed(list(in_turn(half))))
    played = half(several())
    with pytest.raises(OrderOfPlayError, match="charge 1 is called for charge after 2"):
        played.run()


def test_a_charge_that_never_ends_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    played = half(several())

    def endless(charge: Ride, env: Timeline) -> Process:
        yield env.event()

    monkeypatch.setattr(Ride, "ride", endless)
    with pytest.raises(OrderOfPlayError, match="charge 0 was called for charge and never answered"):
        played.run()
