"""The package read as text: docstrings everywhere, printing and SimPy in their places, and arrows that point one way.

See design.md (layout) and style.md (shape, docstrings).
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
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
    """Public classes and functions of a module, and public methods of its public classes, with dotted names."""
    found: list[tuple[str, Definition]] = []

    def collect(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, Definition) and not node.name.startswith("_"):
                found.append((prefix + node.name, node))
                if isinstance(node, ast.ClassDef):
                    collect(node.body, f"{prefix}{node.name}.")

    collect(TREES[name].body, "")
    return found


def imported(name: str) -> Iterator[str]:
    """Absolute names of all that a module imports, anywhere in it, for type checking too."""
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: imports are absolute"
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


# -- docstrings ---------------------------------------------------------------------------------------


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


# -- who prints, where SimPy lives, which way the arrows point ----------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in MODULES
        if name not in ("sim.__main__", "sim.cli.__init__", "sim.cli.output", "sim.bootstrap")
    ],
)
def test_only_the_command_line_prints(name: str) -> None:
    calls = [node for node in ast.walk(TREES[name]) if isinstance(node, ast.Call)]
    printing = [node.lineno for node in calls if isinstance(node.func, ast.Name) and node.func.id == "print"]
    writing = [
        node.lineno
        for node in ast.walk(TREES[name])
        if isinstance(node, ast.Attribute)
        and node.attr in ("stdout", "stderr")
        and isinstance(node.value, ast.Name)
        and node.value.id == "sys"
    ]
    assert printing + writing == []


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in MODULES
        if not any(within(name, room) for room in ("sim.old", "sim.battle", "sim.charge"))
    ],
)
def test_simpy_lives_in_the_battle_and_nowhere_else(name: str) -> None:
    assert [one for one in imported(name) if within(one, "simpy")] == []


def test_the_battle_does_use_simpy() -> None:
    assert any(within(one, "simpy") for name in MODULES if within(name, "sim.old") for one in imported(name))


@pytest.mark.parametrize(
    ("package", "forbidden"),
    [
        ("sim.rules", "sim.old"),
        ("sim.rules", "sim.studies"),
        ("sim.rules", "sim.old.dice"),
        ("sim.old", "sim.studies"),
        ("sim.board", "sim.old"),
        ("sim.board", "sim.units"),
        ("sim.board", "sim.rules"),
        ("sim.units", "sim.old"),
        ("sim.units", "sim.rules"),
        ("sim.ensemble", "sim.old"),
    ],
)
def test_arrows_point_down(package: str, forbidden: str) -> None:
    """design.md, Layout: rules never import battle, battle never imports studies."""
    modules = [name for name in MODULES if within(name, package)]
    assert modules
    assert [(name, one) for name in modules for one in imported(name) if within(one, forbidden)] == []


@pytest.mark.parametrize(
    "name", [name for name in MODULES if name != "sim.__main__" and not within(name, "sim.cli")]
)
def test_nothing_imports_the_command_line(name: str) -> None:
    """But the entry point `python3 -m sim`, which hands over to it."""
    assert [one for one in imported(name) if within(one, "sim.cli")] == []


def test_no_modules_import_each_other_in_a_circle_at_their_top() -> None:
    """Imports inside functions are put off on purpose (heavy libraries, or a module below)."""
    top: dict[str, set[str]] = {}
    for name, tree in TREES.items():
        found: set[str] = set()
        for node in tree.body:
            if isinstance(node, ast.ImportFrom):
                found |= {str(node.module)} | {f"{node.module}.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
        top[name] = {one for one in found if one in MODULES and one != name}
    done: set[str] = set()
    while len(done) < len(top):
        free = {name for name in top if name not in done and top[name] <= done}
        assert free, f"these import each other: {sorted(set(top) - done)}"
        done |= free


def test_heavy_libraries_are_imported_where_they_are_used() -> None:
    """style.md: `carre --help` and a chart look-up should feel instant."""
    heavy = ("pandas", "matplotlib", "scipy")
    for name, tree in TREES.items():
        for node in tree.body:
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [str(node.module)]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            assert not [one for one in names if one.split(".")[0] in heavy], name
