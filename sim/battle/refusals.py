"""Charges that a type of cavalry may not make, as a charge file is judged before it is played (D10.3;
docs/charge.md 4.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.battle.setup import book_of, prepare
from sim.charge.refusals import rules_against
from sim.errors import InputError
from sim.inputs.documents import Document, dotted
from sim.rulesets.conditions import code
from sim.rulesets.modifiers import Refusal
from sim.units.charges import Charge
from sim.units.forces import Forces
from sim.units.orders import Variant
from sim.vocabulary import ZONES


def forbidden(charge: Charge, number: int = 0) -> str | None:
    """Why one of a file's charges may not be made, as a clause, or None if it may."""
    book, attack = book_of(charge), charge.attacks[number]
    if not any(book.charges_not(rider.nation, rider.type) for rider in attack.charger):
        return None
    forces, orders = prepare(charge, [tuple(Variant("stand") for _ in charge.attacks)])
    order = orders.charges[number]
    for unit in order.hex_units:
        for rider, refusal in _against(forces, order.stack, unit, order.through):
            return _told(forces, rider, refusal, unit)
    if "second" in (attack.plan["square"], attack.plan["disordered"]) and order.second is not None:
        by_side = [_against(forces, order.stack, order.second, side) for side in ZONES]
        for rider, refusal in by_side[0]:
            if all((rider, refusal) in found for found in by_side):
                return _told(forces, rider, refusal, order.second)
    return None


def _against(forces: Forces, stack: Sequence[int], unit: int, hexside: str) -> list[tuple[int, Refusal]]:
    """The rules against a charge at a unit through a hexside: the regiment of the stack that each speaks of,
    and the rule."""
    targets = forces.cases(np.ones(forces.ensemble.n, bool), unit)
    riders = np.isin(np.arange(len(forces.units)), stack)
    found = rules_against(forces, riders, targets, np.full(len(targets), code(hexside)))
    return sorted(((rider, refusal) for rider, refusal, mask in found if mask.any()), key=lambda one: one[0])


def _told(forces: Forces, rider: int, refusal: Refusal, unit: int) -> str:
    who, whom = forces.units[rider].type, forces.units[unit].name
    return f"{who} may not charge {refusal.label}, as {whom} is ({refusal.source})"


def refusals(charge: Charge, document: Document) -> tuple[str, ...]:
    """The faults of charges that may not be made, each at its place in the charge file; none if they may."""
    found = []
    for number, attack in enumerate(charge.attacks):
        reason = forbidden(charge, number)
        if reason:
            key = (*attack.key, "charger", "type")
            found.append(
                f"{document.where(key)}: '{dotted(key)}' must be one that may make this charge: {reason}"
            )
    return tuple(found)


def refuse(charge: Charge, document: Document) -> None:
    """Refuse charges that may not be made.

    Raises
    ------
    InputError
        With the rules against them.
    """
    faults = refusals(charge, document)
    if faults:
        raise InputError(*faults)
