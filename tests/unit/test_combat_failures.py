"""What failed checks bring, worked out by hand (docs/charge.md 7 and 8): contagion, new states, moves."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from sim.combat.failures import (
    BY_FIRE,
    PLAIN,
    WITHOUT_A_ROLL,
    Failing,
    contagion_checks,
    give_way,
    in_touch,
)
from sim.combat.flight import retreat, rout
from sim.combat.play import Play
from sim.combat.told import Checked, Moved
from sim.ensemble.dice import Dice, ExhaustiveDice, RandomDice, ScriptedDice
from sim.ensemble.frames import Pending
from sim.vocabulary import DISORDERED, GONE, GOOD, INFANTRY, ROUTED, SURRENDERED
from tests.agreement.positions import book_of
from tests.field import Placed, battle, cases, flags, hexes, told, unit

FAIL, PASS = 11, 66
ENEMY = unit("enemy", 0, (-2, 0))
FAILS = Fraction(15, 36)
"""11 to 33: what does not beat a morale of 33."""


# -- nine failures, one inside the other ----------------------------------------------------------

GUNS = 10


def crowded_row(dice: Dice, is_told: bool = False) -> Play:
    """Limbered guns in every second hex of a lane through woods, which they cannot leave; the enemy behind.

    Each that fails falls back three hexes, past the next one, which has to check for that.
    """
    row = [
        unit(f"guns-{i}", 1, (2 * i, 0), arm="artillery", formation="limbered", fire=Fraction(9))
        for i in range(GUNS)
    ]
    woods = {(q, r): "woods" for q in range(-3, 26) for r in (-1, 1)}
    return battle([*row, ENEMY], dice, is_told, woods, radius=26)


def first_fails(play: Play) -> None:
    with Failing(play, PLAIN) as failing:
        failing.check("loss-check", flags(play, 0), 0, "31")


def test_nine_failures_each_inside_the_one_before_move_every_battery_past_the_next() -> None:
    play = crowded_row(ScriptedDice([FAIL] * GUNS), is_told=True)
    first_fails(play)
    assert hexes(play)[:GUNS] == [(2 * i + 3, 0) for i in range(GUNS)]
    assert play.forces.state[:GUNS, 0].tolist() == [DISORDERED] * GUNS
    moves = [("Checked", 0), ("Broke", 0)]
    for i in range(GUNS):
        moves += [("Moved", i), *([("Checked", i + 1), ("Broke", i + 1)] if i + 1 < GUNS else [])]
    assert told(play) == moves
    assert len(play.ensemble.frames) == 2  # the state and the half: what the failures remembered is gone


def test_the_exact_chance_that_a_battery_is_shaken_is_that_of_all_before_it_failing() -> None:
    dice = ExhaustiveDice()
    play = crowded_row(dice)
    first_fails(play)
    weights = np.array(dice.fractions(), object)
    shaken = [weights[play.forces.state[i] == DISORDERED].sum() for i in range(GUNS)]
    assert shaken == [FAILS ** (i + 1) for i in range(GUNS)]
    assert play.ensemble.n == GUNS + 1


@pytest.mark.parametrize("first", [0, 37])
def test_a_run_ends_alike_in_lanes_that_it_shares_and_in_one_of_its_own(first: int) -> None:
    shared, apart = RandomDice(7, first, 200), RandomDice(7, first, 200, lumped=False)
    together, alone = crowded_row(shared), crowded_row(apart)
    first_fails(together)
    first_fails(alone)
    assert 1 < together.ensemble.n < 12
    assert (together.forces.hex[:, shared.lane_of_run] == alone.forces.hex).all()
    assert (together.forces.state[:, shared.lane_of_run] == alone.forces.state).all()


# -- one event ------------------------------------------------------------------------------------


def stack(dice: Dice, *states: str, is_told: bool = False) -> Play:
    """Infantry of side 1 in one hex, one a state, and one more in a hex that is two away."""
    units = [unit(f"u{i}", 1, (0, 0), state=state) for i, state in enumerate(states)]
    return battle([*units, unit("other", 1, (0, 2)), ENEMY], dice, is_told)


def test_those_whom_the_event_asks_check_first_then_contagion_then_they_move_in_that_order() -> None:
    play = stack(ScriptedDice([FAIL, PASS, FAIL]), "good", "good", "good", is_told=True)
    with Failing(play, PLAIN) as failing:
        failing.check("loss-check", flags(play, 1, 2), 2, "31")
    expected = [("Checked", 1), ("Broke", 1), ("Checked", 2), ("Checked", 0), ("Broke", 0)]
    assert told(play) == [*expected, ("Moved", 1), ("Moved", 0)]
    assert play.recorder is not None
    checks = [entry.event for entry in play.recorder.entries if isinstance(entry.event, Checked)]
    names = [(one.decision.name, one.decision.by, one.decision.about) for one in checks]
    kinds = "1.1.charge/loss-check", "1.1.charge/contagion"
    assert names == [(kinds[0], 2, 1), (kinds[0], 2, 2), (kinds[1], 2, 0)]
    assert hexes(play)[:3] == [(2, 1), (3, 0), (0, 0)]  # the second to move finds (3, 0) taken


def test_two_that_fail_in_one_hex_infect_their_mate_once_and_nobody_whom_the_event_asked() -> None:
    play = stack(ScriptedDice([FAIL, FAIL, PASS]), "good", "good", "good", is_told=True)
    with Failing(play, PLAIN) as failing:
        failing.check("loss-check", flags(play, 0, 1), 0, "31")
    assert [one for one in told(play) if one[0] == "Checked"] == [
        ("Checked", 0),
        ("Checked", 1),
        ("Checked", 2),
    ]
    assert play.forces.state[:3, 0].tolist() == [DISORDERED, DISORDERED, GOOD]


def test_contagion_asks_the_disordered_but_not_the_routed_and_nobody_in_another_hex() -> None:
    play = stack(ScriptedDice([FAIL, FAIL]), "good", "disordered", "routed", is_told=True)
    with Failing(play, PLAIN) as failing:
        failing.check("loss-check", flags(play, 0), 0, "31")
    assert [one for one in told(play) if one[0] == "Checked"] == [("Checked", 0), ("Checked", 1)]
    assert play.forces.state[:4, 0].tolist() == [DISORDERED, ROUTED, ROUTED, GOOD]


def test_an_event_without_contagion_asks_nobody_else() -> None:
    play = stack(ScriptedDice([FAIL]), "good", "good")
    with Failing(play, PLAIN, contagion=False) as failing:
        failing.check("star", flags(play, 0), 0, "34")
    assert play.forces.state[:2, 0].tolist() == [DISORDERED, GOOD]


def test_checks_of_several_kinds_are_made_in_unit_order_and_who_fails_without_a_roll_in_his_turn() -> None:
    play = stack(ScriptedDice([PASS, PASS]), "good", "good", "good", is_told=True)
    with Failing(play, PLAIN) as failing:
        kinds = [
            ("under-fire", flags(play, 2)),
            ("loss-check", flags(play, 0)),
            (WITHOUT_A_ROLL, flags(play, 1)),
        ]
        failing.checks(kinds, 0, "31")
    assert told(play) == [("Checked", 0), ("Broke", 1), ("Checked", 2), ("Moved", 1)]


@pytest.mark.parametrize("dice", [ExhaustiveDice, lambda: RandomDice(3, 0, 5000, lumped=False)])
def test_exactly_and_simulated_contagion_reaches_whom_it_should(dice: Callable[[], Dice]) -> None:
    made = dice()
    play = stack(made, "good", "good", "good")
    with Failing(play, PLAIN) as failing:
        failing.check("loss-check", flags(play, 0, 1), 0, "31")
    state = play.forces.state
    both = FAILS**2
    expected = {
        (DISORDERED, GOOD, GOOD): FAILS * (1 - FAILS) ** 2,
        (DISORDERED, GOOD, DISORDERED): FAILS * (1 - FAILS) * FAILS,
        (DISORDERED, DISORDERED, DISORDERED): both * FAILS,
        (GOOD, GOOD, GOOD): (1 - FAILS) ** 2,
        (GOOD, GOOD, DISORDERED): Fraction(0),
    }
    for states, chance in expected.items():
        lanes = (state[:3] == np.array(states)[:, None]).all(axis=0)
        if isinstance(made, ExhaustiveDice):
            assert sum(np.array(made.fractions(), object)[lanes]) == chance
        else:
            bound = 5 * float(chance * (1 - chance) / 5000) ** 0.5
            assert abs(lanes.mean() - float(chance)) <= bound


def test_routs_by_fire_wait_for_the_recovery_segment_where_the_rules_say_so() -> None:
    for rule, waits in (("recovery", True), ("at_once", False)):
        units = [unit("u", 1, (0, 0), state="disordered"), ENEMY]
        book = book_of("prusse-1806", rout_by_fire=rule)
        play = battle(units, ScriptedDice([FAIL]), book=book)
        with Failing(play, BY_FIRE) as failing:
            failing.check("loss-check", flags(play, 0), 0, "31")
        assert play.forces.state[0, 0] == ROUTED
        assert play.forces.half.rout_pending[0, 0] == waits
        assert hexes(play)[0] == ((0, 0) if waits else (10, 0))


def test_unlimbered_guns_are_disordered_where_they_stand_and_no_further() -> None:
    guns = unit("guns", 1, (0, 0), arm="artillery", formation="unlimbered", fire=Fraction(9))
    play = battle([guns, ENEMY], ScriptedDice([FAIL, FAIL]))
    for _ in range(2):
        first_fails(play)
        assert play.forces.state[0, 0] == DISORDERED
        assert hexes(play)[0] == (0, 0)


def test_who_runs_into_no_hex_farther_from_the_enemy_surrenders() -> None:
    ring = [unit(f"e{i}", 0, at) for i, at in enumerate([(2, 0), (-2, 0), (0, 2), (0, -2), (-2, 2), (2, -2)])]
    play = battle([unit("u", 1, (0, 0), state="routed"), *ring], ScriptedDice([]), told=True)
    rout(play, flags(play, 0), 0)
    assert told(play) == [("Stuck", 0), ("Lost", 0)]
    assert (play.forces.state[0, 0], play.forces.reason[0, 0]) == (GONE, SURRENDERED)


def test_units_of_one_hex_that_leave_together_end_together_at_the_pace_of_the_slowest() -> None:
    horse = unit("horse", 1, (0, 0), arm="cavalry", state="routed", movement=4)
    foot = unit("foot", 1, (0, 0), state="routed")
    play = battle([horse, foot, ENEMY], ScriptedDice([]), told=True)
    rout(play, flags(play, 0, 1), 0)
    assert hexes(play)[:2] == [(4, 0), (4, 0)]
    assert play.recorder is not None
    moved = play.recorder.entries[0].event
    assert isinstance(moved, Moved)
    assert (moved.group, moved.rout, moved.hexes, moved.bearing) == ((0, 1), True, 4, 0)


@pytest.mark.parametrize(("rule", "lost"), [("each", [1, 1]), ("group", [1, 0])])
def test_leaving_a_zone_costs_each_unit_of_the_group_or_the_group_once(rule: str, lost: list[int]) -> None:
    near = unit("near", 0, (-1, 0), facing=0)
    pair = [unit("a", 1, (0, 0), state="disordered"), unit("b", 1, (0, 0), state="disordered")]
    play = battle([*pair, near], ScriptedDice([]), book=book_of("prusse-1806", zone_loss=rule))
    retreat(play, flags(play, 0, 1), 0, zone_loss=1, by_melee=True)
    assert (8 - play.forces.increments[:2, 0]).tolist() == lost
    assert hexes(play)[:2] == [(3, 0), (3, 0)]


def test_cavalry_on_an_enemys_hex_goes_first_to_the_hex_it_came_from() -> None:
    horse = unit("horse", 0, (0, 0), arm="cavalry", state="routed", movement=5)
    square = unit("square", 1, (0, 0), formation="square")
    play = battle([horse, square], ScriptedDice([]))
    play.forces.half.came_from[0] = play.forces.map.number((0, 1))
    rout(play, flags(play, 0), 0)
    assert hexes(play)[0] == (-4, 5)  # one point for (0, 1), four more from there; else (-5, 0)


def test_contagion_now_and_moves_when_the_routers_have_left() -> None:
    play = stack(ScriptedDice([FAIL]), "routed", "good", is_told=True)
    with Pending(play.ensemble) as infected, Pending(play.ensemble) as waiting:
        first = cases(play.forces, 0)
        infected.mark_all(in_touch(play, first, (INFANTRY,)), first.lane, first.by)
        contagion_checks(play, infected, waiting)
        assert play.forces.state[1, 0] == DISORDERED
        rout(play, flags(play, 0), 0)
        give_way(play, waiting)
    assert [one for one in told(play) if one[0] == "Moved"] == [("Moved", 0), ("Moved", 1)]


def test_routers_shake_the_good_whom_they_pass_and_by_contagion_the_disordered_with_them() -> None:
    friends = [
        unit("good", 1, (9, 0)),
        unit("shaken", 1, (9, 0), state="disordered"),
        unit("router", 1, (0, 0), arm="artillery", formation="limbered", state="routed"),
    ]
    woods = {(q, r): "woods" for q in range(-3, 12) for r in (-1, 1)}
    play = battle([*friends, ENEMY], ScriptedDice([FAIL, FAIL]), True, woods, radius=14)
    rout(play, flags(play, 2), 2)
    assert hexes(play)[2] == (10, 0)
    assert told(play)[:5] == [("Moved", 2), ("Checked", 0), ("Broke", 0), ("Checked", 1), ("Broke", 1)]


def placed_apart(n: int) -> list[Placed]:
    return [unit(f"u{i}", 1, (i, -i)) for i in range(n)]


def test_units_that_differ_from_lane_to_lane_check_together_each_in_its_turn() -> None:
    dice = RandomDice(5, 0, 300, lumped=False)
    play = battle([*placed_apart(4), unit("enemy", 0, (-9, 0))], dice)
    due = np.random.default_rng(1).random((5, 300)) < 0.4
    due[4] = False
    with Failing(play, PLAIN) as failing:
        failing.check("loss-check", due, 4, "31")
    hit = play.forces.state == DISORDERED
    assert not (hit & ~due).any()
    share = hit.sum() / due.sum()
    assert abs(share - float(FAILS)) < 4 * (0.25 / due.sum()) ** 0.5
