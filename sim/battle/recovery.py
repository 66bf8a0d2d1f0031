"""Morale recovery, and the routs that waited for it (rule 30; seed 004; docs/charge.md 11; docs/battle.md R).

In waves: in each lane the next unit in unit order acts, whichever that is. Arrays have shape (k,), one
element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from sim.battle.told import Recovered, Refuge, Unrecovered
from sim.combat.checks import check
from sim.combat.flight import rout_alone
from sim.combat.play import Play
from sim.ensemble.cases import Cases, first_of
from sim.ensemble.frames import Flags, Frame, Row, per_lane
from sim.rules import recovery as rules
from sim.rulesets.modifiers import holds
from sim.vocabulary import DISORDERED, GENERAL_ORDER, GONE, GOOD, INFANTRY, ROUTED, UNLIMBERED

RULE = "30"


class Turn(Frame):
    """Whose turn it is."""

    after: Row = per_lane("units up to this number have had their turn", -1)


def recovery(play: Play, phasing: int) -> None:
    """The phasing side recovers; then those of the other side run who were routed by fire
    (docs/charge.md 11)."""
    for cases in _in_turn(play, phasing, shaken):
        recover(play, cases)
    for cases in _in_turn(play, 1 - phasing, routs_late):
        rout_late(play, cases)


def shaken(play: Play) -> Flags:
    """Who is disordered or routed, shape (units, lanes)."""
    state = play.forces.state
    return (state == DISORDERED) | (state == ROUTED)


def routs_late(play: Play) -> Flags:
    """Whose rout move, by fire in this half, is still to come, shape (units, lanes)."""
    return play.forces.half.rout_pending & (play.forces.state == ROUTED)


def recover(play: Play, cases: Cases) -> None:
    """Units that are disordered or routed try to recover; who fails runs on (docs/charge.md 11.1 to 11.3)."""
    forces = play.forces
    cases, passed = check(play, "recovery", cases, RULE)
    forces.half.rout_pending[cases.at] = False
    back, on = cases.where(passed), cases.where(~passed)
    if len(back):
        forces.become(back, GOOD)
        foot = back.where(forces.arm[back.unit] == INFANTRY)
        loose = np.array(play.book.fire_defence.general_order)[forces.ground[forces.hex[foot.at]]]
        forces.form(foot.where(loose), GENERAL_ORDER)
        play.log(Recovered, back, RULE, formation=forces.formation[back.at])
    for loss in play.book.recovery_losses:
        hurt = on.where(holds(loss.when, forces.attributes_of("unit", on), len(on)))
        play.log(Unrecovered, hurt, RULE, label=loss.label, source=loss.source)
        forces.lose(hurt, loss.increments, RULE)
    on = on.where(forces.present(on))
    on = on.where(forces.formation[on.at] != UNLIMBERED)  # unlimbered guns stay as they are (E2)
    if not len(on):
        return
    fell = forces.state[on.at] == DISORDERED
    forces.become(on.where(fell), ROUTED)
    safe = np.zeros(len(on), bool)
    if forces.in_battle:
        safe[~fell] = _safe(play, on.where(~fell))
    _shelter(play, on.where(safe))
    rout_alone(play, on.where(~safe))


def rout_late(play: Play, cases: Cases) -> None:
    """The rout moves of units routed by fire in this half (docs/charge.md 11.4)."""
    play.forces.half.rout_pending[cases.at] = False
    rout_alone(play, cases)


def _in_turn(play: Play, side: int, who: Callable[[Play], Flags]) -> Iterator[Cases]:
    """In each lane the next unit of a side whose turn it is, in unit order, until there is none; who comes to
    be one of them when its number is past has no turn."""
    number = np.arange(play.ensemble.units)[:, None]
    own = (play.forces.side == side)[:, None]
    with Turn(play.ensemble) as turn:
        while True:
            due, unit = first_of(who(play) & own & (number > turn.after))
            if not due.any():
                return
            cases = turn.cases(due, unit)
            turn.after[cases.lane] = cases.unit
            yield cases


# -- routed units that no enemy is near -------------------------------------------------------------


def _safe(play: Play, cases: Cases) -> Flags:
    """Where every enemy is so far from a routed unit that it does not run on, shape (k,)."""
    forces = play.forces
    enemies = (forces.side[:, None] != forces.side[cases.unit]) & (forces.state[:, cases.lane] != GONE)
    far = forces.map.distances(forces.hex[:, cases.lane], forces.hex[cases.at])
    nearest = np.where(enemies, far, 999).min(axis=0, initial=999)
    return rules.is_safe(nearest, play.book.blocks.retreat.safe)


def _shelter(play: Play, cases: Cases) -> None:
    """They go to the nearest shelter that is as far from every enemy, and free, within their rout move; else
    they stay."""
    if not len(cases):
        return
    forces, map_ = play.forces, play.forces.map
    loose = np.array(play.book.fire_defence.general_order)[forces.ground[: map_.off]]
    (shelters,) = loose.nonzero()
    here, lanes = forces.hex[cases.at], cases.lane
    points = np.where(forces.arm[cases.unit] == 1, forces.movement[cases.unit], play.book.blocks.retreat.rout)
    hexes = map_.distances(shelters[:, None], here)
    open_ = hexes <= points
    for unit in range(len(forces.units)):
        there = forces.hex[unit, lanes]
        far = map_.distances(shelters[:, None], there)
        enemy = (forces.side[unit] != forces.side[cases.unit]) & (there != map_.off)
        open_ &= ~enemy | rules.is_safe(far, play.book.blocks.retreat.safe)
        open_ &= (far > 0) | (unit == cases.unit)
    nearest = rules.nearest(hexes, open_)
    gone = nearest >= 0
    away = np.zeros(len(cases), np.int64)
    away[gone] = hexes[nearest[gone], np.flatnonzero(gone)]
    play.log(Refuge, cases, RULE, hexes=away)
    forces.place(cases.where(gone), shelters[nearest[gone]])
