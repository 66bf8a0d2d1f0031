"""What a situation asks of the rules' functions, by the word it asks with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from sim.ensemble import ladder
from sim.ensemble.ratios import Ratio
from sim.rules import assault, fire, levels, melee, morale, movement, readiness, stacking, victory, zones
from sim.rules.victory import Ledger
from sim.rulesets.compiled import AD, AR, BATTALION, DD, DR, DS, REGIMENT
from sim.units.battles import AGAIN, DelayRoll
from sim.units.forces import kind_of
from sim.units.victory import Least, Measure, Rung
from sim.vocabulary import ARMS, FORMATIONS, READINESS, STATES
from tests.situations import drawn
from tests.situations.drawn import FACINGS, Situation

Facts = Mapping[str, Any]
ZONE_LETTERS = "FLR"
LETTERS = {"AR": AR, "AD": AD, "DD": DD, "DR": DR, "DS": DS}
SIZES = {"battalion": BATTALION, "regiment": REGIMENT}


def number(*values: Any) -> Any:
    """An array of one case."""
    return np.array(values)


def form(given: Facts) -> Any:
    return number(FORMATIONS.index(given.get("formation", "column")))


def arm(given: Facts) -> Any:
    return number(ARMS.index(given.get("arm", "infantry")))


def state(given: Facts) -> Any:
    return number(STATES.index(given.get("state", "good")))


def ratio(value: Any) -> Ratio:
    return Ratio.of(Fraction(str(value)))


def ratios(value: Any) -> Ratio:
    one = Fraction(str(value))
    return Ratio.made([one.numerator], [one.denominator])


# -- movement -----------------------------------------------------------------------------------------------


def allowance(one: Situation) -> float:
    given, rules = one.given, one.book.blocks.movement.allowance
    held = number(bool(given.get("held")))
    return float(movement.allowance(number(given["printed"]), form(given), state(given), held, rules)[0] / 2)


def allowance_out_of_square(one: Situation) -> float:
    changes = one.book.blocks.movement.change
    return float(movement.allowance_out_of_square(number(one.given["printed"]), changes)[0] / 2)


def change(one: Situation) -> float:
    given, changes = one.given, one.book.blocks.movement.change
    before, after = (number(FORMATIONS.index(given[name])) for name in ("before", "after"))
    two = number(bool(given.get("two")))
    return float(movement.change_cost(arm(given), before, after, two, changes)[0] / 2)


def facing(one: Situation) -> float:
    changes = one.book.blocks.movement.change
    return float(movement.facing_cost(number(one.given["hexsides"]), changes)[0] / 2)


def limbers(one: Situation) -> bool:
    given = one.given
    row = one.book.limber_row(given["nation"], given["class"])
    assert row is not None
    bonus = number(given.get("bonus", 0))
    return bool(movement.limbers(number(given["die"]), bonus, number(row.needs))[0])


def prolong(one: Situation) -> bool:
    given = one.given
    formation = form({"formation": "unlimbered"} | dict(given))
    before, clear, slope = (
        number(bool(given.get(name, other))) for name, other in (("before", 0), ("clear", 1), ("slope", 0))
    )
    slopes = one.book.switches["prolong"] == "slopes"
    return bool(movement.may_prolong(formation, before, clear, slope, slopes)[0])


def may_force_march(one: Situation) -> bool:
    given = one.given
    level, along = number(given.get("level", 0)), number(bool(given.get("with")))
    return bool(movement.may_force_march(arm(given), form(given), state(given), level, along)[0])


def force_march_check(one: Situation) -> int:
    rules = one.book.blocks.movement.force_march
    return int(movement.force_march_check(number(one.given["before"]), rules)[0])


def force_marched(one: Situation) -> float:
    given, rules = one.given, one.book.blocks.movement.force_march
    passed = number(given["passed"])
    return float(movement.force_marched(number(given["printed"]), passed, rules)[0] / 2)


def surcharge(one: Situation) -> float:
    rules = one.book.blocks.movement.skirmish_horse
    return float(movement.surcharge(number(one.given["hexes"]), rules)[0] / 2)


# -- zones, stacking ----------------------------------------------------------------------------------------


def has_zone(one: Situation) -> bool:
    return bool(zones.has_zone(form(one.given), state(one.given), number(False))[0])


def draws_fire(one: Situation) -> bool:
    return bool(zones.draws_fire(number(one.given["zone"]), number(one.given["acts"]))[0])


def may_unlimber(one: Situation) -> bool:
    given, book = one.given, one.book
    cost = 2 * book.blocks.movement.change.artillery
    allowed = bool(book.switches["unlimber_in_zone"])
    return bool(zones.may_unlimber(number(given["cavalry"]), number(2 * given["left"]), cost, allowed)[0])


def stack(one: Situation) -> bool:
    units, book = one.given["units"], one.book
    terrain = number(book.terrains.index(one.given.get("terrain", "clear")))
    arms = number(*(ARMS.index(unit.get("arm", "infantry")) for unit in units))[:, None]
    default = {"cavalry": "regiment"}
    sizes = number(*(SIZES[unit.get("size", default.get(unit.get("arm"), "battalion"))] for unit in units))
    men = number(*(unit["inc"] for unit in units))[:, None]
    there = np.ones((len(units), 1), bool)
    return bool(stacking.within(book.stack_limits, terrain, there, arms, men, sizes[:, None])[0])


def alike(one: Situation) -> bool:
    units = one.given["units"]
    arms, formations = (np.concatenate([pick(unit) for unit in units])[:, None] for pick in (arm, form))
    return bool(stacking.alike(np.ones((len(units), 1), bool), arms, formations)[0])


def passes_friend(one: Situation) -> bool:
    given = one.given
    friend = number(ARMS.index(given["friend"]))
    loose, other = number(given.get("moving") == "skirmish"), number(given["formation"] == "skirmish")
    closed = bool(given.get("closed"))
    return bool(movement.may_pass(arm(given), loose, friend, form(given), other, closed)[0])


# -- formations ---------------------------------------------------------------------------------------------


def sides(one: Situation) -> str:
    unit = drawn.soldier("unit", one.given)
    kind = kind_of(unit, one.book.light_from)
    formation, looks = FORMATIONS.index(unit.formation), FACINGS.index(one.given["facing"])
    return " ".join(ZONE_LETTERS[zone] for zone in one.book.zones[kind, formation, looks].tolist())


# -- fire ---------------------------------------------------------------------------------------------------


def strength(one: Situation) -> int | float:
    given, shaken = one.given, state(one.given) == 1
    if "printed" in given:
        told = fire.printed_fire(ratios(given["printed"]), number(given["inc"]), number(given["of"]), shaken)
        return plain(told.value.fractions()[0])
    most = int(one.book.fire_caps[FORMATIONS.index(given["formation"])])
    parts = [fire.counted_fire(number(men), most, ratios(given["multiple"])) for men in given["hexes"]]
    return plain(sum((part.value.fractions()[0] for part in parts), Fraction(0)))


def gun_strength(one: Situation) -> int | float:
    given = one.given
    told = fire.gun_fire(
        ratios(given["printed"]), number(given["inc"]), number(given["of"]), state(given) == 1
    )
    share = fire.at_range(one.book.gun_shares, number(given.get("hexes", 1)))
    return plain((told.value * share).fractions()[0])


def skirmish_share(one: Situation) -> int | float:
    return plain(fire.at_range(one.book.skirmish_shares, number(one.given["hexes"])).fractions()[0])


def plain(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


def fire_column(one: Situation) -> str:
    given, book = one.given, one.book
    shift, canister = book.blocks.fire.canister_shift, number(bool(given.get("canister")))
    attack, defence = ratios(given["attack"]), number(given["defence"])
    lowest = book.switches["below_lowest"] == "lowest"
    return book.fire_columns[
        int(fire.fire_column(attack, defence, book.fire_columns, canister, shift, lowest)[0])
    ]


def fire_losses(one: Situation) -> int:
    given, book = one.given, one.book
    mass = book.blocks.fire.massed
    more = int(fire.massed(number(given["increments"]), mass.above, mass.each)[0]) + given.get("bonus", 0)
    face = ladder.shifted(given["roll"], more)
    row = book.blocks.fire.table[given["column"]]
    [loss] = [loss for loss, span in row.items() if ladder.index_of(face) in span]
    return int(loss)


def split(one: Situation) -> list[int]:
    given = one.given
    told = (number(bool(given.get(name))) for name in ("infantry", "guns"))
    return [int(part[0]) for part in fire.split_losses(number(given["losses"]), *told)]


def combine(one: Situation) -> bool:
    given, rules = one.given, one.book.blocks.fire.combine
    bonus = number(given["bonus"])
    hexes, yes = number(given["hexes"]), number(True)
    return bool(fire.may_combine(hexes, yes, bonus, bonus, ~yes, rules.two, rules.three)[0])


def loss_check(one: Situation) -> bool:
    given = one.given
    told = (given["first"], given["step"])
    return bool(morale.loss_calls_for_check(number(given["before"]), number(given["after"]), *told)[0])


# -- assault ------------------------------------------------------------------------------------------------


def attacking_increments(one: Situation) -> int:
    most, total = one.book.blocks.premelee.line, 0
    for place in one.given["hexes"]:
        men = np.atleast_1d(place["inc"])[:, None]
        total += int(assault.counted_increments(men, form(place), most)[0])
    return total


def premelee(one: Situation) -> dict[str, int]:
    book, columns = one.book, one.book.premelee_columns
    attackers, defenders = (ratios(one.given[name]) for name in ("attackers", "defenders"))
    column = int(melee.premelee_column(attackers, defenders, columns)[0])
    return {"attack": int(book.premelee_attack[column]), "defence": int(book.premelee_defence[column])}


def may_assault(one: Situation) -> bool:
    return bool(assault.may_assault(arm(one.given), form(one.given), state(one.given))[0])


def defender_checks(one: Situation) -> bool:
    given, cavalry = one.given, number(bool(one.given.get("cavalry")))
    return bool(assault.defender_checks(arm(given), form(given), state(given), cavalry)[0])


def attackers_check(one: Situation) -> bool:
    return bool(assault.attacker_checks(form(one.given), number(False))[0])


def attack_losses(one: Situation) -> int:
    given, book = one.given, one.book
    attacker, defender = (number(ladder.index_of(given[name])) for name in ("attacker", "defender"))
    each = book.blocks.premelee.fire_loss.each
    return int(
        assault.attack_losses(
            number(given["lost"]), number(given["by"]), attacker, defender, each, book.elite
        )[0]
    )


def defence_losses(one: Situation) -> int:
    given, yes = one.given, number(True)
    attacker, defender = (number(ladder.index_of(given[name])) for name in ("attacker", "defender"))
    return int(assault.defence_losses(number(given["by"]), attacker, defender, yes, one.book.elite)[0])


def retreats_before(one: Situation) -> bool:
    given = one.given
    horse, cavalry = (number(bool(given.get(name))) for name in ("horse", "cavalry"))
    advantage = one.book.blocks.premelee.before_melee.advantage
    told = (
        arm(given),
        form(given),
        state(given),
        horse,
        number(given["mp"]),
        number(given["attackers"]),
        cavalry,
    )
    return bool(assault.may_retreat_before(*told, advantage)[0])


def melee_value(one: Situation) -> float:
    """By the factors named, each as the rule set has it."""
    given = one.given
    value = Fraction(given["melee"]) * Fraction(given["inc"], given["of"])
    by_key = {factor.key: factor.value for factor in one.book.blocks.melee.multipliers}
    for key in given.get("factors", ()):
        value *= by_key[key]
    return float(value)


def melee_column(one: Situation) -> list[Any]:
    book = one.book
    attack, defence = (ratios(one.given[name]) for name in ("attack", "defence"))
    column, shift = melee.melee_column(attack, defence, book.melee_columns, book.blocks.melee.below.rows)
    return [book.melee_columns[int(column[0])], int(shift[0])]


def melee_result(one: Situation) -> str:
    given, table = one.given, one.book.blocks.melee
    face = ladder.shifted(given["roll"], given.get("shift", 0))
    return str(table.table[face][table.columns.index(given["column"])])


def matrix(one: Situation) -> str:
    chart = one.book.blocks.matrix
    return str(chart.rows[one.given["row"]][list(chart.columns).index(one.given["column"])])


def must_advance(one: Situation) -> bool:
    letter = LETTERS.get(one.given.get("letter", ""), -1)
    return bool(assault.must_advance(number(letter), number(one.given["left"]))[0])


# -- checks and the turn ------------------------------------------------------------------------------------


def chance(one: Situation) -> int:
    """Of 36, by the rulebook's chart of morale checks."""
    return sum(_passes(one, index) for index in range(ladder.STEPS))


