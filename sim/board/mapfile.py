"""Maps as plain text that a person can draw in an editor (docs/maps.md).

A header, a legend of letters, a grid of one letter a hex, then lists of hexsides, roads, bridges, places and
edges by the numbers of hexes. Errors name file, line and column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sim.board.hexmap import Hex, HexMap, Hexside, Rectangle, direction_to, distance, other_side
from sim.errors import InputError, did_you_mean, one_of, printable
from sim.inputs import plain

LAYOUTS = {
    "flat, second column low": (True, 1),
    "flat, first column low": (True, 0),
    "pointed, second row right": (False, 1),
    "pointed, first row right": (False, 0),
}
"""What `hexes` may say: whether hexes stand on a side, and which columns or rows are shifted."""

HEADER = ("title", "ruleset", "size", "hexes", "numbers", "synthetic")
LISTS = ("hexsides", "roads", "bridges", "places", "edges")
SECTIONS = ("legend", "grid", *LISTS)

MOST_COLUMNS = 180
HIGHEST = 20
"""Levels of elevation go from -20 to 20."""

_SIZE = re.compile(r"([1-9][0-9]{0,2})\s*[x×]\s*([1-9][0-9]{0,2})")
_FIRST = re.compile(r"[0-9]{4}|[0-9]{6}")
_RANGE = re.compile(r"([0-9]+)-([0-9]+)")


@dataclass(frozen=True)
class Key:
    """A letter of the legend."""

    letter: str
    terrain: str
    level: int = 0


@dataclass(frozen=True)
class Sheet:
    """A map with what its file says besides.

    Attributes
    ----------
    map, grid
        The map; its grid is a rectangle.
    ruleset
        The rule set that its terrain is of.
    synthetic
        Whose map it is, where it is no published one; else nothing.
    legend
        Letters, in order.
    roads
        Hexes that each road goes through, in order.
    name
        The file's name, or the map's own.
    places
        Where in the file something stands: by ("legend", letter), ("hexsides", name), ("bridges", hexside),
        ("roads", number), ("places", name), ("edges", name) and ("header", name).
    """

    map: HexMap
    grid: Rectangle
    title: str
    ruleset: str
    synthetic: str
    legend: tuple[Key, ...]
    roads: tuple[tuple[Hex, ...], ...]
    name: str = field(default="", compare=False)
    found: Mapping[tuple[str, object], str] = field(default_factory=dict, compare=False)

    def where(self, section: str, what: object) -> str:
        """`file:line:column` of something, or the file."""
        return self.found.get((section, what), self.name)


@dataclass(frozen=True)
class Word:
    """A part of a line, and where it stands: `file:line:column`."""

    text: str
    where: str


Lines = Mapping[str, Sequence[Sequence[Word]]]
"""The lines of each list, in words; the name of a place or edge is one word, with its colon."""


class Faults:
    """What is wrong, found so far."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def add(self, word: Word, expected: str) -> None:
        """One more."""
        self.told.append(f"{word.where}: {expected}, got '{printable(word.text)}'")

    def end(self) -> None:
        """Raise them, if there are any."""
        if self.told:
            raise InputError(*self.told)


# -- reading ------------------------------------------------------------------------------------------


def is_map(text: str) -> bool:
    """Whether a text has the sections of a map."""
    return re.search(r"^grid:", text, re.MULTILINE) is not None


def parse(text: str, name: str) -> Sheet:
    """Read the text of a map; `name` stands for the file in messages.

    Raises
    ------
    InputError
        With a line for each fault.
    """
    name, faults = printable(name), Faults()
    header, sections = _split(text, name, faults)
    for needed in ("title", "ruleset", "size"):
        if needed not in header:
            faults.told.append(f"{name}: must have the line '{needed}: ...', but it is missing")
    for needed in ("legend", "grid"):
        if needed not in sections:
            faults.told.append(f"{name}: must have the section '{needed}:', but it is missing")
    faults.end()
    grid = rectangle(header, faults)
    legend = _legend(sections["legend"], faults)
    faults.end()
    letters = {key.letter: key for key, _ in legend}
    ground = dict(_drawn(sections["grid"], grid, letters, name, faults))
    faults.end()
    found: dict[tuple[str, object], str] = {("legend", key.letter): where for key, where in legend}
    found |= {("header", key): word.where for key, word in header.items()}
    return build(
        grid,
        {hex_: letters[letter].terrain for hex_, letter in ground.items()},
        {hex_: letters[letter].level for hex_, letter in ground.items()},
        {one: list(_words_of(one, sections.get(one, ()))) for one in LISTS},
        {key: header[key].text if key in header else "" for key in ("title", "ruleset", "synthetic")},
        tuple(key for key, _ in legend),
        name,
        found,
    )


