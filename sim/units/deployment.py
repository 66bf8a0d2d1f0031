"""Who stands where at the start of a scenario, who comes later, and what they are to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sim.board.hexmap import Hex, direction_to
from sim.board.limits import LEAST_IN_TWO, deployed, stack_fits
from sim.errors import did_you_mean, one_of
from sim.inputs.documents import Key
from sim.rulesets.compiled import SIZES
from sim.units.battles import Arrival, DelayRoll, Order, Placement, Side
from sim.units.conditions import Conditions
from sim.units.named import Group
from sim.vocabulary import (
    ARMS,
    ARTILLERY_FORMATIONS,
    CAVALRY_FORMATIONS,
    FORMATIONS,
    INFANTRY_FORMATIONS,
    KINDS,
)

_FORMATIONS_OF = {
    "infantry": INFANTRY_FORMATIONS,
    "cavalry": (*CAVALRY_FORMATIONS, "road march"),
    "artillery": ARTILLERY_FORMATIONS,
}
_IN_TWO_HEXES = ("line", "skirmish")
_CORNERS = {
    True: ("SSE", "SSW", "W", "NNW", "NNE", "E"),
    False: ("ESE", "S", "WSW", "WNW", "N", "ENE"),
}
"""Names of the corners behind directions 0 to 5, of hexes that stand on a side, and on a corner."""


class Deployment(Conditions):
    """Makes the placements, arrivals and orders of a scenario."""

    def formation(self, number: int, told: tuple[str | None, ...] | None, key: Key, usual: str) -> str:
        """The first of some formations that a unit's arm has."""
        unit, problems = self.units[number], self.problems
        own = _FORMATIONS_OF[unit.arm]
        default = (
            "limbered"
            if (unit.arm, usual) == ("artillery", "road march")
            else usual
            if usual in own
            else own[-1]
        )
        fitting = [one for one in told or () if one in own]
        if told and not fitting:
            if None not in told and problems.sound(key):
                problems.error(
                    key, f"must be {one_of(own)} for {unit.name} ({unit.arm}), got {one_of(list(told))}"
                )
            return default
        if not fitting:
            return default
        multiple = unit.multiples.get(str(fitting[0]), True)
        if multiple is None and problems.sound(key):
            lacks = f"it has no {fitting[0]} in {self.rules.name}"
            problems.error(key, f"must be one that {unit.nation} {unit.type} can take; {lacks}")
        return str(fitting[0])

    def facing(self, number: int, formation: str, told: tuple[str | None, ...] | None, key: Key) -> int:
        """Twelfths of a turn: the first of some directions that the unit can face in its formation."""
        unit, grid = self.units[number], self.map_sheet.grid
        kind = unit.arm
        if kind == "cavalry":
            kind = "light cavalry" if unit.movement >= self.book.light_from else "heavy cavalry"
        corner = int(self.book.corner_facing[KINDS.index(kind), FORMATIONS.index(formation)])
        own = _CORNERS[grid.flat] if corner else grid.compass
        if told is None:
            side = self.sides.index(unit.side) if unit.side in self.sides else 0
            return 2 * ((self.homes[side] + 3) % 6) + corner
        fitting = [one for one in told if one in own]
        if not fitting:
            if None not in told and self.problems.sound(key):
                what = "a corner of its hex" if corner else "a side of its hex"
                told_ = (
                    f"must be {what}, {one_of(own)}, for {unit.name} in {formation}, got {one_of(list(told))}"
                )
                self.problems.error(key, told_)
            return corner
        return 2 * own.index(str(fitting[0])) + corner

    def placement(
        self, raw: dict[str, Any], key: Key, placed: Counter[tuple[bool, int]]
    ) -> Iterator[Placement]:
        """Where units and leaders stand: units dealt to the hexes in order, leaders in the first."""
        problems = self.problems
        group = self.who(raw["who"] or (), (*key, "who"))
        spots = self.spots(raw["at"] or (), (*key, "at"))
        self.once(group, (*key, "who"), placed)
        if not spots:
            return
        many = len(group.units) or 1
        if len(spots) > many and len(raw["at"]) == 1:
            spots = spots[:many]  # a place larger than its garrison
        if len(spots) > many and problems.sound((*key, "at"), (*key, "who")):
            problems.error((*key, "at"), f"must be at most as many hexes as units, {many}, got {len(spots)}")
        for i, number in enumerate(group.units):
            hex_, second = spots[min(i * len(spots) // len(group.units), len(spots) - 1)]
            formation = self.formation(number, raw["formation"], (*key, "formation"), "column")
            if raw["formation"] is None and self.units[number].arm == "artillery":
                formation = "unlimbered"
            formation = self.ground(number, (hex_, second), formation, raw["formation"] is None, key)
            facing = self.facing(number, formation, raw["facing"], (*key, "facing"))
            self.extent(number, (hex_, second), formation, facing, key)
            yield Placement(number, False, hex_, second, facing, formation, raw["state"], raw["readiness"])
        for number in group.leaders:
            yield Placement(number, True, spots[0][0], None, 0, "column", "good", "fresh")

    def ground(self, number: int, hexes: tuple[Hex, Hex | None], formation: str, free: bool, key: Key) -> str:
        """The formation in which a unit stands on its ground, which must be the one told unless it is free;
        two hexes for formations that may have them."""
        unit, sheet, book, problems = self.units[number], self.map_sheet, self.book, self.problems
        if hexes[1] is not None and (unit.arm != "infantry" or formation not in _IN_TWO_HEXES):
            told = f"must be one hex for {unit.name}: only infantry in line or skirmish order has two"
            problems.error((*key, "at"), told)
        for at in hexes:
            name = "clear" if at is None else sheet.map.terrain.get(at, "clear")
            if at is None or name not in book.terrains:
                continue
            place = ARMS.index(unit.arm), FORMATIONS.index(formation), book.terrains.index(name)
            after = int(book.formation_after[place])
            if after < 0 or getattr(self.rules.blocks.terrain.rows[name], unit.arm) is None:
                told = f"must be ground where {unit.arm} in {formation} may be"
                problems.error(
                    (*key, "at"), f"{told}, but hex {sheet.grid.label(at)} is {name} ({unit.name})"
                )
            elif FORMATIONS[after] != formation and not free and problems.sound((*key, "formation")):
                told = f"must be {FORMATIONS[after]} in {name} ({unit.name} in {sheet.grid.label(at)})"
                problems.error((*key, "formation"), f"{told}, got {formation}")
            elif free:
                formation = FORMATIONS[after]
        return formation

    def extent(
        self, number: int, hexes: tuple[Hex, Hex | None], formation: str, facing: int, key: Key
    ) -> None:
        """A unit in two hexes has increments enough, and lies across its front; skirmishers who are too many
        for one hex have two (docs/battle.md O3, O6)."""
        unit, (own, other), problems = self.units[number], hexes, self.problems
        if unit.arm != "infantry" or formation not in _IN_TWO_HEXES or not problems.sound((*key, "at")):
            return
        least = int(LEAST_IN_TWO[FORMATIONS.index(formation)])
        if other is None:
            if formation == "skirmish" and unit.increments >= least:
                told = f"must be two hexes ('0102+0103') for {least} increments in skirmish order or more"
                problems.error((*key, "at"), f"{told}: {unit.name} has {unit.increments}")
            return
        if unit.increments < least:
            told = f"must be one hex for fewer than {least} increments in {formation}"
            problems.error((*key, "at"), f"{told}: {unit.name} has {unit.increments}")
        elif direction_to(own, other) not in ((facing // 2 + 2) % 6, (facing // 2 + 5) % 6):
            grid = self.map_sheet.grid
            told = f"must have its second hex right or left of {unit.name} as it faces"
            problems.error((*key, "at"), f"{told}, got {grid.label(other)} beside {grid.label(own)}")

    def once(self, group: Group, key: Key, placed: Counter[tuple[bool, int]]) -> None:
        """Nobody stands or comes twice."""
        for leader, numbers in ((False, group.units), (True, group.leaders)):
            for number in numbers:
                placed[leader, number] += 1
                if placed[leader, number] == 2:
                    name = self.entries[number + len(self.units) * leader].name
                    told = f"must not have {name} a second time: it is placed, or a reinforcement, already"
                    self.problems.error(key, told)

    def everybody(self, placed: Counter[tuple[bool, int]]) -> None:
        """Everybody stands somewhere or comes."""
        if not self.problems.sound(("placement",), ("reinforcements",)):
            return
        units = [one.name for number, one in enumerate(self.units) if not placed[False, number]]
        leaders = [one.name for number, one in enumerate(self.leaders) if not placed[True, number]]
        missing = [*units, *leaders]
        if missing:
            some = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
            self.problems.error(
                ("placement",), f"must have everybody who is no reinforcement; missing {some}"
            )

    def enemies_apart(self, placements: Iterable[Placement]) -> None:
        """No hex holds units of both sides."""
        there: dict[Hex, int] = {}
        for one in placements:
            if one.leader:
                continue
            side = self.sides.index(self.units[one.number].side)
            for at in (one.hex, one.second):
                if at is not None and there.setdefault(at, side) != side:
                    told = f"must not have both sides in one hex, but {self.map_sheet.grid.label(at)} has"
                    self.problems.error(("placement",), told)
                    return

    def within_limits(self, placements: Iterable[Placement]) -> None:
        """No hex holds more than its stacking limit (docs/battle.md S); a unit in two has half in each."""
        there: dict[Hex, list[Placement]] = {}
        for one in placements:
            if not one.leader:
                for at in {one.hex, one.second or one.hex}:
                    there.setdefault(at, []).append(one)
        for hex_, stack in there.items():
            name = self.map_sheet.map.terrain.get(hex_, "clear")
            if name not in self.book.terrains:
                continue
            told: list[int] = []
            for arm in ARMS:
                units = [one for one in stack if self.units[one.number].arm == arm]
                size = max((SIZES[self.units[one.number].size] for one in units), default=0)
                told += [len(units), sum(self.present(one, hex_) for one in units), size]
            fits = stack_fits(self.book.stack_limits, self.book.terrains.index(name), *told[:-1])
            if not fits:
                names = ", ".join(self.units[one.number].name for one in stack)
                where = f"hex {self.map_sheet.grid.label(hex_)} ({name})"
                self.problems.error(("placement",), f"must fit the stacking limits: {where} has {names}")

    def present(self, one: Placement, hex_: Hex) -> int:
        """Increments of a unit in a hex of its own."""
        increments = self.units[one.number].increments
        return increments if one.second is None else deployed(increments, int(hex_ == one.second))

    def arrival(
        self, raw: dict[str, Any], key: Key, delays: Mapping[str, Any], placed: Counter[tuple[bool, int]]
    ) -> Arrival:
        """Who comes when and where."""
        problems = self.problems
        group = self.who(raw["who"] or (), (*key, "who"))
        self.once(group, (*key, "who"), placed)
        hexes = [hex_ for hex_, _ in self.spots(raw["at"] or (), (*key, "at"), edges=True)]
        turn = self.turn(raw["turn"], (*key, "turn"), 1)
        delay = raw["delay"]
        if isinstance(delay, str):
            if delay not in delays:
                hint = did_you_mean(delay, delays) or f" Known: {', '.join(delays) or 'none'}."
                problems.error(
                    (*key, "delay"), f"must be one of 'delays', got {delay!r}.{hint}".removesuffix(".")
                )
            delay = delays.get(delay)
        formations = tuple(
            self.formation(number, raw["formation"], (*key, "formation"), "road march")
            for number in group.units
        )
        return Arrival(
            group.units, group.leaders, turn, tuple(hexes), formations, DelayRoll(delay) if delay else None
        )

    def order(self, raw: dict[str, Any], key: Key, sides: tuple[Side, Side]) -> Iterator[Order]:
        """What some units are to do."""
        problems, kind = self.problems, raw["order"]
        group = self.who(raw["who"] or (), (*key, "who"))
        begins = self.turn(raw["from"], (*key, "from"), 1)
        ends = None if raw["until"] is None else self.turn(raw["until"], (*key, "until"), begins)
        if ends is not None and ends < begins:
            problems.error((*key, "until"), "must not be before 'from'")
        hexes = [hex_ for hex_, _ in self.spots(raw["goal"], (*key, "goal"), edges=kind == "exit")]
        if kind in ("take", "hold") and not raw["goal"]:
            problems.error(
                key, f"must have the field 'goal' (what to {kind}), but it is missing", (*key, "goal")
            )
        if kind == "reserve" and raw["goal"]:
            problems.error((*key, "goal"), "must not be given for a reserve")
        for side in dict.fromkeys(self.units[number].side for number in group.units):
            own = sides[self.sides.index(side)]
            units = tuple(number for number in group.units if self.units[number].side == side)
            if kind == "exit" and not raw["goal"] and not own.exits:
                problems.error(
                    key, f"must have the field 'goal' (an edge), since {side} has no exits", (*key, "goal")
                )
            goal = tuple(hexes) or (own.exits if kind == "exit" else ())
            yield Order(", ".join(map(str, raw["who"])), units, kind, goal, begins, ends)

    def holders(self, raw: Mapping[str, Any]) -> dict[Hex, int]:
        """Who holds the hexes of places at the start."""
        found: dict[Hex, int] = {}
        for place, name in raw.items():
            side = self.side(name, ("held", place))
            found |= dict.fromkeys(self.place(place, ("held", place)), side)
        return found
