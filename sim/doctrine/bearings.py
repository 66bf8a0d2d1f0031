"""Where to look: facings toward hexes far off.

A tie goes clockwise, which is the same seen from either side of a map turned by half.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.board.tables import Board

Numbers = NDArray[np.integer]
HAIR = 1e-9


class Bearings:
    """Facings 0..11 from hexes to others, by a table of all differences of a map."""

    def __init__(self, board: Board) -> None:
        off = board.off
        self._q, self._r = board.q.copy(), board.r.copy()
        self._q[off] = self._r[off] = 0
        reach = int(max(np.ptp(self._q), np.ptp(self._r)))
        q, r = np.mgrid[-reach : reach + 1, -reach : reach + 1]
        twelfths = (np.degrees(np.arctan2(r + q / 2, q * np.sqrt(3) / 2)) - 30) / 30
        sides = (2 * np.floor(twelfths / 2 + 0.5 + HAIR)) % 12
        corners = (2 * np.floor(twelfths / 2 + HAIR) + 1) % 12
        self._reach, self._table = reach, np.stack([sides, corners]).astype(np.int16)

    def facing(self, here: Numbers, there: Numbers, corner: Numbers) -> NDArray[np.int16]:
        """The hexside, or where `corner` is 1 the corner, of hexes that looks most at others; shape (k,)."""
        dq, dr = self._q[there] - self._q[here], self._r[there] - self._r[here]
        return self._table[corner, dq + self._reach, dr + self._reach]
