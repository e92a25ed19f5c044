"""Any spaCy pipeline as the grammar: other languages, or the teacher that the embedded parser is distilled from."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ealm.common.caching import remember_short
from ealm.common.errors import GrammarError
from ealm.grammar.protocol import NO_HEAD, ROOT_RELATION, Parse

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_UNUSED = ("ner", "lemmatizer", "attribute_ruler", "senter", "textcat")
"""Components that a parse does not need."""

_BATCH = 64

_CORPUS_FORMS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"} | {
    "``": '"',
    "''": '"',
    "<unk>": "thing",
    "UNK": "thing",
}
"""How prepared corpora write signs and unknown words, in the plain form that a pipeline has seen in training."""

_NO_SPACE_BEFORE = re.compile(r"[.,;:!?%)\]}…]+|n[’']t|[’'](?:s|re|ve|ll|d|m)?", re.IGNORECASE)
_NO_SPACE_AFTER = re.compile(r"[(\[{$£€#]")
_CONTRACTION = re.compile(r"['’]")


class SpacyGrammar:
    """Parses with a spaCy pipeline.

    A word that the pipeline cuts further ("don't", "10-year-old") gets what its uppermost part has.
    """

    def __init__(self, pipeline: "Language") -> None:
        self._pipeline = pipeline
        self.language = pipeline.lang
        """The code of the language that it parses."""
        self._parts = remember_short(100_000)(self._parts_of)

    @classmethod
    def load(cls, name: str) -> "SpacyGrammar":
        """Load an installed pipeline by its name, or one from a folder."""
        try:
            import spacy
        except ImportError as error:
            raise GrammarError(
                f"The grammar {name!r} needs spaCy. Install it with: pip install 'ealm[spacy]' "
                f"(and then the pipeline {name})."
            ) from error
        try:
            pipeline = spacy.load(name, exclude=list(_UNUSED))
        except (OSError, ValueError) as error:
            installed = ", ".join(sorted(spacy.util.get_installed_models())) or "none"
            raise GrammarError(
                f"spaCy has no pipeline {name!r} (installed: {installed}). "
                f"Install it with: python -m spacy download {name}"
            ) from error
        if "parser" not in pipeline.pipe_names:
            raise GrammarError(f"The spaCy pipeline {name!r} has no parser. Choose another one with grammar=.")
        return cls(pipeline)

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse]:
        """A tree for each sentence."""
        return list(self.stream(sentences))

    def stream(self, sentences: Sequence[Sequence[str]]) -> Iterator[Parse]:
        """The same, one after the other."""
        cuts = [[self._parts(_CORPUS_FORMS.get(word, word).replace("#", "1")) for word in words] for words in sentences]
        docs = self._pipeline.pipe((self._doc(parts) for parts in cuts), batch_size=_BATCH)
        for parts, doc in zip(cuts, docs, strict=True):
            yield _merged(doc, [len(own) for own in parts])

    def _parts_of(self, word: str) -> tuple[str, ...]:
        """How the pipeline itself cuts a word."""
        return tuple(token.text for token in self._pipeline.tokenizer(word) if not token.is_space) or (word,)

    def _doc(self, parts: Sequence[Sequence[str]]) -> "Doc":
        from spacy.tokens import Doc

        words: list[str] = []
        spaces: list[bool] = []
        for own, after in zip(parts, [*parts[1:], None], strict=False):
            words += own
            spaces += [False] * (len(own) - 1)
            spaces.append(after is not None and _space_between(own[-1], after[0]))
        starts = [index == 0 for index in range(len(words))]  # one sentence, whatever it looks like
        return Doc(self._pipeline.vocab, words=words, spaces=spaces, sent_starts=starts)


def _space_between(left: str, right: str) -> bool:
    return not (_NO_SPACE_BEFORE.fullmatch(right) or _NO_SPACE_AFTER.fullmatch(left))


def _merged(doc: Any, sizes: Sequence[int]) -> Parse:
    """The tree over words of `sizes` tokens each."""
    word_of = [word for word, size in enumerate(sizes) for _ in range(size)]
    heads, relations, tags = [], [], []
    start = 0
    for word, size in enumerate(sizes):
        own = list(doc[start : start + size])
        start += size
        token = _uppermost(own, [part for part in own if part.head == part or word_of[part.head.i] != word])
        heads.append(NO_HEAD if token.head == token else word_of[token.head.i])
        relations.append(ROOT_RELATION if token.head == token else token.dep_)
        tags.append(token.tag_)
    return _with_one_root(heads, relations, tags)


def _uppermost(own: Sequence[Any], candidates: Sequence[Any]) -> Any:
    """The part that stands for the whole: nearest to the root; of "he'll" the first, of "low-cost" the last."""
    if len(candidates) == 1:
        return candidates[0]
    depths = [sum(1 for _ in part.ancestors) for part in candidates]
    nearest = [part for part, depth in zip(candidates, depths, strict=True) if depth == min(depths)]
    contraction = any(_CONTRACTION.search(part.text) for part in own)
    return nearest[0 if contraction else -1]


def _with_one_root(heads: list[int], relations: list[str], tags: list[str]) -> Parse:
    """Further roots hang on the first one; a loop, which merging may leave, is cut at its first word."""
    root = heads.index(NO_HEAD) if NO_HEAD in heads else 0
    if heads:
        heads[root], relations[root] = NO_HEAD, ROOT_RELATION
    for index, head in enumerate(heads):
        if (head == NO_HEAD and index != root) or not _leads_to(root, index, heads):
            heads[index], relations[index] = root, "parataxis" if head == NO_HEAD else relations[index]
    return Parse(tuple(heads), tuple(relations), tuple(tags))


def _leads_to(root: int, index: int, heads: Sequence[int]) -> bool:
    for _ in heads:
        if index == root or heads[index] == NO_HEAD:
            return True
        index = heads[index]
    return False
