"""A player whose decisions are written in a charge file (docs/charge-files.md).

Arrays have shape (k,), one element a case or pair, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.battle.players import Mask, Still
from sim.board.tables import Ints
from sim.charge.charge import Charge
from sim.charge.declaration import ordered
from sim.combat.play import Play
from sim.ensemble.cases import Pairs
from sim.units.orders import Orders


class FromFile(Still):
    """Who does what a charge file says, and nothing else: who is charged stands unless that charge's
    order says otherwise.

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

    def charges(self) -> Sequence[Charge]:
        """The charges of the file that are his."""
        mine = [order for order in self.orders.charges if order.side == self.side]
        return [Charge(self.play, ordered(self.play, order, self.orders.night)) for order in mine]

    def aims(self, pairs: Pairs, defensive: bool) -> Mask:
        """All that can shoot."""
        return np.ones(len(pairs), bool)
