"""Plans over dependency trees for prepared sentences: encodings, parse, word importance and structure put together."""

from collections.abc import Collection, Sequence

from torch import Tensor

from ealm.common.pieces import between_pieces
from ealm.goal_agent.planning import WordScorer
from ealm.goal_agent.tree_plan import TreePlan, TreePlanSettings
from ealm.grammar.drafts.punctuation import Punctuation
from ealm.grammar.drafts.structure import Structure, structure_of
from ealm.grammar.neural.parser import EmbeddedGrammar
from ealm.grammar.protocol import NO_HEAD, Grammar, Parse
from ealm.paper.encodings import SentenceModelEncoder, SourceEncoder
from ealm.summarize.clauses import clause_beginnings
from ealm.summarize.german_trees import LANGUAGE as GERMAN
from ealm.summarize.german_trees import GermanMarks, german_structure
from ealm.summarize.prepared_sentence import PreparedSentence
from ealm.text.detokenizer import final_punctuation, is_punctuation
from ealm.text.language import ENGLISH
from ealm.text.marks import is_mark, is_whole
from ealm.text.tokenizer import CODE


class GrammarPlans:
    """Encodes, parses and plans sentences; the bundled parser shares the forward pass of the agent."""

    def __init__(self, encoder: SourceEncoder, grammar: Grammar, planner: "TreePlanner") -> None:
        self._encoder = encoder
        self._grammar = grammar
        self._planner = planner

    def __call__(
        self, sentences: Sequence[PreparedSentence], *, plain: Sequence[bool]
    ) -> tuple[list[TreePlan], Sequence[Tensor]]:
        """A plan for each sentence, and the encodings of its words; `plain` says which are not written as headlines."""
        words = [_without_marks(prepared.source.words) for prepared in sentences]
        if isinstance(self._grammar, EmbeddedGrammar) and isinstance(self._encoder, SentenceModelEncoder):
            states = self._encoder.encoder.encode_layers(words)
            encodings = [own.encodings for own in states]
            parses = self._grammar.parse_states(words, [own.layers for own in states])
        else:
            encodings = self._encoder([prepared.source for prepared in sentences])
            parses = self._grammar.parse(words)
            encodings = [own[: len(row)] for own, row in zip(encodings, words, strict=True)]
        marked = [prepared.source.words for prepared in sentences]
        if any(len(row) < len(own) for row, own in zip(words, marked, strict=True)):
            encodings = [_encodings_with_marks(*pair) for pair in zip(marked, encodings, strict=True)]
            parses = [_parse_with_marks(*pair) for pair in zip(marked, parses, strict=True)]
        return self._planner(sentences, encodings, parses, plain=plain), encodings

    def clauses(self, words: Sequence[str]) -> set[int]:
        """Where the statements of a sentence that never ends begin."""
        places = [i for i, word in enumerate(words) if not is_mark(word)]
        return {places[at] for at in clause_beginnings(_without_marks(words), self._grammar.parse)}


def _without_marks(words: Sequence[str]) -> list[str]:
    """What a parser reads: no placeholders for markup, and a plain noun for code."""
    return [_CODE if is_whole(word) or CODE.fullmatch(word) else word for word in words if not is_mark(word)]


def _encodings_with_marks(words: Sequence[str], encodings: Tensor) -> Tensor:
    places = [i for i, word in enumerate(words) if not is_mark(word)]
    if len(places) == len(words):
        return encodings
    found = encodings.new_zeros(len(words), encodings.shape[1])
    found[places] = encodings
    return found


def _parse_with_marks(words: Sequence[str], parse: Parse) -> Parse:
    """The tree of all words; a mark hangs on the root."""
    places = [i for i, word in enumerate(words) if not is_mark(word)]
    if len(places) == len(words):
        return parse
    if not places:
        return Parse((NO_HEAD, *[0] * (len(words) - 1)), ("ROOT", *["punct"] * (len(words) - 1)), (".",) * len(words))
    heads, relations, tags = [places[parse.root]] * len(words), ["punct"] * len(words), ["."] * len(words)
    for own, head, relation, tag in zip(places, parse.heads, parse.relations, parse.tags, strict=True):
        heads[own], relations[own], tags[own] = head if head == NO_HEAD else places[head], relation, tag
    return Parse(tuple(heads), tuple(relations), tuple(tags))


_CODE = "code"


class TreePlanner:
    """Makes a plan for each sentence; in the style of headlines, articles and some auxiliaries go first."""

    def __init__(
        self, scorer: WordScorer, *, headline: bool, settings: TreePlanSettings, language: str = ENGLISH
    ) -> None:
        self._is_german = language == GERMAN
        self._scorer = scorer
        self._headline = headline
        self._settings = settings

    def __call__(
        self,
        sentences: Sequence[PreparedSentence],
        encodings: Sequence[Tensor],
        parses: Sequence[Parse],
        *,
        plain: Sequence[bool],
    ) -> list[TreePlan]:
        """A plan for each sentence."""
        scores = self._scorer([prepared.source.words for prepared in sentences], encodings)
        return [
            self._plan(prepared, parse, own.tolist(), headline=self._headline and not as_prose)
            for prepared, parse, own, as_prose in zip(sentences, parses, scores, plain, strict=True)
        ]

    def _plan(
        self, prepared: PreparedSentence, parse: Parse, importance: Sequence[float], *, headline: bool
    ) -> TreePlan:
        between_pieces()
        words = prepared.sentence.words
        is_word = [not is_punctuation(word) for word in words]
        if self._is_german:
            return TreePlan(
                german_structure(words, parse, is_word),
                importance,
                prepared.sizes,
                punctuation=GermanMarks(words, parse, is_word, final_punctuation(prepared.sentence.tokens)),
                settings=self._settings,
            )
        structure = structure_of(words, parse, is_word, headline=headline)
        return TreePlan(
            structure,
            importance,
            prepared.sizes,
            punctuation=_Marks(prepared, parse, structure),
            settings=self._settings,
        )


class _Marks:
    """The punctuation that stays with words: none in pre-tokenized corpora, whose summaries have none."""

    def __init__(self, prepared: PreparedSentence, parse: Parse, structure: Structure) -> None:
        sentence = prepared.sentence
        self._marks = None if sentence.pretokenized else Punctuation(sentence.words, parse, structure)
        self._final = frozenset(final_punctuation(sentence.tokens))
        self._found: dict[frozenset[int], set[int]] = {}
        """The search for a length comes back to the same words again and again."""

    def joined(self, kept: Collection[int]) -> int | None:
        """The comma in whose place "and" belongs."""
        return None if self._marks is None else self._marks.joined(kept)

    def __call__(self, words: Collection[int]) -> set[int]:
        if self._marks is None:
            return set()
        key = frozenset(words)
        if key not in self._found:
            self._found[key] = self._marks.of(words) | (self._final - self._marks.lost_question(words))
        return self._found[key]
