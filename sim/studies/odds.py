"""Odds of a charge: every response of the target, exact or simulated, and the best for the defender."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sim.errors import InputError, LaneLimitError, UnknownNameError
from sim.old.dice import ExhaustiveDice
from sim.studies.asked import RUNS, SEED, one_of, several, whole
from sim.studies.batches import Refusals, exact_tallies, simulated_tallies
from sim.studies.measures import AIMS, CLEAN, EVENTS, SIDES, SUCCEEDS, Rival, best_of, rivals
from sim.studies.outcomes import mean_loss, percent, records
from sim.studies.precision import checked, to_precision
from sim.studies.results import Result, found_by_name, how_found
from sim.studies.runs import distribution, each_run, ends_frame
from sim.studies.tally import Tally
from sim.units.chargefields import RESPONSES, RESPONSES_OF
from sim.units.charges import Charge
from sim.units.orders import Variant, square_plans

if TYPE_CHECKING:
    import pandas as pd

METHODS = ("auto", "exact", "mc")
AUTO_LANES = 30_000
"""Above so many lanes `auto` simulates instead."""


@dataclass(frozen=True, repr=False)
class Row:
    """One response of the target.

    Attributes
    ----------
    response
        What the target does.
    variant
        Response and the charger's plan as played.
    tally
        Events and losses.
    refused
        Why the rules forbid the response here, or None.
    chosen
        Whether the charger had a choice against a square that mattered, and made its best.
    """

    response: str
    variant: Variant
    tally: Tally
    refused: str | None = None
    chosen: bool = False

    def __getitem__(self, event: str) -> Any:
        """Probability of an event: a `Fraction` when exact, a float when simulated."""
        found_by_name(self.tally.events, event, "an event")
        return self.tally.p(event)

    def __repr__(self) -> str:
        if self.refused:
            return f"<Row: {self.response}, not possible: {self.refused}>"
        return (
            f"<Row: {self.response}, "
            f"{', '.join(f'{event} {percent(self.tally, event)}' for event in (SUCCEEDS, CLEAN))}>"
        )


@dataclass(frozen=True, repr=False)
class Odds(Result):
    """The odds of a charge, one row a response.

    Attributes
    ----------
    method
        `exact` or `mc`.
    runs, seed
        Of a simulation; 0 when exact.
    reason
        Why it was simulated although exact odds were asked for automatically, or "".
    aim
        What the defender's best response is best at, and what the charger chooses against: one of
        `measures.AIMS`.
    precision
        Half-width, in points, that a simulation was to reach; None if its runs were given.
    """

    charge: Charge
    rows: tuple[Row, ...]
    method: str
    runs: int
    seed: int
    reason: str = ""
    aim: str = "broken"
    precision: float | None = None

    @property
    def best(self) -> Row:
        """The defender's best response by the aim (0-decisions 3)."""
        return self.ties[0]

    @property
    def ties(self) -> list[Row]:
        """Every response as good for the defender as the best, the best included."""
        best = best_of(self.aim, self._worths)
        return [row for row in self.allowed if row.response in best]

    @property
    def rivals(self) -> tuple[Rival, ...]:
        """Other aims that would choose another response."""
        return rivals(self.aim, self._worths) if self.has_choice else ()

    @property
    def _worths(self) -> dict[str, dict[str, tuple[Any, ...]]]:
        return {row.response: {aim: row.tally.worth(aim) for aim in AIMS} for row in self.allowed}

    @property
    def allowed(self) -> list[Row]:
        """Rows the rules allow; all of them if they allow none."""
        return [row for row in self.rows if row.refused is None] or list(self.rows)

    @property
    def has_choice(self) -> bool:
        """Whether the rules allow more than one of the responses."""
        return sum(row.refused is None for row in self.rows) > 1

    @property
    def margin(self) -> Any:
        """By how much the next best response is worse for the aim (probability, or increments for `losses`),
        or None if there is no other."""
        best = [row.response for row in self.ties]
        others = [row.tally.worth(self.aim)[0] for row in self.allowed if row.response not in best]
        return min(others) - self.best.tally.worth(self.aim)[0] if others else None

    def __getitem__(self, response: str) -> Row:
        """The row of a response, `best` included."""
        if response == "best":
            return self.best
        return found_by_name({row.response: row for row in self.rows}, response, "a response")

    def __iter__(self) -> Iterator[Row]:
        """The rows, in order."""
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, response: object) -> bool:
        """Whether there is a row of a response."""
        return any(response in (row, row.response) for row in self.rows)

    def heading(self) -> list[str]:
        """Title and rule set, how the numbers were found, and the best for the defender."""
        lines = [
            f"{self.charge.title}; {self.charge.played_by}",
            how_found(self.method, self.runs, self.seed),
        ]
        best = ", ".join(row.response for row in self.ties)
        lines += [f"{row.response}: not possible here, {row.refused}" for row in self.rows if row.refused]
        return lines + ([f"best for the defender: {best} (aim: {self.aim})"] if self.has_choice else [])

    def summary(self) -> pd.DataFrame:
        """A row a response, a column an event that happens in one of them, and the losses that are to be
        expected."""
        import pandas as pd

        seen = [event for event in EVENTS if any(row.tally.events[event] for row in self.allowed)]
        rows = {
            row.response: [
                *(percent(row.tally, event) for event in seen),
                *(mean_loss(row.tally, side) for side in SIDES),
            ]
            for row in self.rows
            if not row.refused
        }
        return pd.DataFrame.from_dict(
            rows, orient="index", columns=[*seen, *(f"{side} loses" for side in SIDES)]
        )

    def to_frame(self, losses: bool = False) -> pd.DataFrame:
        """A tidy frame: response, event, p, low, high, runs, expected losses of both sides, and how it was
        found.

        With `losses` also, as events, that a side loses at least so many increments. A response that the
        rules forbid has one row without numbers; `refused` says why.
        """
        import pandas as pd

        rows = []
        for row in self.rows:
            numbers = records(row.tally, losses)
            told = [dict.fromkeys(numbers[0]) | {"runs": numbers[0]["runs"]}] if row.refused else numbers
            rows += [
                {"response": row.response} | one | {"refused": row.refused or ""} | self.origin()
                for one in told
            ]
        return pd.DataFrame(rows)

    def ends(self) -> pd.DataFrame:
        """How the charge ended: a row a response that the rules allow and different end, with its weight (see
        `runs.ends_frame`)."""
        rows = self._played()
        return ends_frame([row.variant for row in rows], [row.tally for row in rows], self.origin())

    def distribution(self, *by: str) -> pd.DataFrame:
        """How facts of an end (`ends.COLUMNS`) are distributed together, by response, such as
        `"target", "target_losses"`.

        Raises
        ------
        UnknownNameError
            If one is no fact of an end.
        """
        return distribution(self.ends(), by)

    def each_run(self, size: int | None = None) -> Iterator[pd.DataFrame]:
        """The runs of a simulation, a row a run and response that the rules allow: frames, batch by batch, so
        that memory stays flat.

        They are played again, and are the same runs.

        Parameters
        ----------
        size
            Runs of a batch.

        Raises
        ------
        InputError
            If the odds are exact.
        """
        if self.method == "exact":
            raise InputError("exact odds have no runs; --method mc simulates")
        variants = [row.variant for row in self._played()]
        return each_run(self.charge, variants, self.runs, self.seed, self.origin(), size)

    def _played(self) -> list[Row]:
        """The rows that frames are about."""
        rows = [row for row in self.rows if row.refused is None]
        if not rows:
            raise InputError("there are no ends to tell: the rules forbid every response asked for")
        return rows

    def origin(self) -> dict[str, Any]:
        """What the numbers rest on: rule set, edition, version, digest, method, and the seed of a
        simulation."""
        return self.charge.identity() | {
            "method": self.method,
            "seed": self.seed if self.method == "mc" else None,
        }


