"""`ealm word-importance`, and training with what it wrote."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tiny_models import save_tiny_bert

from ealm.cli.main import main
from ealm.goal_agent.word_importance import save_importance


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_measured_words_are_used_in_training(
    tmp_path: Path, corpus_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def similarity(sources: Sequence[str], drafts: Sequence[str]) -> list[float]:
        asked.append(len(drafts))
        return [len(draft) / max(1, len(source)) for source, draft in zip(sources, drafts, strict=True)]

    monkeypatch.setattr("ealm.paper.assessment.SentenceSimilarity.load", lambda *_args, **_options: similarity)
    weights = tmp_path / "weights.safetensors"
    first = run("word-importance", corpus_file, "--out", weights, "--pretokenized", "--quiet")
    assert first.exit_code == 0, first.output
    assert "ealm train --preset reader --word-importance" in first.output
    looks = sum(asked)
    assert looks
    again = run("weigh", corpus_file, "--out", weights, "--pretokenized", "--quiet")
    assert "0 to measure" in again.output
    assert sum(asked) == looks
    lm = save_tiny_bert(tmp_path / "lm")
    options = ["--preset", "reader", "--pretokenized", "--lm", lm, "--updates", "3", "--quiet"]
    small = ["--set", "goal.learning.sentences_per_collection=4", "--set", "goal.agent.hidden_units=8"]
    trained = run("train", corpus_file, "--out", tmp_path / "run", "--weighed", weights, *options, *small)
    assert trained.exit_code == 0, trained.output
    assert sum(asked) == looks  # nothing was measured again
    told = run(
        "summarize", "--model", tmp_path / "run", "--words", "3", "--pretokenized", "the police minister finds a bridge"
    )
    assert len(told.stdout.split()) == 3


def test_word_importance_is_refused_where_it_is_not_used(tmp_path: Path, corpus_file: Path) -> None:
    weights = tmp_path / "weights.safetensors"
    save_importance(weights, {}, "embedded")
    lm = save_tiny_bert(tmp_path / "lm")
    result = run("train", corpus_file, "--out", tmp_path / "run", "--lm", lm, "--word-importance", weights)
    assert result.exit_code == 1
    assert "--word-importance is for the goal agent (--preset reader)" in result.stderr
