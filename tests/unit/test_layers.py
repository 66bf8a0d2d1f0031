"""Rooms, and arrows that point one way: every import of the package, wherever it stands; and who prints
(docs/decisions/0010)."""

from __future__ import annotations

import argparse
import ast
import importlib
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import sim
from sim.cli import arguments

ROOT = Path(sim.__file__).parent
ROOMS = (
    "vocabulary",
    "ensemble",
    "inputs",
    "rulesets",
    "board",
    "units",
    "rules",
    "combat",
    "charge",
    "battle",
    "doctrine",
    "studies",
    "report",
    "api",
    "cli",
)
"""From the ground up: a room imports those before it. What stands beside the rooms at the top is a room of
its own here."""
BELOW_ALL = {"errors"}
OUTSIDE = {"", "__main__", "bootstrap"}
"""The package itself and what starts it, before anything is installed: they import what they hand over to,
where they hand over."""
HEAVY = {
    "PIL",
    "argcomplete",
    "llvmlite",
    "matplotlib",
    "numba",
    "pandas",
    "tqdm",
    "scipy",
    "pyarrow",
    "pytiled_parser",
}
"""What functions import: packages that take long to load."""


@dataclass(frozen=True)
class Import:
    """One import: by which module, of which (a module of ours, or a package), in a function or not."""

    by: str
    of: str
    line: int
    inside: bool


def modules() -> dict[str, Path]:
    """Modules by their dotted name, without `sim.`; the package itself is the empty name."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = path
    return found


MODULES = modules()


def walk(node: ast.AST, inside: bool = False) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, inside
        within = inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from walk(child, within)


def imports(by: str, text: str) -> Iterator[Import]:
    """All imports of a module: at its top, in its functions, and for type checking only."""
    for node, inside in walk(ast.parse(text)):
        names = (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [f"{node.module}.{alias.name}" for alias in node.names]
        )
        assert not (isinstance(node, ast.ImportFrom) and node.level), f"{by}: imports are absolute"
        for name in names:
            yield Import(by, target(name), node.lineno, inside)


def target(name: str) -> str:
    """`sim.` and one of our modules, or another package's name."""
    first, _, rest = name.partition(".")
    if first != "sim":
        return first
    while rest not in MODULES and "." in rest:
        rest = rest.rpartition(".")[0]
    return f"sim.{rest if rest in (*MODULES, *ROOMS) else ''}"


IMPORTS = [one for name, path in MODULES.items() for one in imports(name, path.read_text(encoding="utf-8"))]
OURS = [one for one in IMPORTS if one.of.startswith("sim.")]


def room(module: str) -> str:
    return module.removeprefix("sim.").partition(".")[0]


PRINTERS = {"__main__", "bootstrap", "cli", "cli.output"}
"""The command line, and what starts it before it is there."""


def broken(one: Import) -> str:
    """Which rule an import breaks, or nothing."""
    by, of = room(one.by), room(one.of)
    if by in OUTSIDE:
        return ""
    if one.inside and one.of not in HEAVY:
        return "stands in a function"
    if one.of == "simpy" and by not in ("battle", "charge"):
        return "takes SimPy out of the battle"
    if not one.of.startswith("sim.") or of in BELOW_ALL:
        return ""
    if one.of == "sim.":
        return "" if by in ("cli", "api") else "takes from the package itself"
    return "points upwards" if ROOMS.index(of) > ROOMS.index(by) else ""


def circles(edges: Iterable[tuple[str, str]]) -> set[str]:
    """Modules that lie on a circle of imports."""
    after: dict[str, set[str]] = {}
    for by, of in edges:
        after.setdefault(by, set()).add(of)

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        todo = [start]
        while todo:
            new = after.get(todo.pop(), set()) - seen
            seen |= new
            todo += new
        return seen

    return {by for by in after if by in reached(by)}


def edges_of(found: list[Import]) -> set[tuple[str, str]]:
    return {(one.by, one.of.removeprefix("sim.")) for one in found if room(one.by) not in OUTSIDE}


