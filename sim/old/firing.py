"""Fire in the battle: who shoots at which hex, the one attack, its losses and the checks it causes (rules 21 to 28).

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.ensemble.dice import Chart
from sim.ensemble.ratios import Ratio
from sim.old.engine import Battle, Cases, Mask
from sim.old.events import BY_FIRE, BY_MELEE, Event
from sim.old.forces import FIT, LEADER, LOSS, OUT, SCATTERS, SHOT_AT, STRUCK
from sim.old.lanes import Ids
from sim.rules import fire as rules
from sim.rules import morale
from sim.rules.strengths import Share, Strength, Strengths
from sim.rulesets.blocks import Foot
from sim.rulesets.modifiers import Applied
from sim.vocabulary import (
    ARTILLERY,
    CAVALRY,
    COLUMN,
    DISORDERED,
    FLANK,
    FORMATIONS,
    FRONT,
    GONE,
    INFANTRY,
    LINE,
    MASSE,
    ROAD_MARCH,
    ROUTED,
    SKIRMISH,
    SQUARE,
    UNLIMBERED,
)

NONE, THROUGH_HEXSIDE, ON_TOP = range(3)


@dataclass
class Volley:
    """One attack on one hex, gathered from the firing hexes of each lane. `shares` are those of the units, of all lanes that were asked."""

    shares: list[tuple[int, Strength]]
    strength: Ratio
    flank_only: Mask
    any_fire: Mask
    guns: Mask
    foot: Mask
    gun_bonus: Cases
    firers: dict[int, Mask]


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
        self.rules = battle.book.blocks.fire

    def attack(
        self,
        target: int,
        lanes: Ids,
        rule: str,
        only: NDArray[Any] | None = None,
        defensive: bool = False,
        again: bool = False,
        through: bool = False,
        at: str = "",
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
        at
            What the decision calls the target: its id by default.
        """
        forces, battle = self.forces, self.battle
        volley = self._volley(target, lanes, only, defensive, through)
        shooting = volley.any_fire & (volley.strength.num > 0)
        lanes, volley = lanes[shooting], self._some(volley, shooting)
        if not len(lanes):
            return
        made_up, increments = self._defence(target, lanes, volley.flank_only)
        defence = made_up.value.num // made_up.value.den
        combined = self.book.switches["canister_combined"] is True
        canister = volley.guns & (combined | ~volley.foot)
        columns = self.book.fire_columns
        lowest = self.book.switches["below_lowest"] == "lowest"
        column = rules.fire_column(
            volley.strength, defence, columns, canister, self.rules.canister_shift, lowest
        )
        fires = column >= 0
        if not fires.all():
            lanes, volley, column, increments = (
                lanes[fires],
                self._some(volley, fires),
                column[fires],
                increments[fires],
            )
            if not len(lanes):
                return
        mass = rules.massed(increments, self.rules.massed.above, self.rules.massed.each)
        applied = Applied((), np.zeros(len(lanes), np.int64))
        applied = applied.and_also("massed target", mass, self.rules.massed.source)
        applied = applied.and_also(
            "artillery leader", np.where(volley.guns, volley.gun_bonus, 0), "[PRINT] AU16 p8"
        )
        leader, _ = forces.leader_of(target, lanes, "morale")
        chart = self.book.fire_chart
        strengths = None
        if battle.journal is not None:
            strengths = self._told(target, lanes, volley, made_up, columns[column[0]], canister[fires])
        if defensive:
            for u, fired in volley.firers.items():
                forces.note("fired", u, lanes[fired], 1)
        kind = f"fire/{at or forces.units[target].id}"
        key = column + len(columns) * leader
        found, values = battle.decide(
            kind, f"at {battle.name(target)}", lanes, chart, key, applied, rule, again, strengths=strengths
        )
        size = len(chart.outcomes)
        self._consequences(target, found, values % size, values // size)

    def _some(self, one: Volley, where: Mask) -> Volley:
        firers = {u: mask[where] for u, mask in one.firers.items()}
        masks = one.flank_only[where], one.any_fire[where], one.guns[where], one.foot[where]
        return Volley(one.shares, one.strength.take(where), *masks, one.gun_bonus[where], firers)

    def _told(
        self, target: int, lanes: Ids, volley: Volley, defence: Strength, column: str, canister: Mask
    ) -> Strengths:
        """Both sides of the attack of a told run."""
        shares = tuple(
            Share(self._who(u, lanes, one), one.factors()) for u, one in volley.shares if one.value.num[0] > 0
        )
        shift = self.rules.canister_shift if canister[0] else 0
        sources = self.rules.sources
        return Strengths(
            shares,
            (Share(self.battle.name(target), defence.factors()),),
            column,
            (shift, "canister", sources.canister_shift or ""),
        )

    def _who(self, unit: int, lanes: Ids, strength: Strength) -> str:
        """Whose fire it is: the unit's, or that of all infantry in its hex where increments are counted."""
        if not any(step.what == "increments" and step.where[0] for step in strength.steps or ()):
            return self.battle.name(unit)
        forces = self.forces
        units = [
            u
            for u in range(len(forces.units))
            if forces.side[u] == forces.side[unit] and self._counts(u, unit, lanes, INFANTRY)[0]
        ]
        return " and ".join(self.battle.name(u) for u in units)

    # -- strength -----------------------------------------------------------------------------

    def _volley(
        self, target: int, lanes: Ids, only: NDArray[Any] | None, defensive: bool, through: bool
    ) -> Volley:
        forces = self.forces
        n = len(lanes)
        side = 1 - int(forces.side[target])
        there = forces.hex[target, lanes]
        zones = forces.survey.bearing(lanes, there)
        strength, shares = Ratio.zero(n), []
        flank_only, any_fire = np.ones(n, bool), np.zeros(n, bool)
        guns, foot, bonus = np.zeros(n, bool), np.zeros(n, bool), np.zeros(n, np.int64)
        firers: dict[int, Mask] = {}
        for u in range(len(forces.units)):
            if forces.side[u] != side or forces.arm[u] == CAVALRY:
                continue
            here = forces.hex[u, lanes]
            through_front = (zones[u] == FRONT) & (forces.unmanned[u, lanes] == 0)
            bears = np.where(
                (here == there) & (here != forces.map.off),
                ON_TOP,
                np.where(through_front, THROUGH_HEXSIDE, NONE),
            )
            is_top = forces.top(side, forces.hex[u, lanes], lanes) == u
            able = (
                (bears != NONE)
                & is_top
                & (forces.state[u, lanes] < ROUTED)
                & (forces.sheltered[u, lanes] == 0)
            )
            if defensive:
                able &= forces.fired[u, lanes] == 0
            if only is not None:
                able &= only[u] != 0
            if not able.any():
                continue
            parts, with_guns, with_foot = self._hex_strength(
                u, lanes, (bears == ON_TOP) & (not through), defensive
            )
            mine = [(unit, part.where(able)) for unit, part in parts]
            fires = np.any([np.zeros(n, bool), *(part.value.num > 0 for _, part in mine)], axis=0)
            strength = sum((part.value for _, part in mine), strength)
            shares += mine
            flank_only &= ~fires | (forces.survey.zone_toward(target, lanes, here) == FLANK)
            any_fire |= fires
            firers[u] = fires
            guns |= fires & with_guns
            foot |= fires & with_foot
            _, worth = forces.leader_of(u, lanes, "artillery")
            bonus = np.where(fires & with_guns & (worth != 0), worth, bonus)
        return Volley(shares, strength, flank_only & any_fire, any_fire, guns, foot, bonus, firers)

    def _hex_strength(
        self, top: int, lanes: Ids, on_top: Mask, defensive: bool
    ) -> tuple[list[tuple[int, Strength]], Mask, Mask]:
        """Strength of a firing hex: its infantry's and each battery's, and whether guns and whether infantry take part."""
        forces, fire = self.forces, self.rules
        n = len(lanes)
        batteries, guns_ready = self._batteries(top, lanes, defensive)
        if forces.arm[top] == ARTILLERY:
            return batteries, guns_ready, np.zeros(n, bool)
        formation, state = forces.formation[top, lanes], forces.state[top, lanes]
        men = self._hex_increments(top, lanes, INFANTRY)
        multiples = {shape: Ratio.of(value or 0) for shape, value in forces.units[top].multiples.items()}
        caps = {"line": fire.caps.line, "skirmish": fire.caps.skirmish, "square": fire.caps.square}
        value = rules.printed_fire(
            forces.fire_value[top],
            forces.increments[top, lanes],
            int(forces.printed[top]),
            state == DISORDERED,
        )
        on_masse = Ratio.of(fire.masse_on_top)
        value = value.times(
            "enemy on top", on_masse, fire.sources.masse_on_top or "", (formation == MASSE) & on_top
        )
        unit = forces.units[top]
        printed = self.book.ruleset.troop(unit.nation, unit.type)
        counted = {}
        for shape in ("line", "skirmish", "square"):
            own = isinstance(printed, Foot) and getattr(printed, shape) == unit.multiples[shape]
            source = (printed.source or "") if own and printed else ""
            counted[shape] = rules.counted_fire(
                men, caps[shape], multiples[shape], shape, (fire.caps.source or "", source)
            )
        square = self._from_square(counted["square"], on_top)
        for formed, other in (
            (LINE, counted["line"]),
            (SKIRMISH, counted["skirmish"]),
            (SQUARE, square),
            (ROAD_MARCH, Strength.zero(n)),
        ):
            value = other.where(formation == formed, value)
        fires = value.value.num > 0
        joins = guns_ready & ((formation == LINE) | (formation == SQUARE)) & fires
        guns = [(u, self._from_square(one, on_top, formation == SQUARE).where(joins)) for u, one in batteries]
        return [(top, value), *guns], joins, fires

    def _from_square(self, strength: Strength, on_top: Mask, where: Mask | None = None) -> Strength:
        """What a square's strength gives through one hexside, or at an enemy on top of it."""
        fire = self.rules
        here = np.ones(len(on_top), bool) if where is None else where
        all_round = Ratio.of(Fraction(1, fire.on_top_divisor))
        one_side = Ratio.of(Fraction(1, fire.square_divisor))
        strength = strength.times("enemy on top", all_round, fire.sources.on_top_divisor or "", here & on_top)
        return strength.times("one hexside", one_side, fire.sources.square_divisor or "", here & ~on_top)

    def _batteries(self, top: int, lanes: Ids, defensive: bool) -> tuple[list[tuple[int, Strength]], Mask]:
        """Fire of the unlimbered batteries in a unit's hex that can fire, and where there is one."""
        forces = self.forces
        found, ready = [], np.zeros(len(lanes), bool)
        for u in range(len(forces.units)):
            if forces.arm[u] != ARTILLERY or forces.side[u] != forces.side[top]:
                continue
            here = (
                (forces.hex[u, lanes] == forces.hex[top, lanes])
                & (forces.state[u, lanes] < ROUTED)
                & (forces.formation[u, lanes] == UNLIMBERED)
            )
            if defensive:
                here &= forces.silent[u, lanes] == 0
            here &= (forces.sheltered[u, lanes] == 0) & (forces.unmanned[u, lanes] == 0)
            if here.any():
                fire = rules.gun_fire(
                    forces.fire_value[u],
                    forces.increments[u, lanes],
                    int(forces.printed[u]),
                    forces.state[u, lanes] == DISORDERED,
                )
                found.append((u, fire.where(here)))
                ready |= here
        return found, ready

    def _hex_increments(
        self, unit: int, lanes: Ids, arm: int | None = None, formation: int | None = None
    ) -> Cases:
        """Increments in a unit's hex: of all, of those in one formation, or of one arm as far as it can fire (not routed, not sheltered)."""
        forces = self.forces
        total = np.zeros(len(lanes), np.int64)
        for u in range(len(forces.units)):
            if forces.side[u] == forces.side[unit]:
                total += self._counts(u, unit, lanes, arm, formation) * forces.increments[u, lanes]
        return total

    def _counts(
        self, unit: int, top: int, lanes: Ids, arm: int | None = None, formation: int | None = None
    ) -> Mask:
        """Where a unit is one of those of another's hex whose increments count."""
        forces = self.forces
        here = (
            (forces.hex[unit, lanes] == forces.hex[top, lanes])
            & (forces.state[unit, lanes] != GONE)
            & (forces.unmanned[unit, lanes] == 0)
        )
        if formation is not None:
            here &= forces.formation[unit, lanes] == formation
        if arm is not None:
            here &= (
                (forces.arm[unit] == arm)
                & (forces.sheltered[unit, lanes] == 0)
                & (forces.state[unit, lanes] < ROUTED)
            )
        return here

    # -- defence ------------------------------------------------------------------------------

    def _defence(self, target: int, lanes: Ids, flank_only: Mask) -> tuple[Strength, Cases]:
        """Fire defence of a target hex, and its increments (B2.3)."""
        forces, book = self.forces, self.book
        increments = self._hex_increments(target, lanes)
        shape = forces.formation[target, lanes].astype(np.int64)
        in_line = self._hex_increments(target, lanes, formation=LINE)
        crowded = (shape == LINE) & (in_line >= self.rules.line_as_column)
        shape[crowded] = COLUMN
        state = forces.state[target, lanes]
        guns = np.zeros(len(lanes), bool)
        for u, there in forces.with_in_hex(target, lanes):
            if forces.arm[u] == ARTILLERY:
                guns |= there & (forces.state[u, lanes] != GONE)
        guns &= forces.arm[target] == INFANTRY
        keys = np.stack([shape, state, forces.hex[target, lanes], crowded])
        unique, inverse = np.unique(keys, axis=1, return_inverse=True)
        found = Strength.zero(len(lanes))
        for number, (formation, condition, place, full) in enumerate(unique.T.tolist()):
            here = forces.map.hex(place)
            terrain = forces.map.terrain.get(here, "clear") if here else "clear"
            name = FORMATIONS[formation]
            if condition in (DISORDERED, ROUTED):
                name = "disordered" if condition == DISORDERED else "routed"
            value, source = book.defence(terrain, name, forces.units[target].nation)
            crowd = (self.rules.line_as_column,) if full and name == "column" else ()
            what, told = "full line" if crowd else "fire defence", (name, terrain, *crowd)
            found = found.plus(what, Ratio.of(value), source, inverse.ravel() == number, told)
        sources, beside = self.rules.sources, self.rules.with_guns
        change = found.plus if beside >= 0 else found.minus
        amount: Any = Ratio.of(beside) if beside >= 0 else -beside
        found = change("guns in the hex", amount, sources.with_guns or "", guns & (shape != SQUARE))
        found = found.at_most("through the flank", self.rules.flank, sources.flank or "", flank_only)
        return found.at_least("least defence", 1), increments

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
                due = lost & morale.loss_calls_for_check(
                    before[u], after, int(forces.loss_first[u]), int(forces.loss_step[u])
                )
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
        lanes, fate = battle.decide(
            f"leader/{leader.id}", leader.name, lanes, chart, zero, Applied((), zero), "7", again=True
        )
        forces.set_leader(k, lanes, np.where(fate > 0, OUT, FIT))
        shaken = lanes[fate == 1]
        units = [u for u in range(len(forces.units)) if forces.side[u] == forces.side[stack[0]]]
        hexes = forces.struck_hex[0, shaken].copy()
        if cause == BY_MELEE:
            hexes = _first_fighter_hex(battle, units, shaken)
            forces.struck_hex[0, shaken] = hexes
        for u in units:
            here = (
                (forces.hex[u, shaken] == hexes)
                & (hexes != forces.map.off)
                & (forces.unmanned[u, shaken] == 0)
            )
            if cause == BY_MELEE:
                here &= forces.meleed[u, shaken] == 1
            forces.mark(u, shaken[here & (forces.state[u, shaken] < ROUTED)], LEADER)
        with Event(battle, cause) as event:
            for u in units:
                due = forces.take_marked(u, LEADER)
                event.check(
                    "leader-check",
                    u,
                    due,
                    "31",
                    extra=("leader lost", np.full(len(due), -leader.morale), "[PRINT] BE21 p30"),
                    leader=0,
                )


def _first_fighter_hex(battle: Battle, units: list[int], lanes: Ids) -> Cases:
    """Where the first unit of a side stands that fought in the melee and is left."""
    forces = battle.forces
    place = np.full(len(lanes), forces.map.off)
    for u in reversed(units):
        there = (forces.meleed[u, lanes] == 1) & forces.present(u, lanes)
        place[there] = forces.hex[u, lanes[there]]
    return place
