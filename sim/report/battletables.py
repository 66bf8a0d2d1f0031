"""Battles as text and as JSON: who wins, what it costs, when it is decided, which units it hangs on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sim.errors import printable
from sim.report.layout import PLAIN, Block, Page, blocks, grid
from sim.studies.counts import ALL_ARMS, MEN_STEP, UNITS_OF, spread
from sim.studies.decimals import bare, decimals_of, with_half
from sim.studies.intervals import wilson
from sim.studies.matters import Matter, lead, level_shares, matters, wins
from sim.studies.run import Battles
from sim.units.battles import Scenario
from sim.vocabulary import ARMS

MOST_UNITS = 8
"""Units that mattered most, of which is told."""
LEAST = 0.005
"""Of a level that fewer of the runs have reached, no row is shown."""


def battle_lines(found: Battles, page: Page = PLAIN) -> list[str]:
    """What battles came to, as text."""
    scenario = found.scenario
    turns, first = scenario.calendar.turns, scenario.sides[scenario.first].name
    told = [
        *found.heading(),
        f"{turns} turns; {first} moves first",
        "",
        *_results(found, page),
        "",
        *_losses(found),
        "",
        *_units(found),
        "",
        *_levels(found, page),
        "",
        *_decided(found),
        "",
        *_matters(found, page),
    ]
    return page.wrap([printable(line) for line in told])


def rate_line(found: Battles) -> str:
    """How fast they were played."""
    each = f", {found.rate / found.workers:,.0f} a worker" if found.workers > 1 else ""
    return f"{found.rate:,.0f} battles a second{each} ({found.seconds:.1f} s)"


def share(hits: int, runs: int) -> str:
    """A share of the runs in per cent, with half its 95 % interval; at the ends the end of the interval."""
    if hits in (0, runs):
        return f"{bare(hits / runs, runs, 100)} %"
    low, high = wilson(hits, runs)
    return " ".join(with_half(100 * hits / runs, 100 * low, 100 * high)) + " %"


def _results(found: Battles, page: Page) -> Iterator[str]:
    """The victory split by rung of the ladder, and by side."""
    ladder, runs = found.scenario.ladder, found.runs
    rows = [
        [rung.result, share(int(hits), runs)] for rung, hits in zip(ladder, found.counts.results, strict=True)
    ]
    sides = [f"{side.name} wins" for side in found.scenario.sides]
    in_all = [
        [name, share(hits, runs)]
        for name, hits in zip([*sides, "neither"], wins(found.counts, found.scenario), strict=True)
    ]
    lines = grid([["result", "of all battles"], *rows, *in_all])
    yield lines[0]
    yield from lines[1 : len(rows) + 1]
    yield ""
    yield from (page.strong(line) for line in lines[len(rows) + 1 :])
    yield balance_line(found)


def balance_line(found: Battles) -> str:
    """Whether one side wins more often, and by how much."""
    ahead, low, high = lead(found.counts, found.scenario)
    first, second = (side.name for side in found.scenario.sides)
    if low <= 0 <= high:
        most = 100 * max(-low, high)
        return f"neither side is seen to win more often: by at most {most:.{decimals_of(most)}f} points"
    more, less = (first, second) if ahead > 0 else (second, first)
    if ahead < 0:
        ahead, low, high = -ahead, -high, -low
    points = " ".join(with_half(100 * ahead, 100 * low, 100 * high))
    return f"{more} wins more often than {less}: by {points} points"


def _range(values: tuple[int, int, int], step: int = 1) -> list[str]:
    """Median, and 5 to 95 %."""
    median, low, high = (step * value for value in values)
    return [f"{median:,}", f"{low:,}–{high:,}"]


def _losses(found: Battles) -> list[str]:
    """Increments and men lost by side and arm."""
    rows = [["increments lost", "", "of", "median", "5–95 %", "men: median", "5–95 %"]]
    for number, side in enumerate(found.scenario.sides):
        for arm, name in enumerate((*ARMS, "all")):
            of = _strength(found.scenario, number, arm)
            if not of:
                continue
            men = _range(spread(found.counts.men[number]), MEN_STEP) if arm == ALL_ARMS else []
            told = _range(spread(found.counts.lost[number, arm]))
            rows.append([side.name, name, str(of), *told, *men])
        if found.counts.left[number, 1:].any():
            rows.append([side.name, "exited", "", *_range(spread(found.counts.left[number]))])
    return grid(_once(rows), left=2)


def _once(rows: Sequence[list[str]]) -> list[list[str]]:
    """The first cell of each row only where it changes."""
    found, last = [], ""
    for row in rows:
        found.append([row[0] if row[0] != last else "", *row[1:]])
        last = row[0] or last
    return found


def _strength(scenario: Scenario, side: int, arm: int) -> int:
    """Increments at the start."""
    return sum(
        unit.increments
        for unit, whose in zip(scenario.units, scenario.side_of, strict=True)
        if whose == side and (arm == ALL_ARMS or ARMS[arm] == unit.arm)
    )


def _units(found: Battles) -> list[str]:
    """Units by what became of them."""
    rows = [["units at the end", "of", *UNITS_OF]]
    for number, side in enumerate(found.scenario.sides):
        told = [_around(spread(one)) for one in found.counts.units_of[number]]
        rows.append([side.name, str(found.scenario.side_of.count(number)), *told])
    return [*grid(rows), "median (5–95 % of the battles)"]


def _around(values: tuple[int, int, int]) -> str:
    """Median, and 5 to 95 %, in one."""
    median, low, high = values
    return f"{median} ({low}–{high})" if high else "0"


def _levels(found: Battles, page: Page) -> Iterator[str]:
    """How often each organisation was at a level, or a worse one, at the hours and at the end."""
    scenario, shares = found.scenario, level_shares(found.counts)
    calendar = scenario.calendar
    hours = [turn for turn in range(2, calendar.turns) if calendar.hourly(turn)]
    rows = [
        (organisation, level)
        for organisation in range(len(scenario.organisations))
        for level in range(3)
        if shares[:, organisation, level].max() >= LEAST
    ]
    if not rows:
        yield f"morale levels: none is reached in more than {100 * LEAST:g} % of the battles"
        return
    labels = ["morale level"]
    labels += [f"{scenario.organisations[one].name}: {_LEVELS[level]}" for one, level in rows]
    columns = [
        (
            "end" if turn == calendar.turns else calendar.clock(turn),
            *(f"{bare(float(shares[turn - 1, one, level]), found.runs, 100)} %" for one, level in rows),
        )
        for turn in [*hours, calendar.turns]
    ]
    for number, table in enumerate(blocks(labels, [Block("", tuple(columns))], page.width)):
        yield from ([""] if number else [])
        yield from table


_LEVELS = ("1 or worse", "2 or worse", "3")


def _decided(found: Battles) -> list[str]:
    """From when on the winner was ahead to stay."""
    calendar = found.scenario.calendar
    rows = [["decided: ahead to stay from", "median", "5–95 %"]]
    for side, by_turn in zip(found.scenario.sides, found.counts.decided, strict=True):
        if not by_turn.sum():
            rows.append([f"{side.name}, never", "–", "–"])
            continue
        median, low, high = (calendar.clock(turn + 1) for turn in spread(by_turn))
        rows.append([f"{side.name}, where it wins", median, f"{low}–{high}"])
    return grid(rows)


def _matters(found: Battles, page: Page) -> list[str]:
    """The units that mattered most."""
    told = matters(found.counts, MOST_UNITS)
    if not told:
        return ["units that mattered: none is seen to, in so many battles"]
    rows = [["units that mattered most", "", "broken", "side wins if", "if not", "difference"]]
    for one in told:
        unit = found.scenario.units[one.unit]
        rows.append(
            [
                unit.name,
                unit.side,
                f"{bare(one.broken, found.runs, 100)} %",
                f"{_whole(one.if_broken)} %",
                f"{_whole(one.if_not)} %",
                " ".join(_difference(one)),
            ]
        )
    return [
        *grid(rows, left=2),
        "broken: routed at any time, or lost; what goes together need not be a cause",
    ]


def _whole(share: float) -> str:
    """A share in whole per cent, never a bare 0 or 100."""
    return "<1" if share < 0.005 else ">99" if share >= 0.995 else f"{100 * share:.0f}"


def _difference(one: Matter) -> tuple[str, str]:
    low, high = one.difference - one.half, one.difference + one.half
    text, half = with_half(-100 * one.difference, -100 * high, -100 * low)
    return f"{float(text):+.{len(text.partition('.')[2])}f}", half


# -- JSON -----------------------------------------------------------------------------------------


def battle_json(found: Battles) -> dict[str, Any]:
    """What battles came to, as an object."""
    scenario, runs, told = found.scenario, found.runs, found.counts
    ahead, low, high = lead(told, scenario)
    names = [side.name for side in scenario.sides]
    calendar = scenario.calendar
    return {
        "title": scenario.title,
        "synthetic": scenario.synthetic,
        **found.origin(),
        "first": found.first,
        "runs": runs,
        "outcomes": [
            _share(rung.result, int(hits), runs) | {"winner": None if rung.side is None else names[rung.side]}
            for rung, hits in zip(scenario.ladder, told.results, strict=True)
        ],
        "winners": [
            _share(name, hits, runs) for name, hits in zip([*names, None], wins(told, scenario), strict=True)
        ],
        "lead": {"of": names[0], "p": ahead, "low": low, "high": high},
        "lost": [
            {"side": side, "arm": arm, "of": _strength(scenario, number, n)} | _spread(told.lost[number, n])
            for number, side in enumerate(names)
            for n, arm in enumerate((*ARMS, "all"))
        ],
        "men_lost": [
            {"side": side} | _spread(told.men[number], MEN_STEP) for number, side in enumerate(names)
        ],
        "exited": [{"side": side} | _spread(told.left[number]) for number, side in enumerate(names)],
        "units": [
            {"side": side, "fate": fate} | _spread(told.units_of[number, n])
            for number, side in enumerate(names)
            for n, fate in enumerate(UNITS_OF)
        ],
        "levels": [
            {"organisation": one.name, "turn": turn + 1, "clock": calendar.clock(turn + 1)}
            | {f"level_{n}": int(hits) for n, hits in enumerate(told.levels[turn, number])}
            for number, one in enumerate(scenario.organisations)
            for turn in range(calendar.turns)
        ],
        "decided": [
            {"winner": side, "turn": turn + 1, "clock": calendar.clock(turn + 1), "runs": int(hits)}
            for number, side in enumerate(names)
            for turn, hits in enumerate(told.decided[number])
        ],
        "matters": [
            {
                "unit": scenario.units[one.unit].name,
                "side": scenario.units[one.unit].side,
                "broken": one.broken,
                "wins_if_broken": one.if_broken,
                "wins_if_not": one.if_not,
                "half": one.half,
            }
            for one in matters(told, len(scenario.units))
        ],
        "seconds": round(found.seconds, 3),
        "workers": found.workers,
        "battles_a_second": round(found.rate, 1),
    }


def _share(name: str | None, hits: int, runs: int) -> dict[str, Any]:
    low, high = wilson(hits, runs)
    return {"name": name, "p": hits / runs, "low": low, "high": high, "runs": hits}


def _spread(counted: Any, step: int = 1) -> dict[str, int]:
    median, low, high = (step * value for value in spread(counted))
    return {"median": median, "p5": low, "p95": high}
