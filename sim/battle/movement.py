"""The movement segment: who moves, how far, and what comes of it (rules 14 to 18, 44; battle.md M, S, Z).

One unit in all lanes at a time; units move in rank. Arrays have shape (k,), one element a case, unless a
docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.battle.drill import Drill
from sim.battle.marching import March, Marching
from sim.battle.players import Intent, Mask, Numbers
from sim.battle.told import LeavesMap, Marched
from sim.board.advance import IN_HORSE_ZONE, IN_ZONE, Advance, Orders, Why
from sim.board.hexmap import bearing, distance
from sim.combat.checks import check
from sim.combat.failures import PLAIN, Failing, leave
from sim.ensemble.cases import Cases, each, first_of
from sim.ensemble.frames import Flag, Flags, Frame, Row, flag_per_lane, flag_per_unit, per_lane
from sim.rules import movement as rules
from sim.rules import zones
from sim.rulesets.modifiers import Applied
from sim.vocabulary import INFANTRY, LIMBERED, ROAD_MARCH, ROUTED, UNLIMBERED

ARRIVED, LEAVES = int(Why.ARRIVED), int(Why.LEAVES)


class Crowded(Frame):
    """Hexes that are over their limit at the end of a movement segment."""

    over: Flags = flag_per_unit("its hex is over its limit, and has not yet rolled")
    rolls: Flags = flag_per_unit("the roll is for its hex")
    full: Flag = flag_per_lane("some hex is over its limit")
    last: Row = per_lane("the undermost unit of one")
    moved: Flags = flag_per_unit("has been displaced, if it could be")


class Movement:
    """The movement segment of one side.

    Parameters
    ----------
    marching
        The battle, the side that moves, and what enemies do when its units act in their zones.
    """

    def __init__(self, marching: Marching) -> None:
        self.marching, self.drill = marching, Drill(marching)
        self.play, self.forces, self.survey = marching.play, marching.forces, marching.survey
        self.terms, self.going, self.rules = marching.terms, marching.going, marching.rules
        self.side, self.player = marching.side, marching.player
        self.scouts = marching.scouts()

    def move(self, unit: int) -> None:
        """A unit moves, in every lane where it may and its player wants it."""
        cases = self._called(unit)
        if not len(cases):
            return
        lanes, intent = cases.lane, self.player.march(cases)
        with March(self.play.ensemble) as march:
            self._begin(march, cases, intent)
            if intent.force.any():
                self._force(march, unit, lanes[intent.force])
            self.drill.means_change(march, unit, lanes, intent.formation)
            self._go(march, unit)
            self._halt(march, unit)
            self._end(march, unit)

    def close(self) -> None:
        """The segment is over: hexes over their limit check, skirmishers among others are scattered, who was
        held back may move next time (M8, S7, S8)."""
        forces, lanes = self.forces, self.play.ensemble.all()
        over, loose = self.survey.crowded(lanes, self.going, forces.increments, self.side)
        if over.any():
            self._overcrowded(over)
            lanes = self.play.ensemble.all()
            _, loose = self.survey.crowded(lanes, self.going, forces.increments, self.side)
        forces.scatter(self.side, loose)
        forces.release(self.side)

    # -- who, and how far -------------------------------------------------------------------------

    def _called(self, unit: int) -> Cases:
        """Where a unit may move: on the map, not routed, not held back, and it has not charged, nor failed to
        (M4, M8, M9)."""
        forces = self.forces
        idle = (forces.held[unit] > 0) | forces.half.charged[unit] | forces.half.stands[unit]
        idle |= forces.unmanned[unit] > 0
        return forces.cases((forces.state[unit] < ROUTED) & ~idle, unit)

    def _begin(self, march: March, cases: Cases, intent: Intent) -> None:
        """What a unit has and means to do."""
        forces, lanes = self.forces, cases.lane
        formation = forces.formation[cases.at]
        printed = forces.movement[cases.unit]
        none = np.zeros(len(cases), bool)
        whole = rules.allowance(printed, formation, forces.state[cases.at], none, self.rules.allowance)
        march.able[lanes] = True
        march.whole[lanes] = march.left[lanes] = whole
        march.way[lanes], march.most[lanes] = intent.way, np.minimum(intent.most, 999)
        march.leaves[lanes] = intent.leaves
        came = forces.half.entered[cases.at]
        if came.any():
            self._pay_entry(march, cases.where(came))

    def _pay_entry(self, march: March, cases: Cases) -> None:
        """Who has just come onto the map has paid for its first hex (M31)."""
        self.marching.pay(march, cases, self._price_of_hex(cases))
        march.spent[cases.lane] = True

    def _price_of_hex(self, cases: Cases) -> Numbers:
        """Half points of a unit's hex alone, by its road where there is one and it follows roads (M31)."""
        forces, going = self.forces, self.going
        at, formation = forces.hex[cases.at], forces.formation[cases.at]
        follows = np.isin(formation, (ROAD_MARCH, LIMBERED)) & self.survey.board.road[at].any(axis=1)
        along = self.play.book.road_halves[going.terrain[at]]
        return np.where(follows, along, going.enter[forces.arm[cases.unit], at])

    # -- force march ------------------------------------------------------------------------------

    def _force(self, march: March, unit: int, lanes: Numbers) -> None:
        """A unit that may tries a force march: who passes its check has twice its printed movement, who fails
        does not move (M26 to M28)."""
        forces = self.forces
        wants = np.zeros(self.play.ensemble.n, bool)
        wants[lanes] = True
        cases = march.cases(wants & ~march.spent, unit)
        arm, state = forces.arm[cases.unit], forces.state[cases.at]
        infantry = self._may_force_march(forces.mates(cases) & (forces.arm == INFANTRY)[:, None], cases.lane)
        level = forces.level[cases.at]
        may = rules.may_force_march(arm, forces.formation[cases.at], state, level, infantry)
        cases = cases.where(may)
        if not len(cases):
            return
        march.forced[cases.lane] = True
        before, told = forces.forced_turns[cases.at], self.rules.force_march
        extra = "force march", rules.force_march_check(before, told).astype(np.int64), told.source or ""
        cases, passed = check(self.play, "force-march", cases, "44", extra=extra)
        forces.force_march(cases)
        left = rules.force_marched(forces.movement[cases.unit], passed, told)
        march.left[cases.lane] = march.whole[cases.lane] = left
        march.able[cases.where(~passed).lane] = False

    def _may_force_march(self, mates: Flags, lanes: Numbers) -> Mask:
        """Whether one of some infantry, shape (units, k), may make a force march itself."""
        forces = self.forces
        arm = np.broadcast_to(forces.arm[:, None], mates.shape)
        told = forces.formation[:, lanes], forces.state[:, lanes], forces.level[:, lanes]
        return np.asarray(
            (mates & rules.may_force_march(arm, *told, np.zeros(mates.shape, bool))).any(axis=0)
        )

    # -- the march --------------------------------------------------------------------------------

    def _go(self, march: March, unit: int) -> None:
        """A unit takes its formation and marches on its way until nothing is left that it may do, under the
        fire and the charges of those in whose zones it acts; at the end of its way it may leave the map."""
        self.drill.look(march, unit)
        march.going[:] = march.able & (march.way >= 0) & ~march.changes
        cases = march.cases(march.going, unit)
        while len(cases) or march.changes.any():
            march.going[:] = False
            if len(cases):
                self._march_on(march, unit, cases)
            march.acts[:] = (march.going | march.changes) & march.able
            self.marching.interrupted(march, unit)
            march.going &= march.able
            self._depart(march, unit)
            march.fired[:] = march.going
            march.going |= march.changes & (march.way >= 0)
            self.drill.perform(march, unit)
            march.going &= march.able
            cases = march.cases(march.going, unit)

    def _march_on(self, march: March, unit: int, cases: Cases) -> None:
        """A unit marches until something concerns the rules; `going` is it where its next step is to be fired
        at, or it is about to leave the map."""
        found = self._advance(march, unit, cases)
        self._step(march, unit, cases, found)
        march.fired[:] = False
        arrived = (found.why == ARRIVED) & march.leaves[cases.lane]
        entered = (found.steps > 0) & (found.zone & IN_HORSE_ZONE > 0)
        march.going[cases.lane[found.why == LEAVES]] = True
        if arrived.any():
            departs = cases.where(arrived)
            departs = departs.where(self._may_exit(march, departs))
            march.departs[departs.lane] = march.going[departs.lane] = True
        if entered.any():
            march.acts[:] = False
            march.acts[cases.lane[entered]] = True
            self.marching.charged(march, march.acts, unit)

    def _advance(self, march: March, unit: int, cases: Cases) -> Advance:
        """How far a unit marches before something concerns the rules."""
        lanes = cases.lane
        orders = Orders(
            march.left[lanes],
            march.spent[lanes],
            march.fired[lanes],
            march.forced[lanes],
            march.most[lanes],
            march.way[lanes],
            self.player.ways,
            self.scouts and self.forces.arm[unit] == INFANTRY,
        )
        return self.survey.advance(cases, self.going, self.forces.increments, orders)

    def _step(self, march: March, unit: int, cases: Cases, found: Advance) -> None:
        """A unit is where it has marched to."""
        march.zone[cases.lane] = found.zone
        (went,) = (found.steps > 0).nonzero()
        if not len(went):
            return
        if self.play.recorder is not None:
            self._tell(cases.take(went), found.end[went])
        lanes, steps = cases.lane[went], found.steps[went]
        self.forces.march(
            unit, lanes, found.end[went], found.second[went], found.facing[went], found.formation[went]
        )
        march.left[lanes], march.spent[lanes] = found.left[went], True
        march.steps[lanes] += steps
        march.most[lanes] -= steps

    def _may_exit(self, march: March, cases: Cases) -> Mask:
        """Whether units may leave the map: by an exit of their side, if they can pay its hex once more and no
        zone holds them (M32)."""
        unit, lanes = int(cases.unit[0]), cases.lane
        zone, rides = march.zone[lanes], np.full(len(cases), bool(self.going.rides[unit]))
        stops = zones.must_stop(rides, zone & IN_ZONE > 0, zone & IN_HORSE_ZONE > 0, self.going.free)
        goes = self.terms.exits[self.side, self.forces.hex[cases.at]]
        goes &= march.left[lanes] >= self._price_of_hex(cases)
        return goes & zones.may_leave(stops, march.spent[lanes])

    def _depart(self, march: March, unit: int) -> None:
        """Who was about to leave the map, and was not stopped, is gone."""
        cases = march.cases(march.going & march.departs, unit)
        if len(cases):
            self.play.log(LeavesMap, cases, "18")
            self.forces.leave_map(cases, self.forces.hex[cases.at])
            march.able[cases.lane] = march.going[cases.lane] = False

    def _tell(self, cases: Cases, ends: Numbers) -> None:
        """Log a march before it is made."""
        case, forces = self.play.watched(cases), self.forces
        if case is None:
            return
        one = cases.take(np.array([case]))
        here, end = (forces.map.hex(int(at)) or (0, 0) for at in (forces.hex[one.at][0], ends[case]))
        ahead = 30 * int(forces.facing[one.at][0])
        turned = (bearing(here, end) - ahead + 180) % 360 - 180
        self.play.log(Marched, one, "18", hexes=distance(here, end), bearing=int(turned))

    # -- its end ----------------------------------------------------------------------------------

    def _halt(self, march: March, unit: int) -> None:
        """A unit that has stopped changes its formation and facing with what points it has left; guns turn
        before they unlimber."""
        cases = march.cases(march.able & (march.left > 0), unit)
        if not len(cases):
            return
        lanes = cases.lane
        formation, facing = self.player.halts(cases)
        if (formation < 0).all() and (facing < 0).all():
            return
        march.change[lanes], march.facing[lanes] = formation, facing
        unlimbers, keeps = march.change == UNLIMBERED, 2 * self.rules.change.artillery
        self.drill.means_turn(march, unit, march.cases(unlimbers & march.able, unit).lane, keeps)
        lanes = march.cases((march.turns == 0) & march.able, unit).lane
        self.drill.means_change(march, unit, lanes, march.change[lanes])
        lanes = march.cases(~(march.changes | unlimbers) & march.able, unit).lane
        self.drill.means_turn(march, unit, lanes, 0)
        march.again[:] = np.where(unlimbers, march.turns != 0, march.changes & (march.facing >= 0))
        self.drill.act(march, unit)
        march.again &= march.able
        if march.again.any():
            lanes = march.cases(march.again, unit).lane
            unlimbers = march.change[lanes] == UNLIMBERED
            self.drill.means_change(march, unit, lanes[unlimbers], march.change[lanes[unlimbers]])
            self.drill.means_turn(march, unit, lanes[~unlimbers], 0)
            self.drill.act(march, unit)

    def _end(self, march: March, unit: int) -> None:
        """What is remembered of a unit's movement: none, at most half of what it had, or more."""
        used = march.whole - march.left
        moved = (used > 0) | (march.steps > 0)
        self.forces.has_moved(unit, np.where(2 * used > march.whole, 2, moved))

    def _overcrowded(self, over: Flags) -> None:
        """Hexes over their limit: each unit compares one roll for the hex with its printed morale, without
        modifiers, and is disordered if it fails; what is still too much is displaced (S8)."""
        forces, ensemble = self.forces, self.play.ensemble
        with Crowded(ensemble) as crowd:
            crowd.over[:], crowd.full[:] = over, over.any(axis=0)
            while crowd.over.any():
                some, unit = first_of(crowd.over)
                cases = crowd.cases(some, unit)
                there = forces.in_hex(forces.hex[cases.at], cases.lane)
                if forces.spread:
                    there |= forces.in_hex(forces.second[cases.at], cases.lane)
                there &= crowd.over[:, cases.lane]
                for _, one in each(cases, there):
                    crowd.over[one.at], crowd.rolls[one.at] = False, True
                column = np.zeros(len(cases), np.int64)
                none = Applied((), column)
                chart = self.play.book.ladder_chart
                cases, roll = self.play.ask("overstack", cases, chart, column, none, "31", repeatable=True)
                failed = crowd.rolls[:, cases.lane] & (roll <= forces.morale[:, None])
                failed &= forces.state[:, cases.lane] < ROUTED
                with Failing(self.play, PLAIN, contagion=False) as failing:
                    for _, one in each(cases, failed):
                        failing.fails(one)
                crowd.rolls[:] = False
            self._displace(crowd)

    def _displace(self, crowd: Crowded) -> None:
        """The undermost unit of a hex that is still over its limit goes one hex off, away from the enemy, and
        so on (S8)."""
        forces = self.forces
        while True:
            (lanes,) = crowd.full.nonzero()
            over, _ = self.survey.crowded(lanes, self.going, forces.increments, self.side)
            over &= ~crowd.moved[:, lanes] & (forces.formation[:, lanes] != UNLIMBERED)
            some, last = np.asarray(over.any(axis=0)), len(over) - 1 - over[::-1].argmax(axis=0)
            crowd.full[lanes] = some
            if not some.any():
                return
            crowd.last[lanes] = last
            cases = crowd.cases(crowd.full, crowd.last)
            crowd.moved[cases.at] = True
            points, no = np.ones(len(cases), np.int64), np.zeros(len(cases), bool)
            leave(self.play, cases, cases.flags(), points, no, 0, False)
