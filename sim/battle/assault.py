"""An assault: units of several hexes against one hex (rules 32 to 34; docs/battle.md, Assault).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sim.battle.melee import Melee
from sim.battle.sides import Attackers, Mask, MeleeState
from sim.combat.checks import check
from sim.combat.failures import BY_MELEE, PLAIN, Failing
from sim.combat.leaders import fates
from sim.combat.play import Play
from sim.ensemble.cases import Cases, each, first_of
from sim.ensemble.frames import Flags, Frame, Row, Rows, flag_per_unit, per_lane, per_unit
from sim.ensemble.ratios import Ratio
from sim.rules import assault as rules
from sim.rules.melee import premelee_column
from sim.rules.strengths import Share, Strength, Strengths
from sim.rulesets.modifiers import Fact
from sim.rulesets.rulebook import ratio_of
from sim.units.attributes import Attributes
from sim.vocabulary import CAVALRY, FLANK, FRONT, GONE, INFANTRY, LINE, REAR, ROUTED


class Storming(Frame):
    """What one assault has to remember."""

    storms: Flags = flag_per_unit("assaults")
    stands: Rows = per_unit("the hex from which it assaults", -1)
    due: Flags = flag_per_unit("has still to check")
    first: Row = per_lane("the first of the attackers, whose action it is")
    odds: Row = per_lane("column of the pre-melee odds")
    lost: Row = per_lane("increments that all attackers have lost by fire in this half", high=999)


class Party(Attackers):
    """Those who assault."""

    apart = True

    def __init__(self, play: Play, side: int, storming: Storming, mounted: bool) -> None:
        self.play, self.side, self.storming, self.mounted = play, side, storming, mounted
        self.arms = (INFANTRY, CAVALRY) if mounted else (INFANTRY,)

    @property
    def by(self) -> Row | int:
        return self.storming.first

    def standing(self) -> Flags:
        forces = self.play.forces
        there = (forces.hex == self.storming.stands) & (forces.state < ROUTED)
        return self.storming.storms & there

    def facts(self, cases: Cases) -> dict[str, Fact]:
        none = np.zeros(len(cases), bool)
        return {"charge": none, "chasing": none, "preserving": none}

    def bounce(self, lanes: Mask) -> None:
        """Only of a charge it is remembered."""


Occupies = Callable[[Cases], Mask]
"""Which of the leading attackers enter a hex whose defenders have failed their check."""


def assault(
    play: Play,
    side: int,
    attackers: Flags,
    place: NDArray[np.integer],
    occupy: bool | Occupies = True,
    mounted: bool = False,
) -> None:
    """Units of a side assault one hex in each lane: both sides' checks, the melee, and the advance.

    Parameters
    ----------
    attackers
        Who assaults, shape (units, lanes); those who may not, or do not have the hex across a front side, are
        left out.
    place
        The hex in each lane, shape (lanes,); no assault where nobody defends it.
    occupy
        Whether a hex is entered whose defenders fail their check; after a melee it must be.
    mounted
        Whether cavalry among them takes part.
    """
    with Storming(play.ensemble) as storming, MeleeState(play.ensemble) as state:
        party = Party(play, side, storming, mounted)
        Assault(play, party, storming, state).play_out(attackers, place, occupy)


class Assault(Melee):
    """One assault."""

    def __init__(self, play: Play, party: Party, storming: Storming, state: MeleeState) -> None:
        super().__init__(play, party, state)
        self.storming, self.mounted = storming, party.mounted

    def play_out(self, attackers: Flags, place: NDArray[np.integer], occupy: bool | Occupies) -> None:
        """Fight it out."""
        self._declare(attackers, place)
        if not len(self.sides.cases()):
            return
        self._defenders_check()
        if occupy:
            self._advance(self.state.defender < 0, None if occupy is True else occupy)
        self._attackers_check()
        if not len(self.sides.cases()):
            return
        self._roll()
        fought = self.state.defender >= 0
        left = self.state.fought & self.sides.enemies[:, None] & (self.forces.state != GONE)
        must = rules.must_advance(self.state.letter, np.asarray(left.any(axis=0)))
        self._advance(fought & must)
        self.state.effect[:] = 0
        fates(self.play, self.book.leader_charts[0], BY_MELEE, self.party.by, fought=self.state.fought)

    # -- who ------------------------------------------------------------------------------------------

    def _declare(self, attackers: Flags, place: NDArray[np.integer]) -> None:
        forces, state, storming = self.forces, self.state, self.storming
        lanes = self.play.ensemble.all()
        able = rules.may_assault(forces.arm[:, None], forces.formation, forces.state, self.mounted)
        able = able & attackers & (forces.side == self.sides.side)[:, None] & (forces.sheltered == 0)
        some, first = first_of(able)
        for _, mine in each(forces.cases(some, first), able[:, some]):
            zone = self.play.survey.zone_toward(mine, place[mine.lane])
            storming.storms[mine.where(zone == FRONT).at] = True
        storming.stands[:] = np.where(storming.storms, forces.hex, -1)
        some, first = first_of(storming.storms)
        defender = self.sides.top_defender(place, lanes)
        there = some & (defender >= 0)
        storming.storms[:, ~there] = False
        storming.first[:] = np.where(there, first, 0)
        state.place[there], state.defender[there] = place[there], defender[there]
        self._choose_lead()

    def _choose_lead(self) -> None:
        """Who leads: the first of those who come through the side that is best for them (flank, rear,
        front)."""
        state = self.state
        cases, best = self.sides.cases(), np.full(self.play.ensemble.n, -1)
        state.lead[:] = -1
        for at, mine in each(cases, self.sides.attackers()[:, cases.lane]):
            from_ = self.forces.nearer(mine, state.place[mine.lane])
            zone = self.play.survey.zone_toward(cases.take(at), from_)
            rank = np.select([zone == FLANK, zone == REAR], [2, 1], 0)
            better = rank > best[mine.lane]
            state.lead[mine.lane[better]], best[mine.lane[better]] = mine.unit[better], rank[better]
        state.defender[state.lead < 0] = -1

    # -- checks ---------------------------------------------------------------------------------------

    def _defenders_check(self) -> None:
        """The top defender's check by the odds; the others of its hex by contagion, if it fails."""
        forces, play, state = self.forces, self.play, self.state
        cases = self.sides.cases()
        attack, shares = self._increments(cases)
        defenders = self.sides.defenders()[:, cases.lane]
        defence = self._counted(Strength.zero(len(cases)), cases, defenders).at_least("least increments", 1)
        columns, premelee = self.book.premelee_columns, self.book.blocks.premelee
        column = premelee_column(attack, defence.value, columns)
        self.storming.odds[cases.lane] = column
        lost = self._lost_to_elite(cases, attack, defence.value)
        checks = rules.defender_checks(
            forces.arm[cases.unit], forces.formation[cases.at], forces.state[cases.at], self._cavalry(cases)
        )
        strengths, case = None, play.watched(cases)
        if case is not None and checks[case]:
            theirs = Share(self.sides.named(defenders, case), defence.factors(case))
            strengths = Strengths(shares(case), (theirs,), columns[int(column[case])])
        asked, passed = check(
            play,
            "pre-melee",
            cases.where(checks),
            "33",
            table=self.book.premelee_modifiers,
            known=self._known(cases.where(checks)),
            extra=("odds", self.book.premelee_defence[column[checks]], premelee.source),
            also=("lost by fire", lost[checks], (premelee.elite.source if premelee.elite else None) or ""),
            strengths=strengths,
        )
        with Failing(play, PLAIN) as failing:
            failing.fails(asked.where(~passed))
        cases = self.sides.cases()
        place = state.place[cases.lane].astype(np.int64)
        state.defender[cases.lane] = self.sides.top_defender(place, cases.lane)

    def _known(self, cases: Cases) -> Attributes:
        """What the top defenders' checks go by."""
        return self.forces.attributes_of("target", cases) | self.sides.situation(cases)

    def _increments(self, cases: Cases) -> tuple[Ratio, Callable[[int], tuple[Share, ...]]]:
        """Increments of the attackers in the odds, of a line's hex only so many, and the shares of a case."""
        forces, most = self.forces, self.book.blocks.premelee.line
        attackers, parts = self.sides.attackers()[:, cases.lane], []
        whole = Ratio.zero(len(cases))
        left, places = attackers, forces.hex[:, cases.lane]
        if forces.spread:
            near, lanes = self.state.place[cases.lane], cases.lane
            places = np.concatenate([places, forces.second[:, lanes]])
            left = np.concatenate([attackers, attackers])
            left &= forces.map.distances(places, np.broadcast_to(near, places.shape)) == 1
        while left.any():
            some, first = first_of(left)
            here = np.where(some, places[first, np.arange(len(cases))], -1)
            mine = left & (places == here)
            left = left & ~mine
            mine = mine.reshape(-1, len(attackers), len(cases)).any(axis=0)
            line = mine & (forces.formation[:, cases.lane] == LINE)
            hex_ = self._counted(Strength.zero(len(cases)), cases, line, here)
            hex_ = hex_.at_most("in line", most, "[PRINT] seed 003")
            hex_ = self._counted(hex_, cases, mine & ~line, here)
            whole = whole + hex_.value
            parts.append((mine, hex_))

        def shares(case: int) -> tuple[Share, ...]:
            told = [(self.sides.named(mine, case), hex_.factors(case)) for mine, hex_ in parts]
            return tuple(Share(names, factors) for names, factors in told if names)

        return whole, shares

    def _lost_to_elite(self, cases: Cases, attack: Ratio, defence: Ratio) -> NDArray[np.int64]:
        """What losses to the fire of elite attackers add to the defenders' dice."""
        forces, elite = self.forces, self.book.blocks.premelee.elite
        a, d = ratio_of(elite.attack_odds) if elite and elite.attack_odds else (0, 1)
        enough = attack.num * defence.den * d >= a * attack.den * defence.num
        lost = (forces.half.fire_losses * self.sides.defenders()).sum(axis=0)[cases.lane]
        ours, theirs = forces.morale[self.state.lead[cases.lane]], forces.morale[cases.unit]
        return rules.defence_losses(lost, ours, theirs, enough, self.book.elite)

    def _cavalry(self, cases: Cases) -> Mask:
        """Where cavalry is on either side."""
        units = self.sides.defenders()[:, cases.lane]
        if self.mounted:
            units |= self.sides.attackers()[:, cases.lane]
        return np.asarray((units & (self.forces.arm == CAVALRY)[:, None]).any(axis=0))

    def _attackers_check(self) -> None:
        """Each attacker's own check, where a defender is left; those who fail fall back."""
        storming, cases = self.storming, self.sides.cases()
        formation = self.forces.formation[cases.at]
        lanes = cases.lane[rules.attacker_checks(formation, self._cavalry(cases))]
        storming.due[:, lanes] = self.sides.attackers()[:, lanes]
        storming.lost[:] = (self.forces.half.fire_losses * self.sides.attackers()).sum(axis=0)
        with Failing(self.play, PLAIN) as failing:
            while storming.due.any():
                some, unit = first_of(storming.due)
                mine = storming.cases(some, unit, storming.first)
                storming.due[mine.at] = False
                failing.asks(mine)
                mine, passed = self._attacker_checks(mine)
                failed = mine.where(~passed)
                storming.storms[failed.at] = False
                failing.fails(failed)
        self._choose_lead()

    def _attacker_checks(self, cases: Cases) -> tuple[Cases, Mask]:
        forces, premelee = self.forces, self.book.blocks.premelee
        top = cases.of(self.state.defender[cases.lane])
        scene = self.sides.situation(top, forces.nearer(cases, self.state.place[cases.lane]))
        defender = forces.morale[top.unit]
        lost = rules.attack_losses(
            forces.half.fire_losses[cases.at],
            self.storming.lost[cases.lane],
            forces.morale[cases.unit],
            defender,
            premelee.fire_loss.each,
            self.book.elite,
        )
        special = premelee.elite.source if premelee.elite and self.book.elite[defender].any() else None
        return check(
            self.play,
            "pre-melee",
            cases,
            "33",
            table=self.book.premelee_attack_modifiers,
            known=forces.attributes_of("target", top) | scene,
            extra=("odds", self.book.premelee_attack[self.storming.odds[cases.lane]], premelee.source),
            also=("lost by fire", lost, special or premelee.fire_loss.source or ""),
        )

    # -- afterwards -----------------------------------------------------------------------------------

    def _advance(self, where: Mask, occupies: Occupies | None = None) -> None:
        """The leading attacker, or the first who is left, enters the hex if no enemy holds it, in the
        formation that its ground asks for, and faces as it came; by choice, where that is given."""
        forces, state = self.forces, self.state
        there = self.sides.attackers() & where & (state.place >= 0)
        some, first = first_of(there)
        leads = (state.lead >= 0) & there[state.lead, self.play.ensemble.all()]
        lead = np.where(leads, state.lead, first)
        cases = forces.cases(some, lead, self.party.by)
        if occupies is not None and len(cases):
            cases = cases.where(occupies(cases))
        enter(self.play, cases, state.place[cases.lane].astype(np.int64))


def enter(play: Play, cases: Cases, place: NDArray[np.integer]) -> Cases:
    """Attackers enter hexes next to them that no enemy holds, in the formation that the ground asks for, and
    face as they came.

    Returns
    -------
    Those who do.
    """
    forces = play.forces
    free = ~np.asarray(forces.standing(place, cases.lane, 1 - forces.side[cases.unit]).any(axis=0))
    arm, formation = forces.arm[cases.unit], forces.formation[cases.at]
    taken = play.book.formation_after[arm, formation, forces.ground[place]]
    direction = play.survey.toward(forces.nearer(cases, place), place)
    goes = free & (taken >= 0) & (direction >= 0)
    cases, place, taken, direction = cases.where(goes), place[goes], taken[goes], direction[goes]
    for new in np.unique(taken).tolist():
        forces.form(cases.where((taken == new) & (forces.formation[cases.at] != new)), new)
    forces.place(cases, place, 2 * direction + forces.corner(cases))
    return cases
