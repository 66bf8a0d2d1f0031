"""Whom a charge declares its target, and whom it passes (seed 000; docs/charge.md 4.8).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.charge import told
from sim.charge.course import Course, Mask
from sim.charge.state import AWAY, PASSED, TARGET
from sim.ensemble.cases import Cases
from sim.vocabulary import LINE


def declare(course: Course, stage: int) -> None:
    """The goal is declared or passed, at two hexes, in sight; every other enemy there is passed."""
    cases = course.at(stage)
    if not len(cases):
        return
    immune = bool(course.switches["passed_immune"])
    _declare_goal(course, cases.where(course.progress.leg[cases.lane] != AWAY), immune)
    if immune:
        _pass_others(course, cases)


def _declare_goal(course: Course, cases: Cases, immune: bool) -> None:
    progress, goal, gap = course.progress, course.goal(cases), course.gap(cases)
    near = (progress.declared[goal.at] == 0) & ~progress.over_square[cases.lane] & (gap <= 2)
    cases, goal, gap = cases.where(near), goal.where(near), gap[near]
    if not len(cases):
        return
    seen = course.survey.sees(cases.lane, course.here(cases), course.goal_hex(cases))
    ahead = _straight_ahead(course, cases, goal)
    if course.switches["declaration"] == "distance":
        becomes, misses = seen, np.zeros(len(cases), bool)
    else:
        becomes, misses = seen & (gap == 2) & ahead, seen & (gap == 2) & ~ahead & immune
    progress.declared[goal.where(becomes).at] = TARGET
    progress.declared[goal.where(misses).at] = PASSED
    course.log(told.Declares, cases.where(becomes), "38", goal=goal.unit[becomes])
    hidden = ~seen & (gap == 2) & ahead
    course.log(told.DoesNotDeclare, cases.where(hidden), "38", goal=goal.unit[hidden])
    course.log(told.Passes, cases.where(misses), "38", goal=goal.unit[misses])


def _pass_others(course: Course, cases: Cases) -> None:
    """Every enemy two hexes away and in sight is passed, but those in the goal's hex."""
    progress, forces, lanes = course.progress, course.forces, cases.lane
    here, goals, hexes = course.here(cases), course.goal(cases), forces.hex[:, lanes]
    if forces.spread:
        other = forces.second[:, lanes]
        nearer = forces.map.distances(here, other) < forces.map.distances(here, hexes)
        hexes = np.where(nearer, other, hexes)
    unit, case = np.nonzero(course.enemies[:, None] & (np.abs(hexes - here) <= 2 * (forces.map.width + 1)))
    at = hexes[unit, case]
    open_ = (progress.declared[unit, lanes[case]] == 0) & (forces.map.distances(here[case], at) == 2)
    in_goals = (at == forces.hex[goals.at][case]) | (at == forces.second[goals.at][case])
    open_ &= (progress.leg[lanes[case]] == AWAY) | ~in_goals
    unit, case, at = unit[open_], case[open_], at[open_]
    if len(unit):
        seen = course.survey.sees(lanes[case], here[case], at)
        progress.declared[unit[seen], lanes[case[seen]]] = PASSED


def _straight_ahead(course: Course, cases: Cases, goal: Cases) -> Mask:
    """Whether the goal lies two steps ahead; a line that has not moved yet has two ways ahead."""
    progress, ahead = course.progress, course.survey.ahead
    direction, here = progress.heading[cases.lane], course.here(cases)
    forces = course.forces
    found = forces.stands_in(goal, ahead(ahead(here, direction), direction))
    other = (direction + 1) % 6
    fresh_line = (forces.formation[cases.at] == LINE) & (progress.steps[cases.lane] == 0)
    beside = forces.stands_in(goal, ahead(ahead(here, other), other))
    return np.asarray(found | (fresh_line & beside))
