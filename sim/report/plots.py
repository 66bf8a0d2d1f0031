"""Pictures of odds and sweeps, drawn without a display: to be read in grey, and by those who do not see red
and green apart."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BytesIO
from itertools import pairwise
from math import isfinite
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from sim.errors import InputError, printable
from sim.inputs import plain
from sim.report import writing
from sim.report.tables import played_by, reason_lines, written
from sim.studies.measures import SUCCEEDS
from sim.studies.odds import Odds, Row
from sim.studies.outcomes import percent
from sim.studies.precision import half_width
from sim.studies.results import how_found
from sim.studies.sweep import Axis, Sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Scale = tuple[float, float] | None
    """From and to, 0..1; None where it follows the data."""

_TARGET = {
    "target in order": ("#f4ecd8", ""),
    "target in square": ("#dccd9f", "//"),
    "target disordered": ("#b3a26a", ""),
    "target routed": ("#71738a", ".."),
    "target eliminated": ("#404a6b", ""),
    "target surrendered": ("#0b2545", "xx"),
}
_CHARGER = {
    "charger in order": ("#f4ecd8", ""),
    "charger routed": ("#71738a", ".."),
    "charger lost": ("#0b2545", ""),
}
"""Colour and hatch of what became of both: from light to dark, the worse the darker."""

_RESPONSES = {
    "stand": ("#000000", "s", "-"),
    "carre@4": ("#0072b2", "o", "--"),
    "carre@3": ("#56b4e9", "^", "-."),
    "carre@2": ("#d55e00", "D", ":"),
    "carre@1": ("#e69f00", "v", (0, (5, 1, 1, 1, 1, 1))),
    "react": ("#7a4b94", "P", (0, (1, 1))),
}
"""Colour, marker and dashes of each response."""

_LONGEST_LABEL = 32
"""Characters of a label beside an axis."""

_MOST_TEXT = 60
"""Cells of a heat map in a row or column that still have room for their numbers."""


def parse_scale(text: str) -> Scale:
    """The scale of a picture: `data` follows the data, `full` is 0 to 100 %, FROM..TO is given in per cent.

    Raises
    ------
    InputError
        If it is none of these.

    Examples
    --------
    >>> parse_scale("full"), parse_scale("10..40"), parse_scale("data")
    ((0.0, 1.0), (0.1, 0.4), None)
    """
    if text == "data":
        return None
    low, dots, high = ("0", "..", "100") if text == "full" else text.partition("..")
    ends = [plain.number(part.strip()) for part in (low, high)]
    if dots and None not in ends:
        first, last = (float(end) / 100 for end in ends if end is not None)
        if 0 <= first < last <= 1:
            return first, last
    raise InputError(f"--scale must be data, full, or FROM..TO in per cent such as 0..40, got '{text}'")


def prepare(path: str = "") -> None:
    """Load what draws, so that it fails before the work rather than after it; texts are drawn by Matplotlib,
    whatever its settings say.

    Raises
    ------
    InputError
        If the environment asks for a way of drawing that does not exist, or dates the file at `path` by what
        is no date.
    """
    if path.lower().endswith((".svg", ".pdf")):
        _check_date(os.environ.get("SOURCE_DATE_EPOCH"))
    try:
        import matplotlib.figure

        matplotlib.rcParams["text.usetex"] = False
    except ValueError:
        wanted = os.environ.get("MPLBACKEND", "")
        raise InputError(
            f"MPLBACKEND must name a way of drawing that Matplotlib knows, such as agg, got '{wanted}'"
        ) from None


def _check_date(text: str | None) -> None:
    if text:
        try:
            datetime.fromtimestamp(int(text), UTC)
        except (ValueError, OverflowError, OSError):
            raise InputError(
                f"SOURCE_DATE_EPOCH must be a time in seconds since 1970, got {text!r}"
            ) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """A letter that the font lacks is a box in the picture, and no warning on the screen."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="(?s)Glyph .* missing from")
        yield


def plain_text(value: Any) -> str:
    """A user's text as it is: no mathematics between dollar signs, no line ends."""
    return printable(str(value)).replace("$", r"\$")


def _short(value: Any) -> str:
    """The label of a value: of a long text the beginning."""
    text = str(value)
    return plain_text(text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1].rstrip()}…")


def new_figure(width: float, height: float, columns: int = 1, rows: int = 1) -> tuple[Figure, Any]:
    """A figure, in inches, and its axes, row by row."""
    prepare()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False).ravel()


def paths(path: str, charges: int) -> list[str]:
    """The file of each picture: that named for one charge, numbered ones for several.

    >>> paths("odds.png", 1), paths("odds.png", 2)
    (['odds.png'], ['odds-1.png', 'odds-2.png'])
    """
    if charges == 1:
        return [path]
    place = Path(path)
    return [str(place.with_name(f"{place.stem}-{n}{place.suffix}")) for n in range(1, charges + 1)]


