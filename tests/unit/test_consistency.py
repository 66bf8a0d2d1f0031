"""The rule-set checker: shipped files pass, every kind of mistake is told with its place, nothing raises."""

from __future__ import annotations

import copy
import datetime
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim import vocabulary
from sim.battle import setup
from sim.cli import templates
from sim.ensemble import ladder
from sim.errors import InputError
from sim.inputs import documents
from sim.inputs.documents import Document, Key
from sim.inputs.fields import Problems
from sim.inputs.plain import Written
from sim.rulesets import catalogue, chain, consistency, shipped
from sim.rulesets.attributes import PREFIXES, TABLES, Vocabulary
from sim.rulesets.fields import ruleset
from sim.rulesets.rulebook import Rulebook
from sim.rulesets.schema import schema as schema_for_editors
from sim.studies.odds import variants_of
from sim.units import scenarios

SHIPPED = [*shipped.names(), shipped.BASE]
PRUSSE = chain.locate("prusse-1806").read_text(encoding="utf-8")
BASE = chain.locate("base").read_text(encoding="utf-8")


def problems_of(path: Path) -> Problems:
    return consistency.check(*chain.merge(path))


def replaced(text: str, old: str, new: str) -> tuple[str, int]:
    """Text with its first `old` replaced, and the line it stood on."""
    assert old in text, f"the rule set no longer says {old!r}"
    return text.replace(old, new, 1), text[: text.index(old)].count("\n") + 1


@pytest.fixture
def variant(tmp_path: Path) -> Callable[[str], Problems]:
    """Problems of a user's file that extends prusse-1806 (its own text begins on line 2)."""

    def write(text: str) -> Problems:
        path = tmp_path / "mine.yaml"
        path.write_text("extends: prusse-1806\n" + text, encoding="utf-8")
        return problems_of(path)

    return write


# -- what is right ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_rule_set_passes_without_a_warning(name: str) -> None:
    problems = problems_of(chain.locate(name))
    assert problems.errors == []
    assert problems.warnings == []


def test_a_variant_that_changes_nothing_passes(variant: Callable[[str], Problems]) -> None:
    assert variant("").errors == []


@pytest.mark.parametrize(
    "text",
    [
        "set: {recall: pursue, night_range: 3}",
        "melee: {cells: [{column: '1:2', roll: 14, result: AD, source: '[HOUSE] ours'}, {column: "
        "'1:2', roll: 53, result: 0*/0}]}",
        "premelee: {columns: {'1:4': {attack: -12, defence: 12}}}",
        "matrix: {effects: {SQ-hold: {attacker: {any: {}}}}}",
        "melee: {below: {lender: halle-1806}}",
        "stand: {source: '[HOUSE] ours', modifiers: [{key: a, label: b, value: 35}]}",
        "stand: {modifiers: [{key: a, label: b, value: -35, when: {switch.trample not: [first]}, "
        "source: '[HOUSE] ours'}]}",
        "recall: {modifiers: [{key: a, label: b, values: {1: 1, 2: 2, 3: 3}, of: charger.level}]}",
        "carre: {source: '[HOUSE] ours', barred: [{label: levies, when: {target.type not: [Guard, "
        "Ligne], target.side: Coalition}}]}",
        "switches: {duel: {label: a duel, values: [true, false], default: false, source: '[HOUSE] ours'}}",
        "editions: {2022: {trample: recalled}}\nedition: 2022",
        "terrain: {marsh: {infantry: 4, cavalry: null, artillery: null, charge: false, blocks: "
        "false}}\nfire: {defence: {marsh: {column: 8}}}",
        "troops: {Italian: {Guide: {arm: cavalry, under_fire: {loss: rout}, source: '[HOUSE] ours'}}}",
        "troops: {Saxon: {Guide: {arm: cavalry, charges_not: [{label: guns, when: {target.arm: "
        "artillery}}], source: '[HOUSE] ours'}}}",
        "troops: {Italian: {Guard: {line: 7/2, square: 1.5, skirmish: null, losses: {first: 3, "
        "step: 3}, source: '[HOUSE] ours'}}}",
        "recall:\n  rows: [{name: all, nations: [French, Italian, Prussian, Saxon], class: heavy, needs: 6}]",
    ],
)
def test_what_a_designer_may_change(variant: Callable[[str], Problems], text: str) -> None:
    problems = variant(text)
    assert problems.errors == []
    assert problems.warnings == []


# -- mistakes in a copy of prusse-1806 ------------------------------------------------------------------

