"""Plans of batches and workers: run i is the same in all of them; a run that fails is found and named."""

from __future__ import annotations

import pytest

from sim.errors import CarreError, ImpossibleStateError, InputError
from sim.studies.record import Record, joined
from sim.studies.run import Battles, plan, run
from sim.units import battlefiles
from sim.units.battles import Scenario
from tests.made_up import FAULTY, faulty, made_up


@pytest.fixture(scope="module")
def mirror() -> Scenario:
    return battlefiles.load("mirror")


def refuses(scenario: Scenario, seed: int, first: int, runs: int) -> Record:
    """A battle whose units cannot stand where they are put."""
    raise InputError("mirror.yaml:3:1: 'placement' is crowded")


def together(scenario: Scenario, seed: int, first: int, runs: int) -> Record:
    """A fault that only shows where runs are played together."""
    if runs > 1:
        raise RuntimeError("lanes disagree")
    return made_up(scenario, seed, first, runs)


@pytest.mark.parametrize("runs", [1, 2, 7, 8, 9, 4001])
@pytest.mark.parametrize("size", [1, 4, 4000])
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_plan_holds_every_run_once_in_even_batches(runs: int, size: int, workers: int) -> None:
    spans = plan(5, runs, size, workers)
    assert [run for first, number in spans for run in range(first, first + number)] == [*range(5, 5 + runs)]
    sizes = [number for _, number in spans]
    assert max(sizes) <= size
    assert max(sizes) - min(sizes) <= 1
    assert len(sizes) % workers == 0 or len(sizes) == runs


@pytest.mark.parametrize(("size", "workers"), [(1, 1), (7, 1), (4000, 1), (7, 2), (5, 3)])
def test_batches_and_workers_change_no_run(mirror: Scenario, size: int, workers: int) -> None:
    alone = made_up(mirror, 3, 10, 20)
    found = run(mirror, 20, 3, workers, first=10, size=size, engine=made_up)
    assert joined(found.records).equals(alone)
    assert found.runs == 20


def test_progress_is_told_batch_by_batch_and_records_go_where_they_are_wanted(mirror: Scenario) -> None:
    told: list[tuple[int, int]] = []
    seen: list[int] = []
    found = run(
        mirror,
        10,
        1,
        progress=lambda done, of: told.append((done, of)),
        size=4,
        each=lambda record: seen.append(record.runs),
        engine=made_up,
    )
    assert told == [(4, 10), (7, 10), (10, 10)]
    assert seen == [4, 3, 3]
    assert found.records == ()
    with pytest.raises(InputError, match="not kept run by run"):
        found.units()


@pytest.mark.parametrize(("size", "workers"), [(1, 1), (7, 1), (4000, 1), (5, 2)])
def test_an_impossible_state_names_run_and_seed_and_keeps_what_was_finished(
    mirror: Scenario, size: int, workers: int
) -> None:
    """The same whatever the batches: the runs before it, and no other."""
    with pytest.raises(ImpossibleStateError) as found:
        run(mirror, 40, 6, workers, size=size, engine=faulty)
    assert f"run {FAULTY} of seed 6 met an impossible state" in str(found.value)
    assert "a unit stands on two hexes" in str(found.value)
    assert f"carre explain mirror --run {FAULTY} --seed 6" in str(found.value)
    finished = found.value.finished
    assert isinstance(finished, Battles)
    assert joined(finished.records).equals(made_up(mirror, 6, 0, FAULTY))


def test_an_impossible_first_run_leaves_nothing(mirror: Scenario) -> None:
    with pytest.raises(ImpossibleStateError) as found:
        run(mirror, 1, 6, first=FAULTY, engine=faulty)
    assert found.value.finished is None


def test_a_fault_of_runs_together_names_the_batch(mirror: Scenario) -> None:
    with pytest.raises(ImpossibleStateError, match="one of runs 0 to 1, played together, of seed 1"):
        run(mirror, 8, 1, size=8, engine=together)


@pytest.mark.parametrize("workers", [1, 2])
def test_input_that_cannot_be_played_is_told_as_it_is(mirror: Scenario, workers: int) -> None:
    with pytest.raises(InputError, match="is crowded"):
        run(mirror, 8, 1, workers, size=2, engine=refuses)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"runs": 0}, "--runs must be an integer from 1"),
        ({"seed": -1}, "--seed must be"),
        ({"workers": 0}, "--workers must be an integer from 1 to 256"),
        ({"first": -1}, "--first must be"),
    ],
)
def test_what_is_asked_is_checked(mirror: Scenario, arguments: dict[str, int], told: str) -> None:
    with pytest.raises(CarreError, match=told):
        run(**{"scenario": mirror, "runs": 1, "seed": 1, "engine": made_up} | arguments)  # type: ignore[arg-type]
