"""The summarizer over batches of rows, for Ray Data and Spark (docs/scale.md); lives in `ealm.batch.dataframes`."""

from ealm.batch.dataframes import BatchSummarizer

__all__ = ["BatchSummarizer"]