COPIED = [
    # charts of the carré
    (
        "2: {formed: 11-43, disordered: 44-61",
        "2: {formed: 11-43, disordered: 51-61",
        "'carre.rows[0].cells.2' must give every roll once; missing 44-46",
    ),
    (
        "2: {formed: 11-43, disordered: 44-61",
        "2: {formed: 11-43, disordered: 43-61",
        "'carre.rows[0].cells.2' must give every roll once; doubled 43",
    ),
    (
        "2: {formed: 11-43, disordered: 44-61, routed: 62-66}",
        "2: {formed: 11-43, disordered: 51-61, routed: 61-66}",
        "'carre.rows[0].cells.2' must give every roll once; missing 44-46, doubled 61",
    ),
    (
        "2: {formed: 11-43, disordered: 44-61, routed: 62-66}",
        "2: {formed: 24-66, disordered: 11-23}",
        "'carre.rows[0].cells.2' must give formed, then disordered, then routed as rolls rise, got "
        "disordered on 11-23 and formed on 24-66",
    ),
    (
        "2: {formed: 11-43",
        "2: {formd: 11-43",
        "'carre.rows[0].cells.2.formd' must be formed, disordered or routed, got 'formd'. Did you "
        "mean 'formed'?",
    ),
    (
        "2: {formed: 11-43",
        "2: {formed: 11-47",
        "'carre.rows[0].cells.2.formed' must be a range of rolls from low to high such as 11-43, or one roll",
    ),
    (
        "2: {formed: 11-43",
        "2: {formed: 43-11",
        "'carre.rows[0].cells.2.formed' must be a range of rolls from low to high such as 11-43, or one roll",
    ),
    (
        "formation: column, unit: hexes",
        "formation: colum, unit: hexes",
        "'carre.rows[0].formation' must be column, line or road march, got 'colum'.",
    ),
    (
        "formation: column, unit: hexes",
        "formation: column, unit: hex",
        "'carre.rows[0].unit' must be hexes or points, got 'hex'. Did you mean 'hexes'?",
    ),
    (
        "[French, Italian], formation",
        "[French, Itlian], formation",
        "'carre.rows[0].nations[1]' must be a nation of the rule set, got 'Itlian'. Did you",
    ),
    # conditions
    (
        "{target.leader: true}",
        "{target.leeder: true}",
        "'carre.modifiers[0].when.target.leeder' must be an attribute that carre.modifiers knows "
        "(target.*, charger.* or switch.*), "
        "got 'target.leeder'. Did you mean 'target.leader'?",
    ),
    (
        "{target.leader: true}",
        "{unit.leader: true}",
        "'carre.modifiers[0].when.unit.leader' must be an attribute that carre.modifiers knows",
    ),
    (
        "{target.leader: true}",
        "{target.leader: 1}",
        "'carre.modifiers[0].when.target.leader' must be true or false, got 1",
    ),
    (
        "{target.leader: true}",
        "{target.leader: []}",
        "'carre.modifiers[0].when.target.leader' must be true or false, or a list of one or more, got a",
    ),
    (
        "{target.leader: true}",
        "true",
        "'carre.modifiers[0].when' must be a mapping from attributes to values, got true",
    ),
    (
        "target.type: Légère",
        "target.type: Legere",
        "'carre.modifiers[1].when.target.type' must be a type in the troops or the recall chart of the rule",
    ),
    (
        "target.nation: French",
        "target.nation: Frensh",
        "'carre.modifiers[1].when.target.nation' must be a nation of the rule set, got 'Frensh'. Did you",
    ),
    (
        "charger.class: light",
        "charger.class: lite",
        "'carre.modifiers[7].when.charger.class' must be light, heavy or none, got 'lite'. Did you "
        "mean 'light'?",
    ),
    (
        "switch.light_lance",
        "switch.light_lanse",
        "'carre.modifiers[8].when.switch.light_lanse' must be an attribute that carre.modifiers knows",
    ),
    (
        "light_lance: cumulative",
        "light_lance: cumulate",
        "'carre.modifiers[8].when.switch.light_lance' must be cumulative or lance only, got 'cumulate'",
    ),
    (
        "{hexside: flank}",
        "{hexside: side}",
        "'stand.modifiers[0].when.hexside' must be front, flank or rear, got 'side'",
    ),
    (
        "target.formation: skirmish",
        "target.formation: skirmsh",
        "'stand.modifiers[2].when.target.formation' must be column, line, square, skirmish,",
    ),
    (
        "target.state: disordered",
        "target.state: disorder",
        "'stand.modifiers[4].when.target.state' must be good, disordered or routed, got 'disorder'",
    ),
    (
        "target.side: Imperial",
        "target.side: French",
        "'stand.modifiers[4].when.target.side' must be Imperial or Coalition, got 'French'",
    ),
    (
        "{crosses: stream}",
        "{crosses: streem}",
        "'stand.modifiers[11].when.crosses' must be none or a hexside of the rule set, got "
        "'streem'. Did you mean",
    ),
    (
        "{charger.recall_leader: true}",
        "{hexside: flank}",
        "'recall.modifiers[0].when.hexside' must be an attribute that recall.modifiers knows (charger.*",
    ),
    (
        "unit.arm: infantry",
        "unit.arm: infantery",
        "'morale.modifiers[3].when.unit.arm' must be infantry, cavalry or artillery, got "
        "'infantery'. Did you mean",
    ),
    (
        "check not: stand",
        "check not: stnd",
        "'morale.modifiers[4].when.check not' must be morale, stand or premelee, got 'stnd'. Did "
        "you mean 'stand'?",
    ),
    (
        "{unit.force_march: true, check: stand}",
        "{target.force_march: true}",
        "'morale.modifiers[6].when.target.force_march' must be an attribute that",
    ),
    # modifiers
    (
        "value: -6, when: {target.leader",
        "value: -36, when: {target.leader",
        "'carre.modifiers[0].value' must be an integer from -35 to 35, got -36",
    ),
    (
        "value: -6, when: {target.leader",
        "value: '-6', when: {target.leader",
        "'carre.modifiers[0].value' must be an integer from -35 to 35, got '-6'",
    ),
    (
        "value: -6, when: {target.leader",
        "when: {target.leader",
        "'carre.modifiers[0]' must have either 'value', or 'values' and 'of', got neither",
    ),
    (
        "values: {1: 3, 2: 6",
        "value: 3, values: {1: 3, 2: 6",
        "'carre.modifiers[10]' must have either 'value', or 'values' and 'of', got both",
    ),
    (
        "3: 9}, of: target.level",
        "3: 9}",
        "'carre.modifiers[10]' must have the field 'of' (target.level or charger.level), by which "
        "'values' go, but it is missing",
    ),
    (
        "values: {1: 3, 2: 6, 3: 9}, of",
        "value: 3, of",
        "'carre.modifiers[10].of' must stand beside 'values', got 'value'",
    ),
    (
        "of: target.level",
        "of: target.leader",
        "'carre.modifiers[10].of' must be target.level or charger.level, got 'target.leader'. Did "
        "you mean 'target.level'?",
    ),
    (
        "values: {1: 3, 2: 6, 3: 9}",
        "values: {1: 3, 2: 6, 4: 9}",
        "'carre.modifiers[10].values.4' must be an integer from 0 to 3 (a morale level), got 4",
    ),
    (
        "{key: leader, label",
        "{keys: x, key: leader, label",
        "'carre.modifiers[0].keys' is not a known field. Did you mean 'key'?",
    ),
    # recall, troops, terrain, levels, header
    (
        "needs: 3",
        "needs: 8",
        "'recall.rows[0].needs' must be an integer from 1 to 7 (one die, this or more), got 8",
    ),
    (
        "[Saxon], class: heavy",
        "[Saxon], class: heavi",
        "'recall.rows[5].class' must be light or heavy, got 'heavi'. Did you mean 'heavy'?",
    ),
    (
        "line: 3, square: 3",
        "line: 1/0, square: 3",
        "'troops.French.Ligne.line' must be null or a number from 0 to 20, such as 2, 1.5 or 3/2, got '1/0'",
    ),
    (
        "line: 3, square: 3",
        "line: 1e99999999, square: 3",
        "'troops.French.Ligne.line' must be null or a number from 0 to 20, such as 2, 1.5 or 3/2",
    ),
    (
        "line: 3, square: 3",
        "square: 3",
        "'troops.French.Ligne' must have the field 'line' (null or a number from 0 to 20, such as "
        "2, 1.5 or 3/2), but it is",
    ),
    (
        "losses: {first: 2",
        "losses: {first: 0",
        "'troops.French.Ligne.losses.first' must be an integer from 1 to 36, got 0",
    ),
    (
        "swamp: {infantry: 4, cavalry",
        "swamp: {infantry: 0, cavalry",
        "'terrain.swamp.infantry' must be null or an integer from 1 to 30, got 0",
    ),
    ("blocks: true}", "blocks: 1}", "'terrain.hamlet.blocks' must be true or false, got 1"),
    (
        "ford: {infantry: 0",
        "ford: {infantry: -1",
        "'hexsides.ford.infantry' must be null or an integer from 0 to 30, got -1",
    ),
    (
        "hamlet: {general order",
        "hamelt: {general order",
        "'fire.defence.hamelt' must be a terrain of the rule set, got 'hamelt'. Did you mean 'hamlet'?",
    ),
    (
        "woods: {general order: 10",
        "woods: {general ordr: 10",
        "'fire.defence.woods.general ordr' is not a known field. Did you mean 'general order'?",
    ),
    (
        "[5, 10, 14]",
        "[5, 10, 10]",
        "'levels.French I Corps[2]' must be above 10, the number for level 2, got 10",
    ),
    (
        "[5, 10, 14]",
        "[0, 10, 14]",
        "'levels.French I Corps[0]' must be an integer from 1 to 999 (battalions), got 0",
    ),
    ("[5, 10, 14]", "[5, 10]", "'levels.French I Corps' must be a list of 3 values"),
    (
        "Italian: Imperial",
        "Italian: Imperal",
        "'nations.Italian' must be Imperial or Coalition, got 'Imperal'. Did you mean 'Imperial'?",
    ),
    (
        "edition: 2017",
        "edition: 2020",
        "'edition' must be 2014, 2015, 2016, 2017, 2018, 2019, 2021 or 2022, got 2020",
    ),
    ("year: 1806", "year: '1806'", "'year' must be an integer from 1700 to 1900, got '1806'"),
    (
        "year: 1806",
        "year: 1806-10-14",
        "'year' must be an integer from 1700 to 1900, got 1806-10-14",
    ),
    (
        "version: 2",
        "version: 0x" + "f" * 5000,
        "'version' must be an integer from 1 to 9999, got 0xffff",
    ),
    # sources
    (
        'source: "[PRINT] P17 special p5"',
        "source: P17 special p5",
        "'carre.rows[0].source' must be a source that begins with [PRINT], [CHART], [DIGEST],",
    ),
    (
        'source: "[PRINT] P17 special p5"',
        "source: '[PRNT] p5'",
        "[DEDUCED] or [RECOMMENDED], got '[PRNT] p5'. Did you mean 'PRINT'?",
    ),
    (
        ', source: "[PRINT] P17 special p5; Coalition [AID]"',
        "",
        "'carre.modifiers[0]' must have the field 'source', or 'carre' must, such as \"[HOUSE] our "
        'club", but it is missing',
    ),
    (
        ', source: "[AID] D11; number [PRINT] LZ fb154"',
        "",
        "'stand.modifiers[0]' must have the field 'source', or 'stand' must",
    ),
    (
        ', source: "[AID] 0-decisions 6, losses [CHART] PR17 SR p5", lender: halle-1806',
        "",
        "'troops.French.Ligne' must have the field 'source', or 'troops' must",
    ),
]


