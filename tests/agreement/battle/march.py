"""The movement segment (battle.md M, S, Z)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sim.ensemble import ladder
from sim.units.charges import Unit
from tests.agreement.battle.field import EDGE, Field
from tests.agreement.battle.plans import Plan
from tests.agreement.battle.volley import reach_of
from tests.agreement.play.failures import general_failure, move_away
from tests.agreement.play.fire import firing_hexes, shoot
from tests.agreement.play.hexes import Hex, direction_to, neighbour
from tests.agreement.play.pieces import Piece
from tests.agreement.play.sight import (
    in_zone,
    influences,
    orientation,
    settle_facing,
    terrain_at,
)
from tests.agreement.play.ways import after

LEAST = {"line": 5, "skirmish": 4}
"""Increments of a unit in two hexes (O3, O6)."""


class March:
    """A unit on the march."""

    def __init__(self, run: Field, piece: Piece) -> None:
        self.run, self.piece = run, piece
        self.left = self.whole = allowance(run, piece)
        self.spent, self.able, self.steps = False, True, 0

    def pay(self, points: Fraction) -> None:
        """Points are spent."""
        self.left = max(self.left - points, Fraction(0))
        self.spent = self.spent or points > 0


def allowance(run: Field, piece: Piece) -> Fraction:
    """Points with which a unit begins (M1 to M8)."""
    rules, points = run.data["movement"]["allowance"], Fraction(piece.card.movement)
    if piece.formation == "line":
        points -= rules["line"]
    if piece.formation == "masse":
        points += rules["masse"]
    if piece.formation == "square":
        points = Fraction(rules["square"])
    if piece.state == "disordered":
        points *= Fraction(str(rules["disordered"]))
        points = Fraction(int(2 * points), 2)
    return max(points, Fraction(0))


def movement(run: Field, plans: dict[int, Plan]) -> None:
    """The units of the phasing side move, in unit order; then hexes over their limit check (S8)."""
    for number, piece in enumerate(run.pieces):
        if piece.side == "charger" and not piece.gone and piece.state != "routed" and number in plans:
            move(run, piece, plans[number])
    overcrowded(run)
    scattered(run)


def move(run: Field, piece: Piece, plan: Plan) -> None:
    """One unit: the formation it takes first, its way, what it does where it stops."""
    run.acting = piece
    march = March(run, piece)
    if plan.first is not None:
        change(march, plan.first)
    go(march, plan)
    halt(march, plan)
    used = march.whole - march.left
    run.moved[piece.id] = 2 if 2 * used > march.whole else int(used > 0 or march.steps > 0)


# -- formations and facing -----------------------------------------------------------------------------


def change(march: March, told: str) -> None:
    """A unit takes a formation where it stands, `line 2` for a line in two hexes; under fire in a zone.

    M15, M16, M23, Z6, Z7, O3, O6.
    """
    run, piece = march.run, march.piece
    formation = told.removesuffix(" 2")
    wide = (told != formation or formation == "skirmish") and piece.increments >= LEAST.get(formation, 99)
    if not march.able or piece.state != "good" or piece.at is None:
        return
    wide = wide and (formation == "skirmish" or room_beside(run, piece, formation) is not None)
    if piece.formation == formation and wide == (piece.second is not None):
        return
    if not may_take(run, piece, formation) or (wide and room_beside(run, piece, formation) is None):
        return
    cost, points = price_of_change(run, piece, formation, wide), march.left
    if piece.formation == "square" and not march.spent:
        points = Fraction(piece.card.movement)
    if points < cost:
        return
    if (
        formation == "unlimbered"
        and not run.switches["unlimber_in_zone"]
        and in_zone_of_horse(run, piece.at, "target")
    ):
        return
    interrupted(march)
    if not march.able:
        return
    march.left = points
    march.pay(cost)
    if formation == "limbered" and not limbers(run, piece):
        march.able = False
        return
    piece.formation = formation
    settle_facing(run, piece)
    if wide and piece.increments >= LEAST[formation]:
        piece.second = room_beside(run, piece, formation)
    else:
        piece.second = None


def room_beside(run: Field, piece: Piece, formation: str) -> Hex | None:
    """The other hex of a unit in two: the one it has, else an empty one right or left of the corner faced,
    of ground that keeps its formation (O3, O6)."""
    if piece.second is not None:
        return piece.second
    assert piece.at is not None
    for turn in (2, 5):
        beside = neighbour(piece.at, (piece.facing // 2 + turn) % 6)
        taken = any(beside in one.hexes for one in run.pieces if not one.gone)
        if taken or after(run, piece, formation, beside) != formation:
            continue
        if price_of_ground(run, piece, piece.at, beside) is not None:
            return beside
    return None


def may_take(run: Field, piece: Piece, formation: str) -> bool:
    """Whether arm, type, strength and ground allow a formation (M17 to M19, A5)."""
    of_arm = {
        "infantry": ("column", "line", "square", "skirmish", "general order"),
        "cavalry": ("column", "line", "general order"),
        "artillery": ("limbered", "unlimbered"),
    }
    if formation not in of_arm[piece.arm] or piece.at is None:
        return False
    if formation == "skirmish" and not piece.card.multiples["skirmish"]:
        return False
    if formation == "square" and piece.increments < 3:
        return False
    return after(run, piece, formation, piece.at) == formation


def price_of_change(run: Field, piece: Piece, formation: str, wide: bool) -> Fraction:
    """Points of a change of formation; into a line of two hexes one more (M15, M16)."""
    rules = run.data["movement"]["change"]
    if formation == "line" and piece.arm == "infantry" and wide and piece.second is None:
        spent = rules["infantry"] if piece.formation == "line" else 0
        return Fraction(rules["two_hexes"] - spent)
    if formation == "general order" or (piece.formation == "general order" and formation == "column"):
        return Fraction(rules["general_order"])
    return Fraction(rules[piece.arm])


def limbers(run: Field, piece: Piece) -> bool:
    """The die of the limber chart, with a leader's help (M23)."""
    needs = run.limber_needs.get(piece.id, 1)
    if needs <= 1:
        return True
    leader = run.leader_with(piece)
    helps = run.data["limber"]["leader"] if leader is not None and leader.artillery > 0 else 0
    return run.ask("limber", piece, [die + helps >= needs for die in range(1, 7)])


