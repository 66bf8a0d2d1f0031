"""Runs, weighted ends and tallies are the same results: a row a run, a row a different end, and sums over
them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sim
from sim.cli import main
from sim.errors import InputError, UnknownNameError
from sim.report import parquet
from sim.studies import ends
from sim.studies.compare import compare
from sim.studies.ends import CHARGER, COLUMNS, READINESS, TARGET
from sim.studies.measures import EVENTS, SIDES
from sim.studies.odds import Odds, odds
from sim.studies.outcomes import loss_frame
from sim.studies.tally import Tally
from sim.units import scenarios
from sim.units.charges import Charge
from tests.agreement.charges import random_charge
from tests.agreement.records import engine_runs
from tests.agreement.several import random_charges
from tests.tallies import codes

INDICES = [3, 58, 63, 204, 512]
"""63: two regiments, of which one is lost and the other routs or tires."""
ORIGIN = {"ruleset", "edition", "version", "digest", "method", "seed"}


def simulated(charge: Charge, runs: int = 400, seed: int = 5) -> Odds:
    return odds(charge, "all", "mc", runs, seed)


def all_runs(found: Odds, size: int | None = None) -> pd.DataFrame:
    return pd.concat(found.each_run(size), ignore_index=True)


def charges() -> Iterator[Charge]:
    yield scenarios.load(scenarios.DEFAULT)
    for index in INDICES:
        yield random_charge(index)


@pytest.fixture(params=range(1 + len(INDICES)))
def charge(request: pytest.FixtureRequest) -> Charge:
    return list(charges())[request.param]


# -- packed ends --------------------------------------------------------------------------------------


def test_every_column_of_a_packed_end_comes_back_as_it_was() -> None:
    rng = np.random.default_rng(3)
    facts = {
        name: rng.integers(0, len(column.names) or 1 << column.bits, 500) for name, column in COLUMNS.items()
    }
    packed = ends.pack(facts)
    assert sum(column.bits for column in COLUMNS.values()) <= 62
    for name, column in COLUMNS.items():
        found = ends.column_of(packed, name)
        assert found.tolist() == facts[name].tolist()
        assert found.dtype == column.dtype


@pytest.mark.parametrize("values", [[4096], [-1]])
def test_a_number_too_large_for_its_column_is_refused(values: list[int]) -> None:
    with pytest.raises(ValueError, match="target_losses must be from 0 to 4095"):
        codes(1, target_losses=np.array(values))


def test_events_read_the_columns_they_are_named_after() -> None:
    end = codes(
        3,
        succeeds=np.array([1, 0, 0]),
        target=np.array([TARGET.index("routed"), TARGET.index("in square"), 0]),
        charger=np.array([0, CHARGER.index("routed"), CHARGER.index("lost")]),
        recovered=np.array([0, 1, 0]),
        readiness=np.array([READINESS.index("exhausted"), READINESS.index("tired"), READINESS.index("gone")]),
    )
    happened = [{name for name, where in ends.events(end) if where[lane]} for lane in range(3)]
    assert happened == [
        {"charge succeeds", "target routed", "charger in order", "exhausted"},
        {"target in square", "charger routed", "charger recovered", "tired"},
        {"target in order", "charger lost"},
    ]


# -- a row a run --------------------------------------------------------------------------------------


def test_a_row_is_what_the_units_of_that_run_show(charge: Charge) -> None:
    """Against the states, increments and readiness of the units themselves, of every run."""
    found = simulated(charge, 120)
    frame = all_runs(found)
    charger, target = charge.charger, charge.target[0].id
    for response in frame["response"].cat.categories:
        rows = frame[frame["response"] == response]
        records, _ = engine_runs(charge, response, 5, 0, 120)
        assert rows["run"].tolist() == list(range(120))
        for row, record in zip(rows.to_dict("records"), records, strict=True):
            state, _, formation, *_ = record["units"][target]
            standing = "in square" if formation == "square" else "in order"
            fate = {"good": standing, "abandoned": "eliminated"}.get(state, state)
            assert row["target"] == fate
            assert row["charger"] == {"good": "in order", "gone": "lost"}.get(
                record["charges"][0]["worst"], record["charges"][0]["worst"]
            )
            assert row["clean"] == (row["succeeds"] and row["charger"] == "in order")
            states = {record["units"][one.id][0] for one in charger}
            assert row["recovered"] == (row["charger"] == "routed" and states == {"good"})
            assert row["attempt"] == (record["charges"][0]["attempt"] or "none")
            left = [record["units"][one.id] for one in charger if record["units"][one.id][0] in ORDERED]
            ready = {"fresh": "untouched"}.get(left[0][-1], left[0][-1]) if left else "gone"
            assert row["readiness"] == ready
            lost: Counter[str] = Counter()
            for unit in charge.units:
                state, increments, *_ = record["units"][unit.id]
                side = SIDES[unit.side_number]
                lost[side] += unit.increments - (increments if state in ORDERED else 0)
            assert {side: row[f"{side}_losses"] for side in SIDES} == {side: lost[side] for side in SIDES}


ORDERED = ("good", "disordered", "routed")


@pytest.mark.parametrize("index", [58, 377])
def test_a_row_is_the_run_that_explain_tells(index: int) -> None:
    charge = random_charge(index)
    frame = all_runs(simulated(charge, 30, 9))
    for run in (0, 13, 29):
        for row in frame[frame["run"] == run].to_dict("records"):
            told = sim.explain(charge, row["response"], run=run, seed=9)
            assert {side: row[f"{side}_losses"] for side in SIDES} == told["losses"]
            assert row["succeeds"] == ("charge succeeds" in told["events"])
            assert row["bounced"] == ("bounced" in told["events"])
            assert f"target {row['target']}" in told["events"]
            assert row["readiness"] == "gone" or row["readiness"] in told["events"]


def test_batches_of_any_size_give_the_same_rows(charge: Charge) -> None:
    found = simulated(charge, 100)
    whole = all_runs(found)
    for size in (1, 37, 100, 1_000):
        pd.testing.assert_frame_equal(all_runs(found, size), whole)
    assert [len(frame) for frame in found.each_run(40)] == [n * len(_allowed(found)) for n in (40, 40, 20)]


def test_columns_are_truth_values_categories_and_small_integers(charge: Charge) -> None:
    frame = all_runs(simulated(charge, 50))
    assert list(frame) == ["run", "response", "charge", "against_square", *COLUMNS, *frame.columns[-6:]]
    assert set(frame.columns[-6:]) == ORIGIN
    for name, column in COLUMNS.items():
        if column.names:
            assert list(frame[name].cat.categories) == list(column.names)
        else:
            assert frame[name].dtype == (bool if column.bits == 1 else np.int16)
    texts = ("response", "against_square", "ruleset", "digest", "method")
    assert all(frame[name].dtype == "category" for name in texts)
    assert not frame.isna().any(axis=None)


@pytest.mark.parametrize("index", [6, 8, 18, 32])
def test_of_several_charges_each_has_rows_of_its_own(index: int) -> None:
    """Against the records of the half in which the others' targets do what the file says."""
    charge = random_charges(index)
    found = odds(charge, None, "mc", 60, 3)
    frame, lost = all_runs(found), loss_frame(found.ends())
    possible = [one for one in found.charges if _allowed(one)]
    assert len(charge.attacks) > 1
    assert sorted(set(frame["charge"])) == [one.number + 1 for one in possible]
    for one in possible:
        for played in _allowed(one):
            responses = [one.others.get(n + 1, played.response) for n in range(len(charge.attacks))]
            records, _ = engine_runs(charge, responses, 3, 0, 60)
            mine = frame[(frame["charge"] == one.number + 1) & (frame["response"] == played.response)]
            assert mine["run"].tolist() == list(range(60))
            for row, record in zip(mine.to_dict("records"), records, strict=True):
                fate = record["charges"][one.number]
                assert (row["succeeds"], row["bounced"]) == (fate["success"], fate["bounced"])
                assert row["attempt"] == (fate["attempt"] or "none")
                assert {side: row[f"{side}_losses"] for side in SIDES} == record["losses"]
            told = lost[(lost["charge"] == one.number + 1) & (lost["response"] == played.response)]
            assert told.groupby("side")["p"].sum().to_numpy() == pytest.approx(1)
    shares = found.distribution("target").groupby(
        [*(["charge"] * (len(possible) > 1)), "response"], observed=True
    )
    assert shares["p"].sum().to_numpy() == pytest.approx(1)


