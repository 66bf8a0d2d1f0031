"""Lanes: the distinct states of a batch, each standing for one or more runs, and the memory that goes with
them.

All facts that can differ between runs are rows of frames; a column is a lane. Lumped runs share a lane while
they are in one state: a roll splits a lane only into the outcomes that occur, by copying its column, and
lanes whose columns have become equal are merged again. How runs or probabilities are spread over lanes is the
business of the dice, not of this module.

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.intp]
"""Numbers of lanes, or of units, shape (k,)."""

FEW = 1_000
"""Lanes that are tried to merge every time: it costs next to nothing."""
ROOM = 72
"""Columns that are never used: compiled code knows rows by one layout, so that no row may ever be full, and
rows a power of two apart are slow."""


class Columns(Protocol):
    """Memory with a column a lane."""

    def fork(self, first: int, parents: Ids) -> None:
        """Lanes from `first` on are copies of their parents."""

    def keep(self, lanes: Ids) -> None:
        """Lane i is what lane `lanes[i]` was."""

    def bytes(self) -> list[NDArray[np.uint8]]:
        """All that a lane holds, shape (lanes, bytes) each."""

    def close(self) -> None:
        """Drop all that lanes hold."""


class Ensemble:
    """The lanes of a batch, and the open frames that fork and merge with them.

    Parameters
    ----------
    units, leaders
        Rows of what is kept for each unit, and for each leader.
    lanes
        Number of lanes to start with.

    Attributes
    ----------
    n
        Number of lanes.
    epoch
        Changes whenever lanes split or merge: what was found before is stale.
    """

    def __init__(self, units: int, leaders: int = 0, lanes: int = 1) -> None:
        self.units, self.leaders, self.n = units, leaders, lanes
        self.epoch = 0
        self.frames: list[Columns] = []
        self.asked = Asked(max(units, leaders), lanes)
        self._pause = self._wait = 0

    def all(self) -> Ids:
        """Every lane."""
        return np.arange(self.n)

    def fork(self, parents: Ids) -> Ids:
        """Copies of the given lanes (a lane may occur several times), numbered after the present ones."""
        if not len(parents):
            return parents
        first, self.n, self.epoch = self.n, self.n + len(parents), self.epoch + 1
        self.asked.fork(first, parents)
        for frame in self.frames:
            frame.fork(first, parents)
        return np.arange(first, self.n)

    def keep(self, lanes: Ids) -> None:
        """Lane i is from now on what lane `lanes[i]` was."""
        self.n, self.epoch = len(lanes), self.epoch + 1
        self.asked.keep(lanes)
        for frame in self.frames:
            frame.keep(lanes)

    def close(self) -> None:
        """The end: no frame stays open. Processes, forces and frames know each other, so that only the
        collector would find their memory, late."""
        for frame in [*self.frames]:
            frame.close()

    def merge(self, always: bool = False) -> Ids | None:
        """Make one lane of all lanes with equal columns in all frames.

        The decisions they have taken are forgotten.

        Where many lanes have nothing to merge it is tried ever more rarely, unless `always`.

        Returns
        -------
        Shape (lanes before,): the new number of each old lane; None if nothing changed.
        """
        self.asked.clear()
        self._pause -= 1
        if self.n < 2 or (self._pause > 0 and not always):
            return None
        facts = np.concatenate([part for frame in self.frames for part in frame.bytes()], axis=1)
        keys = np.ascontiguousarray(facts).view(np.dtype((np.void, facts.shape[1]))).ravel()
        _, firsts, inverse = np.unique(keys, return_index=True, return_inverse=True)
        self._wait = 0 if len(firsts) < self.n or self.n < FEW else 2 * self._wait + 1
        self._pause = self._wait
        if len(firsts) == self.n:
            return None
        order = np.argsort(firsts)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        self.keep(firsts[order])
        return rank[inverse.ravel()]


class Asked:
    """How often each lane has taken each decision since the lanes were last merged.

    Parameters
    ----------
    actors
        Units or leaders, whichever are more: a decision is known by its name, by whom and about whom.
    """

    def __init__(self, actors: int, lanes: int) -> None:
        self._actors, self._count = actors, 0
        self._rows: dict[str, NDArray[np.int32]] = {}
        self._times = np.zeros((16, lanes + ROOM), np.int8)

    def take(self, name: str, by: Ids, about: Ids, lanes: Ids) -> NDArray[np.int8]:
        """Lanes take a decision, by whom and about whom: how often each has taken it before, shape (k,)
        each."""
        alike = len(lanes) and bool((by == by[0]).all()) and bool((about == about[0]).all())
        pairs = by[:1] * self._actors + about[:1] if alike else by * self._actors + about
        rows = self._rows.get(name)
        if rows is None:
            rows = self._rows[name] = np.full(self._actors**2, -1, np.int32)
        row = rows[pairs]
        if (row < 0).any():
            unknown = np.unique(pairs[row < 0])
            rows[unknown] = np.arange(self._count, self._count + len(unknown))
            self._count += len(unknown)
            row = rows[pairs]
        if self._count > len(self._times):
            self._times = np.pad(self._times, ((0, self._count), (0, 0)))
        if alike:
            taken = self._times[row[0]]
            times = taken[lanes]
            taken[lanes] = times + 1
        else:
            at = row * np.intp(self._times.shape[1]) + lanes
            times = self._times.ravel()[at]
            self._times.ravel()[at] = times + 1
        return times

    def __bool__(self) -> bool:
        """Whether any was taken."""
        return self._count > 0

    def clear(self) -> None:
        """Forget all decisions."""
        self._times[: self._count] = 0
        self._rows.clear()
        self._count = 0

    def fork(self, first: int, parents: Ids) -> None:
        """Lanes from `first` on have taken what their parents have."""
        end = first + len(parents)
        if end >= self._times.shape[1]:
            self._times = np.pad(self._times, ((0, 0), (0, end)))
        self._times[:, first:end] = self._times[:, parents]

    def keep(self, lanes: Ids) -> None:
        """Lane i has taken what lane `lanes[i]` had."""
        kept = np.ascontiguousarray(self._times[:, lanes])  # `take` writes through a flat view
        self._times = np.pad(kept, ((0, 0), (0, ROOM)))
