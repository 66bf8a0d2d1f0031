"""Random positions for parts of a battle, and the same in the engine and in the scalar play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from sim.board.hexmap import Hex, HexMap, Rhombus
from sim.combat.play import Play
from sim.ensemble import ladder
from sim.ensemble.dice import Dice
from sim.ensemble.lanes import Ensemble
from sim.rulesets import catalogue
from sim.rulesets.rulebook import rulebook
from sim.units.charges import Leader, Unit
from sim.units.forces import Forces
from sim.vocabulary import FORMATIONS, GONE, READINESS, STATES, Reason
from tests.agreement.battle.field import Field, Sketch, Standing
from tests.agreement.play.hexes import DIRECTIONS, HOME, distance, neighbour
from tests.field import cases

RADIUS = 6
SETS = ("prusse-1806", "halle-1806", "austerlitz-1805", "bautzen-1813")
MAP = HexMap(Rhombus(RADIUS))
CORNERS = ("line", "skirmish", "masse")


def on_map(where: Hex) -> bool:
    """A rhombus of hexes."""
    return max(map(abs, where)) <= RADIUS


def facing_of(formation: str, side: int) -> int:
    """The facing of a formation across a side, or at the corner after it."""
    return 2 * side + (formation in CORNERS)


def random_unit(rng: np.random.Generator, rules: catalogue.RuleSet, name: str, side: int, arm: str) -> Unit:
    """A unit of an arm, in any state."""
    nations = {"prusse-1806": ("French", "Prussian"), "halle-1806": ("French", "Prussian")}
    nations |= {"austerlitz-1805": ("French", "Russian"), "bautzen-1813": ("French", "Prussian")}
    nation = nations[rules.name][side]
    troops = {
        k: v for k, v in rules.merged["troops"][nation].items() if v.get("arm", "infantry") == "infantry"
    }
    kind = str(rng.choice(sorted(troops))) if arm == "infantry" else None
    row = troops[kind] if kind else {}
    multiples = {
        one: None if row.get(one) is None else Fraction(str(row[one]))
        for one in ("line", "square", "skirmish")
    }
    formations = {"cavalry": ["column", "line"], "artillery": ["limbered", "unlimbered"]}.get(
        arm, ["column", "column", *(one for one in ("line", "square", "skirmish") if multiples[one])]
    )
    formation = str(rng.choice(formations))
    printed = int(rng.integers(2, 10)) if arm != "artillery" else int(rng.integers(1, 5))
    increments = int(rng.integers(1, printed + 1)) if rng.random() < 0.4 else printed
    states = ["good", "good", "good", "disordered", "routed"]
    if formation not in ("column", "limbered", "unlimbered"):
        states = ["good"]
    elif arm == "cavalry":
        states = ["good", "good", "routed"]
    elif formation == "unlimbered":
        states = ["good", "good", "disordered"]
    losses = row.get("losses") or {"first": 1, "step": 1}
    return Unit(
        id=name,
        name=name,
        side=("charger", "target")[side],
        arm=arm,
        nation=nation,
        type=kind,
        formation=formation,
        state=str(rng.choice(states)),
        increments=increments,
        printed=printed,
        morale=ladder.face_of(int(rng.integers(0, 30))),
        melee=Fraction(int(rng.integers(1, 40)), int(rng.integers(1, 3))),
        movement={"infantry": 8, "cavalry": int(rng.choice([12, 14])), "artillery": 8}[arm],
        fire=Fraction(int(rng.integers(1, 20))) if arm != "cavalry" else Fraction(0),
        lance=Fraction(0),
        multiples=multiples,
        losses=(losses["first"], losses["step"]),
    )


def random_sketch(seed: int, number: int, crowd: int = 1, units: int = 8) -> Sketch:
    """Units of both sides close together, near the middle of the map or its edge; some stacked."""
    rng = np.random.default_rng([seed, number])
    rules = catalogue.load(str(rng.choice(SETS)))
    middle = (0, 0) if rng.random() < 0.7 else tuple(rng.integers(-RADIUS, RADIUS + 1, 2).tolist())
    standing: list[Standing] = []
    terrain, hexsides = random_ground(rng, rules, middle, crowd)
    while len(standing) < units:
        side = int(rng.integers(2)) if len(standing) > 1 else len(standing)
        arm = str(rng.choice(["infantry"] * 6 + ["artillery"] * 2 + ["cavalry"]))
        if standing and rng.random() < 0.25:
            mate = standing[int(rng.integers(len(standing)))]
            side, at = mate.side, mate.at
        else:
            at = (
                middle[0] + int(rng.integers(-crowd, crowd + 1)),
                middle[1] + int(rng.integers(-crowd, crowd + 1)),
            )
        unit = random_unit(rng, rules, f"unit-{len(standing)}", side, arm)
        there = [one for one in standing if at in (one.at, one.second)]
        if not on_map(at) or any(not fits(unit, side, one) for one in there):
            continue
        foes = [one.at for one in standing if one.side != side]
        toward = toward_nearest(at, foes) if foes and rng.random() < 0.7 else int(rng.integers(6))
        facing = there[0].facing if there else facing_of(unit.formation, toward)
        if there and unit.formation in CORNERS and facing % 2 == 0:
            continue
        facing = facing_of(unit.formation, facing // 2) if there else facing
        second = None
        if unit.arm == "infantry" and unit.increments >= LEAST.get(unit.formation, 99):
            second = beside(rng, at, facing, standing, terrain)
            if second is None and unit.formation == "skirmish":
                unit = replace(unit, increments=3)
        standing.append(Standing(unit, side, at, facing, second))
    leaders = [
        (
            Leader(
                f"leader-{n}",
                f"leader-{n}",
                int(rng.integers(-3, 7)),
                int(rng.integers(3)),
                int(rng.integers(3)),
                int(rng.integers(-1, 4)),
            ),
            (n,),
        )
        for n in range(units)
        if rng.random() < 0.15 and not any(standing[n].at == standing[m].at for m in range(n))
    ]
    arms, dice = [one.unit.arm for one in standing], rng.integers(1, 9, units).tolist()
    guns = [unit for unit in range(units) if arms[unit] == "artillery"]
    return Sketch(
        rules,
        rules.switches(),
        standing,
        terrain,
        hexsides,
        leaders,
        on_map,
        int(rng.integers(2)),
        frozenset(u for u in range(units) if arms[u] == "infantry" and dice[u] == 8),
        frozenset(u for u in guns if dice[u] > 5),
        {u: dice[u] for u in guns if dice[u] < 7},
        MAP.number,
    )


LEAST = {"line": 5, "skirmish": 4}
"""Increments with which a unit may be in two hexes."""


def beside(
    rng: np.random.Generator, at: Hex, facing: int, standing: Sequence[Standing], terrain: Mapping[Hex, str]
) -> Hex | None:
    """A free hex right or left of the corner that a unit faces, mostly."""
    turn = int(rng.choice([2, 5]))
    where = neighbour(at, (facing // 2 + turn) % 6)
    taken = any(where in (one.at, one.second) for one in standing)
    return None if taken or where in terrain or not on_map(where) or rng.random() < 0.3 else where


def toward_nearest(at: Hex, foes: Sequence[Hex]) -> int:
    """A direction that leads to the nearest of some hexes."""
    foe = min(foes, key=lambda one: distance(at, one))
    return min(range(6), key=lambda d: distance(neighbour(at, d), foe))


def fits(unit: Unit, side: int, mate: Standing) -> bool:
    """Whether a unit may stand with another: one side, one arm or infantry with guns, one formation."""
    if side != mate.side or (unit.arm == "cavalry") != (mate.unit.arm == "cavalry"):
        return False
    if unit.state == "routed" or mate.unit.state == "routed":
        return unit.state == mate.unit.state and unit.arm == mate.unit.arm
    if unit.arm == mate.unit.arm:
        return unit.formation == mate.unit.formation
    return "skirmish" not in (unit.formation, mate.unit.formation)


def random_ground(
    rng: np.random.Generator, rules: catalogue.RuleSet, middle: Hex, crowd: int
) -> tuple[dict[Hex, str], dict[tuple[Hex, int], str]]:
    """Terrain that everybody may stand in, and hexsides."""
    names = [
        n
        for n, row in rules.merged["terrain"].items()
        if isinstance(row, dict) and n in ("woods", "village", "garden")
    ]
    sides = [n for n, row in rules.merged["hexsides"].items() if isinstance(row, dict) and "bridge" not in n]
    reach = range(-RADIUS, RADIUS + 1)
    around = [
        (q, r) for q in reach for r in reach if max(abs(q - middle[0]), abs(r - middle[1])) <= crowd + 3
    ]
    density = rng.choice([0.0, 0.15])
    terrain = {
        one: str(rng.choice(names))
        for one in around
        if rng.random() < density and max(abs(one[0] - middle[0]), abs(one[1] - middle[1])) > crowd
    }
    hexsides = {
        (one, int(rng.integers(6))): str(rng.choice(sides)) for one in around if rng.random() < density
    }
    whole = {}
    for (at, side), name in hexsides.items():
        beside = (at[0] + DIRECTIONS[side][0], at[1] + DIRECTIONS[side][1])
        if (beside, (side + 3) % 6) not in whole:
            whole[at, side] = name
    return terrain, whole


def engine(sketch: Sketch, dice: Dice, moment: str) -> Play:
    """The position in every lane of a battle."""
    ensemble = Ensemble(len(sketch.units), len(sketch.leaders), dice.lanes(1))
    map_ = HexMap(Rhombus(RADIUS), dict(sketch.terrain), dict(sketch.hexsides))
    book = rulebook(sketch.rules, sketch.switches)
    roster, sides = [one.unit for one in sketch.units], [one.side for one in sketch.units]
    homes = [(HOME["charger"], HOME["target"])[side != sketch.phasing] for side in sides]
    forces = Forces(ensemble, roster, list(sketch.leaders), sides, homes, map_, book)
    for number, one in enumerate(sketch.units):
        forces.place(cases(forces, number), map_.number(one.at), one.facing)
        if one.second is not None:
            forces.extend(cases(forces, number), map_.number(one.second))
    forces.in_battle = True
    for number, (_, stack) in enumerate(sketch.leaders):
        forces.join_leader(number, ensemble.all(), np.full(ensemble.n, stack[0]))
    play = Play(forces, dice)
    play.moment = moment
    return play


Fate = tuple[str, int, str, Hex | None, int | None, str, Hex | None]


def ends_of(play: Play) -> list[dict[str, Fate]]:
    """Every unit of every lane by its id: state or why it is gone, increments, formation, hex, facing,
    readiness, second hex."""
    forces = play.forces
    return [
        {unit.id: _fate(forces, u, lane) for u, unit in enumerate(forces.units)}
        for lane in range(forces.ensemble.n)
    ]


def _fate(forces: Forces, u: int, lane: int) -> Fate:
    gone = forces.state[u, lane] == GONE
    return (
        Reason(forces.reason[u, lane]).word if gone else STATES[forces.state[u, lane]],
        int(forces.increments[u, lane]),
        "" if gone else FORMATIONS[forces.formation[u, lane]],
        forces.map.hex(int(forces.hex[u, lane])),
        None if gone else int(forces.facing[u, lane]),
        READINESS[forces.readiness[u, lane]],
        forces.map.hex(int(forces.second[u, lane])),
    )


def ends_in(run: Field) -> dict[str, Fate]:
    """The same of the scalar play."""
    return {
        piece.id: (
            piece.gone or piece.state,
            piece.increments,
            "" if piece.gone else piece.formation,
            piece.at,
            None if piece.gone else piece.facing,
            piece.readiness,
            piece.second,
        )
        for piece in run.pieces
    }


def differences(told: Sequence[dict[str, Any]], other: Sequence[dict[str, Any]]) -> list[str]:
    """Which runs and units differ, in words."""
    return [
        f"run {number}, {name}: {one[name]} / {two[name]}"
        for number, (one, two) in enumerate(zip(told, other, strict=True))
        for name in one
        if one[name] != two[name]
    ]
