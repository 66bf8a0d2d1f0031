"""A run with units anywhere on a map that has an edge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sim.rulesets.catalogue import RuleSet
from sim.units.charges import Leader, Unit
from tests.agreement.play.attack import Attack
from tests.agreement.play.charts import charts
from tests.agreement.play.hexes import Hex, distance
from tests.agreement.play.pieces import Piece
from tests.agreement.play.run import OTHER, SEGMENTS, Command, Roll, Run

EDGE = "off the map"
SIDES = ("charger", "target")
"""The side whose half it is, and the other, in the words of the charge's play."""


@dataclass(frozen=True)
class Standing:
    """A unit, its side, 0 or 1, and where it stands: a hex, a facing 0..11, and its other hex where it
    is in two."""

    unit: Unit
    side: int
    at: Hex
    facing: int
    second: Hex | None = None


@dataclass(frozen=True)
class Sketch:
    """A position, told neither to the engine nor to the scalar play.

    Attributes
    ----------
    holds
        Whether a hex is on the map.
    leaders
        Each with the numbers of the units that he is with, first to last.
    phasing
        The side whose half it is.
    regiments, horse_guns
        Infantry that is a regiment, and batteries that ride, by their numbers.
    limbers
        The die that a battery needs to limber, by its number; those that are not named need none.
    number
        The number of a hex on the map.
    """

    rules: RuleSet
    switches: Mapping[str, Any]
    units: Sequence[Standing]
    terrain: Mapping[Hex, str] = field(default_factory=dict)
    hexsides: Mapping[tuple[Hex, int], str] = field(default_factory=dict)
    leaders: Sequence[tuple[Leader | None, tuple[int, ...]]] = ()
    holds: Callable[[Hex], bool] = lambda _: True
    phasing: int = 0
    regiments: frozenset[int] = frozenset()
    horse_guns: frozenset[int] = frozenset()
    limbers: Mapping[int, int] = field(default_factory=dict)
    number: Callable[[Hex], int] = lambda _: 0


class Ground(dict[Hex, str]):
    """Terrain by hex; off the map nobody may go."""

    def __init__(self, terrain: Mapping[Hex, str], holds: Callable[[Hex], bool]) -> None:
        super().__init__(terrain)
        self.holds = holds

    def get(self, where: Hex, default: Any = None) -> Any:
        return super().get(where, default) if self.holds(where) else EDGE


