"""CSV files as documents: a row is a mapping from column to value, each with its line, so that the kinds
of field check them as they check YAML."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from sim.errors import InputError, did_you_mean, printable
from sim.inputs import documents, plain
from sim.inputs.documents import Document, Key
from sim.inputs.fields import REQUIRED, Choice, Field, Problems, Record, Text

_DELIMITERS = (",", ";", "\t")
_SAID = re.compile(r"#\s*([a-z][a-z_ ]*):\s*(.+)")
_MOST_ROWS = 2_000


@dataclass
class Table(Document):
    """A CSV file: `data` is a list of rows, a mapping each, without the cells that are empty.

    Attributes
    ----------
    columns
        As the first row names them.
    said
        What comment lines say, `# ruleset: halle-1806` as `{"ruleset": "halle-1806"}`.
    """

    columns: tuple[str, ...] = ()
    said: dict[str, str] = field(default_factory=dict)

    def where(self, key: Key) -> str:
        """`file:line` of a row or of a cell in it."""
        for end in range(len(key), -1, -1):
            if key[:end] in self.places:
                return f"{self.name}:{self.places[key[:end]][0]}"
        return self.name


class Cells(Problems):
    """What is wrong with a table; a cell is called by its column and what its row is about.

    Parameters
    ----------
    titles
        The column that says what a row is about.
    """

    def __init__(self, document: Table, titles: str) -> None:
        super().__init__(document)
        self.titles = titles

    def _line(self, key: Key, text: str) -> str:
        title = self.document.at((*key[:1], self.titles)) if key else None
        whose = f" of {title}" if title and key[1:] != (self.titles,) else ""
        subject = f"'{key[1]}'{whose} " if len(key) > 1 else f"the row{whose} " if key else ""
        return f"{self.document.where(key)}: {subject}{text}"


def read(path: Path | str) -> Table:
    """A CSV file with commas, semicolons or tabs, whichever its first row has; lines that begin with # are
    comments.

    Raises
    ------
    InputError
        If the file cannot be read, is not UTF-8 text, or has no row of column names.
    """
    raw = documents.content(path)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        told = f"must be UTF-8 text, found byte 0x{raw[error.start]:02x} (of a spreadsheet choose CSV UTF-8)"
        raise InputError(f"{path}:{line}: {told}") from None
    table = parse(text, printable(str(path)))
    table.path = Path(path)
    return table


def parse(text: str, name: str) -> Table:
    """Read CSV text; `name` stands for the file in messages.

    Raises
    ------
    InputError
        If there is no row of column names, or a quote is not closed.
    """
    table = Table(name, [])
    lines = plain.composed(text).splitlines(keepends=True)
    kept = []
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if found := _SAID.fullmatch(bare):
            table.said[found[1].strip()] = found[2].strip()
            table.places[found[1].strip(),] = (number, 1)
        kept.append("\n" if bare.startswith("#") else line)
    header = next((line for line in kept if line.strip()), "")
    delimiter = max(_DELIMITERS, key=header.count)
    rows = csv.reader(kept, delimiter=delimiter, strict=True, skipinitialspace=True)
    number = 0
    try:
        for cells in rows:
            number = rows.line_num
            stripped = [cell.strip() for cell in cells]
            if not any(stripped):
                continue
            if not table.columns:
                table.columns = tuple(stripped)
                _header(table, number)
            else:
                _row(table, stripped, number)
    except csv.Error as error:
        raise InputError(f"{name}:{number + 1}: must be CSV: {error}") from None
    if not table.columns:
        raise InputError(f"{name}: must begin with a row of column names, but the file is empty")
    return table


def _header(table: Table, line: int) -> None:
    table.places[()] = (line, 1)
    for place, column in enumerate(table.columns):
        if not column:
            table.problems.append(f"{table.name}:{line}: column {place + 1} has no name")
        elif column in table.columns[:place]:
            table.problems.append(f"{table.name}:{line}: the column '{printable(column)}' is given twice")


def _row(table: Table, cells: list[str], line: int) -> None:
    if len(table.data) >= _MOST_ROWS:
        raise InputError(f"{table.name}:{line}: must have at most {_MOST_ROWS:,} rows")
    row = len(table.data)
    table.places[row,] = (line, 1)
    surplus = len(cells) - len(table.columns)
    if surplus > 0 and any(cells[len(table.columns) :]):
        told = f"has {len(cells)} cells, but there are {len(table.columns)} columns"
        table.problems.append(f"{table.name}:{line}: the row {told}: a comma within a name needs quotes")
    table.data.append({name: cell for name, cell in zip(table.columns, cells, strict=False) if cell})


def check(
    table: Table, kind: Record, problems: Problems, also: Collection[str] = ()
) -> list[dict[str, object]]:
    """The rows with the values that a record's fields make of their cells; a column that the record does not
    have is told once, unless it is one of `also`."""
    for column in table.columns:
        if column and column not in kind.fields and column not in also:
            hint = did_you_mean(column, kind.fields) or f" Known columns: {', '.join(kind.fields)}."
            told = f"'{printable(column)}' is not a known column.{hint}"
            problems.error(("columns", column), told.removesuffix("."), named=False)
    missing = [
        name for name, one in kind.fields.items() if one.default is REQUIRED and name not in table.columns
    ]
    for name in missing:
        told = f"must have the column '{name}' ({kind.fields[name].expected()}), but it is missing"
        problems.error(("columns", name), told, named=False)
    return [
        {name: _cell(row, i, name, one, problems, name in missing) for name, one in kind.fields.items()}
        for i, row in enumerate(table.data)
    ]


def _cell(row: dict[str, str], number: int, name: str, kind: Field, problems: Problems, told: bool) -> object:
    """What a field makes of a cell; its default where the cell is empty."""
    key = (number, name)
    if name in row:
        text = row[name]
        whole = plain.integer(text)
        return kind.check(text if whole is None or isinstance(kind, Text | Choice) else whole, key, problems)
    if kind.default is not REQUIRED:
        return kind.default() if callable(kind.default) else kind.default
    if not told:
        problems.error(key, f"must be {kind.expected()}, but the cell is empty")
    return None
