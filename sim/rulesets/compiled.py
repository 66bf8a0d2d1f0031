"""What a rule set says, as arrays by number: the matrix of melee results, the fire-defence chart, and a
roster's entries.

Built once for a rule set under switches; `Rulebook` holds them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sim.ensemble.ratios import Ratio
from sim.inputs.fields import Built
from sim.rulesets.blocks import (
    DefenceChart,
    DefenceRow,
    Foot,
    Horse,
    Matrix,
    Part,
    Parts,
    RecallRow,
    StackRow,
    Terrain,
)
from sim.rulesets.conditions import Setting
from sim.rulesets.modifiers import Mask, Refusal
from sim.vocabulary import (
    ARTILLERY,
    CAVALRY,
    COLUMN,
    DISORDERED,
    FORMATIONS,
    GENERAL_ORDER,
    LIMBERED,
    LINE,
    MASSE,
    ROAD_MARCH,
    SKIRMISH,
    SQUARE,
    STATES,
    UNLIMBERED,
    Arm,
    State,
)

AR, AD, BLANK, DD, DR, DS = range(6)
"""Letters of the melee table, from the attackers' worst to their best; -1 is a result in numbers."""
SHAPES = (*FORMATIONS, *STATES[DISORDERED:])
"""What the fire-defence chart goes by: a formation in good order, or a state."""
DISORDERED_SHAPE, ROUTED_SHAPE = len(FORMATIONS), len(FORMATIONS) + 1


class MeleeResults(Built):
    """The outcomes of the melee table taken apart, shape (outcomes,) each.

    Attributes
    ----------
    attack_loss, defence_loss
        Increments.
    attack_star, defence_star
        Whether that side checks.
    letter
        AR to DS, -1 for a result in numbers.
    """

    attack_loss: NDArray[np.int64]
    defence_loss: NDArray[np.int64]
    attack_star: Mask
    defence_star: Mask
    letter: NDArray[np.int64]


def melee_results(outcomes: Sequence[object]) -> MeleeResults:
    """The outcomes of a melee chart, such as `DD` or `2*/1`, taken apart."""
    letters = {"AR": AR, "AD": AD, "none": BLANK, "DD": DD, "DR": DR, "DS": DS}
    letter = [letters.get(str(name), -1) for name in outcomes]
    sides = [
        str(name).split("/") if number < 0 else ["0", "0"]
        for name, number in zip(outcomes, letter, strict=True)
    ]
    losses = np.array([[int(text.rstrip("*")) for text in pair] for pair in sides], np.int64)
    stars = np.array([[text.endswith("*") for text in pair] for pair in sides])
    return MeleeResults(
        attack_loss=losses[:, 0],
        defence_loss=losses[:, 1],
        attack_star=stars[:, 0],
        defence_star=stars[:, 1],
        letter=np.array(letter, np.int64),
    )


class MatrixEffect(Built):
    """An effect of the matrix.

    Attributes
    ----------
    on_attacker
        What it does to attackers, by `Arm`; None is nothing.
    on_defender
        What it does to defenders.
    routs_square
        Whether it is what routs a square: guns with it may be abandoned.
    """

    name: str
    on_attacker: tuple[Part | None, Part | None, Part | None] = (None, None, None)
    on_defender: Part | None = None
    routs_square: bool = False


class MatrixTable(Built):
    """The matrix of melee results under the switches.

    Attributes
    ----------
    effect
        Number of the effect by the defender's arm, state and formation and the letter, int16, shape (3, 4, 9,
        7). The last letter, -1, is a result in numbers: 0, as where the chart has no row.
    effects
        By number; number 0 does nothing.
    source
        Where the matrix stands.
    """

    effect: NDArray[np.int16]
    effects: tuple[MatrixEffect, ...]
    source: str


