"""A battle on one timeline: turns of a command step and two halves, units that live through it as processes,
and the calendar that says who is called when (rule 2).

Lanes differ in what happens, never in when: which units are called, and in which order, is settled for the
whole batch.
"""

from __future__ import annotations

from collections.abc import Callable

from sim.battle.clock import Process, Timeline
from sim.battle.half import Calls, Command, PlayerHalf
from sim.battle.marching import Terms
from sim.battle.players import Player
from sim.battle.signal import Waiter
from sim.combat.play import Play
from sim.vocabulary import Segment


class Battle:
    """A battle, or one half of one.

    Parameters
    ----------
    play
        The forces in every lane, and who answers decisions.
    players
        Who decides for each side.
    first
        The side whose half comes first in a turn.
    halves
        How many halves are played.
    command
        What happens between the halves, if anything.
    terms
        What movement asks of the battle; None where nobody moves.

    Attributes
    ----------
    clock
        The timeline.
    half
        The half that is played, or was last.
    lives
        The process of each unit.
    after_half
        Called whenever a half is over, for who watches; None if nobody does.
    """

    def __init__(
        self,
        play: Play,
        players: tuple[Player, Player],
        first: int,
        halves: int,
        command: Command | None = None,
        terms: Terms | None = None,
    ) -> None:
        self.play, self.forces, self.players = play, play.forces, players
        self.first, self.halves, self.command, self.terms = first, halves, command, terms
        self.after_half: Callable[[], None] | None = None
        self.clock = Timeline()
        self.calls = Calls.on(self.clock)
        self.half = PlayerHalf(play, players, first, self.calls, command, terms)
        self.lives = [self.clock.process(self._unit(unit)) for unit in range(len(play.forces.units))]

    def run(self) -> None:
        """Play it to its end.

        Raises
        ------
        OrderOfPlayError
            If a unit or a charge does not play its part.
        """
        chronology = self.clock.process(self._chronology())
        while not chronology.processed:
            if not self.clock.is_waiting:
                self.calls.check()
            self.clock.step()

    def _chronology(self) -> Process:
        for number in range(self.halves):
            turn, begins = self.clock.turn, number % 2 == 0
            if begins:
                self._begin_turn(turn)
            if number:
                self.half.close()
                self.forces.new_half()
                phasing = (self.first + number) % 2
                self.half = PlayerHalf(self.play, self.players, phasing, self.calls, self.command, self.terms)
            yield from self.half.play_out()
            if self.command is not None:
                self.command.half_over(self.half.phasing)
                if not begins:
                    self.command.end(turn)
            if self.after_half is not None:
                self.after_half()

    def _begin_turn(self, turn: int) -> None:
        self.play.turn, self.play.moment = turn, f"{turn}.command"
        self.forces.new_turn()
        if self.command is not None:
            self.command.begin(turn)
        for player in self.players:
            player.begin_turn(turn)

    def _unit(self, unit: int) -> Waiter[Segment]:
        """A unit: it waits for its call, does what the segment asks of it, and answers."""
        while True:
            with (yield self.calls.units.wait(unit)) as segment:
                self.half.act(segment, unit)
