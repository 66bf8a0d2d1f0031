"""A charge, complete: two stacks and what is around them, where they are, and what both sides mean to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sim.board.hexmap import Hex, along, neighbour
from sim.inputs.documents import Document
from sim.rulesets.catalogue import RuleSet

CONTACT_SIDE = 3
"""The side of the target's hex, (0, 0), on which the charge arrives, moving in direction 0."""
_AT = {"front": 3, "front-left": 2, "rear-left": 1, "rear": 0, "rear-right": 5, "front-right": 4}


def place(at: str, hexes: int) -> Hex:
    """The hex so many hexes from the target in a named direction."""
    return along((0, 0), _AT[at], hexes)


@dataclass(frozen=True)
class Leader:
    """A leader with the charging stack or in the target hex. Bonuses in ladder steps."""

    id: str
    name: str
    morale: int = 0
    cavalry: int = 0
    artillery: int = 0


@dataclass(frozen=True)
class Unit:
    """A unit as it stands before the charge. `losses` is (first, step) of the loss-check trigger."""

    id: str
    name: str
    side: str
    arm: str
    nation: str
    type: str | None
    formation: str
    state: str
    increments: int
    printed: int
    morale: int
    melee: Fraction
    movement: int
    fire: Fraction = Fraction(0)
    lance: Fraction = Fraction(0)
    readiness: str = "fresh"
    level: int = 0
    force_march: bool = False
    multiples: dict[str, Fraction | None] = field(default_factory=dict)
    losses: tuple[int, int] = (1, 1)
    at: str | None = None
    hexes: int = 0
    response: str = "stand"

    def light(self, light_from: int) -> bool:
        """Whether it is light cavalry (printed movement of `light_from` or more)."""
        return self.arm == "cavalry" and self.movement >= light_from


@dataclass(frozen=True, repr=False)
class Charge:
    """A charge, complete: every default filled in, names resolved, switches decided.

    `charger` and `target` are the two stacks, top first; `battery` is the last unit of `target` when there is one. `document` is the file
    that says all this.
    """

    title: str
    ruleset: RuleSet
    edition: int
    switches: dict[str, Any]
    charger: tuple[Unit, ...]
    target: tuple[Unit, ...]
    neighbours: tuple[Unit, ...]
    reactor: Unit | None
    charger_leader: Leader | None
    target_leader: Leader | None
    change_to: str | None
    path: tuple[int, ...]
    through: str
    crosses: str
    terrain: str
    ground: tuple[tuple[int, str | None, str | None], ...]
    night: bool
    response: str
    plan: dict[str, Any]
    document: Document = field(compare=False)
    second: str | None = None
    second_path: tuple[int, ...] = ()
    away: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return f"<Charge: {self.title}; {self.played_by}>"

    @property
    def played_by(self) -> str:
        """The rule set and edition it is played by, in words."""
        rules = self.ruleset
        return f"rule set {rules.name} v{rules.version} ({rules.digest}), edition {self.edition}"

    @property
    def start(self) -> tuple[Hex, int]:
        """The charger's first hex and direction: those from which its path ends next to the target, moving in direction 0."""
        return self.trail[0]

    @property
    def trail(self) -> list[tuple[Hex, int]]:
        """The hexes of the path, first to last, each with the direction of the charger there before it turns."""
        here, direction = along((0, 0), CONTACT_SIDE, 1), 0
        trail = [(here, direction)]
        for turn in reversed(self.path):
            here = neighbour(here, direction + 3)
            direction = (direction - turn) % 6
            trail.insert(0, (here, direction))
        return trail

    @property
    def ground_by_hex(self) -> dict[Hex, str]:
        """Terrain of the hexes that are not clear."""
        found = {} if self.terrain == "clear" else {(0, 0): self.terrain}
        for (here, before), turn, step in zip(
            self.trail, self.path, range(1, len(self.path) + 1), strict=False
        ):
            for at, terrain, _ in self.ground:
                if at == step and terrain is not None:
                    found[neighbour(here, before + turn)] = terrain
        return found

    @property
    def choices(self) -> dict[str, Any]:
        """The plan as it is told: the choices, and the other unit and the other way where they are given."""
        named = {unit.id: unit.name for unit in self.neighbours}
        ways = {"second_path": list(self.second_path), "away": list(self.away)}
        return (
            self.plan
            | ({"second": named[self.second]} if self.second else {})
            | {name: way for name, way in ways.items() if way}
        )

    @property
    def units(self) -> tuple[Unit, ...]:
        """All units in unit order."""
        return self.charger + self.target + self.neighbours + ((self.reactor,) if self.reactor else ())

    def identity(self) -> dict[str, Any]:
        """The rule set and edition this charge is played by."""
        return self.ruleset.identity() | {"edition": self.edition}
