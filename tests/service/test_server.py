"""The server: connections that bring nothing, requests that are not meant for it, and its end."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from ealm import Summarizer
from ealm.cli.serve import _hosts
from ealm.common.pieces import between_pieces
from ealm.service.app import create_app
from ealm.service.limits import ConnectionLimits
from ealm.service.middleware import host_name
from ealm.service.server import Server, limited_protocol
from ealm.service.state import Service
from ealm.service.turns import Dropped, QueueFull

LIMITS = ConnectionLimits(connections=3, header_seconds=0.4, body_seconds=0.4, idle_seconds=1)
LINES = {"Content-Type": "application/x-ndjson"}


@pytest.fixture(scope="module")
def summarizer(agent_folder: Path) -> Summarizer:
    return Summarizer(agent_folder)


@pytest.fixture
def address(summarizer: Summarizer) -> Iterator[tuple[str, int]]:
    """Of a server in another thread."""
    server = Server(create_app(summarizer, connection_limits=LIMITS), LIMITS, host="127.0.0.1", port=0)
    bound = server.config.bind_socket()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield bound.getsockname()
    server.should_exit = True
    thread.join(10)
    assert not thread.is_alive()


def everything(connection: socket.socket, seconds: float = 10) -> bytes:
    """What comes until the other side closes; fails if it does not."""
    connection.settimeout(seconds)
    found = b""
    try:
        while part := connection.recv(65_536):
            found += part
    except ConnectionResetError:
        pass
    return found


def sent(address: tuple[str, int], request: bytes) -> socket.socket:
    connection = socket.create_connection(address)
    connection.sendall(request)
    return connection


POST = b"POST /v1/summarize HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    "half",
    [
        b"",
        b"GET /healthz HTTP/1.1\r\nHo",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",  # answered, then idle
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /hea",
    ],
)
def test_a_connection_without_a_request_is_closed(address: tuple[str, int], half: bytes) -> None:
    started = time.monotonic()
    with sent(address, half) as connection:
        found = everything(connection)
    assert time.monotonic() - started < 5
    assert (b"200 OK" in found) == (b"\r\n\r\n" in half)


def test_a_connection_in_use_is_not_closed_however_long_the_response_takes() -> None:
    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "http"
        while (await receive()).get("more_body"):
            pass
        await asyncio.sleep(1.5)  # longer than headers and idle connections may take
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    config = uvicorn.Config(slow, http=limited_protocol(LIMITS), port=0, lifespan="off", timeout_keep_alive=1)
    server, bound = uvicorn.Server(config), config.bind_socket()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    with sent(bound.getsockname(), b"") as connection:
        for _ in range(2):  # a new connection, and one that was used
            connection.sendall(POST + b"Content-Length: 1\r\n\r\n{")
            connection.settimeout(10)
            found = b""
            while not found.endswith(b"ok"):
                part = connection.recv(65_536)
                assert part, found
                found += part
    server.should_exit = True
    thread.join(10)


def test_a_body_that_does_not_come_is_408(address: tuple[str, int]) -> None:
    with sent(address, POST + b"Content-Length: 100\r\n\r\n{") as connection:
        found = everything(connection)
    assert found.startswith(b"HTTP/1.1 408 ")
    assert b"application/problem+json" in found


LARGE = POST + b"Content-Length: 3000000\r\n"


@pytest.mark.parametrize(("size", "unread"), [(3_000_000, 0), (300_000_000, 3)])
def test_a_large_body_is_read_to_its_end_so_that_its_sender_hears_the_answer(
    summarizer: Summarizer, size: int, unread: int
) -> None:
    body = [{"type": "http.request", "body": b"x", "more_body": more} for more in (True, True, False)]
    answered: list[tuple[int, int]] = []

    async def receive() -> Message:
        return body.pop(0)

    async def send(message: Message) -> None:
        answered.append((message.get("status", 0), len(body)))

    headers = [(b"host", b"x"), (b"content-type", b"application/json"), (b"content-length", str(size).encode())]
    scope = {"type": "http", "method": "POST", "path": "/v1/summarize", "query_string": b"", "headers": headers}
    asyncio.run(create_app(summarizer)(scope, receive, send))
    assert answered[0] == (413, unread)


@pytest.mark.parametrize("rest", [b"\r\nx", b"Expect: 100-continue\r\n\r\n"])
def test_a_large_body_that_does_not_come_is_refused_all_the_same(address: tuple[str, int], rest: bytes) -> None:
    with sent(address, LARGE + rest) as connection:
        found = everything(connection)
    assert found.startswith(b"HTTP/1.1 413 ")


def test_a_stream_that_stops_ends_with_an_error(address: tuple[str, int]) -> None:
    head = (
        b"POST /v1/summarize/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\nContent-Length: 99\r\n"
    )
    with sent(address, head + b'\r\n{"text": "river"}\n') as connection:
        found = everything(connection)
    assert b'"summary"' in found
    assert b"did not come within" in found


def test_a_stream_that_waits_for_room_counts_its_cost_once_and_ends_when_its_client_leaves(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[str] = Counter()

    def full(_service: Service, *_texts: object, **_options: object) -> None:
        asked["room"] += 1
        raise QueueFull(1)

    def cost(_service: Service, *_texts: object) -> float:
        asked["cost"] += 1
        return 500.0

    monkeypatch.setattr(Service, "summarize", full)
    monkeypatch.setattr(Service, "cost", cost)
    line = b'{"text": "The river rises."}\n'
    head = b"POST /v1/summarize/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
    with sent(address, head + b"Content-Length: 999\r\n\r\n" + line):
        end = time.monotonic() + 10
        while asked["room"] < 4:
            assert time.monotonic() < end
            time.sleep(0.01)
        assert asked["cost"] == 1
    for _ in range(100):
        before = asked["room"]
        time.sleep(0.2)
        if asked["room"] == before:
            return
    raise AssertionError("it still asks for a client that has left")


@pytest.mark.parametrize("path", ["/v1/summarize", "/v1/curve", "/v1/summarize/batch"])
def test_what_is_abandoned_is_dropped_at_its_next_piece(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    begun, dropped = threading.Event(), threading.Event()

    def endless(*_request: object) -> Iterator[None]:
        begun.set()
        try:
            while True:
                time.sleep(0.001)
                between_pieces()
        except Dropped:
            dropped.set()
            raise
        yield

    monkeypatch.setattr(Summarizer, "together", lambda *request: list(endless(*request)))
    monkeypatch.setattr(Summarizer, "curve_with", endless)
    media_type = b"application/x-ndjson" if path.endswith("batch") else b"application/json"
    body = b'{"text": "The river rises."}'
    head = b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
    with sent(address, head % (path.encode(), media_type, len(body)) + body):
        assert begun.wait(10)
        assert not dropped.is_set()
    assert dropped.wait(10)  # and not after the 30 s that it might take


def test_little_is_read_at_once_so_that_others_have_their_turn(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    received = H11Protocol.data_received

    def note(protocol: H11Protocol, data: bytes) -> None:
        sizes.append(len(data))
        received(protocol, data)

    monkeypatch.setattr(H11Protocol, "data_received", note)
    crumbs = b"1\r\n \r\n" * 20_000
    with sent(address, POST + b"Transfer-Encoding: chunked\r\n\r\n" + crumbs + b"0\r\n\r\n") as connection:
        assert b" 422 " in everything(connection).splitlines()[0]
    assert sum(sizes) > len(crumbs)
    assert max(sizes) <= 16_384


def test_connections_have_a_limit_and_there_is_room_again(address: tuple[str, int]) -> None:
    connections = [sent(address, b"") for _ in range(LIMITS.connections)]
    time.sleep(0.1)
    with sent(address, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n") as one_too_many:
        assert everything(one_too_many).startswith(b"HTTP/1.1 503 ")
    for connection in connections:
        everything(connection)
        connection.close()
    with sent(address, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n") as connection:
        assert b"200 OK" in everything(connection)


def test_two_lengths_are_refused_and_the_connection_is_closed(address: tuple[str, int]) -> None:
    smuggled = b"0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
    head = POST + b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n" % len(smuggled)
    with sent(address, head + smuggled) as connection:
        found = everything(connection)
    assert found.startswith(b"HTTP/1.1 400 ")
    assert found.count(b"HTTP/1.1") == 1


# What is let in -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client(summarizer: Summarizer) -> Iterator[TestClient]:
    with TestClient(create_app(summarizer, hosts=["localhost", "[::1]", "Ealm.example"])) as client:
        yield client


@pytest.mark.parametrize(
    ("host", "status"),
    [
        *((host, 200) for host in ("localhost", "LOCALHOST:8000", "[::1]:80", "[::1]", "ealm.example")),
        *((host, 421) for host in ("evil.example", "localhost.evil.example", "", "127.0.0.1", "[::2]:80")),
    ],
)
def test_only_named_hosts_are_answered_for(client: TestClient, host: str, status: int) -> None:
    response = client.get("/healthz", headers={"Host": host})
    assert response.status_code == status
    assert response.headers["content-type"] == ("application/json" if status == 200 else "application/problem+json")


def test_a_service_for_this_machine_answers_for_its_names_only() -> None:
    names = _hosts("127.0.0.1", None)
    assert names == _hosts("::1", None)
    assert {host_name(name) for name in names or ()} == {"127.0.0.1", "localhost", "[::1]"}  # and not an empty one
    assert _hosts("0.0.0.0", None) is None
    assert _hosts("127.0.0.1", "*") is None
    assert _hosts("0.0.0.0", "a.example, b.example") == ["a.example", "b.example"]


@pytest.mark.parametrize("path", ["/v1/summarize", "/v1/curve", "/v1/summarize/batch"])
@pytest.mark.parametrize(
    "media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", None]
)
def test_content_that_any_page_can_send_is_refused(client: TestClient, path: str, media_type: str | None) -> None:
    headers = {"Host": "localhost"} if media_type is None else {"Host": "localhost", "Content-Type": media_type}
    response = client.post(path, content=b'{"text": "river"}', headers=headers)
    assert response.status_code == 415
    assert "Content-Type: application/" in response.json()["detail"]


@pytest.mark.parametrize(
    "identity",
    [
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        '{"a": [NaN]}',
        '"\\ud800"',
        "1" * 5_000,
        "[" * 5_000,
        f"[{'[],' * 2_000}0]",
    ],
)
def test_an_id_that_is_no_json_is_an_error_and_not_sent_back(client: TestClient, identity: str) -> None:
    lines = f'{{"text": "river", "id": {identity}}}\n{{"text": "river", "id": {{"a": [1.5, null, "é"]}}}}\n'
    response = client.post("/v1/summarize/batch", content=lines.encode(), headers={"Host": "localhost", **LINES})
    first, second = response.text.splitlines()
    assert list(json.loads(first)) == ["error"]
    assert not re.search("nan|infinity", first.replace("without NaN, Infinity", ""), re.IGNORECASE)
    assert json.loads(second)["id"] == {"a": [1.5, None, "é"]}


# The end --------------------------------------------------------------------------------------------------------------

LONG = "The council of the northern town voted late on Tuesday to close the old bridge for all heavy lorries at once"


@contextmanager
def served() -> Iterator[tuple[subprocess.Popen[str], tuple[str, int]]]:
    """`ealm serve` with the bundled model, and its address."""
    command = [sys.executable, "-m", "ealm.cli.main", "serve", "--port", "0"]
    paths = os.pathsep.join(path for path in sys.path if path)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths})
    try:
        assert process.stdout is not None
        found = re.search(r"http://([\d.]+):(\d+)", process.stdout.readline())
        assert found
        yield process, (found[1], int(found[2]))
    finally:
        process.kill()
        process.wait()


def long_request(address: tuple[str, int]) -> socket.socket:
    body = json.dumps({"text": LONG + " " + LONG[4:100], "trace": True}).encode()
    head = POST.replace(b"Host: x", b"Host: localhost") + b"Content-Length: %d\r\n\r\n" % len(body)
    return sent(address, head + body)


@pytest.mark.parametrize(("number", "seconds"), [(signal.SIGTERM, 10), (signal.SIGINT, 2)])
def test_the_end_comes_in_time_whatever_is_running(number: signal.Signals, seconds: float) -> None:
    with served() as (process, address):
        connections = [long_request(address) for _ in range(3)]
        half = POST.replace(b"Host: x", b"Host: localhost") + b"Content-Length: 100\r\n\r\n{"
        connections += [sent(address, half), sent(address, b"GET / HT"), sent(address, b"")]
        time.sleep(1)
        started = time.monotonic()
        process.send_signal(number)
        process.wait(30)
        assert time.monotonic() - started < seconds
        assert process.returncode == -number  # by itself, not by its alarm
        found = everything(connections[0])
        assert found[:13] in (b"HTTP/1.1 503 ", b"HTTP/1.1 200 ") if number == signal.SIGTERM else not found
