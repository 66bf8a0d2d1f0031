"""What is known of a run while it is played: units, dice, the charge, who is where (§1, §3, §13)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from sim.ensemble import ladder
from sim.units.charges import Charge, Leader
from tests.agreement.play.charts import charts
from tests.agreement.play.hexes import TARGET_HEX, Hex
from tests.agreement.play.pieces import Piece

T = TypeVar("T", bound=Hashable)

SEGMENTS = ("charge", "movement", "defensive-fire", "offensive-fire", "melee", "recovery")
OTHER = {"charger": "target", "target": "charger"}
FIRE_DIE = (1, 2, 3, 4, 6)


class Decision(NamedTuple):
    """What a roll decides (§13.1).

    Attributes
    ----------
    name
        Turn, half, segment and kind: `1.1.charge/stand`.
    by, about
        Numbers, in unit order, of the unit that acts and of the one concerned (of a leader where the kind is `leader`).
    nth
        How often this run took the same before.
    """

    name: str
    by: int
    about: int
    nth: int


Roll = Callable[[Decision, Sequence[Hashable]], int]


def shown(face: int, faces: int) -> int:
    """A roll as a player reads it: 11..66, a die, or a die that cannot be a 5 (§13.4)."""
    return ladder.face_of(face) if faces == ladder.STEPS else face + 1 if faces == 6 else FIRE_DIE[face]


class Run:
    """One run of one charge: its state and the dice. The chapters beside this module change it."""

    def __init__(self, charge: Charge, response: str, roll: Roll, log: bool) -> None:
        self.charge, self.rules, self.switches, self.plan = (
            charge,
            charge.ruleset,
            charge.switches,
            charge.plan,
        )
        self.data = charge.ruleset.data
        self.charts = charts(charge.ruleset)
        self.roll, self.logging = roll, log
        self.log: list[str] = []
        self.segment = SEGMENTS[0]
        self.decisions: list[Decision] = []
        self.times: dict[tuple[str, int, int], int] = {}
        self.response = response

        self.pieces = [
            Piece(
                unit,
                "charger" if unit.side == "charger" else "target",
                unit.state,
                unit.formation,
                unit.increments,
                unit.readiness,
                unit.response,
            )
            for unit in charge.units
        ]
        self.acting = self.pieces[0]
        self.by_id = {piece.id: piece for piece in self.pieces}
        self.rank = {piece.id: i for i, piece in enumerate(self.pieces)}
        self.riders = [self.by_id[unit.id] for unit in charge.charger]
        self.target = [self.by_id[unit.id] for unit in charge.target]
        for piece in self.target:
            piece.response = response
        self.leaders: dict[str, Leader | None] = {
            "charger": charge.charger_leader,
            "target": charge.target_leader,
        }
        self.leader_stack = {"charger": self.riders, "target": self.target}

        # the map (§2)
        self.route: list[Hex] = []
        self.ground: dict[Hex, str] = {}
        self.hexsides: dict[frozenset[Hex], str] = {}
        self.places: dict[str, Hex] = {}
        # the march (§3, §4)
        self.direction = 0
        self.steps = self.planned = self.spent = self.straight_run = 0
        self.riding = list(self.riders)
        self.left_behind: dict[str, int] = {}
        self.over = self.charged = False
        self.touched: set[str] = set()
        self.came_from: dict[str, Hex] = {}
        self.declared: set[str] = set()
        self.passed: set[str] = set()
        # the charger's choices (§5)
        self.riding_over = self.pressing = self.away = False
        self.planned_turns: tuple[int, ...] = charge.path
        self.choice: str | None = None
        self.second: Piece | None = None
        self.ridden_over: set[Hex] = set()
        self.abandoned_hex: Hex | None = None
        # reaction (§4) and carré (§5)
        self.asked_to_react: set[str] = set()
        self.reacting: dict[str, int] = {}
        self.met: Piece | None = None
        self.counter_chargers: set[str] = set()
        self.tried: set[str] = set()
        self.formed: set[str] = set()
        self.carre: dict[str, tuple[str, bool]] = {}
        self.attempt: str | None = None
        self.refused: str | None = None
        self.routed_by_attempt: list[Piece] = []
        # the melee to come (§6, §10)
        self.opponent: Piece | None = None
        self.opponent_hex: Hex | None = None
        self.compulsory = self.charge_bonus = self.chasing = self.unchecked = False
        self.fought: list[Piece] = []
        # fire (§9) and what is recorded (§12)
        self.under_fire: dict[str, Hex] = {}
        self.fired: set[str] = set()
        self.ever_routed: set[str] = set()
        self.broken: set[str] = set()
        self.bounced = False

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
        """0 the charger's leader, 1 the target's (§13.1)."""
        return [self.charge.charger_leader, self.charge.target_leader].index(leader)

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
            if piece.at == where and piece.side == side and not piece.gone and not piece.unmanned
        ]
        return sorted(units, key=lambda piece: piece.sheltered)

    def in_unit_order(self, pieces: Iterable[Piece]) -> list[Piece]:
        """The order of the table of units (§1.4)."""
        return sorted(pieces, key=lambda piece: self.rank[piece.id])

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
    def mounted(self) -> list[Piece]:
        """The regiments that ride on: in good order and not left behind (§1.5)."""
        return [piece for piece in self.riding if not piece.gone and piece.state == "good"]

    @property
    def anyone_rides(self) -> bool:
        """Whether the charge has anybody left who rides (§1.6)."""
        return bool(self.mounted)

    def allowance(self, piece: Piece) -> int:
        """Movement points of a unit in a charge (§3.1)."""
        return piece.card.movement + self.data["charge"]["bonus_movement"]

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

    def leader_with(self, piece: Piece) -> Leader | None:
        """The leader, not out, in the unit's hex: he stays with the top unit of the stack he came with.

        §1.2.
        """
        leader = self.leaders[piece.side]
        if leader is None:
            return None
        top = next((one for one in self.leader_stack[piece.side] if not one.gone), None)
        return leader if top is not None and top.at == piece.at else None

    @property
    def first_hex(self) -> Hex:
        """Where the goal stood at first: planned turns lead there (§3.10, §5.10)."""
        return TARGET_HEX if self.second is None else self.places[self.second.id]

    def remember_contact(self) -> None:
        """Contact once made counts for those who ride then (§4.13)."""
        self.touched |= {piece.id for piece in self.mounted}

    def infantry_with(self, piece: Piece) -> list[Piece]:
        """The infantry of a unit's hex, sheltered skirmishers left out (§1.4)."""
        return [
            one for one in self.stack(piece.at, piece.side) if one.arm == "infantry" and not one.sheltered
        ]

    def guns_with(self, piece: Piece, formation: str) -> list[Piece]:
        """The guns of a unit's hex that are limbered, or unlimbered (§1.4)."""
        return [one for one in self.stack(piece.at, piece.side) if one.formation == formation]

    @property
    def points_left(self) -> int:
        """Points that the top charger has left (§3.1)."""
        lead = self.lead
        return 0 if lead is None else self.allowance(lead) - self.spent

    def engage(self, quarry: Piece, compulsory: bool = False) -> None:
        """There will be a melee with this unit's hex; compulsory, or as the plan says (§6, §10.1)."""
        self.opponent, self.compulsory = quarry, compulsory
        self.opponent_hex = quarry.at
