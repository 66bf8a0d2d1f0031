"""Which charges are possible, and how a choice of them becomes the charges of a half (docs/battle.md K1 to
K12)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import simpy

from sim.board.approach import turns_of
from sim.board.hexmap import DIRECTIONS, Hex
from sim.board.kernel import Mode
from sim.charge import charge
from sim.charge.course import Course
from sim.charge.declaration import Numbers
from sim.charge.waves import Approaches, charges_of, may_charge, possible_charges
from sim.combat.play import Play
from sim.ensemble.cases import Cases
from sim.ensemble.dice import ExhaustiveDice
from sim.ensemble.lanes import Ids
from sim.units.charges import Leader
from sim.units.orders import RESPONSE_CODES
from sim.vocabulary import CAVALRY, GONE, LIMBERED, LINE, SKIRMISH, SQUARE
from tests.agreement.forty import half_of
from tests.agreement.play.hexes import distance
from tests.agreement.positions import book_of
from tests.field import Placed, battle, unit


class Stands:
    """Whoever is charged stands."""

    def responses(self, units: Ids, lanes: Ids) -> Numbers:
        return np.zeros((len(units), len(lanes)), np.int64)


def hussars(at: Hex = (-6, 0), name: str = "Hussars", **facts: Any) -> Placed:
    """Light cavalry of 14 points, 19 in a charge, that looks in direction 0."""
    given: dict[str, Any] = {"arm": "cavalry", "movement": 14, "melee": Fraction(20)} | facts
    return unit(name, 0, at, **given)


def foot(at: Hex = (0, 0), name: str = "Foot", **facts: Any) -> Placed:
    return unit(name, 1, at, 6, **facts)


def scene(*units: Placed, ruleset: str = "prusse-1806", **more: Any) -> Play:
    return battle(units, ExhaustiveDice(), book=book_of(ruleset), **more)


def told(found: Approaches) -> list[tuple[int, int, list[int], int]]:
    """Who, whom, by which turns, for how many points."""
    rows = zip(found.unit, found.target, found.way, found.points, strict=True)
    return [(int(one), int(other), turns_of(int(way)), int(points)) for one, other, way, points in rows]


# ---- drawn positions


def test_straight_ahead() -> None:
    """Five hexes to the one beside the target, a point each."""
    assert told(possible_charges(scene(hussars(), foot()), 0)) == [(0, 1, [0] * 5, 5)]


@pytest.mark.parametrize(("hexes", "possible"), [(3, False), (4, True), (20, True), (21, False)])
def test_three_straight_hexes_and_nineteen_points(hexes: int, possible: bool) -> None:
    """From four hexes off the last run is of three; 20 hexes off the hex beside the target costs 19."""
    play = scene(hussars((-hexes, 0)), foot(), radius=24)
    assert bool(told(possible_charges(play, 0))) == possible


def test_one_turn_before_the_last_run() -> None:
    """Two hexes ahead, a turn for a point, three to the hex beside the target, which lies 2 a and 4 b off."""
    play = scene(hussars((0, 0)), foot((2, 4)))
    assert told(possible_charges(play, 0)) == [(0, 1, [0, 0, 1, 0, 0], 6)]


def test_around_who_bars_the_way() -> None:
    """One ahead, five to the right, back by two hexsides, four to the hex beside the target: ten hexes and
    three hexsides; to the left it would cost as much."""
    play = scene(hussars(), unit("Friends", 0, (-3, 0)), foot())
    assert told(possible_charges(play, 0)) == [(0, 2, [0, 1, 0, 0, 0, 0, -2, 0, 0, 0], 13)]


def test_heavy_cavalry_does_not_turn_by_two_hexsides_in_2021() -> None:
    play = scene(hussars(movement=12), unit("Friends", 0, (-3, 0)), foot(), ruleset="hagelberg-1813")
    assert told(possible_charges(play, 0)) == []


def test_through_friends_that_open_their_ranks() -> None:
    play = scene(hussars(), unit("Friends", 0, (-3, 0), formation="skirmish"), foot())
    assert told(possible_charges(play, 0)) == [(0, 2, [0] * 5, 5)]


def test_a_line_sets_out_by_either_front_hex() -> None:
    """It faces a corner: ahead are directions 0 and 1."""
    play = scene(hussars(formation="line", facing=1), foot(), foot((-6, 6), "Others"))
    assert told(possible_charges(play, 0)) == [(0, 1, [0] * 5, 5), (0, 2, [1, 0, 0, 0, 0], 5)]


def test_not_into_closed_ground() -> None:
    assert told(possible_charges(scene(hussars(), foot(), terrain={(0, 0): "woods"}), 0)) == []


def test_only_the_top_unit_of_a_hex_is_named() -> None:
    assert told(possible_charges(scene(hussars(), foot(), foot(name="Below")), 0)) == [(0, 1, [0] * 5, 5)]


@pytest.mark.parametrize(
    "facts",
    [
        {"readiness": "tired"},
        {"readiness": "exhausted"},
        {"state": "routed"},
        {"formation": "road march"},
        {"arm": "infantry"},
    ],
)
def test_who_may_not_charge(facts: dict[str, Any]) -> None:
    assert told(possible_charges(scene(hussars(**facts), foot()), 0)) == []


def test_cossacks_do_not_charge_infantry_in_good_order() -> None:
    """D10.3: but disordered infantry, and guns not from before them."""
    cossacks = hussars(nation="Russian", type="Cossack")
    others = foot((-6, 6), "Shaken", state="disordered")
    play = scene(cossacks, foot(), others, ruleset="leipzig-1813")
    play.forces.facing[0] = 0
    assert 1 not in possible_charges(play, 0).target.tolist()
    play.forces.facing[0] = 2
    assert possible_charges(play, 0).target.tolist() == [2]


# ---- a choice becomes the charges of a half


def test_charges_are_resolved_in_the_order_chosen() -> None:
    play = scene(hussars(), hussars((-6, 1), "Others"), foot(), foot((0, 1), "Right"))
    found = possible_charges(play, 0)
    first, second = (
        np.flatnonzero((found.unit == one) & (found.target == other)) for one, other in ((1, 3), (0, 2))
    )
    chosen = found.take(np.concatenate([first, second]))
    charges = charges_of(play, 0, chosen, Stands())
    assert [(int(one.state.by[0]), int(one.state.goal[0])) for one in charges] == [(1, 3), (0, 2)]


def test_regiments_of_one_hex_ride_together_with_a_cavalry_leader() -> None:
    """D4.1; without him each charges for itself."""
    stack = (hussars(), hussars(name="Others"), foot())
    for cavalry, expected in ((1, [[0, 1]]), (0, [[0], [1]])):
        leaders = ((Leader("general", "General", cavalry=cavalry), (0, 1)),)
        play = scene(*stack, leaders=leaders)
        charges = charges_of(play, 0, possible_charges(play, 0), Stands())
        assert [np.flatnonzero(one.state.stack[:, 0]).tolist() for one in charges] == expected


def test_regiments_that_face_apart_charge_apart() -> None:
    leaders = ((Leader("general", "General", cavalry=1), (0, 1)),)
    play = scene(hussars(), hussars(name="Others"), foot(), leaders=leaders)
    play.forces.facing[1] = 10
    possible = possible_charges(play, 0)
    assert possible.unit.tolist() == [0, 1]
    charges = charges_of(play, 0, possible, Stands())
    assert [np.flatnonzero(one.state.stack[:, 0]).tolist() for one in charges] == [[0], [1]]


def test_lanes_may_differ_in_who_charges_whom() -> None:
    """In the second lane the first regiment is gone: the k-th charge of each lane is one process."""
    play = scene(hussars(), hussars((-6, 1), "Others"), foot(), foot((0, 1), "Right"), lanes=2)
    forces = play.forces
    forces.remove(forces.cases(np.array([False, True]), 0), 1, "30")
    found = possible_charges(play, 0)
    straight = found.where(found.points == 5)
    charges = charges_of(play, 0, straight, Stands())
    assert [one.state.by.tolist() for one in charges] == [[0, 1], [1, -1]]
    assert [one.state.goal.tolist() for one in charges] == [[2, 3], [3, -1]]


# ---- against plain Python


def ways(start: Hex, heading: int, line: bool, goal: Hex) -> Iterator[list[int]]:
    """Every way of at most two turns to a hex beside the goal, whoever is in it."""
    reach = range(1, 20)
    for first in range(2 if line else 1):
        here = (heading + first) % 6
        legs = [[(here, last)] for last in reach]
        legs += [[(here, m), (here + t, n)] for t in (1, -1, 2, -2) for m in reach for n in reach]
        legs += [
            [(here, 1), (here + t, p), (here + t + u, n)]
            for t in (1, -1, 2, -2)
            for u in (1, -1, 2, -2)
            for p in reach
            for n in reach
        ]
        for way in legs:
            q, r = start
            for direction, hexes in way:
                dq, dr = DIRECTIONS[direction % 6]
                q, r = q + hexes * dq, r + hexes * dr
            dq, dr = DIRECTIONS[way[-1][0] % 6]
            if (q + dq, r + dr) == goal and way[-1][1] >= 3:
                steps = [direction for direction, hexes in way for _ in range(hexes)]
                before = [heading, *steps[:-1]]
                yield [(a - b + 3) % 6 - 3 for a, b in zip(steps, before, strict=True)]


def price(play: Play, lane: int, rider: int, goal: Hex, turns: list[int], side: int) -> int | None:
    """Points for a way, None where it cannot be ridden."""
    forces, board = play.forces, play.survey.board
    barred = set()
    for other in range(len(forces.units)):
        if forces.state[other, lane] == GONE or other == rider:
            continue
        opens = forces.formation[other, lane] in (SKIRMISH, SQUARE, LIMBERED) or forces.arm[other] == CAVALRY
        if forces.side[other] != side or not opens:
            barred.add(int(forces.hex[other, lane]))
    here, direction = int(forces.hex[rider, lane]), int(forces.facing[rider, lane]) // 2
    run = next((n for n, turn in enumerate(reversed(turns)) if turn), len(turns) - 1) + 1
    points, line = 0, forces.formation[rider, lane] == LINE
    for step, turn in enumerate(turns):
        last = len(turns) - step <= run
        if not last and distance(forces.map.hex(here), goal) < 3:  # type: ignore[arg-type]
            return None
        direction = (direction + turn) % 6
        if board.closed[here, direction]:
            return None
        points += int(board.entry[CAVALRY, here, direction])
        points += 0 if line and step == 0 else abs(turn) * int(play.switches["facing_cost"])
        here = int(board.neighbour[here, direction])
        if here in barred:
            return None
        if not last and distance(forces.map.hex(here), goal) < 3:  # type: ignore[arg-type]
            return None
    return points if points <= forces.movement[rider] + 5 and not board.closed[here, direction] else None


@pytest.mark.parametrize("lane", range(3))
def test_what_is_possible_in_a_crowded_field(lane: int) -> None:
    """All charges of one run, with the least points of any way, found by trying every way."""
    play = half_of("stand", 1, 0, 3).play
    found = possible_charges(play, 0).where
    mine = found(possible_charges(play, 0).lane == lane)
    got = {(int(u), int(v)): int(p) for u, v, p in zip(mine.unit, mine.target, mine.points, strict=True)}
    forces, expected = play.forces, {}
    riders = np.flatnonzero(may_charge(play, 0)[:, lane]).tolist()
    seen: set[int] = set()
    for target in np.flatnonzero(forces.side == 1).tolist():
        place = int(forces.hex[target, lane])
        if forces.state[target, lane] == GONE or place in seen:
            continue
        seen.add(place)
        goal = forces.map.hex(place)
        assert goal is not None
        for rider in riders:
            start = forces.map.hex(int(forces.hex[rider, lane]))
            assert start is not None
            line = bool(forces.formation[rider, lane] == LINE)
            heading = int(forces.facing[rider, lane]) // 2
            prices = [price(play, lane, rider, goal, turns, 0) for turns in ways(start, heading, line, goal)]
            payable = [points for points in prices if points is not None]
            if payable:
                expected[rider, target] = min(payable)
    assert got == expected
    assert len(got) > 10


def test_compiled_as_interpreted() -> None:
    play = half_of("stand", 1, 0, 6).play
    compiled = possible_charges(play, 0)
    play.survey.mode = Mode.INTERPRETED
    plain = possible_charges(play, 0)
    for name in ("lane", "unit", "target", "place", "way", "points"):
        assert getattr(compiled, name).tolist() == getattr(plain, name).tolist()


def test_who_fails_its_check_to_charge_neither_moves_nor_melees() -> None:
    """Rheinbund cavalry in Leipzig checks first, at 33: it fails in 15 of 36 (LZ fb41)."""
    play = scene(hussars(nation="Rheinbund"), foot(), ruleset="leipzig-1813")
    (only,) = charges_of(play, 0, possible_charges(play, 0), Stands())
    only.declare()
    env = simpy.Environment()
    env.process(only.ride(env))
    env.run()
    stands, weights = play.forces.half.stands[0], play.dice.fractions()  # type: ignore[attr-defined]
    assert sum(weight for lane, weight in enumerate(weights) if stands[lane]) == Fraction(15, 36)
    assert (stands == ~play.forces.half.charged[0]).all()


def ridden(seed: int) -> list[list[list[int]]]:
    """How two charges of every run of a crowded field end: place, state, losses of all, and what the second
    melees."""
    play = half_of("stand", seed, 0, 60).play
    found = possible_charges(play, 0)
    _, first = np.unique(np.stack([found.lane, found.unit]), axis=1, return_index=True)
    charges = charges_of(play, 0, found.take(np.sort(first)), Answers(play))
    play.moment = "1.1.charge"
    for one in charges:
        one.declare()
    for one in charges:
        env = simpy.Environment()
        env.process(one.ride(env))
        env.run()
    forces = play.forces
    rows = [forces.hex, forces.facing, forces.state, forces.increments, charges[1].state.opponent[None]]
    return [row.tolist() for row in rows]


class Answers:
    """Infantry tries carré at one to four hexes, by its number; cavalry reacts."""

    def __init__(self, play: Play) -> None:
        self.forces = play.forces

    def responses(self, units: Ids, lanes: Ids) -> Numbers:
        codes = np.where(self.forces.arm[units] == CAVALRY, RESPONSE_CODES["react"], units % 5)
        return np.repeat(codes[:, None], len(lanes), axis=1)


@pytest.mark.parametrize("seed", range(3))
def test_riding_at_once_changes_nothing(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """As far as no enemy is near: the same as step by step."""
    at_once = ridden(seed)

    def by_steps(course: Course, cases: Cases) -> None:
        course.progress.heading[cases.lane] = course.forces.facing[cases.at] // 2

    monkeypatch.setattr(charge, "ride_free", by_steps)
    assert ridden(seed) == at_once


def test_the_ride_of_a_reactor_counts_as_movement() -> None:
    """R6: dragoons of 12 points that ride out one hex have moved at most half of them, where they passed
    their check at 33."""
    play = scene(hussars(), unit("Dragoons", 1, (0, 0), 6, arm="cavalry", movement=12, melee=Fraction(20)))
    play.forces.in_battle = True
    (only,) = charges_of(play, 0, possible_charges(play, 0), Answers(play))
    only.declare()
    env = simpy.Environment()
    env.process(only.ride(env))
    env.run()
    moved, met = play.forces.half.moved[1], only.state.met[1]
    assert set(zip(moved.tolist(), met.tolist(), strict=True)) == {(1, True), (0, False)}
