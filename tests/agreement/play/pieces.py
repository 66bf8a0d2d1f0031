"""A unit in play (§1)."""

from __future__ import annotations

from dataclasses import dataclass

from sim.units.charges import Unit
from tests.agreement.play.hexes import Hex


@dataclass(eq=False, slots=True)
class Piece:
    """A unit in play: its card, and what changes.

    Attributes
    ----------
    side
        charger (the phasing side) or target.
    gone
        Why it is gone; None while it is there.
    sheltered
        Skirmishers at the bottom of another unit's hex.
    silent
        Guns caught from behind: no defensive fire.
    rout_pending
        Routed by fire, its rout move still to come.
    unmanned
        Guns that were abandoned.
    scattered
        Skirmishers among others when their side has moved, or too many.
    second
        The other hex of a unit in two, in a battle.
    fell
        Where it stood last before it was gone.
    """

    card: Unit
    side: str
    state: str
    formation: str
    increments: int
    readiness: str
    at: Hex | None = None
    facing: int = 0
    gone: str | None = None
    sheltered: bool = False
    silent: bool = False
    rout_pending: bool = False
    unmanned: bool = False
    scattered: bool = False
    second: Hex | None = None
    fell: Hex | None = None

    @property
    def fights_as(self) -> str:
        """Its state in combat (battle.md S7)."""
        return "disordered" if self.scattered and self.state == "good" else self.state

    @property
    def id(self) -> str:
        """Its name in the charge (§1.1)."""
        return self.card.id

    @property
    def hexes(self) -> tuple[Hex, ...]:
        """Where it stands: in a hex, or in two, its own first (battle.md O3)."""
        return tuple(where for where in (self.at, self.second) if where is not None)

    def deployed(self, where: Hex) -> int:
        """Its increments in a hex: of two hexes half each, an odd one in its own (battle.md O4)."""
        half = self.increments // 2
        return (
            self.increments
            if self.second is None
            else half
            if where == self.second
            else self.increments - half
        )

    @property
    def arm(self) -> str:
        """Infantry, cavalry or artillery (§1.1)."""
        return self.card.arm

    @property
    def unlimbered(self) -> bool:
        """Whether these are unlimbered guns (§1.9)."""
        return self.formation == "unlimbered"
