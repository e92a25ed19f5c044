"""Several processes that shorten chunks of rows. Results come in order, and a process that dies is replaced."""

from collections import deque
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from typing import Protocol

from ealm.batch.chunks import Answer, Chunk
from ealm.batch.model_recipe import Recipe
from ealm.common.errors import BatchError, EalmError
from ealm.common.process_pool import RETRIES, LostJobError, ProcessPool

LOST = Answer(error=f"the process that worked on these rows died {RETRIES + 1} times")
"""For each row of a chunk that is given up."""

CHUNKS_PER_WORKER = 4
"""Read but not yet written, at most; more would only wait in memory."""


class Cluster(Protocol):
    """Other machines that shorten chunks."""

    def answered(self, chunks: Iterator[Chunk], recipe: Recipe) -> Generator[tuple[Chunk, list[Answer]], None, None]:
        """Chunks in order, with an answer for each row."""


def answered(
    chunks: Iterator[Chunk], recipe: Recipe, *, workers: int
) -> Generator[tuple[Chunk, list[Answer]], None, None]:
    """Chunks in order, with an answer for each row; one worker is this process."""
    if workers == 1:
        answer = recipe.load(None)
        for chunk in chunks:
            yield chunk, chunk.answers(answer(chunk.texts()))
        return
    with closing(ProcessPool(recipe, workers)) as pool:
        waiting: deque[Chunk] = deque()
        for chunk in chunks:
            waiting.append(chunk)
            with _batch_errors():
                pool.submit(chunk.texts())
            yield from _finished(waiting, pool, fewer_than=CHUNKS_PER_WORKER * workers)
        yield from _finished(waiting, pool, fewer_than=0)


def _finished(
    waiting: deque[Chunk], pool: ProcessPool, *, fewer_than: int
) -> Generator[tuple[Chunk, list[Answer]], None, None]:
    """Pass on what is done, and wait until fewer than so many chunks are on their way."""
    while waiting:
        with _batch_errors():
            if len(waiting) < fewer_than and not pool.has_result():
                return
            chunk = waiting.popleft()
            answers = _answers(chunk, pool)
        yield chunk, answers


def _answers(chunk: Chunk, pool: ProcessPool) -> list[Answer]:
    try:
        return chunk.answers(pool.result())
    except LostJobError:
        return chunk.answers([LOST] * len(chunk.texts()))


@contextmanager
def _batch_errors() -> Iterator[None]:
    """What a worker could not load ends the job."""
    try:
        yield
    except (EalmError, OSError) as error:
        raise BatchError(str(error)) from error
