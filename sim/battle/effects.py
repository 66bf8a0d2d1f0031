"""What the result of a melee does: losses, the matrix of letters, star checks (docs/charge.md 10.9 to 10.11).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.battle.sides import Attackers, Mask, MeleeState, Numbers, Sides, all_of
from sim.battle.told import MeleeResult
from sim.combat.checks import check
from sim.combat.failures import BY_MELEE, STARRED, Failing
from sim.combat.flight import retreat, rout
from sim.combat.losses import spread
from sim.combat.play import Play
from sim.ensemble.cases import Cases, each
from sim.ensemble.frames import Flags
from sim.rulesets.blocks import Part
from sim.rulesets.compiled import BLANK, MatrixEffect
from sim.vocabulary import (
    ARTILLERY,
    CAVALRY,
    COLUMN,
    DISORDERED,
    GENERAL_ORDER,
    GONE,
    GOOD,
    INFANTRY,
    ROUTED,
    SQUARE,
    UNLIMBERED,
)

RULE = "34"


class Effects:
    """The result of one melee; parameters as for `Sides`."""

    def __init__(self, play: Play, party: Attackers, state: MeleeState, sides: Sides) -> None:
        self.play, self.party, self.state, self.sides = play, party, state, sides
        self.forces, self.book = play.forces, play.book
        self.matrix = play.book.matrix

    def won(self, cases: Cases) -> Mask:
        """Where the result drives the defenders off."""
        return self.state.letter[cases.lane] > BLANK

    def result(self, cases: Cases, outcome: Numbers) -> None:
        """Losses, then the letter's effect by the row of what the defenders were before, then star checks
        (E1.4).

        Parameters
        ----------
        cases
            The top defenders.
        outcome
            Of the melee chart.
        """
        forces, state, parts = self.forces, self.state, self.book.melee_results
        letter = parts.letter[outcome]
        state.letter[cases.lane] = letter
        state.effect[cases.lane] = self._numbers(cases, letter)
        for at, guns in each(cases, self._guns_beside(cases)):
            state.gun_effect[guns.at] = self._numbers(guns, letter[at])
        numbers = letter < 0
        fought = self.sides.attackers()
        lost = cases.where(numbers)
        attack_loss, defence_loss = parts.attack_loss[outcome], parts.defence_loss[outcome]
        forces.lose_in_order(fought[:, lost.lane], lost, attack_loss[numbers], RULE)
        place = state.place[lost.lane].astype(np.int64)
        spread(self.play, lost, 1 - self.sides.side, place, defence_loss[numbers], False, RULE)
        state.star[:, cases.lane] = fought[:, cases.lane] & parts.attack_star[outcome]
        state.star[:, cases.lane] |= self.sides.defenders()[:, cases.lane] & parts.defence_star[outcome]
        for number in range(1, len(self.matrix.effects)):
            if (state.effect == number).any():
                self._carry_out(number)
        for side in (~self.sides.enemies, self.sides.enemies):
            self._star_checks(side)

    def _star_checks(self, side: Mask) -> None:
        """A side's checks by a result in numbers: routed units too, without contagion."""
        due = self.state.star & side[:, None] & (self.forces.state != GONE)
        if not due.any():
            return
        with Failing(self.play, STARRED, contagion=False) as failing:
            failing.check("star", due, self.party.by, RULE)

    def _guns_beside(self, cases: Cases) -> Flags:
        """Unlimbered guns with the top defender, shape (units, k)."""
        forces = self.forces
        guns = self.sides.defenders()[:, cases.lane] & (forces.formation[:, cases.lane] == UNLIMBERED)
        guns &= (forces.arm == ARTILLERY)[:, None]
        guns[cases.unit, np.arange(len(cases))] = False
        return guns

    def _numbers(self, cases: Cases, letter: Numbers) -> Numbers:
        """Numbers of the matrix effects of letters on units."""
        forces = self.forces
        arm, state, formation = forces.arm[cases.unit], forces.state[cases.at], forces.formation[cases.at]
        return self.matrix.effect[arm, state, formation, letter]

    # -- the matrix -------------------------------------------------------------------------------

    def _carry_out(self, number: int) -> None:
        """One effect of the matrix: the attackers' part, then the defenders', then unlimbered guns that stand
        with infantry."""
        effect = self.matrix.effects[number]
        self._tell(number, effect)
        for arm in self.party.arms:
            part = effect.on_attacker[arm]
            if part is None:
                continue
            lanes = self._lanes(number)
            if part.retreat:
                self.party.bounce(lanes & (self.state.letter == BLANK))
            self._apply(part, self.sides.attackers() & lanes & (self.forces.arm == arm)[:, None])
        part = effect.on_defender
        if part is not None and part.square_dd:
            self._square_shaken(number)
        elif part is not None and part.square_check is not None:
            self._square_holds(number, part.square_check)
        elif part is not None:
            lanes = self._lanes(number)
            if not self.play.switches["blank_moves_general_order"]:
                cases = self.sides.cases(lanes)
                loose = self.forces.formation[cases.at] == GENERAL_ORDER
                lanes[cases.lane[loose & (self.state.letter[cases.lane] == BLANK)]] = False
            self._apply(part, self._without_guns() & lanes)
        self._guns_apart(number, effect)

    def _tell(self, number: int, effect: MatrixEffect) -> None:
        cases = self.sides.cases(self._lanes(number))
        leads = self.forces.arm[self.sides.leads(cases).unit]
        for arm in self.party.arms:
            sides = {"attacker": effect.on_attacker[arm], "defender": effect.on_defender}
            self.play.log(MeleeResult, cases.where(leads == arm), RULE, **sides)

    def _lanes(self, number: int) -> Mask:
        """Where an effect is to be carried out, shape (lanes,)."""
        return self.state.effect == number

    def _top_is(self, arm: int) -> Mask:
        """Where the top defender is of an arm, shape (lanes,)."""
        return (self.state.defender >= 0) & (self.forces.arm[self.state.defender] == arm)

    def _without_guns(self) -> Flags:
        """Those whom the top defender's row concerns: all but unlimbered guns that stand with infantry, shape
        (units, lanes)."""
        forces = self.forces
        apart = (forces.arm == ARTILLERY)[:, None] & (forces.formation == UNLIMBERED)
        return self.sides.defenders(sheltered=True) & ~(apart & self._top_is(INFANTRY))

    def _guns_apart(self, number: int, effect: MatrixEffect) -> None:
        """Unlimbered guns with infantry take their own row of the same column; those of a square that routs
        may be abandoned (docs/charge.md 10.10)."""
        state, forces = self.state, self.forces
        abandoned = effect.routs_square and self.play.switches["guns_with_infantry"] == "abandoned"
        if not (state.gun_effect > 0).any():
            return
        for own in range(1, len(self.matrix.effects)):
            guns = state.gun_effect == own
            if not guns.any():
                continue
            guns &= self._lanes(number) & self._top_is(INFANTRY) & (forces.state != GONE)
            part = self.matrix.effects[own].on_defender
            if abandoned:
                for cases in self._each(guns):
                    forces.abandon(cases)
            elif part is not None and not part.square_dd and part.square_check is None:
                self._apply(part, guns)
        state.gun_effect[:, self._lanes(number)] = 0

    def _each(self, units: Flags) -> Iterator[Cases]:
        return all_of(self.play, units, self.party.by)

    def _apply(self, part: Part, units: Flags) -> None:
        """What an effect does to units of one side, shape (units, lanes): losses, state, move, check."""
        forces, state, play = self.forces, self.state, self.play
        if not units.any():
            return
        if part.lose:
            for cases in self._each(units):
                forces.lose(cases, part.lose, RULE)
        alive = units & (forces.state != GONE)
        if part.retreat:
            driven = alive & (state.letter != BLANK)
            state.origin[driven] = forces.hex[driven]
        if part.state is not None:
            horse = (forces.arm == CAVALRY)[:, None]
            changes = alive if part.state == ROUTED else alive & (horse | (forces.state == GOOD))
            for cases in self._each(changes):
                forces.become(cases, part.state)
        elif part.removal is not None:
            for cases in self._each(alive):
                forces.remove(cases, part.removal, RULE)
        if part.check is not None:
            state.fell_back |= alive
        movers = units & (forces.state != GONE) & (forces.formation != UNLIMBERED)
        if part.state == ROUTED:
            rout(self.play, movers, self.party.by, part.zone_loss)
        elif part.retreat:
            retreat(self.play, movers, self.party.by, part.retreat, part.zone_loss, by_melee=True)
        self._note_driven()
        if part.check is not None:
            with Failing(play, BY_MELEE) as failing:
                due = state.fell_back & (forces.state != GONE)
                state.fell_back[:] = False
                extra = ("after falling back", part.check, self.matrix.source)
                failing.check("fall-back", due, self.party.by, RULE, extra=extra)

    def _note_driven(self) -> None:
        """A unit that a lettered result has moved is hit, whatever its state."""
        state, forces = self.state, self.forces
        forces.half.hit |= (state.origin >= 0) & (state.origin != forces.hex)
        state.origin[:] = -1

    # -- squares ----------------------------------------------------------------------------------

    def _square_holds(self, number: int, modifier: int) -> None:
        """A blank result: the square checks, and opens into column if it fails (E1.2, SQ-hold)."""
        cases = self.sides.cases(self._lanes(number))
        extra = ("in square", np.full(len(cases), modifier), self.matrix.source)
        cases, passed = check(self.play, "square-check", cases, RULE, extra=extra, repeatable=True)
        self._open_square(cases.lane[~passed])

    def _open_square(self, lanes: Numbers) -> None:
        squares = self.sides.defenders() & (self.forces.formation == SQUARE)
        where = np.zeros(self.play.ensemble.n, bool)
        where[lanes] = True
        for cases in self._each(squares & where):
            self.forces.form(cases, COLUMN)

    def _square_shaken(self, number: int) -> None:
        """DD on a square, by edition (E1.6)."""
        forces, mode = self.forces, self.play.switches["square_dd"]
        cases = self.sides.cases(self._lanes(number))
        if mode == "check_first":
            cases, passed = check(self.play, "square-check", cases, RULE, repeatable=True)
            self.state.gun_effect[:, cases.lane[passed]] = 0  # guns in a square that holds come to no harm
            cases = cases.where(~passed)
        lanes = np.zeros(self.play.ensemble.n, bool)
        lanes[cases.lane] = True
        men = self._without_guns() & lanes
        if mode == "in_place_minus1":
            forces.lose_in_order(men[:, cases.lane], cases, np.ones(len(cases), np.int64), RULE)
        for shaken in self._each(men & (forces.state == GOOD)):
            forces.become(shaken, DISORDERED)
        self._open_square(cases.lane)
        if mode != "in_place_minus1":
            points = self.book.blocks.retreat.disordered
            retreat(self.play, men & (forces.state != GONE), self.party.by, points, 1, by_melee=True)
