"""The engine against the scalar play on files of several charges, run by run (docs/charge.md 14)."""

from __future__ import annotations

import pytest

from tests.agreement.play import play
from tests.agreement.records import Table, engine_runs
from tests.agreement.several import random_charges
from tests.agreement.test_baseline import SEED, differences

FILES = 400
RUNS = 3
CHUNKS = 10


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
