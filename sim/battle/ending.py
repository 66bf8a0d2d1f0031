"""What closes a segment or the melees: guns without a crew, cavalry on enemies' hexes, readiness, charges
that were not recalled.

Rules 34, 36, 41, 42; docs/charge.md 1.8, 10.12, 10.15 to 10.17.

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.battle.sides import all_of
from sim.battle.told import ChaseOver, GunsTaken, Manned
from sim.battle.withdrawal import leave_enemy_hex
from sim.charge.course import Course
from sim.combat.play import Play
from sim.rules import readiness
from sim.vocabulary import ABANDONED, CAVALRY, GONE, GOOD, INFANTRY, ROUTED


def fate_of_guns(play: Play) -> None:
    """Guns without a crew are manned again by infantry in their hex, or taken by an enemy in it or next to it
    (docs/charge.md 1.8)."""
    forces = play.forces
    for unit in np.flatnonzero((forces.unmanned > 0).any(axis=1)).tolist():
        cases = forces.cases(forces.unmanned[unit] > 0, unit)
        mates = forces.mates(cases)
        crew = mates & (forces.arm == INFANTRY)[:, None] & (forces.state[:, cases.lane] == GOOD)
        manned = crew.any(axis=0)
        enemies = forces.side != forces.side[unit]
        near = (forces.gap(forces.hex[cases.at], cases.lane) <= 1) & enemies[:, None]
        taken = ~manned & ~mates.any(axis=0) & near.any(axis=0)
        forces.man(cases.where(manned))
        forces.remove(cases.where(taken), ABANDONED, "41")
        play.log(Manned, cases.where(manned), "41")
        play.log(GunsTaken, cases.where(taken), "41")


def end_of_melees(play: Play, charges: Sequence[Course]) -> None:
    """All cavalry comes off enemies' hexes, readiness is counted, chasers rout in place.

    `charges`: those of opportunity too.
    """
    for charge in charges:
        leave_enemy_hex(play, charge.state.stack)
    for charge in charges:
        _tire_chargers(play, charge)
    _tire_others(play)
    for charge in charges:
        _rout_chasers(play, charge)
    _forget(play, charges)


def _forget(play: Play, charges: Sequence[Course]) -> None:
    """What nothing asks for any more is the same everywhere, so that lanes can be merged."""
    half = play.forces.half
    half.came_from[:] = -1
    half.charged[:] = half.stands[:] = half.reacted[:] = half.silent[:] = False
    for charge in charges:
        state = charge.state
        state.goal[~state.turned] = state.target[~state.turned]
        state.lead[:] = state.opponent[:] = state.opponent_hex[:] = -1
        state.bonus[:] = state.compulsory[:] = state.unchecked[:] = state.chasing[:] = False
        state.rides[:] = state.made[:] = False


def _tire_chargers(play: Play, charge: Course) -> None:
    forces, half = play.forces, play.forces.half
    for cases in all_of(play, charge.state.stack & half.charged & (forces.state != GONE)):
        at, preserves = cases.at, charge.state.preserve[cases.lane]
        now = readiness.after_charge(forces.readiness[at], half.charged[at], half.meleed[at], preserves)
        forces.tire(cases, now)


def _tire_others(play: Play) -> None:
    """Cavalry that fought without having charged in the Charge segment."""
    forces, half = play.forces, play.forces.half
    exhausts = bool(play.switches["react_melee_exhausts"])
    horse = (forces.arm == CAVALRY)[:, None] & half.meleed & ~half.charged
    for cases in all_of(play, horse & (forces.state != GONE)):
        at = cases.at
        now = readiness.after_defence(forces.readiness[at], half.meleed[at], half.reacted[at], exhausts)
        forces.tire(cases, now)


def _rout_chasers(play: Play, charge: Course) -> None:
    forces, state = play.forces, charge.state
    lead = charge.lead()
    leads = state.cases(state.chasing & (lead >= 0), np.maximum(lead, 0), charge.by)
    for cases in all_of(play, charge.riders() & state.chasing):
        forces.become(cases, ROUTED)
    play.log(ChaseOver, leads, "42")
