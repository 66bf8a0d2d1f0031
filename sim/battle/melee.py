"""The melee that a charge leads to: who fights, the pre-melee check, the roll, and what follows (rules 32 to
34; docs/charge.md 10).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.battle.effects import Effects
from sim.battle.sides import Attackers, Chargers, MeleeState, Sides, total
from sim.battle.told import Fought
from sim.battle.withdrawal import leave_enemy_hex
from sim.charge.course import Course
from sim.combat.checks import check
from sim.combat.failures import BY_MELEE, PLAIN, Failing
from sim.combat.leaders import fates, strike
from sim.combat.play import Play
from sim.ensemble.cases import Cases, each
from sim.ensemble.frames import Flag, Flags
from sim.ensemble.ratios import Ratio
from sim.rules import melee as rules
from sim.rules.strengths import Share, Strength, Strengths
from sim.rulesets.modifiers import Applied
from sim.units.chargefields import PLANS
from sim.units.orders import DECLINE
from sim.vocabulary import CAVALRY, GENERAL_ORDER, LINE, UNLIMBERED

MELEE_OPTIONS = PLANS["after_halt"]


def fight_out(play: Play, charge: Course) -> None:
    """The melee of a charge, in every lane in which there is one."""
    with MeleeState(play.ensemble) as state:
        ChargeMelee(play, charge, state).play_out()


class Melee:
    """The roll of one melee and what it does; parameters as for `Sides`."""

    def __init__(self, play: Play, party: Attackers, state: MeleeState) -> None:
        self.play, self.party, self.state = play, party, state
        self.forces, self.book = play.forces, play.book
        self.sides = Sides(play, party, state)
        self.effects = Effects(play, party, state, self.sides)

    def _counted(
        self, strength: Strength, cases: Cases, units: Flags, hexes: NDArray[np.integer] | None = None
    ) -> Strength:
        """With the increments of units, shape (units, k): those in some hexes, or all that take part."""
        names = np.array([unit.name for unit in self.forces.units])
        for at, mine in each(cases, units):
            who, there = np.zeros(len(cases), np.intp), np.zeros(len(cases), bool)
            who[at], there[at] = mine.unit, True
            all_men = cases.of(who)
            if hexes is None:
                men = self.sides.men(all_men, self.state.place[cases.lane])
            else:
                men = self.forces.deployed(all_men, hexes)
            strength = strength.plus("men", Ratio.made(men, 1), "", there, (names[who],))
        return strength

    def _roll(self) -> None:
        """Odds, the roll, and the result (docs/charge.md 10.8, 10.9)."""
        forces, play, sides, book = self.forces, self.play, self.sides, self.book
        cases = sides.cases()
        ours, theirs = sides.attack(cases), sides.defence(cases)
        attack, defence = total(ours, len(cases)), total(theirs, len(cases))
        columns, penalties = book.melee_columns, book.blocks.melee.below
        column, below = rules.melee_column(attack, defence, columns, penalties.rows)
        leads = sides.leads(cases)
        applied = Applied((), np.zeros(len(cases), np.int64))
        applied = applied.and_also("odds below the table", below, penalties.source or "")
        for arm in self.party.arms:
            kind = self.party.bonus[arm]
            _, bonus = forces.leader_with(leads, kind)
            bonus = np.where(forces.arm[leads.unit] == arm, bonus, 0)
            applied = applied.and_also(f"{kind} leader", bonus, "[DIGEST] C11")
        our_leader, _ = forces.leader_with(leads, "morale")
        their_leader, _ = forces.leader_with(cases, "morale")
        strengths, case = None, play.watched(cases)
        if case is not None:
            shares = sides.told(ours, case), sides.told(theirs, case)
            strengths = Strengths(*shares, columns[int(column[case])])
        key = column + len(columns) * (our_leader + 2 * their_leader.astype(np.int64))
        cases, values = play.ask(
            "melee",
            cases,
            book.melee_chart,
            key,
            applied,
            "34",
            strengths=strengths,
            told=Fought,
            lead=leads.unit,
        )
        size = len(book.melee_chart.outcomes)
        strike(play, sides.leads(cases).where(values // size == 1))
        strike(play, cases.where(values // size == 2))
        self._note_fought()
        self.effects.result(cases, values % size)

    def _note_fought(self) -> None:
        """Everybody who takes part has meleed."""
        fought = (self.sides.attackers() & (self.state.defender >= 0)) | self.sides.defenders()
        self.state.fought |= fought
        self.forces.half.meleed |= fought


class ChargeMelee(Melee):
    """The melee of a charge."""

    def __init__(self, play: Play, charge: Course, state: MeleeState) -> None:
        super().__init__(play, Chargers(charge), state)
        self.charge = charge

    def play_out(self) -> None:
        """Fight it out."""
        self._choose()
        if not len(self.sides.cases()):
            return
        self._premelee()
        if not len(self.sides.cases()):
            return
        self._roll()
        fights = self.state.defender >= 0
        leave_enemy_hex(self.play, self.charge.state.stack & fights)
        self._advance()
        self.state.effect[:] = 0
        fates(self.play, self.book.leader_charts[0], BY_MELEE, self.charge.by, fought=self.state.fought)

    def _choose(self) -> None:
        """Who fights: the charger in good order, something to fight next to it or under it, and no choice
        against it (docs/charge.md 10.1, 10.2)."""
        order = self.charge.state
        if self.charge.open:
            cases, _ = self._opponents(~order.compulsory)
            known = {"bonus": order.bonus[cases.lane], "state": self.forces.state[cases.at]}
            cases, option = self.charge.choose("melee", cases, MELEE_OPTIONS, known=known)
            order.after_halt[cases.lane] = option
        cases, place = self._opponents((order.after_halt != DECLINE) | order.compulsory)
        state, lanes = self.state, cases.lane
        state.place[lanes], state.lead[lanes] = place, self.charge.lead()[lanes]
        state.defender[lanes] = cases.unit

    def _opponents(self, mask: Flag) -> tuple[Cases, NDArray[np.integer]]:
        """The top defenders of the hexes that charges may melee, in the lanes of a mask, and these hexes,
        shape (k,)."""
        forces, state, order = self.forces, self.state, self.charge.state
        lead = self.charge.lead()
        cases = state.cases(mask & (lead >= 0) & (order.opponent >= 0), order.opponent, self.charge.by)
        met = order.opponent_hex[cases.lane]
        nearer = forces.nearer(cases, forces.hex[lead[cases.lane], cases.lane])
        here = np.where(forces.stands_in(cases, met), met, nearer)
        at = forces.hex[lead[cases.lane], cases.lane]
        gone = (here == forces.map.off) | (forces.map.distances(here, at) > 1)
        place = np.where(gone, order.opponent_hex[cases.lane], here)
        near = (place >= 0) & (forces.map.distances(place, at) <= 1)
        cases, place = cases.where(near), place[near]
        defender = self.sides.top_defender(place, cases.lane)
        there = defender >= 0
        return cases.of(defender).where(there), place[there]

    # -- pre-melee check ------------------------------------------------------------------------

    def _premelee(self) -> None:
        """What a charge without its straight run has reached checks before the melee, but for general order
        (docs/charge.md 10.3)."""
        forces, play, state = self.forces, self.play, self.state
        cases = self.sides.cases(self.charge.state.unchecked)
        loose = np.isin(forces.formation[cases.at], (GENERAL_ORDER, UNLIMBERED))
        cases = cases.where(~loose & (forces.arm[cases.unit] != CAVALRY))
        if not len(cases):
            return
        attack, defence = self._increments(cases)
        premelee, columns = self.book.blocks.premelee, self.book.premelee_columns
        column = rules.premelee_column(attack.value, defence.value, columns)
        strengths, case = None, play.watched(cases)
        if case is not None:
            ours, theirs = (
                (Share(self.sides.named(units[:, cases.lane], case), one.factors(case)),)
                for units, one in ((self.sides.attackers(), attack), (self.sides.defenders(), defence))
            )
            strengths = Strengths(ours, theirs, columns[int(column[case])])
        known = forces.attributes_of("target", cases) | self.sides.situation(cases)
        cases, passed = check(
            play,
            "pre-melee",
            cases,
            "33",
            table=self.book.premelee_modifiers,
            known=known,
            extra=("odds", self.book.premelee_defence[column], premelee.source),
            strengths=strengths,
        )
        self.charge.state.unchecked[cases.lane] = False
        with Failing(play, PLAIN) as failing:
            failing.fails(cases.where(~passed))
        cases = self.sides.cases()
        state.defender[cases.lane] = self.sides.top_defender(state.place[cases.lane], cases.lane)

    def _increments(self, cases: Cases) -> tuple[Strength, Strength]:
        """Increments that count in the odds: of the attackers in line only so many; of the defenders all, at
        least one (rule 33; seed 003)."""
        line = (self.forces.formation[:, cases.lane] == LINE) & self.sides.attackers()[:, cases.lane]
        others = self.sides.attackers()[:, cases.lane] & ~line
        attack = self._counted(Strength.zero(len(cases)), cases, line)
        attack = attack.at_most("in line", self.book.blocks.premelee.line, "[PRINT] seed 003")
        attack = self._counted(attack, cases, others)
        defence = self._counted(Strength.zero(len(cases)), cases, self.sides.defenders()[:, cases.lane])
        return attack, defence.at_least("least increments", 1)

    # -- afterwards -----------------------------------------------------------------------------

    def _advance(self) -> None:
        """The victors ride into the hex that the defenders have left or lost (docs/charge.md 10.13)."""
        forces, state, sides = self.forces, self.state, self.sides
        cases = sides.cases()
        place = state.place[cases.lane].astype(np.int64)
        held = forces.top(1 - sides.side, place, cases.lane) >= 0
        left = state.fought[:, cases.lane] & (forces.hex[:, cases.lane] != forces.map.off)
        wiped_out = ~(left & sides.enemies[:, None]).any(axis=0)
        won = (self.effects.won(cases) | wiped_out) & ~held
        for at, mine in each(cases, sides.attackers()[:, cases.lane] & won):
            to = place[at]
            near = forces.map.distances(forces.hex[mine.at], to) == 1
            mine, to = mine.where(near), to[near]
            direction = self.play.survey.toward(forces.hex[mine.at], to)
            forces.place(mine, to, 2 * direction + forces.corner(mine))
