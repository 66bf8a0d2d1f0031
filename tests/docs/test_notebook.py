"""The notebook runs from top to bottom, from its own folder and from the root, and its stored text is
today's.

When the rules or the library change its numbers, store them anew: `python3 -m tests.docs.test_notebook`, in
the project's environment.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "notebooks" / "odds_of_a_charge.ipynb"
MOST_BYTES = 300_000
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class ThisInterpreter(KernelSpecManager):
    """Kernels of the running Python, so that none needs to be installed."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=argv, display_name=kernel_name, language="python")


def executed(folder: Path, cells: int | None = None) -> Any:
    """The notebook run in a folder, whole or its first code cells only, without what tells about the run or
    the machine."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    code = [number for number, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    if cells is not None:
        notebook.cells = notebook.cells[: code[cells - 1] + 1]
    kernel = AsyncKernelManager(kernel_spec_manager=ThisInterpreter())
    NotebookClient(notebook, km=kernel, timeout=120, resources={"metadata": {"path": str(folder)}}).execute(
        cleanup_kc=True
    )
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata.clear()
        for output in cell.get("outputs", []):
            if "metadata" in output:
                output.metadata.clear()
    return notebook


def texts(notebook: Any) -> list[str]:
    """What the cells print, and the tables they show."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [
        output.text if output.output_type == "stream" else output.data.get("text/html", "")
        for output in outputs
    ]


def pictures(notebook: Any) -> int:
    """How many pictures the cells show."""
    return sum(
        "image/png" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])
    )


def test_it_runs_from_its_folder_and_prints_and_draws_what_is_stored() -> None:
    stored, fresh = nbformat.read(NOTEBOOK, as_version=4), executed(NOTEBOOK.parent)
    assert texts(fresh) == texts(stored)
    assert pictures(fresh) == pictures(stored) > 0


def test_it_runs_from_the_root() -> None:
    assert pictures(executed(ROOT, cells=2)) == 1


def test_it_is_stored_small_and_clean() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert NOTEBOOK.stat().st_size < MOST_BYTES
    assert notebook.metadata == METADATA
    assert not any(cell.metadata for cell in notebook.cells)
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    kinds = {output.output_type for cell in notebook.cells for output in cell.get("outputs", [])}
    assert kinds <= {"stream", "display_data", "execute_result"}
    assert all(
        output.name == "stdout"
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "stream"
    )


@pytest.mark.parametrize("word", ["subprocess", "os.system", "!carre", "!python"])
def test_it_uses_the_library_and_not_a_shell(word: str) -> None:
    code = [cell.source for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code"]
    assert not any(word in source for source in code)


if __name__ == "__main__":
    nbformat.write(executed(NOTEBOOK.parent), NOTEBOOK)
