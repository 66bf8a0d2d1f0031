"""Tournaments as text and as JSON: who wins how often, by who plays which side."""

from __future__ import annotations

from typing import Any

from sim.errors import printable
from sim.report.layout import PLAIN, Page, grid
from sim.studies.decimals import bare, with_half
from sim.studies.tournament import Interval, Tournament


def tournament_lines(found: Tournament, page: Page = PLAIN) -> list[str]:
    """What a tournament came to, as text."""
    first, second = (side.name for side in found.scenario.sides)
    names = found.doctrines
    numbers, runs = range(len(names)), found.runs
    others = runs * (len(names) - 1)
    played = {None: 2 * others, 0: others, 1: others}
    table = [
        [f"{first} by", *(f"v {name}" for name in names)],
        *([names[row], *(_share(found.score(row, column), runs) for column in numbers)] for row in numbers),
    ]
    scores = [
        ["of its battles against the others", "wins", f"as {first}", f"as {second}"],
        *(
            [names[one], *(_share(found.of(one, side), count) for side, count in played.items())]
            for one in numbers
        ),
    ]
    told = [
        *found.heading(),
        "each pair has battles of its own; half of a drawn battle is won",
        "",
        f"{first} wins, by who plays it and who plays {second}",
        *grid(table),
        "",
        *grid(scores),
        "",
        spread_line(found),
    ]
    return page.wrap([printable(line) for line in told])


def spread_line(found: Tournament) -> str:
    """How much the answer depends on who plays."""
    first = found.scenario.sides[0].name
    (low, low_by), (high, high_by) = ((found.score(*at)[0], at) for at in found.spread())
    told = [
        f"{100 * share:.0f} % ({found.doctrines[by[0]]} v {found.doctrines[by[1]]})"
        for share, by in ((low, low_by), (high, high_by))
    ]
    sure = "beyond their intervals" if found.differs() else "within their intervals"
    return f"by who plays, {first} wins from {told[0]} to {told[1]}: {100 * (high - low):.0f} points, {sure}"


def tournament_json(found: Tournament) -> dict[str, Any]:
    """What a tournament came to, as an object."""
    numbers = range(len(found.doctrines))
    names = [side.name for side in found.scenario.sides]
    return {
        "title": found.scenario.title,
        **found.pairs[0][0].origin(),
        "runs": found.runs,
        "sides": names,
        "pairs": found.to_frame().to_dict("records"),
        "doctrines": [
            {"doctrine": found.doctrines[one]}
            | {
                told: dict(zip(("share", "low", "high"), found.of(one, side), strict=True))
                for told, side in (("all", None), (names[0], 0), (names[1], 1))
            }
            for one in numbers
        ],
        "differs": found.differs(),
    }


def _share(told: Interval, runs: int) -> str:
    """A share of so many battles with half its interval; at the ends the end of the interval."""
    share, low, high = told
    if share in (0, 1):
        return f"{bare(share, runs, 100)} %"
    return " ".join(with_half(100 * share, 100 * low, 100 * high)) + " %"
