"""Styles against each other: every pair of some doctrines plays a scenario, each of them on both sides.

Each pair plays runs of its own of one seed, so that a count over several pairs is as sure as it looks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sim.errors import InputError
from sim.studies.counts import Counts
from sim.studies.intervals import wilson
from sim.studies.matters import wins
from sim.studies.results import Result
from sim.studies.run import Battles, battles_told, run
from sim.units import battlefiles, scenarios, styles
from sim.units.battles import Scenario

if TYPE_CHECKING:
    import pandas as pd

MOST = 8
"""Doctrines of a tournament, at most."""

Interval = tuple[float, float, float]
"""A share, and its 95 % interval: low, high."""


@dataclass(frozen=True, repr=False, eq=False)
class Tournament(Result):
    """What came of a tournament.

    Attributes
    ----------
    scenario
        As it is given; who plays it differs from pair to pair.
    doctrines
        Their names, in order.
    pairs
        The battles of each pair: row by who plays the first side, column by who plays the second.
    """

    scenario: Scenario
    doctrines: tuple[str, ...]
    pairs: tuple[tuple[Battles, ...], ...]

    @property
    def runs(self) -> int:
        """Battles of each pair."""
        return self.pairs[0][0].runs

    @property
    def seed(self) -> int:
        """The seed of all."""
        return self.pairs[0][0].seed

    def heading(self) -> list[str]:
        """The scenario, what it is played by, and how often."""
        told = self.pairs[0][0].heading()[0]
        return [told, f"{self.scenario.played_by}; {battles_told(self.runs)} a pair, seed {self.seed}"]

    def __repr__(self) -> str:
        return f"<Tournament: {self.scenario.name}, {' v '.join(self.doctrines)}>"

    def score(self, row: int, column: int) -> Interval:
        """The share of a pair's battles that the first side wins, of drawn ones half."""
        return _joined([self.pairs[row][column]], [])

    def spread(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The pairs in which the first side wins least and most."""
        every = [(row, column) for row in range(len(self.pairs)) for column in range(len(self.pairs))]
        return min(every, key=lambda at: self.score(*at)[0]), max(every, key=lambda at: self.score(*at)[0])

    def differs(self) -> bool:
        """Whether the greatest and the least share lie beyond each other's intervals."""
        least, most = self.spread()
        return self.score(*least)[2] < self.score(*most)[1]

    def of(self, doctrine: int, side: int | None = None) -> Interval:
        """The share that a doctrine wins of its battles against the others, on one side or on both."""
        others = [one for one in range(len(self.doctrines)) if one != doctrine]
        first = [self.pairs[doctrine][one] for one in others]
        second = [self.pairs[one][doctrine] for one in others]
        played = {None: (first, second), 0: (first, []), 1: ([], second)}[side]
        return _joined(*played)

    def to_frame(self) -> pd.DataFrame:
        """A row a pair: who plays each side, how often either wins, and the share of the first."""
        import pandas as pd

        rows = []
        for row, first in enumerate(self.doctrines):
            for column, second in enumerate(self.doctrines):
                won, lost, drawn = wins(self._counts(row, column), self.scenario)
                share, low, high = self.score(row, column)
                told = {"first": first, "second": second, "runs": self.runs}
                told |= {"first_wins": won, "second_wins": lost, "drawn": drawn}
                rows.append(told | {"share": share, "low": low, "high": high})
        return pd.DataFrame(rows)

    def summary(self) -> pd.DataFrame:
        """The share of the first side by who plays it, and by who plays the second, in per cent."""
        import pandas as pd

        shares = [[100 * self.score(row, column)[0] for column in range(len(self.pairs))]
                  for row in range(len(self.pairs))]  # fmt: skip
        return pd.DataFrame(shares, index=list(self.doctrines), columns=list(self.doctrines)).round(1)

    def _counts(self, row: int, column: int) -> Counts:
        return self.pairs[row][column].counts


def tournament(
    scenario: Scenario,
    doctrines: Sequence[str],
    runs: int,
    seed: int,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Tournament:
    """Every pair of some doctrines plays a scenario, each of them on both sides, and each against itself.

    Parameters
    ----------
    doctrines
        From two to eight names of styles or baselines, or paths of style files.
    runs, seed, workers
        Of each pair, as of `run`.
    progress
        Called with the battles done and the battles asked for, of all pairs.

    Raises
    ------
    UnknownNameError
        If there is no such doctrine.
    InputError
        If an argument or a file cannot be used.
    """
    doctrines = [doctrines] if isinstance(doctrines, str) else doctrines
    if not 2 <= len(doctrines) <= MOST:
        raise InputError(f"a tournament has from 2 to {MOST} doctrines, got {len(doctrines)}")
    known = [_by_path(name) for name in doctrines]
    names = [styles.load(name).name for name in known]
    for name in names:
        if names.count(name) > 1:
            raise InputError(
                f"a tournament must have a doctrine once, got '{name}' {names.count(name)} times"
            )
    whole, pairs, done = len(names) ** 2 * runs, list[tuple[Battles, ...]](), 0

    def told(now: int, _: int) -> None:
        if progress is not None:
            progress(done + now, whole)

    for first in known:
        row = []
        for second in known:
            one = played_by(scenario, first, second)
            row.append(run(one, runs, seed, workers, told, first=done, each=lambda _: None))
            done += runs
        pairs.append(tuple(row))
    return Tournament(scenario, tuple(names), tuple(pairs))


def played_by(scenario: Scenario, first: str, second: str) -> Scenario:
    """The same scenario, with a style for each side."""
    document = scenario.document
    for number, name in ((1, first), (2, second)):
        document = scenarios.changed(document, f"sides.{number}.style={name}")
    found, problems = battlefiles.check(document)
    problems.raise_first()
    assert found is not None
    return found


def _by_path(name: str) -> str:
    """A doctrine by its name, or by the whole path of its file, which scenarios look for from their place."""
    return name if name in styles.names() else str(styles.locate(name, Path.cwd()).resolve())


def _joined(first: Sequence[Battles], second: Sequence[Battles]) -> Interval:
    """The share won of battles as the first side and of others as the second, of drawn ones half.

    The interval is Wilson's, which is too wide where battles are drawn, since halves spread less.
    """
    points, runs = 0.0, 0
    for side, battles in enumerate((first, second)):
        for one in battles:
            found = wins(one.counts, one.scenario)
            points += found[side] + found[2] / 2
            runs += one.runs
    low, high = wilson(points, runs)
    return points / runs, low, high