def matrix_table(matrix: Matrix, switches: Mapping[str, Setting]) -> MatrixTable:
    """The matrix with `cav_dd` and `cav_ad_vs_infantry` applied (E1.3, E1.4)."""
    numbers = {name: number for number, name in enumerate(matrix.effects, 1)}
    effects = [MatrixEffect(name="")]
    for name, effect in matrix.effects.items():
        part = effect.defender.any if effect.defender else None
        routs = name in matrix.rows["square"] and part is not None and part.becomes == "routed"
        effects.append(
            MatrixEffect(
                name=name, on_attacker=_by_arm(effect.attacker), on_defender=part, routs_square=routs
            )
        )
    found = np.zeros((len(Arm), len(State), len(FORMATIONS), DS + 2), np.int16)
    for arm in range(len(Arm)):
        for state, word in enumerate(STATES):
            for formation in range(len(FORMATIONS)):
                row = matrix.rows.get(_row(arm, word, formation), ())
                names = [_switched(name, arm, letter, switches) for letter, name in enumerate(row)]
                if names:
                    found[arm, state, formation, : DS + 1] = [numbers[name] for name in (*names, "S")]
    return MatrixTable(effect=found, effects=tuple(effects), source=matrix.source)


def _by_arm(parts: Parts | None) -> tuple[Part | None, Part | None, Part | None]:
    if parts is None:
        return None, None, None
    return parts.any or parts.infantry, parts.any or parts.cavalry, parts.any


def _row(arm: int, state: str, formation: int) -> str:
    if formation == SQUARE:
        return "square"
    if arm == ARTILLERY:
        return f"{'limbered' if formation == LIMBERED else 'unlimbered'} {state}"
    return f"{'cavalry' if arm == CAVALRY else 'infantry'} {state}"


def _switched(name: str, arm: int, letter: int, switches: Mapping[str, Setting]) -> str:
    if arm == CAVALRY and letter == DD and name == "D-rout" and switches["cav_dd"] == "fall3_check_minus6":
        return "D-fall3"
    if name in ("A-dis", "A-dis-sq") and switches["cav_ad_vs_infantry"] == "always_rout":
        return "A-rout"
    return name


class FireDefence(Built):
    """The fire-defence chart (B10.2).

    Attributes
    ----------
    value
        By class of nations (0 is all without a row of their own), number of the terrain, and shape: int16,
        shape (classes, terrains, 11).
    source
        Index in `sources` of each value.
    general_order
        Terrain where infantry in good order is in general order, since the chart knows no column there
        (seed 004), shape (terrains,).
    classes
        The class of each nation that has rows of its own.
    """

    value: NDArray[np.int16]
    source: NDArray[np.int16]
    sources: tuple[str, ...]
    general_order: Mask
    classes: Mapping[str, int]


def fire_defence(chart: DefenceChart, terrains: Sequence[str]) -> FireDefence:
    """The chart by number: what a terrain's row does not give, clear terrain does."""
    nations = dict.fromkeys(nation for row in chart.by_nation for nation in row.nations)
    value = np.zeros((1 + len(nations), len(terrains), len(SHAPES)), np.int16)
    source = np.zeros_like(value)
    sources: dict[str, int] = {}
    for t, terrain in enumerate(terrains):
        general = [chart.rows[name] for name in (terrain, "clear") if name in chart.rows]
        for c, nation in enumerate(("", *nations)):
            own = [row for row in chart.by_nation if nation in row.nations and row.terrain == terrain]
            for shape in range(len(SHAPES)):
                points, told = _first(own, general, shape)
                value[c, t, shape] = points
                source[c, t, shape] = sources.setdefault(told or chart.source or "", len(sources))
    loose = [name in chart.rows and chart.rows[name].rows["column"] is None for name in terrains]
    classes = {nation: c for c, nation in enumerate(nations, 1)}
    return FireDefence(
        value=value,
        source=source,
        sources=tuple(sources),
        general_order=np.array(loose, bool),
        classes=classes,
    )


def _first(own: Sequence[DefenceRow], general: Sequence[DefenceRow], shape: int) -> tuple[int, str | None]:
    """The first value that rows give for a shape, or, of the general rows, for the one that stands in for it,
    and its source."""
    shapes = (shape, COLUMN) if shape in (MASSE, ROAD_MARCH, GENERAL_ORDER) else (shape,)
    places = [(row, shape) for row in own] + [(row, other) for row in general for other in shapes]
    for row, other in places:
        points = row.rows.get(SHAPES[other])
        if points is not None:
            return points, row.source
    raise TypeError(f"clear terrain has no fire defence of {SHAPES[shape]}")


