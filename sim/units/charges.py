"""The charges of one player half, complete: stacks and targets, where they are, and what both sides mean to
do."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from sim.board.hexmap import Hex, along, neighbour
from sim.inputs.documents import Document, Key
from sim.rulesets.catalogue import RuleSet

ORIGIN: Hex = (0, 0)
"""The first target's hex, from which all places are told."""
CONTACT_SIDE = 3
"""The side of its target's hex by which a charge comes that says nothing else, riding in direction 0."""
DIRECTION_OF = {"front": 3, "front-left": 2, "rear-left": 1, "rear": 0, "rear-right": 5, "front-right": 4}
"""Directions as the first target sees them, facing the first charge."""
SIDES = ("charger", "target")
"""The two sides, by number."""
HOMES = (3, 0)
"""Home direction of each side."""
PHASING = 0
"""The side that charges."""


def place(at: str, hexes: int) -> Hex:
    """The hex so many hexes from the first target in a named direction."""
    return along(ORIGIN, DIRECTION_OF[at], hexes)


@dataclass(frozen=True)
class Leader:
    """A leader with the charging stack or in the target hex, or of a battle. Bonuses in ladder steps."""

    id: str
    name: str
    morale: int = 0
    cavalry: int = 0
    artillery: int = 0
    melee: int = 0
    movement: int = 12


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

    @property
    def side_number(self) -> int:
        """Its side as a place in `SIDES`."""
        return SIDES.index(self.side)

    def light(self, light_from: int) -> bool:
        """Whether it is light cavalry (printed movement of `light_from` or more)."""
        return self.arm == "cavalry" and self.movement >= light_from


@dataclass(frozen=True)
class Attack:
    """One declared charge.

    Attributes
    ----------
    charger, target
        The charging stack and the units of the hex it charges, top first; `target` holds the same units as
        another charge's, or a neighbour, where that is charged.
    path
        Hexsides turned before each step, + clockwise.
    at, side
        The hex that is charged, and the side of it by which the charge comes.
    through
        The target's zone there (`vocabulary.ZONES`); None where something else says how the target faces.
    crosses
        Hexside terrain there, or `none`.
    ground
        Step, terrain of the hex entered, hexside crossed: one of the two.
    terrain
        Terrain of the target's hex as this charge tells it.
    response, plan
        What the target and the charger do.
    change_to
        Formation taken in the second hex, or None.
    leader, target_leader
        With the stack, and in the target's hex.
    battery
        Whether the last unit of the target are guns that stand with its infantry.
    second, second_path, away
        Id of the unit that may be charged instead, the turns toward it, and the other way to go.
    key, target_key
        Where its fields and its target's units stand in the file.
    """

    charger: tuple[Unit, ...]
    target: tuple[Unit, ...]
    path: tuple[int, ...]
    response: str
    plan: dict[str, Any]
    at: Hex = ORIGIN
    side: int = CONTACT_SIDE
    through: str | None = "front"
    crosses: str = "none"
    ground: tuple[tuple[int, str | None, str | None], ...] = ()
    terrain: str = "clear"
    change_to: str | None = None
    leader: Leader | None = None
    target_leader: Leader | None = None
    battery: bool = False
    second: str | None = None
    second_path: tuple[int, ...] = ()
    away: tuple[int, ...] = ()
    key: Key = field(default=(), compare=False)
    target_key: Key = field(default=("target",), compare=False)

    @property
    def heading(self) -> int:
        """The direction of the last step."""
        return (self.side + 3) % 6

    @property
    def start(self) -> tuple[Hex, int]:
        """The charger's first hex and direction: those from which its path ends next to the target."""
        return self.trail[0]

    @cached_property
    def trail(self) -> list[tuple[Hex, int]]:
        """The hexes of the path, first to last, each with the direction of the charger there before it
        turns."""
        here, direction = along(self.at, self.side, 1), self.heading
        trail = [(here, direction)]
        for turn in reversed(self.path):
            here = neighbour(here, direction + 3)
            direction = (direction - turn) % 6
            trail.insert(0, (here, direction))
        return trail

    @property
    def places_target(self) -> bool:
        """Whether its target is told here, and is not another charge's or a neighbour."""
        return self.target_key[: len(self.key)] == self.key and self.target_key[-1] == "target"

    @property
    def told_terrain(self) -> dict[Hex, str]:
        """Terrain of the hexes on its way and of its target's, as far as this charge tells it; without clear
        ones."""
        found = {} if self.terrain == "clear" else {self.at: self.terrain}
        for (here, before), turn, step in zip(
            self.trail, self.path, range(1, len(self.path) + 1), strict=False
        ):
            for at, terrain, _ in self.ground:
                if at == step and terrain is not None:
                    found[neighbour(here, before + turn)] = terrain
        return found

    @property
    def told_hexsides(self) -> dict[tuple[Hex, int], str]:
        """Terrain on the hexsides of its way, by hex and side of it, as far as this charge tells it."""
        found = {} if self.crosses == "none" else {(self.at, self.side): self.crosses}
        for step, ((here, before), turn) in enumerate(zip(self.trail, self.path, strict=False), 1):
            for at, _, hexside in self.ground:
                if at == step and hexside is not None:
                    found[here, (before + turn) % 6] = hexside
        return found


