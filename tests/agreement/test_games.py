"""Games against what is counted otherwise: fixed plans against exact odds, backward induction against every
pair of policies.

The points of choice of a charge, in the order in which the rules let the sides decide (docs/charge.md 4.5):

1. at each hex the other side's cavalry reacts or waits (39; R1)
2. at each of 4 to 1 hexes infantry that is charged, and sees it, tries carré or waits, once a charge (38)
3. what tried before it was declared: the charger presses, breaks off, turns to a second unit or away, or
   rides over its square (seed 002; D N21.1, N22.1)
4. without a declared target the charger rides on or halts in any hex (D N7)
5. a target that routs: trample or follow, before the recall roll or after it by edition (D N14, N15); 2014:
   to pursue what fled at its attempt
6. after both fire segments the charger melees what it need not melee, or declines (D N12.1)
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from sim.ensemble.games import CHOICE, Choice, Game, Pick, Worth
from sim.studies import ends
from sim.studies.measures import CLEAN, SUCCEEDS
from sim.studies.odds import Row, exact_odds, responses_of
from sim.studies.solve import TARGETS_CHOICES, Ends, open_game, planned, responds
from sim.units.charges import Charge
from tests.agreement.charges import random_charge


def measures(codes: ends.Codes) -> list[Any]:
    """Success, clean success, increments lost."""
    events = [ends.happened(codes, event) for event in (SUCCEEDS, CLEAN)]
    return events + [ends.losses(codes, side) for side in ("target", "charger")]


def kept(charge: Charge, row: Row) -> Pick:
    """Who chooses as a fixed plan and response do."""

    def pick(_: int, choice: Choice, __: Sequence[Worth]) -> int:
        if choice.name in TARGETS_CHOICES:
            return choice.options.index(responds(charge, row.response, choice))
        return choice.options.index(planned(row.variant.plan(), choice))

    return pick


@pytest.mark.parametrize("chunk", range(4))
def test_a_fixed_plan_in_the_game_has_its_exact_odds(chunk: int) -> None:
    compared = 0
    for index in range(chunk, 60, 4):
        charge = random_charge(index)
        if len(charge.attacks) > 1 or index == 6:  # the sixth has 40,000 ends
            continue
        game, measured = open_game(charge, measures)
        for row in exact_odds(charge, 0, responses_of(charge.attacks[0]), None, "broken"):
            found = game.induct(measured, kept(charge, row))[0][0].fractions()
            tally = row.tally
            expected = (tally.p(SUCCEEDS), tally.p(CLEAN))
            assert found == (*expected, tally.mean_loss("target"), tally.mean_loss("charger")), charge.title
            compared += 1
    assert compared > 20


def small_game(seed: int) -> tuple[Game, Ends, dict[int, bool]]:
    """A game of two sides with few choices, positions that come together, and who chooses."""
    draw = random.Random(seed)
    game, waiting, minimizes = Game(1), [0], {}
    for _ in range(draw.randint(3, 9)):
        position = waiting.pop(draw.randrange(len(waiting)))
        position = min([position, *waiting]) if draw.random() < 0.5 and waiting else position
        if game.ways[position]:
            continue
        follow = [*game.more(draw.randint(2, 3))]
        if draw.random() < 0.5 and len(game.choices) < 6:
            game.ways[position], game.kind[position] = tuple(enumerate(follow)), CHOICE
            names = tuple(map(str, range(len(follow))))
            game.choices[position] = Choice("choice", 0, 0, names, {})
            minimizes[position] = draw.random() < 0.5
        else:
            faces = [1] * (len(follow) - 1)
            game.ways[position] = tuple(zip([6 - sum(faces), *faces], follow, strict=True))
            game.kind[position] = 6
        waiting += follow
        if draw.random() < 0.4:  # two ends become one position
            last = [one for one in range(len(game)) if not game.ways[one] and one in follow]
            if len(last) > 1:
                game.kind[last[0]], game.ways[last[0]] = 1, ((1, last[-1]),)
        waiting = [one for one in range(len(game)) if not game.ways[one]]
    return game, {one: (draw.randint(-4, 4),) for one in waiting}, minimizes


def value(game: Game, measured: Ends, policy: dict[int, int], position: int = 0) -> Fraction:
    """The mean of the ends, from the beginning on."""
    ways = game.ways[position]
    if not ways:
        return Fraction(measured[position][0])
    if game.kind[position] == CHOICE:
        return value(game, measured, policy, ways[policy[position]][1])
    whole = game.kind[position]
    return sum((Fraction(n, whole) * value(game, measured, policy, after) for n, after in ways), Fraction(0))


@pytest.mark.parametrize("seed", range(40))
def test_induction_finds_what_every_pair_of_policies_gives(seed: int) -> None:
    """The worst that the best policy of one side can meet, over all of the other's; both ways round."""
    game, measured, minimizes = small_game(seed)

    def best(position: int, _: Choice, worths: Sequence[Worth]) -> int:
        told = [worth.fractions()[0] for worth in worths]
        return told.index(min(told) if minimizes[position] else max(told))

    found = game.induct(measured, best)[0][0].fractions()[0]
    sides = [[one for one in game.choices if minimizes[one] is side] for side in (True, False)]
    policies = [
        [dict(zip(side, one, strict=True)) for one in product(*(range(len(game.ways[p])) for p in side))]
        for side in sides
    ]
    table = [[value(game, measured, low | high) for high in policies[1]] for low in policies[0]]
    assert found == min(map(max, table)) == max(map(min, zip(*table, strict=True)))
