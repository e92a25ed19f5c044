"""The masked language model behind one small protocol, and any BERT-style model of `transformers` as one.

Words are whole words, as in the paper: a word that the vocabulary does not hold in one piece is unknown,
and only whole words are ever predicted.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from ealm.common.caching import cached_property, is_remembered
from ealm.common.errors import LanguageModelError
from ealm.common.pieces import between_pieces, pieces_are_watched
from ealm.lm import bundled as embedded
from ealm.lm.batching import BUSY_TOKENS, rows_by_length
from ealm.lm.bert import LightBertConfig, LightEncoder, Places
from ealm.lm.cloze import Masked
from ealm.lm.flat_encoder import FlatEncoder
from ealm.lm.loading import LaterModel, check_engine, is_panic, load_pretrained, on_engine
from ealm.text.words import straight_apostrophes

_KNOWN_WORDS_REMEMBERED = 100_000
"""Of short words, each of which takes some 100 bytes."""
_HOLES_OF_A_PIECE = 64
"""Scores of a whole vocabulary at so many holes take some 30 ms, a quarter more for each than at 250."""


class MaskedLM(Protocol):
    """What the rest of the package needs of a language model (L and e_i in the paper)."""

    name: str
    width: int
    """Length of an encoding."""
    max_words: int
    """Longest sentence for which every question fits."""
    unknown_id: int

    def word_ids(self, words: Sequence[str]) -> tuple[int, ...]:
        """Vocabulary ids; `unknown_id` for a word that is not in the vocabulary."""
        ...

    def words(self, ids: Sequence[int]) -> tuple[str, ...]:
        """The written form of vocabulary ids."""
        ...

    def encode(self, sentences: Sequence[Sequence[int]]) -> list[Tensor]:
        """Last-layer vectors of each word (e_i), one pass: for each sentence (words, width)."""
        ...

    def predict(self, questions: Sequence[Masked[int]]) -> Tensor:
        """Scores of all words at all holes of all questions in order: (holes, vocabulary).

        Softmax turns a row into P(word | everything but the hole); what is not a word has the score -inf.
        """
        ...


class TransformersMaskedLM:
    """Any BERT-style masked language model of the `transformers` library."""

    def __init__(
        self, model: Any, tokenizer: Any, *, name: str = "in memory", engine: str = "torch", token_budget: int = 4_096
    ) -> None:
        """`token_budget` bounds the padded tokens of one pass, and with them the memory."""
        check_engine(engine, model.device)
        self.name = name
        self.token_budget = token_budget
        self._given, self._config, self._device, self._engine = model, model.config, model.device, engine
        self._tokenizer = tokenizer
        self._layout = _Layout(tokenizer)
        self._layout.check(model.config.vocab_size)
        self._known: dict[str, int] = {}
        self.width: int = model.config.hidden_size
        self.max_words = (_position_limit(model, tokenizer) - self._layout.pair_overhead) // 2
        self.unknown_id: int = tokenizer.unk_token_id
        self._special_ids = frozenset(tokenizer.all_special_ids)
        if not isinstance(model, LaterModel):
            _ = self._head  # a model that cannot be used is told now

    @classmethod
    def load(
        cls, name_or_folder: str | os.PathLike[str], *, device: str = "cpu", engine: str = "torch"
    ) -> "TransformersMaskedLM":
        """Load by folder (nothing is fetched) or by hub name (fetched unless it is in the local cache).

        `engine` is what runs it: "torch"; "auto", in the same precision by what is fastest here; or "int8" on the
        CPU, which is faster and rounds.
        """
        wanted = str(name_or_folder)
        try:
            # An agent remembers its language model by this name, wherever it is used from.
            if wanted != embedded.NAME and Path(wanted).is_dir():
                wanted = str(Path(wanted).resolve())
        except OSError as error:  # such as a name that is longer than any can be
            raise LanguageModelError(f"There is no language model {wanted[:80]!r}: {error.strerror}.") from error
        if wanted == embedded.NAME and device == "cpu":
            later = LaterModel()
            return cls(later, later.tokenizer, name=wanted, engine=engine)
        model, tokenizer = load_pretrained(wanted)
        try:
            model = model.to(device)
        except (RuntimeError, AssertionError) as error:  # torch asserts that it was built for the device
            raise LanguageModelError(
                f"Cannot use the device {device!r}: {error} Choose another one with device=."
            ) from error
        with _parts_that_fit(wanted):
            lm = cls(model, tokenizer, name=wanted, engine=engine)
            _ = lm.not_a_word  # what is wrong with somebody's files is told now
            return lm

    @cached_property
    def model(self) -> Any:
        """The model itself."""
        model = self._given.load() if isinstance(self._given, LaterModel) else self._given
        return model.eval()

    @cached_property
    def _head(self) -> Any:
        return on_engine(self._engine, masked_lm_head(self.model))

    @cached_property
    def _encoder(self) -> Any:
        return on_engine(self._engine, self.model.base_model)

    @cached_property
    def not_a_word(self) -> Tensor:
        """Which vocabulary ids are no words; a look at the whole vocabulary, which plain summaries do without."""
        size = self._config.vocab_size
        whole = torch.zeros(size, dtype=torch.bool)
        known = list(range(min(size, len(self._tokenizer))))
        whole[: len(known)] = torch.tensor(self._are_words(known))
        return (~whole).to(self._device)

    def _are_words(self, ids: list[int]) -> list[bool]:
        """Whether vocabulary ids are words: the tokenizer gives them back, alone, for their written form."""
        tokens = self._tokenizer.convert_ids_to_tokens(ids)
        written = [f" {_written_form(self._tokenizer, token)}" for token in tokens]
        pieces = self._tokenizer(written, add_special_tokens=False)["input_ids"] if written else []
        return [
            back == [own] and text != " " and own not in self._special_ids and not token.startswith("[unused")
            for own, token, text, back in zip(ids, tokens, written, pieces, strict=True)
        ]

    def word_ids(self, words: Sequence[str]) -> tuple[int, ...]:
        if len(self._known) > _KNOWN_WORDS_REMEMBERED:
            self._known = {}  # a new one: another thread may be reading the old one
        known = self._known
        new = self._look_up([word for word in dict.fromkeys(words) if word not in known])
        known.update((word, number) for word, number in new.items() if is_remembered(word))
        return tuple(new[word] if word in new else known[word] for word in words)

    def _look_up(self, words: list[str]) -> dict[str, int]:
        if not words:
            return {}
        # The leading space matters to vocabularies that mark the start of a word.
        written = [f" {straight_apostrophes(word)}" for word in words]
        pieces = self._tokenizer(written, add_special_tokens=False)["input_ids"]
        single = list({ids[0] for ids in pieces if len(ids) == 1 and ids[0] < self._config.vocab_size})
        whole = {own for own, is_word in zip(single, self._are_words(single), strict=True) if is_word}
        return {
            word: ids[0] if len(ids) == 1 and ids[0] in whole else self.unknown_id
            for word, ids in zip(words, pieces, strict=True)
        }

    def words(self, ids: Sequence[int]) -> tuple[str, ...]:
        return tuple(
            _written_form(self._tokenizer, token) for token in self._tokenizer.convert_ids_to_tokens(list(ids))
        )

    def encode(self, sentences: Sequence[Sequence[int]]) -> list[Tensor]:
        encodings: list[Tensor] = [torch.empty(0)] * len(sentences)
        lengths = [len(sentence) + self._layout.single_overhead for sentence in sentences]
        start = len(self._layout.before)
        for rows in rows_by_length(lengths, self.token_budget, enough=BUSY_TOKENS):
            # Never rounded: a decision of the agent may hang on the last bits of an encoding.
            hidden = self._hidden(self.model.base_model, [Masked((), tuple(sentences[row])) for row in rows])
            for place, row in enumerate(rows):
                encodings[row] = hidden[place, start : start + len(sentences[row])].clone()
        return encodings

    @torch.no_grad()
    def predict(self, questions: Sequence[Masked[int]]) -> Tensor:
        columns = [[self.template_start(question) + hole for hole in question.holes] for question in questions]
        places = Places(columns, self._device)
        if isinstance(self._encoder, LightEncoder | FlatEncoder):
            states = self._encoder.at(places, **self.inputs(questions))  # (holes, width)
        else:
            states = places.flat(places.padded(self._hidden(self._encoder, questions)))
        between_pieces()
        return self._scores(states).masked_fill_(self.not_a_word, -torch.inf)

    def _scores(self, states: Tensor) -> Tensor:
        parts: list[Tensor] = []
        for part in torch.split(states, _HOLES_OF_A_PIECE) if pieces_are_watched() else [states]:
            parts.append(self._head(part))
            between_pieces()
        return torch.cat(parts) if len(parts) > 1 else parts[0]

    @torch.no_grad()
    def _hidden(self, encoder: Any, questions: Sequence[Masked[int]]) -> Tensor:
        """Last layer of one padded pass: (questions, tokens, width)."""
        hidden: Tensor = encoder(**self.inputs(questions))[0]
        return hidden

    @property
    def mask_id(self) -> int:
        """Token id of a hole."""
        return self._layout.mask_id

    def template_start(self, question: Masked[int]) -> int:
        """Index of the template's first token in its row."""
        return self._layout.template_start(question)

    def inputs(self, questions: Sequence[Masked[int]]) -> dict[str, Tensor]:
        """Arguments of one padded pass; padding is masked, so that a row does not depend on its company."""
        rows = [self._layout.tokens(question) for question in questions]
        longest = max(len(tokens) for tokens, _ in rows)
        ids = torch.full((len(rows), longest), self._tokenizer.pad_token_id)
        segments = torch.zeros_like(ids)
        attention = torch.zeros_like(ids)
        for row, (tokens, token_segments) in enumerate(rows):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            segments[row, : len(tokens)] = torch.tensor(token_segments)
            attention[row, : len(tokens)] = 1
        inputs = {"input_ids": ids, "attention_mask": attention}
        if getattr(self._config, "type_vocab_size", 0) > 1:
            inputs["token_type_ids"] = segments
        return {name: tensor.to(self._device) for name, tensor in inputs.items()}


