"""A line in two hexes under a charge, worked out by hand (docs/battle.md O5, O16).

Directions 0 to 5 are E, SE, SW, W, NW, NE. The line looks at the corner between W and NW, its own hex at
(0, 0), the other to its left, at (-1, 1). Cavalry rides at either of them from five hexes off.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sim.battle.battle import Battle
from sim.battle.filed import FromFile
from sim.battle.told import Fought
from sim.board.hexmap import Hex, along, distance
from sim.charge.charge import Charge
from sim.charge.declaration import Numbers
from sim.charge.waves import charges_of, possible_charges
from sim.combat.play import Play
from sim.combat.told import Fired
from sim.ensemble.dice import ScriptedDice
from sim.ensemble.lanes import Ids
from sim.units.orders import RESPONSE_CODES, Orders, Variant
from sim.vocabulary import CAVALRY, GOOD, SQUARE
from tests.field import Placed, battle, cases, told, unit

A, B = (0, 0), (-1, 1)


class Idle(FromFile):
    """Infantry that answers charges in one way."""

    def __init__(self, play: Play, side: int, response: str) -> None:
        super().__init__(play, side, Orders(()))
        self.response = response

    def responses(self, units: Ids, lanes: Ids) -> Numbers:
        horse = self.play.forces.arm[units] == CAVALRY
        codes = np.where(horse, RESPONSE_CODES["stand"], RESPONSE_CODES[self.response])
        return np.repeat(codes[:, None], len(lanes), axis=1)


class Charger(Idle):
    """Charges one hex."""

    place = B

    def charges(self) -> Sequence[Charge]:
        possible = possible_charges(self.play, self.side)
        chosen = possible.where(possible.place == self.play.forces.map.number(self.place))
        return charges_of(
            self.play, self.side, chosen, Idle(self.play, 1, self.response), (Variant("stand"),)
        )


def charged(
    place: Hex,
    rolls: list[int],
    response: str = "stand",
    direction: int = 0,
    friends: Sequence[Placed] = (),
    **facts: Any,
) -> Play:
    """A half in which hussars charge one of the hexes in a direction, from five hexes off."""
    start = along(place, direction + 3, 5)
    horse = {"arm": "cavalry", "type": "Hussar", "movement": 14, "melee": Fraction(28), "morale": 22}
    foot = {"formation": "line", "increments": 9, "printed": 9, "melee": Fraction(9)}
    foot |= {
        "type": "Musketeer",
        "multiples": {"line": Fraction(2), "square": Fraction(2)},
        "morale": 31,
    } | facts
    units = [unit("line", 1, A, 7, **foot), unit("hussars", 0, start, 2 * direction, **horse), *friends]
    dice = ScriptedDice(rolls)
    play = battle(units, dice, told=True)
    play.forces.extend(cases(play.forces, 0), play.forces.map.number(B))
    charger = Charger(play, 0, response)
    charger.place = place
    Battle(play, (charger, Idle(play, 1, response)), 0, 1).run()
    dice.finish()
    return play


def both(play: Play) -> tuple[Hex | None, Hex | None]:
    forces = play.forces
    return forces.map.hex(int(forces.hex[0, 0])), forces.map.hex(int(forces.second[0, 0]))


def events(play: Play, kind: type) -> list[object]:
    assert play.recorder is not None
    return [one.event for one in play.recorder.entries if isinstance(one.event, kind)]


@pytest.mark.parametrize(
    ("place", "direction", "fire", "defence"), [(A, 0, 16, 5), (B, 0, 8, 4), (B, 1, 16, 4), (A, 1, 8, 5)]
)
def test_the_hex_that_is_charged_fights_and_both_fire_that_see_the_charger_before_them(
    place: Hex, direction: int, fire: int, defence: int
) -> None:
    """It stands on 66. Who rides E at A or SE at B ends before both hexes: four of each fire, times 2. Five
    or four of nine increments defend the hex charged, and the charge counts at it."""
    play = charged(place, [66, 11, 34], direction=direction)
    (fired,) = events(play, Fired)
    (fought,) = events(play, Fought)
    assert isinstance(fired, Fired)
    assert isinstance(fought, Fought)
    assert fired.strengths is not None
    assert fought.strengths is not None
    assert fired.strengths.total("attack") == fire
    assert (fought.strengths.total("attack"), fought.strengths.total("defence")) == (
        Fraction(56),
        Fraction(defence),
    )


@pytest.mark.parametrize("place", [A, B])
def test_a_square_forms_in_the_hex_that_is_charged(place: Hex) -> None:
    """It forms on 11; the charger rides onto it, and nothing comes of fire, melee and check."""
    play = charged(place, [11, 11, 34, 66], "carre@2")
    assert ("FormsSquare", 0) in told(play)
    assert both(play) == (place, None)
    assert (play.forces.formation[0, 0], play.forces.state[0, 0]) == (SQUARE, GOOD)


@pytest.mark.parametrize("place", [A, B])
def test_who_fails_to_stand_runs_from_the_hex_that_is_charged(place: Hex) -> None:
    """On 11 it routs, ridden down by what the charger has left of 19 points, and is ten points off."""
    play = charged(place, [11, 6])
    end, second = both(play)
    assert second is None
    assert end is not None
    assert distance(place, end) == 10
    assert play.forces.increments[0, 0] == 9 - (19 - 4) // 2


@pytest.mark.parametrize(("place", "at"), [(A, (-2, 2)), (B, (-2, 2)), (A, (1, -1)), (B, (1, -1))])
def test_skirmishers_find_shelter_beside_either_hex(place: Hex, at: Hex) -> None:
    """Rule 19: a column next to one of their hexes takes them in, whichever is charged."""
    play = charged(place, [], friends=[unit("column", 1, at, 6)], formation="skirmish", increments=5)
    assert both(play) == (at, None)
    assert play.forces.sheltered[0, 0] == 1


def test_skirmishers_without_shelter_are_caught_in_the_hex_that_is_charged() -> None:
    """They rout from it: one of five increments for each two of the 15 points left would be seven."""
    for place in (A, B):
        play = charged(place, [6], formation="skirmish", increments=5)
        assert play.forces.increments[0, 0] == 0