class Field(Run):
    """A run of part of a battle: its state and its dice.

    Attributes
    ----------
    lost_by_fire
        Increments that a unit has lost by fire in this half (A12).
    meleed
        Who has fought in a melee in this half.
    moved
        How far a unit has moved: 0 not, 1 at most half its allowance, 2 more.
    likes
        How much a unit likes to shoot at another, or to assault it.
    shot_at
        The hex that a top unit's hex has fired at in offensive fire.
    sizes, horse_guns, limber_needs
        What rosters say beside the card: sizes that are not usual, batteries that ride, the die to limber.
    """

    def __init__(self, sketch: Sketch, roll: Roll, log: bool = False) -> None:
        self.rules, self.switches = sketch.rules, dict(sketch.switches)
        nowhere = {"infantry": None, "cavalry": None, "artillery": None, "blocks": False, "charge": False}
        merged = sketch.rules.merged
        self.data = {**merged, "terrain": {**merged["terrain"], EDGE: nowhere}}
        self.charts = charts(sketch.rules)
        self.roll, self.logging = roll, log
        self.log: list[str] = []
        self.segment = SEGMENTS[0]
        self.decisions = []
        self.times = {}
        self.pieces = [
            Piece(
                one.unit,
                SIDES[one.side != sketch.phasing],
                one.unit.state,
                one.unit.formation,
                one.unit.increments,
                one.unit.readiness,
                one.at,
                one.facing,
            )
            for one in sketch.units
        ]
        for piece, one in zip(self.pieces, sketch.units, strict=True):
            piece.second = one.second
        self.acting = self.pieces[0]
        self.by_id = {piece.id: piece for piece in self.pieces}
        self.rank = {piece.id: number for number, piece in enumerate(self.pieces)}
        self.attacks: list[Attack] = []
        self.current: Attack | None = None
        self.commands = [
            Command(leader, [self.pieces[unit] for unit in stack]) for leader, stack in sketch.leaders
        ]
        self.ground: dict[Hex, str] = Ground(sketch.terrain, sketch.holds)
        self.hexsides = {
            frozenset((at, _beside(at, side))): name for (at, side), name in sketch.hexsides.items()
        }
        self.came_from = {}
        self.in_battle, self.sketch = True, sketch
        self.companions = [command.stack[0] for command in self.commands]
        self.under_fire: dict[str, Hex] = {}
        self.fired: set[str] = set()
        self.ever_routed: set[str] = set()
        self.lost_by_fire: dict[str, int] = {}
        self.meleed: set[str] = set()
        self.moved: dict[str, int] = {}
        self.likes: Callable[[Piece, Piece], int] = lambda one, other: 1
        self.shot_at: dict[str, Hex] = {}
        names = [piece.id for piece in self.pieces]
        self.sizes = {names[unit]: "regiment" for unit in sketch.regiments}
        self.horse_guns = {names[unit] for unit in sketch.horse_guns}
        self.limber_needs = {names[unit]: needs for unit, needs in sketch.limbers.items()}

    def leader_hex(self, number: int) -> Hex | None:
        """Where a leader is: in the hex of the unit that he is with (battle.md L1)."""
        return None if self.commands[number].out else self.companions[number].at

    def leader_with(self, piece: Piece) -> Leader | None:
        """The first leader of its side in a unit's hex, or in either of its two (L1, L3)."""
        for number, command in enumerate(self.commands):
            mine = self.companions[number].side == piece.side
            if command.leader is not None and mine and self.leader_hex(number) in piece.hexes:
                return command.leader
        return None

    def settle(self) -> None:
        """Leaders whose unit is gone join the nearest that no enemy is next to, or are captured (L7, L8)."""
        for number, command in enumerate(self.commands):
            lost = self.companions[number]
            if command.leader is None or command.out or not lost.gone or lost.fell is None:
                continue
            fell, foes = lost.fell, [one.at for one in self.alive(OTHER[lost.side]) if one.at is not None]
            found = [
                (distance(one.at, fell), self.rank[one.id])
                for one in self.alive(lost.side)
                if one.at is not None
                and distance(one.at, fell) <= command.leader.movement
                and (one.at == fell or all(distance(one.at, foe) > 1 for foe in foes))
            ]
            if lost.gone == "surrendered" or not found:
                command.out = True
            else:
                self.companions[number] = self.pieces[min(found)[1]]

    def off_map(self, where: Hex) -> bool:
        return not self.sketch.holds(where)

    def is_safe(self, piece: Piece) -> bool:
        """Whether every enemy is 15 hexes off, or more (R3)."""
        assert piece.at is not None
        return self.far_from_all(piece, piece.at)

    def far_from_all(self, piece: Piece, where: Hex) -> bool:
        """Whether every enemy is that far from a hex."""
        safe = self.data["retreat"]["safe"]
        return all(distance(one.at, where) >= safe for one in self.alive(OTHER[piece.side]) if one.at)

    def take_refuge(self, piece: Piece) -> None:
        """To the nearest hex of ground for general order that is as far and holds nobody, in reach (R3)."""
        assert piece.at is not None
        points = piece.card.movement if piece.arm == "cavalry" else self.data["retreat"]["rout"]
        defence, found = self.data["fire"]["defence"], []
        for where, name in self.sketch.terrain.items():
            loose = name in defence and "column" not in defence[name]
            taken = any(one.at == where for one in self.pieces if one is not piece)
            hexes = distance(piece.at, where)
            if loose and not taken and hexes <= points and self.far_from_all(piece, where):
                found.append((hexes, self.sketch.number(where), where))
        if found:
            piece.at = min(found)[-1]


def _beside(at: Hex, side: int) -> Hex:
    dq, dr = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))[side]
    return at[0] + dq, at[1] + dr
