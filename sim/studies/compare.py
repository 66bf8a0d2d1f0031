"""Two charges compared under the same dice: every roll that both make is the same (common random numbers)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sim.errors import InputError, LaneLimitError
from sim.old.dice import ExhaustiveDice
from sim.studies.batches import Batch, Refusals, exact_tallies, simulated, simulated_tallies
from sim.studies.ends import happened
from sim.studies.measures import AIMS, EVENTS, SIDES, Rival, best_of, rivals
from sim.studies.odds import (
    AUTO_LANES,
    check_options,
    chosen_responses,
    odds,
    rows_of,
    variants_of,
)
from sim.studies.outcomes import chance, half, signed
from sim.studies.results import Result, found_by_name, how_found
from sim.studies.tally import Tally
from sim.units.charges import Charge
from sim.units.orders import Variant

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Difference:
    """What a variant changes in the probability of one event.

    Attributes
    ----------
    before, after
        Probabilities: `Fraction` when exact, float when simulated.
    error
        Standard error of the difference with paired dice; 0 when exact.
    independent
        Standard error that independent runs would have had; 0 when exact.
    changed
        Simulated runs in which the event differs; 0 when exact.
    """

    event: str
    before: Any
    after: Any
    error: float = 0.0
    independent: float = 0.0
    changed: int = 0

    @property
    def difference(self) -> Any:
        """After minus before."""
        return self.after - self.before


@dataclass(frozen=True)
class Pairs:
    """How often runs that ended in one way before ended in another after: a row each different pair of ends.

    Attributes
    ----------
    codes
        Packed ends before and after, shape (2, k); each pair once.
    counts
        Runs, shape (k,).
    """

    codes: NDArray[np.int64]
    counts: NDArray[np.int64]

    @staticmethod
    def of(before: Batch, after: Batch, variant: int) -> Pairs:
        """The pairs of a batch of the same runs, of one variant."""
        ends, lanes = [], []
        for batch in (before, after):
            distinct, which = np.unique(batch.codes, return_inverse=True)
            ends.append(distinct)
            lanes.append(which[batch.lane_of_run[variant]])
        keys, counts = _counted(lanes[0] * len(ends[1]) + lanes[1], len(ends[0]) * len(ends[1]))
        return Pairs(np.stack([ends[0][keys // len(ends[1])], ends[1][keys % len(ends[1])]]), counts)

    def __add__(self, other: Pairs) -> Pairs:
        """Both pairs' runs together."""
        codes, which = np.unique(
            np.concatenate([self.codes, other.codes], axis=1), axis=1, return_inverse=True
        )
        counts = np.zeros(codes.shape[1], np.int64)
        np.add.at(counts, which.ravel(), np.concatenate([self.counts, other.counts]))
        return Pairs(codes, counts)

    def tally(self, which: int) -> Tally:
        """The ends before (0) or after (1) alone."""
        return Tally.of_runs(self.codes[which], self.counts)

    def difference(self, event: str) -> Difference:
        """What the change makes of an event, with the error that pairing leaves."""
        before, after = (happened(codes, event) for codes in self.codes)
        runs = int(self.counts.sum())
        p, q = (int(self.counts[where].sum()) / runs for where in (before, after))
        gained, dropped = (int(self.counts[where].sum()) for where in (after & ~before, before & ~after))
        mean = (gained - dropped) / runs
        error = sqrt(max((gained + dropped) / runs - mean * mean, 0.0) / runs)
        independent = sqrt((p * (1 - p) + q * (1 - q)) / runs)
        return Difference(event, p, q, error, independent, gained + dropped)


