"""Solved charges: `carre odds --solve` and `sim.solve` (docs/charge.md 15)."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

import sim
from sim import cli
from sim.errors import InputError
from sim.studies.measures import AIMS, CLEAN, SUCCEEDS
from sim.studies.solve import Solution

CHANGES: tuple[dict[str, Any], ...] = (
    {},
    {"plan.square": "break off", "target.morale": 26},
    {"plan.square": "best", "target.formation": "column", "distance": 3},
)


@pytest.mark.parametrize("aim", AIMS)
@pytest.mark.parametrize("changes", CHANGES)
def test_nobody_gains_by_settling_anything_beforehand(aim: str, changes: dict[str, Any]) -> None:
    found = sim.solve(changes=changes, aim=aim)
    assert all(found.value <= value for value in found.responses.values())
    assert found.planned <= found.value
    assert all(lost >= 0 for _, _, lost in found.rows())


@pytest.mark.parametrize(("aim", "event"), [("broken", SUCCEEDS), ("clean", CLEAN)])
def test_the_charger_at_his_best_does_as_well_against_a_response_as_by_his_plan(aim: str, event: str) -> None:
    found, odds = sim.solve(aim=aim), sim.odds(response="all")
    assert list(found.responses) == [row.response for row in odds]
    assert all(value >= odds[response][event] for response, value in found.responses.items())
    assert found.planned <= min(row[event] for row in odds)


def test_losses_are_those_of_the_target_less_those_of_the_charger() -> None:
    found, odds = sim.solve(aim="losses"), sim.odds(response="all")
    costs = {row.response: row.tally.mean_loss("target") - row.tally.mean_loss("charger") for row in odds}
    assert all(value >= costs[response] for response, value in found.responses.items())
    assert found.planned <= min(costs.values())


@pytest.mark.parametrize("aim", AIMS)
def test_the_choices_told_are_the_best_of_what_there_is(aim: str) -> None:
    found = sim.solve(aim=aim, changes={"target.morale": 26, "target.formation": "column"})
    assert found.policy
    for one in found.policy:
        best = (min if one.side == "target" else max)(one.options.values())
        assert one.options[one.option] == best
        assert 0 < one.chance <= 1
        assert len(one.options) > 1
    first = found.policy[0]
    assert first.chance == 1
    assert first.options[first.option] == found.value
    assert len(found.to_frame()) == sum(len(one.options) for one in found.policy)


def test_a_target_that_may_do_nothing_has_but_one_response() -> None:
    found = sim.solve(changes={"target.state": "routed", "target.formation": "column"})
    assert list(found.responses) == ["stand"]
    assert found.responses["stand"] == found.value


def carre(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(["odds", "--solve", *arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_the_command_tells_value_responses_and_choices(capsys: pytest.CaptureFixture[str]) -> None:
    found: Solution = sim.solve(aim="losses")
    code, out, _ = carre(capsys, "--aim", "losses", "--json")
    answer = json.loads(out)
    assert code == 0
    assert Fraction(answer["exact"]) == found.value
    assert [one["play"] for one in answer["plays"]] == ["best play", *found.responses, "plan"]
    assert len(answer["policy"]) == len(found.policy)
    code, out, _ = carre(capsys, "--aim", "losses")
    assert code == 0
    assert out.strip() == str(found)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--method", "mc"], "--solve is exact, --method mc does not go with it"),
        (["--runs", "5"], "--solve does not go with --runs"),
        (["--response", "stand"], "--solve does not go with --response"),
        (["--losses"], "--solve does not go with --losses"),
        (["--aim", "fame"], "--aim must be one of"),
    ],
)
def test_what_does_not_go_with_it_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    code, out, err = carre(capsys, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert expected in err


def test_several_charges_are_refused() -> None:
    document = sim.load_charge().document.data
    base = {name: value for name, value in document.items() if name in ("ruleset", "title")}
    one = {name: value for name, value in document.items() if name not in base}
    second = {**one, "target": 1, "charger": {**one["charger"], "name": "Second dragoons"}, "distance": 7}
    with pytest.raises(InputError, match=r"^solve plays one charge, the charge has 2$"):
        sim.solve({**base, "charges": [one, second]})
