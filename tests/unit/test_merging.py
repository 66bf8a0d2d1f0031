"""Merging rule sets: rows told by name, what null takes away, sources that go with their rows, and what the
difference says."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sim.cli import main
from sim.rulesets import catalogue, chain, consistency, differences, merging, shipped
from sim.rulesets.catalogue import RuleSet

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A file that extends prusse-1806 (its own text begins on line 2)."""

    def make(text: str, name: str = "mine.yaml") -> Path:
        path = tmp_path / name
        path.write_text("extends: prusse-1806\n" + text, encoding="utf-8")
        return path

    return make


def loaded(path: Path) -> RuleSet:
    return catalogue.load(str(path))


def errors(path: Path) -> list[str]:
    return [line.removeprefix(f"{path}:") for line in consistency.check(*chain.merge(path)).errors]


def rows(rules: RuleSet, block: str, name: str) -> dict[str, Any]:
    return {row.get("key", row.get("name")): row for row in rules.merged[block][name]}


PRUSSE = catalogue.load("prusse-1806")


# -- rows by name ---------------------------------------------------------------------------------------


def test_null_takes_one_modifier_away_and_leaves_the_others_in_place(write: Write) -> None:
    mine = loaded(write("stand: {modifiers: {lancers: null}}"))
    assert mine.merged["stand"]["modifiers"] == [
        row for row in PRUSSE.merged["stand"]["modifiers"] if row["key"] != "lancers"
    ]


def test_one_modifier_is_changed_by_its_key_and_keeps_what_is_not_told(write: Write) -> None:
    mine = rows(
        loaded(write("stand: {modifiers: {heavy: {value: -4, source: '[HOUSE] club'}}}")),
        "stand",
        "modifiers",
    )
    before = rows(PRUSSE, "stand", "modifiers")
    assert mine["heavy"] == before["heavy"] | {"value": -4, "source": "[HOUSE] club"}
    assert list(mine) == list(before)


def test_a_changed_row_does_not_keep_the_old_source(write: Write) -> None:
    path = write("stand: {modifiers: {heavy: {value: -4}}}")
    assert errors(path) == [
        "2:28: 'stand.modifiers.heavy' must have the field 'source', or 'stand' must, such as "
        '"[HOUSE] our club", but it is missing'
    ]
    path = write("stand: {source: '[HOUSE] club', modifiers: {heavy: {value: -4}}}")
    mine = rows(loaded(path), "stand", "modifiers")
    assert mine["heavy"]["source"] == "[HOUSE] club"
    assert mine["lancers"]["source"] == "[AID] D11"


def test_another_kind_of_amount_stands_for_the_old_one(write: Write) -> None:
    path = write("carre: {modifiers: {level: {value: 5, source: '[HOUSE] club'}}}")
    level = rows(loaded(path), "carre", "modifiers")["level"]
    assert level["value"] == 5
    assert "values" not in level
    assert "of" not in level


def test_conditions_are_changed_as_a_whole_and_null_lifts_them(write: Write) -> None:
    text = (
        "stand: {source: '[HOUSE] c', modifiers: {heavy: {when: {charger.lance: true}}, lancers: "
        "{when: null}}}"
    )
    mine = rows(loaded(write(text)), "stand", "modifiers")
    assert mine["heavy"]["when"] == {"charger.lance": True}
    assert "when" not in mine["lancers"]


def test_a_modifier_is_added_by_its_key_at_the_end(write: Write) -> None:
    mine = loaded(
        write(
            "stand: {modifiers: {wall: {label: garden wall, value: 6, when: {crosses: stream}, "
            "source: '[HOUSE] c'}}}"
        )
    )
    assert mine.merged["stand"]["modifiers"][-1]["key"] == "wall"
    assert len(mine.merged["stand"]["modifiers"]) == len(PRUSSE.merged["stand"]["modifiers"]) + 1


def test_rows_of_one_name_are_changed_together_by_a_list(write: Write) -> None:
    assert errors(write("melee: {multipliers: {tired: {value: 1/4}}}")) == [
        "2:30: 'melee.multipliers.tired' must be a list of the rows that stand for the 3 of this "
        "name, got one row"
    ]
    text = (
        "melee: {multipliers: {tired: [{label: tired, side: both, value: 1/4, when: {unit.readiness: "
        "tired}, source: '[HOUSE] c'}]}}"
    )
    mine = [row for row in loaded(write(text)).merged["melee"]["multipliers"] if row["key"] == "tired"]
    assert [row["value"] for row in mine] == ["1/4"]


def test_rows_of_the_recall_and_the_carre_chart_have_names_too(write: Write) -> None:
    text = (
        "recall: {rows: {Saxon Light: null, French: {needs: 5, source: '[HOUSE] c'}}}\n"
        "carre: {rows: {French line: {cells: {4: {formed: 11-66}}, source: '[HOUSE] c'}}}"
    )
    mine = loaded(write(text))
    recall = rows(mine, "recall", "rows")
    assert "Saxon Light" not in recall
    assert recall["French"]["needs"] == 5
    cells = {
        row["formation"]: row["cells"] for row in mine.merged["carre"]["rows"] if row["name"] == "French"
    }
    before = {
        row["formation"]: row["cells"] for row in PRUSSE.merged["carre"]["rows"] if row["name"] == "French"
    }
    assert cells["line"] == before["line"] | {4: {"formed": "11-66"}}
    assert cells["column"] == before["column"]


