"""A chat model from a folder of transformers or a GGUF file, run here."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from ealm.common.errors import EalmError, UsageError
from ealm.common.extras import needs_extra, require_extra
from ealm.common.storage import parse_json
from ealm.lm.batching import rows_by_length

BATCH_TOKENS = 1_024
"""Padded tokens of prompts that are answered together."""
_CODE = "auto_map"
"""In a description: names code of the folder, which transformers would offer to run."""


class LocalChatError(EalmError):
    """A chat model cannot be loaded or used."""


class MissingChatModelError(LocalChatError, UsageError):
    """There is no chat model at that place."""


@dataclass(frozen=True, slots=True)
class LocalChat:
    """A model of transformers with its tokenizer; a GGUF file is unpacked to 32 bits."""

    model: Any
    tokenizer: Any

    @classmethod
    def load(cls, place: Path) -> "LocalChat":
        """Weights in safetensors or GGUF; nothing is fetched, and no code of a folder is run."""
        gguf = place.suffix == ".gguf"
        if not (place if gguf else place / "config.json").is_file():
            raise MissingChatModelError(
                f"{place} is no chat model: expected a .gguf file, a folder with config.json and safetensors, "
                f"or an address such as http://127.0.0.1:8080/v1#model"
            )
        require_extra("llm", "A chat model", "transformers", *(["gguf", "accelerate"] if gguf else []))
        if not gguf:
            _refuse_code(place)
        tokenizer, model = _from_pretrained(place, gguf=gguf)
        if not tokenizer.chat_template:
            raise LocalChatError(f"{place} has no chat template: it is a language model, but none to talk to.")
        tokenizer.padding_side = "left"
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        return cls(model.eval(), tokenizer)

    def answer(self, prompts: Sequence[str], *, tokens: int) -> list[str]:
        """Greedy answers, prompts of like length together."""
        asked = [self._framed(prompt) for prompt in prompts]
        answers = [""] * len(asked)
        for rows in rows_by_length(list(map(len, asked)), BATCH_TOKENS):
            for row, answer in zip(rows, self._generate([asked[row] for row in rows], tokens), strict=True):
                answers[row] = answer
        return answers

    def _framed(self, prompt: str) -> list[int]:
        """The prompt as the model was taught to be asked."""
        talk = [{"role": "user", "content": prompt}]
        ids: list[int] = self.tokenizer.apply_chat_template(talk, add_generation_prompt=True, return_dict=True)[
            "input_ids"
        ]
        longest = getattr(self.model.config, "max_position_embeddings", None)
        if longest is not None and len(ids) >= longest:
            raise LocalChatError(f"A text of {len(ids):,} tokens is too long for the chat model: it takes {longest:,}.")
        return ids

    def _generate(self, rows: Sequence[list[int]], tokens: int) -> list[str]:
        batch = self.tokenizer.pad({"input_ids": list(rows)}, return_tensors="pt")
        with torch.inference_mode():
            made = self.model.generate(
                **batch,
                max_new_tokens=tokens,
                do_sample=False,
                temperature=None,
                top_p=None,
                top_k=None,
                pad_token_id=self.tokenizer.pad_token_id,
            )
        answers: list[str] = self.tokenizer.batch_decode(
            made[:, batch["input_ids"].shape[1] :], skip_special_tokens=True
        )
        return answers


def _refuse_code(folder: Path) -> None:
    """Raise if a description names code of the folder: transformers would ask whether to run it."""
    for path in (folder / "config.json", folder / "tokenizer_config.json"):
        try:
            named = path.is_file() and _CODE in parse_json(path.read_text(encoding="utf-8"))
        except (ValueError, TypeError) as error:
            raise LocalChatError(f"{path} cannot be read ({error}).") from error
        if named:
            raise LocalChatError(f"{path} asks for code of its own ({_CODE}), which is never run.")


def _from_pretrained(place: Path, *, gguf: bool) -> tuple[Any, Any]:
    """Tokenizer and model."""
    with needs_extra("llm", "A chat model"):
        from transformers import AutoModelForCausalLM, AutoTokenizer
        from transformers.utils.logging import disable_progress_bar
    disable_progress_bar()
    folder = place.parent if gguf else place
    file = {"gguf_file": place.name} if gguf else {}
    how = {**file, "dtype": torch.float32} if gguf else {"use_safetensors": True, "dtype": torch.float32}
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, **file)
        return tokenizer, AutoModelForCausalLM.from_pretrained(folder, local_files_only=True, **how)
    except Exception as error:  # damaged files fail in transformers in many ways
        reason = str(error).strip().partition("\n")[0] or repr(error)
        raise LocalChatError(f"The chat model {place} cannot be loaded: {reason}") from error
