"""The public summarizer: walk, choose the step, write the result (section 4.4, Inference)."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import overload

from ealm.agent import Agent
from ealm.agent_folder import SavedAgent
from ealm.config import Settings
from ealm.converter import Converter
from ealm.edits import Action, summary_length
from ealm.errors import LanguageModelError, SettingsError, TextError
from ealm.ignored_words import IgnoredWords
from ealm.masked_lm import MaskedLM, TransformersMaskedLM
from ealm.rewards import compression_rate
from ealm.rollout import Walk, walk
from ealm.scoring import BestStepSearch, EveryStepSearch, LastStepSearch, ScoredStep, best_of, run_searches
from ealm.source import Source, written_reconstruction, written_summary
from ealm.summary import Edit, Summary, TraceStep
from ealm.text import join_words, split_words

_SENTENCES_AT_ONCE = 128
"""Enough for full batches, few enough to bound the memory of a long list."""


class Summarizer:
    """A trained agent with its language model."""

    def __init__(self, agent: Agent, lm: MaskedLM, *, ignored_words: IgnoredWords, settings: Settings) -> None:
        if agent.width != lm.width:
            raise LanguageModelError(
                f"The agent was trained on encodings of width {agent.width}, but {lm.name} gives {lm.width}. "
                "Name the language model that it was trained with: --lm"
            )
        self.agent = agent.eval()
        self.lm = lm
        self.ignored_words = ignored_words
        self.settings = settings
        self._converter = Converter(lm, settings.decoding)

    @classmethod
    def from_pretrained(
        cls,
        folder: str | os.PathLike[str],
        *,
        lm: MaskedLM | str | os.PathLike[str] | None = None,
        device: str = "cpu",
        engine: str = "torch",
    ) -> "Summarizer":
        """Load what `save_pretrained` or `ealm train` wrote; `lm` replaces the language model named there."""
        saved = SavedAgent.load(Path(folder))
        if lm is None or isinstance(lm, str | os.PathLike):
            lm = TransformersMaskedLM.load(saved.lm_name if lm is None else lm, device=device, engine=engine)
        return cls(saved.build().to(device), lm, ignored_words=saved.ignored_words, settings=saved.settings)

    def with_decoding(self, mode: str) -> "Summarizer":
        """The same summarizer, filling holes in another way ("sequential" or "parallel")."""
        settings = self.settings.override({"decoding.mode": mode})
        return Summarizer(self.agent, self.lm, ignored_words=self.ignored_words, settings=settings)

    def save_pretrained(self, folder: str | os.PathLike[str]) -> None:
        """Write weights, settings and word list; the language model is named, not copied."""
        saved = SavedAgent(
            weights=self.agent.state_dict(),
            width=self.agent.width,
            lm_name=self.lm.name,
            ignored_words=self.ignored_words,
            settings=self.settings,
        )
        saved.save(Path(folder))

    @overload
    def summarize(  # type: ignore[overload-overlap]  # a str is a Sequence[str] too, but never meant as one
        self, texts: str, *, words: int | None = ..., trace: bool = ..., recoverability: bool = ...
    ) -> Summary: ...

    @overload
    def summarize(
        self, texts: Sequence[str], *, words: int | None = ..., trace: bool = ..., recoverability: bool = ...
    ) -> list[Summary]: ...

    def summarize(
        self,
        texts: str | Sequence[str],
        *,
        words: int | None = None,
        trace: bool = False,
        recoverability: bool = False,
    ) -> Summary | list[Summary]:
        """Summarize a sentence, or a list of sentences in order.

        Without `words`, the step with the best balance of compression and reconstruction is chosen. With `words`,
        the summary has at most that many words, and its reconstruction rate is left out unless `recoverability`
        asks for it. `trace` works out the rates of every step, also of those that could not be chosen any more,
        which takes several times longer.
        """
        sentences = [texts] if isinstance(texts, str) else list(texts)
        summaries = list(self.stream(sentences, words=words, trace=trace, recoverability=recoverability))
        return summaries[0] if isinstance(texts, str) else summaries

    def stream(
        self,
        texts: Iterable[str],
        *,
        words: int | None = None,
        trace: bool = False,
        recoverability: bool = False,
    ) -> Iterator[Summary]:
        """Summaries in the order of the texts, in bounded memory; arguments as in `summarize`."""
        if words is not None and words < 1:
            raise SettingsError(f"words must be at least 1, got {words}.")
        return self._stream(texts, words, trace=trace, recoverability=recoverability)

    def _stream(
        self, texts: Iterable[str], words: int | None, *, trace: bool, recoverability: bool
    ) -> Iterator[Summary]:
        numbered = enumerate(texts, start=1)
        while chunk := list(islice(numbered, _SENTENCES_AT_ONCE)):
            sources = [self._prepare(text, number) for number, text in chunk]
            yield from self._summarize_sources(sources, words, trace=trace, recoverability=recoverability)

    def _prepare(self, text: str, number: int) -> Source:
        if not text.isascii() and not _is_unicode(text):
            raise TextError(f"Sentence {number} is not valid Unicode: it was not UTF-8 where it came from.")
        words = split_words(text)
        if len(words) > self.lm.max_words:
            raise TextError(
                f"Sentence {number} has {len(words)} words, and {self.lm.name} can take {self.lm.max_words}. "
                "Split it into sentences, one a line."
            )
        return Source.prepare(words, self.lm, self.ignored_words)

    def _summarize_sources(
        self, sources: Sequence[Source], limit: int | None, *, trace: bool, recoverability: bool
    ) -> Iterator[Summary]:
        spoken = [source for source in sources if source.words]
        limits = None if limit is None else [limit] * len(spoken)
        walks = walk(self.agent, self.lm.encode([source.ids for source in spoken]), limits=limits)
        if trace:
            known = self._every_step(spoken, walks, fixed_length=limit is not None)
        elif limit is None:
            known = self._best_step(spoken, walks)
        else:
            known = self._last_step(spoken, walks, with_rate=recoverability)
        results = zip(spoken, walks, known, strict=True)
        for source in sources:
            yield self._summary(*next(results)) if source.words else _NOTHING

    def _best_step(self, sources: Sequence[Source], walks: Sequence[Walk]) -> "list[_Known]":
        searches = [BestStepSearch(*pair, self.settings.rewards) for pair in zip(sources, walks, strict=True)]
        run_searches(searches, self._converter)
        return [_Known(search.best, {search.best.step: search.best}) for search in searches]

    def _last_step(self, sources: Sequence[Source], walks: Sequence[Walk], *, with_rate: bool) -> "list[_Known]":
        rewards = self.settings.rewards
        pairs = zip(sources, walks, strict=True)
        searches = [LastStepSearch(*pair, rewards, with_rate=with_rate) for pair in pairs]
        run_searches(searches, self._converter)
        return [_Known(search.last, {search.last.step: search.last}) for search in searches]

    def _every_step(self, sources: Sequence[Source], walks: Sequence[Walk], *, fixed_length: bool) -> "list[_Known]":
        searches = [EveryStepSearch(*pair, self.settings.rewards) for pair in zip(sources, walks, strict=True)]
        run_searches(searches, self._converter)
        known = []
        for search in searches:
            steps = search.steps
            chosen = steps[-1] if fixed_length else best_of(steps)
            known.append(_Known(chosen, {step.step: step for step in steps}))
        return known

    def _summary(self, source: Source, path: Walk, known: "_Known") -> Summary:
        chosen = known.chosen
        written = written_summary(source, chosen.conversion, self.lm)
        assert written is not None, "a chosen step has a summary"
        return Summary(
            source=join_words(source.words),
            summary=join_words(written),
            compression_rate=chosen.compression_rate,
            reconstruction_rate=chosen.reconstruction_rate,
            step=chosen.step,
            edits=_edits(source, path, chosen, written),
            trace=tuple(self._trace(source, path, known.steps)),
        )

    def _trace(self, source: Source, path: Walk, known: Mapping[int, ScoredStep]) -> Iterator[TraceStep]:
        for number, step in enumerate(path.steps, start=1):
            actions = path.actions_after(number)
            scored = known.get(number)
            summary = reconstruction = None
            if scored is not None:
                summary = written_summary(source, scored.conversion, self.lm)
                reconstruction = written_reconstruction(source, scored.conversion, self.lm)
            elif Action.REPLACE not in actions:  # nothing to fill: the summary is known without asking
                summary = tuple(w for w, a in zip(source.words, actions, strict=True) if a == Action.KEEP)
            yield TraceStep(
                step=number,
                position=step.word,
                word=source.words[step.word],
                action=step.action,
                q_values=step.q_values,
                compression_rate=compression_rate(summary_length(actions), len(actions)),
                summary=None if summary is None else join_words(summary),
                reconstruction=None if reconstruction is None else join_words(reconstruction),
                reconstruction_rate=None if scored is None else scored.reconstruction_rate,
            )


def _is_unicode(text: str) -> bool:
    """False for the half characters that Python makes of bytes which it could not decode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Known:
    """The chosen step of a walk, and every step whose rates were worked out."""

    __slots__ = ("chosen", "steps")

    def __init__(self, chosen: ScoredStep, steps: Mapping[int, ScoredStep]) -> None:
        self.chosen = chosen
        self.steps = steps


def _edits(source: Source, path: Walk, chosen: ScoredStep, written: Sequence[str]) -> tuple[Edit, ...]:
    order = {step.word: number for number, step in enumerate(path.steps[: chosen.step], start=1)}
    remaining = iter(written)
    edits = []
    for place, (word, action) in enumerate(zip(source.words, chosen.conversion.actions, strict=True)):
        new = None if action == Action.REMOVE else next(remaining)
        edits.append(Edit(word, action, order.get(place), new if action == Action.REPLACE else None))
    return tuple(edits)


_NOTHING = Summary(source="", summary="", compression_rate=0.0, reconstruction_rate=1.0, step=0, edits=(), trace=())
"""The summary of an empty line."""
