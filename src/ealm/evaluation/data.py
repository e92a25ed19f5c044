"""Sentences with the summaries that people wrote for them, as files have them.

References are for scores only: nothing here is ever trained on.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from ealm.common.errors import EalmError
from ealm.common.extras import needs_extra
from ealm.evaluation.rouge import gigaword_style
from ealm.text.words import decode_lines

INPUT_FILE = "input.txt"
_TEXT_NAMES = ("text", "document", "article", "sentence")
_SUMMARY_NAMES = ("summaries", "summary", "headline", "highlights")


class PairedDataError(EalmError):
    """Sentences and references cannot be read, or do not belong together."""


@dataclass(frozen=True, slots=True)
class PairedTexts:
    """Sources, each with at least one reference."""

    name: str
    sources: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return len(self.sources)

    def first(self, count: int | None) -> "PairedTexts":
        """The first so many, or all."""
        return PairedTexts(self.name, self.sources[:count], self.references[:count])

    def with_gigaword_references(self) -> "PairedTexts":
        """References in lower case with # for digits, as the `paper` protocol has those of DUC."""
        styled = tuple(tuple(map(gigaword_style, references)) for references in self.references)
        return PairedTexts(self.name, self.sources, styled)


def read_paired(path: Path) -> PairedTexts:
    """Read a folder with input.txt and ref0.txt, ..., a JSONL file, or a dataset on disk."""
    if not path.exists():
        raise PairedDataError(f"There is no {path}. Give a folder with {INPUT_FILE} and ref0.txt, or a .jsonl file.")
    if path.is_file():
        return _read_jsonl(path)
    if (path / INPUT_FILE).is_file():
        return _read_folder(path)
    if (path / "dataset_info.json").is_file() or (path / "dataset_dict.json").is_file():
        return _read_dataset(path)
    found = sorted(path.glob("*.jsonl"))
    if len(found) == 1:
        return _read_jsonl(found[0])
    raise PairedDataError(
        f"{path} holds neither {INPUT_FILE} with ref0.txt, nor exactly one .jsonl file, nor a dataset of the datasets "
        "library."
    )


def read_summaries(path: Path, *, expected: int) -> list[str]:
    """Summaries that another system wrote, one a line."""
    if not path.is_file():
        raise PairedDataError(f"There is no file {path} with summaries, one a line.")
    lines = _lines(path)
    _check_count(path.name, len(lines), INPUT_FILE, expected)
    return lines


def _read_folder(folder: Path) -> PairedTexts:
    sources = _lines(folder / INPUT_FILE)
    _check_filled(folder / INPUT_FILE, sources)
    columns = []
    for number in count():
        path = folder / f"ref{number}.txt"
        if not path.is_file():
            break
        column = _lines(path)
        _check_count(path.name, len(column), INPUT_FILE, len(sources))
        _check_filled(path, column)
        columns.append(column)
    if not columns:
        raise PairedDataError(f"{folder} has no ref0.txt: give the references, one a line, as ref0.txt, ref1.txt, ...")
    return _paired(folder.resolve().name, sources, list(zip(*columns, strict=True)), str(folder))


def _lines(path: Path) -> list[str]:
    # Not splitlines(): a line separator inside a text is no end of a line.
    with path.open("rb") as file:
        return [line.rstrip("\r\n") for line in decode_lines(file, str(path))]


def _check_count(name: str, found: int, other: str, expected: int) -> None:
    if found == expected:
        return
    longer, shorter, line = (name, other, expected + 1) if found > expected else (other, name, found + 1)
    raise PairedDataError(
        f"{name} has {found:,} lines and {other} has {expected:,}: "
        f"line {line:,} of {longer} has no partner in {shorter}."
    )


def _check_filled(path: Path, lines: Sequence[str]) -> None:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            raise PairedDataError(f"{path}, line {number}: it is empty. Remove the line from every file of the folder.")


def _read_jsonl(path: Path) -> PairedTexts:
    sources, references = [], []
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            record = json.loads(line)
        except ValueError as error:
            raise PairedDataError(f"{where}: not JSON ({error}).") from error
        source, texts = _from_record(record, where)
        sources.append(source)
        references.append(texts)
    return _paired(path.stem, sources, references, str(path))


def _read_dataset(folder: Path) -> PairedTexts:
    with needs_extra("datasets", f"{folder} is a dataset on disk, which"):
        from datasets import Dataset, load_from_disk
    try:
        loaded = load_from_disk(str(folder))
    except Exception as error:  # the library raises many kinds here
        raise PairedDataError(
            f"The dataset in {folder} cannot be read: {' '.join(str(error).split())[:300]}"
        ) from error
    if not isinstance(loaded, Dataset):
        splits = sorted(loaded)
        raise PairedDataError(f"{folder} holds several splits ({', '.join(splits)}): give one, {folder / splits[0]}")
    pairs = [_from_record(record, f"{folder}, row {number}") for number, record in enumerate(loaded, start=1)]
    return _paired(folder.resolve().name, [source for source, _ in pairs], [texts for _, texts in pairs], str(folder))


def _from_record(record: Any, where: str) -> tuple[str, tuple[str, ...]]:
    if not isinstance(record, dict):
        raise PairedDataError(f"{where}: expected an object with text and summaries.")
    source = _column(record, _TEXT_NAMES, where)
    given = _column(record, _SUMMARY_NAMES, where)
    texts = [given] if isinstance(given, str) else given
    if not isinstance(source, str) or not source.strip():
        raise PairedDataError(f"{where}: the text is not a text, or empty.")
    if not isinstance(texts, list) or not texts or not all(isinstance(t, str) and t.strip() for t in texts):
        raise PairedDataError(f"{where}: summaries must be a list of one or more texts, none of them empty.")
    return source, tuple(texts)


def _column(record: dict[str, Any], names: Iterable[str], where: str) -> Any:
    for name in names:
        if name in record:
            return record[name]
    raise PairedDataError(f"{where}: it has none of {', '.join(names)}; it has: {', '.join(map(str, record))}.")


def _paired(name: str, sources: Sequence[str], references: Sequence[Sequence[str]], where: str) -> PairedTexts:
    if not sources:
        raise PairedDataError(f"{where} is empty: there is nothing to score.")
    return PairedTexts(name, tuple(sources), tuple(map(tuple, references)))
