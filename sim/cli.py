"""The command line: `carre`. The only module that prints."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from sim import __version__
from sim.errors import CarreError, InputError, did_you_mean

FORMATIONS = ("column", "line", "square", "skirmish", "general order", "masse", "road march")
DESCRIPTION = """Carré: odds of cavalry charges in La Bataille (Marshal Enterprises' Premier Rules).
Unofficial; La Bataille is Marshal Enterprises' game."""


class _Parser(argparse.ArgumentParser):
    """Errors in the one form of the project: one line, exit code 2."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{self.prog}: {message} (see {self.prog} --help)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code: 0, 1 if lint found errors, 2 for input that cannot be used."""
    try:
        options = _parser().parse_args(arguments)
        return int(options.run(options) or 0)
    except CarreError as error:
        print(f"carre: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - nothing reads on; keep the interpreter from failing at exit
        return 0
    except KeyboardInterrupt:
        print("carre: stopped", file=sys.stderr)
        return 130


# -- the parser -------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="carre", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"carre {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    _command(commands, "rulesets", _rulesets, "the rule sets that come with Carré")
    _chart_parsers(commands)
    odds = _command(commands, "odds", _odds, "the odds of a charge, by response of the target")
    _charge_options(odds, optional_file=True)
    odds.add_argument("--response", help="stand, carre@4 … carre@1, react, best or all")
    _run_options(odds)
    odds.add_argument("--plot", metavar="FILE", help="draw the odds (.png, .svg, .pdf)")
    odds.add_argument("--out", metavar="FILE.csv", help="write the table as CSV")
    explain = _command(commands, "explain", _explain, "one run told step by step")
    _charge_options(explain, optional_file=True)
    explain.add_argument("--response", help="what the target does (default: the charge's own, else the best for it)")
    explain.add_argument("--run", dest="run_number", type=_integer(0, 10**12), default=0, metavar="K", help="which run (default 0)")
    explain.add_argument("--seed", type=_integer(0, 2**63 - 1), default=1)
    explain.add_argument("--rolls", help="given rolls instead, in order: 43,26,5,…")
    compare = _command(commands, "compare", _compare, "what a change does, with the same dice")
    _charge_options(compare, optional_file=True)
    compare.add_argument(
        "--with",
        dest="variants",
        action="append",
        required=True,
        metavar="VARIANT",
        help="a rule set, another charge file, or FIELD=VALUE (may be repeated)",
    )
    compare.add_argument("--response")
    _run_options(compare)
    sweep = _command(commands, "sweep", _sweep, "the odds while one or two fields vary")
    _charge_options(sweep, optional_file=True)
    sweep.add_argument("--vary", action="append", required=True, metavar="FIELD=FROM..TO", help="or FIELD=A,B,C; repeat for a grid")
    sweep.add_argument("--event", default="charge succeeds", help="the event to tell and draw")
    sweep.add_argument("--response")
    _run_options(sweep)
    sweep.add_argument("--plot", metavar="FILE", help="lines (one field) or a heat map (two)")
    sweep.add_argument("--out", metavar="FILE.csv", help="write every cell as CSV")
    lint = _command(commands, "lint", _lint, "check rule sets and charge files")
    lint.add_argument("files", nargs="+", metavar="FILE")
    new = _command(commands, "new", _new, "a commented file to start from")
    new.add_argument("kind", choices=("ruleset", "charge"))
    new.add_argument("name", metavar="NAME")
    diff = _command(commands, "diff", _diff, "what differs between two rule sets")
    diff.add_argument("first", metavar="RULESET")
    diff.add_argument("second", metavar="RULESET")
    schema = _command(commands, "schema", _schema, "JSON Schema of a file, for editors")
    schema.add_argument("kind", choices=("charge",))
    return parser


def _command(commands: Any, name: str, run: Callable[[argparse.Namespace], int | None], text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text)
    parser.add_argument("--json", action="store_true", help="answer as a JSON object")
    parser.set_defaults(run=run)
    return parser


def _charge_options(parser: argparse.ArgumentParser, optional_file: bool) -> None:
    parser.add_argument("file", nargs="?" if optional_file else None, metavar="CHARGE.yaml", help="a charge file (default: a documented charge)")
    parser.add_argument("--set", dest="changes", action="append", default=[], metavar="FIELD=VALUE", help="change a field, such as target.morale=26")
    parser.add_argument("--plan", action="append", default=[], metavar="CHOICE=VALUE", help="change the charger's plan, such as square=break-off")
    parser.add_argument("--ruleset", help="play by another rule set")
    parser.add_argument("--edition", type=_integer(2000, 2100), help="play by another edition of the series rules")


def _run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--method", default="auto", help="auto, exact or mc")
    parser.add_argument("--runs", type=_integer(1, 10**9), default=100_000, metavar="N", help="simulated runs (default 100,000)")
    parser.add_argument("--seed", type=_integer(0, 2**63 - 1), default=1, metavar="S", help="seed of the simulation (default 1)")


def _chart_parsers(commands: Any) -> None:
    chart = commands.add_parser("chart", help="one chart, exactly", description="The exact chances of one roll.")
    charts = chart.add_subparsers(dest="chart", required=True, metavar="CHART", parser_class=_Parser)
    morale = _chart(charts, "morale", _chart_morale, "a morale check", "base")
    morale.add_argument("--morale", type=_face, required=True)
    carre = _chart(charts, "carre", _chart_carre, "a carré attempt")
    carre.add_argument("--nation", required=True)
    carre.add_argument("--type", help="troop type, for its modifier")
    carre.add_argument("--formation", required=True)
    carre.add_argument("--distance", type=_integer(1, 4), required=True, help="1 to 4")
    carre.add_argument("--level", type=_integer(0, 3), default=0, help="morale level of the infantry")
    _charger_options(carre)
    carre.add_argument("--leader", action="store_true", help="a leader in the hex")
    stand = _chart(charts, "stand", _chart_stand, "standing against a charge")
    stand.add_argument("--morale", type=_face, required=True)
    stand.add_argument("--formation", required=True)
    stand.add_argument("--nation", help="nation of the infantry, where the chart tells sides apart")
    stand.add_argument("--type", help="troop type")
    _charger_options(stand)
    stand.add_argument("--hexside", choices=("front", "flank", "rear"), default="front")
    stand.add_argument("--crosses", default="none", help="stream or slope that the charger crosses")
    stand.add_argument("--state", choices=("good", "disordered", "routed"), default="good")
    stand.add_argument("--half-lost", action="store_true", help="half the increments lost")
    stand.add_argument("--level", type=_integer(0, 3), default=0)
    stand.add_argument("--force-march", action="store_true")
    stand.add_argument("--leader", type=_integer(-12, 12), default=0, metavar="BONUS", help="morale bonus of a leader in the hex")
    recall = _chart(charts, "recall", _chart_recall, "recalling cavalry")
    recall.add_argument("--cavalry", required=True, help='a row of the chart, such as "Prussian Dragoon"')
    recall.add_argument("--leader", action="store_true", help="a cavalry leader in the stack")
    fire = _chart(charts, "fire", _chart_fire, "a fire attack", "base")
    fire.add_argument("--attack", type=_number, required=True)
    fire.add_argument("--defence", type=_integer(1, 99), required=True)
    fire.add_argument("--increments", type=_integer(0, 99), default=0, help="increments in the target hex")
    fire.add_argument("--canister", action="store_true", help="guns at an adjacent hex")
    assault = _chart(charts, "assault", _chart_assault, "pre-melee odds", "base", mod=False)
    assault.add_argument("--attackers", type=_integer(1, 999), required=True, metavar="INCREMENTS")
    assault.add_argument("--defenders", type=_integer(1, 999), required=True, metavar="INCREMENTS")
    melee = _chart(charts, "melee", _chart_melee, "a melee", "base")
    melee.add_argument("--attack", type=_number, required=True)
    melee.add_argument("--defence", type=_number, required=True)


def _chart(
    charts: Any, name: str, run: Callable[[argparse.Namespace], int | None], text: str, ruleset: str | None = None, mod: bool = True
) -> argparse.ArgumentParser:
    from sim.rulesets import DEFAULT

    parser = _command(charts, name, run, text)
    parser.add_argument("--ruleset", default=ruleset or DEFAULT, help=f"default {ruleset or DEFAULT}")
    parser.add_argument("--edition", type=_integer(2000, 2100), help="another edition of the series rules")
    if mod:
        parser.add_argument("--mod", type=_integer(-99, 99), default=0, metavar="N", help="a bare modifier, in pips")
    return parser


def _charger_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--charger", choices=("light", "heavy"), required=True, help="light: printed movement 13 or more")
    parser.add_argument("--lance", action="store_true", help="lancers")


def _integer(low: int, high: int) -> Callable[[str], int]:
    def integer(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"must be an integer from {low} to {high}, got {text!r}")
        return value

    return integer


def _face(text: str) -> int:
    from sim import ladder

    try:
        return ladder.face_of(ladder.index_of(text))
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _number(text: str) -> Fraction:
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        value = Fraction(-1)
    if not 0 <= value <= 10_000 or value.denominator > 1000:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 10000 such as 20, 13.5 or 27/2, got {text!r}")
    return value


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


def _book(options: argparse.Namespace) -> tuple[Any, str, dict[str, Any]]:
    from sim import rulesets
    from sim.rulebook import rulebook

    rules = rulesets.load(options.ruleset, partial=options.ruleset == rulesets.BASE)
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

    book, text, identity = _book(options)
    situation = _situation(options, book, "target") | {"target.leader": options.leader}
    answer = charts.carre(book, options.nation, options.formation, options.distance, situation, options.mod)
    _answer(options, answer, text, identity)


def _chart_stand(options: argparse.Namespace) -> None:
    from sim import charts

    book, text, identity = _book(options)
    _one_of("--formation", options.formation, FORMATIONS)
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
    if options.type is not None:
        types = book.data["troops"].get(nation, {})
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

    book, text, identity = _book(options)
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

    document = documents.read(options.file or scenarios.DEFAULT)
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
    from sim.scenarios import PLANS

    choice = name.strip().replace("-", "_")
    wanted: Any = value.strip().replace("-", " ").replace("_", " ")
    if choice in PLANS and isinstance(PLANS[choice][0], bool):
        wanted = {"yes": True, "true": True, "no": False, "false": False}.get(wanted, wanted)
    return choice, wanted


def _charge(document: Any) -> Any:
    from sim import scenarios

    charge, problems = scenarios.check(document)
    problems.raise_first()
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

        plots.save(plots.odds_figure(found), options.plot)
    if options.out:
        _write_csv(outcomes.frame({row.response: row.tally for row in found.rows if not row.refused}), options.out)
    _show(options, tables.odds_lines(found, only), tables.odds_json(found, only))


def _write_csv(frame: Any, path: str) -> None:
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        frame.to_csv(path, index=False)
    except OSError as error:
        raise InputError(f"{path}: the table cannot be written ({error.strerror})") from None


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
    told = explain.explain(charge, response, options.run_number, options.seed, rolls, **plan)
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
            other = scenarios.changed(other, variant)
        elif Path(variant).exists() and variant not in names():
            read = documents.read(variant)
            is_rules = isinstance(read.data, dict) and "charger" not in read.data and ("extends" in read.data or "nations" in read.data)
            other = other.changed(("ruleset",), variant, "--with") if is_rules else read
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

        plots.save(plots.sweep_figure(found, options.event), options.plot)
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
    from sim.scenarios import CHARGE

    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Carré charge file", **CHARGE.schema()}
    print(json.dumps(schema, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    sys.exit(main())
