"""Two charges compared under the same dice: every roll that both make is the same (common random numbers)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from math import sqrt
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sim.errors import InputError, LaneLimitError
from sim.studies.batches import Batch, Refusals, simulated, simulated_tallies
from sim.studies.decimals import chance, half, signed
from sim.studies.ends import happened
from sim.studies.measures import EVENTS, SIDES, Rival
from sim.studies.odds import (
    AUTO_LANES,
    Odds,
    OddsOfSeveral,
    by_charge,
    check_options,
    chosen_responses,
    exact_odds,
    odds,
    rows_of,
    variants_of,
)
from sim.studies.results import Result, found_by_name, how_found
from sim.studies.runs import category, joined
from sim.studies.tally import Tally
from sim.units.charges import Charge
from sim.units.orders import Variant, usual

if TYPE_CHECKING:
    import pandas as pd


CHANGES = ("before", "after")


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
    odds
        Of the responses that both charges have, before and after: of the same runs, or exact.
    rows
        By response that both charges allow: a difference an event.
    labels
        What each charge is called: its file, and what was changed.
    """

    odds: tuple[Odds, Odds]
    rows: dict[str, tuple[Difference, ...]]
    labels: tuple[str, str] = ("", "")

    @property
    def charges(self) -> tuple[Comparison, ...]:
        """The comparison of each charge of the half, in order."""
        return (self,)

    @property
    def number(self) -> int:
        """Which of the charges of the half it is about, from 0."""
        return self.odds[0].number

    @property
    def first(self) -> Charge:
        """What is compared."""
        return self.odds[0].charge

    @property
    def second(self) -> Charge:
        """With which."""
        return self.odds[1].charge

    @property
    def method(self) -> str:
        """`exact` or `mc`."""
        return self.odds[0].method

    @property
    def runs(self) -> int:
        """Of a simulation; 0 when exact."""
        return self.odds[0].runs

    @property
    def seed(self) -> int:
        """Of a simulation; 0 when exact."""
        return self.odds[0].seed

    @property
    def aim(self) -> str:
        """What the defender's best response is best at: one of `measures.AIMS`."""
        return self.odds[0].aim

    @property
    def losses(self) -> dict[str, dict[str, tuple[Any, Any]]]:
        """By the responses of `rows` and by side: expected increments lost before and after."""
        before, after = self.odds
        return {
            one: {
                side: (before[one].tally.mean_loss(side), after[one].tally.mean_loss(side)) for side in SIDES
            }
            for one in self.rows
        }

    @property
    def refused(self) -> dict[str, tuple[str | None, str | None]]:
        """By response that one of them, or both, forbid: why, before and after (None where it is allowed)."""
        pairs = zip(*(found.rows for found in self.odds), strict=True)
        return {
            one.response: (one.refused, other.refused) for one, other in pairs if one.refused or other.refused
        }

    def best(self, which: int) -> tuple[str, ...]:
        """The defender's best responses before (0) or after (1), of those asked for; none if all are
        forbidden."""
        return tuple(row.response for row in self.odds[which].ties if row.refused is None)

    def rivals(self, which: int) -> tuple[Rival, ...]:
        """Other aims that would choose another response before (0) or after (1)."""
        return self.odds[which].rivals

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

    def ends(self) -> pd.DataFrame:
        """How both charges ended, under the responses that both allow: `odds.ends` of each, `change` saying
        which."""
        return _both(*(found.ends() for found in self._allowed()))

    def each_run(self, size: int | None = None) -> Iterator[pd.DataFrame]:
        """The runs of both charges, under the responses that both allow: `odds.each_run` of each, `change`
        saying which."""
        batches = (found.each_run(size) for found in self._allowed())
        return (_both(before, after) for before, after in zip(*batches, strict=True))

    def _allowed(self) -> Iterator[Odds]:
        return (replace(found, rows=tuple(found[one] for one in self.rows)) for found in self.odds)

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


