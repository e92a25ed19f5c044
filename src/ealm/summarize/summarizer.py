"""The public summarizer: load it, save it, give it texts (section 4.4, Inference)."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from itertools import islice
from pathlib import Path
from typing import Unpack, overload

from ealm.common.config import Settings
from ealm.common.errors import EalmError, LanguageModelError, SettingsError, TextError
from ealm.goal_agent.agent import GoalAgent
from ealm.goal_agent.planning import EstimatedScores, MeasuredScores, SentencePlanner, WordScorer
from ealm.goal_agent.potential_terms import PotentialModel
from ealm.goal_agent.word_importance import ImportanceModel
from ealm.lm import bundled as embedded
from ealm.lm.masked_lm import MaskedLM, TransformersMaskedLM
from ealm.paper.assessment import SentenceSimilarity
from ealm.paper.encodings import look_for
from ealm.paper.ignored_words import IgnoredWords
from ealm.summarize.documents import Text
from ealm.summarize.options import SummarizeOptions, Wishes
from ealm.summarize.pipeline import AnyAgent, Pipeline
from ealm.summarize.result import Summary
from ealm.summarize.saved_agent import SavedAgent

_TEXTS_AT_ONCE = 128
"""Enough for full batches, few enough to bound the memory of a long list."""

_LONG_LIST = 256
"""Texts from which on a list is worth a progress bar."""


EFFORTS = ("walk", "plan", "search")
"""How much work goes into a summary."""


class Summarizer:
    """A trained agent with its language model; without arguments, those that come with the package."""

    def __init__(
        self,
        agent: AnyAgent | None = None,
        lm: MaskedLM | None = None,
        *,
        ignored_words: IgnoredWords | None = None,
        settings: Settings | None = None,
    ) -> None:
        if agent is None or lm is None or ignored_words is None or settings is None:
            if any(part is not None for part in (agent, lm, ignored_words, settings)):
                raise TypeError("Summarizer() takes agent, lm, ignored_words and settings together, or none of them.")
            saved = SavedAgent.load(embedded.agent_folder())
            agent, ignored_words, settings = saved.build(), saved.ignored_words, saved.settings
            lm = TransformersMaskedLM.load(saved.lm_name)
        self._look = look_for(settings, lm, device=str(next(agent.parameters()).device))
        if agent.width != self._look.width:
            raise LanguageModelError(
                f"The agent was trained on encodings of width {agent.width}, but {lm.name} gives {self._look.width}. "
                "Name the language model that it was trained with: --lm"
            )
        self.agent = agent.eval()
        self.lm = lm
        self.ignored_words = ignored_words
        self.settings = settings
        estimates = isinstance(agent, GoalAgent) and agent.settings.estimates
        self._valuer = self._valuer_for("plan" if estimates else "walk")
        self._pipeline = self._new_pipeline()

    def _new_pipeline(self) -> Pipeline:
        return Pipeline(
            self.agent,
            self.lm,
            self._look,
            ignored_words=self.ignored_words,
            settings=self.settings,
            plans=None if self._valuer is None else SentencePlanner(self._valuer, self.settings.goal),
        )

    def _variant(self, settings: Settings, valuer: WordScorer | None) -> "Summarizer":
        """The same models in another use."""
        variant = copy(self)
        variant.settings, variant._valuer = settings, valuer
        variant._pipeline = variant._new_pipeline()
        return variant

    def with_effort(self, effort: str, similarity: str | os.PathLike[str] = embedded.NAME) -> "Summarizer":
        """The same summarizer, with other work on each sentence.

        - "walk": the agent removes word after word, as its Q-values tell.
        - "plan": the best draft by what the agent takes the words to be worth; the default of agents that have learned
          it (setting `goal.agent.estimates`).
        - "search": the best draft after weighing the words of this very sentence, with a sentence-similarity model
          by folder or hub name. Goes with agents that are told a length.
        """
        return self._variant(self.settings, self._valuer_for(effort, similarity))

    def with_style(self, style: str) -> "Summarizer":
        """The same summarizer, with plans in another style.

        - "headline": articles and auxiliaries go first, as in newspapers; the default of the preset `reader`.
        - "plain": they are words like others.
        """
        if self._valuer is None:
            raise SettingsError("A style goes with agents that plan (preset reader, effort plan or search).")
        return self._variant(self.settings.override({"goal.style": style}), self._valuer)

    def _valuer_for(self, effort: str, similarity: str | os.PathLike[str] = embedded.NAME) -> WordScorer | None:
        if effort not in EFFORTS:
            raise SettingsError(f"effort must be one of {', '.join(EFFORTS)}, got {effort!r}.")
        if effort == "walk":
            return None
        agent = self.agent
        if not isinstance(agent, GoalAgent):
            raise SettingsError(
                f"The effort {effort} goes with agents that are told a length (preset reader); this agent has "
                f"the preset {self.settings.preset}."
            )
        if effort == "search":
            importance = ImportanceModel(SentenceSimilarity.load(similarity))
            return MeasuredScores(PotentialModel(self.settings.goal.potential, importance))
        if not agent.settings.estimates:
            raise SettingsError(
                "This agent has not learned what words are worth, which the effort plan needs. Choose walk or search, "
                "or train an agent with --set goal.agent.estimates=true."
            )
        return EstimatedScores(agent)

    @classmethod
    def from_pretrained(
        cls,
        folder: str | os.PathLike[str] = embedded.NAME,
        *,
        lm: MaskedLM | str | os.PathLike[str] | None = None,
        device: str = "cpu",
        engine: str = "torch",
    ) -> "Summarizer":
        """Load what `save_pretrained` or `ealm train` wrote, or the embedded agent.

        `lm` replaces the language model named there.
        """
        saved = SavedAgent.load(embedded.agent_folder(folder))
        if lm is None or isinstance(lm, str | os.PathLike):
            lm = TransformersMaskedLM.load(saved.lm_name if lm is None else lm, device=device, engine=engine)
        return cls(saved.build().to(device), lm, ignored_words=saved.ignored_words, settings=saved.settings)

    def with_decoding(self, mode: str) -> "Summarizer":
        """The same summarizer, filling holes in another way ("sequential" or "parallel")."""
        return self._variant(self.settings.override({"decoding.mode": mode}), self._valuer)

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
        self, texts: str, **options: Unpack[Wishes]
    ) -> Summary: ...

    @overload
    def summarize(  # type: ignore[overload-overlap]  # a sequence is an iterable too, but gives a list
        self, texts: Sequence[str], **options: Unpack[Wishes]
    ) -> list[Summary]: ...

    @overload
    def summarize(self, texts: Iterable[str], **options: Unpack[Wishes]) -> Iterator[Summary]: ...

    def summarize(
        self, texts: str | Sequence[str] | Iterable[str], **options: Unpack[Wishes]
    ) -> Summary | list[Summary] | Iterator[Summary]:
        """Summarize a text; a list gives a list in the same order, any other iterable a stream.

        A text is a sentence or several, as people write them.

        - `words`, `chars`, `bytes` (at most so many) or `ratio` (at most such a share of the words) set the length of
          the whole text; without, the agent chooses: a third of each sentence, or with an agent of the paper's kind
          the best balance of compression and reconstruction.
        - `keep`: words that are never removed or replaced. `protect`: kinds of words that stay as long as the length
          allows: "negation" (the default; with the word that it negates), "numbers", "names". `extractive`: no word is
          replaced. `reword`: a shorter word may stand for a phrase ("premier", "7.4%"), where a text does not fit.
        - `pretokenized`: white space separates the words of one sentence, and the summary's too; nothing is tidied,
          nothing is protected unless asked for.
        - `recoverability`: work out the reconstruction rate also where the length is given. `reconstruction`: also what
          the language model rebuilds in the place of every word that is gone (in the edits). `trace`: work out the
          rates of every step, which takes several times longer.
        """
        if isinstance(texts, str):
            return next(self.stream([texts], **options))
        if isinstance(texts, Sequence):
            return list(_with_progress(self.stream(texts, **options), len(texts)))
        return self.stream(texts, **options)

    def stream(self, texts: Iterable[str], **options: Unpack[Wishes]) -> Iterator[Summary]:
        """Summaries in the order of the texts, in bounded memory; options as in `summarize`."""
        return self._stream(texts, SummarizeOptions.of(**options))

    def together(self, requests: Sequence[tuple[str, SummarizeOptions]]) -> list[Summary | EalmError]:
        """Summaries of texts with their own options, in common batches; an error for a text that cannot be used."""
        answers: list[Summary | EalmError | None] = [None] * len(requests)
        usable: list[tuple[int, Text]] = []
        for number, (text, options) in enumerate(requests):
            try:
                usable.append((number, self._read(text, 1, options)))
            except EalmError as error:
                answers[number] = error
        found = self._summarized([read for _, read in usable])
        for (number, _), answer in zip(usable, found, strict=True):
            answers[number] = answer
        return [answer for answer in answers if answer is not None]

    def _summarized(self, texts: Sequence[Text]) -> "Sequence[Summary | EalmError]":
        """All in one batch; if a text breaks that (words to keep that do not fit its limit), each by itself."""
        try:
            return self._pipeline.summarize(texts)
        except EalmError as error:
            if len(texts) == 1:
                return [error]
            return [answer for text in texts for answer in self._summarized([text])]

    def curve(self, text: str, **options: Unpack[Wishes]) -> list[Summary]:
        """Summaries of one text at every length, the longest first; options as in `summarize`, but for the length."""
        options.setdefault("recoverability", True)
        checked = SummarizeOptions.of(**options)
        return self._pipeline.curve(self._read(text, 1, checked))

    def _stream(self, texts: Iterable[str], options: SummarizeOptions) -> Iterator[Summary]:
        numbered = enumerate(texts, start=1)
        while chunk := list(islice(numbered, _TEXTS_AT_ONCE)):
            yield from self._pipeline.summarize([self._read(text, number, options) for number, text in chunk])

    def _read(self, text: str, number: int, options: SummarizeOptions) -> Text:
        if not isinstance(text, str):
            raise TextError(f"Text {number} is not a string, but {type(text).__name__}.")
        if not text.isascii() and not _is_unicode(text):
            raise TextError(f"Sentence {number} is not valid Unicode: it was not UTF-8 where it came from.")
        read = self._pipeline.read(text, options)
        longest = max((len(prepared.source.words) for prepared in read.sentences), default=0)
        if longest > self.lm.max_words:
            raise TextError(
                f"Sentence {number} has {longest} words, and {self.lm.name} can take {self.lm.max_words}. "
                "Split it into sentences, one a line."
            )
        return read


def _with_progress(summaries: Iterator[Summary], total: int) -> Iterator[Summary]:
    """A progress bar where somebody can see it and the list is long."""
    if total < _LONG_LIST or not sys.stderr.isatty():
        return summaries
    from tqdm import tqdm

    bar: Iterator[Summary] = iter(tqdm(summaries, total=total, unit=" texts", dynamic_ncols=True))
    return bar


def _is_unicode(text: str) -> bool:
    """False for the half characters that Python makes of bytes which it could not decode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
