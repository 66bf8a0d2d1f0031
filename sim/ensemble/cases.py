"""Cases: the unit of work, a unit in a lane.

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sim.ensemble.lanes import Ensemble, Ids

Mask = NDArray[np.bool_]


def first_of(flags: NDArray[np.bool_]) -> tuple[Mask, Ids]:
    """In which columns of flags, shape (rows, k), one is set, and the first row in which it is (0 where none
    is).

    `argmax` goes down the columns and is slow, so where few columns have any it sees those alone.
    """
    some: Mask = np.asarray(flags.any(axis=0))
    (columns,) = some.nonzero()
    if 2 * len(columns) > len(some):
        return some, flags.argmax(axis=0)
    first = np.zeros(len(some), np.intp)
    if len(columns):
        first[columns] = flags[:, columns].argmax(axis=0)
    return some, first


class Cases:
    """Parallel columns, one element a case; a lane occurs at most once.

    They are stale as soon as lanes split or merge: some may be missing, so that they must be found again from
    a frame.

    Parameters
    ----------
    lane, unit
        The case: which unit, in which lane, shape (k,).
    by
        The unit of whose action it comes, shape (k,): decisions are known by it.
    born
        The ensemble's epoch in which they were found.
    """

    __slots__ = ("born", "by", "ensemble", "lane", "unit")

    def __init__(self, ensemble: Ensemble, lane: Ids, unit: Ids, by: Ids, born: int) -> None:
        self.ensemble, self.lane, self.unit, self.by, self.born = ensemble, lane, unit, by, born

    def __len__(self) -> int:
        return len(self.lane)

    @property
    def at(self) -> tuple[Ids, Ids]:
        """Index into rows by unit.

        Raises
        ------
        LookupError
            If lanes have split or merged since.
        """
        if self.born != self.ensemble.epoch:
            self.fresh()
        return self.unit, self.lane

    def fresh(self) -> None:
        """Raise `LookupError` if lanes have split or merged since the cases were found."""
        if self.born != self.ensemble.epoch:
            raise LookupError("stale cases: lanes have split or merged since, find them again from a frame")

    def where(self, mask: Mask) -> Self:
        """Those of a mask, shape (k,)."""
        (index,) = mask.nonzero()
        return self if len(index) == len(mask) else self.take(index)

    def take(self, index: Ids, lane: Ids | None = None) -> Self:
        """Cases by number, in this order; with new lanes, fresh, if those are given."""
        lanes = self.lane[index] if lane is None else lane
        return type(self)(
            self.ensemble,
            lanes,
            self.unit[index],
            self.by[index],
            self.born if lane is None else self.ensemble.epoch,
        )

    def joined(self, others: Self) -> Self:
        """These, fresh, and others of other lanes that no roll has split since they were found."""
        if not len(others):
            return self
        lane = np.concatenate([self.lane, others.lane])
        unit, by = np.concatenate([self.unit, others.unit]), np.concatenate([self.by, others.by])
        return type(self)(self.ensemble, lane, unit, by, self.born)

    def of(self, unit: int | NDArray[Any]) -> Cases:
        """The same lanes, about other units: a number, or shape (k,)."""
        units = np.full(len(self), unit, np.intp) if np.ndim(unit) == 0 else np.asarray(unit, np.intp)
        return Cases(self.ensemble, self.lane, units, self.by, self.born)

    def flags(self) -> NDArray[np.bool_]:
        """The unit of each case as flags, shape (units, k)."""
        found = np.zeros((self.ensemble.units, len(self)), bool)
        found[self.unit, np.arange(len(self))] = True
        return found

    def at_target(self, target: int | NDArray[Any]) -> Aimed:
        """The same cases, each with a target."""
        return Aimed(self.ensemble, self.lane, self.unit, self.by, self.born, self.of(target).unit)


class Aimed(Cases):
    """Cases that have a target each, shape (k,)."""

    __slots__ = ("target",)

    def __init__(self, ensemble: Ensemble, lane: Ids, unit: Ids, by: Ids, born: int, target: Ids) -> None:
        super().__init__(ensemble, lane, unit, by, born)
        self.target = target

    def take(self, index: Ids, lane: Ids | None = None) -> Self:
        """As for `Cases`."""
        lanes, born = (self.lane[index], self.born) if lane is None else (lane, self.ensemble.epoch)
        return type(self)(self.ensemble, lanes, self.unit[index], self.by[index], born, self.target[index])

    @property
    def there(self) -> tuple[Ids, Ids]:
        """Index of the targets into rows by unit."""
        self.fresh()
        return self.target, self.lane

    def joined(self, others: Self) -> Self:
        """As for `Cases`."""
        if not len(others):
            return self
        lane, unit, by, target = (
            np.concatenate([getattr(self, name), getattr(others, name)])
            for name in ("lane", "unit", "by", "target")
        )
        return type(self)(self.ensemble, lane, unit, by, self.born, target)

    def targets(self) -> Cases:
        """The targets as the units it is about; it still comes of the same unit's action."""
        return self.of(self.target)


class Pairs:
    """Units and their targets, flat: a lane may occur any number of times.

    They are stale as soon as lanes split or merge.

    Parameters
    ----------
    lane, unit, target
        Each pair, shape (k,).
    born
        The ensemble's epoch in which they were found; the present one by default.
    """

    __slots__ = ("born", "ensemble", "lane", "target", "unit")

    def __init__(self, ensemble: Ensemble, lane: Ids, unit: Ids, target: Ids, born: int = -1) -> None:
        self.ensemble, self.lane, self.unit, self.target = ensemble, lane, unit, target
        self.born = ensemble.epoch if born < 0 else born

    def __len__(self) -> int:
        return len(self.lane)

    @property
    def at(self) -> tuple[Ids, Ids]:
        """Index of the units into rows by unit."""
        self.fresh()
        return self.unit, self.lane

    @property
    def there(self) -> tuple[Ids, Ids]:
        """Index of the targets into rows by unit."""
        self.fresh()
        return self.target, self.lane

    def fresh(self) -> None:
        """Raise `LookupError` if lanes have split or merged since the pairs were found."""
        if self.born != self.ensemble.epoch:
            raise LookupError("stale pairs: lanes have split or merged since, find them again from a frame")

    def where(self, mask: Mask) -> Pairs:
        """Those of a mask, shape (k,)."""
        return Pairs(self.ensemble, self.lane[mask], self.unit[mask], self.target[mask], self.born)


def each(cases: Cases, units: NDArray[np.bool_]) -> Iterator[tuple[Ids, Cases]]:
    """Several units of each lane, one after the other in unit order; no lane may split meanwhile.

    Parameters
    ----------
    units
        Which units, shape (units, k).

    Yields
    ------
    Numbers of those of the cases in which there is a next one, and the cases of these units.
    """
    (flat,) = units.ravel().nonzero()
    if not len(flat):
        return
    unit, case = np.divmod(flat, units.shape[1])
    order = case.argsort(kind="stable")
    unit, case = unit[order], case[order]
    if (case[1:] != case[:-1]).all():
        yield case, cases.take(case).of(unit)
        return
    place = np.arange(len(case)) - case.searchsorted(case)
    for nth in range(int(place.max()) + 1):
        (now,) = (place == nth).nonzero()
        some = case[now]
        yield some, cases.take(some).of(unit[now])
