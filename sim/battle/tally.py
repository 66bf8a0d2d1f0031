"""What a battle counts beside the state: who holds places, which levels are reached, when reinforcements
come, what the conditions of victory measured; and the ledger that these are measured by.

Arrays have shape (things, lanes).
"""

from __future__ import annotations

from functools import cache

import numpy as np

from sim.combat.play import Play
from sim.ensemble.frames import Frame, Row, Rows, per_place
from sim.rules.victory import Ledger, measured, results
from sim.units.battles import Scenario
from sim.units.forces import Mask, Numbers
from sim.units.victory import leaves, measures
from sim.vocabulary import AWAITED, DISORDERED, GONE, INFANTRY, LEFT, ROUTED

NOBODY = -1


class Counts(Frame):
    """Rows that a battle counts in; how many of each, its scenario says."""

    holder: Rows
    level: Rows
    comes: Rows
    spread: Rows
    shut: Rows
    measure: Rows


@cache
def counts_of(places: int, organisations: int, arrivals: int, measured_: int) -> type[Counts]:
    """The kind of frame for so many of each."""

    class Sized(Counts):
        holder: Rows = per_place("number of the side that stood there last", places, NOBODY, high=1)
        level: Rows = per_place("level that an organisation has reached", organisations, high=3)
        comes: Rows = per_place("turn from which a reinforcement may come; 0: its roll is to come", arrivals)
        spread: Rows = per_place("rings beyond its own hexes by which it may come", arrivals, 1)
        shut: Rows = per_place("turn in which it last found everything blocked", arrivals)
        measure: Rows = per_place("what was measured at the end of its turn", measured_, low=-32_000)

    return Sized


class Tally:
    """Counts of a battle.

    Parameters
    ----------
    play, scenario
        The battle, and what it is about.

    Attributes
    ----------
    counts
        The frame of them.
    places
        The hexes whose holders are counted, in the order of the rows.
    measures
        What the ladder measures, in the order of the rows.
    """

    def __init__(self, play: Play, scenario: Scenario) -> None:
        self.play, self.forces, self.scenario = play, play.forces, scenario
        named = [
            one for rung in scenario.ladder for leaf in leaves(rung.condition) for one in leaf.measure.hexes
        ]
        aimed = [one for order in scenario.orders for one in order.hexes]
        self.places = tuple(dict.fromkeys([*scenario.holders, *named, *aimed]))
        self.measures = measures(scenario.ladder)
        things = (self.places, scenario.organisations, scenario.arrivals, self.measures)
        sizes = [max(1, len(one)) for one in things]
        self.counts: Counts = counts_of(*sizes)(play.ensemble)
        map_ = self.forces.map
        self.hex_numbers = {one: map_.number(one) for one in self.places}
        self._row_of = np.full(map_.off + 1, NOBODY, np.int16)
        for row, one in enumerate(self.places):
            self._row_of[map_.number(one)] = row
            self.counts.holder[row] = scenario.holders.get(one, NOBODY)
        self._start = self.forces.increments[:, :1].copy()
        self._infantry: Mask = self.forces.arm == INFANTRY

    # -- reading ----------------------------------------------------------------------------------

    def broken(self) -> Mask:
        """Who is routed or was lost, not who left or is still to come, shape (units, lanes)."""
        state, reason = self.forces.state, self.forces.reason
        return (state == ROUTED) | ((state == GONE) & (reason != LEFT) & (reason != AWAITED))

    def lost(self) -> Numbers:
        """Increments lost, those surrendered or abandoned among them, shape (units, lanes)."""
        return self._start - self.forces.increments

    def left(self) -> Numbers:
        """Increments that left the map by an exit, shape (units, lanes)."""
        return np.where(self.forces.reason == LEFT, self.forces.increments, np.int16(0))

    def ledger(self) -> Ledger:
        """Everything as it stands, for the conditions of victory."""
        forces, counts = self.forces, self.counts
        return Ledger(
            sides=forces.side,
            infantry=self._infantry,
            lost=self.lost(),
            left=self.left(),
            left_by=forces.exit,
            broken=self.broken(),
            holders=dict(zip(self.places, counts.holder, strict=True)),
            levels=counts.level,
            hex_numbers=self.hex_numbers,
        )

    # -- counting ---------------------------------------------------------------------------------

    def hold(self) -> None:
        """Who stands in a place when a half ends holds it, in good order or disordered."""
        forces = self.forces
        fit = (forces.state <= DISORDERED) & (forces.unmanned == 0)
        for rows in (forces.hex, forces.second):
            row = self._row_of[rows]
            unit, lane = ((row >= 0) & fit).nonzero()
            self.counts.holder[row[unit, lane], lane] = forces.side[unit]

    def measure(self, turn: int) -> Row:
        """At the end of a turn measure what is not settled yet, and say which rung of the ladder would be the
        result as things stand, shape (lanes,)."""
        ledger, rows = self.ledger(), self.counts.measure
        for row, one in enumerate(self.measures):
            if one.turn is None or one.turn >= turn:
                rows[row] = measured(one, ledger)
        values = dict(zip(self.measures, rows, strict=True))
        return results(self.scenario.ladder, values, self.play.ensemble.n)
