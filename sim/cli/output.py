"""What the commands put out: answers, tables as files, progress.

Here and in `main`, and nowhere else, Carré prints.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.errors import printable
from sim.report import parquet, writing
from sim.report.layout import NARROWEST, Page

if TYPE_CHECKING:
    import pandas as pd


def show(options: argparse.Namespace, lines: Sequence[str], answer: dict[str, Any]) -> None:
    """Answer a command, as text or as JSON."""
    if options.json:
        show_json(answer)
    else:
        show_lines(lines)


def show_lines(lines: Sequence[str]) -> None:
    """Lines of text."""
    print("\n".join(lines))


def show_json(answer: dict[str, Any]) -> None:
    """An object as JSON."""
    text = json.dumps(answer, indent=2, ensure_ascii=False)
    if not text.replace("\n", "").isprintable():
        text = "".join(one if one == "\n" or one.isprintable() else json.dumps(one)[1:-1] for one in text)
    print(text)


def say(text: str) -> None:
    """A line on standard error; where it cannot be written, nothing more is said there, and what was done
    stays done."""
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - keeps the interpreter from failing at exit


def warn(text: str) -> None:
    """A warning, on standard error."""
    say(f"carre: warning: {printable(text)}")


def note(text: str) -> None:
    """A hint, on standard error."""
    say(f"carre: note: {printable(text)}")


def page(options: argparse.Namespace) -> Page:
    """What the answer is laid out for: the terminal it goes to, or a fixed width."""
    watched = sys.stdout.isatty()
    width = max(NARROWEST, shutil.get_terminal_size().columns) if watched else NARROWEST
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    asked = getattr(options, "color", "never")
    colour = asked == "always" or (asked == "auto" and watched and not plain)
    return Page(width, colour)


def progress(label: str, whole: bool = False) -> Callable[[int, int], None]:
    """A bar with rate and time left on standard error, only where somebody watches and only if it takes a
    while; `whole` numbers stay unscaled."""
    bars: list[Any] = []

    def show(done: int, total: int) -> None:
        if not sys.stderr.isatty():
            return
        if bars and bars[0].total != total:  # another count has begun
            bars.pop().close()
        if not bars:
            from tqdm import tqdm

            bars.append(
                tqdm(
                    total=total,
                    desc=label,
                    unit=f" {label}",
                    unit_scale=not whole,
                    delay=0.5,
                    leave=False,
                    file=sys.stderr,
                )
            )
        bars[0].update(done - bars[0].n)
        if done >= total:
            bars[0].close()

    return show


def write_csv(frame: pd.DataFrame, path: str) -> None:
    """Write a table and say so."""
    rows = frame.astype(object).where(frame.notna(), "").itertuples(index=False, name=None)
    wrote(writing.write(path, writing.csv([frame.columns, *rows]), "table"))


def write_ends(
    options: argparse.Namespace, frames: Iterable[pd.DataFrame], answer: Mapping[str, Any]
) -> None:
    """Write runs or ends as Parquet, and say so; what the answer, a JSON object, says of itself goes with
    them, and the command."""
    about = _about(answer)
    if "charges" in about:
        about["charges"] = [_about(one) for one in answer["charges"]]
    wrote(parquet.write(options.out, _watched(frames, answer), about | {"command": options.line}))


def _about(answer: Mapping[str, Any]) -> dict[str, Any]:
    """What an answer says of itself, without its numbers."""
    return {name: value for name, value in answer.items() if name not in ("outcomes", "responses", "cells")}


def _watched(frames: Iterable[pd.DataFrame], answer: Mapping[str, Any]) -> Iterator[pd.DataFrame]:
    """Frames, with a bar where they are runs."""
    bar = progress("runs written")
    for frame in frames:
        yield frame
        if "run" in frame:
            bar(int(frame["run"].iloc[-1]) + 1, answer["runs"])


def is_table(options: argparse.Namespace) -> bool:
    """Whether `--out` asks for the table, not for runs or ends."""
    return Path(options.out).suffix.lower() == ".csv"


def wrote(path: object) -> None:
    """Say on standard error what was written."""
    say(f"wrote {printable(str(path))}")
