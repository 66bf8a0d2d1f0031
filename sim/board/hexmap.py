"""Hex maps: a grid of numbered hexes with terrain, hexsides, roads, bridges, elevation, places and edges.

Hexes are axial coordinates (q, r). Directions 0..5 go clockwise: (+1, 0), (0, +1), (-1, +1), (-1, 0),
(0, -1), (+1, -1). A hex is a number 0..hexes-1 of its grid; `off` is the hex of units that are not on the
map, next to itself only.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import atan2, degrees, sqrt
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from sim.errors import InputError

DIRECTIONS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
_TURNS = {step: d for d, step in enumerate(DIRECTIONS)}

Hex = tuple[int, int]
"""Axial coordinates (q, r)."""

Hexside = tuple[Hex, int]
"""A hex and the direction of one of its sides."""

COMPASS = {True: ("SE", "S", "SW", "NW", "N", "NE"), False: ("E", "SE", "SW", "W", "NW", "NE")}
"""Names of the directions: of hexes that stand on a side, and of hexes that stand on a corner."""

MOST_HEXES = 32_000
"""Numbers of hexes are int16."""


def neighbour(hex_: Hex, direction: int) -> Hex:
    """The hex across a side."""
    dq, dr = DIRECTIONS[direction % 6]
    return hex_[0] + dq, hex_[1] + dr


def along(hex_: Hex, direction: int, hexes: int) -> Hex:
    """The hex so many hexes away in a direction."""
    dq, dr = DIRECTIONS[direction % 6]
    return hex_[0] + hexes * dq, hex_[1] + hexes * dr


def distance(a: Hex, b: Hex) -> int:
    """Hexes between two hexes (0 for the same).

    >>> distance((0, 0), (2, -1))
    2
    """
    dq, dr = a[0] - b[0], a[1] - b[1]
    return max(abs(dq), abs(dr), abs(dq + dr))


def bearing(a: Hex, b: Hex) -> int:
    """The direction from a hex to another in whole degrees, clockwise from direction 0.

    >>> bearing((0, 0), (0, 3)), bearing((0, 0), (1, 1))
    (60, 30)
    """
    dq, dr = b[0] - a[0], b[1] - a[1]
    return round(degrees(atan2(dr * sqrt(3) / 2, dq + dr / 2)))


def direction_to(a: Hex, b: Hex) -> int:
    """The direction 0..5 from a hex to one next to it."""
    return _TURNS[b[0] - a[0], b[1] - a[1]]


def other_side(side: Hexside) -> Hexside:
    """The same hexside as the hex across it has it."""
    return neighbour(*side), (side[1] + 3) % 6


@dataclass(frozen=True)
class Rhombus:
    """All hexes within `radius` (at most 88) of (0, 0) in either coordinate: the ground of charge files."""

    radius: int

    @property
    def width(self) -> int:
        """Hexes of a side; numbers of hexes n apart differ by at most n (width + 1)."""
        return 2 * self.radius + 1

    def hexes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Both coordinates of each hex, by its number."""
        q, r = np.divmod(np.arange(self.width * self.width), self.width)
        return q - self.radius, r - self.radius

    def label(self, hex_: Hex) -> str:
        """Its coordinates."""
        return f"{hex_[0]},{hex_[1]}"


