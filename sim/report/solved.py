"""Solved charges as lines of text and as JSON objects. Nothing is printed here."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sim.report.layout import PLAIN, Page, grid
from sim.report.tables import head
from sim.studies.decimals import chance
from sim.studies.measures import CLEAN, SUCCEEDS

if TYPE_CHECKING:
    from sim.studies.solve import Solution

SHOWN = 20
"""Choices that the text tells."""

WANTS = {"broken": SUCCEEDS, "clean": CLEAN, "losses": "increments, target's side less charger's"}


def solve_lines(found: Solution, page: Page = PLAIN) -> list[str]:
    """The value of best play beside settled play, and the choices that it comes to, most probable first."""

    def told(value: Fraction) -> str:
        return f"{float(value):.2f}" if found.aim == "losses" else chance(value, 0)

    lines = page.wrap(head(found.charge, f"solved, aim {found.aim}: {WANTS[found.aim]}"))
    lines += [
        "",
        *grid([["play", "value", "loses"], *([n, told(v), told(lost)] for n, v, lost in found.rows())]),
    ]
    note = (
        "A response is settled beforehand, and the charger plays his best against it; plan is the charger's "
        "in the file, and the target plays its best against it."
    )
    lines += ["", *page.wrap([note])]
    most = sorted(found.policy, key=lambda one: -one.chance)
    shown = most[:SHOWN]
    if shown:
        lines += ["", "choices of best play, by how often it comes to them"]
        for one in shown:
            options = ", ".join(f"{option} {told(value)}" for option, value in one.options.items())
            known = ", ".join(f"{name} {_plain(value)}" for name, value in one.known.items())
            text = f"{chance(one.chance, 0)}  {one.name} ({one.side}): {one.option}; {options}; {known}"
            lines += page.wrap([text])
    if len(most) > len(shown):
        lines += [f"and {len(most) - len(shown)} more (--json tells all)"]
    return lines


def solve_json(found: Solution) -> dict[str, Any]:
    """A solved charge as an object; exact fractions are texts beside the numbers."""
    return {
        "title": found.charge.title,
        **found.charge.identity(),
        "method": "solved",
        "aim": found.aim,
        "value": float(found.value),
        "exact": str(found.value),
        "plays": [{"play": n, "value": float(v), "loses": float(lost)} for n, v, lost in found.rows()],
        "policy": [
            {
                "choice": one.name,
                "side": one.side,
                "unit": one.unit,
                "about": one.about,
                "known": dict(one.known),
                "option": one.option,
                "chance": float(one.chance),
                "options": {option: float(value) for option, value in one.options.items()},
            }
            for one in found.policy
        ],
    }


def _plain(value: Any) -> str:
    """A fact in words."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
