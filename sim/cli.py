"""The command line: `carre`. The only module that prints."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sim import arguments
from sim.errors import CarreError, InputError, ScriptError, did_you_mean


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code: 0, or 2 for input that cannot be used (lint: for files with errors)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without accents is no error
    try:
        options = arguments.build(_COMMANDS).parse_args(argv)
        code = int(options.run(options) or 0)
        sys.stdout.flush()
        return code
    except CarreError as error:
        print(f"carre: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - nothing reads on; keep the interpreter from failing at exit
        return 0
    except OSError as error:  # files are told where they are read and written; this is the output itself
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - as above
        print(f"carre: the output cannot be written ({error.strerror})", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("carre: stopped", file=sys.stderr)
        return 130


# -- commands ---------------------------------------------------------------------------------


def _show(options: argparse.Namespace, lines: Sequence[str], answer: dict[str, Any]) -> None:
    print(json.dumps(answer, indent=2, ensure_ascii=False) if options.json else "\n".join(lines))


def _rulesets(options: argparse.Namespace) -> None:
    from sim import rulesets
    from sim.tables import grid

    known = [rulesets.load(name) for name in rulesets.names()]
    cells = [["name", "battle", "edition", "version", "digest"]]
    cells += [[one.name, one.title, str(one.edition), str(one.version), one.digest] for one in known]
    answer = {"rulesets": [one.identity() | {"title": one.title, "year": one.year} for one in known], "outcomes": []}
    _show(options, grid(cells), answer)


def _book(options: argparse.Namespace, battle: bool = False) -> tuple[Any, str, dict[str, Any]]:
    """The rulebook asked for; the shared base serves where no chart of a battle's own is needed."""
    from sim import rulesets
    from sim.rulebook import rulebook

    rules = rulesets.load(options.ruleset, partial=options.ruleset == rulesets.BASE and not battle)
    edition = options.edition or rules.edition
    book = rulebook(rules, rules.switches(options.edition))
    identity = rules.identity() | {"edition": edition}
    return book, f"rule set {rules.name} v{rules.version} ({rules.digest}), edition {edition}", identity


def _answer(options: argparse.Namespace, answer: Any, text: str, identity: dict[str, Any]) -> None:
    from sim.tables import answer_json, answer_lines

    _show(options, answer_lines(answer, text), answer_json(answer, identity))


def _chart_morale(options: argparse.Namespace) -> None:
    from sim import charts

    book, text, identity = _book(options)
    _answer(options, charts.morale(book, options.morale, options.mod), text, identity)


def _chart_carre(options: argparse.Namespace) -> None:
    from sim import charts

    book, text, identity = _book(options, battle=True)
    situation = _situation(options, book, "target") | {"target.leader": options.leader}
    answer = charts.carre(book, options.nation, options.formation, options.distance, situation, options.mod)
    _answer(options, answer, text, identity)


def _chart_stand(options: argparse.Namespace) -> None:
    from sim import charts
    from sim.chargefields import INFANTRY_FORMATIONS

    book, text, identity = _book(options, battle=True)
    _one_of("--formation", options.formation, INFANTRY_FORMATIONS)
    _one_of("--crosses", options.crosses, ("none", *book.hexside_costs))
    situation = _situation(options, book, "target") | _situation(options, book, "unit")
    for prefix in ("target", "unit"):
        situation |= {f"{prefix}.half_lost": options.half_lost, f"{prefix}.force_march": options.force_march, f"{prefix}.leader": options.leader != 0}
    situation |= {"hexside": options.hexside, "crosses": options.crosses}
    _answer(options, charts.stand(book, options.morale, situation, options.leader, options.mod), text, identity)


def _situation(options: argparse.Namespace, book: Any, prefix: str) -> dict[str, object]:
    """Attributes of the charged infantry and of the charger, from the options."""
    nations = book.data["nations"]
    nation = options.nation
    row_names = {row["name"]: row["nations"][0] for row in book.carre_rows}
    if nation is not None and nation not in nations and nation not in row_names:
        known = [*nations, *row_names]
        raise InputError(
            f"--nation must be one of {', '.join(dict.fromkeys(known))} in {book.ruleset.name}, got {nation!r}.{did_you_mean(nation, known)}"
        )
    if nation not in nations:
        nation = row_names.get(nation, nation)
    if options.type is not None and nation is None:
        raise InputError(f"--nation must be given with --type, so that {options.type!r} can be looked up")
    if options.type is not None:
        types = book.ruleset.infantry(nation)
        _one_of(f"--type of {nation} infantry", options.type, types)
    return {
        f"{prefix}.nation": nation,
        f"{prefix}.side": nations.get(nation, "Imperial"),
        f"{prefix}.type": options.type,
        f"{prefix}.arm": "infantry",
        f"{prefix}.formation": options.formation,
        f"{prefix}.state": getattr(options, "state", "good"),
        f"{prefix}.level": options.level,
        f"{prefix}.half_lost": False,
        f"{prefix}.leader": False,
        f"{prefix}.force_march": False,
        "charger.class": options.charger,
        "charger.lance": options.lance,
        "charger.nation": "none",
        "charger.type": "none",
        "charger.leader": False,
    }