@dataclass(frozen=True)
class Rectangle:
    """Columns and rows of staggered hexes with wargame numbers: column, then row. Numbered inside row by row.

    Attributes
    ----------
    columns, rows
        At least 1.
    flat
        Hexes stand on a side, in straight columns, of which every other is half a hex lower; otherwise they
        stand on a corner, in straight rows, of which every other is half a hex to the right.
    shifted
        Which columns (or rows) those are, counted from 0 at the top left: 1 for the second, 0 for the first.
    first
        The number of the top left hex: its digits say how many a number has.
    """

    columns: int
    rows: int
    flat: bool = True
    shifted: int = 1
    first: str = "0101"

    @property
    def width(self) -> int:
        """Hexes of a row; numbers of hexes n apart differ by at most n (width + 1)."""
        return self.columns

    @property
    def compass(self) -> tuple[str, ...]:
        """The names of directions 0..5."""
        return COMPASS[self.flat]

    def hexes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Both coordinates of each hex, by its number."""
        row, column = np.divmod(np.arange(self.columns * self.rows), self.columns)
        if self.flat:
            return column, row - (column + 1 - self.shifted) // 2
        return column - (row + 1 - self.shifted) // 2, row

    def hex_in(self, column: int, row: int) -> Hex:
        """The hex in a column and row, both from 0."""
        if self.flat:
            return column, row - (column + 1 - self.shifted) // 2
        return column - (row + 1 - self.shifted) // 2, row

    def column_row(self, hex_: Hex) -> tuple[int, int]:
        """The column and row of a hex, both from 0.

        >>> Rectangle(10, 10).column_row(Rectangle(10, 10).hex_in(7, 4))
        (7, 4)
        """
        q, r = hex_
        if self.flat:
            return q, r + (q + 1 - self.shifted) // 2
        return q + (r + 1 - self.shifted) // 2, r

    def holds(self, hex_: Hex) -> bool:
        """Whether the rectangle has the hex."""
        column, row = self.column_row(hex_)
        return 0 <= column < self.columns and 0 <= row < self.rows

    def label(self, hex_: Hex) -> str:
        """Its number, column and row.

        >>> Rectangle(20, 20).label(Rectangle(20, 20).hex_in(4, 11))
        '0512'
        """
        half = len(self.first) // 2
        column, row = self.column_row(hex_)
        return f"{column + int(self.first[:half]):0{half}}{row + int(self.first[half:]):0{half}}"

    def hex_of(self, label: str) -> Hex:
        """The hex with a number.

        Raises
        ------
        InputError
            If the rectangle has no such hex.
        """
        half = len(self.first) // 2
        if len(label) == 2 * half and label.isascii() and label.isdigit():
            column, row = (
                int(label[:half]) - int(self.first[:half]),
                int(label[half:]) - int(self.first[half:]),
            )
            if 0 <= column < self.columns and 0 <= row < self.rows:
                return self.hex_in(column, row)
        last = self.label(self.hex_in(self.columns - 1, self.rows - 1))
        raise InputError(
            f"must be the number of a hex, column and row, from {self.first} to {last}, got '{label}'"
        )

    def centre(self, hex_: Hex) -> tuple[float, float]:
        """Where the middle of a hex lies, to the right and down, in hexes from side to side."""
        q, r = hex_
        return (q * sqrt(3) / 2, r + q / 2) if self.flat else (q + r / 2, r * sqrt(3) / 2)


Grid = Rhombus | Rectangle
"""Which hexes a map has, in the order of their numbers, and what they are called."""


@lru_cache(maxsize=16)
def _axes(grid: Grid) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return grid.hexes()


@lru_cache(maxsize=16)
def _measures(grid: Grid) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Two numbers for each hex, `off` at the end, and the distances by the sum of one's first and another's
    second.

    The sum says by how much both coordinates differ; with `off` it lies beyond all others. A negative one
    counts from the end of the table.
    """
    q, r = _axes(grid)
    q, r = q - q.min(), r - r.min()
    wide, high = int(q.max()) + 1, int(r.max()) + 1
    row = 2 * high
    size = wide * row
    place = q * row + r
    distances = np.full(11 * size, 999, np.int64)
    dq, dr = np.meshgrid(np.arange(1 - wide, wide), np.arange(1 - high, high), indexing="ij")
    distances[dq * row + dr] = (np.abs(dq) + np.abs(dr) + np.abs(dq + dr)) >> 1
    first, second = np.append(place, 3 * size), np.append(-place, 6 * size)
    return first.astype(np.int32), second.astype(np.int32), distances


@lru_cache(maxsize=16)
def _numbers(grid: Grid) -> tuple[Hex, NDArray[np.int16]]:
    """The least coordinates of a grid, and the number of the hex at each place from there; -1 for none."""
    q, r = _axes(grid)
    low = int(q.min()), int(r.min())
    numbers = np.full((int(q.max()) - low[0] + 1, int(r.max()) - low[1] + 1), -1, np.int16)
    numbers[q - low[0], r - low[1]] = np.arange(len(q))
    numbers.flags.writeable = False
    return low, numbers


