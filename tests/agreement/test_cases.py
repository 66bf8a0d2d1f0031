"""Small charges whose odds were worked out from the rules by hand or by an enumerator of its own, against the
exact tree."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

import sim
from sim.ensemble import ladder
from sim.ensemble.dice import ExhaustiveDice
from sim.errors import InputError
from sim.studies.batches import exact_tallies
from sim.studies.measures import SIDES
from sim.studies.odds import variants_of
from sim.studies.tally import Tally
from sim.units import scenarios

CASES = Path(__file__).parent / "cases"


def tally(path: Path, response: str, changes: list[str]) -> Tally:
    charge = scenarios.load(path, changes)
    return exact_tallies(charge, variants_of(charge.attacks[0], [response]), ExhaustiveDice())[0][0]


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


def laboratory(
    folder: Path, file: str, carre: str | None = None, stands: bool | None = None, melee: str | None = None
) -> Path:
    """The charge file played by its own rule set with single charts made certain: what carré gives, whether a
    target stands, how melee ends."""
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
        rules["stand"] = {
            "modifiers": [
                {
                    "key": "certain",
                    "label": "certain",
                    "value": 35 if stands else -35,
                    "when": {},
                    "source": source,
                }
            ]
        }
    if melee:
        rules["melee"] = {"source": source, "table": {face: [melee] * 10 for face in ladder.FACES}}
    (folder / "laboratory.yaml").write_text(yaml.safe_dump(rules), encoding="utf-8")
    path = folder / "charge.yaml"
    path.write_text(yaml.safe_dump(charge | {"ruleset": "laboratory.yaml"}), encoding="utf-8")
    return path


def french(fire: int, hexes: int = 1) -> str:
    """A battalion of the charger's side beside the target's front."""
    values = f"nation: French, type: Ligne, increments: 6, fire: {fire}, melee: 12, morale: 24"
    return f"neighbours=[{{{values}, at: front-right, hexes: {hexes}, side: charger}}]"


CROOKED = "path=[0, 0, 0, 1, 0]"

COUNTED = {
    # 4 x 3 = 12 at a column is 2:1, 22/36 a loss, then morale 22; stands with 31 +3 -3, melee 60 : 16; fallen
    # behind, trample, recall 3-6 (D
    # N12-N16).
    "a line charged straight": Case(
        "line",
        "stand",
        {
            "charge succeeds": "5773403/7558272",
            "clean success": "4863611/7558272",
            "charger": "251413/472392",
            "target": "20822915/7558272",
        },
    ),
    # The last three hexes are not straight: 8 increments to 7 are 1:1, so the line checks 31 +3 before the
    # melee, 26/36; 30 : 16 is 1.5:1 (seed 000, C9).
    "a line reached by a turn is assaulted": Case(
        "line",
        "stand",
        {
            "charge succeeds": "136115/314928",
            "bounced": "455/2187",
            "charger": "215777/236196",
            "exhausted": "455/729",
        },
        (CROOKED,),
    ),
    # Nobody need melee whom he met without a straight run (seed 000, 0-decisions 5.32): one volley, 22/36,
    # then morale 22.
    "a line reached by a turn is left alone": Case(
        "line",
        "stand",
        {
            "charge succeeds": "0",
            "charger": "11/18",
            "charger routed": "11/81",
            "exhausted": "0",
            "tired": "1",
        },
        (CROOKED, "plan.after_halt=decline"),
    ),
    # 0-decisions 5.20: of nine in line four count, 4:3 is 1:1, so 31 +3 fails on 10/36; melee 15 : 16 (heavy
    # in line), 1:2. With 5 at 6 (seven or more in line are a column's target) 8/36 lose one and 8/36 of those
    # rout.
    "nine in line count four before the melee": Case(
        "four-in-line", "stand", {"charge succeeds": "75383/236196"}
    ),
    # 0-decisions 5.21: two hexes are no straight run, so the square makes the ordinary check, +6 and +3 or
    # (6:7) +6; melee 10, 35/4 or 15/2 to 16.
    "a square too near to be charged checks before the melee": Case(
        "close-square", "stand", {"charge succeeds": "630413/5038848"}
    ),
    # The same for a square formed in this charge (15/36), for which there is a -3 or -6 instead when the
    # attempt fails.
    "a square formed too near checks too": Case(
        "close-square", "carre@2", {"target in square": "5283245/15116544"}, ("target.formation=column",)
    ),
    # 0-decisions 5.21: 31 -6 +3 passes on 20/36; 30 : 16/3 is 5:1, where 22/36 are DR or DS.
    "a rabble too near to be charged checks before the melee": Case(
        "close-rabble", "stand", {"target surrendered": "55/162"}
    ),
    # The upper battalion runs from 16/36; the lower one checks once, 21/36, stays, and is meleed by those not
    # recalled (1/3), 12 : 12 or 10 : 12, under its own fire (0-decisions 5.34, D N16). One who fails the star
    # check of the melee loses 1 for the hex he leaves (C6, C12).
    "a battalion that stays is meleed after a failed recall": Case(
        "two-battalions", "stand", {"exhausted": "532/6561", "charger": "973783/4251528"}
    ),
    # 20 at fourteen increments is 3:1 +5, at six that are left 3:1; losses fall on the upper battalion first,
    # odd ones call for a check, contagion asks the lower one once (0-decisions 5.23, 5.34).
    "fire at the target's hex goes on at whoever is left": Case(
        "two-battalions", "stand", {"target": "1257640355/306110016"}, (french(20),)
    ),
    # 0-decisions 5.23: the square cannot fail 26 +6 +6 +3; the melee hits the leader on 64..66 (3/36) and his
    # die on four of six; then the square fails 26 -6 on half the rolls, once, though its guns (36 -6) fail
    # too. The charger got there on 28/36: 39 at 6 and canister always take one.
    "who checked for a leader's loss is not asked by contagion": Case(
        "square-with-leader", "stand", {"charge succeeds": "7/324"}
    ),
    # 0-decisions 5.22 and 5.25: the guns make one check, 24/36, whether the column stands or not. Before they
    # are left alone only the top formation fires; then they fire 18, or 9 disordered, with canister, and are
    # meleed at single value. The column that moves away loses 1 though its guns stay.
    "a column moves away from its guns": Case(
        "column-with-guns", "stand", {"target": "5699311/1417176", "clean success": "826159/1417176"}
    ),
    # 0-decisions 5.33: eleven increments are hit at +2, 10/36. Where the upper regiment routs (10/36) the
    # lower one, asked once by contagion, goes on alone, 40 : 16; a leader hit (65, 66; four of five) makes
    # both check once. Together they are 88 : 16.
    "a regiment goes on when the one above it routs": Case(
        "two-regiments", "stand", {"target in order": "68273/2125764", "charge succeeds": "2057491/2125764"}
    ),
    # The same on a square, which must be meleed by whoever is left (seed 002): 24 at 6 with +2 is 4:1; 40, 20
    # or what losses leave to 16.
    "a regiment goes on onto a square": Case(
        "two-regiments",
        "carre@2",
        {"target in square": "2795969/11337408"},
        ("charger.melee=60", "charger.stack[0].melee=60"),
    ),
    # Every surviving unit of a starred side checks, also when its losses took the upper one away (C12,
    # 0-decisions 5.33).
    "the lower regiment checks for the star that killed the upper one": Case(
        "last-increment", "stand", {"charger": "404935/559872"}
    ),
    # 30/36 form and are ridden onto (succeeds on 36505/839808 in all). 4/36 go 3 hexes back and are met
    # through the rear, where 11/36 stand and are broken, and 1/3 of the rest is not recalled. 2/36 run out of
    # reach, 12 hexes for 11 points: the charger stops, in order (0-decisions 3, 5.35).
    "a goal that has run out of reach is let go": Case(
        "far-line", "carre@3", {"charge succeeds": "176473/839808", "clean success": "154873/839808"}
    ),
    "a charger rides on after a goal that has run out of reach": Case(
        "far-line",
        "carre@3",
        {"charge succeeds": "176473/839808", "clean success": "108217/839808"},
        ("plan.no_target=ride on",),
    ),
    # One whom the attempt disordered may be left alone (seed 002): then all of 4/36 is clean.
    "a charger stops before a disordered column": Case(
        "far-line",
        "carre@3",
        {"charge succeeds": "176473/839808", "clean success": "176473/839808"},
        ("plan.disordered=break off",),
    ),
    # 2014, light cavalry +3: 10/36 form, 13/36 fall back, are followed and met through the rear (no fire, 60
    # : 10.5); 13/36 run, ten hexes for nine points left: whether the pursuit roll is passed or not, the
    # charger stops in order.
    "a pursuit that cannot succeed is not ridden": Case("far-column", "carre@1", {"clean success": "13/18"}),
    "a charger that may pursue need not": Case(
        "far-column", "carre@1", {"clean success": "13/18"}, ("plan.no_target=stop",)
    ),
    "a charger that pursues in vain routs": Case(
        "far-column", "carre@1", {"clean success": "91/216"}, ("plan.no_target=ride on",)
    ),
    # It starts with 17 points for 15 hexes and woods that no charge enters.
    "a goal that was never within reach": Case(
        "out-of-reach", "stand", {"charger routed": "0", "tired": "1"}
    ),
    # 2021: 26/36 stand; the others are ridden down only by those recalled (5/6). The others (1/6) have twelve
    # points, catch the routers after ten and melee them from behind, 15 x 3/2 to 16/3, at 4:1; a routed enemy
    # has no zone, so that leaving him costs nothing (E1.4.10).
    "a line charged straight in 2021": Case(
        "reserve-line",
        "stand",
        {
            "charge succeeds": "2770297/3779136",
            "clean success": "2595337/3779136",
            "target surrendered": "35/3888",
            "charger": "71659/118098",
            "target": "8156059/3779136",
        },
    ),
    # Heavy horse, 60 x 2 (heavy against light) : 20 is 5:1, where DD and DR lose 1 and DS all 6; nobody
    # checks to stand (D9.3).
    "dragoons and hussars": Case(
        "column",
        "stand",
        {"charge succeeds": "1", "target": "61/36", "charger": "0", "exhausted": "1"},
        (
            "target={arm: cavalry, nation: Prussian, type: Hussar, movement: 14, increments: 6, "
            "melee: 20, morale: 32}",
        ),
    ),
    # 31 -12 -3: 8/36 stand, do not shoot through that side, and 60 x 2 : 16 is 5:1; the others lose six, and
    # a third of the chargers is not recalled.
    "a column taken in the flank": Case(
        "column",
        "stand",
        {"charge succeeds": "1", "target": "827/162", "charger": "0", "charger routed": "7/27"},
        ("through=flank",),
    ),
    # 26: a third is lost at contact; the others fire 18 at 6 with canister, 4:1, 25 lose one and 9 two of 36;
    # 5:1 on guns in order: DD harms nobody, DR and DS all.
    "guns alone taken in front": Case(
        "column",
        "stand",
        {"target": "1433/729", "charger": "43/54"},
        ("target={arm: artillery, nation: Prussian, increments: 3, morale: 26}",),
    ),
    "guns alone taken in the flank do not fire": Case(
        "column",
        "stand",
        {"target": "20/9", "charger": "0"},
        ("target={arm: artillery, nation: Prussian, increments: 3, morale: 26}", "through=flank"),
    ),
    # A Masse (0-decisions 5.24, 5.35) shoots at who comes next to it, 8 at 6 is 1:1, 11/36, then morale 24;
    # stands with 33 +2 -3, 20/36; shoots at the step onto it, and with 12 (x 3/2) in its segment; melee 18,
    # 15 or 12 to 20. Who is thrown back from the top of it leaves two hexes of its zone.
    "a Masse shoots at each step": Case(
        "masse",
        "stand",
        {
            "charge succeeds": "115389341269/264479053824",
            "target in order": "149089712555/264479053824",
            "bounced": "117398455/1224440064",
            "charger": "236706207713/198359290368",
        },
    ),
    # 0-decisions 5.28: 24 -6 stands on 20/36 and shoots 3 at 6, 1:2: who loses (5/36) routs at once, the
    # others check 31; of those who need not melee 2/3 are not recalled. Melee 36 : 3 harms no attacker.
    "Cossacks under fire": Case("cossacks", "stand", {"charger routed": "6371/11664"}),
    # 0-decisions 5.26: whatever the attempt gives, the charger halts three hexes off; the abandoned guns
    # stand.
    "abandoned guns that nobody comes near": Case(
        "line-with-guns",
        "carre@3",
        {"charger": "0", "target": "0"},
        ("plan.square=break off", "plan.disordered=break off", "plan.no_target=stop"),
    ),
}


@pytest.mark.parametrize("name", list(COUNTED))
def test_exact_odds_are_the_counted_ones(name: str) -> None:
    case = COUNTED[name]
    found = tally(CASES / f"{case.file}.yaml", case.response, list(case.changes))
    assert {measure: measured(found, measure) for measure in case.expected} == {
        m: Fraction(value) for m, value in case.expected.items()
    }


NO_FIRE = "target.fire=0"
STAYS_HALTED = "plan.after_halt=decline"


def prussian(at: str, hexes: int, response: str = "stand") -> str:
    """A battalion of the target's side."""
    values = "nation: Prussian, type: Musketeer, increments: 8, fire: 5, melee: 16, morale: 31"
    return f"neighbours=[{{{values}, at: {at}, hexes: {hexes}, response: {response}}}]"


