"""Dice that answer decisions, not draws from a stream.

The battle never rolls. It asks for the outcome of a chart row, naming the decision; the dice answer for every
case and split lanes whose runs come out differently. The rules cannot tell which kind they are:

- `RandomDice`: Monte Carlo. Run i's roll for a decision is element i of the decision's own stream.
- `ExhaustiveDice`: every outcome, with its exact probability.
- `ScriptedDice`: given rolls, for a table-top game retold and for "what if".
- `games.GameDice`: every outcome, and every option of the players.

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import gcd
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.random import Generator, Philox
from numpy.typing import NDArray

from sim.ensemble import ladder, philox
from sim.ensemble.cases import Cases
from sim.ensemble.lanes import Ensemble, Ids
from sim.errors import LaneLimitError, RepeatedDecisionError, ScriptError

MAX_LANES = 200_000

C = TypeVar("C", bound=Cases)
Split = tuple[Ids, Ids, NDArray[Any]]
"""Lane, case and outcome of each that came of a roll, shape (m,) each."""


class Decision(NamedTuple):
    """What a roll is known by: the same in any batch.

    Attributes
    ----------
    name
        Turn, half, segment and kind: `1.1.charge/stand`. It holds nothing that differs between lanes.
    by
        Number of the unit of whose action it comes.
    about
        Number of the unit (for a leader's fate, of the leader) whom it concerns.
    nth
        How often the run has taken the same decision before.
    """

    name: str
    by: int
    about: int
    nth: int = 0


class Rolled(NamedTuple):
    """A decision as one run took it: the roll is 0..faces-1."""

    decision: Decision
    faces: int
    roll: int


@dataclass(frozen=True, eq=False)
class Chart:
    """What each roll gives: shape (columns, faces) of outcome numbers by modified roll.

    Attributes
    ----------
    name
        What explained runs call it.
    values
        int16, shape (columns, faces): outcome 0..len(outcomes)-1 for each modified roll; faces is 36 for the
        ladder, 6 for a die, 5 for a die whose 5 is rolled again.
    outcomes
        What the numbers stand for.
    natural
        int16, shape (columns, faces), or None: what the unmodified roll adds, as a multiple of len(outcomes)
        (a leader hit, say).
    """

    name: str
    values: NDArray[np.int16]
    outcomes: tuple[Any, ...]
    natural: NDArray[np.int16] | None = None

    @property
    def faces(self) -> int:
        """Number of equally likely rolls."""
        return int(self.values.shape[1])

    def outcome(self, column: NDArray[Any], shift: NDArray[Any], roll: NDArray[Any]) -> NDArray[np.int16]:
        """Joint outcome of natural rolls 0..faces-1; column, shift and roll broadcast."""
        found = self.values[column, np.clip(roll + shift, 0, self.faces - 1)]
        return (
            found
            if self.natural is None
            else found + self.natural[column, roll] * np.int16(len(self.outcomes))
        )

    def rows(self, column: NDArray[Any], shift: NDArray[Any]) -> NDArray[np.int16]:
        """Joint outcomes by natural roll, shape (k, faces), for k cases with a column and a shift each."""
        return self.outcome(np.asarray(column)[:, None], np.asarray(shift)[:, None], np.arange(self.faces))


@lru_cache(maxsize=4096)
def digest_of(name: str) -> int:
    """The 64-bit number a decision's stream is keyed with.

    >>> digest_of("1.1.charge/carre") == digest_of("1.1.charge/carre")
    True
    """
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")


def stream(seed: int, decision: Decision, first: int, n: int) -> NDArray[np.float64]:
    """Elements first..first+n-1 of a decision's stream, uniform in [0, 1), shape (n,).

    A Philox block holds four words, so the stream is entered at block `first // 4` and `first % 4` words are
    dropped. The name is in the key, the two units are counter word 1, and how often it was taken before is
    word 2.
    """
    key = np.array([seed, digest_of(decision.name)], np.uint64)
    counter = [first // 4, decision.by << 16 | decision.about, decision.nth, 0]
    return Generator(Philox(key=key, counter=counter)).random(first % 4 + n)[first % 4 :]


def _decisions(name: str, cases: Cases, times: NDArray[np.int8]) -> Iterator[tuple[Decision, Ids]]:
    """The decisions that cases take, and the cases of each."""
    if not len(cases):
        return
    keys = (cases.by << 16 | cases.unit) << 8 | times
    kinds = [int(keys[0])] if (keys == keys[0]).all() else np.unique(keys).tolist()
    for key in kinds:
        mine = np.arange(len(cases)) if len(kinds) == 1 else np.flatnonzero(keys == key)
        yield Decision(name, key >> 24, key >> 8 & 0xFFFF, key & 0xFF), mine


class Dice:
    """Base of all kinds: counts decisions, guards against asking twice, splits lanes.

    Attributes
    ----------
    lumped
        Whether runs in one state share a lane; else each run has a lane of its own from the start.
    rolled
        The rolls of a run that is told, in order.
    """

    lumped = True

    def lanes(self, variants: int) -> int:
        """Lanes that a batch of so many variants starts with."""
        return variants

    def begin(
        self, ensemble: Ensemble, shown: Callable[[Decision], str] = lambda decision: decision.name
    ) -> None:
        """Take charge of a batch's lanes; called once before the first decision.

        `shown`: a decision as users read it.
        """
        self.ensemble, self.shown = ensemble, shown
        self.rolled: list[Rolled] = []

    def ask(
        self,
        name: str,
        cases: C,
        chart: Chart,
        column: NDArray[Any],
        shift: NDArray[Any],
        repeatable: bool = False,
    ) -> tuple[C, NDArray[np.int16]]:
        """The joint outcome of one decision in each of the cases.

        Parameters
        ----------
        name
            Turn, half, segment and kind of the decision.
        cases
            About which unit, by whose action, in which lanes.
        chart, column, shift
            Chart, and each case's column and sum of modifiers, shape (k,).
        repeatable
            Whether a run may take it several times.

        Returns
        -------
        The cases that came of it (those asked, and those split off) and the outcome of each, shape (m,), m >=
        k.

        Raises
        ------
        RepeatedDecisionError
            If a run takes again what it may take only once.
        LookupError
            If the cases are stale.
        """
        cases.fresh()
        if not len(cases):
            return cases, np.zeros(0, np.int16)
        column, shift = np.asarray(column), np.asarray(shift)
        times = self.ensemble.asked.take(name, cases.by, cases.unit, cases.lane)
        if not repeatable and times.any():
            again = int(times.argmax())
            decision = self.shown(Decision(name, int(cases.by[again]), int(cases.unit[again])))
            raise RepeatedDecisionError(f"decision {decision!r} was asked twice in one lane")
        found = [
            (mine, *self._split(decision, cases.lane[mine], chart, column[mine], shift[mine]))
            for decision, mine in _decisions(name, cases, times)
        ]
        lane = np.concatenate([lanes for _, lanes, _, _ in found])
        case = np.concatenate([mine[of] for mine, _, of, _ in found])
        return cases.take(case, lane), np.concatenate([value for _, _, _, value in found]).astype(np.int16)

    def choose(
        self,
        name: str,
        cases: C,
        options: Sequence[str],
        possible: NDArray[np.bool_],
        known: Mapping[str, NDArray[Any]],
    ) -> tuple[C, Ids]:
        """What a player chooses where nothing was planned: only the dice of a game know (`ensemble.games`).

        Parameters
        ----------
        name
            Of what is chosen.
        cases
            Which unit it is about, in which lanes.
        options, possible
            What there is to choose from, by name, and which of them each case has, shape (k, options); one at
            least.
        known
            What a policy is told by: facts as small numbers, shape (k,) each.

        Returns
        -------
        The cases that came of it and the number of each one's option, shape (m,), m >= k.
        """
        raise TypeError("choices are left open to the dice of a game alone")

    def merge(self, always: bool = False) -> None:
        """Forget which decisions were taken, and merge lanes that have become equal.

        Where no decision was taken, or merging has not paid, it may be left out, but `always` leaves no two
        lanes alike.
        """
        if not self.ensemble.asked and not always:
            return
        into = self.ensemble.merge(always)
        if into is not None:
            self._merged(into)

    def _split(
        self, decision: Decision, lanes: Ids, chart: Chart, column: NDArray[Any], shift: NDArray[Any]
    ) -> Split:
        raise TypeError("a kind of dice splits lanes")

    def _merged(self, into: Ids) -> None:
        raise TypeError("a kind of dice follows merged lanes")

    def _spread(self, lanes: Ids, occurs: NDArray[np.bool_]) -> Split:
        """Give each (case, outcome) that occurs a lane: the case's own for its first, a copy for the others.

        In order of the cases.
        """
        case, value = np.nonzero(occurs)
        first = np.ones(len(case), bool)
        first[1:] = case[1:] != case[:-1]
        result = lanes[case]
        result[~first] = self.ensemble.fork(lanes[case[~first]])
        return result, case, value


class RandomDice(Dice):
    """Monte Carlo dice for runs first..first+n-1 under a seed; each variant plays the same runs.

    Parameters
    ----------
    seed
        0..2**64-1.
    first, n
        The runs of this batch.
    lumped
        Whether runs in one state share a lane. If not, lane `variant * n + i` is run `first + i` to the end.
    compiled
        Whether Numba may be used, where each run has a lane.
    watched
        The lane whose rolls are kept, where each run has a lane.

    Attributes
    ----------
    lane_of_run
        int32, shape (variants * n,): the lane each run is in.
    decisions
        The decisions whose streams were read whole, in order.
    used
        Rolls that runs needed so far; a stream is read for the whole batch as soon as one of its runs needs
        it.
    """

    def __init__(
        self,
        seed: int,
        first: int,
        n: int,
        lumped: bool = True,
        compiled: bool = True,
        watched: int | None = None,
    ) -> None:
        self.seed, self.first, self.runs, self.lumped = seed, first, n, lumped
        self.compiled, self.watched = compiled, watched
        self.used = 0
        self.decisions: list[Decision] = []

    def lanes(self, variants: int) -> int:
        return variants if self.lumped else variants * self.runs

    def begin(
        self, ensemble: Ensemble, shown: Callable[[Decision], str] = lambda decision: decision.name
    ) -> None:
        super().begin(ensemble, shown)
        self.variants = ensemble.n if self.lumped else ensemble.n // self.runs
        lanes = np.arange(ensemble.n, dtype=np.int32)
        self.lane_of_run = np.repeat(lanes, self.runs) if self.lumped else lanes

    def counts(self) -> NDArray[np.int64]:
        """Number of runs in each lane, shape (lanes,)."""
        return np.bincount(self.lane_of_run, minlength=self.ensemble.n)

    def forget(self) -> None:
        """Let go of the lane of each run.

        A battle's processes know each other and its dice, so that only the collector would find them.
        """
        self.lane_of_run = np.empty(0, np.int32)

    def merge(self, always: bool = False) -> None:
        if self.lumped:
            super().merge(always)
        else:
            self.ensemble.asked.clear()

    def ask(
        self,
        name: str,
        cases: C,
        chart: Chart,
        column: NDArray[Any],
        shift: NDArray[Any],
        repeatable: bool = False,
    ) -> tuple[C, NDArray[np.int16]]:
        if self.lumped:
            return super().ask(name, cases, chart, column, shift, repeatable)
        cases.fresh()
        times = np.zeros(len(cases), np.int8)
        if repeatable:
            times = self.ensemble.asked.take(name, cases.by, cases.unit, cases.lane)
        roll = self._rolls(name, cases, times, chart.faces)
        self.used += len(cases)
        if self.watched is not None:
            for case in np.flatnonzero(cases.lane == self.watched).tolist():
                decision = Decision(name, int(cases.by[case]), int(cases.unit[case]), int(times[case]))
                self.rolled.append(Rolled(decision, chart.faces, int(roll[case])))
        return cases, chart.outcome(column, shift, roll)

    def _rolls(self, name: str, cases: Cases, times: NDArray[np.int8], faces: int) -> NDArray[np.int64]:
        """The rolls of the runs that are cases, a lane each: NumPy's streams where most runs roll alike, else
        compiled."""
        run = cases.lane if self.variants == 1 else cases.lane % self.runs
        pair = cases.by << 16 | cases.unit
        alike = len(cases) > 0 and bool((pair == pair[0]).all()) and not times.any()
        if self.compiled and not (alike and 3 * len(cases) > self.runs):
            drawn = philox.uniform(self.seed, digest_of(name), pair, times, self.first + run)
            return (faces * drawn).astype(np.int64)
        roll = np.empty(len(cases), np.int64)
        for decision, mine in _decisions(name, cases, times):
            self.decisions.append(decision)
            roll[mine] = faces * stream(self.seed, decision, self.first, self.runs)[run[mine]]
        return roll

    def _split(
        self, decision: Decision, lanes: Ids, chart: Chart, column: NDArray[Any], shift: NDArray[Any]
    ) -> Split:
        faces = chart.faces
        drawn = (stream(self.seed, decision, self.first, self.runs) * faces).astype(np.int32)
        self.decisions.append(decision)
        if self.variants > 1:
            drawn = np.tile(drawn, self.variants)
        rows = chart.rows(column, shift)
        if len(lanes) == self.ensemble.n:
            who: Any = slice(None)
            case = np.empty(self.ensemble.n, np.int32)
        else:
            case = np.full(self.ensemble.n, -1, np.int32)
        case[lanes] = np.arange(len(lanes), dtype=np.int32) * np.int32(faces)
        key = case[self.lane_of_run]
        if len(lanes) != self.ensemble.n:
            who = np.flatnonzero(key >= 0)
            key, drawn = key[who], drawn[who]
        key += drawn
        if self.runs == 1 and len(lanes) == 1:
            self.rolled.append(Rolled(decision, faces, int(drawn[0])))
        self.used += len(key)
        hits = np.bincount(key, minlength=rows.size).reshape(rows.shape) > 0
        width = int(rows.max()) + 1
        occurs = np.zeros((len(lanes), width), bool)
        cases, rolls = np.nonzero(hits)
        occurs[cases, rows[cases, rolls]] = True
        result, of, value = self._spread(lanes, occurs)
        lane_at = np.zeros((len(lanes), width), np.int32)
        lane_at[of, value] = result
        self.lane_of_run[who] = np.take_along_axis(lane_at, rows.astype(np.intp), 1).ravel()[key]
        return result, of, value

    def _merged(self, into: Ids) -> None:
        self.lane_of_run = into.astype(np.int32)[self.lane_of_run]


ROLL = 180
"""What the weights of one roll add up to: a multiple of 36, 6 and 5 faces."""


class Enumeration(Dice):
    """Base of the dice that take every outcome of every decision.

    Parameters
    ----------
    max_lanes
        Enumerations that need more lanes are refused.
    """

    instead = ""
    """What a message says may be done where there are too many."""

    def __init__(self, max_lanes: int = MAX_LANES) -> None:
        self.max_lanes = max_lanes

    def _every_outcome(
        self, decision: Decision, lanes: Ids, chart: Chart, column: NDArray[Any], shift: NDArray[Any]
    ) -> tuple[Split, NDArray[np.int64]]:
        """Give each outcome a lane; also on how many faces of the die each comes, shape (m,)."""
        rows = chart.rows(column, shift)
        cases, width = len(rows), int(rows.max()) + 1
        flat = rows + np.arange(cases)[:, None] * width
        ways = np.bincount(flat.ravel(), minlength=cases * width).reshape(cases, width)
        split = self._spread_all(decision.name, lanes, ways > 0)
        _, case, value = split
        return split, ways[case, value]

    def _spread_all(self, name: str, lanes: Ids, occurs: NDArray[np.bool_]) -> Split:
        """As `_spread`, if there are not too many."""
        if self.ensemble.n + int(occurs.sum()) - len(occurs) > self.max_lanes:
            most = f"the exact tree needs more than {self.max_lanes:,} lanes (at {name})"
            raise LaneLimitError(f"{most}{self.instead}")
        return self._spread(lanes, occurs)


class ExhaustiveDice(Enumeration):
    """Every outcome of every decision, with exact weights that add up to 1 for each variant.

    The weight of a lane is an integer over 180 ** (the rolls that it took), since fractions cost several
    times as much.
    """

    instead = "; simulate instead (--method mc)"

    def begin(
        self, ensemble: Ensemble, shown: Callable[[Decision], str] = lambda decision: decision.name
    ) -> None:
        super().begin(ensemble, shown)
        self._weights: list[int] = [1] * ensemble.n
        self._depths: list[int] = [0] * ensemble.n

    def weights(self) -> tuple[list[int], int]:
        """The weight of each lane: numerators over one common denominator, reduced."""
        deepest = max(self._depths)
        powers = [ROLL**k for k in range(deepest + 1)]
        parts = [
            weight * powers[deepest - depth]
            for weight, depth in zip(self._weights, self._depths, strict=True)
        ]
        common = gcd(powers[deepest], *parts)
        return [part // common for part in parts], powers[deepest] // common

    def fractions(self) -> list[Fraction]:
        """The weight of each lane."""
        parts, whole = self.weights()
        return [Fraction(part, whole) for part in parts]

    def _split(
        self, decision: Decision, lanes: Ids, chart: Chart, column: NDArray[Any], shift: NDArray[Any]
    ) -> Split:
        (result, case, value), ways = self._every_outcome(decision, lanes, chart, column, shift)
        weights, depths, each = self._weights, self._depths, ROLL // chart.faces
        more = self.ensemble.n - len(weights)
        weights += [0] * more
        depths += [0] * more
        before = [(weights[lane], depths[lane] + 1) for lane in lanes.tolist()]
        for lane, of, count in zip(result.tolist(), case.tolist(), ways.tolist(), strict=True):
            weight, depths[lane] = before[of]
            weights[lane] = weight * count * each
        return result, case, value

    def _merged(self, into: Ids) -> None:
        deepest = [0] * self.ensemble.n
        for lane, depth in zip(into.tolist(), self._depths, strict=True):
            deepest[lane] = max(deepest[lane], depth)
        weights = [0] * self.ensemble.n
        for lane, weight, depth in zip(into.tolist(), self._weights, self._depths, strict=True):
            weights[lane] += weight * ROLL ** (deepest[lane] - depth)
        self._weights, self._depths = weights, deepest


class ScriptedDice(Dice):
    """Given rolls for a single lane, in the order in which they are needed.

    Parameters
    ----------
    rolls
        Faces 11..66 for the ladder, 1..6 for a single die.
    """

    def __init__(self, rolls: Sequence[int]) -> None:
        self.rolls = list(rolls)

    def begin(
        self, ensemble: Ensemble, shown: Callable[[Decision], str] = lambda decision: decision.name
    ) -> None:
        super().begin(ensemble, shown)
        if ensemble.n != 1:
            raise ScriptError("scripted rolls tell one run: choose a single response")

    def finish(self) -> None:
        """Raise `ScriptError` if rolls are left over."""
        used = len(self.rolled)
        if used < len(self.rolls):
            raise ScriptError(f"--rolls has {len(self.rolls)} rolls, but the run needed only {used}")

    def _split(
        self, decision: Decision, lanes: Ids, chart: Chart, column: NDArray[Any], shift: NDArray[Any]
    ) -> Split:
        faces, used, shown = chart.faces, len(self.rolled), self.shown(decision)
        known = [1, 2, 3, 4, 6] if faces == 5 else [1, 2, 3, 4, 5, 6]
        if faces == ladder.STEPS:
            known = list(ladder.FACES)
        wanted = (
            "a roll 11..66"
            if faces == ladder.STEPS
            else "a die 1..6"
            if faces == 6
            else "a die 1, 2, 3, 4 or 6"
        )
        if used == len(self.rolls):
            raise ScriptError(f"--rolls ended after {used} rolls; {shown} needs {wanted}", shown)
        roll = self.rolls[used]
        if roll not in known:
            raise ScriptError(f"roll {used + 1} of --rolls, for {shown}, must be {wanted}, got {roll}", shown)
        index = known.index(roll)
        self.rolled.append(Rolled(decision, faces, index))
        return lanes, np.zeros(1, np.intp), chart.outcome(column, shift, np.array([index]))

    def _merged(self, into: Ids) -> None:
        pass
