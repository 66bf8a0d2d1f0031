"""The movement segment on random positions: the engine and the scalar play, run by run, by the same dice."""

from __future__ import annotations

import numpy as np
import pytest

from sim.battle.marching import Marching, Terms
from sim.battle.movement import Movement
from sim.battle.shooting import opportunity_fire
from sim.board.going import going_of
from sim.combat.play import Play
from sim.ensemble.cases import Cases
from sim.ensemble.dice import RandomDice
from sim.rulesets.compiled import BATTALION, REGIMENT
from tests.agreement.battle.field import Field, Sketch
from tests.agreement.battle.march import movement
from tests.agreement.battle.plans import Choices, Plan, random_path
from tests.agreement.battle.scripted import Scripted
from tests.agreement.battle.sketches import differences, ends_in, ends_of, engine, facing_of, random_sketch
from tests.agreement.records import Table
from tests.field import play_out

RUNS = 24


def random_choices(sketch: Sketch, seed: int) -> Choices:
    """Ways, changes and turns for the units whose half it is."""
    rng = np.random.default_rng([seed, 11])
    of_arm = {
        "infantry": ["column", "line", "line 2", "square", "skirmish"],
        "cavalry": ["column", "line"],
        "artillery": ["limbered", "unlimbered"],
    }
    plans = {}
    for number, one in enumerate(sketch.units):
        if one.side != sketch.phasing:
            continue
        some = of_arm[one.unit.arm]
        first = str(rng.choice(some)) if rng.random() < 0.3 else None
        then = str(rng.choice(some)) if rng.random() < 0.3 else None
        path = random_path(rng, one.at, int(rng.integers(0, 9)), int(rng.integers(6)), sketch.holds)
        kept = (then or first or one.unit.formation).removesuffix(" 2")
        facing = facing_of(kept, int(rng.integers(6))) if rng.random() < 0.5 else None
        plans[number] = Plan(first, path, int(rng.integers(1, 9)), then, facing)
    return Choices(plans, np.ones((len(sketch.units), len(sketch.units)), int))


def terms_of(sketch: Sketch, play: Play) -> Terms:
    """What movement asks of a sketch."""
    units, off = len(sketch.units), play.forces.map.off
    sizes = [REGIMENT if unit in sketch.regiments else BATTALION for unit in range(units)]
    horse = [unit in sketch.horse_guns for unit in range(units)]
    going = going_of(play.forces.map, play.survey.board, play.book, sizes, horse)
    limber = play.book.blocks.limber.leader
    helps = [limber if one is not None and one.artillery > 0 else 0 for one, _ in sketch.leaders]
    needs = np.array([sketch.limbers.get(unit, 1) for unit in range(units)])
    return Terms(going, needs, np.array([*helps, 0]), np.zeros((2, off + 1), bool))


@pytest.mark.parametrize("chunk", range(10))
def test_movement_ends_alike(chunk: int) -> None:
    for number in range(chunk * 20, chunk * 20 + 20):
        sketch = random_sketch(702, number, crowd=3)
        choices = random_choices(sketch, number)
        play = engine(sketch, RandomDice(number, 0, RUNS, False), "1.1.movement")
        players = Scripted(play, 0, choices), Scripted(play, 1, choices)

        side = sketch.phasing

        def fire_at(movers: Cases, play: Play = play, other: Scripted = players[1 - side]) -> None:
            opportunity_fire(play, movers, other)

        terms = terms_of(sketch, play)
        marching = Marching(play, terms, players, side, fire_at, lambda m: m.take(np.zeros(0, int)))
        play_out(Movement(marching))
        table, expected = Table(number, 0, RUNS), []
        for run in range(RUNS):
            field = Field(sketch, table.for_run(run))
            field.segment = "movement"
            movement(field, choices.plans)
            expected.append(ends_in(field))
        found = differences(expected, ends_of(play))
        assert not found, (number, found[:6])
