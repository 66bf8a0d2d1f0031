"""Chart tables of every rule set against counts entered by hand from the rule notes, and the notes' worked
examples.

Sections: B2.8 fire, C9 pre-melee, C12 melee, D11 stand, D12 carré, D13 recall, D17 examples, E1.7 numbers,
scenarios.md 9.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sim.ensemble.ladder import index_of
from sim.errors import InputError, UnknownNameError
from sim.inputs import documents
from sim.rulesets import catalogue, shipped
from sim.rulesets.rulebook import Rulebook, rulebook
from sim.studies import assaults, charts
from sim.studies.assaults import Side
from sim.studies.charts import Answer
from sim.studies.odds import odds
from sim.units import scenarios

SIDES = {"Prussian": "Coalition", "Saxon": "Coalition", "Russian": "Coalition", "Austrian": "Coalition"}


def book_of(name: str) -> Rulebook:
    rules = catalogue.load(name)
    return rulebook(rules, rules.switches())


def situation(book: Rulebook, nation: str = "French", **about: object) -> dict[str, object]:
    """Infantry of a nation in column, in good order, charged through the front by heavy cavalry without
    lances."""
    foot = {
        "nation": nation,
        "side": book.ruleset.merged["nations"].get(nation, "Imperial"),
        "type": "",
        "arm": "infantry",
        "formation": "column",
        "state": "good",
    }
    foot |= {"level": 0, "half_lost": False, "leader": False, "force_march": False}
    known: dict[str, object] = {
        f"{prefix}.{name}": value for prefix in ("target", "unit") for name, value in foot.items()
    }
    known |= {"charger.class": "heavy", "charger.lance": False, "hexside": "front", "crosses": "none"}
    for name, value in about.items():
        if name in foot:
            known |= {f"target.{name}": value, f"unit.{name}": value}
        else:
            known[{"charger": "charger.class", "lance": "charger.lance"}.get(name, name)] = value
    return known


def faces(answer: Answer, *names: str) -> tuple[int, ...]:
    """How many faces give each outcome, 0 where there is none."""
    counts = {one.name: one.faces for one in answer.chances}
    return tuple(counts.get(name, 0) for name in names)


def carre(book: Rulebook, nation: str, formation: str, distance: int, **about: object) -> tuple[int, ...]:
    """Formed, disordered, routed out of 36."""
    answer = charts.carre(
        book, nation, formation, distance, situation(book, nation, formation=formation, **about)
    )
    return faces(answer, "formed", "disordered", "routed")


# -- carré: the table (D12) ---------------------------------------------------------------------------

# battle, nation, formation: formed/disordered/routed out of 36 at 4, 3, 2 and 1; corrected as
# 0-decisions 5.18 says
CARRE = """
    friedland-1807      | French        | Column | 36/0/0 36/0/0 21/10/5 13/15/8
    friedland-1807      | French        | Line   | 34/2/0 23/8/5 14/15/7 8/19/9
    friedland-1807      | Russian       | Column | 29/5/2 20/10/6 12/12/12 8/18/10
    friedland-1807      | Russian       | Line   | 36/0/0 36/0/0 16/13/7 13/11/12
    schoengrabern-1805  | French        | Column | 36/0/0 36/0/0 21/10/5 13/15/8
    schoengrabern-1805  | French        | Line   | 34/2/0 23/8/5 14/15/7 8/19/9
    schoengrabern-1805  | Russian       | Column | 29/5/2 20/10/6 12/12/12 8/18/10
    schoengrabern-1805  | Russian       | Line   | 36/0/0 36/0/0 16/13/7 13/11/12
    austerlitz-1805     | French        | Column | 36/0/0 36/0/0 21/10/5 13/15/8
    austerlitz-1805     | French        | Line   | 34/2/0 23/8/5 14/15/7 8/19/9
    austerlitz-1805     | Russian       | Column | 29/5/2 20/10/6 12/12/12 8/18/10
    austerlitz-1805     | Russian       | Line   | 36/0/0 36/0/0 16/13/7 13/11/12
    austerlitz-1805     | Austrian      | Column | 30/3/3 24/6/6 18/9/9 12/12/12
    austerlitz-1805     | Austrian      | Line   | 34/2/0 28/4/4 22/7/7 16/8/12
    prusse-1806         | French        | Column | 36/0/0 36/0/0 21/10/5 13/15/8
    prusse-1806         | French        | Line   | 34/2/0 23/8/5 14/15/7 8/19/9
    prusse-1806         | Coalition     | Column | 28/5/3 20/9/7 15/10/11 11/11/14
    prusse-1806         | Coalition     | Line   | 36/0/0 30/4/2 17/13/6 11/17/8
    halle-1806          | French        | All    | 33/3/0 30/5/1 20/9/7 11/11/14
    halle-1806          | Prussian      | All    | 33/3/0 30/5/1 20/9/7 11/11/14
    raszyn-1809         | Polish        | All    | 31/5/0 27/5/4 20/10/6 15/9/12
    raszyn-1809         | Austrian      | Line   | 31/2/3 26/3/7 21/3/12 17/4/15
    aspern-essling-1809 | French        | Column | 36/0/0 33/3/0 18/13/5 10/15/11
    aspern-essling-1809 | French        | Line   | 30/6/0 20/8/8 11/15/10 5/17/14
    aspern-essling-1809 | French Allies | Column | 33/3/0 30/3/3 15/15/6 10/15/11
    aspern-essling-1809 | French Allies | Line   | 27/6/3 18/7/11 11/15/10 5/17/14
    aspern-essling-1809 | Austrians     | Line   | 32/3/1 22/9/5 13/15/8 10/13/13
    wagram-1809         | French        | Column | 36/0/0 33/3/0 18/13/5 10/15/11
    wagram-1809         | French        | Line   | 30/6/0 20/8/8 11/15/10 5/17/14
    wagram-1809         | French Allies | Column | 33/3/0 30/3/3 15/15/6 10/15/11
    wagram-1809         | French Allies | Line   | 27/6/3 18/7/11 11/15/10 5/17/14
    wagram-1809         | Austrians     | Line   | 32/3/1 22/9/5 13/15/8 10/13/13
    leipzig-1813        | French        | Column | 36/0/0 33/3/0 18/13/5 10/15/11
    leipzig-1813        | French        | Line   | 30/6/0 20/8/8 11/15/10 5/17/14
    leipzig-1813        | French Allies | Column | 33/3/0 30/3/3 15/15/6 10/15/11
    leipzig-1813        | French Allies | Line   | 27/6/3 18/7/11 11/15/10 5/17/14
    leipzig-1813        | Prussians     | Column | 36/0/0 36/0/0 23/6/7 13/13/10
    leipzig-1813        | Prussians     | Line   | 36/0/0 27/5/4 14/13/9 8/14/14
    leipzig-1813        | Russians      | Column | 26/8/2 18/9/9 9/12/15 5/13/18
    leipzig-1813        | Russians      | Line   | 36/0/0 36/0/0 14/15/7 13/10/13
    leipzig-1813        | Austrians     | Line   | 32/3/1 22/9/5 13/15/8 10/13/13
    bautzen-1813        | French        | Column | 32/4/0 30/6/0 15/13/8 7/18/11
    bautzen-1813        | French        | Line   | 27/8/1 18/10/8 8/18/10 5/17/14
    bautzen-1813        | French Allies | Column | 26/5/5 24/5/7 16/10/10 8/15/13
    bautzen-1813        | French Allies | Line   | 26/5/5 24/5/7 16/10/10 8/15/13
    bautzen-1813        | Russians      | Column | 26/9/1 19/11/6 12/12/12 5/13/18
    bautzen-1813        | Russians      | Line   | 34/1/1 32/2/2 14/15/7 13/10/13
    bautzen-1813        | Prussians     | Column | 33/2/1 23/6/7 17/12/7 11/12/13
    bautzen-1813        | Prussians     | Line   | 34/1/1 26/5/5 14/13/9 8/14/14
    hagelberg-1813      | French        | Column | 32/4/0 30/6/0 15/13/8 7/18/11
    hagelberg-1813      | French        | Line   | 27/8/1 18/10/8 8/18/10 5/17/14
    hagelberg-1813      | Rheinbund     | Column | 26/5/5 24/5/7 17/9/10 8/15/13
    hagelberg-1813      | Rheinbund     | Line   | 26/5/5 24/5/7 17/9/10 8/15/13
    hagelberg-1813      | Prussian      | Column | 33/2/1 23/6/7 17/12/7 11/12/13
    hagelberg-1813      | Prussian      | Line   | 34/1/1 26/5/5 14/13/9 8/14/14
