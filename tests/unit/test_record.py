"""What is kept and counted of battles: records made by hand, with what they must come to."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from sim.studies.counts import ALL_ARMS, Counts, counts, quantile, spread, total
from sim.studies.matters import lead, level_shares, matters, wins
from sim.studies.record import AWAITED, EXITED, FATES, IN_ROUT, LOST, ROUTED_OFF, Record, fates, joined
from sim.units import battlefiles
from sim.units.battles import Scenario
from sim.vocabulary import Reason, State
from tests.made_up import made_up

WEST, EAST, DRAW = 0, 1, 4
"""Rungs of mirror: West decisive, East decisive, and draw."""


@pytest.fixture(scope="module")
def mirror() -> Scenario:
    return battlefiles.load("mirror")


def quiet(scenario: Scenario, standing: list[list[int]]) -> Record:
    """Battles in which nothing happens, but how things stand: shape (turns, runs)."""
    turns, runs, units = len(standing), len(standing[0]), len(scenario.units)
    nothing = np.zeros((turns, units, runs), np.int8)
    each = np.zeros((units, runs), np.int16)
    return Record(
        first=0,
        standing=np.array(standing, np.int8),
        levels=np.zeros((turns, 2, runs), np.int8),
        lost=nothing,
        left=nothing,
        fate=nothing,
        routs=each,
        rout_hex=each - 1,
        hex=each,
        formation=each,
        readiness=each,
    )


def changed(record: Record, **arrays: np.ndarray) -> Record:
    return Record(**{one.name: arrays.get(one.name, getattr(record, one.name)) for one in fields(record)})


@pytest.mark.parametrize(
    ("standing", "turn"),
    [
        ([WEST, WEST, WEST], 1),
        ([DRAW, WEST, WEST], 2),
        ([WEST, EAST, WEST], 3),
        ([EAST, EAST, WEST], 3),
        ([WEST, 2, WEST], 1),
        ([WEST, WEST, DRAW], 0),
    ],
    ids=["always", "from the second", "lost and won back", "at last", "by another rung", "drawn"],
)
def test_a_battle_is_decided_when_its_winner_is_ahead_to_stay(
    mirror: Scenario, standing: list[int], turn: int
) -> None:
    """Rung 2 is West's marginal victory: the side counts, not the rung."""
    record = quiet(mirror, [[one] for one in standing])
    winners = np.array([-1 if one.side is None else one.side for one in mirror.ladder], np.int8)
    assert record.decided(winners).tolist() == [turn]


def test_fates_are_states_on_the_map_and_reasons_off_it() -> None:
    state = np.array([State.GOOD, State.DISORDERED, State.ROUTED, *[State.GONE] * 6])
    reason = np.array([0, Reason.LEFT, 0, *list(Reason)[1:]])
    assert [FATES[one] for one in fates(state, reason)] == [
        *("in order", "disordered", "routed", "eliminated", "surrendered", "taken"),
        *("routed off", "exited", "awaited"),
    ]


def test_a_unit_is_broken_that_has_routed_or_is_lost_but_not_one_that_left(mirror: Scenario) -> None:
    record = quiet(mirror, [[DRAW] * 5])
    fate, routs = record.fate.copy(), record.routs.copy()
    fate[-1, 0] = [0, IN_ROUT, LOST, ROUTED_OFF, EXITED]
    fate[-1, 1] = AWAITED
    routs[2, 0] = 1  # and has rallied
    record = changed(record, fate=fate, routs=routs)
    assert record.broken[0].tolist() == [False, True, True, True, False]
    assert not record.broken[1].any()
    assert record.broken[2].tolist() == [True, False, False, False, False]


