"""Styles against each other: scores add up, a pair is the battles of `run`, and bad input is one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import sim
from sim.studies.intervals import wilson
from sim.studies.matters import wins
from sim.studies.run import run
from sim.studies.tournament import Tournament, played_by, tournament
from sim.units import battlefiles
from tests.unit.conftest import Result

SHORT = ["turns.to=9:40"]
RUNS = 12


@pytest.fixture(scope="module")
def three() -> Tournament:
    return tournament(battlefiles.load("mirror", SHORT), ["bold", "idle", "march"], RUNS, 5)


def test_a_pair_is_the_battles_of_its_styles(three: Tournament) -> None:
    """What the table says of bold (West) against march (East) is what a run of that scenario counts."""
    scenario = battlefiles.load("mirror", [*SHORT, "sides.1.style=bold", "sides.2.style=march"])
    alone = run(scenario, RUNS, 5, first=2 * RUNS)  # the third pair's own
    pair = three.pairs[0][2]
    assert (pair.counts.results == alone.counts.results).all()
    assert (pair.counts.lost == alone.counts.lost).all()


def test_scores_add_up(three: Tournament) -> None:
    """Of every battle one point is dealt: what one doctrine wins the other loses; of a draw each has half."""
    frame = three.to_frame()
    assert (frame[["first_wins", "second_wins", "drawn"]].sum(axis=1) == RUNS).all()
    assert (frame["share"] * RUNS == frame["first_wins"] + frame["drawn"] / 2).all()
    others = 2 * RUNS * (len(three.doctrines) - 1)
    points = sum(three.of(one)[0] * others for one in range(3))
    assert points == pytest.approx(RUNS * 6)
    won, _, drawn = wins(three.pairs[1][0].counts, three.scenario)
    assert three.score(1, 0) == (
        (won + drawn / 2) / RUNS, *wilson(won + drawn / 2, RUNS),
    )  # fmt: skip
    as_second = (three.pairs[0][1], three.pairs[2][1])
    taken = sum(wins(one.counts, three.scenario)[1] for one in as_second)
    halves = sum(wins(one.counts, three.scenario)[2] for one in as_second) / 2
    assert three.of(1, 1)[0] == (taken + halves) / (2 * RUNS)


def test_the_spread_is_from_the_least_pair_to_the_greatest(three: Tournament) -> None:
    every = [three.score(row, column)[0] for row in range(3) for column in range(3)]
    least, most = three.spread()
    assert (three.score(*least)[0], three.score(*most)[0]) == (min(every), max(every))


def test_a_style_file_plays_as_its_numbers_say(tmp_path: Path) -> None:
    """A file is looked for from where it is named, whatever folder the scenario lies in."""
    own = tmp_path / "mine.yaml"
    own.write_text("title: mine\nlike: bold\nassault: {ratio: 9}\n", encoding="utf-8")
    found = played_by(battlefiles.load("mirror"), str(own), "idle")
    assert [str(side.doctrine) for side in found.sides] == ["mine", "idle"]
    style = found.sides[0].doctrine.style
    assert style is not None
    assert float(style.assault.ratio) == 9


def test_the_command_prints_the_table(ok: Callable[..., Result]) -> None:
    options = ("--runs", 2)
    result = ok("tournament", "mirror", "bold", "idle", *options)
    assert "West by" in result.out
    assert "by who plays, West wins from" in result.out
    assert max(map(len, result.out.splitlines())) <= 100
    told = ok("tournament", "mirror", "bold", "idle", *options, "--json").json
    assert [(one["first"], one["second"]) for one in told["pairs"]] == [
        ("bold", "bold"), ("bold", "idle"), ("idle", "bold"), ("idle", "idle"),
    ]  # fmt: skip


def test_runs_are_dealt_to_the_nine_pairs(ok: Callable[..., Result]) -> None:
    told = ok("run", "mirror", "--styles", "--runs", 20, "--json").json
    assert told["runs"] == 2
    assert [one["doctrine"] for one in told["doctrines"]] == ["balanced", "bold", "cautious"]
    assert len(told["pairs"]) == 9


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("tournament", "mirror", "bold"), "a tournament has from 2 to 8 doctrines, got 1"),
        (("tournament", "mirror", "bold", "bolt"), "bolt"),
        (("tournament", "mirror", "bold", "bold"), "must have a doctrine once, got 'bold' 2 times"),
        (("run", "mirror", "--styles", "--runs", "8"), "--runs must be 9 or more with --styles, got 8"),
        (("run", "mirror", "--styles", "--out", "there"), "--out tells of one pair of styles"),
    ],
)
def test_bad_input_is_one_line(line: tuple[str, ...], said: str, carre: Callable[..., Result]) -> None:
    result = carre(*line)
    assert result.code == 2
    assert said in result.err
    assert len(result.err.strip().splitlines()) == 1


def test_from_python_it_is_a_frame() -> None:
    found = sim.tournament("mirror", ("idle", "march"), runs=2)
    assert list(found.to_frame()["second"]) == ["idle", "march", "idle", "march"]
    assert "idle v march" in repr(found)
