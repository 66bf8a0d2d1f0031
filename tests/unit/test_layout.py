"""Tables that fit the screen, numbers that say no more than they know, colour and bars on a terminal
alone."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from fractions import Fraction
from pathlib import Path

import pytest

from sim.cli import main
from sim.report import tables
from sim.report.columns import BLOCKS, NAMES
from sim.report.layout import Block, Page, blocks
from sim.studies.compare import compare
from sim.studies.decimals import chance
from sim.studies.intervals import wilson
from sim.studies.measures import EVENTS, SIDES
from sim.studies.odds import odds
from sim.studies.outcomes import mean_loss, percent, pips
from sim.units import scenarios
from tests.tallies import bounced, lost

ROOT = Path(__file__).parents[2]
ESCAPE = "\x1b["


def on_terminal(arguments: list[str], columns: int, **environment: str) -> tuple[str, str]:
    """What a command writes to a terminal of so many columns: standard output, and standard error."""
    ends = [pty.openpty() for _ in range(2)]
    for _, inner in ends:
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    clean = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "TERM")}
    command = [sys.executable, "-m", "sim.cli", *arguments]
    process = subprocess.Popen(
        command, cwd=ROOT, env=clean | {"TERM": "xterm"} | environment, stdout=ends[0][1], stderr=ends[1][1]
    )
    texts = []
    for outer, inner in ends:
        os.close(inner)
        text = b""
        while True:
            try:
                part = os.read(outer, 65536)
            except OSError:  # the other end is closed
                break
            text += part
        os.close(outer)
        texts.append(text.decode().replace("\r\n", "\n"))
    assert process.wait() == 0
    return texts[0], texts[1]


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


# -- width --------------------------------------------------------------------------------------------

WIDE = [
    ["odds"],
    ["odds", "--losses"],
    ["odds", "--method", "mc", "--runs", "3000000"],
    ["odds", "--method", "mc", "--runs", "500", "--losses"],
    ["odds", "--plan", "square=best"],
    ["odds", "--set", "distance=3", "--columns", "charge,target,charger,losses"],
    ["compare", "--with", "halle-1806"],
    ["compare", "--with", "distance=3", "--method", "mc", "--runs", "200000"],
    ["sweep", "--vary", "distance=2..9", "--method", "mc", "--runs", "3000"],
    ["sweep", "--vary", "distance=2..9", "--vary", "target.morale=21..26"],
    [
        "sweep",
        "--vary",
        "distance=2..4",
        "--vary",
        "night=true,false",
        "--vary",
        "target.formation=column,line",
    ],
]


@pytest.mark.parametrize("arguments", WIDE, ids=" ".join)
def test_no_line_is_longer_than_80_columns_where_nobody_watches(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = said(capsys, *arguments).splitlines()
    assert max(map(len, lines)) <= 80, max(lines, key=len)


CHARGES = sorted(ROOT.glob("experiments/*/*.yaml")) + sorted(ROOT.glob("tests/golden/runs/*.yaml"))


@pytest.mark.parametrize(
    "method",
    [["--method", "exact"], ["--method", "mc", "--runs", "1"], ["--method", "mc", "--runs", "3000"]],
    ids=" ".join,
)
@pytest.mark.parametrize("file", CHARGES, ids=lambda path: path.stem)
def test_tables_fit_80_columns_and_titles_of_blocks_stand_apart(
    file: Path, method: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for response in ("stand", "all"):
        lines = said(capsys, "odds", str(file), "--response", response, "--losses", *method).splitlines()
        assert max(map(len, lines)) <= 80, max(lines, key=len)
    lines = said(capsys, "explain", str(file)).splitlines()
    assert max(map(len, lines)) <= 80, max(lines, key=len)


@pytest.mark.parametrize("width", [80, 100, 200])
@pytest.mark.parametrize("size", [1, 2, 5, 9])
def test_titles_break_within_their_block_and_stand_two_columns_apart(width: int, size: int) -> None:
    titles = ["charger: worst state, readiness at the end", "increments lost", "target at the end"]
    parts = [Block(title, (("a" * size, "1"), ("b" * size, "2"))) for title in titles]
    text = ""
    for table in blocks(["response", "stand"], parts, width):
        assert max(map(len, table)) <= width
        heads = table[:-2]
        starts = sorted(
            {found.start() for line in heads for found in re.finditer(r"(?<!\S)(?<!\S )\S", line)}
        )
        words = [
            " ".join(" ".join(line[a:b].split()) for line in heads).strip()
            for a, b in zip(starts, [*starts[1:], None], strict=True)
        ]
        text += "|".join(" ".join(part.split()) for part in words) + "|"
    assert text.strip("|").split("|") == titles


@pytest.mark.parametrize(
    "arguments",
    [["rulesets"], ["diff", "prusse-1806", "halle-1806"], ["chart", "level", "--lost", "5"]],
    ids=" ".join,
)
def test_other_tables_break_at_80_columns_between_words(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for line in said(capsys, *arguments).splitlines():
        assert len(line) <= 80 or " " not in line.strip()


def test_numbers_of_runs_that_count_for_nothing_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    for given in (["--runs", "500"], ["--precision", "2"]):
        assert main(["odds", "--response", "stand", *given]) == 0
        assert (
            capsys.readouterr().err
            == f"carre: note: the odds are exact, {given[0]} does not count; --method mc simulates\n"
        )
        assert main(["odds", "--response", "stand", "--method", "mc", *given]) == 0
        assert capsys.readouterr().err == ""


@pytest.mark.parametrize("columns", [80, 100, 200])
def test_on_a_terminal_the_table_fits_it(columns: int) -> None:
    text, _ = on_terminal(["odds", "--method", "mc", "--runs", "5000", "--color", "never"], columns)
    assert max(map(len, text.splitlines())) <= columns
    assert len(re.findall(r"^stand ", text, re.MULTILINE)) == {80: 4, 100: 4, 200: 2}[columns]


def test_a_terminal_narrower_than_80_columns_gets_80() -> None:
    assert (
        on_terminal(["odds", "--color", "never"], 40)[0] == on_terminal(["odds", "--color", "never"], 80)[0]
    )


def test_blocks_stand_side_by_side_while_there_is_room_and_break_between_columns() -> None:
    one = Block("one", (("a", "1"), ("b", "2")))
    other = Block("two", (("ccc", "3"), ("ddd", "4")))
    assert blocks(["x", "r"], [one, other], 40) == [
        ["   one     two", "x  a  b    ccc  ddd", "r  1  2      3    4"]
    ]
    assert blocks(["x", "r"], [one, other], 18) == [
        ["   one", "x  a  b", "r  1  2"],
        ["   two", "x  ccc  ddd", "r    3    4"],
    ]
    assert blocks(["x", "r"], [other], 8) == [["   two", "x  ccc", "r    3"], ["   two", "x  ddd", "r    4"]]


def test_prose_breaks_at_semicolons_first_and_loses_no_word() -> None:
    line = "the first clause; the second clause; the third, which is much longer than the page is wide"
    lines = Page(30).wrap([line])
    assert max(map(len, lines)) <= 30
    assert lines[0] == "the first clause;"
    assert " ".join(" ".join(lines).split()) == line


# -- columns ------------------------------------------------------------------------------------------


def test_every_event_and_both_losses_are_columns_told_once() -> None:
    named = [name for _, columns in BLOCKS.values() for name in columns]
    assert sorted(named) == sorted([*EVENTS, *(f"{side} loses" for side in SIDES)])


def test_columns_that_are_zero_in_every_row_are_named_in_one_line_and_not_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = odds(scenarios.load(scenarios.DEFAULT), "all", "exact").rows
    zero = [event for event in EVENTS if not any(row.tally.events[event] for row in rows)]
    text = said(capsys, "odds")
    line = next(line for line in text.splitlines() if line.startswith("never: "))
    assert sorted(line.removeprefix("never: ").split(", ")) == sorted(zero)
    assert zero
    assert "untouched" not in text.replace(line, "")
    assert re.search(
        r"in no run \(each <0\.077 %\): .*untouched", said(capsys, "odds", "--method", "mc", "--runs", "5000")
    )


@pytest.mark.parametrize(("asked", "headings"), [
    ("clean-success,charger lost", ["clean success", "charger lost"]),
    ("losses", ["target loses", "charger loses"]),
    ("charge,pips", ["charge succeeds", "pips", "clean success"]),
])  # fmt: skip
def test_columns_are_chosen_by_name_and_shown_even_if_zero(
    asked: str, headings: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = said(capsys, "odds", "--columns", asked).splitlines()
    head = next(line for line in lines if line.startswith("response"))
    assert re.split(r"\s{2,}", head) == ["response", *headings]
    assert not any(line.startswith("never") for line in lines)


def test_an_unknown_column_is_refused_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", "--columns", "target rooted"]) == 2
    told = capsys.readouterr().err
    assert told.startswith(
        "carre: --columns must be of charge, target, charger, losses, pips, charge succeeds,"
    )
    assert "Did you mean 'target routed'?" in told
    assert all(name in told for name in NAMES)


def test_one_event_is_told_in_percent_and_pips_beside_the_losses(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "odds", "--event", "target-routed", "--response", "stand").splitlines()
    p = odds(scenarios.load(scenarios.DEFAULT), "stand", "exact").rows[0].tally.p("target routed")
    row = next(line for line in lines if line.startswith("stand"))
    assert row.split()[1:4] == [f"{100 * float(p):.1f}", "%", f"{36 * float(p):.1f}"]


def test_losses_are_told_as_the_chance_of_at_least_so_many_on_both_sides(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tally = odds(scenarios.load(scenarios.DEFAULT), "stand", "exact").rows[0].tally
    text = said(capsys, "odds", "--losses", "--response", "stand")
    for side in SIDES:
        title = rf"the {side}'s\s+side\s+loses\s+at\s+least\s+so\s+many\s+increments\n"
        block = re.split(title, text)[1].splitlines()
        most = max(n for n, weight in tally.losses[side].items() if weight)
        assert block[0].split() == ["response", *(str(n) for n in range(1, most + 1))]
        chances = [
            sum(weight for value, weight in tally.losses[side].items() if value >= n)
            for n in range(1, most + 1)
        ]
        assert re.split(r"\s{2,}", block[1]) == ["stand", *(chance(p, 0) for p in chances)]
        assert sum(chances) == tally.mean_loss(side)
    answer = json.loads(said(capsys, "odds", "--response", "stand", "--json"))
    assert answer["responses"][0]["losses"]["target"]["at_least"]["1"] == pytest.approx(
        float(tally.at_least("target", 1))
    )


def test_the_distribution_of_losses_goes_into_the_table_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "odds", "--losses", "--response", "stand", "--out", str(tmp_path / "a.csv"))
    rows = {
        row["event"]: row
        for row in csv.DictReader(io.StringIO((tmp_path / "a.csv").read_text(encoding="utf-8")))
    }
    tally = odds(scenarios.load(scenarios.DEFAULT), "stand", "exact").rows[0].tally
    told = {name: float(row["p"]) for name, row in rows.items() if " loses at least " in name}
    assert told == {
        name: pytest.approx(float(tally.at_least(name.split()[0], int(name.split()[-1])))) for name in told
    }
    assert told.keys() == {
        f"{side} loses at least {n}" for side in SIDES for n in range(1, max(tally.losses[side]) + 1)
    }


def test_a_comparison_is_written_with_both_rule_sets_and_without_numbers_of_forbidden_responses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "compare", "--with", "halle-1806", "--with", "distance=3", "--out", str(tmp_path / "a.csv"))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "a.csv").read_text(encoding="utf-8"))))
    assert {(row["ruleset"], row["ruleset after"]) for row in rows} == {("prusse-1806", "halle-1806")}
    assert {
        "digest",
        "version",
        "edition",
        "method",
        "seed",
        "digest after",
        "target loses",
        "target loses after",
    } <= set(rows[0])
    forbidden = [row for row in rows if row["refused"]]
    assert {(row["response"], row["before"], row["difference"]) for row in forbidden} == {("carre@4", "", "")}


# -- matrices -----------------------------------------------------------------------------------------


def test_a_sweep_over_two_fields_prints_a_matrix_of_the_best_response(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = said(capsys, "sweep", "--vary", "distance=3,4", "--vary", "target.formation=column,line")
    assert "across: distance; down: target.formation" in text
    lines = text.splitlines()
    at = next(n for n, line in enumerate(lines) if line.split() == ["3", "4"])
    for line, formation in zip(lines[at + 1 : at + 3], ("column", "line"), strict=True):
        expected = [formation]
        for distance in (3, 4):
            found = odds(
                scenarios.load(scenarios.DEFAULT, [f"distance={distance}", f"target.formation={formation}"]),
                "all",
                "exact",
            )
            code = found.best.response.replace("carre", "c") + "=" * (len(found.ties) > 1)
            expected += [*percent(found.best.tally, "charge succeeds").split(), code]
        assert line.split() == expected


def test_values_in_a_sweep_are_written_as_in_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "sweep", "--vary", "night=true,false", "--response", "stand")
    assert re.search(r"^true +\d", text, re.MULTILINE)
    assert "True" not in text


def test_a_sweep_over_rule_sets_or_editions_names_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(said(capsys, "sweep", "--vary", "edition=2017,2014", "--response", "stand").split())
    assert re.search(r"2 rule sets or editions: .*edition 2017; .*edition 2014; exact odds", text)
    assert "5 rule sets or editions; exact odds" in said(
        capsys, "sweep", "--vary", "edition=2014,2016,2017,2019,2021", "--response", "stand"
    )


# -- numbers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("runs", [1, 10, 300, 10_000, 10**6, 10**9])
def test_half_an_interval_is_never_printed_as_zero_nor_a_bare_0_or_100(runs: int) -> None:
    for hits in sorted({0, 1, runs // 3, runs // 2, runs - 1, runs}):
        tally = bounced(hits, runs)
        for text, scale in (
            (percent(tally, "bounced").removesuffix(" %"), 100),
            (pips(tally, "bounced"), 36),
        ):
            if hits in (0, runs):
                assert text.startswith("<" if hits == 0 else ">")
                bound = scale * wilson(0, runs)[1]  # what JSON tells, rounded outward
                assert 0 < float(text[1:]) < scale
                assert float(text[1:]) == pytest.approx(
                    bound if hits == 0 else scale - bound, rel=0, abs=0.1 * bound
                )
                continue
            value, _, half = text.partition(" ±")
            low, high = wilson(hits, runs)
            assert float(half) == pytest.approx(scale * max(high - hits / runs, hits / runs - low), rel=0.4)
            assert abs(float(value) - scale * hits / runs) <= scale * (high - low) / 2 * 1.01


RUNS = [2, 3, 7, 29, 30, 100, 317, 2_000, 9_999, 100_000, 3_141_592, 10**9]


@pytest.mark.parametrize("runs", RUNS)
def test_a_printed_interval_holds_the_computed_one_with_as_many_decimals_of_the_value_as_of_its_half(
    runs: int,
) -> None:
    hits = {runs * part // 997 for part in range(0, 998, 3)} | {1, 2, runs - 1}
    for hit in hits - {0, runs}:
        low, high = wilson(hit, runs)
        for text, scale in (
            (percent(bounced(hit, runs), "bounced").removesuffix(" %"), 100),
            (pips(bounced(hit, runs), "bounced"), 36),
        ):
            value, half = map(Fraction, text.split(" ±"))
            assert value - half <= scale * Fraction(low)
            assert value + half >= scale * Fraction(high)
            assert float(half) <= scale * max(high - hit / runs, hit / runs - low) * 1.4
            assert len(set(map(len, (part.partition(".")[2] for part in text.split(" ±"))))) == 1


@pytest.mark.parametrize("runs", [1, *RUNS])
def test_what_happened_in_no_run_or_in_all_is_bounded_by_the_end_of_the_same_interval_as_in_json(
    runs: int,
) -> None:
    for scale, text in ((100, percent), (36, pips)):
        most = float(text(bounced(0, runs), "bounced").removeprefix("<").removesuffix(" %"))
        least = float(text(bounced(runs, runs), "bounced").removeprefix(">").removesuffix(" %"))
        assert scale * wilson(0, runs)[1] <= most <= min(scale * wilson(0, runs)[1] * 1.1, scale)
        assert (
            max(scale * (1 - 1.1 * wilson(0, runs)[1]), 0) <= least <= scale * wilson(runs, runs)[0] + 1e-12
        )


@pytest.mark.parametrize(("hits", "runs", "text"), [
    (0, 1, "<80 %"),
    (1, 1, ">20 %"),
    (0, 2, "<66 %"),
    (0, 2_000, "<0.20 %"),
    (90, 2_000, "4.5 ±1.0 %"),
    (15_300, 20_000, "76.5 ±0.6 %"),
])  # fmt: skip
def test_some_simulated_numbers_as_text(hits: int, runs: int, text: str) -> None:
    assert percent(bounced(hits, runs), "bounced") == text


def test_halves_of_a_difference_hold_what_is_computed() -> None:
    charge = scenarios.load(scenarios.DEFAULT)
    found = compare(charge, scenarios.load(scenarios.DEFAULT, ["target.morale=32"]), None, "mc", 700, 1)
    seen = 0
    for row, text in zip(
        [one for rows in found.rows.values() for one in rows if one.difference or one.changed],
        found.summary()["difference"],
        strict=True,
    ):
        value, half = (Fraction(part) for part in text.removesuffix(" points").split(" ±"))
        assert value - half <= 100 * (row.difference - 1.96 * row.error) + 1e-9
        assert value + half >= 100 * (row.difference + 1.96 * row.error) - 1e-9
        seen += 1
    assert seen > 5


@pytest.mark.parametrize(("losses", "text"), [
    ({0: 10}, "0"),
    ({2: 10}, "2.00"),
    ({0: 999_999_999, 1: 1}, "0.0000000010 ±0.0000000020"),
    ({0: 500_000_000, 1: 500_000_000}, "0.500000 ±0.000031"),
    ({0: 1, 6: 1}, "3.0 ±4.2"),
])  # fmt: skip
def test_simulated_losses_carry_as_many_decimals_as_they_know(losses: dict[int, int], text: str) -> None:
    assert mean_loss(lost(losses), "target") == text


def test_exact_losses_are_0_only_if_there_are_none() -> None:
    for losses, text in (
        ({0: Fraction(1)}, "0"),
        ({0: Fraction(999, 1000), 1: Fraction(1, 1000)}, "<0.01"),
        ({1: Fraction(1)}, "1.00"),
    ):
        assert mean_loss(lost(losses), "target") == text


def test_differences_and_their_errors_are_never_printed_as_zero_unless_they_are() -> None:
    """One event of 50 runs differs at most; in 40,000,000 runs the error of a difference would round to
    0.00."""
    charge = scenarios.load(scenarios.DEFAULT)
    found = compare(charge, scenarios.load(scenarios.DEFAULT, ["target.morale=32"]), "stand", "mc", 50, 1)
    text = "\n".join(tables.compare_lines(found, ("", "")))
    assert "0.00" not in text
    assert "0 points" in "\n".join(
        tables.compare_lines(compare(charge, charge, "stand", "mc", 50, 1), ("", ""))
    )


# -- terminals ----------------------------------------------------------------------------------------


def test_colour_is_for_terminals_alone_and_no_color_is_obeyed() -> None:
    assert ESCAPE in on_terminal(["odds"], 80)[0]
    assert ESCAPE not in on_terminal(["odds"], 80, NO_COLOR="1")[0]
    assert ESCAPE not in on_terminal(["odds"], 80, TERM="dumb")[0]
    assert ESCAPE not in on_terminal(["odds", "--color", "never"], 80)[0]
    assert ESCAPE not in on_terminal(["odds", "--json"], 80)[0]


def test_colour_may_be_asked_for_and_marks_the_best_response(capsys: pytest.CaptureFixture[str]) -> None:
    assert ESCAPE not in said(capsys, "odds")
    lines = said(capsys, "odds", "--color", "always").splitlines()
    assert {line.split()[0] for line in lines if line.startswith("\x1b[1m")} == {"\x1b[1mcarre@4"}


def test_a_long_simulation_shows_a_bar_with_rate_and_time_left_and_takes_it_away() -> None:
    _, told = on_terminal(["odds", "--response", "stand", "--method", "mc", "--runs", "30000000"], 80)
    assert re.search(r"runs: +\d+%.*\[\d+:\d+<\d+:\d+, *[\d.]+M? runs/s\]", told)
    assert told.rstrip(" \r").endswith("\r") or told.endswith("\r")


def test_a_short_simulation_shows_no_bar() -> None:
    assert on_terminal(["odds", "--response", "stand", "--method", "mc", "--runs", "1000"], 80)[1] == ""


def test_a_bar_is_for_terminals_alone() -> None:
    command = [
        sys.executable,
        "-m",
        "sim.cli",
        "odds",
        "--response",
        "stand",
        "--method",
        "mc",
        "--runs",
        "10000000",
    ]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stderr == ""


@pytest.mark.parametrize(("response", "marks"), [("stand", {""}), ("all", {"True", "False"})])
def test_the_best_response_of_a_sweep_is_marked_in_its_csv_only_where_there_is_another(
    response: str, marks: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "sweep", "--vary", "distance=3,4", "--response", response, "--out", str(tmp_path / "a.csv"))
    assert {
        row["best"] for row in csv.DictReader(io.StringIO((tmp_path / "a.csv").read_text(encoding="utf-8")))
    } == marks
