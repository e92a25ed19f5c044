"""Builds the result of a sentence whose edits are decided: the summary, every edit, and the trace."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from ealm.common.pieces import between_pieces
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.edits import Action, summary_length
from ealm.paper.rewards import compression_rate
from ealm.paper.rollout import Walk
from ealm.paper.source import written_reconstruction, written_words
from ealm.paper.step_search import EveryStepSearch, ScoredStep, Search
from ealm.summarize.documents import Text, cut
from ealm.summarize.german_trees import LANGUAGE as GERMAN
from ealm.summarize.prepared_sentence import PreparedSentence
from ealm.summarize.result import Edit, Summary, TraceStep
from ealm.text.detokenizer import capitalized_like, is_punctuation
from ealm.text.frames import Frame, assembled
from ealm.text.language import language_name
from ealm.text.lengths import Limit
from ealm.text.sentences import Sentence
from ealm.text.tokenizer import tokenize


class ChoosingSearch(Search, Protocol):
    """A search that ends with the chosen step."""

    @property
    def best(self) -> ScoredStep: ...


@dataclass(slots=True)
class SentenceTask:
    """A sentence with its walk and the searches that choose its edits."""

    text: Text
    prepared: PreparedSentence
    walk: Walk
    choice: ChoosingSearch
    every: EveryStepSearch | None
    """Set if the trace of every step is requested."""
    rebuild: bool
    """Whether to reconstruct every removed word."""
    rebuilt: tuple[int, ...] = ()
    """The reconstruction that is shown."""
    complete: bool = True
    """False for a phrase, where no true statement fits."""
    written: Mapping[int, str] = field(default_factory=dict)
    """What a plan writes in the place of words that are kept."""

    @property
    def actions(self) -> tuple[Action, ...]:
        """Actions of the chosen step."""
        return self.choice.best.conversion.actions

    def replacements(self, lm: MaskedLM) -> dict[int, str]:
        """New words by index."""
        return written_words(self.choice.best.conversion, lm)

    def has_bad_replacement(self, lm: MaskedLM) -> bool:
        """Whether a new word breaks the limit, or is punctuation or a number's shape such as "##.#" in raw text."""
        new = self.replacements(lm)
        if not new:
            return False
        if not self.prepared.sentence.pretokenized and any(
            "#" in word or is_punctuation(word) for word in new.values()
        ):
            return True
        limit = self.text.limit
        if limit is None:
            return False
        before, after = self.prepared.text(self.actions), self.prepared.text(self.actions, new)
        return limit.measure(after) > limit.measure(before)

    def known_steps(self) -> Mapping[int, ScoredStep]:
        """Steps of the walk whose rates are known."""
        if self.every is not None:
            return {scored.step: scored for scored in self.every.steps}
        chosen = self.choice.best
        on_the_walk = self.walk.actions_after(chosen.step) == chosen.conversion.actions
        return {chosen.step: chosen} if on_the_walk else {}


class ResultBuilder:
    """Turns finished tasks into results."""

    def __init__(self, lm: MaskedLM, *, top_k: int, decoding: str) -> None:
        """`top_k`: among how many candidates a word counts as recovered; `decoding`: how they were found."""
        self._lm = lm
        self._decoding = decoding
        self._top_k = top_k

    def summary(self, task: SentenceTask) -> Summary:
        """Of one sentence."""
        between_pieces()
        chosen = task.choice.best
        prepared = task.prepared
        replacements = {**task.replacements(self._lm), **task.written}
        kept = prepared.kept(chosen.conversion.actions)
        text = prepared.text(chosen.conversion.actions, replacements)
        if len(task.text.sentences) == 1:
            text = _within(task.text.limit, text, _that_may_be_cut([prepared.original]))
        own = Summary.later(
            source=prepared.sentence.text,
            summary=text,
            compression_rate=compression_rate(len(kept), len(prepared.original.tokens)),
            reconstruction_rate=chosen.reconstruction_rate,
            step=chosen.step,
            edits=partial(self._edits, task, kept, replacements),
            trace=partial(self._trace, task),
            complete=task.complete,
            reason=None if task.complete else _INCOMPLETE,
            decoding=self._decoding if chosen.asked else None,
        )
        return prepared.paraphrased.restored(own)

    def _edits(self, task: SentenceTask, kept: Sequence[int], replacements: Mapping[int, str]) -> tuple[Edit, ...]:
        chosen = task.choice.best
        conversion = chosen.conversion
        order = {step.word: number for number, step in enumerate(task.walk.steps[: chosen.step], start=1)}
        left = set(kept)
        guessed = self._lm.words(task.rebuilt)
        if not task.prepared.sentence.pretokenized:  # a digit that nobody can guess, in the form of corpora
            guessed = tuple(word.replace("#", "?") for word in guessed)
        edits = []
        for index, (word, action) in enumerate(zip(task.prepared.source.words, conversion.actions, strict=True)):
            final = action if index in left else Action.REMOVE  # dangling punctuation is removed without a decision
            if index in left and index in task.written:
                final = Action.REPLACE
            rank = conversion.source_ranks[index]
            rebuilding = task.rebuild and action != Action.KEEP
            edits.append(
                Edit(
                    word,
                    final,
                    order.get(index),
                    replacement=replacements.get(index) if index in left else None,
                    rebuilt=guessed[index] if rebuilding else None,
                    recovered=rank < self._top_k if rebuilding and rank is not None else None,
                )
            )
        return tuple(edits)

    def _trace(self, task: SentenceTask) -> tuple[TraceStep, ...]:
        return tuple(self._trace_steps(task))

    def _trace_steps(self, task: SentenceTask) -> Iterator[TraceStep]:
        prepared, walk = task.prepared, task.walk
        known = task.known_steps()
        for number, step in enumerate(walk.steps, start=1):
            actions = walk.actions_after(number)
            scored = known.get(number)
            summary = reconstruction = None
            if scored is not None:
                summary = prepared.text(actions, written_words(scored.conversion, self._lm))
                reconstruction = written_reconstruction(prepared.source, scored.conversion, self._lm)
            elif Action.REPLACE not in actions:  # nothing to fill: the summary needs no language model
                summary = prepared.text(actions)
            yield TraceStep(
                step=number,
                position=step.word,
                word=prepared.source.words[step.word],
                action=step.action,
                q_values=step.q_values,
                compression_rate=compression_rate(summary_length(actions), len(prepared.original.tokens)),
                summary=summary,
                reconstruction=None if reconstruction is None else " ".join(reconstruction),
                reconstruction_rate=None if scored is None else scored.reconstruction_rate,
            )


