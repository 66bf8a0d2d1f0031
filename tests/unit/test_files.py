"""Charge files: every default, every kind of error with its place, and the JSON Schema (charge.md sections 1
and 2).

Each error is one line, `file:line:column: ...`, and begins with the place of the value that is wrong.
"""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sim import cli
from sim.errors import CarreError, InputError
from sim.inputs import documents
from sim.studies.odds import odds
from sim.units import scenarios
from sim.units.charges import Charge

CHARGE = """\
ruleset: prusse-1806
charger:
  nation: French
  type: Dragoon
  movement: 12
  increments: 8
  melee: 30
  morale: 22
target:
  nation: Prussian
  type: Musketeer
  formation: line
  increments: 7
  fire: 5
  melee: 16
  morale: 31
distance: 6
"""

FOOT = "{nation: Prussian, type: Musketeer, increments: 6, fire: 4, melee: 12, morale: 31}"
HUSSARS = "{nation: Prussian, type: Hussar, movement: 14, increments: 6, melee: 20, morale: 26, at: rear}"
FROM_FORMATION = CHARGE[CHARGE.index("formation") : CHARGE.index("distance")]
DRAGOONS = "{nation: French, type: Dragoon, movement: 12, increments: 4, melee: 14, morale: 24}"


def placed(at: str, more: str = "") -> str:
    return FOOT[:-1] + f", at: {at}{more}" + "}"


@dataclass(frozen=True)
class Fault:
    """A change of the charge above that makes it wrong.

    `new` replaces `old` once; the error stands at the first `at` after the start of the change, and says
    `says`.
    """

    old: str
    new: str
    at: str
    says: str
    count: int = 1


def added(text: str, at: str, says: str, count: int = 1) -> Fault:
    """A fault in lines added at the end of the file."""
    return Fault("distance: 6\n", f"distance: 6\n{text}\n", at, says, count)


def load(text: str, folder: Path) -> Charge:
    path = folder / "charge.yaml"
    path.write_text(text, encoding="utf-8")
    return scenarios.load(path)


# -- what is right ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plain() -> Charge:
    """A charge that gives nothing that has a default."""
    text = (
        CHARGE.replace("  type: Dragoon\n", "")
        .replace("  formation: line\n", "")
        .replace("distance: 6\n", "")
        .replace("ruleset: prusse-1806\n", "")
    )
    charge, problems = scenarios.check(documents.parse(text, "charge.yaml"))
    assert charge is not None, problems.errors
    return charge


def test_defaults_of_a_charge(plain: Charge) -> None:
    assert plain.ruleset.name == "prusse-1806"
    assert plain.title == "a charge"
    assert plain.edition == 2017  # of the box (0-decisions 1)
    assert plain.path == (0, 0, 0, 0)  # distance 5, less the step that contact needs not
    (way,) = plain.attacks
    assert (way.through, way.crosses, way.terrain, way.ground, plain.night) == (
        "front",
        "none",
        "clear",
        (),
        False,
    )
    assert plain.response == "all"
    assert way.change_to is None
    assert (plain.neighbours, plain.reactor, way.leader, way.target_leader) == (
        (),
        None,
        None,
        None,
    )


def test_the_charger_s_plan_by_default_is_the_first_of_each_choice(plain: Charge) -> None:
    """0-decisions 3."""
    first = {
        "square": "press",
        "disordered": "press",
        "no_target": "reach",
        "after_halt": "melee",
        "recalled": "trample",
        "preserve": False,
    }
    assert plain.plan == first


def test_defaults_of_the_charger(plain: Charge) -> None:
    (charger,) = plain.charger
    assert (charger.id, charger.name, charger.side, charger.arm) == (
        "charger",
        "charger",
        "charger",
        "cavalry",
    )
    assert (charger.type, charger.formation, charger.state, charger.readiness, charger.level) == (
        None,
        "column",
        "good",
        "fresh",
        0,
    )
    assert [charger.printed, charger.lance, charger.losses] == [8, 0, (1, 1)]


def test_defaults_of_the_target(plain: Charge) -> None:
    (target,) = plain.target
    assert (target.id, target.name, target.side, target.arm) == ("target", "target", "target", "infantry")
    assert (target.formation, target.state, target.level, target.force_march) == ("column", "good", 0, False)
    assert (target.printed, target.movement) == (7, 8)
    assert target.multiples == {
        "line": 3,
        "square": 3,
        "skirmish": None,
    }  # Prussian musketeers (0-decisions 6)
    assert target.losses == (1, 2)  # odd losses (C2)


def test_defaults_of_guns_are_the_synthetic_foot_battery(tmp_path: Path) -> None:
    """0-decisions 6: 3 increments, fire 18, melee 3, morale 26, movement 8."""
    battery = load(CHARGE.replace("  morale: 31\n", "  morale: 31\n  battery: {}\n"), tmp_path).target[-1]
    assert (battery.id, battery.arm, battery.nation, battery.formation) == (
        "battery",
        "artillery",
        "Prussian",
        "unlimbered",
    )
    assert [
        battery.increments,
        battery.printed,
        battery.fire,
        battery.melee,
        battery.morale,
        battery.movement,
    ] == [3, 3, 18, 3, 26, 8]
    alone = load(
        CHARGE[: CHARGE.index("target:")] + "target: {arm: artillery, nation: Prussian}\n", tmp_path
    ).target[0]
    assert [alone.id, alone.formation, alone.increments, alone.fire, alone.melee, alone.morale] == [
        "target",
        "unlimbered",
        3,
        18,
        3,
        26,
    ]


