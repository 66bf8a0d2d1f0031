"""What failed checks bring: the general failure, contagion, retreats and routs (§7, §8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sim.units.charges import Leader
from tests.agreement.play.checks import morale_check
from tests.agreement.play.hexes import Hex, direction_to
from tests.agreement.play.pieces import Piece
from tests.agreement.play.run import OTHER, Run
from tests.agreement.play.sight import facing_along, influences
from tests.agreement.play.states import (
    become_disordered,
    become_routed,
    close_up,
    lose,
    lose_top_first,
    remove,
)
from tests.agreement.play.ways import after, find_way, is_free, leaving_losses, runs_off


def worsen(run: Run, piece: Piece) -> str | None:
    """The general failure's change of state; returns the move that follows from it: retreat, rout or None.

    §8.3.
    """
    if piece.unlimbered:
        if piece.state == "good":
            become_disordered(run, piece)
        return None
    if piece.arm == "cavalry" or piece.state != "good":
        become_routed(run, piece)
        return "rout"
    become_disordered(run, piece)
    return "retreat"


def general_failure(
    run: Run,
    failed: Sequence[Piece],
    cause: str,
    asked: Iterable[Piece],
    zone_loss: int = 0,
    contagion: bool = True,
) -> None:
    """The general failure of the units that an event shook; `asked` have rolled for it already.

    §8.3 to §8.6; 0-decisions 5.23.
    """
    shaken = {where for piece in failed for where in piece.hexes}
    moves = [(piece, worsen(run, piece)) for piece in failed]
    if contagion:
        moves += [(other, worsen(run, other)) for other in failed_by_contagion(run, failed, shaken, asked)]
    for unit, kind in moves:
        flee(run, unit, kind, cause, zone_loss)


def failed_by_contagion(
    run: Run, failed: Sequence[Piece], hexes: set[Hex], asked: Iterable[Piece]
) -> list[Piece]:
    """Who fails by contagion: units not routed, with those that failed, that have not rolled for the event.

    §8.4, §8.5; 0-decisions 5.23.
    """
    sides = {piece.side for piece in failed}
    asked = list(asked)
    found = []
    for other in run.pieces:
        near = (
            not hexes.isdisjoint(other.hexes)
            and other.side in sides
            and not other.gone
            and not other.unmanned
        )
        exposed = near and other.state != "routed" and other not in asked
        if exposed and not morale_check(run, other, "contagion", repeatable=True):
            found.append(other)
    return found


def checks_of_event(
    run: Run,
    pieces: Iterable[Piece],
    kind: str,
    cause: str,
    called: Callable[[Piece], bool] = lambda piece: True,
    extra: int = 0,
    zone_loss: int = 0,
    contagion: bool = True,
) -> None:
    """The checks an event calls for, in unit order; then contagion of those it does not ask; then the moves.

    §8.5, §8.6; 0-decisions 5.23.
    """
    asked = [piece for piece in run.in_unit_order(pieces) if not piece.gone and called(piece)]
    failed = [piece for piece in asked if not morale_check(run, piece, kind, extra=extra, repeatable=True)]
    general_failure(run, failed, cause, asked, zone_loss, contagion)


def flee(run: Run, piece: Piece, kind: str | None, cause: str, zone_loss: int = 0) -> None:
    """The move after a failed check, alone (§8.6, §8.7)."""
    if piece.gone:
        return
    if kind == "rout" and cause == "fire" and run.switches["rout_by_fire"] == "recovery":
        piece.rout_pending = True
    elif kind == "rout":
        rout_move(run, [piece], zone_loss, cause == "melee")
    elif kind == "retreat" and piece.state != "routed":  # nor has it run meanwhile
        move_away(run, [piece], run.data["retreat"]["disordered"], "retreat", zone_loss, cause == "melee")


def rout_move(run: Run, group: Sequence[Piece], zone_loss: int = 0, melee: bool = False) -> None:
    """A rout move of a group, as far as its least allowance (§7.5, §7.11)."""
    group = [piece for piece in group if not piece.gone]
    if group:
        points = min(
            piece.card.movement if piece.arm == "cavalry" else run.data["retreat"]["rout"] for piece in group
        )
        move_away(run, group, points, "rout", zone_loss, melee)


def move_away(
    run: Run, group: Sequence[Piece], points: int, kind: str, zone_loss: int = 0, melee: bool = False
) -> None:
    """Move a group that stands in one hex away from the enemy (§7.1, §7.8, §7.10 to §7.15)."""
    group = [piece for piece in group if not piece.gone]
    if not group:
        return
    for piece in group:
        close_up(piece)
    top = group[0]
    side, start = top.side, top.at
    assert start is not None
    way = [start]
    back = run.came_from.get(top.id)
    if back is not None and run.stack(start, OTHER[side]) and is_free(run, back):
        way.append(back)
        points -= 1
    rest = find_way(run, group, way[-1], points, kind, minimum=len(way) == 1) if points else [way[-1]]
    if rest is None and kind == "rout":
        why = "routed off" if run.in_battle and runs_off(run, group, start, points) else "surrendered"
        for piece in group:
            remove(run, piece, why)
        return
    if rest is None and len(way) == 1:
        run.note("  {} cannot retreat", top.id)
        if top.state == "disordered" and run.switches["dd_cannot_retreat"] == "surrender":
            for piece in group:
                remove(run, piece, "surrendered")
        return
    way += (rest or [way[-1]])[1:]
    run.note("  {} {} along {}", "+".join(piece.id for piece in group), kind + "s", way)
    enemies = run.alive(OTHER[side])
    leaving = leaving_losses(run, group, way, zone_loss)
    for piece in group:
        piece.rout_pending = False
        piece.at = way[-1]
        if len(way) > 1:
            if piece.state == "good":
                piece.formation = after(run, piece, piece.formation, way[-1]) or piece.formation  # M17
            piece.facing = facing_along(run, piece, direction_to(way[-2], way[-1]))
    if run.switches["zone_loss"] == "group":
        lose_top_first(run, group, leaving)
    else:
        for piece in group:
            lose(run, piece, leaving)
    entered = any(
        enemy.arm == "cavalry" and influences(run, enemy, where) for enemy in enemies for where in way[1:]
    )
    if melee and kind == "retreat" and top.state == "disordered" and top.arm != "cavalry" and entered:
        for piece in group:
            if not piece.gone and piece.state == "disordered":
                become_routed(run, piece)
    pass_through(run, group, way[1:-1])


def pass_through(run: Run, group: Sequence[Piece], hexes: Sequence[Hex]) -> None:
    """Good-order friends in hexes passed through check (§7.14)."""
    friends = [piece for piece in run.pieces if piece.side == group[0].side and piece not in group]
    checks_of_event(
        run,
        friends,
        "pass-through",
        "other",
        lambda piece: not set(hexes).isdisjoint(piece.hexes) and piece.state == "good" and not piece.unmanned,
    )


def leader_lost(run: Run, pieces: Sequence[Piece], where: Hex, leader: Leader, cause: str) -> None:
    """The units that were with a leader who is out check, against his bonus (§9.11, §10.14)."""
    checks_of_event(
        run,
        pieces,
        "leader-check",
        cause,
        lambda piece: where in piece.hexes and piece.state != "routed",
        extra=-leader.morale,
    )