def formation_after(terrain: Mapping[str, Terrain], general: Mask) -> NDArray[np.int16]:
    """The formation in which a unit stands in a terrain that it enters, -1 where it may not be there; by arm,
    formation and number of the terrain, int16, shape (3, 9, terrains) (A5.5, A5.9, A5.10; seed 003).

    Parameters
    ----------
    general
        Terrain where formed troops are in general order, by number.
    """
    found = np.full((len(Arm), len(FORMATIONS), len(terrain)), -1, np.int16)
    for t, (name, row) in enumerate(terrain.items()):
        for arm in range(len(Arm)):
            only = row.formations.get(Arm(arm).word)
            for formation, word in enumerate(FORMATIONS):
                after = _formation_in(arm, formation, name == "clear", bool(general[t]))
                if only is not None:
                    after = formation if word in only else -1
                found[arm, formation, t] = after
    return found


def _formation_in(arm: int, formation: int, clear: bool, general: bool) -> int:
    if arm == ARTILLERY or formation in (SKIRMISH, ROAD_MARCH, LIMBERED, UNLIMBERED):
        return formation
    if formation in (SQUARE, MASSE):
        return formation if clear else -1
    if general:
        return GENERAL_ORDER
    if formation == LINE:
        return LINE if clear else -1
    return COLUMN


NO_LIMIT = 999
"""More than a hex holds."""
BATTALION, REGIMENT = 1, 2
"""Sizes of units: up to a battalion, greater."""
SIZES = {None: 0, "battalion": BATTALION, "regiment": REGIMENT, "battery": REGIMENT}
"""How great a unit may be that stands in a hex whatever its increments: none, a battalion, any."""
TOGETHER = len(Arm)
"""Place of infantry with guns among the limits of the arms."""


def stack_limits(rows: Mapping[str, StackRow], terrains: Sequence[str]) -> NDArray[np.int16]:
    """The stacking limits, int16, shape (terrains, 4, 4); a terrain without a row holds what clear terrain
    does.

    For infantry, cavalry, artillery, and infantry with guns: the greatest size that may stand alone (0 none,
    1 a battalion, 2 any), increments (0 none), units (of the last: batteries), increments of guns.
    """
    found = np.zeros((len(terrains), 4, 4), np.int16)
    for t, name in enumerate(terrains):
        row = rows.get(name, rows["clear"])
        for arm, limit in enumerate((row.infantry, row.cavalry, row.artillery)):
            if limit is not None:
                most = NO_LIMIT if limit.units is None else limit.units
                found[t, arm] = SIZES[limit.alone], limit.increments or 0, most, NO_LIMIT
        if row.together is not None:
            both = row.together
            guns = NO_LIMIT if both.guns is None else both.guns
            found[t, TOGETHER] = SIZES[both.alone], both.increments or 0, both.batteries, guns
    return found


class Roster(Built):
    """What a rule set says of each unit of a roster, arrays by unit.

    Attributes
    ----------
    troops
        The entry of its type, None where there is none.
    skirmish_shares
        Share of their fire that its skirmishers have at each range, shape (units, hexes), 0 from the last on.
    carre_row
        Row of the carré table by formation, int16, shape (units, formations), -1 where there is none.
    defence_class
        First index of the fire-defence chart.
    recall_rows, recall_needs
        Row of the recall chart, None where none fits, and the die it needs (a column of the recall chart),
        -1.
    routs_on_loss, checks_without_loss
        What fire does to it, whatever its losses before (D10.3).
    checks_first
        Whether it must pass a morale check before it charges.
    refusals
        Charges that are not made (D10.3), and which units do not make them, shape (units,).
    """

    troops: tuple[Foot | Horse | None, ...]
    skirmish_shares: Ratio
    carre_row: NDArray[np.int16]
    defence_class: NDArray[np.int16]
    recall_rows: tuple[RecallRow | None, ...]
    recall_needs: NDArray[np.int16]
    routs_on_loss: Mask
    checks_without_loss: Mask
    checks_first: Mask
    refusals: tuple[tuple[Refusal, Mask], ...]
