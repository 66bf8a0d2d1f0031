"""The state of every unit in every lane, and the verbs that change it.

Only this module writes the facts that describe units; the verbs say what really happened. The roster (what a unit is) is the same in all
lanes and is kept in plain arrays by unit.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.board.hexmap import HexMap
from sim.ensemble import ladder
from sim.ensemble.ratios import Ratio
from sim.old.lanes import Ids, Lanes, Rows
from sim.old.survey import Survey
from sim.rulesets.conditions import code
from sim.rulesets.rulebook import Rulebook
from sim.units.charges import Leader, Unit
from sim.vocabulary import (
    ARMS,
    ARTILLERY,
    CAVALRY,
    COLUMN,
    DISORDERED,
    ELIMINATED,
    FORMATIONS,
    GONE,
    GOOD,
    KINDS,
    READINESS,
    ROUTED,
    STATES,
    UNLIMBERED,
)

HOMES = (3, 0)
"""Home direction of the charger's and of the target's side."""
FIT, OUT, STRUCK = range(3)
"""A leader: fit, out of play, or hit with his fate still to be rolled (he still counts)."""
LOSS, LEADER, CONTAGION, STAR, PASSED, FALL_BACK, UNDER_FIRE, FAILED, SHOT_AT, SCATTERS = (
    1 << bit for bit in range(10)
)
"""What may be due to a unit, as bits: checks, the one attack on its hex, and those that its failing brings to others."""

_MAP_FACTS = ("hex", "facing", "formation", "state", "sheltered", "unmanned")
_UNIT_FACTS = (
    *_MAP_FACTS,
    "increments",
    "reason",  # why it is gone
    "readiness",
    "silent",  # guns caught from behind: no defensive fire
    "fired",  # its hex has fired in this segment
    "rout_due",  # routed by fire, rout move still to come
    "hit",  # disordered, routed, gone, or moved by a failed check or a lettered result
    "worst",  # worst state so far
    "attempt",  # what its carré attempt gave: 0 none, 1 formed, 2 disordered, 3 routed
    "attempt_as_target",
    "refused",  # why an attempt was refused
    "declared",  # 0 no, 1 target, 2 passed
    "reacting",  # 0 no, 1 tried in vain, 2 on its way, 3 met
    "points",  # movement points spent as charger or reactor
    "leads_in",  # direction of the charge 0..5
    "straight",
    "steps",
    "step_turn",  # the step it is about to make: hexsides turned, points
    "step_price",
    "resume",  # what the charge was about to do when its top regiment dropped out
    "node",  # where its charge stands
    "bonus",  # charge doubling
    "foe",  # unit it will melee + 1
    "foe_hex",  # where that unit stood when the charge ended
    "effect",  # melee effect being carried out
    "compulsory",
    "unchecked",  # contact without a check: the ordinary pre-melee check is still to come
    "letter",  # melee result being carried out: column of the matrix + 1, 0 for a number
    "riding",  # means to ride over its goal's square, which is not its target
    "ride_left",  # steps still to make over squares and off them
    "ridden",  # square that the charge has ridden over
    "halting",  # a halt of its own will was refused
    "turned_at",  # steps made when it went another way
    "aim",  # unit it turned to instead of its goal + 1
    "chasing",
    "contact",
    "came_from",  # hex from which it rode onto a square
    "origin",  # hex it left last because of a failed check or result
    "leaving",  # part of a routed group not yet away
    "recalled",  # 1 recalled, 2 not
    "charged",
    "with_charge",  # rides in the charge's hex, or did when it was last in good order
    "meleed",
    "bounced",
    "response",
    "due",  # checks still to come, a bit each
    "rolled",  # events for which it has rolled, a bit each while they last
    "gives_way",  # moves of failed checks still to come, a bit each
    "fire_losses",  # increments lost by fire in this half, where a modifier asks for them
)
_LANE_FACTS = (
    "variant",
    "square_plan",
    "disordered_plan",
    "no_target",
    "after_halt",
    "recalled_plan",
    "preserve",
    "struck_hex",
)
_WORKING = (
    *("points", "leads_in", "straight", "steps", "node", "declared", "attempt_as_target", "response"),
    *("riding", "ride_left", "ridden", "halting", "turned_at", "step_turn", "step_price", "resume"),
)

Mask = NDArray[np.bool_]
Cases = NDArray[Any]


class Forces(Lanes):
    """Units by lanes.

    Parameters
    ----------
    units, leaders
        Roster in unit order; leaders, each with the stack whose first unit left he stays with (None: there is no leader).
    map_, book
        The map and the rulebook.
    variants
        Number of lanes to start with.
    """

    hex: NDArray[np.int16]
    facing: NDArray[np.int16]
    formation: NDArray[np.int16]
    state: NDArray[np.int16]
    increments: NDArray[np.int16]
    reason: NDArray[np.int16]
    readiness: NDArray[np.int16]
    sheltered: NDArray[np.int16]
    unmanned: NDArray[np.int16]
    silent: NDArray[np.int16]
    fired: NDArray[np.int16]
    rout_due: NDArray[np.int16]
    hit: NDArray[np.int16]
    worst: NDArray[np.int16]
    attempt: NDArray[np.int16]
    attempt_as_target: NDArray[np.int16]
    refused: NDArray[np.int16]
    declared: NDArray[np.int16]
    reacting: NDArray[np.int16]
    points: NDArray[np.int16]
    leads_in: NDArray[np.int16]
    straight: NDArray[np.int16]
    step_turn: NDArray[np.int16]
    step_price: NDArray[np.int16]
    resume: NDArray[np.int16]
    steps: NDArray[np.int16]
    node: NDArray[np.int16]
    bonus: NDArray[np.int16]
    foe: NDArray[np.int16]
    foe_hex: NDArray[np.int16]
    effect: NDArray[np.int16]
    compulsory: NDArray[np.int16]
    unchecked: NDArray[np.int16]
    letter: NDArray[np.int16]
    riding: NDArray[np.int16]
    ride_left: NDArray[np.int16]
    ridden: NDArray[np.int16]
    halting: NDArray[np.int16]
    turned_at: NDArray[np.int16]
    aim: NDArray[np.int16]
    chasing: NDArray[np.int16]
    contact: NDArray[np.int16]
    came_from: NDArray[np.int16]
    origin: NDArray[np.int16]
    leaving: NDArray[np.int16]
    recalled: NDArray[np.int16]
    charged: NDArray[np.int16]
    with_charge: NDArray[np.int16]
    meleed: NDArray[np.int16]
    bounced: NDArray[np.int16]
    response: NDArray[np.int16]
    due: NDArray[np.int16]
    rolled: NDArray[np.int16]
    fire_losses: NDArray[np.int16]
    gives_way: NDArray[np.int16]
    leader_out: NDArray[np.int16]
    struck_hex: NDArray[np.int16]
    variant: NDArray[np.int16]
    square_plan: NDArray[np.int16]
    disordered_plan: NDArray[np.int16]
    no_target: NDArray[np.int16]
    after_halt: NDArray[np.int16]
    recalled_plan: NDArray[np.int16]
    preserve: NDArray[np.int16]

    def __init__(
        self,
        units: Sequence[Unit],
        leaders: Sequence[tuple[Leader | None, tuple[int, ...]]],
        map_: HexMap,
        book: Rulebook,
        variants: int,
    ) -> None:
        n = len(units)
        layout = (
            [(name, n) for name in _UNIT_FACTS]
            + [("leader_out", max(1, len(leaders)))]
            + [(name, 1) for name in _LANE_FACTS]
        )
        super().__init__(layout, variants)
        self.units = tuple(units)
        self.leaders = tuple(leaders)
        self.map = map_
        self.book = book
        self.side = np.array([0 if unit.side == "charger" else 1 for unit in units])
        self.arm = np.array([ARMS.index(unit.arm) for unit in units])
        self.kind = np.array([kind_of(unit, book.light_from) for unit in units])
        self.printed = np.array([unit.printed for unit in units])
        self.morale = np.array([ladder.index_of(unit.morale) for unit in units])
        self.movement = np.array([unit.movement for unit in units])
        self.loss_first = np.array([unit.losses[0] for unit in units])
        self.loss_step = np.array([unit.losses[1] for unit in units])
        self.melee_value = [Ratio.of(unit.melee) for unit in units]
        self.fire_value = [Ratio.of(unit.fire) for unit in units]
        self.lance_value = [Ratio.of(unit.lance) for unit in units]
        nations = book.blocks.nations
        self.codes = {
            "nation": np.array([code(unit.nation) for unit in units]),
            "side": np.array([code(nations[unit.nation]) for unit in units]),
            "type": np.array([code(unit.type) for unit in units]),
            "arm": np.array([code(unit.arm) for unit in units]),
            "class": np.array([code({1: "light", 2: "heavy"}.get(int(kind), "none")) for kind in self.kind]),
            "level": np.array([unit.level for unit in units]),
            "morale": self.morale,
            "force_march": np.array([int(unit.force_march) for unit in units]),
            "lance": np.array([int(unit.lance > 0) for unit in units]),
        }
        roster = (tuple(one.tolist()) for one in (self.side, self.arm, self.kind, np.array(HOMES)[self.side]))
        self.survey = Survey(self, map_, book, *roster)
        self.terrain = np.full(map_.off + 1, code("clear"))
        for place, name in map_.terrain.items():
            self.terrain[map_.number(place)] = code(name)
        self.hex[:] = map_.off
        for u, unit in enumerate(units):
            self.formation[u] = FORMATIONS.index(unit.formation)
            self.state[u] = self.worst[u] = STATES.index(unit.state)
            self.increments[u] = unit.increments
            self.readiness[u] = READINESS.index(unit.readiness)
        self.worst[:] = GOOD

    # -- reading ------------------------------------------------------------------------------

    @property
    def map_rows(self) -> Rows:
        """What the map shows: the rows of a `board.tables.Position`, shape (6 * units, lanes and more)."""
        return self._matrix[: len(_MAP_FACTS) * len(self.units)]

    def hexside(self, hexes: Cases, direction: Cases) -> NDArray[np.int64]:
        """The codes of hexsides by hex and direction."""
        found = np.full(len(hexes), code("none"))
        for (place, side), name in self.map.hexsides.items():
            if self.map.holds(place):
                found[(hexes == self.map.number(place)) & (direction == side)] = code(name)
        return found

    def present(self, unit: int, lanes: Ids) -> Mask:
        """Where a unit is not gone."""
        return self.state[unit, lanes] != GONE

    def with_in_hex(self, unit: int, lanes: Ids) -> list[tuple[int, Mask]]:
        """Other units of its side, and where each stands in the unit's hex; guns that nobody mans do not count."""
        here = self.hex[unit, lanes]
        others = [u for u in range(len(self.units)) if u != unit and self.side[u] == self.side[unit]]
        found = [
            (u, (self.hex[u, lanes] == here) & (here != self.map.off) & (self.unmanned[u, lanes] == 0))
            for u in others
        ]
        return [(u, mask) for u, mask in found if mask.any()]

    def mounted(self, stack: Sequence[int], lanes: Ids) -> dict[int, Mask]:
        """Where each regiment of a stack is with its charge in good order, shape (k,) each."""
        return {u: (self.state[u, lanes] == GOOD) & (self.with_charge[u, lanes] == 1) for u in stack}

    def shares_hex(self, unit: int, lanes: Ids) -> Mask:
        """Where an enemy stands in a unit's hex, shape (k,)."""
        here = self.hex[unit, lanes]
        shared = np.zeros(len(lanes), bool)
        for enemy in np.flatnonzero(self.side != self.side[unit]).tolist():
            shared |= (
                (self.hex[enemy, lanes] == here) & (here != self.map.off) & (self.unmanned[enemy, lanes] == 0)
            )
        return shared

    def top(self, side: int, hexes: Cases, lanes: Ids) -> NDArray[np.int64]:
        """The top unit of a side in a hex for each lane, -1 where there is none; shelterers lie at the bottom, unmanned guns do not count."""
        found = np.full(len(lanes), -1)
        ranked = [u for u in range(len(self.units)) if self.side[u] == side]
        for sheltered in (1, 0):
            for u in reversed(ranked):
                there = (
                    (self.hex[u, lanes] == hexes) & (hexes != self.map.off) & (self.unmanned[u, lanes] == 0)
                )
                there &= self.sheltered[u, lanes] == sheltered
                found[there] = u
        return found

    def lost(self, unit: int, lanes: Ids) -> Cases:
        """Increments a unit lacks of its printed strength."""
        return self.printed[unit] - self.increments[unit, lanes]

    def leader_of(self, unit: int, lanes: Ids, bonus: str) -> tuple[Mask, Cases]:
        """Where a leader who is not out stands in the unit's hex, and his bonus of a kind (0 elsewhere)."""
        present = np.zeros(len(lanes), bool)
        worth = np.zeros(len(lanes), np.int64)
        for k, (leader, stack) in enumerate(self.leaders):
            if leader is not None and self.side[stack[0]] == self.side[unit]:
                place = self.leader_hex(k, lanes)
                here = (
                    (self.leader_out[k, lanes] != OUT)
                    & (place == self.hex[unit, lanes])
                    & (place != self.map.off)
                )
                present |= here
                worth += here * getattr(leader, bonus)
        return present, worth

    def leader_hex(self, leader: int, lanes: Ids) -> Cases:
        """Where a leader is, `off` when nothing is left of his stack, shape (k,)."""
        place = np.full(len(lanes), self.map.off)
        for unit in reversed(self.leaders[leader][1]):
            there = self.present(unit, lanes)
            place[there] = self.hex[unit, lanes[there]]
        return place

    def about(self, prefix: str, unit: int, lanes: Ids) -> dict[str, Cases]:
        """Attributes of a unit under a prefix (`unit`, `target`, `charger`, `enemy`), shape (k,) each."""
        n = len(lanes)
        known: dict[str, Cases] = {
            f"{prefix}.{name}": np.full(n, values[unit]) for name, values in self.codes.items()
        }
        known[f"{prefix}.formation"] = _FORMATION_CODES[self.formation[unit, lanes]]
        known[f"{prefix}.state"] = _STATE_CODES[self.state[unit, lanes]]
        known[f"{prefix}.readiness"] = _READINESS_CODES[self.readiness[unit, lanes]]
        known[f"{prefix}.half_lost"] = 2 * self.lost(unit, lanes) >= self.printed[unit]
        known[f"{prefix}.terrain"] = self.terrain[self.hex[unit, lanes]]
        known[f"{prefix}.fire_losses"] = self.fire_losses[unit, lanes]
        leader, cavalry = self.leader_of(unit, lanes, "cavalry")
        known[f"{prefix}.leader"] = leader
        known[f"{prefix}.cavalry_leader"] = leader & (cavalry > 0)
        known[f"{prefix}.recall_leader"] = (
            leader if self.book.switches["recall_leader"] == "any" else leader & (cavalry > 0)
        )
        return known

    # -- verbs --------------------------------------------------------------------------------

    def place(self, unit: int, lanes: Ids, hexes: Cases | int, facings: Cases | int | None = None) -> None:
        """Put a unit on hexes (numbers), with a facing if it changes."""
        self.hex[unit, lanes] = hexes
        if facings is not None:
            self.facing[unit, lanes] = facings

    def lose(self, unit: int, lanes: Ids, increments: Cases | int) -> Cases:
        """Take increments from a unit; at 0 it is gone. Returns what it really lost."""
        taken = np.minimum(self.increments[unit, lanes], increments)
        self.increments[unit, lanes] -= taken.astype(np.int16)
        dead = (self.increments[unit, lanes] == 0) & self.present(unit, lanes)
        self.remove(unit, lanes[dead], ELIMINATED)
        return taken

    def lose_in_order(self, units: Sequence[int], lanes: Ids, increments: Cases) -> dict[int, Cases]:
        """Take increments from units, the first as long as it has any, then the next. Returns each one's loss."""
        left = np.array(increments, np.int64)
        taken = {}
        for unit in units:
            taken[unit] = self.lose(unit, lanes, left)
            left -= taken[unit]
        return taken

    def become(self, unit: int, lanes: Ids, state: int) -> None:
        """Disorder, rout or rally a unit, with the formation that goes with it.

        Cavalry that would be disordered routs; unlimbered guns that would rout are eliminated; a routed unit that would be disordered stays routed.
        """
        if not len(lanes):
            return
        if state == DISORDERED and self.arm[unit] == CAVALRY:
            state = ROUTED
        guns = (self.formation[unit, lanes] == UNLIMBERED) & (state == ROUTED)
        if guns.any():
            self.remove(unit, lanes[guns], ELIMINATED)
            lanes = lanes[~guns]
        self.state[unit, lanes] = state if state == GOOD else np.maximum(self.state[unit, lanes], state)
        if self.arm[unit] != ARTILLERY:
            self.formation[unit, lanes] = COLUMN
            odd = self.facing[unit, lanes] % 2
            self.facing[unit, lanes] -= odd
        if state != GOOD:
            self.hit[unit, lanes] = 1
            self.worst[unit, lanes] = np.maximum(self.worst[unit, lanes], state)

    def form(self, unit: int, lanes: Ids, formation: int) -> None:
        """Take a formation; a facing on a corner is brought to a side or the other way round."""
        self.formation[unit, lanes] = formation
        corner = bool(self.book.corner_facing[self.kind[unit], formation])
        odd = self.facing[unit, lanes] % 2
        self.facing[unit, lanes] = (self.facing[unit, lanes] + (1 - odd if corner else -odd)) % 12

    def remove(self, unit: int, lanes: Ids, reason: int) -> None:
        """Take a unit off the map: eliminated, surrendered or abandoned and taken."""
        self.state[unit, lanes] = self.worst[unit, lanes] = GONE
        self.reason[unit, lanes] = reason
        self.hex[unit, lanes] = self.map.off
        self.increments[unit, lanes] = 0
        self.hit[unit, lanes] = 1
        self.unmanned[unit, lanes] = 0

    def abandon(self, unit: int, lanes: Ids) -> None:
        """The crew of guns leaves them standing."""
        self.unmanned[unit, lanes] = 1

    def tire(self, unit: int, lanes: Ids, readiness: int) -> None:
        """Bring a unit's readiness down to a level, never up."""
        self.readiness[unit, lanes] = np.maximum(self.readiness[unit, lanes], readiness)

    def note(self, name: str, unit: int, lanes: Ids, value: Cases | int) -> None:
        """Set a working fact of a unit (see the list at the top of the module)."""
        getattr(self, name)[unit, lanes] = value

    def set_leader(self, leader: int, lanes: Ids, fate: Cases | int) -> None:
        """A leader is struck, out, or fit after all."""
        self.leader_out[leader, lanes] = fate

    def mark(self, unit: int, lanes: Ids, check: int) -> None:
        """Make a check due. Marks survive the splitting of lanes, which a list of lanes would not."""
        self.due[unit, lanes] |= check

    def take_marked(self, unit: int, check: int) -> Ids:
        """The lanes where a check is due to a unit; it is no longer due."""
        lanes = np.flatnonzero(self.due[unit, : self.n] & check)
        self.due[unit, lanes] &= ~np.int16(check)
        return lanes

    def forget(self, names: Sequence[str] = _WORKING) -> None:
        """Clear working facts that nothing later reads, so that lanes that differ in nothing else merge."""
        for name in names:
            getattr(self, name)[:, : self.n] = 0


def kind_of(unit: Unit, light_from: int) -> int:
    """The kind of a unit, as a `vocabulary.Kind`; cavalry is light from a movement of `light_from`."""
    if unit.arm != "cavalry":
        return KINDS.index(unit.arm)
    return KINDS.index("light cavalry" if unit.light(light_from) else "heavy cavalry")


_FORMATION_CODES = np.array([code(name) for name in FORMATIONS])
_STATE_CODES = np.array([code(name) for name in (*STATES, "gone")])
_READINESS_CODES = np.array([code(name) for name in READINESS])
