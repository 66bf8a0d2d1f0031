"""Leaders who are hit, and the units that lose them (rule 7; B9, C15; docs/charge.md 9.11, 10.14).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.combat.failures import Failing
from sim.combat.play import Play
from sim.ensemble.cases import Cases, first_of
from sim.ensemble.dice import Chart
from sim.ensemble.frames import Flags, Frame, Row, flag_per_unit, per_lane
from sim.rules import leading as rules
from sim.rulesets.modifiers import Applied
from sim.units.forces import FIT, NEVER, OUT, STRUCK
from sim.vocabulary import GONE, ROUTED

Mask = NDArray[np.bool_]


KILLED, CAPTURED = 1, 2
"""Fates of a leader of a battle; who is out for the hours of so many dice has a number so much greater than
the captured."""


class Wound(Frame):
    """What becomes of a leader of a battle."""

    by: Row = per_lane("of whose action it comes")
    leader: Row = per_lane("his number")
    fate: Row = per_lane("his fate, -1 where he was not struck", -1)


class Struck(Frame):
    """Where leaders were struck."""

    by: Row = per_lane("of whose action it comes")
    hex: Row = per_lane("the hex that was shot at")
    lost: Row = per_lane("the leader who was just lost, -1 for none", -1)
    fought: Flags = flag_per_unit("has fought in this melee")


def strike(play: Play, cases: Cases) -> None:
    """The leader of a unit's hex is hit: the first listed who is not out."""
    forces = play.forces
    first = forces.leader_in(cases)
    (there,) = (first >= 0).nonzero()
    leader, lanes = first[there], cases.lane[there]
    fit = forces.leader_fate[leader, lanes] == FIT
    forces.set_leader(leader[fit], lanes[fit], STRUCK)


def fates(
    play: Play,
    chart: Chart,
    cause: int,
    by: Row | int,
    fought: Flags | None = None,
    hexes: Row | None = None,
) -> None:
    """Leaders who were hit: one die each, and if one is out the units of the hex that was struck check
    without him.

    Parameters
    ----------
    by
        Of whose action it comes, one a lane or the same in all.
    fought
        After a melee: who fought in it, shape (units, lanes). They alone check, in the hex where the first of
        their side stands that is left.
    hexes
        After fire: the hex that was shot at, one a lane.
    """
    forces = play.forces
    if not (forces.leader_fate == STRUCK).any():
        return
    with Struck(play.ensemble) as struck:
        struck.by[:] = by
        if hexes is not None:
            struck.hex[:] = hexes
        if fought is not None:
            struck.fought[:] = fought
        while True:
            some, leader = first_of(forces.leader_fate == STRUCK)
            if not some.any():
                return
            _fate(play, struck.cases(some, leader, struck.by), chart, cause, struck, hexes is None)


def _fate(play: Play, cases: Cases, chart: Chart, cause: int, struck: Struck, melee: bool) -> None:
    """The fates of leaders, one a lane; their numbers are the cases' units."""
    forces, zero = play.forces, np.zeros(len(cases), np.int64)
    if forces.in_battle:
        chart = play.book.leader_wounds[chart.name]
    cases, fate = play.ask("leader", cases, chart, zero, Applied((), zero), "7", repeatable=True)
    if forces.in_battle:
        cases, fate = _out_for(play, cases, fate)
    forces.set_leader(cases.unit, cases.lane, np.where(fate > 0, OUT, FIT))
    out = fate == KILLED
    leader, struck.lost[:] = cases.unit[out], -1
    struck.lost[cases.lane[out]] = leader
    worth = forces.bonuses["morale"]
    for bonus in np.unique(worth[leader]).tolist():
        without = (struck.lost >= 0) & (worth[struck.lost] == bonus)
        (lanes,) = without.nonzero()
        due = np.zeros((play.ensemble.units, play.ensemble.n), bool)
        due[:, lanes] = _without_leader(play, struck, forces.leader_side[struck.lost[lanes]], lanes, melee)
        with Failing(play, cause) as failing:
            extra = ("leader lost", -bonus, "[PRINT] BE21 p30")
            failing.check("leader-check", due, struck.by, "31", extra=extra)


def _out_for(play: Play, cases: Cases, fate: NDArray[np.int16]) -> tuple[Cases, NDArray[np.int16]]:
    """How long leaders of a battle are out: for good, or hours that are rolled.

    Returns
    -------
    The cases that came of it, and fates as a charge knows them.
    """
    with Wound(play.ensemble) as wound:
        wound.fate[cases.lane], wound.by[cases.lane], wound.leader[cases.lane] = fate, cases.by, cases.unit
        gone = cases.where((fate == KILLED) | (fate == CAPTURED))
        play.forces.send_leader(gone.unit, gone.lane, NEVER)
        for dice, hours in play.book.leader_hours.items():
            hurt = wound.cases(wound.fate == CAPTURED + dice, wound.leader, wound.by)
            if len(hurt):
                zero = np.zeros(len(hurt), np.int64)
                hurt, face = play.ask("hours", hurt, hours, zero, Applied((), zero), "7", repeatable=True)
                told = np.array(hours.outcomes)[face]
                play.forces.send_leader(hurt.unit, hurt.lane, rules.back_in(play.turn, told))
        found = wound.cases(wound.fate >= 0, wound.leader, wound.by)
        fates = wound.fate[found.lane]
        return found, np.where(fates > CAPTURED, np.int16(KILLED), fates)


def _without_leader(
    play: Play, struck: Struck, side: NDArray[np.integer], lanes: NDArray[np.intp], melee: bool
) -> Flags:
    """Who checks without a leader of a side, shape (units, k)."""
    forces, place = play.forces, struck.hex[lanes]
    fought = struck.fought[:, lanes]
    if melee:
        left = fought & (forces.side[:, None] == side) & (forces.state[:, lanes] != GONE)
        some, first = first_of(left)
        place = np.where(some, forces.hex[first, lanes], forces.map.off)
    there = forces.standing(place, lanes, side) & (forces.state[:, lanes] < ROUTED)
    return there & fought if melee else there
