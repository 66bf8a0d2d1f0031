"""One battle told: turn by turn, who decides, the dice with every modifier, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from sim.combat.told import Rolled
from sim.errors import InputError, UnknownNameError, did_you_mean
from sim.report.layout import PLAIN
from sim.report.narration import SEGMENT_TITLES, step_lines
from sim.report.wording import steps_of
from sim.studies.asked import RUN, SEED, whole
from sim.studies.engine import record_of, set_up
from sim.studies.record import Record
from sim.studies.results import Result
from sim.studies.run import fault
from sim.units.battles import Scenario
from sim.units.forces import Forces
from sim.units.record import Entry, Event, Recorder

if TYPE_CHECKING:
    import pandas as pd

COMMAND = "command"
_NUMBERED = ("unit", "lead", "target", "goal", "to", "host")
"""Fields of events that hold a unit's number."""


class BattleStory(dict[str, Any], Result):
    """One battle, told: an object as `carre explain --json` prints it, and a text."""

    def heading(self) -> list[str]:
        """The scenario, and which run."""
        rules = f"rule set {self['ruleset']} v{self['version']} ({self['digest']}), edition {self['edition']}"
        only = [
            f"turn {self['turn']}" if self["turn"] else "",
            self["unit"] or "",
        ]
        lines = [self["title"], f"{rules}; run {self['run']} of seed {self['seed']}"]
        return lines + ([f"only {', '.join(filter(None, only))}"] if any(only) else [])

    def summary(self) -> pd.DataFrame:
        """A row a step, in words."""
        import pandas as pd

        told = [" ".join(line.strip() for line in step_lines(step)) for step in self["steps"]]
        return pd.DataFrame({"step": told})

    def to_frame(self) -> pd.DataFrame:
        """A row a step: turn, half, segment, rule, who, text; and of a roll its kind, roll, modified roll and
        result."""
        import pandas as pd

        columns = ["turn", "half", "segment", "rule", "who", "text", "kind", "roll", "modified", "result"]
        rows = [{name: step.get(name) for name in columns} for step in self["steps"]]
        return pd.DataFrame(rows, columns=columns).astype(
            {"half": "Int64", "roll": "Int64", "modified": "Int64"}
        )

    def lines(self) -> list[str]:
        """The whole story, in lines as long as they are."""
        told = list(story(self["steps"])) or ["nothing happens that is told"]
        return [*self.heading(), "", *told, "", *self.ending()]

    def ending(self) -> list[str]:
        """How it ended, or how things stand."""
        winner = f" ({self['winner']} wins)" if self["winner"] else ""
        when = "In the end" if self["complete"] else f"After turn {self['played']}, as it stands"
        lost = ", ".join(f"{side} {number}" for side, number in self["losses"].items())
        return [f"{when}: {self['outcome']}{winner}.", f"Increments lost: {lost}."]

    def __str__(self) -> str:
        return "\n".join(PLAIN.wrap(self.lines()))

    def __repr__(self) -> str:
        return f"<BattleStory: {self['title']}; run {self['run']} of seed {self['seed']}: {self['outcome']}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def explain_battle(
    scenario: Scenario, run: int = 0, seed: int = 1, turn: int | None = None, unit: str | None = None
) -> BattleStory:
    """Play one run of a scenario and tell it; it is the same run as in any batch.

    Parameters
    ----------
    turn
        Tells this turn alone; later ones are not played.
    unit
        Tells only what concerns a unit, or a leader, of this name.

    Raises
    ------
    InputError
        If an argument cannot be used.
    """
    run, seed = whole("--run", run, *RUN), whole("--seed", seed, *SEED)
    turns = scenario.calendar.turns
    if turn is not None:
        turn = whole("--turn", turn, 1, turns)
    named = None if unit is None else _named(scenario, unit)
    recorder = Recorder()
    fought = set_up(scenario, seed, run, recorder=recorder, turns=turn)
    try:
        fought.run()
    except Exception as error:
        told = _steps(_chosen(recorder.entries, turn, named), fought.forces, scenario)
        raise StoppedError(error, told) from error
    record = record_of(fought, scenario, run)
    steps = _steps(_chosen(recorder.entries, turn, named), fought.forces, scenario)
    fought.forces.ensemble.close()
    return BattleStory(
        {"title": scenario.title, "synthetic": scenario.synthetic, **scenario.identity()}
        | {"run": run, "seed": seed, "turn": turn, "unit": unit, "steps": steps}
        | _ending(record, scenario)
    )


