"""What is recorded of a run (§12)."""

from __future__ import annotations

from dataclasses import dataclass, field

from sim.ensemble.dice import Decision
from tests.agreement.play.attack import Attack
from tests.agreement.play.hexes import Hex
from tests.agreement.play.run import Run


@dataclass(frozen=True)
class Fate:
    """What came of one charge.

    Attributes
    ----------
    worst
        Worst state of the charging stack: good, routed or gone.
    attempt
        Result of the target hex's carré attempt, None if none was made; `refused`
        says why none could be made.
    """

    worst: str
    recovered: bool
    success: bool
    clean: bool
    bounced: bool
    attempt: str | None
    refused: str | None
    spent: int


@dataclass(frozen=True)
class Record:
    """How one run ended.

    Attributes
    ----------
    units
        By id: state (good, disordered, routed, or why it is gone), increments, formation, hex
        (None if gone), readiness.
    charges
        What came of each charge, in their order.
    losses
        Increments lost by side; a unit that is gone has lost all it had.
    decisions
        The rolls in the order in which they were asked.
    """

    units: dict[str, tuple[str, int, str, Hex | None, str]]
    charges: tuple[Fate, ...]
    losses: dict[str, int]
    decisions: list[Decision]
    log: list[str] = field(default_factory=list)


def record_of(run: Run) -> Record:
    """How the run ended (§12)."""
    losses = {"charger": 0, "target": 0}
    for piece in run.pieces:
        losses[piece.side] += piece.card.increments - piece.increments
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
        charges=tuple(fate_of(run, attack) for attack in run.attacks),
        losses=losses,
        decisions=run.decisions,
        log=run.log,
    )


def fate_of(run: Run, attack: Attack) -> Fate:
    """What came of a charge (§12.1 to §12.5, §14.10)."""
    routed = [piece for piece in attack.riders if piece.id in run.ever_routed]
    worst = "gone" if any(piece.gone for piece in attack.riders) else "routed" if routed else "good"
    hit = any(piece.id in attack.broken for piece in (attack.named, attack.second) if piece is not None)
    return Fate(
        worst=worst,
        recovered=worst == "routed" and all(piece.state == "good" for piece in routed),
        success=hit,
        clean=hit and worst == "good",
        bounced=attack.bounced,
        attempt=attack.attempt,
        refused=attack.refused,
        spent=attack.spent,
    )
