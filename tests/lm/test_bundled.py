"""What comes with the package: the encoder and the language model."""

from pathlib import Path

import pytest
import torch
from tiny_models import ids, save_tiny_bert

from ealm.lm import bundled as embedded
from ealm.lm.bert import LightTokenizer, Places
from ealm.lm.cloze import Masked
from ealm.lm.int8_weights import read_compact
from ealm.lm.loading import load_pretrained
from ealm.lm.masked_lm import TransformersMaskedLM

# The embedded encoder -----------------------------------------------------------------------------------------------


def test_the_bundled_encoder_has_no_head_and_no_unused_vocabulary() -> None:
    weights = read_compact(embedded.encoder_folder())
    tokenizer = LightTokenizer.read(embedded.encoder_folder() / "tokenizer.json")
    assert not [name for name in weights if "cls" in name or "pooler" in name]
    assert weights["embeddings.word_embeddings.weight"].shape == (len(tokenizer), 384)
    tokens = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    assert not [token for token in tokens if token.startswith("[unused")]


def test_the_package_stays_small() -> None:
    package = Path(embedded.__file__).parent.parent
    size = sum(path.stat().st_size for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc")
    assert size < 50_000_000


def test_the_last_layer_at_some_places_is_what_it_is_there_in_a_whole_pass(default_lm: TransformersMaskedLM) -> None:
    words = ids(default_lm, "the council will close the old bridge over the river")
    questions = [Masked(words[:4], words), Masked((), words[:3]), Masked(words, words[:5])]
    columns = [[5, 9, 6], [], [12]]
    encoder, inputs = default_lm.model.base_model, default_lm.inputs(questions)
    whole = encoder(**inputs)[0]
    expected = torch.stack([whole[row, column] for row, own in enumerate(columns) for column in own])
    found = encoder.at(Places(columns, torch.device("cpu")), **inputs)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


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
