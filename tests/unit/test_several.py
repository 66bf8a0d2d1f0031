"""Several charges in one file: who they are, where they stand, what is wrong with them and where, and how
options reach them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import sim
from sim.cli import main
from sim.errors import InputError
from sim.inputs import documents
from sim.rulesets.kinds import kind_of
from sim.rulesets.rulebook import rulebook
from sim.studies.sweep import parse_axis
from sim.units import orders, placing, scenarios
from sim.units.chargefields import CHARGE as FIELDS
from sim.units.chargefields import ONE_OF_SEVERAL, SEVERAL
from sim.units.charges import Charge
from sim.units.orders import RESPONSE_CODES, Variant
from tests.unit.test_files import CHARGE, FULL, JUNK, keys_of

FOUR = """\
ruleset: prusse-1806
charges:
  - charger: {name: 13e, nation: French, type: Dragoon, movement: 12, increments: 8, melee: 30, morale: 22, leader: {cavalry: 1}}
    target: {name: I/30, nation: Prussian, type: Musketeer, formation: line, increments: 7, fire: 5, melee: 16, morale: 31}
    response: carre@3
  - charger: {name: 22e, nation: French, type: Dragoon, movement: 12, increments: 6, melee: 24, morale: 23}
    target: 1
    distance: 6
  - charger: {name: 1er, nation: French, type: Hussar, movement: 14, increments: 5, melee: 18, morale: 24}
    target: Grenadiers
    from: front-left
    path: [0, 1, 0, 0]
  - charger: {nation: French, type: Dragoon, movement: 12, increments: 6, melee: 24, morale: 23}
    target: {nation: Prussian, type: Musketeer, increments: 7, fire: 5, melee: 16, morale: 31, battery: {}, leader: {}}
    at: front-right
    hexes: 3
    from: rear-right
    through: flank
    crosses: stream
    ground: [{step: 2, terrain: woods}]
    plan: {square: second, second: 1}
neighbours:
  - {name: Grenadiers, nation: Prussian, type: Grenadier, increments: 6, fire: 6, melee: 15, morale: 26, at: rear-left, hexes: 2, response: carre@2}
  - {side: charger, nation: French, type: Ligne, increments: 6, fire: 8, melee: 15, morale: 25, at: rear, hexes: 4}
