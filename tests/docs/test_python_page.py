"""Every example of docs/python.md runs and answers what the page says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import sim

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


def test_every_example_of_the_page_runs() -> None:
    text = re.sub(r"^```.*$", "", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(examples, out=told.append)
    assert runner.tries >= 20
    assert not runner.failures, "".join(told)


def test_the_page_names_every_function() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in sim.__all__ if f"| `sim.{name}(" not in text] == []
