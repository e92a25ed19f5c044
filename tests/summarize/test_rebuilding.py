"""What is shown of a reconstruction: nothing twice that the source says once."""

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor

from ealm.lm.cloze import Masked
from ealm.paper.converter import Conversion, Converter
from ealm.paper.edits import Action
from ealm.summarize.rebuilding import readable

K, D = Action.KEEP, Action.REMOVE


class Repeating:
    """A language model of the words 0 to 9 that would say 3 everywhere, and else 5, 4, ..."""

    unknown_id = 9
    _scores = torch.tensor([0.0, 0.1, 0.2, 1.0, 0.4, 0.5, 0.0, 0.0, 0.0, 0.0])

    def words(self, ids: Sequence[int]) -> tuple[str, ...]:
        return tuple(f"word{'abcdefghij'[number]}" if number else "the" for number in ids)

    def predict(self, questions: Sequence[Masked[int]]) -> Tensor:
        return self._scores.repeat(sum(len(question.holes) for question in questions), 1)


@pytest.mark.parametrize(
    ("source", "actions", "expected"),
    [
        ((1, 2, 6, 7, 8), (K, D, D, D, K), (1, 3, 5, 4, 8)),
        ((1, 2, 3, 8), (K, D, K, K), (1, 5, 3, 8)),  # a kept word stays, the guess beside it is another
        ((3, 2, 3, 8), (K, D, K, K), (3, 5, 3, 8)),
        ((1, 2, 2, 8), (K, D, D, K), (1, 3, 3, 8)),  # the source says one word twice, too
        ((1, 2, 8), (K, D, K), (1, 3, 8)),
        ((1, 8), (K, K), (1, 8)),
    ],
)
def test_no_word_is_guessed_twice_in_a_row(
    source: tuple[int, ...], actions: tuple[Action, ...], expected: tuple[int, ...]
) -> None:
    lm = Repeating()
    conversion = Conversion(source, actions)
    Converter(lm).finish([conversion])  # type: ignore[arg-type]
    ranks = list(conversion.source_ranks)
    assert readable(conversion, lm) == expected  # type: ignore[arg-type]
    assert conversion.source_ranks == ranks