def test_counts_are_those_of_a_battle_worked_out_by_hand(mirror: Scenario) -> None:
    """Three runs of one turn. In the second West's first battalion loses 3 and routs at hex 7, its battery 1;
    East's first hussars, unit 16, lose all 8. In the third East's first battalion leaves with its 8."""
    record = quiet(mirror, [[WEST, EAST, EAST]])
    lost, left, fate = record.lost.copy(), record.left.copy(), record.fate.copy()
    routs, rout_hex, levels = record.routs.copy(), record.rout_hex.copy(), record.levels.copy()
    battery, hussars, east = 6, 16, 9
    assert [mirror.units[n].name for n in (battery, hussars, east)] == [
        *("West battery", "East hussars 1", "East battalion 1"),
    ]
    lost[0, [0, battery, hussars], 1] = [3, 1, 8]
    fate[0, [0, hussars], 1] = [IN_ROUT, LOST]
    routs[0, 1], rout_hex[0, 1] = 1, 7
    left[0, east, 2], fate[0, east, 2] = 8, EXITED
    levels[0, 0, 1:] = [2, 1]
    found = counts(
        changed(record, lost=lost, left=left, fate=fate, routs=routs, rout_hex=rout_hex, levels=levels),
        mirror,
    )
    assert found.n == 3
    assert found.results.tolist() == [1, 2, 0, 0, 0]
    assert wins(found, mirror) == (1, 2, 0)
    assert found.decided[:, 0].tolist() == [1, 2]
    infantry, cavalry, guns = found.lost[0, :3]
    assert (infantry[3], cavalry[0], guns[1], found.lost[0, ALL_ARMS, 4]) == (1, 3, 1, 1)
    assert (found.lost[1, 1, 8], found.lost[1, ALL_ARMS, 0]) == (1, 2)
    assert (found.men[0, 300 // 50], found.men[1, 400 // 50]) == (
        1,
        1,
    )  # 3 of foot, 8 of horse; guns are none
    assert (found.left[1, 8], found.left[0, 0]) == (1, 3)
    assert [spread(one)[2] for one in found.units_of[0]] == [1, 0, 0, 0]
    assert [spread(one)[2] for one in found.units_of[1]] == [0, 1, 0, 1]
    assert level_shares(found)[0, 0].tolist() == [2 / 3, 1 / 3, 0]
    assert found.unit_lost[[0, battery, hussars]].tolist() == [3, 1, 8]
    assert found.unit_routed.tolist() == [1] + 17 * [0]
    assert found.won[0].tolist() == [[1, 1], [1, 0]]  # whole: lost the third, won the first; broken: lost one
    assert (found.routed_at[0, 7], found.routed_at.sum()) == (1, 1)


def test_counts_of_batches_add_up_to_those_of_all(mirror: Scenario) -> None:
    parts = [made_up(mirror, 1, first, runs) for first, runs in ((0, 1), (1, 5), (6, 3))]
    together = total([counts(part, mirror) for part in parts])
    whole = counts(joined(parts), mirror)
    for one in fields(Counts):
        assert np.array_equal(getattr(together, one.name), getattr(whole, one.name)), one.name


def test_quantiles_are_values_that_so_great_a_share_does_not_exceed() -> None:
    counted = np.array([5, 0, 90, 5])
    assert [quantile(counted, share) for share in (0.05, 0.051, 0.5, 0.95, 0.951)] == [0, 2, 2, 2, 3]
    assert spread(np.array([0, 0, 1])) == (2, 2, 2)


@pytest.mark.parametrize(
    ("results", "ahead"),
    [
        ([5000, 5000, 0, 0, 0], None),
        ([5200, 4800, 0, 0, 0], "West"),
        ([0, 2, 0, 0, 1], None),
        ([0, 40, 0, 0, 0], "East"),
    ],
)
def test_who_wins_more_often_is_said_only_where_it_is_seen(
    mirror: Scenario, results: list[int], ahead: str | None
) -> None:
    """Of 10,000 battles without draws the difference has a standard error of a point: 4 points are seen."""
    found = counts(quiet(mirror, [[DRAW]]), mirror)
    found = Counts(
        **{
            one.name: getattr(found, one.name) for one in fields(found) if one.name not in ("runs", "results")
        },
        runs=np.array(sum(results)),
        results=np.array(results),
    )
    difference, low, high = lead(found, mirror)
    assert low <= difference <= high
    assert {None: low <= 0 <= high, "West": low > 0, "East": high < 0}[ahead]


def test_the_interval_of_the_lead_is_that_of_two_shares_of_the_same_runs(mirror: Scenario) -> None:
    """1.96 √((p + q - (p - q)²) / n) with p = 0.5, q = 0.3, n = 10,000 is 0.0171."""
    found = counts(quiet(mirror, [[WEST] * 5 + [EAST] * 3 + [DRAW] * 2]), mirror)
    found = total([found] * 1000)
    difference, low, high = lead(found, mirror)
    assert difference == pytest.approx(0.2)
    assert (high - low) / 2 == pytest.approx(0.0171, abs=0.0001)


def test_a_unit_matters_whose_breaking_goes_with_defeat(mirror: Scenario) -> None:
    """West wins 30 of 40 where its first battalion holds, 10 of 40 where it breaks; the second breaks in
    half of each."""
    results = [WEST] * 30 + [EAST] * 10 + [WEST] * 10 + [EAST] * 30
    record = quiet(mirror, [results])
    routs = record.routs.copy()
    routs[0, 40:] = 1
    routs[1, ::2] = 1
    (one,) = matters(counts(changed(record, routs=routs), mirror), 8)
    assert (one.unit, one.broken, one.if_broken, one.if_not, one.difference) == (0, 0.5, 0.25, 0.75, 0.5)