CERTAIN: dict[str, tuple[Case, dict[str, Any]]] = {
    # 12 + 18 = 30 at a column is 5:1, 51/36; canister shifts all of it to 6:1, 63/36, or nothing of it
    # (B2.5).
    "canister shifts a combined attack": (
        Case("line-with-guns", "stand", {"charger": "7/4"}, (STAYS_HALTED,)),
        {"stands": True},
    ),
    "canister shifts guns alone": (
        Case(
            "line-with-guns",
            "stand",
            {"charger": "17/12"},
            (STAYS_HALTED, "switches.canister_combined=false"),
        ),
        {"stands": True},
    ),
    # One of three increments of a melee value of 3, halved, counts 1: 4 : 1, where 5 numbers in 36 and 7 DR
    # take the last one; 8 : 1 would take 22 (C5).
    "guns count one at least in a melee": (
        Case("limbered-guns", "stand", {"target": "1/3"}),
        {"stands": True},
    ),
    # Rule 24: 20 at a column of seven is 3:1, 22 x 1 and 7 x 2 in 36; nobody shoots two hexes far.
    "infantry beside the target joins the offensive fire": (
        Case(
            "column",
            "stand",
            {"target": "1", "charger": "0"},
            ("target.increments=7", NO_FIRE, french(20), STAYS_HALTED),
        ),
        {"stands": True},
    ),
    "infantry two hexes off does not shoot": (
        Case(
            "column",
            "stand",
            {"target": "0"},
            ("target.increments=7", NO_FIRE, french(20, hexes=2), STAYS_HALTED),
        ),
        {"stands": True},
    ),
    # Rule 28: 5 at 6 is 1:1.5, 8/36, when the charger leaves each of two hexes of the zone, and in the
    # Defensive Fire segment; 28/36 ride on after a loss. One routed by fire stays until the recovery segment
    # (0-decisions 2): 14 with its front to the enemy, 1/18; 6 through its flank, 8/36 (B2.3).
    "opportunity fire at each hex left": (
        Case(
            "column",
            "stand",
            {"charger": "472/729", "charger routed": "74908/531441"},
            (NO_FIRE, "path=[0, 0, 0, 2]", prussian("front-left", 1), STAYS_HALTED),
        ),
        {"stands": True},
    ),
    # Rule 2: the line has shot (22/36, then morale 22) when 10:1 takes two or more of seven (28/36 of them
    # not four, which would be half) and only a 66 passes morale 65; melee comes last.
    "defensive fire, offensive fire, melee": (
        Case("line", "stand", {"exhausted": "245/13122"}, ("target.morale=65", french(100))),
        {"stands": True},
    ),
    # A square that was not the target may be left alone (seed 002): no shot, and a charge without melee tires
    # (D3.3).
    "a charger halts before a square": (
        Case(
            "column",
            "carre@4",
            {"charger": "0", "target": "0", "tired": "1", "target in square": "1"},
            ("plan.square=break off",),
        ),
        {"carre": "formed"},
    ),
    # Two shots through a hexside, 8 x 3 / 3 on 6: 11/36, then 28/36 (0-decisions 5.3). One who routs beside
    # it is shot at once more with 8 on 14, one who routs on top with 24 on 14 (rout by fire: recovery
    # segment).
    "a charger rides over a square": (
        Case(
            "column",
            "carre@4",
            {"charger": "594913/944784", "charger routed": "3443/26244", "exhausted": "0"},
            ("plan.square=ride over",),
        ),
        {"carre": "formed"},
    ),
    # A column disordered by its attempt as a non-target goes 3 hexes back and looks away. Ridden at all the
    # same, it is met through its rear: 31 -3 -3 -6, 11/36; else 9 points ride down 4 and 2/6 are not
    # recalled. It cannot fire behind it; 30 x 2 x 3/2 : 8 is 5:1, DD 14 and DR 17 lose 1, DS 5 all 8.
    "a disordered column is ridden at": (
        Case(
            "column",
            "carre@4",
            {
                "charge succeeds": "1",
                "charger": "0",
                "charger routed": "25/108",
                "exhausted": "11/36",
                "target": "4381/1296",
            },
        ),
        {"carre": "disordered"},
    ),
    # 0-decisions 5.27, 2014: 14 points ride down 7 of 8, the guns fail and stay disordered; 9 at 7 is 1:1,
    # canister 1.5:1, 17/36, then morale 25; 5:1 on disordered guns: DD 14 lose 1, DR and DS 22 all 3.
    "guns left behind may be meleed": (
        Case("far-column", "stand", {"target": "25957/2916"}, ("distance=6", "target.battery={morale: 66}")),
        {"stands": False},
    ),
    "guns left behind may be left alone": (
        Case(
            "far-column",
            "stand",
            {"target": "7"},
            ("distance=6", "target.battery={morale: 66}", STAYS_HALTED),
        ),
        {"stands": False},
    ),
    # 0-decisions 5.22: two regiments thrown back lose 1 each; of what lies behind nothing is in a zone. Both
    # check at -3 (23/36, 21/36); a natural 11 or 12 takes their leader on four of six, then both check once
    # more (26/36, 24/36).
    "each regiment thrown back loses for itself": (
        Case("two-regiments", "stand", {"charger": "2", "charger routed": "199813/314928"}, (NO_FIRE,)),
        {"stands": True, "melee": "AD"},
    ),
    # The column loses 1 for the first hex; the guns stay and lose 1 if their own check (12/36) had disordered
    # them (E1.3).
    "the first hex left costs though the guns stay in it": (
        Case(
            "column-with-guns", "stand", {"target": "4/3", "charger": "0"}, (NO_FIRE, "target.battery.fire=0")
        ),
        {"stands": True, "melee": "DD"},
    ),
    # The column runs when the charger is three hexes off, to thirteen; of 17 points 11 are left, 12 are
    # needed (0-decisions 3, D4.3).
    "a column that routs at three hexes is let go": (
        Case("column", "carre@3", {"charger routed": "0", "clean success": "1"}, ("distance=9",)),
        {"carre": "routed"},
    ),
    "a column that routs at three hexes is followed in vain": (
        Case(
            "column",
            "carre@3",
            {"charger routed": "1", "charge succeeds": "1", "clean success": "0"},
            ("distance=9", "plan.no_target=ride on"),
        ),
        {"carre": "routed"},
    ),
    # 2014: stopping needs the recall roll, 2-6 on one die, once a charge; who is not recalled rides on.
    "stopping needs the recall roll in 2014": (
        Case("far-column", "carre@3", {"charger routed": "1/6"}, ("distance=9", "charger.movement=12")),
        {"carre": "routed"},
    ),
    # A disordered column is left alone: nothing is fired, nothing fought (seed 002).
    "a disordered column is left alone": (
        Case(
            "column",
            "carre@4",
            {"charge succeeds": "1", "clean success": "1", "charger": "0", "target": "0", "tired": "1"},
            ("plan.disordered=break off",),
        ),
        {"carre": "disordered"},
    ),
    # Seed 002: after the square another unit, four hexes ahead after one turn: three straight hexes, and only
    # that one shoots, 5 at 6, 8/36.
    "another unit is charged": (
        Case(
            "column",
            "carre@4",
            {"charger": "2/9", "exhausted": "0"},
            ("plan.square=second", "plan.second=1", prussian("front-right", 4), STAYS_HALTED),
        ),
        {"carre": "formed", "stands": True},
    ),
    # Seed 002: another hex, here one beside the square. Entering alone draws no opportunity fire (rule 28);
    # in its own segment the square shoots through one hexside, 24/3 at 6, 11/36, then 28/36. A passed square
    # is not meleed.
    "another hex is taken under fire": (
        Case(
            "column",
            "carre@4",
            {"charger": "11/36", "charger routed": "11/162", "exhausted": "0"},
            ("plan.square=turn away", "plan.away=[0, 0, 0]"),
        ),
        {"carre": "formed"},
    ),
    # The two shots of a square ridden over, this time a neighbour's in the way; the column behind it stands,
    # does not shoot and is not meleed.
    "a neighbour's square is ridden over": (
        Case(
            "column",
            "stand",
            {"charger": "594913/944784"},
            (
                "distance=8",
                "plan.square=ride over",
                "plan.no_target=ride on",
                prussian("front", 3, "carre@4"),
                NO_FIRE,
                STAYS_HALTED,
            ),
        ),
        {"carre": "formed", "stands": True},
    ),
    # A target disordered by its attempt at two hexes stays, shoots 5/2 at 6 (3/36 lose one, 8/36 of them
    # rout) and is meleed at 5:1: DD and
    # DR lose 1, DS all 8.
    "a target that its attempt disordered is meleed": (
        Case("column", "carre@2", {"target": "3763/1944", "charger": "1/12"}),
        {"carre": "disordered"},
    ),
    # 2019: of twelve points left each three ride one down at once, and four are left.
    "a target that its attempt disordered is ridden down in 2019": (
        Case("column", "carre@2", {"target": "3493/648", "charger": "1/12"}, ("edition=2019",)),
        {"carre": "disordered"},
    ),
    # 2018: a target routed by its attempt stays; 5:1 on routed infantry: DD 14 lose 1, DR 17 and DS 5
    # surrender (E1.7).
    "a target that its attempt routed is meleed in 2018": (
        Case(
            "column",
            "carre@2",
            {"target surrendered": "11/18", "target": "95/18", "charger": "0"},
            ("edition=2018",),
        ),
        {"carre": "routed"},
    ),
    # Other editions: twelve points ride six down, then the recall roll (dragoons 3-6).
    "a target that its attempt routed is ridden down": (
        Case("column", "carre@2", {"target": "6", "charger routed": "1/3", "charger": "0"}),
        {"carre": "routed"},
    ),
    "regiments thrown back lose for the group where the switch says so": (
        Case("two-regiments", "stand", {"charger": "1"}, (NO_FIRE, "switches.zone_loss=group")),
        {"stands": True, "melee": "AD"},
    ),
    "each battalion thrown back loses for itself": (
        Case(
            "two-battalions",
            "stand",
            {"target": "2", "charger": "0", "target disordered": "1"},
            (NO_FIRE, "plan.after_halt=melee"),
        ),
        {"stands": True, "melee": "DD"},
    ),
    # The upper regiment always routs on top of the square (24 at eleven increments hits with every roll) and
    # the lower one goes on with 35/36, and 35/36 again where 65 or 66 took the leader (4/5): the square that
    # it breaks loses 1 for the hex it leaves.
    "a square broken by the lower regiment loses for the hex it leaves": (
        Case(
            "two-regiments",
            "stand",
            {"target": "5663/5832"},
            ("target.formation=square", "charger.morale=66", "charger.stack[0].morale=11"),
        ),
        {"stands": True, "melee": "DD"},
    ),
}


