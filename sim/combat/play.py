"""What every chapter of a battle works with: the forces, who answers decisions, the rules, the board, the
moment.

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sim.board.survey import Survey
from sim.combat.told import Rolled
from sim.ensemble.cases import Cases
from sim.ensemble.dice import Chart, Dice
from sim.rules.strengths import Strengths
from sim.rulesets.modifiers import Applied
from sim.units.forces import Forces
from sim.units.record import Event

C = TypeVar("C", bound=Cases)


class Play:
    """A batch of battles as it is played.

    Parameters
    ----------
    forces
        Units by lanes, placed; the recorder of a run that is told is theirs.
    dice
        Who answers decisions; from now on for the lanes of the forces' ensemble.

    Attributes
    ----------
    counts_fire_losses
        Whether losses by fire in the half are kept apart: where a modifier asks for them, and for assaults.
    moment
        Turn, half and segment, as decisions are named: `1.1.charge`.
    turn
        Which it is, from 1.
    reference_range
        Enemies within so many hexes must end farther off than they began when units fall back.
    """

    def __init__(self, forces: Forces, dice: Dice) -> None:
        self.forces, self.dice = forces, dice
        self.ensemble, self.book, self.recorder = forces.ensemble, forces.book, forces.recorder
        self.switches = forces.book.switches
        self.reference_range = int(self.switches["retreat_horizon"])
        self.counts_fire_losses = forces.book.counts_fire_losses
        self.moment, self.turn = "", 1
        sides, arms, kinds, homes = (
            tuple(one.tolist()) for one in (forces.side, forces.arm, forces.kind, forces.home)
        )
        self.survey = Survey(forces, forces.map, forces.book, sides, arms, kinds, homes, dice.lumped)
        dice.begin(self.ensemble, forces.decision)

    @property
    def moment(self) -> str:
        """Turn, half and segment, as decisions are named."""
        return self._moment

    @moment.setter
    def moment(self, moment: str) -> None:
        self._moment = moment
        if self.recorder is not None:
            self.recorder.moment = moment

    def ask(
        self,
        kind: str,
        cases: C,
        chart: Chart,
        column: NDArray[np.integer],
        applied: Applied,
        rule: str,
        repeatable: bool = False,
        strengths: Strengths | None = None,
        told: type[Rolled] = Rolled,
        **more: object,
    ) -> tuple[C, NDArray[np.int16]]:
        """Ask the dice, and log it where the run is told.

        Parameters
        ----------
        kind
            The decision's name within the segment.
        cases
            Whom it is about (for a leader's fate his number), and of whose action it comes.
        column, applied
            The chart's column and the modifiers of each case.
        repeatable
            Whether a run may take it several times.
        strengths
            What the column was found from in the lane that is told.
        told, more
            The event, and its fields beyond those of `Rolled`: shape (k,), or the same for all.

        Returns
        -------
        The cases that came of it and the joint outcome of each, shape (m,), m >= k.
        """
        found, values = self.dice.ask(
            f"{self.moment}/{kind}", cases, chart, column, applied.total, repeatable
        )
        if self.recorder is not None:
            self._log_roll(cases, found, values, chart, applied, rule, strengths, told, more)
        return found, values

    def log(self, kind: Callable[..., Event], cases: Cases, rule: str, **columns: object) -> None:
        """Log an event where the run is told; its fields have shape (k,), or are the same for all."""
        if self.recorder is not None:
            self.recorder.log(kind, cases, rule, **columns)

    def watched(self, cases: Cases) -> int | None:
        """Which of the cases is in the lane that is told, None if none is."""
        if self.recorder is None:
            return None
        found = np.flatnonzero(cases.lane == self.recorder.lane)
        return int(found[0]) if len(found) else None

    def _log_roll(
        self,
        cases: Cases,
        found: Cases,
        values: NDArray[np.int16],
        chart: Chart,
        applied: Applied,
        rule: str,
        strengths: Strengths | None,
        told: type[Rolled],
        more: dict[str, object],
    ) -> None:
        case, after = self.watched(cases), self.watched(found)
        if case is None or after is None:
            return
        decision, faces, roll = self.dice.rolled[-1]
        modifiers = tuple(
            (one.label, int(amounts[case]), one.source) for one, amounts in applied.items if amounts[case]
        )
        outcome = str(chart.outcomes[int(values[after]) % len(chart.outcomes)])
        own = {name: one[case].item() if isinstance(one, np.ndarray) else one for name, one in more.items()}
        self.log(
            told,
            cases.take(np.array([case])),
            rule,
            decision=decision,
            faces=faces,
            roll=roll,
            modifiers=modifiers,
            chart=chart.name,
            outcome=outcome,
            strengths=strengths,
            **own,
        )