def _counted(keys: NDArray[np.int64], limit: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different numbers among some below a limit, and how often each is there; sorting them is slower
    where they are few."""
    if limit > 4 * len(keys):
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys, minlength=limit)
    some = np.flatnonzero(counts)
    return some, counts[some]


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Differences of every event, by response.

    Attributes
    ----------
    method
        `exact` or `mc`.
    runs, seed
        Of a simulation; 0 when exact.
    rows
        By response that both charges allow: a difference an event.
    losses
        By the same responses and by side: expected increments lost before and after.
    refused
        By response that one of them, or both, forbid: why, before and after (None where it is allowed).
    worths
        Before and after: by response that is allowed there, what each aim makes of it (`measures.worth`).
    aim
        What the defender's best response is best at: one of `measures.AIMS`.
    labels
        What each charge is called: its file, and what was changed.
    """

    first: Charge
    second: Charge
    method: str
    runs: int
    seed: int
    rows: dict[str, tuple[Difference, ...]]
    losses: dict[str, dict[str, tuple[Any, Any]]]
    refused: dict[str, tuple[str | None, str | None]]
    worths: tuple[dict[str, dict[str, tuple[Any, ...]]], dict[str, dict[str, tuple[Any, ...]]]]
    aim: str = "broken"
    labels: tuple[str, str] = ("", "")

    def best(self, which: int) -> tuple[str, ...]:
        """The defender's best responses before (0) or after (1), of those asked for; none if all are
        forbidden."""
        return best_of(self.aim, self.worths[which]) if self.worths[which] else ()

    def rivals(self, which: int) -> tuple[Rival, ...]:
        """Other aims that would choose another response before (0) or after (1)."""
        return rivals(self.aim, self.worths[which]) if self.worths[which] else ()

    def __getitem__(self, response: str) -> dict[str, Difference]:
        """The differences of a response, by event."""
        return {one.event: one for one in found_by_name(self.rows, response, "a response that both allow")}

    def heading(self) -> list[str]:
        """Both charges, what they are played by, and how the numbers were found."""
        first, second = self.first, self.second
        lines = [f"{first.title}; {first.played_by}", f"compared with {second.title}; {second.played_by}"]
        lines += [f"from: {self.labels[0]}", f"to: {self.labels[1]}"] if any(self.labels) else []
        return [
            *lines,
            how_found(self.method, self.runs, self.seed),
            *(f"{response}: forbidden" for response in self.refused),
        ]

    def summary(self) -> pd.DataFrame:
        """A row a response and event in which something changes."""
        import pandas as pd

        rows = [
            (
                response,
                one.event,
                chance(one.before, self.runs),
                chance(one.after, self.runs),
                _points(one, self.runs),
            )
            for response, found in self.rows.items()
            for one in found
            if one.difference or one.changed
        ]
        return pd.DataFrame(rows, columns=["response", "event", "before", "after", "difference"]).set_index(
            ["response", "event"]
        )

    def to_frame(self) -> pd.DataFrame:
        """A tidy frame: response, event, before, after, difference, its standard error, runs, expected
        losses, and how it was found.

        A response that either forbids has no numbers; `refused` says which and why.
        """
        import pandas as pd

        first, second = (
            self.first.identity(),
            {f"{name} after": value for name, value in self.second.identity().items()},
        )
        origin = first | second | {"method": self.method, "seed": self.seed if self.method == "mc" else None}
        rows = []
        for response, found in self.rows.items():
            lost = {f"{side} loses": float(before) for side, (before, _) in self.losses[response].items()}
            lost |= {
                f"{side} loses after": float(after) for side, (_, after) in self.losses[response].items()
            }
            for one in found:
                numbers = {
                    "before": float(one.before),
                    "after": float(one.after),
                    "difference": float(one.difference),
                    "error": one.error,
                }
                rows.append(
                    {"response": response, "event": one.event}
                    | numbers
                    | {"runs": self.runs}
                    | lost
                    | {"refused": ""}
                    | origin
                )
        for response, (before, after) in self.refused.items():
            reasons = "; ".join(
                f"{when}: {why}" for when, why in (("before", before), ("after", after)) if why
            )
            rows.append({"response": response, "runs": self.runs, "refused": reasons} | origin)
        columns = ["response", "event", "before", "after", "difference", "error", "runs"]
        return pd.DataFrame(
            rows,
            columns=[
                *columns,
                *(name for name in dict.fromkeys(n for row in rows for n in row) if name not in columns),
            ],
        )


def _points(one: Difference, runs: int) -> str:
    points, error = 100 * float(one.difference), 196 * one.error
    text = signed(points, error)
    return f"{text} ±{half(points, runs, error)} points" if runs else f"{text} points"


def compare(
    first: Charge,
    second: Charge,
    response: str | None = None,
    method: str = "auto",
    runs: int = 100_000,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
    aim: str = "broken",
) -> Comparison:
    """Compare two charges, exactly or with paired dice.

    Parameters
    ----------
    response
        A single response, `all`, or `best`: the defender's best before the change.
    method, runs, seed, progress, aim
        As for `odds`.

    Raises
    ------
    InputError
        If they share no response.
    """
    runs, seed = check_options(method, runs, seed, aim)
    asked = first.response if response is None else response
    if asked == "best":
        asked = odds(first, "best", method, runs, seed, aim=aim).best.response
    known = chosen_responses(second, "all")
    shared = [one for one in chosen_responses(first, asked) if one in known]
    if not shared:
        raise InputError("the two charges have no response in common to compare")
    if method != "mc":
        try:
            return _exact(first, second, shared, None if method == "exact" else AUTO_LANES, aim)
        except LaneLimitError:
            if method == "exact":
                raise
    return _paired(first, second, shared, runs, seed, progress, aim)


def _exact(first: Charge, second: Charge, responses: list[str], limit: int | None, aim: str) -> Comparison:
    sides = []
    for charge in (first, second):
        dice = ExhaustiveDice() if limit is None else ExhaustiveDice(limit)
        variants = variants_of(charge, responses)
        sides.append(rows_of(responses, variants, *exact_tallies(charge, variants, dice), aim))
    rows, lost, refused = {}, {}, {}
    for one, other in zip(*sides, strict=True):
        if one.refused or other.refused:
            refused[one.response] = (one.refused, other.refused)
            continue
        before, after = one.tally, other.tally
        rows[one.response] = tuple(Difference(event, before.p(event), after.p(event)) for event in EVENTS)
        lost[one.response] = {side: (before.mean_loss(side), after.mean_loss(side)) for side in SIDES}
    worths = [
        {row.response: {one: row.tally.worth(one) for one in AIMS} for row in side if not row.refused}
        for side in sides
    ]
    return Comparison(first, second, "exact", 0, 0, rows, lost, refused, (worths[0], worths[1]), aim)


def _paired(
    first: Charge,
    second: Charge,
    responses: list[str],
    runs: int,
    seed: int,
    progress: Callable[[int, int], None] | None,
    aim: str,
) -> Comparison:
    """Run by run: the error of a difference comes from the runs that differ."""
    played = (
        simulated(charge, _settled(charge, responses, runs, seed, aim), runs, seed)
        for charge in (first, second)
    )
    pairs: list[Pairs] = []
    reasons: tuple[Refusals, Refusals] | None = None
    for before, after in zip(*played, strict=True):
        now = [Pairs.of(before, after, number) for number in range(len(responses))]
        pairs = list(map(add, pairs, now)) if pairs else now
        reasons = reasons or (before.refused, after.refused)
        if progress is not None:
            progress(before.first + before.runs, runs)
    assert reasons is not None
    refused = {one: (a, b) for one, a, b in zip(responses, *reasons, strict=True) if a or b}
    rows, lost = {}, {}
    worths: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    for response, pair in zip(responses, pairs, strict=True):
        sides = (pair.tally(0), pair.tally(1))
        for which, tally in enumerate(sides):
            if refused.get(response, (None, None))[which] is None:
                worths[which][response] = {one: tally.worth(one) for one in AIMS}
        if response not in refused:
            rows[response] = tuple(pair.difference(event) for event in EVENTS)
            lost[response] = {side: (sides[0].mean_loss(side), sides[1].mean_loss(side)) for side in SIDES}
    return Comparison(first, second, "mc", runs, seed, rows, lost, refused, worths, aim)


def _settled(charge: Charge, responses: list[str], runs: int, seed: int, aim: str) -> list[Variant]:
    """What to play, a variant a response: an open plan is decided by a short simulation."""
    variants = variants_of(charge, responses)
    if len(variants) == len(responses):
        return variants
    rows = rows_of(responses, variants, *simulated_tallies(charge, variants, min(runs, 20_000), seed), aim)
    return [row.variant for row in rows]
