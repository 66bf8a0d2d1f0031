"""The fire segments of a half, and fire at who gives an opportunity for it (rules 21, 24 to 28;
docs/battle.md, Fire; docs/charge.md 9.1, 9.2).

Arrays have shape (k,), one element a case or pair, unless a docstring says otherwise.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from sim.battle.due import NOBODY, Due
from sim.battle.players import Player
from sim.battle.sides import Mask, Numbers
from sim.board.pairs import Gunnery, Massing
from sim.board.tables import Longs
from sim.charge.charge import Charge
from sim.combat.fire import Firing, attack
from sim.combat.play import Play
from sim.ensemble.cases import Cases, Pairs, first_of
from sim.ensemble.frames import Flags, Frame, Row, Rows, flag_per_unit, per_lane, per_place, per_unit
from sim.ensemble.lanes import Ensemble, Ids
from sim.units.chargefields import MOST_CHARGES
from sim.units.forces import OUT
from sim.vocabulary import (
    ARTILLERY,
    COLUMN,
    FRONT,
    GENERAL_ORDER,
    GONE,
    INFANTRY,
    MASSE,
    SKIRMISH,
    SQUARE,
)

ANY = -2
"""In place of a hex: it is shot at by none; it shoots at whatever comes first of several."""


class Shots(Pairs):
    """Hexes that may fire, by their top units, and enemy hexes, by theirs, at which they may; by lane, then
    unit, then target.

    Parameters
    ----------
    place, at
        The hex that fires, and that which it fires at.
    hexes
        How far that is; 0: it is the same.
    """

    __slots__ = ("at_hex", "hexes", "place")

    def __init__(
        self,
        ensemble: Ensemble,
        lane: Ids,
        unit: Ids,
        place: Ids,
        target: Ids,
        at_hex: Ids,
        hexes: Longs,
        born: int = -1,
    ) -> None:
        super().__init__(ensemble, lane, unit, target, born)
        self.place, self.at_hex, self.hexes = place, at_hex, hexes

    def where(self, mask: Mask) -> Self:
        """As for `Pairs`."""
        who, whom = (
            (self.lane[mask], self.unit[mask], self.place[mask]),
            (self.target[mask], self.at_hex[mask]),
        )
        return type(self)(self.ensemble, *who, *whom, self.hexes[mask], self.born)


class Volleys(Due):
    """What is still to be fired in a segment."""

    aim: Rows = per_unit("hex that a top unit's hex shoots at", NOBODY, low=ANY)
    aim_second: Rows = per_unit("the same of the other hex of a unit in two", NOBODY, low=ANY)


class Moving(Frame):
    """Who moves while it is shot at."""

    unit: Row = per_lane("the mover, -1 for none", NOBODY)


class ShotAt(Frame):
    """What has been shot at in a segment of a charge file."""

    due: Flags = flag_per_unit("top unit of a hex that is still to be shot at")
    places: Rows = per_place("hex that was shot at for a charge, -1 for none", MOST_CHARGES, -1)


# -- segments ---------------------------------------------------------------------------------------------


def defensive_fire(play: Play, player: Player) -> None:
    """The side that is not phasing shoots at the phasing side's hexes (rule 27)."""
    if player.takes_aim:
        _segment(play, player, True)
    else:
        _all_at_hexes(play, 1 - player.side)


def offensive_fire(play: Play, player: Player, charges: tuple[Charge, ...]) -> None:
    """The phasing side shoots (rules 24 to 26)."""
    play.forces.half.shot_at[:] = NOBODY
    if player.takes_aim:
        _segment(play, player, False)
    else:
        _all_at_targets(play, player.side, charges)


def _segment(play: Play, player: Player, defensive: bool) -> None:
    """Each hex that is chosen is attacked once, in the order of their top units (F1 to F15)."""
    pairs = shots(play, player.side, defensive)
    if not defensive and play.forces.forced.any():
        pairs = pairs.where(play.forces.forced[pairs.at] == 0)
    if not len(pairs):
        return
    pairs = pairs.where(_lawful(play, pairs, player.aims(pairs, defensive)))
    with Volleys(play.ensemble) as volleys:
        _aim(play, volleys, pairs)
        for first, place in volleys.in_turn(play.forces):
            _volley(play, volleys, first, place, defensive)


def shots(play: Play, side: int, defensive: bool) -> Shots:
    """All that may be shot at by hexes of a side: in defensive fire next to them, else at any range."""
    forces = play.forces
    silent = forces.half.silent if defensive else np.zeros_like(forces.half.silent)
    lane, unit, place, target, at_hex, hexes = play.survey.fire_pairs(
        play.ensemble.all(), side, gunnery(play), silent, not defensive
    )
    return Shots(play.ensemble, lane, unit, place, target, at_hex, hexes)


