"""The recall roll, and halts of the charger's own will, which may need one (rule 42; docs/charge.md 4.11,
4.12, 6.16).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.charge import told
from sim.charge.course import Course, Mask, Numbers
from sim.charge.march import within_reach
from sim.charge.state import AWAY, HALTING, MARCH, OVER, PASSED, TARGET
from sim.ensemble.cases import Cases
from sim.rules.carre import BROKEN, SHAKEN
from sim.units.orders import RIDE_ON, STOP

HALT_OPTIONS = ("ride on", "halt")


def recall_roll(course: Course, kind: str, cases: Cases) -> tuple[Cases, Mask]:
    """One die on the recall chart.

    Returns the leading regiments of the lanes that came of it, and where the charger was recalled.
    """
    if not len(cases):
        return cases, np.zeros(0, bool)
    forces, book = course.forces, course.book
    needs = forces.roster.recall_needs[cases.unit]
    for unit in np.unique(cases.unit[needs < 0]).tolist():
        one = forces.units[unit]
        book.recall_row(one.nation, one.type, one.light(book.light_from))  # raises: no row fits
    applied = book.recall_modifiers.apply(forces.attributes_of("charger", cases), len(cases))
    found, result = course.play.ask(
        kind,
        cases.of(course.by[cases.lane]),
        book.recall_chart,
        needs,
        applied,
        "42",
        told=told.RecallRolled,
        lead=cases.unit,
        needs=needs,
        row=course.recall_names[cases.unit],
    )
    return found.of(course.state.lead[found.lane]), result == 1


def halt_without_target(course: Course) -> None:
    """A charger without a declared target may halt, as its plan's `no_target` says (D N7;
    0-decisions 5.35)."""
    progress, cases = course.progress, course.at(MARCH)
    goal = course.goal(cases)
    open_ = (progress.leg[cases.lane] != AWAY) & (progress.declared[goal.at] != TARGET)
    open_ &= ~progress.halt_refused[cases.lane]
    if not course.open:
        open_ &= course.plan("no_target", cases.lane) != RIDE_ON
    cases, goal = cases.where(open_), goal.where(open_)
    if not len(cases):
        return
    attempt = progress.attempt[goal.at]
    broken = ((attempt == SHAKEN) | (attempt == BROKEN)) & ~progress.as_target[goal.at]
    passed = (progress.declared[goal.at] == PASSED) & ~progress.over_square[cases.lane]
    if course.open:
        reach = within_reach(course, cases, goal.unit)
        known = {"hexes": course.gap(cases), "reach": ~reach, "stop": ~reach | broken | passed}
        cases, option = course.choose("halt", cases, HALT_OPTIONS, known=known)
        halt(course, cases.where(option == 1), told.NO_TARGET)
        return
    stops = (course.plan("no_target", cases.lane) == STOP) & (broken | passed)
    far = ~stops
    far[far] = ~within_reach(course, cases.where(far), goal.unit[far])
    halts = stops | far
    halt(course, cases.where(halts), np.where(stops, told.NO_TARGET, told.OUT_OF_REACH)[halts])


def halt(course: Course, cases: Cases, why: Numbers | int) -> None:
    """The charger halts of its own will; with `halting: recall` (2014) only if it is recalled, by one roll a
    charge (F14)."""
    if not len(cases):
        return
    progress, free = course.progress, course.switches["halting"] == "free"
    asks = ~progress.halt_refused[cases.lane]
    why = np.broadcast_to(np.asarray(why), len(cases))[asks]
    cases = cases.where(asks)
    if not len(cases):
        return
    course.log(told.Halts, cases, "37", why=why, goal=course.goal(cases).unit, free=free)
    course.go(cases, OVER if free else HALTING)
    if free:
        return
    cases, recalled = recall_roll(course, "halt", course.at(HALTING))
    course.go(cases.where(recalled), OVER)
    course.go(cases.where(~recalled), MARCH)
    progress.halt_refused[cases.lane] = ~recalled
    progress.over_square[cases.lane[~recalled]] = False
    course.log(told.RecalledToHalt, cases, "42", recalled=recalled)
