"""The service: routes, and what lives as long as they do."""

import asyncio
import json
from collections.abc import AsyncIterator, Collection, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePath
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.responses import JSONResponse, StreamingResponse

from ealm import __version__
from ealm.common.errors import EalmError, SettingsError, TextError
from ealm.service.answers import as_they_come, in_time
from ealm.service.curves import curve_lines
from ealm.service.limits import ConnectionLimits, ServiceLimits
from ealm.service.metrics import CONTENT_TYPE
from ealm.service.middleware import (
    BodyLimitMiddleware,
    BodyTimeMiddleware,
    RequestGuardMiddleware,
    RequestMetricsMiddleware,
    SecurityHeadersMiddleware,
    host_name,
)
from ealm.service.problems import MEDIA_TYPE, OverdueError, install_handlers
from ealm.service.schemas import (
    CompareRequest,
    CurveRequest,
    ModelDescription,
    OptionRow,
    Problem,
    SummarizeRequest,
    SummarizeResponse,
    option_rows,
    summary_values,
)
from ealm.service.state import Service
from ealm.service.streams import DuplexResponse, summarize_lines
from ealm.service.turns import Closed
from ealm.summarize.result import Summary
from ealm.summarize.summarizer import Summarizer

BATCH = "/v1/summarize/batch"
NDJSON = "application/x-ndjson"
_LINES = (NDJSON, "application/jsonl", "application/json-lines", "application/x-jsonlines")
_JSON = ("application/json",)
_TAKEN = {"/v1/summarize": _JSON, "/v1/curve": _JSON, "/v1/compare": _JSON, BATCH: _LINES}
"""Types of content that each path takes."""
_MEDIA_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
"""Of the files of the page."""


def _problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": "Problem", "content": content} for status in statuses}


def create_app(
    summarizer: Summarizer,
    limits: ServiceLimits | None = None,
    connection_limits: ConnectionLimits | None = None,
    *,
    hosts: Collection[str] | None = None,
    compare: str | None = None,
) -> FastAPI:
    """An app around a summarizer; it answers for these hosts, or for any.

    `compare` names the model that its page shows beside it (see `Comparison`).
    """
    service = Service(summarizer, limits or ServiceLimits(), compare)
    app = FastAPI(
        title="ealm",
        version=__version__,
        description="Shortens texts to any length, shows every edit, and says how much can still be recovered.",
        lifespan=service.living,
        docs_url=None,  # both would load scripts from elsewhere
        redoc_url=None,
    )
    app.state.service = service
    install_handlers(app)
    _add_page(app)
    _add_summaries(app, service)
    _add_comparison(app, service)
    _add_stream(app, service)
    _add_state(app, service)
    app.add_middleware(
        BodyLimitMiddleware,
        limits=service.limits,
        held=service.held,
        stream_paths=frozenset({BATCH}),
    )
    body_seconds = (connection_limits or ConnectionLimits()).body_seconds
    app.add_middleware(BodyTimeMiddleware, seconds=body_seconds, stream_paths=frozenset({BATCH}))
    known = None if hosts is None else frozenset(host_name(host) for host in hosts)
    app.add_middleware(RequestGuardMiddleware, hosts=known, media_types=_TAKEN)
    app.add_middleware(RequestMetricsMiddleware, record=service.metrics.request)
    app.add_middleware(SecurityHeadersMiddleware)
    _describe_problems(app)
    return app


def _add_summaries(app: FastAPI, service: Service) -> None:
    seconds = service.limits.timeout_seconds

    @app.post(
        "/v1/summarize",
        response_model=SummarizeResponse,
        responses=_problems(408, 413, 415, 422, 429, 503, 504),
        summary="Shorten a text or several",
    )
    async def summarize(body: SummarizeRequest, request: Request) -> JSONResponse:
        texts, most = body.texts, service.limits.texts_per_request
        if len(texts) > most:
            raise TextError(f"{len(texts):,} texts are too many for one request ({most}). Use {BATCH}.")
        options = body.options()
        cost = service.cost(texts, options)
        found = await in_time(request, service.summarize(texts, options, cost=cost), seconds) if texts else None
        # A long text has thousands of edits: they are written out beside the thread that serves all connections.
        return await asyncio.to_thread(_summaries, _or_raise(found or ()), trace=options.trace)

    @app.post(
        "/v1/curve",
        response_model=None,
        responses=_problems(408, 413, 415, 422, 429, 503, 504),
        summary=f"Every length of one text; as a stream of points with Accept: {NDJSON}",
    )
    async def curve(body: CurveRequest, request: Request) -> Response:
        if NDJSON in request.headers.get("accept", ""):
            lines = curve_lines(as_they_come(request, lambda push: service.curve(body, push), seconds))
            first = await anext(lines)  # an error has its own status; after the first line it could only break off
            return StreamingResponse(_chained(first, lines), media_type=NDJSON)
        return JSONResponse(await in_time(request, service.curve(body), seconds) or {})


