"""What the commands put out: answers, tables as files, progress. Here and in `main`, and nowhere else, Carré prints."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sim import writing
from sim.errors import printable

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


def warn(text: str) -> None:
    """A warning, on standard error."""
    print(f"carre: warning: {printable(text)}", file=sys.stderr)


def progress(label: str) -> Callable[[int, int], None]:
    """Progress on standard error, only where somebody watches."""

    def show(done: int, total: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if done >= total else ""
            print(f"\r{label}: {done:,} of {total:,} ({100 * done // total} %)", end=end, file=sys.stderr, flush=True)

    return show


def write_csv(frame: pd.DataFrame, path: str) -> None:
    """Write a table and say so."""
    rows = frame.astype(object).where(frame.notna(), "").itertuples(index=False, name=None)
    wrote(writing.write(path, writing.csv([frame.columns, *rows]), "table"))


def wrote(path: object) -> None:
    """Say on standard error what was written."""
    print(f"wrote {printable(str(path))}", file=sys.stderr)
