"""How fast the kernels are, compiled and interpreted: ratios in one run. Run: python3 -m tests -m bench -s"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from sim.board import march, sight
from sim.board.flight import retreat
from sim.board.kernel import Mode
from sim.board.tables import new_flight
from tests.agreement.positions import Draw, World, book_of, draw, world

pytestmark = pytest.mark.bench

UNITS, CASES, FEW = 40, 4000, 200


def microseconds(work: Callable[[], object], cases: int) -> float:
    """The best of three, for each case."""
    spent = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        spent.append(time.perf_counter() - start)
    return 1e6 * min(spent) / cases


def calls(one: World, case: Draw) -> dict[str, Callable[[Mode], None]]:
    """Calls of the kernels that a battle makes most."""
    n, board, rows, unit, lane, group = (
        len(case.lane),
        one.board,
        one.position,
        case.unit,
        case.lane,
        case.group,
    )
    moves, yes, number = new_flight(UNITS, n), np.zeros(n, np.bool_), np.zeros(n, np.int16)
    zones = np.zeros((UNITS, n), np.int16)
    points, off, always = np.full(n, 10, np.int16), np.full(n, board.off, np.int16), np.ones(n, np.bool_)
    goal: NDArray[np.int16] = rows.hex[case.march.goal, lane]
    return {
        "rout": lambda mode: retreat(
            mode, board, rows, unit, lane, group, points, always, always, 6, off, moves
        ),
        "rout over terrain": lambda mode: retreat(
            mode, board, rows, unit, lane, group, points, always, ~always, 6, off, moves
        ),
        "in_view": lambda mode: sight.in_view(mode, board, rows, unit, lane, case.there, yes),
        "bearing": lambda mode: sight.bearing(mode, board, rows, case.here, lane, zones),
        "next_turn": lambda mode: march.next_turn(
            mode,
            board,
            rows,
            unit,
            lane,
            group,
            case.here,
            case.direction,
            case.planned,
            goal,
            case.cap,
            number,
        ),
        "within_reach": lambda mode: march.within_reach(
            mode, board, rows, unit, lane, group, case.march, yes
        ),
        "touching": lambda mode: sight.touching(mode, board, rows, unit, lane, yes),
    }


def test_a_compiled_rout_search_at_forty_units_is_at_least_forty_times_the_interpreted_one() -> None:
    rng, ratio = np.random.default_rng(1), {}
    one = world(rng, book_of("prusse-1806"), UNITS, 1000, radius=20, crowd=8)
    many, few = draw(rng, one, CASES), draw(rng, one, FEW)
    slow = calls(one, few)
    print()
    for name, call in calls(one, many).items():
        call(Mode.COMPILED)
        fast = microseconds(lambda call=call: call(Mode.COMPILED), CASES)  # type: ignore[misc]
        told = microseconds(lambda name=name: slow[name](Mode.INTERPRETED), FEW)  # type: ignore[misc]
        ratio[name] = told / fast
        print(
            f"{name:18} {UNITS} units: compiled {fast:8.2f} us a case, interpreted {told:8.0f}, "
            f"ratio {ratio[name]:6.0f}"
        )
    assert ratio["rout"] >= 40
    assert min(ratio.values()) >= 20


def test_a_compiled_call_of_no_cases_costs_less_than_a_tenth_of_a_millisecond() -> None:
    rng = np.random.default_rng(2)
    one = world(rng, book_of("prusse-1806"), UNITS, 10)
    call = calls(one, draw(rng, one, 0))["rout"]
    call(Mode.COMPILED)
    spent = microseconds(lambda: [call(Mode.COMPILED) for _ in range(1000)], 1000)
    print(f"\na call of the rout kernel with no case: {spent:.1f} us")
    assert spent < 100
