"""Changes of state, and losses (§1, §9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.agreement.play.hexes import HOME, direction_to, turn_between
from tests.agreement.play.pieces import Piece
from tests.agreement.play.run import Run
from tests.agreement.play.sight import settle_facing


def remove(run: Run, piece: Piece, why: str) -> None:
    """A unit is gone: eliminated, surrendered or abandoned (§1.3)."""
    run.note("  {} is {}", piece.id, why)
    piece.fell = piece.at
    piece.gone, piece.increments, piece.at, piece.second = why, 0, None, None
    run.mark_broken(piece)


def abandon(run: Run, gun: Piece) -> None:
    """The gunners run: the guns stay where they are, unmanned (§1.7; 0-decisions 5.26)."""
    run.note("  {} is abandoned", gun.id)
    gun.unmanned = True


def become_disordered(run: Run, piece: Piece) -> None:
    """Disorder; cavalry, which has none, routs (§1.9)."""
    if piece.arm == "cavalry":
        become_routed(run, piece)
        return
    run.note("  {} is disordered", piece.id)
    piece.state = "disordered"
    run.mark_broken(piece)
    take_column(run, piece)


def become_routed(run: Run, piece: Piece) -> None:
    """Rout; unlimbered guns, which cannot, are eliminated (§1.9)."""
    if piece.unlimbered:
        remove(run, piece, "eliminated")
        return
    run.note("  {} routs", piece.id)
    piece.state = "routed"
    run.mark_broken(piece)
    run.ever_routed.add(piece.id)
    take_column(run, piece)


def take_column(run: Run, piece: Piece) -> None:
    """Units that are disordered or routed are in column, guns stay as they are (§1.9)."""
    if piece.arm != "artillery":
        close_up(piece)
        piece.formation = "column"
        settle_facing(run, piece)


def close_up(piece: Piece) -> None:
    """Who is in two hexes comes together in that nearer home (battle.md O12)."""
    if piece.at is not None and piece.second is not None:
        turn = turn_between(HOME[piece.side], direction_to(piece.at, piece.second))
        if abs(turn) <= 1:
            piece.at = piece.second
        piece.second = None


def lose(run: Run, piece: Piece, n: int) -> int:
    """Lose increments; gone at 0. Returns what was really lost (§9.8)."""
    lost = min(n, piece.increments)
    if lost:
        piece.increments -= lost
        run.note("  {} loses {}", piece.id, lost)
        if piece.increments < {"line": 5, "skirmish": 4}.get(piece.formation, 0):
            piece.second = None
        if piece.increments == 0:
            remove(run, piece, "eliminated")
    return lost


def lose_top_first(run: Run, pieces: Iterable[Piece], n: int) -> dict[str, int]:
    """Losses of a group, top first. Returns losses by id (§9.8)."""
    losses: dict[str, int] = {}
    for piece in pieces:
        if piece.gone:
            continue
        lost = lose(run, piece, n)
        n -= lost
        if lost:
            losses[piece.id] = lost
    return losses


def lose_alternating(run: Run, units: Sequence[Piece], n: int) -> dict[str, int]:
    """With unlimbered guns odd losses fall on the infantry, even ones on the guns; otherwise top first.

    §9.8.
    """
    guns = [piece for piece in units if piece.unlimbered]
    others = [piece for piece in units if not piece.unlimbered]
    if guns and any(piece.arm == "infantry" for piece in others):
        return lose_top_first(run, others, (n + 1) // 2) | lose_top_first(run, guns, n // 2)
    return lose_top_first(run, units, n)
