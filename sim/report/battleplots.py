"""Pictures of many battles: to be read in grey too, sides told apart by dashes and hatches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.report.battletables import MOST_UNITS
from sim.report.mapplot import draw as draw_map
from sim.report.plots import new_figure, plain_text, put_title
from sim.studies.counts import ALL_ARMS, spread
from sim.studies.intervals import wilson
from sim.studies.matters import level_shares, matters
from sim.studies.record import EXITED, IN_DISORDER
from sim.studies.run import Battles
from sim.units.battles import Calendar

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0b5394", "#b45f06")
"""Of the two sides: dark blue, and brown."""
HATCHES = ("", "///")
DASHES = ("-", "--")
_NEITHER = "#999999"
_LEVEL_WIDTHS = (1.0, 1.9, 2.8)
_MOST_UNITS = 120
"""Rows of the picture of units; of more, the first."""


def figures(found: Battles) -> Iterator[tuple[str, Figure]]:
    """Every picture of battles, with its name."""
    for name, panel in PANELS.items():
        figure, (axis,) = new_figure(8.5, 4.6)
        panel(axis, found)
        put_title(figure, found.heading())
        yield name, figure
    yield "survival", survival_figure(found)
    yield "routs", rout_figure(found)


def overview(found: Battles) -> Figure:
    """The pictures in one, but for the map and the single units."""
    figure, axes = new_figure(15, 8.5, 3, 2)
    for axis, panel in zip(axes, PANELS.values(), strict=True):
        panel(axis, found)
    put_title(figure, found.heading())
    return figure


# -- panels ---------------------------------------------------------------------------------------


def _victory(axis: Axes, found: Battles) -> None:
    """How often each result came about, with its 95 % interval."""
    ladder, runs = found.scenario.ladder, found.runs
    for row, (rung, hits) in enumerate(zip(ladder, found.counts.results.tolist(), strict=True)):
        low, high = wilson(hits, runs)
        p = hits / runs
        colour, hatch = (_NEITHER, "") if rung.side is None else (COLOURS[rung.side], HATCHES[rung.side])
        axis.barh(row, 100 * p, color=colour, hatch=hatch, edgecolor="white", height=0.7)
        axis.errorbar(
            100 * p, row, xerr=[[100 * (p - low)], [100 * (high - p)]], color="black", capsize=3, lw=1
        )
        axis.text(100 * high, row, f"  {100 * p:.1f} %", va="center", fontsize=8)
    axis.set_yticks(range(len(ladder)), [plain_text(rung.result) for rung in ladder])
    axis.invert_yaxis()
    axis.set_xlim(0, 1.15 * max(100 * wilson(int(hits), runs)[1] for hits in found.counts.results))
    axis.set_xlabel("% of the battles, 95 % intervals")
    axis.set_title("Results", fontsize=10)


def _losses(axis: Axes, found: Battles) -> None:
    """How many increments each side loses."""
    most = 1
    for number, side in enumerate(found.scenario.sides):
        counted = found.counts.lost[number, ALL_ARMS]
        last = int(np.flatnonzero(counted)[-1])
        most, wide = max(most, last), _bin(last)
        binned = np.add.reduceat(counted, range(0, len(counted), wide))[: last // wide + 1]
        edges = np.arange(len(binned) + 1) * wide - 0.5
        axis.stairs(
            100 * binned / found.runs / wide,
            edges,
            color=COLOURS[number],
            lw=1.8,
            ls=DASHES[number],
            label=plain_text(f"{side.name}: median {spread(counted)[0]}"),
        )
        axis.axvline(spread(counted)[0], color=COLOURS[number], lw=0.8, ls=DASHES[number])
    axis.set_xlim(0, most + 1)
    axis.set_ylim(0)
    axis.set_xlabel("increments lost by the side")
    axis.set_ylabel("% of the battles, an increment")
    axis.legend(fontsize=8)
    axis.set_title("Losses", fontsize=10)


def _bin(last: int) -> int:
    """Increments that a step of the picture of losses stands for."""
    return max(1, ceil(last / 60))


def _levels(axis: Axes, found: Battles) -> None:
    """How often each organisation was at a morale level or a worse one, turn by turn."""
    shares = level_shares(found.counts)
    sides = [one.side for one in found.scenario.organisations]
    marks = ("o", "s", "^", "D", "v", "P", "X")
    for number, one in enumerate(found.scenario.organisations):
        nth = sides[:number].count(one.side)
        for level in range(3):
            values = shares[:, number, level]
            if not values.any():
                continue
            axis.plot(
                range(1, len(values) + 2),
                100 * np.append(values, values[-1]),
                drawstyle="steps-post",
                color=COLOURS[one.side],
                ls=DASHES[one.side],
                lw=_LEVEL_WIDTHS[level],
                marker=marks[nth % len(marks)],
                markevery=3,
                ms=4,
                label=plain_text(f"{one.name}: {level + 1}{' or worse' if level < 2 else ''}"),
            )
    _clock(axis, found.scenario.calendar, steps=True)
    _share_of_battles(axis)
    if axis.lines:
        axis.legend(fontsize=7, loc="upper left")
    axis.set_title("Morale levels", fontsize=10)


def _decision(axis: Axes, found: Battles) -> None:
    """By when the winner was ahead to stay: what is decided by a turn, of all battles."""
    below = np.zeros(found.counts.decided.shape[1])
    for number, side in enumerate(found.scenario.sides):
        above = below + 100 * np.cumsum(found.counts.decided[number]) / found.runs
        axis.fill_between(
            range(1, len(above) + 2),
            np.append(below, below[-1]),
            np.append(above, above[-1]),
            step="post",
            facecolor=COLOURS[number],
            alpha=0.75,
            edgecolor="white",
            hatch=HATCHES[number],
            label=plain_text(f"{side.name} ahead to stay"),
        )
        below = above
    _clock(axis, found.scenario.calendar, steps=True)
    _share_of_battles(axis)
    axis.legend(fontsize=8, loc="upper left")
    axis.set_title("Decided: the final winner is ahead to stay", fontsize=10)


def _fighting(axis: Axes, found: Battles) -> None:
    """Units of each side that are on the map, in order or disordered, turn by turn."""
    fates, sides = found.counts.fates, np.array(found.scenario.side_of)
    for number, side in enumerate(found.scenario.sides):
        mine = fates[:, sides == number].sum(axis=1) / found.runs
        turns = range(1, len(mine) + 1)
        style: dict[str, Any] = {"color": COLOURS[number], "ls": DASHES[number]}
        fighting = mine[:, : IN_DISORDER + 1].sum(axis=1)
        axis.plot(turns, fighting, lw=2.2, label=plain_text(f"{side.name}: in order or disordered"), **style)
        axis.plot(turns, mine[:, 0], lw=0.9, label=plain_text(f"{side.name}: in order"), **style)
        if mine[:, EXITED].any():
            out = fighting + mine[:, EXITED]
            axis.plot(
                turns,
                out,
                lw=1.3,
                marker=".",
                label=plain_text(f"{side.name}: with those that left"),
                **style,
            )
    _clock(axis, found.scenario.calendar)
    axis.set_ylim(0)
    axis.set_ylabel("units, mean of all battles")
    axis.legend(fontsize=7)
    axis.set_title("Units on the map", fontsize=10)


def _mattering(axis: Axes, found: Battles) -> None:
    """The units whose breaking goes with defeat the most."""
    told = matters(found.counts, MOST_UNITS)
    for row, one in enumerate(told):
        side = found.scenario.side_of[one.unit]
        axis.barh(
            row,
            -100 * one.difference,
            xerr=100 * one.half,
            color=COLOURS[side],
            hatch=HATCHES[side],
            edgecolor="white",
            ecolor="black",
            capsize=3,
            height=0.7,
        )
    axis.set_yticks(
        range(len(told)), [plain_text(found.scenario.units[one.unit].name) for one in told], fontsize=8
    )
    axis.invert_yaxis()
    axis.axvline(0, color="black", lw=0.8)
    axis.set_xlabel("points: victories if it is broken, less those if it is not")
    axis.set_title("Units that mattered most" if told else "No unit is seen to matter", fontsize=10)


def _clock(axis: Axes, calendar: Calendar, steps: bool = False) -> None:
    """Turns as an axis, named by the clock; of steps the last turn has its width."""
    every = max(1, ceil(calendar.turns / 8))
    turns = [turn for turn in range(1, calendar.turns + 1) if calendar.hourly(turn)][:: ceil(every / 3)]
    axis.set_xticks(turns, [calendar.clock(turn) for turn in turns])
    axis.set_xlim(1, calendar.turns + steps)
    axis.set_xlabel("at the end of the turn that begins at")
    axis.grid(alpha=0.3)


def _share_of_battles(axis: Axes) -> None:
    axis.set_ylim(0, 100)
    axis.set_ylabel("% of the battles")


PANELS: dict[str, Callable[[Axes, Battles], None]] = {
    "victory": _victory,
    "losses": _losses,
    "levels": _levels,
    "decision": _decision,
    "units": _fighting,
    "matters": _mattering,
}
"""Pictures of one panel, by name."""


# -- pictures of their own ------------------------------------------------------------------------


def survival_figure(found: Battles) -> Figure:
    """Every unit, turn by turn: how often it is on the map, in order or disordered."""
    scenario = found.scenario
    units = scenario.units[:_MOST_UNITS]
    figure, (axis,) = new_figure(10, 1.9 + 0.19 * len(units))
    shares = found.counts.fates[:, : len(units), : IN_DISORDER + 1].sum(axis=2).T / found.runs
    image = axis.imshow(100 * shares, vmin=0, vmax=100, cmap="cividis", aspect="auto", interpolation="none")
    axis.set_yticks(range(len(units)), [plain_text(unit.name) for unit in units], fontsize=7)
    calendar = scenario.calendar
    hours = [turn for turn in range(1, calendar.turns + 1) if calendar.hourly(turn)]
    axis.set_xticks([turn - 1 for turn in hours], [calendar.clock(turn) for turn in hours])
    axis.set_xlabel("at the end of the turn that begins at")
    for row in np.flatnonzero(np.diff(scenario.side_of[: len(units)])):
        axis.axhline(row + 0.5, color="white", lw=2)
    for number, side in enumerate(scenario.sides):
        rows = [row for row, whose in enumerate(scenario.side_of[: len(units)]) if whose == number]
        if rows:
            y = 1 - (sum(rows) / len(rows) + 0.5) / len(units)
            axis.text(1.01, y, plain_text(side.name), transform=axis.transAxes, rotation=90, va="center")
    figure.colorbar(image, ax=axis, pad=0.05).set_label(
        "% of the battles: on the map, in order or disordered"
    )
    put_title(figure, found.heading())
    return figure


def rout_figure(found: Battles) -> Figure:
    """Where units stood when they routed the last time, on the map."""
    scenario = found.scenario
    map_ = scenario.sheet.map
    each = found.counts.routed_at.sum(axis=0) / found.runs
    hexes = {map_.hex(int(number)): float(each[number]) for number in np.flatnonzero(each)}
    return draw_map(
        scenario.sheet,
        subtitle=found.heading()[1],
        heat={hex_: value for hex_, value in hexes.items() if hex_ is not None},
        heat_label="units that routed here (the last time), a battle",
    )
