"""A rule set with its switches decided, as lookup arrays: charts, modifier tables, zones, costs.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.ensemble import ladder
from sim.ensemble.dice import Chart
from sim.errors import UnknownNameError, did_you_mean
from sim.rulesets.blocks import CarreRow, Hexside, Horse, RecallRow
from sim.rulesets.catalogue import RuleSet
from sim.rulesets.modifiers import Modifier, ModifierTable, Multiplier, Refusal, conditions
from sim.vocabulary import FORMATIONS, KINDS, ZONES

PROHIBITED = 99
"""Movement cost of what an arm may not enter."""


def ratio_of(text: str) -> tuple[int, int]:
    """Odds such as `"1:2.5"` or `"1.5:1"` as a reduced pair.

    >>> ratio_of("1:2.5"), ratio_of("1.5:1")
    ((2, 5), (3, 2))
    """
    attack, _, defence = text.partition(":")
    ratio = Fraction(attack) / Fraction(defence)
    return ratio.numerator, ratio.denominator


class Rulebook:
    """What the battle needs of a rule set under given switches, ready for arrays.

    Parameters
    ----------
    ruleset
        The rule set.
    switches
        Every switch with its value.
    """

    def __init__(self, ruleset: RuleSet, switches: Mapping[str, Any]) -> None:
        self.ruleset = ruleset
        self.data, self.blocks = ruleset.data, ruleset.blocks
        self.switches = dict(switches)
        self.light_from = self.blocks.charge.light_from

    # -- modifiers ----------------------------------------------------------------------------

    def _compile(
        self, rows: Sequence[Mapping[str, Any]], check: str, column: str = "value"
    ) -> list[Modifier]:
        compiled = []
        for row in rows:
            when = conditions(row.get("when", {}), self.switches, check)
            if when is None:
                continue
            values = (
                tuple((int(k), int(v)) for k, v in row["values"].items())
                if "values" in row
                else ((0, int(row.get(column, 0))),)
            )
            cancels = row.get("cancels", ())
            compiled.append(
                Modifier(
                    row["key"],
                    row["label"],
                    values,
                    row.get("of"),
                    when,
                    row.get("source", ""),
                    row.get("per"),
                    cancels if isinstance(cancels, str) else tuple(cancels),
                    row.get("no_check", False),
                )
            )
        return compiled

    def _completed(
        self, rows: Sequence[Mapping[str, Any]], check: str, column: str = "value"
    ) -> ModifierTable:
        """A chart's own modifiers, then the general ones that it does not replace."""
        rows = [row for row in rows if conditions(row.get("when", {}), self.switches, check) is not None]
        replaced = {row["key"] for row in rows} | {row.get("replaces") for row in rows}
        general = [row for row in self.data["morale"]["modifiers"] if row["key"] not in replaced]
        return ModifierTable(tuple(self._compile(rows, check, column) + self._compile(general, check)))

    @cached_property
    def morale_modifiers(self) -> ModifierTable:
        """Modifiers of an ordinary morale check (C3)."""
        return ModifierTable(tuple(self._compile(self.data["morale"]["modifiers"], "morale")))

    @cached_property
    def stand_modifiers(self) -> ModifierTable:
        """Cavalry charge morale modifiers (D11), completed by the general ones."""
        return self._completed(self.data["stand"]["modifiers"], "stand")

    @cached_property
    def premelee_modifiers(self) -> ModifierTable:
        """Defender's modifiers of the pre-melee check (C9), completed by the general ones."""
        return self._completed(self.data["premelee"]["modifiers"], "premelee", "defence")

    @cached_property
    def carre_modifiers(self) -> ModifierTable:
        """Modifiers of the carré table (D12.1)."""
        return ModifierTable(tuple(self._compile(self.data["carre"]["modifiers"], "carre")))

    @cached_property
    def recall_modifiers(self) -> ModifierTable:
        """Modifiers of the recall die (D13)."""
        return ModifierTable(tuple(self._compile(self.data["recall"]["modifiers"], "recall")))

    def lines_by_level(self, chart: str, attribute: str) -> list[tuple[str, list[int], str]]:
        """The lines of a chart's modifiers that go by a level: label, what levels 1 to 3 add, source."""
        rows = [row for row in self.data[chart]["modifiers"] if row.get("of") == attribute]
        return [
            (row["label"], [row["values"].get(number, 0) for number in (1, 2, 3)], row["source"])
            for row in rows
        ]

    @cached_property
    def counts_fire_losses(self) -> bool:
        """Whether any line asks for the losses by fire in this half; if none does, they are not kept apart."""
        tables = (
            self.morale_modifiers,
            self.stand_modifiers,
            self.premelee_modifiers,
            self.carre_modifiers,
            self.recall_modifiers,
        )
        asked = [
            name
            for table in tables
            for one in table.modifiers
            for name in (one.of, one.per, *(name for name, _, _ in one.when))
        ]
        asked += [name for one in self.multipliers for name, _, _ in one.when]
        asked += [name for _, when in self.barred for name, _, _ in when]
        return any(name is not None and name.endswith(".fire_losses") for name in asked)

    @cached_property
    def multipliers(self) -> tuple[Multiplier, ...]:
        """Factors of melee values (C10)."""
        compiled = []
        for row in self.data["melee"]["multipliers"]:
            when = conditions(row.get("when", {}), self.switches, "melee")
            if when is not None:
                compiled.append(
                    Multiplier(
                        row["key"],
                        row["label"],
                        row["side"],
                        Fraction(str(row["value"])),
                        when,
                        row.get("source", ""),
                    )
                )
        return tuple(compiled)

    # -- charts -------------------------------------------------------------------------------

    @cached_property
    def morale_chart(self) -> Chart:
        """Fail or pass by printed morale (column, an index): strictly greater passes (C1)."""
        values = (np.arange(ladder.STEPS) > np.arange(ladder.STEPS)[:, None]).astype(np.int16)
        return Chart("morale", values, ("fail", "pass"))

    @cached_property
    def carre_rows(self) -> tuple[CarreRow, ...]:
        """Rows of the carré table, in order."""
        return self.blocks.carre.rows

    @cached_property
    def carre_chart(self) -> Chart:
        """Carré realisation table (D12); the column of row r at distance d (1..4) is 4 r + d - 1."""
        outcomes = ("formed", "disordered", "routed")
        values = np.zeros((4 * len(self.carre_rows), ladder.STEPS), np.int16)
        for r, row in enumerate(self.carre_rows):
            for distance, cells in row.cells.items():
                for outcome, span in cells.items():
                    values[4 * r + distance - 1, span] = outcomes.index(outcome)
        return Chart("carré", values, outcomes)

    def carre_row(self, nation: str, formation: str) -> int | None:
        """The carré row of a nation and formation, or None."""
        for r, row in enumerate(self.carre_rows):
            if row.formation == formation and (nation in row.nations or nation == row.name):
                return r
        return None

    def carre_points(self, row: int) -> bool:
        """Whether a carré row's distance is in movement points rather than hexes (0-decisions 5.6)."""
        unit = self.switches["carre_distance"]
        return (self.carre_rows[row].unit if unit == "row" else str(unit)) == "points"

    @cached_property
    def barred(self) -> tuple[tuple[str, tuple[tuple[str, bool, tuple[int, ...]], ...]], ...]:
        """Who may not try a carré: label and conditions."""
        found = []
        for row in self.data["carre"].get("barred", []):
            when = conditions(row["when"], self.switches, "carre")
            if when is not None:
                found.append((row["label"], when))
        return tuple(found)

    @cached_property
    def recovery_losses(self) -> tuple[tuple[int, Refusal], ...]:
        """What a failed recovery costs, in increments, and whom (C7)."""
        found = []
        for row in self.data["morale"].get("recovery_losses", []):
            when = conditions(row["when"], self.switches, "recovery")
            if when is not None:
                found.append((int(row["lose"]), Refusal(row["label"], when, row.get("source", ""))))
        return tuple(found)

    def charges_not(self, nation: str, kind: str | None) -> tuple[Refusal, ...]:
        """Charges that a type of cavalry may not make (D10.3), tested against facts about the target and the hexside."""
        troop = self.ruleset.troop(nation, kind)
        found: list[Refusal] = []
        if not isinstance(troop, Horse):
            return ()
        for row in troop.charges_not:
            when = conditions(row.when, self.switches, "charge")
            if when is not None:
                found.append(Refusal(row.label, when, row.source or troop.source or ""))
        return tuple(found)

    def under_fire(self, nation: str, kind: str | None) -> tuple[str, str]:
        """What fire does to a type of cavalry (D10.3): with a loss `rout`, without one `check`; `""` is the ordinary check by losses."""
        troop = self.ruleset.troop(nation, kind)
        rule = troop.under_fire if isinstance(troop, Horse) else None
        return (rule.loss or "", rule.no_loss or "") if rule else ("", "")

    @cached_property
    def recall_chart(self) -> Chart:
        """Not recalled or recalled; the column is the number needed, 0..7, on one die."""
        values = (np.arange(1, 7) >= np.arange(8)[:, None]).astype(np.int16)
        return Chart("recall", values, ("not recalled", "recalled"))

    def recall_row(self, nation: str, kind: str | None, light: bool, name: str | None = None) -> RecallRow:
        """The most particular recall row that fits: one naming the type, then the class, then the nation alone.

        Raises
        ------
        UnknownNameError
            If no row fits.
        """
        rows = self.blocks.recall.rows
        if name is not None:
            for row in rows:
                if row.name.lower() == name.lower():
                    return row
            names = [row.name for row in rows]
            raise UnknownNameError(
                f"--cavalry must be a row of the recall chart of {self.ruleset.name} ({', '.join(names)}), got {name!r}.{did_you_mean(name, names)}"
            )
        fitting = [
            row
            for row in rows
            if nation in row.nations
            and (row.types is None or kind in row.types)
            and (row.class_ is None or row.class_ == ("light" if light else "heavy"))
        ]
        if not fitting:
            raise UnknownNameError(
                f"the recall chart of {self.ruleset.name} has no row for {nation} {'light' if light else 'heavy'} cavalry"
            )
        return max(fitting, key=lambda row: 2 * int(row.types is not None) + int(row.class_ is not None))

    @cached_property
    def fire_columns(self) -> tuple[str, ...]:
        """Names of the fire table's columns, worst odds first."""
        return tuple(sorted(self.blocks.fire.table, key=lambda name: Fraction(*ratio_of(name))))

    @cached_property
    def fire_chart(self) -> Chart:
        """Increments lost (B2.8); columns 0..c-1 without, c..2c-1 with a leader in the target hex whom natural rolls may hit."""
        table = self.blocks.fire.table
        most = max(loss for cells in table.values() for loss in cells)
        values = np.zeros((len(table), ladder.STEPS), np.int16)
        for c, cells in enumerate(table[name] for name in self.fire_columns):
            for loss, span in cells.items():
                values[c, span] = loss
        natural = np.zeros((2 * len(table), ladder.STEPS), np.int16)
        natural[len(table) :, self.blocks.leaders.fire.natural] = 1
        return Chart("fire", np.tile(values, (2, 1)), tuple(range(most + 1)), natural)

    @cached_property
    def premelee_columns(self) -> tuple[str, ...]:
        """Names of the pre-melee odds, worst first."""
        return tuple(sorted(self.blocks.premelee.columns, key=lambda name: Fraction(*ratio_of(name))))

    @cached_property
    def melee_columns(self) -> tuple[str, ...]:
        """Names of the melee table's columns, worst odds first."""
        return tuple(self.data["melee"]["columns"])

    @cached_property
    def melee_chart(self) -> Chart:
        """Melee table (C12); columns come four times: no leader, attackers', defenders', both.

        The natural part is 1 when the attackers' leader is hit, 2 when the defenders' is.
        """
        table = self.data["melee"]["table"]
        names = [["none" if cell == "." else cell for cell in table[face]] for face in ladder.FACES]
        columns = self.melee_columns
        for cell in self.data["melee"].get("cells", []):
            names[ladder.index_of(cell["roll"])][columns.index(cell["column"])] = (
                "none" if cell["result"] == "." else cell["result"]
            )
        outcomes = tuple(
            dict.fromkeys(
                ["AR", "AD", "none", "DD", "DR", "DS", *sorted({name for row in names for name in row})]
            )
        )
        values = np.array(
            [[outcomes.index(names[face][c]) for face in range(ladder.STEPS)] for c in range(len(columns))],
            np.int16,
        )
        natural = np.zeros((4, 1, ladder.STEPS), np.int16)
        hits = self.blocks.leaders.melee
        natural[[1, 3], :, hits.attacker.start : hits.attacker.stop] = 1
        natural[[2, 3], :, hits.defender.start : hits.defender.stop] = 2
        return Chart(
            "melee",
            np.tile(values, (4, 1)),
            outcomes,
            np.repeat(natural, len(columns), 1).reshape(4 * len(columns), ladder.STEPS),
        )

    @cached_property
    def melee_results(self) -> dict[str, NDArray[np.int64]]:
        """Each melee outcome taken apart, shape (outcomes,): losses and stars of both sides, and the letter.

        `letter` is the column of the results matrix (AR, AD, blank, DD, DR), 5 for DS, -1 for number results.
        """
        letters = {name: i for i, name in enumerate(self.blocks.matrix.columns)} | {"DS": 5}
        letters["none"] = letters.pop("blank")
        parts: dict[str, list[int]] = {
            "attack_loss": [],
            "defence_loss": [],
            "attack_star": [],
            "defence_star": [],
            "letter": [],
        }
        for name in self.melee_chart.outcomes:
            letter = letters.get(name, -1)
            attack, _, defence = name.partition("/") if letter < 0 else ("0", "", "0")
            for side, text in (("attack", attack), ("defence", defence)):
                parts[f"{side}_loss"].append(int(text.rstrip("*")))
                parts[f"{side}_star"].append(int(text.endswith("*")))
            parts["letter"].append(letter)
        return {name: np.array(values) for name, values in parts.items()}

    @cached_property
    def leader_charts(self) -> tuple[Chart, Chart]:
        """What becomes of a leader who is hit, in melee (six faces) and by fire (five: one result is rolled again).

        Outcomes: `fit`, `out` (killed or wounded: his hex checks), `captured`.
        """
        meaning = {"killed": 1, "wounded": 1, "captured": 2, "flesh wound": 0}
        die = [meaning[self.blocks.leaders.die[face]] for face in range(1, 7)]
        again = self.blocks.leaders.fire.roll_again
        fire = [result for face, result in enumerate(die, 1) if face not in again]
        outcomes = ("fit", "out", "captured")
        return Chart("leader", np.array([die], np.int16), outcomes), Chart(
            "leader (fire)", np.array([fire], np.int16), outcomes
        )

    # -- formations, terrain ------------------------------------------------------------------

    @cached_property
    def zones(self) -> NDArray[np.int8]:
        """Zone (front, flank, rear) of each hexside, shape (kinds, formations, 12 facings, 6 sides)."""
        entries = self.blocks.orientation
        zones = np.zeros((len(KINDS), len(FORMATIONS), 12, 6), np.int8)
        turn = (2 * np.arange(6) - np.arange(12)[:, None]) % 12
        turn = np.minimum(turn, 12 - turn)
        for k, kind in enumerate(KINDS):
            for f, formation in enumerate(FORMATIONS):
                entry = entries.get(self._entry(kind, formation))
                if entry is not None:
                    row = np.array([ZONES.index(zone) for zone in entry.zones])
                    zones[k, f] = row[np.minimum(turn // 2, len(row) - 1)]
        return zones

    @cached_property
    def corner_facing(self) -> NDArray[np.bool_]:
        """Whether a formation faces a corner, shape (kinds, formations)."""
        corner = {name for name, entry in self.blocks.orientation.items() if entry.faces == "corner"}
        return np.array([[self._entry(kind, one) in corner for one in FORMATIONS] for kind in KINDS])

    @staticmethod
    def _entry(kind: str, formation: str) -> str:
        if kind == "artillery":
            return "artillery"
        if kind == "infantry":
            return f"infantry {formation}"
        return "cavalry line" if formation == "line" else f"{kind} column"

    @cached_property
    def hexside_costs(self) -> dict[str, tuple[int, int, int]]:
        """Points added for crossing a hexside, by arm in the order of `vocabulary.Arm`."""
        return {name: self._costs(entry) for name, entry in self.blocks.hexsides.rows.items()}

    @cached_property
    def terrain_costs(self) -> dict[str, tuple[int, int, int]]:
        """Points to enter a hex, by arm in the order of `vocabulary.Arm`."""
        return {name: self._costs(entry) for name, entry in self.blocks.terrain.rows.items()}

    @staticmethod
    def _costs(entry: Hexside) -> tuple[int, int, int]:
        infantry, cavalry, artillery = (
            PROHIBITED if points is None else points
            for points in (entry.infantry, entry.cavalry, entry.artillery)
        )
        return infantry, cavalry, artillery

    @cached_property
    def general_order_terrain(self) -> frozenset[str]:
        """Terrain where infantry in good order is in general order: its fire defence knows no column (B10.2, seed 004)."""
        chart = self.data["fire"]["defence"]
        return frozenset(name for name in self.terrain_costs if name in chart and "column" not in chart[name])

    def defence(self, terrain: str, formation: str, nation: str = "") -> tuple[int, str]:
        """Fire defence of a formation in a terrain, and its source (B10.2); what a terrain's row does not give, clear terrain does."""
        chart = self.data["fire"]["defence"]
        source = chart.get("source", "")
        for row in chart.get("by_nation", []):
            if nation in row["nations"] and row["terrain"] == terrain and formation in row:
                return int(row[formation]), row.get("source", source)
        fallback = "column" if formation in ("masse", "road march", "general order") else formation
        for name in (terrain, "clear"):
            for shape in (formation, fallback):
                if shape in chart.get(name, {}):
                    return int(chart[name][shape]), chart[name].get("source", source)
        raise UnknownNameError(f"the fire defence chart of {self.ruleset.name} has no {formation}")


def rulebook(ruleset: RuleSet, switches: Mapping[str, Any]) -> Rulebook:
    """The rulebook of a rule set under switches, compiled once."""
    key = (ruleset.digest, tuple(sorted((name, str(value)) for name, value in switches.items())))
    if key not in _books:
        if len(_books) > 256:
            _books.clear()
        _books[key] = Rulebook(ruleset, switches)
    return _books[key]


_books: dict[tuple[str, tuple[tuple[str, str], ...]], Rulebook] = {}
