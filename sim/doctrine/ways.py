"""The ways of a side: how far it is from every hex to the places of its orders, and to any hex."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sim.board.fields import FAR, ways_to
from sim.board.going import Going, steps_of, way_to
from sim.board.kernel import Mode
from sim.board.tables import Board, Ints
from sim.vocabulary import ARMS, ARTILLERY, COLUMN, LIMBERED


class Ways:
    """Fields of half points, a row each, found when they are first asked for.

    Parameters
    ----------
    board, going
        The ground, and what marching costs there.
    mode
        How kernels run.

    Attributes
    ----------
    table
        Half points to the ends of the ways, shape (ways, hexes); `FAR` where there is no way.
    row
        Row that leads an arm to a hex, -1 for none yet, shape (arms, hexes).
    """

    def __init__(self, board: Board, going: Going, mode: Mode) -> None:
        self.board, self.going, self.mode = board, going, mode
        hexes = board.off + 1
        self.table: Ints = np.zeros((0, hexes), np.int16)
        self.row: Ints = np.full((len(ARMS), hexes), -1, np.int16)
        self._rows = np.zeros((64, hexes), np.int16)
        self._places: dict[tuple[int, int, tuple[int, ...]], int] = {}

    def to_place(self, arm: int, formation: int, hexes: Iterable[int]) -> int:
        """Row that leads an arm, setting out in a formation, to the nearest of some hexes."""
        goals = tuple(sorted(set(hexes)))
        key = arm, formation, goals
        if key not in self._places:
            self._places[key] = self._add(way_to(self.board, self.going, arm, formation, goals)[None])
        return self._places[key]

    def to_hexes(self, arm: int, hexes: NDArray[np.integer]) -> Ints:
        """Rows that lead an arm to hexes, one each, of the same shape."""
        rows = self.row[arm]
        if (rows[hexes] < 0).any():
            wanted = np.zeros(len(rows), np.bool_)
            wanted[hexes] = True
            goals = (wanted & (rows < 0)).nonzero()[0]
            formation = LIMBERED if arm == ARTILLERY else COLUMN
            found = np.full((len(goals), len(rows)), FAR, np.int16)
            steps, room = steps_of(self.board, self.going, arm, formation), np.zeros((2, len(rows)), np.int64)
            ways_to(self.mode, self.board.neighbour, steps, goals, room, found)
            first = self._add(found)
            rows[goals] = np.arange(first, first + len(goals))
        return rows[hexes]

    def _add(self, rows: Ints) -> int:
        first = len(self.table)
        end = first + len(rows)
        if end > len(self._rows):
            grown = np.zeros((max(2 * len(self._rows), end), self._rows.shape[1]), np.int16)
            grown[:first] = self._rows[:first]
            self._rows = grown
        self._rows[first:end] = rows
        self.table = self._rows[:end]
        return first
