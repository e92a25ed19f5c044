"""The SEQ3 model: source, compressor, summary, reconstructor, source again."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ealm.baselines.seq3.batches import Batch
from ealm.baselines.seq3.language_model import shifted
from ealm.baselines.seq3.modules import LOW, Decoder, DecoderState, Encoder, FirstState, Memory, Words
from ealm.baselines.seq3.sampling import dropped, gumbel_softmax, straight_through
from ealm.baselines.seq3.settings import Seq3Settings
from ealm.baselines.seq3.vocabulary import END, PADDING, SPECIAL, START, UNKNOWN


@dataclass(frozen=True, slots=True)
class Sampled:
    """Summaries that gradients pass through."""

    ids: Tensor  # (rows, steps)
    embeddings: Tensor  # (rows, steps, width)
    lengths: Tensor  # (rows): words of the summary, with END if it came before the length was used up
    scores: Tensor  # (rows, steps + 1, words): the last step of a row comes after its last allowed word


Guesses = tuple[Tensor, Tensor]
"""Scores of the words at each position (positions, words), and the words that are right (positions)."""


class Seq3(nn.Module):
    """Two encoder-decoders with one encoder and one table of embeddings for all inputs and outputs."""

    def __init__(self, table: Tensor, *, placeholders: int, settings: Seq3Settings) -> None:
        super().__init__()
        words, width = table.shape
        hidden = settings.hidden
        self.settings = settings
        self.placeholders = placeholders
        self.table = nn.Parameter(table.clone())
        self.encoder = Encoder(width=width, hidden=hidden, layers=settings.encoder_layers)
        self.compressor_start = FirstState(hidden=hidden, length_aware=True)
        self.compressor = Decoder(width=width, hidden=hidden, words=words, extra=1)
        self.reconstructor_start = FirstState(hidden=hidden, length_aware=False)
        self.reconstructor = Decoder(width=width, hidden=hidden, words=words)

    def embed(self, ids: Tensor, words: Words, generator: torch.Generator | None = None) -> Tensor:
        """Embeddings of words; with dropout while learning, when there is a generator."""
        return dropped(words.table[ids], self.settings.dropout, generator)

    def sample(self, batch: Batch, targets: Tensor, words: Words, generator: torch.Generator) -> Sampled:
        """Draw a summary of at most `targets` words (rows) for every sentence."""
        memory = self._read(batch, words, generator)
        compressor = _Compressor(self, memory, batch, targets=targets, words=words, generator=generator)
        ids, embeddings, scores = [], [], []
        for step in range(int(targets.max())):
            scores.append(compressor.scores(step))
            chosen, shares = gumbel_softmax(scores[-1], temperature=self.settings.temperature, generator=generator)
            ids.append(chosen)
            embeddings.append(straight_through(shares, words.table, chosen))
            compressor.go_on(embeddings[-1])
        scores.append(compressor.scores(step=len(ids)))
        drawn = torch.stack(ids, dim=1)
        return Sampled(
            ids=drawn,
            embeddings=torch.stack(embeddings, dim=1),
            lengths=torch.minimum(_length_with_end(drawn), targets),
            scores=torch.stack(scores, dim=1),
        )

    def reconstruct(self, summary: Sampled, batch: Batch, words: Words, generator: torch.Generator) -> Guesses:
        """Guess the words of the sources, given the summaries and the words before.

        A part of the words before is hidden, so that the summary is needed.
        """
        before = self._words_before(batch, words, generator)
        memory = self.encoder(dropped(summary.embeddings, self.settings.dropout, generator), summary.lengths)
        return self._reconstructed(memory, before, batch, words)

    def copy_source(self, batch: Batch, words: Words, generator: torch.Generator) -> tuple[Guesses, Guesses]:
        """Guess the words of the sources from the sources themselves: by the compressor, and by the reconstructor.

        Both are given the words before, of which a part is hidden; the compressor is given the source's length.
        """
        memory = self._read(batch, words, generator)
        compressor = self._copied(memory, self._words_before(batch, words, generator), batch, words)
        reconstructor = self._reconstructed(memory, self._words_before(batch, words, generator), batch, words)
        return compressor, reconstructor

    @torch.no_grad()
    def summaries(self, batch: Batch, targets: Tensor) -> list[list[int]]:
        """The most probable word at every step, until END or `targets` words (rows); at least one word each."""
        words = Words.of(self.table)
        compressor = _Compressor(self, self._read(batch, words), batch, targets=targets, words=words)
        ids: list[Tensor] = []
        for step in range(int(targets.max())):
            ids.append(compressor.scores(step).argmax(dim=1))
            compressor.go_on(self.table[ids[-1]])
        drawn = torch.stack(ids, dim=1)
        lengths = torch.minimum(_length_with_end(drawn), targets).tolist()
        return [list(_words(row[:length])) for row, length in zip(drawn.tolist(), lengths, strict=True)]

    def _read(self, batch: Batch, words: Words, generator: torch.Generator | None = None) -> Memory:
        memory: Memory = self.encoder(self.embed(batch.ids, words, generator), batch.lengths)
        return memory

    def _words_before(self, batch: Batch, words: Words, generator: torch.Generator) -> Tensor:
        """Input of a decoder before each word of the sources, and before END: (rows, words + 1, width)."""
        read = shifted(batch.ended())
        hidden = torch.rand(read.shape, generator=generator) < self.settings.word_dropout
        return self.embed(read.masked_fill(hidden & (read != START), UNKNOWN), words, generator)

    def _reconstructed(self, memory: Memory, before: Tensor, batch: Batch, words: Words) -> Guesses:
        """Guesses of the reconstructor, from the encoded source and the words before."""
        keys = self.reconstructor.keys(memory)
        state = self.reconstructor_start(memory)
        attended = []
        for given in before.unbind(dim=1):
            state = self.reconstructor.step(given, state, memory=memory, keys=keys)
            attended.append(state.attended)
        wanted = batch.ended()
        asked = _can_be_asked(wanted)
        return self.reconstructor.scores(torch.stack(attended, dim=1)[asked], words), wanted[asked]

    def _copied(self, memory: Memory, before: Tensor, batch: Batch, words: Words) -> Guesses:
        """Guesses of the compressor, from the encoded source and the words before."""
        compressor = _Compressor(self, memory, batch, targets=batch.lengths, words=words)
        attended = []
        for step, given in enumerate(before.unbind(dim=1)):
            compressor.go_on(given)
            attended.append(compressor.attend(step))
        wanted = batch.ended()
        asked = _can_be_asked(wanted)
        scores = self.compressor.scores(torch.stack(attended, dim=1)[asked], words)
        rows, steps = asked.nonzero(as_tuple=True)
        forbidden = _forbidden(batch.unknown[rows], self.placeholders, first=steps == 0)
        return _without(forbidden, scores), wanted[asked]


class _Compressor:
    """The compressor's decoder at work on a batch."""

    def __init__(
        self,
        model: Seq3,
        memory: Memory,
        batch: Batch,
        *,
        targets: Tensor,
        words: Words,
        generator: torch.Generator | None = None,
    ) -> None:
        """With a generator, dropout is applied to its inputs."""
        self._model = model
        self._words = words
        self._targets = targets
        self._generator = generator
        self._memory = memory
        self._keys = model.compressor.keys(memory)
        self._state: DecoderState = model.compressor_start(memory, targets)
        self._last = words.table[torch.full_like(batch.lengths, START)]
        self._unknown = batch.unknown

    def scores(self, step: int) -> Tensor:
        """Scores for the next word: (rows, words)."""
        scores = self._model.compressor.scores(self.attend(step), self._words)
        first = torch.full_like(self._unknown, step == 0, dtype=torch.bool)
        return _without(_forbidden(self._unknown, self._model.placeholders, first=first), scores)

    def attend(self, step: int) -> Tensor:
        """Look at the source for the next word: what its scores are worked out from (rows, hidden)."""
        left = (1 - step / self._targets).clamp(min=0)[:, None]  # the countdown: what is left of the length
        last = dropped(self._last, self._model.settings.dropout, self._generator)
        given = torch.cat((last, left), dim=1)
        self._state = self._model.compressor.step(given, self._state, memory=self._memory, keys=self._keys)
        return self._state.attended

    def go_on(self, embeddings: Tensor) -> None:
        """Take the chosen words as what came last: (rows, width)."""
        self._last = embeddings


