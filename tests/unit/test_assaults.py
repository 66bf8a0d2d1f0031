"""Infantry assaults: the rules as functions, and the chart that gives the odds of one. Every expected number
was worked out from the tables by hand."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sim
from sim.errors import InputError
from sim.rules import assault as rules
from sim.rules import fire
from sim.rulesets.compiled import AD, BLANK, DD, DR
from sim.vocabulary import (
    ARTILLERY,
    CAVALRY,
    COLUMN,
    DISORDERED,
    GENERAL_ORDER,
    GOOD,
    INFANTRY,
    LIMBERED,
    LINE,
    ROUTED,
    SKIRMISH,
    SQUARE,
    UNLIMBERED,
)
from tests.unit.conftest import Result

NEVER = np.zeros(1, bool)


def one(*values: int) -> np.ndarray:
    return np.array(values)


# -- who ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arm", "formation", "state", "may"),
    [
        (INFANTRY, COLUMN, GOOD, True),
        (INFANTRY, LINE, DISORDERED, True),
        (INFANTRY, SKIRMISH, GOOD, True),
        (INFANTRY, SQUARE, GOOD, False),
        (INFANTRY, COLUMN, ROUTED, False),
        (ARTILLERY, LIMBERED, GOOD, False),
    ],
)
def test_who_may_assault(arm: int, formation: int, state: int, may: bool) -> None:
    assert rules.may_assault(one(arm), one(formation), one(state)).tolist() == [may]


def test_of_a_line_four_increments_count_of_a_stack_in_column_all() -> None:
    """Seed 003; two battalions of 5 and 4 in a hex: nine in column, four in line."""
    stack = np.array([[5, 5], [4, 4]])
    assert rules.counted_increments(stack, one(COLUMN, LINE), 4).tolist() == [9, 4]
    assert rules.counted_increments(one(3), one(LINE), 4).tolist() == [3]


@pytest.mark.parametrize(
    ("arm", "formation", "state", "cavalry", "checks"),
    [
        (INFANTRY, COLUMN, GOOD, False, True),
        (INFANTRY, SQUARE, GOOD, False, True),
        (INFANTRY, GENERAL_ORDER, GOOD, False, False),
        (INFANTRY, GENERAL_ORDER, DISORDERED, False, True),
        (INFANTRY, COLUMN, GOOD, True, False),
        (CAVALRY, COLUMN, GOOD, False, False),
        (ARTILLERY, UNLIMBERED, GOOD, False, False),
        (ARTILLERY, LIMBERED, GOOD, False, True),
    ],
)
def test_which_defenders_check(arm: int, formation: int, state: int, cavalry: bool, checks: bool) -> None:
    found = rules.defender_checks(one(arm), one(formation), one(state), np.array([cavalry]))
    assert found.tolist() == [checks]


def test_attackers_check_but_not_against_skirmishers_nor_with_cavalry() -> None:
    cavalry = np.array([False, False, True])
    found = rules.attacker_checks(one(COLUMN, SKIRMISH, COLUMN), cavalry)
    assert found.tolist() == [True, False, False]


# -- losses by fire -----------------------------------------------------------------------------------

ELITE = np.array([-12, -12, -9, -9, -6, -6, *[0] * 30])
M12, M14, M16, M21 = 1, 3, 5, 6
"""Printed morale 12, 14, 16, 21 as indices."""


@pytest.mark.parametrize(
    ("lost", "in_all", "attacker", "defender", "expected"),
    [
        (2, 2, M21, M21, -6),  # three for each of its own
        (1, 3, M21, M21, -3),
        (1, 3, M21, M16, -18),  # six for each that all have lost
        (0, 2, M21, M14, -18),  # nine, though it has lost none itself
        (1, 1, M21, M12, -12),
        (1, 3, M14, M12, -3),  # elite against elite
        (0, 0, M21, M12, 0),
    ],
)
def test_what_defensive_fire_does_to_an_attacker(
    lost: int, in_all: int, attacker: int, defender: int, expected: int
) -> None:
    """AU16 SR fb19."""
    found = rules.attack_losses(one(lost), one(in_all), one(attacker), one(defender), -3, ELITE)
    assert found.tolist() == [expected]


@pytest.mark.parametrize(
    ("lost", "attacker", "defender", "enough", "expected"),
    [
        (2, M21, M21, True, 0),
        (2, M16, M21, True, -12),
        (2, M16, M14, True, 0),
        (2, M16, M21, False, 0),
    ],
)
def test_what_the_fire_of_elite_attackers_does_to_a_defender(
    lost: int, attacker: int, defender: int, enough: bool, expected: int
) -> None:
    found = rules.defence_losses(one(lost), one(attacker), one(defender), np.array([enough]), ELITE)
    assert found.tolist() == [expected]


# -- before and after ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arm", "formation", "horse_guns", "movement", "attackers", "cavalry", "may"),
    [
        (INFANTRY, SKIRMISH, False, 8, 8, False, True),
        (INFANTRY, SKIRMISH, False, 8, 8, True, False),
        (INFANTRY, COLUMN, False, 8, 6, False, False),
        (CAVALRY, COLUMN, False, 12, 12, False, True),
        (CAVALRY, COLUMN, False, 14, 12, True, True),
        (CAVALRY, COLUMN, False, 13, 12, True, False),
        (ARTILLERY, LIMBERED, True, 12, 8, False, True),
        (ARTILLERY, LIMBERED, True, 9, 8, False, False),
        (ARTILLERY, UNLIMBERED, True, 12, 8, False, False),
        (ARTILLERY, LIMBERED, False, 12, 8, False, False),
    ],
)
def test_who_may_retreat_before_the_melee(
    arm: int, formation: int, horse_guns: bool, movement: int, attackers: int, cavalry: bool, may: bool
) -> None:
    found = rules.may_retreat_before(
        one(arm),
        one(formation),
        one(GOOD),
        np.array([horse_guns]),
        one(movement),
        one(attackers),
        np.array([cavalry]),
        2,
    )
    assert found.tolist() == [may]


def test_the_advance_is_a_must_after_a_letter_for_the_attackers_or_where_nobody_is_left() -> None:
    left = np.array([True, True, True, True, False])
    assert rules.must_advance(one(AD, BLANK, DD, DR, -1), left).tolist() == [False, False, True, True, True]


# -- fire at a range ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hexes", "adjacent", "within", "beside", "barred", "may"),
    [
        (1, False, 0, 0, True, True),
        (2, True, 0, 0, False, False),
        (2, True, 1, 0, False, True),
        (2, False, 1, 1, False, False),
        (2, True, 3, 3, True, False),
        (3, False, 2, 2, False, False),
        (3, False, 0, 3, False, True),
        (4, True, 3, 3, False, False),
    ],
)
def test_which_guns_may_fire_together(
    hexes: int, adjacent: bool, within: int, beside: int, barred: bool, may: bool
) -> None:
    flags = np.array([adjacent]), one(within), one(beside), np.array([barred])
    assert fire.may_combine(one(hexes), *flags, 1, 3).tolist() == [may]


# -- the chart ----------------------------------------------------------------------------------------

HALLE: dict[str, Any] = {
    "ruleset": "halle-1806",
    "attackers": 9,
    "defenders": 6,
    "attack_morale": 32,
    "defence_morale": 34,
}
WHOLE = HALLE | {"attack_melee": 20, "defence_melee": 12}


def shares(**more: Any) -> dict[str, Fraction]:
    answer = sim.chart("assault", **HALLE | more)
    return {one.name: one.p for one in answer.chances}


def passed(**more: Any) -> tuple[int, int]:
    checks = sim.chart("assault", **HALLE | more).numbers["checks"]
    return checks[0]["passed"], checks[1]["passed"]


def test_both_sides_check_with_the_odds() -> None:
    """9 against 6 is 1:1: -3 and +3. Morale 34 is the 16th face and passes on the 20 above it, here on 23;
    32 is the 14th and passes on 22, here on 19."""
    assert passed() == (23, 19)
    assert shares() == {
        "defenders fail their check": Fraction(13, 36),
        "attackers fail their check": Fraction(23 * 17, 36**2),
        "melee": Fraction(23 * 19, 36**2),
    }


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"hexside": "flank"}, (11, 31)),
        ({"hexside": "rear"}, (17, 25)),
        ({"defence_formation": "line"}, (20, 19)),
        ({"defence_formation": "square"}, (29, 19)),
        ({"defence_formation": "skirmish"}, (17, 36)),
        ({"defence_formation": "general order"}, (36, 19)),
        ({"defence_formation": "general order", "defence_state": "disordered"}, (20, 22)),
        ({"defence_state": "disordered"}, (20, 22)),
        ({"attack_state": "disordered"}, (23, 16)),
        ({"attack_half_lost": True, "defence_half_lost": True}, (17, 13)),
        ({"crosses": "stream"}, (26, 16)),
        ({"attack_level": 1, "defence_level": 3}, (11, 16)),
        ({"attack_leader": 3, "defence_leader": 6}, (29, 22)),
        ({"attack_lost": 2}, (23, 13)),
        ({"attackers": 18}, (14, 28)),
        ({"attack_formation": "line"}, (26, 16)),
        ({"attackers": 1}, (29, 13)),
    ],
)
def test_what_the_situation_does_to_the_checks(more: dict[str, Any], expected: tuple[int, int]) -> None:
    """C9 with the early columns of Halle: 3:1 is 6, 1:2 is 6 (four of nine in line against six), below 1:3 is
    9; level 3 is -12 (C16)."""
    assert passed(**more) == expected


def test_elite_defenders_shoot_the_heart_out_of_an_assault() -> None:
    """Austerlitz: morale 15 passes on 31 and three more; each of two increments lost is -6 and not -3."""
    more = {"ruleset": "austerlitz-1805", "defence_morale": 15, "attack_lost": 2}
    assert passed(**more) == (34, 22 - 3 - 12)
    assert passed(**more | {"defence_morale": 21}) == (32, 22 - 3 - 6)
    assert passed(**more | {"ruleset": "halle-1806"}) == (34, 22 - 3 - 6)


def test_elite_attackers_of_bautzen_must_be_as_many_as_the_defenders() -> None:
    """Morale 34 passes on 20; 6 against 6 is 1:1, +3, 5 is 1:2, +6; two lost to morale 13 cost 18."""
    more = {"ruleset": "bautzen-1813", "attack_morale": 13, "defence_lost": 2}
    assert passed(**more | {"attackers": 6})[0] == 20 + 3 - 18
    assert passed(**more | {"attackers": 5})[0] == 20 + 6


def test_the_whole_assault_adds_up_and_its_melee_has_the_charts_counts() -> None:
    """20 against 12 is 1.5:1: 2 AD, 12 blank, 10 DD of 36 (C12)."""
    found = shares(**WHOLE)
    assert sum(found.values()) == 1
    reached = Fraction(23 * 19, 36**2)
    assert [found[f"melee {name}"] / reached * 36 for name in ("AD", "none", "DD")] == [2, 12, 10]


@pytest.mark.parametrize(
    ("more", "strengths", "column"),
    [
        ({}, ("20", "12"), "1.5:1"),
        ({"hexside": "flank"}, ("40", "12"), "3:1"),
        ({"hexside": "rear"}, ("30", "12"), "2.5:1"),
        ({"defence_formation": "square"}, ("30", "12"), "2.5:1"),
        ({"attack_state": "disordered"}, ("10", "12"), "1:2"),
        ({"defence_state": "disordered"}, ("20", "6"), "3:1"),
        ({"defence_state": "routed"}, ("20", "4"), "5:1"),
        ({"attack_formation": "skirmish", "defence_formation": "skirmish"}, ("10", "6"), "1.5:1"),
        ({"crosses": "stream"}, ("40/3", "12"), "1:1"),
    ],
)
def test_what_multiplies_the_melee_values(
    more: dict[str, Any], strengths: tuple[str, str], column: str
) -> None:
    """C10, C11."""
    melee = sim.chart("assault", **WHOLE | more).numbers["melee"]
    assert (melee["attack"], melee["defence"], melee["column"]) == (*strengths, column)


def test_a_leader_leads_the_melee() -> None:
    """1.5:1 has ten DD, on 53 to 66; one pip more gives eleven."""
    reached = Fraction(23 * 19, 36**2)
    assert shares(**WHOLE, melee_leader=1)["melee DD"] / reached * 36 == 11


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"defence_morale": None}, "attack_morale and defence_morale must be given together"),
        ({"attack_melee": 20}, "attack_melee and defence_melee must be given together"),
        ({"attack_melee": 0, "defence_melee": 3}, "attack_melee and defence_melee must be above 0"),
        ({"attack_formation": "square"}, "'attack_formation' must be"),
        ({"attack_state": "routed"}, "'attack_state' must be"),
        ({"crosses": "moat"}, "crosses must be one of"),
        ({"defence_nation": "Danish"}, "defence_nation must be one of French, Prussian"),
    ],
)
def test_what_cannot_be_asked_is_told(more: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError) as error:
        sim.chart("assault", **HALLE | more)
    assert told in str(error.value)


def test_an_assault_is_printed_with_its_checks_and_its_melee(ok: Callable[..., Result]) -> None:
    found = ok(
        *("chart", "assault", "--ruleset", "halle-1806", "--attackers", 9, "--defenders", 6),
        *("--attack-morale", 32, "--defence-morale", 34, "--attack-melee", 20, "--defence-melee", 12),
        *("--hexside", "flank", "--attack-lost", 1),
    ).out
    lines = [" ".join(line.split()) for line in found.splitlines()]
    for told in (
        "defenders: pass on 11 of 36",
        "attackers: pass on 28 of 36",
        "-3 lost by fire [PRINT] AU16 SR fb19, FD fb16",
        "melee: 40 against 12: column 3:1",
        "×2 through the flank (attackers) [PRINT] LZ p12",
        "defenders fail their check 69.4 % 25/36",
        "attackers fail their check 6.8 % 11/162",
        "melee DD 13.9 % 539/3888 32-64",
    ):
        assert told in lines, told
    assert max(map(len, found.splitlines())) <= 100


@pytest.mark.parametrize(
    ("options", "column", "share"),
    [
        ({"range": 1}, "2.5:1", "1"),  # 18 against 9 is 2:1, canister 2.5:1
        ({"range": 3}, "2:1", "1"),
        ({"range": 6}, "1:1", "1/2"),
        ({"range": 10}, "1:1.5", "1/3"),  # 6 against 9
        ({"range": 1, "skirmishers": True}, "2:1", "1"),
        ({"range": 2, "skirmishers": True}, "1:1", "1/2"),
    ],
)
def test_fire_at_a_range(options: dict[str, Any], column: str, share: str) -> None:
    numbers = sim.chart("fire", attack=18, defence=9, **options).numbers
    assert (numbers["column"], numbers["share"]) == (column, share)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"range": 11}, "range must be at most 10 for guns in base, got 11"),
        ({"range": 3, "skirmishers": True}, "range must be at most 2 for skirmishers in base, got 3"),
        ({"skirmishers": True}, "range must be given with skirmishers"),
        ({"range": 2, "canister": True}, "canister must not be given with range"),
    ],
)
def test_fire_out_of_range_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        sim.chart("fire", attack=18, defence=9, **options)
