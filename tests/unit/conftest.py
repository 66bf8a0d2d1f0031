"""Fixtures of several files: the command line run in process, and an empty directory to work in."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sim.cli import main


@dataclass(frozen=True)
class Result:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def carre(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run `carre` with arguments."""

    def run(*arguments: object) -> Result:
        code = main([str(one) for one in arguments])
        return Result(code, *capsys.readouterr())

    return run


@pytest.fixture
def ok(carre: Callable[..., Result]) -> Callable[..., Result]:
    """Run `carre` with arguments that it must accept, saying nothing on standard error but what it wrote."""

    def run(*arguments: object) -> Result:
        result = carre(*arguments)
        assert (result.code, [line for line in result.err.splitlines() if not line.startswith("wrote ")]) == (
            0,
            [],
        )
        assert result.out.strip()
        return result

    return run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
