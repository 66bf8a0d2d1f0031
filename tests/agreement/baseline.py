"""One charge, one run, plain Python: the slow and obvious play of `docs/charge.md`.

It is written from that page and the rule sets alone and shares no code with the engine that plays many
runs at once, so that the two can be compared run by run. One SimPy environment a run; every unit is a
process that waits for its turn in each segment. Section numbers in the docstrings are those of the page.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

import simpy

from sim import ladder
from sim.charges import Charge, Leader, Unit
from sim.rulesets import RuleSet

Hex = tuple[int, int]
T = TypeVar("T", bound=Hashable)
Roll = Callable[[str, Sequence[Hashable]], int]

SEGMENTS = ("charge", "movement", "defensive-fire", "offensive-fire", "melee", "recovery")
DIRECTIONS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
PLACES = {"front": 3, "front-left": 2, "rear-left": 1, "rear": 0, "rear-right": 5, "front-right": 4}
HOME = {"charger": 3, "target": 0}
OTHER = {"charger": "target", "target": "charger"}
TARGET_HEX: Hex = (0, 0)
CONTACT_HEX: Hex = (-1, 0)
CARRE_CAP = 4
FIRE_DIE = (1, 2, 3, 4, 6)

NOT_INFANTRY = "not infantry"
IN_SKIRMISH_ORDER = "in skirmish order"
ALREADY_IN_SQUARE = "already in square"
IN_GENERAL_ORDER = "in general order"
IS_A_MASSE = "a Masse"
NOT_IN_GOOD_ORDER = "not in good order"
NO_CARRE_ROW = "no carré row for its nation and formation"
BARRED = "barred by the rule set"
NO_CARRE = "its troop type has no carré"
TOO_FEW = "too few increments"
OUT_OF_RANGE = "out of range"
OUT_OF_SIGHT = "not in sight through a front side"


@dataclass
class Record:
    """How one run ended.

    Attributes
    ----------
    units
        By id: state (good, disordered, routed, or why it is gone), increments, formation, hex (None if gone), readiness.
    worst
        Worst state of the charging stack: good, routed or gone.
    attempt
        Result of the target hex's carré attempt, None if none was made; `refused` says why none could be made.
    losses
        Increments lost by side; a unit that is gone has lost all it had.
    decisions
        Names of the rolls in the order in which they were asked.
    """

    units: dict[str, tuple[str, int, str, Hex | None, str]]
    worst: str
    recovered: bool
    success: bool
    clean: bool
    bounced: bool
    losses: dict[str, int]
    attempt: str | None
    refused: str | None
    spent: int
    decisions: list[str]
    log: list[str] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Piece:
    """A unit in play: its card and what changes. `side` is charger (phasing) or target."""

    card: Unit
    side: str
    state: str
    formation: str
    increments: int
    readiness: str
    response: str
    at: Hex | None = None
    facing: int = 0
    gone: str | None = None
    sheltered: bool = False
    silent: bool = False
    rout_due: bool = False
    unmanned: bool = False

    @property
    def id(self) -> str:
        return self.card.id

    @property
    def arm(self) -> str:
        return self.card.arm

    @property
    def unlimbered(self) -> bool:
        return self.formation == "unlimbered"


@dataclass(slots=True)
class Ride:
    """Where a charge is: the hex, where it comes from, what it has spent, who rides, top first; a pursuit makes seek steps, over no squares."""

    at: Hex
    direction: int
    planned: int
    steps: int
    spent: int
    formation: str
    regiments: list[Piece]
    pursuing: bool = False

    @property
    def lead(self) -> Piece:
        return self.regiments[0]


@dataclass(slots=True)
class Move:
    """A step of the march, or several over squares: hexes, the cost of each, change of formation, planned turns it uses up."""

    hexes: list[Hex]
    direction: int
    costs: list[int]
    change: str | None
    planned: int
    turn: int


def play(charge: Charge, response: str, roll: Roll, log: bool = False) -> Record:
    """Play one charge once.

    Parameters
    ----------
    charge
        The charge; every choice of its plan is made (square is not `best`).
    response
        What the target does: stand, carre@4 .. carre@1 or react.
    roll
        Called with a decision's name and what each of its 36, 6 or 5 faces leads to, gives the 0-based face: a ladder
        index, a die less 1, or the entry of (1, 2, 3, 4, 6). Two faces that lead to the same end alike.
    log
        Keep short remarks in the record.
    """
    return Run(charge, response, roll, log).record()


# --- hexes (2) -------------------------------------------------------------------------------------------------------


def neighbour(a: Hex, direction: int) -> Hex:
    dq, dr = DIRECTIONS[direction]
    return a[0] + dq, a[1] + dr


def distance(a: Hex, b: Hex) -> int:
    dq, dr = a[0] - b[0], a[1] - b[1]
    return max(abs(dq), abs(dr), abs(dq + dr))


def direction_to(a: Hex, b: Hex) -> int:
    """The direction of an adjacent hex."""
    return DIRECTIONS.index((b[0] - a[0], b[1] - a[1]))


def turn_between(old: int, new: int) -> int:
    """Hexsides turned, clockwise positive, -2..3."""
    turn = (new - old) % 6
    return turn if turn <= 3 else turn - 6


def line_between(a: Hex, b: Hex, nudge: int) -> list[Hex]:
    """The hexes from a to b, both included, on the line nudged to one side (+1 or -1)."""
    n = distance(a, b)
    start = (a[0] + nudge * 1e-6, a[1] + nudge * 2e-6, -a[0] - a[1] - nudge * 3e-6)
    end = (b[0] + nudge * 1e-6, b[1] + nudge * 2e-6, -b[0] - b[1] - nudge * 3e-6)
    middle = [rounded(tuple(s + (e - s) * i / n for s, e in zip(start, end, strict=True))) for i in range(1, n)]
    return [a, *middle, b]


def rounded(cube: tuple[float, ...]) -> Hex:
    q, r, s = (round(part) for part in cube)
    dq, dr, ds = abs(q - cube[0]), abs(r - cube[1]), abs(s - cube[2])
    if dq > dr and dq > ds:
        q = -r - s
    elif dr > ds:
        r = -q - s
    return q, r


# --- charts ----------------------------------------------------------------------------------------------------------


def ratio(text: str) -> Fraction:
    """`"1:2.5"` as a fraction."""
    high, low = text.split(":")
    return Fraction(high) / Fraction(low)


def spread(ranges: dict[Any, Any]) -> list[Any]:
    """Outcome by ladder index from outcome: range."""
    faces: list[Any] = [None] * ladder.STEPS
    for outcome, text in ranges.items():
        for index in ladder.parse_range(text):
            faces[index] = outcome
    return faces


@dataclass(frozen=True)
class Charts:
    """A rule set's tables, read once."""

    fire: list[tuple[Fraction, list[int]]]
    melee: list[tuple[Fraction, list[str]]]
    premelee: list[tuple[Fraction, dict[str, int]]]
    carre: list[tuple[dict[str, Any], dict[int, list[str]]]]


@cache
def charts(rules: RuleSet) -> Charts:
    """The tables of a rule set, columns from worst to best odds."""
    data = rules.data
    fire = sorted((ratio(name), spread(row)) for name, row in data["fire"]["table"].items())
    melee = data["melee"]
    columns: dict[str, list[str]] = {name: [] for name in melee["columns"]}
    for face in sorted(melee["table"], key=ladder.index_of):
        for name, cell in zip(melee["columns"], melee["table"][face], strict=True):
            columns[name].append(str(cell))
    for cell in melee["cells"]:
        for index in ladder.parse_range(cell["roll"]):
            columns[cell["column"]][index] = str(cell["result"])
    premelee = sorted(((ratio(name), row) for name, row in data["premelee"]["columns"].items()), key=lambda one: one[0])
    carre = [(row, {d: spread(cell) for d, cell in row["cells"].items()}) for row in data["carre"]["rows"]]
    return Charts(fire, sorted((ratio(name), cells) for name, cells in columns.items()), premelee, carre)


def column_at(columns: Sequence[tuple[Fraction, Any]], odds: Fraction) -> int:
    """The largest column not above the odds; -1 below the lowest."""
    return max((i for i, (value, _) in enumerate(columns) if value <= odds), default=-1)


# --- the run ---------------------------------------------------------------------------------------------------------


