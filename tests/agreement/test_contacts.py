"""Who is near whom, and who gathers against whom: the kernels interpreted, compiled, and told plainly, on
random positions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from sim.board.contacts import NOBODY, Contacts, Gathering, contacts, gather, new_contacts
from sim.board.fields import FAR, ways_to
from sim.board.going import going_of, steps_of, way_to
from sim.board.kernel import Mode
from sim.rulesets.compiled import BATTALION
from sim.vocabulary import CAVALRY, COLUMN, GOOD, INFANTRY, LIMBERED, ROUTED
from tests.agreement.positions import PAD, World, book_of, world

BOOK = book_of("prusse-1806")
CLOSE = 3


def worlds(count: int) -> Iterator[tuple[World, NDArray[np.int16]]]:
    for number in range(count):
        rng = np.random.default_rng([11, number])
        one = world(
            rng, BOOK, int(rng.integers(3, 16)), 12, radius=6, crowd=int(rng.integers(2, 6)), in_two=True
        )
        increments = np.zeros((len(one.board.side), 12 + PAD), np.int16)[:, :12]
        increments[:] = rng.integers(1, 10, increments.shape)
        yield one, increments


def minded(one: World, unit: int, lane: int) -> bool:
    rows = one.position
    there = rows.hex[unit, lane] != one.board.off and rows.state[unit, lane] < ROUTED
    return bool(there and not rows.unmanned[unit, lane])


def gap(one: World, a: int, b: int, lane: int) -> int:
    return int(one.map.distances(one.position.hex[a, lane], one.position.hex[b, lane]))


def between(one: World, a: int, b: int, lane: int) -> int:
    """Hexes between units, from whichever of their hexes are nearest."""
    rows = one.position
    mine, theirs = ([int(row[u, lane]) for row in (rows.hex, rows.second)] for u in (a, b))
    both = [(x, y) for x in mine for y in theirs if one.board.off not in (x, y)]
    return min(int(one.map.distances(np.array(x), np.array(y))) for x, y in both)


def threats(one: World) -> NDArray[np.bool_]:
    """Cavalry in good order."""
    found = np.zeros((len(one.board.side), 12 + PAD), np.bool_)[:, :12]
    found[:] = (one.board.arm == CAVALRY)[:, None] & (one.position.state == GOOD)
    return found


def told(one: World, unit: int, lane: int) -> tuple[int, ...]:
    board, rows = one.board, one.position
    if rows.hex[unit, lane] == board.off:
        return NOBODY, -1, NOBODY
    units = [v for v in range(len(board.side)) if minded(one, v, lane)]
    foes = [v for v in units if board.side[v] != board.side[unit]]
    horse = [v for v in foes if threats(one)[v, lane]]
    near = min(((between(one, unit, v, lane), v) for v in foes), default=(NOBODY, -1))
    return *near, min((between(one, unit, v, lane) for v in horse), default=NOBODY)


@pytest.mark.parametrize("mode", [Mode.INTERPRETED, Mode.COMPILED])
def test_contacts_are_those_told_plainly(mode: Mode) -> None:
    met, spread = 0, 0
    for one, _ in worlds(24):
        units, lanes = np.arange(len(one.board.side)), np.arange(12)
        found: Contacts = new_contacts(len(units), len(lanes))
        contacts(mode, one.board, one.position, threats(one), units, lanes, found)
        for u in units.tolist():
            for lane in lanes.tolist():
                assert tuple(row[u, lane] for row in found) == told(one, u, lane)
                met += found.near[u, lane] <= CLOSE
                spread += one.position.second[u, lane] != one.board.off
    assert met > 300
    assert spread > 40


@pytest.mark.parametrize("mode", [Mode.INTERPRETED, Mode.COMPILED])
def test_ways_to_hexes_are_the_costs_to_go(mode: Mode) -> None:
    for one, _ in worlds(4):
        board, units = one.board, len(one.board.side)
        going = going_of(one.map, board, BOOK, [BATTALION] * units, [False] * units)
        goals = np.array([0, board.off // 2, board.off - 1, board.off])
        for arm, formation in ((INFANTRY, COLUMN), (2, LIMBERED)):
            found = np.zeros((len(goals) + 1, board.off + 1), np.int16)
            room, flags = np.zeros((2, board.off + 1), np.int64), np.zeros(found.shape, np.bool_)
            flags[np.arange(len(goals)), goals] = flags[-1, goals] = True
            ways_to(mode, board.neighbour, steps_of(board, going, arm, formation), flags, room, found)
            for row, some in zip(found, [*goals[:, None].tolist(), goals.tolist()], strict=True):
                np.testing.assert_array_equal(row, way_to(board, going, arm, formation, some))
            assert (found[-2] == FAR).all()


# -- gathering ----------------------------------------------------------------------------------------


def plan_of(one: World, increments: NDArray[np.int16], rng: np.random.Generator) -> Gathering:
    board, units = one.board, len(one.board.side)
    going = going_of(one.map, board, BOOK, [BATTALION] * units, [False] * units)
    goals = np.eye(board.off, board.off + 1, dtype=np.bool_)
    ways, room = np.zeros((board.off, board.off + 1), np.int16), np.zeros((2, board.off + 1), np.int64)
    ways_to(Mode.COMPILED, board.neighbour, steps_of(board, going, INFANTRY, COLUMN), goals, room, ways)
    mine, theirs = (np.flatnonzero(board.side == side) for side in (0, 1))
    weight, need = increments.copy(), increments.copy()
    weight[rng.random(weight.shape) < 0.2] = need[rng.random(need.shape) < 0.1] = 0
    reach = np.full(weight.shape, 16, np.int16)
    row = np.append(np.arange(board.off), -1).astype(np.int16)
    return Gathering(mine, theirs, weight, need, reach, row, ways, 4, 32)


def asked(one: World, plan: Gathering, target: int, lane: int) -> int:
    """Sixteenths that the hex of a target asks for; 0 where an earlier one stands for it."""
    if not plan.need[target, lane] or not minded(one, target, lane):
        return 0
    total = 0
    for v in plan.theirs.tolist():
        if minded(one, v, lane) and gap(one, v, target, lane) <= 1:
            same = gap(one, v, target, lane) == 0
            if same and v < target and plan.need[v, lane]:
                return 0
            total += int(plan.need[v, lane]) * (16 if same else 4)
    return total


def gathered(one: World, plan: Gathering, lane: int) -> dict[int, int]:
    rows, sent = one.position, dict[int, int]()
    targets = {v: asked(one, plan, v, lane) for v in plan.theirs.tolist()}
    targets = {v: want for v, want in targets.items() if want}

    def comes(v: int) -> list[tuple[int, int]]:
        way = plan.ways[plan.row[rows.hex[v, lane]]]
        free = [
            u for u in plan.mine.tolist() if u not in sent and plan.weight[u, lane] and minded(one, u, lane)
        ]
        return sorted((int(way[rows.hex[u, lane]]), u) for u in free if way[rows.hex[u, lane]] <= 16)

    while True:
        could = {v: 16 * sum(int(plan.weight[u, lane]) for _, u in comes(v)) for v in targets}
        targets = {v: want for v, want in targets.items() if could[v] >= want}
        if not targets:
            return sent
        best = max(targets, key=lambda v: (could[v] / targets[v], -v))
        total = 0
        for _, u in comes(best):
            if total * 16 >= targets[best] * 32:
                break
            sent[u] = best
            total += 16 * int(plan.weight[u, lane])
        del targets[best]


@pytest.mark.parametrize("mode", [Mode.INTERPRETED, Mode.COMPILED])
def test_attackers_gather_where_most_can_come(mode: Mode) -> None:
    attacks = 0
    for number, (one, increments) in enumerate(worlds(10)):
        plan = plan_of(one, increments, np.random.default_rng(number))
        prey = np.full(plan.weight.shape, -1, np.int16)
        gather(mode, one.board, one.position, np.arange(12), plan, prey)
        for lane in range(12):
            found = {u: int(prey[u, lane]) for u in range(len(prey)) if prey[u, lane] >= 0}
            assert found == gathered(one, plan, lane)
            attacks += len(found)
    assert attacks > 50
