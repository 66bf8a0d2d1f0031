"""The steps of a charge: what the next one is, what it costs, the fire at it (docs/charge.md 3).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.board.march import LINE_FIRST, NO_TURN
from sim.board.survey import Way
from sim.board.tables import Ints
from sim.charge.course import Course, Mask, Numbers
from sim.charge.state import AWAY, FIRST, MARCH, TARGET
from sim.combat import fire
from sim.ensemble.cases import Cases
from sim.ensemble.frames import Flags
from sim.rules import charge as rules
from sim.rules.carre import FARTHEST
from sim.rulesets.rulebook import PROHIBITED
from sim.units.orders import RESPONSE_CODES, RIDE_ON, RIDE_OVER
from sim.vocabulary import FRONT, LINE, ROUTED, SQUARE

NO_PRICE = 9_999
"""Points that nobody has: a step that is not possible."""


def planned(course: Course, cases: Cases) -> Mask:
    """Where planned turns are left: the goal has not left its place, and the path is not yet ridden to its
    end; away, always."""
    leg = course.progress.leg[cases.lane]
    place = np.where(leg == FIRST, course.state.target_hex[cases.lane], course.second_hex)
    home = course.forces.stands_in(course.goal(cases), place)
    more = course.planned_step(cases.lane) < course.route_length(cases.lane)
    return np.asarray((leg == AWAY) | (home & more))


def planned_turns(course: Course, cases: Cases) -> Numbers:
    """The turns of the next planned steps; 0 after the last, where one that may not halt rides straight
    on."""
    turns = course.routes.turns
    step = np.minimum(course.planned_step(cases.lane), turns.shape[1] - 1)
    return turns[course.route(cases.lane), step]


def settle_step(course: Course, cases: Cases, toward: Numbers) -> Mask:
    """Settle what the next step is, toward units by number; fire may change who makes it, not the step.

    Returns where there is one.
    """
    progress, forces = course.progress, course.forces
    first, direction = progress.steps[cases.lane] == 0, progress.heading[cases.lane]
    in_line = forces.formation[cases.at] == LINE
    by_plan = planned(course, cases) & (progress.stage[cases.lane] == MARCH)
    turn = np.where(by_plan, planned_turns(course, cases), NO_TURN)
    cap = np.where(first, np.where(in_line, LINE_FIRST, 0), course.cap[cases.unit])
    goal = forces.nearer(cases.of(toward), course.here(cases))
    turns = course.survey.next_turn(cases, course.riders()[:, cases.lane], direction, turn, goal, cap)
    price = course.price(cases, (direction + turns) % 6)
    price += np.where(first, 0, int(course.switches["facing_cost"]) * np.abs(turns))
    price[turns == NO_TURN] = PROHIBITED
    possible = price <= course.most_left(cases.lane)
    mean_step(course, cases, np.where(possible, turns, 0), np.where(possible, price, NO_PRICE))
    return np.asarray(possible)


def mean_step(course: Course, cases: Cases, turns: Numbers | int, price: Numbers) -> None:
    """What the next step will be."""
    course.progress.step_turn[cases.lane] = turns
    course.progress.step_price[cases.lane] = np.minimum(price, NO_PRICE)


def advance(course: Course, stage: int, end: int) -> None:
    """The lanes at a stage make the step that is settled, under opportunity fire; where nobody is left who
    can pay it they are at their `end`."""
    opportunity_fire(course, course.at(stage))
    course.hand_over()
    cases = course.at(stage)
    pays = course.progress.step_price[cases.lane] <= course.most_left(cases.lane)
    course.go(cases.where(~pays), end)
    step(course, cases.where(pays))


def step(course: Course, cases: Cases, over_square: bool = False) -> None:
    """Move the charge one hex by the settled step.

    A change of formation is made in the second hex (docs/charge.md 3.5), but not while riding over a square.
    """
    progress, forces, change = course.progress, course.forces, course.change
    cost = int(course.switches["formation_cost"])
    while len(cases):
        price = progress.step_price[cases.lane].astype(np.int64)
        now = np.zeros(len(cases), bool)
        if change >= 0 and not over_square:
            now = (progress.steps[cases.lane] == 2) & (forces.formation[cases.at] != change)
            now &= price + cost <= course.most_left(cases.lane)
        leads = course.drop_off(cases, price + cost * now)
        _move(course, cases.where(leads), (price + cost * now)[leads], now[leads])
        cases = cases.where(~leads)
        cases = cases.of(course.state.lead[cases.lane])


def _move(course: Course, cases: Cases, price: Numbers, change: Mask) -> None:
    progress, forces = course.progress, course.forces
    if change.any():
        for rider, some in course.each_rider(cases):
            forces.form(rider.where(change[some]), course.change)
    turns = progress.step_turn[cases.lane].astype(np.int64)
    direction = (progress.heading[cases.lane] + turns) % 6
    to = course.survey.ahead(course.here(cases), direction)
    corner = (forces.formation[cases.at] == LINE).astype(np.int64)
    for rider, some in course.each_rider(cases):
        forces.place(rider, to[some], (2 * direction + corner)[some])
    progress.points[cases.lane] += price.astype(np.int16)
    progress.straight_run[cases.lane] = rules.straight_run(progress.straight_run[cases.lane], turns)
    progress.heading[cases.lane] = direction
    progress.steps[cases.lane] += 1


def ride_free(course: Course, cases: Cases) -> None:
    """Charges that set out make at once all planned steps during which no enemy is near enough to act, nor to
    be acted upon."""
    course.progress.heading[cases.lane] = course.forces.facing[cases.at] // 2
    goal = course.state.goal[cases.lane]
    sure = planned(course, cases) & (course.plan("no_target", cases.lane) == RIDE_ON)
    sure |= planned(course, cases) & within_reach(course, cases, goal)
    cases, goal = cases.where(sure), goal[sure]
    riders = course.riders()[:, cases.lane]
    least = np.where(riders[course.stack], course.allowance[course.stack][:, None], NO_PRICE).min(axis=0)
    how, reach = replace(way(course, cases, goal), left=least), _reach(course, cases)
    steps, to, points, straight, direction = course.survey.free_ride(cases, riders, how, reach)
    some = steps > 0
    cases, to, direction = cases.where(some), to[some], direction[some]
    course.put(cases, to, direction)
    progress, lanes = course.progress, cases.lane
    progress.steps[lanes], progress.points[lanes] = steps[some], points[some]
    progress.straight_run[lanes], progress.heading[lanes] = straight[some], direction


def _reach(course: Course, cases: Cases) -> Ints:
    """Hexes within which each unit concerns a charge: at two it may be declared or passed, farther off it may
    try carré or react; shape (units, k)."""
    found = np.full((len(course.numbers), len(cases)), 2, np.int16)
    foot, horse = course.tries, course.reactors
    code = course.response(foot, cases.lane)
    found[foot] = np.where((code > 0) & (code <= FARTHEST), np.maximum(code, 2), 2)
    if len(horse):
        reacts = course.response(horse, cases.lane) == RESPONSE_CODES["react"]
        found[horse] = np.maximum(np.where(reacts, course.zone[horse][:, None], 2), found[horse])
    return found


# ---- fire


def opportunity_fire(course: Course, cases: Cases) -> None:
    """Enemies in whose zone the charger stands shoot as it leaves (28; docs/charge.md 3.8); a square that is
    not its target does too."""
    if not len(cases):
        return
    forces, lanes, goal = course.forces, cases.lane, course.goal(cases)
    bears = course.survey.bearing(lanes, course.here(cases)) == FRONT
    unit, case = np.divmod(np.flatnonzero(bears), len(cases))
    at = unit, lanes[case]
    quiet = (course.progress.declared[goal.at] == TARGET) & (forces.formation[goal.at] == SQUARE)
    shoots = course.enemies[unit] & (forces.state[at] < ROUTED) & (forces.unmanned[at] == 0)
    shoots &= ~(quiet[case] & (forces.hex[at] == forces.hex[goal.at][case])) & ~course.progress.ridden[at]
    bears[unit[~shoots], case[~shoots]] = False
    shoot(course, cases, bears)


def shoot(course: Course, cases: Cases, shooters: Flags, through: bool = False) -> None:
    """Units by number, shape (units, k), shoot at the charge's hex in one attack; `through`: a square under
    it as through one hexside."""
    some = np.asarray(shooters.any(axis=0))
    if some.any():
        cases = cases.where(some)
        tops = course.forces.top(course.side, course.here(cases), cases.lane)
        fire.attack(
            course.play,
            cases.of(tops),
            "28",
            shooters=shooters[:, some],
            through=through,
            about=course.by[cases.lane],
            repeatable=True,
        )


# ---- what lies ahead


def within_reach(course: Course, cases: Cases, toward: Numbers, seeking: bool = False) -> Mask:
    """Where the charge would come next to units by number if nobody else moved; `seeking`: its planned turns
    no longer count."""
    if not len(cases):
        return np.zeros(0, bool)
    riders = course.riders()[:, cases.lane]
    return np.asarray(course.survey.within_reach(cases, riders, way(course, cases, toward, seeking)))


def way(course: Course, cases: Cases, toward: Numbers, seeking: bool = False) -> Way:
    """The charge as it stands and means to go on toward units by number."""
    progress, lanes = course.progress, cases.lane
    by_plan = planned(course, cases) & (not seeking)
    return Way(
        goal=toward,
        direction=progress.heading[lanes],
        left=course.most_left(lanes),
        steps=progress.steps[lanes],
        formation=course.forces.formation[cases.at],
        change_to=course.change,
        rides=(course.plan("square", lanes) == RIDE_OVER) & (not seeking),
        over_goal=progress.over_square[lanes],
        cap=course.cap[cases.unit],
        made=course.planned_step(lanes) * by_plan,
        planned=course.route_length(lanes) * by_plan,
        turns=course.routes.turns[course.route(lanes)].T,
        facing_cost=int(course.switches["facing_cost"]),
        formation_cost=int(course.switches["formation_cost"]),
    )
