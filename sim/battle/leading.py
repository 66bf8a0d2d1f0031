"""Leaders of a battle: each is with a unit of his side, and shares its hex (rule 7; A 2; docs/battle.md L).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.battle.players import Player
from sim.battle.told import LeaderBack, LeaderCaptured, LeaderJoins
from sim.combat.play import Play
from sim.ensemble.cases import first_of
from sim.ensemble.lanes import Ids
from sim.rules import leading as rules
from sim.units.forces import FIT, NEVER, Mask
from sim.vocabulary import GONE

RULE = "7"


def move_leaders(play: Play, player: Player) -> None:
    """At the end of a movement segment leaders go to units of their side's choice, within their movement
    (L2)."""
    forces = play.forces
    for number in np.flatnonzero(forces.leader_side == player.side).tolist():
        leader = forces.leaders[number][0]
        if leader is None:
            continue
        fit = forces.leader_fate[number] == FIT
        (lanes,) = (fit & (forces.leader_hex(number, play.ensemble.all()) != forces.map.off)).nonzero()
        if not len(lanes):
            continue
        unit = np.asarray(player.leads(number, lanes))
        other = (unit >= 0) & (unit != forces.leader_at[number, lanes])
        lanes, unit = lanes[other], unit[other]
        hexes = forces.map.distances(forces.leader_hex(number, lanes), forces.hex[unit, lanes])
        may = rules.within_reach(hexes, leader.movement) & (forces.side[unit] == player.side)
        _join(play, number, lanes[may], unit[may])


def settle(play: Play) -> None:
    """Leaders whose unit is gone join another, or are captured (L7)."""
    forces = play.forces
    if not forces.in_battle or not (forces.leader_alone >= 0).any():
        return
    for number in np.flatnonzero((forces.leader_alone >= 0).any(axis=1)).tolist():
        leader = forces.leaders[number][0]
        (lanes,) = ((forces.leader_alone[number] >= 0) & (forces.leader_fate[number] == FIT)).nonzero()
        if leader is not None and len(lanes):
            hexes = forces.map.distances(forces.hex[:, lanes], forces.leader_alone[number, lanes])
            safe = _safe(play, number, lanes) | (hexes == 0)
            safe &= (forces.side == forces.leader_side[number])[:, None] & (forces.state[:, lanes] != GONE)
            unit = rules.refuge(hexes, safe, leader.movement)
            saved = unit >= 0
            _join(play, number, lanes[saved], unit[saved])
            lost = lanes[~saved]
            forces.send_leader(number, lost, NEVER)
            _log(play, LeaderCaptured, number, lost, forces.leader_at[number, lost])
        forces.leader_alone[number] = -1


def come_back(play: Play, turn: int) -> None:
    """Leaders whose time is over are back with the first unit of their organisation that is on the map, else
    the first of their side (L6)."""
    forces = play.forces
    due = (forces.leader_until > 0) & (forces.leader_until <= turn)
    for number in np.flatnonzero(due.any(axis=1)).tolist():
        (lanes,) = due[number].nonzero()
        there = forces.state[:, lanes] != GONE
        own = np.isin(np.arange(len(forces.units)), forces.leaders[number][1])[:, None]
        mine, first = first_of(there & own)
        some, other = first_of(there & (forces.side == forces.leader_side[number])[:, None])
        unit = np.where(mine, first, other)
        forces.send_leader(number, lanes[some], 0)
        _join(play, number, lanes[some], unit[some])
        _log(play, LeaderBack, number, lanes[some], unit[some])


def nearest_need(play: Play, leader: int, lanes: Ids) -> Ids:
    """The unit of a leader's organisation within his movement that needs him most: the nearest that is
    disordered or routed; -1 where there is none. Shape (k,)."""
    forces = play.forces
    one = forces.leaders[leader][0]
    own = np.isin(np.arange(len(forces.units)), forces.leaders[leader][1])[:, None]
    state = forces.state[:, lanes]
    needs = own & (state > 0) & (state < GONE)
    hexes = forces.map.distances(forces.hex[:, lanes], forces.leader_hex(leader, lanes))
    return rules.refuge(hexes, needs, 0 if one is None else one.movement)


def _safe(play: Play, number: int, lanes: Ids) -> Mask:
    """Which units have no enemy of a leader next to them, shape (units, k)."""
    forces = play.forces
    enemies = forces.hex[forces.side != forces.leader_side[number]][:, lanes]
    far = forces.map.distances(forces.hex[:, lanes][:, None], enemies[None]).min(axis=1, initial=999)
    return far > 1


def _join(play: Play, number: int, lanes: Ids, unit: Ids) -> None:
    play.forces.join_leader(number, lanes, unit)
    _log(play, LeaderJoins, number, lanes, unit)


def _log(play: Play, kind: type[LeaderJoins], number: int, lanes: Ids, unit: Ids) -> None:
    if play.recorder is not None and len(lanes):
        along = np.zeros(play.ensemble.n, np.int64)
        along[lanes] = unit
        mask = np.zeros(play.ensemble.n, bool)
        mask[lanes] = True
        leader = play.forces.leaders[number][0]
        name = "" if leader is None else leader.name
        play.log(kind, play.forces.cases(mask, along), RULE, leader=name)
