"""Section 4.2 and 4.3.2: what actions make of a sentence, before any language model is asked."""

import dataclasses

import pytest

from ealm.lm.cloze import Masked
from ealm.paper.edits import (
    Action,
    check_lengths,
    compression_question,
    reconstruction_question,
    skeleton,
    summary_length,
)

KEEP, REMOVE, REPLACE = Action.KEEP, Action.REMOVE, Action.REPLACE
SENTENCE = tuple("Machine learning is not perfect .".split())
FIGURE = (REPLACE, REMOVE, KEEP, REMOVE, REPLACE, KEEP)
"""The figure's example: the summary template is «[MASK] is [MASK] .»."""


def test_there_are_exactly_three_actions_numbered_as_saved_models_number_them() -> None:
    assert [(action.name, int(action)) for action in Action] == [("REMOVE", 0), ("KEEP", 1), ("REPLACE", 2)]


def test_the_skeleton_holds_kept_words_and_nothing_else() -> None:
    assert skeleton(SENTENCE, FIGURE) == (None, None, "is", None, None, ".")


def test_the_figures_example_is_asked_with_the_source_before_the_template() -> None:
    question = compression_question(SENTENCE, FIGURE)
    assert question.context == SENTENCE
    assert ["[MASK]" if word is None else word for word in question.template] == ["[MASK]", "is", "[MASK]", "."]
    assert question.holes == (0, 2)


def test_the_figures_example_is_rebuilt_with_the_summary_before_the_skeleton() -> None:
    summary = ("AI", "is", "imperfect", ".")
    question = reconstruction_question(SENTENCE, FIGURE, summary)
    assert question == Masked(summary, (None, None, "is", None, None, "."))
    assert question.holes == (0, 1, 3, 4)


def test_all_keep_leaves_the_source_and_no_hole() -> None:
    actions = [KEEP] * len(SENTENCE)
    assert compression_question(SENTENCE, actions) == Masked(SENTENCE, SENTENCE)
    assert reconstruction_question(SENTENCE, actions, SENTENCE).holes == ()


def test_all_remove_leaves_nothing_and_asks_for_every_word() -> None:
    actions = [REMOVE] * len(SENTENCE)
    assert compression_question(SENTENCE, actions).template == ()
    assert reconstruction_question(SENTENCE, actions, ()) == Masked((), (None,) * len(SENTENCE))


def test_all_replace_asks_for_every_word_twice() -> None:
    actions = [REPLACE] * len(SENTENCE)
    assert compression_question(SENTENCE, actions).template == (None,) * len(SENTENCE)
    assert skeleton(SENTENCE, actions) == (None,) * len(SENTENCE)


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ((), 0),
        ((KEEP,), 1),
        ((REMOVE,), 0),
        ((REPLACE,), 1),
        (FIGURE, 4),
        ((REMOVE, REMOVE, KEEP, REPLACE), 2),
    ],
)
def test_only_removed_words_shorten_the_summary(actions: tuple[Action, ...], expected: int) -> None:
    assert summary_length(actions) == expected
    assert len(compression_question(tuple(range(len(actions))), actions).template) == expected


@pytest.mark.parametrize("count", [0, 5, 7])
def test_a_wrong_number_of_actions_raises_and_says_both_numbers(count: int) -> None:
    actions = [KEEP] * count
    for attempt in (skeleton, compression_question, check_lengths):
        with pytest.raises(ValueError, match=f"each of 6 words, got {count}"):
            attempt(SENTENCE, actions)
    with pytest.raises(ValueError, match=f"each of 6 words, got {count}"):
        reconstruction_question(SENTENCE, actions, SENTENCE)


def test_the_length_of_a_question_counts_context_and_template() -> None:
    assert len(Masked((1, 2, 3), (None, 4))) == 5
    assert len(Masked((), (None,))) == 1


def test_a_question_cannot_be_changed_after_it_was_made() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Masked((1,), (None,)).context = (2,)  # type: ignore[misc]
