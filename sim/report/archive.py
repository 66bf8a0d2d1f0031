"""Battles run by run as files of one folder: tidy tables as Parquet and CSV, and a manifest that says what
they are."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from sim.errors import InputError
from sim.inputs import documents
from sim.report import parquet, writing
from sim.studies.battleframes import run_frame, turn_frame, unit_frame
from sim.studies.record import Record
from sim.studies.run import origin
from sim.units import battlefiles
from sim.units.battles import Scenario

if TYPE_CHECKING:
    import pandas as pd

TABLES: dict[str, Callable[[Record, Scenario, dict[str, str | int]], pd.DataFrame]] = {
    "runs": run_frame,
    "units": unit_frame,
    "turns": turn_frame,
}
"""Tables by the names of their files: a row a run, a row a run and unit, a row a run and turn."""
MANIFEST = "manifest.json"


class Archive:
    """A folder into which battles are written batch by batch; files appear when it is closed.

    Parameters
    ----------
    folder
        Made if it is not there; files of an earlier study in it are replaced.
    command, version
        By which command, and which Carré, as the manifest says.

    Raises
    ------
    InputError
        If it cannot be written, or would replace a file that the scenario is read from.
    """

    def __init__(self, folder: str | Path, scenario: Scenario, seed: int, command: str, version: str) -> None:
        self.folder, self.scenario = Path(folder), scenario
        self.told = {"carre": version, "command": command}
        self.origin = origin(scenario, seed)
        self.runs, self.first = 0, 0
        writing.folder(folder)
        for path in battlefiles.files(scenario.document):
            if path.parent.resolve() == self.folder.resolve() and path.name in (*_names(), MANIFEST):
                raise InputError(f"{folder}: must not hold the scenario's own file {path.name}")
        self._closing = ExitStack()
        self._tables: dict[str, list[Callable[[pd.DataFrame], None]]] = {}
        self._shape: dict[str, tuple[int, list[str]]] = {}
        about = {"title": scenario.title, "synthetic": scenario.synthetic} | self.origin
        for name in TABLES:
            self._tables[name] = [
                self._closing.enter_context(parquet.opened(self.folder / f"{name}.parquet", about)),
                self._closing.enter_context(parquet.opened_csv(self.folder / f"{name}.csv")),
            ]

    def add(self, record: Record) -> None:
        """Write some more runs."""
        self.first = record.first if not self.runs else self.first
        self.runs += record.runs
        for name, make in TABLES.items():
            frame = make(record, self.scenario, self.origin)
            for write in self._tables[name]:
                write(frame)
            rows = self._shape.get(name, (0, []))[0] + len(frame)
            self._shape[name] = rows, frame.columns.to_list()

    def close(self, failure: str = "") -> Path:
        """All is written; or, after a failure, what was finished. Returns the manifest."""
        if self.runs:
            self._closing.close()
        told = {
            **self.told,
            "title": self.scenario.title,
            "synthetic": self.scenario.synthetic,
            **self.origin,
            "first": self.first,
            "runs": self.runs,
            "complete": not failure,
            **({"failure": failure} if failure else {}),
            "read": [
                {"name": path.name, "sha256": _digest(documents.content(path))}
                for path in battlefiles.files(self.scenario.document)
            ],
            "files": [self._file(name) for name in _names()] if self.runs else [],
        }
        text = json.dumps(told, indent=2, ensure_ascii=False) + "\n"
        return writing.write(self.folder / MANIFEST, text.encode(), "manifest")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """What was not closed is dropped: files of an earlier study stay what they were."""
        self._closing.__exit__(kind or KeyboardInterrupt, error or KeyboardInterrupt(), trace)

    def _file(self, name: str) -> dict[str, Any]:
        rows, columns = self._shape[name.partition(".")[0]]
        data = (self.folder / name).read_bytes()
        return {"name": name, "rows": rows, "columns": columns, "bytes": len(data), "sha256": _digest(data)}


def _names() -> list[str]:
    return [f"{name}.{ending}" for name in TABLES for ending in ("parquet", "csv")]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
