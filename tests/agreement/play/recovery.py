"""Readiness after the melees (§10), and morale recovery (§11)."""

from __future__ import annotations

from tests.agreement.play.checks import holds, morale_check
from tests.agreement.play.failures import rout_move
from tests.agreement.play.hexes import Hex
from tests.agreement.play.pieces import Piece
from tests.agreement.play.run import Run
from tests.agreement.play.sight import settle_facing
from tests.agreement.play.states import become_routed, lose, take_column


def tire(run: Run) -> None:
    """Readiness at the end of the melee segment, by what each did in it (§10.15, §10.16, §14.8)."""
    down = {"fresh": "tired", "tired": "exhausted", "exhausted": "exhausted"}
    for attack in run.attacks:
        for piece in attack.charging:
            if not piece.gone and piece not in attack.fought:
                piece.readiness = "tired"
            elif not piece.gone and not attack.plan["preserve"]:
                piece.readiness = "exhausted"
    fought = {piece.id for attack in run.attacks for piece in attack.fought}
    met = {name for attack in run.attacks for name in attack.counter_chargers}
    for piece in run.pieces:
        if piece.id in fought and piece.side == "target" and piece.arm == "cavalry" and not piece.gone:
            exhausts = piece.id in met and run.switches["react_melee_exhausts"]
            piece.readiness = "exhausted" if exhausts else down[piece.readiness]


def recover(run: Run, piece: Piece) -> None:
    """A unit of the phasing side recovers or gets worse; one of the other side makes the rout move it owes.

    §11.
    """
    run.acting = piece
    if piece.side == "target":
        if piece.rout_pending and piece.state == "routed":
            rout_move(run, [piece])
    elif piece.state != "good":
        if morale_check(run, piece, "recovery"):
            piece.state = "good"
            take_column(run, piece)
            if piece.arm == "infantry" and piece.at is not None and broken_ground(run, piece.at):
                piece.formation = "general order"
                settle_facing(run, piece)
        else:
            lose(run, piece, recovery_losses(run, piece))
            if piece.gone or piece.unlimbered:
                return
            if piece.state == "disordered":
                become_routed(run, piece)
            elif run.is_safe(piece):
                run.take_refuge(piece)
                return
            rout_move(run, [piece])


def recovery_losses(run: Run, piece: Piece) -> int:
    """Increments that a failed attempt to recover costs some nations (§11.3)."""
    rows = run.data["morale"].get("recovery_losses", ())
    return sum(row["lose"] for row in rows if holds(run, row["when"], {"unit": piece, "check": "recovery"}))


def broken_ground(run: Run, where: Hex) -> bool:
    """Whether a hex has terrain in which infantry stands in general order: its fire defence has no column.

    §11.2; 0-decisions 5.30.
    """
    defence = run.data["fire"]["defence"].get(run.ground.get(where, "clear"))
    return defence is not None and "column" not in defence
