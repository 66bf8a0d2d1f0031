"""Leaders of a battle: where they go, how long they are out, who takes them up, worked out by hand from A2
and the table of LZ p9 (docs/battle.md L)."""

from __future__ import annotations

import numpy as np
import pytest

from sim.battle.filed import FromFile
from sim.battle.leading import come_back, move_leaders, nearest_need, settle
from sim.board.hexmap import Hex
from sim.combat.failures import BY_FIRE, BY_MELEE
from sim.combat.leaders import fates, strike
from sim.combat.play import Play
from sim.ensemble.dice import Dice, ScriptedDice
from sim.ensemble.lanes import Ids
from sim.units.charges import Leader
from sim.units.forces import FIT, NEVER, OUT
from sim.units.orders import Orders
from sim.vocabulary import DISORDERED, ELIMINATED, GOOD, SURRENDERED
from tests.field import battle, cases, unit

FIRST, MATE, FRIEND, ENEMY = range(4)


def field(
    dice: Dice | None = None,
    first: Hex = (0, 0),
    mate: Hex = (1, 0),
    friend: Hex = (4, 0),
    enemy: Hex = (-9, 0),
) -> Play:
    """A general of morale bonus 3 with the first of two battalions of his; a friend of another brigade."""
    units = [
        unit("first", 0, first),
        unit("mate", 0, mate),
        unit("friend", 0, friend),
        unit("enemy", 1, enemy),
    ]
    leader = Leader("general", "general", morale=3, movement=12)
    play = battle(units, dice or ScriptedDice([]), leaders=[(leader, (FIRST, MATE))], told=True)
    play.forces.in_battle = True
    play.forces.join_leader(0, play.ensemble.all(), FIRST)
    return play


class Sends(FromFile):
    """Sends the general to a unit."""

    def __init__(self, play: Play, unit: int) -> None:
        super().__init__(play, 0, Orders(()))
        self.unit = unit

    def leads(self, leader: int, lanes: Ids) -> np.ndarray:
        return np.full(len(lanes), self.unit)


def with_whom(play: Play) -> int:
    return int(play.forces.leader_at[0, 0])


# -- where he goes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("unit", "place", "goes"), [(FRIEND, (12, 0), True), (FRIEND, (13, 0), False)])
def test_a_leader_goes_twelve_hexes(unit: int, place: Hex, goes: bool) -> None:
    play = battle_of(place)
    move_leaders(play, Sends(play, unit))
    assert with_whom(play) == (unit if goes else FIRST)


def battle_of(place: Hex) -> Play:
    return field(first=(0, 0) if place[0] <= 12 else (-1, 0), friend=(12, 0))


def test_a_leader_does_not_go_over_to_the_enemy() -> None:
    play = field()
    move_leaders(play, Sends(play, ENEMY))
    assert with_whom(play) == FIRST


def test_a_leader_who_is_out_goes_nowhere() -> None:
    play = field()
    play.forces.send_leader(0, play.ensemble.all(), 5)
    move_leaders(play, Sends(play, MATE))
    assert with_whom(play) == FIRST


def test_his_hex_is_that_of_his_unit() -> None:
    play = field()
    assert play.forces.leader_in(cases(play.forces, FIRST)).tolist() == [0]
    assert play.forces.leader_in(cases(play.forces, MATE)).tolist() == [-1]
    play.forces.join_leader(0, play.ensemble.all(), MATE)
    assert play.forces.leader_in(cases(play.forces, FIRST)).tolist() == [-1]


def test_the_ready_answer_is_the_nearest_of_his_units_in_trouble() -> None:
    play = field()
    lanes = play.ensemble.all()
    assert nearest_need(play, 0, lanes).tolist() == [-1]
    for other in (MATE, FRIEND):
        play.forces.become(cases(play.forces, other), DISORDERED)
    assert nearest_need(play, 0, lanes).tolist() == [MATE]