# -- reductions ---------------------------------------------------------------------------------------


def test_runs_weighted_ends_and_tallies_add_up_to_the_same_numbers(charge: Charge) -> None:
    found = simulated(charge)
    frame, weighted = all_runs(found), found.ends()
    keys = ["response", *COLUMNS]
    counted = frame.groupby(keys, observed=True).size()
    pd.testing.assert_series_equal(
        counted.sort_index(),
        weighted.set_index(keys)["weight"].sort_index(),
        check_names=False,
        check_index_type=False,
    )
    for row in _allowed(found):
        rows = frame[frame["response"] == row.response]
        assert row.tally.total == row.tally.whole == len(rows) == 400
        assert {event: int(_happened(rows, event).sum()) for event in EVENTS} == row.tally.events
        for side in SIDES:
            losses = rows[f"{side}_losses"]
            assert losses.value_counts().to_dict() == row.tally.losses[side]
            assert losses.mean() == pytest.approx(row.tally.mean_loss(side))
            assert losses.std(ddof=0) / 20 == pytest.approx(row.tally.loss_error(side))


def test_exact_ends_add_up_to_one_and_to_the_tallies_as_fractions(charge: Charge) -> None:
    found = odds(charge, "all", "exact")
    weighted = found.ends()
    assert (weighted.groupby("response", observed=True)["weight"].sum() == 1).all()
    for row in _allowed(found):
        rows = weighted[weighted["response"] == row.response]
        assert isinstance(row.tally.total, Fraction)
        assert row.tally.total == 1
        assert not rows.duplicated(list(COLUMNS)).any()
        for event in EVENTS:
            assert sum(rows["weight"][_happened(rows, event)], Fraction(0)) == row[event]
        for side in SIDES:
            mean = sum(rows["weight"] * rows[f"{side}_losses"])
            assert mean == row.tally.mean_loss(side)


