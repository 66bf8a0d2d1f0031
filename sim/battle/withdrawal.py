"""Cavalry that comes off an enemy's hex when the melee is over (rule 34; P17 p19).

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.geometry import free_step
from sim.hexmap import direction_to
from sim.lanes import Ids

if TYPE_CHECKING:
    from sim.battle.engine import Battle


def leave_enemy_hex(battle: Battle, stack: tuple[int, ...], lanes: Ids) -> None:
    """Regiments of a stack that still stand on a hex with an enemy go back where they came from."""
    forces = battle.forces
    for unit in stack:
        there = lanes[forces.present(unit, lanes)]
        _go_back(battle, stack, unit, there[forces.shares_hex(unit, there)])


def _go_back(battle: Battle, stack: tuple[int, ...], lead: int, lanes: Ids) -> None:
    """To the hex it came from, or else the next best one, with all of its stack that are with it."""
    forces = battle.forces
    situations, which = forces.situations(lanes)
    for s, one in enumerate(situations):
        group = lanes[which == s]
        for back in np.unique(forces.came_from[lead, group]).tolist():
            there = group[forces.came_from[lead, group] == back]
            place = forces.map.hex(back) if back else None
            to = place if place is not None and place not in one.hexes else free_step(one, lead, battle.horizon)
            if to is None:
                continue
            direction = direction_to(one.hexes[lead], to)
            for unit in (u for u in stack if one.hexes[u] == one.hexes[lead]):
                corner = int(battle.book.corner_facing[forces.kind[unit], one.formations[unit]])
                forces.place(unit, there, forces.map.number(to), 2 * direction + corner)
                battle.tell("34", battle.name(unit), "comes off the enemy's hex")
