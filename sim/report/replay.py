"""A battle as pictures, one a half: for a GIF that runs, or a folder of frames.

The ground is drawn once; a frame is that picture with counters and words laid over it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sim.errors import printable
from sim.report import writing
from sim.report.mapplot import INKS, Plate
from sim.report.moments import Moment, News, Replay
from sim.report.plots import plain_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Image = NDArray[np.uint8]
"""Rows of pixels: shape (height, width, 3)."""

_BESIDE = 4.2
"""Inches of the words beside the map."""
_LINE, _SMALL = 0.25, 0.2
"""Inches from line to line."""
_LETTERS = 48
"""Of a small line."""
_DPI = 80
_SHOWN, _LAST = 900, 4_000
"""Milliseconds that a frame is shown, and the last."""


def frames(found: Replay) -> Iterator[Image]:
    """A picture a moment, all of one size and with the same legend."""
    scenario = found.scenario
    sides = [side.name for side in scenario.sides]
    seen = [counter for moment in found.moments for counter in moment.counters]
    which = f"run {found.run} of seed {found.seed}; {scenario.played_by}"
    plate = Plate(scenario.sheet, seen, sides, (scenario.title, which), _BESIDE)
    plate.drawing.places(plate.axis, ())
    plate.figure.set_dpi(_DPI)
    plate.canvas.draw()
    ground = plate.canvas.copy_from_bbox(plate.figure.bbox)
    for moment in found.moments:
        plate.canvas.restore_region(ground)
        over, beside = plate.over(), plate.beside()
        plate.drawing.counters(over, moment.counters)
        _words(beside, found, moment)
        for axis in (over, beside):
            axis.draw(plate.canvas.get_renderer())
            axis.remove()
        yield np.array(plate.canvas.buffer_rgba())[..., :3]


def save_gif(found: Replay, path: str | Path) -> Path:
    """Write all frames as one picture that runs, over and over.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    from PIL import Image as pictures

    made = [pictures.fromarray(frame) for frame in frames(found)]
    colours = made[-1].quantize(256)  # of one palette, so that what stands still does not flicker
    reduced = [one.quantize(palette=colours, dither=pictures.Dither.NONE) for one in made]
    file = BytesIO()
    shown = [_SHOWN] * (len(made) - 1) + [_LAST]
    reduced[0].save(file, "GIF", save_all=True, append_images=reduced[1:], duration=shown, loop=0)
    return writing.write(path, file.getvalue(), "picture")


def save_frames(found: Replay, folder: str | Path) -> int:
    """Write each frame into a folder, as PNG, with number, turn and half in its name; how many they are.

    Raises
    ------
    InputError
        If a file cannot be written.
    """
    from PIL import Image as pictures

    place = writing.folder(folder)
    for n, (frame, moment) in enumerate(zip(frames(found), found.moments, strict=True)):
        file = BytesIO()
        pictures.fromarray(frame).save(file, "PNG")
        name = f"{n:03}-turn-{moment.turn:02}-half-{moment.half}.png"
        writing.write(place / name, file.getvalue(), "picture")
    return len(found.moments)


def _words(axis: Axes, found: Replay, moment: Moment) -> None:
    """Time, losses and levels of both sides, and the news, from the top down as far as there is room."""
    room = float(axis.get_ylim()[0]) - 0.25
    y = 0.35
    for text, colour, bold in _lines(found, moment):
        y += _LINE if bold else _SMALL
        if y > room:
            axis.text(0.1, y, "…", fontsize=10.5)
            return
        axis.text(
            0.1,
            y,
            plain_text(text),
            fontsize=13 if bold else 10.5,
            fontweight="bold" if bold else "normal",
            color=colour,
            va="center",
        )


def _lines(found: Replay, moment: Moment) -> Iterator[tuple[str, str, bool]]:
    """Text, colour, and whether it is bold."""
    scenario = found.scenario
    yield f"{moment.clock}   turn {moment.turn} of {scenario.calendar.turns}", "black", True
    moved = "at the start" if moment.side is None else f"after the {scenario.sides[moment.side].name} half"
    yield moved, "black" if moment.side is None else INKS[moment.side], True
    yield "", "black", False
    for number, side in enumerate(scenario.sides):
        yield f"{side.name}: {moment.lost[number]} increments lost", INKS[number], True
        for one, level in zip(scenario.organisations, moment.levels, strict=True):
            if one.side == number:
                yield f"{one.name}: morale level {level}", INKS[number] if level else "#666666", False
    if moment.stands:
        yield "", "black", False
        last = moment.turn == scenario.calendar.turns
        yield "result:" if last else "as it stands:", "black", True
        yield from ((line, "black", False) for line in wrap(moment.stands, _LETTERS))
    yield "", "black", False
    for news in moment.news:
        for n, line in enumerate(wrap(str(news), _LETTERS)):
            yield ("   " * (n > 0)) + line, INKS[news.side], False


# -- text -----------------------------------------------------------------------------------------


def replay_lines(found: Replay) -> list[str]:
    """The moments as text, for who has no picture before him."""
    scenario = found.scenario
    told = found.heading()
    for moment in found.moments[1:]:
        told += ["", found.when(moment)]
        told += [f"  {scenario.sides[one.side].name}: {one}" for one in moment.news]
        if moment.stands:
            lost = ", ".join(f"{side.name} {n}" for side, n in zip(scenario.sides, moment.lost, strict=True))
            told.append(f"  increments lost: {lost}; as it stands: {moment.stands}")
    return [printable(line) for line in told]


def replay_json(found: Replay) -> dict[str, Any]:
    """The moments as an object, without where each unit stands."""
    scenario = found.scenario
    return {
        "title": scenario.title,
        **scenario.identity(),
        "run": found.run,
        "seed": found.seed,
        "moments": [_moment(found, one) for one in found.moments],
        "outcomes": [],
    }


def _moment(found: Replay, moment: Moment) -> dict[str, Any]:
    sides = [side.name for side in found.scenario.sides]
    named = [one.name for one in found.scenario.organisations]
    return {
        "turn": moment.turn,
        "half": moment.half,
        "clock": moment.clock,
        "side": None if moment.side is None else sides[moment.side],
        "lost": dict(zip(sides, moment.lost, strict=True)),
        "levels": dict(zip(named, moment.levels, strict=True)),
        "stands": moment.stands or None,
        "news": _news(moment.news, sides),
    }


def _news(news: Sequence[News], sides: Sequence[str]) -> list[dict[str, Any]]:
    return [{"side": sides[one.side], "what": one.what, "whom": list(one.whom)} for one in news]
