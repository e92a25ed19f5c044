"""Corpora and rows from anywhere: a bad row is told and stops nothing, a bad file is an error, and no row is lost."""

import bz2
import gzip
import io
import json
import lzma
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from batch_fakes import FakeRecipe
from fault_tools import COUNTS, INPUTS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from strange import DEEP, STRANGE_VALUES, damaged_bytes, little_memory

from ealm.batch.job import Job
from ealm.batch.resumable_file import errors_path
from ealm.common.config import DataSettings
from ealm.common.errors import BatchError, EalmError
from ealm.lm.adapt.corpus import CorpusReader
from ealm.text.corpus import LONGEST_LINE, read_corpus

MANY = settings(max_examples=INPUTS, suppress_health_check=[HealthCheck.too_slow], deadline=None)
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}


def lines() -> st.SearchStrategy[bytes]:
    """Lines that are text, or nearly."""
    line = st.one_of(
        st.text(max_size=40).map(lambda text: text.encode(errors="surrogatepass")),
        st.binary(max_size=40),
        st.sampled_from([b"", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b"\r", b"river rises", b"x " * 3_000]),
    )
    return st.lists(line, max_size=8).map(lambda found: b"\n".join(found))


def json_lines() -> st.SearchStrategy[bytes]:
    """Lines that are JSON, or nearly."""
    values = st.sampled_from(STRANGE_VALUES)
    rows = st.dictionaries(st.sampled_from(["text", "id", "summary", "error", ""]), values, max_size=4)
    whole = st.one_of(rows, values).map(lambda value: json.dumps(value).encode())
    deep = st.sampled_from([b"[" * DEEP, b'{"text":' * DEEP, b"9" * 5_000, b'{"text": "a"}' * 2])
    return st.lists(st.one_of(whole, deep, st.binary(max_size=20)), max_size=6).map(lambda found: b"\n".join(found))


def csv_lines() -> st.SearchStrategy[bytes]:
    """A header and lines that are CSV, or nearly."""
    field = st.sampled_from(
        [b"", b"river rises", b'"a ""b"" c"', b'"two\nlines"', b'"open', b"\xff", b"\x00", b"x" * 999]
    )
    line = st.lists(field, max_size=4).map(lambda fields: b",".join(fields))
    header = st.sampled_from([b"text", b"id,text", b"text,text", b"\xef\xbb\xbftext,b", b"id", b"", b"text,summary"])
    return st.tuples(header, st.lists(line, max_size=6)).map(lambda parts: b"\n".join([parts[0], *parts[1]]))


def packed(content: st.SearchStrategy[bytes]) -> st.SearchStrategy[tuple[str, bytes]]:
    """Compressed, and sometimes damaged afterwards."""

    def finish(parts: tuple[bytes, str]) -> st.SearchStrategy[tuple[str, bytes]]:
        data, ending = parts[0], parts[1]
        whole = PACKED[ending](data)
        return st.tuples(st.just(ending), st.one_of(st.just(whole), damaged_bytes(whole)))

    return st.tuples(content, st.sampled_from(sorted(PACKED))).flatmap(finish)


@MANY
@given(packed(lines()), st.booleans())
def test_a_corpus_is_read_or_refused(content: tuple[str, bytes], pretokenized: bool) -> None:
    ending, data = content
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"corpus.txt{ending if ending != '.zst' else ''}"
        path.write_bytes(data)
        reader = CorpusReader({"river": 5}, unknown_id=1, normalize=str.lower, pretokenized=pretokenized)
        reads: list[Callable[[], object]] = [
            lambda: read_corpus(path, settings=DataSettings(pretokenized=pretokenized), longest=60, seed=0),
            lambda: reader.read(path),
        ]
        for read in reads:
            try:
                with little_memory():
                    read()
            except EalmError as error:
                told = str(error)
                assert str(path) in told
    COUNTS["strange corpora tried"] += 1


