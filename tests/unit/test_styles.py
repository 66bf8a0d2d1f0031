"""Styles of play: their files, what a scenario says of them, and what of them is in its digest."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from sim.cli.lint import reports_on
from sim.errors import InputError, UnknownNameError
from sim.inputs import documents
from sim.report import battlestory
from sim.rulesets.kinds import STYLE, kind_of
from sim.units import battlefiles, styles


def test_a_style_that_there_is_not() -> None:
    with pytest.raises(UnknownNameError, match=r"there is no style 'balnced'\. Did you mean 'balanced'"):
        styles.load("balnced")


@pytest.mark.parametrize("name", styles.shipped())
def test_what_comes_with_carre_is_right(name: str) -> None:
    (report,) = reports_on(name)
    assert (report.kind, report.errors, report.warnings) == ("style", (), ())


def test_a_wrong_number_is_told_with_its_line() -> None:
    text = (styles.DIRECTORY / "balanced.yaml").read_text(encoding="utf-8")
    wrong = text.replace("road: 12 ", "road: -1 ")
    assert wrong != text
    line = text[: text.index("road: 12 ")].count("\n") + 1
    style, problems = styles.check(documents.parse(wrong, "mine.yaml"))
    assert style is None
    assert problems.errors[0].startswith(f"mine.yaml:{line}:")
    assert "'march.road' must be an integer from 0 to 99" in problems.errors[0]


def test_what_a_file_leaves_out_is_as_in_the_style_it_is_like() -> None:
    text = "title: mine\nlike: bold\nassault: {ratio: 7}\n"
    style, problems = styles.check(documents.parse(text, "mine.yaml"))
    bold = styles.own("bold")
    assert style is not None
    assert not problems.errors
    assert style.assault.ratio == 7
    assert (style.assault.disordered, repr(style.attack)) == (bold.assault.disordered, repr(bold.attack))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("title: mine\n", "must have the field 'march'"),
        (
            "title: mine\nlike: blod\n",
            "'like' must be a style that comes with Carré, got 'blod'. Did you mean",
        ),
        ("title: mine\nlike: bold\nasault: {ratio: 7}\n", "'asault' is not a known field"),
        ("title: mine\nlike: bold\nassault: {ratio: much}\n", "m:3:18: 'assault.ratio' must be a number"),
    ],
)
def test_faults_of_a_file(text: str, told: str) -> None:
    _, problems = styles.check(documents.parse(text, "m"))
    assert told in problems.errors[0]


def test_files_of_styles_are_told_from_others() -> None:
    assert kind_of({"title": "mine", "like": "bold"}) == STYLE
    assert kind_of({"ruleset": "mine", "extends": "base", "assault": {}}) != STYLE


def test_a_side_is_played_as_the_scenario_says() -> None:
    scenario = battlefiles.load("mirror", ["sides.2.style=march"])
    assert [str(side.doctrine) for side in scenario.sides] == [styles.DEFAULT, "march"]


def test_the_file_of_a_side_is_looked_for_beside_the_scenario(tmp_path: Path) -> None:
    """Its numbers are in the digest, and it is among the files that are read."""
    for path in battlefiles.DIRECTORY.glob("mirror.*"):
        text = path.read_text(encoding="utf-8")
        text = text.replace("{name: East, home: SE}", "{name: East, home: SE, style: mine.yaml}")
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    mine, digests = tmp_path / "mine.yaml", set()
    for ratio in (3, 4):
        mine.write_text(f"title: mine\nlike: bold\nassault: {{ratio: {ratio}}}\n", encoding="utf-8")
        scenario = battlefiles.load(tmp_path / "mirror.yaml")
        style = scenario.sides[1].doctrine.style
        assert style is not None
        assert style.assault.ratio == Fraction(ratio)
        assert mine in battlefiles.files(scenario.document)
        digests.add(scenario.digest)
    assert len(digests) == 2
    mine.write_text("title: mine\nlike: bold\nevade: -1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"mine\.yaml:3:8: 'evade' must be a number from 0"):
        battlefiles.load(tmp_path / "mirror.yaml")
    (report,) = reports_on(str(tmp_path / "mirror.yaml"))
    assert len(report.errors) == 1


def test_an_unknown_style_is_told_at_its_side() -> None:
    with pytest.raises(
        InputError, match=r"--set sides.1.style=blod: there is no style 'blod'\. Did you mean"
    ):
        battlefiles.load("mirror", ["sides.1.style=blod"])


def test_decisions_are_told_with_their_numbers() -> None:
    """Every kind that two runs of battles have, and no sentence without its number."""
    told = [
        step["text"]
        for name, run in (("mirror", 0), ("mirror", 1), ("halle-1806", 0))
        for step in battlestory.explain_battle(battlefiles.load(name), run, 7)["steps"]
        if step["rule"] == "plan"
    ]
    for start in (
        "gathers against",
        "assaults",
        "does not assault",
        "means to charge",
        "gives way",
    ):
        assert any(text.startswith(start) for text in told), start
    for start in (
        "goes up from reserve: an enemy",
        "is pulled out",
        "means to take line",
        "means to unlimber",
    ):
        assert any(text.startswith(start) for text in told), start
    assert all(re.search("[0-9]", text) for text in told)
    assert any(
        re.fullmatch(r"assaults .* at [0-9.]+ to 1, wants 1\.5; [0-9]+% to break it", text) for text in told
    )
