"""Assaults (battle.md, Assault)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sim.ensemble import ladder
from tests.agreement.battle.field import Field
from tests.agreement.battle.march import price_of_step
from tests.agreement.battle.volley import tops
from tests.agreement.play.attack import Attack
from tests.agreement.play.charts import clamped, column_at
from tests.agreement.play.checks import contact_scene, morale_check
from tests.agreement.play.failures import general_failure
from tests.agreement.play.hexes import HOME, Hex, direction_to, distance, neighbour, turn_between
from tests.agreement.play.melee import leader_casualties
from tests.agreement.play.pieces import Piece
from tests.agreement.play.results import letter_result, number_result
from tests.agreement.play.run import Run
from tests.agreement.play.sight import facing_along, hex_next_to, in_zone, zone_of_side, zone_towards
from tests.agreement.play.strengths import Melee, melee_column, survivors
from tests.agreement.play.ways import after, gap, retreat_cost

BEST = ("flank", "rear", "front")
"""Sides by which to come, the best first (A19)."""


class Storm(Attack):
    """An assault, as far as the play of a charge asks about what attacks."""

    def __init__(self, attackers: Sequence[Piece]) -> None:
        self.riding = list(attackers)
        self.charge_bonus = self.chasing = self.bounced = False
        self.plan: dict[str, Any] = {"preserve": False}
        self.counter_chargers: set[str] = set()
        self.broken: set[str] = set()
        self.leader: Piece | None = None

    @property
    def lead(self) -> Piece | None:
        """Who leads it (A19)."""
        return self.leader


@dataclass(frozen=True)
class Brawl(Melee):
    """The melee of an assault."""

    def met_from(self, piece: Piece) -> Hex:
        """Each attacker counts the side through which it comes (A19)."""
        return hex_next_to(piece, self.where) if piece in self.attackers else self.side_hex


def may_assault(run: Run, piece: Piece, where: Hex) -> bool:
    """Infantry in order or disordered, not in square, and cavalry in good order, with the hex across a front
    side (A1)."""
    if piece.gone or piece.arm == "artillery" or piece.sheltered or piece.at is None:
        return False
    if piece.state == "routed" or piece.formation == "square" or gap(where, piece.hexes) != 1:
        return False
    if piece.arm == "cavalry" and piece.state != "good":
        return False
    return any(storms_from(run, piece, here, where) for here in piece.hexes)


def storms_from(run: Run, piece: Piece, here: Hex, where: Hex) -> bool:
    """Whether a hex is across a front side of one of a unit's hexes."""
    return distance(here, where) == 1 and zone_of_side(run, piece, direction_to(here, where), here) == "front"


def storm(
    run: Field, attackers: Sequence[Piece], where: Hex, occupies: Callable[[Piece], bool] = lambda _: True
) -> None:
    """Units of the phasing side assault a hex: checks, the melee, the advance (A1, A6 to A20)."""
    party = [piece for piece in run.in_unit_order(attackers) if may_assault(run, piece, where)]
    if not party or not defenders_of(run, where):
        return
    attack = Storm(party)
    run.current, run.acting = attack, party[0]
    stood = {piece.id: piece.at for piece in party}

    def left() -> list[Piece]:
        return [piece for piece in attack.riding if piece.at == stood[piece.id] and still_attacks(piece)]

    choose_lead(run, attack, left(), where)
    defenders = sum(one.deployed(where) for one in defenders_of(run, where))
    odds = increments_of_attackers(run, left(), where) / max(1, defenders)
    _, row = run.charts.premelee[max(0, column_at(run.charts.premelee, odds))]
    defenders_check(run, attack, where, left(), odds, row["defence"])
    if not defenders_of(run, where):
        if left():
            piece = foremost(attack, left())
            if occupies(piece):
                enter(run, piece, where)
        run.current = None
        return
    attackers_check(run, attack, where, left(), row["attack"])
    attack.riding = left()
    if attack.riding:
        choose_lead(run, attack, attack.riding, where)
        fight(run, attack, where, left)
    run.current = None


