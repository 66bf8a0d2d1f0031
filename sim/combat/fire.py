"""Fire: the one attack on a hex, its losses and the checks it causes (rules 21 to 28; docs/charge.md
section 9).

Arrays have shape (k,), one element a case, unless a docstring says otherwise. Firing hexes have shape
(hexes,), the units that stand in them (members,): all of the first case, then all of the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sim.combat.failures import BY_FIRE, WITHOUT_A_ROLL, Failing
from sim.combat.leaders import Struck, fates, strike
from sim.combat.losses import spread
from sim.combat.play import Play
from sim.combat.told import Fired
from sim.ensemble.cases import Aimed, Cases
from sim.ensemble.frames import Flags
from sim.ensemble.lanes import Ensemble, Ids
from sim.ensemble.ratios import Ratio
from sim.rules import fire as rules
from sim.rules import morale
from sim.rules.strengths import Share, Source, Strength, Strengths
from sim.rulesets.blocks import Foot
from sim.rulesets.compiled import DISORDERED_SHAPE, SHAPES
from sim.rulesets.modifiers import Applied
from sim.units.forces import Forces
from sim.vocabulary import (
    ARTILLERY,
    CAVALRY,
    COLUMN,
    DISORDERED,
    FLANK,
    FORMATIONS,
    FRONT,
    GONE,
    INFANTRY,
    LINE,
    MASSE,
    ROAD_MARCH,
    ROUTED,
    SKIRMISH,
    SQUARE,
    UNLIMBERED,
)

Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]
Places = NDArray[np.integer]


class Firing(NamedTuple):
    """Hexes that fire, shape (hexes,): the case that each fires in, its top unit, its number. Cases rise."""

    case: Ids
    top: Ids
    place: Ids


class ShotAt(Aimed):
    """Cases whose targets' hexes are shot at, shape (k,)."""

    __slots__ = ("place",)

    def __init__(
        self, ensemble: Ensemble, lane: Ids, unit: Ids, by: Ids, born: int, target: Ids, place: Places
    ) -> None:
        super().__init__(ensemble, lane, unit, by, born, target)
        self.place = place

    @classmethod
    def of_cases(cls, cases: Cases, target: Ids, place: Places) -> ShotAt:
        """Cases, each with a target and the hex that is shot at."""
        return cls(cases.ensemble, cases.lane, cases.unit, cases.by, cases.born, target, place)

    def take(self, index: Ids, lane: Ids | None = None) -> Self:
        """As for `Cases`."""
        lanes, born = (self.lane[index], self.born) if lane is None else (lane, self.ensemble.epoch)
        mine = self.unit[index], self.by[index]
        return type(self)(self.ensemble, lanes, *mine, born, self.target[index], self.place[index])


@dataclass
class Hexes:
    """Hexes that fire, and who is in them.

    Attributes
    ----------
    case, place, top, on_top, far
        Of each hex: the case it fires in, its number, its top unit, whether it fires at an enemy on it, how
        many hexes off the target is if that is more than one (else 1). Cases rise.
    unit, of
        Of each member: who it is, and the number of its hex. Numbers rise.
    """

    case: Ids
    place: Ids
    top: Ids
    on_top: Mask
    far: Ints
    unit: Ids
    of: Ids

    def holds(self, members: Mask) -> Mask:
        """Which hexes hold one of some members."""
        return np.bincount(self.of[members], minlength=len(self.case)) > 0


@dataclass
class Volley:
    """What is fired at each target.

    Attributes
    ----------
    hexes
        Those that bear on it.
    shares, share_of
        Strength of the infantry of each hex, then of each battery; whose it is: the number of the hex, and
        the unit.
    strength
        Of each case.
    fires
        Which hexes fire.
    guns, foot, canister
        Whether guns, and whether infantry, take part; whether guns fire canister.
    flank_only
        Whether all goes through flank sides.
    bonus
        Of the leaders with the guns.
    """

    hexes: Hexes
    shares: tuple[Strength, Strength]
    share_of: tuple[tuple[Ids, Ids], tuple[Ids, Ids]]
    strength: Ratio
    fires: Mask
    guns: Mask
    foot: Mask
    canister: Mask
    flank_only: Mask
    bonus: Ints


