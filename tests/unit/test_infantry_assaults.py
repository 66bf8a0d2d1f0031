"""Infantry assaults on small maps, worked out by hand (docs/battle.md, Assault): both sides' checks, the
melee of several hexes, what becomes of either side, who enters the hex.

Directions 0 to 5 are (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1). The target stands at (0, 0) in
column and looks east: directions 5, 0, 1 are its front, 2 and 4 its flanks, 3 its rear. Everybody has eight
increments, a melee value of 8 and morale 33, and passes an unchanged check on 34."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sim.battle.assault import assault
from sim.battle.told import Fought
from sim.board.hexmap import distance
from sim.combat.fire import attack
from sim.combat.play import Play
from sim.combat.told import Checked
from sim.ensemble.dice import Dice, ExhaustiveDice, RandomDice, ScriptedDice
from sim.rulesets.rulebook import rulebook
from sim.studies import assaults
from sim.vocabulary import DISORDERED, GOOD
from tests.agreement.positions import book_of
from tests.field import Placed, battle, flags, hexes, unit

AT = {0: (1, 0), 1: (0, 1), 2: (-1, 1), 3: (-1, 0), 4: (0, -1), 5: (1, -1)}


def attacker(side: int, name: str = "", **facts: Any) -> Placed:
    """Infantry in column next to the target, in a direction from it, that looks at it."""
    return unit(name or f"attacker-{side}", 0, AT[side], 2 * ((side + 3) % 6), **facts)


def target(**facts: Any) -> Placed:
    return unit("target", 1, (0, 0), facts.pop("facing", 0), **facts)


def field(units: list[Placed], dice: Dice, told: bool = False, book: str = "prusse-1806") -> Play:
    play = battle(units, dice, told=told, book=book_of(book))
    play.moment = "1.1.melee"
    return play


def storm(play: Play, *attackers: int, **how: Any) -> None:
    """These units assault unit 0's hex."""
    place = np.full(play.ensemble.n, play.forces.map.number((0, 0)))
    assault(play, 0, flags(play, *attackers), place, **how)


def stormed(units: list[Placed], rolls: list[int], book: str = "prusse-1806", **how: Any) -> Play:
    """An assault of all but the first of some units, by rolls that must all be used."""
    dice = ScriptedDice(rolls)
    play = field(units, dice, told=True, book=book)
    storm(play, *range(1, len(units)), **how)
    dice.finish()
    return play


def checks(play: Play) -> list[tuple[int, int]]:
    """Who checked before the melee, and by how many pips the dice were changed."""
    assert play.recorder is not None
    events = [entry.event for entry in play.recorder.entries]
    return [
        (one.unit, sum(amount for _, amount, _ in one.modifiers))
        for one in events
        if isinstance(one, Checked) and one.decision.name.endswith("/pre-melee")
    ]


def melees(play: Play) -> list[tuple[str, str]]:
    """Column and outcome of the melee."""
    assert play.recorder is not None
    events = [entry.event for entry in play.recorder.entries]
    found = [one for one in events if isinstance(one, Fought)]
    return [(one.strengths.column, one.outcome) for one in found if one.strengths]


# -- the order of things ------------------------------------------------------------------------------


def test_two_hexes_storm_a_third() -> None:
    """16 against 8 is 2:1, without a change to the dice; the melee 16 : 8 too; 53 is DD. The defender loses
    an increment for its zone and is three hexes off; the first attacker enters, and looks west."""
    play = stormed([target(), attacker(0), attacker(1)], [34, 34, 34, 53])
    forces = play.forces
    assert checks(play) == [(0, 0), (1, 0), (2, 0)]
    assert melees(play) == [("2:1", "DD")]
    assert (forces.state[0, 0], forces.increments[0, 0]) == (DISORDERED, 7)
    there = hexes(play)
    assert there[0] is not None
    assert distance(there[0], (0, 0)) == 3
    assert there[1:] == [(0, 0), (0, 1)]
    assert forces.facing[1, 0] == 6
    assert forces.half.meleed[:, 0].tolist() == [True, True, True]


@pytest.mark.parametrize(("occupy", "ends"), [(True, (0, 0)), (False, (1, 0))])
def test_defenders_who_fail_leave_the_hex_and_an_attacker_may_enter(
    occupy: bool, ends: tuple[int, int]
) -> None:
    """33 is not more than 33; nobody loses anything, and there is no melee."""
    play = stormed([target(), attacker(0), attacker(1)], [33], occupy=occupy)
    assert (play.forces.state[0, 0], play.forces.increments[0, 0]) == (DISORDERED, 8)
    assert melees(play) == []
    assert hexes(play)[1:] == [ends, (0, 1)]


