"""docs/charge.md has numbered paragraphs that can be cited, and every citation and the glossary lead to one
that is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "charge.md").read_text(encoding="utf-8")
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
WIDTH = 110

HEAD = re.compile(r"^## (\d+)\. ", re.MULTILINE)
PARAGRAPH = re.compile(r"^\*\*(\d+\.\d+)\*\* ", re.MULTILINE)
REFERENCE = re.compile(r"§(\d+(?:\.\d+)?)")
CITATION = re.compile(r"charge\.md (?:sections? )?((?:\d+(?:\.\d+)?(?: to |, | and )?)+)")

SECTIONS = HEAD.findall(PAGE)
PARAGRAPHS = PARAGRAPH.findall(PAGE)
KNOWN = {*SECTIONS, *PARAGRAPHS}


def sources() -> list[Path]:
    """Every file that may cite the page."""
    texts = [path for room in ("sim", "tests", "experiments") for path in (ROOT / room).rglob("*.py")]
    return [*texts, ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]


def glossary_rows() -> list[tuple[str, list[str], str]]:
    """Word, words in code, and paragraphs of each row of the glossary."""
    rows = [
        line.strip("| ").split(" | ")
        for line in GLOSSARY.splitlines()
        if line.startswith("| ") and not line.startswith("| word |")
    ]
    return [(word, re.findall(r"`([^`]+)`", code), where) for word, code, _, where in rows]


# -- paragraphs ---------------------------------------------------------------------------------------


def test_sections_are_numbered_one_after_the_other() -> None:
    assert [str(number) for number in range(1, 16)] == SECTIONS


@pytest.mark.parametrize("section", range(1, 15))
def test_the_paragraphs_of_a_section_are_numbered_without_a_gap(section: int) -> None:
    """Cases of a contact have the numbers 6.1 to 6.10; what comes before them is 6.0."""
    within = PAGE.partition(f"\n## {section}. ")[2].partition("\n## ")[0]
    first = 0 if section == 6 else 1
    numbers = PARAGRAPH.findall(within)
    assert len(numbers) > 1
    assert numbers == [f"{section}.{first + place}" for place in range(len(numbers))]


def test_every_line_of_a_section_belongs_to_a_paragraph() -> None:
    for section in HEAD.split(PAGE)[2::2]:
        body = section.partition("\n\n")[2]
        assert PARAGRAPH.match(body)


def test_lines_are_short() -> None:
    for name, text in (("charge", PAGE), ("glossary", GLOSSARY)):
        long = [number for number, line in enumerate(text.splitlines(), 1) if len(line) > WIDTH]
        assert long == [], f"docs/{name}.md has lines longer than {WIDTH}"


def test_every_reference_on_the_page_leads_to_a_paragraph() -> None:
    references = REFERENCE.findall(PAGE)
    assert len(references) > 50
    assert sorted(set(references) - KNOWN) == []


def test_the_chart_and_its_list_name_the_same_paragraphs() -> None:
    chart, _, rest = PAGE.partition("```mermaid\n")[2].partition("```")
    steps = rest.partition("\n## ")[0]
    named = {
        number
        for found in re.findall(r"\(([\d.]+(?: to [\d.]+)?)\)", chart)
        for number in found.split(" to ")
    }
    assert named <= KNOWN
    assert named <= set(REFERENCE.findall(steps))


# -- citations ----------------------------------------------------------------------------------------


def test_every_citation_of_the_page_leads_to_a_paragraph() -> None:
    wrong = []
    for path in sources():
        for found in CITATION.findall(path.read_text(encoding="utf-8")):
            numbers = re.findall(r"\d+(?:\.\d+)?", found)
            wrong += [
                f"{path.relative_to(ROOT)}: charge.md {number}" for number in numbers if number not in KNOWN
            ]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("docs/charge.md 6.10)", "6.10"),
        ("docs/charge.md sections 3 to 6).", "3 to 6"),
        ("docs/charge.md sections 4 and 5; seed", "4 and 5"),
        ("charge.md 6.10, 6.11.", "6.10, 6.11"),
    ],
)
def test_a_citation_is_read(text: str, cited: str) -> None:
    found = CITATION.search(text)
    assert found is not None
    assert found[1] == cited


# -- glossary -----------------------------------------------------------------------------------------


def test_every_paragraph_of_the_glossary_is_on_the_page() -> None:
    rows = glossary_rows()
    assert len(rows) > 60
    assert [
        f"{word}: {where}"
        for word, _, where in rows
        if where != "—" and not set(REFERENCE.findall(where)) <= KNOWN
    ] == []
    assert [word for word, _, where in rows if where != "—" and not REFERENCE.search(where)] == []


def test_every_code_word_of_the_glossary_is_a_word_of_the_code() -> None:
    """A renamed thing is renamed in its row."""
    files = [path for ending in ("py", "yaml") for path in (ROOT / "sim").rglob(f"*.{ending}")]
    words = set(re.findall(r"[A-Za-z_@]+", " ".join(path.read_text(encoding="utf-8") for path in files)))
    assert [
        f"{word}: {code}" for word, codes, _ in glossary_rows() for code in codes if code not in words
    ] == []


def test_the_glossary_has_each_word_once() -> None:
    words = [word for entry, _, _ in glossary_rows() for word in entry.split(", ")]
    assert sorted({word for word in words if words.count(word) > 1}) == []


def test_words_that_the_page_sets_in_italics_as_terms_are_in_the_glossary() -> None:
    """Where a term is explained it stands in italics inside its paragraph; the glossary has those that a
    reader meets elsewhere."""
    entries = {word.lower() for entry, _, _ in glossary_rows() for word in entry.split(", ")}
    terms = (
        "met, goal, contact, friend, group, hit, worst, skirmish order, pre-check, side-facing, "
        "unchecked, sheltered, dropped off, contagion, z"
    )
    for term in ("top charger", "general failure", "trample", *terms.split(", ")):
        assert f"*{term}*" in PAGE.lower()
        assert term in entries
