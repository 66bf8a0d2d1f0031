"""Events that make units check, and what failing does: contagion, new states, moves (rules 30, 31; C4; docs/charge.md section 8).

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sim.old.forces import CONTAGION, FAILED
from sim.old.lanes import Ids
from sim.rules import morale
from sim.vocabulary import ARTILLERY, CAVALRY, DISORDERED, INFANTRY, ROUTED, UNLIMBERED

if TYPE_CHECKING:
    from sim.old.engine import Battle

PLAIN, BY_FIRE, BY_MELEE, STARRED = range(4)
"""Causes of a failed check: they differ in when a rout is run, and whether cavalry zones and zones left count (a star check: both)."""

AFTER_THE_RUN = 1
"""Bit of the moves that wait until the target of a charge has run; each event has two bits of its own above it."""


class Event:
    """One thing that makes units check: each rolls for it once (0-decisions 5.23).

    In the block the units that the event itself asks check. At its end contagion asks the other units of every hex in which one failed, and
    only then they move: first those whom the event asked, then those who failed by contagion, in unit order. Events may be nested.

    Parameters
    ----------
    battle
        The battle.
    cause
        `PLAIN`, `BY_FIRE` (a rout may wait for the recovery segment), `BY_MELEE`, or `STARRED` (leaving zones costs increments).
    contagion
        Whether the other units of the hex must check.
    """

    def __init__(self, battle: Battle, cause: int, contagion: bool = True) -> None:
        self.battle, self.forces, self.cause, self.contagion = battle, battle.forces, cause, contagion
        self.failed: list[int] = []

    def __enter__(self) -> Event:
        number = self.battle.events
        self.battle.events += 1
        self.asked, self.own, self.others = (
            1 << number,
            AFTER_THE_RUN << 2 * number + 1,
            AFTER_THE_RUN << 2 * number + 2,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self.failed:
            everybody = range(len(self.forces.units))
            for unit in sorted(self.failed):
                infect(self.battle, unit, self.forces.take_marked(unit, FAILED), self.asked)
            if self.contagion:
                contagion_checks(self.battle, self.others)
            for bit in (self.own, self.others):
                for unit in everybody:
                    give_way(self.battle, unit, bit, self.cause)
        self.forces.rolled[:, : self.forces.n] &= ~self.asked
        self.battle.events -= 1

    def check(self, kind: str, unit: int, lanes: Ids, rule: str, **more: Any) -> None:
        """A check of a unit that the event asks; `more` as for `Battle.check`."""
        self.forces.rolled[unit, lanes] |= self.asked
        lanes, passed = self.battle.check(
            f"{kind}/{self.forces.units[unit].id}", unit, lanes, rule, again=True, **more
        )
        self.fails(unit, lanes[~passed])

    def fails(self, unit: int, lanes: Ids) -> None:
        """A unit that the event asked has failed."""
        forces = self.forces
        lanes = lanes[forces.present(unit, lanes)]
        if not len(lanes):
            return
        forces.rolled[unit, lanes] |= self.asked
        forces.note("origin", unit, lanes, forces.hex[unit, lanes])
        if self.contagion:
            forces.mark(unit, lanes, FAILED)
        self.failed.append(unit)
        _break(self.battle, unit, lanes, self.own)


def infect(
    battle: Battle,
    unit: int,
    lanes: Ids,
    asked: int = 0,
    arms: Sequence[int] = (INFANTRY, CAVALRY, ARTILLERY),
) -> None:
    """The units that share a failed unit's hex must check (rule 31, item 13), but for those whom the event has asked."""
    forces = battle.forces
    for mate, mask in forces.with_in_hex(unit, lanes):
        if forces.arm[mate] in arms:
            others = mask & (forces.state[mate, lanes] < ROUTED) & (forces.rolled[mate, lanes] & asked == 0)
            forces.mark(mate, lanes[others], CONTAGION)


def contagion_checks(battle: Battle, bit: int = AFTER_THE_RUN) -> None:
    """Every unit in touch with a failed one checks once, in unit order, without further chain; the moves of those that fail are still to come."""
    forces = battle.forces
    for mate in range(len(forces.units)):
        lanes = forces.take_marked(mate, CONTAGION)
        lanes, passed = battle.check(f"contagion/{forces.units[mate].id}", mate, lanes, "31", again=True)
        _break(battle, mate, lanes[~passed], bit)


def _break(battle: Battle, unit: int, lanes: Ids, bit: int) -> None:
    """The new state of a unit that failed; its move is marked and made later."""
    forces = battle.forces
    lanes = lanes[forces.present(unit, lanes)]
    if not len(lanes):
        return
    state = morale.failure(int(forces.arm[unit]), forces.state[unit, lanes], forces.formation[unit, lanes])
    for new, told in ((DISORDERED, "is disordered"), (ROUTED, "routs")):
        there = lanes[state == new]
        if len(there):
            forces.become(unit, there, new)
            there = there[forces.formation[unit, there] != UNLIMBERED]
            forces.gives_way[unit, there] |= bit
            battle.tell("30", battle.name(unit), told)


def give_way(battle: Battle, unit: int, bit: int = AFTER_THE_RUN, cause: int = PLAIN) -> None:
    """The move of a unit whose check failed: a retreat if it is disordered, a rout move if it routs (by fire perhaps later)."""
    forces = battle.forces
    lanes = (forces.gives_way[unit, : forces.n] & bit).nonzero()[0]
    if not len(lanes):
        return
    forces.gives_way[unit, lanes] &= ~bit
    zone_loss = int(cause == STARRED)
    broken = forces.state[unit, lanes] == ROUTED
    if cause == BY_FIRE and battle.switches["rout_by_fire"] == "recovery":
        forces.note("rout_due", unit, lanes[broken], 1)
    elif broken.any():
        battle.rout((unit,), lanes[broken], zone_loss)
    battle.retreat((unit,), lanes[~broken], zone_loss=zone_loss, by_melee=cause in (BY_MELEE, STARRED))
