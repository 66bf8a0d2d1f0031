"""What only several fields of a charge file together show. A field that is wrong by itself is not told again in what depends on it."""

from __future__ import annotations

from sim.board.hexmap import Hex
from sim.errors import did_you_mean, one_of
from sim.inputs.documents import Key
from sim.inputs.fields import Problems
from sim.units.chargefields import RESPONSES_OF
from sim.units.charges import Charge, Unit, place

_WAY: tuple[Key, ...] = (("path",), ("distance",))


def check(charge: Charge, problems: Problems) -> None:
    """Note what is wrong with a charge whose units are mustered."""
    _stack(charge, problems)
    _positions(charge, problems)
    _response(charge, problems)
    if problems.sound(("ruleset",)):
        _hexside(charge, problems)
        _ground(charge, problems)
        _lines(charge, problems)
        _nations(charge, problems)
        _recall(charge.charger[0], charge, problems)
    _ground_told_once(charge, problems)


def _stack(charge: Charge, problems: Problems) -> None:
    """One arm and one formation in the target's hex; guns with infantry only."""
    top = charge.target[0]
    for i, below in enumerate(charge.target[1:]):
        key: Key = ("target", "stack", i) if below.id != "battery" else ("target", "battery")
        if not problems.sound(("target", "arm"), (*key, "arm")):
            continue
        if below.id == "battery":
            if top.arm != "infantry":
                problems.error(
                    key,
                    f"must stand with infantry, but the target is {top.arm} (give guns alone as the target itself)",
                )
        elif below.arm != top.arm:
            problems.error(
                (*key, "arm"), f"must be {top.arm}, as the target's top unit (rule 16), got {below.arm!r}"
            )
        elif below.formation != top.formation and problems.sound(
            ("target", "formation"), (*key, "formation")
        ):
            problems.error(
                (*key, "formation"),
                f"must be {top.formation}: one formation a hex (rule 16), got {below.formation!r}",
            )


