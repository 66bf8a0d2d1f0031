"""Rule sets whose blocks remember what was read of them, so that a test can tell which values no charge,
chart or check ever uses.

A block notes the place of every value that is taken from it. What a rulebook compiles as a whole into arrays
and tables (the charts, the lines of modifiers, the factors of melee) does not count as used by that: a line
counts once its conditions have held, a column of a chart once dice have been rolled on it, a row of the
recall chart once it was chosen, a cell of a table of numbers once it was looked up.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import pytest

from sim.ensemble import ladder
from sim.ensemble.dice import Chart
from sim.inputs.documents import Key
from sim.inputs.fields import Built
from sim.rulesets import blocks, catalogue, compiled, conditions, modifiers, rulebook
from sim.rulesets.blocks import RecallRow
from sim.rulesets.catalogue import RuleSet
from sim.rulesets.compiled import SHAPES, FireDefence, MatrixTable
from sim.rulesets.conditions import When
from sim.rulesets.modifiers import Modifier
from sim.rulesets.rulebook import Rulebook
from sim.vocabulary import GENERAL_ORDER, MASSE, ROAD_MARCH, STATES

COMPILED = (
    *((block, "modifiers") for block in ("carre", "stand", "recall", "morale", "premelee")),
    ("carre", "rows"),
    ("carre", "barred"),
    ("recall", "rows"),
    ("fire", "table"),
    ("fire", "defence"),
    ("matrix", "rows"),
    ("melee", "table"),
    ("melee", "multipliers"),
)
"""Parts that are used only where a line applies, a row is chosen, a column is rolled on or a cell is looked
up."""
ROWS = (blocks.Rows, blocks.DefenceRow, blocks.DefenceChart)
"""Objects whose `rows` stand in the block itself."""
STAND_INS = (MASSE, ROAD_MARCH, GENERAL_ORDER)
"""Formations for which a column stands in where a terrain has no fire defence of theirs."""


class Trace:
    """What was read of one rule set's data.

    Attributes
    ----------
    used
        Places whose values, and all below them, have been used.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.used: set[Key] = set()
        self.document = rules.merged
        self.blocks: Any = self.traced(rules.blocks, ())

    def traced(self, value: Any, key: Key) -> Any:
        """A value that notes what is read of it."""
        if isinstance(value, Mapping):
            return _Mapping({name: self.traced(one, (*key, name)) for name, one in value.items()}, self, key)
        if type(value) is tuple:
            return _Tuple([self.traced(one, (*key, i)) for i, one in enumerate(value)], self, key)
        if isinstance(value, Built):
            return self._traced_object(value, key)
        return value

    def _traced_object(self, value: Any, key: Key) -> Any:
        """An object whose attributes are noted as read under the keys from which they were made; its place is
        its `_place`."""
        kind = type(value)
        places = {
            name: key if name == "rows" and issubclass(kind, ROWS) else (*key, name.removesuffix("_"))
            for name in value.attributes
        }
        children = {name: self.traced(getattr(value, name), place) for name, place in places.items()}

        def get(this: Any, name: str) -> Any:
            return (
                self.read(places[name], children[name])
                if name in places
                else object.__getattribute__(this, name)
            )

        return object.__new__(type(kind.__name__, (kind,), {"__getattribute__": get, "_place": (self, key)}))

    def read(self, key: Key, value: Any) -> Any:
        """A value is taken; containers count only by what is taken from them, and compiled parts by what is
        made of them."""
        if not isinstance(value, _Mapping | _Tuple | Built) and not _is_compiled(key):
            self.used.add(key)
        return value

    def use(self, *key: Any) -> None:
        """A part is used as a whole."""
        self.used.add(key)

    def is_used(self, key: Key) -> bool:
        """Whether a value, or a part that holds it, was used."""
        return any(key[:end] in self.used for end in range(1, len(key) + 1))


def _is_compiled(key: Key) -> bool:
    return any(key[: len(part)] == part for part in COMPILED)


class _Mapping(dict[Any, Any]):
    def __init__(self, values: dict[Any, Any], trace: Trace, key: Key) -> None:
        super().__init__(values)
        self.trace, self.key = trace, key

    def __getitem__(self, name: Any) -> Any:
        return self.trace.read((*self.key, name), super().__getitem__(name))

    def get(self, name: Any, default: Any = None) -> Any:
        return self[name] if super().__contains__(name) else default

    def __iter__(self) -> Iterator[Any]:
        return super().__iter__()

    def __contains__(self, name: Any) -> bool:
        found = super().__contains__(name)
        if found and super().__getitem__(name) is True:
            self.trace.read((*self.key, name), True)  # a flag that is asked for by its name
        return found

    def items(self) -> Any:
        return [(name, self[name]) for name in self]

    def values(self) -> Any:
        return [self[name] for name in self]


