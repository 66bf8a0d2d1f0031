"""`carre schema`: the JSON Schema of a file, for editors."""

from __future__ import annotations

import argparse

from sim.cli.output import show_json
from sim.rulesets.schema import schema as schema_of_rule_sets
from sim.units import styles
from sim.units.battlefields import SCENARIO
from sim.units.chargefields import CHARGE

_SCHEMAS = {
    "charge": ("Carré charge file", CHARGE.schema),
    "ruleset": ("Carré rule set", schema_of_rule_sets),
    "scenario": ("Carré scenario", SCENARIO.schema),
    "style": ("Carré style of play", lambda: styles.record(styles.own()).schema()),
}


def run(options: argparse.Namespace) -> None:
    """`carre schema`."""
    title, fields = _SCHEMAS[options.kind]
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **fields()}
    show_json(schema)