def _allowed(found: Odds) -> list[Any]:
    return [row for row in found.rows if row.refused is None]


def _happened(rows: pd.DataFrame, event: str) -> Any:
    """Events as a reader of the frame would find them."""
    who, _, fate = event.partition(" ")
    flags = {
        "charge succeeds": "succeeds",
        "clean success": "clean",
        "bounced": "bounced",
        "charger recovered": "recovered",
    }
    if event in flags:
        return rows[flags[event]]
    return rows[who] == fate if fate else rows["readiness"] == event


def test_a_distribution_is_the_sum_of_weights_by_facts_and_adds_up() -> None:
    found = odds(scenarios.load(scenarios.DEFAULT), "all", "exact")
    alone = found.distribution("target")
    assert (
        alone.set_index(["response", "target"])["weight"]["stand", "routed"]
        == found["stand"]["target routed"]
    )
    together = found.distribution("target", "target_losses")
    again = together.groupby(["response", "target"], observed=True)["weight"].sum().reset_index()
    pd.testing.assert_frame_equal(again, alone[["response", "target", "weight"]])
    assert alone.groupby("response", observed=True)["p"].sum().to_numpy() == pytest.approx(1)
    counted = simulated(found.charge).distribution("attempt")
    assert (counted.groupby("response", observed=True)["weight"].sum() == 400).all()
    with pytest.raises(UnknownNameError, match=r"by must be one of .*got 'morale'"):
        found.distribution("morale")


