"""What the engine asks of the board, for a unit in many lanes: sight, zones, steps of a charge, retreats.

The mode belongs to the batch. A batch begins interpreted, and each distinct position that it asks about is worked out once and
remembered with its ground, by all that a result depends on. A batch that would have to work out more than `MANY` goes over to
compiled kernels for good; from then on only retreats are remembered. Results are the same to the last bit.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sim.board import march, sight
from sim.board.flight import retreat
from sim.board.hexmap import HexMap
from sim.board.kernel import Mode, fast_mode
from sim.board.tables import Board, Bools, Flight, Ints, Longs, March, Position, board_of, new_flight
from sim.ensemble.lanes import Ids
from sim.rulesets.rulebook import Rulebook

MANY = 20_000
"""Distinct positions that a batch works out before it goes over to compiled kernels: some twenty seconds of work, which is what the first compilation
takes. A charge hardly ever has so many; a battle has them in its first turns."""

MOST_REMEMBERED = 20_000
"""Results of a kernel that are remembered on one ground."""

Cases = NDArray[Any]
Work = Callable[[Mode, Position, Longs, Ints], Ints]
"""A kernel's results, int16, shape (height, k), from a mode, the position, lanes, and its arguments, int16, shape (arguments, k)."""


class Placed(Protocol):
    """A batch whose units stand on the map."""

    n: int

    @property
    def map_rows(self) -> Ints:
        """The rows of a `Position`, one after the other, shape (6 * units, lanes and more)."""


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
    ) -> None:
        self.placed, self.units = placed, len(sides)
        self.board: Board = board_of(map_, book, sides, arms, kinds, homes)
        self.memories = memories(map_, book, sides, arms, kinds, homes)
        self.mode, self.worked_out = Mode.INTERPRETED, 0

    # -- tables, no kernel ----------------------------------------------------------------------

    def ahead(self, at: Cases, direction: Cases | int) -> Cases:
        """The next hexes in a direction."""
        return self.board.neighbour[at, direction]

    def toward(self, at: Cases, other: Cases) -> NDArray[np.int64]:
        """The direction from hexes to others next to them, -1 where they are not, or are off the map."""
        same = (self.board.neighbour[at] == np.asarray(other)[:, None]) & (
            np.asarray(other) != self.board.off
        )[:, None]
        return np.where(same.any(axis=1), same.argmax(axis=1), -1)

    def price(self, arm: int, at: Cases, direction: Cases) -> NDArray[np.int64]:
        """Points for an arm to enter the next hexes in a direction, hexsides included."""
        return self.board.entry[arm, at, direction].astype(np.int64)

    # -- sight and zones --------------------------------------------------------------------------

    def sees(self, lanes: Ids, a: Cases, b: Cases) -> Bools:
        """Where there is sight between two hexes."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints) -> Ints:
            seen = np.zeros(len(lane), np.bool_)
            sight.sees(mode, self.board, position, lane, told[0], told[1], seen)
            return seen[None].astype(np.int16)

        return self._ask("sees", work, lanes, (a, b), 1)[0] > 0

    def in_view(self, unit: int, lanes: Ids, at: Cases) -> Bools:
        """Where a unit sees a hex, and through a front side."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints) -> Ints:
            seen = np.zeros(len(lane), np.bool_)
            sight.in_view(mode, self.board, position, told[0], lane, told[1], seen)
            return seen[None].astype(np.int16)

        return self._ask("in view", work, lanes, (unit, at), 1)[0] > 0

    def zone_toward(self, unit: int, lanes: Ids, at: Cases) -> Ints:
        """The zone of a unit's side toward a hex next to it, whatever its state; -1 where the hex is not next to it."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints) -> Ints:
            zone = np.zeros((1, len(lane)), np.int16)
            sight.zone_toward(mode, self.board, position, told[0], lane, told[1], zone[0])
            return zone

        return self._ask("zone toward", work, lanes, (unit, at), 1)[0]

    def bearing(self, lanes: Ids, at: Cases) -> Ints:
        """The zone of each unit's side toward a hex, whatever its state; -1 where it is not next to it. Shape (units, k)."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints) -> Ints:
            zone, holds = (
                np.zeros((self.units, len(lane)), np.int16),
                np.zeros((self.units, len(lane)), np.bool_),
            )
            sight.bearing(mode, self.board, position, told[0], lane, zone, holds)
            return zone

        return self._ask("bearing", work, lanes, (at,), self.units)

    def touching(self, unit: int, lanes: Ids) -> Bools:
        """Where an enemy who is not gone is next to a unit, or in its hex."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints) -> Ints:
            touches = np.zeros(len(lane), np.bool_)
            sight.touching(mode, self.board, position, told[0], lane, touches)
            return touches[None].astype(np.int16)

        return self._ask("touching", work, lanes, (unit,), 1)[0] > 0

    # -- steps ------------------------------------------------------------------------------------

    def passable(self, stack: Sequence[int], lanes: Ids, direction: Cases) -> Bools:
        """Where units that charge together, the top one first, may enter the next hex in a direction."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints) -> Ints:
            free, riders = np.zeros(len(lane), np.bool_), self._riders(stack, len(lane))
            here = position.hex[told[0], lane]
            march.passable(mode, self.board, position, told[0], lane, riders, here, told[1], free)
            return free[None].astype(np.int16)

        return self._ask(("passable", tuple(stack)), work, lanes, (stack[0], direction), 1)[0] > 0

    def next_turn(
        self,
        stack: Sequence[int],
        lanes: Ids,
        direction: Cases,
        planned: Cases | int,
        goal: Cases,
        cap: Cases | int,
    ) -> NDArray[np.int64]:
        """The turn of the next step of units that move together; `march.NO_TURN` where there is none. Arguments as for the kernel."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints) -> Ints:
            turn, riders = np.zeros((1, len(lane)), np.int16), self._riders(stack, len(lane))
            here = position.hex[told[0], lane]
            march.next_turn(
                mode,
                self.board,
                position,
                told[0],
                lane,
                riders,
                here,
                told[1],
                told[2],
                told[3],
                told[4],
                turn[0],
            )
            return turn

        return self._ask(("turn", tuple(stack)), work, lanes, (stack[0], direction, planned, goal, cap), 1)[
            0
        ].astype(np.int64)

    def ride_length(self, stack: Sequence[int], lanes: Ids, way: Way, to_goal: bool) -> NDArray[np.int64]:
        """How many squares in a row the charge rides over in its next steps, 0 if none."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints) -> Ints:
            found, riders = np.zeros((2, len(lane)), np.int16), self._riders(stack, len(lane))
            ahead = np.full(len(lane), to_goal, np.bool_)
            march.ride_length(
                mode,
                self.board,
                position,
                told[0],
                lane,
                riders,
                way.march(told[1:]),
                ahead,
                found[0],
                found[1],
            )
            return found[:1]

        return self._ask(("squares", tuple(stack), to_goal, way.key), work, lanes, (stack[0], *way.facts), 1)[
            0
        ].astype(np.int64)

    def within_reach(self, stack: Sequence[int], lanes: Ids, way: Way) -> Bools:
        """Where the charge would come next to its goal if nobody else moved and nobody shot."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints) -> Ints:
            near, riders = np.zeros(len(lane), np.bool_), self._riders(stack, len(lane))
            march.within_reach(mode, self.board, position, told[0], lane, riders, way.march(told[1:]), near)
            return near[None].astype(np.int16)

        return self._ask(("reach", tuple(stack), way.key), work, lanes, (stack[0], *way.facts), 1)[0] > 0

    def free_step(self, unit: int, lanes: Ids, horizon: int) -> Ints:
        """The free hex next to a unit that the retreat preference likes best; `off` where there is none."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints) -> Ints:
            end = np.zeros((1, len(lane)), np.int16)
            march.free_step(mode, self.board, position, told[0], lane, horizon, end[0])
            return end

        return self._ask(("free step", horizon), work, lanes, (unit,), 1)[0]

    def retreat(
        self,
        group: Sequence[int],
        lanes: Ids,
        points: int,
        full: bool,
        flat: bool,
        horizon: int,
        first: Cases | int,
    ) -> Flight:
        """The paths of units of one hex that leave together. Arguments as for the kernel, `first` a hex or `off`."""

        def work(mode: Mode, position: Position, lane: Longs, told: Ints) -> Ints:
            flight, n = new_flight(self.units, len(lane)), len(lane)
            leaves, fulls, flats = self._riders(group, n), np.full(n, full), np.full(n, flat)
            retreat(
                mode,
                self.board,
                position,
                told[0],
                lane,
                leaves,
                told[1],
                fulls,
                flats,
                horizon,
                told[2],
                flight,
            )
            return np.stack([*flight[:-1], *flight.passed]).astype(np.int16)

        key = ("retreat", tuple(group), full, flat, horizon)
        matters = self._of_retreat(group[0])
        found = self._ask(key, work, lanes, (group[0], points, first), 5 + self.units, matters)
        return Flight(found[0], found[1], found[2] > 0, found[3], found[4] > 0, found[5:] > 0)

    def _of_retreat(self, unit: int) -> Ints:
        """What a retreat depends on: all of the enemies, but of friends only where they are and whether guns are manned. 0 or 1 by row."""
        matters = np.ones((len(Position._fields), self.units), np.int16)
        friends = self.board.side == self.board.side[unit]
        for row, name in enumerate(Position._fields):
            matters[row, friends] = name in ("hex", "unmanned")
        return matters.reshape(-1, 1)

    # -- the batch --------------------------------------------------------------------------------

    def _riders(self, stack: Sequence[int], cases: int) -> Bools:
        riders = np.zeros((self.units, cases), np.bool_)
        riders[list(stack)] = True
        return riders

    def _position(self) -> Position:
        rows, n, units = self.placed.map_rows, self.placed.n, self.units
        return Position(*(rows[first : first + units, :n] for first in range(0, len(rows), units)))

    def _ask(
        self,
        name: object,
        work: Work,
        lanes: Ids,
        arguments: Sequence[Cases | int],
        height: int,
        matters: Ints | None = None,
    ) -> Ints:
        """Results of a kernel, shape (height, k); `matters`: 1 for each row of the position that they depend on, else 0; all by default.

        A kernel that says what matters is dear: even when compiled, its results are remembered.
        """
        told = np.empty((len(arguments), len(lanes)), np.int16)
        for row, argument in enumerate(arguments):
            told[row] = argument
        if not len(lanes) or (self.mode is Mode.COMPILED and matters is None):
            return work(self.mode, self._position(), lanes, told)
        facts = self.placed.map_rows[:, lanes]
        columns = np.concatenate([facts if matters is None else facts * matters, told]).T
        raw, width = columns.tobytes(), 2 * columns.shape[1]
        keys = [raw[at : at + width] for at in range(0, len(raw), width)]
        memory = self._memory(name, height)
        numbers = memory.numbers
        missing = {key: case for case, key in enumerate(keys) if key not in numbers}
        if missing:
            self._go_over(len(missing))
            cases = np.fromiter(missing.values(), np.intp, len(missing))
            found = work(self.mode, self._position(), lanes[cases], np.ascontiguousarray(told[:, cases]))
            memory.add(list(missing), found)
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


