"""The summarizer as a callable class over batches of rows: for Ray Data's `map_batches`, for Spark, for any pipeline.

Needs neither Ray nor Spark; `docs/scale.md` shows it in both.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ealm.batch.chunks import CHUNK_CHARACTERS, CHUNK_ROWS, Chunk, RowResult, cut_into_chunks
from ealm.batch.model_recipe import ModelRecipe
from ealm.batch.readers import Row, usable_text
from ealm.common.config import AUTO
from ealm.common.errors import BatchError
from ealm.lm import bundled as embedded
from ealm.summarize.options import SummarizeOptions


class BatchSummarizer:
    """Batches in, the same batches with two columns more out: the summary, and for a bad row why it has none.

    The model is loaded when the object is made, in Ray Data once for each actor.
    """

    def __init__(
        self,
        *,
        column: str = "text",
        output_column: str = "summary",
        error_column: str = "error",
        model: str = embedded.NAME,
        lm: str | None = None,
        device: str = "cpu",
        engine: str = AUTO,
        grammar: str = "embedded",
        threads: int | None = None,
        words: int | None = None,
        chars: int | None = None,
        bytes: int | None = None,  # noqa: A002 - the unit
        tokens: int | None = None,
        ratio: float | None = None,
        whole_sentences: bool = False,
        keep: str | Iterable[str] = (),
        protect: str | Iterable[str] | None = None,
        extractive: bool = False,
        reword: bool = False,
        pretokenized: bool = False,
        markup: str = "text",
        tokenizer: str = embedded.NAME,
        style: str | None = None,
        effort: str | None = None,
        nested: bool = True,
        decoding: str | None = None,
        recoverability: bool = False,
        reconstruction: bool = False,
        trace: bool = False,
    ) -> None:
        """`model` to `grammar` as for `Summarizer`; options from `words` on as for its `summarize`.

        `threads`: how many to compute in; None leaves that as it is.
        """
        if len({column, output_column, error_column}) < 3:
            raise BatchError(f"Columns need different names, got: {column}, {output_column}, {error_column}.")
        options = SummarizeOptions.of(locals())  # a mistake is raised before anything is loaded
        self._column = column
        self._output_column = output_column
        self._error_column = error_column
        recipe = ModelRecipe(model=model, lm=lm, device=device, engine=engine, grammar=grammar, options=options)
        self._answering = recipe.load(threads)

    def __call__(self, batch: Any) -> Any:
        """`batch`: a dictionary of arrays, a pandas data frame or a pyarrow table; the answer is of the same kind.

        Summaries and errors are strings or None, one of them in every row.
        """
        self._check_columns(list(_columns(batch)))
        answers = self._answers(_values(batch[self._column]))
        summaries = [answer.summary if answer.error is None else None for answer in answers]
        errors = [answer.error for answer in answers]
        return _with_columns(batch, {self._output_column: summaries, self._error_column: errors})

    def _check_columns(self, columns: Sequence[str]) -> None:
        if self._column not in columns:
            raise BatchError(f"The batch has no column {self._column!r}. Name one with column=: {', '.join(columns)}")
        for name in (self._output_column, self._error_column):
            if name in columns:
                raise BatchError(
                    f"The batch has a column {name!r} already. Give another name with output_column= or error_column=."
                )

    def _answers(self, values: Sequence[Any]) -> list[RowResult]:
        """However large a batch is, no more rows are worked on together than in a job over a file."""
        rows = [
            Row(number, *usable_text({self._column: value}, self._column), None)
            for number, value in enumerate(values, start=1)
        ]
        answers: list[RowResult] = []
        for part in cut_into_chunks(rows, max_rows=CHUNK_ROWS, max_characters=CHUNK_CHARACTERS):
            chunk = Chunk(part, (0, None))
            answers += chunk.row_results(self._answering(chunk.texts()))
        return answers


def _is_arrow(batch: Any) -> bool:
    return hasattr(batch, "append_column")


def _columns(batch: Any) -> Sequence[str]:
    """Names of a batch of any kind."""
    names: Sequence[str] = batch.column_names if _is_arrow(batch) else list(batch.keys())
    return names


def _values(column: Any) -> list[Any]:
    """Python's own values; what pandas and numpy have for a missing one is None."""
    if hasattr(column, "to_pylist"):
        return list(column.to_pylist())
    if hasattr(column, "isna"):
        return [None if missing else value for value, missing in zip(column, column.isna(), strict=True)]
    values = column.tolist() if isinstance(column, np.ndarray) else list(column)
    return [None if isinstance(value, float) and value != value else value for value in values]


def _with_columns(batch: Any, new: dict[str, list[str | None]]) -> Any:
    """A batch of the same kind with more columns; the given one stays as it is."""
    if _is_arrow(batch):
        import pyarrow as pa

        for name, values in new.items():
            batch = batch.append_column(name, pa.array(values, pa.string()))
        return batch
    arrays = {name: np.array(values, dtype=object) for name, values in new.items()}
    return {**batch, **arrays} if isinstance(batch, dict) else batch.assign(**arrays)
