"""Situations on drawn maps: the map, who stands on it, and what the board's kernels and a shot make of it.

Maps have pointed hexes, every second row half a hex to the right; sides are E SE SW W NW NE from 0 to 5,
corners ESE S WSW WNW N ENE lie between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sim.board import mapfile
from sim.board.advance import Orders, Why, advance, new_advance
from sim.board.going import going_of, way_to
from sim.board.hexmap import HexMap
from sim.board.kernel import Mode
from sim.board.limits import LEAST_IN_TWO
from sim.board.mapfile import Sheet
from sim.board.sight import zone_from
from sim.board.tables import Position, board_of
from sim.combat import flight
from sim.combat.fire import attack
from sim.combat.play import Play
from sim.combat.told import Fired
from sim.ensemble.cases import Cases
from sim.ensemble.dice import RandomDice, ScriptedDice
from sim.ensemble.lanes import Ensemble
from sim.rulesets.compiled import BATTALION
from sim.rulesets.rulebook import Rulebook
from sim.units.charges import Unit
from sim.units.forces import Forces, kind_of
from sim.units.record import Recorder
from sim.vocabulary import ARMS, FORMATIONS, GONE, STATES
from tests.agreement.positions import PAD, book_of

SIDES = ("E", "SE", "SW", "W", "NW", "NE")
FACINGS = ("E", "ESE", "SE", "S", "SW", "WSW", "W", "WNW", "NW", "N", "NE", "ENE")
TERRAIN = {".": "clear", "w": "woods", "v": "village", "s": "swamp", "g": "garden"}
HOMES = (3, 0)
"""Side 0 goes home W, side 1 E."""

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Situation:
    """A situation worked out by hand."""

    id: str
    source: str
    asked: str
    given: Facts
    expect: Any
    work: str
    set: str = "prusse-1806"
    switches: Mapping[str, Any] | None = None
    map: Sequence[str] = ()
    corridor: int = 0
    hexsides: Sequence[str] = ()
    roads: bool = False

    @property
    def book(self) -> Rulebook:
        """The rulebook, under the rule set's own switches but for those given."""
        return book_of(str(self.given.get("set", self.set)), **self.switches or {})


def sheet(one: Situation) -> Sheet:
    """The map of a situation."""
    rows, columns = len(one.map), len(one.map[0])
    used = sorted(set("".join(one.map)))
    lines = ["title: drawn", f"ruleset: {one.set}", f"size: {columns} x {rows}"]
    lines += ["hexes: pointed, second row right", "numbers: 0101", "", "legend:"]
    lines += [f"  {letter} {TERRAIN[letter]}" for letter in used] + ["", "grid:"]
    for line, row in enumerate(one.map, 1):
        lines.append("  " + ("" if line % 2 else " ") + " ".join(row))
    sides = list(one.hexsides)
    if one.corridor:
        around = ["NW NE"] * (one.corridor > 1) + ["SE SW"] * (one.corridor < rows)
        sides += [f"river {c:02}{one.corridor:02} {' '.join(around)}" for c in range(1, columns + 1)]
    if sides:
        lines += ["", "hexsides:", *(f"  {side}" for side in sides)]
    if one.roads:
        middle = one.corridor
        lines += ["", "roads:", "  " + " ".join(f"{c:02}{middle:02}" for c in range(1, columns + 1))]
    return mapfile.parse("\n".join(lines) + "\n", one.id)


def soldier(name: str, told: Facts) -> Unit:
    """A unit as a situation tells of it: a French battalion of six in column unless it says otherwise."""
    arm = str(told.get("arm", "infantry"))
    inc = told.get("inc", 6)
    formation = told.get("formation", {"artillery": "limbered"}.get(arm, "column"))
    kind = told.get("type", "Ligne" if arm == "infantry" else None)
    multiples: dict[str, Fraction | None] = {"line": Fraction(3), "square": Fraction(3)}
    if kind == "Légère":
        multiples = dict.fromkeys(("line", "square", "skirmish"), Fraction(4))
    return Unit(
        id=name,
        name=name,
        side="charger",
        arm=arm,
        nation="French",
        type=kind,
        formation=formation,
        state=told.get("state", "good"),
        increments=inc,
        printed=told.get("of", inc),
        morale=33,
        fire=Fraction(told.get("fire", 6)),
        melee=Fraction(8),
        movement=told.get("mp", {"cavalry": 12}.get(arm, 8)),
        multiples=multiples,
        losses=(99, 1),
    )