class Way:
    """How charges mean to go on from where they stand: what a `March` holds, but for the planned turns the same in all lanes.

    Parameters
    ----------
    facts
        Goal (a unit), direction, points left, steps made, formation, whether it rides over squares in the way and over its goal's,
        the planned turn that comes next, and how many there are (0: it seeks); shape (k,) each, or a number.
    turns
        The planned turns.
    change_to, cap, facing_cost, formation_cost
        As in a `March`.
    """

    def __init__(
        self,
        facts: Sequence[Cases | int],
        turns: Sequence[int],
        change_to: int | None,
        cap: int,
        facing_cost: int,
        formation_cost: int,
    ) -> None:
        self.facts = tuple(facts)
        self.key = (tuple(turns), change_to, cap, facing_cost, formation_cost)

    def march(self, told: Ints) -> March:
        """The march of cases whose facts are told, int16, shape (9, k)."""
        goal, direction, left, steps, formation, rides, over_goal, made, planned = told
        turns, change_to, cap, facing_cost, formation_cost = self.key
        ints = np.full((2, len(goal)), cap, np.int16)
        ints[1] = -1 if change_to is None else change_to
        ways = np.repeat(np.array([*turns, 0], np.int16)[:, None], len(goal), axis=1)
        rides_over = rides > 0, over_goal > 0
        return March(
            goal,
            direction,
            left,
            steps,
            formation,
            ints[1],
            *rides_over,
            ints[0],
            ways,
            made,
            planned,
            facing_cost,
            formation_cost,
        )
