"""The rout of a charge's target: trample, recall, flight, follow or chase (rules 38, 42; seeds 001 and 002; docs/charge.md section 6).

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.old.attempts import BROKEN
from sim.old.engine import Cases, Mask
from sim.old.events import give_way
from sim.old.lanes import Ids
from sim.rules import charge as rules
from sim.units.orders import FOLLOW as FOLLOW_PLAN
from sim.units.orders import RIDE_ON, STOP, TRAMPLE

if TYPE_CHECKING:
    from sim.old.charging import Charging

NO_UNIT = -1


class Pursuit:
    """What one charge does with a target that routs."""

    def __init__(self, charging: Charging) -> None:
        self.charging, self.battle, self.forces = charging, charging.battle, charging.forces
        self.book, self.switches = charging.book, charging.switches
        self.top, self.goal = charging.top, charging.goal

    def enemies(self) -> list[int]:
        """Units of the other side, in unit order."""
        return [u for u in range(len(self.forces.units)) if self.forces.side[u] != self.forces.side[self.top]]

    def ride_down(self, lanes: Ids, victims: dict[int, Mask], loss: Cases) -> None:
        """Increments lost under the hooves, top unit first."""
        rest = np.array(loss, np.int64)
        for unit, there in victims.items():
            mine = there & self.forces.present(unit, lanes) & (rest > 0)
            rest[mine] -= self.forces.lose(unit, lanes[mine], rest[mine])

    def _leavers(self) -> list[int]:
        return [u for u in range(len(self.forces.units)) if self.forces.leaving[u, : self.forces.n].any()]

    def rout_of_target(self, lanes: Ids, trampled: bool = False) -> None:
        """Trample, recall, the routers' flight, follow or chase (seeds 001, 002; rules 38, 42).

        Parameters
        ----------
        trampled
            The trampling is already done.
        """
        from sim.old.charging import ROUTING

        forces, charging = self.forces, self.charging
        if not len(lanes):
            return
        if not trampled:
            forces.note("origin", self.goal, lanes, forces.hex[self.goal, lanes])
        if self.switches["trample"] == "first" and not trampled:
            self.trample(lanes[forces.recalled_plan[0, lanes] == TRAMPLE])
        charging.go(lanes, ROUTING)
        self._recall()
        lanes = charging.at(ROUTING)
        if self.switches["trample"] == "recalled" and not trampled:
            may = (forces.recalled[self.top, lanes] == 1) & (forces.recalled_plan[0, lanes] == TRAMPLE)
            self.trample(lanes[may])
        self.group_runs(charging.at(ROUTING))
        for unit in range(len(forces.units)):
            give_way(self.battle, unit)
        self._after_rout()

    def trample(self, lanes: Ids, points_mode: bool = False) -> None:
        """Ride down the routers before they leave: one increment for every two points left (skirmishers: perhaps two a point)."""
        forces = self.forces
        if not len(lanes):
            return
        points = self.book.blocks.charge.trample_points
        group = {u: (forces.leaving[u, lanes] == 1) & forces.present(u, lanes) for u in self._leavers()}
        strength = np.zeros(len(lanes), np.int64)
        for unit, there in group.items():
            strength += forces.increments[unit, lanes] * there
        left = self.charging.left(lanes)
        loss = (
            np.minimum(np.maximum(left, 0) * 2, strength)
            if points_mode
            else rules.trampled(left, strength, points)
        )
        self.battle.tell("38", self.charging.name, "tramples")
        self.ride_down(lanes, group, loss)
        forces.points[self.top, lanes] += ((loss + 1) // 2 if points_mode else loss * points).astype(np.int16)

    def _recall(self) -> None:
        from sim.old.charging import ROUTING

        lanes, recalled = self.recall_roll("recall", self.charging.at(ROUTING))
        self.forces.note("recalled", self.top, lanes, np.where(recalled, 1, 2))

    def recall_roll(self, name: str, lanes: Ids) -> tuple[Ids, Mask]:
        """One die on the recall chart (rule 42). Returns the lanes that came of it, and where the charger was recalled."""
        forces, charging = self.forces, self.charging
        unit = forces.units[self.top]
        row = self.book.recall_row(unit.nation, unit.type, unit.light(self.book.light_from))
        applied = self.book.recall_modifiers.apply(forces.about("charger", self.top, lanes), len(lanes))
        column = np.full(len(lanes), row.needs)
        kind = f"{name}/{charging.id}"
        lanes, result = self.battle.decide(
            kind,
            charging.name,
            lanes,
            self.book.recall_chart,
            column,
            applied,
            "42",
            asked=f"needs {row.needs} ({row.name})",
        )
        return lanes, result == 1

    def group_runs(self, lanes: Ids) -> None:
        """The routers make their rout move, those that leave together as one group."""
        forces = self.forces
        group = self._leavers()
        bits = np.zeros(len(lanes), np.int64)
        for k, unit in enumerate(group):
            bits |= ((forces.leaving[unit, lanes] == 1) & forces.present(unit, lanes)).astype(np.int64) << k
        for pattern in np.unique(bits[bits > 0]).tolist():
            members = [unit for k, unit in enumerate(group) if pattern >> k & 1]
            self.battle.rout(members, lanes[bits == pattern])

    def after_attempt(self) -> None:
        """2014: the target that routed at its attempt has fled; the recall roll decides whether the charger may pursue (F14)."""
        from sim.old.charging import MARCH, ROUTING

        forces, charging = self.forces, self.charging
        lanes = charging.at(MARCH)
        lanes = lanes[
            (forces.attempt[self.goal, lanes] == BROKEN) & (forces.attempt_as_target[self.goal, lanes] == 1)
        ]
        if not len(lanes):
            return
        charging.go(lanes, ROUTING)
        self._recall()
        self._after_rout(at_attempt=True)

    def take_over(self) -> None:
        """Go on with a follow or chase that another regiment led."""
        self._ride_after()
        self._who_is_near()

    def _follows(self, lanes: Ids, at_attempt: bool) -> Mask:
        """Where a recalled charger goes after the routers: its plan says so, and a passed pursuit roll (2014) leads only to what is within reach."""
        forces, no_target = self.forces, self.forces.no_target[0, lanes]
        follows = (no_target != STOP) if at_attempt else (forces.recalled_plan[0, lanes] == FOLLOW_PLAN)
        if self.switches["recall"] != "pursue" and not at_attempt:
            return follows
        near = np.zeros(len(lanes), bool)
        quarry = self._quarry(lanes)
        for unit in np.unique(quarry[quarry >= 0]).tolist():
            near[quarry == unit] = self.charging.choices.within_reach(
                lanes[quarry == unit], unit, seeking=True
            )
        return follows & (near | (at_attempt & (no_target == RIDE_ON)))

    def _after_rout(self, at_attempt: bool = False) -> None:
        """Follow or chase, and what is left to melee (docs/charge.md section 6).

        Parameters
        ----------
        at_attempt
            The target has fled at its carré attempt (2014): nothing is left to trample, and `no_target` says whether to pursue.
        """
        from sim.old.charging import FOLLOW, OVER, ROUTING

        forces, charging, top = self.forces, self.charging, self.top
        lanes = charging.at(ROUTING)
        recalled = forces.recalled[top, lanes] == 1
        chases = ~recalled & (self.switches["recall"] == "must")
        follows = recalled & self._follows(lanes, at_attempt)
        forces.note("bonus", top, lanes[recalled | chases], 0)
        forces.note("foe", top, lanes, 0)
        forces.note("unchecked", top, lanes, 0)
        forces.note("chasing", top, lanes[chases], 1)
        charging.go(lanes[~(follows | chases)], OVER)
        moving = lanes[follows | chases]
        charging.go(moving, FOLLOW)
        if self.battle.journal is not None and len(lanes):
            told = "is recalled" if recalled[0] else "is not recalled"
            self.battle.tell(
                "42",
                charging.name,
                told + (" and chases" if chases[0] else " and follows" if follows[0] else ""),
            )
        self._ride_after()
        self._who_is_near()

    def _ride_after(self) -> None:
        """Seek steps toward the routers until next to them, or, in a chase, next to any enemy that was not passed."""
        from sim.old.charging import FOLLOW, NO_STEP, OVER

        forces, charging, top = self.forces, self.charging, self.top
        while True:
            lanes = charging.at(FOLLOW)
            if not len(lanes):
                return
            quarry = self._quarry(lanes)
            close = np.zeros(len(lanes), bool)
            for unit in np.unique(quarry[quarry >= 0]).tolist():
                close |= (quarry == unit) & (charging.gap(lanes, unit) == 1)
            met = self._first_not_passed(lanes)
            caught = (forces.chasing[top, lanes] == 1) & (met >= 0)
            self._catch(lanes[caught], met[caught])
            charging.go(lanes[close | (quarry < 0) | caught], OVER)
            lanes = charging.at(FOLLOW)
            quarry = self._quarry(lanes)
            for unit in np.unique(quarry).tolist():
                mine = lanes[quarry == unit]
                charging.quarry = unit
                turns = charging.mean_step(mine)
                charging.go(mine[turns == NO_STEP], OVER)
            charging.quarry = self.goal
            charging.advance(FOLLOW)

    def _catch(self, lanes: Ids, units: Cases) -> None:
        """A chase ends at an enemy, which must be meleed."""
        forces, top = self.forces, self.top
        forces.note("foe", top, lanes, units + 1)
        forces.note("foe_hex", top, lanes, forces.hex[units, lanes])
        forces.note("compulsory", top, lanes, 1)

    def _quarry(self, lanes: Ids) -> Cases:
        """The first of the routers still on the map, -1 if there is none."""
        forces = self.forces
        found = np.full(len(lanes), NO_UNIT)
        for unit in reversed(self._leavers()):
            found[(forces.leaving[unit, lanes] == 1) & forces.present(unit, lanes)] = unit
        return found

    def _first_not_passed(self, lanes: Ids) -> Cases:
        """The enemy next to the charger that was not passed: a router before others, then in unit order; -1 if there is none."""
        from sim.old.charging import PASSED_BY

        forces = self.forces
        found = np.full(len(lanes), NO_UNIT)
        for router in (0, 1):
            for unit in reversed(self.enemies()):
                near = (
                    (self.charging.gap(lanes, unit) == 1)
                    & (forces.unmanned[unit, lanes] == 0)
                    & (forces.declared[unit, lanes] != PASSED_BY)
                )
                found[near & ((forces.leaving[unit, lanes] == 1) == bool(router))] = unit
        return found

    def _who_is_near(self) -> None:
        """After the flight: routers next to the charger may be meleed (must, by chasers), else what stayed in the hex, as the plan says."""
        from sim.old.charging import OVER

        forces, charging, top = self.forces, self.charging, self.top
        lanes = charging.at(OVER)
        lanes = lanes[
            (forces.recalled[top, lanes] > 0) & (forces.foe[top, lanes] == 0) & charging.in_order(lanes)
        ]
        found = np.zeros(len(lanes), np.int64)
        origin = forces.origin[self.goal, lanes]
        for unit in reversed(self.enemies()):
            near = (
                (charging.gap(lanes, unit) == 1)
                & (forces.hex[unit, lanes] == origin)
                & (forces.unmanned[unit, lanes] == 0)
            )
            found[near] = unit + 1
        routers = np.zeros(len(lanes), bool)
        for unit in reversed(self._leavers()):
            near = (
                (charging.gap(lanes, unit) == 1)
                & forces.present(unit, lanes)
                & (forces.leaving[unit, lanes] == 1)
            )
            found[near] = unit + 1
            routers |= near
        forces.note("foe", top, lanes, found)
        foes = np.maximum(found - 1, 0)
        forces.note("foe_hex", top, lanes, forces.hex[foes, lanes])
        forces.note("bonus", top, lanes[routers], 0)
        forces.note("compulsory", top, lanes, forces.chasing[top, lanes] == 1)
