"""The map's geometry: axial hexes, directions, lines (§2)."""

from __future__ import annotations

Hex = tuple[int, int]

DIRECTIONS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
PLACES = {"front": 3, "front-left": 2, "rear-left": 1, "rear": 0, "rear-right": 5, "front-right": 4}
"""Directions from the target of the places that a charge file names."""
HOME = {"charger": 3, "target": 0}
"""Home direction of each side."""
TARGET_HEX: Hex = (0, 0)
CONTACT_HEX: Hex = (-1, 0)


def neighbour(a: Hex, direction: int) -> Hex:
    """The hex next to one in a direction (§2.1)."""
    dq, dr = DIRECTIONS[direction]
    return a[0] + dq, a[1] + dr


def distance(a: Hex, b: Hex) -> int:
    """Hexes from one to the other (§2.1)."""
    dq, dr = a[0] - b[0], a[1] - b[1]
    return max(abs(dq), abs(dr), abs(dq + dr))


def direction_to(a: Hex, b: Hex) -> int:
    """The direction of an adjacent hex (§2.1)."""
    return DIRECTIONS.index((b[0] - a[0], b[1] - a[1]))


def turn_between(old: int, new: int) -> int:
    """Hexsides turned, clockwise positive, -2..3 (§2.1, §3.4)."""
    turn = (new - old) % 6
    return turn if turn <= 3 else turn - 6


def line_between(a: Hex, b: Hex, nudge: int) -> list[Hex]:
    """The hexes from a to b, both included, on the line nudged to one side, +1 or -1 (§2.12)."""
    n = distance(a, b)
    start = (a[0] + nudge * 1e-6, a[1] + nudge * 2e-6, -a[0] - a[1] - nudge * 3e-6)
    end = (b[0] + nudge * 1e-6, b[1] + nudge * 2e-6, -b[0] - b[1] - nudge * 3e-6)
    middle = [
        rounded(tuple(s + (e - s) * i / n for s, e in zip(start, end, strict=True))) for i in range(1, n)
    ]
    return [a, *middle, b]


def rounded(cube: tuple[float, ...]) -> Hex:
    """The hex that holds a point in cube coordinates (§2.12)."""
    q, r, s = (round(part) for part in cube)
    dq, dr, ds = abs(q - cube[0]), abs(r - cube[1]), abs(s - cube[2])
    if dq > dr and dq > ds:
        q = -r - s
    elif dr > ds:
        r = -q - s
    return q, r
