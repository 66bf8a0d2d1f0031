"""Players without a plan, to measure others by: `idle` stands and fires, `march` walks at what it is to take
and assaults whatever it meets (docs/doctrine.md).

Arrays have shape (k,), one element a case or pair, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.battle.players import KEEP, Intent, Numbers, Still
from sim.battle.shooting import Shots
from sim.board.contacts import NOBODY
from sim.board.tables import Ints
from sim.charge.charge import Charge
from sim.charge.declaration import Defender
from sim.charge.waves import charges_of, may_charge, possible_charges
from sim.combat.play import Play
from sim.doctrine import chances
from sim.doctrine.tasks import NO_WAY, Tasks
from sim.doctrine.ways import Ways
from sim.ensemble.cases import Cases, Mask, Pairs
from sim.ensemble.lanes import Ids
from sim.units.battles import Scenario
from sim.units.orders import RESPONSE_CODES
from sim.units.styles import Fire
from sim.vocabulary import ARTILLERY, CAVALRY, COLUMN, GENERAL_ORDER, GOOD, INFANTRY, SQUARE

ANYBODY = Fire(prey=0, disordered=0, general_order=0, guns=0)
"""What targets are worth to who makes no difference between them."""
NO_LIMIT = 99


class Idle(Still):
    """Stays where it is, fires, and meets what comes; parameters and attributes as for `Styled`."""

    takes_aim = True

    def __init__(self, play: Play, scenario: Scenario, side: int, ways: Ways) -> None:
        self.play, self.forces, self.side = play, play.forces, side
        self._ways = ways
        self.tasks = Tasks.of(scenario, side, play.forces, ways)
        self.enemy: Defender = self

    @property
    def ways(self) -> Ints:
        """As `battle.players.Player` says, here as below; shape (ways, hexes)."""
        return self._ways.table

    def begin_turn(self, turn: int) -> None:
        """The orders of the turn count."""
        self.tasks.begin_turn(turn)

    def opportunity(self, pairs: Pairs) -> Mask:
        """Who can fire does."""
        return np.ones(len(pairs), np.bool_)

    def aims(self, pairs: Pairs, defensive: bool) -> Mask:
        """Each hex at the greatest target, guns at the closest, squares at all round them."""
        assert isinstance(pairs, Shots)
        forces, target = self.forces, pairs.there
        guns, none = forces.arm[pairs.unit] == ARTILLERY, np.zeros(len(pairs), np.bool_)
        seen = forces.increments[target], forces.formation[target], forces.state[target]
        worth = chances.worth_of_fire(ANYBODY, pairs.hexes, guns, *seen, none)
        place = chances.keys(pairs.lane, pairs.place, forces.map.off + 1)
        return chances.best_of(place, worth) | (forces.formation[pairs.at] == SQUARE)


class March(Idle):
    """Walks at the goals of its orders, or else at the nearest enemy, whatever the odds; charges and assaults
    all that it can. Batteries stay."""

    def charges(self) -> Sequence[Charge]:
        """Each regiment charges, if it can charge anybody."""
        able = may_charge(self.play, self.side)
        possible = possible_charges(self.play, self.side, np.ones_like(able))
        return charges_of(self.play, self.side, possible.where(self._first(possible)), self.enemy)

    def opportunity_charges(self, pairs: Pairs) -> Mask:
        """Whenever it can."""
        return self._first(pairs)

    def responses(self, units: Ids, lanes: Ids) -> Numbers:
        """Cavalry reacts; shape (units, k)."""
        rides = (self.forces.arm[units] == CAVALRY)[:, None] & (
            self.forces.state[np.ix_(units, lanes)] == GOOD
        )
        return np.where(rides, RESPONSE_CODES["react"], 0)

    def march(self, cases: Cases) -> Intent:
        """By the shortest way, in column, until something stops it."""
        forces = self.forces
        way = self.tasks.way[cases.unit].astype(np.int64)
        (stray,) = (way == NO_WAY).nonzero()
        way[stray] = self._to_enemies(cases.take(stray))
        able = (forces.state[cases.at] == GOOD) & (forces.arm[cases.unit] != ARTILLERY)
        way = np.where(able, way, NO_WAY)
        shape, foot = forces.formation[cases.at], forces.arm[cases.unit] == INFANTRY
        forms = (way != NO_WAY) & foot & (shape != COLUMN) & (shape != GENERAL_ORDER)
        none = np.zeros(len(cases), np.bool_)
        most = np.full(len(cases), NO_LIMIT)
        return Intent(way, np.where(forms, COLUMN, KEEP), most, none, none.copy())

    def storms(self, pairs: Pairs) -> Mask:
        """Each unit that can assault does."""
        return self._first(pairs)

    def occupies(self, cases: Cases) -> Mask:
        """Whatever is won."""
        return np.ones(len(cases), np.bool_)

    def _first(self, pairs: Pairs) -> Mask:
        """The first pair of each unit in a lane."""
        group = chances.keys(pairs.lane, pairs.unit, len(self.forces.units))
        return chances.best_of(group, np.zeros(len(pairs), np.int64))

    def _to_enemies(self, cases: Cases) -> Numbers:
        """Rows that lead to the nearest enemies, `NO_WAY` where there are none."""
        forces, found = self.forces, np.full(len(cases), NO_WAY)
        theirs = np.flatnonzero(forces.side != self.side)
        places = forces.hex[np.ix_(theirs, cases.lane)].astype(np.int64)
        far = np.where(
            places == forces.map.off, NOBODY, forces.map.distances(places, forces.hex[cases.at][None])
        )
        nearest = far.argmin(axis=0)
        there = far.min(axis=0, initial=NOBODY) < NOBODY
        goals = places[nearest, np.arange(len(cases))]
        for arm in (INFANTRY, CAVALRY):
            some = there & (forces.arm[cases.unit] == arm)
            found[some] = self._ways.to_hexes(arm, goals[some])
        return found
