"""The kernels of assaults, interpreted and compiled, against the same asked one by one on random positions
(docs/battle.md, Assault)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sim.board import sight
from sim.board.hexmap import Hex, distance
from sim.board.kernel import Mode, fast_mode
from sim.board.storms import step_away, storm_pairs
from sim.rulesets.rulebook import PROHIBITED
from sim.vocabulary import CAVALRY, FRONT, GONE, ROUTED, SQUARE
from tests.agreement.positions import World, book_of, draw, world

UNITS, LANES = 16, 12


def zone(one: World, lane: int, unit: int, at: int) -> int:
    """The zone of a unit's side toward a hex, -1 where it is not next to it."""
    found = np.zeros(1, np.int16)
    who, where = np.array([unit], np.int16), np.array([at], np.int16)
    sight.zone_toward(Mode.INTERPRETED, one.board, one.position, who, np.array([lane]), where, found)
    return int(found[0])


def place(one: World, number: int) -> Hex:
    found = one.map.hex(number)
    assert found is not None
    return found


def by_hand(
    one: World, side: int, may: NDArray[np.bool_], bound: NDArray[np.int16], crossing: NDArray[np.int16]
) -> list[tuple[int, ...]]:
    rows, board = one.position, one.board
    found: list[tuple[int, ...]] = []
    for lane in range(LANES):
        for u in range(UNITS):
            here = rows.hex[u, lane]
            if board.side[u] != side or not may[u, lane] or here == board.off:
                continue
            for t in range(UNITS):
                at = rows.hex[t, lane]
                if board.side[t] == side or at == board.off or bound[u, lane] not in (-1, at):
                    continue
                formed = [
                    v
                    for v in range(UNITS)
                    if board.side[v] != side
                    and rows.hex[v, lane] == at
                    and not rows.unmanned[v, lane]
                    and not rows.sheltered[v, lane]
                ]
                if not formed or formed[0] != t or zone(one, lane, u, int(at)) != FRONT:
                    continue
                direction = board.neighbour[here].tolist().index(at)
                step = board.arm[u], here, direction
                shut = board.entry[step] >= PROHIBITED or not crossing[step] >> rows.formation[u, lane] & 1
                if not shut and not (board.arm[u] == CAVALRY and rows.formation[t, lane] == SQUARE):
                    found.append((lane, u, t, at))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_pairs_are_those_asked_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = world(rng, book_of("prusse-1806"), UNITS, LANES, crowd=4)
    may = rng.random((UNITS, LANES)) < 0.8
    bound = np.where(rng.random((UNITS, LANES)) < 0.3, one.position.hex[rng.permutation(UNITS)], -1)
    bound = bound.astype(np.int16)
    crossing = rng.integers(0, 1 << 9, one.board.entry.shape).astype(np.int16)
    crossing[rng.random(crossing.shape) < 0.5] = -1
    for side in (0, 1):
        expected = by_hand(one, side, may, bound, crossing)
        assert len(expected) > 1
        for mode in (Mode.INTERPRETED, fast_mode()):
            pairs, count, lanes = np.zeros((4, 4096), np.int64), np.zeros(1, np.int64), np.arange(LANES)
            storm_pairs(mode, one.board, one.position, side, may, bound, crossing, lanes, pairs, count)
            assert not one.board.marks.any()
            assert [tuple(column) for column in pairs[:, : count[0]].T.tolist()] == expected


@pytest.mark.parametrize("seed", range(4))
def test_a_step_away_is_free_out_of_zones_not_nearer_and_in_reach(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = world(rng, book_of("prusse-1806"), UNITS, LANES, crowd=4)
    case = draw(rng, one, 60)
    rows, board = one.position, one.board
    results = []
    for mode in (Mode.INTERPRETED, fast_mode()):
        end, cost = np.zeros((2, 60), np.int16)
        step_away(mode, board, rows, case.unit, case.lane, case.points, end, cost)
        results.append((end.tolist(), cost.tolist()))
    assert results[0] == results[1]
    for k, (to, price) in enumerate(zip(*results[0], strict=True)):
        u, lane = int(case.unit[k]), int(case.lane[k])
        start = rows.hex[u, lane]
        enemies = [v for v in range(UNITS) if board.side[v] != board.side[u] and rows.state[v, lane] != GONE]
        open_to = []
        for d in range(6):
            at, points = int(board.neighbour[start, d]), int(board.entry[board.arm[u], start, d])
            held = any(
                rows.hex[v, lane] == at and rows.state[v, lane] != GONE for v in range(UNITS) if v != u
            )
            if points >= PROHIBITED or points > case.points[k] or held:
                continue
            zones = [
                v
                for v in enemies
                if rows.state[v, lane] < ROUTED
                and not rows.unmanned[v, lane]
                and rows.formation[v, lane] != SQUARE
                and zone(one, lane, v, at) == FRONT
            ]
            far = [
                [distance(place(one, where), place(one, rows.hex[v, lane])) for v in enemies]
                for where in (start, at)
            ]
            if not zones and min(far[1], default=0) >= min(far[0], default=0):
                open_to.append((at, points))
        assert ((to, price) in open_to) if open_to else to == board.off
