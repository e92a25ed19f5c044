"""A suite of truths: how it is read, how patterns match, what is counted and how it is printed."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from ealm.cli.main import main
from ealm.evaluation.systems import HasCurve, SystemSpec, load_system
from ealm.evaluation.truth import Case, Pair, Pattern, TruthSuiteError, read_suite, sentences_of
from ealm.evaluation.truth_run import (
    TruthResult,
    check_once,
    check_system,
    kind_rows,
    length_rows,
    violation_lines,
)

SOURCE = "Do not take ibuprofen if you have asthma."
NOT_TAKE = {"where": "take ibuprofen", "must": "not|n't|never * take ibuprofen"}


# Words and patterns ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("He didn’t go. She did!", ["he did n't go", "she did"]),
        ("Ann's dog ate 7.6 kg, 5% more", ["ann 's dog ate 7.6 kg 5 % more"]),
        ("It costs $1,200 (about £900) at 10:30 p.m. sharp", ["it costs $ 1,200 about £ 900 at 10:30 p.m sharp"]),
        ("Mr. J. Smith of the U.S. left", ["mr j smith of the u.s left"]),
        ("third-quarter R&D and/or the workers' pay", ["third-quarter r&d and/or the workers pay"]),
        ("did n't , he 's said - “no”", ["did n't he 's said no"]),
        ("Is it safe?! Yes. Plan B? No.", ["is it safe ?", "yes", "plan b ?", "no"]),
        (" ... ", []),
    ],
)
def test_words_are_read_as_patterns_see_them(text: str, sentences: list[str]) -> None:
    assert [" ".join(words) for words in sentences_of(text)] == sentences


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("take ibuprofen", "Take ibuprofen.", True),
        ("take ibuprofen", "Take no ibuprofen.", False),
        ("take ibuprofen", "Mistake ibuprofen.", False),
        ("take ibuprofen", "Take. Ibuprofen.", False),
        ("take|takes * ibuprofen", "She takes ibuprofen", True),
        ("take|takes * ibuprofen", "She takes a lot of ibuprofen", True),
        ("take * ibuprofen", "Take it. No ibuprofen.", False),
        ("^ take", "Do not take", False),
        ("^ take", "Stop. Take it", True),
        ("take $", "Do not take. It is bad.", True),
        ("take $", "Do not take it.", False),
        ("^ take $", "take!", True),
        ("bridge * safe * $", "Bridge is safe enough.", True),
        ("bridge * safe * $", "Bridge safe enough?", False),
        ("bridge * safe", "Bridge safe?", True),
        ("bridge safe ?", "Bridge safe?", True),
        ("bridge safe ?", "Bridge safe.", False),
        ("costs $ 5", "It costs $5", True),
        ("costs $ $", "It costs $.", True),
        ("did n't * go", "He didn't ever go", True),
    ],
)
def test_patterns_match_within_a_sentence(pattern: str, text: str, expected: bool) -> None:
    assert Pattern(pattern).matches(sentences_of(text)) is expected


def test_a_witness_is_made_of_the_words_of_the_source_in_order() -> None:
    source = sentences_of(SOURCE)
    assert Pattern("take|takes * asthma").witness(source) == ["take", "asthma"]
    assert Pattern("asthma * take").witness(source) is None


# Reading --------------------------------------------------------------------------------------------------------------


def suite(folder: Path, *records: object, kind: str = "negation") -> Path:
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    (folder / f"{kind}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_a_case_has_patterns_and_pairs(tmp_path: Path) -> None:
    suite(tmp_path, {"text": SOURCE, "never": ["take asthma"], "pairs": [NOT_TAKE]})
    (case,) = read_suite(tmp_path)
    assert case == Case(
        kind="negation",
        text=SOURCE,
        never=(Pattern("take asthma"),),
        pairs=(Pair(Pattern("take ibuprofen"), Pattern("not|n't|never * take ibuprofen")),),
        place="negation.jsonl, line 1",
    )
    assert case.violations("Do not take ibuprofen") == []
    assert case.violations("You have asthma") == []
    assert case.violations("Take ibuprofen") == ["says: take ibuprofen, without: not|n't|never * take ibuprofen"]
    assert case.violations("Take asthma.") == ["says: take asthma"]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("{", "line 2: Expecting"),
        ([], "expected an object with text, never, pairs"),
        ({"text": "a", "nevr": ["a"]}, "expected an object with text, never, pairs"),
        ({"never": ["a"]}, "it has no text"),
        ({"text": "a"}, "give at least one pattern"),
        ({"text": "a", "never": "a"}, "give at least one pattern, in a list"),
        ({"text": "a", "never": [1]}, "a pattern is a text, got 1"),
        ({"text": "a", "never": ["* ^"]}, "can never match"),
        ({"text": "a", "never": ["^ * $"]}, "has no word"),
        ({"text": "a", "never": ["Didn't"]}, 'is read as "did n\'t"'),
        ({"text": "a", "pairs": [{"where": "a"}]}, "a pair has a where and a must"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_line(tmp_path: Path, record: object, message: str) -> None:
    suite(tmp_path, {"text": "a", "never": ["a"]}, record)
    with pytest.raises(TruthSuiteError) as caught:
        read_suite(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / 'negation.jsonl'}, line 2: ")
    assert message in str(caught.value)


def test_a_folder_without_cases_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TruthSuiteError, match="There is no suite in"):
        read_suite(tmp_path)
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(TruthSuiteError, match="nothing to check"):
        read_suite(tmp_path)


# Running --------------------------------------------------------------------------------------------------------------


class Last:
    """The last words of each text; the lengths it was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[int | None, int]] = []

    def summarize(self, texts: Sequence[str], *, words: int | None = None, pretokenized: bool = True) -> list[str]:
        self.asked.append((words, len(texts)))
        return [" ".join(text.split()[-min(words or 99, 6) :]) for text in texts]


