"""The masked language model: whole words, and special tokens in their places."""

from typing import Any

import pytest
import torch
from tiny_models import NOT_WORDS, POSITIONS, WORDS, ids, tiny_bert, tiny_bert_model, tiny_roberta, tiny_tokenizer

from ealm.common.pieces import pieces_watched
from ealm.lm.cloze import Masked
from ealm.lm.masked_lm import TransformersMaskedLM


@pytest.fixture(scope="module")
def lm() -> TransformersMaskedLM:
    return tiny_bert(double=True)


@pytest.fixture(scope="module")
def roberta() -> TransformersMaskedLM:
    return tiny_roberta()


# Words --------------------------------------------------------------------------------------------------------------


def test_every_word_of_the_vocabulary_is_known_and_written_as_it_is(lm: TransformersMaskedLM) -> None:
    found = lm.word_ids(WORDS)
    assert lm.unknown_id not in found
    assert lm.words(found) == WORDS


@pytest.mark.parametrize(
    "word", ["zebra", "learnings", "[MASK]", "[SEP]", "##x", "##ing", "[unused1]", "[UNK]", "don't", ""]
)
def test_what_is_not_a_whole_word_of_the_vocabulary_is_unknown(lm: TransformersMaskedLM, word: str) -> None:
    assert lm.word_ids(["river", word, "stone"]) == (*ids(lm, "river"), lm.unknown_id, *ids(lm, "stone"))


@pytest.mark.parametrize(
    ("word", "known"), [("Machine", "machine"), ("MACHINE", "machine"), ("café", "cafe"), ("CAFÉ", "cafe"), ("#", "#")]
)
def test_case_and_accents_do_not_matter_to_an_uncased_model(lm: TransformersMaskedLM, word: str, known: str) -> None:
    assert lm.words(lm.word_ids([word])) == (known,)


def test_a_placeholder_that_the_tokenizer_gives_back_is_still_no_word() -> None:
    """Added to the tokenizer it is one token for its written form, as words are."""
    tokenizer = tiny_tokenizer()
    tokenizer.add_tokens(["[unused1]"])
    number = NOT_WORDS.index("[unused1]")
    assert tokenizer(" [unused1]", add_special_tokens=False)["input_ids"] == [number]
    lm = TransformersMaskedLM(tiny_bert_model(), tokenizer)
    assert lm.word_ids(["[unused1]"]) == (lm.unknown_id,)
    assert lm.predict([Masked((), (None,))])[0, number] == -torch.inf


def test_a_word_asked_for_twice_has_the_same_id(lm: TransformersMaskedLM) -> None:
    assert lm.word_ids(["river", "river", "zebra"]) == lm.word_ids(["river", "river", "zebra"])
    assert lm.word_ids([]) == ()


