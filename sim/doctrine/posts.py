"""The hexes of places that a side is to take: which it has, and who goes for which of the others.

A hex is a side's when a unit of it was the last that was seen there at the beginning of a half.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.board.hexmap import DIRECTIONS
from sim.doctrine.tasks import TAKE, Tasks
from sim.ensemble.lanes import Ids
from sim.units.forces import Forces
from sim.vocabulary import INFANTRY

NONE = -1


class Posts:
    """The goals of one side, by lane.

    Parameters
    ----------
    home
        The direction in which the side goes home; hexes farther from home are gone for first.
    """

    def __init__(self, forces: Forces, side: int, tasks: Tasks, home: int) -> None:
        self.forces, self.tasks = forces, tasks
        self.mine, self.theirs = (np.flatnonzero(forces.side == one) for one in (side, 1 - side))
        q, r = (np.append(axis, 0) for axis in forces.map.axes)

        def toward(direction: int) -> NDArray[np.int64]:
            """What grows in a direction."""
            dq, dr = DIRECTIONS[direction % 6]
            return np.asarray(2 * (q * dq + r * dr) + q * dr + r * dq)

        across = toward(home + 1) + toward(home + 2)
        self.hexes: list[NDArray[np.int64]] = []
        for flags in tasks.goals:
            own = np.flatnonzero(flags)
            self.hexes.append(own[np.lexsort((across[own], toward(home)[own]))])
        self.ours = [np.zeros((len(own), forces.hex.shape[1]), np.bool_) for own in self.hexes]
        self._place = np.full(forces.map.off + 1, NONE)
        self._order: dict[int, tuple[Ids, NDArray[np.int64]]] = {}

    def look(self) -> None:
        """See who is where."""
        tasks, forces = self.tasks, self.forces
        self._order.clear()
        for goal in np.unique(tasks.goal[(tasks.kind == TAKE) & (tasks.goal >= 0)]).tolist():
            ours, hexes = self.ours[goal], self.hexes[goal]
            self._place[hexes] = np.arange(len(hexes))
            for units, has in ((self.mine, True), (self.theirs, False)):
                place = self._place[forces.hex[units]]
                row, lane = (place >= 0).nonzero()
                ours[place[row, lane], lane] = has
            self._place[hexes] = NONE

    def assigned(self, unit: int, lanes: Ids) -> NDArray[np.int64]:
        """The hex of its goal for which an infantry unit goes, NONE where the side has them all, shape (k,):
        the n-th of its order for the n-th that is missing."""
        goal = int(self.tasks.goal[unit])
        if goal not in self._order:
            ours = self.ours[goal]
            self._order[goal] = ours.argsort(axis=0, kind="stable"), (~ours).sum(axis=0)
        order, missing = self._order[goal]
        mates = (self.tasks.goal == goal) & (self.forces.arm == INFANTRY)
        rank = int(mates[:unit].sum())
        chosen = order[rank % np.maximum(missing[lanes], 1), lanes]
        return np.where(missing[lanes] > 0, self.hexes[goal][chosen], NONE)
