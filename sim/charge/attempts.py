"""Carré attempts against a charge, and what becomes of those who fail (rule 38, option 2; docs/charge.md 5.1
to 5.5).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.charge import told
from sim.charge.course import Course, Mask, Numbers, in_order
from sim.charge.state import FIRST, SECOND, TARGET
from sim.combat import flight
from sim.ensemble.cases import Cases, each
from sim.ensemble.frames import Flags, Frame, flag_per_unit
from sim.rules import carre as rules
from sim.rulesets.modifiers import Applied, holds
from sim.vocabulary import (
    CAVALRY,
    DISORDERED,
    ELIMINATED,
    LIMBERED,
    ROUTED,
    SQUARE,
    UNLIMBERED,
)

CARRE_OPTIONS = ("wait", "try")


def offer_carre(course: Course, stage: int) -> None:
    """Every hex whose response names its distance tries to form square, by its top unit, in unit order, once
    a charge."""
    units = course.tries

    def may(charge: Cases) -> Flags:
        forces, lanes, gaps = course.forces, charge.lane, course.gaps(charge, units)
        wants = course.response(units, lanes) == gaps
        if course.open:
            wants |= course.state.goal[lanes] == units[:, None]
        wants &= (gaps >= 1) & (gaps <= rules.FARTHEST) & ~course.progress.tried[units][:, lanes]
        if not wants.any():
            return np.asarray(wants)
        of_target = course.state.of_hex[units][:, lanes]
        wants &= ~of_target | (course.state.goal[lanes] == units[:, None])
        number, case = np.nonzero(wants & ~of_target)
        unit, lane = units[number], lanes[case]
        wants[number, case] = forces.top(1 - course.side, forces.hex[unit, lane], lane) == unit
        return np.asarray(wants)

    for cases in in_order(course, stage, units, may):
        _attempt(course, _willing(course, cases) if course.open else cases)


def _willing(course: Course, cases: Cases) -> Cases:
    """Where a unit that may try, or wait for the next hex, chooses to; others do as they are told."""
    own = cases.unit == course.state.goal[cases.lane]
    told, asked = cases.where(~own), cases.where(own)
    gap = course.gap_to(asked.of(course.state.lead[asked.lane]), asked.unit)
    may = _refusal(course, asked, gap) == 0
    asked, gap = asked.where(may), gap[may]
    declared = course.progress.declared[asked.at]
    asked, option = course.choose("carre", asked, CARRE_OPTIONS, known={"hexes": gap, "declared": declared})
    return asked.where(option == 1).joined(told)


def _attempt(course: Course, cases: Cases) -> None:
    """The top units of hexes try, if they may."""
    progress, play = course.progress, course.play
    gap = course.gap_to(cases.of(course.state.lead[cases.lane]), cases.unit)
    reason = _refusal(course, cases, gap)
    hexes = course.forces.hex[cases.at]
    progress.tried[:, cases.lane] |= course.forces.standing(hexes, cases.lane, 1 - course.side)
    own = _own_target(course, cases)
    course.state.refused[cases.lane[own]] = reason[own]
    course.log(told.CarreRefused, cases.where(reason > 0), "38", reason=reason[reason > 0])
    cases, gap = cases.where(reason == 0), gap[reason == 0]
    if not len(cases):
        return
    progress.as_target[cases.at] = progress.declared[cases.at] == TARGET
    column, applied = _column(course, cases, gap), _modifiers(course, cases)
    cases, result = play.ask(
        "carre",
        cases,
        course.book.carre_chart,
        column,
        applied,
        "38",
        told=told.CarreRolled,
        formation=course.forces.formation[cases.at],
        distance=column % rules.FARTHEST + 1,
    )
    progress.attempt[cases.at] = result + 1
    course.draw_together(cases)
    own = _own_target(course, cases)
    course.state.attempt[cases.lane[own]] = result[own] + 1
    _formed(course, cases.where(result + 1 == rules.FORMED))
    if not (result + 1 > rules.FORMED).any():
        return
    with _Leavers(course.ensemble) as leavers:
        _disordered(course, cases.where(result + 1 == rules.SHAKEN), leavers)
        _routed(course, cases.where(result + 1 == rules.BROKEN), leavers)
        flight.retreat(play, leavers.retreat, course.by)
        flight.rout(play, leavers.rout, course.by)


def _own_target(course: Course, cases: Cases) -> Mask:
    """Where a unit is the one that the charge was first made at."""
    leg = course.progress.leg[cases.lane]
    return np.asarray((cases.unit == course.state.goal[cases.lane]) & (leg != SECOND))


# ---- who may try, and how it stands for him


def _refusal(course: Course, cases: Cases, gap: Numbers) -> Numbers:
    """Number of the first reason against an attempt, 0 if there is none."""
    forces, book, lanes = course.forces, course.book, cases.lane
    formation, known = forces.formation[cases.at], forces.attributes_of("target", cases)
    barred = np.zeros(len(cases), bool)
    for one in book.barred:
        barred |= holds(one.when, known, len(cases))
    seen = course.survey.in_view(cases, forces.hex[course.state.lead[lanes], lanes])
    if book.switches["carre_sight"] == "adjacent":
        seen &= gap <= 1
    attempt = rules.Attempt(
        arm=forces.arm[cases.unit],
        formation=formation,
        state=forces.state[cases.at],
        row=forces.roster.carre_row[cases.unit, formation] >= 0,
        barred=barred,
        carre=course.has_carre[cases.unit],
        increments=(course.infantry_of(cases) * forces.increments[:, lanes]).sum(axis=0),
        least=book.blocks.charge.min_carre_increments,
        hexes=gap,
        reach=int(book.switches["night_range" if course.night else "carre_range"]),
        seen=seen,
    )
    return rules.refusal(attempt)


def _column(course: Course, cases: Cases, gap: Numbers) -> Numbers:
    forces = course.forces
    row = forces.roster.carre_row[cases.unit, forces.formation[cases.at]]
    distance = np.asarray(gap, np.int64).copy()
    home = course.state.target_hex[cases.lane]
    at_home = forces.stands_in(cases, home) & (course.progress.leg[cases.lane] == FIRST)
    by_points = course.book.carre_points[row] & at_home & (cases.unit == course.state.goal[cases.lane])
    if by_points.any():
        distance[by_points] = _points(course, cases.where(by_points))
    return rules.column(row, distance)


def _points(course: Course, goals: Cases) -> Numbers:
    """Cost for the charger of riding on along its planned path into the target's hex (0-decisions 5.6)."""
    charger, survey = goals.of(course.state.lead[goals.lane]), course.survey
    here, goal = course.here(charger), course.goal_hex(charger)
    direction, costs = course.progress.heading[goals.lane], np.zeros(len(goals), np.int64)
    made, length = course.planned_step(goals.lane), course.route_length(goals.lane)
    turns = course.routes.turns[course.route(goals.lane)]
    for number in range(int(length.max(initial=0))):
        rides, turn = (number >= made) & (number < length), turns[:, number]
        direction = (direction + turn * rides) % 6
        costs += rides * survey.price(CAVALRY, here, direction)
        here = np.where(rides, survey.ahead(here, direction), here)
    left = course.forces.map.distances(here, goal)
    into = survey.price(CAVALRY, here, np.maximum(survey.toward(here, goal), 0))
    return np.asarray(costs + np.where(left == 1, into, left))


