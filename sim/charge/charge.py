"""A charge, from its declaration to where it ends (rules 37, 38, 39, 42; docs/charge.md 4).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import nullcontext

import numpy as np
import simpy

from sim.charge import STEP, contact, pursuit, rides, told
from sim.charge.attempts import offer_carre
from sim.charge.choices import settle_turned, take_effect
from sim.charge.course import Course, Mask
from sim.charge.declare import declare
from sim.charge.ending import end
from sim.charge.march import advance, ride_free, settle_step
from sim.charge.pursuit import NO_UNIT
from sim.charge.reactions import react
from sim.charge.recall import halt, halt_without_target
from sim.charge.state import AWAY, CONTACT, MARCH, OVER, RIDE, TURNED, WAITING, Chosen, Progress
from sim.combat.checks import check
from sim.ensemble.cases import first_of
from sim.ensemble.frames import Pending
from sim.vocabulary import GONE, GOOD


class Charge(Course):
    """One declared charge: a process that rides step by step."""

    def declare(self) -> None:
        """Before any charge moves: with `see_at_start` one whose goal is not in sight is not made
        (docs/charge.md 4.1, 4.2)."""
        state, forces, everywhere = self.state, self.forces, self.ensemble.all()
        state.after_halt[:] = self.plan("after_halt", everywhere)
        state.preserve[:] = self.preserves[state.plan]
        state.lead[:], state.made[:] = state.by, state.by >= 0
        if self.switches["see_at_start"]:
            cases = self.leading(state.made)
            goal = self.goal(cases)
            seen = self.survey.sees(cases.lane, self.here(cases), forces.hex[goal.at])
            state.made[cases.lane] = seen
            self.log(told.SeesNothing, cases.where(~seen), "37", goal=goal.unit[~seen])

    def ride(self, env: simpy.Environment) -> Generator[simpy.Event, object, None]:
        """Resolve the charge completely."""
        with (
            Progress(self.ensemble) as self.progress,
            Pending(self.ensemble) as self.waiting,
            Chosen(self.ensemble) if self.open else nullcontext() as self.chosen,
        ):
            self._set_out()
            while self._on_the_way():
                react(self)
                self._look_around()
                self._reach_goal()
                if self.any_at(MARCH):
                    self._march_on()
                    yield env.timeout(STEP)
            contact.resolve(self)
            end(self)
            self.chosen = None

    def _set_out(self) -> None:
        """Who rides, and at whom: who is left where the charge was declared; then perhaps a check
        (docs/charge.md 4.4, 14.3)."""
        state, forces, stack = self.state, self.forces, self.stack
        state.rides[stack] = state.stack[stack] & (forces.state[stack] == GOOD) & state.made
        any_left = self._find_target()
        lead = self.lead()
        state.lead[:] = lead
        state.made &= (lead >= 0) & any_left
        self._check_first()
        state.rides[:, ~state.made] = False
        cases = self.leading(state.made)
        for rider, _ in self.each_rider(cases):
            forces.half.charged[rider.at] = True
        self.progress.stage[cases.lane] = WAITING
        if self.survey.lumped:
            self.progress.heading[cases.lane] = forces.facing[cases.at] // 2
        else:
            ride_free(self, cases)
        left = self.route_length(cases.lane) - self.planned_step(cases.lane)
        self.progress.wait[cases.lane] = left.max(initial=0) - left
        self.log(told.Charges, cases, "37", goal=self.goal(cases).unit, points=self.allowance[cases.unit])

    def _find_target(self) -> Mask:
        """Who of the target's units is still in its hex, else who of them is left; returns where anybody
        is, shape (lanes,)."""
        state, forces = self.state, self.forces
        there = np.flatnonzero(state.of_hex.any(axis=1))
        declared = state.of_hex[there]
        left = declared & (forces.state[there] != GONE)
        left &= (forces.unmanned[there] == 0) & (forces.sheltered[there] == 0)
        at_home = (forces.hex[there] == state.target_hex) | (forces.second[there] == state.target_hex)
        in_place, first = first_of(left & at_home)
        any_left, other = first_of(np.where(left.any(axis=0), left, declared))
        found = np.where(any_left, there[np.where(in_place, first, other)], NO_UNIT)
        state.goal[:] = state.target[:] = found
        return np.asarray(left.any(axis=0))

    def _check_first(self) -> None:
        """Cavalry that must pass a check before it may charge (Leipzig special, LZ fb41)."""
        cases = self.leading(self.state.made)
        cases = cases.where(self.forces.roster.checks_first[cases.unit])
        cases, passed = check(self.play, "charge-check", cases, "37")
        self.state.made[cases.lane] = passed
        for rider, _ in self.each_rider(cases.where(~passed)):
            self.forces.half.stands[rider.at] = True

    def _on_the_way(self) -> bool:
        """Whether any lane is: those join the march whose planned way is as long as what the others have
        left of theirs."""
        progress, marches = self.progress, self.any_at(MARCH)
        waits = progress.stage == WAITING
        if waits.any():
            if not marches:
                progress.wait[waits] -= progress.wait[waits].min()
            progress.stage[waits & (progress.wait == 0)] = MARCH
            progress.wait[waits] -= 1
        return marches or self.any_at(MARCH)

    def _look_around(self) -> None:
        """Declarations, carrés, and what the charger makes of them; once more for those who turn another way
        here."""
        declare(self, MARCH)
        offer_carre(self, MARCH)
        take_effect(self)
        pursuit.after_attempt(self, MARCH)
        if self.any_at(TURNED):
            declare(self, TURNED)
            offer_carre(self, TURNED)
            pursuit.after_attempt(self, TURNED)
            settle_turned(self)

    def _reach_goal(self) -> None:
        """Where the charger has come next to its goal: what follows waits until nobody marches any more."""
        cases = self.at(MARCH)
        near = cases.where((self.gap(cases) <= 1) & (self.progress.leg[cases.lane] != AWAY))
        over = self.progress.over_square[near.lane]
        self.go(near.where(~over), CONTACT)
        self.go(near.where(over), RIDE)
        rides.over_goal(self)

    def _march_on(self) -> None:
        """One step of every lane on the march, opportunity fire first."""
        cases = self.at(MARCH)
        away = self.progress.leg[cases.lane] == AWAY
        halt(
            self,
            cases.where(away & (self.planned_step(cases.lane) >= self.route_length(cases.lane))),
            told.AWAY,
        )
        cases = self.at(MARCH)
        possible = settle_step(self, cases, self.state.goal[cases.lane])
        stuck = cases.where(~possible & (rides.squares_ahead(self, cases) == 0))
        self.go(stuck, OVER)
        self.log(told.Stuck, stuck, "37")
        halt_without_target(self)
        cases = self.at(MARCH)
        rides.begin(self, cases, rides.squares_ahead(self, cases))
        advance(self, MARCH, OVER)
        rides.go_on(self)
