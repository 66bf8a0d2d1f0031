"""Battles as tidy pandas frames: a row a run, a row a run and unit, a row a run and turn.

Every row says by which scenario and rules, and from which seed it comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sim.studies.counts import UNITS_OF, men_of
from sim.studies.record import FATES, IN_ROUT, LOST, ROUTED_OFF, Record, arms_of, winners_of
from sim.studies.runs import category, constant
from sim.units.battles import Scenario
from sim.vocabulary import ARMS, FORMATIONS, READINESS

if TYPE_CHECKING:
    import pandas as pd

NEITHER = "neither"
"""The winner of a run that nobody wins."""
Origin = Mapping[str, str | int]


def run_frame(record: Record, scenario: Scenario, origin: Origin) -> pd.DataFrame:
    """A row a run.

    Columns: `run`; `result` and `winner` (a side, or neither); `decided`, the turn from which on the winner
    was ahead to stay, 0 where nobody wins; of each side the increments that each arm has `lost`, all and as
    men, those that have `exited`, and how many of its units are routed, eliminated, surrendered or exited at
    the end; of each organisation the morale level in force at the end.
    """
    import pandas as pd

    winners, sides, arms = winners_of(scenario), np.array(scenario.side_of), arms_of(scenario)
    lost, left, end = record.lost[-1].astype(np.int32), record.left[-1].astype(np.int32), record.fate[-1]
    columns: dict[str, Any] = {
        "run": _runs(record),
        "result": category(record.result, [rung.result for rung in scenario.ladder]),
        "winner": category(winners[record.result], [side.name for side in scenario.sides], NEITHER),
        "decided": record.decided(winners),
    }
    for number, side in enumerate(scenario.sides):
        mine = sides == number
        for arm, name in enumerate(ARMS):
            columns[f"{side.name}_{name}_lost"] = lost[mine & (arms == arm)].sum(axis=0).astype(np.int16)
        columns[f"{side.name}_lost"] = lost[mine].sum(axis=0).astype(np.int16)
        columns[f"{side.name}_men_lost"] = men_of(lost[mine], arms[mine])
        columns[f"{side.name}_increments_exited"] = left[mine].sum(axis=0).astype(np.int16)
        for name, fates in UNITS_OF.items():
            there = np.isin(end[mine], fates)
            columns[f"{side.name}_units_{name}"] = np.count_nonzero(there, axis=0).astype(np.int16)
    for number, one in enumerate(scenario.organisations):
        columns[f"{one.name}_level"] = record.levels[-1, number].astype(np.int8)
    return pd.DataFrame(columns | constant(origin, record.runs))


def unit_frame(record: Record, scenario: Scenario, origin: Origin) -> pd.DataFrame:
    """A row a run and unit, by run.

    Columns: `run`, `unit`, `side`, `arm`, `organisation`; `fate`, one of `record.FATES`; the increments it
    has `lost`, and has `left` at the end, on the map or off it; how often it has `routed`, and where the last
    time (`routed_at`); where it stands at the end (`hex`), in which `formation` and `readiness`.
    """
    import pandas as pd

    units, map_ = scenario.units, scenario.sheet.map
    who = np.tile(np.arange(len(units)), record.runs)
    labels = [map_.label(number) for number in range(map_.off)]
    organisations = list(dict.fromkeys(unit.organisation for unit in units))
    start = np.array([unit.increments for unit in units])[:, None]
    at_end = record.fate[-1]
    there = at_end <= IN_ROUT

    def by_run(values: NDArray[Any]) -> NDArray[Any]:
        return values.T.ravel()

    columns = {
        "run": np.repeat(_runs(record), len(units)),
        "unit": category(who, [unit.name for unit in units]),
        "side": category(np.array(scenario.side_of)[who], [side.name for side in scenario.sides]),
        "arm": category(arms_of(scenario)[who], ARMS),
        "organisation": category(
            np.array([organisations.index(unit.organisation) for unit in units])[who], organisations
        ),
        "fate": category(by_run(at_end), FATES),
        "lost": by_run(record.lost[-1]),
        "left": by_run((start - record.lost[-1]).astype(np.int8)),
        "routed": by_run(record.routs),
        "routed_at": category(by_run(record.rout_hex), labels),
        "hex": category(by_run(np.where(there, record.hex, -1)), labels),
        "formation": category(by_run(np.where(there, record.formation, -1)), FORMATIONS),
        "readiness": category(
            by_run(np.where(there & (arms_of(scenario) == 1)[:, None], record.readiness, -1)), READINESS
        ),
    }
    return pd.DataFrame(columns | constant(origin, len(who)))


def turn_frame(record: Record, scenario: Scenario, origin: Origin) -> pd.DataFrame:
    """A row a run and turn, by run.

    Columns: `run`, `turn` and `clock`; `standing`, the result if the battle ended now; of each side the
    increments `lost` and `exited` so far, and the units `routed`, and `gone` for good; of each organisation
    its morale level.
    """
    import pandas as pd

    turns, sides = record.turns, np.array(scenario.side_of)
    which = np.tile(np.arange(turns), record.runs)
    columns: dict[str, Any] = {
        "run": np.repeat(_runs(record), turns),
        "turn": (which + 1).astype(np.int16),
        "clock": category(which, [scenario.calendar.clock(turn + 1) for turn in range(turns)]),
        "standing": category(record.standing.T.ravel(), [rung.result for rung in scenario.ladder]),
    }
    for number, side in enumerate(scenario.sides):
        mine = sides == number
        fates = record.fate[:, mine]
        for name, values in (
            ("lost", record.lost[:, mine].sum(axis=1, dtype=np.int16)),
            ("increments_exited", record.left[:, mine].sum(axis=1, dtype=np.int16)),
            ("units_routed", np.count_nonzero(fates == IN_ROUT, axis=1).astype(np.int16)),
            (
                "units_gone",
                np.count_nonzero((fates >= LOST) & (fates <= ROUTED_OFF), axis=1).astype(np.int16),
            ),
        ):
            columns[f"{side.name}_{name}"] = values.T.ravel()
    for number, one in enumerate(scenario.organisations):
        columns[f"{one.name}_level"] = record.levels[:, number].T.ravel().astype(np.int8)
    return pd.DataFrame(columns | constant(origin, len(which)))


def _runs(record: Record) -> NDArray[np.int64]:
    return np.arange(record.first, record.first + record.runs)
