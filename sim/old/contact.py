"""What happens when a charge reaches its goal: stand check, squares, guns, skirmishers, the rout of the target, recall and chase.

docs/charge.md section 6; rules 19, 38, 41, 42; seeds 001 and 002.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.old.attempts import BROKEN, FORMED, SHAKEN
from sim.old.engine import Cases, Mask
from sim.old.events import contagion_checks, infect
from sim.old.lanes import Ids
from sim.rules import charge as rules
from sim.rulesets.conditions import code
from sim.vocabulary import (
    ARTILLERY,
    CAVALRY,
    COLUMN,
    DISORDERED,
    ELIMINATED,
    FRONT,
    GENERAL_ORDER,
    GOOD,
    INFANTRY,
    LIMBERED,
    LINE,
    MASSE,
    ROUTED,
    SKIRMISH,
    SQUARE,
    UNLIMBERED,
    ZONES,
)

if TYPE_CHECKING:
    from sim.old.charging import Charging

_ZONE_CODES = np.array([code(zone) for zone in ZONES])
NO_UNIT = -1


class Contact:
    """Contact of one charge with its goal."""

    def __init__(self, charging: Charging) -> None:
        self.charging, self.battle, self.forces = charging, charging.battle, charging.forces
        self.book, self.switches = charging.book, charging.switches
        self.top, self.goal = charging.top, charging.goal
        self.pursuit = charging.pursuit

    def resolve(self) -> None:
        """Every lane in which the charger has reached its goal, by the first case that fits."""
        from sim.old.charging import CONTACT, OVER, PASSED_BY, TARGET

        forces, charging, goal = self.forces, self.charging, self.goal
        self._masse_shoots()
        lanes = charging.at(CONTACT)
        if not len(lanes):
            return
        forces.note("contact", self.top, lanes, 1)
        forces.note("foe_hex", self.top, lanes, forces.hex[goal, lanes])
        ahead = (
            charging.survey.ahead(forces.hex[self.top, lanes], forces.leads_in[self.top, lanes])
            == forces.hex[goal, lanes]
        )
        target = forces.declared[goal, lanes] == TARGET
        needed = self.book.blocks.charge.straight_hexes
        bonus = rules.has_bonus(target, forces.straight[self.top, lanes], needed, ahead)
        forces.note("bonus", self.top, lanes, bonus)
        forces.note("unchecked", self.top, lanes, ~bonus)
        barred = (forces.declared[goal, lanes] == PASSED_BY) | self._refused(lanes)
        forces.note("foe", self.top, lanes, np.where(barred, 0, goal + 1))
        case = np.where(barred, PASS_BY, self._case(lanes, bonus))
        for number, act in enumerate(self._acts):
            chosen = lanes[case == number]
            if len(chosen):
                charging.go(chosen, OVER)
                act(self, chosen)

    def _masse_shoots(self) -> None:
        """A Masse that is the target fires once when the charger has come next to it (D10.5; 0-decisions 5.24, 5.35)."""
        from sim.old.charging import BESIDE, CONTACT, TARGET

        forces, charging, goal = self.forces, self.charging, self.goal
        lanes = charging.at(CONTACT)
        masse = (
            (forces.declared[goal, lanes] == TARGET)
            & (forces.formation[goal, lanes] == MASSE)
            & (forces.resume[self.top, lanes] != BESIDE)
        )
        lanes = lanes[masse]
        if len(lanes):
            alone = np.stack(
                [forces.hex[u, lanes] == forces.hex[goal, lanes] for u in range(len(forces.units))]
            )
            charging.firing.attack(self.top, lanes, "28", only=alone, again=True, at=charging.id)
            charging.part(CONTACT, BESIDE)

    def _case(self, lanes: Ids, bonus: Mask) -> Cases:
        """Number of the first case of docs/charge.md section 6 that fits."""
        from sim.old.charging import TARGET

        forces, goal = self.forces, self.goal
        attempt, as_target = forces.attempt[goal, lanes], forces.attempt_as_target[goal, lanes] == 1
        formation, arm = forces.formation[goal, lanes], int(forces.arm[goal])
        target = forces.declared[goal, lanes] == TARGET
        infantry = np.full(len(lanes), arm == INFANTRY)
        checks = target & bonus & bool(self.switches["square_checks"])
        limbered_stands = self.switches["lone_limbered"] == "stand"
        guns = np.full(len(lanes), arm == ARTILLERY)
        cases = [
            (infantry & (attempt == FORMED), ONTO_SQUARE),
            (
                infantry & (attempt == BROKEN) & as_target & (self.switches["pgd_target"] == "flees"),
                ROUT_OF_TARGET,
            ),
            (infantry & (attempt == SHAKEN) & as_target, DISORDERED_TARGET),
            (infantry & (attempt == BROKEN), ROUTED_TARGET),
            (infantry & (formation == SKIRMISH), SKIRMISHERS),
            (np.full(len(lanes), arm == CAVALRY), MEET),
            (guns & (formation == LIMBERED) & (not limbered_stands), LIMBERED_ROUT),
            (guns & (formation == UNLIMBERED), GUNS),
            (infantry & (formation == SQUARE) & checks, STAND),
            (infantry & (formation == SQUARE), ONTO_SQUARE),
            (infantry & (formation == MASSE) & bonus, STAND),
            (infantry & (formation == MASSE), ONTO_SQUARE),
            (bonus, STAND),
        ]
        return np.select([mask for mask, _ in cases], [number for _, number in cases], MEET)

    # -- the cases ----------------------------------------------------------------------------

    def _refused(self, lanes: Ids) -> Mask:
        """Where one of the regiments may not charge what is in the goal's hex (D10.3)."""
        from sim.old.refusals import refused

        forces, barred = self.forces, np.zeros(len(lanes), bool)
        if not any(
            self.book.charges_not(forces.units[rider].nation, forces.units[rider].type)
            for rider in self.charging.stack
        ):
            return barred
        side = forces.survey.zone_toward(self.goal, lanes, forces.hex[self.top, lanes])
        for unit in [self.goal, *(mate for mate, _ in forces.with_in_hex(self.goal, lanes))]:
            together = forces.hex[unit, lanes] == forces.hex[self.goal, lanes]
            for rider, _, mask in refused(forces, self.charging.stack, unit, lanes, _ZONE_CODES[side]):
                barred |= together & mask & self.charging.mounted(lanes)[rider]
        return barred

    def _pass_by(self, lanes: Ids) -> None:
        from sim.old.charging import PASSED_BY

        passed = self.forces.declared[self.goal, lanes] == PASSED_BY
        why = ", which it passed" if passed[0] else ": its cavalry does not charge such troops"
        self.battle.tell("38", self.charging.name, f"may not attack {self.battle.name(self.goal)}{why}")

    def _meet(self, lanes: Ids) -> None:
        """Contact without a roll now. A charge without its straight run may melee, after the ordinary pre-melee check (seed 000)."""
        self.battle.tell("38", self.charging.name, f"comes into contact with {self.battle.name(self.goal)}")

    def _disordered(self, lanes: Ids) -> None:
        """A target disordered by its attempt: contact ends the charge; in 2019 it loses for the points left (seed 002; D N22.2)."""
        forces = self.forces
        forces.note("compulsory", self.top, lanes, 1)
        each = int(self.switches["dd_target_loss"])
        if each:
            rate = np.maximum(self.charging.left(lanes), 0) // each
            here = {u: forces.hex[u, lanes] == forces.hex[self.goal, lanes] for u in self.pursuit.enemies()}
            self.pursuit.ride_down(lanes, here, rate)
        self._meet(lanes)

    def _routed(self, lanes: Ids) -> None:
        """A unit routed by its attempt and still within reach is simply contacted."""
        self.forces.note("compulsory", self.top, lanes, 1)
        self._meet(lanes)

    def onto_square(self, lanes: Ids) -> None:
        """The charger rides onto the square's or Masse's hex and stops there (seed 002); but for a target square they shoot first."""
        from sim.old.charging import ONTO, STEPPING, TARGET

        forces, charging = self.forces, self.charging
        forces.note("bonus", self.top, lanes, 0)
        if not len(lanes):
            return
        pays = self._cost_onto(lanes) <= charging.most_left(lanes)
        forces.note("foe", self.top, lanes[~pays], 0)
        charging.go(lanes[pays], STEPPING)
        lanes = charging.at(STEPPING)
        waits = (forces.declared[self.goal, lanes] == TARGET) & (forces.formation[self.goal, lanes] == SQUARE)
        charging.opportunity_fire(lanes[~waits])
        charging.part(STEPPING, ONTO)
        self.step_onto()

    def step_onto(self) -> None:
        """The step onto the goal's hex, by those who can pay it."""
        from sim.old.charging import ONTO, OVER, STEPPING

        forces, charging = self.forces, self.charging
        lanes = charging.at(STEPPING)
        price = self._cost_onto(lanes)
        pays = price <= charging.most_left(lanes)
        forces.note("foe", self.top, lanes[~pays], 0)
        charging.go(lanes[~pays], OVER)
        lanes, price = lanes[pays], price[pays]
        leads = charging.drop_off(lanes, price, ONTO)
        there = lanes[leads]
        self._enter_goal(there, price[leads])
        forces.note("compulsory", self.top, there, 1)
        charging.go(there, OVER)
        if len(there):
            self.battle.tell("38", charging.name, f"rides onto {self.battle.name(self.goal)}")

    def _enter_goal(self, lanes: Ids, price: Cases) -> None:
        """The step onto the goal's hex."""
        forces = self.forces
        for unit, riding in self.charging.mounted(lanes).items():
            forces.note("came_from", unit, lanes[riding], forces.hex[self.top, lanes[riding]])
        forces.points[self.top, lanes] += price.astype(np.int16)
        self._enter(lanes, forces.hex[self.goal, lanes].copy())

    def _enter(self, lanes: Ids, to: Cases) -> None:
        forces = self.forces
        into = np.maximum(forces.survey.toward(forces.hex[self.top, lanes], to), 0)
        for unit, riding in self.charging.mounted(lanes).items():
            corner = self.book.corner_facing[forces.kind[unit], forces.formation[unit, lanes[riding]]]
            forces.place(unit, lanes[riding], to[riding], 2 * into[riding] + corner)

    def _way_in(self, lanes: Ids) -> Cases:
        """The direction from the charger to its goal."""
        return self.forces.survey.toward(self.forces.hex[self.top, lanes], self.forces.hex[self.goal, lanes])

    def _cost_onto(self, lanes: Ids) -> Cases:
        return self.forces.survey.price(CAVALRY, self.forces.hex[self.top, lanes], self._way_in(lanes))

    def _skirmishers(self, lanes: Ids) -> None:
        """Skirmishers flee into a neighbouring formation, or rout (rule 19; D N30)."""
        forces, battle = self.forces, self.battle
        hosts = self._shelter(lanes)
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
                self.charging.attempts.abandon(unit, there)
        for unit, there in group:
            forces.become(unit, there, ROUTED)
            forces.note("leaving", unit, there, 1)
        forces.note("origin", self.goal, caught, forces.hex[self.goal, caught])
        battle.tell("19", battle.name(self.goal), "finds no shelter and routs")
        self.pursuit.trample(caught, points_mode=self.switches["skirmish_trample"] == "points")
        if self.switches["skirmish_recall"]:
            self.pursuit.rout_of_target(caught, trampled=True)
        else:
            self.pursuit.group_runs(caught)
            forces.note("foe", self.top, caught, 0)
            forces.note("bonus", self.top, caught, 0)

    def _flight_group(self, lanes: Ids) -> list[tuple[int, Ids]]:
        """Skirmishers of the hex and limbered guns with them."""
        attempts = self.charging.attempts
        return attempts.foot(self.goal, lanes) + attempts.guns(self.goal, lanes, LIMBERED)

    def _shelter(self, lanes: Ids) -> Cases:
        """The first friend next to the goal who takes skirmishers in."""
        forces, found = self.forces, np.full(len(lanes), NO_UNIT)
        open_to = [COLUMN, GENERAL_ORDER] + ([LINE] if self.switches["shelter_line"] else [])
        friends = (forces.side == forces.side[self.goal]) & (forces.arm == INFANTRY)
        for unit in reversed(np.flatnonzero(friends).tolist()):
            beside = forces.map.distances(forces.hex[unit, lanes], forces.hex[self.goal, lanes]) == 1
            found[
                beside & (forces.state[unit, lanes] == GOOD) & np.isin(forces.formation[unit, lanes], open_to)
            ] = unit
        return found

    def _guns_alone(self, lanes: Ids) -> None:
        """Unlimbered guns alone: they check, or are lost; caught from behind they give no defensive fire (rule 41)."""
        from sim.old.charging import INTO_GUNS, STEPPING

        forces, battle, goal, charging = self.forces, self.battle, self.goal, self.charging
        lanes, passed = battle.check(f"guns/{forces.units[goal].id}", goal, lanes, "41")
        held = lanes[passed]
        behind = forces.survey.zone_toward(goal, held, forces.hex[self.top, held]) != FRONT
        for unit, there in [(goal, held), *charging.attempts.guns(goal, held, UNLIMBERED)]:
            forces.note("silent", unit, there, 1 if unit != goal else behind)
        for unit, there in charging.attempts.guns(goal, held[~behind], UNLIMBERED):
            forces.note("silent", unit, there, 0)
        lost = lanes[~passed]
        if not len(lost):
            return
        price = self._cost_onto(lost)
        pays = price <= charging.most_left(lost)
        forces.note("step_price", self.top, lost, price)
        place = forces.hex[goal, lost].copy()
        for unit, there in charging.attempts.guns(goal, lost, UNLIMBERED):
            forces.remove(unit, there, ELIMINATED)
        forces.remove(goal, lost, ELIMINATED)
        forces.note("foe", self.top, lost, 0)
        forces.note("foe_hex", self.top, lost, place)
        battle.tell("41", battle.name(goal), "is ridden down")
        charging.go(lost[pays & ~self._held_by_enemy(lost, place)], STEPPING)
        charging.opportunity_fire(charging.at(STEPPING))
        charging.part(STEPPING, INTO_GUNS)
        self.step_into_guns()

    def step_into_guns(self) -> None:
        """The step into the hex of guns that were ridden down."""
        from sim.old.charging import INTO_GUNS, OVER, STEPPING

        forces, charging = self.forces, self.charging
        lanes = charging.at(STEPPING)
        price = forces.step_price[self.top, lanes].astype(np.int64)
        pays = price <= charging.most_left(lanes)
        charging.go(lanes[~pays], OVER)
        lanes, price = lanes[pays], price[pays]
        leads = charging.drop_off(lanes, price, INTO_GUNS)
        there = lanes[leads]
        forces.points[self.top, there] += price[leads].astype(np.int16)
        charging.go(there, OVER)
        self._enter(there, forces.foe_hex[self.top, there].copy())

    def _held_by_enemy(self, lanes: Ids, place: Cases) -> Mask:
        held = np.zeros(len(lanes), bool)
        for unit in self.pursuit.enemies():
            held |= (self.forces.hex[unit, lanes] == place) & (self.forces.unmanned[unit, lanes] == 0)
        return held

    # -- to stand -----------------------------------------------------------------------------

    def _stand(self, lanes: Ids) -> None:
        """The modified morale check of option 1 (seed 001)."""
        from sim.old.charging import OVER, STANDING

        forces, battle, goal = self.forces, self.battle, self.goal
        self.charging.go(lanes, STANDING)
        self._guns_check(lanes)
        lanes = self.charging.at(STANDING)
        self.charging.go(lanes, OVER)
        known = forces.about("target", goal, lanes) | forces.about("charger", self.top, lanes)
        side = forces.survey.zone_toward(goal, lanes, forces.hex[self.top, lanes])
        known["hexside"] = _ZONE_CODES[side]
        known["crosses"] = forces.hexside(forces.hex[self.top, lanes], self._way_in(lanes))
        lanes, passed = battle.check(
            f"stand/{forces.units[goal].id}", goal, lanes, "38", table=self.book.stand_modifiers, known=known
        )
        held, broken = lanes[passed], lanes[~passed]
        if len(held):
            battle.tell("38", battle.name(goal), "stands: the charge is halted")
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

    def _stand_failed(self, lanes: Ids) -> None:
        from sim.old.charging import ROUTING, STANDING

        forces, battle, goal, charging = self.forces, self.battle, self.goal, self.charging
        if not len(lanes):
            return
        stays = (forces.state[goal, lanes] == DISORDERED) & (self.switches["dd_fails_stand"] == "stays")
        charging.go(lanes[stays], STANDING)
        charging.go(lanes[~stays], ROUTING)
        if forces.arm[goal] == INFANTRY:
            infect(battle, goal, lanes[~stays], arms=(INFANTRY,))
            contagion_checks(battle)
        lanes = np.concatenate([charging.at(STANDING), charging.at(ROUTING)])
        for unit, there in charging.attempts.guns(goal, lanes, LIMBERED):
            forces.become(unit, there, ROUTED)
            forces.note("leaving", unit, there, 1)
        if self.switches["guns_with_infantry"] == "abandoned" and forces.arm[goal] == INFANTRY:
            for unit, there in charging.attempts.guns(goal, lanes, UNLIMBERED):
                self.charging.attempts.abandon(unit, there)
        forces.become(goal, lanes, ROUTED)
        forces.note("leaving", goal, lanes, 1)
        battle.tell("38", battle.name(goal), "fails to stand and routs")
        self._stay_routed(charging.at(STANDING))
        self.pursuit.rout_of_target(charging.at(ROUTING))

    def _stay_routed(self, lanes: Ids) -> None:
        """2018: a disordered unit that fails routs where it stands."""
        from sim.old.charging import OVER

        forces = self.forces
        forces.note("compulsory", self.top, lanes, 1)
        for unit in self.pursuit.enemies():
            forces.note("leaving", unit, lanes, 0)
        self.charging.go(lanes, OVER)

    def _rout(self, lanes: Ids) -> None:
        """The target routed at its attempt; the charger has now come up with it."""
        self.pursuit.rout_of_target(lanes)

    def _rout_limbered(self, lanes: Ids) -> None:
        """Limbered guns alone rout at once, to 2018."""
        for unit, there in [(self.goal, lanes), *self.charging.attempts.guns(self.goal, lanes, LIMBERED)]:
            self.forces.become(unit, there, ROUTED)
            self.forces.note("leaving", unit, there, 1)
        self.pursuit.rout_of_target(lanes)

    _acts = (
        _pass_by,
        onto_square,
        _rout,
        _disordered,
        _routed,
        _skirmishers,
        _meet,
        _rout_limbered,
        _guns_alone,
        _stand,
    )


(
    PASS_BY,
    ONTO_SQUARE,
    ROUT_OF_TARGET,
    DISORDERED_TARGET,
    ROUTED_TARGET,
    SKIRMISHERS,
    MEET,
    LIMBERED_ROUT,
    GUNS,
    STAND,
) = range(10)
