"""How units of one hex that leave it together move off, and what that costs them (rule 30; docs/charge.md
section 7).

Arrays have shape (k,), one element a case; flags by unit have shape (units, lanes).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.board.hexmap import bearing, distance
from sim.board.tables import Flight
from sim.combat.play import Play
from sim.combat.told import Caught, Moved, Stuck
from sim.ensemble.cases import Cases, each
from sim.ensemble.frames import Flags
from sim.vocabulary import CAVALRY, DISORDERED, GOOD, ROUTED, ROUTED_OFF, SURRENDERED

Mask = NDArray[np.bool_]
MOST = 999
"""More points than any unit has."""


def rout_points(play: Play, group: Flags) -> NDArray[np.int64]:
    """Points of a rout move: cavalry its printed movement, others `rout`; the least of the group."""
    forces = play.forces
    each_one = np.where(forces.arm == CAVALRY, forces.movement, play.book.blocks.retreat.rout)
    return np.asarray(np.where(group, each_one[:, None], MOST).min(axis=0, initial=MOST))


def move_off(
    play: Play,
    cases: Cases,
    group: Flags,
    points: NDArray[np.int64],
    full: Mask,
    zone_loss: int,
    by_melee: bool,
) -> Flags:
    """Move units off, those of a lane together.

    Parameters
    ----------
    cases, group
        The first of each lane, and all of them, shape (units, k).
    points
        Movement points.
    full
        Where it is a rout: the full move, or they surrender. Else as far as possible, at least a hex, or they
        stay.
    zone_loss
        Increments lost for each zone left.
    by_melee
        Whether who falls back and enters a zone of cavalry routs.

    Returns
    -------
    Good-order units through whose hexes they passed, who must check (rule 31, item 2), shape (units, k).
    """
    forces, switches = play.forces, play.switches
    forces.draw_home(group, cases.lane)
    flat = full & bool(switches["rout_ignores_terrain"])
    way = play.survey.retreat(cases, group, points, full, flat, play.reference_range, _way_back(play, cases))
    shaken = forces.state[cases.at] == DISORDERED
    surrendered = way.surrendered
    if switches["dd_cannot_retreat"] == "surrender":
        surrendered = surrendered | ((way.direction < 0) & ~full & shaken)
    went = (way.direction >= 0) & ~surrendered
    off_map = np.zeros(len(cases), bool)
    if forces.in_battle and surrendered.any():
        off_map = _run_off(play, cases, group, points, full & surrendered, flat)
        surrendered = surrendered & ~off_map
    _tell(play, cases, group, way, full, off_map)
    for some, one in each(cases, group & went):
        forces.place(one, way.end[some], 2 * way.direction[some] + forces.corner(one))
        _form(play, one)
        forces.half.rout_pending[one.at] = False
    if surrendered.any():
        for _, one in each(cases, group & surrendered):
            forces.remove(one, SURRENDERED, "30")
    if zone_loss:
        _leave_zones(play, cases, group & went, zone_loss * way.zone_hexes)
    if by_melee:
        caught = went & ~full & way.cavalry_zone & shaken & (forces.arm[cases.unit] != CAVALRY)
        if caught.any():
            for _, one in each(cases, group & caught & (forces.state[:, cases.lane] == DISORDERED)):
                forces.become(one, ROUTED)
                play.log(Caught, one, "30")
    passed = way.passed & went
    if passed.any():
        passed &= (forces.state[:, cases.lane] == GOOD) & (forces.unmanned[:, cases.lane] == 0)
    return passed


def _form(play: Play, cases: Cases) -> None:
    """Who is in good order where it has gone is in the formation that its ground asks for (M16, M17)."""
    forces = play.forces
    before = forces.formation[cases.at]
    after = play.book.formation_after[forces.arm[cases.unit], before, forces.ground[forces.hex[cases.at]]]
    changes = (forces.state[cases.at] == GOOD) & (after >= 0) & (after != before)
    if changes.any():
        forces.form(cases.where(changes), after[changes])


def _run_off(
    play: Play, cases: Cases, group: Flags, points: NDArray[np.int64], full: Mask, flat: Mask
) -> Mask:
    """Routers who would surrender run off the map where it ends on the side of home; those who did."""
    survey, found = play.survey, np.zeros(len(cases), bool)
    some = cases.where(full)
    found[full] = survey.runs_off(some, group[:, full], points[full], flat[full], play.reference_range)
    for _, one in each(cases, group & found):
        play.forces.remove(one, ROUTED_OFF, "30")
    return found


def _way_back(play: Play, cases: Cases) -> NDArray[np.int64]:
    """The free hex from which cavalry rode onto an enemy's, `off` where there is none."""
    forces = play.forces
    back = forces.half.came_from[cases.at]
    free = (back >= 0) & (forces.arm[cases.unit] == CAVALRY)
    if free.any():
        free &= forces.shares_hex(cases) & ~forces.in_hex(back, cases.lane).any(axis=0)
    return np.where(free, back, forces.map.off)


def _leave_zones(play: Play, cases: Cases, group: Flags, cost: NDArray[np.int16]) -> None:
    """What leaving zones costs: each unit, or the group once, the first as long as it has any."""
    if not cost.any():
        return
    if play.switches["zone_loss"] == "group":
        play.forces.lose_in_order(group, cases, cost, "30")
    else:
        for some, one in each(cases, group):
            play.forces.lose(one, cost[some], "30")


def _tell(play: Play, cases: Cases, group: Flags, way: Flight, full: Mask, off_map: Mask) -> None:
    """Log the move, before anything comes of it."""
    case, forces = play.watched(cases), play.forces
    if case is None or off_map[case]:
        return
    one = cases.take(np.array([case]))
    who = tuple(np.flatnonzero(group[:, case]).tolist())
    if way.direction[case] < 0:
        play.log(Stuck, one, "30", group=who, surrenders=bool(way.surrendered[case]))
        return
    here, end = (forces.map.hex(int(at)) or (0, 0) for at in (forces.hex[one.at][0], way.end[case]))
    ahead = 30 * int(forces.facing[one.at][0])
    turned = (bearing(here, end) - ahead + 180) % 360 - 180
    play.log(
        Moved, one, "30", group=who, rout=bool(full[case]), hexes=distance(here, end), bearing=int(turned)
    )
