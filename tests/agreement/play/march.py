"""The steps of a charge: what they cost, where they may go, over squares, and under fire (§3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tests.agreement.play.fire import firing_hexes, shoot
from tests.agreement.play.hexes import Hex, direction_to, distance, neighbour, turn_between
from tests.agreement.play.pieces import Piece
from tests.agreement.play.run import Run
from tests.agreement.play.sight import facing_along, is_light, terrain_at


@dataclass(slots=True)
class Ride:
    """A charge on its way: hex, direction, points spent, who rides, top first; a pursuit only seeks (§3)."""

    at: Hex
    direction: int
    planned: int
    steps: int
    spent: int
    formation: str
    regiments: list[Piece]
    pursuing: bool = False

    @property
    def lead(self) -> Piece:
        """The regiment that leads (§1.5; 0-decisions 5.33)."""
        return self.regiments[0]


@dataclass(slots=True)
class Move:
    """A step, or several over squares: the points for each, and the planned turns they use up (§3)."""

    hexes: list[Hex]
    direction: int
    costs: list[int]
    change: str | None
    planned: int
    turn: int


def reaches(run: Run, where: Hex, pursuing: bool = False) -> bool:
    """Whether the march, or a pursuit, would come next to a hex if nobody else moved or shot (§3.16)."""
    ride = ride_now(run, pursuing)
    while distance(ride.at, where) != 1:
        move = next_move(run, ride, where)
        if move is None:
            return False
        ride = after_move(run, ride, move)
    return True


def ride_now(run: Run, pursuing: bool = False) -> Ride:
    """The ride as it stands (§3.16)."""
    lead = run.attack.lead
    assert lead is not None
    return Ride(
        run.attack.here,
        run.attack.direction,
        run.attack.planned,
        run.attack.steps,
        run.attack.spent,
        lead.formation,
        run.attack.mounted,
        pursuing,
    )


def after_move(run: Run, ride: Ride, move: Move) -> Ride:
    """Where a ride is after a move that nobody disturbs (§3.16)."""
    spent = ride.spent + sum(move.costs)
    fast = [piece for piece in ride.regiments if run.allowance(piece) >= spent]
    formation = move.change or ride.formation
    return Ride(
        move.hexes[-1],
        move.direction,
        ride.planned + move.planned,
        ride.steps + len(move.hexes),
        spent,
        formation,
        fast,
        ride.pursuing,
    )


def next_move(run: Run, ride: Ride, where: Hex | None = None) -> Move | None:
    """The planned step or the seek step, the squares in the way included; None if it cannot be made or paid.

    §3.10, §3.11.
    """
    if where is None and not run.attack.away:
        goal = run.attack.goal
        if goal is None or goal.at is None:
            return None
        where = goal.at
    left = (
        0
        if ride.pursuing or not (run.attack.away or where == run.attack.first_hex)
        else len(run.attack.planned_turns) - ride.planned
    )
    if left:
        return move_in(
            run,
            ride,
            (ride.direction + run.attack.planned_turns[ride.planned]) % 6,
            run.attack.planned_turns[ride.planned : ride.planned + left],
        )
    if where is None:
        return None
    for turn in (0, 1, -1, 2, -2, 3):
        direction = (ride.direction + turn) % 6
        if distance(neighbour(ride.at, direction), where) < distance(ride.at, where) and way_in(
            run, ride, direction, ()
        ):
            return move_in(run, ride, direction, ())
    return None


def way_in(run: Run, ride: Ride, direction: int, turns: Sequence[int]) -> list[Hex]:
    """The hexes of the next step in a direction: one, or those over squares; none if it may not be made.

    §3.4, §3.6.
    """
    turn = turn_between(ride.direction, direction)
    if abs(turn) > turn_cap(run, ride.lead) or (ride.steps == 0 and turn not in first_turns(ride.formation)):
        return []
    there = neighbour(ride.at, direction)
    if may_enter(run, "charger", ride.at, there):
        return [there]
    return over_squares(run, ride, turns) if turn == 0 and not ride.pursuing else []


def over_squares(run: Run, ride: Ride, turns: Sequence[int]) -> list[Hex]:
    """The way over squares straight ahead: onto each, off the last; none if it cannot be paid.

    §3.12, §3.13.
    """
    hexes, here = [], ride.at
    while may_be_ridden_over(run, there := neighbour(here, ride.direction)):
        if entry_cost(run, here, there) is None:
            return []
        hexes.append(there)
        here = there
    if not hexes or not may_enter(run, "charger", here, there):
        return []
    hexes.append(there)
    costs = entry_costs(run, ride.at, hexes)
    payable = ride.spent + sum(costs) <= max(run.allowance(piece) for piece in ride.regiments)
    return hexes if payable and not any(turns[: len(hexes)]) else []


def may_be_ridden_over(run: Run, where: Hex) -> bool:
    """Whether a hex holds a square that the plan lets the charger ride over (§3.12)."""
    stack, goal = run.stack(where, "target"), run.attack.goal
    if (
        run.attack.plan["square"] != "ride over"
        or run.attack.pressing
        or not stack
        or run.stack(where, "charger")
    ):
        return False
    if stack[0].arm != "infantry" or stack[0].formation != "square" or stack[0].id in run.attack.declared:
        return False
    return goal is None or where != goal.at or goal.id not in run.attack.squares_before


def entry_costs(run: Run, here: Hex, hexes: Sequence[Hex]) -> list[int]:
    """The points for each hex of a way that may be ridden (§3.3)."""
    costs = [entry_cost(run, a, b) for a, b in pairwise([here, *hexes])]
    return [cost for cost in costs if cost is not None]


def move_in(run: Run, ride: Ride, direction: int, turns: Sequence[int]) -> Move | None:
    """The next move in a direction, priced; None if it may not be made or no regiment can pay.

    §3.3 to §3.5.
    """
    hexes = way_in(run, ride, direction, turns)
    if not hexes:
        return None
    costs, change = entry_costs(run, ride.at, hexes), None
    turn = turn_between(ride.direction, direction)
    if not (ride.formation == "line" and ride.steps == 0 and turn == 1):
        costs[0] += abs(turn) * run.switches["facing_cost"]
    most = max(run.allowance(piece) for piece in ride.regiments) - ride.spent
    wanted = (
        run.attack.told.change_to
        if ride.steps == 2 and len(hexes) == 1 and run.attack.told.change_to != ride.formation
        else None
    )
    if wanted is not None and costs[0] + run.switches["formation_cost"] <= most:
        change = wanted
        costs[0] += run.switches["formation_cost"]
    if sum(costs) > most:
        return None
    return Move(hexes, direction, costs, change, min(len(hexes), len(turns)), turn)


def first_turns(formation: str) -> tuple[int, ...]:
    """The first hex of a charge is straight ahead; a line has two front hexes (§3.4)."""
    return (0, 1) if formation == "line" else (0,)


def turn_cap(run: Run, piece: Piece) -> int:
    """The most hexsides a unit may turn before a step (§3.4)."""
    return 3 if not run.switches["facing_cap"] else 2 if is_light(run, piece) else 1


def may_enter(run: Run, side: str, here: Hex, there: Hex) -> bool:
    """Whether charging cavalry may enter a hex: terrain, hexside and who is there (§3.6)."""
    if entry_cost(run, here, there) is None:
        return False
    for piece in run.pieces:
        lets_through = piece.arm == "cavalry" or piece.formation in ("skirmish", "square", "limbered")
        if piece.at == there and not piece.gone and (piece.side != side or not lets_through):
            return False
    return True


def entry_cost(run: Run, here: Hex, there: Hex) -> int | None:
    """Points to enter a hex in a charge, the hexside included; None if it is barred (§3.3, §3.6)."""
    terrain = terrain_at(run, there)
    hexside = run.hexsides.get(frozenset((here, there)))
    entries = [terrain] + ([run.data["hexsides"][hexside]] if hexside else [])
    if any(not entry["charge"] or entry["cavalry"] is None for entry in entries):
        return None
    return sum(entry["cavalry"] for entry in entries)


def can_pay(run: Run, cost: int) -> bool:
    """Whether any regiment can pay so many points more (§3.1, §3.7)."""
    return any(run.attack.spent + cost <= run.allowance(piece) for piece in run.attack.mounted)


def drop_off(run: Run, cost: int) -> None:
    """Regiments that cannot pay so much stay behind (§3.2; D4.1)."""
    for piece in run.attack.mounted:
        if run.attack.spent + cost > run.allowance(piece):
            run.note("{} stays behind", piece.id)
            run.attack.riding.remove(piece)
            run.attack.left_behind[piece.id] = run.attack.spent


def pay(run: Run, cost: int) -> None:
    """Spend points; regiments that have not so many stay behind (§3.1, §3.2)."""
    drop_off(run, cost)
    run.attack.spent += cost


def seek_step(run: Run, where: Hex) -> bool:
    """A step of the charger toward a hex (§3.11, §6.21)."""
    move = next_move(run, ride_now(run, pursuing=True), where)
    return move is not None and make(run, move)


def make(run: Run, move: Move) -> bool:
    """Make a move under fire; False if nobody is left who can (§3.7, §3.8, §3.15)."""
    if len(move.hexes) > 1:
        drop_off(run, sum(move.costs))
    for cost, there in zip(move.costs, move.hexes, strict=True):
        if not (
            shots_of_squares(run, there) if len(move.hexes) > 1 else opportunity_fire(run)
        ) or not can_pay(run, cost):
            return False
        pay(run, cost)
        run.attack.steps += 1
        run.attack.straight_run = run.attack.straight_run + 1 if move.turn == 0 else 1
        ride_to(run, there, move.direction, move.change)
    run.attack.planned += move.planned
    goal = run.attack.goal
    if goal is not None and goal.at in move.hexes:
        run.attack.over = True
        return False
    return True


def shots_of_squares(run: Run, there: Hex) -> bool:
    """A square that is ridden over shoots before the step onto it and before the step off it, alone.

    §3.14.
    """
    for where in (run.attack.here, there):
        if run.stack(where, "target"):
            run.attack.ridden_over.add(where)
            if not opportunity_fire(run, [where], divisor=run.data["fire"]["square_divisor"]):
                return False
    return True


def ride_over_goal(run: Run, goal: Piece) -> None:
    """Over the square of a goal that was not the target, and one hex more (§5.12)."""
    run.attack.over = True
    assert goal.at is not None
    if direction_to(run.attack.here, goal.at) != run.attack.direction:
        return
    move = move_in(run, ride_now(run), run.attack.direction, ())
    if move is None or len(move.hexes) < 2:
        return
    make(run, move)
    if not run.attack.anyone_rides or run.attack.here != move.hexes[-1]:
        return
    further = neighbour(run.attack.here, run.attack.direction)
    cost = entry_cost(run, run.attack.here, further)
    if cost is not None and may_enter(run, "charger", run.attack.here, further) and can_pay(run, cost):
        pay(run, cost)
        ride_to(run, further, run.attack.direction)


def ride_to(run: Run, there: Hex, direction: int, change: str | None = None) -> None:
    """Those who ride are in a hex, looking the way they came; the formation changed if it was to be.

    §2.9, §3.5.
    """
    run.attack.direction = direction
    for piece in run.attack.mounted:
        if change is not None:
            piece.formation = change
        piece.at, piece.facing = there, facing_along(run, piece, direction)
    run.note("to {} direction {}, spent {}", there, direction, run.attack.spent)


def opportunity_fire(run: Run, sources: Sequence[Hex] | None = None, divisor: int | None = None) -> bool:
    """Fire before a step (28); False if the charger cannot go on (§3.8, rule 28)."""
    where = run.attack.here
    if sources is None:
        sources = [
            one
            for one in firing_hexes(run, where, "target", opportunity=True)
            if one not in run.attack.ridden_over
        ]
    shoot(run, where, "target", sources, run.attack.riders[0], repeatable=True, divisor=divisor)
    return run.attack.anyone_rides
