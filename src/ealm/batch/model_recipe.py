"""How a process comes by something that shortens texts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ealm import __version__
from ealm.batch.chunks import RowResult
from ealm.common.errors import EalmError
from ealm.common.identity import fingerprint
from ealm.lm import bundled as embedded
from ealm.summarize.options import SummarizeOptions, Wishes

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
    """A trained agent and what is asked of it."""

    folder: str
    lm: str | None
    device: str
    engine: str
    decoding: str | None
    effort: str | None = None
    style: str | None = None
    wishes: Wishes

    def load(self, threads: int | None) -> Answering:
        """Load the agent and its language model."""
        import torch

        from ealm.summarize.summarizer import Summarizer

        if threads is not None:
            torch.set_num_threads(min(threads, torch.get_num_threads()))
        summarizer = Summarizer.from_pretrained(self.folder, lm=self.lm, device=self.device, engine=self.engine)
        if self.decoding is not None:
            summarizer = summarizer.with_decoding(self.decoding)
        if self.effort is not None:
            summarizer = summarizer.with_effort(self.effort)
        if self.style is not None:
            summarizer = summarizer.with_style(self.style)
        options = SummarizeOptions.of(**self.wishes)
        return lambda texts: _answers(summarizer, texts, options)

    def identity(self) -> dict[str, Any]:
        """The agent counts by what is in its files, the language model by its name."""
        folder = embedded.agent_folder(self.folder)
        files = [folder / name for name in ("agent.json", "agent.safetensors", "frequent_words.json")]
        return {
            "version of ealm": __version__,
            "model": fingerprint(file.read_bytes() for file in files if file.is_file()),
            **{name: getattr(self, name) for name in ("lm", "device", "engine", "decoding", "effort", "style")},
            **{name: value for name, value in self.wishes.items() if value is not None},
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