def passes(one: Situation) -> bool:
    return _passes(one, ladder.index_of(one.given["roll"]))


def _passes(one: Situation, index: int) -> bool:
    given, chart = one.given, one.book.morale_chart
    face = min(max(index + sum(given.get("modifiers", ())), 0), ladder.STEPS - 1)
    return bool(chart.outcomes[int(chart.values[ladder.index_of(given["morale"]), face])] == "pass")


def thresholds(one: Situation) -> list[int]:
    return list(levels.thresholds(one.given["battalions"]))


def level(one: Situation) -> int:
    return int(levels.level(number(one.given["lost"]), one.given["at"])[0])


def tested(one: Situation) -> bool:
    hours, minutes = one.given["time"].split(":")
    return levels.tested(60 * int(hours) + int(minutes))


def penalty(one: Situation) -> int:
    return int(levels.penalty(number(one.given["level"]), one.given["penalties"])[0])


def delay(one: Situation) -> list[str]:
    late = [0] * 6
    for span, turns in one.given["faces"].items():
        first, _, last = str(span).partition("-")
        for die in range(int(first), int(last or first) + 1):
            late[die - 1] = AGAIN if turns == "again" else turns
    return [str(DelayRoll(tuple(late)).chance(turns)) for turns in one.given["turns"]]


