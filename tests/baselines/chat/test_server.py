"""A chat model behind an address, against a server made here: what is sent, and what is said when it goes wrong."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner

from ealm.baselines.chat.server import LARGEST_ANSWER, ChatAddressError, ChatServer, ChatServerError
from ealm.cli.main import main


class Chat(BaseHTTPRequestHandler):
    """Answers with the last words of the prompt, in upper case, or with what a test wants."""

    seen: ClassVar[list[dict[str, Any]]] = []
    reply: ClassVar[tuple[int, bytes, dict[str, str]] | None] = None
    wait: ClassVar[float] = 0.0

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).seen.append({"path": self.path, "headers": dict(self.headers), **body})
        time.sleep(self.wait)
        said = " ".join(body["messages"][0]["content"].split()[-5:]).upper()
        usual = (200, json.dumps({"choices": [{"message": {"content": said}}]}).encode(), {})
        status, content, headers = self.reply or usual
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self) -> None:
        type(self).seen.append({"path": self.path})
        self.send_error(404)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(Chat, "seen", [])
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # nobody is there: a proxy must not be asked
    with HTTPServer(("127.0.0.1", 0), Chat) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


def test_each_prompt_is_a_request_at_temperature_0(address: str) -> None:
    answers = ChatServer.of(f"{address}/#tiny").answer(["say a b c d e", "say f g h i j"], tokens=20)
    assert answers == ["A B C D E", "F G H I J"]
    first = Chat.seen[0]
    assert (first["path"], first["model"], first["temperature"]) == ("/v1/chat/completions", "tiny", 0)
    assert (first["max_tokens"], first["stream"]) == (20, False)
    assert first["messages"] == [{"role": "user", "content": "say a b c d e"}]
    assert "Authorization" not in first["headers"]


def test_without_a_name_the_server_takes_its_own_model(address: str) -> None:
    ChatServer.of(address).answer(["x"], tokens=1)
    assert "model" not in Chat.seen[0]


def test_the_command_scores_it_and_tells_how_often_it_was_over(address: str, tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    rows = [{"text": "The old ferry to Lokken is late today.", "summaries": ["ferry is late"]}] * 2
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    line = ["evaluate", "--data", str(data), "--rouge-only", "--protocol", "length", "--words", "3"]
    shown = CliRunner().invoke(main, [*line, "--systems", f"lead-3,llm:{address}#tiny"])
    assert shown.exit_code == 0, shown.output
    assert "tiny: 2 of 2 answers were over the limit and were cut there." in shown.stdout
    as_json = CliRunner().invoke(main, [*line, "--systems", f"llm:{address}#tiny", "--json", "--quiet"])
    assert json.loads(as_json.stdout)["systems"][0]["seeds"][0]["over_limit"] == {"answers": 2, "over": 2}


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ((404, b'{"error": "model not found"}', {}), r"answered 404: .*model not found.*name of the model \(after #\)"),
        ((200, b"<html>hello</html>", {}), "does not answer like a chat model: <html>hello"),
        ((200, b'{"choices": []}', {}), "does not answer like a chat model"),
        ((200, b"x" * (LARGEST_ANSWER + 1), {}), "more than 1,048,576 bytes"),
        ((200, b'{"choices": ', {"Content-Length": "500"}), "cannot be reached|does not answer like"),
    ],
)
def test_what_a_server_may_do_wrong(
    address: str, monkeypatch: pytest.MonkeyPatch, reply: tuple[int, bytes, dict[str, str]], message: str
) -> None:
    monkeypatch.setattr(Chat, "reply", reply)
    with pytest.raises(ChatServerError, match=message):
        ChatServer(address, "m", timeout=2).answer(["text"], tokens=5)


def test_a_redirect_is_not_followed(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chat, "reply", (302, b"", {"Location": f"{address}/elsewhere"}))
    with pytest.raises(ChatServerError, match="answered 302"):
        ChatServer.of(address).answer(["text"], tokens=5)
    assert [request["path"] for request in Chat.seen] == ["/v1/chat/completions"]


def test_nobody_waits_for_ever(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chat, "wait", 1.0)
    with pytest.raises(ChatServerError, match=r"did not answer within 0\.2 s"):
        ChatServer(address, timeout=0.2).answer(["text"], tokens=5)


def test_a_server_that_is_not_there() -> None:
    with pytest.raises(ChatServerError, match=r"http://127\.0\.0\.1:9/v1 cannot be reached .* Is the server running\?"):
        ChatServer.of("http://127.0.0.1:9/v1#m").answer(["text"], tokens=5)


@pytest.mark.parametrize(
    "where",
    [
        "file:///etc/passwd",
        "ftp://host/v1",
        "http://",
        "http://user:word@host/v1",
        "http://h/v1?key=x",
        "http://h:x/v1",
    ],
)
def test_other_addresses_are_refused(where: str) -> None:
    with pytest.raises(ChatAddressError, match=r"is no address of a chat server: expected http:// or https://"):
        ChatServer.of(where)
