"""The service: routes, and what lives as long as they do."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePath
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.responses import StreamingResponse

from ealm import __version__
from ealm.common.errors import EalmError, SettingsError, TextError
from ealm.service.batch_queue import BatchQueue, Closed
from ealm.service.comparison import Comparison
from ealm.service.curves import curve_lines, curve_values
from ealm.service.limits import ServiceLimits
from ealm.service.metrics import CONTENT_TYPE, Metrics
from ealm.service.middleware import BodyLimitMiddleware, RequestMetricsMiddleware, SecurityHeadersMiddleware
from ealm.service.problems import MEDIA_TYPE, install_handlers
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
from ealm.service.streams import DuplexResponse, summarize_lines
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.result import Summary
from ealm.summarize.summarizer import Summarizer

BATCH = "/v1/summarize/batch"
NDJSON = "application/x-ndjson"
_DISCONNECT_POLL_SECONDS = 0.1
_MEDIA_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
"""Of the files of the page."""

_CURVE_WORDS = 400
"""A curve has a point for each word: longer texts are asked for one length at a time."""


def _problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": "Problem", "content": content} for status in statuses}


class Service:
    """A summarizer that is loaded already, and what is needed to share it; alive only while its app is."""

    def __init__(self, summarizer: Summarizer, limits: ServiceLimits, compare: str | None) -> None:
        self.summarizer = summarizer
        self.comparison = Comparison(summarizer, compare)
        self.limits = limits
        self.metrics = Metrics()
        self._queue: BatchQueue | None = None
        self._curves: ThreadPoolExecutor | None = None

    @property
    def ready(self) -> bool:
        """Whether requests are taken."""
        return self._queue is not None

    @property
    def queue(self) -> BatchQueue:
        """Where texts are queued; raises `Closed` outside of the app's life."""
        if self._queue is None:
            raise Closed("The service is starting or shutting down.")
        return self._queue

    def offers(self, options: SummarizeOptions) -> bool:
        """Whether the model can work that way."""
        try:
            self.summarizer.check(options)
        except EalmError:
            return False
        return True

    @property
    def curves(self) -> ThreadPoolExecutor:
        """Where curves are worked out: they take long and share no batch, so one at a time, beside the queue."""
        if self._curves is None:
            raise Closed("The service is starting or shutting down.")
        return self._curves

    def curve(self, body: CurveRequest) -> Iterator[Summary]:
        """The points of a curve as they are worked out."""
        return self.summarizer.curve_with(body.text, body.options())

    @asynccontextmanager
    async def living(self, _app: FastAPI) -> AsyncIterator[None]:
        """From start to end; what has begun is finished."""
        queue = self._queue = BatchQueue(self.summarizer, self.limits, report=self.metrics.batch)
        curves = self._curves = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ealm-curve")
        self.metrics.watch(lambda: queue.load)
        yield
        self._queue = self._curves = None
        await asyncio.to_thread(queue.close)
        await asyncio.to_thread(curves.shutdown)


def create_app(summarizer: Summarizer, limits: ServiceLimits | None = None, *, compare: str | None = None) -> FastAPI:
    """An app around a summarizer; `compare` names the model that its page shows beside it (see `Comparison`)."""
    service = Service(summarizer, limits or ServiceLimits(), compare)
    app = FastAPI(
        title="ealm",
        version=__version__,
        description="Shortens texts to any length, shows every edit, and says how much can still be recovered.",
        lifespan=service.living,
        docs_url=None,  # both would load scripts from elsewhere
        redoc_url=None,
    )
    install_handlers(app)
    _add_page(app)
    _add_summaries(app, service)
    _add_comparison(app, service)
    _add_stream(app, service)
    _add_state(app, service)
    app.add_middleware(BodyLimitMiddleware, max_bytes=service.limits.body_bytes, stream_paths=frozenset({BATCH}))
    app.add_middleware(RequestMetricsMiddleware, record=service.metrics.request)
    app.add_middleware(SecurityHeadersMiddleware)
    _describe_problems(app)
    return app


