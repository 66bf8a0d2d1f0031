"""Square or stand? Exact odds of every charge file beside this script, as a table and a picture.

python3 experiments/square-or-stand/run.py
"""

# ruff: noqa: E402 - the checkout must be made importable, and its environment set up, first

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT))

from sim import bootstrap

if __name__ == "__main__" and bootstrap.needed():
    sys.exit(bootstrap.run([__file__]))

import sim
from sim.report import plots, writing
from sim.studies.decimals import chance
from sim.studies.measures import EVENTS, SUCCEEDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sim.studies.odds import Odds

NAME = HERE.name
FIELDS = ("file", "ruleset", "digest", "edition", "response", "event", "p", "fraction")
PLACES = {"carre@4": 0.0, "carre@3": 1.0, "carre@2": 2.0, "carre@1": 3.0, "stand": 4.25}
HEADS = {"carre@4": "4 hexes", "carre@3": "3", "carre@2": "2", "carre@1": "1 hex", "stand": "stand"}
SQUARE, STAND, BEST = (
    ("#7fb6d6", "▼ blue: trying a square is better than standing"),
    ("#f2a27e", "▲ red: standing is better"),
    ("none", "framed: the infantry's best answer"),
)
LEFT, RIGHT = -3.7, 4.8


def main(results: Path = ROOT / "results") -> tuple[Path, Path]:
    """Compute everything and write it; returns the table and the picture."""
    found = {path.name: sim.odds(path, "all", method="exact") for path in sorted(HERE.glob("*.yaml"))}
    return table(found, results / f"{NAME}.csv"), plots.save(
        picture(list(found.values())), str(results / f"{NAME}.png")
    )


def table(found: dict[str, Odds], path: Path) -> Path:
    """One line a charge, response and event; responses that the rules forbid are left out."""
    lines: list[tuple[Any, ...]] = [FIELDS]
    for name, one in found.items():
        rules = one.charge.ruleset
        for row in one.allowed:
            for event in EVENTS:
                p = row[event]
                lines.append(
                    (name, rules.name, rules.digest, one.charge.edition, row.response, event, float(p), p)
                )
    return writing.write(path, writing.csv(lines), "table")


def picture(found: list[Odds]) -> Figure:
    """A row a charge, a cell a response: the chance of success, coloured by what it gains or costs against
    standing."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.2, 8.2), layout="constrained")
    axis = figure.subplots()
    _heading(axis)
    y, before = 0.0, ""
    for one in found:
        target, _, charger = one.charge.title.partition(": ")
        if target != before:
            y += 0.85
            axis.text(LEFT, y - 0.78, target, fontsize=10.5, fontweight="bold", va="center")
        axis.text(LEFT + 0.15, y, f"charged by {charger}", fontsize=10, va="center")
        _cells(axis, one, y)
        y, before = y + 1, target
    axis.set_xlim(LEFT - 0.05, RIGHT)
    axis.set_ylim(y - 0.3, -2.7)
    axis.axis("off")
    return figure


def _heading(axis: Axes) -> None:
    from matplotlib.patches import Rectangle

    axis.text(
        LEFT,
        -2.35,
        "Square or stand? How often the charge succeeds",
        fontsize=13,
        fontweight="bold",
        va="center",
    )
    axis.text(
        RIGHT - 0.05,
        -2.35,
        "exact odds, synthetic counters",
        fontsize=9,
        va="center",
        ha="right",
        color="#555555",
    )
    for x, (colour, text) in zip((LEFT, LEFT + 3.75, LEFT + 5.85), (SQUARE, STAND, BEST), strict=True):
        edge = {"edgecolor": "black", "linewidth": 2.2} if colour == "none" else {}
        axis.add_patch(Rectangle((x, -1.85), 0.28, 0.4, facecolor=colour, **edge))
        axis.text(x + 0.4, -1.65, text, fontsize=9.5, va="center")
    axis.text(1.5, -0.72, "try carré, the charge being at", ha="center", va="center", fontsize=10.5)
    for response, x in PLACES.items():
        axis.text(x, -0.2, HEADS[response], ha="center", va="center", fontsize=10.5)


def _cells(axis: Axes, one: Odds, y: float) -> None:
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    stand, best = one["stand"][SUCCEEDS], one.best[SUCCEEDS]
    for row in one.allowed:
        p, x = row[SUCCEEDS], PLACES[row.response]
        gain = float(stand - p)
        face = "#dddddd" if row.response == "stand" else colormaps["RdBu"](0.5 + gain / 1.6)
        edge, width, weight = ("black", 2.2, "bold") if p == best else ("white", 2.0, "normal")
        axis.add_patch(
            Rectangle(
                (x - 0.5, y - 0.45),
                1,
                0.9,
                facecolor=face,
                edgecolor=edge,
                linewidth=width,
                zorder=3 if p == best else 2,
            )
        )
        mark = (
            "" if row.response == "stand" or not gain else "▼ " if gain > 0 else "▲ "
        )  # in grey, both colours are alike
        ink = "white" if abs(gain) > 0.47 else "black"
        axis.text(
            x,
            y,
            f"{mark}{chance(p, 0)}",
            ha="center",
            va="center",
            color=ink,
            fontsize=10,
            fontweight=weight,
            zorder=4,
        )


if __name__ == "__main__":
    for written in main():
        print(f"wrote {written.relative_to(ROOT)}")  # noqa: T201
