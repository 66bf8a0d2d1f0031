"""The rout of the target: trample, recall, follow and chase (§6, rule 42)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.agreement.play.checks import attribute_of, total_of
from tests.agreement.play.failures import flee, rout_move
from tests.agreement.play.hexes import Hex, distance
from tests.agreement.play.march import reaches, seek_step
from tests.agreement.play.pieces import Piece
from tests.agreement.play.run import Run
from tests.agreement.play.states import lose_top_first


def pursues(run: Run, group: Sequence[Piece]) -> bool:
    """Whether a charger that may pursue (2014) does, by the plan's `no_target` (§5.5, §6.19)."""
    plan = "ride on" if run.attack.pressing else run.attack.plan["no_target"]
    return plan == "ride on" or (plan == "reach" and catches(run, group))


def catches(run: Run, group: Sequence[Piece]) -> bool:
    """Whether seek steps bring the charger next to routers (§6.19)."""
    prey = next((piece for piece in group if not piece.gone), None)
    return prey is not None and prey.at is not None and reaches(run, prey.at, pursuing=True)


def rout_of_target(
    run: Run, group: Sequence[Piece], after: Sequence[tuple[Piece, str | None]] = (), where: Hex | None = None
) -> None:
    """Trample, recall, the rout move, and what the charger does then (§6.14 to §6.19)."""
    if where is None:
        where = group[0].at
    assert where is not None
    tramples = run.attack.plan["recalled"] == "trample"
    if tramples and run.switches["trample"] == "first":
        trample(run, group)
    recalled = recall_roll(run)
    if tramples and run.switches["trample"] == "recalled" and recalled:
        trample(run, group)
    flight(run, group, where, recalled, after)


def trample(run: Run, group: Sequence[Piece]) -> None:
    """The routers lose an increment for every two points that are left (§6.15)."""
    points = run.data["charge"]["trample_points"]
    run.attack.spent += points * sum(lose_top_first(run, group, run.points_left // points).values())


def recall_roll(run: Run, kind: str = "recall") -> bool:
    """The recall roll: one die and its modifiers, at least the chart's number (§6.16; rule 42)."""
    lead = run.attack.lead
    assert lead is not None
    chart = run.data["recall"]
    scene = {
        "unit": lead,
        "charger": lead,
        "target": run.attack.goal,
        "enemy": run.attack.goal,
        "check": "recall",
    }
    needs = recall_row(run, lead)["needs"]
    bonus = total_of(run, chart["modifiers"], scene)
    recalled = run.ask(kind, run.attack.riders[0], [die + bonus >= needs for die in range(1, 7)])
    run.note("  needs {}: {}", needs, "recalled" if recalled else "not recalled")
    return recalled


def recall_row(run: Run, lead: Piece) -> dict[str, Any]:
    """The most particular row: one naming the type, then the class, then only the nation (§6.16; rule 42)."""
    best: tuple[int, dict[str, Any]] | None = None
    for row in run.data["recall"]["rows"]:
        fits = lead.card.nation in row.get("nations", [lead.card.nation])
        fits = fits and ("types" not in row or lead.card.type in row["types"])
        fits = fits and ("class" not in row or attribute_of(run, lead, "class") == row["class"])
        rank = 2 if "types" in row else 1 if "class" in row else 0
        if fits and (best is None or rank > best[0]):
            best = (rank, row)
    if best is None:
        raise KeyError(f"no recall row for {lead.card.nation} {lead.card.type}")
    return best[1]


def flight(
    run: Run,
    group: Sequence[Piece],
    where: Hex,
    recalled: bool,
    after: Sequence[tuple[Piece, str | None]] = (),
) -> None:
    """The rout move, then follow or chase (§6.17 to §6.19)."""
    run.attack.unchecked = False
    rout_move(run, group)
    for piece, kind in after:
        flee(run, piece, kind, "other")
    if not recalled and run.switches["recall"] == "must":
        run.attack.chasing = True
        run.attack.charge_bonus = False
        chase(run, group)
    elif (
        recalled
        and run.attack.plan["recalled"] == "follow"
        and (run.switches["recall"] == "must" or catches(run, group))
    ):
        follow(run, group)
    after_flight(run, group, where, recalled)


def follow(run: Run, group: Sequence[Piece]) -> None:
    """Seek steps toward the group until adjacent or out of points (§6.18, §6.19)."""
    run.attack.charge_bonus = False
    while True:
        prey = next((piece for piece in group if not piece.gone), None)
        if (
            prey is None
            or prey.at is None
            or not run.attack.anyone_rides
            or distance(run.attack.here, prey.at) == 1
            or not seek_step(run, prey.at)
        ):
            return


def chase(run: Run, group: Sequence[Piece]) -> None:
    """The same, compelled: it stops at the first enemy it comes next to that is not passed.

    §6.18; D N16; 0-decisions 5.34.
    """
    while run.attack.anyone_rides:
        near = [
            piece
            for piece in run.alive("target")
            if piece.at is not None and distance(run.attack.here, piece.at) == 1
        ]
        beside = [piece for piece in near if piece.id not in run.attack.passed and not piece.unmanned]
        if beside:
            routers = [piece for piece in beside if piece in group]
            run.attack.engage(routers[0] if routers else beside[0], compulsory=True)
            return
        prey = next((piece for piece in group if not piece.gone), None)
        if prey is None or prey.at is None or not seek_step(run, prey.at):
            return


def after_flight(run: Run, group: Sequence[Piece], where: Hex | None, recalled: bool) -> None:
    """Whom the charger may melee after the rout of the target (§6.20)."""
    if not run.attack.anyone_rides or run.attack.opponent is not None:
        return
    beside = [
        piece
        for piece in group
        if not piece.gone and piece.at is not None and distance(run.attack.here, piece.at) == 1
    ]
    if beside:
        run.attack.charge_bonus = False
        run.attack.engage(beside[0], compulsory=run.attack.chasing)
    elif where is not None and distance(run.attack.here, where) == 1 and run.stack(where, "target"):
        run.attack.charge_bonus = run.attack.charge_bonus and not recalled and not run.attack.chasing
        run.attack.engage(run.stack(where, "target")[0])
