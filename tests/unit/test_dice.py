"""Dice that belong to decisions: streams, splitting of lanes, exact weights, scripted rolls (charge.md
section 13)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator, Philox

from sim.ensemble.cases import Cases
from sim.ensemble.dice import (
    Chart,
    Decision,
    Dice,
    ExhaustiveDice,
    RandomDice,
    ScriptedDice,
    digest_of,
    stream,
)
from sim.ensemble.frames import Frame, Row, per_lane
from sim.ensemble.ladder import FACES
from sim.ensemble.lanes import Ensemble, Ids
from sim.ensemble.philox import uniform
from sim.errors import CarreError, LaneLimitError, RepeatedDecisionError, ScriptError
from sim.rulesets import catalogue
from sim.rulesets.rulebook import Rulebook, rulebook

UNITS, BY, ABOUT = 5, 1, 3
NAME = "1.1.charge/carre"
DECISION = Decision(NAME, BY, ABOUT)
WHOLE = 400

few = settings(max_examples=40)
seeds = st.integers(0, 2**64 - 1)
firsts = st.integers(0, WHOLE - 1)


class Facts(Frame):
    """Lanes with one fact; `variant` is the fact that tells the variants of a charge apart."""

    fact: Row = per_lane("a fact", low=-32_768)
    variant: Row = per_lane("which variant")

    @property
    def n(self) -> int:
        return self.ensemble.n

    def all(self) -> Ids:
        return self.ensemble.all()


def lanes_of(n: int = 1) -> Facts:
    return Facts(Ensemble(UNITS, 0, n))


def begin(dice: Dice, n: int = 1) -> Facts:
    lanes = lanes_of(n)
    dice.begin(lanes.ensemble)
    return lanes


def chart_of(*rows: list[int], outcomes: int | None = None, natural: list[list[int]] | None = None) -> Chart:
    values = np.array(rows, np.int16)
    names = tuple(f"outcome {number}" for number in range(outcomes or int(values.max()) + 1))
    return Chart("chart", values, names, None if natural is None else np.array(natural, np.int16))


def ask(
    dice: Dice,
    name: str,
    lanes: Ids,
    chart: Chart,
    column: int = 0,
    shift: int = 0,
    again: bool = False,
    about: int = ABOUT,
) -> tuple[Ids, list[int]]:
    """Ask for one decision with the same column and shift in each lane."""
    n = len(lanes)
    cases = Cases(dice.ensemble, lanes, np.full(n, about), np.full(n, BY), dice.ensemble.epoch)
    found, values = dice.ask(name, cases, chart, np.full(n, column), np.full(n, shift), again)
    return found.lane, values.tolist()


def philox(seed: int, name: str, nth: int = 0, about: int = ABOUT) -> Generator:
    """The stream of a decision as charge.md section 13 defines it."""
    key = np.array([seed, digest_of(name)], np.uint64)
    return Generator(Philox(key=key, counter=[0, (BY << 16) + about, nth, 0]))


def expected_rolls(seed: int, name: str, n: int, faces: int = 36, nth: int = 0) -> list[int]:
    """Rolls of runs 0..n-1, without any slicing."""
    return [int(faces * u) for u in philox(seed, name, nth).random(n).tolist()]


HALVES = chart_of([0] * 18 + [1] * 18)
LADDER = chart_of(list(range(36)))
DIE = chart_of(list(range(6)))
FIVE = chart_of(list(range(5)))


@pytest.fixture(scope="module")
def book() -> Rulebook:
    rules = catalogue.load("prusse-1806")
    return rulebook(rules, rules.switches())


# -- streams ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decision", "digest"),
    [
        # as `printf %s NAME | b2sum -l 64` tells them
        ("1.1.charge/carre/target", "e4ad7f2ad7593507"),
        ("1.1.melee/melee/charger>target", "47e1ec850cb418f8"),
        ("1.1.charge/stand/target", "d1a78396f8901193"),
    ],
)
def test_the_digest_is_the_little_endian_blake2b_of_the_name(decision: str, digest: str) -> None:
    assert digest_of(decision) == int.from_bytes(bytes.fromhex(digest), "little")


@few
@given(seeds, firsts, st.integers(1, 40))
def test_element_i_of_a_stream_is_the_same_in_every_slice(seed: int, first: int, n: int) -> None:
    whole = philox(seed, NAME).random(WHOLE + 40)
    assert np.array_equal(stream(seed, DECISION, first, n), whole[first : first + n])


@pytest.mark.parametrize("first", range(9))
def test_a_slice_may_begin_anywhere_in_a_block_of_four(first: int) -> None:
    assert np.array_equal(stream(7, DECISION, first, 5), stream(7, DECISION, 0, 20)[first : first + 5])


@pytest.mark.parametrize("first", [10**12, 10**12 + 1, 10**12 + 2, 10**12 + 3])
def test_a_slice_may_begin_a_million_million_runs_on(first: int) -> None:
    assert np.array_equal(stream(7, DECISION, first, 3), stream(7, DECISION, first - 6, 9)[6:])


def test_streams_are_uniform_between_0_and_1() -> None:
    values = stream(3, DECISION, 0, 40_000)
    assert values.dtype == np.float64
    assert values.min() >= 0
    assert values.max() < 1
    counts = np.bincount((36 * values).astype(int), minlength=36)
    chi_square = float(((counts - 40_000 / 36) ** 2 / (40_000 / 36)).sum())
    assert chi_square < 85  # 35 degrees of freedom: exceeded once in 200,000 seeds; this seed is fixed


def test_the_key_holds_all_64_bits_of_seed_and_digest() -> None:
    """A list as key would pass through float64 and lose the low bits of either (design.md, idea 2)."""
    name = next(
        name
        for name in (f"decision {number}" for number in range(99))
        if digest_of(name) >= 2**63 and digest_of(name) % 2048
    )
    seed = 2**63 - 25
    whole = Generator(Philox(key=seed | digest_of(name) << 64)).random(12)
    rounded = Generator(Philox(key=seed | int(float(digest_of(name))) << 64)).random(12)
    assert np.array_equal(stream(seed, Decision(name, 0, 0), 0, 12), whole)
    assert not np.array_equal(rounded, whole)


def test_decisions_that_differ_in_anything_and_two_seeds_have_different_streams() -> None:
    decision = Decision("1.1.melee/star", 1, 2)
    first = stream(1, decision, 0, 8)
    for seed, other in (
        (1, decision._replace(name="1.1.melee/melee")),
        (1, decision._replace(by=2)),
        (1, decision._replace(about=1)),
        (1, decision._replace(by=2, about=1)),
        (1, decision._replace(nth=1)),
        (2, decision),
        (2**63, decision),
    ):
        assert not np.any(first == stream(seed, other, 0, 8))


def test_who_acts_and_whom_it_is_about_are_counter_word_1_and_how_often_before_is_word_2() -> None:
    key = np.array([9, digest_of("1.1.melee/star")], np.uint64)
    expected = Generator(Philox(key=key, counter=[0, (300 << 16) + 7, 4, 0])).random(12)
    assert np.array_equal(stream(9, Decision("1.1.melee/star", 300, 7, 4), 5, 7), expected[5:])


def test_numpy_integers_in_place_of_integers_give_the_same_rolls() -> None:
    plain = stream(5, DECISION, 7, 9)
    seed, first, n, by, about = np.array([5, 7, 9, BY, ABOUT])
    assert np.array_equal(stream(seed, Decision(NAME, by, about), first, n), plain)
    for dice in (RandomDice(5, 7, 9), RandomDice(seed.astype(np.uint64), first.astype(np.int32), n)):
        lanes = begin(dice)
        found, values = ask(dice, NAME, lanes.all(), LADDER)
        by_lane = dict(zip(found.tolist(), values, strict=True))
        assert [by_lane[lane] for lane in dice.lane_of_run.tolist()] == (36 * plain).astype(int).tolist()


def test_compiled_rolls_are_numpys_bit_for_bit() -> None:
    rng = np.random.default_rng(3)
    for seed in (0, 5, 2**63 - 25, 2**64 - 1):
        pair, nth = rng.integers(0, 2**32, 200), rng.integers(0, 9, 200)
        run = np.concatenate([np.arange(100), rng.integers(0, 10**13, 100)])
        found = uniform(seed, digest_of(NAME), pair, nth, run)
        expected = [
            stream(seed, Decision(NAME, int(two) >> 16, int(two) & 0xFFFF, int(times)), int(one), 1)[0]
            for two, times, one in zip(pair, nth, run, strict=True)
        ]
        assert found.tolist() == expected


# -- charts -------------------------------------------------------------------------------------------


def test_a_row_is_shifted_and_clamped_and_the_natural_part_stays_where_it_was() -> None:
    """Leaders are hit by the natural roll, losses go by the modified one (B2.7)."""
    chart = chart_of([0] * 35 + [1], natural=[[0] * 34 + [1, 1]])
    assert chart.rows(np.array([0]), np.array([0]))[0].tolist() == [0] * 34 + [2, 3]
    assert chart.rows(np.array([0]), np.array([-1]))[0].tolist() == [0] * 34 + [2, 2]
    assert chart.rows(np.array([0]), np.array([2]))[0].tolist() == [0] * 33 + [1, 3, 3]
    assert chart.rows(np.array([0]), np.array([99]))[0].tolist() == [1] * 34 + [3, 3]


def test_each_case_has_its_own_column_and_shift() -> None:
    chart = chart_of([0, 0, 0, 1, 1, 1], [2, 2, 2, 2, 2, 3])
    rows = chart.rows(np.array([0, 1, 0]), np.array([0, 1, -2]))
    assert rows.tolist() == [[0, 0, 0, 1, 1, 1], [2, 2, 2, 2, 3, 3], [0, 0, 0, 0, 0, 1]]


@pytest.mark.parametrize(("chart", "faces"), [(LADDER, 36), (DIE, 6), (FIVE, 5)])
def test_every_face_of_every_die_is_equally_likely_and_rolled(chart: Chart, faces: int) -> None:
    assert chart.faces == faces
    exact, lanes = ExhaustiveDice(), lanes_of()
    exact.begin(lanes.ensemble)
    ask(exact, NAME, lanes.all(), chart)
    assert exact.fractions() == [Fraction(1, faces)] * faces
    random, lanes = RandomDice(4, 0, 900), lanes_of()
    random.begin(lanes.ensemble)
    found, values = ask(random, NAME, lanes.all(), chart)
    assert sorted(values) == list(range(faces))
    by_lane = dict(zip(found.tolist(), values, strict=True))
    assert [by_lane[lane] for lane in random.lane_of_run.tolist()] == expected_rolls(4, NAME, 900, faces)


def test_a_result_that_is_rolled_again_leaves_weights_of_a_fifth(book: Rulebook) -> None:
    """0-decisions 5.14: a leader cannot be captured by fire."""
    for chart, expected in zip(
        book.leader_charts,
        (
            {"out": Fraction(4, 6), "captured": Fraction(1, 6), "fit": Fraction(1, 6)},
            {"out": Fraction(4, 5), "fit": Fraction(1, 5)},
        ),
        strict=True,
    ):
        dice, lanes = ExhaustiveDice(), lanes_of()
        dice.begin(lanes.ensemble)
        found, values = ask(dice, "1.1.melee/leader/target-leader", lanes.all(), chart)
        assert {
            chart.outcomes[value]: dice.fractions()[lane]
            for lane, value in zip(found.tolist(), values, strict=True)
        } == expected


# -- asking -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [lambda: RandomDice(1, 0, 10), ExhaustiveDice, lambda: ScriptedDice([43, 26])]
)
def test_a_decision_is_taken_once_in_a_lane(make: type[Dice]) -> None:
    dice, lanes = make(), lanes_of()
    dice.begin(lanes.ensemble)
    found, _ = ask(dice, NAME, lanes.all(), HALVES)
    with pytest.raises(
        RepeatedDecisionError, match=r"decision '1\.1\.charge/carre' was asked twice in one lane"
    ):
        ask(dice, NAME, found[-1:], HALVES)


def test_lanes_that_split_off_have_taken_the_decision_too_but_other_lanes_have_not() -> None:
    dice, lanes = ExhaustiveDice(), lanes_of(2)
    dice.begin(lanes.ensemble)
    found, _ = ask(dice, NAME, np.array([0]), HALVES)
    assert found.tolist() == [0, 2]
    with pytest.raises(RepeatedDecisionError):
        ask(dice, NAME, np.array([2]), HALVES)
    assert ask(dice, NAME, np.array([1]), HALVES)[0].tolist() == [1, 3]


def test_no_lanes_take_no_roll() -> None:
    dice, lanes = RandomDice(1, 0, 10), lanes_of()
    dice.begin(lanes.ensemble)
    found, values = ask(dice, NAME, np.zeros(0, np.intp), HALVES)
    assert (len(found), len(values), dice.decisions) == (0, 0, [])
    ask(dice, NAME, lanes.all(), HALVES)


def test_the_second_time_in_a_lane_a_repeatable_decision_has_the_next_number() -> None:
    dice = RandomDice(6, 0, 50)
    lanes = begin(dice, 2)
    ask(dice, "star", np.array([0]), HALVES, again=True)
    assert [one.nth for one in dice.decisions] == [0]
    ask(dice, "star", lanes.all(), HALVES, again=True)
    assert sorted(one.nth for one in dice.decisions) == [0, 0, 1]
    ask(dice, "star", lanes.all(), HALVES, again=True)
    assert {one.nth for one in dice.decisions} == {0, 1, 2}


def test_lanes_at_different_counts_are_each_asked_by_their_own_number() -> None:
    dice = RandomDice(6, 3, 20)
    lanes = begin(dice, 2)
    ask(dice, "star", np.array([0]), chart_of([0] * 36), again=True)
    found, values = ask(dice, "star", lanes.all(), LADDER, again=True)
    by_lane = dict(zip(found.tolist(), values, strict=True))
    rolls = [by_lane[lane] for lane in dice.lane_of_run.tolist()]
    assert rolls[:20] == expected_rolls(6, "star", 23, nth=1)[3:]
    assert rolls[20:] == expected_rolls(6, "star", 23)[3:]


def test_units_that_differ_from_lane_to_lane_are_asked_together_each_with_its_own_rolls() -> None:
    for dice in (
        RandomDice(6, 2, 12, lumped=False),
        RandomDice(6, 2, 12, lumped=False, compiled=False),
        RandomDice(6, 2, 12),
    ):
        lanes = begin(dice, dice.lanes(2))
        n = lanes.n
        about = np.arange(n) % 3
        cases = Cases(lanes.ensemble, lanes.all(), about, np.full(n, BY), lanes.ensemble.epoch)
        found, values = dice.ask("star", cases, LADDER, np.zeros(n, int), np.zeros(n, int))
        told = dict(
            zip(found.lane.tolist(), zip(found.unit.tolist(), values.tolist(), strict=True), strict=True)
        )
        for number, lane in enumerate(dice.lane_of_run.tolist()):
            unit, roll = told[lane]
            run = 2 + number % 12
            assert unit == (number % 3 if not dice.lumped else number // 12)
            assert roll == int(36 * philox(6, "star", 0, unit).random(14)[run])


# -- a lane a run -------------------------------------------------------------------------------------


@few
@given(st.lists(st.lists(st.integers(0, 4), min_size=36, max_size=36), min_size=1, max_size=3), seeds, firsts)
def test_a_lane_a_run_gives_each_run_what_it_gets_in_lumped_lanes(
    charts: list[list[int]], seed: int, first: int
) -> None:
    ends = []
    for lumped in (True, False):
        dice = RandomDice(seed, first, 30, lumped)
        lanes = begin(dice, dice.lanes(2))
        lanes.variant[:] = np.arange(lanes.n) // (lanes.n // 2)
        for row in charts:
            found, values = ask(dice, "star", lanes.all(), chart_of(row, outcomes=5), again=True)
            lanes.fact[found] = 5 * lanes.fact[found] + values
        ends.append([(int(lanes.variant[lane]), int(lanes.fact[lane])) for lane in dice.lane_of_run])
        assert lumped or lanes.n == 60
        dice.merge()
        assert lumped or lanes.n == 60
    assert ends[0] == ends[1]


# -- splitting ----------------------------------------------------------------------------------------

rows = st.lists(st.integers(0, 4), min_size=36, max_size=36)


@few
@given(
    st.lists(rows, min_size=1, max_size=4),
    seeds,
    firsts,
    st.integers(1, 60),
    st.lists(st.integers(-9, 9), min_size=8, max_size=8),
)
def test_every_run_stays_in_one_lane_and_meets_the_outcome_of_its_roll(
    charts: list[list[int]], seed: int, first: int, n: int, shifts: list[int]
) -> None:
    """Decisions one after the other, each asked only where the last came out odd: a run's fate is that of the
    run alone."""
    dice, lanes = RandomDice(seed, first, n), lanes_of()
    dice.begin(lanes.ensemble)
    active = lanes.all()
    for number, row in enumerate(charts):
        found, values = ask(
            dice, f"decision {number}", active, chart_of(row, outcomes=5), shift=shifts[number]
        )
        lanes.fact[found] = 10 * lanes.fact[found] + np.array(values, np.int16) + 1
        active = found[np.array(values) % 2 == 1]
        if not len(active):
            break
    told = [int(lanes.fact[lane]) for lane in dice.lane_of_run]
    rolls = [expected_rolls(seed, f"decision {number}", first + n)[first:] for number in range(len(charts))]
    for run in range(n):
        fate = 0
        for number, row in enumerate(charts):
            value = row[sorted((0, rolls[number][run] + shifts[number], 35))[1]]
            fate = 10 * fate + value + 1
            if value % 2 == 0:
                break
        assert told[run] == fate
    assert dice.counts().sum() == n
    assert dice.counts().tolist() == [dice.lane_of_run.tolist().count(lane) for lane in range(lanes.n)]


def test_runs_in_lanes_that_were_not_asked_stay_where_they_are() -> None:
    dice, lanes = RandomDice(1, 0, 40), lanes_of()
    dice.begin(lanes.ensemble)
    found, _ = ask(dice, "first", lanes.all(), HALVES)
    before = dice.lane_of_run.copy()
    ask(dice, "second", found[:1], HALVES)
    untouched = before != found[0]
    assert np.array_equal(dice.lane_of_run[untouched], before[untouched])
    assert set(dice.lane_of_run[~untouched].tolist()) == {int(found[0]), 2}


def test_only_outcomes_that_occur_get_a_lane() -> None:
    dice, lanes = RandomDice(1, 0, 1), lanes_of()
    dice.begin(lanes.ensemble)
    found, values = ask(dice, NAME, lanes.all(), LADDER)
    assert (found.tolist(), lanes.n) == ([0], 1)
    assert values == expected_rolls(1, NAME, 1)
    assert dice.rolled == [(DECISION, 36, values[0])]


def test_variants_play_the_same_runs() -> None:
    """Common random numbers: run i rolls the same in each variant."""
    dice, lanes = RandomDice(8, 5, 30), lanes_of(3)
    dice.begin(lanes.ensemble)
    found, values = ask(dice, NAME, lanes.all(), LADDER)
    by_lane = dict(zip(found.tolist(), values, strict=True))
    rolls = np.array([by_lane[lane] for lane in dice.lane_of_run.tolist()]).reshape(3, 30)
    assert (rolls == rolls[0]).all()
    assert rolls[0].tolist() == expected_rolls(8, NAME, 35)[5:]


# -- exact weights ------------------------------------------------------------------------------------


@few
@given(st.lists(rows, min_size=1, max_size=4), st.integers(1, 3))
def test_weights_add_up_to_exactly_1_for_each_variant(charts: list[list[int]], variants: int) -> None:
    dice, lanes = ExhaustiveDice(), lanes_of(variants)
    lanes.variant[:] = np.arange(variants)
    dice.begin(lanes.ensemble)
    for number, row in enumerate(charts):
        ask(dice, f"decision {number}", lanes.all(), chart_of(row, outcomes=5))
    sums: dict[int, Fraction] = dict.fromkeys(range(variants), Fraction(0))
    for lane, weight in enumerate(dice.fractions()):
        sums[int(lanes.variant[lane])] += weight
    assert sums == dict.fromkeys(range(variants), Fraction(1))


@few
@given(rows, st.integers(-40, 40))
def test_a_lane_weighs_as_many_36ths_as_faces_give_its_outcome(row: list[int], shift: int) -> None:
    dice, lanes = ExhaustiveDice(), lanes_of()
    dice.begin(lanes.ensemble)
    found, values = ask(dice, NAME, lanes.all(), chart_of(row, outcomes=5), shift=shift)
    expected = Counter(row[sorted((0, roll + shift, 35))[1]] for roll in range(36))
    assert {
        value: dice.fractions()[lane] * 36 for lane, value in zip(found.tolist(), values, strict=True)
    } == dict(expected)


def test_merged_lanes_weigh_what_their_lanes_weighed() -> None:
    dice, lanes = ExhaustiveDice(), lanes_of()
    dice.begin(lanes.ensemble)
    found, values = ask(dice, NAME, lanes.all(), chart_of([0] * 6 + [1] * 12 + [2] * 18))
    lanes.fact[found] = np.array(values) % 2
    dice.merge()
    assert lanes.n == 2
    assert dict(zip(lanes.fact.tolist(), dice.fractions(), strict=True)) == {
        0: Fraction(24, 36),
        1: Fraction(12, 36),
    }


def test_merged_lanes_keep_all_their_runs() -> None:
    dice, lanes = RandomDice(2, 0, 300), lanes_of()
    dice.begin(lanes.ensemble)
    found, values = ask(dice, NAME, lanes.all(), LADDER)
    lanes.fact[found] = np.array(values) % 3
    dice.merge()
    assert lanes.n == 3
    assert [int(lanes.fact[lane]) for lane in dice.lane_of_run] == [
        roll % 3 for roll in expected_rolls(2, NAME, 300)
    ]
    assert dice.counts().sum() == 300


def test_lanes_that_differ_are_not_merged() -> None:
    dice, lanes = ExhaustiveDice(), lanes_of()
    dice.begin(lanes.ensemble)
    found, values = ask(dice, NAME, lanes.all(), HALVES)
    lanes.fact[found] = values
    dice.merge()
    assert dice.fractions() == [Fraction(1, 2), Fraction(1, 2)]


def test_a_tree_that_just_fits_is_enumerated() -> None:
    dice, lanes = ExhaustiveDice(36), lanes_of()
    dice.begin(lanes.ensemble)
    assert len(ask(dice, NAME, lanes.all(), LADDER)[0]) == 36


def test_a_tree_with_too_many_lanes_is_refused_with_the_limit_and_the_decision() -> None:
    dice, lanes = ExhaustiveDice(1_234), lanes_of()
    dice.begin(lanes.ensemble)
    ask(dice, "first", lanes.all(), LADDER)
    with pytest.raises(
        LaneLimitError,
        match=r"the exact tree needs more than 1,234 lanes \(at second\); simulate instead \(--method mc\)",
    ) as caught:
        ask(dice, "second", lanes.all(), LADDER)
    assert isinstance(caught.value, CarreError)


# -- scripted rolls -----------------------------------------------------------------------------------


def scripted(rolls: list[int]) -> tuple[ScriptedDice, Facts]:
    dice, lanes = ScriptedDice(rolls), lanes_of()
    dice.begin(lanes.ensemble)
    return dice, lanes


def test_scripted_rolls_are_used_in_order_and_each_on_its_own_dice() -> None:
    dice, lanes = scripted([43, 3, 6])
    assert ask(dice, "first", lanes.all(), LADDER)[1] == [20]
    assert ask(dice, "second", lanes.all(), DIE)[1] == [2]
    assert ask(dice, "third", lanes.all(), FIVE)[1] == [4]
    dice.finish()
    assert lanes.n == 1
    told = [(one.decision.name, one.faces, one.roll) for one in dice.rolled]
    assert told == [("first", 36, 20), ("second", 6, 2), ("third", 5, 4)]


@pytest.mark.parametrize(
    ("chart", "rolls"),
    [(LADDER, list(FACES)), (DIE, [1, 2, 3, 4, 5, 6]), (FIVE, [1, 2, 3, 4, 6])],
    ids=["ladder", "die", "die without a 5"],
)
def test_every_face_can_be_scripted(chart: Chart, rolls: list[int]) -> None:
    dice, lanes = scripted(rolls)
    assert [ask(dice, f"decision {roll}", lanes.all(), chart)[1][0] for roll in rolls] == list(
        range(len(rolls))
    )


@pytest.mark.parametrize(
    ("rolls", "chart", "message"),
    [
        ([], LADDER, "--rolls ended after 0 rolls; 1.1.charge/carre needs a roll 11..66"),
        ([], DIE, "--rolls ended after 0 rolls; 1.1.charge/carre needs a die 1..6"),
        ([47], LADDER, "roll 1 of --rolls, for 1.1.charge/carre, must be a roll 11..66, got 47"),
        ([6], LADDER, "roll 1 of --rolls, for 1.1.charge/carre, must be a roll 11..66, got 6"),
        ([0], DIE, "roll 1 of --rolls, for 1.1.charge/carre, must be a die 1..6, got 0"),
        ([11], DIE, "roll 1 of --rolls, for 1.1.charge/carre, must be a die 1..6, got 11"),
        ([5], FIVE, "roll 1 of --rolls, for 1.1.charge/carre, must be a die 1, 2, 3, 4 or 6, got 5"),
    ],
)
def test_rolls_that_do_not_fit_are_refused_with_the_decision(
    rolls: list[int], chart: Chart, message: str
) -> None:
    dice, lanes = scripted(rolls)
    with pytest.raises(ScriptError) as caught:
        ask(dice, NAME, lanes.all(), chart)
    assert str(caught.value) == message


def test_rolls_left_over_are_refused_with_their_number() -> None:
    dice, lanes = scripted([43, 26, 31])
    ask(dice, NAME, lanes.all(), LADDER)
    with pytest.raises(ScriptError, match="--rolls has 3 rolls, but the run needed only 1"):
        dice.finish()


def test_scripted_rolls_tell_one_run_only() -> None:
    with pytest.raises(ScriptError, match="scripted rolls tell one run"):
        begin(ScriptedDice([43]), 2)
