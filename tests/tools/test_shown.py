"""What the pages show is what is printed. If summaries have changed for the better: python tools/shown.py."""

import json
import re
import subprocess
import sys

import pytest

from tools.shown import PAGES, ROOT, cards, commands, sessions, shell, tour


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def test_the_tour_shows_what_is_printed() -> None:
    page = text("docs/tour.md")
    assert len(commands(page)) == 12
    assert tour(page) == page


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted(PAGES.keys() - {"docs/tour.md"}))
def test_a_page_shows_what_is_printed(page: str) -> None:
    assert PAGES[page](text(page)) == text(page)


def test_an_output_that_is_not_true_any_more_is_found() -> None:
    page = '```console\n$ ealm summarize --words 3 "The river rises."\nSomething else.\n```\n'
    assert tour(page) == page.replace("Something else.", "The river rises.")


def test_so_it_is_in_a_shell() -> None:
    page = (
        '    text="a b"\n\n<!-- run: echo "$text" | head -1 -->\n```console\n$ what readers see\nSomething else.\n```\n'
    )
    assert shell(page) == page.replace("Something else.", "a b")


def test_so_it_is_in_python() -> None:
    page = "```python\na = 2\n```\nand\n```python\n>>> for b in (a, 3):\n...     print(b)\n5\n>>> a + 1\n4\n```\n"
    assert sessions(page) == page.replace("5\n>>> a + 1\n4", "2\n3\n>>> a + 1\n3")


def test_so_it_is_in_a_table() -> None:
    page = "| source | summary | wrong |\n|---|---|---|\n| The river rises. | Something. | nothing |\n"
    assert cards(page) == page.replace("Something.", "The river rises.")


@pytest.mark.slow
def test_the_example_of_the_grammar() -> None:
    (code,) = re.findall(r"^```python\n(from ealm\.grammar.*?)^```", text("docs/grammar.md"), re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    for field, shown in re.findall(r"^parse\.(\w+)  # (\([^)]*\))", code, re.MULTILINE):
        assert str(getattr(names["parse"], field)).replace("'", '"') == shown


@pytest.mark.slow
def test_the_example_of_the_service(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"^```python\n(import httpx.*?)^```", text("docs/service.md"), re.MULTILINE | re.DOTALL)
    line = [sys.executable, "-m", "ealm", "serve", "--port", "0"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as service:
        address = re.search(r"http://\S+:\d+", service.stdout.readline())
        try:
            exec(code.replace("http://localhost:8000", address[0]), {})
        finally:
            service.terminate()
    assert json.loads(capsys.readouterr().out.replace("'", '"')) == ["First text.", "Second text."]
