"""Retreats and routs of units that leave a hex together (rule 30; docs/charge.md section 7).

Arrays have shape (k,), one element a case; flags by unit have shape (units, lanes).
"""

from __future__ import annotations

import numpy as np

from sim.combat.failures import leave
from sim.combat.moves import rout_points
from sim.combat.play import Play
from sim.ensemble.cases import Cases, first_of
from sim.ensemble.frames import Flags, Row
from sim.vocabulary import GONE


def rout(play: Play, leavers: Flags, by: Row | int, zone_loss: int = 0) -> None:
    """The rout move of the units that leave together in each lane: the full move, or they surrender.

    Parameters
    ----------
    leavers
        Units of one hex; who is gone is left out.
    by
        Of whose action it comes, one a lane or the same in all.
    zone_loss
        Increments lost for each zone left.
    """
    cases, group = _together(play, leavers, by)
    leave(play, cases, group, rout_points(play, group), np.ones(len(cases), bool), zone_loss, False)


def rout_alone(play: Play, cases: Cases) -> None:
    """The rout move of one unit in each lane, or it surrenders."""
    group = cases.flags()
    leave(play, cases, group, rout_points(play, group), np.ones(len(cases), bool), 0, False)


def retreat(
    play: Play,
    leavers: Flags,
    by: Row | int,
    points: int | None = None,
    zone_loss: int = 0,
    by_melee: bool = False,
) -> None:
    """They fall back: as far as possible, at least a hex, or stay.

    `points` defaults to those of a disordered unit; else as for `rout`.
    """
    cases, group = _together(play, leavers, by)
    budget = np.full(len(cases), points or play.book.blocks.retreat.disordered)
    leave(play, cases, group, budget, np.zeros(len(cases), bool), zone_loss, by_melee)


def _together(play: Play, leavers: Flags, by: Row | int) -> tuple[Cases, Flags]:
    """The first of those who leave in each lane, and all of them, shape (units, k)."""
    group = leavers & (play.forces.state != GONE)
    cases = play.forces.cases(*first_of(group), by)
    return cases, group[:, cases.lane]
