"""docs/scenario-files.md: its examples are right, and its tables name every field there is, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from sim.inputs import documents, tables
from sim.inputs.fields import Record
from sim.units import battlefiles, rosters
from sim.units.battlefields import LEAVES, ORGANISATION, PLACEMENT, REINFORCEMENT, SCENARIO

PAGE = (Path(__file__).parents[2] / "docs/scenario-files.md").read_text(encoding="utf-8")
FILES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
ROSTERS = re.findall(r"```csv\n(.*?)```", PAGE, re.DOTALL)


def table(before: str) -> list[str]:
    """The first column of the first table behind a line of the page."""
    text = PAGE[PAGE.index(before) :]
    lines = text[text.index("\n|") + 1 :].split("\n\n")[0].splitlines()[2:]
    return [re.findall("`([a-z_]+)", line)[0] for line in lines]


def test_the_example_is_a_scenario(tmp_path: Path) -> None:
    (tmp_path / "small.csv").write_text(ROSTERS[1], encoding="utf-8")
    path = tmp_path / "small.yaml"
    path.write_text(FILES[0], encoding="utf-8")
    scenario, problems = battlefiles.check(documents.read(path))
    assert scenario is not None, problems.errors
    assert not problems.warnings


def test_the_rosters_are_right() -> None:
    for text in ROSTERS:
        _, problems = rosters.check(tables.parse(text, "r.csv"))
        assert not problems.errors + problems.warnings


def test_the_ladder_of_the_page_is_that_of_halle() -> None:
    told = yaml.safe_load(FILES[1])
    own = yaml.safe_load(battlefiles.locate("halle-1806").read_text(encoding="utf-8"))
    assert told[0] == own["victory"][0]


def test_tables_name_every_field() -> None:
    assert table("## Rosters") == list(rosters.ROSTER.fields)
    assert sorted(table("with the roster")) == sorted(SCENARIO.fields)
    kinds: dict[str, Record] = {
        "### Organisations": ORGANISATION,
        "### Placement": PLACEMENT,
        "### Reinforcements": REINFORCEMENT,
    }
    for heading, kind in kinds.items():
        assert table(heading) == list(kind.fields), heading
    assert table("### Victory") == list(LEAVES)
