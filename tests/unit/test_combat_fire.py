"""One attack by fire, worked out by hand (docs/charge.md 9): who fires, strengths, losses, leaders."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sim.combat.fire import attack
from sim.combat.play import Play
from sim.combat.told import Fired
from sim.ensemble.dice import Dice, ExhaustiveDice, RandomDice, ScriptedDice
from sim.units.charges import Leader
from sim.vocabulary import DISORDERED, GOOD, ROUTED
from tests.agreement.positions import book_of
from tests.field import Placed, battle, cases, flags, told, unit

AHEAD = (1, 0)
"""In front of the target, which faces east."""


def facing(at: tuple[int, int]) -> int:
    """The facing of a column next to (0, 0) that looks at it."""
    return 2 * {(1, 0): 3, (0, 1): 4, (-1, 1): 5, (-1, 0): 0, (0, -1): 1, (1, -1): 2}[at]


def column(name: str, at: tuple[int, int], **facts: Any) -> Placed:
    """Infantry in column of side 0 that looks at (0, 0), with a fire of 5."""
    return unit(name, 0, at, facing(at), **{"fire": Fraction(5)} | facts)


def line(name: str, at: tuple[int, int], **facts: Any) -> Placed:
    """Infantry in line of side 0, one of whose front sides is toward (0, 0); each increment counts 2."""
    multiples = {"line": Fraction(2), "square": Fraction(1), "skirmish": Fraction(3, 2)}
    given: dict[str, Any] = {"formation": "line", "multiples": multiples}
    return unit(name, 0, at, (facing(at) + 1) % 12, **given | facts)


def guns(name: str, at: tuple[int, int], **facts: Any) -> Placed:
    """An unlimbered battery of side 0, half of four increments left, with a fire of 12."""
    given: dict[str, Any] = {"arm": "artillery", "formation": "unlimbered", "fire": Fraction(12)}
    return unit(name, 0, at, facing(at), **given | {"increments": 2, "printed": 4} | facts)


def target(**facts: Any) -> Placed:
    """Infantry in column of side 1 at (0, 0) that faces east; every loss calls for a check."""
    return unit("target", 1, (0, 0), 0, **facts)


def shots(play: Play) -> list[Fired]:
    """The attacks that were told."""
    assert play.recorder is not None
    return [entry.event for entry in play.recorder.entries if isinstance(entry.event, Fired)]


def shoot(play: Play, **how: Any) -> None:
    """Fire at unit 0."""
    attack(play, cases(play.forces, 0), "28", **how)


# -- a volley -------------------------------------------------------------------------------------

THREE = [column("column", AHEAD), line("line", (0, 1), increments=6), guns("guns", (1, -1))]


def test_a_volley_from_three_hexes() -> None:
    """5 + 2 x 4 (of six increments four fire) + 12 x 2/4 = 19 against 6: 3:1, canister 4:1; a 23 costs 1."""
    play = battle([target(), *THREE], ScriptedDice([23, 66]), told=True)
    shoot(play)
    [shot] = shots(play)
    assert shot.strengths is not None
    assert [share.who for share in shot.strengths.attack] == ["column", "line", "guns"]
    assert [share.value for share in shot.strengths.attack] == [5, 8, 6]
    assert shot.strengths.total("defence") == 6
    assert (shot.strengths.column, shot.outcome, shot.modifiers) == ("4:1", "1", ())
    assert play.forces.increments[0, 0] == 7
    assert told(play) == [("Fired", 0), ("Lost", 0), ("Checked", 0)]


def test_the_hexes_of_a_unit_that_may_not_shoot_are_silent_and_so_is_every_hex_that_has_fired() -> None:
    play = battle([target(), *THREE], ScriptedDice([11, 11]), told=True)
    shoot(play, shooters=flags(play, 2, 3), once=True)
    shoot(play, once=True, repeatable=True)
    assert [[share.who for share in shot.strengths.attack] for shot in shots(play) if shot.strengths] == [
        ["line", "guns"],
        ["column"],
    ]


@pytest.mark.parametrize(
    ("changes", "who"),
    [
        ({"state": "routed"}, []),
        ({"facing": 0}, []),
        ({"formation": "road march"}, []),
        ({}, ["column"]),
    ],
)
def test_who_is_routed_looks_elsewhere_or_marches_does_not_fire(
    changes: dict[str, Any], who: list[str]
) -> None:
    facts = {name: value for name, value in changes.items() if name != "facing"}
    one = unit("column", 0, AHEAD, changes.get("facing", facing(AHEAD)), fire=Fraction(5), **facts)
    play = battle([target(), one], ScriptedDice([11] * len(who)), told=True)
    shoot(play)
    found = [share.who for shot in shots(play) if shot.strengths for share in shot.strengths.attack]
    assert found == who


def test_the_top_unit_of_a_hex_fires_for_all_and_its_guns_join_a_line_but_not_a_column() -> None:
    for top, expected in ((column("top", AHEAD), ["top"]), (line("top", AHEAD), ["top and below", "guns"])):
        below = line("below", AHEAD, increments=1)
        play = battle([target(), top, below, guns("guns", AHEAD)], ScriptedDice([11]), told=True)
        shoot(play)
        [shot] = shots(play)
        assert shot.strengths is not None
        assert [share.who for share in shot.strengths.attack] == expected


def test_a_square_fires_a_third_through_a_side_and_half_as_much_at_an_enemy_on_top_of_it() -> None:
    book = book_of("prusse-1806").blocks.fire
    for at, divisor in ((AHEAD, book.square_divisor), ((0, 0), book.on_top_divisor)):
        square = line("square", AHEAD, formation="square")
        placed = unit("square", 0, at, 0, formation="square", multiples=square.unit.multiples)
        horse = unit("horse", 1, (0, 0), arm="cavalry", formation="column")
        play = battle([horse, placed], ScriptedDice([11]), told=True)
        shoot(play)
        [shot] = shots(play)
        assert shot.strengths is not None
        assert shot.strengths.total("attack") == Fraction(8, divisor)


def test_all_through_the_flank_defence_is_that_of_the_flank_at_most() -> None:
    """A line has 9; it faces the corner between directions 5 and 0, and direction 1, flank, has 6."""
    for places, defence in (([(0, 1)], 6), ([(0, 1), (1, 0)], 9)):
        firers = [column(f"c{i}", at) for i, at in enumerate(places)]
        line_of_target = unit("target", 1, (0, 0), 11, formation="line", increments=4)
        play = battle([line_of_target, *firers], ScriptedDice([11]), told=True)
        shoot(play)
        [shot] = shots(play)
        assert shot.strengths is not None
        assert shot.strengths.total("defence") == defence


def test_a_crowded_target_adds_to_the_roll_and_loses_from_the_top() -> None:
    """Twelve increments: +3. 24 against 6 is 4:1, where 61 and more cost 2: one of each unit."""
    strong = [column(f"c{i}", at, fire=Fraction(8)) for i, at in enumerate([(1, 0), (0, 1), (1, -1)])]
    pair = [target(increments=1), unit("below", 1, (0, 0), losses=(3, 3))]
    play = battle([*pair, unit("third", 1, (0, 0), increments=3), *strong], ScriptedDice([61]), told=True)
    shoot(play)
    [shot] = shots(play)
    assert shot.modifiers[0][:2] == ("massed target", 3)
    assert shot.outcome == "2"
    assert play.forces.increments[:3, 0].tolist() == [0, 7, 3]
    assert [one for one in told(play) if one[0] == "Lost"] == [("Lost", 0), ("Lost", 1)]


def test_with_guns_losses_fall_in_turn_and_guns_alone_lose_half() -> None:
    strong = [column("c", AHEAD, fire=Fraction(90))]  # 10:1: 66 costs 5
    battery = unit("battery", 1, (0, 0), arm="artillery", formation="unlimbered", losses=(9, 9))
    foot = target(losses=(9, 9))
    both = battle([foot, battery, *strong], ScriptedDice([66]))
    shoot(both)
    assert (8 - both.forces.increments[:2, 0]).tolist() == [3, 2]
    alone = battle([battery, *strong], ScriptedDice([66]))
    shoot(alone)
    assert 8 - alone.forces.increments[0, 0] == 2


# -- leaders --------------------------------------------------------------------------------------

LEADER = Leader("leader", "leader", 3, 0, 0)


def with_leader(dice: Dice) -> Play:
    """Fire of 60 at 10:1 at a hex with a leader of morale 3."""
    units = [
        target(losses=(9, 9)),
        unit("below", 1, (0, 0), losses=(9, 9)),
        column("c", AHEAD, fire=Fraction(60)),
    ]
    return battle(units, dice, told=isinstance(dice, ScriptedDice), leaders=[(LEADER, (0, 1))])


def test_a_leader_who_is_out_shakes_his_hex() -> None:
    """A natural 66 hits him; with a 1 he is out; then both check at -3: 36 is 33, and fails, 41 is 34."""
    play = with_leader(ScriptedDice([66, 1, 36, 41]))
    shoot(play)
    assert play.forces.state[:2, 0].tolist() == [DISORDERED, GOOD]
    assert play.recorder is not None
    names = [getattr(entry.event, "decision", None) for entry in play.recorder.entries]
    kinds = [one.name.rpartition("/")[2] for one in names if one is not None]
    assert kinds == ["fire", "leader", "leader-check", "leader-check", "contagion"][:4]


def test_the_exact_chance_that_a_leader_falls_is_two_in_thirty_six_and_four_in_five() -> None:
    dice = ExhaustiveDice()
    play = with_leader(dice)
    shoot(play)
    weights = np.array(dice.fractions(), object)
    out = play.forces.leader_fate[0] == 1
    assert weights[out].sum() == Fraction(2, 36) * Fraction(4, 5)


def test_a_run_is_shot_at_alike_in_lanes_that_it_shares_and_in_one_of_its_own() -> None:
    shared, apart = RandomDice(11, 5, 3000), RandomDice(11, 5, 3000, lumped=False)
    together, alone = with_leader(shared), with_leader(apart)
    shoot(together)
    shoot(alone)
    assert together.ensemble.n < 40
    for name in ("increments", "state", "hex", "leader_fate"):
        merged, own = getattr(together.forces, name), getattr(alone.forces, name)
        assert (merged[:, shared.lane_of_run] == own).all(), name


def test_cavalry_that_fails_by_its_losses_routs_without_a_roll() -> None:
    play = battle(
        [target(losses=(9, 9), state="disordered"), column("c", AHEAD, fire=Fraction(60))], ScriptedDice([66])
    )
    play.forces.roster.routs_on_loss[0] = True
    shoot(play)
    assert play.forces.state[0, 0] == ROUTED


def test_the_routed_of_a_hex_do_not_count_in_its_fire() -> None:
    top, mate = line("top", AHEAD, increments=1), line("mate", AHEAD, increments=3, state="routed")
    play = battle([target(), top, mate], ScriptedDice([11]), told=True)
    shoot(play)
    [shot] = shots(play)
    assert shot.strengths is not None
    assert shot.strengths.total("attack") == 2
