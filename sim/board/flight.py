"""Retreats and routs (rule 30; seed 004; 0-decisions 5.12, 5.31; charge.md section 7).

Cases have shape (k,), rows of the position (units, lanes), groups and friends passed (units, k).
"""

from __future__ import annotations

from sim.board.kernel import helper, kernel
from sim.board.sight import bearer_of, direction_to, gap
from sim.board.tables import (
    FOES,
    FRIENDS,
    HORSE_ZONES,
    MANNED,
    MOST_POINTS,
    SHARED,
    ZONES,
    Board,
    Bools,
    Flight,
    Ints,
    Longs,
    Position,
)
from sim.rulesets.rulebook import PROHIBITED
from sim.vocabulary import ARTILLERY, CAVALRY, FRONT, GONE, INFANTRY, ROUTED, SQUARE

FAR = 999
"""Distance to the nearest enemy where there is none."""


@helper
def turn_rank(home: int, direction: int) -> int:
    """The smaller the turn from home the better, clockwise before counter-clockwise."""
    right = (direction - home) % 6
    return 2 * right if right <= 3 else 2 * (6 - right) + 1


@helper
def preference(cost: int, friend: int, near: int, away: int, zones: int, turn: int, direction: int) -> int:
    """A step as one number, the best the smallest: cost, friends, nearest enemy, all near enemies, zones,
    turn; the direction in the last bits."""
    key = 2 * cost + friend
    key = 1024 * key + 1023 - near
    key = 1048576 * key + 1048575 - away
    return 64 * (1024 * key + zones) + 8 * (turn % 8) + direction


@helper
def judge(board: Board, at: int, foes: int, stamp: int) -> None:
    """Measure a hex, once a search: how far the nearest enemy is, and all who were near; whether all those
    are farther off than at the start."""
    if board.judged[at] == stamp:
        return
    board.judged[at] = stamp
    q, r, nearest, away, farther = int(board.q[at]), int(board.r[at]), 2 * FAR, 0, 1
    for i in range(foes):
        dq, dr = q - board.foes[0, i], r - board.foes[1, i]
        twice = abs(dq) + abs(dr) + abs(dq + dr)
        nearest = min(nearest, twice)
        away += twice & board.foes[2, i]
        farther = min(farther, twice - board.foes[3, i])
    board.merit[at, 0] = nearest // 2
    board.merit[at, 1] = away // 2
    board.merit[at, 2] = farther


@helper
def price(board: Board, at: int, direction: int, foot: bool, horse: bool, guns: bool, flat: bool) -> int:
    """Points for a step: the dearest of the group's arms."""
    cost = 0
    if foot:
        cost = max(cost, int(board.entry[INFANTRY, at, direction]))
    if horse:
        cost = max(cost, int(board.entry[CAVALRY, at, direction]))
    if guns:
        cost = max(cost, int(board.entry[ARTILLERY, at, direction]))
    return 1 if flat and cost < PROHIBITED else cost


@helper
def list_steps(
    board: Board,
    at: int,
    home: int,
    foot: bool,
    horse: bool,
    guns: bool,
    flat: bool,
    foes: int,
) -> None:
    """List the steps from a hex in order of preference, once a search: never onto or nearer to an enemy."""
    stamp = board.clock[0]
    if board.seen[at] == stamp:
        return
    board.seen[at] = stamp
    judge(board, at, foes, stamp)
    count = 0
    for d in range(6):
        to = board.neighbour[at, d]
        cost = price(board, at, d, foot, horse, guns, flat)
        if cost >= PROHIBITED or board.marks[to] & FOES:
            continue
        judge(board, to, foes, stamp)
        if board.merit[to, 0] < board.merit[at, 0]:
            continue
        friend = board.marks[to] & FRIENDS
        key = preference(
            cost,
            friend,
            board.merit[to, 0],
            board.merit[to, 1],
            board.marks[to] // ZONES,
            turn_rank(home, d),
            d,
        )
        i = count
        while i > 0 and board.options[at, i - 1] > key:
            board.options[at, i] = board.options[at, i - 1]
            i -= 1
        board.options[at, i] = key
        count += 1
    board.options[at, 6] = count