def _both(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Frames of the same rows before and after a change under each other, run by run if there are runs."""
    import pandas as pd
    from pandas.api.types import union_categoricals

    which = np.repeat(np.arange(2, dtype=np.int8), [len(before), len(after)])
    columns: dict[Any, Any] = {"change": category(which, CHANGES)}
    for name in before:
        parts = (before[name], after[name])
        alike = all(isinstance(part.dtype, pd.CategoricalDtype) for part in parts)
        columns[name] = (
            union_categoricals([pd.Categorical(part) for part in parts])
            if alike
            else pd.concat(parts, ignore_index=True)
        )
    both = pd.DataFrame(columns)
    return both.sort_values("run", kind="stable", ignore_index=True) if "run" in both else both


def _points(one: Difference, runs: int) -> str:
    points, error = 100 * float(one.difference), 196 * one.error
    text = signed(points, error)
    return f"{text} ±{half(points, runs, error)} points" if runs else f"{text} points"


@dataclass(frozen=True, repr=False)
class ComparisonOfSeveral(Comparison):
    """Two halves of several charges each, compared charge by charge.

    Attributes
    ----------
    each
        The comparison of each charge, in order.
    """

    each: tuple[Comparison, ...] = ()

    @property
    def charges(self) -> tuple[Comparison, ...]:
        """The comparison of each charge, in order."""
        return self.each

    def __getitem__(self, response: str) -> dict[str, Difference]:
        """Nothing: responses are those of one of the charges.

        Raises
        ------
        InputError
            Always.
        """
        raise InputError(
            f"each of the {len(self.each)} charges has differences of its own: ask one of 'charges'"
        )

    def heading(self) -> list[str]:
        """Both halves, and of each charge how its numbers were found."""
        first, *rest = self.each
        lines = first.heading()
        for one in (first, *rest):
            charge = self.first.label(one.number)
            lines.append(f"{charge}; {how_found(one.method, one.runs, one.seed)}")
        return lines

    def summary(self) -> pd.DataFrame:
        """A row a charge, response and event in which something changes."""
        import pandas as pd

        return pd.concat({one.number + 1: one.summary() for one in self.each}, names=["charge"])

    def to_frame(self) -> pd.DataFrame:
        """As of one charge, with its number, from 1, in the first column."""
        return by_charge([one.to_frame() for one in self.each])

    def ends(self) -> pd.DataFrame:
        """How the charges ended, before and after: `Comparison.ends` of each that has a response which both
        allow."""
        return joined([one.ends() for one in self._comparable()])

    def each_run(self, size: int | None = None) -> Iterator[pd.DataFrame]:
        """The runs of each charge, one charge after another: `Comparison.each_run` of each."""
        return chain.from_iterable(one.each_run(size) for one in self._comparable())

    def _comparable(self) -> list[Comparison]:
        found = [one for one in self.each if one.rows]
        if not found:
            raise InputError("no response is possible both before and after")
        return found


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
    """Compare two charges, or several with as many others, exactly or with paired dice.

    Parameters
    ----------
    response
        A single response, `all`, or `best`: the defender's best before the change.
    method, runs, seed, progress, aim
        As for `odds`.

    Raises
    ------
    InputError
        If they share no response, are not as many, or differ in their responses only, which changes no row.
    """
    runs, seed = check_options(method, runs, seed, aim)
    many, others = len(first.attacks), len(second.attacks)
    if many != others:
        raise InputError(f"the two must have as many charges to be compared, got {many} and {others}")
    if _only_responses_differ(first, second, response):
        raise InputError(
            "the two differ in response alone, which compares each row with itself: responses are the rows "
            "of 'odds', and --response chooses one"
        )
    if response is not None and many > 1:
        first, second = first.answered(response), second.answered(response)
    asked = [attack.response if response is None else response for attack in first.attacks]
    if "best" in asked:
        best = odds(first, "best", method, runs, seed, aim=aim).charges
        asked = [one.best.response if told == "best" else told for one, told in zip(best, asked, strict=True)]
    shared = [_shared(first, second, number, asked[number]) for number in range(many)]
    if method != "mc":
        limit = None if method == "exact" else AUTO_LANES
        try:
            return _together(_exact(first, second, n, shared[n], limit, aim) for n in range(many))
        except LaneLimitError:
            if method == "exact":
                raise
    return _together(_paired(first, second, n, shared[n], runs, seed, progress, aim) for n in range(many))


def _only_responses_differ(first: Charge, second: Charge, response: str | None) -> bool:
    """Whether nothing but what targets do tells two apart, and that changes none of the rows.

    Rows of another charge may change with what a target does meanwhile.
    """
    pairs = list(zip(first.attacks, second.attacks, strict=True))
    attacks = tuple(replace(other, response=one.response) for one, other in pairs)
    if first == second or first != replace(second, attacks=attacks):
        return False
    return len(pairs) == 1 or response is not None or all(usual(one) == usual(other) for one, other in pairs)


def _together(each: Iterable[Comparison]) -> Comparison:
    """The comparisons of all charges of a half as one answer."""
    found = tuple(each)
    if len(found) == 1:
        return found[0]
    sides = [OddsOfSeveral.of(tuple(one.odds[which] for one in found)) for which in range(2)]
    return ComparisonOfSeveral((sides[0], sides[1]), {}, each=found)


def _shared(first: Charge, second: Charge, number: int, asked: str) -> list[str]:
    """The responses to compare one of the charges under: those asked for that both have."""
    known = chosen_responses(second.attacks[number], "all")
    shared = [one for one in chosen_responses(first.attacks[number], asked) if one in known]
    if not shared:
        which = "" if len(first.attacks) == 1 else f" (charge {number + 1})"
        raise InputError(f"the two charges have no response in common to compare{which}")
    return shared


def _exact(
    first: Charge, second: Charge, number: int, responses: list[str], limit: int | None, aim: str
) -> Comparison:
    before, after = (exact_odds(charge, number, responses, limit, aim) for charge in (first, second))
    found = {
        one.response: tuple(Difference(event, one[event], other[event]) for event in EVENTS)
        for one, other in zip(before, after, strict=True)
        if not one.refused and not other.refused
    }
    return Comparison((before, after), found)


def _paired(
    first: Charge,
    second: Charge,
    number: int,
    responses: list[str],
    runs: int,
    seed: int,
    progress: Callable[[int, int], None] | None,
    aim: str,
) -> Comparison:
    """Run by run: the error of a difference comes from the runs that differ."""
    charges = (first, second)
    settled = [_settled(charge, number, responses, runs, seed, aim) for charge in charges]
    played = (
        simulated(charge, variants, runs, seed, charge_number=number)
        for charge, variants in zip(charges, settled, strict=True)
    )
    pairs: list[Pairs] = []
    refused: tuple[Refusals, Refusals] | None = None
    for before, after in zip(*played, strict=True):
        now = [Pairs.of(before, after, variant) for variant in range(len(responses))]
        pairs = list(map(add, pairs, now)) if pairs else now
        refused = refused or (before.refused, after.refused)
        if progress is not None:
            progress(before.first + before.runs, runs)
    assert refused is not None
    sides = []
    for which, charge in enumerate(charges):
        tallies = [pair.tally(which) for pair in pairs]
        rows = rows_of(responses, settled[which], tallies, refused[which], aim)
        sides.append(Odds(charge, rows, "mc", runs, seed, aim=aim, number=number))
    found = {
        response: tuple(pair.difference(event) for event in EVENTS)
        for response, pair, *reasons in zip(responses, pairs, *refused, strict=True)
        if not any(reasons)
    }
    return Comparison((sides[0], sides[1]), found)


def _settled(
    charge: Charge, number: int, responses: list[str], runs: int, seed: int, aim: str
) -> list[Variant]:
    """What to play, a variant a response: an open plan is decided by a short simulation."""
    variants = variants_of(charge.attacks[number], responses)
    if len(variants) == len(responses):
        return variants
    tallies = simulated_tallies(charge, variants, min(runs, 20_000), seed, charge_number=number)
    rows = rows_of(responses, variants, *tallies, aim)
    return [row.variant for row in rows]
