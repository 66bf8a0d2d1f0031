"""Thousands of battles of a scenario: planned in batches, played here or by several processes, run by run the
same however they are dealt out.

Run i is the same in any batch; batches and workers change nothing but the time it takes.
"""

from __future__ import annotations

import gc
import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from time import perf_counter
from typing import TYPE_CHECKING

from sim.errors import ImpossibleStateError, InputError
from sim.inputs.documents import Document
from sim.studies.asked import RUN, RUNS, SEED, whole
from sim.studies.battleframes import run_frame, turn_frame, unit_frame
from sim.studies.counts import Counts, counts, total
from sim.studies.engine import play
from sim.studies.record import Record
from sim.studies.results import Result
from sim.units import battlefiles
from sim.units.battles import Scenario

if TYPE_CHECKING:
    import pandas as pd

BATCH = 4_000
"""Runs played together: each a lane of its own."""
WORKERS = (1, 256)
"""The least and the greatest number of processes."""

Span = tuple[int, int]
"""Number of the first run, and how many runs."""
Play = Callable[[Scenario, int, int, int], Record]
"""Battles of a scenario under a seed: from a first run on, so many."""


@dataclass(frozen=True)
class Failure:
    """A run that could not be played, and why; `last`: the batch's last, where no run fails alone."""

    run: int
    last: int
    why: str

    def error(self, scenario: Scenario, seed: int) -> ImpossibleStateError:
        """As it is told."""
        return ImpossibleStateError(scenario.name, self.run, self.last, seed, self.why)


@dataclass(frozen=True)
class Part:
    """What came of a batch: its battles, or those before the first that failed."""

    records: tuple[Record, ...]
    failure: Failure | None


@dataclass(frozen=True, repr=False, eq=False)
class Battles(Result):
    """What came of many battles of a scenario.

    Attributes
    ----------
    first, seed
        Number of the first run, and the seed of all.
    counts
        What they came to.
    seconds
        How long they took to play.
    workers
        Processes that played them.
    records
        Every run, batch by batch; () where they were not kept.
    """

    scenario: Scenario
    first: int
    seed: int
    counts: Counts
    seconds: float
    workers: int
    records: tuple[Record, ...] = ()

    @property
    def runs(self) -> int:
        """How many there are."""
        return self.counts.n

    @property
    def rate(self) -> float:
        """Battles a second."""
        return self.runs / max(self.seconds, 1e-9)

    def heading(self) -> list[str]:
        """The scenario, what it is played by, and how often."""
        return [
            f"{self.scenario.title}{' (synthetic)' if self.scenario.synthetic else ''}",
            f"{self.scenario.played_by}; {battles_told(self.runs)}, seed {self.seed}",
        ]

    def __repr__(self) -> str:
        shares = zip(self.scenario.ladder, self.counts.results / self.runs, strict=True)
        told = ", ".join(f"{rung.result} {100 * share:.0f} %" for rung, share in shares)
        return f"<Battles: {self.scenario.name}, {battles_told(self.runs)}: {told}>"

    def summary(self) -> pd.DataFrame:
        """A row a result: how often it came about."""
        import pandas as pd

        ladder = self.scenario.ladder
        sides = [None if rung.side is None else self.scenario.sides[rung.side].name for rung in ladder]
        found = {"result": [rung.result for rung in ladder], "winner": sides, "runs": self.counts.results}
        return pd.DataFrame(found).assign(p=self.counts.results / self.runs)

    def origin(self) -> dict[str, str | int]:
        """What every row says of where it comes from."""
        return origin(self.scenario, self.seed)

    def to_frame(self) -> pd.DataFrame:
        """A row a run: result, winner, losses by side and arm, when it was decided, levels."""
        return self._frames(run_frame)

    def units(self) -> pd.DataFrame:
        """A row a run and unit: what became of it, and where."""
        return self._frames(unit_frame)

    def turns(self) -> pd.DataFrame:
        """A row a run and turn: how things stood."""
        return self._frames(turn_frame)

    def _frames(self, make: Callable[[Record, Scenario, dict[str, str | int]], pd.DataFrame]) -> pd.DataFrame:
        import pandas as pd

        made = [make(record, self.scenario, self.origin()) for record in self.records]
        if not made:
            raise InputError("these battles were counted, and not kept run by run")
        return pd.concat(made, ignore_index=True)


def battles_told(runs: int) -> str:
    """A number of battles in words.

    >>> battles_told(1), battles_told(10_000)
    ('1 battle', '10,000 battles')
    """
    return "1 battle" if runs == 1 else f"{runs:,} battles"


def origin(scenario: Scenario, seed: int) -> dict[str, str | int]:
    """What every row says of where it comes from."""
    return scenario.identity() | {"seed": seed}