@dataclass(frozen=True, repr=False)
class Charge:
    """All charges of one half, complete: every default filled in, names resolved, switches decided.

    They are declared together, and resolved apart in the order of `attacks`. `document` is the file that says
    all this.
    """

    title: str
    ruleset: RuleSet
    edition: int
    switches: dict[str, Any]
    attacks: tuple[Attack, ...]
    neighbours: tuple[Unit, ...]
    reactor: Unit | None
    night: bool
    document: Document = field(compare=False)
    homes: tuple[int, int] = HOMES
    phasing: int = PHASING

    def __repr__(self) -> str:
        return f"<Charge: {self.title}; {self.played_by}>"

    @property
    def played_by(self) -> str:
        """The rule set and edition it is played by, in words."""
        rules = self.ruleset
        return f"rule set {rules.name} v{rules.version} ({rules.digest}), edition {self.edition}"

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """All units in unit order: the chargers by charge, the targets by charge, each once, neighbours, the
        reactor."""
        targets = {unit.id: unit for attack in self.attacks if attack.places_target for unit in attack.target}
        chargers = tuple(unit for attack in self.attacks for unit in attack.charger)
        return (
            chargers + tuple(targets.values()) + self.neighbours + ((self.reactor,) if self.reactor else ())
        )

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {unit.id: number for number, unit in enumerate(self.units)}

    def numbers(self, units: tuple[Unit, ...]) -> tuple[int, ...]:
        """Places in unit order."""
        return tuple(self._numbers[unit.id] for unit in units)

    def number(self, unit_id: str) -> int:
        """The place of a unit in unit order."""
        return self._numbers[unit_id]

    @property
    def leaders(self) -> tuple[tuple[Leader | None, tuple[int, ...]], ...]:
        """One with each charging stack, then one with each target's hex that a charge tells (None: there is
        no leader), and the units he is with."""
        with_stacks = [(attack.leader, self.numbers(attack.charger)) for attack in self.attacks]
        return (
            *with_stacks,
            *(
                (attack.target_leader, self.numbers(attack.target))
                for attack in self.attacks
                if attack.places_target
            ),
        )

    @cached_property
    def places(self) -> tuple[Hex, ...]:
        """Everybody's hex, by unit number."""
        found: dict[str, Hex] = {}
        for attack in self.attacks:
            found |= {unit.id: attack.start[0] for unit in attack.charger}
            if attack.places_target:
                found |= {unit.id: attack.at for unit in attack.target}
        others = (*self.neighbours, *((self.reactor,) if self.reactor else ()))
        found |= {unit.id: place(str(unit.at), unit.hexes) for unit in others}
        return tuple(found[unit.id] for unit in self.units)

    @property
    def terrain_by_hex(self) -> dict[Hex, str]:
        """Terrain of the hexes that are not clear."""
        return {at: name for attack in self.attacks for at, name in attack.told_terrain.items()}

    @property
    def hexsides(self) -> dict[tuple[Hex, int], str]:
        """Hexside terrain, by hex and side of it."""
        return {at: name for attack in self.attacks for at, name in attack.told_hexsides.items()}

    def answered(self, response: str) -> Charge:
        """The same charges, every target doing one thing."""
        return replace(self, attacks=tuple(replace(attack, response=response) for attack in self.attacks))

    def label(self, number: int) -> str:
        """What reports call one of several charges, counted from 0."""
        attack = self.attacks[number]
        return f"charge {number + 1}: {attack.charger[0].name} at {attack.target[0].name}"

    def choices_of(self, attack: Attack) -> dict[str, Any]:
        """A plan as it is told: the choices, and the other unit and the other way where they are given."""
        named = {unit.id: unit.name for unit in self.neighbours}
        ways = {"second_path": list(attack.second_path), "away": list(attack.away)}
        return (
            attack.plan
            | ({"second": named[attack.second]} if attack.second else {})
            | {name: way for name, way in ways.items() if way}
        )

    def identity(self) -> dict[str, Any]:
        """The rule set and edition this charge is played by."""
        return self.ruleset.identity() | {"edition": self.edition}

    @property
    def charger(self) -> tuple[Unit, ...]:
        """The charging stack of a single charge; of several, of the first."""
        return self.attacks[0].charger

    @property
    def target(self) -> tuple[Unit, ...]:
        """The units that a single charge is made at; of several, of the first."""
        return self.attacks[0].target

    @property
    def path(self) -> tuple[int, ...]:
        """The turns of a single charge, hexsides before each step; of several, of the first."""
        return self.attacks[0].path

    @property
    def response(self) -> str:
        """What the target of a single charge does; of several, of the first."""
        return self.attacks[0].response

    @property
    def plan(self) -> dict[str, Any]:
        """The choices of a single charge; of several, of the first."""
        return self.attacks[0].plan