@helper
def search(
    board: Board,
    base: int,
    steps: int,
    budget: int,
    clear: int,
    home: int,
    foot: bool,
    horse: bool,
    guns: bool,
    flat: bool,
    foes: int,
    points: int,
) -> bool:
    """Depth first from the hex at `base` of the path: so many steps for just so many points, past no friend
    if `clear`.

    It may end where no friend is, and every enemy who was near is farther off (0-decisions 5.12).
    """
    stamp = board.clock[0]
    board.path[base, 1], board.path[base, 2] = budget, 0
    depth = 0
    while depth >= 0:
        row, togo = base + depth, steps - depth
        at, left = board.path[row, 0], int(board.path[row, 1])
        if togo == 0:
            if left == 0 and board.marks[at] & FRIENDS == 0 and board.merit[at, 2] > 0:
                return True
            depth -= 1
            continue
        if board.path[row, 2] == 0:
            list_steps(board, at, home, foot, horse, guns, flat, foes)
            known = board.dead[at, 0] == stamp
            if left < togo or (known and (board.dead[at, 2 * togo + clear] >> left) & 1):
                depth -= 1
                continue
        option, stepped = int(board.path[row, 2]), False
        while option < board.options[at, 6]:
            key = board.options[at, option]
            option += 1
            cost = key >> 47
            if cost > left:
                break
            if clear and (key >> 46) & 1:
                continue
            board.path[row + 1, 0], board.path[row + 1, 1], board.path[row + 1, 2] = (
                board.neighbour[at, key & 7],
                left - cost,
                0,
            )
            stepped = True
            break
        board.path[row, 2] = option
        if stepped:
            depth += 1
        else:
            if board.dead[at, 0] != stamp:
                board.dead[at, 0] = stamp
                for i in range(1, 2 * (points + 1)):
                    board.dead[at, i] = 0
            board.dead[at, 2 * togo + clear] |= 1 << left
            depth -= 1
    return False


@helper
def go_home(
    board: Board, base: int, left: int, home: int, foot: bool, horse: bool, guns: bool, flat: bool
) -> int:
    """With no enemy on the map: straight home. Returns how many steps."""
    steps = 0
    while left > 0:
        at = board.path[base + steps, 0]
        cost = price(board, at, home, foot, horse, guns, flat)
        if cost > left:
            break
        steps += 1
        board.path[base + steps, 0] = board.neighbour[at, home]
        left -= cost
    return steps


@helper
def find_path(
    board: Board,
    base: int,
    left: int,
    full: bool,
    home: int,
    foot: bool,
    horse: bool,
    guns: bool,
    flat: bool,
    friends: int,
    foes: int,
) -> int:
    """As many hexes as possible, then as cheap as possible, past friends only if need be; one hex at any
    price. The number of steps, 0 for none."""
    dearest = 1 if flat else board.dearest
    for steps in range(left, 0, -1):
        for budget in range(left if full else steps, min(left, steps * dearest) + 1):
            for clear in range(1 if friends else 0, -1, -1):
                if search(board, base, steps, budget, clear, home, foot, horse, guns, flat, foes, left):
                    return steps
    if not full and base == 0:
        for budget in range(left + 1, dearest + 1):
            for clear in range(1 if friends else 0, -1, -1):
                if search(board, base, 1, budget, clear, home, foot, horse, guns, flat, foes, left):
                    return 1
    return 0


@helper
def mark_zone(board: Board, position: Position, j: int, unit: int, bearer: int, at: int, other: int) -> None:
    """Put the zone of one of a unit's hexes on the scratch map, but for its other hex; what lies in the zone
    of both is counted once. The bearer is whose orientation counts."""
    kind, formation, facing = board.kind[bearer], position.formation[bearer, j], position.facing[bearer, j]
    board.marks[at] |= SHARED
    for d in range(6):
        if board.zone[kind, formation, facing, d] == FRONT:
            to = board.neighbour[at, d]
            if other != board.off:
                marked = other == position.hex[unit, j] and direction_to(board, other, to) >= 0
                if to == other or marked:
                    continue
            board.marks[to] += ZONES
            if board.arm[unit] == CAVALRY:
                board.marks[to] |= HORSE_ZONES


