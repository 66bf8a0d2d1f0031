"""The map, and where and how everybody stands when the half begins (§1, §2)."""

from __future__ import annotations

from tests.agreement.play.attack import Attack
from tests.agreement.play.hexes import DIRECTIONS, PLACES, neighbour
from tests.agreement.play.run import Run
from tests.agreement.play.sight import faces, facing_along, orientation, settle_facing


def set_up(run: Run) -> None:
    """The map, and where and how everybody stands (§2.2, §2.6 to §2.10)."""
    for attack in run.attacks:
        lay_out(run, attack)
        for piece in attack.riders:
            piece.at, piece.facing = attack.route[0], facing_along(run, piece, attack.direction)
        if attack.told.through is not None:
            facing = facing_through(run, attack, attack.told.through)
            for piece in attack.target:
                piece.at, piece.facing = attack.target_hex, facing
                settle_facing(run, piece)
    for piece in run.pieces:
        if piece.at is None:
            place = PLACES[str(piece.card.at)]
            piece.at = (DIRECTIONS[place][0] * piece.card.hexes, DIRECTIONS[place][1] * piece.card.hexes)
            if piece.side == "charger":
                piece.facing = 0 if faces(run, piece) == "side" else 1
            elif faces(run, piece) == "side":
                piece.facing = 6
            else:
                piece.facing = 7 if str(piece.card.at).endswith("left") else 5
    for attack in run.attacks:
        attack.second_hex = attack.other.at if attack.other is not None else None


def lay_out(run: Run, attack: Attack) -> None:
    """The way of a charge, from its first hex to the one next to its target, and what lies on it.

    §2.2, §2.8, §2.10.
    """
    told, direction = attack.told, attack.heading
    attack.route = [neighbour(attack.target_hex, (direction + 3) % 6)]
    for turn in reversed(told.path):
        attack.route.insert(0, neighbour(attack.route[0], (direction + 3) % 6))
        direction = (direction - turn) % 6
    attack.direction = direction
    for step, terrain, hexside in told.ground:
        if terrain is not None:
            run.ground[attack.route[step]] = terrain
        if hexside is not None:
            run.hexsides[frozenset(attack.route[step - 1 : step + 1])] = hexside
    if told.terrain != "clear":
        run.ground[attack.target_hex] = told.terrain
    if told.crosses != "none":
        run.hexsides[frozenset((attack.route[-1], attack.target_hex))] = told.crosses


def facing_through(run: Run, attack: Attack, wanted: str) -> int:
    """The facing that puts the wanted zone on the side on which the charge arrives (§2.5)."""
    looks_at, zones = orientation(run, attack.target[0])
    j = zones.index(wanted)
    first = 2 * (attack.heading + 3) + (looks_at == "corner")
    return (first + 2 * j) % 12
