"""Lanes: the distinct situations of a batch, each standing for one or more runs.

Every fact about a battle that can differ between runs is a row of one int16 matrix; a column is a lane. All runs of a
batch start in one lane (one for each variant that is compared). A roll splits a lane only into the
outcomes that occur, by copying its column; lanes whose columns have become equal can be merged again.
How runs or probabilities are spread over lanes is the business of the dice, not of this module.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int16]
Ids = NDArray[np.intp]
"""Lane numbers, shape (k,)."""


class Lanes:
    """A matrix of facts, shape (rows, lanes), int16, that grows by copying columns.

    Parameters
    ----------
    layout
        Name and number of rows of each fact, in order. Each becomes an attribute: a view of shape (rows, lanes).
    n
        Number of lanes to start with, all zero.
    """

    def __init__(self, layout: Sequence[tuple[str, int]], n: int) -> None:
        self.layout = tuple(layout)
        self.n = n
        rows = sum(height for _, height in self.layout)
        self._matrix: Rows = np.zeros((rows, max(64, 2 * n)), np.int16)
        self._decisions: dict[str, int] = {}
        self._taken: NDArray[np.bool_] = np.zeros((32, self._matrix.shape[1]), bool)
        self._bind()

    def _bind(self) -> None:
        top = 0
        for name, height in self.layout:
            setattr(self, name, self._matrix[top : top + height])
            top += height

    def all(self) -> Ids:
        """Every lane."""
        return np.arange(self.n)

    def fork(self, parents: Ids) -> Ids:
        """Copies of the given lanes (a lane may occur several times), numbered after the present ones.

        Views taken before are stale afterwards if the matrix had to grow: read facts again after every roll.
        """
        first, self.n = self.n, self.n + len(parents)
        if self.n >= self._matrix.shape[1]:  # never full: compiled kernels know rows by one layout
            room = max(self.n + 1, 2 * self._matrix.shape[1]) - self._matrix.shape[1]
            self._matrix = np.pad(self._matrix, ((0, 0), (0, room)))
            self._taken = np.pad(self._taken, ((0, 0), (0, room)))
            self._bind()
        self._matrix[:, first : self.n] = self._matrix[:, parents]
        self._taken[:, first : self.n] = self._taken[:, parents]
        return np.arange(first, self.n)

    def row_of(self, decision: str) -> int:
        """The number under which it is remembered which lanes have taken a decision."""
        row = self._decisions.setdefault(decision, len(self._decisions))
        if row >= len(self._taken):
            self._taken = np.pad(self._taken, ((0, len(self._taken)), (0, 0)))
        return row

    def taken(self, decision: str, lanes: Ids) -> NDArray[np.bool_]:
        """Which of the lanes have taken a decision, shape (k,)."""
        row = self._decisions.get(decision)
        return np.zeros(len(lanes), bool) if row is None else self._taken[row, lanes]

    def take(self, decision: str, lanes: Ids) -> None:
        """Remember that the lanes have taken a decision."""
        row = self.row_of(decision)
        self._taken[row, lanes] = True

    def merge(self) -> Ids | None:
        """Make one lane of all lanes with equal columns.

        Returns
        -------
        Shape (lanes before,): the new number of each old lane; None if all lanes differ.
        """
        facts = self._matrix[:, : self.n]
        if self.n < 2:
            return None
        columns = np.ascontiguousarray(facts.T)
        keys = columns.view(np.dtype((np.void, columns.dtype.itemsize * columns.shape[1]))).ravel()
        _, firsts, inverse = np.unique(keys, return_index=True, return_inverse=True)
        if len(firsts) == self.n:
            return None
        order = np.argsort(firsts)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        kept = firsts[order]
        into = rank[inverse.ravel()]
        taken = self._taken[:, : self.n].copy()
        self._matrix[:, : len(kept)] = self._matrix[:, kept]
        self._taken[:, : self.n] = False
        for row in range(len(self._decisions)):
            self._taken[row, into[taken[row]]] = True
        self.n = len(kept)
        return into

    def groups(self, names: Sequence[str], lanes: Ids) -> tuple[Ids, Ids]:
        """Group lanes that agree in the named facts.

        Returns
        -------
        One lane for each group, and for each lane its group's number, shape (k,).
        """
        if len(lanes) == 1:
            return lanes, np.zeros(1, np.intp)
        facts = np.concatenate([getattr(self, name)[:, lanes] for name in names])
        columns = np.ascontiguousarray(facts.T)
        keys = columns.view(np.dtype((np.void, columns.dtype.itemsize * columns.shape[1]))).ravel()
        _, firsts, inverse = np.unique(keys, return_index=True, return_inverse=True)
        return lanes[firsts], inverse.ravel()
