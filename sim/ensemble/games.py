"""Games: every outcome of every roll and every option of every choice as one graph, and the best policies by
backward induction.

Lanes are positions. A roll leads from a position to others by chance, a choice by will, and where lanes have
become equal their positions are one: what comes after depends on nothing else. Everybody sees everything, and
no two choose at a time, so that the best option of each position follows from those behind it.

Worths of ends are whole numbers, several of them an end (measures). Those of positions are exact: whole
numbers over a power of `dice.ROLL`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sim.ensemble.cases import Cases
from sim.ensemble.dice import ROLL, Chart, Decision, Enumeration, Split
from sim.ensemble.lanes import Ensemble, Ids

C = TypeVar("C", bound=Cases)

END, CHOICE = -1, 0
"""What a position is that is no roll: a roll is known by the number of its faces."""


@dataclass(frozen=True)
class Choice:
    """A position in which somebody chooses.

    Attributes
    ----------
    name, by, about
        What is chosen, the unit of whose action it comes, and the unit that it is about.
    options
        The options that there are here, by name.
    known
        What a policy is told by.
    """

    name: str
    by: int
    about: int
    options: tuple[str, ...]
    known: Mapping[str, int]


class Worth(NamedTuple):
    """The worth of a position: one whole number a measure, over `ROLL ** rolls`."""

    rolls: int
    parts: tuple[int, ...]

    def fractions(self) -> tuple[Fraction, ...]:
        """The measures."""
        return tuple(Fraction(part, ROLL**self.rolls) for part in self.parts)


Pick = Callable[[int, Choice, Sequence[Worth]], int]
"""Who chooses: from a position, its choice and the worth of each option, the number of an option."""


class Game:
    """The positions of a game, by number; what follows has a greater number than what it follows.

    Attributes
    ----------
    kind
        The faces of a roll, `CHOICE` or `END`, of each position.
    ways
        What follows each position: after a roll (faces, position), after a choice (option, position).
    choices
        The choices, by position.
    roots
        Where the game begins, one position a variant.
    """

    def __init__(self, roots: int) -> None:
        self.kind = [END] * roots
        self.ways: list[tuple[tuple[int, int], ...]] = [()] * roots
        self.choices: dict[int, Choice] = {}
        self.roots = range(roots)

    def __len__(self) -> int:
        return len(self.kind)

    def more(self, number: int) -> range:
        """New positions, ends so far."""
        first = len(self.kind)
        self.kind += [END] * number
        self.ways += [()] * number
        return range(first, first + number)

    def induct(self, ends: Mapping[int, tuple[int, ...]], pick: Pick) -> tuple[list[Worth], dict[int, int]]:
        """The worth of each position, from the last to the first, and the option picked at each choice.

        Parameters
        ----------
        ends
            The measures of each end, by position.
        pick
            Who chooses.
        """
        worths = [Worth(0, ())] * len(self.kind)
        picked: dict[int, int] = {}
        powers = [1]
        for position in range(len(self.kind) - 1, -1, -1):
            kind, ways = self.kind[position], self.ways[position]
            if not ways:
                worths[position] = Worth(0, ends[position])
            elif kind == CHOICE:
                worth = [worths[after] for _, after in ways]
                picked[position] = number = pick(position, self.choices[position], worth)
                worths[position] = worth[number]
            else:
                worths[position] = _mean(kind, ways, worths, powers)
        return worths, picked

    def chances(self, root: int, picked: Mapping[int, int]) -> list[Fraction]:
        """How probable each position is, if the picked options are taken."""
        found = [Fraction(0)] * len(self.kind)
        found[root] = Fraction(1)
        for position, (kind, ways) in enumerate(zip(self.kind, self.ways, strict=True)):
            chance = found[position]
            if not chance or not ways:
                continue
            if kind == CHOICE:
                found[ways[picked[position]][1]] += chance
            else:
                for faces, after in ways:
                    found[after] += chance * Fraction(faces, kind)
        return found


def _mean(faces: int, ways: Sequence[tuple[int, int]], worths: Sequence[Worth], powers: list[int]) -> Worth:
    """The worth of a roll of so many faces."""
    follow = [worths[after] for _, after in ways]
    first = follow[0]
    if all(one == first for one in follow):
        return first
    most, each = max(one.rolls for one in follow), ROLL // faces
    while len(powers) <= most:
        powers.append(powers[-1] * ROLL)
    total = [0] * len(first.parts)
    for (count, _), (rolls, parts) in zip(ways, follow, strict=True):
        scale = count * each * powers[most - rolls]
        for measure, part in enumerate(parts):
            total[measure] += scale * part
    return Worth(most + 1, tuple(total))


class GameDice(Enumeration):
    """Every outcome of every roll and every option of every choice.

    Attributes
    ----------
    game
        What came of it.
    position
        Where each lane is.
    """

    def begin(
        self, ensemble: Ensemble, shown: Callable[[Decision], str] = lambda decision: decision.name
    ) -> None:
        super().begin(ensemble, shown)
        self.game = Game(ensemble.n)
        self.position = [*self.game.roots]

    def choose(
        self,
        name: str,
        cases: C,
        options: Sequence[str],
        possible: NDArray[np.bool_],
        known: Mapping[str, NDArray[Any]],
    ) -> tuple[C, Ids]:
        """As for `Dice.choose`: every option that there is, in a lane of its own; shape (m,)."""
        cases.fresh()
        if not len(cases):
            return cases, np.zeros(0, np.intp)
        before = [self.position[lane] for lane in cases.lane.tolist()]
        lanes, case, option = self._spread_all(name, cases.lane, possible)
        facts = {fact: np.broadcast_to(values, len(cases)).tolist() for fact, values in known.items()}
        for number, (first, after) in _runs(case):
            if after - first > 1:
                mine = option[first:after].tolist()
                self.game.choices[before[number]] = Choice(
                    name,
                    int(cases.by[number]),
                    int(cases.unit[number]),
                    tuple(options[one] for one in mine),
                    {fact: values[number] for fact, values in facts.items()},
                )
                self._branch(before[number], CHOICE, range(len(mine)), lanes[first:after].tolist())
        return cases.take(case, lanes), option

    def _split(
        self, decision: Decision, lanes: Ids, chart: Chart, column: NDArray[Any], shift: NDArray[Any]
    ) -> Split:
        before = [self.position[lane] for lane in lanes.tolist()]
        split, faces = self._every_outcome(decision, lanes, chart, column, shift)
        result, case, _ = split
        for number, (first, after) in _runs(case):
            if after - first > 1:
                counts = faces[first:after].tolist()
                self._branch(before[number], chart.faces, counts, result[first:after].tolist())
        return split

    def _branch(self, position: int, kind: int, told: Sequence[int], lanes: Sequence[int]) -> None:
        """Lanes go on from a position, each at a new one."""
        game, follow = self.game, self.game.more(len(lanes))
        game.kind[position], game.ways[position] = kind, tuple(zip(told, follow, strict=True))
        self.position += [0] * (self.ensemble.n - len(self.position))
        for lane, after in zip(lanes, follow, strict=True):
            self.position[lane] = after

    def _merged(self, into: Ids) -> None:
        """Of positions that have become one the last goes on, and the others lead to it for certain."""
        last = [-1] * self.ensemble.n
        for lane, position in zip(into.tolist(), self.position, strict=True):
            last[lane] = max(last[lane], position)
        for lane, position in zip(into.tolist(), self.position, strict=True):
            if position != last[lane]:
                self.game.kind[position], self.game.ways[position] = 1, ((1, last[lane]),)
        self.position = last


def _runs(case: Ids) -> Iterator[tuple[int, tuple[int, int]]]:
    """Each case, in rising order, and where its elements begin and end."""
    starts = np.flatnonzero(np.diff(case, prepend=-1)).tolist()
    return zip(case[starts].tolist(), zip(starts, [*starts[1:], len(case)], strict=True), strict=True)
