"""Answers as lines of text and as JSON objects. Nothing is printed here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sim.report.columns import BLOCKS, PIPS
from sim.report.layout import PLAIN, Block, Page, blocks, grid
from sim.rulesets.rulebook import rulebook
from sim.studies.decimals import chance, half, signed
from sim.studies.measures import CLEAN, EVENTS, SIDES, SUCCEEDS
from sim.studies.outcomes import at_least, mean_loss, outcome_rows, percent, pips
from sim.studies.results import how_found
from sim.studies.tally import Tally
from sim.units.placing import hexside_of

if TYPE_CHECKING:
    from sim.studies.compare import Comparison, Difference
    from sim.studies.measures import Rival
    from sim.studies.odds import Odds, Row
    from sim.studies.sweep import Sweep
    from sim.units.charges import Charge


def plan_text(plan: dict[str, Any]) -> str:
    """The charger's plan in one line."""
    values = {name: str(value).lower() if isinstance(value, bool) else value for name, value in plan.items()}
    named = {"true": "yes", "false": "no"}
    return ", ".join(
        f"{name.replace('_', ' ')}: {named.get(str(value), value)}" for name, value in values.items()
    )


def head(charge: Charge, how: str) -> list[str]:
    """Title, rule set and method."""
    return [charge.title, f"{charge.played_by}; {how}"]


def method_text(method: str, runs: int, seed: int, reason: str = "") -> str:
    """How numbers were found."""
    return how_found(method, runs, seed) + (f" ({reason})" if reason else "")


def odds_lines(
    found: Odds,
    only: str | None = None,
    columns: Sequence[str] | None = None,
    event: str = SUCCEEDS,
    spread: bool = False,
    page: Page = PLAIN,
) -> list[str]:
    """The table of odds: a row a response.

    Parameters
    ----------
    only
        Keeps a single row; of several charges each keeps what was asked for.
    columns
        Names of columns or blocks (`columns.NAMES`); by default all but those that are zero in every row.
    event
        The event that is told in pips too, and the only one if it is not success and no columns are named.
    spread
        Whether the losses are told as a distribution besides.
    page
        What to lay it out for.
    """
    if len(found.charges) > 1:
        ways = [
            method_text(one.method, one.runs, one.seed, one.reason) + _reached(one) for one in found.charges
        ]
        alike = len(set(ways)) == 1
        lines = page.wrap(
            head(found.charge, ways[0]) if alike else [found.charge.title, found.charge.played_by]
        )
        for one, way in zip(found.charges, ways, strict=True):
            told = [meanwhile(one.others)] if alike else [way, meanwhile(one.others)]
            lines += ["", *_which(one.charge, one.number, page), *page.wrap(told)]
            lines += _odds_table(one, one.only, columns, event, spread, page)
        return lines
    how = method_text(found.method, found.runs, found.seed, found.reason) + _reached(found)
    return page.wrap(head(found.charge, how)) + _odds_table(found, only, columns, event, spread, page)


def meanwhile(others: dict[int, str]) -> str:
    """What the targets of other charges do, in one line."""
    does = {number: response.replace("carre@", "tries carré at ") for number, response in others.items()}
    does = {number: {"stand": "stands", "react": "reacts"}.get(one, one) for number, one in does.items()}
    return "meanwhile: " + ", ".join(f"charge {number}'s target {told}" for number, told in does.items())


def _which(charge: Charge, number: int, page: Page) -> list[str]:
    """Which of several charges it is, and the hexside of its target that it comes through."""
    book = rulebook(charge.ruleset, charge.switches)
    side = hexside_of(charge, charge.attacks[number], book)
    return list(map(page.strong, page.wrap([f"{charge.label(number)}, through the {side}"])))