"""
CARRE_ROWS = [tuple(part.strip() for part in line.split("|")) for line in CARRE.strip().splitlines()]


@pytest.mark.parametrize(("name", "nation", "formation", "counts"), CARRE_ROWS)
def test_carre_row(name: str, nation: str, formation: str, counts: str) -> None:
    """D12: every row at 4, 3, 2 and 1, unmodified; low rolls form, high rolls rout."""
    book = book_of(name)
    for shape in ("column", "line") if formation == "All" else (formation.lower(),):
        row = book.carre_row(nation, shape)
        assert row is not None
        for distance, cell in zip((4, 3, 2, 1), counts.split(), strict=True):
            found = book.carre_chart.rows(np.array([4 * row + distance - 1]), np.array([0]))[0]
            assert [int((found == outcome).sum()) for outcome in range(3)] == [
                int(count) for count in cell.split("/")
            ]
            assert (np.diff(found) >= 0).all()
    assert book.carre_chart.outcomes == ("formed", "disordered", "routed")


def test_no_rule_set_has_carre_rows_beside_those_of_the_notes() -> None:
    for name in shipped.names():
        known = {
            (nation, shape)
            for battle, nation, formation, _ in CARRE_ROWS
            if battle == name
            for shape in ("column", "line")
            if formation in ("All", shape.title())
        }
        assert {(row.name, row.formation) for row in book_of(name).carre_rows} == known


# battle, nation, column, line: is the distance in movement points? (0-decisions 5.6)
@pytest.mark.parametrize(
    ("name", "nation", "column", "line"),
    [
        ("austerlitz-1805", "French", True, True),
        ("austerlitz-1805", "Russian", True, True),
        ("schoengrabern-1805", "French", True, True),
        ("prusse-1806", "French", False, False),
        ("prusse-1806", "Prussian", False, True),
        ("bautzen-1813", "Russian", False, False),
        ("wagram-1809", "French", False, False),
    ],
)
def test_carre_distances_in_points(name: str, nation: str, column: bool, line: bool) -> None:
    book = book_of(name)
    rows = [book.carre_row(nation, shape) for shape in ("column", "line")]
    assert [book.carre_points[row] for row in rows if row is not None] == [column, line]


@pytest.mark.parametrize("name", ["aspern-essling-1809", "wagram-1809", "raszyn-1809", "leipzig-1813"])
def test_austrians_form_carre_from_line_only(name: str) -> None:
    """0-decisions 5.16."""
    book = book_of(name)
    assert book.carre_row("Austrian", "line") is not None
    assert book.carre_row("Austrian", "column") is None
    with pytest.raises(UnknownNameError, match="--formation must be line for Austrian"):
        carre(book, "Austrian", "column", 2)


# -- carré: modifiers (D12.1) -------------------------------------------------------------------------

LIGHT = {"charger": "light"}
LANCERS = {"lance": True}
LEADER = {"leader": True}


def of(kind: str) -> dict[str, object]:
    return {"type": kind}


def level(number: int) -> dict[str, object]:
    return {"level": number}


COMMON: list[tuple[dict[str, Any], int]] = [
    (LEADER, -6),
    (LIGHT, 3),
    (LANCERS, 6),
    (LIGHT | LANCERS, 9),
    (level(1), 3),
    (level(2), 6),
    (level(3), 9),
    ({}, 0),
]
ALL_BUT_HALLE: list[tuple[str, str, dict[str, Any], int]] = [(name, nation, about, amount) for name, nation in {
    "friedland-1807": "French", "schoengrabern-1805": "French", "austerlitz-1805": "French", "prusse-1806": "French", "raszyn-1809": "Polish",
    "aspern-essling-1809": "French", "wagram-1809": "French", "leipzig-1813": "French", "bautzen-1813": "French", "hagelberg-1813": "French",
}.items() for about, amount in COMMON]  # fmt: skip

CARRE_MODIFIERS: list[tuple[str, str, dict[str, Any], int]] = [
    # Prusse special p5 [PRINT], and the play aid for the Prussians
    ("prusse-1806", "French", of("Légère"), -3),
    ("prusse-1806", "French", of("Guard"), -6),
    ("prusse-1806", "French", of("Foot Dragoon"), 3),
    ("prusse-1806", "French", of("Ligne"), 0),
    ("prusse-1806", "Italian", of("Line"), 2),
    ("prusse-1806", "Prussian", of("Grenadier"), -3),
    ("prusse-1806", "Prussian", of("Fusilier"), -3),
    ("prusse-1806", "Prussian", of("Musketeer"), 0),
    ("prusse-1806", "Prussian", LEADER, -6),
    # Austerlitz special p6 [PRINT]; the Russian leader by its label (D14 row 6)
    ("austerlitz-1805", "French", of("Légère"), -3),
    ("austerlitz-1805", "French", of("Grenadier"), -3),
    ("austerlitz-1805", "French", of("Voltigeur"), -3),
    ("austerlitz-1805", "French", of("Guard"), -6),
    ("austerlitz-1805", "Italian", of("Light"), 2),
    ("austerlitz-1805", "Russian", of("Jäger"), 3),
    ("austerlitz-1805", "Russian", of("Grenadier"), 0),  # Oudinot's only: D14 row 4
    ("austerlitz-1805", "Russian", LEADER, -6),
    # the play aid's lists
    ("friedland-1807", "Russian", of("Jäger"), -3),
    ("friedland-1807", "French", of("Légère"), -3),
    ("friedland-1807", "Russian", of("Grenadier"), -3),
    ("friedland-1807", "French", of("Voltigeur"), -3),
    ("friedland-1807", "Russian", of("Guard"), -6),
    ("friedland-1807", "Saxon", of("Line"), 3),
    ("schoengrabern-1805", "Russian", of("Jäger"), -3),
    ("schoengrabern-1805", "French", of("Grenadier"), -3),
    ("schoengrabern-1805", "French", of("Guard"), -6),
    ("schoengrabern-1805", "Italian", of("Light"), 3),
    ("halle-1806", "French", LEADER, -6),
    ("halle-1806", "French", {"formation": "line"}, -3),
    ("halle-1806", "Prussian", {"formation": "line"}, -9),
    ("halle-1806", "French", LIGHT, 3),
    ("halle-1806", "French", level(2), 6),
    ("halle-1806", "Prussian", level(2), 12),
    ("halle-1806", "Prussian", of("Fusilier"), 3),
    ("halle-1806", "Prussian", of("Grenadier"), -3),
    ("raszyn-1809", "Polish", {"formation": "line"}, 3),
    ("raszyn-1809", "Austrian", {"formation": "line", "type": "Grenz"}, 3),
    ("raszyn-1809", "Austrian", {"formation": "line", "level": 1}, 6),
    ("aspern-essling-1809", "French", of("Vieille Garde"), -9),
    ("aspern-essling-1809", "French", of("Jeune Garde"), -4),
    ("aspern-essling-1809", "French", of("4th Battalion"), 3),
    ("aspern-essling-1809", "Austrian", {"formation": "line", "type": "Grenadier"}, -3),
    ("wagram-1809", "French", of("Vieille Garde"), -9),
    ("wagram-1809", "French", of("Jeune Garde"), -4),
    ("wagram-1809", "French", of("4th Battalion"), 3),
    ("leipzig-1813", "French", of("Vieille Garde"), -9),
    ("leipzig-1813", "French", of("Jeune Garde"), -3),
    ("leipzig-1813", "French", of("Marin"), -3),
    ("leipzig-1813", "French", of("Provisional"), 3),
    ("leipzig-1813", "Prussian", of("Reserve"), 2),
    ("leipzig-1813", "Prussian", of("Landwehr"), 4),
    ("leipzig-1813", "Prussian", of("Grenadier"), -6),
    ("leipzig-1813", "Prussian", of("Guard"), -6),
    ("leipzig-1813", "Russian", of("Grenadier"), -3),
    ("leipzig-1813", "Russian", of("Guard"), -6),
    ("bautzen-1813", "French", of("Vieille Garde"), -9),
    ("bautzen-1813", "French", of("Jeune Garde"), -3),
    ("bautzen-1813", "Russian", of("Grenadier"), -3),
    ("bautzen-1813", "Russian", of("Guard"), -6),
    ("bautzen-1813", "Prussian", of("Grenadier"), -3),
    ("bautzen-1813", "Prussian", of("Guard"), -3),
    ("bautzen-1813", "Prussian", of("Normal"), -3),
    ("bautzen-1813", "Prussian", of("Jäger"), 2),
    ("bautzen-1813", "Prussian", of("Schützen"), 2),
]


@pytest.mark.parametrize(("name", "nation", "about", "amount"), ALL_BUT_HALLE + CARRE_MODIFIERS)
def test_carre_modifier(name: str, nation: str, about: dict[str, object], amount: int) -> None:
    """D12.1: plus is worse for the infantry."""
    book = book_of(name)
    answer = charts.carre(
        book, nation, str(about.get("formation", "column")), 2, situation(book, nation, **about)
    )
    assert answer.shift == amount


def test_lance_and_light_do_not_add_up_where_the_switch_says_lance_only() -> None:
    """D10.1: ambiguous, so a switch."""
    rules = catalogue.load("prusse-1806")
    book = rulebook(rules, rules.switches(changes={"light_lance": "lance only"}))
    assert carre(book, "French", "column", 2, charger="light", lance=True) == (15, 10, 11)
    assert carre(book, "French", "column", 2, charger="light") == (18, 10, 8)


def test_a_bare_modifier_adds_to_the_others() -> None:
    book = book_of("prusse-1806")
    answer = charts.carre(book, "French", "column", 2, situation(book, leader=True), mod=3)
    assert answer.shift == -3
    assert faces(answer, "formed", "disordered", "routed") == (24, 10, 2)
    assert [(label, amount) for label, amount, _ in answer.modifiers] == [
        ("leader in the hex", -6),
        ("given", 3),
    ]


# -- standing (D11) -----------------------------------------------------------------------------------

# battle: skirmish, disordered, routed, square, stream, slope, heavy, level 1, 2, 3; flank -12, rear -6, line
# +3, lancers -6 and half lost -6 are the same everywhere. Where D11 has no row for routed or the levels, the
# general -6 and -3/-6/-9 stay (0-decisions 5.10; C3)
STAND = """
    friedland-1807      | -12  -6 -12 +12  +6   0  -3  -3 -6 -9
    schoengrabern-1805  | -12  -6 -12 +12  +6   0  -3  -3 -6 -9
    austerlitz-1805     | -12  -6 -12 +12  +6   0  -3  -3 -6 -9
    prusse-1806         | -12  -6 -12 +12  +6   0  -3  -3 -6 -9
    halle-1806          | -12  -6 -12 +12   0   0  -3  -3 -6 -9
    raszyn-1809         | -12  -6 -12 +12  +6   0  -3  -3 -6 -9
    aspern-essling-1809 | -12  -6 -12 +12   0  +3  -3  -3 -6 -9
    wagram-1809         | -12  -6  -6  +6   0  +3  -3  -3 -6 -9
    leipzig-1813        | -12  -6 -12 +12  +6   0  -3  -3 -6 -9
    bautzen-1813        | -12  -6  -6  +6   0  +3  -3  -3 -6 -9
    hagelberg-1813      | -12  -6  -6  +6   0  +3   0  -3 -6 -9
