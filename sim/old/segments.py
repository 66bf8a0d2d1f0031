"""The six segments of a player half, in order (rule 2).

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from sim.old.assault import Assault
from sim.old.charging import Charging
from sim.old.ending import note_foe
from sim.old.firing import Firing
from sim.old.forces import UNDER_FIRE
from sim.old.reactions import MET
from sim.old.withdrawal import leave_enemy_hex
from sim.rulesets.conditions import code
from sim.rulesets.modifiers import holds
from sim.vocabulary import (
    CAVALRY,
    DISORDERED,
    EXHAUSTED,
    FORMATIONS,
    GENERAL_ORDER,
    GONE,
    GOOD,
    INFANTRY,
    ROUTED,
    TIRED,
    UNLIMBERED,
)

if TYPE_CHECKING:
    from sim.old.engine import Battle, Cases, Process
    from sim.old.lanes import Ids
    from sim.units.orders import ChargeOrder

PHASING = 0
"""Side whose half it is: the charger's."""


def play_segment(battle: Battle, segment: str) -> Process:
    """Play one segment: each unit concerned gets its turn, in unit order."""
    yield from {
        "charge": _charge,
        "movement": _movement,
        "defensive-fire": _defensive_fire,
        "offensive-fire": _offensive_fire,
        "melee": _melee,
        "recovery": _recovery,
    }[segment](battle)


def _charge(battle: Battle) -> Process:
    """Every charge is declared before any is resolved; each is then resolved apart (seed 000)."""
    declared = [Charging(battle, order) for order in battle.orders.charges]
    for charging in declared:
        yield from battle.call(charging.top, partial(_play_charge, charging))
    for charging in declared:
        note_foe(charging)
    battle.forces.forget()


def _play_charge(charging: Charging, unit: int) -> Process:
    yield from charging.play()


def _movement(battle: Battle) -> Process:
    """Cavalry that charged does not move, and a target in contact with it does not either; nobody else has orders."""
    yield battle.env.timeout(0)


def _defensive_fire(battle: Battle) -> Process:
    """Each hex with phasing units is attacked once by what can shoot at it (rule 27)."""
    forces = battle.forces
    mine = [u for u in range(len(forces.units)) if forces.side[u] == PHASING]
    for unit in mine:
        forces.mark(unit, _lanes_on_top(battle, unit), UNDER_FIRE)
    for unit in mine:
        yield from battle.call(unit, lambda who: _under_fire(battle, who))
    forces.forget(("fired",))


def _lanes_on_top(battle: Battle, unit: int) -> Ids:
    """The lanes in which a unit is the top one of its hex."""
    forces = battle.forces
    lanes = forces.all()
    lanes = lanes[forces.present(unit, lanes)]
    return lanes[forces.top(int(forces.side[unit]), forces.hex[unit, lanes], lanes) == unit]


def _under_fire(battle: Battle, unit: int) -> None:
    """All that bears on a hex shoots at it; on a square only the square does."""
    forces = battle.forces
    lanes = forces.take_marked(unit, UNDER_FIRE)
    enemies = [u for u in range(len(forces.units)) if forces.side[u] != PHASING]
    here = {u: forces.hex[u, lanes] == forces.hex[unit, lanes] for u in enemies}
    shared = forces.shares_hex(unit, lanes)
    only = np.zeros((len(forces.units), len(lanes)), bool)
    for enemy, there in here.items():
        only[enemy] = ~shared | there
    Firing(battle).attack(unit, lanes, "27", only=only, defensive=True)


def _offensive_fire(battle: Battle) -> Process:
    """The phasing side shoots at the hex of its goal, unless the charger stands on it (rule 24)."""
    forces = battle.forces
    for order in battle.orders.charges:
        theirs = [u for u in range(len(forces.units)) if forces.side[u] != PHASING]
        for unit in theirs:
            lanes = _lanes_on_top(battle, unit)
            lanes = lanes[forces.hex[unit, lanes] == _target_hex(battle, order, lanes)]
            forces.mark(unit, lanes[~forces.shares_hex(unit, lanes)], UNDER_FIRE)
        for unit in theirs:
            yield from battle.call(
                unit, lambda who: Firing(battle).attack(who, forces.take_marked(who, UNDER_FIRE), "24")
            )


def _target_hex(battle: Battle, order: ChargeOrder, lanes: Ids) -> Cases:
    """The hex of the charge's target while anybody of it is left there, else that of the first of them who is left (0-decisions 5.34).

    Where the charge turned to a second unit, that unit's hex.
    """
    forces = battle.forces
    first, last = np.full(len(lanes), forces.map.off), np.zeros(len(lanes), bool)
    home = forces.map.number(order.at)
    for one in reversed(order.hex_units):
        there = forces.present(one, lanes) & (forces.unmanned[one, lanes] == 0)
        first[there] = forces.hex[one, lanes[there]]
        last |= there & (forces.hex[one, lanes] == home)
    found = np.where(last, home, first)
    for unit in range(len(forces.units)):
        turned = forces.aim[list(order.stack)][:, lanes].max(axis=0) == unit + 1
        found[turned] = forces.hex[unit, lanes[turned]]
    return found


def _play_melee(assault: Assault, unit: int) -> None:
    assault.play()


