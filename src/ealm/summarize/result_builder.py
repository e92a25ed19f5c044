"""What a user is told about a sentence whose edits are decided: the summary, every edit, and the walk."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ealm.lm.masked_lm import MaskedLM
from ealm.paper.edits import Action, summary_length
from ealm.paper.rewards import compression_rate
from ealm.paper.rollout import Walk
from ealm.paper.source import written_reconstruction, written_words
from ealm.paper.step_search import EveryStepSearch, ScoredStep, Search
from ealm.summarize.documents import Text, assembled, cut
from ealm.summarize.prepared_sentence import Draft
from ealm.summarize.result import Edit, Summary, TraceStep
from ealm.text.detokenizer import capitalized_like, is_mark
from ealm.text.lengths import Limit, measure


class Choice(Search, Protocol):
    """A search that ends with the chosen step."""

    @property
    def best(self) -> ScoredStep: ...


@dataclass(slots=True)
class Job:
    """A sentence with its walk and the searches that decide what becomes of it."""

    text: Text
    draft: Draft
    walk: Walk
    choice: Choice
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


class Teller:
    """Tells finished jobs in words: those of the language model, and those that people wrote."""

    def __init__(self, lm: MaskedLM, *, top_k: int) -> None:
        """`top_k`: among how many candidates a word counts as recovered."""
        self._lm = lm
        self._top_k = top_k

    def summary(self, job: Job) -> Summary:
        """Of one sentence."""
        chosen = job.choice.best
        draft = job.draft
        replacements = job.replacements(self._lm)
        kept = draft.kept(chosen.conversion.actions)
        text = draft.text(chosen.conversion.actions, replacements)
        if len(job.text.drafts) == 1:
            text = _within(job.text.limit, text, draft.original.text)
        own = Summary(
            source=draft.sentence.text,
            summary=text,
            compression_rate=compression_rate(len(kept), len(draft.original.tokens)),
            reconstruction_rate=chosen.reconstruction_rate,
            step=chosen.step,
            edits=self._edits(job, kept, replacements),
            trace=tuple(self._trace(job)),
        )
        return draft.wording.told(own)

    def _edits(self, job: Job, kept: Sequence[int], replacements: Mapping[int, str]) -> tuple[Edit, ...]:
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
                    recovered=rank < self._top_k if told and rank is not None else None,
                )
            )
        return tuple(edits)

    def _trace(self, job: Job) -> Iterator[TraceStep]:
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
                compression_rate=compression_rate(summary_length(actions), len(draft.original.tokens)),
                summary=summary,
                reconstruction=None if reconstruction is None else " ".join(reconstruction),
                reconstruction_rate=None if scored is None else scored.reconstruction_rate,
            )


def text_summary(text: Text, parts: Sequence[Summary]) -> Summary:
    """Of a text, from those of its sentences."""
    if not parts:
        return _NOTHING
    if len(parts) == 1:
        return parts[0]
    sentences = [draft.original for draft in text.drafts]
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