def attack(
    play: Play,
    targets: Cases,
    rule: str,
    shooters: Flags | None = None,
    firing: Firing | None = None,
    defensive: bool = False,
    once: bool = False,
    through: bool = False,
    about: NDArray[np.integer] | int | None = None,
    repeatable: bool = False,
    places: Places | None = None,
    note: bool = False,
) -> None:
    """All that can shoot at each target's hex do so, in one attack (rule 21).

    Parameters
    ----------
    targets
        The top units of the hexes.
    places
        The hexes; those in which the targets have their own place by default.
    shooters
        Which units' hexes may shoot that touch the target's, shape (units, k); all by default. Others are
        silent.
    firing
        The hexes that shoot, next to the target's or farther off, as `survey.fire_pairs` finds them, instead
        of all that touch it; of farther hexes unlimbered guns and skirmishers fire (rules 24 to 26).
    defensive
        Each hex fires once a segment, and guns caught from behind are silent (rule 27).
    once
        Each hex fires once a segment.
    through
        A square under the target shoots as through one hexside.
    about
        The units that the decision is about: the targets by default.
    repeatable
        Whether a run may take the decision several times.
    note
        Whether it is remembered at which hex each unit has fired, for the assaults.
    """
    forces, book, once = play.forces, play.book, once or defensive
    there = forces.hex[targets.at] if places is None else places
    if firing is None:
        hexes = _bearing(play, targets, there, shooters, once, through)
    else:
        hexes = _hexes(play, targets, there, firing)
    if not len(hexes.case):
        return
    if about is not None:
        about = np.broadcast_to(about, len(targets))
    under_fire, number = np.unique(hexes.case, return_inverse=True)
    if len(under_fire) < len(targets):
        targets, hexes.case, there = targets.take(under_fire), number, there[under_fire]
        about = about if about is None else about[under_fire]
    volley = _volley(play, targets, there, hexes, defensive)
    defence, increments = _defence(play, targets, there, volley.flank_only)
    fire = book.blocks.fire
    canister = volley.canister
    lowest = book.switches["below_lowest"] == "lowest"
    whole = defence.value.num // defence.value.den
    column = rules.fire_column(
        volley.strength, whole, book.fire_columns, canister, fire.canister_shift, lowest
    )
    shot = (volley.strength.num > 0) & (column >= 0)
    if not shot.any():
        return
    strengths = _told(play, targets, volley, defence, column, canister, shot)
    if once:
        fires = volley.fires & shot[hexes.case]
        forces.half.fired[hexes.top[fires], targets.lane[hexes.case[fires]]] = True
    if note:
        _note(play, targets, there, hexes, volley.fires & shot[hexes.case])
    mass = rules.massed(increments, fire.massed.above, fire.massed.each)
    bonus = np.where(volley.guns, volley.bonus, 0)[shot]
    targets, there = targets.where(shot), there[shot]
    applied = Applied((), np.zeros(len(targets), np.int64))
    applied = applied.and_also("massed target", mass[shot], fire.massed.source)
    applied = applied.and_also("artillery leader", bonus, "[PRINT] AU16 p8")
    key = column[shot] + len(book.fire_columns) * (forces.leader_in(targets) >= 0)
    asked = targets if about is None else targets.of(about[shot])
    found, values = play.ask(
        "fire",
        ShotAt.of_cases(asked, targets.unit, there),
        book.fire_chart,
        key,
        applied,
        rule,
        repeatable,
        strengths,
        told=Fired,
        target=targets.unit,
    )
    size = len(book.fire_chart.outcomes)
    _consequences(play, found, values % size, values >= size, rule)


