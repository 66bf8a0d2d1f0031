"""Checks of a rule-set file: every fault with file, line and field, before the rule set is used.

What one value may be is told by the fields in `fields`; here stands what only several values together show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from types import NoneType
from typing import Any, TypeVar

from sim.ensemble import ladder
from sim.errors import did_you_mean
from sim.inputs.documents import Document, Key, dotted
from sim.inputs.fields import REQUIRED, Choice, Problems
from sim.inputs.plain import Written
from sim.rulesets import chain, shipped
from sim.rulesets.attributes import Vocabulary
from sim.rulesets.blocks import (
    Blocks,
    CarreRow,
    CarreRules,
    Elite,
    FireRules,
    Foot,
    LeaderRules,
    LimberRules,
    Line,
    Matrix,
    MeleeRules,
    PremeleeRules,
    Range,
    RecallRow,
    RecallRules,
    Rows,
    StackRow,
    Switch,
    Terrain,
    Weary,
)
from sim.rulesets.conditions import When
from sim.rulesets.fields import MATRIX, OUTCOMES, ruleset
from sim.rulesets.values import LETTERS, Odds, Span
from sim.vocabulary import ARMS

_LARGEST = 10**9
_LONGEST = 1000
_DEEPEST = 20
_ORDINARY = (
    f"text of at most {_LONGEST} characters (in quotes, if it looks like a date) or numbers up to "
    f"{_LARGEST:,}"
)

_ROWS = (
    ("carre", "rows"),
    ("carre", "barred"),
    ("carre", "modifiers"),
    ("stand", "modifiers"),
    ("recall", "rows"),
    ("recall", "modifiers"),
    ("morale", "modifiers"),
    ("morale", "recovery_losses"),
    ("premelee", "modifiers"),
    ("melee", "multipliers"),
    ("melee", "cells"),
    ("limber", "rows"),
)
"""Lists whose rows must carry a source, or their block."""
_BLOCKS = (
    "charge",
    "orientation",
    "retreat",
    "terrain",
    "hexsides",
    "movement",
    "stacking",
    "limber",
    "sight",
    "morale",
    "leaders",
    "fire",
    "melee",
    "levels",
)
"""Blocks that should carry a source."""

Block = dict[Any, Any]
T = TypeVar("T")


class RuleProblems(Problems):
    """Problems of a rule-set file, which may inherit the values that are wrong.

    Parameters
    ----------
    document
        The file as written.
    merged
        Its data merged over what it extends.
    """

    def __init__(self, document: Document, merged: object) -> None:
        super().__init__(document)
        self.merged = merged

    def _line(self, key: Key, text: str) -> str:
        here: Any = self.merged
        told, found = "", 0
        written = self.document.in_file(key)
        for depth, part in enumerate(key, 1):
            told += f"[{part}]" if isinstance(here, list) else f".{part}" if told else f"{part}"
            told = dotted(self.document.aliases.get(key[:depth], ())) or told
            inside = (
                part in here
                if isinstance(here, dict)
                else isinstance(here, list) and isinstance(part, int) and part < len(here)
            )
            here = here[part] if inside else None
            found = depth if inside else found
        holder = self.document.in_file(key[:found])
        inherited = found and holder not in self.document.places and holder not in self.document.origins
        parent = self.document.data.get("extends") if isinstance(self.document.data, dict) else None
        suffix = f" (inherited from {parent})" if inherited and isinstance(parent, str) else ""
        subject = f"'{told}' " if key else ""
        return f"{self.document.where(written)}: {subject}{text}{suffix}"


def check(document: Document, merged: dict[str, Any]) -> Problems:
    """Everything that is wrong with a rule set.

    Parameters
    ----------
    document
        The file as written; it may extend another.
    merged
        Its data merged over what it extends, as `rulesets.merge` gives both.

    Returns
    -------
    Errors, which keep the rule set from being used, and warnings. A file that says `partial: true` (the
    shared base) may lack blocks.

    Notes
    -----
    Never raises, whatever the data are.
    """
    return _checked(document, merged)[0]


def read(document: Document, merged: dict[str, Any]) -> Blocks:
    """The blocks of a rule set, checked and converted.

    Raises
    ------
    InputError
        For the first fault, as `check` finds it.
    """
    problems, blocks = _checked(document, merged)
    problems.raise_first()
    if blocks is None:
        raise TypeError("a rule set without an error has blocks")
    return blocks


def _checked(document: Document, merged: dict[str, Any]) -> tuple[Problems, Blocks | None]:
    """What is wrong, and the rule set converted, None where nothing can be judged; of what is faulty anything
    may be None."""
    problems = RuleProblems(document, merged)
    if not _plain(merged, problems) or _fragment(document, merged, problems):
        return problems, None
    known = Vocabulary.of(merged, shipped.names())
    partial = merged.get("partial") is True
    if not partial:
        _complete(merged, problems)
    blocks: Blocks = ruleset(known, partial).check(merged, (), problems)
    _sources(merged, problems)
    if not partial:
        _playable(blocks, problems)
    _switches(blocks.switches, problems)
    _carre(blocks.carre, known, problems)
    _recall(blocks.recall, problems)
    _repeated(blocks, known, problems)
    _leaders(blocks.leaders, problems)
    _fire(blocks.fire, problems)
    _premelee(blocks.premelee, problems)
    _melee(blocks.melee, merged, problems)
    _matrix(blocks.matrix, problems)
    _stacking(blocks.stacking, blocks.terrain, problems)
    _limber(blocks.limber, problems)
    return problems, blocks


# -- the data as such ---------------------------------------------------------------------------------


def _plain(merged: object, problems: Problems) -> bool:
    """Whether the data are text, numbers of sensible size, flags, lists and mappings, not too deep; the rest
    relies on it."""
    before = len(problems.errors)
    if not isinstance(merged, dict):
        problems.error((), f"must be a mapping, got a {type(merged).__name__}")
    stack: list[tuple[Key, object]] = [((), merged)]
    while stack:
        key, value = stack.pop()
        if len(key) > _DEEPEST:
            problems.error(key, f"must be nested at most {_DEEPEST} deep")
            continue
        for name, item in (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        ):
            kind = type(item)
            if not (
                len(name) <= _LONGEST if type(name) is str else type(name) is int and abs(name) <= _LARGEST
            ):
                problems.error(key, f"must have names that are {_ORDINARY}, got another")
            elif kind is dict or kind is list:
                stack.append(((*key, name), item))
            elif not (
                len(item) <= _LONGEST
                if kind is str
                else abs(item) <= _LARGEST
                if kind in (int, float)
                else kind in (bool, NoneType, Written)
            ):
                problems.error(
                    (*key, name), f"must be {_ORDINARY}, true, false or null, got another {kind.__name__}"
                )
    return len(problems.errors) == before


def _block(raw: Block, name: str) -> Block:
    value = raw.get(name)
    return value if isinstance(value, dict) else {}


def _list(block: Block, name: str) -> list[object]:
    value = block.get(name)
    return value if isinstance(value, list) else []


def _rows(block: Block, name: str) -> Iterator[tuple[int, Block]]:
    """The rows of a list that are mappings, with their places."""
    return ((i, row) for i, row in enumerate(_list(block, name)) if isinstance(row, dict))


def _fragment(document: Document, merged: Block, problems: Problems) -> bool:
    """Whether a file extends nothing and lacks most of a rule set: the one thing that is wrong with it, since
    nothing else can be judged."""
    needed = [name for name, kind in ruleset(Vocabulary()).fields.items() if kind.default is REQUIRED]
    alone = (
        isinstance(document.data, dict)
        and "extends" not in document.data
        and merged.get("partial") is not True
    )
    if not alone or 2 * sum(name in merged for name in needed) > len(needed):
        return False
    example = f"write the rule set that the file changes at its top, such as 'extends: {shipped.DEFAULT}'"
    problems.error(
        (), f"must have the field 'extends' unless it is a whole rule set, but it is missing: {example}"
    )
    problems.errors.insert(0, problems.errors.pop())
    return True


def _complete(merged: Block, problems: Problems) -> None:
    if "nations" not in merged or merged.get("ruleset") == shipped.BASE:
        told = (
            "must be a battle with nations and charts of its own (what is only to be extended says "
            "partial: true)"
        )
        problems.error(
            ("ruleset",),
            f"{told}, " + (f"got {merged['ruleset']!r}" if "ruleset" in merged else "but it is missing"),
        )


def _sources(merged: Block, problems: Problems) -> None:
    """Every row of the charts has a source, or its block has one; other blocks should."""
    for block, name in _ROWS:
        if "source" not in _block(merged, block):
            for i, row in _rows(_block(merged, block), name):
                _cited((block, name, i), row, problems)
    troops = _block(merged, "troops")
    if "source" not in troops:
        for nation, types in troops.items():
            for kind, row in (types if isinstance(types, dict) else {}).items():
                _cited(("troops", nation, kind), row, problems)
    named: list[tuple[Key, object]] = [((name,), merged[name]) for name in _BLOCKS if name in merged]
    named += [(("switches", name), switch) for name, switch in _block(merged, "switches").items()]
    for key, value in named:
        if isinstance(value, dict) and "source" not in value:
            problems.warn(key, "should have the field 'source', but it is missing")


def _cited(key: Key, row: object, problems: Problems) -> None:
    if isinstance(row, dict) and "source" not in row:
        problems.error(
            key,
            f"must have the field 'source', or '{key[0]}' must, such as \"[HOUSE] our club\", but "
            "it is missing",
        )


# -- whether anything can be played -------------------------------------------------------------------


def _some(rows: Iterable[T | None] | None) -> Iterator[tuple[int, T]]:
    """What is there of the rows of a list, with their places."""
    return ((i, row) for i, row in enumerate(rows or ()) if row is not None)


def _playable(blocks: Blocks, problems: Problems) -> None:
    """A charge needs a nation with a recall row on one side, and something to charge on the other."""
    nations = blocks.nations
    if nations is None or blocks.recall is None or blocks.recall.rows is None:
        return
    if not nations:
        problems.error(("nations",), "must have a nation of either side, or nothing can be played, got none")
        return
    if len({side for side in nations.values() if side}) == 1:
        problems.warn(
            ("nations",),
            "should have nations of both sides, or nobody can be charged by an enemy, "
            f"got {next(iter(nations.values()))} alone",
        )
    if not blocks.recall.rows:
        problems.error(
            ("recall", "rows"),
            "must have a row for a nation, or no cavalry can charge and nothing can be played, got none",
        )
    foot = {
        nation
        for nation, types in (blocks.troops.rows if blocks.troops else {}).items()
        if any(isinstance(one, Foot) for one in (types or {}).values())
    }
    if not foot:
        problems.warn(
            ("troops",), "should have a type of infantry, or only cavalry and guns can be charged, got none"
        )
    if foot and not _nations(blocks.carre.rows if blocks.carre else None) & foot:
        problems.warn(
            ("carre", "rows"),
            f"should have a row for a nation with infantry ({', '.join(sorted(foot))}), "
            "or nobody can form square, got none",
        )
    if blocks.stand is None or not blocks.stand.modifiers:
        problems.warn(
            ("stand", "modifiers"),
            "should have a modifier, or only the general ones count when infantry stands, got none",
        )
    recalled = _nations(blocks.recall.rows)
    for nation in nations:
        if nation not in recalled | foot:
            problems.warn(
                ("nations", nation),
                "should have a type in 'troops' or a row in 'recall', or nothing of it but guns "
                "can be played",
            )


def _nations(rows: Sequence[CarreRow | RecallRow] | None) -> set[str]:
    return {nation for row in rows or () if row is not None for nation in row.nations or ()}


# -- switches -----------------------------------------------------------------------------------------


def _switches(switches: Mapping[str, Switch] | None, problems: Problems) -> None:
    """The program asks for every switch of the shared base, and knows the words that it has there."""
    base = shipped.DIRECTORY / f"{shipped.BASE}.yaml"
    if switches is None or not base.exists():
        return
    shared = chain.read(base).data
    for name, needed in _block(shared if isinstance(shared, dict) else {}, "switches").items():
        if not isinstance(needed, dict):
            continue
        if name not in switches:
            problems.error(
                ("switches",), f"must have the switch '{name}' ({needed.get('label')}), but it is missing"
            )
            continue
        words = [one for one in _list(needed, "values") if isinstance(one, str | bool)]
        for i, value in _some(switches[name].values if switches[name] else ()):
            if words:
                Choice(values=tuple(words)).check(value, ("switches", name, "values", i), problems)


# -- carré, recall, modifiers, leaders ----------------------------------------------------------------


def _carre(carre: CarreRules | None, known: Vocabulary, problems: Problems) -> None:
    """One row a nation and formation (a row's own name may be a nation too); the nearer the charge, the
    harder the carré."""
    taken: dict[tuple[str, str], int] = {}
    for i, row in _some(carre.rows if carre else ()):
        nations = [nation for nation in (*(row.nations or ()), row.name) if nation in (known.nations or ())]
        for nation in dict.fromkeys(nations):
            first = taken.setdefault((nation, str(row.formation)), i)
            if first != i:
                told = (
                    f"must be the only row of {nation} in {row.formation}, but 'carre.rows[{first}]' is one "
                    "too"
                )
                problems.error(("carre", "rows", i), told)
        formed = {
            distance: len(spans.get(OUTCOMES[0], ()))
            for distance, spans in (row.cells or {}).items()
            if spans is not None
        }
        for near, far in pairwise(sorted(formed)):
            if formed[near] > formed[far]:
                told = (
                    f"should not form on more rolls than at {far}, got {formed[near]} rolls against "
                    f"{formed[far]}"
                )
                problems.warn(("carre", "rows", i, "cells", near), told)


def _recall(recall: RecallRules | None, problems: Problems) -> None:
    names: dict[str, int] = {}
    for i, row in _some(recall.rows if recall else ()):
        if row.needs in (1, 7):
            problems.warn(
                ("recall", "rows", i, "needs"),
                f"should be from 2 to 6, got {row.needs}, which recalls "
                f"{'always' if row.needs == 1 else 'never'}",
            )
        name = str(row.name).lower()
        if names.setdefault(name, i) != i:
            problems.error(
                ("recall", "rows", i, "name"),
                f"must be a name of its own, but 'recall.rows[{names[name]}]' has it too",
            )


def _repeated(blocks: Blocks, known: Vocabulary, problems: Problems) -> None:
    """Lines of modifier tables that count twice, and those that say they replace what is not there."""
    tables: dict[Key, Sequence[Line] | None] = {
        (name, "modifiers"): block.modifiers if block else ()
        for name, block in (
            ("carre", blocks.carre),
            ("stand", blocks.stand),
            ("recall", blocks.recall),
            ("morale", blocks.morale),
            ("premelee", blocks.premelee),
        )
    }
    for place, rows in tables.items():
        _twice(place, rows, problems)
        keys = [str(one.key) for _, one in _some(rows)] + list(known.general or ())
        for i, row in _some(rows):
            for j, one in enumerate(row.cancels if isinstance(row.cancels, tuple) else ()):
                if one is not None and one not in keys:
                    told = (
                        "should be the key of a modifier of this table or of a morale modifier, "
                        f"got {one!r}.{did_you_mean(one, keys)}"
                    )
                    problems.warn((*place, i, "cancels", j), told.removesuffix("."))
            if row.replaces and known.general is not None and row.replaces not in known.general:
                hint = did_you_mean(row.replaces, known.general)
                told = f"should be the key of a morale modifier, got {row.replaces!r}.{hint}"
                problems.warn((*place, i, "replaces"), told.removesuffix("."))
    _twice(("morale", "recovery_losses"), blocks.morale.recovery_losses if blocks.morale else (), problems)


def _twice(place: Key, rows: Sequence[Line | Weary] | None, problems: Problems) -> None:
    seen: dict[tuple[str, When], int] = {}
    for i, row in enumerate(rows or ()):
        if not problems.sound((*place, i)):
            continue
        first = seen.setdefault((row.key if isinstance(row, Line) else "", row.when), i)
        if first != i:
            problems.warn(
                (*place, i),
                f"should differ in key or conditions from '{dotted((*place, first))}', or both count",
            )


def _leaders(leaders: LeaderRules | None, problems: Problems) -> None:
    if leaders is None:
        return
    hits = leaders.melee
    if hits is not None and hits.attacker is not None and hits.defender is not None:
        both = sorted(set(hits.attacker) & set(hits.defender))
        if both:
            problems.error(
                ("leaders", "melee", "defender"),
                f"must not share rolls with 'attacker', got {ladder.runs_of(both)} in both",
            )
    for face in (1, 2, 3, 4, 5, 6) if leaders.die and leaders.hours else ():
        if leaders.die.get(face) == "wounded" and not leaders.hours.get(face):
            told = f"must be 1 or 2 dice for a face that wounds ({face}), got 0"
            problems.error(("leaders", "hours", face), told)
    if leaders.fire is not None and len(set(leaders.fire.roll_again or ())) > 5:
        problems.error(("leaders", "fire", "roll_again"), "must leave a face that counts, got all six")


# -- fire, pre-melee, melee ---------------------------------------------------------------------------


def _rising(names: list[tuple[T, Key]], problems: Problems) -> list[T]:
    """Of names of columns with their places those that are odds, in the order given; an error where they do
    not rise."""
    silent = Problems(problems.document)
    found = [
        (odds, name, key)
        for name, key in names
        if isinstance(odds := Odds().check(name, key, silent), Fraction)
    ]
    for (low, first, _), (high, second, key) in pairwise(found):
        if low >= high:
            problems.error(key, f"must come in rising order of odds, got {second!r} after {first!r}")
    return [name for _, name, _ in found]


def _fire(fire: FireRules | None, problems: Problems) -> None:
    """Losses rise with the odds, on the whole and on every roll; any order of columns."""
    table = (fire.table if fire else None) or {}
    silent = Problems(problems.document)
    odds = {name: found for name in table if isinstance(found := Odds().check(name, (), silent), Fraction)}
    before: tuple[str, list[int]] | None = None
    for name in _rising(
        [(name, ("fire", "table", name)) for name in sorted(odds, key=lambda one: odds[one])], problems
    ):
        spans = table[name]
        if spans is None:
            continue
        losses = [loss for _, loss in sorted((index, loss) for loss, span in spans.items() for index in span)]
        if before and sum(losses) < sum(before[1]):
            means = [float(Fraction(sum(one), ladder.STEPS)) for one in (losses, before[1])]
            told = (
                f"should not lose less on the whole than {before[0]!r}, got {means[0]:.2f} increments "
                f"against {means[1]:.2f}"
            )
            problems.warn(("fire", "table", name), told)
        elif before and (
            less := [i for i, (high, low) in enumerate(zip(losses, before[1], strict=True)) if high < low]
        ):
            told = (
                f"should not lose less on any roll than {before[0]!r}, got {losses[less[0]]} against "
                f"{before[1][less[0]]} on {ladder.runs_of(less)}"
            )
            problems.warn(("fire", "table", name), told)
        before = (name, losses)
    for name in ("guns", "skirmish_range") if fire else ():
        _bands(("fire", name, "bands"), getattr(fire, name), problems)


def _bands(place: Key, range_: Range | None, problems: Problems) -> None:
    """Farther off fire is not stronger."""
    bands = (range_.bands if range_ else None) or {}
    shares = {hexes: share for hexes, share in bands.items() if share is not None}
    for (near, more), (far, less) in pairwise(sorted(shares.items())):
        if less > more:
            problems.warn((*place, far), f"should not be more than at {near}, got {less} against {more}")


def _premelee(premelee: PremeleeRules | None, problems: Problems) -> None:
    """What odds add to the attackers' dice rises with them, what they add to the defenders' falls; any order
    of columns."""
    columns = (premelee.columns if premelee else None) or {}
    _elite(premelee.elite if premelee else None, problems)
    silent = Problems(problems.document)
    ordered = sorted(
        (odds, name) for name in columns if isinstance(odds := Odds().check(name, (), silent), Fraction)
    )
    for (low, first), (high, second) in pairwise(ordered):
        if low == high:
            problems.error(
                ("premelee", "columns", second), f"must have odds of its own, but {first!r} has them too"
            )
        for side, way in (("attack", 1), ("defence", -1)):
            less, more = getattr(columns[first], side, None), getattr(columns[second], side, None)
            if isinstance(less, int) and isinstance(more, int) and way * less > way * more:
                told = (
                    f"should not be {'less' if way == 1 else 'more'} than for {first!r}, got {more} "
                    f"against {less}"
                )
                problems.warn(("premelee", "columns", second, side), told)


def _elite(elite: Elite | None, problems: Problems) -> None:
    """No printed morale in two ranges."""
    taken: dict[int, object] = {}
    silent = Problems(problems.document)
    for name in elite.rows if elite else ():
        span = Span().check(name, (), silent)
        for index in span if span is not None else ():
            first = taken.setdefault(index, name)
            if first != name:
                told = f"must not share rolls with {first!r}, got {ladder.face_of(index)} in both"
                problems.error(("premelee", "elite", name), told)
                break


def _melee(melee: MeleeRules | None, merged: Block, problems: Problems) -> None:
    """Columns in rising order, rows as long as there are columns, single cells told once, results better as
    rolls and odds rise."""
    columns = _list(_block(merged, "melee"), "columns")
    _rising([(name, ("melee", "columns", i)) for i, name in enumerate(columns)], problems)
    table = {face: row for face, row in ((melee.table if melee else None) or {}).items() if row is not None}
    lengths = {len(row) for row in table.values()}
    if len(lengths) == 1 and len(columns) not in lengths:
        problems.error(
            ("melee", "columns"),
            f"must be a list of {lengths.pop()} odds, one for each result in a row of "
            f"'melee.table', got {len(columns)}",
        )
    else:
        for face, row in table.items():
            if len(row) != len(columns):
                problems.error(
                    ("melee", "table", face),
                    f"must be a list of {len(columns)} results, one for each column, got {len(row)}",
                )
    cells: dict[tuple[int, int], tuple[Key, str | None]] = {}
    for face, row in table.items():
        cells |= {
            (ladder.index_of(face), c): (("melee", "table", face, c), result) for c, result in enumerate(row)
        }
    first: dict[tuple[int, int], int] = {}
    for i, cell in _some(melee.cells if melee else ()):
        if ladder.is_face(cell.roll) and cell.column in columns:
            place = (ladder.index_of(cell.roll), columns.index(cell.column))
            if first.setdefault(place, i) != i:
                told = (
                    f"must be told once, but 'melee.cells[{first[place]}]' has column {cell.column!r} "
                    f"and roll {cell.roll} too"
                )
                problems.error(("melee", "cells", i), told)
            cells[place] = (("melee", "cells", i, "result"), cell.result)
    _better(cells, problems)


def _better(cells: dict[tuple[int, int], tuple[Key, str | None]], problems: Problems) -> None:
    """Warn where a higher roll or higher odds are worse for the attackers; of two cells the one that a battle
    overrides is to blame."""
    ranks = {place: _rank(result) for place, (_, result) in cells.items() if isinstance(result, str)}
    for (index, column), rank in ranks.items():
        for beside, low, high in (
            ((index - 1, column), "a lower roll", "a higher roll"),
            ((index, column - 1), "lower odds", "higher odds"),
        ):
            if ranks.get(beside, rank) > rank:
                (before, first), (after, second) = cells[beside], cells[index, column]
                if before[1] == "cells" and after[1] != "cells":
                    problems.warn(
                        before,
                        f"should not be better for the attackers than on {high}, got {first} before {second}",
                    )
                else:
                    problems.warn(
                        after,
                        f"should not be worse for the attackers than on {low}, got {second} after {first}",
                    )


def _rank(result: str) -> int:
    """A result's place from the attackers' worst to their best; losses in number stand with no result."""
    return LETTERS.index(result) if result in LETTERS else LETTERS.index(".")


def _stacking(stacking: Rows[StackRow] | None, terrain: Rows[Terrain] | None, problems: Problems) -> None:
    """Warn of limits for ground that is not there, and of ground that lets nobody in for whom it has room."""
    known = (terrain and terrain.rows) or {}
    for name, row in ((stacking and stacking.rows) or {}).items():
        if name not in known:
            problems.warn(
                ("stacking", name),
                f"should be a terrain of the rule set.{did_you_mean(name, known)}".rstrip("."),
            )
        elif row is not None and known[name] is not None:
            for arm in ARMS:
                if getattr(row, arm) is None and getattr(known[name], arm) is not None:
                    problems.warn(
                        ("stacking", name, arm),
                        f"should say what a hex holds, since {arm} may enter {name}, got null",
                    )


def _limber(limber: LimberRules | None, problems: Problems) -> None:
    """One row a nation and class."""
    taken: dict[tuple[str, str], int] = {}
    for i, row in _some(limber.rows if limber else ()):
        for nation in filter(None, row.nations or ()):
            first = taken.setdefault((nation, str(row.class_)), i)
            if first != i:
                problems.error(
                    ("limber", "rows", i),
                    f"must be the only row of {row.class_} batteries of {nation}, but 'limber.rows[{first}]' "
                    "is one too",
                )


def _matrix(matrix: Matrix | None, problems: Problems) -> None:
    columns = (matrix.columns if matrix else None) or ()
    for i, (given, needed) in enumerate(zip(columns, MATRIX, strict=False)):
        if given is not None and given != needed:
            problems.error(
                ("matrix", "columns", i),
                f"must be {needed}, got {given!r}: the columns are {', '.join(MATRIX)}",
            )