def test_an_attacker_who_fails_falls_back_and_the_others_go_on() -> None:
    """The second alone makes 1:1; 66 is DD there. It enters and looks as it came, in direction 4."""
    play = stormed([target(), attacker(0), attacker(1)], [34, 33, 34, 66])
    assert melees(play) == [("1:1", "DD")]
    assert play.forces.state[:, 0].tolist() == [DISORDERED, DISORDERED, GOOD]
    assert play.forces.increments[1, 0] == 8
    there = hexes(play)
    assert there[1] is not None
    assert distance(there[1], (1, 0)) == 3
    assert (there[2], play.forces.facing[2, 0]) == ((0, 0), 8)


def test_where_all_attackers_fail_there_is_no_melee() -> None:
    play = stormed([target(), attacker(0)], [33 + 1, 33])
    assert melees(play) == []
    assert hexes(play)[0] == (0, 0)


def test_beaten_attackers_fall_back_each_from_its_hex() -> None:
    """2:1 on 11 is AD: both are disordered, three hexes off, an increment down for the zone they left."""
    play = stormed([target(), attacker(0), attacker(1)], [34, 34, 34, 11])
    forces = play.forces
    assert melees(play) == [("2:1", "AD")]
    assert forces.state[:, 0].tolist() == [GOOD, DISORDERED, DISORDERED]
    assert forces.increments[:, 0].tolist() == [8, 7, 7]
    there = hexes(play)
    assert there[0] == (0, 0)
    for now, before in zip(there[1:], ((1, 0), (0, 1)), strict=True):
        assert now is not None
        assert distance(now, before) == 3


def test_a_blank_result_sends_both_sides_back_a_hex() -> None:
    """1:1 on 16 is blank (E1.4); the attacker's 41 is just enough with its -3."""
    play = stormed([target(), attacker(0)], [34, 41, 16])
    assert melees(play) == [("1:1", "none")]
    ours, theirs = hexes(play)[1], hexes(play)[0]
    assert ours is not None
    assert theirs is not None
    assert (distance(theirs, (0, 0)), distance(ours, (1, 0))) == (1, 1)
    assert play.forces.state[:, 0].tolist() == [GOOD, GOOD]


# -- dice and values ----------------------------------------------------------------------------------


def test_a_flank_counts_for_who_comes_through_it() -> None:
    """The defender has -12, the attacker in the flank +12 and twice its value: 8 + 16 against 8 is 3:1."""
    play = stormed([target(), attacker(0), attacker(2)], [54, 34, 14, 66])
    assert checks(play) == [(0, -12), (1, 0), (2, 12)]
    assert melees(play) == [("3:1", "DR")]
    assert hexes(play)[2] == (0, 0)  # who came through the flank leads, and enters


def test_through_the_rear_it_is_half_of_that() -> None:
    """8 against 8 is 1:1: 3 and -3; the rear -6 and 6, and 12 against 8, 1.5:1."""
    play = stormed([target(), attacker(3)], [41, 31, 11])
    assert checks(play) == [(0, -3), (1, 3)]
    assert melees(play) == [("1.5:1", "AD")]


@pytest.mark.parametrize(
    ("aim", "comer", "expected"),
    [
        ({"formation": "general order"}, {}, [(1, -3)]),
        ({"formation": "skirmish", "facing": 1}, {}, [(0, -3)]),
        ({"formation": "square"}, {}, [(0, 9), (1, -3)]),
        ({"state": "disordered"}, {}, [(0, 0), (1, 0)]),
        ({"increments": 4, "printed": 4}, {"formation": "line"}, [(0, 3), (1, -3)]),
        ({}, {"state": "disordered"}, [(0, 3), (1, -6)]),
        ({"increments": 4}, {}, [(0, -6), (1, 0)]),
    ],
    ids=["general order", "skirmishers", "square", "shaken", "four in line", "attacker shaken", "half lost"],
)
def test_the_checks_by_situation(
    aim: dict[str, Any], comer: dict[str, Any], expected: list[tuple[int, int]]
) -> None:
    """At 1:1 the defender has 3 and the attacker -3, at 2:1 neither has anything (C9)."""
    facing = 7 if comer.get("formation") == "line" else 6
    units = [target(**aim), unit("attacker", 0, (1, 0), facing, **comer)]
    rolls = [66] * (len(expected) + 1)
    dice = ScriptedDice([*rolls, *[66] * 6])
    play = field(units, dice, told=True)
    storm(play, 1)
    assert checks(play) == expected