def responses_of(charge: Charge) -> tuple[str, ...]:
    """The responses there are against a charge, by the target's arm."""
    return RESPONSES_OF[charge.target[0].arm]


def chosen_responses(charge: Charge, response: str | None) -> tuple[str, ...]:
    """The responses to play for an asked one (`best` and `all` need all).

    Raises
    ------
    UnknownNameError
        If it is no response, or none of this target's arm.
    """
    asked = charge.response if response is None else response
    known = responses_of(charge)
    if asked in ("all", "best"):
        return known
    one_of("--response", asked, (*RESPONSES, "best", "all"))
    if asked not in known:
        raise UnknownNameError(
            f"--response must be one that {charge.target[0].arm} has ({', '.join(known)}), got {asked!r}"
        )
    return (asked,)


def check_options(method: str, runs: int, seed: int, aim: str) -> tuple[int, int]:
    """The runs and the seed as plain integers; refuses a method, number of runs, seed or aim that cannot be
    used.

    Raises
    ------
    InputError
        Naming the option, what it must be, and what it is.
    """
    one_of("--method", method, METHODS)
    one_of("--aim", aim, AIMS)
    return whole("--runs", runs, *RUNS), whole("--seed", seed, *SEED)


def odds(
    charge: Charge,
    response: str | None = None,
    method: str = "auto",
    runs: int = 100_000,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
    aim: str = "broken",
    precision: float | None = None,
    watched: Sequence[str] = EVENTS,
) -> Odds:
    """The odds of a charge.

    Parameters
    ----------
    response
        A single response, `best` or `all`; the charge's own by default.
    method
        `exact`, `mc`, or `auto`: exact if the tree is not too large.
    runs, seed
        Of a simulation.
    progress
        Called with runs done and runs asked after each batch.
    aim
        What the defender's best response is best at (`measures.AIMS`); a charger whose plan says `best`
        chooses against it.
    precision
        Instead of `runs`: half-width, in points, of the 95 % intervals of the `watched` events of every
        response.

    Raises
    ------
    LaneLimitError
        With `method="exact"`, if the tree is too large.
    InputError
        If the method, the runs, the seed or the aim cannot be used.
    """
    runs, seed = check_options(method, runs, seed, aim)
    watched = several("--watched", watched, EVENTS)
    half = None if precision is None else checked(precision)
    asked = chosen_responses(charge, response)
    variants = variants_of(charge, asked)
    reason = ""
    if method != "mc":
        try:
            dice = ExhaustiveDice() if method == "exact" else ExhaustiveDice(AUTO_LANES)
            tallies, refusals = exact_tallies(charge, variants, dice)
            return Odds(charge, rows_of(asked, variants, tallies, refusals, aim), "exact", 0, 0, aim=aim)
        except LaneLimitError as error:
            if method == "exact":
                raise
            reason = str(error).partition(";")[0]
    reasons: Refusals = []

    def simulated(first: int, number: int) -> list[Tally]:
        tallies, reasons[:] = simulated_tallies(
            charge, variants, number, seed, progress if first == 0 else None, first=first
        )
        return tallies

    if half is None:
        tallies = simulated(0, runs)
    else:
        tallies, runs = to_precision(simulated, watched, half)
    return Odds(
        charge, rows_of(asked, variants, tallies, reasons, aim), "mc", runs, seed, reason, aim, precision
    )


def variants_of(charge: Charge, responses: Sequence[str]) -> list[Variant]:
    """What must be played: each response, and with `square: best` each of the charger's answers to a
    square."""
    squares = square_plans(charge) if charge.plan["square"] == "best" else (charge.plan["square"],)
    return [Variant.of(charge, response, square=square) for response in responses for square in squares]


def rows_of(
    responses: Sequence[str],
    variants: Sequence[Variant],
    tallies: Sequence[Tally],
    refusals: Refusals,
    aim: str,
) -> tuple[Row, ...]:
    """One row a response: where the charger chooses by the odds, the plan that is worst for the defender's
    aim."""
    rows = []
    for response in responses:
        found = [
            (v, t, r) for v, t, r in zip(variants, tallies, refusals, strict=True) if v.response == response
        ]
        first = found[0][1]
        matters = any((tally.events, tally.losses) != (first.events, first.losses) for _, tally, _ in found)
        mine = [Row(response, variant, tally, refused, matters) for variant, tally, refused in found]
        rows.append(max(mine, key=lambda row: row.tally.worth(aim)))
    return tuple(rows)