@pytest.mark.parametrize("name", list(CERTAIN))
def test_one_chart_made_certain_leaves_the_value_worked_out_by_hand(name: str, tmp_path: Path) -> None:
    case, made = CERTAIN[name]
    found = tally(laboratory(tmp_path, case.file, **made), case.response, list(case.changes))
    assert {measure: measured(found, measure) for measure in case.expected} == {
        m: Fraction(value) for m, value in case.expected.items()
    }


def beside(formation: str) -> list[str]:
    """Skirmishers with a battalion behind them."""
    friend = (
        f"nation: Prussian, type: Musketeer, formation: {formation}, increments: 7, fire: 5, melee: 16, "
        "morale: 31"
    )
    return [
        "target.type=Fusilier",
        "target.formation=skirmish",
        "target.increments=6",
        f"neighbours=[{{{friend}, at: rear}}]",
    ]


@pytest.mark.parametrize(
    ("formation", "shelter_line", "lost"),
    [
        ("column", "true", 0),
        ("column", "false", 0),
        ("line", "true", 0),
        ("line", "false", 6),
        ("general order", "true", 0),
        ("general order", "false", 0),
    ],
)
def test_skirmishers_find_shelter_beside_a_line_only_where_the_edition_allows(
    formation: str, shelter_line: str, lost: int
) -> None:
    """D N30: without shelter they rout, and the 12 points left ride all six down."""
    found = tally(
        CASES / "column.yaml", "stand", [*beside(formation), f"switches.shelter_line={shelter_line}"]
    )
    assert (found.mean_loss("target"), found.p("charge succeeds")) == (lost, lost > 0)


