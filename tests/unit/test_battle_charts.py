"""What the shipped rule sets say of fire at a range and of assaults, against the tables it was taken from."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sim.ensemble import ladder
from sim.rulesets import catalogue, shipped
from sim.rulesets.blocks import Foot
from sim.rulesets.rulebook import Rulebook, rulebook


def book_of(name: str) -> Rulebook:
    rules = catalogue.load(name)
    return rulebook(rules, rules.switches())


@pytest.mark.parametrize("name", shipped.names())
def test_a_battery_of_no_own_values_has_all_its_fire_to_three_half_to_six_a_third_to_ten(name: str) -> None:
    """0-decisions 6."""
    shares = book_of(name).gun_shares.fractions()
    assert shares[1:4] == [Fraction(1)] * 3
    assert shares[4:7] == [Fraction(1, 2)] * 3
    assert shares[7:11] == [Fraction(1, 3)] * 4
    assert [shares[0], *shares[11:]] == [0, 0]


@pytest.mark.parametrize("name", shipped.names())
def test_skirmishers_fire_at_two_hexes_by_half(name: str) -> None:
    """B4.4."""
    assert book_of(name).skirmish_shares.fractions() == [0, 1, Fraction(1, 2), 0]


@pytest.mark.parametrize("name", ["aspern-essling-1809", "wagram-1809", "leipzig-1813"])
def test_austrian_rifles_count_four_three_and_two(name: str) -> None:
    """E6.4: increments times 4, 3, 2 at one, two, three hexes."""
    troop = book_of(name).ruleset.troop("Austrian", "Jäger")
    assert isinstance(troop, Foot)
    assert troop.skirmish
    assert troop.skirmish_range
    assert [troop.skirmish * troop.skirmish_range[hexes] for hexes in (1, 2, 3)] == [4, 3, 2]


ELITE = {11: -12, 12: -12, 13: -9, 14: -9, 15: -6, 16: -6}


@pytest.mark.parametrize("name", shipped.names())
def test_who_is_elite(name: str) -> None:
    """C9: printed morale 11 to 16, in Austerlitz, Friedland and Bautzen."""
    has = name in ("austerlitz-1805", "friedland-1807", "bautzen-1813")
    wanted = [ELITE.get(face, 0) if has else 0 for face in ladder.FACES]
    assert book_of(name).elite.tolist() == wanted


@pytest.mark.parametrize("name", shipped.names())
def test_guns_of_two_hexes_need_an_artillery_leader_and_the_allies_of_leipzig_never_combine(
    name: str,
) -> None:
    """B5.3."""
    combine = book_of(name).blocks.fire.combine
    allies = ("Austrian", "Russian", "Prussian") if name == "leipzig-1813" else ()
    assert (combine.two, combine.three, combine.never) == (1, 3, allies)


# what a line adds to the attackers' dice: C9, and the battles that differ
ATTACK = {
    "through the flank": 12,
    "through the rear": 6,
    "defender in skirmish order": 0,
    "defender disordered": 3,
    "defender routed": 6,
    "up a slope": -3,
    "across a stream": -3,
    "half the increments lost": -6,
    "disordered": -3,
}
OTHERWISE = {
    "wagram-1809": {
        "through the flank": 0,
        "through the rear": 0,
        "defender disordered": 0,
        "defender routed": 0,
        "up a slope": -2,
        "across a stream": -6,
    },
    "bautzen-1813": {"defender disordered": 0, "defender routed": 0, "up a slope": -2, "across a stream": -6},
    "hagelberg-1813": {"through the flank": 0},
}


@pytest.mark.parametrize("name", shipped.names())
def test_what_is_added_to_the_attackers_dice(name: str) -> None:
    """C9: a line about the defender takes no general modifier's place, so that who assaults in disorder loses
    three pips."""
    found = {one.label: one.values[0][1] for one in book_of(name).premelee_attack_modifiers.modifiers}
    wanted = ATTACK | OTHERWISE.get(name, {})
    assert {label: found[label] for label in wanted} == wanted
