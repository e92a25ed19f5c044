"""Grouping rows of different lengths into padded batches of bounded size."""

from collections.abc import Iterator, Sequence

from ealm.common.pieces import between_pieces

BUSY_TOKENS = 256
"""Tokens that keep a processor core busy: larger batches are no faster, so from here on padding is what counts."""
_MOST_PADDING = 0.1


def rows_by_length(lengths: Sequence[int], budget: int, *, enough: int | None = None) -> Iterator[list[int]]:
    """Group row numbers so that rows of like length share a batch of at most `budget` padded tokens.

    A batch with `enough` tokens takes no longer row that would pad it by more than a tenth. Each batch is a piece of
    work: before it, others may be served.
    """
    batch: list[int] = []
    tokens = 0
    for row in sorted(range(len(lengths)), key=lengths.__getitem__):
        # Rows come in rising length, so the newest one decides the padding.
        padded = (len(batch) + 1) * lengths[row]
        wasteful = enough is not None and tokens >= enough and padded > (1 + _MOST_PADDING) * (tokens + lengths[row])
        if batch and (padded > budget or wasteful):
            between_pieces()
            yield batch
            batch, tokens = [], 0
        batch.append(row)
        tokens += lengths[row]
    if batch:
        between_pieces()
        yield batch
