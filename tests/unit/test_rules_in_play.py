"""Rules that only show when a charge is played: the chances of single decisions, each worked out from the
rule and the chart.

The fire table by column, as faces of 36 that hit: 1:1 11, 1.5:1 17, 2:1 22, 3:1 29, 4:1 34. Cavalry in column
has a fire defence of 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np
import pytest

from sim.battle.setup import prepare
from sim.units.forces import OUT
from sim.units.orders import Variant
from sim.vocabulary import DISORDERED, EXHAUSTED, ROUTED, TIRED
from tests.watched import charge_of, watched

CHARGER = {"nation": "French", "type": "Dragoon", "movement": 12, "increments": 8, "melee": 30, "morale": 11}
MUSKETEERS = {
    "nation": "Prussian",
    "type": "Musketeer",
    "formation": "column",
    "increments": 6,
    "fire": 12,
    "melee": 16,
    "morale": 11,
}
LIGNE = {
    "nation": "French",
    "type": "Ligne",
    "formation": "column",
    "increments": 6,
    "fire": 12,
    "melee": 12,
    "morale": 11,
    "side": "charger",
}


def data(
    target: dict[str, Any] | None = None, neighbours: Sequence[dict[str, Any]] = (), **other: Any
) -> dict[str, Any]:
    """A charge of Prusse 1806 from five hexes: dragoons who never fail a check but on 11, against musketeers
    of the same mettle."""
    way = {} if "path" in other else {"distance": 5}
    return {
        "charger": CHARGER,
        "target": MUSKETEERS | (target or {}),
        "neighbours": list(neighbours),
        **way,
        **other,
    }


def hits(chances: dict[Any, Fraction]) -> Fraction:
    """The chance of losing anything."""
    return 1 - chances.get(0, Fraction(0))


# -- rule 2: the segments ------------------------------------------------------------------------------


def test_the_segments_of_a_half_come_in_their_order() -> None:
    friend = LIGNE | {"at": "rear-right", "state": "disordered"}
    shooter = LIGNE | {"at": "front-right"}
    dice, _ = watched(data(neighbours=[shooter, friend]))
    segments = [
        name for name, _ in groupby(decision.split(".")[2].partition("/")[0] for decision in dice.asked)
    ]
    assert segments == ["charge", "defensive-fire", "offensive-fire", "melee", "recovery"]


# -- rule 7: leaders -----------------------------------------------------------------------------------


def test_a_leader_helps_the_units_of_his_own_hex_until_he_is_out() -> None:
    charge = charge_of(data({"leader": {"morale": 6}, "stack": [MUSKETEERS]}, [MUSKETEERS | {"at": "rear"}]))
    forces, _ = prepare(charge, [(Variant.of(charge.attacks[0], "stand"),)])
    target, below, elsewhere = 1, 2, 3
    lane = np.ones(1, bool)

    def leader(unit: int) -> tuple[bool, int]:
        present, bonus = forces.leader_with(forces.cases(lane, unit), "morale")
        return bool(present[0]), int(bonus[0])

    assert [leader(unit) for unit in (target, below, elsewhere)] == [(True, 6), (True, 6), (False, 0)]
    forces.set_leader(1, np.array([0]), OUT)
    assert leader(target) == (False, 0)


# -- rule 19: skirmishers ------------------------------------------------------------------------------

SCREEN = {"type": "Fusilier", "formation": "skirmish", "increments": 3}


@pytest.mark.parametrize(
    ("host", "line_shelters", "sheltered"),
    [
        ("line", True, True),
        ("line", False, False),
        ("general order", False, True),
        ("column", False, True),
        ("square", True, False),
    ],
)
def test_skirmishers_find_shelter_with_formed_infantry_next_to_them(
    host: str, line_shelters: bool, sheltered: bool
) -> None:
    file = data(
        SCREEN, [MUSKETEERS | {"at": "rear", "formation": host}], switches={"shelter_line": line_shelters}
    )
    _, forces = watched(file)
    goal = 1
    assert set(forces.sheltered[goal].tolist()) == {int(sheltered)}
    assert (forces.state[goal] >= ROUTED).all() == (not sheltered)


def test_those_who_took_shelter_lose_last() -> None:
    """Ten to one costs the hex two increments or more, and five at most; the host has six to lose before they
    do."""
    battery = LIGNE | {"at": "rear-right", "fire": 60}
    dice, forces = watched(data(SCREEN, [MUSKETEERS | {"at": "rear"}, battery]))
    shot = dice.chances["1.1.offensive-fire/fire/neighbour-1"]
    assert min(shot) == 2
    goal, host = 1, 2
    assert set(forces.increments[goal].tolist()) == {3}
    assert forces.increments[host].max() <= 4


# -- rules 21 and 22: fire -----------------------------------------------------------------------------


def test_four_increments_fire_from_a_line_of_nine() -> None:
    """Four times the multiple of 3 is 12 against 6: 2:1, 22 faces; nine would be 27, which is 4:1."""
    dice, _ = watched(data({"formation": "line", "increments": 9}))
    assert hits(dice.chances["1.1.defensive-fire/fire/charger"]) == Fraction(22, 36)


@pytest.mark.parametrize(("increments", "faces"), [(6, 11), (7, 22)])
def test_a_line_of_seven_increments_has_the_fire_defence_of_a_column(increments: int, faces: int) -> None:
    """12 against a line's 9 is 1:1, against a column's 6 it is 2:1."""
    dice, _ = watched(
        data({"formation": "line", "increments": increments}, [LIGNE | {"at": "front-right"}]),
        after_halt="decline",
    )
    shot = dice.chances["1.1.offensive-fire/fire/target"]
    assert hits(shot) == Fraction(faces, 36)


# -- rule 24: offensive fire ---------------------------------------------------------------------------


def test_friends_next_to_the_goal_fire_at_it_once_but_not_on_the_charger() -> None:
    friend = LIGNE | {"at": "front-right"}
    dice, _ = watched(data(neighbours=[friend]))
    assert hits(dice.chances["1.1.offensive-fire/fire/target"]) == Fraction(22, 36)
    assert [name for name in dice.asked if "offensive-fire/fire" in name] == [
        "1.1.offensive-fire/fire/target"
    ]
    dice, _ = watched(data({"formation": "square", "fire": 0, "square": 0}, [friend]))
    assert [name for name in dice.asked if "offensive-fire/fire" in name] == []


# -- rules 25 and 26: guns with infantry ----------------------------------------------------------------


@pytest.mark.parametrize(("combined", "faces"), [(True, 34), (False, 29)])
def test_canister_shifts_a_combined_attack_as_the_switch_says(combined: bool, faces: int) -> None:
    """A line's 12 and a battery's 6 against 6: 3:1, and with canister for all of it 4:1."""
    file = data(
        {"formation": "line", "battery": {"fire": 6, "morale": 11}},
        switches={"guns_with_infantry": "abandoned", "canister_combined": combined},
    )
    dice, _ = watched(file)
    assert hits(dice.chances["1.1.defensive-fire/fire/charger"]) == Fraction(faces, 36)


def test_guns_alone_fire_canister_whatever_the_switch_says() -> None:
    """A battery's 12 against 6: 2:1, and one column to the right 2.5:1, which hits on 26 to 66, 25 faces."""
    guns = {
        "arm": "artillery",
        "nation": "Prussian",
        "increments": 3,
        "fire": 12,
        "melee": 3,
        "morale": 11,
        "formation": "unlimbered",
    }
    file = data() | {"target": guns, "switches": {"canister_combined": False}}
    dice, _ = watched(file)
    assert hits(dice.chances["1.1.defensive-fire/fire/charger"]) == Fraction(25, 36)


