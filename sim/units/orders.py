"""What the players decide, as data: which unit charges what and how, and what the charged units do.

A charge file gives one side's plan and the other's response; a whole battle will give policies. The battle asks
nothing else about intentions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sim.board.hexmap import Hex
from sim.units.chargefields import PLANS
from sim.units.charges import Charge

RESPONSE_CODES = {"stand": 0, "carre@1": 1, "carre@2": 2, "carre@3": 3, "carre@4": 4, "react": 5}
SQUARE_PLANS = PLANS["square"][:-1]
"""What the charger may do against a square; `best` leaves it to the odds. Against a broken unit the first ones of these."""
PRESS, BREAK_OFF, SECOND, TURN_AWAY, RIDE_OVER = range(len(SQUARE_PLANS))
REACH, STOP, RIDE_ON = range(3)
DECLINE = 1
TRAMPLE, FOLLOW = range(2)


@dataclass(frozen=True)
class Variant:
    """One way of playing a charge: the target's response and the charger's plan."""

    response: str
    square: str = "press"
    disordered: str = "press"
    no_target: str = "reach"
    after_halt: str = "melee"
    recalled: str = "trample"
    preserve: bool = False

    @staticmethod
    def of(charge: Charge, response: str, **plan: Any) -> Variant:
        """The charge's own plan, with changes, against a response."""
        return Variant(response, **({name: charge.plan[name] for name in PLANS} | plan))

    def plan(self) -> dict[str, Any]:
        """The charger's choices, by name."""
        return {name: getattr(self, name) for name in PLANS}


def square_plans(charge: Charge) -> tuple[str, ...]:
    """The charger's answers to a square that are possible: another unit must be named, another way given."""
    missing = {"second"} if charge.second is None else set()
    missing |= set() if charge.away else {"turn away"}
    return tuple(choice for choice in SQUARE_PLANS if choice not in missing)


@dataclass(frozen=True)
class ChargeOrder:
    """A declared charge.

    Attributes
    ----------
    stack
        Units that charge together, top first.
    goal
        The unit they mean to charge.
    hex_units
        The units of its hex when the charge is declared, top first.
    path
        Planned turns, hexsides before each step (+ clockwise).
    change_to
        Formation number taken in the second hex, or None.
    at
        The hex that is charged.
    second
        The unit they may charge instead, or None.
    second_path, second_at
        The turns toward it, from where they turn to it (none: they seek it), and the hex it stands on.
    away
        The way they may go instead: turns, hexsides before each step.
    """

    stack: tuple[int, ...]
    goal: int
    hex_units: tuple[int, ...]
    path: tuple[int, ...]
    change_to: int | None = None
    at: Hex = (0, 0)
    second: int | None = None
    second_path: tuple[int, ...] = ()
    second_at: Hex = (0, 0)
    away: tuple[int, ...] = ()


@dataclass(frozen=True)
class Orders:
    """The phasing side's charges, in order, and the reactors of the other side, in unit order."""

    charges: tuple[ChargeOrder, ...]
    reactors: tuple[int, ...] = ()
    night: bool = False
