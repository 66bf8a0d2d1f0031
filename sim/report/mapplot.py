"""Maps drawn: ground, roads, water, places, and counters on them; to be read in grey too.

One unit of a drawing is a hex from side to side; x goes to the right, y down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import cos, radians, sin, sqrt
from textwrap import fill
from typing import TYPE_CHECKING, Any

from sim.board.hexmap import Hex, Hexside, neighbour
from sim.board.mapfile import Sheet
from sim.errors import printable
from sim.report.plots import prepare
from sim.vocabulary import ARTILLERY, CAVALRY, DISORDERED, INFANTRY, ROUTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Point = tuple[float, float]


@dataclass(frozen=True)
class Counter:
    """A unit as it is shown.

    Attributes
    ----------
    hex, second
        Where it stands; the second hex of a unit in two.
    side
        0 or 1.
    arm, formation, state
        Numbers of `vocabulary`; formation -1 for a leader, who has none.
    facing
        0..11: even numbers look across a hexside, odd ones at a corner; None for no facing.
    increments, printed
        Left, and printed.
    """

    hex: Hex
    side: int
    arm: int
    formation: int
    state: int
    facing: int | None = None
    increments: int = 0
    printed: int = 0
    name: str = ""
    second: Hex | None = None


@dataclass(frozen=True)
class Look:
    """How a terrain is drawn: its colour, and small marks, each with shape, colour, size and places."""

    colour: str
    marks: tuple[tuple[str, str, float, tuple[Point, ...]], ...] = ()


_THREE = ((-0.2, 0.14), (0.2, 0.14), (0.0, -0.2))
_FIVE = ((-0.24, -0.13), (0.24, -0.13), (0.0, 0.02), (-0.22, 0.2), (0.22, 0.2))
_SEVEN = ((0.0, 0.0), (-0.26, 0.0), (0.26, 0.0), (-0.13, -0.22), (0.13, -0.22), (-0.13, 0.22), (0.13, 0.22))
_ROOF, _LEAF, _WATER = "#6b2d1a", "#2f5d34", "#2b6ca3"

_LOOKS = {
    "clear": Look("#f5f1e3"),
    "woods": Look("#a9c49a", (("^", _LEAF, 0.24, _THREE),)),
    "forest": Look("#8fb183", (("^", _LEAF, 0.24, _SEVEN),)),
    "orchard": Look("#d3e3b8", (("o", "#5f8a4a", 0.15, _FIVE),)),
    "garden": Look("#dde8c2", ((".", "#5f7d3f", 0.13, _SEVEN),)),
    "vineyard": Look("#dde8c2", (("|", "#5f7d3f", 0.16, _SEVEN),)),
    "hamlet": Look("#ecd9c6", (("s", _ROOF, 0.14, ((-0.13, 0.05), (0.15, -0.08))),)),
    "village": Look("#e0bfa5", (("s", _ROOF, 0.14, _FIVE),)),
    "town": Look("#cfa084", (("s", _ROOF, 0.17, _SEVEN),)),
    "swamp": Look("#d5e3e6", (("_", _WATER, 0.24, _FIVE),)),
    "raised road": Look("#d8cdb4", (("_", "#6f5b36", 0.5, ((0.0, -0.3), (0.0, 0.3))),)),
    "causeway": Look("#d8cdb4", (("_", "#6f5b36", 0.5, ((0.0, -0.3), (0.0, 0.3))),)),
    "bridge": Look("#c3cdd6", (("_", "#222222", 0.5, ((0.0, -0.24), (0.0, 0.24))),)),
}
_OTHERS = (
    Look("#e6dcea", (("x", "#5b4a68", 0.15, _THREE),)),
    Look("#dcdcdc", (("D", "#555555", 0.11, _THREE),)),
    Look("#eadfc9", (("*", "#6f5b36", 0.18, _THREE),)),
    Look("#d9e2ef", (("P", "#3f4f6f", 0.14, _THREE),)),
)
"""Of terrains that have no look of their own, in turn."""

_HEIGHTS = ("#e9d8b0", "#dcc08a", "#c9a566", "#b48b4b")
"""Clear ground from level 1 up."""
_DEPTHS = ("#dfe6df", "#c8d4cb")
"""Clear ground from level -1 down."""

_SIDES: dict[str, tuple[str, float, Any]] = {
    "river": ("#2b6ca3", 0.17, "-"),
    "stream": ("#5b9bd0", 0.085, "-"),
    "ford": ("#2b6ca3", 0.15, (0, (0.45, 0.55))),
    "wall": ("#333333", 0.1, "-"),
    "garden wall": ("#555555", 0.08, (0, (2.2, 0.8))),
}
"""Colour, width in hexes and dashes of hexsides; others are drawn violet, in dashes."""
_OTHER_SIDE = ("#7a4b94", 0.09, (0, (1.4, 0.9)))

_EDGE = "#7a1f5c"
"""Of entries and exits."""

_COLOURS = ("#9fc5e8", "#f6b26b")
INKS = ("#0b3d66", "#7a3d00")
"""Of counters: of either side, light and dark."""

_SHORT = ("col", "line", "sq", "sk", "gen", "mas", "road", "lim", "unl")
"""Formations by number, as counters name them."""

_LEGEND_WIDTH = 3.1
"""Inches of an entry."""


def draw(
    sheet: Sheet,
    counters: Sequence[Counter] = (),
    sides: Sequence[str] = ("first side", "second side"),
    subtitle: str = "",
    heat: Mapping[Hex, float] | None = None,
    heat_label: str = "",
) -> Figure:
    """A map, with counters on it.

    Parameters
    ----------
    sides
        Names of sides 0 and 1, for the legend.
    subtitle
        A second line of the title, in place of whose map it is.
    heat
        A number for each hex to be tinted by.
    """
    plate = Plate(sheet, counters, sides, (sheet.title, subtitle or sheet.synthetic))
    if heat:
        plate.drawing.heat(plate.axis, plate.figure, heat, heat_label)
    plate.drawing.places(plate.axis, counters)
    plate.drawing.counters(plate.axis, counters)
    return plate.figure


class Plate:
    """A figure of a map with its legend, before places are named and counters put on it.

    Parameters
    ----------
    counters
        Those that the legend is for.
    sides
        Names of sides 0 and 1.
    lines
        The title; empty lines do not count.
    beside
        Inches kept free to the right of the map.

    Attributes
    ----------
    axis
        The map's, whose coordinates are those of the drawing.
    """

    def __init__(
        self,
        sheet: Sheet,
        counters: Sequence[Counter],
        sides: Sequence[str],
        lines: Sequence[str],
        beside: float = 0.0,
    ) -> None:
        prepare()
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.drawing = drawing = _Drawing(sheet)
        left, top, right, bottom = drawing.bounds
        entries = drawing.legend(counters, sides)
        inches, pitch = drawing.inches, 1.15 if sheet.grid.flat else 1.3
        across = max(1, int((right - left) * inches // _LEGEND_WIDTH))
        deep = (len(entries) + across - 1) // across * pitch + 0.6
        lines = [line for line in lines if line]
        head = 0.3 + 0.24 * len(lines)
        width, height = (right - left) * inches, (bottom - top + deep) * inches
        self.figure = Figure(figsize=(width + beside, height + head))
        self.canvas: Any = FigureCanvasAgg(self.figure)
        self._place = (0.0, 0.0, width / (width + beside), height / (height + head))
        self._limits = (left, right), (bottom + deep, top)
        self.axis = axis = self.over()
        drawing.ground(axis)
        drawing.sides(axis)
        drawing.roads(axis)
        drawing.bridges(axis)
        drawing.numbers(axis)
        drawing.edges(axis)
        for n, (show, text) in enumerate(entries):
            x = left + 1.1 + (n % across) * (right - left - 0.6) / across
            y = bottom + 0.6 + (n // across) * pitch
            show(axis, (x, y))
            axis.text(x + 0.95, y, _text(text), va="center", fontsize=drawing.points(0.3, 7, 11))
        room = max(24, int(width * 10))
        for n, line in enumerate(lines):
            size = 13 if n == 0 else 9
            told = fill(_text(line), room, max_lines=1, placeholder=" …")
            weight = "bold" if n == 0 else "normal"
            y = 1 - (0.22 + 0.26 * n) / (height + head)
            self.figure.text(0.15 / (width + beside), y, told, fontsize=size, fontweight=weight, va="center")

    def over(self) -> Axes:
        """New axes over the map, with its coordinates."""
        axis = self.figure.add_axes(self._place)
        axis.set_xlim(*self._limits[0])
        axis.set_ylim(*self._limits[1])
        axis.set_axis_off()
        return axis

    def beside(self) -> Axes:
        """New axes for what is kept free beside the map; inches from its upper left corner."""
        width, height = self.figure.get_size_inches()
        across = self._place[2]
        axis = self.figure.add_axes((across, 0.0, 1 - across, 1.0))
        axis.set_xlim(0, (1 - across) * width)
        axis.set_ylim(height, 0)
        axis.set_axis_off()
        return axis


def _text(value: str) -> str:
    return printable(value).replace("$", r"\$")


class _Drawing:
    """One sheet: where things are, and how large."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet, self.map, self.grid = sheet, sheet.map, sheet.grid
        self.turn = 30 if self.grid.flat else 0
        q, r = self.map.axes
        self.hexes: list[Hex] = list(zip(q.tolist(), r.tolist(), strict=True))
        xs, ys = zip(*(self.grid.centre(hex_) for hex_ in self.hexes), strict=True)
        self.bounds = min(xs) - 1.9, min(ys) - 1.6, max(xs) + 1.5, max(ys) + 1.4
        across = max(xs) - min(xs) + 3
        self.inches = min(max(17 / across, min(0.46, 30 / across)), 0.85)
        self.looks = self._looks()

    def _looks(self) -> dict[str, Look]:
        found, spare = {}, 0
        for key in self.sheet.legend:
            if key.terrain in found:
                continue
            look = _LOOKS.get(key.terrain)
            if look is None:
                look, spare = _OTHERS[spare % len(_OTHERS)], spare + 1
            found[key.terrain] = look
        return found

    def points(self, hexes: float, least: float = 0, most: float = 99) -> float:
        """A length in points."""
        return min(max(hexes * self.inches * 72, least), most)

    def corner(self, centre: Point, angle: float, size: float = 1.0) -> Point:
        """A corner of a hex, by its direction in degrees from direction 0, clockwise."""
        a = radians(self.turn + angle)
        return centre[0] + size * cos(a) / sqrt(3), centre[1] + size * sin(a) / sqrt(3)

    def side(self, side: Hexside, size: float = 1.0) -> tuple[Point, Point]:
        """The ends of a hexside."""
        centre = self.grid.centre(side[0])
        return (
            self.corner(centre, 60 * side[1] - 30, size),
            self.corner(centre, 60 * side[1] + 30, size),
        )

    def outline(self, centre: Point, size: float = 1.0) -> list[Point]:
        """The corners of a hex."""
        return [self.corner(centre, 60 * n + 30, size) for n in range(6)]

    def colour(self, terrain: str, level: int) -> str:
        """Of the ground: heights show where it is clear."""
        if terrain == "clear" and level > 0:
            return _HEIGHTS[min(level, len(_HEIGHTS)) - 1]
        if terrain == "clear" and level < 0:
            return _DEPTHS[min(-level, len(_DEPTHS)) - 1]
        return self.looks[terrain].colour

    # -- ground -----------------------------------------------------------------------------------

    def ground(self, axis: Axes) -> None:
        """Every hex."""
        kinds: dict[tuple[str, int], list[Point]] = {}
        for hex_ in self.hexes:
            kind = self.map.terrain.get(hex_, "clear"), self.map.elevation.get(hex_, 0)
            kinds.setdefault(kind, []).append(self.grid.centre(hex_))
        for (terrain, level), centres in kinds.items():
            self.fill(axis, centres, terrain, level)

    def fill(self, axis: Axes, centres: Sequence[Point], terrain: str, level: int) -> None:
        """Hexes of one kind."""
        from matplotlib.collections import PolyCollection

        axis.add_collection(
            PolyCollection(
                [self.outline(centre) for centre in centres],
                facecolors=self.colour(terrain, level),
                edgecolors="#a39b86",
                linewidths=0.5,
                zorder=1,
            )
        )
        for mark, colour, size, places in self.looks[terrain].marks if terrain in self.looks else ():
            at = [(x + dx, y + dy) for x, y in centres for dx, dy in places]
            axis.scatter(
                [x for x, _ in at],
                [y for _, y in at],
                s=self.points(size) ** 2,
                marker=mark,
                color=colour,
                linewidths=self.points(0.035) if mark in "_|x" else 0,
                zorder=2,
            )
        if level and terrain != "clear":
            for x, y in centres:
                axis.text(
                    x + 0.3,
                    y + 0.26,
                    f"{level:+}",
                    fontsize=self.points(0.16, 4),
                    ha="center",
                    va="center",
                    color="#5a4a20",
                    zorder=6,
                )

    def heat(self, axis: Axes, figure: Figure, heat: Mapping[Hex, float], label: str) -> None:
        """Hexes tinted by a number, with a scale."""
        from matplotlib.collections import PolyCollection

        hexes = [hex_ for hex_, value in heat.items() if value]
        drawn = PolyCollection(
            [self.outline(self.grid.centre(hex_)) for hex_ in hexes],
            cmap="inferno_r",
            alpha=0.75,
            zorder=3,
        )
        drawn.set_array([heat[hex_] for hex_ in hexes])
        drawn.set_clim(0, max([heat[hex_] for hex_ in hexes], default=1.0))
        axis.add_collection(drawn)
        wide, high = figure.get_size_inches()
        place = figure.add_axes((1 - 3.4 / wide, 1 - 0.4 / high, 3.0 / wide, 0.12 / high))
        bar = figure.colorbar(drawn, cax=place, orientation="horizontal")
        bar.ax.tick_params(labelsize=7)
        bar.ax.set_title(_text(label), fontsize=8, pad=2, loc="left")

    # -- hexsides and roads -----------------------------------------------------------------------

    def sides(self, axis: Axes) -> None:
        """Water, slopes and walls."""
        named: dict[str, list[Hexside]] = {}
        for side, name in sorted(self.map.hexsides.items()):
            if self.map.holds(side[0]) and (
                not self.map.holds(neighbour(*side)) or self.map.number(side[0]) < self._across(side)
            ):
                named.setdefault(name, []).append(side)
        for name, sides in named.items():
            if name == "slope":
                self._slopes(axis, [(self._low(side), *self.side(side)) for side in sides])
            else:
                self._lines(axis, name, [self.side(side) for side in sides])

    def _across(self, side: Hexside) -> int:
        return self.map.number(neighbour(*side))

    def _low(self, side: Hexside) -> Point | None:
        """The middle of the lower hex beside a slope; None where both are as high."""
        hexes = side[0], neighbour(*side)
        levels = [self.map.elevation.get(hex_, 0) for hex_ in hexes]
        if levels[0] == levels[1]:
            return None
        return self.grid.centre(hexes[levels.index(min(levels))])

    def _lines(self, axis: Axes, name: str, segments: Sequence[Sequence[Point]]) -> None:
        from matplotlib.collections import LineCollection

        colour, width, dashes = _SIDES.get(name, _OTHER_SIDE)
        drawn = LineCollection(
            segments, colors=colour, linewidths=self.points(width), linestyles=[dashes], zorder=4
        )
        drawn.set_capstyle("round" if dashes == "-" else "butt")
        axis.add_collection(drawn)

    def _slopes(self, axis: Axes, slopes: Iterable[tuple[Point | None, Point, Point]]) -> None:
        """Strokes down a slope; both ways where no level says which way is down."""
        from matplotlib.collections import LineCollection

        strokes: list[list[Point]] = []
        for low, (ax, ay), (bx, by) in slopes:
            strokes.append([(ax, ay), (bx, by)])
            across = (ay - by) * 0.26, (bx - ax) * 0.26
            if low is not None and across[0] * (low[0] - ax) + across[1] * (low[1] - ay) < 0:
                across = -across[0], -across[1]
            for part in (0.1, 0.3, 0.5, 0.7, 0.9):
                x, y = ax + part * (bx - ax), ay + part * (by - ay)
                back = 0.0 if low is not None else 1.0
                start = x - back * across[0], y - back * across[1]
                strokes.append([start, (x + across[0], y + across[1])])
        axis.add_collection(
            LineCollection(strokes, colors="#6f5428", linewidths=self.points(0.022, 0.5), zorder=3)
        )

    def roads(self, axis: Axes) -> None:
        """From the middle of a hex to those of the next."""
        sides = [side for side in sorted(self.map.roads) if self.map.number(side[0]) < self._across(side)]
        ways = [[self.grid.centre(hex_), self.grid.centre(neighbour(hex_, d))] for hex_, d in sides]
        self._road(axis, [*ways, *self._ways_off()])

    def _ways_off(self) -> Iterator[list[Point]]:
        """Roads that end at the map's border lead on over it, as straight as they can."""
        for chain in self.sheet.roads:
            for end, before in ((chain[0], chain[1]), (chain[-1], chain[-2])):
                here, back = self.grid.centre(end), self.grid.centre(before)
                ahead = here[0] - back[0], here[1] - back[1]
                ways = []
                for d in range(6):
                    if not self.map.holds(neighbour(end, d)):
                        (ax, ay), (bx, by) = self.side((end, d))
                        x, y = (ax + bx) / 2, (ay + by) / 2
                        ways.append(((x - here[0]) * ahead[0] + (y - here[1]) * ahead[1], (x, y)))
                if ways and max(ways)[0] > 0:
                    yield [here, max(ways)[1]]

    def _road(self, axis: Axes, segments: Sequence[Sequence[Point]]) -> None:
        from matplotlib.collections import LineCollection

        for colour, width, order in (("#6f4e1e", 0.115, 5.0), ("#f2dfb0", 0.06, 5.1)):
            drawn = LineCollection(segments, colors=colour, linewidths=self.points(width), zorder=order)
            drawn.set_capstyle("round")
            axis.add_collection(drawn)

    def bridges(self, axis: Axes) -> None:
        """Two rails and a deck across the hexside."""
        for side in sorted(self.map.bridges):
            if self.map.number(side[0]) < self._across(side):
                (ax, ay), (bx, by) = self.side(side)
                self._bridge(axis, ((ax + bx) / 2, (ay + by) / 2), (bx - ax, by - ay))

    def _bridge(self, axis: Axes, at: Point, along: Point) -> None:
        from matplotlib.patches import Polygon

        x, y = at
        ux, uy = along[0] * sqrt(3), along[1] * sqrt(3)
        vx, vy = -uy, ux
        deck = [
            (x + 0.13 * a * ux + 0.22 * b * vx, y + 0.13 * a * uy + 0.22 * b * vy)
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        axis.add_patch(Polygon(deck, facecolor="white", edgecolor="none", zorder=5.4))
        for rail in (deck[::3], deck[1:3]):
            axis.plot(
                [one[0] for one in rail],
                [one[1] for one in rail],
                color="black",
                linewidth=self.points(0.05, 1.0),
                zorder=5.5,
                solid_capstyle="round",
            )

    # -- words ------------------------------------------------------------------------------------

    def numbers(self, axis: Axes) -> None:
        """The number of each hex, at its top; on maps of many hexes of each fifth column and row."""
        from matplotlib.patheffects import withStroke

        size = self.points(0.155)
        every = size >= 4.9
        half = len(self.grid.first) // 2
        up = 0.38 if self.grid.flat else 0.36
        crossed = {hex_ for hex_, _ in self.map.roads}
        middle: dict[str, Any] = {"ha": "center", "va": "center"}
        ruler = middle | {"fontsize": self.points(0.26, 5, 8), "color": "#444444"}
        number = middle | {"fontsize": size if every else 5, "color": "#5d5748"}
        for hex_ in self.hexes:
            label = self.grid.label(hex_)
            column, row = self.grid.column_row(hex_)
            x, y = self.grid.centre(hex_)
            if every or (int(label[:half]) % 5 == 0 and int(label[half:]) % 5 == 0):
                drawn = axis.text(x, y - up, label, zorder=6, **number)
                if hex_ in crossed:
                    colour = self.colour(self.map.terrain.get(hex_, "clear"), self.map.elevation.get(hex_, 0))
                    drawn.set_path_effects([withStroke(linewidth=1.6, foreground=colour)])
            if row == 0:
                axis.text(x, self.bounds[1] + 0.25, label[:half], **ruler)
            if column == 0:
                axis.text(self.bounds[0] + 0.35, y, label[half:], **ruler)

    def edges(self, axis: Axes) -> None:
        """The outer sides of entry and exit hexes, with the name beside them."""
        for name, hexes in self.map.edges.items():
            outer = [(hex_, d) for hex_ in hexes for d in range(6) if not self.map.holds(neighbour(hex_, d))]
            if not outer:
                continue
            segments = [self.side(side, 1.12) for side in outer]
            self._edge(axis, segments)
            xs = [x for one in segments for x, _ in one]
            ys = [y for one in segments for _, y in one]
            left, top, right, bottom = min(xs), min(ys), max(xs), max(ys)
            x, y, tall = (left + right) / 2, (top + bottom) / 2, bottom - top > right - left
            if tall:
                x = left - 0.32 if x < (self.bounds[0] + self.bounds[2]) / 2 else right + 0.32
            else:
                y = top - 0.32 if y < (self.bounds[1] + self.bounds[3]) / 2 else bottom + 0.36
            self._word(axis, (x, y), name, _EDGE, self.points(0.27, 6.5, 11), 90 if tall else 0)

    def _edge(self, axis: Axes, segments: Sequence[Sequence[Point]]) -> None:
        from matplotlib.collections import LineCollection

        dashes = [(0, (1.6, 0.7))]
        axis.add_collection(
            LineCollection(segments, colors=_EDGE, linewidths=self.points(0.1), linestyles=dashes, zorder=5)
        )

    def places(self, axis: Axes, counters: Sequence[Counter]) -> None:
        """The names of places: in their middle, or as near to it as words and counters leave room."""
        filled = [(*self.grid.centre(one.hex), 0.8, 0.8) for one in counters]
        for name, hexes in self.map.places.items():
            if not hexes:
                continue
            centres = [self.grid.centre(hex_) for hex_ in hexes]
            x, y = (sum(parts) / len(centres) for parts in zip(*centres, strict=True))
            size = self.points(0.36 if len(hexes) > 5 else 0.3, 6.5, 14) * (0.8 if counters else 1.0)
            if len(hexes) < 3:
                y += 0.34
            wide, high = 0.62 * size * len(name) / self.points(1), 1.4 * size / self.points(1)
            place = next((y + by for by in _NEARBY if _free(filled, x, y + by, wide, high)), y)
            filled.append((x, place, wide, high))
            self._word(axis, (x, place), name, "black", size, 0, 7)

    def _word(
        self, axis: Axes, at: Point, text: str, colour: str, size: float, turned: float, order: float = 12
    ) -> None:
        from matplotlib.patheffects import withStroke

        axis.text(
            *at,
            _text(text),
            fontsize=size,
            fontweight="bold",
            color=colour,
            ha="center",
            va="center",
            rotation=turned,
            zorder=order,
            path_effects=[withStroke(linewidth=2.2, foreground="#fffdf5")],
        )

    # -- counters ---------------------------------------------------------------------------------

    def counters(self, axis: Axes, counters: Sequence[Counter]) -> None:
        """Units, those of a hex one above the other: the first on top."""
        stacks: dict[Hex, list[Counter]] = {}
        for counter in counters:
            stacks.setdefault(counter.hex, []).append(counter)
        for hex_, stack in stacks.items():
            x, y = self.grid.centre(hex_)
            shown = stack[:3]
            for depth in range(len(shown) - 1, -1, -1):
                counter, lift = shown[depth], 0.09 * (depth - (len(shown) - 1) / 2)
                if counter.second is not None:
                    self._second(axis, counter)
                self.counter(axis, (x + lift, y - lift), counter, 10 - 0.5 * depth, depth == 0)
            if len(stack) > 1:
                self._word(axis, (x - 0.36, y - 0.34), f"{len(stack)}×", "black", self.points(0.2, 5), 0)

    def _second(self, axis: Axes, counter: Counter) -> None:
        if counter.second is None:
            return
        (ax, ay), (bx, by) = self.grid.centre(counter.hex), self.grid.centre(counter.second)
        for colour, width in ((INKS[counter.side], 0.34), (_COLOURS[counter.side], 0.26)):
            axis.plot(
                [ax, bx],
                [ay, by],
                color=colour,
                linewidth=self.points(width),
                solid_capstyle="round",
                zorder=8,
            )

    def counter(self, axis: Axes, at: Point, counter: Counter, order: float, told: bool = True) -> None:
        """A unit: side by colour, arm by symbol, formation, strength, state, and a wedge that shows its
        front."""
        from matplotlib.patches import FancyBboxPatch, Polygon, Rectangle

        x, y = at
        ink = INKS[counter.side]
        fill_ = _COLOURS[counter.side] if counter.state != ROUTED else "#ffffff"
        half = 0.33
        axis.add_patch(
            FancyBboxPatch(
                (x - half, y - half),
                2 * half,
                2 * half,
                boxstyle="round,pad=0,rounding_size=0.07",
                facecolor=fill_,
                edgecolor=ink,
                linewidth=self.points(0.04, 0.8),
                linestyle="--" if counter.state == ROUTED else "-",
                hatch="////" if counter.state == DISORDERED else None,
                zorder=order,
            )
        )
        if counter.facing is not None and told:
            a = radians(self.turn + 30 * counter.facing)
            ux, uy = cos(a), sin(a)
            tip = x + 0.56 * ux, y + 0.56 * uy
            base = [(x + 0.4 * ux + s * uy, y + 0.4 * uy - s * ux) for s in (-0.2, 0.2)]
            wedge = Polygon([tip, *base], facecolor=ink, edgecolor="white", linewidth=0.5)
            wedge.set_zorder(order + 0.1)
            axis.add_patch(wedge)
        if counter.formation < 0:
            axis.scatter([x], [y - 0.06], marker="*", s=self.points(0.36) ** 2, color=ink, zorder=order + 0.2)
        else:
            box = x - 0.2, y - 0.24, 0.4, 0.24
            axis.add_patch(
                Rectangle(
                    box[:2],
                    box[2],
                    box[3],
                    facecolor="white",
                    edgecolor=ink,
                    linewidth=self.points(0.03, 0.6),
                    zorder=order + 0.2,
                )
            )
            for line in _SYMBOLS.get(counter.arm, ()):
                axis.plot(
                    [box[0] + u * box[2] for u, _ in line],
                    [box[1] + v * box[3] for _, v in line],
                    color=ink,
                    linewidth=self.points(0.03, 0.6),
                    zorder=order + 0.3,
                )
            if counter.arm == ARTILLERY:
                dot = self.points(0.12) ** 2
                axis.scatter([x], [y - 0.12], s=dot, color=ink, linewidths=0, zorder=order + 0.3)
        if told:
            self._foot(axis, at, counter, order)

    def _foot(self, axis: Axes, at: Point, counter: Counter, order: float) -> None:
        """What is written on a counter: formation and strength, state, and the name under it."""
        x, y = at
        size = self.points(0.16, 3.6)
        what = {DISORDERED: "DD", ROUTED: "PGD"}.get(counter.state)
        formation = what or (_SHORT[counter.formation] if counter.formation >= 0 else "")
        lost = counter.printed - counter.increments
        strength = f"{counter.increments}" + (f" (−{lost})" if lost > 0 else "")
        patch = {"facecolor": "#fffdf5", "edgecolor": "none", "pad": 0.4} if what else None
        for text, down in ((formation, 0.085), (strength if counter.formation >= 0 else "", 0.235)):
            axis.text(
                x,
                y + down,
                text,
                fontsize=size,
                ha="center",
                va="center",
                color="black",
                fontweight="bold",
                zorder=order + 0.4,
                bbox=patch if text == what else None,
            )
        if counter.name and self.inches >= 0.6:
            self._word(axis, (x, y + 0.44), counter.name, "black", self.points(0.13, 4.5, 8), 0)

    # -- legend -----------------------------------------------------------------------------------

    def legend(self, counters: Sequence[Counter], sides: Sequence[str]) -> list[tuple[Any, str]]:
        """What the map shows: how each is drawn at a point of the drawing, and its words."""
        return list(self._entries(counters, sides))

    def _entries(self, counters: Sequence[Counter], sides: Sequence[str]) -> Iterator[tuple[Any, str]]:
        for key in self.sheet.legend:
            level = f", level {key.level}" if key.level else ""
            yield (
                lambda axis, at, key=key: self.fill(axis, [at], key.terrain, key.level),
                f"{key.terrain}{level}",
            )
        for name in dict.fromkeys(self.map.hexsides.values()):
            if name == "slope":
                yield (
                    lambda axis, at: self._slopes(axis, [(_below(at), *_level(at))]),
                    "slope down",
                )
            else:
                yield (lambda axis, at, name=name: self._lines(axis, name, [_level(at)]), name)
        if self.map.roads:
            yield (lambda axis, at: self._road(axis, [_level(at)]), "road")
        if self.map.bridges:
            yield (lambda axis, at: self._bridge(axis, at, (0.0, 1 / sqrt(3))), "bridge over a hexside")
        if self.map.edges:
            yield (lambda axis, at: self._edge(axis, [_level(at)]), "entry or exit")
        yield (self._scale, "1 hex = 100 m")
        present = {counter.side for counter in counters}
        for side in sorted(present):
            sample = Counter((0, 0), side, INFANTRY, 0, 0, None, 9, 9)
            yield (lambda axis, at, one=sample: self.counter(axis, at, one, 10), f"{sides[side]}; infantry")
        if counters:
            first = min(present)
            for text, sample in (
                ("cavalry, 2 lost", Counter((0, 0), first, CAVALRY, 0, 0, None, 7, 9)),
                ("guns; wedge: front", Counter((0, 0), first, ARTILLERY, 8, 0, 1, 3, 3)),
                ("disordered", Counter((0, 0), first, INFANTRY, 0, DISORDERED, None, 6, 6)),
                ("routed", Counter((0, 0), first, INFANTRY, 0, ROUTED, None, 6, 6)),
            ):
                yield (lambda axis, at, one=sample: self.counter(axis, at, one, 10), text)

    def _scale(self, axis: Axes, at: Point) -> None:
        x, y = at
        axis.plot([x - 0.5, x + 0.5], [y, y], color="black", linewidth=1)
        for end in (x - 0.5, x + 0.5):
            axis.plot([end, end], [y - 0.12, y + 0.12], color="black", linewidth=1)


_SYMBOLS: dict[int, tuple[tuple[Point, Point], ...]] = {
    INFANTRY: (((0, 0), (1, 1)), ((0, 1), (1, 0))),
    CAVALRY: (((0, 1), (1, 0)),),
}
"""Lines of the symbol of an arm, in its box."""


_NEARBY = (0.0, 0.4, -0.4, 0.8, -0.8, 1.2, -1.2)
"""How far down a word may be moved from where it belongs, the first the best."""


def _free(filled: Sequence[tuple[float, ...]], x: float, y: float, wide: float, high: float) -> bool:
    """Whether a word has room: nothing else stands there (middle, width and height)."""
    return not any(
        abs(x - at) < (wide + w) / 2 and abs(y - down) < (high + h) / 2 for at, down, w, h in filled
    )


def _level(at: Point) -> tuple[Point, Point]:
    """A level line of a legend."""
    return (at[0] - 0.5, at[1]), (at[0] + 0.5, at[1])


def _below(at: Point) -> Point:
    return at[0], at[1] + 1.0
