"""The scalar play keeps to its pages: every function cites a paragraph of docs/charge.md, or a sentence of
docs/battle.md, no module is long, none knows the engine."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PLAY = Path(__file__).parent / "play"
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "charge.md"
MODULES = sorted(path.stem for path in PLAY.glob("*.py") if path.stem != "__init__")
TEXT = PAGE.read_text(encoding="utf-8")
PARAGRAPHS = {*re.findall(r"^## (\d+)\. ", TEXT, re.M), *re.findall(r"^\*\*(\d+\.\d+)\*\* ", TEXT, re.M)}
"""Sections and numbered paragraphs of the charge's page."""
BATTLE = (ROOT / "docs" / "battle.md").read_text(encoding="utf-8")
SENTENCES = set(re.findall(r"^\*\*([A-Z]\d+)\*\* ", BATTLE, re.M))
"""The sentences of the battle's page."""
SHARED = {"sim.ensemble.dice", "sim.ensemble.ladder", "sim.rulesets.catalogue", "sim.units.charges"}
"""What the scalar play takes over: the loaded charge and rule set, the ladder, and how a decision is
named."""


def tree_of(module: str) -> ast.Module:
    return ast.parse((PLAY / f"{module}.py").read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> set[str]:
    """The modules that a module imports, at its head or inside a function."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            room = base.startswith("sim") and (ROOT / base.replace(".", "/")).is_dir()
            found |= {f"{base}.{alias.name}" for alias in node.names} if room else {base}
    return found


def functions_of(tree: ast.Module) -> list[ast.FunctionDef]:
    """Functions and methods, those inside functions and those with a name of the language left out."""
    inside = [node for part in tree.body if isinstance(part, ast.ClassDef) for node in part.body]
    return [
        node
        for node in [*tree.body, *inside]
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("__")
    ]


@pytest.mark.parametrize("module", MODULES)
def test_every_function_cites_a_paragraph_that_the_page_has(module: str) -> None:
    for function in functions_of(tree_of(module)):
        said = ast.get_docstring(function) or ""
        cited = set(re.findall(r"§(\d+(?:\.\d+)?)", said))
        sentences = set(re.findall(r"battle\.md ([A-Z]\d+)", said))
        assert cited or sentences, f"{module}.{function.name} cites no paragraph"
        assert cited <= PARAGRAPHS, f"{module}.{function.name} cites {cited - PARAGRAPHS}"
        assert sentences <= SENTENCES, f"{module}.{function.name} cites {sentences - SENTENCES}"


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_shorter_than_four_hundred_lines(module: str) -> None:
    assert len((PLAY / f"{module}.py").read_text(encoding="utf-8").splitlines()) < 400


@pytest.mark.parametrize("module", MODULES)
def test_a_module_takes_nothing_from_the_engine_and_uses_only_modules_named_before_it(module: str) -> None:
    order = re.findall(
        r"`(\w+)`",
        "\n".join(line[:38] for line in (PLAY / "__init__.py").read_text(encoding="utf-8").splitlines()),
    )
    assert sorted(order) == MODULES
    names = imported(tree_of(module))
    assert {name for name in names if name.split(".")[0] == "sim"} <= SHARED
    inner = {name.rsplit(".", 1)[1] for name in names if name.startswith("tests.")}
    assert inner <= set(order[: order.index(module)])
