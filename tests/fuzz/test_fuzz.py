"""Whatever stands in a file or on the command line is played or refused: no traceback, no hang, one line that
names file or option.

The cases come from a fixed seed. The ordinary run takes the first of them, some fifteen seconds;
`python3 -m tests -m fuzz` takes all, a minute; a case that fails is named by its number and can be run alone:
`python3 -m tests tests/fuzz -m fuzz -k "[17]"`.
"""

from __future__ import annotations

import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from sim.cli import main
from sim.errors import InputError, printable
from sim.inputs import documents
from sim.rulesets import catalogue, chain
from sim.units import scenarios
from tests.fuzz import mutators
from tests.unit.test_files import FULL
from tests.unit.test_several import FOUR

CHUNKS, ORDINARY, CASES = 24, 6, 40
LONGEST = 20
"""Seconds that no case may take."""

CHARGES = [scenarios.DEFAULT.read_text(encoding="utf-8"), FULL, FOUR]
CHARGES += [
    path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parents[1] / "golden").glob("*.yaml"))
]
RULES = [
    "extends: prusse-1806\nruleset: mine\nset: {trample: recalled}\nretreat: {disordered: 3}\n",
    (Path(catalogue.__file__).parents[1] / "data/templates/ruleset.yaml")
    .read_text(encoding="utf-8")
    .replace("NAME", "mine"),
    *(chain.locate(name).read_text(encoding="utf-8") for name in ("prusse-1806", "hagelberg-1813", "base")),
]
FEW = ["--method", "mc", "--runs", "8"]


class TooLongError(BaseException):
    """A case that does not end."""


