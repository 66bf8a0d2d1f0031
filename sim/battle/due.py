"""Hexes whose turn is still to come in a segment: each once, in the order of their top units.

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.ensemble.cases import Cases, first_of
from sim.ensemble.frames import Frame, Rows, per_unit
from sim.ensemble.lanes import Ids
from sim.units.forces import Forces

NOBODY = -1


class Due(Frame):
    """Hexes that are still to be attacked."""

    due: Rows = per_unit("hex of a top unit that is still to be attacked", NOBODY)
    due_second: Rows = per_unit("the same of the other hex of a unit in two", NOBODY)

    def in_turn(self, forces: Forces) -> Iterator[tuple[Cases, Ids]]:
        """In each lane the next unit with a hex that is due, and that hex, its own first, until there is
        none; it is no longer due."""
        while True:
            waiting = self.due >= 0
            if forces.spread:
                waiting |= self.due_second >= 0
            some, unit = first_of(waiting)
            if not some.any():
                return
            cases = self.cases(some, unit)
            place = self.due[cases.at].astype(np.intp)
            self.due[cases.at] = NOBODY
            if forces.spread:
                other = np.flatnonzero(place < 0)
                two = cases.take(other)
                place[other] = self.due_second[two.at]
                self.due_second[two.at] = NOBODY
            yield cases, place
