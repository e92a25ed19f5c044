"""The bundled sentence encoder: contextual states of tokens, and one vector for a text (mean-pooled, normalised)."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from ealm.common.config import AUTO
from ealm.common.errors import LanguageModelError
from ealm.lm import bundled as embedded
from ealm.lm.batching import BUSY_TOKENS, rows_by_length
from ealm.lm.bert import LightBertConfig, LightTokenizer, light_encoder
from ealm.lm.bf16_linear import Bf16Linear, bf16_pays
from ealm.lm.int8_linear import Int8Linear
from ealm.lm.int8_weights import read_compact
from ealm.lm.other_linears import exchange_linears

MAX_TOKENS = 256
"""Tokens of one forward pass, special tokens included: what the encoder was trained with."""

_TOKEN_BUDGET = 512


class SentenceEncoder:
    """A BERT without head, with its tokenizer."""

    def __init__(self, encoder: nn.Module, tokenizer: LightTokenizer, *, width: int, layers: int) -> None:
        """`width` is that of the encoder's states; `layers` counts what gives states, the embeddings included."""
        self._encoder = encoder
        self.tokenizer = tokenizer
        self.width = width
        self.layers = layers

    @classmethod
    def load(cls, folder: Path | None = None, *, device: str = "cpu", engine: str = "torch") -> "SentenceEncoder":
        """The bundled encoder, or that of another folder of the same format.

        `engine` is what runs it: "torch"; "int8"; or "auto", in sixteen bits where the processor has such arithmetic.
        """
        folder = embedded.encoder_folder() if folder is None else folder
        config = LightBertConfig.read(folder / "config.json")
        try:
            encoder = light_encoder(config, read_compact(folder)).to(device)
        except (KeyError, RuntimeError) as error:
            reason = " ".join(str(error).split())[:300]
            raise LanguageModelError(f"The weights in {folder} do not fit its config.json: {reason}") from error
        tokenizer = LightTokenizer.read(folder / "tokenizer.json")
        if engine == "int8":
            encoder = exchange_linears(encoder, Int8Linear)
        elif engine == AUTO and bf16_pays(device):
            encoder = exchange_linears(encoder, Bf16Linear)
        return cls(encoder, tokenizer, width=config.hidden_size, layers=config.num_hidden_layers + 1)

    def __call__(self, texts: Sequence[str]) -> Tensor:
        """Unit vectors of texts, each the mean of its tokens' states: (texts, width). Long texts are cut off."""
        rows = [ids[: MAX_TOKENS - 2] for ids in self.tokenizer(list(texts), add_special_tokens=False)["input_ids"]]
        vectors = torch.empty(len(rows), self.width)
        for row, _, vector in self.states(rows):
            vectors[row] = vector
        return vectors

    @torch.no_grad()
    def states(
        self, rows: Sequence[Sequence[int]], *, all_layers: bool = False
    ) -> Iterator[tuple[int, Tensor, Tensor]]:
        """For each row of token ids, in no particular order: its number, the tokens' states, the unit vector of all.

        The special tokens around a row count in its vector, as in the encoder's training, but not among the states.
        States are those of the last layer, or of all layers side by side, the last one last: (tokens, layers * width).
        """
        for batch in rows_by_length([len(row) + 2 for row in rows], _TOKEN_BUDGET, enough=BUSY_TOKENS):
            states, attention = self._forward([rows[row] for row in batch], all_layers=all_layers)
            last = states[..., -self.width :]
            means = (last * attention[..., None]).sum(dim=1) / attention.sum(dim=1, keepdim=True)
            vectors = nn.functional.normalize(means, dim=-1)  # (rows, width)
            for place, row in enumerate(batch):
                yield row, states[place, 1 : len(rows[row]) + 1], vectors[place]

    def _forward(self, rows: Sequence[Sequence[int]], *, all_layers: bool) -> tuple[Tensor, Tensor]:
        """One padded pass: hidden states (rows, tokens, width), and where there are tokens (rows, tokens)."""
        device = next(self._encoder.parameters()).device
        start, end, padding = (getattr(self.tokenizer, f"{name}_token_id") for name in ("cls", "sep", "pad"))
        whole = [torch.tensor([start, *row, end]) for row in rows]
        ids = nn.utils.rnn.pad_sequence(whole, batch_first=True, padding_value=padding).to(device)
        attention = nn.utils.rnn.pad_sequence([torch.ones_like(row) for row in whole], batch_first=True).to(device)
        states = self._encoder(ids, attention_mask=attention, all_layers=all_layers)
        return torch.cat(states, dim=-1), attention