def run(
    scenario: Scenario,
    runs: int,
    seed: int,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
    first: int = 0,
    size: int = BATCH,
    each: Callable[[Record], None] | None = None,
    engine: Play = play,
) -> Battles:
    """Play a scenario many times.

    Parameters
    ----------
    runs, seed, first
        How many runs, of which seed, from which on.
    workers
        Processes that play.
    progress
        Called with the runs done and the runs asked for.
    size
        Runs of a batch, at most.
    each
        Called with every batch in order, which is not kept then.

    Raises
    ------
    InputError
        If an argument cannot be used, or units cannot stand where the scenario puts them.
    ImpossibleStateError
        If a run meets a state that the rules do not know: `finished` are the battles before it, whatever the
        batches and workers.
    """
    runs, seed = whole("--runs", runs, *RUNS), whole("--seed", seed, *SEED)
    workers, first = whole("--workers", workers, *WORKERS), whole("--first", first, *RUN)
    found: list[Counts] = []
    kept: list[Record] = []
    start = perf_counter()

    def battles() -> Battles:
        seconds = perf_counter() - start
        return Battles(scenario, first, seed, total(found), seconds, workers, tuple(kept))

    try:
        for record in records(scenario, runs, seed, workers, first, size, engine):
            found[:] = [total([*found, counts(record, scenario)])]
            kept.append(record) if each is None else each(record)
            if progress is not None:
                progress(int(found[0].runs), runs)
    except ImpossibleStateError as error:
        error.finished = battles() if found else None
        raise
    return battles()


def records(
    scenario: Scenario,
    runs: int,
    seed: int,
    workers: int = 1,
    first: int = 0,
    size: int = BATCH,
    engine: Play = play,
) -> Iterator[Record]:
    """Battles batch by batch, in the order of the runs; arguments and errors are those of `run`."""
    with _parts(scenario, seed, plan(first, runs, size, workers), workers, engine) as parts:
        for part in parts:
            yield from part.records
            if part.failure is not None:
                raise part.failure.error(scenario, seed)


def plan(first: int, runs: int, size: int, workers: int = 1) -> list[Span]:
    """Batches, as even as can be, as many for each worker, none greater than a size.

    Examples
    --------
    >>> plan(0, 10, 4), plan(0, 10, 4, 2)
    ([(0, 4), (4, 3), (7, 3)], [(0, 3), (3, 3), (6, 2), (8, 2)])
    """
    batches = min(ceil(ceil(runs / size) / workers) * workers, runs)
    least, more = divmod(runs, batches)
    sizes = [least + (n < more) for n in range(batches)]
    return [(first + sum(sizes[:n]), sizes[n]) for n in range(batches)]


def played(scenario: Scenario, seed: int, span: Span, engine: Play = play) -> Part:
    """A batch; where it fails, the first run that does, found by halves, and the battles before it."""
    first, runs = span
    try:
        record = engine(scenario, seed, first, runs)
        gc.collect()  # a battle's processes know each other; memory would grow until the collector comes by
        return Part((record,), None)
    except InputError:
        raise
    except Exception as error:
        if runs == 1:
            return Part((), Failure(first, first, fault(error)))
        before = played(scenario, seed, (first, runs // 2), engine)
        if before.failure is not None:
            return before
        after = played(scenario, seed, (first + runs // 2, runs - runs // 2), engine)
        failure = after.failure or Failure(first, first + runs - 1, fault(error))
        return Part(before.records + after.records * (after.failure is not None), failure)


def fault(error: Exception) -> str:
    """A fault of the program in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


# -- processes ------------------------------------------------------------------------------------


@contextmanager
def _parts(
    scenario: Scenario, seed: int, spans: Sequence[Span], workers: int, engine: Play
) -> Iterator[Iterator[Part]]:
    """The parts of a plan in its order, played here or by processes, which are gone afterwards."""
    if workers == 1 or len(spans) == 1:
        yield (played(scenario, seed, span, engine) for span in spans)
        return
    context = multiprocessing.get_context("spawn")
    before = set(multiprocessing.active_children())
    document = replace(scenario.document, loaded={})
    pool = ProcessPoolExecutor(
        min(workers, len(spans)), context, _begin, (document, scenario.digest, seed, engine)
    )
    try:
        yield _in_order(pool, spans, 2 * workers)
    except BaseException:
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _in_order(pool: ProcessPoolExecutor, spans: Sequence[Span], ahead: int) -> Iterator[Part]:
    """Parts in the order of the plan; no more batches are begun than are soon asked for."""
    begun: deque[Future[Part]] = deque()
    left = deque(spans)
    try:
        while left or begun:
            while left and len(begun) < ahead:
                begun.append(pool.submit(_part, left.popleft()))
            yield begun.popleft().result()
    except BrokenProcessPool:
        raise InputError(
            "--workers: one has ended before its battles were played: out of memory, or started by a program "
            'that is not guarded by if __name__ == "__main__"'
        ) from None


class _Task:
    """What a worker plays: it reads the scenario by itself, since codes of compiled rules are a process's
    own."""

    def __init__(self, document: Document, digest: str, seed: int, engine: Play) -> None:
        self.document, self.digest, self.seed, self.engine = document, digest, seed, engine

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario, the same as its starter has."""
        scenario, problems = battlefiles.check(self.document)
        if scenario is None or scenario.digest != self.digest:
            problems.error((), "must not change while it is played, nor may its roster, map or rule set")
        problems.raise_first()
        assert scenario is not None
        return scenario


_tasks: list[_Task] = []


def _begin(document: Document, digest: str, seed: int, engine: Play) -> None:
    """A worker begins; who started it stops it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _tasks[:] = [_Task(document, digest, seed, engine)]


def _part(span: Span) -> Part:
    (task,) = _tasks
    return played(task.scenario, task.seed, span, task.engine)
