"""`carre schema`: the JSON Schema of a file, for editors."""

from __future__ import annotations

import argparse

from sim.cli.output import show_json
from sim.rulesets.schema import schema as schema_of_rule_sets
from sim.units.chargefields import CHARGE


def run(options: argparse.Namespace) -> None:
    """`carre schema`."""
    fields = CHARGE.schema() if options.kind == "charge" else schema_of_rule_sets()
    title = "Carré charge file" if options.kind == "charge" else "Carré rule set"
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **fields}
    show_json(schema)
