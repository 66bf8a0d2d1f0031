"""Odds, comparisons, sweeps and told runs of several charges: an answer for each, one after the other."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

import sim
from sim.cli import main
from sim.errors import InputError
from sim.report import plots
from sim.studies.measures import EVENTS
from sim.units.orders import square_plans, usual, variations
from tests.unit.conftest import Result
from tests.unit.test_files import CHARGE

ONE: dict[str, Any] = yaml.safe_load(CHARGE)
OWN = {name: value for name, value in ONE.items() if name != "ruleset"}
SQUARE = {"target": ONE["target"] | {"formation": "square"}}
DECLINE = {"plan": {"after_halt": "decline"}}


def half(*charges: dict[str, Any], **shared: Any) -> dict[str, Any]:
    """The fields of a file of some charges, each like the one of test_files unless it says otherwise."""
    return {"ruleset": "prusse-1806", "charges": [OWN | one for one in charges]} | shared


FAR: dict[str, Any] = {"at": "front-right", "hexes": 12}
WAVES = half({"response": "carre@3"}, {"target": 1, "distance": 7, "response": "all"})
"""Two waves at one battalion: the first meets a carré, the second whatever it does."""


@pytest.fixture
def waves(tmp_path: Path) -> Path:
    path = tmp_path / "waves.yaml"
    path.write_text(yaml.safe_dump(WAVES | {"title": "Two waves"}), encoding="utf-8")
    return path


# -- what is counted ----------------------------------------------------------------------------------


@pytest.mark.parametrize("response", ["stand", "carre@1"])
def test_charges_out_of_reach_of_each_other_have_the_odds_that_each_has_alone(response: str) -> None:
    """To the last fraction: what a charge finds is its own.

    Where a square breaks, its rout looks at every enemy, however far (charge.md 7.2): so not under carre@3.
    """
    alone = sim.odds(ONE | DECLINE, response, method="exact")[response]
    both = sim.odds(half(DECLINE, FAR | DECLINE), response, method="exact")
    for one in both.charges:
        assert dict(one[response].tally.events) == dict(alone.tally.events)
        assert sum(one[response].tally.losses["target"].values()) == 1
        assert one[response].tally.mean_loss("target") == 2 * alone.tally.mean_loss("target")


def test_the_order_of_the_list_is_that_of_the_charges() -> None:
    """The same two, the other way round: each keeps its odds."""
    foot = {"target": ONE["target"] | {"morale": 22}}
    first = sim.odds(half(DECLINE, FAR | DECLINE | foot), "stand", method="exact").charges
    second = sim.odds(half(DECLINE | foot, FAR | DECLINE), "stand", method="exact").charges
    events = [[dict(one["stand"].tally.events) for one in each] for each in (first, second)]
    assert events[0] == events[1][::-1]
    assert events[0][0] != events[0][1]


def test_others_do_meanwhile_what_their_file_says() -> None:
    charge = sim.load_charge(WAVES)
    found = sim.odds(charge, method="mc", runs=200)
    assert [one.others for one in found.charges] == [{2: "stand"}, {1: "carre@3"}]
    assert [[row.response for row in one] for one in found.charges] == [
        ["carre@3"],
        ["stand", "carre@4", "carre@3", "carre@2", "carre@1"],
    ]
    ways = variations(charge, [usual(charge.attacks[1])], 1)
    assert [[variant.response for variant in way] for way in ways] == [["carre@3", "stand"]]


def test_an_open_plan_presses_while_another_charge_is_asked_about() -> None:
    """`square: best` is settled for the charge that is asked about, and for no other."""
    charge = sim.load_charge(half({"plan": {"square": "best"}, "response": "carre@4"}, FAR))
    (way,) = variations(charge, [usual(charge.attacks[1])], 1)
    assert [variant.square for variant in way] == ["press", "press"]
    found = sim.odds(charge, method="mc", runs=200)
    assert found.charges[0]["carre@4"].variant.square in square_plans(charge.attacks[0])
    assert sim.explain(charge)["charges"][0]["plan"]["square"] in square_plans(charge.attacks[0])


def test_a_response_that_is_asked_for_is_that_of_every_charge() -> None:
    found = sim.odds(WAVES, "stand", method="mc", runs=100)
    assert [[row.response for row in one] for one in found.charges] == [["stand"], ["stand"]]
    assert [one.others for one in found.charges] == [{2: "stand"}, {1: "stand"}]
    with pytest.raises(InputError, match="response must be one that infantry has"):
        sim.odds(WAVES, "react", method="mc", runs=100)


def test_a_second_charge_meets_the_square_of_the_first() -> None:
    """In square before it, as charge.md 14.4 says: it may try no carré of its own."""
    found = sim.odds(half({"response": "carre@4"}, {"target": 1, "distance": 7}), method="mc", runs=500)
    second = found.charges[1]
    assert {row.response: row.refused for row in second if row.response != "stand"} == dict.fromkeys(
        ("carre@4", "carre@3", "carre@2", "carre@1"), "already in square"
    )
    assert second["stand"]["target in square"] == found.charges[0]["carre@4"]["target in square"] > 0.5


def test_exact_odds_of_two_waves_are_those_of_many_runs() -> None:
    exact = sim.odds(half(DECLINE, {"target": 1, "distance": 7} | DECLINE), "stand", method="exact")
    simulated = sim.odds(exact.charge, "stand", method="mc", runs=40_000, seed=3)
    for one, other in zip(exact.charges, simulated.charges, strict=True):
        assert sum(one["stand"].tally.losses["charger"].values()) == 1
        for event in EVENTS:
            p = one["stand"][event]
            assert isinstance(p, Fraction)
            error = (float(p * (1 - p)) / 40_000) ** 0.5
            assert abs(float(p) - other["stand"][event]) <= 4 * error + 1e-4, event


def test_auto_counts_all_charges_or_simulates_them_all() -> None:
    """The second's tree of five responses is too much; the first is not counted beside simulated ones."""
    more = {"target": 1, "distance": 8, "response": "stand"}
    found = sim.odds(half({"response": "stand"}, {"target": 1, "distance": 7}, more, FAR), runs=300)
    assert {one.method for one in found.charges} == {found.method} == {"mc"}
    assert len({one.reason for one in found.charges}) == 1


