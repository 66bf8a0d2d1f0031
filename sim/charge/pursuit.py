"""The rout of a charge's target: trample, recall, flight, follow or chase (rules 38, 42; seeds 001 and 002;
docs/charge.md 6.14 to 6.21).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.charge import told
from sim.charge.course import Course, Mask, Numbers
from sim.charge.march import advance, settle_step, within_reach
from sim.charge.recall import recall_roll
from sim.charge.state import ARRIVED, FOLLOW, OVER, PASSED, ROUTING
from sim.combat import failures, flight
from sim.ensemble.cases import Cases
from sim.ensemble.frames import Flags
from sim.rules import charge as rules
from sim.rules import recall
from sim.rules.carre import BROKEN
from sim.units import orders
from sim.vocabulary import GONE

NO_UNIT = -1
PURSUIT_OPTIONS = ("", "stop", "pursue")
"""By the numbers of `no_target`; what lies out of reach is not asked for here."""


def rout_of_target(course: Course, cases: Cases, trampled: bool = False) -> None:
    """Trample, recall, the routers' flight, follow or chase; those who leave are marked already.

    Parameters
    ----------
    trampled
        Skirmishers: the trampling is done.
    """
    if not len(cases):
        return
    trample_when, progress = course.switches["trample"], course.progress
    if not trampled:
        progress.origin[cases.lane] = course.forces.hex[course.goal(cases).at]
        if trample_when == "first":
            cases = _spend(course, cases)
            trample(course, cases.where(course.plan("recalled", cases.lane) == orders.TRAMPLE))
    course.go(cases, ROUTING)
    _recall(course)
    if trampled or trample_when == "recalled":
        cases = course.at(ROUTING)
        _spend(course, cases.where(progress.recalled[cases.lane] == recall.RECALLED))
    if trample_when == "recalled" and not trampled:
        cases = course.at(ROUTING)
        may = progress.recalled[cases.lane] == recall.RECALLED
        trample(course, cases.where(may & (course.plan("recalled", cases.lane) == orders.TRAMPLE)))
    flight.rout(course.play, routers(course) & (progress.stage == ROUTING), course.by)
    failures.give_way(course.play, course.waiting)
    _after_rout(course, at_attempt=False)


def _spend(course: Course, cases: Cases) -> Cases:
    """An open charge chooses how it spends the points that it has left, if it may."""
    if not course.open or not len(cases):
        return cases
    return course.choose_plan("recalled", cases, orders.RECALLED_PLANS, known={"points": course.left(cases)})


def after_attempt(course: Course, stage: int) -> None:
    """2014: the target that routed at its attempt has fled; the recall roll decides whether the charger may
    pursue (F14)."""
    if course.switches["pgd_target"] != "pursuit":
        return
    progress, cases = course.progress, course.at(stage)
    goal = course.goal(cases)
    fled = cases.where((progress.attempt[goal.at] == BROKEN) & progress.as_target[goal.at])
    if len(fled):
        course.go(fled, ROUTING)
        _recall(course)
        _after_rout(course, at_attempt=True)


def routers(course: Course) -> Flags:
    """Who leaves, or has left, because the target routs, shape (units, lanes)."""
    return course.progress.leaving & (course.forces.state != GONE)


def trample(course: Course, cases: Cases, half_points: bool = False) -> None:
    """Ride down the routers before they leave: one increment for every two points left (skirmishers: perhaps
    two a point)."""
    if not len(cases):
        return
    forces, points = course.forces, course.book.blocks.charge.trample_points
    group, left = routers(course)[:, cases.lane], course.left(cases)
    strength = (forces.increments[:, cases.lane] * group).sum(axis=0)
    if half_points:
        loss, price = rules.trampled_at_half_points(left, strength)
    else:
        loss = rules.trampled(left, strength, points)
        price = loss * points
    course.log(told.Tramples, cases, "38")
    forces.lose_in_order(group, cases, loss, "38")
    course.progress.points[cases.lane] += price.astype(np.int16)


def _recall(course: Course) -> None:
    if course.opportune:
        return
    cases, recalled = recall_roll(course, "recall", course.at(ROUTING))
    course.progress.recalled[cases.lane] = np.where(recalled, recall.RECALLED, recall.AWAY)


def _after_rout(course: Course, at_attempt: bool) -> None:
    """Follow or chase, and what is left to melee.

    Parameters
    ----------
    at_attempt
        The target has fled at its carré attempt (2014): nothing is left to trample, and `no_target` says
        whether to pursue.
    """
    if at_attempt and course.open:
        cases = course.at(ROUTING)
        may = (course.progress.recalled[cases.lane] == recall.RECALLED) & (_pursued(course, cases) >= 0)
        _pursues(course, cases.where(may))
    state, cases = course.state, course.at(ROUTING)
    recalled = course.progress.recalled[cases.lane] == recall.RECALLED
    must = course.switches["recall"] == "must" and not (at_attempt or course.opportune)
    chases = recall.chases(recalled, must)
    follows = _follows(course, cases, recalled, at_attempt)
    state.bonus[cases.lane[recalled | chases]] = False
    state.opponent[cases.lane] = NO_UNIT
    state.unchecked[cases.lane] = False
    state.chasing[cases.lane[chases]] = True
    course.go(cases.where(~(follows | chases)), ARRIVED)
    course.go(cases.where(follows | chases), FOLLOW)
    if not course.opportune:
        course.log(told.Recalled, cases, "42", recalled=recalled, chases=chases, follows=follows)
    _ride_after(course)
    _who_is_near(course)


def _follows(course: Course, cases: Cases, recalled: Mask, at_attempt: bool) -> Mask:
    """Where a recalled charger goes after the routers: its plan says so, and a passed pursuit roll (2014)
    leads only to what is within reach."""
    no_target = course.plan("no_target", cases.lane)
    if at_attempt:
        planned, must = no_target != orders.STOP, no_target == orders.RIDE_ON
    else:
        planned = course.plan("recalled", cases.lane) == orders.FOLLOW
        must = np.full(len(cases), course.switches["recall"] != "pursue")
    near, pursued = np.zeros(len(cases), bool), _pursued(course, cases)
    asks = recalled & planned & ~must & (pursued >= 0)
    near[asks] = within_reach(course, cases.where(asks), pursued[asks], seeking=True)
    return recall.follows(recalled, planned, near, must)


def _pursues(course: Course, cases: Cases) -> None:
    """An open charge chooses whether it pursues what fled at its attempt (2014)."""
    if len(cases):
        near = within_reach(course, cases, _pursued(course, cases), seeking=True)
        there = np.array([False, True, True])
        course.choose_plan("no_target", cases, PURSUIT_OPTIONS, there, {"reach": near})


def _ride_after(course: Course) -> None:
    """Seek steps toward the routers until next to them, or, in a chase, next to any enemy that was not
    passed."""
    while course.any_at(FOLLOW):
        cases = course.at(FOLLOW)
        pursued = _pursued(course, cases)
        met = _first_not_passed(course, cases)
        caught = course.state.chasing[cases.lane] & (met >= 0)
        _catch(course, cases.where(caught), met[caught])
        done = caught | (pursued < 0) | (course.gap_to(cases, pursued) == 1)
        course.go(cases.where(done), ARRIVED)
        cases, pursued = cases.where(~done), pursued[~done]
        possible = settle_step(course, cases, pursued)
        course.go(cases.where(~possible), ARRIVED)
        advance(course, FOLLOW, ARRIVED)


def _catch(course: Course, cases: Cases, units: Numbers) -> None:
    """A chase ends at an enemy, which must be meleed."""
    course.state.opponent[cases.lane] = units
    course.state.compulsory[cases.lane] = True


def _pursued(course: Course, cases: Cases) -> Numbers:
    """The first of the routers still on the map, -1 if there is none."""
    return _first(routers(course)[:, cases.lane])


def _first(units: Flags) -> Numbers:
    return np.where(units.any(axis=0), units.argmax(axis=0), NO_UNIT)


def _beside(course: Course, cases: Cases) -> Flags:
    """Enemies next to the charge, but for guns that nobody mans, shape (units, k)."""
    near = course.gaps(cases) == 1
    return near & course.enemies[:, None] & (course.forces.unmanned[:, cases.lane] == 0)


def _first_not_passed(course: Course, cases: Cases) -> Numbers:
    """The enemy next to the charger that was not passed: a router before others, then in unit order; -1 if
    there is none."""
    near = _beside(course, cases) & (course.progress.declared[:, cases.lane] != PASSED)
    router = _first(near & course.progress.leaving[:, cases.lane])
    return np.where(router >= 0, router, _first(near))


def _who_is_near(course: Course) -> None:
    """After the flight: routers next to the charger may be meleed (must, by chasers), else what stayed in the
    hex, as the plan says."""
    state, cases = course.state, course.at(ARRIVED)
    course.go(cases, OVER)
    cases = cases.where(state.opponent[cases.lane] < 0)
    if not len(cases):
        return
    near, lanes = _beside(course, cases), cases.lane
    router = _first(near & course.progress.leaving[:, lanes])
    stayed = _first(near & (course.forces.hex[:, lanes] == course.progress.origin[lanes]))
    state.opponent[lanes] = np.where(router >= 0, router, stayed)
    state.bonus[lanes[router >= 0]] = False
    state.compulsory[lanes] = state.chasing[lanes]
