"""What the charger makes of a goal that tried carré before it was declared the target (seed 002; D N21.1,
N22.1; docs/charge.md 5.7 to 5.13).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.charge import told
from sim.charge.course import Course
from sim.charge.onto import NO_UNIT
from sim.charge.recall import halt
from sim.charge.state import AWAY, FIRST, MARCH, OVER, SECOND, TURNED
from sim.ensemble.cases import Cases
from sim.rules.carre import FORMED
from sim.units import orders
from sim.vocabulary import GONE


def take_effect(course: Course) -> None:
    """After all attempts of a step: the plan against a goal that tried before it was the target, once a
    charge."""
    progress, cases = course.progress, _concerned(course)
    if course.open and len(cases):
        _choose(course, cases)
        cases = _concerned(course)
    if not len(cases):
        return
    square = progress.attempt[course.goal(cases).at] == FORMED
    plan = np.where(square, course.plan("square", cases.lane), course.plan("disordered", cases.lane))
    ways = [(orders.TURN_AWAY, AWAY, NO_UNIT)]
    if course.second >= 0:
        ways.insert(0, (orders.SECOND, SECOND, course.second))
    for choice, leg, to in ways:
        turns = cases.where(plan == choice)
        if len(turns):
            course.go(turns, TURNED)
            progress.leg[turns.lane] = leg
            progress.turned_at[turns.lane] = progress.steps[turns.lane]
            if leg == SECOND:
                course.state.goal[turns.lane] = to
                course.state.turned[turns.lane] = True
            course.log(told.Turns, turns, "38", to=to)
    over = cases.where(plan == orders.RIDE_OVER)
    progress.over_square[over.lane] = True
    course.log(told.WillRideOver, over, "38")
    halt(course, cases.where(plan == orders.BREAK_OFF), told.BREAKS_OFF)


def _concerned(course: Course) -> Cases:
    """Charges whose goal has made its attempt before it was the target."""
    progress, cases = course.progress, course.at(MARCH)
    goal = course.goal(cases)
    holds = (progress.attempt[goal.at] > 0) & ~progress.as_target[goal.at]
    holds &= ~progress.over_square[cases.lane] & (progress.leg[cases.lane] == FIRST)
    return cases.where(holds)


def _choose(course: Course, cases: Cases) -> None:
    """An open charge chooses among what it can do; one that may not halt presses (docs/charge.md 4.12)."""
    cases = cases.where(~course.progress.halt_refused[cases.lane])
    square = course.progress.attempt[course.goal(cases).at] == FORMED
    away = course.routes.lengths[course.state.route[AWAY, cases.lane]].any()
    there = np.array([True, True, course.second >= 0, away, True])
    formed, broken = cases.where(square), cases.where(~square)
    course.choose_plan("square", formed, orders.SQUARE_PLANS, there, {"hexes": course.gap(formed)})
    still = np.zeros(course.ensemble.n, bool)
    still[broken.lane] = True
    broken = course.leading(still)
    course.choose_plan(
        "disordered", broken, orders.SQUARE_PLANS[:4], there[:4], {"hexes": course.gap(broken)}
    )


def settle_turned(course: Course) -> None:
    """A charge that has turned another way rides on, unless its second goal is not there to be charged."""
    forces, cases = course.forces, course.at(TURNED)
    goal = course.goal(cases)
    gone = (forces.state[goal.at] == GONE) | (forces.unmanned[goal.at] > 0) | (forces.sheltered[goal.at] > 0)
    gone &= course.progress.leg[cases.lane] == SECOND
    course.go(cases.where(gone), OVER)
    course.go(cases.where(~gone), MARCH)
