"""What is kept of battles that were played: plain arrays, one element a run along their last axis.

Arrays are small integers; `turns` are those of the scenario, the first at 0; units are in unit order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sim.units.battles import Scenario
from sim.vocabulary import ARMS, GONE, Reason

Numbers = NDArray[np.integer]
Mask = NDArray[np.bool_]

FATES = (
    "in order",
    "disordered",
    "routed",
    "eliminated",
    "surrendered",
    "taken",
    "routed off",
    "exited",
    "awaited",
)
"""What becomes of a unit: its state while it is on the map, then why it is not; `taken` are guns, `routed
off` who ran off the map."""
IN_ORDER, IN_DISORDER, IN_ROUT, LOST, SURRENDERED, TAKEN, ROUTED_OFF, EXITED, AWAITED = range(len(FATES))

_GONE_BY = {
    Reason.ELIMINATED: LOST,
    Reason.SURRENDERED: SURRENDERED,
    Reason.ABANDONED: TAKEN,
    Reason.ROUTED_OFF: ROUTED_OFF,
    Reason.LEFT: EXITED,
    Reason.AWAITED: AWAITED,
}

MEN = (100, 50, 0)
"""Men of an increment by arm; one of guns is four guns (scale of the game)."""


@dataclass(frozen=True, eq=False)
class Record:
    """Battles as they were played, run by run.

    Attributes
    ----------
    first
        Number of the first run.
    standing
        The rung of the ladder that is the result as things stand after each turn, shape (turns, runs): after
        the last turn the result.
    levels
        Morale levels in force, shape (turns, organisations, runs).
    lost
        Increments lost up to the end of each turn, those that surrendered or were taken among them, shape
        (turns, units, runs).
    left
        Increments that have left the map by then, shape (turns, units, runs).
    fate
        One of `FATES` after each turn, shape (turns, units, runs).
    routs
        How often each unit has routed, shape (units, runs).
    rout_hex
        Where it stood when it routed the last time, -1: never, shape (units, runs).
    hex, formation, readiness
        Of each unit at the end, shape (units, runs).
    """

    first: int
    standing: Numbers
    levels: Numbers
    lost: Numbers
    left: Numbers
    fate: Numbers
    routs: Numbers
    rout_hex: Numbers
    hex: Numbers
    formation: Numbers
    readiness: Numbers

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return int(self.standing.shape[-1])

    @property
    def turns(self) -> int:
        """How many turns were played."""
        return len(self.standing)

    @property
    def result(self) -> Numbers:
        """The rung that is the result, shape (runs,)."""
        return np.asarray(self.standing[-1])

    @cached_property
    def broken(self) -> Mask:
        """Units that have routed, or are lost, at any time, shape (units, runs)."""
        end = self.fate[-1]
        return np.asarray((self.routs > 0) | ((end >= IN_ROUT) & (end <= ROUTED_OFF)))

    def decided(self, winners: Numbers) -> NDArray[np.int16]:
        """The turn, from 1, from which on the final winner was ahead to stay; 0 where nobody wins, shape
        (runs,).

        Parameters
        ----------
        winners
            The side that wins by each rung, -1 for neither, shape (rungs,).
        """
        ahead = winners[self.standing]
        other = ahead != ahead[-1]
        since = self.turns - np.argmax(other[::-1], axis=0)
        return np.where(ahead[-1] < 0, 0, np.where(other.any(axis=0), since + 1, 1)).astype(np.int16)

    def equals(self, other: Record) -> bool:
        """Whether all that is kept of the runs is the same."""
        return all(np.array_equal(getattr(self, one.name), getattr(other, one.name)) for one in fields(self))


def joined(records: Sequence[Record]) -> Record:
    """Records of runs that follow each other, as one."""
    arrays = {
        one.name: np.concatenate([getattr(record, one.name) for record in records], axis=-1)
        for one in fields(Record)
        if one.name != "first"
    }
    return Record(first=records[0].first, **arrays)


def fates(state: Numbers, reason: Numbers) -> NDArray[np.int8]:
    """The numbers in `FATES` of units by their state and, where they are gone, the reason; arrays of one
    shape."""
    by_reason = np.zeros(len(Reason), np.int8)
    for one, fate in _GONE_BY.items():
        by_reason[one] = fate
    return np.where(state == GONE, by_reason[reason], state).astype(np.int8)


def arms_of(scenario: Scenario) -> NDArray[np.intp]:
    """The arm of each unit of a scenario, shape (units,)."""
    return np.array([ARMS.index(unit.arm) for unit in scenario.units])


def winners_of(scenario: Scenario) -> NDArray[np.int8]:
    """The side that wins by each rung of the ladder, -1 for neither, shape (rungs,)."""
    return np.array([-1 if rung.side is None else rung.side for rung in scenario.ladder], np.int8)
