"""YAML files read with the place of every value, so that an error can name file, line and field."""

from __future__ import annotations

import copy
import itertools
import re
import stat
import unicodedata
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import yaml

from sim.errors import InputError, printable
from sim.inputs import plain
from sim.inputs.plain import Written, composed

Key = tuple[str | int, ...]
"""The way to a value: mapping keys and list positions from the top."""
T = TypeVar("T")

_MAX_BYTES = 4_000_000
_MAX_VALUES = 100_000
_MAX_DEPTH = 50
_PLAIN_TAGS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_PART = re.compile(r"([^\[\].]+)((?:\[(?:0|[1-9][0-9]{0,5})\])*)")
_PLACE = re.compile(r"0|[1-9][0-9]{0,5}")
_COUNTED_FROM_1 = "charges"
_NOT_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def dotted(key: Key) -> str:
    """A key as one text: places in a list from 0, but charges from 1, as people count them.

    >>> dotted(("target", "stack", 0, "morale")), dotted(("charges", 0, "distance"))
    ('target.stack[0].morale', 'charges.1.distance')
    """
    text = ""
    for number, part in enumerate(key):
        if not isinstance(part, int):
            part = part if part.isprintable() else repr(part)[1:-1]
            text += f".{part}" if text else part
        elif number == 1 and key[0] == _COUNTED_FROM_1:
            text += f".{part + 1}"
        else:
            text += f"[{part}]"
    return text


def parse_key(text: str) -> Key:
    """The inverse of `dotted`; any place in a list may be told from 1, behind a full stop.

    Raises
    ------
    InputError
        If the text names no field.

    Examples
    --------
    >>> parse_key("target.stack[0].morale"), parse_key("charges.2.distance")
    (('target', 'stack', 0, 'morale'), ('charges', 1, 'distance'))
    """
    parts: list[str | int] = []
    for piece in composed(text.strip()).split("."):
        found = _PART.fullmatch(piece)
        if found is None or len(parts) > _MAX_DEPTH:
            raise InputError(
                f"'{_short(text)}' must name a field such as target.morale or target.stack[0].morale"
            )
        if parts and (place := _PLACE.fullmatch(found[1])):
            if place[0] == "0":
                raise InputError(f"'{_short(text)}' must count from 1 behind a full stop: .1 is the first")
            parts.append(int(place[0]) - 1)
        else:
            parts.append(found[1])
        parts += [int(position) for position in re.findall("[0-9]+", found[2])]
    return tuple(parts)


