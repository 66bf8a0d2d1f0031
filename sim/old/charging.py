"""A charge, from its declaration to where it ends (rules 37, 38, 39, 42; docs/charge.md sections 3 to 6).

Where a charge stands in each lane is its `node`; every function finds its lanes by node, asks the dice at most once, and
leaves the lanes at their next nodes.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.board.march import LINE_FIRST, NO_TURN
from sim.old.attempts import Attempts
from sim.old.choices import Choices
from sim.old.contact import Contact
from sim.old.ending import guns_left_behind, rout_without_contact
from sim.old.engine import Battle, Cases, Mask, Process
from sim.old.firing import Firing
from sim.old.lanes import Ids
from sim.old.pursuit import Pursuit
from sim.old.reactions import Reactions
from sim.old.rides import Rides
from sim.rules import charge as rules
from sim.rulesets.rulebook import PROHIBITED
from sim.units.orders import ChargeOrder
from sim.vocabulary import CAVALRY, FRONT, GOOD, LINE, ROUTED, SQUARE, Kind

(
    MARCH,
    CONTACT,
    RIDE,
    STEPPING,
    STANDING,
    ROUTING,
    FOLLOW,
    LEADERLESS,
    RESUMING,
    HALTING,
    TO_SECOND,
    AWAY,
    OVER,
) = range(1, 14)
TARGET, PASSED_BY = 1, 2
NO_STEP, NO_PRICE = 9, 9_999
ANEW, STEP, LAST_STEP, ONTO, INTO_GUNS, BESIDE, RIDE_BEGUN, RIDE_UNDER_FIRE, RIDE_STEP = range(9)
"""What a charge was about to do when its top regiment was lost, routed or dropped off: the next one goes on with it."""

LED_ON = (
    *(
        "points",
        "leads_in",
        "straight",
        "steps",
        "step_turn",
        "step_price",
        "contact",
        "recalled",
        "chasing",
        "riding",
        "ride_left",
    ),
    *("halting", "turned_at", "aim", "foe", "foe_hex", "bonus", "unchecked", "bounced", "resume"),
)
"""Facts of a charge that go over to the regiment that leads on."""


class Charging:
    """One declared charge.

    Parameters
    ----------
    battle
        The battle.
    order
        Who charges whom, and along which path.
    """

    turned = False
    """Whether it has gone another way than to its first goal: it does so once."""

    def __init__(self, battle: Battle, order: ChargeOrder) -> None:
        self.battle, self.order = battle, order
        self.forces, self.book, self.switches = battle.forces, battle.book, battle.switches
        self.survey = battle.forces.survey
        self.stack, self.top, self.goal = order.stack, order.stack[0], order.goal
        self.firing = Firing(battle)
        self.attempts = Attempts(self)
        self.choices = Choices(self)
        self.rides = Rides(self)
        self.reactions = Reactions(self)
        self.pursuit = Pursuit(self)
        self.contact = Contact(self)
        forces = self.forces
        self.allowances = {
            u: int(forces.movement[u]) + self.book.blocks.charge.bonus_movement for u in self.stack
        }
        self.cap = self.turn_cap(self.top)
        self.name = battle.name(self.top)
        self.id = next(
            forces.units[charge.stack[0]].id for charge in battle.orders.charges if self.top in charge.stack
        )
        self.goal_hex = forces.map.number(order.at)
        self.quarry = self.goal

    def turn_cap(self, unit: int) -> int:
        """Hexsides a unit may turn before a step: with `facing_cap`, 2 for light and 1 for heavy cavalry."""
        if not self.switches["facing_cap"]:
            return 3
        return 2 if int(self.forces.kind[unit]) == Kind.LIGHT_CAVALRY else 1

    # -- lanes --------------------------------------------------------------------------------

    def at(self, node: int) -> Ids:
        """The lanes where the charge stands at a node."""
        return np.flatnonzero(self.forces.node[self.top, : self.forces.n] == node)

    def go(self, lanes: Ids, node: int) -> None:
        """Move lanes to a node."""
        self.forces.note("node", self.top, lanes, node)

    def in_order(self, lanes: Ids) -> Mask:
        """Where the top unit of the stack is in good order."""
        return self.forces.state[self.top, lanes] == GOOD

    def left(self, lanes: Ids) -> Cases:
        """Movement points that the top regiment has left, the extra ones of a charge included."""
        return self.allowances[self.top] - self.forces.points[self.top, lanes]

    def most_left(self, lanes: Ids) -> Cases:
        """Movement points that the regiment with the most of them has left, of those that ride."""
        if len(self.stack) == 1:
            return self.left(lanes)
        riding = self.mounted(lanes)
        return (
            np.max([np.where(riding[u], points, 0) for u, points in self.allowances.items()], axis=0)
            - self.forces.points[self.top, lanes]
        )

    def gap(self, lanes: Ids, unit: int) -> Cases:
        """Hexes between the charger and a unit, 999 if it is gone."""
        return self.forces.map.distances(self.forces.hex[self.top, lanes], self.forces.hex[unit, lanes])

    # -- the march ----------------------------------------------------------------------------

    def play(self) -> Process:
        """Resolve the charge completely."""
        battle, forces = self.battle, self.forces
        lanes = self.choices.sees_goal(np.flatnonzero(self.in_order(forces.all())))
        lanes = self._precheck(lanes)
        self.go(lanes, MARCH)
        for unit in self.stack:
            forces.note("charged", unit, lanes, 1)
            forces.note("with_charge", unit, lanes, 1)
        battle.tell("37", self.name, f"charges {battle.name(self.goal)}, {self.allowances[self.top]} points")
        yield from self.ride_on()
        rout_without_contact(self)
        guns_left_behind(self)

    def ride_on(self, reacts: bool = True) -> Process:
        """March, and all that comes of it; then the next regiment of the stack goes on where the top one no longer rides.

        Parameters
        ----------
        reacts
            Reactions are called at the first hex (not where it has only chosen another way there).
        """
        battle = self.battle
        while True:
            if reacts:
                yield from self.reactions.play()
            reacts = True
            self._declare()
            yield from self._offer_carre()
            self.choices.take_effect()
            self._reached()
            self.contact.resolve()
            if not len(self.at(MARCH)):
                break
            self._march_on()
            yield battle.env.timeout(0.01)
        below = self.below()
        if below is not None and self._hand_over(below):
            yield from below.ride_on()
        yield from self._other_ways()

    def _other_ways(self) -> Process:
        """The charge goes on where it turned to another unit, or away (seed 002)."""
        from sim.old.away import TurningAway

        order, second = self.order, self.order.second
        lanes = self.at(TO_SECOND)
        if len(lanes) and second is not None and order.second_at is not None:
            self.forces.note("aim", self.top, lanes, second + 1)
            turned = replace(
                order, goal=second, hex_units=(second,), path=order.second_path, at=order.second_at
            )
            yield from TurnedTo(self.battle, turned).go_from(lanes)
        lanes = self.at(AWAY)
        if len(lanes):
            yield from TurningAway(self.battle, order).go_from(lanes)

    def go_from(self, lanes: Ids) -> Process:
        """Go on from where another leg of the same charge ended."""
        self.forces.note("turned_at", self.top, lanes, self.forces.steps[self.top, lanes])
        self.go(lanes, MARCH)
        yield from self.ride_on(reacts=False)

    def below(self) -> Charging | None:
        """The same charge, led by the next regiment of the stack."""
        if len(self.stack) < 2:
            return None
        return type(self)(self.battle, replace(self.order, stack=self.stack[1:]))

    def _hand_over(self, below: Charging) -> bool:
        """Give the charge to the next regiment in the lanes in which the top one no longer rides (0-decisions 5.33)."""
        forces, lanes = self.forces, self.at(LEADERLESS)
        for name in LED_ON:
            rows = getattr(forces, name)
            rows[below.top, lanes] = rows[self.top, lanes]
        for name in ("foe", "chasing"):
            forces.note(name, self.top, lanes, 0)
        self.go(lanes, OVER)
        leads = below.mounted(lanes)[below.top]
        below.go(lanes[leads], RESUMING)
        below.go(lanes[~leads], LEADERLESS)
        below.resume()
        return len(lanes) > 0

    def resume(self) -> None:
        """Go on with what the regiment above was about to do; what is asked and shot at for it is over."""
        contact, rides, pursuit = self.contact, self.rides, self.pursuit
        for kind, node, go_on in (
            (STEP, MARCH, self.make_step),
            (LAST_STEP, OVER, self.make_step),
            (ONTO, STEPPING, contact.step_onto),
            (INTO_GUNS, STEPPING, contact.step_into_guns),
            (RIDE_BEGUN, STEPPING, rides.go_on),
            (RIDE_UNDER_FIRE, STEPPING, rides.under_fire),
            (RIDE_STEP, STEPPING, rides.step),
        ):
            lanes = self.at(RESUMING)
            lanes = lanes[self.forces.resume[self.top, lanes] == kind]
            self.go(lanes, node)
            if kind == STEP:
                self.go(lanes[self.forces.recalled[self.top, lanes] > 0], FOLLOW)
            if len(lanes):
                go_on(*((lanes,) if kind in (STEP, LAST_STEP) else ()))
        lanes = self.at(RESUMING)
        self.go(lanes, MARCH)
        self.go(lanes[self.forces.resume[self.top, lanes] == BESIDE], CONTACT)
        pursuit.take_over()

    def part(self, node: int, kind: int = ANEW) -> Ids:
        """Lanes at a node in which the top charger no longer rides are left to the next regiment, which goes on from there. Returns the others."""
        lanes = self.at(node)
        leads = self.mounted(lanes)[self.top]
        self.forces.note("resume", self.top, lanes[~leads], kind)
        self.go(lanes[~leads], LEADERLESS)
        return lanes[leads]

    def drop_off(self, lanes: Ids, price: Cases, kind: int) -> Mask:
        """Regiments that cannot pay stay where they are. Returns where the top one rides on, shape (k,)."""
        forces, stays = self.forces, np.zeros(len(lanes), bool)
        for unit, riding in self.mounted(lanes).items():
            short = riding & (forces.points[self.top, lanes] + price > self.allowances[unit])
            there = lanes[short]
            if not len(there):
                continue
            forces.note("with_charge", unit, there, 0)
            for name in ("points", "contact"):
                rows = getattr(forces, name)
                rows[unit, there] = rows[self.top, there]
            self.battle.tell("37", self.battle.name(unit), "has no points left and stays behind")
            stays |= short if unit == self.top else False
        forces.note("resume", self.top, lanes[stays], kind)
        self.go(lanes[stays], LEADERLESS)
        return ~stays

    def _precheck(self, lanes: Ids) -> Ids:
        """Cavalry that must pass a check before it may charge (Leipzig special, LZ fb41)."""
        nation = self.forces.units[self.top].nation
        if nation not in self.book.blocks.charge.check_nations:
            return lanes
        lanes, passed = self.battle.check(
            f"charge-check/{self.forces.units[self.top].id}", self.top, lanes, "37"
        )
        return lanes[passed]

    def mounted(self, lanes: Ids) -> dict[int, Mask]:
        """Where each regiment rides with the charge, in good order."""
        return self.forces.mounted(self.stack, lanes)

    # -- interrupts ---------------------------------------------------------------------------

    def in_view(self, unit: int, lanes: Ids) -> Mask:
        """Where a unit sees the charger through a front hexside."""
        return self.survey.in_view(unit, lanes, self.forces.hex[self.top, lanes])

    def sees(self, unit: int, lanes: Ids) -> Mask:
        """Where there is sight between the charger and a unit."""
        return self.survey.sees(lanes, self.forces.hex[self.top, lanes], self.forces.hex[unit, lanes])

    def _declare(self) -> None:
        """Target or passed, at two hexes, in sight (seed 000)."""
        forces = self.forces
        lanes = self.at(MARCH)
        if not len(lanes):
            return
        immune = bool(self.switches["passed_immune"])
        by_distance = self.switches["declaration"] == "distance"
        gap = self.gap(lanes, self.goal)
        open_ = (forces.declared[self.goal, lanes] == 0) & (forces.riding[self.top, lanes] == 0)
        seen = self.sees(self.goal, lanes)
        if by_distance:
            becomes = open_ & seen & (gap <= 2)
            misses = np.zeros(len(lanes), bool)
        else:
            ahead = self._straight_ahead(lanes)
            becomes = open_ & seen & (gap == 2) & ahead
            misses = open_ & seen & (gap == 2) & ~ahead & immune
        forces.note("declared", self.goal, lanes[becomes], TARGET)
        forces.note("declared", self.goal, lanes[misses], PASSED_BY)
        if self.battle.journal is not None and becomes.any():
            self.battle.tell(
                "38", self.name, f"declares {self.battle.name(self.goal)} the target of the charge"
            )
        if self.battle.journal is not None and misses.any():
            self.battle.tell(
                "38",
                self.name,
                f"is not straight at {self.battle.name(self.goal)} at two hexes, and so passes it",
            )
        if immune:
            self._pass_others(lanes, self.goal)

    def _pass_others(self, lanes: Ids, goal: int | None) -> None:
        """Every enemy two hexes away and in sight is passed, but those in the goal's hex."""
        forces = self.forces
        for unit in range(len(forces.units)):
            if forces.side[unit] == forces.side[self.top] or unit == goal:
                continue
            at_two = (self.gap(lanes, unit) == 2) & (forces.declared[unit, lanes] == 0)
            if goal is not None:
                at_two &= forces.hex[unit, lanes] != forces.hex[goal, lanes]
            if at_two.any():
                there = lanes[at_two]
                forces.note("declared", unit, there[self.sees(unit, there)], PASSED_BY)

    def _straight_ahead(self, lanes: Ids) -> Mask:
        """Whether the goal lies two steps ahead; a line that has not moved yet has two ways ahead."""
        forces = self.forces
        direction = forces.leads_in[self.top, lanes]
        here, goal = forces.hex[self.top, lanes], forces.hex[self.goal, lanes]
        survey = self.survey
        ahead = np.asarray(survey.ahead(survey.ahead(here, direction), direction) == goal)
        fresh_line = (forces.formation[self.top, lanes] == LINE) & (forces.steps[self.top, lanes] == 0)
        if fresh_line.any():
            other = (direction + 1) % 6
            ahead |= fresh_line & (survey.ahead(survey.ahead(here, other), other) == goal)
        return ahead

    def _offer_carre(self) -> Process:
        forces = self.forces
        for unit in range(len(forces.units)):
            if (
                forces.side[unit] != forces.side[self.top]
                and len(self.at(MARCH))
                and forces.response[unit, : forces.n].any()
            ):
                yield from self.battle.call(unit, self.attempts.attempt)

    def _reached(self) -> None:
        """Lanes where the charger has come next to its goal."""
        lanes = self.part(MARCH)
        near = lanes[self.gap(lanes, self.goal) <= 1]
        riding = self.forces.riding[self.top, near] == 1
        self.go(near[~riding], CONTACT)
        self.go(near[riding], RIDE)
        self.rides.over_goal()

    # -- steps --------------------------------------------------------------------------------

    def _march_on(self) -> None:
        """One step of every marching lane, opportunity fire first."""
        lanes = self.at(MARCH)
        turns = self.mean_step(lanes)
        stuck = lanes[(turns == NO_STEP) & (self.rides.ahead(lanes) == 0)]
        if len(stuck):
            self.battle.tell("37", self.name, "can go no farther")
        self.go(stuck, OVER)
        self.choices.without_target()
        lanes = self.at(MARCH)
        self.rides.begin(lanes, self.rides.ahead(lanes))
        self.advance(MARCH)
        self.rides.go_on()

    def advance(self, node: int) -> None:
        """The lanes at a node make the step that they mean to make, under opportunity fire."""
        self.opportunity_fire(self.at(node))
        self.make_step(self.part(node, STEP))

    def mean_step(self, lanes: Ids) -> Cases:
        """Settle what the next step is, and return its turn (`NO_STEP`: none)."""
        turns, price = self.next_step(lanes)
        self.mean(lanes, turns, price)
        return turns

    def mean(self, lanes: Ids, turns: Cases, price: Cases) -> None:
        """What the next step will be; fire at it may change who makes it, not the step."""
        self.forces.note("step_turn", self.top, lanes, turns)
        self.forces.note("step_price", self.top, lanes, np.minimum(price, NO_PRICE))

    def make_step(self, lanes: Ids) -> None:
        """The step that was meant, if anybody is left who can pay it."""
        price = self.forces.step_price[self.top, lanes].astype(np.int64)
        pays = price <= self.most_left(lanes)
        self.go(lanes[~pays], OVER)
        lanes = lanes[pays]
        self.step(lanes, self.forces.step_turn[self.top, lanes].astype(np.int64), price[pays])

    def next_step(self, lanes: Ids) -> tuple[Cases, Cases]:
        """Turn of the next step (`NO_STEP`: none) and its cost, formation change not included, shape (k,) each.

        The cost is that of the hex, its hexside, and the turn; the first step's choice of a front hex costs nothing.
        """
        forces = self.forces
        first, direction = forces.steps[self.top, lanes] == 0, forces.leads_in[self.top, lanes]
        in_line = forces.formation[self.top, lanes] == LINE
        planned = self.planned(lanes) & (forces.node[self.top, lanes] == MARCH)
        by_plan = np.where(planned, self.planned_turns(self.planned_step(lanes)), NO_TURN)
        cap = np.where(first, np.where(in_line, LINE_FIRST, 0), self.cap)
        turns = self.survey.next_turn(
            self.stack, lanes, direction, by_plan, forces.hex[self.quarry, lanes], cap
        )
        price = self.survey.price(CAVALRY, forces.hex[self.top, lanes], (direction + turns) % 6)
        price += np.where(first, 0, int(self.switches["facing_cost"]) * np.abs(turns))
        price[turns == NO_TURN] = PROHIBITED
        afford = price <= self.most_left(lanes)
        return np.where(afford, turns, NO_STEP), price

    def planned(self, lanes: Ids) -> Mask:
        """Where planned turns are left: the goal has not left its hex, and the path is not yet ridden to its end."""
        return (self.forces.hex[self.goal, lanes] == self.goal_hex) & (
            self.planned_step(lanes) < len(self.order.path)
        )

    def planned_step(self, lanes: Ids) -> Cases:
        """Which planned step comes next, from 0, counted from where it went another way."""
        return self.forces.steps[self.top, lanes] - self.forces.turned_at[self.top, lanes]

    def planned_turns(self, steps: Cases) -> Cases:
        """The turns of planned steps; 0 for those after the last."""
        path = np.array([*self.order.path, 0], np.int64)
        return path[np.minimum(steps, len(path) - 1)]

    def step(
        self, lanes: Ids, turns: Cases, price: Cases, riding_over: bool = False, kind: int = STEP
    ) -> None:
        """Move the stack one hex; a change of formation is made in the second hex, but not while riding over a square."""
        forces = self.forces
        if not len(lanes):
            return
        change, now = self.order.change_to, np.zeros(len(lanes), bool)
        if change is not None and not riding_over:
            cost = int(self.switches["formation_cost"])
            now = (
                (forces.steps[self.top, lanes] == 2)
                & (forces.formation[self.top, lanes] != change)
                & (price + cost <= self.most_left(lanes))
            )
            price = price + cost * now
        leads = self.drop_off(lanes, price, kind)
        lanes, turns, price, now = lanes[leads], turns[leads], price[leads], now[leads]
        if change is not None:
            for unit, riding in self.mounted(lanes).items():
                forces.form(unit, lanes[now & riding], change)
        direction = (forces.leads_in[self.top, lanes] + turns) % 6
        to = self.survey.ahead(forces.hex[self.top, lanes], direction)
        corner = (forces.formation[self.top, lanes] == LINE).astype(np.int64)
        for unit, riding in self.mounted(lanes).items():
            forces.place(unit, lanes[riding], to[riding], (2 * direction + corner)[riding])
        forces.points[self.top, lanes] += price.astype(np.int16)
        forces.note("straight", self.top, lanes, rules.straight_run(forces.straight[self.top, lanes], turns))
        forces.note("leads_in", self.top, lanes, direction)
        forces.steps[self.top, lanes] += 1

    def opportunity_fire(self, lanes: Ids) -> None:
        """Enemies in whose zone the charger stands shoot as it leaves (28); a square that is not its target does too."""
        forces = self.forces
        lanes = lanes[forces.present(self.top, lanes)]
        if not len(lanes):
            return
        bears = self.survey.bearing(lanes, forces.hex[self.top, lanes]) == FRONT
        quiet = (forces.declared[self.goal, lanes] == TARGET) & (forces.formation[self.goal, lanes] == SQUARE)
        for unit in range(len(forces.units)):
            with_goal = forces.hex[unit, lanes] == forces.hex[self.goal, lanes]
            bears[unit] &= (forces.side[unit] != forces.side[self.top]) & (forces.state[unit, lanes] < ROUTED)
            bears[unit] &= (
                (forces.unmanned[unit, lanes] == 0) & ~(quiet & with_goal) & (forces.ridden[unit, lanes] == 0)
            )
        some = bears.any(axis=0)
        self.firing.attack(self.top, lanes[some], "28", only=bears[:, some], again=True, at=self.id)


class TurnedTo(Charging):
    """A charge that turned from its first goal to another unit."""

    turned = True
