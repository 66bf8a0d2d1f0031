"""Small charges whose odds were worked out from the rules by hand or by an enumerator of its own, against the exact tree."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from sim import ladder, scenarios
from sim.dice import ExhaustiveDice
from sim.outcomes import SIDES, Tally
from sim.studies.odds import exact_tallies, variants_of

CASES = Path(__file__).parent / "cases"


def tally(path: Path, response: str, changes: list[str]) -> Tally:
    charge = scenarios.load(path, changes)
    return exact_tallies(charge, variants_of(charge, [response]), ExhaustiveDice())[0][0]


def measured(found: Tally, measure: str) -> Fraction | float:
    """The chance of an event, or the mean loss of a side."""
    return found.mean_loss(measure) if measure in SIDES else found.p(measure)


@dataclass(frozen=True)
class Case:
    """A charge file, what the target does, what is changed in the file, and the values expected."""

    file: str
    response: str
    expected: dict[str, str]
    changes: tuple[str, ...] = ()


def laboratory(folder: Path, file: str, carre: str | None = None, stands: bool | None = None, melee: str | None = None) -> Path:
    """The charge file played by its own rule set with single charts made certain: what carré gives, whether a target stands, how melee ends."""
    charge = yaml.safe_load((CASES / f"{file}.yaml").read_text(encoding="utf-8"))
    rules: dict[str, Any] = {"ruleset": "laboratory", "extends": charge["ruleset"], "version": 1}
    source = "[HOUSE] made certain for a test"
    if carre:
        nation = charge["target"]["nation"]
        rows = [
            {
                "name": nation,
                "nations": [nation],
                "formation": formation,
                "unit": "hexes",
                "source": source,
                "cells": {n: {carre: "11-66"} for n in (1, 2, 3, 4)},
            }
            for formation in ("column", "line")
        ]
        rules["carre"] = {"rows": rows, "modifiers": []}
    if stands is not None:
        rules["stand"] = {"modifiers": [{"key": "certain", "label": "certain", "value": 35 if stands else -35, "when": {}, "source": source}]}
    if melee:
        rules["melee"] = {"source": source, "table": {int(face): [melee] * 10 for face in ladder.FACES}}
    (folder / "laboratory.yaml").write_text(yaml.safe_dump(rules), encoding="utf-8")
    path = folder / "charge.yaml"
    path.write_text(yaml.safe_dump(charge | {"ruleset": "laboratory.yaml"}), encoding="utf-8")
    return path


CROOKED = "path=[0, 0, 0, 1, 0]"

COUNTED = {
    # 4 x 3 = 12 at a column is 2:1, 22/36 a loss, then morale 22; stands with 31 +3 -3, melee 60 : 16; fallen behind, trample, recall 3-6 (D
    # N12-N16).
    "a line charged straight": Case(
        "line",
        "stand",
        {"charge succeeds": "5773403/7558272", "clean success": "4863611/7558272", "charger": "251413/472392", "target": "20822915/7558272"},
    ),
    # The last three hexes are not straight: 8 increments to 7 are 1:1, so the line checks 31 +3 before the melee, 26/36; 30 : 16 is 1.5:1
    # (seed 000, C9).
    "a line reached by a turn is assaulted": Case(
        "line",
        "stand",
        {"charge succeeds": "136115/314928", "bounced": "455/2187", "charger": "215777/236196", "exhausted": "455/729"},
        (CROOKED,),
    ),
}


@pytest.mark.parametrize("name", list(COUNTED))
def test_exact_odds_are_the_counted_ones(name: str) -> None:
    case = COUNTED[name]
    found = tally(CASES / f"{case.file}.yaml", case.response, list(case.changes))
    assert {measure: measured(found, measure) for measure in case.expected} == {m: Fraction(value) for m, value in case.expected.items()}


NO_FIRE = "target.fire=0"
STAYS_HALTED = "plan.after_halt=decline"
PRUSSIAN = "neighbours=[{nation: Prussian, type: Musketeer, increments: 7, fire: 5, melee: 12, morale: 24, at: front-left}]"


def french(fire: int, hexes: int = 1) -> str:
    """A battalion of the charger's side beside the target's front."""
    values = f"nation: French, type: Ligne, increments: 6, fire: {fire}, melee: 12, morale: 24"
    return f"neighbours=[{{{values}, at: front-right, hexes: {hexes}, side: charger}}]"


CERTAIN: dict[str, tuple[Case, dict[str, Any]]] = {
    # 12 + 18 = 30 at a column is 5:1, 51/36; canister shifts all of it to 6:1, 63/36, or nothing of it (B2.5).
    "canister shifts a combined attack": (Case("line-with-guns", "stand", {"charger": "7/4"}, (STAYS_HALTED,)), {"stands": True}),
    "canister shifts guns alone": (
        Case("line-with-guns", "stand", {"charger": "17/12"}, (STAYS_HALTED, "switches.canister_combined=false")),
        {"stands": True},
    ),
    # One of three increments of a melee value of 3, halved, counts 1: 4 : 1, where 5 numbers in 36 and 7 DR take the last one; 8 : 1 would
    # take 22 (C5).
    "guns count one at least in a melee": (Case("limbered-guns", "stand", {"target": "1/3"}), {"stands": True}),
    # Rule 24: 20 at a column of seven is 3:1, 22 x 1 and 7 x 2 in 36; nobody shoots two hexes far.
    "infantry beside the target joins the offensive fire": (
        Case("column", "stand", {"target": "1", "charger": "0"}, ("target.increments=7", NO_FIRE, french(20), STAYS_HALTED)),
        {"stands": True},
    ),
    "infantry two hexes off does not shoot": (
        Case("column", "stand", {"target": "0"}, ("target.increments=7", NO_FIRE, french(20, hexes=2), STAYS_HALTED)),
        {"stands": True},
    ),
    # Rule 28: 5 at 6 is 1:1.5, 8/36, when the charger leaves each of two hexes of the zone, and in the Defensive Fire segment; 28/36 ride on
    # after a loss. One routed by fire stays until the recovery segment (0-decisions 2): 14 with its front to the enemy, 1/18; 6 through its
    # flank, 8/36 (B2.3).
    "opportunity fire at each hex left": (
        Case("column", "stand", {"charger": "472/729", "charger routed": "74908/531441"}, (NO_FIRE, "path=[0, 0, 0, 2]", PRUSSIAN, STAYS_HALTED)),
        {"stands": True},
    ),
    # Rule 2: the line has shot (22/36, then morale 22) when 10:1 takes two or more of seven (28/36 of them not four, which would be half) and
    # only a 66 passes morale 65; melee comes last.
    "defensive fire, offensive fire, melee": (
        Case("line", "stand", {"exhausted": "245/13122"}, ("target.morale=65", french(100))),
        {"stands": True},
    ),
    # A square that was not the target may be left alone (seed 002): no shot, and a charge without melee tires (D3.3).
    "a charger halts before a square": (
        Case("column", "carre@4", {"charger": "0", "target": "0", "tired": "1", "target in square": "1"}, ("plan.square=break off",)),
        {"carre": "formed"},
    ),
    # Two shots through a hexside, 8 x 3 / 3 on 6: 11/36, then 28/36 (0-decisions 5.3). One who routs beside it is shot at once more with 8 on
    # 14, one who routs on top with 24 on 14 (rout by fire: recovery segment).
    "a charger rides over a square": (
        Case("column", "carre@4", {"charger": "594913/944784", "charger routed": "3443/26244", "exhausted": "0"}, ("plan.square=ride over",)),
        {"carre": "formed"},
    ),
}


@pytest.mark.parametrize("name", list(CERTAIN))
def test_one_chart_made_certain_leaves_the_value_worked_out_by_hand(name: str, tmp_path: Path) -> None:
    case, made = CERTAIN[name]
    found = tally(laboratory(tmp_path, case.file, **made), case.response, list(case.changes))
    assert {measure: measured(found, measure) for measure in case.expected} == {m: Fraction(value) for m, value in case.expected.items()}
