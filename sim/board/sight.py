"""Sight, zones, and who stands where (A3.2, A8; charge.md section 2).

Cases have shape (k,), rows of the position (units, lanes), results by unit (units, k). Whatever is `off` sees
nothing and is next to nothing.
"""

from __future__ import annotations

from sim.board.kernel import helper, kernel
from sim.board.tables import BLOCKED, Board, Bools, Ints, Longs, Position
from sim.vocabulary import ARTILLERY, FLANK, FRONT, INFANTRY, ROUTED, SKIRMISH, SQUARE

ON_IT = 3
"""Beside the zones: a unit stands in the hex itself."""

NUDGE = 1_000_000
"""One hex over the nudge of a line of sight."""


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
def top_of(board: Board, position: Position, lane: int, unit: int) -> int:
    """The top unit of a unit's side in its hex; sheltered units lie at the bottom."""
    best = unit
    for u in range(len(board.side)):
        if position.hex[u, lane] == position.hex[unit, lane] and board.side[u] == board.side[unit]:
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
def zone_across(board: Board, position: Position, lane: int, unit: int, side: int) -> int:
    """Front, flank or rear: the zone of one of a unit's hexsides."""
    bearer = bearer_of(board, position, lane, unit)
    return int(
        board.zone[
            board.kind[bearer], position.formation[bearer, lane], position.facing[bearer, lane], side % 6
        ]
    )


@helper
def has_zone(board: Board, position: Position, lane: int, unit: int) -> bool:
    """Whether a unit has a zone of influence: a square, a routed unit, unmanned guns and a unit that is gone
    have none."""
    if position.state[unit, lane] >= ROUTED or position.unmanned[unit, lane] != 0:
        return False
    return bool(position.formation[bearer_of(board, position, lane, unit), lane] != SQUARE)


@helper
def line_hex(board: Board, a: int, b: int, i: int, nudge: int) -> int:
    """The hex at step i of the line between two hexes, nudged by a hair: in integers, of units so small that
    nothing is ever on an edge."""
    n = distance(board, a, b)
    scale, aq, ar = n * NUDGE, int(board.q[a]), int(board.r[a])
    q = (aq * n + (int(board.q[b]) - aq) * i) * NUDGE + nudge * n
    r = (ar * n + (int(board.r[b]) - ar) * i) * NUDGE + 2 * nudge * n
    s = -q - r
    rq, rr, rs = (
        (2 * q + scale) // (2 * scale),
        (2 * r + scale) // (2 * scale),
        (2 * s + scale) // (2 * scale),
    )
    dq, dr, ds = abs(rq * scale - q), abs(rr * scale - r), abs(rs * scale - s)
    if dq > dr and dq > ds:
        rq = -rr - rs
    elif dr > ds:
        rr = -rq - rs
    rq, rr = rq - board.low_q, rr - board.low_r
    if rq < 0 or rr < 0 or rq >= board.place.shape[0] or rr >= board.place.shape[1]:
        return board.off
    return board.place[rq, rr]


@helper
def hides(board: Board, at: int, low: int, high: int, nearer: bool) -> bool:
    """Whether a hex between two others hides each from the other, who stand at a lower and a higher level.

    Parameters
    ----------
    nearer
        Whether it is nearer to the higher of the two.
    """
    level = int(board.level[at])
    stands = board.opaque[at] or board.marks[at] != 0
    top = level + 1 if board.opaque[at] else level
    if top < low or not (stands or level > low):
        return False
    return not (nearer and high > top)


@helper
def sight(board: Board, position: Position, lane: int, a: int, b: int) -> bool:
    """Sight between two hexes (A8 as recommended; rule 23)."""
    if a == board.off or b == board.off:
        return False
    n = distance(board, a, b)
    if n <= 1:
        return True
    units = len(board.side)
    for u in range(units):
        if position.formation[u, lane] != SKIRMISH:
            board.marks[position.hex[u, lane]] = BLOCKED
    start, end = int(board.level[a]), int(board.level[b])
    low, high = min(start, end), max(start, end)
    seen, last = True, board.off
    for i in range(1, n):
        nearer = 2 * i < n if start > end else start < end and 2 * i > n
        plus = line_hex(board, a, b, i, 1)
        if hides(board, plus, low, high, nearer):
            minus = line_hex(board, a, b, i, -1)
            if minus == plus or hides(board, minus, low, high, nearer):
                seen = False
                break
        d = direction_to(board, last, plus)
        if i > 1 and d >= 0 and board.slope[last, d]:
            seen = False
            break
        last = plus
    for u in range(units):
        board.marks[position.hex[u, lane]] = 0
    return seen