def test_defaults_of_leaders_neighbours_and_reactor(tmp_path: Path) -> None:
    text = (
        CHARGE.replace("  morale: 22\n", "  morale: 22\n  leader: {}\n")
        + f"neighbours: [{placed('rear')}]\nreactor: {HUSSARS.replace('rear', 'front-left')}\n"
    )
    charge = load(text, tmp_path)
    leader = charge.attacks[0].leader
    assert leader is not None
    assert (leader.id, leader.name, leader.morale, leader.cavalry, leader.artillery) == (
        "charger-leader",
        "charger-leader",
        0,
        0,
        0,
    )
    (neighbour,) = charge.neighbours
    assert (
        neighbour.id,
        neighbour.side,
        neighbour.arm,
        neighbour.at,
        neighbour.hexes,
        neighbour.response,
    ) == (
        "neighbour-1",
        "target",
        "infantry",
        "rear",
        1,
        "stand",
    )
    assert charge.reactor is not None
    assert (charge.reactor.id, charge.reactor.side, charge.reactor.hexes, charge.reactor.formation) == (
        "reactor",
        "target",
        1,
        "column",
    )


def test_units_below_take_the_formation_of_the_top_one(tmp_path: Path) -> None:
    text = CHARGE.replace("  morale: 31\n", f"  morale: 31\n  stack: [{FOOT}]\n")
    text = text.replace(
        "  morale: 22\n",
        f"  morale: 22\n  formation: line\n  leader: {{cavalry: 1}}\n  stack: [{DRAGOONS}]\n",
    )
    charge = load(text, tmp_path)
    assert [(unit.id, unit.formation) for unit in charge.units] == [
        ("charger", "line"),
        ("charger-2", "line"),
        ("target", "line"),
        ("target-2", "line"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "read"),
    [
        ("melee: 30", "melee: 13.5", Fraction(27, 2)),
        ("melee: 30", "melee: 27/2", Fraction(27, 2)),
        ("melee: 30", 'melee: "30"', Fraction(30)),
        ("melee: 30", "melee: 0.1", Fraction(1, 10)),
        ("melee: 30", "melee: 0", Fraction(0)),
        ("melee: 30", "melee: 200", Fraction(200)),
    ],
)
def test_strengths_are_exact_numbers(old: str, new: str, read: Fraction, tmp_path: Path) -> None:
    assert load(CHARGE.replace(old, new), tmp_path).charger[0].melee == read


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + CHARGE,
        CHARGE.replace("\n", "\r\n"),
        "# a comment\n" + CHARGE,
        "---\n" + CHARGE,
        "%YAML 1.1\n---\n" + CHARGE,
    ],
)
def test_files_of_other_editors_are_read_too(text: str, tmp_path: Path) -> None:
    path = tmp_path / "charge.yaml"
    path.write_bytes(text.encode())
    assert scenarios.load(path).target[0].type == "Musketeer"


@pytest.mark.parametrize("movement", [1, 2, 30])
def test_infantry_may_move_from_1_to_30(movement: int, tmp_path: Path) -> None:
    assert (
        load(CHARGE.replace("  fire: 5\n", f"  fire: 5\n  movement: {movement}\n"), tmp_path)
        .target[0]
        .movement
        == movement
    )


def test_an_edition_and_switches_are_those_of_the_file(tmp_path: Path) -> None:
    """0-decisions 2: an edition is a bundle of switches; any switch can also be set alone."""
    charge = load(CHARGE + "edition: 2021\nswitches: {trample: first}\n", tmp_path)
    assert charge.edition == 2021
    assert (charge.switches["facing_cost"], charge.switches["lance"], charge.switches["trample"]) == (
        2,
        "counter",
        "first",
    )


# -- single fields ------------------------------------------------------------------------------------

INTEGER = "must be an integer from"
ROLL = "must be one of the 36 rolls 11..16, 21..26, ..., 61..66, got"
NUMBER = "must be a number from 0 to 200, such as 2, 1.5 or 3/2, got"

