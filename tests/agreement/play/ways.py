"""The ways by which units leave: paths of retreats and routs, and what leaving zones costs (§7)."""

from __future__ import annotations

from collections.abc import Sequence

from tests.agreement.play.hexes import HOME, Hex, distance, neighbour, turn_between
from tests.agreement.play.pieces import Piece
from tests.agreement.play.run import OTHER, Run
from tests.agreement.play.sight import in_square, in_zone, influences, terrain_at

ROADLESS = ("skirmish", "road march", "limbered", "unlimbered")
"""Formations that ground does not change (M18)."""


def leaving_losses(run: Run, group: Sequence[Piece], way: Sequence[Hex], zone_loss: int) -> int:
    """Increments lost by leaving hexes in enemy zones: the first, and further ones without another friend.

    §7.12; 0-decisions 5.22.
    """
    side = group[0].side
    left = [
        where
        for i, where in enumerate(way[:-1])
        if held_against(run, where, side) and (i == 0 or not friends_at(run, where, group))
    ]
    return zone_loss * len(left)


def held_against(run: Run, where: Hex, side: str) -> bool:
    """Whether a hex is in an enemy zone, or is shared with an enemy who has one (§7.12)."""
    here = [
        piece
        for piece in run.stack(where, OTHER[side])
        if piece.state != "routed" and not in_square(run, piece)
    ]
    return bool(here) or in_zone(run, where, OTHER[side])


def friends_at(run: Run, where: Hex, group: Sequence[Piece]) -> list[Piece]:
    """The other units of the group's side in a hex (§7.2)."""
    return [piece for piece in run.stack(where, group[0].side) if piece not in group]


def is_free(run: Run, where: Hex) -> bool:
    """Whether cavalry may be put into a hex: nobody there, terrain not prohibited (§7.8, §10.12)."""
    return terrain_at(run, where)["cavalry"] is not None and not any(
        where in piece.hexes and not piece.gone for piece in run.pieces
    )


def retreat_cost(run: Run, arms: set[str], a: Hex, b: Hex, by_hexes: bool) -> int | None:
    """Points for a step of a retreat: the dearest of the group's arms; None if prohibited (§7.4, §7.11)."""
    costs = []
    hexside = run.hexsides.get(frozenset((a, b)))
    for arm in arms:
        parts = [terrain_at(run, b)[arm]] + ([run.data["hexsides"][hexside][arm]] if hexside else [])
        if None in parts:
            return None
        costs.append(1 if by_hexes else sum(parts))
    return max(costs)


def find_way(
    run: Run, group: Sequence[Piece], start: Hex, points: int, kind: str, minimum: bool
) -> list[Hex] | None:
    """The best good path, None if there is none (§7.2 to §7.7; 0-decisions 5.12, 5.31).

    Most steps first, then the cheapest, then one that passes no friend; of these the first, depth
    first in the order of preference. A rout uses all its points; a retreat with a minimum makes
    one step whatever it costs.
    """
    side, home = group[0].side, HOME[group[0].side]
    enemies = run.alive(OTHER[side])
    foes = [piece.hexes for piece in enemies]
    held = {where for foe in foes for where in foe}
    arms = {piece.arm for piece in group}
    by_hexes = kind == "rout" and run.switches["rout_ignores_terrain"]
    if not foes:
        return straight_home(run, arms, start, points, home, by_hexes)
    friends = {where for piece in run.alive(side) if piece not in group for where in piece.hexes}
    within = [foe for foe in foes if gap(start, foe) <= run.switches["retreat_horizon"]]
    near: dict[Hex, int] = {}
    merits: dict[Hex, tuple[int, int, int]] = {}

    def nearness(where: Hex) -> int:
        if where not in near:
            near[where] = min(gap(where, foe) for foe in foes)
        return near[where]

    def merit(where: Hex) -> tuple[int, int, int]:
        if where not in merits:
            zones = sum(influences(run, enemy, where) for enemy in enemies)
            merits[where] = (-nearness(where), -sum(distance(where, foe[0]) for foe in within), zones)
        return merits[where]

    def steps(a: Hex, left: int, open_way: bool) -> list[tuple[Hex, int]]:
        options = []
        for d in range(6):
            b = neighbour(a, d)
            cost = retreat_cost(run, arms, a, b, by_hexes)
            if (
                cost is None
                or cost > left
                or b in held
                or nearness(b) < nearness(a)
                or (open_way and b in friends)
            ):
                continue
            turn = turn_between(home, d)
            options.append(((cost, b in friends, *merit(b), abs(turn), turn < 0), b, cost))
        return [(b, cost) for _, b, cost in sorted(options)]

    def ends_well(where: Hex) -> bool:
        return where not in friends and all(gap(where, foe) > gap(start, foe) for foe in within)

    def search(n: int, total: int, open_way: bool) -> list[Hex] | None:
        """The first good path of n steps that cost so much in all; `open_way`: none of them onto friends."""
        hopeless: set[tuple[Hex, int, int]] = set()

        def onward(where: Hex, left: int, more: int) -> list[Hex] | None:
            if more == 0:
                return [where] if left == 0 and ends_well(where) else None
            if (where, left, more) not in hopeless:
                for b, cost in steps(where, left, open_way):
                    rest = onward(b, left - cost, more - 1)
                    if rest is not None:
                        return [where, *rest]
                hopeless.add((where, left, more))
            return None

        return onward(start, total, n)

    least = points if kind == "rout" else 1
    for n in range(points, 0, -1):
        for total in range(max(n, least), points + 1):
            for open_way in (True, False):
                way = search(n, total, open_way)
                if way is not None:
                    return way
    if kind == "retreat" and minimum:
        dear = [
            cost
            for d in range(6)
            if (cost := retreat_cost(run, arms, start, neighbour(start, d), by_hexes)) is not None
            and cost > points
        ]
        for total in sorted(set(dear)):
            way = search(1, total, True)
            if way is not None:
                return way
    return None