@pytest.mark.parametrize(("old", "new", "expected"), COPIED)
def test_a_mistake_is_told_once_with_file_line_and_field(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    text, line = replaced(PRUSSE, old, new)
    path = tmp_path / "copy.yaml"
    path.write_text(text, encoding="utf-8")
    errors = problems_of(path).errors
    assert len(errors) == 1
    assert errors[0].startswith(f"{path}:{line}:")
    assert expected in errors[0]


DOUBTFUL = [
    (
        "3: {formed: 11-66}, 2: {formed: 11-43",
        "3: {formed: 11-42, disordered: 43-66}, 2: {formed: 11-43",
        "'carre.rows[0].cells.2' should not form on more rolls than at 3, got 21 rolls against 20",
    ),
    (
        "target.type: Légère",
        "target.type: Fusilier",
        "'carre.modifiers[1].when.target.type' should be a type of French troops, got 'Fusilier'",
    ),
    (
        "values: {1: 3, 2: 6, 3: 9}",
        "values: {1: 3, 2: 6}",
        "'carre.modifiers[10].values' should have the levels 1, 2 and 3; missing 3, which count 0",
    ),
    (
        "values: {1: 3, 2: 6, 3: 9}",
        "values: {1: 3, 2: 2, 3: 9}",
        "'carre.modifiers[10].values' should grow in size with the level, got 3, 2, 9",
    ),
    (
        "values: {1: 3, 2: 6, 3: 9}",
        "values: {1: 3, 2: -6, 3: 9}",
        "'carre.modifiers[10].values' should grow in size with the level, got 3, -6, 9",
    ),
    ("needs: 3", "needs: 7", "'recall.rows[0].needs' should be from 2 to 6, got 7, which recalls never"),
    ("needs: 3", "needs: 1", "'recall.rows[0].needs' should be from 2 to 6, got 1, which recalls always"),
    (
        "replaces: disordered",
        "replaces: disorderd",
        "'stand.modifiers[5].replaces' should be the key of a morale modifier, got 'disorderd'. Did you mean",
    ),
    (
        "{key: square coalition, label: in square (Coalition), value: 6, when: {target.formation: "
        "square, target.side: Coalition}",
        "{key: square, label: in square (Coalition), value: 6, when: {target.formation: square, "
        "target.side: Imperial}",
        "'stand.modifiers[9]' should differ in key or conditions from 'stand.modifiers[8]', or both count",
    ),
    (
        "lender: austerlitz-1805",
        "lender: austerlitz",
        "'troops.French.Guard.lender' should be the name of a rule set, got 'austerlitz'. Did you mean",
    ),
]


@pytest.mark.parametrize(("old", "new", "expected"), DOUBTFUL)
def test_what_looks_like_a_slip_is_a_warning(tmp_path: Path, old: str, new: str, expected: str) -> None:
    text, line = replaced(PRUSSE, old, new)
    path = tmp_path / "copy.yaml"
    path.write_text(text, encoding="utf-8")
    problems = problems_of(path)
    assert problems.errors == []
    assert len(problems.warnings) == 1
    assert problems.warnings[0].startswith(f"{path}:{line}:")
    assert expected in problems.warnings[0]


# -- mistakes in a variant ------------------------------------------------------------------------------

LINES = "line: {faces: corner, zones: [front, flank, rear]}"
VARIED = [
    # structure
    ("crre: {}", ["2:7: 'crre' is not a known field. Did you mean 'carre'?"]),
    (
        "carre: null",
        ["2:8: 'carre' must be a mapping with rows, barred, modifiers, source or lender, got null"],
    ),
    ("carre: {rows: 3}", ["2:15: 'carre.rows' must be a list of 0 to 100 values, got 3"]),
    (
        "carre: {rows: [x]}",
        [
            "2:16: 'carre.rows[0]' must be a mapping with name, nations, formation, unit, cells, "
            "source or lender, got 'x'"
        ],
    ),
    ("title: 1806", ["2:8: 'title' must be text of at most 200 characters, got 1806"]),
    ("title: a\ntitle: b", ["3:1: 'title' is given twice"]),
    ("partial: maybe", ["2:10: 'partial' must be true or false, got 'maybe'"]),
    (
        "ruleset: base",
        [
            "2:10: 'ruleset' must be a battle with nations and charts of its own (what is only to "
            "be extended says partial: true), got 'base'"
        ],
    ),
    # carré
    (
        "carre: {rows: [&a {name: x, nations: [French, French], formation: line, unit: hexes, "
        "source: '[HOUSE] x', cells: &c {1: {formed: 11-66}, "
        "2: {formed: 11-66}, 3: {formed: 11-66}, 4: {formed: 11-66}}}, {name: Italian, nations: "
        "[French], formation: line, unit: hexes, "
        "source: '[HOUSE] x', cells: *c}, {name: y, nations: [Italian], formation: line, unit: "
        "hexes, source: '[HOUSE] x', cells: *c}]}",
        [
            "'carre.rows[1]' must be the only row of French in line, but 'carre.rows[0]' is one too",
            "'carre.rows[2]' must be the only row of Italian in line, but 'carre.rows[1]' is one too",
        ],
    ),
    (
        "carre: {rows: [{name: x, nations: [French], formation: line, unit: hexes, source: "
        "'[HOUSE] x', cells: {1: {}, 2: {formed: 11-66}, 5: {}}}]}",
        [
            "'carre.rows[0].cells.1' must give every roll once; missing 11-66",
            "'carre.rows[0].cells.5' must be a number from 1 to 4, without quotes, got 5",
            "'carre.rows[0].cells' must have every number from 1 to 4; missing 3, 4",
        ],
    ),
    (
        "carre: {barred: [{label: x, source: '[HOUSE] x'}]}",
        ["'carre.barred[0]' must have the field 'when' (a mapping from attributes to values), but it"],
    ),
    (
        "carre: {barred: [{label: x, when: {charger.class: light}}]}",
        [
            "'carre.barred[0].when.charger.class' must be an attribute that carre.barred knows "
            "(target.* or switch.*), got 'charger.class'",
            "'carre.barred[0]' must have the field 'source', or 'carre' must",
        ],
    ),
    # recall, charge, leaders, troops
    (
        "recall: {rows: [{name: A, nations: [French], needs: 2}, {name: a, nations: [Saxon], needs: 2}]}",
        ["2:64: 'recall.rows[1].name' must be a name of its own, but 'recall.rows[0]' has it too"],
    ),
    (
        "recall: {rows: [{name: A, nations: [], needs: 2}]}",
        ["'recall.rows[0].nations' must be a list of 1 to 100 values"],
    ),
    (
        "charge: {check_nations: [Bavarian]}",
        [
            "'charge.check_nations[0]' must be a nation of the rule set, got 'Bavarian'. Known: "
            "French, Italian, Prussian"
        ],
    ),
    ("charge: {trample_points: 0}", ["'charge.trample_points' must be an integer from 1 to 30, got 0"]),
    (
        "leaders: {die: {1: dead}}",
        ["'leaders.die.1' must be killed, wounded, captured or flesh wound, got 'dead'"],
    ),
    (
        "leaders: {melee: {attacker: 11-64}}",
        [
            "'leaders.melee.defender' must not share rolls with 'attacker', got 64 in both "
            "(inherited from prusse-1806)"
        ],
    ),
    (
        "leaders: {fire: {roll_again: [1, 2, 3, 4, 5, 6]}}",
        ["'leaders.fire.roll_again' must be a list of 0 to 5 values"],
    ),
    (
        "leaders: {fire: {natural: 60-66}}",
        [
            "'leaders.fire.natural' must be a range of rolls from low to high such as 11-43, or "
            "one roll such as 66, got '60-66'"
        ],
    ),
    (
        "troops: {Frensh: {}}",
        ["2:18: 'troops.Frensh' must be a nation of the rule set, got 'Frensh'. Did you mean 'French'?"],
    ),
    (
        "troops: {Saxon: {Guide: {arm: cavalry, line: 3, source: '[HOUSE] x'}}}",
        [
            "2:46: 'troops.Saxon.Guide.line' is not a known field. Known fields: charges_not, "
            "under_fire, source, lender."
        ],
    ),
    (
        "troops: {Saxon: {Guide: {arm: cavalery, source: '[HOUSE] x'}}}",
        ["'troops.Saxon.Guide.arm' must be infantry or cavalry, got 'cavalery'. Did"],
    ),
    (
        "troops: {Saxon: {Guide: {arm: cavalry, under_fire: {loss: route}, source: '[HOUSE] x'}}}",
        ["'troops.Saxon.Guide.under_fire.loss' must be rout, got 'route'. Did you mean 'rout'?"],
    ),
    (
        "troops: {Saxon: {Guide: {arm: cavalry, charges_not: [{label: a, when: {charger.lance: "
        "true}}], source: '[HOUSE] x'}}}",
        [
            "'troops.Saxon.Guide.charges_not[0].when.charger.lance' must be an attribute that "
            "troops.charges_not knows (target.*, hexside or switch.*)"
        ],
    ),
    # ground
    ("terrain: {sorce: '[HOUSE] x'}", ["2:18: 'terrain.sorce' is not a known field. Did you mean 'source'?"]),
    (
        "terrain: {lake: 3}",
        [
            "2:17: 'terrain.lake' must be a mapping with infantry, cavalry, artillery, charge, "
            "formations, blocks, road_march, source or lender, got 3"
        ],
    ),
    (
        "orientation: {infantry colum: {}}",
        ["'orientation.infantry colum' is not a known field. Did you mean 'infantry column'?"],
    ),
    (
        "orientation: {infantry line: {faces: side}}",
        [
            "'orientation.infantry line.zones' must be a list of 4 values for a formation that "
            "faces a side, got 3"
        ],
    ),
    (
        "orientation: {infantry " + LINES.replace("flank", "flnk") + "}",
        ["'orientation.infantry line.zones[1]' must be front, flank or rear, got 'flnk'. Did"],
    ),
    # fire
    (
        "fire: {table: {1:4: {0: 11-66}}}",
        ["2:16: the name 1:4 must be in quotes, '1:4', or written 64, since YAML reads it as something else"],
    ),
    (
        "fire: {table: {'0:1': {0: 11-66}}}",
        ["'fire.table.0:1' must be odds, in quotes, such as \"1:2\" or \"1.5:1\", got '0:1'"],
    ),
    (
        "fire: {table: {'12:1': {1: 11-65, 0: '66'}}}",
        ["'fire.table.12:1' must not lose less on a higher roll, got 1 on 11-65 and 0 on 66"],
    ),
    (
        "fire: {table: {'12:1': {2: 11-65, 30: '66'}}}",
        ["'fire.table.12:1.30' must be an integer from 0 to 20 (increments lost), got 30"],
    ),
    ("fire: {table: {'12:1': {4: 11-61}}}", ["'fire.table.12:1' must give every roll once; missing 62-66"]),
    (
        "fire: {table: {'1:1': {0: 11-56, 1: 56-66}}}",
        ["2:23: 'fire.table.1:1' must give every roll once; doubled 56"],
    ),
    (
        "fire: {table: {'2.0:1': {1: 11-66}}}",
        ["'fire.table.2.0:1' must come in rising order of odds, got '2.0:1' after '2:1'"],
    ),
    (
        "fire: {defence: {by_nation: [{nations: [Dutch], terrain: wood}]}}",
        ["'fire.defence.by_nation[0].nations[0]'", "got 'wood'. Did you mean 'woods'?"],
    ),
    ("fire: {square_divisor: 0}", ["'fire.square_divisor' must be an integer from 1 to 12, got 0"]),
    # pre-melee
    (
        "premelee: {columns: {'2:4': {attack: -6, defence: 6}, '1-2': {attack: 0, defence: 0}}}",
        [
            "'premelee.columns.1-2' must be odds, in quotes",
            "'premelee.columns.2:4' must have odds of its own, but '1:2' has them too",
        ],
    ),
    (
        "premelee: {columns: {'6:1': {attack: 9}}}",
        [
            "'premelee.columns.6:1' must have the field 'defence' (an integer from -35 to 35), but "
            "it is missing"
        ],
    ),
    (
        "premelee: {modifiers: [{key: a, label: b, value: 3}]}",
        [
            "'premelee.modifiers[0].value' is not a known field. Known fields: key, label, when, "
            "source, lender, replaces, attack, defence, per,",
            "'premelee.modifiers[0]' must have the field 'attack' (an integer from -35 to 35), but "
            "it is missing",
            "'premelee.modifiers[0]' must have the field 'defence' (an integer from -35 to 35), "
            "but it is missing",
        ],
    ),
    (
        "premelee: {elite: {15-16: -6, 16-21: -3, wrong: -9}}",
        [
            "'premelee.elite.wrong' must be a range of rolls from low to high",
            "'premelee.elite.16-21' must not share rolls with '15-16', got 16 in both",
        ],
    ),
    (
        "fire: {guns: {bands: {0: 1, 3: 10}}, combine: {never: [Dutch]}}",
        [
            "'fire.guns.bands.3' must be a number from 0 to 1",
            "'fire.guns.bands.0' is not one of the numbers of hexes from 1 to 99",
            "'fire.combine.never[0]' must be a nation of the rule set, got 'Dutch'",
        ],
    ),
    ("fire: {sources: many}", ["2:17: 'fire.sources' must be a mapping"]),
    (
        "premelee: {modifiers: [{key: a, label: b, values: {1: 3}, source: '[HOUSE] x'}]}",
        ["'premelee.modifiers[0].values' is not a known field."],
    ),
    # melee
    (
        "melee: {columns: ['1:2', '1:1']}",
        [
            "2:18: 'melee.columns' must be a list of 10 odds, one for each result in a row of "
            "'melee.table', got 2"
        ],
    ),
    (
        "melee: {columns: [1:2, '1:1', '1.5:1', '2:1', '2.5:1', '3:1', '3.5:1', '4:1', '5:1', '4.5:1']}",
        [
            "2:19: 'melee.columns[0]' must be odds, in quotes",
            "'melee.columns[9]' must come in rising order of odds, got '4.5:1' after '5:1'",
        ],
    ),
    (
        "melee: {columns: ['1:2', '1:1', '1:1', '2:1', '2.5:1', '3:1', '3.5:1', '4:1', '4.5:1', '5:1']}",
        ["2:33: 'melee.columns[2]' must come in"],
    ),
    (
        "melee: {table: {11: [AR, AD]}}",
        ["2:21: 'melee.table.11' must be a list of 10 results, one for each column, got 2"],
    ),
    (
        "melee: {table: {17: []}}",
        ["2:21: 'melee.table.17' must be one of the 36 rolls 11..16, 21..26, ..., 61..66, got 17"],
    ),
    (
        "melee: {cells: [{column: '1:3', roll: 41, result: DD}]}",
        ["2:26: 'melee.cells[0].column' must be a column of the melee table, got '1:3'"],
    ),
    (
        "melee: {cells: [{column: '1:2', roll: 47, result: DD}]}",
        ["2:39: 'melee.cells[0].roll' must be one of the 36 rolls"],
    ),
    (
        "melee: {cells: [{column: '1:2', roll: 11, result: ar}]}",
        ["'melee.cells[0].result' must be AR, AD, ., DD, DR, DS, or losses", "got 'ar'. Did you mean 'AR'?"],
    ),
    (
        "melee: {cells: [{column: '1:2', roll: 11, result: 1/10}]}",
        ["'melee.cells[0].result' must be AR, AD, ., DD, DR, DS, or losses such as 1/2"],
    ),
    (
        "melee: {cells: [&a {column: '1:2', roll: 11, result: AR}, *a]}",
        ["'melee.cells[1]' must be told once, but 'melee.cells[0]' has column '1:2' and roll 11 too"],
    ),
    (
        "melee: {multipliers: [{key: a, label: b, side: atack, value: 2}]}",
        ["'melee.multipliers[0].side' must be attack, defence or both, got 'atack'. Did"],
    ),
    (
        "melee: {multipliers: [{key: a, label: b, side: both, value: 1/2, when: {target.arm: cavalry}}]}",
        ["'melee.multipliers[0].when.target.arm' must be an"],
    ),
    # matrix
    (
        "matrix: {columns: [AR, AD, DD, blank, DR]}",
        ["'matrix.columns[2]' must be blank, got 'DD'", "'matrix.columns[3]' must be DD, got 'blank'"],
    ),
    (
        "matrix: {rows: {square: [S, S, SQ-hld, S, S]}}",
        ["'matrix.rows.square[2]' must be an effect of the matrix, got 'SQ-hld'. Did you mean 'SQ-hold'?"],
    ),
    ("matrix: {rows: {square: [S]}}", ["'matrix.rows.square' must be a list of 5 values"]),
    ("matrix: {rows: {squares: []}}", ["'matrix.rows.squares' is not a known field. Did you mean 'square'?"]),
    (
        "matrix: {effects: {X: {defender: {any: {becomes: ruoted}}}}}",
        ["'matrix.effects.X.defender.any.becomes' must be disordered, routed, surrendered or"],
    ),
    (
        "matrix: {effects: {X: {defendr: {}}}}",
        ["'matrix.effects.X.defendr' is not a known field. Did you mean 'defender'?"],
    ),
    (
        "matrix: {effects: {X: {defender: {cavalry: {}}}}}",
        ["'matrix.effects.X.defender' must have the field 'any', but it is missing"],
    ),
    (
        "matrix: {effects: {X: {attacker: {infantry: {}}}}}",
        ["'matrix.effects.X.attacker' must have the field 'any' or 'cavalry', but it is missing"],
    ),
    # switches
    ("set: {recal: pursue}", ["2:14: 'set.recal' is not a known switch. Did you mean 'recall'?"]),
    (
        "set: {trample: frst}",
        ["2:16: 'set.trample' must be first or recalled, got 'frst'. Did you mean 'first'?"],
    ),
    ("set: {facing_cost: true}", ["2:20: 'set.facing_cost' must be 1 or 2, got true"]),
    ("editions: {2017: {facing_cost: 3}}", ["2:32: 'editions.2017.facing_cost' must be 1 or 2, got 3"]),
    ("editions: {x: {}}", ["'editions.x' is not one of the years 2000 to 2099"]),
    ("switches: {facing_cost: {default: 3}}", ["2:35: 'switches.facing_cost.default' must be 1 or 2, got 3"]),
    (
        "switches: {night_range: {values: [1, 1.5, 2]}}",
        ["'switches.night_range.values[1]' must be true, false, an integer from 0 to 99 or text, got 1.5"],
    ),
    (
        "switches: {trample: {values: [first, recalled, later]}}",
        ["'switches.trample.values[2]' must be first or recalled, got 'later'"],
    ),
]


@pytest.mark.parametrize(("text", "expected"), VARIED)
def test_a_mistake_in_a_variant(variant: Callable[[str], Problems], text: str, expected: list[str]) -> None:
    errors = variant(text).errors
    if len(expected) == 2 and len(errors) == 1:
        assert all(part in errors[0] for part in expected)
    else:
        assert len(errors) == len(expected), errors
        assert all(part in error for part, error in zip(expected, errors, strict=True)), errors
    assert all("mine.yaml:" in error for error in errors)


def test_charts_that_do_not_rise_are_warned_of(variant: Callable[[str], Problems]) -> None:
    premelee = variant("premelee: {columns: {'2:1': {attack: -6, defence: 8}}}")
    assert premelee.errors == []
    assert [line.partition(": ")[2] for line in premelee.warnings] == [
        "'premelee.columns.2:1.attack' should not be less than for '1:1', got -6 against -3",
        "'premelee.columns.2:1.defence' should not be more than for '1:1', got 8 against 3",
    ]
    bands = variant("fire: {guns: {bands: {6: 1, 3: 1/2}}}")
    assert [line.partition(": ")[2] for line in bands.warnings] == [
        "'fire.guns.bands.6' should not be more than at 3, got 1 against 1/2"
    ]
    fire = variant("fire: {table: {'11:1': {2: 11-66}}}")
    assert fire.errors == []
    assert (
        "'fire.table.11:1' should not lose less on the whole than '10:1', got 2.00 increments against 2.97"
        in fire.warnings[0]
    )
    single = variant("fire: {table: {'9:1': {1: 11-14, 2: 15-36, 4: 41-66}}}")
    assert single.errors == []
    told = (
        "'fire.table.10:1' should not lose less on any roll than '9:1', got 3 against 4 on 41-54 "
        "(inherited from prusse-1806)"
    )
    assert [line.partition(": ")[2] for line in single.warnings] == [told]
    melee = variant("melee: {cells: [{column: '1:1', roll: 55, result: AD}]}")
    assert melee.errors == []
    assert [line.partition(": ")[2] for line in melee.warnings] == [
        "'melee.cells[0].result' should not be worse for the attackers than on a lower roll, got "
        "AD after 1*/2",
        "'melee.cells[0].result' should not be worse for the attackers than on lower odds, got AD after 0/1",
    ]


def test_the_cell_that_a_battle_overrides_is_to_blame(variant: Callable[[str], Problems]) -> None:
    problems = variant("melee: {cells: [{column: '1:2', roll: 14, result: .}]}")
    assert problems.errors == []
    assert [line.partition(": ")[2] for line in problems.warnings] == [
        "'melee.cells[0].result' should not be better for the attackers than on higher odds, got . before AD",
        "'melee.cells[0].result' should not be better for the attackers than on a higher roll, got "
        ". before AD",
    ]


def test_a_rule_set_in_which_nothing_can_be_played_says_what_is_missing(
    variant: Callable[[str], Problems],
) -> None:
    problems = variant("recall: {rows: []}")
    assert [line.partition(": ")[2] for line in problems.errors] == [
        "'recall.rows' must have a row for a nation, or no cavalry can charge and nothing can be "
        "played, got none"
    ]
    assert (
        variant("nations: {French: null, Italian: null, Prussian: null, Saxon: null}")
        .errors[-1]
        .endswith("'nations' must have a nation of either side, or nothing can be played, got none")
    )
    doubtful = [
        (
            "carre: {rows: []}",
            "'carre.rows' should have a row for a nation with infantry (French, Italian, Prussian, "
            "Saxon), or nobody can form square",
        ),
        (
            "stand: {modifiers: []}",
            "'stand.modifiers' should have a modifier, or only the general ones count when "
            "infantry stands, got none",
        ),
        (
            "nations: {Swiss: Imperial}",
            "'nations.Swiss' should have a type in 'troops' or a row in 'recall', or nothing of it "
            "but guns can be played",
        ),
        (
            "nations: {French: Coalition, Italian: Coalition}",
            "'nations' should have nations of both sides, or nobody can be charged by an enemy",
        ),
    ]
    for text, told in doubtful:
        problems = variant(text)
        assert problems.errors == []
        assert len(problems.warnings) == 1
        assert told in problems.warnings[0]


def test_a_rule_set_without_infantry_is_warned_of(variant: Callable[[str], Problems]) -> None:
    text = (
        "troops: {French: null, Italian: null, Prussian: null, Saxon: null}\ncarre: {modifiers: "
        "[]}\nmorale: {modifiers: []}"
    )
    problems = variant(text)
    assert problems.errors == []
    assert any(
        "'troops' should have a type of infantry, or only cavalry and guns can be charged, got none" in line
        for line in problems.warnings
    )


def test_a_block_without_source_is_warned_of(variant: Callable[[str], Problems]) -> None:
    problems = variant("switches: {duel: {label: a duel, values: [true, false], default: false}}")
    assert problems.errors == []
    assert problems.warnings == [
        problems.warnings[0].partition(": ")[0]
        + ": 'switches.duel' should have the field 'source', but it is missing"
    ]


# -- what is inherited, and the shared base -------------------------------------------------------------


def over_base(tmp_path: Path, old: str, new: str) -> Problems:
    """Problems of prusse-1806 over a changed base that lies beside it."""
    (tmp_path / "base.yaml").write_text(replaced(BASE, old, new)[0], encoding="utf-8")
    path = tmp_path / "copy.yaml"
    path.write_text(replaced(PRUSSE, "extends: base\n", "extends: base.yaml\n")[0], encoding="utf-8")
    return problems_of(path)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("    44: [., 2/1", "    45: [., 2/1", "'melee.table' must give every roll once; missing 44"),
        (
            "[., 2/1, 3/1",
            "[., 2/1*, 3/+1",
            "'melee.table.44[2]' must be AR, AD, ., DD, DR, DS, or losses such as 1/2",
        ),
        (
            '  source: "[AID] E1.3"\n',
            "",
            "'matrix' must have the field 'source' (a source that begins with [PRINT]",
        ),
        (
            "  facing_cap:",
            "  facing_caps:",
            "'switches' must have the switch 'facing_cap' (a charge turns at most 2 hexsides",
        ),
        ("    S: {defender", "    SS: {defender", "'matrix.effects' must have the field 'S'"),
        ("  clear: {infantry", "  cleer: {infantry", "'terrain' must have the field 'clear'"),
        (
            "\nsight: {",
            "\nsights: {",
            "must have the field 'sight' (a mapping with slopes_block, source or lender), but it is missing",
        ),
    ],
)
def test_an_inherited_fault_names_the_file_that_inherits_it(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    errors = over_base(tmp_path, old, new).errors
    found = [error for error in errors if expected in error]
    assert len(found) == 1, errors
    assert found[0].startswith(f"{tmp_path / 'copy.yaml'}:")
    assert found[0].endswith("(inherited from base.yaml)") or "must have the field" in expected


def test_the_base_passes_only_as_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "shared.yaml"
    path.write_text(replaced(BASE, "partial: true", "partial: false")[0], encoding="utf-8")
    errors = problems_of(path).errors
    assert "'ruleset' must be a battle with nations and charts of its own" in errors[0]
    missing = {
        name
        for name in ("year", "edition", "nations", "carre", "stand", "recall", "troops")
        if any(f"the field '{name}'" in one for one in errors)
    }
    assert missing == {"year", "edition", "nations", "carre", "stand", "recall", "troops"}
    assert len(errors) == 8


def test_partial_is_not_inherited(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("extends: base\nruleset: mine\n", encoding="utf-8")
    _, merged = chain.merge(path)
    assert "partial" not in merged
    assert len(problems_of(path).errors) == 8
    path.write_text("extends: base\nruleset: mine\npartial: true\ncarre: {modifiers: []}\n", encoding="utf-8")
    assert problems_of(path).errors == []


def test_a_faulty_rule_set_does_not_load(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("extends: prusse-1806\nversion: 0\n", encoding="utf-8")
    with pytest.raises(
        InputError, match=r"mine\.yaml:2:10: 'version' must be an integer from 1 to 9999, got 0"
    ):
        catalogue.load(str(path))


# -- whatever the data are ------------------------------------------------------------------------------

MERGED = {name: chain.merge(chain.locate(name))[1] for name in ("prusse-1806", "bautzen-1813", "base")}
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(Written("026"))
    | st.just(20_000).map(lambda bits: 1 << bits)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(
        [
            "11-66",
            "66-11",
            "1:0",
            "1e99999999",
            "[AID] x",
            ".",
            "0/0*",
            "x" * 5000,
            "\0",
            datetime.date(1806, 10, 14),
            b"x",
        ]
    )
)
JUNK = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=3)
    ),
    max_leaves=6,
)


