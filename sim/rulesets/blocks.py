"""What a loaded rule set is made of: its blocks as frozen objects, every value checked and converted.

The fields of `fields` build them: fractions, ranges of rolls as indices of the ladder, tuples. An attribute
is called as the key of the file is; where that is a word of Python's an underscore follows. Blocks whose keys
are free names hold them in `rows`.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Generic, TypeVar

from sim.inputs.fields import Built
from sim.rulesets.conditions import Setting, When
from sim.vocabulary import DISORDERED, ELIMINATED, ROUTED, SURRENDERED

T = TypeVar("T")


class Rows(Built, Generic[T]):
    """A block of entries under free names."""

    rows: Mapping[str, T]
    source: str | None


class Line(Built):
    """A line of a modifier table; of what it adds only one form is given, None is not that form.

    Attributes
    ----------
    when
        Conditions, those on switches and on the kind of check still among them.
    value, attack, defence
        What it adds; the latter two in the pre-melee table.
    values, of
        What it adds by a number, and the number's name.
    per
        The number that the value is multiplied by.
    cancels
        Lines that it takes back: `minus`, `plus`, or their keys.
    replaces
        Key of the general morale modifier that it stands for.
    no_check
        Whether who meets the conditions makes no check.
    """

    key: str
    label: str
    when: When
    source: str | None
    value: int | None = None
    attack: int | None = None
    defence: int | None = None
    values: Mapping[int, int] | None = None
    of: str | None = None
    per: str | None = None
    cancels: str | tuple[str, ...] | None = None
    replaces: str | None = None
    no_check: bool = False


class Bar(Built):
    """What may not be done, and when: a carré that is barred, a charge that a type of cavalry does not
    make."""

    label: str
    when: When
    source: str | None


class Weary(Built):
    """What a failed recovery costs, in increments, and when."""

    label: str
    when: When
    lose: int
    source: str | None


class Factor(Built):
    """A factor of melee values: on the attackers' side, the defenders' or both."""

    key: str
    label: str
    side: str
    value: Fraction
    when: When
    source: str | None


class ChargeRules(Built):
    """`charge`: movement points, hexes and increments."""

    bonus_movement: int
    straight_hexes: int
    light_from: int
    trample_points: int
    min_carre_increments: int
    line_increments: int
    check_nations: tuple[str, ...]


class RetreatRules(Built):
    """`retreat`: movement points of a retreat, hexes of a rout, and how far off every enemy is where routed
    units run no more."""

    disordered: int
    rout: int
    safe: int


class Facing(Built):
    """An entry of `orientation`: whether a side or a corner is faced, and the zones by the turn away from
    it."""

    faces: str
    zones: tuple[str, ...]


class Hexside(Built):
    """A hexside: points added for crossing it, None where an arm may not, and whether a charge may.

    Attributes
    ----------
    formations
        By arm, the only formations that may cross; an arm that is not named may in any that the ground
        beyond allows.
    """

    infantry: int | None
    cavalry: int | None
    artillery: int | None
    charge: bool
    formations: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    source: str | None = None


class Terrain(Hexside):
    """A terrain: points to enter it, and whether it blocks sight.

    Attributes
    ----------
    formations
        By arm, the only formations that may be in it.
    road_march
        Points to enter it along a road in road march; None: what a road costs.
    """

    blocks: bool
    road_march: Fraction | None = None


class Allowance(Built):
    """What formation and state do to the printed movement, in points."""

    line: int
    square: int
    masse: int
    disordered: Fraction
    source: str | None


class Changes(Built):
    """Points of a change of formation by arm, into a line of two hexes, into or out of general order, and of
    a turn by one hexside."""

    infantry: int
    cavalry: int
    artillery: int
    two_hexes: int
    general_order: int
    facing: int
    source: str | None


class Road(Built):
    """Road march: points for a hex entered along a road, whether hexsides add to them, and the increments
    that a hex holds."""

    points: Fraction
    hexsides: bool
    increments: int
    source: str | None


class SkirmishHorse(Built):
    """Points that cavalry in skirmish order costs enemy infantry which enters or leaves a hex beside it, or
    two hexes off."""

    beside: int
    near: int
    source: str | None


class ForceMarch(Built):
    """A force march: the factor of the printed movement, what the check adds to the dice, at first and for
    each turn that follows on another, and what every other check adds in that turn."""

    factor: int
    check: int
    further: int
    other_checks: int
    source: str | None


class EntryRules(Built):
    """How far to either side reinforcements may come whose hexes are blocked, and how much farther each turn
    of waiting."""

    spread: int
    source: str | None


class MovementRules(Built):
    """`movement` (rules 18, 44)."""

    allowance: Allowance
    change: Changes
    road: Road
    skirmish_horse: SkirmishHorse
    force_march: ForceMarch
    entry: EntryRules
    source: str | None


class StackLimit(Built):
    """What units of one arm may share a hex.

    Attributes
    ----------
    alone
        One unit up to this size stands there whatever its increments: a battalion, a regiment, a battery.
    increments
        Several, or a greater one, up to so many increments together; None: not at all.
    units
        The most units.
    """

    alone: str | None = None
    increments: int | None = None
    units: int | None = None


class StackTogether(Built):
    """Infantry and batteries in one hex: one unit up to a size or so many increments, with so many batteries
    and increments of guns."""

    alone: str | None = None
    increments: int | None = None
    batteries: int
    guns: int | None = None


class StackRow(Built):
    """What a terrain holds, None for nobody."""

    infantry: StackLimit | None
    cavalry: StackLimit | None
    artillery: StackLimit | None
    together: StackTogether | None
    source: str | None


class LimberRow(Built):
    """Batteries of some nations and one class, and the die that they need to limber."""

    name: str
    nations: tuple[str, ...]
    class_: str
    needs: int
    source: str | None


class LimberRules(Built):
    """`limber`: rows; what a leader with an artillery bonus, one of special ability and leaders by name add
    to the die."""

    rows: tuple[LimberRow, ...]
    leader: int
    special: int
    leaders: Mapping[str, int]
    source: str | None


class Sight(Built):
    """`sight`."""

    slopes_block: bool


class Trigger(Built):
    """Cumulative losses that call for a check: the first, and every step after it."""

    first: int
    step: int


class LossChecks(Built):
    """Triggers of the arms that have one for all their types."""

    cavalry: Trigger
    artillery: Trigger


class MoraleRules(Built):
    """`morale`: the general modifiers, what losses call for a check, and what a failed recovery costs."""

    modifiers: tuple[Line, ...]
    loss_checks: LossChecks
    recovery_losses: tuple[Weary, ...]


class StandRules(Built):
    """`stand`."""

    modifiers: tuple[Line, ...]


class LeaderFire(Built):
    """The natural rolls of a fire attack that hit a leader, and the faces of his die that are rolled
    again."""

    natural: range
    roll_again: tuple[int, ...]


class LeaderMelee(Built):
    """The natural rolls of a melee that hit a leader, by side."""

    attacker: range
    defender: range


class LeaderRules(Built):
    """`leaders`: what hits one, his fate by the face of a die, and the dice whose sum is the hours that he is
    out if he is wounded."""

    fire: LeaderFire
    melee: LeaderMelee
    die: Mapping[int, str]
    hours: Mapping[int, int]


class Massed(Built):
    """What a crowded target adds to the fire dice: so much for each increment above a number."""

    above: int
    each: int
    source: str


class Caps(Built):
    """The most increments of a hex that fire, by formation."""

    line: int
    skirmish: int
    square: int
    source: str | None


class Range(Built):
    """The share of its fire that a battery, or skirmishers in offensive fire, have: each up to so many
    hexes."""

    bands: Mapping[int, Fraction]
    source: str | None


class Combine(Built):
    """The artillery bonus of the leader by whom the guns of two hexes, of three hexes fire together, and the
    nations whose guns never do."""

    two: int
    three: int
    never: tuple[str, ...]
    source: str | None


class FireSources(Built):
    """Where the single numbers of the fire block come from."""

    canister_shift: str | None = None
    square_divisor: str | None = None
    on_top_divisor: str | None = None
    masse_on_top: str | None = None
    with_guns: str | None = None
    flank: str | None = None


class DefenceRow(Built):
    """A terrain's row of the fire-defence chart: by formation or state, None where it says nothing."""

    rows: Mapping[str, int | None]
    source: str | None


