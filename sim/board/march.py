"""The steps of a charge (rules 16, 38; charge.md section 3): ground it may enter, the way it seeks, squares
it rides over, what it can reach.

Cases have shape (k,), rows of the position (units, lanes), riders (units, k): the units that charge together,
who do not bar their own way.
"""

from __future__ import annotations

from sim.board.flight import FAR, preference, turn_rank
from sim.board.kernel import helper, kernel
from sim.board.sight import distance, gap, has_zone, nearer, top_of, zone_beside
from sim.board.tables import Board, Bools, Ints, Longs, March, Position
from sim.rulesets.rulebook import PROHIBITED
from sim.vocabulary import CAVALRY, FRONT, GONE, INFANTRY, LIMBERED, LINE, SKIRMISH, SQUARE

LINE_FIRST = -1
"""In place of a cap: the first step of a line, into either of its front hexes."""

NO_TURN = 9
"""No step can be made; as a planned turn: it seeks its goal."""

TURNS = (0, 1, -1, 2, -2, 3)
"""Turns before a step, in hexsides, clockwise +: the smallest first, right before left."""


# ---- helpers


@helper
def along(board: Board, at: int, direction: int, hexes: int) -> int:
    """The hex so many hexes away in a direction."""
    for _ in range(hexes):
        at = board.neighbour[at, direction]
    return at


@helper
def may_enter(
    board: Board, position: Position, riders: Bools, k: int, lane: int, side: int, here: int, direction: int
) -> bool:
    """Whether a charge may enter the next hex in a direction: open ground, and no unit but friends it may
    pass."""
    if board.closed[here, direction]:
        return False
    to = board.neighbour[here, direction]
    for u in range(len(board.side)):
        there = position.hex[u, lane] == to or position.second[u, lane] == to
        if there and not riders[u, k]:
            formation = position.formation[u, lane]
            opens = formation in (SKIRMISH, SQUARE, LIMBERED) or board.arm[u] == CAVALRY
            if board.side[u] != side or not opens:
                return False
    return True


@helper
def allows(cap: int, turn: int) -> bool:
    """Whether a turn may be made before a step."""
    return turn == 0 or turn == 1 if cap == LINE_FIRST else abs(turn) <= cap


@helper
def choose_turn(
    board: Board,
    position: Position,
    riders: Bools,
    k: int,
    lane: int,
    side: int,
    here: int,
    direction: int,
    planned: int,
    goal: int,
    cap: int,
) -> int:
    """The planned turn, or that of the first allowed step that is nearer to the goal; NO_TURN if the step
    cannot be made."""
    if planned != NO_TURN:
        free = allows(cap, planned) and may_enter(
            board, position, riders, k, lane, side, here, (direction + planned) % 6
        )
        return planned if free else NO_TURN
    if goal != board.off:
        for turn in TURNS:
            d = (direction + turn) % 6
            nearer = distance(board, board.neighbour[here, d], goal) < distance(board, here, goal)
            if nearer and allows(cap, turn) and may_enter(board, position, riders, k, lane, side, here, d):
                return turn
    return NO_TURN


@helper
def square_at(board: Board, position: Position, march: March, k: int, lane: int, side: int, at: int) -> bool:
    """Whether a hex holds nothing but an enemy square that may be ridden over, and what stands with it."""
    found = -1
    for u in range(len(board.side)):
        if position.second[u, lane] == at:
            return False
        if position.hex[u, lane] == at:
            if board.side[u] == side or (u == march.goal[k] and not march.over_goal[k]):
                return False
            found = u
    if found < 0:
        return False
    top = top_of(board, position, lane, found)
    return board.arm[top] == INFANTRY and position.formation[top, lane] == SQUARE


@helper
def ride_price(board: Board, here: int, direction: int, squares: int) -> int:
    """Points for riding over so many squares and off the last."""
    points = 0
    for n in range(squares + 1):
        points += board.entry[CAVALRY, along(board, here, direction, n), direction]
    return points