def _hexside(charge: Charge, problems: Problems) -> None:
    """The target has the hexside that is charged."""
    top, blocks = charge.target[0], charge.ruleset.blocks
    facing = blocks.orientation.get(_orientation(top, blocks.charge.light_from))
    zones = facing.zones if facing else ()
    depends: tuple[Key, ...] = (
        ("through",),
        *(("target", name) for name in ("arm", "formation", "movement")),
    )
    if charge.through not in zones and problems.sound(*depends):
        shown = " and ".join(dict.fromkeys(zones))
        problems.error(
            ("through",),
            f"must be a hexside that the target has: {top.arm} in {top.formation} has {shown}, got {charge.through!r}",
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


def _ground(charge: Charge, problems: Problems) -> None:
    """Terrain and hexsides are of the rule set; no charge is made into closed terrain."""
    rules = charge.ruleset
    terrains, hexsides = list(rules.blocks.terrain.rows), list(rules.blocks.hexsides.rows)
    places: list[tuple[Key, str | None, str, list[str]]] = [
        (("target", "terrain"), charge.terrain, "a terrain", terrains)
    ]
    for i, (_, terrain, hexside) in enumerate(charge.ground):
        places += [
            (("ground", i, "terrain"), terrain, "a terrain", terrains),
            (("ground", i, "hexside"), hexside, "a hexside", hexsides),
        ]
    for key, name, what, known in places:
        if name is not None and name not in known and problems.sound(key):
            problems.error(key, f"must be {what} of {rules.name}, got {name!r}.{did_you_mean(name, known)}")
    if problems.sound(("target", "terrain")) and not rules.blocks.terrain.rows[charge.terrain].charge:
        problems.error(
            ("target", "terrain"),
            f"must be open to charges: no charge may be made into {charge.terrain} (rule 38)",
        )
    if charge.crosses not in ("none", *hexsides) and problems.sound(("crosses",)):
        hint = did_you_mean(charge.crosses, hexsides)
        problems.error(
            ("crosses",), f"must be none, {one_of(hexsides)} in {rules.name}, got {charge.crosses!r}.{hint}"
        )


def _ground_told_once(charge: Charge, problems: Problems) -> None:
    """Each entry tells of one hex or hexside of the way, and none of what another has told."""
    trail, first = charge.trail, dict[tuple[Hex, ...], int]()
    for i, (step, terrain, hexside) in enumerate(charge.ground):
        key = ("ground", i)
        if not problems.sound(key):
            continue
        if (terrain is None) == (hexside is None):
            problems.error(key, "must name either a terrain or a hexside")
        elif not problems.sound(*_WAY):
            continue
        elif step >= len(trail):
            steps = f"1 to {len(charge.path)}" if charge.path else "but its path has none"
            problems.error((*key, "step"), f"must be a step of the charge, {steps}, got {step}")
        else:
            here = trail[step][0]
            spot = (here,) if hexside is None else tuple(sorted((here, trail[step - 1][0])))
            if first.setdefault(spot, i) != i:
                what = "hex" if hexside is None else "hexside"
                problems.error(
                    key,
                    f"must tell of another {what} than 'ground[{first[spot]}]', which tells what is there already",
                )


def _lines(charge: Charge, problems: Problems) -> None:
    """Units in line stand on clear ground, and no more of them in a hex than it holds (rule 16; seed 003)."""
    most, ground = charge.ruleset.blocks.charge.line_increments, charge.ground_by_hex
    stacks: list[tuple[Key, tuple[Unit, ...], Hex]] = [
        (("charger",), charge.charger, charge.start[0]),
        (("target",), charge.target, (0, 0)),
        *(
            (("neighbours", i), (unit,), place(str(unit.at), unit.hexes))
            for i, unit in enumerate(charge.neighbours)
            if unit.at
        ),
        *(
            (("reactor",), (unit,), place(str(unit.at), unit.hexes))
            for unit in (charge.reactor,)
            if unit and unit.at
        ),
    ]
    for key, units, here in stacks:
        increments = sum(unit.increments for unit in units if unit.formation == "line")
        if increments > most and problems.sound((*key, "increments"), (*key, "formation")):
            problems.error(
                (*key, "increments"), f"must be at most {most} in line in one hex (rule 16), got {increments}"
            )
        terrain = ground.get(here, "clear")
        depends: tuple[Key, ...] = (
            (*key, "formation"),
            (*key, "at"),
            (*key, "hexes"),
            (*key, "terrain"),
            ("ground",),
            *_WAY,
        )
        if increments and terrain != "clear" and problems.sound(*depends):
            told = f"must not be line in {terrain}: a line stands on clear ground only (rule 16), got 'line'"
            problems.error((*key, "formation"), told)


def _nations(charge: Charge, problems: Problems) -> None:
    sides, top = charge.ruleset.blocks.nations, charge.target[0]
    if sides[top.nation] == sides[charge.charger[0].nation] and problems.sound(
        ("target", "nation"), ("charger", "nation")
    ):
        problems.warn(
            ("target", "nation"), f"is of the charger's own side, {sides[top.nation]}, got {top.nation!r}"
        )


def _recall(charger: Unit, charge: Charge, problems: Problems) -> None:
    """The charging cavalry must have a row in the recall chart."""
    if not problems.sound(("charger", "nation"), ("charger", "type"), ("charger", "movement")):
        return
    rules, key = charge.ruleset, ("charger", "type")
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
            f"{known} to find its row in the recall chart of {rules.name}, got {got}.{did_you_mean(charger.type, types)}",
        )


def _response(charge: Charge, problems: Problems) -> None:
    arm = charge.target[0].arm
    known = (*RESPONSES_OF[arm], "best", "all")
    if charge.response not in known and problems.sound(("response",), ("target", "arm")):
        problems.error(
            ("response",), f"must be one that {arm} has ({one_of(known)}), got {charge.response!r}"
        )


def _positions(charge: Charge, problems: Problems) -> None:
    """The way leads round the target's hex, and everybody has a hex of his own."""
    if any(here == (0, 0) for here, _ in charge.trail) and problems.sound(*_WAY):
        problems.error(("path",), f"must not lead through the target's hex, got {list(charge.path)}")
    placed: list[tuple[Unit, Key]] = [(unit, ("neighbours", i)) for i, unit in enumerate(charge.neighbours)]
    placed += [(charge.reactor, ("reactor",))] if charge.reactor else []
    taken: dict[Hex, str] = {}
    for unit, key in placed:
        at = (*key, "at")
        if not problems.sound(at, (*key, "hexes")):
            continue
        here = place(str(unit.at), unit.hexes)
        if here == charge.start[0] and problems.sound(*_WAY):
            problems.error(
                at, f"must leave the charger's starting hex free, got {unit.hexes} hexes off at {unit.at}"
            )
        elif here in taken:
            problems.error(
                at, f"must be free: {taken[here]} already stands {unit.hexes} hexes off at {unit.at}"
            )
        taken.setdefault(here, unit.id)
