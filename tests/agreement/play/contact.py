"""What happens when a charge comes next to its goal (§6)."""

from __future__ import annotations

from tests.agreement.play.checks import contact_scene, holds, morale_check, type_rules
from tests.agreement.play.failures import failed_by_contagion, rout_move, worsen
from tests.agreement.play.hexes import direction_to, distance
from tests.agreement.play.march import can_pay, entry_cost, opportunity_fire, pay, ride_to
from tests.agreement.play.pieces import Piece
from tests.agreement.play.pursuit import flight, recall_roll, rout_of_target, trample
from tests.agreement.play.run import Run
from tests.agreement.play.sight import zone_towards
from tests.agreement.play.states import (
    abandon,
    become_disordered,
    become_routed,
    lose_top_first,
    remove,
    take_column,
)


def make_contact(run: Run, goal: Piece) -> None:
    """The charger is adjacent to the goal (§6.0 to §6.10)."""
    run.attack.over = True
    run.attack.remember_contact()
    if goal.id in run.attack.passed:
        run.note("the goal was passed")
        return
    assert goal.at is not None
    if goal.formation == "masse" and goal.id in run.attack.declared and not shot_by_masse(run, goal):
        return
    if barred_from(run, goal):
        run.note("the goal may not be charged")
        return
    ahead = direction_to(run.attack.here, goal.at) == run.attack.direction
    bonus = (
        goal.id in run.attack.declared
        and run.attack.straight_run >= run.data["charge"]["straight_hexes"]
        and ahead
    )
    run.note("contact, bonus {}", bonus)
    run.attack.charge_bonus = bonus
    result, as_target = run.attack.carre.get(goal.id, ("", False))
    run.attack.unchecked = not bonus
    if result == "formed":
        ride_onto(run, goal)
    elif result == "routed" and as_target and run.switches["pgd_target"] == "flees":
        group = [one for one in run.infantry_with(goal) if one.state == "routed"] + run.guns_with(
            goal, "limbered"
        )
        rout_of_target(run, group)
    elif result == "disordered" and as_target:
        run.attack.engage(goal, compulsory=True)
        if run.switches["dd_target_loss"]:
            lose_top_first(
                run, run.stack(goal.at, "target"), run.points_left // run.switches["dd_target_loss"]
            )
    elif result == "routed":
        run.attack.engage(goal, compulsory=True)
    elif goal.formation == "skirmish":
        contact_skirmishers(run, goal)
    elif goal.arm == "cavalry":
        run.attack.engage(goal)
    elif goal.arm == "artillery":
        contact_guns(run, goal)
    elif not bonus:
        contact_unchecked(run, goal)
    elif goal.formation == "square":
        if not run.switches["square_checks"] or stand_check(run, goal):
            ride_onto(run, goal)
    elif stand_check(run, goal):
        if goal.formation == "masse":
            ride_onto(run, goal)
        else:
            run.attack.engage(goal)


def barred_from(run: Run, goal: Piece) -> bool:
    """Whether the type of a regiment may not charge a unit of the goal's hex (§4.3; D10.3)."""
    for piece in run.attack.mounted:
        for one in run.stack(goal.at, "target"):
            scene = contact_scene(run, goal, run.attack.here) | {
                "target": one,
                "unit": piece,
                "charger": piece,
            }
            if any(holds(run, bar["when"], scene) for bar in type_rules(run, piece).get("charges_not", ())):
                return True
    return False


def shot_by_masse(run: Run, goal: Piece) -> bool:
    """A Masse fires at the charger that comes next to it; False if the charger cannot go on.

    §3.9; D10.5; 0-decisions 5.24, 5.35.
    """
    sources = [goal.at] if goal.at is not None and zone_towards(run, goal, run.attack.here) == "front" else []
    return opportunity_fire(run, sources)


def contact_unchecked(run: Run, goal: Piece) -> None:
    """Without a straight run no stand check: a melee as the plan says, compulsory with squares and Masses.

    §6.8 to §6.10; 0-decisions 5.32.
    """
    if goal.formation in ("square", "masse"):
        ride_onto(run, goal)
    else:
        run.attack.engage(goal)


def ride_onto(run: Run, goal: Piece) -> None:
    """Onto the hex of a square or Masse, if it can be paid. No doubling; melee compulsory (§6.1)."""
    assert goal.at is not None
    there = goal.at
    run.attack.charge_bonus = False
    cost = entry_cost(run, run.attack.here, there)
    if cost is None or not can_pay(run, cost):
        run.note("no points to ride onto the hex")
        return
    waived = goal.id in run.attack.declared and goal.formation == "square"
    if not waived and not (opportunity_fire(run) and can_pay(run, cost)):
        return
    pay(run, cost)
    run.came_from |= {piece.id: run.attack.here for piece in run.attack.mounted}
    run.attack.steps += 1
    ride_to(run, there, direction_to(run.attack.here, there))
    run.attack.engage(goal, compulsory=True)


