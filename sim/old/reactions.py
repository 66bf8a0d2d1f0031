"""Reaction charges of the other side's cavalry (rule 39; docs/charge.md section 4).

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.board.march import NO_TURN
from sim.old.engine import Cases, Mask, Process
from sim.old.lanes import Ids
from sim.rulesets.conditions import code
from sim.units.orders import RESPONSE_CODES
from sim.vocabulary import CAVALRY, EXHAUSTED, GOOD, Kind

if TYPE_CHECKING:
    from sim.old.charging import Charging

TRIED, REACTING, MET = 1, 2, 3


class Reactions:
    """Reaction charges against one charge."""

    def __init__(self, charging: Charging) -> None:
        self.charging, self.battle, self.forces = charging, charging.battle, charging.forces
        self.book, self.switches = charging.book, charging.switches
        self.survey, self.top, self.goal = charging.survey, charging.top, charging.goal

    def play(self) -> Process:
        """Each reactor in turn, at the hex that the charge has come to."""
        from sim.old.charging import MARCH

        for unit in self.battle.orders.charges[0].reactors:
            if len(self.charging.at(MARCH)):
                yield from self.battle.call(unit, self._react)

    def _react(self, unit: int) -> None:
        """A reaction charge (39): first bound on a passed check, then a step for each step of the charger."""
        from sim.old.charging import MARCH

        forces = self.forces
        lanes = self.charging.at(MARCH)
        self._approach(unit, lanes[forces.reacting[unit, lanes] == REACTING], 1)
        lanes = self.charging.at(MARCH)
        lanes = lanes[
            (forces.reacting[unit, lanes] == 0) & (forces.response[unit, lanes] == RESPONSE_CODES["react"])
        ]
        lanes = lanes[(forces.state[unit, lanes] == GOOD) & (forces.readiness[unit, lanes] < EXHAUSTED)]
        light = int(forces.kind[unit]) == Kind.LIGHT_CAVALRY
        size = "light" if light else "heavy"
        zone = int(self.switches[f"react_zone_{size}"])
        near = (self.charging.gap(lanes, unit) <= zone) & (self.charging.in_view(unit, lanes))
        lanes = lanes[near]
        lanes, passed = self.battle.check(f"react/{forces.units[unit].id}", unit, lanes, "39")
        forces.note("reacting", unit, lanes, np.where(passed, REACTING, TRIED))
        if len(lanes):
            self.battle.tell("39", self.battle.name(unit), "reacts" if passed[0] else "stands where it is")
        self._approach(unit, lanes[passed], int(self.switches[f"react_bound_{size}"]))

    def _approach(self, unit: int, lanes: Ids, steps: int) -> None:
        """Move a reactor toward the charger until it is next to it; then both charges end."""
        forces = self.forces
        for count in range(steps + 1):
            close = self.charging.gap(lanes, unit) <= 1
            self._meet(unit, lanes[close])
            lanes = lanes[~close]
            if count == steps or not len(lanes):
                return
            group = self._reacting_group(unit, lanes)
            slowest = np.min([np.where(there, forces.movement[u], 99) for u, there in group.items()], axis=0)
            allowance = slowest + self.book.blocks.charge.bonus_movement
            heading, cap = forces.facing[unit, lanes] // 2, self.charging.turn_cap(unit)
            turns = self.survey.next_turn((unit,), lanes, heading, NO_TURN, forces.hex[self.top, lanes], cap)
            direction = (heading + turns) % 6
            to = self.survey.ahead(forces.hex[unit, lanes], direction)
            price = self._hex_price(to) + int(self.switches["facing_cost"]) * np.abs(turns)
            goes = (turns != NO_TURN) & (forces.points[unit, lanes] + price <= allowance)
            forces.points[unit, lanes[goes]] += price[goes].astype(np.int16)
            for u, there in group.items():
                mine = goes & there
                corner = self.book.corner_facing[forces.kind[u], forces.formation[u, lanes[mine]]]
                forces.place(u, lanes[mine], to[mine], 2 * direction[mine] + corner)
            lanes = lanes[goes]

    def _reacting_group(self, unit: int, lanes: Ids) -> dict[int, Mask]:
        """A reactor, and the good-order cavalry of the target's stack that reacts with its top unit."""
        forces = self.forces
        group = {unit: np.ones(len(lanes), bool)}
        if unit == self.goal:
            for u in self.charging.order.hex_units:
                if u != unit and forces.arm[u] == CAVALRY:
                    group[u] = (forces.hex[u, lanes] == forces.hex[unit, lanes]) & (
                        forces.state[u, lanes] == GOOD
                    )
        return group

    def _hex_price(self, to: Cases) -> Cases:
        """Points for the hexes entered; their hexsides cost a reactor nothing (docs/charge.md 4.7)."""
        price = np.zeros(len(to), np.int64)
        for name, costs in self.book.terrain_costs.items():
            price[self.forces.terrain[to] == code(name)] = costs[CAVALRY]
        return price

    def _meet(self, unit: int, lanes: Ids) -> None:
        from sim.old.charging import OVER

        forces = self.forces
        for u, there in self._reacting_group(unit, lanes).items():
            forces.note("reacting", u, lanes[there], MET)
        forces.note("contact", self.top, lanes, 1)
        forces.note("foe", self.top, lanes, unit + 1)
        forces.note("bonus", self.top, lanes, 0)
        forces.note("compulsory", self.top, lanes, 1)
        self.charging.go(lanes, OVER)
        if len(lanes):
            self.battle.tell("39", self.battle.name(unit), "meets the charge: both stop")
