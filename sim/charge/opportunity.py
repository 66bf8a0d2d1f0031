"""Charges of opportunity: cavalry of the side that does not move charges who moves before its front (rule 40;
docs/battle.md K).

Arrays have shape (k,), one element a case or pair, unless a docstring says otherwise.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sim.charge import contact, pursuit, told
from sim.charge.attempts import offer_carre
from sim.charge.course import Course
from sim.charge.declaration import Declaration, Defender, Routes
from sim.charge.ending import end
from sim.charge.state import CONTACT, MARCH, OVER, TARGET, Progress
from sim.charge.waves import PRESSES, barred
from sim.combat.checks import check
from sim.combat.play import Play
from sim.ensemble.cases import Cases, Mask, Pairs, first_of
from sim.ensemble.frames import Flag, Frame, Pending, Row, Rows, flag_per_lane, per_lane, per_unit
from sim.ensemble.lanes import Ids
from sim.units.orders import RESPONSE_CODES
from sim.vocabulary import CAVALRY, COLUMN, EXHAUSTED, FRONT, GENERAL_ORDER, GOOD, INFANTRY, LINE, TIRED

Numbers = NDArray[np.integer]

_CARRES = [code for name, code in RESPONSE_CODES.items() if name.startswith("carre")]
_CONTACT_POINT = 1
"""Points that the hex of the contact takes from the printed movement (part E, 3.2)."""


class Chooser(Defender, Protocol):
    """What a player decides about charges of opportunity."""

    def opportunity_charges(self, pairs: Pairs) -> Mask:
        """Which cavalry charges whom."""


class Asked(Frame):
    """What is remembered of one movement segment."""

    last: Rows = per_unit("the mover for which it checked last, -1 for none", -1)
    done: Row = per_lane("charges of opportunity so far")


class Now(Frame):
    """One mover's chances to be charged."""

    due: Flag = flag_per_lane("somebody may still charge it")
    charger: Row = per_lane("who charges it, -1 for nobody", -1)
    mover: Row = per_lane("who moves, -1 for nobody", -1)
    willing: Rows = per_unit("1: would charge it", high=1)


class OpportunityCharge(Course):
    """The k-th charge of opportunity of a segment in every lane: no way, no straight run, no recall."""

    opportune = True

    def __init__(self, play: Play, side: int, defender: Defender) -> None:
        units, lanes = len(play.forces.units), play.ensemble.n
        nobody = np.zeros((units, lanes), bool)
        enemies = play.forces.side != side
        super().__init__(
            play,
            Declaration(
                side=side,
                stack=nobody,
                goal=np.full(lanes, -1),
                of_hex=nobody,
                hex=np.zeros(lanes, np.int64),
                routes=Routes.of(((),)),
                route=np.zeros((3, lanes), np.int64),
                plans=PRESSES,
                plan=np.zeros(lanes, np.int64),
                defender=defender,
                tries=np.flatnonzero(enemies & (play.forces.arm == INFANTRY)),
                reactors=np.zeros(0, np.intp),
            ),
        )
        self.stack = np.flatnonzero(~enemies & (play.forces.arm == CAVALRY))
        self.allowance = play.forces.movement

    def response(self, units: Ids, lanes: Ids) -> Numbers:
        """Who is charged may try carré beside the charger, if that is its answer to charges; others stand."""
        goal = self.state.goal[lanes] == units[:, None]
        tries = goal & np.isin(super().response(units, lanes), _CARRES)
        return np.where(tries, RESPONSE_CODES["carre@1"], RESPONSE_CODES["stand"])

    def strike(self, chargers: Cases, movers: Numbers) -> None:
        """Cavalry charges units that it has before its front."""
        self._declare(chargers, movers)
        with Progress(self.ensemble) as self.progress, Pending(self.ensemble) as self.waiting:
            progress, lanes = self.progress, chargers.lane
            progress.stage[lanes] = MARCH
            progress.points[lanes] = _CONTACT_POINT
            progress.straight_run[lanes] = self.book.blocks.charge.straight_hexes
            goals = self.forces.nearer(chargers.of(movers), self.here(chargers))
            progress.heading[lanes] = self.survey.toward(self.here(chargers), goals)
            progress.declared[movers, lanes] = TARGET
            offer_carre(self, MARCH)
            pursuit.after_attempt(self, MARCH)
            cases = self.at(MARCH)
            near = self.gap(cases) <= 1
            self.go(cases.where(near), CONTACT)
            self.go(cases.where(~near), OVER)
            contact.resolve(self)
            end(self)
            ran = np.asarray(self.progress.leaving.any(axis=0))
        self.state.bonus[:] = False
        self.forces.tire(self.state.cases(ran & (self.lead() >= 0), self.state.lead), TIRED)

    def _declare(self, chargers: Cases, movers: Numbers) -> None:
        state, forces, lanes = self.state, self.forces, chargers.lane
        here = forces.nearer(chargers.of(movers), forces.hex[chargers.at])
        state.by[lanes] = state.lead[lanes] = chargers.unit
        state.goal[lanes] = state.target[lanes] = movers
        state.target_hex[lanes] = here
        state.made[lanes] = True
        state.stack[chargers.at] = state.rides[chargers.at] = True
        state.of_hex[:, lanes] = forces.standing(here, lanes, 1 - self.side)
        forces.half.reacted[chargers.at] = True