class StoppedError(InputError):
    """A run that met an impossible state; `steps` are those before it."""

    def __init__(self, cause: Exception, steps: list[dict[str, Any]]) -> None:
        super().__init__(f"the run met an impossible state ({fault(cause)})")
        self.steps = steps


def _ending(record: Record, scenario: Scenario) -> dict[str, Any]:
    """Result and losses at the end of what was played."""
    rung = scenario.ladder[int(record.result[0])]
    lost = record.lost[-1, :, 0].tolist()
    sides = [side.name for side in scenario.sides]
    losses = {
        name: sum(one for one, whose in zip(lost, scenario.side_of, strict=True) if whose == number)
        for number, name in enumerate(sides)
    }
    return {
        "complete": record.turns == scenario.calendar.turns,
        "played": record.turns,
        "outcome": rung.result,
        "winner": None if rung.side is None else sides[rung.side],
        "losses": losses,
        "outcomes": [{"name": one.result, "p": float(one is rung), "runs": 1} for one in scenario.ladder],
    }


# -- what is told ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Whom:
    """A unit or a leader by its name: their numbers, -1 for what it is not."""

    name: str
    unit: int
    leader: int

    def concerns(self, event: Event) -> bool:
        """Whether an event is about it."""
        if isinstance(event, Rolled) and event.decision.name.endswith("/leader"):
            return event.unit == self.leader >= 0 or event.decision.by == self.unit >= 0
        if self.unit < 0:
            return getattr(event, "leader", None) == self.name
        whom = [getattr(event, name) for name in _NUMBERED if name in event.attributes]
        by = event.decision.by if isinstance(event, Rolled) else -1
        return self.unit in (*whom, by, *getattr(event, "group", ()))


def _named(scenario: Scenario, name: str) -> _Whom:
    """The unit or the leader of a name."""
    units, leaders = ([one.name for one in some] for some in (scenario.units, scenario.leaders))
    if name not in (*units, *leaders):
        hint = did_you_mean(name, [*units, *leaders])
        told = f"--unit must be a unit or a leader of the scenario, got {name!r}"
        raise UnknownNameError(f"{told}{hint and '.'}{hint}")
    unit, leader = (some.index(name) if name in some else -1 for some in (units, leaders))
    return _Whom(name, unit, leader)


def _chosen(entries: Iterable[Entry], turn: int | None, whom: _Whom | None) -> list[Entry]:
    return [
        one
        for one in entries
        if (turn is None or one.turn == turn) and (whom is None or whom.concerns(one.event))
    ]


def _steps(entries: Sequence[Entry], forces: Forces, scenario: Scenario) -> list[dict[str, Any]]:
    """Steps, each with its turn, the time, the half and whose it is."""
    steps = steps_of(entries, forces)
    for step in steps:
        turn, _, rest = step["moment"].partition(".")
        half = int(rest.partition(".")[0]) if "." in rest else None
        step["turn"], step["clock"] = int(turn), scenario.calendar.clock(int(turn))
        step["half"] = half
        side = None if half is None else scenario.sides[(scenario.first + half - 1) % 2].name
        step["side"] = side
    return steps


def story(steps: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The lines of a battle's steps: a title for each segment in which something happens."""
    moment = ""
    for step in steps:
        if step["moment"] != moment:
            if moment:
                yield ""
            moment = step["moment"]
            whose = f", {step['side']}: " if step["side"] else ": "
            yield f"{step['clock']}, turn {step['turn']}{whose}{_title(step['segment'])}"
        yield from step_lines(step)


def _title(segment: str) -> str:
    return "command step" if segment == COMMAND else SEGMENT_TITLES[segment].lower()