# -- who fires --------------------------------------------------------------------------------


def _hexes(play: Play, targets: Cases, there: Places, firing: Firing) -> Hexes:
    """Hexes that are known to fire, and who is in them."""
    forces, (case, top, place) = play.forces, firing
    of, unit = np.nonzero(forces.standing(place, targets.lane[case], forces.side[top]).T)
    far = np.maximum(forces.map.distances(place, there[case]), 1)
    return Hexes(case, place, top, place == there[case], far, unit, of)


def _bearing(
    play: Play, targets: Cases, there: Places, shooters: Flags | None, once: bool, through: bool
) -> Hexes:
    """The hexes next to the targets' whose top unit can fire at them."""
    forces, lanes = play.forces, targets.lane
    zones = play.survey.bearing(lanes, there)
    unit, case = np.divmod(np.flatnonzero(zones >= 0), max(len(lanes), 1))
    enemy = (forces.side[unit] != forces.side[targets.unit[case]]) & (forces.unmanned[unit, lanes[case]] == 0)
    case, unit = case[enemy], unit[enemy]
    place, zone = forces.hex[unit, lanes[case]].astype(np.intp), zones[unit, case]
    if forces.spread:
        unit, case, place, zone = _both_hexes(play, targets, there, unit, case, zone)
    low = forces.sheltered[unit, lanes[case]]
    order = np.lexsort((unit, low, place, case))  # the top unit first
    case, unit, place, zone = case[order], unit[order], place[order], zone[order]
    head = np.ones(len(case), bool)
    head[1:] = (case[1:] != case[:-1]) | (place[1:] != place[:-1])
    of = np.cumsum(head) - 1
    top, case_of, place_of = unit[head], case[head], place[head]
    lane = lanes[case_of]
    on_top = place_of == there[case_of]
    able = (on_top | (zone[head] == FRONT)) & (forces.arm[top] != CAVALRY)
    able &= (forces.state[top, lane] < ROUTED) & (forces.sheltered[top, lane] == 0)
    if once:
        able &= ~forces.half.fired[top, lane]
    if shooters is not None:
        able &= shooters[top, case_of]
    members = able[of]
    number = np.cumsum(able) - 1
    case_of, place_of, on_top = case_of[able], place_of[able], on_top[able] & (not through)
    near = np.ones(len(case_of), np.int64)
    return Hexes(case_of, place_of, top[able], on_top, near, unit[members], number[of[members]])


def _both_hexes(
    play: Play, targets: Cases, there: Places, unit: Ids, case: Ids, zone: NDArray[np.int16]
) -> tuple[Ids, Ids, Ids, NDArray[np.int16]]:
    """Units that bear on hexes, by each of their hexes: unit, case, hex, its zone toward the target."""
    forces, lane = play.forces, targets.lane[case]
    place = forces.hex[unit, lane]
    both = np.flatnonzero(forces.second[unit, lane] != forces.map.off)
    alone = np.setdiff1d(np.arange(len(unit)), both)
    parts = [(unit[alone], case[alone], place[alone], zone[alone])]
    for row in (forces.hex, forces.second):
        who, where = unit[both], case[both]
        place = row[who, lane[both]]
        mine = Cases(targets.ensemble, lane[both], who, who, targets.born)
        found = play.survey.zone_from(mine, place, there[where])
        near = (forces.map.distances(place, there[where]) == 1) | (place == there[where])
        parts.append((who[near], where[near], place[near], found[near]))
    units, cases, places, zones = (np.concatenate(column) for column in zip(*parts, strict=True))
    return units, cases, places.astype(np.intp), zones


# -- strength ---------------------------------------------------------------------------------


