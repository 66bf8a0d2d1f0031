"""Leaders who are hit and losses of a hex, worked out by hand (docs/charge.md 9.8, 9.11, 10.14)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sim.combat.failures import BY_MELEE
from sim.combat.leaders import fates, strike
from sim.combat.losses import spread
from sim.combat.play import Play
from sim.ensemble.dice import ScriptedDice
from sim.units.charges import Leader
from sim.units.forces import FIT, OUT, STRUCK
from sim.vocabulary import DISORDERED, GOOD, ROUTED
from tests.field import battle, cases, flags, told, unit

FIRST, SECOND = Leader("first", "first", morale=3), Leader("second", "second", morale=5)


def after_a_melee(*rolls: int) -> Play:
    """Three units of side 1 in a hex and one in the next; two leaders of theirs there, one enemy."""
    units = [
        unit("idle", 1, (0, 0)),
        unit("fighter", 1, (0, 0)),
        unit("routed", 1, (0, 0), state="routed"),
        unit("elsewhere", 1, (3, 0)),
        unit("enemy", 0, (-1, 0)),
    ]
    leaders = [(FIRST, (1,)), (SECOND, (0,)), (None, (4,))]
    return battle(units, ScriptedDice(rolls), told=True, leaders=leaders)


@pytest.mark.parametrize(
    ("rolls", "fate", "state"),
    [
        ([1, 11, 66], OUT, DISORDERED),  # killed: the fighter fails, and by contagion the idle one checks
        ([5], OUT, GOOD),  # captured: nobody checks
        ([6], FIT, GOOD),  # a flesh wound
    ],
)
def test_who_fought_checks_without_a_leader_that_is_killed(rolls: list[int], fate: int, state: int) -> None:
    play = after_a_melee(*rolls)
    strike(play, cases(play.forces, 1))
    assert play.forces.leader_fate[:2, 0].tolist() == [STRUCK, FIT]
    fates(play, play.book.leader_charts[0], BY_MELEE, 4, fought=flags(play, 1, 2, 3, 4))
    assert play.forces.leader_fate[:2, 0].tolist() == [fate, FIT]
    assert play.forces.state[:4, 0].tolist() == [GOOD, state, ROUTED, GOOD]
    assert isinstance(play.dice, ScriptedDice)
    play.dice.finish()


@pytest.mark.parametrize(("roll", "state"), [(32, GOOD), (26, DISORDERED)])
def test_the_next_leader_of_the_hex_helps_against_the_loss_of_the_first(roll: int, state: int) -> None:
    """His 5 and the 3 that is lost: 32 and 2 is 34, which beats 33; 26 and 2 is 32, which does not."""
    play = after_a_melee(1, roll, *[66] * (state == DISORDERED))
    strike(play, cases(play.forces, 1))
    fates(play, play.book.leader_charts[0], BY_MELEE, 4, fought=flags(play, 1))
    assert play.forces.state[1, 0] == state
    assert told(play)[:2] == [("Rolled", 0), ("Checked", 1)]


@pytest.mark.parametrize(
    ("result", "halve", "left"),
    [(3, False, [6, 8, 7]), (5, False, [5, 8, 6]), (2, True, [7, 8, 7])],
)
def test_losses_fall_on_the_infantry_and_the_guns_in_turn_and_on_who_took_shelter_last(
    result: int, halve: bool, left: list[int]
) -> None:
    guns = unit("guns", 1, (0, 0), arm="artillery", formation="unlimbered", fire=Fraction(9))
    play = battle([unit("a", 1, (0, 0)), unit("b", 1, (0, 0)), guns], ScriptedDice([]))
    everyone = cases(play.forces, 0)
    spread(play, everyone, 1, play.forces.hex[everyone.at], np.array([result]), halve, "28")
    assert play.forces.increments[:, 0].tolist() == left
    play.forces.shelter(cases(play.forces, 0))
    spread(play, everyone, 1, play.forces.hex[everyone.at], np.array([2]), halve, "28")
    assert (np.array(left) - play.forces.increments[:, 0]).tolist() == [0, 1, 1]


@pytest.mark.parametrize(("halve", "lost"), [(True, 1), (False, 3)])
def test_guns_alone_lose_half_by_fire_and_all_in_a_melee(halve: bool, lost: int) -> None:
    guns = unit("guns", 1, (0, 0), arm="artillery", formation="unlimbered", fire=Fraction(9))
    play = battle([guns], ScriptedDice([]))
    alone = cases(play.forces, 0)
    spread(play, alone, 1, play.forces.hex[alone.at], np.array([3]), halve, "28")
    assert 8 - play.forces.increments[0, 0] == lost
