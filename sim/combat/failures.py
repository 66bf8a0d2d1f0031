"""Events that make units check, and what failing does: contagion, new states, moves (rules 30, 31; C4;
docs/charge.md section 8).

Arrays have shape (k,), one element a case; flags by unit have shape (units, lanes).
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from sim.combat.checks import How, check
from sim.combat.moves import move_off, rout_points
from sim.combat.play import Play
from sim.combat.told import Broke
from sim.ensemble.cases import Cases, first_of
from sim.ensemble.frames import Flags, Pending, Row, Rows, flag_per_unit, per_unit
from sim.rules import morale
from sim.vocabulary import ARTILLERY, CAVALRY, DISORDERED, INFANTRY, ROUTED, UNLIMBERED

Mask = NDArray[np.bool_]

PLAIN, BY_FIRE, BY_MELEE, STARRED = range(4)
"""Causes of a failed check: they differ in when a rout is run, and whether cavalry zones and zones left count
(a star check: both)."""

WITHOUT_A_ROLL = ""
"""In place of a check's kind: who is asked fails."""


class Shock(Pending):
    """What one event has done so far; due are the moves of those whom it asked and who failed."""

    asked: Flags = flag_per_unit("has been asked by the event itself")
    failed: Flags = flag_per_unit("was asked and failed")
    beside: Flags = flag_per_unit("shared one of the hexes of a unit in two that failed")


class Asked(Pending):
    """Checks of one event that are still to come."""

    what: Rows = per_unit("number of its check")


class Failing:
    """One thing that makes units check: each rolls for it once (0-decisions 5.23).

    In the block the units that the event itself asks check. At its end contagion asks the other units of
    every hex in which one failed, and only then they move: first those whom the event asked, then those who
    failed by contagion, in unit order. Events may be nested.

    Parameters
    ----------
    play
        The battle.
    cause
        `PLAIN`, `BY_FIRE` (a rout may wait for the recovery segment), `BY_MELEE`, or `STARRED` (leaving zones
        costs increments).
    contagion
        Whether the other units of the hex must check.
    """

    def __init__(self, play: Play, cause: int, contagion: bool = True) -> None:
        self.play, self.cause, self.contagion = play, cause, contagion

    def __enter__(self) -> Failing:
        self.shock = Shock(self.play.ensemble)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and self.shock.failed.any():
                with Pending(self.play.ensemble) as others:
                    if self.contagion:
                        self._spread(others)
                    give_way(self.play, self.shock, self.cause)
                    give_way(self.play, others, self.cause)
        finally:
            self.shock.close()

    def check(self, kind: str, due: Flags, by: Row | int, rule: str, **more: Unpack[How]) -> None:
        """A check of units that the event asks; `more` as for `checks.check`, the same for all of them."""
        self.checks([(kind, due)], by, rule, **more)

    def checks(
        self, kinds: Sequence[tuple[str, Flags]], by: Row | int, rule: str, **more: Unpack[How]
    ) -> None:
        """Checks of several kinds, in unit order; a unit makes one of them at most, and fails
        `WITHOUT_A_ROLL`."""
        if not any(due.any() for _, due in kinds):
            return
        with Asked(self.play.ensemble) as asked:
            asked.by[:] = by
            for number, (_, due) in enumerate(kinds):
                asked.due |= due
                asked.what[due] = number
            while asked.due.any():
                waiting, unit = first_of(asked.due)
                cases = asked.cases(waiting, unit, asked.by)
                what = asked.what[cases.at]  # one kind at a time: a roll may split lanes
                cases = cases.where(what == what[0])
                asked.due[cases.at] = False
                self._ask(kinds[int(what[0])][0], cases, rule, more)

    def fails(self, cases: Cases) -> None:
        """Units that the event asked have failed."""
        cases = cases.where(self.play.forces.present(cases))
        if len(cases):
            self.shock.asked[cases.at] = self.shock.failed[cases.at] = True
            self.shock.by[cases.lane] = cases.by
            if self.contagion and self.play.forces.spread:
                two = cases.where(self.play.forces.in_two(cases))
                if len(two):
                    self.shock.beside[:, two.lane] |= self.play.forces.mates(two)
            worsen(self.play, cases, self.shock)

    def asks(self, cases: Cases) -> None:
        """Units check for the event in another way: contagion of it does not ask them again."""
        self.shock.asked[cases.at] = True

    def _ask(self, kind: str, cases: Cases, rule: str, more: How) -> None:
        self.asks(cases)
        if kind != WITHOUT_A_ROLL:
            cases, passed = check(self.play, kind, cases, rule, repeatable=True, **more)
            cases = cases.where(~passed)
        self.fails(cases)

    def _spread(self, others: Pending) -> None:
        """Contagion: who shares a hex with one that failed, and was not asked; the moves of those who fail
        wait in `others`."""
        shock, forces = self.shock, self.play.forces
        (lanes,) = np.asarray(shock.failed.any(axis=0)).nonzero()
        unit, number = shock.failed[:, lanes].nonzero()
        lane = lanes[number]
        failed = Cases(shock.ensemble, lane, unit, shock.by[lane].astype(np.intp), shock.ensemble.epoch)
        due = in_touch(self.play, failed) & ~shock.asked[:, lane]
        beside: Flags | None = None
        if forces.spread:
            beside = shock.beside & ~shock.asked & (forces.state < ROUTED)
        if due.any() or (beside is not None and beside.any()):
            with Pending(shock.ensemble) as infected:
                infected.mark_all(due, lane, failed.by)
                if beside is not None:
                    infected.due |= beside
                contagion_checks(self.play, infected, others)


