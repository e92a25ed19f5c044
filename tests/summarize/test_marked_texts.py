"""Marked-up texts with the model in the package: nothing is torn."""

import re
from functools import cache
from html.parser import HTMLParser

import pytest

from ealm import Summarizer

NOTES = """# Release 2.4

This release makes the *search* of `harbor-tool` three times as fast on large archives, and it needs **Python 3.11** \
or newer from now on.

## Changes

- The command `harbor sync --all` now retries a failed upload up to five times before it gives up.
- Removed the old option `--legacy`, which had been deprecated since version 2.0 and was not used by anyone.

```
pip install --upgrade harbor-tool
```

Thanks to [Ada Berg](https://example.org/ada) and Bo, who wrote most of the new code. See https://example.org/all.
"""

PAGE = """<html><body><h1>The <em>ferry</em> closes</h1>
<p class="lead">The <b>city council</b> of Larkmouth voted on Tuesday night to close the \
<a href="https://example.org/f?a=1&amp;b=2">120-year-old ferry terminal</a> after engineers warned that its piers \
&amp; planks could not survive another winter storm.</p>
<ul><li>Boats leave every twenty minutes until the end of November.</li><li>Run <code>ferry --stop now</code> to see \
the last timetable of the year.</li></ul></body></html>"""

MAIL = """Hi Anna,

The printer in room 214 has been fixed by the technician this morning, but the scanner still shows the error.

On Mon, 3 Nov 2025, Anna Berg wrote:
> The printer has not worked since Friday.
> Can you call somebody?

Best regards,
Tom
--
Tom Reyes, IT support
"""


@cache
def summarizer() -> Summarizer:
    return Summarizer()


@pytest.mark.parametrize("ratio", [0.2, 0.4, 0.6, 0.8])
def test_markdown_is_not_torn(ratio: float) -> None:
    summary = summarizer().summarize(NOTES, ratio=ratio, markup="markdown")
    text = summary.summary
    assert summary.complete
    assert text.count("**") % 2 == 0
    assert text.count("```") in (0, 2)
    assert set(re.findall(r"`([^`\n]+)`", text)) <= {"harbor-tool", "harbor sync --all", "--legacy"}
    assert set(re.findall(r"\]\(([^)]*)\)", text)) <= {"https://example.org/ada"}
    assert text.count("[") == text.count("](https://example.org/ada)")
    assert all(url == "https://example.org/all" for url in re.findall(r"(?<!\()https?://\S+\w", text))
    assert all(line in NOTES for line in text.split("\n") if line.startswith(("#", "pip")))
    list(summary.marked_source())  # every edit is found in the source


class Balance(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("words", [5, 10, 20, 30])
def test_a_tag_keeps_its_partner(words: int) -> None:
    page = summarizer().summarize(PAGE, words=words, markup="html").summary
    balance = Balance()
    balance.feed(page)
    assert balance.open == []
    assert "<code>" not in page or "<code>ferry --stop now</code>" in page
    assert "href" not in page or '<a href="https://example.org/f?a=1&amp;b=2">' in page
    seen = re.sub(r"<[^>]*>", " ", page).replace(" .", ".").replace(" &amp; ", " & ")
    assert len(seen.split()) <= words


def test_a_marked_text_that_fits_is_unchanged() -> None:
    assert summarizer().summarize(NOTES, words=500, markup="markdown").summary == NOTES.strip()


def test_of_a_letter_the_message_stays() -> None:
    summary = summarizer().summarize(MAIL, words=12).summary
    assert "printer" in summary
    assert not any(part in summary for part in ("wrote:", ">", "regards", "IT support"))
    for words in range(12, 45, 6):
        lines = summarizer().summarize(MAIL, words=words).summary.split("\n")
        assert all(line in MAIL for line in lines if line.startswith((">", "On", "Best", "Hi", "Tom")))


def test_addresses_and_tags_of_short_messages_are_whole_or_gone() -> None:
    tweet = (
        "Loved the new #ferry timetable from @LarkmouthCity 🎉 read it here: https://example.org/t?a=1 before you go"
    )
    for words in range(3, 15):
        found = summarizer().summarize(tweet, words=words).summary
        for piece in found.split():
            assert not re.search(r"https|#|@", piece) or piece.strip(".,:") in tweet.split()


@pytest.mark.parametrize("markup", ["markdown", "text"])
@pytest.mark.parametrize("behind", ["", "\n\n## Ferries\n"])
def test_a_text_of_code_is_whole_or_gone(markup: str, behind: str) -> None:
    code = '```py\nx = "a b"  # keep\nprint(x)\n```'
    for words in (1, 2, 4, 6, 30):
        summary = str(summarizer().summarize(code + behind, words=words, markup=markup))
        assert summary.startswith(code) or "`" not in summary


def test_code_spans_and_tags_of_plain_messages_are_whole_or_gone() -> None:
    text = (
        "Please run `pip install --upgrade harbor-tool` in the terminal before you open the project, says #ferry2024."
    )
    for words in range(2, 17):
        found = summarizer().summarize(text, words=words).summary
        assert "`" not in found or "`pip install --upgrade harbor-tool`" in found
        assert "#" not in found or "#ferry2024" in found


def test_a_bracket_around_a_link_stays_around_it() -> None:
    text = "The new harbor (see [the plan](https://example.org/a)) was closed on Friday after a storm."
    for words in range(5, 14):
        found = summarizer().summarize(text, words=words, markup="markdown").summary
        assert ("(see" in found) == (")) " in found)
        assert not re.search(r"\)\w", found)
