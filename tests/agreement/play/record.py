"""What is recorded of a run (§12)."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.agreement.play.hexes import Hex
from tests.agreement.play.run import Decision, Run


@dataclass
class Record:
    """How one run ended.

    Attributes
    ----------
    units
        By id: state (good, disordered, routed, or why it is gone), increments, formation, hex
        (None if gone), readiness.
    worst
        Worst state of the charging stack: good, routed or gone.
    attempt
        Result of the target hex's carré attempt, None if none was made; `refused`
        says why none could be made.
    losses
        Increments lost by side; a unit that is gone has lost all it had.
    decisions
        The rolls in the order in which they were asked.
    """

    units: dict[str, tuple[str, int, str, Hex | None, str]]
    worst: str
    recovered: bool
    success: bool
    clean: bool
    bounced: bool
    losses: dict[str, int]
    attempt: str | None
    refused: str | None
    spent: int
    decisions: list[Decision]
    log: list[str] = field(default_factory=list)


def record_of(run: Run) -> Record:
    """How the run ended (§12)."""
    stack = run.riders
    worst = "gone" if any(piece.gone for piece in stack) else "routed" if run.ever_routed else "good"
    recovered = worst == "routed" and all(
        piece.state == "good" for piece in stack if piece.id in run.ever_routed
    )
    losses = {"charger": 0, "target": 0}
    for piece in run.pieces:
        losses[piece.side] += piece.card.increments - piece.increments
    hit = any(piece.id in run.broken for piece in (run.target[0], run.second) if piece is not None)
    return Record(
        units={
            piece.id: (
                piece.gone or piece.state,
                piece.increments,
                piece.formation,
                piece.at,
                piece.readiness,
            )
            for piece in run.pieces
        },
        worst=worst,
        recovered=recovered,
        success=hit,
        clean=hit and worst == "good",
        bounced=run.bounced,
        losses=losses,
        attempt=run.attempt,
        refused=run.refused,
        spent=run.spent,
        decisions=run.decisions,
        log=run.log,
    )
