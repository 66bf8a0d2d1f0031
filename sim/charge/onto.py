"""The step onto an enemy's hex: a square, a Masse, guns that were ridden down (seed 002; docs/charge.md 6.1,
6.7).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.charge import told
from sim.charge.course import Course, Numbers
from sim.charge.march import NO_PRICE, opportunity_fire
from sim.charge.state import OVER, STEPPING, TARGET
from sim.ensemble.cases import Cases
from sim.vocabulary import SQUARE

NO_UNIT = -1


def price_onto(course: Course, cases: Cases, place: Numbers) -> Numbers:
    """Points for the step onto a hex next to the charge; `NO_PRICE` where the ground is closed to charges."""
    here = course.here(cases)
    direction = course.survey.toward(here, place)
    closed = course.survey.board.closed[here, direction]
    return np.where(closed, NO_PRICE, course.price(cases, direction))


def onto_square(course: Course, cases: Cases) -> None:
    """The charger rides onto the hex of its goal and stops there (seed 002); but for a target square they
    shoot first."""
    if not len(cases):
        return
    forces, goal = course.forces, course.goal(cases)
    course.state.bonus[cases.lane] = False
    pays = price_onto(course, cases, forces.hex[goal.at]) <= course.most_left(cases.lane)
    course.state.opponent[cases.lane[~pays]] = NO_UNIT
    course.go(cases.where(pays), STEPPING)
    target_square = (course.progress.declared[goal.at] == TARGET) & (forces.formation[goal.at] == SQUARE)
    opportunity_fire(course, cases.where(pays & ~target_square))
    course.hand_over()
    _step_onto(course)


def _step_onto(course: Course) -> None:
    """The step onto the goal's hex, by those who can pay it."""
    forces, cases = course.forces, course.at(STEPPING)
    price = price_onto(course, cases, forces.hex[course.goal(cases).at])
    pays = price <= course.most_left(cases.lane)
    course.state.opponent[cases.lane[~pays]] = NO_UNIT
    course.go(cases, OVER)
    cases, _ = _pay(course, cases.where(pays), price[pays])
    for rider, some in course.each_rider(cases):
        forces.half.came_from[rider.at] = course.here(cases)[some]
    _enter(course, cases, forces.hex[course.goal(cases).at])
    course.state.compulsory[cases.lane] = True
    course.log(told.RidesOnto, cases, "38", goal=course.goal(cases).unit)


def step_into_guns(course: Course) -> None:
    """The step into the hex of guns that were ridden down."""
    cases = course.at(STEPPING)
    price = course.progress.step_price[cases.lane].astype(np.int64)
    pays = price <= course.most_left(cases.lane)
    course.go(cases, OVER)
    cases, _ = _pay(course, cases.where(pays), price[pays])
    _enter(course, cases, course.state.opponent_hex[cases.lane])


def _pay(course: Course, cases: Cases, price: Numbers) -> tuple[Cases, Numbers]:
    """Pay for a step; regiments that cannot stay behind. Returns the leading regiments then."""
    course.drop_off(cases, price)
    course.progress.points[cases.lane] += price.astype(np.int16)
    return cases.of(course.state.lead[cases.lane]), price


def _enter(course: Course, cases: Cases, to: Numbers) -> None:
    to = np.array(to)
    course.put(cases, to, np.maximum(course.survey.toward(course.here(cases), to), 0))
