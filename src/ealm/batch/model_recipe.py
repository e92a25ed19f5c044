"""How a process comes by something that shortens texts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from ealm import __version__
from ealm.batch.chunks import RowResult
from ealm.common.config import AUTO
from ealm.common.errors import EalmError
from ealm.common.identity import fingerprint
from ealm.lm import bundled as embedded
from ealm.summarize.options import SummarizeOptions

if TYPE_CHECKING:
    from ealm.summarize.summarizer import Summarizer

Answering = Callable[[Sequence[str]], list[RowResult]]
"""Answers to texts, in order; a text that cannot be shortened gets a reason."""


class Recipe(Protocol):
    """Small enough to be sent to a worker."""

    def load(self, threads: int | None) -> Answering:
        """Get ready to compute in so many threads; None leaves that as it is."""

    def identity(self) -> dict[str, Any]:
        """All that decides what the answers are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRecipe:
    """A trained agent and the options of its summaries."""

    model: str
    lm: str | None = None
    device: str = "cpu"
    engine: str = AUTO
    grammar: str = "embedded"
    options: SummarizeOptions = field(default_factory=SummarizeOptions)

    def load(self, threads: int | None) -> Answering:
        """Load the agent and its language model."""
        import torch

        from ealm.summarize.summarizer import Summarizer

        if threads is not None:
            torch.set_num_threads(min(threads, torch.get_num_threads()))
        summarizer = Summarizer(self.model, lm=self.lm, device=self.device, engine=self.engine, grammar=self.grammar)
        summarizer.check(self.options)
        return lambda texts: _answers(summarizer, texts, self.options)

    def identity(self) -> dict[str, Any]:
        """The agent counts by what is in its files, the language model by its name."""
        folder = embedded.agent_folder(self.model)
        files = [
            folder / name
            for name in ("agent.json", "agent.safetensors", "frequent_words.json", "frequent_words.json.gz")
        ]
        return {
            "version of ealm": __version__,
            "model": fingerprint(file.read_bytes() for file in files if file.is_file()),
            **{name: getattr(self, name) for name in ("lm", "device", "engine", "grammar")},
            **{name: value for name, value in self.options.keywords().items() if value is not None},
        }


def _answers(summarizer: "Summarizer", texts: Sequence[str], options: SummarizeOptions) -> list[RowResult]:
    try:
        found = summarizer.together([(text, options) for text in texts])
    except Exception as error:  # noqa: BLE001  # one strange text must not end a job of a million
        if len(texts) == 1:
            return [RowResult(error=f"{type(error).__name__}: {error}")]
        return [answer for text in texts for answer in _answers(summarizer, [text], options)]
    return [
        RowResult(error=str(answer)) if isinstance(answer, EalmError) else RowResult(answer.summary) for answer in found
    ]