def _modifiers(course: Course, cases: Cases) -> Applied:
    forces = course.forces
    charger = cases.of(course.state.lead[cases.lane])
    known = forces.attributes_of("target", cases) | forces.attributes_of("charger", charger)
    return course.book.carre_modifiers.apply(known, len(cases))


# ---- what comes of it


class _Leavers(Frame):
    """Who leaves after the attempts of a wave."""

    retreat: Flags = flag_per_unit("falls back")
    rout: Flags = flag_per_unit("routs")


def abandon(course: Course, cases: Cases) -> None:
    """Unlimbered guns whose infantry has broken are left without a crew (B21 p44; 0-decisions 5.26)."""
    course.forces.abandon(cases)
    course.log(told.Abandoned, cases, "41")


def _formed(course: Course, cases: Cases) -> None:
    for _, foot in each(cases, course.infantry_of(cases)):
        course.forces.form(foot, SQUARE)
    course.log(told.FormsSquare, cases, "38")


def _disordered(course: Course, cases: Cases, leavers: _Leavers) -> None:
    if not len(cases):
        return
    forces, switches, lanes = course.forces, course.switches, cases.lane
    unlimbered = course.guns_of(cases, UNLIMBERED)
    group = course.infantry_of(cases) | course.guns_of(cases, LIMBERED)
    for _, foot in each(cases, group):
        forces.become(foot, DISORDERED)
    for _, guns in each(cases, unlimbered):
        if switches["guns_with_infantry"] == "abandoned":
            abandon(course, guns)
        else:
            forces.become(guns, DISORDERED)
    course.log(told.Disordered, cases, "38")
    target = course.progress.as_target[cases.at]
    if switches["dd_target"] == "follows":
        course.progress.left_hex[lanes[target]] = forces.hex[cases.at][target]
        target = np.zeros(len(cases), bool)
    leavers.retreat[:, lanes] = group & ~target


def _routed(course: Course, cases: Cases, leavers: _Leavers) -> None:
    if not len(cases):
        return
    forces, switches, lanes = course.forces, course.switches, cases.lane
    unlimbered = course.guns_of(cases, UNLIMBERED)
    group = course.infantry_of(cases) | course.guns_of(cases, LIMBERED)
    for _, guns in each(cases, unlimbered):
        if switches["guns_with_infantry"] == "abandoned":
            abandon(course, guns)
        else:
            forces.remove(guns, ELIMINATED, "38")
    for _, one in each(cases, group):
        forces.become(one, ROUTED)
    course.log(told.Routs, cases, "38")
    target = course.progress.as_target[cases.at]
    course.progress.leaving[:, lanes] |= group & target & (switches["pgd_target"] != "stays")
    flees = np.where(target, switches["pgd_target"] == "pursuit", switches["pgd_bystander"] == "flees")
    leavers.rout[:, lanes] = group & flees
