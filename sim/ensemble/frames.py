"""Frames: typed working memory of a procedure, a column a lane, that forks and merges with the lanes.

A frame is declared once, as a class whose fields are attributes. Opening one gives every field its initial value in every lane; closing it
drops its rows. The state of a battle is the frame that is never closed.

Fields are views: read them again from the frame after every roll, which may split lanes.

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sim.ensemble.cases import Cases, first_of
from sim.ensemble.lanes import ROOM, Ensemble, Ids

Row = NDArray[np.int16]
"""One number a lane, shape (lanes,)."""
Rows = NDArray[np.int16]
"""One number a unit (leader, place) and lane, shape (units, lanes)."""
Flag = NDArray[np.bool_]
Flags = NDArray[np.bool_]

_LANE, _UNIT, _LEADER = 0, -1, -2


@dataclass(frozen=True)
class Field:
    """A field of a frame.

    Attributes
    ----------
    what
        What it says.
    initial
        Its value when the frame is opened; flags have a bool.
    low, high
        The range of its values, both ends included.
    height
        Rows: a number, or one a lane, a unit or a leader.
    """

    what: str
    initial: int
    low: int
    high: int
    height: int

    @property
    def flag(self) -> bool:
        """Whether it is a flag."""
        return isinstance(self.initial, bool)

    def rows(self, ensemble: Ensemble) -> int:
        """Rows in an ensemble."""
        return {_LANE: 1, _UNIT: ensemble.units, _LEADER: ensemble.leaders}.get(self.height, self.height)


def per_lane(what: str, initial: int = 0, low: int = 0, high: int = 32_767) -> Any:
    """A number a lane, int16, shape (lanes,)."""
    return Field(what, initial, min(low, initial), high, _LANE)


def per_unit(what: str, initial: int = 0, low: int = 0, high: int = 32_767) -> Any:
    """A number for each unit, int16, shape (units, lanes)."""
    return Field(what, initial, min(low, initial), high, _UNIT)


def per_leader(what: str, initial: int = 0, low: int = 0, high: int = 32_767) -> Any:
    """A number for each leader, int16, shape (leaders, lanes)."""
    return Field(what, initial, min(low, initial), high, _LEADER)


def per_place(what: str, places: int, initial: int = 0, low: int = 0, high: int = 32_767) -> Any:
    """A number for each of some places, int16, shape (places, lanes)."""
    return Field(what, initial, min(low, initial), high, places)


def flag_per_lane(what: str, initial: bool = False) -> Any:
    """A flag a lane, bool, shape (lanes,)."""
    return Field(what, initial, 0, 1, _LANE)


def flag_per_unit(what: str, initial: bool = False) -> Any:
    """A flag for each unit, bool, shape (units, lanes)."""
    return Field(what, initial, 0, 1, _UNIT)


class Frame:
    """Fields by lanes, all initial when the frame is opened, dropped when it is closed.

    Frames may be closed in any order; `with` closes one at the end of a block.
    """

    layout: ClassVar[dict[str, Field]] = {}
    __slots__ = ("__dict__", "_flags", "_numbers", "ensemble")

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = {name: one for name, one in vars(cls).items() if isinstance(one, Field)}
        cls.layout = cls.layout | own
        for name in own:
            delattr(cls, name)

    def __init__(self, ensemble: Ensemble) -> None:
        self.ensemble = ensemble
        width = ensemble.n + ROOM
        self._numbers: Rows = self._opened(False, np.dtype(np.int16), width)
        self._flags: Flags = self._opened(True, np.dtype(np.bool_), width)
        self._bind()
        ensemble.frames.append(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Drop the rows."""
        self.ensemble.frames.remove(self)

    def cases(self, mask: Flag, unit: int | NDArray[Any], by: int | NDArray[Any] | None = None) -> Cases:
        """The cases of a unit (a number, or one a lane) in the lanes of a mask, of whose action they come (`by`, the unit itself by default)."""
        lane = np.flatnonzero(mask)
        return Cases(
            self.ensemble,
            lane,
            _along(unit, lane),
            _along(unit if by is None else by, lane),
            self.ensemble.epoch,
        )

    def check(self) -> None:
        """Raise `ValueError` if a field is out of its range, or a row is full."""
        for name, field in self.layout.items():
            values = getattr(self, name)
            if values.size and not field.flag and (values.min() < field.low or values.max() > field.high):
                said = f"{type(self).__name__}.{name} ({field.what})"
                raise ValueError(
                    f"{said} must be from {field.low} to {field.high}, found {values.min()} to {values.max()}"
                )

    # -- for the ensemble ---------------------------------------------------------------------

    def fork(self, first: int, parents: Ids) -> None:
        """Lanes from `first` on are copies of their parents."""
        self._numbers, self._flags = (
            _grown(self._numbers, first, parents),
            _grown(self._flags, first, parents),
        )
        self._bind()

    def keep(self, lanes: Ids) -> None:
        """Lane i is what lane `lanes[i]` was."""
        self._numbers = np.pad(self._numbers[:, lanes], ((0, 0), (0, ROOM)))
        self._flags = np.pad(self._flags[:, lanes], ((0, 0), (0, ROOM)))
        self._bind()

    def bytes(self) -> list[NDArray[np.uint8]]:
        """All that a lane holds, shape (lanes, bytes) each."""
        n = self.ensemble.n
        columns = [np.ascontiguousarray(rows[:, :n].T) for rows in (self._numbers, self._flags) if len(rows)]
        return [one.view(np.uint8).reshape(n, -1) for one in columns]

    def _opened(self, flags: bool, dtype: np.dtype[Any], width: int) -> NDArray[Any]:
        fields = [one for one in self.layout.values() if one.flag is flags]
        heights = [one.rows(self.ensemble) for one in fields]
        rows = np.empty((sum(heights), width), dtype)
        rows[:] = np.repeat(np.array([one.initial for one in fields], dtype), heights)[:, None]
        return rows

    def _bind(self) -> None:
        top, n, ensemble = {False: 0, True: 0}, self.ensemble.n, self.ensemble
        for name, field in self.layout.items():
            first, rows = top[field.flag], self._flags if field.flag else self._numbers
            top[field.flag] = end = first + field.rows(ensemble)
            self.__dict__[name] = rows[first, :n] if field.height == _LANE else rows[first:end, :n]


