"""The charges of a half in a battle, which differ from lane to lane: who may charge whom, and the choice of a
player as one charge after the other (rules 35 to 38; docs/battle.md K).

Pairs have shape (k,), one element a charge that is possible; rows are (lanes,).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim.board.approach import Reach, turned, turns_of
from sim.charge.charge import Charge
from sim.charge.declaration import Declaration, Defender, Routes
from sim.charge.refusals import rules_against
from sim.combat.play import Play
from sim.ensemble.cases import Cases, Mask, Pairs, each
from sim.ensemble.frames import Flags
from sim.ensemble.lanes import Ids
from sim.rules import charge as rules
from sim.rules.stand import ZONE_CODES
from sim.units.orders import Variant
from sim.vocabulary import CAVALRY, COLUMN, FRESH, GENERAL_ORDER, GOOD, INFANTRY, LINE, Kind

Numbers = NDArray[np.integer]

PRESSES = (Variant("stand"),)
"""The plan of a charger whose player says nothing else."""


class Approaches(Pairs):
    """Charges that are possible: the hex of each target that is charged, the way to it as a number
    (`board.approach.packed`), and its points."""

    __slots__ = ("place", "points", "way")

    def __init__(self, pairs: Pairs, place: Numbers, way: Numbers, points: Numbers) -> None:
        super().__init__(pairs.ensemble, pairs.lane, pairs.unit, pairs.target, pairs.born)
        self.place, self.way, self.points = place, way, points

    def where(self, mask: Mask) -> Approaches:
        """As for `Pairs`."""
        return self.take(np.flatnonzero(mask))

    def take(self, index: Ids) -> Approaches:
        """Some by number, in this order, shape (k,)."""
        lane, unit, target = self.lane[index], self.unit[index], self.target[index]
        pairs = Pairs(self.ensemble, lane, unit, target, self.born)
        return Approaches(pairs, self.place[index], self.way[index], self.points[index])


def may_charge(play: Play, side: int) -> Flags:
    """Cavalry of a side that may charge: fresh, in good order, in a formation of combat, shape (units,
    lanes)."""
    forces = play.forces
    able = (forces.state == GOOD) & (forces.readiness == FRESH) & (forces.hex != forces.map.off)
    able &= np.isin(forces.formation, (COLUMN, LINE, GENERAL_ORDER))
    return able & ((forces.arm == CAVALRY) & (forces.side == side))[:, None]


def possible_charges(play: Play, side: int, wanted: Flags | None = None) -> Approaches:
    """Every charge that a side may declare and that can come at its target with a straight last run, lane by
    lane; targets are the top units of their hexes.

    Parameters
    ----------
    wanted
        At whom charges are looked for, shape (units, lanes); at everybody by default.
    """
    able, ensemble = may_charge(play, side), play.ensemble
    everybody = np.ones_like(able) if wanted is None else wanted
    lanes = np.flatnonzero(able.any(axis=0) & everybody.any(axis=0))
    ways = play.survey.charges(lanes, side, able, everybody, _reach(play))
    pairs = Pairs(ensemble, ways.lane, ways.unit.astype(np.intp), ways.target.astype(np.intp))
    found = Approaches(pairs, ways.place, ways.way, ways.points)
    if play.switches["see_at_start"]:
        found = found.where(play.survey.sees(found.lane, play.forces.hex[found.at], found.place))
    last = (play.forces.facing[found.at] // 2 + turned(found.way)) % 6
    return found.where(~barred(play, found, play.survey.ahead(found.place, (last + 3) % 6)))


def _reach(play: Play) -> Reach:
    forces, charge = play.forces, play.book.blocks.charge
    points = (forces.movement + charge.bonus_movement).astype(np.int16)
    cap = rules.turn_cap(forces.kind == Kind.LIGHT_CAVALRY, bool(play.switches["facing_cap"]))
    return Reach(points, cap.astype(np.int16), int(play.switches["facing_cost"]), charge.straight_hexes)


def barred(play: Play, pairs: Pairs, from_: Numbers) -> Mask:
    """Where the type of the cavalry may not charge what is in the target's hex, coming from a hex next to it
    (D10.3)."""
    forces, found = play.forces, np.zeros(len(pairs), bool)
    special = np.zeros(len(forces.units), bool)
    for _, whose in forces.roster.refusals:
        special |= whose
    (some,) = special[pairs.unit].nonzero()
    if not len(some):
        return found
    unit, lane = pairs.unit[some], pairs.lane[some]
    goals = Cases(play.ensemble, lane, pairs.target[some], unit, pairs.born)
    hexside = ZONE_CODES[play.survey.zone_toward(goals, from_[some])]
    there = forces.standing(forces.hex[goals.at], lane, forces.side[goals.unit])
    for mine, one in each(goals, there):
        for rider in np.unique(unit[mine]).tolist():
            riders = np.arange(len(forces.units)) == rider
            for _, _, mask in rules_against(forces, riders, one, hexside[mine]):
                found[some[mine]] |= mask & (unit[mine] == rider)
    return found


def charges_of(
    play: Play,
    side: int,
    chosen: Approaches,
    defender: Defender,
    plans: Sequence[Variant] = PRESSES,
    plan: Numbers | int = 0,
) -> tuple[Charge, ...]:
    """The charges of a half: the k-th of every lane as one.

    Parameters
    ----------
    chosen
        Of `possible_charges`, a unit at most once in a lane; in each lane they are resolved in this order.
        Regiments of one hex, nation and facing that charge one target ride together where a leader with a
        cavalry bonus is with them; else each for itself.
    defender
        Who answers for the other side.
    plans, plan
        Ways of playing a charge, and which each pair follows, shape (k,).
    """
    chosen.fresh()
    plan = np.broadcast_to(plan, len(chosen))
    leads, number, wave = _in_waves(play, chosen)
    return tuple(
        Charge(play, _declared(play, side, chosen, defender, plans, plan, leads, number, now))
        for now in (wave == one for one in range(int(wave.max(initial=-1)) + 1))
    )


def _in_waves(play: Play, chosen: Approaches) -> tuple[Ids, Ids, Ids]:
    """The leading pair of each charge, shape (charges,); the charge that each pair belongs to, shape (k,);
    and which of its lane's charges each is, shape (charges,)."""
    forces, k = play.forces, len(chosen)
    leader = forces.leader_with(
        Cases(play.ensemble, chosen.lane, chosen.unit, chosen.unit, chosen.born), "cavalry"
    )[1]
    here, facing = forces.hex[chosen.at].astype(np.int64), forces.facing[chosen.at]
    nation = forces.codes["nation"][chosen.unit]
    alone = np.where(leader > 0, -1, np.arange(k))
    keys = np.stack([chosen.lane, here, facing, chosen.place, nation, alone])
    _, leads, number = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    order = np.lexsort((leads, chosen.lane[leads]))
    lane = chosen.lane[leads[order]]
    wave = np.empty(len(leads), np.intp)
    wave[order] = np.arange(len(lane)) - lane.searchsorted(lane)
    return leads, number.ravel(), wave


