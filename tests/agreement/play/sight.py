"""Formations, zones and sight (§2)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tests.agreement.play.hexes import Hex, direction_to, distance, line_between
from tests.agreement.play.pieces import Piece
from tests.agreement.play.run import Run


def is_light(run: Run, piece: Piece) -> bool:
    """Whether cavalry is light, by its printed movement (§2.4)."""
    return piece.card.light(run.data["charge"]["light_from"])


def orientation(run: Run, piece: Piece) -> tuple[str, list[str]]:
    """What the formation faces, a side or a corner, and its zones from front to rear (§2.4)."""
    if piece.arm == "artillery":
        name = "artillery"
    elif piece.arm == "infantry":
        name = f"infantry {piece.formation}"
    elif piece.formation == "line":
        name = "cavalry line"
    elif piece.formation == "general order":
        name = "light cavalry column"  # of all cavalry (LZ fb154)
    else:
        name = f"{'light' if is_light(run, piece) else 'heavy'} cavalry {piece.formation}"
    entry = run.data["orientation"][name]
    return entry["faces"], entry["zones"]


def faces(run: Run, piece: Piece) -> str:
    """Whether a unit faces a side or a corner (§2.3)."""
    return orientation(run, piece)[0]


def facing_along(run: Run, piece: Piece, direction: int) -> int:
    """The facing of a unit that looks in a direction (§2.3)."""
    return 2 * direction + (faces(run, piece) == "corner")


def settle_facing(run: Run, piece: Piece) -> None:
    """The facing after a change of formation: across the side, or at the corner after it (§1.9)."""
    piece.facing = facing_along(run, piece, piece.facing // 2)


def zone_of_side(run: Run, piece: Piece, side: int, here: Hex | None = None) -> str:
    """front, flank or rear: the zone of one of the unit's sides. Guns with infantry share its orientation.

    §2.4, §2.6; of skirmishers in two hexes the lower sides between them are rear (battle.md O2).
    """
    bearer = piece
    if piece.arm == "artillery":
        top = run.stack(piece.at, piece.side)[0]
        bearer = top if top.arm == "infantry" else piece
    faces, zones = orientation(run, bearer)
    t = (2 * side - bearer.facing) % 12
    t = min(t, 12 - t)
    zone = zones[t // 2] if faces == "side" else zones[(t - 1) // 2]
    if zone == "flank" and bearer.formation == "skirmish" and bearer.second is not None:
        here = piece.at if here is None else here
        assert here is not None
        other = next(one for one in bearer.hexes if one != here)
        if (side - direction_to(here, other)) % 6 in (1, 5):
            return "rear"
    return zone


def zone_towards(run: Run, piece: Piece, where: Hex) -> str:
    """The zone in which an adjacent hex lies (§2.4)."""
    here = hex_next_to(piece, where)
    return zone_of_side(run, piece, direction_to(here, where), here)


def hex_next_to(piece: Piece, where: Hex) -> Hex:
    """That of a unit's hexes which is next to a hex, its own first (battle.md O5)."""
    return next(one for one in piece.hexes if distance(one, where) == 1)


def in_square(run: Run, piece: Piece) -> bool:
    """Whether a unit is in square, or guns within one (§2.6)."""
    return (
        run.stack(piece.at, piece.side)[0].formation == "square"
        if piece.arm == "artillery"
        else piece.formation == "square"
    )


def influences(run: Run, piece: Piece, where: Hex) -> bool:
    """Whether a hex is in the unit's zone of influence (§2.11)."""
    if (
        piece.gone
        or piece.unmanned
        or piece.state == "routed"
        or in_square(run, piece)
        or where in piece.hexes
        or all(distance(one, where) != 1 for one in piece.hexes)
    ):
        return False
    return zone_towards(run, piece, where) == "front"


def in_zone(run: Run, where: Hex, side: str) -> bool:
    """Whether a hex is in the zone of a unit of this side (§2.11)."""
    return any(influences(run, piece, where) for piece in run.alive(side))


def terrain_at(run: Run, where: Hex) -> dict[str, Any]:
    """The rule set's entry of a hex's terrain; clear where nothing is said (§2.10)."""
    return run.data["terrain"][run.ground.get(where, "clear")]


def blocks_sight(run: Run, where: Hex) -> bool:
    """Whether a hex bars the sight: by its terrain, or by a unit not in skirmish order (§2.12)."""
    if terrain_at(run, where)["blocks"]:
        return True
    return any(
        where in piece.hexes and not piece.gone and piece.formation != "skirmish" for piece in run.pieces
    )


def in_sight(run: Run, a: Hex, b: Hex) -> bool:
    """Whether hex b is in sight of hex a (§2.12)."""
    if distance(a, b) <= 1:
        return True
    plus, minus = line_between(a, b, 1), line_between(a, b, -1)
    if any(
        blocks_sight(run, p) and blocks_sight(run, m) for p, m in zip(plus[1:-1], minus[1:-1], strict=True)
    ):
        return False
    if run.data["sight"]["slopes_block"]:
        for one, two in pairwise(plus):
            if run.hexsides.get(frozenset((one, two))) == "slope" and not {one, two} & {a, b}:
                return False
    return True


def sees_through_front(run: Run, piece: Piece, b: Hex, here: Hex | None = None) -> bool:
    """Whether b is in sight through one of the unit's front sides, of one of its hexes (§2.12)."""
    a = piece.at if here is None else here
    assert a is not None
    if not in_sight(run, a, b):
        return False
    steps = [line_between(a, b, nudge)[1] for nudge in (1, -1)] if a != b else []
    fronts = [zone_of_side(run, piece, direction_to(a, step), a) for step in steps if step not in piece.hexes]
    return a == b or "front" in fronts
