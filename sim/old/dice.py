"""Dice that answer decisions, not draws from a stream.

The battle never rolls. It asks for the outcome of a chart row, naming the decision; the dice answer for every lane
and split lanes whose runs come out differently. There are three kinds, and the rules cannot tell which:

- `RandomDice`: Monte Carlo. Run i's roll for a decision is element i of that decision's own counter-based stream.
- `ExhaustiveDice`: every outcome, with its exact probability.
- `ScriptedDice`: given rolls, for a table-top game retold and for "what if".

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.random import Generator, Philox
from numpy.typing import NDArray

from sim.ensemble import ladder
from sim.ensemble.dice import Chart
from sim.errors import LaneLimitError, RepeatedDecisionError, ScriptError
from sim.old.lanes import Ids, Lanes

MAX_LANES = 200_000


def digest_of(decision: str) -> int:
    """The 64-bit number a decision's stream is keyed with.

    >>> digest_of("1.1.charge/carre/target") == digest_of("1.1.charge/carre/target")
    True
    """
    return int.from_bytes(hashlib.blake2b(decision.encode(), digest_size=8).digest(), "little")


def stream(seed: int, decision: str, first: int, n: int) -> NDArray[np.float64]:
    """Elements first..first+n-1 of a decision's stream, uniform in [0, 1), shape (n,).

    A Philox block holds four words, so the stream is entered at block `first // 4` and `first % 4` words are dropped.
    """
    key = np.array([seed, digest_of(decision)], np.uint64)
    return Generator(Philox(key=key, counter=[first // 4, 0, 0, 0])).random(first % 4 + n)[first % 4 :]


class Dice:
    """Base of the three kinds: names decisions, guards against asking twice, splits lanes."""

    def begin(self, lanes: Lanes) -> None:
        """Take charge of a batch's lanes; called once before the first decision."""
        self.lanes = lanes
        self.rolled: list[tuple[str, int, int]] = []

    def outcome(
        self, decision: str, lanes: Ids, chart: Chart, column: NDArray[Any], shift: NDArray[Any]
    ) -> tuple[Ids, NDArray[np.int16]]:
        """The joint outcome of one decision in each of the lanes.

        Parameters
        ----------
        decision
            Its name; holds nothing that differs between lanes.
        lanes
            Distinct lane numbers, shape (k,).
        chart, column, shift
            Chart, and each lane's column and sum of modifiers, shape (k,).

        Returns
        -------
        The lanes that came of it (those asked, and those split off) and the outcome of each, both shape (m,), m >= k.

        Raises
        ------
        RepeatedDecisionError
            If a lane has taken this decision before.
        """
        if not len(lanes):
            return lanes, np.zeros(0, np.int16)
        if self.lanes.taken(decision, lanes).any():
            raise RepeatedDecisionError(f"decision {decision!r} was asked twice in one lane")
        self.lanes.take(decision, lanes)
        return self._split(decision, lanes, chart.rows(column, shift))

    def outcome_again(
        self, decision: str, lanes: Ids, chart: Chart, column: NDArray[Any], shift: NDArray[Any]
    ) -> tuple[Ids, NDArray[np.int16]]:
        """As `outcome`, for a decision that may come up several times in a run: the second time it is `decision#2`, and so on."""
        found: list[tuple[Ids, NDArray[np.int16]]] = []
        name, count, left = decision, 1, np.arange(len(lanes))
        while len(left):
            again = self.lanes.taken(name, lanes[left])
            now, left = left[~again], left[again]
            found.append(
                self.outcome(name, lanes[now], chart, np.asarray(column)[now], np.asarray(shift)[now])
            )
            count += 1
            name = f"{decision}#{count}"
        return np.concatenate([ids for ids, _ in found]), np.concatenate([values for _, values in found])

    def merge(self) -> None:
        """Merge lanes that have become equal."""
        into = self.lanes.merge()
        if into is not None:
            self._merged(into)

    def _split(self, decision: str, lanes: Ids, rows: NDArray[np.int16]) -> tuple[Ids, NDArray[np.int16]]:
        raise TypeError("a kind of dice splits lanes")

    def _merged(self, into: Ids) -> None:
        raise TypeError("a kind of dice follows merged lanes")

    def _spread(self, lanes: Ids, occurs: NDArray[np.bool_]) -> tuple[Ids, Ids, Ids]:
        """Give each (case, outcome) that occurs a lane: the case's own for its first, a copy for the others.

        Returns
        -------
        Lane, case and outcome of each, shape (m,), by case.
        """
        case, value = np.nonzero(occurs)
        first = np.ones(len(case), bool)
        first[1:] = case[1:] != case[:-1]
        result = lanes[case]
        result[~first] = self.lanes.fork(lanes[case[~first]])
        return result, case, value


