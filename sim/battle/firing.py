"""Fire in the battle: who shoots at which hex, the one attack, its losses and the checks it causes (rules 21 to 28).

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.battle.engine import Battle, Cases, Mask
from sim.battle.events import BY_FIRE, BY_MELEE, Event
from sim.chargefields import FORMATIONS
from sim.dice import Chart
from sim.forces import ARTILLERY, CAVALRY, FIT, INFANTRY, LEADER, LOSS, OUT, SCATTERS, SHOT_AT, STRUCK
from sim.geometry import DISORDERED, GONE, LINE, MASSE, NO_HEX, ROAD, ROUTED, SKIRMISH, SQUARE, UNLIMBERED, Situation
from sim.hexmap import direction_to, distance
from sim.lanes import Ids
from sim.modifiers import Applied
from sim.ratios import Ratio
from sim.rulebook import FLANK
from sim.rules import fire as rules
from sim.rules import morale

NONE, THROUGH_HEXSIDE, ON_TOP = range(3)


@dataclass
class Volley:
    """One attack on one hex, gathered from the firing hexes of each lane."""

    strength: Ratio
    flank_only: Mask
    any_fire: Mask
    guns: Mask
    foot: Mask
    gun_bonus: Cases
    firers: dict[int, Mask]


def can_shoot(situation: Situation, shooter: int, target: int) -> int:
    """How a unit's hex bears on a unit's hex: not at all, through a front hexside, or from under it."""
    here, there = situation.hexes[shooter], situation.hexes[target]
    if NO_HEX in (here, there):
        return NONE
    if here == there:
        return ON_TOP
    return THROUGH_HEXSIDE if distance(here, there) == 1 and situation.zone_holds(shooter, there) else NONE


def from_flank(situation: Situation, shooter: int, target: int) -> bool:
    """Whether a shot from the next hex comes through a flank side of the target."""
    here, there = situation.hexes[shooter], situation.hexes[target]
    if NO_HEX in (here, there) or distance(here, there) != 1:
        return False
    return situation.zone_of_side(target, direction_to(there, here)) == FLANK


class Firing:
    """Fire of one side at one hex.

    Parameters
    ----------
    battle
        The battle.
    """

    def __init__(self, battle: Battle) -> None:
        self.battle = battle
        self.forces = battle.forces
        self.book = battle.book
        self.data: Any = battle.book.data["fire"]

    def attack(
        self,
        target: int,
        lanes: Ids,
        rule: str,
        only: NDArray[Any] | None = None,
        defensive: bool = False,
        again: bool = False,
        through: bool = False,
    ) -> None:
        """All that can shoot at the target's hex do so, in one attack (rule 21).

        Parameters
        ----------
        target
            The top unit of the hex, in all the lanes.
        only
            Shape (units, k): which units' hexes may shoot; all by default. Others are silent.
        defensive
            Each hex fires once a segment, and guns caught from behind are silent (rule 27).
        through
            A square under the target shoots as through one hexside.
        """
        forces, battle = self.forces, self.battle
        volley = self._volley(target, lanes, only, defensive, through)
        shooting = volley.any_fire & (volley.strength.num > 0)
        lanes, volley = lanes[shooting], self._some(volley, shooting)
        if not len(lanes):
            return
        defence, increments = self._defence(target, lanes, volley.flank_only)
        combined = self.book.switches["canister_combined"]
        canister = volley.guns & (combined | ~volley.foot)
        columns = self.book.fire_columns
        lowest = self.book.switches["below_lowest"] == "lowest"
        column = rules.fire_column(volley.strength, defence, columns, canister, int(self.data["canister_shift"]), lowest)
        fires = column >= 0
        if not fires.all():
            lanes, volley, column, increments = lanes[fires], self._some(volley, fires), column[fires], increments[fires]
            if not len(lanes):
                return
        mass = rules.massed(increments, self.data["massed"]["above"], self.data["massed"]["each"])
        applied = Applied((), np.zeros(len(lanes), np.int64))
        applied = applied.and_also("massed target", mass, self.data["massed"]["source"])
        applied = applied.and_also("artillery leader", np.where(volley.guns, volley.gun_bonus, 0), "[PRINT] AU16 p8")
        leader, _ = forces.leader_of(target, lanes, "morale")
        chart = self.book.fire_chart
        asked = ""
        if battle.journal is not None:
            asked = f"{volley.strength.fractions()[0]} against {int(defence[fires][0])}: column {columns[column[0]]}"
            asked += " (canister)" if canister[fires][0] else ""
        if defensive:
            for u, fired in volley.firers.items():
                forces.note("fired", u, lanes[fired], 1)
        kind = f"fire/{forces.units[target].id}"
        found, values = battle.decide(kind, f"at {battle.name(target)}", lanes, chart, column + len(columns) * leader, applied, rule, again, asked)
        size = len(chart.outcomes)
        self._consequences(target, found, values % size, values // size)

    def _some(self, one: Volley, where: Mask) -> Volley:
        firers = {u: mask[where] for u, mask in one.firers.items()}
        masks = one.flank_only[where], one.any_fire[where], one.guns[where], one.foot[where]
        return Volley(one.strength.take(where), *masks, one.gun_bonus[where], firers)

    # -- strength -----------------------------------------------------------------------------

    def _volley(self, target: int, lanes: Ids, only: NDArray[Any] | None, defensive: bool, through: bool) -> Volley:
        forces = self.forces
        n = len(lanes)
        side = 1 - int(forces.side[target])
        situations, which = forces.situations(lanes)
        strength = Ratio.zero(n)
        flank_only, any_fire = np.ones(n, bool), np.zeros(n, bool)
        guns, foot, bonus = np.zeros(n, bool), np.zeros(n, bool), np.zeros(n, np.int64)
        firers: dict[int, Mask] = {}
        for u in range(len(forces.units)):
            if forces.side[u] != side or forces.arm[u] == CAVALRY:
                continue
            bears = np.array([can_shoot(one, u, target) for one in situations])[which]
            is_top = forces.top(side, forces.hex[u, lanes], lanes) == u
            able = (bears != NONE) & is_top & (forces.state[u, lanes] < ROUTED) & (forces.sheltered[u, lanes] == 0)
            if defensive:
                able &= forces.fired[u, lanes] == 0
            if only is not None:
                able &= only[u] != 0
            if not able.any():
                continue
            part, with_guns, with_foot = self._hex_strength(u, lanes, (bears == ON_TOP) & (not through), defensive)
            part = part.where(able)
            fires = part.num > 0
            strength = strength + part
            flanked = np.array([from_flank(one, u, target) for one in situations])[which]
            flank_only &= ~fires | flanked
            any_fire |= fires
            firers[u] = fires
            guns |= fires & with_guns
            foot |= fires & with_foot
            _, worth = forces.leader_of(u, lanes, "artillery")
            bonus = np.where(fires & with_guns, worth, bonus)
        return Volley(strength, flank_only & any_fire, any_fire, guns, foot, bonus, firers)

    def _hex_strength(self, top: int, lanes: Ids, on_top: Mask, defensive: bool) -> tuple[Ratio, Mask, Mask]:
        """Strength of a firing hex, and whether guns and whether infantry take part."""
        forces, data = self.forces, self.data
        n = len(lanes)
        battery, guns_ready = self._battery(top, lanes, defensive)
        if forces.arm[top] == ARTILLERY:
            return battery, guns_ready, np.zeros(n, bool)
        formation, state = forces.formation[top, lanes], forces.state[top, lanes]
        men = self._hex_increments(top, lanes, INFANTRY)
        multiples = {shape: Ratio.of(value or 0) for shape, value in forces.units[top].multiples.items()}
        massed_ranks = rules.printed_fire(forces.fire_value[top], forces.increments[top, lanes], int(forces.printed[top]), state == DISORDERED)
        masse = (massed_ranks * Ratio.of(Fraction(str(data["masse_on_top"])))).where(on_top, massed_ranks)
        line = rules.counted_fire(men, data["caps"]["line"], multiples["line"])
        skirmish = rules.counted_fire(men, data["caps"]["skirmish"], multiples["skirmish"])
        divisor = Ratio.made(1, np.where(on_top, data["on_top_divisor"], data["square_divisor"]))
        square = rules.counted_fire(men, data["caps"]["square"], multiples["square"]) * divisor
        value = massed_ranks.spread(n)
        for shape, other in ((MASSE, masse), (LINE, line), (SKIRMISH, skirmish), (SQUARE, square), (ROAD, Ratio.zero(n))):
            value = other.where(formation == shape, value)
        joins = guns_ready & ((formation == LINE) | (formation == SQUARE)) & (value.num > 0)
        battery = (battery * divisor).where(formation == SQUARE, battery)
        return value + battery.where(joins), joins, value.num > 0

    def _battery(self, top: int, lanes: Ids, defensive: bool) -> tuple[Ratio, Mask]:
        """Fire of the unlimbered batteries in a unit's hex that can fire."""
        forces = self.forces
        value, ready = Ratio.zero(len(lanes)), np.zeros(len(lanes), bool)
        for u in range(len(forces.units)):
            if forces.arm[u] != ARTILLERY or forces.side[u] != forces.side[top]:
                continue
            here = (forces.hex[u, lanes] == forces.hex[top, lanes]) & (forces.state[u, lanes] < ROUTED) & (forces.formation[u, lanes] == UNLIMBERED)
            if defensive:
                here &= forces.silent[u, lanes] == 0
            here &= (forces.sheltered[u, lanes] == 0) & (forces.unmanned[u, lanes] == 0)
            if here.any():
                fire = rules.gun_fire(forces.fire_value[u], forces.increments[u, lanes], int(forces.printed[u]), forces.state[u, lanes] == DISORDERED)
                value = value + fire.where(here)
                ready |= here
        return value, ready

    def _hex_increments(self, unit: int, lanes: Ids, arm: int | None = None, formation: int | None = None) -> Cases:
        """Increments in a unit's hex: of all, of those in one formation, or of one arm as far as it can fire (not routed, not sheltered)."""
        forces = self.forces
        total = np.zeros(len(lanes), np.int64)
        for u in range(len(forces.units)):
            if forces.side[u] == forces.side[unit] and (arm is None or (forces.arm[u] == arm)):
                here = (forces.hex[u, lanes] == forces.hex[unit, lanes]) & (forces.state[u, lanes] != GONE) & (forces.unmanned[u, lanes] == 0)
                if formation is not None:
                    here &= forces.formation[u, lanes] == formation
                if arm is not None:
                    here &= (forces.sheltered[u, lanes] == 0) & (forces.state[u, lanes] < ROUTED)
                total += here * forces.increments[u, lanes]
        return total

    # -- defence ------------------------------------------------------------------------------

    def _defence(self, target: int, lanes: Ids, flank_only: Mask) -> tuple[Cases, Cases]:
        """Fire defence of a target hex, and its increments (B2.3)."""
        forces, book = self.forces, self.book
        increments = self._hex_increments(target, lanes)
        shape = forces.formation[target, lanes].astype(np.int64)
        in_line = self._hex_increments(target, lanes, formation=LINE)
        crowded = (shape == LINE) & (in_line >= self.data["line_as_column"])
        shape[crowded] = FORMATIONS.index("column")
        state = forces.state[target, lanes]
        guns = np.zeros(len(lanes), bool)
        for u, there in forces.with_in_hex(target, lanes):
            if forces.arm[u] == ARTILLERY:
                guns |= there & (forces.state[u, lanes] != GONE)
        guns &= forces.arm[target] == INFANTRY
        keys = np.stack([shape, state, forces.hex[target, lanes]])
        unique, inverse = np.unique(keys, axis=1, return_inverse=True)
        values = []
        for formation, condition, number in unique.T.tolist():
            place = forces.map.hex(number)
            terrain = forces.map.terrain.get(place, "clear") if place else "clear"
            name = FORMATIONS[formation]
            if condition in (DISORDERED, ROUTED):
                name = "disordered" if condition == DISORDERED else "routed"
            values.append(book.defence(terrain, name, forces.units[target].nation))
        defence = np.array(values)[inverse.ravel()]
        defence = np.where(guns & (shape != SQUARE), defence + int(self.data["with_guns"]), defence)
        defence = np.where(flank_only, np.minimum(defence, int(self.data["flank"])), defence)
        return np.maximum(defence, 1), increments

    # -- consequences -------------------------------------------------------------------------

    def _consequences(self, target: int, lanes: Ids, loss: Cases, hit: Cases) -> None:
        forces, battle = self.forces, self.battle
        hexes = forces.hex[target, lanes].copy()
        units = [u for u in range(len(forces.units)) if forces.side[u] == forces.side[target]]
        before = {u: forces.lost(u, lanes) for u in units}
        there = {u: (forces.hex[u, lanes] == hexes) & forces.present(u, lanes) for u in units}
        forces.struck_hex[0, lanes] = hexes
        for k, (leader, stack) in enumerate(forces.leaders):
            if leader is not None and forces.side[stack[0]] == forces.side[target]:
                forces.set_leader(k, lanes[(hit > 0) & (forces.leader_out[k, lanes] == FIT)], STRUCK)
        battle.spread_losses(int(forces.side[target]), hexes, lanes, loss, True)
        for u in units:
            after = forces.lost(u, lanes)
            if battle.book.counts_fire_losses:
                forces.note("fire_losses", u, lanes, forces.fire_losses[u, lanes] + after - before[u])
            here = there[u] & forces.present(u, lanes)
            lost = here & (after > before[u])
            loss_rule, no_loss_rule = battle.book.under_fire(forces.units[u].nation, forces.units[u].type)
            if loss_rule:
                forces.mark(u, lanes[lost], SCATTERS)
            else:
                due = lost & morale.loss_calls_for_check(before[u], after, int(forces.loss_first[u]), int(forces.loss_step[u]))
                forces.mark(u, lanes[due], LOSS)
            if no_loss_rule:
                forces.mark(u, lanes[here & ~lost], SHOT_AT)
        with Event(battle, BY_FIRE) as event:
            for u in units:
                event.check("loss-check", u, forces.take_marked(u, LOSS), "31")
                event.check("under-fire", u, forces.take_marked(u, SHOT_AT), "31")
                event.fails(u, forces.take_marked(u, SCATTERS))
        struck_leaders(battle, battle.book.leader_charts[1], BY_FIRE)


