"""Maps found, read and checked, whichever way they are written: as text, or drawn with Tiled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sim.board import mapfile, tiled
from sim.board.hexmap import Hex, neighbour
from sim.board.mapfile import Sheet
from sim.errors import InputError, UnknownNameError, did_you_mean, one_of, printable
from sim.inputs import documents, plain
from sim.rulesets import catalogue
from sim.rulesets.catalogue import RuleSet

SUFFIX = ".map"
DIRECTORY = Path(__file__).parents[1] / "data" / "maps"


def names() -> tuple[str, ...]:
    """The maps that come with Carré."""
    return tuple(sorted(path.stem for path in DIRECTORY.glob(f"*{SUFFIX}")))


def is_map(path: Path) -> bool:
    """Whether a file is a map: by its suffix, or where it has none that says so, by a section `grid`."""
    if path.suffix.lower() in (SUFFIX, tiled.SUFFIX):
        return True
    try:
        return mapfile.is_map(_text(path))
    except InputError:
        return False


def locate(name: str | Path) -> Path:
    """The file of a map that comes with Carré, or the path itself.

    Raises
    ------
    UnknownNameError
        If it is neither.
    """
    path = Path(name)
    if str(name) in names():
        return DIRECTORY / f"{name}{SUFFIX}"
    if path.suffix or documents.exists(path):
        return path
    raise UnknownNameError(
        f"MAP must be a file or a map that comes with Carré ({one_of(names())}), got "
        f"'{printable(str(name))}'.{did_you_mean(name, names())}"
    )


def read(name: str | Path) -> Sheet:
    """A map that comes with Carré, or of a file.

    Raises
    ------
    InputError
        If it cannot be read, with a line for each fault; what `check` finds is no fault here.
    """
    path = locate(name)
    return tiled.read(path) if path.suffix.lower() == tiled.SUFFIX else mapfile.parse(_text(path), str(path))


def _text(path: Path) -> str:
    raw = documents.content(path)
    try:
        return plain.composed(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise InputError(f"{path}:{line}: must be UTF-8 text, found byte 0x{raw[error.start]:02x}") from None


# -- checks -------------------------------------------------------------------------------------------


def check(sheet: Sheet, folder: Path | None = None) -> tuple[list[str], list[str]]:
    """What is wrong with a map under its rule set, and what looks like a slip: errors and warnings.

    Parameters
    ----------
    folder
        Where a rule set that is a file is looked for.
    """
    try:
        rules = catalogue.load(sheet.ruleset, folder=folder)
    except InputError as error:
        return [f"{sheet.where('header', 'ruleset')}: {error}"], list(_slips(sheet))
    return list(_unknown(sheet, rules)), list(_slips(sheet))


def _unknown(sheet: Sheet, rules: RuleSet) -> Iterator[str]:
    """Terrain and hexsides that the rule set does not have."""
    terrains, hexsides = list(rules.blocks.terrain.rows), list(rules.blocks.hexsides.rows)
    for key in sheet.legend:
        if key.terrain not in terrains:
            yield _not_one_of(sheet.where("legend", key.letter), "a terrain", key.terrain, terrains, sheet)
    for name in dict.fromkeys(sheet.map.hexsides.values()):
        if name not in hexsides:
            yield _not_one_of(sheet.where("hexsides", name), "a hexside", name, hexsides, sheet)


def _not_one_of(where: str, what: str, got: str, known: list[str], sheet: Sheet) -> str:
    near = did_you_mean(got, known) or f" It has {one_of(known)}."
    return f"{where}: must be {what} of the rule set '{sheet.ruleset}', got '{printable(got)}'.{near}"


def _slips(sheet: Sheet) -> Iterator[str]:
    map_, grid = sheet.map, sheet.grid
    used = {(map_.terrain.get(hex_, "clear"), map_.elevation.get(hex_, 0)) for hex_ in _hexes(sheet)}
    for key in sheet.legend:
        if (key.terrain, key.level) not in used:
            yield f"{sheet.where('legend', key.letter)}: no hex of the map is '{key.letter}', {key.terrain}"
    for side in sorted(map_.hexsides):
        if map_.holds(side[0]) and not map_.holds(neighbour(*side)):
            told = f"{grid.label(side[0])} {grid.compass[side[1]]}"
            where = sheet.where("side", side)
            yield f"{where}: the {map_.hexsides[side]} {told} lies at the map's border: nobody crosses it"
    yield from _road_slips(sheet)
    for side in sorted(map_.bridges):
        if ("bridges", side) in sheet.found:
            told = f"the bridge {grid.label(side[0])} {grid.compass[side[1]]}"
            if side not in map_.hexsides:
                yield f"{sheet.where('bridges', side)}: {told} leads over nothing: the hexside has no water"
            if side not in map_.roads:
                yield f"{sheet.where('bridges', side)}: {told} lies on no road"
    for name, hexes in map_.edges.items():
        for hex_ in hexes:
            if not on_border(sheet, hex_):
                yield (
                    f"{sheet.where('edges', name)}: hex {grid.label(hex_)} of the edge '{name}' does not lie "
                    "at the map's border"
                )


def _road_slips(sheet: Sheet) -> Iterator[str]:
    """Roads that end in nothing, and rivers that they cross without a bridge."""
    map_, grid = sheet.map, sheet.grid
    places = {hex_ for hexes in map_.places.values() for hex_ in hexes}
    for number, chain in enumerate(sheet.roads):
        others = {hex_ for n, other in enumerate(sheet.roads) if n != number for hex_ in other}
        for end in (chain[0], chain[-1]):
            if not (on_border(sheet, end) or end in places or end in others):
                yield (
                    f"{sheet.where('roads', number)}: the road ends in hex {grid.label(end)}, which is no "
                    "place, no other road's and not at the map's border"
                )
    for side in sorted(map_.roads - map_.bridges, key=lambda one: map_.number(one[0])):
        if map_.hexsides.get(side) == "river" and map_.number(side[0]) < map_.number(neighbour(*side)):
            told = f"{grid.label(side[0])} {grid.compass[side[1]]}"
            yield f"{sheet.where('side', side)}: a road crosses the river without a bridge at {told}"


def on_border(sheet: Sheet, hex_: Hex) -> bool:
    """Whether a hex lies at the border of the map."""
    return any(not sheet.map.holds(neighbour(hex_, d)) for d in range(6))


def _hexes(sheet: Sheet) -> Iterator[Hex]:
    q, r = sheet.map.axes
    yield from zip(q.tolist(), r.tolist(), strict=True)
