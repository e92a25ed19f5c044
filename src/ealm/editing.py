"""From texts to summaries (section 4.4, Inference): walk, choose, ask the language model what is needed, write."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ealm.config import Settings
from ealm.converter import Converter
from ealm.documents import Planner, Text, assembled, cut
from ealm.drafts import Draft
from ealm.edits import Action, summary_length
from ealm.errors import TextError
from ealm.goals.agent import GoalAgent
from ealm.goals.search import Valuer
from ealm.ignored_words import IgnoredWords
from ealm.lengths import Limit, measure
from ealm.looks import Look
from ealm.masked_lm import MaskedLM
from ealm.options import Options
from ealm.policies import AnyAgent, WalkRequest, usual_length, walks
from ealm.rewards import compression_rate
from ealm.rollout import Walk
from ealm.scoring import BestStepSearch, EveryStepSearch, GivenActionsSearch, ScoredStep, Search, run_searches
from ealm.sentences import LONGEST_SENTENCE, pretokenized_sentence, split_sentences
from ealm.shortening import Shortened
from ealm.source import written_reconstruction, written_words
from ealm.summary import Edit, Summary, TraceStep
from ealm.writing import capitalized_like, is_mark


class Editor:
    """Everything that is needed to edit: agent, language model, word list and settings."""

    def __init__(
        self,
        agent: AnyAgent,
        lm: MaskedLM,
        look: Look,
        *,
        ignored_words: IgnoredWords,
        settings: Settings,
        valuer: Valuer | None = None,
    ) -> None:
        """The agent sees by its `look`; with a `valuer`, drafts are searched for instead of walked to by the agent."""
        self._agent = agent
        self._look = look
        self._valuer = valuer
        self._lm = lm
        self._ignored_words = ignored_words
        self._rewards = settings.rewards
        self._converter = Converter(lm, settings.decoding)

    def read(self, text: str, options: Options) -> Text:
        """Cut a text into sentences and look their words up."""
        if options.pretokenized:
            sentences = [pretokenized_sentence(text)]
        else:
            sentences = split_sentences(text, longest=min(LONGEST_SENTENCE, self._lm.max_words))
        spoken = [sentence for sentence in sentences if sentence.tokens]
        drafts = tuple(Draft.prepare(sentence, self._lm, self._ignored_words, options) for sentence in spoken)
        return Text(drafts, options.length.limit(text))

    def summarize(self, texts: Sequence[Text], options: Options) -> list[Summary]:
        """Summaries of all texts, computed side by side."""
        paths = self._walks(texts, options)
        jobs = [self._jobs(text, own, options) for text, own in zip(texts, paths, strict=True)]
        self._finish([job for row in jobs for job in row])
        parts = [[self._summary(job) for job in row] for row in jobs]
        return [_text_summary(text, row) for text, row in zip(texts, parts, strict=True)]

    def curve(self, text: Text, options: Options) -> list[Summary]:
        """Summaries of one text at every length that its walks pass, the longest first."""
        (paths,) = self._walks([text], options)
        jobs: dict[tuple[int, int, bytes], _Job] = {}  # many lengths of the text share a state of a sentence
        rows = []
        for limit, chosen in self._lengths(text, paths):
            limited = replace(text, limit=limit)
            keys = [(number, way.step, bytes(way.actions)) for number, way in enumerate(chosen)]
            for key, draft, path, way in zip(keys, text.drafts, paths, chosen, strict=True):
                if key not in jobs:
                    jobs[key] = self._job(limited, draft, path, way, options)
            rows.append(keys)
        self._finish(list(jobs.values()))
        parts = {key: self._summary(job) for key, job in jobs.items()}
        return [_text_summary(text, [parts[key] for key in keys]) for keys in rows]

    def _lengths(self, text: Text, paths: Sequence[Walk]) -> Iterator[tuple[Limit, list[Shortened]]]:
        """Every way to shorten a text by words, the longest first, down to the words that must be kept."""
        planner = Planner(text.drafts, paths, self._recoverable)
        whole = sum(measure(draft.sentence.text, "words") for draft in text.drafts)
        seen: set[tuple[bytes, ...]] = set()
        for limit in (Limit(size, "words") for size in range(whole, 0, -1)):
            try:
                chosen = planner.plan(limit)
            except TextError:  # the words to keep need more than this
                return
            actions = tuple(bytes(way.actions) for way in chosen)
            if actions not in seen:
                seen.add(actions)
                yield limit, chosen

    def _walks(self, texts: Sequence[Text], options: Options) -> list[list[Walk]]:
        drafts = [draft for text in texts for draft in text.drafts]
        encodings = self._look([draft.source for draft in drafts])
        goals = [text.goal(draft) for text in texts for draft in text.drafts]
        requests = [
            WalkRequest(draft.source.words, encoding, draft.locked, goal)
            for encoding, draft, goal in zip(encodings, drafts, goals, strict=True)
        ]
        found = iter(walks(self._agent, requests, extractive=options.extractive, valuer=self._valuer))
        return [[next(found) for _ in text.drafts] for text in texts]

    def _jobs(self, text: Text, paths: Sequence[Walk], options: Options) -> "list[_Job]":
        pairs = list(zip(text.drafts, paths, strict=True))
        if not pairs:
            return []
        chosen: Sequence[Shortened | None] = [None] * len(pairs)
        if text.limit is not None:
            chosen = Planner(text.drafts, paths, self._recoverable).plan(text.limit)
        elif isinstance(self._agent, GoalAgent):  # is always told a length; the paper's agent takes the best balance
            chosen = [draft.shortened(path, _usual_limit(draft)) for draft, path in pairs]
        return [self._job(text, *pair, shortened, options) for pair, shortened in zip(pairs, chosen, strict=True)]

    def _job(self, text: Text, draft: Draft, path: Walk, shortened: Shortened | None, options: Options) -> "_Job":
        source, rewards, marks = draft.source, self._rewards, draft.marks
        every = EveryStepSearch(source, path, rewards, marks=marks) if options.trace else None
        choice: _Choice
        if shortened is not None:
            with_rate = options.recoverability or options.reconstruction or options.trace
            choice = GivenActionsSearch(source, shortened.actions, rewards, step=shortened.step, with_rate=with_rate)
        else:
            choice = every or BestStepSearch(source, path, rewards, marks=marks)
        return _Job(text, draft, path, choice, every, rebuild=options.reconstruction)

    def _finish(self, jobs: "Sequence[_Job]") -> None:
        self._run(jobs)
        self._withdraw_bad_replacements(jobs)
        # Choosing needed the words that count; rebuilding needs all.
        self._converter.finish([job.choice.best.conversion for job in jobs if job.rebuild])

    def _run(self, jobs: "Sequence[_Job]") -> None:
        searches: list[Search] = []
        for job in jobs:
            searches += [job.choice] if job.every in (None, job.choice) else [job.choice, job.every]
        run_searches(searches, self._converter)

    def _recoverable(self, draft: Draft, rows: Sequence[tuple[Action, ...]]) -> list[float]:
        top_k = self._rewards.top_k
        return [
            float(sum(counts and rank < top_k for rank, counts in zip(ranks, draft.source.counted, strict=True)))
            if summary_length(actions)
            else 0.0
            for actions, ranks in zip(rows, self._converter.estimate_ranks(draft.source.ids, rows), strict=True)
        ]

    def _withdraw_bad_replacements(self, jobs: "Sequence[_Job]") -> None:
        """Keep the source's word where the new one breaks the limit or is no word for people."""
        bad = [job for job in jobs if job.has_bad_replacement(self._lm)]
        for job in bad:
            scored = job.choice.best
            actions = tuple(Action.KEEP if a == Action.REPLACE else a for a in scored.conversion.actions)
            with_rate = scored.reconstruction_rate is not None
            job.choice = GivenActionsSearch(
                job.draft.source, actions, self._rewards, step=scored.step, with_rate=with_rate
            )
        self._run(bad)

    def _summary(self, job: "_Job") -> Summary:
        chosen = job.choice.best
        draft = job.draft
        replacements = job.replacements(self._lm)
        kept = draft.kept(chosen.conversion.actions)
        text = draft.text(chosen.conversion.actions, replacements)
        if len(job.text.drafts) == 1:
            text = _within(job.text.limit, text, draft.sentence.text)
        return Summary(
            source=draft.sentence.text,
            summary=text,
            compression_rate=compression_rate(len(kept), len(draft.source.words)),
            reconstruction_rate=chosen.reconstruction_rate,
            step=chosen.step,
            edits=self._edits(job, kept, replacements),
            trace=tuple(self._trace(job)),
        )

    def _edits(self, job: "_Job", kept: Sequence[int], replacements: Mapping[int, str]) -> tuple[Edit, ...]:
        chosen = job.choice.best
        conversion = chosen.conversion
        order = {step.word: number for number, step in enumerate(job.walk.steps[: chosen.step], start=1)}
        left = set(kept)
        edits = []
        for place, (word, action) in enumerate(zip(job.draft.source.words, conversion.actions, strict=True)):
            final = action if place in left else Action.REMOVE  # a dangling mark goes although nobody decided on it
            rebuilt, rank = conversion.rebuilt[place], conversion.source_ranks[place]
            told = job.rebuild and action != Action.KEEP
            edits.append(
                Edit(
                    word,
                    final,
                    order.get(place),
                    replacement=replacements.get(place) if place in left else None,
                    rebuilt=self._lm.words([rebuilt])[0] if told and rebuilt is not None else None,
                    recovered=rank < self._rewards.top_k if told and rank is not None else None,
                )
            )
        return tuple(edits)

    def _trace(self, job: "_Job") -> Iterator[TraceStep]:
        draft, path = job.draft, job.walk
        known = job.known_steps()
        for number, step in enumerate(path.steps, start=1):
            actions = path.actions_after(number)
            scored = known.get(number)
            summary = reconstruction = None
            if scored is not None:
                summary = draft.text(actions, written_words(scored.conversion, self._lm))
                reconstruction = written_reconstruction(draft.source, scored.conversion, self._lm)
            elif Action.REPLACE not in actions:  # nothing to fill: the summary is known without asking
                summary = draft.text(actions)
            yield TraceStep(
                step=number,
                position=step.word,
                word=draft.source.words[step.word],
                action=step.action,
                q_values=step.q_values,
                compression_rate=compression_rate(summary_length(actions), len(actions)),
                summary=summary,
                reconstruction=None if reconstruction is None else " ".join(reconstruction),
                reconstruction_rate=None if scored is None else scored.reconstruction_rate,
            )


