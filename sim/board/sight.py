"""Sight, zones, and who stands where (A3.2, A8; charge.md section 2).

Cases have shape (k,), rows of the position (units, lanes), results by unit (units, k). Whatever is `off` sees
nothing and is next to nothing.
"""

from __future__ import annotations

from sim.board.kernel import helper, kernel
from sim.board.lines import line_step
from sim.board.tables import BLOCKED, Board, Bools, Ints, Longs, Position
from sim.vocabulary import ARTILLERY, FLANK, FRONT, INFANTRY, REAR, ROUTED, SKIRMISH, SQUARE

ON_IT = 3
"""Beside the zones: a unit stands in the hex itself."""


# ---- helpers that other kernels call too


@helper
def distance(board: Board, a: int, b: int) -> int:
    """Hexes between two hexes, thousands if just one is `off`."""
    dq, dr = board.q[a] - board.q[b], board.r[a] - board.r[b]
    return max(abs(dq), abs(dr), abs(dq + dr))


@helper
def direction_to(board: Board, a: int, b: int) -> int:
    """The direction from a hex to one next to it, or -1."""
    if b != board.off:
        for d in range(6):
            if board.neighbour[a, d] == b:
                return d
    return -1


@helper
def gap(board: Board, position: Position, lane: int, unit: int, at: int) -> int:
    """Hexes from a unit, from the nearer of its two, to a hex."""
    found = distance(board, position.hex[unit, lane], at)
    if position.second[unit, lane] == board.off:
        return found
    return min(found, distance(board, position.second[unit, lane], at))


@helper
def nearer(board: Board, position: Position, lane: int, unit: int, at: int) -> int:
    """The hex of a unit, of two that which is nearer to a hex; its own `hex` if both are as near."""
    own, other = position.hex[unit, lane], position.second[unit, lane]
    if other != board.off and distance(board, other, at) < distance(board, own, at):
        return other
    return own


@helper
def top_of(board: Board, position: Position, lane: int, unit: int) -> int:
    """The top unit of a unit's side in its hex; sheltered units lie at the bottom."""
    best, at, side = unit, position.hex[unit, lane], board.side[unit]
    if at == board.off:
        return best
    for u in range(len(board.side)):
        if board.side[u] == side and (position.hex[u, lane] == at or position.second[u, lane] == at):
            higher = position.sheltered[u, lane] < position.sheltered[best, lane]
            if higher or (position.sheltered[u, lane] == position.sheltered[best, lane] and u < best):
                best = u
    return best


@helper
def bearer_of(board: Board, position: Position, lane: int, unit: int) -> int:
    """The unit whose orientation counts: guns stacked with infantry take that of the top unit."""
    if board.arm[unit] == ARTILLERY:
        top = top_of(board, position, lane, unit)
        if board.arm[top] == INFANTRY:
            return top
    return unit


@helper
def zone_from(board: Board, position: Position, lane: int, unit: int, at: int, side: int) -> int:
    """Front, flank or rear: the zone of a hexside of one of a unit's hexes.

    The lower sides of skirmishers in two hexes are rear beside their other hex (O6; A3.2).
    """
    bearer = bearer_of(board, position, lane, unit)
    formation = position.formation[bearer, lane]
    zone = int(board.zone[board.kind[bearer], formation, position.facing[bearer, lane], side % 6])
    if zone == FLANK and formation == SKIRMISH and position.second[bearer, lane] != board.off:
        own, other = position.hex[bearer, lane], position.second[bearer, lane]
        inner = direction_to(board, at, own if at == other else other)
        if (side - inner) % 6 == 1 or (inner - side) % 6 == 1:
            return REAR
    return zone


@helper
def zone_across(board: Board, position: Position, lane: int, unit: int, side: int) -> int:
    """Front, flank or rear: the zone of one of the hexsides of a unit's `hex`."""
    return zone_from(board, position, lane, unit, position.hex[unit, lane], side)


@helper
def zone_beside(board: Board, position: Position, lane: int, unit: int, at: int) -> int:
    """The zone of a unit's side toward a hex next to it, next to either of its two, whatever its state; -1
    where the hex is not next to it."""
    own, other = position.hex[unit, lane], position.second[unit, lane]
    if other != board.off:
        if at in (own, other):
            return -1
        if direction_to(board, own, at) < 0:
            own = other
    d = direction_to(board, own, at)
    return zone_from(board, position, lane, unit, own, d) if d >= 0 else -1