def in_touch(play: Play, cases: Cases, arms: Sequence[int] = (INFANTRY, CAVALRY, ARTILLERY)) -> Flags:
    """The units of some arms that share a failed unit's hex and must check (rule 31, item 13), shape (units,
    k); a lane may have several that failed."""
    forces = play.forces
    mates = forces.mates(cases)
    if not mates.any():
        return mates
    return mates & (forces.state[:, cases.lane] < ROUTED) & np.isin(forces.arm, arms)[:, None]


def contagion_checks(play: Play, infected: Pending, waiting: Pending) -> None:
    """Every unit in touch with a failed one checks once, in unit order, without further chain; the moves of
    those that fail wait."""
    for cases in infected.in_turn():
        found, passed = check(play, "contagion", cases, "31", repeatable=True)
        worsen(play, found.where(~passed), waiting)


def worsen(play: Play, cases: Cases, waiting: Pending) -> None:
    """The new state of units that failed; their moves wait."""
    forces = play.forces
    cases = cases.where(forces.present(cases))
    if not len(cases):
        return
    state = morale.failure(forces.arm[cases.unit], forces.state[cases.at], forces.formation[cases.at])
    for new in (DISORDERED, ROUTED):
        there = cases.where(state == new)
        if len(there):
            forces.become(there, new)
            waiting.mark(there.where(forces.formation[there.at] != UNLIMBERED))
            play.log(Broke, there, "30", state=new)


def give_way(play: Play, waiting: Pending, cause: int = PLAIN) -> None:
    """The moves that wait, in unit order: a retreat of who is disordered, a rout move of who routs (by fire
    perhaps later)."""
    forces = play.forces
    later = cause == BY_FIRE and play.switches["rout_by_fire"] == "recovery"
    zone_loss, by_melee = int(cause == STARRED), cause in (BY_MELEE, STARRED)
    for cases in waiting.in_turn():
        broken: Mask = forces.state[cases.at] == ROUTED
        leaves = forces.present(cases)
        if later:
            forces.half.rout_pending[cases.where(broken).at] = True
            leaves &= ~broken
        cases, broken = cases.where(leaves), broken[leaves]
        if not len(cases):
            continue
        group = cases.flags()
        points = np.where(broken, rout_points(play, group), play.book.blocks.retreat.disordered)
        leave(play, cases, group, points, broken, zone_loss, by_melee)


def leave(
    play: Play,
    cases: Cases,
    group: Flags,
    points: NDArray[np.int64],
    full: Mask,
    zone_loss: int,
    by_melee: bool,
) -> None:
    """Units leave their hex together, and those through whose hexes they pass check.

    Arguments as for `moves.move_off`.
    """
    if not len(cases):
        return
    passed = move_off(play, cases, group, points, full, zone_loss, by_melee)
    if passed.any():
        due = np.zeros((play.ensemble.units, play.ensemble.n), bool)
        by = np.zeros(play.ensemble.n, np.int16)
        due[:, cases.lane], by[cases.lane] = passed, cases.by
        with Failing(play, PLAIN) as failing:
            failing.check("pass-through", due, by, "31")