@dataclass(frozen=True)
class HexMap:
    """A map, complete when it is made and the same ever after.

    Attributes
    ----------
    grid
        Its hexes: at most 32,000.
    terrain
        Terrain of the hexes that are not clear.
    hexsides
        Hexside terrain (stream, river, slope, wall, ford ...) by (hex, direction); given from one side, it is
        there from both.
    roads, bridges
        Hexsides that a road crosses, and those with a bridge over what they are; from both sides too.
    elevation
        Levels of the hexes that are not at level 0.
    places, edges
        Hexes by the name of a place, and by that of an entry or exit.
    """

    grid: Grid
    terrain: Mapping[Hex, str] = field(default_factory=dict)
    hexsides: Mapping[Hexside, str] = field(default_factory=dict)
    roads: frozenset[Hexside] = frozenset()
    bridges: frozenset[Hexside] = frozenset()
    elevation: Mapping[Hex, int] = field(default_factory=dict)
    places: Mapping[str, tuple[Hex, ...]] = field(default_factory=dict)
    edges: Mapping[str, tuple[Hex, ...]] = field(default_factory=dict)
    off: int = field(init=False)

    def __post_init__(self) -> None:
        hexes = len(_axes(self.grid)[0])
        if hexes > MOST_HEXES:
            raise InputError(f"a map must have at most {MOST_HEXES:,} hexes, got {hexes:,}")
        sides: dict[Hexside, str] = {}
        for (hex_, direction), name in self.hexsides.items():
            side = hex_, direction % 6
            sides |= {side: name, other_side(side): name}
        facts = {
            "hexsides": MappingProxyType(sides),
            "roads": _both(self.roads),
            "bridges": _both(self.bridges),
            "off": hexes,
        }
        for name in ("terrain", "elevation", "places", "edges"):
            facts[name] = MappingProxyType(dict(getattr(self, name)))
        for name, value in facts.items():
            object.__setattr__(self, name, value)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        told = (self.terrain, self.hexsides, self.elevation, self.places, self.edges)
        return hash((self.grid, self.roads, self.bridges, *(frozenset(one.items()) for one in told)))

    @property
    def width(self) -> int:
        """Numbers of hexes n apart differ by at most n (width + 1)."""
        return self.grid.width

    def holds(self, hex_: Hex) -> bool:
        """Whether the map has the hex."""
        return self._number(hex_) >= 0

    def inside(self, hex_: Hex, direction: int) -> bool:
        """Whether a hexside has a hex of the map on either side."""
        return self.holds(hex_) and self.holds(neighbour(hex_, direction))

    def number(self, hex_: Hex | None) -> int:
        """The number of a hex; `off` for None.

        Raises
        ------
        KeyError
            If the map has no such hex.
        """
        if hex_ is None:
            return self.off
        number = self._number(hex_)
        if number < 0:
            raise KeyError(hex_)
        return number

    def _number(self, hex_: Hex) -> int:
        (q, r), numbers = self.by_place
        column, row = hex_[0] - q, hex_[1] - r
        inside = 0 <= column < numbers.shape[0] and 0 <= row < numbers.shape[1]
        return int(numbers[column, row]) if inside else -1

    def hex(self, number: int) -> Hex | None:
        """The hex of a number; None for `off`."""
        if number == self.off:
            return None
        q, r = self.axes
        return int(q[number]), int(r[number])

    def label(self, number: int) -> str:
        """What players call the hex of a number; `off the map` for `off`."""
        hex_ = self.hex(number)
        return "off the map" if hex_ is None else self.grid.label(hex_)

    def numbers(self, hexes: Iterable[Hex]) -> NDArray[np.int16]:
        """The numbers of hexes, shape (hexes,)."""
        return np.array([self.number(hex_) for hex_ in hexes], np.int16)

    @cached_property
    def axes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Both coordinates of each hex, by its number, without `off`."""
        return _axes(self.grid)

    @cached_property
    def by_place(self) -> tuple[Hex, NDArray[np.int16]]:
        """The least coordinates, and the number of the hex at each place (q, r) from there; -1 for none."""
        return _numbers(self.grid)

    @cached_property
    def neighbours(self) -> NDArray[np.int16]:
        """The number of the hex in each direction, `off` for none and from `off`, shape (hexes + 1, 6)."""
        (low_q, low_r), place = self.by_place
        q, r = self.axes
        found = np.full((self.off + 1, 6), self.off, np.int16)
        for d, (dq, dr) in enumerate(DIRECTIONS):
            to_q, to_r = q + dq - low_q, r + dr - low_r
            there = (to_q >= 0) & (to_r >= 0) & (to_q < place.shape[0]) & (to_r < place.shape[1])
            to = place[to_q[there], to_r[there]]
            found[: self.off, d][there] = np.where(to < 0, self.off, to)
        found.flags.writeable = False
        return found

    def distances(self, a: NDArray[np.integer], b: NDArray[np.integer]) -> NDArray[np.int64]:
        """Hexes between numbered hexes, element by element, broadcast; 999 where either is `off`."""
        first, second, distances = self._measures
        return distances[first[a] + second[b]]

    @cached_property
    def _measures(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
        """As the function of this name."""
        return _measures(self.grid)


def _both(sides: Iterable[Hexside]) -> frozenset[Hexside]:
    """Hexsides as both of their hexes have them."""
    given = {(hex_, direction % 6) for hex_, direction in sides}
    return frozenset(given | {other_side(side) for side in given})
