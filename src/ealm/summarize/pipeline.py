"""From texts to summaries (section 4.4, Inference): walk, choose, ask the language model what is needed, write."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ealm.common.config import Settings
from ealm.common.errors import TextError
from ealm.goal_agent.agent import GoalAgent
from ealm.goal_agent.planning import Plans
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.converter import Converter
from ealm.paper.edits import Action, summary_length
from ealm.paper.encodings import Look
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.rollout import Path
from ealm.paper.step_search import BestStepSearch, EveryStepSearch, GivenActionsSearch, Search, run_searches
from ealm.summarize.documents import Planner, Text, assembled
from ealm.summarize.length_fitting import Shortened
from ealm.summarize.options import Options
from ealm.summarize.paraphrase_alignment import untouched
from ealm.summarize.policies import AnyAgent, WalkRequest, paths
from ealm.summarize.prepared_sentence import Draft
from ealm.summarize.result import Summary
from ealm.summarize.result_builder import Choice, Job, Teller, text_summary
from ealm.text.lengths import Limit, measure, usual_limit
from ealm.text.sentences import LONGEST_SENTENCE, pretokenized_sentence, split_sentences


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
        plans: Plans | None = None,
    ) -> None:
        """The agent sees by its `look`; with `plans`, it follows those instead of its habits."""
        self._agent = agent
        self._look = look
        self._plans = plans
        self._lm = lm
        self._ignored_words = ignored_words
        self._rewards = settings.rewards
        self._converter = Converter(lm, settings.decoding)
        self._teller = Teller(lm, top_k=settings.rewards.top_k)

    def read(self, text: str, options: Options) -> Text:
        """Cut a text into sentences and look their words up."""
        if options.pretokenized:
            sentences = [pretokenized_sentence(text)]
        else:
            sentences = split_sentences(text, longest=min(LONGEST_SENTENCE, self._lm.max_words))
        spoken = [sentence for sentence in sentences if sentence.tokens]
        limit = options.length.limit(text)
        fits = limit is not None and limit.allows(assembled(spoken, [sentence.text for sentence in spoken]))
        reword = options.reword and not fits  # what fits already stays as it is
        drafts = tuple(
            Draft.prepare(sentence, self._lm, self._ignored_words, options, reword=reword) for sentence in spoken
        )
        return Text(drafts, limit)

    def summarize(self, texts: Sequence[Text], options: Options) -> list[Summary]:
        """Summaries of all texts, computed side by side."""
        found = self._paths(texts, options)
        jobs = [self._jobs(text, own, options) for text, own in zip(texts, found, strict=True)]
        self._finish([job for row in jobs for job in row])
        parts = [[self._teller.summary(job) for job in row] for row in jobs]
        return [text_summary(text, row) for text, row in zip(texts, parts, strict=True)]

    def curve(self, text: Text, options: Options) -> list[Summary]:
        """Summaries of one text at every length that its walks pass, the longest first."""
        (found,) = self._paths([text], options)
        jobs: dict[tuple[int, int, bytes], Job] = {}  # many lengths of the text share a state of a sentence
        rows = []
        for limit, chosen in self._lengths(text, found):
            limited = replace(text, limit=limit)
            keys = [(number, way.step, bytes(way.actions)) for number, way in enumerate(chosen)]
            for key, draft, path, way in zip(keys, text.drafts, found, chosen, strict=True):
                if key not in jobs:
                    jobs[key] = self._job(limited, draft, path, way, options)
            rows.append(keys)
        self._finish(list(jobs.values()))
        parts = {key: self._teller.summary(job) for key, job in jobs.items()}
        points = [text_summary(text, [parts[key] for key in keys]) for keys in rows]
        reworded = any(draft.wording.changes for draft in text.drafts)
        return [untouched(points[0]), *points] if reworded else points

    def _lengths(self, text: Text, found: Sequence[Path]) -> Iterator[tuple[Limit, list[Shortened]]]:
        """Every way to shorten a text by words, the longest first, down to the words that must be kept."""
        planner = Planner(text.drafts, found, self._recoverable)
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

    def _paths(self, texts: Sequence[Text], options: Options) -> list[list[Path]]:
        drafts = [draft for text in texts for draft in text.drafts]
        encodings = self._look([draft.source for draft in drafts])
        goals = [text.goal(draft) for text in texts for draft in text.drafts]
        requests = [
            WalkRequest(draft.source.words, encoding, draft.locked, draft.tied, goal)
            for encoding, draft, goal in zip(encodings, drafts, goals, strict=True)
        ]
        found = iter(paths(self._agent, requests, extractive=options.extractive, plans=self._plans))
        return [[next(found) for _ in text.drafts] for text in texts]

    def _jobs(self, text: Text, found: Sequence[Path], options: Options) -> list[Job]:
        pairs = list(zip(text.drafts, found, strict=True))
        if not pairs:
            return []
        chosen: Sequence[Shortened | None] = [None] * len(pairs)
        if text.limit is not None:
            chosen = Planner(text.drafts, found, self._recoverable).plan(text.limit)
        elif isinstance(self._agent, GoalAgent):  # is always told a length; the paper's agent takes the best balance
            chosen = [draft.shortened(path, usual_limit(draft.original.text)) for draft, path in pairs]
        return [self._job(text, *pair, shortened, options) for pair, shortened in zip(pairs, chosen, strict=True)]

    def _job(self, text: Text, draft: Draft, path: Path, shortened: Shortened | None, options: Options) -> Job:
        source, rewards, marks = draft.source, self._rewards, draft.marks
        walk = path.toward(text.goal(draft)) if shortened is None else shortened.walk
        every = EveryStepSearch(source, walk, rewards, marks=marks) if options.trace else None
        choice: Choice
        if shortened is not None:
            with_rate = options.recoverability or options.reconstruction or options.trace
            choice = GivenActionsSearch(source, shortened.actions, rewards, step=shortened.step, with_rate=with_rate)
        else:
            choice = every or BestStepSearch(source, walk, rewards, marks=marks)
        return Job(text, draft, walk, choice, every, rebuild=options.reconstruction)

    def _finish(self, jobs: Sequence[Job]) -> None:
        self._run(jobs)
        self._withdraw_bad_replacements(jobs)
        # Choosing needed the words that count; rebuilding needs all.
        self._converter.finish([job.choice.best.conversion for job in jobs if job.rebuild])

    def _run(self, jobs: Sequence[Job]) -> None:
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

    def _withdraw_bad_replacements(self, jobs: Sequence[Job]) -> None:
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