def test_null_takes_inherited_entries_away(write: Write) -> None:
    text = (
        "troops: {French: {Légère: null}}\nterrain: {town: null}\nhexsides: {ford: null}\nfire: "
        "{defence: {town: null}, table: {'10:1': null}}"
    )
    text += "\ncarre: {modifiers: {legere: null}}\npremelee: {columns: {'5:1': null}}"
    mine = loaded(write(text)).merged
    assert "Légère" not in mine["troops"]["French"]
    assert "town" not in mine["terrain"]
    assert "ford" not in mine["hexsides"]
    assert "town" not in mine["fire"]["defence"]
    assert "10:1" not in mine["fire"]["table"]
    assert "5:1" not in mine["premelee"]["columns"]


def test_null_stays_a_value_where_it_is_one(write: Write) -> None:
    mine = loaded(
        write("terrain: {woods: {cavalry: null}}\ntroops: {French: {Légère: {skirmish: null}}}")
    ).merged
    assert mine["terrain"]["woods"]["cavalry"] is None
    assert mine["troops"]["French"]["Légère"]["skirmish"] is None


def test_edits_go_through_several_files(write: Write, tmp_path: Path) -> None:
    write(
        "stand: {modifiers: {lancers: null, wall: {label: wall, value: 6, source: '[HOUSE] c'}}}",
        "first.yaml",
    )  # type: ignore[call-arg]
    second = tmp_path / "second.yaml"
    second.write_text(
        "extends: first.yaml\nstand: {modifiers: {wall: {value: 7, source: '[HOUSE] d'}}}", encoding="utf-8"
    )
    found = rows(loaded(second), "stand", "modifiers")
    assert "lancers" not in found
    assert found["wall"]["value"] == 7


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "stand: {modifiers: {lancer: null}}",
            "2:29: 'stand.modifiers.lancer' must be there to be taken away by null, but nothing of "
            "this name is inherited. Did you mean 'lancers'?",
        ),
        (
            "nations: {Saxxon: null}",
            "2:19: 'nations.Saxxon' must be there to be taken away by null, but nothing of this "
            "name is inherited. Did you mean",
        ),
        (
            "stand: {modifiers: {heavy: 3}}",
            "2:28: 'stand.modifiers.heavy' must be a row, a list of rows, or null to take the row "
            "away, got 3",
        ),
        (
            "stand: {modifiers: {heavy: {valu: 3, source: '[HOUSE] c'}}}",
            "2:35: 'stand.modifiers.heavy.valu' is not a known field. Did you mean 'value'?",
        ),
        (
            "stand: {modifiers: {heavy: {value: 36, source: '[HOUSE] c'}}}",
            "2:36: 'stand.modifiers.heavy.value' must be an integer from -35 to 35, got 36",
        ),
        (
            "stand: {modifiers: {wall: {value: 6, source: '[HOUSE] c'}}}",
            "2:27: 'stand.modifiers.wall' must be the name of an inherited row, or a whole row "
            "with 'label', which is missing",
        ),
        (
            "carre: {rows: {French lin: {unit: hexes, source: '[HOUSE] c'}}}",
            "2:28: 'carre.rows.French lin' must be the name of an inherited row, or a whole row "
            "with 'nations', which is missing. Did you mean",
        ),
    ],
)
def test_a_mistake_in_a_row_told_by_name_is_placed_where_it_stands(
    write: Write, text: str, told: str
) -> None:
    assert errors(write(text))[0].startswith(told)


# -- sources --------------------------------------------------------------------------------------------


def test_the_source_of_a_block_reaches_every_row_of_it(write: Write) -> None:
    text = (
        "stand: {source: '[HOUSE] block', modifiers: [{key: a, label: b, value: 1}, {key: c, label: d, "
        "value: 2, source: '[HOUSE] row'}]}"
    )
    mine = loaded(write(text))
    assert [row["source"] for row in mine.merged["stand"]["modifiers"]] == ["[HOUSE] block", "[HOUSE] row"]


def test_the_source_of_a_block_names_its_lender_with_it(write: Write) -> None:
    mine = loaded(
        write("terrain: {source: '[HOUSE] block', lender: halle-1806, woods: {cavalry: 4}}")
    ).merged["terrain"]
    assert (mine["woods"]["source"], mine["woods"]["lender"]) == ("[HOUSE] block", "halle-1806")


def test_a_block_s_source_does_not_relabel_rows_of_the_file_below(write: Write) -> None:
    mine = loaded(write("recall: {source: '[HOUSE] club', rows: {French: {needs: 5}}}"))
    found = rows(mine, "recall", "rows")
    assert found["French"]["source"] == "[HOUSE] club"
    assert found["Saxon Light"]["source"] == "[AID] D13"