def _odds_table(
    found: Odds, only: str | None, columns: Sequence[str] | None, event: str, spread: bool, page: Page
) -> list[str]:
    """The plan, the table, and what is best for the defender."""
    against = f" (best: against the aim {found.aim})" if "best" in found.attack.plan.values() else ""
    plan = plan_text(found.charge.choices_of(found.attack))
    lines = page.wrap([f"charger's plan: {plan}{against}"])
    rows = [found[only]] if only else list(found.rows)
    shown = [row for row in rows if not row.refused]
    if shown:
        lines += _odds_tables(found, shown, columns, event, page)
    if shown and spread:
        lines += _spread(found, shown, page)
    refused = [f"{row.response}: not possible here, {row.refused}" for row in rows if row.refused]
    lines += ["", *map(page.weak, page.wrap(refused))] if refused else []
    if found.has_choice:
        best = [f"best for the defender: {best_text(found)} (aim: {found.aim})", *rival_lines(found.rivals)]
        lines += ["", *page.wrap(best)]
    return lines


def _reached(found: Odds) -> str:
    return (
        ""
        if found.precision is None or found.method == "exact"
        else f"; at most ±{float(found.precision):g} points, rounded outward"
    )


def _odds_tables(
    found: Odds, rows: Sequence[Row], columns: Sequence[str] | None, event: str, page: Page
) -> list[str]:
    parts, zero = _columns_of([row.tally for row in rows], columns, event)
    lines = _marked(found, rows, blocks(["response", *map(_label, rows)], parts, page.width), page)
    if zero:
        never = "never" if found.method == "exact" else f"in no run (each {chance(0.0, found.runs)})"
        lines += ["", *page.wrap([f"{never}: {', '.join(zero)}"])]
    return lines


def _columns_of(
    tallies: Sequence[Tally], wanted: Sequence[str] | None, event: str
) -> tuple[list[Block], list[str]]:
    """The blocks to show, with a cell a tally, and the names of columns left out because they are zero in all
    of them.

    Parameters
    ----------
    wanted
        Names of columns and blocks, shown even where they are zero; None for all that are not.
    event
        The event that is told in pips; if it is not success and no columns are named, it stands alone with
        the losses.
    """
    if wanted is None and event != SUCCEEDS:
        wanted = (event, PIPS, "losses")
    found, zero = [], []
    for name, (title, headings) in BLOCKS.items():
        columns = []
        for column, heading in headings.items():
            asked = wanted is not None and (column in wanted or name in wanted)
            some = column not in EVENTS or any(tally.events[column] for tally in tallies)
            if asked or (wanted is None and some):
                columns.append((heading if wanted is None else column, *map(_cells(column, event), tallies)))
            elif wanted is None:
                zero.append(column)
            if column == event and (PIPS in wanted if wanted is not None else some):
                columns.append((PIPS, *map(_cells(PIPS, event), tallies)))
        if columns:
            found.append(Block(title if wanted is None else "", tuple(columns)))
    return found, zero


def _cells(column: str, event: str) -> Callable[[Tally], str]:
    if column == PIPS:
        return lambda tally: pips(tally, event)
    if column in EVENTS:
        return lambda tally: percent(tally, column)
    return lambda tally: mean_loss(tally, column.partition(" ")[0])


def _marked(found: Odds, rows: Sequence[Row], tables: Sequence[Sequence[str]], page: Page) -> list[str]:
    """Tables under each other, with the rows that are best for the defender marked."""
    best = [row.response for row in found.ties] if found.has_choice else []
    lines: list[str] = []
    for table in tables:
        heads = len(table) - len(rows)
        lines += ["", *map(page.weak, table[:heads])]
        lines += [
            page.strong(line) if row.response in best else line
            for line, row in zip(table[heads:], rows, strict=True)
        ]
    return lines


def _spread(found: Odds, rows: Sequence[Row], page: Page) -> list[str]:
    """Losses of both sides as a distribution: the chance to lose so many increments or more."""
    lines: list[str] = []
    for side in reversed(SIDES):
        most = max(
            max((n for n, weight in row.tally.losses[side].items() if weight), default=0) for row in rows
        )
        if not most:
            lines += ["", f"the {side}'s side loses nothing"]
            continue
        cells = [(str(n), *(at_least(row.tally, side, n) for row in rows)) for n in range(1, most + 1)]
        part = Block(f"the {side}'s side loses at least so many increments", tuple(cells))
        lines += _marked(found, rows, blocks(["response", *map(_label, rows)], [part], page.width), page)
    return lines


