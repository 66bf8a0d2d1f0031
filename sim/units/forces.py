"""The state of every unit in every lane, and the verbs that change it.

Only this module writes the state; the verbs say what really happened, and log it where a run is told. The
roster (what a unit is) is the same in all lanes and is kept in plain arrays by unit.

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.board.hexmap import HexMap
from sim.board.limits import LEAST_IN_TWO, deployed
from sim.ensemble import ladder
from sim.ensemble.cases import Cases, each, first_of
from sim.ensemble.dice import Decision
from sim.ensemble.frames import (
    Flags,
    Frame,
    Row,
    Rows,
    flag_per_unit,
    per_lane,
    per_leader,
    per_unit,
)
from sim.ensemble.lanes import Ensemble, Ids
from sim.ensemble.ratios import Ratio
from sim.rulesets.conditions import code
from sim.rulesets.modifiers import Fact
from sim.rulesets.rulebook import Rulebook
from sim.units.attributes import Attributes
from sim.units.charges import Leader, Unit
from sim.units.record import Lost, Recorder
from sim.vocabulary import (
    ARMS,
    ARTILLERY,
    AWAITED,
    CAVALRY,
    COLUMN,
    DISORDERED,
    ELIMINATED,
    FORMATIONS,
    FRESH,
    GONE,
    GOOD,
    KINDS,
    LEFT,
    READINESS,
    ROUTED,
    STATES,
    SURRENDERED,
    UNLIMBERED,
)

FIT, OUT, STRUCK = range(3)
"""A leader: fit, out of play, or hit with his fate still to be rolled (he still counts)."""
NEVER = 999
"""The turn in which a leader comes back who was killed or captured."""
OF_THE_BOOK = 99
"""In place of penalties: those of the rule set's lines."""

Mask = NDArray[np.bool_]
Numbers = NDArray[np.integer]


class Half(Frame):
    """What is known of the units in one half."""

    hit: Flags = flag_per_unit("disordered, routed, gone, or moved by a failed check or a lettered result")
    worst: Rows = per_unit("the worst state so far", GOOD, high=GONE)
    charged: Flags = flag_per_unit("has charged")
    stands: Flags = flag_per_unit("failed its check to charge: it neither moves nor melees")
    meleed: Flags = flag_per_unit("has fought in a melee")
    reacted: Flags = flag_per_unit("has met a charge by a reaction")
    silent: Flags = flag_per_unit("guns caught from behind: no defensive fire")
    fired: Flags = flag_per_unit("its hex has fired in this segment")
    rout_pending: Flags = flag_per_unit("routed by fire, rout move still to come")
    fire_losses: Rows = per_unit("increments lost by fire, where a modifier asks for them")
    shot_at: Rows = per_unit("hex that it has fired at offensively; -1: none", -1)
    came_from: Rows = per_unit("hex from which it rode onto an enemy's; -1: none", -1)
    moved: Rows = per_unit("moved in its movement segment: 1 at most half its allowance, 2 more", high=2)
    evaded: Flags = flag_per_unit("has retreated before a melee")
    entered: Flags = flag_per_unit("has come onto the map")


class Routs(Frame):
    """The routs of a battle."""

    count: Rows = per_unit("how often it has become routed")
    hex: Rows = per_unit("where it stood when it last became routed; -1: it never did", -1)