# -- rule 27: defensive fire ---------------------------------------------------------------------------


def test_a_hex_fires_once_in_the_segment() -> None:
    """The charger and a friend beside him are both before the target; it has one shot, at the first of
    them."""
    dice, _ = watched(data(neighbours=[LIGNE | {"at": "front-left"}]))
    assert [name for name in dice.asked if "defensive-fire/fire" in name] == [
        "1.1.defensive-fire/fire/charger"
    ]


def test_only_the_square_fires_at_cavalry_on_it() -> None:
    """Six increments times 3 against 6: 3:1, although a battalion with a fire of 60 stands behind the
    square."""
    file = data({"formation": "square"}, [MUSKETEERS | {"at": "rear", "fire": 60}])
    dice, _ = watched(file)
    assert hits(dice.chances["1.1.defensive-fire/fire/charger"]) == Fraction(29, 36)


# -- rule 28: opportunity fire -------------------------------------------------------------------------

FLANKER = MUSKETEERS | {"at": "front-right"}


def test_each_hex_left_in_a_zone_draws_fire_but_not_of_routed_units() -> None:
    """Two hexes of the way lie before the neighbour, who has 12 against 6; the zone of the contact hex is not
    left."""
    dice, _ = watched(data(neighbours=[FLANKER], path=[0, 0, -2]))
    shots = [name for name in dice.asked if "charge/fire" in name]
    assert shots == ["1.1.charge/fire/charger", "1.1.charge/fire/charger#2"]
    assert hits(dice.chances[shots[0]]) == Fraction(22, 36)
    dice, _ = watched(data(neighbours=[FLANKER | {"state": "routed"}], path=[0, 0, -2]))
    assert [name for name in dice.asked if "charge/fire" in name] == []