def best_text(found: Odds) -> str:
    """The defender's best response, the ties, and by how much it is best."""
    named = alike([row.response for row in found.ties])
    if found.margin is None:
        return named
    return (
        f"{named}, by {amount(found.aim, found.margin)}"
        if found.margin
        else f"{named}, by losses (otherwise equal)"
    )


def alike(responses: Sequence[str]) -> str:
    """One response, or several that are as good as each other."""
    return responses[0] if len(responses) == 1 else f"{', '.join(responses[:-1])} and {responses[-1]} alike"


def amount(aim: str, gain: Any) -> str:
    """A difference in what an aim looks at."""
    if aim == "losses":
        return f"{_least(float(gain), 2)} increments"
    return f"{_least(100 * float(gain), 1)} points of {'success' if aim == 'broken' else CLEAN}"


def _least(value: float, decimals: int) -> str:
    """A positive number, never printed as 0."""
    least = 10**-decimals
    return f"{value:.{decimals}f}" if value >= least / 2 else f"less than {least}"


def rival_lines(found: Sequence[Rival], when: str = "") -> list[str]:
    """One line where other aims would choose another response, and how much better it is for them."""
    if not found:
        return []
    each = [f"{rival.aim} {alike(rival.responses)}, by {amount(rival.aim, rival.gain)}" for rival in found]
    return [f"other aims would choose{when}: {'; '.join(each)}"]


def rivals_json(found: Sequence[Rival]) -> list[dict[str, Any]]:
    """What other aims would choose, as JSON objects."""
    return [
        {"aim": rival.aim, "responses": list(rival.responses), "gain": float(rival.gain)} for rival in found
    ]


def _label(row: Row) -> str:
    return row.response + (f", {row.variant.square}" if row.chosen else "")


def odds_json(found: Odds, only: str | None = None) -> dict[str, Any]:
    """The odds as an object; `outcomes` are those of the single response, or of the defender's best.

    Several charges have theirs in the list `charges`; `outcomes` are then those of the first.
    """
    told = {"title": found.charge.title, **found.charge.identity()}
    if len(found.charges) > 1:
        each = [charge_named(one) | _odds_of_one_json(one, one.only) for one in found.charges]
        return told | _how(found) | {"charges": each, "outcomes": each[0]["outcomes"]}
    return told | _odds_of_one_json(found, only)


def _how(found: Odds | Comparison) -> dict[str, Any]:
    """How numbers were found."""
    return {
        "method": found.method,
        "runs": found.runs or None,
        "seed": found.seed if found.method == "mc" else None,
    }


def charge_named(found: Odds) -> dict[str, Any]:
    """Which charge of a half it is, whom it rides at, and what the targets of the others do."""
    return {
        "charge": found.number + 1,
        "charger": found.attack.charger[0].name,
        "target": found.attack.target[0].name,
        "meanwhile": {str(number): response for number, response in found.others.items()},
    }


def _odds_of_one_json(found: Odds, only: str | None) -> dict[str, Any]:
    chosen = found[only] if only else found.best
    margin = found.margin
    return {
        **_how(found),
        "precision": None if found.precision is None or found.method == "exact" else float(found.precision),
        "plan": found.charge.choices_of(found.attack),
        "response": chosen.response,
        "refused": chosen.refused,
        "outcomes": outcome_rows(chosen.tally),
        "best": {
            "aim": found.aim,
            "response": found.best.response,
            "ties": [row.response for row in found.ties],
            "margin": None if margin is None else float(margin),
            **({"fraction": str(margin)} if isinstance(margin, Fraction) else {}),
            "others": rivals_json(found.rivals),
        },
        "responses": [_row_json(row) for row in ([chosen] if only else found.rows)],
    }


