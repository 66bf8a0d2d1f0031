"""Carré attempts against a charge, and what each result lets the charger do (rule 38, option 2; docs/charge.md section 5).

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.old.engine import Cases
from sim.old.lanes import Ids
from sim.rules import carre as rules
from sim.rulesets.modifiers import Applied, holds
from sim.vocabulary import (
    ARTILLERY,
    CAVALRY,
    DISORDERED,
    ELIMINATED,
    FORMATIONS,
    GENERAL_ORDER,
    GOOD,
    INFANTRY,
    LIMBERED,
    MASSE,
    ROUTED,
    SKIRMISH,
    SQUARE,
    UNLIMBERED,
)

if TYPE_CHECKING:
    from sim.old.charging import Charging

FORMED, SHAKEN, BROKEN = 1, 2, 3
"""What an attempt gave."""


class Attempts:
    """Carré attempts during one charge."""

    def __init__(self, charging: Charging) -> None:
        self.charging, self.battle, self.forces, self.book = (
            charging,
            charging.battle,
            charging.forces,
            charging.book,
        )

    def attempt(self, unit: int) -> None:
        """A unit whose response names the present distance tries to form square, once a charge."""
        from sim.old.charging import MARCH, TARGET

        forces, charging = self.forces, self.charging
        lanes = charging.at(MARCH)
        gap = charging.gap(lanes, unit)
        wants = (
            (forces.response[unit, lanes] == gap)
            & (gap >= 1)
            & (gap <= 4)
            & (forces.attempt[unit, lanes] == 0)
            & (forces.refused[unit, lanes] == 0)
        )
        wants &= forces.present(unit, lanes)
        lanes, gap = lanes[wants], gap[wants]
        if not len(lanes):
            return
        reason = self._refusal(unit, lanes, gap)
        forces.note("refused", unit, lanes, reason)
        lanes, gap = lanes[reason == 0], gap[reason == 0]
        if not len(lanes):
            self.battle.tell(
                "38", self.battle.name(unit), f"may not try carré: {rules.REFUSALS[int(reason[0])]}"
            )
            return
        forces.note("attempt_as_target", unit, lanes, forces.declared[unit, lanes] == TARGET)
        column, applied = self._column(unit, lanes, gap), self._modifiers(unit, lanes)
        kind = f"carre/{forces.units[unit].id}"
        asked = f"from {FORMATIONS[forces.formation[unit, lanes[0]]]}, column {int(column[0]) % 4 + 1}"
        lanes, result = self.battle.decide(
            kind, self.battle.name(unit), lanes, self.book.carre_chart, column, applied, "38", asked=asked
        )
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
        for one in book.barred:
            barred |= holds(one.when, known, len(lanes))
        men = self._increments(unit, lanes)
        reach = int(book.switches["night_range" if self.battle.orders.night else "carre_range"])
        seen = self.charging.in_view(unit, lanes)
        if book.switches["carre_sight"] == "adjacent":
            seen &= gap <= 1
        reasons = [
            (np.full(len(lanes), forces.arm[unit] != INFANTRY), rules.NOT_INFANTRY),
            (formation == SKIRMISH, rules.SKIRMISHING),
            (formation == SQUARE, rules.IN_SQUARE),
            (formation == GENERAL_ORDER, rules.IN_GENERAL_ORDER),
            (formation == MASSE, rules.IN_MASSE),
            (state != GOOD, rules.NOT_IN_ORDER),
            (no_row, rules.NO_ROW),
            (barred, rules.BARRED),
            (np.full(len(lanes), roster.multiples.get("square") is None), rules.NO_CARRE),
            (men < book.blocks.charge.min_carre_increments, rules.TOO_FEW),
            (gap > reach, rules.OUT_OF_RANGE),
            (~seen, rules.OUT_OF_SIGHT),
        ]
        return np.select([mask for mask, _ in reasons], [reason for _, reason in reasons], 0)

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
        rows = np.array([self.book.carre_row(roster.nation, name) or 0 for name in FORMATIONS])[
            forces.formation[unit, lanes]
        ]
        distances = np.asarray(gap, np.int64).copy()
        for row in np.unique(rows).tolist():
            if self.book.carre_points[row] and unit == self.charging.goal:
                chosen = rows == row
                distances[chosen] = self._points(lanes[chosen])
        return 4 * rows + np.minimum(distances, 4) - 1

    def _points(self, lanes: Ids) -> Cases:
        """Cost for the charger of riding on along its planned path into the target's hex (0-decisions 5.6)."""
        forces, charging = self.forces, self.charging
        survey, made = charging.survey, charging.planned_step(lanes)
        here, goal = forces.hex[charging.top, lanes], forces.hex[charging.goal, lanes]
        direction, costs = forces.leads_in[charging.top, lanes], np.zeros(len(lanes), np.int64)
        gone = (here == forces.map.off) | (goal == forces.map.off)
        for step, turn in enumerate(charging.order.path):
            rides = step >= made
            direction = (direction + turn * rides) % 6
            costs += rides * survey.price(CAVALRY, here, direction)
            here = np.where(rides, survey.ahead(here, direction), here)
        left = forces.map.distances(here, goal)
        costs += np.where(left == 1, survey.price(CAVALRY, here, survey.toward(here, goal)), left)
        return np.where(gone, 0, costs)

    def _modifiers(self, unit: int, lanes: Ids) -> Applied:
        known = self.forces.about("target", unit, lanes) | self.forces.about(
            "charger", self.charging.top, lanes
        )
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

    def guns(self, unit: int, lanes: Ids, formation: int) -> list[tuple[int, Ids]]:
        """Batteries in the hex, limbered or unlimbered."""
        forces = self.forces
        found = []
        for mate, there in forces.with_in_hex(unit, lanes):
            if forces.arm[mate] == ARTILLERY:
                found.append((mate, lanes[there & (forces.formation[mate, lanes] == formation)]))
        return found

    def abandon(self, guns: int, lanes: Ids) -> None:
        """Unlimbered guns whose infantry has broken are left without a crew (B21 p44; 0-decisions 5.26)."""
        self.forces.abandon(guns, lanes)
        if len(lanes):
            self.battle.tell("41", self.battle.name(guns), "is abandoned")

    def _formed(self, unit: int, lanes: Ids) -> None:
        forces = self.forces
        for foot, there in self.foot(unit, lanes):
            forces.form(foot, there, SQUARE)
        if len(lanes):
            self.battle.tell("38", self.battle.name(unit), "forms square")

    def _disordered(self, unit: int, lanes: Ids) -> None:
        forces, battle = self.forces, self.battle
        if not len(lanes):
            return
        abandoned = self.book.switches["guns_with_infantry"] == "abandoned"
        group = []
        for foot, there in self.foot(unit, lanes):
            forces.become(foot, there, DISORDERED)
            group.append(foot)
        for guns, there in self.guns(unit, lanes, UNLIMBERED):
            if abandoned:
                self.abandon(guns, there)
            else:
                forces.become(guns, there, DISORDERED)
        for guns, there in self.guns(unit, lanes, LIMBERED):
            forces.become(guns, there, DISORDERED)
            group.append(guns)
        battle.tell("38", battle.name(unit), "is disordered")
        target = forces.attempt_as_target[unit, lanes] == 1
        leaves = ~target | (self.book.switches["dd_target"] == "follows")
        self._leave(unit, lanes[leaves], group, rout=False)

    def _routed(self, unit: int, lanes: Ids) -> None:
        forces, battle, switches = self.forces, self.battle, self.book.switches
        if not len(lanes):
            return
        for guns, there in self.guns(unit, lanes, UNLIMBERED):
            if switches["guns_with_infantry"] == "abandoned":
                self.abandon(guns, there)
            else:
                forces.remove(guns, there, ELIMINATED)
        group = []
        for foot, there in self.foot(unit, lanes):
            forces.become(foot, there, ROUTED)
            group.append(foot)
        for guns, there in self.guns(unit, lanes, LIMBERED):
            forces.become(guns, there, ROUTED)
            group.append(guns)
        battle.tell("38", battle.name(unit), "routs")
        target = forces.attempt_as_target[unit, lanes] == 1
        pursuit = target & (switches["pgd_target"] == "pursuit")
        for member in group:
            together = forces.hex[member, lanes] == forces.hex[unit, lanes]
            forces.note("leaving", member, lanes[together & target & (switches["pgd_target"] != "stays")], 1)
        flees = ~target & (switches["pgd_bystander"] == "flees")
        self._leave(unit, lanes[flees | pursuit], group, rout=True)

    def _leave(self, unit: int, lanes: Ids, group: list[int], rout: bool) -> None:
        """Those of the hex move off together, one group for each make-up of the hex."""
        forces, battle = self.forces, self.battle
        bits = np.zeros(len(lanes), np.int64)
        for k, member in enumerate(group):
            together = (forces.hex[member, lanes] == forces.hex[unit, lanes]) & forces.present(member, lanes)
            together &= forces.formation[member, lanes] != UNLIMBERED
            bits |= together.astype(np.int64) << k
        for pattern in np.unique(bits).tolist():
            members = [member for k, member in enumerate(group) if pattern >> k & 1]
            if not members:
                continue
            if rout:
                battle.rout(members, lanes[bits == pattern])
            else:
                battle.retreat(members, lanes[bits == pattern])
