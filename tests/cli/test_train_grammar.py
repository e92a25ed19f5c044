"""`ealm train-grammar` from the command line, with a teacher that needs no spaCy."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from grammars import ChainGrammar

from ealm.cli.main import main
from ealm.grammar.neural.saved_parser import read_network
from ealm.grammar.protocol import Grammar


def test_the_command_writes_a_parser_and_its_agreement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def chain(name: str) -> Grammar:
        assert name == "spacy:chain"
        return ChainGrammar()

    monkeypatch.setattr("ealm.grammar.training.run.teacher_named", chain)
    corpus = tmp_path / "corpus.txt"
    lines = (f"Sentence number {number} tells of rain in {1900 + number}." for number in range(60))
    corpus.write_text("\n".join(lines), encoding="utf-8")
    out = tmp_path / "parser"
    arguments = [str(corpus), "--teacher", "spacy:chain", "--out", str(out), "--updates", "2", "--quiet"]
    result = CliRunner().invoke(main, ["train-grammar", *arguments])
    assert result.exit_code == 0, result.output
    assert "Held out, 1 sentences, raw: unlabelled" in result.stderr
    assert (out / "agreement.json").exists()
    assert "ROOT" in read_network(out).shape.relations


def test_a_teacher_that_is_none_is_an_error(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("A line.\n", encoding="utf-8")
    arguments = ["train-grammar", str(corpus), "--teacher", "me", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code != 0
    assert "spacy:PIPELINE" in result.stderr
