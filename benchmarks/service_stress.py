"""The service among clients who wish it ill: do plain requests go on, does memory stay flat, does the end come?

    python -m benchmarks.service_stress --minutes 5 --out stress.json

Plain clients work all the time, together with troublemakers, each of whom does one thing again and again: traces, rates
and curves of long texts, texts that are too large, requests that are left after a second, connections that send half
a request, streams of broken lines. At the end of each minute the troublemakers rest, so that both are measured on the
same machine, however busy it is with other work. At last SIGTERM comes while all of them are at work.
"""

import asyncio
import json
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

import click
import httpx

from benchmarks.service_load import SOURCE_WORDS, _memory
from benchmarks.text import sentences

_WORDS = (
    "The council of the northern harbour town voted late on Tuesday evening to close the old iron bridge for all heavy "
    "lorries because engineers found deep cracks"
).split()
_PATIENCE = 90.0
_LEAVES_AFTER = 1.0
_SETTLES_AFTER = 2.0
"""Seconds after which nothing is left of what troublemakers wanted; what is measured before counts for nobody."""
IDLE = "closed while idle"
"""The service closes a connection that was used before while its next request is on the way: HTTP allows that, and
clients send the request again on another one."""
_LINES = {"Content-Type": "application/x-ndjson"}
_BROKEN_LINES = (b"{", b'{"text": 3}', b'{"text": "The river rises.", "id": NaN}', b"\xff\xfe", b'"' + b"x" * 100_000)


