"""Charges played to their ends: runs batch by batch, or every outcome at once.

Here alone the studies let the engine play.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import add

import numpy as np
from numpy.typing import NDArray

from sim.battle.setup import play
from sim.ensemble.dice import ExhaustiveDice, RandomDice
from sim.studies import ends
from sim.studies.ends import Codes
from sim.studies.tally import Tally
from sim.units.charges import Charge
from sim.units.orders import Variant, variations

BATCH = 250_000
"""Runs simulated together: for a charge within a fifth or so of the fastest size (docs/decisions/0001)."""

Refusals = list[str | None]
"""By variant: why it is not possible, or None."""


@dataclass(frozen=True)
class Batch:
    """Runs that were played together.

    Attributes
    ----------
    first, runs
        Number of the first run, and how many there are.
    codes
        How each lane ended, shape (lanes,).
    variant
        The variant that each lane belongs to, shape (lanes,).
    lane_of_run
        The lane that each run of each variant ended in, shape (variants, runs).
    refused
        Why variants are not possible.
    """

    first: int
    runs: int
    codes: Codes
    variant: NDArray[np.int16]
    lane_of_run: NDArray[np.int32]
    refused: Refusals

    def tallies(self) -> list[Tally]:
        """The tally of each variant."""
        counts = np.bincount(self.lane_of_run.ravel(), minlength=len(self.codes))
        mine = (self.variant == number for number in range(len(self.lane_of_run)))
        return [Tally.of_runs(self.codes[lanes], counts[lanes]) for lanes in mine]


def simulated(
    charge: Charge,
    variants: Sequence[Variant],
    runs: int,
    seed: int,
    first: int = 0,
    size: int = BATCH,
    charge_number: int = 0,
) -> Iterator[Batch]:
    """Runs from a first one on, in batches of a size; all variants of one of the charges play the same
    runs."""
    for start in range(first, first + runs, size):
        number = min(size, first + runs - start)
        dice = RandomDice(seed, start, number)
        played = play(charge, dice, variations(charge, variants, charge_number))
        lane_of_run = dice.lane_of_run.reshape(len(variants), number)
        dice.forget()
        batch = Batch(
            start,
            number,
            ends.ends(played, charge_number),
            ends.variants(played).copy(),
            lane_of_run,
            ends.refusals(charge, played, variants, charge_number),
        )
        played.forces.ensemble.close()
        yield batch


def simulated_tallies(
    charge: Charge,
    variants: Sequence[Variant],
    runs: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
    size: int = BATCH,
    first: int = 0,
    charge_number: int = 0,
) -> tuple[list[Tally], Refusals]:
    """Simulated tallies of variants, added up batch by batch, and the variants' refusals; the arguments are
    those of `simulated`."""
    found: list[Tally] = []
    refused: Refusals = []
    for batch in simulated(charge, variants, runs, seed, first, size, charge_number):
        tallies = batch.tallies()
        found = list(map(add, found, tallies)) if found else tallies
        refused = refused or batch.refused
        if progress is not None:
            progress(batch.first - first + batch.runs, runs)
    return found, refused


def exact_tallies(
    charge: Charge, variants: Sequence[Variant], dice: ExhaustiveDice, charge_number: int = 0
) -> tuple[list[Tally], Refusals]:
    """Exact tallies of variants of one of the charges, played together, and the variants' refusals."""
    played = play(charge, dice, variations(charge, variants, charge_number))
    codes = ends.ends(played, charge_number)
    parts, whole = dice.weights()
    found = []
    for number in range(len(variants)):
        lanes = np.flatnonzero(ends.variants(played) == number)
        found.append(Tally.of_parts(codes[lanes], np.array(parts, object)[lanes], whole))
    refused = ends.refusals(charge, played, variants, charge_number)
    played.forces.ensemble.close()
    return found, refused
