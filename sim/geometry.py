"""Geometry told for one unit in one situation: sight, zones, retreats, the steps of a charge.

Plain functions of plain values: no dice, no charts, no writes. A `Situation` is what the map shows of one lane. Results
are remembered by situation: in a charge a few dozen situations serve all lanes of all batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.hexmap import DIRECTIONS, Hex, HexMap, direction_to, distance, neighbour
from sim.rulebook import FRONT, PROHIBITED, Rulebook
from sim.scenarios import FORMATIONS

GOOD, DISORDERED, ROUTED, GONE = range(4)
COLUMN, LINE, SQUARE, SKIRMISH, GENERAL, MASSE, ROAD, LIMBERED, UNLIMBERED = range(len(FORMATIONS))
CAVALRY = 1
"""Index of cavalry in `ARMS`."""

HOMES = (3, 0)
"""Home direction of the charger's and of the target's side."""

NO_HEX: Hex = (10_000, 10_000)


@dataclass(frozen=True, eq=False)
class Ground:
    """What does not change in a batch: the map, costs, and who is who.

    Attributes
    ----------
    sides, arms, kinds
        By unit: 0 charger's or 1 target's side; index in `ARMS`; index in `rulebook.KINDS`.
    """

    map: HexMap
    book: Rulebook
    sides: tuple[int, ...]
    arms: tuple[int, ...]
    kinds: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "zones", self.book.zones.tolist())
        object.__setattr__(self, "memory", {})
        terrain, hexsides = self.book.data["terrain"], self.book.data["hexsides"]
        object.__setattr__(self, "no_charge", {name for name, one in terrain.items() if isinstance(one, dict) and not one["charge"]})
        object.__setattr__(self, "no_charge_side", {name for name, one in hexsides.items() if isinstance(one, dict) and not one["charge"]})
        object.__setattr__(self, "opaque", {name for name, one in terrain.items() if isinstance(one, dict) and one["blocks"]})

    zones: Any = None
    memory: Any = None
    no_charge: Any = None
    no_charge_side: Any = None
    opaque: Any = None

    def cost(self, arm: int, start: Hex, direction: int) -> int:
        """Points for an arm to enter the hex in a direction, hexside included."""
        to = neighbour(start, direction)
        points = self.book.terrain_costs[self.map.terrain.get(to, "clear")][arm]
        side = self.map.hexsides.get((start, direction))
        return points + (self.book.hexside_costs[side][arm] if side else 0)


@dataclass(frozen=True, eq=False)
class Situation:
    """Where every unit is, in one lane.

    Attributes
    ----------
    hexes, facings, formations, states
        By unit; a unit that is gone stands at `NO_HEX`.
    """

    ground: Ground
    key: bytes
    hexes: tuple[Hex, ...]
    facings: tuple[int, ...]
    formations: tuple[int, ...]
    states: tuple[int, ...]

    def remember(self, name: str, arguments: tuple[Any, ...], work: Callable[[], Any]) -> Any:
        """The result of `work`, computed once for this situation and these arguments."""
        place = (self.key, name, arguments)
        memory: dict[Any, Any] = self.ground.memory
        if place not in memory:
            if len(memory) > 200_000:
                memory.clear()
            memory[place] = work()
        return memory[place]

    def enemies(self, side: int) -> list[int]:
        """Units of the other side that are not gone."""
        return [u for u, s in enumerate(self.ground.sides) if s != side and self.states[u] != GONE]

    def zone_of_side(self, unit: int, side: int) -> int:
        """Front, flank or rear: the zone of one of a unit's hexsides."""
        return int(self.ground.zones[self.ground.kinds[unit]][self.formations[unit]][self.facings[unit]][side % 6])

    def zone_holds(self, unit: int, at: Hex) -> bool:
        """Whether a hex next to a unit lies across one of its front sides, whatever its state."""
        here = self.hexes[unit]
        return distance(here, at) == 1 and self.zone_of_side(unit, direction_to(here, at)) == FRONT

    def influences(self, unit: int, at: Hex) -> bool:
        """Whether a hex is in a unit's zone of influence (squares, routed and gone units have none)."""
        return self.states[unit] < ROUTED and self.formations[unit] != SQUARE and self.zone_holds(unit, at)

    def opaque(self, at: Hex) -> bool:
        """Whether a hex blocks sight."""
        if self.ground.map.terrain.get(at, "clear") in self.ground.opaque:
            return True
        return any(here == at and self.formations[u] != SKIRMISH for u, here in enumerate(self.hexes))

    def sees(self, a: Hex, b: Hex) -> bool:
        """Sight between two hexes (A8 as recommended; rule 23)."""
        n = distance(a, b)
        if n <= 1:
            return True
        plus, minus = _line(a, b, 1e-6), _line(a, b, -1e-6)
        if any(self.opaque(one) and (one == other or self.opaque(other)) for one, other in zip(plus[1:-1], minus[1:-1], strict=True)):
            return False
        if not self.ground.book.data["sight"]["slopes_block"]:
            return True
        inner = zip(plus[1:-2], plus[2:-1], strict=True)
        return not any(
            distance(one, other) == 1 and self.ground.map.hexsides.get((one, direction_to(one, other))) == "slope" for one, other in inner
        )

    def front_to(self, unit: int, at: Hex) -> bool:
        """Whether the line to a hex leaves a unit's hex through a front side; on a corner either side will do."""
        here = self.hexes[unit]
        if here == at:
            return True
        firsts = {_line(here, at, nudge)[1] for nudge in (1e-6, -1e-6)}
        return any(self.zone_of_side(unit, direction_to(here, first)) == FRONT for first in firsts)


