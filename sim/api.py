"""Carré in Python: the functions that `import sim` offers, for scripts and notebooks (docs/python.md)."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from sim.battle.refusals import refuse
from sim.errors import CarreError, CarreWarning, InputError, printable
from sim.inputs import documents
from sim.inputs.documents import Document, Key
from sim.report import battlestory, narration
from sim.report import moments as watching
from sim.report.battlestory import BattleStory
from sim.report.battletables import battle_lines
from sim.report.moments import Replay
from sim.report.narration import Story
from sim.report.replay import replay_lines, save_frames, save_gif
from sim.report.solved import solve_lines
from sim.report.tables import compare_lines, odds_lines, sweep_lines, written
from sim.report.tournament import tournament_lines
from sim.rulesets import catalogue, shipped
from sim.rulesets.catalogue import RuleSet
from sim.studies import asked, lookups
from sim.studies import compare as comparing
from sim.studies import odds as counting
from sim.studies import run as running
from sim.studies import solve as solving
from sim.studies import sweep as sweeping
from sim.studies import tournament as contests
from sim.studies.charts import Answer
from sim.studies.compare import Comparison
from sim.studies.measures import EVENTS, SUCCEEDS
from sim.studies.odds import Odds
from sim.studies.run import Battles
from sim.studies.runs import joined
from sim.studies.solve import Solution
from sim.studies.sweep import Axis, Sweep
from sim.studies.tournament import Tournament
from sim.units import battlefiles, scenarios
from sim.units.battles import Scenario
from sim.units.charges import Charge

if TYPE_CHECKING:
    import pandas as pd

AnyCharge = Charge | Mapping[str, Any] | str | Path | None
"""A loaded charge, the fields of a charge file as a dict, the path of a charge file, or None for the charge
that comes with Carré."""
AnyScenario = Scenario | str | Path
"""A loaded scenario, the name of one that comes with Carré, or the path of a scenario file."""
Changes = Mapping[str, Any]
"""Fields by their dotted names, with the values they are to have:
`{"target.morale": 26, "plan.square": "break off"}`; None takes a field away, as if the file did not have
it."""

Odds.told_by(odds_lines)
Comparison.told_by(lambda found: compare_lines(found, found.labels))
Battles.told_by(battle_lines)
Replay.told_by(replay_lines)
Tournament.told_by(tournament_lines)
Solution.told_by(solve_lines)
Sweep.told_by(lambda found: sweep_lines(found, SUCCEEDS))

P = ParamSpec("P")
R = TypeVar("R")


def _in_python(function: Callable[P, R]) -> Callable[P, R]:
    """What the command line calls `--runs` is `runs` here, in messages too."""

    @wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        try:
            return function(*arguments, **named)
        except CarreError as error:
            error.args = tuple(
                re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda found: found[1].replace("-", "_"), str(part))
                for part in error.args
            )
            raise

    return call


@_in_python
def load_charge(charge: AnyCharge = None, changes: Changes | None = None) -> Charge:
    """A charge, checked and complete, with its rule set: what happens to the files afterwards changes
    neither.

    Parameters
    ----------
    charge
        The path of a charge file; a dict with the fields of one; a loaded charge; or None for the charge that
        comes with Carré.
    changes
        Fields by their dotted names, with the values they are to have instead; None takes a field away.

    Raises
    ------
    InputError
        If a field is not valid; the first fault is told with file, line and field.
    """
    found = _checked(_with_changes(charge, changes))
    refuse(found, found.document)
    return found


def _checked(document: Document) -> Charge:
    """The charge of a document, also one that its cavalry may not make."""
    found, problems = scenarios.check(document)
    problems.raise_first()
    for warning in problems.warnings:
        warnings.warn(str(warning), CarreWarning, stacklevel=4)
    assert found is not None
    return replace(found, document=replace(document, loaded={("ruleset",): found.ruleset}))


def _with_changes(charge: AnyCharge, changes: Changes | None) -> Document:
    return _all_changed(_document(charge), changes)


def _all_changed(document: Document, changes: Changes | None) -> Document:
    earlier = frozenset(document.origins)
    if changes is not None and not isinstance(changes, Mapping):
        raise InputError(
            f"changes must be a dict such as {{'target.morale': 26}}, got {asked.shown(changes)}"
        )
    for name, value in (changes or {}).items():
        if not isinstance(name, str):
            raise InputError(f"changes must name fields such as 'target.morale', got {asked.shown(name)}")
        document = _changed(document, name, value, earlier)
    return document


def _document(charge: AnyCharge) -> Document:
    if isinstance(charge, Charge):
        return charge.document
    if isinstance(charge, Mapping):
        return Document("the charge", asked.plain(charge))
    if charge is None or isinstance(charge, str | Path):
        document = scenarios.read(charge)
        return replace(document, path=document.path and document.path.absolute())
    raise InputError(f"a charge must be a path, a dict or a loaded charge, got {type(charge).__name__}")


def _changed(document: Document, name: str, value: Any, earlier: Collection[Key]) -> Document:
    try:
        wanted = asked.plain(value)
    except InputError as error:
        raise InputError(f"changes {name}: {error}") from None
    if name == "ruleset" and str(wanted).endswith((".yaml", ".yml")):
        wanted = str(Path(wanted).resolve())
    key = documents.parse_key(name)
    if wanted is None and not _has(document, key):
        scenarios.check_known(key, f"changes {name}")
        return document
    made = scenarios.change(document, key, wanted, f"changes {name}", over=earlier)
    if wanted is None:  # `changed` has copied the data
        holder = made.data
        for part in key[:-1]:
            holder = holder[part]
        del holder[key[-1]]
    return made


def _has(document: Document, key: Key) -> bool:
    """Whether a document has a field, whatever its value."""
    holder = document.at(key[:-1])
    return (
        key[-1] in holder
        if isinstance(holder, dict)
        else isinstance(holder, list) and key[-1] in range(len(holder))
    )


@_in_python
def load_ruleset(ruleset: str | Path = shipped.DEFAULT) -> RuleSet:
    """A rule set by its name, or by the path of its file.

    Raises
    ------
    InputError
        If there is none, or the file is not a valid rule set.
    """
    return catalogue.load(str(ruleset))


@_in_python
def odds(
    charge: AnyCharge = None,
    response: str | None = None,
    *,
    changes: Changes | None = None,
    method: str = "auto",
    runs: int = 100_000,
    seed: int = 1,
    aim: str = "broken",
    precision: float | None = None,
    watched: Sequence[str] = EVENTS,
    progress: Callable[[int, int], None] | None = None,
) -> Odds:
    """The odds of a charge.

    Parameters
    ----------
    charge, changes
        As of `load_charge`.
    response
        What the target does: `stand`, `carre@4` … `carre@1`, `react`, `best` or `all`; by default what the
        charge says.
    method
        `exact`, `mc` (simulated), or `auto`: exact if that is not too much.
    runs, seed
        Of a simulation.
    aim
        What the defender's best response is best at: `broken`, `losses` or `clean`.
    precision, watched
        Instead of `runs`: half-width, in points, that the 95 % intervals of the watched events (all by
        default) may have.
    progress
        Called with the runs done and the runs asked for.

    Raises
    ------
    InputError
        If the charge or an argument cannot be used.
    LaneLimitError
        With `method="exact"`, if there is too much to count.

    Examples
    --------
    >>> import sim
    >>> sim.odds(changes={"target.formation": "column"})["stand"]["target in square"]
    Fraction(0, 1)
    """
    return counting.odds(
        load_charge(charge, changes), response, method, runs, seed, progress, aim, precision, watched
    )


@_in_python
def solve(charge: AnyCharge = None, *, changes: Changes | None = None, aim: str = "broken") -> Solution:
    """A charge in which both sides choose as it goes on, each as well as can be.

    Parameters
    ----------
    charge, changes
        As of `load_charge`; of a single charge.
    aim
        What the target wants least of, and the charger most: `broken`, `losses` or `clean`.

    Raises
    ------
    InputError
        If the charge or the aim cannot be used.
    LaneLimitError
        If there is too much to count.

    Examples
    --------
    >>> import sim
    >>> found = sim.solve()
    >>> found.value <= min(found.responses.values())
    True
    """
    return solving.solve(load_charge(charge, changes), aim)


@_in_python
def runs(
    charge: AnyCharge = None,
    response: str | None = None,
    *,
    changes: Changes | None = None,
    runs: int = 10_000,
    seed: int = 1,
    aim: str = "broken",
) -> pd.DataFrame:
    """Each run of a simulation: a frame with a row a run and response that the rules allow.

    Parameters
    ----------
    charge, response, changes, aim
        As of `odds`.
    runs, seed
        How many, and which: run K of a seed is the one that `explain` tells. More than memory holds come one
        batch after another from `odds(..., method="mc").each_run()`.

    Raises
    ------
    InputError
        If the charge or an argument cannot be used, or the rules forbid every response asked for.

    Examples
    --------
    >>> import sim
    >>> frame = sim.runs(response="stand", runs=500)
    >>> len(frame), len(frame[frame["succeeds"] & (frame["target"] == "in square")])
    (500, 0)
    """
    found = counting.odds(load_charge(charge, changes), response, "mc", runs, seed, aim=aim)
    return joined(list(found.each_run()))


@_in_python
def compare(
    charge: AnyCharge = None,
    other: AnyCharge = None,
    response: str | None = None,
    *,
    changes: Changes | None = None,
    method: str = "auto",
    runs: int = 100_000,
    seed: int = 1,
    aim: str = "broken",
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """What another charge, or a change, does, under the same dice.

    Parameters
    ----------
    charge
        What is compared, as of `load_charge`.
    other
        With which; by default the same charge.
    changes
        Made to `other`: with neither, nothing is compared.

    Raises
    ------
    InputError
        If a charge or an argument cannot be used, or the two have no response in common.
    """
    first = _checked(_document(charge))
    if other is None and not changes:
        raise InputError("other or changes must say what to compare with")
    second = _checked(_with_changes(first if other is None else other, changes))
    found = comparing.compare(first, second, response, method, runs, seed, progress, aim)
    changed = [f"{name}={written(asked.plain(value))}" for name, value in (changes or {}).items()]
    named = [] if other is None else [second.document.name]
    return replace(found, labels=(first.document.name, printable(" ".join(named + changed))))


@_in_python
def sweep(
    charge: AnyCharge = None,
    vary: Mapping[str, str | Iterable[Any]] | None = None,
    response: str | None = None,
    *,
    changes: Changes | None = None,
    method: str = "auto",
    runs: int = 100_000,
    seed: int = 1,
    aim: str = "broken",
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """The odds while fields vary.

    Parameters
    ----------
    charge, changes
        As of `load_charge`.
    vary
        The values of each field, by its dotted name: a list or range, or a text such as `"21..36"` (morale
        runs along the ladder).
    progress
        Called with the cells done and the cells asked for.

    Raises
    ------
    InputError
        If a cell is not a valid charge, or there are too many.
    """
    if vary is not None and not isinstance(vary, Mapping):
        raise InputError(f"vary must be a dict such as {{'distance': range(2, 5)}}, got {asked.shown(vary)}")
    axes = [_axis(name, values) for name, values in (vary or {}).items()]
    if not axes or not all(axis.values for axis in axes):
        raise InputError(
            "vary must give at least one field with its values, such as {'distance': range(2, 5)}"
        )
    earlier = frozenset(charge.document.origins) if isinstance(charge, Charge) else frozenset()
    return sweeping.sweep(
        load_charge(charge, changes).document, axes, response, method, runs, seed, progress, aim, earlier
    )


def _axis(name: str, values: str | Iterable[Any]) -> Axis:
    if not isinstance(name, str):
        raise InputError(f"vary must name fields such as 'target.morale', got {asked.shown(name)}")
    if isinstance(values, str):
        return sweeping.parse_axis(f"{name}={values}")
    if not isinstance(values, Iterable) or isinstance(values, Mapping):
        raise InputError(
            f"vary {name} must be a list of values, or a text such as '21..36', got {asked.shown(values)}"
        )
    return Axis(name, tuple(asked.plain(list(values))))


@_in_python
def explain(
    charge: AnyCharge = None,
    response: str | None = None,
    *,
    changes: Changes | None = None,
    run: int = 0,
    seed: int = 1,
    rolls: Sequence[int] | str | None = None,
    aim: str = "broken",
    number: int | None = None,
) -> Story:
    """One run, told step by step: `print` it, or read it as a dict.

    Parameters
    ----------
    charge, changes
        As of `load_charge`.
    response
        What the target does; by default what the charge says, else the best for the defender. Of several
        charges every target does it, unless a `number` is given.
    run, seed
        Which run of a simulation.
    rolls
        Given rolls instead: faces 11..66, and 1..6 where one die is rolled, in the order needed; or a text
        such as `"24,5"`.
    number
        Of several charges the one that is asked about, from 1 (the first by default), as in `charge` of
        `runs`: the response is that of its target, the others do what the file says.

    Raises
    ------
    ScriptError
        If given rolls are too few, too many, or not rolls.
    InputError
        If the charge or an argument cannot be used.
    """
    return narration.explain(load_charge(charge, changes), response, run, seed, rolls, aim, number)


@_in_python
def load_scenario(scenario: AnyScenario, changes: Changes | None = None) -> Scenario:
    """A scenario, checked and complete, with its rosters, map and rule set.

    Parameters
    ----------
    scenario
        The name of one that comes with Carré, the path of a scenario file, or a loaded scenario.
    changes
        Fields by their dotted names, with the values they are to have instead.

    Raises
    ------
    InputError
        If a field is not valid; the first fault is told with file, line and field.
    """
    if isinstance(scenario, Scenario) and not changes:
        return scenario
    if isinstance(scenario, Scenario):
        document = scenario.document
    elif isinstance(scenario, str | Path):
        document = documents.read(battlefiles.locate(scenario))
        document = replace(document, path=document.path and document.path.absolute())
    else:
        raise InputError(
            f"a scenario must be a name, a path or a loaded scenario, got {type(scenario).__name__}"
        )
    found, problems = battlefiles.check(_all_changed(document, changes))
    problems.raise_first()
    for warning in problems.warnings:
        warnings.warn(str(warning), CarreWarning, stacklevel=3)
    assert found is not None
    return found


@_in_python
def run(
    scenario: AnyScenario,
    *,
    changes: Changes | None = None,
    runs: int = 10_000,
    seed: int = 1,
    workers: int = 1,
    first: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Battles:
    """Play a scenario many times.

    The answer has pandas frames: `to_frame()` a row a run, `units()` a row a run and unit, `turns()` a row a
    run and turn; printed it is what `carre run` prints.

    Parameters
    ----------
    scenario, changes
        As of `load_scenario`.
    runs, seed, first
        How many, of which seed, from which on: run K of a seed is the same however many are played, and the
        one that `explain_battle` tells.
    workers
        Processes that play. More than one are started anew and import the calling program, which must then
        be guarded by `if __name__ == "__main__":`.
    progress
        Called with the battles done and the battles asked for.

    Raises
    ------
    InputError
        If the scenario or an argument cannot be used.
    ImpossibleStateError
        If a run meets a state that the rules do not know: its number and seed are told, and `finished` are
        the battles before it.

    Examples
    --------
    >>> import sim
    >>> found = sim.run("mirror", runs=20)
    >>> len(found.to_frame()), len(found.units())
    (20, 360)
    """
    return running.run(load_scenario(scenario, changes), runs, seed, workers, progress, first)


@_in_python
def explain_battle(
    scenario: AnyScenario,
    *,
    changes: Changes | None = None,
    run: int = 0,
    seed: int = 1,
    turn: int | None = None,
    unit: str | None = None,
) -> BattleStory:
    """One battle, told step by step: `print` it, or read it as a dict.

    Parameters
    ----------
    scenario, changes
        As of `load_scenario`.
    run, seed
        Which run.
    turn, unit
        Only this turn, and only what concerns a unit, or a leader, of this name.

    Raises
    ------
    InputError
        If the scenario or an argument cannot be used.
    """
    return battlestory.explain_battle(load_scenario(scenario, changes), run, seed, turn, unit)


@_in_python
def replay(
    scenario: AnyScenario,
    *,
    changes: Changes | None = None,
    run: int = 0,
    seed: int = 1,
    gif: str | Path | None = None,
    frames: str | Path | None = None,
) -> Replay:
    """One battle, looked at after each half: its `moments`, and pictures of them.

    Parameters
    ----------
    scenario, changes
        As of `load_scenario`.
    run, seed
        Which run.
    gif, frames
        Write the pictures: into one file that runs (.gif), or each into a folder, as .png.

    Raises
    ------
    InputError
        If the scenario or an argument cannot be used, or a picture cannot be written.
    """
    found = watching.replay(load_scenario(scenario, changes), run, seed)
    if gif is not None:
        save_gif(found, gif)
    if frames is not None:
        save_frames(found, frames)
    return found


@_in_python
def chart(
    name: str, *, ruleset: RuleSet | str | Path | None = None, edition: int | None = None, **options: Any
) -> Answer:
    """One roll of a chart, exactly.

    Parameters
    ----------
    name
        `morale`, `carre`, `stand`, `recall`, `fire`, `level`, `assault` or `melee`.
    ruleset, edition
        By what; as the command line does by default.
    options
        As of `carre chart NAME`, with an underscore for each hyphen.

    Raises
    ------
    InputError
        If an option is missing, unknown, or not a value that it may have.

    Examples
    --------
    >>> import sim
    >>> sim.chart("morale", morale=34)["pass"].p
    Fraction(5, 9)
    """
    return lookups.chart(
        name, str(ruleset) if isinstance(ruleset, Path) else ruleset, edition, **asked.plain(options)
    )


@_in_python
def tournament(
    scenario: AnyScenario,
    doctrines: Sequence[str] = ("cautious", "balanced", "bold"),
    *,
    changes: Changes | None = None,
    runs: int = 1_000,
    seed: int = 1,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Tournament:
    """Every pair of some doctrines plays a scenario, each of them on both sides.

    The answer has a pandas frame, a row a pair: `to_frame()`.

    Parameters
    ----------
    scenario, changes
        As of `load_scenario`.
    doctrines
        From two to eight names of styles (or `idle`, `march`), or paths of style files.
    runs, seed, workers, progress
        As of `run`; runs are of each pair.

    Raises
    ------
    InputError
        If the scenario, a doctrine or an argument cannot be used.
    """
    return contests.tournament(load_scenario(scenario, changes), doctrines, runs, seed, workers, progress)
