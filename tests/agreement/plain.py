"""The obvious geometry that the kernels are held against: sight, zones, retreats, the steps of a charge, told
for one unit in one position.

Plain functions of plain values, slow, and nothing remembered. A `Situation` is what the map shows of one
lane.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sim.board.hexmap import Hex, HexMap, direction_to, distance, neighbour
from sim.rulesets.rulebook import PROHIBITED, Rulebook
from sim.vocabulary import (
    ARTILLERY,
    CAVALRY,
    FLANK,
    FRONT,
    GONE,
    INFANTRY,
    LIMBERED,
    REAR,
    ROUTED,
    SKIRMISH,
    SQUARE,
)

HOMES = (3, 0)
"""Home direction of the charger's and of the target's side."""

NO_HEX: Hex = (10_000, 10_000)


@dataclass(frozen=True, eq=False)
class Ground:
    """What does not change in a batch: the map, costs, and who is who.

    Attributes
    ----------
    sides, arms, kinds
        By unit: 0 charger's or 1 target's side; `vocabulary.Arm`; `vocabulary.Kind`.
    """

    map: HexMap
    book: Rulebook
    sides: tuple[int, ...]
    arms: tuple[int, ...]
    kinds: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "zones", self.book.zones.tolist())
        terrain, hexsides = self.book.blocks.terrain.rows, self.book.blocks.hexsides.rows
        object.__setattr__(self, "no_charge", {name for name, one in terrain.items() if not one.charge})
        object.__setattr__(self, "no_charge_side", {name for name, one in hexsides.items() if not one.charge})
        object.__setattr__(self, "opaque", {name for name, one in terrain.items() if one.blocks})

    zones: Any = field(init=False, default=None)
    no_charge: Any = field(init=False, default=None)
    no_charge_side: Any = field(init=False, default=None)
    opaque: Any = field(init=False, default=None)

    def terrain(self, at: Hex) -> str:
        """The terrain of a hex."""
        return self.map.terrain.get(at, "clear")

    def cost(self, arm: int, start: Hex, direction: int) -> int:
        """Points for an arm to enter the hex in a direction, hexside included."""
        to = neighbour(start, direction)
        points = self.book.terrain_costs[self.terrain(to)][arm]
        side = self.map.hexsides.get((start, direction))
        return points + (self.book.hexside_costs[side][arm] if side else 0)


@dataclass(frozen=True, eq=False)
class Situation:
    """Where every unit is, in one lane.

    Attributes
    ----------
    hexes, facings, formations, states, sheltered, unmanned
        By unit; a unit that is gone stands at `NO_HEX`; sheltered units lie at the bottom of their hex;
        unmanned guns were abandoned.
    seconds
        By unit: the other hex of a unit in two hexes, else `NO_HEX`.
    """

    ground: Ground
    hexes: tuple[Hex, ...]
    facings: tuple[int, ...]
    formations: tuple[int, ...]
    states: tuple[int, ...]
    sheltered: tuple[int, ...]
    unmanned: tuple[int, ...]
    seconds: tuple[Hex, ...]

    def hexes_of(self, unit: int) -> tuple[Hex, ...]:
        """The hexes of a unit: its own, and the other of two."""
        other = self.seconds[unit]
        return (self.hexes[unit],) if other == NO_HEX else (self.hexes[unit], other)

    def nearer(self, unit: int, at: Hex) -> Hex:
        """That hex of a unit which is nearer to another, its own if both are as near."""
        return min(self.hexes_of(unit), key=lambda one: distance(one, at))

    def gap(self, unit: int, at: Hex) -> int:
        """Hexes from a unit to a hex."""
        return distance(self.nearer(unit, at), at)

    def enemies(self, side: int) -> list[int]:
        """Units of the other side that are not gone."""
        return [u for u, s in enumerate(self.ground.sides) if s != side and self.states[u] != GONE]

    def bearer(self, unit: int) -> int:
        """The unit whose orientation counts: guns stacked with infantry take that of the top unit."""
        if self.ground.arms[unit] != ARTILLERY:
            return unit
        top = self.top_of(unit)
        return top if self.ground.arms[top] == INFANTRY else unit

    def top_of(self, unit: int) -> int:
        """The top unit of a unit's side in its hex."""
        here, side = self.hexes[unit], self.ground.sides[unit]
        units = range(len(self.hexes))
        mates = [u for u in units if here in self.hexes_of(u) and self.ground.sides[u] == side]
        return min(mates, key=lambda u: (self.sheltered[u], u))

    def zone_of_side(self, unit: int, side: int, at: Hex | None = None) -> int:
        """Front, flank or rear: the zone of a hexside of one of a unit's hexes, its own by default."""
        bearer, side = self.bearer(unit), side % 6
        zones = self.ground.zones[self.ground.kinds[bearer]][self.formations[bearer]]
        zone = int(zones[self.facings[bearer]][side])
        hexes = self.hexes_of(bearer)
        if zone == FLANK and self.formations[bearer] == SKIRMISH and len(hexes) == 2:
            here = at or self.hexes[unit]
            (other,) = (one for one in hexes if one != here)
            if distance(neighbour(here, side), other) == 1:
                return REAR
        return zone

    def zone_beside(self, unit: int, at: Hex) -> int:
        """The zone toward a hex next to a unit, -1 where it is not, or in one of its hexes."""
        hexes = self.hexes_of(unit)
        found = {
            self.zone_of_side(unit, direction_to(one, at), one) for one in hexes if distance(one, at) == 1
        }
        if at in hexes or not found:
            return -1
        assert len(found) == 1
        return found.pop()

    def zone_along(self, unit: int, at: Hex, hex_: Hex | None = None) -> int:
        """The zone of the side by which the line from a hex comes in, -1 in its own hex; on a corner a flank
        only if both are, else the front if one is it."""
        here = self.nearer(unit, at) if hex_ is None else hex_
        if here == at:
            return -1
        sides = [direction_to(here, _line(here, at, nudge)[1]) for nudge in (1e-6, -1e-6)]
        zones = {self.zone_of_side(unit, side, here) for side in sides}
        return min(zones - {FLANK} or zones)

    def zone_holds(self, unit: int, at: Hex) -> bool:
        """Whether a hex next to a unit lies across one of its front sides, whatever its state."""
        here = self.hexes[unit]
        return (
            distance(here, at) == 1
            and not self.unmanned[unit]
            and self.zone_of_side(unit, direction_to(here, at)) == FRONT
        )

    def zone_hexes(self, unit: int) -> list[Hex]:
        """The hexes in a unit's zone of influence."""
        if self.states[unit] >= ROUTED or self.unmanned[unit] or self.formations[self.bearer(unit)] == SQUARE:
            return []
        hexes = self.hexes_of(unit)
        beside = dict.fromkeys(neighbour(here, side) for here in hexes for side in range(6))
        return [at for at in beside if self.zone_beside(unit, at) == FRONT]

    def opaque(self, at: Hex) -> bool:
        """Whether a hex blocks sight."""
        if self.ground.terrain(at) in self.ground.opaque:
            return True
        units = range(len(self.hexes))
        return any(at in self.hexes_of(u) and self.formations[u] != SKIRMISH for u in units)

    def sees(self, a: Hex, b: Hex) -> bool:
        """Sight between two hexes (A8 as recommended; rule 23)."""
        n = distance(a, b)
        if n <= 1:
            return True
        plus, minus = _line(a, b, 1e-6), _line(a, b, -1e-6)
        if any(
            self.opaque(one) and (one == other or self.opaque(other))
            for one, other in zip(plus[1:-1], minus[1:-1], strict=True)
        ):
            return False
        if not self.ground.book.blocks.sight.slopes_block:
            return True
        inner = itertools.pairwise(plus[1:-1])
        return not any(
            distance(one, other) == 1
            and self.ground.map.hexsides.get((one, direction_to(one, other))) == "slope"
            for one, other in inner
        )

    def front_to(self, unit: int, at: Hex, here: Hex) -> bool:
        """Whether the line to a hex leaves one of a unit's hexes through a front side; on a corner either
        will do."""
        if here == at:
            return True
        firsts = {_line(here, at, nudge)[1] for nudge in (1e-6, -1e-6)} - set(self.hexes_of(unit))
        return any(self.zone_of_side(unit, direction_to(here, first), here) == FRONT for first in firsts)

    def in_view(self, unit: int, at: Hex) -> bool:
        """Whether a unit sees a hex from one of its hexes, and through a front side."""
        return any(self.front_to(unit, at, here) and self.sees(here, at) for here in self.hexes_of(unit))


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


