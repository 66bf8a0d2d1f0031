"""Tallies told: intervals, texts with the decimals that these carry, rows of tables, and pandas frames.

An event never stands alone: success, what became of the target, what became of the charger and both sides'
losses are always told together.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

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


def signed(points: float, error: float = 0.0) -> str:
    """A difference with its sign, 0 only if it is none; simulated with the decimals of half its 95 %
    interval.

    >>> signed(-1.5), signed(0.0004), signed(0), signed(-1.5, 0.04)
    ('-1.50', '+0.0004', '0', '-1.50')
    """
    if error:
        return f"{points:+.{decimals_of(error)}f}"
    return f"{points:+.2f}" if abs(points) >= 0.005 else f"{points:+.1g}" if points else "0"


def half(points: float, runs: int, error: float) -> str:
    """Half an interval of a difference of so many points, rounded outward, never 0: where all runs agree,
    what so many may have missed."""
    if not error:
        return f"<{_outward(100 * wilson(0, runs)[1])}"
    return with_half(points, points - error, points + error)[1][1:]


def _share(tally: Tally, weight: Any, scale: int) -> str:
    """A part of all runs, of 100 or of 36."""
    if tally.exact or weight in (0, tally.total):
        return _bare(Fraction(weight) / tally.total, 0 if tally.exact else tally.total, scale)
    low, high = wilson(weight, tally.total)
    return " ".join(with_half(scale * weight / tally.total, scale * low, scale * high))


def with_half(value: float, low: float, high: float) -> tuple[str, str]:
    """A simulated number and half its 95 % interval, with the same decimals; the half is rounded outward.

    What is printed, from value less half to value and half, holds the whole of the interval, which may be
    wider on one side.

    Examples
    --------
    >>> with_half(4.5, 3.7, 5.5), with_half(76.5, 75.95, 77.13)
    (('4.5', '±1.0'), ('76.5', '±0.7'))
    """
    decimals = decimals_of((high - low) / 2)
    text = f"{value:.{decimals}f}"
    shown, least = Decimal(text), Decimal(1).scaleb(-decimals)
    widest = max(Decimal(high) - shown, shown - Decimal(low))
    return text, f"±{widest.quantize(least, ROUND_CEILING):f}"


def chance(p: Any, runs: int) -> str:
    """A probability as text.

    Exact (no runs): one decimal; `0` and `100 %` only when it is certain, `<0.1` or `>99.9` near them.
    Simulated: decimals by the number of runs, and never a bare 0 or 100 but the end of the 95 % interval.

    >>> from fractions import Fraction
    >>> chance(Fraction(13, 36), 0), chance(Fraction(1, 10000), 0), chance(0.0, 300)
    ('36.1 %', '<0.1 %', '<1.3 %')
    """
    return _bare(p, runs, 100) + " %"


def _bare(p: Any, runs: int, scale: int) -> str:
    if runs and p in (0, 1):
        few = _outward(scale * wilson(0, runs)[1])
        return f"<{few}" if p == 0 else f">{scale - Decimal(few)}"
    if p in (0, 1):
        return str(scale * int(p))
    if not runs:
        value = scale * float(p)
        return "<0.1" if value < 0.05 else f">{scale - 0.1:.1f}" if value > scale - 0.05 else f"{value:.1f}"
    low, high = wilson(round(p * runs), runs)
    return f"{scale * p:.{decimals_of(scale * (high - low) / 2)}f}"


def decimals_of(half: float) -> int:
    """Decimals of a number whose 95 % interval is so wide to either side: one in the last place is a quarter
    of that at most, one decimal the least.

    >>> [decimals_of(half) for half in (40, 0.7, 0.3, 0.03, 0.004)]
    [1, 1, 2, 3, 3]
    """
    return max(1, ceil(-log10(half / 4)))


def _outward(value: float) -> str:
    """A bound with two digits, rounded up.

    >>> _outward(0.1917), _outward(79.3), _outward(3.0)
    ('0.20', '80', '3.0')
    """
    place = 1 - floor(log10(value))
    return f"{Decimal(value).quantize(Decimal(1).scaleb(-max(place, 0)), ROUND_CEILING):f}"


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
    """Loss distributions of weighted ends (`Odds.ends`): response, side, increments lost, p, and p of at
    least that many."""
    import pandas as pd

    sides = []
    for side in SIDES:
        found = ends.groupby(["response", f"{side}_losses"], observed=True)["weight"].sum().reset_index()
        found.insert(1, "side", side)
        sides.append(found.rename(columns={f"{side}_losses": "increments"}))
    both = pd.concat(sides).sort_values(["response", "side", "increments"], ignore_index=True)
    parts = both.groupby(["response", "side"], observed=True)["weight"]
    whole, above = parts.transform("sum"), parts.transform(lambda weights: weights[::-1].cumsum()[::-1])
    shares = {"p": both["weight"] / whole, "at least": above / whole}
    return both.assign(**{name: share.astype(float) for name, share in shares.items()}).drop(columns="weight")
