"""Two charges compared under the same dice: every roll that both make is the same (common random numbers)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from sim.battle import play
from sim.dice import ExhaustiveDice, RandomDice
from sim.errors import InputError, LaneLimitError
from sim.outcomes import EVENTS, Tally, events, losses
from sim.scenarios import Charge
from sim.studies.odds import AUTO_LANES, Odds, batches, chosen_responses, exact_tallies, odds, variants_of


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
class Comparison:
    """Differences of every event, by response."""

    first: Charge
    second: Charge
    method: str
    runs: int
    seed: int
    rows: dict[str, tuple[Difference, ...]]
    losses: dict[str, dict[str, tuple[Any, Any]]]


def compare(
    first: Charge,
    second: Charge,
    response: str | None = None,
    method: str = "auto",
    runs: int = 100_000,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Compare two charges, exactly or with paired dice.

    Raises
    ------
    InputError
        If they share no response.
    """
    known = chosen_responses(second, "all")
    shared = [one for one in chosen_responses(first, response) if one in known]
    if not shared:
        raise InputError("the two charges have no response in common to compare")
    if method != "mc":
        try:
            return _exact(first, second, shared, None if method == "exact" else AUTO_LANES)
        except LaneLimitError:
            if method == "exact":
                raise
    odds(first, shared[0], "mc", 1, seed)
    return _paired(first, second, shared, runs, seed, progress)


def _exact(first: Charge, second: Charge, responses: list[str], limit: int | None) -> Comparison:
    sides: list[list[Tally]] = []
    for charge in (first, second):
        dice = ExhaustiveDice() if limit is None else ExhaustiveDice(limit)
        sides.append(_best_plans(charge, responses, exact_tallies(charge, variants_of(charge, responses), dice)[0]))
    rows, lost = {}, {}
    for response, before, after in zip(responses, *sides, strict=True):
        rows[response] = tuple(Difference(event, before.p(event), after.p(event)) for event in EVENTS)
        lost[response] = {side: (before.mean_loss(side), after.mean_loss(side)) for side in before.losses}
    return Comparison(first, second, "exact", 0, 0, rows, lost)


def _best_plans(charge: Charge, responses: list[str], tallies: list[Tally]) -> list[Tally]:
    """One tally a response: the charger's best where its plan leaves the choice open."""
    variants = variants_of(charge, responses)
    chosen = []
    for response in responses:
        mine = [tally for variant, tally in zip(variants, tallies, strict=True) if variant.response == response]
        chosen.append(max(mine, key=lambda tally: (tally.p("charge succeeds"), -tally.mean_loss("charger"))))
    return chosen


def _paired(first: Charge, second: Charge, responses: list[str], runs: int, seed: int, progress: Callable[[int, int], None] | None) -> Comparison:
    """Run by run: the error of a difference comes from the runs that differ."""
    settled = [_settled(charge, responses, runs, seed) for charge in (first, second)]
    before = {one: dict.fromkeys(EVENTS, 0) for one in responses}
    after = {one: dict.fromkeys(EVENTS, 0) for one in responses}
    gained = {one: dict.fromkeys(EVENTS, 0) for one in responses}
    dropped = {one: dict.fromkeys(EVENTS, 0) for one in responses}
    totals: dict[str, dict[str, list[int]]] = {one: {"charger": [0, 0], "target": [0, 0]} for one in responses}
    for start, n in batches(runs):
        seen = []
        for charge in settled:
            dice = RandomDice(seed, start, n)
            forces = play(charge, dice, variants_of(charge, responses))
            lanes = dice.lane_of_run.reshape(len(responses), n)
            stack, goal = tuple(range(len(charge.charger))), len(charge.charger)
            seen.append((events(forces, stack, goal), losses(forces), lanes))
        for k, response in enumerate(responses):
            for event in EVENTS:
                a, b = (happened[event][lanes[k]] for happened, _, lanes in seen)
                before[response][event] += int(a.sum())
                after[response][event] += int(b.sum())
                gained[response][event] += int(np.count_nonzero(b & ~a))
                dropped[response][event] += int(np.count_nonzero(a & ~b))
            for side in totals[response]:
                for which, (_, lost, lanes) in enumerate(seen):
                    totals[response][side][which] += int(lost[side][lanes[k]].sum())
        if progress is not None:
            progress(start + n, runs)
    rows = {}
    for response in responses:
        rows[response] = tuple(
            _difference(event, before[response][event], after[response][event], gained[response][event], dropped[response][event], runs)
            for event in EVENTS
        )
    lost_means = {one: {side: (pair[0] / runs, pair[1] / runs) for side, pair in sides.items()} for one, sides in totals.items()}
    return Comparison(first, second, "mc", runs, seed, rows, lost_means)


def _settled(charge: Charge, responses: list[str], runs: int, seed: int) -> Charge:
    """A charge whose open plan is decided by a short simulation, so that each response is one variant."""
    if charge.plan["square"] != "best":
        return charge
    from sim.scenarios import with_plan

    found: Odds = odds(charge, responses[0], "mc", min(runs, 20_000), seed)
    return with_plan(charge, square=found.rows[0].variant.square)


def _difference(event: str, before: int, after: int, gained: int, dropped: int, runs: int) -> Difference:
    p, q = before / runs, after / runs
    mean = (gained - dropped) / runs
    error = sqrt(max((gained + dropped) / runs - mean * mean, 0.0) / runs)
    independent = sqrt((p * (1 - p) + q * (1 - q)) / runs)
    return Difference(event, p, q, error, independent, gained + dropped)