class NationDefence(DefenceRow):
    """A row of some nations alone."""

    nations: tuple[str, ...]
    terrain: str


class DefenceChart(Built):
    """The fire-defence chart, by terrain."""

    rows: Mapping[str, DefenceRow]
    by_nation: tuple[NationDefence, ...]
    source: str | None


class FireRules(Built):
    """`fire`; the table gives, by odds, the rolls of each number of increments lost."""

    table: Mapping[str, Mapping[int, range]]
    canister_shift: int
    guns: Range
    skirmish_range: Range
    combine: Combine
    massed: Massed
    caps: Caps
    square_divisor: int
    on_top_divisor: int
    masse_on_top: Fraction
    defence: DefenceChart
    line_as_column: int
    with_guns: int
    flank: int
    sources: FireSources


class PremeleeColumn(Built):
    """What odds add to the attackers' and to the defenders' dice."""

    attack: int
    defence: int


class FireLoss(Built):
    """What each increment lost to defensive fire adds to an attacker's dice."""

    each: int
    source: str | None


class Elite(Rows[int]):
    """What each increment lost to the fire of an elite unit adds to the dice of the other side, by ranges of
    its printed morale; and the odds in increments that elite attackers need for it."""

    attack_odds: str | None


class BeforeMelee(Built):
    """Retreat before melee: points by which cavalry and horse guns must be faster, the share of the movement
    that may be spent, and the hexes after which the next move is not barred."""

    advantage: int
    share: Fraction
    free: int
    source: str | None


class PremeleeRules(Built):
    """`premelee`."""

    line: int
    fire_loss: FireLoss
    elite: Elite | None
    before_melee: BeforeMelee
    columns: Mapping[str, PremeleeColumn]
    modifiers: tuple[Line, ...]
    source: str


