"""Workers that summarize chunks of rows, with results in the order of the chunks."""

from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing

from ealm.batch.chunks import Chunk, RowResult
from ealm.batch.model_recipe import Recipe
from ealm.common.process_pool import ProcessPool
from ealm.common.worker_pool import RETRIES, LostJobError, Pool

LOST = RowResult(error=f"the process that worked on these rows died {RETRIES + 1} times")
"""For each row of a chunk that is given up."""

CHUNKS_PER_WORKER = 4
"""Read but not yet written, at most; more would only wait in memory."""

OpenPool = Callable[[Recipe], Pool]
"""Starts workers."""

Summarized = Generator[tuple[Chunk, list[RowResult]], None, None]
"""Chunks in order, with a result for each row."""


def summarized(chunks: Iterator[Chunk], recipe: Recipe, *, workers: int, open_pool: OpenPool | None) -> Summarized:
    """Summarize in this process (one worker), in so many processes, or in the workers that `open_pool` starts."""
    if open_pool is None and workers == 1:
        summarize = recipe.load(None)
        for chunk in chunks:
            yield chunk, chunk.row_results(summarize(chunk.texts()))
        return
    with closing(open_pool(recipe) if open_pool is not None else ProcessPool(recipe, workers)) as pool:
        waiting: deque[Chunk] = deque()
        for chunk in chunks:
            waiting.append(chunk)
            pool.submit(chunk.texts())
            yield from _finished(waiting, pool, fewer_than=CHUNKS_PER_WORKER * pool.size)
        yield from _finished(waiting, pool, fewer_than=0)


def _finished(waiting: deque[Chunk], pool: Pool, *, fewer_than: int) -> Summarized:
    """Pass on what is done, and wait until fewer than so many chunks are unfinished."""
    while waiting and (len(waiting) >= fewer_than or pool.has_result()):
        chunk = waiting.popleft()
        yield chunk, _results(chunk, pool)


def _results(chunk: Chunk, pool: Pool) -> list[RowResult]:
    try:
        return chunk.row_results(pool.result())
    except LostJobError:
        return chunk.row_results([LOST] * len(chunk.texts()))