class RandomDice(Dice):
    """Monte Carlo dice for runs first..first+n-1 under a seed; each variant lane plays the same runs.

    Parameters
    ----------
    seed
        0..2**64-1.
    first, n
        The runs of this batch.

    Attributes
    ----------
    lane_of_run
        int32, shape (variants * n,): the lane each run is in.
    decisions
        Names of the decisions whose streams were read, in order.
    asked
        Rolls that runs needed so far; a stream is read for the whole batch as soon as one of its runs needs it.
    """

    def __init__(self, seed: int, first: int, n: int) -> None:
        self.seed, self.first, self.runs = seed, first, n
        self.asked = 0
        self.decisions: list[str] = []

    def begin(self, lanes: Lanes) -> None:
        super().begin(lanes)
        self.variants = lanes.n
        self.lane_of_run = np.repeat(np.arange(lanes.n, dtype=np.int32), self.runs)

    def counts(self) -> NDArray[np.int64]:
        """Number of runs in each lane, shape (lanes,)."""
        return np.bincount(self.lane_of_run, minlength=self.lanes.n)

    def forget(self) -> None:
        """Let go of the lane of each run. A battle's processes know each other and its dice, so that only the collector would find them."""
        self.lane_of_run = np.empty(0, np.int32)

    def _split(self, decision: str, lanes: Ids, rows: NDArray[np.int16]) -> tuple[Ids, NDArray[np.int16]]:
        faces = rows.shape[1]
        drawn = (stream(self.seed, decision, self.first, self.runs) * faces).astype(np.int32)
        self.decisions.append(decision)
        if self.variants > 1:
            drawn = np.tile(drawn, self.variants)
        if len(lanes) == self.lanes.n:
            who: Any = slice(None)
            case = np.empty(self.lanes.n, np.int32)
        else:
            case = np.full(self.lanes.n, -1, np.int32)
        case[lanes] = np.arange(len(lanes), dtype=np.int32) * np.int32(faces)
        key = case[self.lane_of_run]
        if len(lanes) != self.lanes.n:
            who = np.flatnonzero(key >= 0)
            key, drawn = key[who], drawn[who]
        key += drawn
        if self.runs == 1 and len(lanes) == 1:
            self.rolled.append((decision, faces, int(drawn[0])))
        self.asked += len(key)
        hits = np.bincount(key, minlength=rows.size).reshape(rows.shape) > 0
        width = int(rows.max()) + 1
        occurs = np.zeros((len(lanes), width), bool)
        cases, rolls = np.nonzero(hits)
        occurs[cases, rows[cases, rolls]] = True
        result, of, value = self._spread(lanes, occurs)
        lane_at = np.zeros((len(lanes), width), np.int32)
        lane_at[of, value] = result
        self.lane_of_run[who] = np.take_along_axis(lane_at, rows.astype(np.intp), 1).ravel()[key]
        return result, value.astype(np.int16)

    def _merged(self, into: Ids) -> None:
        self.lane_of_run = into.astype(np.int32)[self.lane_of_run]


class ExhaustiveDice(Dice):
    """Every outcome of every decision, with exact weights that add up to 1 for each variant.

    Parameters
    ----------
    max_lanes
        Enumerations that need more lanes are refused.

    Attributes
    ----------
    weights
        A `Fraction` for each lane.
    """

    def __init__(self, max_lanes: int = MAX_LANES) -> None:
        self.max_lanes = max_lanes

    def begin(self, lanes: Lanes) -> None:
        super().begin(lanes)
        self.weights = [Fraction(1)] * lanes.n

    def _split(self, decision: str, lanes: Ids, rows: NDArray[np.int16]) -> tuple[Ids, NDArray[np.int16]]:
        cases, faces = rows.shape
        width = int(rows.max()) + 1
        flat = rows + np.arange(cases)[:, None] * width
        ways = np.bincount(flat.ravel(), minlength=cases * width).reshape(cases, width)
        if self.lanes.n + int((ways > 0).sum()) - cases > self.max_lanes:
            raise LaneLimitError(
                f"the exact tree needs more than {self.max_lanes:,} lanes (at {decision}); simulate instead (--method mc)"
            )
        result, case, value = self._spread(lanes, ways > 0)
        self.weights += [Fraction(0)] * (self.lanes.n - len(self.weights))
        parts = [Fraction(k, faces) for k in range(faces + 1)]
        before = [self.weights[lane] for lane in lanes.tolist()]
        for lane, of, count in zip(result.tolist(), case.tolist(), ways[case, value].tolist(), strict=True):
            self.weights[lane] = before[of] * parts[count]
        return result, value.astype(np.int16)

    def _merged(self, into: Ids) -> None:
        weights = [Fraction(0)] * self.lanes.n
        for lane, weight in zip(into.tolist(), self.weights, strict=True):
            weights[lane] += weight
        self.weights = weights


class ScriptedDice(Dice):
    """Given rolls for a single lane, in the order in which they are needed.

    Parameters
    ----------
    rolls
        Faces 11..66 for the ladder, 1..6 for a single die.
    """

    def __init__(self, rolls: Sequence[int]) -> None:
        self.rolls = list(rolls)
        self.used = 0

    def begin(self, lanes: Lanes) -> None:
        super().begin(lanes)
        if lanes.n != 1:
            raise ScriptError("scripted rolls tell one run: choose a single response")

    def finish(self) -> None:
        """Raise `ScriptError` if rolls are left over."""
        if self.used < len(self.rolls):
            raise ScriptError(f"--rolls has {len(self.rolls)} rolls, but the run needed only {self.used}")

    def _split(self, decision: str, lanes: Ids, rows: NDArray[np.int16]) -> tuple[Ids, NDArray[np.int16]]:
        faces = rows.shape[1]
        wanted = (
            "a roll 11..66"
            if faces == ladder.STEPS
            else "a die 1..6"
            if faces == 6
            else "a die 1, 2, 3, 4 or 6"
        )
        if self.used == len(self.rolls):
            raise ScriptError(f"--rolls ended after {self.used} rolls; {decision} needs {wanted}", decision)
        roll = self.rolls[self.used]
        known = (
            list(ladder.FACES)
            if faces == ladder.STEPS
            else [1, 2, 3, 4, 5, 6]
            if faces == 6
            else [1, 2, 3, 4, 6]
        )
        if roll not in known:
            raise ScriptError(
                f"roll {self.used + 1} of --rolls, for {decision}, must be {wanted}, got {roll}", decision
            )
        self.used += 1
        index = known.index(roll)
        self.rolled.append((decision, faces, index))
        return lanes, rows[:, index]

    def _merged(self, into: Ids) -> None:
        pass
