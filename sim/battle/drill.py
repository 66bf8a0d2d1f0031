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

    def means_change(self, march: March, unit: int, lanes: Numbers, wanted: Numbers) -> None:
        """A unit is about to take formations in those of some lanes where it may and can pay.

        Parameters
        ----------
        wanted
            A formation, perhaps with `TWO`, or KEEP.
        """
        wants = (wanted >= 0) & march.able[lanes]
        if not wants.any():
            return
        lanes, wanted = lanes[wants], wanted[wants]
        two = (wanted >= TWO) | (wanted == SKIRMISH)
        two &= self.forces.increments[unit, lanes] >= LEAST_IN_TWO[wanted % TWO]
        if two.any():
            two[two] = self._has_room(march, unit, lanes[two]) | (wanted[two] == SKIRMISH)
        code = wanted % TWO + TWO * two
        for one in np.unique(code).tolist():
            self._mean(march, unit, lanes[code == one], one % TWO, one >= TWO)

    def _mean(self, march: March, unit: int, lanes: Numbers, formation: int, wide: bool) -> None:
        """A unit is about to take one formation, in one hex or two, in those of some lanes where it may."""
        where = np.zeros(len(march.able), bool)
        where[lanes] = True
        cases = march.cases(where, unit)
        forces, arm = self.forces, int(self.forces.arm[unit])
        before, in_two = forces.formation[cases.at], forces.in_two(cases)
        may = (before != formation) | (in_two != wide)
        may &= (forces.state[cases.at] == GOOD) & ~march.forced[cases.lane]
        may &= self._allowed(unit, cases, formation)
        if wide:
            may &= self._room_beside(cases, formation) != forces.map.off
        may &= (
            self._left(march, cases, before)
            >= self.costs[arm, before, formation, (wide & ~in_two).astype(np.intp)]
        )
        march.changes[cases.lane[may]], march.takes[cases.lane[may]] = True, formation + TWO * wide

    def _form(self, march: March, unit: int, formation: int, wide: bool) -> None:
        """Who means to take a formation and was not stopped pays, and takes it."""
        forces, arm = self.forces, int(self.forces.arm[unit])
        cases = march.cases(march.changes & (march.takes == formation + TWO * wide), unit)
        if not len(cases):
            return
        before = forces.formation[cases.at]
        into_two = (wide & ~forces.in_two(cases)).astype(np.intp)
        cost = self.costs[arm, before, formation, into_two]
        march.left[cases.lane] = self._left(march, cases, before)
        self.marching.pay(march, cases, cost)
        if formation == LIMBERED:
            cases = self._limbers(march, cases)
        forces.form(cases, formation)
        if wide:
            enough = cases.where(forces.increments[cases.at] >= LEAST_IN_TWO[formation])  # after fire at it
            forces.extend(enough, self._room_beside(enough, formation))
        elif formation == LINE:
            forces.close_up(cases)
        self.play.log(Formed, cases, "15", formation=formation, two=wide)

    def _limbers(self, march: March, cases: Cases) -> Cases:
        """Guns that the die lets limber; others have spent their points and stay as they are (M23)."""
        unit, terms = int(cases.unit[0]), self.marching.terms
        if terms.limbers[unit] <= 1:
            return cases
        helps = terms.helps[self.forces.leader_in(cases)]
        applied = Applied((), np.zeros(len(cases), np.int64)).and_also("leader", helps, "[PRINT] B21 p19")
        chart = self.play.book.limber_chart
        needs = np.full(len(cases), terms.limbers[unit])
        cases, passed = self.play.ask("limber", cases, chart, needs, applied, "15")
        failed = cases.where(passed == 0)
        march.able[failed.lane] = False
        return cases.where(passed == 1)

    def _left(self, march: March, cases: Cases, before: Numbers) -> Numbers:
        """Half points that a unit has for a change of formation: a square that begins with it more (M5)."""
        left = march.left[cases.lane].astype(np.int64)
        first = (before == SQUARE) & ~march.spent[cases.lane]
        if not first.any():
            return left
        change = self.rules.change
        freed = rules.allowance_out_of_square(self.forces.movement[cases.unit], change)
        return np.where(first, freed + 2 * change.infantry, left)

    def _allowed(self, unit: int, cases: Cases, formation: int) -> Mask:
        """Whether a unit's arm, type, strength and ground allow a formation (M17 to M19)."""
        forces, arm = self.forces, int(self.forces.arm[unit])
        here = forces.hex[cases.at]
        may = self.going.after[arm, formation, self.going.terrain[here]] == formation
        if formation not in OF_ARM[arm]:
            return np.zeros(len(cases), bool)
        if formation == SKIRMISH:
            may &= forces.multiples.num[unit, SKIRMISH] > 0
        if formation == SQUARE:
            may &= forces.increments[cases.at] >= LEAST_SQUARE
        if formation == ROAD_MARCH:
            may &= (self.going.road[arm, here] < BARRED).any(axis=1)
        return may

    def _has_room(self, march: March, unit: int, lanes: Numbers) -> Mask:
        """Where a line may extend, in lanes that rise; elsewhere it is in one hex (M36)."""
        where = np.zeros(len(march.able), bool)
        where[lanes] = True
        return self._room_beside(march.cases(where, unit), LINE) != self.forces.map.off

    def _room_beside(self, cases: Cases, formation: int) -> Numbers:
        """The hex right or left of a unit into which it may extend: empty, of ground that keeps its
        formation, across a hexside that it may cross; `off` where there is none. Who is in two keeps its
        other one."""
        forces, going, off = self.forces, self.going, self.forces.map.off
        if not len(cases):
            return np.zeros(0, np.int64)
        arm, found = int(forces.arm[cases.unit[0]]), forces.second[cases.at].astype(np.intp)
        own, side = forces.hex[cases.at], forces.facing[cases.at] // 2
        for turn, at in zip((2, 5), forces.beside(cases), strict=True):
            direction = (side + turn) % 6
            free = ~forces.in_hex(at, cases.lane).any(axis=0) & (at != off)
            free &= going.after[arm, formation, going.terrain[at]] == formation
            free &= going.step[arm, own, direction] < BARRED
            found = np.where((found == off) & free, at, found)
        return found

    # -- facing -----------------------------------------------------------------------------------

    def means_turn(self, march: March, unit: int, lanes: Numbers, kept: int) -> None:
        """A unit is about to turn to its `facing` in some lanes, as far as its points allow: unlimbered guns
        by one hexside, and not when they have been prolonged; units in two hexes not (M20, M22, M36).

        Parameters
        ----------
        kept
            Half points that it keeps for what comes after.
        """
        forces, wanted = self.forces, march.facing[lanes]
        turns = (wanted >= 0) & march.able[lanes]
        if not turns.any():
            return
        lanes, wanted = lanes[turns], wanted[turns]
        hexsides = (wanted // 2 - forces.facing[unit, lanes] // 2 + 3) % 6 - 3
        most = np.maximum(march.left[lanes] - kept, 0) // self.going.facing
        guns = forces.formation[unit, lanes] == UNLIMBERED
        most = np.where(guns, np.minimum(most, march.steps[lanes] == 0), most)
        most[forces.second[unit, lanes] != forces.map.off] = 0
        march.turns[lanes] = np.sign(hexsides) * np.minimum(np.abs(hexsides), most)

    def _turn(self, march: March, unit: int) -> None:
        """Who means to turn and was not stopped pays, and does."""
        forces = self.forces
        cases = march.cases(march.turns != 0, unit)
        hexsides = march.turns[cases.lane]
        self.marching.pay(march, cases, self.going.facing * np.abs(hexsides))
        forces.place(cases, forces.hex[cases.at], (forces.facing[cases.at] + 2 * hexsides) % 12)
        self.play.log(Turned, cases, "18", hexsides=hexsides)

    # -- both -------------------------------------------------------------------------------------

    def look(self, march: March, unit: int) -> None:
        """In which zones a unit is that is about to change or turn (Z7)."""
        cases = march.cases(march.changes | (march.turns != 0), unit)
        if not len(cases):
            return
        march.zone[cases.lane] = self.marching.survey.beset(cases)
        if not self.play.switches["unlimber_in_zone"]:
            march.changes &= (march.takes != UNLIMBERED) | (march.zone & IN_HORSE_ZONE == 0)

    def act(self, march: March, unit: int) -> None:
        """A unit changes or turns where it means to, under fire where it is in a zone."""
        self.look(march, unit)
        march.acts[:] = march.changes | (march.turns != 0)
        self.marching.interrupted(march, unit)
        self.perform(march, unit)

    def perform(self, march: March, unit: int) -> None:
        """Where it was not stopped it takes its formation, guns if the die lets them limber, or turns."""
        march.changes &= march.able
        march.turns *= march.able
        if march.changes.any():
            for code in np.unique(march.takes[march.changes]).tolist():
                self._form(march, unit, code % TWO, code >= TWO)
        if march.turns.any():
            self._turn(march, unit)
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
