"""Who is near a unit that moves, on the scratch map: friends, enemies and their zones (rule 14).

Cases have shape (k,), rows of the position (units, lanes).
"""

from __future__ import annotations

from sim.board.flight import mark_zone
from sim.board.kernel import helper
from sim.board.sight import bearer_of
from sim.board.tables import BLOCKED, FOES, FRIENDS, MANNED, Board, Position
from sim.vocabulary import ARTILLERY, GONE, INFANTRY, ROUTED, SQUARE

SQUARES = MANNED
"""Mark of a hex next to an enemy's square, which has no zone, but fires at who acts beside it (Z9)."""
FAR = 999
"""Hexes to the nearest enemy where none is near."""
AROUND = 2
"""Hexes beyond those that a unit reaches in which what stands there concerns it: its zone, and the rest of a
unit in two hexes."""


@helper
def mark_near(board: Board, position: Position, j: int, unit: int, reach: int) -> tuple[int, int, int]:
    """Put the units within so many hexes of a unit that moves, and `AROUND`, on the scratch map, but for
    itself and for zones.

    Returns how many friends and enemies they are, and the hexes from either of the unit's to the nearest
    enemy; `board.foes` lists them, rows 0 and 1.
    """
    here, side, friends, enemies = position.hex[unit, j], board.side[unit], 0, 0
    wide = 0 if position.second[unit, j] == board.off else 1
    most, gap = reach + AROUND + wide, FAR
    q, r = int(board.q[here]), int(board.r[here])
    for u in range(len(board.side)):
        at = position.hex[u, j]
        dq, dr = int(board.q[at]) - q, int(board.r[at]) - r
        if abs(dq) > most or abs(dr) > most or abs(dq + dr) > most:
            continue
        if u == unit or position.state[u, j] == GONE:
            continue
        second, mark = position.second[u, j], FRIENDS
        if board.side[u] == side:
            board.foes[0, friends] = u
            friends += 1
        else:
            mark = FOES | BLOCKED if board.arm[u] == INFANTRY else FOES
            board.foes[1, enemies] = u
            enemies += 1
            gap = min(gap, max(abs(dq), abs(dr), abs(dq + dr)) - wide - (0 if second == board.off else 1))
        board.marks[at] |= mark
        if second != board.off:
            board.marks[second] |= mark
    return friends, enemies, gap


@helper
def mark_zones(board: Board, position: Position, j: int, enemies: int) -> None:
    """Put the zones of the enemies that `board.foes` lists on the scratch map, and the hexes next to
    squares."""
    for i in range(enemies):
        u = board.foes[1, i]
        if position.state[u, j] >= ROUTED or position.unmanned[u, j] != 0:
            continue
        at, second, bearer = position.hex[u, j], position.second[u, j], u
        if board.arm[u] == ARTILLERY and board.marks[at] & BLOCKED:
            bearer = bearer_of(board, position, j, u)
        if position.formation[bearer, j] == SQUARE:
            for d in range(6):
                board.marks[board.neighbour[at, d]] |= SQUARES
            continue
        mark_zone(board, position, j, u, bearer, at, second)
        if second != board.off:
            mark_zone(board, position, j, u, bearer, second, at)


@helper
def wipe_near(board: Board, position: Position, j: int, friends: int, enemies: int, zones: bool) -> None:
    """Wipe the scratch map of the units that `board.foes` lists, and of their zones if they are marked."""
    for i in range(friends):
        u = board.foes[0, i]
        board.marks[position.hex[u, j]] = board.marks[position.second[u, j]] = 0
    for i in range(enemies):
        u = board.foes[1, i]
        at, second = position.hex[u, j], position.second[u, j]
        board.marks[at] = board.marks[second] = 0
        if not zones:
            continue
        for d in range(6):
            board.marks[board.neighbour[at, d]] = 0
            if second != board.off:
                board.marks[board.neighbour[second, d]] = 0
