"""Morale recovery on ground made by hand (docs/charge.md 11)."""

from __future__ import annotations

import pytest

from sim.battle.recovery import recover, recovery
from sim.board.hexmap import Hex, distance
from sim.combat.play import Play
from sim.ensemble.cases import Cases
from sim.ensemble.dice import ScriptedDice
from sim.vocabulary import COLUMN, DISORDERED, GENERAL_ORDER, GONE, GOOD, ROUTED, ROUTED_OFF, SURRENDERED
from tests.agreement.positions import book_of
from tests.field import battle, cases, hexes, told, unit

BOOK = book_of("prusse-1806")
LOOSE = [name for name, loose in zip(BOOK.terrains, BOOK.fire_defence.general_order, strict=True) if loose]


@pytest.mark.parametrize(
    ("ground", "formation"), [("clear", COLUMN), *[(name, GENERAL_ORDER) for name in LOOSE]]
)
def test_infantry_recovers_in_general_order_where_the_ground_is_broken(ground: str, formation: int) -> None:
    units = [unit("u", 0, (0, 0), state="disordered"), unit("enemy", 1, (5, 0))]
    play = battle(units, ScriptedDice([66]), terrain={(0, 0): ground}, book=BOOK)
    recover(play, cases(play.forces, 0))
    assert (play.forces.state[0, 0], play.forces.formation[0, 0]) == (GOOD, formation)


def test_there_is_broken_ground() -> None:
    assert LOOSE


# -- waves ------------------------------------------------------------------------------------------


def test_units_recover_in_unit_order_and_the_other_side_does_not() -> None:
    """Three of four are shaken; the enemy's waits for its own half."""
    shaken = [unit(name, 0, (0, n), state="disordered") for n, name in enumerate(("a", "b"))]
    units = [*shaken, unit("whole", 0, (2, 0)), unit("enemy", 1, (9, 0), state="disordered")]
    play = battle(units, ScriptedDice([66, 65]), told=True)
    recovery(play, 0)
    assert play.forces.state[:, 0].tolist() == [GOOD, GOOD, GOOD, DISORDERED]
    assert told(play) == [("Checked", 0), ("Recovered", 0), ("Checked", 1), ("Recovered", 1)]


@pytest.mark.parametrize(("shaken", "asked"), [(0, [0, 1]), (1, [1])])
def test_who_becomes_disordered_meanwhile_tries_too_if_its_turn_is_still_to_come(
    monkeypatch: pytest.MonkeyPatch, shaken: int, asked: list[int]
) -> None:
    """Each that acts disorders both: the second is asked after the first, the first not after the second."""
    states = ["good", "good"]
    states[shaken] = "disordered"
    units = [unit("a", 0, (0, 0), state=states[0]), unit("b", 0, (0, 1), state=states[1])]
    play = battle([*units, unit("enemy", 1, (9, 0))], ScriptedDice([]))
    acted: list[int] = []

    def acts(play: Play, acting: Cases) -> None:
        acted.extend(acting.unit.tolist())
        for number in (0, 1):
            play.forces.become(cases(play.forces, number), DISORDERED)

    monkeypatch.setattr("sim.battle.recovery.recover", acts)
    recovery(play, 0)
    assert acted == asked


@pytest.mark.parametrize(("away", "runs"), [(14, True), (15, False)])
def test_in_a_battle_who_stays_routed_far_from_every_enemy_runs_no_more(away: int, runs: bool) -> None:
    """Fifteen hexes are safe; there is no shelter, so it stays where it is."""
    units = [unit("u", 0, (0, 0), state="routed"), unit("enemy", 1, (away, 0))]
    play = battle(units, ScriptedDice([11]), radius=30)
    play.forces.in_battle = True
    recovery(play, 0)
    assert play.forces.state[0, 0] == ROUTED
    assert (hexes(play)[0] != (0, 0)) == runs


def test_a_disordered_unit_that_fails_far_from_every_enemy_runs_all_the_same() -> None:
    units = [unit("u", 0, (0, 0), state="disordered"), unit("enemy", 1, (20, 0))]
    play = battle(units, ScriptedDice([11]), radius=30)
    play.forces.in_battle = True
    recovery(play, 0)
    assert (play.forces.state[0, 0], hexes(play)[0] != (0, 0)) == (ROUTED, True)


@pytest.mark.parametrize(
    ("woods", "end"),
    [
        ({(0, 3), (-5, 0)}, (0, 3)),  # the nearest; its distance to the enemy at (16, 0) is 16
        ({(3, 0), (-5, 0)}, (-5, 0)),  # (3, 0) is only 13 from the enemy
        ({(-11, 0)}, (0, 0)),  # farther than a rout move of ten
        ({(-1, 0), (-5, 0)}, (-5, 0)),  # a friend stands in the nearest
    ],
)
def test_it_goes_to_the_nearest_shelter_that_is_as_safe(woods: set[Hex], end: Hex) -> None:
    """Distances of axial hexes: from (0, 3) to (16, 0) the steps are 16, of which 3 go both ways."""
    units = [
        unit("u", 0, (0, 0), state="routed"),
        unit("friend", 0, (-1, 0)),
        unit("enemy", 1, (16, 0)),
    ]
    play = battle(units, ScriptedDice([11]), radius=30, terrain=dict.fromkeys(woods, "woods"))
    play.forces.in_battle = True
    recovery(play, 0)
    assert hexes(play)[0] == end


def test_routs_by_fire_that_waited_are_run_last() -> None:
    units = [unit("late", 1, (0, 0), state="routed"), unit("u", 0, (2, 0), state="disordered")]
    play = battle(units, ScriptedDice([66]), told=True)
    play.forces.half.rout_pending[0] = True
    recovery(play, 0)
    assert [kind for kind, _ in told(play)] == ["Checked", "Recovered", "Moved"]
    assert not play.forces.half.rout_pending.any()


@pytest.mark.parametrize(
    ("battle_", "edge", "reason"),
    [(True, -12, ROUTED_OFF), (True, 12, SURRENDERED), (False, -12, SURRENDERED)],
)
def test_routers_whose_full_move_the_edge_cuts_short_run_off_the_map_on_the_side_of_home(
    battle_: bool, edge: int, reason: int
) -> None:
    """Home is west. Enemies stand on every hex of the map at three hexes: each step but that over the edge
    comes nearer to one of them. The eastern edge is no way home, and a charge file has no edge."""
    square = [(q, r) for q in range(edge - 3, edge + 4) for r in range(-3, 4) if -12 <= q <= 12]
    enemies = [at for at in square if distance(at, (edge, 0)) == 3]
    units = [unit("u", 0, (edge, 0), state="routed")]
    play = battle([*units, *(unit(f"e{n}", 1, at) for n, at in enumerate(enemies))], ScriptedDice([11]))
    play.forces.in_battle = battle_
    recovery(play, 0)
    assert (play.forces.state[0, 0], play.forces.reason[0, 0]) == (GONE, reason)