@helper
def squares_ahead(
    board: Board,
    position: Position,
    riders: Bools,
    march: March,
    k: int,
    lane: int,
    side: int,
    here: int,
    direction: int,
    left: int,
    made: int,
    to_goal: bool,
) -> int:
    """How many squares in a row, straight ahead, the charge rides over in its next steps (seed 002); 0 if it
    cannot, or there is none."""
    squares, last = 0, here
    while not board.closed[last, direction] and square_at(
        board, position, march, k, lane, side, board.neighbour[last, direction]
    ):
        last = board.neighbour[last, direction]
        squares += 1
    if squares == 0 or not may_enter(board, position, riders, k, lane, side, last, direction):
        return 0
    if not to_goal:
        for i in range(made, min(march.planned[k], made + squares + 1)):
            if march.turns[i, k] != 0:
                return 0
    goal = nearer(board, position, lane, march.goal[k], here)
    if made >= march.planned[k] and distance(board, board.neighbour[here, direction], goal) >= distance(
        board, here, goal
    ):
        return 0
    return squares if ride_price(board, here, direction, squares) <= left else 0


@helper
def comes_near(
    board: Board, position: Position, riders: Bools, march: March, k: int, lane: int, side: int, here: int
) -> bool:
    """Whether the charge would come next to its goal if nobody else moved and nobody shot."""
    goal = nearer(board, position, lane, march.goal[k], here)
    if goal == board.off or here == board.off:
        return False
    direction, left, steps = int(march.direction[k]), int(march.left[k]), int(march.steps[k])
    formation, made, change = int(march.formation[k]), int(march.made[k]), int(march.change_to[k])
    while distance(board, here, goal) > 1:
        squares = 0
        if march.rides[k]:
            squares = squares_ahead(
                board, position, riders, march, k, lane, side, here, direction, left, made, False
            )
        if squares > 0:
            for n in range(1, squares + 2):
                if distance(board, along(board, here, direction, n), goal) <= 1:
                    return True
            cost, forward, turn = ride_price(board, here, direction, squares), squares + 1, 0
        else:
            cap = int(march.cap[k])
            if steps == 0:
                cap = LINE_FIRST if formation == LINE else 0
            planned = int(march.turns[made, k]) if made < march.planned[k] else NO_TURN
            turn = choose_turn(board, position, riders, k, lane, side, here, direction, planned, goal, cap)
            if turn == NO_TURN:
                return False
            forward, cost = 1, int(board.entry[CAVALRY, here, (direction + turn) % 6])
            if steps > 0:
                cost += march.facing_cost * abs(turn)
        if cost > left:
            return False
        if (
            squares == 0
            and steps == 2
            and change >= 0
            and formation != change
            and cost + march.formation_cost <= left
        ):
            cost, formation = cost + march.formation_cost, change
        direction = (direction + turn) % 6
        here = along(board, here, direction, forward)
        left -= cost
        steps += forward
        made += forward
        goal = nearer(board, position, lane, march.goal[k], here)
    return True


@helper
def concerned(board: Board, position: Position, reach: Ints, k: int, lane: int, side: int, here: int) -> bool:
    """Whether an enemy is as near as its reach."""
    for u in range(len(board.side)):
        if board.side[u] != side and position.state[u, lane] != GONE:
            near = int(reach[u, k])
            if distance(board, here, position.hex[u, lane]) <= near:
                return True
            if distance(board, here, position.second[u, lane]) <= near:
                return True
    return False


# ---- kernels


@kernel
def free_ride(
    board: Board,
    position: Position,
    unit: Ints,
    lane: Longs,
    riders: Bools,
    march: March,
    reach: Ints,
    ridden: Ints,
) -> None:
    """The planned steps of charges that set out, as long as no enemy is within its reach of where they leave.

    Parameters
    ----------
    march
        `left`: what the regiment with the least points has left.
    reach
        Hexes within which a unit concerns a charge, shape (units, k).
    ridden
        How many steps, the hex they lead to, their points, the hexes in the last direction, and that, shape
        (5, k).
    """
    for k in range(len(lane)):
        j, side = lane[k], board.side[unit[k]]
        here, direction, left = position.hex[unit[k], j], int(march.direction[k]), int(march.left[k])
        points, straight, made = 0, 0, 0
        while march.change_to[k] < 0 and made < march.planned[k]:
            if concerned(board, position, reach, k, j, side, here):
                break
            cap = int(march.cap[k])
            if made == 0:
                cap = LINE_FIRST if march.formation[k] == LINE else 0
            planned = int(march.turns[made, k])
            turn = choose_turn(board, position, riders, k, j, side, here, direction, planned, here, cap)
            if turn == NO_TURN:
                break
            ahead = (direction + turn) % 6
            cost = int(board.entry[CAVALRY, here, ahead])
            if made > 0:
                cost += march.facing_cost * abs(turn)
            if points + cost > left:
                break
            here, direction, points, made = board.neighbour[here, ahead], ahead, points + cost, made + 1
            straight = straight + 1 if turn == 0 else 1
        ridden[0, k], ridden[1, k], ridden[2, k] = made, here, points
        ridden[3, k], ridden[4, k] = straight, direction