def _add_summaries(app: FastAPI, service: Service) -> None:
    @app.post(
        "/v1/summarize",
        response_model=SummarizeResponse,
        responses=_problems(413, 422, 429, 503),
        summary="Shorten a text or several",
    )
    async def summarize(body: SummarizeRequest, request: Request) -> dict[str, Any]:
        texts, most = body.texts, service.limits.texts_per_request
        if len(texts) > most:
            raise TextError(f"{len(texts):,} texts are too many for one request ({most}). Use {BATCH}.")
        options = body.options()
        if not texts:
            return {"summaries": []}
        found = await _unless_gone(request, service.queue.submit([(text, options) for text in texts]))
        return {"summaries": [summary_values(summary, trace=options.trace) for summary in _or_raise(found)]}

    @app.post(
        "/v1/curve",
        response_model=None,
        responses=_problems(413, 422),
        summary=f"Every length of one text; as a stream of points with Accept: {NDJSON}",
    )
    async def curve(body: CurveRequest, request: Request) -> dict[str, Any] | StreamingResponse:
        words = len(body.text.split())
        if words > _CURVE_WORDS:
            raise TextError(
                f"A curve has a point for every length, and {words:,} words are too many ({_CURVE_WORDS}). "
                "Ask /v1/summarize for one length."
            )
        points = service.curve(body)
        if NDJSON in request.headers.get("accept", ""):
            lines = curve_lines(points, service.curves)
            first = await anext(lines)  # an error has its own status; after the first line it could only break off
            return StreamingResponse(_chained(first, lines), media_type=NDJSON)
        values: dict[str, Any] = await _unless_gone(request, service.curves.submit(lambda: curve_values(list(points))))
        return values


def _add_comparison(app: FastAPI, service: Service) -> None:
    @app.get("/v1/systems", response_model=list[str], summary="Other ways to shorten a text")
    async def systems() -> list[str]:
        return service.comparison.systems

    @app.post("/v1/compare", responses=_problems(413, 422), summary="Shorten a text in one of these ways")
    async def compare(body: CompareRequest, request: Request) -> dict[str, Any]:
        if body.system not in service.comparison.systems:
            raise SettingsError(f"system must be one of {', '.join(service.comparison.systems)}; got {body.system!r}.")
        work = service.curves.submit(service.comparison.summary, body.system, body.text, body.words)
        return {"summary": await _unless_gone(request, work)}


def _add_stream(app: FastAPI, service: Service) -> None:
    @app.post(
        BATCH,
        response_class=DuplexResponse,
        responses={200: {"content": {NDJSON: {}}, "description": "One line of JSON for each line."}},
        summary="Shorten a stream of texts, one JSON object a line",
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {NDJSON: {"schema": {"type": "string"}, "example": '{"text": "...", "words": 8}'}},
            }
        },
    )
    async def batch(request: Request) -> DuplexResponse:
        lines = summarize_lines(request.stream(), service.queue, service.limits)
        return DuplexResponse(lines, media_type=NDJSON)


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


def _or_raise(found: Sequence[Summary | EalmError]) -> list[Summary]:
    summaries = []
    for result in found:
        if isinstance(result, EalmError):
            raise result
        summaries.append(result)
    return summaries


async def _unless_gone(request: Request, work: "Future[Any]") -> Any:
    """The result, or nothing if the client goes away first: then the place in the queue is free again."""
    waiting = asyncio.wrap_future(work)
    while not waiting.done():
        await asyncio.wait([waiting], timeout=_DISCONNECT_POLL_SECONDS)
        if not waiting.done() and await request.is_disconnected():
            waiting.cancel()
            return {}
    return waiting.result()


async def _chained(first: bytes, lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for line in lines:
        yield line
