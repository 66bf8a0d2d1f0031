"""What happens when a charge comes next to its goal: the cases of docs/charge.md 6, in its order (rules 19,
38, 41, 42; seeds 001, 002).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sim.charge import told
from sim.charge.attempts import abandon
from sim.charge.course import Course, Mask, Numbers
from sim.charge.march import opportunity_fire, shoot
from sim.charge.onto import onto_square, price_onto, step_into_guns
from sim.charge.pursuit import NO_UNIT, rout_of_target, routers, trample
from sim.charge.refusals import refused
from sim.charge.stand import stand
from sim.charge.state import CONTACT, OVER, PASSED, STEPPING, TARGET
from sim.combat import flight
from sim.combat.checks import check
from sim.ensemble.cases import Cases, each, first_of
from sim.ensemble.frames import Flags, Frame, Row, per_lane
from sim.rules import charge as rules
from sim.rules import contact as meets
from sim.rules.contact import Meeting
from sim.vocabulary import (
    COLUMN,
    ELIMINATED,
    FRONT,
    GENERAL_ORDER,
    GOOD,
    INFANTRY,
    LIMBERED,
    LINE,
    MASSE,
    ROUTED,
    UNLIMBERED,
)


@dataclass(frozen=True)
class Case:
    """One case of a contact.

    Attributes
    ----------
    paragraph, name
        Of docs/charge.md, and what it calls it.
    when
        Where it fits.
    act
        What is done then.
    """

    paragraph: str
    name: str
    when: Callable[[Meeting], Mask]
    act: Callable[[Course, Cases], None]


def resolve(course: Course) -> None:
    """Every lane in which the charger has reached its goal, by the first case that fits; afterwards the
    charge is over."""
    _masse_shoots(course)
    cases = course.at(CONTACT)
    if not len(cases):
        return
    state, lanes, goal = course.state, cases.lane, course.goal(cases)
    course.progress.contact[lanes] = True
    state.opponent_hex[lanes] = course.goal_hex(cases)
    meeting = _meeting(course, cases)
    state.bonus[lanes] = meeting.bonus
    state.unchecked[lanes] = ~meeting.bonus
    state.opponent[lanes] = np.where(meeting.barred, NO_UNIT, goal.unit)
    fits = np.select([one.when(meeting) for one in CASES], list(range(len(CASES))))
    course.go(cases, OVER)
    with _Fitting(course.ensemble) as fitting:
        fitting.case[lanes] = fits
        for number, one in enumerate(CASES):
            chosen = course.leading(fitting.case == number)
            if len(chosen):
                one.act(course, chosen)


class _Fitting(Frame):
    case: Row = per_lane("number of the case that fits, -1 for none", -1)


def _meeting(course: Course, cases: Cases) -> Meeting:
    forces, progress, goal = course.forces, course.progress, course.goal(cases)
    declared = progress.declared[goal.at]
    ahead = course.survey.ahead(course.here(cases), progress.heading[cases.lane]) == course.goal_hex(cases)
    needed = course.book.blocks.charge.straight_hexes
    target = declared == TARGET
    return Meeting(
        arm=forces.arm[goal.unit],
        formation=forces.formation[goal.at],
        attempt=progress.attempt[goal.at],
        as_target=progress.as_target[goal.at],
        barred=(declared == PASSED) | refused(course, cases),
        target=target,
        bonus=rules.has_bonus(target, progress.straight_run[cases.lane], needed, ahead),
        switches=course.switches,
    )


def _masse_shoots(course: Course) -> None:
    """A Masse that is the target fires once when the charger has come next to it (D10.5; 0-decisions 5.24,
    5.35)."""
    forces, cases = course.forces, course.at(CONTACT)
    goal = course.goal(cases)
    masse = (course.progress.declared[goal.at] == TARGET) & (forces.formation[goal.at] == MASSE)
    cases, goal = cases.where(masse), goal.where(masse)
    if len(cases):
        shoot(course, cases, np.asarray(forces.hex[:, cases.lane] == forces.hex[goal.at]))
        course.hand_over()


# ---- the cases


def _pass_by(course: Course, cases: Cases) -> None:
    goal = course.goal(cases)
    passed = course.progress.declared[goal.at] == PASSED
    course.log(told.MayNotAttack, cases, "38", goal=goal.unit, passed=passed)


def _meet(course: Course, cases: Cases) -> None:
    """Contact without a roll now.

    A charge without its straight run may melee, after the ordinary pre-melee check (seed 000).
    """
    course.log(told.Contacts, cases, "38", goal=course.goal(cases).unit)


def _rout(course: Course, cases: Cases) -> None:
    """The target routed at its attempt; the charger has now come up with it."""
    rout_of_target(course, cases)


def _disordered(course: Course, cases: Cases) -> None:
    """A target disordered by its attempt: contact ends the charge; in 2019 it loses for the points left
    (seed 002; D N22.2)."""
    forces = course.forces
    course.state.compulsory[cases.lane] = True
    each_ = int(course.switches["dd_target_loss"])
    if each_:
        loss = np.maximum(course.left(cases), 0) // each_
        here = forces.standing(forces.hex[course.goal(cases).at], cases.lane, 1 - course.side)
        forces.lose_in_order(here, cases, loss, "38")
    _meet(course, cases)


def _routed(course: Course, cases: Cases) -> None:
    """A unit routed by its attempt and still within reach is simply contacted."""
    course.state.compulsory[cases.lane] = True
    _meet(course, cases)


def _skirmishers(course: Course, cases: Cases) -> None:
    """Skirmishers flee into a neighbouring formation, or rout (rule 19; D N30); before a charge of
    opportunity they must pass a check for it (rule 40; part E, 3.1)."""
    if course.opportune:
        goal, passed = check(course.play, "shelter", course.goal(cases), "40")
        cases = goal.of(course.state.lead[goal.lane])
        hosts = np.where(passed, _hosts(course, cases), NO_UNIT)
    else:
        hosts = _hosts(course, cases)
    saved = hosts != NO_UNIT
    _take_shelter(course, cases.where(saved), hosts[saved])
    _are_caught(course, cases.where(~saved))


def _take_shelter(course: Course, cases: Cases, hosts: Numbers) -> None:
    forces = course.forces
    for some, one in each(cases, _who_flees(course, cases)):
        host = one.of(hosts[some])
        at = forces.nearer(host, forces.hex[one.at])
        forces.form(one.where(forces.arm[one.unit] == INFANTRY), COLUMN)
        forces.place(one, at, forces.facing[host.at])
        forces.shelter(one)
    course.state.opponent[cases.lane] = NO_UNIT
    course.log(told.TakesShelter, course.goal(cases), "19", host=hosts)


def _are_caught(course: Course, cases: Cases) -> None:
    if not len(cases):
        return
    forces, state, goal = course.forces, course.state, course.goal(cases)
    course.draw_together(goal)
    group = _who_flees(course, cases)
    if course.switches["guns_with_infantry"] == "abandoned":
        for _, guns in each(cases, course.guns_of(goal, UNLIMBERED)):
            abandon(course, guns)
    for _, one in each(cases, group):
        forces.become(one, ROUTED)
        course.progress.leaving[one.at] = True
    course.progress.origin[cases.lane] = forces.hex[goal.at]
    course.log(told.Caught, goal, "19")
    half_points = course.switches["skirmish_trample"] == "points" and not course.opportune
    trample(course, cases, half_points)
    if course.switches["skirmish_recall"] and not course.opportune:
        rout_of_target(course, cases, trampled=True)
        return
    state.opponent[cases.lane] = NO_UNIT
    state.bonus[cases.lane] = False
    run = np.zeros_like(course.progress.leaving)
    run[:, cases.lane] = routers(course)[:, cases.lane]
    flight.rout(course.play, run, course.by)
    if course.opportune:
        _take_hex(course)


def _take_hex(course: Course) -> None:
    """The cavalry of a charge of opportunity rides into the hex of skirmishers that it has caught (rule 40;
    B21 p44)."""
    forces, progress = course.forces, course.progress
    cases = course.leading((progress.origin >= 0) & (course.lead() >= 0))
    place = progress.origin[cases.lane].astype(np.int64)
    direction = course.survey.toward(course.here(cases), place)
    free = (forces.hex[:, cases.lane] != place).all(axis=0) & (direction >= 0)
    free &= ~course.survey.board.closed[course.here(cases), direction]
    course.put(cases.where(free), place[free], direction[free])


def _who_flees(course: Course, cases: Cases) -> Flags:
    """Skirmishers of the goal's hex and limbered guns with them."""
    goal = course.goal(cases)
    return course.infantry_of(goal) | course.guns_of(goal, LIMBERED)


