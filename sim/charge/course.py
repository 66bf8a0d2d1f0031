"""The course of one charge: what was declared, its memory, and what every chapter of it asks.

Where the charge stands is a stage a lane. Every function takes the lanes at a stage, asks the dice at most
once, and leaves lanes at their next stages: after a roll they may have split, and are found again. Lanes do
not wait for each other, except for the steps of the march.

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sim.charge import told
from sim.charge.declaration import Declaration
from sim.charge.state import OVER, ChargeState, Chosen, Progress
from sim.combat.play import Play
from sim.ensemble.cases import Cases, first_of
from sim.ensemble.frames import Flag, Flags, Frame, Pending, Row, flag_per_lane, per_lane
from sim.ensemble.lanes import Ids
from sim.rules import charge as rules
from sim.units.chargefields import PLANS
from sim.units.orders import PRESS, RIDE_ON, SQUARE_PLANS
from sim.vocabulary import ARTILLERY, CAVALRY, GOOD, INFANTRY, Kind

Mask = NDArray[np.bool_]
Numbers = NDArray[np.integer]

_PLANS = {"square": SQUARE_PLANS} | {
    name: PLANS[name] for name in ("disordered", "no_target", "after_halt", "recalled")
}

_ONWARD = {"square": PRESS, "disordered": PRESS, "no_target": RIDE_ON}
"""The plan of a charger that may not halt."""


class Course:
    """One declared charge: in each lane the one that was declared there.

    Parameters
    ----------
    play
        The half it belongs to.
    declared
        Who charges whom, along which path, by which plan.

    Attributes
    ----------
    stack
        The regiments that were declared in some lane, in unit order.
    zone
        How near a charger must come to cavalry that reacts, by unit.
    """

    opportune = False
    """Whether it is a charge of opportunity (rule 40)."""
    progress: Progress
    waiting: Pending
    """Who failed with the target, and moves when the routers have left."""
    chosen: Chosen | None = None
    """What the charger has chosen on the way, where the charge is open."""

    def __init__(self, play: Play, declared: Declaration) -> None:
        self.play, self.defender, self.night = play, declared.defender, declared.night
        self.forces, self.book, self.switches = play.forces, play.book, play.switches
        self.survey, self.ensemble, self.log = play.survey, play.ensemble, play.log
        self.side, self.tries, self.reactors = declared.side, declared.tries, declared.reactors
        self.stack = np.flatnonzero(declared.stack.any(axis=1))
        forces, charge = self.forces, self.book.blocks.charge
        self.enemies: Mask = forces.side != self.side
        self.allowance = forces.movement + charge.bonus_movement
        light = forces.kind == Kind.LIGHT_CAVALRY
        self.cap = rules.turn_cap(light, bool(self.switches["facing_cap"]))
        zones = (int(self.switches[f"react_zone_{name}"]) for name in ("light", "heavy"))
        self.zone = np.where(light, *zones)
        self.numbers = np.arange(len(forces.units))
        self.has_carre = np.array([unit.multiples.get("square") is not None for unit in forces.units])
        self.recall_names = np.array([row.name if row else "" for row in forces.roster.recall_rows])
        self.routes, self.change = declared.routes, declared.change_to
        self.second, self.second_hex = declared.second, declared.second_hex
        self.plans = {
            name: np.array([codes.index(getattr(plan, name)) for plan in declared.plans])
            for name, codes in _PLANS.items()
        }
        self.open = declared.open
        self.preserves = np.array([plan.preserve for plan in declared.plans])
        self.state = ChargeState(self.ensemble)
        self._remember(declared)

    def _remember(self, declared: Declaration) -> None:
        """What differs from lane to lane."""
        state = self.state
        state.stack[:], state.of_hex[:] = declared.stack, declared.of_hex
        some, first = first_of(declared.stack)
        state.by[:], state.goal[:] = np.where(some, first, -1), declared.goal
        state.target_hex[:], state.plan[:], state.route[:] = declared.hex, declared.plan, declared.route

    @property
    def by(self) -> Row:
        """The first regiment that was declared, shape (lanes,): every decision of the charge is known by
        it."""
        return self.state.by

    # -- lanes --------------------------------------------------------------------------------

    def at(self, stage: int) -> Cases:
        """The leading regiments of the lanes at a stage."""
        return self.leading(self.progress.stage == stage)

    def leading(self, mask: Flag) -> Cases:
        """The leading regiments in the lanes of a mask."""
        return self.state.cases(mask, self.state.lead, self.by)

    def go(self, cases: Cases, stage: int) -> None:
        """Move lanes to a stage."""
        cases.fresh()
        self.progress.stage[cases.lane] = stage

    def any_at(self, stage: int) -> bool:
        """Whether there are lanes at a stage."""
        return bool((self.progress.stage == stage).any())

    # -- who rides ----------------------------------------------------------------------------

    def riding(self, lanes: Ids) -> Flags:
        """Where each regiment of the stack rides, in good order, shape (regiments, k)."""
        rides = self.state.rides[self.stack][:, lanes]
        return np.asarray(rides & (self.forces.state[self.stack][:, lanes] == GOOD))

    def riders(self) -> Flags:
        """Who rides, in good order, shape (units, lanes)."""
        return self.state.rides & (self.forces.state == GOOD)

    def lead(self) -> NDArray[np.int64]:
        """The first regiment that rides, -1 where nobody does, shape (lanes,)."""
        rides = self.state.rides[self.stack] & (self.forces.state[self.stack] == GOOD)
        anybody, first = first_of(rides)
        return np.where(anybody, self.stack[first], -1)

    def hand_over(self) -> None:
        """Where the lead no longer rides the next regiment leads on; where nobody does the charge is over
        (0-decisions 5.33)."""
        lead = self.lead()
        self.state.lead[:] = np.where(lead >= 0, lead, self.state.lead)
        self.progress.stage[lead < 0] = OVER

    def each_rider(self, cases: Cases) -> Iterator[tuple[Cases, Ids]]:
        """The regiments that ride, one after the other, and which of the cases theirs are."""
        riding = self.riding(cases.lane)
        for k, unit in enumerate(self.stack.tolist()):
            some = np.flatnonzero(riding[k])
            if len(some):
                yield cases.take(some).of(unit), some

    def left(self, cases: Cases) -> Numbers:
        """Movement points that the leading regiment has left, the extra ones of a charge included."""
        return self.allowance[cases.unit] - self.progress.points[cases.lane]

    def most_left(self, lanes: Ids) -> Numbers:
        """Movement points that the regiment with the most of them has left, of those that ride."""
        allowances = np.where(self.riding(lanes), self.allowance[self.stack][:, None], 0)
        return np.asarray(allowances.max(axis=0) - self.progress.points[lanes])

    def drop_off(self, cases: Cases, price: Numbers) -> Mask:
        """Regiments that cannot pay stay where they are, and the first that can leads.

        Returns where the lead is the same.
        """
        progress, behind = self.progress, False
        for rider, some in self.each_rider(cases):
            short = progress.points[rider.lane] + price[some] > self.allowance[rider.unit]
            if not short.any():
                continue
            behind, stays = True, rider.where(short)
            self.state.rides[stays.at] = False
            progress.behind[stays.at] = True
            progress.spent[stays.at] = progress.points[stays.lane]
            progress.touched[stays.at] = progress.contact[stays.lane]
            self.log(told.StaysBehind, stays, "37")
        if behind:
            self.hand_over()
        return np.asarray(self.state.lead[cases.lane] == cases.unit)

    # -- where things are ---------------------------------------------------------------------

    def here(self, cases: Cases) -> Numbers:
        """The hex of the charge."""
        return self.forces.hex[cases.at]

    def goal(self, cases: Cases) -> Cases:
        """The goals."""
        return cases.of(self.state.goal[cases.lane])

    def goal_hex(self, cases: Cases) -> Numbers:
        """The hex of the goals: of two that which is nearer to the charge, the one declared if both are."""
        goal, here, forces = self.goal(cases), self.here(cases), self.forces
        found = forces.nearer(goal, here)
        if not forces.spread:
            return found
        meant, distances = self.state.target_hex[cases.lane], forces.map.distances
        as_near = forces.stands_in(goal, meant) & (distances(meant, here) <= distances(found, here))
        return np.where(as_near, meant, found)

    def draw_together(self, units: Cases) -> None:
        """Units in two hexes come together in that nearer to the charge, its goal in the one it makes for."""
        if not self.forces.spread:
            return
        lead = units.of(self.state.lead[units.lane])
        own = units.unit == self.state.goal[units.lane]
        hexes = np.where(own, self.goal_hex(lead), self.forces.nearer(units, self.here(lead)))
        self.forces.close_up(units, hexes)

    def gap(self, cases: Cases) -> Numbers:
        """Hexes between the charge and its goal, 999 where that is gone."""
        return self.gap_to(cases, self.state.goal[cases.lane])

    def gaps(self, cases: Cases, units: Ids | None = None) -> Numbers:
        """Hexes between the charge and some units, or all, 999 where they are gone, shape (units, k)."""
        hexes = self.forces.hex[:, cases.lane] if units is None else self.forces.hex[units][:, cases.lane]
        forces, here = self.forces, self.here(cases)
        gaps = forces.map.distances(here, hexes)
        if forces.spread:
            other = forces.second[:, cases.lane] if units is None else forces.second[units][:, cases.lane]
            two = (other != forces.map.off).nonzero()
            gaps[two] = np.minimum(gaps[two], forces.map.distances(here[two[1]], other[two]))
        return gaps

    def gap_to(self, cases: Cases, units: Numbers) -> Numbers:
        """Hexes between the charge and a unit each, 999 where it is gone."""
        here = self.here(cases)
        return self.forces.map.distances(here, self.forces.nearer(cases.of(units), here))

    def in_hex(self, cases: Cases, arm: int, formation: int | None = None) -> Flags:
        """Units of an arm, and a formation, in the hex of the cases' units and of their side, themselves
        included, shape (units, k).

        Guns that nobody mans do not count.
        """
        forces = self.forces
        here = forces.standing(forces.hex[cases.at], cases.lane, forces.side[cases.unit])
        here &= (forces.arm == arm)[:, None]
        return here if formation is None else here & (forces.formation[:, cases.lane] == formation)

    def infantry_of(self, cases: Cases) -> Flags:
        """The infantry of the hex of a unit that is infantry."""
        return self.in_hex(cases, INFANTRY)

    def guns_of(self, cases: Cases, formation: int) -> Flags:
        """The batteries of a unit's hex, limbered or unlimbered."""
        return self.in_hex(cases, ARTILLERY, formation)

    def plan(self, name: str, lanes: Ids) -> Numbers:
        """What the charger's plan says, by its number in `units.orders`.

        Who was not recalled when he wanted to halt rides on as if it said press and ride on (docs/charge.md
        4.12).
        """
        found = self.plans[name][self.state.plan[lanes]]
        if self.chosen is not None and name in Chosen.layout:
            chosen: Numbers = getattr(self.chosen, name)[lanes]
            found = np.where(chosen >= 0, chosen, found)
        onward = _ONWARD.get(name)
        return found if onward is None else np.where(self.progress.halt_refused[lanes], onward, found)

    def response(self, units: Ids, lanes: Ids) -> Numbers:
        """How units answer, by their number in `units.orders`, shape (units, k)."""
        return self.defender.responses(units, lanes)

    # -- choices of an open charge ------------------------------------------------------------

    def choose(
        self,
        name: str,
        cases: Cases,
        options: Sequence[str],
        possible: Mask | None = None,
        known: Mapping[str, NDArray[np.generic]] | None = None,
    ) -> tuple[Cases, Ids]:
        """What a side chooses: every one of the options, in a lane of its own each (docs/charge.md 15).

        Parameters
        ----------
        cases
            The unit that it is about.
        options, possible
            Their names, and which there are, shape (options,); all by default.
        known
            What a policy is told by, besides the losses of both sides so far.

        Returns
        -------
        The cases that came of it, and the number of each one's option.
        """
        told = self._losses(cases.lane) | dict(known or {})
        there = np.ones(len(options), bool) if possible is None else possible
        return self.play.dice.choose(name, cases, options, np.tile(there, (len(cases), 1)), told)

    def choose_plan(
        self,
        name: str,
        cases: Cases,
        options: Sequence[str],
        possible: Mask | None = None,
        known: Mapping[str, NDArray[np.generic]] | None = None,
    ) -> Cases:
        """The charger chooses one of the options of its plan, and keeps to it."""
        assert self.chosen is not None
        cases, option = self.choose(name, cases, options, possible, known)
        getattr(self.chosen, name)[cases.lane] = option
        return cases

    def _losses(self, lanes: Ids) -> dict[str, NDArray[np.generic]]:
        """Increments that the charging stack and the hex that is charged have lost so far."""
        at_first = np.array([unit.increments for unit in self.forces.units])[:, None]
        lost = at_first - self.forces.increments[:, lanes]
        goal = self.state.of_hex[:, lanes] | (self.numbers[:, None] == self.state.goal[lanes])
        stack = self.state.stack[:, lanes]
        return {"charger lost": (lost * stack).sum(axis=0), "target lost": (lost * goal).sum(axis=0)}

    # -- moving -------------------------------------------------------------------------------

    def route(self, lanes: Ids) -> Numbers:
        """Which route the present leg follows."""
        return self.state.route[self.progress.leg[lanes], lanes]

    def route_length(self, lanes: Ids) -> NDArray[np.int64]:
        """How many turns are planned for the present leg."""
        return self.routes.lengths[self.route(lanes)]

    def planned_step(self, lanes: Ids) -> Numbers:
        """Which planned step comes next, from 0, counted from where it went another way."""
        return np.asarray(self.progress.steps[lanes] - self.progress.turned_at[lanes], np.int64)

    def price(self, cases: Cases, direction: Numbers) -> NDArray[np.int64]:
        """Points for cavalry to enter the next hex in a direction."""
        return self.survey.price(CAVALRY, self.here(cases), direction)

    def put(self, cases: Cases, to: Numbers, direction: Numbers) -> None:
        """Those who ride move into a hex, looking the way they came."""
        for rider, some in self.each_rider(cases):
            self.forces.place(rider, to[some], 2 * direction[some] + self.forces.corner(rider))


class _Turn(Frame):
    open: Flag = flag_per_lane("somebody may still act")
    first: Row = per_lane("number of the first unit that has not had its turn")


def in_order(course: Course, stage: int, units: Ids, may: Callable[[Cases], Flags]) -> Iterator[Cases]:
    """In each lane at a stage the next of some units that may act, in unit order, wave by wave; each has one
    turn.

    Who may, shape (units, k), is asked before every wave: what one does may move others, and lanes may split.
    """
    if not len(units):
        return
    with _Turn(course.ensemble) as turn:
        turn.open[:] = True
        while turn.open.any():
            cases = course.leading(turn.open & (course.progress.stage == stage))
            due = may(cases) & (units[:, None] >= turn.first[cases.lane])
            turn.open[:] = False
            some, first = first_of(due)
            cases = cases.where(some).of(units[first[some]])
            turn.open[cases.lane] = True
            turn.first[cases.lane] = cases.unit + 1
            if len(cases):
                yield cases
