"""What the rules forbid is told as such, with the reason, wherever an answer would have stood; lists and
mappings vary like any value."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from matplotlib.text import Text
from pandas import isnull

import sim
from sim.inputs import documents
from sim.report import plots
from sim.studies.odds import odds
from sim.studies.sweep import parse_axis, sweep
from sim.units import scenarios
from tests.unit.conftest import Result

NEVER = "the charger was never at that distance"
TOO_NEAR = ["--response", "carre@4", "--set", "distance=1"]
COSSACKS = """\
ruleset: friedland-1807
distance: 6
charger:
  {name: Cossacks, nation: Russian, type: Cossack, movement: 14, increments: 6, melee: 18, morale: 31}
target:
  {name: Ligne, nation: French, type: Ligne, formation: line, increments: 7, fire: 4, melee: 6, morale: 33}
"""
MAY_NOT = "Cossack may not charge infantry in good order"


@pytest.fixture
def cossacks(here: Path) -> str:
    """A charge that its cavalry may not make."""
    (here / "cossacks.yaml").write_text(COSSACKS, encoding="utf-8")
    return "cossacks.yaml"


def test_a_refused_response_has_a_row_with_its_reason_in_the_table_that_is_written(
    ok: Callable[..., Result], here: Path
) -> None:
    ok("odds", *TOO_NEAR, "--out", "z.csv")
    (row,) = csv.DictReader((here / "z.csv").read_text(encoding="utf-8").splitlines())
    assert (row["response"], row["refused"], row["p"], row["ruleset"]) == (
        "carre@4",
        NEVER,
        "",
        "prusse-1806",
    )


def test_a_frame_has_refused_responses_without_numbers_and_allowed_ones_without_reason() -> None:
    rows = sim.odds(changes={"distance": 2}, response="all").to_frame().to_dict("records")
    (refused,) = (row for row in rows if row["response"] == "carre@4")
    assert refused["refused"] == NEVER
    assert all(isnull(refused[name]) for name in ("event", "p", "low", "high", "target loses"))
    stand = [row for row in rows if row["response"] == "stand"]
    assert len(stand) > 1
    assert all(row["refused"] == "" and not isnull(row["p"]) for row in stand)


def test_the_picture_of_a_refused_response_has_the_reason_and_no_bars() -> None:
    charge = scenarios.load(scenarios.DEFAULT, ["distance=1"])
    figure = plots.odds_figure(odds(charge, "carre@4"))
    assert not any(axis.patches for axis in figure.axes)
    assert any(NEVER in one.get_text() for one in figure.findobj(Text))


def test_an_explained_run_says_before_it_begins_that_the_response_is_refused(
    ok: Callable[..., Result],
) -> None:
    head, _, _ = ok("explain", *TOO_NEAR).out.partition("\nCharge\n")
    assert f"carre@4 is refused in this run: {NEVER}" in head
    assert ok("explain", *TOO_NEAR, "--json").json["refused"] == NEVER
    assert ok("explain", "--response", "stand", "--json").json["refused"] is None


def test_a_sweep_says_below_its_table_why_cells_are_empty(ok: Callable[..., Result]) -> None:
    told = " ".join(ok("sweep", "--vary", "distance=1,2,5", "--response", "carre@4").out.split())
    assert told.endswith(f"5.2 % carre@4: not possible at distance=1 and distance=2: {NEVER}")


@pytest.mark.parametrize(
    "axes",
    [["charger.type=Cossack,Hussar"], ["charger.type=Cossack,Hussar", "distance=5,6"]],
    ids=["a row", "a matrix"],
)
def test_a_sweep_over_a_forbidden_charge_says_so(
    axes: list[str], cossacks: str, ok: Callable[..., Result]
) -> None:
    told = " ".join(ok("sweep", cossacks, *(part for axis in axes for part in ("--vary", axis))).out.split())
    assert f"the charge: not possible at charger.type=Cossack{', distance=5' * (len(axes) - 1)}" in told
    assert MAY_NOT in told
    assert "– stand" not in told


def test_a_sweep_that_is_forbidden_throughout_is_refused_with_the_reason(
    cossacks: str, carre: Callable[..., Result], here: Path
) -> None:
    found = carre("sweep", cossacks, "--vary", "charger.morale=22,23", "--plot", "z.png", "--out", "z.csv")
    assert (found.code, found.out) == (2, "")
    assert MAY_NOT in found.err
    assert not (here / "z.png").exists()
    assert not (here / "z.csv").exists()


def test_the_picture_of_a_sweep_in_which_every_response_is_refused_has_the_reason() -> None:
    found = sweep(documents.read(scenarios.DEFAULT), [parse_axis("distance=1,2")], "carre@4", "exact", 1, 1)
    assert any(NEVER in " ".join(one.get_text().split()) for one in plots.sweep_figure(found).findobj(Text))


@pytest.mark.parametrize("field", ["path=[]", "ground=[]", "neighbours=[]", "charger.stack=[]", "plan={}"])
@pytest.mark.parametrize("more", [[], ["--vary", "charger.morale=22,23"]], ids=["alone", "with another"])
def test_lists_and_mappings_can_be_varied(
    field: str, more: list[str], ok: Callable[..., Result], here: Path
) -> None:
    arguments = ["sweep", "--vary", field, *more, "--response", "stand"]
    assert field.partition("=")[2] in ok(*arguments, "--plot", "z.png", "--out", "z.csv").out
    assert ok(*arguments, "--json").json["axes"][field.partition("=")[0]] in ([[]], [{}])


def test_a_cell_is_found_by_its_list_in_python() -> None:
    found = sim.sweep(None, {"path": [[0, 0], [0, 0, 0]]}, "stand")
    assert found[[0, 0]] is found.cells[0][1]
    assert found[[0, 0, 0]] is found.cells[1][1]
    assert "[0, 0, 0]" in str(found)
    assert sorted(set(found.to_frame()["path"])) == ["[0, 0, 0]", "[0, 0]"]
