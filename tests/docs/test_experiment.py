"""The experiment gives the results that are stored, and they say what its README says."""

from __future__ import annotations

import csv
import runpy
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from sim.studies.measures import EVENTS
from sim.units import scenarios

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "experiments" / "square-or-stand"
RESULTS = ROOT / "results"
TABLE = RESULTS / "square-or-stand.csv"
PICTURE = RESULTS / "square-or-stand.png"
CHARGES = sorted(FOLDER.glob("*.yaml"))
RESPONSES = ("stand", "carre@4", "carre@3", "carre@2", "carre@1")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Table and picture, made anew."""
    table, picture = runpy.run_path(str(FOLDER / "run.py"))["main"](tmp_path_factory.mktemp("results"))
    return table, picture


@pytest.fixture(scope="module")
def stored() -> list[dict[str, str]]:
    """The lines of the stored table."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def success(stored: list[dict[str, str]]) -> dict[str, dict[str, Fraction]]:
    """Chance of success by file (without .yaml) and response."""
    found: dict[str, dict[str, Fraction]] = {}
    for line in stored:
        if line["event"] == "charge succeeds":
            found.setdefault(line["file"].removesuffix(".yaml"), {})[line["response"]] = Fraction(
                line["fraction"]
            )
    return found


# -- the command --------------------------------------------------------------------------------------


def test_the_table_is_the_stored_one_byte_for_byte(written: tuple[Path, Path]) -> None:
    """Stored results older than the rules fail here; make them anew with the command of the experiment's
    README."""
    assert written[0].read_bytes() == TABLE.read_bytes()


@pytest.mark.parametrize("which", ["fresh", "stored"])
def test_the_picture_is_not_blank(written: tuple[Path, Path], which: str) -> None:
    pixels = (255 * imread(written[1] if which == "fresh" else PICTURE)[..., :3]).astype(np.int64)
    assert pixels.shape[0] > 600
    assert pixels.shape[1] > 800
    assert 0.02 < np.mean(pixels.min(axis=2) < 230) < 0.9, "neither blank nor filled"
    assert len(np.unique(pixels @ [65536, 256, 1])) > 100, "cells of several colours"


def test_it_finds_the_library_from_any_folder(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-c",
        f"import runpy; print(runpy.run_path({str(FOLDER / 'run.py')!r})['NAME'])",
    ]
    assert (
        subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        == "square-or-stand\n"
    )


# -- the table ----------------------------------------------------------------------------------------


def test_every_charge_has_every_response_and_event_once(stored: list[dict[str, str]]) -> None:
    keys = [(line["file"], line["response"], line["event"]) for line in stored]
    assert keys == [
        (path.name, response, event) for path in CHARGES for response in RESPONSES for event in EVENTS
    ]


def test_every_line_names_the_rules_it_was_played_by(stored: list[dict[str, str]]) -> None:
    for path in CHARGES:
        charge = scenarios.load(path)
        wanted = (charge.ruleset.name, charge.ruleset.digest, str(charge.edition))
        assert {
            (line["ruleset"], line["digest"], line["edition"]) for line in stored if line["file"] == path.name
        } == {wanted}


def test_numbers_and_fractions_agree_and_cases_add_up(stored: list[dict[str, str]]) -> None:
    assert all(float(line["p"]) == float(Fraction(line["fraction"])) for line in stored)
    ends: dict[tuple[str, str], Fraction] = {}
    for line in stored:
        if line["event"].startswith("target "):
            key = (line["file"], line["response"])
            ends[key] = ends.get(key, Fraction(0)) + Fraction(line["fraction"])
    assert set(ends.values()) == {Fraction(1)}


# -- the charge files ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path", CHARGES, ids=lambda path: path.stem)
def test_a_charge_file_says_that_its_counters_are_synthetic(path: Path) -> None:
    assert "synthetic" in path.read_text(encoding="utf-8")
    target, colon, charger = scenarios.load(path).title.partition(": ")
    assert target
    assert colon
    assert charger


def test_each_battalion_meets_heavy_cavalry_and_light_lancers() -> None:
    pairs = [path.stem.rpartition("-")[::2] for path in CHARGES]
    assert {kind for _, kind in pairs} == {"heavy", "lancers"}
    assert len(pairs) == 2 * len({battalion for battalion, _ in pairs})
    for path in CHARGES:
        charge = scenarios.load(path)
        light = charge.charger[0].light(charge.ruleset.merged["charge"]["light_from"])
        assert (light, charge.charger[0].lance > 0) == (
            (True, True) if path.stem.endswith("lancers") else (False, False)
        )


# -- what the README says -----------------------------------------------------------------------------


def test_a_square_at_four_hexes_is_always_best(success: dict[str, dict[str, Fraction]]) -> None:
    assert len(success) == 12
    assert all(chances["carre@4"] == min(chances.values()) for chances in success.values())
    assert all(
        success[f"french-1806-column-{kind}"]["carre@3"] == success[f"french-1806-column-{kind}"]["carre@4"]
        for kind in ("heavy", "lancers")
    )


def test_against_heavy_cavalry_a_square_at_two_hexes_is_never_worse(
    success: dict[str, dict[str, Fraction]],
) -> None:
    gains = {
        name: float(chances["stand"] - chances["carre@2"])
        for name, chances in success.items()
        if name.endswith("heavy")
    }
    assert 0.02 < gains.pop("french-1806-line-heavy") < 0.03
    assert min(gains.values()) > 0.05


def test_against_heavy_cavalry_a_square_at_one_hex_gains_little(
    success: dict[str, dict[str, Fraction]],
) -> None:
    gains = {
        name: float(chances["stand"] - chances["carre@1"])
        for name, chances in success.items()
        if name.endswith("heavy")
    }
    assert gains.pop("french-1806-line-heavy") < -0.1
    assert 0.025 < min(gains.values()) < max(gains.values()) < 0.125


def test_against_lancers_close_by_it_is_better_to_stand(success: dict[str, dict[str, Fraction]]) -> None:
    gains = {
        name.removesuffix("-lancers"): chances
        for name, chances in success.items()
        if name.endswith("lancers")
    }
    assert all(chances["stand"] < chances["carre@1"] for chances in gains.values())
    already = {name for name, chances in gains.items() if chances["stand"] < chances["carre@2"]}
    assert already == {name for name in gains if name.endswith("line")} | {"russian-1805-column"}


@pytest.mark.parametrize("kind", ["heavy", "lancers"])
def test_a_line_stands_better_and_a_column_forms_more_often(
    success: dict[str, dict[str, Fraction]], kind: str
) -> None:
    line, column = success[f"french-1806-line-{kind}"], success[f"french-1806-column-{kind}"]
    assert line["stand"] < column["stand"]
    assert column["carre@3"] + Fraction(1, 4) < line["carre@3"]
