"""What the package carries is what the tool writes from full weights."""

from pathlib import Path

import pytest
import torch
from tiny_models import SPECIAL_TOKENS, save_tiny_bert

from ealm.lm.bert import LightTokenizer
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.lm.sentence_encoder import SentenceEncoder
from ealm.summarize.saved_agent import SavedAgent
from tools.bundle_weights import bundle_encoder, main

TEXTS = ["the river rises .", "an unknown silver bridge", ""]


def test_all_parts_are_written_and_can_be_used(tmp_path: Path, bert_folder: Path, agent_folder: Path) -> None:
    encoder = save_tiny_bert(tmp_path / "encoder", with_head=False)
    sources = ["--lm", bert_folder, "--encoder", encoder, "--agent", agent_folder, "--paper-agent", agent_folder]
    main([str(part) for part in [*sources, "--out", tmp_path / "out"]])
    lm, full = TransformersMaskedLM.load(tmp_path / "out" / "lm"), TransformersMaskedLM.load(bert_folder)
    ids = full.word_ids(TEXTS[0].split())
    assert lm.word_ids(TEXTS[0].split()) == ids
    (found,), (expected,) = lm.encode([ids]), full.encode([ids])
    assert torch.cosine_similarity(found, expected).min() > 0.99
    assert SentenceEncoder.load(tmp_path / "out" / "encoder")(TEXTS).shape == (3, 32)
    for name in ("agent", "paper_agent"):
        saved, original = SavedAgent.load(tmp_path / "out" / name), SavedAgent.load(agent_folder)
        assert not (tmp_path / "out" / name / "frequent_words.json").exists()  # compressed, because of the size
        assert (saved.lm_name, saved.settings) == ("embedded", original.settings)
        for part, weight in saved.weights.items():
            exact = original.weights[part]
            if name == "agent" or exact.dim() != 2:
                assert torch.equal(weight, exact.half().float() if name == "agent" else exact)
            else:  # eight bits, a scale for each row
                assert (weight - exact).abs().max() <= exact.abs().max() / 127 / 2 * 1.001


def test_an_encoder_loses_free_vocabulary_and_little_else(tmp_path: Path) -> None:
    """The vectors are those of sentence-transformers with the full weights: mean of all tokens, normalised."""
    from transformers import BertModel

    source = save_tiny_bert(tmp_path / "full", with_head=False)
    bundle_encoder(source, tmp_path / "small")
    small = SentenceEncoder.load(tmp_path / "small")
    before, after = (LightTokenizer.read(tmp_path / name / "tokenizer.json") for name in ("full", "small"))
    assert len(after) == len(before) - 1  # [unused1]
    assert [after.backend_tokenizer.token_to_id(token) for token in SPECIAL_TOKENS] == [0, 1, 2, 3, 4]
    model = BertModel.from_pretrained(source).eval()
    for text, vector in zip(TEXTS, small(TEXTS), strict=True):
        assert after.backend_tokenizer.encode(text).tokens == before.backend_tokenizer.encode(text).tokens
        with torch.no_grad():
            states = model(torch.tensor([before(text)["input_ids"]])).last_hidden_state[0]
        assert torch.cosine_similarity(vector, states.mean(dim=0), dim=0) > 0.99
        assert vector.norm().item() == pytest.approx(1, abs=1e-5)


def test_the_same_folder_gives_the_same_bytes(tmp_path: Path, bert_folder: Path) -> None:
    for name in ("one", "two"):
        main(["--lm", str(bert_folder), "--out", str(tmp_path / name)])
    for path in (tmp_path / "one" / "lm").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / "lm" / path.name).read_bytes()


@pytest.mark.parametrize(("arguments", "said"), [([], "name at least one"), (["--agent", "nowhere"], "nowhere")])
def test_mistakes_are_told(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert said in capsys.readouterr().err + str(caught.value.code)


def test_a_model_without_a_head_is_no_language_model(tmp_path: Path) -> None:
    headless = save_tiny_bert(tmp_path / "headless", with_head=False)
    with pytest.raises(SystemExit, match="cannot be bundled"):
        main(["--lm", str(headless), "--out", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()
