"""A player for one side, by the scenario's orders and the numbers of a style (docs/doctrine.md).

He looks at the forces and the board, remembers his plan by lane, and changes nothing. Arrays have shape (k,),
one element a case or pair, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.battle.players import Intent
from sim.battle.shooting import Shots
from sim.board.tables import Ints
from sim.charge.charge import Charge
from sim.charge.declaration import Defender
from sim.charge.waves import charges_of, may_charge, possible_charges
from sim.combat.play import Play
from sim.doctrine import chances, told
from sim.doctrine.leading import Leading
from sim.doctrine.marching import Marching
from sim.doctrine.odds import assault_odds
from sim.doctrine.tasks import HOLD, Tasks
from sim.doctrine.telling import tell
from sim.doctrine.ways import Ways
from sim.ensemble.cases import Cases, Mask, Pairs
from sim.ensemble.frames import Flags
from sim.ensemble.lanes import Ids
from sim.units.battles import Scenario
from sim.units.orders import RESPONSE_CODES
from sim.units.styles import Style
from sim.vocabulary import ARTILLERY, CAVALRY, FRONT, GOOD, LINE, SQUARE, Readiness

Numbers = NDArray[np.integer]
TOO_TIRED = int(Readiness.EXHAUSTED)


class Styled:
    """The player of one side.

    Parameters
    ----------
    play
        The battle.
    scenario
        Whose orders he follows; units and leaders by its numbers.
    ways
        Those on its map for its units.

    Attributes
    ----------
    enemy
        Who answers for the other side when it is charged; to be set when both players are there.
    """

    takes_aim = True

    def __init__(self, play: Play, scenario: Scenario, side: int, ways: Ways, style: Style) -> None:
        self.play, self.forces, self.side, self.style = play, play.forces, side, style
        self._ways = ways
        self.tasks = Tasks.of(scenario, side, self.forces, ways)
        self.marching = Marching(play, side, self.tasks, self._ways, style)
        self.leading = Leading(play, scenario, side, self.marching, style.leaders)
        square = RESPONSE_CODES[f"carre@{style.square.at}"]
        self._square, self._reacts = square, RESPONSE_CODES["react"]
        self.enemy: Defender = self
        forces = self.forces
        self._odds = assault_odds(play.book)
        self._worth = forces.melee.num / forces.melee.den / np.maximum(forces.printed, 1)

    @property
    def ways(self) -> Ints:
        """As `battle.players.Player` says, here as below; shape (ways, hexes)."""
        return self._ways.table

    def begin_turn(self, turn: int) -> None:
        """The orders of the turn count."""
        self.tasks.begin_turn(turn)
        self.marching.turn = turn

    def begin_half(self, phasing: int) -> None:
        """What was planned is out of date."""
        self.marching.forget()

    # -- charges ----------------------------------------------------------------------------------

    def charges(self) -> Sequence[Charge]:
        """Cavalry charges what it can with good prospects, each regiment its best target."""
        possible = possible_charges(self.play, self.side, self._promising())
        return charges_of(self.play, self.side, possible.where(self._best(possible)), self.enemy)

    def _promising(self) -> Flags:
        """Who might be worth a charge of all the cavalry, if it came from behind, shape (units, lanes)."""
        forces, theirs = self.forces, self.marching.theirs
        able = may_charge(self.play, self.side)
        riders = forces.increments * able
        most = np.maximum(riders.max(axis=0), riders.sum(axis=0) * float(self.style.charge.together))
        increments, formation, state = (
            forces.increments[theirs],
            forces.formation[theirs],
            forces.state[theirs],
        )
        arm, always = forces.arm[theirs][:, None], np.ones(formation.shape, np.bool_)
        arm = np.broadcast_to(arm, formation.shape)
        worth = chances.prospects(self.style.charge, most, increments, arm, formation, state, always)
        found = np.zeros(able.shape, np.bool_)
        found[theirs] = worth >= 1
        return found

    def responses(self, units: Ids, lanes: Ids) -> Numbers:
        """Infantry tries carré; cavalry reacts that is not exhausted, and not too weak. Shape (units, k)."""
        forces, at, arm = self.forces, np.ix_(units, lanes), self.forces.arm[units][:, None]
        state, increments = forces.state[at], forces.increments[at]
        tries = chances.squares(arm, forces.formation[at], state, increments, self.style.square.least)
        rides = (arm == CAVALRY) & (state == GOOD) & (forces.readiness[at] < TOO_TIRED)
        rides &= increments >= self.style.charge.least
        return np.where(rides, self._reacts, np.where(tries, self._square, 0))

    def opportunity_charges(self, pairs: Pairs) -> Mask:
        """Where the charge has good prospects, at the best target."""
        return self._best(pairs)

    def _best(self, pairs: Pairs) -> Mask:
        """The best charge of each regiment in each lane, if it is good enough."""
        worth = self._prospects(pairs)
        group = chances.keys(pairs.lane, pairs.unit, len(self.forces.units))
        goes = chances.best_of(group, worth, worth >= 1)
        tell(self.play, told.ChargesAt, pairs, goes, worth, 1, foe=pairs.target)
        return goes

    def _prospects(self, pairs: Pairs) -> NDArray[np.float64]:
        forces, target = self.forces, pairs.there
        both = Cases(pairs.ensemble, pairs.lane, pairs.target, pairs.unit, pairs.born)
        zone = self.play.survey.zone_along(both, forces.hex[pairs.at])
        own = forces.increments[pairs.at].astype(np.float64)
        _, number = np.unique(chances.keys(pairs.lane, pairs.target, len(forces.units)), return_inverse=True)
        every = np.bincount(number, own)[number]
        return chances.prospects(
            self.style.charge,
            np.maximum(own, every * float(self.style.charge.together)),
            self._in_hex(pairs),
            forces.arm[pairs.target],
            forces.formation[target],
            forces.state[target],
            zone > FRONT,
        )

    def _in_hex(self, pairs: Pairs) -> Numbers:
        """Increments in the hexes of the targets."""
        forces, theirs = self.forces, self.marching.theirs
        own = np.ix_(theirs, pairs.lane)
        here = forces.hex[own] == forces.hex[pairs.there]
        return np.asarray((forces.increments[own] * here).sum(axis=0))

    # -- movement ---------------------------------------------------------------------------------

    def march(self, cases: Cases) -> Intent:
        """By the plan of the half."""
        return self.marching.march(cases)

    def halts(self, cases: Cases) -> tuple[Numbers, Numbers]:
        """Form and face the enemy."""
        return self.marching.halts(cases)

    def leads(self, leader: int, lanes: Ids) -> Numbers:
        """Leaders go where they are needed."""
        return self.leading.goes(leader, lanes)

    def opportunity(self, pairs: Pairs) -> Mask:
        """Who can fire does."""
        return np.ones(len(pairs), np.bool_)

    # -- fire and assault -------------------------------------------------------------------------

    def aims(self, pairs: Pairs, defensive: bool) -> Mask:
        """Each hex at the target that is worth most, squares at all round them."""
        assert isinstance(pairs, Shots)
        forces, target = self.forces, pairs.there
        prey = self.marching.prey[pairs.at].astype(np.int64)
        hunted = (prey >= 0) & (forces.hex[prey, pairs.lane] == pairs.at_hex)
        worth = chances.worth_of_fire(
            self.style.fire,
            pairs.hexes,
            forces.arm[pairs.unit] == ARTILLERY,
            forces.increments[target],
            forces.formation[target],
            forces.state[target],
            hunted & (not defensive),
        )
        place = chances.keys(pairs.lane, pairs.place, forces.map.off + 1)
        return chances.best_of(place, worth) | (forces.formation[pairs.at] == SQUARE)

    def storms(self, pairs: Pairs) -> Mask:
        """Where the odds are good enough."""
        forces, target = self.forces, pairs.there
        own = forces.increments[pairs.at].astype(np.int64)
        fit = (own >= self.style.assault.least) & (forces.state[pairs.at] == GOOD)
        fit &= ~self.marching.beaten[pairs.at]
        most = self.play.book.blocks.premelee.line * (1 + (forces.second[pairs.at] != forces.map.off))
        own = np.where(forces.formation[pairs.at] == LINE, np.minimum(own, most), own)
        odds = chances.asked_odds(
            self.style.assault, forces.arm[pairs.target], forces.formation[target], forces.state[target]
        )
        unit = chances.keys(pairs.lane, pairs.unit, len(forces.units))
        place = chances.keys(pairs.lane, forces.hex[target], forces.map.off + 1)
        held, counted = self._in_hex(pairs), own * fit
        chance, wanted = self._chance(pairs, place, counted, held), float(self.style.assault.chance)
        goes, has = chances.storms(unit, place, counted * (chance >= wanted), held, odds)
        goes &= fit
        tell(self.play, told.Storms, pairs, goes, has, odds, foe=pairs.target, chance=chance)
        risky, left = fit & (chance < wanted), fit & ~goes & (chance >= wanted)
        tell(self.play, told.TooRisky, pairs, risky, chance, wanted, foe=pairs.target)
        stays = left & chances.best_of(unit, has / np.maximum(odds, 0.01), left)
        tell(self.play, told.DoesNotStorm, pairs, stays, has, odds, foe=pairs.target)
        return goes

    def _chance(
        self, pairs: Pairs, place: NDArray[np.int64], counted: Numbers, held: Numbers
    ) -> NDArray[np.float64]:
        """The chance that the defenders of a hex are broken by all who could assault it, by coarse odds.

        Parameters
        ----------
        place
            Number of the hex, with its lane.
        counted, held
            What the attacker counts in the odds by increments, and the increments of the hex.
        """
        forces, target = self.forces, pairs.there
        _, number = np.unique(place, return_inverse=True)

        def whole(amounts: NDArray[Any]) -> NDArray[np.float64]:
            return np.asarray(np.bincount(number, amounts)[number])

        fights = counted > 0
        values = self._worth[pairs.unit] * forces.increments[pairs.at] * fights
        own = np.ix_(self.marching.theirs, pairs.lane)
        here = forces.hex[own] == forces.hex[target]
        against = self._worth[self.marching.theirs][:, None] * forces.increments[own] * here
        against = (against * self._odds.weak[forces.state[own]]).sum(axis=0)
        morale = whole(forces.morale[pairs.unit] * fights) / np.maximum(whole(fights), 1)
        return self._odds.broken(
            forces.formation[target],
            forces.state[target],
            forces.level[target],
            whole(counted) / np.maximum(held, 1),
            whole(values) / np.maximum(against, 0.5),
            forces.morale[pairs.target],
            np.rint(morale).astype(np.int64),
        )

    def evades(self, cases: Cases) -> Mask:
        """Before enemies who are much stronger."""
        forces, theirs = self.forces, self.marching.theirs
        own = np.ix_(theirs, cases.lane)
        near = forces.map.distances(forces.hex[own], forces.hex[cases.at]) <= 1
        enemies = (forces.increments[own] * near).sum(axis=0)
        own_men = forces.increments[cases.at]
        goes = chances.outnumbered(own_men, enemies, self.style.evade)
        odds = enemies / np.maximum(own_men, 1)
        tell(self.play, told.GivesWay, cases, goes, odds, self.style.evade)
        tell(self.play, told.Stays, cases, ~goes, odds, self.style.evade)
        return goes

    def occupies(self, cases: Cases) -> Mask:
        """Hexes that are won, but not by those who hold the place where they stand."""
        tasks = self.tasks
        at_post = tasks.goals[tasks.goal[cases.unit], self.forces.hex[cases.at]]
        return ~((tasks.kind[cases.unit] == HOLD) & at_post)