def _one_of(name: str, value: str, known: Any) -> None:
    if value not in known:
        raise InputError(f"{name} must be one of {', '.join(known)}, got {value!r}.{did_you_mean(value, known)}")


def _chart_recall(options: argparse.Namespace) -> None:
    from sim import charts

    book, text, identity = _book(options, battle=True)
    row = book.recall_row("", None, False, options.cavalry)
    _answer(options, charts.recall(book, row, options.leader, options.mod), text, identity)


def _chart_fire(options: argparse.Namespace) -> None:
    from sim import charts

    book, text, identity = _book(options)
    _answer(options, charts.fire(book, options.attack, options.defence, options.increments, options.canister, options.mod), text, identity)


def _chart_assault(options: argparse.Namespace) -> None:
    from sim import charts

    book, text, identity = _book(options)
    _answer(options, charts.assault(book, options.attackers, options.defenders), text, identity)


def _chart_melee(options: argparse.Namespace) -> None:
    from sim import charts

    book, text, identity = _book(options)
    _answer(options, charts.melee(book, options.attack, options.defence, options.mod), text, identity)


def _document(options: argparse.Namespace) -> Any:
    from sim import documents, scenarios

    document = documents.read(scenarios.DEFAULT if options.file is None else options.file)
    return _changed(document, options)


def _changed(document: Any, options: argparse.Namespace) -> Any:
    """A document with --ruleset, --edition, --set and --plan applied."""
    from sim import scenarios

    for change in options.changes:
        document = scenarios.changed(document, change)
    for change in options.plan:
        name, equals, value = change.partition("=")
        if not equals:
            raise InputError(f"--plan must be CHOICE=VALUE, such as square=break-off, got '{change}'")
        choice, wanted = _plan(name, value)
        document = document.changed(("plan", choice), wanted, f"--plan {change}")
    if options.ruleset is not None:
        document = document.changed(("ruleset",), options.ruleset, "--ruleset")
    if options.edition is not None:
        document = document.changed(("edition",), options.edition, "--edition")
    return document


def _plan(name: str, value: str) -> tuple[str, Any]:
    """A choice of the plan; words may be joined by hyphens, and yes or no say true or false."""
    from sim.chargefields import PLANS

    choice = name.strip().replace("-", "_")
    wanted: Any = value.strip().replace("-", " ").replace("_", " ")
    if choice in PLANS and isinstance(PLANS[choice][0], bool):
        wanted = {"yes": True, "true": True, "no": False, "false": False}.get(wanted, wanted)
    return choice, wanted


def _charge(document: Any) -> Any:
    from sim import scenarios

    charge, problems = scenarios.check(document)
    problems.raise_first()
    for warning in problems.warnings:
        print(f"carre: warning: {warning}", file=sys.stderr)
    return charge


