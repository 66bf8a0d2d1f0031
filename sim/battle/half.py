"""A player half: six segments, in order (rule 2). A charge is a process of its own; units act when the
calendar calls them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sim.battle.clock import Process, Timeline
from sim.battle.ending import end_of_melees, fate_of_guns
from sim.battle.hits import Hits
from sim.battle.leading import move_leaders, settle
from sim.battle.marching import Marching, Terms
from sim.battle.melee import fight_out
from sim.battle.movement import Movement
from sim.battle.players import Player
from sim.battle.recovery import recovery
from sim.battle.shooting import defensive_fire, offensive_fire, opportunity_fire
from sim.battle.signal import Signal, Waiter
from sim.battle.storming import Means, storm
from sim.charge.charge import Charge
from sim.charge.opportunity import Opportunities
from sim.combat.play import Play
from sim.ensemble.cases import Cases, Mask
from sim.vocabulary import ARTILLERY, Segment


@dataclass(frozen=True)
class Calls:
    """The timeline of a battle, and the signals by which it calls units and charges."""

    clock: Timeline
    units: Signal[Segment]
    charges: Signal[Segment]

    @staticmethod
    def on(clock: Timeline) -> Calls:
        """Signals for a new timeline."""
        units = Signal[Segment](clock, "unit", lambda segment: segment.word)
        return Calls(clock, units, Signal[Segment](clock, "charge", lambda segment: segment.word, once=True))

    def check(self) -> None:
        """Raise `OrderOfPlayError` if somebody who was called has not answered."""
        self.units.check()
        self.charges.check()


class Command(Protocol):
    """What happens between the halves, for both sides together, and who comes onto the map meanwhile."""

    def begin(self, turn: int) -> None:
        """The command step of a turn, counted from 1."""

    def waiting(self, unit: int) -> Mask:
        """Where a unit may come onto the map in this turn, shape (lanes,)."""

    def enter(self, cases: Cases) -> Cases:
        """One unit comes onto the map where it may, in its movement; the cases in which it did, a lane each,
        shape (k,)."""

    def half_over(self, phasing: int) -> None:
        """The half of a side is over."""

    def end(self, turn: int) -> None:
        """The turn is over."""


class PlayerHalf:
    """One half of a turn.

    Parameters
    ----------
    play, players
        The battle, and who decides for each side.
    phasing
        The side whose half it is.
    calls
        The timeline, and who waits on it.
    command
        Who leads reinforcements onto the map, if there are any.
    terms
        What movement asks of the battle; None where nobody moves.

    Attributes
    ----------
    charges
        The declared charges, in order, each with what it remembers; known when the half begins.
    """

    def __init__(
        self,
        play: Play,
        players: tuple[Player, Player],
        phasing: int,
        calls: Calls,
        command: Command | None = None,
        terms: Terms | None = None,
    ) -> None:
        self.play, self.forces, self.players, self.phasing = play, play.forces, players, phasing
        self.calls, self.clock, self.command, self.terms = calls, calls.clock, command, terms
        self.charges: tuple[Charge, ...] = ()
        self.opportunities: Opportunities | None = None

    def play_out(self) -> Process:
        """The six segments, in order."""
        play = self.play
        segments = {
            Segment.CHARGE: self._charge,
            Segment.MOVEMENT: self._movement,
            Segment.DEFENSIVE_FIRE: self._defensive_fire,
            Segment.OFFENSIVE_FIRE: self._offensive_fire,
            Segment.MELEE: self._melee,
            Segment.RECOVERY: self._recovery,
        }
        for player in self.players:
            player.begin_half(self.phasing)
        self.charges = tuple(self.players[self.phasing].charges())
        self.hits = Hits(play)
        for segment, calendar in segments.items():
            play.moment = self.clock.moment
            yield from calendar()
            fate_of_guns(play)
            settle(play)
            play.dice.merge(always=segment is Segment.RECOVERY)
            yield self.clock.end_of_segment()
        self.hits.close(self.charges)

    def act(self, segment: Segment, unit: int) -> None:
        """What a unit does when it is called in a segment."""
        if segment == Segment.MOVEMENT:
            cases = self.movement.answer(unit)
            if self.command is not None:
                self.command.enter(cases)

    def close(self) -> None:
        """Drop what its charges remember."""
        for charge in self.charges:
            charge.state.close()
        if self.opportunities is not None:
            self.opportunities.close()

    # -- the calendar ---------------------------------------------------------------------------

    def _call(self, units: Iterable[int]) -> Process:
        yield from self.calls.units.call(self.clock.segment, units)

    def _charge(self) -> Process:
        """Every charge is declared before any moves; each is then resolved to its end."""
        for number, charge in enumerate(self.charges):
            charge.declare()
            self.clock.process(self._rides(number, charge))
        yield self.clock.timeout(0)  # all wait for their calls
        yield from self.calls.charges.call(Segment.CHARGE, (number for number, _ in self._in_turn()))

    def _rides(self, number: int, charge: Charge) -> Waiter[Segment]:
        with (yield self.calls.charges.wait(number)):
            yield self.clock.process(charge.ride(self.clock))

    def _in_turn(self) -> Iterator[tuple[int, Charge]]:
        """The charges, each of which counts its own hits; lanes that one has made equal are merged before the
        next."""
        for number, charge in enumerate(self.charges):
            if number:
                self.play.dice.merge()
            self.hits.begin()
            yield number, charge
            self.hits.end(charge)

    def _movement(self) -> Process:
        """The units of the phasing side, in each lane one after another in unit order; then its leaders.

        Called are in each wave, in that order, those who begin to move in some lane.
        """
        if self.terms is None:
            yield from self._call(())
            return
        self.opportunities = Opportunities(self.play, self.players, self.phasing)
        how = self.players, self.phasing, self._fire_at, self.opportunities.charge
        coming = np.zeros(self.forces.hex.shape, bool)
        if self.command is not None:
            for unit in np.flatnonzero(self.forces.side == self.phasing).tolist():
                coming[unit] = self.command.waiting(unit)
        self.movement = Movement(Marching(self.play, self.terms, *how), coming)
        while not self.movement.over:
            yield from self._call(self.movement.call())
            self.movement.wave()
        self.movement.close()
        move_leaders(self.play, self.players[self.phasing])

    def _fire_at(self, movers: Cases) -> None:
        """Enemies shoot at units that act in their zones."""
        opportunity_fire(self.play, movers, self.players[1 - self.phasing])

    def _defensive_fire(self) -> Process:
        defensive_fire(self.play, self.players[1 - self.phasing])
        yield from self._call(())

    def _offensive_fire(self) -> Process:
        offensive_fire(self.play, self.players[self.phasing], self.charges)
        yield from self._call(())

    def _melee(self) -> Process:
        """Each charge's melee apart, then the assaults, then what closes them all (docs/charge.md 10)."""
        for _, charge in self._in_turn():
            fight_out(self.play, charge)
        others = () if self.opportunities is None else self.opportunities.charges
        for chance in others:
            fight_out(self.play, chance)
        if self.terms is not None:
            sides = self.players[self.phasing], self.players[1 - self.phasing]
            going = self.terms.going
            storm(self.play, *sides, Means(going.rides & (self.forces.arm == ARTILLERY), going.crossing))
        end_of_melees(self.play, (*self.charges, *others))
        yield from self._call(())

    def _recovery(self) -> Process:
        """The phasing side recovers; then those of the other side run who were routed by fire
        (docs/charge.md 11)."""
        recovery(self.play, self.phasing)
        yield from self._call(())
