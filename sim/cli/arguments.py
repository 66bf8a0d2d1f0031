"""The options of the command line."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from sim import __version__
from sim.ensemble import ladder
from sim.errors import InputError
from sim.inputs import plain
from sim.report import writing
from sim.report.columns import NAMES
from sim.rulesets.shipped import DEFAULT
from sim.studies import asked
from sim.studies.measures import AIMS, EVENTS, SUCCEEDS
from sim.vocabulary import ASSAULT_FORMATIONS, INFANTRY_FORMATIONS, STATES, ZONES

DESCRIPTION = """Carré: odds of cavalry charges, and whole battles by the thousand, in La Bataille (Marshal
Enterprises' Premier Rules).
Unofficial; La Bataille is Marshal Enterprises' game."""
COMPLETION = """What a shell must read to complete commands, options, fields, values and names of carre.

bash, zsh:   eval "$(carre completion bash)"
fish:        carre completion fish | source
powershell:  carre completion powershell | Out-String | Invoke-Expression

In the shell's start-up file the line serves every new shell."""

RUNS = 100_000
"""Simulated runs of a charge where no number is given."""
BATTLES = 10_000
"""Battles where no number is given."""


class Parser(argparse.ArgumentParser):
    """Errors in the one form of the project: one line, exit code 2."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (see {self.prog} --help)")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Help and version; argparse would keep silent about an output that cannot be written."""
        if message:
            file.write(message)


def build() -> argparse.ArgumentParser:
    """The parser of `carre`; a command has a module of its name beside this one, with a function `run`."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = Parser(prog="carre", description=DESCRIPTION, formatter_class=formatter)
    parser.add_argument("--version", action="version", version=f"carre {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    _command(commands, "rulesets", "the rule sets that come with Carré")
    _command(commands, "scenarios", "the scenarios that come with Carré")
    _chart_parsers(commands)
    odds = _command(commands, "odds", "the odds of a charge, by response of the target")
    _charge_options(odds)
    odds.add_argument("--response", help="stand, carre@4 … carre@1, react, best or all")
    _run_options(odds, precision=True)
    odds.add_argument(
        "--plot",
        type=_ending(".png", ".svg", ".pdf"),
        metavar="FILE",
        help="draw the odds (.png, .svg, .pdf)",
    )
    odds.add_argument(
        "--out",
        type=_ending(".csv", ".parquet"),
        metavar="FILE",
        help="write the table (.csv), or each run, of exact odds each end with its weight (.parquet)",
    )
    odds.add_argument(
        "--losses",
        action="store_true",
        help="tell the losses as a distribution too: the chance to lose at least so many",
    )
    odds.add_argument(
        "--columns", metavar="A,B,…", help=f"which columns or blocks of them: {', '.join(NAMES)}"
    )
    odds.add_argument(
        "--solve",
        action="store_true",
        help="both sides choose as the charge goes on, each at its best for --aim",
    )
    _event_option(odds, None)
    run = _command(commands, "run", "thousands of battles of a scenario: is it balanced?")
    _scenario_option(run)
    _scenario_changes(run)
    _battles_options(run, BATTLES, "battles")
    run.add_argument(
        "--styles",
        action="store_true",
        help="deal the battles to the nine pairs of the three styles: how much hangs on who plays?",
    )
    run.add_argument(
        "--out", metavar="DIR", help="write every run into a folder: Parquet, CSV and a manifest"
    )
    run.add_argument(
        "--plot",
        metavar="PATH",
        help="draw: into a file (.png, .svg, .pdf), or each picture into a folder, as .png",
    )
    _colour_option(run)
    explain = _command(commands, "explain", "one run told step by step, of a charge or of a battle")
    _charge_options(explain, "FILE", "a charge file, or a scenario by name or file")
    explain.add_argument(
        "--response", help="what the target does (default: the charge's own, else the best for it)"
    )
    explain.add_argument(
        "--charge",
        dest="number",
        type=_integer(1, 12),
        metavar="N",
        help="of several charges the one asked about (default 1); --response is then its target's alone",
    )
    which = explain.add_mutually_exclusive_group()
    which.add_argument(
        "--run",
        dest="run_number",
        type=_integer(*asked.RUN),
        default=0,
        metavar="K",
        help="which run (default 0)",
    )
    which.add_argument("--rolls", help="given rolls instead, in order: 43,26,5,…")
    explain.add_argument("--seed", type=_integer(*asked.SEED), default=1, help="of the run (default 1)")
    explain.add_argument(
        "--turn",
        type=_integer(1, 999),
        metavar="T",
        help="of a battle this turn alone",
    )
    explain.add_argument("--unit", metavar="NAME", help="of a battle only what concerns a unit or leader")
    compare = _command(commands, "compare", "what a change does, with the same dice")
    _charge_options(compare)
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
    compare.add_argument(
        "--out",
        type=_ending(".csv", ".parquet"),
        metavar="FILE",
        help="write every difference (.csv), or each run of both, of exact odds each end with its "
        "weight (.parquet)",
    )
    _event_option(compare, None)
    sweep = _command(commands, "sweep", "the odds while one or two fields vary")
    _charge_options(sweep)
    sweep.add_argument(
        "--vary",
        action="append",
        required=True,
        metavar="FIELD=FROM..TO",
        help="or FIELD=A,B,C; repeat for a grid; increments vary as losses, printed stays",
    )
    _event_option(sweep)
    sweep.add_argument("--response")
    _run_options(sweep)
    sweep.add_argument(
        "--plot",
        type=_ending(".png", ".svg", ".pdf"),
        metavar="FILE",
        help="marks (one field) or a heat map (two)",
    )
    sweep.add_argument(
        "--scale",
        default="data",
        help="of the picture: data (follows the data, default), full (0 to 100 %%), or FROM..TO in per "
        "cent, for pictures to compare",
    )
    sweep.add_argument(
        "--out",
        type=_ending(".csv", ".parquet"),
        metavar="FILE",
        help="write every cell (.csv), or each end in every cell with its weight (.parquet)",
    )
    map_ = _command(commands, "map", "a map, told or drawn; of a scenario with its units")
    map_.add_argument(
        "map",
        metavar="MAP",
        help="a map or scenario that comes with Carré, or a file (.map, .tmj; .yaml of a scenario)",
    )
    _scenario_changes(map_)
    map_.add_argument(
        "--run",
        dest="run_number",
        type=_integer(*asked.RUN),
        metavar="K",
        help="of a scenario: the units as they stand in a run, at the end of --turn",
    )
    map_.add_argument("--seed", type=_integer(*asked.SEED), default=1, help="of the run (default 1)")
    map_.add_argument(
        "--turn",
        type=_integer(0, 999),
        metavar="T",
        help="how many turns of the run are played (default: all); 0: as it begins",
    )
    map_.add_argument(
        "--plot",
        type=_ending(".png", ".svg", ".pdf"),
        metavar="FILE",
        help="draw the map (.png, .svg, .pdf)",
    )
    _tournament(commands)
    _replay(commands)
    lint = _command(commands, "lint", "check rule sets, charge files, scenarios, rosters, maps and styles")
    lint.add_argument("files", nargs="+", metavar="FILE")
    new = _command(commands, "new", "a commented file to start from")
    new.add_argument("kind", choices=("ruleset", "charge", "scenario", "map"))
    new.add_argument("name", metavar="NAME")
    diff = _command(commands, "diff", "what differs between two rule sets")
    diff.add_argument("first", metavar="RULESET")
    diff.add_argument("second", metavar="RULESET")
    schema = _command(commands, "schema", "JSON Schema of a file, for editors")
    schema.add_argument("kind", choices=("charge", "ruleset", "scenario", "style"))
    completion = commands.add_parser(
        "completion", help="completion on the tab key", description=COMPLETION, formatter_class=formatter
    )
    completion.add_argument("shell", choices=("bash", "zsh", "fish", "powershell"))
    return parser


def _battles_options(parser: argparse.ArgumentParser, runs: int, what: str) -> None:
    parser.add_argument(
        "--runs", type=_integer(*asked.RUNS), default=runs, metavar="N", help=f"{what} (default {runs:,})"
    )
    parser.add_argument(
        "--seed", type=_integer(*asked.SEED), default=1, metavar="S", help="seed of the dice (default 1)"
    )
    parser.add_argument(
        "--workers",
        type=_integer(1, 256),
        default=1,
        metavar="N",
        help="processes that play (default 1); they change nothing but the time it takes",
    )


def _tournament(commands: Any) -> None:
    told = _command(commands, "tournament", "styles against each other, each on both sides of a scenario")
    _scenario_option(told)
    told.add_argument(
        "doctrines", nargs="+", metavar="DOCTRINE", help="a style, idle, march, or the path of a style file"
    )
    _scenario_changes(told)
    _battles_options(told, 1_000, "battles of each pair")


def _replay(commands: Any) -> None:
    replay = _command(commands, "replay", "one battle as a film: the map after each half, as GIF or pictures")
    _scenario_option(replay)
    _scenario_changes(replay)
    replay.add_argument(
        "--run",
        dest="run_number",
        type=_integer(*asked.RUN),
        default=0,
        metavar="K",
        help="which run (default 0)",
    )
    replay.add_argument("--seed", type=_integer(*asked.SEED), default=1, help="of the run (default 1)")
    replay.add_argument("--gif", type=_ending(".gif"), metavar="FILE", help="write a picture that runs")
    replay.add_argument("--frames", metavar="DIR", help="write each picture into a folder, as .png")


def _command(commands: Any, name: str, text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text)
    parser.add_argument("--json", action="store_true", help="answer as a JSON object")
    return parser


def _charge_options(
    parser: argparse.ArgumentParser, name: str = "CHARGE.yaml", what: str = "a charge file"
) -> None:
    parser.add_argument("file", nargs="?", metavar=name, help=f"{what} (default: a documented charge)")
    parser.add_argument(
        "--set",
        dest="changes",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="change a field, such as target.morale=26; increments alone are losses, printed stays",
    )
    parser.add_argument(
        "--plan",
        action="append",
        default=[],
        metavar="CHOICE=VALUE",
        help="change the charger's plan, such as square=break-off, or 2.square=break-off of several charges",
    )
    parser.add_argument(
        "--ruleset", help="play by another rule set: a name, or a path from the working directory"
    )
    parser.add_argument(
        "--edition", type=_integer(*asked.EDITIONS), help="play by another edition of the series rules"
    )
    aims = "; ".join(f"{name}: {text}" for name, text in AIMS.items())
    parser.add_argument(
        "--aim",
        default="broken",
        help=f"what the defender's best response is best at. {aims} (default broken)",
    )


def _scenario_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "scenario", metavar="SCENARIO", help="a scenario that comes with Carré (carre scenarios), or a file"
    )


def _scenario_changes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        dest="changes",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="change a field of the scenario, such as turns.to=14:00 or first=Prussian",
    )


def _colour_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="mark lines; auto: on a terminal, unless NO_COLOR is set",
    )


def _event_option(parser: argparse.ArgumentParser, default: str | None = SUCCEEDS) -> None:
    usual = f" (default {default})" if default else " (default: all)"
    parser.add_argument(
        "--event", default=default, help=f"the event to tell and draw: {', '.join(EVENTS)}{usual}"
    )


def _run_options(parser: argparse.ArgumentParser, precision: bool = False) -> None:
    _colour_option(parser)
    parser.add_argument("--method", default="auto", help="auto, exact or mc")
    many = parser.add_mutually_exclusive_group()
    many.add_argument(
        "--runs", type=_integer(*asked.RUNS), metavar="N", help=f"simulated runs (default {RUNS:,})"
    )
    if precision:
        many.add_argument(
            "--precision",
            type=_number,
            metavar="POINTS",
            help="as many runs as 95 %% intervals of so many points to either side need, such as 0.5",
        )
    parser.add_argument(
        "--seed",
        type=_integer(*asked.SEED),
        default=1,
        metavar="S",
        help="seed of the simulation (default 1)",
    )


def _chart_parsers(commands: Any) -> None:
    chart = commands.add_parser(
        "chart", help="one chart, exactly", description="The exact chances of one roll."
    )
    charts = chart.add_subparsers(dest="chart", required=True, metavar="CHART", parser_class=Parser)
    morale = _chart(charts, "morale", "a morale check", "base")
    morale.add_argument("--morale", type=_face, required=True)
    carre = _chart(charts, "carre", "a carré attempt")
    carre.add_argument("--nation", type=_text, required=True)
    carre.add_argument("--type", type=_text, help="troop type, for its modifier")
    carre.add_argument("--formation", required=True)
    carre.add_argument("--distance", type=_integer(1, 4), required=True, help="1 to 4")
    carre.add_argument("--level", type=_integer(0, 3), default=0, help="morale level of the infantry")
    _charger_options(carre, required=False)
    carre.add_argument("--leader", action="store_true", help="a leader in the hex")
    stand = _chart(charts, "stand", "standing against a charge")
    stand.add_argument("--morale", type=_face, required=True)
    stand.add_argument("--formation", required=True)
    stand.add_argument(
        "--nation", type=_text, help="nation of the infantry, where the chart tells sides apart"
    )
    stand.add_argument("--type", type=_text, help="troop type")
    _charger_options(stand)
    stand.add_argument("--hexside", choices=("front", "flank", "rear"), default="front")
    stand.add_argument("--crosses", default="none", help="stream or slope that the charger crosses")
    stand.add_argument("--state", choices=("good", "disordered", "routed"), default="good")
    stand.add_argument("--half-lost", action="store_true", help="half the increments lost")
    stand.add_argument("--level", type=_integer(0, 3), default=0)
    stand.add_argument("--force-march", action="store_true")
    stand.add_argument(
        "--leader",
        type=_integer(-12, 12),
        default=0,
        metavar="BONUS",
        help="morale bonus of a leader in the hex",
    )
    recall = _chart(charts, "recall", "recalling cavalry")
    recall.add_argument(
        "--cavalry", type=_text, required=True, help='a row of the chart, such as "Prussian Dragoon"'
    )
    recall.add_argument("--leader", action="store_true", help="a cavalry leader in the stack")
    fire = _chart(charts, "fire", "a fire attack", "base")
    fire.add_argument("--attack", type=_number, required=True)
    fire.add_argument("--defence", type=_integer(1, 99), required=True)
    fire.add_argument("--increments", type=_integer(0, 99), default=0, help="increments in the target hex")
    fire.add_argument("--canister", action="store_true", help="guns at an adjacent hex")
    fire.add_argument(
        "--range",
        type=_integer(1, 99),
        metavar="HEXES",
        help="the attack is that of guns at so many hexes (canister at one)",
    )
    fire.add_argument("--skirmishers", action="store_true", help="with --range: of skirmishers, not guns")
    level = _chart(charts, "level", "the morale level for so many battalions lost", mod=False)
    level.add_argument(
        "--lost",
        type=_integer(0, 999),
        required=True,
        metavar="BATTALIONS",
        help="battalions routed or eliminated",
    )
    whose = level.add_mutually_exclusive_group()
    whose.add_argument("--organisation", type=_text, help="one of the rule set's (default: all of them)")
    whose.add_argument(
        "--battalions",
        type=_integer(1, 999),
        help="of an organisation without thresholds of its own: 20, 40, 60 %% of them",
    )
    whose.add_argument(
        "--scenario",
        type=_text,
        help="every organisation of a scenario (its name, or a path), by the rule set of that",
    )
    whose.add_argument(
        "--thresholds",
        type=_integers,
        metavar="A,B,C",
        help="battalions lost at which levels 1, 2, 3 are reached",
    )
    assault = _chart(charts, "assault", "an infantry assault: pre-melee checks and melee", "base", mod=False)
    assault.add_argument("--attackers", type=_integer(1, 999), required=True, metavar="INCREMENTS")
    assault.add_argument("--defenders", type=_integer(1, 999), required=True, metavar="INCREMENTS")
    assault.add_argument("--hexside", choices=ZONES, default="front", help="of the defenders")
    assault.add_argument("--crosses", default="none", help="stream or slope that the attackers cross")
    for side, formations, states in (
        ("attack", ASSAULT_FORMATIONS, STATES[:2]),
        ("defence", INFANTRY_FORMATIONS, STATES),
    ):
        _side_options(assault, side, formations, states)
    assault.add_argument(
        "--melee-leader",
        type=_integer(-12, 12),
        default=0,
        metavar="BONUS",
        help="bonus of the attackers' leader on the melee dice",
    )
    melee = _chart(charts, "melee", "a melee", "base")
    melee.add_argument("--attack", type=_number, required=True)
    melee.add_argument("--defence", type=_number, required=True)
    movement = _chart(charts, "movement", "what hexes, hexsides and changes cost", mod=False)
    movement.add_argument(
        "--terrain", type=_text, help="one terrain or hexside of the rule set (default: all)"
    )
    stacking = _chart(charts, "stacking", "what a hex holds", mod=False)
    stacking.add_argument("--terrain", type=_text, help="one terrain of the rule set (default: all)")
    for ground in (movement, stacking):
        ground.add_argument(
            "--arm", choices=("infantry", "cavalry", "artillery"), help="one arm (default: all)"
        )
    limber = _chart(charts, "limber", "the die that batteries need to limber", mod=False)
    limber.add_argument("--nation", type=_text, help="batteries of one nation (default: all)")


def _chart(
    charts: Any,
    name: str,
    text: str,
    ruleset: str | None = None,
    mod: bool = True,
) -> argparse.ArgumentParser:
    parser = _command(charts, name, text)
    parser.add_argument("--ruleset", default=ruleset or DEFAULT, help=f"default {ruleset or DEFAULT}")
    parser.add_argument(
        "--edition", type=_integer(*asked.EDITIONS), help="another edition of the series rules"
    )
    if mod:
        parser.add_argument(
            "--mod", type=_integer(-99, 99), default=0, metavar="N", help="a bare modifier, in pips"
        )
    return parser


def _side_options(
    parser: argparse.ArgumentParser, side: str, formations: tuple[str, ...], states: tuple[str, ...]
) -> None:
    """What is said of a side of an assault."""
    other = "defence" if side == "attack" else "attack"
    group = parser.add_argument_group("attackers" if side == "attack" else "defenders")
    group.add_argument(
        f"--{side}-morale", type=_face, help=f"of who checks; with --{other}-morale: chances of the checks"
    )
    group.add_argument(
        f"--{side}-melee",
        type=_number,
        metavar="VALUE",
        help="melee values of all that fight, before factors; with both morales: the whole assault",
    )
    group.add_argument(f"--{side}-formation", choices=formations, default="column")
    group.add_argument(f"--{side}-state", choices=states, default="good")
    group.add_argument(f"--{side}-half-lost", action="store_true", help="half the increments lost")
    group.add_argument(f"--{side}-level", type=_integer(0, 3), default=0, help="morale level")
    group.add_argument(
        f"--{side}-leader",
        type=_integer(-12, 12),
        default=0,
        metavar="BONUS",
        help="morale bonus of a leader in the hex",
    )
    group.add_argument(
        f"--{side}-lost",
        type=_integer(0, 36),
        default=0,
        metavar="INCREMENTS",
        help="lost to the other side's fire in this half",
    )
    group.add_argument(f"--{side}-nation", type=_text, help="for lines of a battle that name it")


def _charger_options(parser: argparse.ArgumentParser, required: bool = True) -> None:
    printed = "" if required else " (default: the printed row, without modifiers of the charger)"
    parser.add_argument(
        "--charger",
        choices=("light", "heavy"),
        required=required,
        help=f"light: printed movement 13 or more{printed}",
    )
    parser.add_argument("--lance", action="store_true", help="lancers")


def _integers(text: str) -> list[int]:
    return [_integer(1, 999)(part) for part in text.split(",")]


def _integer(low: int, high: int) -> Callable[[str], int]:
    def integer(text: str) -> int:
        value = plain.integer(text)
        if value is None or not low <= value <= high:
            form = plain.plain_form(text)
            hint = (
                f": write {form}"
                if value is None
                and (number := plain.integer(form or "")) is not None
                and low <= number <= high
                else ""
            )
            raise argparse.ArgumentTypeError(f"must be an integer from {low} to {high}, got {text!r}{hint}")
        return value

    return integer


def _ending(*suffixes: str) -> Callable[[str], str]:
    """A file to write, known by its suffix: never a charge or rule set, which it would overwrite.

    Refused at once where nothing can be written.
    """

    def name(text: str) -> str:
        if Path(text).suffix.lower() not in suffixes:
            raise argparse.ArgumentTypeError(
                f"must name a file ending in {', '.join(suffixes)}, got {text!r}"
            )
        reason = _unwritable(Path(text))
        if reason:
            raise argparse.ArgumentTypeError(f"must be a file that can be written, got {text!r}: {reason}")
        return text

    return name


def _unwritable(path: Path) -> str:
    """Why a file cannot be written, as far as can be told without writing it, or nothing."""
    try:
        if path.is_dir():
            return "it is a directory"
        if path.exists() and not os.access(path, os.W_OK):
            return "it may not be changed"
        folder = path.parent
        if not folder.exists():
            return f"there is no folder '{folder}'"
        if not folder.is_dir():
            return f"'{folder}' is not a directory"
        if writing.named_pipe(path):
            return "it is a pipe"
        path.lstat()
    except FileNotFoundError:
        return "" if os.access(folder, os.W_OK | os.X_OK) else f"nothing may be written in '{folder}'"
    except (OSError, ValueError) as error:
        return str(getattr(error, "strerror", None) or error)
    return ""


def _text(text: str) -> str:
    """A name, as Unicode composes it."""
    return plain.composed(text)


def _face(text: str) -> int:
    try:
        return ladder.face_of(ladder.index_of(text))
    except InputError as error:
        form = plain.plain_form(text)
        hint = (
            f": write {form}"
            if form and form != text and len(form) == 2 and ladder.is_face(int(form))
            else ""
        )
        raise argparse.ArgumentTypeError(f"{error}{hint}") from None


def _number(text: str) -> Fraction:
    value = plain.number(text)
    if value is None or not 0 <= value <= 10_000 or value.denominator > 1000:
        form = plain.plain_form(text)
        hint = f": write {form}" if form and value is None and len(form) <= 10 else ""
        raise argparse.ArgumentTypeError(
            f"must be a number from 0 to 10000 such as 20, 13.5 or 27/2, got {text!r}{hint}"
        )
    return value