# -- how long he is out -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rolls", "until"),
    [
        ([1], NEVER),  # head
        ([2], NEVER),  # chest
        ([3, 24], 4 + 3 * 6),  # leg: 2 + 4 hours of three turns
        ([4, 5], 4 + 3 * 5),  # arm: 5 hours
        ([5], NEVER),  # captured
        ([6], 0),  # flesh wound
    ],
)
def test_the_die_says_how_long(rolls: list[int], until: int) -> None:
    """In the fourth turn. Killed or wounded, the unit checks without him: 66 passes."""
    checks = [66] if rolls[0] <= 4 else []
    play = field(ScriptedDice(rolls + checks))
    play.turn = 4
    strike(play, cases(play.forces, FIRST))
    fought = np.zeros((4, 1), bool)
    fought[FIRST] = True
    fates(play, play.book.leader_charts[0], BY_MELEE, ENEMY, fought=fought)
    assert play.forces.leader_until[0, 0] == until
    assert play.forces.leader_fate[0, 0] == (FIT if until == 0 else OUT)
    assert play.forces.state[FIRST, 0] == GOOD
    assert isinstance(play.dice, ScriptedDice)
    play.dice.finish()


def test_by_fire_nobody_is_captured() -> None:
    """A die whose 5 is rolled again has five faces: the fifth is the flesh wound."""
    play = field(ScriptedDice([6]))
    strike(play, cases(play.forces, FIRST))
    fates(play, play.book.leader_charts[1], BY_FIRE, FIRST, hexes=play.forces.hex[FIRST])
    assert play.forces.leader_fate[0, 0] == FIT


@pytest.mark.parametrize(("turn", "back"), [(9, False), (10, True)])
def test_a_leader_comes_back_in_his_turn_with_the_first_of_his_units_left(turn: int, back: bool) -> None:
    play = field()
    play.forces.send_leader(0, play.ensemble.all(), 10)
    play.forces.remove(cases(play.forces, FIRST), ELIMINATED, "30")
    come_back(play, turn)
    assert (play.forces.leader_fate[0, 0] == FIT) == back
    if back:
        assert with_whom(play) == MATE


def test_the_dead_do_not_come_back() -> None:
    play = field()
    play.forces.send_leader(0, play.ensemble.all(), NEVER)
    come_back(play, 72)
    assert play.forces.leader_fate[0, 0] == OUT


# -- when his unit is gone --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mate", "friend", "enemy", "joins"),
    [
        ((1, 0), (4, 0), (-9, 0), MATE),  # the nearest
        ((1, 0), (4, 0), (2, 0), FRIEND),  # an enemy is next to the nearest
        ((0, 0), (4, 0), (1, 0), MATE),  # one of his own hex takes him up, enemy or no
        ((1, 0), (3, 0), (2, 0), None),  # an enemy between both: captured
    ],
)
def test_a_leader_whose_unit_is_lost_joins_the_nearest_that_is_free(
    mate: Hex, friend: Hex, enemy: Hex, joins: int | None
) -> None:
    play = field(mate=mate, friend=friend, enemy=enemy)
    play.forces.remove(cases(play.forces, FIRST), ELIMINATED, "22")
    settle(play)
    assert (play.forces.leader_fate[0, 0] == FIT) == (joins is not None)
    if joins is not None:
        assert with_whom(play) == joins
    else:
        assert play.forces.leader_until[0, 0] == NEVER


def test_nobody_farther_than_his_movement_takes_him_up() -> None:
    play = field(first=(-6, 0), mate=(7, 0), friend=(8, 0), enemy=(0, 9))
    play.forces.remove(cases(play.forces, FIRST), ELIMINATED, "22")
    settle(play)
    assert play.forces.leader_fate[0, 0] == OUT


def test_a_leader_is_captured_with_a_unit_that_surrenders() -> None:
    play = field()
    play.forces.remove(cases(play.forces, FIRST), SURRENDERED, "30")
    settle(play)
    assert (play.forces.leader_fate[0, 0], play.forces.leader_until[0, 0]) == (OUT, NEVER)
