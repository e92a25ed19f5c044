"""Encodings of the sentences that a replay buffer refers to."""

from collections.abc import Callable, Mapping, Sequence

from torch import Tensor

from ealm.paper.encodings import SourceEncoder
from ealm.paper.source import Source


class EncodingCache:
    """Encodings by visit, for as long as an experience of that visit is in the buffer."""

    def __init__(self, encoder: SourceEncoder, source: Callable[[int], Source], *, visits_at_once: int) -> None:
        """`source` gives the sentence of a visit; visits are encoded in batches of `visits_at_once`."""
        self._encoder = encoder
        self._source = source
        self._at_once = visits_at_once
        self._encodings: dict[int, Tensor] = {}

    @property
    def encodings(self) -> Mapping[int, Tensor]:
        """(words, width) by visit."""
        return self._encodings

    def encode(self, visits: Sequence[int]) -> list[Tensor]:
        """Encode the sentences of a collection and keep the encodings."""
        encodings = self._encoder([self._source(visit) for visit in visits])
        self._encodings.update(zip(visits, encodings, strict=True))
        return encodings

    def forget_before(self, oldest: int | None) -> None:
        """Drop what no experience refers to any more."""
        for visit in list(self._encodings):  # visits rise, so the first ones are the oldest
            if oldest is not None and visit >= oldest:
                break
            del self._encodings[visit]

    def encode_again(self, oldest: int | None, end: int) -> None:
        """Encodings of all visits from the oldest on, in the batches in which they were first encoded.

        The last bits of a float depend on the batch, and a resumed run must not differ even in those.
        """
        if oldest is None:
            return
        for start in range(oldest - oldest % self._at_once, end, self._at_once):
            self.encode(range(start, start + self._at_once))
        self.forget_before(oldest)