@pytest.mark.parametrize("name", shipped.names())
def test_every_row_of_every_shipped_rule_set_has_a_source(name: str) -> None:
    data = catalogue.load(name).merged
    for block, part in consistency._ROWS:
        for row in data[block].get(part, []):
            assert row.get("source"), (block, part, row)
    for block in ("terrain", "hexsides"):
        assert all(row.get("source") for row in data[block].values() if isinstance(row, dict))
    assert all(
        row.get("source")
        for types in data["troops"].values()
        if isinstance(types, dict)
        for row in types.values()
    )


def test_a_look_up_shows_the_source_of_a_block(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(
        "stand: {source: '[HOUSE] block', modifiers: [{key: heavy, label: cuirassiers, value: -5, "
        "when: {charger.class: heavy}}]}"
    )
    assert (
        main(
            [
                "chart",
                "stand",
                "--morale",
                "26",
                "--formation",
                "column",
                "--charger",
                "heavy",
                "--ruleset",
                str(path),
            ]
        )
        == 0
    )
    assert "cuirassiers [HOUSE] block" in " ".join(
        capsys.readouterr().out.replace("(", " ").replace(")", " ").split()
    )


def test_a_look_up_shows_the_source_of_a_recall_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chart", "recall", "--cavalry", "French"]) == 0
    assert "French, 2 or more ([AID] D13)" in capsys.readouterr().out


# -- differences ----------------------------------------------------------------------------------------


def test_the_difference_tells_rows_by_name(write: Write) -> None:
    text = (
        "stand: {modifiers: {lancers: null, heavy: {value: -4, source: '[HOUSE] c'}, wall: {label: "
        "wall, value: 6, source: '[HOUSE] c'}}}\n"
        "troops: {French: {Ligne: {line: 4}}}\n"
    )
    assert differences.difference(PRUSSE, loaded(write(text))) == [
        (
            "stand.modifiers.lancers",
            "{label: lancers, value: -6, when: {charger.lance: true}, source: [AID] D11}",
            "-",
        ),
        ("stand.modifiers.heavy.value", "-3", "-4"),
        ("stand.modifiers.heavy.source", "[AID] D11", "[HOUSE] c"),
        ("stand.modifiers.wall", "-", "{label: wall, value: 6, source: [HOUSE] c}"),
        ("troops.French.Ligne.line", "3", "4"),
    ]


def test_a_row_taken_from_the_middle_is_the_only_difference(write: Write) -> None:
    mine = loaded(write("melee: {multipliers: {stream: null, flank: null}}"))
    found = differences.difference(PRUSSE, mine)
    assert [name for name, _, _ in found] == ["melee.multipliers.flank", "melee.multipliers.stream"]


def test_the_difference_from_the_shared_base_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "base", "prusse-1806"]) == 0
    told = capsys.readouterr().out
    assert "terrain.woods.infantry: 4 | 3" in told
    assert main(["diff", "prusse-1806", "base"]) == 0


# -- files that change ----------------------------------------------------------------------------------


def test_a_file_changed_on_disk_is_read_again_even_within_one_tick_of_the_clock(write: Write) -> None:
    path = write("fire: {flank: 5}")
    stamp = path.stat()
    assert loaded(path).merged["fire"]["flank"] == 5
    write("fire: {flank: 4}")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert loaded(path).merged["fire"]["flank"] == 4


def test_a_file_below_that_changes_is_read_again(write: Write, tmp_path: Path) -> None:
    path, below = tmp_path / "top.yaml", write("fire: {flank: 5}")
    path.write_text("extends: mine.yaml\n", encoding="utf-8")
    assert loaded(path).merged["fire"]["flank"] == 5
    stamp = below.stat()
    write("fire: {flank: 4}")
    os.utime(below, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert loaded(path).merged["fire"]["flank"] == 4


@pytest.mark.parametrize("row", ["r{}: {{label: a, value: 1, source: '[HOUSE] c'}}", "r{}: null", "r{}: 3"])
def test_a_flood_of_rows_told_by_name_is_refused_before_they_are_merged(write: Write, row: str) -> None:
    path = write("stand: {modifiers: {" + ", ".join(row.format(i) for i in range(9_000)) + "}}")
    start = time.process_time()
    merger = merging.Merger()
    found = merger.merged({"stand": {"modifiers": []}}, chain.read(path).data)
    assert time.process_time() - start < 10
    assert found["stand"]["modifiers"] == []
    assert merger.faults == [(("stand", "modifiers"), "must change or add at most 100 rows, got 9,000")]
    assert errors(path)[0] == "2:20: 'stand.modifiers' must change or add at most 100 rows, got 9,000"


def test_a_flood_of_inherited_rows_is_not_searched_for_names() -> None:
    merger, flood = merging.Merger(), [{"key": f"r{i}"} for i in range(9_000)]
    found = merger.merged({"stand": {"modifiers": flood}}, {"stand": {"modifiers": {"r1": None}}})
    assert len(found["stand"]["modifiers"]) == 9_000
    assert merger.faults == [
        (("stand", "modifiers"), "must inherit at most 100 rows to change them by name, got 9,000")
    ]