def _volley(play: Play, targets: Cases, there: Places, hexes: Hexes, defensive: bool) -> Volley:
    """The strength of all that fires."""
    forces, lanes, k = play.forces, targets.lane, len(targets)
    told = play.recorder is not None
    lane, of = lanes[hexes.case], hexes.of
    where = lane[of]
    able = (forces.state[hexes.unit, where] < ROUTED) & (forces.sheltered[hexes.unit, where] == 0)
    ready = able & (forces.arm[hexes.unit] == ARTILLERY)
    ready &= forces.formation[hexes.unit, where] == UNLIMBERED
    if defensive:
        ready &= ~forces.half.silent[hexes.unit, where]
    infantry = forces.arm[hexes.top] == INFANTRY
    _silence(play, hexes, ready, infantry)
    men = np.zeros(len(lane), np.int64)
    counts = able & (forces.arm[hexes.unit] == INFANTRY)
    strong: Places = forces.increments[hexes.unit[counts], where[counts]]
    if forces.spread:
        mine = Cases(targets.ensemble, where[counts], hexes.unit[counts], hexes.unit[counts], targets.born)
        strong = forces.deployed(mine, hexes.place[of[counts]])
    np.add.at(men, of[counts], strong)
    formation = forces.formation[hexes.top, lane]
    foot = Strength.zero(len(lane), told)
    if infantry.any():
        foot = _infantry(play, hexes, lane, men, formation, told).where(infantry)
    shoots = foot.value.num > 0
    joins = hexes.holds(ready) & (~infantry | (shoots & ((formation == LINE) | (formation == SQUARE))))
    if (hexes.far > 1).any():
        foot = foot.where((hexes.far == 1) | (formation == SKIRMISH))
        skirmishers = forces.roster.skirmish_shares
        share = skirmishers.take((hexes.top, np.minimum(hexes.far, skirmishers.num.shape[1] - 1)))
        foot = _at_range(foot, share, hexes.far, play.book.blocks.fire.skirmish_range.source)
        shoots = foot.value.num > 0
    battery, gun_of = hexes.unit[ready], of[ready]
    at = battery, lane[gun_of]
    guns = Strength.zero(0, told)
    if len(battery):
        disordered = forces.fighting(at) == DISORDERED
        guns = rules.gun_fire(
            forces.fire.take(battery), forces.increments[at], forces.printed[battery], disordered, told
        )
        square = infantry & (formation == SQUARE)
        guns = _from_square(play, guns, hexes.on_top[gun_of], square[gun_of]).where(joins[gun_of])
    far = hexes.far[gun_of]
    if (far > 1).any():
        source = play.book.blocks.fire.guns.source
        guns = _at_range(guns, rules.at_range(play.book.gun_shares, far), far, source)
    fires = shoots | (np.bincount(gun_of[guns.value.num > 0], minlength=len(lane)) > 0)
    strength = foot.value.summed(hexes.case, k) + guns.value.summed(hexes.case[gun_of], k)
    with_guns = fires & joins
    alone = ~(np.bincount(hexes.case[shoots | (with_guns & (hexes.far > 1))], minlength=k) > 0)
    near = np.bincount(hexes.case[with_guns & (hexes.far == 1)], minlength=k) > 0
    flank, bonus = _flanks(play, targets, there, hexes, fires, with_guns)
    return Volley(
        hexes,
        (foot, guns),
        ((np.arange(len(lane)), hexes.top), (gun_of, battery)),
        strength,
        fires,
        np.bincount(hexes.case[with_guns], minlength=k) > 0,
        np.bincount(hexes.case[shoots], minlength=k) > 0,
        near & (bool(play.book.switches["canister_combined"]) | alone),
        flank & (strength.num > 0),
        bonus,
    )


def _silence(play: Play, hexes: Hexes, ready: Mask, infantry: Mask) -> None:
    """Of the batteries of a hex only the first fires with infantry, and in ground other than clear (rule
    25)."""
    (battery,) = ready.nonzero()
    of = hexes.of[battery]
    later = np.zeros(len(battery), bool)
    later[1:] = of[1:] == of[:-1]
    if later.any():
        rough = play.forces.ground[hexes.place[of]] != play.book.terrains.index("clear")
        ready[battery[later & (rough | infantry[of])]] = False


