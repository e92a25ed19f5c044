"""A chat model behind an OpenAI-compatible address."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urldefrag, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from ealm.common.errors import EalmError, UsageError
from ealm.common.storage import parse_json

TIMEOUT = 300.0
"""Seconds to wait for an answer: a long text takes a processor minutes."""
LARGEST_ANSWER = 1 << 20
"""Bytes."""
_SHOWN = 200


class ChatServerError(EalmError):
    """A server of a chat model cannot be reached, or does not answer as one."""


class ChatAddressError(ChatServerError, UsageError):
    """An address is none of a chat server."""


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Texts go to the address that the user named, and to no other."""


@dataclass(frozen=True, slots=True)
class ChatServer:
    """A model by the address of its server, asked without proxies, redirects or keys."""

    address: str
    model: str = ""
    timeout: float = TIMEOUT

    @classmethod
    def of(cls, where: str) -> "ChatServer":
        """From `http://127.0.0.1:8080/v1#model`; without `#model`, the server takes its own."""
        address, model = urldefrag(where)
        try:
            parts = urlsplit(address)
            usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            usable = False
        if not usable or parts.query or parts.username is not None:
            raise ChatAddressError(
                f"{where} is no address of a chat server: expected http:// or https://, a host, and the path before "
                f"/chat/completions, for example http://127.0.0.1:8080/v1#model"
            )
        return cls(address.rstrip("/"), model)

    def answer(self, prompts: Sequence[str], *, tokens: int) -> list[str]:
        """One request for each prompt, one after the other."""
        opener = build_opener(ProxyHandler({}), _NoRedirects())
        return [self._answer(opener, prompt, tokens) for prompt in prompts]

    def _answer(self, opener: OpenerDirector, prompt: str, tokens: int) -> str:
        content = {
            **({"model": self.model} if self.model else {}),
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
            "max_tokens": tokens,
            "stream": False,
        }
        request = Request(  # noqa: S310 - the scheme was checked
            f"{self.address}/chat/completions",
            data=json.dumps(content).encode(),
            headers={"Content-Type": "application/json"},
        )
        return _text_of(self._fetch(opener, request), self.address)

    def _fetch(self, opener: OpenerDirector, request: Request) -> bytes:
        try:
            with opener.open(request, timeout=self.timeout) as response:
                body: bytes = response.read(LARGEST_ANSWER + 1)
        except HTTPError as error:
            said = " ".join(error.read(_SHOWN).decode(errors="replace").split())
            raise ChatServerError(
                f"{request.full_url} answered {error.code}: {said or error.reason}. Are the address (before "
                f"/chat/completions) and the name of the model (after #) right?"
            ) from error
        except TimeoutError as error:
            raise ChatServerError(f"{self.address} did not answer within {self.timeout:g} s.") from error
        except (URLError, HTTPException, OSError) as error:
            reason = getattr(error, "reason", error)
            raise ChatServerError(f"{self.address} cannot be reached ({reason}). Is the server running?") from error
        if len(body) > LARGEST_ANSWER:
            raise ChatServerError(f"{self.address} answered with more than {LARGEST_ANSWER:,} bytes.")
        return body


def _text_of(body: bytes, address: str) -> str:
    try:
        text = parse_json(body.decode())["choices"][0]["message"]["content"]
    except (ValueError, TypeError, KeyError, IndexError) as error:
        shown = body[:_SHOWN].decode(errors="replace")
        raise ChatServerError(f"{address} does not answer like a chat model: {shown}") from error
    return text if isinstance(text, str) else ""
