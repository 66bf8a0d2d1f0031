"""A precision that was asked for is reached, and its intervals cover as often as they say although nobody
chose the number of runs."""

from __future__ import annotations

import json
import re

import pytest

from sim.cli import main
from sim.errors import InputError
from sim.studies.batches import simulated_tallies
from sim.studies.intervals import wilson
from sim.studies.measures import EVENTS
from sim.studies.odds import odds, variants_of
from sim.studies.precision import PILOT, PILOT_FIRST, half_width, planned, runs_for, to_precision
from sim.studies.tally import Tally
from sim.units import scenarios
from tests.tallies import bounced

CHARGE = scenarios.load(scenarios.DEFAULT)


def half(tally: Tally, event: str) -> float:
    low, high = wilson(tally.events[event], tally.whole)
    return (high - low) / 2


@pytest.mark.parametrize("event", ["charge succeeds", "target surrendered"])
def test_intervals_of_a_planned_precision_cover_as_often_as_they_say(event: str) -> None:
    """120 seeds, a common and a rare event: 95 % intervals cover 107 to 119 of them but in 1 of 150
    experiments; all are narrow enough."""
    exact = float(odds(CHARGE, "carre@3", "exact").rows[0].tally.p(event))
    covered = 0
    for seed in range(120):
        tally = odds(CHARGE, "carre@3", "mc", seed=seed, precision=2.5, watched=[event]).rows[0].tally
        assert half(tally, event) <= 0.025
        low, high = wilson(tally.events[event], tally.whole)
        covered += low <= exact <= high
    assert 107 <= covered <= 119


def test_every_watched_event_of_every_response_is_as_precise_as_asked() -> None:
    found = odds(CHARGE, "all", "mc", precision=1)
    assert all(half(row.tally, event) <= 0.01 for row in found.rows for event in EVENTS)
    assert found.runs < 1.02 * runs_for(0.25, 0.01)


def test_the_runs_are_those_of_the_same_number_asked_for_and_the_pilots_are_not_among_them() -> None:
    found = odds(CHARGE, "stand", "mc", seed=7, precision=2)
    again = odds(CHARGE, "stand", "mc", runs=found.runs, seed=7)
    assert found.rows[0].tally == again.rows[0].tally
    assert PILOT_FIRST > 10**9  # the most runs there may be
    stand = variants_of(CHARGE.attacks[0], ["stand"])
    parts = [
        simulated_tallies(CHARGE, stand, number, 7, first=first)[0][0]
        for first, number in ((0, 900), (900, 600), (0, 1_500))
    ]
    assert {event: parts[0].events[event] + parts[1].events[event] for event in EVENTS} == parts[2].events
    assert parts[0].events != simulated_tallies(CHARGE, stand, 900, 7, first=PILOT_FIRST)[0][0].events


def test_a_rare_event_needs_fewer_runs() -> None:
    all_events, rare = (
        odds(CHARGE, "carre@3", "mc", precision=0.5, watched=one).runs
        for one in (EVENTS, ["target surrendered"])
    )
    assert rare < all_events / 3
    assert odds(CHARGE, "stand", "mc", precision=0.5, watched=["untouched"]).runs < 1_000


@pytest.mark.parametrize("spread", [0.0, 0.0475, 0.16, 0.25])
@pytest.mark.parametrize("width", [0.2, 0.01, 0.0005])
def test_the_planned_number_of_runs_is_the_least_that_does(spread: float, width: float) -> None:
    runs = runs_for(spread, width)
    assert half_width(spread, runs) <= width
    assert runs == 1 or half_width(spread, runs - 1) > width


def test_the_plan_is_for_the_least_favourable_chance_that_the_pilot_allows() -> None:
    for hits in (0, 1, 300, 4_990, 5_000, 9_000, PILOT):
        low, high = wilson(hits, PILOT, 0.999)
        worst = max(p * (1 - p) for p in (low, high, *([0.5] if low <= 0.5 <= high else [])))
        assert planned([bounced(hits, PILOT)], ["bounced"], 0.005) == runs_for(worst, 0.005)


def test_a_pilot_that_misled_is_made_good() -> None:
    """The pilot saw nothing; then every second run is a hit."""

    def play(first: int, runs: int) -> list[Tally]:
        return [bounced(0 if first == PILOT_FIRST else runs // 2, runs)]

    tallies, runs = to_precision(play, ["bounced"], 0.01)
    assert runs == runs_for(0.25, 0.01) == tallies[0].whole
    assert half(tallies[0], "bounced") <= 0.01


def test_the_command_line_says_runs_and_precision_and_gives_exact_odds_where_it_can(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["odds", "--response", "stand", "--method", "mc", "--precision", "2"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert re.search(r"2,\d{3} simulated runs, seed 1, 95 % intervals; at most ±2 points", text)
    assert main(["odds", "--response", "stand", "--precision", "2"]) == 0
    assert "exact odds" in capsys.readouterr().out
    assert (
        main(
            [
                "odds",
                "--response",
                "stand",
                "--method",
                "mc",
                "--precision",
                "2",
                "--event",
                "bounced",
                "--json",
            ]
        )
        == 0
    )
    answer = json.loads(capsys.readouterr().out)
    assert (answer["precision"], answer["runs"] < 1_000) == (2.0, True)
    assert main(["odds", "--precision", "2", "--runs", "5"]) == 2
    assert "--runs: not allowed with argument --precision" in capsys.readouterr().err


@pytest.mark.parametrize("points", [0, 0.003, 26, -1])
def test_a_precision_that_cannot_be_reached_is_refused(points: float) -> None:
    with pytest.raises(InputError, match=r"--precision must be a number of points from 0\.004 to 25, got"):
        odds(CHARGE, "stand", "mc", precision=points)
