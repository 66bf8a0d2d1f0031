"""Forty units, placed differently in every run: what the scenario is about."""

from __future__ import annotations

from collections import Counter

from tests.agreement.forty import FAR, forty, placing, play_placed
from tests.agreement.play.hexes import distance
from tests.agreement.records import Table
from tests.agreement.test_baseline import SEED

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


def test_the_runs_are_full_of_incident() -> None:
    """Fire, carré attempts, stands, reactions, checks, routs and melees, and no run like another."""
    table = Table(SEED, 0, RUNS)
    records = [play_placed(placing(run), "stand", table.for_run(run)) for run in range(RUNS)]
    asked = Counter(
        name for record in records for name in {decision.name[4:] for decision in record.decisions}
    )
    assert min(asked["charge/stand"], asked["charge/carre"], asked["defensive-fire/fire"]) > RUNS // 5
    assert {"charge/fire", "charge/react", "charge/loss-check", "melee/melee", "recovery/recovery"} <= {
        *asked
    }
    assert {record.charges[0].worst for record in records} >= {"good", "routed"}
