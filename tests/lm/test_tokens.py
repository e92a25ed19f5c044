"""Lengths in tokens."""

from pathlib import Path

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from ealm import Summarizer
from ealm.common.errors import SettingsError
from ealm.lm.tokens import count, load
from ealm.summarize.options import SummarizeOptions

TEXT = "The council voted on Tuesday to close the old bridge over the river."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tokenizer = Tokenizer(WordLevel({"?": 0}, unk_token="?"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def test_a_folder_and_a_file_name_the_same_tokenizer(folder: Path) -> None:
    assert count(TEXT, str(folder)) == count(TEXT, str(folder / "tokenizer.json")) == 14


def test_a_summary_has_at_most_so_many_tokens(folder: Path) -> None:
    summarizer = Summarizer()
    for tokens in (4, 9, 12):
        assert count(summarizer.summarize(TEXT, tokens=tokens, tokenizer=str(folder)).summary, str(folder)) <= tokens
    limit = SummarizeOptions(tokens=9).limit(TEXT)
    assert limit is not None
    assert 4 < limit.measure(summarizer.summarize(TEXT, tokens=9).summary) <= 9
    text = f"{TEXT} Nobody was surprised. {TEXT.replace('bridge', 'mill')}"
    summary = summarizer.summarize(text, tokens=20)
    assert summary.complete
    assert 8 < limit.measure(summary.summary) <= 20


def test_what_is_no_tokenizer_is_told(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(SettingsError, match=r"cannot be read.*Name a tokenizer\.json"):
        count("a", str(tmp_path / "bad.json"))
    with pytest.raises(SettingsError, match="goes with tokens="):
        SummarizeOptions(words=3, tokenizer="x")
    with pytest.raises(SettingsError, match="must be a name"):
        SummarizeOptions(tokens=3, tokenizer=3)  # type: ignore[arg-type]


def test_a_name_is_looked_for_once_where_no_hub_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ealm.lm.tokens.hub_is_reachable", lambda: False)
    with pytest.raises(SettingsError, match="cannot be read"):
        load("no-such-owner/no-such-tokenizer")
