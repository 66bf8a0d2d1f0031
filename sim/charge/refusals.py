"""Charges that a type of cavalry may not make (D10.3; docs/charge.md 4.3).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.charge.course import Course, Mask, Numbers
from sim.ensemble.cases import Cases, each
from sim.rules.stand import ZONE_CODES
from sim.rulesets.modifiers import Refusal, holds
from sim.units.forces import Forces


def rules_against(
    forces: Forces, riders: Mask, targets: Cases, hexside: Numbers
) -> Iterator[tuple[int, Refusal, Mask]]:
    """Each rule against a charge at units: a regiment that it speaks of, the rule, and where it holds.

    Parameters
    ----------
    riders
        Who charges, by number, shape (units,).
    hexside
        Code of the targets' hexside that the charge comes through.
    """
    for refusal, whose in forces.roster.refusals:
        for rider in np.flatnonzero(whose & riders).tolist():
            known = forces.attributes_of("target", targets) | {"hexside": hexside}
            yield rider, refusal, holds(refusal.when, known, len(targets)) & forces.present(targets)


def refused(course: Course, cases: Cases) -> Mask:
    """Where one of the regiments may not charge what is in the goal's hex."""
    forces, barred = course.forces, np.zeros(len(cases), bool)
    stack = np.isin(course.numbers, course.stack)
    if not any((whose & stack).any() for _, whose in forces.roster.refusals):
        return barred
    goal, lanes = course.goal(cases), cases.lane
    hexside = ZONE_CODES[course.survey.zone_toward(goal, course.here(cases))]
    rides = course.riders()
    for mine, unit in each(cases, forces.standing(course.goal_hex(cases), lanes, 1 - course.side)):
        for rider, _, mask in rules_against(forces, stack, unit, hexside[mine]):
            barred[mine] |= mask & rides[rider, unit.lane]
    return barred
