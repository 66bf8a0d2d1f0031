"""A scenario's units and leaders on its map, in every lane of a batch (docs/battle.md T3, T4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.board.hexmap import Hex, distance
from sim.ensemble.lanes import Ensemble
from sim.rulesets.compiled import BATTALION, SIZES
from sim.rulesets.rulebook import Rulebook, rulebook
from sim.units.battles import Placement, Scenario
from sim.units.charges import SIDES, Leader, Unit
from sim.units.forces import Forces
from sim.units.record import Recorder
from sim.units.rosters import RosterLeader, RosterUnit


def book_of(scenario: Scenario) -> Rulebook:
    """The rulebook a scenario is played by."""
    return rulebook(scenario.ruleset, scenario.switches)


def sizes(scenario: Scenario) -> tuple[int, ...]:
    """What each counter is for stacking, `compiled.BATTALION` or `REGIMENT`; guns as a battalion."""
    return tuple(BATTALION if unit.size is None else SIZES[unit.size] for unit in scenario.units)


def field(scenario: Scenario, lanes: int, recorder: Recorder | None = None) -> Forces:
    """Units where they stand at the start, those who come later off the map, leaders with a unit each.

    Parameters
    ----------
    lanes
        How many there are.
    recorder
        For a run that is told.
    """
    placed = {one.number: one for one in scenario.placements if not one.leader}
    awaited = {
        number: formation
        for arrival in scenario.arrivals
        for number, formation in zip(arrival.units, arrival.formations, strict=True)
    }
    units = [
        _unit(unit, scenario.side_of[n], placed.get(n), awaited.get(n))
        for n, unit in enumerate(scenario.units)
    ]
    homes = [scenario.sides[side].home for side in scenario.side_of]
    ensemble = Ensemble(len(units), len(scenario.leaders), lanes)
    leaders = [(_leader(one), _stack(scenario, one)) for one in scenario.leaders]
    map_, book = scenario.sheet.map, book_of(scenario)
    forces = Forces(ensemble, units, leaders, scenario.side_of, homes, map_, book, recorder)
    forces.in_battle = True
    everywhere = np.ones(lanes, np.bool_)
    for number, one in placed.items():
        cases = forces.cases(everywhere, number)
        forces.place(cases, map_.number(one.hex), one.facing, map_.number(one.second))
    for number in awaited:
        forces.keep_back(forces.cases(everywhere, number))
    for number, with_ in enumerate(_companions(scenario, placed)):
        forces.join_leader(number, ensemble.all(), with_)
    for organisation in scenario.organisations:
        if organisation.penalties is not None:
            forces.penalties[list(organisation.units)] = (0, *organisation.penalties)
    return forces


def own_units(scenario: Scenario, leader: RosterLeader) -> NDArray[np.intp]:
    """The units of a leader's organisation; those of his side if it has none."""
    units = enumerate(scenario.units)
    own = [n for n, unit in units if (unit.side, unit.organisation) == (leader.side, leader.organisation)]
    return np.array(own or [n for n, unit in enumerate(scenario.units) if unit.side == leader.side], np.intp)


def _unit(unit: RosterUnit, side: int, placed: Placement | None, formation: str | None) -> Unit:
    return Unit(
        id=unit.id,
        name=unit.name,
        side=SIDES[side],
        arm=unit.arm,
        nation=unit.nation,
        type=unit.type,
        formation=placed.formation if placed else str(formation),
        state=placed.state if placed else "good",
        readiness=placed.readiness if placed else "fresh",
        increments=unit.increments,
        printed=unit.printed,
        morale=unit.morale,
        melee=unit.melee,
        movement=unit.movement,
        fire=unit.fire,
        lance=unit.lance,
        multiples=unit.multiples,
        losses=unit.losses,
    )


def _leader(one: RosterLeader) -> Leader:
    return Leader(one.id, one.name, one.morale, one.cavalry, one.artillery, one.melee, one.movement)


def _stack(scenario: Scenario, leader: RosterLeader) -> tuple[int, ...]:
    return tuple(own_units(scenario, leader).tolist())


def _companions(scenario: Scenario, placed: dict[int, Placement]) -> list[int]:
    """The unit that each leader is with at the start: of his hex or nearest to it, of his organisation if he
    can; of the first of those who come with him."""
    where: dict[int, Hex] = {one.number: one.hex for one in scenario.placements if one.leader}
    coming = {leader: arrival for arrival in scenario.arrivals for leader in arrival.leaders}
    found = []
    for number, leader in enumerate(scenario.leaders):
        own = own_units(scenario, leader).tolist()
        mates = [n for n, unit in enumerate(scenario.units) if unit.side == leader.side]
        if number in where:
            here = where[number]
            there = [n for n in mates if n in placed]
            found.append(
                min(
                    there or own,
                    key=lambda n: (distance(placed[n].hex, here) if n in placed else 0, n not in own, n),
                )
            )
        else:
            with_him = coming[number].units
            found.append(next((n for n in with_him if n in own), with_him[0] if with_him else own[0]))
    return found
