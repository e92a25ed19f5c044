"""The pictures of docs/how-it-works.md are those of the models in the package, and the page says what they show."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tools.draw_how_it_works import GOAL, PICTURES, SENTENCE, Example, asked_for, example, facts

DOCS = Path(__file__).resolve().parents[2] / "docs"
AGAIN = "draw them again and read the page: python tools/draw_how_it_works.py"


@pytest.fixture(scope="module")
def found() -> Example:
    return example()


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_small_and_shows_every_word(found: Example, name: str, tmp_path: Path) -> None:
    PICTURES[name](found).save(tmp_path / name)
    shown = {text.text for text in ET.parse(tmp_path / name).iter("{http://www.w3.org/2000/svg}text")}
    assert set(found.words) <= shown
    assert (DOCS / name).stat().st_size < 60_000


def test_the_page_says_what_the_models_do(found: Example) -> None:
    page = (DOCS / "how-it-works.md").read_text(encoding="utf-8")
    said = facts(found)
    assert f"> {SENTENCE}\n" in page
    assert f"\n{asked_for(found).summary}\n" in page, AGAIN
    statements = {summary.summary for summary in found.curve[1:] if summary.complete}
    assert set(re.findall(r"^\| \**\d+\** \| \**(.+?)\** \|$", page, re.MULTILINE)) == statements, AGAIN
    assert ", ".join(f'"{word}"' for word in said["Q-values remove"][:-1]) in page, AGAIN
    assert len(said["Q-values leave"]) == GOAL + 1  # and the full stop
    assert f"{said['numbers of each word']} numbers" in page
