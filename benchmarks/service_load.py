"""The service under load on loopback: many clients at once, with and without gathering requests into batches.

    python -m benchmarks.service_load --clients 32 --seconds 60 --out service.json

Both runs are in one process pair on the same machine; what counts is their ratio.
"""

import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import httpx

from benchmarks.text import sentences

SOURCE_WORDS = (12, 30)
"""Words of the shortest and of the longest sentence; no sentence is sent twice in a run."""

_MOST_A_SECOND = 1000
"""Sentences that are made in advance for each second of a run."""

_SECONDS_BETWEEN_LOOKS = 1.0


@click.command()
@click.option("--clients", default=32, show_default=True)
@click.option("--seconds", default=60.0, show_default=True)
@click.option("--words", default=8, show_default=True)
@click.option("--out", type=click.Path(path_type=Path))
def main(clients: int, seconds: float, words: int, out: Path | None) -> None:
    results = {
        "gathered": _measured(clients, seconds, words, at_once=64),
        "one by one": _measured(clients, seconds, words, at_once=1),
    }
    for name, values in results.items():
        click.echo(f"{name}: {values}")
    ratio = results["gathered"]["sentences_per_second"] / results["one by one"]["sentences_per_second"]
    click.echo(f"gain from gathering: {ratio:.2f} x")
    if out is not None:
        out.write_text(json.dumps(results | {"gain": ratio}, indent=2) + "\n", encoding="utf-8")


_SERVER = """
import sys, uvicorn
from ealm import Summarizer
from ealm.service.app import create_app
from ealm.service.limits import ServiceLimits
app = create_app(Summarizer(), ServiceLimits(texts_at_once=int(sys.argv[2])))
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error", access_log=False)
"""


def _measured(clients: int, seconds: float, words: int, *, at_once: int) -> dict[str, Any]:
    port = 18_000 + at_once
    server = subprocess.Popen([sys.executable, "-c", _SERVER, str(port), str(at_once)])
    try:
        return asyncio.run(_load(f"http://127.0.0.1:{port}", server.pid, clients, seconds, words))
    finally:
        server.terminate()
        server.wait(60)


async def _load(url: str, pid: int, clients: int, seconds: float, words: int) -> dict[str, Any]:
    texts = iter(sentences(int(_MOST_A_SECOND * seconds) + 2 * clients, SOURCE_WORDS))
    async with httpx.AsyncClient(base_url=url, timeout=120, limits=httpx.Limits(max_connections=clients)) as client:
        await _until_ready(client)
        await asyncio.gather(*(_ask(client, next(texts), words) for _ in range(clients)))  # warm
        end = time.monotonic() + seconds
        watch = asyncio.create_task(_memory_until(end, pid))
        rows = await asyncio.gather(*(_client(client, texts, end, words) for _ in range(clients)))
        memory = await watch
    answers = [answer for row in rows for answer in row]
    took = sorted(duration for status, duration in answers if status == 200)
    statuses = {str(status): sum(s == status for s, _ in answers) for status in {s for s, _ in answers}}
    return {
        "clients": clients,
        "seconds": seconds,
        "statuses": statuses,
        "sentences_per_second": round(len(took) / seconds, 2),
        "p50_seconds": round(statistics.median(took), 3),
        "p95_seconds": round(took[int(0.95 * len(took))], 3),
        "memory_mb": {"start": memory[0], "half-way": memory[len(memory) // 2], "end": memory[-1]},
    }


async def _memory_until(end: float, pid: int) -> list[int]:
    looks = [_memory(pid)]
    while time.monotonic() < end:
        await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
        looks.append(_memory(pid))
    return looks


async def _until_ready(client: httpx.AsyncClient) -> None:
    for _ in range(600):
        try:
            if (await client.get("/readyz")).status_code == 200:
                return
        except httpx.TransportError:
            pass
        await asyncio.sleep(0.1)
    raise click.ClickException("The service did not become ready within a minute.")


async def _client(client: httpx.AsyncClient, texts: Iterator[str], end: float, words: int) -> list[tuple[int, float]]:
    answers = []
    while time.monotonic() < end:
        answers.append(await _ask(client, next(texts), words))
    return answers


async def _ask(client: httpx.AsyncClient, text: str, words: int) -> tuple[int, float]:
    started = time.monotonic()
    response = await client.post("/v1/summarize", json={"text": text, "words": words})
    return response.status_code, time.monotonic() - started


def _memory(pid: int) -> int:
    """Resident memory in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) // 1024


if __name__ == "__main__":
    main()
