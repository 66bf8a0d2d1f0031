"""Rosters: a line a unit, every fault told with its line and its column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from sim.errors import InputError
from sim.inputs import tables
from sim.units import rosters
from tests.unit.conftest import Result

SHIPPED = Path(rosters.__file__).parents[1] / "data/scenarios"
HEADER = "side,organisation,unit,arm,nation,type,class,count,inc,present,fire,melee,morale,mp,lance,limber,rank,morale_bonus"
GOOD = "French,Dupont,#/9e Légère,inf,French,Légère,,3,9,,8,22,24,8,,,,"


def faults(*rows: str, said: str = "# ruleset: halle-1806", header: str = HEADER) -> list[str]:
    """What is wrong with a roster of these rows; the first is in line 3."""
    _, problems = rosters.check(tables.parse("\n".join((said, header, *rows)) + "\n", "r.csv"))
    return problems.errors


def read(*rows: str, header: str = HEADER) -> rosters.Roster:
    roster, problems = rosters.check(
        tables.parse("\n".join(("# ruleset: halle-1806", header, *rows)), "r.csv")
    )
    assert not problems.errors, problems.errors
    assert not problems.warnings
    return roster


def test_a_line_with_a_count_is_so_many_units_as_printed() -> None:
    units = read(GOOD).units
    assert [unit.name for unit in units] == ["1/9e Légère", "2/9e Légère", "3/9e Légère"]
    unit = units[2]
    assert (unit.arm, unit.nation, unit.type, unit.side, unit.organisation) == (
        "infantry",
        "French",
        "Légère",
        "French",
        "Dupont",
    )
    assert (unit.increments, unit.printed, unit.morale, unit.movement, unit.size) == (
        9,
        9,
        24,
        8,
        "battalion",
    )
    assert list(map(int, (unit.fire, unit.melee, unit.lance))) == [8, 22, 0]
    assert unit.multiples == {"line": 4, "square": 4, "skirmish": 4}  # halle-1806
    assert (unit.losses, unit.place) == ((2, 2), "r.csv:3")


def test_present_increments_leave_the_printed_values_as_they_are() -> None:
    (unit,) = read("French,Dupont,A,inf,French,Ligne,,,9,5,6,22,25,8,,,,").units
    assert (unit.increments, unit.printed, int(unit.melee)) == (5, 9, 22)


def test_what_a_row_may_leave_out() -> None:
    rows = (
        "French,Dupont,Guns,art,French,,,,3,,18,,,,,,,",
        "French,Tilly,Hussars,cavalry,French,,light,,9,,,32,22,14,,,,",
        "French,Dupont,Count,leader,,,,,,,,,,,,,,",
    )
    roster = read(*rows)
    guns, horse = roster.units
    assert (int(guns.melee), guns.morale, guns.movement, guns.limber, guns.size) == (3, 26, 8, "foot", None)
    assert (int(horse.fire), int(horse.lance), horse.limber, horse.size) == (0, 0, None, "regiment")
    (leader,) = roster.leaders
    assert (leader.rank, leader.morale, leader.artillery, leader.melee, leader.cavalry) == (
        "division",
        0,
        0,
        0,
        0,
    )


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_spreadsheet_of_any_country_is_read(delimiter: str, tmp_path: Path) -> None:
    text = "\n".join(("# ruleset: halle-1806", HEADER, GOOD)).replace(",", delimiter)
    path = tmp_path / "r.csv"
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert len(rosters.read(path).units) == 3


def test_numbers_are_exact_and_names_are_text() -> None:
    (unit,) = read("French,Dupont,32,inf,French,Ligne,,,9,,6.5,45/2,25,8,,,,").units
    assert (unit.name, unit.fire, unit.melee) == ("32", Fraction(13, 2), Fraction(45, 2))


@pytest.mark.parametrize(("row", "told"), [
    ("French,Dupont,A,inf,French,Ligne,,,9,,6,22,27,8,,,,", "r.csv:3: 'morale' of A must be one of the 36 rolls 11..16, 21..26, ..., 61..66, got 27"),
    ("French,Dupont,A,inf,French,Ligne,,,9,,6,22,25,08,,,,", "r.csv:3: 'mp' of A must be an integer from 1 to 30, got '08': write 8"),
    ("French,Dupont,A,infantery,French,Ligne,,,9,,6,22,25,8,,,,", "r.csv:3: 'arm' of A must be infantry, cavalry, artillery or leader, got 'infantery'. Did you mean 'infantry'?"),
    ("French,Dupont,A,inf,Frensh,Ligne,,,9,,6,22,25,8,,,,", "r.csv:3: 'nation' of A must be a nation of halle-1806, got 'Frensh'. Did you mean 'French'?"),
    ("French,Dupont,A,inf,French,Linge,,,9,,6,22,25,8,,,,", "r.csv:3: 'type' of A must be a troop type of French infantry in halle-1806, got 'Linge'. Did you mean 'Ligne'?"),
    ("French,Dupont,A,inf,French,,,,9,,6,22,25,8,,,,", "r.csv:3: 'type' of A must be text of at most 200 characters for infantry, but the cell is empty"),
    ("French,Dupont,A,cav,French,,heavy,,9,,,22,25,14,,,,", "r.csv:3: 'class' of A must be light with a movement of 14, got 'heavy'"),
    ("French,Dupont,A,inf,French,Ligne,,,0,,6,22,25,8,,,,", "r.csv:3: 'inc' of A must be an integer from 1 to 36, got 0"),
    ("French,Dupont,A,inf,French,Ligne,,,9,10,6,22,25,8,,,,", "r.csv:3: 'present' of A must be at most the increments printed (9), got 10"),
    ("French,Dupont,A,inf,French,Ligne,,,9,0,6,22,25,8,,,,", "r.csv:3: 'present' of A must be an integer from 1 to 36, got 0"),
    ("French,Dupont,A,art,French,,,,13,,18,,,,,,,", "r.csv:3: 'inc' of A must be at most 12 for artillery, 4 guns each, got 13"),
    ("French,Dupont,A,inf,French,Ligne,,,9,,6,22,25,8,4,,,", "r.csv:3: 'lance' of A must be empty for infantry, got '4'"),
    ("French,Dupont,A,inf,French,Ligne,,,9,,6,22,25,8,,foot,,", "r.csv:3: 'limber' of A must be empty for infantry, got 'foot'"),
    ("French,Dupont,A,leader,,,,,,,,,25,,,,,", "r.csv:3: 'morale' of A must be empty for leader (its bonus is 'morale_bonus'), got '25'"),
    ("French,Dupont,#/A,inf,French,Ligne,,,9,,6,22,25,8,,,,", "r.csv:3: 'unit' must have # only where 'count' is above 1, got '#/A'"),
    ("French,,A,inf,French,Ligne,,,9,,6,22,25,8,,,,", "r.csv:3: 'organisation' of A must be text of at most 60 characters, but the cell is empty"),
    ("French,Dupont,Smith, John,inf,French,Ligne,,,9,,6,22,25,8,,,,3", "r.csv:3: the row has 19 cells, but there are 18 columns: a comma within a name needs quotes"),
])  # fmt: skip
def test_a_fault_is_told_with_line_column_expected_and_found(row: str, told: str) -> None:
    assert faults(row)[0] == told


def test_all_faults_are_told_at_once_in_the_order_of_the_lines() -> None:
    rows = (
        GOOD,
        "French,Dupont,a b,inf,French,Ligne,,,9,,6,22,27,8,,,,",
        "French,Dupont,A  B,inf,French,Ligne,,,9,12,6,22,25,8,,,,",
        "French,Dupont,3/9E LÉGÈRE,inf,French,Ligne,,,9,,6,22,25,8,,,,",
    )
    assert [told.split(" must")[0] for told in faults(*rows)] == [
        "r.csv:4: 'morale' of a b",
        "r.csv:5: 'present' of A  B",
        "r.csv:5: 'unit'",
        "r.csv:6: 'unit'",
    ]
    assert faults(*rows)[3].endswith("must be another name than in line 3, got '3/9E LÉGÈRE'")


def test_columns_unknown_missing_or_given_twice_are_told_once() -> None:
    header = HEADER.replace("morale,", "moral,").replace("fire", "inc")
    told = faults(GOOD, GOOD.replace("9e", "8e"), header=header)
    assert told == [
        "r.csv:2: the column 'inc' is given twice",
        "r.csv:2: 'moral' is not a known column. Did you mean 'morale'?",
        "r.csv:2: must have the column 'fire', which infantry needs, but it is missing",
        "r.csv:2: must have the column 'morale', which infantry needs, but it is missing",
    ]


def test_without_a_rule_set_names_are_not_looked_up_and_that_is_said() -> None:
    table = tables.parse("\n".join((HEADER, GOOD.replace("Légère", "Nobody"))), "r.csv")
    roster, problems = rosters.check(table)
    assert not problems.errors
    assert "no comment line says by which rule set" in problems.warnings[0]
    assert roster.units[0].multiples == {}
    assert faults(GOOD, said="# ruleset: halle-1807")[0].startswith(
        "r.csv:1: '# ruleset' there is no rule set 'halle-1807'. Did you mean 'halle-1806'?"
    )


@pytest.mark.parametrize(("text", "told"), [
    ("", "r.csv: must begin with a row of column names, but the file is empty"),
    ("# only a comment\n", "r.csv: must begin with a row of column names, but the file is empty"),
    ('side,unit\nA,"B\n', "r.csv:2: must be CSV: unexpected end of data"),
])  # fmt: skip
def test_what_is_no_table_is_refused(text: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        tables.parse(text, "r.csv")
    assert str(error.value) == told
    assert faults() == ["r.csv:2: must have a row for each unit, but there is none"]


def test_a_roster_without_its_column_names_is_told_so_in_one_line() -> None:
    _, problems = rosters.check(tables.parse(f"# ruleset: halle-1806\n{GOOD}\n", "r.csv"))
    told = "must begin with a row of column names (side, organisation, unit, arm, …), found 'French'"
    assert problems.errors == [f"r.csv:2: {told}"]


@pytest.mark.parametrize("name", ["arm", "inc", "unit", "side"])
def test_a_misspelt_column_name_is_told_and_nothing_of_its_cells(name: str) -> None:
    wrong = f",{HEADER},".replace(f",{name},", f",{name}q,").strip(",")
    told = faults(GOOD, header=wrong)
    assert any(f"'{name}q' is not a known column" in one for one in told)
    assert all(one.startswith("r.csv:2: ") for one in told)


def test_no_damage_to_a_roster_ends_in_anything_but_told_faults() -> None:
    """Cells, lines and separators changed at random, seeded."""
    rng = Random(5)
    cells = ["", "x", "-1", "0", "9999999", "1/0", "nan", '"', "é", "leader", "artillery", "1e9", "#", "67"]
    whole = [path.read_text(encoding="utf-8").split("\n") for path in sorted(SHIPPED.glob("*.csv"))]
    told = 0
    for _ in range(300):
        lines = [*rng.choice(whole)]
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(lines))
            row = lines[at].split(",")
            row[rng.randrange(len(row))] = rng.choice(cells)
            changes = [[], [lines[at], lines[at]], [",".join(row)], [lines[at][: rng.randrange(30)]]]
            lines[at : at + 1] = rng.choice([*changes, [",".join(row)]])
            lines = lines or [""]
        try:
            told += bool(rosters.check(tables.parse("\n".join(lines), "r.csv"))[1].errors)
        except InputError:
            told += 1
    assert told > 200


def test_lint_tells_the_faults_of_a_roster_and_exits_with_2(
    carre: Callable[..., Result], tmp_path: Path
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(f"{HEADER}\n{GOOD.replace('24', '27')}\n", encoding="utf-8")
    result = carre("lint", str(path))
    assert result.code == 2
    assert result.out.splitlines()[-1] == f"{path}: roster, 1 error, 1 warning"


@pytest.mark.parametrize(("name", "increments"), [
    # scenarios 7: French 180 and 28, with 32 of Sahuc's dragoons; Prussians 133 and 33
    ("halle-1806", {("French", "infantry"): 180, ("French", "cavalry"): 60, ("French", "artillery"): 11,
                    ("Prussian", "infantry"): 133, ("Prussian", "cavalry"): 33, ("Prussian", "artillery"): 13}),
    # scenarios 4.6, the pontoon sector
    ("raszyn-pontoon-1809", {("Austrian", "infantry"): 41, ("Austrian", "cavalry"): 24, ("Austrian", "artillery"): 5,
                             ("Saxon", "infantry"): 14, ("Saxon", "cavalry"): 2, ("Saxon", "artillery"): 2}),
    # scenarios 3: French battalions of 5.26 and Russian ones of 4.13 on average, Poles of 2,500 men in four
    ("wiederitzsch-1813", {("French", "infantry"): 79, ("French", "cavalry"): 28, ("French", "artillery"): 4,
                           ("Russian", "infantry"): 104, ("Russian", "cavalry"): 28, ("Russian", "artillery"): 15}),
    # 0-decisions 6: battalions of 6; scenarios 4.3: less 1.5 of each French unit and 1 of each Austrian one on average
    ("baumersdorf-1809", {("French", "infantry"): 102, ("French", "cavalry"): 17, ("French", "artillery"): 6,
                          ("Austrian", "infantry"): 75, ("Austrian", "cavalry"): 7, ("Austrian", "artillery"): 9}),
    # scenarios 4.5: 12,650 French; 9,850 Prussians and Saxons
    ("saalfeld-1806", {("French", "infantry"): 110, ("French", "cavalry"): 33, ("French", "artillery"): 5,
                       ("Prussian", "infantry"): 87, ("Prussian", "cavalry"): 23, ("Prussian", "artillery"): 8}),
])  # fmt: skip
def test_a_roster_that_ships_has_the_totals_of_its_source(
    name: str, increments: dict[tuple[str, str], int]
) -> None:
    found: Counter[tuple[str, str]] = Counter()
    for unit in rosters.read(SHIPPED / f"{name}.csv").units:
        found[unit.side, unit.arm] += unit.increments
    assert dict(found) == increments


def test_the_battalions_of_halle_are_those_of_its_thresholds() -> None:
    units = rosters.read(SHIPPED / "halle-1806.csv").units
    assert Counter(unit.side for unit in units if unit.arm == "infantry") == {"French": 20, "Prussian": 18}


def test_both_sides_of_the_mirror_are_alike() -> None:
    roster = rosters.read(SHIPPED / "mirror.csv")

    def values(side: str) -> list[tuple[object, ...]]:
        named = [
            (one.name.replace(side, ""), one.organisation.replace(side, ""))
            for one in roster.units
            if one.side == side
        ]
        rest = [
            (one.arm, one.nation, one.type, one.printed, one.fire, one.melee, one.morale, one.movement)
            for one in roster.units
            if one.side == side
        ]
        leaders = [
            (one.morale, one.artillery, one.melee, one.cavalry) for one in roster.leaders if one.side == side
        ]
        return [*named, *rest, *leaders]

    assert values("West") == values("East")


@pytest.mark.parametrize("column", HEADER.split(","))
def test_a_misspelt_column_is_told(column: str) -> None:
    header = ",".join(f"{one}x" if one == column else one for one in HEADER.split(","))
    assert any(f"'{column}x' is not a known column" in one for one in faults(GOOD, header=header))


@pytest.mark.parametrize("column", range(len(HEADER.split(","))))
def test_an_empty_cell_is_told_or_read(column: int) -> None:
    cells = GOOD.split(",")
    cells[column] = ""
    assert all(one.startswith("r.csv:") for one in faults(",".join(cells)))
