"""Hex maps: axial coordinates on a rhombus, numbered hexes, terrain, hexsides.

Directions 0..5 go clockwise: (+1, 0), (0, +1), (-1, +1), (-1, 0), (0, -1), (+1, -1). A hex is a number
0..hexes-1; `off` is the hex of units that have left the map, next to itself only.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import atan2, degrees, sqrt
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

DIRECTIONS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
_TURNS = {step: d for d, step in enumerate(DIRECTIONS)}

Hex = tuple[int, int]
"""Axial coordinates (q, r)."""


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


@dataclass(frozen=True)
class HexMap:
    """A map of all hexes within `radius` of (0, 0) in either coordinate, complete when it is made and the
    same ever after.

    Attributes
    ----------
    radius
        At most 88, so that hex numbers fit int16.
    terrain
        Terrain of the hexes that are not clear.
    hexsides
        Hexside terrain by (hex, direction); given from one side, it is there from both.
    """

    radius: int
    terrain: Mapping[Hex, str] = field(default_factory=dict)
    hexsides: Mapping[tuple[Hex, int], str] = field(default_factory=dict)
    width: int = field(init=False)
    off: int = field(init=False)

    def __post_init__(self) -> None:
        sides: dict[tuple[Hex, int], str] = {}
        for (hex_, direction), name in self.hexsides.items():
            sides[hex_, direction % 6] = name
            sides[neighbour(hex_, direction), (direction + 3) % 6] = name
        width = 2 * self.radius + 1
        facts = {
            "terrain": MappingProxyType(dict(self.terrain)),
            "hexsides": MappingProxyType(sides),
            "width": width,
            "off": width * width,
        }
        for name, value in facts.items():
            object.__setattr__(self, name, value)

    def __hash__(self) -> int:
        return hash((self.radius, frozenset(self.terrain.items()), frozenset(self.hexsides.items())))

    def holds(self, hex_: Hex) -> bool:
        """Whether the map has the hex."""
        return abs(hex_[0]) <= self.radius and abs(hex_[1]) <= self.radius

    def number(self, hex_: Hex | None) -> int:
        """The number of a hex; `off` for None."""
        return self.off if hex_ is None else (hex_[0] + self.radius) * self.width + hex_[1] + self.radius

    def hex(self, number: int) -> Hex | None:
        """The hex of a number; None for `off`."""
        if number == self.off:
            return None
        q, r = divmod(int(number), self.width)
        return q - self.radius, r - self.radius

    def distances(self, a: NDArray[np.integer], b: NDArray[np.integer]) -> NDArray[np.int64]:
        """Hexes between numbered hexes, element by element, broadcast; 999 where either is `off`."""
        q, r = _axes(self.radius, self.width)
        dq, dr = q[a] - q[b], r[a] - r[b]
        found = np.maximum(np.maximum(np.abs(dq), np.abs(dr)), np.abs(dq + dr)).astype(np.int64)
        found[(np.asarray(a) == self.off) | (np.asarray(b) == self.off)] = 999
        return found


@lru_cache(maxsize=4)
def _axes(radius: int, width: int) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Both coordinates of each hex, by its number, `off` at the end: the same for all maps of a size."""
    q, r = np.divmod(np.arange(width * width + 1), width)
    return (q - radius).astype(np.int16), (r - radius).astype(np.int16)
