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
        compressor = _Compressor(self, batch, targets, words, generator)
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

    def reconstruct(
        self, summary: Sampled, batch: Batch, words: Words, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """Scores for the words of the sources, given the summaries and the words before, and the words themselves.

        They are (places, words) and (places). A part of the words before is hidden, so that the summary is needed.
        """
        wanted = batch.ended()
        read = shifted(wanted)
        hidden = torch.rand(read.shape, generator=generator) < self.settings.word_dropout
        given = self.embed(read.masked_fill(hidden & (read != START), UNKNOWN), words, generator)
        memory = self.encoder(dropped(summary.embeddings, self.settings.dropout, generator), summary.lengths)
        keys = self.reconstructor.keys(memory)
        state = self.reconstructor_start(memory)
        attended = []
        for step in range(wanted.shape[1]):
            state = self.reconstructor.step(given[:, step], state, memory=memory, keys=keys)
            attended.append(state.attended)
        asked = (wanted != PADDING) & (wanted != UNKNOWN)
        return self.reconstructor.scores(torch.stack(attended, dim=1)[asked], words), wanted[asked]

    @torch.no_grad()
    def summaries(self, batch: Batch, targets: Tensor) -> list[list[int]]:
        """The most probable word at every step, until END or `targets` words (rows); at least one word each."""
        compressor = _Compressor(self, batch, targets, Words.of(self.table))
        ids: list[Tensor] = []
        for step in range(int(targets.max())):
            ids.append(compressor.scores(step).argmax(dim=1))
            compressor.go_on(self.table[ids[-1]])
        drawn = torch.stack(ids, dim=1)
        lengths = torch.minimum(_length_with_end(drawn), targets).tolist()
        return [list(_words(row[:length])) for row, length in zip(drawn.tolist(), lengths, strict=True)]


class _Compressor:
    """The compressor's decoder at work on a batch."""

    def __init__(
        self, model: Seq3, batch: Batch, targets: Tensor, words: Words, generator: torch.Generator | None = None
    ) -> None:
        self._model = model
        self._words = words
        self._targets = targets
        self._generator = generator
        self._memory: Memory = model.encoder(model.embed(batch.ids, words, generator), batch.lengths)
        self._keys = model.compressor.keys(self._memory)
        self._state: DecoderState = model.compressor_start(self._memory, targets)
        self._last = words.table[torch.full_like(batch.lengths, START)]
        self._forbidden = _forbidden(batch.unknown, model.placeholders)

    def scores(self, step: int) -> Tensor:
        """Scores for the next word: (rows, words)."""
        left = (1 - step / self._targets).clamp(min=0)[:, None]  # the countdown: what is left of the length
        last = dropped(self._last, self._model.settings.dropout, self._generator)
        decoder = self._model.compressor
        self._state = decoder.step(torch.cat((last, left), dim=1), self._state, memory=self._memory, keys=self._keys)
        scores = decoder.scores(self._state.attended, self._words)
        scores[:, : self._forbidden.shape[1]].masked_fill_(self._forbidden, LOW)
        if step == 0:
            scores[:, END].fill_(LOW)  # a summary has at least one word
        return scores

    def go_on(self, embeddings: Tensor) -> None:
        """Take the chosen words as what came last: (rows, width)."""
        self._last = embeddings


def _forbidden(unknown: Tensor, placeholders: int) -> Tensor:
    """What a row cannot say: signs that are no words, and placeholders that its source has not."""
    numbers = torch.arange(SPECIAL + placeholders)[None]
    signs = (numbers < SPECIAL) & (numbers != END)
    return signs | (numbers >= SPECIAL + unknown[:, None])  # (rows, special and placeholders)


def _length_with_end(ids: Tensor) -> Tensor:
    """Words of each row up to its first END, which counts; all if there is none."""
    ended = (ids == END).cumsum(dim=1)
    return (ended - (ids == END).long() == 0).sum(dim=1)


def _words(ids: list[int]) -> Iterator[int]:
    return (number for number in ids if number != END)