def test_a_small_file_that_holds_an_endless_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "corpus.gz"
    with gzip.open(path, "wb") as file:
        for _ in range(16 + 2):
            file.write(bytes(LONGEST_LINE // 16))
    with pytest.raises(EalmError, match=r"corpus\.gz, line 1: longer than"), little_memory(256 << 20):
        read_corpus(path, settings=DataSettings(), longest=60, seed=0)


def run_job(name: str, data: bytes) -> tuple[int, bytes] | None:
    """Rows that a job counts, and what it writes; None if it refuses the file."""
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / name, Path(folder) / f"out-{name}"
        source.write_bytes(data)
        output.write_bytes(b"old")
        try:
            with little_memory():
                job = Job(input=source, output=output, chunk_rows=2, quiet=True, overwrite=True)
                tally = job.run(FakeRecipe())
        except BatchError as error:
            told = str(error)
            assert str(source) in told or "No row" in told
            assert output.read_bytes() == b"old"
            assert [path.name for path in Path(folder).iterdir() if "final" in path.name] == []
            return None
        listed = errors_path(output)
        expected = {source, output} | ({listed} if tally.failed and ".txt" in name else set())
        assert set(Path(folder).iterdir()) == expected
        assert not listed.exists() or listed.read_bytes().count(b"\n") == tally.failed
        return tally.rows, output.read_bytes()


def unpacked(data: bytes, ending: str) -> bytes:
    stream = pa.input_stream(io.BytesIO(data), compression="zstd")
    readers = {"": bytes, ".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
    return stream.read() if ending == ".zst" else readers[ending](data)


@pytest.mark.parametrize(("kind", "content"), [("txt", lines()), ("jsonl", json_lines()), ("csv", csv_lines())])
@MANY
@given(data=st.data())
def test_a_job_reads_or_refuses_a_file_and_loses_no_row(
    kind: str, content: st.SearchStrategy[bytes], data: st.DataObject
) -> None:
    ending, written = data.draw(packed(content))
    found = run_job(f"in.{kind}{ending}", written)
    COUNTS[f"strange files of rows tried: {kind}"] += 1
    if found is None or kind == "csv":  # where a row of CSV ends is for the reader to say
        return
    rows, output = found
    source = unpacked(written, ending).removeprefix(BYTE_ORDER_MARK) if kind == "jsonl" else unpacked(written, ending)
    expected = [line for line in source.split(b"\n") if kind == "txt" or line.strip()]
    if kind == "txt" and expected and not expected[-1]:
        expected.pop()
    lost = len(expected) - rows
    COUNTS["rows lost"] += lost
    assert lost == 0
    assert (unpacked(output, ending) if output else b"").count(b"\n") == rows


def table() -> bytes:
    sink = io.BytesIO()
    texts = ["river rises", "bad one", None, "Zürich"] * 5
    columns = {"id": list(range(20)), "text": texts, "tags": [["a"], [], None, ["b", "c"]] * 5}
    parquet.write_table(pa.table(columns), sink, row_group_size=6)
    return sink.getvalue()


WHOLE = table()


@MANY
@given(damaged_bytes(WHOLE))
def test_a_parquet_file_is_read_or_refused(data: bytes) -> None:
    found = run_job("in.parquet", data)
    COUNTS["strange files of rows tried: parquet"] += 1
    if found is not None and data == WHOLE:
        assert found[0] == 20


def test_the_whole_parquet_file_is_read() -> None:
    assert run_job("in.parquet", WHOLE) is not None


def test_a_parquet_file_whose_columns_have_no_names_is_refused() -> None:
    assert run_job("in.parquet", WHOLE.replace(b"tags", b"\x80ags")) is None


@MANY
@given(st.data())
def test_a_damaged_journal_never_spoils_a_job(data: st.DataObject) -> None:
    """What a killed job left is damaged too: it goes on, begins anew or says why not; the file is never a wrong one."""
    texts = [f"word{number} and more" for number in range(9)]
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "in.txt", Path(folder) / "out.txt"
        source.write_text("\n".join(texts) + "\n")
        job = Job(input=source, output=output, chunk_rows=2, quiet=True, resume=True)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ealm.batch.resumable_file.ResumableFile.finish", stop)
            with pytest.raises(KeyboardInterrupt):
                job.run(FakeRecipe())
        journal = Path(folder) / ".out.txt.partial.journal"
        journal.write_bytes(data.draw(cut_or_strange(journal.read_bytes())))
        try:
            tally = job.run(FakeRecipe())
        except BatchError as error:
            told = str(error)
            assert str(output) in told
            assert not output.exists()
        else:
            assert tally.rows == len(texts)
            assert output.read_text().splitlines() == [f"WORD{number}" for number in range(9)]
    COUNTS["damaged journals tried"] += 1


def stop(*_: object) -> None:
    raise KeyboardInterrupt


def cut_or_strange(journal: bytes) -> st.SearchStrategy[bytes]:
    """Cut anywhere, or with a line that is something else. A line that lies is not found out."""
    lines_of = journal.splitlines(keepends=True)
    cut = st.integers(0, len(journal)).map(lambda place: journal[:place])
    strange = st.sampled_from(
        [b"\n", b"\xff\n", b"[]\n", b'{"bytes": "x"}\n', b'{"bytes": 5}\n', b'{"job": 3}\n', b"[" * 9]
    )
    no_text = st.binary(max_size=12).map(lambda data: b"\xff" + data.replace(b"\n", b"") + b"\n")
    inserted = st.tuples(st.integers(0, len(lines_of)), st.one_of(strange, no_text)).map(
        lambda parts: b"".join([*lines_of[: parts[0]], parts[1], *lines_of[parts[0] :]])
    )
    return st.one_of(cut, inserted)