@helper
def has_zone(board: Board, position: Position, lane: int, unit: int) -> bool:
    """Whether a unit has a zone of influence: a square, a routed unit, unmanned guns and a unit that is gone
    have none."""
    if position.state[unit, lane] >= ROUTED or position.unmanned[unit, lane] != 0:
        return False
    return bool(position.formation[bearer_of(board, position, lane, unit), lane] != SQUARE)


@helper
def line_hex(board: Board, a: int, b: int, i: int, nudge: int) -> int:
    """The hex at step i of the line between two hexes, nudged by a hair."""
    aq, ar = int(board.q[a]), int(board.r[a])
    dq, dr, reach = int(board.q[b]) - aq, int(board.r[b]) - ar, board.lines.shape[2]
    n = max(abs(dq), abs(dr), abs(dq + dr))
    if n <= reach:
        side = 0 if nudge > 0 else 1
        to_q, to_r = dq + reach, dr + reach
        dq, dr = board.lines[to_q, to_r, i - 1, side, 0], board.lines[to_q, to_r, i - 1, side, 1]
    else:
        dq, dr = line_step(dq, dr, n, i, nudge)
    return hex_at(board, aq + dq, ar + dr)


@helper
def hex_at(board: Board, q: int, r: int) -> int:
    """The hex at coordinates, `off` if there is none."""
    q, r = q - board.low_q, r - board.low_r
    if q < 0 or r < 0 or q >= board.place.shape[0] or r >= board.place.shape[1]:
        return board.off
    return board.place[q, r]


@helper
def hides(board: Board, at: int, low: int, high: int, nearer: bool) -> bool:
    """Whether a hex between two others hides each from the other, who stand at a lower and a higher level.

    Parameters
    ----------
    nearer
        Whether it is nearer to the higher of the two.
    """
    level = int(board.level[at])
    stands = board.opaque[at] or board.marks[at] & BLOCKED != 0
    top = level + 1 if board.opaque[at] else level
    if top < low or not (stands or level > low):
        return False
    return not (nearer and high > top)


@helper
def clear_line(board: Board, a: int, b: int) -> bool:
    """Sight between two hexes, once the hexes of units that hide what is behind them are marked `BLOCKED`
    (A8 as recommended; rule 23)."""
    n = distance(board, a, b)
    if n <= 1:
        return True
    start, end = int(board.level[a]), int(board.level[b])
    low, high = min(start, end), max(start, end)
    last = board.off
    for i in range(1, n):
        nearer = 2 * i < n if start > end else start < end and 2 * i > n
        plus = line_hex(board, a, b, i, 1)
        if hides(board, plus, low, high, nearer):
            minus = line_hex(board, a, b, i, -1)
            if minus == plus or hides(board, minus, low, high, nearer):
                return False
        d = direction_to(board, last, plus)
        if i > 1 and d >= 0 and board.slope[last, d]:
            return False
        last = plus
    return True


@helper
def sight(board: Board, position: Position, lane: int, a: int, b: int) -> bool:
    """Sight between two hexes."""
    if a == board.off or b == board.off:
        return False
    if distance(board, a, b) <= 1:
        return True
    units = len(board.side)
    for u in range(units):
        if position.formation[u, lane] != SKIRMISH:
            board.marks[position.hex[u, lane]] |= BLOCKED
            board.marks[position.second[u, lane]] |= BLOCKED
    seen = clear_line(board, a, b)
    for u in range(units):
        board.marks[position.hex[u, lane]] = 0
        board.marks[position.second[u, lane]] = 0
    return seen


@helper
def faces(board: Board, position: Position, lane: int, unit: int, here: int, at: int) -> bool:
    """Whether the line to a hex leaves one of a unit's hexes through a front side; on a corner, either."""
    if here == board.off or at == board.off:
        return False
    if here == at:
        return True
    other = position.hex[unit, lane]
    if here == other:
        other = position.second[unit, lane]
    right = line_hex(board, here, at, 1, 1)
    d = direction_to(board, here, right)
    if d >= 0 and right != other and zone_from(board, position, lane, unit, here, d) == FRONT:
        return True
    left = line_hex(board, here, at, 1, -1)
    d = direction_to(board, here, left)
    return d >= 0 and left != other and zone_from(board, position, lane, unit, here, d) == FRONT


