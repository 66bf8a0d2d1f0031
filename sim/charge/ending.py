"""How a charge ends: regiments without contact, guns that were left behind, and where its opponent stands
(rule 37; docs/charge.md 4.14, 5.4).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.charge import told
from sim.charge.course import Course
from sim.rules import charge as rules
from sim.vocabulary import DISORDERED, GOOD, ROUTED, UNLIMBERED


def end(course: Course) -> None:
    """All that is left to do when nobody marches any more."""
    _rout_without_contact(course)
    course.hand_over()
    _guns_left_behind(course)
    _remember_opponent(course)


def _rout_without_contact(course: Course) -> None:
    """The no-contact rule, for each regiment where it is (F14 fb124; D4.3)."""
    forces, state, progress = course.forces, course.state, course.progress
    out = []
    for unit in course.stack.tolist():
        behind = progress.behind[unit]
        cases = state.cases(
            (state.rides[unit] | behind) & (forces.state[unit] == GOOD) & state.made, unit, course.by
        )
        spent = np.where(behind, progress.spent[unit], progress.points)[cases.lane]
        contact = np.where(behind, progress.touched[unit], progress.contact)[cases.lane]
        far = rules.routs_without_contact(spent, forces.movement[cases.unit], contact)
        cases = cases.where(far)
        out.append(cases.where(~course.survey.touching(cases)))
    for cases in out:
        forces.become(cases, ROUTED)
        course.log(told.RoutsWithoutContact, cases, "37")


def _guns_left_behind(course: Course) -> None:
    """Disordered guns whose infantry went away as the target may be meleed by a charge that has nobody else
    to melee (2014; 0-decisions 5.27)."""
    forces, state = course.forces, course.state
    free = (course.progress.left_hex >= 0) & (state.opponent < 0) & (course.lead() >= 0)
    cases = course.leading(free)
    if not len(cases):
        return
    place = course.progress.left_hex[cases.lane]
    guns = forces.top(1 - course.side, place, cases.lane)
    near = (guns >= 0) & (forces.map.distances(course.here(cases), place) == 1)
    cases = cases.where(near).of(guns[near])
    left = (forces.formation[cases.at] == UNLIMBERED) & (forces.state[cases.at] == DISORDERED)
    state.opponent[cases.lane[left]] = cases.unit[left]
    state.bonus[cases.lane[left]] = False


def _remember_opponent(course: Course) -> None:
    """The hex that will be meleed: where the opponent stands now."""
    forces, state = course.forces, course.state
    opponents = state.cases(state.opponent >= 0, state.opponent, course.by)
    here = forces.hex[opponents.at] != forces.map.off
    opponents = opponents.where(here)
    leads = opponents.of(np.maximum(course.lead(), 0)[opponents.lane])
    met = state.opponent_hex[opponents.lane]
    hexes = forces.nearer(opponents, forces.hex[leads.at])
    state.opponent_hex[opponents.lane] = np.where(forces.stands_in(opponents, met), met, hexes)
