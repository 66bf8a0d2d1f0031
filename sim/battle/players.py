"""What one side decides in a battle, as questions that a player answers for every lane at once.

A player sees the forces and the board; he changes nothing, and breaks ties by what mirrors: unit order within
a side, directions as seen from home. Arrays have shape (k,), one element a case or pair, unless a docstring
says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sim.board.tables import Ints
from sim.charge.charge import Charge
from sim.ensemble.cases import Cases, Pairs
from sim.ensemble.lanes import Ids

Mask = NDArray[np.bool_]
Numbers = NDArray[np.integer]

KEEP = -1
"""In an intent: the way, formation or facing stays what it is."""
TWO = 16
"""Added to a formation: taken in two hexes. Skirmishers who must be in two are without being told."""


@dataclass(frozen=True)
class Intent:
    """What a unit means to do in the movement segment, in each of some cases.

    Attributes
    ----------
    way
        Row of the player's `ways` that it follows, KEEP to stay where it is.
    formation
        Formation that it takes before it goes, KEEP for its own.
    most
        Steps that it makes at most.
    force
        Whether it makes a force march.
    leaves
        Whether it leaves the map when it has come to the end of its way.
    """

    way: Numbers
    formation: Numbers
    most: Numbers
    force: Mask
    leaves: Mask

    @staticmethod
    def stay(k: int) -> Intent:
        """Nobody moves or changes anything."""
        keep, none = np.full(k, KEEP), np.zeros(k, np.bool_)
        return Intent(keep, keep.copy(), np.zeros(k, np.int64), none, none.copy())


class Player(Protocol):
    """Who decides for one side."""

    side: int

    @property
    def takes_aim(self) -> bool:
        """Whether he chooses in fire segments who shoots at whom; otherwise all that can shoots at the hexes
        that charges make for, and at those beside it (docs/charge.md 9)."""

    @property
    def ways(self) -> Ints:
        """Half points from every hex to the ends of his ways, shape (ways, hexes); `Intent.way` names a
        row."""

    def begin_turn(self, turn: int) -> None:
        """A turn begins, counted from 1; its reinforcements have come."""

    def begin_half(self, phasing: int) -> None:
        """A half begins."""

    # -- charges ----------------------------------------------------------------------------------

    def charges(self) -> Sequence[Charge]:
        """The charges of his half, in the order in which they are resolved; each may differ from lane to
        lane."""

    def responses(self, units: Ids, lanes: Ids) -> Numbers:
        """What units do when a charge comes at them or by: `units.orders.RESPONSE_CODES`, shape (units,
        k)."""

    # -- movement ---------------------------------------------------------------------------------

    def march(self, cases: Cases) -> Intent:
        """What units mean to do in the movement segment of his half: in each lane another one, perhaps."""

    def halts(self, cases: Cases) -> tuple[Numbers, Numbers]:
        """What units do with their last points where they have stopped, or stayed: the formation that one
        takes, then the facing 0..11 to which it turns as far as it can; KEEP for what they are."""

    def leads(self, leader: int, lanes: Ids) -> Numbers:
        """The unit to which one of his leaders goes at the end of the movement segment, shape (k,); KEEP for
        the one he is with."""

    def opportunity(self, pairs: Pairs) -> Mask:
        """Which units, each a shooter, fire at an enemy that gives them the opportunity."""

    def opportunity_charges(self, pairs: Pairs) -> Mask:
        """Which cavalry charges an enemy that gives it the opportunity."""

    # -- fire and assault -------------------------------------------------------------------------

    def aims(self, pairs: Pairs, defensive: bool) -> Mask:
        """Who shoots at whom, of pairs of the top unit of a firing hex and that of a hex it may shoot at; at
        most one pair a shooter and lane."""

    def storms(self, pairs: Pairs) -> Mask:
        """Who assaults whom, of pairs of a unit and the top unit of a hex that it may assault; at most one
        pair a unit and lane."""

    def evades(self, cases: Cases) -> Mask:
        """Which units, about to be assaulted, retreat before the melee."""

    def occupies(self, cases: Cases) -> Mask:
        """Which attackers enter a hex whose defenders have failed their check."""


class Still:
    """Who does nothing of his own will: what players have in common that leave most questions alone."""

    def begin_turn(self, turn: int) -> None:
        """As `Player` says, here as below; nothing is remembered."""

    def begin_half(self, phasing: int) -> None:
        """Nothing is planned."""

    def charges(self) -> Sequence[Charge]:
        """None."""
        return ()

    def responses(self, units: Ids, lanes: Ids) -> Numbers:
        """Everybody stands; shape (units, k)."""
        return np.zeros((len(units), len(lanes)), np.int64)

    def march(self, cases: Cases) -> Intent:
        """Nobody marches."""
        return Intent.stay(len(cases))

    def halts(self, cases: Cases) -> tuple[Numbers, Numbers]:
        """Everything stays as it is."""
        return np.full(len(cases), KEEP), np.full(len(cases), KEEP)

    def leads(self, leader: int, lanes: Ids) -> Numbers:
        """Leaders stay."""
        return np.full(len(lanes), KEEP)

    def opportunity(self, pairs: Pairs) -> Mask:
        """Nobody fires."""
        return np.zeros(len(pairs), np.bool_)

    def opportunity_charges(self, pairs: Pairs) -> Mask:
        """None."""
        return np.zeros(len(pairs), np.bool_)

    def storms(self, pairs: Pairs) -> Mask:
        """Nobody assaults."""
        return np.zeros(len(pairs), np.bool_)

    def evades(self, cases: Cases) -> Mask:
        """Nobody gives way."""
        return np.zeros(len(cases), np.bool_)

    def occupies(self, cases: Cases) -> Mask:
        """Nobody leaves his place."""
        return np.zeros(len(cases), np.bool_)
