"""Whether there is a way to the hub."""

import socket
import time

import pytest
from huggingface_hub import constants

from ealm.common.errors import MissingLanguageModelError
from ealm.lm import hub
from ealm.lm.loading import load_pretrained


@pytest.fixture
def online(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nobody had turned the network off, and without a proxy."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(hub, "getproxies", dict)


def test_a_host_that_does_not_answer_is_told_at_once(online: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", "https://127.0.0.1:9")
    begun = time.monotonic()
    assert not hub.hub_is_reachable()
    with pytest.raises(MissingLanguageModelError, match=r"There is no folder nobody/none.*Give lm= a folder"):
        load_pretrained("nobody/none")
    assert time.monotonic() - begun < 20  # transformers itself takes a while to load; the hub's own tries take 30 s


def test_a_host_that_answers_is_asked(online: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.getsockname()[1]}")
        assert hub.hub_is_reachable()
    monkeypatch.setattr(hub, "getproxies", lambda: {"https": "proxy"})
    monkeypatch.setattr(constants, "ENDPOINT", "https://127.0.0.1:9")
    assert hub.hub_is_reachable()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert not hub.hub_is_reachable()
