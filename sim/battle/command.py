"""The command step: morale levels on the hour, reinforcements, leaders who come back; and what closes a half
and a turn (rules 2, 43, 45; docs/battle.md T).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.battle.chronicle import Chronicle
from sim.battle.leading import come_back
from sim.battle.rest import Rest
from sim.battle.tally import Tally
from sim.battle.told import Enters, LevelReached
from sim.combat.play import Play
from sim.ensemble.cases import Cases
from sim.ensemble.dice import Chart
from sim.rules import levels, stacking, zones
from sim.rules.reinforcements import rings
from sim.rulesets.modifiers import Applied
from sim.units.battles import AGAIN, Arrival, DelayRoll, Scenario
from sim.units.fielded import sizes
from sim.units.forces import Mask, Numbers
from sim.vocabulary import AWAITED, FORMATIONS, INFANTRY, ROAD_MARCH

TO_BE_ROLLED = 0
"""In place of the turn from which a reinforcement may come."""


class Command:
    """What both sides do together between their halves.

    Parameters
    ----------
    play, scenario
        The battle, and what it is about.

    Attributes
    ----------
    tally
        What is counted.
    chronicle
        What is written down at the end of each turn; None where runs share lanes.
    """

    def __init__(self, play: Play, scenario: Scenario) -> None:
        self.play, self.forces, self.scenario = play, play.forces, scenario
        self.tally = Tally(play, scenario)
        self.chronicle = None if play.dice.lumped else Chronicle(self.tally)
        self.rest = Rest(play, 1 - scenario.first)
        self.turn = 1
        self._sizes = np.array(sizes(scenario))[:, None]
        self._arrival_of = np.full(len(scenario.units), -1)
        for number, arrival in enumerate(scenario.arrivals):
            self._arrival_of[list(arrival.units)] = number
            if arrival.delay is None:
                self.tally.counts.comes[number] = arrival.turn
            if not arrival.units:
                for leader in arrival.leaders:
                    self.forces.send_leader(leader, play.ensemble.all(), arrival.turn)
        self._rings = [
            rings(
                self.forces.map,
                arrival.hexes,
                scenario.sides[self._side(arrival)].home,
                play.book.blocks.movement.entry.spread,
            )
            for arrival in scenario.arrivals
        ]

    def _side(self, arrival: Arrival) -> int:
        some = (
            self.scenario.units[arrival.units[0]]
            if arrival.units
            else self.scenario.leaders[arrival.leaders[0]]
        )
        return [side.name for side in self.scenario.sides].index(some.side)

    # -- between the halves -----------------------------------------------------------------------

    def begin(self, turn: int) -> None:
        """The command step of a turn, counted from 1."""
        self.turn = turn
        come_back(self.play, turn)
        self._delays(turn)
        if self.scenario.calendar.hourly(turn):
            self._levels()

    def half_over(self, phasing: int) -> None:
        """The half of a side is over: cavalry has rested, and who stands in a place holds it."""
        self.rest.recover(phasing)
        self.tally.hold()

    def end(self, turn: int) -> None:
        """A turn is over: what the conditions of victory measure is measured, and written down."""
        standing = self.tally.measure(turn)
        if self.chronicle is not None:
            self.chronicle.write(turn, standing)

    # -- morale levels ----------------------------------------------------------------------------

    def _levels(self) -> None:
        """Every organisation's level, by its battalions that are routed or lost (T5, T6)."""
        forces, counts = self.forces, self.tally.counts
        broken = self.tally.broken()
        suffered = np.zeros_like(forces.level)
        for number, organisation in enumerate(self.scenario.organisations):
            battalions = np.array([n for n in organisation.units if forces.arm[n] == INFANTRY], np.intp)
            lost = broken[battalions].sum(axis=0)
            before = counts.level[number].copy()
            counts.level[number] = levels.level(lost, levels.reached_at(organisation))
            suffered[battalions] = counts.level[number]
            if self.play.recorder is not None:
                new = forces.cases(counts.level[number] != before, int(battalions[0]))
                self.play.log(
                    LevelReached,
                    new,
                    "43",
                    organisation=organisation.name,
                    level=counts.level[number, new.lane],
                )
        forces.set_levels(suffered)

    # -- reinforcements ---------------------------------------------------------------------------

    def _delays(self, turn: int) -> None:
        """Delay rolls that are due, once a turn until one says when they come (T7)."""
        counts, forces = self.tally.counts, self.forces
        for number, arrival in enumerate(self.scenario.arrivals):
            if arrival.delay is None or not arrival.units or turn < arrival.turn:
                continue
            cases = forces.cases(counts.comes[number] == TO_BE_ROLLED, arrival.units[0])
            if not len(cases):
                continue
            chart, late = _delay_chart(arrival.delay)
            zero = np.zeros(len(cases), np.int64)
            found, value = self.play.ask("delay", cases, chart, zero, Applied((), zero), "45")
            turns = late[value]
            counts.comes[number, found.lane] = np.where(turns == AGAIN, TO_BE_ROLLED, turn + turns)

    def waiting(self, unit: int) -> Mask:
        """Where a unit may come onto the map in this turn, shape (lanes,)."""
        number = int(self._arrival_of[unit])
        if number < 0:
            return np.zeros(self.play.ensemble.n, bool)
        comes = self.tally.counts.comes[number]
        due: Mask = (self.forces.reason[unit] == AWAITED) & (comes != TO_BE_ROLLED) & (comes <= self.turn)
        return due

    def enter(self, cases: Cases) -> Cases:
        """One unit comes onto the map where it is due, by the first hex that is open, in the movement segment
        of its side; where it finds none it waits (T8 to T12).

        Returns
        -------
        The cases in which it came.
        """
        if not len(cases):
            return cases
        forces, unit = self.forces, int(cases.unit[0])
        cases = cases.where(self.waiting(unit)[cases.lane])
        if not len(cases):
            return cases
        number = int(self._arrival_of[unit])
        arrival, mine = self.scenario.arrivals[number], self._rings[number]
        formation = FORMATIONS.index(arrival.formations[arrival.units.index(unit)])
        counts = self.tally.counts
        left, shut_out, came = cases, cases.where(cases.lane < 0), np.zeros(self.play.ensemble.n, bool)
        for ring, hexes in enumerate(mine):
            wider = counts.shut[number, left.lane] == self.turn  # counts from the next turn on
            near = counts.spread[number, left.lane] - wider >= ring
            shut_out, left = shut_out.joined(left.where(~near)), left.where(near)
            shut = np.ones(len(left), bool)
            for hex_ in hexes:
                if not len(left):
                    break
                here = forces.map.number(hex_)
                stands = self._stands(unit, here, formation)
                barred = self._barred(left, here)
                free = ~barred & (stands >= 0) & self._fits(left, here, stands)
                now = left.where(free)
                forces.arrive(now, here, 2 * ((forces.home[unit] + 3) % 6), max(stands, 0))
                forces.form(now, max(stands, 0))
                came[now.lane] = True
                shut, left = (shut & barred)[~free], left.where(~free)
            left = left.where(shut)  # where a hex is open but full they wait
        self._widen(number, shut_out.joined(left))
        found = forces.cases(came, unit)
        self.play.log(Enters, found, "45")
        return found

    def _widen(self, number: int, shut_out: Cases) -> None:
        """Who found everything blocked may come by the next ring in the next turn (T10)."""
        counts, lanes = self.tally.counts, shut_out.lane
        first = lanes[counts.shut[number, lanes] != self.turn]
        counts.spread[number, first] += 1
        counts.shut[number, first] = self.turn

    def _stands(self, unit: int, here: int, formation: int) -> int:
        """The formation in which a unit stands in a hex that it enters, -1 where it may not."""
        forces, book = self.forces, self.play.book
        return int(book.formation_after[forces.arm[unit], formation, forces.ground[here]])

    def _barred(self, cases: Cases, here: int) -> Mask:
        """Where an enemy stands in a hex or has it in his zone."""
        forces, lanes = self.forces, cases.lane
        at = np.full(len(cases), here)
        enemies = (forces.side != forces.side[cases.unit[0]])[:, None]
        there = forces.standing(at, lanes) & enemies
        has = zones.has_zone(
            forces.formation[:, lanes], forces.state[:, lanes], forces.unmanned[:, lanes] > 0
        )
        zone = zones.in_zone(self.play.survey.bearing(lanes, at), has) & enemies
        return np.asarray((there | zone).any(axis=0))

    def _fits(self, cases: Cases, here: int, formation: int) -> Mask:
        """Where a unit may join its friends in a hex."""
        forces, lanes = self.forces, cases.lane
        there = forces.standing(np.full(len(cases), here), lanes, forces.side[cases.unit])
        alone: Mask = np.asarray(~there.any(axis=0))
        if alone.all():
            return alone
        unit = cases.unit[0]
        there[unit] = True
        formations, increments = forces.formation[:, lanes].copy(), forces.increments[:, lanes]
        formations[unit] = formation
        arm, ground = forces.arm[:, None], np.full(len(cases), forces.ground[here])
        room = stacking.within(self.play.book.stack_limits, ground, there, arm, increments, self._sizes)
        if formation == ROAD_MARCH:
            most = self.play.book.blocks.movement.road.increments
            room &= stacking.within_road_march(there, formations, increments, most)
        alone |= room & stacking.alike(there, arm, formations)
        return alone


def _delay_chart(delay: DelayRoll) -> tuple[Chart, Numbers]:
    """A delay roll as a chart, and the turns late by its outcome."""
    late = sorted(set(delay.late))
    values = np.array([[late.index(one) for one in delay.late]], np.int16)
    words = {AGAIN: "rolls again", 0: "on time", 1: "a turn late"}
    return Chart("delay", values, tuple(words.get(one, f"{one} turns late") for one in late)), np.array(late)
