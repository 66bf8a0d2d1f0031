"""From a charge file to a battle: the open map, where everybody stands, and the orders (docs/charge.md section 2)."""

from __future__ import annotations

from collections.abc import Sequence

from sim.errors import InputError
from sim.old.dice import Dice
from sim.old.engine import Battle
from sim.old.forces import Forces
from sim.old.journal import Journal
from sim.rulesets.rulebook import Rulebook, rulebook
from sim.units.chargefields import PLANS
from sim.units.charges import Charge
from sim.units.orders import SQUARE_PLANS, Orders, Variant, orders
from sim.units.placing import facings, map_of


def book_of(charge: Charge) -> Rulebook:
    """The rulebook a charge is played by."""
    return rulebook(charge.ruleset, charge.switches)


def play(charge: Charge, dice: Dice, variants: Sequence[Variant], journal: Journal | None = None) -> Forces:
    """Play a charge to the end of the player half, once for each variant and in every lane the dice make of it.

    Raises
    ------
    InputError
        If the units cannot stand where the charge puts them.
    """
    forces, orders = prepare(charge, variants)
    Battle(forces, dice, orders, journal).run()
    return forces


def prepare(charge: Charge, variants: Sequence[Variant]) -> tuple[Forces, Orders]:
    """Units placed on the map, one lane a variant, and everybody's orders."""
    if len(charge.attacks) > 1:
        where = charge.document.where(("charges",))
        raise InputError(f"{where}: 'charges' must hold one charge so far, got {len(charge.attacks)}")
    book = book_of(charge)
    map_ = map_of(charge)
    given = orders(charge, [(variant,) for variant in variants], book)
    order = given.charges[0]
    forces = Forces(charge.units, list(charge.leaders), map_, book, len(variants))
    for u, (place, facing) in enumerate(zip(charge.places, facings(charge, book), strict=True)):
        forces.hex[u] = map_.number(place)
        forces.facing[u] = facing
    forces.leads_in[list(order.stack)] = order.heading
    for lane, variant in enumerate(variants):
        forces.variant[0, lane] = lane
        forces.square_plan[0, lane] = SQUARE_PLANS.index(variant.square)
        forces.disordered_plan[0, lane] = PLANS["disordered"].index(variant.disordered)
        forces.no_target[0, lane] = PLANS["no_target"].index(variant.no_target)
        forces.after_halt[0, lane] = PLANS["after_halt"].index(variant.after_halt)
        forces.recalled_plan[0, lane] = PLANS["recalled"].index(variant.recalled)
        forces.preserve[0, lane] = variant.preserve
    for u, codes in order.responses.items():
        if u not in order.hex_units[1:]:
            forces.response[u, : len(variants)] = codes
    return forces, given


__all__ = ["book_of", "play", "prepare"]
