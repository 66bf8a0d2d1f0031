"""The stand check, and what follows from it (rule 38, option 1; seed 001; docs/charge.md 6.11 to 6.13).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.charge import told
from sim.charge.attempts import abandon
from sim.charge.course import Course
from sim.charge.onto import onto_square
from sim.charge.pursuit import rout_of_target
from sim.charge.state import ONTO, OVER, ROUTING, STANDING
from sim.combat import failures
from sim.combat.checks import check
from sim.ensemble.cases import Cases, each
from sim.ensemble.frames import Pending
from sim.rules import stand as rules
from sim.vocabulary import DISORDERED, INFANTRY, LIMBERED, MASSE, ROUTED, SQUARE, UNLIMBERED


def stand(course: Course, cases: Cases) -> None:
    """The modified morale check of the goal."""
    forces = course.forces
    course.go(cases, STANDING)
    _guns_check(course, cases)
    cases = course.at(STANDING)
    goal, here = course.goal(cases), course.here(cases)
    known = rules.situation(
        forces.attributes_of("target", goal),
        forces.attributes_of("charger", cases),
        course.survey.zone_toward(goal, here),
        forces.hexside(here, course.survey.toward(here, course.goal_hex(cases))),
    )
    goal, passed = check(course.play, "stand", goal, "38", table=course.book.stand_modifiers, known=known)
    course.log(told.Stands, goal.where(passed), "38")
    on_top = passed & np.isin(forces.formation[goal.at], (SQUARE, MASSE))
    stays = rules.stays(forces.state[goal.at], course.switches["dd_fails_stand"] == "stays")
    course.go(goal.where(passed), OVER)
    course.go(goal.where(on_top), ONTO)
    course.go(goal.where(~passed & ~stays), ROUTING)
    _fails(course)
    onto_square(course, course.at(ONTO))


def _guns_check(course: Course, cases: Cases) -> None:
    """Unlimbered guns with infantry that stands check for themselves, to 2018 (rule 41)."""
    if course.switches["guns_with_infantry"] != "own_check":
        return
    forces, goal = course.forces, course.goal(cases)
    with_infantry = goal.where(forces.arm[goal.unit] == INFANTRY)
    guns = course.guns_of(with_infantry, UNLIMBERED)
    if not guns.any():
        return
    with Pending(course.ensemble) as due:
        due.mark_all(guns, with_infantry.lane, course.by[with_infantry.lane])
        for battery in due.in_turn():
            battery, passed = check(course.play, "guns", battery, "41")
            forces.become(battery.where(~passed), DISORDERED)


def _fails(course: Course) -> None:
    """The top unit routs, with the limbered guns; the other infantry of the hex checks.

    Those at `STANDING` stay in their hex.
    """
    forces, progress = course.forces, course.progress
    goal = course.goal(course.at(ROUTING))
    foot = goal.where(forces.arm[goal.unit] == INFANTRY)
    if len(foot):
        with Pending(course.ensemble) as due:
            due.mark_all(failures.in_touch(course.play, foot, (INFANTRY,)), foot.lane, foot.by)
            failures.contagion_checks(course.play, due, course.waiting)
    failed = (progress.stage == STANDING) | (progress.stage == ROUTING)
    goal = course.goal(course.leading(failed))
    if not len(goal):
        return
    course.draw_together(goal)
    for _, guns in each(goal, course.guns_of(goal, LIMBERED)):
        forces.become(guns, ROUTED)
        progress.leaving[guns.at] = True
    if course.switches["guns_with_infantry"] == "abandoned":
        foot = goal.where(forces.arm[goal.unit] == INFANTRY)
        for _, guns in each(foot, course.guns_of(foot, UNLIMBERED)):
            abandon(course, guns)
    forces.become(goal, ROUTED)
    progress.leaving[goal.at] = True
    course.log(told.FailsToStand, goal, "38")
    stay = course.at(STANDING)
    course.state.compulsory[stay.lane] = True
    progress.leaving[:, stay.lane] = False
    course.go(stay, OVER)
    rout_of_target(course, course.at(ROUTING))
