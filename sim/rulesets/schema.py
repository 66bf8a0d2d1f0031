"""The JSON Schema of a rule-set file as it stands on disk: it says only what differs from the file that it
extends."""

from __future__ import annotations

import json
from collections import Counter

from sim.inputs.documents import Key
from sim.inputs.fields import Schema
from sim.rulesets.attributes import Vocabulary
from sim.rulesets.fields import ruleset
from sim.rulesets.merging import REMOVABLE, ROWS, matches

_NULL = {"type": "null"}
_LONG = 300
"""Characters from which a part that comes more than once is written once."""


def schema() -> Schema:
    """The schema for editors: no block and no field is needed, rows may be told by name, null takes inherited
    entries away."""
    return _shared(_file(ruleset(Vocabulary()).schema(), ()))


def _file(whole: Schema, key: Key) -> Schema:
    """The schema of a value that may be merged over another, from that of the merged value."""
    if key in ROWS:
        row = _row(whole["items"])
        several = {"type": "array", "items": whole["items"] | {"required": []}, "minItems": 1}
        rows = {"type": "object", "additionalProperties": {"anyOf": [row, several, _NULL]}}
        return {"anyOf": [whole, rows]}
    if "anyOf" in whole:
        return whole | {"anyOf": [_file(one, key) for one in whole["anyOf"]]}
    if whole.get("type") != "object":
        return whole
    part = {name: value for name, value in whole.items() if name not in ("required", "minProperties")}
    for name, value in whole.get("properties", {}).items():
        part["properties"] = part["properties"] | {name: _entry(value, (*key, name), matches(key, REMOVABLE))}
    if isinstance(whole.get("additionalProperties"), dict):
        part["additionalProperties"] = _entry(
            whole["additionalProperties"], (*key, "*"), matches(key, REMOVABLE)
        )
    return part


def _entry(whole: Schema, key: Key, removable: bool) -> Schema:
    part = _file(whole, key)
    return {"anyOf": [part, _NULL]} if removable else part


def _row(whole: Schema) -> Schema:
    """A change of a row: some of its fields, null for one that is taken away."""
    fields = {name: {"anyOf": [_file(value, (name,)), _NULL]} for name, value in whole["properties"].items()}
    return {"type": "object", "additionalProperties": False, "properties": fields}


def _shared(whole: Schema) -> Schema:
    """The same schema, with what it says more than once under `$defs`."""
    times = Counter(json.dumps(part) for part in _parts(whole))
    names = {
        text: f"part{i}"
        for i, text in enumerate(text for text, number in times.items() if number > 1 and len(text) >= _LONG)
    }
    defs = {name: _inner(json.loads(text), names) for text, name in names.items()}
    return _inner(whole, names) | {"$defs": defs}


def _parts(schema: Schema) -> list[Schema]:
    """A schema and all schemas within it."""
    found = [schema]
    for value in _below(schema).values():
        for one in value if isinstance(value, list) else value.values():
            found += _parts(one)
    return found


def _below(schema: Schema) -> Schema:
    """The fields of a schema that hold schemas: by name, or in a list."""
    named = {field: schema[field] for field in ("properties", "patternProperties") if field in schema}
    single = {
        field: [schema[field]]
        for field in ("items", "additionalProperties")
        if isinstance(schema.get(field), dict)
    }
    return named | single | {field: schema[field] for field in ("anyOf",) if field in schema}


def _inner(schema: Schema, names: dict[str, str]) -> Schema:
    """A schema with references in place of the shared ones within it."""

    def refer(one: Schema) -> Schema:
        name = names.get(json.dumps(one))
        return {"$ref": f"#/$defs/{name}"} if name else _inner(one, names)

    found = dict(schema)
    for field, value in _below(schema).items():
        if isinstance(value, dict):
            found[field] = {name: refer(one) for name, one in value.items()}
        elif field == "anyOf":
            found[field] = [refer(one) for one in value]
        else:
            found[field] = refer(value[0])
    return found
