"""What is remembered of a march, and what interrupts it (rules 14, 18, 28, 40; docs/battle.md M, Z).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sim.battle.players import KEEP, Numbers, Player
from sim.board.advance import IN_HORSE_ZONE
from sim.board.going import Going, going_of
from sim.combat.play import Play
from sim.ensemble.cases import Cases
from sim.ensemble.frames import Flag, Flags, Frame, Row, flag_per_lane, flag_per_unit, per_lane
from sim.rulesets.compiled import BATTALION, SIZES
from sim.units.battles import Scenario
from sim.vocabulary import CAVALRY, SKIRMISH

NOBODY = -1
HORSE_GUNS = ("horse", "guard horse", "cossack")
"""Classes of batteries that ride."""

Fire = Callable[[Cases], object]
"""Enemies fire at units that act in their zone."""
Charge = Callable[[Cases], Cases]
"""Enemy cavalry charges units that move in its zone: those units that must stop, fresh."""


@dataclass(frozen=True)
class Terms:
    """What movement asks of a battle beside its forces.

    Attributes
    ----------
    going
        What marching costs.
    limbers
        The die that a unit needs to limber, shape (units,).
    helps
        What leaders add to that die, shape (leaders,) and a 0 for none.
    exits
        By which hexes a side may leave the map, shape (2, hexes).
    """

    going: Going
    limbers: Numbers
    helps: Numbers
    exits: Flags

    @staticmethod
    def of(play: Play, scenario: Scenario) -> Terms:
        """Those of a scenario whose units are those of the play, in the same order."""
        forces, book, units = play.forces, play.book, scenario.units
        horse = [unit.limber in HORSE_GUNS for unit in units]
        sizes = [SIZES.get(unit.size, BATTALION) or BATTALION for unit in units]
        going = going_of(forces.map, play.survey.board, book, sizes, horse)
        rows = [None if unit.limber is None else book.limber_row(unit.nation, unit.limber) for unit in units]
        limber = book.blocks.limber
        helps = [
            limber.leaders.get(one.name, limber.leader if one.artillery > 0 else 0)
            for one in scenario.leaders
        ]
        exits = np.zeros((2, forces.map.off + 1), bool)
        for number, side in enumerate(scenario.sides):
            exits[number, [forces.map.number(at) for at in side.exits]] = True
        needs = [1 if row is None else row.needs for row in rows]
        return Terms(going, np.array(needs), np.array([*helps, 0]), exits)


class Turns(Frame):
    """Whose turns are still to come in a movement segment."""

    due: Flags = flag_per_unit("is still to be called")
    left: Flag = flag_per_lane("somebody may still be", True)
    called: Flag = flag_per_lane("the unit that marches begins in this wave")


class March(Frame):
    """The march of each lane's present unit."""

    unit: Row = per_lane("who marches, -1 for nobody", NOBODY)
    able: Flag = flag_per_lane("may still act in this segment")
    going: Flag = flag_per_lane("marches on")
    changes: Flag = flag_per_lane("is about to take a formation")
    halted: Flag = flag_per_lane("its march is over")
    again: Flag = flag_per_lane("has another act to come where it has stopped")
    acts: Flag = flag_per_lane("is about to act in its hex")
    spent: Flag = flag_per_lane("has spent a point")
    fired: Flag = flag_per_lane("the fire at its leaving its hex is over")
    forced: Flag = flag_per_lane("makes a force march")
    leaves: Flag = flag_per_lane("leaves the map at the end of its way")
    departs: Flag = flag_per_lane("is about to leave the map")
    whole: Row = per_lane("half points that it began with")
    left: Row = per_lane("half points left")
    way: Row = per_lane("row of its player's ways", KEEP)
    most: Row = per_lane("steps that it may still make")
    steps: Row = per_lane("steps made")
    zone: Row = per_lane("what its hex is to it, as `board.advance.zone_at`", high=7)
    change: Row = per_lane("formation that it means to take before it goes, or where it has stopped", KEEP)
    facing: Row = per_lane("facing to which it means to turn there", KEEP)
    takes: Row = per_lane("formation that it is about to take, perhaps with `TWO`", KEEP)
    turns: Row = per_lane("hexsides that it is about to turn, 0 for none", low=-3)
    state: Row = per_lane("its state before it was interrupted")
    hex: Row = per_lane("where it stood then")

    def of(self, mask: Flag) -> Cases:
        """The present units of the lanes of a mask."""
        return self.cases(mask, self.unit)


class Marching:
    """Units of one side on the march.

    Parameters
    ----------
    play, terms, players, side
        The battle, what movement asks of it, who decides for each side, and the side that moves.
    fire_at, charge_at
        What enemies do when units act in their zones.
    """

    def __init__(
        self,
        play: Play,
        terms: Terms,
        players: tuple[Player, Player],
        side: int,
        fire_at: Fire,
        charge_at: Charge,
    ) -> None:
        self.play, self.forces, self.survey = play, play.forces, play.survey
        self.terms, self.going, self.rules = terms, terms.going, play.book.blocks.movement
        self.side, self.player = side, players[side]
        self.fire_at, self.charge_at = fire_at, charge_at

    def scouts(self) -> bool:
        """Whether any enemy cavalry is in skirmish order, in any lane."""
        forces = self.forces
        enemies = (forces.side != self.side) & (forces.arm == CAVALRY)
        return bool((forces.formation[enemies] == SKIRMISH).any())

    def pay(self, march: March, cases: Cases, halves: Numbers) -> None:
        """Units spend half points."""
        march.left[cases.lane] = np.maximum(march.left[cases.lane] - halves, 0)
        march.spent[cases.lane] |= np.asarray(halves) > 0

    def interrupted(self, march: March) -> None:
        """Enemies fire at units where they act in their zone, in the formation they have, and cavalry may
        charge them; who is hit so that it fails a check, or must meet a charge, acts no more (Z6)."""
        cases = march.of(march.acts & (march.zone > 0))
        if not len(cases):
            return
        self._note(march)
        self.fire_at(cases)
        self._stop_the_shaken(march)
        self.charged(march, march.acts & (march.zone & IN_HORSE_ZONE > 0))

    def charged(self, march: March, where: Flag) -> None:
        """Enemy cavalry may charge units in its zone; who must meet a charge acts no more."""
        cases = march.of(where & march.able)
        if not len(cases):
            return
        self._note(march)
        stopped = self.charge_at(cases)
        march.able[stopped.lane] = False
        self._stop_the_shaken(march)

    def _note(self, march: March) -> None:
        """How units are, and where, before something may befall them."""
        at = march.unit, self.play.ensemble.all()
        march.state[:], march.hex[:] = self.forces.state[at], self.forces.hex[at]

    def _stop_the_shaken(self, march: March) -> None:
        """Who is no longer as it was acts no more."""
        at = march.unit, self.play.ensemble.all()
        march.able &= (self.forces.state[at] == march.state) & (self.forces.hex[at] == march.hex)
        march.acts &= march.able
