"""Chart look-ups as lines of text and as JSON objects. No engine is loaded for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sim.report.layout import grid
from sim.studies.decimals import chance

if TYPE_CHECKING:
    from sim.studies.charts import Answer


def answer_lines(answer: Answer) -> list[str]:
    """A chart look-up as text."""
    rules = answer.identity
    lines = [
        f"{answer.chart}: {answer.row}",
        f"rule set {rules['ruleset']} v{rules['version']} ({rules['digest']}), edition {rules['edition']}",
    ]
    for label, amount, source in answer.modifiers:
        lines.append(f"  {amount:+d}  {label}  {source}")
    if answer.modifiers:
        lines.append(f"  {answer.shift:+d}  in all")
    if answer.chart == "assault":
        return [
            *lines,
            f"column {answer.numbers['column']}: attacker {answer.numbers['attack']:+d}, defender "
            f"{answer.numbers['defence']:+d} on the dice",
        ]
    if answer.chart == "level":
        return lines + _levels(answer)
    cells = [["outcome", "faces", "pips", "chance", "rolls"]]
    for one in answer.chances:
        cells.append([one.name, f"{one.faces}/{one.of}", str(one.pips), chance(one.p, 0), one.rolls])
    return lines + grid(cells)


def _levels(answer: Answer) -> list[str]:
    """Organisations with their levels, and what a level does to the dice."""
    cells = [["organisation", "level", "reached at", "to the next", "source"]]
    for one in answer.numbers["levels"]:
        further = "–" if one["to_next"] is None else str(one["to_next"])
        cells.append(
            [
                one["organisation"],
                str(one["level"]),
                ", ".join(map(str, one["thresholds"])),
                further,
                one["source"],
            ]
        )
    effects = [["on the dice at level", "1", "2", "3", ""]]
    names = {"morale": "morale checks", "stand": "standing", "premelee": "pre-melee checks", "carre": "carré"}
    for one in answer.numbers["effects"]:
        effects.append(
            [
                f"{names[one['chart']]}: {one['label']}",
                *(f"{value:+d}" if value else "0" for value in one["values"]),
                one["source"],
            ]
        )
    return ["", *grid(cells), "", *grid(effects)]


def answer_json(answer: Answer) -> dict[str, Any]:
    """A chart look-up as an object."""
    return {
        "chart": answer.chart,
        "row": answer.row,
        **answer.identity,
        **answer.numbers,
        "modifiers": [
            {"label": label, "value": amount, "source": source} for label, amount, source in answer.modifiers
        ],
        "shift": answer.shift,
        "outcomes": [
            {
                "name": one.name,
                "p": float(one.p),
                "fraction": f"{one.p.numerator}/{one.p.denominator}",
                "faces": one.faces,
                "of": one.of,
                "pips": one.pips,
                "rolls": one.rolls,
            }
            for one in answer.chances
        ],
    }
