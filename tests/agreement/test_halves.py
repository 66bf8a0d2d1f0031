"""One whole half of a battle with several units on random positions: the engine and the scalar play, run by
run, by the same dice."""

from __future__ import annotations

import numpy as np
import pytest

from sim.battle.battle import Battle
from sim.ensemble.dice import RandomDice
from tests.agreement.battle.field import Sketch
from tests.agreement.battle.half import play_half
from tests.agreement.battle.plans import Choices
from tests.agreement.battle.scripted import Scripted
from tests.agreement.battle.sketches import differences, ends_in, ends_of, engine, random_sketch
from tests.agreement.records import Table
from tests.agreement.test_fire_segments import likings
from tests.agreement.test_marches import random_choices, terms_of

RUNS = 16


def choices_of(sketch: Sketch, number: int) -> Choices:
    """All choices of a half, at random."""
    rng = np.random.default_rng([number, 13])
    evades, occupies = (rng.random((2, len(sketch.units))) < 0.6).tolist()
    return Choices(random_choices(sketch, number).plans, likings(sketch, number), evades, occupies)


@pytest.mark.parametrize("chunk", range(10))
def test_halves_end_alike(chunk: int) -> None:
    for number in range(chunk * 12, chunk * 12 + 12):
        sketch = random_sketch(704, number, crowd=1 + number % 3, units=6 + number % 9)
        choices = choices_of(sketch, number)
        play = engine(sketch, RandomDice(number, 0, RUNS, False), "")
        players = Scripted(play, 0, choices), Scripted(play, 1, choices)
        Battle(play, players, sketch.phasing, 1, terms=terms_of(sketch, play)).run()
        table = Table(number, 0, RUNS)
        expected = [ends_in(play_half(sketch, choices, table.for_run(run))) for run in range(RUNS)]
        found = differences(expected, ends_of(play))
        assert not found, (number, found[:6])
