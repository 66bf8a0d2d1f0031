"""Riding over squares that are not the target of the charge (seed 002; 0-decisions 5.3; docs/charge.md 3.12
to 3.15, 5.12).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.charge import told
from sim.charge.course import Course, Numbers
from sim.charge.march import mean_step, shoot, step, way
from sim.charge.state import AWAY, MARCH, OVER, RIDE, STEPPING
from sim.ensemble.cases import Cases
from sim.units.orders import RIDE_OVER
from sim.vocabulary import CAVALRY


def squares_ahead(course: Course, cases: Cases, to_goal: bool = False) -> Numbers:
    """Squares in a row that the next steps lead over, 0 for none."""
    found = np.zeros(len(cases), np.int64)
    meant = course.plan("square", cases.lane) == RIDE_OVER
    meant &= course.progress.leg[cases.lane] != AWAY
    if meant.any():
        rides = cases.where(meant)
        riders = course.riders()[:, rides.lane]
        how = way(course, rides, course.goal(rides).unit)
        found[meant] = course.survey.ride_length(rides, riders, how, to_goal)
    return found


def over_goal(course: Course) -> None:
    """Next to the goal's square: over it if it is straight ahead, or the charge halts there."""
    cases = course.at(RIDE)
    if len(cases):
        course.go(cases, OVER)
        begin(course, cases, squares_ahead(course, cases, to_goal=True))
        go_on(course)


def begin(course: Course, cases: Cases, squares: Numbers) -> None:
    """Where there are squares to ride over, the charge is from now on bound to these steps.

    Regiments that cannot pay them all stay behind.
    """
    cases, steps = cases.where(squares > 0), squares[squares > 0] + 1
    if len(cases):
        course.progress.ride_left[cases.lane] = steps
        course.go(cases, STEPPING)
        course.drop_off(cases, _whole_price(course, cases, steps))


def _whole_price(course: Course, cases: Cases, steps: Numbers) -> Numbers:
    """Points for so many steps straight ahead."""
    price, at, heading = np.zeros(len(cases), np.int64), course.here(cases), _ahead(course, cases)
    for made in range(int(steps.max(initial=0))):
        price += (made < steps) * course.survey.price(CAVALRY, at, heading)
        at = course.survey.ahead(at, heading)
    return price


def go_on(course: Course) -> None:
    """The steps over squares and off them.

    Each square shoots twice: before the step onto it and before the step off it.
    """
    while course.any_at(STEPPING):
        cases = course.at(STEPPING)
        _shot(course, cases, course.here(cases))
        course.hand_over()
        cases = course.at(STEPPING)
        cases = cases.where(course.progress.ride_left[cases.lane] > 1)
        course.log(told.RidesOntoSquare, cases, "38")
        heading = course.progress.heading[cases.lane]
        _shot(course, cases, course.survey.ahead(course.here(cases), heading))
        course.hand_over()
        _make_step(course)


def _make_step(course: Course) -> None:
    progress, forces, cases = course.progress, course.forces, course.at(STEPPING)
    if not len(cases):
        return
    course.log(told.RidesOffSquare, cases.where(progress.ride_left[cases.lane] == 1), "38")
    mean_step(course, cases, 0, course.price(cases, _ahead(course, cases)))
    step(course, cases, over_square=True)
    cases = course.at(STEPPING)
    lanes = cases.lane
    progress.ride_left[lanes] -= 1
    progress.ridden[:, lanes] |= course.enemies[:, None] & (forces.hex[:, lanes] == course.here(cases))
    _come_off(course, cases.where(progress.ride_left[lanes] == 0))


def _come_off(course: Course, cases: Cases) -> None:
    """Off the last square: over the goal's it is the end, one hex on if it can; otherwise the march goes
    on."""
    done = course.progress.ridden[course.goal(cases).at]
    course.go(cases.where(~done), MARCH)
    cases = cases.where(done)
    if not len(cases):
        return
    course.go(cases, OVER)
    heading = _ahead(course, cases)
    price = course.price(cases, heading)
    free = course.survey.passable(cases, course.riders()[:, cases.lane], heading)
    mean_step(course, cases, 0, price)
    step(course, cases.where(free & (price <= course.most_left(cases.lane))), over_square=True)


def _ahead(course: Course, cases: Cases) -> Numbers:
    return course.forces.facing[cases.at] // 2


def _shot(course: Course, cases: Cases, at: Numbers) -> None:
    """The square on a hex shoots, as through one hexside."""
    if len(cases):
        square = course.enemies[:, None] & (course.forces.hex[:, cases.lane] == at)
        shoot(course, cases, square, through=True)
