"""What the battle asks of the board by cases: told and remembered, gone over to compiled kernels, or a lane a
run, with the same answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sim.board import survey
from sim.board.kernel import Mode, fast_mode
from sim.board.survey import Survey, Way
from sim.board.tables import Ints
from sim.ensemble.cases import Cases
from sim.ensemble.lanes import ROOM, Ensemble
from tests.agreement.positions import Draw, World, book_of, draw, world
from tests.agreement.test_kernels import HORIZON, run

UNITS, LANES = 9, 60


class Placed:
    """Positions as a batch holds them: rows with room behind the lanes."""

    def __init__(self, one: World) -> None:
        rows = np.concatenate(one.position)
        self.map_rows: Ints = np.pad(rows, ((0, 0), (0, ROOM)))[:, : rows.shape[1]]


def ground(seed: int) -> tuple[World, Draw]:
    """A world, and one random case in each of some of its lanes."""
    rng = np.random.default_rng(seed)
    one = world(rng, book_of("prusse-1806"), UNITS, LANES)
    drawn = draw(rng, one, 3 * LANES)
    _, first = np.unique(drawn.lane, return_index=True)

    def some(value: Any) -> Any:
        if isinstance(value, tuple):
            return type(value)(*(some(part) for part in value))
        return np.ascontiguousarray(value[..., first]) if isinstance(value, np.ndarray) else value

    return one, Draw(**{name: some(value) for name, value in vars(drawn).items()})


def survey_of(one: World, lumped: bool) -> Survey:
    sides, arms, kinds, homes = (
        tuple(row.tolist()) for row in (one.board.side, one.board.arm, one.board.kind, one.board.home)
    )
    return Survey(Placed(one), one.map, one.book, sides, arms, kinds, homes, lumped)


def cases_of(case: Draw) -> Cases:
    ensemble = Ensemble(UNITS, 0, LANES)
    unit = case.unit.astype(np.intp)
    return Cases(ensemble, case.lane.astype(np.intp), unit, unit, ensemble.epoch)


def answers(asked: Survey, one: World, case: Draw) -> dict[str, NDArray[np.generic]]:
    """What the survey says of the cases of a draw, in the names of the kernels."""
    cases, group, how = cases_of(case), case.group, case.march
    start = one.position.hex[how.goal, case.lane]
    way = Way(*how[:9], how.made, how.planned, how.turns, how.facing_cost, how.formation_cost)
    on = asked.retreat(cases, group, case.points, case.full, True, HORIZON, case.first)
    return {
        "sees": asked.sees(cases.lane, case.here, case.there),
        "in_view": asked.in_view(cases, case.there),
        "zone_toward": asked.zone_toward(cases, case.there),
        "zones": asked.bearing(cases.lane, case.here),
        "touching": asked.touching(cases),
        "passable": asked.passable(cases, group, case.direction),
        "next_turn": asked.next_turn(cases, group, case.direction, case.planned, start, case.cap),
        "squares": asked.ride_length(cases, group, way, True),
        "within_reach": asked.within_reach(cases, group, way),
        "free_step": asked.free_step(cases, HORIZON),
        "end": on.end,
        "direction": on.direction,
        "surrendered": on.surrendered,
        "zone_hexes": on.zone_hexes,
        "cavalry_zone": on.cavalry_zone,
        "passed": on.passed,
    }


@pytest.mark.parametrize("seed", range(6))
def test_told_remembered_compiled_and_a_lane_a_run_the_survey_says_what_the_kernels_say(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, case = ground(seed)
    case = Draw(**{**vars(case), "flat": np.ones_like(case.flat), "flag": np.ones_like(case.flag)})
    expected = run(Mode.INTERPRETED, one, case)
    survey.memories.cache_clear()
    lumped = survey_of(one, True)
    found = [answers(lumped, one, case) for _ in range(2)]
    known = lumped.worked_out
    found.append(answers(lumped, one, case))
    assert lumped.mode is Mode.INTERPRETED
    assert lumped.worked_out == known > 0
    monkeypatch.setattr(survey, "MANY", 0)
    survey.memories.cache_clear()
    over = survey_of(one, True)
    found.append(answers(over, one, case))
    apart = survey_of(one, False)
    found.append(answers(apart, one, case))
    assert over.mode is apart.mode is fast_mode()
    assert not apart.worked_out
    for told in found:
        for name, value in told.items():
            assert value.tolist() == expected[name].tolist(), name


def test_units_that_ride_together_are_part_of_what_is_remembered() -> None:
    for seed in range(6, 12):
        one, case = ground(seed)
        survey.memories.cache_clear()
        asked, cases = survey_of(one, True), cases_of(case)
        alone = np.zeros_like(case.group)
        alone[case.unit, np.arange(len(cases))] = True
        for group in (case.group, alone, case.group):
            fresh = survey_of(one, False).retreat(cases, group, 9, True, False, HORIZON, one.board.off)
            told = asked.retreat(cases, group, 9, True, False, HORIZON, one.board.off)
            assert all((a == b).all() for a, b in zip(fresh, told, strict=True))


def test_stale_cases_are_refused() -> None:
    one, case = ground(3)
    cases = cases_of(case)
    cases.ensemble.fork(np.array([0]))
    with pytest.raises(LookupError, match="stale"):
        survey_of(one, True).touching(cases)


def test_the_position_of_kernels_is_kept_until_lanes_split() -> None:
    asked = survey_of(ground(1)[0], lumped=False)
    placed, before = asked.placed, asked._position()
    assert isinstance(placed, Placed)
    assert asked._position() is before
    placed.map_rows = placed.map_rows[:, 1:]
    assert (asked._position().hex == before.hex[:, 1:]).all()
