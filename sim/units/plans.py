"""The charger's plan as a charge file gives it: what its choices need, and what of it is possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sim.errors import did_you_mean
from sim.inputs.documents import Key
from sim.inputs.fields import Problems

if TYPE_CHECKING:
    from sim.units.charges import Unit

NEEDS = {
    "second": ("second", "the name or the number of a neighbour"),
    "turn away": ("away", "the turns before each step, such as [1, 0, 0]"),
}
"""Choices that need another field of the plan, and what it holds."""


def ways(
    plan: dict[str, Any], neighbours: Sequence[Unit | None], problems: Problems, base: Key = ()
) -> dict[str, Any]:
    """The other unit and the other way that a plan names, as fields of a charge; notes what is missing or
    cannot be.

    Parameters
    ----------
    plan
        As in the charge file, checked field by field.
    neighbours
        Those of the charge file, in order; None for one with faults of its own.
    base
        Where the charge stands in the file.
    """
    here = (*base, "plan")
    for choice in ("square", "disordered"):
        missing = lacks(plan.get(choice), plan.get("second"), plan.get("away"))
        if missing and problems.sound((*here, choice), *((*here, field) for field, _ in NEEDS.values())):
            problems.error((*here, choice), missing)
    second = _second(plan.get("second"), neighbours, problems, (*here, "second"))
    return {
        "second": second,
        "second_path": tuple(plan.get("second_path") or ()),
        "away": tuple(plan.get("away") or ()),
    }


def lacks(choice: Any, second: Any, away: Any) -> str:
    """What is missing to a choice, as the end of a message; nothing if it can be made."""
    if choice not in NEEDS:
        return ""
    field, holds = NEEDS[choice]
    given = {"second": second is not None, "away": bool(away)}
    return "" if given[field] else f"{choice} needs plan.{field} ({holds}), but it is missing"


def _second(wanted: Any, neighbours: Sequence[Unit | None], problems: Problems, key: Key) -> str | None:
    """The id of the unit that may be charged instead of the target."""
    told = [("neighbours", i, name) for i in range(len(neighbours)) for name in ("name", "side")]
    if wanted is None or not problems.sound(*told, ("neighbours",) if not neighbours else told[0]):
        return None
    if isinstance(wanted, int):
        found = [neighbours[wanted - 1]] if wanted <= len(neighbours) else []
    else:
        found = [unit for unit in neighbours if unit and wanted in (unit.name, unit.id)]
    if len(found) > 1:
        problems.error(
            key, f"must name one neighbour, but {len(found)} are called {wanted!r}: give its number"
        )
        return None
    if not found:
        names = [unit.name for unit in neighbours if unit]
        known = (
            f" Known: 1 to {len(neighbours)}, or {', '.join(names)}."
            if names
            else " The charge has no neighbours."
        )
        problems.error(
            key,
            f"must be a neighbour's name or number, got {wanted!r}.{did_you_mean(wanted, names) or known}",
        )
        return None
    unit = found[0]
    if unit is not None and unit.side != "target":
        problems.error(key, f"must be a neighbour of the target's side, got {unit.name!r} of the charger's")
    return unit.id if unit else None