@helper
def mark_all(board: Board, position: Position, j: int, leaves: Bools, k: int, side: int) -> None:
    """Put friends, enemies, and the enemies' zones on the scratch map."""
    for u in range(len(board.side)):
        at = position.hex[u, j]
        if leaves[u, k] or position.state[u, j] == GONE:
            continue
        second = position.second[u, j]
        if board.side[u] == side:
            mark = FRIENDS | MANNED if position.unmanned[u, j] == 0 else FRIENDS
            board.marks[at] |= mark
            if second != board.off:
                board.marks[second] |= mark
            continue
        board.marks[at] |= FOES
        if second != board.off:
            board.marks[second] |= FOES
        if position.state[u, j] >= ROUTED or position.unmanned[u, j] != 0:
            continue
        bearer = bearer_of(board, position, j, u)
        if position.formation[bearer, j] != SQUARE:
            mark_zone(board, position, j, u, bearer, at, second)
            if second != board.off:
                mark_zone(board, position, j, u, bearer, second, at)


@helper
def wipe_all(board: Board, position: Position, j: int, side: int) -> None:
    """Wipe the scratch map clean."""
    for u in range(len(board.side)):
        at, second = position.hex[u, j], position.second[u, j]
        board.marks[at] = board.marks[second] = 0
        if board.side[u] != side:
            for d in range(6):
                board.marks[board.neighbour[at, d]] = 0
                if second != board.off:
                    board.marks[board.neighbour[second, d]] = 0


@helper
def report(
    board: Board, position: Position, j: int, leaves: Bools, k: int, side: int, last: int, flight: Flight
) -> None:
    """What the path passes, from its first hex to its last."""
    for i in range(last):
        here = board.path[i, 0]
        held = board.marks[here] >= ZONES or board.marks[here] & SHARED
        if held and (here == board.path[0, 0] or board.marks[here] & MANNED == 0):
            flight.zone_hexes[k] += 1
        to = board.path[i + 1, 0]
        if board.marks[to] & HORSE_ZONES:
            flight.cavalry_zone[k] = True
        if i + 1 < last and board.marks[to] & FRIENDS:
            for u in range(len(board.side)):
                there = position.hex[u, j] == to or position.second[u, j] == to
                if there and board.side[u] == side and not leaves[u, k]:
                    flight.passed[u, k] = True
    flight.end[k] = board.path[last, 0]
    flight.direction[k] = direction_to(board, board.path[last - 1, 0], board.path[last, 0])


@helper
def list_foes(board: Board, position: Position, j: int, side: int, start: int, reference_range: int) -> int:
    """List where enemies are, and how near those are who must end farther off. Returns how many hexes."""
    foes = 0
    for u in range(len(board.side)):
        if board.side[u] == side or position.state[u, j] == GONE:
            continue
        at, second = position.hex[u, j], position.second[u, j]
        off = gap(board, position, j, u, start)
        near = off <= reference_range
        board.foes[0, foes], board.foes[1, foes] = board.q[at], board.r[at]
        board.foes[2, foes], board.foes[3, foes] = (-1, 2 * off) if near else (0, -1)
        foes += 1
        if second != board.off:
            board.foes[0, foes], board.foes[1, foes] = board.q[second], board.r[second]
            board.foes[2, foes], board.foes[3, foes] = 0, 2 * off if near else -1
            foes += 1
    return foes


@helper
def at_edge(board: Board, at: int, home: int) -> bool:
    """Whether the map ends at a hex on the side of home."""
    ahead, left, right = board.neighbour[at, home], board.neighbour[at, (home + 5) % 6], (home + 1) % 6
    return bool(ahead == board.off or left == board.off or board.neighbour[at, right] == board.off)


