"""Changes of formation and facing in the movement segment (rules 14, 15; docs/battle.md M15 to M23).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.battle.marching import March, Marching
from sim.battle.players import TWO, Mask, Numbers
from sim.battle.told import Formed, Turned
from sim.board.advance import IN_HORSE_ZONE
from sim.board.fields import BARRED
from sim.board.limits import LEAST_IN_TWO
from sim.ensemble.cases import Cases
from sim.rules import movement as rules
from sim.rulesets.blocks import Changes
from sim.rulesets.modifiers import Applied
from sim.vocabulary import (
    ARMS,
    ARTILLERY,
    CAVALRY,
    COLUMN,
    FORMATIONS,
    GENERAL_ORDER,
    GOOD,
    INFANTRY,
    LIMBERED,
    LINE,
    ROAD_MARCH,
    SKIRMISH,
    SQUARE,
    UNLIMBERED,
)

OF_ARM = {
    INFANTRY: (COLUMN, LINE, SQUARE, SKIRMISH, GENERAL_ORDER, ROAD_MARCH),
    CAVALRY: (COLUMN, LINE, GENERAL_ORDER, ROAD_MARCH),
    ARTILLERY: (LIMBERED, UNLIMBERED),
}
"""The formations of each arm."""
FORMED = np.array([[one in OF_ARM[arm] for one in range(len(FORMATIONS))] for arm in range(len(ARMS))])
"""Whether an arm has a formation, shape (arms, formations)."""
LEAST_SQUARE = 3
"""Increments of the smallest square."""


class Drill:
    """Units of one side that change their formation or facing.

    Parameters
    ----------
    marching
        What they are on.
    """

    def __init__(self, marching: Marching) -> None:
        self.marching, self.play, self.forces = marching, marching.play, marching.forces
        self.going, self.costs = marching.going, change_costs(marching.rules.change)
        self.rules = marching.rules

    # -- formations -------------------------------------------------------------------------------

    def means_change(self, march: March, cases: Cases) -> None:
        """Units are about to take the formations that they want (`change`: perhaps with `TWO`, or KEEP) where
        they may and can pay."""
        forces, wanted = self.forces, march.change[cases.lane]
        wants = (wanted >= 0) & march.able[cases.lane]
        if not wants.any():
            return
        cases, wanted = cases.where(wants), wanted[wants]
        formation = wanted % TWO
        wide = (wanted >= TWO) | (wanted == SKIRMISH)
        wide &= forces.increments[cases.at] >= LEAST_IN_TWO[formation]
        if wide.any():
            wide[wide] = self._has_room(cases.where(wide)) | (wanted[wide] == SKIRMISH)
        before, in_two = forces.formation[cases.at], forces.in_two(cases)
        may = (before != formation) | (in_two != wide)
        may &= (forces.state[cases.at] == GOOD) & ~march.forced[cases.lane]
        may &= self._allowed(cases, formation)
        if wide.any():
            may[wide] &= self._room_beside(cases.where(wide), formation[wide]) != forces.map.off
        may &= self._left(march, cases, before) >= self._price(cases, before, formation, wide & ~in_two)
        lanes = cases.lane[may]
        march.changes[lanes], march.takes[lanes] = True, (formation + TWO * wide)[may]

    def _price(self, cases: Cases, before: Numbers, after: Numbers, into_two: Mask) -> Numbers:
        """Half points of changes."""
        return self.costs[self.forces.arm[cases.unit], before, after, into_two.astype(np.intp)]

    def _form(self, march: March) -> None:
        """Who means to take a formation and was not stopped pays, and takes it."""
        forces, cases = self.forces, march.of(march.changes)
        takes, before = march.takes[cases.lane], forces.formation[cases.at]
        cost = self._price(cases, before, takes % TWO, (takes >= TWO) & ~forces.in_two(cases))
        march.left[cases.lane] = self._left(march, cases, before)
        self.marching.pay(march, cases, cost)
        if (takes == LIMBERED).any():
            self._limber(march, cases.where(takes == LIMBERED))
            cases = march.of(march.changes)
        takes = march.takes[cases.lane]
        formation, wide = takes % TWO, takes >= TWO
        forces.form(cases, formation)
        if wide.any():
            enough = wide & (forces.increments[cases.at] >= LEAST_IN_TWO[formation])  # after fire at it
            two = cases.where(enough)
            forces.extend(two, self._room_beside(two, formation[enough]))
        forces.close_up(cases.where(~wide & (formation == LINE)))
        self.play.log(Formed, cases, "15", formation=formation, two=wide)

    def _limber(self, march: March, cases: Cases) -> None:
        """The die lets guns limber; others have spent their points and stay as they are (M23)."""
        needs = self.marching.terms.limbers[cases.unit]
        cases, needs = cases.where(needs > 1), needs[needs > 1]
        if not len(cases):
            return
        helps = self.marching.terms.helps[self.forces.leader_in(cases)]
        applied = Applied((), np.zeros(len(cases), np.int64)).and_also("leader", helps, "[PRINT] B21 p19")
        cases, passed = self.play.ask("limber", cases, self.play.book.limber_chart, needs, applied, "15")
        failed = cases.where(passed == 0).lane
        march.able[failed] = march.changes[failed] = False

    def _left(self, march: March, cases: Cases, before: Numbers) -> Numbers:
        """Half points that a unit has for a change of formation: a square that begins with it more (M5)."""
        left = march.left[cases.lane].astype(np.int64)
        first = (before == SQUARE) & ~march.spent[cases.lane]
        if not first.any():
            return left
        change = self.rules.change
        freed = rules.allowance_out_of_square(self.forces.movement[cases.unit], change)
        return np.where(first, freed + 2 * change.infantry, left)

    def _allowed(self, cases: Cases, formation: Numbers) -> Mask:
        """Whether units' arms, types, strengths and ground allow formations (M17 to M19)."""
        forces, arm = self.forces, self.forces.arm[cases.unit]
        here = forces.hex[cases.at]
        may: Mask = FORMED[arm, formation]
        may &= self.going.after[arm, formation, self.going.terrain[here]] == formation
        may &= (formation != SKIRMISH) | (forces.multiples.num[cases.unit, SKIRMISH] > 0)
        may &= (formation != SQUARE) | (forces.increments[cases.at] >= LEAST_SQUARE)
        road = formation == ROAD_MARCH
        if road.any():
            may[road] &= (self.going.road[arm[road], here[road]] < BARRED).any(axis=1)
        return may

    def _has_room(self, cases: Cases) -> Mask:
        """Where lines may extend; elsewhere they are in one hex (M36)."""
        return self._room_beside(cases, np.full(len(cases), LINE)) != self.forces.map.off

    def _room_beside(self, cases: Cases, formation: Numbers) -> Numbers:
        """The hex right or left of a unit into which it may extend: empty, of ground that keeps its
        formation, across a hexside that it may cross; `off` where there is none. Who is in two keeps its
        other one."""
        forces, going, off = self.forces, self.going, self.forces.map.off
        if not len(cases):
            return np.zeros(0, np.int64)
        arm, found = forces.arm[cases.unit], forces.second[cases.at].astype(np.intp)
        own, side = forces.hex[cases.at], forces.facing[cases.at] // 2
        for turn, at in zip((2, 5), forces.beside(cases), strict=True):
            direction = (side + turn) % 6
            free = ~forces.in_hex(at, cases.lane).any(axis=0) & (at != off)
            free &= going.after[arm, formation, going.terrain[at]] == formation
            free &= going.step[arm, own, direction] < BARRED
            found = np.where((found == off) & free, at, found)
        return found

    # -- facing -----------------------------------------------------------------------------------

    def means_turn(self, march: March, cases: Cases, kept: int) -> None:
        """Units are about to turn to their `facing`, as far as their points allow: unlimbered guns by one
        hexside, and not when they have been prolonged; units in two hexes not (M20, M22, M36).

        Parameters
        ----------
        kept
            Half points that they keep for what comes after.
        """
        forces, wanted = self.forces, march.facing[cases.lane]
        turns = (wanted >= 0) & march.able[cases.lane]
        if not turns.any():
            return
        cases, wanted = cases.where(turns), wanted[turns]
        lanes = cases.lane
        hexsides = (wanted // 2 - forces.facing[cases.at] // 2 + 3) % 6 - 3
        most = np.maximum(march.left[lanes] - kept, 0) // self.going.facing
        guns = forces.formation[cases.at] == UNLIMBERED
        most = np.where(guns, np.minimum(most, march.steps[lanes] == 0), most)
        most[forces.in_two(cases)] = 0
        march.turns[lanes] = np.sign(hexsides) * np.minimum(np.abs(hexsides), most)

    def _turn(self, march: March) -> None:
        """Who means to turn and was not stopped pays, and does."""
        forces = self.forces
        cases = march.of(march.turns != 0)
        hexsides = march.turns[cases.lane]
        self.marching.pay(march, cases, self.going.facing * np.abs(hexsides))
        forces.place(cases, forces.hex[cases.at], (forces.facing[cases.at] + 2 * hexsides) % 12)
        self.play.log(Turned, cases, "18", hexsides=hexsides)

    # -- both -------------------------------------------------------------------------------------

    def look(self, march: March) -> None:
        """In which zones units are that are about to change or turn (Z7)."""
        cases = march.of(march.changes | (march.turns != 0))
        if not len(cases):
            return
        march.zone[cases.lane] = self.marching.survey.beset(cases)
        if not self.play.switches["unlimber_in_zone"]:
            march.changes &= (march.takes != UNLIMBERED) | (march.zone & IN_HORSE_ZONE == 0)

    def perform(self, march: March) -> None:
        """Who was not stopped takes its formation, guns if the die lets them limber, or turns."""
        march.changes &= march.able
        march.turns *= march.able
        if march.changes.any():
            self._form(march)
        if march.turns.any():
            self._turn(march)
        march.changes[:], march.turns[:] = False, 0


def change_costs(changes: Changes) -> Numbers:
    """Half points of a change by arm, formation before, formation after, and whether it goes into two hexes,
    shape (3, 9, 9, 2); from a formation to itself in one hex: it comes together (O15)."""
    shape = (len(ARMS), len(FORMATIONS), len(FORMATIONS), 2)
    arm, before, after, two = (one.ravel() for one in np.indices(shape))
    found = rules.change_cost(arm, before, after, two > 0, changes).reshape(shape)
    same = np.arange(len(FORMATIONS))
    found[:, same, same, 0] = 2 * changes.infantry
    return found
