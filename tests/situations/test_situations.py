"""Situations worked out by hand from the rules, with their arithmetic and their source, before the code was
read: what the rules' functions and the board's kernels make of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.situations.asked import ASKED
from tests.situations.drawn import Situation

FILES = sorted(Path(__file__).parent.glob("*.yaml"))
SITUATIONS = [
    Situation(**told) for path in FILES for told in yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
]


def test_every_situation_has_a_name_of_its_own_and_a_question_that_is_asked() -> None:
    names = [one.id for one in SITUATIONS]
    assert len(names) == len(set(names))
    assert {one.asked for one in SITUATIONS} == set(ASKED)


@pytest.mark.parametrize("one", [pytest.param(one, id=one.id) for one in SITUATIONS])
def test_a_situation(one: Situation) -> None:
    found: Any = ASKED[one.asked](one)
    assert found == one.expect, f"{one.source}: {one.work}"
