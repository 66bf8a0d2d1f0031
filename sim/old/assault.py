"""The melee that a charge leads to: pre-melee check, odds, result, effects (rules 32 to 34; docs/charge.md section 10).

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np

from sim.board.hexmap import direction_to
from sim.ensemble.ratios import Ratio
from sim.old.engine import Battle, Cases, Mask
from sim.old.events import BY_MELEE, PLAIN, STARRED, Event
from sim.old.firing import struck_leaders
from sim.old.forces import FALL_BACK, FIT, STAR, STRUCK
from sim.old.journal import Effect
from sim.old.lanes import Ids
from sim.old.withdrawal import leave_enemy_hex
from sim.rules import melee as rules
from sim.rules.strengths import Share, Strength, Strengths
from sim.rulesets.blocks import Part
from sim.rulesets.conditions import code
from sim.rulesets.modifiers import Applied
from sim.units.orders import DECLINE, ChargeOrder
from sim.vocabulary import (
    ARTILLERY,
    CAVALRY,
    COLUMN,
    DISORDERED,
    FRONT,
    GENERAL_ORDER,
    GONE,
    GOOD,
    INFANTRY,
    LINE,
    ROUTED,
    SQUARE,
    UNLIMBERED,
    ZONES,
)

_ZONE_CODES = np.array([code(zone) for zone in ZONES])
FIGHTS = 100
"""Node of a charger that will melee; the top defender's number is added."""
BLANK = 3
"""A blank result, as `letter`: its column in the matrix + 1; above it DD, DR, DS."""