def _at_range(strength: Strength, share: Ratio, far: Ints, source: str | None) -> Strength:
    """What is left of a strength at more than one hex (rules 24, 26)."""
    return strength.times("range", share, source or "", far > 1, (far,))


def _infantry(
    play: Play, hexes: Hexes, lane: Ids, men: Ints, formation: NDArray[np.int16], told: bool
) -> Strength:
    """Fire of the infantry of each hex, as its top unit stands."""
    forces, fire, top = play.forces, play.book.blocks.fire, hexes.top
    most, multiple = play.book.fire_caps[formation], forces.multiples.take((top, formation))
    names: NDArray[np.str_] | str = np.array(FORMATIONS)[formation] if told else ""
    sources: Source = _multiple_sources(forces)[top, formation] if told else ""
    counted = rules.counted_fire(men, most, multiple, names, (fire.caps.source or "", sources), told)
    if forces.loose:
        half = Ratio.of(Fraction(1, 2))
        counted = counted.times("disordered", half, "[PRINT] AU16 p21", forces.scattered[top, lane] > 0)
    counted = _from_square(play, counted, hexes.on_top, formation == SQUARE)
    by_count = (formation == LINE) | (formation == SKIRMISH) | (formation == SQUARE)
    if not by_count.all():
        counted = counted.where(by_count, _as_printed(play, hexes, lane, formation, told))
    return counted.where(formation != ROAD_MARCH)


def _as_printed(play: Play, hexes: Hexes, lane: Ids, formation: NDArray[np.int16], told: bool) -> Strength:
    """Fire of columns and the like: what is printed of the top unit."""
    forces, fire, top = play.forces, play.book.blocks.fire, hexes.top
    at = top, lane
    disordered = forces.fighting(at) == DISORDERED
    printed = rules.printed_fire(
        forces.fire.take(top), forces.increments[at], forces.printed[top], disordered, told
    )
    masse = (formation == MASSE) & hexes.on_top
    return printed.times("enemy on top", Ratio.of(fire.masse_on_top), fire.sources.masse_on_top or "", masse)


def _multiple_sources(forces: Forces) -> NDArray[np.str_]:
    """Where the multiples of a unit's fire stand, shape (units, formations)."""
    found = [
        [
            (troop.source or "")
            if isinstance(troop, Foot) and getattr(troop, name, None) == unit.multiples.get(name)
            else ""
            for name in FORMATIONS
        ]
        for unit, troop in zip(forces.units, forces.roster.troops, strict=True)
    ]
    return np.array(found)


def _from_square(play: Play, strength: Strength, on_top: Mask, where: Mask) -> Strength:
    """What a square's strength gives through one hexside, or at an enemy on top of it."""
    fire = play.book.blocks.fire
    all_round, one_side = Fraction(1, fire.on_top_divisor), Fraction(1, fire.square_divisor)
    strength = strength.times(
        "enemy on top", Ratio.of(all_round), fire.sources.on_top_divisor or "", where & on_top
    )
    return strength.times(
        "one hexside", Ratio.of(one_side), fire.sources.square_divisor or "", where & ~on_top
    )


def _flanks(
    play: Play, targets: Cases, there: Places, hexes: Hexes, fires: Mask, with_guns: Mask
) -> tuple[Mask, Ints]:
    """Where all that fires does so through flank sides, and what leaders add to the fire of guns.

    Cases are taken once a firing hex here, so that a lane may occur several times.
    """
    forces, flank, bonus = play.forces, np.ones(len(targets), bool), np.zeros(len(targets), np.int64)
    (firing,) = fires.nonzero()
    case, place = hexes.case[firing], hexes.place[firing]
    at_each = targets.take(case)
    if forces.spread:
        zone = play.survey.zone_from(at_each, there[case], place)
    elif (hexes.far[firing] == 1).all():
        zone = play.survey.zone_toward(at_each, place)
    else:
        zone = play.survey.zone_along(at_each, place)
    flank[case[zone != FLANK]] = False
    (guns,) = with_guns[firing].nonzero()
    if len(guns):
        _, worth = forces.leader_with(at_each.take(guns).of(hexes.top[firing[guns]]), "artillery")
        np.add.at(bonus, case[guns], worth)
    return flank, bonus


