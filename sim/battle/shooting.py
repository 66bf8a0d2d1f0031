"""The fire segments: which hexes are shot at, once each (rules 24, 27; docs/charge.md 9.1, 9.2).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.battle.sides import Mask, Numbers
from sim.charge.charge import Charge
from sim.combat.fire import attack
from sim.combat.play import Play
from sim.ensemble.cases import first_of
from sim.ensemble.frames import Flags, Frame, Rows, flag_per_unit, per_place
from sim.units.chargefields import MOST_CHARGES
from sim.vocabulary import GONE


class ShotAt(Frame):
    """What has been shot at in one fire segment."""

    due: Flags = flag_per_unit("top unit of a hex that is still to be shot at")
    places: Rows = per_place("hex that was shot at for a charge, -1 for none", MOST_CHARGES, -1)


class FireSegment:
    """One fire segment, while it lasts.

    Parameters
    ----------
    play
        The battle.
    phasing
        The side whose half it is.
    """

    def __init__(self, play: Play, phasing: int) -> None:
        self.play, self.forces, self.phasing = play, play.forces, phasing
        self.state = ShotAt(play.ensemble)

    def close(self) -> None:
        """The segment is over: every hex may fire in the next one."""
        self.forces.half.fired[:] = False
        self.state.close()

    # -- defensive fire -------------------------------------------------------------------------

    def under_fire(self) -> Iterator[int]:
        """The units that are shot at in some lane, in unit order: the top ones of the phasing side's hexes as
        they stand now."""
        due = tops(self.play) & (self.forces.side == self.phasing)[:, None]
        self.state.due[:] = due
        return iter(np.flatnonzero(due.any(axis=1)).tolist())

    def at_hex_of(self, unit: int) -> None:
        """All that bears on a unit's hex shoots at it; on a square only the square does."""
        forces, state = self.forces, self.state
        cases = state.cases(state.due[unit] & (forces.state[unit] != GONE), unit)
        cases = cases.where(self.play.survey.touching(cases))
        here = forces.hex[:, cases.lane] == forces.hex[cases.at]
        shooters = ~forces.shares_hex(cases) | here
        attack(self.play, cases, "27", shooters=shooters, defensive=True)

    # -- offensive fire -------------------------------------------------------------------------

    def at_target(self, charge: Charge, number: int) -> None:
        """The phasing side shoots at the hex of a charge's target, unless a charger stands on it, or it has
        been shot at already."""
        forces, state = self.forces, self.state
        place = target_hex(self.play, charge)
        lanes = self.play.ensemble.all()
        top = forces.top(1 - self.phasing, place, lanes)
        fresh = (state.places != place).all(axis=0)
        cases = state.cases((top >= 0) & fresh, np.maximum(top, 0))
        cases = cases.where(~forces.shares_hex(cases))
        state.places[number, cases.lane] = place[cases.lane]
        cases = cases.where(self.play.survey.touching(cases))
        attack(self.play, cases, "24", once=True, repeatable=True)


def tops(play: Play) -> Flags:
    """The top unit of each side in each hex, shape (units, lanes)."""
    forces = play.forces
    units, n = forces.hex.shape
    counted = (forces.state != GONE) & (forces.unmanned == 0)
    place = np.where(counted, 2 * forces.hex.astype(np.int64) + forces.side[:, None], -1)
    order = (2 * place + forces.sheltered) * units + np.arange(units)[:, None]
    ranked = np.argsort(order, axis=0)
    sorted_ = np.take_along_axis(place, ranked, axis=0)
    first = np.ones((units, n), bool)
    first[1:] = sorted_[1:] != sorted_[:-1]
    found = np.zeros((units, n), bool)
    np.put_along_axis(found, ranked, first & (sorted_ >= 0), axis=0)
    return found


def target_hex(play: Play, charge: Charge) -> Numbers:
    """The hex of a charge's target while anybody of it is left there, else that of the first of them who is
    left, `off` if none is; shape (lanes,).

    Where the charge turned to a second unit, that unit's hex (0-decisions 5.34).
    """
    forces, state, lanes = play.forces, charge.state, play.ensemble.all()
    units = np.flatnonzero(state.of_hex.any(axis=1))
    there: Mask = state.of_hex[units] & (forces.state[units] != GONE) & (forces.unmanned[units] == 0)
    held = (there & (forces.hex[units] == state.target_hex)).any(axis=0)
    some, first = first_of(there)
    place = np.where(some, forces.hex[units[first], lanes], forces.map.off)
    place = np.where(held, state.target_hex, place)
    return np.where(state.turned, forces.hex[state.goal, lanes], place).astype(np.int64)
