"""Where fitting starts: a BERT from a folder, its vocabulary with room for new words, and a folder as it is written."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tiny_models import (
    NOT_WORDS,
    PIECES,
    POSITIONS,
    SPECIAL_TOKENS,
    WORDS,
    save_tiny_bert,
    tiny_bert_model,
    tiny_tokenizer,
)

from ealm.common.errors import LanguageModelError
from ealm.lm import bundled as embedded
from ealm.lm.adapt.corpus import LmCorpus
from ealm.lm.adapt.start import BARE_ENCODER, StartingPoint, stored_weights, write_description, write_weights
from ealm.lm.int8_weights import read_compact, write_compact
from ealm.lm.masked_lm import TransformersMaskedLM
from tools.bundle_weights import bundle_encoder

ROOMY = ("[unused2]", "[unused3]", *WORDS)
"""Words of a vocabulary with three unused places: ids 5, 9 and 10."""


@pytest.fixture(scope="module")
def roomy_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_bert(tmp_path_factory.mktemp("roomy") / "lm", words=ROOMY)


@pytest.fixture
def start(roomy_folder: Path) -> StartingPoint:
    return StartingPoint.load(str(roomy_folder))


def save_with_vocabulary(folder: Path, vocabulary: tuple[str, ...], **settings: Any) -> Path:
    """A tiny BERT with a tokenizer of one's own."""
    from transformers import BertTokenizerFast

    words = {token: number for number, token in enumerate(vocabulary)}
    tiny_bert_model(words=("",) * (len(vocabulary) - len(NOT_WORDS))).save_pretrained(folder)
    BertTokenizerFast(vocab=words, model_max_length=POSITIONS, **settings).save_pretrained(folder)
    return folder


def write_folder(folder: Path, start: StartingPoint) -> Path:
    folder.mkdir(exist_ok=True)
    write_description(folder, start)
    write_weights(folder, start.model.state_dict())
    return folder


# Loading --------------------------------------------------------------------------------------------------------------


def test_a_folder_is_loaded_as_it_is(start: StartingPoint, roomy_folder: Path) -> None:
    assert not start.new_head
    weights = load_file(roomy_folder / "model.safetensors")
    loaded = start.model.state_dict()
    assert all(torch.equal(loaded[name], weights[name]) for name in weights)
    assert start.tokenizer_json["model"]["vocab"] == start.tokenizer.get_vocab()
    assert start.room == 3


def test_known_words_are_the_whole_words_of_the_vocabulary(start: StartingPoint) -> None:
    known = start.known_words()
    assert set(known) == set(WORDS)
    lm = TransformersMaskedLM(start.model, start.tokenizer)
    assert lm.word_ids(list(known)) == tuple(known.values())


def test_masking_tokens_are_those_of_the_tokenizer(start: StartingPoint) -> None:
    shapes = np.arange(9, dtype=np.int32)
    tokens = start.masking_tokens([20, 21], shapes)
    vocabulary = start.tokenizer_json["model"]["vocab"]
    found = (tokens.padding, tokens.unknown, tokens.start, tokens.separator, tokens.mask)
    assert found == tuple(vocabulary[token] for token in SPECIAL_TOKENS)
    assert tokens.random_words.tolist() == [20, 21]
    assert tokens.shapes is shapes


@pytest.mark.parametrize(("word", "plain"), [("River", "river"), ("CAFÉ", "cafe"), ("corp.", "corp."), ("’s", "’s")])
def test_words_are_written_as_the_vocabulary_has_them(start: StartingPoint, word: str, plain: str) -> None:
    assert start.normalize(word) == plain


def test_a_cased_vocabulary_keeps_its_case(tmp_path: Path) -> None:
    folder = save_with_vocabulary(tmp_path / "lm", (*NOT_WORDS, *WORDS, "River"), do_lower_case=False)
    start = StartingPoint.load(str(folder))
    assert start.normalize("River") == "River"
    known = start.known_words()
    assert known["River"] != known["river"]


def test_an_ideograph_is_a_known_word_like_others(tmp_path: Path) -> None:
    start = StartingPoint.load(str(save_with_vocabulary(tmp_path / "lm", (*NOT_WORDS, *WORDS, "東"))))
    lm = TransformersMaskedLM(start.model, start.tokenizer)
    assert lm.word_ids(["東"])[0] != lm.unknown_id
    assert start.normalize("東") == "東"


