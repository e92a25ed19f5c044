"""Updates: of the language model, of the autoencoder, then of the summarizer. Knows nothing of files."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from ealm.baselines.seq3.batches import Batch
from ealm.baselines.seq3.candidates import CandidateDrawer, Candidates
from ealm.baselines.seq3.language_model import LanguageModel, shifted
from ealm.baselines.seq3.losses import length_loss, prior_loss, reconstruction_loss, topic_loss, weighted_mean
from ealm.baselines.seq3.model import Sampled, Seq3
from ealm.baselines.seq3.modules import Words
from ealm.baselines.seq3.settings import Seq3Settings
from ealm.baselines.seq3.vocabulary import PADDING
from ealm.common.errors import RunError


class LanguageModelLearner:
    """Trains the language model."""

    def __init__(self, model: LanguageModel, drawer: CandidateDrawer, settings: Seq3Settings) -> None:
        self.model = model
        self._drawer = drawer
        self.settings = settings
        self.optimizer = _optimizer(model, settings.learning_rate)

    def update(self, batch: Batch, generator: torch.Generator) -> dict[str, float]:
        """Learn to guess the next words of a batch; returns the loss, a mean over words."""
        candidates = self._drawer.draw(batch.ids, generator)
        words = Words.of(self.model.table, candidates)
        wanted = batch.among(candidates).ended()
        states = self.model.states(shifted(wanted), words, dropout=self.settings.dropout, generator=generator)
        asked = wanted != PADDING
        loss = nn.functional.cross_entropy(self.model.scores(states[asked], words), wanted[asked])
        _step(self.optimizer, self.model.parameters(), loss, clip=self.settings.gradient_clip)
        return {"loss": loss.item()}


class AutoencoderLearner:
    """Trains a warm start of the summarizer: its encoder and both decoders learn to write the source again."""

    def __init__(self, model: Seq3, drawer: CandidateDrawer) -> None:
        self.model = model
        self._drawer = drawer
        self.optimizer = _optimizer(model, model.settings.autoencoder_learning_rate)

    def update(self, batch: Batch, generator: torch.Generator) -> dict[str, float]:
        """Learn to copy a batch; returns the losses of both decoders, means over words, and their sum."""
        candidates = self._drawer.draw(batch.ids, generator)
        words = Words.of(self.model.table, candidates)
        compressor, reconstructor = self.model.copy_source(batch.among(candidates), words, generator)
        terms = {"compressor": reconstruction_loss(*compressor), "reconstructor": reconstruction_loss(*reconstructor)}
        loss = terms["compressor"] + terms["reconstructor"]
        _step(self.optimizer, self.model.parameters(), loss, clip=self.model.settings.gradient_clip)
        return {"loss": loss.item(), **{name: term.item() for name, term in terms.items()}}


class Seq3Learner:
    """Trains the summarizer."""

    def __init__(self, model: Seq3, lm: LanguageModel, drawer: CandidateDrawer, *, inverse_frequencies: Tensor) -> None:
        """`inverse_frequencies` are the IDF weights of all words (words)."""
        self.model = model
        self._drawer = drawer
        self.lm = lm.requires_grad_(False)
        self.optimizer = _optimizer(model, model.settings.learning_rate)
        self._inverse_frequencies = inverse_frequencies

    def update(self, batch: Batch, generator: torch.Generator) -> dict[str, float]:
        """Learn from a batch; returns the losses, their weighted sum and the mean length of the summaries in words."""
        settings = self.model.settings
        candidates = self._drawer.draw(batch.ids, generator)
        batch = batch.among(candidates)
        words = Words.of(self.model.table, candidates)
        targets = drawn_lengths(batch.lengths, settings, generator)
        summary = self.model.sample(batch, targets, words, generator)
        terms = {
            "reconstruction": reconstruction_loss(*self.model.reconstruct(summary, batch, words, generator)),
            "prior": self._prior_loss(summary, candidates),
            "topic": self._topic_loss(summary, batch, words),
            "length": length_loss(summary.scores[torch.arange(len(targets)), targets]),
        }
        loss = sum((getattr(settings, f"{name}_weight") * term for name, term in terms.items()), torch.zeros(()))
        _step(self.optimizer, self.model.parameters(), loss, clip=settings.gradient_clip)
        values = {name: term.item() for name, term in terms.items()}
        return {"loss": loss.item(), **values, "mean_length": summary.lengths.float().mean().item()}

    def _prior_loss(self, summary: Sampled, candidates: Candidates) -> Tensor:
        inside = _inside(summary)
        words = Words.of(self.lm.table, candidates)
        with torch.no_grad():
            prior = self.lm.scores(self.lm.states(shifted(summary.ids), words)[inside], words)
        return prior_loss(summary.scores[:, :-1][inside], prior)

    def _topic_loss(self, summary: Sampled, batch: Batch, words: Words) -> Tensor:
        weights = self._inverse_frequencies
        weights = weights if words.candidates is None else weights[words.candidates.numbers]
        source_weights = weights[batch.ids]  # that of padding is 0
        summary_weights = weights[summary.ids] * _inside(summary)
        return topic_loss(
            weighted_mean(words.table[batch.ids], source_weights),
            weighted_mean(summary.embeddings, summary_weights),
        )


Learner = LanguageModelLearner | AutoencoderLearner | Seq3Learner
"""What a phase of a run drives."""


def drawn_lengths(lengths: Tensor, settings: Seq3Settings, generator: torch.Generator) -> Tensor:
    """The length of each summary (M), drawn between two shares of the source's; at least one word."""
    shares = torch.rand(lengths.shape, generator=generator) * (settings.longest - settings.shortest)
    return ((settings.shortest + shares) * lengths).round().long().clamp(min=1)


def _inside(summary: Sampled) -> Tensor:
    """Places that belong to the summaries: (rows, steps)."""
    return torch.arange(summary.ids.shape[1])[None] < summary.lengths[:, None]


def _optimizer(model: nn.Module, rate: float) -> torch.optim.Optimizer:
    return torch.optim.Adam(model.parameters(), lr=rate, fused=True)


def _step(optimizer: torch.optim.Optimizer, weights: Iterable[Tensor], loss: Tensor, *, clip: float) -> None:
    loss.backward()  # type: ignore[no-untyped-call]
    norm = nn.utils.clip_grad_norm_(list(weights), clip)
    if not norm.isfinite():
        raise RunError("Training has diverged: the gradients are no numbers any more. Lower the learning rate.")
    optimizer.step()
    optimizer.zero_grad()
