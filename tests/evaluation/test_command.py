"""`ealm evaluate` and `ealm report`: tables, files, figures, and what is said when something is wrong."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from ealm.cli.main import main
from ealm.common.extras import MissingExtraError
from ealm.evaluation import figures
from ealm.evaluation.data import PairedTexts
from ealm.evaluation.report_page import html_figure, html_page, html_section, html_table
from ealm.evaluation.results import Evaluation, Run, SystemResult
from ealm.evaluation.rouge import PAPER
from ealm.evaluation.samples import marked_source
from ealm.evaluation.tables import latex_table, markdown_table, terminal_table

PNG = b"\x89PNG\r\n\x1a\n"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "news"
    folder.mkdir()
    sources = ["the police minister finds a silver bridge .", "old engine burns in the quiet forest <b> & | ."] * 3
    (folder / "input.txt").write_text("\n".join(sources) + "\n", encoding="utf-8")
    (folder / "ref0.txt").write_text("minister finds bridge\nengine burns\n" * 3, encoding="utf-8")
    return folder


def evaluation(*names: str) -> Evaluation:
    systems = tuple(
        SystemResult(name, "file", (Run(None, ("a b",), np.array([[10.0 + place, 2.0, 9.0]]), 2.0, 0.5),))
        for place, name in enumerate(names)
    )
    return Evaluation(PairedTexts("my_data", ("a b c",), (("a",),)), PAPER, None, True, systems)


def test_the_terminal_gets_a_table_with_its_protocol(data: Path) -> None:
    result = run("evaluate", "--data", data, "--systems", "lead-3,stopwords", "--pretokenized", "--rouge-only")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("news: 6 sentences; protocol paper (ROUGE F1, percent)")
    # "the police minister" has 1 of 3 words right, "old engine burns" 2 of 3 with 2 wanted.
    assert re.search(r"^lead-3 +56\.67 \[", result.stdout, re.MULTILINE)
    assert re.search(r"^stopwords − lead-3 ", result.stdout, re.MULTILINE)
    assert result.stderr.splitlines() == ["… lead-3", "… stopwords"]


def test_json_has_every_number(data: Path) -> None:
    result = run("evaluate", "--data", data, "--systems", "lead-3", "--protocol", "length", "--rouge-only", "--json")
    values = json.loads(result.stdout)
    assert (values["data"], values["sentences"], values["protocol"], values["words"]) == ("news", 6, "length", 8)
    (system,) = values["systems"]
    assert system["scores"]["R-1"]["mean"] == pytest.approx((100 / 3 + 80) / 2)
    assert (system["LEN"], system["NW"], system["spread"]) == (3, 0, None)


@pytest.mark.slow
def test_a_folder_gets_everything(data: Path, agent_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "deep"
    systems = f"lead-3,ealm:mine={agent_folder}"
    result = run("evaluate", "--data", data, "--systems", systems, "--pretokenized", "--samples", 2, "--out", out)
    assert result.exit_code == 0, result.output
    names = {path.name for path in out.iterdir()}
    drawings = {"rouge.png", "lengths.png", "positions.png", "curves.png"}
    written = {"table.md", "table.tex", "samples.md", "results.json", "sentences.jsonl", "report.html"}
    assert names == drawings | written
    assert all((out / name).read_bytes().startswith(PNG) for name in drawings)
    records = [json.loads(line) for line in (out / "sentences.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(r["line"], r["system"]) for r in records[:3]] == [(1, "lead-3"), (1, "mine"), (2, "lead-3")]
    assert json.loads((out / "results.json").read_text(encoding="utf-8"))["systems"][0]["qualities"]["copied"] == 1
    assert (out / "samples.md").read_text(encoding="utf-8").count("\n") == 4
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.count("<img") == 4
    assert "http" not in page.replace("http-equiv", "")
    assert "<b>" not in page


def test_a_report_shows_how_runs_learned(corpus_file: Path, bert_folder: Path, tmp_path: Path) -> None:
    quick = ["--pretokenized", "--quiet", "--lm", bert_folder, "--updates", 100]
    small = [
        "--set",
        "rewards.similarity_weight=0",
        "--set",
        "learning.batch_size=4",
        "--set",
        "learning.replay_size=20",
    ]
    assert run("train", corpus_file, "--out", tmp_path / "a", *quick, *small).exit_code == 0
    result = run("report", tmp_path / "a")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "a" / "learning.png").read_bytes().startswith(PNG)
    page = (tmp_path / "a" / "report.html").read_text(encoding="utf-8")
    assert "learning.batch_size" in page
    (tmp_path / "a" / "log.jsonl").write_text("[]\n", encoding="utf-8")
    refused(run("report", tmp_path / "a"), "is damaged")
    (tmp_path / "a" / "log.jsonl").write_text("", encoding="utf-8")
    refused(run("report", tmp_path / "a"), "before its first 100 updates")
    refused(run("report", tmp_path), "has no log.jsonl")


def refused(result: Result, *parts: str) -> None:
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code != 0
    assert result.stdout == ""
    for part in parts:
        assert part in result.stderr


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--systems", "bart"], "There is no system 'bart'"),
        (["--systems", "ealm=nowhere"], "nowhere"),
        (["--systems", "file:x=nowhere.txt"], "There is no file nowhere.txt"),
        (["--seeds", "a"], "expected numbers with commas"),
        (["--data", "nowhere"], "There is no nowhere"),
    ],
)
def test_mistakes_are_told_in_one_line(data: Path, arguments: list[str], part: str) -> None:
    refused(run("evaluate", "--data", data, *arguments, "--quiet"), part)


def test_without_matplotlib_a_figure_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ealm\[evaluate\]'"):
        figures.rouge_figure(evaluation("x"))


def test_latex_has_the_layout_of_the_paper() -> None:
    lines = latex_table([evaluation("L8", "S3_+")]).splitlines()
    assert lines[0] == r"\begin{tabular}{c|l|ccc|c|c}"
    assert lines[3] == r"\multirow{2}{*}{my\_data} & L8 & 10.00 & {\bf 2.00} & {\bf 9.00} & 2.00 & 0.50 \\"
    assert lines[4] == r" & S3\_+ & {\bf 11.00} & {\bf 2.00} & {\bf 9.00} & 2.00 & 0.50 \\ \hline"
    assert lines[-1] == r"\end{tabular}"


def test_tables_keep_their_columns() -> None:
    assert terminal_table(("a", "b"), [["long", "1"]]).splitlines() == ["a     b", "----  -", "long  1"]
    assert markdown_table(("a",), [["x | y"]]).splitlines() == ["| a |", "| --- |", "| x \\| y |"]


def test_a_page_runs_nothing_that_a_text_says() -> None:
    table = html_table((("<b>h</b>",), [["<script>alert(1)</script>"]]))
    page = html_page("<i>", "&", [html_section("<u>", table), html_figure('"x', b"1")])
    assert page.count("<script") == 1  # its own
    assert not re.search(r"<[biu]>", page)
    assert "&lt;script&gt;" in page
    assert 'alt="&quot;x"' in page


def test_the_edits_of_a_sample_are_marked_and_run_nothing() -> None:
    marked = marked_source("The police & co find the <b> bridge.", "Police find <b> bridge.")
    assert marked == "<del>The</del> police <del>&amp; co</del> find <del>the</del> &lt;b&gt; bridge."


def test_new_words_stand_where_the_old_ones_stood() -> None:
    assert (
        marked_source("the prime minister spoke", "premier spoke")
        == "<del>the prime minister</del> <ins>premier</ins> spoke"
    )
    assert marked_source("it rains", "it rains today") == "it rains <ins>today</ins>"
    assert marked_source("it rains", "") == "<del>it rains</del>"


def test_samples_come_first_and_can_be_sorted(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert (
        run(
            "evaluate", "--data", data, "--systems", "lead-3,stopwords", "--rouge-only", "--samples", 3, "--out", out
        ).exit_code
        == 0
    )
    page = (out / "report.html").read_text(encoding="utf-8")
    assert re.findall("<h2>(.*?)</h2>", page) == ["Samples", "Scores", "Differences", "Figures"]
    cards = re.findall('class="card" data-line="(\\d+)" data-scores="(.*?)"', page)
    assert [int(line) for line, _ in cards] == [0, 2, 4]
    assert all(len(json.loads(scores)) == 2 for _, scores in cards)
    assert re.findall('id="sort-(.*?)"', page) == ["system", "measure", "order"]
    assert "<del>" in page


def test_violations_by_kind_are_in_the_report(data: Path, tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    case = {
        "text": "The old bridge was not closed.",
        "never": [],
        "pairs": [{"where": "bridge", "must": "not"}],
    }
    (suite / "negation.jsonl").write_text(json.dumps(case) + "\n", encoding="utf-8")
    both, alone = tmp_path / "both", tmp_path / "alone"
    arguments = ["--truth", suite, "--systems", "lead-3,stopwords", "--rouge-only", "--quiet"]
    assert run("evaluate", "--data", data, *arguments, "--out", both).exit_code == 0
    assert run("evaluate", *arguments, "--out", alone).exit_code == 0
    for out in (both, alone):
        page = (out / "report.html").read_text(encoding="utf-8")
        assert "Truth: violations by kind" in page
        assert re.search("<td>negation</td><td>[1-9] of", page)
        assert "<summary>lead-3, negation: " in page
        assert (out / "truth.png").read_bytes().startswith(PNG)
        assert json.loads((out / "truth.json").read_text(encoding="utf-8"))[0]["violations"] >= 1
    refused(run("evaluate", "--data", data, *arguments, "--json"), "leave one of them out")


def test_the_same_numbers_give_the_same_figure() -> None:
    assert figures.rouge_figure(evaluation("x")) == figures.rouge_figure(evaluation("x"))


def test_learning_curves_leave_out_what_is_not_known() -> None:
    records = [{"updates": 100, "replay_reward": None}, {"updates": 200, "replay_reward": 0.5}]
    assert figures.learning_figure({"a": records}).startswith(PNG)
