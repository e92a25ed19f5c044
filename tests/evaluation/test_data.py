"""Reading sentences with references: three forms of data, and what is said about broken ones."""

import json
from pathlib import Path

import pytest

from ealm.evaluation.data import PairedDataError, PairedTexts, read_paired, read_summaries

SOURCES = ("the river rises", "an old bridge falls")
FIRST, SECOND = ("river rises", "bridge falls"), ("flood", "bridge down")


def folder_of(path: Path, **files: str | bytes) -> Path:
    path.mkdir(exist_ok=True)
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        (path / f"{name}.txt").write_bytes(data)
    return path


def lines(texts: tuple[str, ...]) -> str:
    return "".join(f"{text}\n" for text in texts)


def test_a_folder_gives_every_source_its_references(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "giga", input=lines(SOURCES), ref0=lines(FIRST), ref1=lines(SECOND))
    assert read_paired(folder) == PairedTexts("giga", SOURCES, tuple(zip(FIRST, SECOND, strict=True)))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_ends_are_not_part_of_a_text(tmp_path: Path, ending: str) -> None:
    folder = folder_of(tmp_path, input=ending.join(SOURCES), ref0=ending.join(FIRST) + ending)
    assert read_paired(folder).sources == SOURCES


def test_a_line_separator_inside_a_text_ends_no_line(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, input="one\u2028two\x0bthree\n", ref0="one\n")
    assert read_paired(folder).sources == ("one\u2028two\x0bthree",)


@pytest.mark.parametrize("inside_a_folder", [True, False])
def test_jsonl_has_text_and_summaries(tmp_path: Path, inside_a_folder: bool) -> None:
    records = [{"text": SOURCES[0], "summaries": [FIRST[0], SECOND[0]]}, {"text": SOURCES[1], "summaries": [FIRST[1]]}]
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(map(json.dumps, records)) + "\n\n", encoding="utf-8")
    found = read_paired(tmp_path if inside_a_folder else path)
    assert found == PairedTexts("mine", SOURCES, ((FIRST[0], SECOND[0]), (FIRST[1],)))


def test_a_dataset_on_disk_is_read(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_dict({"document": list(SOURCES), "summary": list(FIRST)})
    dataset.save_to_disk(str(tmp_path / "saved"))
    assert read_paired(tmp_path / "saved") == PairedTexts("saved", SOURCES, tuple((text,) for text in FIRST))
    datasets.DatasetDict({"test": dataset}).save_to_disk(str(tmp_path / "splits"))
    with pytest.raises(PairedDataError, match="several splits \\(test\\): give one"):
        read_paired(tmp_path / "splits")


def test_the_first_ones_and_the_references_of_duc() -> None:
    paired = PairedTexts("duc", ("A 1", "B 2"), (("Up 10 %",), ("Down 3",)))
    assert paired.first(1) == PairedTexts("duc", ("A 1",), (("Up 10 %",),))
    assert paired.first(None) == paired
    assert paired.with_gigaword_references() == PairedTexts("duc", ("A 1", "B 2"), (("up ## %",), ("down #",)))


BROKEN = {
    "more references": ({"input": "a\nb\n", "ref0": "a\nb\nc\n"}, "ref0.txt has 3 lines .* line 3 of ref0.txt"),
    "fewer references": ({"input": "a\nb\n", "ref0": "a\n"}, "ref0.txt has 1 lines .* line 2 of input.txt"),
    "fewer of the second": ({"input": "a\nb\n", "ref0": "a\nb\n", "ref1": "a\n"}, "ref1.txt has 1 lines"),
    "no references": ({"input": "a\n"}, "has no ref0.txt"),
    "empty reference": ({"input": "a\nb\n", "ref0": "a\n \n"}, "ref0.txt, line 2: it is empty"),
    "empty source": ({"input": "\nb\n", "ref0": "a\nb\n"}, "input.txt, line 1: it is empty"),
    "nothing": ({"input": "", "ref0": ""}, "is empty: there is nothing to score"),
    "no data": ({"other": "a\n"}, "holds neither input.txt"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_folder_is_named_with_file_and_line(tmp_path: Path, case: str) -> None:
    files, message = BROKEN[case]
    with pytest.raises(PairedDataError, match=message):
        read_paired(folder_of(tmp_path, **files))


def test_a_wrong_encoding_is_named_with_file_and_line(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, input="a\nb\n", ref0=b"a\ncaf\xe9\n")
    with pytest.raises(Exception, match=r"ref0\.txt, line 2: not UTF-8"):
        read_paired(folder)


RECORDS = {
    "not JSON": ("{", "line 1: not JSON"),
    "not an object": ("[1]", "line 1: expected an object"),
    "no text": ('{"summaries": ["a"]}', "none of text, document"),
    "no summaries": ('{"text": "a"}', "none of summaries"),
    "empty list": ('{"text": "a", "summaries": []}', "list of one or more texts"),
    "empty summary": ('{"text": "a", "summaries": [" "]}', "list of one or more texts"),
    "a number": ('{"text": "a", "summaries": [3]}', "list of one or more texts"),
    "text is a number": ('{"text": 3, "summaries": ["a"]}', "the text is not a text"),
}


@pytest.mark.parametrize("case", RECORDS)
def test_a_broken_record_is_named_with_its_line(tmp_path: Path, case: str) -> None:
    line, message = RECORDS[case]
    (tmp_path / "data.jsonl").write_text(line + "\n", encoding="utf-8")
    with pytest.raises(PairedDataError, match=message):
        read_paired(tmp_path / "data.jsonl")


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(PairedDataError, match=r"There is no .*nowhere"):
        read_paired(tmp_path / "nowhere")
    with pytest.raises(PairedDataError, match="There is no file"):
        read_summaries(tmp_path / "nowhere.txt", expected=1)


def test_foreign_summaries_must_be_as_many(tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("a\n\n", encoding="utf-8")
    assert read_summaries(tmp_path / "out.txt", expected=2) == ["a", ""]
    with pytest.raises(PairedDataError, match=r"line 3 of input.txt has no partner in out.txt"):
        read_summaries(tmp_path / "out.txt", expected=3)
