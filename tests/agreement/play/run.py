"""What is known of a run while it is played: units, dice, the charges, who is where (§1, §3, §13)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sim.ensemble import ladder
from sim.ensemble.dice import Decision
from sim.units.charges import Charge, Leader
from tests.agreement.play.attack import Attack
from tests.agreement.play.charts import charts
from tests.agreement.play.hexes import Hex
from tests.agreement.play.pieces import Piece

T = TypeVar("T", bound=Hashable)

SEGMENTS = ("charge", "movement", "defensive-fire", "offensive-fire", "melee", "recovery")
OTHER = {"charger": "target", "target": "charger"}
FIRE_DIE = (1, 2, 3, 4, 6)

Roll = Callable[[Decision, Sequence[Hashable]], int]


@dataclass(eq=False, slots=True)
class Command:
    """A place for a leader: the stack he came with, himself, and whether he is out (§1.2)."""

    leader: Leader | None
    stack: list[Piece]
    out: bool = False


def shown(face: int, faces: int) -> int:
    """A roll as a player reads it: 11..66, a die, or a die that cannot be a 5 (§13.4)."""
    return ladder.face_of(face) if faces == ladder.STEPS else face + 1 if faces == 6 else FIRE_DIE[face]


class Run:
    """One run of a half: its state and the dice. The chapters beside this module change it."""

    def __init__(self, charge: Charge, responses: Sequence[str], roll: Roll, log: bool) -> None:
        self.charge, self.rules, self.switches = charge, charge.ruleset, charge.switches
        self.data = charge.ruleset.merged
        self.charts = charts(charge.ruleset)
        self.roll, self.logging = roll, log
        self.log: list[str] = []
        self.segment = SEGMENTS[0]
        self.decisions: list[Decision] = []
        self.times: dict[tuple[str, int, int], int] = {}

        self.pieces = [
            Piece(
                unit,
                "charger" if unit.side == "charger" else "target",
                unit.state,
                unit.formation,
                unit.increments,
                unit.readiness,
            )
            for unit in charge.units
        ]
        self.acting = self.pieces[0]
        self.by_id = {piece.id: piece for piece in self.pieces}
        self.rank = {piece.id: i for i, piece in enumerate(self.pieces)}
        self.attacks = [
            Attack(told, self.by_id, response)
            for told, response in zip(charge.attacks, responses, strict=True)
        ]
        self.current: Attack | None = None
        self.commands = [
            Command(leader, [self.pieces[unit] for unit in stack]) for leader, stack in charge.leaders
        ]

        # the map (§2)
        self.ground: dict[Hex, str] = {}
        self.hexsides: dict[frozenset[Hex], str] = {}
        self.came_from: dict[str, Hex] = {}
        self.in_battle = False
        # fire (§9) and what is recorded (§12)
        self.under_fire: dict[str, Hex] = {}
        self.fired: set[str] = set()
        self.ever_routed: set[str] = set()

    @property
    def attack(self) -> Attack:
        """The charge that is being resolved, or melees (§14.1, §14.8)."""
        assert self.current is not None
        return self.current

    def take_up(self, attack: Attack | None) -> None:
        """Turn to a charge, its first regiment acting, or to what is no charge's own (§13.2, §14.1)."""
        self.current = attack
        if attack is not None:
            self.acting = attack.riders[0]

    def note(self, text: str, *values: Any) -> None:
        """A short remark, kept where remarks are wanted (§13)."""
        if self.logging:
            self.log.append(text.format(*values))

    def ask(self, kind: str, about: Piece | Leader, meanings: Sequence[T], repeatable: bool = False) -> T:
        """The roll of a decision that the acting unit takes: what the face that came up leads to (§13.1)."""
        number = self.leader_number(about) if isinstance(about, Leader) else self.rank[about.id]
        key = (f"1.1.{self.segment}/{kind}", self.rank[self.acting.id], number)
        decision = Decision(*key, self.times.get(key, 0))
        self.times[key] = decision.nth + 1
        if decision.nth and not repeatable:
            raise AssertionError(f"{decision} is asked a second time")
        self.decisions.append(decision)
        face = self.roll(decision, meanings)
        self.note("{}: {}", self.told(decision, about), shown(face, len(meanings)))
        return meanings[face]

    def leader_number(self, leader: Leader) -> int:
        """Leaders of charging stacks, in the order of the charges, before those of target hexes (§13.1)."""
        return [command.leader for command in self.commands].index(leader)

    def told(self, decision: Decision, about: Piece | Leader) -> str:
        """`1.1.charge/stand/charger>target`; one id where both are the same, `#2` the second time (§13.1)."""
        pair = about.id if about is self.acting else f"{self.acting.id}>{about.id}"
        return f"{decision.name}/{pair}" + (f"#{decision.nth + 1}" if decision.nth else "")

    def alive(self, side: str) -> list[Piece]:
        """The units of a side that are not gone, in unit order (§1.3)."""
        return [piece for piece in self.pieces if piece.side == side and not piece.gone]

    def stack(self, where: Hex | None, side: str) -> list[Piece]:
        """Units of a side in a hex, top first, sheltered skirmishers last; unmanned guns do not count.

        §1.4, §1.7.
        """
        units = [
            piece
            for piece in self.pieces
            if where in piece.hexes and piece.side == side and not piece.gone and not piece.unmanned
        ]
        return sorted(units, key=lambda piece: piece.sheltered)

    def is_safe(self, piece: Piece) -> bool:
        """Whether a routed unit is so far from all enemies that it runs no more (battle.md R3)."""
        return False

    def take_refuge(self, piece: Piece) -> None:
        """It goes to shelter (battle.md R3)."""

    def off_map(self, where: Hex) -> bool:
        """Whether a hex lies off the map; that of a charge has no edge (§2.1)."""
        return False

    def in_unit_order(self, pieces: Iterable[Piece]) -> list[Piece]:
        """The order of the table of units (§1.4)."""
        return sorted(pieces, key=lambda piece: self.rank[piece.id])

    def allowance(self, piece: Piece) -> int:
        """Movement points of a unit in a charge (§3.1)."""
        return piece.card.movement + self.data["charge"]["bonus_movement"]

    def leader_with(self, piece: Piece) -> Leader | None:
        """The first leader, not out, in the unit's hex; each stays with the top unit of his stack.

        §1.2, §14.9.
        """
        for command in self.commands:
            top = next((one for one in command.stack if not one.gone), None)
            if command.leader is None or command.out or top is None:
                continue
            if top.side == piece.side and top.at == piece.at:
                return command.leader
        return None

    def leader_out(self, leader: Leader) -> None:
        """He gives nothing from now on (§1.2)."""
        for command in self.commands:
            command.out |= command.leader is leader

    def response_to(self, attack: Attack, piece: Piece) -> str:
        """What a unit's hex does against a charge (§14.6)."""
        first = next((one for one in self.attacks if piece in one.named_units), None)
        if piece in attack.named_units:
            return attack.response
        return (
            piece.card.response if piece.card in self.charge.neighbours or first is None else first.response
        )

    def mark_broken(self, piece: Piece) -> None:
        """It broke: by the charge that is being played, or, where none is, by any (§12.2, §14.10)."""
        for attack in self.attacks if self.current is None else [self.current]:
            attack.broken.add(piece.id)

    def infantry_with(self, piece: Piece) -> list[Piece]:
        """The infantry of a unit's hex (§1.4)."""
        return [one for one in self.stack(piece.at, piece.side) if one.arm == "infantry"]

    def guns_with(self, piece: Piece, formation: str) -> list[Piece]:
        """The guns of a unit's hex that are limbered, or unlimbered (§1.4)."""
        return [one for one in self.stack(piece.at, piece.side) if one.formation == formation]

    @property
    def points_left(self) -> int:
        """Points that the top charger has left (§3.1)."""
        lead = self.attack.lead
        return 0 if lead is None else self.allowance(lead) - self.attack.spent
