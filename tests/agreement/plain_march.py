"""A charge's way ahead: the squares it may ride over, and whether it can come next to its goal
(docs/charge.md section 3).

Plain functions of plain values, as in `tests.agreement.plain`, for the kernels to be held against.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sim.board.hexmap import Hex, along, distance
from sim.vocabulary import CAVALRY, INFANTRY, LINE, SQUARE
from tests.agreement.plain import ALL_TURNS, NO_HEX, Situation, open_ground, passable, seek


@dataclass(frozen=True)
class March:
    """A charge as it stands, and how it means to go on.

    Attributes
    ----------
    stack
        Units that charge together, top first.
    goal
        The unit it makes for.
    direction
        Direction of the charge, 0..5.
    left
        Movement points left.
    steps
        Steps made so far.
    turns
        Planned turns left, hexsides before each step; after them it seeks the goal.
    formation, change_to
        Formation now, and the one taken in the second hex (None: no change).
    rides
        Whether it rides over squares in the way.
    over_goal
        Whether the goal's own square may be ridden over.
    cap, facing_cost, formation_cost
        Hexsides it may turn before a step; points for each, and for the change of formation.
    """

    stack: tuple[int, ...]
    goal: int
    direction: int
    left: int
    steps: int
    turns: tuple[int, ...]
    formation: int
    change_to: int | None
    rides: bool
    over_goal: bool
    cap: int
    facing_cost: int
    formation_cost: int


def allowed_turns(first: bool, in_line: bool, cap: int) -> tuple[int, ...]:
    """Turns before a step, in order of preference.

    The first hex is straight ahead; a line has two front hexes (seed 000).
    """
    if first:
        return (0, 1) if in_line else (0,)
    return tuple(turn for turn in ALL_TURNS if abs(turn) <= cap)


def turn_for(
    one: Situation,
    stack: tuple[int, ...],
    here: Hex,
    direction: int,
    planned: int | None,
    goal: Hex,
    allowed: tuple[int, ...],
) -> int | None:
    """The planned turn, or that of a seek step, if the step can be made at all; None if not."""
    if planned is None:
        return None if goal == NO_HEX else seek(one, stack, direction, goal, allowed, here)
    possible = planned in allowed or (planned == -3 and 3 in allowed)
    return planned if possible and passable(one, stack, here, (direction + planned) % 6) else None


def ride_length(one: Situation, march: March, here: Hex, to_goal: bool = False) -> int:
    """How many squares in a row, straight ahead, the charge rides over in its next steps (seed 002); 0 if it
    cannot, or there is none.

    Parameters
    ----------
    here
        Where it stands.
    to_goal
        It is next to the goal, whose square it means to ride over: planned turns are left aside.
    """
    squares = 0
    while open_ground(one.ground, along(here, march.direction, squares), march.direction) and _square_at(
        one, march, along(here, march.direction, squares + 1)
    ):
        squares += 1
    if not squares or not passable(one, march.stack, along(here, march.direction, squares), march.direction):
        return 0
    if any(march.turns[: squares + 1]) and not to_goal:
        return 0
    goal = one.nearer(march.goal, here)
    if not march.turns and distance(along(here, march.direction, 1), goal) >= distance(here, goal):
        return 0
    return squares if ride_cost(one, march.direction, here, squares) <= march.left else 0


def ride_cost(one: Situation, direction: int, here: Hex, squares: int) -> int:
    """Points for riding over so many squares and off the last."""
    return sum(one.ground.cost(CAVALRY, along(here, direction, n), direction) for n in range(squares + 1))


def _square_at(one: Situation, march: March, at: Hex) -> bool:
    """Whether a hex holds nothing but an enemy square that may be ridden over, and what stands with it."""
    there = [unit for unit in range(len(one.hexes)) if at in one.hexes_of(unit)]
    side = one.ground.sides[march.stack[0]]
    if (
        not there
        or any(one.ground.sides[unit] == side for unit in there)
        or (march.goal in there and not march.over_goal)
        or any(at == one.seconds[unit] for unit in there)
    ):
        return False
    top = one.top_of(there[0])
    return one.ground.arms[top] == INFANTRY and one.formations[top] == SQUARE


def within_reach(one: Situation, march: March) -> bool:
    """Whether the charge would come next to its goal if nobody else moved and nobody shot."""
    here = one.hexes[march.stack[0]]
    goal = one.nearer(march.goal, here)
    if goal == NO_HEX:
        return False
    while distance(here, goal) > 1:
        squares = ride_length(one, march, here) if march.rides else 0
        if squares:
            if any(distance(along(here, march.direction, n), goal) <= 1 for n in range(1, squares + 2)):
                return True
            price, steps, turn = ride_cost(one, march.direction, here, squares), squares + 1, 0
        else:
            allowed = allowed_turns(march.steps == 0, march.formation == LINE, march.cap)
            found = turn_for(
                one,
                march.stack,
                here,
                march.direction,
                march.turns[0] if march.turns else None,
                goal,
                allowed,
            )
            if found is None:
                return False
            turn, steps = found, 1
            price = one.ground.cost(CAVALRY, here, (march.direction + turn) % 6) + (
                march.facing_cost * abs(turn) if march.steps else 0
            )
        if price > march.left:
            return False
        formation = march.formation
        changes = (
            march.change_to is not None and march.steps == 2 and formation != march.change_to and not squares
        )
        if changes and price + march.formation_cost <= march.left:
            price, formation = price + march.formation_cost, int(march.change_to or 0)
        direction = (march.direction + turn) % 6
        here = along(here, direction, steps)
        march = replace(
            march,
            direction=direction,
            left=march.left - price,
            steps=march.steps + steps,
            turns=march.turns[steps:],
            formation=formation,
        )
        goal = one.nearer(march.goal, here)
    return True
