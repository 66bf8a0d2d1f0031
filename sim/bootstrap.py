"""Set up the project's own virtual environment, with nothing but the standard library.

Used by `python3 -m sim` and `python3 -m tests` in a checkout: the first time they install what the project
needs into `.venv`, afterwards they start at once and need no network. The environment is made aside and
renamed when it is complete, by one process at a time, so that neither a kill at any moment nor two at once
leave half of one (docs/decisions/0006).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
OLDEST = (3, 11)
STAMPS = ("carre-development.stamp", "carre-run.stamp")
"""Files that say an environment is complete, and for what: the first serves both purposes."""


def interpreter(environment: Path = ENVIRONMENT) -> Path:
    """The Python of an environment, the project's own by default."""
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def needed() -> bool:
    """Whether the running Python must hand over to the project's environment: in a checkout, unless it is
    installed there already."""
    if sys.prefix == str(ENVIRONMENT):
        return False
    project = ROOT / "pyproject.toml"
    if not project.exists() or 'name = "carre"' not in project.read_text(encoding="utf-8", errors="replace"):
        return False  # installed by pip or pipx
    import json
    from importlib import metadata

    for found in metadata.distributions(name="carre"):
        origin = json.loads(found.read_text("direct_url.json") or "{}")
        if origin.get("url") == ROOT.as_uri() and origin.get("dir_info", {}).get("editable"):
            return False  # somebody's own environment, with this checkout in it
    return True


def run(arguments: list[str], development: bool = False) -> int:
    """Run Python with arguments in the project's environment, setting it up first where needed.

    Where the system has it, the command takes the place of this process, so that whatever signal ends the one
    ends the other.

    Parameters
    ----------
    development
        With what the tests, the linter and the type checker need.
    """
    if sys.version_info < OLDEST:
        print(
            f"carre: needs Python {OLDEST[0]}.{OLDEST[1]} or newer, found {sys.version.split()[0]}",
            file=sys.stderr,
        )
        return 2
    try:
        _set_up(development)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"carre: the environment {ENVIRONMENT.name} could not be set up: {error}", file=sys.stderr)
        print("carre: Python's venv module and a package index are needed the first time", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("carre: stopped", file=sys.stderr)
        return 130
    command = [str(interpreter()), *arguments]
    if development:
        os.chdir(ROOT)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # closed by whoever started this
            stream.flush()
    if os.name != "nt":
        os.execv(command[0], command)
    try:  # on Windows a process cannot be replaced
        return subprocess.run(command, check=False).returncode
    except KeyboardInterrupt:  # the command itself says that it is stopped
        return 130


def steps(environment: Path, development: bool) -> list[list[str]]:
    """The commands that make an environment."""
    what = f"{ROOT}[dev]" if development else str(ROOT)
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", what]
    return [
        [sys.executable, "-m", "venv", "--prompt", ENVIRONMENT.name, str(environment)],
        [str(interpreter(environment)), *install],
    ]


def _set_up(development: bool) -> None:
    if _complete(ENVIRONMENT, development):
        return
    with _alone(), _ended_by_signal():
        if _complete(ENVIRONMENT, development):  # another process has just done it
            return
        made = next(
            (one for one in ROOT.glob(f"{ENVIRONMENT.name}.new-*") if _complete(one, development)), None
        )
        try:
            _put_in_place(made or _make(development))
        finally:
            for pattern in ("new", "old"):
                for left in ROOT.glob(f"{ENVIRONMENT.name}.{pattern}-*"):
                    _remove(left)


def _wanted() -> str:
    """What an environment must be made from: this project's requirements, in this place (its scripts hold the
    path)."""
    return hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + os.fsencode(ROOT)).hexdigest()


def _complete(environment: Path, development: bool) -> bool:
    stamps = [environment / name for name in (STAMPS[:1] if development else STAMPS)]
    return interpreter(environment).exists() and any(
        stamp.exists() and stamp.read_text() == _wanted() for stamp in stamps
    )


def _make(development: bool) -> Path:
    """A complete environment beside its final place, its scripts already written for that place."""
    print(f"carre: setting up {ENVIRONMENT.name} (once)", file=sys.stderr, flush=True)
    wanted = _wanted()
    aside = ROOT / f"{ENVIRONMENT.name}.new-{os.urandom(4).hex()}"
    for command in steps(aside, development):
        _step(command)
    before, after = aside.name.encode(), ENVIRONMENT.name.encode()
    for file in (aside / "pyvenv.cfg", *interpreter(aside).parent.iterdir()):
        if file.is_file() and not file.is_symlink() and before in (content := file.read_bytes()):
            file.write_bytes(content.replace(before, after))
    unfinished = aside / "stamp.part"
    unfinished.write_text(wanted)
    unfinished.rename(aside / STAMPS[0 if development else 1])
    return aside


def _put_in_place(made: Path) -> None:
    """Give a complete environment its name; one that was there and is not ours is kept under another."""
    if os.path.lexists(ENVIRONMENT):
        ours = any((ENVIRONMENT / name).exists() for name in STAMPS)
        old = ROOT / f"{ENVIRONMENT.name}.{'old' if ours else 'before'}-{os.urandom(4).hex()}"
        ENVIRONMENT.rename(old)
        if not ours:
            print(f"carre: the {ENVIRONMENT.name} that was there is kept as {old.name}", file=sys.stderr)
    made.rename(ENVIRONMENT)


def _remove(directory: Path) -> None:
    if directory.is_symlink():
        directory.unlink()
    else:
        shutil.rmtree(directory, ignore_errors=True)


def _step(command: Sequence[str]) -> None:
    """Run a command; whatever ends this process in an orderly way ends it too, with all that it has
    started."""
    process = subprocess.Popen(command, stdout=sys.stderr, start_new_session=os.name != "nt")
    try:
        code = process.wait()
    except BaseException:
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    if code:
        raise subprocess.CalledProcessError(code, list(command))


@contextmanager
def _alone() -> Iterator[None]:
    """Let one process at a time set up; the system takes the lock from a process that has died."""
    with (ROOT / f"{ENVIRONMENT.name}.lock").open("a+b") as file:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            while True:
                try:
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # gives up after ten seconds
                    break
                except OSError:
                    print("carre: waiting for another set-up", file=sys.stderr)
        else:
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print("carre: waiting for another set-up", file=sys.stderr, flush=True)
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _ended_by_signal() -> Iterator[None]:
    """Let SIGTERM and a closed terminal end a set-up as Ctrl-C does: in order, what was begun removed."""

    def end(number: int, frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    numbers = [number for number in (signal.SIGTERM, getattr(signal, "SIGHUP", None)) if number is not None]
    before = {number: signal.signal(number, end) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