class Opportunities:
    """The charges of opportunity of one half.

    Parameters
    ----------
    play, players
        The battle, and who decides for each side.
    phasing
        The side that moves.

    Attributes
    ----------
    charges
        The first of every lane, the second, and so on; their melees are still to be fought.
    """

    def __init__(self, play: Play, players: tuple[Chooser, Chooser], phasing: int) -> None:
        self.play, self.forces, self.side = play, play.forces, 1 - phasing
        self.chooser, self.defender = players[1 - phasing], players[phasing]
        self.charges: list[OpportunityCharge] = []
        self.asked = Asked(play.ensemble)

    def charge(self, movers: Cases) -> Cases:
        """Units that have entered, are about to leave, or act in a hex before enemy cavalry: it may charge
        them, in the formation that they are in. A unit checks once for a mover, and charges once.

        Returns
        -------
        Those that are charged, fresh: they must stop where they are.
        """
        pairs = self._chances(movers)
        if not len(pairs):
            return movers.take(np.zeros(0, np.intp))
        with Now(self.play.ensemble) as now:
            now.willing[pairs.at] = 1
            now.mover[pairs.lane] = pairs.target
            now.due[pairs.lane] = True
            self._check(now)
            return self._strike(now)

    def close(self) -> None:
        """Drop what is remembered."""
        for charge in self.charges:
            charge.state.close()
        self.asked.close()

    def _chances(self, movers: Cases) -> Pairs:
        """Who may charge which mover, and means to."""
        play, forces, lanes = self.play, self.forces, movers.lane
        horse = np.flatnonzero((forces.arm == CAVALRY) & (forces.side == self.side))
        able = (forces.state[horse][:, lanes] == GOOD) & (forces.readiness[horse][:, lanes] < EXHAUSTED)
        able &= ~forces.half.reacted[horse][:, lanes] & (self.asked.last[horse][:, lanes] != movers.unit)
        able &= np.isin(forces.formation[horse][:, lanes], (COLUMN, LINE, GENERAL_ORDER))
        near = forces.hex[horse][:, lanes]
        touches = forces.map.distances(near, forces.hex[movers.at]) == 1
        if forces.in_two(movers).any():
            touches |= forces.map.distances(near, forces.second[movers.at]) == 1
        able &= touches
        if not able.any():
            return Pairs(play.ensemble, lanes[:0], lanes[:0], lanes[:0])
        number, case = able.nonzero()
        unit, lane, target = horse[number], lanes[case], movers.unit[case]
        here = forces.hex[unit, lane]
        there = forces.nearer(movers.take(case), here)
        direction = play.survey.toward(here, there)
        kind, formation = forces.kind[unit], forces.formation[unit, lane]
        front = play.book.zones[kind, formation, forces.facing[unit, lane], direction] == FRONT
        front &= ~play.survey.board.closed[here, direction]
        pairs = Pairs(play.ensemble, lane[front], unit[front], target[front])
        if len(pairs):
            pairs = pairs.where(~barred(play, pairs, here[front]))
        if len(pairs):
            pairs = pairs.where(self.chooser.opportunity_charges(pairs))
            self.asked.last[pairs.at] = pairs.target
        return pairs

    def _check(self, now: Now) -> None:
        """They check in unit order until one of them charges; who fails stays as it is."""
        while True:
            some, unit = first_of((now.willing > 0) & now.due)
            cases = now.cases(some, unit, now.mover)
            if not len(cases):
                return
            now.willing[cases.at] = 0
            cases, passed = check(self.play, "opportunity", cases, "40", repeatable=True)
            self.play.log(told.Opportunity, cases, "40", goal=now.mover[cases.lane], charges=passed)
            cases = cases.where(passed)
            now.charger[cases.lane] = cases.unit
            now.due[cases.lane] = False

    def _strike(self, now: Now) -> Cases:
        """Each lane's next charge of opportunity."""
        now.due[:] = now.charger >= 0
        while now.due.any():
            number = int(self.asked.done[now.due].min())
            if number == len(self.charges):
                self.charges.append(OpportunityCharge(self.play, self.side, self.defender))
            chargers = now.cases(now.due & (self.asked.done == number), now.charger)
            now.due[chargers.lane] = False
            self.asked.done[chargers.lane] += 1
            self.charges[number].strike(chargers, now.mover[chargers.lane].astype(np.intp))
        return now.cases(now.charger >= 0, now.mover)
