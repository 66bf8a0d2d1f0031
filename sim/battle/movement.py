"""The movement segment: who moves, how far, and what comes of it (rules 14 to 18, 44; battle.md M, S, Z).

In each lane one unit after another moves, in rank; in each wave the present units of all lanes, another one
perhaps in each, are brought to the next point that concerns the rules, and what concerns them is played for
all together. Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.battle.drill import Drill
from sim.battle.marching import NOBODY, March, Marching, Turns
from sim.battle.players import KEEP, Intent, Mask, Numbers
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
from sim.vocabulary import AWAITED, INFANTRY, LIMBERED, ROAD_MARCH, ROUTED, UNLIMBERED

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
    coming
        Who may come onto the map when it is called, shape (units, lanes); nobody by default.
    """

    def __init__(self, marching: Marching, coming: Flags | None = None) -> None:
        self.marching, self.drill = marching, Drill(marching)
        self.play, self.forces, self.survey = marching.play, marching.forces, marching.survey
        self.terms, self.going, self.rules = marching.terms, marching.going, marching.rules
        self.side, self.player = marching.side, marching.player
        self.scouts = marching.scouts()
        self.turns, self.march = Turns(self.play.ensemble), March(self.play.ensemble)
        self.answered = np.zeros(len(self.forces.units), bool)
        forces, half = self.forces, self.forces.half
        idle = (forces.state >= ROUTED) | (forces.held > 0) | half.charged | half.stands
        self.turns.due[:] = ~idle if coming is None else ~idle | coming
        self.turns.due &= (forces.side == self.side)[:, None]

    # -- waves ------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether nobody marches, and nobody is to be called, in any lane."""
        return not (self.turns.left | (self.march.unit != NOBODY)).any()

    def call(self) -> list[int]:
        """In each lane where nobody marches the next unit in rank is to begin that may move: on the map, or
        about to come onto it, not routed, not held back, and it has not charged, nor failed to (M4, M8, M9).

        Returns
        -------
        These units, in rank.
        """
        turns, march, forces = self.turns, self.march, self.forces
        (lanes,) = (turns.left & (march.unit == NOBODY)).nonzero()
        while len(lanes):
            some, unit = first_of(turns.due[:, lanes])
            turns.left[lanes[~some]] = False
            lanes, unit = lanes[some], unit[some]
            turns.due[unit, lanes] = False
            may = (forces.state[unit, lanes] < ROUTED) & (forces.unmanned[unit, lanes] == 0)
            may |= forces.reason[unit, lanes] == AWAITED
            march.unit[lanes[may]], turns.called[lanes[may]] = unit[may], True
            lanes = lanes[~may]
        self.answered[:] = False
        return np.unique(march.unit[turns.called]).tolist()

    def answer(self, unit: int) -> Cases:
        """A unit that was called takes its turn.

        Returns
        -------
        The cases in which it does.
        """
        self.answered[unit] = True
        return self.march.of(self.turns.called & (self.march.unit == unit))

    def wave(self) -> None:
        """Who was called begins; all march on until something concerns the rules, or halt; what concerns them
        is played; whose movement is over makes room for the next one of its lane."""
        march = self.march
        self._begin()
        self._march_on()
        self._halt()
        march.acts[:] = (march.going | march.changes | (march.turns != 0)) & march.able
        self.marching.interrupted(march)
        march.going &= march.able
        self._depart()
        march.fired[:] = march.going
        march.going |= march.changes & (march.way >= 0) & ~march.halted
        self.drill.perform(march)
        march.going &= march.able
        march.again &= march.able
        self._end()

    def close(self) -> None:
        """The segment is over: hexes over their limit check, skirmishers among others are scattered, who was
        held back may move next time (M8, S7, S8)."""
        self.turns.close()
        self.march.close()
        forces, lanes = self.forces, self.play.ensemble.all()
        over, loose = self.survey.crowded(lanes, self.going, forces.increments, self.side)
        if over.any():
            self._overcrowded(over)
            lanes = self.play.ensemble.all()
            _, loose = self.survey.crowded(lanes, self.going, forces.increments, self.side)
        forces.scatter(self.side, loose)
        forces.release(self.side)

    # -- who, and how far -------------------------------------------------------------------------

    def _begin(self) -> None:
        """What units that begin have and mean to do; they force their march, or are about to take a
        formation."""
        march, called = self.march, self.turns.called
        cases = march.of(called)
        begins = self.answered[cases.unit] & (self.forces.state[cases.at] < ROUTED)
        absent = cases.lane[~begins]
        march.unit[absent], called[absent] = NOBODY, False
        cases = cases.where(begins)
        if not len(cases):
            return
        intent = self._set_out(cases)
        if intent.force.any():
            self._force(cases.where(intent.force))
            cases = march.of(called)
        self.drill.means_change(march, cases)
        march.change[cases.lane] = KEEP
        self.drill.look(march)
        march.going |= called & march.able & (march.way >= 0) & ~march.changes
        called[:] = False

    def _set_out(self, cases: Cases) -> Intent:
        """What units have and mean to do."""
        forces, march, lanes = self.forces, self.march, cases.lane
        intent = self.player.march(cases)
        formation = forces.formation[cases.at]
        printed = forces.movement[cases.unit]
        none = np.zeros(len(cases), bool)
        whole = rules.allowance(printed, formation, forces.state[cases.at], none, self.rules.allowance)
        march.renew(lanes)
        march.unit[lanes], march.able[lanes] = cases.unit, True
        march.whole[lanes] = march.left[lanes] = whole
        march.way[lanes], march.most[lanes] = intent.way, np.minimum(intent.most, 999)
        march.leaves[lanes], march.change[lanes] = intent.leaves, intent.formation
        came = forces.half.entered[cases.at]
        if came.any():
            self._pay_entry(march, cases.where(came))
        return intent

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

    def _force(self, cases: Cases) -> None:
        """Who may tries a force march: who passes its check has twice its printed movement, who fails does
        not move (M26 to M28)."""
        forces, march = self.forces, self.march
        cases = cases.where(~march.spent[cases.lane])
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

    def _march_on(self) -> None:
        """Units march until something concerns the rules; `going` is it where the next step is to be fired
        at, or they are about to leave the map."""
        march = self.march
        cases = march.of(march.going)
        if not len(cases):
            return
        march.going[:] = False
        found = self._advance(cases)
        self._step(cases, found)
        arrived = (found.why == ARRIVED) & march.leaves[cases.lane]
        entered = (found.steps > 0) & (found.zone & IN_HORSE_ZONE > 0)
        march.going[cases.lane[found.why == LEAVES]] = True
        if arrived.any():
            departs = cases.where(arrived)
            departs = departs.where(self._may_exit(departs))
            march.departs[departs.lane] = march.going[departs.lane] = True
        if entered.any():
            march.acts[:] = False
            march.acts[cases.lane[entered]] = True
            self.marching.charged(march, march.acts)
            march.going &= march.able

    def _advance(self, cases: Cases) -> Advance:
        """How far units march before something concerns the rules."""
        march, lanes = self.march, cases.lane
        orders = Orders(
            march.left[lanes],
            march.spent[lanes],
            march.fired[lanes],
            march.forced[lanes],
            march.most[lanes],
            march.way[lanes],
            self.player.ways,
            self.scouts,
        )
        return self.survey.advance(cases, self.going, self.forces.increments, orders)

    def _step(self, cases: Cases, found: Advance) -> None:
        """Units are where they have marched to."""
        march = self.march
        march.zone[cases.lane] = found.zone
        (went,) = (found.steps > 0).nonzero()
        if not len(went):
            return
        if self.play.recorder is not None:
            self._tell(cases.take(went), found.end[went])
        cases, steps = cases.take(went), found.steps[went]
        self.forces.march(
            cases, found.end[went], found.second[went], found.facing[went], found.formation[went]
        )
        march.left[cases.lane], march.spent[cases.lane] = found.left[went], True
        march.steps[cases.lane] += steps
        march.most[cases.lane] -= steps

    def _may_exit(self, cases: Cases) -> Mask:
        """Whether units may leave the map: by an exit of their side, if they can pay its hex once more and no
        zone holds them (M32)."""
        march, lanes = self.march, cases.lane
        zone, rides = march.zone[lanes], self.going.rides[cases.unit]
        stops = zones.must_stop(rides, zone & IN_ZONE > 0, zone & IN_HORSE_ZONE > 0, self.going.free)
        goes = self.terms.exits[self.side, self.forces.hex[cases.at]]
        goes &= march.left[lanes] >= self._price_of_hex(cases)
        return goes & zones.may_leave(stops, march.spent[lanes])

    def _depart(self) -> None:
        """Who was about to leave the map, and was not stopped, is gone."""
        march = self.march
        cases = march.of(march.going & march.departs)
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

    def _halt(self) -> None:
        """Units whose march is over are about to change their formation and facing with what points they have
        left; guns turn before they unlimber."""
        march, drill = self.march, self.drill
        if march.again.any():
            cases = march.of(march.again)
            unlimbers = march.change[cases.lane] == UNLIMBERED
            drill.means_change(march, cases.where(unlimbers))
            drill.means_turn(march, cases.where(~unlimbers), 0)
            march.again[:] = False
        stops = (march.unit != NOBODY) & ~(march.going | march.changes | march.halted)
        march.halted |= stops
        cases = march.of(stops & march.able & (march.left > 0))
        if len(cases):
            lanes = cases.lane
            march.change[lanes], march.facing[lanes] = self.player.halts(cases)
            unlimbers = march.change[lanes] == UNLIMBERED
            drill.means_turn(march, cases.where(unlimbers), 2 * self.rules.change.artillery)
            drill.means_change(march, cases.where(march.turns[lanes] == 0))
            drill.means_turn(march, cases.where(~(march.changes[lanes] | unlimbers)), 0)
            more = march.changes[lanes] & (march.facing[lanes] >= 0)
            march.again[lanes] = np.where(unlimbers, march.turns[lanes] != 0, more)
        drill.look(march)

    def _end(self) -> None:
        """Whose movement is over: it is remembered whether it was none, at most half of what it had, or
        more."""
        march = self.march
        over = ~march.able | (march.halted & ~march.again)
        cases = march.of((march.unit != NOBODY) & over)
        if not len(cases):
            return
        whole, steps = march.whole[cases.lane], march.steps[cases.lane]
        used = whole - march.left[cases.lane]
        moved = (used > 0) | (steps > 0)
        self.forces.has_moved(cases, np.where(2 * used > whole, 2, moved))
        march.unit[cases.lane] = NOBODY

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
