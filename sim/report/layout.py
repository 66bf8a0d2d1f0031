"""Text that fits the reader's screen: aligned columns in blocks, long lines broken, lines marked on a
terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap as words

NARROWEST = 80
"""Columns that every table fits, and those of text that goes to a file or another program."""

GAP, WIDE_GAP = 2, 4

_TITLE = 24
"""Columns that a block's title may ask for; a longer one is broken, unless the block is wider."""


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
        """Lines of prose, each broken where it is too long, at semicolons first, then between words; further
        in than it begins."""
        found: list[str] = []
        for line in lines:
            if len(line) <= self.width:
                found.append(line)
                continue
            start = " " * (len(line) - len(line.lstrip()))
            held = ""
            for part in _clauses(line):
                if held and len(held) + len(part) > self.width:
                    found += words(
                        held,
                        self.width,
                        subsequent_indent=f"{start}  ",
                        break_long_words=False,
                        break_on_hyphens=False,
                    )
                    held = f"{start}  "
                held += part
            found += words(
                held,
                self.width,
                subsequent_indent=f"{start}    ",
                break_long_words=False,
                break_on_hyphens=False,
            )
        return found


PLAIN = Page()


def _clauses(line: str) -> list[str]:
    parts = line.split("; ")
    return [f"{part}; " for part in parts[:-1]] + parts[-1:]


def grid(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Rows of cells in aligned columns: the first, or so many, to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(max(map(len, rows)))]
    lines = []
    for row in rows:
        cells = [cell.ljust(widths[i]) if i < left else cell.rjust(widths[i]) for i, cell in enumerate(row)]
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

    Blocks stand side by side as far as there is room; a block too wide for the screen is broken between
    columns.

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
        whole = max(sum(sizes) + GAP * (len(sizes) - 1), _least(block.title))
        if tables[-1] and gap + whole > room:
            tables.append([])
            room, gap = width - side, GAP
        tables[-1].append((block.title, []))
        used = 0
        for size, column in zip(sizes, block.columns, strict=True):
            more = used + GAP + size if used else size
            if used and gap + more > room:
                tables.append([(block.title, [])])
                room, gap, more = width - side, GAP, size
            tables[-1][-1][1].append(column)
            used = more
        room -= gap + max(used, _least(block.title))
    return [_table(labels, side, one) for one in tables if one]


def _least(title: str) -> int:
    """Columns that a title needs."""
    return max(map(len, words(title, _TITLE)), default=0)


def _table(
    labels: Sequence[str], side: int, parts: Sequence[tuple[str, Sequence[tuple[str, ...]]]]
) -> list[str]:
    sizes = [[max(map(len, column)) for column in columns] for _, columns in parts]
    widths = [
        max(sum(each) + GAP * (len(each) - 1), _least(title))
        for each, (title, _) in zip(sizes, parts, strict=True)
    ]
    titles = [words(title, width) for width, (title, _) in zip(widths, parts, strict=True)]
    heads = max(map(len, titles))
    lines = [" " * side] * heads + [label.ljust(side) for label in labels]
    for number, (title, each, (_, columns)) in enumerate(zip(titles, sizes, parts, strict=True)):
        gap = " " * (WIDE_GAP if number else GAP)
        cells = [
            (" " * GAP).join(row[i].rjust(size) for row, size in zip(columns, each, strict=True))
            for i in range(len(labels))
        ]
        block = [""] * (heads - len(title)) + title + cells
        lines = [line + gap + cell.ljust(widths[number]) for line, cell in zip(lines, block, strict=True)]
    return [line.rstrip() for line in lines]
