"""Chart look-ups as lines of text and as JSON objects. No engine is loaded for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sim.report.layout import grid
from sim.studies.decimals import chance
from sim.vocabulary import ARMS

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
        return lines + _assault(answer)
    if answer.numbers.get("share", "1") != "1":
        lines.append(
            f"  ×{answer.numbers['share']}  at {answer.numbers['range']} hexes  "
            f"{answer.numbers['share_source']}"
        )
    if answer.chart == "level":
        return lines + _levels(answer)
    if answer.chart in _TABLES:
        return lines + _TABLES[answer.chart](answer)
    cells = [["outcome", "faces", "pips", "chance", "rolls"]]
    for one in answer.chances:
        cells.append([one.name, f"{one.faces}/{one.of}", str(one.pips), chance(one.p, 0), one.rolls])
    return lines + grid(cells)


def _assault(answer: Answer) -> list[str]:
    """The odds of an assault: the column, the checks, the melee, and what comes of them."""
    numbers = answer.numbers
    lines = [
        f"column {numbers['column']}: attacker {numbers['attack']:+d}, defender "
        f"{numbers['defence']:+d} on the dice"
    ]
    for check in numbers.get("checks", ()):
        what = f"no check, {check['spared']}" if check["spared"] else f"pass on {check['passed']} of 36"
        lines += ["", f"{check['side']}: {what}", *_modifiers(check["modifiers"])]
    if melee := numbers.get("melee"):
        lines += ["", f"melee: {melee['attack']} against {melee['defence']}: column {melee['column']}"]
        for one in melee["factors"]:
            lines.append(f"  ×{one['by']}  {one['label']} ({one['side']})  {one['source']}")
        lines += _modifiers(melee["modifiers"])
    if answer.chances:
        cells = [["outcome", "chance", "fraction", "melee rolls"]]
        for one in answer.chances:
            cells.append([one.name, chance(one.p, 0), f"{one.p.numerator}/{one.p.denominator}", one.rolls])
        lines += ["", *grid(cells)]
    return lines


def _modifiers(lines: list[dict[str, Any]]) -> list[str]:
    """Modifiers of one roll, and their sum."""
    told = [f"  {one['value']:+d}  {one['label']}  {one['source']}" for one in lines]
    return [*told, f"  {sum(one['value'] for one in lines):+d}  in all"] if len(told) > 1 else told


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


def _movement(answer: Answer) -> list[str]:
    """Ground by arm, what else costs points, and the switches."""
    rows = answer.numbers["rows"]
    arms = [arm for arm in ARMS if rows and arm in rows[0]]
    lines = [""]
    for hexside, head in ((False, "to enter"), (True, "hexside, added")):
        cells, barred = [[head, *arms, *(["road march"] * (not hexside))]], []
        for row in rows:
            if row["hexside"] == hexside:
                road = [] if hexside else [_points(row["road"])]
                cells.append([row["terrain"], *(_points(row[arm]) for arm in arms), *road])
                barred += [
                    f"{row['terrain']}: {arm} only in {', '.join(names)}"
                    for arm, names in row["formations"].items()
                ]
        if len(cells) > 1:
            lines += [*_sources(cells, [row for row in rows if row["hexside"] == hexside]), *barred, ""]
    if answer.numbers["points"]:
        cells = [["points", "", ""]]
        cells += [[one["what"], one["arm"], _points(one["points"])] for one in answer.numbers["points"]]
        lines += [*_sources(cells, answer.numbers["points"]), ""]
        added = "added" if answer.numbers["hexsides_on_roads"] else "not added"
        lines.append(f"hexsides on a road in road march: {added}")
        lines += [f"switch {name}: {_setting(value)}" for name, value in answer.numbers["switches"].items()]
    return lines if lines[-1] else lines[:-1]


def _stacking(answer: Answer) -> list[str]:
    rows = answer.numbers["rows"]
    heads = [name for name in rows[0] if name != "source"]
    names = {"together": "infantry and guns"}
    cells = [[names.get(name, name) for name in heads]] + [[row[name] for name in heads] for row in rows]
    return [
        "",
        *_sources(cells, rows),
        "",
        f"increments of a hex in road march: {answer.numbers['road_march']}",
    ]


def _limber(answer: Answer) -> list[str]:
    rows = answer.numbers["rows"]
    cells = [["battery", "class", "nations", "needs", "chance"]]
    for row in rows:
        needs = f"{row['needs']} or more"
        cells.append(
            [row["battery"], row["class"], ", ".join(row["nations"]), needs, f"{7 - row['needs']}/6"]
        )
    lines = ["", *_sources(cells, rows), ""]
    return lines + [f"  {bonus:+d}  leader {name}" for name, bonus in answer.numbers["leaders"].items()]


_TABLES: dict[str, Callable[[Answer], list[str]]] = {
    "movement": _movement,
    "stacking": _stacking,
    "limber": _limber,
}
"""Charts without dice that are told as tables."""


def _points(points: float | None) -> str:
    """Points in words: halves as fractions, null as a dash."""
    return "–" if points is None else str(Fraction(points))


def _setting(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _sources(cells: Sequence[Sequence[str]], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A table whose rows carry their sources as numbers, and below it what they stand for."""
    numbers: dict[str, int] = {}
    for row in rows:
        numbers.setdefault(row["source"], len(numbers) + 1)
    marked = [[*line, f"[{numbers[row['source']]}]"] for line, row in zip(cells[1:], rows, strict=True)]
    return [*grid([[*cells[0], ""], *marked]), *(f"[{n}] {source}" for source, n in numbers.items())]


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
