"""What happens in one lane, as typed events in their order, for explained runs.

The rules word nothing: reports do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sim.ensemble.cases import Cases
from sim.inputs.fields import Built


class Event(Built):
    """Something that happened.

    Attributes
    ----------
    rule
        The rule's number.
    unit
        Number of the unit that acts or that it happens to, -1 for none.
    """

    rule: str
    unit: int

    def __init__(self, rule: str, unit: int, **fields: object) -> None:
        if unknown := fields.keys() - set(self.attributes):
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(unknown))}")
        super().__init__(rule=rule, unit=unit, **fields)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))


class Lost(Event):
    """A unit lost increments; `gone`: why it is gone now, as a `vocabulary.Reason`, 0 if it is not."""

    increments: int
    gone: int


@dataclass(frozen=True)
class Entry:
    """An event, and when it happened: turn, half and segment, such as `3.1.melee`, or `3.command`."""

    moment: str
    event: Event

    @property
    def segment(self) -> str:
        """The segment in which it happened."""
        return self.moment.rpartition(".")[2]

    @property
    def turn(self) -> int:
        """The turn in which it happened, from 1."""
        return int(self.moment.partition(".")[0])


class Recorder:
    """The events of one lane: of a run alone, or of one run of a batch in which every run has its lane.

    Parameters
    ----------
    lane
        The lane that is watched.
    """

    def __init__(self, lane: int = 0) -> None:
        self.lane = lane
        self.moment = ""
        self.entries: list[Entry] = []

    def log(self, kind: Callable[..., Event], cases: Cases, rule: str, **columns: object) -> None:
        """Add an event if the lane is among the cases.

        Parameters
        ----------
        columns
            The event's other fields: shape (k,), one element a case, or the same for all.
        """
        for case in np.flatnonzero(cases.lane == self.lane).tolist():
            told = {
                name: one[case].item() if isinstance(one, np.ndarray) else one
                for name, one in columns.items()
            }
            self.entries.append(Entry(self.moment, kind(rule, int(cases.unit[case]), **told)))