def test_remembered_words_may_be_forgotten_but_never_while_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long corpus has more different words than are remembered."""
    expected = tiny_bert().word_ids(["river", "engine"])
    monkeypatch.setattr("ealm.lm.masked_lm._KNOWN_WORDS_REMEMBERED", 2)
    lm = tiny_bert()
    lm.word_ids(["river", "stone", "garden"])
    assert lm.word_ids(["river", "engine"]) == expected


# Encodings and predictions ------------------------------------------------------------------------------------------


def whole_model(lm: TransformersMaskedLM, tokens: list[int], segments: list[int]) -> Any:
    """The model as `transformers` runs it, on one row without padding."""
    with torch.no_grad():
        return lm.model(
            input_ids=torch.tensor([tokens]), token_type_ids=torch.tensor([segments]), output_hidden_states=True
        )


def special(lm: TransformersMaskedLM, *names: str) -> list[int]:
    """Ids of the tokens at the edges."""
    return [NOT_WORDS.index(name) for name in names]


def test_encodings_are_the_last_layer_between_the_special_tokens(lm: TransformersMaskedLM) -> None:
    sentence = ids(lm, "the river rises .")
    start, end = special(lm, "[CLS]", "[SEP]")
    expected = whole_model(lm, [start, *sentence, end], [0] * 6).hidden_states[-1][0, 1:-1]
    (found,) = lm.encode([sentence])
    assert found.shape == (4, lm.width)
    torch.testing.assert_close(found, expected)


def test_a_question_without_context_is_one_segment(lm: TransformersMaskedLM) -> None:
    river, stone = ids(lm, "river stone")
    start, end, mask = special(lm, "[CLS]", "[SEP]", "[MASK]")
    logits = whole_model(lm, [start, river, mask, stone, mask, end], [0] * 6).logits[0]
    found = lm.predict([Masked((), (river, None, stone, None))])
    known = list(lm.word_ids(WORDS))
    torch.testing.assert_close(found[:, known], logits[[2, 4]][:, known])


def test_a_question_with_context_is_two_segments(lm: TransformersMaskedLM) -> None:
    river, stone, red = ids(lm, "river stone red")
    start, end, mask = special(lm, "[CLS]", "[SEP]", "[MASK]")
    logits = whole_model(lm, [start, river, stone, end, mask, red, end], [0] * 4 + [1] * 3).logits[0]
    found = lm.predict([Masked((river, stone), (None, red))])
    known = list(lm.word_ids(WORDS))
    torch.testing.assert_close(found[:, known], logits[[4]][:, known])


def test_a_joined_question_has_nothing_between_context_and_template(lm: TransformersMaskedLM) -> None:
    river, stone, red = ids(lm, "river stone red")
    start, end, mask = special(lm, "[CLS]", "[SEP]", "[MASK]")
    logits = whole_model(lm, [start, river, stone, mask, red, end], [0] * 6).logits[0]
    found = lm.predict([Masked((river, stone), (None, red), joined=True)])
    known = list(lm.word_ids(WORDS))
    torch.testing.assert_close(found[:, known], logits[[3]][:, known])


def test_only_words_are_ever_predicted(lm: TransformersMaskedLM) -> None:
    scores = lm.predict([Masked(ids(lm, "old bridge"), (None, None))])
    assert scores.shape == (2, len(NOT_WORDS) + len(WORDS))
    assert bool((scores[:, : len(NOT_WORDS)] == -torch.inf).all())
    assert bool(scores[:, len(NOT_WORDS) :].isfinite().all())


def questions(lm: TransformersMaskedLM) -> list[Masked[int]]:
    """With and without context, short and long, with one hole and several."""
    river, stone, red = ids(lm, "river stone red")
    return [
        Masked((), (None,)),
        Masked((river, stone, red), (None, stone, None)),
        Masked((red,), (None,)),
        Masked((), (river, None, red, None, None)),
        Masked((lm.unknown_id, river), (lm.unknown_id, None)),
    ]


def test_a_question_is_answered_the_same_alone_in_company_and_in_any_order(lm: TransformersMaskedLM) -> None:
    asked = questions(lm)
    alone = [lm.predict([question]) for question in asked]
    torch.testing.assert_close(lm.predict(asked), torch.cat(alone))
    torch.testing.assert_close(lm.predict(asked[::-1]), torch.cat(alone[::-1]))


def test_many_holes_are_scored_in_small_pieces_if_others_may_wait(
    lm: TransformersMaskedLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    head = lm._head

    def note(states: torch.Tensor) -> torch.Tensor:
        sizes.append(len(states))
        scores: torch.Tensor = head(states)
        return scores

    monkeypatch.setattr(lm, "_head", note)
    asked = [Masked((), (None,) * 5)] * 30
    whole = lm.predict(asked)
    assert sizes == [150]
    pieces: list[int] = []
    with pieces_watched(lambda: pieces.append(len(sizes))):
        cut = lm.predict(asked)
    assert sizes[1:] == [64, 64, 22]
    assert {1, 2, 3, 4} <= set(pieces)
    torch.testing.assert_close(cut, whole)


def test_a_sentence_is_encoded_the_same_alone_in_company_and_in_any_order() -> None:
    lm = tiny_bert(double=True)
    sentences = [ids(lm, text) for text in ("river", "the old bridge falls .", "red stone", "zebra", "a b c d e")]
    alone = [lm.encode([sentence])[0] for sentence in sentences]
    for budget in (4_096, 12, 1):
        lm.token_budget = budget
        for found, expected in zip(lm.encode(sentences), alone, strict=True):
            torch.testing.assert_close(found, expected)
        for found, expected in zip(lm.encode(sentences[::-1]), alone[::-1], strict=True):
            torch.testing.assert_close(found, expected)


def test_no_sentences_and_empty_sentences_have_no_encodings(lm: TransformersMaskedLM) -> None:
    assert lm.encode([]) == []
    assert lm.encode([()])[0].shape == (0, lm.width)


def test_a_question_without_a_hole_has_no_answer(lm: TransformersMaskedLM) -> None:
    assert lm.predict([Masked((), ids(lm, "river"))]).shape == (0, len(NOT_WORDS) + len(WORDS))


@pytest.mark.parametrize("build", [tiny_bert, tiny_roberta])
def test_the_longest_sentence_fits_with_a_context_as_long_and_one_word_more_does_not(build: Any) -> None:
    lm = build()
    word = ids(lm, "river")[0]
    lm.predict([Masked((word,) * lm.max_words, (None,) * lm.max_words)])
    overhead = 3 if build is tiny_bert else 4
    assert 2 * lm.max_words + overhead <= POSITIONS < 2 * (lm.max_words + 1) + overhead


# Another family of models -------------------------------------------------------------------------------------------


def test_a_roberta_knows_whole_words_only(roberta: TransformersMaskedLM) -> None:
    known = roberta.word_ids(["river", "village", "the"])
    assert roberta.unknown_id not in known
    assert roberta.words(known) == ("river", "village", "the")
    assert set(roberta.word_ids(["zebra", "<mask>", "riverbridge", "<s>"])) == {roberta.unknown_id}


def test_a_roberta_answers_as_transformers_does(roberta: TransformersMaskedLM) -> None:
    river, the = roberta.word_ids(["river", "the"])
    start, mask, end = 0, 4, 2
    with torch.no_grad():
        logits = roberta.model(torch.tensor([[start, river, end, end, the, mask, end]])).logits[0, 5]
    found = roberta.predict([Masked((river,), (the, None)), Masked((), (None, river, the, river, the))])[0]
    allowed = found.isfinite()
    torch.testing.assert_close(found[allowed], logits[allowed], rtol=1e-4, atol=1e-4)


def test_a_roberta_never_predicts_pieces_or_special_tokens(roberta: TransformersMaskedLM) -> None:
    (scores,) = roberta.predict([Masked((), (None,))])
    predictable = scores.isfinite().nonzero()[:, 0].tolist()
    assert predictable
    for number in predictable:
        (word,) = roberta.words([number])
        assert roberta.word_ids([word]) == (number,)


def test_white_space_is_not_a_word(roberta: TransformersMaskedLM) -> None:
    """Byte-level vocabularies hold the bare space, which would leave a hole in a summary."""
    (scores,) = roberta.predict([Masked((), (None,))])
    assert all(roberta.words(scores.isfinite().nonzero()[:, 0].tolist()))


def test_the_longest_sentence_fits_even_if_the_tokenizer_gives_no_limit() -> None:
    """RoBERTa counts positions from 2, so two of its position embeddings are never used."""
    lm = tiny_roberta(model_max_length=None)
    word = ids(lm, "river")[0]
    lm.predict([Masked((word,) * lm.max_words, (None,) * lm.max_words)])