def _line(a: Hex, b: Hex, nudge: float) -> list[Hex]:
    n = distance(a, b)
    found = []
    for i in range(n + 1):
        t = i / n
        q = (a[0] + nudge) + (b[0] - a[0]) * t
        r = (a[1] + 2 * nudge) + (b[1] - a[1]) * t
        s = (-a[0] - a[1] - 3 * nudge) + (a[0] + a[1] - b[0] - b[1]) * t
        rq, rr, rs = round(q), round(r), round(s)
        dq, dr, ds = abs(rq - q), abs(rr - r), abs(rs - s)
        if dq > dr and dq > ds:
            rq = -rr - rs
        elif dr > ds:
            rr = -rq - rs
        found.append((rq, rr))
    return found


def _turn(start: int, to: int) -> tuple[int, int]:
    """Size of the turn between two directions, and 0 for a right (clockwise) or no turn, 1 for a left one."""
    right = (to - start) % 6
    return (right, 0) if right <= 3 else (6 - right, 1)


@dataclass(frozen=True)
class Move:
    """How a retreat or rout ends.

    Attributes
    ----------
    end, direction
        Where, and the direction of the last step (None if it did not move).
    surrendered
        A rout that could not be completed.
    zone_hexes
        Hexes left that lie in an enemy zone and hold no friend.
    cavalry_zone
        Whether it entered a hex in an enemy cavalry zone.
    passed
        Friends whose hexes it passed through.
    """

    end: Hex
    direction: int | None = None
    surrendered: bool = False
    zone_hexes: int = 0
    cavalry_zone: bool = False
    passed: tuple[int, ...] = ()


def retreat(situation: Situation, group: tuple[int, ...], points: int, full: bool, flat: bool, horizon: int, first: Hex | None = None) -> Move:
    """The path of disordered or routed units of one hex (rule 30; seed 004; 0-decisions 5.12).

    Parameters
    ----------
    group
        Units that leave together.
    points
        Movement points.
    full
        A rout: all points must be used, or the group surrenders. Otherwise as far as possible, at least one hex, or it stays.
    flat
        Every hex costs 1 whatever its terrain.
    horizon
        Enemies within so many hexes must end farther off than they began.
    first
        The hex of the first step, if it is laid down and free.
    """
    arguments = (group, points, full, flat, horizon, first)
    found: Move = situation.remember("retreat", arguments, lambda: _Retreat(situation, *arguments).find())
    return found


