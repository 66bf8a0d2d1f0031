"""Kernels as such: two modes, helpers, what the machine code on disk depends on, and Numba only where it is
asked for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sim
from sim.board import kernel as kernels
from sim.board.hexmap import HexMap, Rhombus, along
from sim.board.kernel import Mode, fast_mode, plain
from sim.board.tables import NOWHERE, board_of, new_flight
from sim.rulesets.rulebook import PROHIBITED
from sim.vocabulary import GONE
from tests.agreement.positions import book_of

COUNT = """
from sim.board.kernel import Mode, kernel
from sim.board.more import LIMIT, step
import numpy as np

@kernel
def count(found):
    for k in range(len(found)):
        found[k] = step(k) + LIMIT

found = np.zeros(2, np.int16)
count(Mode.COMPILED, found)
print(*found, sum(count.compiled.stats.cache_hits.values()))
"""
MORE = (
    "from sim.board.kernel import helper\nfrom sim.limits import LIMIT\n\n@helper\ndef step(k):\n    "
    "return {} * k\n"
)


def compiled(tree: Path) -> list[int]:
    """What the kernel gives in a process of its own, and how often its machine code came from the disk."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", "import sim.board.counting"],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return [int(word) for word in done.stdout.split()]


def test_machine_code_on_disk_is_used_again_and_is_not_when_a_helper_or_a_constant_elsewhere_changes(
    tmp_path: Path,
) -> None:
    board = tmp_path / "sim" / "board"
    board.mkdir(parents=True)
    (tmp_path / "sim" / "__init__.py").write_text("")
    (board / "__init__.py").write_text("")
    shutil.copy(kernels.__file__, board / "kernel.py")
    (board / "counting.py").write_text(COUNT)
    (board / "more.py").write_text(MORE.format(3))
    (tmp_path / "sim" / "limits.py").write_text("LIMIT = 10\n")
    assert compiled(tmp_path) == [10, 13, 0]
    assert compiled(tmp_path) == [10, 13, 1]
    (board / "more.py").write_text(MORE.format(4))
    assert compiled(tmp_path) == [10, 14, 0]
    (tmp_path / "sim" / "limits.py").write_text("LIMIT = 20\n")
    assert compiled(tmp_path) == [20, 24, 0]
    assert len(list((board / "__pycache__").glob("kernels-*"))) == 1


def test_without_numba_kernels_are_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fast_mode() is Mode.COMPILED
    fast_mode.cache_clear()
    monkeypatch.setitem(sys.modules, "numba", None)
    assert fast_mode() is Mode.INTERPRETED
    fast_mode.cache_clear()


def test_kernels_load_no_compiler_until_one_is_compiled() -> None:
    names = "import sim.board.flight, sim.board.march, sys; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", names], cwd=Path(sim.__file__).parents[1]).returncode == 0


def test_interpreted_kernels_index_views_that_give_python_integers() -> None:
    rows = np.arange(12, dtype=np.int16).reshape(3, 4)
    view = plain(rows[:, :2])
    assert isinstance(view, memoryview)
    assert type(view[2, 1]) is int
    view[2, 1] = 77
    assert rows[2, 1] == 77
    assert plain(3) == 3


# -- the board ----------------------------------------------------------------------------------------


def test_a_board_says_what_the_map_and_the_rulebook_say() -> None:
    book = book_of("prusse-1806")
    map_ = HexMap(Rhombus(3), {(1, 0): "woods", (2, 0): "swamp"}, {((0, 0), 1): "stream"})
    board = board_of(map_, book, (0, 1), (1, 0), (1, 0), (3, 0))
    here = map_.number((0, 0))
    for arm in range(3):
        assert board.entry[arm, here, 0] == book.terrain_costs["woods"][arm]
        assert board.entry[arm, here, 1] == min(
            book.terrain_costs["clear"][arm] + book.hexside_costs["stream"][arm], PROHIBITED
        )
        assert board.entry[arm, map_.number((1, 0)), 0] == book.terrain_costs["swamp"][arm]
    assert [board.neighbour[here, d] for d in range(6)] == [
        map_.number(along((0, 0), d, 1)) for d in range(6)
    ]
    assert bool(board.closed[here, 0]) is not bool(book.ruleset.merged["terrain"]["woods"]["charge"])
    assert board.opaque[map_.number((1, 0))] == bool(book.ruleset.merged["terrain"]["woods"]["blocks"])
    assert not board.opaque[here]


def test_the_hex_of_those_who_are_gone_is_next_to_itself_only_and_the_edge_leads_there() -> None:
    board = board_of(HexMap(Rhombus(2)), book_of("prusse-1806"), (0,), (1,), (1,), (3,))
    assert (board.neighbour[board.off] == board.off).all()
    assert board.q[board.off] == board.r[board.off] == NOWHERE
    outside = board.neighbour == board.off
    assert outside[:-1].sum() == 2 * (5 + 5) * 2 - 2
    assert board.closed[outside].all()
    assert (board.entry[:, outside] == PROHIBITED).all()


def test_the_same_ground_and_roster_have_the_same_board_and_another_home_has_another() -> None:
    book, roster = book_of("prusse-1806"), ((0,), (1,), (1,))
    assert board_of(HexMap(Rhombus(2)), book, *roster, (3,)) is board_of(
        HexMap(Rhombus(2)), book, *roster, (3,)
    )
    assert board_of(HexMap(Rhombus(2)), book, *roster, (3,)) is not board_of(
        HexMap(Rhombus(2)), book, *roster, (2,)
    )
    assert board_of(HexMap(Rhombus(2), {(0, 0): "woods"}), book, *roster, (3,)) is not board_of(
        HexMap(Rhombus(2)), book, *roster, (3,)
    )


def test_tables_cannot_be_written() -> None:
    board = board_of(HexMap(Rhombus(2)), book_of("prusse-1806"), (0,), (1,), (1,), (3,))
    with pytest.raises(ValueError, match="read-only"):
        board.entry[0, 0, 0] = 1


def test_more_points_than_a_search_can_keep_are_refused_in_both_modes() -> None:
    from sim.board.flight import retreat
    from sim.board.tables import Position

    map_ = HexMap(Rhombus(2))
    board = board_of(map_, book_of("prusse-1806"), (0, 1), (1, 0), (1, 0), (3, 0))
    rows = Position(*(np.zeros((2, 80), np.int16)[:, :1] for _ in Position._fields))
    rows.second[:] = board.off
    rows.state[1], rows.hex[1] = GONE, board.off
    one, flag = np.zeros(1, np.int16), np.zeros(1, np.bool_)
    for mode in Mode:
        with pytest.raises(ValueError, match="at most 62"):
            retreat(
                *(
                    mode,
                    board,
                    rows,
                    one,
                    np.zeros(1, np.int64),
                    np.array([[True], [False]]),
                    one + 63,
                    flag,
                    flag,
                    6,
                ),
                *(np.full(1, board.off, np.int16), new_flight(2, 1)),
            )