def _progress(label: str) -> Callable[[int, int], None]:
    """Progress on standard error, only where somebody watches."""

    def show(done: int, total: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if done >= total else ""
            print(f"\r{label}: {done:,} of {total:,} ({100 * done // total} %)", end=end, file=sys.stderr, flush=True)

    return show


def _odds(options: argparse.Namespace) -> None:
    from sim import outcomes, tables
    from sim.studies.odds import odds

    charge = _charge(_document(options))
    found = odds(charge, options.response, options.method, options.runs, options.seed, _progress("runs"))
    asked = options.response or charge.response
    only = None if asked == "all" else asked
    if options.plot:
        from sim import plots

        _wrote(plots.save(plots.odds_figure(found), options.plot))
    if options.out:
        _write_csv(outcomes.frame({row.response: row.tally for row in found.rows if not row.refused}), options.out)
    _show(options, tables.odds_lines(found, only), tables.odds_json(found, only))


def _write_csv(frame: Any, path: str) -> None:
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        frame.to_csv(path, index=False)
    except OSError as error:
        raise InputError(f"{path}: the table cannot be written ({error.strerror})") from None
    _wrote(path)


def _wrote(path: object) -> None:
    print(f"wrote {path}", file=sys.stderr)


def _explain(options: argparse.Namespace) -> None:
    from sim import explain, tables
    from sim.studies.odds import odds, responses_of

    charge = _charge(_document(options))
    response = options.response or charge.response
    if response in ("all", "best"):
        response = odds(charge, "best").best.response
    if response not in responses_of(charge):
        known = (*responses_of(charge), "best")
        raise InputError(f"--response must be one of {', '.join(known)}, got {response!r}.{did_you_mean(response, known)}")
    plan = {}
    if charge.plan["square"] == "best":
        plan["square"] = odds(charge, response).rows[0].variant.square
    rolls = None if options.rolls is None else _rolls(options.rolls)
    try:
        told = explain.explain(charge, response, options.run_number, options.seed, rolls, **plan)
    except ScriptError as error:
        if not options.json:
            print("\n".join(explain.story(error.steps)))
        raise
    lines = tables.head(charge, "scripted rolls" if rolls is not None else f"run {options.run_number} of seed {options.seed}")
    lines += [f"response: {response}; plan: {tables.plan_text(told['plan'])}", ""]
    answer = {"title": charge.title, **charge.identity(), **told}
    answer["outcomes"] = [{"name": name, "p": float(name in told["events"]), "runs": 1} for name in outcomes_names()]
    _show(options, lines + explain.tell(told), answer)


def outcomes_names() -> tuple[str, ...]:
    """The names of all events."""
    from sim.outcomes import EVENTS

    return EVENTS


def _rolls(text: str) -> list[int]:
    if text.strip() == "none":  # as a told run without rolls ends
        return []
    try:
        return [int(part) for part in text.replace(" ", ",").split(",") if part]
    except ValueError:
        raise InputError(f"--rolls must be rolls such as 43,26,5, got '{text}'") from None


def _compare(options: argparse.Namespace) -> None:
    from sim import documents, scenarios, tables
    from sim.rulesets import names
    from sim.studies.compare import compare
    from sim.studies.odds import odds

    document = _document(options)
    other = document
    for variant in options.variants:
        if "=" in variant:
            other = scenarios.changed(other, variant, "--with")
        elif Path(variant).exists() and variant not in names():
            read = documents.read(variant)
            is_rules = isinstance(read.data, dict) and "charger" not in read.data and ("extends" in read.data or "nations" in read.data)
            other = other.changed(("ruleset",), variant, f"--with {variant}") if is_rules else read
        else:
            other = other.changed(("ruleset",), variant, f"--with {variant}")
    first, second, response = _charge(document), _charge(other), options.response
    if response == "best":
        response = odds(first, "best", options.method, options.runs, options.seed).best.response
    found = compare(first, second, response, options.method, options.runs, options.seed, _progress("runs"))
    labels = (str(options.file or "the default charge"), " ".join(options.variants))
    _show(options, tables.compare_lines(found, labels), tables.compare_json(found))


def _sweep(options: argparse.Namespace) -> None:
    from sim import tables
    from sim.outcomes import EVENTS
    from sim.studies.sweep import parse_axis, sweep

    _one_of("--event", options.event, EVENTS)
    axes = [parse_axis(text) for text in options.vary]
    found = sweep(_document(options), axes, options.response, options.method, options.runs, options.seed, _progress("cells"))
    if options.plot:
        from sim import plots

        _wrote(plots.save(plots.sweep_figure(found, options.event), options.plot))
    if options.out:
        _write_csv(found.frame(), options.out)
    _show(options, tables.sweep_lines(found, options.event), tables.sweep_json(found, options.event))


def _lint(options: argparse.Namespace) -> int:
    from sim import lint

    reports = [lint.lint(path) for path in options.files]
    lines = [text for report in reports for text in report.lines()]
    answer: dict[str, Any] = {"files": [report.as_dict() for report in reports], "outcomes": []}
    _show(options, lines, answer)
    return 2 if any(report.errors for report in reports) else 0


def _new(options: argparse.Namespace) -> None:
    from sim import templates

    path = templates.create(options.kind, options.name)
    _show(options, [f"wrote {path}; check it with: carre lint {path}"], {"file": str(path), "outcomes": []})


def _diff(options: argparse.Namespace) -> None:
    from sim import rulesets

    first, second = rulesets.load(options.first), rulesets.load(options.second)
    changes = rulesets.difference(first, second)
    lines = [f"{first.name} ({first.digest}) and {second.name} ({second.digest}): {len(changes)} differences"]
    lines += [f"  {name}: {before} | {after}" for name, before, after in changes]
    answer: dict[str, Any] = {"first": first.identity(), "second": second.identity(), "outcomes": []}
    answer["differences"] = [{"field": name, "first": before, "second": after} for name, before, after in changes]
    _show(options, lines, answer)


def _schema(options: argparse.Namespace) -> None:
    from sim.attributes import Vocabulary
    from sim.chargefields import CHARGE
    from sim.rulefields import ruleset

    fields = CHARGE if options.kind == "charge" else ruleset(Vocabulary())
    title = "Carré charge file" if options.kind == "charge" else "Carré rule set, merged over what it extends"
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **fields.schema()}
    print(json.dumps(schema, indent=2, ensure_ascii=False))


_COMMANDS: arguments.Commands = {
    "chart_assault": _chart_assault,
    "chart_carre": _chart_carre,
    "chart_fire": _chart_fire,
    "chart_melee": _chart_melee,
    "chart_morale": _chart_morale,
    "chart_recall": _chart_recall,
    "chart_stand": _chart_stand,
    "compare": _compare,
    "diff": _diff,
    "explain": _explain,
    "lint": _lint,
    "new": _new,
    "odds": _odds,
    "rulesets": _rulesets,
    "schema": _schema,
    "sweep": _sweep,
}


if __name__ == "__main__":
    sys.exit(main())