def test_the_declared_square_keeps_its_fire_for_the_step_onto_it() -> None:
    """The step itself draws no fire, of a neighbour before whom it is made neither (0-decisions 5.3)."""
    dice, _ = watched(data({"formation": "square"}, [MUSKETEERS | {"at": "front-left"}]))
    assert [name for name in dice.asked if "/fire/" in name] == ["1.1.defensive-fire/fire/charger"]


def test_a_square_ridden_over_fires_twice_as_through_one_hexside() -> None:
    """Six increments times 3, a third of it: 6 against 6 is 1:1, 11 faces, before the step onto it and before
    the step off."""
    dice, _ = watched(data(distance=8), "carre@4", square="ride over")
    shots = [name for name in dice.asked if "charge/fire" in name]
    assert shots == ["1.1.charge/fire/charger", "1.1.charge/fire/charger#2"]
    assert hits(dice.chances[shots[0]]) == Fraction(11, 36)


# -- rule 30: recovery ---------------------------------------------------------------------------------


def test_a_disordered_unit_that_fails_to_recover_routs() -> None:
    """A morale of 66 is never beaten."""
    dice, forces = watched(
        data(neighbours=[LIGNE | {"at": "front-right", "hexes": 6, "state": "disordered", "morale": 66}])
    )
    friend = 2
    assert forces.state[friend].min() > DISORDERED
    assert dice.chances["1.1.recovery/recovery/neighbour-1"] == {"fail": 1}


# -- rules 32 to 34: melee ------------------------------------------------------------------------------


def test_the_melee_of_disordered_guns_is_never_below_one() -> None:
    """Guns worth 1, halved in disorder, still fight with 1: cavalry's 2 against it is 2:1, not 4:1."""
    guns = {
        "arm": "artillery",
        "nation": "Prussian",
        "increments": 1,
        "printed": 1,
        "fire": 0,
        "melee": 1,
        "morale": 11,
        "formation": "unlimbered",
    }
    whole, halved = (
        data() | {"target": guns | {"state": state}, "charger": CHARGER | {"melee": 2}}
        for state in ("good", "disordered")
    )
    results = [watched(file)[0].chances["1.1.melee/melee/charger>target"] for file in (whole, halved)]
    assert results[0] == results[1]


# -- rule 36: readiness ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "keeps", "readiness"), [("decline", False, TIRED), ("melee", False, EXHAUSTED)]
)
def test_a_charge_tires_and_a_charge_with_a_melee_exhausts(plan: str, keeps: bool, readiness: int) -> None:
    """The battalion stands, but on 11; whether the dragoons then melee is theirs to say."""
    _, forces = watched(
        data({"fire": 0, "morale": 11, "line": 0, "formation": "line"}), after_halt=plan, preserve=keeps
    )
    stood = forces.state[1] < ROUTED if plan == "decline" else forces.half.meleed[0]
    assert stood.any()
    assert set(np.asarray(forces.readiness[0])[stood].tolist()) == {readiness}


# -- rule 31: contagion and routers who pass ----------------------------------------------------------


