"""Set up the project's own virtual environment, with nothing but the standard library.

Used by `python3 -m sim` and `python3 -m tests`: the first time they install what the project needs into `.venv`, afterwards they
start at once and need no network.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
OLDEST = (3, 11)


def interpreter() -> Path:
    """The Python of the project's environment."""
    return ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def run(arguments: list[str], development: bool = False) -> int:
    """Run Python with arguments in the project's environment, setting it up first where needed.

    Parameters
    ----------
    development
        With what the tests, the linter and the type checker need.
    """
    if sys.version_info < OLDEST:
        print(f"carre: needs Python {OLDEST[0]}.{OLDEST[1]} or newer, found {sys.version.split()[0]}", file=sys.stderr)
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
    try:
        return subprocess.run([str(interpreter()), *arguments], cwd=None if not development else ROOT, check=False).returncode
    except KeyboardInterrupt:  # the command itself says that it is stopped
        return 130


def _set_up(development: bool) -> None:
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    full = ENVIRONMENT / "carre-development.stamp"
    stamps = [full] if development else [full, ENVIRONMENT / "carre-run.stamp"]
    if interpreter().exists() and any(stamp.exists() and stamp.read_text() == wanted for stamp in stamps):
        return
    print(f"carre: setting up {ENVIRONMENT.name} (once)", file=sys.stderr)
    if not interpreter().exists():
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True, stdout=sys.stderr)
    what = f"{ROOT}[dev]" if development else str(ROOT)
    command = [str(interpreter()), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", what]
    subprocess.run(command, check=True, stdout=sys.stderr)
    stamps[-1 if not development else 0].write_text(wanted)
