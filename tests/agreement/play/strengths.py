"""The two sides of a melee and what they are worth (§10)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.agreement.play.charts import column_at, ratio
from tests.agreement.play.checks import contact_scene, holds
from tests.agreement.play.hexes import Hex, distance
from tests.agreement.play.pieces import Piece
from tests.agreement.play.run import Run
from tests.agreement.play.sight import zone_towards


@dataclass(frozen=True)
class Melee:
    """One melee of the chargers against a hex (§10).

    Attributes
    ----------
    everybody
        The units of the hex, sheltered ones too; `defenders` are those that fight.
    side_hex
        The hex from which the chargers came.
    """

    run: Run
    where: Hex
    attackers: list[Piece]
    everybody: list[Piece]
    defenders: list[Piece]
    side_hex: Hex

    def met_from(self, piece: Piece) -> Hex:
        """The hex from which an attacker comes; for a defender, that from which he is met (§10.7)."""
        return self.side_hex

    def engaged(self, piece: Piece) -> int:
        """The increments with which a unit fights: in the hex attacked, or next to it (battle.md O5)."""
        if piece.second is None:
            return piece.increments
        if self.where in piece.hexes:
            return piece.deployed(self.where)
        return sum(piece.deployed(here) for here in piece.hexes if distance(here, self.where) == 1)


def melee_column(melee: Melee) -> tuple[int, int]:
    """Column of the table and what is added to the roll for odds below it (§10.8)."""
    run = melee.run
    attack = sum((melee_value(melee, piece, "attack") for piece in melee.attackers), Fraction(0))
    defence = sum((melee_value(melee, piece, "defence") for piece in melee.defenders), Fraction(0))
    run.note("melee {} : {}", attack, defence)
    below = {ratio(name): shift for name, shift in run.data["melee"]["below"].items() if name != "source"}
    if defence == 0:
        return len(run.charts.melee) - 1, 0
    if attack == 0:
        return 0, min(below.values())
    shift = next((below[limit] for limit in sorted(below) if attack / defence < limit), 0)
    return max(0, column_at(run.charts.melee, attack / defence)), shift


def melee_value(melee: Melee, piece: Piece, side: str) -> Fraction:
    """A unit's share of its side's melee strength (§10.4)."""
    run = melee.run
    share = Fraction(melee.engaged(piece), piece.card.printed)
    value = piece.card.melee * share
    scene = melee_scene(melee, piece, side)
    for one in run.data["melee"]["multipliers"]:
        if one["side"] in (side, "both") and holds(run, one.get("when", {}), scene):
            value *= Fraction(str(one["value"]))
    if piece.arm == "artillery" and piece.state == "disordered" and value:
        value = max(value, Fraction(1))
    return value + lance_bonus(melee, piece, side) * share


def melee_scene(melee: Melee, piece: Piece, side: str) -> dict[str, Any]:
    """What the conditions of the multipliers may ask about (§10.4)."""
    run, attack = melee.run, side == "attack"
    contact = contact_scene(run, melee.defenders[0], melee.met_from(piece), melee.where)
    return contact | {
        "unit": piece,
        "enemy": melee.defenders[0] if attack else melee.attackers[0],
        "charge": attack and run.attack.charge_bonus,
        "chasing": attack and run.attack.chasing,
        "preserving": attack and run.attack.plan["preserve"],
        "facing": "front" if attack else zone_towards(run, piece, melee.side_hex),
    }


def lance_bonus(melee: Melee, piece: Piece, side: str) -> Fraction:
    """The bonus of the lance, added at the end (§10.5)."""
    run = melee.run
    rule = run.switches["lance"]
    if (
        piece.arm != "cavalry"
        or piece.state != "good"
        or (side == "defence" and not (rule == "counter" and piece.id in run.attack.counter_chargers))
    ):
        return Fraction(0)
    return (
        piece.card.lance * run.data["melee"]["lance"][rule]["line" if piece.formation == "line" else "column"]
    )


def survivors(melee: Melee, pieces: Iterable[Piece]) -> list[Piece]:
    """Those that are not gone (§10.6)."""
    return [piece for piece in pieces if not piece.gone]