def contact_skirmishers(run: Run, goal: Piece) -> None:
    """Skirmishers take shelter with good-order infantry beside them, or rout (§6.5, §6.13; rule 19)."""
    where = goal.at
    assert where is not None
    infantry = [one for one in run.infantry_with(goal) if one.formation == "skirmish"]
    group = infantry + run.guns_with(goal, "limbered")
    host = host_of(run, goal)
    if host is not None:
        run.note("{} shelters with {}", goal.id, host.id)
        for one in group:
            one.at, one.sheltered, one.facing = host.at, True, host.facing
            take_column(run, one)
        return
    guns = run.guns_with(goal, "unlimbered")
    for one in group:
        become_routed(run, one)
    if run.switches["guns_with_infantry"] == "abandoned":
        for one in guns:
            abandon(run, one)
    if run.switches["skirmish_trample"] == "points":
        lost = sum(lose_top_first(run, group, 2 * run.points_left).values())
        run.attack.spent += (lost + 1) // 2
    else:
        trample(run, group)
    if run.switches["skirmish_recall"]:
        flight(run, group, where, recall_roll(run))
    else:
        rout_move(run, group)


def host_of(run: Run, goal: Piece) -> Piece | None:
    """The first unit in unit order that can give shelter (§6.5; rule 19)."""
    assert goal.at is not None
    shapes = (
        ("column", "general order", "line") if run.switches["shelter_line"] else ("column", "general order")
    )
    for piece in run.alive("target"):
        able = piece.arm == "infantry" and piece.state == "good" and piece.formation in shapes
        if able and piece.at is not None and distance(piece.at, goal.at) == 1:
            return piece
    return None


def contact_guns(run: Run, goal: Piece) -> None:
    """Guns alone (§6.7; rule 41)."""
    assert goal.at is not None
    there = goal.at
    if goal.formation == "limbered":
        if run.switches["lone_limbered"] == "rout":
            group = run.guns_with(goal, "limbered")
            for one in group:
                become_routed(run, one)
            rout_of_target(run, group)
        elif not run.attack.charge_bonus:
            contact_unchecked(run, goal)
        elif stand_check(run, goal):
            run.attack.engage(goal)
        return
    guns = run.guns_with(goal, "unlimbered")
    if morale_check(run, goal, "guns"):
        run.attack.engage(goal)
        if zone_towards(run, goal, run.attack.here) != "front":
            for one in guns:
                one.silent = True
        return
    for one in guns:
        remove(run, one, "eliminated")
    cost = entry_cost(run, run.attack.here, there)
    open_hex = cost is not None and can_pay(run, cost) and not run.stack(there, "target")
    if cost is not None and open_hex and opportunity_fire(run) and can_pay(run, cost):
        pay(run, cost)
        run.attack.steps += 1
        ride_to(run, there, direction_to(run.attack.here, there))


def stand_check(run: Run, goal: Piece) -> bool:
    """The stand check. True: halted. False: what follows from the failure has been played.

    §6.11 to §6.13; rule 38.
    """
    assert goal.at is not None
    where = goal.at
    guns = run.guns_with(goal, "unlimbered")
    passed = morale_check(
        run,
        goal,
        "stand",
        run.data["stand"]["modifiers"],
        scene=contact_scene(run, goal, run.attack.here),
    )
    if run.switches["guns_with_infantry"] == "own_check":
        for gun in guns:
            if not morale_check(run, gun, "guns") and gun.state == "good":
                become_disordered(run, gun)
    if passed:
        return True
    stays = goal.state == "disordered" and run.switches["dd_fails_stand"] == "stays"
    asked = [goal, *guns, *run.guns_with(goal, "limbered")]
    near = set(goal.hexes)
    failed = failed_by_contagion(run, [goal], near, asked) if goal.arm == "infantry" and not stays else []
    group = (
        [goal, *run.guns_with(goal, "limbered")]
        if goal.arm == "infantry"
        else run.guns_with(goal, "limbered")
    )
    for one in group:
        become_routed(run, one)
    if run.switches["guns_with_infantry"] == "abandoned":
        for gun in guns:
            abandon(run, gun)
    if stays:
        run.attack.engage(goal, compulsory=True)
        return False
    after = [(other, worsen(run, other)) for other in failed]
    rout_of_target(run, group, after, where)
    return False