# -- as objects ---------------------------------------------------------------------------------------


def test_the_whole_has_no_rows_of_its_own() -> None:
    found = sim.odds(WAVES, method="mc", runs=50)
    assert len(found.charges) == 2
    told = "each of the 2 charges has odds of its own: ask one of 'charges'"
    for asked in (lambda: found["stand"], lambda: found.best, lambda: found.ties):
        with pytest.raises(InputError, match=told):
            asked()
    assert not list(found)
    one = found.charges[1]
    assert one.charges == (one,)
    assert "Two charges" not in repr(one)
    assert "charge 2: charger at target" not in repr(found)


def test_frames_have_a_column_for_the_charge() -> None:
    found = sim.odds(WAVES, method="mc", runs=50)
    frame = found.to_frame()
    assert list(frame.columns)[:3] == ["charge", "response", "event"]
    assert frame.groupby("charge")["response"].nunique().tolist() == [1, 5]
    ends = found.ends()
    assert (
        ends.groupby(["charge", "response"], observed=True)["weight"].sum().tolist()
        == [50] * ends[["charge", "response"]].drop_duplicates().shape[0]
    )
    runs = list(found.each_run(20))
    assert [sorted(set(one["charge"])) for one in runs] == [[1], [1], [1], [2], [2], [2]]
    frame = sim.runs(WAVES, runs=30)
    assert frame.groupby(["charge", "response"], observed=True)["run"].nunique().tolist() == [30, 30]
    assert {str(frame[name].dtype) for name in ("response", "target")} == {"category"}
    summary = found.summary()
    assert summary.index.names == ["charge", "response"]


def test_a_distribution_is_of_each_charge() -> None:
    told = sim.odds(WAVES, "stand", method="mc", runs=80).distribution("target")
    assert told.groupby("charge")["p"].sum().tolist() == pytest.approx([1, 1])


def test_comparisons_go_charge_by_charge() -> None:
    found = sim.compare(WAVES, changes={"charges.1.target.morale": 22}, method="mc", runs=300)
    assert [list(one.rows) for one in found.charges] == [
        ["carre@3"],
        [row.response for row in found.charges[1].odds[0] if row.refused is None],
    ]
    assert list(found.to_frame()["charge"].drop_duplicates()) == [1, 2]
    assert set(found.ends()["charge"]) == {1, 2}
    assert found.summary().index.names == ["charge", "response", "event"]
    with pytest.raises(InputError, match="each of the 2 charges has differences of its own"):
        found["stand"]
    with pytest.raises(InputError, match="must have as many charges to be compared, got 2 and 1"):
        sim.compare(WAVES, ONE, method="mc", runs=10)


def test_a_comparison_of_itself_changes_nothing() -> None:
    found = sim.compare(WAVES, WAVES, method="mc", runs=200)
    differences = (one for charge in found.charges for rows in charge.rows.values() for one in rows)
    assert {(one.difference, one.changed) for one in differences} == {(0, 0)}


