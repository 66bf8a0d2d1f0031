"""Answers as lines of text and as JSON objects. Nothing is printed here."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sim.measures import CLEAN, SIDES, SUCCEEDS
from sim.outcomes import Tally, chance, outcome_rows, percent
from sim.results import how_found

if TYPE_CHECKING:
    from sim.charts import Answer
    from sim.measures import Rival
    from sim.scenarios import Charge
    from sim.studies.compare import Comparison, Difference
    from sim.studies.odds import Odds, Row
    from sim.studies.sweep import Sweep

_COLUMNS = (
    ("succeeds", "charge succeeds"),
    ("clean", "clean success"),
    ("bounced", "bounced"),
    ("T routed", "target routed"),
    ("T disord.", "target disordered"),
    ("T square", "target in square"),
    ("T in order", "target in order"),
    ("T elimin.", "target eliminated"),
    ("T surrend.", "target surrendered"),
    ("C routed", "charger routed"),
    ("recovered", "charger recovered"),
    ("C lost", "charger lost"),
    ("exhausted", "exhausted"),
    ("tired", "tired"),
    ("untouched", "untouched"),
)


def grid(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells in aligned columns: the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(max(map(len, rows)))]
    lines = []
    for row in rows:
        cells = [cell.ljust(widths[0]) if i == 0 else cell.rjust(widths[i]) for i, cell in enumerate(row)]
        lines.append("  ".join(cells).rstrip())
    return lines


def plan_text(plan: dict[str, Any]) -> str:
    """The charger's plan in one line."""
    values = {name: str(value).lower() if isinstance(value, bool) else value for name, value in plan.items()}
    named = {"true": "yes", "false": "no"}
    return ", ".join(f"{name.replace('_', ' ')}: {named.get(str(value), value)}" for name, value in values.items())


def head(charge: Charge, how: str) -> list[str]:
    """Title, rule set and method."""
    return [charge.title, f"{charge.played_by}; {how}"]


def method_text(method: str, runs: int, seed: int, reason: str = "") -> str:
    """How numbers were found."""
    return how_found(method, runs, seed) + (f" ({reason})" if reason else "")


def odds_lines(found: Odds, only: str | None = None) -> list[str]:
    """The table of odds: a row a response. `only` keeps a single row."""
    lines = head(found.charge, method_text(found.method, found.runs, found.seed, found.reason))
    against = f" (best: against the aim {found.aim})" if "best" in found.charge.plan.values() else ""
    lines.append(f"charger's plan: {plan_text(found.charge.choices)}{against}")
    lines.append("")
    rows = [found.row(only)] if only else list(found.rows)
    cells = [["response", *(name for name, _ in _COLUMNS), "C loses", "T loses"]]
    refused = []
    for row in rows:
        if row.refused:
            refused.append(f"{row.response}: not possible here, {row.refused}")
            continue
        cells.append([_label(row), *(percent(row.tally, event) for _, event in _COLUMNS), *(_mean(row.tally, side) for side in SIDES)])
    if len(cells) > 1:
        lines += grid(cells)
    lines += refused
    lines += ["", "T: target at the end; C: charger's worst state; loses: expected increments of the side, over all runs"]
    if len(found.allowed) > 1:
        lines.append(f"best for the defender: {best_text(found)} (aim: {found.aim})")
        lines += rival_lines(found.rivals)
    return lines


def best_text(found: Odds) -> str:
    """The defender's best response, the ties, and by how much it is best."""
    named = alike([row.response for row in found.ties])
    if found.margin is None:
        return named
    return f"{named}, by {amount(found.aim, found.margin)}" if found.margin else f"{named}, by losses (otherwise equal)"


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
    return [{"aim": rival.aim, "responses": list(rival.responses), "gain": float(rival.gain)} for rival in found]


def _label(row: Row) -> str:
    return row.response + (f" (square: {row.variant.square})" if row.chosen else "")


