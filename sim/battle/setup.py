"""From a charge file or a scenario to a battle: units placed on the map, players told
(docs/charge.md 2; docs/battle.md T)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sim.battle.battle import Battle
from sim.battle.command import Command
from sim.battle.filed import FromFile
from sim.battle.marching import Terms
from sim.battle.players import Player
from sim.charge.charge import Charge as Ride
from sim.combat.play import Play
from sim.ensemble.dice import Dice
from sim.ensemble.lanes import Ensemble
from sim.rulesets.rulebook import Rulebook, rulebook
from sim.units.battles import Scenario
from sim.units.charges import Charge
from sim.units.fielded import field
from sim.units.forces import Forces
from sim.units.orders import Orders, Variant, orders
from sim.units.placing import facings, map_of
from sim.units.record import Recorder


@dataclass(frozen=True)
class Played:
    """A half that was played.

    Attributes
    ----------
    forces
        All units as they are at its end, in every lane.
    charges
        The charges in order, each with what it remembers.
    events
        How many SimPy events it took.
    """

    forces: Forces
    charges: tuple[Ride, ...]
    events: int


Commanders = Callable[[Scenario, Play], tuple[Player, Player]]
"""Who makes the players of a scenario, once its units stand on the map."""


def muster(
    scenario: Scenario, dice: Dice, commanders: Commanders, recorder: Recorder | None = None
) -> Battle:
    """The battle of a scenario, ready to be run.

    Parameters
    ----------
    dice
        Who answers decisions.
    commanders
        Who makes the players, once the units stand on the map.
    recorder
        For a run that is told.
    """
    play = Play(field(scenario, dice.lanes(1), recorder), dice)
    play.counts_fire_losses = True
    players, halves = commanders(scenario, play), 2 * scenario.calendar.turns
    command, terms = Command(play, scenario), Terms.of(play, scenario)
    return Battle(play, players, scenario.first, halves, command, terms)


def book_of(charge: Charge) -> Rulebook:
    """The rulebook a charge file is played by."""
    return rulebook(charge.ruleset, charge.switches)


def play(
    charge: Charge, dice: Dice, variants: Sequence[tuple[Variant, ...]], recorder: Recorder | None = None
) -> Played:
    """Play the charges of a file to the end of the half, once for each variant and in every lane the dice
    make of it.

    Parameters
    ----------
    variants
        Each the ways of playing of all charges, in order.
    recorder
        For a run that is told.

    Raises
    ------
    InputError
        If the units cannot stand where the file puts them.
    """
    battle = set_up(charge, dice, variants, recorder)
    battle.run()
    return Played(battle.forces, battle.half.charges, battle.clock.events)


def set_up(
    charge: Charge, dice: Dice, variants: Sequence[tuple[Variant, ...]], recorder: Recorder | None = None
) -> Battle:
    """The half of a charge file as a battle, ready to be run; arguments as for `play`."""
    forces, given = prepare(charge, variants, dice.lanes(len(variants)), recorder)
    play = Play(forces, dice)
    return Battle(play, (FromFile(play, 0, given), FromFile(play, 1, given)), charge.phasing, halves=1)


def prepare(
    charge: Charge,
    variants: Sequence[tuple[Variant, ...]],
    lanes: int | None = None,
    recorder: Recorder | None = None,
) -> tuple[Forces, Orders]:
    """Units placed on the map, in so many lanes to begin with (one a variant by default), and everybody's
    orders."""
    book, map_ = book_of(charge), map_of(charge)
    lanes = len(variants) if lanes is None else lanes
    ensemble = Ensemble(len(charge.units), len(charge.leaders), lanes)
    sides = [unit.side_number for unit in charge.units]
    homes = [charge.homes[side] for side in sides]
    forces = Forces(ensemble, charge.units, charge.leaders, sides, homes, map_, book, recorder)
    everywhere = np.ones(lanes, bool)
    for unit, facing in enumerate(facings(charge, book)):
        forces.place(forces.cases(everywhere, unit), map_.number(charge.places[unit]), facing)
    forces.variant[:] = np.arange(lanes) // (lanes // len(variants))
    return forces, orders(charge, variants, book)
