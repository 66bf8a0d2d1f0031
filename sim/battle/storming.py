"""The assaults of a melee segment: who assaults which hex, who gets away before it, one hex after the other
(rules 29, 32 to 34; docs/battle.md, Assault).

Arrays have shape (k,), one element a case or pair, unless a docstring says otherwise.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from sim.battle.assault import assault, enter
from sim.battle.due import NOBODY, Due
from sim.battle.players import Player
from sim.battle.sides import Mask, Numbers
from sim.battle.told import GotAway
from sim.board.tables import Ints
from sim.combat.play import Play
from sim.ensemble.cases import Cases, Pairs, each, first_of
from sim.ensemble.frames import Flags, Rows, flag_per_unit, per_unit
from sim.ensemble.lanes import Ensemble, Ids
from sim.rules import assault as rules
from sim.vocabulary import CAVALRY, EXHAUSTED, FRESH, INFANTRY, ROUTED


class Targets(Pairs):
    """Units that may assault and the top units of the hexes that they may; by lane, then unit, then target.

    Parameters
    ----------
    at_hex
        The hex of each target.
    """

    __slots__ = ("at_hex",)

    def __init__(
        self, ensemble: Ensemble, lane: Ids, unit: Ids, target: Ids, at_hex: Ids, born: int = -1
    ) -> None:
        super().__init__(ensemble, lane, unit, target, born)
        self.at_hex = at_hex

    def where(self, mask: Mask) -> Self:
        """As for `Pairs`."""
        who = self.lane[mask], self.unit[mask], self.target[mask]
        return type(self)(self.ensemble, *who, self.at_hex[mask], self.born)


class Storms(Due):
    """What is still to be assaulted in a segment."""

    aim: Rows = per_unit("hex that it assaults", NOBODY)
    again: Flags = flag_per_unit("has entered a hex that was left before the melee: it may assault once more")


class Means(NamedTuple):
    """What assaults go by: which units are horse artillery, shape (units,), and the formations that may cross
    a hexside, a bit each, shape (arms, hexes, 6)."""

    horse_guns: Mask
    crossing: Ints


def storm(play: Play, player: Player, other: Player, means: Means) -> None:
    """The phasing side assaults, each hex once, in the order of their top units (A1 to A20).

    Parameters
    ----------
    player, other
        Who decides for the phasing side, and for the other.
    """
    forces, half = play.forces, play.forces.half
    may = rules.may_assault(forces.arm[:, None], forces.formation, forces.state, True)
    may &= (forces.forced == 0) & (forces.sheltered == 0) & ~half.meleed & ~half.charged & ~half.stands
    with Storms(play.ensemble) as storms:
        _round(play, storms, (player, other), may, half.shot_at, means)
        if storms.again.any():
            free = np.full_like(half.shot_at, NOBODY)
            _round(play, storms, (player, other), storms.again & ~half.meleed, free, means)


def _round(
    play: Play, storms: Storms, players: tuple[Player, Player], may: Flags, bound: Rows, means: Means
) -> None:
    """All assaults of units that may make one."""
    player, other = players
    pairs = _targets(play, player.side, may, bound, means.crossing)
    if len(pairs):
        _aim(play, storms, pairs.where(_one_each(pairs, player.storms(pairs))))
        for first, at_hex in storms.in_turn(play.forces):
            place = _row(play, first.lane, at_hex, NOBODY)
            _one(play, storms, place, player, other, means.horse_guns)


def _targets(play: Play, side: int, may: Flags, bound: Rows, crossing: Ints) -> Targets:
    """Whom units may assault: no hex that has been meleed in this segment, nor one that they could not
    enter."""
    forces, lanes = play.forces, play.ensemble.all()
    lane, unit, target, at_hex = play.survey.storm_pairs(lanes, side, may, bound, crossing)
    pairs = Targets(play.ensemble, lane, unit, target, at_hex)
    after = play.book.formation_after[forces.arm[unit], forces.formation[pairs.at], forces.ground[at_hex]]
    return pairs.where((after >= 0) & ~forces.half.meleed[pairs.there])


def _one_each(pairs: Targets, wanted: Mask) -> Mask:
    """The first of several that a unit is to assault."""
    found = np.array(wanted)
    (chosen,) = found.nonzero()
    lane, unit = pairs.lane[chosen], pairs.unit[chosen]
    later = np.zeros(len(chosen), bool)
    later[1:] = (lane[1:] == lane[:-1]) & (unit[1:] == unit[:-1])
    found[chosen[later]] = False
    return found


def _aim(play: Play, storms: Storms, pairs: Targets) -> None:
    forces = play.forces
    storms.aim[:] = NOBODY
    storms.aim[pairs.at] = pairs.at_hex
    own = forces.hex[pairs.there] == pairs.at_hex
    for part, row in ((own, storms.due), (~own, storms.due_second)):
        row[pairs.target[part], pairs.lane[part]] = pairs.at_hex[part]


def _one(play: Play, storms: Storms, place: Ids, player: Player, other: Player, horse_guns: Mask) -> None:
    """One assault in each lane, on a hex, shape (lanes,); none where that is NOBODY."""
    forces = play.forces
    attackers = (storms.aim == place) & (place >= 0) & (forces.state < ROUTED)
    top = forces.top(other.side, place, play.ensemble.all())
    attackers &= ~_left_out(play, attackers, top)
    lanes = np.flatnonzero((top >= 0) & attackers.any(axis=0))
    left = _retreats(play, attackers, place, lanes, other, horse_guns)
    if len(left):
        _follow(play, storms, attackers, place, left, player)
        place[left] = NOBODY
    assault(play, player.side, attackers, place, player.occupies, mounted=True)


def _left_out(play: Play, attackers: Flags, top: Numbers) -> Flags:
    """Who takes no part where both arms would: infantry in a melee of cavalry; cavalry in one of infantry
    where the edition bars it (PR17 p32; HE21 fb123)."""
    arm = play.forces.arm
    foot, horse = (attackers & (arm == one)[:, None] for one in (INFANTRY, CAVALRY))
    both = foot.any(axis=0) & horse.any(axis=0)
    if not both.any():
        return np.zeros_like(attackers)
    mounted = (top >= 0) & (arm[top] == CAVALRY)
    barred = both & ~mounted & (not play.switches["cavalry_joins"])
    return (foot & both & mounted) | (horse & barred)


# -- retreat before melee -----------------------------------------------------------------------------------


def _retreats(
    play: Play, attackers: Flags, place: Numbers, lanes: Ids, other: Player, horse_guns: Mask
) -> Ids:
    """Defenders get away before the melee (A4, A5); the lanes in which they have left the hex."""
    forces, before = play.forces, play.book.blocks.premelee.before_melee
    if not len(lanes):
        return lanes
    against = attackers[:, lanes]
    fastest = np.where(against, forces.movement[:, None], 0).max(axis=0)
    cavalry = (against & (forces.arm == CAVALRY)[:, None]).any(axis=0)
    fresh = (against & (forces.arm == CAVALRY)[:, None] & (forces.readiness[:, lanes] == FRESH)).any(axis=0)
    defenders = forces.standing(place[lanes], lanes, other.side) & (forces.sheltered[:, lanes] == 0)
    may = rules.may_retreat_before(
        forces.arm[:, None],
        forces.formation[:, lanes],
        forces.state[:, lanes],
        horse_guns[:, None],
        forces.movement[:, None],
        fastest,
        cavalry,
        before.advantage,
        (forces.readiness[:, lanes] == EXHAUSTED) & fresh,
    )
    some = defenders & may
    if not some.any():
        return lanes[:0]
    top = forces.cases(np.isin(play.ensemble.all(), lanes), 0)
    for _, cases in each(top, some):
        _get_away(play, cases.where(other.evades(cases)))
    return lanes[forces.top(other.side, place[lanes], lanes) < 0]


def _get_away(play: Play, cases: Cases) -> None:
    """Units go as few hexes as bring them away from all enemies, at least one, if any hex will do."""
    forces, before = play.forces, play.book.blocks.premelee.before_melee
    if not len(cases):
        return
    share = before.share
    points = forces.movement[cases.unit] * share.numerator // share.denominator
    steps = 0
    while len(cases):
        to, cost = play.survey.step_away(cases, points)
        goes = to != forces.map.off
        cases, to, points, steps = cases.where(goes), to[goes], (points - cost)[goes], steps + 1
        forces.place(cases, to)
        if steps == 1:
            forces.half.evaded[cases.at] = True
            play.log(GotAway, cases, "29")
        if steps > before.free:
            forces.hold(cases)
        still = play.survey.touching(cases)
        cases, points = cases.where(still), points[still]


def _follow(play: Play, storms: Storms, attackers: Flags, place: Numbers, lanes: Ids, player: Player) -> None:
    """The first attacker may enter the hex that was left, and may assault once more."""
    some, first = first_of(attackers[:, lanes])
    cases = play.forces.cases(np.isin(play.ensemble.all(), lanes[some]), _row(play, lanes, first))
    cases = cases.where(player.occupies(cases))
    entered = enter(play, cases, place[cases.lane])
    storms.again[entered.at] = True


def _row(play: Play, lanes: Ids, numbers: Ids, none: int = 0) -> Ids:
    """Units or hexes by lane, shape (lanes,)."""
    found = np.full(play.ensemble.n, none, np.intp)
    found[lanes] = numbers
    return found
