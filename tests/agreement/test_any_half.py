"""Halves that Hypothesis makes up: engine and scalar play end alike, a run is the same in any batch, and what
holds of every battle (design: invariants 1, 4, 7)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.battle.battle import Battle
from sim.board.survey import Survey
from sim.combat.play import Play
from sim.ensemble.dice import RandomDice
from sim.vocabulary import GONE
from tests.agreement.battle.field import Sketch
from tests.agreement.battle.half import play_half
from tests.agreement.battle.plans import Choices
from tests.agreement.battle.scripted import Scripted
from tests.agreement.battle.sketches import differences, ends_in, ends_of, engine, random_sketch
from tests.agreement.records import Table
from tests.agreement.test_halves import choices_of
from tests.agreement.test_marches import terms_of

PLACES = st.tuples(st.integers(0, 2**20), st.integers(0, 2**20), st.integers(1, 3), st.integers(3, 14))
"""What a random position is made of."""
SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=25, deadline=None)


Place = tuple[int, int, int, int]


class Watching(Scripted):
    """Notes what the map shows whenever a half begins."""

    def __init__(self, play: Play, side: int, choices: Choices) -> None:
        super().__init__(play, side, choices)
        self.seen: list[np.ndarray] = []

    def begin_half(self, phasing: int) -> None:
        self.seen.append(self.play.forces.increments.copy())


def fought(sketch: Sketch, seed: int, first: int, runs: int, halves: int = 1) -> tuple[Battle, Watching]:
    """So many halves of a battle, in some runs of a seed."""
    choices = choices_of(sketch, seed)
    play = engine(sketch, RandomDice(seed, first, runs, False), "")
    players = Watching(play, 0, choices), Watching(play, 1, choices)
    battle = Battle(play, players, sketch.phasing, halves, terms=terms_of(sketch, play))
    battle.run()
    return battle, players[0]


@FEW
@given(PLACES, SEEDS)
def test_engine_and_scalar_play_end_alike(place: Place, seed: int) -> None:
    sketch = random_sketch(*place)
    battle, _ = fought(sketch, seed, 0, 4)
    table, choices = Table(seed, 0, 4), choices_of(sketch, seed)
    expected = [ends_in(play_half(sketch, choices, table.for_run(run))) for run in range(4)]
    assert not differences(expected, ends_of(battle.play))


@FEW
@given(PLACES, SEEDS, st.integers(0, 9), st.integers(1, 7))
def test_a_run_is_the_same_in_any_batch(place: Place, seed: int, first: int, runs: int) -> None:
    whole, _ = fought(random_sketch(*place), seed, 0, first + runs, halves=3)
    part, _ = fought(random_sketch(*place), seed, first, runs, halves=3)
    assert not differences(ends_of(part.play), ends_of(whole.play)[first:])


@FEW
@given(PLACES, SEEDS)
def test_increments_are_lost_and_never_come_back(place: Place, seed: int) -> None:
    battle, player = fought(random_sketch(*place), seed, 0, 6, halves=4)
    seen = [*player.seen, battle.forces.increments.copy()]
    for before, after in pairwise(seen):
        assert (after <= before).all()
    assert (seen[-1] >= 0).all()
    gone = battle.forces.state == GONE
    assert (seen[-1][gone] == 0).all()
    assert (seen[-1][~gone] > 0).all()
    every = battle.forces.cases(np.ones(6, bool), 0)
    lost = sum(battle.forces.lost(every.of(unit)) for unit in range(len(battle.forces.units)))
    assert (lost == (battle.forces.printed[:, None] - seen[-1]).sum(axis=0)).all()


@FEW
@given(PLACES, SEEDS)
def test_who_runs_ends_farther_from_every_enemy_that_was_near(place: Place, seed: int) -> None:
    """0-decisions 5.12; who routs and cannot surrenders, and who only falls back stays."""
    found, retreat = [], Survey.retreat

    def watched(survey: Survey, cases: Any, leavers: Any, *how: Any) -> Any:
        flight = retreat(survey, cases, leavers, *how)
        position, board = survey._position(), survey.board
        for k, (unit, lane) in enumerate(zip(cases.unit.tolist(), cases.lane.tolist(), strict=True)):
            there = (position.state[:, lane] != GONE) & (board.side != board.side[unit])
            foes = np.stack([position.hex[there, lane], position.second[there, lane]])
            found.append(
                (int(position.hex[unit, lane]), int(flight.end[k]), foes, bool(flight.surrendered[k]))
            )
        return flight

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Survey, "retreat", watched)
        battle, _ = fought(random_sketch(*place), seed, 0, 6, halves=4)
    distances = battle.forces.map.distances
    for start, end, foes, surrendered in found:
        if surrendered or end == start or not foes.size:
            continue
        before, after = (distances(foes, np.array(at)).min(axis=0) for at in (start, end))
        assert (after > before)[before <= battle.play.reference_range].all()
        assert after.min() >= before.min()


@FEW
@given(PLACES, SEEDS)
def test_who_is_gone_stands_nowhere_and_nobody_shares_a_hex_with_an_enemy(place: Place, seed: int) -> None:
    battle, _ = fought(random_sketch(*place), seed, 0, 6, halves=4)
    forces = battle.forces
    assert ((forces.hex == forces.map.off) == (forces.state == GONE)).all()
    for lane in range(6):
        held = [set(forces.hex[forces.side == side, lane].tolist()) - {forces.map.off} for side in (0, 1)]
        assert not held[0] & held[1]
