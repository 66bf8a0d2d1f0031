"""Fire: the one attack on a hex, its losses and the checks it causes (rules 21 to 28; docs/charge.md
section 9).

Arrays have shape (k,), one element a case, unless a docstring says otherwise. Firing hexes have shape
(hexes,), the units that stand in them (members,): all of the first case, then all of the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sim.combat.failures import BY_FIRE, WITHOUT_A_ROLL, Failing
from sim.combat.leaders import Struck, fates, strike
from sim.combat.losses import spread
from sim.combat.play import Play
from sim.combat.told import Fired
from sim.ensemble.cases import Aimed, Cases, each
from sim.ensemble.frames import Flags
from sim.ensemble.lanes import Ids
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
    far: Flags | None = None,
    defensive: bool = False,
    once: bool = False,
    through: bool = False,
    about: NDArray[np.integer] | int | None = None,
    repeatable: bool = False,
) -> None:
    """All that can shoot at each target's hex do so, in one attack (rule 21).

    Parameters
    ----------
    targets
        The top units of the hexes.
    shooters
        Which units' hexes may shoot that touch the target's, shape (units, k); all by default. Others are
        silent.
    far
        Offensive fire: top units of hexes farther off, shape (units, k), whose unlimbered guns and
        skirmishers fire too, where they see the target through a front side and it is in their range (rules
        24 to 26).
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
    """
    forces, book, once = play.forces, play.book, once or defensive
    hexes = _bearing(play, targets, shooters, far, once, through)
    if not len(hexes.case):
        return
    if about is not None:
        about = np.broadcast_to(about, len(targets))
    under_fire, number = np.unique(hexes.case, return_inverse=True)
    if len(under_fire) < len(targets):
        targets, hexes.case = targets.take(under_fire), number
        about = about if about is None else about[under_fire]
    volley = _volley(play, targets, hexes, defensive)
    defence, increments = _defence(play, targets, volley.flank_only)
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
        firing = volley.fires & shot[hexes.case]
        forces.half.fired[hexes.top[firing], targets.lane[hexes.case[firing]]] = True
    mass = rules.massed(increments, fire.massed.above, fire.massed.each)
    bonus = np.where(volley.guns, volley.bonus, 0)[shot]
    targets = targets.where(shot)
    applied = Applied((), np.zeros(len(targets), np.int64))
    applied = applied.and_also("massed target", mass[shot], fire.massed.source)
    applied = applied.and_also("artillery leader", bonus, "[PRINT] AU16 p8")
    key = column[shot] + len(book.fire_columns) * (forces.leader_in(targets) >= 0)
    asked = targets if about is None else targets.of(about[shot])
    found, values = play.ask(
        "fire",
        asked.at_target(targets.unit),
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


def in_range(play: Play, targets: Cases, firers: Flags) -> Flags:
    """Which units could fire at the targets from farther off: in range, with sight through a front side
    (rules 24, 26); what `attack` may be given as `far`.

    Parameters
    ----------
    targets
        The top units of the hexes.
    firers
        Top units of hexes that may be asked, shape (units, lanes).

    Returns
    -------
    Shape (units, k).
    """
    forces, lanes, book = play.forces, targets.lane, play.book
    there, place = forces.hex[targets.at], forces.hex[:, lanes]
    hexes = forces.map.distances(place, there)
    ready = (forces.formation[:, lanes] == UNLIMBERED) & (forces.state[:, lanes] < ROUTED)
    ready &= forces.unmanned[:, lanes] == 0
    joins = (forces.arm == ARTILLERY)[:, None] | np.isin(forces.formation[:, lanes], (LINE, SQUARE))
    guns = np.zeros_like(ready)
    for at, mine in each(targets, ready):
        mates = (place[:, at] == forces.hex[mine.at]) & (forces.side[:, None] == forces.side[mine.unit])
        guns[:, at] |= mates & joins[:, at]
    own = forces.roster.skirmish_shares
    last = np.minimum(hexes, own.num.shape[1] - 1)
    loose = (forces.formation[:, lanes] == SKIRMISH) & (forces.arm == INFANTRY)[:, None]
    reaches = loose & (np.take_along_axis(own.num, last, axis=1) > 0)
    reaches |= guns & (rules.at_range(book.gun_shares, hexes).num > 0)
    found = firers[:, lanes] & reaches & (hexes > 1) & (forces.state[:, lanes] < ROUTED)
    found &= forces.side[:, None] != forces.side[targets.unit]
    for at, mine in each(targets, found):
        blind = ~play.survey.in_view(mine, there[at])
        found[mine.unit[blind], at[blind]] = False
    return found


# -- who fires --------------------------------------------------------------------------------


def _bearing(
    play: Play, targets: Cases, shooters: Flags | None, far: Flags | None, once: bool, through: bool
) -> Hexes:
    """The hexes whose top unit can fire at the targets' hexes."""
    forces, lanes = play.forces, targets.lane
    there = forces.hex[targets.at]
    zones = play.survey.bearing(lanes, there)
    if far is not None:
        zones, shooters = _far(play, targets, zones, shooters, far)
    unit, case = np.divmod(np.flatnonzero(zones >= 0), max(len(lanes), 1))
    enemy = (forces.side[unit] != forces.side[targets.unit[case]]) & (forces.unmanned[unit, lanes[case]] == 0)
    case, unit = case[enemy], unit[enemy]
    at = unit, lanes[case]
    place, low = forces.hex[at].astype(np.intp), forces.sheltered[at]
    order = np.lexsort((unit, low, place, case))  # the top unit first
    case, unit, place = case[order], unit[order], place[order]
    first = np.ones(len(case), bool)
    first[1:] = (case[1:] != case[:-1]) | (place[1:] != place[:-1])
    of = np.cumsum(first) - 1
    top, case_of, place_of = unit[first], case[first], place[first]
    lane = lanes[case_of]
    on_top = place_of == there[case_of]
    able = (on_top | (zones[top, case_of] == FRONT)) & (forces.arm[top] != CAVALRY)
    able &= (forces.state[top, lane] < ROUTED) & (forces.sheltered[top, lane] == 0)
    if once:
        able &= ~forces.half.fired[top, lane]
    if shooters is not None:
        able &= shooters[top, case_of]
    members = able[of]
    number = np.cumsum(able) - 1
    case_of, place_of, on_top = case_of[able], place_of[able], on_top[able] & (not through)
    hexes = np.ones(len(case_of), np.int64)
    if far is not None:
        hexes = np.maximum(forces.map.distances(place_of, there[case_of]), 1)
    return Hexes(case_of, place_of, top[able], on_top, hexes, unit[members], number[of[members]])


