"""YAML files read with the place of every value, so that an error can name file, line and field."""

from __future__ import annotations

import copy
import itertools
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from sim.errors import InputError

Key = tuple[str | int, ...]
"""The way to a value: mapping keys and list positions from the top."""

_MAX_BYTES = 4_000_000
_MAX_VALUES = 100_000
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def dotted(key: Key) -> str:
    """`('target', 'stack', 0, 'morale')` as `target.stack[0].morale`."""
    text = ""
    for part in key:
        if not isinstance(part, int):
            part = part if part.isprintable() else repr(part)[1:-1]
            text += f".{part}" if text else part
        else:
            text += f"[{part}]"
    return text


def parse_key(text: str) -> Key:
    """The inverse of `dotted`.

    >>> parse_key("target.stack[0].morale")
    ('target', 'stack', 0, 'morale')
    """
    parts: list[str | int] = []
    for piece in text.split("."):
        name, *positions = piece.replace("]", "").split("[")
        if not name or not all(position.isdigit() for position in positions):
            raise InputError(f"'{text}' must name a field such as target.morale or target.stack[0].morale")
        parts += [name, *map(int, positions)]
    return tuple(parts)


def parse_scalar(text: str) -> Any:
    """A value as YAML reads it: `26` an integer, `true` a flag, `[0, 1]` a list."""
    try:
        loader = _LOADER(text)
        try:
            node = loader.get_single_node()
            return None if node is None else _construct(loader, node)
        finally:
            loader.dispose()
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"'{text}' must be a YAML value, but it cannot be read: {_reason(error)}") from None


@dataclass
class Document:
    """One YAML file: plain data, and where each value stands.

    Attributes
    ----------
    name
        The file's name as the user gave it.
    data
        Nested dicts, lists and scalars.
    places
        Line and column (from 1) of each value, by key.
    problems
        What is wrong with the file as YAML, such as a key given twice.
    """

    name: str
    data: Any
    places: dict[Key, tuple[int, int]] = field(default_factory=dict)
    origins: dict[Key, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def where(self, key: Key) -> str:
        """`file:line:column` of a value, or of the nearest thing that holds it."""
        while True:
            if key in self.origins:
                return self.origins[key]
            if key in self.places:
                line, column = self.places[key]
                return f"{self.name}:{line}:{column}"
            if not key:
                return self.name
            key = key[:-1]

    def changed(self, key: Key, value: Any, origin: str) -> Document:
        """A copy with one value set, which errors will place at `origin`.

        Raises
        ------
        InputError
            If the way to the value leads through something that is not a mapping or list.
        """
        data = copy.deepcopy(self.data)
        here = data
        for part, following in itertools.pairwise(key):
            if isinstance(here, dict):
                if here.get(part) is None:
                    here[part] = [] if isinstance(following, int) else {}
                here = here[part]
            elif isinstance(here, list) and isinstance(part, int) and part < len(here):
                here = here[part]
            else:
                raise InputError(f"{origin}: there is no field '{dotted(key)}' in {self.name}")
        last = key[-1]
        if isinstance(here, dict) and isinstance(last, str):
            here[last] = value
        elif isinstance(here, list) and isinstance(last, int) and last < len(here):
            here[last] = value
        else:
            raise InputError(f"{origin}: there is no field '{dotted(key)}' in {self.name}")
        return Document(self.name, data, self.places, self.origins | {key: origin}, self.problems)


def read(path: Path | str) -> Document:
    """Read a YAML file.

    Raises
    ------
    InputError
        If the file is missing, unreadable, too large, not text, empty, or not YAML.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except OSError as error:
        raise InputError(f"{path}: the file cannot be read ({error.strerror})") from None
    if len(raw) > _MAX_BYTES:
        raise InputError(f"{path}: must be at most {_MAX_BYTES:,} bytes, got more")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise InputError(f"{path}:{line}: must be UTF-8 text, found byte 0x{raw[error.start]:02x}") from None
    return parse(text, str(path))


def parse(text: str, name: str) -> Document:
    """Read YAML text; `name` stands for the file in messages."""
    loader = _LOADER(text)
    try:
        root = loader.get_single_node()
        if root is None:
            raise InputError(f"{name}: must hold a YAML mapping, but the file is empty")
        document = Document(name, None)
        document.data = _build(loader, root, (), document, set())
        return document
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        raise InputError(f"{place}: must be YAML: {error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name}: must be YAML: {_reason(error)}") from None
    finally:
        loader.dispose()


def _reason(error: Exception) -> str:
    """What a YAML error complains of, in one line."""
    return str(getattr(error, "problem", None) or str(error).partition("\n")[0])


def _construct(loader: Any, node: yaml.Node) -> Any:
    """A value without its places; a tag that does not suit it is an error of the file's."""
    try:
        return loader.construct_object(node, deep=True)
    except (KeyError, AttributeError, TypeError, IndexError, ValueError):
        kind = str(node.tag).rpartition(":")[2]
        problem = f"{str(node.value)[:40]!r} cannot be read as {kind} (text that looks like it needs quotes)"
        raise yaml.constructor.ConstructorError(problem=problem, problem_mark=node.start_mark) from None


def _build(loader: Any, node: yaml.Node, key: Key, document: Document, above: set[int]) -> Any:
    document.places[key] = (node.start_mark.line + 1, node.start_mark.column + 1)
    if len(document.places) > _MAX_VALUES:
        raise InputError(f"{document.name}: must hold at most {_MAX_VALUES:,} values")
    if id(node) in above:
        raise InputError(f"{document.where(key)}: a value may not contain itself")
    if isinstance(node, yaml.MappingNode):
        mapping: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(problem="found a list or mapping as a key", problem_mark=key_node.start_mark)
            name = _construct(loader, key_node)
            if not isinstance(name, str | int) or isinstance(name, bool):
                name = str(key_node.value)
            inner = (*key, name)
            if name in mapping:
                place = f"{document.name}:{key_node.start_mark.line + 1}:{key_node.start_mark.column + 1}"
                document.problems.append(f"{place}: '{dotted(inner)}' is given twice")
            mapping[name] = _build(loader, value_node, inner, document, above | {id(node)})
        return mapping
    if isinstance(node, yaml.SequenceNode):
        return [_build(loader, item, (*key, i), document, above | {id(node)}) for i, item in enumerate(node.value)]
    return _construct(loader, node)
