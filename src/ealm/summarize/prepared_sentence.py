"""A sentence prepared for editing: its words, which of them must stay, and how the remaining ones are written."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ealm.common.caching import cached_property
from ealm.common.pieces import between_pieces
from ealm.goal_agent.tree_plan import Fits as DraftFits
from ealm.goal_agent.tree_plan import TreePlan
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.edits import Action
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.rollout import WalkSource
from ealm.paper.source import Source
from ealm.summarize.length_fitting import BalancedWalk, Shortened, shorten, shorten_balanced
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.paraphrase_alignment import ParaphrasedSentence
from ealm.text.detokenizer import ENDINGS, Layout, cannot_stand_alone, final_punctuation, is_punctuation
from ealm.text.lengths import Limit, Unit, measure
from ealm.text.protected_words import hedged_indices, named_indices, negated_indices, protected_indices, sign_indices
from ealm.text.sentences import Sentence

_SPARE: dict[Unit, int] = {"words": 0, "chars": 1, "bytes": 4}
"""By how much the sum over words may exceed the length of the text: the first word has no space before it, and a
capital may take fewer bytes than its lower-case letter. Texts in other units are written before they are measured."""


@dataclass(frozen=True)
class PreparedSentence:
    """A sentence with its word ids and the words on which the agent does not decide."""

    paraphrased: ParaphrasedSentence
    source: Source
    hard_keep: frozenset[int]
    """Words that the user named: they stay whatever the limit."""
    soft_keep: tuple[int, ...]
    """Words that stay as far as the limit allows, the most important first."""
    dependents: Mapping[int, int]
    """Words that stay or go with their head: a negation with what it negates, because alone it would negate something
    else; "may" with its verb, which would be a fact without it; "$" and "%" with their number."""
    punctuation: frozenset[int]
    endings: frozenset[int] = frozenset()
    """Possessive endings; in a planned sentence they go with their owner, which need not be the word before."""
    extractive: bool = False
    """Whether no word may be written that the source does not have."""

    @classmethod
    def prepare(
        cls,
        sentence: Sentence,
        lm: MaskedLM,
        ignored_words: IgnoredWords,
        options: SummarizeOptions,
        *,
        method: str = "goal",
        reword: bool = False,
        planned: bool = False,
    ) -> "PreparedSentence":
        """Look the words up, after paraphrasing if `reword`, and find those that must stay.

        With `planned`, a plan over the dependency tree takes care of negations, signs and punctuation.
        """
        between_pieces()
        named = named_indices(sentence.words, options.keep_words)
        paraphrased = ParaphrasedSentence.shortest(sentence, named) if reword else ParaphrasedSentence(sentence)
        hard_keep = paraphrased.mapped(named)
        soft_keep: list[int] = []
        by_grammar = planned and options.protect is None  # a plan keeps a negation with what it negates
        protected = options.protected_kinds(method)
        kinds = [kind for kind in protected if kind != "negation" or not by_grammar]
        for kind in kinds:  # a paraphrase of a protected word is protected
            indices = paraphrased.mapped(protected_indices(sentence.words, [kind]))
            soft_keep += sorted(indices - hard_keep - set(soft_keep))
        sentence = paraphrased.sentence
        words = sentence.words
        if planned:
            endings = frozenset(index for index, word in enumerate(words) if word in ENDINGS)
            marks = frozenset(index for index, word in enumerate(words) if is_punctuation(word))
            source = Source.prepare(words, lm, ignored_words)
            return cls(paraphrased, source, hard_keep, tuple(soft_keep), {}, marks, endings, options.extractive)
        heads = {} if sentence.pretokenized else sign_indices(words) | hedged_indices(words)
        if "negation" in protected:
            heads |= negated_indices(words)
        dependents = _dependents(heads, hard_keep, soft_keep)
        soft_keep = [index for index in soft_keep if index not in dependents]
        punctuation: frozenset[int] = frozenset()
        if not sentence.pretokenized:  # raw text keeps its final punctuation
            punctuation = frozenset(index for index, word in enumerate(words) if cannot_stand_alone(word))
            soft_keep += sorted(set(final_punctuation(sentence.tokens)) - hard_keep - set(soft_keep))
        return cls(
            paraphrased, Source.prepare(words, lm, ignored_words), hard_keep, tuple(soft_keep), dependents, punctuation
        )

    @property
    def sentence(self) -> Sentence:
        """The sentence in the words that are looked up: the paraphrase, if there is one."""
        return self.paraphrased.sentence

    @property
    def original(self) -> Sentence:
        """The sentence as written."""
        return self.paraphrased.original

    @property
    def locked(self) -> frozenset[int]:
        """Words on which no step is spent."""
        return self.hard_keep | set(self.soft_keep) | self.dependents.keys()

    @cached_property
    def _layout(self) -> Layout:
        return Layout(self.sentence)

    def _least(self, unit: Unit) -> list[int]:
        """Minimum that each word adds to the length; nothing is known where texts are written before measuring."""
        words = self.sentence.words
        if unit not in _SPARE:
            return [0] * len(words)
        return self._layout.least([0 if unit == "words" else measure(word, unit) for word in words])

    def kept(self, actions: Sequence[Action]) -> Sequence[int]:
        """Indices of the words that are left, without dangling punctuation."""
        indices = [index for index, action in enumerate(actions) if action != Action.REMOVE]
        if self.sentence.pretokenized:
            return indices
        return self._tidied(indices)

    def _tidied(self, indices: Sequence[int]) -> Sequence[int]:
        """Without dangling punctuation, unless there is nothing else."""
        locked = self.hard_keep | self.endings
        if not self.punctuation:
            return indices
        return self._layout.with_marks(self._layout.tidied(indices, locked=locked) or indices)

    @cached_property
    def sizes(self) -> list[int]:
        """How many words each word adds to the summary: 0 for punctuation, endings and signs."""
        if self.sentence.pretokenized:
            return [1] * len(self.sentence.words)
        return [int(own) for own in self._layout.starts_word]

    def text(self, actions: Sequence[Action], replacements: Mapping[int, str] | None = None) -> str:
        """The remaining words as text."""
        return self._layout.written(self.kept(actions), replacements)

    def goal(self, limit: Limit) -> int:
        """How many words fit the limit if all were of the same length; punctuation does not count."""
        share = limit.size / max(1, limit.measure(self.sentence.text))
        return max(1, round(share * (len(self.source.words) - len(self.punctuation))))

    def shortened(self, walks: WalkSource, limit: Limit) -> Shortened:
        """The walk towards the limit, applied until the sentence meets it; of a plan, the best draft that fits.

        Of a walk with its best balance, as much of that as fits.
        """
        if isinstance(walks, TreePlan):
            return self._planned(walks, self._fits(limit))
        pins: dict[str, Any] = {
            "hard_keep": self.hard_keep,
            "soft_keep": self.soft_keep,
            "dependents": self.dependents,
            "punctuation": self.punctuation,
        }
        if isinstance(walks, BalancedWalk):
            return shorten_balanced(walks, self.source.words, self._fits(limit), **pins)
        return shorten(walks.walk_to(self.goal(limit)), self._fits(limit), **pins)

    def _planned(self, plan: TreePlan, fits: DraftFits) -> Shortened:
        keep = set(self.hard_keep)
        for index in self.soft_keep:
            if fits(plan.closure({*keep, index})):
                keep.add(index)
        draft = plan.draft(fits, keep=keep, rephrase=not self.extractive)
        kept = set(draft.kept) or (set() if plan.tags else self._first_words(fits))
        walk, step = plan.walk(kept)
        actions = tuple(Action.KEEP if index in kept else Action.REMOVE for index in range(walk.length))
        return Shortened(step, actions, walk, draft.complete, draft.written)

    def _first_words(self, fits: DraftFits) -> set[int]:
        """As many as fit: of a language without rules for phrases nothing else can be told to be safe."""
        ends = [index for index in reversed(range(len(self.sentence.words))) if index not in self.punctuation]
        return set(next((first for end in ends if fits(first := range(end + 1))), ()))

    def _fits(self, limit: Limit) -> DraftFits:
        least = self._least(limit.unit)
        room = limit.size + _SPARE.get(limit.unit, 0)
        whole_fits = limit.allows(self.sentence.text)

        def fits(indices: Sequence[int], written: Mapping[int, str] | None = None) -> bool:
            if len(indices) == len(least):
                return whole_fits
            if sum(map(least.__getitem__, indices)) > room:  # no need to write it
                return False
            return limit.allows(self._layout.written(self._tidied(indices), written))

        return fits


def _dependents(heads: Mapping[int, int], hard_keep: Collection[int], soft_keep: Collection[int]) -> dict[int, int]:
    """Dependents whose heads are words on which the agent decides."""
    return {
        own: head
        for own, head in heads.items()
        if own not in hard_keep and head not in hard_keep and head not in soft_keep
    }