class LanceFactor(Built):
    """What the printed lance bonus is multiplied by."""

    column: int
    line: int


class Lance(Built):
    """The lance bonus by the switch that says when it counts."""

    assault: LanceFactor
    counter: LanceFactor
    source: str | None


class Cell(Built):
    """A cell of the melee table that a battle overrides."""

    column: str
    roll: int
    result: str
    source: str | None


class MeleeRules(Built):
    """`melee`; the table gives, by roll, the result of each column."""

    columns: tuple[str, ...]
    below: Rows[int]
    table: Mapping[int, tuple[str, ...]]
    cells: tuple[Cell, ...]
    lance: Lance
    multipliers: tuple[Factor, ...]


class Part(Built):
    """What an effect of the matrix does to the units of one side.

    Attributes
    ----------
    becomes
        State or removal: disordered, routed, surrendered, eliminated.
    retreat
        Hexes.
    zone_loss
        Increments for each enemy zone left.
    lose
        Increments.
    check, square_check
        What is added to the dice of the check that follows, None if there is none.
    square_dd
        Whether the switch of the same name says what becomes of a square.
    """

    becomes: str | None = None
    retreat: int = 0
    zone_loss: int = 0
    lose: int = 0
    check: int | None = None
    square_check: int | None = None
    square_dd: bool = False

    @property
    def state(self) -> int | None:
        """The state it leads to, None if it leads to none."""
        return {"disordered": DISORDERED, "routed": ROUTED}.get(self.becomes or "")

    @property
    def removal(self) -> int | None:
        """The reason for which it removes, None if it does not."""
        return {"surrendered": SURRENDERED, "eliminated": ELIMINATED}.get(self.becomes or "")


class Parts(Built):
    """An effect's part of one side, by arm."""

    any: Part | None = None
    infantry: Part | None = None
    cavalry: Part | None = None


class Effect(Built):
    """An effect of the matrix, by side."""

    attacker: Parts | None = None
    defender: Parts | None = None


class Matrix(Built):
    """`matrix`: the effect of each column, by the defender's row."""

    columns: tuple[str, ...]
    rows: Mapping[str, tuple[str, ...]]
    effects: Mapping[str, Effect]
    source: str


class CarreRow(Built):
    """A row of the carré table: nations and a formation, the unit of its distance, and by distance the rolls
    of each outcome."""

    name: str
    nations: tuple[str, ...]
    formation: str
    unit: str
    cells: Mapping[int, Mapping[str, range]]
    source: str | None


class CarreRules(Built):
    """`carre`."""

    rows: tuple[CarreRow, ...]
    barred: tuple[Bar, ...]
    modifiers: tuple[Line, ...]
    source: str | None


class RecallRow(Built):
    """A row of the recall chart: cavalry of some nations, perhaps of some types or of one class, and the die
    it needs."""

    name: str
    nations: tuple[str, ...]
    types: tuple[str, ...] | None
    class_: str | None
    needs: int
    source: str | None


class RecallRules(Built):
    """`recall`."""

    rows: tuple[RecallRow, ...]
    modifiers: tuple[Line, ...]


class Foot(Built):
    """A type of infantry: fire multiples, None for a formation that it does not take, ranges of its
    skirmishers, None for the usual ones, and what losses call for a check."""

    line: Fraction | None
    square: Fraction | None
    skirmish: Fraction | None
    skirmish_range: Mapping[int, Fraction] | None
    losses: Trigger
    source: str | None


class UnderFire(Built):
    """What fire does to a type of cavalry, with a loss and without one."""

    loss: str | None
    no_loss: str | None


class Horse(Built):
    """A type of cavalry."""

    charges_not: tuple[Bar, ...]
    under_fire: UnderFire | None
    source: str | None


class Switch(Built):
    """A switch: the values it may take, and the one it has unless an edition says otherwise."""

    label: str
    values: tuple[Setting, ...]
    default: Setting
    source: str | None


class Blocks(Built):
    """The blocks of a rule set. Of one that is only to be extended some may be missing; such are None.

    Attributes
    ----------
    edition
        None where the file names none.
    editions
        What each edition changes of the switches.
    set_
        What the battle changes of them, whatever the edition.
    """

    ruleset: str
    title: str
    year: int | None
    version: int
    edition: int | None
    partial: bool
    switches: Mapping[str, Switch]
    editions: Mapping[int, Mapping[str, Setting]]
    set_: Mapping[str, Setting] | None
    charge: ChargeRules
    orientation: Mapping[str, Facing]
    retreat: RetreatRules
    terrain: Rows[Terrain]
    hexsides: Rows[Hexside]
    movement: MovementRules
    stacking: Rows[StackRow]
    limber: LimberRules
    sight: Sight
    morale: MoraleRules
    stand: StandRules
    leaders: LeaderRules
    fire: FireRules
    premelee: PremeleeRules
    melee: MeleeRules
    matrix: Matrix
    carre: CarreRules
    recall: RecallRules
    troops: Rows[Mapping[str, Foot | Horse]]
    nations: Mapping[str, str]
    levels: Rows[tuple[int, ...]] | None