def play_of(
    one: Situation, told: Sequence[tuple[int, Facts]], rolls: Sequence[int] | None = None
) -> tuple[Sheet, Play]:
    """Units, each with its side, where they stand, in one lane; with rolls, they are all that there are."""
    drawn = sheet(one)
    dice = RandomDice(1, 1, 1) if rolls is None else ScriptedDice(rolls)
    ensemble = Ensemble(len(told), 0, dice.lanes(1))
    sides = [side for side, _ in told]
    roster = [soldier(f"unit {number}", facts) for number, (_, facts) in enumerate(told)]
    forces = Forces(
        ensemble, roster, (), sides, [HOMES[side] for side in sides], drawn.map, one.book, Recorder()
    )
    for number, (_, facts) in enumerate(told):
        at = drawn.map.number(drawn.grid.hex_of(facts["at"]))
        forces.place(single(forces, number), at, FACINGS.index(facts.get("facing", "E")))
    play = Play(forces, dice)
    play.moment = "1.1.charge"
    return drawn, play


def single(forces: Forces, number: int) -> Cases:
    """A unit in every lane."""
    return forces.cases(np.ones(forces.ensemble.n, bool), number)


# -- marches ------------------------------------------------------------------------------------------------


def marched(one: Situation) -> dict[str, Any]:
    """Where a unit ends its march, its formation, and points left; both modes of the kernel, step by step
    where leaving a zone interrupts it."""
    drawn, book = sheet(one), one.book
    mover = dict(one.given["unit"])
    men = [(0, mover), *((0 if o["side"] == "own" else 1, o) for o in one.given.get("others", ()))]
    roster = [soldier(str(number), facts) for number, (_, facts) in enumerate(men)]
    kinds = [kind_of(unit, book.light_from) for unit in roster]
    arms = [ARMS.index(unit.arm) for unit in roster]
    sides = tuple(side for side, _ in men)
    board = board_of(drawn.map, book, sides, tuple(arms), tuple(kinds), tuple(HOMES[side] for side in sides))
    going = going_of(drawn.map, board, book, [BATTALION] * len(men), [bool(f.get("horse")) for _, f in men])
    goal = drawn.map.number(drawn.grid.hex_of(one.given["goal"]))
    way = way_to(board, going, arms[0], FORMATIONS.index(roster[0].formation), [goal])
    results = [_march(mode, one, drawn.map, drawn, men, roster, board, going, way) for mode in Mode]
    assert results[0] == results[1]
    return {name: results[0][name] for name in one.expect}


def _march(
    mode: Mode,
    one: Situation,
    map_: HexMap,
    drawn: Sheet,
    men: Sequence[tuple[int, Facts]],
    roster: Sequence[Unit],
    board: Any,
    going: Any,
    way: Any,
) -> dict[str, Any]:
    rows = Position(*(np.zeros((len(men), 1 + PAD), np.int16)[:, :1] for _ in Position._fields))
    rows.second[:] = board.off
    increments = np.zeros((len(men), 1 + PAD), np.int16)[:, :1]
    for u, ((_, facts), unit) in enumerate(zip(men, roster, strict=True)):
        rows.hex[u] = map_.number(drawn.grid.hex_of(facts["at"]))
        rows.facing[u] = FACINGS.index(facts.get("facing", "E"))
        rows.formation[u], rows.state[u] = FORMATIONS.index(unit.formation), STATES.index(unit.state)
        increments[u] = unit.increments
    first = np.zeros(1, np.int16)
    left, spent, fired = allowance(roster[0], one.book), bool(one.given.get("spent")), False
    while True:
        before, over, forced = (np.array([flag]) for flag in (spent, fired, False))
        most = first + np.int16(99)
        told = Orders(first + np.int16(left), before, over, forced, most, first, way[None], False)
        found = new_advance(1)
        advance(mode, board, going, rows, increments, first, np.zeros(1, np.int64), told, found)
        rows.hex[0], rows.facing[0], rows.formation[0] = found.end, found.facing, found.formation
        moved = bool(found.steps[0])
        left, spent = int(found.left[0]), spent or moved
        if found.why[0] != Why.LEAVES or (fired and not moved):
            break
        fired = True
    points = left / 2
    return {
        "end": drawn.grid.label(map_.hex(int(found.end[0])) or (0, 0)),
        "left": int(points) if points == int(points) else points,
        "formation": FORMATIONS[int(found.formation[0])],
    }


def allowance(unit: Unit, book: Rulebook) -> int:
    """Half points, by hand."""
    points = Fraction(unit.movement)
    if unit.formation == "line":
        points -= 2
    if unit.formation == "square":
        points = Fraction(1)
    return int(2 * points)


# -- retreats and routs -------------------------------------------------------------------------------------


