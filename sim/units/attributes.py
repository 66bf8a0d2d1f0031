"""Attributes of units as conditions of modifiers ask for them, found when they are asked for.

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sim.rulesets.modifiers import Fact


class Attributes(Mapping[str, Fact]):
    """Attribute name, `unit.state` say, to codes. They say how things are when they are first asked for.

    Parameters
    ----------
    prefix, names, find
        The word before the dot, those after it, and what finds the codes of one of them.
    """

    def __init__(self, prefix: str, names: tuple[str, ...], find: Callable[[str], Fact]) -> None:
        self._sources = {prefix: (names, find)}
        self._found: dict[str, Fact] = {}

    def __getitem__(self, name: str) -> Fact:
        found = self._found.get(name)
        if found is None:
            prefix, _, own = name.partition(".")
            names, find = self._sources[prefix]
            if own not in names:
                raise KeyError(name)
            found = self._found[name] = find(own)
        return found

    def __iter__(self) -> Iterator[str]:
        every = [f"{prefix}.{name}" for prefix, (names, _) in self._sources.items() for name in names]
        return iter(dict.fromkeys([*every, *self._found]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __or__(self, other: Mapping[str, Fact]) -> Attributes:
        """These and others, which go before these of the same name."""
        both = Attributes.__new__(Attributes)
        if isinstance(other, Attributes):
            both._sources = self._sources | other._sources
            own = {
                name: fact
                for name, fact in self._found.items()
                if name.partition(".")[0] not in other._sources
            }
            both._found = own | other._found
        else:
            both._sources, both._found = self._sources, {**self._found, **other}
        return both

    def __ror__(self, other: Mapping[str, Fact]) -> Attributes:
        """Others, and these, which go before those of the same name."""
        both = Attributes.__new__(Attributes)
        both._sources = self._sources
        kept = {name: fact for name, fact in other.items() if name.partition(".")[0] not in self._sources}
        both._found = kept | self._found
        return both