class Assault:
    """The melee of one charging stack.

    Parameters
    ----------
    battle
        The battle.
    order
        The charge it follows from.
    """

    def __init__(self, battle: Battle, order: ChargeOrder) -> None:
        self.battle, self.order = battle, order
        self.forces, self.book, self.switches = battle.forces, battle.book, battle.switches
        self.stack, self.top, self.goal = order.stack, order.stack[0], order.goal
        self.enemy_side = 1 - int(self.forces.side[self.top])
        self.enemies = [u for u in range(len(self.forces.units)) if self.forces.side[u] == self.enemy_side]
        self.matrix = self.book.matrix

    def play(self) -> None:
        """Fight it out in every lane in which there is a melee."""
        self._choose(self.forces.all())
        for defender in self.enemies:
            if len(self._at(defender)):
                self._premelee(defender)
        for defender in self.enemies:
            if len(self._at(defender)):
                self._fight(defender)

    def _at(self, defender: int) -> Ids:
        return np.flatnonzero(self.forces.node[self.top, : self.forces.n] == FIGHTS + defender)

    def _choose(self, lanes: Ids) -> None:
        """Who fights: the charger in good order, something to fight next to it or under it, and no choice against it."""
        forces, top = self.forces, self.top
        lanes = lanes[(forces.foe[top, lanes] > 0) & (forces.state[top, lanes] == GOOD)]
        declines = (forces.after_halt[0, lanes] == DECLINE) & (forces.compulsory[top, lanes] == 0)
        lanes = lanes[~declines]
        foe = forces.foe[top, lanes] - 1
        here = forces.hex[foe, lanes]
        moved = (here == forces.map.off) | (forces.map.distances(here, forces.hex[top, lanes]) > 1)
        target = np.where(moved, forces.foe_hex[top, lanes], here)
        near = forces.map.distances(target, forces.hex[top, lanes]) <= 1
        lanes, target = lanes[near], target[near]
        forces.note("foe_hex", top, lanes, target)
        defender = forces.top(self.enemy_side, target, lanes)
        forces.note("node", top, lanes[defender >= 0], FIGHTS + defender[defender >= 0])

    # -- pre-melee check ------------------------------------------------------------------------

    def _premelee(self, defender: int) -> None:
        """What a charge without its straight run has reached checks before the melee, but for general order (rule 33; 0-decisions 5.8, 5.21)."""
        forces, battle, top = self.forces, self.battle, self.top
        lanes = self._at(defender)
        if forces.arm[defender] == CAVALRY:
            return
        lanes = lanes[
            (forces.unchecked[top, lanes] == 1)
            & ~np.isin(forces.formation[defender, lanes], (GENERAL_ORDER, UNLIMBERED))
        ]
        if not len(lanes):
            return
        attack, defence = self._increments(lanes)
        premelee, columns = self.book.blocks.premelee, self.book.premelee_columns
        column = rules.premelee_column(attack.value, defence.value, columns)
        strengths = None
        if battle.journal is not None:
            sides = [
                (Share(self._names(who), one.factors()),)
                for who, one in ((self._attackers(lanes), attack), (self._defenders(lanes), defence))
            ]
            strengths = Strengths(sides[0], sides[1], columns[int(column[0])])
        values = np.array([premelee.columns[name].defence for name in columns])
        known = forces.about("target", defender, lanes) | self._situation(lanes, defender)
        extra = ("odds", values[column], premelee.source)
        lanes, passed = battle.check(
            f"pre-melee/{forces.units[defender].id}",
            defender,
            lanes,
            "33",
            self.book.premelee_modifiers,
            known,
            extra,
            strengths=strengths,
        )
        forces.note("unchecked", top, lanes, 0)
        with Event(battle, PLAIN) as event:
            event.fails(defender, lanes[~passed])
        lanes = self._at(defender)
        now = forces.top(self.enemy_side, forces.foe_hex[top, lanes], lanes)
        forces.note("node", top, lanes, np.where(now >= 0, FIGHTS + now, 0))

    def _increments(self, lanes: Ids) -> tuple[Strength, Strength]:
        """Increments that count in the odds: of the attackers in line only so many; of the defenders all, at least one (rule 33; seed 003)."""
        forces, n = self.forces, len(lanes)
        attack = defence = Strength.zero(n)
        attackers = self._attackers(lanes)
        for u, there in attackers.items():
            attack = self._counted(attack, u, lanes, there & (forces.formation[u, lanes] == LINE))
        attack = attack.at_most("in line", self.book.blocks.premelee.line, "[PRINT] seed 003")
        for u, there in attackers.items():
            attack = self._counted(attack, u, lanes, there & (forces.formation[u, lanes] != LINE))
        for u, there in self._defenders(lanes).items():
            defence = self._counted(defence, u, lanes, there)
        return attack, defence.at_least("least increments", 1)

    def _counted(self, strength: Strength, unit: int, lanes: Ids, where: Mask) -> Strength:
        return strength.plus(
            "men", Ratio.made(self.forces.increments[unit, lanes], 1), "", where, (self.battle.name(unit),)
        )

    def _names(self, units: dict[int, Mask]) -> str:
        return " and ".join(self.battle.name(u) for u, there in units.items() if there[0])

    # -- strengths ------------------------------------------------------------------------------

    def _attackers(self, lanes: Ids) -> dict[int, Mask]:
        """Regiments in good order that came with the charge."""
        return self.forces.mounted(self.stack, lanes)

    def _defenders(self, lanes: Ids, sheltered: bool = False) -> dict[int, Mask]:
        """Units of the hex that is meleed; those who took shelter fight only for the result."""
        forces = self.forces
        here = forces.foe_hex[self.top, lanes]
        found = {}
        for u in self.enemies:
            there = (
                (forces.hex[u, lanes] == here)
                & (forces.state[u, lanes] != GONE)
                & (forces.unmanned[u, lanes] == 0)
            )
            found[u] = there if sheltered else there & (forces.sheltered[u, lanes] == 0)
        return found

    def _situation(self, lanes: Ids, defender: int) -> dict[str, Cases]:
        """Attributes of the melee that are not a unit's own."""
        forces, top = self.forces, self.top
        n = len(lanes)
        here = forces.hex[defender, lanes]
        crosses = forces.hexside(here, forces.survey.toward(here, self._from(lanes, defender)))
        return {
            "hexside": _ZONE_CODES[self._zone(lanes, defender)],
            "crosses": crosses,
            "charge": forces.bonus[top, lanes] == 1,
            "chasing": forces.chasing[top, lanes] == 1,
            "preserving": forces.preserve[0, lanes] == 1,
            "facing": np.full(n, _ZONE_CODES[FRONT]),
        }

    def _from(self, lanes: Ids, unit: int) -> Cases:
        """The hex from which the charger attacks a unit's hex: its own, or the one from which it rode onto it."""
        forces, here = self.forces, self.forces.hex[self.top, lanes]
        behind = forces.survey.ahead(here, (forces.facing[self.top, lanes] // 2 + 3) % 6)
        return np.where(here == forces.hex[unit, lanes], behind, here)

    def _zone(self, lanes: Ids, unit: int) -> Cases:
        return self.forces.survey.zone_toward(unit, lanes, self._from(lanes, unit))

    def _attack(self, lanes: Ids, defender: int) -> list[tuple[int, Strength]]:
        """What each attacker gives."""
        forces = self.forces
        general = self._situation(lanes, defender) | forces.about("enemy", defender, lanes)
        found = []
        for u, there in self._attackers(lanes).items():
            known = general | forces.about("unit", u, lanes)
            value = rules.melee_value(
                forces.melee_value[u],
                forces.increments[u, lanes],
                int(forces.printed[u]),
                "attack",
                known,
                self.book.multipliers,
            )
            found.append((u, self._with_lance(value, u, lanes).where(there)))
        return found

    def _with_lance(self, value: Strength, unit: int, lanes: Ids, where: Mask | None = None) -> Strength:
        """With the lance bonus of an attacker (or a reactor), in proportion to its increments (rule 35; D2.6)."""
        forces = self.forces
        lance = self.book.blocks.melee.lance
        factors = lance.counter if self.switches["lance"] == "counter" else lance.assault
        in_line = forces.formation[unit, lanes] == LINE
        factor = np.where(in_line, factors.line, factors.column)
        increments, printed = forces.increments[unit, lanes], int(forces.printed[unit])
        bonus = forces.lance_value[unit] * Ratio.made(increments * factor, printed)
        told = (
            str(forces.units[unit].lance),
            factor,
            np.where(in_line, "line", "column"),
            increments,
            printed,
        )
        return value.plus("lance", bonus, lance.source or "", where, told)

    def _defence(self, lanes: Ids, defender: int) -> list[tuple[int, Strength]]:
        """What each defender gives."""
        from sim.old.reactions import MET

        forces = self.forces
        found = []
        general = self._situation(lanes, defender) | forces.about("enemy", self.top, lanes)
        nothing = np.zeros(len(lanes), bool)
        general |= {"charge": nothing, "chasing": nothing, "preserving": nothing}
        for u, there in self._defenders(lanes).items():
            if not there.any():
                continue
            known = general | forces.about("unit", u, lanes)
            known["facing"] = np.full(len(lanes), _ZONE_CODES[FRONT])
            known["facing"][there] = _ZONE_CODES[self._zone(lanes[there], u)]
            value = rules.melee_value(
                forces.melee_value[u],
                forces.increments[u, lanes],
                int(forces.printed[u]),
                "defence",
                known,
                self.book.multipliers,
            )
            if forces.arm[u] == ARTILLERY:
                shaken = (forces.state[u, lanes] == DISORDERED) & (value.value.num > 0)
                value = value.at_least("guns", 1, "[PRINT] AE15 p11", shaken)
            if self.switches["lance"] == "counter":
                counter = (forces.reacting[u, lanes] == MET) & (forces.state[u, lanes] == GOOD)
                value = self._with_lance(value, u, lanes, counter)
            found.append((u, value.where(there)))
        return found

    def _told(self, found: list[tuple[int, Strength]]) -> tuple[Share, ...]:
        """What each unit of a told run gives."""
        return tuple(Share(self.battle.name(u), one.factors()) for u, one in found if one.factors())

    # -- the roll -----------------------------------------------------------------------------

    def _fight(self, defender: int) -> None:
        forces, battle, top = self.forces, self.battle, self.top
        lanes = self._at(defender)
        ours, theirs = self._attack(lanes, defender), self._defence(lanes, defender)
        attack, defence = (
            sum((one.value for _, one in side), Ratio.zero(len(lanes))) for side in (ours, theirs)
        )
        columns, penalties = self.book.melee_columns, self.book.blocks.melee.below
        column, below = rules.melee_column(attack, defence, columns, penalties.rows)
        _, bonus = forces.leader_of(top, lanes, "cavalry")
        applied = Applied((), np.zeros(len(lanes), np.int64))
        applied = applied.and_also("odds below the table", below, penalties.source or "")
        applied = applied.and_also("cavalry leader", bonus, "[DIGEST] C11")
        our_leader, _ = forces.leader_of(top, lanes, "morale")
        their_leader, _ = forces.leader_of(defender, lanes, "morale")
        strengths = None
        if battle.journal is not None:
            strengths = Strengths(self._told(ours), self._told(theirs), columns[int(column[0])])
        key = column + len(columns) * (our_leader + 2 * their_leader.astype(np.int64))
        kind = f"melee/{forces.units[top].id}>{forces.units[defender].id}"
        who = f"{battle.name(top)} against {battle.name(defender)}"
        lanes, values = battle.decide(
            kind, who, lanes, self.book.melee_chart, key, applied, "34", strengths=strengths
        )
        size = len(self.book.melee_chart.outcomes)
        self._strike_leaders(lanes, values // size, defender)
        for u, there in (self._attackers(lanes) | self._defenders(lanes)).items():
            forces.note("meleed", u, lanes[there], 1)
        self._result(defender, lanes, values % size)
        everybody = next(charge.stack for charge in battle.orders.charges if top in charge.stack)
        leave_enemy_hex(battle, everybody, self._at(defender))
        self._advance(defender)
        struck_leaders(battle, self.book.leader_charts[0], BY_MELEE)

    def _strike_leaders(self, lanes: Ids, natural: Cases, defender: int) -> None:
        """Mark the leaders whom the natural roll hits; their fate is rolled after the result."""
        forces = self.forces
        for k, (leader, stack) in enumerate(forces.leaders):
            if leader is None:
                continue
            ours = forces.side[stack[0]] == forces.side[self.top]
            here = forces.hex[self.top if ours else defender, lanes]
            hit = (
                (natural == (1 if ours else 2))
                & (forces.leader_hex(k, lanes) == here)
                & (forces.leader_out[k, lanes] == FIT)
            )
            forces.set_leader(k, lanes[hit], STRUCK)

    def _result(self, defender: int, lanes: Ids, outcome: Cases) -> None:
        """Losses, then the letter's effect by the defender's row, then star checks (E1.4)."""
        forces, battle, top = self.forces, self.battle, self.top
        parts = self.book.melee_results
        letter = parts.letter[outcome]
        effects = self._effect_numbers(defender, lanes, letter)
        forces.note("effect", top, lanes, effects)
        forces.note("letter", top, lanes, np.maximum(letter + 1, 0))
        for u, there in self._defenders(lanes).items():
            guns = (
                there & (forces.arm[u] == ARTILLERY) & (forces.formation[u, lanes] == UNLIMBERED)
                if u != defender
                else np.zeros(len(lanes), bool)
            )
            forces.note("effect", u, lanes[guns], self._effect_numbers(u, lanes[guns], letter[guns]))
        numbers = letter < 0
        fought = self._attackers(lanes)
        left = np.where(numbers, parts.attack_loss[outcome], 0).astype(np.int64)
        for u, there in fought.items():
            left[there] -= forces.lose(u, lanes[there], left[there])
        battle.spread_losses(
            self.enemy_side,
            forces.foe_hex[top, lanes[numbers]].copy(),
            lanes[numbers],
            parts.defence_loss[outcome[numbers]],
            False,
        )
        for u, there in fought.items():
            forces.mark(u, lanes[there & parts.attack_star[outcome]], STAR)
        for u, there in self._defenders(lanes).items():
            forces.mark(u, lanes[there & parts.defence_star[outcome]], STAR)
        for number in range(1, len(self.matrix.effects)):
            self._carry_out(number, defender, np.flatnonzero(forces.effect[top, : forces.n] == number))
        for side in (self.stack, self.enemies):
            with Event(battle, STARRED, contagion=False) as event:
                for u in side:
                    due = forces.take_marked(u, STAR)
                    event.check("star", u, due[forces.present(u, due)], "34")

    def _effect_numbers(self, unit: int, lanes: Ids, letter: Cases) -> Cases:
        """The matrix effect of each lane's letter on a unit, 0 for number results."""
        forces = self.forces
        state, formation = forces.state[unit, lanes], forces.formation[unit, lanes]
        return self.matrix.effect[forces.arm[unit], state, formation, letter]

    # -- effects ------------------------------------------------------------------------------

    def _carry_out(self, number: int, defender: int, lanes: Ids) -> None:
        """One effect of the matrix: the attackers' part, then the defenders', then unlimbered guns that stand with infantry."""
        forces, top = self.forces, self.top
        if not len(lanes):
            return
        effect = self.matrix.effects[number]
        part = effect.on_attacker[CAVALRY]
        self.battle.tell("34", "result", Effect(part, effect.on_defender))
        if part is not None:
            if part.retreat:
                forces.note("bounced", top, lanes[forces.letter[top, lanes] == BLANK], 1)
            self._apply(part, self._attackers(lanes), lanes)
        lanes = np.flatnonzero(forces.effect[top, : forces.n] == number)
        part = effect.on_defender
        if part is not None and part.square_dd:
            self._square_shaken(defender, number)
        elif part is not None and part.square_check is not None:
            self._square_holds(defender, number, part.square_check)
        elif part is not None:
            if not self.switches["blank_moves_general_order"]:
                lanes = lanes[
                    (forces.letter[top, lanes] != BLANK)
                    | (forces.formation[defender, lanes] != GENERAL_ORDER)
                ]
            self._apply(part, self._without_guns(defender, lanes), lanes)
        self._guns_apart(
            defender, np.flatnonzero(forces.effect[top, : forces.n] == number), effect.routs_square
        )

    def _without_guns(self, defender: int, lanes: Ids) -> dict[int, Mask]:
        """Those whom the top defender's row concerns: all but unlimbered guns that stand with infantry."""
        forces = self.forces
        found = self._defenders(lanes, sheltered=True)
        for u in found:
            if forces.arm[defender] == INFANTRY and forces.arm[u] == ARTILLERY:
                found[u] = found[u] & (forces.formation[u, lanes] != UNLIMBERED)
        return found

    def _guns_apart(self, defender: int, lanes: Ids, square_routs: bool) -> None:
        """Unlimbered guns with infantry take their own row of the same column (E1.4, item 8); those of a square that routs may be abandoned."""
        forces = self.forces
        for u in self.enemies:
            if forces.arm[defender] != INFANTRY or forces.arm[u] != ARTILLERY:
                continue
            for number in np.unique(forces.effect[u, lanes]).tolist():
                there = lanes[(forces.effect[u, lanes] == number) & forces.present(u, lanes)]
                part = self.matrix.effects[number].on_defender
                if number and square_routs and self.switches["guns_with_infantry"] == "abandoned":
                    forces.abandon(u, there)
                elif part is not None and not part.square_dd and part.square_check is None:
                    self._apply(part, {u: np.ones(len(there), bool)}, there)
            forces.note("effect", u, lanes, 0)

    def _apply(self, part: Part, units: dict[int, Mask], lanes: Ids) -> None:
        """What an effect does to the units of one side: losses, state, move, check."""
        forces, battle = self.forces, self.battle
        state, removal = part.state, part.removal
        lettered = forces.letter[self.top, lanes] != BLANK
        for u, there in units.items():
            if part.lose:
                forces.lose(u, lanes[there], part.lose)
            alive = there & forces.present(u, lanes)
            if state is not None:
                horse = forces.arm[u] == CAVALRY
                forces.become(
                    u, lanes[alive & ((state == ROUTED) | horse | (forces.state[u, lanes] == GOOD))], state
                )
            elif removal is not None:
                forces.remove(u, lanes[alive], removal)
            if part.check is not None:
                forces.mark(u, lanes[alive], FALL_BACK)
            if part.retreat:
                forces.note("origin", u, lanes[alive & lettered], forces.hex[u, lanes[alive & lettered]] + 1)
        if state == ROUTED or part.retreat:
            movers = {u: there & (forces.formation[u, lanes] != UNLIMBERED) for u, there in units.items()}
            self._move_groups(movers, lanes, state == ROUTED, part.retreat, part.zone_loss)
        if part.retreat:
            for u in units:
                self._note_driven(u)
        if part.check is not None:
            with Event(battle, BY_MELEE) as event:
                for u in units:
                    due = forces.take_marked(u, FALL_BACK)
                    due = due[forces.present(u, due)]
                    event.check(
                        "fall-back",
                        u,
                        due,
                        "34",
                        extra=("after falling back", np.full(len(due), part.check), self.matrix.source),
                    )

    def _note_driven(self, unit: int) -> None:
        """A unit that a lettered result has moved is hit, whatever its state."""
        forces = self.forces
        lanes = np.flatnonzero(forces.origin[unit, : forces.n] > 0)
        moved = forces.hex[unit, lanes] + 1 != forces.origin[unit, lanes]
        forces.note("hit", unit, lanes[moved], 1)
        forces.note("origin", unit, lanes, 0)

    def _move_groups(
        self, units: dict[int, Mask], lanes: Ids, rout: bool, hexes: int, zone_loss: int
    ) -> None:
        """Move the units of a side off, those that go together as one group."""
        forces, battle = self.forces, self.battle
        bits = np.zeros(len(lanes), np.int64)
        for k, (u, there) in enumerate(units.items()):
            bits |= (there & forces.present(u, lanes)).astype(np.int64) << k
        for pattern in np.unique(bits[bits > 0]).tolist():
            members = [u for k, u in enumerate(units) if pattern >> k & 1]
            if rout:
                battle.rout(members, lanes[bits == pattern], zone_loss)
            else:
                battle.retreat(members, lanes[bits == pattern], hexes, zone_loss, by_melee=True)

    def _square_holds(self, defender: int, number: int, modifier: int) -> None:
        """A blank result: the square checks, and opens into column if it fails (E1.2, SQ-hold)."""
        forces, battle = self.forces, self.battle
        lanes = np.flatnonzero(forces.effect[self.top, : forces.n] == number)
        extra = ("in square", np.full(len(lanes), modifier), self.matrix.source)
        lanes, passed = battle.check(
            f"square-check/{forces.units[defender].id}", defender, lanes, "34", extra=extra, again=True
        )
        self._open_square(lanes[~passed])

    def _open_square(self, lanes: Ids) -> None:
        forces = self.forces
        for u, there in self._defenders(lanes).items():
            square = there & (forces.formation[u, lanes] == SQUARE)
            forces.form(u, lanes[square], COLUMN)

    def _square_shaken(self, defender: int, number: int) -> None:
        """DD on a square, by edition (E1.6)."""
        forces, battle, top = self.forces, self.battle, self.top
        mode = self.switches["square_dd"]
        lanes = np.flatnonzero(forces.effect[top, : forces.n] == number)
        if mode == "check_first":
            lanes, passed = battle.check(
                f"square-check/{forces.units[defender].id}", defender, lanes, "34", again=True
            )
            for u in self.enemies:  # guns in a square that holds come to no harm either
                forces.note("effect", u, lanes[passed], 0)
            lanes = lanes[~passed]
        men = self._without_guns(defender, lanes)
        if mode == "in_place_minus1":
            left = np.ones(len(lanes), np.int64)
            for u, there in men.items():
                mine = there & (left > 0)
                left[mine] -= forces.lose(u, lanes[mine], 1)
        for u, there in men.items():
            forces.become(u, lanes[there & (forces.state[u, lanes] == GOOD)], DISORDERED)
        self._open_square(lanes)
        if mode != "in_place_minus1":
            self._move_groups(men, lanes, False, self.book.blocks.retreat.disordered, 1)

    # -- afterwards ---------------------------------------------------------------------------

    def _advance(self, defender: int) -> None:
        """The victor rides into the hex that the defender has left or lost (rule 34)."""
        forces, top = self.forces, self.top
        lanes = self._at(defender)
        forces.note("node", top, lanes, 0)
        won = forces.letter[top, lanes] > BLANK
        held = forces.top(self.enemy_side, forces.foe_hex[top, lanes], lanes) >= 0
        wiped_out = np.ones(len(lanes), bool)
        for u in self.enemies:
            wiped_out &= (forces.meleed[u, lanes] == 0) | ~forces.present(u, lanes)
        won_hex = (won | wiped_out) & ~held
        for u, mine in self._attackers(lanes).items():
            there = lanes[won_hex & mine]
            there = there[forces.map.distances(forces.hex[u, there], forces.foe_hex[top, there]) == 1]
            corner = self.book.corner_facing[forces.kind[u], forces.formation[u, there]]
            forces.place(u, there, forces.foe_hex[top, there], 2 * self._each_direction(u, there) + corner)
        forces.note("effect", top, lanes, 0)
        forces.note("letter", top, lanes, 0)

    def _each_direction(self, unit: int, lanes: Ids) -> Cases:
        """The direction from a unit to the hex that was meleed, shape (k,)."""
        forces = self.forces
        found = []
        for lane in lanes.tolist():
            here, there = (
                forces.map.hex(int(forces.hex[unit, lane])),
                forces.map.hex(int(forces.foe_hex[self.top, lane])),
            )
            found.append(direction_to(here, there) if here and there else 0)
        return np.array(found, np.int64)
