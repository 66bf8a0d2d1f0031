"""Reaction charges of the other side's cavalry (rule 39; docs/charge.md 4.6, 4.7).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.board.march import NO_TURN
from sim.charge import told
from sim.charge.course import Course, Numbers, in_order
from sim.charge.state import FIRST, MARCH, MET, OVER, REACTING, TRIED
from sim.combat.checks import check
from sim.ensemble.cases import Cases, each
from sim.ensemble.frames import Flags
from sim.ensemble.lanes import Ids
from sim.rulesets.conditions import code
from sim.units.orders import RESPONSE_CODES
from sim.vocabulary import CAVALRY, EXHAUSTED, GOOD, Kind

REACT_OPTIONS = ("wait", "react")


def react(course: Course) -> None:
    """Each reactor in turn, at the hex that the charge has come to."""
    units = course.reactors
    zone = course.zone[units][:, None]

    def may(charge: Cases) -> Flags:
        forces, lanes = course.forces, charge.lane
        reacting = course.progress.reacting[units][:, lanes]
        asked = (reacting == 0) & ~forces.half.reacted[units][:, lanes]
        asked &= (course.response(units, lanes) == RESPONSE_CODES["react"]) | course.open
        if not (asked.any() or (reacting == REACTING).any()):
            return np.asarray(asked)
        asked &= (forces.readiness[units][:, lanes] < EXHAUSTED) & (course.gaps(charge, units) <= zone)
        asked &= ~course.state.of_hex[units][:, lanes] | (units[:, None] == course.state.goal[lanes])
        found = asked | (reacting == REACTING)
        return np.asarray(found & (forces.state[units][:, lanes] == GOOD))

    for cases in in_order(course, MARCH, units, may):
        on_its_way = course.progress.reacting[cases.at] == REACTING
        steps = on_its_way.astype(np.int64)
        _approach(course, cases.where(on_its_way), steps[on_its_way])
        _ask(course, cases.where(~on_its_way))


def _ask(course: Course, cases: Cases) -> None:
    """Those near enough that see the charger check, and set out."""
    if len(cases):
        at = course.here(cases.of(course.state.lead[cases.lane]))
        cases = cases.where(course.survey.in_view(cases, at))
    if course.open:
        gap = course.gap_to(cases.of(course.state.lead[cases.lane]), cases.unit)
        cases, option = course.choose("react", cases, REACT_OPTIONS, known={"hexes": gap})
        cases = cases.where(option == 1)
    if not len(cases):
        return
    cases, passed = check(course.play, "react", cases, "39")
    course.progress.reacting[cases.at] = np.where(passed, REACTING, TRIED)
    course.log(told.Reacts, cases, "39", reacts=passed)
    cases = cases.where(passed)
    if len(cases):
        _approach(course, cases, _bound(course, cases.unit))


def _bound(course: Course, units: Ids) -> Numbers:
    """How many steps reactors make at once."""
    light, switches = course.forces.kind[units] == Kind.LIGHT_CAVALRY, course.switches
    return np.where(light, int(switches["react_bound_light"]), int(switches["react_bound_heavy"]))


def _approach(course: Course, cases: Cases, steps: Numbers) -> None:
    """Move reactors toward the charger, so many steps, until they are next to it; then both charges end."""
    progress, forces = course.progress, course.forces
    made = 0
    while len(cases):
        there = course.here(cases.of(course.state.lead[cases.lane]))
        close = forces.map.distances(forces.hex[cases.at], there) <= 1
        _meet(course, cases.where(close))
        on = ~close & (made < steps)
        cases, steps, there, made = cases.where(on), steps[on], there[on], made + 1
        if not len(cases):
            return
        group = _group(course, cases)
        slowest = np.where(group, forces.movement[:, None], 99).min(axis=0)
        allowance = slowest + course.book.blocks.charge.bonus_movement
        heading, cap = forces.facing[cases.at] // 2, course.cap[cases.unit]
        turns = course.survey.next_turn(cases, group, heading, NO_TURN, there, cap)
        direction = (heading + turns) % 6
        to = course.survey.ahead(forces.hex[cases.at], direction)
        price = _hex_price(course, to) + int(course.switches["facing_cost"]) * np.abs(turns)
        goes = (turns != NO_TURN) & (progress.spent[cases.at] + price <= allowance)
        cases, group, steps = cases.where(goes), group[:, goes], steps[goes]
        progress.spent[cases.at] += price[goes].astype(np.int16)
        to, direction = to[goes], direction[goes]
        for some, one in each(cases, group):
            forces.place(one, to[some], 2 * direction[some] + forces.corner(one))
            if forces.in_battle:
                half = 2 * progress.spent[cases.at][some] <= forces.movement[one.unit]
                forces.half.moved[one.at] = np.where(half, 1, 2)


def _group(course: Course, cases: Cases) -> Flags:
    """A reactor, and the good-order cavalry of the target's stack that reacts with its top unit, shape
    (units, k)."""
    forces, lanes = course.forces, cases.lane
    target = course.state.of_hex[:, lanes] & (forces.arm == CAVALRY)[:, None]
    of_target = (cases.unit == course.state.goal[lanes]) & (course.progress.leg[lanes] == FIRST)
    group = target & of_target & (forces.hex[:, lanes] == forces.hex[cases.at])
    group &= forces.state[:, lanes] == GOOD
    group[cases.unit, np.arange(len(cases))] = True
    return np.asarray(group)


def _hex_price(course: Course, to: Numbers) -> Numbers:
    """Points for the hexes entered; their hexsides cost a reactor nothing (docs/charge.md 4.7)."""
    price = np.zeros(len(to), np.int64)
    for name, costs in course.book.terrain_costs.items():
        price[course.forces.terrain[to] == code(name)] = costs[CAVALRY]
    return price


def _meet(course: Course, cases: Cases) -> None:
    """A reactor has come next to the charger: both stop."""
    if not len(cases):
        return
    state, lanes = course.state, cases.lane
    for _, one in each(cases, _group(course, cases)):
        course.progress.reacting[one.at] = MET
        state.met[one.at] = course.forces.half.reacted[one.at] = True
    course.progress.contact[lanes] = True
    state.opponent[lanes] = cases.unit
    state.bonus[lanes] = False
    state.compulsory[lanes] = True
    course.go(cases, OVER)
    course.log(told.Meets, cases, "39")