def _hosts(course: Course, cases: Cases) -> Numbers:
    """The first friend next to the goal who takes skirmishers in."""
    forces, goal, lanes = course.forces, course.goal(cases), cases.lane
    open_to = [COLUMN, GENERAL_ORDER] + ([LINE] if course.switches["shelter_line"] else [])
    hosts = (course.enemies & (forces.arm == INFANTRY))[:, None] & (forces.state[:, lanes] == GOOD)
    hosts &= np.isin(forces.formation[:, lanes], open_to)
    beside = forces.gap(forces.hex[goal.at], lanes) == 1
    if forces.spread:
        beside |= forces.gap(forces.second[goal.at], lanes) == 1
    hosts &= beside
    some, first = first_of(hosts)
    return np.where(some, first, NO_UNIT)


def _limbered(course: Course, cases: Cases) -> None:
    """Limbered guns alone rout at once, to 2018."""
    for _, one in each(cases, course.guns_of(course.goal(cases), LIMBERED)):
        course.forces.become(one, ROUTED)
        course.progress.leaving[one.at] = True
    rout_of_target(course, cases)


def _guns(course: Course, cases: Cases) -> None:
    """Unlimbered guns alone: they check, or are lost; caught from behind they give no defensive fire (rule
    41)."""
    forces, state = course.forces, course.state
    goal, passed = check(course.play, "guns", course.goal(cases), "41")
    held = goal.where(passed)
    zone = course.survey.zone_toward(held, course.here(held.of(state.lead[held.lane])))
    behind = held.where(zone != FRONT)
    for _, guns in each(behind, course.guns_of(behind, UNLIMBERED)):
        forces.half.silent[guns.at] = True
    goal = goal.where(~passed)
    if not len(goal):
        return
    cases, place = goal.of(state.lead[goal.lane]), forces.hex[goal.at]
    price = price_onto(course, cases, place)
    course.progress.step_price[cases.lane] = price
    mates = course.guns_of(goal, UNLIMBERED)
    mates[goal.unit, np.arange(len(goal))] = False
    for _, guns in each(goal, mates):
        forces.remove(guns, ELIMINATED, "41")
    forces.remove(goal, ELIMINATED, "41")
    state.opponent[cases.lane] = NO_UNIT
    state.opponent_hex[cases.lane] = place
    course.log(told.RiddenDown, goal, "41")
    held_by_enemy = forces.standing(place, cases.lane, 1 - course.side).any(axis=0)
    pays = price <= course.most_left(cases.lane)
    course.go(cases.where(pays & ~held_by_enemy), STEPPING)
    opportunity_fire(course, course.at(STEPPING))
    course.hand_over()
    step_into_guns(course)


CASES: tuple[Case, ...] = (
    Case("6.0", "passed, or not to be charged", lambda one: one.barred, _pass_by),
    Case("6.1", "formed in this charge", meets.formed, onto_square),
    Case("6.2", "routed as the target", meets.routed_as_target, _rout),
    Case("6.3", "disordered as the target", meets.disordered_as_target, _disordered),
    Case("6.4", "routed by its attempt", meets.routed, _routed),
    Case("6.5", "skirmish order", meets.skirmishers, _skirmishers),
    Case("6.6", "cavalry", meets.cavalry, _meet),
    Case("6.7", "limbered guns alone", meets.limbered_that_rout, _limbered),
    Case("6.7", "unlimbered guns alone", meets.unlimbered, _guns),
    Case("6.8", "square from before the charge, to check", meets.square_that_checks, stand),
    Case("6.8", "square from before the charge", meets.square, onto_square),
    Case("6.9", "Masse, to check", meets.masse_that_checks, stand),
    Case("6.9", "Masse", meets.masse, onto_square),
    Case("6.10", "any other, with the bonus", meets.with_bonus, stand),
    Case("6.10", "any other", meets.anything, _meet),
)
"""The cases of a contact, in the order in which they are tried."""
