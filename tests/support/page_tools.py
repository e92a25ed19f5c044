"""The page in a browser."""

import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


playwright_api = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: pip install playwright"
)


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium"),
]


class Server:
    """The service in a thread, on a free port."""

    def __init__(self, folder: Path) -> None:
        import uvicorn

        from ealm import Summarizer
        from ealm.service.app import create_app

        listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        config = uvicorn.Config(create_app(Summarizer.from_pretrained(folder)), log_level="error", access_log=False)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listening]}, daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(30)


@pytest.fixture(scope="module")
def server(agent_folder: Path) -> Iterator[Server]:
    server = Server(agent_folder)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any, server: Server) -> Iterator[Any]:
    """A fresh page that fails the test if it says or loads anything that it should not."""
    context = browser.new_context(viewport={"width": 1000, "height": 900}, color_scheme="light")
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
    page = context.new_page()
    page.set_default_timeout(60_000)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    # A service under load refuses with 429, which the browser writes down and the page waits for.
    page.on("console", lambda m: m.type == "error" and "429" not in m.text and complaints.append(m.text))
    page.on("response", lambda response: response.status == 404 and complaints.append(f"missing: {response.url}"))
    page.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda r: r.url.startswith((server.url, "data:")) or complaints.append(f"foreign: {r.url}"))
    page.goto(f"{server.url}/#text=The+old+engine+burns")  # in place of the example, which takes longer
    done(page)
    yield page
    assert complaints == []
    context.close()


def shorten(page: Any, text: str) -> None:
    """Put a text in place of the example, and wait until every length is there."""
    page.fill("#text", text)
    done(page)


def done(page: Any) -> None:
    page.wait_for_selector("#result[aria-busy=false]")


def set_slider(page: Any, value: int) -> None:
    page.eval_on_selector(
        "#length", "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')) }", str(value)
    )


def eventually(page: Any, holds: Callable[[], bool], seconds: float = 20) -> bool:
    """Whether something comes to hold: the curve of a text streams in behind its first summary."""
    for _ in range(round(seconds * 10)):
        if holds():
            return True
        page.wait_for_timeout(100)
    return holds()


def summary(page: Any) -> str:
    return str(page.text_content("#summary"))
