"""Who meets in a melee, where, and what each unit is worth in it (rules 32 to 35; docs/charge.md 10.1, 10.4
to 10.7).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sim.charge.course import Course
from sim.combat.play import Play
from sim.ensemble.cases import Cases, each, first_of
from sim.ensemble.frames import (
    Flags,
    Frame,
    Row,
    Rows,
    flag_per_unit,
    per_lane,
    per_unit,
)
from sim.ensemble.lanes import Ids
from sim.ensemble.ratios import Ratio
from sim.rules import melee as rules
from sim.rules.strengths import Share, Strength
from sim.rulesets.conditions import code
from sim.rulesets.modifiers import Fact
from sim.units.attributes import Attributes
from sim.vocabulary import ARTILLERY, CAVALRY, DISORDERED, FRONT, GONE, GOOD, INFANTRY, LINE, ZONES

Numbers = NDArray[np.integer]
Mask = NDArray[np.bool_]

ZONE_CODES = np.array([code(zone) for zone in ZONES])


class MeleeState(Frame):
    """What one melee has to remember."""

    lead: Row = per_lane("the regiment that leads the attack, -1: there is no melee", -1)
    defender: Row = per_lane("the top unit of the hex when the dice are thrown, -1: there is no melee", -1)
    place: Row = per_lane("the hex that is attacked", -1)
    letter: Row = per_lane("the result's letter, -1 for a result in numbers", -1, high=5)
    effect: Row = per_lane("number of the effect still to be carried out, 0 for none")
    gun_effect: Rows = per_unit("its own effect, of unlimbered guns that stand with infantry")
    fought: Flags = flag_per_unit("took part")
    star: Flags = flag_per_unit("must check by the result in numbers")
    fell_back: Flags = flag_per_unit("must check after falling back")
    origin: Rows = per_unit("the hex from which a lettered result drives it, -1 for none", -1)


def all_of(play: Play, units: Flags, by: Row | int = -1) -> Iterator[Cases]:
    """Some units, shape (units, lanes): the first of each lane, then the second and so on; no lane may split
    meanwhile.

    Parameters
    ----------
    by
        Of whose action it comes, one a lane or the same in all; the unit itself by default.
    """
    whose = None if isinstance(by, int) and by < 0 else by
    first = play.forces.cases(*first_of(units), whose)
    for _, cases in each(first, units[:, first.lane]):
        yield cases


class Attackers(ABC):
    """Who attacks in a melee: a charge, or an assault.

    Attributes
    ----------
    side
        Their side.
    arms
        Those among them, for what the matrix does to attackers.
    apart
        Whether they attack from several hexes.
    bonus
        Which bonus of a leader with them counts on the melee dice, by arm.
    """

    side: int
    arms: tuple[int, ...] = (CAVALRY,)
    apart: bool = False
    bonus: ClassVar[dict[int, str]] = {INFANTRY: "melee", CAVALRY: "cavalry"}

    @property
    @abstractmethod
    def by(self) -> Row | int:
        """Of whose action it comes, one a lane or the same in all."""

    @abstractmethod
    def standing(self) -> Flags:
        """Those who take part, shape (units, lanes)."""

    @abstractmethod
    def facts(self, cases: Cases) -> dict[str, Fact]:
        """Attributes of the situation that are theirs: `charge`, `chasing`, `preserving`."""

    def met(self, cases: Cases) -> Mask:
        """Which defenders came to meet them by a reaction."""
        return np.zeros(len(cases), bool)

    @abstractmethod
    def bounce(self, lanes: Mask) -> None:
        """A blank result sends them back, in lanes of a mask."""


class Chargers(Attackers):
    """The regiments of a charge."""

    def __init__(self, charge: Course) -> None:
        self.charge, self.side = charge, charge.side

    @property
    def by(self) -> Row | int:
        return self.charge.by

    def standing(self) -> Flags:
        return self.charge.riders()

    def facts(self, cases: Cases) -> dict[str, Fact]:
        charge = self.charge.state
        return {
            "charge": charge.bonus[cases.lane],
            "chasing": charge.chasing[cases.lane],
            "preserving": charge.preserve[cases.lane],
        }

    def met(self, cases: Cases) -> Mask:
        return self.charge.state.met[cases.at]

    def bounce(self, lanes: Mask) -> None:
        self.charge.state.bounced[lanes] = True


class Part:
    """What one unit gives in each of some cases.

    Parameters
    ----------
    at
        Numbers of the cases in which there is such a unit, shape (m,).
    units
        The unit in each of these, shape (m,).
    strength
        What it gives.
    """

    def __init__(self, at: Ids, units: Ids, strength: Strength) -> None:
        self.at, self.units, self.strength = at, units, strength


def total(parts: list[Part], n: int) -> Ratio:
    """What all parts make in n cases."""
    found = Ratio.zero(n)
    for part in parts:
        more = Ratio.zero(n)
        value = part.strength.value.spread(len(part.at))
        more.num[part.at], more.den[part.at] = value.num, value.den
        found = found + more
    return found


class Sides:
    """The attackers and the defenders of a melee, in every lane in which there is one.

    Parameters
    ----------
    play, party
        The battle, and who attacks.
    state
        What the melee remembers.
    """

    def __init__(self, play: Play, party: Attackers, state: MeleeState) -> None:
        self.play, self.party, self.state = play, party, state
        self.forces, self.book, self.survey = play.forces, play.book, play.survey
        self.side = party.side
        self.enemies: Mask = self.forces.side != self.side

    def cases(self, mask: Mask | None = None) -> Cases:
        """The top defenders, in the lanes of a mask; in all that have a melee by default."""
        state = self.state
        fights = state.defender >= 0
        return state.cases(fights if mask is None else fights & mask, state.defender, self.party.by)

    def leads(self, cases: Cases) -> Cases:
        """The leading attackers."""
        return cases.of(self.state.lead[cases.lane])

    def attackers(self) -> Flags:
        """Of a charge the regiments in good order that came with it, of an assault those who passed their
        checks, shape (units, lanes) (docs/charge.md 10.6)."""
        return self.party.standing()

    def defenders(self, sheltered: bool = False) -> Flags:
        """Units of the hex that is attacked, shape (units, lanes); those who took shelter have no part but in
        the result (docs/charge.md 10.7)."""
        forces, state = self.forces, self.state
        found = forces.hex == state.place
        if forces.spread:
            found |= forces.second == state.place
        found &= (forces.state != GONE) & (forces.unmanned == 0)
        found &= self.enemies[:, None] & (state.defender >= 0)
        return found if sheltered else found & (forces.sheltered == 0)

    def top_defender(self, hexes: Numbers, lanes: Ids) -> Numbers:
        """Who leads the defence of a hex; -1 where nobody but the sheltered is in it (§10.1, §10.7)."""
        top = self.forces.top(1 - self.side, hexes, lanes)
        return np.where((top >= 0) & (self.forces.sheltered[top, lanes] > 0), -1, top)

    def named(self, units: Flags, case: int) -> str:
        """The units of a case by name."""
        return " and ".join(self.forces.units[u].name for u in np.flatnonzero(units[:, case]).tolist())

    def men(self, cases: Cases, hexes: Numbers) -> Numbers:
        """Increments with which units take part: of a defender in two hexes those in the hex attacked, of an
        attacker those in hexes next to it (O5)."""
        forces = self.forces
        if not forces.spread:
            return forces.increments[cases.at]
        ours, theirs = forces.engaged(cases, hexes), forces.deployed(cases, hexes)
        return np.where(self.enemies[cases.unit], theirs, ours)

    # -- the situation ----------------------------------------------------------------------

    def comes_from(self, cases: Cases) -> Numbers:
        """The hex from which the charger attacks: its own, or the one from which it rode onto the
        defenders'."""
        leads = self.leads(cases)
        here = self.forces.nearer(leads, self.state.place[cases.lane])
        behind = self.survey.ahead(here, (self.forces.facing[leads.at] // 2 + 3) % 6)
        return np.where(here == self.state.place[cases.lane], behind, here)

    def situation(self, cases: Cases, from_: Numbers | None = None) -> dict[str, Fact]:
        """Attributes of the melee that are not a unit's own, for attackers who come from some hexes (by
        default the leading ones')."""
        here = self.state.place[cases.lane]
        from_ = self.comes_from(cases) if from_ is None else from_
        return {
            "hexside": ZONE_CODES[self.survey.zone_toward(cases, from_)],
            "crosses": self.forces.hexside(here, self.survey.toward(here, from_)),
            **self.party.facts(cases),
            "facing": np.full(len(cases), ZONE_CODES[FRONT]),
        }

    # -- values -------------------------------------------------------------------------------

    def attack(self, cases: Cases) -> list[Part]:
        """What each attacker gives."""
        forces, scene, found = self.forces, self.situation(cases), []
        for at, mine in each(cases, self.attackers()[:, cases.lane]):
            if self.party.apart:
                from_ = forces.nearer(mine, self.state.place[mine.lane])
                own: dict[str, Fact] = self.situation(cases.take(at), from_)
            else:
                own = _narrowed(scene, at)
            known = own | forces.attributes_of("enemy", cases.take(at))
            found.append(Part(at, mine.unit, self._with_lance(self._value(mine, "attack", known), mine)))
        return found

    def defence(self, cases: Cases) -> list[Part]:
        """What each defender gives."""
        forces, none, found = self.forces, np.zeros(len(cases), bool), []
        scene = self.situation(cases) | {"charge": none, "chasing": none, "preserving": none}
        from_ = self.comes_from(cases)
        for at, mine in each(cases, self.defenders()[:, cases.lane]):
            facing = ZONE_CODES[self.survey.zone_toward(mine, from_[at])]
            known = _narrowed(scene, at) | {"facing": facing}
            value = self._value(
                mine, "defence", known | forces.attributes_of("enemy", self.leads(cases.take(at)))
            )
            shaken = (forces.arm[mine.unit] == ARTILLERY) & (forces.state[mine.at] == DISORDERED)
            value = value.at_least("guns", 1, "[PRINT] AE15 p11", shaken & (value.value.num > 0))
            if self.book.lance_counter:
                counter = self.party.met(mine) & (forces.state[mine.at] == GOOD)
                value = self._with_lance(value, mine, counter)
            found.append(Part(at, mine.unit, value))
        return found

    def _value(self, cases: Cases, side: str, known: Attributes) -> Strength:
        forces, unit = self.forces, cases.unit
        known = known | forces.attributes_of("unit", cases)
        increments, printed = self.men(cases, self.state.place[cases.lane]), forces.printed[unit]
        return rules.melee_value(
            forces.melee.take(unit), increments, printed, side, known, self.book.multipliers
        )

    def _with_lance(self, value: Strength, cases: Cases, where: Mask | None = None) -> Strength:
        """With the lance bonus of an attacker, or of a reactor (docs/charge.md 10.5)."""
        forces, unit, formation = self.forces, cases.unit, self.forces.formation[cases.at]
        factor, increments = self.book.lance_factor[formation], forces.increments[cases.at]
        printed = forces.printed[unit]
        words = np.where(formation == LINE, "line", "column")
        lances = np.array([str(one.lance) for one in forces.units])[unit]
        told = (lances, factor, words, increments, printed)
        bonus = rules.lance(forces.lance.take(unit), factor, increments, printed)
        return value.plus("lance", bonus, self.book.blocks.melee.lance.source or "", where, told)

    def told(self, parts: list[Part], case: int) -> tuple[Share, ...]:
        """What each unit of a case gives, for a run that is told."""
        found = []
        for part in parts:
            for k in np.flatnonzero(part.at == case).tolist():
                factors = part.strength.factors(k)
                if factors:
                    found.append(Share(self.forces.units[int(part.units[k])].name, factors))
        return tuple(found)


def _narrowed(facts: dict[str, Fact], at: Ids) -> dict[str, Fact]:
    return {name: fact[at] for name, fact in facts.items()}