class _Tuple(tuple[Any, ...]):
    trace: Trace
    key: Key

    def __new__(cls, values: Sequence[Any], trace: Trace, key: Key) -> Self:
        made = super().__new__(cls, values)
        made.trace, made.key = trace, key
        return made

    def __getitem__(self, at: Any) -> Any:
        value = super().__getitem__(at)
        return self.trace.read((*self.key, at), value) if isinstance(at, int) else value

    def __iter__(self) -> Iterator[Any]:
        for i in range(len(self)):
            yield self[i]

    def __contains__(self, item: object) -> bool:
        return any(one == item for one in self)


class Tracing:
    """Everything that is loaded while this is in force is traced.

    Attributes
    ----------
    traces
        Rule set's name to what was read of it.
    """

    def __init__(self, patch: pytest.MonkeyPatch, load: Callable[..., RuleSet] = catalogue.load) -> None:
        self.traces: dict[str, Trace] = {}
        self._rules: dict[str, RuleSet] = {}
        self._lines: dict[int, tuple[Any, Trace, Key]] = {}
        self._charts: dict[int, tuple[Chart, set[int]]] = {}
        self._books: list[tuple[Rulebook, Trace]] = []
        self._load = load
        patch.setattr(catalogue, "load", self.load)
        patch.setattr(rulebook, "_books", {})
        self._watch_books(patch)
        self._watch_tables(patch)
        self._watch_lines(patch)
        self._watch_charts(patch)

    def load(self, name: str, *given: Any, **more: Any) -> RuleSet:
        """A traced rule set, the same for each name."""
        if name not in self._rules:
            rules = self._load(name, *given, **more)
            trace = self.traces[rules.name] = Trace(rules)
            self._rules[name] = replace(rules, blocks=trace.blocks)
        return self._rules[name]

    def _watch_books(self, patch: pytest.MonkeyPatch) -> None:
        """A rulebook's switches are those of the data; a recall row is used when it is chosen."""
        start, choose = Rulebook.__init__, Rulebook._recall_row

        def begin(book: Rulebook, rules: RuleSet, switches: Mapping[str, Any]) -> None:
            start(book, rules, switches)
            trace = self.traces.get(rules.name)
            if trace is not None:
                book.switches = _Switches(book.switches, trace)
                self._books.append((book, trace))

        def chosen(book: Rulebook, *given: Any, **more: Any) -> RecallRow | None:
            row = choose(book, *given, **more)
            if row is not None and (place := _place(row)):
                place[0].use(*place[1])
            return row

        def named(book: Rulebook, *given: Any, **more: Any) -> RecallRow:
            row = by_name(book, *given, **more)
            if place := _place(row):
                place[0].use(*place[1])
            return row

        by_name = Rulebook.recall_row
        patch.setattr(Rulebook, "__init__", begin)
        patch.setattr(Rulebook, "_recall_row", chosen)
        patch.setattr(Rulebook, "recall_row", named)

    def _watch_tables(self, patch: pytest.MonkeyPatch) -> None:
        """Cells of the matrix and of the fire-defence chart are used when they are looked up."""
        matrix_table, fire_defence = compiled.matrix_table, compiled.fire_defence

        def matrix(block: blocks.Matrix, switches: Mapping[str, Any]) -> MatrixTable:
            table, place = matrix_table(block, switches), _place(block)

            def used(arm: int, state: int, formation: int, letter: int) -> None:
                row = compiled._row(arm, STATES[state], formation) if state < len(STATES) else ""
                if place and row in block.rows and 0 <= letter < len(block.columns):
                    place[0].use("matrix", "rows", row, letter)

            return MatrixTable(**vars(table) | {"effect": _Looked.at(table.effect, used)})

        def defence(chart: blocks.DefenceChart, terrains: Sequence[str]) -> FireDefence:
            table, place = fire_defence(chart, terrains), _place(chart)

            def used(c: int, t: int, shape: int) -> None:
                if place is None:
                    return
                for i, row in enumerate(chart.by_nation):
                    mine = any(table.classes[nation] == c for nation in row.nations)
                    if mine and row.terrain == terrains[t] and row.rows.get(SHAPES[shape]) is not None:
                        place[0].use("fire", "defence", "by_nation", i)
                        return
                for name in (terrains[t], "clear"):
                    for word in (SHAPES[shape], "column") if shape in STAND_INS else (SHAPES[shape],):
                        if name in chart.rows and chart.rows[name].rows.get(word) is not None:
                            place[0].use("fire", "defence", name, word)
                            return

            return FireDefence(**vars(table) | {"value": _Looked.at(table.value, used)})

        patch.setattr(compiled, "matrix_table", matrix)
        patch.setattr(compiled, "fire_defence", defence)

    def _watch_lines(self, patch: pytest.MonkeyPatch) -> None:
        """Lines of tables are used where their conditions hold; values by level where the level is met."""
        modifier, amounts, decide, hold = (
            rulebook._modifier,
            Modifier.amounts,
            conditions.decided,
            modifiers.holds,
        )

        def made(row: blocks.Line, when: When, check: str) -> Modifier:
            line = modifier(row, when, check)
            if place := _place(row):
                column = "defence" if check == "premelee" else "value"
                self._lines[id(line)] = (line, place[0], (*place[1], column))
            return line

        def amounts_of(line: Modifier, known: Any, n: int) -> Any:
            if id(line) in self._lines and n:
                _, trace, (*row, column) = self._lines[id(line)]
                applies = line.applies(known, n)
                if applies.any():
                    for field in trace_row(trace, tuple(row)):
                        if field not in ("values", "attack", "defence") or field == column:
                            trace.use(*row, field)
                    for level, _ in line.values if line.of else ():
                        if (applies & (known[line.of] == level)).any():
                            trace.use(*row, "values", level)
            return amounts(line, known, n)

        def decided(when: When, switches: Mapping[str, Any], check: str) -> When | None:
            found = decide(when, switches, check)
            if isinstance(when, _Tuple) and not _is_compiled(when.key):
                when.trace.use(*when.key)
            if isinstance(when, _Tuple) and found:
                self._lines[id(found)] = (found, when.trace, when.key[:-1])
            return found

        def holds(when: Any, known: Any, n: int) -> Any:
            found = hold(when, known, n)
            if id(when) in self._lines and found.any():
                _, trace, row = self._lines[id(when)]
                if row[-2:-1] != ("modifiers",):
                    trace.use(*row)
            return found

        patch.setattr(rulebook, "_modifier", made)
        patch.setattr(Modifier, "amounts", amounts_of)
        for module in _modules(decide):
            patch.setattr(module, "decided", decided)
        for module in _modules(hold):
            patch.setattr(module, "holds", holds)

    def _watch_charts(self, patch: pytest.MonkeyPatch) -> None:
        rows = Chart.rows

        def rolled(chart: Chart, column: Any, shift: Any) -> Any:
            self._charts.setdefault(id(chart), (chart, set()))[1].update(np.unique(column).tolist())
            return rows(chart, column, shift)

        patch.setattr(Chart, "rows", rolled)

    def settle(self) -> None:
        """Note the columns of charts that were rolled on."""
        for book, trace in self._books:
            for name, columns in (
                ("carre_chart", None),
                ("fire_chart", "fire_columns"),
                ("melee_chart", "melee_columns"),
            ):
                chart = book.__dict__.get(name)
                for number in self._charts.get(id(chart), (None, set[int]()))[1]:
                    if columns is None:
                        self._carre(book, trace, number)
                        continue
                    title = getattr(book, columns)[number % len(getattr(book, columns))]
                    if name == "fire_chart":
                        trace.use("fire", "table", title)
                    else:
                        for face in ladder.FACES:
                            trace.use("melee", "table", int(face), list(book.melee_columns).index(title))

    @staticmethod
    def _carre(book: Rulebook, trace: Trace, number: int) -> None:
        row, distance = divmod(number, 4)
        for field in trace_row(trace, ("carre", "rows", row)):
            if field != "cells":
                trace.use("carre", "rows", row, field)
        trace.use("carre", "rows", row, "cells", distance + 1)