FIELDS = {
    "unknown key": Fault(
        "distance: 6",
        "distance: 6\ndistanse: 7",
        "7",
        "'distanse' is not a known field. Did you mean 'distance'?",
    ),
    "unknown key inside": Fault(
        "movement: 12",
        "movement: 12\n  movment: 13",
        "13",
        "'charger.movment' is not a known field. Did you mean 'movement'?",
    ),
    "unknown key like no other": added(
        "xyzzy: 1", "1", "'xyzzy' is not a known field. Known fields: ruleset, title, edition,"
    ),
    "a key of two lines": added('"two\\nlines": 1', "1", "is not a known field"),
    "unknown key in a list": added(
        f"neighbours: [{placed('rear', ', hex: 2')}]",
        "2}",
        "'neighbours[0].hex' is not a known field. Did you mean 'hexes'?",
    ),
    "a key that is a number": added("7: 1", "1", "'[7]' is not a known field"),
    "text for an integer": Fault(
        "increments: 8", "increments: eight", "eight", f"'charger.increments' {INTEGER} 1 to 36, got 'eight'"
    ),
    "decimal for an integer": Fault(
        "increments: 8", "increments: 8.0", "8.0", f"'charger.increments' {INTEGER} 1 to 36, got 8.0"
    ),
    "flag for an integer": Fault(
        "increments: 8", "increments: true", "true", f"'charger.increments' {INTEGER} 1 to 36, got true"
    ),
    "list for an integer": Fault(
        "increments: 8", "increments: [8]", "[8]", f"'charger.increments' {INTEGER} 1 to 36, got a list"
    ),
    "mapping for an integer": Fault(
        "increments: 8",
        "increments: {now: 8}",
        "{now",
        f"'charger.increments' {INTEGER} 1 to 36, got a mapping",
    ),
    "nothing for an integer": Fault(
        "increments: 8", "increments:", "\n  melee", f"'charger.increments' {INTEGER} 1 to 36, got nothing"
    ),
    "integer too low": Fault(
        "increments: 8", "increments: 0", "0", f"'charger.increments' {INTEGER} 1 to 36, got 0"
    ),
    "integer too high": Fault(
        "increments: 8", "increments: 37", "37", f"'charger.increments' {INTEGER} 1 to 36, got 37"
    ),
    "negative integer": Fault(
        "increments: 8", "increments: -8", "-8", f"'charger.increments' {INTEGER} 1 to 36, got -8"
    ),
    "distance 0": Fault("distance: 6", "distance: 0", "0", f"'distance' {INTEGER} 1 to 24, got 0"),
    "distance 25": Fault("distance: 6", "distance: 25", "25", f"'distance' {INTEGER} 1 to 24, got 25"),
    "level 4": Fault(
        "movement: 12", "movement: 12\n  level: 4", "4", f"'charger.level' {INTEGER} 0 to 3, got 4"
    ),
    "movement 1 on horseback": Fault(
        "movement: 12", "movement: 1", "1", f"'charger.movement' {INTEGER} 2 to 30, got 1"
    ),
    "edition 1806": added("edition: 1806", "1806", f"'edition' {INTEGER} "),
    "a turn of 4 hexsides": Fault(
        "distance: 6", "path: [0, 4, 0]", "4,", f"'path[1]' {INTEGER} -3 to 3, got 4"
    ),
    "step 0": added(
        "ground: [{step: 0, terrain: garden}]", "0,", f"'ground[0].step' {INTEGER} 1 to 24, got 0"
    ),
    "13 hexes off": added(
        f"neighbours: [{placed('rear', ', hexes: 13')}]",
        "13",
        f"'neighbours[0].hexes' {INTEGER} 1 to 12, got 13",
    ),
    "leader's bonus": Fault(
        "morale: 22",
        "morale: 22\n  leader: {morale: 13}",
        "13",
        f"'charger.leader.morale' {INTEGER} -12 to 12, got 13",
    ),
    "morale 18": Fault("morale: 31", "morale: 18", "18", f"'target.morale' {ROLL} 18"),
    "morale 10": Fault("morale: 22", "morale: 10", "10", f"'charger.morale' {ROLL} 10"),
    "morale 67": Fault("morale: 22", "morale: 67", "67", f"'charger.morale' {ROLL} 67"),
    "morale as text": Fault("morale: 22", 'morale: "22"', '"22"', f"'charger.morale' {ROLL} '22'"),
    "text for a number": Fault("melee: 30", "melee: much", "much", f"'charger.melee' {NUMBER} 'much'"),
    "negative number": Fault("melee: 30", "melee: -1", "-1", f"'charger.melee' {NUMBER} -1"),
    "number too high": Fault("melee: 30", "melee: 200.5", "200.5", f"'charger.melee' {NUMBER} 200.5"),
    "division by zero": Fault("melee: 30", "melee: 1/0", "1/0", f"'charger.melee' {NUMBER} '1/0'"),
    "not a number": Fault("melee: 30", "melee: .nan", ".nan", f"'charger.melee' {NUMBER} .nan"),
    "infinite": Fault("melee: 30", "melee: .inf", ".inf", f"'charger.melee' {NUMBER} .inf"),
    "an enormous exponent": Fault(
        "melee: 30", "melee: 1e999999999", "1e999999999", f"'charger.melee' {NUMBER} '1e999999999'"
    ),
    "needlessly fine": Fault(
        "melee: 30", "melee: 10001/1009", "10001/1009", f"'charger.melee' {NUMBER} '10001/1009'"
    ),
    "flag for a number": Fault("melee: 30", "melee: true", "true", f"'charger.melee' {NUMBER} true"),
    "text for a flag": added("night: dark", "dark", "'night' must be true or false, got 'dark'"),
    "number for a flag": added("night: 1", "1", "'night' must be true or false, got 1"),
    "empty text": added('title: ""', '""', "'title' must be text of at most 200 characters, got ''"),
    "text too long": added(
        f"title: {'x' * 201}", "xxx", "'title' must be text of at most 200 characters, got 'xxx"
    ),
    "number for a text": added(
        "title: 1806", "1806", "'title' must be text of at most 200 characters, got 1806"
    ),
    "a date for a text": added(
        "title: 1806-10-14", "1806-10-14", "'title' must be text of at most 200 characters, got "
    ),
    "control characters": added(
        'title: "a\\u0007b"', '"a', "'title' must be text of at most 200 characters, got 'a\\x07b'"
    ),
    "several lines of text": added(
        'title: "a\\nb"', '"a', "'title' must be text of at most 200 characters, got 'a\\nb'"
    ),
    "unknown formation": Fault(
        "formation: line",
        "formation: lin",
        "lin",
        "'target.formation' must be column, line, square, skirmish, general order, masse",
    ),
    "unknown state": Fault(
        "movement: 12",
        "movement: 12\n  state: god",
        "god",
        "'charger.state' must be good or routed, got 'god'. Did you mean 'good'?",
    ),
    "cavalry disordered": Fault(
        "movement: 12",
        "movement: 12\n  state: disordered",
        "disordered",
        "'charger.state' must be good or routed, got 'disordered'",
    ),
    "unknown readiness": Fault(
        "movement: 12",
        "movement: 12\n  readiness: fres",
        "fres",
        "'charger.readiness' must be fresh, tired or exhausted, got 'fres'. Did",
    ),
    "cavalry in square": Fault(
        "movement: 12",
        "movement: 12\n  formation: square",
        "square",
        "'charger.formation' must be column or line, got 'square'",
    ),
    "unknown change": Fault(
        "movement: 12",
        "movement: 12\n  change_to: lines",
        "lines",
        "'charger.change_to' must be column or line, got 'lines'. Did you mean",
    ),
    "unknown arm": Fault(
        "formation: line",
        "arm: infanterie",
        "infanterie",
        "'target.arm' must be infantry, cavalry or artillery, got 'infanterie'. Did you",
    ),
    "unknown place": added(
        f"neighbours: [{placed('behind')}]",
        "behind",
        "'neighbours[0].at' must be front, front-left, rear-left, rear, rear-right or",
    ),
    "unknown side": added(
        f"neighbours: [{placed('rear', ', side: chargers')}]",
        "chargers",
        "'neighbours[0].side' must be target or charger, got 'chargers'. Did",
    ),
    "neighbours do not react": added(
        f"neighbours: [{placed('rear', ', response: react')}]",
        "react",
        "'neighbours[0].response' must be stand, carre@4,",
    ),
    "unknown hexside": added(
        "through: flanks",
        "flanks",
        "'through' must be front, flank or rear, got 'flanks'. Did you mean 'flank'?",
    ),
    "unknown response": added(
        "response: carre@5",
        "carre@5",
        "'response' must be stand, carre@4, carre@3, carre@2, carre@1, react, best or all, got",
    ),
    "unknown plan": added(
        "plan: {square: brake off}",
        "brake off",
        "'plan.square' must be press, break off, second, turn away, ride over or best, got 'brake "
        "off'. Did you",
    ),
    "unknown choice": added(
        "plan: {sqare: press}", "press", "'plan.sqare' is not a known field. Did you mean 'square'?"
    ),
    "text for a choice of flags": added(
        "plan: {preserve: maybe}", "maybe", "'plan.preserve' must be false or true, got 'maybe'"
    ),
    "text for a list": Fault(
        "distance: 6", "path: straight", "straight", "'path' must be a list of 0 to 24 values, got 'straight'"
    ),
    "list too long": Fault(
        "distance: 6", f"path: {[0] * 25}", "[0", "'path' must be a list of 0 to 24 values, got a list"
    ),
    "nine neighbours": added(
        f"neighbours: [{', '.join([placed('rear')] * 9)}]",
        "[{",
        "'neighbours' must be a list of 0 to 8 values, got a list",
    ),
    "list for a mapping": added(
        "plan: [press]",
        "[press]",
        "'plan' must be a mapping with square, disordered, no_target, after_halt, recalled, "
        "preserve, second, second_path or away, got a list",
    ),
    "text for switches": added(
        "switches: many", "many", "'switches' must be a mapping from switches to values, got 'many'"
    ),
    "list for a switch": added(
        "switches: {recall: [must]}",
        "[must]",
        "'switches.recall' must be true or false or an integer from 0 to 99 or text",
    ),
    "no charger": Fault(
        CHARGE[CHARGE.index("charger") : CHARGE.index("target")],
        "",
        "",
        "must have the field 'charger' (a mapping with ",
    ),
    "no target": Fault(
        CHARGE[CHARGE.index("target") : CHARGE.index("distance")],
        "",
        "",
        "must have the field 'target' (a mapping with ",
    ),
    "no morale": Fault(
        "  morale: 22\n",
        "",
        "",
        "'charger' must have the field 'morale' (one of the 36 rolls 11..16, 21..26, ..., 61..66), "
        "but it is missing",
    ),
}
"""What one field alone shows; the JSON Schema must refuse these too."""

