"""What a summary of a given length costs: one pass of the sentence encoder for each sentence, and nothing besides."""

from collections.abc import Sequence

import pytest
from torch import Tensor

from ealm import Summarizer
from ealm.lm.loading import LaterModel
from ealm.lm.sentence_encoder import SentenceEncoder
from ealm.summarize.result_builder import ResultBuilder

SENTENCES = [
    "The council of Harwick voted on Tuesday evening to close the old bridge over the river for repairs.",
    "Two engineers had found deep cracks in the northern pillar during their yearly inspection in spring.",
    "Drivers will have to take the longer road along the coast until the work is finished.",
]
DOCUMENT = " ".join(SENTENCES)


@pytest.fixture(scope="module")
def summarizer() -> Summarizer:
    return Summarizer(engine="torch")


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """Sentences that the encoder has seen, by the ids of their pieces; the language model must not be asked."""
    seen: list[tuple[int, ...]] = []
    plain = SentenceEncoder._forward

    def counted(self: SentenceEncoder, rows: Sequence[Sequence[int]], *, all_layers: bool) -> tuple[Tensor, Tensor]:
        seen.extend(tuple(row) for row in rows)
        return plain(self, rows, all_layers=all_layers)

    def asked(_self: LaterModel) -> None:
        raise AssertionError("nobody asked for what can be recovered")

    monkeypatch.setattr(SentenceEncoder, "_forward", counted)
    monkeypatch.setattr(LaterModel, "load", asked)
    return seen


def test_a_list_takes_one_pass_for_each_sentence(summarizer: Summarizer, encoded: list[tuple[int, ...]]) -> None:
    summaries = summarizer.summarize(SENTENCES, words=9)
    assert all(0 < len(own.summary.split()) <= 9 for own in summaries)
    assert len(encoded) == len(set(encoded)) == len(SENTENCES)


def test_a_document_takes_one_pass_for_each_sentence(summarizer: Summarizer, encoded: list[tuple[int, ...]]) -> None:
    assert len(summarizer.summarize(DOCUMENT, words=20).summary.split()) <= 20
    assert len(encoded) == len(set(encoded)) == len(SENTENCES)


@pytest.mark.parametrize("text", [SENTENCES[0], DOCUMENT])
def test_a_whole_curve_takes_no_more_than_one_length(
    summarizer: Summarizer, encoded: list[tuple[int, ...]], text: str
) -> None:
    points = summarizer.curve(text, recoverability=False)
    assert len(points) > 8
    assert len(encoded) == len(set(encoded)) == (1 if text in SENTENCES else len(SENTENCES))


def test_edits_and_trace_are_built_for_those_who_read_them(
    summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []
    for name in ("_edits", "_trace"):
        plain = getattr(ResultBuilder, name)
        monkeypatch.setattr(
            ResultBuilder, name, lambda *given, name=name, plain=plain: built.append(name) or plain(*given)
        )
    summaries = summarizer.summarize([*SENTENCES, DOCUMENT], words=9)
    assert all(own.summary for own in summaries)
    assert not built
    assert summaries[0].edits
    assert summaries[0].trace
    assert built == ["_edits", "_trace"]
