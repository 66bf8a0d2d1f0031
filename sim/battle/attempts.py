"""Carré attempts against a charge, and what each result lets the charger do (rule 38, option 2; docs/charge.md section 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.battle.engine import Cases
from sim.doctrine import BREAK_OFF, PRESS, RIDE_OVER
from sim.forces import ABANDONED, ARTILLERY, CAVALRY, INFANTRY
from sim.geometry import DISORDERED, GENERAL, GOOD, LIMBERED, MASSE, NO_HEX, ROUTED, SKIRMISH, SQUARE, UNLIMBERED, Situation, passable
from sim.hexmap import along, direction_to, distance, neighbour
from sim.lanes import Ids
from sim.rulebook import Applied, holds
from sim.rules import carre as rules
from sim.scenarios import FORMATIONS

if TYPE_CHECKING:
    from sim.battle.charging import Charging

FORMED, SHAKEN, BROKEN = 1, 2, 3
"""What an attempt gave."""


class Attempts:
    """Carré attempts during one charge."""

    def __init__(self, charging: Charging) -> None:
        self.charging, self.battle, self.forces, self.book = charging, charging.battle, charging.forces, charging.book

    def attempt(self, unit: int) -> None:
        """A unit whose response names the present distance tries to form square, once a charge."""
        from sim.battle.charging import MARCH, TARGET

        forces, charging = self.forces, self.charging
        lanes = charging.at(MARCH)
        gap = charging.gap(lanes, unit)
        wants = (forces.response[unit, lanes] == gap) & (gap >= 1) & (gap <= 4) & (forces.attempt[unit, lanes] == 0) & (forces.refused[unit, lanes] == 0)
        wants &= forces.present(unit, lanes)
        lanes, gap = lanes[wants], gap[wants]
        if not len(lanes):
            return
        reason = self._refusal(unit, lanes, gap)
        forces.note("refused", unit, lanes, reason)
        lanes, gap = lanes[reason == 0], gap[reason == 0]
        if not len(lanes):
            self.battle.tell("38", self.battle.name(unit), f"may not try carré: {rules.REFUSALS[int(reason[0])]}")
            return
        forces.note("attempt_as_target", unit, lanes, forces.declared[unit, lanes] == TARGET)
        column, applied = self._column(unit, lanes, gap), self._modifiers(unit, lanes)
        kind = f"carre/{forces.units[unit].id}"
        asked = f"from {FORMATIONS[forces.formation[unit, lanes[0]]]}, column {int(column[0]) % 4 + 1}"
        lanes, result = self.battle.decide(kind, self.battle.name(unit), lanes, self.book.carre_chart, column, applied, "38", asked=asked)
        forces.note("attempt", unit, lanes, result + 1)
        self._formed(unit, lanes[result == 0])
        self._disordered(unit, lanes[result == 1])
        self._routed(unit, lanes[result == 2])

    # -- who may try --------------------------------------------------------------------------

    def _refusal(self, unit: int, lanes: Ids, gap: Cases) -> Cases:
        """The first reason against an attempt in each lane, 0 if there is none."""
        forces, book = self.forces, self.book
        formation, state = forces.formation[unit, lanes], forces.state[unit, lanes]
        roster = forces.units[unit]
        no_row = np.array([book.carre_row(roster.nation, name) is None for name in FORMATIONS])[formation]
        known = forces.about("target", unit, lanes)
        barred = np.zeros(len(lanes), bool)
        for _, when in book.barred:
            barred |= holds(when, known, len(lanes))
        men = self._increments(unit, lanes)
        reach = int(book.switches["night_range" if self.battle.orders.night else "carre_range"])
        seen = self.charging.each(lanes, lambda one: self._sees_charger(one, unit)) > 0
        reasons = [
            (np.full(len(lanes), forces.arm[unit] != INFANTRY), rules.NOT_INFANTRY),
            (formation == SKIRMISH, rules.SKIRMISHING),
            (formation == SQUARE, rules.IN_SQUARE),
            (formation == GENERAL, rules.IN_GENERAL_ORDER),
            (formation == MASSE, rules.IN_MASSE),
            (state != GOOD, rules.NOT_IN_ORDER),
            (no_row, rules.NO_ROW),
            (barred, rules.BARRED),
            (np.full(len(lanes), roster.multiples.get("square") is None), rules.NO_CARRE),
            (men < int(book.data["charge"]["min_carre_increments"]), rules.TOO_FEW),
            (gap > reach, rules.OUT_OF_RANGE),
            (~seen, rules.OUT_OF_SIGHT),
        ]
        return np.select([mask for mask, _ in reasons], [reason for _, reason in reasons], 0)

    def _sees_charger(self, one: Situation, unit: int) -> bool:
        here, there = one.hexes[unit], one.hexes[self.charging.top]
        return NO_HEX not in (here, there) and one.sees(here, there) and one.front_to(unit, there)

    def _increments(self, unit: int, lanes: Ids) -> Cases:
        forces = self.forces
        total = forces.increments[unit, lanes].astype(np.int64)
        for mate, there in forces.with_in_hex(unit, lanes):
            if forces.arm[mate] == INFANTRY:
                total += there * forces.increments[mate, lanes]
        return total

    # -- the roll -----------------------------------------------------------------------------

    def _column(self, unit: int, lanes: Ids, gap: Cases) -> Cases:
        forces = self.forces
        roster = forces.units[unit]
        rows = np.array([self.book.carre_row(roster.nation, name) or 0 for name in FORMATIONS])[forces.formation[unit, lanes]]
        distances = np.asarray(gap, np.int64).copy()
        for row in np.unique(rows).tolist():
            if self.book.carre_points(row) and unit == self.charging.goal:
                chosen = rows == row
                distances[chosen] = self._points(lanes[chosen])
        return 4 * rows + np.minimum(distances, 4) - 1

    def _points(self, lanes: Ids) -> Cases:
        """Cost for the charger of riding on along its planned path into the target's hex (0-decisions 5.6)."""
        forces, charging = self.forces, self.charging
        ground, path = forces.ground, charging.order.path
        costs = np.zeros(len(lanes), np.int64)
        for k, lane in enumerate(lanes.tolist()):
            here = forces.map.hex(int(forces.hex[charging.top, lane]))
            goal = forces.map.hex(int(forces.hex[charging.goal, lane]))
            direction = int(forces.leads_in[charging.top, lane])
            if here is None or goal is None:
                continue
            for turn in path[int(forces.steps[charging.top, lane]) :]:
                direction = (direction + turn) % 6
                costs[k] += ground.cost(CAVALRY, here, direction)
                here = neighbour(here, direction)
            costs[k] += ground.cost(CAVALRY, here, direction_to(here, goal)) if distance(here, goal) == 1 else distance(here, goal)
        return costs

    def _modifiers(self, unit: int, lanes: Ids) -> Applied:
        known = self.forces.about("target", unit, lanes) | self.forces.about("charger", self.charging.top, lanes)
        return self.book.carre_modifiers.apply(known, len(lanes))

    # -- results ------------------------------------------------------------------------------

    def foot(self, unit: int, lanes: Ids) -> list[tuple[int, Ids]]:
        """The infantry of the hex, top unit first, each with the lanes in which it is there."""
        forces = self.forces
        found = [(unit, lanes)]
        for mate, there in forces.with_in_hex(unit, lanes):
            if forces.arm[mate] == INFANTRY:
                found.append((mate, lanes[there]))
        return found

    def _guns(self, unit: int, lanes: Ids, formation: int) -> list[tuple[int, Ids]]:
        """Batteries in the hex, limbered or unlimbered."""
        forces = self.forces
        found = []
        for mate, there in forces.with_in_hex(unit, lanes):
            if forces.arm[mate] == ARTILLERY:
                found.append((mate, lanes[there & (forces.formation[mate, lanes] == formation)]))
        return found

    def _formed(self, unit: int, lanes: Ids) -> None:
        from sim.battle.charging import OVER, RIDE

        forces, charging = self.forces, self.charging
        for foot, there in self.foot(unit, lanes):
            forces.form(foot, there, SQUARE)
        if len(lanes):
            self.battle.tell("38", self.battle.name(unit), "forms square")
        bystander = lanes[forces.attempt_as_target[unit, lanes] == 0]
        if unit != charging.goal:
            return
        plan = forces.square_plan[0, bystander]
        charging.go(bystander[plan == BREAK_OFF], OVER)
        charging.go(bystander[plan == RIDE_OVER], RIDE)
        if self.battle.journal is not None and len(bystander):
            told = {PRESS: "presses on at the square", BREAK_OFF: "breaks off and halts", RIDE_OVER: "rides over the square"}
            self.battle.tell("38", charging.name, told[int(plan[0])])

    def _disordered(self, unit: int, lanes: Ids) -> None:
        forces, battle = self.forces, self.battle
        if not len(lanes):
            return
        abandoned = self.book.switches["guns_with_infantry"] == "abandoned"
        group = []
        for foot, there in self.foot(unit, lanes):
            forces.become(foot, there, DISORDERED)
            group.append(foot)
        for guns, there in self._guns(unit, lanes, UNLIMBERED):
            if abandoned:
                forces.remove(guns, there, ABANDONED)
            else:
                forces.become(guns, there, DISORDERED)
        for guns, there in self._guns(unit, lanes, LIMBERED):
            forces.become(guns, there, DISORDERED)
            group.append(guns)
        battle.tell("38", battle.name(unit), "is disordered")
        target = forces.attempt_as_target[unit, lanes] == 1
        leaves = ~target | (self.book.switches["dd_target"] == "follows")
        self._leave(unit, lanes[leaves], group, rout=False)

    def _routed(self, unit: int, lanes: Ids) -> None:
        from sim.battle.charging import OVER

        forces, battle, switches = self.forces, self.battle, self.book.switches
        if not len(lanes):
            return
        for guns, there in self._guns(unit, lanes, UNLIMBERED):
            forces.remove(guns, there, ABANDONED if switches["guns_with_infantry"] == "abandoned" else 1)
        group = []
        for foot, there in self.foot(unit, lanes):
            forces.become(foot, there, ROUTED)
            group.append(foot)
        for guns, there in self._guns(unit, lanes, LIMBERED):
            forces.become(guns, there, ROUTED)
            group.append(guns)
        battle.tell("38", battle.name(unit), "routs")
        target = forces.attempt_as_target[unit, lanes] == 1
        pursuit = target & (switches["pgd_target"] == "pursuit")
        for member in group:
            together = forces.hex[member, lanes] == forces.hex[unit, lanes]
            forces.note("leaving", member, lanes[together & target & (switches["pgd_target"] != "stays")], 1)
        flees = ~target & (switches["pgd_bystander"] == "flees")
        pursued = lanes[pursuit]
        self.charging.go(pursued, OVER)
        self._leave(unit, lanes[flees | pursuit], group, rout=True)
        if len(pursued):
            self.charging.contact.pursuit()

    def _leave(self, unit: int, lanes: Ids, group: list[int], rout: bool) -> None:
        """Those of the hex move off together, one group for each make-up of the hex."""
        forces, battle = self.forces, self.battle
        bits = np.zeros(len(lanes), np.int64)
        for k, member in enumerate(group):
            together = (forces.hex[member, lanes] == forces.hex[unit, lanes]) & forces.present(member, lanes)
            bits |= together.astype(np.int64) << k
        for pattern in np.unique(bits).tolist():
            members = [member for k, member in enumerate(group) if pattern >> k & 1]
            if not members:
                continue
            if rout:
                battle.rout(members, lanes[bits == pattern])
            else:
                battle.retreat(members, lanes[bits == pattern])

    # -- riding over --------------------------------------------------------------------------

    def ride_over(self) -> None:
        """Over a square that is not the target and out on the other side, two hexes beyond (seed 002; 0-decisions 5.3)."""
        from sim.battle.charging import DONE_STEP, OVER, RIDE, STEPPING

        forces, charging = self.forces, self.charging
        top = charging.top
        while True:
            lanes = charging.at(RIDE)
            if not len(lanes):
                return
            acts = self._acts(lanes)
            if self.battle.journal is not None:
                self.battle.tell("38", charging.name, ("rides on", "rides onto the square", "rides off the square", "halts")[int(acts[0])])
            charging.go(lanes[acts == HALT], OVER)
            for act in (STEP, ONTO, OFF):
                charging.go(lanes[acts == act], STEPPING)
                self._shots(charging.at(STEPPING), act)
                there = charging.at(STEPPING)
                charging.go(there[~charging.in_order(there)], OVER)
                there = charging.at(STEPPING)
                cost = charging.each(there, self._straight_cost)
                if act == ONTO:
                    forces.note("came_from", top, there, forces.hex[top, there])
                charging.step(there, np.zeros(len(there), np.int64), cost)
                charging.go(there, DONE_STEP)
            charging.go(charging.at(DONE_STEP), RIDE)

    def _acts(self, lanes: Ids) -> Cases:
        forces, charging = self.forces, self.charging
        gap = charging.gap(lanes, charging.goal)
        crossed = forces.came_from[charging.top, lanes] > 0
        direction = forces.leads_in[charging.top, lanes]
        faces_it = charging.ahead(forces.hex[charging.top, lanes], direction) == forces.hex[charging.goal, lanes]
        price = charging.each(lanes, self._straight_cost)
        onto = ~crossed & faces_it & (charging.each(lanes, self._far_side) > 0)
        beyond = charging.each(lanes, self._far_cost)
        acts = np.where(gap == 0, OFF, STEP)
        acts = np.where(onto, ONTO, acts)
        blocked = (charging.each(lanes, self._free_ahead) == 0) & (acts != ONTO)
        poor = np.where(acts == ONTO, price + beyond, price) > charging.left(lanes)
        halts = blocked | poor | (crossed & (gap >= 2))
        return np.where(halts, HALT, acts)

    def _heading(self, one: Situation) -> int:
        return one.facings[self.charging.top] // 2

    def _straight_cost(self, one: Situation) -> int:
        return one.ground.cost(CAVALRY, one.hexes[self.charging.top], self._heading(one))

    def _free_ahead(self, one: Situation) -> bool:
        return passable(one, self.charging.stack, one.hexes[self.charging.top], self._heading(one))

    def _far_side(self, one: Situation) -> bool:
        return passable(one, self.charging.stack, neighbour(one.hexes[self.charging.top], self._heading(one)), self._heading(one))

    def _far_cost(self, one: Situation) -> int:
        return one.ground.cost(CAVALRY, along(one.hexes[self.charging.top], self._heading(one), 1), self._heading(one))

    def _shots(self, lanes: Ids, act: int) -> None:
        """The square shoots before the step onto it and before the step off it; on other steps others may, in whose zone it is left."""
        forces, charging = self.forces, self.charging
        if not len(lanes):
            return
        if act == STEP:
            charging.opportunity_fire(lanes, without=charging.goal)
            return
        square = np.stack([forces.hex[u, lanes] == forces.hex[charging.goal, lanes] for u in range(len(forces.units))])
        charging.firing.attack(charging.top, lanes, "28", only=square, again=True, through=True)


STEP, ONTO, OFF, HALT = range(4)
