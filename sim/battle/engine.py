"""The battle itself: one SimPy environment, N runs in lanes, and what every chapter of it needs.

A unit is a process that waits for its own event, acts, and says it is done. Events mean "your turn", never "a condition
holds": conditions are masks over lanes. After every roll lanes may have split, so nothing about lanes is kept across one: functions
find their lanes again from the facts.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray

from sim.battle.journal import Entry, Journal
from sim.dice import Chart, Dice
from sim.doctrine import Orders
from sim.forces import ARTILLERY, CAVALRY, CONTAGION, INFANTRY, PASSED, SURRENDERED, Forces
from sim.geometry import DISORDERED, GOOD, ROUTED, UNLIMBERED, retreat
from sim.hexmap import Hex
from sim.lanes import Ids
from sim.rulebook import Applied, ModifierTable
from sim.rules import morale

Mask = NDArray[np.bool_]
Cases = NDArray[Any]
Process = Generator[simpy.Event, Any, None]
Action = Callable[[int], "Process | None"]

PLAIN, BY_FIRE, BY_MELEE = range(3)
"""Causes of a failed check: they differ in when a rout is run and whether leaving zones costs."""

SEGMENTS = ("charge", "movement", "defensive-fire", "offensive-fire", "melee", "recovery")


class Battle:
    """N runs of one battle on one timeline.

    Parameters
    ----------
    forces
        Units by lanes, placed.
    dice
        Who answers decisions.
    orders
        What the players mean to do.
    journal
        For explained runs: a single lane, and everything noted.
    """

    def __init__(self, forces: Forces, dice: Dice, orders: Orders, journal: Journal | None = None) -> None:
        self.env = simpy.Environment()
        self.forces, self.dice, self.orders, self.journal = forces, dice, orders, journal
        self.book = forces.book
        self.switches = forces.book.switches
        self.segment = ""
        self.turn, self.half = 1, 1
        self.calls = [self.env.event() for _ in forces.units]
        self.horizon = int(self.switches["retreat_horizon"])
        dice.begin(forces)

    # -- the timeline -------------------------------------------------------------------------

    def run(self) -> None:
        """Play to the end."""
        for unit in range(len(self.forces.units)):
            self.env.process(self._unit(unit))
        self.env.run(self.env.process(self._chronology()))

    def _chronology(self) -> Process:
        from sim.battle.segments import play_segment

        for segment in SEGMENTS:
            self.segment = segment
            yield from play_segment(self, segment)
            self.dice.merge()
            yield self.env.timeout(1)

    def _unit(self, unit: int) -> Process:
        """A unit: waits for its event, acts, says it is done."""
        while True:
            action, done = yield self.calls[unit]
            self.calls[unit] = self.env.event()
            steps = action(unit)
            if steps is not None:
                yield from steps
            done.succeed()

    def call(self, unit: int, action: Action) -> Process:
        """Give a unit its turn and wait until it is done. One event a unit and turn keeps the stated order of play."""
        done = self.env.event()
        self.calls[unit].succeed((action, done))
        yield done

    # -- decisions ----------------------------------------------------------------------------

    def decide(
        self,
        kind: str,
        who: str,
        lanes: Ids,
        chart: Chart,
        column: Cases,
        applied: Applied,
        rule: str,
        again: bool = False,
        asked: str = "",
    ) -> tuple[Ids, NDArray[np.int16]]:
        """Ask the dice, and note it in the journal. Returns the lanes that came of it and the joint outcome of each."""
        decision = f"{self.turn}.{self.half}.{self.segment}/{kind}"
        ask = self.dice.outcome_again if again else self.dice.outcome
        found, values = ask(decision, lanes, chart, column, applied.total)
        if self.journal is not None and len(lanes):
            self._note_roll(who, chart, applied, int(values[0]), rule, asked)
        return found, values

    def _note_roll(self, who: str, chart: Chart, applied: Applied, value: int, rule: str, asked: str) -> None:
        if self.journal is None:
            return
        decision, faces, roll = self.dice.rolled[-1]
        told = tuple((one.label, int(amounts[0]), one.source) for one, amounts in applied.items if amounts[0])
        outcome = str(chart.outcomes[value % len(chart.outcomes)])
        self.journal.entries.append(Entry(self.segment, rule, who, asked, decision, roll, faces, told, chart.name, outcome))

    def tell(self, rule: str, who: str, text: str) -> None:
        """Note something that took no roll."""
        if self.journal is not None:
            self.journal.entries.append(Entry(self.segment, rule, who, text))

    def name(self, unit: int) -> str:
        """What a unit is called."""
        return self.forces.units[unit].name

    def check(
        self,
        kind: str,
        unit: int,
        lanes: Ids,
        rule: str,
        table: ModifierTable | None = None,
        known: dict[str, Cases] | None = None,
        extra: tuple[str, Cases, str] | None = None,
        leader: int = 1,
        again: bool = False,
    ) -> tuple[Ids, Mask]:
        """A morale check of one unit (C1, C3). Returns the lanes that came of it and where it passed.

        Parameters
        ----------
        kind
            The decision's name within the segment, the unit's id included.
        table, known
            A chart's own modifiers and the attributes they need; the general ones by default.
        extra
            One more modifier: label, amounts, source.
        leader
            1: his bonus is added; -1: taken off (he was the one who was hit); 0: none.
        """
        if not len(lanes):
            return lanes, np.zeros(0, bool)
        forces = self.forces
        facts = forces.about("unit", unit, lanes) | (known or {})
        applied = (table or self.book.morale_modifiers).apply(facts, len(lanes))
        if leader:
            _, bonus = forces.leader_of(unit, lanes, "morale")
            applied = applied.and_also("leader", leader * bonus, "[DIGEST] C3")
        if extra is not None:
            applied = applied.and_also(*extra)
        column = np.full(len(lanes), forces.morale[unit])
        found, passed = self.decide(kind, self.name(unit), lanes, self.book.morale_chart, column, applied, rule, again, f"must beat {forces.units[unit].morale}")
        return found, passed == 1

    # -- what failing does --------------------------------------------------------------------

    def fail(self, unit: int, lanes: Ids, cause: int, contagion: bool = True) -> None:
        """The general failure of a check: the unit's new state, its move, and the checks of those around it (rule 30; C4).

        Parameters
        ----------
        cause
            `PLAIN`, `BY_FIRE` (a rout may wait for the recovery segment) or `BY_MELEE` (leaving zones costs increments).
        contagion
            Whether the other units of the hex must check.
        """
        forces = self.forces
        lanes = lanes[forces.present(unit, lanes)]
        if not len(lanes):
            return
        forces.note("origin", unit, lanes, forces.hex[unit, lanes])
        if contagion:
            self.infect(unit, lanes)
        self._suffer(unit, lanes, cause)
        if contagion:
            self.contagion(cause)

    def infect(self, unit: int, lanes: Ids, arms: Sequence[int] = (INFANTRY, CAVALRY, ARTILLERY)) -> None:
        """Mark the units that share a failed unit's hex: they must check (rule 31, item 13)."""
        forces = self.forces
        for mate, mask in forces.with_in_hex(unit, lanes):
            if forces.arm[mate] in arms:
                forces.mark(mate, lanes[mask & (forces.state[mate, lanes] < ROUTED)], CONTAGION)

    def contagion(self, cause: int) -> None:
        """Every marked unit checks once, in unit order, without further chain."""
        forces = self.forces
        for mate in range(len(forces.units)):
            lanes = forces.take_marked(mate, CONTAGION)
            lanes, passed = self.check(f"contagion/{forces.units[mate].id}", mate, lanes, "31", again=True)
            self.fail(mate, lanes[~passed], cause, contagion=False)

    def _suffer(self, unit: int, lanes: Ids, cause: int) -> None:
        forces = self.forces
        state = morale.failure(int(forces.arm[unit]), forces.state[unit, lanes], forces.formation[unit, lanes])
        forces.note("hit", unit, lanes[state != morale.STAYS], 1)
        shaken, broken = lanes[state == DISORDERED], lanes[state == ROUTED]
        if len(shaken):
            forces.become(unit, shaken, DISORDERED)
            self.tell("30", self.name(unit), "is disordered")
            self.retreat((unit,), shaken[forces.formation[unit, shaken] != UNLIMBERED], zone_loss=int(cause == BY_MELEE), by_melee=cause == BY_MELEE)
        if len(broken):
            forces.become(unit, broken, ROUTED)
            self.tell("30", self.name(unit), "routs")
            broken = broken[forces.present(unit, broken)]
            if cause == BY_FIRE and self.switches["rout_by_fire"] == "recovery":
                forces.note("rout_due", unit, broken, 1)
            else:
                self.rout((unit,), broken, zone_loss=int(cause == BY_MELEE))

    # -- moves of those who give way ------------------------------------------------------------

    def rout_points(self, group: Sequence[int]) -> int:
        """Points of a rout move: cavalry its printed movement, others 10; the least of the group."""
        forces = self.forces
        foot = int(self.book.data["retreat"]["rout"])
        return min(int(forces.movement[u]) if forces.arm[u] == CAVALRY else foot for u in group)

    def rout(self, group: Sequence[int], lanes: Ids, zone_loss: int = 0, first: Cases | None = None) -> None:
        """The rout move of units of one hex that leave together: the full move, or they surrender."""
        self._move(group, lanes, None, True, zone_loss, first, False)

    def retreat(self, group: Sequence[int], lanes: Ids, points: int | None = None, zone_loss: int = 0, by_melee: bool = False, first: Cases | None = None) -> None:
        """Fall back: as far as possible, at least a hex, or stay. `points` defaults to those of a disordered unit."""
        self._move(group, lanes, points or int(self.book.data["retreat"]["disordered"]), False, zone_loss, first, by_melee)

    def _move(self, group: Sequence[int], lanes: Ids, points: int | None, full: bool, zone_loss: int, first: Cases | None, by_melee: bool) -> None:
        forces = self.forces
        bits = np.zeros(len(lanes), np.int64)
        for k, unit in enumerate(group):
            bits |= forces.present(unit, lanes).astype(np.int64) << k
        for pattern in np.unique(bits[bits > 0]).tolist():
            members = tuple(unit for k, unit in enumerate(group) if pattern >> k & 1)
            chosen = bits == pattern
            self._move_group(members, lanes[chosen], points, full, zone_loss, None if first is None else first[chosen], by_melee)

    def _move_group(self, group: tuple[int, ...], lanes: Ids, points: int | None, full: bool, zone_loss: int, first: Cases | None, by_melee: bool) -> None:
        forces = self.forces
        budget = self.rout_points(group) if points is None else points
        flat = full and bool(self.switches["rout_ignores_terrain"])
        situations, which = forces.situations(lanes)
        starts: Sequence[Hex | None] = [None] * len(situations)
        if first is not None:
            starts = [forces.map.hex(int(first[np.flatnonzero(which == s)[0]])) for s in range(len(situations))]
        moves = [retreat(one, group, budget, full, flat, self.horizon, start) for one, start in zip(situations, starts, strict=True)]
        ends = np.array([forces.map.number(move.end) for move in moves])[which]
        direction = np.array([-1 if move.direction is None else move.direction for move in moves])[which]
        surrendered = np.array([move.surrendered for move in moves])[which]
        stuck = (direction < 0) & ~full & (forces.state[group[0], lanes] == DISORDERED)
        if self.switches["dd_cannot_retreat"] == "surrender":
            surrendered = surrendered | stuck
        went = (direction >= 0) & ~surrendered
        for unit in group:
            corner = forces.book.corner_facing[forces.kind[unit], forces.formation[unit, lanes[went]]]
            forces.place(unit, lanes[went], ends[went], 2 * direction[went] + corner)
            forces.remove(unit, lanes[surrendered], SURRENDERED)
        self._tell_move(group, moves, full)
        if zone_loss:
            cost = zone_loss * np.array([move.zone_hexes for move in moves])[which]
            forces.lose_in_order(group, lanes[went], cost[went])
        if by_melee and not full and forces.arm[group[0]] != CAVALRY:
            caught = went & np.array([move.cavalry_zone for move in moves])[which]
            for unit in group:
                forces.become(unit, lanes[caught & (forces.state[unit, lanes] == DISORDERED)], ROUTED)
        crossed = sorted({u for move in moves for u in move.passed})
        for friend in crossed:
            there = lanes[np.array([friend in move.passed for move in moves])[which] & went]
            forces.mark(friend, there[forces.state[friend, there] == GOOD], PASSED)
        for friend in crossed:
            self._passed_through(friend)

    def _passed_through(self, friend: int) -> None:
        """Good-order units through whose hex routers passed must check (rule 31, item 2)."""
        lanes = self.forces.take_marked(friend, PASSED)
        lanes, passed = self.check(f"pass-through/{self.forces.units[friend].id}", friend, lanes, "31", again=True)
        self.fail(friend, lanes[~passed], PLAIN)

    def _tell_move(self, group: tuple[int, ...], moves: Sequence[Any], full: bool) -> None:
        if self.journal is None:
            return
        move, who = moves[0], " and ".join(self.name(unit) for unit in group)
        if move.surrendered:
            self.tell("30", who, "cannot make the full rout move and surrenders")
        elif move.direction is None:
            self.tell("30", who, "has nowhere to go and stays")
        else:
            self.tell("30", who, f"{'runs' if full else 'falls back'} to {move.end}")

    # -- losses -------------------------------------------------------------------------------

    def spread_losses(self, side: int, hexes: Cases, lanes: Ids, result: Cases, halve_guns: bool) -> None:
        """Let losses fall on the units of a side in a hex, top first; with unlimbered guns in turn (B2.9).

        Parameters
        ----------
        halve_guns
            Fire: unlimbered guns alone lose half.
        """
        from sim.rules.fire import split_losses

        forces = self.forces
        units = [u for u in range(len(forces.units)) if forces.side[u] == side]
        here = {u: (forces.hex[u, lanes] == hexes) & (hexes != forces.map.off) & (forces.sheltered[u, lanes] == 0) for u in units}
        guns = {u: here[u] & (forces.formation[u, lanes] == UNLIMBERED) & (forces.arm[u] == ARTILLERY) for u in units}
        formed = {u: here[u] & ~guns[u] for u in units}
        any_formed = np.logical_or.reduce([formed[u] for u in units])
        any_guns = np.logical_or.reduce([guns[u] for u in units])
        on_formed, on_guns = split_losses(result, any_formed, any_guns)
        if not halve_guns:
            on_guns = np.where(any_guns & ~any_formed, result, on_guns)
        for share, standing in ((on_formed, formed), (on_guns, guns)):
            left = np.array(share, np.int64)
            for unit in units:
                where = standing[unit] & (left > 0)
                if where.any():
                    left[where] -= forces.lose(unit, lanes[where], left[where])