def prints(text: str) -> list[int]:
    """The lines that print, or take hold of the output."""
    lines = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            lines.append(node.lineno)
        if isinstance(node, ast.Attribute) and node.attr in ("stdout", "stderr"):
            lines += [node.lineno] if isinstance(node.value, ast.Name) and node.value.id == "sys" else []
    return lines


def test_every_room_is_one_of_the_house() -> None:
    assert {room(name) for name in MODULES} <= {*ROOMS, *BELOW_ALL, *OUTSIDE}


def test_imports_point_downwards_and_stand_at_the_top() -> None:
    assert [f"{one.by}:{one.line} {one.of} {broken(one)}" for one in IMPORTS if broken(one)] == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Not even for type checking only."""
    assert circles(edges_of(OURS)) == set()


def test_heavy_packages_are_imported_where_they_are_used() -> None:
    """`carre --help` and a look-up in a chart should feel instant."""
    top = [
        (name, one)
        for name, path in MODULES.items()
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for one in packages(node)
    ]
    assert [(name, one) for name, one in top if one in HEAVY and name != "cli.completion"] == []


def packages(node: ast.Import | ast.ImportFrom) -> list[str]:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [str(node.module)]
    return [name.partition(".")[0] for name in names]


def test_the_battle_does_use_simpy() -> None:
    assert "simpy" in {one.of for one in IMPORTS}


def test_only_the_command_line_loads_modules_by_name() -> None:
    """One mechanism: `cli` loads the module of the command that runs."""
    assert {one.by for one in IMPORTS if one.of == "importlib"} <= {"cli", "bootstrap"}


def test_the_options_are_known_before_anything_heavy_is_loaded() -> None:
    """`carre --help` should feel instant."""
    code = "import sys; from sim.cli import arguments; arguments.build(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"numpy", "yaml", "simpy", *HEAVY} & set(loaded.split())


def test_every_command_has_a_module_that_runs_it() -> None:
    (commands,) = (
        action.choices
        for action in arguments.build()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    assert len(commands) == 16
    for name in commands:
        assert callable(importlib.import_module(f"sim.cli.{name}").run)


@pytest.mark.parametrize("name", sorted(set(MODULES) - PRINTERS))
def test_only_the_command_line_prints(name: str) -> None:
    assert prints(MODULES[name].read_text(encoding="utf-8")) == []


# -- the test can fail --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by", "text", "rule"),
    [
        ("units.forces", "from sim.rules import fire", "points upwards"),
        ("units.forces", "if TYPE_CHECKING:\n    from sim.battle.engine import Half", "points upwards"),
        ("units.forces", "from sim import cli", "points upwards"),
        ("vocabulary", "import sim.ensemble.dice", "points upwards"),
        ("report.plots", "def draw():\n    from sim.report import tables", "stands in a function"),
        ("report.plots", "def draw():\n    def inner():\n        import json", "stands in a function"),
        ("studies.odds", "import simpy", "takes SimPy out of the battle"),
        ("studies.odds", "from simpy.events import Event", "takes SimPy out of the battle"),
        ("studies.odds", "from sim import __version__", "takes from the package itself"),
        ("studies.odds", "from sim.errors import InputError", ""),
        ("studies.odds", "from sim.units.charges import Charge", ""),
        ("report.plots", "def draw():\n    import matplotlib.pyplot as plt", ""),
        ("battle.engine", "import simpy", ""),
        ("__main__", "def main():\n    from sim import cli", ""),
    ],
)
def test_an_import_that_breaks_a_rule_is_seen(by: str, text: str, rule: str) -> None:
    (found,) = imports(by, text)
    assert broken(found) == rule


def test_a_relative_import_is_refused() -> None:
    with pytest.raises(AssertionError, match="absolute"):
        list(imports("units.forces", "from . import charges"))


def test_a_circle_is_seen() -> None:
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), ("c", "e")]
    assert circles(edges) == {"a", "b", "c"}
    assert circles([("a", "b"), ("b", "c"), ("a", "c")]) == set()


def test_what_prints_is_seen() -> None:
    assert prints("def f():\n    print(1)\n\nimport sys\nsys.stderr.write('x')\nself.print(2)") == [2, 5]