NOT_IN_SCHEMA = {
    "morale as text",
    "decimal for an integer",
    "needlessly fine",
    "division by zero",
    "control characters",
    "several lines of text",
    "not a number",
    "infinite",
    "a date for a text",
    "a key that is a number",
}
"""What JSON Schema cannot say (8.0 is an integer there), or JSON cannot hold."""

# -- fields together ----------------------------------------------------------------------------------

ACROSS = {
    "unknown rule set": Fault(
        "prusse-1806",
        "prusse-1807",
        "prusse-1807",
        "there is no rule set 'prusse-1807'. Did you mean 'prusse-1806'?",
    ),
    "the base": Fault(
        "prusse-1806", "base", "base", "is a base for battles and no battle itself; name a battle: "
    ),
    "missing rule-set file": Fault(
        "prusse-1806", "nowhere.yaml", "nowhere.yaml", "nowhere.yaml: there is no such file"
    ),
    "edition 2013": added(
        "edition: 2013", "2013", "must be one of 2014, 2015, 2016, 2017, 2018, 2019, 2021, 2022, got 2013"
    ),
    "edition 2020": added(
        "edition: 2020", "2020", "must be one of 2014, 2015, 2016, 2017, 2018, 2019, 2021, 2022, got 2020"
    ),
    "unknown switch": added("switches:\n  trample: first\n  recal: must", "must", "Did you mean 'recall'?"),
    "unknown value of a switch": added(
        "switches:\n  trample: first\n  recall: mus", "mus", "must be one of must, pursue, got 'mus'"
    ),
    "flag for a switch of numbers": added(
        "switches:\n  trample: first\n  dd_target_loss: true", "true", "must be one of 0, 3, got true"
    ),
    "unknown nation": Fault(
        "nation: French",
        "nation: Frensh",
        "Frensh",
        "'charger.nation' must be a nation of prusse-1806, got 'Frensh'. Did you mean 'French'?",
    ),
    "a nation of another battle": Fault(
        "nation: Prussian",
        "nation: Spanish",
        "Spanish",
        "'target.nation' must be a nation of prusse-1806, got 'Spanish'. Known: ",
    ),
    "unknown type": Fault(
        "type: Musketeer",
        "type: Musketer",
        "Musketer",
        "'target.type' must be a troop type of Prussian infantry in prusse-1806, got 'Musketer'. Did",
    ),
    "a type of another nation": Fault(
        "type: Musketeer",
        "type: Ligne",
        "Ligne",
        "'target.type' must be a troop type of Prussian infantry in prusse-1806, got 'Ligne'",
    ),
    "no type": Fault(
        "  type: Musketeer\n",
        "",
        "",
        "'target.type' must be a troop type of Prussian infantry in prusse-1806, got ",
    ),
    "charger routed": Fault(
        "movement: 12",
        "movement: 12\n  state: routed",
        "routed",
        "'charger.state' must be good, since only cavalry in good order charges",
    ),
    "charger tired": Fault(
        "movement: 12",
        "movement: 12\n  readiness: tired",
        "tired",
        "'charger.readiness' must be fresh, since only fresh cavalry charges",
    ),
    "charger exhausted": Fault(
        "movement: 12",
        "movement: 12\n  readiness: exhausted",
        "exhausted",
        "'charger.readiness' must be fresh, since only fresh",
    ),
    "stack without a leader": Fault(
        "morale: 22",
        f"morale: 22\n  stack: [{DRAGOONS}]",
        "",
        "'charger.leader' must have a cavalry bonus of 1 or more for several",
    ),
    "stack with a leader of foot": Fault(
        "morale: 22",
        f"morale: 22\n  leader: {{morale: 6}}\n  stack: [{DRAGOONS}]",
        "{morale",
        "'charger.leader' must have a cavalry",
    ),
    "tired in the stack": Fault(
        "morale: 22",
        f"morale: 22\n  leader: {{cavalry: 1}}\n  stack: [{DRAGOONS[:-1]}, readiness: tired}}]",
        "tired",
        "'charger.stack[0].readiness' must be fresh",
    ),
    "flank of a square": Fault(
        FROM_FORMATION,
        FROM_FORMATION.replace("line", "square") + "through: flank\n",
        "flank",
        "'through' must be a hexside that the target has: infantry in square has front, got 'flank'",
    ),
    "flank of a Masse": Fault(
        FROM_FORMATION,
        FROM_FORMATION.replace("line", "masse") + "through: flank\n",
        "flank",
        "'through' must be a hexside that the target has",
    ),
    "a village": Fault(
        "formation: line",
        "formation: line\n  terrain: village",
        "village",
        "'target.terrain' must be open to charges: no charge may be made into village",
    ),
    "unknown terrain": Fault(
        "formation: line",
        "formation: line\n  terrain: vilage",
        "vilage",
        "'target.terrain' must be a terrain of prusse-1806, got 'vilage'. Did you mean",
    ),
    "a note for a terrain": Fault(
        "formation: line",
        "formation: line\n  terrain: source",
        "source",
        "'target.terrain' must be a terrain of prusse-1806, got 'source'",
    ),
    "ground beyond the charge": added(
        "ground: [{step: 6, terrain: garden}]",
        "6,",
        "'ground[0].step' must be a step of the charge, 1 to 5, got 6",
    ),
    "ground of an unknown kind": added(
        "ground: [{step: 2, terrain: gardn}]",
        "gardn",
        "'ground[0].terrain' must be a terrain of prusse-1806, got 'gardn'. Did you mean",
    ),
    "hexside of an unknown kind": added(
        "ground: [{step: 2, hexside: strem}]",
        "strem",
        "'ground[0].hexside' must be a hexside of prusse-1806, got 'strem'. Did you mean",
    ),
    "unknown crossing": added("crosses: brook", "brook", "'crosses' must be "),
    "ground of no kind": added(
        "ground: [{step: 2}]", "{step", "'ground[0]' must name either a terrain or a hexside"
    ),
    "ground of two kinds": added(
        "ground: [{step: 2, terrain: garden, hexside: stream}]",
        "{step",
        "'ground[0]' must name either a terrain or a hexside",
    ),
    "two neighbours in a hex": added(
        f"neighbours:\n  - {placed('rear')}\n  - " + placed('"rear"'),
        '"rear"',
        "'neighbours[1].at' must be free: neighbour-1 already stands",
    ),
    "reactor on a neighbour": added(
        f"neighbours: [{placed('rear')}]\nreactor: {HUSSARS}",
        "rear}\n",
        "'reactor.at' must be free: neighbour-1 already stands 1 hexes off at rear",
    ),
    "neighbour where the charge begins": added(
        f"neighbours: [{placed('front', ', hexes: 6')}]",
        "front,",
        "'neighbours[0].at' must leave the charger's starting hex free",
    ),
    "reactor where the charge begins": added(
        f"reactor: {HUSSARS.replace('rear', 'front, hexes: 6')}",
        "front,",
        "'reactor.at' must leave the charger's starting hex free",
    ),
    "no skirmishers": Fault(
        "formation: line",
        "formation: skirmish",
        "skirmish",
        "'target.formation' must be one that Prussian Musketeer can take; it has no skirmish",
    ),
    "routed in line": Fault(
        "formation: line",
        "formation: line\n  state: routed",
        "line\n",
        "'target.formation' must be column or general order for a routed unit (rule 30)",
    ),
    "disordered in square": Fault(
        "formation: line",
        "formation: square\n  state: disordered",
        "square\n",
        "'target.formation' must be column or general order for a",
    ),
    "routed unlimbered guns": Fault(
        "morale: 31",
        "morale: 31\n  battery: {state: routed}",
        "routed",
        "'target.battery.state' must be good or disordered: unlimbered guns",
    ),
    "more than printed": Fault(
        "increments: 7",
        "increments: 7\n  printed: 6",
        "6",
        "'target.printed' must be at least the increments now (7), got 6",
    ),
    "a lance on foot": Fault(
        "fire: 5", "fire: 5\n  lance: 3", "3", "'target.lance' is not a field of infantry"
    ),
    "infantry limbered": Fault(
        "formation: line",
        "formation: limbered",
        "limbered",
        "'target.formation' must be column, line, square, skirmish, general order, masse or",
    ),
    "cavalry's fire": Fault(
        "formation: line", "arm: cavalry\n  movement: 14", "5", "'target.fire' is not a field of cavalry"
    ),
    "no fire": Fault("  fire: 5\n", "", "", "'target' must have the field 'fire' (a number from 0 to 100"),
    "guns with cavalry": Fault(
        "formation: line\n  increments: 7\n  fire: 5",
        "arm: cavalry\n  movement: 14\n  increments: 7\n  battery: {}",
        "{}",
        "'target.battery' must stand with infantry",
    ),
    "another arm in the stack": Fault(
        "morale: 31",
        "morale: 31\n  stack: [{arm: artillery, formation: limbered, nation: Prussian}]",
        "artillery",
        "'target.stack[0].arm' must be infantry",
    ),
    "another formation in the stack": Fault(
        "morale: 31",
        f"morale: 31\n  stack: [{FOOT[:-1]}, formation: column}}]",
        "column",
        "'target.stack[0].formation' must be line: one formation a hex",
    ),
    "too many guns": Fault(
        "morale: 31",
        "morale: 31\n  battery: {increments: 13}",
        "13",
        f"'target.battery.increments' {INTEGER} 1 to 12, got 13",
    ),
    "a response of cavalry": added("response: react", "react", "must be one that infantry has"),
}