@contextmanager
def _parts_that_fit(name: str) -> Iterator[None]:
    """Model and tokenizer of a stranger's folder may not go together; whatever that leads to, it is told as such."""
    try:
        yield
    except LanguageModelError as error:
        raise LanguageModelError(f"{name} cannot be used. {error}") from error
    except BaseException as error:
        # What the tokenizers' library raises where it finds its own files impossible is not even an Exception.
        if isinstance(error, LookupError | RuntimeError | TypeError | ValueError) or is_panic(error):
            raise LanguageModelError(f"{name} cannot be used: its parts do not fit ({error!r}).") from error
        raise


class _Layout:
    """Where the special tokens of a tokenizer go: before, between and after context and template."""

    def __init__(self, tokenizer: Any) -> None:
        missing = [
            name for name in ("mask_token_id", "unk_token_id", "pad_token_id") if getattr(tokenizer, name, None) is None
        ]
        if missing:
            raise LanguageModelError(
                f"The tokenizer has no {', '.join(missing)}, which a BERT-style masked language model needs. "
                "Choose another model with lm=."
            )
        self.mask_id: int = tokenizer.mask_token_id
        # Masks stand in for text: they are the one word that every tokenizer has.
        pair = tokenizer(tokenizer.mask_token, tokenizer.mask_token)["input_ids"]
        first, second = (place for place, token in enumerate(pair) if token == self.mask_id)
        self.before, self.between, self.after = pair[:first], pair[first + 1 : second], pair[second + 1 :]
        self.pair_overhead = len(pair) - 2
        self.single_overhead = len(self.before) + len(self.after)
        self._numbers = (*pair, tokenizer.unk_token_id, tokenizer.pad_token_id)

    def check(self, vocabulary_size: int) -> None:
        """Refuse special tokens that the model has no place for."""
        if not all(0 <= number < vocabulary_size for number in self._numbers):
            raise LanguageModelError(
                f"The tokenizer numbers its special tokens up to {max(self._numbers)}, "
                f"but the model knows only {vocabulary_size} tokens."
            )

    def template_start(self, question: Masked[int]) -> int:
        """Index of the template's first token."""
        between = 0 if question.joined or not question.context else len(self.between)
        return len(self.before) + len(question.context) + between

    def tokens(self, question: Masked[int]) -> tuple[list[int], list[int]]:
        """Token ids and segment ids: the context is segment 0 and the template 1, or 0 if it stands alone."""
        template = [self.mask_id if token is None else token for token in question.template]
        if question.joined or not question.context:
            tokens = [*self.before, *question.context, *template, *self.after]
            return tokens, [0] * len(tokens)
        context = [*self.before, *question.context, *self.between]
        rest = [*template, *self.after]
        return context + rest, [0] * len(context) + [1] * len(rest)


