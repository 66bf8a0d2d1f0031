"""Forming carré against a charge (rule 38, option 2; seeds 001 and 002): who may, and at which distance."""

from __future__ import annotations

REFUSALS = (
    "",
    "only infantry forms square",
    "in skirmish order: its only way out is flight (rule 19)",
    "already in square",
    "in general order",
    "a Masse forms square only in its own movement",
    "not in good order",
    "no carré row for its nation and formation",
    "the rule set bars it from carré",
    "its troop type has no carré",
    "fewer than 3 increments",
    "the charger is beyond the range",
    "the charger is not in sight through a front hexside",
    "the charger was never at that distance",
)
"""Why a carré attempt may not be made, by number; 0 is none."""

(
    ALLOWED,
    NOT_INFANTRY,
    SKIRMISHING,
    IN_SQUARE,
    IN_GENERAL_ORDER,
    IN_MASSE,
    NOT_IN_ORDER,
    NO_ROW,
    BARRED,
    NO_CARRE,
    TOO_FEW,
    OUT_OF_RANGE,
    OUT_OF_SIGHT,
    NEVER_AT_DISTANCE,
) = range(len(REFUSALS))