def _can_be_asked(wanted: Tensor) -> Tensor:
    """Where there is something that a decoder can write: no padding, and no word that was lost."""
    return (wanted != PADDING) & (wanted != UNKNOWN)


def _forbidden(unknown: Tensor, placeholders: int, *, first: Tensor) -> Tensor:
    """What the compressor cannot say: signs that are no words, and placeholders that the source has not.

    (positions, special and placeholders), from how many the source has and whether the summary begins, both
    (positions).
    """
    numbers = torch.arange(SPECIAL + placeholders)[None]
    end = (numbers == END) & ~first[:, None]  # a summary has at least one word
    return ((numbers < SPECIAL) & ~end) | (numbers >= SPECIAL + unknown[:, None])


def _without(forbidden: Tensor, scores: Tensor) -> Tensor:
    """The scores themselves (positions, words), low where forbidden (positions, special and placeholders)."""
    scores[:, : forbidden.shape[1]].masked_fill_(forbidden, LOW)
    return scores


def _length_with_end(ids: Tensor) -> Tensor:
    """Words of each row up to its first END, which counts; all if there is none."""
    ended = (ids == END).cumsum(dim=1)
    return (ended - (ids == END).long() == 0).sum(dim=1)


def _words(ids: list[int]) -> Iterator[int]:
    return (number for number in ids if number != END)
