"""Encodings by the sentence encoder: every word gets one, whatever it is written like."""

import pytest
import torch
from fakes import TableMaskedLM
from torch import Tensor

from ealm.common.config import PAPER, READER
from ealm.lm import bundled as embedded
from ealm.lm.bert import LightTokenizer
from ealm.lm.int8_weights import read_compact
from ealm.lm.word_encoder import WordEncoder
from ealm.paper.encodings import LanguageModelEncoder, SentenceModelEncoder, source_encoder
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.source import Source

SENTENCE = "the old bridge at halvorsund was closed on monday".split()


@pytest.fixture(scope="module")
def encoder() -> WordEncoder:
    return WordEncoder.load()


def library_states(words: list[str]) -> tuple[Tensor, list[int | None]]:
    """States of all tokens by `transformers`, and the word that each belongs to."""
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    folder = embedded.encoder_folder()
    model = BertModel(BertConfig.from_pretrained(folder), add_pooling_layer=False).eval()
    model.load_state_dict(read_compact(folder), strict=True)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=LightTokenizer.read(folder / "tokenizer.json").backend_tokenizer
    )
    tokens = tokenizer([words], is_split_into_words=True, return_tensors="pt")
    with torch.no_grad():
        states: Tensor = model(tokens["input_ids"]).last_hidden_state[0]
    return states, tokens.word_ids(0)


def test_an_encoding_is_the_mean_of_the_pieces_and_their_share_of_the_whole(encoder: WordEncoder) -> None:
    states, owners = library_states(SENTENCE)
    direction = torch.nn.functional.normalize(states.mean(dim=0), dim=0)
    (found,) = encoder.encode([SENTENCE])
    assert found.shape == (len(SENTENCE), encoder.width)
    for place in range(len(SENTENCE)):
        own = states[[number for number, owner in enumerate(owners) if owner == place]]
        assert torch.allclose(found[place, :-3], 3 * own.mean(dim=0), atol=1e-3)
        expected = [0.5 * float(own.mean(dim=0) @ direction), 0.5 * float(own.sum(dim=0) @ direction), len(own)]
        assert found[place, -3:].tolist() == pytest.approx(expected, abs=1e-3)
    assert found[4, -1] > 1  # a name that no vocabulary has


def test_sentences_do_not_depend_on_their_company(encoder: WordEncoder) -> None:
    alone = encoder.encode([SENTENCE])[0]
    together = encoder.encode([["rain"], SENTENCE, ["word"] * 90])
    assert torch.allclose(together[1], alone, atol=1e-4)
    assert [len(rows) for rows in together] == [1, len(SENTENCE), 90]


def test_a_sentence_beyond_the_encoders_reach_is_encoded_in_parts(encoder: WordEncoder) -> None:
    words = [f"word{number}" for number in range(400)]
    (found,) = encoder.encode([words])
    assert found.shape == (400, encoder.width)
    assert found.isfinite().all()
    (beginning,) = encoder.encode([words[:40]])
    assert not torch.allclose(found[:40], beginning, atol=1e-2)  # more of it was seen


@pytest.mark.parametrize("odd", ["\u200b", "\x00", "x" * 20_000, "🎉", "日本語", "\u202eabc", "https://" + "a/" * 900])
def test_every_word_has_an_encoding_whatever_it_is(encoder: WordEncoder, odd: str) -> None:
    (found,) = encoder.encode([["river", odd, "rises"]])
    assert found.shape == (3, encoder.width)
    assert found.isfinite().all()


def test_no_sentence_and_a_sentence_without_words(encoder: WordEncoder) -> None:
    assert encoder.encode([]) == []
    assert encoder.encode([[]])[0].shape == (0, encoder.width)


def test_an_agent_sees_by_the_model_that_its_settings_name(encoder: WordEncoder) -> None:
    lm = TableMaskedLM({}, ["river", "rises"])
    source = Source.prepare(["river", "rises"], lm, IgnoredWords(PAPER.ignored_words))
    by_words, by_meaning = source_encoder(PAPER, lm), source_encoder(READER, lm)
    assert isinstance(by_words, LanguageModelEncoder)
    assert isinstance(by_meaning, SentenceModelEncoder)
    assert torch.equal(by_words([source])[0], lm.encode([source.ids])[0])
    assert torch.allclose(by_meaning([source])[0], encoder.encode([source.words])[0])
    assert (by_words.width, by_meaning.width) == (lm.width, encoder.width)


def test_all_layers_come_from_the_same_forward_pass(encoder: WordEncoder) -> None:
    (found,) = encoder.encode_layers([SENTENCE])
    (alone,) = encoder.encode([SENTENCE])
    assert torch.equal(found.encodings, alone)
    width = encoder.width - 3
    assert found.layers.shape == (len(SENTENCE), 7 * width)
    assert torch.allclose(3 * found.layers[:, -width:], alone[:, :width], atol=1e-5)
    again = encoder.encode_layers([SENTENCE[::-1]])[0].layers
    first = found.layers[:, :width]  # embeddings: they know the word and its position, not its neighbours
    assert not torch.allclose(again.flip(0)[:, -width:], found.layers[:, -width:], atol=1e-2)
    assert torch.allclose(again[4, :width].norm(), first[4].norm(), rtol=1e-3)


def test_layers_of_a_long_sentence_and_of_no_words(encoder: WordEncoder) -> None:
    long, empty = encoder.encode_layers([["word"] * 400, []])
    assert (len(long.layers), len(long.encodings)) == (400, 400)
    assert empty.layers.shape == (0, long.layers.shape[1])
