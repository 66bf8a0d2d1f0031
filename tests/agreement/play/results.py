"""Melee results: losses, and letters by the matrix of effects (§10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.agreement.play.checks import morale_check
from tests.agreement.play.failures import checks_of_event, move_away, rout_move
from tests.agreement.play.pieces import Piece
from tests.agreement.play.states import (
    abandon,
    become_disordered,
    become_routed,
    close_up,
    lose,
    lose_alternating,
    lose_top_first,
    remove,
    take_column,
)
from tests.agreement.play.strengths import Melee, survivors


def number_result(melee: Melee, result: str) -> None:
    """Losses, then the starred side checks (§10.9)."""
    run = melee.run
    ours, theirs = result.split("/")
    lose_top_first(run, melee.attackers, int(ours.rstrip("*")))
    lose_alternating(run, melee.everybody, int(theirs.rstrip("*")))
    for side, text in ((melee.attackers, ours), (melee.defenders, theirs)):
        if text.endswith("*"):
            checks_of_event(run, side, "star", "melee", zone_loss=1, contagion=False)


def letter_result(melee: Melee, result: str, top: Piece) -> None:
    """The letter effects by the matrix: on the attackers, on the defenders, on guns with infantry.

    §10.9, §10.10.
    """
    run = melee.run
    if result == "DS":
        for piece in melee.everybody:
            remove(run, piece, "surrendered")
        return
    column = "blank" if result == "." else result
    code = effect_code(melee, matrix_row(melee, top), column)
    run.note("  {}: {}", matrix_row(melee, top), code)
    gun_codes = {
        piece.id: effect_code(melee, f"unlimbered {piece.state}", column) if top.arm == "infantry" else code
        for piece in melee.everybody
        if piece.unlimbered
    }
    held = (
        column == "blank"
        and top.formation == "general order"
        and not run.switches["blank_moves_general_order"]
    )
    apply_to_attackers(melee, code, column)
    guns = [piece for piece in melee.everybody if piece.unlimbered and not piece.gone]
    foot = [piece for piece in melee.everybody if not piece.unlimbered and not piece.gone]
    if not held and not apply_to_defenders(melee, code, foot, column):
        return
    if code == "SQ-rout" and run.switches["guns_with_infantry"] == "abandoned":
        for gun in guns:
            abandon(run, gun)
    else:
        for gun_code in dict.fromkeys(gun_codes.values()):
            alike = [gun for gun in guns if gun_codes[gun.id] == gun_code]
            apply_to_defenders(melee, gun_code, alike, column)


def matrix_row(melee: Melee, top: Piece) -> str:
    """The matrix row of the defender's top unit before the roll (§10.9)."""
    if top.formation == "square":
        return "square"
    if top.arm == "artillery":
        return f"{top.formation} {top.state}"
    return f"{top.arm} {top.state}"


def effect_code(melee: Melee, row: str, column: str) -> str:
    """The matrix entry, as the switches change it (§10.11)."""
    run = melee.run
    matrix = run.data["matrix"]
    code = matrix["rows"][row][matrix["columns"].index(column)]
    if row == "cavalry good" and column == "DD" and run.switches["cav_dd"] == "fall3_check_minus6":
        return "D-fall3"
    if code in ("A-dis", "A-dis-sq") and run.switches["cav_ad_vs_infantry"] == "always_rout":
        return "A-rout"
    return code


def apply_to_attackers(melee: Melee, code: str, column: str) -> None:
    """The attackers' part of an effect; a blank that sends them back is a bounce (§10.9, §12.5)."""
    run = melee.run
    part = run.data["matrix"]["effects"][code].get("attacker", {})
    for arm in ("infantry", "cavalry"):
        effect = part.get(arm, part.get("any"))
        group = [piece for piece in survivors(melee, melee.attackers) if piece.arm == arm]
        if not effect or not group:
            continue
        if column == "blank" and "retreat" in effect:
            run.attack.bounced = True
        apply(melee, effect, group, lettered=column != "blank")


def apply_to_defenders(melee: Melee, code: str, group: Sequence[Piece], column: str) -> bool:
    """False if the defenders came to no harm by a check of their square, guns in it included (§10.9)."""
    run = melee.run
    part = run.data["matrix"]["effects"][code].get("defender", {})
    effect = part.get(group[0].arm, part.get("any")) if group else None
    if not effect:
        return True
    if effect.get("square_check") is not None:
        square_holds(melee, group, effect["square_check"])
    elif effect.get("square_dd"):
        return square_disordered(melee, group)
    else:
        apply(melee, effect, group, lettered=column != "blank")
    return True


def apply(melee: Melee, effect: dict[str, Any], group: Sequence[Piece], lettered: bool) -> None:
    """One side's part of an effect: losses, state, move, check (§10.11)."""
    run = melee.run
    becomes, zone_loss = effect.get("becomes"), effect.get("zone_loss", 0)
    for piece in group:
        if effect.get("lose"):
            lose(run, piece, effect["lose"])
    group = survivors(melee, group)
    for piece in group:
        if becomes in ("surrendered", "eliminated"):
            remove(run, piece, becomes)
        elif becomes == "routed" or (becomes == "disordered" and piece.arm == "cavalry"):
            become_routed(run, piece)
        elif becomes == "disordered" and piece.state == "good":
            become_disordered(run, piece)
    goers = [piece for piece in survivors(melee, group) if not piece.unlimbered]
    if becomes == "routed" or "retreat" in effect:
        for piece in goers:
            close_up(piece)
    before = {piece.id: piece.at for piece in goers}
    for where in dict.fromkeys(before.values()):
        movers = [piece for piece in goers if before[piece.id] == where]
        if becomes == "routed":
            rout_move(run, movers, zone_loss, melee=True)
        elif "retreat" in effect:
            move_away(run, movers, effect["retreat"], "retreat", zone_loss, melee=True)
            for piece in movers:
                if lettered and piece.at != where:
                    run.mark_broken(piece)
    if "check" in effect:
        checks_of_event(run, group, "fall-back", "melee", extra=effect["check"])


def square_holds(melee: Melee, group: Sequence[Piece], extra: int) -> None:
    """The square checks after a blank; failing, it is in column, in place and in good order.

    §10.11, SQ-hold.
    """
    run = melee.run
    top = group[0]
    if not morale_check(run, top, "square-check", extra=extra):
        for piece in group:
            if piece.formation == "square":
                take_column(run, piece)


def square_disordered(melee: Melee, group: Sequence[Piece]) -> bool:
    """DD against a square, by the switch `square_dd`. False if it passed its check (§10.11, square_dd)."""
    run = melee.run
    mode = run.switches["square_dd"]
    top = group[0]
    if mode == "check_first" and morale_check(run, top, "square-check"):
        return False
    if mode == "in_place_minus1":
        lose_top_first(run, group, 1)
    for piece in survivors(melee, group):
        if piece.state == "good":
            become_disordered(run, piece)
        elif piece.formation == "square":
            take_column(run, piece)
    if mode != "in_place_minus1":
        move_away(run, survivors(melee, group), 3, "retreat", 1, melee=True)
    return True
