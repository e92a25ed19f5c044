"""Markdown and HTML as blocks with placeholders, and back."""

import pytest

from ealm.text.detokenizer import Layout
from ealm.text.frames import Frame, read_frame
from ealm.text.lengths import Limit
from ealm.text.sentences import Sentence, sentences_of

MARKDOWN = """# The *plan*

The [new tool](https://example.org/a "Title") of `run --all` is **three times** as fast. It is <https://example.org>.

- One item with `code here`
- Two ![alt](x.png)
  1. nested

> A quotation.

```
code  block
```

| a | b |
|---|---|
| 1 | 2 |
"""

HTML = """<!DOCTYPE html>
<html><head><style>p { x: 1 }</style></head><body><h1>The <em>plan</em></h1>
<p class="a">Tea &amp; <b>milk</b> &lt; 3, see <a href="u?a=1&amp;b=2">here</a><br>now.</p>
<ul><li>One <code>run --all</code></li><li>Two</li></ul><pre>keep   it</pre><table><tr><td>1</td></tr></table>
<p>Bad <i>nesting <b>here</i> ends</b>.</p></body></html>"""


def read(text: str, markup: str) -> tuple[Frame, list[Sentence]]:
    frame = read_frame(text, markup)
    return frame, [own for own in sentences_of(frame.blocks, unwrap=True) if own.tokens]


def test_markdown_comes_back_as_it_was() -> None:
    frame, sentences = read(MARKDOWN, "markdown")
    assert frame.written(sentences, [own.text for own in sentences]) == MARKDOWN.strip()
    forms = ["heading", "prose", "prose", "item", "item", "item", "aside", "verbatim", "verbatim"]
    assert [own.form for own in sentences] == forms
    assert [own.lead for own in sentences if own.form == "item"] == ["- ", "- ", "  1. "]


def test_html_comes_back_with_its_tags() -> None:
    frame, sentences = read(HTML, "html")
    page = frame.written(sentences, [own.text for own in sentences])
    for piece in (
        "<h1>The <em>plan</em></h1>",
        '<p class="a">Tea &amp; <b>milk</b> &lt; 3, see <a href="u?a=1&amp;b=2">here</a> now.</p>',
        "<ul><li>One <code>run --all</code></li><li>Two</li></ul>",
        "<pre>keep   it</pre>",
        "<table><tr><td>1</td></tr></table>",
        "<i>nesting <b>here</b></i> ends.",
    ):
        assert piece in page
    assert [own.form for own in sentences][:4] == ["heading", "prose", "item", "item"]


def test_what_has_lost_its_text_goes_with_its_tags() -> None:
    frame, sentences = read(HTML, "html")
    page = frame.written(sentences, [own.text if own.form == "prose" else "" for own in sentences])
    assert not any(tag in page for tag in ("<ul>", "<li>", "<h1>", "<pre>", "<table>", "</li>"))
    assert page.count("<p") == page.count("</p>") == 2
    assert "<style>" in page


@pytest.mark.parametrize(("text", "markup"), [(MARKDOWN, "markdown"), (HTML, "html")])
def test_a_limit_counts_what_readers_see(text: str, markup: str) -> None:
    frame, sentences = read(text, markup)
    limit = Limit(9, "chars", frame.marks.seen)
    assert limit.measure(sentences[0].text) == len("The plan")
    assert "`run --all`"[1:-1] in frame.seen or markup == "html"
    assert "https://example.org/a" not in frame.seen


def test_characters_of_private_use_are_no_placeholders() -> None:
    frame, sentences = read("Odd \ue000 signs \uf000 *here*.", "markdown")
    assert frame.written(sentences, [own.text for own in sentences]) == "Odd  signs  *here*."


def test_a_line_of_pictures_says_nothing() -> None:
    text = "# Tool\n\n[![Build](a.svg)](b) ![Licence](c.svg)\n\nIt works ![logo](d.svg) well."
    assert [own.form for own in read(text, "markdown")[1]] == ["heading", "aside", "prose"]


