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
from pathlib import Path
from typing import Any

import click
import httpx

SENTENCES = (
    "The city council voted late on Tuesday to close the old bridge across the river until repairs are finished.",
    "Norvik Energy Corp. said its third-quarter profit fell 12 percent because a mild autumn lowered demand.",
    "A storm cut power to some 9,000 homes along the coast overnight, and ferries will not sail before noon.",
    "The national team, which had not lost at home for three years, conceded two late goals to the visitors.",
)


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
    async with httpx.AsyncClient(base_url=url, timeout=120, limits=httpx.Limits(max_connections=clients)) as client:
        await _until_ready(client)
        await asyncio.gather(*(_ask(client, number, words) for number in range(clients)))  # warm
        before = _memory(pid)
        end = time.monotonic() + seconds
        answers = [
            answer
            for row in await asyncio.gather(*(_client(client, n, end, words) for n in range(clients)))
            for answer in row
        ]
    took = sorted(duration for status, duration in answers if status == 200)
    statuses = {str(status): sum(s == status for s, _ in answers) for status in {s for s, _ in answers}}
    return {
        "clients": clients,
        "seconds": seconds,
        "statuses": statuses,
        "sentences_per_second": round(len(took) / seconds, 2),
        "p50_seconds": round(statistics.median(took), 3),
        "p95_seconds": round(took[int(0.95 * len(took))], 3),
        "memory_before_mb": before,
        "memory_after_mb": _memory(pid),
    }


async def _until_ready(client: httpx.AsyncClient) -> None:
    for _ in range(600):
        try:
            if (await client.get("/readyz")).status_code == 200:
                return
        except httpx.TransportError:
            pass
        await asyncio.sleep(0.1)
    raise click.ClickException("The service did not become ready within a minute.")


async def _client(client: httpx.AsyncClient, number: int, end: float, words: int) -> list[tuple[int, float]]:
    answers = []
    while time.monotonic() < end:
        answers.append(await _ask(client, number + len(answers), words))
    return answers


async def _ask(client: httpx.AsyncClient, number: int, words: int) -> tuple[int, float]:
    started = time.monotonic()
    response = await client.post("/v1/summarize", json={"text": SENTENCES[number % len(SENTENCES)], "words": words})
    return response.status_code, time.monotonic() - started


def _memory(pid: int) -> int:
    """Resident memory in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) // 1024


if __name__ == "__main__":
    main()
