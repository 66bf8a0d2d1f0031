"""Random positions for the kernels: a broken map, a roster, and rows by unit and lane; and the same positions
for the geometry in plain Python."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.board.hexmap import HexMap, Rhombus
from sim.board.tables import MOST_POINTS, Board, Longs, March, Position, board_of
from sim.rulesets import catalogue
from sim.rulesets.conditions import Setting
from sim.rulesets.rulebook import Rulebook, rulebook
from sim.vocabulary import (
    ARTILLERY,
    CAVALRY,
    GONE,
    GOOD,
    INFANTRY,
    KINDS,
    LIMBERED,
    LINE,
    ROUTED,
    SKIRMISH,
    SQUARE,
    UNLIMBERED,
)
from tests.agreement.plain import HOMES, NO_HEX, Ground, Situation

PAD = 72
"""Lanes more than a row holds: rows are never full, so that Numba sees one memory layout."""

ARM_OF_KIND = (INFANTRY, CAVALRY, CAVALRY, ARTILLERY)


@dataclass(frozen=True)
class World:
    """A ground, and positions of its roster on it."""

    map: HexMap
    book: Rulebook
    board: Board
    ground: Ground
    position: Position

    def situation(self, lane: int) -> Situation:
        """What the geometry in plain Python sees of a lane."""
        rows = [tuple(row[:, lane].tolist()) for row in self.position]
        hexes, seconds = (tuple(self.map.hex(number) or NO_HEX for number in rows[i]) for i in (0, -1))
        return Situation(self.ground, hexes, rows[1], rows[2], rows[3], rows[4], rows[5], seconds)


def book_of(name: str, **switches: Setting) -> Rulebook:
    """The rulebook of a rule set under its own switches, but for those given."""
    rules = catalogue.load(name)
    return rulebook(rules, {**rules.switches(), **switches})


def world(
    rng: np.random.Generator,
    book: Rulebook,
    units: int,
    lanes: int,
    radius: int = 9,
    crowd: int = 5,
    in_two: bool = False,
) -> World:
    """A random map and random positions in a field of 2 x crowd + 1 hexes, at its middle or at its edge; a
    few units are gone, and some infantry may be in two hexes."""
    map_ = _map(rng, book, radius)
    sides = rng.permutation(np.arange(units) % 2)
    kinds = rng.choice(len(KINDS), units, p=[0.4, 0.2, 0.2, 0.2])
    roster = tuple(sides.tolist()), tuple(ARM_OF_KIND[kind] for kind in kinds.tolist()), tuple(kinds.tolist())
    board = board_of(map_, book, *roster, tuple(HOMES[side] for side in sides))
    rows = Position(*(np.zeros((units, lanes + PAD), np.int16)[:, :lanes] for _ in Position._fields))
    rows.second[:] = board.off
    arms = np.array(roster[1])
    for lane in range(lanes):
        middle = rng.integers(-radius, radius + 1, 2) if lane % 3 == 0 else np.zeros(2, int)
        places = np.clip(middle + rng.integers(-crowd, crowd + 1, (units, 2)), -radius, radius)
        alike = rng.random(units) < 0.4  # shares the hex of another: friends stack, enemies meet on a square
        places[alike] = places[rng.integers(0, units, int(alike.sum()))]
        formation = np.where(
            arms == INFANTRY, rng.integers(0, 7, units), rng.integers(LIMBERED, UNLIMBERED + 1, units)
        )
        formation = np.where(arms == CAVALRY, rng.integers(0, LINE + 1, units), formation)
        state = rng.choice(4, units, p=[0.6, 0.15, 0.15, 0.1])
        state[rng.integers(units)] = GOOD
        number = np.array([map_.number((int(q), int(r))) for q, r in places])
        rows.hex[:, lane] = np.where(state == GONE, board.off, number)
        rows.formation[:, lane], rows.state[:, lane] = formation, state
        corner = book.corner_facing[kinds, formation]
        rows.facing[:, lane] = 2 * rng.integers(0, 6, units) + corner
        rows.sheltered[:, lane] = rng.random(units) < 0.1
        rows.unmanned[:, lane] = (
            (formation == UNLIMBERED) & (arms == ARTILLERY) & (state < ROUTED) & (rng.random(units) < 0.3)
        )
        if in_two:
            _spread(rng, board, rows, lane, arms)
    found = World(map_, book, board, Ground(map_, book, *roster), rows)
    if (arms == CAVALRY).any():
        for lane in range(1, lanes, 5):
            _square_row(found, lane)
    return found


def _spread(rng: np.random.Generator, board: Board, rows: Position, lane: int, arms: Longs) -> None:
    """Put about half of the lines and skirmishers in good order into two hexes."""
    formation = rows.formation[:, lane]
    loose = (arms == INFANTRY) & np.isin(formation, (LINE, SKIRMISH)) & (rows.state[:, lane] == GOOD)
    for u in np.flatnonzero(loose & (rng.random(len(arms)) < 0.5)).tolist():
        side = rows.facing[u, lane] // 2 + rng.choice([2, 5])
        rows.second[u, lane] = board.neighbour[rows.hex[u, lane], side % 6]


def _map(rng: np.random.Generator, book: Rulebook, radius: int) -> HexMap:
    density = rng.choice([0.0, 0.1, 0.4])
    names, sides = list(book.terrain_costs), list(book.hexside_costs)
    hexes = [(q, r) for q in range(-radius, radius + 1) for r in range(-radius, radius + 1)]
    terrain = {one: str(rng.choice(names)) for one in hexes if rng.random() < density}
    hexsides = {
        (one, int(rng.integers(6))): str(rng.choice(sides)) for one in hexes if rng.random() < density
    }
    return HexMap(Rhombus(radius), terrain, hexsides)


@dataclass(frozen=True)
class Draw:
    """Random cases: arguments of every kernel, shape (k,) each."""

    unit: NDArray[np.int16]
    lane: NDArray[np.int64]
    here: NDArray[np.int16]
    there: NDArray[np.int16]
    direction: NDArray[np.int16]
    group: NDArray[np.bool_]
    points: NDArray[np.int16]
    full: NDArray[np.bool_]
    flat: NDArray[np.bool_]
    first: NDArray[np.int16]
    planned: NDArray[np.int16]
    cap: NDArray[np.int16]
    flag: NDArray[np.bool_]
    march: March


def draw(rng: np.random.Generator, one: World, cases: int, reference_range: int = 6) -> Draw:
    """Random cases in a world: units that are not gone, groups of one hex, hexes near them, charges that have
    begun."""
    board, rows = one.board, one.position
    units, lanes = rows.hex.shape
    lane = np.sort(rng.integers(0, lanes, cases))  # as a battle asks: from the first lane to the last
    unit = np.array([rng.choice(np.flatnonzero(rows.state[:, j] != GONE)) for j in lane], np.int16)
    here = rows.hex[unit, lane]
    group = (
        (rows.hex[:, lane] == here)
        & (board.side[:, None] == board.side[unit])
        & (rng.random((units, cases)) < 0.6)
    )
    group[unit, np.arange(cases)] = True
    near = here.copy()
    for _ in range(7):
        step = board.neighbour[near, rng.integers(0, 6, cases)]
        near = np.where((step == board.off) | (rng.random(cases) < 0.2), near, step)
    target = np.array([rng.choice(np.flatnonzero(board.side != board.side[u])) for u in unit], np.int16)
    there = np.where(rng.random(cases) < 0.5, near, rows.hex[target, lane]).astype(np.int16)
    first = np.full(cases, board.off, np.int16)
    for k in np.flatnonzero(rng.random(cases) < 0.15).tolist():
        free = [
            to
            for to in board.neighbour[here[k]].tolist()
            if to != board.off and to not in np.append(rows.hex[:, lane[k]], rows.second[:, lane[k]])
        ]
        first[k] = rng.choice(free) if free else board.off

    def small(low: int, high: int) -> NDArray[np.int16]:
        return rng.integers(low, high, cases).astype(np.int16)

    turns = rng.choice([0, 0, 0, 1, -1, 2, -3], (4, cases)).astype(np.int16)
    march = March(
        target,
        small(0, 6),
        small(0, 25),
        small(0, 4),
        small(0, 2),
        small(-1, 2),
        rng.random(cases) < 0.6,
        rng.random(cases) < 0.3,
        small(1, 4),
        turns,
        small(0, 5),
        small(0, 5),
        int(rng.integers(0, 3)),
        int(rng.integers(0, 3)),
    )
    march.direction[lane % 5 == 1] = 0
    points = np.minimum(small(0, 14), MOST_POINTS).astype(np.int16)
    planned = rng.choice([9, 9, 0, 1, -1, 2, -2, 3, -3], cases).astype(np.int16)
    flags = rng.random((3, cases)) < 0.5
    return Draw(
        unit,
        lane,
        here,
        there,
        small(0, 6),
        group,
        points,
        flags[0],
        flags[1],
        first,
        planned,
        small(-1, 4),
        flags[2],
        march,
    )


def _square_row(one: World, lane: int) -> None:
    """Nothing but squares in a row before a charger, which random positions seldom have."""
    rows, board = one.position, one.board
    charger = int(np.flatnonzero(board.arm == CAVALRY)[0])
    at, foes = (
        one.map.number((-2, 0)),
        np.flatnonzero((board.side != board.side[charger]) & (board.arm == INFANTRY)),
    )
    rows.hex[:, lane], rows.state[:, lane], rows.second[:, lane] = board.off, GONE, board.off
    rows.hex[charger, lane], rows.state[charger, lane] = at, 0
    for foe in foes[:3].tolist():
        at = board.neighbour[at, 0]
        rows.hex[foe, lane], rows.state[foe, lane], rows.formation[foe, lane] = at, 0, SQUARE
