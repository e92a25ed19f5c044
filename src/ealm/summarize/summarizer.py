"""The public summarizer: load it, save it, give it texts (section 4.4, Inference)."""

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ealm.common.caching import cached_property
from ealm.common.config import AUTO, Settings
from ealm.common.errors import EalmError, EalmWarning
from ealm.common.progress import with_progress
from ealm.grammar.loading import EMBEDDED
from ealm.grammar.protocol import Grammar
from ealm.lm import bundled
from ealm.lm.masked_lm import MaskedLM, TransformersMaskedLM
from ealm.paper.ignored_words import IgnoredWords
from ealm.summarize.documents import Text
from ealm.summarize.inputs import as_list, by_shape_of_texts, check_text
from ealm.summarize.model_options import ModelParts, Pipelines
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.pipeline import AnyAgent, Pipeline
from ealm.summarize.result import Summary
from ealm.summarize.result_builder import unknown_language
from ealm.summarize.saved_agent import SavedAgent
from ealm.text.protected_words import named_indices

_TEXTS_AT_ONCE = 128
"""Enough for full batches, few enough to bound the memory of a long list."""


class Summarizer:
    """An unsupervised summarizer of English text: a trained agent with its language model.

    >>> from ealm import Summarizer
    >>> summarizer = Summarizer()
    >>> summarizer.summarize("The council voted on Tuesday to close the old bridge.", words=6)  # doctest: +SKIP
    """

    def __init__(
        self,
        model: str | os.PathLike[str] = bundled.NAME,
        *,
        lm: MaskedLM | str | os.PathLike[str] | None = None,
        device: str = "cpu",
        engine: str = AUTO,
        grammar: str = EMBEDDED,
    ) -> None:
        """Load a model.

        Args:
            model: Folder of a trained agent (of `ealm train`, `ealm.train` or `save_pretrained`); "embedded", the one
                in the package; or "embedded-paper", the one that was trained as in the paper.
            lm: Masked language model in place of the one that the agent names: a folder, a hub name, or an object.
            device: Where to compute: "cpu", "cuda", ...
            engine: What runs the models: "torch", in single precision; "int8", faster on a CPU with VNNI, which rounds;
                or "auto", the sentence encoder in sixteen bits where the processor has such arithmetic.
            grammar: What parses sentences for plans: "embedded", the parser in the package; the name of an installed
                spaCy pipeline; or "none", to plan over neighbouring words only.
        """
        if not isinstance(model, str | os.PathLike):
            raise TypeError(
                f"model= must be a folder or a name, got {type(model).__name__}. A summarizer of an agent in memory "
                "is made by Summarizer.from_parts."
            )
        folder = bundled.agent_folder(model)
        saved = SavedAgent.load(folder)
        name = saved.lm_name if lm is None else lm
        if isinstance(name, str | os.PathLike):
            name = TransformersMaskedLM.load(name, device=device, engine=engine)
        agent = saved.build().to(device)
        self._pipelines = Pipelines(
            parts=ModelParts.of(
                agent,
                name,
                ignored_words=saved.ignored_words,
                settings=saved.settings,
                grammar=grammar,
                engine=engine,
            )
        )
        known = os.fspath(model) if str(folder) != os.fspath(model) else folder.resolve()
        self._loaded_with: dict[str, Any] | None = {
            "model": known,
            "lm": lm,
            "device": device,
            "engine": engine,
            "grammar": grammar,
        }

    @classmethod
    def from_pretrained(
        cls,
        model: str | os.PathLike[str] = bundled.NAME,
        *,
        lm: MaskedLM | str | os.PathLike[str] | None = None,
        device: str = "cpu",
        engine: str = AUTO,
        grammar: str = EMBEDDED,
    ) -> "Summarizer":
        """The same as `Summarizer(...)`, under the name that other libraries use."""
        return cls(model, lm=lm, device=device, engine=engine, grammar=grammar)

    @classmethod
    def from_parts(
        cls,
        agent: AnyAgent,
        lm: MaskedLM,
        *,
        ignored_words: IgnoredWords,
        settings: Settings,
        grammar: Grammar | None = None,
    ) -> "Summarizer":
        """A summarizer of an agent and a language model that are in memory already; without `grammar`, it has none."""
        made = cls.__new__(cls)
        parts = ModelParts.of(agent, lm, ignored_words=ignored_words, settings=settings, grammar=grammar)
        made._pipelines = Pipelines(parts=parts)
        made._loaded_with = None
        return made

    @property
    def agent(self) -> AnyAgent:
        """The trained agent."""
        return self._pipelines.parts.agent

    @property
    def lm(self) -> MaskedLM:
        """The masked language model."""
        return self._pipelines.parts.lm

    @property
    def ignored_words(self) -> IgnoredWords:
        """Words that do not count as content."""
        return self._pipelines.parts.ignored_words

    @property
    def settings(self) -> Settings:
        """Settings that the agent was trained with."""
        return self._pipelines.parts.settings

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

    @by_shape_of_texts
    def summarize(
        self,
        texts: str | Iterable[str],
        *,
        words: int | None = None,
        chars: int | None = None,
        bytes: int | None = None,  # noqa: A002 - the unit
        tokens: int | None = None,
        ratio: float | None = None,
        whole_sentences: bool = False,
        keep: str | Iterable[str] = (),
        protect: str | Iterable[str] | None = None,
        extractive: bool = False,
        reword: bool = False,
        pretokenized: bool = False,
        markup: str = "text",
        tokenizer: str = bundled.NAME,
        style: str | None = None,
        effort: str | None = None,
        nested: bool = True,
        decoding: str | None = None,
        recoverability: bool = False,
        reconstruction: bool = False,
        trace: bool = False,
    ) -> Summary | list[Summary] | Iterator[Summary]:
        """Summarize texts; a text is a sentence or several, as people write them.

        Args:
            texts: A string gives one `Summary`; a list, a tuple, a pandas Series or a NumPy array gives a list in the
                same order; an iterator gives an iterator, in bounded memory.
            words: At most so many words in the summary. Without a length the agent chooses: a third of the text,
                or with an agent of the paper's kind the best balance of compression and reconstruction.
            chars: At most so many characters.
            bytes: At most so many bytes of UTF-8.
            tokens: At most so many tokens of a language model, counted by `tokenizer`.
            ratio: At most this share of the text's words, above 0 and at most 1.
            whole_sentences: Choose among the sentences of a text and leave each as it is.
            keep: Words that are never removed or replaced.
            protect: Kinds of words that stay as long as the length allows: "negation" (the default; with the word that
                it negates), "numbers", "names", or "none".
            extractive: Never replace a word.
            reword: Let a shorter word stand for a phrase ("premier", "7.4%") where the text is too long.
            pretokenized: White space separates the words of one sentence, and of its summary; nothing is tidied, and
                nothing is protected unless `protect` says so.
            markup: What the text is written in: "text", "markdown" or "html"; a limit counts what readers see.
            tokenizer: What counts tokens: "embedded", a tokenizer.json, a folder with one, or a name on the hub.
            style: "headline" (articles and auxiliaries go first) or "plain"; by default the model's own.
            effort: "walk" (word after word by Q-values), "plan" (best summary by estimated word importance) or "search"
                (best summary by word importance computed for this sentence; some forty times the work).
            nested: A shorter summary of a sentence is part of a longer one; with False, each length has the best
                summary by itself.
            decoding: "sequential" (as in the paper), or "approximate" or "parallel" (faster, not always the same).
            recoverability: Compute the reconstruction rate also where the length is given.
            reconstruction: Also what the language model reconstructs for every removed word, in the edits.
            trace: Every step of the walk with its summary and rates; several times slower.
        """
        options = SummarizeOptions.of(locals())
        self.check(options)  # now, not by the first summary of a stream
        if isinstance(texts, str):
            (summary,) = self._stream([texts], options)
            return summary
        found = as_list(texts)
        if found is None:
            return self._stream(texts, options, callers=1)
        return list(with_progress(self._stream(found, options), len(found)))

    def summarize_with(
        self, texts: Iterable[str], options: SummarizeOptions, *, ready: Callable[[], bool] | None = None
    ) -> Iterator[Summary]:
        """Summaries one after the other, in bounded memory, with the options as one value.

        `ready`: whether the next text can be had without waiting; if not, those before it do not wait for it.
        """
        self.check(options)  # now, not by the first summary
        return self._stream(texts, options, callers=1, ready=ready)

    def curve(
        self,
        text: str,
        *,
        whole_sentences: bool = False,
        keep: str | Iterable[str] = (),
        protect: str | Iterable[str] | None = None,
        extractive: bool = False,
        reword: bool = False,
        pretokenized: bool = False,
        markup: str = "text",
        tokenizer: str = bundled.NAME,
        style: str | None = None,
        effort: str | None = None,
        nested: bool = True,
        decoding: str | None = None,
        recoverability: bool = True,
        reconstruction: bool = False,
        trace: bool = False,
    ) -> list[Summary]:
        """Summaries of one text at every length, the longest first; options as in `summarize`, except the length."""
        return list(self.curve_with(text, SummarizeOptions.of(locals())))

    def curve_with(self, text: str, options: SummarizeOptions) -> Iterator[Summary]:
        """The summaries of `curve` as they are worked out, with the options as one value."""
        pipeline = self._pipelines.get(options)
        yield from pipeline.curve(self._read(pipeline, text, None, options))

    def check(self, options: SummarizeOptions) -> None:
        """Raise a `SettingsError` if this model cannot work that way; loads nothing."""
        self._pipelines.resolved(options)

    def together(self, requests: Sequence[tuple[str, SummarizeOptions]]) -> list[Summary | EalmError]:
        """Summaries of texts with their own options; for a text that cannot be used, the error.

        Texts share batches unless their effort, style or decoding differ.
        """
        answers: list[Summary | EalmError | None] = [None] * len(requests)
        groups: dict[Pipeline, list[tuple[int, Text]]] = {}
        for number, (text, options) in enumerate(requests):
            try:
                pipeline = self._pipelines.get(options)
                groups.setdefault(pipeline, []).append((number, self._read(pipeline, text, None, options)))
            except EalmError as error:
                answers[number] = error
        for pipeline, members in groups.items():
            found = _summarized(pipeline, [text for _, text in members])
            for (number, _), answer in zip(members, found, strict=True):
                answers[number] = answer
        return [answer for answer in answers if answer is not None]

    def with_effort(self, effort: str, similarity: str | os.PathLike[str] = bundled.NAME) -> "Summarizer":
        """The same summarizer with another default of `effort`; `similarity` names the model of "search"."""
        checked = SummarizeOptions(effort=effort).effort
        return self._varied(self._pipelines.varied(effort=checked, similarity=similarity))

    def with_style(self, style: str) -> "Summarizer":
        """The same summarizer with another default of `style`."""
        self.check(SummarizeOptions(style=style))
        return self._varied(self._pipelines.varied(settings=self.settings.override({"goal.style": style})))

    def with_decoding(self, decoding: str, *, confidence: float | None = None) -> "Summarizer":
        """The same summarizer with another default of `decoding`.

        `confidence`: how probable a word must be to be filled in beside the surest one; with 0, all are at once.
        """
        values: dict[str, Any] = {"decoding.mode": decoding}
        if confidence is not None:
            values["decoding.parallel_confidence"] = confidence
        return self._varied(self._pipelines.varied(settings=self.settings.override(values)))

    def _varied(self, pipelines: Pipelines) -> "Summarizer":
        pipelines.resolved(SummarizeOptions())  # raises for a default that does not go with the agent
        made = type(self).__new__(type(self))
        made._pipelines, made._loaded_with = pipelines, self._loaded_with
        return made

    def __repr__(self) -> str:
        origin = "parts in memory" if self._loaded_with is None else repr(os.fspath(self._loaded_with["model"]))
        return f"Summarizer({origin}, lm={self.lm.name!r})"

    def __getstate__(self) -> dict[str, Any]:
        """What was loaded by name is sent to another process by name, and loaded there."""
        own = self._pipelines
        defaults = {"settings": self.settings, "effort": own.effort, "similarity": own.similarity}
        if self._loaded_with is not None:
            return {"loaded_with": self._loaded_with, "defaults": defaults}
        parts = {"agent": self.agent, "lm": self.lm, "ignored_words": self.ignored_words, "settings": self.settings}
        return {"parts": parts, "defaults": defaults}

    def __setstate__(self, state: dict[str, Any]) -> None:
        made = Summarizer.from_parts(**state["parts"]) if "parts" in state else Summarizer(**state["loaded_with"])
        self._pipelines = made._pipelines.varied(**state["defaults"])
        self._loaded_with = made._loaded_with

    def _stream(
        self,
        texts: Iterable[str],
        options: SummarizeOptions,
        *,
        callers: int = 2,
        ready: Callable[[], bool] | None = None,
    ) -> Iterator[Summary]:
        """`callers`: how many calls up the user's own code is, for warnings."""
        pipeline = self._pipelines.get(options)
        unseen = set(options.keep_words)
        numbered, count = enumerate(texts), 0
        while chunk := list(_at_once(numbered, ready)):
            read = [self._read(pipeline, text, index, options) for index, text in chunk]
            count += len(read)
            unseen = _still_unseen(unseen, read)
            yield from pipeline.summarize(read)
        if unseen and count:
            where = "the text" if count == 1 else f"any of the {count:,} texts"
            words = ", ".join(repr(word) for word in sorted(unseen))
            warnings.warn(f"keep= names {words}, not found in {where}.", EalmWarning, stacklevel=callers + 1)

    def _read(self, pipeline: Pipeline, text: str, index: int | None, options: SummarizeOptions) -> Text:
        read = pipeline.read(check_text(text, index), options)
        if not read.known and read.language not in self._named_languages:
            self._named_languages.add(read.language)
            warnings.warn(unknown_language(read.language), EalmWarning, stacklevel=2)
        return read

    @cached_property
    def _named_languages(self) -> set[str | None]:
        """Languages that a warning has named: one is enough."""
        return set()


def _summarized(pipeline: Pipeline, texts: Sequence[Text]) -> Sequence[Summary | EalmError]:
    """All in one batch; if a text breaks that (words to keep that do not fit its limit), each by itself."""
    try:
        return pipeline.summarize(texts)
    except EalmError as error:
        if len(texts) == 1:
            return [error]
        return [answer for text in texts for answer in _summarized(pipeline, [text])]


def _at_once(texts: Iterator[tuple[int, str]], ready: Callable[[], bool] | None) -> Iterator[tuple[int, str]]:
    """Those of the next texts that are summarized together."""
    for text in islice(texts, _TEXTS_AT_ONCE):
        yield text
        if ready is not None and not ready():
            return


def _still_unseen(words: set[str], texts: Sequence[Text]) -> set[str]:
    """Those of the words to keep that none of the texts has."""
    for text in texts:
        for prepared in text.sentences:
            if not words:
                return words
            own = prepared.original.words
            seen = [own[index] for index in named_indices(own, words)]
            words = {word for word in words if not named_indices(seen, [word])}
    return words