@pytest.mark.parametrize("method", ["exact", "mc"])
def test_loss_frames_are_the_tallies_losses(method: str) -> None:
    found = odds(scenarios.load(scenarios.DEFAULT), "all", method, 500)
    frame = loss_frame(found.ends())
    told = {(row["response"], row["side"], row["increments"]): row for row in frame.to_dict("records")}
    assert len(told) == len(frame)
    expected = {
        (row.response, side, n): (weight, row.tally.at_least(side, n), row.tally.total)
        for row in found
        for side in SIDES
        for n, weight in row.tally.losses[side].items()
    }
    assert told.keys() == expected.keys()
    for key, (weight, above, total) in expected.items():
        assert (told[key]["p"], told[key]["at least"]) == (float(weight / total), float(above / total))


def test_tallies_of_lanes_do_not_depend_on_how_runs_are_spread_over_them() -> None:
    end = codes(4, target_losses=np.array([2, 0, 2, 1]))
    tally = Tally.of_runs(end, np.array([3, 5, 4, 0]))
    assert tally.losses["target"] == {0: 5, 2: 7}
    assert tally == Tally.of_runs(end[:1], np.array([7])) + Tally.of_runs(end[1:2], np.array([5]))
    parts = Tally.of_parts(end, np.array([3, 6, 6, 3], object), 18)
    assert parts.losses["target"] == {0: Fraction(1, 3), 1: Fraction(1, 6), 2: Fraction(1, 2)}
    assert parts == Tally.of_parts(end[[2, 3, 1]], np.array([3, 1, 2], object), 6)


def test_paired_runs_give_the_same_differences_as_the_two_columns_of_runs() -> None:
    first, second = random_charge(58), random_charge(58)
    second = sim.load_charge(first, changes={"target.morale": 22})
    found = compare(first, second, "all", "mc", 600, 4)
    frame = pd.concat(found.each_run(250), ignore_index=True)
    responses = frame["response"].cat.categories.to_list()
    turns = [(change, one) for change in ("before", "after") for one in responses]
    assert list(frame["run"]) == np.repeat(range(600), len(turns)).tolist()
    assert list(zip(frame["change"], frame["response"], strict=True)) == turns * 600
    for response, differences in found.rows.items():
        rows = frame[frame["response"] == response]
        before, after = (rows[rows["change"] == which].reset_index() for which in ("before", "after"))
        assert before["run"].tolist() == after["run"].tolist() == list(range(600))
        for one in differences:
            a, b = _happened(before, one.event), _happened(after, one.event)
            assert (one.before, one.after) == (a.mean(), b.mean())
            assert one.changed == (a != b).sum()
            assert one.error == pytest.approx((b.astype(int) - a.astype(int)).std(ddof=0) / 600**0.5)
        for side, pair in found.losses[response].items():
            lost = tuple(part[f"{side}_losses"].mean() for part in (before, after))
            assert pair == pytest.approx(lost)


# -- files --------------------------------------------------------------------------------------------


def written(tmp_path: Path, *arguments: str) -> tuple[pd.DataFrame, Mapping[str, Any]]:
    """What a command writes as Parquet: the frame that pandas reads, and the metadata of the file."""
    from pyarrow.parquet import read_schema

    path = tmp_path / "ends.parquet"
    assert main([*arguments, "--out", str(path)]) == 0
    about = json.loads(read_schema(path).metadata[parquet.KEY])
    frame = pd.read_parquet(path)
    assert frame.attrs == about
    return frame, about


def test_simulated_odds_write_every_run_with_categories_and_what_they_rest_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim.studies.runs.BATCH", 1_500)  # several batches
    frame, about = written(
        tmp_path, "odds", "--method", "mc", "--runs", "1000", "--response", "all", "--seed", "7"
    )
    charge = scenarios.load(scenarios.DEFAULT)
    found = odds(charge, "all", "mc", 1_000, 7)
    pd.testing.assert_frame_equal(frame, all_runs(found), check_dtype=True)
    identity = charge.identity()
    assert {name: about[name] for name in identity} == identity
    assert (about["method"], about["runs"], about["seed"]) == ("mc", 1_000, 7)
    assert about["command"].startswith("carre odds --method mc --runs 1000 --response all --seed 7 --out ")
    assert about["title"] == charge.title