def build(
    grid: Rectangle,
    terrain: Mapping[Hex, str],
    levels: Mapping[Hex, int],
    lists: Lines,
    told: Mapping[str, str],
    legend: tuple[Key, ...],
    name: str,
    found: dict[tuple[str, object], str],
) -> Sheet:
    """A map of its ground and its lists.

    Parameters
    ----------
    told
        `title`, `ruleset` and `synthetic`.
    found
        Where things stand; that of the lists is added.

    Raises
    ------
    InputError
        With a line for each fault of the lists.
    """
    faults = Faults()
    hexsides = dict(_hexsides(lists["hexsides"], grid, found, faults))
    chains = list(_roads(lists["roads"], grid, found, faults))
    bridges = set(_bridges(lists["bridges"], grid, found, faults))
    places = _named("places", lists["places"], grid, found, faults)
    edges = _named("edges", lists["edges"], grid, found, faults)
    faults.end()
    roads = {(a, direction_to(a, b)) for chain in chains for a, b in pairwise(chain)}
    map_ = HexMap(
        grid,
        {hex_: one for hex_, one in terrain.items() if one != "clear"},
        hexsides,
        frozenset(roads),
        frozenset(bridges),
        {hex_: level for hex_, level in levels.items() if level},
        places,
        edges,
    )
    return Sheet(
        map_, grid, told["title"], told["ruleset"], told["synthetic"], legend, tuple(chains), name, found
    )


def _split(
    text: str, name: str, faults: Faults
) -> tuple[dict[str, Word], dict[str, list[tuple[int, str, str]]]]:
    """Values of the header, and the lines of each section: number of the line, file and line, text."""
    header: dict[str, Word] = {}
    sections: dict[str, list[tuple[int, str, str]]] = {}
    inside: list[tuple[int, str, str]] | None = None
    for number, whole in enumerate(text.splitlines(), 1):
        line = whole.partition("#")[0].rstrip()
        where = f"{name}:{number}"
        if not line:
            continue
        if "\t" in line:
            faults.told.append(f"{where}:{line.index(chr(9)) + 1}: must have blanks, got a tab")
            continue
        if line[0] == " ":
            if inside is None:
                column = len(line) - len(line.lstrip()) + 1
                faults.add(Word(line.strip(), f"{where}:{column}"), "must stand in a section")
            else:
                inside.append((number, where, line))
            continue
        key, colon, value = line.partition(":")
        known, word = (*HEADER, *SECTIONS), Word(key, f"{where}:1")
        inside = None
        if not colon or key not in known:
            hint = did_you_mean(key, known)
            faults.told.append(
                f"{where}:1: must be {one_of(known)}, and a colon, got '{printable(key)}'.{hint}"
                if not colon or hint
                else f"{where}:1: must be {one_of(known)}, got '{printable(key)}'"
            )
            inside = []
        elif key in header or key in sections:
            faults.add(word, "must be given once")
            inside = []
        elif key in SECTIONS:
            inside = sections[key] = []
            if value.strip():
                column = len(line) - len(value.lstrip()) + 1
                faults.add(Word(value.strip(), f"{where}:{column}"), "must have its lines below it, indented")
        else:
            stripped = value.strip()
            column = len(line) - len(value.lstrip()) + 1 if stripped else len(line) + 1
            header[key] = Word(stripped, f"{where}:{column}")
            if not stripped:
                faults.told.append(f"{where}:{column}: '{key}' must have a text, but there is none")
    return header, sections


