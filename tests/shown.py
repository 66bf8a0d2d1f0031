"""What the map shows of some pieces, and what the kernels of the board, interpreted, say of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.board import flight, march, sight
from sim.board.hexmap import Hex, HexMap, Rhombus, neighbour
from sim.board.kernel import Mode
from sim.board.tables import Board, Bools, Ints, Longs, Position, board_of, new_flight
from sim.rulesets import catalogue
from sim.rulesets.rulebook import Rulebook, rulebook
from sim.units.charges import HOMES
from sim.vocabulary import COLUMN, FRONT, GONE, GOOD, KINDS

FOOT, LIGHT, HEAVY, GUNS = range(len(KINDS))
CHARGER, TARGET = 0, 1
ARM = {FOOT: 0, LIGHT: 1, HEAVY: 1, GUNS: 2}
ONE: Longs = np.zeros(1, np.int64)
"""The only lane."""


def book_of(name: str) -> Rulebook:
    """The rulebook of a rule set under its own switches."""
    rules = catalogue.load(name)
    return rulebook(rules, rules.switches())


PRUSSE = book_of("prusse-1806")
ASPERN = book_of("aspern-essling-1809")


@dataclass(frozen=True)
class Piece:
    """A unit on the map. Facing 2k looks across side k, 2k + 1 at the corner between k and k + 1."""

    side: int
    hex: Hex
    kind: int = FOOT
    formation: int = COLUMN
    facing: int = 0
    state: int = GOOD
    sheltered: int = 0
    unmanned: int = 0
    second: Hex | None = None


@dataclass(frozen=True)
class Move:
    """How a retreat ends; `direction` is None and `end` the start if nobody moved."""

    end: Hex
    direction: int | None = None
    surrendered: bool = False
    zone_hexes: int = 0
    cavalry_zone: bool = False
    passed: tuple[int, ...] = ()


def number(value: int) -> Ints:
    """An argument of one case."""
    return np.array([value], np.int16)


@dataclass(frozen=True)
class Shown:
    """Pieces on a map."""

    map: HexMap
    board: Board
    position: Position

    def zone_of_side(self, unit: int, side: int) -> int:
        """The zone of one of a unit's hexsides."""
        return sight.zone_across(self.board, self.position, 0, unit, side)

    def zone_hexes(self, unit: int) -> list[Hex]:
        """The hexes in a unit's zone of influence."""
        hexes = [self.map.hex(int(row[unit, 0])) for row in (self.position.hex, self.position.second)]
        beside = [neighbour(here, d) for here in hexes if here is not None for d in range(6)]
        return [to for to in dict.fromkeys(beside) if self.holds(unit, to)]

    def holds(self, unit: int, at: Hex) -> bool:
        """Whether a hex is in a unit's zone of influence."""
        zone = np.zeros((len(self.board.side), 1), np.int16)
        sight.bearing(Mode.INTERPRETED, self.board, self.position, number(self.map.number(at)), ONE, zone)
        return zone[unit, 0] == FRONT and sight.has_zone(self.board, self.position, 0, unit)

    def zone_toward(self, unit: int, at: Hex) -> int:
        """The zone of a unit's side toward a hex, -1 where that is not next to it."""
        zone, there = np.zeros(1, np.int16), number(self.map.number(at))
        sight.zone_toward(Mode.INTERPRETED, self.board, self.position, number(unit), ONE, there, zone)
        return int(zone[0])

    def top_of(self, unit: int) -> int:
        """The top unit of a unit's side in its hex."""
        return sight.top_of(self.board, self.position, 0, unit)

    def sees(self, a: Hex, b: Hex) -> bool:
        """Sight between two hexes."""
        seen, start, end = np.zeros(1, np.bool_), number(self.map.number(a)), number(self.map.number(b))
        sight.sees(Mode.INTERPRETED, self.board, self.position, ONE, start, end, seen)
        return bool(seen[0])

    def in_view(self, unit: int, at: Hex) -> bool:
        """Whether a unit sees a hex, and through a front side."""
        through = np.zeros(1, np.bool_)
        there = number(self.map.number(at))
        sight.in_view(Mode.INTERPRETED, self.board, self.position, number(unit), ONE, there, through)
        return bool(through[0])

    def group(self, units: tuple[int, ...]) -> Bools:
        """Who is of a group."""
        return np.isin(np.arange(len(self.board.side)), units)[:, None]


