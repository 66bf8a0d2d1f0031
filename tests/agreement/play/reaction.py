"""Cavalry that reacts to a charge (§4, rule 39)."""

from __future__ import annotations

from tests.agreement.play.checks import morale_check
from tests.agreement.play.hexes import distance, neighbour, turn_between
from tests.agreement.play.march import may_enter, turn_cap
from tests.agreement.play.pieces import Piece
from tests.agreement.play.run import Run
from tests.agreement.play.sight import facing_along, is_light, sees_through_front, terrain_at


def react(run: Run) -> None:
    """Cavalry that may react: its check, its bound, its steps (§4.6, §4.7; rule 39)."""
    for piece in reactors(run):
        if piece.gone or piece.state != "good" or piece.at is None:
            continue
        if piece.id in run.attack.reacting:
            bound = 1
        elif may_react(run, piece):
            run.attack.asked_to_react.add(piece.id)
            if not morale_check(run, piece, "react"):
                continue
            run.attack.reacting[piece.id] = 0
            bound = run.switches["react_bound_light" if is_light(run, piece) else "react_bound_heavy"]
        else:
            continue
        close_in(run, piece, bound)
        if distance(piece.at, run.attack.here) == 1:
            meet(run, piece)
            return


def reactors(run: Run) -> list[Piece]:
    """Who may react, in unit order: a cavalry target whose response it is, the reactor (§4.6).

    Not who has met another charge (§14.5).
    """
    top = run.attack.goal
    found = [top] if top is not None and top.arm == "cavalry" and run.attack.response == "react" else []
    if "reactor" in run.by_id:
        found.append(run.by_id["reactor"])
    met = {name for attack in run.attacks if attack is not run.attack for name in attack.counter_chargers}
    return [piece for piece in found if piece.id not in met]


def may_react(run: Run, piece: Piece) -> bool:
    """Whether cavalry makes its check now: once a charge, in its zone, in sight through its front.

    §4.6; rule 39.
    """
    assert piece.at is not None
    if piece.id in run.attack.asked_to_react or piece.readiness == "exhausted":
        return False
    depth = run.switches["react_zone_light" if is_light(run, piece) else "react_zone_heavy"]
    return distance(piece.at, run.attack.here) <= depth and sees_through_front(run, piece, run.attack.here)


def reacting_group(run: Run, piece: Piece) -> list[Piece]:
    """The reactor, and the good-order regiments stacked with it (§4.7)."""
    beside = run.stack(piece.at, piece.side)
    along = piece in run.attack.target
    return [
        one
        for one in beside
        if one is piece
        or (along and one in run.attack.target and one.arm == "cavalry" and one.state == "good")
    ]


def close_in(run: Run, piece: Piece, bound: int) -> None:
    """The reactor's steps toward the charger, as many as its bound, while its points last (§4.7)."""
    group = reacting_group(run, piece)
    allowance = min(one.card.movement for one in group) + run.data["charge"]["bonus_movement"]
    for _ in range(bound):
        here = piece.at
        assert here is not None
        if distance(here, run.attack.here) == 1:
            return
        facing = piece.facing // 2
        direction = reacting_direction(run, piece, facing)
        if direction is None:
            return
        there = neighbour(here, direction)
        cost = (
            terrain_at(run, there)["cavalry"]
            + abs(turn_between(facing, direction)) * run.switches["facing_cost"]
        )
        if run.attack.reacting[piece.id] + cost > allowance:
            return
        run.attack.reacting[piece.id] += cost
        for one in group:
            one.at, one.facing = there, facing_along(run, one, direction)
        run.note("{} reacts to {}", piece.id, there)


def reacting_direction(run: Run, piece: Piece, facing: int) -> int | None:
    """The direction that brings a reactor nearer to the charger with the smallest turn, right before left.

    §3.11, §4.7.
    """
    assert piece.at is not None
    for turn in (0, 1, -1, 2, -2, 3):
        there = neighbour(piece.at, (facing + turn) % 6)
        nearer = distance(there, run.attack.here) < distance(piece.at, run.attack.here)
        if abs(turn) <= turn_cap(run, piece) and nearer and may_enter(run, piece.side, piece.at, there):
            return (facing + turn) % 6
    return None


def meet(run: Run, piece: Piece) -> None:
    """Charger and reactor are met: the charge is over, in contact (§4.7)."""
    run.note("met by {}", piece.id)
    run.attack.met = piece
    run.attack.counter_chargers = {one.id for one in reacting_group(run, piece)}
    run.attack.remember_contact()
    run.attack.charge_bonus = False
    run.attack.engage(piece, compulsory=True)
