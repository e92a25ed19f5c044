"""A sentence on its way through the editor: its words, what must stay of them, and how what is left is written."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ealm.lm.masked_lm import MaskedLM
from ealm.paper.edits import Action
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.rollout import Path
from ealm.paper.source import Source
from ealm.summarize.length_fitting import Fits, Shortened, shorten
from ealm.summarize.options import Options
from ealm.summarize.paraphrase_alignment import Wording
from ealm.text.detokenizer import Layout, final_marks, says_nothing_alone
from ealm.text.lengths import Limit, Unit, measure
from ealm.text.protected_words import doubted_places, named_places, negated_places, protected_places, sign_places
from ealm.text.sentences import Sentence

_SPARE: dict[Unit, int] = {"words": 0, "chars": 1, "bytes": 4}
"""By how much the sum of what words add may exceed the text: the first has no space before it, and a capital may take
fewer bytes than its letter."""


@dataclass(frozen=True)
class Draft:
    """A sentence, looked up and with its locked words."""

    wording: Wording
    source: Source
    pinned: frozenset[int]
    """Words that the user named: they stay whatever the length."""
    precious: tuple[int, ...]
    """Words that stay as far as the length allows, the most precious first."""
    tied: Mapping[int, int]
    """Words that stay or go with another one: negations with what they negate, because without it they would turn
    something else round, "may" with its verb, which would be a fact without it, and "$" and "%" with their number."""
    marks: frozenset[int]

    @classmethod
    def prepare(
        cls, sentence: Sentence, lm: MaskedLM, ignored_words: IgnoredWords, options: Options, *, reword: bool = False
    ) -> "Draft":
        """Look the words up, after putting them into shorter ones if so wished, and find those that must stay."""
        named = named_places(sentence.words, options.keep)
        wording = Wording.shortest(sentence, named) if reword else Wording(sentence)
        pinned = wording.moved(named)
        precious: list[int] = []
        for kind in options.protect:  # what is precious in the old words is so in the new ones
            places = wording.moved(protected_places(sentence.words, [kind]))
            precious += sorted(places - pinned - set(precious))
        sentence = wording.sentence
        words = sentence.words
        heads = {} if sentence.pretokenized else sign_places(words) | doubted_places(words)
        if "negation" in options.protect:
            heads |= negated_places(words)
        tied = _tied(heads, pinned, precious)
        precious = [place for place in precious if place not in tied]
        marks: frozenset[int] = frozenset()
        if not sentence.pretokenized:  # a sentence that people wrote ends as they ended it
            marks = frozenset(place for place, word in enumerate(words) if says_nothing_alone(word))
            precious += sorted(set(final_marks(sentence.tokens)) - pinned - set(precious))
        return cls(wording, Source.prepare(words, lm, ignored_words), pinned, tuple(precious), tied, marks)

    @property
    def sentence(self) -> Sentence:
        """The sentence in the words that are looked up."""
        return self.wording.sentence

    @property
    def original(self) -> Sentence:
        """The sentence as people wrote it."""
        return self.wording.original

    @property
    def locked(self) -> frozenset[int]:
        """Words on which no step is spent."""
        return self.pinned | set(self.precious) | self.tied.keys()

    @cached_property
    def _layout(self) -> Layout:
        return Layout(self.sentence)

    @cached_property
    def _least(self) -> dict[Unit, list[int]]:
        """What each word adds to the length at the least."""
        words = self.sentence.words
        sizes: dict[Unit, list[int]] = {
            "words": [0] * len(words),
            "chars": [measure(word, "chars") for word in words],
            "bytes": [measure(word, "bytes") for word in words],
        }
        return {unit: self._layout.least(own) for unit, own in sizes.items()}

    def kept(self, actions: Sequence[Action]) -> Sequence[int]:
        """Places of the words that are left in the end, dangling marks tidied away."""
        places = [place for place, action in enumerate(actions) if action != Action.REMOVE]
        if self.sentence.pretokenized:
            return places
        return self._tidied(places)

    def _tidied(self, places: Sequence[int]) -> Sequence[int]:
        """Without dangling marks, unless there is nothing else."""
        return (self._layout.tidied(places, locked=self.pinned) if self.marks else places) or places

    def text(self, actions: Sequence[Action], replacements: Mapping[int, str] | None = None) -> str:
        """What is left, as people read it."""
        return self._layout.written(self.kept(actions), replacements)

    def goal(self, limit: Limit) -> int:
        """How many words the limit would leave if all were of the same length; marks are no words."""
        share = limit.size / max(1, measure(self.sentence.text, limit.unit))
        return max(1, round(share * (len(self.source.words) - len(self.marks))))

    def shortened(self, path: Path, limit: Limit) -> Shortened:
        """As much of the walk towards the limit as it takes to meet it."""
        return shorten(
            path.toward(self.goal(limit)),
            self._fits(limit),
            pinned=self.pinned,
            precious=self.precious,
            tied=self.tied,
            marks=self.marks,
        )

    def _fits(self, limit: Limit) -> Fits:
        least = self._least[limit.unit]
        room = limit.size + _SPARE[limit.unit]
        whole_fits = limit.allows(self.sentence.text)

        def fits(places: Sequence[int]) -> bool:
            if len(places) == len(least):
                return whole_fits
            if sum(map(least.__getitem__, places)) > room:  # no need to write it
                return False
            return limit.allows(self._layout.written(self._tidied(places)))

        return fits


def _tied(heads: Mapping[int, int], pinned: Collection[int], precious: Collection[int]) -> dict[int, int]:
    """Those whose heads are words on which the agent decides."""
    return {
        own: head for own, head in heads.items() if own not in pinned and head not in pinned and head not in precious
    }
