"""`python3 -m tests.faults`: break each rule's line in turn and see the test that `docs/rules.md` names for
it fail.

Run by hand, from a checkout that `python3 -m tests` has set up. Every fault of `faults.yaml` is planted in a
copy of the repository, alone, and only the tests named in its rule's row are run there. A fault that they do
not see is a survivor. `--write` puts the result into `docs/faults.md`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

from tests.faults.planted import ROOT, Fault, faults, named_for

RESULT = ROOT / "docs" / "faults.md"
STATES = {0: "survived", 1: "seen", 2: "stopped", 5: "no test"}
"""What pytest's exit code says of a fault."""


def main(argv: Sequence[str] | None = None) -> int:
    """Plant the faults; returns 1 if any survived."""
    parser = argparse.ArgumentParser(prog="python3 -m tests.faults", description=__doc__)
    parser.add_argument("--rule", action="append", help="only the faults of this row (may be given again)")
    parser.add_argument("--jobs", type=int, default=2, help="copies worked on at once (default 2)")
    parser.add_argument(
        "--write", action="store_true", help=f"write the result into {RESULT.relative_to(ROOT)}"
    )
    options = parser.parse_args(argv)
    chosen = [fault for fault in faults() if not options.rule or fault.rule in options.rule]
    found: dict[Fault, str] = {}
    with _copies(options.jobs) as copies, ThreadPoolExecutor(options.jobs) as pool:
        for fault, state in zip(chosen, pool.map(lambda fault: _plant(copies, fault), chosen), strict=True):
            found[fault] = state
            print(f"{state:9} {fault.rule:>6}  {fault.fault}", flush=True)
    survivors = sum(state != "seen" for state in found.values())
    print(f"{len(found)} faults planted, {survivors} survived")
    if options.write and not options.rule:
        RESULT.write_text(_page(found), encoding="utf-8")
    return int(survivors > 0)


@contextmanager
def _copies(jobs: int) -> Iterator[SimpleQueue[Path]]:
    """Copies of what is in the repository, one a job."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    free: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory() as place:
        for job in range(jobs):
            for name in filter(None, listed):
                copy = Path(place, str(job), name)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy)
            free.put(Path(place, str(job)))
        yield free


def _plant(copies: SimpleQueue[Path], fault: Fault) -> str:
    """Break the line in a copy, run the tests named for the rule, mend it."""
    copy = copies.get()
    path = copy / fault.file
    sound = path.read_text(encoding="utf-8")
    try:
        path.write_text(sound.replace(fault.line, fault.broken), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *named_for(fault)]
        environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
        ran = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        return STATES.get(ran.returncode, f"exit {ran.returncode}")
    except subprocess.TimeoutExpired:
        return "hung"
    finally:
        path.write_text(sound, encoding="utf-8")
        copies.put(copy)


def _page(found: dict[Fault, str]) -> str:
    seen = sum(state == "seen" for state in found.values())
    rows = [f"| {fault.rule} | {fault.fault} | `{fault.file}` | {state} |" for fault, state in found.items()]
    return "\n".join(
        [
            "# Planted faults",
            "",
            "Written by `python3 -m tests.faults --write`. Each fault breaks one line of a rule; "
            "only the tests that [rules.md](rules.md) names",
            "for that rule are run against it. *Seen*: one of them failed. *Survived*: none did.",
            "",
            f"{len(found)} faults, {seen} seen.",
            "",
            "| rule | fault | module | result |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
