"""Fire: opportunity, defensive and offensive (§9), and the checks it calls for."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sim.ensemble import ladder
from sim.units.charges import Leader
from tests.agreement.play.attack import Attack
from tests.agreement.play.charts import clamped, column_at
from tests.agreement.play.checks import morale_check, type_rules
from tests.agreement.play.failures import general_failure, leader_lost
from tests.agreement.play.hexes import Hex, direction_to, neighbour
from tests.agreement.play.pieces import Piece
from tests.agreement.play.run import FIRE_DIE, OTHER, Run
from tests.agreement.play.sight import in_square, zone_of_side
from tests.agreement.play.states import lose_alternating


def fire_of_hex(
    run: Run, source: Hex, side: str, where: Hex, divisor: int | None
) -> tuple[Fraction, Fraction]:
    """Fire of a hex at a hex: of its infantry and of its guns (§9.3)."""
    none = (Fraction(0), Fraction(0))
    stack = run.stack(source, side)
    top, fire = stack[0], run.data["fire"]
    if (
        top.state == "routed"
        or top.sheltered
        or (top.silent and run.segment == "defensive-fire")
        or top.arm == "cavalry"
    ):
        return none
    batteries = [piece for piece in stack if may_fire(run, piece)]
    if top.arm == "infantry" or run.ground.get(source, "clear") != "clear":
        batteries = batteries[:1]
    guns = sum((fire_of_guns(piece) for piece in batteries), Fraction(0))
    if top.arm == "artillery":
        return Fraction(0), guns
    on_top = source == where
    foot = sum(
        piece.deployed(source)
        for piece in stack
        if piece.arm == "infantry" and piece.state != "routed" and not piece.sheltered
    )
    if top.formation == "line":
        return min(fire["caps"]["line"], foot) * (top.card.multiples["line"] or Fraction(0)), guns
    if top.formation == "square":
        share = Fraction(divisor or (fire["on_top_divisor"] if on_top else fire["square_divisor"]))
        return min(fire["caps"]["square"], foot) * (
            top.card.multiples["square"] or Fraction(0)
        ) / share, guns / share
    if top.formation == "skirmish":
        shaken = 2 if top.fights_as == "disordered" else 1
        return min(fire["caps"]["skirmish"], foot) * (
            top.card.multiples["skirmish"] or Fraction(0)
        ) / shaken, Fraction(0)
    if top.formation == "road march":
        return none
    value = top.card.fire
    if top.increments == 1 and top.card.printed > 1:
        value /= 2
    if top.fights_as == "disordered":
        value /= 2
    if top.formation == "masse" and on_top:
        value *= Fraction(str(fire["masse_on_top"]))
    return value, Fraction(0)


def may_fire(run: Run, piece: Piece) -> bool:
    """Whether a unit is a battery that is ready to fire (§9.3)."""
    silent = piece.silent and run.segment == "defensive-fire"
    return piece.unlimbered and not piece.sheltered and not silent


def fire_of_guns(piece: Piece) -> Fraction:
    """The fire of a battery (§9.3)."""
    value = piece.card.fire * piece.increments / piece.card.printed
    if piece.fights_as == "disordered" and value:
        value = max(value / 2, Fraction(1))
    return value


def firing_hexes(run: Run, where: Hex, side: str, opportunity: bool = False) -> list[Hex]:
    """Hexes of a side whose top unit has the hex across a front side; in opportunity fire in its zone.

    §9.1, §9.2; in a charge §3.8, rule 28.
    """
    if run.stack(where, side):
        return [where]
    sources = []
    for direction in range(6):
        source = neighbour(where, direction)
        stack = run.stack(source, side)
        if not stack or (
            opportunity
            and in_square(run, stack[0])
            and stack[0] is run.attack.goal
            and stack[0].id in run.attack.declared
        ):
            continue
        if zone_of_side(run, stack[0], (direction + 3) % 6, source) == "front":
            sources.append(source)
    return sources


def fire_defence(run: Run, victims: Sequence[Piece], where: Hex, flanked: bool) -> int:
    """The fire defence of a hex: by terrain, state and formation of its top unit (§9.5)."""
    top, fire = victims[0], run.data["fire"]
    defence = fire["defence"]
    terrain = run.ground.get(where, "clear")
    deployed = sum(piece.deployed(where) for piece in victims if piece.formation == "line")
    crowded = top.formation == "line" and deployed >= fire["line_as_column"]
    if top.fights_as != "good":
        shape = top.fights_as
    elif crowded or (top.formation == "masse" and "masse" not in defence["clear"]):
        shape = "column"
    else:
        shape = top.formation
    value = defence.get(terrain, {}).get(shape, defence["clear"][shape])
    for entry in defence.get("by_nation", ()):
        if top.card.nation in entry["nations"] and entry["terrain"] == terrain and shape in entry:
            value = entry[shape]
    if (
        top.arm == "infantry"
        and top.formation != "square"
        and any(piece.arm == "artillery" for piece in victims)
    ):
        value += fire["with_guns"]
    return min(value, fire["flank"]) if flanked else value


def shoot(
    run: Run,
    where: Hex,
    side: str,
    sources: Sequence[Hex],
    about: Piece,
    repeatable: bool = False,
    divisor: int | None = None,
) -> None:
    """One attack by fire of a side's hexes on a hex, asked about a unit (§9.3 to §9.9, §9.11)."""
    victims = run.stack(where, OTHER[side])
    if not victims:
        return
    foot = guns = Fraction(0)
    flanked, bonus = True, 0
    once, firers = run.segment.endswith("-fire"), []
    for source in sources:
        if once and run.stack(source, side)[0].id in run.fired:
            continue
        one, two = fire_of_hex(run, source, side, where, divisor)
        if one + two == 0:
            continue
        firers.append(run.stack(source, side)[0].id)
        foot, guns = foot + one, guns + two
        flanked &= (
            source != where and zone_of_side(run, victims[0], direction_to(where, source), where) == "flank"
        )
        if two:
            gunner = next(piece for piece in run.stack(source, side) if piece.unlimbered)
            director = run.leader_with(gunner)
            bonus += director.artillery if director is not None else 0
    if foot + guns == 0:
        return
    canister = bool(guns) and (foot == 0 or run.switches["canister_combined"])
    if resolve(run, where, side, (foot + guns, canister, flanked, bonus), about, repeatable) and once:
        run.fired.update(firers)


