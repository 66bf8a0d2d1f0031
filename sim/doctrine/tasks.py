"""What each unit of a side is told to do in a turn, by the scenario's orders.

Arrays have shape (units,).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim.board.hexmap import HexMap
from sim.doctrine.ways import Ways
from sim.units.battlefields import ORDERS
from sim.units.battles import Order, Scenario
from sim.units.forces import Forces
from sim.vocabulary import ARMS, INFANTRY

TAKE, HOLD, EXIT, RESERVE, SCREEN = range(len(ORDERS))
NO_WAY = -1
NEVER = 10_000


class Tasks:
    """The orders of one turn after the other. Who has none holds where he stands.

    Parameters
    ----------
    orders
        Of the scenario; of several that hold for a unit the first counts.
    arms
        Of the units.
    home
        The direction in which the side goes home.
    turns
        How many the battle has.

    Attributes
    ----------
    kind
        TAKE, HOLD, EXIT, RESERVE or SCREEN.
    last
        The last turn of the order, or of the battle.
    way, road
        Rows that lead to the goal across country and, for infantry, by road only; `NO_WAY` without a goal.
    goal
        Number of the goal among `goals`, -1 without one.
    rear
        Rows that lead each arm to the edge of the map at home, shape (arms,).
    goals
        Hexes of each goal as flags, shape (goals, hexes); the last has none.
    """

    def __init__(
        self,
        orders: Sequence[Order],
        arms: NDArray[np.integer],
        map_: HexMap,
        ways: Ways,
        home: int,
        turns: int = NEVER,
    ) -> None:
        self.orders, self.arms, self.ways = tuple(orders), arms, ways
        self._hexes = [tuple(map_.numbers(order.hexes).tolist()) for order in self.orders]
        self.goals = np.zeros((len(self.orders) + 1, map_.off + 1), np.bool_)
        for number, hexes in enumerate(self._hexes):
            self.goals[number, list(hexes)] = True
        edge = np.flatnonzero(ways.board.neighbour[:-1, home] == ways.board.off)
        self.rear = np.array([ways.to_place(arm, edge.tolist()) for arm in range(len(ARMS))])
        self.turns, self.last = turns, np.full(len(arms), turns)
        self.kind = np.full(len(arms), HOLD)
        self.way, self.road, self.goal = (np.full(len(arms), NO_WAY) for _ in range(3))

    @staticmethod
    def of(scenario: Scenario, side: int, forces: Forces, ways: Ways) -> Tasks:
        """Those of one side of a scenario."""
        orders = [one for one in scenario.orders if one.units and scenario.side_of[one.units[0]] == side]
        return Tasks(orders, forces.arm, forces.map, ways, scenario.sides[side].home, scenario.calendar.turns)

    def begin_turn(self, turn: int) -> None:
        """Those orders count that are given for a turn."""
        self.kind[:], self.last[:] = HOLD, self.turns
        self.way[:] = self.road[:] = self.goal[:] = NO_WAY
        told = np.zeros(len(self.arms), np.bool_)
        for number, order in enumerate(self.orders):
            if turn < order.begins or (order.ends is not None and turn > order.ends):
                continue
            for unit in order.units:
                if not told[unit]:
                    told[unit] = True
                    self._give(unit, ORDERS.index(order.kind), number)

    def _give(self, unit: int, kind: int, number: int) -> None:
        self.kind[unit] = kind
        ends = self.orders[number].ends
        self.last[unit] = self.turns if ends is None else ends
        hexes, arm = self._hexes[number], int(self.arms[unit])
        if not hexes:
            return
        self.goal[unit] = number
        self.way[unit] = self.ways.to_place(arm, hexes)
        if arm == INFANTRY:
            self.road[unit] = self.ways.to_place(arm, hexes, by_road=True)