def fled(one: Situation) -> dict[str, Any]:
    """Where a unit ends that retreats or routs, and what became of it."""
    given, kind = one.given, one.given["kind"]
    mover = dict(given["unit"], state="routed" if kind == "rout" else "disordered")
    if mover.get("arm") != "artillery":
        mover.setdefault("formation", "column")
    men = [(0, mover), *((1, o) for o in given["foes"]), *((0, o) for o in given.get("friends", ()))]
    drawn, play = play_of(one, men)
    forces = play.forces
    before = int(forces.hex[0, 0])
    if kind == "rout":
        flight.rout_alone(play, single(forces, 0))
    else:
        flight.retreat(play, single(forces, 0).flags(), 0)
    gone, end = forces.state[0, 0] == GONE, int(forces.hex[0, 0])
    found: dict[str, Any] = {"fate": "gone" if gone else "stays" if end == before else "moves"}
    if not gone:
        found["end"] = drawn.grid.label(forces.map.hex(end) or (0, 0))
    told = [entry.event for entry in play.recorder.entries] if play.recorder else []
    checked = {event.unit for event in told if type(event).__name__ == "Checked"}
    found["passes"] = [o["at"] for n, (_, o) in enumerate(men) if n in checked]
    found["steps"] = int(forces.map.distances(np.array([before]), np.array([end]))[0]) if not gone else 0
    found["avoids"] = [
        at for at in one.expect.get("avoids", ()) if at not in found["passes"] and found.get("end") != at
    ]
    return {name: found.get(name) for name in one.expect}


def zone_losses(one: Situation) -> int:
    """Increments that a retreat costs a unit."""
    men = [(0, one.given["unit"]), *((1, o) for o in one.given["foes"])]
    _, play = play_of(one, men)
    melee = one.given["melee"]
    flight.retreat(play, single(play.forces, 0).flags(), 0, None, 1 if melee else 0, melee)
    return int(play.forces.lost(single(play.forces, 0))[0])


# -- fire ---------------------------------------------------------------------------------------------------


def shot(one: Situation) -> dict[str, Any]:
    """Odds, column and losses of one attack on a hex."""
    given = one.given
    men = [(1, given["at"]), *((0, o) for o in given["by"])]
    if "with" in given:
        men.append((1, given["with"]))
    _, play = play_of(one, men, [given["roll"], *[66] * 9])
    attack(play, single(play.forces, 0), "28")
    assert play.recorder is not None
    [fired] = [entry.event for entry in play.recorder.entries if isinstance(entry.event, Fired)]
    assert fired.strengths is not None
    odds = [fired.strengths.total(side) for side in ("attack", "defence")]
    lost = sum(int(play.forces.lost(single(play.forces, n))[0]) for n, (side, _) in enumerate(men) if side)
    return {"odds": [int(value) for value in odds], "column": fired.strengths.column, "losses": lost}


# -- formations ---------------------------------------------------------------------------------------------

MIDDLE = Situation("middle", "", "", {}, None, "", map=[".....", ".....", "....."])


def extended(given: Facts) -> tuple[Sheet, Play]:
    """A unit in the middle of clear ground, in two hexes, the second to its right."""
    told = {"at": "0302", "facing": "N", **given}
    drawn, play = play_of(MIDDLE, [(0, told), (1, {"at": "0501"})])
    one = single(play.forces, 0)
    play.forces.extend(one, play.forces.beside(one)[0])
    return drawn, play


def two_hexes(one: Situation) -> dict[str, str]:
    """Zones of the sides of both hexes, X between them."""
    _, play = extended(one.given)
    forces, board = play.forces, play.survey.board
    units = len(forces.units)
    position = Position(*(forces.map_rows[n : n + units] for n in range(0, len(forces.map_rows), units)))
    own, other = int(forces.hex[0, 0]), int(forces.second[0, 0])
    found = {}
    for name, at, beside in (("left", own, other), ("right", other, own)):
        sides = [int(board.neighbour[at, side]) for side in range(6)]
        found[name] = " ".join(
            "X" if to == beside else "FLR"[zone_from(board, position, 0, 0, at, side)]
            for side, to in enumerate(sides)
        )
    return found


def may_extend(one: Situation) -> bool:
    """Whether so many increments may, or must, be in two hexes."""
    return bool(one.given["inc"] >= LEAST_IN_TWO[FORMATIONS.index(one.given["formation"])])


def shrinks(one: Situation) -> bool:
    """Whether a unit in two hexes is in one after losses."""
    _, play = extended(one.given)
    forces = play.forces
    forces.lose(single(forces, 0), one.given["loses"], "")
    return not forces.in_two(single(forces, 0))[0]


def deployed(one: Situation) -> list[int]:
    """Increments in its own hex and in the other."""
    _, play = extended(one.given)
    forces, unit = play.forces, single(play.forces, 0)
    return [int(forces.deployed(unit, rows[unit.at])[0]) for rows in (forces.hex, forces.second)]


def formation_after(one: Situation) -> str:
    """The formation that a new state brings."""
    _, play = play_of(MIDDLE, [(0, {"at": "0302", "facing": "N", **one.given}), (1, {"at": "0501"})])
    play.forces.become(single(play.forces, 0), STATES.index(one.given["becomes"]))
    return FORMATIONS[int(play.forces.formation[0, 0])]
