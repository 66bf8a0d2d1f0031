"""Text that fits the reader's screen: aligned columns in blocks, long lines broken, lines marked on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap as words

NARROWEST = 80
"""Columns that every table fits, and those of text that goes to a file or another program."""

GAP, WIDE_GAP = 2, 4


@dataclass(frozen=True)
class Page:
    """What text is laid out for.

    Attributes
    ----------
    width
        Columns.
    colour
        Whether lines may be marked with a terminal's codes.
    """

    width: int = NARROWEST
    colour: bool = False

    def strong(self, line: str) -> str:
        """A line to be seen first."""
        return f"\x1b[1m{line}\x1b[0m" if self.colour else line

    def weak(self, line: str) -> str:
        """A line to be seen last."""
        return f"\x1b[2m{line}\x1b[0m" if self.colour else line

    def wrap(self, lines: Sequence[str]) -> list[str]:
        """Lines of prose, each broken where it is too long: at semicolons first, then between words."""
        found: list[str] = []
        for line in lines:
            if len(line) <= self.width:
                found.append(line)
                continue
            held = ""
            for part in _clauses(line):
                if held and len(held) + len(part) > self.width:
                    found += words(held, self.width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
                    held = "  "
                held += part
            found += words(held, self.width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        return found


PLAIN = Page()


def _clauses(line: str) -> list[str]:
    parts = line.split("; ")
    return [f"{part}; " for part in parts[:-1]] + parts[-1:]


def grid(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells in aligned columns: the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(max(map(len, rows)))]
    lines = []
    for row in rows:
        cells = [cell.ljust(widths[0]) if i == 0 else cell.rjust(widths[i]) for i, cell in enumerate(row)]
        lines.append("  ".join(cells).rstrip())
    return lines


@dataclass(frozen=True)
class Block:
    """Columns that belong together.

    Attributes
    ----------
    title
        What they have in common, or "".
    columns
        Each a heading and a cell a row.
    """

    title: str
    columns: tuple[tuple[str, ...], ...]


def blocks(labels: Sequence[str], parts: Sequence[Block], width: int) -> list[list[str]]:
    """A table that may be too wide for the screen, as several under each other, each with its labels.

    Blocks stand side by side as far as there is room; a block too wide for the screen is broken between columns.

    Parameters
    ----------
    labels
        The first column: a heading, and a label a row.
    parts
        The blocks; each column has as many cells as there are labels.

    Returns
    -------
    Tables, each a list of lines: the titles (left out where no block has one), the headings, the rows.
    """
    side = max(map(len, labels))
    tables: list[list[tuple[str, list[tuple[str, ...]]]]] = [[]]
    room = width - side
    for block in parts:
        sizes = [max(map(len, column)) for column in block.columns]
        gap = WIDE_GAP if tables[-1] else GAP
        if tables[-1] and gap + sum(sizes) + GAP * (len(sizes) - 1) > room:
            tables.append([])
            room, gap = width - side, GAP
        tables[-1].append((block.title, []))
        for size, column in zip(sizes, block.columns, strict=True):
            if tables[-1][-1][1] and gap + size > room:
                tables.append([(block.title, [])])
                room, gap = width - side, GAP
            tables[-1][-1][1].append(column)
            room -= gap + size
            gap = GAP
    return [_table(labels, side, one) for one in tables if one]


def _table(labels: Sequence[str], side: int, parts: Sequence[tuple[str, Sequence[tuple[str, ...]]]]) -> list[str]:
    lines = ["", *(label.ljust(side) for label in labels)]
    lines[0] = " " * side
    for number, (title, columns) in enumerate(parts):
        gap = WIDE_GAP if number else GAP
        start = len(lines[1]) + gap
        for column in columns:
            size = max(map(len, column))
            for row, cell in enumerate(column, start=1):
                lines[row] += " " * gap + cell.rjust(size)
            gap = GAP
        lines[0] = lines[0].ljust(start) + title
    lines = [line.rstrip() for line in lines]
    return lines if lines[0] else lines[1:]
