"""Requests made up from the OpenAPI description, valid and not: none of them may break the service."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from ealm import Summarizer
from ealm.service.app import create_app
from ealm.service.limits import ServiceLimits

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed: pip install schemathesis")


@pytest.fixture(scope="module")
def api(agent_folder: Path) -> Any:
    app = create_app(Summarizer.from_pretrained(agent_folder), ServiceLimits(window_seconds=0.0))
    return schemathesis.openapi.from_asgi("/openapi.json", app)


@schemathesis.serializer("application/x-ndjson")
def plain_lines(_context: Any, value: Any) -> bytes:
    """Lines as they were made up, JSON or not."""
    return str(value).encode(errors="surrogatepass")


PATHS = (
    "/v1/summarize",
    "/v1/summarize/batch",
    "/v1/curve",
    "/v1/systems",
    "/v1/compare",
    "/v1/model",
    "/v1/options",
    "/healthz",
    "/readyz",
    "/metrics",
)


@pytest.mark.parametrize("path", PATHS)
def test_no_request_breaks_the_service(api: Any, path: str) -> None:
    (operation,) = [found for each in api.get_all_operations() if (found := each.ok()).path == path]

    @given(case=operation.as_strategy())
    @settings(max_examples=30, suppress_health_check=list(HealthCheck))
    def check(case: Any) -> None:
        response = case.call()
        assert response.status_code < 500
        if response.status_code >= 400:
            assert response.headers["content-type"] == ["application/problem+json"]

    check()


def test_every_route_of_the_description_is_tried(api: Any) -> None:
    assert sorted(each.ok().path for each in api.get_all_operations()) == sorted(PATHS)
