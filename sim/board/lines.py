"""The hexes that a line between two hexes goes through, as offsets: the same everywhere on the map (A8)."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sim.board.kernel import helper

Steps = TypeVar("Steps", int, NDArray[np.int64])

NUDGE = 1_000_000
"""One hex over the nudge of a line of sight."""

REACH = 12
"""Hexes up to which lines are kept in a table."""


@helper
def line_step(dq: Steps, dr: Steps, n: Steps, i: Steps, nudge: Steps) -> tuple[Steps, Steps]:
    """The hex at step i of the line to a hex that is n hexes off, both as offsets, nudged by a hair: in
    integers, of units so small that nothing is ever on an edge."""
    scale = n * NUDGE
    q, r = dq * i * NUDGE + nudge * n, dr * i * NUDGE + 2 * nudge * n
    s = -q - r
    rq, rr, rs = (
        (2 * q + scale) // (2 * scale),
        (2 * r + scale) // (2 * scale),
        (2 * s + scale) // (2 * scale),
    )
    off_q, off_r, off_s = abs(rq * scale - q), abs(rr * scale - r), abs(rs * scale - s)
    worst_q = (off_q > off_r) & (off_q > off_s)
    worst_r = (off_r > off_s) & (1 - worst_q > 0)
    return rq + (-rr - rs - rq) * worst_q, rr + (-rq - rs - rr) * worst_r


@cache
def line_table() -> NDArray[np.int16]:
    """Steps of all lines up to `REACH` hexes, shape (2 REACH + 1, 2 REACH + 1, REACH, 2, 2).

    By the offset of the line's end from its start, each coordinate from `-REACH` on; by step, from 1 on; by
    nudge, 1 and -1; by coordinate.
    """
    off = np.arange(-REACH, REACH + 1)
    dq, dr = off[:, None, None, None], off[:, None, None]
    n = np.maximum(np.maximum(abs(dq), abs(dr)), abs(dq + dr))
    i, nudge = np.arange(1, REACH + 1)[:, None], np.array([1, -1])
    table = np.stack(line_step(dq, dr, np.maximum(n, 1), i, nudge), axis=-1).astype(np.int16)
    table.flags.writeable = False
    return table
