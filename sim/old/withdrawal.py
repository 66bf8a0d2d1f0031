"""Cavalry that comes off an enemy's hex when the melee is over (rule 34; P17 p19).

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.old.lanes import Ids

if TYPE_CHECKING:
    from sim.old.engine import Battle


def leave_enemy_hex(battle: Battle, stack: tuple[int, ...], lanes: Ids) -> None:
    """Regiments of a stack that still stand on a hex with an enemy go back where they came from."""
    forces = battle.forces
    for unit in stack:
        there = lanes[forces.present(unit, lanes)]
        _go_back(battle, stack, unit, there[forces.shares_hex(unit, there)])


def _go_back(battle: Battle, stack: tuple[int, ...], lead: int, lanes: Ids) -> None:
    """To the hex it came from, or else the next best one, with all of its stack that are with it."""
    forces = battle.forces
    here, back = forces.hex[lead, lanes], forces.came_from[lead, lanes]
    free = (back > 0) & (forces.hex[:, lanes] != back).all(axis=0)
    to = np.where(free, back, forces.survey.free_step(lead, lanes, battle.horizon))
    direction = forces.survey.toward(here, to)
    for unit in stack:
        goes = (forces.hex[unit, lanes] == here) & (to != forces.map.off)
        corner = battle.book.corner_facing[forces.kind[unit], forces.formation[unit, lanes[goes]]]
        forces.place(unit, lanes[goes], to[goes], 2 * direction[goes] + corner)
        if goes.any():
            battle.tell("34", battle.name(unit), "comes off the enemy's hex")
