"""What is declared of a charge: in each lane who charges whom, by which way, with which plan.

One declaration speaks of one charge in every lane, the k-th that its side resolves there; lanes may differ in
everything but the side. Of a charge file all lanes say the same.

Arrays have shape (lanes,), one element a lane, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sim.combat.play import Play
from sim.ensemble.frames import Flags
from sim.ensemble.lanes import Ids
from sim.units.forces import Forces
from sim.units.orders import RESPONSE_CODES, ChargeOrder, Variant
from sim.vocabulary import CAVALRY

Mask = NDArray[np.bool_]
Numbers = NDArray[np.integer]


class Defender(Protocol):
    """What the side that is charged decides."""

    def responses(self, units: Ids, lanes: Ids) -> Numbers:
        """What units do against the charge, as `units.orders.RESPONSE_CODES`, shape (units, k)."""


@dataclass(frozen=True)
class Routes:
    """Planned turns: hexsides before each step (+ clockwise), shape (routes, steps), and how many steps each
    route has, shape (routes,); a last step that none has is 0."""

    turns: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @staticmethod
    def of(paths: Sequence[Sequence[int]]) -> Routes:
        """The routes of paths."""
        turns = np.zeros((len(paths), 1 + max(map(len, paths))), np.int64)
        for route, path in enumerate(paths):
            turns[route, : len(path)] = path
        return Routes(turns, np.array([len(path) for path in paths]))


@dataclass(frozen=True)
class Declaration:
    """One charge in each lane.

    Attributes
    ----------
    side
        The side that charges.
    stack
        Who charges together, shape (units, lanes); nobody where the lane has no such charge.
    goal
        The unit that is charged, -1 where there is no charge.
    of_hex, hex
        The units of its hex that count as the target, shape (units, lanes), and that hex (any where there is
        no charge).
    routes, route
        Planned turns, and which each leg of the way follows, shape (legs, lanes): toward the goal, toward the
        second one, away.
    plans, plan
        Ways of playing, and which the charger follows.
    defender
        Who answers for the other side.
    tries, reactors
        Units that may answer by a carré, and cavalry that may react, in unit order, shape (n,).
    change_to
        Formation number taken in the second hex, -1 for none.
    second, second_hex
        The unit that may be charged instead, and its hex; -1 for none.
    night
        Whether carrés have the range of a night.
    open
        Whether both sides choose as the charge goes on, whatever plans and answers say.
    """

    side: int
    stack: Flags
    goal: Numbers
    of_hex: Flags
    hex: Numbers
    routes: Routes
    route: Numbers
    plans: Sequence[Variant]
    plan: Numbers
    defender: Defender
    tries: Ids
    reactors: Ids
    change_to: int = -1
    second: int = -1
    second_hex: int = -1
    night: bool = False
    open: bool = False


class Ordered:
    """The answers that a charge file orders, by unit and variant, shape (units, variants)."""

    def __init__(self, forces: Forces, order: ChargeOrder) -> None:
        self.forces = forces
        self.codes = np.zeros((len(forces.units), len(order.plans)), np.int64)
        for unit in order.hex_units:  # the response is the hex's: whoever is its top unit then
            self.codes[unit] = order.responses[order.goal]
        for unit, codes in order.responses.items():
            self.codes[unit] = codes

    def responses(self, units: Ids, lanes: Ids) -> Numbers:
        """As for `Defender`."""
        return self.codes[units][:, self.forces.variant[lanes]]

    def tries(self, order: ChargeOrder) -> Ids:
        """Who answers by a carré in one of the variants, or may choose to."""
        by_distance = [code for name, code in RESPONSE_CODES.items() if name.startswith("carre")]
        tries = set(np.flatnonzero(np.isin(self.codes, by_distance).any(axis=1)).tolist())
        if order.open:
            tries |= {*order.hex_units, *(() if order.second is None else (order.second,))}
        return np.array(sorted(tries), np.intp)


def ordered(play: Play, order: ChargeOrder, night: bool) -> Declaration:
    """The charge of a file: the same in all lanes but for the variant that each belongs to."""
    forces, lanes = play.forces, play.ensemble.n
    number, answers = forces.map.number, Ordered(forces, order)
    horse = {unit for unit in order.hex_units if forces.arm[unit] == CAVALRY}
    return Declaration(
        side=order.side,
        stack=_everywhere(forces, order.stack),
        goal=np.full(lanes, order.goal),
        of_hex=_everywhere(forces, order.hex_units),
        hex=np.full(lanes, number(order.at)),
        routes=Routes.of((order.path, order.second_path, order.away)),
        route=np.repeat(np.arange(3)[:, None], lanes, axis=1),
        plans=order.plans,
        plan=forces.variant,
        defender=answers,
        tries=answers.tries(order),
        reactors=np.array(sorted(horse | set(order.reactors)), np.intp),
        change_to=-1 if order.change_to is None else order.change_to,
        second=-1 if order.second is None else order.second,
        second_hex=number(order.second_at),
        night=night,
        open=order.open,
    )


def _everywhere(forces: Forces, units: Sequence[int]) -> Flags:
    """Units as flags, the same in all lanes, shape (units, lanes)."""
    found = np.zeros_like(forces.half.hit)
    found[list(units)] = True
    return found