def test_a_tokenizer_may_leave_words_as_they_are(tmp_path: Path, roomy_folder: Path) -> None:
    folder = shutil.copytree(roomy_folder, tmp_path / "lm")
    description = json.loads((folder / "tokenizer.json").read_text())
    (folder / "tokenizer.json").write_text(json.dumps({**description, "normalizer": None}))
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(
        json.dumps({**settings, "tokenizer_class": "PreTrainedTokenizerFast"})
    )
    assert StartingPoint.load(str(folder)).normalize("River") == "River"


@pytest.mark.parametrize("content", [None, "{}", "no json"])
def test_a_folder_without_a_model_is_refused(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "config.json").write_text(content)
    with pytest.raises(LanguageModelError) as caught:
        StartingPoint.load(str(tmp_path))
    assert str(tmp_path) in str(caught.value)


def test_a_name_that_is_nowhere_is_refused() -> None:
    with pytest.raises(LanguageModelError, match="no folder somebody/no-such-model"):
        StartingPoint.load("somebody/no-such-model")


def test_a_bert_without_a_head_is_refused(tmp_path: Path) -> None:
    folder = save_tiny_bert(tmp_path / "headless", with_head=False)
    with pytest.raises(LanguageModelError, match="not a complete masked language model"):
        StartingPoint.load(str(folder))


def test_a_model_of_another_family_is_refused(tmp_path: Path) -> None:
    from tiny_models import tiny_roberta

    lm = tiny_roberta()
    lm.model.save_pretrained(tmp_path)
    lm._tokenizer.save_pretrained(tmp_path)
    with pytest.raises(LanguageModelError, match="RobertaForMaskedLM; only BERT models can be fitted") as caught:
        StartingPoint.load(str(tmp_path))
    assert BARE_ENCODER in str(caught.value)


@pytest.mark.parametrize("precision", ["float16", "bfloat16"])
def test_a_model_of_half_precision_is_fitted_in_single_precision(tmp_path: Path, precision: str) -> None:
    tiny_bert_model().to(getattr(torch, precision)).save_pretrained(tmp_path)
    tiny_tokenizer().save_pretrained(tmp_path)
    assert {weight.dtype for weight in StartingPoint.load(str(tmp_path)).model.parameters()} == {torch.float32}


def test_compact_weights_are_loaded_as_a_model_that_can_learn(tmp_path: Path) -> None:
    model = tiny_bert_model(words=ROOMY)
    with torch.no_grad():
        model.cls.predictions.bias.copy_(torch.linspace(-1, 1, model.config.vocab_size))
    model.config.save_pretrained(tmp_path)
    tiny_tokenizer(ROOMY).save_pretrained(tmp_path)
    write_compact(tmp_path, stored_weights(model.state_dict()))
    start, light = StartingPoint.load(str(tmp_path)), TransformersMaskedLM.load(tmp_path)
    assert not start.new_head
    assert start.room == 3
    assert all(weight.requires_grad for weight in start.model.parameters())
    ids = torch.tensor([[2, 30, 5, 4, 9, 3]])
    with torch.no_grad():
        expected = light.model(ids).logits
        assert torch.allclose(start.model.train()(ids).logits, expected, atol=1e-4)  # no dropout either
        again = StartingPoint.load(str(write_folder(tmp_path / "out", start)))
        assert torch.allclose(again.model.eval()(ids).logits, expected, atol=1e-4)
    assert again.known_words() == start.known_words()
    assert set(start.known_words()) == set(WORDS)


# The bare encoder -----------------------------------------------------------------------------------------------------