def _melee(battle: Battle) -> Process:
    """Melees, then readiness, then those who were not recalled rout in place (rules 32 to 36, 42)."""
    forces = battle.forces
    for order in battle.orders.charges:
        for led in _leads(battle, order):
            yield from battle.call(led.stack[0], partial(_play_melee, Assault(battle, led)))
        leave_enemy_hex(battle, order.stack, forces.all())
    for order in battle.orders.charges:
        _readiness(battle, order.stack)
        for led in _leads(battle, order):
            _rout_chasers(battle, led)
    forces.forget(
        (
            "foe",
            "foe_hex",
            "effect",
            "node",
            "compulsory",
            "chasing",
            "bonus",
            "contact",
            "leaving",
            "recalled",
            "origin",
            "came_from",
            "unchecked",
            "letter",
            "with_charge",
        )
    )


def _leads(battle: Battle, order: ChargeOrder) -> list[ChargeOrder]:
    """A charge as led by each regiment of its stack in turn: what one that is lost or routed had to do passes to the next that rides (5.33)."""
    forces = battle.forces
    for above, below in combinations(order.stack, 2):
        lanes = forces.all()
        riding = forces.mounted(order.stack, lanes)
        lanes = lanes[(forces.foe[above, lanes] > 0) & ~riding[above] & riding[below]]
        for name in _LED:
            rows = getattr(forces, name)
            rows[below, lanes] = rows[above, lanes]
        forces.note("foe", above, lanes, 0)
        forces.note("chasing", above, lanes, 0)
    return [replace(order, stack=order.stack[i:]) for i in range(len(order.stack))]


_LED = ("foe", "foe_hex", "compulsory", "unchecked", "chasing", "bonus", "recalled")


def _rout_chasers(battle: Battle, order: ChargeOrder) -> None:
    """Those who were not recalled rout in place when the melees are over (rule 42)."""
    forces = battle.forces
    top = order.stack[0]
    lanes = np.flatnonzero(forces.chasing[top, : forces.n] == 1)
    for unit, there in forces.mounted(order.stack, lanes).items():
        forces.become(unit, lanes[there], ROUTED)
    if len(lanes):
        battle.tell("42", battle.name(top), "was not recalled and routs where it stands")


def _readiness(battle: Battle, stack: tuple[int, ...]) -> None:
    """Rule 36; D3.3, D3.4."""
    forces = battle.forces
    everyone = forces.all()
    keeps = forces.preserve[0, everyone] == 1
    for unit in stack:
        charged = (forces.charged[unit, everyone] == 1) & forces.present(unit, everyone)
        meleed = forces.meleed[unit, everyone] == 1
        forces.tire(unit, everyone[charged & ~meleed], TIRED)
        forces.tire(unit, everyone[charged & meleed & ~keeps], EXHAUSTED)
    for unit in range(len(forces.units)):
        if forces.arm[unit] == CAVALRY and forces.side[unit] != PHASING:
            fought = everyone[(forces.meleed[unit, everyone] == 1) & forces.present(unit, everyone)]
            exhausts = battle.switches["react_melee_exhausts"] and forces.reacting[unit].any()
            step = np.minimum(forces.readiness[unit, fought] + 1, EXHAUSTED)
            if exhausts:
                step = np.where(forces.reacting[unit, fought] == MET, EXHAUSTED, step)
            forces.readiness[unit, fought] = step


def _recovery(battle: Battle) -> Process:
    """The phasing side's disordered and routed units try to recover; those who fail run on (rule 30)."""
    forces = battle.forces
    for unit in range(len(forces.units)):
        if forces.side[unit] == PHASING:
            yield from battle.call(unit, lambda who: _recover(battle, who))
    for unit in range(len(forces.units)):
        if forces.side[unit] != PHASING:
            yield from battle.call(unit, lambda who: _late_rout(battle, who))


def _recover(battle: Battle, unit: int) -> None:
    forces = battle.forces
    lanes = forces.all()
    lanes = lanes[(forces.state[unit, lanes] > GOOD) & (forces.state[unit, lanes] < GONE)]
    lanes, passed = battle.check(f"recovery/{forces.units[unit].id}", unit, lanes, "30")
    back, on = lanes[passed], lanes[~passed]
    forces.become(unit, back, GOOD)
    if forces.arm[unit] == INFANTRY:
        loose = [
            code(name) for name in np.array(battle.book.terrains)[battle.book.fire_defence.general_order]
        ]
        forces.form(unit, back[np.isin(forces.terrain[forces.hex[unit, back]], loose)], GENERAL_ORDER)
    forces.note("rout_due", unit, lanes, 0)
    if len(back):
        battle.tell(
            "30",
            battle.name(unit),
            f"is back in good order, in {FORMATIONS[forces.formation[unit, back[0]]]}",
        )
    for whom in battle.book.recovery_losses:
        hurt = on[holds(whom.when, forces.about("unit", unit, on), len(on))]
        if len(hurt):
            battle.tell(
                "30",
                battle.name(unit),
                f"does not recover, which costs it increments: {whom.label} ({whom.source})",
            )
            forces.lose(unit, hurt, whom.increments)
    on = on[forces.present(unit, on)]
    on = on[forces.formation[unit, on] != UNLIMBERED]  # unlimbered guns stay as they are (E2)
    forces.become(unit, on[forces.state[unit, on] == DISORDERED], ROUTED)
    battle.rout((unit,), on)


def _late_rout(battle: Battle, unit: int) -> None:
    """The rout move of a unit routed by fire in this half (seed 004)."""
    forces = battle.forces
    lanes = forces.all()
    lanes = lanes[(forces.rout_due[unit, lanes] == 1) & (forces.state[unit, lanes] == ROUTED)]
    forces.note("rout_due", unit, lanes, 0)
    battle.rout((unit,), lanes)