def rectangle(header: Mapping[str, Word], faults: Faults) -> Rectangle:
    """The grid that `size`, `hexes` and `numbers` tell of."""
    size, hexes, numbers = (header.get(key) for key in ("size", "hexes", "numbers"))
    columns = rows = 2
    if size is not None:
        given = _SIZE.fullmatch(size.text)
        if given is not None and all(2 <= int(one) <= MOST_COLUMNS for one in given.groups()):
            columns, rows = int(given[1]), int(given[2])
        else:
            most = f"columns x rows, from 2 x 2 to {MOST_COLUMNS} x {MOST_COLUMNS}, such as 40 x 30"
            faults.add(size, f"must be {most}")
    flat, shifted = True, 1
    if hexes is not None:
        layout = LAYOUTS.get(" ".join(hexes.text.split()))
        if layout is None:
            faults.add(hexes, f"must be one of: {'; '.join(LAYOUTS)}")
        else:
            flat, shifted = layout
    first = "0101" if max(columns, rows) < 100 else "001001"
    if numbers is not None:
        half = len(numbers.text) // 2
        if not _FIRST.fullmatch(numbers.text):
            faults.add(numbers, "must be the number of the top left hex, four or six digits, such as 0101")
        elif max(int(numbers.text[:half]) + columns, int(numbers.text[half:]) + rows) > 10**half:
            faults.add(
                numbers, f"must leave room for {columns} columns and {rows} rows of {half} digits each"
            )
        else:
            first = numbers.text
    return Rectangle(columns, rows, flat, shifted, first)


def _legend(lines: Iterable[tuple[int, str, str]], faults: Faults) -> list[tuple[Key, str]]:
    """Letters with their place in the file."""
    found: dict[str, tuple[Key, str]] = {}
    for _, where, line in lines:
        letter, *words = _words(line, where)
        level = 0
        if len(words) > 1 and (given := plain.integer(words[-1].text)) is not None:
            level = given
            if abs(level) > HIGHEST:
                faults.add(words[-1], f"must be a level from -{HIGHEST} to {HIGHEST}")
            words = words[:-1]
        if len(letter.text) != 1:
            faults.add(letter, "must be one letter or sign for a hex")
        elif not words:
            faults.add(letter, "must have a terrain behind the letter, and a level if it is not 0")
        elif letter.text in found:
            faults.add(letter, "must be given once")
        else:
            found[letter.text] = Key(letter.text, " ".join(one.text for one in words), level), letter.where
    return list(found.values())


def columns_of(grid: Rectangle) -> Iterator[tuple[int, Sequence[int]]]:
    """The row and the columns of each line of a drawn grid, from 0."""
    for row in range(grid.rows):
        if grid.flat:
            yield row, range(1 - grid.shifted, grid.columns, 2)
            yield row, range(grid.shifted, grid.columns, 2)
        else:
            yield row, range(grid.columns)


def _drawn(
    lines: Sequence[tuple[int, str, str]],
    grid: Rectangle,
    letters: Mapping[str, Key],
    name: str,
    faults: Faults,
) -> Iterator[tuple[Hex, str]]:
    """The letter of each hex."""
    expected = list(columns_of(grid))
    if len(lines) != len(expected):
        two = ", two a row" if grid.flat else ""
        where = lines[-1][1] if lines else name
        faults.told.append(
            f"{where}: the grid must have {len(expected)} lines for {grid.rows} rows{two}, found {len(lines)}"
        )
        return
    for (_, where, line), (row, columns) in zip(lines, expected, strict=True):
        drawn = [(column, letter) for column, letter in enumerate(line, 1) if letter != " "]
        if len(drawn) != len(columns):
            first, last = (grid.label(grid.hex_in(columns[end], row)) for end in (0, -1))
            faults.told.append(
                f"{where}: must have {len(columns)} letters, for hexes {first} to {last}, found {len(drawn)}"
            )
            continue
        for column, (at, letter) in zip(columns, drawn, strict=True):
            if letter not in letters:
                hex_ = grid.label(grid.hex_in(column, row))
                faults.add(Word(letter, f"{where}:{at}"), f"must be a letter of the legend (hex {hex_})")
            yield grid.hex_in(column, row), letter


def _words(line: str, where: str) -> list[Word]:
    """The words of a line."""
    return [Word(one[0], f"{where}:{one.start() + 1}") for one in re.finditer(r"\S+", line)]


def _words_of(section: str, lines: Iterable[tuple[int, str, str]]) -> Iterator[list[Word]]:
    """The words of each line of a list."""
    for _, where, line in lines:
        yield words_in(section, line, where)


def words_in(section: str, line: str, where: str) -> list[Word]:
    """The words of a line of a list; a name that ends with a colon is one of them."""
    name, colon, rest = line.partition(":")
    if section not in ("places", "edges") or not colon:
        return _words(line, where)
    stripped = name.strip()
    head = Word(f"{stripped}:", f"{where}:{len(name) - len(name.lstrip()) + 1}")
    return [head, *_words(" " * (len(name) + 1) + rest, where)]


