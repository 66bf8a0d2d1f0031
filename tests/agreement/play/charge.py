"""The Charge segment: sight, the march, declarations, the charger's choices and halts (§4)."""

from __future__ import annotations

from tests.agreement.play.carre import carre_attempts
from tests.agreement.play.checks import morale_check
from tests.agreement.play.contact import make_contact
from tests.agreement.play.hexes import Hex, distance, neighbour
from tests.agreement.play.march import make, next_move, reaches, ride_now, ride_over_goal
from tests.agreement.play.pursuit import recall_roll
from tests.agreement.play.reaction import react
from tests.agreement.play.run import Run
from tests.agreement.play.sight import in_sight
from tests.agreement.play.states import become_routed


def charge_segment(run: Run) -> None:
    """The charge, from its pre-check to its end (§4.2, §4.4, §4.5)."""
    lead, goal = run.riders[0], run.goal
    run.acting = lead
    assert goal is not None
    assert goal.at is not None
    unseen = run.switches["see_at_start"] and not in_sight(run, run.here, goal.at)
    checks = lead.card.nation in run.data["charge"]["check_nations"]
    if unseen or (checks and not morale_check(run, lead, "charge-check")):
        never_at_distance(run)
        return
    run.charged = True
    ride_at_goal(run)
    never_at_distance(run)
    rout_without_contact(run)
    guns_left_behind(run)


def rout_without_contact(run: Run) -> None:
    """A regiment that has spent its printed allowance and touched nobody routs where it is.

    §4.13, §4.14; D4.3.
    """
    for piece in run.riders:
        if piece.gone or piece.state != "good" or piece.at is None:
            continue
        touches = any(distance(piece.at, foe.at) <= 1 for foe in run.alive("target") if foe.at is not None)
        spent = run.left_behind.get(piece.id, run.spent)
        if not touches and piece.id not in run.touched and spent >= piece.card.movement:
            run.note("no contact after {} points", spent)
            become_routed(run, piece)


def guns_left_behind(run: Run) -> None:
    """DD guns, left by infantry that was the declared target, may be meleed by a charger with nobody else.

    §5.4; 0-decisions 5.27.
    """
    where = run.abandoned_hex
    if where is None or not run.anyone_rides or run.opponent is not None or distance(run.here, where) != 1:
        return
    guns = [piece for piece in run.stack(where, "target") if piece.unlimbered and piece.state == "disordered"]
    if guns:
        run.charge_bonus = False
        run.engage(guns[0])


def never_at_distance(run: Run) -> None:
    """Why an attempt was not made whose distance the charger never came to (§5.1)."""
    if run.response.startswith("carre@") and "target" not in run.tried:
        run.refused = f"the charger was never at {run.response[-1]} hexes"


def ride_at_goal(run: Run) -> None:
    """Step by step: reaction, declaration, carré, the charger's choices, and on (§4.5, §4.10)."""
    while True:
        react(run)
        if run.met is not None:
            return
        look_around(run)
        if run.over:
            return
        goal = run.goal
        if goal is not None and goal.at is not None and distance(run.here, goal.at) == 1:
            if run.riding_over:
                ride_over_goal(run, goal)
            else:
                make_contact(run, goal)
            return
        if not go_on(run):
            return


def look_around(run: Run) -> None:
    """Declarations, carrés, and what the charger makes of them (§4.8, §4.9, §5.7 to §5.12)."""
    declare(run)
    carre_attempts(run)
    choice, run.choice = run.choice, None
    if run.over or choice is None or run.pressing:
        return
    if choice == "break off":
        run.over = halts(run)
    elif choice == "second":
        run.second = run.by_id[str(run.charge.second)]
        run.planned_turns, run.planned = run.charge.second_path, 0
        declare(run)
        carre_attempts(run)
        run.over = run.over or run.second.gone is not None
    elif choice == "turn away":
        run.away = True
        run.planned_turns, run.planned = run.charge.away, 0
        declare(run)
    elif choice == "ride over":
        run.riding_over = True


def halts(run: Run) -> bool:
    """Whether the charger halts of its own will: where that needs a recall, by one roll a charge (§4.12)."""
    if run.switches["halting"] == "free":
        return True
    if run.pressing:
        return False
    lead = run.lead
    assert lead is not None
    if recall_roll(run, "halt"):
        return True
    run.pressing, run.riding_over = True, False
    return False


def go_on(run: Run) -> bool:
    """The next step, or steps over squares; False if the march is over (§4.10, §5.11)."""
    if run.away and run.planned == len(run.planned_turns):
        if halts(run):
            return False
        run.planned_turns = (*run.planned_turns, 0)
    move = next_move(run, ride_now(run))
    if move is None or (not run.away and stops_without_target(run)):
        return False
    return make(run, move)


def stops_without_target(run: Run) -> bool:
    """The plan's `no_target`: whether the charger halts because it has no declared target (§4.11; D N7)."""
    goal, plan = run.goal, run.plan["no_target"]
    if goal is None or goal.at is None or goal.id in run.declared or plan == "ride on" or run.pressing:
        return False
    result, as_target = run.carre.get(goal.id, ("formed", False))
    left_alone = goal.id in run.passed or (result != "formed" and not as_target)
    if (plan == "stop" and left_alone and not run.riding_over) or not reaches(run, goal.at):
        return halts(run)
    return False


def declare(run: Run) -> None:
    """Whom the charger declares and whom it passes (§4.8)."""
    goal = run.goal
    immune = run.switches["passed_immune"]
    for piece in run.alive("target"):
        if piece.at is None:
            continue
        away = distance(run.here, piece.at)
        if away > 2 or not in_sight(run, run.here, piece.at):
            continue
        if goal is not None and piece.at == goal.at:
            if run.riding_over:
                continue
            if run.switches["declaration"] == "distance" or (away == 2 and is_ahead(run, piece.at)):
                if piece.id not in run.passed:
                    run.declared.add(piece.id)
            elif away == 2 and immune and piece.id not in run.declared:
                run.passed.add(piece.id)
        elif away == 2 and immune and piece.id not in run.declared:
            run.passed.add(piece.id)


def is_ahead(run: Run, where: Hex) -> bool:
    """Whether a hex is two steps straight ahead; a line before its first step has two fronts (§4.8)."""
    lead = run.lead
    assert lead is not None
    ways = [run.direction]
    if lead.formation == "line" and run.steps == 0:
        ways.append((run.direction + 1) % 6)
    return any(neighbour(neighbour(run.here, way), way) == where for way in ways)