def runs_off(run: Run, group: Sequence[Piece], start: Hex, points: int) -> bool:
    """Whether routers come to the map's edge on the side of home by steps of a retreat, with a point left.

    battle.md R10.
    """
    side, home = group[0].side, HOME[group[0].side]
    foes = [piece.hexes for piece in run.alive(OTHER[side])]
    held = {where for foe in foes for where in foe}
    arms = {piece.arm for piece in group}
    by_hexes = bool(run.switches["rout_ignores_terrain"])
    waiting, seen = [(start, points)], {(start, points)}
    while waiting:
        at, left = waiting.pop()
        around = [neighbour(at, (home + turn) % 6) for turn in (-1, 0, 1)]
        if left > 0 and any(run.off_map(where) for where in around):
            return True
        for d in range(6):
            to = neighbour(at, d)
            cost = retreat_cost(run, arms, at, to, by_hexes)
            if cost is None or cost > left or to in held:
                continue
            nearer = min(gap(to, foe) for foe in foes) < min(gap(at, foe) for foe in foes)
            if not nearer and (to, left - cost) not in seen:
                seen.add((to, left - cost))
                waiting.append((to, left - cost))
    return False


def gap(where: Hex, hexes: Sequence[Hex]) -> int:
    """Hexes to the nearer of some (battle.md O5)."""
    return min(distance(where, one) for one in hexes)


def straight_home(run: Run, arms: set[str], start: Hex, points: int, home: int, by_hexes: bool) -> list[Hex]:
    """With no enemy on the map a group goes straight in its home direction (§7.9)."""
    way = [start]
    while points:
        b = neighbour(way[-1], home)
        cost = retreat_cost(run, arms, way[-1], b, by_hexes)
        if cost is None or cost > points:
            break
        points -= cost
        way.append(b)
    return way


def first_free(run: Run, start: Hex) -> Hex | None:
    """The first free adjacent hex by the preference of retreats (§7.3, §10.12)."""
    enemies = run.alive("target")
    foes = [piece.at for piece in enemies if piece.at is not None]
    within = [foe for foe in foes if distance(start, foe) <= run.switches["retreat_horizon"]]
    options = []
    for d in range(6):
        b = neighbour(start, d)
        cost = retreat_cost(run, {"cavalry"}, start, b, False)
        if cost is not None and is_free(run, b):
            near = min(distance(b, foe) for foe in foes)
            turn = turn_between(HOME["charger"], d)
            zones = len([piece for piece in enemies if influences(run, piece, b)])
            options.append(
                (
                    cost,
                    -near,
                    -sum(distance(b, foe) for foe in within),
                    zones,
                    abs(turn),
                    turn < 0,
                    b,
                )
            )
    return min(options)[-1] if options else None


def after(run: Run, piece: Piece, formation: str, where: Hex) -> str | None:
    """The formation in which a unit stands in a hex that it enters, None where it may not (battle.md M16,
    battle.md M17, M18, M19)."""
    row = terrain_at(run, where)
    only = row.get("formations", {}).get(piece.arm)
    if only is not None:
        return formation if formation in only else None
    if piece.arm == "artillery" or formation in ROADLESS:
        return formation
    clear = run.ground.get(where, "clear") == "clear"
    if formation in ("square", "masse"):
        return formation if clear else None
    defence = run.data["fire"]["defence"].get(run.ground.get(where, "clear"))
    if defence is not None and "column" not in defence:
        return "general order"
    if formation == "line":
        return formation if clear else None
    return "column"