class Forces(Frame):
    """Units by lanes: the frame that is never closed.

    Parameters
    ----------
    ensemble
        The batch.
    units, leaders
        Roster in unit order; leaders, each with the stack whose first unit left he stays with (None: there is
        no leader).
    sides, homes
        Side of each unit, 0 or 1, and the direction in which its side goes home, 0..5.
    map_, book
        The map and the rulebook.
    recorder
        For a run that is told.

    Attributes
    ----------
    melee, fire, lance
        Printed values, by unit.
    multiples
        What the increments of a hex count for in fire, by top unit and formation, shape (units, formations).
    roster
        What the rule set says of each unit.
    terrain, ground
        By hex: the terrain's code, and its number in `book.terrains`.
    crossings
        By hex and direction: the code of the hexside.
    penalties
        Steps on morale checks at levels 0 to 3 of units whose organisation has its own, shape (units, 4);
        `OF_THE_BOOK` of others.
    bonuses
        What leaders add, by kind, and 0 for none: shape (leaders + 1,).
    routs
        What is remembered of routs; None where nobody asks.
    in_battle
        Whether it is a battle: each leader is with a unit of his own choice, and time goes on after the half.
    spread, loose, deserted
        Whether any unit of the batch has ever been in two hexes, any skirmishers scattered, any guns
        abandoned: while none have, nobody looks for them.
    map_rows
        What the map shows: the rows of a `board.tables.Position`, shape (7 * units, lanes); another array
        when lanes split or merge, and not before.
    """

    hex: Rows = per_unit("where it stands, a number of the map; `off` if it is gone")
    facing: Rows = per_unit("hexside (even) or corner (odd) that it faces", high=11)
    formation: Rows = per_unit("a `vocabulary.Formation`", high=8)
    state: Rows = per_unit("a `vocabulary.State`", high=GONE)
    sheltered: Rows = per_unit("skirmishers who took shelter: 1, they lie at the bottom of the hex", high=1)
    unmanned: Rows = per_unit("guns that were abandoned: 1", high=1)
    second: Rows = per_unit("the other hex of a unit in two hexes, else `off`")
    increments: Rows = per_unit("increments left", high=999)
    reason: Rows = per_unit("why it is gone, a `vocabulary.Reason`", high=6)
    exit: Rows = per_unit("hex by which it left the map of its own will; -1: it has not", -1)
    readiness: Rows = per_unit("a `vocabulary.Readiness`", high=2)
    level: Rows = per_unit("morale level of its organisation that it suffers", high=3)
    held: Rows = per_unit("may not move in its next movement segment: 1", high=1)
    scattered: Rows = per_unit("skirmishers among others, or too many, who fight as disordered: 1", high=1)
    forced: Rows = per_unit("makes a force march in this turn: 1", high=1)
    forced_turns: Rows = per_unit("turns of force march in a row, up to its latest movement segment")
    leader_fate: Rows = per_leader("FIT, OUT or STRUCK", FIT, high=STRUCK)
    leader_at: Rows = per_leader("unit that he is with; -1: the first of his stack that is left", -1)
    leader_alone: Rows = per_leader("hex where his unit was lost, till he joins another; -1: he has one", -1)
    leader_until: Rows = per_leader("turn in which he is back, `NEVER` if he is not; 0: not away", high=NEVER)
    variant: Row = per_lane("which of the compared ways of playing")

    def __init__(
        self,
        ensemble: Ensemble,
        units: Sequence[Unit],
        leaders: Sequence[tuple[Leader | None, tuple[int, ...]]],
        sides: Sequence[int],
        homes: Sequence[int],
        map_: HexMap,
        book: Rulebook,
        recorder: Recorder | None = None,
    ) -> None:
        super().__init__(ensemble)
        self.half, self.spread, self.loose, self.deserted = Half(ensemble), False, False, False
        self.units, self.leaders = tuple(units), tuple(leaders)
        self.map, self.book, self.recorder = map_, book, recorder
        self.side = np.array(sides)
        self.home = np.array(homes)
        self.arm = np.array([ARMS.index(unit.arm) for unit in units])
        self._guns, self._sides = np.flatnonzero(self.arm == ARTILLERY), self.side.astype(np.int8)
        self.kind = np.array([kind_of(unit, book.light_from) for unit in units])
        self.printed = np.array([unit.printed for unit in units])
        self.morale = np.array([ladder.index_of(unit.morale) for unit in units])
        self.movement = np.array([unit.movement for unit in units])
        self.loss_first = np.array([unit.losses[0] for unit in units])
        self.loss_step = np.array([unit.losses[1] for unit in units])
        self.melee = _ratios([unit.melee for unit in units])
        self.fire = _ratios([unit.fire for unit in units])
        self.lance = _ratios([unit.lance for unit in units])
        self.multiples = Ratio.made(
            [[_multiple(unit, name).numerator for name in FORMATIONS] for unit in units],
            [[_multiple(unit, name).denominator for name in FORMATIONS] for unit in units],
        )
        types, nations_of = [unit.type for unit in units], [unit.nation for unit in units]
        self.roster = book.roster(nations_of, types, self.kind.tolist())
        nations = book.blocks.nations
        self.codes = {
            "nation": np.array([code(unit.nation) for unit in units]),
            "side": np.array([code(nations[unit.nation]) for unit in units]),
            "type": np.array([code(unit.type) for unit in units]),
            "arm": np.array([code(unit.arm) for unit in units]),
            "class": np.array([code({1: "light", 2: "heavy"}.get(int(kind), "none")) for kind in self.kind]),
            "morale": self.morale,
            "force_march": np.array([int(unit.force_march) for unit in units]),
            "lance": np.array([int(unit.lance > 0) for unit in units]),
        }
        self.terrain = np.full(map_.off + 1, code("clear"))
        for place, name in map_.terrain.items():
            self.terrain[map_.number(place)] = code(name)
        self.ground = np.full(map_.off + 1, book.terrains.index("clear"))
        for place, name in map_.terrain.items():
            self.ground[map_.number(place)] = book.terrains.index(name)
        self.crossings = np.full((map_.off + 1, 6), code("none"))
        for (place, side), name in map_.hexsides.items():
            if map_.holds(place):
                self.crossings[map_.number(place), side] = code(name)
        self.penalties = np.full((len(units), 4), OF_THE_BOOK, np.int64)
        self.routs: Routs | None = None
        self.in_battle = False
        self.bonuses = {
            kind: np.array([0 if one is None else getattr(one, kind) for one, _ in leaders] + [0])
            for kind in ("morale", "cavalry", "artillery", "melee")
        }
        self.leader_side = np.array([self.side[stack[0]] for _, stack in leaders], np.int64)
        self.hex[:] = self.second[:] = map_.off
        for u, unit in enumerate(units):
            self.level[u] = unit.level
            self.formation[u] = FORMATIONS.index(unit.formation)
            self.state[u] = STATES.index(unit.state)
            self.increments[u] = unit.increments
            self.readiness[u] = READINESS.index(unit.readiness)

    def new_half(self) -> None:
        """Another half begins: nothing has happened in it yet."""
        self.half.close()
        self.half = Half(self.ensemble)

    # -- reading ------------------------------------------------------------------------------

    def decision(self, decision: Decision) -> str:
        """A decision as it is shown: by whom and about whom, by their ids."""
        by = self.units[decision.by].id
        leader = decision.name.endswith("/leader")
        who = self.leaders[decision.about][0] if leader else self.units[decision.about]
        about = "" if who is None else who.id
        times = f"#{decision.nth + 1}" if decision.nth else ""
        return f"{decision.name}/{about if about == by else f'{by}>{about}'}{times}"

    def hexside(self, hexes: Numbers, direction: Numbers) -> NDArray[np.int64]:
        """The codes of hexsides by hex and direction."""
        return self.crossings[hexes, direction]

    def present(self, cases: Cases) -> Mask:
        """Where a unit is not gone."""
        return self.state[cases.at] != GONE

    def standing(self, hexes: Numbers, lanes: Ids, sides: Numbers | int | None = None) -> Flags:
        """Who stands in hexes, of a side or of both; guns that nobody mans do not count. Shape (units, k)."""
        found = self.in_hex(hexes, lanes)
        if self.deserted:
            found[self._guns] &= self.unmanned[self._guns[:, None], lanes] == 0
        if sides is not None:
            found &= self._sides[:, None] == np.asarray(sides, np.int8)
        return found

    def in_hex(self, hexes: Numbers, lanes: Ids) -> Flags:
        """Who is in hexes, of both sides and whatever its state, shape (units, k)."""
        places = np.asarray(hexes, np.int16)
        places = np.where(places == self.map.off, np.int16(-1), places)
        found: Flags = self.hex[:, lanes] == places
        if self.spread:
            found |= self.second[:, lanes] == places
        return found

    def stands_in(self, cases: Cases, hexes: Numbers) -> Mask:
        """Where a unit is in a hex, with both of its two."""
        found = self.hex[cases.at] == hexes
        return found | (self.second[cases.at] == hexes) if self.spread else found

    def in_two(self, cases: Cases) -> Mask:
        """Where a unit is in two hexes."""
        if not self.spread:
            return np.zeros(len(cases), bool)
        return np.asarray(self.second[cases.at] != self.map.off)

    def gap(self, hexes: Numbers, lanes: Ids) -> NDArray[np.int64]:
        """Hexes from each unit, from the nearer of its two, to hexes; 999 from `off`. Shape (units, k)."""
        there = np.broadcast_to(hexes, (len(self.units), len(lanes)))
        found = self.map.distances(self.hex[:, lanes], there)
        if self.spread:
            other = self.second[:, lanes]
            two = (other != self.map.off).nonzero()
            found[two] = np.minimum(found[two], self.map.distances(other[two], there[two]))
        return found

    def nearer(self, cases: Cases, hexes: Numbers) -> Numbers:
        """The hex of a unit, of two that which is nearer to hexes; its own `hex` if both are as near."""
        own = self.hex[cases.at]
        (two,) = self.in_two(cases).nonzero()
        if len(two):
            other, to, distances = self.second[cases.at][two], np.asarray(hexes)[two], self.map.distances
            closer = distances(other, to) < distances(own[two], to)
            own[two[closer]] = other[closer]
        return own

    def deployed(self, cases: Cases, hexes: Numbers) -> Numbers:
        """Increments of a unit in one of its hexes: of two half each, an odd one in its own `hex`."""
        left = self.increments[cases.at]
        if not self.spread:
            return left
        other = self.second[cases.at] == hexes
        return np.where(self.in_two(cases), np.where(other, deployed(left, 1), deployed(left, 0)), left)

    def engaged(self, cases: Cases, hexes: Numbers) -> Numbers:
        """Increments of a unit in those of its hexes that are next to a hex."""
        left = self.increments[cases.at]
        if not self.spread:
            return left
        two = self.in_two(cases)
        near, other = (self.map.distances(rows[cases.at], hexes) == 1 for rows in (self.hex, self.second))
        return np.where(two, deployed(left, 0) * near + deployed(left, 1) * other, left)

    def beside(self, cases: Cases) -> NDArray[np.int64]:
        """The hexes right and left of units that face a corner, where a second hex may lie, shape (2, k)."""
        side = self.facing[cases.at] // 2
        return np.stack([self.map.neighbours[self.hex[cases.at], (side + turn) % 6] for turn in (2, 5)])

    def mates(self, cases: Cases) -> Flags:
        """The other units of its side in a unit's hex, or in either of its two; guns that nobody mans do not
        count.

        Shape (units, k).
        """
        found = self._around(cases, self.side[cases.unit])
        found[cases.unit, np.arange(len(cases))] = False
        return found

    def shares_hex(self, cases: Cases) -> Mask:
        """Where an enemy stands in a unit's hex."""
        return np.asarray(self._around(cases, 1 - self.side[cases.unit]).any(axis=0))

    def _around(self, cases: Cases, sides: Numbers) -> Flags:
        """Who of a side stands in a unit's hex, or in either of its two, shape (units, k)."""
        found = self.standing(self.hex[cases.at], cases.lane, sides)
        if self.in_two(cases).any():
            found |= self.standing(self.second[cases.at], cases.lane, sides)
        return found

    def top(self, sides: Numbers | int, hexes: Numbers, lanes: Ids) -> NDArray[np.int64]:
        """The top unit of a side in a hex, -1 where there is none: who took shelter lies at the bottom,
        unmanned guns do not count."""
        there = self.standing(hexes, lanes, sides)
        some, first = first_of(there)
        best = np.where(some, first, -1)
        low = np.flatnonzero(self.sheltered[first, lanes] > 0)
        if len(low):
            above, first = first_of(there[:, low] & (self.sheltered[:, lanes[low]] == 0))
            best[low[above]] = first[above]
        return best

    def fighting(self, at: tuple[Ids, Ids]) -> Numbers:
        """The states in which units fight, by their index into rows: scattered skirmishers as disordered
        (S7)."""
        state = self.state[at]
        return np.maximum(state, self.scattered[at]) if self.loose else state

    def lost(self, cases: Cases) -> Numbers:
        """Increments a unit lacks of its printed strength."""
        return self.printed[cases.unit] - self.increments[cases.at]

    def leader_hexes(self, lanes: Ids) -> Numbers:
        """Where the leaders of a battle are, shape (leaders, k)."""
        return self.hex[self.leader_at[:, lanes], lanes]

    def leader_hex(self, leader: int, lanes: Ids) -> Numbers:
        """Where a leader is, `off` when nothing is left of his stack."""
        if self.in_battle:
            return self.hex[self.leader_at[leader, lanes], lanes]
        stack = self.leaders[leader][1]
        place = self.hex[stack[0], lanes]
        for unit in stack[1:]:
            place = np.where(place == self.map.off, self.hex[unit, lanes], place)
        return place

    def leader_in(self, cases: Cases) -> NDArray[np.int64]:
        """The leader of a unit's hex: the first listed of its side who is not out, -1 if there is none."""
        found, place = np.full(len(cases), -1), self.hex[cases.at]
        if self.in_battle:
            there, at = self.leader_hexes(cases.lane), cases.at
            alike = there == place
            if self.spread:
                alike |= there == self.second[at]
            leader, case = alike.nonzero()
            if not len(leader):
                return found
            counts = self.leader_fate[leader, cases.lane[case]] != OUT
            counts &= self.leader_side[leader] == self.side[cases.unit[case]]
            counts &= there[leader, case] != self.map.off
            found[case[counts][::-1]] = leader[counts][::-1]  # the first of several is written last
            return found
        for k in reversed(range(len(self.leaders))):
            leader, stack = self.leaders[k]
            if leader is None:
                continue
            (here,) = (self.leader_hex(k, cases.lane) == place).nonzero()
            if len(here):
                with_him = (self.leader_fate[k, cases.lane[here]] != OUT) & (place[here] != self.map.off)
                with_him &= self.side[cases.unit[here]] == self.side[stack[0]]
                found[here[with_him]] = k
        return found

    def leader_with(self, cases: Cases, bonus: str) -> tuple[Mask, Numbers]:
        """Where a leader who is not out stands in the unit's hex, and his bonus of a kind (0 elsewhere)."""
        first = self.leader_in(cases)
        return first >= 0, self.bonuses[bonus][first]

    def attributes_of(self, prefix: str, cases: Cases) -> Attributes:
        """Attributes of units under a prefix (`unit`, `target`, `charger`, `enemy`)."""
        return Attributes(prefix, (*self.codes, *_CHANGING), lambda name: self._attribute(name, cases))

    def _attribute(self, name: str, cases: Cases) -> Fact:
        """The codes of an attribute."""
        if name == "force_march":
            return self.codes[name][cases.unit] | self.forced[cases.at]
        if name in self.codes:
            return self.codes[name][cases.unit]
        if name in _CODED:
            codes: Numbers = _CODED[name]
            return codes[self.fighting(cases.at) if name == "state" else getattr(self, name)[cases.at]]
        if name == "level":
            return self.level[cases.at]
        if name == "half_lost":
            return np.asarray(2 * self.lost(cases) >= self.printed[cases.unit])
        if name == "terrain":
            return self.terrain[self.hex[cases.at]]
        if name == "fire_losses":
            return self.half.fire_losses[cases.at]
        leader, cavalry = self.leader_with(cases, "cavalry")
        counts = name == "leader" or (
            name == "recall_leader" and self.book.switches["recall_leader"] == "any"
        )
        return leader if counts else leader & (cavalry > 0)

    def _bind(self) -> None:
        super()._bind()
        self.map_rows: Rows = self._numbers[: 7 * self.ensemble.units, : self.ensemble.n]

    # -- verbs --------------------------------------------------------------------------------

    def place(
        self,
        cases: Cases,
        hexes: Numbers | int,
        facings: Numbers | int | None = None,
        second: Numbers | int | None = None,
    ) -> None:
        """Put units on hexes (numbers), in one each unless a second is given, with a facing if it changes."""
        self.hex[cases.at] = hexes
        if second is not None or self.spread:
            self.extend(cases, self.map.off if second is None else second)
        if facings is not None:
            self.facing[cases.at] = facings

    def lose(self, cases: Cases, increments: Numbers | int, rule: str) -> Numbers:
        """Take increments from units; at 0 they are gone. Returns what each really lost."""
        taken = np.minimum(self.increments[cases.at], increments)
        self.increments[cases.at] -= taken.astype(np.int16)
        if self.spread:
            few = self.increments[cases.at] < LEAST_IN_TWO[self.formation[cases.at]]
            self.close_up(cases.where(few))
        dead = (self.increments[cases.at] == 0) & self.present(cases)
        self._tell_loss(cases, taken, np.where(dead, ELIMINATED, 0), rule)
        self._remove(cases.where(dead), ELIMINATED)
        return taken

    def lose_in_order(self, units: Flags, cases: Cases, increments: Numbers, rule: str) -> Numbers:
        """Take increments from units of the cases' lanes, shape (units, k), the first as long as it has any,
        then the next; from those who took shelter last.

        Returns
        -------
        What is left of the increments when all have lost theirs.
        """
        left = np.array(increments, np.int64)
        low = units & (self.sheltered[:, cases.lane] > 0)
        for lot in (units & ~low, low) if low.any() else (units,):
            for some, one in each(cases, lot & (left > 0)):
                left[some] -= self.lose(one, left[some], rule)
        return left

    def become(self, cases: Cases, state: int) -> None:
        """Disorder, rout or rally units, with the formation that goes with it.

        Cavalry that would be disordered routs; unlimbered guns that would rout are eliminated; a routed unit
        that would be disordered stays routed.
        """
        if not len(cases):
            return
        arm = self.arm[cases.unit]
        states = np.where((arm == CAVALRY) & (state == DISORDERED), ROUTED, state)
        guns = (self.formation[cases.at] == UNLIMBERED) & (states == ROUTED)
        if guns.any():
            self.remove(cases.where(guns), ELIMINATED, "30")
            cases, states, arm = cases.where(~guns), states[~guns], arm[~guns]
        if self.routs is not None:
            new = (states == ROUTED) & (self.state[cases.at] < ROUTED)
            where = cases.where(new)
            self.routs.count[where.at] += 1
            self.routs.hex[where.at] = self.hex[where.at]
        self.state[cases.at] = states if state == GOOD else np.maximum(self.state[cases.at], states)
        foot_or_horse = cases.where(arm != ARTILLERY)
        self.close_up(foot_or_horse, self.homeward(foot_or_horse))
        self.formation[foot_or_horse.at] = COLUMN
        self.facing[foot_or_horse.at] -= self.facing[foot_or_horse.at] % 2
        if state != GOOD:
            self.half.hit[cases.at] = True
            self.half.worst[cases.at] = np.maximum(self.half.worst[cases.at], states)

    def form(self, cases: Cases, formation: Numbers | int) -> None:
        """Take a formation; a facing on a corner is brought to a side or the other way round, and who may not
        be in two hexes comes together in its own `hex`."""
        self.formation[cases.at] = formation
        if self.spread:
            self.close_up(cases.where(self.increments[cases.at] < LEAST_IN_TWO[formation]))
        corner = self.corner(cases)
        odd = self.facing[cases.at] % 2
        self.facing[cases.at] = (self.facing[cases.at] + np.where(corner, 1 - odd, -odd)) % 12

    def extend(self, cases: Cases, hexes: Numbers | int) -> None:
        """Put units into two hexes: their own, and one beside it."""
        self.second[cases.at] = hexes
        self.spread = self.spread or bool((self.second[cases.at] != self.map.off).any())

    def close_up(self, cases: Cases, hexes: Numbers | None = None) -> None:
        """Bring units in two hexes together in one: their own `hex`, or that given."""
        cases_in_two = self.in_two(cases)
        if not cases_in_two.any():
            return
        two = cases.where(cases_in_two)
        if hexes is not None:
            self.hex[two.at] = hexes[cases_in_two]
        self.second[two.at] = self.map.off

    def draw_home(self, units: Flags, lanes: Ids) -> None:
        """Bring units of lanes, shape (units, k), of whom any is in two hexes, together in that nearer
        home."""
        if not self.spread:
            return
        unit, case = (units & (self.second[:, lanes] != self.map.off)).nonzero()
        if len(unit):
            two = Cases(self.ensemble, lanes[case], unit, unit, self.ensemble.epoch)
            self.close_up(two, self.homeward(two))

    def homeward(self, cases: Cases) -> Numbers:
        """The hex of a unit, of two that which is nearer home."""
        own = self.hex[cases.at]
        (two,) = self.in_two(cases).nonzero()
        if len(two):
            other = self.second[cases.at][two]
            toward = (self.map.neighbours[own[two]] == other[:, None]).argmax(axis=1)
            nearer = (toward - self.home[cases.unit[two]] + 1) % 6 <= 2
            own[two[nearer]] = other[nearer]
        return own

    def corner(self, cases: Cases) -> NDArray[np.int64]:
        """1 where a unit faces a corner of its hex in its formation, 0 where a side."""
        return self.book.corner_facing[self.kind[cases.unit], self.formation[cases.at]].astype(np.int64)

    def remove(self, cases: Cases, reason: int, rule: str) -> None:
        """Take units off the map: eliminated, surrendered or abandoned and taken."""
        self._tell_loss(cases, self.increments[cases.at].copy(), np.full(len(cases), reason), rule)
        self._remove(cases, reason)

    def abandon(self, cases: Cases) -> None:
        """The crew of guns leaves them standing."""
        self.unmanned[cases.at] = 1
        self.deserted = self.deserted or len(cases) > 0

    def man(self, cases: Cases) -> None:
        """Guns have a crew again."""
        self.unmanned[cases.at] = 0

    def shelter(self, cases: Cases) -> None:
        """Skirmishers lie down at the bottom of a hex."""
        self.sheltered[cases.at] = 1

    def tire(self, cases: Cases, readiness: Numbers | int) -> None:
        """Bring units' readiness down to a level, never up."""
        self.readiness[cases.at] = np.maximum(self.readiness[cases.at], readiness)

    def rest(self, cases: Cases, levels: Numbers) -> None:
        """Bring units' readiness up by so many levels."""
        self.readiness[cases.at] = np.maximum(self.readiness[cases.at] - levels, FRESH)

    def set_levels(self, levels: Numbers) -> None:
        """The morale levels that units suffer, shape (units, lanes)."""
        self.level[:] = levels

    def hold(self, cases: Cases) -> None:
        """Units may not move in their next movement segment."""
        self.held[cases.at] = 1

    def release(self, side: int) -> None:
        """The movement segment of a side is over: its units may move again, and who has made no force march
        has rested from it."""
        mine = self.side == side
        self.held[mine] = 0
        if self.forced_turns.any():
            self.forced_turns[mine] *= self.forced[mine]

    def new_turn(self) -> None:
        """A turn begins: nobody makes a force march."""
        self.forced[:] = 0

    def force_march(self, cases: Cases) -> None:
        """Units make a force march in this turn."""
        self.forced[cases.at] = 1
        self.forced_turns[cases.at] += 1

    def march(
        self, cases: Cases, hexes: Numbers, seconds: Numbers, facings: Numbers, formations: Numbers
    ) -> None:
        """Units have marched to hexes, in two where a second one is not `off`."""
        self.hex[cases.at], self.facing[cases.at] = hexes, facings
        self.formation[cases.at] = formations
        if self.spread:
            self.second[cases.at] = seconds

    def has_moved(self, cases: Cases, how: Numbers) -> None:
        """How units have moved, as `Half.moved`."""
        self.half.moved[cases.at] = how

    def scatter(self, side: int, units: Flags) -> None:
        """Of a side these skirmishers, shape (units, lanes), fight as disordered, until its next movement is
        over."""
        mine = self.side == side
        if self.loose or units.any():
            self.scattered[mine], self.loose = units[mine], True

    def set_leader(self, leader: Numbers | int, lanes: Ids, fate: Numbers | int) -> None:
        """A leader is struck, out, or fit after all."""
        self.leader_fate[leader, lanes] = fate

    def send_leader(self, leader: Numbers | int, lanes: Ids, until: Numbers | int) -> None:
        """A leader is out until a turn, `NEVER` for good; 0: he is back and fit."""
        self.leader_until[leader, lanes] = until
        self.leader_fate[leader, lanes] = np.where(np.asarray(until) > 0, OUT, FIT)

    def join_leader(self, leader: int, lanes: Ids, unit: Numbers | int) -> None:
        """A leader is with a unit from now on."""
        self.leader_at[leader, lanes] = unit
        self.leader_alone[leader, lanes] = -1

    def keep_back(self, cases: Cases) -> None:
        """Units are reinforcements that are not yet on the map."""
        self._away(cases, AWAITED)

    def arrive(
        self, cases: Cases, hexes: Numbers | int, facings: Numbers | int, formation: Numbers | int
    ) -> None:
        """Reinforcements stand on hexes, in good order."""
        self.state[cases.at], self.reason[cases.at] = GOOD, 0
        self.formation[cases.at] = formation
        self.place(cases, hexes, facings)
        self.half.entered[cases.at] = True

    def leave_map(self, cases: Cases, hexes: Numbers) -> None:
        """Units leave the map by hexes of their own will, with the increments they have."""
        self.exit[cases.at] = hexes
        self._away(cases, LEFT)

    def _away(self, cases: Cases, reason: int) -> None:
        """Units are off the map with all their increments."""
        self.state[cases.at], self.reason[cases.at] = GONE, reason
        self.hex[cases.at] = self.second[cases.at] = self.map.off

    def _orphan(self, cases: Cases, reason: int) -> None:
        """Leaders of units that are lost are alone; with those who surrender they are captured."""
        mine = (self.leader_at[:, cases.lane] == cases.unit) & (self.leader_fate[:, cases.lane] != OUT)
        leader, case = mine.nonzero()
        if len(leader):
            lanes = cases.lane[case]
            self.leader_alone[leader, lanes] = self.hex[cases.unit[case], lanes]
            if reason == SURRENDERED:
                self.leader_fate[leader, lanes], self.leader_until[leader, lanes] = OUT, NEVER

    def _remove(self, cases: Cases, reason: int) -> None:
        if self.in_battle:
            self._orphan(cases, reason)
        self.state[cases.at] = self.half.worst[cases.at] = GONE
        self.reason[cases.at] = reason
        self.hex[cases.at] = self.second[cases.at] = self.map.off
        self.increments[cases.at] = 0
        self.half.hit[cases.at] = True
        self.unmanned[cases.at] = 0

    def _tell_loss(self, cases: Cases, taken: Numbers, gone: Numbers, rule: str) -> None:
        if self.recorder is not None:
            lost = taken > 0
            self.recorder.log(Lost, cases.where(lost), rule, increments=taken[lost], gone=gone[lost])


def kind_of(unit: Unit, light_from: int) -> int:
    """The kind of a unit, as a `vocabulary.Kind`; cavalry is light from a movement of `light_from`."""
    if unit.arm != "cavalry":
        return KINDS.index(unit.arm)
    return KINDS.index("light cavalry" if unit.light(light_from) else "heavy cavalry")


def _multiple(unit: Unit, formation: str) -> Fraction:
    """What increments count for in fire, 0 where they do not."""
    return unit.multiples.get(formation) or Fraction(0)


def _ratios(values: Sequence[Any]) -> Ratio:
    """A ratio a unit."""
    return Ratio.made([one.numerator for one in values], [one.denominator for one in values])


_CODED = {
    "formation": np.array([code(name) for name in FORMATIONS]),
    "state": np.array([code(name) for name in (*STATES, "gone")]),
    "readiness": np.array([code(name) for name in READINESS]),
}
"""Codes of the attributes that are rows of the state, by the rows' numbers."""

_CHANGING = (
    *_CODED,
    *("level", "half_lost", "terrain", "fire_losses", "leader", "cavalry_leader", "recall_leader"),
)
"""The attributes that are not the same all battle long."""