def still_attacks(piece: Piece) -> bool:
    """Whether an attacker can go on."""
    return not piece.gone and piece.state != "routed"


def defenders_of(run: Run, where: Hex) -> list[Piece]:
    """Who defends a hex: all its units but the sheltered (charge.md 10.7)."""
    return [piece for piece in run.stack(where, "target") if not piece.sheltered]


def choose_lead(run: Run, attack: Storm, party: Sequence[Piece], where: Hex) -> None:
    """The first of those who come through the side that is best for them (A19)."""
    top = defenders_of(run, where)[0]

    def rank(piece: Piece) -> int:
        return BEST.index(zone_towards(run, top, hex_next_to(piece, where)))

    attack.leader = min(party, key=rank)


def increments_of_attackers(run: Run, party: Sequence[Piece], where: Hex) -> Fraction:
    """Increments in the odds, of hexes next to the one attacked: of a hex's lines at most four (A7, O5)."""
    total = 0
    for place in dict.fromkeys(one for piece in party for one in piece.hexes if distance(one, where) == 1):
        here = [piece for piece in party if place in piece.hexes]
        line = sum(piece.deployed(place) for piece in here if piece.formation == "line")
        total += min(line, run.data["premelee"]["line"])
        total += sum(piece.deployed(place) for piece in here if piece.formation != "line")
    return Fraction(total)


def defenders_check(
    run: Field, attack: Storm, where: Hex, party: Sequence[Piece], odds: Fraction, number: int
) -> None:
    """The top defender checks, unless it is exempt; the others of its hex by contagion (A6, A8, A9, A14)."""
    stack = defenders_of(run, where)
    top = stack[0]
    loose = top.formation == "general order" and top.state == "good"
    if loose or top.unlimbered or any(piece.arm == "cavalry" for piece in (*stack, *party)):
        return
    lead = attack.leader
    assert lead is not None
    lost = elite(run, lead) * sum(run.lost_by_fire.get(piece.id, 0) for piece in stack)
    least = run.data["premelee"].get("elite", {}).get("attack_odds")
    if elite(run, top) or (least is not None and odds < 1):
        lost = 0
    scene = contact_scene(run, top, hex_next_to(lead, where), where)
    chart = run.data["premelee"]["modifiers"]
    if not morale_check(run, top, "pre-melee", chart, "defence", number + lost, scene):
        general_failure(run, [top], "other", [top])


def attackers_check(run: Field, attack: Storm, where: Hex, party: Sequence[Piece], number: int) -> None:
    """Each attacker checks, unless the defenders are skirmishers or cavalry (A6, A8 to A13)."""
    stack = defenders_of(run, where)
    top = stack[0]
    if top.formation == "skirmish" or any(piece.arm == "cavalry" for piece in (*stack, *party)):
        return
    everybody = sum(run.lost_by_fire.get(piece.id, 0) for piece in party)
    asked, failed = [], []
    for piece in party:
        lost = run.data["premelee"]["fire_loss"]["each"] * run.lost_by_fire.get(piece.id, 0)
        if elite(run, top) and not elite(run, piece):
            lost = elite(run, top) * everybody
        scene = contact_scene(run, top, hex_next_to(piece, where), where)
        asked.append(piece)
        if not attackers_morale(run, piece, scene, number + lost):
            failed.append(piece)
    attack.riding = [piece for piece in attack.riding if piece not in failed]
    general_failure(run, failed, "other", asked)


def attackers_morale(run: Field, piece: Piece, scene: dict[str, Any], extra: int) -> bool:
    """The check of an attacker: of the chart only what is said of the unit itself stands for a general line.

    A9, A10.
    """
    chart = run.data["premelee"]["modifiers"]
    told = [
        one
        if not any(name.startswith("target.") for name in one["when"])
        else {**one, "key": f"defender {one['key']}"}
        for one in chart
    ]
    return morale_check(run, piece, "pre-melee", told, "attack", extra, scene)


