"""A charge that turned away from a square or a broken unit: it goes another way, under fire, and attacks nobody (seed 002; D N21.1).

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.old.charging import MARCH, NO_STEP, OVER, Charging
from sim.old.engine import Cases, Mask
from sim.old.lanes import Ids


class TurningAway(Charging):
    """A charge that has no goal any more, on the way that its order calls `away`."""

    turned = True

    def planned(self, lanes: Ids) -> Mask:
        """Every step is planned."""
        return np.ones(len(lanes), bool)

    def planned_turns(self, steps: Cases) -> Cases:
        """The turns of steps; one that may not halt at the end rides straight on."""
        way = np.array([*self.order.away, 0], np.int64)
        return way[np.minimum(steps, len(way) - 1)]

    def _declare(self) -> None:
        if self.switches["passed_immune"]:
            self._pass_others(self.at(MARCH), None)

    def _reached(self) -> None:
        self.part(MARCH)

    def _march_on(self) -> None:
        lanes = self.at(MARCH)
        self.choices.halt(lanes[self.planned_step(lanes) >= len(self.order.away)], "has gone its way")
        lanes = self.at(MARCH)
        turns = self.mean_step(lanes)
        stuck = lanes[turns == NO_STEP]
        if len(stuck):
            self.battle.tell("37", self.name, "can go no farther")
        self.go(stuck, OVER)
        self.advance(MARCH)
