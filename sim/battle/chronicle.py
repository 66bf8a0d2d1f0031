"""What is written down of a battle for the studies, at the end of each turn and of the battle.

Arrays are int16 with the lanes last: shape (turns, lanes), (turns, things, lanes) or (things, lanes); the
first turn is row 0.
"""

from __future__ import annotations

import numpy as np

from sim.battle.tally import Tally
from sim.board.tables import Ints
from sim.ensemble.frames import Rows
from sim.units.forces import Routs
from sim.vocabulary import LEFT


class Chronicle:
    """A battle whose runs have a lane each, turn by turn.

    Attributes
    ----------
    standing
        Number of the rung that would be the result as things stood, shape (turns, lanes).
    levels
        Morale levels, shape (turns, organisations, lanes).
    lost, exited
        Increments lost, and increments that left by an exit, by side, shape (turns, 2, lanes).
    state
        A `vocabulary.State`, shape (turns, units, lanes); who is still to come is gone.
    increments
        Left, shape (turns, units, lanes); of who left the map those he took along, of who is to come all.
    hex
        Where it stands, shape (turns, units, lanes); `off` of who is gone.
    reason
        Why a unit is gone, a `vocabulary.Reason`, shape (turns, units, lanes).
    """

    def __init__(self, tally: Tally) -> None:
        scenario, forces, n = tally.scenario, tally.forces, tally.play.ensemble.n
        turns, units = scenario.calendar.turns, len(scenario.units)
        self._tally, self._forces, self.turns = tally, forces, 0
        self.standing: Ints = np.zeros((turns, n), np.int16)
        self.levels: Ints = np.zeros((turns, len(scenario.organisations), n), np.int16)
        self.lost: Ints = np.zeros((turns, 2, n), np.int16)
        self.exited: Ints = np.zeros((turns, 2, n), np.int16)
        self.state: Ints
        self.increments: Ints
        self.hex: Ints
        self.reason: Ints
        self.state, self.increments, self.hex, self.reason = np.zeros((4, turns, units, n), np.int16)
        forces.routs = Routs(tally.play.ensemble)

    def write(self, turn: int, standing: Ints) -> None:
        """The end of a turn, counted from 1; `standing`: the rung as things stand, shape (lanes,)."""
        at, forces, tally = turn - 1, self._forces, self._tally
        self.turns = turn
        self.standing[at] = standing
        if len(self.levels[at]):
            self.levels[at] = tally.counts.level
        lost = tally.lost()
        left = np.where(forces.reason == LEFT, forces.increments, 0)
        for side in (0, 1):
            own = forces.side == side
            self.lost[at, side] = lost[own].sum(axis=0)
            self.exited[at, side] = left[own].sum(axis=0)
        self.state[at], self.increments[at] = forces.state, forces.increments
        self.hex[at], self.reason[at] = forces.hex, forces.reason

    @property
    def result(self) -> Ints:
        """Number of the rung that is the result: as things stood at the end of the last turn played, shape
        (lanes,)."""
        return self.standing[self.turns - 1]

    @property
    def balance(self) -> Ints:
        """Increments that the second side has lost minus those of the first, shape (turns, lanes)."""
        return self.lost[:, 1] - self.lost[:, 0]

    @property
    def routs(self) -> Rows:
        """How often each unit has become routed, shape (units, lanes)."""
        return self._routs.count

    @property
    def rout_hex(self) -> Rows:
        """Where each unit stood when it last became routed, -1 if it never did, shape (units, lanes)."""
        return self._routs.hex

    @property
    def _routs(self) -> Routs:
        assert self._forces.routs is not None
        return self._forces.routs