_HOME_TURNS = tuple(tuple(_turn(home, d) for d in range(6)) for home in HOMES)
"""The turn from each side's home direction to each direction."""


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
        Hexes left that lie in an enemy zone: the first one, and further ones that hold no friend.
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


def retreat(
    situation: Situation,
    group: tuple[int, ...],
    points: int,
    full: bool,
    flat: bool,
    reference_range: int,
    first: Hex | None = None,
) -> Move:
    """The path of disordered or routed units of one hex (rule 30; seed 004; 0-decisions 5.12).

    Parameters
    ----------
    group
        Units that leave together.
    points
        Movement points.
    full
        A rout: all points must be used, or the group surrenders. Otherwise as many steps as possible, one at
        least, at any price, or it stays.
    flat
        Every hex costs 1 whatever its terrain.
    reference_range
        Enemies within so many hexes must end farther off than they began.
    first
        The hex of the first step, if it is laid down and free; the rest of the path begins there.
    """
    return _Retreat(situation, group, points, full, flat, reference_range, first).find()


class _Retreat:
    def __init__(
        self,
        situation: Situation,
        group: tuple[int, ...],
        points: int,
        full: bool,
        flat: bool,
        reference_range: int,
        first: Hex | None,
    ) -> None:
        self.situation, self.group, self.points, self.full, self.flat = situation, group, points, full, flat
        ground = self.ground = situation.ground
        self.way = [situation.hexes[group[0]]]
        if first is not None:
            self.way.append(first)
            self.points -= 1
        self.start, self.side = self.way[-1], ground.sides[group[0]]
        self.arms = sorted({ground.arms[u] for u in group})
        self.foes = situation.enemies(self.side)
        self.foe_hexes = {at for u in self.foes for at in situation.hexes_of(u)}
        friends = [
            u
            for u, s in enumerate(ground.sides)
            if s == self.side and u not in group and situation.states[u] != GONE
        ]
        self.friends = {
            at: [w for w in friends if at in situation.hexes_of(w)]
            for u in friends
            for at in situation.hexes_of(u)
        }
        self.near_foes = [u for u in self.foes if situation.gap(u, self.start) <= reference_range]
        self.moved = first is not None
        self.dead: set[tuple[Hex, int, int, bool]] = set()
        self.zones: Counter[Hex] = Counter()
        self.horse_zones: set[Hex] = set()
        self.shared: set[Hex] = set()
        for u in self.foes:
            held = situation.zone_hexes(u)
            self.zones.update(held)
            if held:
                self.shared.update(situation.hexes_of(u))
            if ground.arms[u] == CAVALRY:
                self.horse_zones.update(held)
        self.merits: dict[Hex, tuple[int, int, int]] = {}

    def merit(self, at: Hex) -> tuple[int, int, int]:
        """Minus the distance to the nearest enemy, minus the distances to those within the reference range,
        and the enemy zones: less is better."""
        if at not in self.merits:
            near = min((distance(at, e) for e in self.foe_hexes), default=999)
            away = sum(distance(at, self.situation.hexes[u]) for u in self.near_foes)
            self.merits[at] = (-near, -away, self.zones[at])
        return self.merits[at]

    def cost(self, at: Hex, direction: int) -> int:
        """Points for a step: the dearest of the group's arms."""
        costs = max(self.ground.cost(arm, at, direction) for arm in self.arms)
        return 1 if self.flat and costs < PROHIBITED else costs

    def find(self) -> Move:
        if self.points <= 0:
            return self._report(self.way)
        if not self.foe_hexes:
            return self._report(self.way + self._home())
        for steps, points in self._ways():
            for clear_of_friends in (True, False) if self.friends else (False,):
                path = self._search(self.start, points, steps, clear_of_friends)
                if path is not None:
                    return self._report(self.way + path)
        if self.full:
            return Move(self.way[0], surrendered=True)
        return self._report(self.way)

    def _ways(self) -> Iterator[tuple[int, int]]:
        """Numbers of steps and points of a path, the best first: as many hexes as possible, then as cheap as
        possible, one hex at any price."""
        dearest = self._dearest()
        for steps in range(self.points, 0, -1):
            for points in range(self.points if self.full else steps, self.points + 1):
                if points <= steps * dearest:
                    yield steps, points
        if not self.full and not self.moved:
            for points in range(self.points + 1, dearest + 1):
                yield 1, points

    def _dearest(self) -> int:
        """No step on this map costs more."""
        if self.flat:
            return 1
        book, map_ = self.ground.book, self.ground.map
        hexes = [book.terrain_costs[name] for name in {"clear", *map_.terrain.values()}]
        sides = [book.hexside_costs[name] for name in set(map_.hexsides.values())]
        return sum(
            max((cost for costs in one for cost in costs if cost < PROHIBITED), default=0)
            for one in (hexes, sides)
        )

    def _home(self) -> list[Hex]:
        path, at, left = [], self.start, self.points
        home = HOMES[self.side]
        while left > 0:
            cost = self.cost(at, home)
            if cost > left or not self.ground.map.holds(neighbour(at, home)):
                break
            at = neighbour(at, home)
            path.append(at)
            left -= cost
        return path

    def _steps(self, at: Hex, left: int) -> list[tuple[Hex, int]]:
        ranked = []
        near = self.merit(at)[0]
        for d, turn in enumerate(_HOME_TURNS[self.side]):
            to = neighbour(at, d)
            if to in self.foe_hexes or not self.ground.map.holds(to):
                continue
            cost = self.cost(at, d)
            if cost > left:
                continue
            merit = self.merit(to)
            if merit[0] <= near:
                ranked.append((cost, to in self.friends, merit, turn, to))
        ranked.sort()
        return [(to, cost) for cost, _, _, _, to in ranked]

    def _search(self, at: Hex, left: int, steps: int, clear_of_friends: bool) -> list[Hex] | None:
        """Depth first: so many more steps for just the points left."""
        if steps == 0:
            return [] if left == 0 and self._good_end(at) else None
        if left >= steps and (at, left, steps, clear_of_friends) not in self.dead:
            for to, cost in self._steps(at, left):
                if clear_of_friends and to in self.friends:
                    continue
                path = self._search(to, left - cost, steps - 1, clear_of_friends)
                if path is not None:
                    return [to, *path]
            self.dead.add((at, left, steps, clear_of_friends))
        return None

    def _good_end(self, at: Hex) -> bool:
        if at in self.friends:
            return False
        gap = self.situation.gap
        return all(gap(u, at) > gap(u, self.start) for u in self.near_foes)

    def _report(self, path: list[Hex]) -> Move:
        if len(path) == 1:
            return Move(self.start)
        # a hex shared with an enemy who has a zone (cavalry on a square) is in it
        held = [here for here in path[:-1] if self.zones[here] or here in self.shared]
        left = [
            here
            for here in held
            if here == path[0] or all(self.situation.unmanned[u] for u in self.friends.get(here, ()))
        ]
        entered = any(to in self.horse_zones for to in path[1:])
        passed = tuple(u for to in path[1:-1] for u in self.friends.get(to, ()))
        return Move(path[-1], direction_to(path[-2], path[-1]), False, len(left), entered, passed)


