"""What the players decide, as data: which unit charges what and how, and what the charged units do.

A charge file gives one side's plan and the other's response; a whole battle will give policies. The battle
asks nothing else about intentions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sim.board.hexmap import Hex
from sim.rulesets.rulebook import Rulebook
from sim.units.chargefields import PLANS, RESPONSES_OF
from sim.units.charges import Attack, Charge
from sim.units.placing import hexside_of
from sim.vocabulary import FORMATIONS

RESPONSE_CODES = {"stand": 0, "carre@1": 1, "carre@2": 2, "carre@3": 3, "carre@4": 4, "react": 5}
SQUARE_PLANS = PLANS["square"][:-1]
"""What the charger may do against a square; `best` leaves it to the odds. Against a broken unit the first
ones of these."""
PRESS, BREAK_OFF, SECOND, TURN_AWAY, RIDE_OVER = range(len(SQUARE_PLANS))
REACH, STOP, RIDE_ON = range(3)
DECLINE = 1
RECALLED_PLANS = PLANS["recalled"]
TRAMPLE, FOLLOW = range(len(RECALLED_PLANS))


@dataclass(frozen=True)
class Variant:
    """One way of playing one charge: the target's response and the charger's plan.

    Where it is `open` nothing of it is settled before: both sides choose as the charge goes on, which asks
    for the dice of a game.
    """

    response: str
    square: str = "press"
    disordered: str = "press"
    no_target: str = "reach"
    after_halt: str = "melee"
    recalled: str = "trample"
    preserve: bool = False
    open: bool = False

    @staticmethod
    def of(attack: Attack, response: str, **plan: Any) -> Variant:
        """The charge's own plan, with changes, against a response."""
        return Variant(response, **({name: attack.plan[name] for name in PLANS} | plan))

    def plan(self) -> dict[str, Any]:
        """The charger's choices, by name."""
        return {name: getattr(self, name) for name in PLANS}


def variations(charge: Charge, variants: Sequence[Variant], number: int = 0) -> list[tuple[Variant, ...]]:
    """Ways of playing a half: one of its charges in each of some ways, the others as the file says."""
    others = [usual(attack) for attack in charge.attacks]
    return [(*others[:number], variant, *others[number + 1 :]) for variant in variants]


def usual(attack: Attack) -> Variant:
    """How a charge is played while another one is asked about: what its file leaves open is `stand`, and
    `press` against a square."""
    response = "stand" if attack.response in ("all", "best") else attack.response
    square = "press" if attack.plan["square"] == "best" else attack.plan["square"]
    return Variant.of(attack, response, square=square)


def square_plans(attack: Attack) -> tuple[str, ...]:
    """The charger's answers to a square that are possible: another unit must be named, another way given."""
    missing = {"second"} if attack.second is None else set()
    missing |= set() if attack.away else {"turn away"}
    return tuple(choice for choice in SQUARE_PLANS if choice not in missing)


@dataclass(frozen=True)
class ChargeOrder:
    """A declared charge. Units are numbers in unit order.

    Attributes
    ----------
    side
        The side that charges.
    stack
        Units that charge together, top first.
    goal
        The unit they mean to charge.
    hex_units
        The units of its hex when the charge is declared, top first.
    at, start
        The hex that is charged, and the one they start from.
    heading
        Their direction there, before the first turn.
    through
        The hexside of the target that they come through, as it faces then.
    path
        Planned turns, hexsides before each step (+ clockwise).
    change_to
        Formation number taken in the second hex, or None.
    second
        The unit they may charge instead, or None.
    second_path, second_at
        The turns toward it, from where they turn to it (none: they seek it), and the hex it stands on.
    away
        The way they may go instead: turns, hexsides before each step.
    plans
        The charger's choices, by variant.
    responses
        What units do when this charge comes at them or by, as `RESPONSE_CODES` by variant; others stand.
    reactors
        Cavalry that may react to it, in unit order.
    open
        Whether both sides choose as it goes on.
    """

    side: int
    stack: tuple[int, ...]
    goal: int
    hex_units: tuple[int, ...]
    at: Hex
    start: Hex
    heading: int
    through: str
    path: tuple[int, ...]
    change_to: int | None
    second: int | None
    second_path: tuple[int, ...]
    second_at: Hex | None
    away: tuple[int, ...]
    plans: tuple[Variant, ...]
    responses: dict[int, tuple[int, ...]]
    reactors: tuple[int, ...]
    open: bool = False


