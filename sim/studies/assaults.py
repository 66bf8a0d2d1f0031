"""The odds of an infantry assault on one hex: both sides' pre-melee checks and the melee, exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sim.ensemble import ladder
from sim.ensemble.ratios import Ratio
from sim.errors import InputError
from sim.rules import assault as rules
from sim.rules import melee as melee_rules
from sim.rules.morale import with_leader
from sim.rules.strengths import TIMES, Strength, telling
from sim.rulesets.modifiers import Applied, Facts, ModifierTable, facts
from sim.rulesets.rulebook import Rulebook, ratio_of
from sim.studies.charts import Answer, Chance
from sim.vocabulary import FORMATIONS, INFANTRY, STATES

DRIVEN_OFF, REPULSED = "defenders fail their check", "attackers fail their check"
"""What happens before the dice of the melee are thrown."""


@dataclass(frozen=True)
class Side:
    """One side of an assault: the unit that checks for it.

    Attributes
    ----------
    increments
        Of all that count for this side.
    formation, state, half_lost, level
        Of the unit.
    morale
        Printed, as a roll; None: its check is not asked for.
    leader
        Morale bonus of a leader in the hex.
    lost
        Increments that this side has lost to the other's fire in this half.
    melee
        Melee values of all that fight, in proportion to their increments, before what multiplies them; None:
        the melee is not asked for.
    nation
        For lines of a battle that name it.
    """

    increments: int
    formation: str = "column"
    state: str = "good"
    half_lost: bool = False
    level: int = 0
    morale: int | None = None
    leader: int = 0
    lost: int = 0
    melee: Fraction | None = None
    nation: str | None = None

    def facts(self, prefix: str) -> dict[str, object]:
        """Attributes of its unit."""
        own = {
            "arm": "infantry",
            "class": "none",
            "formation": self.formation,
            "state": self.state,
            "half_lost": self.half_lost,
            "level": self.level,
            "nation": self.nation or "none",
            "readiness": "fresh",
            "force_march": False,
        }
        return {f"{prefix}.{name}": value for name, value in own.items()}


@dataclass(frozen=True)
class Check:
    """A pre-melee check.

    Attributes
    ----------
    side
        `attackers` or `defenders`.
    modifiers
        Label, amount and source of each that applied.
    passed
        Faces of 36 on which it is passed; 36 where there is none.
    spared
        Why there is none, or `""`.
    """

    side: str
    modifiers: tuple[tuple[str, int, str], ...]
    passed: int
    spared: str = ""

    @property
    def told(self) -> dict[str, Any]:
        """As an object."""
        return {
            "side": self.side,
            "modifiers": _objects(self.modifiers),
            "shift": sum(value for _, value, _ in self.modifiers),
            "passed": self.passed,
            "spared": self.spared,
        }


def assault(
    book: Rulebook,
    attack: Side,
    defence: Side,
    hexside: str = "front",
    crosses: str = "none",
    melee_leader: int = 0,
) -> Answer:
    """The odds of an assault (C8 to C12): column and dice; with printed morale of both sides their checks;
    with melee values too the exact chances of every result.

    One unit checks for each side: of several attackers each rolls for itself.

    Parameters
    ----------
    hexside, crosses
        The side of the defenders that is assaulted, and what is crossed there.
    melee_leader
        Bonus of the attackers' leader on the melee dice.

    Raises
    ------
    InputError
        If the attackers are in square, or one side's morale or melee value is told without the other's.
    """
    if attack.formation == "square":
        raise InputError("--attack-formation must not be square: a square may not assault")
    if attack.state == "routed":
        raise InputError("--attack-state must not be routed: routed troops may not assault")
    if (attack.morale is None) != (defence.morale is None):
        raise InputError("--attack-morale and --defence-morale must be given together")
    if (attack.melee is None) != (defence.melee is None):
        raise InputError("--attack-melee and --defence-melee must be given together")
    if attack.melee is not None and attack.morale is None:
        raise InputError("--attack-morale and --defence-morale must be given with melee values")
    if attack.melee is not None and not (attack.melee and defence.melee):
        raise InputError("--attack-melee and --defence-melee must be above 0")
    data, columns = book.blocks.premelee, book.premelee_columns
    counted = int(
        rules.counted_increments(
            np.array([attack.increments]), np.array([FORMATIONS.index(attack.formation)]), data.line
        )[0]
    )
    odds = Ratio.of(counted), Ratio.of(defence.increments)
    column = int(melee_rules.premelee_column(*odds, columns)[0])
    name = columns[column]
    numbers: dict[str, Any] = {
        "column": name,
        "attack": int(book.premelee_attack[column]),
        "defence": int(book.premelee_defence[column]),
    }
    row = f"{attack.increments} increments against {defence.increments}"
    if attack.increments != counted:
        row += f", of {attack.increments} in line {counted} count"
    if attack.morale is None or defence.morale is None:
        return Answer("assault", row, (), (), numbers)
    scene: dict[str, object] = {"hexside": hexside, "crosses": crosses}
    known = facts(scene | defence.facts("unit") | defence.facts("target"))
    lost = _losses(book, attack, defence, counted)
    checks = [
        _defenders_check(book, defence, known, numbers["defence"], lost[1]),
        _attackers_check(book, attack, defence, scene, numbers["attack"], lost[0]),
    ]
    numbers["checks"] = [one.told for one in checks]
    numbers["hexside"], numbers["crosses"] = hexside, crosses
    held, stormed = (one.passed for one in checks)
    squared = ladder.STEPS**2
    if attack.melee is None or defence.melee is None:
        chances = [
            (DRIVEN_OFF, (ladder.STEPS - held) * ladder.STEPS, ""),
            (REPULSED, held * (ladder.STEPS - stormed), ""),
            ("melee", held * stormed, ""),
        ]
        return Answer("assault", row, _chances(chances, squared), (), numbers)
    found = _melee(book, attack, defence, scene, melee_leader, numbers)
    chances = [
        (DRIVEN_OFF, (ladder.STEPS - held) * squared, ""),
        (REPULSED, held * (ladder.STEPS - stormed) * ladder.STEPS, ""),
        *((result, held * stormed * faces, rolls) for result, faces, rolls in found),
    ]
    return Answer("assault", row, _chances(chances, ladder.STEPS**3), (), numbers)


def _objects(lines: Sequence[tuple[str, int, str]]) -> list[dict[str, Any]]:
    return [{"label": label, "value": value, "source": source} for label, value, source in lines]


def _chances(rows: Sequence[tuple[str, int, str]], of: int) -> tuple[Chance, ...]:
    """What can happen; what is before the melee is told even if it cannot."""
    return tuple(
        Chance(name, faces, of, rolls)
        for name, faces, rolls in rows
        if faces or name in (DRIVEN_OFF, REPULSED)
    )


# -- the checks -----------------------------------------------------------------------------------


def _losses(book: Rulebook, attack: Side, defence: Side, counted: int) -> tuple[int, int]:
    """What losses by fire add to the attackers' and to the defenders' dice."""
    data, elite = book.blocks.premelee, book.elite
    ours, theirs = (np.array([ladder.index_of(int(one.morale or 11))]) for one in (attack, defence))
    lost = np.array([attack.lost])
    attackers = rules.attack_losses(lost, lost, ours, theirs, data.fire_loss.each, elite)
    odds = data.elite.attack_odds if data.elite else None
    a, d = ratio_of(odds) if odds else (0, 1)
    enough = np.array([counted * d >= a * defence.increments])
    defenders = rules.defence_losses(np.array([defence.lost]), ours, theirs, enough, elite)
    return int(attackers[0]), int(defenders[0])


def _defenders_check(book: Rulebook, side: Side, known: Facts, odds: int, lost: int) -> Check:
    where = np.array([FORMATIONS.index(side.formation)]), np.array([STATES.index(side.state)])
    checks = rules.defender_checks(np.array([INFANTRY]), *where, np.zeros(1, bool))
    spared = "" if checks[0] else "in general order"
    return _check(book, "defenders", book.premelee_modifiers, side, known, odds, lost, spared)


def _attackers_check(
    book: Rulebook, side: Side, defence: Side, scene: Mapping[str, object], odds: int, lost: int
) -> Check:
    known = facts(dict(scene) | side.facts("unit") | defence.facts("target"))
    formation = np.array([FORMATIONS.index(defence.formation)])
    spared = "" if rules.attacker_checks(formation, np.zeros(1, bool))[0] else "against skirmishers"
    return _check(book, "attackers", book.premelee_attack_modifiers, side, known, odds, lost, spared)


def _check(
    book: Rulebook,
    name: str,
    table: ModifierTable,
    side: Side,
    known: Facts,
    odds: int,
    lost: int,
    spared: str,
) -> Check:
    """A check of one side, or why there is none."""
    data = book.blocks.premelee
    applied = table.apply(known, 1)
    for modifier, mask in applied.spared:
        spared = spared or (modifier.label if mask[0] else "")
    if spared:
        return Check(name, (), ladder.STEPS, spared)
    applied = with_leader(applied, np.array([side.leader]))
    applied = applied.and_also("odds", np.array([odds]), data.source)
    elite = (data.elite.source if data.elite else None) or ""
    why = (data.fire_loss.source or "") if lost == data.fire_loss.each * side.lost else elite
    applied = applied.and_also("lost by fire", np.array([lost]), why)
    printed = ladder.index_of(int(side.morale or 11))
    results = book.morale_chart.rows(np.array([printed]), applied.total)[0]
    return Check(name, _lines(applied), int(results.sum()))


def _lines(applied: Applied) -> tuple[tuple[str, int, str], ...]:
    return tuple((one.label, int(amounts[0]), one.source) for one, amounts in applied.items if amounts[0])


# -- the melee ------------------------------------------------------------------------------------


def _melee(
    book: Rulebook,
    attack: Side,
    defence: Side,
    scene: Mapping[str, object],
    leader: int,
    numbers: dict[str, Any],
) -> list[tuple[str, int, str]]:
    """Results of the melee with their faces of 36 and their rolls; what is told of it goes into `numbers`."""
    sides = {"attack": (attack, defence, "front"), "defence": (defence, attack, scene["hexside"])}
    found: dict[str, Ratio] = {}
    steps: list[dict[str, str]] = []
    for name, (side, other, facing) in sides.items():
        more = {"charge": False, "chasing": False, "preserving": False, "facing": facing}
        known = facts(dict(scene) | more | side.facts("unit") | other.facts("enemy"))
        value = _value(book, side, name, known)
        found[name] = value.value
        who = "attackers" if name == "attack" else "defenders"
        steps += [
            {"side": who, "label": one.what, "by": str(one.amount), "source": one.source}
            for one in telling(value.factors())
            if one.sign == TIMES
        ]
    below = book.blocks.melee.below
    ours, theirs = found["attack"], found["defence"]
    column, shift = melee_rules.melee_column(ours, theirs, book.melee_columns, below.rows)
    applied = Applied((), np.zeros(1, np.int64))
    applied = applied.and_also("odds below the table", shift, below.source or "")
    applied = applied.and_also("leader", np.array([leader]), "[DIGEST] C11")
    numbers["melee"] = {
        "attack": str(ours.fractions()[0]),
        "defence": str(theirs.fractions()[0]),
        "factors": steps,
        "column": book.melee_columns[int(column[0])],
        "modifiers": _objects(_lines(applied)),
    }
    chart = book.melee_chart
    results = chart.rows(column, applied.total)[0] % len(chart.outcomes)
    told = []
    for number, name in enumerate(chart.outcomes):
        rolls = np.flatnonzero(results == number).tolist()
        if rolls:
            told.append((f"melee {name}", len(rolls), ladder.runs_of(rolls)))
    return told


def _value(book: Rulebook, side: Side, name: str, known: Facts) -> Strength:
    """The melee value of a side, with what multiplies it."""
    whole = np.ones(1, np.int64)
    printed = Ratio.of(side.melee or Fraction(0))
    return melee_rules.melee_value(printed, whole, whole, name, known, book.multipliers)
