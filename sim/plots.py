"""Pictures of odds and sweeps, drawn without a display."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from sim import writing
from sim.errors import InputError
from sim.outcomes import percent
from sim.studies.odds import Odds
from sim.studies.sweep import Sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUCCESS = "charge succeeds"
_TARGET = ("target in order", "target in square", "target disordered", "target routed", "target eliminated", "target surrendered")
_TARGET_COLOURS = ("#4c78a8", "#72b7b2", "#eeca3b", "#f58518", "#b0413e", "#6b2737")
_CHARGER = ("charger in order", "charger routed", "charger lost")
_CHARGER_COLOURS = ("#54a24b", "#e0a458", "#9d2a2a")


def _figure(width: float, height: float, columns: int = 1) -> tuple[Figure, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(1, columns, squeeze=False)[0]


def save(figure: Figure, path: str) -> Path:
    """Write a picture; the suffix says the format.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    drawn = BytesIO()
    figure.savefig(drawn, format=Path(path).suffix[1:].lower(), dpi=120)
    return writing.write(path, drawn.getvalue(), "picture")


def odds_figure(found: Odds) -> Figure:
    """Success with its interval, what became of the target, and of the charger, by response."""
    rows = found.allowed
    labels = [row.response for row in rows]
    figure, axes = _figure(11.5, 1.6 + 0.55 * len(rows), 3)
    places = list(range(len(rows)))[::-1]
    success = [float(row.tally.p(SUCCESS)) for row in rows]
    errors = [row.tally.interval(SUCCESS) or (p, p) for row, p in zip(rows, success, strict=True)]
    spans = [
        [max(p - low, 0) for p, (low, _) in zip(success, errors, strict=True)],
        [max(high - p, 0) for p, (_, high) in zip(success, errors, strict=True)],
    ]
    texts = {place: percent(row.tally, SUCCESS) for place, row in zip(places, rows, strict=True)}
    best = [row.response for row in found.ties]
    colours = ["#b0413e" if label in best else "#8a8a8a" for label in labels]
    axes[0].barh(places, success, color=colours, xerr=None if found.method == "exact" else spans, capsize=4)
    for place, p, (_, high) in zip(places, success, errors, strict=True):
        axes[0].text(max(p, high) + 0.02, place, texts[place], va="center", fontsize=9)
    axes[0].set_title("the charge succeeds (red: best response)", fontsize=10)
    for axis, names, palette, title in (
        (axes[1], _TARGET, _TARGET_COLOURS, "the target at the end"),
        (axes[2], _CHARGER, _CHARGER_COLOURS, "the charger's worst state"),
    ):
        left = [0.0] * len(rows)
        for name, colour in zip(names, palette, strict=True):
            values = [float(row.tally.p(name)) for row in rows]
            if any(values):
                axis.barh(places, values, left=left, color=colour, label=name.partition(" ")[2])
            left = [a + b for a, b in zip(left, values, strict=True)]
        axis.set_title(title, fontsize=10)
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3, fontsize=8, frameon=False)
    for axis in axes:
        axis.set_xlim(0, 1.18 if axis is axes[0] else 1)
        axis.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
        axis.set_yticks(places, labels if axis is axes[0] else [""] * len(labels))
        axis.spines[["top", "right"]].set_visible(False)
    how = "exact" if found.method == "exact" else f"{found.runs:,} runs, 95 % intervals"
    figure.suptitle(f"{found.charge.title} — {found.charge.ruleset.name}, {how}", fontsize=11)
    return figure


def sweep_figure(found: Sweep, event: str = SUCCESS) -> Figure:
    """One axis: a line a response. Two axes: a heat map of the event under the defender's best response."""
    if len(found.axes) == 1:
        return _lines(found, event)
    if len(found.axes) == 2:
        return _heat(found, event)
    raise InputError("--plot draws one or two --vary axes; write more with --out")


def _lines(found: Sweep, event: str) -> Figure:
    figure, (axis,) = _figure(8, 4.8)
    data = found.to_frame()
    data = data[data["event"] == event]
    field = found.axes[0].field
    names = [str(value) for value in found.axes[0].values]
    for response, group in data.groupby("response", sort=False):
        places = [names.index(str(value)) for value in group[field]]
        line = axis.plot(places, group["p"], marker="o", markersize=4, label=response)[0]
        axis.fill_between(places, group["low"], group["high"], color=line.get_color(), alpha=0.2, linewidth=0)
    if data["response"].nunique() > 1:
        best = data[data["best"]]
        places = [names.index(str(value)) for value in best[field]]
        look = {"linestyle": "none", "marker": "o", "markersize": 10, "markerfacecolor": "none", "markeredgecolor": "black"}
        axis.plot(places, best["p"], label="best for the defender", **look)
    axis.set_xticks(range(len(names)), names)
    axis.set_xlabel(field)
    axis.set_ylabel(f"P({event})")
    axis.set_ylim(-0.02, 1.02)
    axis.grid(alpha=0.3)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(fontsize=8, frameon=False)
    axis.set_title(f"{event}, {_identity(found)}", fontsize=10)
    return figure


def _heat(found: Sweep, event: str) -> Figure:
    across, down = found.axes[0], found.axes[1]
    width = max(2.4 + 0.62 * len(across.values), 4.4)
    room = int(width * 14)  # characters of a title's line
    figure, (axis,) = _figure(width, 1.9 + 0.5 * len(down.values))
    grid = [[0.0] * len(across.values) for _ in down.values]
    named = [[""] * len(across.values) for _ in down.values]
    for (x, y), cell in found.cells:
        row, column = down.values.index(y), across.values.index(x)
        grid[row][column] = float(cell.best.tally.p(event))
        named[row][column] = cell.best.response.replace("carre", "c")
    image = axis.imshow(grid, vmin=0, vmax=1, cmap="RdYlGn_r", aspect="auto")
    for row, values in enumerate(grid):
        for column, value in enumerate(values):
            axis.text(column, row, f"{100 * value:.0f}\n{named[row][column]}", ha="center", va="center", fontsize=7)
    axis.set_xticks(range(len(across.values)), [str(value) for value in across.values])
    axis.set_yticks(range(len(down.values)), [str(value) for value in down.values])
    axis.set_xlabel(across.field)
    axis.set_ylabel(down.field)
    bar = figure.colorbar(image, ax=axis, ticks=[0, 0.25, 0.5, 0.75, 1])
    bar.ax.set_yticklabels(["0", "25", "50", "75", "100 %"])
    figure.suptitle(
        fill(f"{event} (%), under the defender's best response (c@n: carré at n)", room) + f"\n{fill(_identity(found), room)}", fontsize=9
    )
    return figure


def _identity(found: Sweep) -> str:
    first = found.cells[0][1]
    how = "exact" if first.method == "exact" else f"{first.runs:,} runs"
    return f"{first.charge.title}, {first.charge.ruleset.name}, {how}"
