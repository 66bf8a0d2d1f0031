"""Odds of a charge: every response of the target, exact or simulated, and the best for the defender."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from sim.ensemble.dice import ExhaustiveDice
from sim.errors import InputError, LaneLimitError, UnknownNameError
from sim.studies.asked import RUNS, SEED, one_of, several, whole
from sim.studies.batches import Refusals, exact_tallies, simulated_tallies
from sim.studies.measures import AIMS, CLEAN, EVENTS, SIDES, SUCCEEDS, Rival, best_of, rivals
from sim.studies.outcomes import mean_loss, percent, records
from sim.studies.precision import checked, to_precision
from sim.studies.results import Result, found_by_name, how_found
from sim.studies.runs import distribution, each_run, ends_frame, joined
from sim.studies.tally import Tally
from sim.units.chargefields import RESPONSES, RESPONSES_OF
from sim.units.charges import Attack, Charge
from sim.units.orders import Variant, square_plans, usual

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
    number
        Which of the charges of the half it is about, from 0.
    asked
        The response that was asked for, or `all`, or `best`.
    """

    charge: Charge
    rows: tuple[Row, ...]
    method: str
    runs: int
    seed: int
    reason: str = ""
    aim: str = "broken"
    precision: float | None = None
    number: int = 0
    asked: str = "all"

    @property
    def only(self) -> str | None:
        """The one row that was asked for: that of a response, or of the best; None for all."""
        return None if self.asked == "all" else self.asked

    @property
    def charges(self) -> tuple[Odds, ...]:
        """The odds of each charge of the half, in order."""
        return (self,)

    @property
    def attack(self) -> Attack:
        """The charge it is about."""
        return self.charge.attacks[self.number]

    @property
    def others(self) -> dict[int, str]:
        """What the targets of the half's other charges do meanwhile, by the charge's number from 1."""
        several = enumerate(self.charge.attacks)
        return {n + 1: usual(attack).response for n, attack in several if n != self.number}

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
            f"{self.title}; {self.charge.played_by}",
            how_found(self.method, self.runs, self.seed),
        ]
        best = ", ".join(row.response for row in self.ties)
        lines += [f"{row.response}: not possible here, {row.refused}" for row in self.rows if row.refused]
        return lines + ([f"best for the defender: {best} (aim: {self.aim})"] if self.has_choice else [])

    @property
    def title(self) -> str:
        """The title of the charge; of several with what tells this one apart."""
        charge = self.charge
        return charge.title + (f", {charge.label(self.number)}" if len(charge.attacks) > 1 else "")

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
        played = [row.variant for row in rows]
        return ends_frame(played, [row.tally for row in rows], self.origin(), self.number)

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
        return each_run(self.charge, variants, self.runs, self.seed, self.origin(), size, self.number)

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


@dataclass(frozen=True, repr=False)
class OddsOfSeveral(Odds):
    """The odds of several charges of one half: each has rows of its own.

    Attributes
    ----------
    each
        The odds of each charge, in order.
    """

    each: tuple[Odds, ...] = ()

    @staticmethod
    def of(each: tuple[Odds, ...]) -> OddsOfSeveral:
        """The odds of all charges of a half together."""
        first = each[0]
        methods = {one.method for one in each}
        return OddsOfSeveral(
            first.charge,
            (),
            "exact" if methods == {"exact"} else "mc",
            max(one.runs for one in each),
            max(one.seed for one in each),
            next((one.reason for one in each if one.reason), ""),
            first.aim,
            first.precision,
            each=each,
        )

    @property
    def charges(self) -> tuple[Odds, ...]:
        """The odds of each charge, in order."""
        return self.each

    @property
    def allowed(self) -> list[Row]:
        """No rows: they are those of one of the charges.

        Raises
        ------
        InputError
            Always.
        """
        raise InputError(f"each of the {len(self.each)} charges has odds of its own: ask one of 'charges'")

    def __getitem__(self, response: str) -> Row:
        return self.allowed[0]

    def heading(self) -> list[str]:
        """Title and rule set, and of each charge how its numbers were found and the best for the defender."""
        lines = [f"{self.charge.title}; {self.charge.played_by}"]
        for one in self.each:
            _, *said = one.heading()
            lines += [f"{self.charge.label(one.number)}; {said[0]}", *said[1:]]
        return lines

    def summary(self) -> pd.DataFrame:
        """A row a charge and response."""
        import pandas as pd

        tables = {one.number + 1: one.summary() for one in self.each}
        return pd.concat(tables, names=["charge", "response"]).fillna("–")

    def to_frame(self, losses: bool = False) -> pd.DataFrame:
        """As of one charge, with its number, from 1, in the first column."""
        return by_charge([one.to_frame(losses) for one in self.each])

    def ends(self) -> pd.DataFrame:
        """How the charges ended, each under its own responses: `Odds.ends` of each that is possible."""
        return joined([one.ends() for one in self._possible()])

    def each_run(self, size: int | None = None) -> Iterator[pd.DataFrame]:
        """The runs of each charge, one charge after another: `Odds.each_run` of each that is possible."""
        return chain.from_iterable(one.each_run(size) for one in self._possible())

    def _possible(self) -> list[Odds]:
        found = [one for one in self.each if any(row.refused is None for row in one.rows)]
        if not found:
            raise InputError("no charge is possible here")
        return found


