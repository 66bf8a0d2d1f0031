"""The command line: `carre`. Nothing else prints."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from sim import arguments
from sim.cli import charts, files, studies
from sim.errors import CarreError

COMMANDS: arguments.Commands = {
    "chart": charts.chart,
    "compare": studies.compare,
    "completion": files.completion,
    "diff": files.diff,
    "explain": studies.explain,
    "lint": files.lint,
    "new": files.new,
    "odds": studies.odds,
    "rulesets": files.rulesets,
    "schema": files.schema,
    "sweep": studies.sweep,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code: 0, or 2 for input that cannot be used (lint: for files with errors)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without accents is no error
    try:
        parser = arguments.build(COMMANDS)
        if "_ARGCOMPLETE" in os.environ:  # a shell asks what may come next
            from sim import completion

            completion.complete(parser)
        options = parser.parse_args(argv)
        code = int(options.run(options) or 0)
        sys.stdout.flush()
        return code
    except CarreError as error:
        print(f"carre: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - nothing reads on; keep the interpreter from failing at exit
        return 0
    except OSError as error:  # files are told where they are read and written; this is the output itself
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - as above
        print(f"carre: the output cannot be written ({error.strerror})", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("carre: stopped", file=sys.stderr)
        return 130