class Run:
    """One run of one charge. It is over when it has been made; `record` tells how it ended."""

    def __init__(self, charge: Charge, response: str, roll: Roll, log: bool) -> None:
        self.charge, self.rules, self.switches, self.plan = charge, charge.ruleset, charge.switches, charge.plan
        self.data = charge.ruleset.data
        self.charts = charts(charge.ruleset)
        self.roll, self.logging = roll, log
        self.log: list[str] = []
        self.segment = "charge"
        self.decisions: list[str] = []
        self.times: dict[str, int] = {}
        self.response = response

        self.pieces = [
            Piece(unit, self.side_of(unit), unit.state, unit.formation, unit.increments, unit.readiness, unit.response) for unit in charge.units
        ]
        self.by_id = {piece.id: piece for piece in self.pieces}
        self.rank = {piece.id: i for i, piece in enumerate(self.pieces)}
        self.riders = [self.by_id[unit.id] for unit in charge.charger]
        self.target = [self.by_id[unit.id] for unit in charge.target]
        for piece in self.target:
            piece.response = response
        self.leaders: dict[str, Leader | None] = {"charger": charge.charger_leader, "target": charge.target_leader}
        self.leader_stack = {"charger": self.riders, "target": self.target}

        # the march
        self.direction = 0
        self.steps = self.planned = self.spent = self.straight = 0
        self.riding = list(self.riders)
        self.left_behind: dict[str, int] = {}
        self.over = self.charged = False
        self.touched: set[str] = set()
        self.riding_over = self.pressing = self.away = False
        self.planned_turns: tuple[int, ...] = charge.path
        self.choice: str | None = None
        self.second: Piece | None = None
        self.ridden_over: set[Hex] = set()
        self.abandoned_hex: Hex | None = None
        self.came_from: dict[str, Hex] = {}
        self.declared: set[str] = set()
        self.passed: set[str] = set()
        # reaction and carré
        self.asked_to_react: set[str] = set()
        self.reacting: dict[str, int] = {}
        self.met: Piece | None = None
        self.counter: set[str] = set()
        self.tried: set[str] = set()
        self.formed: set[str] = set()
        self.carre: dict[str, tuple[str, bool]] = {}
        self.attempt: str | None = None
        self.refused: str | None = None
        self.pursued: list[Piece] = []
        # the melee to come
        self.quarry: Piece | None = None
        self.quarry_hex: Hex | None = None
        self.compulsory = self.double = self.chasing = self.unchecked = False
        self.fought: list[Piece] = []
        # what is recorded
        self.ever_routed: set[str] = set()
        self.broken: set[str] = set()
        self.bounced = False
        self.under_fire: dict[str, Hex] = {}
        self.fired: set[str] = set()

        self.set_up()
        self.places = {piece.id: piece.at for piece in self.pieces if piece.at is not None}
        self.env = simpy.Environment()
        self.turns = {(segment, piece.id): self.env.event() for segment in SEGMENTS for piece in self.pieces}
        self.done = {key: self.env.event() for key in self.turns}
        for piece in self.pieces:
            self.env.process(self.life(piece))
        self.env.process(self.half())
        self.env.run()

    @staticmethod
    def side_of(unit: Unit) -> str:
        return "charger" if unit.side == "charger" else "target"

    # --- the half and the units' lives (4) ---

    def half(self) -> Generator[simpy.Event, Any, None]:
        """The chronology: segment by segment, each unit in its order."""
        for segment in SEGMENTS:
            self.segment = segment
            if segment == "defensive-fire":
                self.under_fire = self.hexes_under_fire()
            for piece in sorted(self.pieces, key=lambda one: one.side != "charger") if segment == "recovery" else self.pieces:
                self.turns[segment, piece.id].succeed()
                yield self.done[segment, piece.id]
            self.fate_of_unmanned_guns()

    def fate_of_unmanned_guns(self) -> None:
        """At the end of a segment abandoned guns are taken up again, or lost to an enemy beside them."""
        for gun in self.pieces:
            if not gun.unmanned or gun.gone or gun.at is None:
                continue
            own = self.stack(gun.at, gun.side)
            if any(piece.arm == "infantry" and piece.state == "good" for piece in own):
                gun.unmanned = False
            elif not own and any(distance(gun.at, foe.at) <= 1 for foe in self.alive(OTHER[gun.side]) if foe.at is not None):
                self.remove(gun, "abandoned")

    def life(self, piece: Piece) -> Generator[simpy.Event, Any, None]:
        """A unit's process: what it does, or what is done to it, in each segment."""
        for segment in SEGMENTS:
            yield self.turns[segment, piece.id]
            if segment == "charge" and piece is self.riders[0]:
                self.charge_segment()
            elif segment == "defensive-fire" and piece.id in self.under_fire:
                self.defensive_fire(self.under_fire[piece.id])
            elif segment == "offensive-fire" and piece is self.target[0]:
                self.offensive_fire()
            elif segment == "melee" and piece is self.riders[0]:
                self.melee_segment()
            elif segment == "recovery" and not piece.gone:
                self.recovery(piece)
            self.done[segment, piece.id].succeed()

    # --- rolls and remarks (13) ---

    def note(self, text: str, *values: Any) -> None:
        if self.logging:
            self.log.append(text.format(*values))

    def ask(self, name: str, meanings: Sequence[T], repeatable: bool = False) -> T:
        """The roll of a decision: what the face that came up leads to."""
        whole = f"1.1.{self.segment}/{name}"
        self.times[whole] = times = self.times.get(whole, 0) + 1
        if times > 1:
            if not repeatable:
                raise AssertionError(f"{whole} is asked a second time")
            whole = f"{whole}#{times}"
        self.decisions.append(whole)
        face = self.roll(whole, meanings)
        shown = {ladder.STEPS: ladder.face_of, 6: lambda index: index + 1, 5: lambda index: FIRE_DIE[index]}[len(meanings)](face)
        self.note("{}: {}", whole, shown)
        return meanings[face]

    # --- set-up (1, 2) ---

    def set_up(self) -> None:
        """The map, and where and how everybody stands."""
        charge = self.charge
        turns = charge.path
        directions = [0] * len(turns)
        for k in range(len(turns) - 2, -1, -1):
            directions[k] = (directions[k + 1] - turns[k + 1]) % 6
        self.direction = (directions[0] - turns[0]) % 6 if turns else 0
        self.route = [CONTACT_HEX]
        for direction in reversed(directions):
            self.route.insert(0, neighbour(self.route[0], (direction + 3) % 6))
        self.ground: dict[Hex, str] = {}
        self.hexsides: dict[frozenset[Hex], str] = {}
        for step, terrain, hexside in charge.ground:
            if terrain is not None:
                self.ground[self.route[step]] = terrain
            if hexside is not None:
                self.hexsides[frozenset(self.route[step - 1 : step + 1])] = hexside
        self.ground[TARGET_HEX] = charge.terrain
        if charge.crosses != "none":
            self.hexsides[frozenset((CONTACT_HEX, TARGET_HEX))] = charge.crosses

        for piece in self.riders:
            piece.at, piece.facing = self.route[0], self.facing_along(piece, self.direction)
        facing = self.facing_through(self.target[0], charge.through)
        for piece in self.target:
            piece.at, piece.facing = TARGET_HEX, facing
            self.settle_facing(piece)
        for piece in self.pieces:
            if piece.at is None:
                place = PLACES[str(piece.card.at)]
                piece.at = (DIRECTIONS[place][0] * piece.card.hexes, DIRECTIONS[place][1] * piece.card.hexes)
                if piece.side == "charger":
                    piece.facing = 0 if self.faces(piece) == "side" else 1
                elif self.faces(piece) == "side":
                    piece.facing = 6
                else:
                    piece.facing = 7 if str(piece.card.at).endswith("left") else 5

    def facing_through(self, piece: Piece, wanted: str) -> int:
        """The facing that puts the wanted zone on side 3."""
        faces, zones = self.orientation(piece)
        j = zones.index(wanted)
        return ((6 if faces == "side" else 7) + 2 * j) % 12

    # --- who is where ---

    def alive(self, side: str) -> list[Piece]:
        return [piece for piece in self.pieces if piece.side == side and not piece.gone]

    def stack(self, where: Hex | None, side: str) -> list[Piece]:
        """Units of a side in a hex, top first: sheltered skirmishers are at the bottom; unmanned guns do not count."""
        units = [piece for piece in self.pieces if piece.at == where and piece.side == side and not piece.gone and not piece.unmanned]
        return sorted(units, key=lambda piece: piece.sheltered)

    def in_unit_order(self, pieces: Iterable[Piece]) -> list[Piece]:
        return sorted(pieces, key=lambda piece: self.rank[piece.id])

    @property
    def lead(self) -> Piece | None:
        """The top charger: the first regiment that rides on in good order."""
        return next(iter(self.mounted), None)

    @property
    def here(self) -> Hex:
        lead = self.lead
        assert lead is not None
        assert lead.at is not None
        return lead.at

    @property
    def mounted(self) -> list[Piece]:
        """The regiments that ride on: in good order and not left behind."""
        return [piece for piece in self.riding if not piece.gone and piece.state == "good"]

    @property
    def able(self) -> bool:
        return bool(self.mounted)

    def allowance(self, piece: Piece) -> int:
        """Movement points of a unit in a charge."""
        return piece.card.movement + self.data["charge"]["bonus_movement"]

    def can_pay(self, cost: int) -> bool:
        """Whether any regiment can pay so many points more."""
        return any(self.spent + cost <= self.allowance(piece) for piece in self.mounted)

    def drop_off(self, cost: int) -> None:
        """Regiments that cannot pay so much stay behind."""
        for piece in self.mounted:
            if self.spent + cost > self.allowance(piece):
                self.note("{} stays behind", piece.id)
                self.riding.remove(piece)
                self.left_behind[piece.id] = self.spent

    def pay(self, cost: int) -> None:
        """Spend points; regiments that have not so many stay behind."""
        self.drop_off(cost)
        self.spent += cost

    @property
    def goal(self) -> Piece | None:
        """The target's top unit, or the second goal to which the charge has turned; none when it has turned away."""
        if self.away:
            return None
        if self.second is not None:
            return None if self.second.gone else self.second
        return next((piece for piece in self.target if not piece.gone and not piece.unmanned), None)

    def leader_with(self, piece: Piece) -> Leader | None:
        """The leader, not out, who is in the unit's hex: he stays with the top unit of the stack he came with."""
        leader = self.leaders[piece.side]
        if leader is None:
            return None
        top = next((one for one in self.leader_stack[piece.side] if not one.gone), None)
        return leader if top is not None and top.at == piece.at else None

    # --- orientation, zones, sight (2) ---

    def light(self, piece: Piece) -> bool:
        return piece.card.light(self.data["charge"]["light_from"])

    def orientation(self, piece: Piece) -> tuple[str, list[str]]:
        if piece.arm == "artillery":
            name = "artillery"
        elif piece.arm == "infantry":
            name = f"infantry {piece.formation}"
        elif piece.formation == "line":
            name = "cavalry line"
        else:
            name = f"{'light' if self.light(piece) else 'heavy'} cavalry {piece.formation}"
        entry = self.data["orientation"][name]
        return entry["faces"], entry["zones"]

    def faces(self, piece: Piece) -> str:
        return self.orientation(piece)[0]

    def facing_along(self, piece: Piece, direction: int) -> int:
        return 2 * direction + (self.faces(piece) == "corner")

    def settle_facing(self, piece: Piece) -> None:
        """After a change of formation: side-facing units look across the side, corner-facing ones at the corner after it."""
        piece.facing = self.facing_along(piece, piece.facing // 2)

    def zone(self, piece: Piece, side: int) -> str:
        """front, flank or rear: the zone of one of the unit's sides. Guns with infantry share its orientation."""
        bearer = piece
        if piece.arm == "artillery":
            top = self.stack(piece.at, piece.side)[0]
            bearer = top if top.arm == "infantry" else piece
        faces, zones = self.orientation(bearer)
        t = (2 * side - bearer.facing) % 12
        t = min(t, 12 - t)
        return zones[t // 2] if faces == "side" else zones[(t - 1) // 2]

    def zone_towards(self, piece: Piece, where: Hex) -> str:
        assert piece.at is not None
        return self.zone(piece, direction_to(piece.at, where))

    def in_square(self, piece: Piece) -> bool:
        """Whether a unit is in square, or guns within one."""
        return self.stack(piece.at, piece.side)[0].formation == "square" if piece.arm == "artillery" else piece.formation == "square"

    def influences(self, piece: Piece, where: Hex) -> bool:
        """Whether a hex is in the unit's zone of influence."""
        if piece.gone or piece.unmanned or piece.state == "routed" or self.in_square(piece) or piece.at is None or distance(piece.at, where) != 1:
            return False
        return self.zone_towards(piece, where) == "front"

    def in_zone(self, where: Hex, side: str) -> bool:
        """Whether a hex is in the zone of a unit of this side."""
        return any(self.influences(piece, where) for piece in self.alive(side))

    def terrain_at(self, where: Hex) -> dict[str, Any]:
        return self.data["terrain"][self.ground.get(where, "clear")]

    def blocks(self, where: Hex) -> bool:
        if self.terrain_at(where)["blocks"]:
            return True
        return any(piece.at == where and not piece.gone and piece.formation != "skirmish" for piece in self.pieces)

    def sees(self, a: Hex, b: Hex) -> bool:
        if distance(a, b) <= 1:
            return True
        plus, minus = line_between(a, b, 1), line_between(a, b, -1)
        if any(self.blocks(p) and self.blocks(m) for p, m in zip(plus[1:-1], minus[1:-1], strict=True)):
            return False
        if self.data["sight"]["slopes_block"]:
            for one, two in pairwise(plus):
                if self.hexsides.get(frozenset((one, two))) == "slope" and not {one, two} & {a, b}:
                    return False
        return True

    def sees_through_front(self, piece: Piece, b: Hex) -> bool:
        """Whether b is in sight through one of the unit's front sides."""
        a = piece.at
        assert a is not None
        if not self.sees(a, b):
            return False
        return a == b or any(self.zone_towards(piece, line_between(a, b, nudge)[1]) == "front" for nudge in (1, -1))

    # --- modifiers and checks (8) ---

    def trait(self, piece: Piece | None, name: str) -> Any:
        """An attribute of a unit, as the conditions of the rule sets name it."""
        if piece is None:
            return None
        card = piece.card
        if name == "nation":
            return card.nation
        if name == "side":
            return self.data["nations"].get(card.nation)
        if name == "type":
            return card.type
        if name == "arm":
            return card.arm
        if name == "class":
            return None if card.arm != "cavalry" else "light" if self.light(piece) else "heavy"
        if name == "formation":
            return piece.formation
        if name == "state":
            return piece.state
        if name == "half_lost":
            return 2 * (card.printed - piece.increments) >= card.printed
        if name == "level":
            return card.level
        if name == "leader":
            return self.leader_with(piece) is not None
        if name == "force_march":
            return card.force_march
        if name == "readiness":
            return piece.readiness
        if name == "lance":
            return card.lance > 0
        leader = self.leader_with(piece)
        if name == "cavalry_leader":
            return leader is not None and leader.cavalry > 0
        if name == "recall_leader":
            return leader is not None and (leader.cavalry > 0 or self.switches["recall_leader"] == "any")
        raise KeyError(f"no attribute {name!r}")

    def attribute(self, name: str, scene: dict[str, Any]) -> Any:
        head, dot, tail = name.partition(".")
        if not dot:
            return scene.get(head)
        return self.switches[tail] if head == "switch" else self.trait(scene.get(head), tail)

    def holds(self, when: dict[str, Any], scene: dict[str, Any]) -> bool:
        for name, wanted in when.items():
            excluded = name.endswith(" not")
            value = self.attribute(name.removesuffix(" not"), scene)
            if (value in wanted if isinstance(wanted, list) else value == wanted) == excluded:
                return False
        return True

    def worth(self, modifier: dict[str, Any], scene: dict[str, Any], column: str) -> int:
        if "values" in modifier:
            return modifier["values"].get(self.attribute(modifier["of"], scene), 0)
        return modifier[column] if column in modifier else modifier["value"]

    def total_of(self, modifiers: Iterable[dict[str, Any]], scene: dict[str, Any], column: str = "value") -> int:
        return sum(self.worth(one, scene, column) for one in modifiers if self.holds(one.get("when", {}), scene))

    def check(
        self,
        piece: Piece,
        name: str,
        kind: str,
        chart: Sequence[dict[str, Any]] = (),
        column: str = "value",
        extra: int = 0,
        scene: dict[str, Any] | None = None,
        repeatable: bool = False,
    ) -> bool:
        """A morale check: the modified roll must be above the printed morale."""
        scene = {**(scene or {}), "unit": piece, "check": kind}
        own = {key for one in chart for key in (one["key"], one.get("replaces"))}
        general = [one for one in self.data["morale"]["modifiers"] if one["key"] not in own]
        shift = extra + self.total_of(chart, scene, column) + self.total_of(general, scene)
        leader = self.leader_with(piece)
        if leader is not None:
            shift += leader.morale
        needed = ladder.index_of(piece.card.morale)
        passed = self.ask(name, [self.clamped(face + shift) > needed for face in range(ladder.STEPS)], repeatable)
        self.note("  {} {:+d} against {}: {}", piece.id, shift, piece.card.morale, "passes" if passed else "fails")
        return passed

    @staticmethod
    def clamped(index: int) -> int:
        return min(max(index, 0), ladder.STEPS - 1)

    # --- changes of state (1, 12) ---

    def remove(self, piece: Piece, why: str) -> None:
        self.note("  {} is {}", piece.id, why)
        piece.gone, piece.increments, piece.at = why, 0, None
        self.broken.add(piece.id)

    def abandon(self, gun: Piece) -> None:
        """The gunners run: the guns stay where they are, unmanned."""
        self.note("  {} is abandoned", gun.id)
        gun.unmanned = True

    def become_disordered(self, piece: Piece) -> None:
        if piece.arm == "cavalry":
            self.become_routed(piece)
            return
        self.note("  {} is disordered", piece.id)
        piece.state = "disordered"
        self.broken.add(piece.id)
        self.take_column(piece)

    def become_routed(self, piece: Piece) -> None:
        if piece.unlimbered:
            self.remove(piece, "eliminated")
            return
        self.note("  {} routs", piece.id)
        piece.state = "routed"
        self.broken.add(piece.id)
        if piece in self.riders:
            self.ever_routed.add(piece.id)
        self.take_column(piece)

    def take_column(self, piece: Piece) -> None:
        if piece.arm != "artillery":
            piece.formation = "column"
            self.settle_facing(piece)

    def lose(self, piece: Piece, n: int) -> int:
        """Lose increments; gone at 0. Returns what was really lost."""
        lost = min(n, piece.increments)
        if lost:
            piece.increments -= lost
            self.note("  {} loses {}", piece.id, lost)
            if piece.increments == 0:
                self.remove(piece, "eliminated")
        return lost

    def lose_top_first(self, pieces: Iterable[Piece], n: int) -> dict[str, int]:
        """Losses of a group, top first. Returns losses by id."""
        losses: dict[str, int] = {}
        for piece in pieces:
            if piece.gone:
                continue
            lost = self.lose(piece, n)
            n -= lost
            if lost:
                losses[piece.id] = lost
        return losses

    def lose_alternating(self, units: Sequence[Piece], n: int) -> dict[str, int]:
        """Infantry with unlimbered guns: odd losses to the infantry, even ones to the guns; otherwise top first."""
        guns = [piece for piece in units if piece.unlimbered]
        others = [piece for piece in units if not piece.unlimbered]
        if guns and any(piece.arm == "infantry" for piece in others):
            return self.lose_top_first(others, (n + 1) // 2) | self.lose_top_first(guns, n // 2)
        return self.lose_top_first(units, n)

    def worsen(self, piece: Piece) -> str | None:
        """The general failure's change of state; returns the move that follows from it: retreat, rout or None."""
        if piece.unlimbered:
            if piece.state == "good":
                self.become_disordered(piece)
            return None
        if piece.arm == "cavalry" or piece.state != "good":
            self.become_routed(piece)
            return "rout"
        self.become_disordered(piece)
        return "retreat"

    def fail(self, failed: Sequence[Piece], cause: str, asked: Iterable[Piece], zone_loss: int = 0, contagion: bool = True) -> None:
        """The general failure (8) of the units that an event shook. Causes: fire, melee, other. `asked`: who has rolled for it already."""
        moves = [(piece, self.worsen(piece)) for piece in failed]
        if contagion:
            moves += [(other, self.worsen(other)) for other in self.infected(failed, asked)]
        for unit, kind in moves:
            self.flee(unit, kind, cause, zone_loss)

    def infected(self, failed: Sequence[Piece], asked: Iterable[Piece]) -> list[Piece]:
        """Who fails the check by contagion: of the units in the hexes of those that failed, not routed, that have not rolled for the event."""
        hexes = {piece.at for piece in failed if piece.at is not None}
        sides = {piece.side for piece in failed}
        asked = list(asked)
        found = []
        for other in self.pieces:
            near = other.at in hexes and other.side in sides and not other.gone and not other.unmanned
            exposed = near and other.state != "routed" and other not in asked
            if exposed and not self.check(other, f"contagion/{other.id}", "contagion", repeatable=True):
                found.append(other)
        return found

    def event(
        self,
        pieces: Iterable[Piece],
        kind: str,
        cause: str,
        called: Callable[[Piece], bool] = lambda piece: True,
        extra: int = 0,
        zone_loss: int = 0,
        contagion: bool = True,
    ) -> None:
        """The checks an event calls for, in unit order, `kind/<id>`; then contagion of those it does not ask itself; then the moves."""
        asked = [piece for piece in self.in_unit_order(pieces) if not piece.gone and called(piece)]
        failed = [piece for piece in asked if not self.check(piece, f"{kind}/{piece.id}", kind, extra=extra, repeatable=True)]
        self.fail(failed, cause, asked, zone_loss, contagion)

    def flee(self, piece: Piece, kind: str | None, cause: str, zone_loss: int = 0) -> None:
        """The move after a failed check, alone."""
        if piece.gone:
            return
        if kind == "rout" and cause == "fire" and self.switches["rout_by_fire"] == "recovery":
            piece.rout_due = True
        elif kind == "rout":
            self.rout([piece], zone_loss, cause == "melee")
        elif kind == "retreat":
            self.move([piece], self.data["retreat"]["disordered"], "retreat", zone_loss, cause == "melee")

    # --- retreats and routs (7) ---

    def rout(self, group: Sequence[Piece], zone_loss: int = 0, melee: bool = False) -> None:
        """A rout move of a group, as far as its least allowance."""
        group = [piece for piece in group if not piece.gone]
        if group:
            points = min(piece.card.movement if piece.arm == "cavalry" else self.data["retreat"]["rout"] for piece in group)
            self.move(group, points, "rout", zone_loss, melee)

    def move(self, group: Sequence[Piece], points: int, kind: str, zone_loss: int = 0, melee: bool = False) -> None:
        """Move a group that stands in one hex away from the enemy."""
        group = [piece for piece in group if not piece.gone]
        if not group:
            return
        top = group[0]
        side, start = top.side, top.at
        assert start is not None
        way = [start]
        on_enemy_hex = top in self.riders and bool(self.stack(start, OTHER[side]))
        back = self.came_from.get(top.id)
        if on_enemy_hex and back is not None and self.is_free(back):
            way.append(back)
            points -= 1
        rest = self.find_way(group, way[-1], points, kind, minimum=len(way) == 1) if points else [way[-1]]
        if rest is None and kind == "rout":
            for piece in group:
                self.remove(piece, "surrendered")
            return
        if rest is None and len(way) == 1:
            self.note("  {} cannot retreat", top.id)
            if top.state == "disordered" and self.switches["dd_cannot_retreat"] == "surrender":
                for piece in group:
                    self.remove(piece, "surrendered")
            return
        way += (rest or [way[-1]])[1:]
        self.note("  {} {} along {}", "+".join(piece.id for piece in group), kind + "s", way)
        enemies = self.alive(OTHER[side])
        leaving = self.leaving_losses(group, way, zone_loss)
        for piece in group:
            piece.rout_due = False
            piece.at = way[-1]
            if len(way) > 1:
                piece.facing = self.facing_along(piece, direction_to(way[-2], way[-1]))
        if self.switches["zone_loss"] == "group":
            self.lose_top_first(group, leaving)
        else:
            for piece in group:
                self.lose(piece, leaving)
        entered = any(enemy.arm == "cavalry" and self.influences(enemy, where) for enemy in enemies for where in way[1:])
        if melee and kind == "retreat" and top.state == "disordered" and top.arm != "cavalry" and entered:
            for piece in group:
                if not piece.gone and piece.state == "disordered":
                    self.become_routed(piece)
        self.pass_through(group, way[1:-1])

    def leaving_losses(self, group: Sequence[Piece], way: Sequence[Hex], zone_loss: int) -> int:
        """Increments lost by leaving hexes in enemy zones: the first one, and further ones that hold no other friend."""
        side = group[0].side
        left = [where for i, where in enumerate(way[:-1]) if self.held_against(where, side) and (i == 0 or not self.friends_at(where, group))]
        return zone_loss * len(left)

    def held_against(self, where: Hex, side: str) -> bool:
        """Whether a hex is in an enemy zone, or is shared with an enemy who has one."""
        here = [piece for piece in self.stack(where, OTHER[side]) if piece.state != "routed" and not self.in_square(piece)]
        return bool(here) or self.in_zone(where, OTHER[side])

    def friends_at(self, where: Hex, group: Sequence[Piece]) -> list[Piece]:
        return [piece for piece in self.stack(where, group[0].side) if piece not in group]

    def pass_through(self, group: Sequence[Piece], hexes: Sequence[Hex]) -> None:
        """Good-order friends in hexes passed through check."""
        friends = [piece for piece in self.pieces if piece.side == group[0].side and piece not in group]
        self.event(friends, "pass-through", "other", lambda piece: piece.at in hexes and piece.state == "good" and not piece.unmanned)

    def is_free(self, where: Hex) -> bool:
        """Whether cavalry may be put into a hex: nobody there, terrain not prohibited."""
        return self.terrain_at(where)["cavalry"] is not None and not any(piece.at == where and not piece.gone for piece in self.pieces)

    def retreat_cost(self, arms: set[str], a: Hex, b: Hex, by_hexes: bool) -> int | None:
        """Points for a step of a retreat: the dearest of the group's arms; None if prohibited."""
        costs = []
        hexside = self.hexsides.get(frozenset((a, b)))
        for arm in arms:
            parts = [self.terrain_at(b)[arm]] + ([self.data["hexsides"][hexside][arm]] if hexside else [])
            if None in parts:
                return None
            costs.append(1 if by_hexes else sum(parts))
        return max(costs)

    def find_way(self, group: Sequence[Piece], start: Hex, points: int, kind: str, minimum: bool) -> list[Hex] | None:
        """The best good path, None if there is none.

        Most steps first, then the cheapest, then one that passes no friend; of these the first, depth first in the order of
        preference. A rout uses all its points; a retreat with a minimum makes one step whatever it costs.
        """
        side, home = group[0].side, HOME[group[0].side]
        enemies = self.alive(OTHER[side])
        foes = [piece.at for piece in enemies if piece.at is not None]
        arms = {piece.arm for piece in group}
        by_hexes = kind == "rout" and self.switches["rout_ignores_terrain"]
        if not foes:
            return self.straight_home(arms, start, points, home, by_hexes)
        friends = {piece.at for piece in self.alive(side) if piece not in group}
        horizon = [foe for foe in foes if distance(start, foe) <= self.switches["retreat_horizon"]]
        near: dict[Hex, int] = {}
        merits: dict[Hex, tuple[int, int, int]] = {}

        def nearness(where: Hex) -> int:
            if where not in near:
                near[where] = min(distance(where, foe) for foe in foes)
            return near[where]

        def merit(where: Hex) -> tuple[int, int, int]:
            if where not in merits:
                zones = sum(self.influences(enemy, where) for enemy in enemies)
                merits[where] = (-nearness(where), -sum(distance(where, foe) for foe in horizon), zones)
            return merits[where]

        def steps(a: Hex, left: int, open_way: bool) -> list[tuple[Hex, int]]:
            options = []
            for d in range(6):
                b = neighbour(a, d)
                cost = self.retreat_cost(arms, a, b, by_hexes)
                if cost is None or cost > left or b in foes or nearness(b) < nearness(a) or (open_way and b in friends):
                    continue
                turn = turn_between(home, d)
                options.append(((cost, b in friends, *merit(b), abs(turn), turn < 0), b, cost))
            return [(b, cost) for _, b, cost in sorted(options)]

        def ends_well(where: Hex) -> bool:
            return where not in friends and all(distance(where, foe) > distance(start, foe) for foe in horizon)

        def search(n: int, total: int, open_way: bool) -> list[Hex] | None:
            """The first good path of n steps that cost so much in all; `open_way`: none of them onto friends."""
            hopeless: set[tuple[Hex, int, int]] = set()

            def onward(where: Hex, left: int, more: int) -> list[Hex] | None:
                if more == 0:
                    return [where] if left == 0 and ends_well(where) else None
                if (where, left, more) not in hopeless:
                    for b, cost in steps(where, left, open_way):
                        rest = onward(b, left - cost, more - 1)
                        if rest is not None:
                            return [where, *rest]
                    hopeless.add((where, left, more))
                return None

            return onward(start, total, n)

        least = points if kind == "rout" else 1
        for n in range(points, 0, -1):
            for total in range(max(n, least), points + 1):
                for open_way in (True, False):
                    way = search(n, total, open_way)
                    if way is not None:
                        return way
        if kind == "retreat" and minimum:
            dear = [cost for d in range(6) if (cost := self.retreat_cost(arms, start, neighbour(start, d), by_hexes)) is not None and cost > points]
            for total in sorted(set(dear)):
                way = search(1, total, True)
                if way is not None:
                    return way
        return None

    def straight_home(self, arms: set[str], start: Hex, points: int, home: int, by_hexes: bool) -> list[Hex]:
        """With no enemy on the map a group goes straight in its home direction."""
        way = [start]
        while points:
            b = neighbour(way[-1], home)
            cost = self.retreat_cost(arms, way[-1], b, by_hexes)
            if cost is None or cost > points:
                break
            points -= cost
            way.append(b)
        return way

    # --- fire (9) ---

    def strength(self, source: Hex, side: str, where: Hex, divisor: int | None) -> tuple[Fraction, Fraction]:
        """Fire of a hex at a hex: of its infantry and of its guns."""
        none = (Fraction(0), Fraction(0))
        stack = self.stack(source, side)
        top, fire = stack[0], self.data["fire"]
        if top.state == "routed" or top.sheltered or (top.silent and self.segment == "defensive-fire") or top.arm == "cavalry":
            return none
        guns = sum((self.gun_fire(piece) for piece in stack), Fraction(0))
        if top.arm == "artillery":
            return Fraction(0), guns
        on_top = source == where
        foot = sum(piece.increments for piece in stack if piece.arm == "infantry" and piece.state != "routed" and not piece.sheltered)
        if top.formation == "line":
            return min(fire["caps"]["line"], foot) * (top.card.multiples["line"] or Fraction(0)), guns
        if top.formation == "square":
            share = Fraction(divisor or (fire["on_top_divisor"] if on_top else fire["square_divisor"]))
            return min(fire["caps"]["square"], foot) * (top.card.multiples["square"] or Fraction(0)) / share, guns / share
        if top.formation == "skirmish":
            return min(fire["caps"]["skirmish"], foot) * (top.card.multiples["skirmish"] or Fraction(0)), Fraction(0)
        if top.formation == "road march":
            return none
        value = top.card.fire
        if top.increments == 1 and top.card.printed > 1:
            value /= 2
        if top.state == "disordered":
            value /= 2
        if top.formation == "masse" and on_top:
            value *= Fraction(str(fire["masse_on_top"]))
        return value, Fraction(0)

    def gun_fire(self, piece: Piece) -> Fraction:
        if not piece.unlimbered or piece.sheltered or (piece.silent and self.segment == "defensive-fire"):
            return Fraction(0)
        value = piece.card.fire * piece.increments / piece.card.printed
        if piece.state == "disordered" and value:
            value = max(value / 2, Fraction(1))
        return value

    def firing_hexes(self, where: Hex, side: str, opportunity: bool = False) -> list[Hex]:
        """Hexes of a side whose top unit has the hex across a front side; in opportunity fire in its zone."""
        if self.stack(where, side):
            return [where]
        sources = []
        for direction in range(6):
            source = neighbour(where, direction)
            stack = self.stack(source, side)
            if not stack or (opportunity and self.in_square(stack[0]) and stack[0] is self.goal and stack[0].id in self.declared):
                continue
            if self.zone_towards(stack[0], where) == "front":
                sources.append(source)
        return sources

    def fire_defence(self, victims: Sequence[Piece], where: Hex, flanked: bool) -> int:
        top, fire = victims[0], self.data["fire"]
        defence = fire["defence"]
        terrain = self.ground.get(where, "clear")
        deployed = sum(piece.increments for piece in victims if piece.formation == "line")
        crowded = top.formation == "line" and deployed >= fire["line_as_column"]
        if top.state != "good":
            shape = top.state
        elif crowded or (top.formation == "masse" and "masse" not in defence["clear"]):
            shape = "column"
        else:
            shape = top.formation
        value = defence.get(terrain, {}).get(shape, defence["clear"][shape])
        for entry in defence.get("by_nation", ()):
            if top.card.nation in entry["nations"] and entry["terrain"] == terrain and shape in entry:
                value = entry[shape]
        if top.arm == "infantry" and top.formation != "square" and any(piece.arm == "artillery" for piece in victims):
            value += fire["with_guns"]
        return min(value, fire["flank"]) if flanked else value

    def shoot(self, where: Hex, side: str, sources: Sequence[Hex], name: str, repeatable: bool = False, divisor: int | None = None) -> None:
        """One attack by fire of a side's hexes on a hex."""
        victims = self.stack(where, OTHER[side])
        if not victims:
            return
        fire = self.data["fire"]
        foot = guns = Fraction(0)
        flanked, bonus = True, 0
        defensive, firers = self.segment == "defensive-fire", []
        for source in sources:
            if defensive and self.stack(source, side)[0].id in self.fired:
                continue
            one, two = self.strength(source, side, where, divisor)
            if one + two == 0:
                continue
            firers.append(self.stack(source, side)[0].id)
            foot, guns = foot + one, guns + two
            flanked &= source != where and self.zone_towards(victims[0], source) == "flank"
            if two:
                gunner = next(piece for piece in self.stack(source, side) if piece.unlimbered)
                director = self.leader_with(gunner)
                bonus += director.artillery if director is not None else 0
        if foot + guns == 0:
            return
        defence = self.fire_defence(victims, where, flanked)
        column = column_at(self.charts.fire, (foot + guns) / defence)
        if column < 0:
            if self.switches["below_lowest"] == "none":
                return
            column = 0
        if defensive:
            self.fired.update(firers)
        if guns and (foot == 0 or self.switches["canister_combined"]):
            column = min(column + fire["canister_shift"], len(self.charts.fire) - 1)
        massed = max(0, sum(piece.increments for piece in victims) - fire["massed"]["above"]) * fire["massed"]["each"]
        leader = self.leader_with(victims[0])
        fatal = ladder.parse_range(self.data["leaders"]["fire"]["natural"]) if leader is not None else ()
        results = self.charts.fire[column][1]
        losses, struck = self.ask(name, [(results[self.clamped(face + massed + bonus)], face in fatal) for face in range(ladder.STEPS)], repeatable)
        self.note("  fire {} + {} on {}, column {}, {:+d}: {}", foot, guns, defence, self.charts.fire[column][0], massed + bonus, losses)
        before = {piece.id: piece.card.printed - piece.increments for piece in victims}
        lost = self.fire_losses(victims, losses)
        self.shaken_by_fire(victims, lost, before)
        if leader is not None and struck:
            self.leader_under_fire(leader, OTHER[side], where)

    def shaken_by_fire(self, victims: Sequence[Piece], lost: dict[str, int], before: dict[str, int]) -> None:
        """The checks that losses by fire call for; types with rules of their own (Cossacks) fail at once, or check without loss."""
        asked, failed = [], []
        for piece in self.in_unit_order(victims):
            rule = self.type_rules(piece).get("under_fire")
            kind = "loss-check" if piece.id in lost and self.triggered(piece, before[piece.id]) else ""
            if rule is not None:
                kind = rule["loss"] if piece.id in lost else "under-fire" if rule["no_loss"] == "check" else ""
            if not kind or piece.gone:
                continue
            asked.append(piece)
            if kind == "rout" or not self.check(piece, f"{kind}/{piece.id}", kind, repeatable=True):
                failed.append(piece)
        self.fail(failed, "fire", asked)

    def fire_losses(self, victims: Sequence[Piece], losses: int) -> dict[str, int]:
        if all(piece.unlimbered for piece in victims):
            losses //= 2
        return self.lose_alternating(victims, losses)

    def triggered(self, piece: Piece, before: int) -> bool:
        """Whether the cumulative losses passed one of the numbers first, first + step, ..."""
        first, step = piece.card.losses
        now = piece.card.printed - piece.increments
        return any(n >= first and (n - first) % step == 0 for n in range(before + 1, now + 1))

    def leader_under_fire(self, leader: Leader, side: str, where: Hex) -> None:
        if self.ask(f"leader/{leader.id}", ["flesh wound" if die == 6 else "out" for die in FIRE_DIE], repeatable=True) == "flesh wound":
            return
        self.leaders[side] = None
        self.leader_lost(self.stack(where, side), where, leader, "fire")

    def leader_lost(self, pieces: Sequence[Piece], where: Hex, leader: Leader, cause: str) -> None:
        self.event(pieces, "leader-check", cause, lambda piece: piece.at == where and piece.state != "routed", extra=-leader.morale)

    # --- the march (3, 4) ---

    def charge_segment(self) -> None:
        """The charge, from its pre-check to its end."""
        lead, goal = self.riders[0], self.goal
        assert goal is not None
        assert goal.at is not None
        unseen = self.switches["see_at_start"] and not self.sees(self.here, goal.at)
        checks = lead.card.nation in self.data["charge"]["check_nations"]
        if unseen or (checks and not self.check(lead, "charge-check/charger", "charge-check")):
            self.finish_refusal()
            return
        self.charged = True
        self.march()
        self.finish_refusal()
        self.rout_without_contact()
        self.guns_left_behind()

    def rout_without_contact(self) -> None:
        """A regiment that has spent its printed allowance and touched nobody routs where it is."""
        for piece in self.riders:
            if piece.gone or piece.state != "good" or piece.at is None:
                continue
            touches = any(distance(piece.at, foe.at) <= 1 for foe in self.alive("target") if foe.at is not None)
            spent = self.left_behind.get(piece.id, self.spent)
            if not touches and piece.id not in self.touched and spent >= piece.card.movement:
                self.note("no contact after {} points", spent)
                self.become_routed(piece)

    def guns_left_behind(self) -> None:
        """DD guns whose infantry went away as the declared target may be meleed by a charger that has nobody else to melee."""
        where = self.abandoned_hex
        if where is None or not self.able or self.quarry is not None or distance(self.here, where) != 1:
            return
        guns = [piece for piece in self.stack(where, "target") if piece.unlimbered and piece.state == "disordered"]
        if guns:
            self.double = False
            self.engage(guns[0])

    def finish_refusal(self) -> None:
        if self.response.startswith("carre@") and "target" not in self.tried:
            self.refused = f"the charger was never at {self.response[-1]} hexes"

    def march(self) -> None:
        """Step by step: reaction, declaration, carré, the charger's choices, and on."""
        while True:
            self.reaction()
            if self.met is not None:
                return
            self.look_around()
            if self.over:
                return
            goal = self.goal
            if goal is not None and goal.at is not None and distance(self.here, goal.at) == 1:
                if self.riding_over:
                    self.ride_over(goal)
                else:
                    self.contact(goal)
                return
            if not self.go_on():
                return

    def look_around(self) -> None:
        """Declarations, carrés, and what the charger makes of them."""
        self.declaration()
        self.carre_attempts()
        choice, self.choice = self.choice, None
        if self.over or choice is None or self.pressing:
            return
        if choice == "break off":
            self.over = self.halts()
        elif choice == "second":
            self.second = self.by_id[str(self.charge.second)]
            self.planned_turns, self.planned = self.charge.second_path, 0
            self.declaration()
            self.carre_attempts()
            self.over = self.over or self.second.gone is not None
        elif choice == "turn away":
            self.away = True
            self.planned_turns, self.planned = self.charge.away, 0
            self.declaration()
        elif choice == "ride over":
            self.riding_over = True

    def halts(self) -> bool:
        """Whether the charger halts of its own will. Where that needs a recall, one roll a charge; failing, it rides on for good."""
        if self.switches["halting"] == "free":
            return True
        if self.pressing:
            return False
        lead = self.lead
        assert lead is not None
        if self.recall("halt/charger"):
            return True
        self.pressing, self.riding_over = True, False
        return False

    def go_on(self) -> bool:
        """The next step, or steps over squares; False if the march is over."""
        if self.away and self.planned == len(self.planned_turns):
            if self.halts():
                return False
            self.planned_turns = (*self.planned_turns, 0)
        move = self.next_move(self.now())
        if move is None or (not self.away and self.stops_without_target()):
            return False
        return self.make(move)

    def stops_without_target(self) -> bool:
        """The plan's `no_target`: whether the charger halts because it has no declared target."""
        goal, plan = self.goal, self.plan["no_target"]
        if goal is None or goal.at is None or goal.id in self.declared or plan == "ride on" or self.pressing:
            return False
        result, as_target = self.carre.get(goal.id, ("formed", False))
        left_alone = goal.id in self.passed or (result != "formed" and not as_target)
        if (plan == "stop" and left_alone and not self.riding_over) or not self.reaches(goal.at):
            return self.halts()
        return False

    def reaches(self, where: Hex, pursuing: bool = False) -> bool:
        """Whether the march, or a pursuit, would come next to a hex if nobody else moved or shot."""
        ride = self.now(pursuing)
        while distance(ride.at, where) != 1:
            move = self.next_move(ride, where)
            if move is None:
                return False
            ride = self.moved(ride, move)
        return True

    def now(self, pursuing: bool = False) -> Ride:
        lead = self.lead
        assert lead is not None
        return Ride(self.here, self.direction, self.planned, self.steps, self.spent, lead.formation, self.mounted, pursuing)

    def moved(self, ride: Ride, move: Move) -> Ride:
        """Where a ride is after a move that nobody disturbs."""
        spent = ride.spent + sum(move.costs)
        fast = [piece for piece in ride.regiments if self.allowance(piece) >= spent]
        formation = move.change or ride.formation
        return Ride(move.hexes[-1], move.direction, ride.planned + move.planned, ride.steps + len(move.hexes), spent, formation, fast, ride.pursuing)

    def next_move(self, ride: Ride, where: Hex | None = None) -> Move | None:
        """The planned step or the seek step, the squares in the way included; None if it cannot be made or paid."""
        if where is None and not self.away:
            goal = self.goal
            if goal is None or goal.at is None:
                return None
            where = goal.at
        left = 0 if ride.pursuing or not (self.away or where == self.first_hex) else len(self.planned_turns) - ride.planned
        if left:
            return self.move_in(ride, (ride.direction + self.planned_turns[ride.planned]) % 6, self.planned_turns[ride.planned : ride.planned + left])
        if where is None:
            return None
        for turn in (0, 1, -1, 2, -2, 3):
            direction = (ride.direction + turn) % 6
            if distance(neighbour(ride.at, direction), where) < distance(ride.at, where) and self.way_in(ride, direction, ()):
                return self.move_in(ride, direction, ())
        return None

    def way_in(self, ride: Ride, direction: int, turns: Sequence[int]) -> list[Hex]:
        """The hexes of the next step in a direction: one, or those over squares; none if it may not be made."""
        turn = turn_between(ride.direction, direction)
        if abs(turn) > self.turn_cap(ride.lead) or (ride.steps == 0 and turn not in self.first_turns(ride.formation)):
            return []
        there = neighbour(ride.at, direction)
        if self.may_enter("charger", ride.at, there):
            return [there]
        return self.over_squares(ride, turns) if turn == 0 and not ride.pursuing else []

    def over_squares(self, ride: Ride, turns: Sequence[int]) -> list[Hex]:
        """The way over the squares straight ahead: onto each and off the last; none if there is none, or it cannot be paid."""
        hexes, here = [], ride.at
        while self.may_be_ridden_over(there := neighbour(here, ride.direction)):
            if self.charge_cost(here, there) is None:
                return []
            hexes.append(there)
            here = there
        if not hexes or not self.may_enter("charger", here, there):
            return []
        hexes.append(there)
        costs = self.costs_of(ride.at, hexes)
        payable = ride.spent + sum(costs) <= max(self.allowance(piece) for piece in ride.regiments)
        return hexes if payable and not any(turns[: len(hexes)]) else []

    def may_be_ridden_over(self, where: Hex) -> bool:
        """Whether a hex holds a square that the plan lets the charger ride over."""
        stack, goal = self.stack(where, "target"), self.goal
        if self.plan["square"] != "ride over" or self.pressing or not stack or self.stack(where, "charger"):
            return False
        if stack[0].arm != "infantry" or stack[0].formation != "square" or stack[0].id in self.declared:
            return False
        return goal is None or where != goal.at or goal.card.formation != "square"

    @property
    def first_hex(self) -> Hex:
        """Where the goal stood at first: planned turns lead there."""
        return TARGET_HEX if self.second is None else self.places[self.second.id]

    def costs_of(self, here: Hex, hexes: Sequence[Hex]) -> list[int]:
        costs = [self.charge_cost(a, b) for a, b in pairwise([here, *hexes])]
        return [cost for cost in costs if cost is not None]

    def move_in(self, ride: Ride, direction: int, turns: Sequence[int]) -> Move | None:
        """The next move in a direction, priced; None if it may not be made or no regiment can pay."""
        hexes = self.way_in(ride, direction, turns)
        if not hexes:
            return None
        costs, change = self.costs_of(ride.at, hexes), None
        turn = turn_between(ride.direction, direction)
        if not (ride.formation == "line" and ride.steps == 0 and turn == 1):
            costs[0] += abs(turn) * self.switches["facing_cost"]
        most = max(self.allowance(piece) for piece in ride.regiments) - ride.spent
        wanted = self.charge.change_to if ride.steps == 2 and len(hexes) == 1 and self.charge.change_to != ride.formation else None
        if wanted is not None and costs[0] + self.switches["formation_cost"] <= most:
            change = wanted
            costs[0] += self.switches["formation_cost"]
        if sum(costs) > most:
            return None
        return Move(hexes, direction, costs, change, min(len(hexes), len(turns)), turn)

    @staticmethod
    def first_turns(formation: str) -> tuple[int, ...]:
        """The first hex of a charge is straight ahead; a line has two front hexes."""
        return (0, 1) if formation == "line" else (0,)

    def turn_cap(self, piece: Piece) -> int:
        return 3 if not self.switches["facing_cap"] else 2 if self.light(piece) else 1

    def seek(self, where: Hex) -> bool:
        """A step of the charger toward a hex."""
        move = self.next_move(self.now(pursuing=True), where)
        return move is not None and self.make(move)

    def may_enter(self, side: str, here: Hex, there: Hex) -> bool:
        """Whether charging cavalry may enter a hex: terrain, hexside and who is there."""
        if self.charge_cost(here, there) is None:
            return False
        for piece in self.pieces:
            lets_through = piece.arm == "cavalry" or piece.formation in ("skirmish", "square", "limbered")
            if piece.at == there and not piece.gone and (piece.side != side or not lets_through):
                return False
        return True

    def charge_cost(self, here: Hex, there: Hex) -> int | None:
        """Points to enter a hex in a charge, the hexside included; None if it is barred."""
        terrain = self.terrain_at(there)
        hexside = self.hexsides.get(frozenset((here, there)))
        entries = [terrain] + ([self.data["hexsides"][hexside]] if hexside else [])
        if any(not entry["charge"] or entry["cavalry"] is None for entry in entries):
            return None
        return sum(entry["cavalry"] for entry in entries)

    def make(self, move: Move) -> bool:
        """Make a move under fire; False if nobody is left who can."""
        if len(move.hexes) > 1:
            self.drop_off(sum(move.costs))
        for cost, there in zip(move.costs, move.hexes, strict=True):
            if not (self.shots_of_squares(there) if len(move.hexes) > 1 else self.opportunity_fire()) or not self.can_pay(cost):
                return False
            self.pay(cost)
            self.steps += 1
            self.straight = self.straight + 1 if move.turn == 0 else 1
            self.ride_to(there, move.direction, move.change)
        self.planned += move.planned
        goal = self.goal
        if goal is not None and goal.at in move.hexes:
            self.over = True
            return False
        return True

    def shots_of_squares(self, there: Hex) -> bool:
        """A square that is ridden over shoots before the step onto it and before the step off it, alone."""
        for where in (self.here, there):
            if self.stack(where, "target"):
                self.ridden_over.add(where)
                if not self.opportunity_fire([where], divisor=self.data["fire"]["square_divisor"]):
                    return False
        return True

    def ride_over(self, goal: Piece) -> None:
        """Over the square of a goal that was not the target, and one hex more."""
        self.over = True
        assert goal.at is not None
        if direction_to(self.here, goal.at) != self.direction:
            return
        move = self.move_in(self.now(), self.direction, ())
        if move is None or len(move.hexes) < 2:
            return
        self.make(move)
        if not self.able or self.here != move.hexes[-1]:
            return
        further = neighbour(self.here, self.direction)
        cost = self.charge_cost(self.here, further)
        if cost is not None and self.may_enter("charger", self.here, further) and self.can_pay(cost):
            self.pay(cost)
            self.ride_to(further, self.direction)

    def ride_to(self, there: Hex, direction: int, change: str | None = None) -> None:
        self.direction = direction
        for piece in self.mounted:
            if change is not None:
                piece.formation = change
            piece.at, piece.facing = there, self.facing_along(piece, direction)
        self.note("to {} direction {}, spent {}", there, direction, self.spent)

    def opportunity_fire(self, sources: Sequence[Hex] | None = None, divisor: int | None = None) -> bool:
        """Fire before a step (28); False if the charger cannot go on."""
        where = self.here
        if sources is None:
            sources = [one for one in self.firing_hexes(where, "target", opportunity=True) if one not in self.ridden_over]
        self.shoot(where, "target", sources, "fire/charger", repeatable=True, divisor=divisor)
        return self.able

    # --- reaction (39) ---

    def reaction(self) -> None:
        """Cavalry that may react: its check, its bound, its steps."""
        for piece in self.reactors():
            if piece.gone or piece.state != "good" or piece.at is None:
                continue
            if piece.id in self.reacting:
                bound = 1
            elif self.may_react(piece):
                self.asked_to_react.add(piece.id)
                if not self.check(piece, f"react/{piece.id}", "react"):
                    continue
                self.reacting[piece.id] = 0
                bound = self.switches["react_bound_light" if self.light(piece) else "react_bound_heavy"]
            else:
                continue
            self.close_in(piece, bound)
            if distance(piece.at, self.here) == 1:
                self.meet(piece)
                return

    def reactors(self) -> list[Piece]:
        top = self.goal
        found = [top] if top is not None and top.arm == "cavalry" and self.response == "react" else []
        if "reactor" in self.by_id:
            found.append(self.by_id["reactor"])
        return found

    def may_react(self, piece: Piece) -> bool:
        assert piece.at is not None
        if piece.id in self.asked_to_react or piece.readiness == "exhausted":
            return False
        depth = self.switches["react_zone_light" if self.light(piece) else "react_zone_heavy"]
        return distance(piece.at, self.here) <= depth and self.sees_through_front(piece, self.here)

    def reacting_group(self, piece: Piece) -> list[Piece]:
        """The reactor, and the good-order regiments stacked with it."""
        beside = self.stack(piece.at, piece.side)
        along = piece in self.target
        return [one for one in beside if one is piece or (along and one in self.target and one.arm == "cavalry" and one.state == "good")]

    def close_in(self, piece: Piece, bound: int) -> None:
        group = self.reacting_group(piece)
        allowance = min(one.card.movement for one in group) + self.data["charge"]["bonus_movement"]
        for _ in range(bound):
            here = piece.at
            assert here is not None
            if distance(here, self.here) == 1:
                return
            facing = piece.facing // 2
            direction = self.reacting_direction(piece, facing)
            if direction is None:
                return
            there = neighbour(here, direction)
            cost = self.terrain_at(there)["cavalry"] + abs(turn_between(facing, direction)) * self.switches["facing_cost"]
            if self.reacting[piece.id] + cost > allowance:
                return
            self.reacting[piece.id] += cost
            for one in group:
                one.at, one.facing = there, self.facing_along(one, direction)
            self.note("{} reacts to {}", piece.id, there)

    def reacting_direction(self, piece: Piece, facing: int) -> int | None:
        """The direction that brings a reactor nearer to the charger with the smallest turn, right before left."""
        assert piece.at is not None
        for turn in (0, 1, -1, 2, -2, 3):
            there = neighbour(piece.at, (facing + turn) % 6)
            nearer = distance(there, self.here) < distance(piece.at, self.here)
            if abs(turn) <= self.turn_cap(piece) and nearer and self.may_enter(piece.side, piece.at, there):
                return (facing + turn) % 6
        return None

    def touch(self) -> None:
        """Contact once made counts for those who ride then."""
        self.touched |= {piece.id for piece in self.mounted}

    def meet(self, piece: Piece) -> None:
        """Charger and reactor are met: the charge is over, in contact."""
        self.note("met by {}", piece.id)
        self.met = piece
        self.counter = {one.id for one in self.reacting_group(piece)}
        self.touch()
        self.double = False
        self.engage(piece, compulsory=True)

    # --- declaration ---

    def declaration(self) -> None:
        """Whom the charger declares and whom it passes."""
        goal = self.goal
        immune = self.switches["passed_immune"]
        for piece in self.alive("target"):
            if piece.at is None:
                continue
            away = distance(self.here, piece.at)
            if away > 2 or not self.sees(self.here, piece.at):
                continue
            if goal is not None and piece.at == goal.at:
                if self.riding_over:
                    continue
                if self.switches["declaration"] == "distance" or (away == 2 and self.is_ahead(piece.at)):
                    if piece.id not in self.passed:
                        self.declared.add(piece.id)
                elif away == 2 and immune and piece.id not in self.declared:
                    self.passed.add(piece.id)
            elif away == 2 and immune and piece.id not in self.declared:
                self.passed.add(piece.id)

    def is_ahead(self, where: Hex) -> bool:
        """Whether a hex is two steps straight ahead; a line before its first step has two fronts."""
        lead = self.lead
        assert lead is not None
        ways = [self.direction]
        if lead.formation == "line" and self.steps == 0:
            ways.append((self.direction + 1) % 6)
        return any(neighbour(neighbour(self.here, way), way) == where for way in ways)

    # --- the carré attempt (5) ---

    def carre_attempts(self) -> None:
        """Every enemy hex whose response names this distance tries, in unit order, once a charge."""
        for piece in self.pieces:
            key = "target" if piece in self.target else piece.id
            if piece.side != "target" or piece.gone or piece.at is None or key in self.tried or not piece.response.startswith("carre@"):
                continue
            if piece in self.target and piece is not self.goal:
                continue
            if distance(piece.at, self.here) == int(piece.response[-1]):
                self.tried.add(key)
                reason = self.carre_refused(piece)
                if key == "target":
                    self.refused = reason
                if reason is None:
                    self.carre_attempt(piece)
                else:
                    self.note("{} refused: {}", piece.id, reason)
        if self.pursued:
            group, self.pursued = self.pursued, []
            if self.recall() and self.pursues(group):
                self.follow(group)
                self.after_flight(group, None, recalled=True)
            self.over = True

    def pursues(self, group: Sequence[Piece]) -> bool:
        """Whether a charger that may pursue (2014) does, by the plan's `no_target`."""
        plan = self.plan["no_target"]
        return plan == "ride on" or (plan == "reach" and self.catches(group))

    def catches(self, group: Sequence[Piece]) -> bool:
        """Whether seek steps bring the charger next to routers."""
        prey = next((piece for piece in group if not piece.gone), None)
        return prey is not None and prey.at is not None and self.reaches(prey.at, pursuing=True)

    def carre_refused(self, piece: Piece) -> str | None:
        """The first reason for which a unit may not try."""
        data, formation = self.data["carre"], piece.formation
        by_formation = {"skirmish": IN_SKIRMISH_ORDER, "square": ALREADY_IN_SQUARE, "general order": IN_GENERAL_ORDER, "masse": IS_A_MASSE}
        if piece.arm != "infantry":
            return NOT_INFANTRY
        if formation in by_formation:
            return by_formation[formation]
        if piece.state != "good":
            return NOT_IN_GOOD_ORDER
        if self.carre_row(piece) is None:
            return NO_CARRE_ROW
        scene = {"target": piece, "unit": piece, "charger": self.lead, "enemy": self.lead}
        if any(self.holds(one["when"], scene) for one in data["barred"]):
            return BARRED
        if piece.card.multiples["square"] is None:
            return NO_CARRE
        assert piece.at is not None
        if sum(one.increments for one in self.stack(piece.at, "target") if one.arm == "infantry") < self.data["charge"]["min_carre_increments"]:
            return TOO_FEW
        if distance(piece.at, self.here) > self.switches["night_range" if self.charge.night else "carre_range"]:
            return OUT_OF_RANGE
        if self.switches["carre_sight"] == "adjacent" and distance(piece.at, self.here) > 1:
            return OUT_OF_SIGHT
        if not self.sees_through_front(piece, self.here):
            return OUT_OF_SIGHT
        return None

    def carre_row(self, piece: Piece) -> tuple[dict[str, Any], dict[int, list[str]]] | None:
        for row, cells in self.charts.carre:
            if piece.card.nation in row["nations"] and piece.formation == row["formation"]:
                return row, cells
        return None

    def carre_distance(self, piece: Piece, row: dict[str, Any]) -> int:
        """The column: hexes, or on rows in points the cost of the planned path up to the hex."""
        assert piece.at is not None
        mode = self.switches["carre_distance"]
        hexes = distance(piece.at, self.here)
        in_points = mode == "points" or (mode == "row" and row["unit"] == "points")
        if not in_points or piece.at != TARGET_HEX or self.planned_turns != self.charge.path or self.route[self.planned] != self.here:
            return hexes
        way = [*self.route[self.planned :], TARGET_HEX]
        costs = [self.charge_cost(a, b) for a, b in pairwise(way)]
        return min(CARRE_CAP, sum(CARRE_CAP if cost is None else cost for cost in costs))

    def carre_attempt(self, piece: Piece) -> None:
        found = self.carre_row(piece)
        assert found is not None
        row, cells = found
        scene = {"target": piece, "unit": piece, "charger": self.lead, "enemy": self.lead, "check": "carre"}
        shift = self.total_of(self.data["carre"]["modifiers"], scene)
        column = self.carre_distance(piece, row)
        result = self.ask(f"carre/{piece.id}", [cells[column][self.clamped(face + shift)] for face in range(ladder.STEPS)])
        self.note("  carré of {} at {} {:+d}: {}", piece.id, column, shift, result)
        declared = piece.id in self.declared
        self.carre[piece.id] = (result, declared)
        if piece in self.target:
            self.attempt = result
            if not declared and piece is self.goal:
                self.choice = self.plan["square"] if result == "formed" else self.plan["disordered"]
        if result == "formed":
            self.carre_formed(piece, declared)
        elif result == "disordered":
            self.carre_disordered(piece, declared)
        else:
            self.carre_routed(piece, declared)

    def hex_infantry(self, piece: Piece) -> list[Piece]:
        return [one for one in self.stack(piece.at, piece.side) if one.arm == "infantry" and not one.sheltered]

    def hex_guns(self, piece: Piece, formation: str) -> list[Piece]:
        return [one for one in self.stack(piece.at, piece.side) if one.formation == formation]

    def carre_formed(self, piece: Piece, declared: bool) -> None:
        for one in self.hex_infantry(piece):
            one.formation = "square"
            self.settle_facing(one)
            self.formed.add(one.id)

    def carre_disordered(self, piece: Piece, declared: bool) -> None:
        group = self.hex_infantry(piece) + self.hex_guns(piece, "limbered")
        guns = self.hex_guns(piece, "unlimbered")
        for one in group:
            if one.state == "good":
                self.become_disordered(one)
        for one in guns:
            if self.switches["guns_with_infantry"] == "abandoned":
                self.abandon(one)
            elif one.state == "good":
                self.become_disordered(one)
        if declared and self.switches["dd_target"] == "follows":
            self.abandoned_hex = piece.at
        if not declared or self.switches["dd_target"] == "follows":
            self.move(group, self.data["retreat"]["disordered"], "retreat")

    def carre_routed(self, piece: Piece, declared: bool) -> None:
        group = self.hex_infantry(piece) + self.hex_guns(piece, "limbered")
        guns = self.hex_guns(piece, "unlimbered")
        for one in group:
            self.become_routed(one)
        for one in guns:
            if self.switches["guns_with_infantry"] == "abandoned":
                self.abandon(one)
            else:
                self.remove(one, "eliminated")
        if not declared:
            if self.switches["pgd_bystander"] == "flees":
                self.rout(group)
        elif self.switches["pgd_target"] == "pursuit":
            self.rout(group)
            self.pursued = group

    # --- contact (6) ---

    @property
    def left(self) -> int:
        """Points that the top charger has left."""
        lead = self.lead
        return 0 if lead is None else self.allowance(lead) - self.spent

    def contact(self, goal: Piece) -> None:
        """The charger is adjacent to the goal."""
        self.over = True
        self.touch()
        if goal.id in self.passed:
            self.note("the goal was passed")
            return
        assert goal.at is not None
        if self.barred_from(goal):
            self.note("the goal may not be charged")
            return
        ahead = direction_to(self.here, goal.at) == self.direction
        bonus = goal.id in self.declared and self.straight >= self.data["charge"]["straight_hexes"] and ahead
        self.note("contact, bonus {}", bonus)
        self.double = bonus
        if goal.formation == "masse" and goal.id in self.declared and not self.shot_by_masse(goal):
            return
        result, as_target = self.carre.get(goal.id, ("", False))
        self.unchecked = not bonus
        if result == "formed":
            self.ride_onto(goal)
        elif result == "routed" and as_target and self.switches["pgd_target"] == "flees":
            group = [one for one in self.hex_infantry(goal) if one.state == "routed"] + self.hex_guns(goal, "limbered")
            self.rout_of_target(group)
        elif result == "disordered" and as_target:
            self.engage(goal, compulsory=True)
            if self.switches["dd_target_loss"]:
                self.lose_top_first(self.stack(goal.at, "target"), self.left // self.switches["dd_target_loss"])
        elif result == "routed":
            self.engage(goal, compulsory=True)
        elif goal.formation == "skirmish":
            self.contact_skirmishers(goal)
        elif goal.arm == "cavalry":
            self.engage(goal)
        elif goal.arm == "artillery":
            self.contact_guns(goal)
        elif not bonus:
            self.contact_unchecked(goal)
        elif goal.formation == "square":
            if not self.switches["square_checks"] or self.stand(goal):
                self.ride_onto(goal)
        elif self.stand(goal):
            if goal.formation == "masse":
                self.ride_onto(goal)
            else:
                self.engage(goal)

    def engage(self, quarry: Piece, compulsory: bool = False) -> None:
        """There will be a melee with this unit's hex."""
        self.quarry, self.compulsory = quarry, compulsory
        self.quarry_hex = quarry.at

    def barred_from(self, goal: Piece) -> bool:
        """Whether the type of a regiment may not charge a unit of the goal's hex (D10.3)."""
        for piece in self.mounted:
            for one in self.stack(goal.at, "target"):
                scene = self.scene_of(goal, self.here) | {"target": one, "unit": piece, "charger": piece}
                if any(self.holds(bar["when"], scene) for bar in self.type_rules(piece).get("charges_not", ())):
                    return True
        return False

    def type_rules(self, piece: Piece) -> dict[str, Any]:
        """What the rule set says of a type of cavalry."""
        if piece.arm != "cavalry":
            return {}
        entry: dict[str, Any] = self.data["troops"].get(piece.card.nation, {}).get(piece.card.type, {})
        return entry if entry.get("arm") == "cavalry" else {}

    def shot_by_masse(self, goal: Piece) -> bool:
        """A Masse fires at the charger that comes next to it; False if the charger cannot go on."""
        sources = [goal.at] if goal.at is not None and self.zone_towards(goal, self.here) == "front" else []
        return self.opportunity_fire(sources)

    def contact_unchecked(self, goal: Piece) -> None:
        """No straight run, no stand check: the pre-melee check precedes the melee, which the charger may decline but for squares and Masses."""
        if goal.formation in ("square", "masse"):
            self.ride_onto(goal)
        else:
            self.engage(goal)

    def ride_onto(self, goal: Piece) -> None:
        """Onto the hex of a square or Masse, if it can be paid. No doubling; melee compulsory."""
        assert goal.at is not None
        there = goal.at
        self.double = False
        cost = self.charge_cost(self.here, there)
        if cost is None or not self.can_pay(cost):
            self.note("no points to ride onto the hex")
            return
        waived = goal.id in self.declared and goal.formation == "square"
        if not waived and not (self.opportunity_fire() and self.can_pay(cost)):
            return
        self.pay(cost)
        self.came_from = {piece.id: self.here for piece in self.mounted}
        self.steps += 1
        self.ride_to(there, direction_to(self.here, there))
        self.engage(goal, compulsory=True)

    def contact_skirmishers(self, goal: Piece) -> None:
        """Skirmishers take shelter with good-order infantry beside them, or rout (19)."""
        where = goal.at
        assert where is not None
        infantry = [one for one in self.hex_infantry(goal) if one.formation == "skirmish"]
        group = infantry + self.hex_guns(goal, "limbered")
        host = self.shelter(goal)
        if host is not None:
            self.note("{} shelters with {}", goal.id, host.id)
            for one in group:
                one.at, one.sheltered, one.facing = host.at, True, host.facing
                self.take_column(one)
            return
        guns = self.hex_guns(goal, "unlimbered")
        for one in group:
            self.become_routed(one)
        if self.switches["guns_with_infantry"] == "abandoned":
            for one in guns:
                self.abandon(one)
        if self.switches["skirmish_trample"] == "points":
            lost = sum(self.lose_top_first(group, 2 * self.left).values())
            self.spent += (lost + 1) // 2
        else:
            self.trample(group)
        if self.switches["skirmish_recall"]:
            self.flight(group, where, self.recall())
        else:
            self.rout(group)

    def shelter(self, goal: Piece) -> Piece | None:
        """The first unit in unit order that can give shelter."""
        assert goal.at is not None
        shapes = ("column", "general order", "line") if self.switches["shelter_line"] else ("column", "general order")
        for piece in self.alive("target"):
            able = piece.arm == "infantry" and piece.state == "good" and piece.formation in shapes
            if able and piece.at is not None and distance(piece.at, goal.at) == 1:
                return piece
        return None

    def contact_guns(self, goal: Piece) -> None:
        """Guns alone (41)."""
        assert goal.at is not None
        there = goal.at
        if goal.formation == "limbered":
            if self.switches["lone_limbered"] == "rout":
                group = self.hex_guns(goal, "limbered")
                for one in group:
                    self.become_routed(one)
                self.rout_of_target(group)
            elif not self.double:
                self.contact_unchecked(goal)
            elif self.stand(goal):
                self.engage(goal)
            return
        guns = self.hex_guns(goal, "unlimbered")
        if self.check(goal, f"guns/{goal.id}", "guns"):
            self.engage(goal)
            if self.zone_towards(goal, self.here) != "front":
                for one in guns:
                    one.silent = True
            return
        for one in guns:
            self.remove(one, "eliminated")
        cost = self.charge_cost(self.here, there)
        open_hex = cost is not None and self.can_pay(cost) and not self.stack(there, "target")
        if cost is not None and open_hex and self.opportunity_fire() and self.can_pay(cost):
            self.pay(cost)
            self.steps += 1
            self.ride_to(there, direction_to(self.here, there))

    def scene_of(self, goal: Piece, from_hex: Hex) -> dict[str, Any]:
        """What the conditions of a contact may ask about: the hexside, what runs along it, both sides."""
        assert goal.at is not None
        crosses = self.hexsides.get(frozenset((goal.at, from_hex)), "none")
        return {"target": goal, "enemy": self.lead, "charger": self.lead, "hexside": self.zone_towards(goal, from_hex), "crosses": crosses}

    def stand(self, goal: Piece) -> bool:
        """The stand check (38). True: halted. False: what follows from the failure has been played."""
        assert goal.at is not None
        where = goal.at
        guns = self.hex_guns(goal, "unlimbered")
        passed = self.check(goal, f"stand/{goal.id}", "stand", self.data["stand"]["modifiers"], scene=self.scene_of(goal, self.here))
        if self.switches["guns_with_infantry"] == "own_check":
            for gun in guns:
                if not self.check(gun, f"guns/{gun.id}", "guns") and gun.state == "good":
                    self.become_disordered(gun)
        if passed:
            return True
        stays = goal.state == "disordered" and self.switches["dd_fails_stand"] == "stays"
        asked = [goal, *guns, *self.hex_guns(goal, "limbered")]
        failed = self.infected([goal], asked) if goal.arm == "infantry" and not stays else []
        group = [goal, *self.hex_guns(goal, "limbered")] if goal.arm == "infantry" else self.hex_guns(goal, "limbered")
        for one in group:
            self.become_routed(one)
        if self.switches["guns_with_infantry"] == "abandoned":
            for gun in guns:
                self.abandon(gun)
        if stays:
            self.engage(goal, compulsory=True)
            return False
        after = [(other, self.worsen(other)) for other in failed]
        self.rout_of_target(group, after, where)
        return False

    # --- rout of the target, recall, chase (6, 42) ---

    def rout_of_target(self, group: Sequence[Piece], after: Sequence[tuple[Piece, str | None]] = (), where: Hex | None = None) -> None:
        """Trample, recall, the rout move, and what the charger does then."""
        if where is None:
            where = group[0].at
        assert where is not None
        tramples = self.plan["recalled"] == "trample"
        if tramples and self.switches["trample"] == "first":
            self.trample(group)
        recalled = self.recall()
        if tramples and self.switches["trample"] == "recalled" and recalled:
            self.trample(group)
        self.flight(group, where, recalled, after)

    def trample(self, group: Sequence[Piece]) -> None:
        points = self.data["charge"]["trample_points"]
        self.spent += points * sum(self.lose_top_first(group, self.left // points).values())

    def recall(self, name: str = "recall/charger") -> bool:
        """The recall roll: one die and its modifiers, at least the chart's number."""
        lead = self.lead
        assert lead is not None
        chart = self.data["recall"]
        scene = {"unit": lead, "charger": lead, "target": self.goal, "enemy": self.goal, "check": "recall"}
        needs = self.recall_row(lead)["needs"]
        bonus = self.total_of(chart["modifiers"], scene)
        recalled = self.ask(name, [die + bonus >= needs for die in range(1, 7)])
        self.note("  needs {}: {}", needs, "recalled" if recalled else "not recalled")
        return recalled

    def recall_row(self, lead: Piece) -> dict[str, Any]:
        """The most particular row: one naming the type, then the class, then only the nation."""
        best: tuple[int, dict[str, Any]] | None = None
        for row in self.data["recall"]["rows"]:
            fits = lead.card.nation in row.get("nations", [lead.card.nation])
            fits = fits and ("types" not in row or lead.card.type in row["types"])
            fits = fits and ("class" not in row or self.trait(lead, "class") == row["class"])
            rank = 2 if "types" in row else 1 if "class" in row else 0
            if fits and (best is None or rank > best[0]):
                best = (rank, row)
        if best is None:
            raise KeyError(f"no recall row for {lead.card.nation} {lead.card.type}")
        return best[1]

    def flight(self, group: Sequence[Piece], where: Hex, recalled: bool, after: Sequence[tuple[Piece, str | None]] = ()) -> None:
        """The rout move, then follow or chase."""
        self.unchecked = False
        self.rout(group)
        for piece, kind in after:
            self.flee(piece, kind, "other")
        if not recalled and self.switches["recall"] == "must":
            self.chasing = True
            self.double = False
            self.chase(group)
        elif recalled and self.plan["recalled"] == "follow" and (self.switches["recall"] == "must" or self.catches(group)):
            self.follow(group)
        self.after_flight(group, where, recalled)

    def follow(self, group: Sequence[Piece]) -> None:
        """Seek steps toward the group until adjacent or out of points."""
        self.double = False
        while True:
            prey = next((piece for piece in group if not piece.gone), None)
            if prey is None or prey.at is None or not self.able or distance(self.here, prey.at) == 1 or not self.seek(prey.at):
                return

    def chase(self, group: Sequence[Piece]) -> None:
        """The same, compelled: it stops at the first enemy it comes next to that is not passed."""
        while self.able:
            near = [piece for piece in self.alive("target") if piece.at is not None and distance(self.here, piece.at) == 1]
            beside = [piece for piece in near if piece.id not in self.passed and not piece.unmanned]
            if beside:
                routers = [piece for piece in beside if piece in group]
                self.engage(routers[0] if routers else beside[0], compulsory=True)
                return
            prey = next((piece for piece in group if not piece.gone), None)
            if prey is None or prey.at is None or not self.seek(prey.at):
                return

    def after_flight(self, group: Sequence[Piece], where: Hex | None, recalled: bool) -> None:
        """Whom the charger may melee after the rout of the target."""
        if not self.able or self.quarry is not None:
            return
        beside = [piece for piece in group if not piece.gone and piece.at is not None and distance(self.here, piece.at) == 1]
        if beside:
            self.double = False
            self.engage(beside[0], compulsory=self.chasing)
        elif where is not None and distance(self.here, where) == 1 and self.stack(where, "target"):
            self.double = self.double and not recalled and not self.chasing
            self.engage(self.stack(where, "target")[0])

    # --- defensive and offensive fire (9) ---

    def hexes_under_fire(self) -> dict[str, Hex]:
        """Hexes of phasing units at the beginning of the segment, by their top units."""
        found: dict[str, Hex] = {}
        for piece in self.alive("charger"):
            if piece.at is not None and piece.at not in found.values():
                found[self.stack(piece.at, "charger")[0].id] = piece.at
        return found

    def defensive_fire(self, where: Hex) -> None:
        stack = self.stack(where, "charger")
        if stack:
            self.shoot(where, "target", self.firing_hexes(where, "target"), f"fire/{stack[0].id}", repeatable=True)

    def offensive_fire(self) -> None:
        """Neighbours of the charger's side fire at the hex of the target's top unit, unless a charger stands on it."""
        goal = self.goal
        where = self.first_hex if self.stack(self.first_hex, "target") else goal.at if goal is not None else None
        if where is None or self.stack(where, "charger"):
            return
        top = self.stack(where, "target")[0]
        self.shoot(where, "charger", self.firing_hexes(where, "charger"), f"fire/{top.id}")

    # --- melee (10) ---

    def melee_segment(self) -> None:
        """The melee, readiness, and the rout of those who chased."""
        if self.charged:
            self.melee()
            self.leave_enemy_hex()
            self.tire()
        if self.chasing:
            for piece in self.mounted:
                self.become_routed(piece)

    def leave_enemy_hex(self) -> None:
        """Cavalry still on an enemy's hex when the melees are over, routed by fire on a square for instance, goes back."""
        for where in {piece.at for piece in self.riders if piece.at is not None}:
            if self.stack(where, "target"):
                self.leave_hex(where)

    def leave_hex(self, where: Hex) -> None:
        """Cavalry may not stay on a hex that holds an enemy."""
        riders = [piece for piece in self.riders if not piece.gone and piece.at == where]
        if not riders or not self.stack(where, "target"):
            return
        there = self.came_from.get(riders[0].id)
        if there is None or not self.is_free(there):
            there = self.first_free(where)
        if there is not None:
            self.note("  back to {}", there)
            facing = direction_to(where, there)
            for piece in riders:
                piece.at, piece.facing = there, self.facing_along(piece, facing)

    def first_free(self, start: Hex) -> Hex | None:
        """The first free adjacent hex by the preference of retreats."""
        enemies = self.alive("target")
        foes = [piece.at for piece in enemies if piece.at is not None]
        horizon = [foe for foe in foes if distance(start, foe) <= self.switches["retreat_horizon"]]
        options = []
        for d in range(6):
            b = neighbour(start, d)
            cost = self.retreat_cost({"cavalry"}, start, b, False)
            if cost is not None and self.is_free(b):
                near = min(distance(b, foe) for foe in foes)
                turn = turn_between(HOME["charger"], d)
                zones = len([piece for piece in enemies if self.influences(piece, b)])
                options.append((cost, -near, -sum(distance(b, foe) for foe in horizon), zones, abs(turn), turn < 0, b))
        return min(options)[-1] if options else None

    def melee_hex(self) -> Hex | None:
        """The hex to be meleed: the quarry's, if still beside the charger, or what is left where it stood."""
        if self.quarry is None:
            return None
        for where in (self.quarry.at, self.quarry_hex):
            if where is not None and distance(self.here, where) <= 1 and self.stack(where, "target"):
                return where
        return None

    def melee(self) -> None:
        if not self.able:
            return
        if not self.compulsory and self.plan["after_halt"] == "decline":
            return
        where = self.melee_hex()
        if where is None:
            return
        attackers = self.mounted
        if self.unchecked:
            self.premelee(where, attackers)
        everybody = self.stack(where, "target")
        defenders = [piece for piece in everybody if not piece.sheltered]
        if not defenders:
            return
        self.fought = [*attackers, *defenders]
        Melee(self, where, attackers, everybody).fight()

    def premelee(self, where: Hex, attackers: Sequence[Piece]) -> None:
        """The defender's check before a melee that no charge check has preceded (33)."""
        stack = [piece for piece in self.stack(where, "target") if not piece.sheltered]
        if not stack:
            return
        top = stack[0]
        if top.arm == "cavalry" or top.unlimbered or top.formation == "general order":
            return
        charging = sum(piece.increments for piece in attackers)
        if attackers[0].formation == "line":
            charging = min(charging, self.data["premelee"]["line"])
        odds = Fraction(charging, sum(piece.increments for piece in stack))
        number = self.charts.premelee[max(0, column_at(self.charts.premelee, odds))][1]["defence"]
        scene = self.scene_of(top, self.side_met(where))
        if not self.check(top, f"pre-melee/{top.id}", "pre-melee", self.data["premelee"]["modifiers"], "defence", number, scene):
            self.fail([top], "other", [top])

    def side_met(self, where: Hex) -> Hex:
        """The hex from which a hex is met: where the chargers stand, or came from if they are on it."""
        lead = self.lead
        return self.came_from[lead.id] if lead is not None and lead.at == where and lead.id in self.came_from else self.here

    def tire(self) -> None:
        """Readiness at the end of the melee segment."""
        down = {"fresh": "tired", "tired": "exhausted", "exhausted": "exhausted"}
        for piece in self.riders:
            if piece.gone:
                continue
            if piece in self.fought:
                if not self.plan["preserve"]:
                    piece.readiness = "exhausted"
            else:
                piece.readiness = "tired"
        for piece in self.fought:
            if piece.side == "target" and piece.arm == "cavalry" and not piece.gone:
                exhausts = piece.id in self.counter and self.switches["react_melee_exhausts"]
                piece.readiness = "exhausted" if exhausts else down[piece.readiness]

    # --- recovery (11) ---

    def recovery(self, piece: Piece) -> None:
        if piece.side == "target":
            if piece.rout_due and piece.state == "routed":
                self.rout([piece])
        elif piece.state != "good":
            if self.check(piece, f"recovery/{piece.id}", "recovery"):
                piece.state = "good"
                self.take_column(piece)
                if piece.arm == "infantry" and piece.at is not None and self.broken_ground(piece.at):
                    piece.formation = "general order"
                    self.settle_facing(piece)
            else:
                self.lose(piece, self.recovery_losses(piece))
                if piece.gone or piece.unlimbered:
                    return
                if piece.state == "disordered":
                    self.become_routed(piece)
                self.rout([piece])

    def recovery_losses(self, piece: Piece) -> int:
        """Increments that a failed attempt to recover costs some nations."""
        rows = self.data["morale"].get("recovery_losses", ())
        return sum(row["lose"] for row in rows if self.holds(row["when"], {"unit": piece, "check": "recovery"}))

    def broken_ground(self, where: Hex) -> bool:
        """Whether a hex has terrain in which infantry stands in general order: its fire defence has no column."""
        defence = self.data["fire"]["defence"].get(self.ground.get(where, "clear"))
        return defence is not None and "column" not in defence

    # --- the record (12) ---

    def record(self) -> Record:
        """How the run ended."""
        stack = self.riders
        worst = "gone" if any(piece.gone for piece in stack) else "routed" if self.ever_routed else "good"
        recovered = worst == "routed" and all(piece.state == "good" for piece in stack if piece.id in self.ever_routed)
        losses = {"charger": 0, "target": 0}
        for piece in self.pieces:
            losses[piece.side] += piece.card.increments - piece.increments
        hit = any(piece.id in self.broken for piece in (self.target[0], self.second) if piece is not None)
        return Record(
            units={piece.id: (piece.gone or piece.state, piece.increments, piece.formation, piece.at, piece.readiness) for piece in self.pieces},
            worst=worst,
            recovered=recovered,
            success=hit,
            clean=hit and worst == "good",
            bounced=self.bounced,
            losses=losses,
            attempt=self.attempt,
            refused=self.refused,
            spent=self.spent,
            decisions=self.decisions,
            log=self.log,
        )


class Melee:
    """One melee of the chargers against a hex (10). `everybody` are the units of the hex, sheltered ones too."""

    def __init__(self, run: Run, where: Hex, attackers: Sequence[Piece], everybody: Sequence[Piece]) -> None:
        self.run, self.where = run, where
        self.attackers, self.everybody = list(attackers), list(everybody)
        self.defenders = [piece for piece in everybody if not piece.sheltered]
        self.side_hex = run.side_met(where)

    # --- odds ---

    def fight(self) -> None:
        run = self.run
        top = self.defenders[0]
        column, shift = self.odds()
        lead = self.attackers[0]
        leader = run.leader_with(lead)
        if leader is not None:
            shift += leader.cavalry
        leaders = {"attacker": leader, "defender": run.leader_with(top)}
        hits = {role: ladder.parse_range(run.data["leaders"]["melee"][role]) if one is not None else () for role, one in leaders.items()}
        results = run.charts.melee[column][1]
        result, *struck = run.ask(
            f"melee/{lead.id}>{top.id}",
            [(results[run.clamped(face + shift)], *(role for role in hits if face in hits[role])) for face in range(ladder.STEPS)],
        )
        run.note("  column {} {:+d}: {}", run.charts.melee[column][0], shift, result)
        if "/" in result:
            self.number_result(result)
        else:
            self.letter_result(result, top)
        run.leave_hex(self.where)
        self.advance(result)
        self.leader_casualties({role: leaders[role] for role in struck})

    def odds(self) -> tuple[int, int]:
        """Column of the table and what is added to the roll for odds below it."""
        run = self.run
        attack = sum((self.value(piece, "attack") for piece in self.attackers), Fraction(0))
        defence = sum((self.value(piece, "defence") for piece in self.defenders), Fraction(0))
        run.note("melee {} : {}", attack, defence)
        below = {ratio(name): shift for name, shift in run.data["melee"]["below"].items() if name != "source"}
        if defence == 0:
            return len(run.charts.melee) - 1, 0
        if attack == 0:
            return 0, min(below.values())
        shift = next((below[limit] for limit in sorted(below) if attack / defence < limit), 0)
        return max(0, column_at(run.charts.melee, attack / defence)), shift

    def value(self, piece: Piece, side: str) -> Fraction:
        run = self.run
        share = Fraction(piece.increments, piece.card.printed)
        value = piece.card.melee * share
        scene = self.scene(piece, side)
        for one in run.data["melee"]["multipliers"]:
            if one["side"] in (side, "both") and run.holds(one.get("when", {}), scene):
                value *= Fraction(str(one["value"]))
        if piece.arm == "artillery" and piece.state == "disordered" and value:
            value = max(value, Fraction(1))
        return value + self.lance(piece, side) * share

    def scene(self, piece: Piece, side: str) -> dict[str, Any]:
        run, attack = self.run, side == "attack"
        contact = run.scene_of(self.defenders[0], self.side_hex)
        return contact | {
            "unit": piece,
            "enemy": self.defenders[0] if attack else self.attackers[0],
            "charge": attack and run.double,
            "chasing": attack and run.chasing,
            "preserving": attack and run.plan["preserve"],
            "facing": "front" if attack else run.zone_towards(piece, self.side_hex),
        }

    def lance(self, piece: Piece, side: str) -> Fraction:
        run = self.run
        rule = run.switches["lance"]
        if piece.arm != "cavalry" or piece.state != "good" or (side == "defence" and not (rule == "counter" and piece.id in run.counter)):
            return Fraction(0)
        return piece.card.lance * run.data["melee"]["lance"][rule][piece.formation]

    # --- results ---

    def survivors(self, pieces: Iterable[Piece]) -> list[Piece]:
        return [piece for piece in pieces if not piece.gone]

    def number_result(self, result: str) -> None:
        """Losses, then the starred side checks."""
        run = self.run
        ours, theirs = result.split("/")
        run.lose_top_first(self.attackers, int(ours.rstrip("*")))
        run.lose_alternating(self.everybody, int(theirs.rstrip("*")))
        for side, text in ((self.attackers, ours), (self.defenders, theirs)):
            if text.endswith("*"):
                run.event(side, "star", "melee", zone_loss=1, contagion=False)

    def letter_result(self, result: str, top: Piece) -> None:
        run = self.run
        if result == "DS":
            for piece in self.everybody:
                run.remove(piece, "surrendered")
            return
        column = "blank" if result == "." else result
        code = self.effect_code(self.row(top), column)
        run.note("  {}: {}", self.row(top), code)
        gun_code = self.effect_code(self.row_of_guns(), column) if top.arm == "infantry" else code
        held = column == "blank" and top.formation == "general order" and not run.switches["blank_moves_general_order"]
        self.apply_to_attackers(code, column)
        guns = [piece for piece in self.everybody if piece.unlimbered and not piece.gone]
        foot = [piece for piece in self.everybody if not piece.unlimbered and not piece.gone]
        if top.unlimbered:
            self.apply_to_defenders(code, guns, column)
            return
        if not held and not self.apply_to_defenders(code, foot, column):
            return
        if code == "SQ-rout" and run.switches["guns_with_infantry"] == "abandoned":
            for gun in guns:
                run.abandon(gun)
        else:
            self.apply_to_defenders(gun_code, guns, column)

    def row(self, top: Piece) -> str:
        """The matrix row of the defender's top unit before the roll."""
        if top.formation == "square":
            return "square"
        if top.arm == "artillery":
            return f"{top.formation} {top.state}"
        return f"{top.arm} {top.state}"

    def row_of_guns(self) -> str:
        guns = [piece for piece in self.everybody if piece.unlimbered]
        return f"unlimbered {guns[0].state}" if guns else "unlimbered good"

    def effect_code(self, row: str, column: str) -> str:
        run = self.run
        matrix = run.data["matrix"]
        code = matrix["rows"][row][matrix["columns"].index(column)]
        if row == "cavalry good" and column == "DD" and run.switches["cav_dd"] == "fall3_check_minus6":
            return "D-fall3"
        if code in ("A-dis", "A-dis-sq") and run.switches["cav_ad_vs_infantry"] == "always_rout":
            return "A-rout"
        return code

    def apply_to_attackers(self, code: str, column: str) -> None:
        run = self.run
        part = run.data["matrix"]["effects"][code].get("attacker", {})
        effect = part.get("cavalry", part.get("any"))
        if not effect:
            return
        group = self.survivors(self.attackers)
        if column == "blank" and "retreat" in effect:
            run.bounced = True
        self.apply(effect, group, lettered=column != "blank")

    def apply_to_defenders(self, code: str, group: Sequence[Piece], column: str) -> bool:
        """False if the defenders came to no harm by a check of their square, guns in it included."""
        run = self.run
        part = run.data["matrix"]["effects"][code].get("defender", {})
        effect = part.get(group[0].arm, part.get("any")) if group else None
        if not effect:
            return True
        if effect.get("square_check") is not None:
            self.square_hold(group, effect["square_check"])
        elif effect.get("square_dd"):
            return self.square_disorder(group)
        else:
            self.apply(effect, group, lettered=column != "blank")
        return True

    def apply(self, effect: dict[str, Any], group: Sequence[Piece], lettered: bool) -> None:
        """One side's part of an effect: losses, state, move, check."""
        run = self.run
        becomes, zone_loss = effect.get("becomes"), effect.get("zone_loss", 0)
        for piece in group:
            if effect.get("lose"):
                run.lose(piece, effect["lose"])
        group = self.survivors(group)
        for piece in group:
            if becomes in ("surrendered", "eliminated"):
                run.remove(piece, becomes)
            elif becomes == "routed" or (becomes == "disordered" and piece.arm == "cavalry"):
                run.become_routed(piece)
            elif becomes == "disordered" and piece.state == "good":
                run.become_disordered(piece)
        movers = [piece for piece in self.survivors(group) if not piece.unlimbered]
        if becomes == "routed":
            run.rout(movers, zone_loss, melee=True)
        elif "retreat" in effect and movers:
            before = {piece.id: piece.at for piece in movers}
            run.move(movers, effect["retreat"], "retreat", zone_loss, melee=True)
            run.broken |= {piece.id for piece in movers if lettered and piece.at != before[piece.id]}
        if "check" in effect:
            run.event(group, "fall-back", "melee", extra=effect["check"])

    def square_hold(self, group: Sequence[Piece], extra: int) -> None:
        """The square checks after a blank; failing, it is in column, in place and in good order."""
        run = self.run
        top = group[0]
        if not run.check(top, f"square-check/{top.id}", "square-check", extra=extra):
            for piece in group:
                if piece.formation == "square":
                    run.take_column(piece)

    def square_disorder(self, group: Sequence[Piece]) -> bool:
        """DD against a square, by the switch `square_dd`. False if it passed its check."""
        run = self.run
        mode = run.switches["square_dd"]
        top = group[0]
        if mode == "check_first" and run.check(top, f"square-check/{top.id}", "square-check"):
            return False
        if mode == "in_place_minus1":
            run.lose_top_first(group, 1)
        for piece in self.survivors(group):
            if piece.state == "good":
                run.become_disordered(piece)
            elif piece.formation == "square":
                run.take_column(piece)
        if mode != "in_place_minus1":
            run.move(self.survivors(group), 3, "retreat", 1, melee=True)
        return True

    # --- afterwards ---

    def advance(self, result: str) -> None:
        """After DD, DR, DS or elimination of all defenders the attackers move into the vacated hex."""
        run = self.run
        wiped_out = not self.survivors(self.everybody)
        if (result not in ("DD", "DR", "DS") and not wiped_out) or run.stack(self.where, "target"):
            return
        movers = [piece for piece in self.attackers if not piece.gone and piece.state == "good" and piece.at is not None]
        for piece in movers:
            if piece.at is not None and distance(piece.at, self.where) == 1:
                facing = direction_to(piece.at, self.where)
                piece.at, piece.facing = self.where, run.facing_along(piece, facing)
                run.note("  {} advances to {}", piece.id, self.where)

    def leader_casualties(self, leaders: dict[str, Leader | None]) -> None:
        """What becomes of the leaders hit by the natural roll, after the result."""
        run = self.run
        sides = {"attacker": ("charger", self.attackers), "defender": ("target", self.defenders)}
        for role, (side, fought) in sides.items():
            leader = leaders.get(role)
            if leader is None:
                continue
            fate = run.ask(f"leader/{leader.id}", ["out", "out", "out", "out", "captured", "flesh wound"], repeatable=True)
            if fate == "flesh wound":
                continue
            run.leaders[side] = None
            if fate == "captured":
                continue
            top = next((piece for piece in fought if not piece.gone), None)
            if top is None:
                continue
            where = top.at
            assert where is not None
            run.leader_lost(fought, where, leader, "melee")
