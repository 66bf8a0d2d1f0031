"""What only several fields of a charge file together show.

A field that is wrong by itself is not told again in what depends on it.
"""

from __future__ import annotations

from sim.board.hexmap import Hex
from sim.errors import did_you_mean, one_of
from sim.inputs.documents import Key, dotted
from sim.inputs.fields import Problems
from sim.rulesets.catalogue import RuleSet
from sim.units.chargefields import RESPONSES_OF
from sim.units.charges import Attack, Charge, Unit, place


def check(charge: Charge, problems: Problems) -> None:
    """Note what is wrong with charges whose units are mustered."""
    for attack in charge.attacks:
        _stack(attack, problems)
    _positions(charge, problems)
    for attack in charge.attacks:
        _response(attack, problems)
    if problems.sound(("ruleset",)):
        for attack in charge.attacks:
            _hexside(attack, charge.ruleset, problems)
            _ground(attack, charge.ruleset, problems)
        _lines(charge, problems)
        for attack in charge.attacks:
            _nations(attack, charge, problems)
            _recall(attack, charge.ruleset, problems)
    _ground_told_once(charge, problems)
    _crosses_told_once(charge, problems)
    _charges_once(charge, problems)


def _way(attack: Attack) -> tuple[Key, ...]:
    """The fields that say which way it comes."""
    own: tuple[Key, ...] = (("path",), ("distance",))
    if attack.key:
        own += (("from",), ("at",), ("hexes",))
    return tuple((*attack.key, *name) for name in own)


def _stack(attack: Attack, problems: Problems) -> None:
    """One arm and one formation in the target's hex; guns with infantry only."""
    if not attack.places_target:
        return
    top, base = attack.target[0], attack.target_key
    for i, below in enumerate(attack.target[1:]):
        guns = attack.battery and i == len(attack.target) - 2
        key: Key = (*base, "battery") if guns else (*base, "stack", i)
        if not problems.sound((*base, "arm"), (*key, "arm")):
            continue
        if guns:
            if top.arm != "infantry":
                problems.error(
                    key,
                    f"must stand with infantry, but the target is {top.arm} (give guns alone as the "
                    "target itself)",
                )
        elif below.arm != top.arm:
            problems.error(
                (*key, "arm"), f"must be {top.arm}, as the target's top unit (rule 16), got {below.arm!r}"
            )
        elif below.formation != top.formation and problems.sound((*base, "formation"), (*key, "formation")):
            problems.error(
                (*key, "formation"),
                f"must be {top.formation}: one formation a hex (rule 16), got {below.formation!r}",
            )


def _hexside(attack: Attack, rules: RuleSet, problems: Problems) -> None:
    """The target has the hexside that is charged."""
    if attack.through is None:
        return
    top, blocks = attack.target[0], rules.blocks
    facing = blocks.orientation.get(_orientation(top, blocks.charge.light_from))
    zones = facing.zones if facing else ()
    depends: tuple[Key, ...] = (
        (*attack.key, "through"),
        *((*attack.target_key, name) for name in ("arm", "formation", "movement")),
    )
    if attack.through not in zones and problems.sound(*depends):
        shown = " and ".join(dict.fromkeys(zones))
        problems.error(
            (*attack.key, "through"),
            f"must be a hexside that the target has: {top.arm} in {top.formation} has {shown}, got "
            f"{attack.through!r}",
        )


def _orientation(unit: Unit, light_from: int) -> str:
    """The entry of a rule set's `orientation` for a unit."""
    if unit.arm == "artillery":
        return "artillery"
    if unit.arm == "infantry":
        return f"infantry {unit.formation}"
    return (
        "cavalry line"
        if unit.formation == "line"
        else f"{'light' if unit.light(light_from) else 'heavy'} cavalry column"
    )


