"""The battle itself: one SimPy environment, N runs in lanes, and what every chapter of it needs.

A unit is a process that waits for its own event, acts, and says it is done. Events mean "your turn", never "a condition
holds": conditions are masks over lanes. After every roll lanes may have split, so nothing about lanes is kept across one: functions
find their lanes again from the facts.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray

from sim.board.hexmap import bearing, distance
from sim.board.tables import Flight
from sim.ensemble.dice import Chart
from sim.old.dice import Dice
from sim.old.events import PLAIN, Event
from sim.old.forces import PASSED, Forces
from sim.old.journal import Entry, Fact, Journal, Moved
from sim.old.lanes import Ids
from sim.rules.strengths import Strengths
from sim.rulesets.modifiers import Applied, ModifierTable
from sim.units.orders import Orders
from sim.vocabulary import (
    ABANDONED,
    ARTILLERY,
    CAVALRY,
    DISORDERED,
    GOOD,
    INFANTRY,
    ROUTED,
    SEGMENTS,
    SURRENDERED,
    UNLIMBERED,
    Reason,
)

Mask = NDArray[np.bool_]
Cases = NDArray[Any]
Process = Generator[simpy.Event, Any, None]
Action = Callable[[int], "Process | None"]


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
        self.events = 0
        self._told = forces.increments[:, 0].tolist() if journal is not None else []
        dice.begin(forces)

    # -- the timeline -------------------------------------------------------------------------

    def run(self) -> None:
        """Play to the end."""
        for unit in range(len(self.forces.units)):
            self.env.process(self._unit(unit))
        self.env.run(self.env.process(self._chronology()))
        if self.journal is not None:
            self._tell_losses(self.journal)

    def _chronology(self) -> Process:
        from sim.old.segments import play_segment

        for segment in SEGMENTS:
            self.segment = segment
            yield from play_segment(self, segment)
            self._fate_of_guns()
            self.dice.merge()
            yield self.env.timeout(1)

    def _fate_of_guns(self) -> None:
        """At the end of a segment guns without a crew are manned again, or taken by an enemy next to them (0-decisions 5.26)."""
        forces, everybody = self.forces, range(len(self.forces.units))
        for unit in np.flatnonzero(forces.unmanned[:, : forces.n].any(axis=1)).tolist():
            lanes = np.flatnonzero(forces.unmanned[unit, : forces.n])
            manned, alone = np.zeros(len(lanes), bool), np.ones(len(lanes), bool)
            for mate, there in forces.with_in_hex(unit, lanes):
                manned |= there & (forces.arm[mate] == INFANTRY) & (forces.state[mate, lanes] == GOOD)
                alone &= ~there
            enemies = [u for u in everybody if forces.side[u] != forces.side[unit]]
            near = np.logical_or.reduce(
                [forces.map.distances(forces.hex[u, lanes], forces.hex[unit, lanes]) <= 1 for u in enemies]
            )
            forces.note("unmanned", unit, lanes[manned], 0)
            lost = lanes[~manned & alone & near]
            forces.remove(unit, lost, ABANDONED)
            if manned.any() or len(lost):
                self.tell(
                    "41",
                    self.name(unit),
                    "is manned again" if manned.any() else "is lost: abandoned, with an enemy next to it",
                )

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
        strengths: Strengths | None = None,
    ) -> tuple[Ids, NDArray[np.int16]]:
        """Ask the dice, and note it in the journal. Returns the lanes that came of it and the joint outcome of each."""
        decision = f"{self.turn}.{self.half}.{self.segment}/{kind}"
        ask = self.dice.outcome_again if again else self.dice.outcome
        found, values = ask(decision, lanes, chart, column, applied.total)
        if self.journal is not None and len(lanes):
            self._note_roll(who, chart, applied, int(values[0]), rule, asked, strengths)
        return found, values

    def _note_roll(
        self,
        who: str,
        chart: Chart,
        applied: Applied,
        value: int,
        rule: str,
        asked: str,
        strengths: Strengths | None,
    ) -> None:
        if self.journal is None:
            return
        decision, faces, roll = self.dice.rolled[-1]
        told = tuple((one.label, int(amounts[0]), one.source) for one, amounts in applied.items if amounts[0])
        outcome = str(chart.outcomes[value % len(chart.outcomes)])
        self._enter(
            Entry(
                self.segment,
                rule,
                who,
                asked,
                None,
                decision,
                roll,
                faces,
                told,
                chart.name,
                outcome,
                strengths,
            )
        )

    def tell(self, rule: str, who: str, what: str | Fact) -> None:
        """Note something that took no roll."""
        if self.journal is not None:
            text, fact = (what, None) if isinstance(what, str) else ("", what)
            self._enter(Entry(self.segment, rule, who, text, fact))

    def _enter(self, entry: Entry) -> None:
        """Add a step to the journal, behind the losses that the step before it brought."""
        if self.journal is None:
            return
        self._tell_losses(self.journal)
        self.journal.entries.append(entry)

    def _tell_losses(self, journal: Journal) -> None:
        forces, entries = self.forces, journal.entries
        now = forces.increments[:, 0].tolist()
        for unit, (before, after) in enumerate(zip(self._told, now, strict=True)):
            if after < before:
                reason = Reason(forces.reason[unit, 0])
                gone = reason.word if reason and not after else ""
                text = f"loses {before - after}" + (f": {gone}" if gone else "")
                entries.append(Entry(entries[-1].segment, entries[-1].rule, self.name(unit), text))
        self._told = now

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
        strengths: Strengths | None = None,
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
        strengths
            What the odds of `extra` were found from, for a told run.
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
        spared = self._spared(applied, unit, lanes, rule)
        if spared is not None:
            lanes, free, applied = lanes[~spared], lanes[spared], applied.where(~spared)
            if not len(lanes):
                return free, np.ones(len(free), bool)
        column = np.full(len(lanes), forces.morale[unit])
        found, passed = self.decide(
            kind,
            self.name(unit),
            lanes,
            self.book.morale_chart,
            column,
            applied,
            rule,
            again,
            f"must beat {forces.units[unit].morale}",
            strengths,
        )
        if spared is not None:
            return np.concatenate([found, free]), np.concatenate([passed == 1, np.ones(len(free), bool)])
        return found, passed == 1

    def _spared(self, applied: Applied, unit: int, lanes: Ids, rule: str) -> Mask | None:
        """Where a modifier spares a unit its check, and a word of it; None where none does."""
        where = np.zeros(len(lanes), bool)
        for modifier, mask in applied.spared:
            if mask.any() and not where.any():
                self.tell(rule, self.name(unit), f"makes no check: {modifier.label} ({modifier.source})")
            where |= mask
        return where if where.any() else None

    # -- moves of those who give way ------------------------------------------------------------

    def rout_points(self, group: Sequence[int]) -> int:
        """Points of a rout move: cavalry its printed movement, others 10; the least of the group."""
        forces = self.forces
        foot = self.book.blocks.retreat.rout
        return min(int(forces.movement[u]) if forces.arm[u] == CAVALRY else foot for u in group)

    def rout(self, group: Sequence[int], lanes: Ids, zone_loss: int = 0) -> None:
        """The rout move of units of one hex that leave together: the full move, or they surrender."""
        self._move(group, lanes, None, zone_loss, False)

    def retreat(
        self,
        group: Sequence[int],
        lanes: Ids,
        points: int | None = None,
        zone_loss: int = 0,
        by_melee: bool = False,
    ) -> None:
        """Fall back: as far as possible, at least a hex, or stay. `points` defaults to those of a disordered unit."""
        self._move(group, lanes, points or self.book.blocks.retreat.disordered, zone_loss, by_melee)

    def _move(
        self, group: Sequence[int], lanes: Ids, points: int | None, zone_loss: int, by_melee: bool
    ) -> None:
        """Move off those of a group who are there; cavalry on a square goes first to the hex it came from, if that is free."""
        forces = self.forces
        bits = np.zeros(len(lanes), np.int64)
        for k, unit in enumerate(group):
            bits |= forces.present(unit, lanes).astype(np.int64) << k
        back = self._way_back(group[0], lanes)
        for pattern in np.unique(bits[bits > 0]).tolist():
            members = tuple(unit for k, unit in enumerate(group) if pattern >> k & 1)
            chosen = bits == pattern
            self._move_group(members, lanes[chosen], points, zone_loss, back[chosen], by_melee)

    def _way_back(self, unit: int, lanes: Ids) -> Cases:
        """The free hex from which cavalry rode onto an enemy's, `off` where there is none."""
        forces = self.forces
        back = np.full(len(lanes), forces.map.off)
        if forces.arm[unit] != CAVALRY or not forces.came_from[unit].any():
            return back
        from_ = forces.came_from[unit, lanes]
        free = forces.shares_hex(unit, lanes) & (from_ > 0)
        for other in range(len(forces.units)):
            free &= forces.hex[other, lanes] != from_
        return np.where(free, from_, back)

    def _move_group(
        self,
        group: tuple[int, ...],
        lanes: Ids,
        points: int | None,
        zone_loss: int,
        first: Cases,
        by_melee: bool,
    ) -> None:
        forces = self.forces
        full = points is None
        budget = self.rout_points(group) if points is None else points
        flat = full and bool(self.switches["rout_ignores_terrain"])
        flight = forces.survey.retreat(group, lanes, budget, full, flat, self.horizon, first)
        ends, direction, surrendered = flight.end, flight.direction, flight.surrendered
        stuck = (direction < 0) & (not full) & (forces.state[group[0], lanes] == DISORDERED)
        if self.switches["dd_cannot_retreat"] == "surrender":
            surrendered = surrendered | stuck
        went = (direction >= 0) & ~surrendered
        self._tell_move(group, lanes, flight, full)
        for unit in group:
            corner = forces.book.corner_facing[forces.kind[unit], forces.formation[unit, lanes[went]]]
            forces.place(unit, lanes[went], ends[went], 2 * direction[went] + corner)
            forces.note("rout_due", unit, lanes[went], 0)
            forces.remove(unit, lanes[surrendered], SURRENDERED)
        if zone_loss:
            cost = zone_loss * flight.zone_hexes
            if self.switches["zone_loss"] == "group":
                forces.lose_in_order(group, lanes[went], cost[went])
            else:
                for unit in group:
                    forces.lose(unit, lanes[went], cost[went])
        if by_melee and not full and forces.arm[group[0]] != CAVALRY:
            caught = went & flight.cavalry_zone & (forces.state[group[0], lanes] == DISORDERED)
            for unit in group:
                routs = lanes[caught & (forces.state[unit, lanes] == DISORDERED)]
                forces.become(unit, routs, ROUTED)
                if len(routs):
                    self.tell("30", self.name(unit), "enters a zone of cavalry and routs")
        crossed = np.flatnonzero(flight.passed.any(axis=1)).tolist()
        for friend in crossed:
            there = lanes[flight.passed[friend] & went]
            forces.mark(
                friend,
                there[(forces.state[friend, there] == GOOD) & (forces.unmanned[friend, there] == 0)],
                PASSED,
            )
        with Event(
            self, PLAIN
        ) as event:  # good-order units through whose hex routers passed must check (rule 31, item 2)
            for friend in crossed:
                event.check("pass-through", friend, forces.take_marked(friend, PASSED), "31")

    def _tell_move(self, group: tuple[int, ...], lanes: Ids, flight: Flight, full: bool) -> None:
        if self.journal is None:
            return
        who = " and ".join(self.name(unit) for unit in group)
        if flight.surrendered[0]:
            self.tell("30", who, "cannot make the full rout move and surrenders")
        elif flight.direction[0] < 0:
            self.tell("30", who, "has nowhere to go and stays")
        else:
            here, end = (
                self.forces.map.hex(number) or (0, 0)
                for number in (self.forces.hex[group[0], lanes[0]], flight.end[0])
            )
            ahead = 30 * int(self.forces.facing[group[0], lanes[0]])
            self.tell(
                "30", who, Moved(full, distance(here, end), (bearing(here, end) - ahead + 180) % 360 - 180)
            )

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
        here = {
            u: (forces.hex[u, lanes] == hexes) & (hexes != forces.map.off) & (forces.unmanned[u, lanes] == 0)
            for u in units
        }
        guns = {
            u: here[u] & (forces.formation[u, lanes] == UNLIMBERED) & (forces.arm[u] == ARTILLERY)
            for u in units
        }
        formed = {u: here[u] & ~guns[u] for u in units}
        any_formed = np.logical_or.reduce([formed[u] for u in units])
        any_guns = np.logical_or.reduce([guns[u] for u in units])
        on_formed, on_guns = split_losses(result, any_formed, any_guns)
        if not halve_guns:
            on_guns = np.where(any_guns & ~any_formed, result, on_guns)
        for share, standing in ((on_formed, formed), (on_guns, guns)):
            left = np.array(share, np.int64)
            for bottom in (0, 1):  # those who took shelter lie at the bottom
                for unit in units:
                    where = standing[unit] & (left > 0) & (forces.sheltered[unit, lanes] == bottom)
                    if where.any():
                        left[where] -= forces.lose(unit, lanes[where], left[where])