def trace_row(trace: Trace, row: Key) -> list[str]:
    """The fields of a row."""
    here: Any = trace.document
    for part in row:
        here = here[part]
    return list(here)


def _place(value: Any) -> tuple[Trace, Key] | None:
    """Where a traced object was made from."""
    return getattr(value, "_place", None)


class _Looked(np.ndarray[Any, Any]):
    """An array that tells which cells are looked up in it."""

    used: Callable[..., None] | None = None

    @staticmethod
    def at(array: Any, used: Callable[..., None]) -> Any:
        """The same array, telling `used` the numbers of each cell."""
        found = array.view(_Looked)
        found.used = used
        return found

    def __getitem__(self, place: Any) -> Any:
        if self.used is not None:
            for cell in set(
                zip(*(np.ravel(one).tolist() for one in np.broadcast_arrays(*place)), strict=True)
            ):
                self.used(*cell)
        return np.asarray(self)[place]


class _Switches(dict[str, Any]):
    """Switches as decided; a switch that is asked for is used with all it says."""

    def __init__(self, values: Mapping[str, Any], trace: Trace) -> None:
        super().__init__(values)
        self.trace = trace

    def __getitem__(self, name: str) -> Any:
        self.trace.use("switches", name)
        return super().__getitem__(name)


def _modules(original: Callable[..., Any]) -> list[Any]:
    """The modules that have imported a function, or hold it."""
    name = original.__name__
    return [
        module
        for title, module in sys.modules.items()
        if title.startswith("sim") and getattr(module, name, None) is original
    ]


def leaves(value: Any, key: Key = ()) -> Iterator[tuple[Key, Any]]:
    """Every single value of nested data, with its place."""
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from leaves(one, (*key, name))
    elif isinstance(value, list):
        for i, one in enumerate(value):
            yield from leaves(one, (*key, i))
    else:
        yield key, value