"""
ONE_AT_A_TIME: list[dict[str, object]] = [
    {"formation": "skirmish"}, {"state": "disordered"}, {"state": "routed"}, {"formation": "square"}, {"crosses": "stream"}, {"crosses": "slope"},
    {"charger": "heavy"}, level(1), level(2), level(3),
]  # fmt: skip
EVERYWHERE: list[tuple[dict[str, object], int]] = [
    ({}, 0), ({"hexside": "flank"}, -12), ({"hexside": "rear"}, -6), ({"formation": "line"}, 3), ({"lance": True}, -6), ({"half_lost": True}, -6),
    ({"force_march": True}, -12), ({"formation": "general order"}, 0),
]  # fmt: skip
STAND_ROWS = [
    (line.split("|")[0].strip(), [int(one) for one in line.split("|")[1].split()])
    for line in STAND.strip().splitlines()
]
STAND_CASES = [
    (name, about, amount)
    for name, amounts in STAND_ROWS
    for about, amount in zip(ONE_AT_A_TIME, amounts, strict=True)
]
STAND_CASES += [(name, about, amount) for name, _ in STAND_ROWS for about, amount in EVERYWHERE]


def stand_shift(book: Rulebook, nation: str, about: dict[str, object]) -> int:
    known = situation(book, nation, **({"charger": "light"} | about))
    return charts.stand(book, 34, known).shift


@pytest.mark.parametrize(("name", "about", "amount"), STAND_CASES)
def test_stand_modifier(name: str, about: dict[str, object], amount: int) -> None:
    """D11, against light cavalry unless heavy is asked about; force march 0-decisions 5.1."""
    nation = "Polish" if name == "raszyn-1809" else "French"
    assert stand_shift(book_of(name), nation, about) == amount


@pytest.mark.parametrize(
    ("name", "nation", "about", "amount"),
    [
        # the Coalition's own rows of Prusse 1806; Skirmish +3 is a slip, the general row is -12 (D11 note 2)
        ("prusse-1806", "Prussian", {"formation": "line"}, 3),
        ("prusse-1806", "Prussian", {"formation": "square"}, 6),
        ("prusse-1806", "Prussian", {"state": "disordered"}, -3),
        ("prusse-1806", "Prussian", {"state": "routed"}, -6),
        ("prusse-1806", "Prussian", {"formation": "road march"}, -12),
        ("prusse-1806", "Prussian", {"formation": "skirmish"}, -12),
        ("prusse-1806", "French", {"formation": "road march"}, 0),
        # Masse: +2 (AE15 special p4), +4 at Raszyn
        ("aspern-essling-1809", "Austrian", {"formation": "masse"}, 2),
        ("wagram-1809", "Austrian", {"formation": "masse"}, 2),
        ("raszyn-1809", "Austrian", {"formation": "masse"}, 4),
    ],
)
def test_stand_modifier_of_one_side(name: str, nation: str, about: dict[str, object], amount: int) -> None:
    assert stand_shift(book_of(name), nation, about) == amount


def test_stand_modifiers_add_up_and_a_leader_adds_his_bonus() -> None:
    """0-decisions 5.1: sum the modifiers, shift once."""
    book = book_of("prusse-1806")
    answer = charts.stand(
        book,
        34,
        situation(book, formation="line", hexside="flank", half_lost=True, lance=True, charger="light"),
        leader=6,
        mod=-1,
    )
    assert answer.shift == 3 - 12 - 6 - 6 + 6 - 1
    assert faces(answer, "halted", "routed") == (20 - 16, 16 + 16)


# -- the eight worked examples (D17) ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "nation", "formation", "distance", "about", "expected"),
    [
        ("prusse-1806", "French", "column", 2, {}, (21, 10, 5)),  # 1: heavy cavalry
        ("prusse-1806", "French", "column", 2, LIGHT, (18, 10, 8)),  # 2
        ("prusse-1806", "French", "column", 2, LIGHT | LANCERS, (12, 10, 14)),  # 3: cumulative
        ("prusse-1806", "French", "column", 2, LANCERS, (15, 10, 11)),  # 3: lance only
        ("prusse-1806", "French", "line", 1, of("Guard") | LEADER, (20, 16, 0)),  # 4
        ("prusse-1806", "French", "line", 1, {}, (8, 19, 9)),  # 4: an ordinary battalion without him
        ("austerlitz-1805", "Russian", "column", 3, LIGHT | level(1), (14, 10, 12)),  # 5
        ("prusse-1806", "French", "line", 4, {}, (34, 2, 0)),  # 6
        ("prusse-1806", "French", "line", 3, {}, (23, 8, 5)),
        ("prusse-1806", "French", "line", 2, {}, (14, 15, 7)),
    ],
)
def test_worked_examples_of_carre(
    name: str, nation: str, formation: str, distance: int, about: dict[str, object], expected: tuple[int, ...]
) -> None:
    """D17, examples 1 to 6."""
    assert carre(book_of(name), nation, formation, distance, **about) == expected


@pytest.mark.parametrize(
    ("morale", "about", "halted"),
    [
        (34, {"formation": "line"}, 20),  # 7: +3 line, -3 heavy
        (34, {"formation": "line", "charger": "light"}, 23),  # 7: light cavalry
        (25, {"hexside": "flank", "lance": True, "charger": "light"}, 7),  # 8: -12 -6
        (25, {"charger": "light"}, 25),  # 8: unmodified
    ],
)
def test_worked_examples_of_standing(morale: int, about: dict[str, Any], halted: int) -> None:
    """D17, examples 7 and 8."""
    book = book_of("prusse-1806")
    assert faces(charts.stand(book, morale, situation(book, **about)), "halted", "routed") == (
        halted,
        36 - halted,
    )


# -- reference odds (scenarios.md 9) ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "nation", "formation", "counts"),
    [
        ("prusse-1806", "French", "column", "36/0/0 36/0/0 21/10/5 13/15/8"),
        ("prusse-1806", "French", "line", "34/2/0 23/8/5 14/15/7 8/19/9"),
        ("hagelberg-1813", "French", "column", "32/4/0 30/6/0 15/13/8 7/18/11"),
        ("hagelberg-1813", "French", "line", "27/8/1 18/10/8 8/18/10 5/17/14"),
        ("austerlitz-1805", "Russian", "column", "29/5/2 20/10/6 12/12/12 8/18/10"),
    ],
)
def test_reference_carre_odds(name: str, nation: str, formation: str, counts: str) -> None:
    """scenarios.md 9, no modifiers, through the look-up."""
    found = [
        "/".join(map(str, carre(book_of(name), nation, formation, distance))) for distance in (4, 3, 2, 1)
    ]
    assert found == counts.split()


@pytest.mark.parametrize(
    ("name", "nation", "about", "expected"),
    [
        ("prusse-1806", "French", LIGHT | LANCERS, (12, 10, 14)),
        ("hagelberg-1813", "French", LIGHT | LANCERS, (6, 13, 17)),
        ("austerlitz-1805", "Russian", LIGHT | LANCERS, (3, 12, 21)),
        ("prusse-1806", "French", LEADER, (27, 9, 0)),
    ],
)
def test_reference_carre_odds_at_two_hexes_from_column(
    name: str, nation: str, about: dict[str, object], expected: tuple[int, ...]
) -> None:
    """scenarios.md 9: against light lancers; with a leader."""
    assert carre(book_of(name), nation, "column", 2, **about) == expected


def test_where_the_row_is_all_carre_success_is_certain_under_any_modifier() -> None:
    """scenarios.md 9: French 1806 column at 3 and 4."""
    book = book_of("prusse-1806")
    assert carre(book, "French", "column", 3, charger="light", lance=True, level=3) == (36, 0, 0)


# -- recall (D13) -------------------------------------------------------------------------------------

# battle: row and die needed; names as the rule set spells them
RECALL = """
    friedland-1807      | French 2, French Allies 2, Russian Light 3, Russian Heavy 2
    schoengrabern-1805  | French 2, French Allies 2, Russian Light 3, Russian Heavy 2
    austerlitz-1805     | French 2, Russian Light 3, Russian Heavy 2, Russian Cossacks 5, Austrian Light 3, Austrian Heavy 2
    prusse-1806         | French Dragoon 3, French 2, Prussian Hussar 2, Prussian Dragoon 3, Prussian Kuirassier 3, Saxon Heavy 2, Saxon Light 2
    halle-1806          | French 2, Prussian 2
    raszyn-1809         | Polish 2, Allies 2, Austrian 2
    aspern-essling-1809 | French 2, Rheinbund 2, Austrian 2
    wagram-1809         | French 2, French Allied 2, Austrian 2
    leipzig-1813        | French 2, Saxon 2, Polish 2, Rheinbund 3, Italian 3, Prussian 2, Russian Light 3, Russian Heavy 4, Austrian 2, Guard 2
    bautzen-1813        | French 2, French Guard 2, Saxon 2, Rheinbund 4, Italian 4, Russian Light 3, Russian Heavy 4, Russian Guard 4, \