def gunnery(play: Play) -> Gunnery:
    """What the roster can fire with."""
    forces, book = play.forces, play.book
    armed = forces.multiples.num > 0
    for formation in (COLUMN, GENERAL_ORDER, MASSE):
        armed[:, formation] = forces.fire.num > 0
    armed &= (forces.arm == INFANTRY)[:, None]
    guns = (forces.arm == ARTILLERY) & (forces.fire.num > 0)
    reach = _last(forces.roster.skirmish_shares.num > 0).astype(np.int16)
    return Gunnery(armed, guns, int(_last(book.gun_shares.num > 0)), reach)


def _last(some: Mask) -> Numbers:
    """Number of the last that is set along the last axis."""
    return some.shape[-1] - 1 - some[..., ::-1].argmax(axis=-1)


def _lawful(play: Play, pairs: Shots, wanted: Mask) -> Mask:
    """What is fired of what a player wants: guns keep to F13 to F15."""
    forces = play.forces
    guns = forces.arm[pairs.unit] == ARTILLERY
    guns |= (pairs.hexes > 1) & (forces.formation[pairs.at] != SKIRMISH)
    wanted = np.array(wanted)
    if (wanted & guns).any():
        rows = np.stack([pairs.lane, pairs.unit, pairs.place, pairs.target, pairs.at_hex, pairs.hexes])
        play.survey.settle_guns(_massing(play), rows, wanted, guns)
    return wanted


def _massing(play: Play) -> Massing:
    forces, combine, lanes = play.forces, play.book.blocks.fire.combine, play.ensemble.all()
    never = np.array([unit.nation in combine.never for unit in forces.units])
    bonus = np.array([0 if one is None else one.artillery for one, _ in forces.leaders], np.int64)
    side = np.array([int(forces.side[stack[0]]) for _, stack in forces.leaders], np.int64)
    at = np.full((len(forces.leaders), play.ensemble.n), forces.map.off, np.int64)
    for k in np.flatnonzero(bonus > 0).tolist():
        here = np.asarray(forces.leader_hex(k, lanes), np.int64)
        at[k] = np.where(forces.leader_fate[k] == OUT, forces.map.off, here)
    return Massing(combine.two, combine.three, bonus, side, at, never)


def _aim(play: Play, volleys: Volleys, pairs: Shots) -> None:
    """Note what is to be shot at, and by whom."""
    forces = play.forces
    for there, unit, place, row, second in (
        (pairs.at_hex, pairs.target, pairs.at_hex, volleys.due, volleys.due_second),
        (pairs.at_hex, pairs.unit, pairs.place, volleys.aim, volleys.aim_second),
    ):
        own = forces.hex[unit, pairs.lane] == place
        row[unit[own], pairs.lane[own]] = there[own]
        second[unit[~own], pairs.lane[~own]] = there[~own]
    several = np.zeros(len(pairs), bool)
    several[1:] = (pairs.lane[1:] == pairs.lane[:-1]) & (pairs.place[1:] == pairs.place[:-1])
    own = forces.hex[pairs.at] == pairs.place
    for part, row in ((own, volleys.aim), (~own, volleys.aim_second)):
        row[pairs.unit[several & part], pairs.lane[several & part]] = ANY


def _volley(play: Play, volleys: Volleys, first: Cases, place: Ids, defensive: bool) -> None:
    """One attack in each lane: at the hex of a unit that was due."""
    forces = play.forces
    top = forces.top(forces.side[first.unit], place, first.lane)
    left = top >= 0
    cases, place = first.of(np.maximum(top, 0)).where(left), place[left]
    cases.by = cases.unit
    firing = _firing(play, volleys, cases, place)
    rule = "27" if defensive else "24"
    attack(
        play,
        cases,
        rule,
        firing=firing,
        defensive=defensive,
        places=place,
        note=not defensive,
        repeatable=True,
    )


def _firing(play: Play, volleys: Volleys, cases: Cases, place: Ids) -> Firing:
    """The hexes that fire at hexes."""
    forces, lanes, parts = play.forces, cases.lane, []
    rows = [(volleys.aim, forces.hex)] + [(volleys.aim_second, forces.second)] * forces.spread
    for aim, stands in rows:
        mine = aim[:, lanes]
        case, unit = np.nonzero((mine == place).T)
        parts.append((case, unit, stands[unit, lanes[case]].astype(np.intp)))
        if (mine == ANY).any():
            case, unit = np.nonzero((mine == ANY).T)
            here = stands[unit, lanes[case]].astype(np.intp)
            who = Cases(cases.ensemble, lanes[case], unit, unit, cases.born)
            near = forces.map.distances(here, place[case]) == 1
            near &= play.survey.zone_from(who, here, place[case]) == FRONT
            case, unit = case[near], unit[near]
            parts.append((case, unit, here[near]))
            fired = forces.formation[unit, lanes[case]] != SQUARE
            aim[unit[fired], lanes[case[fired]]] = NOBODY
    case, unit, here = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((unit, case))
    return Firing(case[order], unit[order], here[order])


# -- opportunity ------------------------------------------------------------------------------------------