@contextmanager
def limited() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and standard error of a command, held to what every command promises."""
    capsys.readouterr()
    try:
        with limited():
            code = main(arguments)
    except BaseException as error:
        pytest.fail(f"{arguments}: {''.join(traceback.format_exception(error))}")
    out, err = capsys.readouterr()
    told = [one for one in err.splitlines() if not one.startswith("carre: warning: ")]
    assert code in (0, 2), arguments
    assert all(one == "\n" or one.isprintable() for one in out + err), (arguments, out, err)
    if arguments[0] != "lint":
        assert bool(told) == bool(code), (arguments, err)
        assert all(one.startswith("carre: ") and len(one) < 3_000 for one in told), (arguments, err)
        assert not (code and out), (arguments, out)
    return code, out if arguments[0] == "lint" else "\n".join(told)


@pytest.mark.fuzz
@pytest.mark.parametrize(
    "chunk", [pytest.param(i, marks=[] if i < ORDINARY else [pytest.mark.long]) for i in range(CHUNKS)]
)
def test_mutated_files_and_options_are_played_or_refused_in_one_line(
    chunk: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "charge.yaml").write_text(CHARGES[0], encoding="utf-8")
    for case in range(chunk * CASES, (chunk + 1) * CASES):
        rng = Random(case)
        (charge_file, rules_file, command_line)[case % 3](rng, capsys)


def charge_file(rng: Random, capsys: pytest.CaptureFixture[str]) -> None:
    """A mutated charge is told by lint what odds, compare, sweep and explain refuse it for, or is played by
    all of them."""
    text = rng.choice(CHARGES)
    Path("mutant.yaml").write_bytes(mutators.mutant(rng, text))
    wrong, report = run(["lint", "mutant.yaml"], capsys)
    assert ("error: mutant.yaml" in report) == bool(wrong), report
    assert report.count("\n") >= 1
    arguments = rng.choice(
        (
            ["odds", "mutant.yaml", *FEW],
            ["odds", "mutant.yaml", "--json", *FEW],
            ["explain", "mutant.yaml"],
            ["compare", "mutant.yaml", "--with", "night=true", *FEW],
            ["compare", "charge.yaml", "--with", "mutant.yaml", "--response", "best", *FEW],
            ["sweep", "mutant.yaml", "--vary", "night=true,false", *FEW],
        )
    )
    code, told = run(arguments, capsys)
    if wrong:
        assert code == 2, (arguments, report)
        assert "mutant.yaml" in told, told
    elif arguments[0] == "odds":
        assert code == 0, (arguments, told)


def rules_file(rng: Random, capsys: pytest.CaptureFixture[str]) -> None:
    """A mutated rule set is told by lint what play, charts and diff refuse it for, or serves all of them."""
    Path("mutant.yaml").write_bytes(mutators.mutant(rng, rng.choice(RULES)))
    wrong, report = run(["lint", "mutant.yaml"], capsys)
    assert ("error: mutant.yaml" in report) == bool(wrong), report
    arguments = rng.choice(
        (
            ["odds", "--ruleset", "mutant.yaml", "--response", "stand", *FEW],
            ["odds", "charge.yaml", "--set", "ruleset=mutant.yaml", *FEW],
            ["chart", "morale", "--morale", "26", "--ruleset", "mutant.yaml"],
            ["chart", "fire", "--attack", "20", "--defence", "9", "--ruleset", "mutant.yaml"],
            ["diff", "mutant.yaml", "prusse-1806"],
            ["compare", "charge.yaml", "--with", "mutant.yaml", *FEW],
        )
    )
    code, told = run(arguments, capsys)
    if wrong:
        assert code == 2, (arguments, report)
        assert "mutant.yaml" in told, told


def command_line(rng: Random, capsys: pytest.CaptureFixture[str]) -> None:
    """Mutated changes, ranges and numbers."""
    text = CHARGES[0]
    first, second = mutators.change(rng, text), mutators.change(rng, text)
    number, word = rng.choice(mutators.NUMBERS), rng.choice(mutators.WORDS)
    arguments = rng.choice(
        (
            ["odds", "--set", first, *FEW],
            ["odds", "--set", first, "--set", second, *FEW],
            ["compare", "--with", first, "--with", second, *FEW],
            ["sweep", "--vary", f"{first},{number}", *FEW],
            ["sweep", "--vary", f"{first}..{number}", "--response", "stand", *FEW],
            ["odds", "--plan", f"{rng.choice(('square', 'no-target', 'preserve', 'x'))}={word}", *FEW],
            ["odds", "--ruleset", word, *FEW],
            ["odds", f"--edition={number}", *FEW],
            ["odds", "--method", "mc", "--runs", "4", f"--seed={number}"],
            ["explain", f"--rolls={number},{second}"],
            ["explain", f"--run={number}"],
            ["chart", "morale", f"--morale={number}", "--mod", "3"],
            ["chart", "melee", f"--attack={number}", "--defence", "7"],
            [
                "chart",
                "carre",
                "--nation",
                word,
                "--formation",
                "column",
                "--distance",
                "2",
                "--charger",
                "heavy",
            ],
            ["lint", word],
            ["diff", word, number],
        )
    )
    run(arguments, capsys)


def test_the_mutators_change_files_and_leave_some_of_them_right() -> None:
    """Else nothing would be tested, or only the checks."""
    right = wrong = same = 0
    for case in range(120):
        raw = mutators.mutant(Random(case), CHARGES[1])
        same += raw == CHARGES[1].encode()
        try:
            charge, _ = scenarios.check(documents.decode(raw, "x.yaml"))
        except InputError:
            charge = None
        right, wrong = right + (charge is not None), wrong + (charge is None)
    assert right > 10
    assert wrong > 60
    assert same < 10
    assert printable("a\x1bb") == r"a\x1bb"


@pytest.mark.fuzz
def test_mutated_rosters_are_read_or_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shipped = sorted((Path(catalogue.__file__).parents[1] / "data").rglob("*.csv"))
    texts = [text for path in shipped if "organisation" in (text := path.read_text(encoding="utf-8"))]
    for case in range(120):
        rng = Random(case)
        lines = [one for one in rng.choice(texts).splitlines() if one and not one.startswith("#")][:8]
        for _ in range(rng.randint(1, 4)):
            row = rng.choice((0, rng.randrange(len(lines))))
            cells = lines[row].split(",")
            cells[rng.randrange(len(cells))] = rng.choice(
                ("", "x", "-1", "99", "1.5", "leader", '"', "#", "\0")
            )
            lines[row] = ",".join(cells)
        if case % 4 == 0:
            del lines[0]
        Path("mutant.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        run(["lint", "mutant.csv"], capsys)
