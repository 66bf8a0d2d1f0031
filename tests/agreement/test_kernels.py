"""The kernels interpreted, compiled, and the geometry in plain Python give the same on random positions; and
what must be so of every retreat."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from sim.board import march, sight
from sim.board.flight import retreat
from sim.board.hexmap import Hex, HexMap, Rhombus
from sim.board.kernel import Kernel, Mode
from sim.board.tables import Flight, Position, board_of, new_flight
from tests.agreement.plain import ALL_TURNS, free_step, passable
from tests.agreement.plain import retreat as plain_retreat
from tests.agreement.plain_march import March as PlainMarch
from tests.agreement.plain_march import ride_cost, turn_for
from tests.agreement.plain_march import ride_length as plain_ride_length
from tests.agreement.plain_march import within_reach as plain_within_reach
from tests.agreement.positions import PAD, Draw, World, book_of, draw, world

HORIZON = 6
BOOKS = ("prusse-1806", "aspern-essling-1809", "wagram-1809")
NUMBERS = ("zone_toward", "next_turn", "free_step", "zone_along", "zone_of_hex")
Results = dict[str, NDArray[np.generic]]


def run(mode: Mode, one: World, case: Draw) -> Results:
    """Every kernel on every case."""
    units, cases = len(one.board.side), len(case.lane)
    ints, bools = np.full((5, cases), 77, np.int16), np.zeros((4, cases), np.bool_)
    zones, rides = np.full((units, cases), 77, np.int16), np.full((2, cases), 77, np.int16)
    moves, touches = new_flight(units, cases), np.zeros(cases, np.bool_)
    board, rows, unit, lane, group = one.board, one.position, case.unit, case.lane, case.group
    sight.sees(mode, board, rows, lane, case.here, case.there, bools[0])
    sight.in_view(mode, board, rows, unit, lane, case.there, bools[1])
    sight.zone_toward(mode, board, rows, unit, lane, case.there, ints[0])
    sight.zone_along(mode, board, rows, unit, lane, case.there, ints[3])
    own = rows.hex[unit, lane]
    sight.zone_of_hex(mode, board, rows, unit, lane, own, case.there, ints[4])
    sight.bearing(mode, board, rows, case.here, lane, zones)
    sight.touching(mode, board, rows, unit, lane, touches)
    march.passable(mode, board, rows, unit, lane, group, case.here, case.direction, bools[2])
    goal = rows.hex[case.march.goal, lane]
    march.next_turn(
        mode, board, rows, unit, lane, group, case.here, case.direction, case.planned, goal, case.cap, ints[1]
    )
    march.ride_length(mode, board, rows, unit, lane, group, case.march, case.flag, rides[0], rides[1])
    march.within_reach(mode, board, rows, unit, lane, group, case.march, bools[3])
    march.free_step(mode, board, rows, unit, lane, HORIZON, ints[2])
    retreat(
        mode, board, rows, unit, lane, group, case.points, case.full, case.flat, HORIZON, case.first, moves
    )
    named = dict(zip(("sees", "in_view", "passable", "within_reach"), bools, strict=False))
    named |= {
        "touching": touches,
        "surrendered": moves.surrendered,
        "cavalry_zone": moves.cavalry_zone,
        "passed": moves.passed,
    }
    numbers = dict(zip(NUMBERS, ints, strict=True))
    numbers |= {"zones": zones, "squares": rides[0], "points": rides[1]}
    return {
        **named,
        **numbers,
        "end": moves.end,
        "direction": moves.direction,
        "zone_hexes": moves.zone_hexes,
    }


def geometry(one: World, case: Draw) -> Results:
    """The same by the geometry in plain Python."""
    cases, units, found = len(case.lane), len(one.board.side), {}
    for k in range(cases):
        for name, value in _one(one, case, k).items():
            if name not in found:
                first = np.asarray(value)
                found[name] = np.zeros((*first.shape, cases), np.bool_ if first.dtype == bool else np.int64)
            found[name][..., k] = value
    assert found["zones"].shape == (units, cases)
    return found


def _one(one: World, case: Draw, k: int) -> dict[str, object]:
    lane, unit = int(case.lane[k]), int(case.unit[k])
    seen, map_, units = one.situation(lane), one.map, range(len(one.board.side))
    here, there = map_.hex(int(case.here[k])), map_.hex(int(case.there[k]))
    assert here is not None
    goal = int(case.march.goal[k])
    group = (unit, *(u for u in units if case.group[u, k] and u != unit))
    moves = plain_retreat(
        seen,
        group,
        int(case.points[k]),
        bool(case.full[k]),
        bool(case.flat[k]),
        HORIZON,
        map_.hex(int(case.first[k])),
    )
    direction, cap, planned = int(case.direction[k]), int(case.cap[k]), int(case.planned[k])
    allowed = (0, 1) if cap < 0 else tuple(turn for turn in ALL_TURNS if abs(turn) <= cap)
    turn = turn_for(
        seen, group, here, direction, None if planned == march.NO_TURN else planned, seen.hexes[goal], allowed
    )
    told = _march(case, k, group)
    squares = plain_ride_length(seen, told, here, bool(case.flag[k]))
    toward = [sight.ON_IT if here in seen.hexes_of(u) else seen.zone_beside(u, here) for u in units]
    reaction = free_step(seen, unit, HORIZON)
    sees = there is not None and seen.sees(here, there)
    return {
        "sees": sees,
        "in_view": there is not None and seen.in_view(unit, there),
        "zone_toward": -1 if there is None else seen.zone_beside(unit, there),
        "zone_along": -1 if there is None else seen.zone_along(unit, there),
        "zone_of_hex": -1 if there is None else seen.zone_along(unit, there, seen.hexes[unit]),
        "zones": toward,
        "touching": any(
            seen.gap(u, at) <= 1 for u in seen.enemies(one.ground.sides[unit]) for at in seen.hexes_of(unit)
        ),
        "passable": passable(seen, group, here, direction),
        "next_turn": march.NO_TURN if turn is None else turn,
        "squares": squares,
        "points": ride_cost(seen, told.direction, here, squares) if squares else 0,
        "within_reach": plain_within_reach(seen, told),
        "free_step": map_.number(reaction),
        "end": map_.number(moves.end),
        "direction": -1 if moves.direction is None else moves.direction,
        "surrendered": moves.surrendered,
        "zone_hexes": moves.zone_hexes,
        "cavalry_zone": moves.cavalry_zone,
        "passed": [u in moves.passed for u in units],
    }


def _march(case: Draw, k: int, group: tuple[int, ...]) -> PlainMarch:
    told = case.march
    turns = tuple(told.turns[told.made[k] : told.planned[k], k].tolist())
    change = int(told.change_to[k])
    return PlainMarch(
        group,
        int(told.goal[k]),
        int(told.direction[k]),
        int(told.left[k]),
        int(told.steps[k]),
        turns,
        int(told.formation[k]),
        change if change >= 0 else None,
        bool(told.rides[k]),
        bool(told.over_goal[k]),
        int(told.cap[k]),
        told.facing_cost,
        told.formation_cost,
    )


def same(first: Results, second: Results) -> None:
    """Equal in every result of every case."""
    assert first.keys() == second.keys()
    for name, values in first.items():
        differ = np.flatnonzero((values != second[name]).reshape(-1, values.shape[-1]).any(axis=0))
        assert not len(differ), (
            f"{name}: case {differ[0]} of {len(differ)} that differ: {values[..., differ[0]]} "
            f"{second[name][..., differ[0]]}"
        )


def worlds(seed: int, count: int, lanes: int) -> list[tuple[World, np.random.Generator]]:
    """Random worlds of all kinds."""
    found = []
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        book = book_of(BOOKS[number % len(BOOKS)])
        found.append(
            (
                world(
                    rng,
                    book,
                    int(rng.integers(2, 17)),
                    lanes,
                    radius=int(rng.integers(3, 13)),
                    crowd=int(rng.integers(2, 8)),
                    in_two=number % 2 == 0,
                ),
                rng,
            )
        )
    return found


def test_the_kernels_give_what_the_geometry_in_plain_python_gives() -> None:
    for one, rng in worlds(1, 40, 20):
        case = draw(rng, one, 50)
        same(run(Mode.INTERPRETED, one, case), geometry(one, case))


def test_compiled_and_interpreted_kernels_give_the_same() -> None:
    for one, rng in worlds(2, 10, 40):
        case = draw(rng, one, 200)
        same(run(Mode.COMPILED, one, case), run(Mode.INTERPRETED, one, case))


@pytest.mark.bench
def test_compiled_and_interpreted_kernels_give_the_same_on_a_hundred_thousand_cases() -> None:
    cases = 0
    for one, rng in worlds(3, 250, 100):
        case = draw(rng, one, 400)
        same(run(Mode.COMPILED, one, case), run(Mode.INTERPRETED, one, case))
        cases += len(case.lane)
    assert cases == 100_000


def test_a_kernel_is_compiled_for_one_memory_layout() -> None:
    """Another layout or type would be compiled anew, unnoticed, in the middle of a battle."""
    for one, rng in worlds(4, 3, 7):
        run(Mode.COMPILED, one, draw(rng, one, 9))
    kernels = [
        one for module in (sight, march) for one in vars(module).values() if isinstance(one, Kernel)
    ] + [retreat]
    kernels.remove(march.free_ride)  # asked by charges alone
    assert len(kernels) == 13
    compiled = {one.__name__: len(one.compiled.signatures) for one in kernels}  # type: ignore[attr-defined]
    assert compiled == {one.__name__: 1 for one in kernels}


def test_the_random_cases_reach_every_kind_of_result() -> None:
    """Each yes-or-no result is both often enough, and each number takes several values."""
    seen: dict[str, list[NDArray[np.generic]]] = {}
    for one, rng in worlds(2, 10, 40):
        for name, values in run(Mode.COMPILED, one, draw(rng, one, 200)).items():
            seen.setdefault(name, []).append(
                np.any(values, axis=0) if name == "passed" else values.reshape(-1)
            )
    share = {name: np.concatenate(values).mean() for name, values in seen.items() if values[0].dtype == bool}
    assert {name: value for name, value in share.items() if not 0.002 < value < 0.998} == {}
    least = {
        "squares": 3,
        "zone_hexes": 4,
        "zone_toward": 4,
        "direction": 7,
        "next_turn": 7,
    }
    assert {
        name: len(np.unique(np.concatenate(seen[name])))
        for name in least
        if len(np.unique(np.concatenate(seen[name]))) < least[name]
    } == {}


# -- what must be so of every retreat -----------------------------------------------------------------


def moves_of(one: World, case: Draw) -> Flight:
    """Every retreat of the cases, none with a first step laid down."""
    moves, board = new_flight(len(one.board.side), len(case.lane)), one.board
    retreat(
        *(Mode.COMPILED, board, one.position, case.unit, case.lane, case.group),
        *(case.points, case.full, case.flat, HORIZON, np.full(len(case.lane), board.off, np.int16), moves),
    )
    return moves


def test_a_retreat_ends_free_of_friends_and_farther_from_every_enemy_who_was_near() -> None:
    """0-decisions 5.12; with no enemy on the map the way home is as it is."""
    moved = 0
    for one, rng in worlds(5, 30, 40):
        case, board, rows = draw(rng, one, 200), one.board, one.position
        moves = moves_of(one, case)
        for k in np.flatnonzero(moves.direction >= 0).tolist():
            seen = one.situation(int(case.lane[k]))
            start, end = (
                one.map.hex(int(rows.hex[case.unit[k], case.lane[k]])),
                one.map.hex(int(moves.end[k])),
            )
            assert start is not None
            assert end is not None
            foes = seen.enemies(int(board.side[case.unit[k]]))
            if not foes:
                continue
            near = [foe for foe in foes if seen.gap(foe, start) <= HORIZON]
            assert all(seen.gap(foe, end) > seen.gap(foe, start) for foe in near)
            others = [u for u in range(len(board.side)) if not case.group[u, k]]
            assert not any(end in seen.hexes_of(u) for u in others)
            moved += 1
        fought = [
            bool(one.situation(int(j)).enemies(int(board.side[u])))
            for u, j in zip(case.unit, case.lane, strict=True)
        ]
        stayed = (moves.direction < 0) & (case.points > 0) & case.full
        assert (moves.surrendered == (stayed & fought)).all()
    assert moved > 1000


Image = tuple[Callable[[Hex], Hex], Callable[[int], int]]
TURNED: Image = (lambda at: (-at[1], at[0] + at[1]), lambda twelfth: (twelfth + 2) % 12)
MIRRORED: Image = (lambda at: (at[0] + at[1], -at[1]), lambda twelfth: -twelfth % 12)
"""By a sixth of a circle, and across the line through sides 0 and 3: hexes, and directions in twelfths."""
AS_IT_IS: Image = (lambda at: at, lambda twelfth: twelfth)
WIDE = 60
"""No retreat of the cases reaches the edge, which looks different when it is turned."""


def image(one: World, how: Image) -> World:
    """A world turned or mirrored."""
    place, twelfth = how
    terrain = {place(at): name for at, name in one.map.terrain.items()}
    map_ = HexMap(
        Rhombus(WIDE),
        terrain,
        {(place(at), twelfth(2 * d) // 2): name for (at, d), name in one.map.hexsides.items()},
    )
    rows = Position(*(np.pad(row, ((0, 0), (0, PAD)))[:, : row.shape[1]] for row in one.position))
    for u, j in np.ndindex(rows.hex.shape):
        at = one.map.hex(int(rows.hex[u, j]))
        rows.hex[u, j] = map_.number(at and place(at))
        other = one.map.hex(int(rows.second[u, j]))
        rows.second[u, j] = map_.number(other and place(other))
        rows.facing[u, j] = twelfth(int(rows.facing[u, j]))
    board = one.board
    homes = tuple(twelfth(2 * home) // 2 for home in board.home.tolist())
    board = board_of(
        map_,
        one.book,
        tuple(board.side.tolist()),
        tuple(board.arm.tolist()),
        tuple(board.kind.tolist()),
        homes,
    )
    return World(map_, one.book, board, one.ground, rows)


def test_a_position_turned_by_a_sixth_of_a_circle_gives_the_retreat_turned() -> None:
    place = TURNED[0]
    for one, rng in worlds(6, 20, 30):
        case, straight, turned = draw(rng, one, 100), image(one, AS_IT_IS), image(one, TURNED)
        first, second = moves_of(straight, case), moves_of(turned, case)
        ends = [straight.map.hex(int(end)) for end in first.end]
        assert [end and place(end) for end in ends] == [turned.map.hex(int(end)) for end in second.end]
        assert (np.where(first.direction < 0, -1, (first.direction + 1) % 6) == second.direction).all()
        for mine, other in zip(first[2:], second[2:], strict=True):
            assert (mine == other).all()


def test_a_mirrored_position_gives_the_mirrored_retreat_but_for_ties_that_go_clockwise() -> None:
    """Whether there is a path never depends on the hand; which one, where two are as good."""
    alike = cases = 0
    for one, rng in worlds(7, 20, 30):
        case, straight, mirror = draw(rng, one, 100), image(one, AS_IT_IS), image(one, MIRRORED)
        first, second = moves_of(straight, case), moves_of(mirror, case)
        assert (first.surrendered == second.surrendered).all()
        assert ((first.direction < 0) == (second.direction < 0)).all()
        went = np.flatnonzero(first.direction >= 0)
        ends = [(straight.map.hex(int(first.end[k])), mirror.map.hex(int(second.end[k]))) for k in went]
        alike += sum(MIRRORED[0](end) == other for end, other in ends if end is not None)
        cases += len(went)
    assert cases > 1000
    assert alike > 0.7 * cases
