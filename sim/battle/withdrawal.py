"""Cavalry that comes off an enemy's hex when the melee is over (rule 34; P17 p19; docs/charge.md 10.12).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.battle.told import CameOff
from sim.combat.play import Play
from sim.ensemble.cases import each, first_of
from sim.ensemble.frames import Flags
from sim.vocabulary import GONE


def leave_enemy_hex(play: Play, stack: Flags) -> None:
    """Regiments of a stack, shape (units, lanes), that stand on a hex with an enemy go back where they came
    from, or to the next best hex, all together."""
    forces = play.forces
    due = stack & (forces.state != GONE)
    while due.any():
        cases = forces.cases(*first_of(due))
        due[cases.at] = False
        cases = cases.where(forces.shares_hex(cases))
        here, back = forces.hex[cases.at].copy(), forces.half.came_from[cases.at]
        free = (back >= 0) & ~forces.in_hex(back, cases.lane).any(axis=0)
        to = np.where(free, back, play.survey.free_step(cases, play.reference_range))
        goes = stack[:, cases.lane] & (forces.hex[:, cases.lane] == here) & (to != forces.map.off)
        direction = play.survey.toward(here, to)
        for at, mine in each(cases, goes):
            forces.place(mine, to[at], 2 * direction[at] + forces.corner(mine))
            play.log(CameOff, mine, "34")
