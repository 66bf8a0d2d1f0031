"""`carre run`, `carre explain` and `carre map` of scenarios: what they take, refuse and leave behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from sim.cli import run as command
from sim.errors import CarreError
from sim.studies import run as studies
from sim.studies.engine import play
from sim.units import battlefiles, scenarios
from tests.made_up import FAULTY, faulty, made_up
from tests.unit.conftest import Result

Carre = Callable[..., Result]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Battles that nobody plays."""
    monkeypatch.setattr(command, "play", partial(studies.run, engine=made_up))


@pytest.mark.usefixtures("quick")
def test_run_answers_as_text_and_as_json(ok: Carre, carre: Carre) -> None:
    told = ok("run", "mirror", "--runs", 30, "--json").json
    assert (told["runs"], told["seed"], told["scenario"]) == (30, 1, "mirror")
    assert sum(one["runs"] for one in told["outcomes"]) == 30
    text = carre("run", "mirror", "--runs", 30)
    assert "30 battles, seed 1" in text.out
    assert "battles a second" in text.err


@pytest.mark.usefixtures("quick")
def test_a_change_of_the_scenario_is_played(ok: Carre, carre: Carre) -> None:
    assert "8 turns" in carre("run", "mirror", "--runs", 2, "--set", "turns.to=11:20").out
    result = carre("run", "mirror", "--set", "turns.too=11:20")
    assert (result.code, result.out) == (2, "")
    assert "'turns.too' is not a known field" in result.err


@pytest.mark.usefixtures("quick")
def test_out_and_plot_write_files_and_say_so(carre: Carre, here: Path) -> None:
    result = carre("run", "mirror", "--runs", 20, "--out", "out", "--plot", "all.png")
    assert result.code == 0
    assert [line for line in result.err.splitlines() if line.startswith("wrote")] == [
        "wrote out/manifest.json",
        "wrote all.png",
    ]
    assert len(pd.read_parquet("out/units.parquet")) == 20 * 18
    manifest = json.loads(Path("out/manifest.json").read_text(encoding="utf-8"))
    assert manifest["command"] == "carre run mirror --runs 20 --out out --plot all.png"
    assert carre("run", "mirror", "--runs", 5, "--plot", "pictures").code == 0
    assert {path.suffix for path in Path("pictures").iterdir()} == {".png"}


def test_an_impossible_state_is_one_error_and_what_was_finished_is_kept(
    carre: Carre, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "play", partial(studies.run, engine=faulty))
    result = carre("run", "mirror", "--runs", 30, "--seed", 4, "--out", "out")
    assert result.code == 2
    assert f"{FAULTY} battles, seed 4" in result.out
    assert result.err.splitlines()[-1].startswith(f"carre: run {FAULTY} of seed 4 met an impossible state")
    assert "Traceback" not in result.err
    assert len(pd.read_parquet("out/runs.parquet")) == FAULTY
    assert json.loads(Path("out/manifest.json").read_text(encoding="utf-8"))["complete"] is False


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("run", scenarios.DEFAULT), "must be a scenario, but looks like a charge (carre odds"),
        (("odds", "sim/data/scenarios/mirror.yaml"), "must be a charge file, but looks like a scenario"),
        (("run", "miror"), "Did you mean 'mirror'?"),
        (("run", "prusse-1806"), "there is no scenario 'prusse-1806'"),
        (("run", "mirror", "--runs", 0), "must be an integer from 1"),
        (("run", "mirror", "--workers", 0), "must be an integer from 1 to 256"),
        (
            ("run", "mirror", "--plot", "README.md"),
            "ending in .png, .svg, .pdf, or a folder",
        ),
        (("run", "mirror", "--out", "README.md"), "the folder cannot be made"),
        (("explain", "mirror", "--response", "stand"), "--response is for the run of a charge"),
        (("explain", "mirror", "--charge", 1), "--charge is for the run of a charge"),
        (("explain", "mirror", "--rolls", "11"), "--rolls is for the run of a charge"),
        (("explain", "--turn", 1), "--turn is for the run of a battle"),
        (("explain", "--unit", "x"), "--unit is for the run of a battle"),
        (("explain", "mirror", "--turn", 11), "--turn must be an integer from 1 to 10, got 11"),
        (("explain", "mirror", "--unit", "West batery"), "Did you mean 'West battery'?"),
        (("map", "mirror", "--turn", 11), "--turn must be an integer from 0 to 10, got 11"),
        (("map", "halle", "--run", 1), "--run, --turn and --set are for a scenario"),
        (("map", "mirror", "--turn", 0, "--plot", "sim/data/maps/mirror.map"), "--plot"),
    ],
)
def test_what_cannot_be_used_is_one_clear_error(carre: Carre, given: tuple[object, ...], told: str) -> None:
    result = carre(*given)
    assert (result.code, result.out) == (2, "")
    assert told in result.err
    assert len(result.err.splitlines()) == 1


def test_a_scenario_stands_on_the_map_as_it_begins_and_as_a_run_leaves_it(carre: Carre, here: Path) -> None:
    start = carre("map", "mirror", "--turn", 0, "--plot", "start.png", "--json")
    assert Path("start.png").stat().st_size > 50_000
    units = {one["unit"]: one for one in start.json["units"]}
    assert units["West battery"]["hex"] == "0607"
    assert (units["East hussars 1"]["increments"], units["East hussars 1"]["state"]) == (8, "good")
    late = {one["unit"]: one for one in carre("map", "halle-1806", "--json").json["units"]}
    assert late["17e Dragons"]["state"] == "awaited"
    assert late["17e Dragons"]["hex"] is None
    assert (
        "run 3 of seed 2, end of turn 1 (9:00)"
        in carre("map", "mirror", "--run", 3, "--seed", 2, "--turn", 1).out
    )


def test_a_map_of_a_scenarios_name_is_still_told(carre: Carre) -> None:
    assert "terrain:" in carre("map", "mirror").out


def test_a_story_ends_as_its_run_does(carre: Carre) -> None:
    scenario = battlefiles.load("mirror")
    record = play(scenario, 5, 0, 4)
    told = carre("explain", "mirror", "--run", 2, "--seed", 5, "--json").json
    assert told["outcome"] == scenario.ladder[int(record.result[2])].result
    west = [number for number, side in enumerate(scenario.side_of) if side == 0]
    assert told["losses"]["West"] == int(record.lost[-1, west, 2].sum())
    assert told["complete"] is True
    part = carre("explain", "mirror", "--run", 2, "--seed", 5, "--turn", 2, "--json").json
    assert [one for one in told["steps"] if one["turn"] == 2] == part["steps"]


def test_a_run_that_is_told_may_fail_too(carre: Carre, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was told before is shown, then one error."""

    def stop(self: object) -> None:
        raise CarreError("two units on one hex")

    monkeypatch.setattr("sim.battle.battle.Battle.run", stop)
    result = carre("explain", "mirror")
    assert result.code == 2
    assert result.err == "carre: the run met an impossible state (CarreError: two units on one hex)\n"
