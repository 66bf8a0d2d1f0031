"""Battles told, drawn and written: made-up records, so that what is shown is known."""

from __future__ import annotations

import csv
import hashlib
import json
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sim.battle import told as battle
from sim.charge import told as charge
from sim.combat import told as combat
from sim.errors import InputError
from sim.report import battleplots, plots
from sim.report.archive import MANIFEST, TABLES, Archive
from sim.report.battletables import battle_json, battle_lines
from sim.report.layout import Page
from sim.report.wording import WORDS
from sim.studies.record import joined
from sim.studies.run import Battles, run
from sim.units import battlefiles
from sim.units.battles import Scenario, canonical
from sim.units.record import Event
from tests.made_up import made_up

NAMES = ("halle-1806", "mirror", "raszyn-pontoon-1809")


@pytest.fixture(scope="module")
def mirror() -> Scenario:
    return battlefiles.load("mirror")


@pytest.fixture(scope="module")
def found(mirror: Scenario) -> Battles:
    return run(mirror, 60, 2, size=25, engine=made_up)


# -- frames ---------------------------------------------------------------------------------------


def test_frames_agree_with_each_other(found: Battles) -> None:
    """Losses by side add up over units and over turns."""
    runs, units, turns = found.to_frame(), found.units(), found.turns()
    assert runs["run"].tolist() == [*range(60)]
    assert (len(units), len(turns)) == (60 * 18, 60 * 10)
    by_side = units.groupby(["run", "side"], observed=True)["lost"].sum().unstack()
    last = turns[turns["turn"] == 10].reset_index()
    for side in ("West", "East"):
        arms = runs[[f"{side}_{arm}_lost" for arm in ("infantry", "cavalry", "artillery")]]
        assert (arms.sum(axis=1) == runs[f"{side}_lost"]).all()
        assert (by_side[side].to_numpy() == runs[f"{side}_lost"]).all()
        assert (last[f"{side}_lost"] == runs[f"{side}_lost"]).all()
        men = 100 * runs[f"{side}_infantry_lost"] + 50 * runs[f"{side}_cavalry_lost"]
        assert (men == runs[f"{side}_men_lost"]).all()
    assert (last["standing"].astype(str) == runs["result"].astype(str)).all()
    assert ((runs["winner"] == "neither") == (runs["decided"] == 0)).all()


def test_counts_tell_what_frames_tell(found: Battles) -> None:
    frame, told = found.to_frame(), battle_json(found)
    for one in told["outcomes"]:
        assert one["runs"] == (frame["result"] == one["name"]).sum()
    west = next(one for one in told["lost"] if one["side"] == "West" and one["arm"] == "all")
    assert west["median"] == int(np.quantile(frame["West_lost"], 0.5, method="inverted_cdf"))
    assert west["p95"] == int(np.quantile(frame["West_lost"], 0.95, method="inverted_cdf"))


def test_every_row_says_where_it_comes_from(found: Battles, mirror: Scenario) -> None:
    for frame in (found.to_frame(), found.units(), found.turns()):
        for name in ("scenario", "scenario_digest", "ruleset", "edition", "version", "digest", "seed"):
            assert frame[name].nunique() == 1
        assert frame["digest"].iloc[0] == mirror.ruleset.digest


def test_a_digest_is_of_all_that_is_played(mirror: Scenario) -> None:
    for change in ("first=East", "turns.to=11:00", "held.Centre=West", "victory.3.when.at_least=9"):
        assert battlefiles.load("mirror", [change]).digest != mirror.digest, change
    assert battlefiles.load("mirror").digest == mirror.digest
    assert canonical({"b": {3, 1}, "a": (1.5, None)}) == "{'a':[1.5,None],'b':{1,3}}"


# -- text -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("runs", [1, 2, 300])
@pytest.mark.parametrize("width", [80, 100])
def test_what_is_told_fits_the_page(name: str, runs: int, width: int) -> None:
    lines = battle_lines(run(battlefiles.load(name), runs, 1, engine=made_up), Page(width))
    assert max(map(len, lines)) <= width


def test_the_answer_says_what_is_asked_of_it(found: Battles, mirror: Scenario) -> None:
    text = "\n".join(battle_lines(found))
    for rung in mirror.ladder:
        assert rung.result in text
    for word in (mirror.ruleset.digest, "edition 2014", "v2", "seed 2", "60 battles", "West moves first"):
        assert word in text
    for part in ("increments lost", "units at the end", "morale level", "ahead to stay", "units that matter"):
        assert part in text


def test_a_share_is_told_with_its_interval(found: Battles) -> None:
    """Wilson's interval, and no bare 0 or 100 %."""
    lines = battle_lines(run(found.scenario, 1, 1, engine=made_up))
    assert not any(" 0.0 %" in line or "100 %" in line for line in lines)
    assert any(line.startswith("draw") and ("±" in line or "<" in line) for line in battle_lines(found))


