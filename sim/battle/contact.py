"""What happens when a charge reaches its goal: stand check, squares, guns, skirmishers, the rout of the target, recall and chase.

docs/charge.md section 6; rules 19, 38, 41, 42; seeds 001 and 002.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.battle.attempts import BROKEN, FORMED, SHAKEN
from sim.battle.engine import Cases, Mask
from sim.doctrine import FOLLOW as FOLLOW_PLAN
from sim.doctrine import TRAMPLE
from sim.forces import ABANDONED, ARTILLERY, CAVALRY, ELIMINATED, INFANTRY
from sim.geometry import COLUMN, DISORDERED, GENERAL, GOOD, LIMBERED, LINE, MASSE, ROUTED, SKIRMISH, SQUARE, UNLIMBERED, Situation
from sim.hexmap import direction_to, distance
from sim.lanes import Ids
from sim.rulebook import ZONES, code
from sim.rules import charge as rules

if TYPE_CHECKING:
    from sim.battle.charging import Charging

_ZONE_CODES = np.array([code(zone) for zone in ZONES])
NO_UNIT = -1


class Contact:
    """Contact of one charge with its goal."""

    def __init__(self, charging: Charging) -> None:
        self.charging, self.battle, self.forces = charging, charging.battle, charging.forces
        self.book, self.switches = charging.book, charging.switches
        self.top, self.goal = charging.top, charging.goal

    def resolve(self) -> None:
        """Every lane in which the charger has reached its goal, by the first case that fits."""
        from sim.battle.charging import CONTACT, OVER, PASSED_BY, TARGET

        forces, charging, goal = self.forces, self.charging, self.goal
        lanes = charging.at(CONTACT)
        if not len(lanes):
            return
        forces.note("contact", self.top, lanes, 1)
        forces.note("foe_hex", self.top, lanes, forces.hex[goal, lanes])
        ahead = charging.ahead(forces.hex[self.top, lanes], forces.leads_in[self.top, lanes]) == forces.hex[goal, lanes]
        target = forces.declared[goal, lanes] == TARGET
        needed = int(self.book.data["charge"]["straight_hexes"])
        bonus = rules.has_bonus(target, forces.straight[self.top, lanes], needed, ahead)
        forces.note("bonus", self.top, lanes, bonus)
        forces.note("foe", self.top, lanes, np.where(forces.declared[goal, lanes] == PASSED_BY, 0, goal + 1))
        case = self._case(lanes, bonus)
        for number, act in enumerate(self._acts):
            chosen = lanes[case == number]
            if len(chosen):
                charging.go(chosen, OVER)
                act(self, chosen)

    def _case(self, lanes: Ids, bonus: Mask) -> Cases:
        """Number of the first case of docs/charge.md section 6 that fits."""
        from sim.battle.charging import PASSED_BY, TARGET

        forces, goal = self.forces, self.goal
        attempt, as_target = forces.attempt[goal, lanes], forces.attempt_as_target[goal, lanes] == 1
        formation, arm = forces.formation[goal, lanes], int(forces.arm[goal])
        target = forces.declared[goal, lanes] == TARGET
        infantry = np.full(len(lanes), arm == INFANTRY)
        checks = target & bonus & bool(self.switches["square_checks"])
        limbered_stands = self.switches["lone_limbered"] == "stand"
        guns = np.full(len(lanes), arm == ARTILLERY)
        cases = [
            (forces.declared[goal, lanes] == PASSED_BY, PASS_BY),
            (infantry & (attempt == FORMED), ONTO_SQUARE),
            (infantry & (attempt == BROKEN) & as_target & (self.switches["pgd_target"] == "flees"), ROUT_OF_TARGET),
            (infantry & (attempt == SHAKEN) & as_target, DISORDERED_TARGET),
            (infantry & (attempt == BROKEN), ROUTED_TARGET),
            (infantry & (formation == SKIRMISH), SKIRMISHERS),
            (np.full(len(lanes), arm == CAVALRY), MEET),
            (guns & (formation == LIMBERED), STAND if limbered_stands else LIMBERED_ROUT),
            (guns & (formation == UNLIMBERED), GUNS),
            (infantry & (formation == SQUARE) & checks, STAND),
            (infantry & (formation == SQUARE), ONTO_SQUARE),
            (infantry & (formation == MASSE) & bonus, STAND),
            (infantry & (formation == MASSE), ONTO_SQUARE),
            (infantry & bonus, STAND),
        ]
        return np.select([mask for mask, _ in cases], [number for _, number in cases], MEET)

    # -- the cases ----------------------------------------------------------------------------

    def _pass_by(self, lanes: Ids) -> None:
        self.battle.tell("38", self.charging.name, f"may not attack {self.battle.name(self.goal)}, which it passed")

    def _meet(self, lanes: Ids) -> None:
        """Contact without a roll now. A charge without its straight run melees after the ordinary pre-melee check."""
        if self.forces.arm[self.goal] == INFANTRY:
            self.forces.note("compulsory", self.top, lanes, 1)
            self.forces.note("unchecked", self.top, lanes, 1)
        self._touch(lanes)

    def _touch(self, lanes: Ids) -> None:
        self.battle.tell("38", self.charging.name, f"comes into contact with {self.battle.name(self.goal)}")

    def _disordered(self, lanes: Ids) -> None:
        """A target disordered by its attempt: contact ends the charge; in 2019 it loses for the points left (seed 002; D N22.2)."""
        forces = self.forces
        forces.note("compulsory", self.top, lanes, 1)
        each = int(self.switches["dd_target_loss"])
        if each:
            rate = np.maximum(self.charging.left(lanes), 0) // each
            here = {u: forces.hex[u, lanes] == forces.hex[self.goal, lanes] for u in self._enemies()}
            self._ride_down(lanes, here, rate)
        self._touch(lanes)

    def _enemies(self) -> list[int]:
        return [u for u in range(len(self.forces.units)) if self.forces.side[u] != self.forces.side[self.top]]

    def _ride_down(self, lanes: Ids, victims: dict[int, Mask], loss: Cases) -> None:
        """Increments lost under the hooves, top unit first."""
        rest = np.array(loss, np.int64)
        for unit, there in victims.items():
            mine = there & self.forces.present(unit, lanes) & (rest > 0)
            rest[mine] -= self.forces.lose(unit, lanes[mine], rest[mine])

    def _routed(self, lanes: Ids) -> None:
        """A unit routed by its attempt and still within reach is simply contacted."""
        self.forces.note("compulsory", self.top, lanes, 1)
        self._touch(lanes)

    def onto_square(self, lanes: Ids) -> None:
        """The charger rides onto the square's or Masse's hex and stops there (seed 002); one that is not its target shoots first."""
        from sim.battle.charging import OVER, STEPPING, TARGET

        forces, charging = self.forces, self.charging
        forces.note("bonus", self.top, lanes, 0)
        if not len(lanes):
            return
        price = charging.each(lanes, self._cost_onto)
        pays = price <= charging.left(lanes)
        forces.note("foe", self.top, lanes[~pays], 0)
        charging.go(lanes[pays], STEPPING)
        lanes = charging.at(STEPPING)
        charging.opportunity_fire(lanes[forces.declared[self.goal, lanes] != TARGET])
        charging.stop_if_lost(STEPPING)
        there = charging.at(STEPPING)
        self._enter_goal(there, charging.each(there, self._cost_onto))
        forces.note("compulsory", self.top, there, 1)
        charging.go(there, OVER)
        if len(there):
            self.battle.tell("38", charging.name, f"rides onto {self.battle.name(self.goal)}")

    def _enter_goal(self, lanes: Ids, price: Cases) -> None:
        """The step onto the goal's hex."""
        forces = self.forces
        for unit in self.charging.stack:
            forces.note("came_from", unit, lanes, forces.hex[self.top, lanes])
        forces.points[self.top, lanes] += price.astype(np.int16)
        self._enter(lanes, forces.hex[self.goal, lanes].copy())

    def _enter(self, lanes: Ids, to: Cases) -> None:
        forces = self.forces
        into = np.array([self._direction(here, there) for here, there in zip(forces.hex[self.top, lanes], to, strict=True)], np.int64)
        for unit, riding in self.charging.mounted(lanes).items():
            corner = self.book.corner_facing[forces.kind[unit], forces.formation[unit, lanes[riding]]]
            forces.place(unit, lanes[riding], to[riding], 2 * into[riding] + corner)

    def _direction(self, number: int, other: int) -> int:
        here, there = self.forces.map.hex(int(number)), self.forces.map.hex(int(other))
        return direction_to(here, there) if here and there else 0

    def _way_in(self, one: Situation) -> int:
        return direction_to(one.hexes[self.top], one.hexes[self.goal])

    def _cost_onto(self, one: Situation) -> int:
        return one.ground.cost(CAVALRY, one.hexes[self.top], self._way_in(one))

    def _skirmishers(self, lanes: Ids) -> None:
        """Skirmishers flee into a neighbouring formation, or rout (rule 19; D N30)."""
        forces, battle = self.forces, self.battle
        hosts = self.charging.each(lanes, self._shelter)
        for host in np.unique(hosts[hosts != NO_UNIT]).tolist():
            for unit, there in self._flight_group(lanes[hosts == host]):
                if forces.arm[unit] == INFANTRY:
                    forces.form(unit, there, COLUMN)
                forces.place(unit, there, forces.hex[host, there], forces.facing[host, there])
                forces.note("sheltered", unit, there, 1)
            forces.note("foe", self.top, lanes[hosts == host], 0)
            battle.tell("19", battle.name(self.goal), f"takes shelter with {battle.name(host)}")
        caught = lanes[hosts == NO_UNIT]
        if not len(caught):
            return
        group = self._flight_group(caught)
        if self.switches["guns_with_infantry"] == "abandoned":
            for unit, there in self.charging.attempts.guns(self.goal, caught, UNLIMBERED):
                forces.remove(unit, there, ABANDONED)
        for unit, there in group:
            forces.become(unit, there, ROUTED)
            forces.note("leaving", unit, there, 1)
        forces.note("origin", self.goal, caught, forces.hex[self.goal, caught])
        battle.tell("19", battle.name(self.goal), "finds no shelter and routs")
        self._trample(caught, points_mode=self.switches["skirmish_trample"] == "points")
        if self.switches["skirmish_recall"]:
            self.rout_of_target(caught, trampled=True)
        else:
            self._group_runs(caught)
            forces.note("foe", self.top, caught, 0)
            forces.note("bonus", self.top, caught, 0)

    def _flight_group(self, lanes: Ids) -> list[tuple[int, Ids]]:
        """Skirmishers of the hex and limbered guns with them."""
        attempts = self.charging.attempts
        return attempts.foot(self.goal, lanes) + attempts.guns(self.goal, lanes, LIMBERED)

    def _shelter(self, one: Situation) -> int:
        side = self.forces.side[self.goal]
        open_to = {COLUMN, GENERAL} | ({LINE} if self.switches["shelter_line"] else set())
        for unit, here in enumerate(one.hexes):
            friend = self.forces.side[unit] == side and self.forces.arm[unit] == INFANTRY and one.states[unit] == GOOD
            if friend and one.formations[unit] in open_to and distance(here, one.hexes[self.goal]) == 1:
                return unit
        return NO_UNIT

    def _guns_alone(self, lanes: Ids) -> None:
        """Unlimbered guns alone: they check, or are lost; caught from behind they give no defensive fire (rule 41)."""
        from sim.battle.charging import OVER, STEPPING

        forces, battle, goal, charging = self.forces, self.battle, self.goal, self.charging
        lanes, passed = battle.check(f"guns/{forces.units[goal].id}", goal, lanes, "41")
        held = lanes[passed]
        behind = charging.each(held, lambda one: one.zone_of_side(goal, direction_to(one.hexes[goal], one.hexes[self.top]))) != 0
        for unit, there in [(goal, held), *charging.attempts.guns(goal, held, UNLIMBERED)]:
            forces.note("silent", unit, there, 1 if unit != goal else behind)
        for unit, there in charging.attempts.guns(goal, held[~behind], UNLIMBERED):
            forces.note("silent", unit, there, 0)
        lost = lanes[~passed]
        if not len(lost):
            return
        price = charging.each(lost, self._cost_onto)
        pays = price <= charging.left(lost)
        place = forces.hex[goal, lost].copy()
        for unit, there in charging.attempts.guns(goal, lost, UNLIMBERED):
            forces.remove(unit, there, ELIMINATED)
        forces.remove(goal, lost, ELIMINATED)
        forces.note("foe", self.top, lost, 0)
        forces.note("foe_hex", self.top, lost, place)
        battle.tell("41", battle.name(goal), "is ridden down")
        charging.go(lost[pays & ~self._held_by_enemy(lost, place)], STEPPING)
        charging.opportunity_fire(charging.at(STEPPING))
        charging.stop_if_lost(STEPPING)
        there = charging.at(STEPPING)
        charging.go(there, OVER)
        self._enter(there, forces.foe_hex[self.top, there].copy())

    def _held_by_enemy(self, lanes: Ids, place: Cases) -> Mask:
        held = np.zeros(len(lanes), bool)
        for unit in self._enemies():
            held |= self.forces.hex[unit, lanes] == place
        return held

    # -- to stand -----------------------------------------------------------------------------

    def _stand(self, lanes: Ids) -> None:
        """The modified morale check of option 1 (seed 001)."""
        from sim.battle.charging import OVER, STANDING

        forces, battle, goal = self.forces, self.battle, self.goal
        self.charging.go(lanes, STANDING)
        self._guns_check(lanes)
        lanes = self.charging.at(STANDING)
        self.charging.go(lanes, OVER)
        known = forces.about("target", goal, lanes) | forces.about("charger", self.top, lanes)
        side = self.charging.each(lanes, lambda one: one.zone_of_side(goal, direction_to(one.hexes[goal], one.hexes[self.top])))
        known["hexside"] = _ZONE_CODES[side]
        known["crosses"] = self.charging.each(lanes, self._hexside_code)
        lanes, passed = battle.check(f"stand/{forces.units[goal].id}", goal, lanes, "38", table=self.book.stand_modifiers, known=known)
        held, broken = lanes[passed], lanes[~passed]
        if len(held):
            battle.tell("38", battle.name(goal), "stands: the charge is halted")
        forces.note("stood", goal, held, 1)
        forces.note("halted", self.top, held, 1)
        on_top = np.isin(forces.formation[goal, held], (SQUARE, MASSE))
        self._stand_failed(broken)
        self.onto_square(held[on_top])

    def _guns_check(self, lanes: Ids) -> None:
        """Unlimbered guns with infantry that stands check for themselves, to 2018 (rule 41)."""
        if self.switches["guns_with_infantry"] != "own_check" or self.forces.arm[self.goal] != INFANTRY:
            return
        forces = self.forces
        for unit, there in forces.with_in_hex(self.goal, lanes):
            if forces.arm[unit] == ARTILLERY:
                mine = lanes[there & (forces.formation[unit, lanes] == UNLIMBERED)]
                found, passed = self.battle.check(f"guns/{forces.units[unit].id}", unit, mine, "41")
                forces.become(unit, found[~passed], DISORDERED)

    def _hexside_code(self, one: Situation) -> int:
        return code(one.ground.map.hexsides.get((one.hexes[self.top], self._way_in(one)), "none"))

    def _stand_failed(self, lanes: Ids) -> None:
        from sim.battle.charging import ROUTING, STANDING

        forces, battle, goal, charging = self.forces, self.battle, self.goal, self.charging
        if not len(lanes):
            return
        stays = (forces.state[goal, lanes] == DISORDERED) & (self.switches["dd_fails_stand"] == "stays")
        charging.go(lanes[stays], STANDING)
        charging.go(lanes[~stays], ROUTING)
        if forces.arm[goal] == INFANTRY:
            battle.infect(goal, lanes[~stays], (INFANTRY,))
            battle.contagion_checks()
        lanes = np.concatenate([charging.at(STANDING), charging.at(ROUTING)])
        for unit, there in charging.attempts.guns(goal, lanes, LIMBERED):
            forces.become(unit, there, ROUTED)
            forces.note("leaving", unit, there, 1)
        if self.switches["guns_with_infantry"] == "abandoned" and forces.arm[goal] == INFANTRY:
            for unit, there in charging.attempts.guns(goal, lanes, UNLIMBERED):
                forces.remove(unit, there, ABANDONED)
        forces.become(goal, lanes, ROUTED)
        forces.note("leaving", goal, lanes, 1)
        battle.tell("38", battle.name(goal), "fails to stand and routs")
        self._stay_routed(charging.at(STANDING))
        self.rout_of_target(charging.at(ROUTING))

    def _stay_routed(self, lanes: Ids) -> None:
        """2018: a disordered unit that fails routs where it stands."""
        from sim.battle.charging import OVER

        forces = self.forces
        forces.note("compulsory", self.top, lanes, 1)
        for unit in self._enemies():
            forces.note("leaving", unit, lanes, 0)
        self.charging.go(lanes, OVER)

    # -- the rout of the target -----------------------------------------------------------------

    def _rout_limbered(self, lanes: Ids) -> None:
        """Limbered guns alone rout at once, to 2018."""
        for unit, there in [(self.goal, lanes), *self.charging.attempts.guns(self.goal, lanes, LIMBERED)]:
            self.forces.become(unit, there, ROUTED)
            self.forces.note("leaving", unit, there, 1)
        self.rout_of_target(lanes)

    def _leavers(self) -> list[int]:
        return [u for u in range(len(self.forces.units)) if self.forces.leaving[u, : self.forces.n].any()]

    def rout_of_target(self, lanes: Ids, trampled: bool = False) -> None:
        """Trample, recall, the routers' flight, follow or chase (seeds 001, 002; rules 38, 42).

        Parameters
        ----------
        trampled
            The trampling is already done.
        """
        from sim.battle.charging import ROUTING

        forces, charging = self.forces, self.charging
        if not len(lanes):
            return
        if not trampled:
            forces.note("origin", self.goal, lanes, forces.hex[self.goal, lanes])
        if self.switches["trample"] == "first" and not trampled:
            self._trample(lanes[forces.recalled_plan[0, lanes] == TRAMPLE])
        charging.go(lanes, ROUTING)
        self._recall()
        lanes = charging.at(ROUTING)
        if self.switches["trample"] == "recalled" and not trampled:
            may = (forces.recalled[self.top, lanes] == 1) & (forces.recalled_plan[0, lanes] == TRAMPLE)
            self._trample(lanes[may])
        self._group_runs(charging.at(ROUTING))
        self.battle.contagion_moves()
        self._after_rout()

    def _trample(self, lanes: Ids, points_mode: bool = False) -> None:
        """Ride down the routers before they leave: one increment for every two points left (skirmishers: perhaps two a point)."""
        forces = self.forces
        if not len(lanes):
            return
        points = int(self.book.data["charge"]["trample_points"])
        group = {u: (forces.leaving[u, lanes] == 1) & forces.present(u, lanes) for u in self._leavers()}
        strength = np.zeros(len(lanes), np.int64)
        for unit, there in group.items():
            strength += forces.increments[unit, lanes] * there
        left = self.charging.left(lanes)
        loss = np.minimum(np.maximum(left, 0) * 2, strength) if points_mode else rules.trampled(left, strength, points)
        self._ride_down(lanes, group, loss)
        forces.points[self.top, lanes] += ((loss + 1) // 2 if points_mode else loss * points).astype(np.int16)
        self.battle.tell("38", self.charging.name, f"tramples: {int(loss[0])} increments lost")

    def _recall(self) -> None:
        from sim.battle.charging import ROUTING

        forces, charging = self.forces, self.charging
        lanes = charging.at(ROUTING)
        unit = forces.units[self.top]
        row = self.book.recall_row(unit.nation, unit.type, unit.light(self.book.light_from))
        applied = self.book.recall_modifiers.apply(forces.about("charger", self.top, lanes), len(lanes))
        column = np.full(len(lanes), int(row["needs"]))
        kind = f"recall/{unit.id}"
        lanes, result = self.battle.decide(
            kind, charging.name, lanes, self.book.recall_chart, column, applied, "42", asked=f"needs {row['needs']} ({row['name']})"
        )
        forces.note("recalled", self.top, lanes, np.where(result == 1, 1, 2))

    def _group_runs(self, lanes: Ids) -> None:
        """The routers make their rout move, those that leave together as one group."""
        forces = self.forces
        group = self._leavers()
        bits = np.zeros(len(lanes), np.int64)
        for k, unit in enumerate(group):
            bits |= ((forces.leaving[unit, lanes] == 1) & forces.present(unit, lanes)).astype(np.int64) << k
        for pattern in np.unique(bits[bits > 0]).tolist():
            members = [unit for k, unit in enumerate(group) if pattern >> k & 1]
            self.battle.rout(members, lanes[bits == pattern])

    def pursuit(self) -> None:
        """2014: the target that routed at its attempt has fled; the recall roll decides whether the charger may pursue (F14)."""
        from sim.battle.charging import MARCH, ROUTING

        forces, charging = self.forces, self.charging
        lanes = charging.at(MARCH)
        lanes = lanes[(forces.attempt[self.goal, lanes] == BROKEN) & (forces.attempt_as_target[self.goal, lanes] == 1)]
        if not len(lanes):
            return
        charging.go(lanes, ROUTING)
        self._recall()
        self._after_rout(always_follow=True)

    def take_over(self, lanes: Ids) -> None:
        """Go on with a follow or chase that a lost regiment led."""
        from sim.battle.charging import FOLLOW

        self.charging.go(lanes, FOLLOW)
        self._ride_after()
        self._who_is_near()

    def _after_rout(self, always_follow: bool = False) -> None:
        """Follow or chase, and what is left to melee (docs/charge.md section 6)."""
        from sim.battle.charging import FOLLOW, OVER, ROUTING

        forces, charging, top = self.forces, self.charging, self.top
        lanes = charging.at(ROUTING)
        recalled = forces.recalled[top, lanes] == 1
        chases = ~recalled & (self.switches["recall"] == "must")
        follows = recalled & (always_follow | (forces.recalled_plan[0, lanes] == FOLLOW_PLAN))
        forces.note("bonus", top, lanes[recalled | chases], 0)
        forces.note("foe", top, lanes, 0)
        forces.note("chasing", top, lanes[chases], 1)
        charging.go(lanes[~(follows | chases)], OVER)
        moving = lanes[follows | chases]
        charging.go(moving, FOLLOW)
        if self.battle.journal is not None and len(lanes):
            told = "is recalled" if recalled[0] else "is not recalled"
            self.battle.tell("42", charging.name, told + (" and chases" if chases[0] else " and follows" if follows[0] else ""))
        self._ride_after()
        self._who_is_near()

    def _ride_after(self) -> None:
        """Seek steps toward the routers until next to them, or, in a chase, next to any enemy that was not passed."""
        from sim.battle.charging import FOLLOW, NO_STEP, OVER

        forces, charging, top = self.forces, self.charging, self.top
        while True:
            lanes = charging.at(FOLLOW)
            if not len(lanes):
                return
            quarry = self._quarry(lanes)
            close = np.zeros(len(lanes), bool)
            for unit in np.unique(quarry[quarry >= 0]).tolist():
                close |= (quarry == unit) & (charging.gap(lanes, unit) == 1)
            chasing = (forces.chasing[top, lanes] == 1) & (quarry >= 0)
            met = self._first_not_passed(lanes)
            caught = chasing & (met >= 0)
            self._catch(lanes[caught], met[caught])
            charging.go(lanes[close | (quarry < 0) | caught], OVER)
            lanes = charging.at(FOLLOW)
            quarry = self._quarry(lanes)
            for unit in np.unique(quarry).tolist():
                mine = lanes[quarry == unit]
                charging.quarry = unit
                turns, _ = charging.next_step(mine)
                charging.go(mine[turns == NO_STEP], OVER)
            self._steps_after()

    def _catch(self, lanes: Ids, units: Cases) -> None:
        """A chase ends at an enemy: it must be meleed, unless it is what stayed in the goal's hex."""
        forces, top = self.forces, self.top
        forces.note("foe", top, lanes, units + 1)
        forces.note("foe_hex", top, lanes, forces.hex[units, lanes])
        router = forces.leaving[units, lanes] == 1
        elsewhere = forces.hex[units, lanes] != forces.origin[self.goal, lanes]
        forces.note("compulsory", top, lanes, router | elsewhere)

    def _steps_after(self) -> None:
        from sim.battle.charging import FOLLOW

        charging = self.charging
        charging.opportunity_fire(charging.at(FOLLOW))
        charging.stop_if_lost(FOLLOW)
        lanes = charging.at(FOLLOW)
        quarry = self._quarry(lanes)
        for unit in np.unique(quarry).tolist():
            mine = lanes[quarry == unit]
            charging.quarry = unit
            turns, price = charging.next_step(mine)
            charging.step(mine, turns, price)
        charging.quarry = self.goal

    def _quarry(self, lanes: Ids) -> Cases:
        """The first of the routers still on the map, -1 if there is none."""
        forces = self.forces
        found = np.full(len(lanes), NO_UNIT)
        for unit in reversed(self._leavers()):
            found[(forces.leaving[unit, lanes] == 1) & forces.present(unit, lanes)] = unit
        return found

    def _first_not_passed(self, lanes: Ids) -> Cases:
        """The enemy next to the charger that was not passed: a router before others, then in unit order; -1 if there is none."""
        from sim.battle.charging import PASSED_BY

        forces = self.forces
        found = np.full(len(lanes), NO_UNIT)
        for router in (0, 1):
            for unit in reversed(self._enemies()):
                near = (self.charging.gap(lanes, unit) == 1) & (forces.declared[unit, lanes] != PASSED_BY)
                found[near & ((forces.leaving[unit, lanes] == 1) == bool(router))] = unit
        return found

    def _who_is_near(self) -> None:
        """After the flight: routers next to the charger may be meleed (must, by chasers), else what stayed in the hex, as the plan says."""
        from sim.battle.charging import OVER

        forces, charging, top = self.forces, self.charging, self.top
        lanes = charging.at(OVER)
        lanes = lanes[(forces.recalled[top, lanes] > 0) & (forces.foe[top, lanes] == 0) & charging.in_order(lanes)]
        found = np.zeros(len(lanes), np.int64)
        origin = forces.origin[self.goal, lanes]
        for unit in reversed(self._enemies()):
            near = (charging.gap(lanes, unit) == 1) & forces.present(unit, lanes) & (forces.hex[unit, lanes] == origin)
            found[near] = unit + 1
        routers = np.zeros(len(lanes), bool)
        for unit in reversed(self._leavers()):
            near = (charging.gap(lanes, unit) == 1) & forces.present(unit, lanes) & (forces.leaving[unit, lanes] == 1)
            found[near] = unit + 1
            routers |= near
        forces.note("foe", top, lanes, found)
        foes = np.maximum(found - 1, 0)
        forces.note("foe_hex", top, lanes, forces.hex[foes, lanes])
        forces.note("bonus", top, lanes[routers], 0)
        forces.note("compulsory", top, lanes, routers & (forces.chasing[top, lanes] == 1))

    _acts = (_pass_by, onto_square, rout_of_target, _disordered, _routed, _skirmishers, _meet, _rout_limbered, _guns_alone, _stand)


PASS_BY, ONTO_SQUARE, ROUT_OF_TARGET, DISORDERED_TARGET, ROUTED_TARGET, SKIRMISHERS, MEET, LIMBERED_ROUT, GUNS, STAND = range(10)
