"""The first set-up: killed at any moment and started again, two at once, and signals.

No network: the installer is a stand-in of two steps.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from sim import bootstrap

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kills by signal")

DRIVER = """
import os, signal, sys
from pathlib import Path
from sim import bootstrap

def steps(environment, development):
    return [
        [sys.executable, "-m", "venv", "--without-pip", "--prompt", ".venv", str(environment)],
        [str(bootstrap.interpreter(environment)), "installer.py"],
    ]

bootstrap.steps = steps
seen = 0

def watch(event, arguments):
    global seen
    inside = arguments and str(arguments[0]).startswith(str(bootstrap.ENVIRONMENT))
    if event == "subprocess.Popen" or inside:
        seen += 1
        if str(seen) == os.environ.get("KILL_AT"):
            os.kill(os.getpid(), signal.SIGKILL)
        if "COUNT" in os.environ:
            Path("count").write_text(str(seen))

sys.addaudithook(watch)
sys.exit(bootstrap.run(sys.argv[1:]))
"""
"""Sets up, then runs what is asked. KILL_AT ends it without warning when it touches the environment for that
time."""

INSTALLER = """
import os, signal, sys, time
from pathlib import Path

with Path("log").open("a") as file:
    file.write("installed\\n")
scripts = Path(sys.executable).parent
packages = next(scripts.parent.glob("lib/python*/site-packages"))
(packages / "one_half.py").write_text("HALF = 1")
if os.environ.get("KILL_AT") == "installer":
    os.kill(os.getppid(), signal.SIGKILL)
time.sleep(float(os.environ.get("TAKES", "0")))
(packages / "other_half.py").write_text("HALF = 2")
script = scripts / "carre"
code = "import one_half, other_half; print(one_half.HALF + other_half.HALF)"
script.write_text(f"#!/bin/sh\\n'{sys.executable}' -c '{code}'\\n")
script.chmod(0o755)
"""
"""In place of pip: takes a while between its two halves, and writes a script that holds the environment's
path, as pip does."""

CHECK = ("-c", "import one_half, other_half, sys; print(sys.prefix, one_half.HALF + other_half.HALF)")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """As much of a checkout as a set-up looks at."""
    root = tmp_path / "a checkout"
    (root / "sim").mkdir(parents=True)
    (root / "sim" / "__init__.py").touch()
    shutil.copy(bootstrap.__file__, root / "sim" / "bootstrap.py")
    (root / "pyproject.toml").write_text('name = "carre"')
    (root / "driver.py").write_text(DRIVER)
    (root / "installer.py").write_text(INSTALLER)
    return root


def start(checkout: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "driver.py", *arguments]
    return subprocess.Popen(
        command,
        cwd=checkout,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(checkout: Path, **environment: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a run that shows that the environment is whole."""
    with start(checkout, *CHECK, **environment) as process:
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def ready(checkout: Path) -> None:
    """A run answers, from a whole environment, whose scripts run too; nothing half-made is left."""
    code, out, err = run(checkout)
    assert code == 0, err
    assert out.strip() == f"{checkout / '.venv'} 3"
    assert subprocess.check_output([checkout / ".venv" / "bin" / "carre"], text=True).strip() == "3"
    assert {path.name for path in checkout.glob(".venv*")} == {".venv", ".venv.lock"}
    assert all(
        b".venv.new" not in path.read_bytes()
        for path in (checkout / ".venv" / "bin").iterdir()
        if path.is_file()
    )


def installed(checkout: Path) -> int:
    return (checkout / "log").read_text().count("installed")


def test_a_set_up_killed_at_any_of_its_moments_is_made_good_by_the_next_run(checkout: Path) -> None:
    assert run(checkout, COUNT="yes")[0] == 0
    moments = int((checkout / "count").read_text())
    assert moments >= 10
    for number in range(10):
        shutil.rmtree(checkout / ".venv")
        moment = 1 + number * (moments - 1) // 9
        assert run(checkout, KILL_AT=str(moment))[0] == -signal.SIGKILL, f"moment {moment} of {moments}"
        ready(checkout)


def test_a_set_up_killed_while_the_installer_works_is_made_good_by_the_next_run(checkout: Path) -> None:
    with start(checkout, *CHECK, KILL_AT="installer", TAKES="0.5") as killed:
        assert killed.wait(60) == -signal.SIGKILL
        ready(checkout)  # while the orphaned installer still writes
        killed.communicate(timeout=60)  # until it has ended
    ready(checkout)
    assert installed(checkout) == 2


