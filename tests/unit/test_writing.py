"""Files are written whole or not at all, and a table is no program."""

from __future__ import annotations

import csv
import io
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sim.cli import main
from sim.errors import InputError
from sim.report import writing
from sim.units import scenarios

ROOT = Path(__file__).parents[2]
OLD = b"what was there"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file that is there already, alone in its directory."""
    path = tmp_path / "table.csv"
    path.write_bytes(OLD)
    return path


def alone(path: Path) -> bool:
    """Whether nothing was left beside a file."""
    return list(path.parent.iterdir()) == [path]


def fails(*arguments: object) -> None:
    raise OSError(28, "No space left on device")


# -- whole or not at all ------------------------------------------------------------------------------


def test_a_file_is_replaced_by_the_new_one_and_nothing_is_left_beside_it(old: Path) -> None:
    assert writing.write(old, b"new") == old
    assert old.read_bytes() == b"new"
    assert alone(old)


def test_a_folder_that_is_not_there_is_named_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"c\.csv: the table cannot be written: there is no folder '.*b'"):
        writing.write(tmp_path / "a" / "b" / "c.csv", b"new", "table")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_disk_that_fills_up_leaves_the_old_file(
    old: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, step, fails)
    with pytest.raises(
        InputError, match=r"table\.csv: the table cannot be written \(No space left on device\)"
    ):
        writing.write(old, b"new", "table")
    assert old.read_bytes() == OLD
    assert alone(old)


def test_an_interruption_leaves_the_old_file(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        writing.write(old, b"new")
    assert old.read_bytes() == OLD
    assert alone(old)


@pytest.mark.parametrize(
    "option", ["odds --out table.csv", "odds --plot table.png", "sweep --vary distance=2..5 --out table.csv"]
)
def test_a_limit_on_the_size_of_files_leaves_the_old_one_and_is_told_in_one_line(
    tmp_path: Path, option: str
) -> None:
    """The limit is a block, of 512 or 1,024 bytes: no table and no picture fits."""
    path = tmp_path / option.split()[-1]
    path.write_bytes(OLD)
    command = f"ulimit -f 1; exec {sys.executable} -m sim.cli {option}"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    result = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    what = "picture" if path.suffix == ".png" else "table"
    assert result.stderr == f"carre: {path.name}: the {what} cannot be written (File too large)\n"
    assert path.read_bytes() == OLD
    assert alone(path)


def test_a_command_that_is_ended_while_it_writes_leaves_nothing_beside(old: Path) -> None:
    """The command ends itself by SIGTERM where the file's contents are on disk and its name is still the
    other."""
    program = f"""