class _Retreat:
    def __init__(self, situation: Situation, group: tuple[int, ...], points: int, full: bool, flat: bool, horizon: int, first: Hex | None) -> None:
        self.situation, self.group, self.points, self.full, self.flat = situation, group, points, full, flat
        ground = self.ground = situation.ground
        lead = group[0]
        self.start, self.side, self.arm = situation.hexes[lead], ground.sides[lead], ground.arms[lead]
        self.foes = situation.enemies(self.side)
        self.foe_hexes = {situation.hexes[u] for u in self.foes}
        friends = [u for u, s in enumerate(ground.sides) if s == self.side and u not in group and situation.states[u] != GONE]
        self.friends = {situation.hexes[u]: [w for w in friends if situation.hexes[w] == situation.hexes[u]] for u in friends}
        self.near_foes = [e for e in sorted(self.foe_hexes) if distance(e, self.start) <= horizon]
        self.first = first

    def near(self, at: Hex) -> int:
        return min((distance(at, e) for e in self.foe_hexes), default=999)

    def find(self) -> Move:
        if not self.foe_hexes:
            return self._home()
        budgets = [self.points] if self.full else range(self.points, 0, -1)
        for budget in budgets:
            path = self._search(self.start, budget, set(), True)
            if path is not None:
                return self._report([self.start, *path])
        return Move(self.start, surrendered=self.full)

    def _home(self) -> Move:
        path, left = [self.start], self.points
        home = HOMES[self.side]
        while left > 0:
            cost = 1 if self.flat else self.ground.cost(self.arm, path[-1], home)
            if cost > left or not self.ground.map.holds(neighbour(path[-1], home)):
                break
            path.append(neighbour(path[-1], home))
            left -= cost
        return self._report(path)

    def _steps(self, at: Hex, left: int) -> Iterator[tuple[Hex, int]]:
        ranked = []
        near = self.near(at)
        for d in range(6):
            to = neighbour(at, d)
            cost = self.ground.cost(self.arm, at, d)
            if not self.ground.map.holds(to) or cost >= PROHIBITED or to in self.foe_hexes:
                continue
            cost = 1 if self.flat else cost
            beyond = self.near(to)
            if cost > left or beyond < near:
                continue
            away = sum(distance(to, e) for e in self.near_foes)
            zones = sum(self.situation.influences(u, to) for u in self.foes)
            ranked.append((to in self.friends, cost, -beyond, -away, zones, _turn(HOMES[self.side], d), to))
        for _, cost, *_, to in sorted(ranked):
            yield to, cost

    def _search(self, at: Hex, left: int, dead: set[tuple[Hex, int]], at_start: bool) -> list[Hex] | None:
        if left < 1:
            return [] if self._good_end(at) else None
        if (at, left) in dead:
            return None
        steps = list(self._steps(at, left))
        if at_start and self.first is not None and any(to == self.first for to, _ in steps):
            steps = [(to, cost) for to, cost in steps if to == self.first]
        for to, cost in steps:
            path = self._search(to, left - cost, dead, False)
            if path is not None:
                return [to, *path]
        if not at_start and not steps and self._good_end(at) and self._spent_up(at, left):
            return []
        dead.add((at, left))
        return None

    def _spent_up(self, at: Hex, left: int) -> bool:
        """Whether the points left pay for no step at all, so that the move is complete."""
        costs = [1 if self.flat else self.ground.cost(self.arm, at, d) for d in range(6)]
        return left < min(costs)

    def _good_end(self, at: Hex) -> bool:
        if at == self.start or at in self.friends:
            return False
        return all(distance(at, e) > distance(self.start, e) for e in self.near_foes)

    def _report(self, path: list[Hex]) -> Move:
        if len(path) == 1:
            return Move(self.start)
        left = [here for here in path[:-1] if here not in self.friends and any(self.situation.influences(u, here) for u in self.foes)]
        horse = [u for u in self.foes if self.ground.arms[u] == CAVALRY]
        entered = any(self.situation.influences(u, to) for u in horse for to in path[1:])
        passed = tuple(u for to in path[1:-1] for u in self.friends.get(to, ()))
        return Move(path[-1], direction_to(path[-2], path[-1]), False, len(left), entered, passed)


def passable(situation: Situation, charger: tuple[int, ...], start: Hex, direction: int) -> bool:
    """Whether a charge may enter the next hex in a direction (rules 16, 38): open ground, and no unit but friends it may pass."""
    ground = situation.ground
    to = neighbour(start, direction)
    if not ground.map.holds(to) or ground.map.terrain.get(to, "clear") in ground.no_charge:
        return False
    if ground.map.hexsides.get((start, direction)) in ground.no_charge_side:
        return False
    side = ground.sides[charger[0]]
    for u, here in enumerate(situation.hexes):
        if here != to or u in charger:
            continue
        friend = ground.sides[u] == side
        open_ranks = situation.formations[u] in (SKIRMISH, SQUARE, LIMBERED) or ground.arms[u] == CAVALRY
        if not (friend and open_ranks):
            return False
    return True


def seek(situation: Situation, charger: tuple[int, ...], direction: int, goal: Hex, cap: int) -> int | None:
    """The turn (hexsides, + clockwise) of the next step toward a hex, or None if there is none.

    Among directions within the cap whose hex may be entered and is nearer to the goal: the smallest turn, right before left.
    """

    def work() -> int | None:
        here = situation.hexes[charger[0]]
        for turn in (0, 1, -1, 2, -2, 3):
            d = (direction + turn) % 6
            nearer = distance(neighbour(here, d), goal) < distance(here, goal)
            if abs(turn) <= cap and nearer and passable(situation, charger, here, d):
                return turn
        return None

    found: int | None = situation.remember("seek", (charger, direction, goal, cap), work)
    return found


def free_step(situation: Situation, unit: int) -> Hex | None:
    """The free hex next to a unit that the retreat preference likes best, whatever the distances to enemies."""
    ground = situation.ground
    start, side, arm = situation.hexes[unit], ground.sides[unit], ground.arms[unit]
    foes = situation.enemies(side)
    ranked = []
    for d in range(6):
        to = neighbour(start, d)
        cost = ground.cost(arm, start, d)
        if not ground.map.holds(to) or cost >= PROHIBITED or to in situation.hexes:
            continue
        near = min((distance(to, situation.hexes[u]) for u in foes), default=999)
        zones = sum(situation.influences(u, to) for u in foes)
        ranked.append((cost, -near, zones, _turn(HOMES[side], d), to))
    return min(ranked)[-1] if ranked else None


def board_key(facts: NDArray[np.int16]) -> bytes:
    """The memory key of a lane's map facts, shape (rows,)."""
    return np.ascontiguousarray(facts).tobytes()


__all__ = ["DIRECTIONS", "Ground", "Move", "Situation", "free_step", "passable", "retreat", "seek"]
