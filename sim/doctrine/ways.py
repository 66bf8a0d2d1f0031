"""The ways of a side: how far it is from every hex to the places of its orders, and to any hex.

A *defile* is a hex whose stacking limit no unit of the arm keeps but in road march: a bridge, a causeway.
Ways lead through defiles by their roads; `follow` says where a unit must be in road march to go on.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sim.board.fields import BARRED, distance_to, follow_roads, ways_to
from sim.board.going import Going, steps_of
from sim.board.hexmap import HexMap
from sim.board.kernel import Mode
from sim.board.tables import Board, Bools, Ints
from sim.rulesets.compiled import BATTALION, REGIMENT
from sim.vocabulary import ARMS, ARTILLERY, CAVALRY, COLUMN, INFANTRY, LIMBERED, ROAD_MARCH

FEW = 6
"""Increments of a hex from which on it is no defile."""
SIZES = {INFANTRY: BATTALION, CAVALRY: REGIMENT}
ACROSS = len(ARMS)
"""Beside the arms: infantry in column, that goes through no defile but into one that is its goal."""


class Ways:
    """Fields of half points, a row each, found when they are first asked for.

    Parameters
    ----------
    map_, board, going
        The ground, and what marching costs there.
    mode
        How kernels run.

    Attributes
    ----------
    table
        Half points to the ends of the ways, shape (ways, hexes); `FAR` where there is no way.
    follow
        Where the way goes along a road into a defile or through it, shape (ways, hexes).
    row
        Row that leads an arm, or infantry `ACROSS`, to a hex, -1 for none yet, shape (arms + 1, hexes).
    defile
        Which hexes are defiles for an arm, shape (arms, hexes).
    to_defile
        Hexes from every hex to the nearest defile, shape (hexes,).
    """

    def __init__(self, map_: HexMap, board: Board, going: Going, mode: Mode) -> None:
        self.map, self.board, self.going, self.mode = map_, board, going, mode
        hexes = board.off + 1
        self.row: Ints = np.full((len(ARMS) + 1, hexes), -1, np.int16)
        self.defile = np.zeros((len(ARMS), hexes), np.bool_)
        for arm, size in SIZES.items():
            alone, increments = going.limits[going.terrain, arm, 0], going.limits[going.terrain, arm, 1]
            self.defile[arm] = (alone < size) & (increments < FEW) & board.road.any(axis=1)
        self.defile[ARTILLERY] = self.defile[INFANTRY]
        self._steps = [self._steps_of(arm) for arm in range(len(ARMS))]
        barred = np.where(self.defile[INFANTRY][board.neighbour], BARRED, self._steps[INFANTRY])
        self._steps.append(barred.astype(np.int16))
        self._rows, self._roads = np.zeros((64, hexes), np.int16), np.zeros((64, hexes), np.bool_)
        self.table: Ints = self._rows[:0]
        self.follow: Bools = self._roads[:0]
        self._places: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self._aside: dict[int, tuple[int, Ints]] = {}
        self.to_defile: Ints = distance_to(map_, np.flatnonzero(self.defile[INFANTRY]))

    def to_place(self, arm: int, hexes: Iterable[int], by_road: bool = False) -> int:
        """Row that leads an arm to the nearest of some hexes; infantry by road only, if it is told so."""
        goals = tuple(sorted(set(hexes)))
        key = arm, int(by_road), goals
        if key not in self._places:
            steps = steps_of(self.board, self.going, arm, ROAD_MARCH) if by_road else self._steps[arm]
            flags = np.zeros((1, self.board.off + 1), np.bool_)
            flags[0, list(goals)] = True
            self._places[key] = self._add(arm, self._to(steps, flags))
        return self._places[key]

    def aside(self, arm: int, row: int) -> tuple[int, Ints]:
        """How to keep the way of a row free: the row that leads an arm off it, and hexes from every hex to
        the nearest that is to be kept free, shape (hexes,)."""
        if row not in self._aside:
            kept = self.follow[row] | self.defile[arm]
            kept[-1] = False
            free = ~kept & ~self.board.road.any(axis=1)
            free[-1] = False
            way = self.to_place(arm, np.flatnonzero(free).tolist())
            self._aside[row] = way, distance_to(self.map, np.flatnonzero(kept))
        return self._aside[row]

    def to_hexes(self, arm: int, hexes: NDArray[np.integer]) -> Ints:
        """Rows that lead an arm, or infantry `ACROSS`, to hexes, one each, of the same shape."""
        rows = self.row[arm]
        if (rows[hexes] < 0).any():
            wanted = np.zeros(len(rows), np.bool_)
            wanted[hexes] = True
            goals = (wanted & (rows < 0)).nonzero()[0]
            first = self._add(arm, self._fields(arm, goals))
            rows[goals] = np.arange(first, first + len(goals))
        return rows[hexes]

    def _steps_of(self, arm: int) -> Ints:
        """Half points of a step across country, into defiles by their roads."""
        if arm == ARTILLERY:
            return steps_of(self.board, self.going, arm, LIMBERED)
        steps = steps_of(self.board, self.going, arm, COLUMN)
        by_road = steps_of(self.board, self.going, arm, ROAD_MARCH)
        return np.where(self.defile[arm][self.board.neighbour], by_road, steps)

    def _fields(self, arm: int, goals: NDArray[np.int64]) -> Ints:
        flags = np.zeros((len(goals), self.board.off + 1), np.bool_)
        flags[np.arange(len(goals)), goals] = True
        found = self._to(self._steps[arm], flags)
        if arm == ACROSS:
            for number in self.defile[INFANTRY][goals].nonzero()[0].tolist():
                into = self.board.neighbour == goals[number]
                steps = np.where(into, self.going.step[INFANTRY], self._steps[ACROSS]).astype(np.int16)
                found[number] = self._to(steps, flags[number : number + 1])
        return found

    def _to(self, steps: Ints, goals: Bools) -> Ints:
        """Half points to each of some places, given as flags, shape (k, hexes)."""
        found, room = np.zeros(goals.shape, np.int16), np.zeros((2, goals.shape[1]), np.int64)
        ways_to(self.mode, self.board.neighbour, steps, goals, room, found)
        return found

    def _add(self, arm: int, rows: Ints) -> int:
        first = len(self.table)
        end = first + len(rows)
        if end > len(self._rows):
            grown = max(2 * len(self._rows), end) - len(self._rows)
            self._rows, self._roads = (
                np.concatenate([one, np.zeros((grown, one.shape[1]), one.dtype)])
                for one in (self._rows, self._roads)
            )
        self._rows[first:end] = rows
        if arm < ACROSS and self.defile[arm].any():
            board = self.board
            told = board.neighbour, self._steps[arm], board.road, self.defile[arm]
            follow_roads(self.mode, *told, self._rows[first:end], self._roads[first:end])
        self.table, self.follow = self._rows[:end], self._roads[:end]
        return first
