"""A rule set with its switches decided, as lookup arrays: charts, modifier tables, zones, costs.

Arrays have shape (k,), one element a case (a lane), unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from sim.ensemble import ladder
from sim.ensemble.dice import Chart
from sim.ensemble.ratios import Ratio
from sim.errors import UnknownNameError, did_you_mean
from sim.rulesets import compiled
from sim.rulesets.blocks import Bar, CarreRow, Foot, Hexside, Horse, LimberRow, Line, RecallRow
from sim.rulesets.catalogue import RuleSet
from sim.rulesets.compiled import SHAPES, FireDefence, MatrixTable, MeleeResults, Roster
from sim.rulesets.conditions import Setting, When, decided
from sim.rulesets.modifiers import Modifier, ModifierTable, Multiplier, RecoveryLoss, Refusal
from sim.vocabulary import FORMATIONS, KINDS, LINE, SKIRMISH, SQUARE, ZONES, Kind

PROHIBITED = 99
"""Movement cost of what an arm may not enter."""
UNCAPPED = 999
"""More increments than a hex holds."""


@cache
@cache
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

    def __init__(self, ruleset: RuleSet, switches: Mapping[str, Setting]) -> None:
        self.ruleset = ruleset
        self.blocks = ruleset.blocks
        self.switches: Mapping[str, Setting] = dict(switches)
        self.light_from = self.blocks.charge.light_from

    # -- modifiers ----------------------------------------------------------------------------

    def _decided(self, rows: Sequence[Line], check: str) -> list[tuple[Line, When]]:
        """The lines that switches and the kind of check do not rule out, with the conditions that are
        left."""
        found = [(row, decided(row.when, self.switches, check)) for row in rows]
        return [(row, when) for row, when in found if when is not None]

    def _table(
        self, rows: Sequence[Line], check: str, general: bool = False, attack: bool = False
    ) -> ModifierTable:
        """A chart's own modifiers, then, if they count too, the general ones that it does not replace.

        Of the attackers' pre-melee dice a line about the defender replaces none.
        """
        lines = self._decided(rows, check)
        if attack:
            lines = [(_about_target(row), when) for row, when in lines]
        if general:
            own = [row for row, when in lines if not (attack and _speaks_of_target(when))]
            replaced = {row.key for row in own} | {row.replaces for row in own}
            others = [row for row in self.blocks.morale.modifiers if row.key not in replaced]
            lines += self._decided(others, check)
        made = _attackers_modifier if attack else _modifier
        return ModifierTable(tuple(made(row, when, check) for row, when in lines))

    @cached_property
    def morale_modifiers(self) -> ModifierTable:
        """Modifiers of an ordinary morale check (C3)."""
        return self._table(self.blocks.morale.modifiers, "morale")

    @cached_property
    def stand_modifiers(self) -> ModifierTable:
        """Cavalry charge morale modifiers (D11), completed by the general ones."""
        return self._table(self.blocks.stand.modifiers, "stand", general=True)

    @cached_property
    def premelee_modifiers(self) -> ModifierTable:
        """Defender's modifiers of the pre-melee check (C9), completed by the general ones."""
        return self._table(self.blocks.premelee.modifiers, "premelee", general=True)

    @cached_property
    def premelee_attack_modifiers(self) -> ModifierTable:
        """Attackers' modifiers of the pre-melee check (C9), completed by the general ones."""
        return self._table(self.blocks.premelee.modifiers, "premelee", general=True, attack=True)

    @cached_property
    def carre_modifiers(self) -> ModifierTable:
        """Modifiers of the carré table (D12.1)."""
        return self._table(self.blocks.carre.modifiers, "carre")

    @cached_property
    def recall_modifiers(self) -> ModifierTable:
        """Modifiers of the recall die (D13)."""
        return self._table(self.blocks.recall.modifiers, "recall")

    def lines_by_level(self, chart: str, attribute: str) -> list[tuple[str, list[int], str]]:
        """The lines of a chart's modifiers that go by a level: label, what levels 1 to 3 add, source."""
        blocks = self.blocks
        tables = {
            "morale": blocks.morale.modifiers,
            "stand": blocks.stand.modifiers,
            "premelee": blocks.premelee.modifiers,
            "carre": blocks.carre.modifiers,
            "recall": blocks.recall.modifiers,
        }
        return [
            (row.label, [(row.values or {}).get(number, 0) for number in (1, 2, 3)], row.source or "")
            for row in tables[chart]
            if row.of == attribute
        ]

    @cached_property
    def counts_fire_losses(self) -> bool:
        """Whether any line asks for the losses by fire in this half; if none does, they are not kept
        apart."""
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
        asked += [name for one in self.barred for name, _, _ in one.when]
        return any(name is not None and name.endswith(".fire_losses") for name in asked)

    @cached_property
    def multipliers(self) -> tuple[Multiplier, ...]:
        """Factors of melee values (C10)."""
        found = ((row, decided(row.when, self.switches, "melee")) for row in self.blocks.melee.multipliers)
        return tuple(
            Multiplier(row.key, row.label, row.side, row.value, when, row.source or "")
            for row, when in found
            if when is not None
        )

    # -- charts -------------------------------------------------------------------------------

    @cached_property
    def morale_chart(self) -> Chart:
        """Fail or pass by printed morale (column, an index): strictly greater passes (C1)."""
        values = (np.arange(ladder.STEPS) > np.arange(ladder.STEPS)[:, None]).astype(np.int16)
        return Chart("morale", values, ("fail", "pass"))

    @cached_property
    def ladder_chart(self) -> Chart:
        """The roll itself, as an index 0..35: for several units that compare one roll with their morale."""
        return Chart("morale", np.arange(ladder.STEPS, dtype=np.int16)[None], tuple(ladder.FACES))

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

    @cached_property
    def carre_points(self) -> NDArray[np.bool_]:
        """Whether a carré row's distance is in movement points rather than hexes, shape (rows,)
        (0-decisions 5.6)."""
        unit = self.switches["carre_distance"]
        return np.array([(row.unit if unit == "row" else unit) == "points" for row in self.carre_rows], bool)

    @cached_property
    def barred(self) -> tuple[Refusal, ...]:
        """Who may not try a carré."""
        return self._barred(self.blocks.carre.barred, "carre")

    def _barred(self, rows: Sequence[Bar], check: str, source: str = "") -> tuple[Refusal, ...]:
        found = ((row, decided(row.when, self.switches, check)) for row in rows)
        return tuple(
            Refusal(row.label, when, row.source or source) for row, when in found if when is not None
        )

    @cached_property
    def recovery_losses(self) -> tuple[RecoveryLoss, ...]:
        """What a failed recovery costs (C7)."""
        found = (
            (row, decided(row.when, self.switches, "recovery")) for row in self.blocks.morale.recovery_losses
        )
        return tuple(
            RecoveryLoss(row.lose, row.label, when, row.source or "")
            for row, when in found
            if when is not None
        )

    def charges_not(self, nation: str, kind: str | None) -> tuple[Refusal, ...]:
        """Charges that a type of cavalry may not make (D10.3), tested against facts about the target and the
        hexside."""
        troop = self.ruleset.troop(nation, kind)
        return (
            self._barred(troop.charges_not, "charge", troop.source or "") if isinstance(troop, Horse) else ()
        )

    def under_fire(self, nation: str, kind: str | None) -> tuple[str, str]:
        """What fire does to a type of cavalry (D10.3): with a loss `rout`, without one `check`; `""` is the
        ordinary check by losses."""
        troop = self.ruleset.troop(nation, kind)
        rule = troop.under_fire if isinstance(troop, Horse) else None
        return (rule.loss or "", rule.no_loss or "") if rule else ("", "")

    @cached_property
    def recall_chart(self) -> Chart:
        """Not recalled or recalled; the column is the number needed, 0..7, on one die."""
        values = (np.arange(1, 7) >= np.arange(8)[:, None]).astype(np.int16)
        return Chart("recall", values, ("not recalled", "recalled"))

    @cached_property
    def limber_chart(self) -> Chart:
        """Limbered or not; the column is the number needed, 0..7, on one die (B5.2)."""
        return Chart("limber", self.recall_chart.values, ("not limbered", "limbered"))

    def recall_row(self, nation: str, kind: str | None, light: bool, name: str | None = None) -> RecallRow:
        """The most particular recall row that fits: one naming the type, then the class, then the nation
        alone.

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
                f"--cavalry must be a row of the recall chart of {self.ruleset.name} "
                f"({', '.join(names)}), got {name!r}.{did_you_mean(name, names)}"
            )
        fitting = self._recall_row(nation, kind, light)
        if fitting is None:
            raise UnknownNameError(
                f"the recall chart of {self.ruleset.name} has no row for {nation} "
                f"{'light' if light else 'heavy'} cavalry"
            )
        return fitting

    def _recall_row(self, nation: str, kind: str | None, light: bool) -> RecallRow | None:
        fitting = [
            row
            for row in self.blocks.recall.rows
            if nation in row.nations
            and (row.types is None or kind in row.types)
            and (row.class_ is None or row.class_ == ("light" if light else "heavy"))
        ]
        return max(
            fitting,
            key=lambda row: 2 * int(row.types is not None) + int(row.class_ is not None),
            default=None,
        )

    @cached_property
    def fire_columns(self) -> tuple[str, ...]:
        """Names of the fire table's columns, worst odds first."""
        return tuple(sorted(self.blocks.fire.table, key=lambda name: Fraction(*ratio_of(name))))

    @cached_property
    def gun_shares(self) -> Ratio:
        """Share of its fire that a battery has at each range, shape (hexes + 2,): 0 at none and beyond the
        last."""
        return _shares(self.blocks.fire.guns.bands)

    @cached_property
    def skirmish_shares(self) -> Ratio:
        """The same of skirmishers, in offensive fire."""
        return _shares(self.blocks.fire.skirmish_range.bands)

    @cached_property
    def fire_chart(self) -> Chart:
        """Increments lost (B2.8); columns 0..c-1 without, c..2c-1 with a leader in the target hex whom
        natural rolls may hit."""
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
        return self.blocks.melee.columns

    @cached_property
    def melee_chart(self) -> Chart:
        """Melee table (C12); columns come four times: no leader, attackers', defenders', both.

        The natural part is 1 when the attackers' leader is hit, 2 when the defenders' is.
        """
        melee, columns = self.blocks.melee, self.melee_columns
        names = [list(melee.table[face]) for face in ladder.FACES]
        for cell in melee.cells:
            names[ladder.index_of(cell.roll)][columns.index(cell.column)] = cell.result
        names = [["none" if cell == "." else cell for cell in row] for row in names]
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
    def melee_results(self) -> MeleeResults:
        """The outcomes of the melee chart taken apart."""
        return compiled.melee_results(self.melee_chart.outcomes)

    @cached_property
    def matrix(self) -> MatrixTable:
        """The matrix of melee results under the switches."""
        return compiled.matrix_table(self.blocks.matrix, self.switches)

    @cached_property
    def premelee_defence(self) -> NDArray[np.int64]:
        """What each pre-melee column adds to the defenders' dice, shape (columns,)."""
        return np.array([self.blocks.premelee.columns[name].defence for name in self.premelee_columns])

    @cached_property
    def premelee_attack(self) -> NDArray[np.int64]:
        """What each pre-melee column adds to the attackers' dice, shape (columns,)."""
        return np.array([self.blocks.premelee.columns[name].attack for name in self.premelee_columns])

    @cached_property
    def elite(self) -> NDArray[np.int64]:
        """What each increment lost to the fire of a unit of a printed morale adds to the other side's dice,
        shape (36,): 0 of those that are no elite, and where the battle has no such rule."""
        found, elite = np.zeros(ladder.STEPS, np.int64), self.blocks.premelee.elite
        for span, each in elite.rows.items() if elite else ():
            found[ladder.parse_range(span)] = each
        return found

    @cached_property
    def lance_counter(self) -> bool:
        """Whether the lance counts in a countercharge too."""
        return self.switches["lance"] == "counter"

    @cached_property
    def lance_factor(self) -> NDArray[np.int64]:
        """What the printed lance bonus is multiplied by, shape (formations,) (rule 35)."""
        lance = self.blocks.melee.lance
        factors = lance.counter if self.lance_counter else lance.assault
        return np.where(np.arange(len(FORMATIONS)) == LINE, factors.line, factors.column)

    @cached_property
    def fire_caps(self) -> NDArray[np.int64]:
        """The most increments of a hex that fire, shape (formations,); `UNCAPPED` for those that fire by
        their printed value."""
        caps = np.full(len(FORMATIONS), UNCAPPED, np.int64)
        given = self.blocks.fire.caps
        caps[[LINE, SKIRMISH, SQUARE]] = given.line, given.skirmish, given.square
        return caps

    @cached_property
    def leader_charts(self) -> tuple[Chart, Chart]:
        """What becomes of a leader who is hit, in melee (six faces) and by fire (five: one result is rolled
        again).

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

    @cached_property
    def leader_wounds(self) -> dict[str, Chart]:
        """What becomes of a leader of a battle, by the name of the chart of `leader_charts` in whose place it
        stands: fit, killed, captured, or out for the hours of one die, of two."""
        rules = self.blocks.leaders
        fates = {"flesh wound": 0, "killed": 1, "captured": 2}
        die = {face: fates.get(fate, 2 + rules.hours[face]) for face, fate in rules.die.items()}
        outcomes = ("fit", "killed", "captured", "out for hours of one die", "out for hours of two dice")
        found = {}
        for chart, rolled_again in zip(self.leader_charts, ((), rules.fire.roll_again), strict=True):
            row = [die[face] for face in range(1, 7) if face not in rolled_again]
            found[chart.name] = Chart(chart.name, np.array([row], np.int16), outcomes)
        return found

    @cached_property
    def leader_hours(self) -> dict[int, Chart]:
        """Hours that a wounded leader is out, by the number of dice."""
        two = [divmod(face, 10) for face in ladder.FACES]
        sums = np.array([[tens + ones - 2 for tens, ones in two]], np.int16)
        return {
            1: Chart("hours", np.arange(6, dtype=np.int16)[None], tuple(range(1, 7))),
            2: Chart("hours", sums, tuple(range(2, 13))),
        }

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
        if formation == "general order":
            return "light cavalry column"  # heavy cavalry's too: LZ fb154
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
    def terrains(self) -> tuple[str, ...]:
        """Names of the terrains, by number."""
        return tuple(self.blocks.terrain.rows)

    @cached_property
    def fire_defence(self) -> FireDefence:
        """The fire-defence chart."""
        return compiled.fire_defence(self.blocks.fire.defence, self.terrains)

    # -- movement -----------------------------------------------------------------------------

    @cached_property
    def formation_after(self) -> NDArray[np.int16]:
        """The formation in which a unit stands in a terrain that it enters, -1 where it may not be there; by
        arm, formation and number of the terrain."""
        return compiled.formation_after(self.blocks.terrain.rows, self.fire_defence.general_order)

    @cached_property
    def stack_limits(self) -> NDArray[np.int16]:
        """The stacking limits by number of the terrain, as `compiled.stack_limits` gives them."""
        return compiled.stack_limits(self.blocks.stacking.rows, self.terrains)

    @cached_property
    def road_halves(self) -> NDArray[np.int16]:
        """Half points to enter a hex along a road in road march, by number of the terrain."""
        road = self.blocks.movement.road.points
        rows = self.blocks.terrain.rows.values()
        points = [2 * (road if row.road_march is None else row.road_march) for row in rows]
        return np.array([round(one) for one in points], np.int16)

    def limber_row(self, nation: str, class_: str) -> LimberRow | None:
        """The row of the limber chart for batteries of a nation and class, None where there is none."""
        fits = (row for row in self.blocks.limber.rows if nation in row.nations and row.class_ == class_)
        return next(fits, None)

    def defence(self, terrain: str, shape: str, nation: str = "") -> tuple[int, str]:
        """Fire defence of a shape (one of `SHAPES`) in a terrain, and its source."""
        chart = self.fire_defence
        place = chart.classes.get(nation, 0), self.terrains.index(terrain), SHAPES.index(shape)
        return int(chart.value[place]), chart.sources[chart.source[place]]

    # -- a roster -------------------------------------------------------------------------------

    def _skirmish_shares(self, troops: Sequence[Foot | Horse | None]) -> Ratio:
        """Shares of fire by range of the skirmishers of each unit, shape (units, hexes)."""
        usual = self.blocks.fire.skirmish_range.bands
        own = [(isinstance(troop, Foot) and troop.skirmish_range) or usual for troop in troops]
        rows = [_shares(bands) for bands in own]
        longest = max((len(row.num) for row in rows), default=1)
        num, den = np.zeros((len(rows), longest), np.int64), np.ones((len(rows), longest), np.int64)
        for u, row in enumerate(rows):
            num[u, : len(row.num)], den[u, : len(row.den)] = row.num, row.den
        return Ratio(num, den)

    def roster(self, nations: Sequence[str], types: Sequence[str | None], kinds: Sequence[int]) -> Roster:
        """What the rule set says of each unit of a roster.

        Parameters
        ----------
        nations, types, kinds
            By unit; kinds as in `vocabulary.Kind`.
        """
        units = list(zip(nations, types, kinds, strict=True))
        horse = (Kind.LIGHT_CAVALRY, Kind.HEAVY_CAVALRY)
        recall = tuple(
            self._recall_row(nation, kind, size == Kind.LIGHT_CAVALRY) if size in horse else None
            for nation, kind, size in units
        )
        carre = [[self.carre_row(nation, name) for name in FORMATIONS] for nation in nations]
        fire = [self.under_fire(nation, kind) for nation, kind, _ in units]
        refusals: dict[Refusal, NDArray[np.bool_]] = {}
        for u, (nation, kind, _) in enumerate(units):
            for refusal in self.charges_not(nation, kind):
                refusals.setdefault(refusal, np.zeros(len(units), bool))[u] = True
        troops = tuple(self.ruleset.troop(nation, kind) for nation, kind, _ in units)
        return Roster(
            troops=troops,
            skirmish_shares=self._skirmish_shares(troops),
            carre_row=np.array([[-1 if row is None else row for row in rows] for rows in carre], np.int16),
            defence_class=np.array([self.fire_defence.classes.get(one, 0) for one in nations], np.int16),
            recall_rows=recall,
            recall_needs=np.array([-1 if row is None else row.needs for row in recall], np.int16),
            routs_on_loss=np.array([loss == "rout" for loss, _ in fire], bool),
            checks_without_loss=np.array([no_loss == "check" for _, no_loss in fire], bool),
            checks_first=np.isin(nations, self.blocks.charge.check_nations),
            refusals=tuple(refusals.items()),
        )


def _modifier(row: Line, when: When, check: str) -> Modifier:
    """A line as a check applies it: of the pre-melee table's two numbers the defenders'."""
    single = row.defence if check == "premelee" and row.defence is not None else row.value
    values = ((0, single or 0),) if row.values is None else tuple(row.values.items())
    return Modifier(
        row.key,
        row.label,
        values,
        row.of,
        when,
        row.source or "",
        row.per,
        row.cancels or (),
        row.no_check,
    )


def _speaks_of_target(when: When) -> bool:
    return any(condition.attribute.startswith("target.") for condition in when)


def _about_target(row: Line) -> Line:
    """A line of the attackers' dice; what it says of the defender is named so."""
    return row.changed(label=f"defender {row.label}") if _speaks_of_target(row.when) else row


def _attackers_modifier(row: Line, when: When, check: str) -> Modifier:
    """A line of the pre-melee table as the attackers' check applies it."""
    return _modifier(row.changed(defence=row.attack) if row.attack is not None else row, when, check)


def _shares(bands: Mapping[int, Fraction]) -> Ratio:
    """Shares of fire by range, from those of bands that each reach to a number of hexes."""
    found = [Fraction(0)]
    for hexes in sorted(bands):
        found += [bands[hexes]] * (hexes + 1 - len(found))
    found.append(Fraction(0))
    return Ratio.made([one.numerator for one in found], [one.denominator for one in found])


def rulebook(ruleset: RuleSet, switches: Mapping[str, Setting]) -> Rulebook:
    """The rulebook of a rule set under switches, compiled once."""
    key = (ruleset.digest, tuple(sorted((name, str(value)) for name, value in switches.items())))
    if key not in _books:
        if len(_books) > 256:
            _books.clear()
        _books[key] = Rulebook(ruleset, switches)
    return _books[key]


_books: dict[tuple[str, tuple[tuple[str, str], ...]], Rulebook] = {}