reactor: {nation: Prussian, type: Hussar, movement: 14, increments: 6, melee: 20, morale: 26, at: rear, hexes: 2}
"""
HORSE = "{nation: Prussian, type: Hussar, arm: cavalry, movement: 14, increments: 6, melee: 20, morale: 26}"


def load(text: str, changes: list[str] | None = None) -> Charge:
    document = documents.parse(text, "four.yaml")
    for change in changes or []:
        document = scenarios.changed(document, change)
    charge, problems = scenarios.check(document)
    assert charge is not None, problems.errors
    return charge


def faults(text: str, changes: list[str] | None = None) -> list[str]:
    document = documents.parse(text, "four.yaml")
    for change in changes or []:
        document = scenarios.changed(document, change)
    charge, problems = scenarios.check(document)
    assert (charge is None) == bool(problems.errors)
    return problems.errors


@pytest.fixture(scope="module")
def four() -> Charge:
    return load(FOUR)


# -- who, where, what ---------------------------------------------------------------------------------


def test_units_stand_in_unit_order_and_each_knows_its_charge(four: Charge) -> None:
    assert [unit.id for unit in four.units] == [
        "1.charger",
        "2.charger",
        "3.charger",
        "4.charger",
        "1.target",
        "4.target",
        "4.battery",
        "neighbour-1",
        "neighbour-2",
        "reactor",
    ]
    assert [charge.target[0].name for charge in four.attacks] == ["I/30", "I/30", "Grenadiers", "4.target"]
    assert four.attacks[1].target == four.attacks[0].target
    assert [four.numbers(one.target) for one in four.attacks] == [(4,), (4,), (7,), (5, 6)]
    assert [one.places_target for one in four.attacks] == [True, False, False, True]


def test_everybody_has_his_hex(four: Charge) -> None:
    """Directions go clockwise from east, as docs/charge.md section 2 draws them: front-left is 2, rear-left
    1, front-right 4."""
    assert dict(zip((unit.id for unit in four.units), four.places, strict=True)) == {
        "1.charger": (-5, 0),
        "2.charger": (-6, 0),
        "3.charger": (-4, 7),
        "4.charger": (5, -8),
        "1.target": (0, 0),
        "4.target": (0, -3),
        "4.battery": (0, -3),
        "neighbour-1": (0, 2),
        "neighbour-2": (4, 0),
        "reactor": (2, 0),
    }
    assert [(one.at, one.side, one.heading) for one in four.attacks] == [
        ((0, 0), 3, 0),
        ((0, 0), 3, 0),
        ((0, 2), 2, 5),
        ((0, -3), 5, 2),
    ]
    assert [one.start for one in four.attacks] == [((-5, 0), 0), ((-6, 0), 0), ((-4, 7), 4), ((5, -8), 2)]


def test_every_way_ends_next_to_its_target_by_its_own_side(four: Charge) -> None:
    for one in four.attacks:
        here, heading = one.trail[-1]
        assert heading == one.heading
        assert placing.map_of(four).holds(here)
        assert (here[0] - one.at[0], here[1] - one.at[1]) == {3: (-1, 0), 2: (-1, 1), 5: (1, -1)}[one.side]


def test_ground_is_that_of_all_ways(four: Charge) -> None:
    assert four.terrain_by_hex == {(3, -6): "woods"}
    assert four.hexsides == {((0, -3), 5): "stream"}


def test_targets_show_the_hexside_that_is_charged(four: Charge) -> None:
    book = rulebook(four.ruleset, four.switches)
    facing = dict(zip((unit.id for unit in four.units), placing.facings(four, book), strict=True))
    given = orders.orders(four, [tuple(Variant.of(one, "stand") for one in four.attacks)], book)
    assert [one.through for one in given.charges] == ["front", "front", "front", "flank"]
    assert (facing["1.charger"], facing["3.charger"], facing["4.charger"]) == (0, 8, 4)
    assert facing["neighbour-2"] == 0  # a friend of the charger looks as the first charge rides
    assert facing["reactor"] == 6


@pytest.mark.parametrize(("side", "zone"), [("front", "front"), ("rear", "rear"), ("rear-left", "flank")])
def test_a_second_charge_meets_the_side_that_a_standing_target_shows(side: str, zone: str) -> None:
    charge = load(FOUR, [f"charges.2.from={side}", "charges.1.target.formation=column"])
    book = rulebook(charge.ruleset, charge.switches)
    shown = placing.hexside_of(charge, charge.attacks[1], book)
    assert shown == zone


def test_leaders_are_counted_by_stack_then_by_target(four: Charge) -> None:
    assert [(leader and leader.id, units) for leader, units in four.leaders] == [
        ("1.charger-leader", (0,)),
        (None, (1,)),
        (None, (2,)),
        (None, (3,)),
        (None, (4,)),
        ("4.target-leader", (5, 6)),
    ]


def test_orders_hold_what_each_charge_meets(four: Charge) -> None:
    """A target does against a charge what the file says of that one, and against others what it does against
    its first (14.6)."""
    book = rulebook(four.ruleset, four.switches)
    stand = tuple(Variant.of(one, "stand") for one in four.attacks)
    carre = tuple(Variant.of(one, f"carre@{i + 1}") for i, one in enumerate(four.attacks))
    given = orders.orders(four, [stand, carre], book)
    codes = [RESPONSE_CODES[f"carre@{n}"] for n in (1, 2, 3, 4)]
    react = (RESPONSE_CODES["react"],) * 2
    own = (RESPONSE_CODES["carre@2"],) * 2
    assert [one.responses for one in given.charges] == [
        {4: (0, codes[0]), 5: (0, codes[3]), 6: (0, 0), 7: own, 8: (0, 0), 9: react},
        {4: (0, codes[1]), 5: (0, codes[3]), 6: (0, 0), 7: own, 8: (0, 0), 9: react},
        {4: (0, codes[0]), 5: (0, codes[3]), 6: (0, 0), 7: (0, codes[2]), 8: (0, 0), 9: react},
        {4: (0, codes[0]), 5: (0, codes[3]), 6: (0, 0), 7: own, 8: (0, 0), 9: react},
    ]
    assert [one.plans for one in given.charges] == list(zip(stand, carre, strict=True))
    assert [(one.stack, one.goal, one.hex_units, one.at) for one in given.charges] == [
        ((0,), 4, (4,), (0, 0)),
        ((1,), 4, (4,), (0, 0)),
        ((2,), 7, (7,), (0, 2)),
        ((3,), 5, (5, 6), (0, -3)),
    ]
    assert [(one.start, one.heading) for one in given.charges] == [one.start for one in four.attacks]
    assert (given.charges[3].second, given.charges[3].second_at) == (7, (0, 2))
    assert [one.reactors for one in given.charges] == [(9,)] * 4


def test_a_response_is_that_of_every_unit_of_the_hex() -> None:
    """Whoever is on top when the charge comes (14.6); guns have no square."""
    foot = "{nation: Prussian, type: Musketeer, increments: 6, fire: 4, melee: 12, morale: 31}"
    charge = load(FOUR, [f"charges.4.target.stack=[{foot}]"])
    book = rulebook(charge.ruleset, charge.switches)
    carre = tuple(Variant.of(one, "carre@3") for one in charge.attacks)
    given = orders.orders(charge, [carre], book)
    assert [charge.units[n].id for n in (5, 6, 7)] == ["4.target", "4.target-2", "4.battery"]
    assert [given.charges[3].responses[n] for n in (5, 6, 7)] == [(RESPONSE_CODES["carre@3"],)] * 2 + [(0,)]


def test_cavalry_reacts_to_the_charge_at_it_alone() -> None:
    charge = load(FOUR, [f"charges.4.target={HORSE}", "charges.4.response=react", "charges.4.through=front"])
    book = rulebook(charge.ruleset, charge.switches)
    given = orders.orders(charge, [tuple(Variant.of(one, "react") for one in charge.attacks)], book)
    assert [one.reactors for one in given.charges] == [(8,)] * 3 + [(5, 8)]
    assert [one.responses[5] for one in given.charges] == [(0,)] * 3 + [(RESPONSE_CODES["react"],)]


@pytest.mark.parametrize("text", [CHARGE, FULL], ids=["short", "full"])
def test_a_list_of_one_charge_is_the_short_form(text: str) -> None:
    data = yaml.safe_load(text)
    own = {name: data.pop(name) for name in [*data] if name in ONE_OF_SEVERAL.fields}
    one, two = load(text), load(yaml.safe_dump(data | {"charges": [own]}, allow_unicode=True))
    assert one == two
    assert [unit.id for unit in two.units] == [unit.id for unit in one.units]
    assert sim.odds(two.document.data, "stand", method="mc", runs=50)["stand"].tally.events == (
        sim.odds(one.document.data, "stand", method="mc", runs=50)["stand"].tally.events
    )


def test_the_fields_of_a_list_are_those_of_the_short_form() -> None:
    own = {"at", "hexes", "from"}
    assert set(FIELDS.fields) == (set(ONE_OF_SEVERAL.fields) - own) | set(SEVERAL.fields)
    assert not set(ONE_OF_SEVERAL.fields) & set(SEVERAL.fields)


def test_a_file_of_several_charges_is_a_charge_file() -> None:
    assert kind_of({"charges": []}) == "charge"
    assert kind_of({"charges": [], "nations": {}}) == "charge"


# -- what is wrong ------------------------------------------------------------------------------------

FAULTS = {
    "nation": ("charges.2.charger.nation=French3", "'charges.2.charger.nation' must be a nation of prusse-1806"),
    "unknown field": ("charges.1.distanse=3", "'charges.1.distanse' is not a known field. Did you mean 'distance'?"),
    "field in a target": ("charges.4.target.moral=26", "'charges.4.target.moral' is not a known field. Did you mean"),
    "path and distance": ("charges.3.charger.formation=lines", "'charges.3.charger.formation' must be"),
    "first step": ("charges.3.path=[1, 0]", "'charges.3.path[0]' must be 0: a charge first enters a hex straight"),
    "beside": ("distance=4", "'distance' must not stand beside 'charges', each of which has its own: 'charges.1.distance'"),
    "place of the first": ("charges.1.at=rear", "'charges.1.at' must not be given: all places are told from the first"),
    "hexes of the first": ("charges.1.hexes=2", "'charges.1.hexes' must not be given: all places are told from the first"),
    "place of a shared target": ("charges.2.at=rear", "'charges.2.at' must not be given where 'target' names units told"),
    "facing of a shared target": ("charges.2.through=rear", "'charges.2.through' must not be given where 'target' names"),
    "two targets in a hex": ("charges.4={charger: {nation: French, type: Hussar, movement: 14, increments: 5, melee: 18, "
        "morale: 24}, target: {nation: Prussian, type: Musketeer, increments: 7, fire: 5, melee: 16, "
        "morale: 31}}", "must have the field 'at'"),
    "own number": ("charges.2.target=2", "'charges.2.target' must be the number of an earlier charge, 1 to 1, got 2"),
    "a number too high": ("charges.2.target=99", "'charges.2.target' must be the number of an earlier charge, 1 to 1, got 99"),
    "no number of a charge": ("charges.2.target=0", "'charges.2.target' must be the number of an earlier charge, 1 to 1, got 0"),
    "a number below": ("charges.2.target=-1", "'charges.2.target' must be the number of an earlier charge, 1 to 1, got -1"),
    "first by number": ("charges.1.target=1", "'charges.1.target' must be a mapping in the first charge"),
    "no such unit": ("charges.3.target=Grenadier", "'charges.3.target' must name a unit of an earlier target or a neighbour, got 'Grenadier'. Did "
        "you mean 'Grenadiers'?"),
    "own side": ("charges.3.target=neighbour-2", "'charges.3.target' must be of the target's side, got 'neighbour-2' of the charger's"),
    "called alike": ("neighbours.1.name=I/30", "'charges.3.target' must name a unit of an earlier target"),
    "target of a wrong kind": ("charges.3.target=[1]", "'charges.3.target' must be a mapping or the number of an earlier charge, or the name of a "
        "unit, got a list of 1"),
    "one start": ("charges.2.distance=5", "'charges.2.distance' must lead from a hex of its own: charge 1 starts there"),
    "starts on a target": ("charges.2={charger: {nation: French, movement: 12, increments: 6, melee: 24, morale: 23}, "
        "target: 1, from: rear-left, distance: 2}", "'charges.2.distance' must not lead from the hex in which"),
    "neighbour on a start": ("neighbours.2={side: charger, nation: French, type: Ligne, increments: 6, fire: 8, melee: 15, "
        "morale: 25, at: front, hexes: 6}", "'neighbours[1].at' must leave the charger's starting hex of charge 2 free"),
    "neighbour on a target": ("neighbours.2={side: charger, nation: French, type: Ligne, increments: 6, fire: 8, melee: 15, "
        "morale: 25, at: front-right, hexes: 3}", "'neighbours[1].at' must be free: 4.target already stands 3 hexes off at front-right"),
    "through the target": ("charges.3.path=[0, 0, 3]", "'charges.3.path' must not lead through the target's hex, got [0, 0, 3]"),
    "charges twice": ("charges.2.charger.name=13e", "'charges.2.charger.name' must be another unit than 'charges.1.charger': a unit charges once a "
        "half, got '13e'"),
    "response": ("charges.4.response=react", "'charges.4.response' must be one that infantry has"),
    "response of a neighbour": ("charges.3.response=react", "'charges.3.response' must be one that infantry has"),
    "terrain": ("charges.4.ground=[{step: 1, terrain: wood}]", "'charges.4.ground[0].terrain' must be a terrain of"),
    "closed target": ("charges.4.target.terrain=woods", "'charges.4.target.terrain' must be open to charges"),
    "plan": ("charges.1.plan.square=second", "'charges.1.plan.square' second needs plan.second"),
    "second": ("charges.4.plan.second=7", "'charges.4.plan.second' must be a neighbour's name or number, got 7"),
    "state": ("charges.2.charger.readiness=tired", "'charges.2.charger.readiness' must be fresh"),
    "stack": ("charges.2.charger.stack=[{nation: French, type: Dragoon, movement: 12, increments: 4, melee: "
        "14, morale: 24}]", "'charges.2.charger.leader' must have a cavalry bonus"),
    "no charge": ("charges=[]", "'charges' must be a list of 1 to 12 values, got a list of 0"),
    "no list": ("charges=3", "'charges' must be a list of 1 to 12 values, got 3"),
    "no mapping": ("charges.2=3", "'charges.2' must be a mapping with"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "says"), FAULTS.values(), ids=FAULTS)
def test_a_fault_names_its_charge_counted_from_1(change: str, says: str) -> None:
    told = faults(FOUR, [change])
    assert any(says in one for one in told), told
    assert all(one.startswith((f"--set {change}: ", "four.yaml:")) for one in told)


def test_a_fault_of_the_file_has_line_and_column() -> None:
    (told,) = faults(FOUR.replace("name: 22e, nation: French", "name: 22e, nation: Prussia"))
    line = next(n for n, text in enumerate(FOUR.splitlines(), 1) if "22e" in text)
    column = FOUR.splitlines()[line - 1].replace("French", "Prussia").index("Prussia") + 1
    assert told.startswith(
        f"four.yaml:{line}:{column}: 'charges.2.charger.nation' must be a nation of prusse-1806"
    )


def test_a_missing_field_is_told_of_its_charge() -> None:
    (told,) = faults(FOUR.replace("    target: 1\n", ""))
    assert ": 'charges.2' must have the field 'target' (a mapping or the number of" in told


def test_distance_and_path_of_one_charge_do_not_meet_those_of_another() -> None:
    assert not faults(FOUR, ["charges.1.path=[0, 0, 0]", "charges.2.distance=7"])
    (told,) = faults(FOUR.replace("    target: 1\n", "    target: 1\n    path: [0, 0]\n"))
    assert "'charges.2.distance' must not stand beside 'path'" in told


def test_ground_is_told_once_over_all_charges() -> None:
    ground = "charges.{}.ground=[{{step: {}, terrain: woods}}]"
    told = faults(FOUR, [ground.format(1, 2), ground.format(2, 3)])
    assert len(told) == 1
    assert "'charges.2.ground[0]' must tell of another hex than 'charges.1.ground[0]'" in told[0]
    assert not faults(FOUR, [ground.format(1, 2), ground.format(2, 4)])


def test_one_hexside_is_crossed_alike() -> None:
    assert not faults(FOUR, ["charges.1.crosses=stream"])
    assert not faults(FOUR, ["charges.1.crosses=stream", "charges.2.crosses=stream"])
    (told,) = faults(FOUR, ["charges.1.crosses=stream", "charges.2.crosses=slope"])
    assert "'charges.2.crosses' must be stream, as 'charges.1' says of the same hexside, got 'slope'" in told
    assert not faults(FOUR, ["charges.1.crosses=stream", "charges.2.crosses=slope", "charges.2.from=rear"])


def test_chargers_of_two_sides_and_targets_of_their_own_look_like_slips() -> None:
    document = scenarios.changed(documents.parse(FOUR, "four.yaml"), "charges.2.charger.nation=Prussian")
    _, problems = scenarios.check(document)
    assert [one.partition(": ")[2] for one in problems.warnings] == [
        "'charges.2.target' is of the charger's own side, Coalition, got 'Prussian'",
        "'charges.2.charger.nation' is not of the first charge's side, Imperial, got 'Prussian'",
    ]


SHAPES = [key for key in keys_of(yaml.safe_load(FOUR)) if key]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(SHAPES),
    st.sampled_from([*JUNK, 2, "Grenadiers", "rear", "flank", {"target": 1}]),
    st.sampled_from(["replace", "remove", "add"]),
    st.sampled_from(["at", "hexes", "from", "target", "charges", "distance", "path", "name"]),
)
def test_whatever_stands_in_a_list_of_charges_is_told_in_single_lines(
    key: documents.Key, junk: Any, how: str, name: str
) -> None:
    data = yaml.safe_load(FOUR)
    here = data
    for part in key[:-1]:
        here = here[part]
    if how == "remove":
        del here[key[-1]]
    elif how == "add" and isinstance(here, dict):
        here[name] = junk
    else:
        here[key[-1]] = junk
    charge, problems = scenarios.check(documents.Document("four.yaml", data))
    assert (charge is None) == bool(problems.errors)
    assert all("\n" not in line and line.startswith("four.yaml: ") for line in problems.errors)
    if charge is not None:
        book = rulebook(charge.ruleset, charge.switches)
        given = orders.orders(charge, [tuple(Variant.of(one, "stand") for one in charge.attacks)], book)
        assert len(given.charges) == len(charge.attacks)
        assert len(placing.facings(charge, book)) == len(charge.places) == len(charge.units)


# -- options ------------------------------------------------------------------------------------------


def test_options_count_charges_from_1() -> None:
    changed = load(
        FOUR, ["charges.2.charger.morale=31", "charges.3.path=[0, 0]", "charges.1.plan.square=break-off"]
    )
    assert [one.charger[0].morale for one in changed.attacks] == [22, 31, 24, 23]
    assert changed.attacks[2].path == (0, 0)
    assert changed.attacks[0].plan["square"] == "break off"
    assert load(FOUR, ["charges[1].charger.morale=31"]).attacks[1].charger[0].morale == 31
    assert load(FOUR, ["neighbours.1.morale=33"]).neighbours[0].morale == 33


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("charges.5.distance=3", "there is no field 'charges.5.distance' in four.yaml"),
        (
            "charges.0.distance=3",
            "'charges.0.distance' must count from 1 behind a full stop: .1 is the first",
        ),
        ("charges.01.distance=3", "there is no field 'charges.01.distance' in four.yaml"),
    ],
)
def test_a_charge_that_is_not_there_is_told(change: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        load(FOUR, [change])
    assert says in str(caught.value)


def test_an_option_takes_the_place_of_the_other_way_to_say_it() -> None:
    changed = load(FOUR, ["charges.3.distance=4"])
    assert [one.path for one in changed.attacks[1:3]] == [(0,) * 5, (0,) * 3]
    with pytest.raises(
        InputError, match=r"'charges\.3\.distance' is set by --set charges\.3\.distance=4 already"
    ):
        load(FOUR, ["charges.3.distance=4", "charges.3.path=[0, 0]"])


def test_increments_vary_as_losses_in_a_list_too() -> None:
    (charger,) = load(FOUR, ["charges.2.charger.increments=4"]).attacks[1].charger
    assert (charger.increments, charger.printed) == (4, 6)


def test_a_sweep_reaches_into_the_list() -> None:
    axis = parse_axis("charges.2.charger.morale=25..32")
    assert axis.values == (25, 26, 31, 32)
    assert documents.parse_key(axis.field) == ("charges", 1, "charger", "morale")


@pytest.mark.parametrize("key", SHAPES, ids=documents.dotted)
def test_every_key_is_read_as_it_is_shown(key: documents.Key) -> None:
    assert documents.parse_key(documents.dotted(key)) == key


def test_a_plan_is_changed_by_the_number_of_its_charge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "four.yaml"
    path.write_text(FOUR, encoding="utf-8")
    for options, says in [
        (["--plan", "square=press"], "--plan square=press must say of which charge, such as 1.square"),
        (
            ["--plan", "2.square=pres"],
            "--plan 2.square=pres: 'charges.2.plan.square' must be press, break off",
        ),
        (["--plan", "0.square=press"], "a charge is named by its number, 1 the first, got '0'"),
        (["--plan", "x.square=press"], "a charge is named by its number, 1 the first, got 'x'"),
        (["--plan", "9.square=press"], f"there is no field 'charges.9.plan.square' in {path}"),
    ]:
        assert main(["odds", str(path), *options]) == 2
        assert says in capsys.readouterr().err
    assert main(["odds", "--plan", "1.square=press"]) == 2
    assert "there is no field 'charges.1.plan.square' in the default charge" in capsys.readouterr().err


def test_lint_reads_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "four.yaml"
    path.write_text(FOUR, encoding="utf-8")
    assert main(["lint", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: charge, 0 errors, 0 warnings\n"
    path.write_text(FOUR.replace("target: 1", "target: 2"), encoding="utf-8")
    assert main(["lint", str(path)]) == 2
    assert "'charges.2.target' must be the number of an earlier charge" in capsys.readouterr().out


# -- the JSON Schema, and the template ----------------------------------------------------------------


@pytest.fixture
def validator(capsys: pytest.CaptureFixture[str]) -> Any:
    assert main(["schema", "charge"]) == 0
    return jsonschema.Draft202012Validator(json.loads(capsys.readouterr().out))


def test_the_schema_knows_both_forms(validator: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(validator.schema)
    assert validator.is_valid(yaml.safe_load(FOUR))
    assert validator.is_valid(yaml.safe_load(CHARGE))
    assert not validator.is_valid(yaml.safe_load(FOUR) | yaml.safe_load(CHARGE))
    assert not validator.is_valid(yaml.safe_load(FOUR) | {"distance": 3})
    assert not validator.is_valid({"ruleset": "prusse-1806"})
    assert not validator.is_valid({"charges": [{"charger": yaml.safe_load(CHARGE)["charger"]}]})


def test_the_lines_of_the_template_about_several_charges_are_right() -> None:
    text = (Path(scenarios.__file__).parents[1] / "data/templates/charge.yaml").read_text(encoding="utf-8")
    part = re.sub(r"^( *)#(?=[- a-z])", r"\1 ", text[text.index("#charges:") :], flags=re.MULTILINE)
    charge = load(part)
    assert [one.target[0].id for one in charge.attacks] == ["1.target", "1.target", "3.target"]


def test_a_fault_of_a_shared_target_is_noted_once() -> None:
    (told,) = faults(FOUR.replace("nation: Prussian", "nation: Prussia", 1))
    assert "'charges.1.target.nation' must be a nation of" in told
