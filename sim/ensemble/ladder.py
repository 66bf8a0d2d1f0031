"""The ladder: the 36 two-dice faces 11..16, 21..26, ..., 61..66, in order.

A *face* is what the players read off the dice (11..66, no digit above 6); an *index* is its place on
the ladder (0..35). A modifier counts steps, so it is added to the index and never to the face.

References
----------
Rule 9; B21 p10: a 43 with +4 becomes 51.
"""

from __future__ import annotations

from sim.errors import InputError

STEPS = 36
FACES = tuple(10 * tens + ones for tens in range(1, 7) for ones in range(1, 7))
"""Faces by index."""

_INDEX = {face: index for index, face in enumerate(FACES)}
_BY_TEXT = {str(face): index for face, index in _INDEX.items()}


def index_of(face: object) -> int:
    """The index 0..35 of a face 11..66 given as an integer or text.

    Raises
    ------
    InputError
        If it is not one of the 36 faces.

    Examples
    --------
    >>> index_of(11), index_of("43"), index_of(66)
    (0, 20, 35)
    """
    index = _BY_TEXT.get(str(face))
    if index is not None:
        return index
    raise InputError(f"must be one of the 36 rolls 11..16, 21..26, ..., 61..66, got {face!r}")


def is_face(face: object) -> bool:
    """Whether a value is one of the 36 faces."""
    return isinstance(face, int) and not isinstance(face, bool) and face in _INDEX


def face_of(index: int) -> int:
    """The face 11..66 of an index 0..35.

    >>> face_of(24)
    51
    """
    return FACES[index]


def shifted(face: int, modifier: int) -> int:
    """A face moved by a modifier in steps, clamped to 11..66.

    >>> shifted(43, 4), shifted(12, -6), shifted(64, 9)
    (51, 11, 66)
    """
    return face_of(min(max(index_of(face) + modifier, 0), STEPS - 1))


def parse_range(text: object) -> range:
    """Indices of `"11-43"` or of a single face `"66"`.

    Raises
    ------
    InputError
        If an end is not a face or the range runs backwards.

    Examples
    --------
    >>> parse_range("11-16"), parse_range(66)
    (range(0, 6), range(35, 36))
    """
    first, dash, last = str(text).partition("-")
    low, high = index_of(first.strip()), index_of((last if dash else first).strip())
    if high < low:
        raise InputError(f"must be a range of rolls from low to high, got {text!r}")
    return range(low, high + 1)


def format_range(indices: range) -> str:
    """`"11-43"`, or `"66"` for a single face."""
    first, last = face_of(indices[0]), face_of(indices[-1])
    return str(first) if first == last else f"{first}-{last}"


def runs_of(indices: list[int]) -> str:
    """Consecutive indices as text, for messages.

    >>> runs_of([0, 1, 2, 35])
    '11-13, 66'
    """
    parts: list[list[int]] = []
    for index in sorted(indices):
        if parts and parts[-1][-1] == index - 1:
            parts[-1].append(index)
        else:
            parts.append([index])
    return ", ".join(format_range(range(part[0], part[-1] + 1)) for part in parts)