def _add_comparison(app: FastAPI, service: Service) -> None:
    @app.get("/v1/systems", response_model=list[str], summary="Other ways to shorten a text")
    async def systems() -> list[str]:
        return service.comparison.systems

    @app.post(
        "/v1/compare",
        responses=_problems(408, 413, 415, 422, 429, 503, 504),
        summary="Shorten a text in one of these ways",
    )
    async def compare(body: CompareRequest, request: Request) -> dict[str, Any]:
        if body.system not in service.comparison.systems:
            raise SettingsError(f"system must be one of {', '.join(service.comparison.systems)}; got {body.system!r}.")
        return {"summary": await in_time(request, service.compare(body), service.limits.timeout_seconds)}


def _add_stream(app: FastAPI, service: Service) -> None:
    @app.post(
        BATCH,
        response_class=DuplexResponse,
        responses={
            200: {"content": {"application/x-ndjson": {}}, "description": "One line of JSON for each line."},
            **_problems(415, 503),
        },
        summary="Shorten a stream of texts, one JSON object a line",
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {
                    "application/x-ndjson": {"schema": {"type": "string"}, "example": '{"text": "...", "words": 8}'}
                },
            }
        },
    )
    async def batch(request: Request) -> DuplexResponse:
        if not service.ready:
            raise Closed("The service is starting or shutting down.")
        lines = summarize_lines(request, service)
        return DuplexResponse(lines, media_type="application/x-ndjson")


def _add_state(app: FastAPI, service: Service) -> None:
    @app.get("/v1/model", response_model=ModelDescription, summary="What answers here")
    async def model() -> ModelDescription:
        lm = service.summarizer.lm
        return ModelDescription(
            name="ealm",
            version=__version__,
            language_model="a folder" if "/" in lm.name else lm.name,  # no path of this machine goes out
            max_words=lm.max_words,
            settings=service.summarizer.settings.to_dict(),
        )

    @app.get("/v1/options", response_model=list[OptionRow], summary="Options of a summary that this model offers")
    async def options() -> list[OptionRow]:
        return option_rows(service.offers)

    @app.get("/healthz", summary="Whether the process lives")
    async def healthy() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/readyz", responses=_problems(503), summary="Whether it takes requests")
    async def ready() -> dict[str, str]:
        if not service.ready:
            raise Closed("The service is starting or shutting down.")
        return {"status": "ready"}

    @app.get("/metrics", response_class=Response, summary="Counts for Prometheus")
    async def counts() -> Response:
        return Response(service.metrics.page(), media_type=CONTENT_TYPE)


def _add_page(app: FastAPI) -> None:
    """The files of the page, read now and each under its own name: no path of a request reaches the file system."""

    def add(file: Traversable, *paths: str) -> None:
        content, media_type = file.read_bytes(), f"{_MEDIA_TYPES[PurePath(file.name).suffix]}; charset=utf-8"

        async def page() -> Response:
            return Response(content, media_type=media_type)

        for path in paths:
            app.add_api_route(path, page, include_in_schema=False)

    other_names = {"index.html": "/", "icon.svg": "/favicon.ico"}
    for file in (files("ealm.service") / "page").iterdir():
        add(file, *{f"/{file.name}", other_names.get(file.name, f"/{file.name}")})


def _describe_problems(app: FastAPI) -> None:
    """Put the schema of problems into the description, in place of FastAPI's own kind of error."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = plain()
            schema["components"]["schemas"]["Problem"] = Problem.model_json_schema()
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]


def _summaries(summaries: Sequence[Summary], *, trace: bool) -> JSONResponse:
    return JSONResponse({"summaries": [summary_values(summary, trace=trace) for summary in summaries]})


def _or_raise(found: Sequence[Summary | EalmError]) -> list[Summary]:
    summaries = []
    for result in found:
        if isinstance(result, EalmError):
            raise result
        summaries.append(result)
    return summaries


async def _chained(first: bytes, lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    try:
        async for line in lines:
            yield line
    except (OverdueError, Closed) as error:
        yield json.dumps({"error": str(error)}).encode() + b"\n"