# -- defence ----------------------------------------------------------------------------------


def _defence(play: Play, targets: Cases, place: Places, flank_only: Mask) -> tuple[Strength, Ints]:
    """Fire defence of the target hexes, and their increments (B2.3)."""
    forces, book, fire = play.forces, play.book, play.book.blocks.fire
    lanes, k = targets.lane, len(targets)
    standing = forces.standing(place, lanes, forces.side[targets.unit])
    unit, case = np.divmod(np.flatnonzero(standing), k)
    member = unit, lanes[case]
    in_line = forces.formation[member] == LINE
    strong: Places = forces.increments[member]
    if forces.spread:
        mine = Cases(targets.ensemble, lanes[case], unit, unit, targets.born)
        strong = forces.deployed(mine, np.asarray(place)[case])
    increments = np.bincount(case, strong, k).astype(np.int64)
    formation, state = forces.formation[targets.at], forces.fighting(targets.at)
    deployed = np.bincount(case[in_line], strong[in_line], k).astype(np.int64)
    crowded = (formation == LINE) & (deployed >= fire.line_as_column)
    formed = np.where(crowded, COLUMN, formation)
    shaken = (state == DISORDERED) | (state == ROUTED)
    shape = np.where(shaken, DISORDERED_SHAPE - DISORDERED + state, formed)
    chart, ground = book.fire_defence, forces.ground[place]
    at = forces.roster.defence_class[targets.unit], ground, shape
    value, told = Ratio.made(chart.value[at], 1), play.recorder is not None
    source: Source = np.array(chart.sources)[chart.source[at]] if told else ""
    words = (np.array(SHAPES)[shape], np.array(book.terrains)[ground]) if told else ()
    full = crowded & ~shaken
    found = Strength.zero(len(targets), told)
    found = found.plus("fire defence", value, source, ~full, words)
    found = found.plus("full line", value, source, full, (*words, fire.line_as_column))
    guns = np.bincount(case[forces.arm[unit] == ARTILLERY], minlength=k) > 0
    beside = guns & (forces.arm[targets.unit] == INFANTRY) & (formed != SQUARE)
    why = fire.sources.with_guns or ""
    if fire.with_guns >= 0:
        found = found.plus("guns in the hex", Ratio.of(fire.with_guns), why, beside)
    else:
        found = found.minus("guns in the hex", -fire.with_guns, why, beside)
    found = found.at_most("through the flank", fire.flank, fire.sources.flank or "", flank_only)
    return found.at_least("least defence", 1), increments


def _note(play: Play, targets: Cases, there: Places, hexes: Hexes, fires: Mask) -> None:
    """Remember at which hex each unit fires: the top unit, and the infantry that counts with it."""
    forces = play.forces
    case = hexes.case[hexes.of]
    at = hexes.unit, targets.lane[case]
    counted = np.isin(forces.formation[at], (LINE, SQUARE, SKIRMISH)) & (forces.arm[hexes.unit] == INFANTRY)
    takes_part = fires[hexes.of] & (counted | (hexes.unit == hexes.top[hexes.of]))
    unit, lane = hexes.unit[takes_part], targets.lane[case[takes_part]]
    forces.half.shot_at[unit, lane] = np.asarray(there)[case[takes_part]]


# -- what is told -----------------------------------------------------------------------------


