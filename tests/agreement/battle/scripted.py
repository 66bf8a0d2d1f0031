"""The engine's player of told choices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim.battle.players import KEEP, TWO, Intent, Mask, Numbers
from sim.board.fields import FAR
from sim.board.tables import Ints
from sim.charge.charge import Charge
from sim.combat.play import Play
from sim.ensemble.cases import Cases, Pairs
from sim.ensemble.lanes import Ids
from sim.vocabulary import FORMATIONS
from tests.agreement.battle.plans import Choices, Plan


def code(told: str | None) -> int:
    """A formation as players say it."""
    if told is None:
        return KEEP
    return FORMATIONS.index(told.removesuffix(" 2")) + (TWO if told.endswith(" 2") else 0)


class Scripted:
    """Does in every lane what the choices say.

    Parameters
    ----------
    play, side
        The battle, and his side.
    choices
        Of both sides.
    """

    takes_aim = True

    def __init__(self, play: Play, side: int, choices: Choices) -> None:
        self.play, self.side, self.choices = play, side, choices
        self.numbers = [unit for unit, plan in choices.plans.items() if len(plan.path) > 1]
        map_ = play.forces.map
        self._ways = np.full((len(self.numbers), map_.off + 1), FAR, np.int16)
        for row, unit in enumerate(self.numbers):
            path = choices.plans[unit].path
            for left, at in enumerate(reversed(path)):
                self._ways[row, map_.number(at)] = 2 * left

    @property
    def ways(self) -> Ints:
        return self._ways

    def begin_turn(self, turn: int) -> None:
        """Nothing to remember."""

    def begin_half(self, phasing: int) -> None:
        """Nothing to remember."""

    def charges(self) -> Sequence[Charge]:
        return ()

    def responses(self, units: Ids, lanes: Ids) -> Numbers:
        return np.zeros((len(units), len(lanes)), np.int64)

    def reacts(self, pairs: Pairs) -> Mask:
        return np.zeros(len(pairs), bool)

    def _plans(self, cases: Cases) -> list[Plan]:
        return [self.choices.plans.get(unit, Plan()) for unit in cases.unit.tolist()]

    def march(self, cases: Cases) -> Intent:
        plans, row = self._plans(cases), np.full(len(cases), KEEP)
        for number, unit in enumerate(self.numbers):
            mine = cases.unit == unit
            row[mine & (self._ways[number, self.play.forces.hex[cases.at]] < FAR)] = number
        first, most = np.array([code(one.first) for one in plans]), np.array([one.most for one in plans])
        none = np.zeros(len(cases), bool)
        return Intent(row, first, most, none, none.copy())

    def halts(self, cases: Cases) -> tuple[Numbers, Numbers]:
        plans = self._plans(cases)
        facing = [KEEP if one.facing is None else one.facing for one in plans]
        return np.array([code(one.then) for one in plans]), np.array(facing)

    def leads(self, leader: int, lanes: Ids) -> Numbers:
        return np.full(len(lanes), KEEP)

    def opportunity(self, pairs: Pairs) -> Mask:
        return np.asarray(self._likes(pairs) > 0)

    def opportunity_charges(self, pairs: Pairs) -> Mask:
        return np.zeros(len(pairs), bool)

    def aims(self, pairs: Pairs, defensive: bool) -> Mask:
        return self._favourites(pairs)

    def storms(self, pairs: Pairs) -> Mask:
        return self._favourites(pairs)

    def _likes(self, pairs: Pairs) -> NDArray[np.int64]:
        return np.asarray(self.choices.likes[pairs.unit, pairs.target], np.int64)

    def _favourites(self, pairs: Pairs) -> Mask:
        """Each unit in each lane at whom it likes most."""
        likes, chosen = self._likes(pairs), np.zeros(len(pairs), bool)
        place = getattr(pairs, "place", np.zeros(len(pairs), np.int64))  # each hex of a unit fires for itself
        order = np.lexsort((-likes, place, pairs.unit, pairs.lane))
        rows = np.stack([pairs.lane, pairs.unit, place])[:, order]
        first = np.ones(len(order), bool)
        first[1:] = (rows[:, 1:] != rows[:, :-1]).any(axis=0)
        chosen[order[first]] = True
        return chosen & (likes > 0)

    def evades(self, cases: Cases) -> Mask:
        return np.array(self.choices.evades, bool)[cases.unit]

    def occupies(self, cases: Cases) -> Mask:
        return np.array(self.choices.occupies, bool)[cases.unit]
