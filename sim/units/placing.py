"""Where a charge file puts everything: the open map, what lies on it, and which way everybody faces
(docs/charge.md section 2).

A facing is a direction in twelfths of a turn, clockwise: even numbers look across a hexside, odd ones at a
corner.
"""

from __future__ import annotations

from sim.board.hexmap import HexMap, Rhombus
from sim.errors import InputError
from sim.rulesets.rulebook import Rulebook
from sim.units.charges import Attack, Charge, Unit
from sim.units.forces import kind_of
from sim.vocabulary import FORMATIONS, ZONES

RADIUS = 64


def map_of(charge: Charge) -> HexMap:
    """The map with everything that lies on it."""
    return HexMap(Rhombus(RADIUS), charge.terrain_by_hex, charge.hexsides)


def facings(charge: Charge, book: Rulebook) -> tuple[int, ...]:
    """Everybody's facing, by unit number.

    Chargers look the way they ride; a target shows its charge the hexside it comes through; others of its
    side look at the first charge, and friends of the charger the way that rides.

    Raises
    ------
    InputError
        If a target has no such hexside.
    """
    found: dict[str, int] = {}
    for attack in charge.attacks:
        direction = attack.start[1]
        found |= {unit.id: 2 * direction + _corner(unit, book) for unit in attack.charger}
        if attack.places_target:
            shown = _shown(attack, book) // 2
            found |= {unit.id: 2 * shown + _corner(unit, book) for unit in attack.target}
    riding = charge.attacks[0].heading
    for unit in charge.units[len(found) :]:
        found[unit.id] = _looks(unit, riding, book, charge.phasing)
    return tuple(found[unit.id] for unit in charge.units)


def hexside_of(charge: Charge, attack: Attack, book: Rulebook) -> str:
    """The hexside of its target that a charge comes through, as the target faces when the charge is
    declared."""
    if attack.through is not None:
        return attack.through
    unit = attack.target[0]
    facing = facings(charge, book)[charge.number(unit.id)]
    return ZONES[
        book.zones[kind_of(unit, book.light_from), FORMATIONS.index(unit.formation), facing, attack.side]
    ]


def _corner(unit: Unit, book: Rulebook) -> int:
    """1 if a unit faces a corner of its hex, 0 if a hexside."""
    return int(book.corner_facing[kind_of(unit, book.light_from), FORMATIONS.index(unit.formation)])


def _looks(unit: Unit, riding: int, book: Rulebook, phasing: int) -> int:
    """The facing of a unit beside the first target, which the first charge rides at in a direction."""
    corner = _corner(unit, book)
    if unit.side_number == phasing:
        return 2 * riding + corner
    return (2 * riding + 6 + corner * (1 if str(unit.at).endswith("left") else -1)) % 12


def _shown(attack: Attack, book: Rulebook) -> int:
    """The first facing, clockwise from the charge, that shows it the hexside it comes through."""
    top = attack.target[0]
    kind, formation, corner = (
        kind_of(top, book.light_from),
        FORMATIONS.index(top.formation),
        _corner(top, book),
    )
    wanted = ZONES.index(str(attack.through))
    for turn in range(3 if corner else 4):
        facing = (2 * attack.side + corner + 2 * turn) % 12
        if book.zones[kind, formation, facing, attack.side] == wanted:
            return facing
    raise InputError(
        f"'through' must be a hexside that the target has: {top.arm} in {top.formation} has no "
        f"{attack.through}"
    )
