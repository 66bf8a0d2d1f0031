"""What a command loads before it answers: what is heavy waits until somebody needs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.unit.test_layers import HEAVY

STAND = "chart stand --morale 31 --formation line --charger heavy"
FEW = {"numpy", "yaml"}
PLAY = FEW | {"simpy"}

TOLD = """
import sys
from sim.cli import main
try:
    main({words})
except SystemExit:
    pass
print(*sorted(name.partition('.')[0] for name in sys.modules), file=sys.stderr)
"""


def loaded(command: str) -> set[str]:
    """The top packages that are loaded when a command has answered."""
    code = TOLD.format(words=command.split())
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout, f"{command} says nothing: {done.stderr}"
    return set(done.stderr.split())


@pytest.mark.parametrize(
    ("command", "most"),
    [
        ("--help", set()),
        ("odds --help", set()),
        ("chart carre --help", set()),
        (STAND, PLAY),
        ("rulesets", FEW),
        ("odds", PLAY),
        ("odds --runs 3000", PLAY),
        ("explain", PLAY),
    ],
)
def test_a_command_loads_no_package_that_its_answer_does_not_need(command: str, most: set[str]) -> None:
    """No compiler, no tables, no plots: the default charge works its board out interpreted."""
    found = loaded(command)
    assert "sim" in found
    assert found & (PLAY | HEAVY) <= most


def test_a_package_that_is_loaded_is_seen() -> None:
    assert loaded("odds") >= PLAY