def _far(
    play: Play, targets: Cases, zones: NDArray[np.int16], shooters: Flags | None, far: Flags
) -> tuple[NDArray[np.int16], Flags]:
    """Zones toward the targets, and who may shoot, with units farther off: those in one hex with a top unit
    that fires from there turn to the target the side through which it sees it."""
    forces = play.forces
    there = forces.hex[targets.at]
    zones, allowed = zones.copy(), np.ones_like(far) if shooters is None else shooters.copy()
    for at, mine in each(targets, far & (zones < 0)):
        sees = play.survey.in_view(mine, there[at])
        at, mine = at[sees], mine.where(sees)
        mates = forces.standing(forces.hex[mine.at], mine.lane, forces.side[mine.unit])
        unit, case = np.nonzero(mates)
        zones[unit, at[case]], allowed[unit, at[case]] = FRONT, True
    return zones, allowed


# -- strength ---------------------------------------------------------------------------------


def _volley(play: Play, targets: Cases, hexes: Hexes, defensive: bool) -> Volley:
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
    men = np.zeros(len(lane), np.int64)
    counts = able & (forces.arm[hexes.unit] == INFANTRY)
    np.add.at(men, of[counts], forces.increments[hexes.unit[counts], where[counts]])
    formation = forces.formation[hexes.top, lane]
    infantry = forces.arm[hexes.top] == INFANTRY
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
    disordered = forces.state[at] == DISORDERED
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
    flank, bonus = _flanks(play, targets, hexes, fires, with_guns)
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


