"""The fire segments on random positions: the engine and the scalar play, run by run, by the same dice."""

from __future__ import annotations

import numpy as np
import pytest

from sim.battle.shooting import defensive_fire, offensive_fire
from sim.ensemble.dice import RandomDice
from tests.agreement.battle.field import Field, Sketch
from tests.agreement.battle.plans import Choices
from tests.agreement.battle.scripted import Scripted
from tests.agreement.battle.sketches import differences, ends_in, ends_of, engine, random_sketch
from tests.agreement.battle.volley import fire_segment
from tests.agreement.play.pieces import Piece
from tests.agreement.records import Table

RUNS = 24


def likings(sketch: Sketch, seed: int) -> np.ndarray:
    """How much each likes to shoot at each; all differ, some are not liked."""
    rng, units = np.random.default_rng([seed, 12]), len(sketch.units)
    return rng.permuted(np.arange(units * units) - units * units // 4).reshape(units, units)


@pytest.mark.parametrize("chunk", range(10))
@pytest.mark.parametrize("segment", ["defensive-fire", "offensive-fire"])
def test_fire_segments_end_alike(segment: str, chunk: int) -> None:
    for number in range(chunk * 12, chunk * 12 + 12):
        sketch = random_sketch(703, number, crowd=1 + number % 3)
        likes = likings(sketch, number)
        play = engine(sketch, RandomDice(number, 0, RUNS, False), f"1.1.{segment}")
        defends = segment == "defensive-fire"
        player = Scripted(play, sketch.phasing ^ defends, Choices({}, likes))
        if defends:
            defensive_fire(play, player)
        else:
            offensive_fire(play, player, ())
        table, expected = Table(number, 0, RUNS), []
        for run in range(RUNS):
            field = Field(sketch, table.for_run(run))
            field.segment = segment

            def like(one: Piece, other: Piece, field: Field = field, likes: np.ndarray = likes) -> int:
                return int(likes[field.rank[one.id], field.rank[other.id]])

            fire_segment(field, ("charger", "target")[defends], like, far=not defends)
            expected.append(ends_in(field))
        found = differences(expected, ends_of(play))
        assert not found, (number, found[:6])
