"""What a charge meets next to its goal: the conditions of its cases, one function each.

docs/charge.md 6.0 to 6.10.

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.rules.carre import BROKEN, FORMED, SHAKEN
from sim.vocabulary import ARTILLERY, CAVALRY, INFANTRY, LIMBERED, MASSE, SKIRMISH, SQUARE, UNLIMBERED

Numbers = NDArray[np.integer]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Meeting:
    """A charge next to its goal.

    Attributes
    ----------
    arm, formation
        Of the goal.
    attempt, as_target
        What its carré attempt against this charge gave, and whether it was the declared target then.
    barred
        It was passed, or the charger's type may not attack it.
    target, bonus
        It is the declared target; the charge comes with its bonus.
    switches
        Of the rule set.
    """

    arm: Numbers
    formation: Numbers
    attempt: Numbers
    as_target: Mask
    barred: Mask
    target: Mask
    bonus: Mask
    switches: Mapping[str, bool | int | str]

    def infantry(self, formation: int) -> Mask:
        """Infantry in a formation."""
        return (self.arm == INFANTRY) & (self.formation == formation)

    def tried(self, result: int) -> Mask:
        """Infantry whose attempt gave a result."""
        return (self.arm == INFANTRY) & (self.attempt == result)


def formed(one: Meeting) -> Mask:
    """It formed square in this charge."""
    return one.tried(FORMED)


def routed_as_target(one: Meeting) -> Mask:
    """It routed as the target, and flees when the charger comes up."""
    return one.tried(BROKEN) & one.as_target & (one.switches["pgd_target"] == "flees")


def disordered_as_target(one: Meeting) -> Mask:
    """Its attempt disordered it as the target."""
    return one.tried(SHAKEN) & one.as_target


def routed(one: Meeting) -> Mask:
    """Its attempt routed it, and it is still there."""
    return one.tried(BROKEN)


def skirmishers(one: Meeting) -> Mask:
    """Infantry in skirmish order."""
    return one.infantry(SKIRMISH)


def cavalry(one: Meeting) -> Mask:
    """Cavalry."""
    return one.arm == CAVALRY


def limbered_that_rout(one: Meeting) -> Mask:
    """Limbered guns alone, where they do not stand."""
    return (one.arm == ARTILLERY) & (one.formation == LIMBERED) & (one.switches["lone_limbered"] != "stand")


def unlimbered(one: Meeting) -> Mask:
    """Unlimbered guns alone."""
    return (one.arm == ARTILLERY) & (one.formation == UNLIMBERED)


def square_that_checks(one: Meeting) -> Mask:
    """A square from before the charge, which must check to stand."""
    return one.infantry(SQUARE) & one.target & one.bonus & bool(one.switches["square_checks"])


def square(one: Meeting) -> Mask:
    """A square from before the charge."""
    return one.infantry(SQUARE)


def masse_that_checks(one: Meeting) -> Mask:
    """A Masse, charged with the bonus."""
    return one.infantry(MASSE) & one.bonus


def masse(one: Meeting) -> Mask:
    """A Masse."""
    return one.infantry(MASSE)


def with_bonus(one: Meeting) -> Mask:
    """Anything else, charged with the bonus."""
    return one.bonus


def anything(one: Meeting) -> Mask:
    """Anything else."""
    return np.ones(len(one.arm), bool)