def resolve(
    run: Run,
    where: Hex,
    side: str,
    fire: tuple[Fraction, bool, bool, int],
    about: Piece,
    repeatable: bool,
) -> bool:
    """The dice of one attack, and what they do (§9.5 to §9.11).

    `fire` is its strength, whether guns shift it by canister, whether all comes through a flank, the bonus
    of leaders. False where the odds are too low for any fire.
    """
    victims = run.stack(where, OTHER[side])
    strength, canister, flanked, bonus = fire
    rules = run.data["fire"]
    defence = fire_defence(run, victims, where, flanked)
    column = column_at(run.charts.fire, strength / defence)
    if column < 0:
        if run.switches["below_lowest"] == "none":
            return False
        column = 0
    if canister:
        column = min(column + rules["canister_shift"], len(run.charts.fire) - 1)
    crowd = sum(piece.deployed(where) for piece in victims)
    massed = max(0, crowd - rules["massed"]["above"]) * rules["massed"]["each"]
    leader = run.leader_with(victims[0])
    fatal = ladder.parse_range(run.data["leaders"]["fire"]["natural"]) if leader is not None else ()
    results = run.charts.fire[column][1]
    losses, struck = run.ask(
        "fire",
        about,
        [(results[clamped(face + massed + bonus)], face in fatal) for face in range(ladder.STEPS)],
        repeatable,
    )
    name = run.charts.fire[column][0]
    run.note("  fire {} on {}, column {}, {:+d}: {}", strength, defence, name, massed + bonus, losses)
    before = {piece.id: piece.card.printed - piece.increments for piece in victims}
    lost = fire_losses(run, victims, losses)
    shaken_by_fire(run, victims, lost, before)
    if leader is not None and struck:
        leader_under_fire(run, leader, OTHER[side], where)
    return True