@kernel
def passable(
    board: Board,
    position: Position,
    unit: Ints,
    lane: Longs,
    riders: Bools,
    here: Ints,
    direction: Ints,
    free: Bools,
) -> None:
    """Whether a unit that charges with its riders may enter the next hex in a direction from `here`."""
    for k in range(len(lane)):
        free[k] = may_enter(board, position, riders, k, lane[k], board.side[unit[k]], here[k], direction[k])


@kernel
def next_turn(
    board: Board,
    position: Position,
    unit: Ints,
    lane: Longs,
    riders: Bools,
    here: Ints,
    direction: Ints,
    planned: Ints,
    goal: Ints,
    cap: Ints,
    turn: Ints,
) -> None:
    """The turn of the next step from `here`; NO_TURN if there is none.

    Parameters
    ----------
    planned
        The planned turn; NO_TURN: it seeks, by the first allowed turn whose hex may be entered and is nearer
        to the goal.
    goal
        A hex.
    cap
        Hexsides it may turn (0 in the first step), or LINE_FIRST.
    """
    for k in range(len(lane)):
        side = board.side[unit[k]]
        turn[k] = choose_turn(
            board, position, riders, k, lane[k], side, here[k], direction[k], planned[k], goal[k], cap[k]
        )


@kernel
def ride_length(
    board: Board,
    position: Position,
    unit: Ints,
    lane: Longs,
    riders: Bools,
    march: March,
    to_goal: Bools,
    squares: Ints,
    points: Ints,
) -> None:
    """How many squares in a row the charge rides over in its next steps, and what they and the step off the
    last cost (0 for none).

    Parameters
    ----------
    to_goal
        It is next to the goal, whose square it means to ride over: planned turns are left aside.
    """
    for k in range(len(lane)):
        j, direction, here = lane[k], march.direction[k], position.hex[unit[k], lane[k]]
        side, left, made = board.side[unit[k]], march.left[k], march.made[k]
        squares[k] = squares_ahead(
            board, position, riders, march, k, j, side, here, direction, left, made, to_goal[k]
        )
        points[k] = ride_price(board, here, direction, squares[k]) if squares[k] > 0 else 0


@kernel
def within_reach(
    board: Board, position: Position, unit: Ints, lane: Longs, riders: Bools, march: March, near: Bools
) -> None:
    """Whether the charge would come next to its goal if nobody else moved and nobody shot."""
    for k in range(len(lane)):
        near[k] = comes_near(
            board, position, riders, march, k, lane[k], board.side[unit[k]], position.hex[unit[k], lane[k]]
        )


@kernel
def free_step(
    board: Board, position: Position, unit: Ints, lane: Longs, reference_range: int, end: Ints
) -> None:
    """The free hex next to a unit that the retreat preference likes best, whatever the distances to enemies;
    `off` if there is none."""
    units = len(board.side)
    for k in range(len(lane)):
        j, own, best = lane[k], unit[k], -1
        start = position.hex[own, j]
        end[k] = board.off
        for d in range(6):
            to, cost = board.neighbour[start, d], int(board.entry[board.arm[own], start, d])
            if cost >= PROHIBITED:
                continue
            free, near, away, zones = True, FAR, 0, 0
            for u in range(units):
                at = position.hex[u, j]
                free = free and at != to and position.second[u, j] != to
                if board.side[u] == board.side[own] or position.state[u, j] == GONE:
                    continue
                near = min(near, gap(board, position, j, u, to))
                if gap(board, position, j, u, start) <= reference_range:
                    away += distance(board, to, at)
                if gap(board, position, j, u, to) == 1 and has_zone(board, position, j, u):
                    zones += 1 if zone_beside(board, position, j, u, to) == FRONT else 0
            key = preference(cost, 0, near, away, zones, turn_rank(board.home[own], d), d)
            if free and (best < 0 or key < best):
                best, end[k] = key, to
