"""Regiments that charge together: who leads on, who is dropped off, who answers for what (0-decisions 5.23,
5.24, 5.33; D4.1)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.vocabulary import DISORDERED, GONE, GOOD, ROUTED
from tests.watched import watched

TOP = {
    "nation": "French",
    "type": "Dragoon",
    "movement": 12,
    "increments": 6,
    "melee": 24,
    "morale": 24,
    "leader": {"cavalry": 1},
}
BELOW = {"nation": "French", "type": "Dragoon", "movement": 12, "increments": 5, "melee": 20, "morale": 26}
COLUMN = {"nation": "Prussian", "type": "Musketeer", "increments": 8, "fire": 5, "melee": 16, "morale": 31}
FIRST, SECOND, TARGET = 0, 1, 2


def charge(
    top: dict[str, Any] | None = None, below: dict[str, Any] | None = None, **other: Any
) -> dict[str, Any]:
    return {
        "charger": TOP | (top or {}) | {"stack": [BELOW | (below or {})]},
        "target": COLUMN,
        "distance": 4,
    } | other


@pytest.mark.parametrize(("first", "second", "stays"), [(12, 14, FIRST), (14, 12, SECOND)])
def test_a_slower_regiment_is_dropped_off_where_it_has_no_points_left_and_the_faster_rides_on(
    first: int, second: int, stays: int
) -> None:
    """18 steps to the target: 17 points bring a movement of 12 to two hexes off it, 19 one of 14 next to
    it."""
    data = charge({"movement": first}, {"movement": second}, distance=19, plan={"no_target": "ride on"})
    dice, forces = watched(
        data
        | {
            "target": COLUMN | {"fire": 0, "morale": 11},
            "plan": {"after_halt": "decline", "no_target": "ride on"},
        }
    )
    assert "1.1.charge/stand/charger>target" in dice.asked, "the target is contacted"
    for lane in range(forces.ensemble.n):
        if forces.state[TARGET, lane] == GOOD:
            assert (
                forces.hex[stays, lane] == forces.map.number((-2, 0)) or forces.state[stays, lane] == ROUTED
            )
            assert forces.hex[1 - stays, lane] == forces.map.number((-1, 0))
    assert (forces.half.worst[stays] == ROUTED).all(), "it spent its printed allowance and touched nobody"
    assert (forces.half.worst[1 - stays] == GOOD).any()


def test_all_regiments_that_spent_their_allowance_together_without_contact_rout() -> None:
    """The way is closed a hex before the target, which they cannot reach: 14 hexes ridden, 12 printed."""
    ground = [{"step": 15, "terrain": "woods"}]
    _, forces = watched(charge(distance=17, ground=ground, plan={"no_target": "ride on"}))
    assert (forces.half.worst[:2] == ROUTED).all()


def test_the_next_regiment_makes_the_step_at_which_the_top_one_was_shot_without_another_shot() -> None:
    """A neighbour shoots when the charger leaves the hex beside it; the second regiment goes on from
    there."""
    shooter = COLUMN | {"at": "front-left", "fire": 40, "formation": "column"}
    data = charge(
        {"increments": 1, "printed": 6},
        {"morale": 11},
        distance=5,
        neighbours=[shooter],
        target=COLUMN | {"fire": 0},
    )
    dice, forces = watched(data)
    lost = np.flatnonzero(forces.state[FIRST] == GONE)
    assert len(lost)
    assert any(forces.half.meleed[SECOND, lane] for lane in lost), "it fights in the place of the first"
    assert not any(name.startswith("1.1.charge/stand/charger>target#") for name in dice.asked), (
        "nobody stands twice"
    )


def test_a_mate_makes_its_own_fall_back_check_and_none_by_contagion() -> None:
    """Thrown back by a blank result or AD, each regiment checks at -3, once."""
    dice, _ = watched(charge(target=COLUMN | {"morale": 11, "melee": 60}))
    names = {name.partition("#")[0] for name in dice.asked if name.startswith("1.1.melee/")}
    assert {"1.1.melee/fall-back/charger", "1.1.melee/fall-back/charger>charger-2"} <= names
    assert not any("contagion" in name for name in names)


def test_losses_of_a_melee_fall_on_those_who_took_part() -> None:
    """The second regiment is dropped off on the way and loses nothing in the melee of the first."""
    _, forces = watched(
        charge(
            {"movement": 14},
            distance=19,
            target=COLUMN | {"fire": 0, "melee": 60},
            plan={"no_target": "ride on"},
        )
    )
    fought = np.flatnonzero(forces.half.meleed[FIRST])
    assert any(forces.increments[FIRST, lane] < 6 for lane in fought)
    assert all(forces.increments[SECOND, lane] == 5 for lane in fought)


def test_a_masse_fires_beside_onto_and_under_the_charger() -> None:
    """Three attacks, each with its own decision; the last one in defensive fire, with cavalry on top."""
    masse = {
        "nation": "Austrian",
        "type": "Linie",
        "formation": "masse",
        "increments": 8,
        "fire": 8,
        "melee": 20,
        "morale": 11,
    }
    charger = {"nation": "French", "movement": 12, "increments": 6, "melee": 24, "morale": 11}
    dice, _ = watched({"ruleset": "aspern-essling-1809", "charger": charger, "target": masse, "distance": 5})
    order = [name for name in dice.asked if "/fire/" in name or "/stand/" in name]
    assert order == [
        "1.1.charge/fire/charger",
        "1.1.charge/stand/charger>target",
        "1.1.charge/fire/charger#2",
        "1.1.defensive-fire/fire/charger",
    ]


@pytest.mark.parametrize(("zone_loss", "lost"), [("each", [1, 1]), ("group", [1, 0])])
def test_two_battalions_that_fall_back_lose_each_for_itself(zone_loss: str, lost: list[int]) -> None:
    """At 5:1 a column that stands is disordered or routed, never less; disordered it loses 1 for the hex left
    (0-decisions 5.22)."""
    column = COLUMN | {"fire": 0, "morale": 11}
    data = {
        "charger": TOP | {"melee": 200, "morale": 11},
        "target": column | {"stack": [column]},
        "distance": 5,
        "switches": {"zone_loss": zone_loss},
    }
    _, forces = watched(data)
    fell_back = np.flatnonzero((forces.state[1] == DISORDERED) & (forces.state[2] == DISORDERED))
    assert len(fell_back)
    assert all([8 - forces.increments[unit, lane] for unit in (1, 2)] == lost for lane in fell_back)
