"""Requests made up from the OpenAPI description, valid and not: none of them may break the service."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from ealm import Summarizer
from ealm.service.app import create_app
from ealm.service.limits import ServiceLimits

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed: pip install schemathesis")


@pytest.fixture(scope="module")
def api(agent_folder: Path) -> Any:
    app = create_app(Summarizer.from_pretrained(agent_folder), ServiceLimits(window_seconds=0.0))
    return schemathesis.openapi.from_asgi("/openapi.json", app)


schema = schemathesis.pytest.from_fixture("api")


@schema.parametrize()
@settings(max_examples=30, suppress_health_check=list(HealthCheck))
def test_no_request_breaks_the_service(case: Any) -> None:
    response = case.call()
    # Without its lifespan the app is not ready, and says so.
    assert response.status_code < 500 or (response.status_code == 503 and case.path == "/readyz")
    if response.status_code >= 400:
        assert response.headers["content-type"] == ["application/problem+json"]
