"""The march of a unit on random positions: the kernel interpreted and compiled gives the same; what it gives
is what the rules as functions of arrays allow; a march in steps ends as the march at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.board.advance import Advance, Orders, Why, advance, new_advance
from sim.board.fields import BARRED, FAR
from sim.board.going import Going, going_of, way_to
from sim.board.kernel import Mode
from sim.board.sight import direction_to, has_zone, zone_across
from sim.board.tables import Position
from sim.rules import movement, stacking, zones
from sim.rulesets.compiled import BATTALION, REGIMENT
from sim.vocabulary import CAVALRY, FRONT, GONE, INFANTRY, ROAD_MARCH, ROUTED, SKIRMISH, SQUARE
from tests.agreement.positions import PAD, World, book_of, world

BOOKS = (
    book_of("prusse-1806"),
    book_of("bautzen-1813"),
    book_of("wagram-1809", cavalry_zone="free", passing="closed", entry_points="entered"),
)


@dataclass(frozen=True)
class Case:
    """A world, what marching costs in it, and marches."""

    world: World
    going: Going
    increments: NDArray[np.int16]
    unit: NDArray[np.int16]
    lane: NDArray[np.int64]
    orders: Orders

    def run(self, mode: Mode, position: Position, orders: Orders) -> Advance:
        """The marches from a position."""
        found = new_advance(len(self.lane))
        told = self.unit, self.lane, orders, found
        advance(mode, self.world.board, self.going, position, self.increments, *told)
        assert not self.world.board.marks.any()
        return found


def cases(seed: int, count: int, lanes: int, each: int) -> Iterator[Case]:
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        book = BOOKS[number % len(BOOKS)]
        one = world(rng, book, int(rng.integers(4, 20)), lanes, crowd=int(rng.integers(2, 6)))
        board, rows = one.board, one.position
        units = len(board.side)
        sizes, horse = rng.integers(BATTALION, REGIMENT + 1, units), rng.random(units) < 0.5
        going = going_of(one.map, board, book, sizes.tolist(), horse.tolist())
        increments = np.zeros((units, lanes + PAD), np.int16)[:, :lanes]
        increments[:] = rng.integers(1, 10, (units, lanes))
        mounted = (board.arm == CAVALRY)[:, None] & (rng.random((units, lanes)) < 0.2)
        rows.formation[mounted], rows.facing[mounted] = SKIRMISH, rows.facing[mounted] // 2 * 2 + 1
        lane = np.sort(rng.integers(0, lanes, each))
        able = rows.state < ROUTED
        unit = np.array([rng.choice(np.flatnonzero(able[:, j])) for j in lane], np.int16)
        ways = np.stack(
            [
                way_to(board, going, arm, formation, rng.integers(0, board.off, 2).tolist())
                for arm in range(3)
                for formation in (0, 7)
            ]
        )
        way = np.where(board.arm[unit] == 2, 5, 2 * board.arm[unit]).astype(np.int16)
        flags = rng.random((2, each)) < 0.3
        left = rng.integers(0, 30, each).astype(np.int16)
        most = np.full(each, 99, np.int16)
        told = Orders(left, flags[0], flags[1], flags[0] & flags[1], most, way, ways, True)
        yield Case(one, going, increments, unit, lane, told)


def test_interpreted_and_compiled_marches_are_the_same() -> None:
    met = set()
    for case in cases(1, 12, 30, 200):
        first, second = (case.run(mode, case.world.position, case.orders) for mode in Mode)
        for name, a, b in zip(Advance._fields, first, second, strict=True):
            assert (a == b).all(), name
        met |= set(first.why.tolist())
    assert met >= {*Why} - {Why.PAUSED}


def test_marches_end_where_the_rules_allow() -> None:
    for case in cases(2, 12, 30, 150):
        board, going, rows = case.world.board, case.going, case.world.position
        found = case.run(Mode.COMPILED, rows, case.orders)
        for k in np.flatnonzero((found.steps > 0) & (found.why != Why.LEAVES)).tolist():
            u, j = int(case.unit[k]), int(case.lane[k])
            there = ((rows.hex[:, j] == found.end[k]) & (rows.state[:, j] != GONE))[:, None]
            there[u] = True
            foes = there[:, 0] & (board.side != board.side[u])
            assert not foes.any()
            formation, arm = rows.formation[:, j].copy()[:, None], board.arm[:, None]
            formation[u] = found.formation[k]
            assert stacking.alike(there, arm, formation).all()
            men = case.increments[:, j][:, None]
            terrain = going.terrain[[found.end[k]]]
            on_road = found.formation[k] == ROAD_MARCH or going.enter[board.arm[u], found.end[k]] >= BARRED
            assert (
                on_road or stacking.within(going.limits, terrain, there, arm, men, going.size[:, None]).all()
            )
            zone, horse = zones_at(case, j, int(found.end[k]), int(board.side[u]))
            stops = zones.must_stop(going.rides[[u]], np.array([zone]), np.array([horse]), going.free)
            if found.why[k] == Why.ZONE:
                assert stops.all()
            if found.why[k] in (Why.SPENT, Why.STACK, Why.BLOCKED):
                assert found.why[k] == Why.STACK or not stops.any()
            least = 0 if rows.formation[u, j] == SQUARE else 2 * found.steps[k]  # M6
            assert 0 <= found.left[k] <= case.orders.left[k] - least


def zones_at(case: Case, lane: int, at: int, side: int) -> tuple[bool, bool]:
    """Whether a hex is in a zone of an enemy, of enemy cavalry."""
    board, rows = case.world.board, case.world.position
    zone = horse = False
    for v in np.flatnonzero((board.side != side) & (rows.state[:, lane] != GONE)).tolist():
        d = direction_to(board, int(rows.hex[v, lane]), at)
        if d >= 0 and has_zone(board, rows, lane, v) and zone_across(board, rows, lane, v, d) == FRONT:
            zone, horse = True, horse or board.arm[v] == CAVALRY
    return zone, horse


def test_no_step_is_left_that_the_points_and_the_rules_allow() -> None:
    """A unit that has too few points has too few for the cheapest step by the tables too."""
    for case in cases(3, 9, 20, 150):
        board, going = case.world.board, case.going
        found = case.run(Mode.COMPILED, case.world.position, case.orders)
        for k in np.flatnonzero(found.why == Why.SPENT).tolist():
            u, here, way = int(case.unit[k]), int(found.end[k]), case.orders.ways[case.orders.way[k]]
            arm = board.arm[u]
            if arm == INFANTRY:
                continue  # mounted skirmishers may make it pay
            for d in range(6):
                to = board.neighbour[here, d]
                cost = np.minimum(going.step[arm, here, d], going.road[arm, here, d])[None]
                if way[to] < way[here] < FAR and cost < BARRED:
                    turns = 3 * going.facing
                    enough = movement.may_step(found.left[[k]] - turns, cost, cost * 0, False)
                    dear = going.enter[arm, here] > found.left[k] and going.higher
                    assert dear or not enough.any()


def test_a_march_in_steps_ends_as_the_march_at_once() -> None:
    compared = 0
    for case in cases(4, 9, 20, 150):
        rows, orders = case.world.position, case.orders
        whole = case.run(Mode.COMPILED, rows, orders)
        one = case.run(Mode.COMPILED, rows, orders._replace(most=np.ones_like(orders.most)))
        for k in np.flatnonzero((one.why == Why.PAUSED) & (one.steps == 1)).tolist():
            u, j = case.unit[k], case.lane[k]
            moved = Position(*(np.array(row) for row in rows))
            moved.hex[u, j], moved.facing[u, j] = one.end[k], one.facing[k]
            moved.formation[u, j] = one.formation[k]
            told = orders._replace(
                left=one.left, spent=np.ones_like(orders.spent), fired=np.zeros_like(orders.fired)
            )
            rest = case.run(Mode.INTERPRETED, moved, told)
            assert rest.steps[k] + 1 == whole.steps[k]
            for name in ("end", "facing", "formation", "left", "why"):
                assert getattr(rest, name)[k] == getattr(whole, name)[k], name
            compared += 1
            if compared % 40 == 0:
                break
    assert compared > 50
