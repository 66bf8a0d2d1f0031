"""The Melee segment: who fights whom, the pre-melee check, the fight and what follows (§10)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sim.ensemble import ladder
from sim.units.charges import Leader
from tests.agreement.play.attack import Attack
from tests.agreement.play.charts import clamped, column_at
from tests.agreement.play.checks import contact_scene, morale_check
from tests.agreement.play.failures import general_failure, leader_lost
from tests.agreement.play.hexes import Hex, direction_to, distance
from tests.agreement.play.pieces import Piece
from tests.agreement.play.recovery import tire
from tests.agreement.play.results import letter_result, number_result
from tests.agreement.play.run import Run
from tests.agreement.play.sight import facing_along
from tests.agreement.play.states import become_routed
from tests.agreement.play.strengths import Melee, melee_column, survivors
from tests.agreement.play.ways import first_free, is_free


def melee_of(run: Run, attack: Attack) -> None:
    """The melee of one charge (§10.1, §14.8)."""
    run.take_up(attack)
    if attack.charged:
        charger_melees(run)
    run.take_up(None)


def end_of_melees(run: Run) -> None:
    """After all melees: cavalry leaves enemy hexes, readiness, the rout of those who chased.

    §10.12, §10.15, §10.17, §14.8.
    """
    for attack in run.attacks:
        run.take_up(attack)
        if attack.charged:
            leave_enemy_hexes(run)
    run.take_up(None)
    tire(run)
    for attack in run.attacks:
        for piece in attack.mounted if attack.chasing else []:
            become_routed(run, piece)


def leave_enemy_hexes(run: Run) -> None:
    """The cavalry of a charge leaves the hexes that it shares with enemies (§10.12)."""
    for where in dict.fromkeys(piece.at for piece in run.attack.riders):
        if where is not None:
            leave_hex(run, where)


def leave_hex(run: Run, where: Hex) -> None:
    """Cavalry may not stay on a hex that holds an enemy (§10.12)."""
    riders = [piece for piece in run.attack.riders if not piece.gone and piece.at == where]
    if not riders or not run.stack(where, "target"):
        return
    there = run.came_from.get(riders[0].id)
    if there is None or not is_free(run, there):
        there = first_free(run, where)
    if there is not None:
        run.note("  back to {}", there)
        facing = direction_to(where, there)
        for piece in riders:
            piece.at, piece.facing = there, facing_along(run, piece, facing)


def melee_hex(run: Run) -> Hex | None:
    """The hex to be meleed: the opponent's, if still beside the charger, or what is left where it stood.

    §10.1, §10.2.
    """
    if run.attack.opponent is None:
        return None
    for where in (run.attack.opponent.at, run.attack.opponent_hex):
        if where is not None and distance(run.attack.here, where) <= 1 and run.stack(where, "target"):
            return where
    return None


def charger_melees(run: Run) -> None:
    """The melee that the charge led to, where there is one (§10.1, §10.2)."""
    if not run.attack.anyone_rides:
        return
    if not run.attack.compulsory and run.attack.plan["after_halt"] == "decline":
        return
    where = melee_hex(run)
    if where is None:
        return
    attackers = run.attack.mounted
    if run.attack.unchecked:
        premelee_check(run, where, attackers)
    everybody = run.stack(where, "target")
    defenders = [piece for piece in everybody if not piece.sheltered]
    if not defenders:
        return
    run.attack.fought = [*attackers, *defenders]
    fight(Melee(run, where, list(attackers), list(everybody), defenders, side_met(run, where)))


def premelee_check(run: Run, where: Hex, attackers: Sequence[Piece]) -> None:
    """The defender's check before a melee that no charge check has preceded.

    §10.3, rule 33; 0-decisions 5.20.
    """
    stack = [piece for piece in run.stack(where, "target") if not piece.sheltered]
    if not stack:
        return
    top = stack[0]
    if top.arm == "cavalry" or top.unlimbered or top.formation == "general order":
        return
    charging = sum(piece.increments for piece in attackers)
    if attackers[0].formation == "line":
        charging = min(charging, run.data["premelee"]["line"])
    odds = Fraction(charging, sum(piece.increments for piece in stack))
    number = run.charts.premelee[max(0, column_at(run.charts.premelee, odds))][1]["defence"]
    scene = contact_scene(run, top, side_met(run, where))
    if not morale_check(
        run,
        top,
        "pre-melee",
        run.data["premelee"]["modifiers"],
        "defence",
        number,
        scene,
    ):
        general_failure(run, [top], "other", [top])


def side_met(run: Run, where: Hex) -> Hex:
    """The hex from which a hex is met: where the chargers stand, or came from if they are on it (§10.7)."""
    lead = run.attack.lead
    return (
        run.came_from[lead.id]
        if lead is not None and lead.at == where and lead.id in run.came_from
        else run.attack.here
    )


def fight(melee: Melee) -> None:
    """One melee: the roll, its result, the advance, the leaders (§10.8, §10.9, §10.13, §10.14)."""
    run = melee.run
    top = melee.defenders[0]
    column, shift = melee_column(melee)
    lead = melee.attackers[0]
    leader = run.leader_with(lead)
    if leader is not None:
        shift += leader.cavalry
    leaders = {"attacker": leader, "defender": run.leader_with(top)}
    hits = {
        role: ladder.parse_range(run.data["leaders"]["melee"][role]) if one is not None else ()
        for role, one in leaders.items()
    }
    results = run.charts.melee[column][1]
    result, *struck = run.ask(
        "melee",
        top,
        [
            (results[clamped(face + shift)], *(role for role in hits if face in hits[role]))
            for face in range(ladder.STEPS)
        ],
    )
    run.note("  column {} {:+d}: {}", run.charts.melee[column][0], shift, result)
    if "/" in result:
        number_result(melee, result)
    else:
        letter_result(melee, result, top)
    leave_enemy_hexes(run)
    advance(melee, result)
    leader_casualties(melee, {role: leaders[role] for role in struck})


def advance(melee: Melee, result: str) -> None:
    """After DD, DR, DS or elimination of all defenders the attackers move into the vacated hex (§10.13)."""
    run = melee.run
    wiped_out = not survivors(melee, melee.everybody)
    if (result not in ("DD", "DR", "DS") and not wiped_out) or run.stack(melee.where, "target"):
        return
    movers = [
        piece
        for piece in melee.attackers
        if not piece.gone and piece.state == "good" and piece.at is not None
    ]
    for piece in movers:
        if piece.at is not None and distance(piece.at, melee.where) == 1:
            facing = direction_to(piece.at, melee.where)
            piece.at, piece.facing = melee.where, facing_along(run, piece, facing)
            run.note("  {} advances to {}", piece.id, melee.where)


def leader_casualties(melee: Melee, leaders: dict[str, Leader | None]) -> None:
    """What becomes of the leaders hit by the natural roll, after the result (§10.14)."""
    run = melee.run
    for role, fought in (("attacker", melee.attackers), ("defender", melee.defenders)):
        leader = leaders.get(role)
        if leader is None:
            continue
        fate = run.ask(
            "leader", leader, ["out", "out", "out", "out", "captured", "flesh wound"], repeatable=True
        )
        if fate == "flesh wound":
            continue
        run.leader_out(leader)
        if fate == "captured":
            continue
        top = next((piece for piece in fought if not piece.gone), None)
        if top is None:
            continue
        where = top.at
        assert where is not None
        leader_lost(run, fought, where, leader, "melee")