def halt(march: March, plan: Plan) -> None:
    """What a unit does where it has stopped; guns turn before they unlimber (M20, M22)."""
    if not march.able or not march.left:
        return
    if plan.then == "unlimbered":
        turn_to(march, plan.facing, Fraction(march.run.data["movement"]["change"]["artillery"]))
        change(march, plan.then)
        return
    if plan.then is not None:
        change(march, plan.then)
    turn_to(march, plan.facing, Fraction(0))


def turn_to(march: March, facing: int | None, kept: Fraction) -> None:
    """A unit turns as far as its points go; unlimbered guns by a hexside, unless prolonged (M20, M22)."""
    piece, price = march.piece, march.run.data["movement"]["change"]["facing"]
    if facing is None or not march.able or piece.second is not None:
        return
    hexsides = (facing // 2 - piece.facing // 2 + 3) % 6 - 3
    most = int(max(march.left - kept, Fraction(0)) // price)
    if piece.unlimbered:
        most = min(most, 1) if march.steps == 0 else 0
    hexsides = max(-most, min(most, hexsides))
    if not hexsides:
        return
    interrupted(march)
    if march.able:
        march.pay(Fraction(price * abs(hexsides)))
        piece.facing = (piece.facing + 2 * hexsides) % 12


# -- the way --------------------------------------------------------------------------------------------


def go(march: March, plan: Plan) -> None:
    """A unit follows its way until something stops it (M10 to M22, S6, S12, Z3 to Z6)."""
    run, piece = march.run, march.piece
    if not march.able:
        return
    path, stand = list(plan.path), standing(march)
    while march.able and piece.at in path and march.steps < plan.most:
        here = piece.at
        n = path.index(here) + 1
        if n == len(path) or (piece.unlimbered and (march.steps or march.spent)):
            break
        if march.spent and any(stops_in(run, piece, where) for where in piece.hexes):
            break
        step = step_to(march, path[n])
        if step is None:
            break
        if any(under_fire(run, where) for where in piece.hexes):
            interrupted(march)
            if not march.able or piece.at != here:
                return
            stand = standing(march)
            step = step_to(march, path[n])
            if step is None:
                break
        cost, turn, formation = step
        faced = (piece.facing + 2 * turn) % 12
        if piece.second is not None:
            piece.second = neighbour(piece.second, direction_to(here, path[n]))
        piece.at, piece.formation = path[n], formation
        piece.facing = faced
        settle_facing(run, piece)
        march.left = max(march.left - cost, Fraction(0))
        march.spent, march.steps = True, march.steps + 1
        if stays_all(run, piece, formation):
            stand = standing(march)
    if march.able:
        go_back(march, stand)


Stand = tuple[Hex, int, str, Fraction, int, bool, Hex | None]


def standing(march: March) -> Stand:
    """Where a unit is, as far as going back to it asks."""
    piece = march.piece
    assert piece.at is not None
    told = piece.at, piece.facing, piece.formation, march.left, march.steps, march.spent
    return (*told, piece.second)


def go_back(march: March, stand: Stand) -> None:
    """Who passes friends goes only as far as it may stay (S12)."""
    piece = march.piece
    piece.at, piece.facing, piece.formation, march.left, march.steps, march.spent, piece.second = stand


def step_to(march: March, to: Hex) -> tuple[Fraction, int, str] | None:
    """Points of a step, the turn before it, and the formation after it; None where it may not be made.

    A unit in two hexes goes straight ahead with both, for the dearer price, and keeps its formation (O15).
    """
    run, piece = march.run, march.piece
    here = piece.at
    assert here is not None
    way = direction_to(here, to)
    turn = turn_for(run, piece, way)
    if turn and (piece.unlimbered or piece.second is not None):
        return None
    formation = after(run, piece, piece.formation, to)
    if formation is None or (piece.unlimbered and not prolongs(run, here, to)):
        return None
    ends = [neighbour(where, way) for where in piece.hexes]
    cost, asked = Fraction(0), Fraction(0)
    for where, end in zip(piece.hexes, ends, strict=True):
        one = price_of_step(run, piece, where, end)
        if one is None or any(
            end in foe.hexes and foe.side == "target" for foe in run.pieces if not foe.gone
        ):
            return None
        if piece.second is not None and after(run, piece, formation, end) != piece.formation:
            return None
        cost, of_hex = max(cost, one), terrain_at(run, where)[piece.arm]
        if run.switches["entry_points"] == "higher" and of_hex is not None:
            asked = max(asked, Fraction(of_hex))
    cost += abs(turn) * run.data["movement"]["change"]["facing"]
    if piece.formation == "square" and not march.spent:
        cost = min(cost, march.left)
    elif max(asked, cost) > march.left:
        return None
    return (cost, turn, formation) if has_room(run, piece, ends, formation) else None


def has_room(run: Field, piece: Piece, ends: Sequence[Hex], formation: str) -> bool:
    """Whether a unit may stay in the hexes to which it goes, or pass on (S12)."""
    stood = piece.at, piece.second
    piece.at, piece.second = ends[0], ends[1] if len(ends) > 1 else None
    room = all(stays(run, piece, end, formation) or passes(run, piece, end, formation) for end in ends)
    piece.at, piece.second = stood
    return room


def stays_all(run: Field, piece: Piece, formation: str) -> bool:
    """Whether a unit may stay in all its hexes."""
    return all(stays(run, piece, where, formation) for where in piece.hexes)


def price_of_step(run: Field, piece: Piece, here: Hex, to: Hex) -> Fraction | None:
    """What the ground of a step costs, None where it is closed to the unit in its formation (M10, M19)."""
    hexside = run.hexsides.get(frozenset((here, to)))
    if hexside is not None:
        only = run.data["hexsides"][hexside].get("formations", {}).get(piece.arm)
        if only is not None and piece.formation not in only:
            return None
    return price_of_ground(run, piece, here, to)


def price_of_ground(run: Field, piece: Piece, here: Hex, to: Hex) -> Fraction | None:
    """The same for its arm, whatever its formation."""
    ground = terrain_at(run, to)[piece.arm]
    hexside = run.hexsides.get(frozenset((here, to)))
    added = 0 if hexside is None else run.data["hexsides"][hexside][piece.arm]
    return None if ground is None or added is None else Fraction(ground + added)


def prolongs(run: Field, here: Hex, to: Hex) -> bool:
    """Whether unlimbered guns may be prolonged into a hex (M22)."""
    hexside = run.hexsides.get(frozenset((here, to)))
    slopes = run.switches["prolong"] == "slopes"
    return run.ground.get(to, "clear") == "clear" and (hexside is None or (hexside == "slope" and slopes))


def turn_for(run: Field, piece: Piece, direction: int) -> int:
    """The least turn after which a direction is in front, right before left (M21)."""
    facing = piece.facing
    for turn in (0, 1, -1, 2, -2, 3):
        piece.facing = (facing + 2 * turn) % 12
        front = zone_alone(run, piece, direction) == "front"
        piece.facing = facing
        if front:
            return turn
    return 0


def zone_alone(run: Field, piece: Piece, side: int) -> str:
    """The zone of a side by the unit's own formation."""
    faces, zones = orientation(run, piece)
    t = (2 * side - piece.facing) % 12
    t = min(t, 12 - t)
    return zones[t // 2] if faces == "side" else zones[(t - 1) // 2]


def stops_in(run: Field, piece: Piece, where: Hex) -> bool:
    """Whether a unit must stop in a hex for an enemy zone (Z3, Z5)."""
    if piece.arm == "cavalry" or piece.id in run.horse_guns:
        return run.switches["cavalry_zone"] == "stops" and in_zone_of_horse(run, where, "target")
    return in_zone(run, where, "target")


def in_zone_of_horse(run: Field, where: Hex, side: str) -> bool:
    """Whether a hex is in a zone of cavalry of a side."""
    return any(one.arm == "cavalry" and influences(run, one, where) for one in run.alive(side))


def under_fire(run: Field, where: Hex) -> bool:
    """Whether enemies fire at who acts in a hex: in their zone, or next to a square (Z6, Z9)."""
    squares = [one for one in run.alive("target") if one.formation == "square" and one.state != "routed"]
    beside = any(one.at is not None and direction_of(one.at, where) is not None for one in squares)
    return beside or in_zone(run, where, "target")


def direction_of(a: Hex, b: Hex) -> int | None:
    """The direction of a hex next to another, None if it is not."""
    return next((d for d in range(6) if neighbour(a, d) == b), None)


def ready_hexes(run: Field, where: Hex) -> list[Hex]:
    """Hexes that can fire at a hex next to them."""
    sources = firing_hexes(run, where, "target")
    return [at for at in sources if reach_of(run, run.stack(at, "target")[0], at, far=False)]


def interrupted(march: March) -> None:
    """Enemies fire at a unit where it acts in their zone; shaken by it, it acts no more (Z6)."""
    run, piece = march.run, march.piece
    stood, state = piece.at, piece.state
    if not any(under_fire(run, where) for where in piece.hexes):
        return
    run.acting = piece
    where = next((at for at in piece.hexes if ready_hexes(run, at)), piece.hexes[0])
    hexes = ready_hexes(run, where)
    willing = [at for at in hexes if run.likes(run.stack(at, "target")[0], piece) > 0]
    shoot(run, where, "target", willing, piece, repeatable=True)
    if piece.gone or piece.at != stood or piece.state != state:
        march.able = False


# -- room -----------------------------------------------------------------------------------------------


def friends_in(run: Field, piece: Piece, where: Hex) -> list[Piece]:
    """Other units of its side in a hex."""
    return [
        one
        for one in run.pieces
        if where in one.hexes and one.side == piece.side and not one.gone and one is not piece
    ]


def stays(run: Field, piece: Piece, where: Hex, formation: str) -> bool:
    """Whether a unit may stay in a hex with the friends there (S1 to S5)."""
    friends = friends_in(run, piece, where)
    for one in friends:
        if (one.arm == "cavalry") != (piece.arm == "cavalry"):
            return False
        if one.arm == piece.arm and one.formation != formation:
            return False
        if one.arm != piece.arm and "skirmish" in (one.formation, formation):
            return False
    return fits(run, where, [piece, *friends])


def passes(run: Field, piece: Piece, where: Hex, formation: str) -> bool:
    """Whether a unit may pass through the friends of a hex, where it need not stop (S6, S10 to S12)."""
    friends = friends_in(run, piece, where)
    if not friends or stops_in(run, piece, where):
        return False
    if formation == "skirmish":
        return True
    close = [one for one in friends if one.formation != "skirmish"]
    for one in close:
        if one.formation == "limbered":
            continue
        if piece.arm == "cavalry":
            horse = one.arm == "cavalry" and run.switches["passing"] == "open"
            if not horse and one.formation != "square":
                return False
        elif one.arm != "infantry":
            return False
    counted = [one for one in close if piece.arm != "cavalry" or one.arm == "cavalry"]
    return fits(run, where, [piece, *counted])


def fits(run: Field, where: Hex, units: Sequence[Piece]) -> bool:
    """Whether units are within the limit of a hex (S1, S2, S4)."""
    row = run.data["stacking"].get(run.ground.get(where, "clear"))
    if row is None or run.ground.get(where) == EDGE:
        return False
    arms = {arm: [one for one in units if one.arm == arm] for arm in ("infantry", "cavalry", "artillery")}
    if arms["cavalry"] and (arms["infantry"] or arms["artillery"]):
        return False
    foot, guns = arms["infantry"], arms["artillery"]
    if foot and guns:
        return together_fits(run, where, row.get("together"), foot, guns)
    return all(not some or arm_fits(run, where, row.get(arm), some) for arm, some in arms.items())


def arm_fits(run: Field, where: Hex, row: dict[str, Any] | None, units: Sequence[Piece]) -> bool:
    """Whether units of one arm are: one of the size named, or so many increments, in so many units."""
    if row is None:
        return False
    if len(units) == 1 and size_fits(run, row.get("alone"), units[0]):
        return True
    most = row.get("increments")
    return most is not None and men(where, units) <= most and len(units) <= row.get("units", 999)


def together_fits(
    run: Field, where: Hex, row: dict[str, Any] | None, foot: Sequence[Piece], guns: Sequence[Piece]
) -> bool:
    """Whether infantry and batteries are."""
    if row is None or len(guns) > row.get("batteries", 0):
        return False
    if len(foot) == 1 and size_fits(run, row.get("alone"), foot[0]):
        return True
    most = row.get("increments")
    return most is not None and men(where, foot) <= most


def size_fits(run: Field, alone: str | None, piece: Piece) -> bool:
    """Whether a unit is of the size that may stand alone whatever its increments (S2)."""
    if alone is None:
        return False
    size = "battalion" if piece.arm != "cavalry" else "regiment"
    return alone in ("regiment", "battery") or run.sizes.get(piece.id, size) == "battalion"


def men(where: Hex, units: Sequence[Piece]) -> int:
    """Increments of units in a hex; of one that is still to come to it all."""
    return sum(one.deployed(where) for one in units)


def overcrowded(run: Field) -> None:
    """Hexes over their limit: one roll for a hex, which each of its units compares with its printed morale;
    then the undermost unit of one that is still over goes a hex off, and so on (S8)."""
    rolled: list[Piece] = []
    for hex_units in [crowd_of(run, piece) for piece in run.pieces]:
        crowd = [piece for piece in hex_units if piece not in rolled]
        if not crowd:
            continue
        rolled += crowd
        run.acting = crowd[0]
        face = run.ask("overstack", crowd[0], list(range(ladder.STEPS)), repeatable=True)
        failed = [
            piece for piece in crowd if face <= ladder.index_of(piece.card.morale) and piece.state != "routed"
        ]
        general_failure(run, failed, "other", crowd, contagion=False)
    moved: list[Piece] = []
    while True:
        rest = [piece for piece in run.pieces if crowd_of(run, piece)]
        rest = [piece for piece in rest if piece not in moved and not piece.unlimbered]
        if not rest:
            return
        moved.append(rest[-1])
        run.acting = rest[-1]
        move_away(run, [rest[-1]], 1, "retreat")


def scattered(run: Field) -> None:
    """Skirmishers who share a hex with others, or one that is over its limit, fight as disordered (S7)."""
    for piece in run.pieces:
        if piece.side == "charger" and piece.at is not None and not piece.gone:
            mates = [one for where in piece.hexes for one in friends_in(run, piece, where)]
            mixed = any(one.formation != "skirmish" for one in mates) or bool(crowd_of(run, piece))
            piece.scattered = piece.formation == "skirmish" and mixed


def crowd_of(run: Field, piece: Piece) -> list[Piece]:
    """All units of a unit's hexes that are over their limit."""
    if piece.side != "charger" or piece.gone:
        return []
    found: list[Piece] = []
    for where in piece.hexes:
        friends = friends_in(run, piece, where)
        crowd = [one for one in run.pieces if one is piece or one in friends]
        if friends and not found_fits(run, crowd, where):
            found += crowd
    return [one for one in run.pieces if one in found]


def found_fits(run: Field, units: Sequence[Piece], where: Hex) -> bool:
    """Whether units are as they may be found in a hex: skirmishers may be with others (S7, S8)."""
    for one in units:
        for other in units:
            loose = "skirmish" in (one.formation, other.formation)
            if one.arm == other.arm and one.formation != other.formation and not loose:
                return False
    return fits(run, where, units)


def horse(unit: Unit) -> bool:
    """Whether a battery rides."""
    return unit.arm == "artillery" and unit.movement > 8
