"""The how-to pages: the files they show are right, their commands print what stands below them, the places
they name are there."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from tests.docs.test_readme import agrees, examples, printed, trimmed

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "how-to"
INDEX = FOLDER / "README.md"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path != INDEX)

FENCE = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
NAMED_FILE = re.compile(r"yaml (\S+)")
PLACE = re.compile(r"`((?:sim|tests|docs)/[\w/.-]*)`")
WIDTH = 120


def blocks(page: Path) -> list[tuple[str, str]]:
    """What stands behind the fence, and the text, of each code block of a page."""
    return [
        (head, textwrap.dedent(text)) for _, head, text in FENCE.findall(page.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_page_print_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files of the page are written first: a block headed `yaml NAME` is the file NAME."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    commands, wrong = 0, []
    for head, text in blocks(page):
        if named := NAMED_FILE.fullmatch(head):
            (tmp_path / named[1]).write_text(text, encoding="utf-8")
        for command, shown in examples(f"```\n{text}```\n"):
            commands += 1
            real = printed(command)
            if not agrees(trimmed(shown), trimmed(real)):
                wrong.append("\n".join([f"$ {command}", *real]))
    assert commands > 0
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_place_that_a_page_names_is_there(page: Path) -> None:
    places = PLACE.findall(page.read_text(encoding="utf-8"))
    assert [place for place in places if not (ROOT / place).exists()] == []


def test_the_index_names_every_page() -> None:
    assert sorted(re.findall(r"\]\((add-[\w-]+\.md)\)", INDEX.read_text(encoding="utf-8"))) == [
        page.name for page in PAGES
    ]


@pytest.mark.parametrize("page", [INDEX, *PAGES], ids=lambda page: page.stem)
def test_a_page_is_short(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    assert len(lines) < 80
    assert [line for line in lines if len(line) > WIDTH and "{" not in line] == []


def test_an_indented_block_and_its_file_are_read(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "1. A file:\n\n   ```yaml a.yaml\n   b: 1\n   ```\n\n```\n$ carre x\nok\n```\n", encoding="utf-8"
    )
    assert blocks(page) == [("yaml a.yaml", "b: 1\n"), ("", "$ carre x\nok\n")]