def _row_json(row: Row) -> dict[str, Any]:
    lost = {}
    for side in SIDES:
        mean = row.tally.mean_loss(side)
        spread = {
            str(n): float(weight / row.tally.total) for n, weight in sorted(row.tally.losses[side].items())
        }
        above = {
            str(n): float(row.tally.at_least(side, n) / row.tally.total)
            for n in range(1, max(map(int, spread), default=0) + 1)
        }
        lost[side] = {"mean": float(mean), "distribution": spread, "at_least": above} | (
            {"fraction": str(mean)} if row.tally.exact else {"error": row.tally.loss_error(side)}
        )
    return {
        "response": row.response,
        "refused": row.refused,
        "square": row.variant.square,
        "outcomes": outcome_rows(row.tally),
        "losses": lost,
    }


def compare_lines(
    found: Comparison, labels: tuple[str, str], event: str | None = None, page: Page = PLAIN
) -> list[str]:
    """A comparison, by response: success and each event that differs, or one event alone."""
    lines = head(found.first, method_text(found.method, found.runs, found.seed))
    if (
        found.second.ruleset.digest != found.first.ruleset.digest
        or found.second.edition != found.first.edition
    ):
        lines += head(found.second, "compared with it")[1:]
    if found.second.title != found.first.title:
        lines.append(f"compared with: {found.second.title}")
    lines = page.wrap([*lines, f"from: {labels[0]}", f"to:   {labels[1]}"])
    if found.method == "mc":
        lines += page.wrap(
            [
                "±: half a 95 % interval of the difference; paired: with the same dice, as here; "
                "apart: if each had dice of its own"
            ]
        )
    for one in found.charges:
        if len(found.charges) > 1:
            lines += ["", *_compared(one, page)]
        lines += _differences(one, event, page)
    return lines


def _compared(found: Comparison, page: Page) -> list[str]:
    """Which of several charges it is, and what the targets of the others do before and after."""
    before, after = (meanwhile(one.others) for one in found.odds)
    told = before if before == after else f"{before}; after the change {after.partition(': ')[2]}"
    return [*_which(found.first, found.number, page), *page.wrap([told])]


def _differences(found: Comparison, event: str | None, page: Page) -> list[str]:
    """The differences of one charge, by response."""
    lines: list[str] = []
    for response, rows in found.rows.items():
        cells = [
            [response, "before", "after", "difference"]
            + (["± (paired)", "± (apart)"] if found.method == "mc" else [])
        ]
        for row in rows:
            if (
                row.event == event
                if event
                else row.before != row.after or row.changed or row.event == SUCCEEDS
            ):
                cells.append(_difference_cells(row, found))
        table = grid(cells)
        lines += ["", page.strong(table[0]), *table[1:]]
        lost = ", ".join(
            f"{side} {float(a):.2f} to {float(b):.2f}" for side, (a, b) in found.losses[response].items()
        )
        lines.append(f"  expected losses: {lost}")
    for response, reasons in found.refused.items():
        said = " and ".join(
            f"{when}: {reason}" for when, reason in zip(("before", "after"), reasons, strict=True) if reason
        )
        lines += ["", *page.wrap([f"{response}: no comparison, not possible {said}"])]
    if len(found.rows) + len(found.refused) > 1:
        lines.append("")
        for which, when in enumerate(("before", "after")):
            best = (
                f"best for the defender {when}: "
                f"{alike(found.best(which)) if found.best(which) else 'none'} (aim: {found.aim})"
            )
            lines += page.wrap([best, *rival_lines(found.rivals(which), f" {when}")])
    return lines


def _difference_cells(row: Difference, found: Comparison) -> list[str]:
    before, after = (chance(p, found.runs) for p in (row.before, row.after))
    points, error = 100 * float(row.difference), 196 * row.error
    cells = [f"  {row.event}", before, after, f"{signed(points, error)} points"]
    if found.method == "mc":
        cells += [half(points, found.runs, error), half(points, found.runs, 196 * row.independent)]
    return cells


def compare_json(found: Comparison) -> dict[str, Any]:
    """A comparison as an object; several charges have theirs in the list `charges`, `outcomes` are then those
    of the first."""
    told = {"first": found.first.identity(), "second": found.second.identity()}
    if len(found.charges) > 1:
        each = [charge_named(one.odds[0]) | _differences_json(one) for one in found.charges]
        return told | _how(found) | {"charges": each, "outcomes": each[0]["outcomes"]}
    return told | _differences_json(found)


