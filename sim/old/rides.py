"""Riding over squares that are not the target of the charge (seed 002; 0-decisions 5.3; docs/charge.md section 3).

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.old.engine import Cases, Mask
from sim.old.lanes import Ids
from sim.units.orders import RIDE_OVER
from sim.vocabulary import CAVALRY

if TYPE_CHECKING:
    from sim.old.charging import Charging


class Rides:
    """One charge over squares in its way."""

    def __init__(self, charging: Charging) -> None:
        self.charging, self.battle, self.forces = charging, charging.battle, charging.forces
        self.survey, self.top, self.goal = charging.survey, charging.top, charging.goal

    def ahead(self, lanes: Ids, to_goal: bool = False) -> Cases:
        """Squares in a row that the next steps lead over, 0 for none."""
        found = np.zeros(len(lanes), np.int64)
        meant = self.forces.square_plan[0, lanes] == RIDE_OVER
        if not meant.any():
            return found
        rides = lanes[meant]
        found[meant] = self.survey.ride_length(
            self.charging.stack, rides, self.charging.choices.way(rides, self.goal), to_goal
        )
        return found

    def over_goal(self) -> None:
        """Next to the goal's square: over it if it is straight ahead, or the charge halts there."""
        from sim.old.charging import OVER, RIDE

        lanes = self.charging.at(RIDE)
        if not len(lanes):
            return
        self.charging.go(lanes, OVER)
        self.begin(lanes, self.ahead(lanes, to_goal=True))
        self.go_on()

    def begin(self, lanes: Ids, squares: Cases) -> None:
        """Where there are squares to ride over, the charge is from now on bound to these steps; regiments that cannot pay them all stay behind."""
        from sim.old.charging import RIDE_BEGUN, STEPPING

        there, steps = lanes[squares > 0], squares[squares > 0] + 1
        self.forces.note("ride_left", self.top, there, steps)
        self.charging.go(there, STEPPING)
        self.charging.drop_off(there, self._whole_price(there, steps), RIDE_BEGUN)

    def _whole_price(self, lanes: Ids, steps: Cases) -> Cases:
        """Points for so many steps straight ahead."""
        price, at, heading = (
            np.zeros(len(lanes), np.int64),
            self.forces.hex[self.top, lanes],
            self._heading(lanes),
        )
        for made in range(steps.max(initial=0)):
            price += (made < steps) * self.survey.price(CAVALRY, at, heading)
            at = self.survey.ahead(at, heading)
        return price

    def go_on(self) -> None:
        """The steps over squares and off them. Each square shoots twice: before the step onto it and before the step off it."""
        from sim.old.charging import RIDE_UNDER_FIRE, STEPPING

        forces, charging, top = self.forces, self.charging, self.top
        while len(charging.at(STEPPING)):
            lanes = charging.at(STEPPING)
            self._shot(lanes, forces.hex[top, lanes])
            charging.part(STEPPING, RIDE_UNDER_FIRE)
            self._step_onto()

    def under_fire(self) -> None:
        """Go on after the shot of the square that is left."""
        self._step_onto()
        self.go_on()

    def step(self) -> None:
        """Go on after all shots at a step."""
        self._make_step()
        self.go_on()

    def _step_onto(self) -> None:
        """The square ahead shoots, if there is one, and the step is made."""
        from sim.old.charging import RIDE_STEP, STEPPING

        forces, charging, top = self.forces, self.charging, self.top
        lanes = charging.at(STEPPING)
        lanes = lanes[forces.ride_left[top, lanes] > 1]
        if len(lanes):
            self.battle.tell("38", charging.name, "rides onto the square")
        self._shot(lanes, self.survey.ahead(forces.hex[top, lanes], forces.leads_in[top, lanes]))
        charging.part(STEPPING, RIDE_STEP)
        self._make_step()

    def _make_step(self) -> None:
        from sim.old.charging import STEPPING

        forces, charging, top = self.forces, self.charging, self.top
        lanes = charging.at(STEPPING)
        if len(lanes) and forces.ride_left[top, lanes[0]] == 1:
            self.battle.tell("38", charging.name, "rides off the square")
        charging.step(lanes, np.zeros(len(lanes), np.int64), self._price(lanes), riding_over=True)
        forces.ride_left[top, lanes] -= 1
        for unit in range(len(forces.units)):
            if forces.side[unit] != forces.side[top]:
                forces.note("ridden", unit, lanes[forces.hex[unit, lanes] == forces.hex[top, lanes]], 1)
        self._come_off(lanes[forces.ride_left[top, lanes] == 0])

    def _come_off(self, lanes: Ids) -> None:
        """Off the last square: over the goal's it is the end, one hex on if it can; otherwise the march goes on."""
        from sim.old.charging import LAST_STEP, MARCH, OVER

        forces, charging = self.forces, self.charging
        done = forces.ridden[self.goal, lanes] == 1
        charging.go(lanes[~done], MARCH)
        lanes = lanes[done]
        free = self._free(lanes)
        price = self._price(lanes)
        free &= price <= charging.most_left(lanes)
        charging.go(lanes, OVER)
        charging.mean(lanes, np.zeros(len(lanes), np.int64), price)
        charging.step(
            lanes[free], np.zeros(int(free.sum()), np.int64), price[free], riding_over=True, kind=LAST_STEP
        )

    def _free(self, lanes: Ids) -> Mask:
        return self.survey.passable(self.charging.stack, lanes, self._heading(lanes))

    def _heading(self, lanes: Ids) -> Cases:
        return self.forces.facing[self.top, lanes] // 2

    def _price(self, lanes: Ids) -> Cases:
        return self.survey.price(CAVALRY, self.forces.hex[self.top, lanes], self._heading(lanes))

    def _shot(self, lanes: Ids, at: Cases) -> None:
        """The square on a hex shoots, as through one hexside."""
        forces = self.forces
        square = np.stack(
            [
                (forces.hex[u, lanes] == at) & (forces.side[u] != forces.side[self.top])
                for u in range(len(forces.units))
            ]
        )
        some = square.any(axis=0)
        self.charging.firing.attack(
            self.top, lanes[some], "28", only=square[:, some], again=True, at=self.charging.id, through=True
        )
