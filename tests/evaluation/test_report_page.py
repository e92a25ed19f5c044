"""report.html in a real browser: it sorts, and says nothing on the console."""

from pathlib import Path
from typing import Any

from page_tools import browser, pytestmark

from ealm.evaluation.data import PairedTexts
from ealm.evaluation.report import write_evaluation
from ealm.evaluation.results import Evaluation, Run, SystemResult
from ealm.evaluation.rouge import PAPER

__all__ = ["browser", "pytestmark"]  # a fixture, and where there is no browser nothing runs


def test_samples_and_tables_are_sorted(browser: Any, tmp_path: Path) -> None:
    paired = PairedTexts("news", ("a b c", "d e f", "g h i"), (("a b c",), ("d",), ("x",)))
    summaries = {"one": ("a", "d e", "g"), "two": ("a b c", "e", "h i")}
    systems = tuple(SystemResult(name, "file", (Run.of(found, paired, PAPER),)) for name, found in summaries.items())
    evaluation = Evaluation(paired, PAPER, None, True, systems)
    write_evaluation(tmp_path, evaluation, {}, curves={}, samples=[0, 1, 2])
    page = browser.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto((tmp_path / "report.html").as_uri())

    def lines() -> list[str]:
        return [str(card.get_attribute("data-line")) for card in page.locator("#samples .card").all()]

    assert lines() == ["0", "1", "2"]
    page.select_option("#sort-order", "best")
    assert lines() == ["1", "0", "2"]  # of one, R-1: 67, 50 and 0
    page.select_option("#sort-system", label="two")
    assert lines() == ["0", "1", "2"]  # 100, 0 and 0
    page.select_option("#sort-order", "worst")
    assert lines() == ["1", "2", "0"]
    names = page.locator("table >> nth=0").locator("tbody td:first-child")
    page.click("table >> nth=0 >> th:has-text('R-1') button")
    by_score = names.all_text_contents()
    page.click("table >> nth=0 >> th:has-text('R-1') button")
    assert names.all_text_contents() == by_score[::-1]
    assert complaints == []
    page.close()