def _ground(attack: Attack, rules: RuleSet, problems: Problems) -> None:
    """Terrain and hexsides are of the rule set; no charge is made into closed terrain."""
    terrains, hexsides = list(rules.blocks.terrain.rows), list(rules.blocks.hexsides.rows)
    under, crossed = (*attack.target_key, "terrain"), (*attack.key, "crosses")
    places: list[tuple[Key, str | None, str, list[str]]] = []
    if attack.places_target:
        places.append((under, attack.terrain, "a terrain", terrains))
    for i, (_, terrain, hexside) in enumerate(attack.ground):
        places += [
            ((*attack.key, "ground", i, "terrain"), terrain, "a terrain", terrains),
            ((*attack.key, "ground", i, "hexside"), hexside, "a hexside", hexsides),
        ]
    for key, name, what, known in places:
        if name is not None and name not in known and problems.sound(key):
            problems.error(key, f"must be {what} of {rules.name}, got {name!r}.{did_you_mean(name, known)}")
    if (
        attack.places_target
        and problems.sound(under)
        and not rules.blocks.terrain.rows[attack.terrain].charge
    ):
        problems.error(
            under, f"must be open to charges: no charge may be made into {attack.terrain} (rule 38)"
        )
    if attack.crosses not in ("none", *hexsides) and problems.sound(crossed):
        hint = did_you_mean(attack.crosses, hexsides)
        problems.error(
            crossed, f"must be none, {one_of(hexsides)} in {rules.name}, got {attack.crosses!r}.{hint}"
        )


def _ground_told_once(charge: Charge, problems: Problems) -> None:
    """Each entry tells of one hex or hexside of its charge's way, and none of what another has told."""
    first = dict[tuple[Hex, ...], Key]()
    if len(charge.attacks) > 1:
        first |= {(one.at,): (*one.target_key, "terrain") for one in charge.attacks if one.places_target}
    for attack in charge.attacks:
        trail = attack.trail
        for i, (step, terrain, hexside) in enumerate(attack.ground):
            key = (*attack.key, "ground", i)
            if not problems.sound(key):
                continue
            if (terrain is None) == (hexside is None):
                problems.error(key, "must name either a terrain or a hexside")
            elif not problems.sound(*_way(attack)):
                continue
            elif step >= len(trail):
                steps = f"1 to {len(attack.path)}" if attack.path else "but its path has none"
                problems.error((*key, "step"), f"must be a step of the charge, {steps}, got {step}")
            else:
                here = trail[step][0]
                spot = (here,) if hexside is None else tuple(sorted((here, trail[step - 1][0])))
                if first.setdefault(spot, key) != key:
                    what = "hex" if hexside is None else "hexside"
                    problems.error(
                        key,
                        f"must tell of another {what} than '{dotted(first[spot])}', which tells "
                        "what is there already",
                    )


def _crosses_told_once(charge: Charge, problems: Problems) -> None:
    """Two charges by one hexside cross the same; told of one of them it is there for both."""
    first = dict[tuple[Hex, int], Attack]()
    for attack in charge.attacks:
        if attack.crosses == "none":
            continue
        key = (*attack.key, "crosses")
        other = first.setdefault((attack.at, attack.side), attack)
        if other.crosses != attack.crosses and problems.sound(key, *_way(attack), *_way(other)):
            told = (
                f"must be {other.crosses}, as 'charges.{charge.attacks.index(other) + 1}' says of the "
                "same hexside"
            )
            problems.error(key, f"{told}, got {attack.crosses!r}")


def _charges_once(charge: Charge, problems: Problems) -> None:
    """A unit charges once a half; units are told apart by the names that the file gives them."""
    first: dict[str, Key] = {}
    for attack in charge.attacks:
        for i, unit in enumerate(attack.charger):
            key: Key = (*attack.key, "charger", *(("stack", i - 1) if i else ()), "name")
            if not attack.key or unit.name == unit.id or not problems.sound(key):
                continue
            other = first.setdefault(unit.name, key)
            if other[1] != key[1]:
                told = f"must be another unit than '{dotted(other[:-1])}': a unit charges once a half"
                problems.error(key, f"{told}, got {unit.name!r}")


