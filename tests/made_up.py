"""Battles that nobody played: records made up run by run, for tests of what is counted and told of them."""

from __future__ import annotations

import numpy as np

from sim.studies.record import EXITED, IN_ROUT, LOST, ROUTED_OFF, Record, joined
from sim.units.battles import Scenario

FAULTY = 13
"""A run that `faulty` cannot play."""


def made_up(scenario: Scenario, seed: int, first: int, runs: int) -> Record:
    """Runs, each its own, whatever the batch."""
    return joined([_one(scenario, seed, run) for run in range(first, first + runs)])


def faulty(scenario: Scenario, seed: int, first: int, runs: int) -> Record:
    """As `made_up`, but one of the runs meets a fault of the program."""
    if first <= FAULTY < first + runs:
        raise AssertionError("a unit\nstands on two hexes")
    return made_up(scenario, seed, first, runs)


def _one(scenario: Scenario, seed: int, run: int) -> Record:
    dice = np.random.default_rng([seed, run])
    turns, units, map_ = scenario.calendar.turns, len(scenario.units), scenario.sheet.map
    fate = np.maximum.accumulate(
        dice.choice(5, (turns, units, 1), p=[0.93, 0.04, 0.02, 0.009, 0.001]), axis=0
    )
    fate = np.where(np.cumsum(fate == IN_ROUT, axis=0) > 4, IN_ROUT, fate).astype(np.int8)
    start = np.array([unit.increments for unit in scenario.units])[:, None]
    steps = dice.random((turns, units, 1)) < 0.05
    lost = np.minimum(np.cumsum(steps, axis=0), start)
    lost = np.where((fate >= LOST) & (fate <= ROUTED_OFF), start, lost).astype(np.int8)
    levels = np.sort(dice.integers(0, 4, (turns, len(scenario.organisations), 1)), axis=0)
    routs = (fate == IN_ROUT).any(axis=0).astype(np.int8)
    places = dice.integers(0, map_.off, (units, 1))
    return Record(
        first=run,
        standing=dice.integers(0, len(scenario.ladder), (turns, 1)).astype(np.int8),
        levels=levels.astype(np.int8),
        lost=lost,
        left=np.where(fate == EXITED, start, 0).astype(np.int8),
        fate=fate,
        routs=routs,
        rout_hex=np.where(routs > 0, places, -1).astype(np.int16),
        hex=places.astype(np.int16),
        formation=np.zeros((units, 1), np.int8),
        readiness=np.zeros((units, 1), np.int8),
    )