def opportunity_fire(play: Play, movers: Cases, player: Player) -> Cases:
    """Enemies who have movers across a front side may shoot at them as they are, before they leave their hex,
    change, or spend points there otherwise (rule 28; Z6): one attack on each hex, which takes nothing of what
    is fired in the fire segments.

    Parameters
    ----------
    movers
        Units of the other side than the player's.

    Returns
    -------
    The movers that are still on the map, fresh; they may be in another state, formation and hex.
    """
    forces = play.forces
    with Moving(play.ensemble) as moving:
        moving.unit[movers.lane] = movers.unit
        _at_opportunity(play, movers, player)
        left = moving.unit >= 0
        found = moving.cases(left, np.maximum(moving.unit, 0))
        return found.where(forces.state[found.at] != GONE)


def _at_opportunity(play: Play, movers: Cases, player: Player) -> None:
    forces, lanes = play.forces, movers.lane
    place, how = forces.hex[movers.at], gunnery(play)
    case, unit, here = play.survey.facing_pairs(lanes, place, player.side, how)
    if forces.spread:
        other = forces.second[movers.at]
        use = other != forces.map.off
        use[case] = False
        if use.any():
            place = np.where(use, other, place)
            case, unit, here = play.survey.facing_pairs(lanes, place, player.side, how)
    if not len(case):
        return
    fires = player.opportunity(Pairs(play.ensemble, lanes[case], unit, movers.unit[case]))
    case, unit, here = case[fires], unit[fires], here[fires]
    if not len(case):
        return
    some, number = np.unique(case, return_inverse=True)
    place = place[some].astype(np.intp)
    movers = movers.take(some)
    top = forces.top(1 - player.side, place, movers.lane)
    attack(
        play,
        movers.of(top),
        "28",
        firing=Firing(number, unit, here),
        about=movers.unit,
        repeatable=True,
        places=place,
    )


# -- charge files: all that can shoot does ----------------------------------------------------------------


def _all_at_hexes(play: Play, side: int) -> None:
    """Each hex of a side is shot at by all that bears on it, in the order of the top units as they stand when
    the segment begins; on a square only the square shoots (docs/charge.md 9.1)."""
    forces = play.forces
    with ShotAt(play.ensemble) as state:
        state.due[:] = tops(play) & (forces.side == side)[:, None]
        for unit in np.flatnonzero(state.due.any(axis=1)).tolist():
            cases = state.cases(state.due[unit] & (forces.state[unit] != GONE), unit)
            cases = cases.where(play.survey.touching(cases))
            here = forces.in_hex(forces.hex[cases.at], cases.lane)
            attack(play, cases, "27", shooters=~forces.shares_hex(cases) | here, defensive=True)
    forces.half.fired[:] = False


def _all_at_targets(play: Play, side: int, charges: tuple[Charge, ...]) -> None:
    """The hexes of the charges' targets are shot at, once each, unless a charger stands on it (docs/charge.md
    9.2)."""
    forces = play.forces
    with ShotAt(play.ensemble) as state:
        for number, charge in enumerate(charges):
            place = target_hex(play, charge)
            top = forces.top(1 - side, place, play.ensemble.all())
            fresh = (state.places != place).all(axis=0)
            cases = state.cases((top >= 0) & fresh, np.maximum(top, 0))
            cases = cases.where(~forces.shares_hex(cases))
            state.places[number, cases.lane] = place[cases.lane]
            cases = cases.where(play.survey.touching(cases))
            attack(play, cases, "24", once=True, repeatable=True)
    forces.half.fired[:] = False


def tops(play: Play) -> Flags:
    """The top unit of each side in each hex, shape (units, lanes)."""
    forces = play.forces
    units, n = forces.hex.shape
    counted = (forces.state != GONE) & (forces.unmanned == 0)
    place = np.where(counted, 2 * forces.hex.astype(np.int64) + forces.side[:, None], -1)
    order = (2 * place + forces.sheltered) * units + np.arange(units)[:, None]
    ranked = np.argsort(order, axis=0)
    sorted_ = np.take_along_axis(place, ranked, axis=0)
    first = np.ones((units, n), bool)
    first[1:] = sorted_[1:] != sorted_[:-1]
    found = np.zeros((units, n), bool)
    np.put_along_axis(found, ranked, first & (sorted_ >= 0), axis=0)
    return found


def target_hex(play: Play, charge: Charge) -> Numbers:
    """The hex of a charge's target while anybody of it is left there, else that of the first of them who is
    left, `off` if none is; shape (lanes,).

    Where the charge turned to a second unit, that unit's hex (0-decisions 5.34).
    """
    forces, state, lanes = play.forces, charge.state, play.ensemble.all()
    units = np.flatnonzero(state.of_hex.any(axis=1))
    there: Mask = state.of_hex[units] & (forces.state[units] != GONE) & (forces.unmanned[units] == 0)
    held = (there & (forces.hex[units] == state.target_hex)).any(axis=0)
    some, first = first_of(there)
    place = np.where(some, forces.hex[units[first], lanes], forces.map.off)
    place = np.where(held, state.target_hex, place)
    return np.where(state.turned, forces.hex[state.goal, lanes], place).astype(np.int64)
