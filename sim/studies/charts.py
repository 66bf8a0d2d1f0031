"""Single chart look-ups: the exact chances of one roll, with every modifier that was applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.ensemble import ladder
from sim.ensemble.dice import Chart
from sim.ensemble.ratios import Ratio
from sim.errors import InputError, UnknownNameError, did_you_mean
from sim.rules import fire as fire_rules
from sim.rules import levels as level_rules
from sim.rules import melee as melee_rules
from sim.rules.carre import column
from sim.rules.morale import with_leader
from sim.rulesets.blocks import Hexside, RecallRow, StackLimit, StackTogether
from sim.rulesets.modifiers import Applied, facts, holds
from sim.rulesets.rulebook import Rulebook
from sim.studies.results import Result, found_by_name
from sim.units.battles import Scenario
from sim.vocabulary import ARMS

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Chance:
    """One result of a look-up.

    Attributes
    ----------
    name
        The outcome.
    faces, of
        How many of the equally likely rolls give it.
    rolls
        Which natural rolls, as text.
    """

    name: str
    faces: int
    of: int
    rolls: str

    @property
    def p(self) -> Fraction:
        """Its probability."""
        return Fraction(self.faces, self.of)

    @property
    def pips(self) -> int | float:
        """Its probability in 36ths; whole where one roll decides."""
        whole, rest = divmod(self.faces * ladder.STEPS, self.of)
        return whole if rest == 0 else self.faces * ladder.STEPS / self.of


TABLES = {"level": "levels", "movement": "rows", "stacking": "rows", "limber": "rows"}
"""Charts without dice, and which of their numbers is their table."""


@dataclass(frozen=True, repr=False)
class Answer(Result):
    """A chart look-up answered.

    Attributes
    ----------
    chart, row
        What was looked up.
    chances
        Every outcome of the row, in the chart's order.
    modifiers
        Label, amount and source of each that applied; `shift` is their sum.
    numbers
        For charts without dice: what they answer.
    identity
        Rule set, edition, version and digest.
    """

    chart: str
    row: str
    chances: tuple[Chance, ...]
    modifiers: tuple[tuple[str, int, str], ...]
    numbers: Mapping[str, Any]
    identity: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shift(self) -> int:
        """Sum of the modifiers, in pips."""
        return sum(amount for _, amount, _ in self.modifiers)

    def __getitem__(self, outcome: str) -> Chance:
        """An outcome by name."""
        return found_by_name({one.name: one for one in self.chances}, outcome, "an outcome")

    def heading(self) -> list[str]:
        rules = self.identity
        lines = [f"{self.chart}: {self.row}"]
        if rules:
            lines.append(
                f"rule set {rules['ruleset']} v{rules['version']} ({rules['digest']}), edition "
                f"{rules['edition']}"
            )
        lines += [f"{amount:+d}  {label}  {source}" for label, amount, source in self.modifiers]
        return lines + [
            f"{name}: {value}" for name, value in self.numbers.items() if not isinstance(value, list)
        ]

    def summary(self) -> pd.DataFrame:
        import pandas as pd

        if self.chart in TABLES:
            return self.to_frame()
        rows = {one.name: (one.pips, f"{100 * float(one.p):.1f} %", one.rolls) for one in self.chances}
        return pd.DataFrame.from_dict(rows, orient="index", columns=["pips", "chance", "rolls"])

    def to_frame(self) -> pd.DataFrame:
        """A row an outcome: outcome, p, pips, faces, of, rolls. Of charts without dice: a row of `TABLES`."""
        import pandas as pd

        if self.chart in TABLES:
            return pd.DataFrame(self.numbers[TABLES[self.chart]])
        rows = [(one.name, float(one.p), one.pips, one.faces, one.of, one.rolls) for one in self.chances]
        return pd.DataFrame(rows, columns=["outcome", "p", "pips", "faces", "of", "rolls"])


def _answer(
    title: str,
    row: str,
    chart: Chart,
    column: int,
    applied: Applied,
    mod: int,
    every: Iterable[str] = (),
    numbers: Mapping[str, Any] | None = None,
) -> Answer:
    if mod:
        applied = applied.and_also("given", np.array([mod]), "--mod")
    told = tuple((one.label, int(amounts[0]), one.source) for one, amounts in applied.items if amounts[0])
    results = chart.rows(np.array([column]), applied.total)[0] % len(chart.outcomes)
    chances = []
    for number, name in enumerate(chart.outcomes):
        rolls = np.flatnonzero(results == number).tolist()
        if rolls or str(name) in every:
            text = (
                ladder.runs_of(rolls)
                if chart.faces == ladder.STEPS
                else ", ".join(str(roll + 1) for roll in rolls)
            )
            chances.append(Chance(str(name), len(rolls), chart.faces, text))
    return Answer(title, row, tuple(chances), told, numbers or {})


def _none() -> Applied:
    return Applied((), np.zeros(1, np.int64))


def morale(book: Rulebook, face: int, mod: int = 0) -> Answer:
    """Chance to pass a morale check: strictly more than the printed morale (C1)."""
    return _answer(
        "morale", f"morale {face}", book.morale_chart, ladder.index_of(face), _none(), mod, ("pass", "fail")
    )


def carre(
    book: Rulebook, nation: str, formation: str, distance: int, situation: Mapping[str, object], mod: int = 0
) -> Answer:
    """Chances of a carré attempt (D12); `situation` holds `target.*` and `charger.*` attributes."""
    row = book.carre_row(nation, formation)
    if row is None:
        names = dict.fromkeys(name for one in book.carre_rows for name in (one.name, *one.nations))
        if nation not in names:
            raise UnknownNameError(
                f"--nation must be one of {', '.join(names)} in {book.ruleset.name}, got "
                f"{nation!r}.{did_you_mean(nation, names)}"
            )
        shapes = [one.formation for one in book.carre_rows if nation in (*one.nations, one.name)]
        raise UnknownNameError(
            f"--formation must be {' or '.join(shapes)} for {nation} in {book.ruleset.name}, got "
            f"{formation!r}.{did_you_mean(formation, shapes)}"
        )
    entry = book.carre_rows[row]
    known = facts(situation)
    for barred in book.barred:
        if holds(barred.when, known, 1)[0]:
            raise InputError(f"{nation} {formation} may not try carré in {book.ruleset.name}: {barred.label}")
    unit = "movement points" if book.carre_points[row] else "hexes"
    title = f"{entry.name}, {formation}, {distance} {unit} ({entry.source or book.blocks.carre.source or ''})"
    return _answer(
        "carré",
        title,
        book.carre_chart,
        int(column(np.array([row]), np.array([distance]))[0]),
        book.carre_modifiers.apply(known, 1),
        mod,
        book.carre_chart.outcomes,
    )


def stand(
    book: Rulebook, face: int, situation: Mapping[str, object], leader: int = 0, mod: int = 0
) -> Answer:
    """Chance to halt a charge by standing (rule 38, option 1); outcomes `halted` and `routed`."""
    applied = book.stand_modifiers.apply(facts(situation), 1)
    if leader:
        applied = with_leader(applied, np.array([leader]))
    chart = Chart("stand", book.morale_chart.values, ("routed", "halted"))
    row = f"morale {face}"
    for modifier, mask in applied.spared:
        if mask[0]:
            row = f"no check: {modifier.label} ({modifier.source})"
            chart, applied, mod = (
                Chart("stand", np.ones_like(book.morale_chart.values), chart.outcomes),
                _none(),
                0,
            )
    found = _answer("stand", row, chart, ladder.index_of(face), applied, mod, ("halted", "routed"))
    return Answer(found.chart, found.row, found.chances[::-1], found.modifiers, found.numbers)


def recall(book: Rulebook, row: RecallRow, leader: bool, mod: int = 0) -> Answer:
    """Chance of a recall (rule 42), one die."""
    applied = book.recall_modifiers.apply(
        facts({"charger.leader": leader, "charger.cavalry_leader": leader, "charger.recall_leader": leader}),
        1,
    )
    title = f"{row.name}, {row.needs} or more ({row.source or ''})"
    found = _answer("recall", title, book.recall_chart, row.needs, applied, mod, ("recalled", "not recalled"))
    return Answer(found.chart, found.row, found.chances[::-1], found.modifiers, found.numbers)


def fire(
    book: Rulebook,
    attack: Fraction,
    defence: int,
    increments: int = 0,
    canister: bool = False,
    mod: int = 0,
    hexes: int | None = None,
    skirmishers: bool = False,
) -> Answer:
    """Increments lost by one fire attack (B2).

    Parameters
    ----------
    hexes
        How far guns, or skirmishers in offensive fire, are from the target; guns at the next hex fire
        canister.
    """
    if not attack:
        raise InputError("--attack must be above 0: a strength of 0 is no attack")
    data = book.blocks.fire
    far, at_range = "", {}
    if hexes is not None:
        share, source = _share(book, hexes, skirmishers)
        canister = hexes == 1 and not skirmishers
        far = f" at {hexes} hex{'' if hexes == 1 else 'es'}" + (f" ×{share}" if share != 1 else "")
        at_range = {"range": hexes, "share": str(share), "share_source": source}
    elif skirmishers:
        raise InputError("--range must be given with --skirmishers")
    told, attack = attack, attack * (share if hexes is not None else 1)
    columns = book.fire_columns
    lowest, shift = book.switches["below_lowest"] == "lowest", data.canister_shift
    plain, column = (
        fire_rules.fire_column(
            Ratio.of(attack), np.array([defence]), columns, np.array([guns]), shift, lowest
        )
        for guns in (False, canister)
    )
    if column[0] < 0:
        raise InputError(
            f"{told}{far} against {defence} is below the lowest column, {columns[0]}: no fire (switch "
            "below_lowest)"
        )
    crowd = fire_rules.massed(np.array([increments]), data.massed.above, data.massed.each)
    applied = _none().and_also("massed target", crowd, data.massed.source)
    title = f"{told}{far} against {defence}: column {columns[int(plain[0])]}"
    if canister:
        title += f", with canister ({shift:+d} column{'' if shift == 1 else 's'}) {columns[int(column[0])]}"
    return _answer(
        "fire",
        title,
        book.fire_chart,
        int(column[0]),
        applied,
        mod,
        [str(n) for n in book.fire_chart.outcomes],
        numbers={
            "odds": columns[int(plain[0])],
            "canister": shift if canister else 0,
            "column": columns[int(column[0])],
        }
        | at_range,
    )


def _share(book: Rulebook, hexes: int, skirmishers: bool) -> tuple[Fraction, str]:
    """Share of its fire that a battery, or skirmishers, have at a range, and its source."""
    data = book.blocks.fire
    shares, entry = (
        (book.skirmish_shares, data.skirmish_range) if skirmishers else (book.gun_shares, data.guns)
    )
    share = fire_rules.at_range(shares, np.array([hexes])).fractions()[0]
    if not share:
        raise InputError(
            f"--range must be at most {max(entry.bands)} for {'skirmishers' if skirmishers else 'guns'} in "
            f"{book.ruleset.name}, got {hexes}"
        )
    return share, entry.source or ""


def melee(book: Rulebook, attack: Fraction, defence: Fraction, mod: int = 0) -> Answer:
    """Results of a melee at given strengths (C11, C12)."""
    below = book.blocks.melee.below
    column, shift = melee_rules.melee_column(
        Ratio.of(attack), Ratio.of(defence), book.melee_columns, below.rows
    )
    name = book.melee_columns[int(column[0])]
    applied = _none().and_also("odds below the table", shift, below.source or "")
    return _answer(
        "melee",
        f"{attack} against {defence}: column {name}",
        book.melee_chart,
        int(column[0]),
        applied,
        mod,
        numbers={"column": name},
    )


def level(
    book: Rulebook,
    lost: int,
    organisation: str | None = None,
    battalions: int | None = None,
    thresholds: Sequence[int] | None = None,
    scenario: Scenario | None = None,
) -> Answer:
    """Morale level of an organisation that has so many battalions routed or eliminated (rule 43; C16,
    0-decisions 5.15).

    Parameters
    ----------
    organisation
        One that the rule set knows; all of them where nothing is said of thresholds.
    battalions
        Of an organisation without thresholds of its own: the whole numbers nearest to 20, 40 and 60 % of
        them.
    thresholds
        Battalions lost at which levels 1, 2 and 3 are reached.
    scenario
        Whose organisations these are.

    Raises
    ------
    InputError
        If the thresholds are not known, or told in two ways.
    """
    levels_of = book.blocks.levels
    known: dict[str, Sequence[int]] = dict(levels_of.rows) if levels_of else {}
    if sum(one is not None for one in (organisation, battalions, thresholds, scenario)) > 1:
        raise InputError(
            "--organisation, --battalions, --thresholds and --scenario exclude each other: each says at how "
            "many battalions a level is reached"
        )
    if battalions is not None and lost > battalions:
        raise InputError(f"--lost must be at most the battalions there are, {battalions}, got {lost}")
    if organisation is not None and organisation not in known:
        raise UnknownNameError(
            f"--organisation must be one of {', '.join(known) or 'none'} in {book.ruleset.name}, "
            f"got {organisation!r}." + did_you_mean(organisation, known)
        )
    source = (levels_of.source if levels_of else None) or ""
    if thresholds is not None:
        known, source = {"as given": thresholds}, ""
    elif scenario is not None:
        known = {one.name: level_rules.reached_at(one) for one in scenario.organisations}
        source = scenario.name
    elif battalions is not None:
        known, source = (
            {f"{battalions} battalions": level_rules.thresholds(battalions)},
            "[DEDUCED] C16",
        )
    elif organisation is not None:
        known = {organisation: known[organisation]}
    elif not known:
        raise InputError(f"{book.ruleset.name} names no organisations: give --battalions or --thresholds")
    levels = []
    for name, numbers in known.items():
        reached = int(level_rules.level(np.array([lost]), numbers)[0])
        further = numbers[reached] - lost if reached < len(numbers) else None
        levels.append(
            {
                "organisation": name,
                "level": reached,
                "thresholds": list(numbers),
                "to_next": further,
                "source": source,
            }
        )
    tables = (
        ("morale", "unit.level"),
        ("stand", "target.level"),
        ("premelee", "unit.level"),
        ("carre", "target.level"),
    )
    effects = [
        {"chart": chart, "label": label, "values": values, "source": source}
        for chart, of in tables
        for label, values, source in book.lines_by_level(chart, of)
    ]
    what = f"{lost} battalion{'s' * (lost != 1)} routed or eliminated"
    return Answer("level", what, (), (), {"lost": lost, "levels": levels, "effects": effects})


def movement(book: Rulebook, terrain: str | None = None, arm: str | None = None) -> Answer:
    """What hexes and hexsides cost by arm, in points, and what else is paid for (rule 18; A7, A9).

    Parameters
    ----------
    terrain
        One terrain or hexside; all of them by default.
    arm
        One arm; all of them by default.

    Raises
    ------
    UnknownNameError
        If the rule set has no such terrain or hexside.
    """
    ground, sides, rules = book.blocks.terrain.rows, book.blocks.hexsides.rows, book.blocks.movement
    _known_ground(book, terrain, (*ground, *sides))
    arms = ARMS if arm is None else (arm,)
    rows: list[dict[str, Any]] = []
    for name, halves in zip(ground, book.road_halves, strict=True):
        told = {"terrain": name, "hexside": False, **_by_arm(ground[name], arms), "road": float(halves) / 2}
        rows.append(told | _only(ground[name], arms, book.blocks.terrain.source))
    for name, side in sides.items():
        told = {"terrain": name, "hexside": True, **_by_arm(side, arms), "road": None}
        rows.append(told | _only(side, arms, book.blocks.hexsides.source))
    change, less, horse = rules.change, rules.allowance, rules.skirmish_horse
    points: list[tuple[str, str, object, str | None]] = [
        ("", "a turn, each hexside", change.facing, change.source),
        ("infantry", "a change of formation", change.infantry, change.source),
        ("infantry", "into a line of two hexes", change.two_hexes, change.source),
        ("cavalry", "a change of formation", change.cavalry, change.source),
        ("artillery", "limbering or unlimbering", change.artillery, change.source),
        ("", "into or out of general order", change.general_order, change.source),
        ("", "less in line", less.line, less.source),
        ("infantry", "points of a square", less.square, less.source),
        ("infantry", "more in Masse", less.masse, less.source),
        ("", "share of the disordered", float(less.disordered), less.source),
        ("infantry", "beside enemy cavalry in skirmish order", horse.beside, horse.source),
        ("infantry", "two hexes from enemy cavalry in skirmish order", horse.near, horse.source),
        ("infantry", "factor of a force march", rules.force_march.factor, rules.force_march.source),
        ("infantry", "its check, on the dice", rules.force_march.check, rules.force_march.source),
        ("infantry", "more for each turn before", rules.force_march.further, rules.force_march.source),
        ("infantry", "other checks in that turn", rules.force_march.other_checks, rules.force_march.source),
    ]
    names = ("entry_points", "cavalry_zone", "passing", "prolong", "unlimber_in_zone")
    chosen = [
        {"what": what, "arm": whose or "all", "points": value, "source": source or rules.source or ""}
        for whose, what, value, source in points
        if not whose or whose in arms
    ]
    return Answer(
        "movement",
        "points to enter a hex or to cross a hexside",
        (),
        (),
        {
            "rows": [row for row in rows if terrain in (None, row["terrain"])],
            "points": [] if terrain is not None else chosen,
            "hexsides_on_roads": rules.road.hexsides,
            "switches": {name: book.switches[name] for name in names},
        },
    )


def _known_ground(book: Rulebook, terrain: str | None, known: Iterable[str]) -> None:
    names = tuple(known)
    if terrain is not None and terrain not in names:
        raise UnknownNameError(
            f"--terrain must be one of {', '.join(names)} in {book.ruleset.name}, got "
            f"{terrain!r}.{did_you_mean(terrain, names)}"
        )


def _by_arm(entry: Hexside, arms: Iterable[str]) -> dict[str, int | None]:
    points = {"infantry": entry.infantry, "cavalry": entry.cavalry, "artillery": entry.artillery}
    return {arm: points[arm] for arm in arms}


def _only(entry: Hexside, arms: Iterable[str], source: str | None) -> dict[str, Any]:
    told = {arm: list(names) for arm, names in entry.formations.items() if arm in arms}
    return {"formations": told, "source": entry.source or source or ""}


def stacking(book: Rulebook, terrain: str | None = None, arm: str | None = None) -> Answer:
    """What a hex holds, by terrain and arm (rule 16; A6, A9).

    Raises
    ------
    UnknownNameError
        If the rule set has no such terrain.
    """
    limits = book.blocks.stacking
    _known_ground(book, terrain, book.terrains)
    rows: list[dict[str, Any]] = []
    for name in book.terrains:
        row = limits.rows.get(name, limits.rows["clear"])
        by_arm = {"infantry": row.infantry, "cavalry": row.cavalry, "artillery": row.artillery}
        told: dict[str, Any] = {"terrain": name}
        told |= {one: _held(limit) for one, limit in by_arm.items() if arm in (None, one)}
        if arm != "cavalry":
            told["together"] = _held_together(row.together)
        rows.append(told | {"source": row.source or limits.source or ""})
    road = book.blocks.movement.road
    return Answer(
        "stacking",
        "what a hex holds",
        (),
        (),
        {
            "rows": [row for row in rows if terrain in (None, row["terrain"])],
            "road_march": road.increments,
        },
    )


def _held(limit: StackLimit | None) -> str:
    """A limit in words."""
    if limit is None:
        return "none"
    told = [f"1 {limit.alone}"] if limit.alone else []
    told += [str(limit.increments)] if limit.increments else []
    return " or ".join(told) + (f", at most {limit.units}" if limit.units else "")


def _held_together(both: StackTogether | None) -> str:
    if both is None:
        return "none"
    foot = f"1 {both.alone}" if both.alone else str(both.increments)
    guns = "1 battery" if both.batteries == 1 else f"{both.batteries} batteries"
    return f"{foot} + {guns}" + (f" up to {both.guns}" if both.guns else "")


def limber(book: Rulebook, nation: str | None = None) -> Answer:
    """The die that batteries need to limber, and what leaders add (B5.2).

    Raises
    ------
    UnknownNameError
        If the rule set has no batteries of the nation.
    """
    rules = book.blocks.limber
    known = tuple(dict.fromkeys(one for row in rules.rows for one in row.nations))
    if nation is not None and nation not in known:
        raise UnknownNameError(
            f"--nation must be one of {', '.join(known)} in {book.ruleset.name}, got "
            f"{nation!r}.{did_you_mean(nation, known)}"
        )
    rows = [
        {
            "battery": row.name,
            "nations": list(row.nations),
            "class": row.class_,
            "needs": row.needs,
            "chance": (7 - row.needs) / 6,
            "source": row.source or rules.source or "",
        }
        for row in rules.rows
        if nation is None or nation in row.nations
    ]
    leaders = {"with an artillery bonus": rules.leader, "of special ability": rules.special, **rules.leaders}
    return Answer("limber", "one die, this number or more", (), (), {"rows": rows, "leaders": leaders})