def nodes(value: Any, key: Key = ()) -> Iterator[Key]:
    yield key
    if isinstance(value, dict | list):
        for part, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from nodes(inner, (*key, part))


NODES = {name: list(nodes(merged)) for name, merged in MERGED.items()}


def holder(data: Any, key: Key) -> Any:
    for part in key[:-1]:
        data = data[part]
    return data


@st.composite
def spoilt(draw: st.DrawFn) -> tuple[str, Any]:
    """A rule set with some of its values replaced by junk or by other values of its own, or taken out."""
    name = draw(st.sampled_from(sorted(MERGED)))
    data: Any = copy.deepcopy(MERGED[name])
    for _ in range(draw(st.integers(1, 4))):
        short = draw(st.booleans())
        key = draw(st.sampled_from([one for one in NODES[name] if len(one) <= 3] if short else NODES[name]))
        kind = draw(st.sampled_from(["junk", "junk", "own", "out"]))
        value: Any = draw(JUNK)
        if kind == "own":
            value = copy.deepcopy(MERGED[name])
            for part in draw(st.sampled_from(NODES[name])):
                value = value[part]
        if not key:
            data = value
            break
        try:
            if kind == "out":
                del holder(data, key)[key[-1]]
            else:
                holder(data, key)[key[-1]] = value
        except (LookupError, TypeError):
            pass  # the way there is spoilt already
    return name, data


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(spoilt(), st.booleans())
def test_nothing_raises(case: tuple[str, Any], written: bool) -> None:
    name, data = case
    document = documents.read(chain.locate(name)) if written else Document("x.yaml", data)
    problems = consistency.check(document, data)
    assert isinstance(problems, Problems)
    assert all(isinstance(line, str) and len(line) < 20_000 for line in problems.errors + problems.warnings)


