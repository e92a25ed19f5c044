"""The public summarizer: text in, text out, several sentences, and streams."""

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Any

import pytest
from summarizers import BOTH_KINDS, RAW_TEXT, SENTENCE, plain, stubborn, summarizer_of, various
from tiny_models import WORDS

from ealm import Summarizer
from ealm.common.errors import SettingsError, TextError
from ealm.paper.edits import Action

# Several sentences ----------------------------------------------------------------------------------------------------


def test_every_sentence_of_a_text_is_summarized_by_itself() -> None:
    first, second = "The old engine burns in the quiet forest.", "It falls late, the doctor says."
    summary = various().summarize(f"{first}  {second}\n")
    parts = various().summarize([first, second])
    assert summary.source == f"{first}  {second}"
    assert [plain(part) for part in summary.sentences] == [plain(part) for part in parts]
    assert summary.summary == f"{parts[0].summary}  {parts[1].summary}"
    assert summary.edits == tuple(edit for part in parts for edit in part.edits)
    assert summary.trace == ()
    assert summary.step == sum(part.step for part in parts)
    words = [len(part.edits) for part in parts]
    mean = sum(part.compression_rate * count for part, count in zip(parts, words, strict=True)) / sum(words)
    assert summary.compression_rate == pytest.approx(mean)
    assert all(part.sentences == () for part in (*parts, *summary.sentences))


def test_a_pretokenized_text_is_one_sentence_whatever_is_in_it() -> None:
    text = "it burns . it falls . the river rises ."
    summary = summarizer_of(stubborn(Action.KEEP)).summarize(text.replace(" it", "\n\nit"), pretokenized=True)
    assert (summary.summary, summary.sentences) == (text, ())


# Text in, text out ----------------------------------------------------------------------------------------------------


@BOTH_KINDS
@pytest.mark.parametrize("text", ["Zebra of Zürich", "RIVER River river", "[MASK] [UNK] ##ing", "日本 rises …"])
def test_kept_words_are_printed_as_written(text: str, pretokenized: bool) -> None:
    summary = summarizer_of(stubborn(Action.KEEP)).summarize(f"  {text}\t\n", pretokenized=pretokenized)
    assert (summary.source, summary.summary) == (text, text)


@pytest.mark.parametrize(
    "text",
    [
        RAW_TEXT,
        "Well—isn't it  5.5% (or $3)?",
        'He said: "It [the river] rises!" "No."',
        "a\n\n b",
        "river ( ) rises",
        "()",
    ],
)
def test_raw_text_that_is_kept_is_printed_as_written_with_all_its_spaces_and_marks(text: str) -> None:
    summary = summarizer_of(stubborn(Action.KEEP)).summarize(text)
    assert (summary.source, summary.summary) == (text, text)
    assert (summary.compression_rate, summary.reconstruction_rate) == (0.0, 1.0)


def test_a_replaced_unknown_word_becomes_a_known_one() -> None:
    summarizer = summarizer_of(stubborn(Action.REPLACE))
    last = summarizer.summarize("Zebra river", trace=True, pretokenized=True).trace[-1]
    assert last.summary is not None
    assert all(word in WORDS for word in last.summary.split())
    assert last.summary.split()[1] != "river"


def test_printing_a_summary_prints_its_words() -> None:
    summary = various().summarize(SENTENCE)
    assert str(summary) == f"{summary}" == summary.summary


@BOTH_KINDS
def test_no_limit_of_the_model_reaches_the_user(pretokenized: bool) -> None:
    summarizer = various()
    longest = summarizer.lm.max_words
    short = summarizer.summarize("river " * longest, words=1, pretokenized=pretokenized)
    assert len(short.summary.split()) == 1
    texts = ["river", "river " * (longest + 1)]  # cut into pieces that fit
    assert [len(summary.sentences) for summary in summarizer.summarize(texts, pretokenized=pretokenized)] == [0, 2]


@pytest.mark.parametrize("text", [None, 5, b"river rises"])
def test_what_is_not_a_text_is_refused_with_its_number(text: Any) -> None:
    with pytest.raises(TextError, match=rf"texts\[1\] must be a string, got {type(text).__name__}"):
        various().summarize(["river rises", text])


@BOTH_KINDS
@pytest.mark.parametrize("text", ["river \udcff rises", "\ud83d", "Zürich \udce9"])
def test_half_characters_are_refused_with_the_number_of_their_sentence(text: str, pretokenized: bool) -> None:
    with pytest.raises(TextError, match=r"Text 2 is not valid Unicode.*UTF-8"):
        various().summarize(["Zürich rises", text], pretokenized=pretokenized)


@pytest.mark.parametrize(
    "pick",
    [lambda s: s, lambda s: s.edits[0], lambda s: s.sentences[0], lambda s: s.sentences[0].trace[0]],
)
def test_results_cannot_be_changed(pick: Any) -> None:
    result = pick(various().summarize(f"{SENTENCE} It burns."))
    for field in dataclasses.fields(result):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, field.name, None)


# Streams --------------------------------------------------------------------------------------------------------------


def test_a_stream_takes_no_more_than_it_needs_from_an_endless_source() -> None:
    taken: list[int] = []

    def endless() -> Iterator[str]:
        for number in count():
            taken.append(number)
            yield "river rises" if number % 2 else "late storm falls"

    stream = summarizer_of(stubborn(Action.KEEP)).summarize(endless())
    assert taken == []
    first = list(islice(stream, 3))
    assert [str(summary) for summary in first] == ["late storm falls", "river rises", "late storm falls"]
    assert len(taken) < 1_000


@BOTH_KINDS
def test_a_stream_longer_than_a_chunk_stays_in_order(pretokenized: bool) -> None:
    texts = ["" if number % 7 == 0 else f"word{number} rises" for number in range(300)]
    summarizer = summarizer_of(stubborn(Action.KEEP))
    assert [str(summary) for summary in summarizer.summarize(iter(texts), pretokenized=pretokenized)] == texts


def test_filling_can_be_switched_to_parallel_and_nothing_else() -> None:
    summarizer = various()
    parallel = summarizer.with_decoding("parallel")
    assert parallel.settings == summarizer.settings.override({"decoding.mode": "parallel"})
    assert parallel.agent is summarizer.agent
    assert summarizer.settings.decoding.mode == "sequential"
    with pytest.raises(SettingsError, match="mode must be one of sequential, approximate, parallel"):
        summarizer.with_decoding("backwards")


def rows_asked(summarizer: Summarizer, text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    rows: list[int] = []
    predict = summarizer.lm.predict

    def counting(questions: Sequence[Any]) -> Any:
        rows.append(len(questions))
        return predict(questions)

    with monkeypatch.context() as patch:
        patch.setattr(summarizer.lm, "predict", counting)
        summarizer.summarize(text, pretokenized=True)
    return sum(rows)


def test_parallel_filling_really_asks_less(monkeypatch: pytest.MonkeyPatch) -> None:
    sequential = summarizer_of(stubborn(Action.REPLACE))
    parallel = sequential.with_decoding("parallel", confidence=0)
    assert rows_asked(parallel, SENTENCE, monkeypatch) < rows_asked(sequential, SENTENCE, monkeypatch)
