"""Mutators of charge files, rule sets and command lines: small changes such as people, editors and bad disks
make.

Everything comes from the generator that is passed in, so that a case is known by its seed.
"""

from __future__ import annotations

import copy
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import yaml

from sim.inputs.documents import Key, dotted

HERE = Path(__file__).parent
NUMBERS = [*(HERE / "numbers.txt").read_text(encoding="utf-8").splitlines(), "0x" + "f" * 5000]
WORDS = [*(HERE / "words.txt").read_text(encoding="utf-8").splitlines(), "x" * 300]
NAMES = (
    "extra",
    "source",
    "path",
    "distance",
    "battery",
    "stack",
    "leader",
    "arm",
    "printed",
    "extends",
    "set",
    "second",
    "charges",
    "at",
    "from",
)
LETTERS = [
    "é",
    "e\u0301",
    "Ω",
    "中",
    "🐎",
    "\u202e",
    "\u00a0",
    "\u200b",
    "\ufeff",
    "\x1b[31m",
    "\0",
    "\x07",
    "\x9b",
    "\u2028",
    "\uffff",
    "\t",
    "\r",
]

Change = Callable[[Random, Any], Any]


def ways(value: Any, key: Key = ()) -> list[Key]:
    """The ways to all values of nested data but the whole."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for part, one in inner for found in ((*key, part), *ways(one, (*key, part)))]


def at(data: Any, key: Key) -> Any:
    for part in key:
        data = data[part]
    return data


def written(rng: Random) -> Any:
    """A value that may be anything, as YAML reads it, or text where it reads nothing."""
    one = rng.choice(rng.choice((NUMBERS, WORDS)))
    if one.startswith("&a ["):  # would hold itself
        return one
    try:
        return yaml.safe_load(one)
    except (yaml.YAMLError, ValueError, TypeError, KeyError, AttributeError, IndexError):
        return one


def remove(rng: Random, data: Any) -> Any:
    key = rng.choice(ways(data))
    del at(data, key[:-1])[key[-1]]
    return data


def replace(rng: Random, data: Any) -> Any:
    key = rng.choice(ways(data))
    at(data, key[:-1])[key[-1]] = written(rng)
    return data


def swap(rng: Random, data: Any) -> Any:
    """One value in the place of another."""
    one, other = rng.choice(ways(data)), rng.choice(ways(data))
    at(data, one[:-1])[one[-1]] = copy.deepcopy(at(data, other))
    return data


def nudge(rng: Random, data: Any) -> Any:
    """A number a little or a lot off, a text with a slip of the finger."""
    key = rng.choice(
        [key for key in ways(data) if isinstance(at(data, key), int | float | str)] or ways(data)
    )
    value = at(data, key)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        value = not value
    elif isinstance(value, str):
        value = slip(rng, value)
    else:
        value += rng.choice((1, -1, 10, -10, 0.5, 1000, -value))
    at(data, key[:-1])[key[-1]] = value
    return data


def slip(rng: Random, text: str) -> str:
    place = rng.randrange(len(text) + 1)
    more = rng.choice([*"abcxyz -_:#.", *LETTERS, ""])
    end = place + rng.choice((0, 1))
    return rng.choice(
        (
            text[:place] + more + text[end:],
            text[:place] + text[place : place + 2][::-1] + text[place + 2 :],
            text.upper(),
        )
    )


def rename(rng: Random, data: Any) -> Any:
    keys = [key for key in ways(data) if isinstance(key[-1], str)]
    key = rng.choice(keys)
    holder = at(data, key[:-1])
    renamed = {slip(rng, name) if name == key[-1] else name: value for name, value in holder.items()}
    holder.clear()
    holder.update(renamed)
    return data


def add(rng: Random, data: Any) -> Any:
    """A field more: one of another place, or an unknown one."""
    mappings = [key for key in [(), *ways(data)] if isinstance(at(data, key), dict)]
    other = rng.choice(ways(data))
    name = rng.choice([other[-1], rng.randrange(-1, 70), *NAMES])
    at(data, rng.choice(mappings))[name] = rng.choice((written(rng), copy.deepcopy(at(data, other))))
    return data


def repeat(rng: Random, data: Any) -> Any:
    """An entry of a list once more, or a list of very many."""
    lists = [key for key in ways(data) if isinstance(at(data, key), list) and at(data, key)]
    if lists:
        entries = at(data, rng.choice(lists))
        entries.extend(copy.deepcopy(rng.choice(entries)) for _ in range(rng.choice((1, 1, 1, 5, 200))))
    return data


def nest(rng: Random, data: Any) -> Any:
    key = rng.choice(ways(data))
    value = at(data, key)
    for _ in range(rng.choice((1, 1, 1, 3, 55)) if len(key) < 20 else 1):
        value = [value] if rng.random() < 0.5 else {"a": value}
    at(data, key[:-1])[key[-1]] = value
    return data


OF_DATA: tuple[Change, ...] = (
    remove,
    replace,
    replace,
    replace,
    swap,
    nudge,
    nudge,
    rename,
    add,
    repeat,
    nest,
)


def notation(rng: Random, text: str) -> str:
    """A value of one line in another notation."""
    lines = text.split("\n")
    row = rng.randrange(len(lines))
    name, colon, _ = lines[row].partition(": ")
    if colon:
        lines[row] = f"{name}: {rng.choice((*NUMBERS, *WORDS))}"
    return "\n".join(lines)


def line(rng: Random, text: str) -> str:
    """A line lost, doubled, moved, indented otherwise."""
    lines = text.split("\n")
    row = rng.randrange(len(lines))
    one = lines.pop(row)
    how = rng.randrange(5)
    if how == 1:
        lines[row:row] = [one, one]
    elif how == 2:
        lines.insert(rng.randrange(len(lines) + 1), one)
    elif how == 3:
        lines.insert(row, rng.choice((" ", "\t", "  ", "- ", "# ")) + one)
    elif how == 4:
        lines.insert(row, one.strip())
    return "\n".join(lines)


def letter(rng: Random, text: str) -> str:
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice([*LETTERS, *"{}[]:,#&*!|>'\"%@`-?"]) + text[place + rng.choice((0, 1)) :]


def form(rng: Random, text: str) -> str:
    return rng.choice(
        (
            unicodedata.normalize(rng.choice(("NFC", "NFD", "NFKC", "NFKD")), text),
            text.replace("\n", "\r\n"),
            text.replace("\n", "\r"),
            "\ufeff" + text,
            "---\n" + text + "...\n",
            text + "---\n" + text,
            text.replace(" ", "\u00a0"),
        )
    )


def bomb(rng: Random, text: str) -> str:
    rows = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdef", "bcdefg", strict=True)
    )
    return rng.choice(
        (
            rows + text,
            text + rows,
            text + "more: " + "[" * 2000 + "\n",
            text + "".join(f"x{i}: 1\n" for i in range(3000)),
        )
    )


def clipped(rng: Random, text: str) -> str:
    return text[: rng.randrange(len(text) + 1)]


OF_TEXT: tuple[Change, ...] = (notation, notation, notation, line, line, letter, letter, form, clipped)


def bytes_of(rng: Random, text: str) -> bytes:
    """The text as bytes, sometimes in another encoding, or with some bytes lost or changed."""
    raw = text.encode("utf-8", "surrogatepass")
    how = rng.random()
    if how < 0.02:
        return text.encode(rng.choice(("utf-16", "utf-32", "utf-7")), "replace")
    if how < 0.08 and raw:
        for _ in range(rng.choice((1, 1, 5, 50))):
            place = rng.randrange(len(raw))
            raw = (
                raw[:place]
                + bytes([rng.randrange(256)] * rng.choice((0, 1, 2)))
                + raw[place + rng.choice((0, 1)) :]
            )
    return raw


def mutant(rng: Random, text: str) -> bytes:
    """A file with one to four changes."""
    data = yaml.safe_load(text)
    whole = rng.random() < 0.6
    if whole:
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            if not isinstance(data, dict) or not ways(data):
                break
            data = rng.choice(OF_DATA)(rng, data)
        with suppress(
            RecursionError, ValueError
        ):  # nested too deep to be written, or a number of too many digits
            text = yaml.safe_dump(
                data, allow_unicode=True, sort_keys=False, default_flow_style=rng.choice((None, False))
            )
    if not whole or rng.random() < 0.2:
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            text = rng.choice(OF_TEXT)(rng, text)
    if rng.random() < 0.01:
        text = bomb(rng, text)
    return bytes_of(rng, text)


def change(rng: Random, text: str) -> str:
    """FIELD=VALUE, of the fields of a file and a few that it does not have."""
    field = dotted(rng.choice(ways(yaml.safe_load(text))))
    if rng.random() < 0.2:
        field = slip(rng, field)
    value = rng.choice((*NUMBERS, *WORDS))
    sign = rng.choice(("=", "=", "=", "=", "", "=="))
    return f"{field}{sign}{value if rng.random() < 0.9 else slip(rng, value)}".replace("\0", "")
