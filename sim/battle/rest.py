"""Readiness of cavalry that comes back in quiet turns (rule 36; D3.5; docs/battle.md R5 to R9).

Arrays have shape (horse, lanes), a row a unit of cavalry.
"""

from __future__ import annotations

import numpy as np

from sim.battle.told import Rested
from sim.combat.play import Play
from sim.ensemble.frames import Flags, Frame, Rows, flag_per_unit, per_unit
from sim.rules import readiness
from sim.vocabulary import CAVALRY, GOOD


class Fatigue(Frame):
    """What is remembered of tired cavalry."""

    seen: Rows = per_unit("its readiness at the end of the last half", high=2)
    lost_in: Rows = per_unit("the side in whose half it last lost readiness; -1: it did not", -1, high=1)
    moved: Rows = per_unit("most it has moved in a half since: 1 at most half its allowance, 2 more", high=2)
    upset: Flags = flag_per_unit("has fought, fallen back or lost increments by fire since")


class Rest:
    """Recovery of readiness, half by half.

    Parameters
    ----------
    play
        The battle.
    last
        The side whose half is the second of a turn: who is tired at the start was so in the half before.
    """

    def __init__(self, play: Play, last: int) -> None:
        self.play, self.forces = play, play.forces
        self.fatigue = Fatigue(play.ensemble)
        self._horse = np.flatnonzero(play.forces.arm == CAVALRY)
        self.fatigue.seen[:] = play.forces.readiness
        self.fatigue.lost_in[:] = np.where(play.forces.readiness > 0, last, -1)

    def recover(self, phasing: int) -> None:
        """At the end of a half of a side: who lost readiness in its last half may have some back."""
        forces, half, fatigue, horse = self.forces, self.forces.half, self.fatigue, self._horse
        now = forces.readiness[horse]
        if not len(horse) or not now.any():
            fatigue.seen[:] = 0
            return
        fell = now > fatigue.seen[horse]
        upset = half.meleed[horse] | half.evaded[horse] | half.hit[horse] | (half.fire_losses[horse] > 0)
        moved = np.maximum(fatigue.moved[horse], half.moved[horse])
        upset |= fatigue.upset[horse]
        due = (fatigue.lost_in[horse] == phasing) & ~fell & (now > 0)
        gain = readiness.recovered(moved, upset | (forces.state[horse] != GOOD)) * due
        over = fell | due
        fatigue.lost_in[horse] = np.where(fell, phasing, fatigue.lost_in[horse])
        fatigue.moved[horse] = np.where(over, 0, moved)
        fatigue.upset[horse] = upset & ~over
        row, lane = (gain > 0).nonzero()
        for number in np.unique(row).tolist():
            lanes = lane[row == number]
            mask = np.zeros(self.play.ensemble.n, bool)
            mask[lanes] = True
            cases = forces.cases(mask, int(horse[number]))
            forces.rest(cases, gain[number, lanes])
            self.play.log(Rested, cases, "36", readiness=forces.readiness[cases.at])
        fatigue.seen[horse] = forces.readiness[horse]