def _told(
    play: Play,
    targets: Cases,
    volley: Volley,
    defence: Strength,
    column: NDArray[np.integer],
    canister: Mask,
    shot: Mask,
) -> Strengths | None:
    """Both sides of the attack in the lane that is told."""
    case = play.watched(targets)
    if case is None or not shot[case]:
        return None
    forces, fire = play.forces, play.book.blocks.fire
    shares = []
    for guns, (strength, (of, unit)) in enumerate(zip(volley.shares, volley.share_of, strict=True)):
        for i in np.flatnonzero((volley.hexes.case[of] == case) & (strength.value.num > 0)).tolist():
            factors = strength.factors(i)
            who = [int(unit[i])]
            if any(one.what == "increments" for one in factors):
                who = _shooters(forces, volley.hexes, int(of[i]), int(targets.lane[case]))
            names = " and ".join(forces.units[u].name for u in who)
            top = int(volley.hexes.top[of[i]])
            shares.append(((top, guns, int(unit[i])), Share(names, factors)))
    shares.sort(key=lambda one: one[0])
    defended = Share(forces.units[int(targets.unit[case])].name, defence.factors(case))
    shift = fire.canister_shift if canister[case] else 0
    return Strengths(
        tuple(share for _, share in shares),
        (defended,),
        play.book.fire_columns[int(column[case])],
        (shift, "canister", fire.sources.canister_shift or ""),
    )


def _shooters(forces: Forces, hexes: Hexes, number: int, lane: int) -> list[int]:
    """The infantry of a firing hex whose increments count, in unit order."""
    there = hexes.unit[hexes.of == number]
    able = (forces.arm[there] == INFANTRY) & (forces.state[there, lane] < ROUTED)
    return sorted(there[able & (forces.sheltered[there, lane] == 0)].tolist())


# -- consequences -----------------------------------------------------------------------------


def _consequences(play: Play, shot: ShotAt, loss: NDArray[np.int16], hit: Mask, rule: str) -> None:
    """Losses, the checks they bring, and leaders who were hit."""
    forces = play.forces
    if not forces.roster.checks_without_loss.any():
        matters = (loss > 0) | hit
        shot, loss, hit = shot.where(matters), loss[matters], hit[matters]
        if not len(shot):
            return
    targets, lanes = shot.targets(), shot.lane
    hexes, side = shot.place, forces.side[targets.unit]
    with Struck(play.ensemble) as struck:
        struck.by[lanes], struck.hex[lanes] = targets.by, hexes
        strike(play, targets.where(hit))
        unit, case = np.nonzero(forces.in_hex(hexes, lanes) & (forces.side[:, None] == side))
        there = unit, lanes[case]
        before = forces.printed[unit] - forces.increments[there]
        spread(play, targets, side, hexes, loss, True, rule)
        after = forces.printed[unit] - forces.increments[there]
        if play.counts_fire_losses:
            forces.half.fire_losses[there] += (after - before).astype(np.int16)
        left = forces.state[there] != GONE
        lost, roster = left & (after > before), forces.roster
        shaken = morale.loss_calls_for_check(before, after, forces.loss_first[unit], forces.loss_step[unit])
        due = {
            "loss-check": lost & shaken & ~roster.routs_on_loss[unit],
            "under-fire": left & ~lost & roster.checks_without_loss[unit],
            WITHOUT_A_ROLL: lost & roster.routs_on_loss[unit],
        }
        kinds = [(kind, _flags(play, unit[mask], there[1][mask])) for kind, mask in due.items() if mask.any()]
        if kinds:
            with Failing(play, BY_FIRE) as failing:
                failing.checks(kinds, struck.by, "31")
        fates(play, play.book.leader_charts[1], BY_FIRE, struck.by, hexes=struck.hex)


def _flags(play: Play, unit: Ids, lane: Ids) -> Flags:
    """Flags of some units in some lanes, shape (units, lanes)."""
    found = np.zeros((play.ensemble.units, play.ensemble.n), bool)
    found[unit, lane] = True
    return found
