"""A small stand-in for spaCy: the real one is an extra that tests do without."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ealm.common.errors import GrammarError
from ealm.grammar.protocol import NO_HEAD
from ealm.grammar.spacy_grammar import SpacyGrammar

CUTS = {"don't": ("do", "n't"), "he'll": ("he", "'ll"), "low-cost": ("low", "-", "cost")}


@dataclass(eq=False)
class FakeToken:
    i: int
    text: str
    doc: "FakeDoc" = field(repr=False)
    dep_: str = "dep"
    tag_: str = "NN"
    is_space: bool = False
    head_index: int = 0

    @property
    def head(self) -> "FakeToken":
        return self.doc[self.head_index]

    @property
    def ancestors(self) -> Iterator["FakeToken"]:
        token = self
        while token.head is not token:
            token = token.head
            yield token


class FakeDoc(list[FakeToken]):
    def __init__(self, vocab: object, *, words: Sequence[str], spaces: Sequence[bool], sent_starts: object) -> None:
        super().__init__()
        self.spaces = list(spaces)
        self.extend(FakeToken(index, word, self) for index, word in enumerate(words))


class FakePipeline:
    """Hangs tokens as a table says; everything else on the first token."""

    vocab: object = None
    lang = "en"
    pipe_names = ("tok2vec", "tagger", "parser")

    def __init__(self, arcs: dict[str, tuple[str, str, str]]) -> None:
        self.arcs = arcs
        self.docs: list[FakeDoc] = []

    def tokenizer(self, word: str) -> list[Any]:
        return [SimpleNamespace(text=part, is_space=False) for part in CUTS.get(word, (word,))]

    def pipe(self, docs: Iterable[FakeDoc], *, batch_size: int) -> Iterator[FakeDoc]:
        for doc in docs:
            for token in doc:
                head, token.dep_, token.tag_ = self.arcs.get(token.text, (doc[0].text, "dep", "NN"))
                token.head_index = next(other.i for other in doc if other.text == head)
            self.docs.append(doc)
            yield doc


@pytest.fixture(autouse=True)
def fake_spacy(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens: Any = ModuleType("spacy.tokens")
    tokens.Doc = FakeDoc
    monkeypatch.setitem(sys.modules, "spacy.tokens", tokens)


def parsed(words: str, arcs: dict[str, tuple[str, str, str]]) -> tuple[Any, FakePipeline]:
    pipeline: Any = FakePipeline(arcs)
    (parse,) = SpacyGrammar(pipeline).parse([words.split()])
    return parse, pipeline


def test_a_contraction_takes_the_place_of_its_uppermost_part() -> None:
    parse, _ = parsed(
        "we don't know",
        {
            "we": ("know", "nsubj", "PRP"),
            "do": ("know", "aux", "VBP"),
            "n't": ("know", "neg", "RB"),
            "know": ("know", "ROOT", "VB"),
        },
    )
    assert parse.heads == (2, 2, NO_HEAD)
    assert parse.relations == ("nsubj", "aux", "ROOT")
    assert parse.tags == ("PRP", "VBP", "VB")


def test_a_subject_with_its_verb_is_the_verb_when_others_hang_on_it() -> None:
    arcs = {"he": ("'ll", "nsubj", "PRP"), "'ll": ("'ll", "ROOT", "MD"), "see": ("'ll", "ccomp", "VB")}
    parse, _ = parsed("he'll see", arcs)
    assert parse.heads == (NO_HEAD, 0)
    assert parse.relations == ("ROOT", "ccomp")


def test_a_hyphenated_word_is_one_word() -> None:
    arcs = {
        "low": ("cost", "amod", "JJ"),
        "-": ("cost", "punct", "HYPH"),
        "cost": ("flight", "compound", "NN"),
        "flight": ("flight", "ROOT", "NN"),
    }
    parse, _ = parsed("low-cost flight", arcs)
    assert (parse.heads, parse.relations) == ((1, NO_HEAD), ("compound", "ROOT"))


def test_a_second_root_hangs_on_the_first() -> None:
    parse, _ = parsed("yes sure", {"yes": ("yes", "ROOT", "UH"), "sure": ("sure", "ROOT", "UH")})
    assert parse.heads == (NO_HEAD, 0)
    assert parse.relations == ("ROOT", "parataxis")


def test_words_of_prepared_corpora_reach_the_pipeline_in_plain_form() -> None:
    _, pipeline = parsed("price -lrb- # -rrb- .", {})
    assert [token.text for token in pipeline.docs[0]] == ["price", "(", "1", ")", "."]
    assert pipeline.docs[0].spaces == [True, False, False, False, False]


def test_no_words_have_an_empty_parse() -> None:
    pipeline: Any = FakePipeline({})
    assert len(SpacyGrammar(pipeline).parse([[]])[0]) == 0


def test_without_spacy_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(GrammarError, match=r"pip install 'ealm\[spacy\]'"):
        SpacyGrammar.load("en_core_web_sm")


def load_with(monkeypatch: pytest.MonkeyPatch, load: object) -> None:
    spacy: Any = ModuleType("spacy")
    spacy.load = load
    spacy.util = SimpleNamespace(get_installed_models=lambda: ["en_core_web_sm"])
    monkeypatch.setitem(sys.modules, "spacy", spacy)


def test_a_missing_pipeline_is_named_beside_those_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str, exclude: list[str]) -> None:
        raise OSError(name)

    load_with(monkeypatch, fail)
    with pytest.raises(GrammarError, match=r"no pipeline 'de_core_news_sm' \(installed: en_core_web_sm\)"):
        SpacyGrammar.load("de_core_news_sm")


def test_a_pipeline_needs_a_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    load_with(monkeypatch, lambda name, exclude: SimpleNamespace(pipe_names=["tagger"]))
    with pytest.raises(GrammarError, match="has no parser"):
        SpacyGrammar.load("xx_tagger")