@pytest.fixture
def encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny model in the place of the bundled encoder."""
    folder = save_tiny_bert(tmp_path / "full", words=ROOMY, with_head=False)
    bundle_encoder(folder, tmp_path / "encoder")
    monkeypatch.setattr(embedded, "encoder_folder", lambda: tmp_path / "encoder")
    return tmp_path / "encoder"


def test_the_bare_encoder_gets_a_head_that_starts_as_if_it_were_not_there(encoder: Path) -> None:
    start = StartingPoint.load(BARE_ENCODER)
    assert start.new_head
    weights, loaded = read_compact(encoder), start.model.bert.state_dict()
    assert weights.keys() == loaded.keys()
    assert all(torch.equal(loaded[name][: len(tensor)], tensor) for name, tensor in weights.items())
    transform = start.model.cls.predictions.transform.dense
    assert torch.equal(transform.weight, torch.eye(32))
    assert not transform.bias.any()
    assert start.model.cls.predictions.decoder.weight is start.model.bert.embeddings.word_embeddings.weight


def test_the_bare_encoder_has_room_for_new_words(encoder: Path) -> None:
    start = StartingPoint.load(BARE_ENCODER)
    assert set(start.known_words()) == set(WORDS)
    places = start.add_words(["corp.", "riverx"])
    assert sorted(places.values()) == [len(PIECES) + len(SPECIAL_TOKENS) + len(WORDS) + more for more in (0, 1)]
    assert start.room > 900


def test_the_bare_encoder_is_fitted_without_dropout(encoder: Path) -> None:
    model = StartingPoint.load(BARE_ENCODER).model.train()
    ids = torch.arange(20, 30)[None]
    with torch.no_grad():
        assert torch.equal(model(ids).logits, model(ids).logits)


def test_a_new_head_starts_from_how_frequent_words_are(encoder: Path) -> None:
    start = StartingPoint.load(BARE_ENCODER)
    river, rises, never = start.tokenizer.convert_tokens_to_ids(["river", "rises", "stone"])
    flat = np.array([river] * 30 + [rises] * 10, dtype=np.int32)
    start.set_frequencies(LmCorpus(flat, np.array([0, 40])))
    bias = start.model.cls.predictions.bias.detach()
    assert bias.shape == (start.model.config.vocab_size,)
    assert (bias[river] - bias[rises]).exp().item() == pytest.approx(31 / 11, rel=1e-4)
    assert (bias[rises] - bias[never]).exp().item() == pytest.approx(11 / 1, rel=1e-4)
    assert bias.mean().item() == pytest.approx(0, abs=1e-5)
    assert torch.equal(start.model.cls.predictions.decoder.bias.detach(), bias)


# New words ------------------------------------------------------------------------------------------------------------


def test_new_words_get_the_unused_places_in_order(start: StartingPoint) -> None:
    assert start.add_words(["corp.", "'s"]) == {"corp.": 5, "'s": 9}
    assert start.room == 1
    known = start.known_words()
    assert {known["corp."], known["'s"]} == {5, 9}
    assert set(known) == {*WORDS, "corp.", "'s"}
    lm = TransformersMaskedLM(start.model, start.tokenizer)
    assert lm.word_ids(["corp.", "Corp.", "'s", "river", "gnu"]) == (5, 5, 9, known["river"], lm.unknown_id)


def test_a_new_word_starts_as_the_mean_of_its_pieces(start: StartingPoint) -> None:
    table = start.model.get_input_embeddings().weight
    before = table.detach().clone()
    pieces = start.tokenizer("riverx", add_special_tokens=False)["input_ids"]
    assert len(pieces) == 2
    start.add_words(["riverx", "#.#"])
    assert torch.allclose(table[5], before[pieces].mean(dim=0))
    hash_sign, stop = start.tokenizer.convert_tokens_to_ids(["#", "."])
    assert torch.allclose(table[9], (2 * before[hash_sign] + before[stop]) / 3)
    others = [number for number in range(len(before)) if number not in (5, 9)]
    assert torch.equal(table[others], before[others])
    assert start.model.cls.predictions.decoder.weight is table


def test_there_are_no_more_new_words_than_places(start: StartingPoint) -> None:
    assert start.add_words(["one", "two", "three", "four"]) == {"one": 5, "two": 9, "three": 10}
    assert start.room == 0
    assert start.add_words(["five"]) == {}
    assert "five" not in start.known_words()


def test_without_new_words_the_vocabulary_stays(start: StartingPoint) -> None:
    before = dict(start.known_words())
    assert start.add_words([]) == {}
    assert start.known_words() == before


def test_special_tokens_may_have_other_names_as_long_as_the_tokenizer_knows_them(tmp_path: Path) -> None:
    """What is loaded is right; what becomes of it with new words, see below."""
    start = StartingPoint.load(str(odd_names(tmp_path)))
    assert start.tokenizer.mask_token_id == 4
    assert start.masking_tokens([20], np.arange(3)).mask == 4


ODD_NAMES = {
    "pad_token": "<pad>",
    "unk_token": "<unk>",
    "cls_token": "<s>",
    "sep_token": "</s>",
    "mask_token": "<mask>",
}


def odd_names(tmp_path: Path) -> Path:
    vocabulary = (*ODD_NAMES.values(), "[unused1]", *PIECES, *WORDS)
    return save_with_vocabulary(tmp_path / "odd", vocabulary, **ODD_NAMES)


FIXED_SETTINGS = "lm_start._TOKENIZER_SETTINGS is written whatever the tokenizer had: {}"


def test_special_tokens_of_other_names_stay_what_they_are(tmp_path: Path) -> None:
    start = StartingPoint.load(str(odd_names(tmp_path)))
    start.add_words(["corp."])
    tokenizer = start.tokenizer
    found = [getattr(tokenizer, f"{name}_id") for name in ODD_NAMES]
    assert found == [0, 1, 2, 3, 4]
    assert len(tokenizer) == start.model.config.vocab_size


# Writing --------------------------------------------------------------------------------------------------------------


def test_a_written_folder_is_a_language_model_for_everybody(start: StartingPoint, tmp_path: Path) -> None:
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    start.add_words(["corp.", "'s"])
    folder = write_folder(tmp_path / "out", start)
    model, report = AutoModelForMaskedLM.from_pretrained(folder, output_loading_info=True)
    assert not report["missing_keys"]
    assert not report["unexpected_keys"]
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert tokenizer("river corp. 's", add_special_tokens=False)["input_ids"][1:] == [5, 9]
    assert tokenizer.mask_token_id == start.tokenizer.mask_token_id
    pair = tokenizer("river", "stone")
    assert tokenizer.convert_ids_to_tokens(pair["input_ids"]) == ["[CLS]", "river", "[SEP]", "stone", "[SEP]"]
    ids = torch.tensor([[2, 30, 5, 4, 9, 3]])
    with torch.no_grad():
        assert torch.equal(model.eval()(ids).logits, start.model.eval()(ids).logits)
    lm = TransformersMaskedLM.load(folder)
    assert lm.word_ids(["corp.", "'s"]) == (5, 9)
    assert lm.words([5, 9]) == ("corp.", "'s")
    again = StartingPoint.load(str(folder))
    assert again.known_words() == start.known_words()
    assert again.room == 1


def test_a_written_folder_names_its_kind_and_holds_no_pickle(start: StartingPoint, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "out", start)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert (config["model_type"], config["architectures"]) == ("bert", ["BertForMaskedLM"])
    assert not [name for name in config if name.startswith("_")]
    names = {path.name for path in folder.iterdir()}
    assert names == {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}


def test_shared_weights_counters_and_poolers_are_written_once_or_not_at_all(start: StartingPoint) -> None:
    weights = {
        **start.model.state_dict(),
        "bert.embeddings.position_ids": torch.arange(3),
        "bert.pooler.dense.weight": torch.ones(2, 2),
    }
    stored = stored_weights(weights)
    assert stored.keys() < weights.keys()
    left_out = weights.keys() - stored.keys()
    assert left_out == {
        "cls.predictions.decoder.weight",
        "cls.predictions.decoder.bias",
        "bert.embeddings.position_ids",
        "bert.pooler.dense.weight",
    }


def test_the_limit_of_the_tokenizer_is_kept(start: StartingPoint, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    start.add_words(["corp."])
    assert AutoTokenizer.from_pretrained(write_folder(tmp_path / "out", start)).model_max_length == POSITIONS


def test_a_decoder_of_its_own_is_written(tmp_path: Path) -> None:
    from transformers import BertForMaskedLM

    config = tiny_bert_model().config
    config.tie_word_embeddings = False
    BertForMaskedLM(config).save_pretrained(tmp_path / "untied")
    tiny_tokenizer().save_pretrained(tmp_path / "untied")
    start = StartingPoint.load(str(tmp_path / "untied"))
    decoder = start.model.cls.predictions.decoder.weight.detach()
    again = StartingPoint.load(str(write_folder(tmp_path / "out", start)))
    assert torch.equal(again.model.cls.predictions.decoder.weight, decoder)