def _mean(tally: Tally, side: str) -> str:
    mean, error = float(tally.mean_loss(side)), tally.loss_error(side)
    return f"{mean:.2f}" if tally.exact else f"{mean:.2f} ±{1.96 * error:.2f}"


def odds_json(found: Odds, only: str | None = None) -> dict[str, Any]:
    """The odds as an object; `outcomes` are those of the single response, or of the defender's best."""
    chosen = found.row(only) if only else found.best
    margin = found.margin
    return {
        "title": found.charge.title,
        **found.charge.identity(),
        "method": found.method,
        "runs": found.runs or None,
        "seed": found.seed if found.method == "mc" else None,
        "plan": found.charge.choices,
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
        spread = {str(n): float(weight / row.tally.total) for n, weight in sorted(row.tally.losses[side].items())}
        lost[side] = {"mean": float(mean), "distribution": spread} | (
            {"fraction": str(mean)} if row.tally.exact else {"error": row.tally.loss_error(side)}
        )
    return {"response": row.response, "refused": row.refused, "square": row.variant.square, "outcomes": outcome_rows(row.tally), "losses": lost}


def answer_lines(answer: Answer) -> list[str]:
    """A chart look-up as text."""
    rules = answer.identity
    lines = [f"{answer.chart}: {answer.row}", f"rule set {rules['ruleset']} v{rules['version']} ({rules['digest']}), edition {rules['edition']}"]
    for label, amount, source in answer.modifiers:
        lines.append(f"  {amount:+d}  {label}  {source}")
    if answer.modifiers:
        lines.append(f"  {answer.shift:+d}  in all")
    if answer.chart == "assault":
        return [
            *lines,
            f"column {answer.numbers['column']}: attacker {answer.numbers['attack']:+d}, defender {answer.numbers['defence']:+d} on the dice",
        ]
    cells = [["outcome", "faces", "pips", "chance", "rolls"]]
    for one in answer.chances:
        cells.append([one.name, f"{one.faces}/{one.of}", str(one.pips), chance(one.p, 0), one.rolls])
    return lines + grid(cells)


def answer_json(answer: Answer) -> dict[str, Any]:
    """A chart look-up as an object."""
    return {
        "chart": answer.chart,
        "row": answer.row,
        **answer.identity,
        **answer.numbers,
        "modifiers": [{"label": label, "value": amount, "source": source} for label, amount, source in answer.modifiers],
        "shift": answer.shift,
        "outcomes": [
            {
                "name": one.name,
                "p": float(one.p),
                "fraction": f"{one.p.numerator}/{one.p.denominator}",
                "faces": one.faces,
                "of": one.of,
                "pips": one.pips,
                "rolls": one.rolls,
            }
            for one in answer.chances
        ],
    }


def compare_lines(found: Comparison, labels: tuple[str, str]) -> list[str]:
    """A comparison: each event that differs, by response."""
    lines = head(found.first, method_text(found.method, found.runs, found.seed))
    if found.second.ruleset.digest != found.first.ruleset.digest or found.second.edition != found.first.edition:
        lines += head(found.second, "compared with it")[1:]
    if found.second.title != found.first.title:
        lines.append(f"compared with: {found.second.title}")
    lines += [f"from: {labels[0]}", f"to:   {labels[1]}"]
    for response, rows in found.rows.items():
        cells = [[response, "before", "after", "difference"] + (["± (paired)", "± (independent)"] if found.method == "mc" else [])]
        for row in rows:
            if row.before != row.after or row.changed or row.event == SUCCEEDS:
                cells.append(_difference_cells(row, found))
        lines += ["", *grid(cells)]
        lost = ", ".join(f"{side} {float(a):.2f} to {float(b):.2f}" for side, (a, b) in found.losses[response].items())
        lines.append(f"  expected losses: {lost}")
    for response, reasons in found.refused.items():
        said = " and ".join(f"{when}: {reason}" for when, reason in zip(("before", "after"), reasons, strict=True) if reason)
        lines += ["", f"{response}: no comparison, not possible {said}"]
    if len(found.rows) + len(found.refused) > 1:
        lines.append("")
        for which, when in enumerate(("before", "after")):
            lines.append(f"best for the defender {when}: {alike(found.best(which)) if found.best(which) else 'none'} (aim: {found.aim})")
            lines += rival_lines(found.rivals(which), f" {when}")
    return lines


def _difference_cells(row: Difference, found: Comparison) -> list[str]:
    before, after = (chance(p, found.runs) for p in (row.before, row.after))
    cells = [f"  {row.event}", before, after, f"{100 * float(row.difference):+.2f} points"]
    if found.method == "mc":
        cells += [f"{196 * row.error:.2f}", f"{196 * row.independent:.2f}"]
    return cells


def compare_json(found: Comparison) -> dict[str, Any]:
    """A comparison as an object."""
    responses: list[dict[str, Any]] = []
    for response, rows in found.rows.items():
        outcomes = []
        for row in rows:
            entry: dict[str, Any] = {"name": row.event, "before": float(row.before), "after": float(row.after), "p": float(row.difference)}
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
        lost = {side: {"before": float(a), "after": float(b)} for side, (a, b) in found.losses[response].items()}
        responses.append({"response": response, "refused": None, "outcomes": outcomes, "losses": lost})
    for response, (before, after) in found.refused.items():
        responses.append({"response": response, "refused": {"before": before, "after": after}, "outcomes": [], "losses": {}})
    return {
        "first": found.first.identity(),
        "second": found.second.identity(),
        "method": found.method,
        "runs": found.runs or None,
        "seed": found.seed if found.method == "mc" else None,
        "outcomes": responses[0]["outcomes"],
        "responses": responses,
        "best": {
            "aim": found.aim,
            **{when: {"responses": list(found.best(n)), "others": rivals_json(found.rivals(n))} for n, when in enumerate(("before", "after"))},
        },
    }


def sweep_lines(found: Sweep, event: str) -> list[str]:
    """A sweep: one line a cell with the event by response, the defender's best marked."""
    first = found.cells[0][1]
    lines = head(first.charge, method_text(first.method, first.runs, first.seed, first.reason))
    responses = list(dict.fromkeys(row.response for _, cell in found.cells for row in cell.rows))
    lines += [f"P({event})" + (f"; * best for the defender (aim: {first.aim})" if len(responses) > 1 else ""), ""]
    cells = [[*(axis.field for axis in found.axes), *responses]]
    for values, cell in found.cells:
        by_name = {row.response: row for row in cell.rows}
        texts = []
        for response in responses:
            row = by_name.get(response)
            if row is None or row.refused:
                texts.append("–")
            else:
                texts.append(percent(row.tally, event) + ("*" if len(responses) > 1 and row.response == cell.best.response else " "))
        cells.append([*(str(value) for value in values), *texts])
    return [*lines, *grid(cells), *_other_aims(found)]


def _other_aims(found: Sweep) -> list[str]:
    """One line: in how many cells another aim would choose another response, and by how much at most."""
    gains: dict[str, list[Any]] = {}
    for _, cell in found.cells:
        for rival in cell.rivals:
            gains.setdefault(rival.aim, []).append(rival.gain)
    if not gains:
        return []
    each = [f"{aim} in {len(amounts)} of {len(found.cells)} cells, by up to {amount(aim, max(amounts))}" for aim, amounts in gains.items()]
    return ["", f"other aims would choose otherwise: {'; '.join(each)}"]


def sweep_json(found: Sweep, event: str) -> dict[str, Any]:
    """A sweep as an object: every cell with its responses."""
    cells = []
    for values, cell in found.cells:
        where = {axis.field: value for axis, value in zip(found.axes, values, strict=True)}
        cells.append(
            {"at": where, **{name: value for name, value in odds_json(cell).items() if name in ("method", "runs", "best", "responses", "outcomes")}}
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
