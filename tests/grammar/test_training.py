import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from grammars import ChainGrammar, FakeWordEncoder

from ealm.common.config import DataSettings
from ealm.common.errors import CorpusError, GrammarError, RunError
from ealm.grammar.neural.parser import EmbeddedGrammar
from ealm.grammar.neural.saved_parser import read_network
from ealm.grammar.protocol import Parse
from ealm.grammar.training.run import CHECKPOINT_FILE, REPORT_FILE, GrammarRequest, GrammarRun, teacher_named

WORDS = ["a", "the", "of", "rain", "bridge", "closed", "over", "is", "north", "early"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    chance = random.Random(1)
    lines = [" ".join(chance.choices(WORDS, k=chance.randint(3, 6))) for _ in range(70)]
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(dict.fromkeys(lines)), encoding="utf-8")
    return path


def run(
    corpus: Path, folder: Path, *, updates: int = 3, teacher: Any = None, name: str = "spacy:chain", **changes: Any
) -> GrammarRun:
    said: list[str] = []
    values = {"teacher": name, "progress": False, "say": said.append, **changes}
    request = GrammarRequest(
        corpus=corpus, folder=folder, updates=updates, data=DataSettings(max_sentences=None), **values
    )
    encoder: Any = FakeWordEncoder()
    return GrammarRun(request, teacher or ChainGrammar(), encoder)


def test_a_parser_learns_what_its_teacher_does(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert run(corpus, folder, updates=90).go()
    report = json.loads((folder / REPORT_FILE).read_text(encoding="utf-8"))
    assert report["raw"]["labelled"] > 0.8
    assert set(report) == {"raw", "prepared"}
    encoder: Any = FakeWordEncoder()
    (parse,) = EmbeddedGrammar(read_network(folder), encoder).parse([["the", "bridge"]])
    assert len(parse) == 2


def test_a_run_is_resumed_without_parsing_again(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert run(corpus, folder).go()
    checkpoint = (folder / CHECKPOINT_FILE).stat().st_mtime_ns

    class HeldOutOnly(ChainGrammar):
        def parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse]:
            assert len(sentences) < 10  # those for the report
            return super().parse(sentences)

    second = run(corpus, folder, updates=5, resume=True, teacher=HeldOutOnly())
    assert second.go()
    assert second.updates == 5
    assert (folder / CHECKPOINT_FILE).stat().st_mtime_ns > checkpoint


def test_a_folder_with_a_run_is_not_written_over(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    run(corpus, folder).go()
    with pytest.raises(RunError, match="already holds a run"):
        run(corpus, folder)
    with pytest.raises(RunError, match="another teacher"):
        run(corpus, folder, resume=True, name="spacy:other")


def test_too_few_sentences_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("one sentence only\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="50 are the least"):
        run(path, tmp_path / "out")


@pytest.mark.parametrize("name", ["en_core_web_sm", "stanza:en", "spacy:"])
def test_a_teacher_is_named_by_kind_and_pipeline(name: str) -> None:
    with pytest.raises(GrammarError, match="spacy:PIPELINE"):
        teacher_named(name)
