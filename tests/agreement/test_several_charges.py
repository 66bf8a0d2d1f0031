"""Several charges in a half: what happens was worked out from seed 000, D and docs/charge.md 14 before
anything played it.

Each test gives every roll of the half by its decision. A roll that is asked and not given, or given and not
asked, is a failure.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import pytest

from sim.ensemble import ladder
from sim.ensemble.dice import Decision
from sim.inputs.documents import Document
from sim.units import scenarios
from sim.units.charges import Charge
from tests.agreement.play import Record, play
from tests.agreement.records import Table, engine_scripted
from tests.agreement.several import random_charges
from tests.agreement.test_baseline import differences

HORSE: dict[str, Any] = {
    "nation": "French",
    "type": "Dragoon",
    "movement": 12,
    "increments": 8,
    "melee": 30,
    "morale": 22,
}
FOOT: dict[str, Any] = {
    "nation": "Prussian",
    "type": "Musketeer",
    "formation": "column",
    "increments": 7,
    "fire": 0,
    "melee": 16,
    "morale": 31,
}
FRIEND = FOOT | {"nation": "French", "type": "Ligne", "side": "charger", "fire": 6}
DECLINE = {"after_halt": "decline"}
BENT = [0, 0, 0, 1, -1]
"""From (-5, -1) along its row, and at the end down to (-2, 0) and (-1, 0): no straight run."""


def half(*charges: dict[str, Any], **shared: Any) -> Charge:
    """Charges of one half by prusse-1806, each from five hexes unless it says otherwise."""
    told = [
        {"charger": HORSE, "target": FOOT if number == 0 else 1}
        | ({} if "path" in one else {"distance": 5})
        | one
        for number, one in enumerate(charges)
    ]
    charge, problems = scenarios.check(
        Document("charges", {"ruleset": "prusse-1806", "charges": told} | shared)
    )
    assert charge is not None, problems.errors
    return charge


def shown(charge: Charge, decision: Decision) -> str:
    """A decision without turn and half: `charge/stand/1.charger>1.target`."""
    ids = [unit.id for unit in charge.units]
    by, about = ids[decision.by], ids[decision.about]
    pair = about if by == about else f"{by}>{about}"
    return f"{decision.name.removeprefix('1.1.')}/{pair}" + (f"#{decision.nth + 1}" if decision.nth else "")


def played(charge: Charge, rolls: dict[str, int], *responses: str) -> Record:
    """The half with these rolls, 11..66 or a die, asked in this order by the scalar play and the engine."""
    left = dict(rolls)

    def roll(decision: Decision, meanings: Sequence[Hashable]) -> int:
        name = shown(charge, decision)
        assert name == next(iter(left), None), f"{name} is asked, of {left}"
        face = left.pop(name)
        return ladder.index_of(face) if len(meanings) == ladder.STEPS else face - 1

    chosen = responses or tuple(attack.response for attack in charge.attacks)
    record = play(charge, chosen, roll)
    assert not left, f"never asked: {list(left)}"
    engine, decisions = engine_scripted(charge, chosen, list(rolls.values()))
    assert differences(record, engine) == []
    assert [shown(charge, decision) for decision in decisions] == list(rolls)
    return record


def where(record: Record) -> dict[str, Any]:
    return {name: unit[3] for name, unit in record.units.items()}


def readiness(record: Record) -> dict[str, str]:
    return {name: unit[4] for name, unit in record.units.items() if "charger" in name}


# -- two charges at one hex ---------------------------------------------------------------------------


def test_each_of_two_charges_at_one_hex_gets_its_stand_check() -> None:
    charge = half({"plan": DECLINE}, {"from": "front-left", "plan": DECLINE})
    record = played(charge, {"charge/stand/1.charger>1.target": 66, "charge/stand/2.charger>1.target": 66})
    assert where(record) == {"1.charger": (-1, 0), "2.charger": (-1, 1), "1.target": (0, 0)}
    assert readiness(record) == {"1.charger": "tired", "2.charger": "tired"}
    assert [fate.success for fate in record.charges] == [False, False]


def test_who_stood_against_one_charge_may_form_carre_against_the_next() -> None:
    """The square fires once in the segment: at the first hex in unit order, a third of 7 x 3 through its
    side; not then at who is on it.

    66 at 10:16 (the 1:2 column) is DD, by which a square of 2017 is disordered and falls back; the charger
    follows into its hex.
    """
    charge = half({"plan": DECLINE}, {"from": "front-left"})
    rolls = {
        "charge/stand/1.charger>1.target": 66,
        "charge/carre/2.charger>1.target": 11,
        "defensive-fire/fire/1.charger": 11,
        "melee/melee/2.charger>1.target": 66,
    }
    record = played(charge, rolls, "stand", "carre@2")
    assert [fate.attempt for fate in record.charges] == [None, "formed"]
    assert [fate.success for fate in record.charges] == [False, True]
    assert where(record)["2.charger"] == (0, 0)
    assert readiness(record) == {"1.charger": "tired", "2.charger": "exhausted"}


def test_who_formed_carre_against_one_charge_is_a_square_from_before_for_the_next() -> None:
    """It cannot try again, checks to stand (+6 in square, -3 heavy), and both stacks are on it: eight
    increments, shot at by 21 at 3:1.
    """
    small = HORSE | {"increments": 4}
    charge = half({"charger": small}, {"charger": small, "from": "front-left"})
    rolls = {
        "charge/carre/1.charger>1.target": 11,
        "charge/stand/2.charger>1.target": 66,
        "defensive-fire/fire/1.charger": 11,
        "melee/melee/1.charger>1.target": 63,
        "melee/melee/2.charger>1.target": 63,
    }
    record = played(charge, rolls, "carre@2", "carre@2")
    assert [(fate.attempt, fate.refused) for fate in record.charges] == [
        ("formed", None),
        (None, "already in square"),
    ]
    assert where(record) == {"1.charger": (-1, 0), "2.charger": (-1, 1), "1.target": (0, 0)}
    assert readiness(record) == {"1.charger": "exhausted", "2.charger": "exhausted"}
    assert [fate.success for fate in record.charges] == [False, False]


def test_who_was_disordered_by_one_attempt_checks_to_stand_against_the_next_charge() -> None:
    """Failing it routs, by 12 points trampled for 6 of its 7 increments, and leaves the first charge nobody
    to melee.
    """
    charge = half({}, {"from": "front-left"})
    rolls = {
        "charge/carre/1.charger>1.target": 41,
        "charge/stand/2.charger>1.target": 11,
        "charge/recall/2.charger": 6,
    }
    record = played(charge, rolls, "carre@2", "carre@2")
    assert [(fate.attempt, fate.refused) for fate in record.charges] == [
        ("disordered", None),
        (None, "not in good order"),
    ]
    assert record.units["1.target"][:2] == ("routed", 1)
    assert readiness(record) == {"1.charger": "tired", "2.charger": "tired"}
    assert [fate.success for fate in record.charges] == [True, True]


def test_what_another_charge_did_is_not_to_ones_credit() -> None:
    charge = half({"plan": DECLINE}, {"from": "front-left"})
    rolls = {
        "charge/stand/1.charger>1.target": 66,
        "charge/stand/2.charger>1.target": 11,
        "charge/recall/2.charger": 6,
    }
    record = played(charge, rolls)
    assert [(fate.success, fate.clean) for fate in record.charges] == [(False, False), (True, True)]


def test_a_later_melee_finds_whom_the_earlier_has_left() -> None:
    """60 to 16 is 3.5:1, where 66 is DR: the hex is empty, and the second charge has nobody to melee."""
    charge = half({}, {"from": "front-left"})
    rolls = {
        "charge/stand/1.charger>1.target": 66,
        "charge/stand/2.charger>1.target": 66,
        "melee/melee/1.charger>1.target": 66,
    }
    record = played(charge, rolls)
    assert where(record)["1.charger"] == (0, 0)
    assert readiness(record) == {"1.charger": "exhausted", "2.charger": "tired"}
    assert [fate.success for fate in record.charges] == [True, False]


def test_cavalry_that_is_meleed_twice_goes_down_one_step() -> None:
    """60 to 30 is 2:1, where 32 is 0/0, twice."""
    horse = HORSE | {"nation": "Prussian", "arm": "cavalry"}
    charge = half({"target": horse}, {"from": "front-left"})
    rolls = {"melee/melee/1.charger>1.target": 32, "melee/melee/2.charger>1.target": 32}
    assert played(charge, rolls).units["1.target"][4] == "tired"


def test_who_rides_behind_another_does_not_see_the_target_at_two_hexes() -> None:
    """The first stack halts at (-1, 0), in the line of sight from (-2, 0): the second comes up undeclared,
    and makes no charge of it.

    Its melee has no check to stand before it, so the pre-melee check is made, and no x2: 30 to 16 is 1.5:1,
    where 34 is 0/0.
    """
    charge = half({"plan": DECLINE}, {"distance": 7})
    rolls = {
        "charge/stand/1.charger>1.target": 66,
        "melee/pre-melee/2.charger>1.target": 66,
        "melee/melee/2.charger>1.target": 34,
    }
    record = played(charge, rolls)
    assert where(record)["1.charger"] == where(record)["2.charger"] == (-1, 0)
    assert readiness(record) == {"1.charger": "tired", "2.charger": "exhausted"}


def test_ten_charges_at_ten_hexes_are_resolved_in_their_order() -> None:
    places = [("rear-left", hexes) for hexes in range(1, 6)] + [
        ("front-right", hexes) for hexes in range(1, 5)
    ]
    others = [{"target": FOOT, "at": at, "hexes": hexes, "plan": DECLINE} for at, hexes in places]
    charge = half({"plan": DECLINE}, *others)
    rolls = {f"charge/stand/{number}.charger>{number}.target": 66 for number in range(1, 11)}
    record = played(charge, rolls)
    assert all(
        where(record)[f"{number}.charger"] == (q - 1, r)
        for number, (q, r) in ((number, where(record)[f"{number}.target"]) for number in range(1, 11))
    )


# -- what is left when a charge has its turn ------------------------------------------------------------


def test_a_goal_that_an_earlier_charge_routed_is_sought_where_it_is() -> None:
    """It ran from (0, 0) to ten hexes off.

    A charger with nine points and five more cannot come up with it, and stays; it has charged.
    """
    slow = HORSE | {"movement": 9}
    charge = half({}, {"charger": slow, "from": "front-left"})
    rolls = {"charge/stand/1.charger>1.target": 11, "charge/recall/1.charger": 6}
    record = played(charge, rolls)
    assert where(record)["2.charger"] == (-5, 5)
    assert readiness(record)["2.charger"] == "tired"
    assert record.charges[1].spent == 0


def test_the_mate_that_stayed_is_the_target_of_the_next_charge() -> None:
    """The top unit fails and runs, its mate holds against contagion; the second charge is declared at the
    hex, where the mate now is.
    """
    charge = half(
        {"target": FOOT | {"stack": [FOOT]}, "plan": DECLINE}, {"from": "front-left", "plan": DECLINE}
    )
    rolls = {
        "charge/stand/1.charger>1.target": 11,
        "charge/contagion/1.charger>1.target-2": 66,
        "charge/recall/1.charger": 6,
        "charge/stand/2.charger>1.target-2": 66,
    }
    record = played(charge, rolls)
    assert where(record)["1.target-2"] == (0, 0)
    assert [fate.success for fate in record.charges] == [True, False]


def test_a_charge_whose_target_is_gone_is_not_made() -> None:
    """Guns alone fail their check and are lost; the second charge has nothing to ride at."""
    guns = {
        "nation": "Prussian",
        "arm": "artillery",
        "formation": "unlimbered",
        "increments": 3,
        "morale": 26,
    }
    charge = half({"target": guns | {"fire": 0, "melee": 3}}, {"from": "front-left"})
    record = played(charge, {"charge/guns/1.charger>1.target": 11})
    assert where(record) == {"1.charger": (0, 0), "2.charger": (-5, 5), "1.target": None}
    assert readiness(record) == {"1.charger": "tired", "2.charger": "fresh"}


def test_skirmishers_that_found_shelter_are_no_target_of_the_next_charge() -> None:
    light = FOOT | {"type": "Fusilier", "formation": "skirmish", "increments": 3}
    charge = half({"target": light}, {"from": "front-left"}, neighbours=[FOOT | {"at": "rear"}])
    record = played(charge, {})
    assert where(record)["1.target"] == (1, 0)
    assert readiness(record) == {"1.charger": "tired", "2.charger": "fresh"}


def test_skirmishers_whose_host_has_left_are_not_meleed() -> None:
    """The second charge comes at the host without a straight run; it fails the pre-melee check (10.7)."""
    light = FOOT | {"type": "Fusilier", "formation": "skirmish", "increments": 3}
    host = FOOT | {"at": "rear", "name": "Host"}
    charge = half({"target": light}, {"target": "Host", "from": "rear", "distance": 2}, neighbours=[host])
    rolls = {
        "melee/pre-melee/2.charger>neighbour-1": 11,
        "melee/contagion/2.charger>1.target": 66,
    }
    record = played(charge, rolls)
    assert where(record)["1.target"] == (1, 0)
    assert record.units["neighbour-1"][0] == "disordered"
    assert readiness(record) == {"1.charger": "tired", "2.charger": "tired"}


def test_sheltered_skirmishers_are_the_last_to_lose_when_their_host_is_ridden_down() -> None:
    """Routed at two hexes, the host is caught with 13 points left: 6 increments, 4 and then 2 of theirs."""
    light = FOOT | {"type": "Fusilier", "formation": "skirmish", "increments": 3}
    host = FOOT | {"at": "rear", "name": "Host", "increments": 4}
    second = {"target": "Host", "from": "front-right", "response": "carre@2"}
    charge = half({"target": light}, second, neighbours=[host])
    rolls = {"charge/carre/2.charger>neighbour-1": 66, "charge/recall/2.charger": 6}
    record = played(charge, rolls, "stand", "carre@2")
    assert record.units["neighbour-1"][0] == "eliminated"
    assert record.units["1.target"][:2] == ("routed", 1)


def test_who_was_not_recalled_when_he_would_halt_presses_on() -> None:
    """The swamp at (-2, 0) puts the target out of reach, the halt is refused: he does not turn to the other
    unit when the target forms square, and rides as far as he can (4.12)."""
    plan = {"square": "second", "second": 1, "no_target": "stop"}
    told = {"path": [0, 0, 0, 0], "ground": [{"step": 3, "terrain": "swamp"}], "plan": plan}
    aside = FOOT | {"at": "front-left", "hexes": 3}
    charge = half(told, neighbours=[aside], switches={"halting": "recall"})
    record = played(charge, {"charge/halt/charger": 1, "charge/carre/charger>target": 11}, "carre@3")
    assert where(record)["charger"] == (-3, 0)


def test_a_charge_whose_riders_were_routed_before_their_turn_is_not_made() -> None:
    """The first stack rides through the second, is shot at there (40 at 6 is 6:1; 16 increments are +7), and
    its rout shakes the other.
    """
    guard = FOOT | {"at": "front", "hexes": 3, "fire": 40}
    charge = half(
        {"path": BENT}, {"path": BENT[2:]}, neighbours=[guard], switches={"rout_by_fire": "at_once"}
    )
    rolls = {
        "charge/fire/1.charger": 11,
        "charge/loss-check/1.charger": 11,
        "charge/contagion/1.charger>2.charger": 11,
        "recovery/recovery/1.charger": 66,
        "recovery/recovery/2.charger": 66,
    }
    record = played(charge, rolls)
    assert [fate.worst for fate in record.charges] == ["routed", "routed"]
    assert [fate.recovered for fate in record.charges] == [True, True]
    assert readiness(record) == {"1.charger": "tired", "2.charger": "fresh"}


def test_a_regiment_that_was_routed_before_its_turn_has_not_charged() -> None:
    """As before, with 24 increments under fire; only the second stack's second regiment is shaken, the first
    rides on, and is shot at in its turn."""
    guard = FOOT | {"at": "front", "hexes": 3, "fire": 40}
    stack = HORSE | {"stack": [HORSE], "leader": {"morale": 0, "cavalry": 1, "artillery": 0}}
    second = {"charger": stack, "path": BENT[2:], "plan": DECLINE}
    charge = half({"path": BENT}, second, neighbours=[guard], switches={"rout_by_fire": "at_once"})
    rolls = {
        "charge/fire/1.charger": 11,
        "charge/loss-check/1.charger": 11,
        "charge/contagion/1.charger>2.charger": 66,
        "charge/contagion/1.charger>2.charger-2": 11,
        "charge/fire/2.charger": 11,
        "charge/loss-check/2.charger": 66,
        "recovery/recovery/1.charger": 66,
        "recovery/recovery/2.charger-2": 66,
    }
    record = played(charge, rolls)
    assert readiness(record) == {"1.charger": "tired", "2.charger": "tired", "2.charger-2": "fresh"}


def test_sight_is_judged_when_all_are_declared() -> None:
    """The first target hides the second from its charger; that it runs before the second charge has its turn
    does not help.
    """
    behind = {"target": FOOT, "at": "rear", "hexes": 2, "distance": 8}
    for sees in (True, False):
        plan = {"no_target": "ride on", "after_halt": "decline"}
        charge = half({"from": "front-left"}, behind | {"plan": plan}, switches={"see_at_start": sees})
        rolls = {"charge/stand/1.charger>1.target": 11, "charge/recall/1.charger": 6}
        if sees:
            record = played(charge, rolls)
            assert where(record)["2.charger"] == (-6, 0)
            assert readiness(record)["2.charger"] == "fresh"
        else:
            record = played(charge, rolls | {"charge/stand/2.charger>2.target": 66})
            assert where(record)["2.charger"] == (1, 0)


def test_routers_bar_the_way_of_the_next_charge() -> None:
    """They run straight back, ten hexes, onto the planned way of the second charge, which ends beside them,
    in contact and without melee.
    """
    charge = half(
        {},
        {
            "target": FOOT,
            "at": "rear",
            "hexes": 12,
            "distance": 14,
            "plan": {"no_target": "ride on"},
        },
    )
    rolls = {"charge/stand/1.charger>1.target": 11, "charge/recall/1.charger": 6}
    record = played(charge, rolls)
    assert where(record) == {
        "1.charger": (-1, 0),
        "2.charger": (9, 0),
        "1.target": (10, 0),
        "2.target": (12, 0),
    }
    assert readiness(record)["2.charger"] == "tired"
    assert record.charges[1].spent == 11


# -- those around ---------------------------------------------------------------------------------------

REACTOR = HORSE | {"nation": "Prussian", "at": "front-right", "hexes": 2}


def test_a_reactor_that_failed_is_asked_again_by_the_next_charge() -> None:
    """The row of the approach comes within three hexes of it at (-3, 0)."""
    charge = half({"plan": DECLINE}, {"distance": 7, "plan": DECLINE}, reactor=REACTOR)
    rolls = {
        "charge/react/1.charger>reactor": 11,
        "charge/stand/1.charger>1.target": 66,
        "charge/react/2.charger>reactor": 11,
    }
    assert where(played(charge, rolls))["reactor"] == (0, -2)


def test_a_reactor_that_met_one_charge_is_bound() -> None:
    """It steps to (-1, -2), and when the charger comes to (-2, 0), to (-2, -1): met.

    The next charge rides past, and stands before the target.
    """
    charge = half({}, {"distance": 7, "plan": DECLINE}, reactor=REACTOR)
    rolls = {
        "charge/react/1.charger>reactor": 66,
        "charge/stand/2.charger>1.target": 66,
        "melee/melee/1.charger>reactor": 56,
    }
    record = played(charge, rolls)
    assert where(record) == {
        "1.charger": (-2, 0),
        "2.charger": (-1, 0),
        "1.target": (0, 0),
        "reactor": (-2, -1),
    }
    assert readiness(record) == {"1.charger": "exhausted", "2.charger": "tired"}
    assert record.units["reactor"][4] == "tired"


def test_a_lance_counts_in_the_melee_with_the_charge_that_was_met() -> None:
    """It rides at the second charge and shows the first its flank: 120 to 30 is 4:1, where 13 is 0/2. Six of
    eight increments, with the lance, are 63/2 against 30: the 1:2 column, where 63 is 0/0."""
    lancers = HORSE | {"nation": "Prussian", "arm": "cavalry", "lance": 12}
    told = {"response": "react"}
    charge = half({"target": lancers} | told, {"from": "front-left"} | told, edition=2018)
    rolls = {
        "charge/react/1.charger>1.target": 11,
        "charge/react/2.charger>1.target": 66,
        "melee/melee/1.charger>1.target": 13,
        "melee/melee/2.charger>1.target": 63,
    }
    record = played(charge, rolls)
    assert record.losses == {"charger": 0, "target": 2}


def test_who_has_shot_at_one_charge_shoots_at_the_next() -> None:
    """Each leaves (-3, -1), the only hex of the way in the zone of the unit at (-3, 0).

    Nobody rode straight: no check, no melee.
    """
    guard = FOOT | {"at": "front", "hexes": 3, "fire": 4}
    charge = half(
        {"path": BENT, "plan": DECLINE}, {"path": [0, 0, *BENT], "plan": DECLINE}, neighbours=[guard]
    )
    record = played(charge, {"charge/fire/1.charger": 11, "charge/fire/2.charger": 11})
    assert where(record)["1.charger"] == where(record)["2.charger"] == (-1, 0)


def test_who_was_passed_by_one_charge_is_the_target_of_another() -> None:
    """From (-2, 0) the unit at (-1, 1) is two hexes off, and not straight ahead."""
    charge = half({"plan": DECLINE}, {"target": FOOT, "at": "front-left", "plan": DECLINE})
    rolls = {"charge/stand/1.charger>1.target": 66, "charge/stand/2.charger>2.target": 66}
    assert where(played(charge, rolls))["2.charger"] == (-2, 1)


@pytest.mark.parametrize(
    ("second", "stands"),
    [
        ({"target": FOOT, "at": "rear-left", "from": "rear-left"}, "charge/stand/2.charger>2.target"),
        ({"from": "front-right"}, "charge/stand/2.charger>1.target"),
    ],
    ids=["another hex", "the same hex"],
)
def test_a_hex_is_shot_at_once_and_a_hex_shoots_once(second: dict[str, Any], stands: str) -> None:
    """The friend at (-1, 1) has both target hexes across a front side; 6 at 6 is 1:1."""
    charge = half({"plan": DECLINE}, second | {"plan": DECLINE}, neighbours=[FRIEND | {"at": "front-left"}])
    played(charge, {"charge/stand/1.charger>1.target": 66, stands: 66, "offensive-fire/fire/1.target": 11})


def test_a_unit_may_be_asked_by_two_charges_but_once_by_each() -> None:
    """A neighbour that forms carré at two hexes tries against the first charge, and is a square already when
    the second comes.
    """
    aside = FOOT | {"at": "front-left", "hexes": 2, "response": "carre@2"}
    charge = half({"plan": DECLINE}, {"distance": 7, "plan": DECLINE}, neighbours=[aside])
    rolls = {"charge/carre/1.charger>neighbour-1": 11, "charge/stand/1.charger>1.target": 66}
    assert played(charge, rolls).units["neighbour-1"][2] == "square"


# -- any files ------------------------------------------------------------------------------------------


def test_a_list_of_one_charge_is_the_short_form() -> None:
    told = {"charger": HORSE, "target": FOOT, "distance": 5, "response": "carre@2", "plan": DECLINE}
    short, _ = scenarios.check(Document("short", {"ruleset": "prusse-1806"} | told))
    listed, _ = scenarios.check(Document("listed", {"ruleset": "prusse-1806", "charges": [told]}))
    assert short is not None
    assert listed is not None
    table = Table(4, 0, 50)
    for run in range(50):
        assert play(short, "carre@2", table.for_run(run)) == play(listed, "carre@2", table.for_run(run))


@pytest.mark.parametrize("index", range(150))
def test_each_charge_asks_for_itself_and_in_its_turn(index: int) -> None:
    """The rolls of the Charge and Melee segments come charge by charge; in each a hex tries, stands and
    reacts once (14.1, 14.4).
    """
    charge = random_charges(index)
    table = Table(3, 0, 3)
    first = [charge.number(attack.charger[0].id) for attack in charge.attacks]
    for run in range(3):
        record = play(charge, tuple(attack.response for attack in charge.attacks), table.for_run(run))
        for segment in ("charge", "melee"):
            asked = [one for one in record.decisions if one.name.startswith(f"1.1.{segment}/")]
            turns = [first.index(one.by) for one in asked]
            assert turns == sorted(turns)
            once = [
                one for one in asked if one.name.split("/")[1] in ("carre", "stand", "react", "halt", "melee")
            ]
            assert len(set(once)) == len(once)
            assert all(one.nth == 0 for one in once)
        lost = sum(unit.increments for unit in charge.units) - sum(unit[1] for unit in record.units.values())
        assert sum(record.losses.values()) == lost


def test_random_files_hold_what_they_are_meant_to() -> None:
    """Hexes charged twice, neighbours charged, second stand checks, reactors asked by two charges, two melees
    at one hex.
    """
    found: set[str] = set()
    for index in range(150):
        charge = random_charges(index)
        hexes = [attack.at for attack in charge.attacks]
        found |= {"same hex"} if len(set(hexes)) < len(hexes) else {"different hexes"}
        found |= (
            {"a neighbour"}
            if any(attack.target[0] in charge.neighbours for attack in charge.attacks)
            else set()
        )
        table = Table(3, 0, 3)
        for run in range(3):
            record = play(charge, tuple(attack.response for attack in charge.attacks), table.for_run(run))
            for kind in ("stand", "carre", "react", "melee"):
                asked = [one for one in record.decisions if one.name.endswith(f"/{kind}")]
                twice = len({one.about for one in asked}) < len({(one.by, one.about) for one in asked})
                found |= {f"{kind} twice"} if twice else set()
            found |= {fate.refused for fate in record.charges if fate.refused == "already in square"}
    assert found >= {
        "same hex",
        "different hexes",
        "a neighbour",
        "stand twice",
        "react twice",
        "melee twice",
    }
    assert "already in square" in found
