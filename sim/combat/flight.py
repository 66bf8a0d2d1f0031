"""Retreats and routs of units that leave their hexes, those of one hex together (rule 30; docs/charge.md
section 7).

Arrays have shape (k,), one element a case; flags by unit have shape (units, lanes).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.combat.failures import leave
from sim.combat.moves import rout_points
from sim.combat.play import Play
from sim.ensemble.cases import Cases, first_of
from sim.ensemble.frames import Flags, Pending, Row
from sim.vocabulary import GONE


def rout(play: Play, leavers: Flags, by: Row | int, zone_loss: int = 0) -> None:
    """The rout moves of units: the full move, or they surrender.

    Parameters
    ----------
    leavers
        Who leaves, shape (units, lanes): the units of the first one's hex together, then those of the next;
        who is gone is left out.
    by
        Of whose action it comes, one a lane or the same in all.
    zone_loss
        Increments lost for each zone left.
    """
    for cases, group in _by_hex(play, leavers, by):
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
    for cases, group in _by_hex(play, leavers, by):
        budget = np.full(len(cases), points or play.book.blocks.retreat.disordered)
        leave(play, cases, group, budget, np.zeros(len(cases), bool), zone_loss, by_melee)


def _by_hex(play: Play, leavers: Flags, by: Row | int) -> Iterator[tuple[Cases, Flags]]:
    """The first of those who leave in each lane and all of its hex, shape (units, k), until nobody is left;
    who is in two hexes comes together in that nearer home."""
    forces = play.forces
    with Pending(play.ensemble) as waiting:
        waiting.due[:], waiting.by[:] = leavers & (forces.state != GONE), by
        forces.draw_home(waiting.due, play.ensemble.all())
        while waiting.due.any():
            cases = forces.cases(*first_of(waiting.due), waiting.by)
            group = waiting.due[:, cases.lane] & (forces.hex[:, cases.lane] == forces.hex[cases.at])
            waiting.due[:, cases.lane] &= ~group
            yield cases, group
