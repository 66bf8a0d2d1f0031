"""Where reinforcements come onto the map (rule 45; A 7.4; docs/battle.md T9, T10)."""

from __future__ import annotations

from collections.abc import Sequence

from sim.board.hexmap import DIRECTIONS, Hex, HexMap, distance, neighbour


def rings(map_: HexMap, own: Sequence[Hex], home: int, spread: int) -> list[list[Hex]]:
    """The hexes by which they may come: their own, then those of the border within `spread` hexes of these,
    within twice as many, and so on; of each ring the nearest first, equally near ones as seen from home.

    >>> from sim.board.hexmap import Rectangle
    >>> [len(ring) for ring in rings(HexMap(Rectangle(20, 3)), [(0, 0)], 3, 5)[:3]]
    [1, 12, 10]
    """
    q, r = map_.axes
    every = [(int(a), int(b)) for a, b in zip(q, r, strict=True)]
    border = [one for one in every if not all(map_.holds(neighbour(one, d)) for d in range(6))]
    far = {one: min(distance(one, mine) for mine in own) for one in border}
    others = [one for one in border if one not in own]
    others.sort(key=lambda one: (far[one], *_seen_from(home, one)))
    found = [list(own)]
    for one in others:
        ring = -(-far[one] // spread) if spread else 1
        found += [[] for _ in range(ring + 1 - len(found))]
        found[ring].append(one)
    return found


def _seen_from(home: int, hex_: Hex) -> tuple[int, int]:
    """A hex's coordinates along two directions that turn with home, so that mirrored sides order alike."""
    along = []
    for turn in (1, 2):
        dq, dr = DIRECTIONS[(home + turn) % 6]
        q, r = hex_
        along.append(2 * q * dq + 2 * r * dr + q * dr + r * dq)
    return along[0], along[1]
