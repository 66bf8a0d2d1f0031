"""What the battle asks of the board, for units in many lanes: sight, zones, steps of a charge, retreats.

The mode belongs to the batch, and comes with its dice. Where runs in one state share a lane, a batch begins
interpreted: each distinct position that it asks about is worked out once and remembered with its ground, by
all that a result depends on; a batch that would have to work out more than `MANY` goes over to compiled
kernels for good, and from then on only retreats are remembered. Where each run has a lane of its own kernels
are compiled at once and nothing is remembered. Results are the same to the last bit.

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sim.board import approach, march, sight
from sim.board.advance import Advance, Orders, advance, beset, new_advance
from sim.board.approach import Reach, Ways
from sim.board.contacts import Contacts, Gathering, contacts, gather, new_contacts
from sim.board.flight import retreat, runs_off
from sim.board.going import Going
from sim.board.hexmap import HexMap
from sim.board.kernel import Mode, fast_mode
from sim.board.pairs import Gunnery, Massing, facing_pairs, fire_pairs, settle_guns
from sim.board.room import crowded
from sim.board.storms import step_away, storm_pairs
from sim.board.tables import Board, Bools, Flight, Ints, Longs, March, Position, board_of, new_flight
from sim.ensemble.cases import Cases
from sim.ensemble.lanes import Ids
from sim.rulesets.rulebook import Rulebook

MANY = 20_000
"""Distinct positions that a batch works out before it goes over to compiled kernels: some twenty seconds of
work, which is what the first compilation takes. A charge hardly ever has so many."""

MOST_REMEMBERED = 20_000
"""Results of a kernel that are remembered on one ground."""

Numbers = NDArray[np.integer]
Work = Callable[[Mode, Position, Longs, Ints, Bools], Ints]
"""A kernel's results, int16, shape (height, k), from a mode, the position, lanes, its arguments, int16, shape
(arguments, k), and the units that move together, shape (units, k)."""


class Placed(Protocol):
    """A batch whose units stand on the map."""

    @property
    def map_rows(self) -> Ints:
        """The rows of a `Position`, one after the other, shape (7 * units, lanes); the same array until lanes
        split or merge."""


class Memory:
    """Results of one kernel by all that they depend on."""

    def __init__(self, height: int) -> None:
        self.numbers: dict[bytes, int] = {}
        self.results = np.zeros((64, height), np.int16)

    def add(self, keys: Sequence[bytes], found: Ints) -> None:
        """Remember results, shape (height, keys)."""
        first = len(self.numbers)
        while first + len(keys) > len(self.results):
            self.results = np.concatenate([self.results, np.zeros_like(self.results)])
        self.results[first : first + len(keys)] = found.T
        self.numbers.update(zip(keys, range(first, first + len(keys)), strict=True))


@lru_cache(maxsize=16)
def memories(map_: HexMap, book: Rulebook, *roster: tuple[int, ...]) -> dict[object, Memory]:
    """What is known of positions on one ground, by kernel; batches and sweeps of one charge share it."""
    return {}


@dataclass(frozen=True)
class Way:
    """How charges mean to go on from where they stand, as a `March` says it; shape (k,) or a number each,
    turns (steps, k).

    Attributes
    ----------
    goal
        A unit.
    change_to
        Formation taken in the second hex, -1 for none.
    made, planned
        The planned turn that comes next, and how many there are (0: it seeks).
    """

    goal: Numbers | int
    direction: Numbers | int
    left: Numbers | int
    steps: Numbers | int
    formation: Numbers | int
    change_to: Numbers | int
    rides: Bools | bool
    over_goal: Bools | bool
    cap: Numbers | int
    made: Numbers | int
    planned: Numbers | int
    turns: Numbers
    facing_cost: int
    formation_cost: int

    @property
    def facts(self) -> tuple[Numbers | int, ...]:
        """Its arguments of a kernel, the turns last."""
        ride = self.rides, self.over_goal, self.cap, self.made, self.planned
        return (
            self.goal,
            self.direction,
            self.left,
            self.steps,
            self.formation,
            self.change_to,
            *ride,
            *self.turns,
        )

    def march(self, told: Ints) -> March:
        """The march of cases whose facts are told, int16, shape (11 + steps, k)."""
        goal, direction, left, steps, formation, change_to, rides, over_goal, cap, made, planned = told[:11]
        turns = np.concatenate([told[11:], np.zeros_like(told[:1])])  # a kernel gets at least one row
        costs = self.facing_cost, self.formation_cost
        # fmt: off
        return March(
            goal, direction, left, steps, formation, change_to, rides > 0, over_goal > 0, cap, turns, made,
            planned, *costs,
        )
        # fmt: on


class Survey:
    """The board under the units of one batch.

    Parameters
    ----------
    placed
        The batch.
    map_, book
        The map and the rulebook.
    sides, arms, kinds, homes
        By unit, as for `board_of`.
    lumped
        Whether runs in one state share a lane.
    """

    def __init__(
        self,
        placed: Placed,
        map_: HexMap,
        book: Rulebook,
        sides: tuple[int, ...],
        arms: tuple[int, ...],
        kinds: tuple[int, ...],
        homes: tuple[int, ...],
        lumped: bool = True,
    ) -> None:
        self.placed, self.units, self.lumped = placed, len(sides), lumped
        self.board: Board = board_of(map_, book, sides, arms, kinds, homes)
        self.memories = memories(map_, book, sides, arms, kinds, homes)
        self.mode, self.worked_out = Mode.INTERPRETED if lumped else fast_mode(), 0
        self._rows: Ints | None = None
        self._known: Position

    # -- tables, no kernel ----------------------------------------------------------------------

    def ahead(self, at: Numbers, direction: Numbers | int) -> Numbers:
        """The next hexes in a direction."""
        return self.board.neighbour[at, direction]

    def toward(self, at: Numbers, other: Numbers) -> NDArray[np.int64]:
        """The direction from hexes to others next to them, -1 where they are not, or are off the map."""
        same = (self.board.neighbour[at] == np.asarray(other)[:, None]) & (
            np.asarray(other) != self.board.off
        )[:, None]
        return np.where(same.any(axis=1), same.argmax(axis=1), -1)

    def price(self, arm: Numbers | int, at: Numbers, direction: Numbers) -> NDArray[np.int64]:
        """Points for an arm to enter the next hexes in a direction, hexsides included."""
        return self.board.entry[arm, at, direction].astype(np.int64)

    # -- sight and zones --------------------------------------------------------------------------

    def sees(self, lanes: Ids, a: Numbers, b: Numbers) -> Bools:
        """Where there is sight between two hexes."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints, riders: Bools) -> Ints:
            seen = np.zeros(len(lane), np.bool_)
            sight.sees(mode, self.board, position, lane, told[0], told[1], seen)
            return seen[None].astype(np.int16)

        return self._ask("sees", work, lanes, (a, b), 1)[0] > 0

    def in_view(self, cases: Cases, at: Numbers) -> Bools:
        """Where a unit sees a hex, and through a front side."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints, riders: Bools) -> Ints:
            seen = np.zeros(len(lane), np.bool_)
            sight.in_view(mode, self.board, position, told[0], lane, told[1], seen)
            return seen[None].astype(np.int16)

        return self._of("in view", work, cases, (at,))[0] > 0

    def zone_toward(self, cases: Cases, at: Numbers) -> Ints:
        """The zone of a unit's side toward a hex next to it, whatever its state; -1 where the hex is not next
        to it."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints, riders: Bools) -> Ints:
            zone = np.zeros((1, len(lane)), np.int16)
            sight.zone_toward(mode, self.board, position, told[0], lane, told[1], zone[0])
            return zone

        return self._of("zone toward", work, cases, (at,))[0]

    def zone_along(self, cases: Cases, at: Numbers) -> Ints:
        """The zone of a unit's side by which the line from a hex comes in, however far off; on a corner a
        flank only if both sides are. -1 where the unit stands in the hex."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints, riders: Bools) -> Ints:
            zone = np.zeros((1, len(lane)), np.int16)
            sight.zone_along(mode, self.board, position, told[0], lane, told[1], zone[0])
            return zone

        return self._of("zone along", work, cases, (at,))[0]

    def zone_from(self, cases: Cases, here: Numbers, at: Numbers) -> Ints:
        """The zone of a side of one of a unit's hexes: that by which the line from another hex comes in, as
        `zone_along` says; -1 where it is the same hex."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints, riders: Bools) -> Ints:
            zone = np.zeros((1, len(lane)), np.int16)
            sight.zone_of_hex(mode, self.board, position, told[0], lane, told[1], told[2], zone[0])
            return zone

        return self._of("zone of hex", work, cases, (here, at))[0]

    def bearing(self, lanes: Ids, at: Numbers) -> Ints:
        """The zone of each unit's side toward a hex, whatever its state; -1 where it is not next to it, and
        `sight.ON_IT` where it stands in it. Shape (units, k)."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints, riders: Bools) -> Ints:
            zone = np.zeros((self.units, len(lane)), np.int16)
            sight.bearing(mode, self.board, position, told[0], lane, zone)
            return zone

        return self._ask("bearing", work, lanes, (at,), self.units)

    def touching(self, cases: Cases) -> Bools:
        """Where an enemy who is not gone is next to a unit, or in its hex."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints, riders: Bools) -> Ints:
            touches = np.zeros(len(lane), np.bool_)
            sight.touching(mode, self.board, position, told[0], lane, touches)
            return touches[None].astype(np.int16)

        return self._of("touching", work, cases, ())[0] > 0

    # -- steps ------------------------------------------------------------------------------------

    def passable(self, cases: Cases, riders: Bools, direction: Numbers) -> Bools:
        """Where units that charge together, shape (units, k), may enter the next hex in a direction."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints, riders: Bools) -> Ints:
            free = np.zeros(len(lane), np.bool_)
            here = position.hex[told[0], lane]
            march.passable(mode, self.board, position, told[0], lane, riders, here, told[1], free)
            return free[None].astype(np.int16)

        return self._of("passable", work, cases, (direction,), riders)[0] > 0

    def next_turn(
        self,
        cases: Cases,
        riders: Bools,
        direction: Numbers,
        planned: Numbers | int,
        goal: Numbers,
        cap: Numbers | int,
    ) -> NDArray[np.int64]:
        """The turn of the next step of units that move together, shape (units, k); `march.NO_TURN` where
        there is none.

        Arguments as for the kernel; the goal is a hex.
        """

        def work(mode: Mode, position: Position, lane: Longs, told: Ints, riders: Bools) -> Ints:
            turn = np.zeros((1, len(lane)), np.int16)
            here = position.hex[told[0], lane]
            direction, planned, goal, cap = told[1:]
            unit, board = told[0], self.board
            # fmt: off
            march.next_turn(
                mode, board, position, unit, lane, riders, here, direction, planned, goal, cap, turn[0]
            )
            # fmt: on
            return turn

        found = self._of("turn", work, cases, (direction, planned, goal, cap), riders)
        return found[0].astype(np.int64)

    def ride_length(self, cases: Cases, riders: Bools, way: Way, to_goal: bool) -> NDArray[np.int64]:
        """How many squares in a row the charge rides over in its next steps, 0 if none."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints, riders: Bools) -> Ints:
            found, ahead = np.zeros((2, len(lane)), np.int16), np.full(len(lane), to_goal, np.bool_)
            how = way.march(told[1:])
            march.ride_length(
                mode, self.board, position, told[0], lane, riders, how, ahead, found[0], found[1]
            )
            return found[:1]

        name = ("squares", to_goal, way.facing_cost, way.formation_cost)
        return self._of(name, work, cases, way.facts, riders)[0].astype(np.int64)

    def within_reach(self, cases: Cases, riders: Bools, way: Way) -> Bools:
        """Where the charge would come next to its goal if nobody else moved and nobody shot."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints, riders: Bools) -> Ints:
            near = np.zeros(len(lane), np.bool_)
            march.within_reach(mode, self.board, position, told[0], lane, riders, way.march(told[1:]), near)
            return near[None].astype(np.int16)

        name = ("reach", way.facing_cost, way.formation_cost)
        return self._of(name, work, cases, way.facts, riders)[0] > 0

    def free_ride(self, cases: Cases, riders: Bools, way: Way, reach: Ints) -> Ints:
        """The planned steps of charges that set out, while no enemy is within its reach, shape (units, k), as
        the kernel says, shape (5, k); nothing is remembered."""
        cases.fresh()
        told, ridden = _rows((cases.unit, *way.facts), len(cases)), np.zeros((5, len(cases)), np.int16)
        how = cases.lane, np.ascontiguousarray(riders), way.march(told[1:]), reach, ridden
        march.free_ride(self.mode, self.board, self._position(), told[0], *how)
        return ridden

    def advance(self, cases: Cases, going: Going, increments: Ints, orders: Orders) -> Advance:
        """How far units march toward their objectives until something concerns the rules, and why they stop.

        Nothing is remembered, nor written: the caller moves them, plays what stopped them, and asks again.

        Parameters
        ----------
        increments
            Left, shape (units, lanes).
        """
        cases.fresh()
        found = new_advance(len(cases))
        unit = np.ascontiguousarray(cases.unit, np.int16)
        position = self._position()
        advance(self.mode, self.board, going, position, increments, unit, cases.lane, orders, found)
        return found

    def beset(self, cases: Cases) -> Ints:
        """What a unit's hexes are to it: in enemy zones, next to squares, the sum as `advance.zone_at`."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints, riders: Bools) -> Ints:
            zone = np.zeros((1, len(lane)), np.int16)
            beset(mode, self.board, position, told[0], lane, zone[0])
            return zone

        return self._of("beset", work, cases, ())[0]

    def crowded(self, lanes: Ids, going: Going, increments: Ints, side: int) -> tuple[Bools, Bools]:
        """The units of a side whose hex is over its limit or holds two formations, and skirmishers who share
        a hex with others, or one that is over its limit; shape (units, k) each.

        Parameters
        ----------
        increments
            Left, shape (units, lanes).
        """
        over, loose = np.zeros((2, self.units, len(lanes)), np.bool_)
        crowded(self.mode, self.board, going, self._position(), increments, side, lanes, over, loose)
        return over, loose

    def fire_pairs(self, lanes: Ids, side: int, gunnery: Gunnery, silent: Bools, far: bool) -> Longs:
        """The hexes of a side that may fire in lanes, and at which enemy hexes; nothing is remembered.

        Arguments and result as for the kernel, shape (6, pairs).
        """
        room, count, how = 16 * len(lanes) + 64, np.zeros(1, np.int64), (gunnery, side, far, silent, lanes)
        while True:
            found = np.empty((6, room), np.int64)
            fire_pairs(self.mode, self.board, self._position(), *how, found, count)
            if count[0] <= room:
                return found[:, : count[0]]
            room = int(count[0])

    def contacts(self, units: Longs, lanes: Longs, threatens: Bools) -> Contacts:
        """Who is nearest to units, shape (m,), in lanes, shape (k,); arguments as for the kernel."""
        found = new_contacts(len(units), len(lanes))
        contacts(self.mode, self.board, self._position(), threatens, units, lanes, found)
        return found

    def gather(self, lanes: Longs, plan: Gathering) -> Ints:
        """The target of each unit that may attack, -1 for none, shape (units, lanes of the batch)."""
        prey = np.full(plan.weight.shape, -1, np.int16)
        gather(self.mode, self.board, self._position(), lanes, plan, prey)
        return prey

    def charges(self, lanes: Ids, side: int, rides: Bools, wanted: Bools, reach: Reach) -> Ways:
        """The charges that cavalry of a side can make at some targets, each (units, lanes), in some lanes,
        one element each; nothing is remembered."""
        room = int(rides[:, lanes].sum(axis=0).max(initial=0)) * self.units * len(lanes)
        found = approach.room_for(room)
        approach.charges(self.mode, self.board, self._position(), lanes, side, rides, wanted, reach, found)
        return found.filled()

    def facing_pairs(self, lanes: Ids, at: Numbers, side: int, gunnery: Gunnery) -> Longs:
        """The hexes of a side that may fire at hexes next to them; nothing is remembered.

        Arguments and result as for the kernel, shape (3, pairs).
        """
        there, room, count = np.ascontiguousarray(at, np.int64), 6 * len(lanes) + 8, np.zeros(1, np.int64)
        found = np.empty((3, room), np.int64)
        facing_pairs(self.mode, self.board, self._position(), gunnery, side, lanes, there, found, count)
        return found[:, : count[0]]

    def settle_guns(self, massing: Massing, pairs: Longs, wanted: Bools, guns: Bools) -> None:
        """At what hexes with guns fire, into `wanted`; arguments as for the kernel."""
        settle_guns(self.mode, self.board, massing, pairs, wanted, guns)

    def storm_pairs(self, lanes: Ids, side: int, may: Bools, bound: Ints, crossing: Ints) -> Longs:
        """The units of a side that may assault in lanes, and whom; nothing is remembered.

        Arguments and result as for the kernel, shape (4, pairs).
        """
        room, count = 16 * len(lanes) + 64, np.zeros(1, np.int64)
        while True:
            found = np.empty((4, room), np.int64)
            storm_pairs(
                self.mode, self.board, self._position(), side, may, bound, crossing, lanes, found, count
            )
            if count[0] <= room:
                return found[:, : count[0]]
            room = int(count[0])

    def step_away(self, cases: Cases, points: Numbers) -> tuple[Ints, Ints]:
        """The hexes to which units can retreat before a melee, `off` for none, and their cost."""
        cases.fresh()
        found = np.zeros((2, len(cases)), np.int16)
        unit, left = _rows((cases.unit, points), len(cases))
        step_away(self.mode, self.board, self._position(), unit, cases.lane, left, found[0], found[1])
        return found[0], found[1]

    def free_step(self, cases: Cases, reference_range: int) -> Ints:
        """The free hex next to a unit that the retreat preference likes best; `off` where there is none."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints, riders: Bools) -> Ints:
            end = np.zeros((1, len(lane)), np.int16)
            march.free_step(mode, self.board, position, told[0], lane, reference_range, end[0])
            return end

        return self._of(("free step", reference_range), work, cases, ())[0]

    def retreat(
        self,
        cases: Cases,
        leavers: Bools,
        points: Numbers | int,
        full: Bools | bool,
        flat: Bools | bool,
        reference_range: int,
        first: Numbers | int,
    ) -> Flight:
        """The paths of units of one hex that leave together, shape (units, k), the cases' units among them.

        Arguments as for the kernel, `first` a hex or `off`.
        """

        def fly(mode: Mode, position: Position, lane: Longs, told: Ints, riders: Bools) -> Flight:
            flight = new_flight(self.units, len(lane))
            unit, points, first, full, flat = told
            how = points, full > 0, flat > 0, reference_range, first
            retreat(mode, self.board, position, unit, lane, riders, *how, flight)
            return flight

        def work(mode: Mode, position: Position, lane: Longs, told: Ints, riders: Bools) -> Ints:
            flight = fly(mode, position, lane, told, riders)
            return np.stack([*flight[:-1], *flight.passed]).astype(np.int16)

        arguments = (points, first, full, flat)
        if not self.lumped:
            cases.fresh()
            told = _rows((cases.unit, *arguments), len(cases))
            return fly(self.mode, self._position(), cases.lane, told, np.ascontiguousarray(leavers))
        matters = self._of_retreat(self.board.side[cases.unit])
        found = self._of(
            ("retreat", reference_range), work, cases, arguments, leavers, 5 + self.units, matters
        )
        return Flight(found[0], found[1], found[2] > 0, found[3], found[4] > 0, found[5:] > 0)

    def runs_off(
        self, cases: Cases, leavers: Bools, points: Numbers, flat: Bools, reference_range: int
    ) -> Bools:
        """Where routed units of one hex, who find no full move on the map, run off it on the side of home."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints, riders: Bools) -> Ints:
            off_map = np.zeros(len(lane), np.bool_)
            unit, points, flat = told
            runs_off(
                mode, self.board, position, unit, lane, riders, points, flat > 0, reference_range, off_map
            )
            return off_map[None].astype(np.int16)

        return self._of(("runs off", reference_range), work, cases, (points, flat), leavers)[0] > 0

    def _of_retreat(self, side: Ints) -> Ints:
        """What a retreat depends on: all of the enemies, but of friends only where they are and whether guns
        are manned.

        0 or 1 by row of the position, shape (7 * units, k).
        """
        friends = self.board.side[:, None] == side
        bare = np.array([name in ("hex", "unmanned", "second") for name in Position._fields])
        return np.where(friends, bare[:, None, None], True).astype(np.int16).reshape(-1, len(side))

    # -- the batch --------------------------------------------------------------------------------

    def _position(self) -> Position:
        rows, units = self.placed.map_rows, self.units
        if rows is not self._rows:
            self._rows = rows
            self._known = Position(*(rows[first : first + units] for first in range(0, len(rows), units)))
        return self._known

    def _of(
        self,
        name: object,
        work: Work,
        cases: Cases,
        arguments: Sequence[Numbers | Bools | int],
        riders: Bools | None = None,
        height: int = 1,
        matters: Ints | None = None,
    ) -> Ints:
        """As `_ask`, the units of cases as first argument."""
        cases.fresh()
        return self._ask(name, work, cases.lane, (cases.unit, *arguments), height, riders, matters)

    def _ask(
        self,
        name: object,
        work: Work,
        lanes: Ids,
        arguments: Sequence[Numbers | Bools | int],
        height: int,
        riders: Bools | None = None,
        matters: Ints | None = None,
    ) -> Ints:
        """Results of a kernel, shape (height, k).

        A kernel that says what matters is dear: even when compiled, its results are remembered in lumped
        batches.

        Parameters
        ----------
        riders
            Units that move together, shape (units, k).
        matters
            1 where they depend on a row of the position, else 0, shape (7 * units, k); on all by default.
        """
        told = _rows(arguments, len(lanes))
        group = np.zeros((self.units, 0), np.bool_) if riders is None else np.ascontiguousarray(riders)
        compiled = self.mode is Mode.COMPILED
        if not len(lanes) or not self.lumped or (compiled and matters is None):
            return work(self.mode, self._position(), lanes, told, group)
        facts = self.placed.map_rows[:, lanes]
        columns = np.concatenate([facts if matters is None else facts * matters, told]).T.copy()
        parts = [columns.view(np.uint8)]
        if riders is not None:
            parts.append(np.packbits(group, axis=0).T)
        raw = np.concatenate(parts, axis=1)
        data, width = raw.tobytes(), raw.shape[1]
        keys = [data[at : at + width] for at in range(0, len(data), width)]
        memory = self._memory(name, height)
        numbers = memory.numbers
        missing = {key: case for case, key in enumerate(keys) if key not in numbers}
        if missing:
            self._go_over(len(missing))
            some = np.fromiter(missing.values(), np.intp, len(missing))
            lot = np.ascontiguousarray(told[:, some])
            chosen = group if riders is None else np.ascontiguousarray(group[:, some])
            memory.add(list(missing), work(self.mode, self._position(), lanes[some], lot, chosen))
        return memory.results[[numbers[key] for key in keys]].T

    def _memory(self, name: object, height: int) -> Memory:
        memory = self.memories.get(name)
        if memory is None or len(memory.numbers) > MOST_REMEMBERED:
            memory = self.memories[name] = Memory(height)
        return memory

    def _go_over(self, more: int) -> None:
        """Count positions to be worked out; when they are many, from now on by compiled kernels."""
        self.worked_out += more
        if self.worked_out > MANY and self.mode is Mode.INTERPRETED:
            self.mode = fast_mode()


def _rows(arguments: Sequence[Numbers | Bools | int], k: int) -> Ints:
    """Arguments of a kernel, shape (k,) or a number each, as rows."""
    told = np.empty((len(arguments), k), np.int16)
    for row, argument in enumerate(arguments):
        told[row] = argument
    return told