def save(figure: Figure, path: str) -> Path:
    """Write a picture; the suffix says the format.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    drawn = BytesIO()
    with _quiet():
        figure.savefig(drawn, format=Path(path).suffix[1:].lower(), dpi=120)
    return writing.write(path, drawn.getvalue(), "picture")


def put_title(figure: Figure, lines: Sequence[str]) -> None:
    """Lines above a figure, broken where they are too long."""
    room = int(figure.get_figwidth() * 11.5)  # characters of a line
    figure.suptitle(
        "\n".join(fill(plain_text(line), room, max_lines=3, placeholder=" …") for line in lines),
        fontsize=10.5,
    )


def _whole(p: float, exact: bool, tenths: bool = False) -> str:
    """A probability in whole per cent, or in tenths; 0 and 100 only where it is certain."""
    text = f"{100 * p:.0f}"
    if tenths and 0.0005 <= p < 0.9995:
        return f"{100 * p:.1f}"
    return text if text not in ("0", "100") or (exact and p in (0, 1)) else "<1" if p < 0.5 else ">99"


def _contrast(axis: Axes, x: float, y: float, text: str, colour: Any, size: float) -> None:
    """A text on a colour, black or white, whichever can be told from it better; on a patch of its own, for
    hatches."""
    from matplotlib.colors import to_rgb

    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    ink = "black" if light > 0.179 else "white"
    axis.text(
        x,
        y,
        text,
        ha="center",
        va="center",
        fontsize=size,
        color=ink,
        bbox={"facecolor": colour, "edgecolor": "none", "pad": 0.8, "alpha": 1.0},
    )


def _without_numbers(title: Sequence[str], lines: Sequence[str]) -> Figure:
    """A picture of what is not possible: why, and no marks."""
    figure, (axis,) = new_figure(9, 2.6)
    axis.set_axis_off()
    axis.text(
        0.5,
        0.5,
        "\n".join(fill(plain_text(line), 90) for line in lines),
        ha="center",
        va="center",
        fontsize=10,
    )
    put_title(figure, title)
    return figure


# -- odds ---------------------------------------------------------------------------------------------


def odds_figure(found: Odds, event: str = SUCCEEDS) -> Figure:
    """An event with its interval, what became of the target, and of the charger, by response."""
    rows = [row for row in found.rows if not row.refused]
    if not rows:
        lines = [f"{row.response}: not possible here, {row.refused}" for row in found.rows]
        return _without_numbers([found.title, found.charge.played_by], lines)
    figure, axes = new_figure(12, 2.3 + 0.55 * len(rows), 3)
    places = list(range(len(rows)))[::-1]
    _bars(axes[0], rows, places, event)
    for axis, parts, title in (
        (axes[1], _TARGET, "the target at the end"),
        (axes[2], _CHARGER, "the charger's worst state"),
    ):
        _stacked(axis, rows, places, parts)
        axis.set_title(title, fontsize=10)
        axis.legend(
            loc="upper center",
            bbox_to_anchor=(0.5, -0.1),
            ncols=3,
            fontsize=8,
            frameon=False,
            handlelength=2.2,
            handleheight=1.3,
        )
    best = [row.response for row in found.ties] if found.has_choice else []
    labels = [f"best: {_label(row)}" if row.response in best else _label(row) for row in rows]
    for axis in axes:
        axis.set_xlim(0, 1.24 if axis is axes[0] else 1)
        axis.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
        axis.set_yticks(places, labels if axis is axes[0] else [""] * len(labels))
        axis.set_ylim(-0.6, len(rows) - 0.4)
        axis.spines[["top", "right"]].set_visible(False)
    for tick, row in zip(axes[0].get_yticklabels(), rows, strict=True):
        tick.set_fontweight("bold" if row.response in best else "normal")
    aim = f"; best for the defender by the aim {found.aim}" if best else ""
    only = f", if the target does {_label(rows[0])}" if len(rows) == 1 else ""
    put_title(
        figure,
        [
            found.title + only,
            f"{found.charge.played_by}; {how_found(found.method, found.runs, found.seed)}{aim}",
        ],
    )
    return figure


def _label(row: Row) -> str:
    return row.response + (f", {row.variant.square}" if row.chosen else "")


def _bars(axis: Axes, rows: Sequence[Row], places: Sequence[int], event: str) -> None:
    p = [float(row.tally.p(event)) for row in rows]
    ends = [row.tally.interval(event) or (one, one) for row, one in zip(rows, p, strict=True)]
    spans = [
        [max(one - low, 0) for one, (low, _) in zip(p, ends, strict=True)],
        [max(high - one, 0) for one, (_, high) in zip(p, ends, strict=True)],
    ]
    axis.barh(
        places,
        p,
        color="#71738a",
        edgecolor="black",
        linewidth=0.6,
        xerr=None if rows[0].tally.exact else spans,
        capsize=4,
    )
    for row, place, one, (_, high) in zip(rows, places, p, ends, strict=True):
        axis.text(max(one, high) + 0.02, place, percent(row.tally, event), va="center", fontsize=9)
    axis.set_title(f"P({event})", fontsize=10)


def _stacked(
    axis: Axes, rows: Sequence[Row], places: Sequence[int], parts: dict[str, tuple[str, str]]
) -> None:
    left = [0.0] * len(rows)
    for event, (colour, hatch) in parts.items():
        values = [float(row.tally.p(event)) for row in rows]
        if not any(values):
            continue
        name = event.partition(" ")[2]
        axis.barh(
            places,
            values,
            left=left,
            color=colour,
            hatch=hatch,
            edgecolor="#555555",
            linewidth=0.6,
            label=name,
        )
        for place, start, value in zip(places, left, values, strict=True):
            if value >= 0.07:
                _contrast(axis, start + value / 2, place, _whole(value, rows[0].tally.exact), colour, 8)
        left = [a + b for a, b in zip(left, values, strict=True)]


# -- sweeps -------------------------------------------------------------------------------------------


def sweep_figure(found: Sweep, event: str = SUCCEEDS, scale: Scale = None) -> Figure:
    """One axis: a mark a response, joined where the values are numbers.

    Two axes: a heat map under the defender's best response.

    Parameters
    ----------
    scale
        From and to, 0..1, the same for pictures that are to be compared; None where it follows the data.
    """
    if all(row.refused for _, cell in found.cells for row in cell.rows):
        return _without_numbers([found.cells[0][1].title, played_by(found)], reason_lines(found))
    if len(found.axes) == 1:
        return _marks(found, event, scale)
    if len(found.axes) == 2:
        return _heat(found, event, scale)
    raise InputError("--plot draws one or two --vary axes; write more with --out")


def _places(axis: Axis) -> tuple[list[float], bool]:
    """Where the values of an axis stand, and whether they are numbers in order: those are joined.

    Rolls stand evenly, as on the ladder.
    """
    values = axis.values
    numbers = all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in values
    ) and list(values) == sorted(set(values))
    if not numbers or axis.field.rpartition(".")[2] == "morale":
        return [float(n) for n in range(len(values))], numbers
    return [float(value) for value in values], True


def _marks(found: Sweep, event: str, scale: Scale) -> Figure:
    figure, (axis,) = new_figure(9, 5)
    (field,) = found.axes
    asked = list(dict.fromkeys(row.response for _, cell in found.cells for row in cell.rows))
    which = (
        f"if the target does {asked[0]}"
        if len(asked) == 1
        else f"by response; best by the aim {found.cells[0][1].aim}"
    )
    places, joined = _places(field)
    responses = list(
        dict.fromkeys(row.response for _, cell in found.cells for row in cell.allowed if not row.refused)
    )
    shown: list[float] = []
    for number, response in enumerate(responses):
        beside = 0.0 if joined else 0.12 * (number - (len(responses) - 1) / 2)
        at, p, ends = [], [], []
        for place, (_, cell) in zip(places, found.cells, strict=True):
            row = next((row for row in cell.allowed if row.response == response and not row.refused), None)
            one = float("nan") if row is None else float(row.tally.p(event))
            at.append(place + beside)
            p.append(one)
            ends.append((row.tally.interval(event) if row else None) or (one, one))
        colour, marker, dashes = _RESPONSES[response]
        spans = [
            [one - low for one, (low, _) in zip(p, ends, strict=True)],
            [high - one for one, (_, high) in zip(p, ends, strict=True)],
        ]
        axis.errorbar(
            at,
            p,
            spans if any(low < high for low, high in ends) else None,
            color=colour,
            marker=marker,
            markersize=5,
            linestyle=dashes if joined else "none",
            linewidth=1.6,
            capsize=3,
            label=response,
        )
        best = [
            (x, y)
            for x, y, (_, cell) in zip(at, p, found.cells, strict=True)
            if len(responses) > 1 and response in [row.response for row in cell.ties]
        ]
        look = {
            "linestyle": "none",
            "marker": "o",
            "markersize": 12,
            "markerfacecolor": "none",
            "markeredgecolor": "black",
        }
        axis.plot([x for x, _ in best], [y for _, y in best], **look)
        shown += [end for pair in ends for end in pair if isfinite(end)]
    if len(responses) > 1:
        axis.plot([], [], label="best for the defender", **look)
        handles, labels = axis.get_legend_handles_labels()
        first, *rest = sorted(
            zip(handles, labels, strict=True), key=lambda pair: pair[1] != "best for the defender"
        )
        where = {
            "fontsize": 9,
            "frameon": False,
            "loc": "upper left",
            "bbox_to_anchor": (1.0, 1.0),
            "handlelength": 4,
        }
        axis.legend(*zip(*rest, first, strict=True), **where)
    few = max(1, -(-len(places) // 18))  # every so many-th value has its label
    axis.set_xticks(places[::few], [_short(written(value)) for value in field.values[::few]])
    if not joined:
        axis.set_xlim(-0.6, len(places) - 0.4)
        axis.tick_params(
            axis="x", labelrotation=20 if max(len(written(value)) for value in field.values) > 12 else 0
        )
    axis.set_xlabel(_short(field.field))
    axis.set_ylabel(f"P({event})")
    low, high = scale or _span(shown)
    axis.set_ylim(low - 0.02 * (high - low), high + 0.02 * (high - low))
    axis.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g} %")
    axis.grid(alpha=0.3)
    axis.spines[["top", "right"]].set_visible(False)
    put_title(
        figure,
        _sweep_title(found, event, which),
    )
    return figure


def _span(values: Sequence[float]) -> tuple[float, float]:
    """From and to of data, 0..1, with a little room, and never so narrow that nothing looks like much."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = max(0.06 * (high - low), (0.05 - (high - low)) / 2)
    return max(0.0, low - room), min(1.0, high + room)


