"""Maps as text and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from sim.board.hexmap import Hex
from sim.board.mapfile import Sheet, listed

_WIDTH = 100


def lines(sheet: Sheet) -> list[str]:
    """What a map has: ground, hexsides, places and edges."""
    grid = sheet.grid
    first, last = (grid.label(grid.hex_in(*at)) for at in ((0, 0), (grid.columns - 1, grid.rows - 1)))
    told = [sheet.title]
    told += [f"Synthetic: {sheet.synthetic}."] if sheet.synthetic else []
    told.append(
        f"{grid.columns} columns, {grid.rows} rows, hexes {first} to {last}; terrain of {sheet.ruleset}."
    )
    told += ["", *_wrapped("terrain", [f"{name} {hexes}" for name, hexes in _terrain(sheet).items()])]
    told += _wrapped("hexsides", [f"{name} {sides}" for name, sides in _hexsides(sheet).items()])
    told += _wrapped("bridges", [str(len(sheet.map.bridges) // 2)] if sheet.map.bridges else [])
    for what, named in (("places", sheet.map.places), ("edges", sheet.map.edges)):
        if named:
            told += ["", f"{what}:"]
        for name, hexes in named.items():
            text = f"{name}: {listed(sheet.grid, hexes)}"
            told += wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="    ")
    return told


def answer(sheet: Sheet) -> dict[str, Any]:
    """For JSON."""
    grid, label = sheet.grid, sheet.grid.label
    return {
        "title": sheet.title,
        "ruleset": sheet.ruleset,
        "synthetic": sheet.synthetic,
        "columns": grid.columns,
        "rows": grid.rows,
        "terrain": _terrain(sheet),
        "hexsides": _hexsides(sheet),
        "bridges": len(sheet.map.bridges) // 2,
        "roads": [[label(hex_) for hex_ in chain] for chain in sheet.roads],
        "places": _named(sheet, sheet.map.places),
        "edges": _named(sheet, sheet.map.edges),
        "outcomes": [],
    }


def _named(sheet: Sheet, named: Mapping[str, Sequence[Hex]]) -> dict[str, list[str]]:
    return {name: [sheet.grid.label(hex_) for hex_ in hexes] for name, hexes in named.items()}


def _terrain(sheet: Sheet) -> dict[str, int]:
    """Hexes of each terrain, the most first."""
    count = Counter(sheet.map.terrain.values())
    count["clear"] = sheet.map.off - count.total()
    return dict(sorted(count.items(), key=lambda one: (-one[1], one[0])))


def _hexsides(sheet: Sheet) -> dict[str, int]:
    """How many there are of each."""
    map_ = sheet.map
    inside = Counter(name for side, name in map_.hexsides.items() if map_.holds(side[0]))
    both = Counter(
        name for (hex_, d), name in map_.hexsides.items() if map_.holds(hex_) and not map_.inside(hex_, d)
    )
    return {name: (inside[name] + both[name]) // 2 for name in sorted(inside)}


def _wrapped(name: str, words: Sequence[str]) -> list[str]:
    return wrap(f"{name}: {', '.join(words)}", _WIDTH, subsequent_indent="  ") if words else []
