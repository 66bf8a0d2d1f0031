"""The ladder of a scenario file: results and their conditions, with names found and nonsense refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sim.errors import did_you_mean
from sim.inputs.documents import Key
from sim.units import victory
from sim.units.battlefields import JOINED, LEAVES
from sim.units.named import Named
from sim.units.victory import AllOf, AnyOf, Condition, Least, Measure, Not, Rung


class Conditions(Named):
    """Makes the ladder of a scenario."""

    def ladder(self, raw: Iterable[dict[str, Any] | None]) -> tuple[Rung, ...]:
        """The results in order, each of which can come about: whatever happens, exactly one is the first."""
        problems, rungs = self.problems, list[Rung]()
        told = list(raw)
        for i, entry in enumerate(told):
            key: Key = ("victory", i)
            if entry is None:
                continue
            winner = None if entry["winner"] is None else self.side(entry["winner"], (*key, "winner"))
            last = i == len(told) - 1
            given = "when" in (self.document.at(key) or {})
            condition = self.condition(entry["when"], (*key, "when")) if given else None
            if last and given:
                problems.error(
                    (*key, "when"), "must not be given for the last result, which is that of all other ends"
                )
            if not last and not given:
                problems.error(
                    key, "must have the field 'when': only the last result has no condition", (*key, "when")
                )
            if any(entry["result"] == rung.result for rung in rungs):
                problems.error((*key, "result"), f"must be another name than before, got {entry['result']!r}")
            if condition is not None and problems.sound((*key, "when")):
                self.comes_about(condition, key, rungs)
            rungs.append(Rung(str(entry["result"]), winner, condition))
        return tuple(rungs)

    def comes_about(self, condition: Condition, key: Key, rungs: list[Rung]) -> None:
        """A condition can hold, and holds somewhere where none before it does."""
        if victory.contradicts(condition):
            self.problems.error((*key, "when"), "can never hold: its parts contradict each other")
            return
        for rung in rungs:
            if rung.condition is not None and victory.implies(condition, rung.condition):
                told = f"can never count: whenever it holds, {rung.result!r} holds already"
                self.problems.error((*key, "when"), told)
                return

    def condition(self, raw: Any, key: Key) -> Condition | None:
        """A condition with its names found; None where it is faulty."""
        if not isinstance(raw, dict) or not self.problems.sound(key):
            return None
        for name in JOINED:
            if name not in raw:
                continue
            if name == "not":
                inner = self.condition(raw[name], (*key, name))
                return None if inner is None else Not(inner)
            parts = [self.condition(one, (*key, name, i)) for i, one in enumerate(raw[name])]
            sound = tuple(one for one in parts if one is not None)
            if len(sound) < len(parts):
                return None
            return AllOf(sound) if name == "all" else AnyOf(sound)
        kind = next(name for name in LEAVES if name in raw)
        return self.compared(kind, raw, key)

    def compared(self, kind: str, raw: dict[str, Any], key: Key) -> Condition | None:
        """A comparison: at least or at most a number, which the measure can reach."""
        problems = self.problems
        measure, most = self.measure(kind, raw, key)
        if measure is None or not problems.sound(key):
            return None
        least, at_most = raw["at_least"], raw["at_most"]
        if least is None and at_most is None and kind == "held":
            least = most
        if (least is None) == (at_most is None):
            problems.error(key, "must have either 'at_least' or 'at_most'")
            return None
        name, number = ("at_least", least) if at_most is None else ("at_most", at_most)
        bottom = -most if kind == "balance" else 0
        if not bottom <= number <= most:
            told = f"must be from {bottom} to {most}, which is all there is, got {number}"
            problems.error((*key, name), told)
            return None
        return Least(measure, number) if at_most is None else Not(Least(measure, number + 1))

    def measure(self, kind: str, raw: dict[str, Any], key: Key) -> tuple[Measure | None, int]:
        """What a condition counts, and the most that this can be."""
        before = raw["before"]
        turn = None if before is None else self.turn(before, (*key, "before"), 2) - 1
        if turn == 0:
            self.problems.error((*key, "before"), "must be after the first turn")
        if kind == "level":
            names_ = [one.name for one in self.organisations]
            if raw[kind] not in names_:
                hint = did_you_mean(raw[kind], names_) or f" Known: {', '.join(names_)}."
                told = f"must be an organisation that reaches levels, got {raw[kind]!r}.{hint}"
                self.problems.error((*key, kind), told.removesuffix("."))
                return None, 0
            number = names_.index(raw[kind])
            return Measure(kind, self.organisations[number].side, organisation=number, turn=turn), 3
        if kind == "balance":
            side = self.side(raw[kind], (*key, kind))
            return Measure(kind, side, turn=turn), sum(unit.increments for unit in self.units)
        if kind == "held":
            hexes = [
                one
                for i, name in enumerate(raw[kind])
                for one in self.place(name, self.element((*key, kind), i))
            ]
            distinct = tuple(dict.fromkeys(hexes))
            return Measure(kind, self.side(raw["by"], (*key, "by")), hexes=distinct, turn=turn), len(distinct)
        group = self.who(raw[kind], (*key, kind))
        sides = dict.fromkeys(self.units[number].side for number in group.units)
        if len(sides) != 1:
            if self.problems.sound((*key, kind)):
                self.problems.error((*key, kind), "must be units of one side")
            return None, 0
        through = tuple(
            dict.fromkeys(
                hex_
                for i, name in enumerate(raw.get("through", ()))
                for hex_ in self.edge(name, self.element((*key, "through"), i))
            )
        )
        own = [self.units[number] for number in group.units]
        most = (
            sum(unit.arm == "infantry" for unit in own)
            if kind == "broken"
            else sum(unit.increments for unit in own)
        )
        side = self.sides.index(next(iter(sides)))
        return Measure(kind, side, units=tuple(sorted(group.units)), hexes=through, turn=turn), most
