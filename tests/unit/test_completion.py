"""Completion on the tab key, as a shell asks for it."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sim.cli import arguments, completion
from sim.rulesets import shipped


def _refuse(*_: object) -> None:
    raise OSError


@pytest.fixture
def offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], set[str]]:
    """What is offered at the end of a line typed in a folder with a charge file."""
    (tmp_path / "my-charge.yaml").touch()
    (tmp_path / "my-notes.txt").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("_ARGCOMPLETE", "1")
    monkeypatch.setenv("_ARGCOMPLETE_IFS", "\n")
    monkeypatch.setenv("_ARGCOMPLETE_COMP_WORDBREAKS", " \n")

    monkeypatch.setattr(
        "argcomplete.finders.os.fdopen", _refuse
    )  # a file descriptor of the shell's, for its complaints

    def ask(line: str) -> set[str]:
        monkeypatch.setenv("COMP_LINE", line)
        monkeypatch.setenv("COMP_POINT", str(len(line)))
        answer = io.StringIO()
        with pytest.raises(SystemExit):
            completion.complete(arguments.build(), exit_method=sys.exit, output_stream=answer)
        return {word.strip() for word in answer.getvalue().split("\n")}

    return ask


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("carre s", {"scenarios", "schema", "sweep"}),
        ("carre chart m", {"melee", "morale", "movement"}),
        ("carre map hal", {"halle"}),
        ("carre lint mir", {"mirror"}),
        ("carre odds --me", {"--method"}),
        ("carre odds --method e", {"exact"}),
        ("carre odds --response c", {"carre@1", "carre@2", "carre@3", "carre@4"}),
        ("carre odds --ruleset h", {"hagelberg-1813", "halle-1806"}),
        ("carre odds --set target.mor", {"target.morale="}),
        ("carre odds --set target.morale=2", {f"target.morale=2{digit}" for digit in range(1, 7)}),
        ("carre sweep --vary charger.formation=", {"charger.formation=column", "charger.formation=line"}),
        ("carre compare --with switches.lance=c", {"switches.lance=counter"}),
        ("carre odds --plan square=b", {"square=break-off", "square=best"}),
        ("carre odds --set charges.3.target.mor", {"charges.3.target.morale="}),
        (
            "carre odds --set charges.2.from=r",
            {f"charges.2.from=rear{side}" for side in ("", "-left", "-right")},
        ),
        ("carre odds --plan 2.square=b", {"2.square=break-off", "2.square=best"}),
        ("carre sweep --event b", {"bounced"}),
        ("carre chart carre --nation Pr", {"Prussian"}),
        ("carre chart recall --ruleset prusse-1806 --cavalry 'Prussian D", {"Prussian Dragoon"}),
        ("carre odds my", {"my-charge.yaml"}),
        ("carre lint my", {"my-charge.yaml"}),
    ],
)
def test_the_word_at_the_cursor_is_completed(
    line: str, wanted: set[str], offered: Callable[[str], set[str]]
) -> None:
    assert offered(line) == wanted


def test_every_rule_set_is_offered(offered: Callable[[str], set[str]]) -> None:
    assert set(shipped.names()) <= offered("carre diff ")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_each_shell_gets_what_it_must_read(shell: str) -> None:
    code = subprocess.check_output(
        [sys.executable, "-m", "sim.cli", "completion", shell], text=True, timeout=60
    )
    assert "_ARGCOMPLETE" in code
    assert "carre" in code


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_reads_it_and_completes_with_it(tmp_path: Path) -> None:
    command = tmp_path / "carre"
    command.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m sim.cli \"$@\"\n")
    command.chmod(0o755)
    script = """
        eval "$(carre completion bash)"
        COMP_LINE='carre chart m' COMP_POINT=13 COMP_TYPE=9 COMP_WORDS=(carre chart m) COMP_CWORD=2
        $(complete -p carre | sed 's/.*-F \\([^ ]*\\).*/\\1/') carre m chart
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    place = {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    out = subprocess.check_output(["bash", "-c", script], env=os.environ | place, text=True, timeout=60)
    assert out.split() == ["morale", "melee", "movement"]


def test_an_ordinary_command_does_not_load_it() -> None:
    code = (
        "import sys; from sim.cli import main; main(['chart', 'morale', '--morale', '26']); "
        "print(sorted(sys.modules))"
    )
    out = subprocess.check_output([sys.executable, "-c", code], text=True, timeout=60)
    assert "argcomplete" not in out
    assert "sim.cli.completion" not in out
