"""What the players decide, as data: which unit charges what and how, and what the charged units do.

A charge file gives one side's plan and the other's response; a whole battle will give policies. The battle asks
nothing else about intentions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sim.chargefields import PLANS
from sim.hexmap import Hex
from sim.scenarios import Charge

RESPONSE_CODES = {"stand": 0, "carre@1": 1, "carre@2": 2, "carre@3": 3, "carre@4": 4, "react": 5}
PRESS, BREAK_OFF, RIDE_OVER = range(3)
DECLINE = 1
TRAMPLE, FOLLOW = range(2)
SQUARE_PLANS = PLANS["square"][:3]


@dataclass(frozen=True)
class Variant:
    """One way of playing a charge: the target's response and the charger's plan."""

    response: str
    square: str = "press"
    after_halt: str = "melee"
    recalled: str = "trample"
    preserve: bool = False

    @staticmethod
    def of(charge: Charge, response: str, **plan: Any) -> Variant:
        """The charge's own plan, with changes, against a response."""
        return Variant(response, **(charge.plan | plan))


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
    """

    stack: tuple[int, ...]
    goal: int
    hex_units: tuple[int, ...]
    path: tuple[int, ...]
    change_to: int | None = None
    at: Hex = (0, 0)


@dataclass(frozen=True)
class Orders:
    """The phasing side's charges, in order, and the reactors of the other side, in unit order."""

    charges: tuple[ChargeOrder, ...]
    reactors: tuple[int, ...] = ()
    night: bool = False
