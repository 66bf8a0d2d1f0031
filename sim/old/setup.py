"""From a charge file to a battle: the open map, where everybody stands, and the orders (docs/charge.md section 2)."""

from __future__ import annotations

from collections.abc import Sequence

from sim.board.hexmap import Hex, HexMap
from sim.errors import InputError
from sim.old.dice import Dice
from sim.old.engine import Battle
from sim.old.forces import Forces, kind_of
from sim.old.journal import Journal
from sim.rulesets.rulebook import Rulebook, rulebook
from sim.units.chargefields import PLANS
from sim.units.charges import CONTACT_SIDE, Charge, Unit, place
from sim.units.orders import RESPONSE_CODES, SQUARE_PLANS, ChargeOrder, Orders, Variant
from sim.vocabulary import FORMATIONS, ZONES

RADIUS = 64


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
    book = book_of(charge)
    map_ = _map(charge)
    units = charge.units
    first_target = len(charge.charger)
    hex_units = tuple(range(first_target, first_target + len(charge.target)))
    leaders = [(charge.charger_leader, tuple(range(first_target))), (charge.target_leader, hex_units)]
    forces = Forces(units, leaders, map_, book, len(variants))
    start, direction = charge.start
    places = _places(charge, start)
    for u, unit in enumerate(units):
        forces.hex[u] = map_.number(places[u])
        forces.facing[u] = _facing(charge, unit, book, direction)
    stack = tuple(range(first_target))
    goal = first_target
    forces.leads_in[list(stack)] = direction
    for lane, variant in enumerate(variants):
        forces.variant[0, lane] = lane
        forces.square_plan[0, lane] = SQUARE_PLANS.index(variant.square)
        forces.disordered_plan[0, lane] = PLANS["disordered"].index(variant.disordered)
        forces.no_target[0, lane] = PLANS["no_target"].index(variant.no_target)
        forces.after_halt[0, lane] = PLANS["after_halt"].index(variant.after_halt)
        forces.recalled_plan[0, lane] = PLANS["recalled"].index(variant.recalled)
        forces.preserve[0, lane] = variant.preserve
        forces.response[goal, lane] = RESPONSE_CODES[variant.response]
    for u, unit in enumerate(units):
        if unit.id.startswith("neighbour"):
            forces.response[u] = RESPONSE_CODES[unit.response]
        elif unit.id == "reactor":
            forces.response[u] = RESPONSE_CODES["react"]
    change = None if charge.change_to is None else FORMATIONS.index(charge.change_to)
    reactors = tuple(
        u for u, unit in enumerate(units) if unit.id == "reactor" or (u == goal and unit.arm == "cavalry")
    )
    second = next((u for u, unit in enumerate(units) if unit.id == charge.second), None)
    second_at = (0, 0) if second is None else places[second]
    order = ChargeOrder(
        stack,
        goal,
        hex_units,
        charge.path,
        change,
        second=second,
        second_path=charge.second_path,
        second_at=second_at,
        away=charge.away,
    )
    return forces, Orders((order,), reactors, charge.night)


def _map(charge: Charge) -> HexMap:
    """The map with everything that lies on it."""
    hexsides: dict[tuple[Hex, int], str] = {}
    if charge.crosses != "none":
        hexsides[(0, 0), CONTACT_SIDE] = charge.crosses
    for step, ((here, before), turn) in enumerate(zip(charge.trail, charge.path, strict=False), 1):
        direction = (before + turn) % 6
        for at, _, hexside in charge.ground:
            if at == step and hexside is not None:
                hexsides[here, direction] = hexside
    return HexMap(RADIUS, charge.ground_by_hex, hexsides)


def _places(charge: Charge, start: Hex) -> list[Hex]:
    places: list[Hex] = []
    for unit in charge.units:
        if unit.id.startswith("charger"):
            places.append(start)
        elif unit.at is None:
            places.append((0, 0))
        else:
            places.append(place(unit.at, unit.hexes))
    return places


def _facing(charge: Charge, unit: Unit, book: Rulebook, direction: int) -> int:
    kind = kind_of(unit, book.light_from)
    formation = FORMATIONS.index(unit.formation)
    corner = bool(book.corner_facing[kind, formation])
    if unit.id.startswith("charger"):
        return 2 * direction + corner
    if unit.at is not None:
        if unit.side == "charger":
            return int(corner)
        left = unit.at.endswith("left")
        return (7 if left else 5) if corner else 6
    top = charge.target[0]
    kind, formation = kind_of(top, book.light_from), FORMATIONS.index(top.formation)
    corner = bool(book.corner_facing[kind, formation])
    wanted = ZONES.index(charge.through)
    for turn in range(3 if corner else 4):
        facing = (2 * CONTACT_SIDE + corner + 2 * turn) % 12
        if book.zones[kind, formation, facing, CONTACT_SIDE] == wanted:
            return facing
    raise InputError(
        f"'through' must be a hexside that the target has: {top.arm} in {top.formation} has no {charge.through}"
    )


__all__ = ["book_of", "play", "prepare"]
