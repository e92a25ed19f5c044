"""Prometheus metrics: counts, durations and queue length; nothing from the texts."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from ealm.service.batch_queue import BatchReport

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Each app has its own registry, so that several apps can run in one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "ealm_requests_total",
            "Requests by route and status.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram("ealm_request_seconds", "Time to respond.", ["route"], registry=self.registry)
        self._texts = Counter("ealm_texts_total", "Texts summarized.", registry=self.registry)
        self._batch = Histogram(
            "ealm_batch_texts", "Texts in one batch.", buckets=[1, 2, 4, 8, 16, 32, 64, 128], registry=self.registry
        )
        self._batch_seconds = Histogram("ealm_batch_seconds", "Time for one batch.", registry=self.registry)
        self._queued = Gauge("ealm_queued_texts", "Texts that wait or are being summarized.", registry=self.registry)
        self._costly = Gauge("ealm_queued_cost", "Cost of costly requests in the queue.", registry=self.registry)

    def watch(self, texts: Callable[[], float], cost: Callable[[], float]) -> None:
        """Take the lengths of the queues from these functions."""
        self._queued.set_function(texts)
        self._costly.set_function(cost)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request has ended."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def batch(self, report: BatchReport) -> None:
        """A batch has ended."""
        self._texts.inc(report.texts)
        self._batch.observe(report.texts)
        self._batch_seconds.observe(report.seconds)

    def page(self) -> bytes:
        """The exposition in the text format of Prometheus."""
        return generate_latest(self.registry)