def position(text: str, start: int, at: str) -> tuple[int, int]:
    """Line and column, from 1, of a piece of text at or after a place."""
    index = text.index(at, start)
    return text[:index].count("\n") + 1, index - text.rfind("\n", 0, index)


@pytest.mark.parametrize("fault", [*FIELDS.values(), *ACROSS.values()], ids=[*FIELDS, *ACROSS])
def test_a_fault_is_told_in_one_line_at_its_place(fault: Fault, tmp_path: Path) -> None:
    start = CHARGE.index(fault.old)
    text = CHARGE.replace(fault.old, fault.new, 1)
    with pytest.raises(InputError) as caught:
        load(text, tmp_path)
    message = str(caught.value)
    assert "\n" not in message
    assert isinstance(caught.value, CarreError)
    path = tmp_path / "charge.yaml"
    place, _, said = message.removeprefix(f"{path}:").partition(": ")
    assert fault.says in said
    if fault.at:
        assert place == "{}:{}".format(*position(text, start, fault.at))
    else:  # what is missing is told where the mapping that lacks it stands
        assert all(part.isdigit() for part in place.split(":"))
    _, problems = scenarios.check(documents.read(path))
    assert len(problems.errors) == fault.count, problems.errors


@pytest.mark.parametrize(
    ("ruleset", "nation", "kind", "formation", "says"),
    [
        ("bautzen-1813", "French", "Provisional Ligne", "square", "it has no square in bautzen-1813"),
        ("hagelberg-1813", "Prussian", "Landwehr", "line", "it has no line in hagelberg-1813"),
        ("wagram-1809", "Austrian", "Landwehr", "line", "it has no line in wagram-1809"),
    ],
)
def test_a_formation_that_a_troop_type_does_not_have_is_refused(
    ruleset: str, nation: str, kind: str, formation: str, says: str, tmp_path: Path
) -> None:
    """B10.1: entries without a multiple."""
    text = CHARGE.replace("prusse-1806", ruleset).replace("nation: Prussian", f"nation: {nation}")
    text = text.replace("type: Musketeer", f"type: {kind}").replace(
        "formation: line", f"formation: {formation}"
    )
    with pytest.raises(
        InputError,
        match=rf"charge\.yaml:12:14: 'target\.formation' must be one that {nation} {kind} can take; {says}",
    ):
        load(text, tmp_path)


