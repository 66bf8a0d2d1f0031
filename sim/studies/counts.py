"""What many battles came to, in counts: they add up batch by batch, so that memory does not grow with the
runs, and what is told of them (medians, shares) comes of counts alone.

`sides` and arms are numbers; `turns` begin at 0; a histogram counts the runs by a whole number from 0 on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from sim.studies.record import (
    EXITED,
    FATES,
    IN_ROUT,
    LOST,
    MEN,
    ROUTED_OFF,
    SURRENDERED,
    TAKEN,
    Record,
    arms_of,
    winners_of,
)
from sim.units.battles import Scenario
from sim.vocabulary import ARMS

Tallies = NDArray[np.int64]

LEVELS = 4
"""Morale levels, 0 to 3."""
ALL_ARMS = len(ARMS)
"""Beside the arms: all of them together."""
UNITS_OF = {
    "routed": (IN_ROUT, ROUTED_OFF),
    "eliminated": (LOST, TAKEN),
    "surrendered": (SURRENDERED,),
    "exited": (EXITED,),
}
"""Fates at the end of which the units of a side are counted together."""
MEN_STEP = 50
"""What men are counted by."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of runs.

    Attributes
    ----------
    runs
        How many, shape ().
    results
        By rung of the ladder, shape (rungs,).
    decided
        By winner and the turn from which on he was ahead to stay, shape (2, turns); drawn runs not among
        them.
    lost
        By side, arm (`ALL_ARMS`: together) and increments lost, shape (2, 4, most + 1).
    men
        By side and men lost, in steps of `MEN_STEP`, shape (2, most + 1).
    left
        By side and increments that left the map, shape (2, most + 1).
    units_of
        By side, what became of units (`UNITS_OF`) and their number, shape (2, 4, units + 1).
    levels
        By turn, organisation and level, shape (turns, organisations, 4).
    fates
        By turn, unit and fate, shape (turns, units, fates).
    unit_lost
        Increments lost by each unit in all runs, shape (units,).
    unit_routed
        Runs in which each unit routed, shape (units,).
    won
        By unit, whether it was broken (routed at any time, or lost), and whether its side won, shape (units,
        2, 2); drawn runs are not won.
    routed_at
        By side and hex: where units stood when they routed the last time, shape (2, hexes).
    """

    runs: Tallies
    results: Tallies
    decided: Tallies
    lost: Tallies
    men: Tallies
    left: Tallies
    units_of: Tallies
    levels: Tallies
    fates: Tallies
    unit_lost: Tallies
    unit_routed: Tallies
    won: Tallies
    routed_at: Tallies

    def __add__(self, other: Counts) -> Counts:
        """Both counts' runs together."""
        return Counts(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    @property
    def n(self) -> int:
        """The number of runs."""
        return int(self.runs)


def counts(record: Record, scenario: Scenario) -> Counts:
    """The counts of some battles of a scenario."""
    sides, arms, winners = np.array(scenario.side_of), arms_of(scenario), winners_of(scenario)
    won = winners[record.result]
    end, lost, left = record.fate[-1], record.lost[-1].astype(np.int32), record.left[-1].astype(np.int32)
    units, most = len(sides), sum(unit.printed for unit in scenario.units)
    turn = record.decided(winners)
    ours = won[None] == sides[:, None]
    return Counts(
        runs=np.array(record.runs),
        results=histogram(record.result, len(winners)),
        decided=np.stack([histogram(turn[won == side] - 1, record.turns) for side in (0, 1)]),
        lost=np.stack(
            [
                [
                    histogram(lost[_of(sides, arms, side, arm)].sum(axis=0), most + 1)
                    for arm in range(ALL_ARMS + 1)
                ]
                for side in (0, 1)
            ]
        ),
        men=np.stack([histogram(_men(lost, sides, arms, side), 2 * most + 1) for side in (0, 1)]),
        left=np.stack([histogram(left[sides == side].sum(axis=0), most + 1) for side in (0, 1)]),
        units_of=np.stack(
            [[histogram(_units(end[sides == side], what), units + 1) for what in UNITS_OF] for side in (0, 1)]
        ),
        levels=_by_value(record.levels, LEVELS),
        fates=_by_value(record.fate, len(FATES)),
        unit_lost=lost.sum(axis=1, dtype=np.int64),
        unit_routed=np.count_nonzero(record.routs, axis=1).astype(np.int64),
        won=np.stack(
            [
                [np.count_nonzero((record.broken == broken) & (ours == mine), axis=1) for mine in (0, 1)]
                for broken in (0, 1)
            ]
        ).transpose(2, 0, 1),
        routed_at=np.stack(
            [histogram(record.rout_hex[sides == side].ravel(), scenario.sheet.map.off) for side in (0, 1)]
        ),
    )


def histogram(values: NDArray[np.integer], size: int) -> Tallies:
    """How often each of 0..size-1 occurs in values, shape (k,); what is below 0 is left out."""
    return np.bincount(values[values >= 0], minlength=size)


def quantile(counted: Tallies, share: float) -> int:
    """The least value that so great a share of the runs does not exceed; 0 of no runs.

    >>> counted = np.array([1, 2, 6, 1])
    >>> quantile(counted, 0.5), quantile(counted, 0.05), quantile(counted, 0.95)
    (2, 0, 3)
    """
    return int(np.searchsorted(np.cumsum(counted), share * counted.sum() - 1e-9))


def spread(counted: Tallies) -> tuple[int, int, int]:
    """Median, 5 % and 95 % of a histogram."""
    return quantile(counted, 0.5), quantile(counted, 0.05), quantile(counted, 0.95)


def total(parts: Sequence[Counts]) -> Counts:
    """All runs of some counts."""
    found = parts[0]
    for part in parts[1:]:
        found = found + part
    return found


def men_of(lost: NDArray[np.integer], arms: NDArray[np.integer]) -> NDArray[np.int32]:
    """Men lost by units, shape (units, runs): of all, shape (runs,)."""
    return np.array(MEN, np.int32)[arms] @ lost.astype(np.int32)


def _of(sides: NDArray[np.integer], arms: NDArray[np.integer], side: int, arm: int) -> NDArray[np.bool_]:
    return (sides == side) & ((arms == arm) | (arm == ALL_ARMS))


def _men(
    lost: NDArray[np.integer], sides: NDArray[np.integer], arms: NDArray[np.integer], side: int
) -> NDArray[np.integer]:
    mine = sides == side
    return men_of(lost[mine], arms[mine]) // MEN_STEP


def _units(fates: NDArray[np.integer], what: str) -> NDArray[np.integer]:
    """Units that are counted together, in each run."""
    return np.count_nonzero(np.isin(fates, UNITS_OF[what]), axis=0)


def _by_value(values: NDArray[np.integer], size: int) -> Tallies:
    """How often each of 0..size-1 occurs along the last axis: one axis more, of these."""
    return np.stack([np.count_nonzero(values == one, axis=-1) for one in range(size)], axis=-1)
