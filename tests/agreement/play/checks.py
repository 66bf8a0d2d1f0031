"""What the conditions of a rule set ask about, what modifiers add, and morale checks (§8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sim.ensemble import ladder
from tests.agreement.play.charts import clamped
from tests.agreement.play.hexes import Hex
from tests.agreement.play.pieces import Piece
from tests.agreement.play.run import Run
from tests.agreement.play.sight import is_light, zone_towards


def attribute_of(run: Run, piece: Piece | None, name: str) -> Any:
    """An attribute of a unit, as the conditions of the rule sets name it (§8.2)."""
    if piece is None:
        return None
    card = piece.card
    if name == "nation":
        return card.nation
    if name == "side":
        return run.data["nations"].get(card.nation)
    if name == "type":
        return card.type
    if name == "arm":
        return card.arm
    if name == "class":
        return None if card.arm != "cavalry" else "light" if is_light(run, piece) else "heavy"
    if name == "formation":
        return piece.formation
    if name == "state":
        return piece.fights_as
    if name == "half_lost":
        return 2 * (card.printed - piece.increments) >= card.printed
    if name == "level":
        return card.level
    if name == "leader":
        return run.leader_with(piece) is not None
    if name == "force_march":
        return card.force_march
    if name == "readiness":
        return piece.readiness
    if name == "lance":
        return card.lance > 0
    leader = run.leader_with(piece)
    if name == "cavalry_leader":
        return leader is not None and leader.cavalry > 0
    if name == "recall_leader":
        return leader is not None and (leader.cavalry > 0 or run.switches["recall_leader"] == "any")
    raise KeyError(f"no attribute {name!r}")


def attribute(run: Run, name: str, scene: dict[str, Any]) -> Any:
    """A name as conditions use it: `unit.state`, `switch.lance`, or a word of the scene (§8.2)."""
    head, dot, tail = name.partition(".")
    if not dot:
        return scene.get(head)
    return run.switches[tail] if head == "switch" else attribute_of(run, scene.get(head), tail)


def holds(run: Run, when: dict[str, Any], scene: dict[str, Any]) -> bool:
    """Whether all parts of a condition hold; `not` after a name excludes (§8.2)."""
    for name, wanted in when.items():
        excluded = name.endswith(" not")
        value = attribute(run, name.removesuffix(" not"), scene)
        if (value in wanted if isinstance(wanted, list) else value == wanted) == excluded:
            return False
    return True


def value_of(run: Run, modifier: dict[str, Any], scene: dict[str, Any], column: str) -> int:
    """What a modifier that applies adds: its value, or one by an attribute or a column (§8.2)."""
    if "values" in modifier:
        return modifier["values"].get(attribute(run, modifier["of"], scene), 0)
    return modifier[column] if column in modifier else modifier["value"]


def total_of(
    run: Run, modifiers: Iterable[dict[str, Any]], scene: dict[str, Any], column: str = "value"
) -> int:
    """The sum of the modifiers that apply (§8.1)."""
    return sum(
        value_of(run, one, scene, column) for one in modifiers if holds(run, one.get("when", {}), scene)
    )


def type_rules(run: Run, piece: Piece) -> dict[str, Any]:
    """What the rule set says of a type of cavalry (§4.3, §9.10; D10.3)."""
    if piece.arm != "cavalry":
        return {}
    entry: dict[str, Any] = run.data["troops"].get(piece.card.nation, {}).get(piece.card.type, {})
    return entry if entry.get("arm") == "cavalry" else {}


def contact_scene(run: Run, goal: Piece, from_hex: Hex, at: Hex | None = None) -> dict[str, Any]:
    """What the conditions of a contact may ask about: the hexside, what runs along it, both sides (§6.11)."""
    where = goal.at if at is None else at
    assert where is not None
    crosses = run.hexsides.get(frozenset((where, from_hex)), "none")
    return {
        "target": goal,
        "enemy": run.attack.lead,
        "charger": run.attack.lead,
        "hexside": zone_towards(run, goal, from_hex),
        "crosses": crosses,
    }


def morale_check(
    run: Run,
    piece: Piece,
    kind: str,
    chart: Sequence[dict[str, Any]] = (),
    column: str = "value",
    extra: int = 0,
    scene: dict[str, Any] | None = None,
    repeatable: bool = False,
) -> bool:
    """A morale check: the modified roll must be above the printed morale (§8.1, §8.2)."""
    scene = {**(scene or {}), "unit": piece, "check": kind}
    own = {key for one in chart for key in (one["key"], one.get("replaces"))}
    general = [one for one in run.data["morale"]["modifiers"] if one["key"] not in own]
    shift = extra + total_of(run, chart, scene, column) + total_of(run, general, scene)
    leader = run.leader_with(piece)
    if leader is not None:
        shift += leader.morale
    needed = ladder.index_of(piece.card.morale)
    passed = run.ask(
        kind, piece, [clamped(face + shift) > needed for face in range(ladder.STEPS)], repeatable
    )
    run.note("  {} {:+d} against {}: {}", piece.id, shift, piece.card.morale, "passes" if passed else "fails")
    return passed