def test_exact_odds_write_their_ends_with_fractions_as_text(tmp_path: Path) -> None:
    frame, about = written(tmp_path, "odds", "--response", "all")
    found = odds(scenarios.load(scenarios.DEFAULT), "all", "exact")
    assert about["method"] == "exact"
    assert frame["weight"].map(Fraction).tolist() == found.ends()["weight"].tolist()
    for response, rows in frame.groupby("response", observed=True):
        assert sum(map(Fraction, rows["weight"])) == 1
        success = sum(map(Fraction, rows["weight"][rows["succeeds"]]))
        assert success == found[str(response)]["charge succeeds"]


def test_comparisons_and_sweeps_write_theirs_too(tmp_path: Path) -> None:
    frame, about = written(tmp_path, "compare", "--with", "edition=2014", "--method", "mc", "--runs", "300")
    assert (about["first"]["edition"], about["second"]["edition"]) == (2017, 2014)
    assert frame.groupby("change", observed=True)["edition"].unique().map(list).to_dict() == {
        "before": [2017],
        "after": [2014],
    }
    frame, _ = written(tmp_path, "compare", "--with", "target.morale=26")
    assert (frame.groupby(["change", "response"], observed=True)["weight"].agg(_sum) == 1).all()
    frame, about = written(tmp_path, "sweep", "--vary", "distance=2..4", "--vary", "plan.preserve=true,false")
    assert about["axes"] == {"distance": [2, 3, 4], "plan.preserve": [True, False]}
    sums = frame.groupby(["distance", "plan.preserve", "response"], observed=True)["weight"].agg(_sum)
    assert (sums == 1).all()
    assert set(frame["distance"]) == {2, 3, 4}


def _sum(weights: Any) -> Fraction:
    return sum(map(Fraction, weights), Fraction(0))


def test_a_write_that_is_interrupted_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.parquet"
    found = simulated(scenarios.load(scenarios.DEFAULT), 50)

    def frames() -> Iterator[pd.DataFrame]:
        yield next(found.each_run())
        raise KeyboardInterrupt

    path.write_bytes(b"what was there")
    with pytest.raises(KeyboardInterrupt):
        parquet.write(path, frames(), {})
    assert path.read_bytes() == b"what was there"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "runs.parquet"
    path.symlink_to("/dev/full")
    found = simulated(scenarios.load(scenarios.DEFAULT), 50)
    with pytest.raises(InputError, match=r"runs\.parquet: the table cannot be written \(.*No space left"):
        parquet.write(path, found.each_run(), {})


def test_what_has_no_runs_or_no_ends_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="exact odds have no runs"):
        odds(scenarios.load(scenarios.DEFAULT), "stand", "exact").each_run()
    path = tmp_path / "none.parquet"
    never = ["--set", "distance=2", "--response", "carre@4", "--out", str(path)]
    assert main(["odds", *never]) == 2
    assert "the rules forbid every response asked for" in capsys.readouterr().err
    assert not path.exists()


def test_in_python_runs_are_one_frame() -> None:
    frame = sim.runs(response="stand", runs=300, seed=7)
    pd.testing.assert_frame_equal(frame, all_runs(odds(sim.load_charge(), "stand", "mc", 300, 7)))
    mine = sim.runs(changes={"plan.square": "best"}, runs=50)
    assert set(mine["response"]) == {row.response for row in _allowed(sim.odds(method="mc", runs=50))}


@pytest.mark.parametrize(("arguments", "loaded"), [
    ("odds", set()),
    ("odds --method mc --runs 10", set()),
    ("odds --out a.csv", {"pandas"}),
    ("odds --out a.parquet", {"pandas", "pyarrow.parquet"}),
])  # fmt: skip
def test_pandas_is_loaded_where_a_frame_is_asked_for(
    arguments: str, loaded: set[str], tmp_path: Path
) -> None:
    code = "import sys; from sim.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments.split()],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(sim.__file__).parents[1])},
    )
    assert {"pandas", "pyarrow.parquet"} & set(done.stderr.split()) == loaded
