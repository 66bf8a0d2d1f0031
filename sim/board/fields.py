"""Fields over a whole map: the cost to go to places, and the distance to them. Worked out once a battle.

Arrays have shape (hexes,), one element a hex, unless a docstring says otherwise.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from sim.board.hexmap import HexMap
from sim.board.kernel import helper, kernel
from sim.board.tables import Board, Bools, Ints, Longs
from sim.rulesets.rulebook import PROHIBITED

FAR = int(np.iinfo(np.int16).max)
"""In a field of costs: there is no way."""
BARRED = 2 * PROHIBITED
"""Half points of a step that may not be made, or more."""


def cost_to_go(board: Board, steps: Ints, goals: NDArray[np.integer]) -> Ints:
    """Half points from each hex to the nearest of the goals.

    Parameters
    ----------
    steps
        Half points of the step in each direction, BARRED or more where there is none, shape (hexes, 6).
    goals
        Numbers of hexes, shape (goals,).

    Returns
    -------
    int16, shape (hexes,), `off` at the end; `FAR` where there is no way.
    """
    before: list[list[tuple[int, int]]] = [[] for _ in range(board.off + 1)]
    neighbours, costs = board.neighbour.tolist(), steps.tolist()
    for here in range(board.off):
        for to, halves in zip(neighbours[here], costs[here], strict=True):
            if to != board.off and halves < BARRED:
                before[to].append((halves, here))
    cost = [FAR] * (board.off + 1)
    pending = [(0, int(goal)) for goal in goals if goal != board.off]
    for _, goal in pending:
        cost[goal] = 0
    heapify(pending)
    while pending:
        far, to = heappop(pending)
        if far > cost[to]:
            continue
        for step, here in before[to]:
            if far + step < cost[here]:
                cost[here] = far + step
                heappush(pending, (far + step, here))
    return np.array(cost, np.int16)


@helper
def relax(neighbour: Ints, steps: Ints, pending: Longs, count: int, cost: Ints, k: int) -> None:
    """Lower the costs of row k from the first `count` pending hexes on, until nothing can be lowered."""
    hexes, first = neighbour.shape[0], 0
    while count > 0:
        to = pending[0, first]
        first, count = (first + 1) % hexes, count - 1
        pending[1, to] = 0
        for d in range(6):
            here = neighbour[to, (d + 3) % 6]
            if here == hexes - 1 or steps[here, d] >= BARRED:
                continue
            far = int(cost[k, to]) + int(steps[here, d])
            if far < cost[k, here]:
                cost[k, here] = far
                if pending[1, here] == 0:
                    pending[1, here], pending[0, (first + count) % hexes] = 1, here
                    count += 1


@kernel
def ways_to(neighbour: Ints, steps: Ints, goals: Bools, pending: Longs, cost: Ints) -> None:
    """Half points from each hex to the nearest of some goals, as `cost_to_go` gives them.

    Parameters
    ----------
    neighbour, steps
        The hex in each direction, and half points of the step, shape (hexes, 6).
    goals
        Each place as flags, shape (k, hexes).
    pending
        Room for the work, shape (2, hexes): hexes whose neighbours are still to be looked at, and whether a
        hex is among them.
    cost
        Shape (k, hexes).
    """
    hexes = neighbour.shape[0]
    for k in range(cost.shape[0]):
        count = 0
        for at in range(hexes):
            goal = goals[k, at] and at != hexes - 1
            cost[k, at], pending[1, at] = 0 if goal else FAR, 1 if goal else 0
            if goal:
                pending[0, count] = at
                count += 1
        relax(neighbour, steps, pending, count, cost, k)


@kernel
def follow_roads(neighbour: Ints, steps: Ints, road: Bools, defile: Bools, cost: Ints, follow: Bools) -> None:
    """Where a cheapest way leads along a road into a defile, at once or after other steps along the road.

    Parameters
    ----------
    neighbour, steps, road
        The hex in each direction, half points of the step, and whether it is along a road, shape (hexes, 6).
    defile
        Shape (hexes,).
    cost
        Half points to a goal each, shape (k, hexes).
    follow
        Shape (k, hexes); given as false.
    """
    hexes = neighbour.shape[0]
    for k in range(cost.shape[0]):
        changed = True
        while changed:
            changed = False
            for here in range(hexes - 1):
                if follow[k, here] or cost[k, here] == FAR or cost[k, here] == 0:
                    continue
                for d in range(6):
                    to = neighbour[here, d]
                    if (
                        to != hexes - 1
                        and road[here, d]
                        and (defile[to] or follow[k, to])
                        and int(cost[k, to]) + int(steps[here, d]) == cost[k, here]
                    ):
                        follow[k, here], changed = True, True


def distance_to(map_: HexMap, goals: NDArray[np.integer]) -> Ints:
    """Hexes from each hex to the nearest of the goals, shape (hexes,); 999 from `off`, or to nothing."""
    everywhere = np.arange(map_.off + 1)
    found = np.full(map_.off + 1, 999, np.int16)
    for goal in goals:
        found = np.minimum(found, map_.distances(everywhere, np.full_like(everywhere, goal))).astype(np.int16)
    return found
