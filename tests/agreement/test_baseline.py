"""The engine against the scalar play of `play/`, run by run, under the same dice.

It is written from docs/charge.md and the rule sets, one SimPy environment a run, and shares no rule code with the engine.
"""

from __future__ import annotations

from typing import Any

import pytest

from sim import scenarios
from sim.charges import Charge
from sim.studies.odds import responses_of
from tests.agreement.charges import random_charge
from tests.agreement.play import Record, play
from tests.agreement.records import Table, engine_runs

CHARGES = 1000
RUNS = 3
SEED = 7
CHUNKS = 20


def differences(record: Record, engine: dict[str, Any]) -> list[tuple[Any, ...]]:
    """What the two say differently of one run; a unit that is gone is compared by its fate only."""
    found = []
    for field in ("success", "clean", "bounced", "recovered", "worst", "attempt", "losses"):
        if getattr(record, field) != engine[field]:
            found.append((field, getattr(record, field), engine[field]))
    for name, scalar in record.units.items():
        other = engine["units"][name]
        gone = scalar[3] is None
        if tuple(scalar)[: 2 if gone else 5] != other[: 2 if gone else 5]:
            found.append((name, scalar, other))
    return found


def compare_charge(charge: Charge, response: str, first: int, runs: int) -> None:
    records, decisions = engine_runs(charge, response, SEED, first, runs)
    table = Table(SEED, first, runs)
    for k in range(runs):
        record = play(charge, response, table.for_run(first + k))
        assert not differences(record, records[k]), f"{charge.title}, {response}, run {first + k}"
        assert set(record.decisions) <= set(decisions)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_engine_agrees_with_the_scalar_play_on_a_thousand_random_charges(chunk: int) -> None:
    for index in range(chunk, CHARGES, CHUNKS):
        charge = random_charge(index)
        responses = responses_of(charge)
        compare_charge(charge, responses[index % len(responses)], 10 * index, RUNS)


@pytest.mark.parametrize("edition", [2014, 2015, 2016, 2017, 2018, 2019, 2021, 2022])
def test_engine_agrees_with_the_scalar_play_in_every_edition(edition: int) -> None:
    """The default charge, and one so strong that every melee result down the table occurs, against every response."""
    for changes in ([], ["charger.melee=160", "target.formation=column", "charger.lance=12"]):
        charge = scenarios.load(scenarios.DEFAULT, [f"edition={edition}", *changes])
        for response in responses_of(charge):
            compare_charge(charge, response, 0, 25)


def test_the_comparison_sees_a_difference() -> None:
    """A run compared with another run of the same charge must differ sooner or later: the test above can fail."""
    charge = random_charge(0)
    records, _ = engine_runs(charge, "stand", SEED, 0, 40)
    table = Table(SEED + 1, 0, 40)
    assert any(differences(play(charge, "stand", table.for_run(k)), records[k]) for k in range(40))