def _at_range(strength: Strength, share: Ratio, far: Ints, source: str | None) -> Strength:
    """What is left of a strength at more than one hex (rules 24, 26)."""
    return strength.times("range", share, source or "", far > 1, (far,))


def _infantry(
    play: Play, hexes: Hexes, lane: Ids, men: Ints, formation: NDArray[np.int16], told: bool
) -> Strength:
    """Fire of the infantry of each hex, as its top unit stands."""
    forces, fire, top = play.forces, play.book.blocks.fire, hexes.top
    at = top, lane
    disordered = forces.state[at] == DISORDERED
    printed = rules.printed_fire(
        forces.fire.take(top), forces.increments[at], forces.printed[top], disordered, told
    )
    masse = (formation == MASSE) & hexes.on_top
    printed = printed.times(
        "enemy on top", Ratio.of(fire.masse_on_top), fire.sources.masse_on_top or "", masse
    )
    most, multiple = play.book.fire_caps[formation], forces.multiples.take((top, formation))
    names: NDArray[np.str_] | str = np.array(FORMATIONS)[formation] if told else ""
    sources: Source = _multiple_sources(forces)[top, formation] if told else ""
    counted = rules.counted_fire(men, most, multiple, names, (fire.caps.source or "", sources), told)
    counted = _from_square(play, counted, hexes.on_top, formation == SQUARE)
    by_count = (formation == LINE) | (formation == SKIRMISH) | (formation == SQUARE)
    value = counted.where(by_count, printed)
    return value.where(formation != ROAD_MARCH)


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


def _flanks(play: Play, targets: Cases, hexes: Hexes, fires: Mask, with_guns: Mask) -> tuple[Mask, Ints]:
    """Where all that fires does so through flank sides, and what leaders add to the fire of guns."""
    flank, bonus = np.ones(len(targets), bool), np.zeros(len(targets), np.int64)
    firing = np.flatnonzero(fires)
    case = hexes.case[firing]
    place = np.arange(len(firing)) - np.searchsorted(case, case)
    for nth in range(int(place.max(initial=-1)) + 1):
        chosen = firing[place == nth]
        at = hexes.case[chosen]
        some = targets.take(at)
        zone = play.survey.zone_toward if (hexes.far[chosen] == 1).all() else play.survey.zone_along
        flank[at] &= zone(some, hexes.place[chosen]) == FLANK
        guns = np.flatnonzero(with_guns[chosen])
        if len(guns):
            _, worth = play.forces.leader_with(some.take(guns).of(hexes.top[chosen[guns]]), "artillery")
            bonus[at[guns]] += worth
    return flank, bonus


# -- defence ----------------------------------------------------------------------------------


def _defence(play: Play, targets: Cases, flank_only: Mask) -> tuple[Strength, Ints]:
    """Fire defence of the target hexes, and their increments (B2.3)."""
    forces, book, fire = play.forces, play.book, play.book.blocks.fire
    lanes, place = targets.lane, forces.hex[targets.at]
    k, standing = len(targets), forces.standing(place, lanes, forces.side[targets.unit])
    unit, case = np.divmod(np.flatnonzero(standing), k)
    member = unit, lanes[case]
    strong, in_line = forces.increments[member], forces.formation[member] == LINE
    increments = np.bincount(case, strong, k).astype(np.int64)
    formation, state = forces.formation[targets.at], forces.state[targets.at]
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


def _consequences(play: Play, shot: Aimed, loss: NDArray[np.int16], hit: Mask, rule: str) -> None:
    """Losses, the checks they bring, and leaders who were hit."""
    forces, targets, lanes = play.forces, shot.targets(), shot.lane
    hexes, side = forces.hex[targets.at], forces.side[targets.unit]
    with Struck(play.ensemble) as struck:
        struck.by[lanes], struck.hex[lanes] = targets.by, hexes
        strike(play, targets.where(hit))
        unit, case = np.nonzero((forces.hex[:, lanes] == hexes) & (forces.side[:, None] == side))
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
