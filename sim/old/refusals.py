"""Charges that a type of cavalry may not make (D10.3; docs/charge.md section 4).

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.errors import InputError
from sim.inputs.documents import Document
from sim.old.engine import Cases, Mask
from sim.old.forces import Forces
from sim.old.lanes import Ids
from sim.old.setup import book_of, prepare
from sim.rulesets.conditions import code
from sim.rulesets.modifiers import Refusal, holds
from sim.units.charges import Charge
from sim.units.orders import Variant
from sim.vocabulary import ZONES


def refused(
    forces: Forces, stack: Sequence[int], unit: int, lanes: Ids, hexside: Cases
) -> list[tuple[int, Refusal, Mask]]:
    """Each rule against a charge at a unit: the regiment of the stack it speaks of, the rule, and where it holds.

    Parameters
    ----------
    hexside
        Code of the unit's hexside that the charge comes through, shape (k,).
    """
    found = []
    for rider in stack:
        for refusal in forces.book.charges_not(forces.units[rider].nation, forces.units[rider].type):
            known = forces.about("target", unit, lanes) | {"hexside": hexside}
            found.append(
                (rider, refusal, holds(refusal.when, known, len(lanes)) & forces.present(unit, lanes))
            )
    return found


def forbidden(charge: Charge) -> str | None:
    """Why a charge may not be made, as a clause, or None if it may."""
    book = book_of(charge)
    if not any(book.charges_not(rider.nation, rider.type) for rider in charge.charger):
        return None
    forces, orders = prepare(charge, [Variant("stand")])
    order, lane = orders.charges[0], forces.all()
    for unit in order.hex_units:
        for rider, refusal, mask in refused(
            forces, order.stack, unit, lane, np.array([code(charge.through)])
        ):
            if mask[0]:
                return _told(forces, rider, refusal, unit)
    if "second" in (charge.plan["square"], charge.plan["disordered"]) and order.second is not None:
        sides = [refused(forces, order.stack, order.second, lane, np.array([code(side)])) for side in ZONES]
        for by_side in zip(*sides, strict=True):
            if all(mask[0] for _, _, mask in by_side):
                return _told(forces, by_side[0][0], by_side[0][1], order.second)
    return None


def _told(forces: Forces, rider: int, refusal: Refusal, unit: int) -> str:
    return f"{forces.units[rider].type} may not charge {refusal.label}, as {forces.units[unit].name} is ({refusal.source})"


def refusal(charge: Charge, document: Document) -> tuple[str, ...]:
    """The fault of a charge that may not be made, at its place in the charge file; none if it may."""
    reason = forbidden(charge)
    return (
        (
            f"{document.where(('charger', 'type'))}: 'charger.type' must be one that may make this charge: {reason}",
        )
        if reason
        else ()
    )


def refuse(charge: Charge, document: Document) -> None:
    """Refuse a charge that may not be made.

    Raises
    ------
    InputError
        With the rule against it.
    """
    for fault in refusal(charge, document):
        raise InputError(fault)
