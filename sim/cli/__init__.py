"""The command line: `carre`. Nothing else prints."""

from __future__ import annotations

import importlib
import io
import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

try:
    from sim.cli import arguments
    from sim.cli.output import say
    from sim.errors import CarreError, printable
except KeyboardInterrupt:  # before there is a command that could be stopped
    print("carre: stopped", file=sys.stderr)
    sys.exit(130)


class _Ended(BaseException):
    """Somebody has asked this process to end (SIGTERM): what is half done is undone on the way out."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code: 0, or 2 for input that cannot be used (lint: for files with
    errors)."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - closed by whoever started this; nothing is said then
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without accents is no error
    try:
        with _ending():
            return _run(argv)
    except CarreError as error:
        for fault in str(error).split("\n"):
            say(f"carre: {fault}")
        return 2
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - nothing reads on; keep the interpreter from failing at exit
        return 0
    except (
        OSError
    ) as error:  # files are told where they are read and written; one without a name is the output itself
        if error.filename is not None:
            say(f"carre: {printable(str(error.filename))}: cannot be used ({error.strerror})")
            return 2
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - as above
        say(f"carre: the output cannot be written ({error.strerror})")
        return 2
    except KeyboardInterrupt:
        say("carre: stopped")
        return 130
    except _Ended:
        say("carre: stopped")
        return 128 + signal.SIGTERM


def _run(argv: Sequence[str] | None) -> int:
    if sys.stdout is None:
        raise CarreError("the output cannot be written (standard output is closed)")
    parser = arguments.build()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks what may come next
        _module("completion").complete(parser)
    try:
        given = sys.argv[1:] if argv is None else argv
        options = parser.parse_args(given)
        options.line = shlex.join(["carre", *given])
        return int(_module(options.command).run(options) or 0)
    finally:  # --help leaves this way too
        sys.stdout.flush()


def _module(command: str) -> Any:
    """The module of a command, loaded when the command runs: `--help` and a chart do not wait for what a
    simulation needs."""
    return importlib.import_module(f"{__name__}.{command}")


@contextmanager
def _ending() -> Iterator[None]:
    """SIGTERM as an exception while a command runs, so that files are tidied away; as it was before and
    afterwards."""

    def end(*_: object) -> None:
        raise _Ended

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
