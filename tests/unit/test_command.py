"""The command step, reinforcements, places and victory on the small scenario, worked out by hand
(docs/battle.md T)."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from sim.battle.command import TO_BE_ROLLED, Command
from sim.combat.checks import check
from sim.combat.play import Play
from sim.ensemble.dice import Dice, ExhaustiveDice, ScriptedDice
from sim.inputs import documents
from sim.units import battlefiles
from sim.units.battles import Scenario
from sim.units.fielded import field
from sim.vocabulary import AWAITED, DISORDERED, ELIMINATED, GONE, GOOD, LEFT, ROUTED
from tests.field import cases
from tests.unit.test_scenario_files import FILE, MAP, ROSTER

L1, L2, GUNS, R, HORSE, P1, P2 = range(7)
CORPS, BRIGADE = 0, 1
FRENCH, PRUSSIAN = 0, 1
NORTH, SOUTH = 8, 2


def scenario(folder: Path, text: str = FILE) -> Scenario:
    (folder / "small.csv").write_text(ROSTER, encoding="utf-8")
    (folder / "small.map").write_text(MAP, encoding="utf-8")
    document = documents.parse(text, "s.yaml")
    document.path = folder / "s.yaml"
    found, problems = battlefiles.check(document)
    assert found is not None, problems.errors
    return found


def command(folder: Path, dice: Dice | None = None, text: str = FILE) -> Command:
    dice = dice or ScriptedDice([])
    one = scenario(folder, text)
    play = Play(field(one, dice.lanes(1)), dice)
    return Command(play, one)


def at(one: Command, label: str) -> int:
    return one.forces.map.number(one.scenario.sheet.grid.hex_of(label))


def stand(one: Command, unit: int, label: str, facing: int | None = None) -> None:
    one.forces.place(cases(one.forces, unit), at(one, label), facing)


def step(one: Command, turn: int) -> None:
    one.play.moment = f"{turn}.command"
    one.begin(turn)


# -- at the start -----------------------------------------------------------------------------------


def test_everybody_stands_where_the_scenario_says(tmp_path: Path) -> None:
    """Left is dealt to two hexes: two battalions, then the guns; R lies in two; the horse is to come."""
    one = command(tmp_path)
    forces, grid = one.forces, one.scenario.sheet.map
    shown = [grid.label(int(hex_)) for hex_ in forces.hex[:, 0]]
    assert shown == ["0102", "0102", "0103", "0203", "off the map", "0501", "0602"]
    assert grid.label(int(forces.second[R, 0])) == "0204"
    assert (forces.state[HORSE, 0], forces.reason[HORSE, 0], forces.increments[HORSE, 0]) == (
        GONE,
        AWAITED,
        9,
    )
    assert forces.leader_at[0, 0] == L1
    assert (forces.penalties[P1].tolist(), set(forces.penalties[L1].tolist())) == ([0, -2, -4, -8], {99})


# -- reinforcements -----------------------------------------------------------------------------------


def test_delays_come_out_as_often_as_the_roll_says(tmp_path: Path) -> None:
    """1 to 4 on time, 5 a turn late, 6 again: in the third turn 2/3, in the fourth 1/6 + 1/6 * 2/3 = 5/18."""
    dice = ExhaustiveDice()
    one = command(tmp_path, dice)
    for turn in (1, 2, 3, 4):
        step(one, turn)
    chances: dict[int, Fraction] = {}
    for comes, share in zip(one.tally.counts.comes[0].tolist(), dice.fractions(), strict=True):
        chances[comes] = chances.get(comes, Fraction(0)) + share
    assert chances == {
        3: Fraction(2, 3),
        4: Fraction(5, 18),
        TO_BE_ROLLED: Fraction(1, 36),
        5: Fraction(1, 36),
    }


def test_nobody_comes_before_his_turn(tmp_path: Path) -> None:
    one = command(tmp_path, ScriptedDice([5]))
    step(one, 3)
    assert not one.waiting(HORSE).any()
    step(one, 4)
    assert one.waiting(HORSE).all()


@pytest.mark.parametrize(
    ("enemies", "friends", "entry"),
    [
        ({}, {}, "0101"),
        # its zone reaches south and south-east; friends of another arm are in the next two
        ({P1: ("0101", SOUTH)}, {}, "0104"),
        # both look north: the four hexes of the edge are theirs, and 0201; 0204 lies behind
        (
            {P1: ("0102", NORTH), P2: ("0104", NORTH)},
            {L1: "0301", L2: "0301", GUNS: "0401", R: "0402"},
            "0204",
        ),
        # the whole edge is full, but nothing blocks it: they wait
        ({}, {R: "0101", P2: "0604", L1: "0104"}, None),
    ],
)
def test_a_reinforcement_comes_by_the_first_hex_that_is_open(
    tmp_path: Path, enemies: dict[int, tuple[str, int]], friends: dict[int, str], entry: str | None
) -> None:
    one = command(tmp_path, ScriptedDice([1]))
    step(one, 3)
    for unit, (label, facing) in enemies.items():
        stand(one, unit, label, facing)
    for unit, label in friends.items():
        stand(one, unit, label)
    came = one.enter(cases(one.forces, HORSE))
    assert len(came) == (entry is not None)
    if entry is not None:
        assert one.forces.map.label(int(one.forces.hex[HORSE, 0])) == entry
        assert (one.forces.state[HORSE, 0], one.forces.half.entered[HORSE, 0]) == (GOOD, True)
    assert one.tally.counts.spread[0, 0] == 1


def test_who_is_shut_out_may_come_farther_off_next_turn(tmp_path: Path) -> None:
    """Only the edge's own hexes and those within 5 count at first; of a map this small that is nearly all, so
    that a spread of one hex shows it: 0201 and 0204 are shut too, then 0301 is open."""
    one = command(tmp_path, ScriptedDice([1]))
    one._rings[0] = [
        [(0, r) for r in range(4)],
        [one.scenario.sheet.grid.hex_of("0201")],
        [one.scenario.sheet.grid.hex_of("0301")],
    ]
    step(one, 3)
    for unit, label in {L1: "0601", L2: "0601", GUNS: "0602", R: "0603"}.items():
        stand(one, unit, label)
    stand(one, P1, "0102", NORTH)
    stand(one, P2, "0104", NORTH)
    assert not len(one.enter(cases(one.forces, HORSE)))
    assert not len(one.enter(cases(one.forces, HORSE)))
    assert one.tally.counts.spread[0, 0] == 2
    step(one, 4)
    assert len(one.enter(cases(one.forces, HORSE)))
    assert one.forces.map.label(int(one.forces.hex[HORSE, 0])) == "0301"


# -- morale levels --------------------------------------------------------------------------------------


def test_levels_are_found_on_the_hour_and_fall_when_battalions_rally(tmp_path: Path) -> None:
    """Thresholds 1, 2, 3. 9:00, 10:00 are turns 1 and 4: a battalion that routs at 9:00 counts at 10:00. The
    horse that is still to come, guns that are lost, and who left the map do not count."""
    one = command(tmp_path, ScriptedDice([1]))
    forces = one.forces
    step(one, 1)
    forces.become(cases(forces, L1), ROUTED)
    forces.remove(cases(forces, GUNS), ELIMINATED, "30")
    forces.leave_map(cases(forces, R), np.array([0]))
    step(one, 2)
    assert one.tally.counts.level[:, 0].tolist() == [0, 0]
    step(one, 4)
    assert one.tally.counts.level[:, 0].tolist() == [1, 0]
    assert forces.level[:, 0].tolist() == [1, 1, 0, 1, 0, 0, 0]
    forces.remove(cases(forces, L2), ELIMINATED, "30")
    one._levels()
    assert one.tally.counts.level[CORPS, 0] == 2
    forces.become(cases(forces, L1), GOOD)
    one._levels()
    assert one.tally.counts.level[CORPS, 0] == 1


@pytest.mark.parametrize(("unit", "chance"), [(P1, Fraction(19, 36)), (L1, Fraction(19, 36))])
def test_an_organisation_may_have_penalties_of_its_own(tmp_path: Path, unit: int, chance: Fraction) -> None:
    """At level 2 the brigade has -4: 31 is the 13th face, so that 23 of 36 pass, 19 with it. The corps has
    the -6 of the rule set: of 25, the 11th face, 25 pass, 19 with it; the marshal's bonus is 0."""
    dice = ExhaustiveDice()
    one = command(tmp_path, dice)
    levels = np.zeros_like(one.forces.level)
    levels[unit] = 2
    one.forces.set_levels(levels)
    _, passed = check(one.play, "check", cases(one.forces, unit), "31")
    assert (
        sum((share for share, one in zip(dice.fractions(), passed, strict=True) if one), Fraction(0))
        == chance
    )


