"""A player half on one timeline: units are processes that live through it, and the calendar says who is
called when (rule 2).

Units know the segment they are called in, act, and answer; a charge is a process of its own, started by its
first regiment. Lanes differ in what happens, never in when: which units are called, and in which order, is
settled for the whole batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sim.battle.clock import Process, Timeline
from sim.battle.ending import end_of_melees, fate_of_guns
from sim.battle.hits import Hits
from sim.battle.melee import fight_out
from sim.battle.recovery import recover, rout_late, routs_late, shaken
from sim.battle.shooting import FireSegment
from sim.battle.signal import Signal, Waiter
from sim.charge.charge import Charge
from sim.combat.play import Play
from sim.units.orders import Orders
from sim.vocabulary import Segment


class PlayerHalf:
    """One half of a turn.

    Parameters
    ----------
    play
        The battle: units placed, dice ready.
    orders
        What the players mean to do.
    phasing
        The side whose half it is.

    Attributes
    ----------
    forces
        All units, in every lane.
    clock
        The timeline.
    charges
        The declared charges, in order, each with what it remembers.
    lives
        The process of each unit.
    """

    def __init__(self, play: Play, orders: Orders, phasing: int) -> None:
        self.play, self.forces, self.phasing = play, play.forces, phasing
        self.clock = Timeline()
        self.calls = Signal[Segment](self.clock, "unit", lambda segment: segment.word)
        self.charges = tuple(Charge(play, order, orders) for order in orders.charges)
        self._led_by = {charge.by: number for number, charge in enumerate(self.charges)}
        self.hits = Hits(play)
        self.lives = [self.clock.process(self._unit(unit)) for unit in range(len(play.forces.units))]

    def run(self) -> None:
        """Play it to its end.

        Raises
        ------
        OrderOfPlayError
            If a unit does not play its part.
        """
        chronology = self.clock.process(self._chronology())
        while not chronology.processed:
            if not self.clock.is_waiting:
                self.calls.check()
            self.clock.step()
        self.hits.close(self.charges)

    def _chronology(self) -> Process:
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
        for segment, calendar in segments.items():
            play.moment = self.clock.moment
            if play.recorder is not None:
                play.recorder.segment = segment.word
            yield from calendar()
            fate_of_guns(play)
            play.dice.merge(always=segment is Segment.RECOVERY)
            yield self.clock.end_of_segment()

    def _unit(self, unit: int) -> Waiter[Segment]:
        """A unit: it waits for its call, does what the segment asks of it, and answers."""
        while True:
            with (yield self.calls.wait(unit)) as segment:
                if segment == Segment.CHARGE:
                    yield self.clock.process(self._charge_of(unit).ride(self.clock))
                elif segment == Segment.DEFENSIVE_FIRE:
                    self.fire.at_hex_of(unit)
                elif segment == Segment.OFFENSIVE_FIRE:
                    self.fire.at_target(self._charge_of(unit), self._led_by[unit])
                elif segment == Segment.MELEE:
                    fight_out(self.play, self._charge_of(unit))
                elif self.play.forces.side[unit] == self.phasing:
                    recover(self.play, unit)
                else:
                    rout_late(self.play, unit)

    def _charge_of(self, unit: int) -> Charge:
        return self.charges[self._led_by[unit]]

    # -- the calendar ---------------------------------------------------------------------------

    def _call(self, units: Iterable[int]) -> Process:
        yield from self.calls.call(self.clock.segment, units)

    def _charge(self) -> Process:
        """Every charge is declared before any moves; each is then resolved to its end."""
        for charge in self.charges:
            charge.declare()
        yield from self._call(self._charges_in_turn())

    def _charges_in_turn(self) -> Iterator[int]:
        """The charges by their first regiments; lanes that one has made equal are merged before the next."""
        for number, charge in enumerate(self.charges):
            if number:
                self.play.dice.merge()
            self.hits.begin()
            yield charge.by
            self.hits.end(charge)

    def _movement(self) -> Process:
        """Cavalry that charged does not move, and a target in contact with it does not either; nobody else
        has orders."""
        yield from self._call(())

    def _defensive_fire(self) -> Process:
        """Each hex of the phasing side is shot at once, in the order of the top units
        (docs/charge.md 9.1)."""
        self.fire = FireSegment(self.play, self.phasing)
        yield from self._call(self.fire.under_fire())
        self.fire.close()

    def _offensive_fire(self) -> Process:
        """The hexes of the charges' targets are shot at (docs/charge.md 9.2)."""
        self.fire = FireSegment(self.play, self.phasing)
        yield from self._call(self._led_by)
        self.fire.close()

    def _melee(self) -> Process:
        """Each charge's melee apart, then what closes them all (docs/charge.md 10)."""
        yield from self._call(self._charges_in_turn())
        end_of_melees(self.play, self.charges)

    def _recovery(self) -> Process:
        """The phasing side recovers; then those of the other side run who were routed by fire
        (docs/charge.md 11)."""
        play, side = self.play, self.play.forces.side
        units = range(len(side))
        yield from self._call(u for u in units if side[u] == self.phasing and shaken(play, u).any())
        yield from self._call(u for u in units if side[u] != self.phasing and routs_late(play, u).any())
