"""A battle as it stands in one run: its units on the map, drawn and listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.report.layout import grid
from sim.report.mapplot import Counter
from sim.report.mapplot import draw as draw_map
from sim.studies.asked import RUN, SEED, whole
from sim.studies.engine import set_up
from sim.studies.record import FATES, fates
from sim.units.battles import Scenario
from sim.units.forces import OUT, Forces
from sim.vocabulary import ARMS, FORMATIONS, GONE, STATES

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Standing:
    """How a run stands after some turns.

    Attributes
    ----------
    turn
        Turns played; 0 at the start.
    forces
        All units, in one lane.
    """

    scenario: Scenario
    run: int
    seed: int
    turn: int
    forces: Forces

    @property
    def when(self) -> str:
        """Run and turn in words."""
        calendar = self.scenario.calendar
        if not self.turn:
            return f"at the start, {calendar.clock(1)}"
        return f"run {self.run} of seed {self.seed}, end of turn {self.turn} ({calendar.clock(self.turn)})"


def standing(scenario: Scenario, run: int = 0, seed: int = 1, turn: int | None = None) -> Standing:
    """Play a run to the end of a turn; None for all turns, 0 for none.

    Raises
    ------
    InputError
        If an argument cannot be used.
    """
    run, seed = whole("--run", run, *RUN), whole("--seed", seed, *SEED)
    turns = scenario.calendar.turns if turn is None else whole("--turn", turn, 0, scenario.calendar.turns)
    battle = set_up(scenario, seed, run, turns=turns)
    if turns:
        battle.run()
    return Standing(scenario, run, seed, turns, battle.forces)


def draw(found: Standing) -> Figure:
    """The map with the units and leaders on it."""
    scenario = found.scenario
    sides = [side.name for side in scenario.sides]
    return draw_map(
        scenario.sheet, counters(found), sides, f"{scenario.title}: {found.when}; {scenario.played_by}"
    )


def counters(found: Standing) -> list[Counter]:
    """Units on the map in unit order, then leaders."""
    scenario, forces, map_ = found.scenario, found.forces, found.scenario.sheet.map
    told = []
    for number, unit in enumerate(scenario.units):
        at = map_.hex(int(forces.hex[number, 0]))
        if at is None or forces.state[number, 0] == GONE:
            continue
        told.append(
            Counter(
                at,
                scenario.side_of[number],
                ARMS.index(unit.arm),
                int(forces.formation[number, 0]),
                int(forces.state[number, 0]),
                int(forces.facing[number, 0]),
                int(forces.increments[number, 0]),
                unit.printed,
                unit.name,
                map_.hex(int(forces.second[number, 0])),
            )
        )
    where = forces.leader_hexes(np.array([0]))
    for number, leader in enumerate(scenario.leaders):
        at = map_.hex(int(where[number, 0]))
        if at is not None and forces.leader_fate[number, 0] != OUT:
            side = int(forces.leader_side[number])
            told.append(Counter(at, side, 0, -1, 0, name=leader.name))
    return told


def standing_lines(found: Standing) -> list[str]:
    """Every unit, where it stands and how."""
    rows = [["unit", "side", "hex", "formation", "state", "increments"]]
    rows += [
        [
            one["unit"],
            one["side"],
            one["hex"] or "–",
            one["formation"] or "–",
            one["state"],
            f"{one['increments']}/{one['printed']}",
        ]
        for one in _units(found)
    ]
    return [found.scenario.title, f"{found.scenario.played_by}; {found.when}", "", *grid(rows, left=5)]


def standing_json(found: Standing) -> dict[str, Any]:
    """The same as an object."""
    return {
        "title": found.scenario.title,
        **found.scenario.identity(),
        "run": found.run,
        "seed": found.seed,
        "turn": found.turn,
        "units": _units(found),
        "outcomes": [],
    }


def _units(found: Standing) -> list[dict[str, Any]]:
    scenario, forces, map_ = found.scenario, found.forces, found.scenario.sheet.map
    ends = fates(forces.state[:, 0], forces.reason[:, 0])
    told = []
    for number, unit in enumerate(scenario.units):
        on_map = ends[number] < GONE
        told.append(
            {
                "unit": unit.name,
                "side": unit.side,
                "arm": unit.arm,
                "hex": map_.label(int(forces.hex[number, 0])) if on_map else None,
                "formation": FORMATIONS[int(forces.formation[number, 0])] if on_map else None,
                "state": STATES[int(forces.state[number, 0])] if on_map else FATES[int(ends[number])],
                "increments": int(forces.increments[number, 0]),
                "printed": unit.printed,
            }
        )
    return told