def _hex(word: Word, grid: Rectangle, faults: Faults) -> Hex | None:
    try:
        return grid.hex_of(word.text)
    except InputError as error:
        faults.told.append(f"{word.where}: {error}")
        return None


def _sides(words: Sequence[Word], line: Word, grid: Rectangle, faults: Faults) -> Iterator[Hexside]:
    """The hexsides of a line: the number of a hex, and which of its sides."""
    if len(words) < 2:
        faults.add(line, f"must have the number of a hex, then sides of it: {one_of(grid.compass)}")
        return
    hex_ = _hex(words[0], grid, faults)
    for word in words[1:]:
        if word.text not in grid.compass:
            faults.add(word, f"must be a side of a hex: {one_of(grid.compass)}")
        elif hex_ is not None:
            yield hex_, grid.compass.index(word.text)


def _hexsides(
    lines: Iterable[Sequence[Word]], grid: Rectangle, found: dict[tuple[str, object], str], faults: Faults
) -> Iterator[tuple[Hexside, str]]:
    """Hexsides with what they are, each from one side."""
    seen: dict[Hexside, Word] = {}
    for words in lines:
        number = next((n for n, word in enumerate(words) if word.text[:1].isdigit()), len(words))
        if not number:
            faults.add(words[0], "must begin with what the hexsides are, such as stream")
            continue
        name = " ".join(word.text for word in words[:number])
        found.setdefault(("hexsides", name), words[0].where)
        for side in _sides(words[number:], words[0], grid, faults):
            if side in seen or other_side(side) in seen:
                told = f"{grid.label(side[0])} {grid.compass[side[1]]}"
                faults.add(words[number], f"must be the hex of a hexside that is given once ({told})")
            seen[side] = words[number]
            found[("side", side)] = words[number].where
            yield side, name


def _bridges(
    lines: Iterable[Sequence[Word]], grid: Rectangle, found: dict[tuple[str, object], str], faults: Faults
) -> Iterator[Hexside]:
    for words in lines:
        for side in _sides(words, words[0], grid, faults):
            found[("bridges", side)] = words[0].where
            yield side


def _roads(
    lines: Iterable[Sequence[Word]], grid: Rectangle, found: dict[tuple[str, object], str], faults: Faults
) -> Iterator[tuple[Hex, ...]]:
    for number, words in enumerate(lines):
        hexes = [_hex(word, grid, faults) for word in words]
        if len(words) < 2:
            faults.add(words[0], "must be the numbers of at least two hexes, one next to the other")
        for before, after, word, last in zip(hexes, hexes[1:], words[1:], words, strict=False):
            if before is not None and after is not None and distance(before, after) != 1:
                faults.add(word, f"must be the number of a hex next to {last.text}")
        found[("roads", number)] = words[0].where
        yield tuple(hex_ for hex_ in hexes if hex_ is not None)


def _named(
    section: str,
    lines: Iterable[Sequence[Word]],
    grid: Rectangle,
    found: dict[tuple[str, object], str],
    faults: Faults,
) -> dict[str, tuple[Hex, ...]]:
    """Hexes by name."""
    named: dict[str, tuple[Hex, ...]] = {}
    for words in lines:
        name = words[0].text.removesuffix(":").strip()
        if not words[0].text.endswith(":") or not name:
            faults.add(words[0], "must be a name with a colon, then the numbers of its hexes")
            continue
        if name in named:
            faults.add(words[0], "must be a name that is given once")
        if len(words) < 2:
            faults.add(words[0], "must have the number of a hex behind it, or more")
        hexes = [hex_ for word in words[1:] for hex_ in _range(word, grid, faults)]
        for hex_ in sorted({one for one in hexes if hexes.count(one) > 1}):
            faults.add(words[0], f"must have each hex once ({grid.label(hex_)})")
        named[name] = tuple(hexes)
        found[(section, name)] = words[0].where
    return named


def _range(word: Word, grid: Rectangle, faults: Faults) -> list[Hex]:
    """The hexes of a number, or of two with a hyphen: all between them in their column or row."""
    given = _RANGE.fullmatch(word.text)
    ends = [_hex(Word(one, word.where), grid, faults) for one in (given.groups() if given else (word.text,))]
    hexes = [one for one in ends if one is not None]
    if given is None or len(hexes) < 2:
        return hexes
    (column, row), (last_column, last_row) = (grid.column_row(one) for one in hexes)
    if column == last_column and row < last_row:
        return [grid.hex_in(column, one) for one in range(row, last_row + 1)]
    if row == last_row and column < last_column:
        return [grid.hex_in(one, row) for one in range(column, last_column + 1)]
    faults.add(word, "must be two numbers of a column or row, the smaller first")
    return []