def test_losses_by_fire_and_elite_defenders() -> None:
    """Two increments lost: -6, or against morale 15 in Austerlitz -12; 6 against 8 is 1:2, -6."""
    for morale, amount in ((33, -12), (15, -18)):
        units = [target(morale=morale), unit("attacker", 0, (1, 0), 6, increments=6, nation="French")]
        units[0] = unit("target", 1, (0, 0), 0, morale=morale, nation="Russian")
        play = field(units, ScriptedDice([66, 66, 11, *[66] * 6]), told=True, book="austerlitz-1805")
        play.forces.half.fire_losses[1] = 2
        storm(play, 1)
        assert checks(play) == [(0, 6), (1, amount)]


@pytest.mark.parametrize(
    "comer",
    [
        unit("looks away", 0, (1, 0), 0),
        unit("too far", 0, (2, 0), 6),
        unit("square", 0, (1, 0), 6, formation="square"),
        unit("routed", 0, (1, 0), 6, state="routed"),
    ],
    ids=lambda one: one.unit.name,
)
def test_who_may_not_assault_does_not(comer: Placed) -> None:
    play = stormed([target(), comer], [])
    assert hexes(play)[0] == (0, 0)


def test_an_empty_hex_is_not_assaulted() -> None:
    play = stormed([unit("target", 1, (5, 5), 0), attacker(0)], [])
    assert hexes(play)[1] == (1, 0)


# -- exactly, and in any lanes ----------------------------------------------------------------------


def test_the_chances_are_those_of_the_chart() -> None:
    """One battalion against another: the exact play of the map and the chart agree."""
    dice = ExhaustiveDice()
    play = field([target(), attacker(0)], dice)
    storm(play, 1)
    weights = np.array(dice.fractions(), object)
    rules = book_of("prusse-1806").ruleset
    side = assaults.Side(8, morale=33, melee=Fraction(8))
    chart = assaults.assault(rulebook(rules, rules.switches()), side, side)
    fought = play.forces.half.meleed[0]
    assert weights[~fought].sum() == chart[assaults.DRIVEN_OFF].p + chart[assaults.REPULSED].p
    held = np.array([place == play.forces.map.number((0, 0)) for place in play.forces.hex[1]])
    assert weights[held & ~fought].sum() == chart[assaults.DRIVEN_OFF].p
    assert weights[held & fought].sum() == chart["melee DD"].p
    assert weights.sum() == 1


def test_a_run_goes_alike_in_lanes_that_it_shares_and_in_one_of_its_own() -> None:
    units = [target(), attacker(0), attacker(1), attacker(2, formation="line", increments=5)]
    units.append(unit("mate", 1, (0, 0), 0, increments=3))
    shared, apart = RandomDice(5, 0, 3000), RandomDice(5, 0, 3000, lumped=False)
    together, alone = field(units, shared), field(units, apart)
    storm(together, 1, 2, 3)
    storm(alone, 1, 2, 3)
    for name in ("increments", "state", "hex", "facing", "formation"):
        merged, own = getattr(together.forces, name), getattr(alone.forces, name)
        assert (merged[:, shared.lane_of_run] == own).all(), name


def test_an_attacker_is_shaken_by_what_defensive_fire_has_cost_it() -> None:
    """9 of printed fire against 6 is 1.5:1: 42 costs one (no check: losses from the eighth on); 7 against 8
    is 1:2, -6, and -3 for the increment."""
    shot = unit("attacker", 0, (1, 0), 6, losses=(8, 1))
    play = field([target(fire=Fraction(9)), shot], ScriptedDice([42, 66, 66, *[66] * 5]), told=True)
    play.counts_fire_losses = True
    attack(play, play.forces.cases(np.ones(1, bool), 1), "27", defensive=True)
    storm(play, 1)
    assert play.forces.half.fire_losses[1, 0] == 1
    assert checks(play) == [(0, 6), (1, -9)]


def test_the_defenders_check_goes_by_the_flank_before_the_rear() -> None:
    """16 against 8: 2:1; the flank -12; the one in the rear has 6, the one in the flank 12. 8 x 2 + 8 x 3/2
    is 28, 3.5:1, and who came through the flank enters, though the other is first."""
    play = stormed([target(), attacker(3), attacker(2)], [54, 31, 21, 66])
    assert checks(play) == [(0, -12), (1, 6), (2, 12)]
    assert melees(play) == [("3.5:1", "DR")]
    assert hexes(play)[2] == (0, 0)
