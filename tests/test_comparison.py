"""The comparison asks a chat model once, and sheets for its readers are blind and come back whole."""

import csv
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from benchmarks import comparison_reading
from benchmarks.comparison_page import cost_table, machine
from benchmarks.comparison_reading import AGAIN, PARTS, join, prepare, spread, verdicts_in
from benchmarks.kept_answers import TOGETHER, KeptAnswers
from benchmarks.peak import busy_seconds
from ealm.evaluation.reading import VERDICTS, Row, read_key, read_verdicts


@dataclass
class Counting:
    """A chat model that answers in capitals, until it is asked for more than it can bear."""

    most: int = 1_000
    asked: list[str] = field(default_factory=list)

    def answer(self, prompts: Sequence[str], *, tokens: int) -> list[str]:
        if len(self.asked) + len(prompts) > self.most:
            raise KeyboardInterrupt
        self.asked += prompts
        return [prompt.upper()[:tokens] for prompt in prompts]


def test_a_chat_model_goes_on_where_it_stopped(tmp_path: Path) -> None:
    prompts, path = [f"text {number}" for number in range(TOGETHER * 2 + 3)], tmp_path / "answers.jsonl"
    with pytest.raises(KeyboardInterrupt):
        KeptAnswers(Counting(most=TOGETHER), "a", path).answer(prompts, tokens=9)
    model = Counting()
    assert KeptAnswers(model, "a", path).answer(prompts, tokens=9) == [prompt.upper() for prompt in prompts]
    assert model.asked == prompts[TOGETHER:]


def test_answers_are_of_one_model_and_one_length(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    assert KeptAnswers(Counting(), "a", path).answer(["some words"], tokens=9) == ["SOME WORD"]
    assert KeptAnswers(Counting(), "a", path).answer(["some words"], tokens=4) == ["SOME"]
    other = Counting()
    assert KeptAnswers(other, "b", path).answer(["some words", "some words"], tokens=4) == ["SOME", "SOME"]
    assert other.asked == ["some words"]


def timed(speed: float, others: float) -> dict[str, Any]:
    speeds = {"words_a_second": speed, "words_a_processor_second": speed}
    about = {"cores": 2, "threads": 2, "memory": 1e9, "others": others}
    return {"timing": about | {"sentences": speeds, "documents": speeds}, "bytes": 0}


def test_a_busy_machine_is_called_busy() -> None:
    quiet = machine({"a": timed(9, 0.01), "b": timed(9, 0.1)})
    assert quiet == "Times: 2 cores, 2 thread(s); other processes kept 0.01 to 0.10 cores busy while they were taken."
    assert "That is a busy machine" in machine({"a": timed(9, 0.01), "b": timed(9, 1.5)})


def test_a_slow_system_has_its_tenths() -> None:
    assert "| a | 0.4 | 0.4 | 0.4 | 0.4 | 1,000 MB |" in cost_table({"a": timed(0.4, 0)})
    assert "| a | 1,234 | 1,234 | 1,234 | 1,234 | 1,000 MB |" in cost_table({"a": timed(1234.4, 0)})


def test_the_machine_has_worked_longer_than_this_process() -> None:
    first = busy_seconds()
    assert process_time() < first <= busy_seconds()


def rows_of(sources: int, systems: int) -> list[Row]:
    return [
        Row((f"s{s}",), "news", f"summary {s} of {n}", f"source {n}") for n in range(sources) for s in range(systems)
    ]


def test_no_part_has_two_summaries_of_one_source() -> None:
    rows = rows_of(30, 5)
    parts = spread(rows, range(len(rows)), 8)
    assert sorted(number for part in parts for number in part) == list(range(len(rows)))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    for part in parts:
        assert max(Counter(rows[number].source for number in part).values()) == 1
        assert part != sorted(part)


SYSTEMS = comparison_reading.SYSTEMS


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A comparison of a few texts, of which the last system says what the first does."""
    texts = [f"The {thing} was sold on Monday." for thing in ("boat", "house", "farm", "mill", "field", "barn")]
    said = {name: [f"{name}: {text}" for text in texts] for name in SYSTEMS[:-1]} | {
        SYSTEMS[-1]: [f"{SYSTEMS[0]}: {text}" for text in texts]
    }
    results, sentences = tmp_path / "comparison.json", tmp_path / "sentences.jsonl"
    found = {name: {"sentences": {"8": {"summaries": lines}}} for name, lines in said.items()}
    results.write_text(json.dumps(found), encoding="utf-8")
    sentences.write_text("".join(json.dumps({"kind": "news", "text": text}) + "\n" for text in texts), encoding="utf-8")
    for name, value in {"RESULTS": results, "SENTENCES": sentences, "DATA": tmp_path / "data"}.items():
        monkeypatch.setattr(comparison_reading, name, value)
    (tmp_path / "data").mkdir()
    return tmp_path


def judge(path: Path, verdict: str) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        header, *records = csv.reader(file, dialect="excel-tab")
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, dialect="excel-tab").writerows([header, *([r[0], verdict, *r[2:]] for r in records)])


def test_sheets_come_back_whole(measured: Path) -> None:
    sheets, key = measured / "sheets", measured / "key"
    prepare(sheets, key, words=8, known={})
    parts = sorted(sheets.glob("part-*.tsv"))
    assert len(parts) == PARTS
    assert len(list(sheets.glob("again-*.tsv"))) == AGAIN
    for number, path in enumerate([*parts, *sheets.glob("again-*.tsv")]):
        judge(path, VERDICTS[number % 4])
    join([sheets], key, words=8)
    rows = read_key(measured / "data" / "comparison-8.key.json")
    assert len(rows) == 6 * (len(SYSTEMS) - 1)
    assert Counter(read_verdicts(measured / "data" / "comparison-8.tsv", rows)).keys() == set(VERDICTS)
    again = read_key(measured / "data" / "comparison-8-again.key.json")
    assert len(read_verdicts(measured / "data" / "comparison-8-again.tsv", again)) == len(again) > 0


def test_what_was_read_is_not_asked_for_again(measured: Path) -> None:
    prepare(measured / "sheets", measured / "key", words=8, known={})
    for path in measured.glob("sheets/part-*.tsv"):
        judge(path, "p")
    results = json.loads(comparison_reading.RESULTS.read_text(encoding="utf-8"))
    results["ealm"]["sentences"]["8"]["summaries"][2] = "Farm was sold."
    comparison_reading.RESULTS.write_text(json.dumps(results), encoding="utf-8")
    known = verdicts_in([measured / "sheets"], "part")
    prepare(measured / "new", measured / "new-key", words=8, known=known)
    assert [path.name for path in measured.glob("new/part-*.tsv")] == ["part-1.tsv"]
    assert "Farm was sold." in (measured / "new" / "part-1.tsv").read_text(encoding="utf-8").splitlines()[1]


def test_a_row_without_a_verdict_is_named(measured: Path) -> None:
    prepare(measured / "sheets", measured / "key", words=8, known={})
    with pytest.raises(SystemExit, match=r"part-1\.tsv, row \d+: the verdict is ''"):
        join([measured / "sheets"], measured / "key", words=8)