import os, signal, sys
from sim import cli
os.fsync = lambda file: os.kill(os.getpid(), signal.SIGTERM)
sys.exit(cli.main(["odds", "--out", {str(old)!r}]))
"""
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (128 + signal.SIGTERM, "carre: stopped\n")
    assert old.read_bytes() == OLD
    assert alone(old)


# -- what stands there --------------------------------------------------------------------------------


def test_permissions_of_a_replaced_file_are_kept_and_a_new_one_has_the_usual(old: Path) -> None:
    old.chmod(0o640)
    writing.write(old, b"new")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    (old.parent / "plain").write_bytes(b"")
    assert (writing.write(old.parent / "made", b"new")).stat().st_mode == (
        old.parent / "plain"
    ).stat().st_mode


def test_a_link_stays_a_link_and_the_file_behind_it_is_written(old: Path) -> None:
    link = old.parent / "link.csv"
    link.symlink_to(old.name)
    writing.write(link, b"new")
    assert link.is_symlink()
    assert old.read_bytes() == b"new"


def test_a_file_that_may_not_be_written_is_not_replaced(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # whoever runs the tests may write everything
    with pytest.raises(InputError, match="Permission denied"):
        writing.write(old, b"new")
    assert old.read_bytes() == OLD


def test_a_directory_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Is a directory"):
        writing.write(tmp_path, b"new")


def test_a_pipe_without_a_name_is_written_to() -> None:
    """As a shell gives it: `--out >(sort)`."""
    reading, writing_to = os.pipe()
    writing.write(f"/dev/fd/{writing_to}", b"new")
    os.close(writing_to)
    with open(reading, "rb") as reader:
        assert reader.read() == b"new"


def test_a_pipe_in_a_folder_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    (tmp_path / "link.csv").symlink_to(pipe)
    for path in (pipe, tmp_path / "link.csv"):
        with pytest.raises(InputError, match="it is a pipe"):
            writing.write(path, b"new")
    command = [sys.executable, "-m", "sim.cli", "odds", "--out", str(pipe)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=20, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(
        f"carre: argument --out: must be a file that can be written, got '{pipe}': it is a pipe"
    )
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_the_commands_own_output_is_written_to_even_if_it_is_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to("/dev/stdout")
    command = [sys.executable, "-m", "sim.cli", "odds", "--out", str(tmp_path / "link.csv")]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=20, check=True).stdout
    assert "response,event,p" in said
    assert "best for the defender" in said


@pytest.mark.parametrize(
    ("kept", "arguments"),
    [
        ("charge.csv", ["odds", "charge.csv"]),
        ("link.csv", ["odds", "charge.csv"]),
        ("charge.svg", ["odds", "charge.svg"]),
        ("charge.csv", ["sweep", "charge.csv", "--vary", "charger.morale=22,23"]),
        ("charge.csv", ["compare", "--with", "charge.csv"]),
        ("./rules.csv", ["compare", "--with", "./rules.csv"]),
        ("./rules.csv", ["odds", "--ruleset", "./rules.csv"]),
        ("./rules.csv", ["odds", "--ruleset", "./above.csv"]),
        ("./rules.csv", ["sweep", "--vary", "ruleset=prusse-1806,./rules.csv"]),
    ],
)
def test_a_file_that_is_read_is_not_written_over(
    kept: str,
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("charge.csv", "charge.svg"):
        (tmp_path / name).write_bytes(scenarios.DEFAULT.read_bytes())
    (tmp_path / "link.csv").hardlink_to(tmp_path / "charge.csv")
    (tmp_path / "rules.csv").write_text("extends: prusse-1806\n", encoding="utf-8")
    (tmp_path / "above.csv").write_text("extends: ./rules.csv\n", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    option = "--plot" if kept.endswith(".svg") else "--out"
    assert main([*arguments, option, kept]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(
        f"carre: {option} must be another file than those that are read, got '{Path(kept)}'"
    )
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_commands_own_output_is_written_to_even_if_it_is_a_file(tmp_path: Path) -> None:
    """`--out` of a link to /dev/stdout, the output sent to a file: both table and text arrive in it."""
    (tmp_path / "link.csv").symlink_to("/dev/stdout")
    with (tmp_path / "everything").open("wb") as output:
        command = [sys.executable, "-m", "sim.cli", "odds", "--out", str(tmp_path / "link.csv")]
        subprocess.run(command, cwd=ROOT, stdout=output, stderr=subprocess.DEVNULL, check=True)
    assert "best for the defender" in (tmp_path / "everything").read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["everything", "link.csv"]


def test_a_full_device_is_told(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to("/dev/full")
    with pytest.raises(InputError, match="No space left on device"):
        writing.write(tmp_path / "link.csv", b"new")


def test_a_file_that_must_be_new_is_never_written_over(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileExistsError):
        writing.write(old, b"new", new=True)
    monkeypatch.setattr(os, "link", fails)  # as where a file system has no links
    with pytest.raises(FileExistsError):
        writing.write(old, b"new", new=True)
    assert old.read_bytes() == OLD
    assert alone(old)
    assert writing.write(old.parent / "made", b"new", new=True).read_bytes() == b"new"


def test_a_template_goes_the_same_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", fails)
    assert main(["new", "charge", "mine"]) == 2
    assert (
        capsys.readouterr().err == "carre: mine.yaml: the file cannot be written (No space left on device)\n"
    )
    assert list(tmp_path.iterdir()) == []


# -- tables -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@a", "\ta", "\ra", "\n=1"])
def test_a_text_that_looks_like_a_formula_is_marked_as_text(text: str) -> None:
    rows = list(csv.reader(io.StringIO(writing.csv([("name", "p"), (text, -0.5)]).decode(), newline="")))
    assert rows[1][0].startswith("'")
    assert rows[1][1] == "-0.5"


def test_the_name_of_a_rule_set_cannot_become_a_formula(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "=cmd.yaml").write_text("extends: prusse-1806\n", encoding="utf-8")
    assert (
        main(
            ["sweep", "--vary", "ruleset=prusse-1806,=cmd.yaml", "--response", "stand", "--out", "table.csv"]
        )
        == 0
    )
    cells = [
        value
        for row in csv.reader(io.StringIO((tmp_path / "table.csv").read_text(encoding="utf-8")))
        for value in row
    ]
    assert "'=cmd.yaml" in cells
    assert not any(value.startswith(("=", "@", "+")) for value in cells)