def test_a_sweep_reaches_every_charge() -> None:
    grid = sim.sweep(WAVES, vary={"charges.1.response": ["stand", "carre@4"]}, method="mc", runs=150)
    assert len(grid.charges) == 2
    assert [one.others for _, one in grid.charges[1].cells] == [{1: "stand"}, {1: "carre@4"}]
    assert grid["stand"].charges[0]["stand"].response == "stand"
    assert list(grid.to_frame()["charge"].drop_duplicates()) == [1, 2]
    assert grid.summary().index.names[0] == "charge"
    with pytest.raises(InputError, match="must leave the number of charges as it is"):
        sim.sweep(WAVES, vary={"charges": [WAVES["charges"], WAVES["charges"][:1]]}, method="mc", runs=10)


def test_a_told_run_tells_of_each_charge() -> None:
    story = sim.explain(WAVES, seed=5)
    assert [(one["charge"], one["charger"], one["target"]) for one in story["charges"]] == [
        (1, "1.charger", "1.target"),
        (2, "2.charger", "1.target"),
    ]
    assert story["charges"][0]["response"] == "carre@3"
    assert story["charges"][0]["aim"] is None
    assert (story["charges"][1]["response"], story["charges"][1]["aim"]) == ("stand", None)
    assert sim.explain(WAVES, seed=5, number=2)["charges"][1]["aim"] == "broken"
    text = str(story)
    assert "charge 1: 1.charger at 1.target; response: carre@3; plan: square: press" in " ".join(text.split())
    assert all(f"In the end, charge {number}: " in text for number in (1, 2))
    again = sim.explain(WAVES, rolls=story["rolls"])
    assert [one["events"] for one in again["charges"]] == [one["events"] for one in story["charges"]]
    assert again["losses"] == story["losses"]


def test_a_told_run_ends_as_it_did_among_many() -> None:
    found = sim.odds(WAVES, "stand", method="mc", runs=60, seed=2)
    frames = dict(enumerate(found.each_run(), 1))
    for run in range(0, 60, 7):
        story = sim.explain(WAVES, "stand", run=run, seed=2)
        for told in story["charges"]:
            row = frames[told["charge"]].set_index("run").loc[run]
            assert row["succeeds"] == ("charge succeeds" in told["events"])
            assert row["bounced"] == ("bounced" in told["events"])
            assert row["target_losses"] == story["losses"]["target"]


def test_run_k_of_each_charge_is_the_run_that_is_told() -> None:
    """Of the example in docs/charge-files.md, whose file leaves two responses open."""
    page = (Path(__file__).parents[2] / "docs/charge-files.md").read_text(encoding="utf-8")
    text = page[page.index("title: Two waves") :].partition("```")[0]
    charge = sim.load_charge(yaml.safe_load(text))
    found = sim.odds(charge, method="mc", runs=20, seed=3)
    for frame in found.each_run():
        for row in frame.iloc[::3].to_dict("records"):
            number = row["charge"]
            story = sim.explain(charge, row["response"], run=row["run"], seed=3, number=number)
            told = story["charges"][number - 1]
            others = {one["charge"]: one["response"] for one in story["charges"] if one is not told}
            assert others == found.charges[number - 1].others
            assert row["succeeds"] == ("charge succeeds" in told["events"])
            assert row["bounced"] == ("bounced" in told["events"])
            assert [row["charger_losses"], row["target_losses"]] == list(story["losses"].values())


def test_a_charge_that_is_not_there_cannot_be_told(waves: Path, carre: Any) -> None:
    told = carre("explain", str(waves), "--charge", "3")
    assert told.code == 2
    assert "--charge must be an integer from 1 to 2, got 3" in told.err


# -- as told on the command line ----------------------------------------------------------------------


BLOCKS = [
    "charge 1: 1.charger at 1.target, through the front",
    "charge 2: 2.charger at 1.target, through the front",
]


def blocks(told: Result) -> list[str]:
    return [line for line in told.out.splitlines() if line.startswith("charge ") and ": " in line]


def test_odds_have_a_block_for_each_charge(waves: Path, ok: Any) -> None:
    told: Result = ok("odds", str(waves), "--runs", "300", "--method", "mc")
    assert told.out.startswith("Two waves\n")
    assert "300 simulated runs, seed 1, 95 % intervals" in " ".join(told.out.split())
    assert blocks(told) == BLOCKS
    assert [line for line in told.out.splitlines() if line.startswith("meanwhile: ")] == [
        "meanwhile: charge 2's target stands",
        "meanwhile: charge 1's target tries carré at 3",
    ]
    assert sum(line.startswith("charger's plan: ") for line in told.out.splitlines()) == 2