def struck_leaders(battle: Battle, chart: Chart, cause: int) -> None:
    """Leaders who were hit: one die each, and if one is out the units of the hex that was struck check without him (rule 7; B9, C15).

    After a melee only units that fought check.
    """
    forces = battle.forces
    for k, (leader, stack) in enumerate(forces.leaders):
        lanes = np.flatnonzero(forces.leader_out[k, : forces.n] == STRUCK)
        if leader is None or not len(lanes):
            continue
        zero = np.zeros(len(lanes), np.int64)
        lanes, fate = battle.decide(f"leader/{leader.id}", leader.name, lanes, chart, zero, Applied((), zero), "7", again=True)
        forces.set_leader(k, lanes, np.where(fate > 0, OUT, FIT))
        shaken = lanes[fate == 1]
        units = [u for u in range(len(forces.units)) if forces.side[u] == forces.side[stack[0]]]
        hexes = forces.struck_hex[0, shaken].copy()
        if cause == BY_MELEE:
            hexes = _first_fighter_hex(battle, units, shaken)
            forces.struck_hex[0, shaken] = hexes
        for u in units:
            here = (forces.hex[u, shaken] == hexes) & (hexes != forces.map.off) & (forces.unmanned[u, shaken] == 0)
            if cause == BY_MELEE:
                here &= forces.meleed[u, shaken] == 1
            forces.mark(u, shaken[here & (forces.state[u, shaken] < ROUTED)], LEADER)
        with Event(battle, cause) as event:
            for u in units:
                due = forces.take_marked(u, LEADER)
                event.check("leader-check", u, due, "31", extra=("leader lost", np.full(len(due), -leader.morale), "[PRINT] BE21 p30"), leader=0)


def _first_fighter_hex(battle: Battle, units: list[int], lanes: Ids) -> Cases:
    """Where the first unit of a side stands that fought in the melee and is left."""
    forces = battle.forces
    place = np.full(len(lanes), forces.map.off)
    for u in reversed(units):
        there = (forces.meleed[u, lanes] == 1) & forces.present(u, lanes)
        place[there] = forces.hex[u, lanes[there]]
    return place
