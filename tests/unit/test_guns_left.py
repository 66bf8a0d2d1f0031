"""Unlimbered guns whose infantry has broken: unmanned, manned again, taken, or meleed (rule 41;
0-decisions 5.26, 5.27)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sim.battle.setup import Played
from sim.vocabulary import ABANDONED, DISORDERED, GONE, GOOD, ROUTED
from tests.watched import watched, watched_half

CHARGER = {"nation": "French", "movement": 12, "increments": 8, "melee": 30, "morale": 22}
LINE = {
    "nation": "Prussian",
    "type": "Reserve",
    "formation": "line",
    "increments": 7,
    "fire": 6,
    "melee": 16,
    "morale": 31,
}
BATTERY = {"increments": 3}
TARGET, MATE = 1, 2


def played(
    response: str, target: dict[str, Any] | None = None, ruleset: str = "hagelberg-1813", **plan: Any
) -> Played:
    """Every way a charge from six hexes goes, exactly."""
    data = {
        "ruleset": ruleset,
        "charger": CHARGER,
        "target": LINE | {"battery": BATTERY} | (target or {}),
        "distance": 6,
        "plan": plan,
    }
    return watched_half(data, response)[1]


def lanes_where(*conditions: np.ndarray) -> list[int]:
    return np.flatnonzero(np.logical_and.reduce(conditions)).tolist()


def test_guns_left_alone_stand_unmanned_while_no_enemy_is_next_to_them() -> None:
    """The charger halts three hexes off when the line has broken up."""
    half, battery = played("carre@3", no_target="stop"), 2
    forces = half.forces
    broken = lanes_where(half.charges[0].state.attempt == 2)
    assert broken
    for lane in broken:
        assert (
            forces.state[battery, lane],
            forces.unmanned[battery, lane],
            forces.increments[battery, lane],
        ) == (GOOD, 1, 3)


def test_guns_left_alone_are_taken_by_an_enemy_who_ends_next_to_them() -> None:
    """The line fails to stand and runs; the charger has halted beside the guns."""
    half, battery = played("stand", {"morale": 66}), 2
    forces = half.forces
    near = lanes_where(forces.hex[0] == forces.map.number((-1, 0)), forces.state[TARGET] == ROUTED)
    assert near
    for lane in near:
        assert (forces.state[battery, lane], forces.reason[battery, lane]) == (GONE, ABANDONED)


def test_infantry_in_good_order_in_their_hex_takes_guns_up_again_and_they_fire() -> None:
    """The top battalion fails to stand and runs, the one below passes its check and stays with the guns."""
    stack = [LINE | {"morale": 11, "fire": 0}]
    data = {
        "ruleset": "hagelberg-1813",
        "charger": CHARGER,
        "target": LINE | {"morale": 66, "stack": stack, "battery": BATTERY},
        "distance": 6,
    }
    dice, forces = watched(data)
    battery = 3
    stayed = lanes_where(
        forces.state[MATE] == GOOD,
        forces.hex[MATE] == forces.map.number((0, 0)),
        forces.state[TARGET] == ROUTED,
    )
    assert stayed
    assert {int(forces.unmanned[battery, lane]) for lane in stayed} == {0}
    assert {int(forces.state[battery, lane]) for lane in stayed} == {
        GOOD,
        DISORDERED,
    }  # disordered by the melee after that
    # 4 x 3 of the battalion in line and the 18 of the guns against 6: 5:1, and a column up for the guns
    assert dice.chances["1.1.defensive-fire/fire/charger"] == {
        1: Fraction(14, 36),
        2: Fraction(17, 36),
        3: Fraction(5, 36),
    }


def test_unmanned_guns_with_their_disordered_infantry_neither_fire_nor_fight_nor_are_lost() -> None:
    """A target disordered by its attempt stays, and its guns with it."""
    half, battery = played("carre@2", after_halt="decline"), 2
    forces = half.forces
    stays = lanes_where(
        half.charges[0].state.attempt == 2,
        forces.state[TARGET] == DISORDERED,
        forces.hex[TARGET] == forces.map.number((0, 0)),
    )
    assert stays
    assert all(
        forces.unmanned[battery, lane]
        and not forces.half.meleed[battery, lane]
        and forces.increments[battery, lane] == 3
        for lane in stays
    )


@pytest.mark.parametrize(("after_halt", "fights"), [("melee", True), ("decline", False)])
def test_in_2014_the_charger_may_melee_the_guns_that_its_target_left_behind(
    after_halt: str, fights: bool
) -> None:
    """The column falls back before the charger, which has no points to follow; its disordered guns are next
    to the charger."""
    column = {
        "nation": "Prussian",
        "type": "Linie",
        "formation": "column",
        "increments": 8,
        "fire": 0,
        "melee": 21,
        "morale": 26,
    }
    charger = CHARGER | {"movement": 2}
    data = {
        "ruleset": "leipzig-1813",
        "charger": charger,
        "target": column | {"battery": BATTERY},
        "distance": 8,
        "plan": {"after_halt": after_halt},
    }
    dice, half = watched_half(data, "carre@1", no_target="ride on")
    left = lanes_where(half.charges[0].state.attempt == 2)
    assert left
    assert ("1.1.melee/melee/charger>battery" in dice.asked) == fights