def test_the_others_of_the_hex_check_when_one_fails() -> None:
    """From two hexes there is no straight run: the top battalion checks before the melee, and cannot beat
    66."""
    dice, _ = watched(data({"morale": 66, "fire": 0, "stack": [MUSKETEERS]}, distance=2))
    assert dice.chances["1.1.melee/pre-melee/charger>target"] == {"fail": 1}
    assert dice.asked["1.1.melee/contagion/charger>target-2"] == 1


def test_friends_through_whose_hex_routers_run_check() -> None:
    """Friends on the five other sides leave no way that avoids them; the shortest is straight away, through
    the one in the rear."""
    ring = [
        MUSKETEERS | {"at": place, "fire": 0}
        for place in ("front-left", "rear-left", "rear", "rear-right", "front-right")
    ]
    dice, _ = watched(data({"morale": 66, "fire": 0}, ring, distance=17))
    assert [name for name in dice.asked if "/pass-through/" in name] == [
        "1.1.charge/pass-through/charger>neighbour-3"
    ]


# -- rule 33: the check before a melee ------------------------------------------------------------------


def test_who_has_stood_does_not_check_again_before_the_melee() -> None:
    straight, _ = watched(data({"fire": 0}))
    short, _ = watched(data({"fire": 0}, distance=2))
    assert "1.1.melee/pre-melee/charger>target" not in straight.asked
    assert "1.1.melee/melee/charger>target" in straight.asked
    assert short.asked["1.1.melee/pre-melee/charger>target"] == 1


def test_the_victor_takes_the_hex_that_was_left() -> None:
    _, forces = watched(data({"fire": 0}))
    home = forces.map.number((0, 0))
    beaten = forces.half.meleed[0] & (forces.hex[1] != home) & (forces.hex[0] == home)
    assert beaten.any()


# -- rule 35: lances -----------------------------------------------------------------------------------


def melee_of(charger: dict[str, Any]) -> dict[Any, Fraction]:
    """The melee's chances for light cavalry from two hexes: no straight run, and no loss on either side
    before it."""
    light = {"movement": 14, "type": "Hussar", "increments": 4, "printed": 8}
    file = data({"fire": 0, "line": 0, "square": 0, "melee": 14}, distance=2) | {
        "charger": CHARGER | light | charger
    }
    return watched(file)[0].chances["1.1.melee/melee/charger>target"]


def test_a_line_counts_its_lances_twice_and_in_proportion_and_a_column_not_at_all() -> None:
    """12 and twice 8 are 28, half of it is left: 14 against 14 is 1:1, 10 against 14 is less, 22 against 14
    is 1.5:1. In column the 12 alone."""
    assert melee_of({"formation": "line", "melee": 12, "lance": 8}) == melee_of(
        {"formation": "line", "melee": 28}
    )
    assert melee_of({"formation": "column", "melee": 12, "lance": 8}) == melee_of(
        {"formation": "column", "melee": 12}
    )
    assert melee_of({"formation": "line", "melee": 28}) != melee_of({"formation": "line", "melee": 20})
    assert melee_of({"formation": "line", "melee": 28}) != melee_of({"formation": "line", "melee": 44})


# -- rule 37: the allowance ----------------------------------------------------------------------------


@pytest.mark.parametrize(("distance", "comes"), [(18, True), (19, False)])
def test_a_charge_goes_five_points_beyond_the_printed_movement(distance: int, comes: bool) -> None:
    """12 and 5 are 17 steps, to the hex next to a target 18 hexes away."""
    dice, _ = watched(data({"fire": 0}, distance=distance))
    assert ("1.1.charge/stand/charger>target" in dice.asked) == comes


# -- rule 38: declaration, carré, trampling ------------------------------------------------------------


def test_a_unit_that_was_not_straight_ahead_at_two_hexes_is_passed_and_not_attacked() -> None:
    dice, _ = watched(data({"fire": 0}, path=[0, 0, 1]))
    assert not any("/stand/" in name or "/melee/" in name or "/pre-melee/" in name for name in dice.asked)


def carres(file: dict[str, Any], response: str) -> list[str]:
    """The carré attempts of a charge."""
    return [name for name in watched(file, response)[0].asked if "/carre/" in name]


