"""Standard output that is closed, full or read no further, and a command that is ended: one line, or none,
and never a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CARRE = f"{sys.executable} -m sim.cli"


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "what", ["odds", "rulesets --json", "--help", "odds --help", "chart morale --morale 34"]
)
def test_a_closed_output_is_told_in_one_line(what: str) -> None:
    result = shell(f"{CARRE} {what} >&-")
    assert (result.returncode, result.stderr) == (
        2,
        "carre: the output cannot be written (standard output is closed)\n",
    )


@pytest.mark.parametrize("what", ["odds", "rulesets --json", "--help", "sweep --help"])
def test_a_full_output_is_told_in_one_line(what: str) -> None:
    result = shell(f"{CARRE} {what} >/dev/full")
    assert (result.returncode, result.stderr) == (
        2,
        "carre: the output cannot be written (No space left on device)\n",
    )


def test_a_reader_that_goes_away_is_no_error() -> None:
    result = shell(f"{CARRE} schema ruleset | head -1")
    assert (result.returncode, result.stdout, result.stderr) == (0, "{\n", "")


def test_what_is_said_on_a_closed_error_output_does_not_get_into_the_answer() -> None:
    result = shell(f"{CARRE} odds --set distance=nine 2>&-")
    assert (result.returncode, result.stdout) == (2, "")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_command_that_is_ended_says_so_in_one_line(number: signal.Signals, code: int) -> None:
    command = [sys.executable, "-m", "sim.cli", "odds", "--method", "mc", "--runs", "1000000000"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        time.sleep(3)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (code, "", "carre: stopped\n")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["odds", "--set", "a=1"], 2),
        (["odds", "--runs", "5"], 0),
        (["odds", "nothing.yaml"], 2),
        (["odds", "--nothing"], 2),
    ],
    ids=["an error", "a hint", "a missing file", "a wrong option"],
)
def test_what_cannot_be_said_on_standard_error_changes_no_exit_code(arguments: list[str], code: int) -> None:
    with open("/dev/full", "w") as full:
        found = subprocess.run(
            [sys.executable, "-m", "sim.cli", *arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=full,
            check=False,
        )
    assert found.returncode == code
    assert bool(found.stdout) == (code == 0)


@pytest.mark.parametrize("module", ["sim.bootstrap", "sim.cli.arguments", "sim.cli.rulesets", "sim.errors"])
@pytest.mark.parametrize("start", ["sim", "sim.cli"])
def test_an_interruption_in_the_first_moments_is_told_in_one_line(start: str, module: str) -> None:
    """Ctrl-C while the modules are still being loaded: one of them is interrupted."""
    code = f"""
import runpy, sys
if {module!r} != "sim.bootstrap":
    from sim import bootstrap
    bootstrap.needed = lambda: False
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
sys.argv = ["carre", "rulesets"]
runpy.run_module({start!r}, run_name="__main__")
"""
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if (start, module) == ("sim.cli", "sim.bootstrap"):  # does not need it
        assert found.returncode == 0
    else:
        assert (found.returncode, found.stdout, found.stderr) == (130, "", "carre: stopped\n")