def _heat(found: Sweep, event: str, scale: Scale) -> Figure:
    from matplotlib import colormaps

    across, down = found.axes
    wide = min(0.78, 40 / len(across.values))
    tall = min(0.52, 40 / len(down.values))
    longest = max(len(_short(written(value))) for value in across.values)
    upright = longest > 12  # labels that would run into each other
    figure, (axis,) = new_figure(
        max(2.8 + wide * len(across.values), 6),
        max(2.1 + tall * len(down.values), 3.2) + 0.085 * longest * upright,
    )
    many = len({row.response for _, cell in found.cells for row in cell.rows}) > 1
    grid = [[_under_best(found[x, y], event) for x in across.values] for y in down.values]
    low, high = scale or _span([p for line in grid for p in line if isfinite(p)])
    tenths = _alike(grid) and all(
        cell.method == "exact" or half_width(0.25, cell.runs) <= 0.005 for _, cell in found.cells
    )
    colours = colormaps["cividis"].with_extremes(bad="#ffffff")
    image = axis.imshow(grid, vmin=low, vmax=high, cmap=colours, aspect="auto")
    if len(across.values) <= _MOST_TEXT and len(down.values) <= _MOST_TEXT:
        for row, y in enumerate(down.values):
            for column, x in enumerate(across.values):
                p, best = grid[row][column], found[x, y].best.response.replace("carre", "c")
                text = (
                    _whole(p, found[x, y].method == "exact", tenths) + (f"\n{best}" if many else "")
                    if isfinite(p)
                    else "–"
                )
                _contrast(axis, column, row, text, image.cmap(image.norm(p)) if isfinite(p) else "#ffffff", 7)
    for set_ticks, field in ((axis.set_xticks, across), (axis.set_yticks, down)):
        few = max(1, len(field.values) // 40)
        set_ticks(range(0, len(field.values), few), [_short(written(value)) for value in field.values[::few]])
    axis.set_xlabel(_short(across.field))
    axis.set_ylabel(_short(down.field))
    if upright:
        axis.tick_params(axis="x", labelrotation=90)
    bar = figure.colorbar(image, ax=axis)
    bar.ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g} %")
    codes = (
        "; c@n: carré at n hexes"
        if any(row.response.startswith("carre") for _, cell in found.cells for row in cell.rows)
        else ""
    )
    under = f"under the best response for the defender by the aim {found.cells[0][1].aim}{codes}"
    only = f"if the target does {found.cells[0][1].rows[0].response}"
    put_title(figure, _sweep_title(found, event, under if many else only))
    return figure


def _alike(grid: Sequence[Sequence[float]]) -> bool:
    """Whether neighbouring cells that differ by tenths of a per cent would read the same in whole ones."""
    beside = [
        (a, b) for lines in (grid, list(zip(*grid, strict=True))) for line in lines for a, b in pairwise(line)
    ]
    return any(
        isfinite(a)
        and isfinite(b)
        and f"{100 * a:.0f}" == f"{100 * b:.0f}"
        and f"{100 * a:.1f}" != f"{100 * b:.1f}"
        for a, b in beside
    )


def _under_best(cell: Odds, event: str) -> float:
    best = cell.best
    return float("nan") if best.refused else float(best.tally.p(event))


def _sweep_title(found: Sweep, event: str, which: str) -> list[str]:
    first = found.cells[0][1]
    return [
        f"{first.title}: P({event}) {which}",
        f"{played_by(found)}; {how_found(first.method, first.runs, first.seed)}",
    ]