def test_json_has_a_list_of_charges(waves: Path, ok: Any) -> None:
    answer = ok("odds", str(waves), "--runs", "200", "--method", "mc", "--json").json
    assert [one["charge"] for one in answer["charges"]] == [1, 2]
    assert [one["meanwhile"] for one in answer["charges"]] == [{"2": "stand"}, {"1": "carre@3"}]
    assert [len(one["responses"]) for one in answer["charges"]] == [1, 5]
    assert answer["outcomes"] == answer["charges"][0]["outcomes"]
    assert "responses" not in answer
    differences = ok("compare", str(waves), "--with", "night=true", "--json").json
    assert [one["charge"] for one in differences["charges"]] == [1, 2]
    cells = ok("sweep", str(waves), "--vary", "night=true,false", "--json").json["cells"]
    assert [[one["charge"] for one in cell["charges"]] for cell in cells] == [[1, 2], [1, 2]]
    story = ok("explain", str(waves), "--json").json
    assert [one["charge"] for one in story["charges"]] == [1, 2]


def test_comparisons_and_sweeps_have_blocks_too(waves: Path, ok: Any) -> None:
    told = ok("compare", str(waves), "--with", "charges.1.target.morale=26")
    assert blocks(told) == BLOCKS
    told = ok("sweep", str(waves), "--vary", "charges.1.response=stand,carre@3")
    assert blocks(told) == BLOCKS
    assert "meanwhile: others as each cell says" in told.out.splitlines()


def test_pictures_and_tables_are_of_each_charge(waves: Path, tmp_path: Path, ok: Any) -> None:
    table, picture = tmp_path / "out.csv", tmp_path / "out.png"
    ok("odds", str(waves), "--out", str(table), "--plot", str(picture))
    assert {line.split(",")[0] for line in table.read_text(encoding="utf-8").splitlines()} == {
        "charge",
        "1",
        "2",
    }
    assert not picture.exists()
    assert [path.exists() for path in map(Path, plots.paths(str(picture), 2))] == [True, True]


def test_runs_are_written_of_each_charge(waves: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pandas as pd

    path = tmp_path / "runs.parquet"
    assert main(["odds", str(waves), "--method", "mc", "--runs", "40", "--out", str(path)]) == 0
    frame = pd.read_parquet(path)
    assert frame.groupby("charge")["run"].nunique().tolist() == [40, 40]


def test_the_side_by_which_a_charge_comes_is_told(tmp_path: Path, ok: Any) -> None:
    path = tmp_path / "flank.yaml"
    path.write_text(yaml.safe_dump(half({}, {"target": 1, "from": "rear-left"})), encoding="utf-8")
    heading = blocks(ok("odds", str(path), "--method", "mc", "--runs", "20"))[1]
    assert heading in [f"charge 2: 2.charger at 1.target, through the {side}" for side in ("flank", "rear")]


def test_a_target_that_the_first_wave_hides_is_not_declared() -> None:
    """The first halts in the contact hex; the second comes straight behind it and does not see the target."""
    halts = {"plan": {"after_halt": "decline"}, "target": ONE["target"] | {"morale": 11}}
    charge = half(halts, {"target": 1, "distance": 7})
    stories = [sim.explain(charge, "stand", run=run) for run in range(20)]
    told = [[step["text"] for step in story["steps"] if step["who"] == "2.charger"] for story in stories]
    hidden = "does not declare 1.target: it is not in sight at two hexes"
    assert any(hidden in texts for texts in told)
    assert not any(hidden in texts and any("declares 1.target" in one for one in texts) for texts in told)


def test_a_comparison_of_responses_alone_is_refused(waves: Path, tmp_path: Path, carre: Any) -> None:
    """But where the response of one charge changes the odds of another."""
    single = tmp_path / "single.yaml"
    single.write_text(CHARGE, encoding="utf-8")
    for path, change, *options in (
        (single, "response=stand"),
        (waves, "charges.2.response=stand"),
        (waves, "charges.1.response=stand", "--response", "carre@2"),
    ):
        told = carre("compare", str(path), "--with", change, *options)
        assert (told.code, told.out) == (2, "")
        assert "the two differ in response alone" in " ".join(told.err.split())
        assert "--response chooses" in " ".join(told.err.split())
    told = carre(
        "compare", str(waves), "--with", "charges.1.response=stand", "--method", "mc", "--runs", "50"
    )
    assert told.code == 0
    assert "charge 1's target tries carré at 3; after the change charge 1's target stands" in " ".join(
        told.out.split()
    )