def test_guns_alone_are_held_to_the_limits_of_guns(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'target\.melee' must be a number from 0 to 50"):
        load(
            CHARGE[: CHARGE.index("target:")] + "target: {arm: artillery, nation: Prussian, melee: 60}\n",
            tmp_path,
        )


def test_several_faults_are_told_by_the_first_and_their_number(tmp_path: Path) -> None:
    text = (
        CHARGE.replace("increments: 8", "increments: 99")
        .replace("morale: 31", "morale: 18")
        .replace("distance: 6", "distance: 99")
    )
    with pytest.raises(
        InputError, match=r"charge\.yaml:6:15: 'charger\.increments' .* \(and 2 more: see carre lint\)$"
    ):
        load(text, tmp_path)


# -- files that are not charges -----------------------------------------------------------------------

LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcde", "bcdef", strict=True)
)

# content, place after the file's name, and how the message goes on
FILES = {
    "empty": (b"", "", "must hold a YAML mapping, but the file is empty"),
    "comments only": (b"# nothing\n", "", "must hold a YAML mapping, but the file is empty"),
    "a list": (b"- 1\n- 2\n", ":1:1", "must be a mapping with ruleset, title, "),
    "a word": (b"charge\n", ":1:1", "must be a mapping with ruleset, title, "),
    "not UTF-8": (b"title: a\nmore: \xff\xfe\n", ":2", "must be UTF-8 text, found byte 0xff"),
    "a picture": (b"\x89PNG\r\n\x1a\n\x00\x00", ":1", "must be UTF-8 text, found byte 0x89"),
    "control characters": (b"title: a\n \x00\x01\x02", ":2:2", "must be YAML: found the control character '\\x00'"),
    "a tab": (b"charger:\n\tnation: French\n", ":2:1", "must be YAML: found a tab, where only spaces may stand"),
    "an open quote": (b'title: "open\n', ":2:1", "must be YAML: found unexpected end of stream"),
    "an open bracket": (b"path: [1, 2\n", ":2:1", "must be YAML: did not find expected ',' or ']'"),
    "wrong indentation": (b"charger:\n  nation: French\n type: Dragoon\n", ":3:2", "must be YAML: did not find expected key"),
    "two documents": (b"title: a\n---\ntitle: b\n", ":2:1", "must be YAML: but found another document"),
    "an unknown alias": (b"charger: *nobody\n", ":1:10", "must be YAML: found undefined alias"),
    "an alias of itself": (b"charger: &a\n  stack: [*a]\n", ":1:10", "a value may not contain itself"),
    "an unknown tag": (b"title: !secret a\n", ":1:8", "must be YAML: found the tag '!secret', which stands for nothing here"),
    "an unknown tag on a list": (b"title: !!python/object:os.system [ls]\n", ":1:8", "must be YAML: found the tag '!!python/object:os.system'"),
    "a set": (b"switches: !!set {a, b}\n", ":1:11", "must be YAML: found the tag '!!set', which stands for nothing here"),
    "a merge": (b"a: &a {x: 1}\nb: {<<: *a}\n", ":2:5", "must be YAML: found '<<', but every unit gives its own fields"),
    "a wrong number": (b"distance: !!int six\n", ":1:11", "must be YAML: 'six' cannot be read as int"),
    "a wrong date": (b"title: 1806-13-45\n", ":1:8", "must be YAML: '1806-13-45' cannot be read as timestamp (text that looks like it needs quotes)"),
    "no date": (b"title: !!timestamp x\n", ":1:8", "must be YAML: 'x' cannot be read as timestamp"),
    "no flag": (b"!!bool x: 3\n", ":1:1", "must be YAML: 'x' cannot be read as bool"),
    "a list as a key": (b"? [1, 2]\n: 3\n", ":1:3", "must be YAML: found a list or mapping as a key"),
    "nested too deep": (b"[" * 20_000 + b"]" * 20_000, ":1:1001", "must be YAML: exceeded maximum nesting depth"),
    "nested deep": (b"title: " + b"[" * 900 + b"]" * 900, ":1:57", "must be nested at most 50 deep"),
    "a billion laughs": (LAUGHS.encode(), "", "must hold at most 100,000 values"),
    "too large": (b"# " + b"x" * 4_000_000, "", "must be at most 4,000,000 bytes, got more"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "place", "says"), FILES.values(), ids=FILES)