def elite(run: Run, piece: Piece) -> int:
    """What each increment lost to this unit's fire costs, if it is an elite here; else 0 (A13)."""
    for span, each in run.data["premelee"].get("elite", {}).items():
        if isinstance(each, int) and ladder.index_of(piece.card.morale) in ladder.parse_range(span):
            return each
    return 0


def fight(run: Field, attack: Storm, where: Hex, left: Any) -> None:
    """The melee of an assault, and who enters the hex (A17, A18; charge.md 10.4 to 10.14)."""
    party, lead = left(), attack.leader
    assert lead is not None
    everybody, defenders = run.stack(where, "target"), defenders_of(run, where)
    top = defenders[0]
    melee = Brawl(run, where, list(party), list(everybody), defenders, hex_next_to(lead, where))
    run.meleed |= {piece.id for piece in (*party, *defenders)}
    column, shift = melee_column(melee)
    leaders = {"attacker": run.leader_with(lead), "defender": run.leader_with(top)}
    if leaders["attacker"] is not None:
        shift += leaders["attacker"].melee if lead.arm == "infantry" else leaders["attacker"].cavalry
    hits = {
        role: ladder.parse_range(run.data["leaders"]["melee"][role]) if one is not None else ()
        for role, one in leaders.items()
    }
    results = run.charts.melee[column][1]
    result, *struck = run.ask(
        "melee",
        top,
        [
            (results[clamped(face + shift)], *(role for role in hits if face in hits[role]))
            for face in range(ladder.STEPS)
        ],
    )
    run.note("  column {} {:+d}: {}", run.charts.melee[column][0], shift, result)
    if "/" in result:
        number_result(melee, result)
    else:
        letter_result(melee, result, top)
    if left() and (result in ("DD", "DR", "DS") or not survivors(melee, melee.everybody)):
        enter(run, foremost(attack, left()), where)
    leader_casualties(melee, {role: leaders[role] for role in struck})


def foremost(attack: Storm, party: Sequence[Piece]) -> Piece:
    """The leading attacker, or the first who is left (A19)."""
    return attack.leader if attack.leader is not None and attack.leader in party else party[0]


def enter(run: Field, piece: Piece, where: Hex) -> bool:
    """An attacker enters a hex if nobody holds it, in the formation of its ground, and faces as it came.

    A18, A20.
    """
    if run.stack(where, "target") or not piece.hexes or gap(where, piece.hexes) != 1:
        return False
    formation = after(run, piece, piece.formation, where)
    if formation is None:
        return False
    direction = direction_to(hex_next_to(piece, where), where)
    piece.formation = formation
    piece.second = None
    piece.at, piece.facing = where, facing_along(run, piece, direction)
    run.note("  {} enters {}", piece.id, where)
    return True


# -- the segment ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Aim:
    """Who assaults whom: the hex of its top unit when the segment begins."""

    piece: Piece
    target: Piece
    where: Hex


def melee_segment(run: Field, evades: Sequence[bool], occupies: Sequence[bool]) -> None:
    """The assaults of the phasing side, each hex once; who follows into a hex that was left, once more.

    A1 to A5, A18.
    """
    again = assaults(run, run.alive("charger"), run.shot_at, evades, occupies)
    if again:
        assaults(run, [piece for piece in again if piece.id not in run.meleed], {}, evades, occupies)


def assaults(
    run: Field,
    party: Sequence[Piece],
    bound: Mapping[str, Hex],
    evades: Sequence[bool],
    occupies: Sequence[bool],
) -> list[Piece]:
    """One after the other, in the unit order of the top defenders; who may make another one is returned."""
    aims = [aim for piece in party for aim in favourite(run, piece, bound)]
    again = []
    targets = run.in_unit_order({aim.target.id: aim.target for aim in aims}.values())
    due = [(target, where) for target in targets for where in target.hexes]
    for target, where in due:
        if not any(aim.target is target and aim.where == where for aim in aims):
            continue
        attackers = [aim.piece for aim in aims if aim.where == where and still_attacks(aim.piece)]
        if not attackers or not run.stack(where, "target"):
            continue
        attackers = taking_part(run, attackers, run.stack(where, "target")[0])
        for piece in defenders_of(run, where):
            if evades[run.rank[piece.id]] and may_get_away(run, piece, attackers):
                get_away(run, piece)
        if run.stack(where, "target"):
            storm(run, attackers, where, lambda piece: occupies[run.rank[piece.id]])
        elif occupies[run.rank[attackers[0].id]] and enter(run, attackers[0], where):
            again.append(attackers[0])
    return again


