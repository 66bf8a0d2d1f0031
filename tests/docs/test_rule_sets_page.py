"""The examples of docs/rule-sets.md are right: each is a rule set, or a part of one, that passes the
checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.rulesets import chain, consistency

PAGE = Path(__file__).parents[2] / "docs" / "rule-sets.md"
EXAMPLES = re.findall(
    r"^```yaml\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
)


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: text.splitlines()[0])
def test_an_example_of_the_page_passes_the_checks(text: str, tmp_path: Path) -> None:
    path = tmp_path / "example.yaml"
    path.write_text(text if "extends:" in text else f"extends: friedland-1807\n{text}", encoding="utf-8")
    problems = consistency.check(*chain.merge(path))
    assert problems.errors == []
    assert problems.warnings == []


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) >= 5
