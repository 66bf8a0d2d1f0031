"""Players without a plan: idle stays and fires, march walks at its goals; battles of the mirror scenario."""

from __future__ import annotations

import numpy as np
import pytest

from sim.board.hexmap import Rectangle
from sim.studies.engine import set_up
from sim.units import battlefiles
from sim.units.forces import Forces
from sim.vocabulary import ARTILLERY

LANES = 12


def played(west: str, east: str, turns: int) -> tuple[Forces, Forces]:
    """The forces as they begin, and after some turns."""
    scenario = battlefiles.load("mirror", [f"sides.1.style={west}", f"sides.2.style={east}"])
    begins, ends = (set_up(scenario, 3, 0, LANES, turns=turns) for _ in range(2))
    ends.run()
    return begins.forces, ends.forces


def test_where_both_are_idle_nothing_happens() -> None:
    before, after = played("idle", "idle", 4)
    for name in ("hex", "facing", "formation", "increments"):
        assert (getattr(before, name) == getattr(after, name)).all()


def test_the_idle_fire_and_do_not_move_of_their_own_will() -> None:
    before, after = played("march", "idle", 3)
    west, east = before.side == 0, before.side == 1
    assert (after.increments[west] < before.increments[west]).any()
    quiet = (after.state[east] == before.state[east]) & (after.increments[east] == before.increments[east])
    assert (after.hex[east] == before.hex[east])[quiet].mean() > 0.9


@pytest.mark.parametrize("side", [0, 1])
def test_who_marches_walks_at_the_goal_and_leaves_the_batteries(side: int) -> None:
    names = ("march", "idle") if side == 0 else ("idle", "march")
    before, after = played(*names, turns=2)
    own, guns = before.side == side, before.arm == ARTILLERY
    assert (after.hex[own & guns] == before.hex[own & guns]).all()
    grid = before.map.grid
    assert isinstance(grid, Rectangle)
    centre = before.map.number(grid.hex_of("1209"))
    gaps = [one.map.distances(one.hex[own & ~guns], np.asarray(centre)) for one in (before, after)]
    assert gaps[1].mean() < gaps[0].mean() - 3