@pytest.mark.parametrize(
    "data",
    [None, [], "x", 3, {}, {1: 2}, {None: 1}, {(1, 2): 3}, {"carre": {"rows": [[[[[[]]]]]]}}],
    ids=repr,
)
def test_what_is_no_rule_set_at_all_has_errors(data: Any) -> None:
    assert consistency.check(Document("x.yaml", data), data).errors


def test_data_too_large_or_too_deep_have_errors() -> None:
    huge = 1 << 20_000  # an integer that Python does not print
    for data in (huge, {huge: 1}, {"version": huge}, {"carre": [huge]}):
        assert consistency.check(Document("x.yaml", {}), data).errors  # type: ignore[arg-type]
    deep: Any = []
    for _ in range(3000):
        deep = [deep]
    assert "'carre" in consistency.check(Document("x.yaml", {}), {"carre": deep}).errors[0]


@st.composite
def altered(draw: st.DrawFn) -> Any:
    """prusse-1806 with values changed to others of their kind: often still a rule set."""
    data: Any = copy.deepcopy(MERGED["prusse-1806"])
    for _ in range(draw(st.integers(1, 3))):
        key = draw(st.sampled_from(NODES["prusse-1806"][1:]))
        try:
            place = holder(data, key)
            value = place[key[-1]]
        except (LookupError, TypeError):
            continue
        if isinstance(value, bool):
            place[key[-1]] = not value
        elif isinstance(value, int):
            place[key[-1]] = value + draw(st.integers(-5, 5))
        elif isinstance(value, list) and value:
            place[key[-1]] = draw(st.permutations(value))[draw(st.integers(0, 1)) :]
        elif value is None:
            place[key[-1]] = draw(st.integers(0, 5))
        elif not isinstance(value, str) or draw(st.booleans()):
            del place[key[-1]]
    return data


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(altered())
def test_what_passes_can_be_used(data: dict[str, Any]) -> None:
    """A rule set without errors compiles to a rulebook under every edition."""
    if consistency.check(Document("x.yaml", data), data).errors:
        return
    json.dumps(data, sort_keys=True)
    blocks = consistency.read(Document("x.yaml", data), data)
    rules = catalogue.RuleSet(
        data["ruleset"], data["title"], data["year"], data["version"], data["edition"], "x", blocks, data
    )
    for edition in data["editions"]:
        book = Rulebook(rules, rules.switches(edition))
        for name in dir(Rulebook):
            if not name.startswith("_"):
                getattr(book, name)
        for terrain in book.terrain_costs:
            for formation in (*vocabulary.FORMATIONS, "disordered", "routed"):
                assert book.defence(terrain, formation, "French")[0] >= 1


