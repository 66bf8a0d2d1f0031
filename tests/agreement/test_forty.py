"""Forty units, placed differently in every run: the engine, a lane a run, and the scalar play agree."""

from __future__ import annotations

from collections import Counter

import pytest

from sim.battle.setup import Played
from tests.agreement.forty import FAR, forty, half_of, placing, play_placed
from tests.agreement.play.hexes import distance
from tests.agreement.records import Table, records_of
from tests.agreement.test_baseline import SEED, differences

RUNS = 60


def test_every_run_places_forty_units_anew_around_the_charger_s_way() -> None:
    charge = forty()
    placings = [placing(run) for run in range(RUNS)]
    assert len(charge.units) == 40
    assert len({unit.id for unit in charge.units}) == 40
    assert len({one.hexes for one in placings}) == RUNS
    way = [at for at, _ in charge.attacks[0].trail]
    for one in placings:
        assert one.hexes[:2] == (way[0], charge.attacks[0].at)
        assert all(min(distance(at, step) for step in way) <= FAR for at in one.hexes)
        for at, crowd in Counter(one.hexes).items():
            assert crowd <= 2
            mates = [unit for unit, place in zip(charge.units, one.hexes, strict=True) if place == at]
            assert len({(unit.side, unit.arm, unit.formation) for unit in mates}) == 1
    assert any(len(set(one.hexes)) < 40 for one in placings)


@pytest.mark.parametrize("response", ["stand", "carre@2"])
def test_engine_agrees_with_the_scalar_play_where_every_lane_is_another_field(response: str) -> None:
    """And the runs are full of incident: fire, attempts, stands, reactions, checks, routs, melees."""
    half = half_of(response, SEED, 0, RUNS)
    half.run()
    records = records_of(Played(half.forces, half.half.charges, half.clock.events))
    table, asked = Table(SEED, 0, RUNS), Counter[str]()
    for run in range(RUNS):
        record = play_placed(placing(run), response, table.for_run(run))
        assert not differences(record, records[run]), f"run {run}"
        asked.update({decision.name.removeprefix("1.1.") for decision in record.decisions})
    often = ("charge/carre", "charge/fire", "charge/loss-check", "defensive-fire/fire", "melee/melee")
    assert min(asked[name] for name in often) > RUNS // 10
    seldom = ("charge/react", "offensive-fire/fire", "recovery/recovery", "melee/fall-back", "melee/leader")
    assert all(asked[name] for name in seldom)


def test_runs_of_a_batch_are_the_same_in_another_batch() -> None:
    """Placed alike, with dice of their own: invariant 1 where a lane is a run."""
    halves = [half_of("stand", SEED, *runs) for runs in ((0, 24), (8, 16))]
    for half in halves:
        half.run()
    whole, part = (half.forces for half in halves)
    assert (whole.map_rows[:, 8:] == part.map_rows).all()
    assert (whole.increments[:, 8:] == part.increments).all()