# -- places and victory -----------------------------------------------------------------------------------


def test_a_place_is_held_by_who_stood_there_last_when_a_half_ended(tmp_path: Path) -> None:
    one = command(tmp_path)
    row = one.tally.places.index(one.scenario.sheet.grid.hex_of("0301"))
    assert one.tally.counts.holder[row, 0] == PRUSSIAN
    stand(one, L1, "0301")
    one.forces.become(cases(one.forces, L1), ROUTED)
    one.half_over(FRENCH)
    assert one.tally.counts.holder[row, 0] == PRUSSIAN
    one.forces.become(cases(one.forces, L1), GOOD)
    one.forces.become(cases(one.forces, L1), DISORDERED)
    one.half_over(FRENCH)
    stand(one, L1, "0101")
    one.half_over(PRUSSIAN)
    assert one.tally.counts.holder[row, 0] == FRENCH


def test_the_other_hex_of_a_unit_in_two_holds_too(tmp_path: Path) -> None:
    one = command(tmp_path)
    row = one.tally.places.index(one.scenario.sheet.grid.hex_of("0302"))
    stand(one, R, "0403")
    one.forces.second[R] = at(one, "0302")
    one.half_over(FRENCH)
    assert one.tally.counts.holder[row, 0] == FRENCH


def test_what_left_counts_as_exited_and_what_was_lost_as_lost(tmp_path: Path) -> None:
    """L1 loses 2 of 9 and leaves with 7 by 0602; P1 is lost with 8."""
    one = command(tmp_path)
    forces = one.forces
    forces.lose(cases(forces, L1), 2, "22")
    forces.leave_map(cases(forces, L1), np.array([at(one, "0602")]))
    forces.remove(cases(forces, P1), ELIMINATED, "30")
    ledger = one.tally.ledger()
    assert ledger.lost[:, 0].tolist() == [2, 0, 0, 0, 0, 8, 0]
    assert ledger.left[:, 0].tolist() == [7, 0, 0, 0, 0, 0, 0]
    assert ledger.left_by[L1, 0] == at(one, "0602")
    assert ledger.broken[:, 0].tolist() == [False] * 5 + [True, False]
    assert forces.reason[L1, 0] == LEFT


def test_a_measure_with_a_turn_is_taken_at_its_end(tmp_path: Path) -> None:
    """9 French increments out before 10:20, the fifth turn, are a marginal victory: L1 out in the fourth turn
    counts, in the fifth it does not. Nobody has lost anything, and the balance is 0: else the last result."""
    for last, result in ((4, 1), (5, 3)):
        one = command(tmp_path)
        for turn in range(1, 7):
            if turn == last:
                one.forces.leave_map(cases(one.forces, L1), np.array([at(one, "0602")]))
            standing = one.tally.measure(turn)
        assert standing.tolist() == [result]
