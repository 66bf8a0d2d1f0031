"""The engine against the scalar play of `play/`, run by run, under the same dice.

It is written from docs/charge.md and the rule sets, one SimPy environment a run, and shares no rule code with
the engine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sim.studies.odds import responses_of
from sim.units import scenarios
from sim.units.charges import Charge
from tests.agreement.charges import random_charge
from tests.agreement.play import Record, play
from tests.agreement.records import Table, engine_runs

CHARGES = 1000
RUNS = 3
SEED = 7
CHUNKS = 20
COMPARED = ("success", "clean", "bounced", "recovered", "worst", "attempt")
"""What is compared of each charge; besides, the losses and every unit of the run."""


def differences(record: Record, engine: dict[str, Any]) -> list[tuple[Any, ...]]:
    """What the two say differently of one run; a unit that is gone is compared by its fate only."""
    found: list[tuple[Any, ...]] = []
    if record.losses != engine["losses"]:
        found.append(("losses", record.losses, engine["losses"]))
    for fate, other in zip(record.charges, engine["charges"], strict=True):
        for field in COMPARED:
            if getattr(fate, field) != other[field]:
                found.append((field, getattr(fate, field), other[field]))
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
        responses = responses_of(charge.attacks[0])
        compare_charge(charge, responses[index % len(responses)], 10 * index, RUNS)


@pytest.mark.parametrize("edition", [2014, 2015, 2016, 2017, 2018, 2019, 2021, 2022])
def test_engine_agrees_with_the_scalar_play_in_every_edition(edition: int) -> None:
    """The default charge, and one so strong that every melee result down the table occurs, against every
    response."""
    for changes in ([], ["charger.melee=160", "target.formation=column", "charger.lance=12"]):
        charge = scenarios.load(scenarios.DEFAULT, [f"edition={edition}", *changes])
        for response in responses_of(charge.attacks[0]):
            compare_charge(charge, response, 0, 25)


def test_the_comparison_sees_a_difference() -> None:
    """Runs under other dice differ in what they are compared by, and a difference put into any field of a run
    is told."""
    charge = random_charge(0)
    records, _ = engine_runs(charge, "stand", SEED, 0, 40)
    same, other = Table(SEED, 0, 40), Table(SEED + 1, 0, 40)
    told = {
        name
        for k in range(40)
        for name, *_ in differences(play(charge, "stand", other.for_run(k)), records[k])
    }
    record = play(charge, "stand", same.for_run(0))
    assert {"success", "clean", "losses", "target", "charger"} <= told
    assert differences(record, records[0]) == []
    for name in COMPARED:
        other_value: dict[str, Any] = {name: "other"}
        spoilt = replace(record, charges=(replace(record.charges[0], **other_value),))
        assert [field for field, *_ in differences(spoilt, records[0])] == [name]
    spoilt = replace(record, losses=record.losses | {"target": -1})
    assert [field for field, *_ in differences(spoilt, records[0])] == ["losses"]
    for unit, (state, increments, formation, where, readiness) in record.units.items():
        assert where is not None
        for changed in (
            ("other", increments, formation, where, readiness),
            (state, increments + 1, formation, where, readiness),
            (state, increments, "other", where, readiness),
            (state, increments, formation, (99, 99), readiness),
            (state, increments, formation, where, "other"),
        ):
            assert [
                field
                for field, *_ in differences(
                    replace(record, units=record.units | {unit: changed}), records[0]
                )
            ] == [unit]