def by_charge(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The frames of several charges as one, with the charge's number, from 1, in the first column."""
    import pandas as pd

    for number, frame in enumerate(frames, 1):
        frame.insert(0, "charge", number)
    return pd.concat(frames, ignore_index=True)


def responses_of(attack: Attack) -> tuple[str, ...]:
    """The responses there are against a charge, by the target's arm."""
    return RESPONSES_OF[attack.target[0].arm]


def chosen_responses(attack: Attack, response: str | None) -> tuple[str, ...]:
    """The responses to play for an asked one (`best` and `all` need all).

    Raises
    ------
    UnknownNameError
        If it is no response, or none of this target's arm.
    """
    asked = attack.response if response is None else response
    known = responses_of(attack)
    if asked in ("all", "best"):
        return known
    one_of("--response", asked, (*RESPONSES, "best", "all"))
    if asked not in known:
        raise UnknownNameError(
            f"--response must be one that {attack.target[0].arm} has ({', '.join(known)}), got {asked!r}"
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
    number: int | None = None,
) -> Odds:
    """The odds of a charge, or of each of several.

    Parameters
    ----------
    response
        A single response, `best` or `all`; the charge's own by default. Of several charges every target does
        it.
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
    number
        Of several charges one alone, from 0.

    Raises
    ------
    LaneLimitError
        With `method="exact"`, if the tree is too large.
    InputError
        If the method, the runs, the seed or the aim cannot be used.
    """
    runs, seed = check_options(method, runs, seed, aim)
    watched = several("--watched", watched, EVENTS)
    if precision is not None:
        checked(precision)
    numbers = range(len(charge.attacks)) if number is None else (number,)
    if response is not None and number is None and len(charge.attacks) > 1:
        charge = charge.answered(response)
    asked = {one: chosen_responses(charge.attacks[one], response) for one in numbers}
    whole = [attack.response if response is None else response for attack in charge.attacks]
    reason = ""
    if method != "mc":
        try:
            limit = None if method == "exact" else AUTO_LANES
            return _together(exact_odds(charge, one, asked[one], limit, aim, whole[one]) for one in numbers)
        except LaneLimitError as error:
            if method == "exact":
                raise
            reason = str(error).partition(";")[0]

    def simulated(one: int) -> Odds:
        variants, reasons = variants_of(charge.attacks[one], asked[one]), Refusals()

        def play(first: int, some: int) -> list[Tally]:
            told = progress if first == 0 else None
            tallies, reasons[:] = simulated_tallies(
                charge, variants, some, seed, told, first=first, charge_number=one
            )
            return tallies

        tallies, played = (
            (play(0, runs), runs) if precision is None else to_precision(play, watched, checked(precision))
        )
        rows = rows_of(asked[one], variants, tallies, reasons, aim)
        return Odds(charge, rows, "mc", played, seed, reason, aim, precision, one, whole[one])

    return _together(simulated(one) for one in numbers)


def _together(each: Iterable[Odds]) -> Odds:
    """The odds of all charges of a half as one answer."""
    found = tuple(each)
    return found[0] if len(found) == 1 else OddsOfSeveral.of(found)


def exact_odds(
    charge: Charge, number: int, responses: Sequence[str], limit: int | None, aim: str, asked: str = "all"
) -> Odds:
    """The exact odds of one of the charges of a half, with at most so many lanes.

    Raises
    ------
    LaneLimitError
        If there is too much to count.
    """
    variants = variants_of(charge.attacks[number], responses)
    dice = ExhaustiveDice() if limit is None else ExhaustiveDice(limit)
    rows = rows_of(responses, variants, *exact_tallies(charge, variants, dice, number), aim)
    return Odds(charge, rows, "exact", 0, 0, aim=aim, number=number, asked=asked)


def variants_of(attack: Attack, responses: Sequence[str]) -> list[Variant]:
    """What must be played: each response, and with `square: best` each of the charger's answers to a
    square."""
    squares = square_plans(attack) if attack.plan["square"] == "best" else (attack.plan["square"],)
    return [Variant.of(attack, response, square=square) for response in responses for square in squares]


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
        others = (tally for _, tally, _ in found[1:])
        matters = any((one.events, one.losses) != (first.events, first.losses) for one in others)
        mine = [Row(response, variant, tally, refused, matters) for variant, tally, refused in found]
        rows.append(max(mine, key=lambda row: row.tally.worth(aim)))
    return tuple(rows)