def open_ground(ground: Ground, start: Hex, direction: int) -> bool:
    """Whether the next hex in a direction, and the hexside before it, are open to charges (rule 38; D4.4)."""
    to = neighbour(start, direction)
    if not ground.map.holds(to) or ground.terrain(to) in ground.no_charge:
        return False
    return ground.map.hexsides.get((start, direction)) not in ground.no_charge_side


def passable(situation: Situation, charger: tuple[int, ...], start: Hex, direction: int) -> bool:
    """Whether a charge may enter the next hex in a direction (rules 16, 38): open ground, and no unit but
    friends it may pass."""
    ground = situation.ground
    to = neighbour(start, direction)
    if not open_ground(ground, start, direction):
        return False
    side = ground.sides[charger[0]]
    for u in range(len(situation.hexes)):
        if to not in situation.hexes_of(u) or u in charger:
            continue
        friend = ground.sides[u] == side
        open_ranks = situation.formations[u] in (SKIRMISH, SQUARE, LIMBERED) or ground.arms[u] == CAVALRY
        if not (friend and open_ranks):
            return False
    return True


ALL_TURNS = (0, 1, -1, 2, -2, 3)
"""Turns before a step, in hexsides, clockwise +: the smallest first, right before left."""


def seek(
    situation: Situation,
    charger: tuple[int, ...],
    direction: int,
    goal: Hex,
    turns: tuple[int, ...],
    start: Hex | None = None,
) -> int | None:
    """The turn of the next step toward a hex, or None if there is none.

    The first of the allowed turns whose hex may be entered and is nearer to the goal; from the charger's own
    hex, or as if it stood at `start`.
    """
    here = situation.hexes[charger[0]] if start is None else start

    for turn in turns:
        d = (direction + turn) % 6
        if distance(neighbour(here, d), goal) < distance(here, goal) and passable(
            situation, charger, here, d
        ):
            return turn
    return None


def free_step(situation: Situation, unit: int, reference_range: int) -> Hex | None:
    """The free hex next to a unit that the retreat preference likes best, whatever the distances to
    enemies."""
    ground = situation.ground
    start, side, arm = situation.hexes[unit], ground.sides[unit], ground.arms[unit]
    foes = situation.enemies(side)
    ranked = []
    near_foes = [situation.hexes[u] for u in foes if situation.gap(u, start) <= reference_range]
    for d in range(6):
        to = neighbour(start, d)
        cost = ground.cost(arm, start, d)
        if not ground.map.holds(to) or cost >= PROHIBITED or to in situation.hexes + situation.seconds:
            continue
        near = min((situation.gap(u, to) for u in foes), default=999)
        away = sum(distance(to, e) for e in near_foes)
        zones = sum(to in situation.zone_hexes(u) for u in foes)
        ranked.append((cost, -near, -away, zones, _turn(HOMES[side], d), to))
    return min(ranked)[-1] if ranked else None