def _lines(charge: Charge, problems: Problems) -> None:
    """Units in line stand on clear ground, and no more of them in a hex than it holds (rule 16; seed 003)."""
    most, ground = charge.ruleset.blocks.charge.line_increments, charge.terrain_by_hex
    stacks: list[tuple[Key, tuple[Unit, ...], Hex, tuple[Key, ...]]] = []
    for attack in charge.attacks:
        way = ((*attack.key, "ground"), *_way(attack))
        stacks.append(((*attack.key, "charger"), attack.charger, attack.start[0], way))
        if attack.places_target:
            stacks.append((attack.target_key, attack.target, attack.at, way))
    everybodys = tuple(one for attack in charge.attacks for one in ((*attack.key, "ground"), *_way(attack)))
    stacks += [
        (("neighbours", i), (unit,), place(str(unit.at), unit.hexes), everybodys)
        for i, unit in enumerate(charge.neighbours)
        if unit.at
    ]
    stacks += [
        (("reactor",), (unit,), place(str(unit.at), unit.hexes), everybodys)
        for unit in (charge.reactor,)
        if unit and unit.at
    ]
    for key, units, here, way in stacks:
        increments = sum(unit.increments for unit in units if unit.formation == "line")
        if increments > most and problems.sound((*key, "increments"), (*key, "formation")):
            problems.error(
                (*key, "increments"), f"must be at most {most} in line in one hex (rule 16), got {increments}"
            )
        terrain = ground.get(here, "clear")
        depends: tuple[Key, ...] = (
            *((*key, name) for name in ("formation", "at", "hexes", "terrain")),
            *way,
        )
        if increments and terrain != "clear" and problems.sound(*depends):
            told = f"must not be line in {terrain}: a line stands on clear ground only (rule 16), got 'line'"
            problems.error((*key, "formation"), told)


def _nations(attack: Attack, charge: Charge, problems: Problems) -> None:
    """Chargers are of one side, targets of another; anything else looks like a slip."""
    sides, top = charge.ruleset.blocks.nations, attack.target[0]
    own: Key = (*attack.key, "charger", "nation")
    theirs: Key = (*attack.target_key, "nation")
    if sides[top.nation] == sides[attack.charger[0].nation] and problems.sound(theirs, own):
        told = f"is of the charger's own side, {sides[top.nation]}, got {top.nation!r}"
        if attack.places_target:
            problems.warn(theirs, told)
        else:
            problems.warn((*attack.key, "target"), told)
    first = charge.attacks[0]
    if sides[first.charger[0].nation] != sides[attack.charger[0].nation] and problems.sound(
        own, (*first.key, "charger", "nation")
    ):
        problems.warn(
            own,
            f"is not of the first charge's side, {sides[first.charger[0].nation]}, got "
            f"{attack.charger[0].nation!r}",
        )


def _recall(attack: Attack, rules: RuleSet, problems: Problems) -> None:
    """The charging cavalry must have a row in the recall chart."""
    charger, told = attack.charger[0], (*attack.key, "charger")
    if not problems.sound((*told, "nation"), (*told, "type"), (*told, "movement")):
        return
    key = (*told, "type")
    rows = [row for row in rules.blocks.recall.rows if charger.nation in row.nations]
    types = [kind for row in rows for kind in row.types or ()]
    near = did_you_mean(charger.type, types) if charger.type and charger.type not in types else ""
    if near:
        problems.warn(
            key, f"is not a type that the recall chart of {rules.name} names, got {charger.type!r}.{near}"
        )
    size = "light" if charger.light(rules.blocks.charge.light_from) else "heavy"
    if not any(
        charger.type in (row.types or (charger.type,)) and (row.class_ or size) == size for row in rows
    ):
        known = (
            f"must be one of {', '.join(types)}" if types else f"must be cavalry that {charger.nation} has"
        )
        got = "nothing" if charger.type is None else repr(charger.type)
        problems.error(
            key,
            f"{known} to find its row in the recall chart of {rules.name}, got "
            f"{got}.{did_you_mean(charger.type, types)}",
        )


