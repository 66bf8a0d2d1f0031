"""The Charge segment: sight, the march, declarations, the charger's choices and halts (§4)."""

from __future__ import annotations

from tests.agreement.play.attack import Attack
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


def declare_charges(run: Run) -> None:
    """Every charge is declared before any moves: who sees his goal (§4.1, §4.2, §14.1)."""
    for attack in run.attacks:
        goal = attack.goal
        assert goal is not None
        assert goal.at is not None
        attack.unseen = run.switches["see_at_start"] and not in_sight(run, attack.here, goal.at)


def resolve(run: Run, attack: Attack) -> None:
    """A charge, from its pre-check to its end, as those before it left things (§4.4, §4.5, §14.1)."""
    run.take_up(attack)
    if is_made(run, attack):
        attack.charged, attack.charging = True, attack.mounted
        ride_at_goal(run)
        never_at_distance(run)
        rout_without_contact(run)
        guns_left_behind(run)
    else:
        never_at_distance(run)
    run.take_up(None)


def is_made(run: Run, attack: Attack) -> bool:
    """Whether it sees its goal, somebody rides, there is a target left, and the pre-check is passed.

    §4.2, §4.4, §14.3.
    """
    left = [piece for piece in attack.target if not (piece.gone or piece.unmanned or piece.sheltered)]
    there = [piece for piece in left if piece.at == attack.target_hex]
    lead = attack.lead
    if attack.unseen or lead is None or not left:
        return False
    attack.target = there or left
    attack.named = attack.target[0]
    attack.squares_before = {piece.id for piece in run.pieces if piece.formation == "square"}
    checks = lead.card.nation in run.data["charge"]["check_nations"]
    return not checks or morale_check(run, lead, "charge-check")


def rout_without_contact(run: Run) -> None:
    """A regiment that has spent its printed allowance and touched nobody routs where it is.

    §4.13, §4.14; D4.3.
    """
    for piece in run.attack.riders:
        if piece.gone or piece.state != "good" or piece.at is None:
            continue
        touches = any(distance(piece.at, foe.at) <= 1 for foe in run.alive("target") if foe.at is not None)
        spent = run.attack.left_behind.get(piece.id, run.attack.spent)
        if not touches and piece.id not in run.attack.touched and spent >= piece.card.movement:
            run.note("no contact after {} points", spent)
            become_routed(run, piece)


def guns_left_behind(run: Run) -> None:
    """DD guns, left by infantry that was the declared target, may be meleed by a charger with nobody else.

    §5.4; 0-decisions 5.27.
    """
    where = run.attack.abandoned_hex
    if (
        where is None
        or not run.attack.anyone_rides
        or run.attack.opponent is not None
        or distance(run.attack.here, where) != 1
    ):
        return
    guns = [piece for piece in run.stack(where, "target") if piece.unlimbered and piece.state == "disordered"]
    if guns:
        run.attack.charge_bonus = False
        run.attack.engage(guns[0])


def never_at_distance(run: Run) -> None:
    """Why an attempt was not made whose distance the charger never came to (§5.1)."""
    asked = any(piece.id in run.attack.tried for piece in run.attack.target)
    if run.attack.response.startswith("carre@") and not asked:
        run.attack.refused = f"the charger was never at {run.attack.response[-1]} hexes"


def ride_at_goal(run: Run) -> None:
    """Step by step: reaction, declaration, carré, the charger's choices, and on (§4.5, §4.10)."""
    while True:
        react(run)
        if run.attack.met is not None:
            return
        look_around(run)
        if run.attack.over:
            return
        goal = run.attack.goal
        if goal is not None and goal.at is not None and distance(run.attack.here, goal.at) == 1:
            if run.attack.riding_over:
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
    choice, run.attack.choice = run.attack.choice, None
    if run.attack.over or choice is None or run.attack.pressing:
        return
    if choice == "break off":
        run.attack.over = halts(run)
    elif choice == "second":
        run.attack.second = second = run.attack.other
        assert second is not None
        run.attack.planned_turns, run.attack.planned = run.attack.told.second_path, 0
        declare(run)
        carre_attempts(run)
        run.attack.over = bool(run.attack.over or second.gone or second.unmanned or second.sheltered)
    elif choice == "turn away":
        run.attack.away = True
        run.attack.planned_turns, run.attack.planned = run.attack.told.away, 0
        declare(run)
    elif choice == "ride over":
        run.attack.riding_over = True


def halts(run: Run) -> bool:
    """Whether the charger halts of its own will: where that needs a recall, by one roll a charge (§4.12)."""
    if run.switches["halting"] == "free":
        return True
    if run.attack.pressing:
        return False
    lead = run.attack.lead
    assert lead is not None
    if recall_roll(run, "halt"):
        return True
    run.attack.pressing, run.attack.riding_over = True, False
    return False


def go_on(run: Run) -> bool:
    """The next step, or steps over squares; False if the march is over (§4.10, §5.11)."""
    if run.attack.away and run.attack.planned == len(run.attack.planned_turns):
        if halts(run):
            return False
        run.attack.planned_turns = (*run.attack.planned_turns, 0)
    move = next_move(run, ride_now(run))
    if move is None or (not run.attack.away and stops_without_target(run)):
        return False
    return make(run, move)


def stops_without_target(run: Run) -> bool:
    """The plan's `no_target`: whether the charger halts because it has no declared target (§4.11; D N7)."""
    goal, plan = run.attack.goal, run.attack.plan["no_target"]
    if (
        goal is None
        or goal.at is None
        or goal.id in run.attack.declared
        or plan == "ride on"
        or run.attack.pressing
    ):
        return False
    result, as_target = run.attack.carre.get(goal.id, ("formed", False))
    left_alone = goal.id in run.attack.passed or (result != "formed" and not as_target)
    if (plan == "stop" and left_alone and not run.attack.riding_over) or not reaches(run, goal.at):
        return halts(run)
    return False


def declare(run: Run) -> None:
    """Whom the charger declares and whom it passes (§4.8)."""
    goal = run.attack.goal
    immune = run.switches["passed_immune"]
    for piece in run.alive("target"):
        if piece.at is None:
            continue
        away = distance(run.attack.here, piece.at)
        if away > 2 or not in_sight(run, run.attack.here, piece.at):
            continue
        if goal is not None and piece.at == goal.at:
            if run.attack.riding_over:
                continue
            if run.switches["declaration"] == "distance" or (away == 2 and is_ahead(run, piece.at)):
                if piece.id not in run.attack.passed:
                    run.attack.declared.add(piece.id)
            elif away == 2 and immune and piece.id not in run.attack.declared:
                run.attack.passed.add(piece.id)
        elif away == 2 and immune and piece.id not in run.attack.declared:
            run.attack.passed.add(piece.id)


def is_ahead(run: Run, where: Hex) -> bool:
    """Whether a hex is two steps straight ahead; a line before its first step has two fronts (§4.8)."""
    lead = run.attack.lead
    assert lead is not None
    ways = [run.attack.direction]
    if lead.formation == "line" and run.attack.steps == 0:
        ways.append((run.attack.direction + 1) % 6)
    return any(neighbour(neighbour(run.attack.here, way), way) == where for way in ways)
