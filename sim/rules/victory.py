"""Victory: what the conditions of a scenario measure, and which rung of its ladder is the result.

Arrays have shape (k,), one element a run, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.board.hexmap import Hex
from sim.units.victory import AllOf, Condition, Least, Measure, Not, Rung

Numbers = NDArray[np.integer]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Ledger:
    """What has been counted up to the end of a turn.

    Attributes
    ----------
    sides
        Side of each unit, shape (units,).
    infantry
        Which units are battalions, shape (units,).
    lost
        Increments lost, those taken or surrendered among them, shape (units, k).
    left
        Increments that left the map by an exit, shape (units, k).
    left_by
        Hex number by which they left, shape (units, k).
    broken
        Routed or eliminated, shape (units, k).
    holders
        Number of the side whose unit stood last in a hex of a named place, by hex.
    levels
        Morale levels in force, shape (organisations, k).
    hex_numbers
        The numbers of hexes that conditions name.
    """

    sides: NDArray[np.integer]
    infantry: Mask
    lost: Numbers
    left: Numbers
    left_by: Numbers
    broken: Mask
    holders: Mapping[Hex, Numbers]
    levels: Numbers
    hex_numbers: Mapping[Hex, int]


def measured(measure: Measure, ledger: Ledger) -> Numbers:
    """A measure as the ledger stands.

    `held` counts hexes, `exited` and `lost` increments of its units, `balance` increments that the other side
    has lost minus those of its own, `broken` battalions routed or eliminated, `level` is a level.
    """
    units = np.array(measure.units, np.intp)
    if measure.kind == "held":
        held = [ledger.holders[one] == measure.side for one in measure.hexes]
        return np.sum(held, axis=0, dtype=np.int32)
    if measure.kind == "exited":
        left = ledger.left[units].astype(np.int32)
        if measure.hexes:
            by = [ledger.hex_numbers[one] for one in measure.hexes]
            left = np.where(np.isin(ledger.left_by[units], by), left, 0)
        return left.sum(axis=0)
    if measure.kind == "lost":
        return ledger.lost[units].sum(axis=0, dtype=np.int32)
    if measure.kind == "balance":
        own = ledger.sides == measure.side
        lost = ledger.lost.astype(np.int32)
        return lost[~own].sum(axis=0) - lost[own].sum(axis=0)
    if measure.kind == "broken":
        battalions = units[ledger.infantry[units]]
        return ledger.broken[battalions].sum(axis=0, dtype=np.int32)
    assert measure.organisation is not None
    return ledger.levels[measure.organisation]


def holds(condition: Condition | None, values: Mapping[Measure, Numbers], runs: int) -> Mask:
    """In which runs a condition holds; no condition always does."""
    if condition is None:
        return np.ones(runs, np.bool_)
    if isinstance(condition, Least):
        return values[condition.measure] >= condition.number
    if isinstance(condition, Not):
        return ~holds(condition.part, values, runs)
    parts = [holds(part, values, runs) for part in condition.parts]
    return np.all(parts, axis=0) if isinstance(condition, AllOf) else np.any(parts, axis=0)


def results(ladder: Sequence[Rung], values: Mapping[Measure, Numbers], runs: int) -> NDArray[np.int16]:
    """The number of the rung that is the result: the first whose condition holds.

    Parameters
    ----------
    values
        The measures of the ladder (`sim.units.victory.measures`), each as it stood at the end of its turn.
    """
    result = np.full(runs, -1, np.int16)
    for number, rung in enumerate(ladder):
        result[(result < 0) & holds(rung.condition, values, runs)] = number
    return result
