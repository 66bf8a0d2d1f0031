"""The carré attempt (§5, rule 38)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from sim.ensemble import ladder
from tests.agreement.play.charts import clamped
from tests.agreement.play.checks import holds, total_of
from tests.agreement.play.failures import move_away, rout_move
from tests.agreement.play.hexes import distance
from tests.agreement.play.march import entry_cost
from tests.agreement.play.pieces import Piece
from tests.agreement.play.pursuit import after_flight, follow, pursues, recall_roll
from tests.agreement.play.run import Run
from tests.agreement.play.sight import sees_through_front, settle_facing
from tests.agreement.play.states import abandon, become_disordered, become_routed, remove

CARRE_CAP = 4

NOT_INFANTRY = "not infantry"
IN_SKIRMISH_ORDER = "in skirmish order"
ALREADY_IN_SQUARE = "already in square"
IN_GENERAL_ORDER = "in general order"
IS_A_MASSE = "a Masse"
NOT_IN_GOOD_ORDER = "not in good order"
NO_CARRE_ROW = "no carré row for its nation and formation"
BARRED = "barred by the rule set"
NO_CARRE = "its troop type has no carré"
TOO_FEW = "too few increments"
OUT_OF_RANGE = "out of range"
OUT_OF_SIGHT = "not in sight through a front side"


def carre_attempts(run: Run) -> None:
    """Every enemy hex whose response names this distance tries, in unit order, once a charge.

    §4.9, §5.5; rule 38.
    """
    attack = run.attack
    for piece in run.alive("target"):
        response = run.response_to(attack, piece)
        leads = (
            piece is attack.goal if piece in attack.target else run.stack(piece.at, "target")[:1] == [piece]
        )
        if piece.id in attack.tried or not leads or not response.startswith("carre@"):
            continue
        if piece.at is not None and distance(piece.at, attack.here) == int(response[-1]):
            attack.tried |= {one.id for one in run.stack(piece.at, "target")}
            reason = refusal(run, piece)
            if piece in attack.target:
                attack.refused = reason
            if reason is None:
                carre_attempt(run, piece)
            else:
                run.note("{} refused: {}", piece.id, reason)
    if run.attack.routed_by_attempt:
        group, run.attack.routed_by_attempt = run.attack.routed_by_attempt, []
        if recall_roll(run) and pursues(run, group):
            follow(run, group)
            after_flight(run, group, None, recalled=True)
        run.attack.over = True


def refusal(run: Run, piece: Piece) -> str | None:
    """The first reason for which a unit may not try (§5.1)."""
    data, formation = run.data["carre"], piece.formation
    by_formation = {
        "skirmish": IN_SKIRMISH_ORDER,
        "square": ALREADY_IN_SQUARE,
        "general order": IN_GENERAL_ORDER,
        "masse": IS_A_MASSE,
    }
    if piece.arm != "infantry":
        return NOT_INFANTRY
    if formation in by_formation:
        return by_formation[formation]
    if piece.state != "good":
        return NOT_IN_GOOD_ORDER
    if carre_row(run, piece) is None:
        return NO_CARRE_ROW
    scene = {"target": piece, "unit": piece, "charger": run.attack.lead, "enemy": run.attack.lead}
    if any(holds(run, one["when"], scene) for one in data["barred"]):
        return BARRED
    if piece.card.multiples["square"] is None:
        return NO_CARRE
    assert piece.at is not None
    if (
        sum(one.increments for one in run.stack(piece.at, "target") if one.arm == "infantry")
        < run.data["charge"]["min_carre_increments"]
    ):
        return TOO_FEW
    if (
        distance(piece.at, run.attack.here)
        > run.switches["night_range" if run.charge.night else "carre_range"]
    ):
        return OUT_OF_RANGE
    if run.switches["carre_sight"] == "adjacent" and distance(piece.at, run.attack.here) > 1:
        return OUT_OF_SIGHT
    if not sees_through_front(run, piece, run.attack.here):
        return OUT_OF_SIGHT
    return None


def carre_row(run: Run, piece: Piece) -> tuple[dict[str, Any], dict[int, list[str]]] | None:
    """The row of the carré chart, by nation and formation (§5.2)."""
    for row, cells in run.charts.carre:
        if piece.card.nation in row["nations"] and piece.formation == row["formation"]:
            return row, cells
    return None


def carre_distance(run: Run, piece: Piece, row: dict[str, Any]) -> int:
    """The column: hexes, or on rows in points the cost of the planned path up to the hex (§5.2)."""
    assert piece.at is not None
    mode = run.switches["carre_distance"]
    hexes = distance(piece.at, run.attack.here)
    in_points = mode == "points" or (mode == "row" and row["unit"] == "points")
    if (
        not in_points
        or piece.at != run.attack.target_hex
        or run.attack.planned_turns != run.attack.told.path
        or run.attack.route[run.attack.planned] != run.attack.here
    ):
        return hexes
    way = [*run.attack.route[run.attack.planned :], run.attack.target_hex]
    costs = [entry_cost(run, a, b) for a, b in pairwise(way)]
    return min(CARRE_CAP, sum(CARRE_CAP if cost is None else cost for cost in costs))


def carre_attempt(run: Run, piece: Piece) -> None:
    """The roll on the carré chart, and what comes of it (§5.2, §5.7; rule 38)."""
    found = carre_row(run, piece)
    assert found is not None
    row, cells = found
    scene = {
        "target": piece,
        "unit": piece,
        "charger": run.attack.lead,
        "enemy": run.attack.lead,
        "check": "carre",
    }
    shift = total_of(run, run.data["carre"]["modifiers"], scene)
    column = carre_distance(run, piece, row)
    result = run.ask("carre", piece, [cells[column][clamped(face + shift)] for face in range(ladder.STEPS)])
    run.note("  carré of {} at {} {:+d}: {}", piece.id, column, shift, result)
    declared = piece.id in run.attack.declared
    run.attack.carre[piece.id] = (result, declared)
    if piece in run.attack.target:
        run.attack.attempt = result
        if not declared and piece is run.attack.goal:
            run.attack.choice = (
                run.attack.plan["square"] if result == "formed" else run.attack.plan["disordered"]
            )
    if result == "formed":
        formed(run, piece, declared)
    elif result == "disordered":
        disordered(run, piece, declared)
    else:
        routed(run, piece, declared)


def formed(run: Run, piece: Piece, declared: bool) -> None:
    """All infantry of the hex is in square (§5.3)."""
    for one in run.infantry_with(piece):
        one.formation = "square"
        settle_facing(run, one)


def disordered(run: Run, piece: Piece, declared: bool) -> None:
    """All good-order infantry of the hex is disordered; no TARGET, it retreats at once (§5.4, §6.13)."""
    group = run.infantry_with(piece) + run.guns_with(piece, "limbered")
    guns = run.guns_with(piece, "unlimbered")
    for one in group:
        if one.state == "good":
            become_disordered(run, one)
    for one in guns:
        if run.switches["guns_with_infantry"] == "abandoned":
            abandon(run, one)
        elif one.state == "good":
            become_disordered(run, one)
    if declared and run.switches["dd_target"] == "follows":
        run.attack.abandoned_hex = piece.at
    if not declared or run.switches["dd_target"] == "follows":
        move_away(run, group, run.data["retreat"]["disordered"], "retreat")


def routed(run: Run, piece: Piece, declared: bool) -> None:
    """All infantry of the hex routs, limbered guns with it (§5.5, §6.13)."""
    group = run.infantry_with(piece) + run.guns_with(piece, "limbered")
    guns = run.guns_with(piece, "unlimbered")
    for one in group:
        become_routed(run, one)
    for one in guns:
        if run.switches["guns_with_infantry"] == "abandoned":
            abandon(run, one)
        else:
            remove(run, one, "eliminated")
    if not declared:
        if run.switches["pgd_bystander"] == "flees":
            rout_move(run, group)
    elif run.switches["pgd_target"] == "pursuit":
        rout_move(run, group)
        run.attack.routed_by_attempt = group