@pytest.mark.parametrize(
    ("text", "markup", "left", "expected"),
    [
        ("**The dam broke. Nobody drowned.** It rained.", "markdown", "drowned", "**Nobody drowned.**"),
        ("**The dam broke. Nobody drowned.** It rained.", "markdown", "dam", "**The dam broke.**"),
        (
            "<p><a href='u'>The dam broke. <i>Nobody</i> drowned.</a></p>",
            "html",
            "drowned",
            "<a href='u'><i>Nobody</i> drowned.</a>",
        ),
        ("<p><i>The dam broke. Nobody drowned.</p>", "html", "drowned", "<i>Nobody drowned.</i>"),
    ],
)
def test_a_mark_around_several_sentences_is_around_each(text: str, markup: str, left: str, expected: str) -> None:
    frame, sentences = read(text, markup)
    page = frame.written(sentences, [own.text if left in own.text else "" for own in sentences])
    assert page.removeprefix("<p>").removesuffix("</p>") == expected


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("**The dam broke. Nobody drowned.** It rained.", "markdown"),
        ("Type `` a `b` `` now.", "markdown"),
        ("<p>So <code>a <code>b</code> c</code> is.</p>", "html"),
        ("<table><tr><td><table><tr><td>1</td></tr></table></td></tr></table><p>End.</p>", "html"),
        ("<p>We <button>go</button> there.</p>", "html"),
    ],
)
def test_what_nobody_shortened_is_as_it_was(text: str, markup: str) -> None:
    frame, sentences = read(text, markup)
    assert frame.written(sentences, [own.text for own in sentences]).replace("\n", "") == text


@pytest.mark.parametrize(
    "text",
    [
        "Use \\*stars\\* and *some \\*inner\\* ones*.",
        "A tag is written &lt;b&gt; here.",
        "\\# is no heading.",
        "1\\. is no list.",
    ],
)
def test_what_is_escaped_stays_escaped(text: str) -> None:
    frame = read_frame(text, "markdown")
    sentences = sentences_of(frame.blocks, longest=200)
    assert frame.written(sentences, [sentence.text for sentence in sentences]) == text


def test_an_escape_inside_of_a_word_does_not_cut_it() -> None:
    (block,) = read_frame("Read file\\_name in C\\+\\+.", "markdown").blocks
    assert block.text == "Read file_name in C++."


def test_definitions_of_links_are_no_text() -> None:
    frame, sentences = read("See [this][ref].\n\n[ref]: https://example.org/a\n", "markdown")
    assert frame.written(sentences, [own.text for own in sentences]) == "See [this](https://example.org/a)."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Boats\n=====\n\nThey sail.", "# Boats\n\nThey sail."),
        ("Boats\n---\n\nThey sail.", "## Boats\n\nThey sail."),
        ("---\ntitle: My post\ntags:\n  - a\n---\n\nThey sail.", None),
        ("Type <kbd>Ctrl</kbd>+<kbd>C</kbd> and <b>go *on*</b><br> ~~now~~.", None),
        ('See [a](https://example.org/a_(b) "The \\"title\\"").', None),
        ("Read \\_this\\_ and file_name.", None),
        ("They *sail (now* and then).", None),
        ("- [ ] Call us.\n- [x] Go on.", None),
        ("It is so.[^1]\n\n[^1]: As told\n[^2]: by some.", None),
        ("    code so\n    as it is", None),
    ],
)
def test_markdown_of_all_kinds_comes_back(text: str, expected: str | None) -> None:
    frame, sentences = read(text, "markdown")
    assert frame.written(sentences, [own.text for own in sentences]) == (expected or text)


def test_keys_and_boxes_are_no_words() -> None:
    _, (pressed,) = read("Press <kbd>Ctrl</kbd>+<kbd>C</kbd> now.", "markdown")
    assert len(pressed.words) == 4
    assert read("- [ ] Call us.", "markdown")[1][0].lead == "- [ ] "


def test_half_a_tag_never_stays() -> None:
    frame, (own,) = read("The <b>old bridge</b> is *closed* <br> now.", "markdown")
    layout = Layout(own)
    bridge = [own.words.index(word) for word in ("The", "bridge", "is", "now")]
    assert frame.marked(layout.written(layout.with_marks(bridge))) == "The <b>bridge</b> is now"


def test_an_end_that_nobody_wrote_is_where_html_has_it() -> None:
    frame, sentences = read("<p>One goes.<p class=x>Two come.<ul><li>Three<li>Four</ul>", "html")
    page = frame.written(sentences, [own.text for own in sentences])
    assert page == "<p>One goes.</p><p class=x>Two come.</p><ul><li>Three</li><li>Four</li></ul>"