def result(one: Situation) -> str:
    """By a ladder over two sides, A with unit 0 and B with unit 1."""
    given, ladder_of = one.given, []
    for rung in given["ladder"]:
        condition = None
        if "when" in rung:
            when = dict(rung["when"])
            least = when.pop("at_least")
            [(kind, side)] = when.items()
            who = "AB".index(side)
            condition = Least(Measure(kind, who, () if kind == "balance" else (who,)), least)
        ladder_of.append(Rung(rung["result"], None, condition))
    told = {name: [[given.get(name, {}).get(side, 0)] for side in "AB"] for name in ("lost", "exited")}
    ledger = Ledger(
        sides=np.array([0, 1]),
        infantry=np.array([True, True]),
        lost=np.array(told["lost"]),
        left=np.array(told["exited"]),
        left_by=np.zeros((2, 1), int),
        broken=np.zeros((2, 1), bool),
        holders={},
        levels=np.zeros((1, 1), int),
        hex_numbers={},
    )
    values = {
        rung.condition.measure: victory.measured(rung.condition.measure, ledger)
        for rung in ladder_of
        if isinstance(rung.condition, Least)
    }
    return ladder_of[int(victory.results(ladder_of, values, 1)[0])].result


def tires(one: Situation) -> str:
    given = one.given
    before, no = number(READINESS.index(given["from"])), number(False)
    meleed = number(bool(given.get("meleed")))
    if given.get("charged"):
        return READINESS[int(readiness.after_charge(before, ~no, meleed, no)[0])]
    return READINESS[int(readiness.after_defence(before, meleed, no, False)[0])]


