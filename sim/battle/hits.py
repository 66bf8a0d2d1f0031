"""Whose doing it was that a unit was hit: each charge and its melee count their own (docs/charge.md 12.2,
14.10)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.charge.charge import Charge
from sim.combat.play import Play
from sim.ensemble.frames import Flags, Frame, flag_per_unit


class Outside(Frame):
    """What no charge and no melee did."""

    hit: Flags = flag_per_unit("was hit in a fire segment, in recovery, or as guns left behind")


class Hits:
    """Hits of one half, told apart.

    Parameters
    ----------
    play
        The battle, before anything has happened.
    """

    def __init__(self, play: Play) -> None:
        self.half = play.forces.half
        self.outside = Outside(play.ensemble)

    def begin(self) -> None:
        """A charge or a melee begins: what was hit before is nobody's."""
        self.outside.hit |= self.half.hit
        self.half.hit[:] = False

    def end(self, charge: Charge) -> None:
        """The charge, or its melee, is over: what was hit is its own."""
        _count(charge, self.half.hit)
        self.half.hit[:] = False

    def close(self, charges: Sequence[Charge]) -> None:
        """The half is over: what was nobody's counts for all."""
        self.begin()
        for charge in charges:
            _count(charge, self.outside.hit)
        self.outside.close()


def _count(charge: Charge, hit: Flags) -> None:
    """Whether a charge's target is among the units hit, or the second unit where it turned to that."""
    state = charge.state
    lanes = np.arange(hit.shape[1])
    state.hit |= hit[state.target, lanes] | (state.turned & hit[state.goal, lanes])