@pytest.mark.parametrize(
    ("file", "changes"),
    [
        ("line", []),
        ("line", ["charger.melee=40"]),
        ("line", [CROOKED]),
        ("column", []),
        ("column", [STAYS_HALTED]),
        ("line-with-guns", []),
        ("two-battalions", ["plan.after_halt=melee"]),
        ("close-square", []),
    ],
)
def test_worse_morale_of_a_target_that_stands_never_makes_success_rarer(
    file: str, changes: list[str]
) -> None:
    """0-decisions 4: nothing about the charger enters."""
    chances = [
        tally(CASES / f"{file}.yaml", "stand", [*changes, f"target.morale={face}"]).p("charge succeeds")
        for face in ladder.FACES
    ]
    assert chances == sorted(chances)
    assert chances[0] < chances[-1]


@pytest.mark.parametrize(
    "ruleset", ["friedland-1807", "leipzig-1813", "austerlitz-1805", "bautzen-1813", "hagelberg-1813"]
)
def test_cossacks_are_refused_formed_infantry_and_the_front_of_guns(ruleset: str) -> None:
    """0-decisions 5.28; the flank of guns, limbered ones, and infantry in disorder may be charged."""
    guns: dict[str, Any] = {"target": {"arm": "artillery", "nation": "French", "increments": 3}}
    for refused in ({"target.state": "good"}, {"target.state": "good", "target.formation": "square"}, guns):
        with pytest.raises(InputError, match=r"D10\.3"):
            sim.load_charge(CASES / "cossacks.yaml", {"ruleset": ruleset, **refused})
    for allowed in (
        {},
        {**guns, "through": "flank"},
        {"target": {**guns["target"], "formation": "limbered"}},
    ):
        sim.load_charge(CASES / "cossacks.yaml", {"ruleset": ruleset, **allowed})
