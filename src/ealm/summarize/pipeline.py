"""From texts to summaries (section 4.4, Inference): walk, choose a step, query the language model, build the result."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from torch import Tensor

from ealm.common.config import Settings
from ealm.common.errors import TextError
from ealm.goal_agent.agent import GoalAgent
from ealm.goal_agent.planning import PlanningTask, SentencePlanner
from ealm.goal_agent.rollout import goal_walks
from ealm.lm.batching import BUSY_TOKENS
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.agent import Agent
from ealm.paper.converter import Converter
from ealm.paper.edits import Action
from ealm.paper.encodings import SourceEncoder
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.likely_step_search import LikelyStepSearch
from ealm.paper.rollout import Step, Walk, WalkSource, walk
from ealm.paper.step_search import BestStepSearch, EveryStepSearch, GivenActionsSearch, Search, run_searches
from ealm.summarize.documents import LengthPlanner, Text
from ealm.summarize.length_fitting import BalancedWalk, Shortened
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.paraphrase_alignment import untouched
from ealm.summarize.prepared_sentence import PreparedSentence
from ealm.summarize.rebuilding import readable
from ealm.summarize.result import Summary
from ealm.summarize.result_builder import ChoosingSearch, ResultBuilder, SentenceTask, text_summary
from ealm.summarize.salience import Floats, sentence_vectors
from ealm.summarize.tree_planner import GrammarPlans
from ealm.text.frames import read_frame
from ealm.text.language import ENGLISH, is_foreign, language_of
from ealm.text.lengths import Limit, measure, usual_limit
from ealm.text.sentences import LONGEST_SENTENCE, Sentence, no_clauses, pretokenized_sentences, sentences_of

AnyAgent = Agent | GoalAgent

_LENGTHS_AT_ONCE = 8
"""Lengths of a curve that share batches: enough for full ones, few enough to be soon done."""


@dataclass(frozen=True, slots=True)
class WalkRequest:
    """A sentence to walk."""

    words: Sequence[str]
    encodings: Tensor
    """(words, width)"""
    locked: Collection[int]
    """Words on which the agent does not decide."""
    dependents: Mapping[int, int]
    """Those of them that stay or go with another word, their head."""
    goal: int
    """Number of words to aim at."""
    extractive: bool
    """Whether no word may be replaced."""


def walk_sources(
    agent: AnyAgent, requests: Sequence[WalkRequest], *, plans: SentencePlanner | None
) -> Sequence[WalkSource]:
    """Walks of all sentences; with `plans`, by exact planning instead of the agent's Q-values."""
    if isinstance(agent, Agent):
        return _paper_walks(agent, requests)
    encodings = [request.encodings for request in requests]
    if plans is not None:
        return plans(
            [PlanningTask(request.words, request.locked, request.dependents) for request in requests], encodings
        )
    goals, locked = [request.goal for request in requests], [request.locked for request in requests]
    return goal_walks(agent, encodings, goals, locked=locked)


def _paper_walks(agent: Agent, requests: Sequence[WalkRequest]) -> list[WalkSource]:
    """Extractive requests apart from the others: the agent has fewer actions there."""
    found: dict[int, WalkSource] = {}
    for extractive in (False, True):
        chosen = [number for number, request in enumerate(requests) if request.extractive is extractive]
        encodings = [requests[number].encodings for number in chosen]
        locked = [requests[number].locked for number in chosen]
        found.update(zip(chosen, walk(agent, encodings, locked=locked, extractive=extractive), strict=True))
    return [found[number] for number in range(len(requests))]


def _first_words(text: Text) -> tuple[list[WalkSource], Floats]:
    """Walks that remove the last word first, and nothing about what the sentences say."""
    walks: list[WalkSource] = []
    for prepared in text.sentences:
        length = len(prepared.source.words)
        free = [index for index in reversed(range(length)) if index not in prepared.locked]
        walks.append(Walk(length, tuple(Step(index, Action.REMOVE, (0.0, 0.0)) for index in free)))
    return walks, np.zeros((len(walks), 1))


