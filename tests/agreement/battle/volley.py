"""Fire in a battle: who may shoot at what, and the two fire segments (battle.md, Fire)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tests.agreement.battle.field import Field
from tests.agreement.play.fire import fire_of_hex, resolve
from tests.agreement.play.hexes import Hex, direction_to, distance, line_between
from tests.agreement.play.pieces import Piece
from tests.agreement.play.run import OTHER, Run
from tests.agreement.play.sight import sees_through_front, zone_of_side

Likes = Callable[[Piece, Piece], int]


@dataclass(frozen=True)
class Shot:
    """A hex that may fire, by its top unit, and an enemy hex at which it may, by its."""

    top: Piece
    here: Hex
    target: Piece
    there: Hex
    hexes: int


def tops(run: Run, side: str) -> list[tuple[Piece, Hex]]:
    """The top units of a side's hexes, in unit order, each with its hex; of two hexes its own first."""
    return [
        (piece, where)
        for piece in run.alive(side)
        for where in piece.hexes
        if run.stack(where, side)[:1] == [piece]
    ]


def share(bands: dict[int, object], hexes: int) -> Fraction:
    """The part of its fire that something has at a range (F5, F8)."""
    found = [Fraction(str(part)) for most, part in sorted(bands.items()) if hexes <= most]
    return found[0] if found else Fraction(0)


def reach_of(run: Run, top: Piece, here: Hex, far: bool) -> int:
    """Hexes at which the hex of a top unit may fire, 0 for none (F3 to F8, F11)."""
    if top.arm == "cavalry" or top.state == "routed" or top.sheltered:
        return 0
    guns = any(one.unlimbered and one.card.fire for one in run.stack(here, top.side))
    if top.arm == "artillery":
        if not guns:
            return 0
    elif not armed(top):
        return 0
    fire = run.data["fire"]
    if far and guns and (top.arm == "artillery" or top.formation in ("line", "square")):
        return max(fire["guns"]["bands"])
    if far and top.arm == "infantry" and top.formation == "skirmish":
        return max(fire["skirmish_range"]["bands"])
    return 1


def armed(piece: Piece) -> bool:
    """Whether infantry has fire in the formation in which it is (charge.md 9.3)."""
    if piece.formation in ("line", "square", "skirmish"):
        return bool(piece.card.multiples[piece.formation])
    return piece.formation != "road march" and piece.card.fire > 0


def shots(run: Run, side: str, far: bool) -> list[Shot]:
    """All that may be shot at by the hexes of a side, by unit order of both (F2 to F11)."""
    found = []
    for top, here in tops(run, side):
        reach = reach_of(run, top, here, far)
        for target, there in tops(run, OTHER[side]):
            hexes = distance(here, there)
            if 0 < hexes <= reach and sees_through_front(run, top, there, here):
                found.append(Shot(top, here, target, there, hexes))
    return found


def chosen(run: Field, pairs: Sequence[Shot], likes: Likes) -> list[Shot]:
    """At what each hex fires: at whom it likes most; guns by F13 to F15."""
    found: list[Shot] = []
    with_guns: list[Shot] = []
    for top, here in dict.fromkeys((pair.top, pair.here) for pair in pairs):
        mine = [pair for pair in pairs if pair.top is top and pair.here == here]
        best = max(mine, key=lambda pair: likes(top, pair.target))
        if likes(top, best.target) <= 0:
            continue
        if not by_guns(best):
            found.append(best)
            continue
        if not all(by_guns(pair) for pair in mine):
            continue
        free = [pair for pair in mine if may_join(run, pair, with_guns)]
        if free:
            closest = min(pair.hexes for pair in free)
            near = [pair for pair in free if pair.hexes == closest]
            with_guns.append(best if best in near else near[0])
            found.append(with_guns[-1])
    return found


def by_guns(shot: Shot) -> bool:
    """Whether guns alone fire: F13 to F15 are for them."""
    return shot.top.arm == "artillery" or (shot.hexes > 1 and shot.top.formation != "skirmish")


