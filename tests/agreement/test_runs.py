"""A run is the same alone, in any batch, in any order of batches, and as explained (invariants 1 and 8)."""

from __future__ import annotations

import pytest

from sim.battle.setup import play
from sim.ensemble.dice import RandomDice, ScriptedDice
from sim.report.narration import explain
from sim.studies import ends
from sim.studies.batches import simulated_tallies
from sim.studies.measures import SIDES
from sim.studies.odds import responses_of, variants_of
from sim.units import scenarios
from sim.units.orders import Variant
from sim.units.record import Recorder
from sim.vocabulary import GOOD, ROUTED
from tests.agreement.charges import random_charge
from tests.agreement.records import engine_runs
from tests.agreement.several import random_charges

INDICES = [3, 17, 58, 123, 204, 377, 512, 841]


@pytest.mark.parametrize("index", INDICES)
def test_a_run_is_the_same_alone_and_in_batches_of_any_size_and_start(index: int) -> None:
    charge = random_charge(index)
    response = responses_of(charge.attacks[0])[0]
    whole, _ = engine_runs(charge, response, 11, 0, 64)
    for first, n in ((0, 1), (1, 1), (5, 7), (13, 51), (63, 1), (2, 4)):
        part, _ = engine_runs(charge, response, 11, first, n)
        assert part == whole[first : first + n]


@pytest.mark.parametrize("index", INDICES)
def test_tallies_do_not_depend_on_the_batch_size(index: int) -> None:
    charge = random_charge(index)
    variants = variants_of(charge.attacks[0], responses_of(charge.attacks[0]))
    one, _ = simulated_tallies(charge, variants, 500, 3, size=500)
    many, _ = simulated_tallies(charge, variants, 500, 3, size=37)
    assert [tally.events for tally in one] == [tally.events for tally in many]
    assert [tally.losses for tally in one] == [tally.losses for tally in many]


@pytest.mark.parametrize("index", INDICES)
def test_variants_played_together_are_the_same_as_each_alone(index: int) -> None:
    charge = random_charge(index)
    responses = responses_of(charge.attacks[0])
    together, _ = simulated_tallies(charge, variants_of(charge.attacks[0], responses), 200, 5)
    for response, tally in zip(responses, together, strict=True):
        alone, _ = simulated_tallies(charge, variants_of(charge.attacks[0], [response]), 200, 5)
        assert alone[0].events == tally.events


@pytest.mark.parametrize("index", INDICES)
def test_an_explained_run_ends_as_in_the_batch_and_its_rolls_replay_it(index: int) -> None:
    charge = random_charge(index)
    response = responses_of(charge.attacks[0])[-1]
    dice = RandomDice(9, 0, 30)
    played = play(charge, dice, [(Variant.of(charge.attacks[0], response),)])
    end = ends.ends(played)
    for run in (0, 7, 29):
        lane = dice.lane_of_run[run]
        told = explain(charge, response, run, 9)
        assert told["events"] == [name for name, where in ends.events(end) if where[lane]]
        assert told["losses"] == {side: int(ends.losses(end, side)[lane]) for side in SIDES}
        scripted = explain(charge, response, rolls=told["rolls"])
        assert scripted["events"] == told["events"]
        assert [step.get("modified") for step in scripted["steps"]] == [
            step.get("modified") for step in told["steps"]
        ]


def test_a_changed_modifier_changes_no_roll_of_a_decision_both_make() -> None:
    """Common random numbers: what both charges roll, they roll alike, even after they diverge."""
    first = scenarios.load(scenarios.DEFAULT)
    second = scenarios.load(scenarios.DEFAULT, ["target.morale=22"])
    for run in range(40):
        rolls = [
            {
                step["decision"]: step["roll"]
                for step in explain(charge, "stand", run, 2)["steps"]
                if "roll" in step
            }
            for charge in (first, second)
        ]
        shared = rolls[0].keys() & rolls[1].keys()
        assert shared
        assert all(rolls[0][decision] == rolls[1][decision] for decision in shared)


def test_scripted_dice_follow_the_script() -> None:
    """Stands with 66; 12 against 6 on 66 costs 1; the check holds; 52.5 against 16 on 66 at 3:1 routs it over
    ten hexes for 1."""
    charge = scenarios.load(scenarios.DEFAULT)
    dice = ScriptedDice([66, 66, 66, 66])
    forces = play(charge, dice, [(Variant.of(charge.attacks[0], "stand"),)]).forces
    dice.finish()
    assert forces.ensemble.n == 1
    assert forces.state[:, 0].tolist() == [GOOD, ROUTED]
    assert forces.increments[:, 0].tolist() == [8 - 1, 7 - 1]
    assert [forces.map.hex(int(number)) for number in forces.hex[:, 0]] == [(0, 0), (10, 0)]


@pytest.mark.parametrize("index", INDICES)
def test_a_run_ends_the_same_in_lumped_lanes_and_in_a_lane_of_its_own(index: int) -> None:
    charge = random_charge(index)
    response = responses_of(charge.attacks[0])[0]
    together, _ = engine_runs(charge, response, 11, 3, 50)
    apart, _ = engine_runs(charge, response, 11, 3, 50, lumped=False)
    assert apart == together


@pytest.mark.parametrize("index", range(8))
def test_several_charges_end_the_same_in_lumped_lanes_and_in_lanes_of_their_own(index: int) -> None:
    charge = random_charges(index)
    responses = [attack.response for attack in charge.attacks]
    together, _ = engine_runs(charge, responses, 11, 3, 30)
    apart, _ = engine_runs(charge, responses, 11, 3, 30, lumped=False)
    assert apart == together


@pytest.mark.parametrize("index", INDICES)
def test_a_run_is_told_alike_alone_and_in_a_batch(index: int) -> None:
    """The events of its lane, one by one."""
    charge = random_charge(index)
    variant = (Variant.of(charge.attacks[0], responses_of(charge.attacks[0])[-1]),)
    for run in (0, 7):
        alone, among = Recorder(), Recorder(run)
        play(charge, RandomDice(9, run, 1, lumped=False, watched=0), [variant], alone)
        play(charge, RandomDice(9, 0, 12, lumped=False, watched=run), [variant], among)
        told, heard = ([(one.segment, vars(one.event)) for one in who.entries] for who in (among, alone))
        assert told == heard
        assert told
