"""Where leaders go: to who needs them most, of their own troops.

Arrays have shape (k,), one element a lane, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.combat.play import Play
from sim.doctrine.marching import Marching
from sim.ensemble.lanes import Ids
from sim.units.battles import Scenario
from sim.units.styles import Leaders
from sim.vocabulary import CAVALRY, DISORDERED, GONE, GOOD, ROUTED

STAYS = -1


class Leading:
    """The leaders of one side: each cares for the units of his organisation, or, where it has none, for the
    infantry of the side; a leader of cavalry for its cavalry."""

    def __init__(self, play: Play, scenario: Scenario, side: int, marching: Marching, style: Leaders) -> None:
        self.forces, self.marching, self.style = play.forces, marching, style
        of_side = self.forces.side == side
        organisations = np.array([unit.organisation for unit in scenario.units])
        self.troops = []
        for leader in scenario.leaders:
            own = of_side & (organisations == leader.organisation)
            if not own.any():
                own = of_side & (self.forces.arm != CAVALRY)
            if leader.rank == "cavalry" and (own & (self.forces.arm == CAVALRY)).any():
                own = own & (self.forces.arm == CAVALRY)
            self.troops.append(np.flatnonzero(own))

    def goes(self, leader: int, lanes: Ids) -> NDArray[np.int64]:
        """The unit to which a leader goes; `STAYS` where nobody is left of his troops."""
        forces, troops, style = self.forces, self.troops[leader], self.style
        own = np.ix_(troops, lanes)
        state, near, prey = forces.state[own], self.marching.near[own], self.marching.prey[own]
        worth = np.where(near <= 1, style.front, 0)
        worth = np.where(prey >= 0, np.maximum(worth, style.attack), worth)
        worth = np.where(state == DISORDERED, style.disordered, worth)
        worth = np.where(state == ROUTED, style.routed, worth)
        here = forces.leader_hexes(lanes)[leader]
        worth = 2 * (worth - forces.map.distances(here, forces.hex[own]))
        worth = worth - (state != GOOD) - 5000 * (state == GONE)
        best = worth.argmax(axis=0)
        return np.where(state[best, np.arange(len(lanes))] == GONE, STAYS, troops[best])