# -- writing ------------------------------------------------------------------------------------------


def written(sheet: Sheet) -> str:
    """The text of a map, as `parse` reads it."""
    grid, map_ = sheet.grid, sheet.map
    layout = next(text for text, one in LAYOUTS.items() if one == (grid.flat, grid.shifted))
    values = (
        sheet.title,
        sheet.ruleset,
        f"{grid.columns} x {grid.rows}",
        layout,
        grid.first,
        sheet.synthetic,
    )
    lines = [f"{key}: {value}" for key, value in zip(HEADER, values, strict=True) if value]
    lines += ["", "legend:"]
    lines += [f"  {key.letter} {key.terrain}{f' {key.level}' if key.level else ''}" for key in sheet.legend]
    lines += ["", "grid:", *_drawing(sheet)]
    lists: dict[str, list[str]] = {
        "hexsides": _side_lines(grid, {side: f"{name} " for side, name in map_.hexsides.items()}, map_),
        "roads": [" ".join(grid.label(hex_) for hex_ in chain) for chain in sheet.roads],
        "bridges": _side_lines(grid, dict.fromkeys(map_.bridges, ""), map_),
        "places": [f"{name}: {listed(grid, hexes)}" for name, hexes in map_.places.items()],
        "edges": [f"{name}: {listed(grid, hexes)}" for name, hexes in map_.edges.items()],
    }
    for section, told in lists.items():
        if told:
            lines += ["", f"{section}:", *(f"  {line}" for line in told)]
    return "\n".join(lines) + "\n"


def _drawing(sheet: Sheet) -> Iterator[str]:
    """The lines of the grid, with rulers: numbers of columns above, of rows behind."""
    grid, map_ = sheet.grid, sheet.map
    letters = {(key.terrain, key.level): key.letter for key in reversed(sheet.legend)}
    half = len(grid.first) // 2
    for start in (0, 1):
        ruler = "".join(
            f"{grid.label(grid.hex_in(column, 0))[:half]:4}" for column in range(start, grid.columns, 2)
        )
        yield f"# {'  ' * start}{ruler}".rstrip()
    for row, columns in columns_of(grid):
        line = " " * (2 + 2 * grid.columns + 1)
        for column in columns:
            hex_ = grid.hex_in(column, row)
            shift = 0 if grid.flat or row % 2 != grid.shifted else 1
            letter = letters[map_.terrain.get(hex_, "clear"), map_.elevation.get(hex_, 0)]
            at = 2 + 2 * column + shift
            line = f"{line[:at]}{letter}{line[at + 1 :]}"
        high = not grid.flat or columns[0] == 1 - grid.shifted
        label = f"  # {grid.label(grid.hex_in(0, row))[half:]}" if high else ""
        yield (line + label).rstrip()


def _side_lines(grid: Rectangle, sides: Mapping[Hexside, str], map_: HexMap) -> list[str]:
    """Hexsides of one name, hex by hex, each from the first hex that has it."""
    found: dict[tuple[str, Hex], list[int]] = {}
    for side in sorted(
        sides, key=lambda one: (sides[one], map_.holds(one[0]) and map_.number(one[0]), one[1])
    ):
        hex_, direction = side
        other, back = other_side(side)
        if map_.holds(hex_) and back not in found.get((sides[side], other), []):
            found.setdefault((sides[side], hex_), []).append(direction)
    return [
        f"{name}{grid.label(hex_)} {' '.join(grid.compass[one] for one in directions)}"
        for (name, hex_), directions in found.items()
    ]


def listed(grid: Rectangle, hexes: Sequence[Hex]) -> str:
    """Hexes by their numbers; three or more in a row or column as the first and the last."""
    told, at = [], 0
    while at < len(hexes):
        column, row = grid.column_row(hexes[at])
        length = 1
        for step in ((1, 0), (0, 1)):
            n = 1
            while at + n < len(hexes) and grid.column_row(hexes[at + n]) == (
                column + n * step[0],
                row + n * step[1],
            ):
                n += 1
            length = max(length, n if n > 2 else 1)
        first, last = grid.label(hexes[at]), grid.label(hexes[at + length - 1])
        told.append(first if length == 1 else f"{first}-{last}")
        at += length
    return " ".join(told)