@helper
def zone_into(board: Board, position: Position, lane: int, unit: int, here: int, at: int) -> int:
    """The zone of the side of one of a unit's hexes by which the line from another hex comes in, -1 if it is
    no other; on a corner a flank only if both sides are."""
    if here == board.off or at == board.off or here == at:
        return -1
    right = direction_to(board, here, line_hex(board, here, at, 1, 1))
    left = direction_to(board, here, line_hex(board, here, at, 1, -1))
    first = zone_from(board, position, lane, unit, here, right) if right >= 0 else -1
    second = zone_from(board, position, lane, unit, here, left) if left >= 0 else -1
    if second < 0 or first == second or (first >= 0 and second == FLANK):
        return first
    if first < 0 or first == FLANK:
        return second
    return min(first, second)


# ---- kernels


@kernel
def sees(board: Board, position: Position, lane: Longs, a: Ints, b: Ints, seen: Bools) -> None:
    """Whether there is sight between two hexes."""
    for k in range(len(lane)):
        seen[k] = sight(board, position, lane[k], a[k], b[k])


@kernel
def in_view(board: Board, position: Position, unit: Ints, lane: Longs, at: Ints, seen: Bools) -> None:
    """Whether a unit sees a hex, and through a front side."""
    for k in range(len(lane)):
        j, u = lane[k], unit[k]
        here, other = position.hex[u, j], position.second[u, j]
        found = faces(board, position, j, u, here, at[k]) and sight(board, position, j, here, at[k])
        if other != board.off and not found:
            found = faces(board, position, j, u, other, at[k]) and sight(board, position, j, other, at[k])
        seen[k] = found


@kernel
def zone_toward(board: Board, position: Position, unit: Ints, lane: Longs, at: Ints, zone: Ints) -> None:
    """The zone of the unit's side toward a hex next to it, whatever its state; -1 if the hex is not next to
    it."""
    for k in range(len(lane)):
        zone[k] = zone_beside(board, position, lane[k], unit[k], at[k])


@kernel
def zone_along(board: Board, position: Position, unit: Ints, lane: Longs, at: Ints, zone: Ints) -> None:
    """The zone of the unit's side by which the line from a hex comes in, however far off it is.

    On a corner it is a flank only if both sides are. -1 if the unit stands in the hex. The line ends in the
    nearer of its two hexes.
    """
    for k in range(len(lane)):
        here = nearer(board, position, lane[k], unit[k], at[k])
        zone[k] = zone_into(board, position, lane[k], unit[k], here, at[k])


@kernel
def zone_of_hex(
    board: Board, position: Position, unit: Ints, lane: Longs, here: Ints, at: Ints, zone: Ints
) -> None:
    """The same of one of the unit's hexes."""
    for k in range(len(lane)):
        zone[k] = zone_into(board, position, lane[k], unit[k], here[k], at[k])


@kernel
def bearing(board: Board, position: Position, at: Ints, lane: Longs, zone: Ints) -> None:
    """For each unit, the zone of its side toward a hex: -1 where it is not next to it, `ON_IT` in it."""
    for k in range(len(lane)):
        j, q, r = lane[k], int(board.q[at[k]]), int(board.r[at[k]])
        for u in range(len(board.side)):
            here, zone[u, k] = position.hex[u, j], -1
            dq, dr = board.q[here] - q, board.r[here] - r
            twice = abs(dq) + abs(dr) + abs(dq + dr)
            if position.second[u, j] != board.off:
                on_it = here == at[k] or position.second[u, j] == at[k]
                zone[u, k] = ON_IT if on_it else zone_beside(board, position, j, u, at[k])
            elif twice == 0 and here != board.off:
                zone[u, k] = ON_IT
            elif twice == 2:
                zone[u, k] = zone_across(board, position, j, u, direction_to(board, here, at[k]))


@kernel
def touching(board: Board, position: Position, unit: Ints, lane: Longs, touches: Bools) -> None:
    """Whether an enemy who is not gone is next to a unit, or in its hex."""
    for k in range(len(lane)):
        j, here = lane[k], position.hex[unit[k], lane[k]]
        other, side, touched = position.second[unit[k], j], board.side[unit[k]], False
        if here != board.off:
            for u in range(len(board.side)):
                if board.side[u] != side:
                    touched = touched or gap(board, position, j, u, here) <= 1
                    if other != board.off:
                        touched = touched or gap(board, position, j, u, other) <= 1
        touches[k] = touched
