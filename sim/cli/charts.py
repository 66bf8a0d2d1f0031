"""`carre chart`: one roll, exactly."""

from __future__ import annotations

import argparse
from typing import Any

from sim.cli.options import one_of
from sim.cli.output import show
from sim.errors import InputError, did_you_mean


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

    show(options, answer_lines(answer, text), answer_json(answer, identity))


def morale(options: argparse.Namespace) -> None:
    """`carre chart morale`."""
    from sim import charts

    book, text, identity = _book(options)
    _answer(options, charts.morale(book, options.morale, options.mod), text, identity)


def carre(options: argparse.Namespace) -> None:
    """`carre chart carre`."""
    from sim import charts

    book, text, identity = _book(options, battle=True)
    situation = _situation(options, book, "target") | {"target.leader": options.leader}
    answer = charts.carre(book, options.nation, options.formation, options.distance, situation, options.mod)
    _answer(options, answer, text, identity)


def stand(options: argparse.Namespace) -> None:
    """`carre chart stand`."""
    from sim import charts
    from sim.chargefields import INFANTRY_FORMATIONS

    book, text, identity = _book(options, battle=True)
    one_of("--formation", options.formation, INFANTRY_FORMATIONS)
    one_of("--crosses", options.crosses, ("none", *book.hexside_costs))
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
        one_of(f"--type of {nation} infantry", options.type, types)
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


def recall(options: argparse.Namespace) -> None:
    """`carre chart recall`."""
    from sim import charts

    book, text, identity = _book(options, battle=True)
    row = book.recall_row("", None, False, options.cavalry)
    _answer(options, charts.recall(book, row, options.leader, options.mod), text, identity)


def fire(options: argparse.Namespace) -> None:
    """`carre chart fire`."""
    from sim import charts

    book, text, identity = _book(options)
    _answer(options, charts.fire(book, options.attack, options.defence, options.increments, options.canister, options.mod), text, identity)


def assault(options: argparse.Namespace) -> None:
    """`carre chart assault`."""
    from sim import charts

    book, text, identity = _book(options)
    _answer(options, charts.assault(book, options.attackers, options.defenders), text, identity)


def melee(options: argparse.Namespace) -> None:
    """`carre chart melee`."""
    from sim import charts

    book, text, identity = _book(options)
    _answer(options, charts.melee(book, options.attack, options.defence, options.mod), text, identity)
