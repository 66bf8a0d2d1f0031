"""The command line: every command works, answers as JSON, and refuses bad input in one line with exit
code 2."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from sim.cli import main
from sim.ensemble.ladder import index_of
from sim.rulesets import shipped
from sim.studies.measures import EVENTS
from sim.units import battlefiles, scenarios
from tests.unit.conftest import Result

PNG = b"\x89PNG\r\n\x1a\n"
RESPONSES = ["stand", "carre@4", "carre@3", "carre@2", "carre@1"]
CARRE = ["chart", "carre", "--nation", "French", "--formation", "column", "--distance", "2", "--charger"]
STAND = ["chart", "stand", "--morale", "34", "--formation", "line", "--charger"]
ORIGIN = ["ruleset", "edition", "version", "digest", "method", "seed"]
FEW = ["--method", "mc", "--runs", "2000"]


def check_outcomes(rows: list[dict[str, Any]]) -> None:
    """Every outcome has a name, a probability, and a fraction or an interval with its runs."""
    for row in rows:
        assert isinstance(row["name"], str)
        assert 0 <= row["p"] <= 1
        if "fraction" in row:
            assert float(Fraction(row["fraction"])) == pytest.approx(row["p"], abs=1e-12)
        else:
            assert 0 <= row["low"] <= row["p"] <= row["high"] <= 1
            assert row["runs"] > 0


def event(answer: dict[str, Any], name: str) -> dict[str, Any]:
    return next(row for row in answer["outcomes"] if row["name"] == name)


# -- charts -------------------------------------------------------------------------------------------

CHARTS = {
    "morale": ["chart", "morale", "--morale", "34"],
    "carre": [*CARRE, "heavy"],
    "stand": [*STAND, "heavy"],
    "recall": ["chart", "recall", "--cavalry", "Prussian Dragoon"],
    "fire": ["chart", "fire", "--attack", "20", "--defence", "9"],
    "melee": ["chart", "melee", "--attack", "30", "--defence", "16"],
}


@pytest.mark.parametrize("arguments", CHARTS.values(), ids=CHARTS)
def test_a_chart_is_told_with_faces_pips_and_chances(arguments: list[str], ok: Callable[..., Result]) -> None:
    """Faces and pips of all rows add up, pips and chance are those of the faces, and the rolls listed are as
    many."""
    lines = ok(*arguments).out.splitlines()
    assert lines[1].startswith("rule set ")
    head = next(number for number, line in enumerate(lines) if line.startswith("outcome"))
    assert lines[head].split() == ["outcome", "faces", "pips", "chance", "rolls"]
    whole = 6 if "recall" in arguments else 36
    total = 0
    for line in lines[head + 1 :]:
        found = re.fullmatch(r"(?:not )?\S+ +(\d+)/(\d+) +(\d+) +([\d.]+) %(?: +(.+))?", line)
        assert found is not None, line
        faces, of, pips = (int(number) for number in found.groups()[:3])
        assert (of, pips * whole) == (whole, faces * 36)
        assert float(found[4]) == pytest.approx(100 * faces / whole, abs=0.05)
        listed = [part for part in (found[5] or "").split(", ") if part]
        ends = [part.partition("-")[::2] for part in listed]
        assert (
            sum(index_of(int(last)) - index_of(int(first)) + 1 if last else 1 for first, last in ends)
            == faces
        )
        total += faces
    assert total == whole


@pytest.mark.parametrize("arguments", CHARTS.values(), ids=CHARTS)
def test_a_chart_answers_as_json_with_outcomes_that_add_up_to_1(
    arguments: list[str], ok: Callable[..., Result]
) -> None:
    answer = ok(*arguments, "--json").json
    assert sum(Fraction(row["fraction"]) for row in answer["outcomes"]) == 1
    check_outcomes(answer["outcomes"])
    assert {"ruleset", "edition", "version", "digest"} <= answer.keys()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([*CARRE, "heavy"], {"formed": "7/12", "disordered": "5/18", "routed": "5/36"}),  # D17 example 1
        ([*CARRE, "light"], {"formed": "1/2", "disordered": "5/18", "routed": "2/9"}),  # 2
        ([*CARRE, "light", "--lance"], {"formed": "1/3", "disordered": "5/18", "routed": "7/18"}),  # 3
        # scenarios.md 9
        ([*CARRE, "heavy", "--leader"], {"formed": "3/4", "disordered": "1/4", "routed": "0/1"}),
        ([*CARRE, "heavy", "--mod", "3"], {"formed": "1/2", "disordered": "5/18", "routed": "2/9"}),
        ([*STAND, "heavy"], {"halted": "5/9", "routed": "4/9"}),  # 7
        ([*STAND, "light"], {"halted": "23/36", "routed": "13/36"}),
        ([*STAND, "heavy", "--leader", "3"], {"halted": "23/36", "routed": "13/36"}),
        ([*STAND, "heavy", "--force-march"], {"halted": "2/9", "routed": "7/9"}),
        ([*STAND, "heavy", "--hexside", "flank", "--half-lost", "--level", "1"], {"halted": "0/1", "routed": "1/1"}),
        (["chart", "stand", "--morale", "25", "--formation", "column", "--charger", "light", "--lance", "--hexside", "flank"],
         {"halted": "7/36", "routed": "29/36"}),  # 8
        (["chart", "recall", "--cavalry", "prussian dragoon", "--leader"], {"recalled": "5/6", "not recalled": "1/6"}),
        (["chart", "morale", "--morale", "32", "--mod", "-6"], {"pass": "4/9", "fail": "5/9"}),
        (["chart", "fire", "--attack", "12", "--defence", "6", "--increments", "12"], {"0": "11/36", "1": "25/36"}),
        (["chart", "melee", "--attack", "13/2", "--defence", "13"], {"AR": "1/9", "AD": "1/3", "none": "1/4", "DD": "1/18"}),
    ],
)  # fmt: skip
def test_known_chances(arguments: list[str], expected: dict[str, str], ok: Callable[..., Result]) -> None:
    found = {row["name"]: row["fraction"] for row in ok(*arguments, "--json").json["outcomes"]}
    assert expected.items() <= found.items()


def test_the_modifiers_that_applied_are_told_with_their_sources(ok: Callable[..., Result]) -> None:
    answer = ok(*STAND, "heavy", "--json").json
    assert [(one["label"], one["value"]) for one in answer["modifiers"]] == [
        ("in line", 3),
        ("heavy cavalry", -3),
    ]
    assert all(one["source"].startswith("[") for one in answer["modifiers"])
    assert answer["shift"] == 0


def test_premelee_odds_are_told_without_dice(ok: Callable[..., Result]) -> None:
    """C9: 9 against 6 is 1:1, -3 and +3."""
    arguments = ["chart", "assault", "--attackers", 9, "--defenders", 6]
    assert "column 1:1: attacker -3, defender +3 on the dice" in ok(*arguments).out
    answer = ok(*arguments, "--json").json
    assert (answer["column"], answer["attack"], answer["defence"], answer["outcomes"]) == ("1:1", -3, 3, [])


def test_a_chart_of_another_battle_and_edition(ok: Callable[..., Result]) -> None:
    answer = ok(*CARRE, "heavy", "--ruleset", "hagelberg-1813", "--edition", 2019, "--json").json
    assert (answer["ruleset"], answer["edition"]) == ("hagelberg-1813", 2019)
    assert event(answer, "formed")["faces"] == 15


# -- rule sets and schema -----------------------------------------------------------------------------


def test_the_rule_sets_are_listed(ok: Callable[..., Result]) -> None:
    lines = ok("rulesets").out.splitlines()
    assert len(lines) == 12
    answer = ok("rulesets", "--json").json
    assert [one["ruleset"] for one in answer["rulesets"]] == shipped.names()
    assert answer["outcomes"] == []


def test_what_differs_between_two_rule_sets(ok: Callable[..., Result]) -> None:
    assert "fire.defence" in ok("diff", "wagram-1809", "aspern-essling-1809").out
    answer = ok("diff", "prusse-1806", "halle-1806", "--json").json
    assert (answer["first"]["ruleset"], answer["second"]["ruleset"]) == ("prusse-1806", "halle-1806")
    assert {"field": "edition", "first": "2017", "second": "2014"} in answer["differences"]
    assert ok("diff", "prusse-1806", "prusse-1806", "--json").json["differences"] == []


def test_the_schema_is_json(ok: Callable[..., Result]) -> None:
    assert ok("schema", "charge").json["type"] == "object"
    assert ok("schema", "charge", "--json").json["type"] == "object"


# -- odds ---------------------------------------------------------------------------------------------


def test_odds_of_the_documented_charge_are_exact_and_name_the_best_response(
    ok: Callable[..., Result],
) -> None:
    text = ok("odds").out
    assert "exact odds" in text
    assert "best for the defender: carre@4" in text
    answer = ok("odds", "--json").json
    check_outcomes(answer["outcomes"])
    assert [row["name"] for row in answer["outcomes"]] == list(EVENTS)
    assert [row["response"] for row in answer["responses"]] == RESPONSES
    assert (answer["method"], answer["runs"], answer["seed"]) == ("exact", None, None)
    for row in answer["responses"]:
        check_outcomes(row["outcomes"])
        for names in (EVENTS[3:9], EVENTS[9:12]):  # the target at the end; the charger's worst state
            assert sum(Fraction(one["fraction"]) for one in row["outcomes"] if one["name"] in names) == 1
        for side in ("charger", "target"):
            assert sum(row["losses"][side]["distribution"].values()) == pytest.approx(1)
    success = {
        row["response"]: Fraction(event(row, "charge succeeds")["fraction"]) for row in answer["responses"]
    }
    assert answer["best"]["response"] == min(success, key=lambda name: success[name])
    assert Fraction(answer["best"]["fraction"]) == sorted(success.values())[1] - min(success.values())


@pytest.mark.parametrize(
    ("response", "shown"), [("best", "carre@4"), ("carre@1", "carre@1"), ("stand", "stand")]
)
def test_odds_of_one_response(response: str, shown: str, ok: Callable[..., Result]) -> None:
    answer = ok("odds", "--response", response, "--json").json
    assert answer["response"] == shown
    assert [row["response"] for row in answer["responses"]] == [shown]
    lines = ok("odds", "--response", response).out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith(tuple(RESPONSES))] == [
        shown
    ] * 2  # in two tables under each other


def test_simulated_odds_have_intervals_that_hold_the_exact_ones(ok: Callable[..., Result]) -> None:
    exact = ok("odds", "--response", "stand", "--method", "exact", "--json").json
    found = ok("odds", "--response", "stand", "--method", "mc", "--runs", 20_000, "--seed", 4, "--json").json
    assert (found["method"], found["runs"], found["seed"]) == ("mc", 20_000, 4)
    check_outcomes(found["outcomes"])
    for one, other in zip(exact["outcomes"], found["outcomes"], strict=True):
        assert other["low"] - 0.01 <= one["p"] <= other["high"] + 0.01


def test_the_same_seed_gives_the_same_runs_and_another_does_not(ok: Callable[..., Result]) -> None:
    first, again, other = (
        ok("odds", "--response", "carre@2", *FEW, "--seed", seed).out for seed in (7, 7, 8)
    )
    assert first == again
    assert first != other
    assert "2,000 simulated runs, seed 7" in first


def test_changes_of_fields_plan_rule_set_and_edition_are_applied(ok: Callable[..., Result]) -> None:
    def p(*arguments: str) -> float:
        answer = ok("odds", "--response", "stand", *arguments, "--json").json
        found: float = event(answer, "charge succeeds")["p"]
        return found

    assert (
        p("--set", "target.morale=16")
        < p("--set", "target.morale=46")
        < p("--set", "target.morale=46", "--set", "charger.melee=60")
    )
    assert p("--plan", "after-halt=decline") < p()
    assert (
        ok("odds", "--response", "stand", "--ruleset", "halle-1806", "--json").json["ruleset"] == "halle-1806"
    )
    assert ok("odds", "--response", "stand", "--edition", "2019", "--json").json["edition"] == 2019


@pytest.mark.parametrize(
    ("change", "choice", "value"),
    [
        ("square=break-off", "square", "break off"),
        ("square=break off", "square", "break off"),
        ("square=ride_over", "square", "ride over"),
        ("square=best", "square", "best"),
        ("after-halt=decline", "after_halt", "decline"),
        ("after_halt=decline", "after_halt", "decline"),
        ("recalled=follow", "recalled", "follow"),
        ("preserve=yes", "preserve", True),
        ("preserve=true", "preserve", True),
        ("preserve=no", "preserve", False),
    ],
)
def test_choices_of_the_plan_may_be_written_with_hyphens(
    change: str, choice: str, value: object, ok: Callable[..., Result]
) -> None:
    assert ok("odds", "--response", "carre@4", "--plan", change, "--json").json["plan"][choice] == value


def test_a_charge_file_is_played(here: Path, ok: Callable[..., Result]) -> None:
    text = scenarios.DEFAULT.read_text(encoding="utf-8").replace("morale: 31", "morale: 26")
    (here / "mine.yaml").write_text(text, encoding="utf-8")
    mine = ok("odds", "mine.yaml", "--response", "stand", "--json").json
    assert (
        mine["outcomes"]
        == ok("odds", "--set", "target.morale=26", "--response", "stand", "--json").json["outcomes"]
    )


def test_a_response_the_rules_forbid_is_told_with_the_reason(ok: Callable[..., Result]) -> None:
    answer = ok("odds", "--set", "distance=3", "--json").json
    refused = {row["response"]: row["refused"] for row in answer["responses"]}
    assert refused == dict.fromkeys(RESPONSES) | {"carre@4": "the charger was never at that distance"}
    assert answer["best"]["response"] != "carre@4"


@pytest.mark.parametrize(
    ("target", "responses"),
    [
        (
            "{arm: cavalry, nation: Prussian, type: Hussar, movement: 14, increments: 6, melee: "
            "20, morale: 26}",
            ["stand", "react"],
        ),
        ("{arm: artillery, nation: Prussian}", ["stand"]),
        ("{arm: artillery, nation: Prussian, formation: limbered}", ["stand"]),
    ],
)
def test_cavalry_and_guns_have_other_responses(
    target: str, responses: list[str], ok: Callable[..., Result]
) -> None:
    answer = ok("odds", "--set", f"target={target}", "--json").json
    assert [row["response"] for row in answer["responses"]] == responses


# -- tables and pictures ------------------------------------------------------------------------------


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def is_picture(path: Path) -> bool:
    """A PNG of several colours that are not all in one place."""
    from matplotlib.image import imread

    assert path.read_bytes().startswith(PNG)
    pixels = imread(path)[:, :, :3]
    painted = (pixels != pixels[0, 0]).any(axis=2)
    return bool(
        0.01 < painted.mean() < 0.9 and painted.any(axis=1).mean() > 0.5 and painted.any(axis=0).mean() > 0.5
    )


def test_odds_are_written_as_csv_and_drawn(here: Path, ok: Callable[..., Result]) -> None:
    (here / "pictures").mkdir()
    ok("odds", "--out", "odds.csv", "--plot", "pictures/odds.png")
    rows = rows_of(here / "odds.csv")
    assert list(rows[0]) == [
        "response",
        "event",
        "p",
        "low",
        "high",
        "runs",
        "target loses",
        "charger loses",
        "refused",
        *ORIGIN,
    ]
    assert len(rows) == len(RESPONSES) * len(EVENTS)
    assert {row["response"] for row in rows} == set(RESPONSES)
    assert is_picture(here / "pictures" / "odds.png")


def test_simulated_odds_are_drawn_too_and_as_svg_and_pdf(here: Path, ok: Callable[..., Result]) -> None:
    ok("odds", *FEW, "--response", "stand", "--plot", "odds.PNG")
    assert is_picture(here / "odds.PNG")
    ok("odds", *FEW, "--response", "stand", "--plot", "odds.svg")
    assert "<svg" in (here / "odds.svg").read_text(encoding="utf-8")[:1000]
    ok("odds", *FEW, "--response", "stand", "--plot", "odds.pdf")
    assert (here / "odds.pdf").read_bytes().startswith(b"%PDF")


def test_a_sweep_over_one_field(here: Path, ok: Callable[..., Result]) -> None:
    arguments = ["sweep", "--vary", "target.morale=25..32", "--response", "stand"]
    text = ok(*arguments, "--out", "sweep.csv", "--plot", "sweep.png").out
    assert "P(charge succeeds)" in text
    rows = rows_of(here / "sweep.csv")
    told = [
        "response",
        "best",
        "event",
        "p",
        "low",
        "high",
        "runs",
        "target loses",
        "charger loses",
        "refused",
    ]
    assert list(rows[0]) == ["target.morale", *told, *ORIGIN]
    assert [row["target.morale"] for row in rows if row["event"] == "charge succeeds"] == [
        "25",
        "26",
        "31",
        "32",
    ]  # along the ladder
    assert is_picture(here / "sweep.png")
    answer = ok(*arguments, "--json").json
    assert answer["axes"] == {"target.morale": [25, 26, 31, 32]}
    for cell in answer["cells"]:
        check_outcomes(cell["outcomes"])
    check_outcomes(answer["outcomes"])


def test_a_sweep_over_two_fields(here: Path, ok: Callable[..., Result]) -> None:
    arguments = [
        "sweep",
        "--vary",
        "target.formation=column,line",
        "--vary",
        "distance=3..4",
        "--event",
        "target routed",
    ]
    ok(*arguments, "--out", "grid.csv", "--plot", "grid.png")
    rows = rows_of(here / "grid.csv")
    assert list(rows[0])[:3] == ["target.formation", "distance", "response"]
    assert len(rows) == 2 * 2 * len(RESPONSES) * len(EVENTS)
    assert {row["refused"] for row in rows if row["distance"] == "3" and row["response"] == "carre@4"} == {
        "the charger was never at that distance"
    }
    assert is_picture(here / "grid.png")
    answer = ok(*arguments, "--json").json
    assert [cell["at"] for cell in answer["cells"]] == [
        {"target.formation": formation, "distance": distance}
        for formation in ("column", "line")
        for distance in (3, 4)
    ]
    assert answer["event"] == "target routed"


def test_a_sweep_can_be_simulated(ok: Callable[..., Result]) -> None:
    answer = ok("sweep", "--vary", "charger.melee=20,40", "--response", "stand", *FEW, "--json").json
    assert [cell["method"] for cell in answer["cells"]] == ["mc", "mc"]
    check_outcomes(answer["outcomes"])


# -- comparing ----------------------------------------------------------------------------------------


def test_a_change_is_compared_under_the_same_dice(ok: Callable[..., Result]) -> None:
    arguments = ["compare", "--with", "target.morale=26", "--with", "target.level=1", "--response", "stand"]
    exact = ok(*arguments, "--json").json
    simulated = ok(*arguments, "--method", "mc", "--runs", 20_000, "--json").json
    assert (exact["method"], simulated["method"], simulated["runs"]) == ("exact", "mc", 20_000)
    for one, other in zip(exact["outcomes"], simulated["outcomes"], strict=True):
        assert one["name"] == other["name"]
        assert float(Fraction(one["fraction"])) == pytest.approx(one["after"] - one["before"])
        assert other["low"] - 0.01 <= one["p"] <= other["high"] + 0.01
    assert "difference" in ok(*arguments).out
    assert "± (paired)" in ok(*arguments, *FEW).out


def test_no_change_makes_no_difference_in_any_run(ok: Callable[..., Result]) -> None:
    answer = ok("compare", "--with", "target.morale=31", *FEW, "--json").json
    assert [row["response"] for row in answer["responses"]] == RESPONSES
    assert all(
        row["p"] == 0 and row["changed"] == 0 for one in answer["responses"] for row in one["outcomes"]
    )


def test_a_rule_set_a_rule_set_file_and_a_charge_file_are_compared(
    here: Path, ok: Callable[..., Result]
) -> None:
    by_name = ok("compare", "--with", "halle-1806", "--response", "stand", "--json").json
    assert (by_name["first"]["ruleset"], by_name["second"]["ruleset"]) == ("prusse-1806", "halle-1806")
    (here / "mine.yaml").write_text(
        "extends: prusse-1806\nruleset: mine\nset: {trample: recalled}\n", encoding="utf-8"
    )
    by_file = ok("compare", "--with", "mine.yaml", "--response", "stand", "--json").json
    assert by_file["second"]["ruleset"] == "mine"
    assert by_file["first"]["digest"] != by_file["second"]["digest"]
    (here / "other.yaml").write_text(
        scenarios.DEFAULT.read_text(encoding="utf-8").replace("morale: 31", "morale: 16"), encoding="utf-8"
    )
    by_charge = ok("compare", "--with", "other.yaml", "--response", "stand", "--json").json
    assert event(by_charge, "charge succeeds")["p"] < 0


# -- explaining ---------------------------------------------------------------------------------------


def test_a_run_is_told_roll_by_roll_and_its_rolls_tell_it_again(ok: Callable[..., Result]) -> None:
    text = ok("explain", "--run", 3, "--seed", 7, "--response", "carre@2").out
    assert text == ok("explain", "--run", 3, "--seed", 7, "--response", "carre@2").out
    assert "run 3 of seed 7" in text
    assert text.splitlines()[-1].startswith("Rolls: ")
    told = ok("explain", "--run", 3, "--seed", 7, "--response", "carre@2", "--json").json
    again = ok(
        "explain", "--rolls", ",".join(map(str, told["rolls"])), "--response", "carre@2", "--json"
    ).json
    assert again["steps"] == told["steps"]
    assert again["events"] == told["events"]
    assert (told["run"], told["seed"], again["run"], again["seed"]) == (3, 7, None, None)


def test_an_explained_run_as_json_says_for_each_event_whether_it_happened(ok: Callable[..., Result]) -> None:
    told = ok("explain", "--json").json
    assert [row["name"] for row in told["outcomes"]] == list(EVENTS)
    assert {row["name"] for row in told["outcomes"] if row["p"] == 1} == set(told["events"])
    assert all(row["p"] in (0, 1) for row in told["outcomes"])


def test_given_rolls_decide_the_run(ok: Callable[..., Result]) -> None:
    """Prusse 1806, French morale 11 and above: 11 always fails, 66 always passes."""
    stands = ok(
        "explain", "--response", "stand", "--plan", "after-halt=decline", "--rolls", "66,11", "--json"
    ).json
    assert "target in order" in stands["events"]
    routs = ok("explain", "--response", "stand", "--rolls", "11 6", "--json").json
    assert {"charge succeeds", "target routed"} <= set(routs["events"])
    assert routs["rolls"] == [11, 6]


def test_every_loss_of_a_told_run_is_told(ok: Callable[..., Result]) -> None:
    losses = 0
    for run in range(40):
        told = ok("explain", "--run", run, "--response", RESPONSES[run % 5], "--json").json
        steps = [
            int(step["text"].split()[1].rstrip(":"))
            for step in told["steps"]
            if step["text"].startswith("loses ")
        ]
        assert sum(steps) == sum(told["losses"].values())
        losses += sum(steps)
    assert losses > 40


def test_the_modified_roll_is_the_roll_moved_by_the_modifiers_that_are_listed(
    ok: Callable[..., Result],
) -> None:
    """Invariant 8."""
    from sim.ensemble.ladder import shifted

    rolls = 0
    for run in range(12):
        for step in ok("explain", "--run", run, "--response", RESPONSES[run % 5], "--json").json["steps"]:
            if "roll" in step and len(step["dice"]) == 2:
                rolls += 1
                assert step["modified"] == shifted(
                    step["roll"], sum(one["value"] for one in step["modifiers"])
                )
                assert step["dice"] == [step["roll"] // 10, step["roll"] % 10]
    assert rolls > 12


# -- new and lint -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["charge", "ruleset"])
def test_a_new_file_passes_lint_and_is_never_overwritten(
    kind: str, here: Path, ok: Callable[..., Result], carre: Callable[..., Result]
) -> None:
    assert "my-file.yaml" in ok("new", kind, "my-file").out
    written = (here / "my-file.yaml").read_bytes()
    assert "0 errors" in ok("lint", "my-file.yaml").out
    again = carre("new", kind, "my-file")
    assert again.code == 2
    assert again.err.count("\n") == 1
    assert "my-file.yaml: the file is already there and is left as it is" in again.err
    assert (here / "my-file.yaml").read_bytes() == written
    (here / "sub").mkdir()
    assert ok("new", kind, "sub/other.yaml", "--json").json["file"].endswith("other.yaml")


def test_a_new_charge_can_be_played_and_a_new_rule_set_too(here: Path, ok: Callable[..., Result]) -> None:
    ok("new", "charge", "mine")
    ok("odds", "mine.yaml", "--response", "stand")
    ok("new", "ruleset", "rules")
    assert ok("odds", "--ruleset", "rules.yaml", "--response", "stand", "--json").json["ruleset"] == "rules"


@pytest.mark.parametrize("kind", ["charge", "ruleset"])
@pytest.mark.parametrize("name", ["5", "null", "true", "1e5", "1806-10-14", "2026-13-45"])
def test_a_new_file_may_have_a_name_that_yaml_does_not_read_as_text(
    kind: str, name: str, here: Path, ok: Callable[..., Result]
) -> None:
    ok("new", kind, name)
    assert "0 errors" in ok("lint", f"{name}.yaml").out


def test_lint_accepts_what_is_shipped(ok: Callable[..., Result]) -> None:
    result = ok("lint", *shipped.names(), scenarios.DEFAULT, "--json").json
    called = Counter(shipped.names()) & Counter(battlefiles.names())  # scenarios with the name of a rule set
    assert [one for one in result["files"] if one["errors"] or one["warnings"]] == []
    kinds = {"rule set": len(shipped.names()), "scenario": called.total(), "charge": 1}
    assert Counter(one["kind"] for one in result["files"]) == kinds


def test_lint_tells_every_error_of_a_bad_file_and_exits_with_2(
    here: Path, carre: Callable[..., Result]
) -> None:
    text = (
        scenarios.DEFAULT.read_text(encoding="utf-8")
        .replace("morale: 31", "morale: 18")
        .replace("distance: 6", "distance: 99")
    )
    (here / "bad.yaml").write_text(text, encoding="utf-8")
    result = carre("lint", scenarios.DEFAULT, "bad.yaml")
    lines = result.out.splitlines()
    assert (result.code, result.err) == (2, "")
    assert [line.split(":")[0] for line in lines[1:3]] == ["error", "error"]
    assert lines[-1] == "bad.yaml: charge, 2 errors, 0 warnings"
    answer = carre("lint", "bad.yaml", "--json")
    assert answer.code == 2
    assert len(answer.json["files"][0]["errors"]) == 2


@pytest.mark.parametrize("name", ["nothing.yaml", "nosuch", "."])
def test_lint_of_what_is_not_there_exits_with_2(name: str, here: Path, carre: Callable[..., Result]) -> None:
    result = carre("lint", name)
    assert result.code == 2
    assert result.out.splitlines()[-1] == f"{name}: unknown, 1 error, 0 warnings"


def test_what_lint_passes_odds_plays(here: Path, carre: Callable[..., Result]) -> None:
    """A neighbour on the charger's first hex, and a response that the target's arm does not have, are wrong
    for both or for neither."""
    foot = (
        "{nation: Prussian, type: Musketeer, increments: 6, fire: 4, melee: 12, morale: 31, at: front, "
        "hexes: 6}"
    )
    for extra in (f"neighbours: [{foot}]", "response: react"):
        (here / "one.yaml").write_text(
            scenarios.DEFAULT.read_text(encoding="utf-8") + extra + "\n", encoding="utf-8"
        )
        assert carre("lint", "one.yaml").code == carre("odds", "one.yaml").code


# -- bad input ----------------------------------------------------------------------------------------

# arguments, and what the one line on standard error says
REFUSED: list[tuple[list[str], str]] = [
    ([], "the following arguments are required: COMMAND"),
    (["bogus"], "invalid choice: 'bogus'"),
    (["rulesets", "more"], "unrecognized arguments: more"),
    (["chart"], "the following arguments are required: CHART"),
    (["chart", "bogus"], "invalid choice: 'bogus'"),
    (["chart", "morale"], "the following arguments are required: --morale"),
    (["chart", "morale", "--morale", "18"], "--morale: must be one of the 36 rolls 11..16, 21..26, ..., 61..66, got '18'"),
    (["chart", "morale", "--morale", "34", "--mod", "100"], "--mod: must be an integer from -99 to 99, got '100'"),
    (["chart", "morale", "--morale", "34", "--ruleset", "prusse"], "there is no rule set 'prusse'. Did you mean 'prusse-1806'?"),
    (["chart", "morale", "--morale", "34", "--edition", "2013"], "must be one of 2014, 2015, 2016, 2017, 2018, 2019, 2021, 2022, got 2013"),
    ([*CARRE, "medium"], "invalid choice: 'medium'"),
    ([*CARRE[:2], "--nation", "Frensh", *CARRE[4:], "heavy"], "--nation must be one of French, Italian, Prussian, Saxon"),
    ([*CARRE[:4], "--formation", "lin", *CARRE[6:], "heavy"], "--formation must be column or line for French in prusse-1806, got 'lin'. Did"),
    ([*CARRE[:6], "--distance", "5", "--charger", "heavy"], "--distance: must be an integer from 1 to 4, got '5'"),
    ([*CARRE, "heavy", "--type", "Gard"], "--type of French infantry must be one of Ligne, Légère, Guard, Foot Dragoon"),
    ([*STAND, "heavy", "--formation", "lines"], "--formation must be one of column, line, square, skirmish, general order, masse, road march, "
        "got"),
    ([*STAND, "heavy", "--crosses", "strem"], "--crosses must be one of none, slope, stream, river, garden wall, ford, got 'strem'. Did you mean 'stream'?"),
    ([*STAND, "heavy", "--type", "Ligne"], "--nation"),
    (["chart", "recall", "--cavalry", "Nobody"], "--cavalry must be a row of the recall chart of prusse-1806"),
    (["chart", "fire", "--attack", "-1", "--defence", "6"], "--attack: must be a number from 0 to 10000"),
    (["chart", "fire", "--attack", "1/0", "--defence", "6"], "--attack: must be a number from 0 to 10000"),
    (["chart", "fire", "--attack", "nan", "--defence", "6"], "--attack: must be a number from 0 to 10000"),
    (["chart", "fire", "--attack", "6", "--defence", "0"], "--defence: must be an integer from 1 to 99, got '0'"),
    (["chart", "assault", "--attackers", "0", "--defenders", "6"], "--attackers: must be an integer from 1 to 999, got '0'"),
    (["odds", "none.yaml"], "none.yaml: there is no such file"),
    (["odds", "."], ".: must be a file, but is a directory"),
    (["odds", "a.yaml", "b.yaml"], "unrecognized arguments: b.yaml"),
    (["odds", "--set", "target.morale=18"], "--set target.morale=18: 'target.morale' must be one of the 36 rolls"),
    (["odds", "--set", "target.moral=26"], "'target.moral' is not a known field. Did you mean 'morale'?"),
    (["odds", "--set", "target.morale"], "--set must be FIELD=VALUE"),
    (["odds", "--set", "target.morale=[1"], "'[1' must be a YAML value"),
    (["odds", "--set", "target.morale=@"], "'@' must be a YAML value"),
    (["odds", "--plan", "square"], "--plan must be CHOICE=VALUE"),
    (["odds", "--plan", "square=brake-off"], "--plan square=brake-off: 'plan.square' must be press, break off, second, turn away, ride over "
        "or best"),
    (["odds", "--plan", "sqare=press"], "'plan.sqare' is not a known field. Did you mean 'square'?"),
    (["odds", "--plan", "preserve=perhaps"], "'plan.preserve' must be false or true, got 'perhaps'"),
    (["odds", "--response", "carre"], "--response must be one of stand, carre@4, carre@3, carre@2, carre@1, react, best, all"),
    (["odds", "--response", "react"], "--response must be one that infantry has"),
    (["odds", "--method", "exct"], "--method must be one of auto, exact, mc, got 'exct'. Did you mean 'exact'?"),
    (["odds", "--runs", "0"], "--runs: must be an integer from 1 to 1000000000, got '0'"),
    (["odds", "--runs", "many"], "--runs: must be an integer from 1 to 1000000000, got 'many'"),
    (["odds", "--seed", "-1"], "--seed: must be an integer from 0 to 9223372036854775807, got '-1'"),
    (["odds", "--seed", "9223372036854775808"], "--seed: must be an integer from 0 to 9223372036854775807"),
    (["odds", "--ruleset", "wagram"], "--ruleset: there is no rule set 'wagram'. Did you mean 'wagram-1809'?"),
    (["odds", "--ruleset", "none.yaml"], "--ruleset: none.yaml: there is no such file"),
    (["odds", "--ruleset", "base"], "is a base for battles and no battle itself"),
    (["odds", "--edition", "2020"], "must be one of 2014, 2015, 2016, 2017, 2018, 2019, 2021, 2022, got 2020"),
    (["odds", "--response", "stand", "--plot", "odds.bmp"], "--plot: must name a file ending in .png, .svg, .pdf, got 'odds.bmp'"),
    (["odds", "--response", "stand", "--plot", "no/./"], "--plot: must name a file ending in .png, .svg, .pdf"),
    (["odds", "--response", "stand", "--out", "."], "--out: must name a file ending in .csv, .parquet, got '.'"),
    (["odds", "--response", "stand", "--out", "/dev/null/b.csv"], "got '/dev/null/b.csv': '/dev/null' is not a directory"),
    (["explain", "--rolls", "43,x"], "--rolls must be rolls such as 43,26,5, got '43,x'"),
    (["explain", "--response", "stand", "--rolls", ""], "--rolls ended after 0 rolls; stand check (Prussian musketeers) needs a roll 11..66"),
    (["explain", "--response", "stand", "--rolls", "47"], "roll 1 of --rolls, for stand check (Prussian musketeers), must be a roll 11..66, got 47"),
    (["explain", "--response", "stand", "--rolls", "11,7"], "roll 2 of --rolls, for recall (French dragoons), must be a die 1..6, got 7"),
    (["explain", "--response", "stand", "--rolls", "11,6,43"], "--rolls has 3 rolls, but the run needed only 2"),
    (["explain", "--rolls", "11,6", "--run", "3"], "--run: not allowed with argument --rolls"),
    (["explain", "--run", "-1"], "--run: must be an integer from 0 to 1000000000000, got '-1'"),
    (["explain", "--response", "reac"], "--response must be one of stand, carre@4, carre@3, carre@2, carre@1, best, got 'reac'"),
    (["compare"], "the following arguments are required: --with"),
    (["compare", "--with", "halle"], "there is no rule set 'halle'. Did you mean 'halle-1806'?"),
    (["compare", "--with", "target.morale=18"], "--with target.morale=18: 'target.morale' must be one of the 36 rolls"),
    (["compare", "--with", "austerlitz-1805"], "--with austerlitz-1805: the default charge is of 1806"),
    (["sweep"], "the following arguments are required: --vary"),
    (["sweep", "--vary", "distance"], "--vary must be FIELD=FROM..TO or FIELD=A,B,C"),
    (["sweep", "--vary", "distance=4..1"], "--vary distance must run from low to high, got '4..1'"),
    (["sweep", "--vary", "distance=a..b"], "--vary distance must run from an integer to an integer, got 'a..b'"),
    (["sweep", "--vary", "target.morale=16..28"], "--vary target.morale must run between rolls 11..66 with digits 1 to 6, got '16..28'"),
    (["sweep", "--vary", "distance=1..5000"], "--vary distance must take at most 2,000 values"),
    (["sweep", "--vary", "target.morale=11..66", "--vary", "charger.morale=11..66", "--vary", "night=true,false"],
     "--vary must make at most 2,000 cells, got 2,592"),
    (["sweep", "--vary", "distance=3,30"], "--vary distance=30: 'distance' must be an integer from 1 to 24, got 30"),
    (["sweep", "--vary", "distanc=3"], "'distanc' is not a known field. Did you mean 'distance'?"),
    (["sweep", "--vary", "distance=3,4", "--vary", "distance=5"], "distance"),
    (["sweep", "--vary", "distance=3,4", "--event", "routed"], "--event must be one of charge succeeds, clean success, bounced,"),
    (["lint"], "the following arguments are required: FILE"),
    (["new", "charge"], "the following arguments are required: NAME"),
    (["new", "battle", "mine"], "invalid choice: 'battle'"),
    (["new", "ruleset", "prusse-1806"], "NAME must not be that of a rule set that comes with Carré, got 'prusse-1806'"),
    (["new", "ruleset", "base.yaml"], "NAME must not be that of a rule set that comes with Carré, got 'base'"),
    (["odds", "--out", "mine.yaml"], "--out: must name a file ending in .csv, .parquet, got 'mine.yaml'"),
    ([*CARRE, "heavy", "--ruleset", "base"], "base is a base for battles and no battle itself; name a battle: "),
    ([*STAND, "heavy", "--ruleset", "base"], "base is a base for battles and no battle itself; name a battle: "),
    (["chart", "recall", "--cavalry", "French", "--ruleset", "base"], "base is a base for battles and no battle itself; name a battle: "),
    (["new", "charge", "a b"], "NAME must be letters, digits, hyphens and dots, such as my-charge, got 'a b'"),
    (["new", "charge", ""], "NAME must be letters, digits, hyphens and dots"),
    (["diff", "prusse-1806"], "the following arguments are required: RULESET"),
    (["diff", "prusse-1806", "halle"], "there is no rule set 'halle'. Did you mean 'halle-1806'?"),
    (["schema", "army"], "invalid choice: 'army'"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "says"), REFUSED, ids=[" ".join(arguments) or "nothing" for arguments, _ in REFUSED]
)
def test_bad_input_is_refused_in_one_line_with_exit_code_2(
    arguments: list[str], says: str, here: Path, carre: Callable[..., Result]
) -> None:
    result = carre(*arguments)
    assert result.code == 2
    assert result.out == "" or "--rolls" in arguments  # given rolls are followed as far as they go
    assert result.err.startswith("carre: ")
    assert result.err.endswith("\n")
    assert result.err.count("\n") == 1
    assert says in result.err
    assert "Traceback" not in result.err
    assert list(here.iterdir()) == []


def test_output_that_cannot_be_written_is_told_in_one_line() -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "sim.cli", "rulesets"]
        result = subprocess.run(
            command,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            cwd=Path(__file__).parents[2],
        )
    assert result.returncode == 2
    assert result.stderr == "carre: the output cannot be written (No space left on device)\n"


def test_a_terminal_without_accents_is_no_error() -> None:
    command = [sys.executable, "-m", "sim.cli", *CARRE, "heavy"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    result = subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment, cwd=Path(__file__).parents[2]
    )
    assert result.stdout.startswith("carr?")


def test_an_enormous_exponent_is_refused_and_not_worked_out() -> None:
    """A number with a thousand million digits: a separate process, stopped if it does not answer."""
    command = [sys.executable, "-m", "sim.cli", "chart", "melee", "--attack", "1e999999999", "--defence", "3"]
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=20, check=False, cwd=Path(__file__).parents[2]
    )
    assert result.returncode == 2
    assert "--attack: must be a number from 0 to 10000" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["odds", "--help"],
        ["chart", "--help"],
        ["chart", "stand", "--help"],
        ["sweep", "--help"],
    ],
    ids=" ".join,
)
def test_help_and_version_are_told_with_exit_code_0(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(("usage: carre", "carre "))
    assert printed.err == ""
