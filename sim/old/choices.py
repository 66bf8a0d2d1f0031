"""What a charger may choose on its way: whether to charge at all, what to do after a square or broken unit that was not its target, when to halt.

docs/charge.md sections 4 and 5; seed 002; D N7, N21.1, N22.1.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.old.attempts import BROKEN, FORMED, SHAKEN
from sim.old.engine import Mask
from sim.old.lanes import Ids
from sim.old.survey import Way
from sim.units.orders import BREAK_OFF, RIDE_ON, RIDE_OVER, SECOND, STOP, TURN_AWAY

if TYPE_CHECKING:
    from sim.old.charging import Charging


class Choices:
    """The choices of one charger."""

    def __init__(self, charging: Charging) -> None:
        self.charging, self.battle, self.forces = charging, charging.battle, charging.forces
        self.switches = charging.switches
        self.top, self.goal = charging.top, charging.goal

    # -- before the charge ----------------------------------------------------------------------

    def sees_goal(self, lanes: Ids) -> Ids:
        """The lanes in which the charge is made: with `see_at_start`, those where the charger sees its goal from its first hex."""
        if not self.switches["see_at_start"] or not len(lanes):
            return lanes
        seen = self.charging.sees(self.goal, lanes)
        if not seen.all():
            self.battle.tell(
                "37", self.charging.name, f"does not see {self.battle.name(self.goal)} and stays where it is"
            )
        return lanes[seen]

    # -- after an attempt that was not a target's -------------------------------------------------

    def take_effect(self) -> None:
        """After all attempts of a step: the plan against a goal that tried before it was the target; 2014, the pursuit of one that was."""
        from sim.old.charging import AWAY, MARCH, TO_SECOND

        forces, charging, top, goal = self.forces, self.charging, self.top, self.goal
        lanes = charging.at(MARCH)
        lanes = lanes[
            (forces.attempt[goal, lanes] > 0)
            & (forces.attempt_as_target[goal, lanes] == 0)
            & (forces.riding[top, lanes] == 0)
        ]
        if len(lanes) and not charging.turned:
            plan = np.where(
                forces.attempt[goal, lanes] == FORMED,
                forces.square_plan[0, lanes],
                forces.disordered_plan[0, lanes],
            )
            for choice, node in ((SECOND, TO_SECOND), (TURN_AWAY, AWAY)):
                charging.go(lanes[plan == choice], node)
            forces.note("riding", top, lanes[plan == RIDE_OVER], 1)
            self._tell(int(plan[0]))
            self.halt(lanes[plan == BREAK_OFF], "breaks off")
        if self.switches["pgd_target"] == "pursuit":
            charging.pursuit.after_attempt()

    def _tell(self, plan: int) -> None:
        if self.battle.journal is None:
            return
        second = self.charging.order.second
        told = {TURN_AWAY: "turns away", RIDE_OVER: "will ride over the square"}
        if second is not None:
            told[SECOND] = f"turns to {self.battle.name(second)}"
        if plan in told:
            self.battle.tell("38", self.charging.name, told[plan])

    # -- halting ----------------------------------------------------------------------------------

    def without_target(self) -> None:
        """A charger without a declared target may halt, as its plan's `no_target` says (D N7; 0-decisions 5.35)."""
        from sim.old.charging import MARCH, PASSED_BY, TARGET

        forces, top, goal = self.forces, self.top, self.goal
        lanes = self.charging.at(MARCH)
        lanes = lanes[forces.declared[goal, lanes] != TARGET]
        lanes = lanes[(forces.no_target[0, lanes] != RIDE_ON) & (forces.halting[top, lanes] == 0)]
        if not len(lanes):
            return
        broken = np.isin(forces.attempt[goal, lanes], (SHAKEN, BROKEN)) & (
            forces.attempt_as_target[goal, lanes] == 0
        )
        passed = (forces.declared[goal, lanes] == PASSED_BY) & (forces.riding[top, lanes] == 0)
        stops = (forces.no_target[0, lanes] == STOP) & (broken | passed)
        far = ~stops
        far[far] = ~self.within_reach(lanes[far], goal)
        self.halt(
            lanes[stops | far], "has no target" if stops.any() else f"cannot reach {self.battle.name(goal)}"
        )

    def within_reach(self, lanes: Ids, unit: int, seeking: bool = False) -> Mask:
        """Where the charge would come next to a unit within its points if nobody else moved; `seeking`: its planned turns no longer count."""
        return self.charging.survey.within_reach(self.charging.stack, lanes, self.way(lanes, unit, seeking))

    def way(self, lanes: Ids, unit: int, seeking: bool = False) -> Way:
        """The charge as it stands and means to go on toward a unit."""
        forces, charging, order, top = self.forces, self.charging, self.charging.order, self.top
        rides = (forces.square_plan[0, lanes] == RIDE_OVER) & (not seeking)
        planned = charging.planned(lanes) & (not seeking)
        facts = [
            unit,
            forces.leads_in[top, lanes],
            charging.most_left(lanes),
            forces.steps[top, lanes],
            forces.formation[top, lanes],
        ]
        facts += [
            rides,
            forces.riding[top, lanes],
            charging.planned_step(lanes) * planned,
            len(order.path) * planned,
        ]
        costs = int(self.switches["facing_cost"]), int(self.switches["formation_cost"])
        return Way(facts, order.path, order.change_to, charging.cap, *costs)

    def halt(self, lanes: Ids, told: str) -> None:
        """The charger halts of its own will; with `halting: recall` (2014) only if it is recalled, by one roll a charge (F14)."""
        from sim.old.charging import HALTING, MARCH, OVER

        forces, charging, top = self.forces, self.charging, self.top
        lanes = lanes[forces.halting[top, lanes] == 0]
        if not len(lanes):
            return
        self.battle.tell(
            "37",
            charging.name,
            told + (" and halts" if self.switches["halting"] == "free" else " and would halt"),
        )
        if self.switches["halting"] == "free":
            charging.go(lanes, OVER)
            return
        charging.go(lanes, HALTING)
        lanes, recalled = charging.pursuit.recall_roll("halt", lanes)
        charging.go(lanes[recalled], OVER)
        charging.go(lanes[~recalled], MARCH)
        forces.note("halting", top, lanes[~recalled], 1)
        self.battle.tell(
            "42", charging.name, "is recalled and halts" if recalled[0] else "is not recalled and rides on"
        )