# -- the vocabulary, and the schema -----------------------------------------------------------------------


def test_conditions_speak_of_what_the_battle_knows_of_a_unit() -> None:
    charge = scenarios.load(scenarios.DEFAULT)
    forces, _ = setup.prepare(charge, [(variant,) for variant in variants_of(charge.attacks[0], ("stand",))])
    known = set(forces.attributes_of("unit", forces.cases(np.ones(1, bool), 0)))
    vocabulary = Vocabulary.of(charge.ruleset.merged)
    assert {name for name in vocabulary.attributes if name.startswith("unit.")} == known
    assert all(
        part in PREFIXES or part in vocabulary.attributes for table in TABLES.values() for part in table
    )


@pytest.fixture(scope="module")
def schema() -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    return jsonschema.Draft202012Validator(schema_for_editors())


def as_editors_see(text: str) -> Any:
    """YAML as JSON: editors take every key for text."""
    return json.loads(json.dumps(yaml.safe_load(text)))


@pytest.mark.parametrize("name", SHIPPED)
def test_the_schema_for_editors_accepts_shipped_rule_sets_as_they_stand_on_disk(
    name: str, schema: Any
) -> None:
    assert schema.is_valid(as_editors_see(chain.locate(name).read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", SHIPPED)
def test_the_schema_of_merged_data_accepts_shipped_rule_sets(name: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    _, merged = chain.merge(chain.locate(name))
    validator = jsonschema.Draft202012Validator(
        ruleset(Vocabulary.of(merged, shipped.names()), partial=name == shipped.BASE).schema()
    )
    assert validator.is_valid(json.loads(json.dumps(merged)))
    assert not validator.is_valid(
        json.loads(json.dumps(merged | {"stand": {"modifiers": [{"key": "a", "label": "b", "value": 36}]}}))
    )


def test_the_schema_accepts_the_template_and_rows_told_by_name(schema: Any) -> None:
    assert schema.is_valid(as_editors_see((templates.DIRECTORY / "ruleset.yaml").read_text(encoding="utf-8")))
    assert schema.is_valid(
        as_editors_see("stand: {modifiers: {lancers: null, heavy: {value: -4}, new: [{label: a, value: 1}]}}")
    )
    assert schema.is_valid(
        as_editors_see(
            "troops: {French: {Marin: null}, Saxon: null}\ncarre: {rows: {French line: {cells: {4: "
            "{formed: 11-66}}}}}"
        )
    )


@pytest.mark.parametrize(
    "text",
    [
        "stand: {modifiers: [{key: a, label: b, value: 36}]}",
        "stand: {modifiers: {heavy: {value: 36}}}",
        "stand: {modifiers: {heavy: {valu: 3}}}",
        "fire: {flank: wide}",
        "recal: {}",
        "charge: null",
        "terrain: {woods: {cavalry: 31}}",
        "troops: {French: {Ligne: {arm: cavalry, line: 3}}}",
    ],
)
def test_the_schema_refuses_what_does_not_load(text: str, schema: Any) -> None:
    assert not schema.is_valid(as_editors_see(text))


def test_the_schema_is_one() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(schema_for_editors())


def test_missing_and_doubled_rolls_are_told_as_ranges() -> None:
    assert ladder.runs_of([0, 1, 2, 20]) == "11-13, 43"
