"""Assaults on random positions: the engine and the scalar play, run by run, by the same dice."""

from __future__ import annotations

import numpy as np
import pytest

from sim.battle.assault import assault
from sim.ensemble.dice import RandomDice
from tests.agreement.battle.field import Field, Sketch
from tests.agreement.battle.sketches import differences, ends_in, ends_of, engine, random_sketch
from tests.agreement.battle.storm import storm
from tests.agreement.play.hexes import Hex
from tests.agreement.play.pieces import Piece
from tests.agreement.records import Table

RUNS = 40


def always(piece: Piece) -> bool:
    return True


def never(piece: Piece) -> bool:
    return False


def attacked(sketch: Sketch, number: int) -> Hex:
    """A hex of the other side."""
    places = [one.at for one in sketch.units if one.side != sketch.phasing]
    return places[number % len(places)]


@pytest.mark.parametrize("chunk", range(10))
def test_assaults_end_alike(chunk: int) -> None:
    for number in range(chunk * 12, chunk * 12 + 12):
        sketch = random_sketch(701, number)
        where, occupy = attacked(sketch, number), number % 3 > 0
        dice = RandomDice(number, 0, RUNS, False)
        play = engine(sketch, dice, "1.1.melee")
        mine = play.forces.side == sketch.phasing
        place = np.full(play.ensemble.n, play.forces.map.number(where))
        assault(
            play,
            sketch.phasing,
            np.repeat(mine[:, None], play.ensemble.n, axis=1),
            place,
            occupy,
            number % 2 > 0,
        )
        table, expected = Table(number, 0, RUNS), []
        for run in range(RUNS):
            field = Field(sketch, table.for_run(run))
            field.segment = "melee"
            party = [piece for piece in field.pieces if piece.side == "charger"]
            party = [piece for piece in party if number % 2 or piece.arm == "infantry"]
            storm(field, party, where, always if occupy else never)
            expected.append(ends_in(field))
        assert not differences(expected, ends_of(play)), number