def _differences_json(found: Comparison) -> dict[str, Any]:
    responses: list[dict[str, Any]] = []
    for response, rows in found.rows.items():
        outcomes = []
        for row in rows:
            entry: dict[str, Any] = {
                "name": row.event,
                "before": float(row.before),
                "after": float(row.after),
                "p": float(row.difference),
            }
            if found.method == "exact":
                entry["fraction"] = str(row.difference)
            else:
                entry |= {
                    "low": row.difference - 1.96 * row.error,
                    "high": row.difference + 1.96 * row.error,
                    "runs": found.runs,
                    "changed": row.changed,
                    "independent_error": row.independent,
                }
            outcomes.append(entry)
        lost = {
            side: {"before": float(a), "after": float(b)} for side, (a, b) in found.losses[response].items()
        }
        responses.append({"response": response, "refused": None, "outcomes": outcomes, "losses": lost})
    for response, (before, after) in found.refused.items():
        responses.append(
            {
                "response": response,
                "refused": {"before": before, "after": after},
                "outcomes": [],
                "losses": {},
            }
        )
    return {
        **_how(found),
        "outcomes": responses[0]["outcomes"],
        "responses": responses,
        "best": {
            "aim": found.aim,
            **{
                when: {"responses": list(found.best(n)), "others": rivals_json(found.rivals(n))}
                for n, when in enumerate(("before", "after"))
            },
        },
    }


def sweep_lines(found: Sweep, event: str, page: Page = PLAIN) -> list[str]:
    """A sweep of one event: over two fields a matrix under the best response, else a line a cell, with all
    responses side by side."""
    first = found.cells[0][1]
    if len(found.charges) == 1:
        how = method_text(first.method, first.runs, first.seed, first.reason)
        return page.wrap([first.charge.title, f"{played_by(found)}; {how}"]) + _cells_table(
            found, event, page
        )
    cells = [one.cells[0][1] for one in found.charges]
    ways = [method_text(cell.method, cell.runs, cell.seed, cell.reason) for cell in cells]
    alike = len(set(ways)) == 1
    lines = page.wrap([first.charge.title, f"{played_by(found)}; {ways[0]}" if alike else played_by(found)])
    for one, cell, way in zip(found.charges, cells, ways, strict=True):
        others = {tuple(each.others.items()) for _, each in one.cells}
        told = [meanwhile(cell.others) if len(others) == 1 else "meanwhile: others as each cell says"]
        told = told if alike else [way, *told]
        lines += ["", *_which(cell.charge, cell.number, page), *page.wrap(told)]
        lines += _cells_table(one, event, page)
    return lines


def _cells_table(found: Sweep, event: str, page: Page) -> list[str]:
    """The cells of a sweep, of one charge."""
    responses = list(dict.fromkeys(row.response for _, cell in found.cells for row in cell.rows))
    table = (
        _matrix(found, event, responses, page)
        if len(found.axes) == 2
        else _list(found, event, responses, page)
    )
    reasons = reason_lines(found)
    return (
        table + (["", *map(page.weak, page.wrap(reasons))] if reasons else []) + page.wrap(_other_aims(found))
    )


def played_by(found: Sweep) -> str:
    """The rule sets and editions of a sweep; more than three are counted."""
    each = list(dict.fromkeys(cell.charge.played_by for _, cell in found.cells))
    named = f": {'; '.join(each)}" if len(each) < 4 else ""
    return each[0] if len(each) == 1 else f"{len(each)} rule sets or editions{named}"


def _list(found: Sweep, event: str, responses: Sequence[str], page: Page) -> list[str]:
    many = len(responses) > 1
    lines = [
        f"P({event})" + (f"; * best for the defender (aim: {found.cells[0][1].aim})" if many else ""),
        "",
    ]
    labels = grid(
        [
            [axis.field for axis in found.axes],
            *([written(value) for value in values] for values, _ in found.cells),
        ]
    )
    columns = []
    for response in responses:
        texts = [response + " " * many]
        for _, cell in found.cells:
            row = next((row for row in cell.allowed if row.response == response and not row.refused), None)
            mark = "*" if many and row in cell.ties else " " * many
            texts.append("–" + " " * many if row is None else percent(row.tally, event) + mark)
        columns.append(tuple(texts))
    tables = blocks(labels, [Block("", tuple(columns))], page.width)
    return lines + [
        line for number, table in enumerate(tables) for line in ([""] if number else []) + list(table)
    ]