Russian Cossacks 5, Prussian Light 2, Prussian Hussar 2, Prussian Heavy 3
    hagelberg-1813      | French 2, Prussian Landwehr 5, Russian Cossacks 5
"""
RECALL_ROWS = [
    (line.split("|")[0].strip(), *row.strip().rsplit(" ", 1))
    for line in RECALL.strip().splitlines()
    for row in line.split("|")[1].split(",")
]


@pytest.mark.parametrize(("name", "row", "needed"), RECALL_ROWS)
def test_recall_row(name: str, row: str, needed: str) -> None:
    """D13: 2-6 is 5/6, 3-6 4/6, 4-6 3/6, 5-6 2/6; a cavalry leader makes it one face more, at most six."""
    book = book_of(name)
    plain = charts.recall(book, book.recall_row("", None, False, row), leader=False)
    led = charts.recall(book, book.recall_row("", None, False, row), leader=True)
    assert faces(plain, "recalled", "not recalled") == (7 - int(needed), int(needed) - 1)
    assert faces(led, "recalled", "not recalled") == (8 - int(needed), int(needed) - 2)
    assert {one.of for one in plain.chances} == {6}


def test_no_rule_set_lacks_a_recall_row_of_the_notes() -> None:
    """Bautzen has one more, for the Foreign troops that the notes do not name."""
    for name in shipped.names():
        rows = {row["name"] for row in book_of(name).ruleset.merged["recall"]["rows"]}
        assert rows - {"Foreign"} == {row for battle, row, _ in RECALL_ROWS if battle == name}


@pytest.mark.parametrize(
    ("name", "nation", "kind", "light", "needs"),
    [
        ("prusse-1806", "French", "Dragoon", False, 3),
        ("prusse-1806", "French", "Hussar", True, 2),
        ("prusse-1806", "Prussian", "Dragoon", False, 3),
        ("bautzen-1813", "Russian", "Cossack", True, 5),
        ("bautzen-1813", "Russian", "Hussar", True, 3),
        ("bautzen-1813", "Prussian", "Hussar", True, 2),
        ("bautzen-1813", "Prussian", "Kuirassier", False, 3),
        ("leipzig-1813", "Russian", "Guard", False, 2),
    ],
)
def test_the_most_particular_recall_row_counts(
    name: str, nation: str, kind: str, light: bool, needs: int
) -> None:
    assert book_of(name).recall_row(nation, kind, light).needs == needs


# -- morale (C1) --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("morale", "mod", "passing"),
    [
        (34, 0, 20),
        (32, 0, 22),  # BE21 p30: passes with 33
        (32, -3, 19),  # disordered needs 36
        (32, -6, 16),  # routed needs 43
        (11, 0, 35),  # an unmodified 11 always fails
        (65, 0, 1),  # an unmodified 66 always passes
        (66, 0, 0),
        (66, 99, 0),  # clamped at 66, and 66 is not above 66
        (11, 1, 36),
        (26, -99, 0),
    ],
)
def test_morale_passes_on_strictly_more(morale: int, mod: int, passing: int) -> None:
    """C1: (35 - index + modifier)/36, within 0 and 1."""
    assert faces(charts.morale(book_of("prusse-1806"), morale, mod), "pass", "fail") == (
        passing,
        36 - passing,
    )


# -- fire (B2.8) --------------------------------------------------------------------------------------

# odds; lowest roll that gives at least 1, 2, 3, ... losses; rolls of 36 that give one or more (scenarios.md
# 9); the mean as printed; the losses of all 36 rolls together
FIRE = [
    ("1:3", (65,), 2, "0.056", 2),
    ("1:2.5", (64,), 3, "0.083", 3),
    ("1:2", (62,), 5, "0.139", 5),
    ("1:1.5", (55,), 8, "0.222", 8),
    ("1:1", (52,), 11, "0.306", 11),
    ("1.5:1", (42,), 17, "0.472", 17),
    ("2:1", (33,), 22, "0.611", 22),
    ("2.5:1", (26, 64), 25, "0.778", 28),
    ("3:1", (22, 56), 29, "1.000", 36),
    ("4:1", (13, 54), 34, "1.194", 43),
    ("5:1", (11, 45, 66), 36, "1.417", 51),
    ("6:1", (11, 33, 62), 36, "1.750", 63),
    ("7:1", (11, 23, 52), 36, "2.083", 75),
    ("8:1", (11, 15, 45, 66), 36, "2.306", 83),
    ("9:1", (11, 11, 42, 63), 36, "2.583", 93),
    ("10:1", (11, 11, 26, 55, 65), 36, "2.972", 107),
]


@pytest.mark.parametrize(("column", "least", "hits", "mean", "total"), FIRE)
@pytest.mark.parametrize("name", ["prusse-1806", "hagelberg-1813"])
def test_fire_column(
    name: str, column: str, least: tuple[int, ...], hits: int, mean: str, total: int
) -> None:
    """B2.8, machine form, P(at least one) and mean."""
    attack, _, defence = column.partition(":")
    answer = charts.fire(book_of(name), Fraction(attack) * 30, int(30 * Fraction(defence)))
    assert answer.numbers["column"] == column
    losses = {int(one.name): one.faces for one in answer.chances if one.faces}
    for n, face in enumerate(least, 1):
        assert sum(count for loss, count in losses.items() if loss >= n) == 36 - index_of(face)
    assert max(losses) == len(least)
    assert 36 - losses.get(0, 0) == hits
    assert sum(loss * count for loss, count in losses.items()) == total
    assert f"{total / 36:.3f}" == mean


def test_the_fire_table_has_the_sixteen_columns_of_the_notes_in_order() -> None:
    assert list(book_of("prusse-1806").fire_columns) == [column for column, *_ in FIRE]


@pytest.mark.parametrize(
    ("attack", "defence", "increments", "canister", "column", "shift"),
    [
        ("2", 14, 0, True, "1:2.5", 0),  # B2.5: 1:7 counts as 1:3, canister one to the right
        ("24", 6, 12, False, "4:1", 3),  # B2.6: 12 increments are massed by 3
        ("24", 6, 18, False, "4:1", 9),
        ("24", 6, 9, False, "4:1", 0),
    ],
)
def test_canister_and_a_massed_target(
    attack: str, defence: int, increments: int, canister: bool, column: str, shift: int
) -> None:
    answer = charts.fire(book_of("prusse-1806"), Fraction(attack), defence, increments, canister)
    assert (answer.numbers["column"], answer.shift) == (column, shift)


def test_where_the_switch_says_so_there_is_no_fire_below_the_lowest_column() -> None:
    """0-decisions 5.17."""
    rules = catalogue.load("prusse-1806")
    book = rulebook(rules, rules.switches(changes={"below_lowest": "none"}))
    with pytest.raises(InputError, match="below the lowest column"):
        charts.fire(book, Fraction(1), 6)
    assert charts.fire(book, Fraction(2), 6).numbers["column"] == "1:3"


def test_only_natural_65_and_66_hit_a_leader_by_fire() -> None:
    """A2.2, B9: the roll as it falls, whatever the modifiers."""
    book = book_of("prusse-1806")
    chart, columns = book.fire_chart, len(book.fire_columns)
    outcomes = len(chart.outcomes)
    for shift in (-12, 0, 9):
        without = chart.rows(np.arange(columns), np.full(columns, shift))
        with_leader = chart.rows(np.arange(columns) + columns, np.full(columns, shift))
        assert (without < outcomes).all()
        assert (with_leader[:, :34] == without[:, :34]).all()
        assert (with_leader[:, 34:] == without[:, 34:] + outcomes).all()


# -- pre-melee odds (C9) ------------------------------------------------------------------------------

PREMELEE = [("1:2", -6), ("1:1", -3), ("2:1", 0), ("3:1", 3), ("4:1", 6), ("5:1", 9)]
EARLY = [("1:3", -9), ("1:2", -6), ("1:1", -3), ("2:1", 0), ("3:1", 6), ("4:1", 9), ("5:1", 12)]


@pytest.mark.parametrize("name", shipped.names())
def test_premelee_columns(name: str) -> None:
    """C9: first row of the table, the early one for Halle and Raszyn; the defender's number is the attacker's
    with the sign turned."""
    book = book_of(name)
    for column, amount in EARLY if name in ("halle-1806", "raszyn-1809") else PREMELEE:
        attackers, defenders = (12 * int(part) for part in column.split(":"))
        assert assaults.assault(book, Side(attackers), Side(defenders)).numbers == {
            "column": column,
            "attack": amount,
            "defence": -amount,
        }


# -- melee (C12) --------------------------------------------------------------------------------------

# odds: AR, AD, none, numbers, DD, DR, DS out of 36
MELEE = [
    ("1:2", (4, 12, 9, 9, 2, 0, 0)),
    ("1:1", (0, 5, 14, 12, 5, 0, 0)),
    ("1.5:1", (0, 2, 12, 12, 10, 0, 0)),
    ("2:1", (0, 1, 9, 12, 14, 0, 0)),
    ("2.5:1", (0, 0, 8, 9, 19, 0, 0)),
    ("3:1", (0, 0, 5, 8, 21, 2, 0)),
    ("3.5:1", (0, 0, 1, 6, 24, 5, 0)),
    ("4:1", (0, 0, 0, 5, 24, 7, 0)),
    ("4.5:1", (0, 0, 0, 1, 18, 16, 1)),
    ("5:1", (0, 0, 0, 0, 14, 17, 5)),
]
LETTERS = ("AR", "AD", "none", "DD", "DR", "DS")


@pytest.mark.parametrize(("column", "counts"), MELEE)
@pytest.mark.parametrize("name", ["prusse-1806", "bautzen-1813"])
def test_melee_column(name: str, column: str, counts: tuple[int, ...]) -> None:
    attack, _, defence = column.partition(":")
    answer = charts.melee(book_of(name), 12 * Fraction(attack), 12 * Fraction(defence))
    assert answer.numbers["column"] == column
    ar, ad, none, dd, dr, ds = faces(answer, *LETTERS)
    numbers = sum(one.faces for one in answer.chances if one.name not in LETTERS)
    assert (ar, ad, none, numbers, dd, dr, ds) == counts


# roll and odds: the cells in which the three public versions differ, and what is taken (C12,
# "Disagreements"); and the first and last roll
@pytest.mark.parametrize(
    ("roll", "column", "result"),
    [
        (56, "1:2", "1*/0"),
        (62, "1:2", "2/1*"),
        (42, "1:1", "2*/1"),
        (43, "1:1", "2/1*"),
        (61, "1:1", "1/0*"),
        (35, "2:1", "3/2*"),
        (31, "3:1", "1/2*"),
        (11, "1:2", "AR"),
        (11, "5:1", "DD"),
        (12, "3.5:1", "0/0"),
        (25, "2:1", "0/3"),
        (15, "3.5:1", "2/4"),
        (62, "5:1", "DS"),
        (66, "4.5:1", "DS"),
        (65, "4.5:1", "DR"),
    ],
)
def test_melee_cell(roll: int, column: str, result: str) -> None:
    book = book_of("prusse-1806")
    chart = book.melee_chart
    assert chart.outcomes[chart.values[book.melee_columns.index(column), index_of(roll)]] == result


@pytest.mark.parametrize(
    ("column", "attack", "defence", "shift"),
    [("1:2", "1", "2", 0), ("1:2", "99/100", "2", -6), ("1:2", "99/100", "3", -12)],
)
def test_odds_below_the_melee_table_shift_the_dice(
    column: str, attack: str, defence: str, shift: int
) -> None:
    """C11."""
    answer = charts.melee(book_of("prusse-1806"), Fraction(attack), Fraction(defence))
    assert (answer.numbers["column"], answer.shift) == (column, shift)


def test_natural_rolls_that_hit_leaders_in_melee() -> None:
    """C15: 11 and 12 the attackers', 64 to 66 the defenders'."""
    book = book_of("prusse-1806")
    chart, columns = book.melee_chart, len(book.melee_columns)
    natural = chart.natural
    assert natural is not None
    for leaders, (attacker, defender) in enumerate([(0, 0), (1, 0), (0, 2), (1, 2)]):
        for c in range(columns):
            hits = natural[leaders * columns + c].tolist()
            assert hits == [attacker] * 2 + [0] * 31 + [defender] * 3


# -- numbers for tests (E1.7) -------------------------------------------------------------------------


def letter_effects(book: Rulebook, row: str, attack: str, defence: str) -> dict[str, Fraction]:
    """Chance of each effect code of the matrix for a defender's row; number results fall under their own
    name."""
    answer = charts.melee(book, Fraction(attack), Fraction(defence))
    data = book.ruleset.merged["matrix"]
    codes = dict(zip(data["columns"], data["rows"][row], strict=True)) | {"DS": "DS"}
    found: dict[str, Fraction] = {}
    for one in answer.chances:
        code = codes.get("blank" if one.name == "none" else one.name, "number")
        found[code] = found.get(code, Fraction(0)) + one.p
    return found


def passing(book: Rulebook, morale: int, mod: int) -> Fraction:
    return Fraction(faces(charts.morale(book, morale, mod), "pass")[0], 36)


@pytest.mark.parametrize(
    ("attack", "defence", "lost"),
    [("1", "2", Fraction(1, 8)), ("9", "20", Fraction(5, 72)), ("3", "10", Fraction(5, 81))],
    ids=["1:2", "-6", "-12"],
)
def test_a_square_of_morale_34_is_lost_by_letter_results(attack: str, defence: str, lost: Fraction) -> None:
    """E1.7: 2/36 + 9/36 × 10/36 = 1/8; 5/72 below 1:2; 5/81 below 1:3. It passes the check at +6 on 26/36."""
    book = book_of("bautzen-1813")
    effects = letter_effects(book, "square", attack, defence)
    check = book.ruleset.merged["matrix"]["effects"]["SQ-hold"]["defender"]["any"]["square_check"]
    assert passing(book, 34, check) == Fraction(26, 36)
    assert effects.get("SQ-dis", 0) + effects["SQ-hold"] * (1 - passing(book, 34, check)) == lost


@pytest.mark.parametrize(
    ("attack", "defence", "routed"),
    [("1", "2", Fraction(7, 27)), ("9", "20", Fraction(23, 54)), ("3", "10", Fraction(16, 27))],
    ids=["1:2", "-6", "-12"],
)
def test_cavalry_of_morale_31_routs_off_a_square(attack: str, defence: str, routed: Fraction) -> None:
    """E1.7: 4/36 + 12/36 × 16/36 = 7/27; 23/54 below 1:2; 16/27 below 1:3.

    It passes the check at -3 on 20/36.
    """
    book = book_of("bautzen-1813")
    effects = letter_effects(book, "square", attack, defence)
    check = book.ruleset.merged["matrix"]["effects"]["A-dis-sq"]["attacker"]["cavalry"]["check"]
    assert passing(book, 31, check) == Fraction(20, 36)
    assert effects["A-rout"] + effects["A-dis-sq"] * (1 - passing(book, 31, check)) == routed


def test_where_ad_always_routs_cavalry_16_of_36_rout_it() -> None:
    """E1.7."""
    effects = letter_effects(book_of("bautzen-1813"), "square", "1", "2")
    assert effects["A-rout"] + effects["A-dis-sq"] == Fraction(16, 36)


@pytest.mark.parametrize(("attack", "surrender"), [("4", 7), ("9/2", 17), ("5", 22)])
def test_routed_infantry_that_is_ridden_into_surrenders(attack: str, surrender: int) -> None:
    """E1.7: DR and DS; everything else at 5:1 is another rout."""
    effects = letter_effects(book_of("bautzen-1813"), "infantry routed", attack, "1")
    assert effects["S"] + effects.get("DS", 0) == Fraction(surrender, 36)
    if attack == "5":
        assert effects["D-rout"] == Fraction(14, 36)


def test_disordered_infantry_that_is_ridden_into_at_three_to_one_routs_on_23_of_36() -> None:
    """E1.7: every DD routs it."""
    effects = letter_effects(book_of("bautzen-1813"), "infantry disordered", "3", "1")
    assert effects == {"D-rout": Fraction(23, 36), "BACK1": Fraction(5, 36), "number": Fraction(8, 36)}


SQUARE_CHARGED: dict[str, Any] = {
    "ruleset": "bautzen-1813",
    "switches": {"square_checks": False},
    "charger": {"nation": "French", "movement": 12, "increments": 9, "melee": 24, "morale": 31},
    "target": {
        "nation": "Russian",
        "type": "Musketeer",
        "formation": "square",
        "increments": 9,
        "fire": 0,
        "melee": 16,
        "morale": 34,
        "square": 0,
    },
    "response": "stand",
}


@pytest.mark.parametrize(
    ("melee", "always", "kept", "routed"),
    [
        # 24/3 against 16 is 1:2: beside E1.7's 1/8 and 7/27, two cells each in which the square (16/36) or
        # the cavalry (13/36) fails a star check
        (
            24,
            False,
            1 - Fraction(1, 8) - Fraction(2 * 16, 36 * 36),
            Fraction(7, 27) + Fraction(2 * 13, 36 * 36),
        ),
        # below 1:2, at -6: one star cell of the square is left, both of the cavalry
        (
            23,
            False,
            1 - Fraction(5, 72) - Fraction(16, 36 * 36),
            Fraction(23, 54) + Fraction(2 * 13, 36 * 36),
        ),
        # below 1:3, at -12: none
        (15, False, 1 - Fraction(5, 81), Fraction(16, 27)),
        (
            24,
            True,
            1 - Fraction(1, 8) - Fraction(2 * 16, 36 * 36),
            Fraction(16, 36) + Fraction(2 * 13, 36 * 36),
        ),
    ],
    ids=["1:2", "-6", "-12", "always rout"],
)
def test_a_charge_on_a_square_without_fire_has_the_odds_of_its_melee(
    melee: int, always: bool, kept: Fraction, routed: Fraction
) -> None:
    """E1.7 through the battle itself: cavalry of morale 31 rides at one third onto a square of morale 34 that
    cannot fire."""
    data = SQUARE_CHARGED | {"charger": SQUARE_CHARGED["charger"] | {"melee": melee}}
    if always:
        data["switches"] = data["switches"] | {"cav_ad_vs_infantry": "always_rout"}
    charge, problems = scenarios.check(documents.Document("square", data))
    assert charge is not None, problems.errors
    tally = odds(charge, method="exact").rows[0].tally
    assert tally.p("target in square") == kept
    assert tally.p("charger routed") == routed


# -- what is refused ----------------------------------------------------------------------------------


def test_an_unknown_nation_or_formation_is_refused_with_the_nearest_name() -> None:
    book = book_of("prusse-1806")
    with pytest.raises(
        UnknownNameError, match=r"--nation must be one of .*French.*, got 'Frensh'\. Did you mean 'French'\?"
    ):
        charts.carre(book, "Frensh", "column", 2, situation(book))
    with pytest.raises(
        UnknownNameError,
        match=r"--formation must be column or line for French in prusse-1806, got 'lin'\. Did you mean "
        r"'line'\?",
    ):
        charts.carre(book, "French", "lin", 2, situation(book))


def test_who_is_barred_from_carre_is_refused_with_the_reason() -> None:
    book = book_of("bautzen-1813")
    with pytest.raises(InputError, match="provisional battalions"):
        carre(book, "French", "column", 2, type="Provisional Ligne")


def test_an_unknown_recall_row_is_refused_with_the_rows() -> None:
    with pytest.raises(
        UnknownNameError,
        match=r"--cavalry must be a row of the recall chart .*Prussian Hussar.*, got 'Prussian Husar'\. "
        r"Did you mean",
    ):
        book_of("prusse-1806").recall_row("", None, False, "Prussian Husar")


@pytest.mark.parametrize("name", shipped.names())
def test_every_look_up_says_how_many_rolls_of_all_give_each_outcome(name: str) -> None:
    """Every chart row covers all rolls once (invariant 3)."""
    book = book_of(name)
    answers = [charts.morale(book, 34, mod) for mod in (-9, 0, 9)]
    answers += [charts.melee(book, Fraction(n), Fraction(6)) for n in range(1, 40, 3)]
    answers += [charts.fire(book, Fraction(n), 6) for n in range(1, 70, 3)]
    answers += [
        charts.recall(book, row, leader) for row in book.blocks.recall.rows for leader in (False, True)
    ]
    for answer in answers:
        assert sum(one.faces for one in answer.chances) == answer.chances[0].of
        assert sum(one.p for one in answer.chances) == 1
