"""Errors as problem+json (RFC 9457), with a detail that says what to do."""

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from ealm.common.errors import EalmError, with_names
from ealm.service.turns import Closed, QueueFull
from ealm.summarize.options import OPTIONS

MEDIA_TYPE = "application/problem+json"


class OverdueError(Exception):
    """A request took longer than the service allows."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"This took longer than {seconds:g} s and was dropped. Send a shorter text, ask for less, or try again "
            "when the service has less to do."
        )


def too_many_marks(most: int) -> str:
    """The detail for JSON of more parts than any request needs."""
    return f"There are more than {most:,} brackets and commas. Send fewer or shorter texts."


def problem(status: int, detail: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """A problem+json response."""
    content = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return JSONResponse(content, status_code=status, media_type=MEDIA_TYPE, headers=headers)


def as_fields(error: EalmError) -> str:
    """The message of an error in terms of a request: `words=` is the field words."""
    return with_names(str(error), {name: name for name in OPTIONS})


def queue_full(error: QueueFull) -> JSONResponse:
    """429 with Retry-After."""
    return problem(429, str(error), {"Retry-After": str(error.retry_after)})


def validation_message(errors: Any) -> str:
    """The first few errors of a request, by the path of the field; never its content."""
    messages = [
        f"{'.'.join(str(part) for part in error['loc'] if part != 'body') or 'body'}: {error['msg']}"
        for error in errors
    ]
    more = f" (and {len(messages) - 3} more)" if len(messages) > 3 else ""
    return "; ".join(messages[:3]) + more + ". See /openapi.json for what is expected."


def install_handlers(app: FastAPI) -> None:
    """Turn every error into a problem+json response."""

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        return problem(422, validation_message(error.errors()))

    @app.exception_handler(EalmError)
    async def mistaken(_request: Request, error: EalmError) -> JSONResponse:
        return problem(422, as_fields(error))

    @app.exception_handler(QueueFull)
    async def full(_request: Request, error: QueueFull) -> JSONResponse:
        return queue_full(error)

    @app.exception_handler(Closed)
    async def closed(_request: Request, error: Closed) -> JSONResponse:
        return problem(503, str(error), {"Retry-After": "5"})

    @app.exception_handler(OverdueError)
    async def overdue(_request: Request, error: OverdueError) -> JSONResponse:
        return problem(504, str(error))

    @app.exception_handler(HTTPException)
    async def refused(_request: Request, error: HTTPException) -> JSONResponse:
        return problem(error.status_code, str(error.detail), dict(error.headers or {}))

    @app.exception_handler(Exception)
    async def unexpected(_request: Request, _error: Exception) -> JSONResponse:
        return problem(500, "Something went wrong here; the text was not kept. Please report what you did.")
