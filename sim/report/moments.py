"""A battle as somebody sees it who looks at the map after each half: what stands where, and what has happened
since he looked last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sim.battle.tally import NOBODY
from sim.charge.told import Charges
from sim.report.battlemap import Standing, counters
from sim.report.mapplot import Counter
from sim.studies.asked import RUN, SEED, whole
from sim.studies.engine import chronicle_of, set_up, tally_of
from sim.studies.record import AWAITED, FATES, IN_ORDER, IN_ROUT, LOST, fates
from sim.studies.results import Result
from sim.studies.run import Failure, fault
from sim.units.battles import Scenario
from sim.units.record import Recorder

if TYPE_CHECKING:
    import pandas as pd

ROUT, RALLIED, ENTERS, CHARGES, LEVEL, TAKES = "rout", "rallied", "enter", "charge", "morale level", "take"
"""What news are called; who is gone is told by his fate (`studies.record.FATES`)."""


@dataclass(frozen=True)
class News:
    """Something that happened in a half.

    Attributes
    ----------
    side
        Whose news it is: 0 or 1.
    what
        In a word or two, such as `rout`.
    whom
        Units, organisations or places.
    """

    side: int
    what: str
    whom: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.what}: {', '.join(self.whom)}"


@dataclass(frozen=True)
class Moment:
    """How things stand after a half.

    Attributes
    ----------
    turn, half
        Turn from 1, half 1 or 2; 0 and 0 before the first.
    clock
        The time of the turn.
    side
        Whose half it was, None before the first.
    counters
        Units and leaders on the map.
    levels
        Morale level of each organisation.
    lost
        Increments lost so far by either side.
    news
        What happened in the half.
    stands
        The result as things stand, after both halves of a turn; else empty.
    """

    turn: int
    half: int
    clock: str
    side: int | None
    counters: tuple[Counter, ...]
    levels: tuple[int, ...]
    lost: tuple[int, int]
    news: tuple[News, ...]
    stands: str = ""


@dataclass(frozen=True, repr=False, eq=False)
class Replay(Result):
    """A run of a scenario, moment by moment, from the start on."""

    scenario: Scenario
    run: int
    seed: int
    moments: tuple[Moment, ...]

    def heading(self) -> list[str]:
        """The scenario, and which run."""
        scenario = self.scenario
        return [scenario.title, f"{scenario.played_by}; run {self.run} of seed {self.seed}"]

    def summary(self) -> pd.DataFrame:
        """A row a moment: when, the losses, and the news in words."""
        return self.to_frame()[["clock", "turn", "side", *self._lost(), "news", "stands"]]

    def to_frame(self) -> pd.DataFrame:
        """A row a moment: turn, half, clock, whose half it was, increments lost so far by side, morale level
        of each organisation, the news, and after a turn the result as things stand."""
        import pandas as pd

        scenario = self.scenario
        rows = [
            {
                "turn": one.turn,
                "half": one.half,
                "clock": one.clock,
                "side": None if one.side is None else scenario.sides[one.side].name,
                **dict(zip(self._lost(), one.lost, strict=True)),
                **{
                    f"{organisation.name}_level": level
                    for organisation, level in zip(scenario.organisations, one.levels, strict=True)
                },
                "news": "; ".join(map(str, one.news)),
                "stands": one.stands or None,
            }
            for one in self.moments
        ]
        return pd.DataFrame(rows)

    def _lost(self) -> list[str]:
        return [f"{side.name}_lost" for side in self.scenario.sides]

    def __repr__(self) -> str:
        return f"<Replay: {self.scenario.name}, run {self.run} of seed {self.seed}>"

    def when(self, moment: Moment) -> str:
        """A moment in words."""
        if moment.side is None:
            return f"{moment.clock}, at the start"
        return f"{moment.clock}, turn {moment.turn}: after the {self.scenario.sides[moment.side].name} half"


def replay(scenario: Scenario, run: int = 0, seed: int = 1) -> Replay:
    """Play a run and look at it after each half; it is the same run as in any batch.

    Raises
    ------
    InputError
        If an argument cannot be used.
    ImpossibleStateError
        If the run meets a state that the rules do not know.
    """
    run, seed = whole("--run", run, *RUN), whole("--seed", seed, *SEED)
    watcher = _Watcher(scenario, run, seed)
    try:
        watcher.battle.run()
    except Exception as error:
        raise Failure(run, run, fault(error)).error(scenario, seed) from error
    watcher.battle.forces.ensemble.close()
    return Replay(scenario, run, seed, tuple(watcher.moments))


class _Watcher:
    """Looks at a battle when it begins and whenever a half is over."""

    def __init__(self, scenario: Scenario, run: int, seed: int) -> None:
        self.scenario, self.run, self.seed = scenario, run, seed
        self.recorder = Recorder()
        self.battle = set_up(scenario, seed, run, recorder=self.recorder)
        self.tally = tally_of(self.battle)
        self.place_of = {hex_: name for name, hexes in scenario.sheet.map.places.items() for hex_ in hexes}
        self.read = 0
        self.seen = self._look()
        self.moments = [self._moment(0, 0, None, ())]
        self.battle.after_half = self._half

    def _look(self) -> _Seen:
        forces, counts = self.battle.forces, self.tally.counts
        assert forces.routs is not None
        return _Seen(
            fates(forces.state[:, 0], forces.reason[:, 0]).tolist(),
            forces.routs.count[:, 0].tolist(),
            counts.holder[: len(self.tally.places), 0].tolist(),
            counts.level[: len(self.scenario.organisations), 0].tolist(),
        )

    def _half(self) -> None:
        before, self.seen = self.seen, self._look()
        phasing = self.battle.half.phasing
        half = 1 if phasing == self.scenario.first else 2
        news = tuple(self._news(before, self.seen))
        self.moments.append(self._moment(self.battle.play.turn, half, phasing, news))

    def _moment(self, turn: int, half: int, side: int | None, news: tuple[News, ...]) -> Moment:
        scenario = self.scenario
        lost, sides = self.tally.lost()[:, 0], np.array(scenario.side_of)
        rung = int(chronicle_of(self.battle).standing[turn - 1, 0]) if half == 2 else -1
        return Moment(
            turn,
            half,
            scenario.calendar.clock(max(turn, 1)),
            side,
            tuple(counters(Standing(scenario, self.run, self.seed, turn, self.battle.forces))),
            tuple(self.seen.levels),
            (int(lost[sides == 0].sum()), int(lost[sides == 1].sum())),
            news,
            scenario.ladder[rung].result if half == 2 else "",
        )

    # -- what happened ----------------------------------------------------------------------------

    def _news(self, before: _Seen, now: _Seen) -> Iterator[News]:
        """Each kind of news once a side: charges, routs, losses of units, who is back, levels, places."""
        told: dict[tuple[str, int], list[str]] = {}

        def tell(what: str, side: int, whom: str) -> None:
            some = told.setdefault((what, side), [])
            if whom not in some:
                some.append(whom)

        units, side_of = self.scenario.units, self.scenario.side_of
        entries, self.read = self.recorder.entries[self.read :], len(self.recorder.entries)
        for event in (entry.event for entry in entries):
            if isinstance(event, Charges):
                tell(CHARGES, side_of[event.unit], f"{units[event.unit].name} at {units[event.goal].name}")
        for n, unit in enumerate(units):
            was, fate = before.fates[n], now.fates[n]
            if now.routs[n] > before.routs[n]:
                tell(ROUT, side_of[n], unit.name)
            if fate != was and fate >= LOST:
                tell(FATES[fate], side_of[n], unit.name)
            elif was == AWAITED and fate != was:
                tell(ENTERS, side_of[n], unit.name)
            elif was == IN_ROUT and fate == IN_ORDER:
                tell(RALLIED, side_of[n], unit.name)
        for one, old, level in zip(self.scenario.organisations, before.levels, now.levels, strict=True):
            if level != old:
                tell(LEVEL, one.side, f"{one.name} {level}")
        for hex_, old, holder in zip(self.tally.places, before.holders, now.holders, strict=True):
            if holder not in (old, NOBODY):
                label = self.scenario.sheet.grid.label(hex_)
                name = self.place_of.get(hex_)
                tell(TAKES, holder, f"{name} ({label})" if name else label)
        for (what, side), whom in sorted(told.items(), key=lambda one: _ORDER.get(one[0][0], 2)):
            yield News(side, what, tuple(whom))


_ORDER = {CHARGES: 0, ROUT: 1, ENTERS: 3, RALLIED: 4, LEVEL: 5, TAKES: 6}
"""News by how they are sorted; the fates of units are after the routs."""


@dataclass(frozen=True)
class _Seen:
    """What a half is compared with: fates and routs by unit, holders by place, levels by organisation."""

    fates: list[int]
    routs: list[int]
    holders: list[int]
    levels: list[int]
