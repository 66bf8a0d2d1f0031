"""A player whose decisions are written in a charge file (docs/charge-files.md).

Arrays have shape (k,), one element a case or pair, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.battle.players import KEEP, Intent, Mask, Numbers
from sim.board.tables import Ints
from sim.charge.charge import Charge
from sim.charge.declaration import ordered
from sim.combat.play import Play
from sim.ensemble.cases import Cases, Pairs
from sim.ensemble.lanes import Ids
from sim.units.orders import Orders


class FromFile:
    """Who does what a charge file says, and nothing else.

    Parameters
    ----------
    play, side
        The battle, and his side.
    orders
        All orders of the half.
    """

    def __init__(self, play: Play, side: int, orders: Orders) -> None:
        self.play, self.side, self.orders = play, side, orders

    takes_aim = False

    @property
    def ways(self) -> Ints:
        """He marches nowhere."""
        return np.zeros((0, self.play.forces.map.off + 1), np.int16)

    def begin_turn(self, turn: int) -> None:
        """There is but one."""

    def begin_half(self, phasing: int) -> None:
        """There is but one."""

    def charges(self) -> Sequence[Charge]:
        """The charges of the file that are his."""
        mine = [order for order in self.orders.charges if order.side == self.side]
        return [Charge(self.play, ordered(self.play, order, self.orders.night)) for order in mine]

    def responses(self, units: Ids, lanes: Ids) -> Numbers:
        """As each charge's order says; they stand otherwise."""
        return np.zeros((len(units), len(lanes)), np.int64)

    def march(self, cases: Cases) -> Intent:
        """Nobody moves."""
        return Intent.stay(len(cases))

    def halts(self, cases: Cases) -> tuple[Numbers, Numbers]:
        """Nobody moves."""
        return np.full(len(cases), KEEP), np.full(len(cases), KEEP)

    def leads(self, leader: int, lanes: Ids) -> Numbers:
        """He stays with his stack, shape (k,)."""
        return np.full(len(lanes), KEEP)

    def opportunity(self, pairs: Pairs) -> Mask:
        """Nobody moves."""
        return np.zeros(len(pairs), bool)

    def opportunity_charges(self, pairs: Pairs) -> Mask:
        """Nobody moves."""
        return np.zeros(len(pairs), bool)

    def aims(self, pairs: Pairs, defensive: bool) -> Mask:
        """All that can shoot."""
        return np.ones(len(pairs), bool)

    def storms(self, pairs: Pairs) -> Mask:
        """Nobody assaults: charges melee."""
        return np.zeros(len(pairs), bool)

    def evades(self, cases: Cases) -> Mask:
        """Nobody retreats of his own will."""
        return np.zeros(len(cases), bool)

    def occupies(self, cases: Cases) -> Mask:
        """Nobody assaults."""
        return np.zeros(len(cases), bool)