def favourite(run: Field, piece: Piece, bound: Mapping[str, Hex]) -> list[Aim]:
    """Whom a unit assaults: of the hexes that it may the one that it likes most; that which it fired at, if
    it fired (A1, A2)."""
    found = [
        Aim(piece, target, where)
        for target, where in tops(run, "target")
        if target.id not in run.meleed
        and may_assault(run, piece, where)
        and bound.get(piece.id, where) == where
        and may_enter(run, piece, where)
        and not (piece.arm == "cavalry" and target.formation == "square")
        and run.likes(piece, target) > 0
    ]
    return [max(found, key=lambda aim: run.likes(piece, aim.target))] if found else []


def may_enter(run: Field, piece: Piece, where: Hex) -> bool:
    """No assault on a hex that the unit could not enter (2017, C8)."""
    open_to_it = any(
        storms_from(run, piece, here, where) and price_of_step(run, piece, here, where) is not None
        for here in piece.hexes
    )
    return open_to_it and after(run, piece, piece.formation, where) is not None


def taking_part(run: Field, attackers: Sequence[Piece], top: Piece) -> list[Piece]:
    """Infantry keeps out of a melee of cavalry, where both arms would attack; cavalry, by edition, out of one
    of infantry (PR17 p32, HE21 fb123)."""
    horse = [piece for piece in attackers if piece.arm == "cavalry"]
    foot = [piece for piece in attackers if piece.arm == "infantry"]
    if not horse or not foot:
        return list(attackers)
    if top.arm == "cavalry":
        return horse
    return list(attackers) if run.switches["cavalry_joins"] else foot


def may_get_away(run: Field, piece: Piece, attackers: Sequence[Piece]) -> bool:
    """Skirmishers and cavalry before infantry; cavalry and limbered horse guns if they are faster by two
    points (A4)."""
    if piece.state == "routed":
        return False
    mounted = any(one.arm == "cavalry" for one in attackers)
    faster = piece.card.movement >= max(one.card.movement for one in attackers) + 2
    if piece.arm == "infantry":
        return piece.formation == "skirmish" and not mounted
    if piece.arm == "cavalry":
        return faster or not mounted
    return faster and piece.id in run.horse_guns and piece.formation == "limbered"


def get_away(run: Field, piece: Piece) -> None:
    """As few hexes as bring it away from all enemies, of half its movement at most, at least one (A5)."""
    points, steps = piece.card.movement // 2, 0
    while steps == 0 or any(
        gap(where, one.hexes) <= 1 for one in run.alive("charger") for where in piece.hexes
    ):
        step = step_away(run, piece, points)
        if step is None:
            return
        piece.at, cost = step
        piece.second = None
        points, steps = points - cost, steps + 1


def step_away(run: Field, piece: Piece, points: int) -> tuple[Hex, int] | None:
    """The next hex: free, in no zone, not nearer to the nearest enemy; the best as retreats prefer."""
    here = piece.at
    assert here is not None
    foes = [one.hexes for one in run.alive("charger")]
    options = []
    for d in range(6):
        to = neighbour(here, d)
        cost = retreat_cost(run, {piece.arm}, here, to, False)
        if cost is None or cost > points or any(to in one.hexes for one in run.pieces if one is not piece):
            continue
        near = min(gap(to, foe) for foe in foes)
        if near < min(gap(here, foe) for foe in foes) or in_zone(run, to, "charger"):
            continue
        turn = turn_between(HOME["target"], d)
        away = sum(gap(to, foe) for foe in foes)
        options.append((cost, -near, -away, abs(turn), turn < 0, to))
    if not options:
        return None
    best = min(options)
    return best[-1], best[0]
