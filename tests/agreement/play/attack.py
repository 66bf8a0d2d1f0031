"""One charge of the half: who rides at whom, and all that this charge alone has tried, declared or spent.

§3 to §6, §14.4.
"""

from __future__ import annotations

from collections.abc import Mapping

from sim.units import charges
from tests.agreement.play.hexes import Hex
from tests.agreement.play.pieces import Piece


class Attack:
    """A charge in play. What one charge has done means nothing to the next (§14.4)."""

    def __init__(self, told: charges.Attack, by_id: Mapping[str, Piece], response: str) -> None:
        self.told, self.plan, self.response = told, told.plan, response
        self.riders = [by_id[unit.id] for unit in told.charger]
        self.target = [by_id[unit.id] for unit in told.target]
        self.named_units, self.named = tuple(self.target), self.target[0]
        self.other = by_id[told.second] if told.second is not None else None
        # the way (§2)
        self.target_hex: Hex = told.at
        self.heading = (told.side + 3) % 6
        self.route: list[Hex] = []
        # the march (§3, §4)
        self.direction = 0
        self.steps = self.planned = self.spent = self.straight_run = 0
        self.riding = list(self.riders)
        self.left_behind: dict[str, int] = {}
        self.unseen = self.over = self.charged = False
        self.charging: list[Piece] = []
        self.touched: set[str] = set()
        self.declared: set[str] = set()
        self.passed: set[str] = set()
        self.squares_before: set[str] = set()
        # the charger's choices (§5)
        self.riding_over = self.pressing = self.away = False
        self.planned_turns: tuple[int, ...] = told.path
        self.choice: str | None = None
        self.second: Piece | None = None
        self.second_hex: Hex | None = None
        self.ridden_over: set[Hex] = set()
        self.abandoned_hex: Hex | None = None
        # reaction (§4) and carré (§5)
        self.asked_to_react: set[str] = set()
        self.reacting: dict[str, int] = {}
        self.met: Piece | None = None
        self.counter_chargers: set[str] = set()
        self.tried: set[str] = set()
        self.carre: dict[str, tuple[str, bool]] = {}
        self.attempt: str | None = None
        self.refused: str | None = None
        self.routed_by_attempt: list[Piece] = []
        # the melee to come (§6, §10)
        self.opponent: Piece | None = None
        self.opponent_hex: Hex | None = None
        self.compulsory = self.charge_bonus = self.chasing = self.unchecked = False
        self.fought: list[Piece] = []
        # what is recorded (§12)
        self.broken: set[str] = set()
        self.bounced = False

    @property
    def mounted(self) -> list[Piece]:
        """The regiments that ride on: in good order and not left behind (§1.5)."""
        return [piece for piece in self.riding if not piece.gone and piece.state == "good"]

    @property
    def anyone_rides(self) -> bool:
        """Whether the charge has anybody left who rides (§1.6)."""
        return bool(self.mounted)

    @property
    def lead(self) -> Piece | None:
        """The top charger: the first regiment that rides on in good order (§1.5, §1.6; 0-decisions 5.33)."""
        return next(iter(self.mounted), None)

    @property
    def here(self) -> Hex:
        """Where the charge is (§1.5)."""
        lead = self.lead
        assert lead is not None
        assert lead.at is not None
        return lead.at

    @property
    def goal(self) -> Piece | None:
        """The target's top unit, or the second goal if the charge turned to it; none when it has turned away.

        §3.10, §5.10, §5.11.
        """
        if self.away:
            return None
        if self.second is not None:
            return None if self.second.gone else self.second
        return next((piece for piece in self.target if not piece.gone and not piece.unmanned), None)

    @property
    def first_hex(self) -> Hex:
        """Where the goal stood at first: planned turns lead there (§3.10, §5.10)."""
        if self.second is None:
            return self.target_hex
        assert self.second_hex is not None
        return self.second_hex

    def remember_contact(self) -> None:
        """Contact once made counts for those who ride then (§4.13)."""
        self.touched |= {piece.id for piece in self.mounted}

    def engage(self, quarry: Piece, compulsory: bool = False) -> None:
        """There will be a melee with this unit's hex; compulsory, or as the plan says (§6, §10.1)."""
        self.opponent, self.compulsory = quarry, compulsory
        self.opponent_hex = quarry.at