class _Choice(Search, Protocol):
    """A search that ends with the chosen step."""

    @property
    def best(self) -> ScoredStep: ...


@dataclass(slots=True)
class _Job:
    """A sentence with its walk and the searches that decide what becomes of it."""

    text: Text
    draft: Draft
    walk: Walk
    choice: _Choice
    every: EveryStepSearch | None
    """Set if the whole trace is wanted."""
    rebuild: bool
    """Whether the whole source is to be rebuilt."""

    @property
    def actions(self) -> tuple[Action, ...]:
        """Actions of the chosen step."""
        return self.choice.best.conversion.actions

    def replacements(self, lm: MaskedLM) -> dict[int, str]:
        """New words by place."""
        return written_words(self.choice.best.conversion, lm)

    def has_bad_replacement(self, lm: MaskedLM) -> bool:
        """Whether a new word breaks the limit, or is a mark or a shape such as "##.#" where people read."""
        new = self.replacements(lm)
        if not new:
            return False
        if not self.draft.sentence.pretokenized and any("#" in word or is_mark(word) for word in new.values()):
            return True
        limit = self.text.limit
        if limit is None:
            return False
        before, after = self.draft.text(self.actions), self.draft.text(self.actions, new)
        return measure(after, limit.unit) > measure(before, limit.unit)

    def known_steps(self) -> Mapping[int, ScoredStep]:
        """Steps of the walk whose rates were worked out."""
        if self.every is not None:
            return {scored.step: scored for scored in self.every.steps}
        chosen = self.choice.best
        on_the_walk = self.walk.actions_after(chosen.step) == chosen.conversion.actions
        return {chosen.step: chosen} if on_the_walk else {}