def _declared(
    play: Play,
    side: int,
    chosen: Approaches,
    defender: Defender,
    plans: Sequence[Variant],
    plan: Numbers,
    leads: Ids,
    number: Ids,
    now: Mask,
) -> Declaration:
    """The charges of one wave; the stack follows the way of its leading pair."""
    forces, lanes = play.forces, play.ensemble.n
    stack, of_hex = np.zeros((2, len(forces.units), lanes), bool)
    riding = now[number]
    stack[chosen.unit[riding], chosen.lane[riding]] = True
    lead = leads[now]
    lane, target = chosen.lane[lead], chosen.target[lead]
    goal, place, followed = (np.full(lanes, one) for one in (-1, forces.map.off, 0))
    route = np.zeros((3, lanes), np.int64)
    goal[lane], place[lane], followed[lane] = target, chosen.place[lead], plan[lead]
    of_hex[:, lane] = forces.standing(place[lane], lane, 1 - side)
    ways, which = np.unique(chosen.way[lead], return_inverse=True)
    route[0, lane] = 1 + which.ravel()
    return Declaration(
        side=side,
        stack=stack,
        goal=goal,
        of_hex=of_hex,
        hex=place,
        routes=Routes.of(((), *(turns_of(way) for way in ways.tolist()))),
        route=route,
        plans=plans,
        plan=followed,
        defender=defender,
        tries=np.flatnonzero((forces.arm == INFANTRY) & (forces.side != side)),
        reactors=np.flatnonzero((forces.arm == CAVALRY) & (forces.side != side)),
    )