def text_summary(text: Text, parts: Sequence[Summary]) -> Summary:
    """Of a text, from those of its sentences."""
    made = _text_summary(text, parts).but(language=text.language)
    if text.known:
        return made
    whole = all(part.summary in ("", part.source) for part in parts)
    return made.but(complete=whole, reason=unknown_language(text.language))


def unknown_language(code: str | None) -> str:
    """What is done about a language that the model does not know."""
    way = " Name a spaCy pipeline of the language with grammar=." if code == GERMAN else ""
    name = language_name(code or "")
    return f"{name} is no language that this model knows: whole sentences stay, or the first words.{way}"


def _text_summary(text: Text, parts: Sequence[Summary]) -> Summary:
    if not parts:
        return _NOTHING
    sentences = [prepared.original for prepared in text.sentences]
    frame = text.frame if text.frame is not None and text.options.markup != "text" else None
    if len(parts) == 1 and not sentences[0].lead and frame is None:
        return parts[0]
    source = assembled(sentences, [sentence.text for sentence in sentences])
    written = [part.summary for part in parts]
    whole = assembled(sentences, written)
    if text.limit is not None and not text.limit.allows(whole):  # where hardly a word fits, no bullet does
        whole = assembled([replace(sentence, lead="") for sentence in sentences], written)
    capitalized = capitalized_like(source, whole)
    if text.limit is None or text.limit.allows(capitalized):  # a few letters have longer capitals
        whole = capitalized
    whole = _within(text.limit, whole, _that_may_be_cut(sentences))
    if frame is not None:
        fits = text.limit is None or text.limit.allows(assembled(sentences, written))
        whole = frame.written(sentences, written) if fits else whole.translate(frame.marks.seen)
        source = frame.written(sentences, [sentence.text for sentence in sentences])
        parts = [_marked(part, frame) for part in parts]
    lengths = [len(sentence.tokens) for sentence in sentences]
    return Summary.later(
        source=source,
        summary=whole,
        compression_rate=_mean_by([(p.compression_rate, n) for p, n in zip(parts, lengths, strict=True)]) or 0.0,
        reconstruction_rate=_mean_by(
            [(p.reconstruction_rate, sum(d.source.counted)) for p, d in zip(parts, text.sentences, strict=True)]
        ),
        step=sum(part.step for part in parts),
        complete=all(part.complete for part in parts),
        reason=next((part.reason for part in parts if part.reason), None),
        decoding=next((part.decoding for part in parts if part.decoding), None),
        edits=lambda: tuple(
            edit for sentence, part in zip(sentences, parts, strict=True) for edit in _with_lead(sentence, part)
        ),
        trace=tuple,
        sentences=tuple(parts),
    )


def _marked(part: Summary, frame: Frame) -> Summary:
    """The summary of a sentence with its markup in place of placeholders."""
    edits = tuple(replace(edit, word=frame.marked(edit.word)) for edit in part.edits)
    return part.but(source=frame.marked(part.source), summary=frame.marked(part.summary), edits=edits)


def _with_lead(sentence: Sentence, part: Summary) -> Iterator[Edit]:
    """The edits of a sentence of a text; a bullet stays with what it stands before."""
    action = Action.KEEP if part.summary else Action.REMOVE
    yield from (Edit(token.text, action, None) for token in tokenize(sentence.lead))
    yield from part.edits


def _within(limit: Limit | None, text: str, source: str) -> str:
    """The text, cut if a single word exceeds the limit; if no character fits, one of the source that does."""
    return text if limit is None else cut(text, limit) or cut(source, limit)


def _that_may_be_cut(sentences: Sequence[Sentence]) -> str:
    """The text without its code, which is whole or gone."""
    rest = [sentence for sentence in sentences if sentence.form != "verbatim"]
    return assembled(rest, [sentence.text for sentence in rest])


def _mean_by(pairs: Sequence[tuple[float | None, int]]) -> float | None:
    """Mean weighted by counts; None if a value is unknown."""
    known = [(value, weight) for value, weight in pairs if value is not None]
    total = sum(weight for _, weight in known)
    if len(known) < len(pairs):
        return None
    return sum(value * weight for value, weight in known) / total if total else 1.0


_INCOMPLETE = "No statement that is true to the source fits this length: this is what it is about."

_NOTHING = Summary(source="", summary="", compression_rate=0.0, reconstruction_rate=1.0, step=0, edits=(), trace=())
"""The summary of an empty text."""