def may_join(run: Field, shot: Shot, others: Sequence[Shot]) -> bool:
    """Whether the guns of a hex may fire at a target at which those of others fire (F14, F15)."""
    at_it = [other for other in others if other.there == shot.there]
    if not at_it:
        return True
    combine = run.data["fire"]["combine"]
    nations = {other.top.card.nation for other in [*at_it, shot]}
    if len(at_it) > 2 or nations & set(combine.get("never", ())):
        return False
    hexes = [shot.here, *(other.here for other in at_it)]
    if len(at_it) == 1:
        return distance(*hexes) == 1 and any(
            bonus >= combine["two"] for at, bonus in leaders_of(run, shot.top.side) if at in hexes
        )
    return any(
        bonus >= combine["three"] and all(distance(at, one) <= 1 for one in hexes)
        for at, bonus in leaders_of(run, shot.top.side)
    )


def leaders_of(run: Field, side: str) -> list[tuple[Hex, int]]:
    """Where the leaders of a side are who are not out, and their artillery bonuses."""
    found = []
    for number, command in enumerate(run.commands):
        where = run.leader_hex(number)
        if command.leader is not None and where is not None and run.companions[number].side == side:
            found.append((where, command.leader.artillery))
    return found


def fire_segment(run: Field, side: str, likes: Likes, far: bool) -> None:
    """Hexes of a side fire at what they chose, each enemy hex is attacked once, in unit order (F1, F2)."""
    aims = chosen(run, shots(run, side, far), likes)
    targets = run.in_unit_order({aim.target.id: aim.target for aim in aims}.values())
    due = [(target, where) for target in targets for where in target.hexes]
    for target, there in due:
        if any(aim.target is target and aim.there == there for aim in aims):
            volley(run, there, side, [aim for aim in aims if aim.there == there])


def volley(run: Field, there: Hex, side: str, aims: Sequence[Shot]) -> None:
    """One attack on a hex, if anybody is still in it (charge.md 9.3 to 9.11; F8 to F12)."""
    victims = run.stack(there, OTHER[side])
    if not victims:
        return
    run.acting = top = victims[0]
    total = Fraction(0)
    foot = canister = False
    flanked, bonus = True, 0
    for aim in aims:
        infantry, guns = strength_at(run, aim, there)
        if infantry + guns == 0:
            continue
        total += infantry + guns
        foot, canister = foot or infantry > 0, canister or (guns > 0 and aim.hexes == 1)
        flanked = flanked and comes_by_flank(run, top, there, aim.here)
        if guns:
            gunner = next(piece for piece in run.stack(aim.here, side) if piece.unlimbered)
            director = run.leader_with(gunner)
            bonus += director.artillery if director is not None else 0
    if not total:
        return
    canister = canister and (not foot or run.switches["canister_combined"])
    if resolve(run, there, side, (total, canister, flanked, bonus), top, repeatable=True):
        for aim in aims:
            run.shot_at |= dict.fromkeys(fired_by(run, aim), there)


def fired_by(run: Run, aim: Shot) -> list[str]:
    """Who has fired: the top unit, and the infantry that counts with it."""
    counted = ("line", "square", "skirmish")
    stack = run.stack(aim.here, aim.top.side)
    return [one.id for one in stack if one is aim.top or (one.formation in counted and one.arm == "infantry")]


def strength_at(run: Field, aim: Shot, there: Hex) -> tuple[Fraction, Fraction]:
    """Fire of a hex at another, of its infantry and of its guns, by range (F5, F8, F11)."""
    infantry, guns = fire_of_hex(run, aim.here, aim.top.side, there, None)
    if aim.hexes == 1:
        return infantry, guns
    fire = run.data["fire"]
    if aim.top.arm == "infantry" and aim.top.formation == "skirmish":
        return infantry * share(fire["skirmish_range"]["bands"], aim.hexes), Fraction(0)
    return Fraction(0), guns * share(fire["guns"]["bands"], aim.hexes)


def comes_by_flank(run: Field, top: Piece, there: Hex, here: Hex) -> bool:
    """Whether fire from a hex comes in by a flank; on a corner both sides must be (F10)."""
    lines = [line_between(there, here, nudge)[1] for nudge in (1, -1)]
    return all(zone_of_side(run, top, direction_to(there, step), there) == "flank" for step in lines)