@kernel
def runs_off(
    board: Board,
    position: Position,
    unit: Ints,
    lane: Longs,
    leaves: Bools,
    points: Ints,
    flat: Bools,
    reference_range: int,
    off_map: Bools,
) -> None:
    """Whether routed units of one hex, who find no full move on the map, run off it on the side of home: each
    step one of a retreat, and the last for a point (docs/battle.md R10).

    Arguments as for `retreat`; `off_map`: the answers, shape (k,).
    """
    for k in range(len(lane)):
        j, side, home = lane[k], board.side[unit[k]], board.home[unit[k]]
        foot, horse, guns = False, False, False
        for u in range(len(board.side)):
            if leaves[u, k]:
                foot = foot or board.arm[u] == INFANTRY
                horse = horse or board.arm[u] == CAVALRY
                guns = guns or board.arm[u] == ARTILLERY
        start = position.hex[unit[k], j]
        mark_all(board, position, j, leaves, k, side)
        foes = list_foes(board, position, j, side, start, reference_range)
        board.clock[0] += 1
        stamp, depth, found = board.clock[0], 0, False
        board.path[0, 0], board.path[0, 1], board.path[0, 2] = start, points[k], 0
        while depth >= 0:
            at, left, option = board.path[depth, 0], int(board.path[depth, 1]), int(board.path[depth, 2])
            if option == 0:
                seen = board.dead[at, 0] == stamp and board.dead[at, 1] >= left
                if not seen and left > 0 and at_edge(board, at, home):
                    found = True
                    break
                if seen or left <= 0:
                    depth -= 1
                    continue
                board.dead[at, 0], board.dead[at, 1] = stamp, left
                list_steps(board, at, home, foot, horse, guns, flat[k], foes)
            if option >= board.options[at, 6]:
                depth -= 1
                continue
            key = board.options[at, option]
            board.path[depth, 2] = option + 1
            cost = key >> 47
            if cost <= left:
                depth += 1
                board.path[depth, 0], board.path[depth, 1] = board.neighbour[at, key & 7], left - cost
                board.path[depth, 2] = 0
        off_map[k] = found
        wipe_all(board, position, j, side)


@kernel
def retreat(
    board: Board,
    position: Position,
    unit: Ints,
    lane: Longs,
    leaves: Bools,
    points: Ints,
    full: Bools,
    flat: Bools,
    reference_range: int,
    first: Ints,
    flight: Flight,
) -> None:
    """The path of disordered or routed units of one hex.

    Parameters
    ----------
    unit, leaves
        One of the group, and who belongs to it: units that leave together.
    points
        Movement points, at most `MOST_POINTS`.
    full
        A rout: all points must be used, or the group surrenders. Otherwise as many steps as possible, one at
        least, at any price, or it stays.
    flat
        Every hex costs 1 whatever its terrain.
    reference_range
        Enemies within so many hexes must end farther off than they began.
    first
        The hex of the first step, if it is laid down (it must be free), else `off`; the rest of the path
        begins there.
    """
    for k in range(len(lane)):
        if points[k] > MOST_POINTS:
            raise ValueError("a retreat has at most 62 points")
        j, side, home = lane[k], board.side[unit[k]], board.home[unit[k]]
        foot, horse, guns = False, False, False
        base = 0
        board.path[0, 0] = position.hex[unit[k], j]
        if first[k] != board.off:
            base = 1
            board.path[1, 0] = first[k]
        start, left = board.path[base, 0], points[k] - base
        mark_all(board, position, j, leaves, k, side)
        friends, foes = 0, list_foes(board, position, j, side, start, reference_range)
        for u in range(len(board.side)):
            flight.passed[u, k] = False
            if leaves[u, k]:
                foot = foot or board.arm[u] == INFANTRY
                horse = horse or board.arm[u] == CAVALRY
                guns = guns or board.arm[u] == ARTILLERY
            elif position.state[u, j] != GONE and board.side[u] == side:
                friends += 1
        steps, surrendered = 0, False
        if left > 0 and foes == 0:
            steps = go_home(board, base, left, home, foot, horse, guns, flat[k])
        elif left > 0:
            board.clock[0] += 1
            steps = find_path(board, base, left, full[k], home, foot, horse, guns, flat[k], friends, foes)
            surrendered = full[k] and steps == 0
        flight.end[k], flight.direction[k], flight.surrendered[k] = board.path[0, 0], -1, surrendered
        flight.zone_hexes[k], flight.cavalry_zone[k] = 0, False
        if not surrendered and base + steps > 0:
            report(board, position, j, leaves, k, side, base + steps, flight)
        wipe_all(board, position, j, side)
