"""The turn clock: what time it is on one timeline for all runs of a batch."""

from __future__ import annotations

from collections.abc import Generator
from math import inf

import simpy

from sim.vocabulary import Segment

Process = Generator[simpy.Event, object, None]
"""What a unit, a charge or the chronology does, from event to event."""

SEGMENTS_A_HALF, HALVES_A_TURN = len(Segment), 2


class Timeline(simpy.Environment):
    """A SimPy environment whose time is the turn clock: a segment is one unit of `now`, from turn 1, first
    half, charge.

    Within a segment time goes on by the steps of charges. How many there are depends on the batch, so that
    nothing reads them.

    Attributes
    ----------
    events
        How many events were processed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.events = 0

    def step(self) -> None:
        self.events += 1
        super().step()

    @property
    def turn(self) -> int:
        """The turn, from 1."""
        return int(self.now) // (SEGMENTS_A_HALF * HALVES_A_TURN) + 1

    @property
    def half(self) -> int:
        """The half of the turn, 1 or 2."""
        return int(self.now) // SEGMENTS_A_HALF % HALVES_A_TURN + 1

    @property
    def segment(self) -> Segment:
        """The segment of the half."""
        return Segment(int(self.now) % SEGMENTS_A_HALF)

    @property
    def moment(self) -> str:
        """Turn, half and segment, as decisions are named.

        >>> Timeline().moment
        '1.1.charge'
        """
        return f"{self.turn}.{self.half}.{self.segment.word}"

    @property
    def is_waiting(self) -> bool:
        """Whether an event is still to come."""
        return self.peek() < inf

    def end_of_segment(self) -> simpy.Timeout:
        """The event that the next segment begins."""
        return self.timeout(int(self.now) + 1 - self.now)