@helper
def faces(board: Board, position: Position, lane: int, unit: int, at: int) -> bool:
    """Whether the line to a hex leaves a unit's hex through a front side; on a corner either side will do."""
    here = position.hex[unit, lane]
    if here == board.off or at == board.off:
        return False
    if here == at:
        return True
    right = direction_to(board, here, line_hex(board, here, at, 1, 1))
    left = direction_to(board, here, line_hex(board, here, at, 1, -1))
    if right >= 0 and zone_across(board, position, lane, unit, right) == FRONT:
        return True
    return left >= 0 and zone_across(board, position, lane, unit, left) == FRONT


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
        here = position.hex[unit[k], lane[k]]
        seen[k] = faces(board, position, lane[k], unit[k], at[k]) and sight(
            board, position, lane[k], here, at[k]
        )


@kernel
def zone_toward(board: Board, position: Position, unit: Ints, lane: Longs, at: Ints, zone: Ints) -> None:
    """The zone of the unit's side toward a hex next to it, whatever its state; -1 if the hex is not next to
    it."""
    for k in range(len(lane)):
        d = direction_to(board, position.hex[unit[k], lane[k]], at[k])
        zone[k] = zone_across(board, position, lane[k], unit[k], d) if d >= 0 else -1


@kernel
def zone_along(board: Board, position: Position, unit: Ints, lane: Longs, at: Ints, zone: Ints) -> None:
    """The zone of the unit's side by which the line from a hex comes in, however far off it is.

    On a corner it is a flank only if both sides are. -1 if the unit stands in the hex.
    """
    for k in range(len(lane)):
        here = position.hex[unit[k], lane[k]]
        zone[k] = -1
        if here == board.off or at[k] == board.off or here == at[k]:
            continue
        right = direction_to(board, here, line_hex(board, here, at[k], 1, 1))
        left = direction_to(board, here, line_hex(board, here, at[k], 1, -1))
        first = zone_across(board, position, lane[k], unit[k], right) if right >= 0 else -1
        second = zone_across(board, position, lane[k], unit[k], left) if left >= 0 else -1
        if second < 0 or first == second or (first >= 0 and second == FLANK):
            zone[k] = first
        elif first < 0 or first == FLANK:
            zone[k] = second
        else:
            zone[k] = min(first, second)


@kernel
def bearing(board: Board, position: Position, at: Ints, lane: Longs, zone: Ints) -> None:
    """For each unit, the zone of its side toward a hex: -1 where it is not next to it, `ON_IT` in it."""
    for k in range(len(lane)):
        j, q, r = lane[k], int(board.q[at[k]]), int(board.r[at[k]])
        for u in range(len(board.side)):
            here, zone[u, k] = position.hex[u, j], -1
            dq, dr = board.q[here] - q, board.r[here] - r
            twice = abs(dq) + abs(dr) + abs(dq + dr)
            if twice == 0 and here != board.off:
                zone[u, k] = ON_IT
            elif twice == 2:
                zone[u, k] = zone_across(board, position, j, u, direction_to(board, here, at[k]))


@kernel
def touching(board: Board, position: Position, unit: Ints, lane: Longs, touches: Bools) -> None:
    """Whether an enemy who is not gone is next to a unit, or in its hex."""
    for k in range(len(lane)):
        j, here = lane[k], position.hex[unit[k], lane[k]]
        side, q, r, touched = board.side[unit[k]], int(board.q[here]), int(board.r[here]), False
        if here != board.off:
            for u in range(len(board.side)):
                if board.side[u] != side:
                    at = position.hex[u, j]
                    dq, dr = board.q[at] - q, board.r[at] - r
                    touched = touched or abs(dq) + abs(dr) + abs(dq + dr) <= 2
        touches[k] = touched