def _sentence(words: int) -> str:
    return " ".join((_WORDS * (words // len(_WORDS) + 1))[:words])


def _text(sentence_words: int, number: int) -> str:
    return f"{_sentence(sentence_words)}. " * number


@dataclass
class Record:
    """What came back, and when."""

    statuses: Counter[str] = field(default_factory=Counter)
    plain: list[tuple[float, float]] = field(default_factory=list)
    """When a plain request was answered, and how long it took."""
    memory: list[tuple[float, int]] = field(default_factory=list)


@dataclass
class Client:
    """One client, with the end of its work."""

    http: httpx.AsyncClient
    record: Record
    address: tuple[str, int]

    async def ask(self, kind: str, path: str, **request: Any) -> None:
        while (status := await self._status(path, **request)) == IDLE:
            self.record.statuses[f"{kind}: {status}"] += 1
        self.record.statuses[f"{kind}: {status}"] += 1
        if not status.startswith("2"):
            await asyncio.sleep(0.5)  # as one who tries again, and not as a flood

    async def _status(self, path: str, **request: Any) -> str:
        events: set[str] = set()

        async def note(event: str, _details: dict[str, Any]) -> None:
            events.add(event)

        started = time.monotonic()
        try:
            return str((await self.http.post(path, extensions={"trace": note}, **request)).status_code)
        except httpx.TimeoutException:
            return "left"
        except httpx.TransportError as error:
            is_used = "connection.connect_tcp.started" not in events
            soon = time.monotonic() - started < _SETTLES_AFTER
            return IDLE if is_used and soon and isinstance(error, httpx.ReadError) else type(error).__name__


Trouble = Callable[[Client, int], Awaitable[None]]


def _summarize(kind: str, body: dict[str, Any], **more: Any) -> Trouble:
    return lambda client, _turn: client.ask(kind, "/v1/summarize", json=body, **more)


async def _curve(client: Client, turn: int) -> None:
    text = _text(25, 16) if turn % 2 else _text(25, 2)
    headers = {"Accept": "application/x-ndjson"} if turn % 3 else {}
    await client.ask("curve", "/v1/curve", json={"text": text, "recoverability": not turn % 2}, headers=headers)


_HUGE = [b'{"text": "%s"}' % (b"word " * number) for number in (150_000, 500_000)]


async def _huge(client: Client, turn: int) -> None:
    headers = {"Content-Type": "application/json"}
    await client.ask("huge", "/v1/summarize", content=_HUGE[turn % 2], headers=headers)


async def _broken_lines(client: Client, turn: int) -> None:
    lines = [_BROKEN_LINES[(turn + number) % len(_BROKEN_LINES)] for number in range(40)]
    lines += [json.dumps({"text": _sentence(20), "words": 8, "id": number}).encode() for number in range(40)]
    await client.ask("broken lines", "/v1/summarize/batch", content=b"\n".join(lines), headers=_LINES)


async def _half_a_request(client: Client, turn: int) -> None:
    head = b"POST /v1/summarize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n"
    try:
        reader, writer = await asyncio.open_connection(*client.address)
        writer.write(head + b'\r\n{"te' if turn % 2 else head)
        answer = await asyncio.wait_for(reader.read(), _PATIENCE)
        writer.close()
        told = answer[9:12].decode() if answer else "closed"
    except (OSError, TimeoutError) as error:
        told = type(error).__name__
    client.record.statuses[f"half a request: {told}"] += 1


TROUBLES: tuple[Trouble, ...] = (
    _summarize("trace of 35 words", {"text": _sentence(35), "words": 8, "trace": True}),
    _summarize("trace of 60 words", {"text": _sentence(60), "trace": True}),
    _summarize("rate of 400 words", {"text": _text(25, 16), "words": 60, "recoverability": True}),
    _summarize("text of 30 KB", {"text": _text(25, 200), "words": 300}),
    _summarize("text of 20 KB", {"text": _text(25, 140), "words": 300}),
    _summarize("trace and rate of 400 words", {"text": _text(25, 16), "recoverability": True, "trace": True}),
    _summarize("left after a second", {"text": _sentence(40), "trace": True}, timeout=_LEAVES_AFTER),
    *(_curve, _huge, _broken_lines, _half_a_request),
)


@click.command()
@click.option("--minutes", default=5.0, show_default=True, help="Of the mixed load.")
@click.option("--alone", default=12.0, show_default=True, help="Seconds of each minute without troublemakers.")
@click.option("--plain", default=4, show_default=True, help="Plain clients.")
@click.option("--out", type=click.Path(path_type=Path), help="Also write the figures as JSON.")
def main(minutes: float, alone: float, plain: int, out: Path | None) -> None:
    """Print statuses, times of plain requests and memory by minute, and the time from SIGTERM to the end."""
    with _served() as (process, address):
        results = asyncio.run(_run(process, address, minutes=minutes, alone=alone, plain=plain))
    click.echo(json.dumps({name: values for name, values in results.items() if name != "minutes"}, indent=2))
    if out is not None:
        out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


@contextmanager
def _served() -> Iterator[tuple[subprocess.Popen[str], tuple[str, int]]]:
    command = [sys.executable, "-m", "ealm", "serve", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://([\d.]+):(\d+)", process.stdout.readline())
        if found is None:
            raise click.ClickException("The service did not start.")
        yield process, (found[1], int(found[2]))
    finally:
        process.kill()
        process.wait()


async def _run(
    process: subprocess.Popen[str], address: tuple[str, int], *, minutes: float, alone: float, plain: int
) -> dict[str, Any]:
    texts = iter(sentences(200 * round(alone + 60 * minutes) + 1_000, SOURCE_WORDS))
    url = f"http://{address[0]}:{address[1]}"
    # No connection is used again after a while: the service may be closing it as idle at that moment.
    limits = httpx.Limits(max_connections=None, keepalive_expiry=1)
    async with httpx.AsyncClient(base_url=url, timeout=_PATIENCE, limits=limits) as http:
        quiet, loaded = Record(), Record()
        plain_clients, others = Client(http, Record(), address), Client(http, loaded, address)
        tasks = [asyncio.create_task(_plain(plain_clients, texts)) for _ in range(plain)]
        await asyncio.sleep(5)  # warm
        started = time.monotonic()
        tasks += [asyncio.create_task(work) for work in (_watch(process.pid, loaded), _tell_minutes(loaded, started))]
        for _ in range(parts := max(1, round(minutes))):
            seconds = 60 * minutes / parts
            plain_clients.record = loaded
            await _trouble(others, seconds * (1 - alone / 60))
            plain_clients.record = Record()
            await asyncio.sleep(_SETTLES_AFTER)
            plain_clients.record = quiet
            await asyncio.sleep(max(1.0, seconds * alone / 60 - _SETTLES_AFTER))
        plain_clients.record = Record()
        trouble = asyncio.create_task(_trouble(others, _PATIENCE))
        await asyncio.sleep(_SETTLES_AFTER)
        statuses = dict(sorted((loaded.statuses + quiet.statuses).items()))
        rows = _by_minute(loaded, quiet, started)
        ended = await asyncio.to_thread(_end, process)
        for task in (*tasks, trouble):
            task.cancel()
        await asyncio.gather(*tasks, trouble, return_exceptions=True)
    before, after = _times(quiet.plain), _times(loaded.plain)
    return {
        "plain alone": before,
        "plain among troublemakers": after,
        "p95 ratio": round(after["p95"] / before["p95"], 2),
        "statuses": statuses,
        "largest memory in MB": max(size for _, size in loaded.memory),
        "growth of memory": _growth([row["memory_mb"] for row in rows]),
        "seconds from SIGTERM to the end": round(ended, 2),
        "minutes": rows,
    }


async def _trouble(client: Client, seconds: float) -> None:
    await _together([_make_trouble(client, each) for each in TROUBLES], seconds)


async def _together(works: Sequence[Coroutine[Any, Any, None]], seconds: float) -> None:
    tasks = [asyncio.create_task(work) for work in works]
    try:
        await asyncio.sleep(seconds)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _plain(client: Client, texts: Iterator[str]) -> None:
    while True:
        started = time.monotonic()
        await client.ask("plain", "/v1/summarize", json={"text": next(texts), "words": 8})
        client.record.plain.append((time.monotonic(), time.monotonic() - started))


async def _make_trouble(client: Client, trouble: Trouble) -> None:
    for turn in count():
        await trouble(client, turn)


async def _watch(pid: int, record: Record) -> None:
    while True:
        with suppress(OSError, StopIteration):  # it has ended
            record.memory.append((time.monotonic(), _memory(pid)))
        await asyncio.sleep(1)


async def _tell_minutes(record: Record, started: float) -> None:
    while True:
        await asyncio.sleep(60)
        click.echo(f"minute {_by_minute(record, Record(), started)[-1]}")


def _end(process: subprocess.Popen[str]) -> float:
    started = time.monotonic()
    process.send_signal(signal.SIGTERM)
    process.wait(60)
    return time.monotonic() - started


def _times(plain: Sequence[tuple[float, float]]) -> dict[str, float]:
    took = sorted(seconds for _, seconds in plain)
    if not took:
        return {"requests": 0}
    shares = {name: took[min(len(took) - 1, int(share * len(took)))] for name, share in _SHARES.items()}
    return {"requests": len(took)} | {name: round(seconds, 3) for name, seconds in shares.items()}


_SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


def _by_minute(record: Record, quiet: Record, started: float) -> list[dict[str, Any]]:
    last = max((at for at, _ in record.memory), default=started)
    rows = []
    for minute in range(max(1, round((last - started) / 60))):
        begin, end = started + 60 * minute, started + 60 * (minute + 1)
        times = _times([own for own in record.plain if begin <= own[0] < end])
        memory = [size for at, size in record.memory if begin <= at < end]
        alone = _times([own for own in quiet.plain if begin <= own[0] < end])
        sizes = {"memory_mb": max(memory, default=0), "least_memory_mb": min(memory, default=0)}
        rows.append({"minute": minute + 1, **times, "alone": alone, **sizes})
    return rows


def _growth(largest: Sequence[int]) -> dict[str, float]:
    """Memory of the ten minutes after the first ten, and of the last ten: medians of what each minute had at most."""
    if len(largest) < 30:
        return {}
    before, after = median(largest[10:20]), median(largest[-10:])
    return {"MB in minutes 11 to 20": before, "MB in the last ten minutes": after, "ratio": round(after / before, 3)}


def as_tables(results: dict[str, Any]) -> list[str]:
    """The figures as lines of Markdown."""
    lines = ["| | Plain requests | p50 | p95 | p99 |", "|---|---|---|---|---|"]
    lines += [f"| {name} | {_cells(results[name])} |" for name in ("plain alone", "plain among troublemakers")]
    names = ("p95 ratio", "largest memory in MB", "seconds from SIGTERM to the end")
    singles = {name: results[name] for name in names}
    singles |= {f"memory: {name}": value for name, value in results["growth of memory"].items()}
    lines += ["", "| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in singles.items())]
    lines += ["", "| Kind | Statuses |", "|---|---|"]
    kinds: dict[str, list[str]] = {}
    for told, number in results["statuses"].items():
        kind, _, status = told.rpartition(": ")
        kinds.setdefault(kind, []).append(f"{number:,} × {status}")
    lines += [f"| {kind} | {', '.join(found)} |" for kind, found in kinds.items()]
    lines += ["", "| Minute | Requests (alone) | p50 | p95 | p99 | Memory |", "|---|---|---|---|---|---|"]
    for row in results["minutes"]:
        memory = f"{row['least_memory_mb']} to {row['memory_mb']} MB"
        lines.append(f"| {row['minute']} | {_cells(row, row['alone'])} | {memory} |")
    return lines


def _cells(times: dict[str, Any], alone: dict[str, Any] | None = None) -> str:
    """Number and times of requests, in brackets those without troublemakers."""
    return " | ".join(
        _cell(times, name) + ("" if alone is None else f" ({_cell(alone, name)})") for name in ("requests", *_SHARES)
    )


def _cell(times: dict[str, Any], name: str) -> str:
    if name not in times:
        return "–"
    return f"{times[name]:,}" if name == "requests" else f"{times[name]:.3f} s"


if __name__ == "__main__":
    main()