def test_an_old_environment_serves_until_the_new_one_is_whole(checkout: Path) -> None:
    ready(checkout)
    old = (checkout / "pyproject.toml").read_text()
    (checkout / "pyproject.toml").write_text(old + "\n# another requirement")
    assert run(checkout, KILL_AT="installer")[0] == -signal.SIGKILL
    (checkout / "pyproject.toml").write_text(old)
    before = installed(checkout)
    assert run(checkout)[0] == 0
    assert installed(checkout) == before
    (checkout / "pyproject.toml").write_text(old + "\n# another requirement")
    ready(checkout)
    assert installed(checkout) == before + 1


def test_several_set_ups_at_once_make_one_environment(checkout: Path) -> None:
    processes = [start(checkout, *CHECK, TAKES="0.4") for _ in range(3)]
    answers = []
    for process in processes:
        with process:
            answers.append(process.communicate(timeout=60))
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert len({out for out, _ in answers}) == 1
    assert sum("waiting for another set-up" in err for _, err in answers) == 2
    assert installed(checkout) == 1
    ready(checkout)


def test_a_second_run_installs_nothing(checkout: Path) -> None:
    ready(checkout)
    ready(checkout)
    assert installed(checkout) == 1


def test_a_checkout_that_was_moved_is_set_up_again(checkout: Path) -> None:
    ready(checkout)
    moved = checkout.with_name("moved")
    checkout.rename(moved)
    ready(moved)


def test_an_environment_of_somebodys_own_is_kept(checkout: Path) -> None:
    (checkout / ".venv").mkdir()
    (checkout / ".venv" / "mine").touch()
    _, _, err = run(checkout)
    (kept,) = checkout.glob(".venv.before-*")
    assert (kept / "mine").exists()
    assert f"is kept as {kept.name}" in err


def test_a_failed_set_up_is_told_in_two_lines_and_leaves_nothing(checkout: Path) -> None:
    code, _, err = run(checkout, TAKES="soon")
    assert code == 2
    assert [line.partition(":")[0] for line in err.splitlines()[-2:]] == ["carre", "carre"]
    assert {path.name for path in checkout.glob(".venv*")} == {".venv.lock"}


def test_an_installed_package_sets_nothing_up(tmp_path: Path) -> None:
    packages, elsewhere = tmp_path / "packages", tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copytree(bootstrap.ROOT / "sim", packages / "sim", ignore=shutil.ignore_patterns("__pycache__"))
    (packages / "pyproject.toml").write_text('name = "another"')  # some packages leave theirs there
    place = os.environ | {"PYTHONPATH": str(packages)}
    out = subprocess.check_output(
        [sys.executable, "-m", "sim", "odds", "--json"], cwd=elsewhere, env=place, text=True, timeout=60
    )
    assert json.loads(out)["ruleset"] == "prusse-1806"
    assert not [path for folder in (packages, elsewhere) for path in folder.glob(".venv*")]


def test_every_file_of_the_package_is_packed() -> None:
    with (bootstrap.ROOT / "pyproject.toml").open("rb") as file:
        patterns = tomllib.load(file)["tool"]["setuptools"]["package-data"]["sim"]
    package = bootstrap.ROOT / "sim"
    packed = {path for pattern in patterns for path in package.glob(pattern)}
    there = {
        path
        for path in package.rglob("*")
        if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts
    }
    assert there == packed


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_a_set_up_with_all_it_started(
    checkout: Path, number: signal.Signals, code: int
) -> None:
    with start(checkout, *CHECK, TAKES="30") as process:
        deadline = time.monotonic() + 30
        while not (checkout / "log").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(number)
        process.communicate(timeout=10)  # ends only when nothing that it started holds the pipe
    assert process.returncode == code
    assert {path.name for path in checkout.glob(".venv*")} == {".venv.lock"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_signal_to_the_command_ends_what_it_runs(checkout: Path, number: signal.Signals) -> None:
    with start(checkout, "-c", "import time; print('begun', flush=True); time.sleep(30)") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(number)
        process.communicate(timeout=10)
    assert process.returncode == -number