def test_json_is_json(found: Battles) -> None:
    assert json.loads(json.dumps(battle_json(found)))["runs"] == 60


def test_every_event_has_its_words() -> None:
    """Rolls are told by what is asked of them, losses by the step that brought them."""
    kinds = [
        one
        for module in (combat, charge, battle)
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, Event) and one is not Event
    ]
    assert [one.__name__ for one in kinds if one not in WORDS and not issubclass(one, combat.Rolled)] == []


# -- pictures -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("runs", [1, 40])
def test_every_picture_can_be_drawn(name: str, runs: int, tmp_path: Path) -> None:
    found = run(battlefiles.load(name), runs, 1, engine=made_up)
    names = []
    for picture, figure in battleplots.figures(found):
        names.append(picture)
        assert plots.save(figure, str(tmp_path / f"{picture}.png")).stat().st_size > 5_000
    assert names == [*battleplots.PANELS, "survival", "routs"]
    assert len(battleplots.overview(found).axes) == len(battleplots.PANELS)


# -- files ----------------------------------------------------------------------------------------


def archived(found: Battles, folder: Path) -> Archive:
    archive = Archive(folder, found.scenario, found.seed, "carre run mirror", "0.0")
    for record in found.records:
        archive.add(record)
    archive.close()
    return archive


def test_files_hold_the_frames_and_the_manifest_what_they_are(found: Battles, tmp_path: Path) -> None:
    archived(found, tmp_path / "out")
    whole = joined(found.records)
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text(encoding="utf-8"))
    assert manifest["complete"] is True
    assert (manifest["runs"], manifest["seed"], manifest["carre"]) == (60, 2, "0.0")
    assert {one["name"] for one in manifest["read"]} >= {"mirror.yaml", "mirror.csv", "mirror.map"}
    for one in manifest["files"]:
        data = (tmp_path / "out" / one["name"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == one["sha256"]
    assert sorted(one["name"] for one in manifest["files"]) == sorted(
        path.name for path in (tmp_path / "out").iterdir() if path.name != MANIFEST
    )
    for name, make in TABLES.items():
        frame = make(whole, found.scenario, found.origin())
        read = pd.read_parquet(tmp_path / "out" / f"{name}.parquet")
        pd.testing.assert_frame_equal(read, frame, check_categorical=False)
        with (tmp_path / "out" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert rows[0] == frame.columns.to_list()
        assert len(rows) == len(frame) + 1
        assert rows[1] == ["" if pd.isna(value) else str(value) for value in frame.iloc[0]]


def test_what_is_not_finished_leaves_an_earlier_study_alone(found: Battles, tmp_path: Path) -> None:
    archived(found, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with suppress(KeyboardInterrupt), Archive(tmp_path, found.scenario, 3, "carre run", "0.0") as archive:
        archive.add(found.records[0])
        raise KeyboardInterrupt
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_what_was_finished_before_a_failure_is_kept_and_called_so(found: Battles, tmp_path: Path) -> None:
    with Archive(tmp_path, found.scenario, 2, "carre run mirror", "0.0") as archive:
        archive.add(found.records[0])
        archive.close("run 20 of seed 2 met an impossible state")
    manifest = json.loads((tmp_path / MANIFEST).read_text(encoding="utf-8"))
    assert (manifest["complete"], manifest["runs"]) == (False, 20)
    assert manifest["failure"].startswith("run 20")
    assert len(pd.read_parquet(tmp_path / "runs.parquet")) == 20


def test_a_failure_at_once_leaves_only_its_manifest(found: Battles, tmp_path: Path) -> None:
    with Archive(tmp_path, found.scenario, 2, "carre run mirror", "0.0") as archive:
        archive.close("run 0 of seed 2 met an impossible state")
    assert [path.name for path in tmp_path.iterdir()] == [MANIFEST]


def test_a_folder_that_cannot_be_made_or_holds_the_scenario_is_refused(
    found: Battles, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be made"):
        Archive(tmp_path / "file" / "out", found.scenario, 1, "", "")
    own = tmp_path / "runs.csv"
    own.write_bytes((battlefiles.DIRECTORY / "mirror.csv").read_bytes())
    text = (battlefiles.DIRECTORY / "mirror.yaml").read_text(encoding="utf-8")
    (tmp_path / "mine.yaml").write_text(text.replace("mirror.csv", "runs.csv"), encoding="utf-8")
    with pytest.raises(InputError, match=r"must not hold the scenario's own file runs\.csv"):
        Archive(tmp_path, battlefiles.load(tmp_path / "mine.yaml"), 1, "", "")