class Pipeline:
    """Agent, language model, word list and settings, ready to edit texts."""

    def __init__(
        self,
        agent: AnyAgent,
        lm: MaskedLM,
        encoder: SourceEncoder,
        *,
        ignored_words: IgnoredWords,
        settings: Settings,
        plans: SentencePlanner | None = None,
        grammar: "GrammarPlans | None" = None,
        languages: Collection[str] = (),
    ) -> None:
        """`encoder` encodes sentences for the agent; `plans` plans edits instead of following its Q-values.

        With `grammar`, they are planned over dependency trees. `languages` are those that the model knows, if it does
        not know all.
        """
        self._languages = languages
        self._grammar = grammar
        self._agent = agent
        self._encoder = encoder
        self._plans = plans
        self._lm = lm
        self._ignored_words = ignored_words
        self._rewards = settings.rewards
        self._method = settings.method
        self._converter = Converter(lm, settings.decoding, token_budget=BUSY_TOKENS)  # so that a piece of work is short
        self._results = ResultBuilder(lm, top_k=settings.rewards.top_k, decoding=settings.decoding.mode)

    def read(self, text: str, options: SummarizeOptions) -> Text:
        """Split a text into sentences and prepare them."""
        frame = None if options.pretokenized else read_frame(text, options.markup)
        seen = text if frame is None or options.markup == "text" else frame.seen
        language = language_of(seen) if self._languages and frame is not None else None
        known = language is None or language in self._languages
        limit = options.limit(seen)
        if limit is not None and frame is not None and frame.marks.seen:
            limit = replace(limit, seen=frame.marks.seen)
        fits = limit is not None and limit.allows(seen.strip())
        english = known and language in (None, ENGLISH)
        clauses = no_clauses if self._grammar is None or not english else self._grammar.clauses
        if frame is None:
            sentences = pretokenized_sentences(text, longest=self._lm.max_words, clauses=clauses)
        else:
            longest = min(LONGEST_SENTENCE, self._lm.max_words)
            unwrap = not fits or options.markup != "text"
            sentences = sentences_of(
                frame.blocks, longest=longest, unwrap=unwrap, language=language or ENGLISH, clauses=clauses
            )
        nonempty = [sentence for sentence in sentences if sentence.tokens]
        if known and self._languages and len(nonempty) > 1:  # what is quoted from another language stays whole, or goes
            nonempty = [self._whole_if_foreign(sentence) for sentence in nonempty]
        reword = options.reword and language in (None, ENGLISH) and not fits  # what fits already stays as it is
        prepared = tuple(
            PreparedSentence.prepare(
                sentence,
                self._lm,
                self._ignored_words,
                options,
                method=self._method,
                reword=reword,
                planned=known and self._grammar is not None,
            )
            for sentence in nonempty
        )
        if not known:  # no rule for words holds, and no full stop behind half a sentence
            prepared = tuple(replace(own, soft_keep=(), dependents={}) for own in prepared)
        return Text(prepared, limit, options, language, frame, known)

    def _whole_if_foreign(self, sentence: Sentence) -> Sentence:
        foreign = sentence.form == "prose" and is_foreign(sentence.text, self._languages)
        return replace(sentence, form="verbatim") if foreign else sentence

    def summarize(self, texts: Sequence[Text]) -> list[Summary]:
        """Summaries of all texts, each by its own options; where no statement fits, in shorter words if there are."""
        found = self._summaries(texts)
        reworded = {
            number: shorter
            for number, (text, own) in enumerate(zip(texts, found, strict=True))
            if not own.complete and (shorter := self._reworded(text)) is not None
        }
        if reworded:
            for number, own in zip(reworded, self._summaries(list(reworded.values())), strict=True):
                found[number] = own if own.complete else found[number]
        return found

    def _reworded(self, text: Text) -> Text | None:
        """A sentence in shorter words, where a plan over its tree may write them."""
        options = text.options
        english = text.language in (None, ENGLISH)  # as is the lexicon
        planned = self._grammar is not None and english and text.frame is not None
        if not planned or options.extractive or options.reword or len(text.sentences) != 1:
            return None
        (own,) = text.sentences
        shorter = PreparedSentence.prepare(
            own.paraphrased.original, self._lm, self._ignored_words, options, reword=True, planned=True
        )
        return replace(text, sentences=(shorter,)) if shorter.paraphrased.changes else None

    def _summaries(self, texts: Sequence[Text]) -> list[Summary]:
        found, vectors = self._walk_sources(texts)
        walks = self._balanced(texts, found)
        tasks = [self._tasks(*row) for row in zip(texts, walks, vectors, strict=True)]
        self._finish([task for row in tasks for task in row])
        parts = [[self._results.summary(task) for task in row] for row in tasks]
        return [text_summary(text, row) for text, row in zip(texts, parts, strict=True)]

    def curve(self, text: Text) -> Iterator[Summary]:
        """Summaries of one text at every length that its walks pass, the longest first, as they are worked out."""
        found, (vectors,) = self._walk_sources([text])
        (walks,) = self._balanced([text], found, every_length=True)
        parts: dict[tuple[int, int, bytes], Summary] = {}  # many lengths of the text share a state of a sentence
        lengths = self._lengths(text, walks, vectors)
        paraphrased = any(prepared.paraphrased.changes for prepared in text.sentences)
        while some := list(islice(lengths, _LENGTHS_AT_ONCE)):
            tasks: dict[tuple[int, int, bytes], SentenceTask] = {}
            rows = []
            for limit, chosen in some:
                limited = replace(text, limit=limit)
                keys = [(number, candidate.step, bytes(candidate.actions)) for number, candidate in enumerate(chosen)]
                for key, prepared, own, candidate in zip(keys, text.sentences, walks, chosen, strict=True):
                    if key not in parts and key not in tasks:
                        tasks[key] = self._task(limited, prepared, own, candidate)
                rows.append(keys)
            self._finish(list(tasks.values()))
            parts |= {key: self._results.summary(task) for key, task in tasks.items()}
            points = [text_summary(text, [parts[key] for key in keys]) for keys in rows]
            if paraphrased:
                yield untouched(points[0])
                paraphrased = False
            yield from points

    def _lengths(
        self, text: Text, walks: Sequence[WalkSource], vectors: Floats
    ) -> Iterator[tuple[Limit, list[Shortened]]]:
        """The distinct ways to shorten a text by words, the longest first, down to the words that must be kept."""
        planner = self._planner(text, walks, vectors)
        whole = sum(measure(prepared.sentence.text, "words") for prepared in text.sentences)
        seen: set[tuple[bytes, ...]] = set()
        for limit in (Limit(size, "words") for size in range(whole, 0, -1)):
            try:
                chosen = planner.plan(limit)
            except TextError:  # the words to keep need more than this
                return
            actions = tuple(bytes(candidate.actions) for candidate in chosen)
            if actions not in seen:
                seen.add(actions)
                yield limit, chosen

    def _planner(self, text: Text, walks: Sequence[WalkSource], vectors: Floats) -> LengthPlanner:
        whole = text.options.whole_sentences or not text.known
        return LengthPlanner(text.sentences, walks, vectors, whole_sentences=whole)

    def _walk_sources(self, texts: Sequence[Text]) -> tuple[list[list[WalkSource]], list[Floats]]:
        """Walks of all sentences of each text, and what the sentences are about."""
        known = iter(zip(*self._known_sources([text for text in texts if text.known]), strict=True))
        found = [next(known) if text.known else _first_words(text) for text in texts]
        return [list(walks) for walks, _ in found], [vectors for _, vectors in found]

    def _known_sources(self, texts: Sequence[Text]) -> tuple[list[list[WalkSource]], list[Floats]]:
        pairs = [(text, prepared) for text in texts for prepared in text.sentences]
        if self._grammar is not None:
            prose = [len(text.sentences) > 1 and text.options.style is None for text, _ in pairs]
            plans, encodings = self._grammar([prepared for _, prepared in pairs], plain=prose)
            found: Iterator[WalkSource] = iter(plans)
        else:
            encodings = self._encoder([prepared.source for _, prepared in pairs])
            found = iter(self._agent_walks(pairs, encodings))
        states = iter(encodings)
        width = self._encoder.state_width
        vectors = [sentence_vectors([next(states)[:, :width] for _ in text.sentences]) for text in texts]
        return [[next(found) for _ in text.sentences] for text in texts], vectors

    def _agent_walks(
        self, pairs: Sequence[tuple[Text, PreparedSentence]], encodings: Sequence[Tensor]
    ) -> Sequence[WalkSource]:
        requests = [
            WalkRequest(
                prepared.source.words,
                encoding,
                prepared.locked,
                prepared.dependents,
                goal=text.goal(prepared),
                extractive=text.options.extractive,
            )
            for encoding, (text, prepared) in zip(encodings, pairs, strict=True)
        ]
        return walk_sources(self._agent, requests, plans=self._plans)

    def _balanced(
        self, texts: Sequence[Text], walks: Sequence[list[WalkSource]], *, every_length: bool = False
    ) -> list[list[WalkSource]]:
        """Walks of the paper's agent with their best step, where a limit is met by a part of that."""
        found = [list(row) for row in walks]
        if not isinstance(self._agent, Agent):
            return found
        searches: dict[tuple[int, int], BestStepSearch] = {}
        for number, text in enumerate(texts):
            if every_length or not text.fits:
                for place, (prepared, own) in enumerate(zip(text.sentences, walks[number], strict=True)):
                    searches[number, place] = self._best_step(text, prepared, own)
        run_searches(list(searches.values()), self._converter)
        for (number, place), search in searches.items():
            walk = walks[number][place].walk_to(1)
            found[number][place] = BalancedWalk(walk, search.best.step, every_length=every_length)
        return found

    def _best_step(self, text: Text, prepared: PreparedSentence, walks: WalkSource) -> BestStepSearch:
        walk = walks.walk_to(text.goal(prepared))
        kind = LikelyStepSearch if self._converter.settings.mode == "approximate" else BestStepSearch
        return kind(prepared.source, walk, self._rewards, punctuation=prepared.punctuation)

    def _tasks(self, text: Text, walks: Sequence[WalkSource], vectors: Floats) -> list[SentenceTask]:
        pairs = list(zip(text.sentences, walks, strict=True))
        if not pairs:
            return []
        chosen: Sequence[Shortened | None] = [None] * len(pairs)
        limit = text.limit
        if limit is None and isinstance(self._agent, GoalAgent):  # the paper's agent takes the best balance instead
            limit = usual_limit(" ".join(prepared.original.text for prepared in text.sentences))
        if limit is not None:
            chosen = self._planner(text, walks, vectors).plan(limit, aim=text.limit is None)
        return [self._task(text, *pair, shortened) for pair, shortened in zip(pairs, chosen, strict=True)]

    def _task(
        self, text: Text, prepared: PreparedSentence, walks: WalkSource, shortened: Shortened | None
    ) -> SentenceTask:
        source, rewards, options = prepared.source, self._rewards, text.options
        walk = walks.walk_to(text.goal(prepared)) if shortened is None else shortened.walk
        every = EveryStepSearch(source, walk, rewards, punctuation=prepared.punctuation) if options.trace else None
        choice: ChoosingSearch
        if shortened is not None:
            with_rate = options.recoverability or options.reconstruction or options.trace
            choice = GivenActionsSearch(source, shortened.actions, rewards, step=shortened.step, with_rate=with_rate)
        else:
            choice = every or self._best_step(text, prepared, walks)
        task = SentenceTask(text, prepared, walk, choice, every, rebuild=options.reconstruction)
        if shortened is not None:
            task.complete, task.written = shortened.complete, shortened.written
        return task

    def _finish(self, tasks: Sequence[SentenceTask]) -> None:
        self._run(tasks)
        self._withdraw_bad_replacements(tasks)
        # Choosing needed the counted words only; rebuilding needs all.
        rebuilding = [task for task in tasks if task.rebuild]
        self._converter.finish([task.choice.best.conversion for task in rebuilding])
        for task in rebuilding:
            task.rebuilt = readable(task.choice.best.conversion, self._lm)

    def _run(self, tasks: Sequence[SentenceTask]) -> None:
        searches: list[Search] = []
        for task in tasks:
            searches += [task.choice] if task.every in (None, task.choice) else [task.choice, task.every]
        run_searches(searches, self._converter)

    def _withdraw_bad_replacements(self, tasks: Sequence[SentenceTask]) -> None:
        """Keep the source's word where the new one breaks the limit or is not a readable word."""
        bad = [task for task in tasks if task.has_bad_replacement(self._lm)]
        for task in bad:
            scored = task.choice.best
            actions = tuple(Action.KEEP if a == Action.REPLACE else a for a in scored.conversion.actions)
            with_rate = scored.reconstruction_rate is not None
            task.choice = GivenActionsSearch(
                task.prepared.source, actions, self._rewards, step=scored.step, with_rate=with_rate
            )
        self._run(bad)
