"""Grouping rows of different lengths into padded batches of bounded size."""

from collections.abc import Iterator, Sequence


def rows_by_length(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Group row numbers so that rows of like length share a batch of at most `budget` padded tokens."""
    batch: list[int] = []
    for row in sorted(range(len(lengths)), key=lengths.__getitem__):
        # Rows come in rising length, so the newest one decides the padding.
        if batch and (len(batch) + 1) * lengths[row] > budget:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch
