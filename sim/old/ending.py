"""How a charge ends: regiments without contact, guns that were left behind, and where its foe stands (rule 37; docs/charge.md section 4).

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.old.attempts import SHAKEN
from sim.rules import charge as rules
from sim.vocabulary import DISORDERED, GOOD, ROUTED, UNLIMBERED

if TYPE_CHECKING:
    from sim.old.charging import Charging


def rout_without_contact(charging: Charging) -> None:
    """The no-contact rule, for each regiment where it is (F14 fb124; D4.3)."""
    forces = charging.forces
    out = {}
    for unit in charging.stack:
        lanes = np.flatnonzero(forces.charged[unit, : forces.n] == 1)
        lanes = lanes[forces.state[unit, lanes] == GOOD]
        riding = charging.mounted(lanes)
        lead = np.full(len(lanes), unit)
        for above in reversed(charging.stack):
            lead[riding[unit] & riding[above]] = above
        touching = forces.survey.touching(unit, lanes)
        contact = (forces.contact[lead, lanes] > 0) | touching
        out[unit] = lanes[
            rules.routs_without_contact(forces.points[lead, lanes], int(forces.movement[unit]), contact)
        ]
    for unit, lanes in out.items():
        forces.become(unit, lanes, ROUTED)
        if len(lanes):
            charging.battle.tell(
                "37",
                charging.battle.name(unit),
                "spent its allowance without contact and routs where it stands",
            )


def guns_left_behind(charging: Charging) -> None:
    """Disordered guns whose infantry went away as the target may be meleed by a charge that has nobody else to melee (2014; 0-decisions 5.27)."""
    forces, goal = charging.forces, charging.goal
    if charging.switches["dd_target"] != "follows":
        return
    lanes = np.flatnonzero(
        (forces.attempt[goal, : forces.n] == SHAKEN) & (forces.attempt_as_target[goal, : forces.n] == 1)
    )
    riding = charging.mounted(lanes)
    free = np.logical_and.reduce([forces.foe[u, lanes] == 0 for u in charging.stack])
    for top in charging.stack:
        leads = lanes[free & riding[top]]
        free &= ~riding[top]
        guns = forces.top(int(forces.side[goal]), np.full(len(leads), charging.goal_hex), leads)
        near = (guns >= 0) & (
            forces.map.distances(forces.hex[top, leads], np.full(len(leads), charging.goal_hex)) == 1
        )
        leads, guns = leads[near], guns[near]
        left = (forces.formation[guns, leads] == UNLIMBERED) & (forces.state[guns, leads] == DISORDERED)
        forces.note("foe", top, leads[left], guns[left] + 1)
        forces.note("bonus", top, leads[left], 0)


def note_foe(charging: Charging) -> None:
    """Remember the hex that will be meleed: where the foe stands now."""
    forces = charging.forces
    for top in charging.stack:
        lanes = np.flatnonzero(forces.foe[top, : forces.n] > 0)
        foes = forces.foe[top, lanes] - 1
        here = forces.hex[foes, lanes] != forces.map.off
        forces.note("foe_hex", top, lanes[here], forces.hex[foes[here], lanes[here]])
