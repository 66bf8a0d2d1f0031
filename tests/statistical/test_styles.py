"""Styles beat players without a plan: on the mirror scenario balanced wins at least 80 % against each, in
either seat; a draw counts half.

Fixed seeds. Who moves first loses more often than he wins, so that the seats differ.
"""

from __future__ import annotations

import pytest

from sim.studies.matters import wins
from sim.studies.run import run
from sim.units import battlefiles
from sim.units.styles import BASELINES

RUNS = 600
LEAST = 0.8


@pytest.mark.parametrize("other", BASELINES)
@pytest.mark.parametrize("seat", [0, 1], ids=["moves first", "moves second"])
def test_balanced_beats_who_has_no_plan(other: str, seat: int) -> None:
    names = ("balanced", other) if seat == 0 else (other, "balanced")
    scenario = battlefiles.load("mirror", [f"sides.{n}.style={name}" for n, name in enumerate(names, 1)])
    won, lost, drawn = wins(run(scenario, RUNS, 7, each=lambda _: None).counts, scenario)
    if seat == 1:
        won, lost = lost, won
    share = (won + drawn / 2) / RUNS
    print(f"\nbalanced against {other}, seat {seat}: {100 * share:.1f} % of {RUNS}")
    assert share >= LEAST