def fire_losses(run: Run, victims: Sequence[Piece], losses: int) -> dict[str, int]:
    """Losses of a hex by fire: guns alone lose half (§9.8)."""
    if all(piece.unlimbered for piece in victims):
        losses //= 2
    return lose_alternating(run, victims, losses)


def hexes_under_fire(run: Run) -> dict[str, Hex]:
    """Hexes of phasing units at the beginning of the segment, by their top units (§9.1)."""
    found: dict[str, Hex] = {}
    for piece in run.alive("charger"):
        if piece.at is not None and piece.at not in found.values():
            found[run.stack(piece.at, "charger")[0].id] = piece.at
    return found


def defensive_fire(run: Run, where: Hex) -> None:
    """The other side fires at a hex of the phasing side (§9.1)."""
    stack = run.stack(where, "charger")
    if stack:
        run.acting = stack[0]
        shoot(run, where, "target", firing_hexes(run, where, "target"), stack[0], repeatable=True)


def offensive_fire(run: Run) -> None:
    """Units of the charger's side fire at each charge's target hex, once, unless a charger stands on it.

    §9.2, §14.8; 0-decisions 5.34.
    """
    run.fired = set()
    under_fire: set[Hex] = set()
    for attack in run.attacks:
        where = target_hex(attack)
        if where is None or where in under_fire or run.stack(where, "charger"):
            continue
        under_fire.add(where)
        run.acting = top = run.stack(where, "target")[0]
        shoot(run, where, "charger", firing_hexes(run, where, "charger"), top, repeatable=True)


def target_hex(attack: Attack) -> Hex | None:
    """The hex of a charge's target: where it stood while any of it is there; a second goal's, wherever it is.

    §9.2; 0-decisions 5.34.
    """
    if attack.second is not None:
        return attack.second.at
    left = [piece.at for piece in attack.target if not piece.gone and not piece.unmanned]
    return attack.target_hex if attack.target_hex in left else next(iter(left), None)


def shaken_by_fire(run: Run, victims: Sequence[Piece], lost: dict[str, int], before: dict[str, int]) -> None:
    """The checks that losses by fire call for; Cossacks fail at once where they lost, and check where not.

    §9.9, §9.10; D10.3.
    """
    asked, failed = [], []
    for piece in run.in_unit_order(victims):
        rule = type_rules(run, piece).get("under_fire")
        kind = "loss-check" if piece.id in lost and loss_check_due(run, piece, before[piece.id]) else ""
        if rule is not None:
            kind = rule["loss"] if piece.id in lost else "under-fire" if rule["no_loss"] == "check" else ""
        if not kind or piece.gone:
            continue
        asked.append(piece)
        if kind == "rout" or not morale_check(run, piece, kind, repeatable=True):
            failed.append(piece)
    general_failure(run, failed, "fire", asked)


def loss_check_due(run: Run, piece: Piece, before: int) -> bool:
    """Whether the cumulative losses passed one of the numbers first, first + step, .. (§9.9)."""
    first, step = piece.card.losses
    now = piece.card.printed - piece.increments
    return any(n >= first and (n - first) % step == 0 for n in range(before + 1, now + 1))


def leader_under_fire(run: Run, leader: Leader, side: str, where: Hex) -> None:
    """What becomes of a leader who was hit by fire: one die of five (§9.11)."""
    if (
        run.ask("leader", leader, ["flesh wound" if die == 6 else "out" for die in FIRE_DIE], repeatable=True)
        == "flesh wound"
    ):
        return
    run.leader_out(leader)
    leader_lost(run, run.stack(where, side), where, leader, "fire")
