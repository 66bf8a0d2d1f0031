"""Cavalry that comes off an enemy's hex when the melee is over (rule 34; P17 p19; docs/charge.md 10.12).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.battle.sides import Mask
from sim.battle.told import CameOff
from sim.combat.play import Play
from sim.ensemble.cases import each
from sim.vocabulary import GONE


def leave_enemy_hex(play: Play, stack: Sequence[int], lanes: Mask) -> None:
    """Regiments of a stack that stand on a hex with an enemy go back where they came from, or to the next
    best hex, all together.

    Parameters
    ----------
    lanes
        Where, shape (lanes,).
    """
    forces = play.forces
    for unit in stack:
        cases = forces.cases(lanes & (forces.state[unit] != GONE), unit)
        cases = cases.where(forces.shares_hex(cases))
        if not len(cases):
            continue
        here, back = forces.hex[cases.at].copy(), forces.half.came_from[cases.at]
        free = (back >= 0) & (forces.hex[:, cases.lane] != back).all(axis=0)
        to = np.where(free, back, play.survey.free_step(cases, play.reference_range))
        goes = np.zeros((len(forces.units), len(cases)), bool)
        goes[list(stack)] = forces.hex[list(stack)][:, cases.lane] == here
        goes &= to != forces.map.off
        direction = play.survey.toward(here, to)
        for at, mine in each(cases, goes):
            forces.place(mine, to[at], 2 * direction[at] + forces.corner(mine))
            play.log(CameOff, mine, "34")
