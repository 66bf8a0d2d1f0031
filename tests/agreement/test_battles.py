"""Battles of the engine: a run is the same in any batch, on any number of workers, alone, told, and with
compiled or interpreted kernels; what is kept of it adds up; seatings of a mirror are mirror images."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from sim.board.kernel import Mode
from sim.ensemble.dice import RandomDice
from sim.report.battlestory import explain_battle
from sim.studies import engine
from sim.studies.engine import chronicle_of, play, record_of, set_up
from sim.studies.record import EXITED, FATES, IN_ROUT, LOST, ROUTED_OFF, Record, joined
from sim.studies.run import run
from sim.units import battlefiles
from sim.units.battles import Scenario
from sim.units.record import Recorder

SEED, RUNS = 8, 24
SHORT = {
    "raszyn-pontoon-1809": ("turns.to=19:40",),
    "mirror": ("turns.to=10:20",),
    "halle-1806": ("turns.to=10:40",),
}
"""Scenarios, and the changes that leave their first turns: enough for charges, fire, assaults and routs."""


def short(name: str) -> Scenario:
    return battlefiles.load(name, SHORT[name])


@pytest.fixture(scope="module", params=SHORT)
def scenario(request: pytest.FixtureRequest) -> Scenario:
    return short(request.param)


@pytest.fixture(scope="module")
def whole(scenario: Scenario) -> Record:
    """Runs played together."""
    return play(scenario, SEED, 0, RUNS)


def part(record: Record, first: int, runs: int) -> Record:
    """Some of the runs of a record that begins with run 0."""
    arrays = {name: one[..., first : first + runs] for name, one in vars(record).items() if name != "first"}
    return Record(first=first, **{name: one for name, one in arrays.items() if isinstance(one, np.ndarray)})


def test_so_much_happens_that_agreement_means_something(whole: Record) -> None:
    assert whole.lost[-1].sum(axis=0).min() > 0
    assert (whole.routs > 0).any()
    assert len(np.unique(whole.hex, axis=1).T) == RUNS


@pytest.mark.parametrize("size", [1, 7])
def test_a_run_is_the_same_in_batches_of_any_size(scenario: Scenario, whole: Record, size: int) -> None:
    runs = 6 if size == 1 else RUNS
    found = run(scenario, runs, SEED, size=size)
    assert joined(found.records).equals(part(whole, 0, runs))


@pytest.mark.parametrize(("first", "runs"), [(1, 5), (7, 3), (22, 2)])
def test_a_batch_may_start_at_any_run(scenario: Scenario, whole: Record, first: int, runs: int) -> None:
    assert play(scenario, SEED, first, runs).equals(part(whole, first, runs))


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_change_no_run(workers: int) -> None:
    """One scenario, since each worker starts a Python of its own."""
    short_ = short("raszyn-pontoon-1809")
    alone = run(short_, RUNS, SEED)
    found = run(short_, RUNS, SEED, workers, size=7)
    assert joined(found.records).equals(joined(alone.records))
    assert found.to_frame().equals(alone.to_frame())
    assert found.units().equals(alone.units())
    assert found.turns().equals(alone.turns())


def test_kernels_compiled_and_interpreted_play_the_same(
    scenario: Scenario, whole: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim.board.survey.fast_mode", lambda: Mode.INTERPRETED)
    monkeypatch.setattr(engine, "RandomDice", partial(RandomDice, compiled=False))
    assert play(scenario, SEED, 0, 2).equals(part(whole, 0, 2))


def test_a_run_is_told_alike_alone_and_in_a_batch(scenario: Scenario, whole: Record) -> None:
    """The events of its lane, one by one; and it ends as it did among the others."""
    heard = []
    for first, runs, lane in ((5, 1, 0), (0, 9, 5)):
        recorder = Recorder(lane)
        battle = set_up(scenario, SEED, first, runs, recorder)
        battle.run()
        heard.append([(one.moment, vars(one.event)) for one in recorder.entries])
        record = record_of(battle, scenario, first)
        assert part(record, lane, 1).hex.tolist() == part(whole, 5, 1).hex.tolist()
    assert heard[0] == heard[1]
    assert heard[0]


def test_a_story_ends_as_its_run_did_in_the_batch(scenario: Scenario, whole: Record) -> None:
    """Result, losses by side and, step by step, who lost how much."""
    for number in (0, 3):
        told = explain_battle(scenario, number, SEED)
        assert told["outcome"] == scenario.ladder[int(whole.result[number])].result
        lost = dict.fromkeys((unit.name for unit in scenario.units), 0)
        for step in told["steps"]:
            if step["text"].startswith("loses "):
                lost[step["who"]] += int(step["text"].split()[1].strip(":"))
        assert list(lost.values()) == whole.lost[-1, :, number].tolist()


# -- what is kept adds up -------------------------------------------------------------------------


def test_increments_are_never_negative_and_losses_never_shrink(scenario: Scenario, whole: Record) -> None:
    start = np.array([unit.increments for unit in scenario.units])[:, None]
    assert (whole.lost >= 0).all()
    assert (whole.lost + whole.left <= start).all()
    assert (np.diff(whole.lost.astype(int), axis=0) >= 0).all()
    assert (np.diff(whole.left.astype(int), axis=0) >= 0).all()


def test_who_is_gone_has_lost_or_taken_along_all(scenario: Scenario, whole: Record) -> None:
    start = np.broadcast_to(np.array([unit.increments for unit in scenario.units])[:, None], whole.fate.shape)
    gone = (whole.fate >= LOST) & (whole.fate <= ROUTED_OFF)
    assert (whole.lost[gone] == start[gone]).all()
    out = whole.fate == EXITED
    assert ((whole.lost + whole.left)[out] == start[out]).all()
    assert (whole.left[~out] == 0).all()
    off = scenario.sheet.map.off
    on_map = whole.fate[-1] <= IN_ROUT
    assert (whole.hex[on_map] < off).all()
    assert (whole.hex[~on_map] == off).all()


def test_losses_by_side_are_those_of_the_chronicle(scenario: Scenario) -> None:
    battle = set_up(scenario, SEED, 0, 6)
    battle.run()
    record, told = record_of(battle, scenario, 0), chronicle_of(battle)
    for side in (0, 1):
        mine = np.array(scenario.side_of) == side
        assert (record.lost[:, mine].sum(axis=1) == told.lost[:, side]).all()
        assert (record.left[:, mine].sum(axis=1) == told.exited[:, side]).all()


def test_who_is_gone_stays_gone(whole: Record) -> None:
    for before, after in zip(whole.fate[:-1], whole.fate[1:], strict=True):
        gone = (before >= LOST) & (before <= EXITED)
        assert (after[gone] == before[gone]).all(), FATES


# -- the mirror -----------------------------------------------------------------------------------


def seated(folder: Path, turns: str) -> Scenario:
    """The mirror with East at the first side's place, in roster and scenario, and moving first."""
    source = battlefiles.DIRECTORY
    lines = (source / "mirror.csv").read_text(encoding="utf-8").splitlines()
    west, east = ([one for one in lines if one.startswith(side)] for side in ("West,", "East,"))
    head = [one for one in lines if one not in (*west, *east)]
    (folder / "mirror.csv").write_text("\n".join([*head, *east, *west]), encoding="utf-8")
    text = (source / "mirror.yaml").read_text(encoding="utf-8")
    sides = ["  - {name: West, home: NW}\n", "  - {name: East, home: SE}\n"]
    assert "".join(sides) in text
    text = text.replace("".join(sides), "".join(reversed(sides)) + "first: East\n")
    (folder / "mirror.yaml").write_text(text, encoding="utf-8")
    return battlefiles.load(folder / "mirror.yaml", [f"turns.to={turns}"])


def test_seatings_of_the_mirror_are_mirror_images(tmp_path: Path) -> None:
    """West first, and East first in West's place: dice are named by unit, and the n-th of either roster are
    alike, so that every run is the same on the map turned by half a turn."""
    first, second = battlefiles.load("mirror", ["turns.to=10:20"]), seated(tmp_path, "10:20")
    one, other = play(first, SEED, 0, 200), play(second, SEED, 0, 200)
    for name in ("fate", "lost", "left", "routs", "formation", "readiness"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    turned = np.append(np.arange(first.sheet.map.off)[::-1], first.sheet.map.off)
    assert np.array_equal(turned[one.hex], other.hex)
    assert np.array_equal(turned[one.rout_hex][one.routs > 0], other.rout_hex[other.routs > 0])
