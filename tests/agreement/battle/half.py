"""One half of a battle without charges, segment by segment (charge.md 4; battle.md)."""

from __future__ import annotations

from tests.agreement.battle.field import Field, Sketch
from tests.agreement.battle.march import movement
from tests.agreement.battle.plans import Choices
from tests.agreement.battle.storm import melee_segment
from tests.agreement.battle.volley import fire_segment
from tests.agreement.play.half import fate_of_unmanned_guns
from tests.agreement.play.pieces import Piece
from tests.agreement.play.recovery import recover
from tests.agreement.play.run import SEGMENTS, Roll


def play_half(sketch: Sketch, choices: Choices, roll: Roll, log: bool = False) -> Field:
    """The half of the side whose units are 0's, once."""
    run = Field(sketch, roll, log)

    def likes(one: Piece, other: Piece) -> int:
        return int(choices.likes[run.rank[one.id], run.rank[other.id]])

    run.likes = likes
    for segment in SEGMENTS:
        run.segment = segment
        if segment == "movement":
            movement(run, choices.plans)
        elif segment == "defensive-fire":
            fire_segment(run, "target", likes, far=False)
        elif segment == "offensive-fire":
            fire_segment(run, "charger", likes, far=True)
        elif segment == "melee":
            melee_segment(run, choices.evades, choices.occupies)
            tire(run)
        elif segment == "recovery":
            for piece in sorted(run.pieces, key=lambda piece: piece.side != "charger"):
                if not piece.gone:
                    recover(run, piece)
        fate_of_unmanned_guns(run)
        run.settle()
    return run


def tire(run: Field) -> None:
    """Cavalry that has fought goes down a step (R)."""
    down = {"fresh": "tired", "tired": "exhausted", "exhausted": "exhausted"}
    for piece in run.pieces:
        if piece.arm == "cavalry" and piece.id in run.meleed and not piece.gone:
            piece.readiness = down[piece.readiness]