def _grown(rows: NDArray[Any], first: int, parents: Ids) -> NDArray[Any]:
    end = first + len(parents)
    if end >= rows.shape[1]:
        rows = np.pad(rows, ((0, 0), (0, end)))
    rows[:, first:end] = rows[:, parents]
    return rows


def _along(one: int | NDArray[Any], lane: Ids) -> Ids:
    return np.full(len(lane), one, np.intp) if np.ndim(one) == 0 else np.asarray(one)[lane].astype(np.intp)


class Pending(Frame):
    """Units whose turn is still to come, in any lane."""

    due: Flags = flag_per_unit("whose turn is still to come")
    by: Row = per_lane("of whose action it comes")

    def mark(self, cases: Cases) -> None:
        """The units of cases are due."""
        self.due[cases.at] = True
        self.by[cases.lane] = cases.by

    def mark_all(self, due: Flags, lanes: Ids, by: NDArray[Any] | int) -> None:
        """Units by number are due in some lanes, shape (units, k), by whose action, shape (k,)."""
        self.due[:, lanes] |= due
        self.by[lanes] = by

    def in_turn(self) -> Iterator[Cases]:
        """In each lane the next unit that is due, in unit order, until nobody is; lanes may split meanwhile."""
        while True:
            if not self.due.any():
                return
            any_due, unit = first_of(self.due)
            cases = self.cases(any_due, unit, self.by)
            self.due[cases.at] = False
            yield cases