def _matrix(found: Sweep, event: str, responses: Sequence[str], page: Page) -> list[str]:
    across, down = found.axes
    many = len(responses) > 1
    under = (
        f" under the best response for the defender (aim: {found.cells[0][1].aim})"
        if many
        else f" if the target does {responses[0]}"
    )
    codes = {response: response.replace("carre", "c") for response in responses}
    notes = ["c@n: carré at n hexes"] * any(response.startswith("carre") for response in responses) + [
        "=: others are as good"
    ]
    lines = page.wrap(
        [
            f"P({event}){under}" + (f"; {'; '.join(notes)}" if many else ""),
            f"across: {across.field}; down: {down.field}",
        ]
    )
    size = max(map(len, codes.values())) + 1
    columns = []
    for x in across.values:
        texts = [written(x) + " " * ((size + 1) * many)]
        for y in down.values:
            cell = found[x, y]
            row = cell.best
            code = "" if row.refused else codes[row.response] + "=" * (len(cell.ties) > 1)
            text = "–" if row.refused else percent(row.tally, event)
            texts.append(f"{text} {code:<{size}}" if many else text)
        columns.append(tuple(texts))
    tables = blocks(["", *map(written, down.values)], [Block("", tuple(columns))], page.width)
    return lines + [line for table in tables for line in ["", *table]]


def reason_lines(found: Sweep) -> list[str]:
    """Why responses are not possible, a line a response and reason, with the cells they are forbidden in."""
    where: dict[tuple[str, str], list[str]] = {}
    for values, cell in found.cells:
        named = ", ".join(
            f"{axis.field}={written(value)}" for axis, value in zip(found.axes, values, strict=True)
        )
        reasons = {row.response: row.refused for row in cell.rows if row.refused}
        if len(reasons) == len(cell.rows) > 1 and len(set(reasons.values())) == 1:
            reasons = {"the charge": cell.rows[0].refused or ""}
        for response, reason in reasons.items():
            where.setdefault((response, reason), []).append(named)
    lines = []
    for (response, reason), cells in where.items():
        number, all_of = len(cells), len(found.cells)
        at = (
            "in every cell"
            if number == all_of
            else f"at {' and '.join(cells)}"
            if number < 4
            else f"in {number} of {all_of} cells"
        )
        lines.append(f"{response}: not possible {at}: {reason}")
    return lines


def written(value: Any) -> str:
    """A value as a file would have it."""
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _other_aims(found: Sweep) -> list[str]:
    """One line: in how many cells another aim would choose another response, and by how much at most."""
    gains: dict[str, list[Any]] = {}
    for _, cell in found.cells:
        for rival in cell.rivals:
            gains.setdefault(rival.aim, []).append(rival.gain)
    if not gains:
        return []
    each = [
        f"{aim} in {len(amounts)} of {len(found.cells)} cells, by up to {amount(aim, max(amounts))}"
        for aim, amounts in gains.items()
    ]
    return ["", f"other aims would choose otherwise: {'; '.join(each)}"]


def sweep_json(found: Sweep, event: str) -> dict[str, Any]:
    """A sweep as an object: every cell with its responses."""
    cells = []
    for values, cell in found.cells:
        where = {axis.field: value for axis, value in zip(found.axes, values, strict=True)}
        cells.append(
            {
                "at": where,
                **{
                    name: value
                    for name, value in odds_json(cell).items()
                    if name in ("method", "runs", "best", "responses", "charges", "outcomes")
                },
            }
        )
    first = found.cells[0][1]
    return {
        **first.charge.identity(),
        "event": event,
        "aim": first.aim,
        "axes": {axis.field: list(axis.values) for axis in found.axes},
        "outcomes": cells[0]["outcomes"],
        "cells": cells,
    }
