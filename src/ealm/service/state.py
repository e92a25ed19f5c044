"""What lives as long as the app: the summarizer, its queues, and the rule that says which request goes where."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, NamedTuple

from fastapi import FastAPI

from ealm.common.errors import EalmError, TextError
from ealm.goal_agent.agent import GoalAgent
from ealm.service.batch_queue import BatchQueue
from ealm.service.comparison import FIRST_WORDS, STOP_WORDS, Comparison
from ealm.service.cost import request_cost
from ealm.service.costly_queue import CostlyQueue
from ealm.service.curves import curve_values
from ealm.service.limits import HeldBytes, ServiceLimits
from ealm.service.memory import FreeMemory
from ealm.service.metrics import Metrics
from ealm.service.schemas import CompareRequest, CurveRequest
from ealm.service.turns import Answer, Closed, Turns
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.result import Summary
from ealm.summarize.summarizer import Summarizer

_CURVE_WORDS = 400
"""A curve has a point for each word: longer texts are asked for one length at a time."""


class _Queues(NamedTuple):
    plain: BatchQueue
    streams: BatchQueue
    """Lines of streams: nobody waits for a single one, so plain requests go before them."""
    costly: CostlyQueue


class Service:
    """A summarizer that is loaded already, and what is needed to share it; alive only while its app is."""

    def __init__(self, summarizer: Summarizer, limits: ServiceLimits, compare: str | None = None) -> None:
        self.summarizer = summarizer
        self.comparison = Comparison(summarizer, compare)
        self.limits = limits
        self.held = HeldBytes(limits.body_bytes)
        self.metrics = Metrics()
        self._turns = Turns()
        self._queues: _Queues | None = None
        self._plans = isinstance(summarizer.agent, GoalAgent)

    @property
    def ready(self) -> bool:
        """Whether requests are taken."""
        return self._queues is not None

    def offers(self, options: SummarizeOptions) -> bool:
        """Whether the model can work that way."""
        try:
            self.summarizer.check(options)
        except EalmError:
            return False
        return True

    def cost(self, texts: Sequence[str], options: SummarizeOptions) -> float:
        """Raises if it is too much. Counting takes time itself: nobody should ask twice."""
        return request_cost(texts, options, plans=self._plans, limits=self.limits)

    def summarize(
        self, texts: Sequence[str], options: SummarizeOptions, *, cost: float, stream: bool = False
    ) -> Answer:
        """Queue texts by what they cost; raises `QueueFull` or `Closed`."""
        requests = [(text, options) for text in texts]
        queues = self._open_queues()
        if cost > self.limits.plain_cost:
            return queues.costly.submit(cost, partial(self.summarizer.together, requests))
        return (queues.streams if stream else queues.plain).submit(requests, cost)

    def curve(self, body: CurveRequest, push: Callable[[Summary], object] | None = None) -> Answer:
        """Queue a curve; its points are pushed when they are there, or come together. Raises as those above do."""
        words = len(body.text.split())
        if words > _CURVE_WORDS:
            raise TextError(
                f"A curve has a point for every length, and {words:,} words are too many ({_CURVE_WORDS}). "
                "Ask /v1/summarize for one length."
            )
        options = body.options()
        cost = request_cost([body.text], options, plans=self._plans, limits=self.limits, curve=True)
        points = self.summarizer.curve_with(body.text, options)
        return self._open_queues().costly.submit(cost, partial(_curve, points, push))

    def compare(self, body: CompareRequest) -> Answer:
        """Queue a text for another system; raises as `curve` does."""
        options, is_simple = SummarizeOptions(words=body.words), body.system in {FIRST_WORDS, STOP_WORDS}
        cost = request_cost([body.text], options, plans=is_simple, limits=self.limits)
        work = partial(self.comparison.summary, body.system, body.text, body.words)
        return self._open_queues().costly.submit(cost, work)

    def _open_queues(self) -> _Queues:
        if self._queues is None:
            raise Closed("The service is starting or shutting down.")
        return self._queues

    def end_soon(self) -> None:
        """Take no more requests, and drop what is not done within the time for closing."""
        self._queues = None
        self._turns.end_in(self.limits.closing_seconds)

    @asynccontextmanager
    async def living(self, _app: FastAPI) -> AsyncIterator[None]:
        """From start to end; what has begun is finished, if it is in time."""
        turns = self._turns = Turns(pause=FreeMemory().give_back)
        plain = BatchQueue(self.summarizer, self.limits, turns, report=self.metrics.batch)
        streams = BatchQueue(self.summarizer, self.limits, turns, plain=False, report=self.metrics.batch)
        queues = self._queues = _Queues(plain, streams, CostlyQueue(self.limits, turns))
        self.metrics.watch(lambda: plain.load + streams.load, lambda: queues.costly.load)
        yield
        self.end_soon()
        for queue in queues:
            await asyncio.to_thread(queue.close)


def _curve(points: Iterable[Summary], push: Callable[[Summary], object] | None) -> dict[str, Any] | None:
    if push is None:
        return curve_values(list(points))
    for point in points:
        push(point)
    return None
