"""The package read as text: docstrings everywhere (style.md)."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import sim

ROOT = Path(sim.__file__).parent
MODULES = {
    ".".join(("sim", *path.relative_to(ROOT).with_suffix("").parts)): path
    for path in sorted(ROOT.rglob("*.py"))
}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}

ARRAYS = {"NDArray", "ArrayLike", "Cases", "Mask", "Ids", "Ints", "Rows", "Facts"}
"""Names that stand for arrays in annotations."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def public(name: str) -> list[tuple[str, Definition]]:
    """Public classes and functions of a module, and public methods of its public classes, with dotted
    names."""
    found: list[tuple[str, Definition]] = []

    def collect(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, Definition) and not node.name.startswith("_"):
                found.append((prefix + node.name, node))
                if isinstance(node, ast.ClassDef):
                    collect(node.body, f"{prefix}{node.name}.")

    collect(TREES[name].body, "")
    return found


@pytest.mark.parametrize("name", MODULES)
def test_every_module_has_a_docstring(name: str) -> None:
    assert ast.get_docstring(TREES[name])


@pytest.mark.parametrize("name", MODULES)
def test_every_public_class_and_function_has_a_docstring(name: str) -> None:
    """A method that overrides a documented one inherits its docstring."""
    missing = []
    for dotted, node in public(name):
        documented = bool(ast.get_docstring(node))
        if not documented and "." in dotted and not isinstance(node, ast.ClassDef):
            owner = importlib.import_module(name)
            for part in dotted.split("."):
                owner = getattr(owner, part)
            documented = bool(inspect.getdoc(owner))
        if not documented:
            missing.append(f"{dotted}, line {node.lineno}")
    assert missing == []


def takes_arrays(node: Definition) -> bool:
    if isinstance(node, ast.ClassDef):
        return False
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    annotations = [argument.annotation for argument in arguments if argument.annotation is not None]
    names = {
        inner.id
        for annotation in annotations
        for inner in ast.walk(annotation)
        if isinstance(inner, ast.Name)
    }
    return bool(names & ARRAYS)


@pytest.mark.parametrize("name", MODULES)
def test_every_public_function_of_arrays_says_their_shape(name: str) -> None:
    """In its own docstring, or once for all in its class's or its module's."""
    silent = []
    classes = {dotted: node for dotted, node in public(name) if isinstance(node, ast.ClassDef)}
    whole = ast.get_docstring(TREES[name]) or ""
    for dotted, node in public(name):
        owner = classes.get(dotted.rpartition(".")[0])
        text = " ".join(
            (ast.get_docstring(node) or "", (ast.get_docstring(owner) or "") if owner else "", whole)
        )
        if takes_arrays(node) and "shape" not in text:
            silent.append(f"{dotted}, line {node.lineno}")
    assert silent == []