@pytest.fixture
def cases(tmp_path: Path) -> tuple[Case, ...]:
    suite(tmp_path, {"text": SOURCE, "pairs": [NOT_TAKE]})
    suite(tmp_path, {"text": "No man is an island.", "never": ["^ man is an island"]}, kind="quantifier")
    return read_suite(tmp_path)


def test_every_text_is_summarized_at_every_length_up_to_the_whole(cases: tuple[Case, ...]) -> None:
    system = Last()
    outputs = check_system(system, cases)
    assert system.asked == [(3, 2), (4, 2), (5, 2), (6, 1), (7, 1), (8, 1)]
    # Of the eight words of the first text six come at most, so three lengths have one summary.
    assert [(output.length, bool(output.violations)) for output in outputs] == [
        *((3, False), (4, False), (5, False), (6, True)),
        *((3, False), (4, True), (5, False)),
    ]


class LastAtOnce(Last):
    """The same, and all lengths of a text at once."""

    def curve(self, text: str) -> list[str]:
        size = len(text.split())
        return [self.summarize([text], words=words)[0] for words in range(size, 0, -1)]


def test_all_lengths_at_once_are_the_same_as_one_by_one(cases: tuple[Case, ...]) -> None:
    assert check_system(LastAtOnce(), cases) == check_system(Last(), cases)


def test_the_embedded_model_gives_all_lengths_at_once(cases: tuple[Case, ...]) -> None:
    system = load_system(SystemSpec("ealm", "ealm"), None)
    assert isinstance(system, HasCurve)
    one_by_one = check_system(system, cases, lengths=range(3, 9))
    expected = {output.summary for output in one_by_one if len(output.summary.split()) >= 3}
    assert {output.summary for output in check_system(system, cases)} == expected


def test_one_length_and_a_length_of_its_own(cases: tuple[Case, ...]) -> None:
    assert [output.summary for output in check_system(Last(), cases, lengths=[6])] == [
        "take ibuprofen if you have asthma."
    ]
    assert [output.length for output in check_once(Last(), cases)] == [6, 5]


def test_counts_are_by_kind_and_by_length(cases: tuple[Case, ...]) -> None:
    result = TruthResult("last", tuple(check_system(Last(), cases)))
    assert str(result.total) == "2 of 7 (28.6%)"
    assert {kind: tally.violations for kind, tally in result.by_kind().items()} == {"negation": 1, "quantifier": 1}
    assert {length: tally.violations for length, tally in result.by_length().items()} == {3: 0, 4: 1, 5: 0, 6: 1}
    assert result.broken_cases == 2
    values = json.loads(json.dumps(result.to_dict()))
    assert values["by_length"]["6"] == {"outputs": 1, "violations": 1, "share": 1.0}
    assert values["untrue"][0]["summary"] == "take ibuprofen if you have asthma."
    assert ["negation", "1 of 4 (25.0%)"] in kind_rows([result])[1]
    assert ["5 to 6", "1 of 3 (33.3%)"] in length_rows([result])[1]
    assert violation_lines(result)[:2] == [
        f"\nnegation.jsonl, line 1: {SOURCE}",
        "  take ibuprofen if you have asthma.\n      says: take ibuprofen, without: not|n't|never * take ibuprofen",
    ]


# The command ----------------------------------------------------------------------------------------------------------


def test_the_command_checks_any_system(cases: tuple[Case, ...], tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("take ibuprofen\nman\n", encoding="utf-8")
    systems = f"lead-50,stopwords,file:peer={tmp_path / 'out.txt'}"
    arguments = ["evaluate", "--truth", str(tmp_path), "--systems", systems, "--quiet"]
    result = CliRunner().invoke(main, [*arguments, "--show-violations"])
    assert result.exit_code == 0, result.output
    assert "  take ibuprofen\n      says: take ibuprofen, without" in result.stdout
    values = json.loads(CliRunner().invoke(main, [*arguments, "--json"]).stdout)
    assert [(each["system"], each["violations"], each["outputs"]) for each in values] == [
        ("lead-50", 0, 9),
        ("stopwords", 0, 4),
        ("peer", 1, 2),
    ]


def test_data_or_truth() -> None:
    result = CliRunner().invoke(main, ["evaluate"])
    assert result.exit_code == 2
    assert "--data DIR (scores against references), --truth DIR" in result.stderr
