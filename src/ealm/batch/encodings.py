"""Text in another encoding than UTF-8, and a guess at the encoding where UTF-8 was expected."""

import codecs
import io
from collections.abc import Iterable
from typing import IO

from ealm.common.errors import JobRequestError

SAMPLE_BYTES = 1 << 23
SAMPLE_LINES = 100
"""What is looked at: so much of a file, and of that so many lines that are not ASCII."""

_WESTERN = frozenset(
    "äöüÄÖÜßàâæçèéêëîïìíôœòóùúûñåøãõáÀÂÆÇÈÉÊËÎÏÔŒÙÚÛÑÅØÓÍÁ‘’“”„–—…•€£§°©®«»¿¡½¼²³·º\u00a0".encode("cp1252")
)
"""Bytes that Western European text has beyond ASCII."""

_NAMES = {"latin-1": "Latin-1", "cp1252": "Windows-1252", "utf-16": "UTF-16"}


def checked_encoding(name: str) -> str:
    """Python's name of an encoding; raises a `BatchError` if there is none of that name."""
    try:
        "".encode(name)  # also refuses codecs that are not for text
        return codecs.lookup(name).name
    except (LookupError, ValueError) as error:
        raise JobRequestError(
            f"There is no encoding {name!r}. Choose one that Python knows, such as encoding=latin-1, encoding=cp1252 "
            "or encoding=utf-16."
        ) from error


class Recoded:
    """The lines of a stream in another encoding, as UTF-8; bytes that it cannot decode stay as they are."""

    def __init__(self, file: IO[bytes], encoding: str) -> None:
        self._text = io.TextIOWrapper(file, encoding, errors="surrogateescape", newline="\n")

    def readline(self, limit: int = -1) -> bytes:
        """As of a file, except that the limit is one of characters."""
        return self._text.readline(limit).encode(errors="surrogateescape")


def guessed_encoding(lines: Iterable[bytes]) -> str | None:
    """The encoding of lines that are clearly not UTF-8, by the first of them; None if they may be UTF-8.

    Where some lines beyond ASCII are valid, or one of several is not, it is UTF-8 with bad lines.
    """
    beyond: list[bytes] = []
    size = count = 0
    for count, line in enumerate(lines, start=1):
        if count == 1 and line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        size += len(line)
        if not line.isascii():
            beyond.append(line)
        if size > SAMPLE_BYTES or len(beyond) == SAMPLE_LINES:
            break
    if len(beyond) < min(2, max(count, 1)) or any(_is_utf_8(line) for line in beyond):
        return None
    high = [byte for line in beyond for byte in line if byte > 0x7F]
    if sum(byte in _WESTERN for byte in high) < 0.95 * len(high):
        return None
    return "cp1252" if any(byte < 0xA0 for byte in high) else "latin-1"


def looks_like(encoding: str) -> str:
    """What messages say about a guess."""
    return f"It is not UTF-8, and looks like {_NAMES[encoding]}: say encoding={encoding}."


def _is_utf_8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
