"""Chunks on their way to the actors of a cluster and back, and how those fare."""

import asyncio

from ealm.common.ray_cluster import Register

NOTHING = "[]"
"""Texts of a chunk that is gone, as JSON."""


class Shelf(Register):
    """An actor that outlives the others: what one of them had when it died is still here."""

    def __init__(self, workers: int) -> None:
        """`workers`: that may be starting at the same time."""
        super().__init__(workers)
        self._texts: dict[int, str] = {}
        self._answers: dict[int, str] = {}
        self._put = self._taken = 0
        self._closed = False
        self._changed = asyncio.Condition()

    async def put(self, texts: str) -> None:
        """The next chunk."""
        async with self._changed:
            self._texts[self._put] = texts
            self._put += 1
            self._changed.notify_all()

    async def close(self) -> None:
        """There are no more."""
        async with self._changed:
            self._closed = True
            self._changed.notify_all()

    async def count(self, more_than: int) -> int:
        """How many chunks were put so far, as soon as they are more than so many or no more will come."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._closed or self._put > more_than)
        return self._put

    async def begin(self, number: int) -> tuple[str, int]:
        """The texts of a chunk, and how often it was begun, this time included; one with its answers taken is empty."""
        return self._texts.get(number, NOTHING), await self.attempts(number)

    async def finish(self, number: int, answers: str) -> None:
        """What became of a chunk; one that was worked on twice counts once."""
        if number >= self._taken:
            self._answers[number] = answers

    async def take(self) -> str:
        """The answers to the first chunk that is still here; it is gone then."""
        number = self._taken
        self._taken += 1
        self._texts.pop(number, None)
        await self.forget(number)
        return self._answers.pop(number)