def _response(attack: Attack, problems: Problems) -> None:
    """The response is one that the target's arm has."""
    arm, key = attack.target[0].arm, (*attack.key, "response")
    known = (*RESPONSES_OF[arm], "best", "all")
    if attack.response not in known and problems.sound(key, (*attack.target_key, "arm")):
        problems.error(key, f"must be one that {arm} has ({one_of(known)}), got {attack.response!r}")


def _positions(charge: Charge, problems: Problems) -> None:
    """Each way leads round its target's hex, and every stack has a hex of its own."""
    several = len(charge.attacks) > 1
    for attack in charge.attacks:
        if any(here == attack.at for here, _ in attack.trail) and problems.sound(
            *((*attack.key, name) for name in ("path", "distance"))
        ):
            problems.error(
                (*attack.key, "path"),
                f"must not lead through the target's hex, got {list(attack.path)}",
            )
    taken: dict[Hex, str] = {}
    if several:
        _targets_apart(charge, problems)
        _starts_apart(charge, problems)
    starts = {attack.start[0]: attack for attack in reversed(charge.attacks) if problems.sound(*_way(attack))}
    targets = {
        one.at: one.target[0].name
        for one in charge.attacks[1:]
        if one.places_target and problems.sound(*_way(one))
    }
    placed: list[tuple[Unit, Key]] = [(unit, ("neighbours", i)) for i, unit in enumerate(charge.neighbours)]
    placed += [(charge.reactor, ("reactor",))] if charge.reactor else []
    for unit, key in placed:
        at = (*key, "at")
        if not problems.sound(at, (*key, "hexes")):
            continue
        here = place(str(unit.at), unit.hexes)
        got = f"{unit.hexes} hexes off at {unit.at}"
        if here in starts:
            whose = f" of charge {charge.attacks.index(starts[here]) + 1}" if several else ""
            problems.error(at, f"must leave the charger's starting hex{whose} free, got {got}")
        elif here in targets:
            problems.error(at, f"must be free: {targets[here]} already stands {got}")
        elif here in taken:
            problems.error(at, f"must be free: {taken[here]} already stands {got}")
        taken.setdefault(here, unit.id)


def _targets_apart(charge: Charge, problems: Problems) -> None:
    """No two targets in one hex, unless they are the same; nobody's target where a charger starts."""
    for number, attack in enumerate(charge.attacks):
        key = (*attack.key, "at")
        if not problems.sound(*_way(attack)):
            continue
        for other in charge.attacks[:number]:
            if (
                attack.places_target
                and other.places_target
                and other.at == attack.at
                and problems.sound(*_way(other))
            ):
                which = charge.attacks.index(other) + 1
                told = (
                    f"must be free: the target of charge {which} stands there (charge it too with "
                    f"'target: {which}')"
                )
                problems.error(key, told)
                break


def _starts_apart(charge: Charge, problems: Problems) -> None:
    """Two charges do not start in one hex, nor does one where an enemy stands."""
    targets = {attack.at: number for number, attack in reversed(list(enumerate(charge.attacks, 1)))}
    taken: dict[Hex, int] = {}
    for number, attack in enumerate(charge.attacks, 1):
        if not problems.sound(*_way(attack)):
            continue
        key = (*attack.key, "path" if problems.document.at((*attack.key, "path")) is not None else "distance")
        here = attack.start[0]
        if here in taken:
            problems.error(
                key,
                f"must lead from a hex of its own: charge {taken[here]} starts there (another "
                "distance, path or from)",
            )
        elif here in targets and here != attack.at:
            problems.error(
                key, f"must not lead from the hex in which the target of charge {targets[here]} stands"
            )
        taken.setdefault(here, number)
