"""The kernel of pairs of firing hexes and targets, interpreted and compiled, against the same asked pair by
pair on random positions (docs/battle.md, Fire)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sim.board import sight
from sim.board.hexmap import distance
from sim.board.kernel import Mode, fast_mode
from sim.board.pairs import Gunnery, fire_pairs
from sim.vocabulary import (
    ARTILLERY,
    CAVALRY,
    FORMATIONS,
    INFANTRY,
    LINE,
    ROUTED,
    SKIRMISH,
    SQUARE,
    UNLIMBERED,
)
from tests.agreement.positions import World, book_of, world

UNITS, LANES = 16, 12


def gunnery(rng: np.random.Generator, one: World) -> Gunnery:
    arm = one.board.arm
    armed = (rng.random((UNITS, len(FORMATIONS))) < 0.8) & (arm == INFANTRY)[:, None]
    return Gunnery(armed, arm == ARTILLERY, 5, rng.integers(1, 4, UNITS).astype(np.int16))


def pairs(
    mode: Mode, one: World, how: Gunnery, side: int, far: bool, silent: NDArray[np.bool_]
) -> list[tuple[int, ...]]:
    found, count, lanes = np.zeros((6, 4096), np.int64), np.zeros(1, np.int64), np.arange(LANES)
    fire_pairs(mode, one.board, one.position, how, side, far, silent, lanes, found, count)
    assert not one.board.marks.any()
    return [tuple(column) for column in found[:, : count[0]].T.tolist()]


def top(one: World, lane: int, at: int, side: int) -> int | None:
    """The top unit of a side in a hex, by the rule's words."""
    rows = one.position
    there = [
        u
        for u in range(UNITS)
        if rows.hex[u, lane] == at and one.board.side[u] == side and not rows.unmanned[u, lane]
    ]
    return min(there, key=lambda u: (rows.sheltered[u, lane], u), default=None)


def seen(one: World, lane: int, unit: int, at: int) -> bool:
    """Whether a unit sees a hex through a front side."""
    found = np.zeros(1, np.bool_)
    who, where = np.array([unit], np.int16), np.array([at], np.int16)
    sight.in_view(Mode.INTERPRETED, one.board, one.position, who, np.array([lane]), where, found)
    return bool(found[0])


def by_hand(
    one: World, how: Gunnery, side: int, far: bool, silent: NDArray[np.bool_]
) -> list[tuple[int, ...]]:
    rows, board = one.position, one.board
    found: list[tuple[int, ...]] = []
    for lane in range(LANES):
        hexes = [int(at) for at in rows.hex[:, lane]]
        for u in range(UNITS):
            here = hexes[u]
            if here == board.off or board.side[u] != side or top(one, lane, here, side) != u:
                continue
            if board.arm[u] == CAVALRY or rows.state[u, lane] >= ROUTED or rows.sheltered[u, lane]:
                continue
            foot, formation = board.arm[u] == INFANTRY, rows.formation[u, lane]
            battery = any(
                hexes[g] == here
                and board.side[g] == side
                and how.guns[g]
                and rows.formation[g, lane] == UNLIMBERED
                and rows.state[g, lane] < ROUTED
                and not rows.unmanned[g, lane]
                and not rows.sheltered[g, lane]
                and not silent[g, lane]
                for g in range(UNITS)
            )
            if not (how.armed[u, formation] if foot else battery):
                continue
            reach = 1
            if far and battery and (not foot or formation in (LINE, SQUARE)):
                reach = how.gun_reach
            elif far and foot and formation == SKIRMISH:
                reach = int(how.loose_reach[u])
            for t in range(UNITS):
                there = hexes[t]
                if there == board.off or board.side[t] == side or top(one, lane, there, 1 - side) != t:
                    continue
                a, b = one.map.hex(here), one.map.hex(there)
                assert a is not None
                assert b is not None
                n = distance(a, b)
                beset = top(one, lane, here, 1 - side) is not None
                held = top(one, lane, there, side) is not None
                if n > reach or (n > 0 and (beset or held)):
                    continue
                if n == 0 or seen(one, lane, u, there):
                    found.append((lane, u, here, t, there, n))
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("far", [False, True])
def test_pairs_are_those_asked_one_by_one(seed: int, far: bool) -> None:
    rng = np.random.default_rng(seed)
    one = world(rng, book_of("prusse-1806"), UNITS, LANES, crowd=4)
    how, silent = gunnery(rng, one), rng.random((UNITS, LANES)) < 0.2
    for side in (0, 1):
        expected = by_hand(one, how, side, far, silent)
        assert len(expected) > 1
        for mode in (Mode.INTERPRETED, fast_mode()):
            assert pairs(mode, one, how, side, far, silent) == expected
