"""The engine against the scalar play on files of several charges, run by run (docs/charge.md 14)."""

from __future__ import annotations

import pytest

from sim.ensemble.dice import ExhaustiveDice
from sim.studies.batches import exact_tallies
from sim.studies.measures import SIDES
from sim.units.orders import Variant
from tests.agreement.counting import count, tally
from tests.agreement.play import play
from tests.agreement.records import Table, engine_runs
from tests.agreement.several import random_charges
from tests.agreement.test_baseline import SEED, differences

FILES = 400
RUNS = 3
CHUNKS = 10
SMALL = (12, 22, 28, 50, 62, 82, 96, 104, 111, 123, 129, 132, 133, 134, 140, 146, 148, 151)
"""Files that can go in at most some two hundred ways."""


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_engine_agrees_with_the_scalar_play_on_random_files_of_several_charges(chunk: int) -> None:
    for index in range(chunk, FILES, CHUNKS):
        charge = random_charges(index)
        responses = tuple(attack.response for attack in charge.attacks)
        first = 10 * index
        records, decisions = engine_runs(charge, responses, SEED, first, RUNS)
        table = Table(SEED, first, RUNS)
        for k in range(RUNS):
            record = play(charge, responses, table.for_run(first + k))
            assert not differences(record, records[k]), f"{charge.title}, run {first + k}"
            assert set(record.decisions) <= set(decisions)


@pytest.mark.parametrize("index", range(0, FILES, 10))
def test_runs_of_several_charges_end_alike_in_lumped_lanes_and_with_a_lane_each(index: int) -> None:
    charge = random_charges(index)
    responses = tuple(attack.response for attack in charge.attacks)
    lumped, _ = engine_runs(charge, responses, SEED, 0, 20)
    apart, _ = engine_runs(charge, responses, SEED, 0, 20, lumped=False)
    assert apart == lumped


@pytest.mark.parametrize("index", SMALL)
def test_exact_odds_of_each_charge_equal_the_count(index: int) -> None:
    """Every roll of a half, the rare ones too: all events of each charge and the mean losses are the same
    fractions."""
    charge = random_charges(index)
    ways = count(charge, tuple(attack.response for attack in charge.attacks))
    assert len(ways) > 10
    for number, attack in enumerate(charge.attacks):
        variants = [Variant.of(attack, attack.response)]
        found = exact_tallies(charge, variants, ExhaustiveDice(), number)[0][0]
        counted = tally(charge, ways, number)
        exact = {name: found.mean_loss(name) if name in SIDES else found.p(name) for name in counted}
        assert exact == counted, f"charge {number + 1}"
