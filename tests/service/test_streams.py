"""Streams of lines: a result for each in order, and none that takes more than its share."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ealm import Summarizer
from ealm.service.app import create_app
from ealm.service.limits import HeldBytes, ServiceLimits
from ealm.service.schemas import BatchLine
from ealm.service.streams import LineTooLongError, lines_of

TEXT = "the police minister finds a silver bridge"


@pytest.fixture(scope="module")
def summarizer(agent_folder: Path) -> Summarizer:
    return Summarizer.from_pretrained(agent_folder)


@pytest.fixture(scope="module")
def client(summarizer: Summarizer) -> Iterator[TestClient]:
    with TestClient(create_app(summarizer, ServiceLimits(body_bytes=4_000, queued_texts=8))) as client:
        yield client


def stream(client: TestClient, *lines: object) -> list[Any]:
    content = b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
    response = client.post("/v1/summarize/batch", content=content, headers={"Content-Type": "application/x-ndjson"})
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in response.text.splitlines()]


def test_a_stream_returns_a_result_for_each_line_in_order(client: TestClient, summarizer: Summarizer) -> None:
    texts = [TEXT, "Zebra rises", "old engine burns in the quiet forest ."] * 30
    found = stream(client, *({"text": text, "words": 2, "id": number} for number, text in enumerate(texts)))
    assert [line["id"] for line in found] == list(range(90))
    assert [line["summary"] for line in found] == [str(s) for s in summarizer.summarize(texts, words=2)]


def test_a_bad_line_does_not_end_the_others(client: TestClient) -> None:
    found = stream(client, b"{", {"text": TEXT, "words": 1, "chars": 1, "id": "x"}, b"", {"text": TEXT, "words": 2})
    assert "error" in found[0]
    assert found[1] == {"id": "x", "error": found[1]["error"]}
    assert "Give one length" in found[1]["error"]
    assert len(found[2]["summary"].split()) <= 2


def test_a_line_without_end_stops_the_reading(client: TestClient) -> None:
    found = stream(client, {"text": TEXT, "words": 2}, b"x" * 5_000)
    assert "summary" in found[0]
    assert "longer than 4,000 bytes" in found[1]["error"]


@pytest.mark.parametrize("part", [b"[],", b"{},", b"1,", b'"a",', b"["])
def test_a_line_of_a_million_small_parts_is_refused_before_it_is_read(
    summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch, part: bytes
) -> None:
    read: list[int] = []
    validate = BatchLine.model_validate_json

    def note(line: bytes) -> BatchLine:
        read.append(len(line))
        return validate(line)

    monkeypatch.setattr(BatchLine, "model_validate_json", note)
    line = b'{"text": "river", "id": [' + part * (1_800_000 // len(part)) + b"1]}"
    with TestClient(create_app(summarizer)) as client:
        found = stream(client, line, {"text": TEXT, "words": 2})
    assert "more than 20,000 brackets and commas" in found[0]["error"]
    assert len(found[1]["summary"].split()) <= 2
    assert max(read) < 100


def test_lines_are_cut_where_they_end() -> None:
    held = HeldBytes(4)

    async def chunks(*parts: bytes) -> AsyncIterator[bytes]:
        for part in parts:
            yield part

    async def read(*parts: bytes) -> list[bytes]:
        return [line async for line in lines_of(chunks(*parts), 4, held)]

    assert asyncio.run(read(b"a", b"b\nc", b"\n", b"\ndd")) == [b"ab", b"c", b"", b"dd"]
    with pytest.raises(LineTooLongError):
        asyncio.run(read(b"abc", b"de"))
    assert held._held == 0


def test_a_long_line_that_comes_byte_by_byte_takes_no_longer_than_its_bytes() -> None:
    async def read() -> int:
        async def chunks() -> AsyncIterator[bytes]:
            yield b"x" * 1_900_000
            for _ in range(50_000):
                yield b"y"

        return sum([len(line) async for line in lines_of(chunks(), 2_000_000, HeldBytes(2_000_000))])

    started = time.process_time()
    assert asyncio.run(read()) == 1_950_000
    assert time.process_time() - started < 3  # 15 s, when each byte made the line anew
