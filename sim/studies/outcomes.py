"""Tallies told: intervals, texts with the decimals that these carry, rows of tables, and pandas frames.

An event never stands alone: success, what became of the target, what became of the charger and both sides'
losses are always told together.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sim.studies.decimals import bare, with_half
from sim.studies.intervals import wilson
from sim.studies.measures import EVENTS, SIDES
from sim.studies.tally import Tally

if TYPE_CHECKING:
    import pandas as pd


def percent(tally: Tally, event: str) -> str:
    """A probability as text, exact with one decimal (see `chance`), simulated with half its 95 % interval
    (see `with_half`)."""
    return _share(tally, tally.events[event], 100) + " %"


def pips(tally: Tally, event: str) -> str:
    """A probability as text in pips, thirty-sixths of all rolls; as `percent`."""
    return _share(tally, tally.events[event], 36)


def at_least(tally: Tally, side: str, increments: int) -> str:
    """How often a side loses so many increments or more, as `percent`."""
    return _share(tally, tally.at_least(side, increments), 100) + " %"


def mean_loss(tally: Tally, side: str) -> str:
    """Expected increments lost by a side, over all runs, as text; simulated with half its 95 % interval,
    where runs differ."""
    mean, half = float(tally.mean_loss(side)), 1.96 * tally.loss_error(side)
    if not half:
        return "0" if not mean else f"{mean:.2f}" if mean >= 0.005 else "<0.01"
    return " ".join(with_half(mean, mean - half, mean + half))


def _share(tally: Tally, weight: Any, scale: int) -> str:
    """A part of all runs, of 100 or of 36."""
    if tally.exact or weight in (0, tally.total):
        return bare(Fraction(weight) / tally.total, 0 if tally.exact else tally.total, scale)
    low, high = wilson(weight, tally.total)
    return " ".join(with_half(scale * weight / tally.total, scale * low, scale * high))


def outcome_rows(tally: Tally) -> list[dict[str, Any]]:
    """The events as JSON objects: `name`, `p`, and `fraction`, or `low`, `high` and `runs`."""
    rows = []
    for name in EVENTS:
        row: dict[str, Any] = {"name": name, "p": float(tally.p(name))}
        interval = tally.interval(name)
        if interval is None:
            row["fraction"] = str(tally.p(name))
        else:
            row |= {"low": interval[0], "high": interval[1], "runs": tally.total}
        rows.append(row)
    return rows


def records(tally: Tally, spread: bool = False) -> list[dict[str, Any]]:
    """The events as rows of a table: `event`, `p`, `low`, `high`, `runs` (exact: low = high = p, no runs),
    and both expected losses.

    With `spread` also, as events, that a side loses at least one increment, two, and so on.
    """
    weights = dict(tally.events)
    if spread:
        for side in reversed(SIDES):
            most = max((value for value, weight in tally.losses[side].items() if weight), default=0)
            weights |= {f"{side} loses at least {n}": tally.at_least(side, n) for n in range(1, most + 1)}
    means = {f"{side} loses": float(tally.mean_loss(side)) for side in reversed(SIDES)}
    found = []
    for name, weight in weights.items():
        p = float(weight / tally.total)
        low, high = (p, p) if tally.exact else wilson(weight, tally.total)
        found.append(
            {"event": name, "p": p, "low": low, "high": high, "runs": 0 if tally.exact else tally.total}
            | means
        )
    return found


def loss_frame(ends: pd.DataFrame) -> pd.DataFrame:
    """Loss distributions of weighted ends (`Odds.ends`): response (of several charges, the charge before it),
    side, increments lost, p, and p of at least that many."""
    import pandas as pd

    played = ["charge"] * (ends["charge"].nunique() > 1) + ["response"]
    sides = []
    for side in SIDES:
        found = ends.groupby([*played, f"{side}_losses"], observed=True)["weight"].sum().reset_index()
        found.insert(len(played), "side", side)
        sides.append(found.rename(columns={f"{side}_losses": "increments"}))
    both = pd.concat(sides).sort_values([*played, "side", "increments"], ignore_index=True)
    parts = both.groupby([*played, "side"], observed=True)["weight"]
    whole, above = parts.transform("sum"), parts.transform(lambda weights: weights[::-1].cumsum()[::-1])
    shares = {"p": both["weight"] / whole, "at least": above / whole}
    return both.assign(**{name: share.astype(float) for name, share in shares.items()}).drop(columns="weight")
