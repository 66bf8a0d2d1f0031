"""Battles of a scenario played by the engine, and what is kept of them."""

from __future__ import annotations

import numpy as np

from sim.battle.battle import Battle
from sim.battle.chronicle import Chronicle
from sim.battle.command import Command
from sim.battle.setup import muster
from sim.battle.tally import Tally
from sim.doctrine.command import players_of
from sim.ensemble.dice import RandomDice
from sim.studies.record import Record, fates
from sim.units.battles import Scenario
from sim.units.record import Recorder
from sim.vocabulary import LEFT


def play(scenario: Scenario, seed: int, first: int, runs: int) -> Record:
    """Play some runs together, to the end."""
    battle = set_up(scenario, seed, first, runs)
    battle.run()
    found = record_of(battle, scenario, first)
    battle.forces.ensemble.close()
    return found


def set_up(
    scenario: Scenario,
    seed: int,
    first: int,
    runs: int = 1,
    recorder: Recorder | None = None,
    turns: int | None = None,
) -> Battle:
    """A battle ready to be run, a lane a run.

    Parameters
    ----------
    recorder
        Watches one of the runs.
    turns
        How many are played; all by default.
    """
    watched = None if recorder is None else recorder.lane
    dice = RandomDice(seed, first, runs, lumped=False, watched=watched)
    battle = muster(scenario, dice, players_of, recorder)
    if turns is not None:
        battle.halves = 2 * turns
    return battle


def record_of(battle: Battle, scenario: Scenario, first: int) -> Record:
    """What is kept of battles that have been played."""
    told, forces = chronicle_of(battle), battle.forces
    played = slice(told.turns)
    start = np.array([unit.increments for unit in scenario.units], np.int16)[:, None]
    increments, reason = told.increments[played], told.reason[played]
    return Record(
        first=first,
        standing=told.standing[played].astype(np.int8),
        levels=told.levels[played].astype(np.int8),
        lost=(start - increments).astype(np.int8),
        left=np.where(reason == LEFT, increments, 0).astype(np.int8),
        fate=fates(told.state[played], reason),
        routs=told.routs.astype(np.int8),
        rout_hex=told.rout_hex.astype(np.int16),
        hex=forces.hex.astype(np.int16),
        formation=forces.formation.astype(np.int8),
        readiness=forces.readiness.astype(np.int8),
    )


def chronicle_of(battle: Battle) -> Chronicle:
    """What was written down of a battle of a scenario."""
    assert isinstance(battle.command, Command)
    assert battle.command.chronicle is not None
    return battle.command.chronicle


def tally_of(battle: Battle) -> Tally:
    """What a battle of a scenario counts."""
    assert isinstance(battle.command, Command)
    return battle.command.tally
