"""Morale recovery, and the routs that waited for it (rule 30; seed 004; docs/charge.md 11).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.battle.told import Recovered, Unrecovered
from sim.combat.checks import check
from sim.combat.flight import rout_alone
from sim.combat.play import Play
from sim.ensemble.frames import Flags
from sim.rulesets.conditions import code
from sim.rulesets.modifiers import holds
from sim.vocabulary import DISORDERED, GENERAL_ORDER, GOOD, INFANTRY, ROUTED, UNLIMBERED

RULE = "30"


def shaken(play: Play, unit: int) -> Flags:
    """Where a unit is disordered or routed, shape (lanes,)."""
    state = play.forces.state[unit]
    return (state == DISORDERED) | (state == ROUTED)


def routs_late(play: Play, unit: int) -> Flags:
    """Where a unit's rout move, by fire in this half, is still to come, shape (lanes,)."""
    return play.forces.half.rout_pending[unit] & (play.forces.state[unit] == ROUTED)


def recover(play: Play, unit: int) -> None:
    """A unit of the phasing side that is disordered or routed tries to recover; if it fails it runs on
    (docs/charge.md 11.1 to 11.3)."""
    forces = play.forces
    cases = forces.cases(shaken(play, unit), unit)
    cases, passed = check(play, "recovery", cases, RULE)
    forces.half.rout_pending[cases.at] = False
    back, on = cases.where(passed), cases.where(~passed)
    forces.become(back, GOOD)
    if forces.arm[unit] == INFANTRY:
        book = play.book
        loose = [
            code(name)
            for name, is_loose in zip(book.terrains, book.fire_defence.general_order, strict=True)
            if is_loose
        ]
        forces.form(back.where(np.isin(forces.terrain[forces.hex[back.at]], loose)), GENERAL_ORDER)
    play.log(Recovered, back, RULE, formation=forces.formation[back.at])
    for loss in play.book.recovery_losses:
        hurt = on.where(holds(loss.when, forces.attributes_of("unit", on), len(on)))
        play.log(Unrecovered, hurt, RULE, label=loss.label, source=loss.source)
        forces.lose(hurt, loss.increments, RULE)
    on = on.where(forces.present(on))
    on = on.where(forces.formation[on.at] != UNLIMBERED)  # unlimbered guns stay as they are (E2)
    forces.become(on.where(forces.state[on.at] == DISORDERED), ROUTED)
    rout_alone(play, on)


def rout_late(play: Play, unit: int) -> None:
    """The rout move of a unit routed by fire in this half (docs/charge.md 11.4)."""
    cases = play.forces.cases(routs_late(play, unit), unit)
    play.forces.half.rout_pending[unit] = False
    rout_alone(play, cases)
