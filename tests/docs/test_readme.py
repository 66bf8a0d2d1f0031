"""What the README and the pages show is true: commands print what stands below them, links lead somewhere, no
path is a machine's own."""

from __future__ import annotations

import contextlib
import difflib
import io
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from sim.cli import main

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
PROMPT = "$ carre "
ANY_LINES = "…"
FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(
    r"\]\(\s*<?([^)\s>]+)|^\[[^\]]+\]:\s*<?([^\s>]+)|<(?:img|a)\s[^>]*(?:src|href)=\"([^\"]+)\"", re.MULTILINE
)
OWN_PATH = re.compile(
    r"(?<![\w.~-])/(?:home|work|tmp|root|Users|opt|mnt|private|var)/|\b[A-Z]:\\\\?Users|file://"
)
PACKAGE_INDEX = re.compile(r"pypi\.|pythonhosted\.|/simple/|index-url|artifactory", re.IGNORECASE)


def examples(text: str) -> list[tuple[str, list[str]]]:
    """Each command shown with a prompt, and the lines shown below it; only of blocks that begin with one."""
    found: list[tuple[str, list[str]]] = []
    for _, block in FENCE.findall(text):
        if not block.startswith(PROMPT):
            continue
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith(PROMPT):
                found.append((line.removeprefix("$ "), []))
            else:
                found[-1][1].append(line)
    return found


def printed(command: str) -> list[str]:
    """What a command shows on a terminal: both streams."""
    stream = io.StringIO()
    with (
        contextlib.redirect_stdout(stream),
        contextlib.redirect_stderr(stream),
        contextlib.suppress(SystemExit),
    ):
        main(shlex.split(command)[1:])
    return stream.getvalue().splitlines()


def agrees(shown: list[str], real: list[str]) -> bool:
    """Whether lines shown are the real ones, where `…` alone on a line stands for any number of them."""
    if not shown:
        return not real
    if shown[0] == ANY_LINES:
        return any(agrees(shown[1:], real[skipped:]) for skipped in range(len(real) + 1))
    return bool(real) and shown[0] == real[0] and agrees(shown[1:], real[1:])


def trimmed(lines: list[str]) -> list[str]:
    """Without blank lines at the end, which only separate examples."""
    return "\n".join(lines).rstrip("\n").splitlines()


def links(page: Path) -> list[str]:
    """Relative links of a page, without the part after #; code shows no links."""
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text(encoding="utf-8")))
    targets = [next(filter(None, found)) for found in LINK.findall(text)]
    return [target.partition("#")[0] for target in targets if not re.match(r"[a-z]+:|#", target)]


def repository() -> list[Path]:
    """Every file that is in the repository or about to be."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return [path for path in (ROOT / name for name in names if name) if path.is_file()]


# -- the README ---------------------------------------------------------------------------------------


def test_the_readme_shows_commands() -> None:
    assert examples(README.read_text(encoding="utf-8"))


def test_every_command_of_the_readme_prints_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the order of the page and in one folder, so that an example may use what an earlier one wrote, and
    the experiment's charge files."""
    shutil.copytree(ROOT / "experiments", tmp_path / "experiments")
    monkeypatch.chdir(tmp_path)
    wrong = []
    for command, shown in examples(README.read_text(encoding="utf-8")):
        real = trimmed(printed(command))
        if not agrees(trimmed(shown), real):
            wrong.append(
                "\n".join(
                    [
                        "",
                        f"$ {command}",
                        *difflib.unified_diff(shown, real, "README.md", "printed", lineterm=""),
                    ]
                )
            )
    assert not wrong, "".join(wrong)


@pytest.mark.parametrize(
    ("shown", "real", "same"),
    [
        ("", "", True),
        ("a b", "a b", True),
        ("a", "a b", False),
        ("a b", "a", False),
        ("…", "", True),
        ("a … d", "a b c d", True),
        ("a … d", "a d", True),
        ("a … d", "a b c", False),
        ("… b …", "a b c", True),
        ("a … b …", "a c", False),
    ],
)
def test_an_ellipsis_stands_for_any_number_of_lines(shown: str, real: str, same: bool) -> None:
    assert agrees(shown.split(), real.split()) is same


def test_examples_are_read_with_their_output() -> None:
    text = "text\n```text\n$ carre a \\\n  b\none\n\n$ carre c\n```\n\n```sh\ncarre d\n```\n"
    assert examples(text) == [("carre a    b", ["one", ""]), ("carre c", [])]


# -- links --------------------------------------------------------------------------------------------


def test_every_kind_of_link_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        '[a](b.md#c) [![i](i.png)](d.md)\n[e]: f.md\n<img src="g.png"> [h](https://example.org) '
        "[j](#k) `[l](m)`\n",
        encoding="utf-8",
    )
    assert links(page) == ["b.md", "i.png", "d.md", "f.md", "g.png"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    assert [target for target in links(page) if not (page.parent / target).exists()] == []


ANCHOR = re.compile(r"\]\(([^)\s#]*)#([^)\s]+)\)")


def slugs(text: str) -> set[str]:
    """What headings of a page can be linked as."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_a_heading_is_linked_by_its_words() -> None:
    assert slugs("# One\n\n```\n# no heading\n```\n## 2. Rules, and where they live\n") == {
        "one",
        "2-rules-and-where-they-live",
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_to_a_heading_finds_it(page: Path) -> None:
    found = ANCHOR.findall(re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text(encoding="utf-8"))))
    inside = [(target, anchor) for target, anchor in found if ":" not in target]
    texts = {
        target: (page.parent / target if target else page).read_text(encoding="utf-8") for target, _ in inside
    }
    assert [f"{target}#{anchor}" for target, anchor in inside if anchor not in slugs(texts[target])] == []


def test_the_readme_leads_to_every_page_and_to_every_list_of_the_rules() -> None:
    text, rules = README.read_text(encoding="utf-8"), (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    pages = [page for page in (ROOT / "docs").glob("*.md") if page.name != "faults.md"]
    assert [page.name for page in pages if f"(docs/{page.name}" not in text] == []
    lists = {slug for slug in slugs(rules) if re.match(r"[1-4]-", slug)}
    assert len(lists) == 4
    assert {slug for slug in lists if f"(docs/rules.md#{slug})" not in text} == set()


# -- the machine's own --------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", [OWN_PATH, PACKAGE_INDEX], ids=["path", "package index"])
def test_no_file_names_a_place_of_one_machine(pattern: re.Pattern[str]) -> None:
    found = []
    for path in repository():
        content = path.read_bytes()
        if path == Path(__file__) or b"\0" in content:
            continue
        for number, line in enumerate(content.decode("utf-8").splitlines(), 1):
            match = pattern.search(line)
            if match:
                found.append(
                    f"{path.relative_to(ROOT)}:{number}: "
                    f"{line[max(match.start() - 30, 0) : match.end() + 30]}"
                )
    assert found == []
