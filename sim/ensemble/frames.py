"""Frames: typed working memory of a procedure, a column a lane, that forks and merges with the lanes.

A frame is declared once, as a class whose fields are attributes. Opening one gives every field its initial
value in every lane; closing it drops its rows. The state of a battle is the frame that is never closed.

Fields are views: read them again from the frame after every roll, which may split lanes.

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
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

    def rows(self, units: int, leaders: int) -> int:
        """Rows for so many units and leaders."""
        return {_LANE: 1, _UNIT: units, _LEADER: leaders}.get(self.height, self.height)


@dataclass(frozen=True)
class Layout:
    """Where the rows of a frame's fields lie: numbers and flags apart, one field after the other.

    Attributes
    ----------
    numbers, flags
        What the rows hold when the frame is opened, shape (rows, 1).
    fields
        Name, whether it is a flag, and its rows: a number where it has one a lane.
    """

    numbers: Rows
    flags: Flags
    fields: tuple[tuple[str, bool, int | slice], ...]

    @staticmethod
    @cache
    def of(kind: Any, units: int, leaders: int) -> Layout:
        """The layout of a kind of frame for so many units and leaders."""
        fields: list[tuple[str, bool, int | slice]] = []
        initial: dict[bool, list[int]] = {False: [], True: []}
        for name, field in kind.layout.items():
            rows, first = field.rows(units, leaders), len(initial[field.flag])
            fields.append((name, field.flag, first if field.height == _LANE else slice(first, first + rows)))
            initial[field.flag] += [field.initial] * rows
        numbers = np.array(initial[False], np.int16)[:, None]
        return Layout(numbers, np.array(initial[True], np.bool_)[:, None], tuple(fields))


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
    __slots__ = ("__dict__", "_flags", "_layout", "_numbers", "ensemble")

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = {name: one for name, one in vars(cls).items() if isinstance(one, Field)}
        cls.layout = cls.layout | own
        for name in own:
            delattr(cls, name)

    def __init__(self, ensemble: Ensemble) -> None:
        self.ensemble = ensemble
        kind: Any = type(self)
        self._layout = Layout.of(kind, ensemble.units, ensemble.leaders)
        width = ensemble.n + ROOM
        self._numbers: Rows = np.empty((len(self._layout.numbers), width), np.int16)
        self._flags: Flags = np.empty((len(self._layout.flags), width), np.bool_)
        self._numbers[:], self._flags[:] = self._layout.numbers, self._layout.flags
        self._bind()
        ensemble.frames.append(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Drop the rows, and with them all that was read of the frame: its fields are gone."""
        self.ensemble.frames.remove(self)
        self.__dict__.clear()
        del self._numbers, self._flags

    def renew(self, lanes: Ids) -> None:
        """All fields are initial again in some lanes."""
        self._numbers[:, lanes], self._flags[:, lanes] = self._layout.numbers, self._layout.flags

    def cases(self, mask: Flag, unit: int | NDArray[Any], by: int | NDArray[Any] | None = None) -> Cases:
        """The cases of a unit (a number, or one a lane) in the lanes of a mask, of whose action they come
        (`by`, the unit itself by default)."""
        (lane,) = mask.nonzero()
        who = _along(unit, lane)
        return Cases(self.ensemble, lane, who, who if by is None else _along(by, lane), self.ensemble.epoch)

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
        width = len(lanes) + ROOM
        self._numbers = _widened(self._numbers[:, lanes], width)
        self._flags = _widened(self._flags[:, lanes], width)
        self._bind()

    def bytes(self) -> list[NDArray[np.uint8]]:
        """All that a lane holds, shape (lanes, bytes) each."""
        n = self.ensemble.n
        columns = [np.ascontiguousarray(rows[:, :n].T) for rows in (self._numbers, self._flags) if len(rows)]
        return [one.view(np.uint8).reshape(n, -1) for one in columns]

    def _bind(self) -> None:
        n, own = self.ensemble.n, self.__dict__
        numbers, flags = self._numbers[:, :n], self._flags[:, :n]
        for name, flag, rows in self._layout.fields:
            own[name] = flags[rows] if flag else numbers[rows]


def _grown(rows: NDArray[Any], first: int, parents: Ids) -> NDArray[Any]:
    end = first + len(parents)
    if end >= rows.shape[1]:
        rows = _widened(rows, rows.shape[1] + end)
    rows[:, first:end] = rows[:, parents]
    return rows


def _widened(rows: NDArray[Any], width: int) -> NDArray[Any]:
    """Rows with room for more lanes."""
    wide = np.zeros((len(rows), width), rows.dtype)
    wide[:, : rows.shape[1]] = rows
    return wide


def _along(one: int | NDArray[Any], lane: Ids) -> Ids:
    if isinstance(one, np.ndarray) and one.ndim:
        return one[lane].astype(np.intp)
    found = np.empty(len(lane), np.intp)
    found.fill(int(one))
    return found


class Pending(Frame):
    """Units whose turn is still to come, in any lane."""

    due: Flags = flag_per_unit("whose turn is still to come")
    by: Row = per_lane("of whose action it comes")

    def mark(self, cases: Cases) -> None:
        """The units of cases are due."""
        self.due[cases.at] = True
        self.by[cases.lane] = cases.by

    def mark_all(self, due: Flags, lanes: Ids, by: NDArray[Any] | int) -> None:
        """Units by number are due in some lanes, of which one may occur several times, shape (units, k), by
        whose action, shape (k,)."""
        unit, case = due.nonzero()
        self.due[unit, lanes[case]] = True
        self.by[lanes] = by

    def in_turn(self) -> Iterator[Cases]:
        """In each lane the next unit that is due, in unit order, until nobody is; lanes may split
        meanwhile."""
        while True:
            if not self.due.any():
                return
            any_due, unit = first_of(self.due)
            cases = self.cases(any_due, unit, self.by)
            self.due[cases.at] = False
            yield cases