def show(
    *pieces: Piece,
    terrain: dict[Hex, str] | None = None,
    hexsides: dict[tuple[Hex, int], str] | None = None,
    book: Rulebook = PRUSSE,
    radius: int = 64,
) -> Shown:
    """What the map shows of some pieces."""
    map_ = HexMap(Rhombus(radius), terrain or {}, hexsides or {})
    sides = tuple(p.side for p in pieces)
    board = board_of(
        map_,
        book,
        sides,
        tuple(ARM[p.kind] for p in pieces),
        tuple(p.kind for p in pieces),
        tuple(HOMES[side] for side in sides),
    )
    rows = [
        [
            map_.off if p.state == GONE else map_.number(p.hex),
            p.facing,
            p.formation,
            p.state,
            p.sheltered,
            p.unmanned,
            map_.number(p.second),
        ]
        for p in pieces
    ]
    facts = np.array(rows, np.int16).reshape(len(pieces), len(Position._fields))
    return Shown(map_, board, Position(*(np.ascontiguousarray(row)[:, None] for row in facts.T)))


def passable(one: Shown, riders: tuple[int, ...], here: Hex, direction: int) -> bool:
    """Whether a charge may enter the next hex in a direction."""
    free = np.zeros(1, np.bool_)
    at = number(one.map.number(here))
    march.passable(
        Mode.INTERPRETED,
        one.board,
        one.position,
        number(riders[0]),
        ONE,
        one.group(riders),
        at,
        number(direction),
        free,
    )
    return bool(free[0])


def seek(one: Shown, riders: tuple[int, ...], direction: int, goal: Hex, cap: int) -> int | None:
    """The turn of the next step toward a hex, of at most so many hexsides; None if there is none."""
    turn, here, to = number(0), one.position.hex[riders[0], :1], number(one.map.number(goal))
    how = number(direction), number(march.NO_TURN), to, number(cap)
    march.next_turn(
        Mode.INTERPRETED, one.board, one.position, number(riders[0]), ONE, one.group(riders), here, *how, turn
    )
    return None if turn[0] == march.NO_TURN else int(turn[0])


def retreat(
    one: Shown,
    group: tuple[int, ...],
    points: int,
    full: bool,
    flat: bool,
    reference_range: int,
    first: Hex | None = None,
) -> Move:
    """The path of units of one hex that leave together."""
    found, leaves, to = new_flight(len(one.board.side), 1), one.group(group), number(one.map.number(first))
    unit, left, whole, cheap = number(group[0]), number(points), np.array([full]), np.array([flat])
    flight.retreat(
        Mode.INTERPRETED,
        one.board,
        one.position,
        unit,
        ONE,
        leaves,
        left,
        whole,
        cheap,
        reference_range,
        to,
        found,
    )
    direction, passed = int(found.direction[0]), tuple(np.flatnonzero(found.passed[:, 0]).tolist())
    end = one.map.hex(int(found.end[0])) or (0, 0)
    rest = bool(found.surrendered[0]), int(found.zone_hexes[0]), bool(found.cavalry_zone[0]), passed
    return Move(end, None if direction < 0 else direction, *rest)


def free_step(one: Shown, unit: int, reference_range: int) -> Hex | None:
    """The free hex next to a unit that the retreat preference likes best."""
    end = number(0)
    march.free_step(Mode.INTERPRETED, one.board, one.position, number(unit), ONE, reference_range, end)
    return one.map.hex(int(end[0]))
