"""Hexagonal maps drawn with Tiled (.tmj), read by pytiled-parser (docs/decisions/0013).

A tile says its ground by its properties `terrain` and `elevation`, or its class is the terrain. The map's
own properties say the rest: `title`, `ruleset`, `numbers`, `synthetic`, and as texts of several lines the
lists of a map file (`hexsides`, `roads`, `bridges`, `places`, `edges`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sim.board.hexmap import Hex, Rectangle
from sim.board.mapfile import HIGHEST, LISTS, Faults, Key, Sheet, Word, build, rectangle, words_in
from sim.errors import InputError, printable
from sim.inputs import documents, plain

if TYPE_CHECKING:
    from pytiled_parser import TiledMap

SUFFIX = ".tmj"

_FLIPS = 0x0FFFFFFF
"""Bits of a tile's number that are no flips and turns."""


def read(path: Path) -> Sheet:
    """Read a hexagonal map drawn with Tiled.

    Raises
    ------
    InputError
        With a line for each fault.
    """
    documents.content(path)
    name, faults = printable(str(path)), Faults()
    drawn = _parsed(path, name)
    told = {key: str(value) for key, value in (drawn.properties or {}).items()}
    header = {
        key: Word(plain.composed(told[key]), f"{name}: property '{key}'")
        for key in ("title", "ruleset", "numbers", "synthetic")
        if told.get(key)
    }
    if "ruleset" not in header:
        faults.told.append(f"{name}: must have the map property 'ruleset', but it is missing")
    grid = _grid(drawn, name, header, faults)
    ground = dict(_ground(drawn, grid, name, faults)) if grid is not None else {}
    faults.end()
    assert grid is not None
    lists = {one: list(_lines(one, told.get(one, ""), name)) for one in LISTS}
    words = {key: header[key].text if key in header else "" for key in ("ruleset", "synthetic")}
    words["title"] = header["title"].text if "title" in header else path.stem
    terrain = {hex_: one for hex_, (one, _) in ground.items()}
    levels = {hex_: level for hex_, (_, level) in ground.items()}
    return build(grid, terrain, levels, lists, words, _legend(ground), name, {})


def _parsed(path: Path, name: str) -> TiledMap:
    import pytiled_parser

    try:
        return pytiled_parser.parse_map(path)
    except Exception as error:  # the parser lets through whatever a faulty file makes it stumble over
        told = printable(f"{type(error).__name__}: {error}")
        raise InputError(f"{name}: must be a map of Tiled in JSON, but it cannot be read ({told})") from None


def _grid(drawn: TiledMap, name: str, header: Mapping[str, Word], faults: Faults) -> Rectangle | None:
    if drawn.orientation != "hexagonal":
        got = printable(str(drawn.orientation))
        faults.told.append(f"{name}: must be a hexagonal map, got orientation '{got}'")
        return None
    if drawn.infinite:
        faults.told.append(f"{name}: must be a map of a fixed size, but it is infinite")
        return None
    flat, odd = drawn.stagger_axis == "x", drawn.stagger_index == "odd"
    layouts = {(True, True): "flat, second column low", (True, False): "flat, first column low"}
    layouts |= {(False, True): "pointed, second row right", (False, False): "pointed, first row right"}
    size = " x ".join(str(one).removesuffix(".0") for one in drawn.map_size)
    words = {"size": Word(size, name), "hexes": Word(layouts[flat, odd], name)}
    before = len(faults.told)
    grid = rectangle({**header, **words}, faults)
    return grid if len(faults.told) == before else None


def _layers(layers: object) -> Iterator[object]:
    """The numbers of tiles of each layer that has some, row by row; groups of layers taken apart."""
    from pytiled_parser import LayerGroup, TileLayer

    for layer in layers if isinstance(layers, list) else ():
        if isinstance(layer, LayerGroup):
            yield from _layers(layer.layers)
        elif isinstance(layer, TileLayer) and layer.data is not None:
            yield layer.data


def _numbers(data: object, grid: Rectangle) -> list[list[int]] | None:
    """The numbers of a layer's tiles, if there is one for each hex."""
    rows = data if isinstance(data, list) else []
    whole = len(rows) == grid.rows and all(isinstance(row, list) and len(row) == grid.columns for row in rows)
    numbers = whole and all(type(number) is int and number >= 0 for row in rows for number in row)
    return [[number & _FLIPS for number in row] for row in rows] if numbers else None


def _ground(
    drawn: TiledMap, grid: Rectangle, name: str, faults: Faults
) -> Iterator[tuple[Hex, tuple[str, int]]]:
    """Terrain and level of each hex: of its topmost tile that says so."""
    layers = [_numbers(data, grid) for data in _layers(drawn.layers)]
    if not layers:
        faults.told.append(f"{name}: must have a layer of tiles, but there is none")
        return
    if None in layers:
        faults.told.append(f"{name}: every layer must have the number of a tile for each hex")
        return
    bare: list[str] = []
    for row in range(grid.rows):
        for column in range(grid.columns):
            terrain, level = "", 0
            for layer in layers:
                number = layer[row][column] if layer is not None else 0
                said = _tile(drawn, number)
                terrain = str(said.get("terrain", terrain))
                level = _level(said["elevation"], name, number, faults) if "elevation" in said else level
            hex_ = grid.hex_in(column, row)
            words = " ".join(plain.composed(terrain).split())
            if not words:
                bare.append(grid.label(hex_))
            yield hex_, (words, level)
    if bare:
        more = f" and {len(bare) - 1} more" if len(bare) > 1 else ""
        faults.told.append(
            f"{name}: every hex must have a tile with the property 'terrain', hex {bare[0]}{more} has none"
        )


def _tile(drawn: TiledMap, number: int) -> Mapping[str, object]:
    """What a tile says of itself; its class stands for its terrain."""
    firsts = [first for first in drawn.tilesets if isinstance(first, int) and first <= number]
    tiles = drawn.tilesets[max(firsts)].tiles if firsts else None
    tile = (tiles or {}).get(number - max(firsts)) if firsts else None
    if tile is None:
        return {}
    by_class = {"terrain": tile.class_} if tile.class_ else {}
    return {**by_class, **(tile.properties or {})}


def _level(value: object, name: str, number: int, faults: Faults) -> int:
    level = plain.integer(str(value))
    if level is None or abs(level) > HIGHEST:
        fault = (
            f"{name}: 'elevation' of tile {number} must be a level from -{HIGHEST} to {HIGHEST}, "
            f"got '{printable(str(value))}'"
        )
        if fault not in faults.told:
            faults.told.append(fault)
        return 0
    return level


def _lines(section: str, text: str, name: str) -> Iterator[list[Word]]:
    for number, line in enumerate(plain.composed(text).splitlines(), 1):
        bare = line.partition("#")[0].rstrip()
        if bare:
            yield words_in(section, bare, f"{name}: property '{section}':{number}")


def _legend(ground: Mapping[Hex, tuple[str, int]]) -> tuple[Key, ...]:
    """A letter for each kind of ground: its own first if it is free, `.` for clear."""
    found: dict[str, Key] = {}
    for terrain, level in sorted(set(ground.values())):
        own = "." if (terrain, level) == ("clear", 0) else ""
        wishes = own + terrain.replace(" ", "").replace("#", "") + terrain.upper().replace(" ", "")
        letters = [*wishes, *(chr(one) for one in range(48, 127)), *(chr(one) for one in range(0x3B1, 0x700))]
        letter = next(one for one in letters if one not in found and one.isprintable() and one != "#")
        found[letter] = Key(letter, terrain, level)
    return tuple(found.values())