def test_fewer_than_three_increments_do_not_try_carre() -> None:
    assert carres(data({"increments": 2}), "carre@2") == []
    assert carres(data({"increments": 3}), "carre@2") == ["1.1.charge/carre/charger>target"]


def test_skirmishers_do_not_try_carre_and_nobody_tries_beyond_the_range() -> None:
    assert carres(data(SCREEN), "carre@2") == []
    assert carres(data(), "carre@4") == ["1.1.charge/carre/charger>target"]
    assert carres(data(night=True), "carre@3") == []


def test_a_target_disordered_by_its_attempt_stays_and_is_meleed() -> None:
    """The Coalition's column at one hex: 11 faces form, 11 disorder, 14 rout. A charge from 17 hexes has one
    point left for the step onto the square, and none to catch routers."""
    dice, _ = watched(data({"fire": 0, "square": 0}, distance=17), "carre@1")
    assert dice.chances["1.1.charge/carre/charger>target"] == {
        "formed": Fraction(11, 36),
        "disordered": Fraction(11, 36),
        "routed": Fraction(14, 36),
    }
    assert dice.asked["1.1.melee/melee/charger>target"] == Fraction(22, 36)


def lost(file: dict[str, Any]) -> dict[int, Fraction]:
    """Increments that the routing target loses under the hooves."""
    dice, forces = watched(file)
    found: dict[int, Fraction] = {}
    for lane in range(forces.ensemble.n):
        gone = 6 - int(forces.increments[1, lane])
        found[gone] = found.get(gone, Fraction(0)) + dice.weight(lane)
    return found


def test_routers_are_trampled_before_the_recall_roll_or_only_after_it() -> None:
    """From eight hexes 10 points are left: five increments of six. Dragoons are recalled on 3 or more."""
    file = data({"fire": 0, "morale": 66}, distance=8)
    assert lost(file | {"switches": {"trample": "first"}}) == {5: 1}
    assert lost(file | {"switches": {"trample": "recalled"}})[5] == Fraction(4, 6)


# -- rule 39: reaction ---------------------------------------------------------------------------------

REACTOR = {
    "nation": "Prussian",
    "type": "Dragoner",
    "movement": 12,
    "increments": 6,
    "melee": 24,
    "morale": 22,
    "at": "front-right",
}


@pytest.mark.parametrize(
    ("reactor", "reacts"),
    [({}, True), ({"readiness": "exhausted"}, False), ({"readiness": "tired"}, True), ({"hexes": 8}, False)],
)
def test_a_reactor_needs_a_charger_within_its_zone_and_horses_that_can(
    reactor: dict[str, Any], reacts: bool
) -> None:
    dice, _ = watched(data(reactor=REACTOR | reactor))
    assert [name for name in dice.asked if "/react/" in name] == ["1.1.charge/react/charger>reactor"] * reacts


# -- rule 41: guns -------------------------------------------------------------------------------------

GUNS = {
    "arm": "artillery",
    "nation": "Prussian",
    "increments": 3,
    "fire": 12,
    "melee": 3,
    "morale": 11,
    "formation": "unlimbered",
}


def test_guns_alone_that_fail_their_check_are_lost() -> None:
    _, forces = watched(data() | {"target": GUNS | {"morale": 66}})
    assert set(forces.increments[1].tolist()) == {0}


def test_guns_charged_from_behind_have_no_defensive_fire() -> None:
    fire = "1.1.defensive-fire/fire/charger"
    assert [
        name
        for name in watched(data() | {"target": GUNS})[0].asked
        if "defensive-fire" in name and "/fire/" in name
    ] == [fire]
    assert not any(
        "defensive-fire" in name for name in watched(data(through="rear") | {"target": GUNS})[0].asked
    )


# -- rule 42: recall -----------------------------------------------------------------------------------


def test_who_is_not_recalled_routs_when_the_melees_are_over() -> None:
    """Recalled on 3 or more: two faces of six are not, and from 17 hexes nobody is left to chase."""
    dice, forces = watched(data({"fire": 0, "morale": 66}, distance=17))
    routed = sum(
        (dice.weight(lane) for lane in np.flatnonzero(forces.half.worst[0] >= ROUTED).tolist()),
        Fraction(0),
    )
    assert routed == Fraction(2, 6)