@dataclass(frozen=True)
class Orders:
    """The phasing side's charges, in the order in which they are resolved."""

    charges: tuple[ChargeOrder, ...]
    night: bool = False


def orders(charge: Charge, variants: Sequence[tuple[Variant, ...]], book: Rulebook) -> Orders:
    """The orders of a charge file.

    Parameters
    ----------
    variants
        Ways of playing it, each with one `Variant` a charge.
    """
    return Orders(
        tuple(_order(charge, number, variants, book) for number in range(len(charge.attacks))), charge.night
    )


def _order(
    charge: Charge, number: int, variants: Sequence[tuple[Variant, ...]], book: Rulebook
) -> ChargeOrder:
    attack = charge.attacks[number]
    stack, hex_units = charge.numbers(attack.charger), charge.numbers(attack.target)
    goal, (start, heading) = hex_units[0], attack.start
    second = None if attack.second is None else charge.number(attack.second)
    horse = [goal] if attack.target[0].arm == "cavalry" else []
    horse += [charge.number(charge.reactor.id)] if charge.reactor else []
    return ChargeOrder(
        side=charge.phasing,
        stack=stack,
        goal=goal,
        hex_units=hex_units,
        at=attack.at,
        start=start,
        heading=heading,
        through=hexside_of(charge, attack, book),
        path=attack.path,
        change_to=None if attack.change_to is None else FORMATIONS.index(attack.change_to),
        second=second,
        second_path=attack.second_path,
        second_at=None if second is None else charge.places[second],
        away=attack.away,
        plans=tuple(variant[number] for variant in variants),
        responses=_responses(charge, number, variants),
        reactors=tuple(sorted(horse)),
        open=any(variant[number].open for variant in variants),
    )


def _responses(
    charge: Charge, number: int, variants: Sequence[tuple[Variant, ...]]
) -> dict[int, tuple[int, ...]]:
    """What each unit does against a charge (docs/charge.md 14.6), by unit number.

    A response is that of every unit in the hex: whoever is on top when the charge comes. The charge's target
    does what it does against this one, other targets what they do against the first charge at them (they do
    not react to one that only comes by), neighbours what they say themselves; the reactor reacts.
    """
    found: dict[int, tuple[int, ...]] = {}
    for other in reversed(range(len(charge.attacks))):
        if charge.attacks[other].target[0] not in charge.neighbours:
            found |= _responses_of(charge, other, variants, reacts=False)
    for unit in charge.neighbours:
        found[charge.number(unit.id)] = (RESPONSE_CODES[unit.response],) * len(variants)
    if charge.reactor:
        found[charge.number(charge.reactor.id)] = (RESPONSE_CODES["react"],) * len(variants)
    return found | _responses_of(charge, number, variants, reacts=True)


def _responses_of(
    charge: Charge, number: int, variants: Sequence[tuple[Variant, ...]], reacts: bool
) -> dict[int, tuple[int, ...]]:
    """What the units of a target's hex do against the charge at it; those whose arm cannot do it stand."""
    found: dict[int, tuple[int, ...]] = {}
    for unit in charge.attacks[number].target:
        told = (variant[number].response for variant in variants)
        found[charge.number(unit.id)] = tuple(
            RESPONSE_CODES[one] if one in RESPONSES_OF[unit.arm] and (reacts or one != "react") else 0
            for one in told
        )
    return found