def _usual_limit(draft: Draft) -> Limit:
    return Limit(usual_length(measure(draft.sentence.text, "words")), "words")


def _text_summary(text: Text, parts: Sequence[Summary]) -> Summary:
    if not parts:
        return _NOTHING
    if len(parts) == 1:
        return parts[0]
    sentences = [draft.sentence for draft in text.drafts]
    source = assembled(sentences, [sentence.text for sentence in sentences])
    whole = assembled(sentences, [part.summary for part in parts])
    capitalized = capitalized_like(source, whole)
    if text.limit is None or text.limit.allows(capitalized):  # a few letters have longer capitals
        whole = capitalized
    return Summary(
        source=source,
        summary=_within(text.limit, whole, source),
        compression_rate=_mean_by([(p.compression_rate, len(p.edits)) for p in parts]) or 0.0,
        reconstruction_rate=_mean_by(
            [(p.reconstruction_rate, sum(d.source.counted)) for p, d in zip(parts, text.drafts, strict=True)]
        ),
        step=sum(part.step for part in parts),
        edits=tuple(edit for part in parts for edit in part.edits),
        trace=(),
        sentences=tuple(parts),
    )


def _within(limit: Limit | None, text: str, source: str) -> str:
    """The text, cut if a single word is too long; if none of its characters fits, one of the source's may."""
    return text if limit is None else cut(text, limit) or cut(source, limit)


def _mean_by(pairs: Sequence[tuple[float | None, int]]) -> float | None:
    """Mean of values weighed by counts; None if a value is not known."""
    known = [(value, weight) for value, weight in pairs if value is not None]
    total = sum(weight for _, weight in known)
    if len(known) < len(pairs):
        return None
    return sum(value * weight for value, weight in known) / total if total else 1.0


_NOTHING = Summary(source="", summary="", compression_rate=0.0, reconstruction_rate=1.0, step=0, edits=(), trace=())
"""The summary of an empty text."""
