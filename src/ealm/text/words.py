"""Words as the paper has them: what white space separates, kept exactly as written."""

from collections.abc import Iterable, Iterator

from ealm.common.errors import TextError


def split_words(sentence: str) -> tuple[str, ...]:
    """Cut a pre-tokenised sentence into its words."""
    return tuple(sentence.split())


def join_words(words: Iterable[str]) -> str:
    """Write words as one line."""
    return " ".join(words)


def straight_apostrophes(word: str) -> str:
    """A word as keyboards write it: vocabularies have "don't", but not with the typographer's sign."""
    return word.replace("’", "'") if len(word) > 1 else word


def decode_lines(lines: Iterable[bytes], name: str) -> Iterator[str]:
    """UTF-8 lines of a file or pipe called `name`; a byte-order mark is dropped."""
    for number, line in enumerate(lines, start=1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise TextError(
                f"{name}, line {number}: not UTF-8 (byte {line[error.start]:#04x} at {error.start}). "
                "Convert it first, for example: iconv -f latin1 -t utf8"
            ) from error