def readiness_back(one: Situation) -> str:
    """After a whole turn."""
    given = one.given
    moved = number(0 if not given["moved"] else 1 if 2 * given["moved"] <= given["of"] else 2)
    upset = number(any(given.get(name) for name in ("meleed", "shot", "retreated")))
    levels = int(readiness.recovered(moved, upset)[0])
    return READINESS[max(READINESS.index(given["from"]) - levels, 0)]


ASKED: dict[str, Callable[[Situation], Any]] = {
    "allowance": allowance,
    "allowance out of square": allowance_out_of_square,
    "change": change,
    "facing": facing,
    "limbers": limbers,
    "prolong": prolong,
    "may force march": may_force_march,
    "force march check": force_march_check,
    "force marched": force_marched,
    "surcharge": surcharge,
    "march": drawn.marched,
    "has zone": has_zone,
    "draws fire": draws_fire,
    "may unlimber": may_unlimber,
    "stack": stack,
    "alike": alike,
    "pass": passes_friend,
    "sides": sides,
    "strength": strength,
    "gun strength": gun_strength,
    "skirmish share": skirmish_share,
    "fire column": fire_column,
    "fire losses": fire_losses,
    "split": split,
    "combine": combine,
    "loss check": loss_check,
    "shot": drawn.shot,
    "attacking increments": attacking_increments,
    "premelee": premelee,
    "may assault": may_assault,
    "defender checks": defender_checks,
    "attackers check": attackers_check,
    "attack losses": attack_losses,
    "defence losses": defence_losses,
    "retreats before": retreats_before,
    "melee value": melee_value,
    "melee column": melee_column,
    "melee result": melee_result,
    "matrix": matrix,
    "must advance": must_advance,
    "way": drawn.fled,
    "zone losses": drawn.zone_losses,
    "chance": chance,
    "passes": passes,
    "thresholds": thresholds,
    "level": level,
    "tested": tested,
    "penalty": penalty,
    "delay": delay,
    "victory": result,
    "tires": tires,
    "readiness": readiness_back,
    "two hexes": drawn.two_hexes,
    "may extend": drawn.may_extend,
    "must extend": drawn.may_extend,
    "shrinks": drawn.shrinks,
    "deployed": drawn.deployed,
    "formation after": drawn.formation_after,
}