def parse_value(text: str) -> Document:
    """A value as YAML reads it: `26` an integer, `true` a flag, `[0, 1]` a list; no text is no value.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    document = Document("", None)
    try:
        loader = _LOADER(text)
        try:
            node = loader.get_single_node()
            if node is not None:
                document.data = _Builder(loader, document).build(node, (), ())
        finally:
            loader.dispose()
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(
            f"'{_short(text)}' must be a YAML value, but it cannot be read: {_reason(error)}"
        ) from None
    if document.problems:
        raise InputError(
            f"'{_short(text)}' must be a YAML value, but {document.problems[0].partition(': ')[2]}"
        )
    return document


def parse_scalar(text: str) -> Any:
    """The data of a value as YAML reads it."""
    return parse_value(text).data


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
    origins
        The option that each changed value comes from, by key.
    problems
        What is wrong with the file as YAML, such as a key given twice.
    written
        Values that YAML has words for (`no`, `~`, `1.50`), as they are written, by key.
    before
        What options have changed, by key: the values of the file, None where it has none.
    path
        The file; None for text that is in no file.
    aliases
        Places that values have in merged data, with their places in the file, where the two differ.
    loaded
        What a value that names another file was found to be, by key; it stays that until the value is
        changed.
    """

    name: str
    data: Any
    places: dict[Key, tuple[int, int]] = field(default_factory=dict)
    origins: dict[Key, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    written: dict[Key, str] = field(default_factory=dict)
    before: dict[Key, object] = field(default_factory=dict)
    path: Path | None = None
    aliases: dict[Key, Key] = field(default_factory=dict)
    loaded: dict[Key, object] = field(default_factory=dict)

    def in_file(self, key: Key) -> Key:
        """The place in the file of a value of the merged data."""
        for end in range(len(key), 0, -1):
            if key[:end] in self.aliases:
                return (*self.aliases[key[:end]], *key[end:])
        return key

    def where(self, key: Key) -> str:
        """`file:line:column` of a value, the option that it comes from, or that of the nearest thing that
        holds it."""
        within = next((told for one, told in self.origins.items() if one[: len(key)] == key != ()), None)
        if within is not None and key not in self.places:  # an option has made it
            return within
        while True:
            if key in self.origins:
                return self.origins[key]
            if key in self.places:
                line, column = self.places[key]
                return f"{self.name}:{line}:{column}"
            if not key:
                return self.name
            key = key[:-1]

    def at(self, key: Key) -> Any:
        """The value at a key, or None."""
        here = self.data
        for part in key:
            inside = (
                part in here
                if isinstance(here, dict)
                else isinstance(here, list) and isinstance(part, int) and part < len(here)
            )
            here = here[part] if inside else None
        return here

    def changed(
        self, key: Key, value: object, origin: str, written: dict[Key, str] | None = None
    ) -> Document:
        """A copy with one value set, which errors will place at `origin`; `written` as for documents, within
        the value.

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
        places, origins, words = self._outside(key)
        words |= {(*key, *inner): text for inner, text in (written or {}).items()}
        before = {key: self.at(key)} | self.before
        loaded = _outside(self.loaded, key)
        return replace(
            self,
            data=data,
            places=places,
            origins=origins | {key: origin},
            written=words,
            before=before,
            loaded=loaded,
        )

    def _outside(self, key: Key) -> tuple[dict[Key, tuple[int, int]], dict[Key, str], dict[Key, str]]:
        """Places, origins and words of all that is not within a field."""
        return _outside(self.places, key), _outside(self.origins, key), _outside(self.written, key)

    def without(self, key: Key) -> Document:
        """A copy that lacks one of the fields."""
        data = copy.deepcopy(self.data)
        holder = data
        for part in key[:-1]:
            holder = holder[part]
        del holder[key[-1]]
        places, origins, words = self._outside(key)
        return replace(self, data=data, places=places, origins=origins, written=words)


def _outside(by_key: dict[Key, T], key: Key) -> dict[Key, T]:
    """What is said of values that stand neither at a key nor below it."""
    return {one: told for one, told in by_key.items() if one[: len(key)] != key}


def read(path: Path | str) -> Document:
    """Read a YAML file.

    Raises
    ------
    InputError
        If the file is missing, unreadable, no ordinary file, too large, not text, empty, or not YAML.
    """
    return decode(content(path), path)


def content(path: Path | str) -> bytes:
    """The bytes of an ordinary file of at most 4,000,000 bytes; pipes and devices are not waited for.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    path = Path(path)
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise InputError(
                f"{path}: must be a file, but is a "
                f"{'directory' if stat.S_ISDIR(mode) else 'pipe, a socket or a device'}"
            )
        with path.open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{path}: there is no such file") from None
    except OSError as error:
        raise InputError(f"{path}: the file cannot be read ({error.strerror})") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: must be the path of a file ({error})") from None
    if len(raw) > _MAX_BYTES:
        raise InputError(f"{path}: must be at most {_MAX_BYTES:,} bytes, got more")
    return raw


def exists(path: Path) -> bool:
    """Whether there is anything at a path that can be looked at."""
    try:
        return path.exists()
    except OSError:
        return False


def beside(folder: Path | None, name: str) -> Path:
    """The path of a file named in another file of a folder, or (None) of the working directory, in the
    spelling of accents that the disk has."""
    spellings = dict.fromkeys([name, *(unicodedata.normalize(form, name) for form in ("NFC", "NFD"))])
    paths = [Path(one) if folder is None else folder / one for one in spellings]
    return next((path for path in paths if exists(path)), paths[0])


def decode(raw: bytes, path: Path | str) -> Document:
    """The document that the bytes of a file hold.

    Raises
    ------
    InputError
        If they are not UTF-8 text, or not YAML.
    """
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise InputError(f"{path}:{line}: must be UTF-8 text, found byte 0x{raw[error.start]:02x}") from None
    document = parse(text, printable(str(path)))
    document.path = Path(path)
    return document


def parse(text: str, name: str) -> Document:
    """Read YAML text; `name` stands for the file in messages.

    Raises
    ------
    InputError
        If it is not YAML.
    """
    if found := _NOT_YAML.search(text):
        before = text[: found.start()]
        place = f"{name}:{before.count(chr(10)) + 1}:{found.start() - before.rfind(chr(10))}"
        raise InputError(f"{place}: must be YAML: found the control character {found[0]!r}")
    loader = _LOADER(text)
    try:
        root = loader.get_single_node()
        if root is None:
            raise InputError(f"{name}: must hold a YAML mapping, but the file is empty")
        document = Document(name, None)
        document.data = _Builder(loader, document).build(root, (), ())
        return document
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        raise InputError(f"{place}: must be YAML: {_problem(error, text, mark)}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name}: must be YAML: {_reason(error)}") from None
    finally:
        loader.dispose()


def _problem(error: yaml.MarkedYAMLError, text: str, mark: Any) -> str:
    """What a YAML error complains of; a tab, which YAML calls a character, by its name."""
    told = str(error.problem or error.context)
    lines = text.splitlines()
    here = lines[mark.line][mark.column : mark.column + 1] if mark and mark.line < len(lines) else ""
    return (
        "found a tab, where only spaces may stand"
        if here == "\t" and "cannot start any token" in told
        else told
    )


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."


def _reason(error: Exception) -> str:
    """What a YAML error complains of, in one line."""
    if isinstance(error, RecursionError):
        return "nested too deep"
    return str(getattr(error, "problem", None) or str(error).partition("\n")[0])


class _Builder:
    """Makes data of YAML's nodes: texts composed, numbers only where they look like numbers, each value with
    its place."""

    def __init__(self, loader: Any, document: Document) -> None:
        self.loader = loader
        self.document = document
        self.scalars: dict[int, Any] = {}

    def build(self, node: yaml.Node, key: Key, above: tuple[int, ...]) -> Any:
        document = self.document
        document.places[key] = (node.start_mark.line + 1, node.start_mark.column + 1)
        if len(document.places) > _MAX_VALUES:
            raise InputError(f"{document.name}: must hold at most {_MAX_VALUES:,} values")
        if isinstance(node, yaml.ScalarNode):
            value = self.scalar(node)
            if value is None or isinstance(value, bool | float):
                document.written[key] = str(node.value)
            return value
        if id(node) in above:
            raise InputError(f"{document.where(key)}: a value may not contain itself")
        if len(above) >= _MAX_DEPTH:
            raise InputError(f"{document.where(key)}: must be nested at most {_MAX_DEPTH} deep")
        above = (*above, id(node))
        if node.tag not in _PLAIN_TAGS:
            raise _unknown(node)
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, key, above)
        return [self.build(item, (*key, i), above) for i, item in enumerate(node.value)]

    def mapping(self, node: yaml.MappingNode, key: Key, above: tuple[int, ...]) -> dict[Any, Any]:
        mapping: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(
                    problem="found a list or mapping as a key", problem_mark=key_node.start_mark
                )
            name = self.scalar(key_node)
            place = f"{self.document.name}:{key_node.start_mark.line + 1}:{key_node.start_mark.column + 1}"
            if isinstance(name, Written):
                form = plain.plain_form(name.text)
                told = f"must be in quotes, {name.text!r}," + (f" or written {form}," if form else "")
                self.document.problems.append(
                    f"{place}: the name {name.text} {told} since YAML reads it as something else"
                )
            if not isinstance(name, str | int) or isinstance(name, bool):
                name = composed(str(key_node.value))
            inner = (*key, name)
            if name in mapping:
                self.document.problems.append(f"{place}: '{dotted(inner)}' is given twice")
            mapping[name] = self.build(value_node, inner, above)
        return mapping

    def scalar(self, node: yaml.ScalarNode) -> Any:
        if id(node) not in self.scalars:
            self.scalars[id(node)] = self.made(node)
        return self.scalars[id(node)]

    def made(self, node: yaml.ScalarNode) -> Any:
        """A value without its place; a tag that does not suit it is an error of the file's."""
        try:
            value = self.loader.construct_object(node, deep=True)
        except yaml.constructor.ConstructorError:
            raise _unknown(node) from None
        except (KeyError, AttributeError, TypeError, IndexError, ValueError):
            kind = str(node.tag).rpartition(":")[2]
            problem = (
                f"{str(node.value)[:40]!r} cannot be read as {kind} (text that looks like it needs quotes)"
            )
            raise yaml.constructor.ConstructorError(problem=problem, problem_mark=node.start_mark) from None
        if isinstance(value, str):
            return composed(value)
        if value is None or isinstance(value, bool):
            return value
        text = str(node.value)
        if isinstance(value, int) and plain.integer(text) == value:
            return value
        if isinstance(value, float) and plain.number(text) is not None:
            return value
        return Written(text)


def _unknown(node: yaml.Node) -> yaml.constructor.ConstructorError:
    tag = str(node.tag).replace("tag:yaml.org,2002:", "!!")
    told = (
        "found '<<', but every unit gives its own fields"
        if tag == "!!merge"
        else f"found the tag {tag!r}, which stands for nothing here"
    )
    return yaml.constructor.ConstructorError(problem=told, problem_mark=node.start_mark)