def test_a_file_that_is_no_charge_is_told_in_one_line(
    content: bytes, place: str, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "charge.yaml"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        scenarios.load(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{path}{place}: {says}" if says else f"{path}:")


def test_a_key_given_twice_is_told_at_the_second(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load(CHARGE.replace("  morale: 22\n", "  morale: 22\n  morale: 23\n"), tmp_path)
    assert str(caught.value) == f"{tmp_path / 'charge.yaml'}:9:3: 'charger.morale' is given twice"


def test_a_missing_file_and_a_directory_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        scenarios.load(tmp_path / "none.yaml")
    assert str(caught.value) == f"{tmp_path / 'none.yaml'}: there is no such file"
    with pytest.raises(InputError) as caught:
        scenarios.load(tmp_path)
    assert str(caught.value) == f"{tmp_path}: must be a file, but is a directory"


# -- single changes -----------------------------------------------------------------------------------


def test_a_change_is_applied_to_the_file(tmp_path: Path) -> None:
    path = tmp_path / "charge.yaml"
    path.write_text(CHARGE.replace("morale: 31", f"morale: 31\n  stack: [{FOOT}]"), encoding="utf-8")
    charge = scenarios.load(
        path,
        [
            "target.morale=26",
            "target.stack[0].increments=3",
            "charger.leader.morale=6",
            "path=[0, 1, 0]",
            "title=a: b"[:7],
        ],
    )
    assert charge.target[0].morale == 26
    assert charge.target[1].increments == 3
    leader = charge.attacks[0].leader
    assert leader is not None
    assert leader.morale == 6
    assert charge.path == (0, 1, 0)
    assert scenarios.load(path, ["night=true"], "halle-1806", 2021).edition == 2021


@pytest.mark.parametrize(
    ("change", "place", "says"),
    [
        ("target.morale=18", "--set target.morale=18: ", f"'target.morale' {ROLL} 18"),
        (
            "target.moral=26",
            "--set target.moral=26: ",
            "'target.moral' is not a known field. Did you mean 'morale'?",
        ),
        ("target.morale", "--set ", "must be FIELD=VALUE, such as target.morale=26, got 'target.morale'"),
        ("=26", "", "'' must name a field such as target.morale or target.stack[0].morale"),
        (
            "target..morale=26",
            "",
            "'target..morale' must name a field such as target.morale or target.stack[0].morale",
        ),
        (
            "target.stack[x].morale=26",
            "",
            "'target.stack[x].morale' must name a field such as target.morale or target.stack[0].morale",
        ),
        (
            "target.stack[0].morale=26",
            "--set target.stack[0].morale=26: ",
            "there is no field 'target.stack[0].morale' in ",
        ),
        ("distance.hexes=3", "--set distance.hexes=3: ", "there is no field 'distance.hexes' in "),
        ("path=[0, 1", "", "'[0, 1' must be a YAML value"),
        (
            "title=!!timestamp x",
            "",
            "'!!timestamp x' must be a YAML value, but it cannot be read: 'x' cannot be read as timestamp",
        ),
        ("target.terrain=lender", "--set target.terrain=lender: ", "'target.terrain' must be a terrain of "),
        ("ground=[{step: 1, terrain: source}]", "--set ground=", "'ground[0].terrain' must be a terrain of "),
        ("ground=[{step: 1, hexside: source}]", "--set ground=", "'ground[0].hexside' must be a hexside of "),
        (
            "path=[0, -3, 1, 0, 3]",
            "--set path=",
            "'path' must not lead through the target's hex, got [0, -3, 1, 0, 3]",
        ),
        ("path=[0, 0, 3]", "--set path=", "'path' must not lead through the target's hex, got [0, 0, 3]"),
        (
            "ruleset=prusse",
            "--set ruleset=prusse: ",
            "there is no rule set 'prusse'. Did you mean 'prusse-1806'?",
        ),
        ("ruleset=none.yaml", "--set ruleset=none.yaml: ", "none.yaml: there is no such file"),
        (
            "edition=2020",
            "--set edition=2020: ",
            "must be one of 2014, 2015, 2016, 2017, 2018, 2019, 2021, 2022, got 2020",
        ),
        ("switches.recal=must", "--set switches.recal=must: ", "Did you mean 'recall'?"),
    ],
)
def test_a_change_that_cannot_be_used_is_told_by_itself(change: str, place: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        scenarios.load(scenarios.DEFAULT, [change])
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(place)
    assert says in message


# -- anything else ------------------------------------------------------------------------------------

FULL = (
    CHARGE.replace(
        "morale: 22\n",
        f"morale: 22\n  lance: 2\n  change_to: line\n  leader: {{morale: 3, cavalry: 1, name: X}}\n "
        f" stack: [{DRAGOONS}]\n",
    )
    .replace(
        "morale: 31\n",
        f"morale: 31\n  printed: 9\n  level: 1\n  terrain: clear\n  leader: {{}}\n  battery: "
        f"{{fire: 12}}\n  stack: [{FOOT}]\n",
    )
    .replace(
        "distance: 6\n",
        "path: [0, 1, 0]\nthrough: front\ncrosses: none\nnight: false\nresponse: stand\ntitle: "
        "X\nedition: 2017\n",
    )
    + f"neighbours:\n  - {placed('rear')}\n  - {placed('front-left', ', side: charger')}\n"
    + f"reactor: {HUSSARS.replace('rear', 'rear-left')}\n"
    + "ground: [{step: 2, terrain: clear}, {step: 3, hexside: stream}]\nswitches: {trample: "
    "first}\nplan: {square: press, preserve: false}\n"
)
WORDS = [
    "",
    "x",
    "source",
    "line",
    "square",
    "front",
    "stand",
    "infantry",
    "cavalry",
    "artillery",
    "1/0",
    "3/2",
    "1e99",
    "two\nlines",
    "\x07",
]
NUMBERS = [-1, 0, 1, 7, 36, 10**30, 1.5, float("nan"), float("inf"), True, False]
JUNK: list[Any] = [None, *WORDS, *NUMBERS, [], {}, [[]], [{}], {"a": 1}, {1: 2}, datetime.date(1806, 10, 14)]


def keys_of(value: Any, key: documents.Key = ()) -> list[documents.Key]:
    """The ways to all values of nested data."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [key, *(found for part, one in inner for found in keys_of(one, (*key, part)))]


WAYS = keys_of(yaml.safe_load(FULL))


def test_the_charge_that_is_spoilt_below_is_right_before() -> None:
    charge, problems = scenarios.check(documents.parse(FULL, "charge.yaml"))
    assert charge is not None, problems.errors


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(WAYS), st.sampled_from(JUNK), st.sampled_from(["replace", "remove", "add"]))
def test_whatever_stands_in_a_file_is_told_in_single_lines_or_can_be_played(
    key: documents.Key, junk: Any, how: str
) -> None:
    data = yaml.safe_load(FULL)
    if not key:
        data = junk
    else:
        here = data
        for part in key[:-1]:
            here = here[part]
        if how == "remove":
            del here[key[-1]]
        elif how == "add" and isinstance(here, dict):
            here[junk if isinstance(junk, int) else " ".join(str(junk).split())] = junk
        else:
            here[key[-1]] = junk
    charge, problems = scenarios.check(documents.Document("charge.yaml", data))
    assert (charge is None) == bool(problems.errors)
    assert all("\n" not in line and line.startswith("charge.yaml: ") for line in problems.errors)
    if charge is not None:
        odds(charge, "stand", "mc", 20)


# -- the JSON Schema ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def validator() -> Any:
    """What `carre schema charge` prints, ready to validate."""
    import contextlib
    import io

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert cli.main(["schema", "charge"]) == 0
    return jsonschema.Draft202012Validator(json.loads(printed.getvalue()))


def test_the_schema_is_a_valid_schema(validator: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(validator.schema)
    assert validator.schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_schema_accepts_the_shipped_charge_and_the_one_of_this_test(validator: Any) -> None:
    validator.validate(yaml.safe_load(scenarios.DEFAULT.read_text(encoding="utf-8")))
    validator.validate(yaml.safe_load(CHARGE))


@pytest.mark.parametrize("name", [name for name in FIELDS if name not in NOT_IN_SCHEMA])
def test_the_schema_refuses_what_a_single_field_shows_to_be_wrong(name: str, validator: Any) -> None:
    fault = FIELDS[name]
    assert not validator.is_valid(yaml.safe_load(CHARGE.replace(fault.old, fault.new, 1)))


@pytest.mark.parametrize("value", ["13.5", "27/2", '"30"', '"13.5"', "0", "200"])
def test_the_schema_accepts_every_number_that_is_read(value: str, validator: Any, tmp_path: Path) -> None:
    text = CHARGE.replace("melee: 30", f"melee: {value}")
    load(text, tmp_path)
    assert validator.is_valid(yaml.safe_load(text))
