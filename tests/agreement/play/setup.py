"""The map, and where and how everybody stands when the charge begins (§1, §2)."""

from __future__ import annotations

from tests.agreement.play.hexes import CONTACT_HEX, DIRECTIONS, PLACES, TARGET_HEX, neighbour
from tests.agreement.play.pieces import Piece
from tests.agreement.play.run import Run
from tests.agreement.play.sight import faces, facing_along, orientation, settle_facing


def set_up(run: Run) -> None:
    """The map, and where and how everybody stands (§2.2, §2.6 to §2.10)."""
    charge = run.charge
    turns = charge.path
    directions = [0] * len(turns)
    for k in range(len(turns) - 2, -1, -1):
        directions[k] = (directions[k + 1] - turns[k + 1]) % 6
    run.direction = (directions[0] - turns[0]) % 6 if turns else 0
    run.route = [CONTACT_HEX]
    for direction in reversed(directions):
        run.route.insert(0, neighbour(run.route[0], (direction + 3) % 6))
    for step, terrain, hexside in charge.ground:
        if terrain is not None:
            run.ground[run.route[step]] = terrain
        if hexside is not None:
            run.hexsides[frozenset(run.route[step - 1 : step + 1])] = hexside
    run.ground[TARGET_HEX] = charge.terrain
    if charge.crosses != "none":
        run.hexsides[frozenset((CONTACT_HEX, TARGET_HEX))] = charge.crosses

    for piece in run.riders:
        piece.at, piece.facing = run.route[0], facing_along(run, piece, run.direction)
    facing = facing_through(run, run.target[0], charge.through)
    for piece in run.target:
        piece.at, piece.facing = TARGET_HEX, facing
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
    run.places = {piece.id: piece.at for piece in run.pieces if piece.at is not None}


def facing_through(run: Run, piece: Piece, wanted: str) -> int:
    """The facing that puts the wanted zone on side 3 (§2.5)."""
    looks_at, zones = orientation(run, piece)
    j = zones.index(wanted)
    return ((6 if looks_at == "side" else 7) + 2 * j) % 12