def _position_limit(model: Any, tokenizer: Any) -> int:
    if isinstance(model.config, LightBertConfig):
        return min(model.config.max_position_embeddings, int(tokenizer.model_max_length))
    positions = int(getattr(model.config, "max_position_embeddings", 512))
    table = getattr(getattr(model.base_model, "embeddings", None), "position_embeddings", None)
    first_position = getattr(table, "padding_idx", None)  # RoBERTa numbers positions from its padding index + 1
    if first_position is not None:
        positions -= first_position + 1
    return min(positions, int(tokenizer.model_max_length))


def _written_form(tokenizer: Any, token: str) -> str:
    return str(tokenizer.convert_tokens_to_string([token])).strip()


def head_at_holes(model: Any) -> Any:
    """A function from hidden states and hole positions to scores: projecting at holes alone saves most of a pass."""
    head = masked_lm_head(model)
    return lambda hidden, rows, columns: head(hidden[rows, columns])


def masked_lm_head(model: Any) -> Any:
    """The part from hidden states to scores.

    Which attribute it is differs from model to model, so a candidate is only trusted if it gives what the whole model
    gives.
    """
    probe = torch.arange(1, 5, device=model.device)[None]
    with torch.no_grad():
        hidden, expected = model.base_model(probe)[0], model(probe).logits
        for name in ("cls", "lm_head", "predictions"):
            head = getattr(model, name, None)
            if head is not None and torch.allclose(head(hidden), expected, atol=1e-4):
                return head
    raise LanguageModelError(
        f"The masked-LM head of {type(model).__name__} is not of a known kind. "
        "Choose a BERT-style model (BERT, RoBERTa, ALBERT, ...) with lm=."
    )
